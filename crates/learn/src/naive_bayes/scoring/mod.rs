//! The inner loops: ln P(x | class) of blocks of rows, one column after another.
//!
//! A block of rows has two sheets of scores that stay in the first-level cache. States are looked up row by row, all classes side
//! by side, in a sheet of rows. Numbers go class by class over the rows, which the compiler turns into vector instructions, in a
//! sheet of classes. The two are added when the block is done.
//!
//! [`states`], [`numbers`] and [`texts`] have the loops of each kind of column.

mod numbers;
mod states;
mod texts;

use std::borrow::Borrow;
use std::ops::Range;

use belief::{BinCodes, Chunk, Codes, Column, ShapeMismatch, bin_of, for_codes};

use self::numbers::{BellColumn, add_bells};
use self::states::{StateColumn, add_states};
use self::texts::TextColumn;
use super::posterior::NaiveBayes;
use super::remark::LeftOut;

pub(crate) use self::numbers::{BellScores, StudentScores};
pub(crate) use self::states::StateTable;
pub(crate) use self::texts::BagTable;

/// What scores one column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scorer {
    LeftOut(LeftOut),
    States(StateTable),
    Bins(Vec<f64>, StateTable),
    Bell(Vec<BellScores>),
    Student(Vec<StudentScores>),
    Words(BagTable),
}

/// Whether these columns can be scored: each is absent or of its kind, and all have as many rows as the chunk.
pub(crate) fn check_chunk<S: Borrow<Scorer>>(scorers: &[S], chunk: &Chunk<'_>) -> Result<(), ShapeMismatch> {
    ShapeMismatch::check("columns", scorers.len(), chunk.columns.len())?;
    for (scorer, column) in scorers.iter().zip(chunk.columns) {
        match (scorer.borrow(), column) {
            (Scorer::LeftOut(_), _) | (_, Column::Absent) => {}
            (Scorer::States(_), Column::Categorical { codes, .. }) => {
                ShapeMismatch::check("rows of a column", chunk.n_rows, codes.len())?;
            }
            (Scorer::Bins(..) | Scorer::Bell(_) | Scorer::Student(_), Column::Numeric(values)) => {
                ShapeMismatch::check("rows of a column", chunk.n_rows, values.len())?;
            }
            (Scorer::Words(_), Column::Texts(texts)) => ShapeMismatch::check("rows of a column", chunk.n_rows, texts.len())?,
            (Scorer::Words(_), _) => {
                return Err(ShapeMismatch { what: "columns of texts where words were learned", expected: 1, found: 0 });
            }
            (Scorer::States(_), _) => {
                return Err(ShapeMismatch { what: "columns of states where states were learned", expected: 1, found: 0 });
            }
            _ => return Err(ShapeMismatch { what: "columns of numbers where numbers were learned", expected: 1, found: 0 }),
        }
    }
    Ok(())
}

/// For every row and class `start[class]` + Σ ln P(x | class), row by row with the classes within. The chunk has been checked.
pub(crate) fn score<S: Borrow<Scorer>>(scorers: &[S], start: &[f64], chunk: &Chunk<'_>, out: &mut Vec<f64>) {
    let n_classes = start.len();
    out.clear();
    out.resize(chunk.n_rows * n_classes, 0.0);
    let stride = stride_of(n_classes);
    let block = (SHEET / stride).clamp(64, 1024);
    let mut sheets = Sheets { by_row: vec![0.0; block * stride], by_class: Vec::new(), bins: BinCodes::default() };
    if scorers.iter().any(|s| matches!(s.borrow(), Scorer::Bell(_) | Scorer::Student(_))) {
        sheets.by_class = vec![0.0; block * n_classes];
    }
    let mut steps = steps(scorers, chunk);
    for (nth, out) in out.chunks_mut(block * n_classes).enumerate() {
        let rows = nth * block..(nth * block + out.len() / n_classes);
        sheets.by_row.fill(0.0);
        sheets.by_class.fill(0.0);
        for step in &mut steps {
            match step {
                Step::States(columns) => add_states(columns, rows.clone(), &mut sheets.by_row),
                Step::Bells(columns) => add_bells(columns, rows.clone(), &mut sheets.by_class),
                Step::Texts(texts) => texts.add(rows.clone(), &mut sheets.by_row),
                Step::Column(scorer, column) => sheets.add(scorer, column, rows.clone()),
            }
        }
        sheets.finish(start, rows.len(), out);
    }
}

