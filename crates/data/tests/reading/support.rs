//! What the tests share: files that vanish, a statistic that remembers every cell, and one that counts.

use std::path::PathBuf;

use belief::{
    Chunk, ClassMoments, Codes, Column, Fold, JointCounts, Kind, Observations, Recode, Recoding, Role, Schema, ShapeMismatch,
    SufficientStatistic,
};
use tunbridge_data::{ColumnType, DataError, ReadOptions, Table};

/// A folder that vanishes with its files.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and tells where it is.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Writes a file and opens it as a table.
    pub fn table(&self, name: &str, bytes: impl AsRef<[u8]>, options: ReadOptions) -> Result<Table, DataError> {
        Table::open(&[self.file(name, bytes)], options)
    }
}

/// A table whose file stays as long as it does.
pub struct Opened {
    table: Table,
    _folder: Folder,
}

impl std::ops::Deref for Opened {
    type Target = Table;
    fn deref(&self) -> &Table {
        &self.table
    }
}

/// Writes a file and opens it as a table.
pub fn open(name: &str, bytes: impl AsRef<[u8]>, options: ReadOptions) -> Result<Opened, DataError> {
    let folder = Folder::new();
    Ok(Opened { table: folder.table(name, bytes, options)?, _folder: folder })
}

/// Reads a text as `name` with these options, all cells decoded.
pub fn read(name: &str, bytes: impl AsRef<[u8]>, options: ReadOptions) -> Result<Decoded, DataError> {
    decoded(&*open(name, bytes, options)?)
}

/// Every column is states.
pub fn all_states() -> ReadOptions {
    ReadOptions { types: vec![("*".into(), ColumnType::Category)], threads: 1, ..ReadOptions::default() }
}

pub fn on_threads(threads: usize) -> ReadOptions {
    ReadOptions { threads, ..ReadOptions::default() }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// The numbers of a small congruential generator (Knuth, TAOCP 2, section 3.3.4): large tables need no shrinking.
pub struct Draws(pub u64);

impl Draws {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (((self.0 >> 33) as usize) * n) >> 31
    }
}

/// One cell as a statistic sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cell {
    Missing,
    State(u32),
    Number(f64),
}

/// A statistic that forgets nothing: every cell of every row.
#[derive(Clone, Debug)]
pub struct Rows {
    numbers: Vec<u64>,
    weights: Vec<f64>,
    columns: Vec<Vec<Cell>>,
}

impl SufficientStatistic for Rows {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("columns", self.columns.len(), chunk.columns.len())?;
        for row in 0..chunk.n_rows {
            self.numbers.push(chunk.first_row + row as u64);
            self.weights.push(chunk.weights.map_or(1.0, |w| w[row]));
        }
        for (seen, column) in self.columns.iter_mut().zip(chunk.columns) {
            match column {
                Column::Absent | Column::Texts(_) => seen.extend(std::iter::repeat_n(Cell::Missing, chunk.n_rows)),
                Column::Categorical { codes, n_states } => {
                    ShapeMismatch::check("rows", chunk.n_rows, codes.len())?;
                    for row in 0..chunk.n_rows {
                        let code = codes.get(row);
                        assert!(code.is_none_or(|code| code < *n_states), "a code outside its states");
                        seen.push(code.map_or(Cell::Missing, |code| Cell::State(code as u32)));
                    }
                }
                Column::Numeric(numbers) => {
                    ShapeMismatch::check("rows", chunk.n_rows, numbers.len())?;
                    seen.extend(numbers.iter().map(|x| if x.is_nan() { Cell::Missing } else { Cell::Number(*x) }));
                }
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.numbers.extend(&other.numbers);
        self.weights.extend(&other.weights);
        self.columns.iter_mut().zip(&other.columns).for_each(|(mine, theirs)| mine.extend(theirs));
        Ok(())
    }
}

impl Recode for Rows {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        for (place, cells) in self.columns.iter_mut().enumerate() {
            let Some(map) = recoding.of(place) else { continue };
            for cell in cells {
                if let Cell::State(code) = cell {
                    *code = map.to[*code as usize];
                }
            }
        }
        Ok(())
    }
}

/// Every cell of a table as text, `None` where it is missing.
#[derive(Debug)]
pub struct Decoded {
    pub fold: Fold<Rows>,
    pub rows: Vec<Vec<Option<String>>>,
}

impl Decoded {
    /// One column, top to bottom.
    pub fn column(&self, name: &str) -> Vec<Option<&str>> {
        let place = self.fold.schema.find(name).unwrap().index();
        self.rows.iter().map(|row| row[place].as_deref()).collect()
    }

    pub fn numbers(&self) -> &[u64] {
        &self.fold.statistic.numbers
    }

    pub fn weights(&self) -> &[f64] {
        &self.fold.statistic.weights
    }

    pub fn states(&self, name: &str) -> &[String] {
        states(&self.fold.schema, name)
    }
}

