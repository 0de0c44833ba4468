//! The ledger of one row. An average of products does not add up attribute by attribute as naive Bayes does, so each piece of evidence is weighed
//! given those of the columns before it: ln P(y, x₁…xₖ) − ln P(y, x₁…xₖ₋₁). These add up to the posterior; in another order of columns they
//! would be other numbers with the same sum.

use belief::{Chunk, Column, Kind, Schema, ShapeMismatch, normalise_ln};

use super::posterior::{Aode, Room};
use crate::LearnError;
use crate::naive_bayes::{Contest, Ledger, LedgerEntry, LedgerLeftOut, LeftOut, Weighed, difference};

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
        let mut room = Room::default();
        let mut ln_joint = self.ln_joint_of(&states, &mut room).to_vec();
        let (class, against) = contest.between(self.class_names(), &ln_joint)?;
        let prior_log_odds = difference(self.ln_class()[class], self.ln_class()[against]);
        let (mut entries, mut left_out) = (Vec::new(), Vec::new());
        let (mut n_known, mut before) = (0, self.ln_class().to_vec());
        for (place, variable) in schema.variables().iter().enumerate() {
            let Some(attribute) = self.attribute_of()[place] else { continue };
            let name = variable.name.clone();
            match states.get(n_known).filter(|state| self.attribute_with(**state) == attribute) {
                None => left_out.push(LedgerLeftOut { variable: name, why: self.why_left_out(attribute, &chunk.columns[place], row) }),
                Some(state) => {
                    let value = self.weighed(&variable.kind, &chunk.columns[place], place, self.state_within(*state), row);
                    n_known += 1;
                    let now = self.ln_joint_of(&states[..n_known], &mut room).to_vec();
                    entries.push(LedgerEntry {
                        variable: name,
                        value,
                        ln_given_class: difference(now[class], before[class]),
                        ln_given_against: difference(now[against], before[against]),
                        log_odds: difference(difference(now[class], now[against]), difference(before[class], before[against])),
                    });
                    before = now;
                }
            }
        }
        let possible = ln_joint[class] > f64::NEG_INFINITY || ln_joint[against] > f64::NEG_INFINITY;
        let posterior_log_odds = possible.then(|| difference(ln_joint[class], ln_joint[against]));
        entries.sort_by(|a, b| b.log_odds.abs().total_cmp(&a.log_odds.abs()));
        let some = normalise_ln(&mut ln_joint) > f64::NEG_INFINITY;
        Ok(Ledger {
            class: self.class_names()[class].clone(),
            against: self.class_names()[against].clone(),
            probability: some.then(|| ln_joint[class].exp()),
            probability_against: some.then(|| ln_joint[against].exp()),
            prior_log_odds,
            entries,
            left_out,
            posterior_log_odds,
            mixture: None,
        })
    }

    fn why_left_out(&self, attribute: usize, column: &Column<'_>, row: usize) -> LeftOut {
        match column {
            Column::Absent => LeftOut::NotRead,
            _ if !self.was_seen(attribute) => LeftOut::NeverObserved,
            Column::Categorical { codes, .. } if codes.get(row).is_some() => LeftOut::UnknownState,
            _ => LeftOut::Missing,
        }
    }

    fn weighed(&self, kind: &Kind, column: &Column<'_>, place: usize, state: usize, row: usize) -> Weighed {
        match (column, &self.cuts()[place], kind) {
            (Column::Numeric(values), Some(cuts), _) => {
                Weighed::Bin { x: values[row], above: state.checked_sub(1).map(|below| cuts[below]), up_to: cuts.get(state).copied() }
            }
            (_, _, Kind::Categorical(states)) if state < states.len() => Weighed::State(states.names()[state].clone()),
            _ => Weighed::State(state.to_string()),
        }
    }
}
