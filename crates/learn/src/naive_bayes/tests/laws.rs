//! The statistic's algebra.

use belief::{Forget, Recode, Recoding, StateMap, SufficientStatistic};
use proptest::prelude::*;

use super::table::{Table, TestColumn, tables};
use crate::{AttributeStatistic, EventModel, NaiveBayesStatistic};

fn plus(a: &NaiveBayesStatistic, b: &NaiveBayesStatistic) -> NaiveBayesStatistic {
    let mut sum = a.clone();
    sum.merge(b).unwrap();
    sum
}

/// Counts to 1e-12 (exactly, if `exact`: weights are whole), moments to 1e-9.
fn same(a: &NaiveBayesStatistic, b: &NaiveBayesStatistic, exact: bool) -> bool {
    let near = |a: f64, b: f64| if exact { a == b } else { (a - b).abs() < 1e-12 * (1.0 + b) };
    let counts = |a: &belief::JointCounts, b: &belief::JointCounts| {
        (0..a.n_states()).all(|s| a.of_state(s).iter().zip(b.of_state(s)).all(|(a, b)| near(*a, *b)))
    };
    let attribute = |(a, b): (&AttributeStatistic, &AttributeStatistic)| match (a, b) {
        (AttributeStatistic::Counts(a), AttributeStatistic::Counts(b)) => counts(a, b),
        (AttributeStatistic::Binned { cuts: left, counts: a }, AttributeStatistic::Binned { cuts: right, counts: b }) => {
            left == right && counts(a, b)
        }
        (AttributeStatistic::Moments(a), AttributeStatistic::Moments(b)) => a.of_class().iter().zip(b.of_class()).all(|(a, b)| {
            near(a.weight, b.weight) && (a.mean - b.mean).abs() < 1e-9 && (a.sum_sq - b.sum_sq).abs() < 1e-9 * (1.0 + b.sum_sq)
        }),
        (a, b) => a == b,
    };
    a.target() == b.target()
        && near(a.n_rows_without_target(), b.n_rows_without_target())
        && a.classes().iter().zip(b.classes()).all(|(a, b)| near(*a, *b))
        && a.attributes().iter().zip(b.attributes()).all(attribute)
}

fn parts(table: &Table, cuts: [usize; 2]) -> [NaiveBayesStatistic; 3] {
    let [one, two] = cuts.map(|cut| cut.min(table.n_rows()));
    let (one, two) = (one.min(two), one.max(two));
    [0..one, one..two, two..table.n_rows()].map(|rows| table.statistic_of(rows))
}

proptest! {
    #[test]
    fn merging_is_associative_and_commutative_and_empty_is_its_identity(
        table in tables(EventModel::Categorical), cuts in any::<[prop::sample::Index; 2]>(),
    ) {
        let [a, b, c] = parts(&table, cuts.map(|cut| cut.index(table.n_rows())));
        let exact = table.weights.is_none();
        prop_assert!(same(&plus(&plus(&a, &b), &c), &plus(&a, &plus(&b, &c)), exact));
        prop_assert!(same(&plus(&a, &b), &plus(&b, &a), exact));
        prop_assert_eq!(plus(&a, &table.blank()), a.clone());
        prop_assert_eq!(plus(&table.blank(), &a), a.clone());
        prop_assert!(same(&plus(&plus(&a, &b), &c), &table.statistic(), exact));
    }

    #[test]
    fn forgetting_undoes_merging(table in tables(EventModel::Categorical), cuts in any::<[prop::sample::Index; 2]>()) {
        let [a, b, _] = parts(&table, cuts.map(|cut| cut.index(table.n_rows())));
        let mut left = plus(&a, &b);
        left.forget(&b).unwrap();
        prop_assert!(same(&left, &a, table.weights.is_none()));
    }

    /// What cannot be forgotten changes nothing, even if only one attribute of many gives it away.
    #[test]
    fn forgetting_what_was_never_seen_changes_nothing(table in tables(EventModel::Categorical)) {
        prop_assume!(table.n_classes_with_rows() >= 1);
        let mut strange = table.clone();
        if let TestColumn::Numbers { values, .. } = &mut strange.columns[3] {
            // The last attribute: all in one bin, in which not all were.
            values.fill(-9.0);
        }
        let (mut statistic, strange) = (table.statistic(), strange.statistic());
        let before = statistic.clone();
        if statistic.forget(&strange).is_err() {
            prop_assert_eq!(statistic, before);
        }
    }

    #[test]
    fn renaming_states_is_counting_renamed_rows(table in tables(EventModel::Categorical)) {
        // The second categorical column's states and the classes are turned by one, and both get room for one more.
        let turn = |n: usize| StateMap { to: (0..n).map(|s| ((s + 1) % n) as u32).collect(), n_states: n + 1 };
        let (class_map, state_map) = (turn(table.n_classes), turn(4));
        let mut statistic = table.statistic();
        statistic.recode(&Recoding { columns: vec![None, None, Some(state_map), None, Some(class_map)] }).unwrap();
        let mut renamed = table.clone();
        let rename = |codes: &mut Vec<u8>, n: usize| codes.iter_mut().filter(|c| **c != u8::MAX).for_each(|c| *c = (*c + 1) % n as u8);
        rename(&mut renamed.classes, table.n_classes);
        renamed.n_classes += 1;
        if let TestColumn::States { codes, n_states, .. } = &mut renamed.columns[2] {
            rename(codes, 4);
            *n_states += 1;
        }
        prop_assert!(same(&statistic, &renamed.statistic(), table.weights.is_none()));
    }

    #[test]
    fn whole_weights_count_like_repeated_rows(table in tables(EventModel::Categorical), times in proptest::collection::vec(0..3_usize, 24)) {
        let mut weighted = table.clone();
        weighted.weights = Some(times[..table.n_rows()].iter().map(|&t| t as f64).collect());
        let rows: Vec<usize> = (0..table.n_rows()).flat_map(|row| std::iter::repeat_n(row, times[row])).collect();
        let mut repeated = Table { weights: None, classes: rows.iter().map(|&r| table.classes[r]).collect(), ..table.clone() };
        for column in &mut repeated.columns {
            match column {
                TestColumn::States { codes, .. } => *codes = rows.iter().map(|&r| codes[r]).collect(),
                TestColumn::Numbers { values, .. } => *values = rows.iter().map(|&r| values[r]).collect(),
            }
        }
        prop_assert!(same(&weighted.statistic(), &repeated.statistic(), true));
    }
}