/// What is added to the scores of a block at once.
enum Step<'c> {
    States([StateColumn<'c>; AT_ONCE]),
    Bells([BellColumn<'c>; AT_ONCE]),
    Texts(TextColumn<'c>),
    Column(&'c Scorer, &'c Column<'c>),
}

/// Columns of few states, or of bells, that are added together: the scores of a row are read and written once for all of them.
const AT_ONCE: usize = 4;

/// The columns that say something, in their order.
fn steps<'c, S: Borrow<Scorer>>(scorers: &'c [S], chunk: &Chunk<'c>) -> Vec<Step<'c>> {
    let columns = scorers.iter().map(S::borrow).zip(chunk.columns);
    let columns: Vec<_> =
        columns.filter(|(scorer, column)| !matches!((scorer, column), (Scorer::LeftOut(_), _) | (_, Column::Absent))).collect();
    let (mut steps, mut rest) = (Vec::new(), &columns[..]);
    while let Some(((scorer, column), others)) = rest.split_first() {
        let together = rest.first_chunk().and_then(|columns| {
            let states = all(columns.map(|(scorer, column)| StateColumn::new(scorer, column))).map(Step::States);
            states.or_else(|| all(columns.map(|(scorer, column)| BellColumn::new(scorer, column))).map(Step::Bells))
        });
        rest = if together.is_some() { &rest[AT_ONCE..] } else { others };
        steps.push(together.unwrap_or_else(|| match (scorer, column) {
            (Scorer::Words(table), Column::Texts(texts)) => Step::Texts(TextColumn::new(table, *texts)),
            _ => Step::Column(scorer, column),
        }));
    }
    steps
}

/// All of some, if none is missing.
fn all<T>(four: [Option<T>; AT_ONCE]) -> Option<[T; AT_ONCE]> {
    match four {
        [Some(a), Some(b), Some(c), Some(d)] => Some([a, b, c, d]),
        _ => None,
    }
}

/// Cells of one sheet: 32 KiB.
const SHEET: usize = 4096;

struct Sheets {
    by_row: Vec<f64>,
    /// Empty where no column needs it.
    by_class: Vec<f64>,
    bins: BinCodes,
}

impl Sheets {
    fn add(&mut self, scorer: &Scorer, column: &Column<'_>, rows: Range<usize>) {
        let n_rows = rows.len();
        match (scorer, column) {
            (Scorer::States(table), Column::Categorical { codes, .. }) => {
                for_codes!(codes, codes => table.add(&codes[rows], &mut self.by_row))
            }
            (Scorer::Bins(cuts, table), Column::Numeric(values)) => {
                for_codes!(self.bins.fill(cuts, &values[rows]), codes => table.add(codes, &mut self.by_row));
            }
            (Scorer::Bell(_), Column::Numeric(_)) => {
                let column = BellColumn::new(scorer, column);
                add_bells(column.as_slice(), rows, &mut self.by_class);
            }
            (Scorer::Student(classes), Column::Numeric(values)) => {
                for (class, scores) in classes.iter().zip(self.by_class.chunks_exact_mut(n_rows)) {
                    class.add(&values[rows.clone()], scores);
                }
            }
            _ => {}
        }
    }

    fn finish(&self, start: &[f64], n_rows: usize, out: &mut [f64]) {
        let n_classes = start.len();
        let by_row = self.by_row.chunks_exact(stride_of(n_classes));
        for ((row, out), scores) in out.chunks_exact_mut(n_classes).enumerate().zip(by_row) {
            for (class, out) in out.iter_mut().enumerate() {
                let of_numbers = self.by_class.get(class * n_rows + row).copied().unwrap_or(0.0);
                *out = start[class] + scores[class] + of_numbers;
            }
        }
    }
}

/// Classes side by side, in pairs for the vector unit; beyond sixteen in fours.
pub(crate) fn stride_of(n_classes: usize) -> usize {
    if n_classes <= 16 { n_classes.next_multiple_of(2).max(2) } else { n_classes.next_multiple_of(4) }
}

impl NaiveBayes {
    /// Of each row, whether it says nothing that the model knows: the class prior alone is then the answer. The columns must be
    /// those of the schema.
    ///
    /// # Errors
    /// When they are not.
    pub fn without_evidence(&self, chunk: &Chunk<'_>) -> Result<Vec<bool>, ShapeMismatch> {
        check_chunk(self.scorers(), chunk)?;
        let says = |row: usize| self.scorers().iter().zip(chunk.columns).any(|(scorer, column)| scorer.says(column, row));
        Ok((0..chunk.n_rows).map(|row| !says(row)).collect())
    }
}

impl Scorer {
    /// Whether the value in this row says anything. The column has been checked.
    fn says(&self, column: &Column<'_>, row: usize) -> bool {
        match (self, column) {
            (Scorer::Words(table), Column::Texts(texts)) => {
                let words = texts.words(row);
                !words.is_empty() && (table.once || words.iter().any(|word| table.words.is_known(*word as usize)))
            }
            _ => self.of_row(column, row).is_ok(),
        }
    }

    /// What the value in this row says of every class, or why it says nothing. The column has been checked.
    pub(crate) fn of_row(&self, column: &Column<'_>, row: usize) -> Result<Vec<f64>, LeftOut> {
        let of_state = |table: &StateTable, state: Option<usize>| {
            table.of_state(state.ok_or(LeftOut::Missing)?).map(<[f64]>::to_vec).ok_or(LeftOut::UnknownState)
        };
        match (self, column) {
            (Scorer::LeftOut(why), _) => Err(*why),
            (_, Column::Absent) => Err(LeftOut::NotRead),
            (Scorer::States(table), Column::Categorical { codes, .. }) => of_state(table, codes.get(row)),
            (Scorer::Bins(cuts, table), Column::Numeric(values)) => of_state(table, bin_of(cuts, values[row])),
            (Scorer::Words(table), Column::Texts(texts)) => {
                let words = texts.words(row);
                if words.is_empty() {
                    return Err(LeftOut::Missing);
                }
                if !words.iter().any(|word| table.words.is_known(*word as usize)) && !table.once {
                    return Err(LeftOut::NoKnownWord);
                }
                let mut scores = vec![0.0; stride_of(table.every_text.len())];
                table.add(words, None, &mut scores);
                scores.truncate(table.every_text.len());
                Ok(scores)
            }
            (Scorer::Bell(_) | Scorer::Student(_), Column::Numeric(values)) if values[row].is_nan() => Err(LeftOut::Missing),
            (Scorer::Bell(classes), Column::Numeric(values)) => Ok(classes.iter().map(|class| class.ln(values[row])).collect()),
            (Scorer::Student(classes), Column::Numeric(values)) => Ok(classes.iter().map(|class| class.ln(values[row])).collect()),
            _ => Err(LeftOut::NotRead),
        }
    }
}

/// The state of a row in a column of codes, or the bin of its number.
pub(crate) fn state_of_row(column: &Column<'_>, cuts: Option<&[f64]>, row: usize) -> Option<usize> {
    match (column, cuts) {
        (Column::Categorical { codes, .. }, _) => Codes::get(codes, row),
        (Column::Numeric(values), Some(cuts)) => bin_of(cuts, values[row]),
        _ => None,
    }
}
