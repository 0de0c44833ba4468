//! What is estimated from: columns of a table, or a few values by hand.

use std::path::PathBuf;

use belief::conjugate::Family;
use belief::{Chunk, Column, Observations, Recode, Recoding, Schema, ShapeMismatch, SufficientStatistic};
use data::{ColumnType, DataError, ReadOptions, Table, USUAL_MISSING};

use crate::Error;

/// Where the observations come from.
#[derive(Clone)]
pub enum Sample {
    /// Columns of a table: those that are estimated from, and those given for a regression.
    Files {
        /// The files.
        paths: Vec<PathBuf>,
        /// How they are read.
        read: Box<ReadOptions>,
        /// The columns.
        columns: Vec<String>,
        /// The inputs of a regression.
        given: Vec<String>,
    },
    /// Values of one column.
    Values(Vec<String>),
}

/// The observations, opened.
pub(super) struct Opened {
    /// The columns that are estimated from, and then those given.
    pub names: Vec<String>,
    pub remarks: Vec<String>,
    /// The states of the first column, where it has states.
    pub states: Vec<String>,
    rows: Rows,
}

enum Rows {
    Table { table: Box<Table>, places: Vec<usize> },
    Values(Vec<f64>),
}

/// A statistic of all rows, and what was left out.
#[derive(Clone, Debug)]
pub(super) struct Gathered<S> {
    pub statistic: S,
    /// Rows, each as often as its weight says.
    pub n: f64,
    pub n_missing: u64,
}

/// Rows in memory, with their weights.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    pub rows: Vec<Vec<f64>>,
    pub weights: Vec<f64>,
}

impl Sample {
    /// Opens the observations; `of_states` is whether the first column has states, and all others are numbers.
    pub(super) fn open(&self, of_states: bool) -> Result<Opened, Error> {
        match self {
            Sample::Values(values) => Opened::values(values, of_states),
            Sample::Files { paths, read, columns, given } => Opened::table(paths, read, columns, given, of_states),
        }
    }
}

impl Opened {
    fn values(values: &[String], of_states: bool) -> Result<Self, Error> {
        let is_missing = |text: &str| USUAL_MISSING.contains(&text);
        let mut states: Vec<String> = Vec::new();
        if of_states {
            states = values.iter().map(|v| v.trim().to_string()).filter(|v| !is_missing(v)).collect();
            states.sort_by(|a, b| belief::compare_states(a, b));
            states.dedup();
        }
        let read = |text: &String| {
            let text = text.trim();
            if is_missing(text) {
                return Ok(f64::NAN);
            }
            if of_states {
                return Ok(states.iter().position(|state| state == text).map_or(f64::NAN, |place| place as f64));
            }
            text.parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(|| {
                Error::unfit(format!("the value `{text}` is not a number"), "give numbers with commas between them, as in --values 3,4,5")
            })
        };
        let rows = values.iter().map(read).collect::<Result<Vec<f64>, Error>>()?;
        Ok(Self { names: vec!["value".into()], remarks: Vec::new(), states, rows: Rows::Values(rows) })
    }

