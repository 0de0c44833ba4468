//! Multinomial draws: how often each of some outcomes comes where so many are drawn.

use rand_distr::{Binomial, Distribution};

use crate::{Rng, uniform};

/// Fewer are drawn one after the other: a binomial draw takes as long as some dozen of them.
const TOGETHER: u64 = 32;

/// Draws outcomes by their weights, `n` times, and tells how often each came. One that did not come is not told of, and one that did may be more than once.
/// The weights are not negative, and their sum is above zero.
///
/// Many draws are made together: outcome by outcome, how many of those that are left is binomial (Devroye 1986, chapter XI.1.4), so that time
/// grows with the outcomes and not with `n`.
///
/// ```
/// use tunbridge_belief::{multinomial, random};
/// let mut times = [0; 3];
/// multinomial(&[1.0, 0.0, 3.0], 1_000_000, &mut random(1), |outcome, n| times[outcome] += n);
/// assert_eq!((times[1], times.iter().sum::<u64>()), (0, 1_000_000));
/// // Six standard deviations of 433.
/// assert!(times[0].abs_diff(250_000) < 2600);
/// ```
pub fn multinomial(weights: &[f64], n: u64, rng: &mut impl Rng, mut see: impl FnMut(usize, u64)) {
    if n == 0 {
        return;
    }
    let sum: f64 = weights.iter().sum();
    if n < TOGETHER {
        (0..n).for_each(|_| see(one(weights, sum, rng), 1));
        return;
    }
    let last = weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0);
    let (mut left, mut rest) = (n, sum);
    for (outcome, weight) in weights[..last].iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        // What is left of the sum may be rounded to less than the weight.
        let share = if *weight < rest { weight / rest } else { 1.0 };
        let came = Binomial::new(left, share).map_or(0, |binomial| binomial.sample(rng));
        if came > 0 {
            see(outcome, came);
        }
        left -= came;
        rest -= weight;
        if left == 0 {
            return;
        }
    }
    see(last, left);
}

/// An outcome drawn by its weight.
fn one(weights: &[f64], sum: f64, rng: &mut impl Rng) -> usize {
    let mut left = uniform(rng) * sum;
    let mut last = 0;
    for (outcome, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        last = outcome;
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_stream;

    /// Means and covariances of counts, where few are drawn one by one and where many are drawn together.
    #[test]
    fn counts_have_the_moments_of_a_multinomial() {
        let weights = [2.0, 0.0, 5.0, 1.0, 1e-300, 0.0];
        let p = weights.map(|weight| weight / 8.0);
        for n in [5, 31, 32, 1000] {
            let n_draws = 20_000;
            let (mut mean, mut product) = ([0.0; 6], 0.0);
            let mut rng = random_stream(7, n);
            for _ in 0..n_draws {
                let mut times = [0.0; 6];
                multinomial(&weights, n, &mut rng, |outcome, n| times[outcome] += n as f64);
                assert_eq!(times.iter().sum::<f64>(), n as f64);
                mean.iter_mut().zip(times).for_each(|(mean, times)| *mean += times / n_draws as f64);
                product += times[0] * times[2] / n_draws as f64;
            }
            let n = n as f64;
            for (mean, p) in mean.iter().zip(p) {
                assert!((mean - n * p).abs() <= 5.0 * (n * p / n_draws as f64).sqrt(), "{mean} for {} of {n}", n * p);
            }
            // Cov = −n p q; the error of such a mean of products is some n/√n_draws · √(p q).
            let covariance = product - mean[0] * mean[2];
            assert!((covariance + n * p[0] * p[2]).abs() < 5.0 * n * (p[0] * p[2] / n_draws as f64).sqrt(), "{covariance} of {n}");
        }
    }

    #[test]
    fn one_outcome_takes_all() {
        for n in [1, 100] {
            let mut told = Vec::new();
            multinomial(&[0.0, 3e-320, 0.0], n, &mut random_stream(1, 1), |outcome, n| told.push((outcome, n)));
            assert!(told.iter().all(|(outcome, _)| *outcome == 1) && told.iter().map(|(_, n)| n).sum::<u64>() == n);
        }
        multinomial(&[1.0], 0, &mut random_stream(1, 1), |_, _| panic!("nothing is drawn"));
    }
}
