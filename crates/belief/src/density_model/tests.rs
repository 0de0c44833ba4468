//! Closed forms as truth: every family with one is also written as an expression, and quadrature and chains must find the same.

use libm::lgamma;

use super::*;
use crate::conjugate::NormalGamma;
use crate::mcmc::McmcOptions;
use crate::{Bounded, ConjugatePrior, Moments};

const INF: f64 = f64::INFINITY;

fn close(what: &str, found: Bounded, truth: f64, most: f64) {
    let off = (found.value - truth).abs();
    assert!(off <= found.error + 1e-13 * truth.abs(), "{what}: {} is off by {off:e}, and by {:e} at most", found.value, found.error);
    assert!(found.error <= most, "{what}: the bound {:e} is wide", found.error);
}

fn posterior(model: &DensityModel, data: &[f64]) -> IntegratedPosterior {
    model.posterior(&Data::new(data), &QuadratureOptions::default()).unwrap_or_else(|fault| panic!("{fault}"))
}

fn near(a: f64, b: f64, within: f64) -> bool {
    (a - b).abs() <= within
}

const HEIGHTS: [f64; 8] = [171.2, 168.0, 180.3, 175.9, 169.4, 177.1, 165.8, 173.0];

/// The lecture's Gaussian with unknown mean: μₙ and σₙ² as given there, and ln P(D) by the chain of predictives.
#[test]
fn gaussian_mean() {
    let model = DensityModel::builder("exp(-(x - mean)²/(2*7²))/sqrt(2*pi*7²)").prior("mean ~ N(170, 10²)").build().unwrap();
    let found = posterior(&model, &HEIGHTS);
    let (n, sum) = (HEIGHTS.len() as f64, HEIGHTS.iter().sum::<f64>());
    let variance = 1.0 / (1.0 / 100.0 + n / 49.0);
    let mean = variance * (170.0 / 100.0 + sum / 49.0);
    close("mean", found.parameters[0].mean.unwrap(), mean, 1e-6);
    close("sd", found.parameters[0].sd.unwrap(), variance.sqrt(), 1e-6);
    let (mut m, mut v, mut chain) = (170.0, 100.0, 0.0);
    for x in HEIGHTS {
        let spread: f64 = v + 49.0;
        chain += -0.5 * ((2.0 * std::f64::consts::PI * spread).ln() + (x - m) * (x - m) / spread);
        (m, v) = ((m * 49.0 + x * v) / spread, v * 49.0 / spread);
    }
    close("ln P(D)", found.log_marginal_likelihood, chain, 1e-8);
    assert!(near(found.map.as_ref().unwrap()[0], mean, 1e-5) && near(found.maximum_likelihood.as_ref().unwrap()[0], sum / n, 1e-5));
    let [low, high] = found.parameters[0].density.equal_tailed(0.95);
    assert!(
        near(low, mean - 1.959_963_984_540_054 * variance.sqrt(), 1e-7) && near(high, mean + 1.959_963_984_540_054 * variance.sqrt(), 1e-7)
    );
    let predictive = found.predictive(&[]).unwrap();
    let at = |x: f64| (-0.5 * (x - mean) * (x - mean) / (variance + 49.0)).exp() / (2.0 * std::f64::consts::PI * (variance + 49.0)).sqrt();
    for x in [150.0, 172.0, 181.5] {
        close("predictive", predictive.density(x).unwrap(), at(x), 1e-9);
    }
    let summary = predictive.summary().unwrap();
    assert!(near(summary.mean.unwrap(), mean, 1e-4) && near(summary.sd.unwrap(), (variance + 49.0).sqrt(), 1e-3));
    assert!(found.converged && found.checks.len() == 3);
}

/// The lecture's uniform on [0, θ] with prior U[0, 10]: c/θⁿ above the greatest x, and its predictive in two parts.
#[test]
fn uniform_with_a_bounded_uniform_prior() {
    let model = DensityModel::builder("(x <= θ)/θ").range("x", 0.0, INF).prior("θ ~ U(0, 10)").build().unwrap();
    let data = [3.1, 5.2, 4.4, 1.0];
    let found = posterior(&model, &data);
    // c = 1/∫θ⁻ⁿ from max to 10 with n = 4.
    let integral = |power: i32| (5.2_f64.powi(1 - power) - 10_f64.powi(1 - power)) / f64::from(power - 1);
    let c = 1.0 / integral(4);
    let theta = &found.parameters[0];
    close("mean", theta.mean.unwrap(), c * integral(3), 1e-7);
    close("ln P(D)", found.log_marginal_likelihood, (integral(4) / 10.0).ln(), 1e-8);
    assert!(near(theta.density.quantile(0.0), 5.2, 1e-9) && near(found.map.as_ref().unwrap()[0], 5.2, 1e-6));
    assert!(near(found.maximum_likelihood.as_ref().unwrap()[0], 5.2, 1e-6));
    assert!(near(theta.density.highest_density(0.9)[0], 5.2, 1e-6));
    assert!(near(theta.density.pdf(6.0), c / 6_f64.powi(4), 1e-7));
    let predictive = found.predictive(&[]).unwrap();
    let alpha = c * integral(5);
    let above = |x: f64| c / (4.0 * x.powi(4)) - c / (4.0 * 10_f64.powi(4));
    for (x, truth) in [(0.5, alpha), (5.1, alpha), (6.0, above(6.0)), (9.5, above(9.5)), (10.5, 0.0)] {
        close("predictive", predictive.density(x).unwrap(), truth, 1e-8);
    }
    let summary = predictive.summary().unwrap();
    assert!(near(summary.mean.unwrap(), 0.5 * c * integral(3), 1e-3), "{:?}", summary.mean);
}

