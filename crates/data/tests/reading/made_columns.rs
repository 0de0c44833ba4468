//! Columns that are made of others: bins of numbers, and whether a value is missing; and parts of the rows.

use std::collections::BTreeMap;

use belief::{
    Chunk, Column, FoldPlan, Kind, Observations, Recode, Recoding, Role, RowPart, Schema, ShapeMismatch, States, SufficientStatistic,
    Variable,
};
use tunbridge_data::{MadeColumns, ReadOptions, Table, UnknownStates};

/// The states of each row, and its weight.
#[derive(Clone, Default, Debug, PartialEq)]
struct Rows(Vec<(Vec<Option<usize>>, f64)>);

impl SufficientStatistic for Rows {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        for row in 0..chunk.n_rows {
            let state = |column: &Column<'_>| match column {
                Column::Categorical { codes, .. } => codes.get(row),
                _ => None,
            };
            self.0.push((chunk.columns.iter().map(state).collect(), chunk.weights.map_or(1.0, |weights| weights[row])));
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.0.extend_from_slice(&other.0);
        Ok(())
    }
}

impl Recode for Rows {
    fn recode(&mut self, _: &Recoding) -> Result<(), ShapeMismatch> {
        Ok(())
    }
}

fn variable(name: &str, states: Vec<String>) -> Variable {
    Variable { name: name.into(), kind: Kind::Categorical(States::declared(states, false).unwrap()), role: Role::Input }
}

fn schema(made: &MadeColumns) -> Schema {
    Schema::new(["size", "size_missing"].map(|name| variable(name, made.states(name).unwrap())).to_vec()).unwrap()
}

fn made() -> MadeColumns {
    MadeColumns {
        cuts: BTreeMap::from([("size".into(), vec![1.5, 3.0])]),
        absence_of: BTreeMap::from([("size_missing".into(), "size".into())]),
    }
}

const EXPECTED: [[Option<usize>; 2]; 5] = [[Some(0), Some(0)], [Some(0), Some(0)], [Some(1), Some(0)], [None, Some(1)], [Some(2), Some(0)]];

fn states(rows: &Rows) -> Vec<Vec<Option<usize>>> {
    rows.0.iter().map(|(states, _)| states.clone()).collect()
}

#[test]
fn numbers_become_bins_and_gaps_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    let made = made();
    assert_eq!(made.states("size").unwrap(), ["<=1.5", "1.5..3", ">3"]);
    assert!(made.states("other").is_none() && made.fits(&schema(&made)));
    let others = MadeColumns { cuts: BTreeMap::from([("size".into(), vec![1.5])]), ..made.clone() };
    assert!(!others.fits(&schema(&made)));
    let files = [
        ("t.csv", "size,more\n1,a\n1.5,b\n2,c\n,d\n1e9,e\n"),
        ("t.jsonl", "{\"size\": 1}\n{\"size\": 1.5}\n{\"size\": \"2\"}\n{\"size\": null}\n{\"size\": 1e9}\n"),
    ];
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let read = ReadOptions { made: made.clone(), ..ReadOptions::default() };
        let table = Table::open_as(&[&path], read, &schema(&made), UnknownStates::Error, true).unwrap();
        assert!(table.has_column(belief::VarId::new(1)) && table.remarks().is_empty(), "{:?}", table.remarks());
        let fold = table.fold(|n_states: &[usize]| {
            assert_eq!(n_states, [3, 2]);
            Rows::default()
        });
        let fold = fold.unwrap();
        assert_eq!(states(&fold.statistic), EXPECTED.map(|row| row.to_vec()), "{name}");
        assert_eq!(fold.schema, schema(&made));
        assert_eq!(fold.report.n_missing, [1, 0]);
    }
    // What is no number is named, and a column that is not there says nothing.
    let path = folder.path().join("bad.csv");
    std::fs::write(&path, "size\n1\nmany\n").unwrap();
    let read = || ReadOptions { made: made.clone(), ..ReadOptions::default() };
    let table = Table::open_as(&[&path], read(), &schema(&made), UnknownStates::Error, true).unwrap();
    let error = table.fold(|_: &[usize]| Rows::default()).unwrap_err().to_string();
    assert!(error.contains("many") && error.contains(":3"), "{error}");
    let mut wider = schema(&made).variables().to_vec();
    wider.push(variable("colour", vec!["red".into()]));
    std::fs::write(&path, "colour\nred\n").unwrap();
    let table = Table::open_as(&[&path], read(), &Schema::new(wider).unwrap(), UnknownStates::Error, true).unwrap();
    assert_eq!(states(&table.fold(|_: &[usize]| Rows::default()).unwrap().statistic), [vec![None, None, Some(0)]]);
}

/// The rows of some folds, and all others, are all rows between them; what is left out keeps its place and weighs nothing.
#[test]
fn a_part_of_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let rows: String = (0..1000).map(|i| format!("{}\n", ["a", "b"][i % 2])).collect();
    std::fs::write(&path, format!("x\n{rows}")).unwrap();
    let plan = FoldPlan::new(10, 3).unwrap();
    let weights = |part: Option<RowPart>| {
        let table = Table::open(&[&path], ReadOptions { part, ..ReadOptions::default() }).unwrap();
        table.fold(|_: &[usize]| Rows::default()).unwrap().statistic.0.into_iter().map(|(_, weight)| weight).collect::<Vec<f64>>()
    };
    let part = |is_within| Some(RowPart { plan, folds: 2..4, is_within });
    let (within, others) = (weights(part(true)), weights(part(false)));
    let folds = plan.folds(0, 1000);
    for row in 0..1000 {
        let is_within = (2..4).contains(&usize::from(folds[row]));
        assert_eq!((within[row], others[row]), if is_within { (1.0, 0.0) } else { (0.0, 1.0) });
    }
    assert_eq!(weights(None), vec![1.0; 1000]);
}
