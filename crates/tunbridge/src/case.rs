//! One case given by hand: `Outlook=Sunny Wind=Strong`.

use belief::{
    Chunk, Codes, Column, Kind, Observations, ReadReport, Recode, Recoding, Role, Schema, ShapeMismatch, SufficientStatistic, Texts, VarId,
    Variable, bin_of,
};
use data::words::{MarkedText, Tokenizer, Words};
use data::{DataError, Table, USUAL_MISSING, closest};

use crate::remarks::counted;
use crate::{Error, Recipe};

/// One row, encoded by a schema.
#[derive(Clone, Debug)]
pub struct Case {
    cells: Vec<Cell>,
    /// Values that are no known state and are left out.
    pub unknown: Vec<(String, String)>,
    /// The texts as they were given, if they were kept.
    texts: Vec<(VarId, Given)>,
}

/// A text before words are made of it.
#[derive(Clone, Debug)]
enum Given {
    /// By hand: only markup is taken out of it.
    Typed(String),
    /// In a file: it is decoded, unpacked and stripped first.
    Read(Vec<u8>),
}

/// What a column says of the row.
#[derive(Clone, Debug)]
enum Cell {
    /// The column was not read.
    Absent,
    State {
        code: Option<u32>,
        n_states: usize,
    },
    Number(Option<f64>),
    Text {
        words: Vec<u32>,
        n_words: usize,
    },
}

impl Case {
    /// Reads `name=value` pairs.
    ///
    /// # Errors
    /// When a pair has no `=`, names no column, repeats one, or gives a numeric column something else than a number.
    pub fn parse(schema: &Schema, pairs: &[String]) -> Result<Self, Error> {
        Self::parse_with(schema, pairs, &Recipe::default())
    }

