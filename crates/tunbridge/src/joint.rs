//! A full joint distribution from a table: a column for each variable, and one of probabilities.

use std::path::Path;

use belief::hypotheses::{HypothesisError, JointTable, JointVariable};
use belief::{Chunk, Column, Observations, Recode, Recoding, Role, ShapeMismatch, StateMap, SufficientStatistic};
use data::{ColumnType, DataError, ReadOptions, RowFault, Table};

use crate::Error;

/// Reads a joint distribution: a row for each combination of states with its probability, which stands in `column` or, unless told
/// otherwise, in the last one. A combination that is not there has probability zero.
///
/// # Errors
/// When the table cannot be read, a cell is missing, a combination is there twice, or the probabilities do not sum to one.
pub fn read_joint(paths: &[impl AsRef<Path>], mut read: ReadOptions, column: Option<&str>) -> Result<JointTable, Error> {
    let names = Table::open(paths, read.clone())?.schema().variables().iter().map(|variable| variable.name.clone()).collect::<Vec<_>>();
    let column = match column {
        Some(column) if !names.iter().any(|name| name == column) => {
            return Err(Error::unfit(format!("there is no column `{column}`"), format!("the columns are: {}", names.join(", "))));
        }
        Some(column) => column.to_string(),
        None => names.last().cloned().unwrap_or_default(),
    };
    if names.len() < 2 {
        return Err(Error::unfit(
            "a joint distribution has a column for each variable and one of probabilities, and here is one column",
            "write them as in Weather,Person,p",
        ));
    }
    for name in &names {
        read.types.push((name.clone(), if *name == column { ColumnType::Numeric } else { ColumnType::Category }));
    }
    let table = Table::open(paths, read)?;
    let schema = table.schema();
    let used = |place: &usize| schema.variables()[*place].role == Role::Input;
    let places: Vec<usize> = (0..names.len()).filter(|place| names[*place] != column).filter(used).collect();
    let of_p = names.iter().position(|name| *name == column).unwrap_or(0);
    let fold = table.fold(|_: &[usize]| Rows { places: places.clone(), of_p, codes: Vec::new(), p: Vec::new() });
    let fold = fold.map_err(|e| match &e {
        // No type of the column would help: it is the one of probabilities, or another one is.
        DataError::BadRow { fault: RowFault::NotANumber(_), .. } => Error::unfit(
            e.to_string(),
            format!("`{column}` holds the probabilities: mend the cell, or name another column with --probability"),
        ),
        _ => e.into(),
    })?;
    let states_of = |place: &usize| fold.schema.variables()[*place].kind.states().map_or(Vec::new(), |states| states.names().to_vec());
    let variables: Vec<JointVariable> =
        places.iter().map(|place| JointVariable { name: names[*place].clone(), states: states_of(place) }).collect();
    let n_cells = variables.iter().map(|variable| variable.states.len()).fold(1_usize, usize::saturating_mul);
    if n_cells > JointTable::MOST {
        return Err(HypothesisError::TooMany { what: "cells of the table", most: JointTable::MOST, found: n_cells }.into());
    }
    let mut cells: Vec<Option<f64>> = vec![None; n_cells];
    let rows = fold.statistic;
    for (row, p) in rows.p.iter().enumerate() {
        let states = &rows.codes[row * places.len()..][..places.len()];
        let missing =
            |name: &str| Error::unfit(format!("row {}: `{name}` is missing", row + 1), "give every row its states and its probability");
        if let Some(nth) = states.iter().position(|state| *state == NONE) {
            return Err(missing(&variables[nth].name));
        }
        if p.is_nan() {
            return Err(missing(&column));
        }
        let cell = states.iter().zip(&variables).fold(0, |cell, (state, variable)| cell * variable.states.len() + *state as usize);
        if cells[cell].replace(*p).is_some() {
            let named =
                states.iter().zip(&variables).map(|(state, variable)| format!("{}={}", variable.name, variable.states[*state as usize]));
            let named = named.collect::<Vec<_>>().join(", ");
            return Err(Error::unfit(format!("row {}: {named} is there twice", row + 1), "give every combination of states one row"));
        }
    }
    JointTable::new(variables, cells.into_iter().map(Option::unwrap_or_default).collect()).map_err(|e| match e {
        HypothesisError::SumNotOne { .. } => {
            Error::unfit(e.to_string(), "the probabilities of all combinations sum to 1, and one that is not there has probability 0")
        }
        e => e.into(),
    })
}

/// No state.
const NONE: u32 = u32::MAX;

/// All rows of a small table, in their order.
#[derive(Clone)]
struct Rows {
    places: Vec<usize>,
    of_p: usize,
    codes: Vec<u32>,
    p: Vec<f64>,
}

impl SufficientStatistic for Rows {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        for row in 0..chunk.n_rows {
            for place in &self.places {
                let code = match chunk.columns.get(*place) {
                    Some(Column::Categorical { codes, .. }) => codes.get(row).map_or(NONE, |code| code as u32),
                    _ => NONE,
                };
                self.codes.push(code);
            }
            self.p.push(match chunk.columns.get(self.of_p) {
                Some(Column::Numeric(values)) => values[row],
                _ => f64::NAN,
            });
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.codes.extend(&other.codes);
        self.p.extend(&other.p);
        Ok(())
    }
}

impl Recode for Rows {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        let n = self.places.len().max(1);
        for (nth, code) in self.codes.iter_mut().enumerate() {
            let map: Option<&StateMap> = recoding.of(self.places[nth % n]);
            if let Some(to) = map.and_then(|map| map.to.get(*code as usize)) {
                *code = *to;
            }
        }
        Ok(())
    }
}
