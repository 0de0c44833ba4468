//! The density c/θⁿ on an interval: what is believed of the end of U[0, θ] after n numbers, under a bounded uniform prior.
//!
//! Everything is in logarithms from the lower end on, ℓ = ln(θ/low), where ∫ θ⁻ⁿ is (1 − e^(−(n−1)ℓ))/(n−1): at n = 1 the logarithm
//! itself, and no case needs the powers of a number of rows.

use super::{Distribution, ImpossibleParameter, open_unit};
use crate::Rng;

/// c/θⁿ on [low, high].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InversePower {
    power: f64,
    low: f64,
    high: f64,
}

impl InversePower {
    /// By the power n and the ends. The lower end may be zero where n is: that is the uniform distribution.
    ///
    /// # Errors
    /// When the power is negative, the ends are not in their order, or the density would be infinite at zero.
    pub fn new(power: f64, low: f64, high: f64) -> Result<Self, ImpossibleParameter> {
        ImpossibleParameter::check("c/θⁿ", "power", power, "zero or more, and finite", power >= 0.0 && power.is_finite())?;
        let above = low > 0.0 || low == 0.0 && power == 0.0;
        ImpossibleParameter::check("c/θⁿ", "lower end", low, "positive, or zero where the power is", above && low.is_finite())?;
        ImpossibleParameter::check("c/θⁿ", "upper end", high, "finite and above the lower end", high > low && high.is_finite())?;
        Ok(Self { power, low, high })
    }

    /// The power n.
    pub fn power(&self) -> f64 {
        self.power
    }

    /// The ends.
    pub fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// ln c.
    pub fn ln_constant(&self) -> f64 {
        if self.low == 0.0 {
            return -self.high.ln();
        }
        (self.power - 1.0) * self.low.ln() - ln_integral(self.power - 1.0, self.length())
    }

    /// ln(high/low).
    fn length(&self) -> f64 {
        ((self.high - self.low) / self.low).ln_1p()
    }

    /// c ∫ θ^(−n−1) dθ from x, which is in the support, to the upper end: the predictive density there.
    pub(crate) fn ln_tail_of_next_power(&self, x: f64) -> f64 {
        let rest = ((self.high - x) / x).ln_1p();
        self.ln_constant() - self.power * x.ln() + ln_integral(self.power, rest)
    }
}

/// ln of ∫₀^ℓ e^(−k t) dt = (1 − e^(−kℓ))/k, and ℓ where k is zero.
fn ln_integral(k: f64, length: f64) -> f64 {
    let x = k * length;
    if x.abs() < 1e-8 {
        // The series: its next term is x²/24.
        length.ln() - x / 2.0
    } else if x > 0.0 {
        (-(-x).exp_m1() / k).ln()
    } else {
        // e^(−x) may be beyond the doubles.
        -x + (-x.exp_m1() / -k).ln()
    }
}

impl Distribution for InversePower {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("inverse-power", vec![("power", self.power), ("low", self.low), ("high", self.high)])
    }

    fn ln_pdf(&self, x: f64) -> f64 {
        if !(self.low..=self.high).contains(&x) {
            f64::NEG_INFINITY
        } else if self.low == 0.0 {
            -self.high.ln()
        } else {
            -self.power * (x / self.low).ln() - self.low.ln() - ln_integral(self.power - 1.0, self.length())
        }
    }

    fn cdf(&self, x: f64) -> f64 {
        if x <= self.low {
            0.0
        } else if x >= self.high {
            1.0
        } else if self.low == 0.0 {
            x / self.high
        } else {
            let k = self.power - 1.0;
            (ln_integral(k, ((x - self.low) / self.low).ln_1p()) - ln_integral(k, self.length())).exp().min(1.0)
        }
    }

    fn quantile(&self, p: f64) -> f64 {
        if self.low == 0.0 {
            return p * self.high;
        }
        let (k, length) = (self.power - 1.0, self.length());
        let t = if (k * length).abs() < 1e-8 { p * length } else { -(p * (-k * length).exp_m1()).ln_1p() / k };
        (self.low * t.exp()).clamp(self.low, self.high)
    }

    fn support(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    fn mean(&self) -> Option<f64> {
        if self.low == 0.0 {
            return Some(self.high / 2.0);
        }
        let (k, length) = (self.power - 1.0, self.length());
        Some((self.low * (ln_integral(k - 1.0, length) - ln_integral(k, length)).exp()).clamp(self.low, self.high))
    }

    fn sd(&self) -> Option<f64> {
        if self.low == 0.0 {
            return Some(self.high / 12f64.sqrt());
        }
        // E θ² − (E θ)² cancels where n is large; the integral of (θ − mean)² does not. Simpson's rule over ℓ, where the density is
        // e^(−kℓ) and nothing is left of (θ/low)² e^(−kℓ) beyond 50/(k − 2).
        let mean = self.mean()?;
        let (k, length) = (self.power - 1.0, self.length());
        let reach = if k > 3.0 { length.min(50.0 / (k - 2.0)) } else { length };
        const PARTS: u32 = 4000;
        let step = reach / f64::from(PARTS);
        let ln_whole = ln_integral(k, length);
        let sum: f64 = (0..=PARTS)
            .map(|i| {
                let t = f64::from(i) * step;
                let weight = if i == 0 || i == PARTS { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
                let off = self.low * t.exp() - mean;
                weight * off * off * (-k * t - ln_whole).exp()
            })
            .sum();
        Some((sum * step / 3.0).sqrt())
    }

    fn mode(&self) -> Option<f64> {
        (self.power > 0.0).then_some(self.low)
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        self.quantile(open_unit(rng))
    }
}
