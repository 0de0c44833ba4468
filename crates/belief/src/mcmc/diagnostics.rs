//! Whether chains agree, and how many independent draws they are worth.
//!
//! Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021, *Rank-normalization, folding, and localization: an improved R̂*. Each chain is
//! cut in two, draws are replaced by normal scores of their ranks, and R̂ compares the variance between the halves with that
//! within; folded around the median it sees chains that differ in spread alone. The effective sample size sums autocorrelations over
//! Geyer's (1992) initial monotone sequence.

/// What several chains tell of one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Diagnosis {
    /// The mean of all draws.
    pub mean: f64,
    /// Their standard deviation.
    pub sd: f64,
    /// The Monte Carlo standard error of the mean.
    pub mean_error: f64,
    /// The Monte Carlo standard error of the standard deviation.
    pub sd_error: f64,
    /// Rank-normalised split R̂: 1 where chains agree.
    pub r_hat: f64,
    /// The effective sample size for the middle of the distribution.
    pub bulk_size: f64,
    /// The effective sample size for the 5 % and 95 % quantiles, the smaller.
    pub tail_size: f64,
    /// How many chains there are.
    pub n_chains: usize,
}

/// Above this, chains have not mixed (Vehtari et al. 2021, section 4).
pub const MOST_R_HAT: f64 = 1.01;
/// Fewer effective draws than this for each chain are too few to trust the diagnosis itself.
pub const LEAST_SIZE: f64 = 100.0;

impl Diagnosis {
    /// Why the draws should not be trusted, if they should not.
    pub fn warning(&self) -> Option<String> {
        let least = LEAST_SIZE * self.n_chains as f64;
        if self.r_hat > MOST_R_HAT {
            return Some(format!("the chains have not mixed: R-hat is {:.3} and should be at most {MOST_R_HAT}; draw longer", self.r_hat));
        }
        let size = self.bulk_size.min(self.tail_size);
        (size < least).then(|| format!("the draws are worth only {size:.0} independent ones, and should be worth {least:.0}; draw longer"))
    }
}

/// The diagnosis of chains of one length.
///
/// `None` for fewer than two chains, fewer than eight draws in one, unequal lengths, or draws that are not numbers. Draws that are
/// all the same are worth one each.
///
/// **Complexity**: n² in the worst case for n draws a chain, n log n usually, since autocorrelations are summed only until they
/// vanish.
pub fn diagnose(chains: &[Vec<f64>]) -> Option<Diagnosis> {
    let n = chains.first()?.len();
    if chains.len() < 2 || n < 8 || chains.iter().any(|chain| chain.len() != n || chain.iter().any(|draw| !draw.is_finite())) {
        return None;
    }
    // An odd draw in the middle belongs to neither half.
    let halves: Vec<Vec<f64>> = chains.iter().flat_map(|chain| [chain[..n / 2].to_vec(), chain[n - n / 2..].to_vec()]).collect();
    let all: Vec<f64> = chains.iter().flatten().copied().collect();
    let count = all.len() as f64;
    let mean = all.iter().sum::<f64>() / count;
    let variance = all.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let sd = variance.sqrt();
    let mut sorted = all.clone();
    sorted.sort_by(f64::total_cmp);
    let quantile = |p: f64| sorted[((p * (count - 1.0)).round()) as usize];
    let median = 0.5 * (sorted[(all.len() - 1) / 2] + sorted[all.len() / 2]);
    let through =
        |f: &dyn Fn(f64) -> f64| -> Vec<Vec<f64>> { halves.iter().map(|half| half.iter().map(|draw| f(*draw)).collect()).collect() };
    let scores = rank_normalised(&halves);
    let folded = rank_normalised(&through(&|draw| (draw - median).abs()));
    let tail = |p: f64| {
        let cut = quantile(p);
        effective_size(&through(&|draw| f64::from(u8::from(draw <= cut))))
    };
    let squares = through(&|draw| (draw - mean).powi(2));
    let of_squares: Vec<f64> = squares.iter().flatten().copied().collect();
    let spread = of_squares.iter().map(|square| (square - variance).powi(2)).sum::<f64>() / count;
    Some(Diagnosis {
        mean,
        sd,
        mean_error: sd / effective_size(&halves).sqrt(),
        sd_error: if sd > 0.0 { (spread / effective_size(&squares)).sqrt() / (2.0 * sd) } else { 0.0 },
        r_hat: r_hat(&scores).max(r_hat(&folded)),
        bulk_size: effective_size(&scores),
        tail_size: tail(0.05).min(tail(0.95)),
        n_chains: chains.len(),
    })
}

