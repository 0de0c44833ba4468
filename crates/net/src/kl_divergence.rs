//! The Kullback–Leibler divergence of one network from another over the same variables: how much is lost by believing the second
//! when the first is true.
//!
//! D(P‖Q) = Σ P(x) ln P(x)/Q(x) is a sum over families, for both logarithms are sums over them (Koller & Friedman 2009, chapter 8):
//! every family that differs needs the marginal of P over it, by variable elimination; one that is the same in both adds nothing. Where
//! all parents that a variable has in Q are its parents in P too, each row of P adds Σ p ln(p/q) − p + q, of which no term is negative, so
//! that small divergences keep digits.

use crate::error::NetError;
use crate::evidence::Evidence;
use crate::factor_graph::FactorGraph;
use crate::network::Network;
use crate::variable_elimination::eliminate;
use belief::{CompensatedSum, VarId};

/// How far a network is from another.
#[derive(Clone, Debug, PartialEq)]
pub enum Divergence {
    /// So many nats; divided by ln 2, bits.
    Finite {
        /// Nats.
        nats: f64,
    },
    /// The first holds possible what the second does not.
    Infinite {
        /// A configuration of one family that the first gives a probability above zero and the second none: variables of the first,
        /// each with its state.
        configuration: Vec<(VarId, usize)>,
    },
}

/// D(P‖Q). Variables and states are matched by name, whatever their order.
///
/// `max_entries` bounds every table that is made.
///
/// # Errors
/// When the networks are not over the same variables and states, or a table would be larger than allowed.
///
/// ```
/// use tunbridge_net::{Divergence, Network, kl_divergence};
/// let coin = |heads: f64| Network::builder().variable("Coin", ["heads", "tails"]).probabilities([heads, 1.0 - heads]).build();
/// let Divergence::Finite { nats } = kl_divergence(&coin(0.5)?, &coin(0.25)?, 1 << 20)? else { unreachable!() };
/// assert!((nats - (0.5 * 2.0_f64.ln() + 0.5 * (2.0_f64 / 3.0).ln())).abs() < 1e-15);
/// assert!(matches!(kl_divergence(&coin(0.5)?, &coin(1.0)?, 1 << 20)?, Divergence::Infinite { .. }));
/// # Ok::<(), tunbridge_net::NetError>(())
/// ```
pub fn kl_divergence(p: &Network, q: &Network, max_entries: usize) -> Result<Divergence, NetError> {
    let matched = Matched::new(p, q)?;
    let graph = FactorGraph::from(p);
    let mut nats = CompensatedSum::default();
    for variable in p.domain().variables() {
        let mut in_p = p.dag().parents(variable).to_vec();
        let mut in_q: Vec<VarId> =
            q.dag().parents(matched.in_q[variable.index()]).iter().map(|other| matched.in_p[other.index()]).collect();
        if in_p == in_q && matched.is_same(q, variable) {
            continue;
        }
        let row_by_row = in_q.iter().all(|parent| in_p.contains(parent));
        in_p.push(variable);
        in_q.push(variable);
        if !row_by_row {
            let joint = joint_of(&graph, &in_p, max_entries)?;
            matched.walk(&in_p, |place, in_p, _| {
                if joint[place] > 0.0 {
                    nats.add(joint[place] * p.local_probability(variable, in_p).ln());
                }
                true
            });
        }
        let family = if row_by_row { &in_p } else { &in_q };
        let joint = joint_of(&graph, family, max_entries)?;
        let n_states = p.n_states(variable);
        let of_rows: Vec<f64> = joint.chunks(n_states).map(|row| row.iter().sum()).collect();
        let mut nowhere = None;
        matched.walk(family, |place, at_p, at_q| {
            let by_q = q.local_probability(matched.in_q[variable.index()], at_q);
            if joint[place] > 0.0 && by_q == 0.0 {
                nowhere = Some(family.iter().map(|&member| (member, at_p[member.index()])).collect());
            } else if row_by_row {
                // A row that never comes about may hold anything in either.
                let of_row = of_rows[place / n_states];
                if of_row > 0.0 {
                    nats.add(of_row * term(p.local_probability(variable, at_p), by_q));
                }
            } else if joint[place] > 0.0 {
                nats.add(-joint[place] * by_q.ln());
            }
            nowhere.is_none()
        });
        if let Some(configuration) = nowhere {
            return Ok(Divergence::Infinite { configuration });
        }
    }
    // What is zero may come out a rounding below.
    Ok(Divergence::Finite { nats: nats.value().max(0.0) })
}

