//! The texts of one row as they stand in the data, for those who show what their words said.

use belief::VarId;

use crate::encode::Plan;
use crate::{DataError, Table};

impl Table {
    /// The texts of one row, by the number that chunks give it, from 0: the bytes that words are made of. A text that is missing is
    /// left out. Other columns are not read again by this, but all rows are.
    ///
    /// # Errors
    /// When a row cannot be read.
    pub fn texts_of_row(&self, row: u64) -> Result<Vec<(VarId, Vec<u8>)>, DataError> {
        let plan = Plan { keep_texts: true, ..self.plan.clone() };
        let mut found = Vec::new();
        self.each_unit(
            &plan,
            |mut chunk, _, _| {
                let within = row.checked_sub(chunk.first_row).filter(|within| *within < chunk.n_rows as u64);
                let texts = within.map(|within| {
                    let of_row = |texts: &mut Vec<Option<Vec<u8>>>| texts.get_mut(within as usize).and_then(Option::take);
                    chunk.texts.iter_mut().map(of_row).enumerate().collect::<Vec<_>>()
                });
                Ok(texts.unwrap_or_default())
            },
            Ok,
            |chunks| {
                found.extend(chunks.into_iter().flatten().filter_map(|(place, text)| Some((VarId::new(place), text?))));
                Ok(())
            },
        )?;
        Ok(found)
    }
}
