//! d-separation: which variables the graph makes independent, and the active trail when it does not.
//!
//! Bayes ball (Shachter 1998, "Bayes-Ball: The Rational Pastime"), in the form of Koller & Friedman 2009, Algorithm 3.1: a ball that
//! visits each variable at most once from above and once from below, so that time is linear in variables and arcs. It speaks of the
//! graph alone: tables with zeros, equal rows or the like may make more independent, never less.

use crate::dag::Dag;
use belief::VarId;
use std::collections::VecDeque;

/// What the graph says of two sets of variables given a third.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Separation {
    /// Every distribution of this graph makes them independent.
    Independent,
    /// Some distributions of this graph make them dependent, along this trail.
    Dependent {
        /// A shortest active trail, from a variable of the first set to one of the second.
        trail: Vec<VarId>,
    },
}

/// Where the ball comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Parent,
    Child,
}

/// Whether variables are independent of others given a third set. Variables that are given are independent of everything; a variable in both
/// sets that is not given depends on itself.
///
/// # Complexity
/// Linear in variables and arcs.
///
/// # Panics
/// When a variable is not in the graph.
///
/// ```
/// use tunbridge_net::Structure;
/// use tunbridge_net::d_separation::{Separation, d_separation};
/// let mut flu = Structure::new(["Flu", "Allergy", "Sinus", "Nose"])?;
/// for (parent, child) in [("Flu", "Sinus"), ("Allergy", "Sinus"), ("Sinus", "Nose")] {
///     flu.add_arc(parent, child)?;
/// }
/// let ids = flu.find_all(&["Flu", "Allergy", "Sinus", "Nose"])?;
/// let [flu_id, allergy, sinus, nose] = ids[..] else { unreachable!() };
/// assert_eq!(d_separation(flu.dag(), &[flu_id], &[nose], &[sinus]), Separation::Independent);
/// assert_eq!(d_separation(flu.dag(), &[flu_id], &[allergy], &[]), Separation::Independent);
/// // A common effect, once seen, makes its causes rivals.
/// let rivals = d_separation(flu.dag(), &[flu_id], &[allergy], &[nose]);
/// assert_eq!(rivals, Separation::Dependent { trail: vec![flu_id, sinus, allergy] });
/// # Ok::<(), tunbridge_net::NetError>(())
/// ```
pub fn d_separation(dag: &Dag, first: &[VarId], second: &[VarId], given: &[VarId]) -> Separation {
    let wanted = marks(dag, second);
    let mut reached = Reached::from(dag, first, given);
    match reached.roll_until(|variable| wanted[variable.index()]) {
        Some(place) => Separation::Dependent { trail: reached.trail(place) },
        None => Separation::Independent,
    }
}

/// The variables that depend on these given others, by the graph: those an active trail leads to, themselves included, in order.
///
/// # Panics
/// When a variable is not in the graph.
pub fn reachable(dag: &Dag, from: &[VarId], given: &[VarId]) -> Vec<VarId> {
    let mut reached = Reached::from(dag, from, given);
    reached.roll_until(|_| false);
    let found =
        marks(dag, &reached.visits.iter().filter(|visit| !reached.given[visit.at.index()]).map(|visit| visit.at).collect::<Vec<_>>());
    dag.variables().filter(|variable| found[variable.index()]).collect()
}

/// A visit of the ball, and the visit it came from.
struct Visit {
    at: VarId,
    from: From,
    before: Option<usize>,
}

struct Reached<'a> {
    dag: &'a Dag,
    given: Vec<bool>,
    /// Given variables and all above them: a collider among them lets the ball through.
    informed: Vec<bool>,
    seen: [Vec<bool>; 2],
    visits: Vec<Visit>,
    waiting: VecDeque<usize>,
}

impl<'a> Reached<'a> {
    fn from(dag: &'a Dag, first: &[VarId], given: &[VarId]) -> Self {
        let n_variables = dag.n_variables();
        let seen = [vec![false; n_variables], vec![false; n_variables]];
        let informed = dag.ancestral_set(given);
        let mut reached = Self { dag, given: marks(dag, given), informed, seen, visits: Vec::new(), waiting: VecDeque::new() };
        for &start in first {
            // As if from a child: the ball may go up and down.
            if !reached.given[start.index()] {
                reached.visit(start, From::Child, None);
            }
        }
        reached
    }

    /// Rolls the ball breadth first, until it meets what is wanted.
    fn roll_until(&mut self, wanted: impl Fn(VarId) -> bool) -> Option<usize> {
        while let Some(place) = self.waiting.pop_front() {
            let Visit { at, from, .. } = self.visits[place];
            let given = self.given[at.index()];
            if wanted(at) && !given {
                return Some(place);
            }
            let dag = self.dag;
            let (up, down) = match from {
                From::Child => (!given, !given),
                From::Parent => (self.informed[at.index()], !given),
            };
            if up {
                dag.parents(at).iter().for_each(|&parent| self.visit(parent, From::Child, Some(place)));
            }
            if down {
                dag.children(at).iter().for_each(|&child| self.visit(child, From::Parent, Some(place)));
            }
        }
        None
    }

    fn visit(&mut self, at: VarId, from: From, before: Option<usize>) {
        if !std::mem::replace(&mut self.seen[from as usize][at.index()], true) {
            self.waiting.push_back(self.visits.len());
            self.visits.push(Visit { at, from, before });
        }
    }

    /// The way to a visit. A collider that lets the ball through because of a variable below it stands for the way down and back.
    fn trail(&self, place: usize) -> Vec<VarId> {
        let mut trail: Vec<VarId> =
            std::iter::successors(Some(place), |&place| self.visits[place].before).map(|place| self.visits[place].at).collect();
        trail.reverse();
        trail
    }
}

fn marks(dag: &Dag, of: &[VarId]) -> Vec<bool> {
    let mut marked = vec![false; dag.n_variables()];
    of.iter().for_each(|variable| marked[variable.index()] = true);
    marked
}
