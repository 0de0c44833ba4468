//! Categorical and multinomial likelihood, Dirichlet prior: pseudo-counts α added to counts n.
//!
//! Every way of smoothing a frequency is a Dirichlet: maximum likelihood is α = 0, Laplace α = 1, the m-estimate α = m·p.

use libm::lgamma;

use super::family::{Family, OutsideSupport, is_count, n_ln};
use crate::distribution::{Beta, Distribution, PointMass, ln_rising, open_unit, standard_gamma_ln};
use crate::{CompensatedSum, ConjugatePrior, Forget, NeverObserved, Rng, ShapeMismatch, SufficientStatistic, count_without, log_sum_exp};

/// A Dirichlet distribution by its parameters, each at least zero (all zero is the improper prior of maximum likelihood).
#[derive(Clone, Debug, PartialEq)]
pub struct Dirichlet {
    /// One pseudo-count per state.
    pub alpha: Vec<f64>,
}

impl Dirichlet {
    /// The same pseudo-count for every state.
    pub fn symmetric(alpha: f64, n_states: usize) -> Self {
        Self { alpha: vec![alpha; n_states] }
    }

    /// α₀ = Σ α.
    pub fn total(&self) -> f64 {
        self.alpha.iter().sum()
    }

    /// The mean, which is also the predictive probability of each state; uniform when every α is zero.
    ///
    /// ```
    /// use tunbridge_belief::conjugate::Dirichlet;
    /// assert_eq!(Dirichlet { alpha: vec![3.0, 1.0] }.mean(), [0.75, 0.25]);
    /// ```
    pub fn mean(&self) -> Vec<f64> {
        let total = self.total();
        let uniform = 1.0 / self.alpha.len() as f64;
        self.alpha.iter().map(|a| if total > 0.0 { a / total } else { uniform }).collect()
    }

    /// The standard deviation of each state's probability.
    pub fn sd(&self) -> Vec<f64> {
        let total = self.total();
        self.mean().into_iter().map(|p| (p * (1.0 - p) / (total + 1.0)).sqrt()).collect()
    }
}

impl ConjugatePrior<[f64]> for Dirichlet {
    type Posterior = Dirichlet;

    fn posterior(&self, counts: &[f64]) -> Dirichlet {
        Dirichlet { alpha: self.alpha.iter().zip(counts).map(|(a, n)| a + n).collect() }
    }

    fn log_marginal_likelihood(&self, counts: &[f64]) -> f64 {
        dirichlet_ln_marginal(&self.alpha, counts)
    }
}

/// ln P(rows in their order) = ln Γ(α₀) − ln Γ(α₀+n) + Σ ln Γ(αₖ+nₖ) − ln Γ(αₖ) (Heckerman, Geiger & Chickering 1995, eq. 13).
pub fn dirichlet_ln_marginal(alpha: &[f64], counts: &[f64]) -> f64 {
    let (a, n): (f64, f64) = (alpha.iter().sum(), counts.iter().sum());
    let cells: f64 = alpha.iter().zip(counts).filter(|(_, n)| **n > 0.0).map(|(a, n)| ln_rising(*a, *n)).sum();
    if n > 0.0 { cells - ln_rising(a, n) } else { 0.0 }
}

/// How often each state was counted, and the part of the likelihood of counted rows that no parameter is in.
#[derive(Clone, Debug, PartialEq)]
pub struct StateCounts {
    /// One count for each state.
    pub counts: Vec<f64>,
    ln_coefficients: CompensatedSum,
}

impl StateCounts {
    /// Nothing counted of so many states.
    pub fn empty(n_states: usize) -> Self {
        Self { counts: vec![0.0; n_states], ln_coefficients: CompensatedSum::default() }
    }

    /// Counts that were made elsewhere, of rows of one state each.
    pub fn of(counts: Vec<f64>) -> Self {
        Self { counts, ln_coefficients: CompensatedSum::default() }
    }

    fn total(&self) -> f64 {
        self.counts.iter().sum()
    }
}

impl SufficientStatistic for StateCounts {
    /// Codes of states.
    type Columns<'a> = &'a [usize];

    fn observe(&mut self, codes: &[usize]) -> Result<(), ShapeMismatch> {
        for code in codes {
            let n_states = self.counts.len();
            let count = self.counts.get_mut(*code).ok_or(ShapeMismatch { what: "states", expected: n_states, found: *code })?;
            *count += 1.0;
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("states", self.counts.len(), other.counts.len())?;
        self.counts.iter_mut().zip(&other.counts).for_each(|(a, b)| *a += b);
        self.ln_coefficients.merge(&other.ln_coefficients);
        Ok(())
    }
}

impl Forget for StateCounts {
    fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        ShapeMismatch::check("states", self.counts.len(), other.counts.len())?;
        self.counts = self.counts.iter().zip(&other.counts).map(|(a, b)| count_without(*a, *b)).collect::<Result<_, _>>()?;
        self.ln_coefficients.add(-other.ln_coefficients.value());
        Ok(())
    }
}

