//! One case given by hand: `Outlook=Sunny Wind=Strong`.

use belief::{Chunk, Codes, Column, Kind, Observations, Recode, Recoding, Role, Schema, ShapeMismatch, SufficientStatistic, VarId};
use data::{DataError, USUAL_MISSING, closest};

use crate::Error;
use crate::remarks::counted;

/// One row, encoded by a schema.
#[derive(Clone, Debug)]
pub struct Case {
    codes: Vec<Option<u32>>,
    numbers: Vec<Option<f64>>,
    n_states: Vec<usize>,
    /// Values that are no known state and are left out.
    pub unknown: Vec<(String, String)>,
}

impl Case {
    /// Reads `name=value` pairs.
    ///
    /// # Errors
    /// When a pair has no `=`, names no column, repeats one, or gives a numeric column something else than a number.
    pub fn parse(schema: &Schema, pairs: &[String]) -> Result<Self, Error> {
        let n = schema.variables().len();
        let mut case = Self { codes: vec![None; n], numbers: vec![None; n], n_states: schema.cardinalities(), unknown: Vec::new() };
        let mut given = vec![false; n];
        for pair in pairs {
            // A name may hold the sign itself: the longest that is a column's is meant.
            let mut splits = pair.match_indices('=').map(|(at, _)| (pair[..at].trim(), pair[at + 1..].trim()));
            let (name, value) = splits
                .clone()
                .rfind(|(name, _)| schema.find(name).is_some())
                .or_else(|| splits.next())
                .ok_or_else(|| Error::unfit(format!("`{pair}` is not a value"), "write NAME=VALUE, as in Outlook=Sunny"))?;
            let id = schema.find(name).ok_or_else(|| {
                let near = closest(name, schema.variables().iter().map(|v| v.name.as_str()));
                let names: Vec<&str> = schema.variables().iter().take(20).map(|v| v.name.as_str()).collect();
                Error::Unfit {
                    what: format!("the model has no column `{name}`"),
                    hint: Some(near.map_or(format!("its columns are: {}", names.join(", ")), |n| format!("did you mean `{n}`?"))),
                }
            })?;
            let place = id.index();
            let variable = schema.variable(id);
            if std::mem::replace(&mut given[place], true) {
                return Err(Error::unfit(format!("`{name}` is given twice"), "give each column once"));
            }
            if let Role::Ignored(reason) = &variable.role {
                return Err(Error::unfit(format!("the model does not use `{name}`: {reason}"), "leave it out"));
            }
            if variable.role == Role::Target {
                return Err(Error::unfit(format!("`{name}` is what the model predicts, and no evidence for itself"), "leave it out"));
            }
            let is_missing = USUAL_MISSING.contains(&value);
            match &variable.kind {
                Kind::Categorical(states) => match states.find(value) {
                    Some(state) => case.codes[place] = Some(state as u32),
                    None if is_missing => {}
                    None => {
                        // Beyond the states that are known.
                        case.codes[place] = Some(states.len() as u32);
                        case.unknown.push((name.into(), value.into()));
                    }
                },
                Kind::Numeric if !is_missing => {
                    let number = value.parse::<f64>().ok().filter(|x| x.is_finite());
                    case.numbers[place] = Some(
                        number
                            .ok_or_else(|| Error::unfit(format!("`{name}` is numeric, and `{value}` is not a number"), "give a number"))?,
                    );
                }
                _ => {}
            }
        }
        Ok(case)
    }

    /// Takes one row out of a table, by its number from 1.
    ///
    /// # Errors
    /// When the table cannot be read or has not so many rows.
    pub fn of_row<O: Observations<Error = DataError>>(rows: &O, number: u64) -> Result<Self, Error> {
        let row = number.checked_sub(1).ok_or_else(|| Error::unfit("there is no row 0", "rows count from 1"))?;
        let chunks = rows.fold(|_: &[usize]| Pick { wanted: None, found: None, chunks: Vec::new() })?.statistic.chunks;
        let mut before = 0;
        for (first_row, n_rows) in chunks {
            if row < before + n_rows as u64 {
                let wanted = Some((first_row, (row - before) as usize));
                let found = rows.fold(|_: &[usize]| Pick { wanted, found: None, chunks: Vec::new() })?.statistic.found;
                return found.ok_or_else(|| Error::Internal("a row was there once, and not again".into()));
            }
            before += n_rows as u64;
        }
        let rows = counted(before, "row", "rows");
        Err(Error::unfit(format!("there is no row {number}: the data have {rows}"), "rows count from 1"))
    }

    fn of_chunk(chunk: &Chunk<'_>, row: usize) -> Self {
        let n = chunk.columns.len();
        let mut case = Self { codes: vec![None; n], numbers: vec![None; n], n_states: vec![0; n], unknown: Vec::new() };
        for (place, column) in chunk.columns.iter().enumerate() {
            match column {
                Column::Absent => {}
                Column::Categorical { codes, n_states } => {
                    case.codes[place] = codes.get(row).map(|code| code as u32);
                    case.n_states[place] = *n_states;
                }
                Column::Numeric(numbers) => case.numbers[place] = Some(numbers[row]).filter(|x| !x.is_nan()),
            }
        }
        case
    }

    /// The state of a variable, if it is observed.
    pub fn state<'s>(&self, schema: &'s Schema, id: VarId) -> Option<&'s str> {
        let code = self.codes[id.index()]?;
        schema.states(id)?.names().get(code as usize).map(String::as_str)
    }

    /// The number of a variable, if it is observed.
    pub fn number(&self, id: VarId) -> Option<f64> {
        self.numbers[id.index()]
    }

    /// Lends the case as a chunk of one row.
    pub fn lend<R>(&self, see: impl FnOnce(&Chunk<'_>) -> R) -> R {
        let codes: Vec<[u32; 1]> = self.codes.iter().map(|c| [c.unwrap_or(u32::MAX)]).collect();
        let numbers: Vec<[f64; 1]> = self.numbers.iter().map(|x| [x.unwrap_or(f64::NAN)]).collect();
        let columns: Vec<Column<'_>> = (0..codes.len())
            .map(|place| {
                if self.codes[place].is_some() || self.n_states[place] > 0 {
                    Column::Categorical { codes: Codes::U32(&codes[place]), n_states: self.n_states[place] }
                } else {
                    Column::Numeric(&numbers[place])
                }
            })
            .collect();
        see(&Chunk { first_row: 0, n_rows: 1, columns: &columns, weights: None })
    }
}

/// A statistic that keeps one row, or finds out where it is: rows that were skipped leave gaps in the chunks' own numbers.
#[derive(Clone)]
struct Pick {
    /// The chunk that starts at this row, and the row's place in it.
    wanted: Option<(u64, usize)>,
    found: Option<Case>,
    /// The first row and the number of rows of every chunk.
    chunks: Vec<(u64, usize)>,
}

impl SufficientStatistic for Pick {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        self.chunks.push((chunk.first_row, chunk.n_rows));
        if let Some((_, within)) = self.wanted.filter(|(first_row, _)| *first_row == chunk.first_row) {
            self.found = Some(Case::of_chunk(&chunk, within));
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.chunks.extend_from_slice(&other.chunks);
        if self.found.is_none() {
            self.found.clone_from(&other.found);
        }
        Ok(())
    }
}

impl Recode for Pick {
    fn recode(&mut self, _: &Recoding) -> Result<(), ShapeMismatch> {
        Ok(())
    }
}
