//! What a caller can get wrong, and the checks that find it.
//!
//! Nothing here is about the quality of a prediction: a model that is always wrong is a finding, not an error.

use belief::MAX_WEIGHT;
use thiserror::Error;

/// A mistake in what was handed to this crate, or a fault in a value read from a file.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The index of a class is not below the number of classes.
    #[error("class {class} does not exist: there are {n_classes} classes, counted from 0")]
    UnknownClass {
        /// The index that was given.
        class: usize,
        /// The number of classes.
        n_classes: usize,
    },

    /// A prediction has more or fewer entries than there are classes.
    #[error("a prediction has {found} probabilities for {n_classes} classes")]
    WrongLength {
        /// The length that was given.
        found: usize,
        /// The number of classes.
        n_classes: usize,
    },

    /// An entry is no probability, or no logarithm of one.
    #[error("class {class} has {found}, which is not a probability or the logarithm of one")]
    NotAProbability {
        /// The class of the entry.
        class: usize,
        /// The entry that was given.
        found: f64,
    },

    /// The probabilities of a prediction do not sum to one.
    #[error("the probabilities of a prediction sum to {sum}, not to 1; normalise them first")]
    NotNormalised {
        /// What they sum to; zero where every class is impossible.
        sum: f64,
    },

    /// A weight is negative, not a number, or too large to be counted exactly.
    #[error("{found} is not a weight: it must lie between 0 and 2^53")]
    NotAWeight {
        /// The weight that was given.
        found: f64,
    },

    /// A cost is negative or not finite.
    #[error("{found} is not a cost: it must be a finite number, and not below 0")]
    NotACost {
        /// The cost that was given.
        found: f64,
    },

    /// Two tallies that decided by different costs were brought together.
    #[error("a tally of decisions by other costs cannot be added")]
    CostsDiffer,

    /// A score by which rows are ranked is not a number.
    #[error("a score by which rows are ranked is not a number")]
    NotAScore,

    /// Two statistics of different numbers of classes were brought together.
    #[error("a statistic of {right} classes cannot be combined with one of {left}")]
    ClassesDiffer {
        /// The number of classes of the statistic to be changed.
        left: usize,
        /// The number of classes of the other one.
        right: usize,
    },

    /// A calibrator was to be fitted to no rows at all.
    #[error("a calibrator cannot be fitted to a grid without rows; observe some predictions first")]
    NothingObserved,

    /// A stored value breaks an invariant of its type: the file is damaged or was not written by this program.
    #[error("not a valid {type_name}: {fault}")]
    Invalid {
        /// The type that was read.
        type_name: &'static str,
        /// The invariant that does not hold.
        fault: &'static str,
    },
}

/// Refuses what is not the index of a class.
pub(crate) fn check_class(class: usize, n_classes: usize) -> Result<(), EvaluateError> {
    if class < n_classes { Ok(()) } else { Err(EvaluateError::UnknownClass { class, n_classes }) }
}

/// Refuses a prediction that does not speak of every class.
pub(crate) fn check_length(found: usize, n_classes: usize) -> Result<(), EvaluateError> {
    if found == n_classes { Ok(()) } else { Err(EvaluateError::WrongLength { found, n_classes }) }
}

/// Refuses two statistics of different shapes.
pub(crate) fn check_same_classes(left: usize, right: usize) -> Result<(), EvaluateError> {
    if left == right { Ok(()) } else { Err(EvaluateError::ClassesDiffer { left, right }) }
}

/// Refuses what is not a weight; zero is one.
pub(crate) fn check_weight(found: f64) -> Result<(), EvaluateError> {
    // NaN lies in no range, so this one test refuses it too.
    if (0.0..=MAX_WEIGHT).contains(&found) { Ok(()) } else { Err(EvaluateError::NotAWeight { found }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_finite_and_not_negative() {
        for good in [0.0, 1e-300, 1.0, MAX_WEIGHT] {
            assert_eq!(check_weight(good), Ok(()));
        }
        for bad in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert!(check_weight(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn messages_say_what_and_where() {
        let error = check_class(3, 2).unwrap_err();
        assert_eq!(error.to_string(), "class 3 does not exist: there are 2 classes, counted from 0");
        let error = check_length(3, 2).unwrap_err();
        assert_eq!(error.to_string(), "a prediction has 3 probabilities for 2 classes");
    }
}
