//! What changed between two models: which beliefs moved, and by how much.

use belief::{Moments, VarId};
use learn::AttributeStatistic;
use serde::Serialize;

use crate::align::align;
use crate::model::Stored;
use crate::state_belief::StateBelief;
use crate::{Error, NaiveBayesModel};

/// One belief that moved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moved {
    /// The variable; the target for a class's own probability.
    pub variable: String,
    /// What is believed of it.
    #[serde(flatten)]
    pub what: Believed,
    /// The class it is believed given, or for a joint probability together with; `None` for the class's own probability.
    pub given: Option<String>,
    /// The value of another column it is believed given beside the class, in averaged one-dependence estimators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// Before; `None` where the first model has no such belief.
    pub before: Option<f64>,
    /// After; `None` where the second model has none.
    pub after: Option<f64>,
    /// How far it moved: in nats for probabilities, in standard deviations of the first model for means, as the logarithm of the ratio for
    /// standard deviations. `None` where one model has no such belief.
    pub moved: Option<f64>,
}

impl Moved {
    pub(crate) fn has_moved(&self) -> bool {
        have_moved(self.before, self.after)
    }
}

/// Whether a belief is another than it was. What was added and taken back leaves the rounding of its last digits behind, which is no belief.
pub(crate) fn have_moved(before: Option<f64>, after: Option<f64>) -> bool {
    const ROUNDING: f64 = 1e-12;
    match (before, after) {
        (Some(x), Some(y)) => x != y && (x - y).abs() > ROUNDING * x.abs().max(y.abs()),
        _ => before != after,
    }
}

/// A value of a column that others are believed given.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parent {
    /// The column.
    pub variable: String,
    /// Its state.
    pub value: String,
}

/// What is believed of a variable.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "quantity", content = "value", rename_all = "kebab-case")]
pub enum Believed {
    /// The probability of a value.
    Probability(Value),
    /// The probability of a value and a class together, in averaged one-dependence estimators.
    JointProbability(Value),
    /// The probability that this value is there and no other, in a Bernoulli model.
    ProbabilityOfNoOther(Value),
    /// The share of rows that have the value: where a centroid lies.
    Share(Value),
    /// The mean.
    Mean,
    /// The standard deviation.
    Sd,
}

/// A state, or a bin of numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A state.
    State(String),
    /// A bin.
    Bin {
        /// The lower end, which is not in it; `None` for the lowest bin.
        above: Option<f64>,
        /// The upper end, which is in it; `None` for the highest bin.
        up_to: Option<f64>,
    },
}

/// What changed between two models.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// Rows of each.
    pub rows: [f64; 2],
    /// Priors of each, as the user writes them, where they differ.
    pub priors: Option<[String; 2]>,
    /// Calibrations of each in words, where they differ.
    pub calibrations: Option<[String; 2]>,
    /// How many beliefs moved, also those that are not listed.
    pub n_moved: usize,
    /// Beliefs that moved, farthest first.
    pub moved: Vec<Moved>,
}

/// Compares two models of the same columns. Beliefs are those before calibration, and of classes as a whole where these have several
/// components: EM finds components anew, and none of one model is a certain one of the other.
///
/// # Errors
/// When their targets differ or they were not counted alike.
pub fn difference(a: &NaiveBayesModel, b: &NaiveBayesModel) -> Result<Difference, Error> {
    let (mut before, mut after) = align(of_whole_classes(a)?, of_whole_classes(b)?)?;
    // A calibration may not know all classes of the two.
    before.calibrator = None;
    after.calibrator = None;
    let [old, new] = [NaiveBayesModel::from_parts(before)?, NaiveBayesModel::from_parts(after)?];
    let mut moved = of_classes(&old, &new);
    for (place, attribute) in old.statistic().attributes().iter().enumerate() {
        match (attribute, &new.statistic().attributes()[place]) {
            (AttributeStatistic::Counts(_), AttributeStatistic::Counts(_))
            | (AttributeStatistic::Words(_), AttributeStatistic::Words(_)) => {
                let names = old.schema().variables()[place].kind.states().map_or(&[][..], |states| states.names());
                moved.extend(of_values(&old, &new, place, names.iter().map(|name| Value::State(name.clone()))));
            }
            (AttributeStatistic::Binned { cuts, .. }, AttributeStatistic::Binned { .. }) => {
                let bin = |bin: usize| Value::Bin { above: bin.checked_sub(1).map(|below| cuts[below]), up_to: cuts.get(bin).copied() };
                moved.extend(of_values(&old, &new, place, (0..=cuts.len()).map(bin)));
            }
            (AttributeStatistic::Moments(x), AttributeStatistic::Moments(y)) => {
                let name = &old.schema().variables()[place].name;
                for (class, (x, y)) in old.classes().iter().zip(x.of_class().iter().zip(y.of_class())) {
                    moved.extend(of_moments(name, class, x, y));
                }
            }
            _ => {}
        }
    }
    moved.retain(Moved::has_moved);
    // Where one model has no belief it is farther than any number; of equals, the earlier column stays first.
    moved.sort_by(|p, q| q.moved.unwrap_or(f64::INFINITY).total_cmp(&p.moved.unwrap_or(f64::INFINITY)));
    Ok(Difference {
        rows: [a, b].map(|model| model.observed().n_rows()),
        priors: (a.prior() != b.prior()).then(|| [a, b].map(NaiveBayesModel::prior_words)),
        calibrations: calibrations(a, b),
        n_moved: moved.len(),
        moved,
    })
}

