//! Factor slice sampling: a Markov chain that needs no step size, no slope, and walks along the posterior's own axes.
//!
//! Neal 2003, *Slice sampling*, figures 3 and 5: a level is drawn below the density, an interval is stepped out until it leaves the
//! slice, and points are drawn from it and shrink it until one lies inside. Every update moves. Along the coordinates that is slow
//! where parameters go together, so, as in Tibbits, Groendyke, Haran & Liechty 2014, *Automated factor slice sampling*, updates go
//! along axes learned in the warm-up: here the columns of Cholesky's triangle of the covariance of the draws so far.
//!
//! Chosen over adaptive Metropolis (Haario, Saksman & Tamminen 2001), whose proposals fail where scales differ from place to place
//! and at hard edges, and over Hamiltonian dynamics, which needs slopes that a density with `if`, `floor` or an edge does not have.

use rand_chacha::ChaCha8Rng;

use crate::cholesky::cholesky;
use crate::distribution::{open_unit, standard_normal};
use crate::random_stream;

/// How many draws, from how many chains.
///
/// | field | default | meaning | range |
/// |---|---|---|---|
/// | `chains` | 4 | chains, each from a start of its own | 2 to 64 |
/// | `warm_up` | 1000 | sweeps of each chain that are thrown away, and that its axes are learned from | 0 to 10⁷ |
/// | `draws` | 1000 | sweeps of each chain that are kept | 8 to 10⁷ |
/// | `seed` | 0 | the same seed gives the same draws | any |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McmcOptions {
    /// How many chains.
    pub chains: usize,
    /// Sweeps of each that are thrown away.
    pub warm_up: usize,
    /// Sweeps of each that are kept.
    pub draws: usize,
    /// Where the random numbers begin.
    pub seed: u64,
}

impl Default for McmcOptions {
    fn default() -> Self {
        Self { chains: 4, warm_up: 1000, draws: 1000, seed: 0 }
    }
}

impl McmcOptions {
    /// What is wrong with them, if anything is.
    pub fn fault(&self) -> Option<String> {
        let within = |what: &str, found: usize, least: usize, most: usize| {
            (!(least..=most).contains(&found)).then(|| format!("{what} must be {least} to {most}, and not {found}"))
        };
        within("chains", self.chains, 2, 64)
            .or_else(|| within("warm-up sweeps", self.warm_up, 0, 10_000_000))
            .or_else(|| within("draws of a chain", self.draws, 8, 10_000_000))
    }
}

/// A place at which the density is no number.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the density is not a number at {place:?}")]
pub struct NotANumber {
    /// The place.
    pub place: Vec<f64>,
}

/// Where one chain went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walk {
    /// The place after each sweep that was kept.
    pub places: Vec<Vec<f64>>,
    /// ln of the density at each.
    pub heights: Vec<f64>,
}

/// The width of the first interval, in standard deviations along its axis.
const WIDTH: f64 = 2.5;
/// Steps outward before an interval is taken as it is. Neal's `m`: the chain stays right whatever it is.
const MOST_STEPS: u64 = 60;
/// Points tried in an interval. Each halves it on average, so that this many leave nothing of it.
const MOST_SHRINKS: usize = 200;

