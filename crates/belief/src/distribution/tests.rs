//! One battery over every distribution: against scipy, and against themselves.

use super::*;
use crate::random;

fn boxed(of: impl Distribution + 'static) -> Box<dyn Distribution> {
    Box::new(of)
}

fn all() -> Result<Vec<Box<dyn Distribution>>, ImpossibleParameter> {
    Ok(vec![
        boxed(Normal::new(1.0, 2.0)?),
        boxed(LogNormal::new(0.5, 0.8)?),
        boxed(StudentT::new(3.5, 1.0, 2.0)?),
        boxed(LogT { of_ln: StudentT::new(5.0, 0.2, 0.3)? }),
        boxed(Gamma::new(2.5, 1.5)?),
        boxed(Gamma::new(0.4, 0.1)?),
        boxed(InverseGamma::new(3.5, 2.0)?),
        boxed(Beta::new(2.5, 0.7)?),
        boxed(Beta::new(30.0, 400.0)?),
        boxed(Pareto::new(2.0, 3.5)?),
        boxed(Lomax::new(2.0, 3.5)?),
        boxed(Uniform::new(-1.0, 3.0)?),
        boxed(InversePower::new(0.0, 2.0, 10.0)?),
        boxed(InversePower::new(1.0, 2.0, 10.0)?),
        boxed(InversePower::new(2.0, 2.0, 10.0)?),
        boxed(InversePower::new(40.0, 2.0, 10.0)?),
        boxed(InversePower::new(0.0, 0.0, 10.0)?),
        boxed(ParetoUniformPredictive::new(2.0, 3.5)?),
        boxed(BoundedUniformPredictive::new(InversePower::new(0.0, 0.0, 10.0)?)),
        boxed(BoundedUniformPredictive::new(InversePower::new(1.0, 2.0, 10.0)?)),
        boxed(BoundedUniformPredictive::new(InversePower::new(5.0, 2.0, 10.0)?)),
        boxed(NegativeBinomial::new(2.5, 0.4)?),
        boxed(BetaBinomial::new(9, 1.5, 2.5)?),
        boxed(BetaBinomial::new(1, 1.5, 2.5)?),
        boxed(BetaGeometric::new(3.5, 2.5)?),
    ])
}

