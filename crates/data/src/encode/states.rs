//! Cells to codes of states.

use std::ops::Range;

use super::faults::{Faults, shorten};
use super::{ChunkBuilder, EncodedColumn, PlanKind};
use crate::UnknownStates;
use crate::dictionary::Dictionary;
use crate::error::RowFault;
use crate::text::blocks::Block;
use crate::text::csv::{cell_of, is_own_cell, text_of};
use crate::text::tile::Tile;

impl ChunkBuilder<'_> {
    /// How many states a variable has now.
    pub fn n_states(&self, variable: usize) -> usize {
        let PlanKind::Category { known, .. } = &self.plan.variables[variable].kind else { return 0 };
        known.len() + self.local[variable].names.len()
    }

    pub(super) fn push_states(
        &mut self,
        block: &Block,
        tile: &Tile,
        column: usize,
        variable: usize,
        known: &Dictionary,
        faults: &mut Faults,
    ) {
        let mut row = 0;
        while row < tile.n_rows() {
            // The fast loop runs up to a cell that is not known as it stands; codes of known states fit the column's width.
            row = match &mut self.columns[variable] {
                EncodedColumn::U8(codes) => push_known(block, tile, column, row, known, codes, |code| code as u8),
                EncodedColumn::U16(codes) => push_known(block, tile, column, row, known, codes, |code| code as u16),
                EncodedColumn::U32(codes) => push_known(block, tile, column, row, known, codes, |code| code),
                _ => return,
            };
            if row < tile.n_rows() {
                let (start, end) = tile.span(row, column);
                let cell = &block.bytes[start..end];
                let code = match self.local[variable].cells.get(cell) {
                    Some(code) => Ok(code),
                    None => {
                        let mut scratch = std::mem::take(&mut self.scratch);
                        let code = self.state_code(variable, text_of(cell, &mut scratch));
                        if let Ok(code) = code {
                            self.local[variable].cells.alias(cell, code);
                        }
                        self.scratch = scratch;
                        code
                    }
                };
                self.push_state(variable, code, row, faults);
                row += 1;
            }
        }
    }

    /// The texts of rows, which are no cells; none is missing.
    pub fn push_texts<'t>(&mut self, variable: usize, n_rows: usize, text: impl Fn(usize) -> Option<&'t [u8]>, faults: &mut Faults) {
        let PlanKind::Category { known, .. } = &self.plan.variables[variable].kind else { return };
        let known_code = |row: usize| match text(row) {
            None => Some(Dictionary::MISSING),
            Some(text) => known.get(text).filter(|_| is_own_cell(text)),
        };
        let mut row = 0;
        while row < n_rows {
            // As with cells of text: the fast loop runs up to a state that is not known.
            row = match &mut self.columns[variable] {
                EncodedColumn::U8(codes) => push_while(codes, row..n_rows, known_code, |code| code as u8),
                EncodedColumn::U16(codes) => push_while(codes, row..n_rows, known_code, |code| code as u16),
                EncodedColumn::U32(codes) => push_while(codes, row..n_rows, known_code, |code| code),
                _ => return,
            };
            if row < n_rows {
                let code = text(row).map_or(Ok(Dictionary::MISSING), |text| self.state_code(variable, text));
                self.push_state(variable, code, row, faults);
                row += 1;
            }
        }
    }

    /// The code of a state by its text, a new one if the plan lets states grow, or what is wrong with every row that has it.
    pub fn state_code(&mut self, variable: usize, text: &[u8]) -> Result<u32, RowFault> {
        let PlanKind::Category { known, new_states, of_numbers } = &self.plan.variables[variable].kind else {
            return Ok(Dictionary::MISSING);
        };
        let local = &mut self.local[variable];
        let cell = cell_of(text);
        if let Some(code) = known.get(&cell).or_else(|| local.cells.get(&cell)) {
            return Ok(code);
        }
        let name = std::str::from_utf8(text).map_err(|_| RowFault::NotUtf8(shorten(&String::from_utf8_lossy(text))))?;
        let code = match new_states {
            _ if is_nan(name) && are_numbers(known) => Dictionary::MISSING,
            UnknownStates::Grow if *of_numbers && is_one_of_many(name, local.names.len()) => {
                return Err(RowFault::OneOfManyNumbers(shorten(name)));
            }
            UnknownStates::Grow => {
                local.names.push(name.to_string());
                (known.len() + local.names.len() - 1) as u32
            }
            // A number written otherwise, or another case, is the state it can only mean.
            _ => match (known.find_loosely(name), new_states) {
                (Some(code), _) => code,
                (None, UnknownStates::Error | UnknownStates::ErrorWhereCounted) => {
                    let known = known.names().iter().take(20).cloned().collect();
                    return Err(RowFault::UnknownState { found: shorten(name), known });
                }
                (None, UnknownStates::Apart) => known.len() as u32,
                (None, _) => Dictionary::UNKNOWN,
            },
        };
        local.cells.alias(&cell, code);
        Ok(code)
    }

    /// Pushes what [`ChunkBuilder::state_code`] gave for a row.
    pub fn push_state(&mut self, variable: usize, code: Result<u32, RowFault>, row: usize, faults: &mut Faults) {
        let code = match code {
            Ok(Dictionary::UNKNOWN) => {
                self.unknown.push((variable, row));
                Dictionary::MISSING
            }
            Ok(code) => code,
            Err(fault) => {
                faults.push(row, Some(variable), fault);
                Dictionary::MISSING
            }
        };
        self.push_code(variable, code);
    }

    /// Pushes a code, widening the column if it has to.
    fn push_code(&mut self, variable: usize, code: u32) {
        let column = &mut self.columns[variable];
        if code != Dictionary::MISSING {
            if let EncodedColumn::U8(codes) = column
                && code >= u32::from(u8::MAX)
            {
                *column = EncodedColumn::U16(codes.iter().map(|c| if *c == u8::MAX { u16::MAX } else { u16::from(*c) }).collect());
            }
            if let EncodedColumn::U16(codes) = column
                && code >= u32::from(u16::MAX)
            {
                *column = EncodedColumn::U32(codes.iter().map(|c| if *c == u16::MAX { u32::MAX } else { u32::from(*c) }).collect());
            }
        }
        match column {
            EncodedColumn::U8(codes) => codes.push(code as u8),
            EncodedColumn::U16(codes) => codes.push(code as u16),
            EncodedColumn::U32(codes) => codes.push(code),
            _ => {}
        }
    }
}