/// Draws from one chain: `draws` places after `warm_up`, each a sweep along all axes after the one before.
///
/// `start` must have a density above zero; `covariance` is a first guess of the axes, learned anew at 1/8, 1/4 and 1/2 of the
/// warm-up.
///
/// **Complexity**: some six densities for each axis and sweep.
///
/// # Errors
/// The first place at which the density is NaN or plus infinity.
pub fn sample(
    ln_density: &mut dyn FnMut(&[f64]) -> f64,
    start: &[f64],
    covariance: &[Vec<f64>],
    options: &McmcOptions,
    chain: u64,
) -> Result<Walk, NotANumber> {
    let mut random = Stream::new(options.seed, chain);
    let mut place = start.to_vec();
    let n = place.len();
    let mut ln_density = |place: &[f64]| match ln_density(place) {
        value if value.is_nan() || value == f64::INFINITY => Err(NotANumber { place: place.to_vec() }),
        value => Ok(value),
    };
    let mut height = ln_density(&place)?;
    let mut axes = columns(covariance).unwrap_or_else(|| widths(covariance));
    let mut seen: Vec<Vec<f64>> = Vec::new();
    let mut walk = Walk { places: Vec::with_capacity(options.draws), heights: Vec::with_capacity(options.draws) };
    for sweep in 0..options.warm_up + options.draws {
        for axis in &axes {
            height = update(&mut ln_density, &mut place, height, axis, &mut random)?;
        }
        if sweep >= options.warm_up {
            walk.places.push(place.clone());
            walk.heights.push(height);
            continue;
        }
        seen.push(place.clone());
        let done = sweep + 1;
        let learns = [8, 4, 2].iter().any(|part| done == options.warm_up / part);
        if learns
            && seen.len() > 5 * n
            && let Some(learned) = covariance_of(&seen[seen.len() / 2..]).and_then(|covariance| columns(&covariance))
        {
            axes = learned;
        }
    }
    Ok(walk)
}

/// One update along an axis; the height of the new place.
fn update(
    ln_density: &mut impl FnMut(&[f64]) -> Result<f64, NotANumber>,
    place: &mut [f64],
    height: f64,
    axis: &[f64],
    random: &mut Stream,
) -> Result<f64, NotANumber> {
    let level = height + random.uniform().ln();
    let from = place.to_vec();
    let mut at = |t: f64, place: &mut [f64]| {
        place.iter_mut().zip(&from).zip(axis).for_each(|((p, from), axis)| *p = from + t * axis);
        ln_density(place)
    };
    let mut low = -WIDTH * random.uniform();
    let mut high = low + WIDTH;
    // The steps are shared between the sides at random, which keeps the chain reversible.
    let mut below = (random.uniform() * MOST_STEPS as f64) as u64;
    let mut above = MOST_STEPS - 1 - below.min(MOST_STEPS - 1);
    while below > 0 && at(low, place)? > level {
        (low, below) = (low - WIDTH, below - 1);
    }
    while above > 0 && at(high, place)? > level {
        (high, above) = (high + WIDTH, above - 1);
    }
    for _ in 0..MOST_SHRINKS {
        let t = low + random.uniform() * (high - low);
        let found = at(t, place)?;
        if found > level {
            return Ok(found);
        }
        if t < 0.0 { low = t } else { high = t }
    }
    place.copy_from_slice(&from);
    Ok(height)
}

/// Random numbers of one chain.
pub(crate) struct Stream(ChaCha8Rng);

impl Stream {
    pub(crate) fn new(seed: u64, chain: u64) -> Self {
        Self(random_stream(seed, chain))
    }

    /// Between 0 and 1, never either of them.
    pub(crate) fn uniform(&mut self) -> f64 {
        open_unit(&mut self.0)
    }

    /// From N(0, 1).
    pub(crate) fn normal(&mut self) -> f64 {
        standard_normal(&mut self.0)
    }
}

/// The axes that Cholesky's triangle gives: its columns.
fn columns(covariance: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let lower = cholesky(covariance)?;
    Some((0..lower.len()).map(|column| lower.iter().map(|row| row[column]).collect()).collect())
}

/// The coordinates, with their own widths.
fn widths(covariance: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = covariance.len();
    let axis = |i: usize| (0..n).map(|j| if i == j { covariance[i][i].abs().sqrt().max(1e-12) } else { 0.0 }).collect();
    (0..n).map(axis).collect()
}

