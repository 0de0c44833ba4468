//! The ledger of one row under naive Bayes, whose pieces of evidence add up by themselves.

use belief::{Chunk, Column, Kind, Schema};

use super::posterior::NaiveBayes;
use super::remark::LeftOut;
use super::scoring::Scorer;
use crate::LearnError;
use crate::ledger::{Contest, Ledger, LedgerEntry, LedgerLeftOut, Weighed, difference};

impl NaiveBayes {
    /// The ledger of a row: by default of the most probable class against the runner-up, of equals the earlier class.
    ///
    /// # Errors
    /// When the columns are not those of the schema, or a row or class is asked for that does not exist, or twice the same class.
    pub fn explain(&self, schema: &Schema, chunk: &Chunk<'_>, row: usize, contest: Contest) -> Result<Ledger, LearnError> {
        belief::ShapeMismatch::check("variables of the model", self.scorers().len(), schema.variables().len())?;
        let evidence = self.evidence(chunk, row)?;
        let mut ln_joint = self.ln_class_prior().to_vec();
        for ln in evidence.iter().flatten() {
            ln_joint.iter_mut().zip(ln).for_each(|(sum, ln)| *sum += ln);
        }
        let (class, against) = contest.between(self.class_names(), &ln_joint)?;
        let prior_log_odds = difference(self.ln_class_prior()[class], self.ln_class_prior()[against]);
        let (mut entries, mut left_out) = (Vec::new(), Vec::new());
        for (place, evidence) in evidence.into_iter().enumerate() {
            let variable = schema.variables()[place].name.clone();
            match evidence {
                Ok(_) if matches!(self.scorers()[place], Scorer::Words(_)) => {
                    entries.extend(self.words_of(schema, chunk, place, row, class, against));
                }
                Ok(ln) => entries.push(LedgerEntry {
                    variable,
                    value: self.value(schema, chunk, place, row),
                    ln_given_class: ln[class],
                    ln_given_against: ln[against],
                    log_odds: difference(ln[class], ln[against]),
                }),
                Err(LeftOut::NotAnAttribute) => {}
                Err(why) => left_out.push(LedgerLeftOut { variable, why }),
            }
        }
        Ok(Ledger::of(self.class_names(), (class, against), prior_log_odds, entries, left_out, ln_joint))
    }

    /// What each word of a text said. Where absence speaks, of a word that is there P(there | class), and the absence of all others last.
    fn words_of(&self, schema: &Schema, chunk: &Chunk<'_>, place: usize, row: usize, class: usize, against: usize) -> Vec<LedgerEntry> {
        let (Scorer::Words(table), Column::Texts(texts)) = (&self.scorers()[place], &chunk.columns[place]) else { return Vec::new() };
        let variable = &schema.variables()[place];
        let entry = |value: Weighed, given_class: f64, given_against: f64| LedgerEntry {
            variable: variable.name.clone(),
            value,
            ln_given_class: given_class,
            ln_given_against: given_against,
            log_odds: difference(given_class, given_against),
        };
        let (mut entries, mut bag) = (Vec::new(), Vec::new());
        let (mut absent_in_class, mut absent_in_against) = (table.every_text[class], table.every_text[against]);
        let length = table.bag(texts.words(row), &mut bag);
        let words = texts.words(row);
        for (code, weight) in bag {
            let mut says = vec![0.0; self.n_classes()];
            table.add_word(code, weight, &mut says);
            let word = variable.kind.states().and_then(|words| words.names().get(code as usize)).cloned().unwrap_or_default();
            if table.once {
                // The table has ln P(there)/P(not there), so that all texts share the sum over absent words.
                absent_in_class += ln_one_and_exp(says[class]);
                absent_in_against += ln_one_and_exp(says[against]);
                entries.push(entry(Weighed::Word { word, times: 1 }, -ln_one_and_exp(-says[class]), -ln_one_and_exp(-says[against])));
                continue;
            }
            let times = words.iter().filter(|word| **word == code).count() as u32;
            entries.push(entry(Weighed::Word { word, times }, says[class], says[against]));
        }
        if !table.concentrations.is_empty() {
            let mut says = vec![0.0; self.n_classes()];
            table.add_length(length, &mut says);
            entries.push(entry(Weighed::State("its length".into()), says[class], says[against]));
        }
        if table.once {
            let value = Weighed::State("words that are not there".into());
            entries.push(entry(value, absent_in_class, absent_in_against));
        }
        entries
    }

    fn value(&self, schema: &Schema, chunk: &Chunk<'_>, place: usize, row: usize) -> Weighed {
        match (&chunk.columns[place], &self.scorers()[place]) {
            (Column::Numeric(values), Scorer::Bins(cuts, _)) => {
                let bin = cuts.partition_point(|&cut| cut < values[row]);
                Weighed::Bin { x: values[row], above: bin.checked_sub(1).map(|below| cuts[below]), up_to: cuts.get(bin).copied() }
            }
            (Column::Numeric(values), _) => Weighed::Number(values[row]),
            (Column::Categorical { codes, .. }, _) => {
                let state = codes.get(row).unwrap_or_default();
                match &schema.variables()[place].kind {
                    Kind::Categorical(states) if state < states.len() => Weighed::State(states.names()[state].clone()),
                    _ => Weighed::State(state.to_string()),
                }
            }
            (Column::Absent | Column::Texts(_), _) => Weighed::State(String::new()),
        }
    }
}

/// ln(1 + eˣ), which is x itself where eˣ is too great.
fn ln_one_and_exp(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}
