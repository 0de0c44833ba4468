//! What one-parameter families read of the data: how many, their sum, and the part of the likelihood that no parameter is in.

use crate::{CompensatedSum, Forget, NeverObserved, ShapeMismatch, SufficientStatistic, count_without};

/// n, Σ x and Σ ln h(x), each with its weight, where the likelihood is h(x) exp(η(θ) x − A(θ)).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Σ w: how many, of a binomial how many trials.
    pub weight: f64,
    sum: CompensatedSum,
    ln_base: CompensatedSum,
}

/// Columns that [`Sums`] are made of.
#[derive(Clone, Copy, Debug)]
pub struct SumColumns<'a> {
    /// The numbers.
    pub values: &'a [f64],
    /// ln h of each.
    pub ln_base: &'a [f64],
    /// How often each counts; `None` is once each.
    pub weights: Option<&'a [f64]>,
}

impl Sums {
    /// Adds one number that counts `weight` times, of `trials` (one, but for a binomial).
    pub fn add(&mut self, x: f64, ln_base: f64, weight: f64, trials: f64) {
        self.weight += weight * trials;
        self.sum.add(weight * x);
        self.ln_base.add(weight * ln_base);
    }

    /// Σ w x.
    pub fn sum(&self) -> f64 {
        self.sum.value()
    }

    /// Σ w ln h(x).
    pub fn ln_base(&self) -> f64 {
        self.ln_base.value()
    }
}

impl SufficientStatistic for Sums {
    type Columns<'a> = SumColumns<'a>;

    fn observe(&mut self, columns: SumColumns<'_>) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("base measures", columns.values.len(), columns.ln_base.len())?;
        ShapeMismatch::check("weights", columns.values.len(), columns.weights.map_or(columns.values.len(), <[f64]>::len))?;
        for (place, (x, ln_base)) in columns.values.iter().zip(columns.ln_base).enumerate() {
            self.add(*x, *ln_base, columns.weights.map_or(1.0, |w| w[place]), 1.0);
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.weight += other.weight;
        self.sum.merge(&other.sum);
        self.ln_base.merge(&other.ln_base);
        Ok(())
    }
}

impl Forget for Sums {
    fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        let weight = count_without(self.weight, other.weight)?;
        let (mut sum, mut ln_base) = (self.sum, self.ln_base);
        sum.add(-other.sum());
        ln_base.add(-other.ln_base());
        // Every family of these sums has numbers from zero on.
        if sum.value() < -1e-9 * self.sum().abs() {
            return Err(NeverObserved::Count { observed: self.sum(), forgotten: other.sum() });
        }
        *self = if weight == 0.0 { Self::default() } else { Self { weight, sum, ln_base } };
        Ok(())
    }
}

/// How many, and the greatest of them: all that U[0, θ] reads of its data. What made a maximum cannot be taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Greatest {
    /// Σ w.
    pub weight: f64,
    /// The greatest number; zero where there is none.
    pub greatest: f64,
}

impl SufficientStatistic for Greatest {
    type Columns<'a> = &'a [f64];

    fn observe(&mut self, values: &[f64]) -> Result<(), ShapeMismatch> {
        for x in values {
            self.weight += 1.0;
            self.greatest = self.greatest.max(*x);
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.weight += other.weight;
        self.greatest = self.greatest.max(other.greatest);
        Ok(())
    }
}