/// Poisson with a Gamma prior: the posterior is Gamma(2 + Σx, 1 + n).
#[test]
fn gamma_poisson() {
    let model =
        DensityModel::builder("λ^x*exp(-λ)/factorial(x)").range("x", 0.0, INF).whole_numbers().prior("λ ~ Gamma(2, 1)").build().unwrap();
    let data = [3.0, 0.0, 5.0, 2.0, 4.0];
    let found = posterior(&model, &data);
    let (shape, rate) = (16.0, 6.0);
    close("mean", found.parameters[0].mean.unwrap(), shape / rate, 1e-7);
    close("sd", found.parameters[0].sd.unwrap(), shape.sqrt() / rate, 1e-7);
    let ln_factorials: f64 = data.iter().map(|x| lgamma(x + 1.0)).sum();
    close("ln P(D)", found.log_marginal_likelihood, lgamma(shape) - lgamma(2.0) - shape * rate.ln() - ln_factorials, 1e-8);
    // The predictive is a negative binomial.
    let predictive = found.predictive(&[]).unwrap();
    let at = |k: f64| {
        (lgamma(k + shape) - lgamma(shape) - lgamma(k + 1.0) + shape * (rate / (rate + 1.0)).ln() - k * (rate + 1.0_f64).ln()).exp()
    };
    for k in [0.0, 2.0, 9.0] {
        close("predictive", predictive.density(k).unwrap(), at(k), 1e-8);
    }
    let summary = predictive.summary().unwrap();
    assert!(near(summary.mean.unwrap(), shape / rate, 1e-6));
    assert_eq!(summary.equal_tailed(0.9), [0.0, 6.0]);
    assert_eq!(predictive.density(1.5).unwrap().value, 0.0);
}