/// √ of the variance of all over the variance within; 1 if nothing varies.
fn r_hat(chains: &[Vec<f64>]) -> f64 {
    let Variances { within, total, .. } = variances(chains);
    match (within > 0.0, total > 0.0) {
        (true, _) => (total / within).sqrt(),
        // Each chain stands still at a place of its own.
        (false, true) => f64::MAX,
        (false, false) => 1.0,
    }
}

struct Variances {
    means: Vec<f64>,
    /// W, the mean of the chains' variances.
    within: f64,
    /// var⁺, which counts the variance between chains too.
    total: f64,
}

fn variances(chains: &[Vec<f64>]) -> Variances {
    let (m, n) = (chains.len() as f64, chains[0].len() as f64);
    let means: Vec<f64> = chains.iter().map(|chain| chain.iter().sum::<f64>() / n).collect();
    let grand = means.iter().sum::<f64>() / m;
    let within =
        chains.iter().zip(&means).map(|(chain, mean)| chain.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sum::<f64>() / m;
    let between = means.iter().map(|mean| (mean - grand).powi(2)).sum::<f64>() / (m - 1.0);
    Variances { means, within, total: within * (n - 1.0) / n + between }
}

/// How many independent draws the chains are worth (Vehtari et al. 2021, equations 10 to 13).
fn effective_size(chains: &[Vec<f64>]) -> f64 {
    let (m, n) = (chains.len(), chains[0].len());
    let Variances { means, within, total } = variances(chains);
    let count = (m * n) as f64;
    if total <= 0.0 {
        return count;
    }
    let autocovariance = |lag: usize| {
        let of =
            |(chain, mean): (&Vec<f64>, &f64)| (0..n - lag).map(|i| (chain[i] - mean) * (chain[i + lag] - mean)).sum::<f64>() / n as f64;
        chains.iter().zip(&means).map(of).sum::<f64>() / m as f64
    };
    let correlation = |lag: usize| 1.0 - (within - autocovariance(lag) * n as f64 / (n as f64 - 1.0)) / total;
    let mut sum = 0.0;
    let mut last_pair = f64::INFINITY;
    for pair in 0..n / 2 {
        // ρ₀ is 1 by definition.
        let even = if pair == 0 { 1.0 } else { correlation(2 * pair) };
        let together = even + correlation(2 * pair + 1);
        if together < 0.0 {
            break;
        }
        last_pair = last_pair.min(together);
        sum += last_pair;
    }
    let time = (2.0 * sum - 1.0).max(1.0 / count.log10());
    count / time
}

/// Normal scores of the ranks among all draws: Φ⁻¹((r − 3/8)/(S + 1/4)), ties by their mean rank.
fn rank_normalised(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = chains[0].len();
    let all: Vec<f64> = chains.iter().flatten().copied().collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| all[*a].total_cmp(&all[*b]).then(a.cmp(b)));
    let mut scores = vec![0.0; all.len()];
    let mut start = 0;
    while start < order.len() {
        let same = order[start..].iter().take_while(|at| all[**at] == all[order[start]]).count();
        let rank = start as f64 + (same as f64 + 1.0) / 2.0;
        let score = normal_quantile((rank - 0.375) / (all.len() as f64 + 0.25));
        order[start..start + same].iter().for_each(|at| scores[*at] = score);
        start += same;
    }
    scores.chunks(n).map(<[f64]>::to_vec).collect()
}

