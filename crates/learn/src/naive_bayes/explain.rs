//! The ledger of one row: how much each piece of evidence moved the log-odds between two classes.
//!
//! ln P(c | x)/P(r | x) = ln P(c)/P(r) + Σ ln P(xᵢ | c)/P(xᵢ | r): between two classes the evidence adds up, which it does not for
//! one class against all others together. Good 1950, *Probability and the Weighing of Evidence*, who gives the units.

use std::fmt;

use belief::{Chunk, Column, Kind, Schema, normalise_ln};
use serde::Serialize;

use super::posterior::NaiveBayes;
use super::prior_text::Number;
use super::remark::LeftOut;
use super::scoring::Scorer;
use crate::LearnError;

/// Between which classes the evidence is weighed; by their places among the classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contest {
    /// The class the ledger is for; the most probable one unless told otherwise.
    pub class: Option<usize>,
    /// The class it is weighed against; the most probable of the others unless told otherwise.
    pub against: Option<usize>,
}

impl Contest {
    /// The places of the two classes, for these log joint probabilities.
    ///
    /// # Errors
    /// When a class is asked for that does not exist, or twice the same.
    pub(crate) fn between(self, classes: &[String], ln_joint: &[f64]) -> Result<(usize, usize), LearnError> {
        let n_classes = classes.len();
        if let Some(class) = [self.class, self.against].into_iter().flatten().find(|&class| class >= n_classes) {
            return Err(LearnError::NoSuchClass { class, n_classes });
        }
        if let (Some(class), Some(against)) = (self.class, self.against)
            && class == against
        {
            return Err(LearnError::AgainstItself { class: classes[class].clone() });
        }
        let best_but = |not: Option<usize>| {
            let others = (0..n_classes).filter(|&class| Some(class) != not);
            others.reduce(|best, class| if ln_joint[class] > ln_joint[best] { class } else { best }).expect("two classes or more")
        };
        let class = self.class.unwrap_or_else(|| best_but(self.against));
        Ok((class, self.against.unwrap_or_else(|| best_but(Some(class)))))
    }
}

/// What was said for one class and against another. Log-odds are in nats; see [`Unit`].
///
/// A sum of infinities of both signs has no value: then both classes are impossible and there is no posterior.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ledger {
    /// The class the ledger is for.
    pub class: String,
    /// The class it is weighed against.
    pub against: String,
    /// P(class | row) among all classes; `None` if the row is impossible in every class.
    pub probability: Option<f64>,
    /// P(against | row) among all classes.
    pub probability_against: Option<f64>,
    /// ln P(class)/P(against).
    pub prior_log_odds: f64,
    /// What each attribute said, the largest absolute value first; of equals, the earlier column.
    pub entries: Vec<LedgerEntry>,
    /// What said nothing, in the order of the columns.
    pub left_out: Vec<LedgerLeftOut>,
    /// The prior log-odds and all entries together; `None` if both classes are impossible.
    pub posterior_log_odds: Option<f64>,
    /// Between which components, where classes are mixtures. The entry of the target is what their other components add.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mixture: Option<MixtureParts>,
}

/// The components that evidence was weighed between: which, counted from 1, and of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MixtureParts {
    /// The component of the class that is most responsible for the row.
    pub of_class: (usize, usize),
    /// That of the class it is weighed against.
    pub of_against: (usize, usize),
}

/// What one attribute said.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LedgerEntry {
    /// The attribute.
    pub variable: String,
    /// Its value in the row.
    pub value: Weighed,
    /// ln P(value | class); a density for numbers.
    pub ln_given_class: f64,
    /// ln P(value | against).
    pub ln_given_against: f64,
    /// The difference; zero where the value is impossible in both classes, which tells nothing between them.
    pub log_odds: f64,
}

/// An attribute that said nothing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LedgerLeftOut {
    /// The attribute.
    pub variable: String,
    /// Why.
    pub why: LeftOut,
}

/// The value of an attribute in a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Weighed {
    /// A state.
    State(String),
    /// A number.
    Number(f64),
    /// A word, and how often it is there.
    Word {
        /// The word.
        word: String,
        /// How often it speaks.
        times: u32,
    },
    /// A number by the bin it is in.
    Bin {
        /// The number.
        x: f64,
        /// The bin's lower end, which is not in it; `None` for the lowest bin.
        above: Option<f64>,
        /// The bin's upper end, which is in it; `None` for the highest bin.
        up_to: Option<f64>,
    },
}

/// A unit of log-odds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Natural logarithms.
    Nats,
    /// Logarithms to base 2.
    Bits,
    /// Ten times the logarithm to base 10 (Turing and Good): one deciban is about the least change of mind one notices.
    #[default]
    Decibans,
}

impl Unit {
    /// So many nats in this unit.
    ///
    /// ```
    /// use tunbridge_learn::Unit;
    /// assert!((Unit::Decibans.of_nats(100_f64.ln()) - 20.0).abs() < 1e-12);
    /// assert!((Unit::Bits.of_nats(8_f64.ln()) - 3.0).abs() < 1e-12);
    /// ```
    pub fn of_nats(self, nats: f64) -> f64 {
        match self {
            Unit::Nats => nats,
            Unit::Bits => nats * std::f64::consts::LOG2_E,
            Unit::Decibans => nats * (10.0 * std::f64::consts::LOG10_E),
        }
    }
}

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
        let possible = ln_joint[class] > f64::NEG_INFINITY || ln_joint[against] > f64::NEG_INFINITY;
        let posterior_log_odds = possible.then(|| entries.iter().map(|e| e.log_odds).fold(prior_log_odds, |sum, x| sum + x));
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

impl fmt::Display for Weighed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Weighed::State(name) => f.write_str(name),
            Weighed::Number(x) => write!(f, "{}", Number(*x)),
            Weighed::Word { word, times: 1 } => write!(f, "“{word}”"),
            Weighed::Word { word, times } => write!(f, "“{word}” {times} times"),
            Weighed::Bin { x, above, up_to } => {
                write!(f, "{} in ", Number(*x))?;
                write_bin(f, *above, *up_to)
            }
        }
    }
}

/// A bin in words of mathematics: `(2, 5]`.
pub(crate) fn write_bin(f: &mut fmt::Formatter<'_>, above: Option<f64>, up_to: Option<f64>) -> fmt::Result {
    match above {
        Some(cut) => write!(f, "({}, ", Number(cut))?,
        None => f.write_str("(-∞, ")?,
    }
    match up_to {
        Some(cut) => write!(f, "{}]", Number(cut)),
        None => f.write_str("∞)"),
    }
}

/// ln(1 + eˣ), which is x itself where eˣ is too great.
fn ln_one_and_exp(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// a − b, where two equal infinities differ by nothing.
pub(crate) fn difference(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { a - b }
}
