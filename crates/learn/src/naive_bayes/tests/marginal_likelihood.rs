//! ln P(data) is the sum of what each row was given by the rows before it.

use proptest::prelude::*;

use super::table::{TestColumn, close, tables_and_priors};
use crate::{ClassPrior, Estimate, EventModel, MEstimateP, NaiveBayes, NumericModel};

proptest! {
    #[test]
    fn the_marginal_likelihood_is_the_product_of_predictives((mut table, mut prior) in tables_and_priors(), alpha in 0.1..3.0_f64) {
        prop_assume!(prior.event == EventModel::Categorical && table.n_classes_with_rows() >= 2);
        // So that the first row already knows the states, and every factor has a closed form.
        table.weights = None;
        table.n_declared_classes = table.n_classes;
        for column in &mut table.columns {
            if let TestColumn::States { n_states, n_declared, .. } = column {
                *n_declared = *n_states;
            }
        }
        prior.class = ClassPrior::Dirichlet { alpha };
        prior.numeric = NumericModel::Student;
        let closed = !matches!(prior.estimate, Estimate::MaximumLikelihood | Estimate::MEstimate { p: MEstimateP::Empirical, .. });
        let (schema, statistic) = (table.schema(), table.statistic());
        let model = NaiveBayes::new(&schema, &statistic, &prior);
        prop_assume!(model.is_ok());
        let model = model.unwrap();
        let found = model.log_marginal_likelihood(&schema, &statistic);
        prop_assert_eq!(found.is_some(), closed);
        if let Some(found) = found {
            let (mut chain, mut scores) = (0.0, Vec::new());
            for row in 0..table.n_rows() {
                let Some(class) = table.class(row) else { continue };
                let before = NaiveBayes::with_scale(&schema, &table.statistic_of(0..row), &prior, model.scale()).unwrap();
                table.with_rows(row..row + 1, None, |chunk| before.ln_joint(chunk, &mut scores)).unwrap();
                chain += scores[class];
            }
            prop_assert!(close(found, chain), "{found} for {chain}");
        }
    }
}

#[test]
fn there_is_no_closed_form_for_a_normal_by_maximum_likelihood() {
    let table = super::edge_cases::two_bells();
    let (schema, statistic) = (table.schema(), table.statistic());
    let prior = |numeric| crate::NaiveBayesPrior { numeric, class: ClassPrior::Laplace { l: 1.0 }, ..Default::default() };
    let of = |numeric| NaiveBayes::new(&schema, &statistic, &prior(numeric)).unwrap().log_marginal_likelihood(&schema, &statistic);
    assert!(of(NumericModel::default()).is_none());
    assert!(of(NumericModel::Student).is_some());
}
