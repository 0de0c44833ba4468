//! Entropy and mutual information of a joint, in nats.
//!
//! Shannon 1948. Given a variable that no state is known of, both are the average over its states, as Cover & Thomas 2006, sections 2.2 and 2.5,
//! define them. Neither is ever below zero: what rounding leaves below is zero.

use super::reply::states_at;
use crate::evidence::JointDistribution;
use belief::{CompensatedSum, VarId};

/// H(variables | given) = H(variables, given) − H(given), summed as −Σ p(v, g) ln p(v | g).
pub(super) fn entropy(joint: &JointDistribution, shape: &[usize], variables: &[VarId], given: &[VarId]) -> f64 {
    let both = Marginal::of(joint, shape, &[variables, given].concat());
    let given = Marginal::of(joint, shape, given);
    let mut sum = CompensatedSum::default();
    for (place, p) in possible(joint) {
        sum.add(-p * (both.at(place) / given.at(place)).ln());
    }
    sum.value().max(0.0)
}

/// I(first; second | given) = Σ p(f, s, g) ln (p(f, s, g) p(g) / (p(f, g) p(s, g))).
pub(super) fn mutual_information(joint: &JointDistribution, shape: &[usize], first: &[VarId], second: &[VarId], given: &[VarId]) -> f64 {
    let of = |variables: &[&[VarId]]| Marginal::of(joint, shape, &variables.concat());
    let (all, left, right, given) = (of(&[first, second, given]), of(&[first, given]), of(&[second, given]), of(&[given]));
    let mut sum = CompensatedSum::default();
    for (place, p) in possible(joint) {
        sum.add(p * ((all.at(place) / left.at(place)) / (right.at(place) / given.at(place))).ln());
    }
    sum.value().max(0.0)
}

fn possible(joint: &JointDistribution) -> impl Iterator<Item = (usize, f64)> + '_ {
    joint.probabilities.iter().copied().enumerate().filter(|(_, p)| *p > 0.0)
}

/// The marginal of some variables, looked up by places of the joint.
struct Marginal {
    sums: Vec<CompensatedSum>,
    /// For each place of the joint, that of the marginal.
    places: Vec<usize>,
}

impl Marginal {
    fn of(joint: &JointDistribution, shape: &[usize], variables: &[VarId]) -> Self {
        let mut axes: Vec<usize> =
            variables.iter().map(|variable| joint.variables.iter().position(|other| other == variable).expect("of the joint")).collect();
        axes.sort_unstable();
        axes.dedup();
        let mut sums = vec![CompensatedSum::default(); axes.iter().map(|&axis| shape[axis]).product()];
        let mut places = Vec::with_capacity(joint.probabilities.len());
        for (place, &p) in joint.probabilities.iter().enumerate() {
            let states = states_at(shape, place);
            let at = axes.iter().fold(0, |at, &axis| at * shape[axis] + states[axis]);
            sums[at].add(p);
            places.push(at);
        }
        Self { sums, places }
    }

    fn at(&self, place: usize) -> f64 {
        self.sums[self.places[place]].value()
    }
}
