//! Classes of several components: what one product cannot say, and the log posterior that never falls.

use belief::{Chunk, Climb};
use proptest::prelude::*;

use super::semi_supervised::{Fault, InMemory, never_falls};
use super::table::{Table, TestColumn, close, tables_and_priors};
use crate::{
    Components, Contest, Estimate, EventModel, Expected, Mixture, NaiveBayes, NaiveBayesPrior, SemiSupervised, TextEvent, completed,
};

fn climb(table: &Table, prior: &NaiveBayesPrior, plan: &SemiSupervised) -> Result<Expected, Fault> {
    let schema = table.schema();
    let lend = |see: &mut dyn FnMut(Chunk<'_>)| table.with_rows(0..table.n_rows(), None, |chunk| see(*chunk));
    plan.run(&InMemory { schema: schema.clone(), lend: &lend }, &schema, &table.statistic(), prior, |_| {})
}

fn mixture(table: &Table, prior: &NaiveBayesPrior, plan: &SemiSupervised) -> Mixture {
    let expected = climb(table, prior, plan).unwrap();
    let labelled = expected.labelled.as_ref().unwrap();
    let components = plan.components.as_ref().unwrap();
    Mixture::new(components, &table.schema(), &table.statistic(), [labelled, &expected.statistic], plan.lambda, prior).unwrap()
}

/// Two columns, and the class is whether they differ: no product of two columns can tell, and two products a class can.
fn exclusive_or() -> Table {
    let bits = |shift: usize| (0..40).map(|row| (row >> shift & 1) as u8).collect();
    let column = |shift| TestColumn::States { codes: bits(shift), n_states: 2, n_declared: 2 };
    let classes = (0..40_u8).map(|row| if row % 5 == 4 { u8::MAX } else { row & 1 ^ (row >> 1 & 1) }).collect();
    Table { columns: vec![column(0), column(1)], classes, n_classes: 2, n_declared_classes: 2, weights: None }
}

#[test]
fn two_components_a_class_tell_exclusive_or() {
    let prior = NaiveBayesPrior { estimate: Estimate::Laplace { l: 0.1 }, ..NaiveBayesPrior::default() };
    let (table, components) = (exclusive_or(), Components::new(vec![2, 2]).unwrap());
    let plan = SemiSupervised { components: Some(components), ..SemiSupervised::default() };
    let mixture = mixture(&table, &prior, &plan);
    let plain = NaiveBayes::new(&table.schema(), &table.statistic(), &prior).unwrap();
    let (mut of_mixture, mut of_plain) = (Vec::new(), Vec::new());
    table.with_rows(0..table.n_rows(), None, |chunk| {
        mixture.ln_joint(chunk, &mut of_mixture).unwrap();
        plain.ln_joint(chunk, &mut of_plain).unwrap();
    });
    let sure = |ln: &[f64], row: usize| {
        let odds = ln[2 * row] - ln[2 * row + 1];
        if (row & 1) ^ (row >> 1 & 1) == 0 { odds } else { -odds }
    };
    assert!((0..40).all(|row| sure(&of_mixture, row) > 2.0), "{of_mixture:?}");
    assert!((0..40).all(|row| sure(&of_plain, row).abs() < 0.5), "{of_plain:?}");
    // The ledger of a row adds up, and names the component it is about.
    table.with_rows(0..4, None, |chunk| {
        for row in 0..4 {
            let ledger = mixture.explain(&table.schema(), chunk, row, Contest::default()).unwrap();
            let total = ledger.prior_log_odds + ledger.entries.iter().map(|entry| entry.log_odds).sum::<f64>();
            assert!((total - ledger.posterior_log_odds.unwrap()).abs() < 1e-12);
            let odds = ledger.probability.unwrap() / ledger.probability_against.unwrap();
            assert!((total - odds.ln()).abs() < 1e-9 && total > 2.0);
            assert_eq!(ledger.mixture.unwrap().of_class.1, 2);
        }
    });
}

#[test]
fn components_must_be_of_the_classes() {
    assert!(Components::new(vec![1, 0]).is_err());
    assert!(Components::new(vec![u32::MAX; 9]).is_err());
    let plan = SemiSupervised { components: Some(Components::new(vec![2]).unwrap()), ..SemiSupervised::default() };
    assert!(climb(&exclusive_or(), &NaiveBayesPrior::default(), &plan).is_err());
}

proptest! {
    #[test]
    fn the_log_posterior_of_mixtures_never_falls(
        (table, prior) in tables_and_priors(), hide in 2..4_usize, n in prop::collection::vec(1..4_u32, 8), hard in any::<bool>(),
        lambda in prop_oneof![Just(1.0), Just(0.3), Just(0.0)], seed in any::<u64>(),
    ) {
        let mut table = table;
        table.classes.iter_mut().step_by(hide).for_each(|class| *class = u8::MAX);
        // Numbers have no prior that would keep the variance of a component of one row from zero.
        table.columns.retain(|column| matches!(column, TestColumn::States { .. }));
        prop_assume!(!matches!(prior.estimate, Estimate::MEstimate { p: crate::MEstimateP::Empirical, .. }));
        prop_assume!(prior.event != EventModel::NearestCentroid);
        let n_classes = table.schema().states(table.statistic().target()).unwrap().len();
        let components = Components::new((0..n_classes).map(|class| n[class % n.len()]).collect()).unwrap();
        let climb_plan = Climb { most_steps: 30, least_rise: 0.0, ..Climb::default() };
        let plan = SemiSupervised { lambda, hard, climb: climb_plan, components: Some(components), seed };
        if let Ok(found) = climb(&table, &prior, &plan) {
            prop_assert!(never_falls(&found.ln_posteriors), "{:?}", found.ln_posteriors);
        }
    }

    #[test]
    fn the_log_posterior_of_mixtures_of_texts_never_falls(
        rows in super::words::rows(), bernoulli in any::<bool>(), l in prop_oneof![Just(1.0), Just(0.1)], hard in any::<bool>(),
    ) {
        use super::words::{lend, schema, statistic};
        let mut rows = rows;
        rows.retain(|row| row.1.iter().any(|word| *word < 7));
        rows.iter_mut().skip(4).step_by(2).for_each(|row| row.0 = u8::MAX);
        let see = |see: &mut dyn FnMut(Chunk<'_>)| lend(&rows, see);
        let observations = InMemory { schema: schema(), lend: &see };
        let text = if bernoulli { TextEvent::Bernoulli } else { TextEvent::Multinomial };
        let prior = NaiveBayesPrior { text, estimate: Estimate::Laplace { l }, ..NaiveBayesPrior::default() };
        let n_classes = statistic(&rows).classes().len();
        let components = Components::new((0..n_classes).map(|class| 1 + class as u32 % 3).collect()).unwrap();
        let climb = Climb { most_steps: 30, least_rise: 0.0, ..Climb::default() };
        let plan = SemiSupervised { hard, climb, components: Some(components.clone()), ..SemiSupervised::default() };
        if let Ok(found) = plan.run::<_, Fault>(&observations, &schema(), &statistic(&rows), &prior, |_| {}) {
            prop_assert!(never_falls(&found.ln_posteriors), "{:?}", found.ln_posteriors);
            // What rows with a class say of components is what they say of classes.
            let together = components.by_class(found.labelled.as_ref().unwrap()).unwrap();
            for (a, b) in together.classes().iter().zip(statistic(&rows).classes()) {
                prop_assert!((a - b).abs() < 1e-9);
            }
        }
    }

    /// A mixture of one component is its class.
    #[test]
    fn one_component_each_is_naive_bayes((table, prior) in tables_and_priors(), hide in 2..4_usize) {
        let mut table = table;
        table.classes.iter_mut().step_by(hide).for_each(|class| *class = u8::MAX);
        let Ok(found) = climb(&table, &prior, &SemiSupervised::default()) else { return Ok(()) };
        prop_assert!(found.labelled.is_none());
        let (schema, observed) = (table.schema(), table.statistic());
        let components = Components::one_each(observed.classes().len());
        let mixture = Mixture::new(&components, &schema, &observed, [&observed, &found.statistic], 1.0, &prior).unwrap();
        let both = completed(&observed, &found.statistic, 1.0).unwrap();
        let plain = NaiveBayes::with_expected(&schema, &observed, &found.statistic, &both, &prior).unwrap();
        let (mut a, mut b) = (Vec::new(), Vec::new());
        table.with_rows(0..table.n_rows(), None, |chunk| {
            mixture.ln_joint(chunk, &mut a).unwrap();
            plain.ln_joint(chunk, &mut b).unwrap();
        });
        prop_assert!(a.iter().zip(&b).all(|(a, b)| close(*a, *b)));
    }
}
