//! Ledgers of every kind of row add up.

use proptest::prelude::*;

use super::edge_cases::two_bells;
use super::table::{close, tables_and_priors};
use crate::{Contest, EvidenceValue, LearnError, LeftOut, NaiveBayes, NaiveBayesPrior, telling_evidence};

proptest! {
    #[test]
    fn the_ledger_ends_in_the_posterior((table, prior) in tables_and_priors()) {
        prop_assume!(table.n_classes_with_rows() >= 2);
        let schema = table.schema();
        let model = NaiveBayes::new(&schema, &table.statistic(), &prior).unwrap();
        let mut scores = Vec::new();
        table.with_rows(0..table.n_rows(), None, |chunk| model.ln_joint(chunk, &mut scores)).unwrap();
        for row in 0..table.n_rows() {
            let ledger = table.with_rows(0..table.n_rows(), None, |chunk| model.explain(&schema, chunk, row, Contest::default())).unwrap();
            let place = |name: &str| model.class_names().iter().position(|n| n == name).unwrap();
            let of_row = &scores[row * model.n_classes()..][..model.n_classes()];
            let (class, against) = (of_row[place(&ledger.class)], of_row[place(&ledger.against)]);
            prop_assert!(of_row.iter().all(|&other| class >= other || close(class, other)), "the most probable class");
            match ledger.posterior_log_odds {
                None => prop_assert!(class == f64::NEG_INFINITY && against == f64::NEG_INFINITY),
                Some(odds) => {
                    // Attribute by attribute no digit is lost, however large the scores are.
                    let (class_place, against_place) = (place(&ledger.class), place(&ledger.against));
                    let less = |a: f64, b: f64| if a == b { 0.0 } else { a - b };
                    let prior = model.ln_class_prior();
                    let said = table.with_rows(0..table.n_rows(), None, |chunk| model.contributions(chunk, row)).unwrap();
                    let terms = said.iter().flatten().map(|ln| less(ln[class_place], ln[against_place]));
                    let sum = terms.fold(less(prior[class_place], prior[against_place]), |sum, term| sum + term);
                    prop_assert!(close(odds, sum), "{odds} for {sum}");
                    // The difference of the scores is as exact as they are: a unit in the last place of 5e8 is 6e-8.
                    let rounding = 1e-14 * (class.abs() + against.abs());
                    let apart = class - against;
                    prop_assert!(close(odds, apart) || (odds - apart).abs() <= rounding, "{odds} for {class} − {against}");
                }
            }
            let sizes: Vec<f64> = ledger.entries.iter().map(|e| e.log_odds.abs()).collect();
            prop_assert!(sizes.is_sorted_by(|a, b| a >= b) && sizes.iter().all(|s| !s.is_nan()));
            prop_assert_eq!(ledger.entries.len() + ledger.left_out.len(), table.columns.len());
            if let (Some(p), Some(q)) = (ledger.probability, ledger.probability_against) {
                prop_assert!(p >= q - 1e-12 && p + q <= 1.0 + 1e-12);
            }
        }
    }
}

#[test]
fn one_may_ask_for_any_two_classes_but_not_for_one_against_itself() {
    let table = two_bells();
    let schema = table.schema();
    let model = NaiveBayes::new(&schema, &table.statistic(), &NaiveBayesPrior::default()).unwrap();
    let ask = |class, against| table.with_rows(0..4, None, |chunk| model.explain(&schema, chunk, 0, Contest { class, against }));
    assert_eq!(ask(Some(1), None).unwrap().against, "s0");
    assert_eq!(ask(None, Some(0)).unwrap().class, "s1");
    assert_eq!(ask(Some(0), None).unwrap().posterior_log_odds, ask(Some(1), None).unwrap().posterior_log_odds.map(|x| -x));
    assert!(matches!(ask(Some(1), Some(1)), Err(LearnError::AgainstItself { .. })));
    assert!(matches!(ask(Some(7), None), Err(LearnError::NoSuchClass { .. })));
    let far = table.with_rows(0..4, None, |chunk| model.explain(&schema, chunk, 4, Contest::default()));
    assert!(matches!(far, Err(LearnError::NoSuchRow { row: 4, n_rows: 4 })));
}

#[test]
fn what_is_left_out_has_a_reason() {
    let mut table = two_bells();
    let schema = table.schema();
    let model = NaiveBayes::new(&schema, &table.statistic(), &NaiveBayesPrior::default()).unwrap();
    let super::table::TestColumn::Numbers { values, .. } = &mut table.columns[0] else { panic!("numbers") };
    values[0] = f64::NAN;
    let ledger = table.with_rows(0..4, None, |chunk| model.explain(&schema, chunk, 0, Contest::default())).unwrap();
    assert!(ledger.entries.is_empty());
    assert_eq!(ledger.left_out[0].why, LeftOut::Missing);
}

/// Means 1 and 11, standard deviation 1 in both: ten standard deviations apart, so that the score is 10²/2.
#[test]
fn numbers_that_lie_apart_tell_the_classes_apart() {
    let table = two_bells();
    let (schema, statistic) = (table.schema(), table.statistic());
    let model = NaiveBayes::new(&schema, &statistic, &NaiveBayesPrior::default()).unwrap();
    let told = telling_evidence(&schema, &statistic, &model, 5).unwrap();
    assert_eq!(told[1].evidence.len(), 1);
    assert_eq!(told[1].evidence[0].score, 50.0);
    let value = EvidenceValue::Number { mean: 11.0, sd: 1.0, mean_of_rest: 1.0, sd_of_rest: 1.0 };
    assert_eq!(told[1].evidence[0].value, value);
    assert_eq!(value.to_string(), "11 ± 1");
}