    fn table(paths: &[PathBuf], read: &ReadOptions, columns: &[String], given: &[String], of_states: bool) -> Result<Self, Error> {
        let names = [columns, given].concat();
        let mut read = read.clone();
        let said_types = !read.types.is_empty();
        for (place, name) in names.iter().enumerate() {
            if names[..place].contains(name) || read.weight.as_ref() == Some(name) {
                return Err(Error::unfit(format!("the column `{name}` is named twice"), "a column plays one part"));
            }
            let kind = if of_states && place == 0 { ColumnType::Category } else { ColumnType::Numeric };
            read.types.push((name.clone(), kind));
        }
        let table = Table::open(paths, read).map_err(|e| match e {
            // The columns are named by a flag of their own, and the user has said nothing of types.
            DataError::Columns { what, hint } if !said_types => {
                DataError::Columns { what: what.replace("--types `", "the column `"), hint }
            }
            other => other,
        })?;
        // A pass that finds the states, so that codes mean the same in every later one.
        let (table, fold) = crate::widening(table, |table| Ok(table.fold(|_: &[usize]| ())?))?;
        let table = table.with_schema(fold.schema);
        let schema: &Schema = table.schema();
        let place = |name: &String| {
            let id = schema.find(name).ok_or_else(|| Error::unfit(format!("there is no column `{name}`"), "name a column of the table"))?;
            Ok(id.index())
        };
        let places = names.iter().map(place).collect::<Result<Vec<usize>, Error>>()?;
        let states = schema.variables()[places[0]].kind.states().map_or_else(Vec::new, |states| states.names().to_vec());
        let mut remarks = table.remarks().to_vec();
        if fold.report.n_skipped > 0 {
            let first = fold.report.first_skipped.as_deref().unwrap_or_default();
            remarks.push(format!(
                "{} skipped, the first at {first}",
                crate::remarks::counted(fold.report.n_skipped, "malformed row was", "malformed rows were")
            ));
        }
        Ok(Self { names, remarks, states, rows: Rows::Table { table: Box::new(table), places } })
    }

    /// The statistic of a family over all rows. `datum` makes an observation of a row's numbers; rows with a gap are left out.
    pub fn gather<F: Family>(&self, family: &F, datum: impl Fn(&[f64]) -> F::Datum + Sync) -> Result<Gathered<F::Statistic>, Error> {
        let blank = Gathering { family, datum: &datum, places: &[], seen: family.empty(), n: 0.0, n_missing: 0, fault: None };
        let done = match &self.rows {
            Rows::Table { table, places } => table.fold(|_: &[usize]| Gathering { places, ..blank.clone() })?.statistic,
            Rows::Values(values) => {
                let mut all = blank;
                (0..).zip(values).for_each(|(row, x)| all.add(row, &[*x], 1.0));
                all
            }
        };
        if let Some((row, why)) = done.fault {
            let column = if self.names.len() == 1 { format!("`{}`", self.names[0]) } else { "the columns".into() };
            let hint = format!("mend the row or leave it out, or choose another --family than {}", family.name());
            return Err(Error::unfit(format!("{column}, row {}: {why}", row + 1), hint));
        }
        Ok(Gathered { statistic: done.seen, n: done.n, n_missing: done.n_missing })
    }

    /// All rows without a gap, in memory.
    pub fn hold(&self) -> Result<Held, Error> {
        match &self.rows {
            Rows::Table { table, places } => Ok(table.fold(|_: &[usize]| Holding { places, held: Held::default() })?.statistic.held),
            Rows::Values(values) => {
                let rows: Vec<Vec<f64>> = values.iter().filter(|x| !x.is_nan()).map(|x| vec![*x]).collect();
                Ok(Held { weights: vec![1.0; rows.len()], rows })
            }
        }
    }

    /// How many rows there are, those with gaps among them.
    pub fn count_rows(&self) -> Result<u64, Error> {
        match &self.rows {
            Rows::Table { table, .. } => Ok(table.fold(|_: &[usize]| ())?.report.n_rows),
            Rows::Values(values) => Ok(values.len() as u64),
        }
    }

    /// How often each state of the first column was met, and how many rows have none.
    pub fn count_states(&self) -> Result<(Vec<f64>, u64), Error> {
        let held = match &self.rows {
            Rows::Table { table, places } => {
                let blank = Counting { place: places[0], counts: vec![0.0; self.states.len()], n_missing: 0 };
                let counted = table.fold(|_: &[usize]| blank.clone())?.statistic;
                return Ok((counted.counts, counted.n_missing));
            }
            Rows::Values(values) => values,
        };
        let mut counts = vec![0.0; self.states.len()];
        held.iter().filter(|x| !x.is_nan()).for_each(|x| counts[*x as usize] += 1.0);
        Ok((counts, held.iter().filter(|x| x.is_nan()).count() as u64))
    }
}

