//! Removes an arc: the closest distribution in which the child does not listen to this parent.
//!
//! Of all distributions of the graph without the arc, the one of least Kullback–Leibler divergence from the network has P(child |
//! other parents) as the network has it, Σ P(child | other parents, parent) P(parent | other parents), and leaves every other
//! family as it is (Koller & Friedman 2009, chapter 8: the M-projection keeps the families' marginals). If the parent does not
//! matter, nothing changes.

use crate::conditional::{Conditional, MAX_EXPANSION};
use crate::d_separation::{Separation, d_separation};
use crate::error::NetError;
use crate::evidence::Evidence;
use crate::factor_graph::FactorGraph;
use crate::network::Network;
use crate::variable_elimination::eliminate;
use belief::VarId;

impl Network {
    /// The network without an arc, as near to this one as can be. A noisy-MAX stays one if the parent is independent of the others:
    /// what it did joins the leak. Otherwise the child's distribution becomes a table. Where the other parents are in a
    /// configuration that is impossible, the parent is taken to be as it is without knowing of them.
    ///
    /// # Errors
    /// When there is no such arc, or a table would be too large.
    ///
    /// ```
    /// use tunbridge_net::Network;
    /// let network = Network::builder()
    ///     .variable("Rain", ["yes", "no"]).probabilities([0.25, 0.75])
    ///     .variable("Wet", ["yes", "no"]).given(["Rain"]).probabilities([1.0, 0.0,  0.5, 0.5])
    ///     .build()?;
    /// let parted = network.without_arc("Rain", "Wet")?;
    /// assert_eq!(*parted.table(parted.find("Wet")?)?, [0.625, 0.375]);
    /// # Ok::<(), tunbridge_net::NetError>(())
    /// ```
    pub fn without_arc(&self, parent: &str, child: &str) -> Result<Self, NetError> {
        let (from, to) = self.arc(parent, child)?;
        let place = self.dag().parents(to).iter().position(|&other| other == from).expect("the arc is there");
        let mut others = self.dag().parents(to).to_vec();
        others.remove(place);
        let graph = FactorGraph::from(self);
        let alone = self.joint(&graph, &[from])?;
        let apart = d_separation(self.dag(), &[from], &others, &[]) == Separation::Independent;
        let conditional = match self.conditional(to) {
            Conditional::NoisyMax(noisy) if apart => {
                let effects = &noisy.causes()[place].effects;
                let mut effect = vec![0.0; noisy.n_states()];
                for (state, p) in alone.iter().enumerate() {
                    effect.iter_mut().zip(effects.row(state)).for_each(|(sum, value)| *sum += p * value);
                }
                Conditional::NoisyMax(noisy.with_cause_in_leak(place, &effect).map_err(|fault| self.told_of(to, fault))?)
            }
            _ => {
                let family: Vec<VarId> = others.iter().copied().chain([from]).collect();
                let weights = if apart { alone.clone() } else { self.joint(&graph, &family)? };
                let n_from = self.n_states(from);
                let mut row = 0;
                self.table_over(to, &others, |assignment, values| {
                    let weights = if apart { &weights[..] } else { &weights[row * n_from..][..n_from] };
                    row += 1;
                    let total: f64 = weights.iter().sum();
                    let (weights, total) = if total > 0.0 { (weights, total) } else { (&alone[..], 1.0) };
                    for state in 0..self.n_states(to) {
                        assignment[to.index()] = state;
                        values.push(
                            (0..n_from)
                                .map(|at| {
                                    assignment[from.index()] = at;
                                    weights[at] / total * self.local_probability(to, assignment)
                                })
                                .sum(),
                        );
                    }
                })?
            }
        };
        self.with_families(vec![(to, others, conditional)])
    }

    /// The joint of some variables, the last fastest.
    fn joint(&self, graph: &FactorGraph, of: &[VarId]) -> Result<Vec<f64>, NetError> {
        let answer = eliminate(graph, of, &Evidence::none(), MAX_EXPANSION)?;
        Ok(answer.possible().ok_or(NetError::Underflow)?.probabilities)
    }
}
