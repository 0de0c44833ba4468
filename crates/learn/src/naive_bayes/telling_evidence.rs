//! What tells each class from the rest, for a report: the states and numbers that on average say most for it.
//!
//! A state's score is its part of the Kullback–Leibler divergence of the class from the rest, P(s | c) · ln P(s | c)/P(s | rest):
//! how much it says for the class times how often it says so. A number's is d²/2, the divergence of two normals whose means are d
//! standard deviations apart, so that the two can stand in one list. The rest is the mixture of the other classes by their weights.

use std::fmt;

use belief::{Kind, Moments, Schema};
use serde::{Deserialize, Serialize};

use super::attribute::{Attribute, States};
use super::posterior::NaiveBayes;
use super::prior_text::Number;
use super::statistic::NaiveBayesStatistic;
use crate::LearnError;
use crate::ledger::write_bin;

/// What tells one class from the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassEvidence {
    /// The class.
    pub class: String,
    /// The most telling first; of equals, the earlier column and state.
    pub evidence: Vec<TellingEvidence>,
}

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TellingEvidence {
    /// The attribute.
    pub variable: String,
    /// Its state, or how its numbers lie.
    pub value: EvidenceValue,
    /// P(state | class); `None` for numbers.
    pub p_given_class: Option<f64>,
    /// P(state | rest); `None` for numbers.
    pub p_given_rest: Option<f64>,
    /// How telling it is, in nats.
    pub score: f64,
}

/// A state, a bin, or how the numbers of a class lie beside those of the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EvidenceValue {
    /// A state.
    State(String),
    /// A number. It is read before a bin, both ends of which may be left out.
    Number {
        /// The mean in the class.
        mean: f64,
        /// The standard deviation in the class.
        sd: f64,
        /// The mean in the rest.
        mean_of_rest: f64,
        /// The standard deviation in the rest.
        sd_of_rest: f64,
    },
    /// A bin.
    Bin {
        /// The lower end, which is not in it; `None` for the lowest bin.
        above: Option<f64>,
        /// The upper end, which is in it; `None` for the highest bin.
        up_to: Option<f64>,
    },
}

/// For each class that has rows at most `most` pieces of evidence that speak for it.
///
/// **Complexity**: linear in states and classes.
///
/// # Errors
/// When the statistic does not belong to the schema and the model.
pub fn telling_evidence(
    schema: &Schema,
    statistic: &NaiveBayesStatistic,
    model: &NaiveBayes,
    most: usize,
) -> Result<Vec<ClassEvidence>, LearnError> {
    statistic.validate(schema)?;
    belief::ShapeMismatch::check("variables of the model", statistic.attributes().len(), model.scorers().len())?;
    belief::ShapeMismatch::check("classes of the model", statistic.classes().len(), model.n_classes())?;
    let attributes = Attribute::all(schema, statistic, model.prior(), model.scale())?;
    let weights = statistic.classes();
    let mut of_class: Vec<Vec<TellingEvidence>> = vec![Vec::new(); weights.len()];
    for (attribute, variable) in attributes.iter().zip(schema.variables()) {
        match (attribute, &variable.kind) {
            (Attribute::LeftOut(_), _) => {}
            (Attribute::States(states), Kind::Categorical(names)) => {
                let value = |state: usize| EvidenceValue::State(names.name(state).to_owned());
                add_values(
                    &counted(states),
                    any_score,
                    |state, class| states.p(state, class),
                    weights,
                    &variable.name,
                    value,
                    most,
                    &mut of_class,
                );
            }
            (Attribute::Bins(cuts, states), _) => {
                let bin = |bin: usize| EvidenceValue::Bin { above: bin.checked_sub(1).map(|b| cuts[b]), up_to: cuts.get(bin).copied() };
                add_values(
                    &counted(states),
                    any_score,
                    |state, class| states.p(state, class),
                    weights,
                    &variable.name,
                    bin,
                    most,
                    &mut of_class,
                );
            }
            (Attribute::Texts(bag), Kind::Text(names)) => {
                let value = |word: usize| EvidenceValue::State(names.name(word).to_owned());
                let words: Vec<usize> = bag.words().map(|(word, _)| word).collect();
                let p_between = bag.p_between();
                let score_at_most = |word: usize| {
                    let (most, least) = p_between(word);
                    if least > 0.0 { most * (most / least).ln() } else { f64::INFINITY }
                };
                let p = |word: usize, class: usize| bag.p(word, class);
                add_values(&words, score_at_most, p, weights, &variable.name, value, most, &mut of_class);
            }
            (Attribute::Texts(_), _) => {}
            (Attribute::Number(number), _) => add_number(number.of_class, &variable.name, &mut of_class),
            (Attribute::States(_), _) => {}
        }
        for evidence in &mut of_class {
            evidence.sort_by(|a, b| b.score.total_cmp(&a.score));
            evidence.truncate(most);
        }
    }
    let with_rows = of_class.into_iter().enumerate().filter(|&(class, _)| weights[class] > 0.0);
    Ok(with_rows.map(|(class, evidence)| ClassEvidence { class: model.class_names()[class].clone(), evidence }).collect())
}

fn counted(states: &States<'_>) -> Vec<usize> {
    (0..states.counted().n_states()).filter(|&state| states.counted().is_counted(state, 0.0)).collect()
}

