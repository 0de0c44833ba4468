//! Leave-one-out against learning again without the row.

use proptest::prelude::*;

use super::table::{close, tables_and_priors};
use crate::{LeaveOneOut, NaiveBayes};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn holding_a_row_out_is_learning_again_without_it((table, prior) in tables_and_priors()) {
        prop_assume!(table.n_classes_with_rows() >= 2);
        let (schema, statistic) = (table.schema(), table.statistic());
        let model = NaiveBayes::new(&schema, &statistic, &prior).unwrap();
        let leave_one_out = LeaveOneOut::new(&schema, &statistic, &model).unwrap();
        let (mut held_out, mut plain, mut expected) = (Vec::new(), Vec::new(), Vec::new());
        table.with_rows(0..table.n_rows(), None, |chunk| leave_one_out.ln_joint(chunk, &mut held_out)).unwrap();
        table.with_rows(0..table.n_rows(), None, |chunk| model.ln_joint(chunk, &mut plain)).unwrap();
        for row in 0..table.n_rows() {
            let of_row = row * model.n_classes()..(row + 1) * model.n_classes();
            if table.class(row).is_none() || table.weight(row) == 0.0 {
                prop_assert_eq!(&held_out[of_row.clone()], &plain[of_row]);
                continue;
            }
            let without = NaiveBayes::with_scale(&schema, &table.statistic_without(row), &prior, model.scale()).unwrap();
            table.with_rows(row..row + 1, None, |chunk| without.ln_joint(chunk, &mut expected)).unwrap();
            for (class, (found, expected)) in held_out[of_row].iter().zip(&expected).enumerate() {
                prop_assert!(close(*found, *expected), "row {row} class {class}: {found} for {expected}");
            }
        }
    }
}
