//! The models of labels are those that would be learned one by one.

use std::sync::Arc;

use belief::{
    Chunk, Codes, Column, Forget, Kind, Recode, Recoding, Role, Schema, StateMap, States, SufficientStatistic, Texts, Variable, WordWeights,
};
use proptest::prelude::*;

use super::*;
use crate::{
    ClassPrior, Estimate, EventModel, LearnError, LeaveOneOut, NaiveBayes, NaiveBayesPrior, NaiveBayesStatistic, TextEvent, Treatment,
    WordChoice,
};

const N_LABELS: usize = 4;
const N_WORDS: usize = 7;
const TARGET: usize = 3;

/// Words, a state, a number, the labels, and how often the row counts.
#[derive(Clone, Debug)]
struct Row {
    words: Vec<u32>,
    state: u8,
    number: f64,
    labels: Option<Vec<u32>>,
    weight: f64,
}

fn row() -> impl Strategy<Value = Row> {
    let labels = prop_oneof![
        8 => proptest::sample::subsequence((0..N_LABELS as u32).collect::<Vec<_>>(), 0..=N_LABELS).prop_map(Some),
        1 => Just(None)
    ];
    let state = prop_oneof![6 => 0..3_u8, 1 => Just(u8::MAX)];
    let number = prop_oneof![6 => (-8..8_i32).prop_map(f64::from), 1 => Just(f64::NAN)];
    (proptest::collection::vec(0..N_WORDS as u32, 0..9), state, number, labels, 0..3_u8)
        .prop_map(|(words, state, number, labels, weight)| Row { words, state, number, labels, weight: f64::from(weight) })
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec(row(), 1..25)
}

fn ends(lengths: impl Iterator<Item = usize>) -> Vec<u32> {
    lengths
        .scan(0, |end, n| {
            *end += n as u32;
            Some(*end)
        })
        .collect()
}