/// The model with one component a class.
fn of_whole_classes(model: &NaiveBayesModel) -> Result<Stored, Error> {
    let mut parts = model.parts().clone();
    if let Some(from) = parts.unlabelled.as_mut().filter(|from| from.mixture.is_some()) {
        from.statistic = from.by_class()?.into_owned();
        from.mixture = None;
    }
    Ok(parts)
}

/// The classes' own probabilities.
fn of_classes(old: &NaiveBayesModel, new: &NaiveBayesModel) -> Vec<Moved> {
    let ln = old.posterior().ln_class_prior().iter().zip(new.posterior().ln_class_prior());
    old.classes()
        .iter()
        .zip(ln)
        .map(|(class, (x, y))| Moved {
            variable: old.posterior().target().into(),
            what: Believed::Probability(Value::State(class.clone())),
            given: None,
            parent: None,
            before: Some(x.exp()),
            after: Some(y.exp()),
            moved: Some((x - y).abs()),
        })
        .collect()
}

/// The beliefs of the states or bins of a column given every class.
fn of_values(old: &NaiveBayesModel, new: &NaiveBayesModel, place: usize, values: impl Iterator<Item = Value>) -> Vec<Moved> {
    let id = VarId::new(place);
    let mut moved = Vec::new();
    for (state, value) in values.enumerate() {
        let [x, y] = [old, new].map(|model| model.of_state(id, state));
        let what = match new.state_belief(id) {
            StateBelief::Probability => Believed::Probability(value),
            StateBelief::NoOther => Believed::ProbabilityOfNoOther(value),
            StateBelief::Share => Believed::Share(value),
        };
        for (class, name) in old.classes().iter().enumerate() {
            // Nothing is believed given what is impossible.
            let of = |p: &Option<Vec<f64>>, model: &NaiveBayesModel| {
                p.as_ref().filter(|_| model.posterior().ln_class_prior()[class] > f64::NEG_INFINITY).map(|p| p[class])
            };
            let (before, after) = (of(&x, old), of(&y, new));
            let by = before.zip(after).map(|(x, y)| (x.ln() - y.ln()).abs());
            let variable = old.schema().variable(id).name.clone();
            moved.push(Moved { variable, what: what.clone(), given: Some(name.clone()), parent: None, before, after, moved: by });
        }
    }
    moved
}

/// The mean and the standard deviation of a column given a class.
fn of_moments(variable: &str, class: &str, x: &Moments, y: &Moments) -> [Moved; 2] {
    let mean = |m: &Moments| (m.weight > 0.0).then_some(m.mean);
    let sd = |m: &Moments| m.variance().map(f64::sqrt);
    let in_sd = |(x_mean, y_mean): (f64, f64)| {
        let scale = [sd(x), sd(y)].into_iter().flatten().find(|sd| *sd > 0.0);
        scale.map_or(f64::INFINITY, |sd| (y_mean - x_mean).abs() / sd)
    };
    let in_nats = |(x, y): (f64, f64)| (y.ln() - x.ln()).abs();
    let moved = |what: Believed, before: Option<f64>, after: Option<f64>, by: Option<f64>| Moved {
        variable: variable.into(),
        what,
        given: Some(class.into()),
        parent: None,
        before,
        after,
        moved: by,
    };
    [
        moved(Believed::Mean, mean(x), mean(y), mean(x).zip(mean(y)).map(in_sd)),
        moved(Believed::Sd, sd(x), sd(y), sd(x).zip(sd(y)).map(in_nats)),
    ]
}

