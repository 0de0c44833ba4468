//! Columns that are made of others while rows are read: bins of a number, and whether a value is missing.

use std::collections::BTreeMap;

use belief::{BinCodes, Codes, Schema, are_cuts, bin_names};
use serde::{Deserialize, Serialize};

use crate::encode::{EncodedColumn, Plan, PlanKind};

/// Columns that are made of those in the files. For tables of a known schema, which has their states.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MadeColumns {
    /// Variables whose states are ranges of a number, and where it is cut.
    pub cuts: BTreeMap<String, Vec<f64>>,
    /// Variables that say whether another is missing, and which.
    pub absence_of: BTreeMap<String, String>,
}

impl MadeColumns {
    /// The states of a variable that says whether another is missing.
    pub const ABSENCE: [&'static str; 2] = ["no", "yes"];

    /// Whether no column is made.
    pub fn is_empty(&self) -> bool {
        self.cuts.is_empty() && self.absence_of.is_empty()
    }

    /// Whether they can be columns of a schema: cut points that are finite and increase, variables that are there and have as many states.
    pub fn fits(&self, schema: &Schema) -> bool {
        let has = |name: &String, n: usize| schema.find(name).and_then(|id| schema.states(id)).is_some_and(|states| states.len() == n);
        self.cuts.iter().all(|(name, cuts)| are_cuts(cuts) && has(name, cuts.len() + 1))
            && self.absence_of.iter().all(|(name, of)| has(name, Self::ABSENCE.len()) && schema.find(of).is_some())
    }

    /// The states of a variable that is made; `None` where it is read as it stands.
    pub fn states(&self, name: &str) -> Option<Vec<String>> {
        let absence = self.absence_of.contains_key(name).then(|| Self::ABSENCE.map(String::from).to_vec());
        absence.or_else(|| self.cuts.get(name).map(|cuts| bin_names(cuts)))
    }
}

/// Makes the columns of a plan that are made, once all cells of a chunk are read.
pub(crate) fn make(plan: &Plan, columns: &mut [EncodedColumn], n_rows: usize) {
    let mut bins = BinCodes::default();
    for (place, variable) in plan.variables.iter().enumerate() {
        let PlanKind::Numeric { cuts: Some(cuts), .. } = &variable.kind else { continue };
        let numbers: &[f64] = match &columns[place] {
            EncodedColumn::Numeric(numbers) => numbers,
            EncodedColumn::Borrowed(numbers) => numbers,
            _ => continue,
        };
        columns[place] = match bins.fill(cuts, numbers) {
            Codes::U8(codes) => EncodedColumn::U8(codes.to_vec()),
            Codes::U16(codes) => EncodedColumn::U16(codes.to_vec()),
            Codes::U32(codes) => EncodedColumn::U32(codes.to_vec()),
        };
    }
    for (place, variable) in plan.variables.iter().enumerate() {
        let PlanKind::Absence { of } = &variable.kind else { continue };
        // A column that is not there says nothing of why.
        if !matches!(columns[*of], EncodedColumn::Absent) {
            columns[place] = EncodedColumn::U8((0..n_rows).map(|row| u8::from(columns[*of].is_missing(row))).collect());
        }
    }
}
