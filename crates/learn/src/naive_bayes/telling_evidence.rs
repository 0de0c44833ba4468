//! What tells each class from the rest, for a report: the states and numbers that on average say most for it.
//!
//! A state's score is its part of the Kullback–Leibler divergence of the class from the rest, P(s | c) · ln P(s | c)/P(s | rest):
//! how much it says for the class times how often it says so. A number's is d²/2, the divergence of two normals whose means are d
//! standard deviations apart, so that the two can stand in one list. The rest is the mixture of the other classes by their weights.

use std::fmt;

use belief::{Kind, Moments, Schema};
use serde::Serialize;

use super::attribute::{Attribute, States};
use super::explain::write_bin;
use super::posterior::NaiveBayes;
use super::prior_text::Number;
use super::statistic::NaiveBayesStatistic;
use crate::LearnError;

/// What tells one class from the rest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassEvidence {
    /// The class.
    pub class: String,
    /// The most telling first; of equals, the earlier column and state.
    pub evidence: Vec<TellingEvidence>,
}

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum EvidenceValue {
    /// A state.
    State(String),
    /// A bin.
    Bin {
        /// The lower end, which is not in it; `None` for the lowest bin.
        above: Option<f64>,
        /// The upper end, which is in it; `None` for the highest bin.
        up_to: Option<f64>,
    },
    /// A number.
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
}

/// For each class that has rows at most `most` pieces of evidence that speak for it.
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
    let of_class = |class: usize| {
        let mut evidence = Vec::new();
        for (place, attribute) in attributes.iter().enumerate() {
            let variable = &schema.variables()[place];
            match attribute {
                Attribute::LeftOut(_) => {}
                Attribute::States(states) => {
                    let Kind::Categorical(names) = &variable.kind else { continue };
                    of_states(
                        states,
                        weights,
                        class,
                        &variable.name,
                        |state| EvidenceValue::State(names.names()[state].clone()),
                        &mut evidence,
                    );
                }
                Attribute::Bins(cuts, states) => {
                    let bin = |bin: usize| EvidenceValue::Bin { above: bin.checked_sub(1).map(|b| cuts[b]), up_to: cuts.get(bin).copied() };
                    of_states(states, weights, class, &variable.name, bin, &mut evidence);
                }
                Attribute::Number(number) => evidence.extend(of_number(number.of_class, class, &variable.name)),
            }
        }
        evidence.sort_by(|a: &TellingEvidence, b| b.score.total_cmp(&a.score));
        evidence.truncate(most);
        ClassEvidence { class: model.class_names()[class].clone(), evidence }
    };
    Ok((0..weights.len()).filter(|&class| weights[class] > 0.0).map(of_class).collect())
}

fn of_states(
    states: &States<'_>,
    weights: &[f64],
    class: usize,
    variable: &str,
    value: impl Fn(usize) -> EvidenceValue,
    evidence: &mut Vec<TellingEvidence>,
) {
    let rest: f64 = weights.iter().enumerate().filter(|&(other, _)| other != class).map(|(_, w)| w).sum();
    for state in (0..states.counted().n_states()).filter(|&state| states.counted().is_counted(state, 0.0)) {
        let p_given_class = states.p(state, class);
        let others = (0..weights.len()).filter(|&other| other != class);
        let p_given_rest = others.map(|other| weights[other] * states.p(state, other)).sum::<f64>() / rest;
        if p_given_class > p_given_rest {
            let score = p_given_class * (p_given_class / p_given_rest).ln();
            let (p_given_class, p_given_rest) = (Some(p_given_class), Some(p_given_rest));
            evidence.push(TellingEvidence { variable: variable.into(), value: value(state), p_given_class, p_given_rest, score });
        }
    }
}

fn of_number(of_class: &[Moments], class: usize, variable: &str) -> Option<TellingEvidence> {
    let own = of_class[class];
    let mut rest = Moments::default();
    of_class.iter().enumerate().filter(|&(other, _)| other != class).for_each(|(_, moments)| rest.merge(moments));
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

impl fmt::Display for EvidenceValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvidenceValue::State(name) => f.write_str(name),
            EvidenceValue::Bin { above, up_to } => write_bin(f, *above, *up_to),
            EvidenceValue::Number { mean, sd, .. } => write!(f, "{} ± {}", Number(*mean), Number(*sd)),
        }
    }
}