/// Of states there are few, and no bound is needed.
fn any_score(_: usize) -> f64 {
    f64::INFINITY
}

/// Adds the most telling of some states, bins or words to the evidence of each class. `score_at_most` is what the score of a state is not
/// above, whatever the class.
#[expect(clippy::too_many_arguments, reason = "one place, in this file")]
fn add_values(
    states: &[usize],
    score_at_most: impl Fn(usize) -> f64,
    p_given: impl Fn(usize, usize) -> f64,
    weights: &[f64],
    variable: &str,
    value: impl Fn(usize) -> EvidenceValue,
    most: usize,
    of_class: &mut [Vec<TellingEvidence>],
) {
    let add = |sum: &mut f64, term: &f64| *sum += term;
    let rest = of_others(weights, add);
    // A vocabulary is long: what cannot come among the most telling of a class is not written down. Of equals the earlier stays.
    let least = |evidence: &Vec<TellingEvidence>| evidence.get(most.wrapping_sub(1)).map_or(0.0, |piece| piece.score);
    let mut floors: Vec<f64> = of_class.iter().map(least).collect();
    let n_classes = weights.len();
    let (mut p, mut masses, mut masses_of_rest) = (vec![0.0; n_classes], vec![0.0; n_classes], vec![0.0; n_classes]);
    // What is below the lowest floor is among the most telling of no class; a class without rows has no floor to keep.
    let lowest = |floors: &[f64]| {
        floors.iter().zip(weights).filter(|(_, weight)| **weight > 0.0).map(|(floor, _)| *floor).fold(f64::INFINITY, f64::min)
    };
    let mut least_floor = lowest(&floors);
    for &state in states {
        // The bound is one but for its rounding.
        if least_floor > 0.0 && score_at_most(state) * (1.0 + 1e-9) <= least_floor {
            continue;
        }
        p.iter_mut().enumerate().for_each(|(class, p)| *p = p_given(state, class));
        masses.iter_mut().zip(p.iter().zip(weights)).for_each(|(mass, (p, weight))| *mass = p * weight);
        sum_others(&masses, add, &mut masses_of_rest);
        for (class, &mass_of_rest) in masses_of_rest.iter().enumerate() {
            let (p_given_class, p_given_rest) = (p[class], mass_of_rest / rest[class]);
            if weights[class] > 0.0 && p_given_class > p_given_rest {
                let score = p_given_class * (p_given_class / p_given_rest).ln();
                if score <= floors[class] {
                    continue;
                }
                let (p_given_class, p_given_rest) = (Some(p_given_class), Some(p_given_rest));
                let piece = TellingEvidence { variable: variable.into(), value: value(state), p_given_class, p_given_rest, score };
                let evidence = &mut of_class[class];
                evidence.push(piece);
                if evidence.len() >= most.saturating_mul(2) {
                    evidence.sort_by(|a, b| b.score.total_cmp(&a.score));
                    evidence.truncate(most);
                    floors[class] = least(evidence);
                    least_floor = lowest(&floors);
                }
            }
        }
    }
}

fn add_number(moments: &[Moments], variable: &str, of_class: &mut [Vec<TellingEvidence>]) {
    let rest = of_others(moments, Moments::merge);
    for ((own, rest), evidence) in moments.iter().zip(&rest).zip(of_class) {
        evidence.extend(of_number(own, rest, variable));
    }
}

fn of_number(own: &Moments, rest: &Moments, variable: &str) -> Option<TellingEvidence> {
    let (variance, variance_of_rest) = (own.variance()?, rest.variance()?);
    let pooled = (own.sum_sq + rest.sum_sq) / (own.weight + rest.weight);
    let apart = own.mean - rest.mean;
    if apart == 0.0 {
        return None;
    }
    let value = EvidenceValue::Number { mean: own.mean, sd: variance.sqrt(), mean_of_rest: rest.mean, sd_of_rest: variance_of_rest.sqrt() };
    let score = apart * apart / pooled / 2.0;
    Some(TellingEvidence { variable: variable.into(), value, p_given_class: None, p_given_rest: None, score })
}

/// For each entry the sum of all others: of those before and those behind, so that nothing cancels.
pub(super) fn of_others<T: Copy + Default>(entries: &[T], add: impl Fn(&mut T, &T)) -> Vec<T> {
    let mut sums = vec![T::default(); entries.len()];
    sum_others(entries, add, &mut sums);
    sums
}

/// The same into sums that are there.
fn sum_others<T: Copy + Default>(entries: &[T], add: impl Fn(&mut T, &T), sums: &mut [T]) {
    let mut before = T::default();
    for (sum, entry) in sums.iter_mut().zip(entries) {
        *sum = before;
        add(&mut before, entry);
    }
    let mut behind = T::default();
    for (sum, entry) in sums.iter_mut().zip(entries).rev() {
        add(sum, &behind);
        add(&mut behind, entry);
    }
}

impl fmt::Display for EvidenceValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvidenceValue::State(name) => f.write_str(name),
            EvidenceValue::Bin { above, up_to } => write_bin(f, *above, *up_to),
            EvidenceValue::Number { mean, sd, .. } => write!(f, "{} ± {}", Number(*mean), Number(*sd)),
        }
    }
}