/// Bernoulli with a Beta prior, also one whose density is infinite at both ends.
#[test]
fn beta_bernoulli() {
    for (prior, a, b) in [("p ~ Beta(2, 3)", 2.0, 3.0), ("p ~ Beta(0.5, 0.5)", 0.5, 0.5), ("p ~ 1 in (0, 1)", 1.0, 1.0)] {
        let model = DensityModel::builder("p^x*(1 - p)^(1 - x)").range("x", 0.0, 1.0).whole_numbers().prior(prior).build().unwrap();
        let found = posterior(&model, &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        let (a1, b1): (f64, f64) = (a + 2.0, b + 4.0);
        let ln_beta = |a: f64, b: f64| lgamma(a) + lgamma(b) - lgamma(a + b);
        close(prior, found.parameters[0].mean.unwrap(), a1 / (a1 + b1), 1e-7);
        close(prior, found.log_marginal_likelihood, ln_beta(a1, b1) - ln_beta(a, b), 1e-8);
        let none = posterior(&model, &[]);
        close(prior, none.log_marginal_likelihood, 0.0, 1e-6);
        close(prior, none.parameters[0].mean.unwrap(), a / (a + b), 1e-6);
    }
}

/// Mean and precision unknown, against the Normal–Gamma family: two parameters that go together.
#[test]
fn normal_gamma_in_two_dimensions() {
    let model = DensityModel::builder("normal(x, mu, 1/lambda)")
        .prior("mu ~ N(1, 1/(2*lambda))")
        .prior("lambda ~ Gamma(1.5, 0.7)")
        .build()
        .unwrap();
    let data = [0.3, -1.2, 4.0, 2.2, 0.9];
    let found = posterior(&model, &data);
    let mut moments = Moments::default();
    data.iter().for_each(|x| moments.merge(&Moments::of_one(*x, 1.0)));
    let prior = NormalGamma { mean: 1.0, kappa: 2.0, shape: 1.5, rate: 0.7 };
    let after = prior.posterior(&moments);
    close("ln P(D)", found.log_marginal_likelihood, prior.log_marginal_likelihood(&moments), 1e-6);
    close("mean of mu", found.parameters[0].mean.unwrap(), after.mean, 1e-4);
    close("mean of lambda", found.parameters[1].mean.unwrap(), after.shape / after.rate, 1e-4);
    // The marginal of mu is Student's t with 2α degrees of freedom and variance β/(κ(α − 1)).
    close("sd of mu", found.parameters[0].sd.unwrap(), (after.rate / (after.kappa * (after.shape - 1.0))).sqrt(), 1e-3);
    let predictive = found.predictive(&[]).unwrap();
    for x in [-2.0, 1.0, 6.0] {
        close("predictive", predictive.density(x).unwrap(), after.predictive().ln_pdf(x).exp(), 1e-5);
    }
}

/// Both ends of a uniform, where the posterior jumps along both axes: least and greatest are all that counts.
#[test]
fn jumps_along_two_axes() {
    let model = DensityModel::builder("uniform(x, a, b)").prior("a ~ U(-10, 0)").prior("b ~ U(0.5, 10)").build().unwrap();
    let found =
        model.posterior(&Data::new([-1.0, 2.0, 0.3, 1.1]), &QuadratureOptions { check: false, ..QuadratureOptions::default() }).unwrap();
    // ∫∫ (b − a)⁻⁴ over a in (−10, −1), b in (2, 10), over 95, by hand.
    let inner = |lower: f64| (lower + 1.0).powi(-2) / 6.0 - (lower + 10.0).powi(-2) / 6.0;
    let truth = ((inner(2.0) - inner(10.0)) / 95.0).ln();
    close("ln P(D)", found.log_marginal_likelihood, truth, 1e-6);
    assert!(near(found.map.as_ref().unwrap()[0], -1.0, 1e-5) && near(found.map.as_ref().unwrap()[1], 2.0, 1e-5), "{:?}", found.map);
}

/// A straight line with known spread: three parameters would be slow, so two; the covariate is not modelled.
#[test]
fn a_regression_with_a_covariate() {
    let model =
        DensityModel::builder("normal(y, a + b*t, 4)").response("y").covariate("t").prior("a ∝ 1").prior("b prop 1").build().unwrap();
    let (t, y) = ([0.0, 1.0, 2.0, 3.0, 4.0], [1.0, 3.5, 4.5, 8.0, 8.5]);
    let found = model.posterior(&Data::new(y).with_covariate(t), &QuadratureOptions::default()).unwrap();
    // Least squares: slope Σ(t − 2)(y − 5.1)/10, and its variance 4/10.
    close("slope", found.parameters[1].mean.unwrap(), 1.95, 1e-4);
    close("sd of slope", found.parameters[1].sd.unwrap(), 0.4_f64.sqrt(), 1e-4);
    close("intercept", found.parameters[0].mean.unwrap(), 1.2, 1e-4);
    assert!(!model.has_proper_priors());
    let ahead = found.predictive(&[6.0]).unwrap().summary().unwrap();
    assert!(near(ahead.mean.unwrap(), 12.9, 1e-3));
    assert!(found.predictive(&[]).is_err());
}

/// Three independent parameters, where the integral is a product of three.
#[test]
fn three_parameters() {
    let model =
        DensityModel::builder("normal(x, a + b + c, 1)").prior("a ~ N(0, 1)").prior("b ~ N(1, 0.5)").prior("c ~ N(0, 2)").build().unwrap();
    let options = QuadratureOptions { relative: Some(1e-3), ..QuadratureOptions::default() };
    let found = model.posterior(&Data::new([2.0]), &options).unwrap();
    // x ~ N(1, 1 + 3.5): ln P(D), and E[c | x] = 2/4.5·(x − 1).
    let truth = -0.5 * ((2.0 * std::f64::consts::PI * 4.5).ln() + 1.0 / 4.5);
    close("ln P(D)", found.log_marginal_likelihood, truth, 5e-3);
    assert!(near(found.parameters[2].mean.unwrap().value, 2.0 / 4.5, 5e-3), "{:?}", found.parameters[2].mean);
}

/// A peak that is a hundred-millionth of the prior's width, and a likelihood far below what a double can hold.
#[test]
fn a_narrow_posterior_is_not_missed() {
    let model = DensityModel::builder("normal(x, m, 1e-4)").prior("m ~ N(0, 1e8)").build().unwrap();
    let data: Vec<f64> = (0..2000).map(|i| 1234.5 + 0.01 * f64::from(i % 7 - 3)).collect();
    let found = posterior(&model, &data);
    let mean = data.iter().sum::<f64>() / 2000.0;
    assert!(near(found.parameters[0].mean.unwrap().value, mean, 1e-6));
    assert!(near(found.parameters[0].sd.unwrap().value / (1e-4_f64 / 2000.0).sqrt(), 1.0, 1e-5));
}

/// Two humps: a mixture whose components may trade places.
#[test]
fn two_humps() {
    let model = DensityModel::builder("0.5*normal(x, m, 1) + 0.5*normal(x, -m, 1)").prior("m ~ N(0, 100)").build().unwrap();
    let found = posterior(&model, &[-8.0, 8.5, 7.7, -7.9, 8.1]);
    let m = &found.parameters[0];
    assert!(near(m.mean.unwrap().value, 0.0, 1e-6) && near(m.density.cdf(0.0), 0.5, 1e-6), "{:?}", m.mean);
    assert!(m.sd.unwrap().value > 7.5);
}

/// Chains against quadrature, within four Monte Carlo standard errors, on a range and a half line.
#[test]
fn chains_find_what_quadrature_finds() {
    let model = DensityModel::builder("gamma(x, shape, rate)")
        .range("x", 0.0, INF)
        .prior("shape ~ U(0, 20)")
        .prior("rate ~ Gamma(2, 1)")
        .build()
        .unwrap();
    let data = Data::new([1.2, 0.7, 2.9, 1.1, 1.8, 0.9]);
    let truth = model.posterior(&data, &QuadratureOptions { relative: Some(1e-6), ..QuadratureOptions::default() }).unwrap();
    let options = McmcOptions { draws: 500, warm_up: 300, seed: 5, ..McmcOptions::default() };
    let found = model.sample(&data, &options, true).unwrap();
    for (exact, drawn) in truth.parameters.iter().zip(&found.parameters) {
        let diagnosis = drawn.diagnosis;
        assert!(
            near(diagnosis.mean, exact.mean.unwrap().value, 4.0 * diagnosis.mean_error),
            "{}: {diagnosis:?} {:?}",
            drawn.name,
            exact.mean
        );
        assert!(near(diagnosis.sd, exact.sd.unwrap().value, 4.0 * diagnosis.sd_error), "{}: {diagnosis:?} {:?}", drawn.name, exact.sd);
        let share = drawn.chains.iter().flatten().filter(|draw| **draw <= exact.density.quantile(0.5)).count() as f64 / 2000.0;
        assert!(near(share, 0.5, 4.0 * 0.5 / diagnosis.bulk_size.sqrt()), "{share}");
    }
    for (a, b) in truth.map.as_ref().unwrap().iter().zip(found.map.as_ref().unwrap()) {
        assert!(near(*a, *b, 1e-4 * a.abs()));
    }
    let (exact, drawn) = (truth.predictive(&[]).unwrap().density(1.5).unwrap(), found.predictive(&[]).unwrap().density(1.5).unwrap());
    assert!(near(exact.value, drawn.value, 4.0 * drawn.error), "{exact:?} {drawn:?}");
    let (bridge, exact) = (found.log_marginal_likelihood.unwrap(), truth.log_marginal_likelihood);
    assert!(near(bridge.ln, exact.value, 4.0 * bridge.standard_error), "{bridge:?} {exact:?}");
    let again = model.sample(&data, &options, true).unwrap();
    assert_eq!(again.parameters[0].chains, found.parameters[0].chains);
}

/// Five parameters are too many for quadrature and none for chains.
#[test]
fn more_than_three_parameters_are_sampled() {
    let mut builder = DensityModel::builder("normal(x, a + b + c + d, f)").prior("f ~ InverseGamma(3, 2)");
    for name in ["a", "b", "c", "d"] {
        builder = builder.prior(&format!("{name} ~ N(0, 1)"));
    }
    let model = builder.build().unwrap();
    let data = Data::new([2.1, 1.9, 2.4, 1.7]);
    assert!(matches!(model.posterior(&data, &QuadratureOptions::default()), Err(DensityError::TooManyParameters { n: 5, .. })));
    let found = model.sample(&data, &McmcOptions { draws: 400, warm_up: 400, ..McmcOptions::default() }, true).unwrap();
    // By symmetry the four have the same mean, about a quarter of the data's, drawn to 0.
    for parameter in &found.parameters[1..] {
        let diagnosis = parameter.diagnosis;
        assert!(near(diagnosis.mean, found.parameters[1].diagnosis.mean, 6.0 * diagnosis.mean_error), "{diagnosis:?}");
        let [low, high] = parameter.highest_density(0.95);
        assert!(low < diagnosis.mean && diagnosis.mean < high && parameter.equal_tailed(0.95)[0] < parameter.quantile(0.5));
    }
    assert!(found.parameters[0].chains.iter().flatten().all(|f| *f > 0.0));
}

fn refused(builder: DensityModelBuilder) -> String {
    builder.build().unwrap_err().to_string()
}

fn fails(builder: DensityModelBuilder, data: &[f64]) -> String {
    let model = builder.build().unwrap_or_else(|fault| panic!("{fault}"));
    model.posterior(&Data::new(data), &QuadratureOptions::default()).unwrap_err().to_string()
}

#[test]
fn models_that_make_no_sense_are_refused() {
    let density = DensityModel::builder;
    assert!(refused(density("normal(x, mu, sd²)").prior("mu ~ N(0, 1)")).contains("no prior for `sd`"));
    let typo = refused(density("normal(x, mu, sgima²)").prior("mu ~ N(0, 1)").prior("sigma ~ Gamma(2, 1)"));
    assert!(typo.contains("column 15: `sgima` is not known") && typo.contains("did you mean `sigma`?"), "{typo}");
    assert!(refused(density("normal(x, mu, 1)").prior("mu ~ N(0, 1)").prior("mu ~ N(0, 2)")).contains("two priors"));
    assert!(refused(density("normal(x, mu, 1)").prior("mu ~ N(0, 1)").prior("nu ~ N(0, 2)")).contains("does not occur"));
    assert!(refused(density("normal(x, 0, 1)")).contains("nothing to estimate"));
    assert!(refused(density("normal(x, mu, 1)").prior("mu ~ N(0, 1)").prior("x ~ N(0, 2)")).contains("is a column"));
    assert!(refused(density("normal(x, a, b²)").prior("a ~ N(b, 1)").prior("b ~ N(a, 1)")).contains("circle"));
    assert!(refused(density("normal(x, mu, 1)").prior("mu ~ N(x, 1)")).contains("depends on the data"));
    let prior = refused(density("(x <= θ)/θ").prior("θ ~ 3*θ in (0, 1)"));
    assert!(prior.contains("the prior of `θ` does not integrate to one over 0 to 1: the integral is 1.5"), "{prior}");
    let improper = refused(density("normal(x, s, 1)").prior("s ~ 1/s in (1, inf)"));
    assert!(improper.contains("the integral is inf"), "{improper}");
    assert!(refused(density("normal(x, s, 1)").prior("s ~ ln(s) in (0, 1)")).contains("not a number"));
    assert!(refused(density("normal(x, s, 1)").range("x", 3.0, 3.0).prior("s ~ N(0, 1)")).contains("empty"));
}

#[test]
fn data_that_cannot_be_and_posteriors_that_do_not_exist_are_errors() {
    let uniform = || DensityModel::builder("(x <= θ)/θ").range("x", 0.0, INF).prior("θ ~ U(0, 10)");
    let beyond = fails(uniform(), &[3.0, 11.0]);
    assert!(beyond.contains("row 2: x = 11 is impossible under every value"), "{beyond}");
    assert!(fails(uniform(), &[3.0, -1.0]).contains("row 2: x = -1 lies outside the range of x, which is 0 to inf"));
    assert!(fails(uniform(), &[f64::NAN]).contains("row 1: `x` is not a finite number"));
    let counts = DensityModel::builder("poisson(x, m)").range("x", 0.0, INF).whole_numbers().prior("m ~ Gamma(1, 1)");
    assert!(fails(counts, &[1.5]).contains("whole numbers"));
    // Flat priors and too little data.
    let flat = DensityModel::builder("normal(x, m, 1)").prior("m ∝ 1");
    let improper = fails(flat, &[]);
    assert!(improper.contains("improper") && improper.contains("`m` goes to"), "{improper}");
    // All data are the same: the likelihood grows without bound as the spread shrinks around them.
    let spike = DensityModel::builder("normal(x, m, s²)").prior("m ~ N(0, 10)").prior("s ~ HalfCauchy(1)");
    let improper = fails(spike, &[1.0, 1.0]);
    assert!(improper.contains("improper") && improper.contains("`s` goes to 0"), "{improper}");
    let scale = DensityModel::builder("normal(x, 0, s²)").prior("s ∝ 1/s in (0, inf)");
    let improper = fails(scale, &[]);
    assert!(improper.contains("the posterior is improper: its mass does not fall off as `s` goes to"), "{improper}");
    let half = DensityModel::builder("exponential(x, r)").range("x", 0.0, INF).prior("r ∝ r^-3 in (0, inf)");
    let improper = fails(half, &[1.0]);
    assert!(improper.contains("improper") && improper.contains("goes to 0"), "{improper}");
}

#[test]
fn densities_that_are_not_one_or_no_numbers_are_errors() {
    let off = fails(DensityModel::builder("exp(-(x - m)²/2)").prior("m ~ N(0, 1)"), &[0.5]);
    assert!(off.contains("the density does not integrate to one over x from -inf to inf: the integral is 2.50662827"), "{off}");
    assert!(off.contains("hint: divide the density by 2.5066"), "{off}");
    let off = fails(DensityModel::builder("exp(-r*x)").range("x", 0.0, INF).prior("r ~ Gamma(2, 1)"), &[0.5]);
    assert!(off.contains("is the factor that depends on the parameters there?"), "{off}");
    let off = fails(DensityModel::builder("p^x").range("x", 0.0, INF).whole_numbers().prior("p ~ Beta(2, 2)"), &[1.0]);
    assert!(off.contains("over the whole numbers x from 0 to inf"), "{off}");
    let negative = fails(DensityModel::builder("normal(x, 0, s)").prior("s ~ U(-2, -1)"), &[0.5]);
    assert!(negative.contains("the variance must be at least 0"), "{negative}");
    let zero = fails(DensityModel::builder("m/(x - x)").prior("m ~ U(1, 2)"), &[0.5]);
    assert!(zero.contains("division by zero"), "{zero}");
    let overflow = fails(DensityModel::builder("m*exp(exp(1000*x))").prior("m ~ U(1, 2)"), &[5.0]);
    assert!(overflow.contains("is infinite"), "{overflow}");
    let below = fails(DensityModel::builder("-m*normal(x, 0, 1)").prior("m ~ U(1, 2)"), &[5.0]);
    assert!(below.contains("never negative"), "{below}");
}

/// A prior cut to a range is normalised there, and what is drawn of it is that.
#[test]
fn a_prior_cut_to_a_range_is_normalised_there() {
    let bernoulli =
        |prior: &str| DensityModel::builder("bernoulli(x, p)").range("x", 0.0, 1.0).whole_numbers().prior(prior).build().unwrap();
    let cut = bernoulli("p ~ Beta(1, 1) in (0, 0.5)");
    assert!(near(cut.ln_prior(0, 0.2).unwrap(), 2_f64.ln(), 1e-9));
    assert_eq!(cut.ln_prior(0, 0.7), Some(f64::NEG_INFINITY));
    // ∫ 2p over (0, ½) = ¼.
    close("ln P(D)", posterior(&cut, &[1.0]).log_marginal_likelihood, 0.25_f64.ln(), 1e-8);
    assert!(near(cut.ln_likelihood(&Data::new([1.0, 0.0]), &[0.25]).unwrap(), (0.25_f64 * 0.75).ln(), 1e-12));
    assert_eq!(cut.ln_likelihood(&Data::new([2.0]), &[0.25]), None);
}

/// Draws follow the posterior: their ranks in it are uniform to within a Kolmogorov–Smirnov distance of 1.95/√n (α = 0.001).
#[test]
fn draws_follow_the_posterior() {
    let model = DensityModel::builder("exponential(x, r)").range("x", 0.0, INF).prior("r ~ Gamma(2, 1)").build().unwrap();
    let found = posterior(&model, &[0.5, 1.5, 0.2]);
    let mut ranks: Vec<f64> = found.draws(400, 3).unwrap().iter().map(|draw| found.parameters[0].density.cdf(draw[0])).collect();
    ranks.sort_by(f64::total_cmp);
    let distance = ranks.iter().enumerate().map(|(i, rank)| (rank - (i as f64 + 0.5) / 400.0).abs()).fold(0.0, f64::max);
    assert!(distance < 1.95 / 20.0, "{distance}");
    assert_eq!(found.draws(5, 3).unwrap(), found.draws(5, 3).unwrap());
}

/// Counts far from zero: the sum begins where the data are.
#[test]
fn large_counts_sum_to_one() {
    let model = DensityModel::builder("poisson(x, m)").range("x", 0.0, INF).whole_numbers().prior("m ~ Gamma(1, 1e-7)").build().unwrap();
    let found = posterior(&model, &[3_000_000.0, 3_001_000.0]);
    assert!(near(found.checks[0].integral.value, 1.0, 1e-8), "{:?}", found.checks);
    assert!(near(found.parameters[0].mean.unwrap().value / 3_000_500.0, 1.0, 1e-5));
}

mod no_nan {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// Whatever the density, the prior and the data: an error with words, or numbers.
        #[test]
        fn whatever_comes_in_no_nan_comes_out(
            density in prop::sample::select(vec![
                "normal(x, t, 1)", "normal(x, 0, t)", "normal(x, 0, t²)", "exp(-x/t)/t", "t/x", "ln(t*x)", "sqrt(t - x)", "1/(t - x)",
                "x^t", "(x > t)*exp(t - x)", "gamma(t*x)", "if(x < t, exp(x - t), 0)", "cauchy(x, t, 1)", "t*x", "exp(exp(t*x))", "poisson(x, t)",
                "floor(t) == x", "beta(x, t, t)", "min(t, x)/max(t, x)", "0*t", "student_t(x, t, 0, 1)", "sin(t*x)", "uniform(x, t, t + 1)",
            ]),
            prior in prop::sample::select(vec![
                "t ~ N(0, 4)", "t ~ U(-1, 3)", "t ~ Gamma(0.5, 1)", "t ∝ 1", "t ∝ 1/t in (0, inf)", "t ~ Beta(0.5, 0.5)", "t ~ Cauchy(0, 1)",
                "t ~ N(0, 0)", "t ∝ 1/t^3 in (0, 5)", "t ~ InverseGamma(2, 1) in (1, 2)",
            ]),
            data in prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), -3.0..3.0_f64, Just(1e300), Just(-1e-300)], 0..4),
            check in any::<bool>(),
        ) {
            let Ok(model) = DensityModel::builder(density).prior(prior).build() else { return Ok(()) };
            let options = QuadratureOptions { check, most_evaluations: 30_000, ..QuadratureOptions::default() };
            match model.posterior(&Data::new(data.clone()), &options) {
                Err(fault) => prop_assert!(!fault.to_string().contains("NaN"), "{fault}"),
                Ok(found) => {
                    let bounded = |b: Option<Bounded>| b.is_none_or(|b| b.value.is_finite() && b.error.is_finite());
                    prop_assert!(bounded(Some(found.log_marginal_likelihood)), "{:?}", found.log_marginal_likelihood);
                    let parameter = &found.parameters[0];
                    prop_assert!(bounded(parameter.mean) && bounded(parameter.sd), "{:?} {:?}", parameter.mean, parameter.sd);
                    let [low, high] = parameter.density.equal_tailed(0.95);
                    prop_assert!(low <= high && low.is_finite() && high.is_finite());
                    let points = found.map.iter().chain(&found.maximum_likelihood).flatten();
                    prop_assert!(points.copied().all(f64::is_finite));
                    prop_assert!(found.ln_likelihood_at_maximum.is_none_or(f64::is_finite));
                    prop_assert!(parameter.density.curve(20).iter().all(|(x, y)| x.is_finite() && y.is_finite()));
                    if let Ok(next) = found.predictive(&[]).unwrap().density(0.5) {
                        prop_assert!(next.value.is_finite() && next.error.is_finite());
                    }
                }
            }
        }
    }
}

