//! Marginalises a variable out: the distribution of all others.
//!
//! Its outgoing arcs are reversed, the child that comes first in topological order first, until it is barren; then it is dropped
//! (Shachter 1986). Children so get each other and the variable's parents for parents: what it made dependent stays dependent.

use crate::conditional::Conditional;
use crate::error::NetError;
use crate::network::Network;

impl Network {
    /// The network of all variables but one, with their distribution kept exactly. A noisy-MAX stays one if the variable has no
    /// other child and no parent: what it did joins the leak. Other children have tables afterwards.
    ///
    /// # Errors
    /// When there is no such variable, or a table would be too large.
    ///
    /// ```
    /// use tunbridge_net::Network;
    /// let network = Network::builder()
    ///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
    ///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
    ///     .build()?;
    /// let left = network.without_variable("Cancer")?;
    /// assert_eq!(left.n_variables(), 1);
    /// assert!((left.joint_probability(&[0]) - 0.0376).abs() < 1e-15);
    /// # Ok::<(), tunbridge_net::NetError>(())
    /// ```
    pub fn without_variable(&self, name: &str) -> Result<Self, NetError> {
        let variable = self.find(name)?;
        let order = self.dag().topological_order();
        let children: Vec<_> = order.into_iter().filter(|&other| self.dag().has_arc(variable, other)).collect();
        let Some((&last, earlier)) = children.split_last() else { return self.without_barren(variable) };
        if let (Conditional::NoisyMax(noisy), [], []) = (self.conditional(last), earlier, self.dag().parents(variable)) {
            let mut parents = self.dag().parents(last).to_vec();
            let place = parents.iter().position(|&other| other == variable).expect("a child");
            parents.remove(place);
            let mut effect = vec![0.0; noisy.n_states()];
            for state in 0..self.n_states(variable) {
                let p = self.conditional(variable).probability(0, state);
                effect.iter_mut().zip(noisy.causes()[place].effects.row(state)).for_each(|(sum, value)| *sum += p * value);
            }
            let left = Conditional::NoisyMax(noisy.with_cause_in_leak(place, &effect).map_err(|fault| self.told_of(last, fault))?);
            return self.with_families(vec![(last, parents, left)])?.without_barren(variable);
        }
        let mut network = earlier.iter().try_fold(self.clone(), |network, &child| network.reversed(variable, child))?;
        // The last arc need not be reversed: what it says of the variable goes with it.
        let (parents, conditional) = network.summed_out(variable, last)?;
        network = network.with_families(vec![(last, parents, conditional)])?;
        network.without_barren(variable)
    }
}
