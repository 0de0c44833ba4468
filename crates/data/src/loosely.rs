//! What a text that is none of the states can only mean: a state in another case, or a number written otherwise.
//!
//! The rule is that of [`belief::States::find`], by which questions are understood too; here it is found in a table, because a file
//! may ask for many texts among many states.

use belief::States;
use hashbrown::HashMap;

/// States by their lower-case names and by their numbers; `None` where several would be meant.
#[derive(Clone, Debug)]
pub(crate) struct Loosely {
    by_lower_case: HashMap<String, Option<u32>>,
    by_number: HashMap<u64, Option<u32>>,
}

impl Loosely {
    pub fn new(names: &[String]) -> Self {
        let mut found = Self { by_lower_case: HashMap::new(), by_number: HashMap::new() };
        for (code, name) in (0..).zip(names) {
            found.by_lower_case.entry(name.to_lowercase()).and_modify(|only| *only = None).or_insert(Some(code));
            if let Some(bits) = bits_of(name) {
                found.by_number.entry(bits).and_modify(|only| *only = None).or_insert(Some(code));
            }
        }
        found
    }

    /// The only state that is equal without case, else the only one equal as a number.
    pub fn find(&self, text: &str) -> Option<u32> {
        let same_word = self.by_lower_case.get(&text.to_lowercase()).copied().flatten();
        same_word.or_else(|| self.by_number.get(&bits_of(text)?).copied().flatten())
    }
}

/// The same bits for equal numbers: zero has two signs.
fn bits_of(text: &str) -> Option<u64> {
    States::number_of(text).map(|x| (x + 0.0).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_rule_is_that_of_questions(names in proptest::collection::btree_set("[aAbB]{1,2}|-?[01](\\.0|e0)?|NaN|inf|900719925474099[0-3]", 0..8), text in "[aAbB]{1,2}|[+-]?[01](\\.0|e0)?|nan|INF|900719925474099[0-3](\\.0)?") {
            let names: Vec<String> = names.into_iter().filter(|n| *n != text).collect();
            let states = States::declared(names.clone(), false).unwrap();
            prop_assert_eq!(Loosely::new(&names).find(&text).map(|code| code as usize), states.find(&text));
        }
    }
}
