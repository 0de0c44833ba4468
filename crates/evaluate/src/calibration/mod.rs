//! Calibration: probabilities that mean what they say, so that of the rows given 0.8, eight in ten come true.
//!
//! Each class is calibrated against the rest, from its log-odds, and the results are renormalised (Zadrozny & Elkan
//! 2002, KDD, section 4). Two classes are one question, not two: the map of the second one is fitted, and the first
//! has the complement, so that no renormalisation disturbs it. A calibrated probability is never exactly 0 or 1.
//!
//! The rows are counted by [`ScoreGrid`]; the two families of maps are [`isotonic`] and [`sigmoid`]. Which rows to fit
//! on is the caller's to decide: predictions for rows the model was learned from are too good, and a calibrator fitted
//! on them makes a model more sure of itself where it should make it less.

pub mod isotonic;
pub mod score_grid;
pub mod sigmoid;

use belief::normalise_ln;
use serde::{Deserialize, Serialize};

use crate::error::EvaluateError;
use crate::ln_distribution::LnDistribution;

pub use isotonic::{IsotonicMap, Knot};
use score_grid::SCORE_LIMIT;
pub use score_grid::ScoreGrid;
pub use sigmoid::SigmoidMap;

/// 1 / (1 + e³²), the probability at the lower limit of log-odds: no calibrated probability of one class against the
/// rest is below it, and none is nearer to one.
pub(crate) const MIN_PROBABILITY: f64 = 1.266_416_554_909_401_5e-14;

/// The family of maps that a calibrator is chosen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Method {
    /// Any map that does not fall: wants some thousand rows.
    Isotonic,
    /// A straight line in log-odds: content with few rows.
    Sigmoid,
}

/// How the log-odds of one class become its probability against the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ClassMap {
    /// By isotonic regression.
    Isotonic(IsotonicMap),
    /// By Platt's sigmoid.
    Sigmoid(SigmoidMap),
}

/// A map from a model's probabilities to calibrated ones.
///
/// # Example
///
/// ```
/// use tunbridge_evaluate::{Calibrator, Method, ScoreGrid};
///
/// // A model of three classes that says 0.98 for its favourite and is right in 60 cases of 100.
/// let mut grid = ScoreGrid::new(3);
/// for favourite in 0..3 {
///     let mut ln_p = [0.01_f64.ln(); 3];
///     ln_p[favourite] = 0.98_f64.ln();
///     for truth in 0..3 {
///         let weight = if truth == favourite { 60.0 } else { 20.0 };
///         grid.observe(truth, &ln_p, weight)?;
///     }
/// }
/// let calibrator = Calibrator::fit(Method::Isotonic, &grid)?;
///
/// let mut ln_p = [0.98_f64.ln(), 0.01_f64.ln(), 0.01_f64.ln()];
/// calibrator.calibrate(&mut ln_p)?;
/// assert!((ln_p[0].exp() - 0.6).abs() < 1e-12);
/// assert!((ln_p[1].exp() - 0.2).abs() < 1e-12);
/// # Ok::<(), tunbridge_evaluate::EvaluateError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedCalibrator")]
pub struct Calibrator {
    method: Method,
    n_classes: usize,
    /// One per class; of two classes, the second one's only.
    maps: Vec<ClassMap>,
}

impl Calibrator {
    /// Fits a map for each class to what the grid has seen.
    ///
    /// A class that was true in none of n rows has the probability 1/(n + 2), whatever its score, and one that was true
    /// in every row the complement: that much can be learned of it, and no ranking.
    ///
    /// **Complexity**: linear in the occupied cells of the grid, at most 9543 per class, times the iterations (some
    /// ten) for [`Method::Sigmoid`].
    ///
    /// # Errors
    ///
    /// The grid has seen no rows.
    pub fn fit(method: Method, grid: &ScoreGrid) -> Result<Self, EvaluateError> {
        if grid.weight() <= 0.0 {
            return Err(EvaluateError::NothingObserved);
        }
        let n_classes = grid.n_classes();
        let first_mapped = if n_classes == 2 { 1 } else { 0 };
        let maps = (first_mapped..n_classes).map(|class| ClassMap::fit(method, grid, class));
        Ok(Self { method, n_classes, maps: maps.collect::<Result<_, _>>()? })
    }

    /// The family of its maps.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The maps: one per class, but of two classes the second one's only.
    pub fn maps(&self) -> &[ClassMap] {
        &self.maps
    }

