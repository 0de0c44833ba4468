//! Examples: rows of a table held in memory, and the instances and labels they are.
//!
//! What concept learners need of the data is no sum: they look at rows again and again. So the rows themselves are the statistic,
//! encoded, column by column, in the order of the file.

use belief::{Chunk, Codes, Column, Recode, Recoding, ShapeMismatch, SufficientStatistic};

use super::{ConceptError, HypothesisSpace};

/// Encoded rows, in the order of the file. Merging puts one behind the other.
#[derive(Clone, Debug, Default)]
pub struct ExampleTable {
    columns: Vec<ExampleColumn>,
    /// The number of each row in the data, from 1.
    rows: Vec<u64>,
}

/// A column of an [`ExampleTable`].
#[derive(Clone, Debug)]
pub enum ExampleColumn {
    /// Not read, or neither states nor numbers.
    Absent,
    /// States by their codes.
    Codes(Vec<u32>),
    /// Numbers; NaN is missing.
    Numbers(Vec<f64>),
}

impl ExampleColumn {
    /// The code of a missing value.
    pub const MISSING: u32 = u32::MAX;
}

impl ExampleTable {
    /// The columns, one a variable of the schema.
    pub fn columns(&self) -> &[ExampleColumn] {
        &self.columns
    }

    /// The numbers of the rows in the data, from 1.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }
}

impl SufficientStatistic for ExampleTable {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let widened = |codes: &Codes<'_>| (0..codes.len()).map(|row| codes.get(row).map_or(ExampleColumn::MISSING, |c| c as u32)).collect();
        let column = |column: &Column<'_>| match column {
            Column::Categorical { codes, .. } => ExampleColumn::Codes(widened(codes)),
            Column::Numeric(numbers) => ExampleColumn::Numbers(numbers.to_vec()),
            Column::Absent | Column::Texts(_) => ExampleColumn::Absent,
        };
        let columns = chunk.columns.iter().map(column).collect();
        self.merge(&Self { columns, rows: (chunk.first_row + 1..).take(chunk.n_rows).collect() })
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        if other.rows.is_empty() {
            return Ok(());
        }
        if self.rows.is_empty() {
            self.clone_from(other);
            return Ok(());
        }
        ShapeMismatch::check("columns of the examples", self.columns.len(), other.columns.len())?;
        for (mine, theirs) in self.columns.iter_mut().zip(&other.columns) {
            match (mine, theirs) {
                (ExampleColumn::Codes(mine), ExampleColumn::Codes(theirs)) => mine.extend_from_slice(theirs),
                (ExampleColumn::Numbers(mine), ExampleColumn::Numbers(theirs)) => mine.extend_from_slice(theirs),
                (ExampleColumn::Absent, ExampleColumn::Absent) => {}
                // Another file lacks the column: its rows have no value there.
                (ExampleColumn::Codes(mine), ExampleColumn::Absent) => mine.extend(other.rows.iter().map(|_| ExampleColumn::MISSING)),
                (ExampleColumn::Numbers(mine), ExampleColumn::Absent) => mine.extend(other.rows.iter().map(|_| f64::NAN)),
                (mine @ ExampleColumn::Absent, ExampleColumn::Codes(theirs)) => {
                    *mine = ExampleColumn::Codes(self.rows.iter().map(|_| ExampleColumn::MISSING).chain(theirs.iter().copied()).collect());
                }
                (mine @ ExampleColumn::Absent, ExampleColumn::Numbers(theirs)) => {
                    *mine = ExampleColumn::Numbers(self.rows.iter().map(|_| f64::NAN).chain(theirs.iter().copied()).collect());
                }
                _ => return Err(ShapeMismatch { what: "kind of a column of the examples", expected: 0, found: 1 }),
            }
        }
        self.rows.extend_from_slice(&other.rows);
        Ok(())
    }
}

impl Recode for ExampleTable {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        for (place, column) in self.columns.iter_mut().enumerate() {
            let (ExampleColumn::Codes(codes), Some(map)) = (column, recoding.of(place)) else { continue };
            for code in codes.iter_mut().filter(|code| **code != ExampleColumn::MISSING) {
                let new = map.to.get(*code as usize);
                *code = *new.ok_or(ShapeMismatch { what: "states of a column", expected: map.to.len(), found: *code as usize })?;
            }
        }
        Ok(())
    }
}

/// Instances with their labels: the training examples D, each an ⟨x, c(x)⟩.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examples {
    n_attributes: usize,
    /// Instance after instance.
    places: Vec<u32>,
    positive: Vec<bool>,
    rows: Vec<u64>,
}

/// One training example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example<'e> {
    /// Where its values stand.
    pub instance: &'e [u32],
    /// c(x): whether it is an example of the concept.
    pub positive: bool,
    /// Its row in the data, from 1.
    pub row: u64,
}

impl Examples {
    /// No examples of so many attributes.
    pub fn new(n_attributes: usize) -> Self {
        Self { n_attributes, places: Vec::new(), positive: Vec::new(), rows: Vec::new() }
    }

    /// The examples of a table: `label` tells of each row whether it is positive, or nothing where that is not known. Rows with a gap
    /// in an attribute say nothing certain; they are left out, and so are rows without a label. The numbers left out come back.
    pub fn of(space: &HypothesisSpace, table: &ExampleTable, label: impl Fn(usize) -> Option<bool>) -> (Self, LeftOutRows) {
        let mut examples = Self::new(space.attributes().len());
        let mut left_out = LeftOutRows::default();
        for (at, row) in table.rows().iter().enumerate() {
            match (label(at), space.instance(table, at)) {
                (None, _) => left_out.without_label += 1,
                (_, Err(_)) => left_out.with_gaps += 1,
                (Some(positive), Ok(instance)) => examples.push(&instance, positive, *row),
            }
        }
        (examples, left_out)
    }

    /// Adds an example.
    ///
    /// # Panics
    /// When the instance has not a place for each attribute.
    pub fn push(&mut self, instance: &[u32], positive: bool, row: u64) {
        assert_eq!(instance.len(), self.n_attributes, "an instance has a value of each attribute");
        self.places.extend_from_slice(instance);
        self.positive.push(positive);
        self.rows.push(row);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many are positive.
    pub fn n_positive(&self) -> usize {
        self.positive.iter().filter(|positive| **positive).count()
    }

    /// One of them, counted from 0.
    pub fn get(&self, at: usize) -> Example<'_> {
        let instance = &self.places[at * self.n_attributes..(at + 1) * self.n_attributes];
        Example { instance, positive: self.positive[at], row: self.rows[at] }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Example<'_>> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// The instances of one label, in order.
    pub(crate) fn instances(&self, positive: bool) -> impl Iterator<Item = &[u32]> {
        self.iter().filter(move |example| example.positive == positive).map(|example| example.instance)
    }

    /// The first two examples that say opposite things of one instance.
    pub fn contradiction(&self) -> Option<ConceptError> {
        let mut first: std::collections::HashMap<&[u32], Example<'_>> = std::collections::HashMap::with_capacity(self.len());
        for example in self.iter() {
            let before = first.entry(example.instance).or_insert(example);
            if before.positive != example.positive {
                return Some(ConceptError::Contradiction { row: example.row, earlier: before.row, positive: example.positive });
            }
        }
        None
    }
}

/// Rows that are no examples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOutRows {
    /// Rows without a label.
    pub without_label: u64,
    /// Rows that have a label and lack a value.
    pub with_gaps: u64,
}