#[test]
fn a_density_without_its_range_is_told_to_name_it() {
    let model = DensityModel::builder("0.5*r*exp(-r*abs(x))*r").prior("r ~ U(0.1, 10)").build().unwrap();
    let fault = model.check_density(&Data::new([1.0, 2.0]), &[vec![2.0], vec![3.0]]).unwrap_err().to_string();
    assert!(fault.contains("hint: is the range of `x` right") && fault.contains("Say where x lies, as in --range '(0, inf)'"), "{fault}");
}

/// A predictive whose mass lies far from round numbers and from the data is found from the posterior: N(150, 1 + ½) by hand.
#[test]
fn a_predictive_far_from_the_data_is_found() {
    let model = DensityModel::builder("normal(x, m, 1)").prior("m ~ N(0, 1)").build().unwrap();
    for response in [300.0, 30_000.0] {
        let found = posterior(&model, &[response]).predictive(&[]).unwrap().summary().unwrap_or_else(|fault| panic!("{fault}"));
        let (mean, sd) = (found.mean.unwrap(), found.sd.unwrap());
        assert!(near(mean, response / 2.0, 1e-6 * response.abs()) && near(sd, 1.5_f64.sqrt(), 1e-3), "{response}: {mean} ± {sd}");
    }
}

/// Lines through y = 2x + 1 ± 0.1, far beyond the last x.
#[test]
fn a_line_is_predicted_far_beyond_its_data() {
    let model = DensityModel::builder("normal(y, a + b*x, 0.1²)")
        .response("y")
        .covariate("x")
        .prior("a ~ N(0, 10²)")
        .prior("b ~ N(0, 10²)")
        .build()
        .unwrap();
    let data = Data::new([3.1, 4.9, 7.1, 8.9]).with_covariate([1.0, 2.0, 3.0, 4.0]);
    let found = model.posterior(&data, &QuadratureOptions::default()).unwrap();
    for at in [30.0, 200.0] {
        let summary = found.predictive(&[at]).unwrap().summary().unwrap_or_else(|fault| panic!("{fault}"));
        // Least squares: the slope is 1.96, and at the mean of x, 2.5, the line is at 6.
        let mean = summary.mean.unwrap();
        assert!(near(mean, 6.0 + 1.96 * (at - 2.5), 1e-2 * at), "at {at}: {mean}");
    }
}

