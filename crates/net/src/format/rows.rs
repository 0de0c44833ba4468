//! What writers share: the rows of a table with the parents' states spelled out, and the shortest text of a double.

use crate::error::NetError;
use crate::network::Network;
use belief::VarId;
use std::fmt::Write;

/// Calls for every configuration of a variable's parents, the last parent fastest, with its number and the names of the parents' states.
pub(crate) fn each_key(network: &Network, variable: VarId, mut each: impl FnMut(usize, &[&str])) {
    let parents = network.dag().parents(variable);
    let mut digits = vec![0; parents.len()];
    let mut key: Vec<&str> = parents.iter().map(|&parent| network.states(parent)[0].as_str()).collect();
    for row in 0..network.conditional(variable).n_rows() {
        each(row, &key);
        for (place, &parent) in parents.iter().enumerate().rev() {
            digits[place] = (digits[place] + 1) % network.n_states(parent);
            key[place] = &network.states(parent)[digits[place]];
            if digits[place] != 0 {
                break;
            }
        }
    }
}

/// Calls for every row of a variable's table, spelled out if it is none, with the names of the parents' states.
///
/// # Errors
/// When what is no table is too large to be spelled out as one.
pub(crate) fn rows_of(network: &Network, variable: VarId, mut each: impl FnMut(&[&str], &[f64])) -> Result<(), NetError> {
    let (values, n_states) = (network.table(variable)?, network.n_states(variable));
    each_key(network, variable, |row, key| each(key, &values[row * n_states..][..n_states]));
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