    /// The same read as a recipe says: markers of a missing value besides the usual ones, a way to make words of texts, and numbers cut into
    /// bins.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_with(schema: &Schema, pairs: &[String], recipe: &Recipe) -> Result<Self, Error> {
        let Recipe { missing, words, .. } = recipe;
        let blank = |variable: &Variable| match &variable.kind {
            Kind::Categorical(states) => Cell::State { code: None, n_states: states.len() },
            Kind::Text(words) => Cell::Text { words: Vec::new(), n_words: words.len() },
            _ => Cell::Number(None),
        };
        let mut case = Self { cells: schema.variables().iter().map(blank).collect(), unknown: Vec::new(), texts: Vec::new() };
        let mut given = vec![false; case.cells.len()];
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
            if missing.iter().any(|marker| marker == value) {
                continue;
            }
            let is_missing = USUAL_MISSING.contains(&value);
            let not_a_number = || Error::unfit(format!("`{name}` is numeric, and `{value}` is not a number"), "give a number");
            let as_number = || {
                let number = if recipe.reads_days(name) { data::number_or_days(value) } else { value.parse().ok() };
                number.filter(|x: &f64| x.is_finite())
            };
            match (&variable.kind, &mut case.cells[place]) {
                (Kind::Categorical(states), Cell::State { code, .. }) => match states.find(value) {
                    // A number that is cut is given as such, or by the name of its bin.
                    None if let Some(cuts) = recipe.made.cuts.get(name).filter(|_| !is_missing) => {
                        *code = bin_of(cuts, as_number().ok_or_else(not_a_number)?).map(|bin| bin as u32);
                    }
                    Some(state) => *code = Some(state as u32),
                    None if is_missing => {}
                    None => {
                        // Beyond the states that are known.
                        *code = Some(states.len() as u32);
                        case.unknown.push((name.into(), value.into()));
                    }
                },
                (Kind::Text(known), Cell::Text { words: codes, .. }) => {
                    let tokenizer = Tokenizer::new(words).map_err(|e| Error::Internal(e.to_string()))?;
                    let place = |word: &[u8]| std::str::from_utf8(word).ok().and_then(|word| known.place(word));
                    let value = words.text_by_hand(value);
                    tokenizer.each_word_of_text(&value, |word| codes.push(place(word).map_or(u32::MAX, |place| place as u32)));
                    case.texts.push((id, Given::Typed(value)));
                }
                (Kind::Numeric, Cell::Number(number)) if !is_missing => {
                    *number = Some(as_number().ok_or_else(not_a_number)?);
                }
                _ => {}
            }
        }
        Ok(case)
    }

    /// Takes one row out of a table, by its number from 1, and tells what was met while reading.
    ///
    /// # Errors
    /// When the table cannot be read or has not so many rows.
    pub fn of_row<O: Observations<Error = DataError>>(rows: &O, number: u64) -> Result<(Self, ReadReport), Error> {
        let (case, report, _) = Self::with_own_number(rows, number)?;
        Ok((case, report))
    }

    /// The same with the row's texts kept, if it has any, for [`Case::marked_texts`].
    ///
    /// # Errors
    /// As [`Self::of_row`].
    pub fn of_table(table: &Table, number: u64) -> Result<(Self, ReadReport), Error> {
        let (mut case, report, own_number) = Self::with_own_number(table, number)?;
        if case.cells.iter().any(|cell| matches!(cell, Cell::Text { .. })) {
            case.texts = table.texts_of_row(own_number)?.into_iter().map(|(id, text)| (id, Given::Read(text))).collect();
        }
        Ok((case, report))
    }

    /// The texts of the case with their words and where they stand, as the recipe makes them.
    ///
    /// # Errors
    /// When the recipe is none.
    pub fn marked_texts(&self, words: &Words) -> Result<Vec<(VarId, MarkedText)>, Error> {
        let tokenizer = Tokenizer::new(words).map_err(|e| Error::Internal(e.to_string()))?;
        let mark = |given: &Given| match given {
            Given::Typed(text) => tokenizer.marked_text(text.clone()),
            Given::Read(bytes) => tokenizer.marked(bytes),
        };
        Ok(self.texts.iter().map(|(id, given)| (*id, mark(given))).collect())
    }

    fn with_own_number<O: Observations<Error = DataError>>(rows: &O, number: u64) -> Result<(Self, ReadReport, u64), Error> {
        let row = number.checked_sub(1).ok_or_else(|| Error::unfit("there is no row 0", "rows count from 1"))?;
        let pick = |row: u64| rows.fold(|_: &[usize]| Pick { row, found: None, chunks: Vec::new() });
        let fold = pick(row)?;
        let mut before = 0;
        for &(first_row, n_rows) in &fold.statistic.chunks {
            if row < before + n_rows as u64 {
                let own_number = first_row + (row - before);
                // Rows that were skipped leave gaps in the chunks' own numbers, and only then it is another.
                let fold = if own_number == row { fold } else { pick(own_number)? };
                let found = fold.statistic.found.ok_or_else(|| Error::Internal("a row was there once, and not again".into()))?;
                return Ok((found, fold.report, own_number));
            }
            before += n_rows as u64;
        }
        let rows = counted(before, "row", "rows");
        Err(Error::unfit(format!("there is no row {number}: the data have {rows}"), "rows count from 1"))
    }

    fn of_chunk(chunk: &Chunk<'_>, row: usize) -> Self {
        let cell = |column: &Column<'_>| match column {
            Column::Absent => Cell::Absent,
            Column::Categorical { codes, n_states } => Cell::State { code: codes.get(row).map(|code| code as u32), n_states: *n_states },
            Column::Numeric(numbers) => Cell::Number(Some(numbers[row]).filter(|x| !x.is_nan())),
            Column::Texts(texts) => Cell::Text { words: texts.words(row).to_vec(), n_words: texts.n_words },
        };
        Self { cells: chunk.columns.iter().map(cell).collect(), unknown: Vec::new(), texts: Vec::new() }
    }

    /// The state of a variable, if it is observed.
    pub fn state<'s>(&self, schema: &'s Schema, id: VarId) -> Option<&'s str> {
        let Cell::State { code: Some(code), .. } = self.cells[id.index()] else { return None };
        schema.states(id)?.names().get(code as usize).map(String::as_str)
    }

    /// The number of a variable, if it is observed.
    pub fn number(&self, id: VarId) -> Option<f64> {
        let Cell::Number(number) = self.cells[id.index()] else { return None };
        number
    }

    /// The same with this number for a variable.
    pub(crate) fn with_number(&self, id: VarId, x: f64) -> Self {
        let mut case = self.clone();
        case.cells[id.index()] = Cell::Number(Some(x));
        case
    }

    /// Lends the case as a chunk of one row.
    pub fn lend<R>(&self, see: impl FnOnce(&Chunk<'_>) -> R) -> R {
        // Each column is a slice of one element, in the one of the two that is its own; of a text the first is where it ends.
        let value = |cell: &Cell| match cell {
            Cell::Absent => ([u32::MAX], [f64::NAN]),
            Cell::State { code, .. } => ([code.unwrap_or(u32::MAX)], [f64::NAN]),
            Cell::Number(x) => ([u32::MAX], [x.unwrap_or(f64::NAN)]),
            Cell::Text { words, .. } => ([words.len() as u32], [f64::NAN]),
        };
        let values: Vec<([u32; 1], [f64; 1])> = self.cells.iter().map(value).collect();
        let mut columns = Vec::with_capacity(values.len());
        for (cell, (code, number)) in self.cells.iter().zip(&values) {
            columns.push(match cell {
                Cell::Absent => Column::Absent,
                Cell::State { n_states, .. } => Column::Categorical { codes: Codes::U32(code), n_states: *n_states },
                Cell::Number(_) => Column::Numeric(number),
                Cell::Text { words, n_words } => Column::Texts(Texts { ends: code, codes: words, n_words: *n_words }),
            });
        }
        see(&Chunk { first_row: 0, n_rows: 1, columns: &columns, weights: None })
    }
}

/// A statistic that keeps one row, and where all of them are.
#[derive(Clone)]
struct Pick {
    /// The row by the chunks' own numbers, from 0.
    row: u64,
    found: Option<Case>,
    /// The first row and the number of rows of every chunk.
    chunks: Vec<(u64, usize)>,
}

impl SufficientStatistic for Pick {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        self.chunks.push((chunk.first_row, chunk.n_rows));
        // A chunk may be empty, and begin where the next one does.
        if let Some(within) = self.row.checked_sub(chunk.first_row).filter(|within| *within < chunk.n_rows as u64) {
            self.found = Some(Case::of_chunk(&chunk, within as usize));
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