/// Flat is up to a constant, as the families have it: the posterior of a mean is that of the sample alone.
#[test]
fn a_flat_prior_is_one_up_to_a_constant() {
    let model = DensityModel::builder("normal(x, m, 2²)").prior("m ~ flat").build().unwrap();
    assert!(!model.has_proper_priors());
    let found = posterior(&model, &[3.0, 5.0]);
    assert!(near(found.parameters[0].mean.unwrap().value, 4.0, 1e-9) && near(found.parameters[0].sd.unwrap().value, 2_f64.sqrt(), 1e-9));
    let cut = DensityModel::builder("normal(x, m, 2²)").prior("m ~ flat in (4, inf)").build().unwrap();
    assert!(posterior(&cut, &[3.0, 5.0]).parameters[0].density.quantile(0.0) >= 4.0);
}

/// Bridge sampling against quadrature, of three parameters: −17.296636 ± 6e-6 by [`DensityModel::posterior`] at its default
/// tolerance, in seventeen million evaluations.
#[test]
fn bridge_sampling_finds_the_marginal_likelihood_of_quadrature() {
    let model = DensityModel::builder("student_t(x, nu, m, s)")
        .prior("m ~ N(0, 5²)")
        .prior("s ~ Gamma(2, 1)")
        .prior("nu ~ U(1, 30)")
        .build()
        .unwrap();
    let data = Data::new([1.2, 0.7, 2.9, 1.1, 1.8, 0.9, -4.0]);
    let found = model.sample(&data, &McmcOptions { draws: 500, warm_up: 300, seed: 2, ..McmcOptions::default() }, false).unwrap();
    let bridge = found.log_marginal_likelihood.unwrap();
    assert!(near(bridge.ln, -17.296_636, 4.0 * bridge.standard_error), "{bridge:?}");
    assert!(bridge.standard_error < 0.05, "{bridge:?}");
}

