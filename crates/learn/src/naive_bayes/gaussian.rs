//! Numbers: the density of a value given the class, by the moments of each class.
//!
//! Normal by maximum likelihood (John & Langley 1995), or Student's t, the predictive of a normal with unknown mean and variance
//! (Murphy 2007, *Conjugate Bayesian analysis of the Gaussian distribution*, section 3); also the distance from a class mean.

use std::f64::consts::TAU;

use belief::conjugate::{NormalGamma, StudentT};
use belief::{ConjugatePrior, Moments, count_less};

use super::prior::NumericModel;
use super::scale::{ColumnScale, Scale, spread};

/// The density of one numeric attribute.
#[derive(Clone, Debug)]
pub(crate) struct Number<'s> {
    pub(crate) family: Family,
    pub(crate) of_class: &'s [Moments],
    column: ColumnScale,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Family {
    /// What is added to every variance.
    Gaussian {
        epsilon: f64,
    },
    Student,
    /// σ² of the spheres.
    Centroid {
        variance: f64,
    },
}

/// A normal density, or a sphere's: ln p = ln_peak − (x − mean)²/(2 variance).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bell {
    pub(crate) mean: f64,
    pub(crate) variance: f64,
    pub(crate) ln_peak: f64,
}

impl Bell {
    pub(crate) fn ln(&self, x: f64) -> f64 {
        let z = (x - self.mean) / (2.0 * self.variance).sqrt();
        self.ln_peak - z * z
    }
}

impl<'s> Number<'s> {
    pub(crate) fn gaussian_or_student(of_class: &'s [Moments], column: ColumnScale, model: &NumericModel, scale: &Scale) -> Self {
        let family = match model {
            NumericModel::Gaussian { .. } => Family::Gaussian { epsilon: scale.epsilon },
            NumericModel::Student => Family::Student,
        };
        Self { family, of_class, column }
    }

    pub(crate) fn centroid(of_class: &'s [Moments], column: ColumnScale, scale: &Scale) -> Self {
        Self { family: Family::Centroid { variance: scale.sphere_variance }, of_class, column }
    }

    /// The bell of a class with these moments.
    pub(crate) fn bell(&self, moments: &Moments) -> Bell {
        let observed = moments.weight > 0.0;
        let mean = if observed { moments.mean } else { self.column.mean };
        let epsilon = match self.family {
            Family::Gaussian { epsilon } => epsilon,
            Family::Student => 0.0,
            Family::Centroid { variance } => return Bell { mean, variance, ln_peak: 0.0 },
        };
        let own = epsilon + if observed { spread(moments) } else { self.column.variance };
        // Every number the same: the variance within all classes, which is positive unless the whole column is left out.
        let variance = if own > 0.0 { own } else { self.column.within };
        Bell { mean, variance, ln_peak: -0.5 * (TAU * variance).ln() }
    }

    /// Whether the class's own variance is zero and another stands in.
    pub(crate) fn borrows(&self, moments: &Moments) -> bool {
        moments.weight > 0.0 && matches!(self.family, Family::Gaussian { epsilon } if epsilon + spread(moments) == 0.0)
    }

    /// Whether what is added to all variances is a good part of the column's own within its classes, or, where it has none, of all.
    pub(crate) fn is_blurred(&self) -> bool {
        const GOOD_PART: f64 = 0.1;
        let own = if self.column.within > 0.0 { self.column.within } else { self.column.variance };
        matches!(self.family, Family::Gaussian { epsilon } if epsilon > GOOD_PART * own)
    }

    /// What we believed of the numbers of a class: a unit of information (Kass & Wasserman 1995) with the column's mean and
    /// variance.
    pub(crate) fn student_prior(&self) -> NormalGamma {
        NormalGamma { mean: self.column.mean, kappa: 1.0, shape: 1.0, rate: self.column.variance }
    }

    /// Student's t of a class with these moments.
    pub(crate) fn student(&self, moments: &Moments) -> StudentT {
        self.student_prior().posterior(moments).predictive()
    }

    /// For each class the part of Student's log density that depends on how many rows there are and on nothing else, when a row
    /// of this weight is held out; empty for the other families.
    pub(crate) fn student_ln_peaks(&self, weight: f64) -> Vec<f64> {
        let ln_peak = |moments: &Moments| {
            let t = self.student(&Moments { weight: count_less(moments.weight, weight), ..*moments });
            t.ln_normaliser() + t.scale.ln()
        };
        if self.family == Family::Student { self.of_class.iter().map(ln_peak).collect() } else { Vec::new() }
    }

    /// The log density of `x` in its own class, as if the row it is in, of this weight, had not been learned from. `ln_peak` is
    /// the class's in [`Self::student_ln_peaks`], if it is at hand.
    pub(crate) fn ln_held_out(&self, class: usize, x: f64, weight: f64, ln_peak: Option<f64>) -> f64 {
        let left = self.of_class[class].less(&Moments::of_one(x, weight));
        if self.family != Family::Student {
            return self.bell(&left).ln(x);
        }
        let t = self.student(&left);
        let Some(ln_peak) = ln_peak else { return t.ln_pdf(x) };
        let z = (x - t.location) / t.scale;
        ln_peak - t.scale.ln() - (t.degrees + 1.0) / 2.0 * (z * z / t.degrees).ln_1p()
    }
}

/// The bell of a class from which any one of its numbers, in a row of weight one, is held out: what does not depend on the number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldOutBell {
    mean: f64,
    sum_sq: f64,
    /// weight/(weight − 1): the number's distance from the mean grows by this when it is not in it.
    stretch: f64,
    /// 1/(weight − 1).
    share: f64,
    /// How far rounding may have moved the sum of squares, and by how much more with the distance of what is held out.
    rounding: [f64; 2],
    added: f64,
    /// What stands in for a variance of zero.
    within: f64,
}

impl HeldOutBell {
    /// (x − mean)²/(2 variance) and the variance, both without `x`.
    pub(crate) fn exponent_and_variance(&self, x: f64) -> (f64, f64) {
        let apart = x - self.mean;
        let distance = apart * self.stretch;
        let sum_sq = self.sum_sq - apart * distance;
        // As where any other number is taken back.
        let lost = sum_sq <= self.rounding[0] + self.rounding[1] * distance.abs();
        let own = self.added + if lost { 0.0 } else { sum_sq * self.share };
        let variance = if own > 0.0 { own } else { self.within };
        (distance * distance / (2.0 * variance), variance)
    }
}

impl Number<'_> {
    /// One for each class, if numbers are normal by maximum likelihood; a class of a single row has `None`, and what stands in
    /// for it must be asked for.
    pub(crate) fn held_out_bells(&self) -> Option<Vec<Option<HeldOutBell>>> {
        let Family::Gaussian { epsilon } = self.family else { return None };
        let bell = |moments: &Moments| {
            let left = count_less(moments.weight, 1.0);
            let rounding = moments.rounding_without_one(left);
            (left > 0.0).then(|| HeldOutBell {
                mean: moments.mean,
                sum_sq: moments.sum_sq,
                stretch: moments.weight / left,
                share: 1.0 / left,
                rounding,
                added: epsilon,
                within: self.column.within,
            })
        };
        Some(self.of_class.iter().map(bell).collect())
    }
}
