//! Adds an arc: the child has one more parent, which does not matter yet.

use crate::error::NetError;
use crate::network::Network;
use crate::structure::with_names;

impl Network {
    /// The network with one more arc and the same distribution: the child's rows are repeated for every state of the new parent, its last.
    /// A noisy-MAX gets a cause that does nothing and a tree a parent that it does not test.
    ///
    /// # Errors
    /// When there are no such variables, the arc is there already or would close a cycle, or the table would be too large.
    ///
    /// ```
    /// use tunbridge_net::Network;
    /// let network = Network::builder()
    ///     .variable("Rain", ["yes", "no"]).probabilities([0.2, 0.8])
    ///     .variable("Wet", ["yes", "no"]).probabilities([0.3, 0.7])
    ///     .build()?;
    /// let joined = network.with_arc("Rain", "Wet")?;
    /// assert_eq!(*joined.table(joined.find("Wet")?)?, [0.3, 0.7,  0.3, 0.7]);
    /// assert!(joined.with_arc("Wet", "Rain").is_err());
    /// # Ok::<(), tunbridge_net::NetError>(())
    /// ```
    pub fn with_arc(&self, parent: &str, child: &str) -> Result<Self, NetError> {
        let (from, to) = (self.find(parent)?, self.find(child)?);
        self.dag().clone().add_arc(from, to).map_err(|refused| with_names(refused, self.structure().names()))?;
        let parents = self.dag().parents(to).iter().copied().chain([from]).collect();
        let conditional = self.conditional(to).with_idle_parent(self.n_states(from)).map_err(|fault| self.told_of(to, fault))?;
        self.with_families(vec![(to, parents, conditional)])
    }
}