/// Five coefficients with normal priors and normal noise of variance 1: y ~ N(0, I + 4·XXᵀ), in closed form.
#[test]
fn bridge_sampling_finds_the_closed_form_of_a_regression_in_five_dimensions() {
    let n = 12;
    let inputs: Vec<Vec<f64>> = (0..4).map(|k| (0..n).map(|i| ((i * (k + 3) + k * k) % 11) as f64 / 5.0 - 1.0).collect()).collect();
    let y: Vec<f64> = (0..n).map(|i| 0.5 + inputs[0][i] - 0.7 * inputs[2][i] + 0.3 * (((i * 7) % 5) as f64 - 2.0)).collect();
    let mut builder = DensityModel::builder("normal(y, b0 + b1*x1 + b2*x2 + b3*x3 + b4*x4, 1)").response("y").prior("b0 ~ N(0, 4)");
    let mut data = Data::new(y.clone());
    for k in 1..=4 {
        builder = builder.covariate(&format!("x{k}")).prior(&format!("b{k} ~ N(0, 4)"));
        data = data.with_covariate(inputs[k - 1].clone());
    }
    let dot = |i: usize, j: usize| 1.0 + inputs.iter().map(|x| x[i] * x[j]).sum::<f64>();
    let covariance = crate::Matrix::from_fn(n, |i, j| 4.0 * dot(i, j) + f64::from(u8::from(i == j)));
    let factor = crate::Cholesky::of(&covariance).unwrap();
    let inverse = factor.inverse();
    let square: f64 = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| y[i] * inverse.get(i, j) * y[j]).sum();
    let truth = -0.5 * (square + factor.ln_determinant() + n as f64 * (2.0 * std::f64::consts::PI).ln());
    let options = McmcOptions { draws: 500, warm_up: 200, seed: 3, ..McmcOptions::default() };
    let found = builder.build().unwrap().sample(&data, &options, false).unwrap().log_marginal_likelihood.unwrap();
    assert!(near(found.ln, truth, 4.0 * found.standard_error), "{found:?} {truth}");
    assert!(found.standard_error < 0.02, "{found:?}");
}