impl ConjugatePrior<StateCounts> for Dirichlet {
    type Posterior = Dirichlet;

    fn posterior(&self, seen: &StateCounts) -> Dirichlet {
        self.posterior(seen.counts.as_slice())
    }

    fn log_marginal_likelihood(&self, seen: &StateCounts) -> f64 {
        dirichlet_ln_marginal(&self.alpha, &seen.counts) + seen.ln_coefficients.value()
    }
}

/// ln (n!/Π kᵢ!).
fn ln_multinomial(counts: &[f64]) -> f64 {
    lgamma(counts.iter().sum::<f64>() + 1.0) - counts.iter().map(|k| lgamma(k + 1.0)).sum::<f64>()
}

impl Family for Dirichlet {
    type Statistic = StateCounts;
    /// How often each state was met: a single one for a categorical row, several for a multinomial one.
    type Datum = Vec<f64>;

    fn name(&self) -> &'static str {
        "categorical"
    }

    fn empty(&self) -> StateCounts {
        StateCounts::empty(self.alpha.len())
    }

    fn observe(&self, statistic: &mut StateCounts, datum: &Vec<f64>, weight: f64) -> Result<(), OutsideSupport> {
        if let Some(wrong) = datum.iter().find(|k| !is_count(**k)) {
            return Err(OutsideSupport { value: *wrong, must: "a whole number from 0 on: how often a state was met" });
        }
        statistic.counts.iter_mut().zip(datum).for_each(|(count, k)| *count += weight * k);
        statistic.ln_coefficients.add(weight * ln_multinomial(datum));
        Ok(())
    }

    fn parameters(&self) -> Vec<String> {
        (1..=self.alpha.len()).map(|state| format!("p{state}")).collect()
    }

    fn improper(&self) -> Option<&'static str> {
        self.alpha
            .iter()
            .any(|a| *a <= 0.0)
            .then_some("a Dirichlet with a parameter of zero is no distribution: it needs a row of every state")
    }

    fn marginal(&self, state: usize) -> Option<Box<dyn Distribution>> {
        // The only state is sure.
        if self.alpha.len() == 1 {
            return Some(Box::new(PointMass { at: 1.0 }));
        }
        let others: f64 = self.alpha.iter().enumerate().filter(|(k, _)| *k != state).map(|(_, a)| a).sum();
        Some(Box::new(Beta::new(self.alpha[state], others).ok()?))
    }

    fn mode(&self) -> Option<Vec<f64>> {
        if self.alpha.len() == 1 {
            return Some(vec![1.0]);
        }
        let above: f64 = self.alpha.iter().map(|a| a - 1.0).sum();
        (self.alpha.iter().all(|a| *a >= 1.0) && above > 0.0).then(|| self.alpha.iter().map(|a| (a - 1.0) / above).collect())
    }

    fn maximum_likelihood(&self, seen: &StateCounts) -> Option<Vec<f64>> {
        let total = seen.total();
        (total > 0.0).then(|| seen.counts.iter().map(|n| n / total).collect())
    }

    fn ln_profile_likelihood(&self, seen: &StateCounts, state: usize, p: f64) -> Option<f64> {
        let n = seen.counts[state];
        (0.0..=1.0).contains(&p).then(|| n_ln(n, p) + n_ln(seen.total() - n, 1.0 - p))
    }

    fn predictive(&self) -> Option<Box<dyn Distribution>> {
        None
    }

    fn ln_predictive(&self, datum: &Vec<f64>) -> f64 {
        let cells: f64 = self.alpha.iter().zip(datum).map(|(a, k)| ln_rising(*a, *k)).sum();
        cells - ln_rising(self.total(), datum.iter().sum()) + ln_multinomial(datum)
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        let ln: Vec<f64> = self.alpha.iter().map(|a| standard_gamma_ln(*a, rng)).collect();
        let whole = log_sum_exp(&ln);
        ln.into_iter().map(|x| (x - whole).exp()).collect()
    }

    fn simulate(&self, parameters: &[f64], rng: &mut dyn Rng) -> Vec<f64> {
        let mut left = open_unit(rng);
        let last = parameters.len() - 1;
        let mut datum = vec![0.0; parameters.len()];
        let state = parameters.iter().position(|p| {
            left -= p;
            left < 0.0
        });
        datum[state.unwrap_or(last)] = 1.0;
        datum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chain rule by hand for states a, b, a under α = (1, 1): 1/2 · 1/3 · 2/4.
    #[test]
    fn the_marginal_likelihood_is_the_product_of_predictives() {
        let prior = Dirichlet::symmetric(1.0, 2);
        assert!((prior.log_marginal_likelihood([2.0, 1.0].as_slice()) - (1.0_f64 / 12.0).ln()).abs() < 1e-14);
    }

    #[test]
    fn maximum_likelihood_without_counts_is_uniform_and_not_nan() {
        assert_eq!(Dirichlet::symmetric(0.0, 4).posterior([0.0; 4].as_slice()).mean(), [0.25; 4]);
    }
}
