//! Scores of rows: blocks and tables against the definition.

use proptest::prelude::*;

use super::obvious;
use super::table::{TestColumn, close, tables_and_priors};
use crate::{LearnError, NaiveBayes};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_scores_are_those_of_the_definition((table, prior) in tables_and_priors()) {
        let (schema, statistic) = (table.schema(), table.statistic());
        let model = match NaiveBayes::new(&schema, &statistic, &prior) {
            Ok(model) => model,
            Err(LearnError::TooFewClasses { present, .. }) => {
                prop_assert!(present.len() == table.n_classes_with_rows() && present.len() < 2);
                return Ok(());
            }
            Err(error) => panic!("{error}"),
        };
        let mut scores = Vec::new();
        table.with_rows(0..table.n_rows(), None, |chunk| model.ln_joint(chunk, &mut scores)).unwrap();
        for row in 0..table.n_rows() {
            let expected = obvious::ln_joint(&table, &prior, row);
            for (class, expected) in expected.into_iter().enumerate() {
                let found = scores[row * model.n_classes() + class];
                prop_assert!(close(found, expected), "row {row} class {class}: {found} for {expected}");
            }
        }
    }

    /// A missing value says nothing: the product is the one over the attributes that are there.
    #[test]
    fn what_is_missing_is_left_out_of_the_product((table, prior) in tables_and_priors(), place in 0..4_usize) {
        prop_assume!(table.n_classes_with_rows() >= 2);
        let model = NaiveBayes::new(&table.schema(), &table.statistic(), &prior).unwrap();
        let mut gaps = table.clone();
        match &mut gaps.columns[place] {
            TestColumn::States { codes, .. } => codes.fill(u8::MAX),
            TestColumn::Numbers { values, .. } => values.fill(f64::NAN),
        }
        let mut scores = Vec::new();
        gaps.with_rows(0..table.n_rows(), None, |chunk| model.ln_joint(chunk, &mut scores)).unwrap();
        for row in 0..table.n_rows() {
            let said = table.with_rows(0..table.n_rows(), None, |chunk| model.contributions(chunk, row)).unwrap();
            for class in 0..model.n_classes() {
                let there = said.iter().enumerate().filter(|(other, _)| *other != place).filter_map(|(_, ln)| ln.as_ref());
                let expected = model.ln_class_prior()[class] + there.map(|ln| ln[class]).sum::<f64>();
                prop_assert!(close(scores[row * model.n_classes() + class], expected));
            }
        }
        let mut of_absent = Vec::new();
        table.with_rows(0..table.n_rows(), None, |chunk| {
            let mut columns = chunk.columns.to_vec();
            columns[place] = belief::Column::Absent;
            model.ln_joint(&belief::Chunk { columns: &columns, ..*chunk }, &mut of_absent)
        }).unwrap();
        prop_assert_eq!(of_absent, scores);
    }

    /// Cutting the rows into chunks, of one row too, changes no bit of any score.
    #[test]
    fn a_rows_scores_do_not_depend_on_its_neighbours((table, prior) in tables_and_priors()) {
        prop_assume!(table.n_classes_with_rows() >= 2);
        let model = NaiveBayes::new(&table.schema(), &table.statistic(), &prior).unwrap();
        let (mut all, mut one) = (Vec::new(), Vec::new());
        table.with_rows(0..table.n_rows(), None, |chunk| model.ln_joint(chunk, &mut all)).unwrap();
        for row in 0..table.n_rows() {
            table.with_rows(row..row + 1, None, |chunk| model.ln_joint(chunk, &mut one)).unwrap();
            prop_assert_eq!(&one, &all[row * model.n_classes()..][..model.n_classes()]);
        }
    }
}
