//! The algebra: observe, merge, forget.

/// What the data say, and nothing of what we believed before.
///
/// Laws: `merge` is associative and commutative (exactly for counts with whole weights, to rounding for sums), and an empty
/// statistic is its identity. Reading a statistic never changes it.
pub trait SufficientStatistic: Clone + Send {
    /// Borrowed columns of one length, with their weights. Columns, not rows: the inner loop runs over slices.
    type Columns<'a>;

    /// Adds rows.
    ///
    /// # Errors
    /// When the columns do not have the statistic's shape.
    fn observe(&mut self, columns: Self::Columns<'_>) -> Result<(), ShapeMismatch>;

    /// Adds what another statistic of the same shape has seen.
    ///
    /// # Errors
    /// When the shapes differ.
    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch>;
}

/// A statistic from which rows can be taken back exactly (counts) or to rounding (moments, by a checked downdate).
pub trait Forget: SufficientStatistic {
    /// Takes back what `other` has seen.
    ///
    /// # Errors
    /// When `other` holds something this statistic never saw; then nothing is changed.
    fn forget(&mut self, other: &Self) -> Result<(), NeverObserved>;
}

/// Belief before, given what the data say, is belief after.
pub trait ConjugatePrior<S: ?Sized> {
    /// Belief after.
    type Posterior;
    /// The posterior.
    fn posterior(&self, statistic: &S) -> Self::Posterior;
    /// ln P(data), the parameters integrated out.
    fn log_marginal_likelihood(&self, statistic: &S) -> f64;
}

/// Two shapes that should agree do not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: expected {expected}, found {found}")]
pub struct ShapeMismatch {
    /// What was compared.
    pub what: &'static str,
    /// What it should be.
    pub expected: usize,
    /// What it is.
    pub found: usize,
}

impl ShapeMismatch {
    /// Nothing if the two agree.
    ///
    /// # Errors
    /// When they differ.
    pub fn check(what: &'static str, expected: usize, found: usize) -> Result<(), Self> {
        if expected == found { Ok(()) } else { Err(Self { what, expected, found }) }
    }
}

/// Something was to be forgotten that was never observed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NeverObserved {
    /// A count would fall below zero.
    #[error("{forgotten} to forget, but only {observed} were ever counted")]
    Count {
        /// How much was counted.
        observed: f64,
        /// How much was to be forgotten.
        forgotten: f64,
    },
    /// A sum of squares would fall below zero: these numbers were never in the column.
    #[error("these numbers cannot have been in the column: its spread would become negative")]
    Spread,
    /// The two do not have the same shape.
    #[error(transparent)]
    Shape(#[from] ShapeMismatch),
}
