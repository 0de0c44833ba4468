//! Reverses an arc and keeps the distribution (Shachter 1986, "Evaluating influence diagrams", the theorem on arc reversal).
//!
//! Both ends get each other's parents; then P(child | …) = Σ P(parent | …) P(child | parent, …), and the rest is Bayes' theorem.

use crate::conditional::Conditional;
use crate::error::NetError;
use crate::network::Network;
use crate::structure::with_names;
use belief::VarId;

impl Network {
    /// The network with an arc the other way round and the same distribution. Both ends have tables afterwards, over the parents of
    /// both. Where the child is in a state that its parents make impossible, any distribution of the parent would do; it has that
    /// without knowing of the child.
    ///
    /// # Errors
    /// When there is no such arc, another way from parent to child would close a cycle, or a table would be too large.
    ///
    /// ```
    /// use tunbridge_net::Network;
    /// let network = Network::builder()
    ///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
    ///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
    ///     .build()?;
    /// let reversed = network.with_arc_reversed("Cancer", "Test")?;
    /// // Mitchell's example: 0.21 after a positive test.
    /// assert!((reversed.table(reversed.find("Cancer")?)?[0] - 0.00784 / 0.0376).abs() < 1e-15);
    /// # Ok::<(), tunbridge_net::NetError>(())
    /// ```
    pub fn with_arc_reversed(&self, parent: &str, child: &str) -> Result<Self, NetError> {
        let (from, to) = self.arc(parent, child)?;
        self.reversed(from, to)
    }

    pub(super) fn reversed(&self, from: VarId, to: VarId) -> Result<Self, NetError> {
        let mut turned = self.dag().clone();
        turned.remove_arc(from, to);
        turned.add_arc(to, from).map_err(|refused| with_names(refused, self.structure().names()))?;
        let (shared, child) = self.summed_out(from, to)?;
        let parents: Vec<VarId> = shared.iter().copied().chain([to]).collect();
        let (n_from, n_to) = (self.n_states(from), self.n_states(to));
        let parent = self.table_over(from, &parents, |assignment, values| {
            let first = values.len();
            for state in 0..n_from {
                assignment[from.index()] = state;
                values.push(self.local_probability(from, assignment) * self.local_probability(to, assignment));
            }
            let row = &mut values[first..];
            // A product may be too small for a double although neither factor is.
            let total: f64 = row.iter().sum();
            if total >= f64::MIN_POSITIVE / f64::EPSILON {
                row.iter_mut().for_each(|value| *value /= total);
            } else {
                self.posterior_by_logarithms(from, to, assignment, row);
            }
        })?;
        debug_assert_eq!(child.n_states(), n_to);
        self.with_families(vec![(from, parents, parent), (to, shared, child)])
    }

    /// P(child | …) with a parent summed out, and what it is given: the child's other parents and those of the parent.
    pub(super) fn summed_out(&self, from: VarId, to: VarId) -> Result<(Vec<VarId>, Conditional), NetError> {
        let mut shared: Vec<VarId> = self.dag().parents(to).iter().copied().filter(|&other| other != from).collect();
        for &other in self.dag().parents(from) {
            if !shared.contains(&other) {
                shared.push(other);
            }
        }
        let table = self.table_over(to, &shared, |assignment, values| {
            for state in 0..self.n_states(to) {
                assignment[to.index()] = state;
                values.push(
                    (0..self.n_states(from))
                        .map(|at| {
                            assignment[from.index()] = at;
                            self.local_probability(from, assignment) * self.local_probability(to, assignment)
                        })
                        .sum(),
                );
            }
        })?;
        Ok((shared, table))
    }

    /// P(parent | child, …) in a row whose products are too small; the parent's own distribution where they are zero.
    fn posterior_by_logarithms(&self, from: VarId, to: VarId, assignment: &mut [usize], row: &mut [f64]) {
        let mut ln_joint: Vec<f64> = (0..row.len())
            .map(|state| {
                assignment[from.index()] = state;
                self.local_probability(from, assignment).ln() + self.local_probability(to, assignment).ln()
            })
            .collect();
        let largest = ln_joint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY {
            for (state, value) in row.iter_mut().enumerate() {
                assignment[from.index()] = state;
                *value = self.local_probability(from, assignment);
            }
            return;
        }
        ln_joint.iter_mut().for_each(|ln| *ln = (*ln - largest).exp());
        let total: f64 = ln_joint.iter().sum();
        row.iter_mut().zip(ln_joint).for_each(|(value, weight)| *value = weight / total);
    }
}