/// scipy 1.17.1: (distribution, x, logpdf or logpmf, cdf) at two places, and (mean, sd, 0.025- and 0.9-quantile), made with
/// `scipy.stats`' norm, lognorm, t, gamma, invgamma, beta, pareto, lomax, nbinom, betabinom and betanbinom.
#[test]
fn densities_and_quantiles_are_those_of_scipy() -> Result<(), ImpossibleParameter> {
    type Expected = (Box<dyn Distribution>, [[f64; 3]; 2], [f64; 4]);
    let cases: Vec<Expected> = vec![
        (
            boxed(Normal::new(1.0, 2.0)?),
            [[-3.0, -3.612_085_713_764_618, 0.022_750_131_948_179_195], [1.5, -1.643_335_713_764_618, 0.598_706_325_682_923_7]],
            [1.0, 2.0, -2.919_927_969_080_109, 3.563_103_131_089_200_7],
        ),
        (
            boxed(LogNormal::new(0.5, 0.8)?),
            [[0.3, -1.760_199_769_660_147_5, 0.016_587_210_015_229_416], [2.5, -1.747_474_755_517_992_8, 0.698_594_847_836_067_3]],
            [2.270_499_837_532_406, 2.149_769_963_808_739, 0.343_705_123_743_983_7, 4.596_252_292_620_807],
        ),
        (
            boxed(StudentT::new(3.5, 1.0, 2.0)?),
            [[-6.0, -5.066_794_914_566_064_5, 0.015_448_617_122_796_762], [1.2, -1.689_040_177_029_861_8, 0.537_097_790_156_553_9]],
            [1.0, 3.055_050_463_303_893_5, -4.880_177_275_965_459, 4.153_153_210_272_81],
        ),
        (
            boxed(Gamma::new(2.5, 1.5)?),
            [[0.2, -1.985_176_968_853_658_5, 0.011_996_757_205_906_271], [3.0, -2.123_101_667_200_343_5, 0.890_935_842_050_227_5]],
            [1.666_666_666_666_666_5, 1.054_092_553_389_459_6, 0.277_070_537_828_887_46, 3.078_785_633_260_374],
        ),
        (
            boxed(InverseGamma::new(3.5, 2.0)?),
            [[0.2, -1.532_487_864_433_815, 0.005_569_683_072_945_574], [3.0, -4.385_380_436_060_426, 0.987_526_281_801_653_7]],
            [0.8, 0.653_197_264_742_180_9, 0.249_800_717_190_198_92, 1.411_877_530_935_001_3],
        ),
        (
            boxed(Beta::new(2.5, 0.7)?),
            [[0.1, -3.082_414_774_643_398, 0.001_817_006_281_962_544_2], [0.9, 0.872_589_464_561_797_3, 0.623_932_172_900_793_5]],
            [0.781_25, 0.201_717_882_614_969_62, 0.280_215_239_334_302_8, 0.986_047_726_029_545_7],
        ),
        (
            boxed(Pareto::new(2.0, 3.5)?),
            [[2.1, 0.340_060_049_172_978_7, 0.156_980_824_577_446_9], [7.0, -5.077_817_570_293_734, 0.987_533_003_292_714_9]],
            [2.8, 1.222_020_185_321_557_3, 2.014_519_771_074_400_3, 3.861_395_457_766_500_6],
        ),
        (
            boxed(Lomax::new(2.0, 3.5)?),
            [[0.1, 0.340_060_049_172_978_7, 0.156_980_824_577_446_8], [7.0, -6.208_732_497_557_811, 0.994_826_836_534_529_2]],
            [0.8, 1.222_020_185_321_557_3, 0.014_519_771_074_400_336, 1.861_395_457_766_500_2],
        ),
        (
            boxed(NegativeBinomial::new(2.5, 0.4)?),
            [[0.0, -3.131_907_421_238_419_7, 0.043_634_488_475_497_876], [7.0, -2.607_723_888_327_976, 0.679_646_420_967_082_6]],
            [6.25, 4.677_071_733_467_426, 0.0, 13.0],
        ),
        (
            boxed(BetaBinomial::new(9, 1.5, 2.5)?),
            [[0.0, -2.188_137_420_339_508_8, 0.112_125_396_728_515_65], [4.0, -2.030_895_547_942_578, 0.685_050_964_355_468_9]],
            [3.375, 2.341_874_249_399_399, 0.0, 7.0],
        ),
        (
            boxed(BetaGeometric::new(3.5, 2.5)?),
            [[0.0, -0.538_996_500_732_687_3, 0.583_333_333_333_333_1], [4.0, -3.686_278_672_413_879, 0.953_450_520_833_332_9]],
            [1.0, 2.160_246_899_469_287, 0.0, 3.0],
        ),
    ];
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs().max(1.0);
    for (of, places, [mean, sd, low, high]) in cases {
        for [x, ln_pdf, cdf] in places {
            assert!(close(of.ln_pdf(x), ln_pdf), "{of:?}: ln p({x}) = {}, and should be {ln_pdf}", of.ln_pdf(x));
            assert!(close(of.cdf(x), cdf), "{of:?}: F({x}) = {}, and should be {cdf}", of.cdf(x));
        }
        assert!(of.mean().is_some_and(|m| close(m, mean)) && of.sd().is_some_and(|s| close(s, sd)), "{of:?}");
        assert!(close(of.quantile(0.025), low) && close(of.quantile(0.9), high), "{of:?}: {} {}", of.quantile(0.025), of.quantile(0.9));
    }
    Ok(())
}

#[test]
fn densities_are_the_derivatives_of_distribution_functions() -> Result<(), ImpossibleParameter> {
    for of in all()?.iter().filter(|of| !of.is_discrete()) {
        for i in 1..40 {
            let x = of.quantile(f64::from(i) / 40.0);
            let h = 1e-5 * x.abs().max(1e-3);
            let slope = (of.cdf(x + h) - of.cdf(x - h)) / (2.0 * h);
            let density = of.ln_pdf(x).exp();
            // Where the density has an edge, the two sides of it are not one slope.
            let edge = of.describe().1.iter().any(|(_, at)| (at - x).abs() < 3.0 * h);
            assert!(edge || (slope - density).abs() < 2e-5 * density.max(1e-3), "{of:?} at {x}: {slope} and {density}");
        }
    }
    Ok(())
}

#[test]
fn probabilities_of_whole_numbers_add_up_to_the_distribution_function() -> Result<(), ImpossibleParameter> {
    for of in all()?.iter().filter(|of| of.is_discrete()) {
        let mut sum = 0.0;
        for k in 0..=40 {
            sum += of.ln_pdf(f64::from(k)).exp();
            assert!((sum - of.cdf(f64::from(k))).abs() < 1e-11, "{of:?} at {k}");
        }
    }
    Ok(())
}

#[test]
fn quantiles_undo_distribution_functions() -> Result<(), ImpossibleParameter> {
    for of in all()? {
        for i in 1..200 {
            let p = f64::from(i) / 200.0;
            let x = of.quantile(p);
            if of.is_discrete() {
                assert!(of.cdf(x) >= p && (x == 0.0 || of.cdf(x - 1.0) < p), "{of:?} at {p}");
            } else {
                assert!((of.cdf(x) - p).abs() < 1e-10, "{of:?}: F(Q({p})) = {}", of.cdf(x));
            }
        }
    }
    Ok(())
}

