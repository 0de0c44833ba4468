//! Rows without a class: EM against its definition, and the log posterior that never falls.

use std::convert::Infallible;

use belief::{Chunk, Climb, Fold, Observations, ReadReport, Recode, Schema, ShapeMismatch, SufficientStatistic};
use proptest::prelude::*;

use super::table::{Table, TestColumn, close, tables_and_priors};
use crate::{ClassPrior, Estimate, LearnError, NaiveBayes, NaiveBayesPrior, NumericModel, SemiSupervised, TextEvent, completed};

/// Chunks in memory.
pub(super) struct InMemory<'t, L> {
    pub(super) schema: Schema,
    pub(super) lend: &'t L,
}

impl<L: Fn(&mut dyn FnMut(Chunk<'_>)) + Sync> Observations for InMemory<'_, L> {
    type Error = Fault;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn fold<S, B>(&self, blank: B) -> Result<Fold<S>, Fault>
    where
        S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>> + Recode,
        B: Fn(&[usize]) -> S + Sync,
    {
        let mut statistic = blank(&self.schema.cardinalities());
        let mut outcome: Result<(), ShapeMismatch> = Ok(());
        (self.lend)(&mut |chunk| outcome = statistic.observe(chunk));
        outcome.map_err(LearnError::from)?;
        Ok(Fold { schema: self.schema.clone(), statistic, report: ReadReport::default() })
    }
}

#[derive(Debug, PartialEq)]
pub(super) struct Fault(pub(super) LearnError);

impl From<LearnError> for Fault {
    fn from(error: LearnError) -> Self {
        Self(error)
    }
}

impl From<Infallible> for Fault {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

fn climb(table: &Table, prior: &NaiveBayesPrior, plan: SemiSupervised) -> Result<(Vec<f64>, NaiveBayes), Fault> {
    let schema = table.schema();
    let lend = |see: &mut dyn FnMut(Chunk<'_>)| table.with_rows(0..table.n_rows(), None, |chunk| see(*chunk));
    let rows = InMemory { schema: schema.clone(), lend: &lend };
    let observed = table.statistic();
    let expected = plan.run::<_, Fault>(&rows, &schema, &observed, prior, |_| {})?;
    let statistic = completed(&observed, &expected.statistic, plan.lambda)?;
    Ok((expected.ln_posteriors, NaiveBayes::new(&schema, &statistic, prior)?))
}

/// Two coins, of which two throws are told apart and two are not, by hand: one column of two states, two classes.
#[test]
fn one_step_is_the_book_s() {
    let column = TestColumn::States { codes: vec![0, 1, 0, 0], n_states: 2, n_declared: 2 };
    let table = Table { columns: vec![column], classes: vec![0, 1, u8::MAX, u8::MAX], n_classes: 2, n_declared_classes: 2, weights: None };
    let prior = NaiveBayesPrior { class: ClassPrior::Laplace { l: 1.0 }, ..NaiveBayesPrior::default() };
    let plan = SemiSupervised { climb: Climb { most_steps: 1, least_rise: 0.0, ..Climb::default() }, ..SemiSupervised::default() };
    let (ln_posteriors, model) = climb(&table, &prior, plan).unwrap();
    // With one row each: P(heads | A) = 2/3, P(heads | B) = 1/3, and either class is as likely, so that heads is of A by 2/3.
    let shared = 2.0 * 2.0 / 3.0;
    let p_a = (1.0 + shared + 1.0) / (4.0 + 2.0);
    assert!((model.ln_class_prior()[0].exp() - p_a).abs() < 1e-8);
    let heads = model.ln_state(belief::VarId::new(0), 0).unwrap();
    assert!((heads[0].exp() - (1.0 + shared + 1.0) / (1.0 + shared + 2.0)).abs() < 1e-8, "{}", heads[0].exp());
    assert!((heads[1].exp() - (2.0 - shared + 1.0) / (1.0 + 2.0 - shared + 2.0)).abs() < 1e-8);
    // Two rows with a class of probability 1/2 · 2/3 each, two without of 1/2, and a pseudo-row for each of six parameters.
    let by_hand =
        2.0 * (1.0 / 3.0_f64).ln() + 2.0 * 0.5_f64.ln() + 2.0 * 0.5_f64.ln() + 2.0 * ((2.0 / 3.0_f64).ln() + (1.0 / 3.0_f64).ln());
    assert!((ln_posteriors[0] - by_hand).abs() < 1e-7, "{} for {by_hand}", ln_posteriors[0]);
}

#[test]
fn a_complement_gives_no_probability_to_expect_by() {
    use super::words::{lend, schema, statistic};
    let rows = vec![(0, vec![0, 0, 1], 1.0), (1, vec![1], 1.0), (u8::MAX, vec![0], 1.0)];
    let see = |see: &mut dyn FnMut(Chunk<'_>)| lend(&rows, see);
    let observations = InMemory { schema: schema(), lend: &see };
    let prior = NaiveBayesPrior { text: TextEvent::Complement, ..NaiveBayesPrior::default() };
    let found = SemiSupervised::default().run::<_, Fault>(&observations, &schema(), &statistic(&rows), &prior, |_| {});
    assert_eq!(found.err(), Some(Fault(LearnError::NoProbability { variable: "text".into() })));
    // And what no class can say is told.
    let prior = NaiveBayesPrior { estimate: Estimate::MaximumLikelihood, ..NaiveBayesPrior::default() };
    let rows = vec![(0, vec![0], 1.0), (1, vec![1], 1.0), (u8::MAX, vec![0, 1], 1.0)];
    let see = |see: &mut dyn FnMut(Chunk<'_>)| lend(&rows, see);
    let observations = InMemory { schema: schema(), lend: &see };
    let plan = SemiSupervised { lambda: 0.0, ..SemiSupervised::default() };
    let found = plan.run::<_, Fault>(&observations, &schema(), &statistic(&rows), &prior, |_| {});
    assert_eq!(found.err(), Some(Fault(LearnError::ImpossibleRows { n_rows: 1 })));
    let plan = SemiSupervised { lambda: -1.0, ..SemiSupervised::default() };
    assert!(plan.run::<_, Fault>(&observations, &schema(), &statistic(&rows), &prior, |_| {}).is_err());
}

/// Never, but for the rounding of a sum of this size.
pub(super) fn never_falls(ln_posteriors: &[f64]) -> bool {
    ln_posteriors.windows(2).all(|pair| pair[1] - pair[0] >= -1e-9 * (1.0 + pair[0].abs()))
}

proptest! {
    #[test]
    fn the_log_posterior_of_tables_never_falls(
        (table, prior) in tables_and_priors(), hide in 2..4_usize, lambda in prop_oneof![Just(1.0), Just(0.3)], hard in any::<bool>(),
    ) {
        let mut table = table;
        table.classes.iter_mut().step_by(hide).for_each(|class| *class = u8::MAX);
        // Posterior means, smoothed variances and a p that is made from the data climb something else.
        let numeric = NumericModel::Gaussian { variance_smoothing: 0.0 };
        prop_assume!(!matches!(prior.estimate, Estimate::MEstimate { p: crate::MEstimateP::Empirical, .. }));
        if prior.event == crate::EventModel::Categorical {
            let cut = |column: &mut TestColumn| if let TestColumn::Numbers { cuts, .. } = column { cuts.get_or_insert(vec![0.5]); };
            table.columns.iter_mut().for_each(cut);
        }
        let prior = NaiveBayesPrior { numeric, ..prior };
        let plan = SemiSupervised { lambda, hard, climb: Climb { most_steps: 30, least_rise: 0.0, ..Climb::default() }, ..SemiSupervised::default() };
        if let Ok((ln_posteriors, _)) = climb(&table, &prior, plan) {
            prop_assert!(never_falls(&ln_posteriors), "{ln_posteriors:?}");
        }
    }

    #[test]
    fn the_log_posterior_of_texts_never_falls(
        rows in super::words::rows(), bernoulli in any::<bool>(), l in prop_oneof![Just(1.0), Just(0.1)], hard in any::<bool>(),
    ) {
        use super::words::{lend, schema, statistic};
        let mut rows = rows;
        rows.retain(|row| row.1.iter().any(|word| *word < 7));
        rows.iter_mut().skip(3).for_each(|row| row.0 = u8::MAX);
        let see = |see: &mut dyn FnMut(Chunk<'_>)| lend(&rows, see);
        let observations = InMemory { schema: schema(), lend: &see };
        let text = if bernoulli { TextEvent::Bernoulli } else { TextEvent::Multinomial };
        let prior = NaiveBayesPrior { text, estimate: Estimate::Laplace { l }, ..NaiveBayesPrior::default() };
        let plan = SemiSupervised { hard, climb: Climb { most_steps: 30, least_rise: 0.0, ..Climb::default() }, ..SemiSupervised::default() };
        if let Ok(found) = plan.run::<_, Fault>(&observations, &schema(), &statistic(&rows), &prior, |_| {}) {
            prop_assert!(never_falls(&found.ln_posteriors), "{:?}", found.ln_posteriors);
        }
    }

    /// With a weight of nothing the rows without a class change nothing but which states are known.
    #[test]
    fn rows_of_no_weight_say_nothing((table, prior) in tables_and_priors()) {
        let plan = SemiSupervised { lambda: 0.0, climb: Climb { most_steps: 3, least_rise: 0.0, ..Climb::default() }, ..SemiSupervised::default() };
        let Ok((_, model)) = climb(&table, &prior, plan) else { return Ok(()) };
        let plain = NaiveBayes::new(&table.schema(), &table.statistic(), &prior).unwrap();
        for (a, b) in model.ln_class_prior().iter().zip(plain.ln_class_prior()) {
            prop_assert!(close(*a, *b));
        }
    }
}