/// Pushes the codes of cells from `row` on, as long as they are known as they stand; returns the first row whose cell is not.
fn push_known<C: Copy + Default>(
    block: &Block,
    tile: &Tile,
    column: usize,
    mut row: usize,
    known: &Dictionary,
    codes: &mut Vec<C>,
    narrow: impl Fn(u32) -> C + Copy,
) -> usize {
    let before = codes.len() - row;
    codes.resize(before + tile.n_rows(), C::default());
    while row < tile.n_rows() {
        row += tile.machine().run(
            #[inline(always)]
            || tile.codes(block, column, row, known, &mut codes[before + row..], narrow),
        );
        if row == tile.n_rows() {
            break;
        }
        let (start, end) = tile.span(row, column);
        let Some(code) = known.get(&block.bytes[start..end]) else { break };
        codes[before + row] = narrow(code);
        row += 1;
    }
    codes.truncate(before + row);
    row
}

/// Pushes the codes of rows as long as they have one; returns the first row that has none.
fn push_while<C>(codes: &mut Vec<C>, rows: Range<usize>, code: impl Fn(usize) -> Option<u32>, narrow: impl Fn(u32) -> C) -> usize {
    let end = rows.end;
    codes.reserve(rows.len());
    for row in rows {
        let Some(code) = code(row) else { return row };
        codes.push(narrow(code));
    }
    end
}

/// Among states that are all numbers a NaN is a missing value however it is written, as it is when the column is looked at.
pub(crate) fn are_numbers(known: &Dictionary) -> bool {
    known.len() > 0 && known.names().iter().all(|name| name.parse::<f64>().is_ok())
}

/// Whether a value is a number with a fraction, or one of more than are a few.
fn is_one_of_many(text: &str, n_new: usize) -> bool {
    const MANY: usize = 1_000;
    text.parse::<f64>().is_ok_and(|x| x.is_finite() && (x.fract() != 0.0 || n_new >= MANY))
}

fn is_nan(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_nan)
}