/// The covariance of draws.
pub(super) fn covariance_of(draws: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let n = draws.first()?.len();
    let count = draws.len() as f64;
    let mean: Vec<f64> = (0..n).map(|axis| draws.iter().map(|draw| draw[axis]).sum::<f64>() / count).collect();
    let entry = |i: usize, j: usize| draws.iter().map(|draw| (draw[i] - mean[i]) * (draw[j] - mean[j])).sum::<f64>() / count;
    Some((0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcmc::diagnose;

    fn run(ln_density: impl Fn(&[f64]) -> f64, starts: &[Vec<f64>], covariance: &[Vec<f64>], options: McmcOptions) -> Vec<Vec<Vec<f64>>> {
        let chain =
            |(chain, start): (usize, &Vec<f64>)| sample(&mut |p| ln_density(p), start, covariance, &options, chain as u64).unwrap().places;
        starts.iter().enumerate().map(chain).collect()
    }

    /// A normal of four numbers, two of which go together closely; the first guess of the axes knows nothing of that.
    #[test]
    fn a_slanted_normal() {
        let ln_density = |p: &[f64]| {
            let (a, b) = (p[0], (p[1] - 0.99 * p[0]) / (1.0 - 0.99_f64 * 0.99).sqrt());
            -0.5 * (a * a + b * b + (p[2] - 5.0).powi(2) / 4.0 + (p[3] / 100.0).powi(2))
        };
        let guess: Vec<Vec<f64>> = (0..4).map(|i| (0..4).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        let options = McmcOptions { draws: 500, warm_up: 400, ..McmcOptions::default() };
        let starts = [[-3.0, -3.0, 0.0, 200.0], [3.0, 3.0, 9.0, -200.0], [0.0, 0.1, 5.0, 0.0], [1.0, 1.0, 3.0, 50.0]].map(Vec::from);
        let chains = run(ln_density, &starts, &guess, options);
        for (axis, (mean, sd)) in [(0.0, 1.0), (0.0, 1.0), (5.0, 2.0), (0.0, 100.0)].into_iter().enumerate() {
            let series: Vec<Vec<f64>> = chains.iter().map(|chain| chain.iter().map(|draw| draw[axis]).collect()).collect();
            let found = diagnose(&series).unwrap();
            assert!(found.r_hat < 1.02 && found.bulk_size > 400.0, "{axis}: {found:?}");
            assert!((found.mean - mean).abs() < 4.0 * found.mean_error, "{axis}: {found:?}");
            assert!((found.sd - sd).abs() < 4.0 * found.sd_error, "{axis}: {found:?}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_draws_and_another_others() {
        let draws = |seed| {
            let options = McmcOptions { draws: 20, warm_up: 10, seed, ..McmcOptions::default() };
            sample(&mut |p| -0.5 * p[0] * p[0], &[0.0], &[vec![1.0]], &options, 3).unwrap()
        };
        assert_eq!(draws(1), draws(1));
        assert_ne!(draws(1), draws(2));
    }

    /// Chains that start on two humps far apart stay on them, and R̂ says so.
    #[test]
    fn chains_that_do_not_meet_are_found_out() {
        let humps = |p: &[f64]| -0.5 * (p[0].abs() - 500.0).powi(2);
        let starts = [[-500.0], [500.0], [-501.0], [499.0]].map(Vec::from);
        let options = McmcOptions { draws: 200, warm_up: 100, ..McmcOptions::default() };
        let chains = run(humps, &starts, &[vec![1e-4]], options);
        let series: Vec<Vec<f64>> = chains.iter().map(|chain| chain.iter().map(|draw| draw[0]).collect()).collect();
        let found = diagnose(&series).unwrap();
        assert!(found.r_hat > 1.1 && found.warning().is_some(), "{found:?}");
    }

    #[test]
    fn a_density_that_is_no_number_ends_the_chain() {
        let fault = sample(&mut |p| if p[0] > 0.5 { f64::NAN } else { 0.0 }, &[0.0], &[vec![1.0]], &McmcOptions::default(), 0);
        assert!(fault.is_err());
    }
}