/// Moments as integrals of the quantile over (0, 1), by the midpoint rule; the tails that it cuts are a part of the tolerance.
#[test]
fn means_and_standard_deviations_are_those_of_the_quantiles() -> Result<(), ImpossibleParameter> {
    const N: u32 = 4000;
    for of in all()? {
        let (Some(mean), Some(sd)) = (of.mean(), of.sd()) else { continue };
        let draws: Vec<f64> = (0..N).map(|i| of.quantile((f64::from(i) + 0.5) / f64::from(N))).collect();
        let found = draws.iter().sum::<f64>() / f64::from(N);
        let spread = (draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(N)).sqrt();
        assert!((found - mean).abs() < 0.01 * sd, "{of:?}: mean {mean}, and of the quantiles {found}");
        // A tail of power 3.5 has much of its variance beyond the last quantile.
        let heavy = of.describe().1.iter().any(|(name, value)| ["shape", "degrees", "alpha"].contains(name) && *value == 3.5);
        assert!((spread / sd - 1.0).abs() < if heavy { 0.2 } else { 0.01 }, "{of:?}: sd {sd}, and of the quantiles {spread}");
    }
    Ok(())
}

/// Kolmogorov's distance of 4,000 draws from the distribution function; 1.95/√n is passed by chance once in a thousand.
#[test]
fn draws_follow_their_distribution() -> Result<(), ImpossibleParameter> {
    const N: usize = 4000;
    for (place, of) in all()?.iter().enumerate() {
        let mut rng = random(17 + place as u64);
        let mut draws: Vec<f64> = (0..N).map(|_| of.draw(&mut rng)).collect();
        draws.sort_by(f64::total_cmp);
        let mut distance: f64 = 0.0;
        for (i, x) in draws.iter().enumerate() {
            let is_last = draws.get(i + 1).is_none_or(|next| next > x);
            if is_last {
                distance = distance.max((of.cdf(*x) - (i + 1) as f64 / N as f64).abs());
            }
        }
        assert!(distance < 1.95 / (N as f64).sqrt(), "{of:?}: {distance}");
    }
    Ok(())
}

#[test]
fn intervals_hold_their_mass_and_the_highest_density_is_the_shortest() -> Result<(), ImpossibleParameter> {
    for of in all()? {
        for mass in [0.5, 0.9, 0.99] {
            let [equal, shortest] =
                [IntervalKind::EqualTailed, IntervalKind::HighestDensity].map(|kind| credible_interval(&*of, mass, kind));
            for [low, high] in [equal, shortest] {
                let below = if of.is_discrete() { of.cdf(low - 1.0) } else { of.cdf(low) };
                let held = of.cdf(high) - below;
                assert!(if of.is_discrete() { held >= mass - 1e-9 } else { (held - mass).abs() < 1e-9 }, "{of:?} {mass}: {held}");
            }
            assert!(shortest[1] - shortest[0] <= equal[1] - equal[0] + 1e-12, "{of:?} {mass}: {shortest:?} {equal:?}");
        }
    }
    // The two ends have one density.
    let [low, high] = credible_interval(&Beta::new(3.0, 9.0)?, 0.9, IntervalKind::HighestDensity);
    let same = Beta::new(3.0, 9.0)?;
    assert!((same.ln_pdf(low) - same.ln_pdf(high)).abs() < 1e-9, "{low} {high}");
    Ok(())
}

#[test]
fn modes_are_where_the_density_is_greatest() -> Result<(), ImpossibleParameter> {
    for of in all()? {
        let Some(mode) = of.mode() else { continue };
        for i in 1..200 {
            let x = of.quantile(f64::from(i) / 200.0);
            assert!(of.ln_pdf(x) <= of.ln_pdf(mode) + 1e-12, "{of:?}: {x} is more probable than {mode}");
        }
    }
    Ok(())
}

#[test]
fn impossible_parameters_are_refused_by_name() {
    let error = Beta::new(-1.0, 2.0).unwrap_err();
    assert_eq!(error.to_string(), "Beta: its alpha is -1, and must be positive and finite");
    assert!(Normal::new(0.0, 0.0).is_err() && Normal::new(f64::NAN, 1.0).is_err());
    assert!(Gamma::new(1.0, f64::INFINITY).is_err() && Uniform::new(3.0, 3.0).is_err());
    assert!(InversePower::new(1.0, 0.0, 10.0).is_err() && InversePower::new(0.0, 0.0, 10.0).is_ok());
    assert!(BetaBinomial::new(0, 1.0, 1.0).is_err());
}
