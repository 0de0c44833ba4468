//! What changed between two models of averaged one-dependence estimators: which beliefs moved, of classes, of values, and of values given others.

use std::cmp::Ordering;

use belief::Schema;
use learn::Aode;

use super::change::lined_up;
use super::model::AodeModel;
use crate::Error;
use crate::difference::{Believed, Difference, Moved, Parent, Value, have_moved};

/// Compares two models of the same columns. There is a belief for each pair of values and class: `most` says how many to list of those that moved.
///
/// Beliefs are what the models reckon with: P(class), P(value | class), of values that may be parents P(value, class), and P(value | class, parent)
/// of all others given each of these.
///
/// # Errors
/// When their targets differ or they were not counted alike.
///
/// ```
/// use tunbridge::aode::{self, AodeOptions};
/// use tunbridge::{Believed, Value};
/// # let folder = tempfile::tempdir()?;
/// # let (old, new) = (folder.path().join("old.csv"), folder.path().join("new.csv"));
/// # std::fs::write(&old, "Up,Down,Lamp\n0,0,off\n0,1,on\n1,0,on\n1,1,off\n")?;
/// # std::fs::write(&new, "Up,Down,Lamp\n0,0,off\n0,1,on\n1,0,on\n1,1,off\n1,1,off\n")?;
/// let mut options = AodeOptions::default();
/// options.read.target = Some("Lamp".into());
/// let [old, new] = [aode::learn(&[&old], &options)?.model, aode::learn(&[&new], &options)?.model];
/// let found = aode::difference(&old, &new, 10)?;
/// assert!(found.moved.len() == 10 && found.n_moved > 10);
/// // With Up=1 one lamp that was off had Down=1, and now two have: Laplace's estimate of Down=0 went from 1/3 to 1/4.
/// let down = found.moved.iter().find(|belief| belief.parent.is_some()).unwrap();
/// let parent = down.parent.as_ref().unwrap();
/// assert_eq!((down.variable.as_str(), parent.variable.as_str(), parent.value.as_str()), ("Down", "Up", "1"));
/// assert_eq!(down.what, Believed::Probability(Value::State("0".into())));
/// assert!((down.before.unwrap() - 1.0 / 3.0).abs() < 1e-15 && (down.after.unwrap() - 1.0 / 4.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn difference(a: &AodeModel, b: &AodeModel, most: usize) -> Result<Difference, Error> {
    let (before, after) = lined_up(a.parts().clone(), b.parts().clone())?;
    let [old, new] = [AodeModel::from_parts(before)?, AodeModel::from_parts(after)?];
    let n_states = old.statistic().pairs().n_states();
    let values: Vec<(usize, usize)> =
        n_states.iter().enumerate().flat_map(|(attribute, n)| (0..*n).map(move |state| (attribute, state))).collect();
    let mut moves = Moves { models: [old.posterior(), new.posterior()], found: Vec::new() };
    moves.compare(Belief::Class, |model| Some(model.ln_class()));
    for value in &values {
        moves.compare(Belief::GivenClass(*value), |model| model.ln_given_class(*value));
        moves.compare(Belief::WithClass(*value), |model| model.ln_with_class(*value));
    }
    for parent in &values {
        for child in values.iter().filter(|child| child.0 != parent.0) {
            moves.compare(Belief::GivenParent(*child, *parent), |model| model.ln_given_parent(*child, *parent));
        }
    }
    // Where one model has no belief it is farther than any number; of equals, the earlier column stays first.
    moves.found.sort_by(Move::farthest_first);
    let n_moved = moves.found.len();
    Ok(Difference {
        rows: [a, b].map(|model| model.statistic().n_rows()),
        priors: (a.prior() != b.prior()).then(|| [a, b].map(AodeModel::prior_words)),
        calibrations: None,
        n_moved,
        moved: moves.found.iter().take(most).map(|one| one.told(&old)).collect(),
    })
}

/// What is believed, class by class; a value is an attribute and one of its states.
#[derive(Clone, Copy)]
enum Belief {
    Class,
    GivenClass((usize, usize)),
    WithClass((usize, usize)),
    GivenParent((usize, usize), (usize, usize)),
}

/// A belief that moved, without names: there may be millions.
struct Move {
    belief: Belief,
    class: usize,
    before: Option<f64>,
    after: Option<f64>,
    /// In nats; `None` where one model has no such belief.
    distance: Option<f64>,
}

struct Moves<'m> {
    models: [&'m Aode; 2],
    found: Vec<Move>,
}

impl Moves<'_> {
    /// Notes a belief of each class if it is not the same in both.
    fn compare<'a>(&'a mut self, belief: Belief, ln: impl Fn(&'a Aode) -> Option<&'a [f64]>) {
        let models = self.models;
        let [x, y] = models.map(&ln);
        for class in 0..models[0].n_classes() {
            // Nothing is believed given what is impossible.
            let is_possible = |model: &Aode| matches!(belief, Belief::Class) || model.ln_class()[class] > f64::NEG_INFINITY;
            let of = |ln: Option<&[f64]>, model: &Aode| ln.filter(|_| is_possible(model)).map(|ln| ln[class].exp());
            let (before, after) = (of(x, models[0]), of(y, models[1]));
            if have_moved(before, after) {
                let distance = before.zip(after).map(|(x, y)| (x.ln() - y.ln()).abs());
                self.found.push(Move { belief, class, before, after, distance });
            }
        }
    }
}

impl Move {
    fn farthest_first(&self, other: &Self) -> Ordering {
        other.distance.unwrap_or(f64::INFINITY).total_cmp(&self.distance.unwrap_or(f64::INFINITY))
    }

    fn told(&self, model: &AodeModel) -> Moved {
        let (schema, posterior): (&Schema, &Aode) = (model.schema(), model.posterior());
        let class = || posterior.class_names()[self.class].clone();
        let named = |(attribute, state): (usize, usize)| {
            let variable = schema.variable(model.statistic().pairs().variables()[attribute]);
            let state = variable.kind.states().and_then(|states| states.names().get(state)).cloned();
            (variable.name.clone(), state.unwrap_or_default())
        };
        let probability = |value: (usize, usize)| {
            let (variable, state) = named(value);
            (variable, Believed::Probability(Value::State(state)))
        };
        let ((variable, what), given, parent) = match self.belief {
            Belief::Class => ((posterior.target().to_string(), Believed::Probability(Value::State(class()))), None, None),
            Belief::GivenClass(value) => (probability(value), Some(class()), None),
            Belief::WithClass(value) => {
                let (variable, state) = named(value);
                ((variable, Believed::JointProbability(Value::State(state))), Some(class()), None)
            }
            Belief::GivenParent(child, parent) => {
                let (variable, value) = named(parent);
                (probability(child), Some(class()), Some(Parent { variable, value }))
            }
        };
        Moved { variable, what, given, parent, before: self.before, after: self.after, moved: self.distance }
    }
}
