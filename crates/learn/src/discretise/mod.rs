//! Cutting numbers into bins, so that they can be counted like states.
//!
//! Cut points are a recipe: made once, before counting, from a [`ValueSample`] of the rows, and the same for every chunk, file and
//! later update. Dougherty, Kohavi & Sahami 1995 compare the ways. Bin i holds cuts\[i−1\] < x ≤ cuts\[i\].

mod equal_frequency;
mod equal_width;
mod fayyad_irani;
mod value_sample;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use equal_frequency::equal_frequency;
pub use equal_width::equal_width;
pub use fayyad_irani::fayyad_irani;
pub use value_sample::{SampledValue, ValueSample};

/// How cut points are found.
///
/// | written | meaning | range of k |
/// |---|---|---|
/// | `bins:width[:k]` | k bins of equal width between the smallest and the largest value | 2 to 10,000, else 10 |
/// | `bins:frequency[:k]` | at most k bins with equally many rows | 2 to 10,000, else 10 |
/// | `bins:mdl` | as many bins as tell the classes apart (Fayyad & Irani 1993) | |
///
/// ```
/// use tunbridge_learn::Discretisation;
/// assert_eq!("bins:width".parse(), Ok(Discretisation::EqualWidth { bins: 10 }));
/// assert_eq!(Discretisation::FayyadIrani.to_string(), "bins:mdl");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Discretisation {
    /// Bins of equal width.
    EqualWidth {
        /// How many.
        bins: usize,
    },
    /// Bins with equally many rows, as far as equal values let them.
    EqualFrequency {
        /// How many.
        bins: usize,
    },
    /// Bins that tell the classes apart, by the minimum description length principle. A column that does not is one bin.
    FayyadIrani,
}

/// A text that is no way of finding cut points.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not a way of making bins{}; allowed: bins:width[:<k>], bins:frequency[:<k>] with k from 2 to 10000, bins:mdl",
    if *.bad_number { ": its number of bins is out of range" } else { "" })]
pub struct NotADiscretisation {
    /// What was given.
    pub given: String,
    /// Whether only the number of bins is at fault.
    pub bad_number: bool,
}

impl Discretisation {
    /// How many bins there are unless told otherwise.
    pub const BINS: usize = 10;
    /// The most bins one may ask for.
    pub const MOST_BINS: usize = 10_000;

    /// The cut points of the variable at this place, finite and strictly increasing; `None` if it was not sampled.
    pub fn cuts(&self, sample: &ValueSample, place: usize) -> Option<Vec<f64>> {
        Some(match self {
            Discretisation::EqualWidth { bins } => sample.extremes(place)?.map_or(Vec::new(), |(low, high)| equal_width(low, high, *bins)),
            Discretisation::EqualFrequency { bins } => equal_frequency(&sample.sorted_values(place)?, *bins),
            Discretisation::FayyadIrani => fayyad_irani(&sample.sorted_values(place)?, sample.n_classes()),
        })
    }
}

impl FromStr for Discretisation {
    type Err = NotADiscretisation;
    fn from_str(text: &str) -> Result<Self, NotADiscretisation> {
        let refuse = |bad_number: bool| NotADiscretisation { given: text.into(), bad_number };
        let number = |k: &str| match k.parse() {
            Ok(bins) if (2..=Self::MOST_BINS).contains(&bins) => Ok(bins),
            _ => Err(refuse(true)),
        };
        match text.trim().split(':').collect::<Vec<_>>().as_slice() {
            ["bins", "width"] => Ok(Discretisation::EqualWidth { bins: Self::BINS }),
            ["bins", "width", k] => Ok(Discretisation::EqualWidth { bins: number(k)? }),
            ["bins", "frequency"] => Ok(Discretisation::EqualFrequency { bins: Self::BINS }),
            ["bins", "frequency", k] => Ok(Discretisation::EqualFrequency { bins: number(k)? }),
            ["bins", "mdl"] => Ok(Discretisation::FayyadIrani),
            _ => Err(refuse(false)),
        }
    }
}

impl fmt::Display for Discretisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Discretisation::EqualWidth { bins } => write!(f, "bins:width:{bins}"),
            Discretisation::EqualFrequency { bins } => write!(f, "bins:frequency:{bins}"),
            Discretisation::FayyadIrani => f.write_str("bins:mdl"),
        }
    }
}

/// A point between two neighbouring values: half way, and never so high that it would take the upper one into the lower bin.
fn between(low: f64, high: f64) -> f64 {
    let middle = low + (high / 2.0 - low / 2.0);
    if middle >= low && middle < high { middle } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_displayed_reads_back() {
        for (text, displayed) in [
            ("bins:width", "bins:width:10"),
            ("bins:width:2", "bins:width:2"),
            ("bins:frequency:7", "bins:frequency:7"),
            (" bins:mdl ", "bins:mdl"),
        ] {
            let read: Discretisation = text.parse().unwrap();
            assert_eq!(read.to_string(), displayed);
            assert_eq!(displayed.parse(), Ok(read));
        }
        for text in ["", "bins", "bins:", "width", "bins:width:1", "bins:width:0", "bins:width:x", "bins:frequency:10001", "bins:mdl:3"] {
            assert!(text.parse::<Discretisation>().is_err(), "{text}");
        }
        let refusal = "bins:width:1".parse::<Discretisation>().unwrap_err().to_string();
        assert!(refusal.starts_with("`bins:width:1` is not a way of making bins: its number of bins is out of range; allowed: "));
    }

    #[test]
    fn the_middle_of_neighbours_stays_between_them() {
        assert_eq!(between(1.0, 2.0), 1.5);
        assert_eq!(between(-f64::MAX, f64::MAX), 0.0);
        assert_eq!(between(1.0, 1.0 + f64::EPSILON), 1.0);
        assert_eq!(between(0.0, 5e-324), 0.0);
    }
}
