//! All that can be.

use tunbridge_net::Network;

/// All configurations of a network, the last variable fastest.
pub fn worlds(network: &Network) -> Vec<Vec<usize>> {
    let mut worlds = vec![Vec::new()];
    for variable in network.dag().variables() {
        let longer = |world: Vec<usize>| (0..network.n_states(variable)).map(move |state| [&world[..], &[state]].concat());
        worlds = worlds.into_iter().flat_map(longer).collect();
    }
    worlds
}
