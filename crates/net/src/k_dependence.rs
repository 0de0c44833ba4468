//! k-dependence classifiers: the class is a parent of every attribute, and each attribute has up to k others as parents.
//!
//! Sahami 1996, *Learning limited dependence Bayesian classifiers* (KDB): attributes are put in order by what they tell of the class, and each takes
//! as parents the k before it that it depends on most, given the class. k = 0 is naive Bayes.

use std::cmp::Ordering;

use belief::Schema;

use crate::error::NetError;
use crate::mutual_information::{conditional_mutual_information, mutual_information_with_class};
use crate::pair_counts::PairCounts;
use crate::structure::Structure;
use crate::tree_augmented::WithClass;

/// The structure of a k-dependence classifier: the attributes that were counted and the class, in the order of the schema. The class is the first
/// parent of each, then the one it depends on most. Of attributes that tell equally much the earlier is taken first.
///
/// Values may be missing: see [`crate::chow_liu`].
///
/// **Complexity**: a logarithm for each count, and n² log n steps for n attributes.
///
/// # Errors
/// When rows were not counted by class, or a variable is not in the schema.
pub fn k_dependence(counts: &PairCounts, schema: &Schema, k: usize) -> Result<Structure, NetError> {
    let counts = counts.settled();
    let with_class = WithClass::new(&counts, schema)?;
    let of_class = mutual_information_with_class(&counts);
    let information = conditional_mutual_information(&counts);
    let mut order: Vec<usize> = (0..counts.n_variables()).collect();
    order.sort_by(|a, b| descending(of_class[*a], of_class[*b]).then(a.cmp(b)));
    let mut parents = vec![Vec::new(); counts.n_variables()];
    for (place, attribute) in order.iter().enumerate() {
        let mut before = order[..place].to_vec();
        before.sort_by(|a, b| descending(information.get(*attribute, *a), information.get(*attribute, *b)).then(a.cmp(b)));
        before.truncate(k);
        parents[*attribute] = before;
    }
    with_class.structure(|attribute| parents[attribute].clone())
}

fn descending(a: f64, b: f64) -> Ordering {
    b.total_cmp(&a)
}