/// Φ⁻¹ by Acklam's rational approximation and one step of Halley's on top of it, which makes it exact to rounding.
fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -39.696_830_286_653_76,
        220.946_098_424_520_5,
        -275.928_510_446_968_7,
        138.357_751_867_269,
        -30.664_798_066_147_16,
        2.506_628_277_459_239,
    ];
    const B: [f64; 5] =
        [-54.476_098_798_224_06, 161.585_836_858_040_9, -155.698_979_859_886_6, 66.801_311_887_719_72, -13.280_681_552_885_72];
    const C: [f64; 6] = [
        -0.007_784_894_002_430_293,
        -0.322_396_458_041_136_5,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 4] = [0.007_784_695_709_041_462, 0.322_467_129_070_039_8, 2.445_134_137_142_996, 3.754_408_661_907_416];
    let horner = |coefficients: &[f64], x: f64| coefficients.iter().fold(0.0, |sum, c| sum * x + c);
    let tail = |p: f64| {
        let q = (-2.0 * p.ln()).sqrt();
        horner(&C, q) / (horner(&D, q) * q + 1.0)
    };
    let first = if p < 0.02425 {
        tail(p)
    } else if p > 1.0 - 0.02425 {
        -tail(1.0 - p)
    } else {
        let (q, r) = (p - 0.5, (p - 0.5) * (p - 0.5));
        horner(&A, r) * q / (horner(&B, r) * r + 1.0)
    };
    let off = 0.5 * libm::erfc(-first / std::f64::consts::SQRT_2) - p;
    let step = off * (2.0 * std::f64::consts::PI).sqrt() * (first * first / 2.0).exp();
    first - step / (1.0 + first * step / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcmc::factor_slice::Stream;

    fn autoregressive(rho: f64, n: usize, chain: u64) -> Vec<f64> {
        let mut random = Stream::new(11, chain);
        let mut x = random.normal();
        let mut next = || {
            x = rho * x + (1.0 - rho * rho).sqrt() * random.normal();
            x
        };
        (0..n).map(|_| next()).collect()
    }

    /// An AR(1) series of n draws is worth n(1 − ρ)/(1 + ρ).
    #[test]
    fn the_size_of_an_autoregressive_series_is_known() {
        for rho in [0.0, 0.5, 0.9] {
            let n = 4000;
            let chains: Vec<Vec<f64>> = (0..4).map(|chain| autoregressive(rho, n, chain)).collect();
            let found = diagnose(&chains).unwrap();
            let truth = 4.0 * n as f64 * (1.0 - rho) / (1.0 + rho);
            assert!((found.bulk_size / truth - 1.0).abs() < 0.2, "{rho}: {} and not {truth}", found.bulk_size);
            assert!(found.r_hat < 1.01 && found.warning().is_none(), "{found:?}");
            assert!(found.mean.abs() < 4.0 * found.mean_error);
            assert!((found.sd - 1.0).abs() < 4.0 * found.sd_error);
        }
    }

    #[test]
    fn chains_that_differ_are_found_out() {
        let mut chains: Vec<Vec<f64>> = (0..4).map(|chain| autoregressive(0.0, 500, chain)).collect();
        chains[0].iter_mut().for_each(|x| *x += 2.0);
        assert!(diagnose(&chains).unwrap().r_hat > 1.1);
        let mut chains: Vec<Vec<f64>> = (0..4).map(|chain| autoregressive(0.0, 500, chain)).collect();
        chains[0].iter_mut().for_each(|x| *x *= 4.0);
        assert!(diagnose(&chains).unwrap().r_hat > 1.1, "spread alone");
        // A trend within every chain.
        let trend: Vec<Vec<f64>> =
            (0..4).map(|chain| autoregressive(0.0, 500, chain).iter().enumerate().map(|(i, x)| x + i as f64 / 100.0).collect()).collect();
        assert!(diagnose(&trend).unwrap().r_hat > 1.1);
    }

    #[test]
    fn chains_that_stand_still_give_numbers() {
        let still = diagnose(&[vec![1.0; 10], vec![1.0; 10]]).unwrap();
        assert_eq!((still.r_hat, still.sd, still.mean_error), (1.0, 0.0, 0.0));
        let apart = diagnose(&[vec![1.0; 10], vec![2.0; 10]]).unwrap();
        assert!(apart.r_hat > 1e6 && apart.warning().is_some());
        assert!(diagnose(&[vec![1.0; 10]]).is_none());
        assert!(diagnose(&[vec![f64::NAN; 10], vec![1.0; 10]]).is_none());
    }

    #[test]
    fn normal_quantiles() {
        for (p, z) in [(0.5, 0.0), (0.975, 1.959_963_984_540_054), (1e-6, -4.753_424_308_822_899), (0.99, 2.326_347_874_040_841)] {
            assert!((normal_quantile(p) - z).abs() < 1e-12, "{p}");
        }
    }
}