/// Lends the rows with their labels, or with the class of one label.
fn lend<R>(rows: &[Row], label: Option<u32>, see: impl FnOnce(Chunk<'_>) -> R) -> R {
    let words: Vec<u32> = rows.iter().flat_map(|row| row.words.clone()).collect();
    let word_ends = ends(rows.iter().map(|row| row.words.len()));
    let labels: Vec<Vec<u32>> = rows.iter().map(|row| row.labels.clone().unwrap_or(vec![Texts::MISSING])).collect();
    let label_ends = ends(labels.iter().map(Vec::len));
    let labels = labels.concat();
    let states: Vec<u8> = rows.iter().map(|row| row.state).collect();
    let numbers: Vec<f64> = rows.iter().map(|row| row.number).collect();
    let weights: Vec<f64> = rows.iter().map(|row| row.weight).collect();
    let class = |row: &Row| row.labels.as_ref().map_or(u8::MAX, |labels| u8::from(labels.contains(&label.unwrap_or_default())));
    let classes: Vec<u8> = rows.iter().map(class).collect();
    let target = match label {
        Some(_) => Column::Categorical { codes: Codes::U8(&classes), n_states: 2 },
        None => Column::Texts(Texts { ends: &label_ends, codes: &labels, n_words: N_LABELS }),
    };
    let columns = [
        Column::Texts(Texts { ends: &word_ends, codes: &words, n_words: N_WORDS }),
        Column::Categorical { codes: Codes::U8(&states), n_states: 3 },
        Column::Numeric(&numbers),
        target,
    ];
    see(Chunk { first_row: 0, n_rows: rows.len(), columns: &columns, weights: Some(&weights) })
}

fn schema(label: bool) -> Schema {
    let states = |prefix: &str, n: usize| States::default().with_seen((0..n).map(|i| format!("{prefix}{i}"))).unwrap();
    let target = if label {
        Kind::Categorical(States::declared(vec!["no".into(), "yes".into()], false).unwrap())
    } else {
        Kind::Labels(states("l", N_LABELS))
    };
    let variable = |name: &str, kind: Kind, role: Role| Variable { name: name.into(), kind, role };
    Schema::new(vec![
        variable("body", Kind::Text(states("w", N_WORDS)), Role::Input),
        variable("desk", Kind::Categorical(states("s", 3)), Role::Input),
        variable("size", Kind::Numeric, Role::Input),
        variable("topics", target, Role::Target),
    ])
    .unwrap()
}

fn treatments(with_numbers: bool) -> [Treatment; 4] {
    [
        Treatment::Words(Arc::new(WordWeights { bursts: true, ..WordWeights::default() })),
        Treatment::Categorical,
        if with_numbers { Treatment::Moments } else { Treatment::Absent },
        Treatment::Absent,
    ]
}

fn counted(rows: &[Row], with_numbers: bool) -> LabelStatistic {
    let mut statistic = LabelStatistic::empty(&treatments(with_numbers), TARGET, &[N_WORDS, 3, 0, N_LABELS]);
    lend(rows, None, |chunk| statistic.observe(chunk)).unwrap();
    statistic
}

fn counted_alone(rows: &[Row], label: u32, with_numbers: bool) -> NaiveBayesStatistic {
    let mut statistic = NaiveBayesStatistic::empty(&treatments(with_numbers), TARGET, &[N_WORDS, 3, 0, 2]);
    lend(rows, Some(label), |chunk| statistic.observe(chunk)).unwrap();
    statistic
}

fn prior() -> impl Strategy<Value = NaiveBayesPrior> {
    let text = prop_oneof![
        Just(TextEvent::Multinomial),
        Just(TextEvent::Bernoulli),
        Just(TextEvent::Complement),
        Just(TextEvent::DirichletCompound)
    ];
    let class = prop_oneof![Just(ClassPrior::Empirical), Just(ClassPrior::Uniform), Just(ClassPrior::Laplace { l: 1.0 })];
    let most = prop_oneof![Just(None), (1..5_usize).prop_map(Some)];
    (text, class, most, 0.1..2.0).prop_map(|(text, class, most_informative, l)| NaiveBayesPrior {
        text,
        class,
        estimate: Estimate::Laplace { l },
        // A Dirichlet-compound is of all words.
        words: WordChoice { most_informative: most_informative.filter(|_| text != TextEvent::DirichletCompound), ..WordChoice::default() },
        ..NaiveBayesPrior::default()
    })
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= tolerance * (1.0 + a.abs())
}

fn p(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

proptest! {
    #[test]
    fn each_label_has_the_model_it_would_have_alone(rows in rows(), prior in prior(), with_numbers in any::<bool>()) {
        let statistic = counted(&rows, with_numbers);
        prop_assume!(statistic.n_rows() > 0.0);
        // What is left of moments when others are taken from them has lost some digits.
        let tolerance = if with_numbers { 1e-7 } else { 1e-12 };
        let models = BinaryRelevance::new(&schema(false), &statistic, &prior).unwrap();
        let of_labels: Vec<_> = (0..N_LABELS).map(|label| statistic.of_label(label).unwrap()).collect();
        let (mut odds, mut odds_held_out) = (Vec::new(), Vec::new());
        lend(&rows, None, |chunk| models.ln_odds(&chunk, &mut odds)).unwrap();
        // One text cannot be taken out of a Dirichlet-compound.
        let has_held_out = !with_numbers && prior.text != TextEvent::DirichletCompound;
        if has_held_out {
            let held_out = HeldOutLabels::new(&models, &of_labels).unwrap();
            lend(&rows, None, |chunk| held_out.ln_odds(&chunk, &mut odds_held_out)).unwrap();
        }
        for label in 0..N_LABELS {
            let alone = counted_alone(&rows, label as u32, with_numbers);
            if !with_numbers {
                prop_assert_eq!(&of_labels[label], &alone);
            }
            let n_classes = alone.classes().iter().filter(|weight| **weight > 0.0).count();
            prop_assert_eq!(alone.classes()[1], statistic.rows_with()[label]);
            if n_classes < 2 {
                // One answer is impossible by an empirical class prior, and the odds say which.
                let certain = (0..rows.len()).all(|row| p(odds[row * N_LABELS + label]) == alone.classes()[1].min(1.0));
                prop_assert!(prior.class != ClassPrior::Empirical || certain, "{:?}", odds);
                continue;
            }
            let model = NaiveBayes::new(&schema(true), &alone, &prior).unwrap();
            let (mut joint, mut without) = (Vec::new(), Vec::new());
            lend(&rows, Some(label as u32), |chunk| model.ln_joint(&chunk, &mut joint)).unwrap();
            if has_held_out {
                let leave_one_out = LeaveOneOut::new(&schema(true), &alone, &model).unwrap();
                lend(&rows, Some(label as u32), |chunk| leave_one_out.ln_joint(&chunk, &mut without)).unwrap();
            }
            for row in 0..rows.len() {
                let expected = |joint: &[f64]| p(joint[2 * row + 1] - joint[2 * row]);
                prop_assert!(close(p(odds[row * N_LABELS + label]), expected(&joint), tolerance));
                if has_held_out {
                    prop_assert!(close(p(odds_held_out[row * N_LABELS + label]), expected(&without), tolerance));
                }
            }
        }
    }

    #[test]
    fn the_laws_of_the_algebra_hold(a in rows(), b in rows(), c in rows()) {
        let [a, b, c] = [a, b, c].map(|rows| counted(&rows, false));
        let merged = |x: &LabelStatistic, y: &LabelStatistic| { let mut sum = x.clone(); sum.merge(y).unwrap(); sum };
        let empty = LabelStatistic::empty(&treatments(false), TARGET, &[N_WORDS, 3, 0, N_LABELS]);
        prop_assert_eq!(testkit::merging_is_a_commutative_monoid(&empty, [&a, &b, &c], merged, PartialEq::eq), Ok(()));
        let mut both = merged(&a, &b);
        both.forget(&b).unwrap();
        prop_assert_eq!(both, a);
    }

    #[test]
    fn cutting_the_rows_anywhere_changes_nothing(rows in rows(), cut in 0..25_usize) {
        let (left, right) = rows.split_at(cut.min(rows.len()));
        let mut merged = counted(left, false);
        merged.merge(&counted(right, false)).unwrap();
        prop_assert_eq!(merged, counted(&rows, false));
    }

    #[test]
    fn labels_keep_their_rows_under_other_codes(rows in rows(), order in Just((0..N_LABELS as u32 + 1).collect::<Vec<u32>>()).prop_shuffle()) {
        let before = counted(&rows, false);
        let mut after = before.clone();
        let to = order[..N_LABELS].to_vec();
        let map = StateMap { to: to.clone(), n_states: N_LABELS + 1 };
        after.recode(&Recoding { columns: vec![None, None, None, Some(map)] }).unwrap();
        prop_assert_eq!((after.n_rows(), after.n_labels()), (before.n_rows(), N_LABELS + 1));
        for (label, &new) in to.iter().enumerate() {
            prop_assert_eq!(before.of_label(label).unwrap(), after.of_label(new as usize).unwrap());
        }
    }
}

#[test]
fn what_cannot_be_learned_is_said() {
    let row = |labels: Option<Vec<u32>>| Row { words: vec![1], state: 0, number: 1.0, labels, weight: 1.0 };
    let learned = |rows: &[Row], schema: &Schema| BinaryRelevance::new(schema, &counted(rows, true), &NaiveBayesPrior::default());
    assert!(matches!(learned(&[row(None)], &schema(false)), Err(LearnError::NoLabels { .. })));
    assert!(matches!(learned(&[row(Some(vec![0]))], &schema(true)), Err(LearnError::TargetNotLabels { .. })));
    // No label at all is a row that says no to each.
    let models = learned(&[row(Some(vec![])), row(Some(vec![0, 2])), row(Some(vec![0]))], &schema(false)).unwrap();
    let told: Vec<String> = models.remarks().iter().map(ToString::to_string).collect();
    assert!(told.contains(&"no row has the label `l1`".to_string()), "{told:?}");
    assert!(told.contains(&"class `l2` weighs no more than one row".to_string()), "{told:?}");
    let statistic = counted(&[row(Some(vec![0]))], true);
    assert!(matches!(statistic.of_label(N_LABELS), Err(LearnError::NoSuchClass { .. })));
    let centroid = NaiveBayesPrior { event: EventModel::NearestCentroid, ..NaiveBayesPrior::default() };
    assert!(matches!(BinaryRelevance::new(&schema(false), &statistic, &centroid), Err(LearnError::TextInCentroid { .. })));
}