/// p ln(p/q) − p + q, which is never negative.
fn term(p: f64, q: f64) -> f64 {
    if p == 0.0 {
        return q;
    }
    let off = (q - p) / p;
    // ln(1 + off) is exact where off is small, and q/p may be beyond the doubles where it is large.
    if off.abs() < 0.5 { p * (off - off.ln_1p()) } else { (p * (p.ln() - q.ln()) + (q - p)).max(0.0) }
}

fn joint_of(graph: &FactorGraph, family: &[VarId], max_entries: usize) -> Result<Vec<f64>, NetError> {
    let answer = eliminate(graph, family, &Evidence::none(), max_entries)?;
    Ok(answer.possible().ok_or(NetError::Underflow)?.probabilities)
}

/// Which variable and state of one network is which of the other.
struct Matched<'a> {
    p: &'a Network,
    in_q: Vec<VarId>,
    in_p: Vec<VarId>,
    /// For each variable of the first and each state, the state of the second.
    states: Vec<Vec<usize>>,
}

impl<'a> Matched<'a> {
    fn new(p: &'a Network, q: &Network) -> Result<Self, NetError> {
        let other = |name: &str| NetError::OtherVariables { variable: name.to_string() };
        let counterparts = |of: &Network, among: &Network| -> Result<Vec<VarId>, NetError> {
            of.domain().names().iter().map(|name| among.find(name).map_err(|_| other(name))).collect()
        };
        let (in_q, in_p) = (counterparts(p, q)?, counterparts(q, p)?);
        let mut states = Vec::with_capacity(in_q.len());
        for (variable, &counterpart) in p.domain().variables().zip(&in_q) {
            let name = p.name(variable);
            if p.n_states(variable) != q.n_states(counterpart) {
                return Err(other(name));
            }
            let state = |state: &String| q.find_state(counterpart, state).map_err(|_| other(name));
            states.push(p.states(variable).iter().map(state).collect::<Result<_, _>>()?);
        }
        Ok(Self { p, in_q, in_p, states })
    }

    /// Whether a variable whose parents are the same, in the same order, has the same distribution, with all states of the family in the same order.
    fn is_same(&self, q: &Network, variable: VarId) -> bool {
        let in_order = |member: &VarId| self.states[member.index()].iter().enumerate().all(|(state, other)| state == *other);
        let family = || self.p.dag().parents(variable).iter().chain([&variable]);
        family().all(in_order) && self.p.conditional(variable) == q.conditional(self.in_q[variable.index()])
    }

    /// Calls for every configuration of these variables, the last fastest, with its number and a state for every variable of both
    /// networks, as long as it is told to go on.
    fn walk(&self, of: &[VarId], mut go_on: impl FnMut(usize, &[usize], &[usize]) -> bool) {
        let (mut at_p, mut at_q) = (vec![0; self.in_q.len()], vec![0; self.in_q.len()]);
        let set = |variable: VarId, state: usize, at_p: &mut [usize], at_q: &mut [usize]| {
            at_p[variable.index()] = state;
            at_q[self.in_q[variable.index()].index()] = self.states[variable.index()][state];
        };
        of.iter().for_each(|&variable| set(variable, 0, &mut at_p, &mut at_q));
        let mut place = 0;
        while go_on(place, &at_p, &at_q) {
            let Some(next) = of.iter().rposition(|&other| at_p[other.index()] + 1 < self.p.n_states(other)) else { return };
            let state = at_p[of[next].index()] + 1;
            set(of[next], state, &mut at_p, &mut at_q);
            of[next + 1..].iter().for_each(|&variable| set(variable, 0, &mut at_p, &mut at_q));
            place += 1;
        }
    }
}