pub fn states<'s>(schema: &'s Schema, name: &str) -> &'s [String] {
    schema.states(schema.find(name).unwrap()).unwrap().names()
}

pub fn kind<'s>(table: &'s Table, name: &str) -> &'s str {
    table.schema().variable(table.schema().find(name).unwrap()).kind.word()
}

pub fn role<'s>(table: &'s Table, name: &str) -> &'s Role {
    &table.schema().variable(table.schema().find(name).unwrap()).role
}

/// Folds a table into all its cells.
pub fn decoded(table: &Table) -> Result<Decoded, DataError> {
    let n = table.schema().variables().len();
    let fold = table.fold(|_| Rows { numbers: Vec::new(), weights: Vec::new(), columns: vec![Vec::new(); n] })?;
    let text = |variable: usize, row: usize| match fold.statistic.columns[variable][row] {
        Cell::Missing => None,
        Cell::State(code) => match &fold.schema.variables()[variable].kind {
            Kind::Categorical(states) => Some(states.names()[code as usize].clone()),
            other => panic!("a state of a {} column", other.word()),
        },
        Cell::Number(x) => Some(x.to_string()),
    };
    let rows = (0..fold.statistic.numbers.len()).map(|row| (0..n).map(|variable| text(variable, row)).collect()).collect();
    Ok(Decoded { fold, rows })
}

/// Counts and moments of every column, seen class by class: what naive Bayes asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    class: Option<usize>,
    pub columns: Vec<Counted>,
}

/// The statistic of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Counted {
    Nothing,
    States(JointCounts),
    Numbers(ClassMoments),
}

impl Counts {
    /// Nothing counted, for these numbers of states; without a target all rows are of one class.
    pub fn empty(schema: &Schema, n_states: &[usize]) -> Self {
        let class = schema.target().map(|t| t.index());
        let n_classes = class.map_or(1, |class| n_states[class]);
        let columns = schema
            .variables()
            .iter()
            .zip(n_states)
            .map(|(variable, &n)| match (&variable.role, &variable.kind) {
                (Role::Ignored(_), _) => Counted::Nothing,
                (_, Kind::Categorical(_)) => Counted::States(JointCounts::empty(n_classes, n)),
                (_, Kind::Numeric) => Counted::Numbers(ClassMoments::empty(n_classes)),
                _ => Counted::Nothing,
            })
            .collect();
        Self { class, columns }
    }
}

impl SufficientStatistic for Counts {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("columns", self.columns.len(), chunk.columns.len())?;
        let one_class = vec![0_u8; chunk.n_rows];
        let classes = match self.class.map(|class| chunk.columns[class]) {
            Some(Column::Categorical { codes, .. }) => codes,
            _ => Codes::U8(&one_class),
        };
        for (counted, column) in self.columns.iter_mut().zip(chunk.columns) {
            match (counted, column) {
                (Counted::States(counts), Column::Categorical { codes, n_states }) => {
                    ShapeMismatch::check("states", counts.n_states(), *n_states)?;
                    counts.observe(classes, *codes, chunk.weights)?;
                }
                (Counted::Numbers(moments), Column::Numeric(numbers)) => moments.observe(classes, numbers, chunk.weights)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        for (mine, theirs) in self.columns.iter_mut().zip(&other.columns) {
            match (mine, theirs) {
                (Counted::States(mine), Counted::States(theirs)) => mine.merge(theirs)?,
                (Counted::Numbers(mine), Counted::Numbers(theirs)) => mine.merge(theirs)?,
                _ => {}
            }
        }
        Ok(())
    }
}

impl Recode for Counts {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        let classes = self.class.and_then(|class| recoding.of(class));
        for (place, counted) in self.columns.iter_mut().enumerate() {
            match counted {
                Counted::Nothing => {}
                Counted::States(counts) => counts.recode(classes, recoding.of(place))?,
                Counted::Numbers(moments) => moments.recode(classes)?,
            }
        }
        Ok(())
    }
}

/// Folds a table into its counts.
pub fn counted(table: &Table) -> Result<Fold<Counts>, DataError> {
    table.fold(|n_states| Counts::empty(table.schema(), n_states))
}

/// The row or line a fault is at, and what it says.
pub fn fault_at(error: &DataError) -> (u64, String) {
    match error {
        DataError::BadRow { place, fault } => (place.line, fault.to_string()),
        DataError::Contradiction(all) => (all[0].place.line, all[0].found.clone()),
        other => panic!("not the fault of a row: {other}"),
    }
}

/// How often each state of a column was seen, with its name.
pub fn totals(fold: &Fold<Counts>, name: &str) -> Vec<(String, f64)> {
    let place = fold.schema.find(name).unwrap().index();
    let Counted::States(counts) = &fold.statistic.columns[place] else { panic!("`{name}` was not counted") };
    states(&fold.schema, name).iter().enumerate().map(|(state, name)| (name.clone(), counts.state_total(state))).collect()
}
