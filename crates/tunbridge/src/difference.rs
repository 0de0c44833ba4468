//! What changed between two models: which beliefs moved, and by how much.

use belief::VarId;
use learn::{AttributeStatistic, NaiveBayes, NaiveBayesPrior};
use serde::Serialize;

use crate::align::align;
use crate::{Error, NaiveBayesModel};

/// One belief that moved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moved {
    /// The variable; the target for a class's own probability.
    pub variable: String,
    /// The state, or `mean` or `sd` of a numeric variable.
    pub value: String,
    /// The class it is believed given; `None` for the class's own probability.
    pub given: Option<String>,
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
    /// How far it moved: in nats for probabilities, in standard deviations of the first model for means, as the logarithm of the ratio for
    /// standard deviations.
    pub moved: f64,
}

/// What changed between two models.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// Rows of each.
    pub rows: [f64; 2],
    /// Priors of each, as the user writes them, where they differ.
    pub priors: Option<[String; 2]>,
    /// Beliefs that moved, farthest first.
    pub moved: Vec<Moved>,
}

/// Compares two models of the same columns.
///
/// # Errors
/// When their targets differ or they were not counted alike.
pub fn difference(a: &NaiveBayesModel, b: &NaiveBayesModel) -> Result<Difference, Error> {
    let (before, after) = align(a.parts().clone(), b.parts().clone())?;
    let (old, new) = (
        NaiveBayes::new(&before.schema, &before.statistic, &before.prior)?,
        NaiveBayes::new(&after.schema, &after.statistic, &after.prior)?,
    );
    let classes = old.class_names().to_vec();
    let mut moved = Vec::new();
    let mut push = |variable: &str, value: &str, given: Option<&str>, x: f64, y: f64, by: f64| {
        if x != y && !(x.is_nan() && y.is_nan()) {
            moved.push(Moved {
                variable: variable.into(),
                value: value.into(),
                given: given.map(Into::into),
                before: x,
                after: y,
                moved: by,
            });
        }
    };
    for (class, name) in classes.iter().enumerate() {
        let (x, y) = (old.ln_class_prior()[class], new.ln_class_prior()[class]);
        push(old.target(), name, None, x.exp(), y.exp(), distance(x, y));
    }
    for (place, variable) in before.schema.variables().iter().enumerate() {
        match (&before.statistic.attributes()[place], &after.statistic.attributes()[place]) {
            (AttributeStatistic::Counts(_), AttributeStatistic::Counts(_)) => {
                let id = VarId::new(place);
                let Some(states) = before.schema.states(id) else { continue };
                for (state, state_name) in states.names().iter().enumerate() {
                    // A state that one model never met has no probability there.
                    let ln = |model: &NaiveBayes, class: usize| model.ln_state(id, state).map_or(f64::NAN, |ln| ln[class]);
                    for (class, class_name) in classes.iter().enumerate() {
                        let (x, y) = (ln(&old, class), ln(&new, class));
                        push(&variable.name, state_name, Some(class_name), x.exp(), y.exp(), distance(x, y));
                    }
                }
            }
            (AttributeStatistic::Moments(x), AttributeStatistic::Moments(y)) => {
                for (class, class_name) in classes.iter().enumerate() {
                    let (x, y) = (x.of_class()[class], y.of_class()[class]);
                    let sd = |m: belief::Moments| m.variance().unwrap_or(f64::NAN).sqrt();
                    let (sd_x, sd_y) = (sd(x), sd(y));
                    push(&variable.name, "mean", Some(class_name), x.mean, y.mean, (y.mean - x.mean).abs() / sd_x.max(f64::MIN_POSITIVE));
                    push(&variable.name, "sd", Some(class_name), sd_x, sd_y, (sd_y / sd_x).ln().abs());
                }
            }
            _ => {}
        }
    }
    moved.sort_by(|p, q| {
        q.moved.total_cmp(&p.moved).then_with(|| (&p.variable, &p.value, &p.given).cmp(&(&q.variable, &q.value, &q.given)))
    });
    Ok(Difference {
        rows: [a.statistic().n_rows(), b.statistic().n_rows()],
        priors: (a.prior() != b.prior()).then(|| [a, b].map(|model| prior_words(model.prior()))),
        moved,
    })
}

/// A prior as the user writes it.
pub(crate) fn prior_words(prior: &NaiveBayesPrior) -> String {
    format!("{}, class prior {}, numbers {}", prior.estimate, prior.class, prior.numeric)
}

/// |ln x − ln y|, zero when both are impossible.
fn distance(x: f64, y: f64) -> f64 {
    if x == y { 0.0 } else { (x - y).abs() }
}
