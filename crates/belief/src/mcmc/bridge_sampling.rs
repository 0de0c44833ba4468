//! Bridge sampling: what an unnormalised density integrates to, from draws of it.
//!
//! Meng & Wong 1996, *Simulating ratios of normalizing constants via a simple identity*, with the bridge that is best for independent
//! draws, found by iteration (their equation 4.1). The other end of the bridge is a normal with the mean and covariance of the first
//! half of each chain; the second half crosses it, as in Gronau et al. 2017, *A tutorial on bridge sampling*. The standard error is
//! that of Frühwirth-Schnatter 2004, *Estimating marginal likelihoods for mixture and Markov switching models using bridge sampling
//! techniques*, with the draws of a chain counted for what they are worth.

use super::factor_slice::{NotANumber, Stream, Walk, covariance_of};
use super::{McmcOptions, diagnose};
use crate::cholesky::cholesky;

/// The logarithm of an integral, with the standard error of that logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BridgeEstimate {
    /// ln of the integral.
    pub ln: f64,
    /// Its Monte Carlo standard error.
    pub standard_error: f64,
}

/// The relative change below which the iteration has settled.
const SETTLED: f64 = 1e-12;
/// Iterations; they converge by a factor each time, mostly within twenty.
const MOST_ITERATIONS: usize = 1000;
/// The stream that the normal's draws come from, apart from those of chains and their starts.
const STREAM: u64 = 2 << 32;

/// ln ∫ exp(ln_density), from chains that [`super::sample`] drew from it.
///
/// `None` if the draws lie in a plane, so that no normal fits them, or stand still, or the iteration does not settle.
///
/// **Complexity**: as many densities as half of the draws.
///
/// # Errors
/// The first place at which the density is NaN or plus infinity.
///
/// **Example**: a normal of two numbers without its constant integrates to 2π.
/// ```
/// use tunbridge_belief::mcmc::{McmcOptions, bridge_sampling, sample};
/// let mut ln_density = |p: &[f64]| -0.5 * (p[0] * p[0] + p[1] * p[1]);
/// let options = McmcOptions { draws: 500, ..McmcOptions::default() };
/// let identity = [vec![1.0, 0.0], vec![0.0, 1.0]];
/// let walks: Result<Vec<_>, _> = (0..4).map(|chain| sample(&mut ln_density, &[0.0, 0.0], &identity, &options, chain)).collect();
/// let found = bridge_sampling(&mut ln_density, &walks?, &options)?.unwrap();
/// assert!((found.ln - (2.0 * std::f64::consts::PI).ln()).abs() < 4.0 * found.standard_error);
/// # Ok::<(), tunbridge_belief::mcmc::NotANumber>(())
/// ```
pub fn bridge_sampling(
    ln_density: &mut dyn FnMut(&[f64]) -> f64,
    walks: &[Walk],
    options: &McmcOptions,
) -> Result<Option<BridgeEstimate>, NotANumber> {
    let Some(normal) = Normal::fitted_to(walks) else { return Ok(None) };
    // ln of posterior over normal, along each chain and at draws of the normal.
    let of_chains: Vec<Vec<f64>> = walks
        .iter()
        .map(|walk| {
            let half = walk.places.len() / 2;
            let crossing = walk.places[half..].iter().zip(&walk.heights[half..]);
            crossing.map(|(place, height)| height - normal.ln_density(place)).collect()
        })
        .collect();
    let n_chains: usize = of_chains.iter().map(Vec::len).sum();
    let mut random = Stream::new(options.seed, STREAM);
    let mut of_normal = Vec::with_capacity(n_chains);
    for _ in 0..n_chains {
        let (place, ln_normal) = normal.draw(&mut random);
        let height = ln_density(&place);
        if height.is_nan() || height == f64::INFINITY {
            return Err(NotANumber { place });
        }
        of_normal.push(height - ln_normal);
    }
    Ok(cross(&of_chains, &of_normal))
}

/// The iteration and its error, given ln(density/normal) at draws of the density and at draws of the normal.
fn cross(of_chains: &[Vec<f64>], of_normal: &[f64]) -> Option<BridgeEstimate> {
    let all: Vec<f64> = of_chains.iter().flatten().copied().collect();
    // Draws that hang together count for less.
    let effective = diagnose(of_chains)?.bulk_size.clamp(1.0, all.len() as f64);
    let share = effective / (effective + of_normal.len() as f64);
    // Ratios are taken to the median of the chains', so that they are near one.
    let shift = median(&all)?;
    let ratios = |ln: &[f64]| -> Vec<f64> { ln.iter().map(|ln| (ln - shift).exp()).collect() };
    let (chains, normal) = (ratios(&all), ratios(of_normal));
    let mean = |values: &[f64], f: &dyn Fn(f64) -> f64| values.iter().map(|ratio| f(*ratio)).sum::<f64>() / values.len() as f64;
    // An infinite ratio takes its limit.
    let toward_chains = |ratio: f64, r: f64| if ratio == f64::INFINITY { 1.0 / share } else { ratio / (share * ratio + (1.0 - share) * r) };
    let toward_normal = |ratio: f64, r: f64| 1.0 / (share * ratio + (1.0 - share) * r);
    let mut r = 1.0;
    let mut settled = false;
    for _ in 0..MOST_ITERATIONS {
        let next = mean(&normal, &|ratio| toward_chains(ratio, r)) / mean(&chains, &|ratio| toward_normal(ratio, r));
        settled = (next / r - 1.0).abs() < SETTLED;
        r = next;
        if settled || !(r > 0.0 && r.is_finite()) {
            break;
        }
    }
    if !(settled && r > 0.0 && r.is_finite()) {
        return None;
    }
    let above: Vec<f64> = normal.iter().map(|ratio| toward_chains(*ratio, r)).collect();
    let average = mean(&above, &|x| x);
    let variance = mean(&above, &|x| (x - average).powi(2));
    let below: Vec<Vec<f64>> = of_chains.iter().map(|chain| ratios(chain).iter().map(|ratio| toward_normal(*ratio, r)).collect()).collect();
    let told = diagnose(&below)?;
    let square = variance / (average * average * above.len() as f64) + (told.mean_error / told.mean).powi(2);
    let (ln, standard_error) = (shift + r.ln(), square.sqrt());
    (ln.is_finite() && standard_error.is_finite()).then_some(BridgeEstimate { ln, standard_error })
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().filter(|median| median.is_finite())
}