fn calibrations(a: &NaiveBayesModel, b: &NaiveBayesModel) -> Option<[String; 2]> {
    let state = |model: &NaiveBayesModel| (model.calibrator().cloned(), model.calibrator_is_stale());
    if state(a) == state(b) {
        return None;
    }
    Some([a, b].map(|model| match model.calibrator() {
        None => "none".into(),
        Some(calibrator) => {
            let stale = if model.calibrator_is_stale() { ", fitted before the last change" } else { "" };
            format!("{}{stale}", format!("{:?}", calibrator.method()).to_lowercase())
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ComponentPlan, EvaluationPlan, LearnOptions, Unlabelled, learn};

    fn model(text: &str, options: &LearnOptions) -> NaiveBayesModel {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        let mut options = LearnOptions { evaluation: EvaluationPlan::None, ..options.clone() };
        options.read.target = Some("y".into());
        learn(&[&path], &options).unwrap().model
    }

    #[test]
    fn bins_that_moved_are_named() {
        // Cut at 1.5 in both; one more row of q lies below it.
        let options = LearnOptions { bins: Some("bins:width:2".parse().unwrap()), ..LearnOptions::default() };
        let a = model("x,y\n1.0,p\n1.25,p\n2.0,q\n1.75,q\n", &options);
        let b = model("x,y\n1.0,p\n1.25,p\n2.0,q\n1.75,q\n1.125,q\n1.375,p\n", &options);
        let found = difference(&a, &b).unwrap();
        let low = Believed::Probability(Value::Bin { above: None, up_to: Some(1.5) });
        let moved = found.moved.iter().find(|m| m.what == low && m.given.as_deref() == Some("q")).unwrap();
        assert!((moved.before.unwrap() - 1.0 / 4.0).abs() < 1e-12 && (moved.after.unwrap() - 2.0 / 5.0).abs() < 1e-12);
    }

    #[test]
    fn a_state_may_be_called_mean_and_a_class_may_be_new() {
        let options = LearnOptions::default();
        let a = model("x,w,y\n1.5,mean,p\n2.5,sd,p\n3.25,mean,q\n4.75,sd,q\n", &options);
        let b = model("x,w,y\n1.5,mean,p\n2.5,mean,p\n3.25,mean,q\n4.75,sd,q\n5.5,sd,r\n6.5,sd,r\n", &options);
        let found = difference(&a, &b).unwrap();
        let of = |variable: &str, what: Believed, class: &str| {
            let moved = found.moved.iter().find(|m| m.variable == variable && m.what == what && m.given.as_deref() == Some(class));
            moved.map(|m| (m.before, m.after, m.moved))
        };
        let state = |name: &str| Believed::Probability(Value::State(name.into()));
        assert_eq!(of("w", state("mean"), "p").unwrap().0, Some(0.5));
        assert_eq!(of("x", Believed::Mean, "r"), Some((None, Some(6.0), None)));
        assert_eq!(of("x", Believed::Sd, "r"), Some((None, Some(0.5), None)));
        assert_eq!(of("w", state("sd"), "r").unwrap().0, None);
        assert!(found.moved.iter().all(|m| [m.before, m.after, m.moved].iter().flatten().all(|x| !x.is_nan())));
    }

    #[test]
    fn a_calibration_that_came_is_told() {
        let text: String = "x,y\n".to_string() + &(0..200).map(|i| format!("{}.5,{}\n", i * 7 % 90, ["p", "q"][i % 2])).collect::<String>();
        let plain = LearnOptions::default();
        let a = model(&text, &plain);
        let b = model(&text, &LearnOptions { calibration: Some(evaluate::Method::Sigmoid), ..plain });
        let found = difference(&a, &b).unwrap();
        assert_eq!(found.calibrations, Some(["none".into(), "sigmoid".into()]));
        assert!(found.moved.is_empty());
        assert_eq!(difference(&b, &b).unwrap().calibrations, None);
    }

    #[test]
    fn classes_of_several_components_are_compared_whole() {
        let components = Some(ComponentPlan { each: 2, of_class: Vec::new() });
        let mixed = LearnOptions {
            unlabelled: Some(Unlabelled { components, lambda: Some(1.0), ..Unlabelled::default() }),
            ..LearnOptions::default()
        };
        let text = "w,v,y\na,c,p\nb,d,p\na,d,p\nb,c,q\na,c,q\na,d,r\n";
        let (plain, mixed) = (model(text, &LearnOptions::default()), model(text, &mixed));
        assert_eq!(difference(&mixed, &mixed).unwrap().n_moved, 0);
        let moved = difference(&plain, &mixed).unwrap().moved;
        assert!(moved.iter().all(|m| m.moved.is_some_and(|by| by < 1e-9)), "{moved:?}");
    }

    /// A centroid is a share of rows, and a Bernoulli model asks of every state.
    #[test]
    fn what_is_no_probability_is_not_called_one() {
        let mut options = LearnOptions::default();
        let texts = ["w,y\na,p\nb,p\nc,q\na,q\n", "w,y\na,p\nb,p\nc,q\na,q\na,p\n"];
        for (event, what) in [
            (learn::EventModel::NearestCentroid, Believed::Share(Value::State("a".into()))),
            (learn::EventModel::Bernoulli, Believed::ProbabilityOfNoOther(Value::State("a".into()))),
        ] {
            options.prior.event = event;
            let found = difference(&model(texts[0], &options), &model(texts[1], &options)).unwrap();
            let moved = found.moved.iter().find(|m| m.what == what && m.given.as_deref() == Some("p")).unwrap();
            if event == learn::EventModel::NearestCentroid {
                assert_eq!((moved.before, moved.after), (Some(0.5), Some(2.0 / 3.0)));
            }
        }
    }
}