/// Chains are pieces of their own: in any order they say the same.
#[test]
fn chains_run_in_any_order_are_the_same() {
    let model = DensityModel::builder("normal(x, m, s²)").prior("m ~ N(0, 9)").prior("s ~ Exp(1)").build().unwrap();
    let data = Data::new([1.0, 2.0, 4.0]);
    let options = McmcOptions { chains: 3, draws: 20, warm_up: 20, seed: 8 };
    let chains = model.sampler(&data, &options).unwrap().climb(false).unwrap();
    let mut backward: Vec<_> = (0..3).rev().map(|chain| chains.run(chain, &|| ()).unwrap()).collect();
    backward.reverse();
    let found = chains.posterior(backward).unwrap();
    let forward = model.sample(&data, &options, false).unwrap();
    assert_eq!(found.parameters[1].chains, forward.parameters[1].chains);
    assert_eq!((found.log_marginal_likelihood, found.evaluations), (forward.log_marginal_likelihood, forward.evaluations));
}

/// The plan's number of evaluations is about what it takes.
#[test]
fn the_plan_is_about_right() {
    for (density, priors) in [("normal(x, a, exp(b))", 2), ("normal(x, a + 2*c, exp(b) + d²)", 4)] {
        let mut builder = DensityModel::builder(density);
        for name in ["a", "b", "c", "d"].iter().take(priors) {
            builder = builder.prior(&format!("{name} ~ N(0, 1)"));
        }
        let (model, data) = (builder.build().unwrap(), Data::new([0.3, -0.2, 1.4, 0.9]));
        let options = McmcOptions { draws: 300, warm_up: 300, ..McmcOptions::default() };
        let (of_chain, planned) = model.sampler(&data, &options).unwrap().evaluations();
        let used = model.sample(&data, &options, false).unwrap().evaluations;
        assert!(of_chain < planned && (0.6..1.7).contains(&(planned as f64 / used as f64)), "{density}: {planned} planned, {used} used");
    }
}

