//! Conditions on a state: the distribution of all other variables, given that one is in a state.
//!
//! The arcs into the variable are reversed, the parent that comes last in topological order first, until it has none; then P(state)
//! is read off and its children are cut.

use crate::error::NetError;
use crate::evidence::Answer;
use crate::network::Network;

impl Network {
    /// The network of all other variables, given that this one is in a state, and the probability that it is. Children keep their
    /// kinds; the variable's ancestors that it speaks of have tables afterwards.
    ///
    /// # Errors
    /// When there is no such variable or state, or a table would be too large.
    ///
    /// ```
    /// use tunbridge_net::{Answer, Network};
    /// let network = Network::builder()
    ///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
    ///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
    ///     .build()?;
    /// let tested = network.given_state("Test", "+")?;
    /// assert!((tested.ln_p_evidence() - 0.0376_f64.ln()).abs() < 1e-14);
    /// assert!((tested.possible().unwrap().joint_probability(&[0]) - 0.00784 / 0.0376).abs() < 1e-15);
    /// # Ok::<(), tunbridge_net::NetError>(())
    /// ```
    pub fn given_state(&self, name: &str, state: &str) -> Result<Answer<Self>, NetError> {
        let variable = self.find(name)?;
        let state = self.find_state(variable, state)?;
        let mut network = self.clone();
        loop {
            let order = network.dag().topological_order();
            let Some(&last) = order.iter().rev().find(|&&other| network.dag().has_arc(other, variable)) else { break };
            network = network.reversed(last, variable)?;
        }
        let p = network.conditional(variable).probability(0, state);
        if p == 0.0 {
            return Ok(Answer::Impossible);
        }
        let mut cut = Vec::new();
        for &child in network.dag().children(variable) {
            let mut parents = network.dag().parents(child).to_vec();
            let place = parents.iter().position(|&other| other == variable).expect("a parent of its child");
            parents.remove(place);
            let conditional = network.conditional(child).where_parent_is(&network.parent_states(child), place, state);
            cut.push((child, parents, conditional.map_err(|fault| network.told_of(child, fault))?));
        }
        let answer = network.with_families(cut)?.without_barren(variable)?;
        Ok(Answer::Possible { answer, ln_p_evidence: p.ln() })
    }
}
