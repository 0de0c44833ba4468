//! Cells to numbers.

use super::faults::{Faults, shorten};
use super::{ChunkBuilder, EncodedColumn, PlanKind};
use crate::date::{Date, date_of};
use crate::error::RowFault;
use crate::text::blocks::Block;
use crate::text::csv::text_of;
use crate::text::tile::Tile;

impl ChunkBuilder<'_> {
    pub(super) fn push_numbers(&mut self, block: &Block, tile: &Tile, column: usize, variable: usize, faults: &mut Faults) {
        let missing = self.plan.variables[variable].kind.missing_numbers();
        for row in 0..tile.n_rows() {
            let (start, end) = tile.span(row, column);
            let cell = &block.bytes[start..end];
            let number = match fast_float2::parse::<f64, _>(cell) {
                Ok(number) if number.is_finite() && !missing.contains(&number) => number,
                _ => {
                    let mut scratch = std::mem::take(&mut self.scratch);
                    let number = self.number(variable, text_of(cell, &mut scratch), row, faults);
                    self.scratch = scratch;
                    number
                }
            };
            if let EncodedColumn::Numeric(numbers) = &mut self.columns[variable] {
                numbers.push(number);
            }
        }
    }

    pub(super) fn number(&self, variable: usize, text: &[u8], row: usize, faults: &mut Faults) -> f64 {
        let PlanKind::Numeric { missing, missing_numbers, days, .. } = &self.plan.variables[variable].kind else { return f64::NAN };
        if missing.find(text).is_some() {
            return f64::NAN;
        }
        match fast_float2::parse::<f64, _>(text) {
            Ok(number) if missing_numbers.contains(&number) => f64::NAN,
            // A NaN is a missing value however it is written.
            Ok(number) if !number.is_infinite() => number,
            Ok(_) => {
                faults.push(row, Some(variable), RowFault::NotFinite(shorten(&String::from_utf8_lossy(text))));
                f64::NAN
            }
            // Who calls a column of dates numeric wants days.
            Err(_) => match date_of(text).filter(|_| *days) {
                Some(Date::Days(days)) => days,
                _ => {
                    let shown = shorten(&String::from_utf8_lossy(text));
                    // Bytes that are no text are a fault of their row, and do not speak against the column.
                    let is_text = std::str::from_utf8(text).is_ok();
                    let fault = match is_text {
                        true if self.plan.weight == Some(variable) => RowFault::BadWeight(shown),
                        true => RowFault::NotANumber(shown),
                        false => RowFault::NotUtf8(shown),
                    };
                    faults.push(row, Some(variable), fault);
                    f64::NAN
                }
            },
        }
    }
}