/// Without data, of a parameter that the density does not depend on, and of two of which the sum counts, nothing is of greatest
/// likelihood; where two names can be exchanged there are two such values, and one is told.
#[test]
fn a_level_likelihood_has_no_maximum() {
    let greatest = |density: &str, priors: &[&str], data: &[f64]| {
        let builder = priors.iter().fold(DensityModel::builder(density), |builder, prior| builder.prior(prior));
        let options = QuadratureOptions { relative: Some(1e-3), check: false, ..QuadratureOptions::default() };
        builder.build().unwrap().posterior(&Data::new(data), &options).unwrap().maximum_likelihood
    };
    assert_eq!(greatest("normal(x, m, 1)", &["m ~ N(0, 1)"], &[]), None);
    assert_eq!(greatest("normal(x, a + b, 1)", &["a ~ N(0, 1)", "b ~ N(0, 1)"], &[1.0, 2.0]), None);
    assert_eq!(greatest("normal(x, b, 1)", &["b ~ N(0, t²)", "t ~ Exp(1)"], &[1.0, 2.0]), None);
    assert_eq!(greatest("uniform(x, m - 1, m + 1)", &["m ~ N(0, 1)"], &[0.1, 0.2]), None);
    let found = greatest("normal(x, m, 1)", &["m ~ N(0, 1e12)"], &[1.0, 2.0]).unwrap();
    assert!(near(found[0], 1.5, 1e-4), "{found:?}");
    assert!(greatest("0.5*normal(x, a, 1) + 0.5*normal(x, b, 1)", &["a ~ N(0, 9)", "b ~ N(0, 9)"], &[-3.0, 3.0, 3.1, -2.9]).is_some());
}