    /// Replaces normalised log-probabilities by calibrated ones, normalised too and strictly between −∞ and 0.
    ///
    /// The map of a class never falls, but is not the same for every class, and may be level: with isotonic maps above
    /// all, the most probable class may change, or tie with others. A single class stays certain.
    ///
    /// # Errors
    ///
    /// `ln_p` has the wrong length, an entry above 0 or NaN, or does not sum to one within 10⁻⁶, as it cannot for a
    /// row that is impossible under every class. Nothing is changed then.
    pub fn calibrate(&self, ln_p: &mut [f64]) -> Result<(), EvaluateError> {
        let distribution = LnDistribution::new(ln_p, self.n_classes)?;
        if let [map] = &self.maps[..]
            && let [first, second] = ln_p
        {
            (*first, *second) = map.ln_complement_and_probability(distribution.log_odds(1, *second));
            return Ok(());
        }
        for (class, (map, ln)) in self.maps.iter().zip(ln_p.iter_mut()).enumerate() {
            (_, *ln) = map.ln_complement_and_probability(distribution.log_odds(class, *ln));
        }
        normalise_ln(ln_p);
        Ok(())
    }

    /// Whether this is a calibrator that [`Calibrator::fit`] could have made. Deserialisation checks it.
    ///
    /// # Errors
    ///
    /// The number of maps is not that of the classes, a map is of another method, falls, leaves (0, 1) or holds a
    /// number that is not finite.
    pub fn validate(&self) -> Result<(), EvaluateError> {
        let invalid = |fault| EvaluateError::Invalid { type_name: "calibrator", fault };
        let n_maps = if self.n_classes == 2 { 1 } else { self.n_classes };
        if n_maps == 0 || self.maps.len() != n_maps {
            return Err(invalid("its maps do not fit its number of classes"));
        }
        for map in &self.maps {
            match (map, self.method) {
                (ClassMap::Isotonic(map), Method::Isotonic) => map.validate()?,
                (ClassMap::Sigmoid(map), Method::Sigmoid) => map.validate()?,
                _ => return Err(invalid("a map is not of its method")),
            }
        }
        Ok(())
    }
}

impl ClassMap {
    /// The calibrated probability of a class, against the rest, to which the model gave these log-odds.
    pub fn probability(&self, log_odds: f64) -> f64 {
        match self {
            Self::Isotonic(map) => map.probability(log_odds),
            _ => self.ln_complement_and_probability(log_odds).1.exp(),
        }
    }

    fn fit(method: Method, grid: &ScoreGrid, class: usize) -> Result<Self, EvaluateError> {
        let cells: Vec<_> = grid.cells(class).collect();
        match method {
            Method::Isotonic => IsotonicMap::fit(cells.into_iter()).map(Self::Isotonic).ok_or(EvaluateError::NothingObserved),
            Method::Sigmoid => Ok(Self::Sigmoid(SigmoidMap::fit(&cells))),
        }
    }

    /// ln(1 − q) and ln q, where q is the calibrated probability.
    fn ln_complement_and_probability(&self, log_odds: f64) -> (f64, f64) {
        match self {
            Self::Isotonic(map) => {
                let q = map.probability(log_odds);
                ((-q).ln_1p(), q.ln())
            }
            // Clamped before the line as well: infinite log-odds times a slope of zero would not be a number.
            Self::Sigmoid(map) => ln_logistic(map.log_odds(log_odds.clamp(-SCORE_LIMIT, SCORE_LIMIT))),
        }
    }
}

/// ln of the logistic function of −z and of z; their common part is ln(1 + e^−|z|).
fn ln_logistic(z: f64) -> (f64, f64) {
    let common = (-z.abs()).exp().ln_1p();
    (-z.max(0.0) - common, z.min(0.0) - common)
}

/// A calibrator as read from a file, before it is believed.
#[derive(Deserialize)]
struct UncheckedCalibrator {
    method: Method,
    n_classes: usize,
    maps: Vec<ClassMap>,
}

impl TryFrom<UncheckedCalibrator> for Calibrator {
    type Error = EvaluateError;

    fn try_from(read: UncheckedCalibrator) -> Result<Self, EvaluateError> {
        let calibrator = Self { method: read.method, n_classes: read.n_classes, maps: read.maps };
        calibrator.validate()?;
        Ok(calibrator)
    }
}

#[cfg(test)]
mod tests;