/// The normal at the other end of the bridge.
struct Normal {
    mean: Vec<f64>,
    lower: Vec<Vec<f64>>,
    /// ln of its density at its mean.
    ln_top: f64,
}

impl Normal {
    fn fitted_to(walks: &[Walk]) -> Option<Self> {
        let halves: Vec<Vec<f64>> = walks.iter().flat_map(|walk| walk.places[..walk.places.len() / 2].to_vec()).collect();
        let n = halves.first()?.len();
        let mean = (0..n).map(|axis| halves.iter().map(|place| place[axis]).sum::<f64>() / halves.len() as f64).collect();
        let lower = cholesky(&covariance_of(&halves)?)?;
        let ln_top = -(0..n).map(|axis| lower[axis][axis].ln()).sum::<f64>() - 0.5 * n as f64 * (2.0 * std::f64::consts::PI).ln();
        Some(Self { mean, lower, ln_top })
    }

    fn ln_density(&self, place: &[f64]) -> f64 {
        let mut standard: Vec<f64> = Vec::with_capacity(place.len());
        for (i, row) in self.lower.iter().enumerate() {
            let known: f64 = row.iter().zip(&standard).map(|(l, z)| l * z).sum();
            standard.push((place[i] - self.mean[i] - known) / row[i]);
        }
        self.ln_top - 0.5 * standard.iter().map(|z| z * z).sum::<f64>()
    }

    /// A draw, and ln of the density there.
    fn draw(&self, random: &mut Stream) -> (Vec<f64>, f64) {
        let standard: Vec<f64> = self.mean.iter().map(|_| random.normal()).collect();
        let place = self.mean.iter().zip(&self.lower).map(|(mean, row)| mean + row.iter().zip(&standard).map(|(l, z)| l * z).sum::<f64>());
        (place.collect(), self.ln_top - 0.5 * standard.iter().map(|z| z * z).sum::<f64>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcmc::sample;

    fn bridge(ln_density: &dyn Fn(&[f64]) -> f64, n: usize, seed: u64) -> Option<BridgeEstimate> {
        let options = McmcOptions { draws: 500, warm_up: 200, seed, ..McmcOptions::default() };
        let identity: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        let walk = |chain: u64| sample(&mut |p| ln_density(p), &vec![0.1 * chain as f64; n], &identity, &options, chain).unwrap();
        let walks: Vec<Walk> = (0..4).map(walk).collect();
        bridge_sampling(&mut |p| ln_density(p), &walks, &options).unwrap()
    }

    /// Six gammas on their logarithms: skewed, and the integral is Π Γ(a)·10⁻³⁰⁰.
    #[test]
    fn a_skewed_density_of_six_numbers() {
        let shapes = [1.5, 2.0, 3.0, 5.0, 8.0, 13.0];
        let ln_density = |p: &[f64]| p.iter().zip(shapes).map(|(z, a)| a * z - z.exp()).sum::<f64>() - 300.0 * 10_f64.ln();
        let truth = shapes.iter().map(|a| libm::lgamma(*a)).sum::<f64>() - 300.0 * 10_f64.ln();
        for seed in 0..3 {
            let found = bridge(&ln_density, 6, seed).unwrap();
            assert!((found.ln - truth).abs() < 4.0 * found.standard_error, "{found:?} for {truth}");
            assert!(found.standard_error < 0.05, "{found:?}");
        }
    }

    /// The standard error is that of the estimates of many seeds, within what forty of them can tell.
    #[test]
    fn the_standard_error_is_the_spread_over_seeds() {
        let ln_density = |p: &[f64]| -(1.0 + 0.25 * p[0] * p[0]).ln() * 3.0 - 0.5 * (p[1] - p[0]).powi(2);
        let found: Vec<BridgeEstimate> = (0..40).map(|seed| bridge(&ln_density, 2, seed).unwrap()).collect();
        let mean = found.iter().map(|of| of.ln).sum::<f64>() / 40.0;
        let spread = (found.iter().map(|of| (of.ln - mean).powi(2)).sum::<f64>() / 39.0).sqrt();
        let told = found.iter().map(|of| of.standard_error).sum::<f64>() / 40.0;
        assert!((0.5..2.0).contains(&(told / spread)), "told {told}, found {spread}");
    }

    #[test]
    fn draws_that_stand_still_have_no_bridge() {
        let walk = Walk { places: vec![vec![1.0, 2.0]; 50], heights: vec![0.0; 50] };
        assert_eq!(bridge_sampling(&mut |_| 0.0, &[walk.clone(), walk], &McmcOptions::default()), Ok(None));
    }
}
