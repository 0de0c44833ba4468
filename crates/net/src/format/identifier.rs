//! Names for formats that allow letters, digits and `_` only: every name keeps what it can, and no two become the same.
//!
//! A writer that had to change a name puts the true one into a property ([`NAME`], [`STATES`]), from which our readers take it back.

use std::collections::HashSet;

/// The property that holds a variable's true name.
pub(crate) const NAME: &str = "tunbridge_name";
/// The property that holds the true names of a variable's states.
pub(crate) const STATES: &str = "tunbridge_states";

/// Whether a name needs no change.
pub(crate) fn is_identifier(name: &str) -> bool {
    name.starts_with(|symbol: char| symbol.is_ascii_alphabetic())
        && name.chars().all(|symbol| symbol.is_ascii_alphanumeric() || symbol == '_')
}

/// Different identifiers for different names, in order.
pub(crate) fn identifiers<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Vec<String> {
    // Names that need no change are never taken for others.
    let mut taken: HashSet<String> = names.clone().filter(|name| is_identifier(name)).map(str::to_string).collect();
    names.map(|name| if is_identifier(name) { name.to_string() } else { free_one(name, &mut taken) }).collect()
}

fn free_one(name: &str, taken: &mut HashSet<String>) -> String {
    let mut base: String = name.chars().map(|symbol| if symbol.is_ascii_alphanumeric() { symbol } else { '_' }).collect();
    if !base.starts_with(|symbol: char| symbol.is_ascii_alphabetic()) {
        base.insert(0, 'x');
    }
    let mut candidate = base.clone();
    let mut n_tried = 1;
    while !taken.insert(candidate.clone()) {
        n_tried += 1;
        candidate = format!("{base}_{n_tried}");
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_apart() {
        let names = ["a b", "a_b", "a-b", "5", "", "é", "x_", "A1"];
        assert_eq!(identifiers(names.into_iter()), ["a_b_2", "a_b", "a_b_3", "x5", "x", "x__2", "x_", "A1"]);
    }
}
