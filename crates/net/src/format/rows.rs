//! What writers share: the rows of a table with the parents' states spelled out, and the shortest text of a double.

use crate::error::NetError;
use crate::network::Network;
use belief::VarId;
use std::fmt::Write;

/// Calls for every configuration of a variable's parents, the last parent fastest, with the names of their states and the row.
pub(crate) fn rows_of(network: &Network, variable: VarId, mut each: impl FnMut(&[&str], &[f64])) -> Result<(), NetError> {
    let parents = network.dag().parents(variable);
    let mut digits = vec![0; parents.len()];
    let mut key: Vec<&str> = parents.iter().map(|&parent| network.states(parent)[0].as_str()).collect();
    for row in network.table(variable)?.chunks(network.n_states(variable)) {
        each(&key, row);
        for (place, &parent) in parents.iter().enumerate().rev() {
            digits[place] = (digits[place] + 1) % network.n_states(parent);
            key[place] = &network.states(parent)[digits[place]];
            if digits[place] != 0 {
                break;
            }
        }
    }
    Ok(())
}

/// The shortest text that reads back to the same double.
pub(crate) fn push_number(text: &mut String, value: f64) {
    let _ = write!(text, "{value:?}");
}

/// Numbers with something between.
pub(crate) fn push_numbers(text: &mut String, values: &[f64], between: &str) {
    for (place, &value) in values.iter().enumerate() {
        text.push_str(if place == 0 { "" } else { between });
        push_number(text, value);
    }
}
