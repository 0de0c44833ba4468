//! Renames variables and states; nothing else changes.

use crate::domain::Domain;
use crate::error::NetError;
use crate::network::Network;
use belief::VarId;

impl Network {
    /// The network with another name for a variable.
    ///
    /// # Errors
    /// When there is no such variable, or another has the new name.
    ///
    /// ```
    /// use tunbridge_net::Network;
    /// let network = Network::builder().variable("Coin", ["h", "t"]).probabilities([0.5, 0.5]).build()?;
    /// let renamed = network.with_variable_renamed("Coin", "Penny")?.with_state_renamed("Penny", "h", "heads")?;
    /// assert_eq!(renamed.assignment(&[("Penny", "heads")])?, [0]);
    /// # Ok::<(), tunbridge_net::NetError>(())
    /// ```
    pub fn with_variable_renamed(&self, name: &str, new_name: &str) -> Result<Self, NetError> {
        let variable = self.find(name)?;
        self.relabelled(|other| if other == variable { new_name } else { self.name(other) }, |_, state| state)
    }

    /// The network with another name for a state of a variable.
    ///
    /// # Errors
    /// When there is no such variable or state, or another state of the variable has the new name.
    pub fn with_state_renamed(&self, name: &str, state: &str, new_state: &str) -> Result<Self, NetError> {
        let variable = self.find(name)?;
        self.find_state(variable, state)?;
        self.relabelled(|other| self.name(other), |other, old| if other == variable && old == state { new_state } else { old })
    }

    fn relabelled<'a>(&'a self, name: impl Fn(VarId) -> &'a str, state: impl Fn(VarId, &'a str) -> &'a str) -> Result<Self, NetError> {
        let states = |variable: VarId| self.states(variable).iter().map(|old| state(variable, old)).collect::<Vec<&str>>();
        let domain = Domain::new(self.domain().variables().map(|variable| (name(variable), states(variable))))?;
        let (parents, conditionals) = self.families();
        Self::from_conditionals(domain, parents, conditionals)
    }
}
