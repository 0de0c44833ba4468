//! The ledger of one row: how much each piece of evidence moved the log-odds between two classes.
//!
//! ln P(c | x)/P(r | x) = ln P(c)/P(r) + Σ ln P(xᵢ | c)/P(xᵢ | r): between two classes the evidence adds up, which it does not for
//! one class against all others together. Good 1950, *Probability and the Weighing of Evidence*, who gives the units.
//!
//! Where attributes depend on each other given the class, each piece of evidence is weighed given those of the columns before it:
//! ln P(y, x₁…xₖ) − ln P(y, x₁…xₖ₋₁). These add up to the posterior too; in another order of columns they would be other numbers with the
//! same sum.

use std::fmt;

use belief::normalise_ln;
use serde::Serialize;

use crate::LearnError;
use crate::naive_bayes::{LeftOut, Number};

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

impl Ledger {
    /// The ledger of these entries, which add up to what `ln_joint` says of the two classes.
    pub(crate) fn of(
        class_names: &[String],
        (class, against): (usize, usize),
        prior_log_odds: f64,
        mut entries: Vec<LedgerEntry>,
        left_out: Vec<LedgerLeftOut>,
        mut ln_joint: Vec<f64>,
    ) -> Self {
        let possible = ln_joint[class] > f64::NEG_INFINITY || ln_joint[against] > f64::NEG_INFINITY;
        let posterior_log_odds = possible.then(|| entries.iter().map(|e| e.log_odds).fold(prior_log_odds, |sum, x| sum + x));
        entries.sort_by(|a, b| b.log_odds.abs().total_cmp(&a.log_odds.abs()));
        let some = normalise_ln(&mut ln_joint) > f64::NEG_INFINITY;
        Self {
            class: class_names[class].clone(),
            against: class_names[against].clone(),
            probability: some.then(|| ln_joint[class].exp()),
            probability_against: some.then(|| ln_joint[against].exp()),
            prior_log_odds,
            entries,
            left_out,
            posterior_log_odds,
            mixture: None,
        }
    }

    /// The ledger of pieces of evidence that are weighed in turn, each given those before it. `ln_joint` gives ln P(class, the first so many
    /// pieces that say something) of every class.
    ///
    /// # Errors
    /// When a class is asked for that does not exist, or twice the same, or as `ln_joint`.
    pub fn in_turn<E: From<LearnError>>(
        class_names: &[String],
        contest: Contest,
        pieces: Vec<Piece>,
        mut ln_joint: impl FnMut(usize) -> Result<Vec<f64>, E>,
    ) -> Result<Self, E> {
        let n_known = pieces.iter().filter(|piece| piece.says.is_ok()).count();
        let all = ln_joint(n_known)?;
        let (class, against) = contest.between(class_names, &all)?;
        let mut before = ln_joint(0)?;
        let prior_log_odds = difference(before[class], before[against]);
        let (mut entries, mut left_out) = (Vec::new(), Vec::new());
        for Piece { variable, says } in pieces {
            match says {
                Err(why) => left_out.push(LedgerLeftOut { variable, why }),
                Ok(value) => {
                    let now = ln_joint(entries.len() + 1)?;
                    entries.push(LedgerEntry {
                        variable,
                        value,
                        ln_given_class: difference(now[class], before[class]),
                        ln_given_against: difference(now[against], before[against]),
                        log_odds: difference(difference(now[class], now[against]), difference(before[class], before[against])),
                    });
                    before = now;
                }
            }
        }
        let log_odds = difference(all[class], all[against]);
        let mut ledger = Self::of(class_names, (class, against), prior_log_odds, entries, left_out, all);
        // What was impossible before a piece of evidence may be possible after it, and then infinities do not add up.
        ledger.posterior_log_odds = ledger.posterior_log_odds.map(|_| log_odds);
        Ok(ledger)
    }
}

/// What an attribute has to say, or why it says nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The attribute.
    pub variable: String,
    /// Its value in the row.
    pub says: Result<Weighed, LeftOut>,
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

/// a − b, where two equal infinities differ by nothing.
pub(crate) fn difference(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { a - b }
}
