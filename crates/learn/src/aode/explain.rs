//! The ledger of one row. An average of products does not add up attribute by attribute as naive Bayes does, so each piece of evidence is weighed
//! given those of the columns before it.

use belief::{Chunk, Column, Schema, ShapeMismatch};

use super::posterior::{Aode, Room};
use crate::LearnError;
use crate::ledger::{Contest, Ledger, Piece, Weighed};
use crate::naive_bayes::LeftOut;

impl Aode {
    /// The ledger of a row: by default of the most probable class against the runner-up, of equals the earlier class. What an attribute says is said
    /// given the columns before it.
    ///
    /// # Errors
    /// When the columns are not those of the schema, or a row or class is asked for that does not exist, or twice the same class.
    pub fn explain(&self, schema: &Schema, chunk: &Chunk<'_>, row: usize, contest: Contest) -> Result<Ledger, LearnError> {
        ShapeMismatch::check("variables of the model", self.attribute_of().len(), schema.variables().len())?;
        if row >= chunk.n_rows {
            return Err(LearnError::NoSuchRow { row, n_rows: chunk.n_rows });
        }
        let (mut states, mut at) = (Vec::new(), 0);
        self.each_row(chunk, |of_row| {
            if at == row {
                states = of_row.to_vec();
            }
            at += 1;
        })?;
        let mut known = states.iter().copied().peekable();
        let mut pieces = Vec::new();
        for (place, variable) in schema.variables().iter().enumerate() {
            let Some(attribute) = self.attribute_of()[place] else { continue };
            let says = match known.next_if(|state| self.attribute_with(*state) == attribute) {
                None => Err(self.why_left_out(attribute, &chunk.columns[place], row)),
                Some(state) => {
                    let names = variable.kind.states().map_or(&[][..], |states| states.names());
                    let within = self.state_within(state);
                    Ok(Weighed::State(names.get(within).cloned().unwrap_or_else(|| within.to_string())))
                }
            };
            pieces.push(Piece { variable: variable.name.clone(), says });
        }
        let mut room = Room::default();
        Ledger::in_turn(self.class_names(), contest, pieces, |n_known| Ok(self.ln_joint_of(&states[..n_known], &mut room).to_vec()))
    }

    fn why_left_out(&self, attribute: usize, column: &Column<'_>, row: usize) -> LeftOut {
        match column {
            Column::Absent => LeftOut::NotRead,
            _ if !self.was_seen(attribute) => LeftOut::NeverObserved,
            Column::Categorical { codes, .. } if codes.get(row).is_some() => LeftOut::UnknownState,
            _ => LeftOut::Missing,
        }
    }
}
