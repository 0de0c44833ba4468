//! The worked examples of the lecture on Bayesian parameter estimation, by their names.

use tunbridge_belief::conjugate::{BoundedUniform, Family, NormalKnownVariance};
use tunbridge_belief::distribution::Distribution;
use tunbridge_belief::{ConjugatePrior, Greatest, Moments};

fn moments(data: &[f64]) -> Moments {
    let mut all = Moments::default();
    data.iter().for_each(|x| all.merge(&Moments::of_one(*x, 1.0)));
    all
}

/// Prior N(170, 10²), known σ = 7, seven heights of mean 178: μₙ and σₙ² as the lecture solves for them, in exact fractions.
/// n σ₀² = 700, σ² = 49: μₙ = 700/749 · 178 + 49/749 · 170 and σₙ² = 100 · 49/749.
#[test]
fn gaussian_mean() {
    let prior = NormalKnownVariance::new(170.0, 100.0, 49.0).unwrap();
    let posterior = prior.posterior(&moments(&[172.0, 185.0, 168.0, 181.0, 190.0, 175.0, 175.0]));
    assert!((posterior.centre() - (700.0 * 178.0 + 49.0 * 170.0) / 749.0).abs() < 1e-12);
    assert!((posterior.variance() - 4900.0 / 749.0).abs() < 1e-14);
    let predictive = Family::predictive(&posterior).unwrap();
    assert!((predictive.sd().unwrap() - (49.0 + 4900.0_f64 / 749.0).sqrt()).abs() < 1e-12);
}

/// Prior U[0, 10] and x = 4, 8, 6: p(θ | D) = c/θ³ on [8, 10] with 1/c = (8⁻² − 10⁻²)/2; the predictive is α = c (8⁻³ − 10⁻³)/3 below
/// 8, and c/(3x³) − c/(3·10³) above it.
#[test]
fn uniform_theta_with_a_bounded_prior() {
    let prior = BoundedUniform::new(0.0, 10.0).unwrap();
    let posterior = prior.posterior(&Greatest { weight: 3.0, greatest: 8.0 });
    let c = 2.0 / (8_f64.powi(-2) - 10_f64.powi(-2));
    let theta = posterior.of_theta().unwrap();
    for at in [8.0, 9.0, 10.0] {
        assert!((theta.ln_pdf(at).exp() - c / at.powi(3)).abs() < 1e-13);
    }
    assert_eq!([theta.ln_pdf(7.9), theta.ln_pdf(10.1)], [f64::NEG_INFINITY; 2]);
    let next = posterior.next().unwrap();
    let alpha = c * (8_f64.powi(-3) - 10_f64.powi(-3)) / 3.0;
    assert!((next.alpha().unwrap() - alpha).abs() < 1e-15);
    for x in [0.0, 1.0, 5.0, 8.0] {
        assert!((next.ln_pdf(x).exp() - alpha).abs() < 1e-14, "the density below the greatest number is the constant α");
    }
    for x in [8.5_f64, 9.0, 9.9] {
        let expected = c / (3.0 * x.powi(3)) - c / 3000.0;
        assert!((next.ln_pdf(x).exp() - expected).abs() < 1e-14, "Bayes' density is not zero beyond the greatest number");
    }
    assert_eq!(next.ln_pdf(10.5), f64::NEG_INFINITY);
    // Normalised: the constant part, and the integral of the other.
    let above = c / 6.0 * (8_f64.powi(-2) - 10_f64.powi(-2)) - 2.0 * c / 3000.0;
    assert!((8.0 * alpha + above - 1.0).abs() < 1e-14 && (next.cdf(8.0) - 8.0 * alpha).abs() < 1e-14);
    // Maximum likelihood is the greatest number, and gives no other any chance.
    assert_eq!(posterior.maximum_likelihood(&Greatest { weight: 3.0, greatest: 8.0 }), Some(vec![8.0]));
}

/// The logarithmic cases: without data the predictive is ln(10/x)/10, and one number x₁ makes c = 1/ln(10/x₁).
#[test]
fn uniform_theta_before_data_and_after_one_number() {
    let prior = BoundedUniform::new(0.0, 10.0).unwrap();
    let next = prior.next().unwrap();
    for x in [0.1, 2.0, 9.0_f64] {
        assert!((next.ln_pdf(x).exp() - (10.0 / x).ln() / 10.0).abs() < 1e-14);
    }
    let posterior = prior.posterior(&Greatest { weight: 1.0, greatest: 4.0 });
    let c = 1.0 / 2.5_f64.ln();
    let theta = posterior.of_theta().unwrap();
    assert!((theta.ln_pdf(5.0).exp() - c / 5.0).abs() < 1e-14);
    assert!((theta.mean().unwrap() - 6.0 * c).abs() < 1e-13);
    let next = posterior.next().unwrap();
    assert!((next.alpha().unwrap() - c * (0.25 - 0.1)).abs() < 1e-14);
    assert!((next.ln_pdf(8.0).exp() - (c / 8.0 - c / 10.0)).abs() < 1e-14);
    // P(x₁ = 4) = ∫₄¹⁰ dθ/(10 θ).
    let seen = Greatest { weight: 1.0, greatest: 4.0 };
    assert!((prior.log_marginal_likelihood(&seen) - (2.5_f64.ln() / 10.0).ln()).abs() < 1e-14);
}

#[test]
fn a_million_numbers_neither_overflow_nor_lose_the_interval() {
    let posterior = BoundedUniform::new(0.0, 10.0).unwrap().posterior(&Greatest { weight: 1e6, greatest: 9.0 });
    let theta = posterior.marginal(0).unwrap();
    let (mean, sd) = (theta.mean().unwrap(), theta.sd().unwrap());
    // A Pareto of shape n − 1 by then: its mean is max·(n − 1)/(n − 2), and its sd nearly max/n.
    assert!((mean - 9.0 * 999_999.0 / 999_998.0).abs() < 1e-12 && (sd / 9e-6 - 1.0).abs() < 1e-5, "{mean} {sd}");
    assert!(posterior.ln_predictive(&9.5).is_finite());
}