/// The cell of a row as a number, a state by its code; NaN where it is missing.
fn cell(column: &Column<'_>, row: usize) -> f64 {
    match column {
        Column::Numeric(numbers) => numbers[row],
        Column::Categorical { codes, .. } => codes.get(row).map_or(f64::NAN, |code| code as f64),
        _ => f64::NAN,
    }
}

/// A family's statistic as one of chunks.
struct Gathering<'f, F: Family, D> {
    family: &'f F,
    datum: &'f D,
    places: &'f [usize],
    seen: F::Statistic,
    n: f64,
    n_missing: u64,
    /// The first row that the family holds for impossible.
    fault: Option<(u64, String)>,
}

impl<F: Family, D> Clone for Gathering<'_, F, D> {
    fn clone(&self) -> Self {
        Self { seen: self.seen.clone(), fault: self.fault.clone(), ..*self }
    }
}

impl<F: Family, D: Fn(&[f64]) -> F::Datum> Gathering<'_, F, D> {
    fn add(&mut self, row: u64, cells: &[f64], weight: f64) {
        if cells.iter().any(|x| x.is_nan()) {
            self.n_missing += 1;
        } else if weight > 0.0 {
            match self.family.observe(&mut self.seen, &(self.datum)(cells), weight) {
                Ok(()) => self.n += weight,
                Err(e) if self.fault.is_none() => self.fault = Some((row, e.to_string())),
                Err(_) => {}
            }
        }
    }
}

impl<F: Family, D: Fn(&[f64]) -> F::Datum + Sync> SufficientStatistic for Gathering<'_, F, D> {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let mut cells = vec![0.0; self.places.len()];
        for row in 0..chunk.n_rows {
            cells.iter_mut().zip(self.places).for_each(|(x, place)| *x = cell(&chunk.columns[*place], row));
            self.add(chunk.first_row + row as u64, &cells, chunk.weights.map_or(1.0, |w| w[row]));
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.seen.merge(&other.seen)?;
        self.n += other.n;
        self.n_missing += other.n_missing;
        if self.fault.is_none() {
            self.fault.clone_from(&other.fault);
        }
        Ok(())
    }
}

impl<F: Family, D> Recode for Gathering<'_, F, D> {
    fn recode(&mut self, _: &Recoding) -> Result<(), ShapeMismatch> {
        Ok(())
    }
}

#[derive(Clone)]
struct Holding<'p> {
    places: &'p [usize],
    held: Held,
}

impl SufficientStatistic for Holding<'_> {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        for row in 0..chunk.n_rows {
            let cells: Vec<f64> = self.places.iter().map(|place| cell(&chunk.columns[*place], row)).collect();
            let weight = chunk.weights.map_or(1.0, |w| w[row]);
            if weight > 0.0 && !cells.iter().any(|x| x.is_nan()) {
                self.held.rows.push(cells);
                self.held.weights.push(weight);
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.held.rows.extend_from_slice(&other.held.rows);
        self.held.weights.extend_from_slice(&other.held.weights);
        Ok(())
    }
}

impl Recode for Holding<'_> {
    fn recode(&mut self, _: &Recoding) -> Result<(), ShapeMismatch> {
        Ok(())
    }
}

#[derive(Clone)]
struct Counting {
    place: usize,
    counts: Vec<f64>,
    n_missing: u64,
}

impl SufficientStatistic for Counting {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        for row in 0..chunk.n_rows {
            let x = cell(&chunk.columns[self.place], row);
            match self.counts.get_mut(x as usize).filter(|_| !x.is_nan()) {
                Some(count) => *count += chunk.weights.map_or(1.0, |w| w[row]),
                None => self.n_missing += 1,
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.counts.iter_mut().zip(&other.counts).for_each(|(a, b)| *a += b);
        self.n_missing += other.n_missing;
        Ok(())
    }
}

impl Recode for Counting {
    fn recode(&mut self, _: &Recoding) -> Result<(), ShapeMismatch> {
        Ok(())
    }
}
