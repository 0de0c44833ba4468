//! An estimate where the user writes the density: by quadrature, or by Markov chains.

use belief::density_model::{Data, DensityModel, IntegratedPosterior, MOST_PARAMETERS, QuadratureOptions, SampledPosterior, parse_range};
use belief::distribution::{Distribution, IntervalKind, quantile_of_draws};
use belief::mcmc::McmcOptions;
use belief::{PiecewiseDensity, Rng, Support};

use super::answer::{Context, Estimate, Parameter, Predictive, Sampling};
use super::curves::{Curve, Curves, Frame, frame_rows, places, scaled_likelihood};
use super::sample::{Held, Opened};
use super::work::Work;
use super::{FamilyKind, inputs_at};
use crate::Error;

/// About how often quadrature evaluates the likelihood, by the number of parameters.
const EVALUATIONS_OF_QUADRATURE: [u64; MOST_PARAMETERS] = [3_000, 50_000, 5_000_000];

/// A density that the user writes.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `text` | | an expression in the column, or in x, in inputs and in parameters |
/// | `priors` | | one for each parameter |
/// | `range` | the whole line | where the column's values lie, as in `(0, inf)` |
/// | `whole_numbers` | no | whether the values are whole numbers, and the density a probability |
/// | `chains` | where there are more than three parameters | how many Markov chains sample the posterior |
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DensityText {
    /// The expression.
    pub text: String,
    /// One for each parameter.
    pub priors: Vec<String>,
    /// Where the values lie.
    pub range: Option<String>,
    /// Whether the values are whole numbers.
    pub whole_numbers: bool,
    /// How many Markov chains sample the posterior instead of quadrature.
    pub chains: Option<usize>,
}

impl DensityText {
    /// The model for columns of these names, the first of which is what is observed.
    ///
    /// # Errors
    /// Faults of the texts, with their place.
    pub(super) fn model(&self, columns: &[String], inputs: &[String]) -> Result<DensityModel, Error> {
        let mentions = |name: &String| belief::expression::Expression::parse(&self.text).is_ok_and(|text| text.mentions(name));
        // A column that the expression does not name is its x.
        let response = columns.first().filter(|name| mentions(name)).map_or("x", String::as_str);
        let mut builder = DensityModel::builder(&self.text).response(response);
        if let Some(range) = &self.range {
            let support = parse_range(range).map_err(|e| Error::unfit(format!("the range: {e}"), "write it as in --range '(0, inf)'"))?;
            builder = builder.range(response, support.low(), support.high());
        }
        if self.whole_numbers {
            builder = builder.whole_numbers();
        }
        for input in inputs {
            builder = builder.covariate(input);
        }
        for prior in &self.priors {
            builder = builder.prior(prior);
        }
        Ok(builder.build()?)
    }
}

/// The answer for rows of numbers.
pub(super) fn estimate(opened: &Opened, text: &DensityText, context: Context) -> Result<Estimate, Error> {
    let inputs = &opened.names[1..];
    let model = text.model(&opened.names, inputs)?;
    let held = opened.hold()?;
    if held.weights.iter().any(|weight| *weight != 1.0) {
        return Err(Error::unfit("a density of your own takes no weights of rows", "leave --weight out, or choose a --family"));
    }
    let n_missing = opened.count_rows()?.saturating_sub(held.rows.len() as u64);
    let data = data_of(&held.rows);
    let names: Vec<String> = model.priors().iter().map(|prior| prior.name().to_string()).collect();
    let place = context.parameter(&names)?;
    let means: Vec<f64> =
        (1..=inputs.len()).map(|at| held.rows.iter().map(|row| row[at]).sum::<f64>() / held.rows.len().max(1) as f64).collect();
    let at = inputs_at(inputs, &context.options.at, &means)?;
    let found = Found { model: &model, data: &data, held: &held, place, at, n_missing };
    if text.chains.is_some() || names.len() > MOST_PARAMETERS {
        found.by_chains(text.chains, context)
    } else {
        found.by_quadrature(context)
    }
}

fn data_of(rows: &[Vec<f64>]) -> Data {
    let column = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<f64>>();
    let n_inputs = rows.first().map_or(0, |row| row.len() - 1);
    (1..=n_inputs).fold(Data::new(if rows.is_empty() { Vec::new() } else { column(0) }), |data, at| data.with_covariate(column(at)))
}

struct Found<'f> {
    model: &'f DensityModel,
    data: &'f Data,
    held: &'f Held,
    /// The parameter whose curves are wanted.
    place: usize,
    at: Vec<(String, f64)>,
    n_missing: u64,
}

impl Found<'_> {
    fn by_quadrature(&self, context: Context) -> Result<Estimate, Error> {
        let options = QuadratureOptions::default();
        let sampler = self.model.sampler(self.data, &McmcOptions::default())?;
        let evaluations = EVALUATIONS_OF_QUADRATURE[self.model.priors().len() - 1];
        context.options.work.plan(&sampler, evaluations, 0, 1, "sample the posterior with --chains 4")?;
        let posterior = self.model.posterior(self.data, &options)?;
        let mut remarks = context.remarks.clone();
        if !posterior.converged {
            let error = posterior.log_marginal_likelihood.error;
            remarks.push(format!("not every integral met its tolerance: the log marginal likelihood is exact to {error:.1e}"));
        }
        let level = context.options.interval;
        let parameters = posterior.parameters.iter().enumerate().map(|(place, of)| Parameter {
            name: of.name.clone(),
            prior: None,
            ml: posterior.maximum_likelihood.as_ref().map(|ml| ml[place]),
            map: posterior.map.as_ref().map(|map| map[place]),
            mean: of.mean.map(|mean| mean.value),
            sd: of.sd.map(|sd| sd.value),
            interval: match context.options.interval_kind {
                IntervalKind::EqualTailed => of.density.equal_tailed(level),
                IntervalKind::HighestDensity => of.density.highest_density(level),
            },
            interval_is_of_draws: false,
            posterior: Some(Box::new(Integrated(of.density.clone()))),
        });
        let parameters: Vec<Parameter> = parameters.collect();
        let covariates: Vec<f64> = self.at.iter().map(|(_, x)| *x).collect();
        let predictive = self.predictive(posterior.predictive(&covariates)?.summary()?);
        let curves = self.curves(&posterior);
        let frames = if context.options.frames { self.frames(&curves, &context, &mut remarks)? } else { Vec::new() };
        let draws = if context.options.draws > 0 { posterior.draws(context.options.draws, context.options.seed)? } else { Vec::new() };
        let log_marginal_likelihood = self.model.has_proper_priors().then_some(posterior.log_marginal_likelihood.value);
        let method = "adaptive quadrature";
        let error = Some(posterior.log_marginal_likelihood.error);
        let told = Told { parameters, predictive, log_marginal_likelihood, error, method, sampling: None, draws, curves, frames, remarks };
        self.told(told, context)
    }

    fn by_chains(&self, chains: Option<usize>, context: Context) -> Result<Estimate, Error> {
        let default = McmcOptions::default();
        let options = McmcOptions { chains: chains.unwrap_or(default.chains), seed: context.options.seed, ..default };
        let work = &context.options.work;
        let sampler = self.model.sampler(self.data, &options)?;
        let (of_chain, all) = sampler.evaluations();
        let shared = of_chain * options.chains as u64;
        work.plan(&sampler, all.saturating_sub(shared), shared, options.chains, "choose a --family with a closed form")?;
        drop(sampler);
        let sampled = work.sample(self.model, self.data, &options, true)?;
        let mut remarks = context.remarks.clone();
        remarks.extend(sampled.warnings());
        let level = context.options.interval;
        let parameters = sampled.parameters.iter().enumerate().map(|(place, of)| {
            let told = &of.diagnosis;
            remarks.push(format!(
                "{}: R-hat {:.3}, effective draws {:.0} in the bulk and {:.0} in the tails, error of the mean {:.2e}",
                of.name, told.r_hat, told.bulk_size, told.tail_size, told.mean_error
            ));
            Parameter {
                name: of.name.clone(),
                prior: None,
                ml: sampled.maximum_likelihood.as_ref().map(|ml| ml[place]),
                map: sampled.map.as_ref().map(|map| map[place]),
                mean: Some(told.mean),
                sd: Some(told.sd),
                interval: match context.options.interval_kind {
                    IntervalKind::EqualTailed => of.equal_tailed(level),
                    IntervalKind::HighestDensity => of.highest_density(level),
                },
                interval_is_of_draws: true,
                posterior: None,
            }
        });
        let parameters: Vec<Parameter> = parameters.collect();
        if self.model.has_proper_priors() && sampled.log_marginal_likelihood.is_none() {
            remarks.push("bridge sampling did not settle, so that there is no marginal likelihood; draw from more chains".into());
        }
        let covariates: Vec<f64> = self.at.iter().map(|(_, x)| *x).collect();
        let predictive = self.predictive(sampled.predictive(&covariates)?.summary()?);
        let curves = self.curves_of_draws(&sampled);
        let frames = if context.options.frames { self.frames_of_draws(&curves, &context, &mut remarks)? } else { Vec::new() };
        let draws = draws_of(&sampled, context.options.draws);
        let method = "factor slice sampling";
        let of_parameters = sampled.parameters.iter().map(|of| of.diagnosis).collect();
        let sampling = Some(Sampling { seed: options.seed, chains: options.chains, draws: options.draws, of_parameters });
        let log_marginal_likelihood = sampled.log_marginal_likelihood.map(|bridge| bridge.ln);
        let error = sampled.log_marginal_likelihood.map(|bridge| bridge.standard_error);
        self.told(
            Told { parameters, predictive, log_marginal_likelihood, error, method, sampling, draws, curves, frames, remarks },
            context,
        )
    }

    fn told(&self, told: Told, context: Context) -> Result<Estimate, Error> {
        let Told { parameters, predictive, log_marginal_likelihood, error, method, sampling, draws, curves, frames, remarks } = told;
        let found = Estimate {
            kind: FamilyKind::Density,
            family: FamilyKind::Density.word(),
            columns: context.columns,
            n: self.held.rows.len() as f64,
            n_missing: self.n_missing,
            prior_text: context.options.prior.clone().unwrap_or_default(),
            prior_improper: (!self.model.has_proper_priors()).then_some("it is given up to a constant"),
            parameters,
            predictive,
            log_marginal_likelihood,
            log_marginal_likelihood_error: error,
            log_marginal_likelihood_method: match sampling {
                Some(_) => "bridge sampling",
                None => method,
            },
            method,
            sampling,
            draws,
            curves,
            frames,
            remarks,
        };
        found.checked()
    }

    fn predictive(&self, summary: belief::density_model::PredictiveSummary) -> Predictive {
        let next: Box<dyn Distribution> = match summary.density {
            Some(density) => Box::new(Integrated(density)),
            None => return Predictive::States(summary.masses.iter().map(|mass| (mass.value.to_string(), mass.probability)).collect()),
        };
        if self.at.is_empty() { Predictive::Number(next) } else { Predictive::At { inputs: self.at.clone(), next } }
    }

    fn curves(&self, posterior: &IntegratedPosterior) -> Curves {
        let of = &posterior.parameters[self.place];
        let [low, high] = range_of(&of.density, posterior.maximum_likelihood.as_ref().map(|ml| ml[self.place]));
        let places = places([low, high]);
        let prior: Curve = places.iter().filter_map(|x| Some([*x, self.model.ln_prior(self.place, *x)?.exp()])).collect();
        // Of several parameters the likelihood is that at the best of the others.
        let best = posterior.maximum_likelihood.clone().or_else(|| posterior.map.clone());
        let ln = |x: f64| {
            let mut parameters = best.clone()?;
            parameters[self.place] = x;
            posterior.ln_likelihood(&parameters)
        };
        let likelihood = if self.held.rows.is_empty() { Curve::new() } else { scaled_likelihood(&places, ln) };
        Curves {
            parameter: of.name.clone(),
            prior: prior.into_iter().filter(|[_, y]| y.is_finite()).collect(),
            likelihood,
            posterior: places.iter().map(|x| [*x, of.density.pdf(*x)]).filter(|[_, y]| y.is_finite()).collect(),
            range: [low, high],
        }
    }

    /// The posterior after some numbers of rows; of one parameter each is a thousand evaluations, of more each is drawn.
    fn frames(&self, curves: &Curves, context: &Context, remarks: &mut Vec<String>) -> Result<Vec<Frame>, Error> {
        if self.model.priors().len() > 1 {
            return self.frames_of_draws(curves, context, remarks);
        }
        let options = QuadratureOptions { check: false, ..QuadratureOptions::default() };
        let mut frames = Vec::new();
        for n in frame_rows(self.held.rows.len()) {
            let density = self.model.posterior(&data_of(&self.held.rows[..n]), &options).ok();
            let curve = |density: &PiecewiseDensity| places(curves.range).iter().map(|x| [*x, density.pdf(*x)]).collect();
            frames.push(Frame { n, curve: density.map(|found| curve(&found.parameters[0].density)).unwrap_or_default() });
        }
        Ok(frames)
    }

    /// The marginal of the parameter after some numbers of rows, each from draws of its own.
    fn frames_of_draws(&self, curves: &Curves, context: &Context, remarks: &mut Vec<String>) -> Result<Vec<Frame>, Error> {
        let options = McmcOptions { warm_up: 300, draws: 500, seed: context.options.seed, ..McmcOptions::default() };
        let work = Work { tell: None, ..context.options.work.clone() };
        let rows = frame_rows(self.held.rows.len());
        let all = self.model.sampler(self.data, &options)?;
        let (of_chain, of_frame) = all.evaluations();
        // Frames of few rows cost less than the last one: on average some third of it, for their numbers grow by a factor.
        let (of_chains, lone) = (of_chain * options.chains as u64, of_frame.saturating_sub(of_chain * options.chains as u64));
        let frames = rows.len().div_ceil(3) as u64;
        context.options.work.plan(&all, lone * frames, of_chains * frames, options.chains, "leave --animate out")?;
        remarks.push(format!("each frame is drawn anew, by {} chains of {} draws", options.chains, options.draws));
        let support = self.model.priors()[self.place].support();
        let curve = |n: usize| {
            let sampled = work.sample(self.model, &data_of(&self.held.rows[..n]), &options, false).ok()?;
            Some(smooth(&sampled.parameters[self.place].chains.concat(), support, &places(curves.range)))
        };
        // Where few rows leave the posterior improper there is no curve.
        Ok(rows.into_iter().map(|n| Frame { n, curve: curve(n).unwrap_or_default() }).collect())
    }

    /// Prior and likelihood as they are, the posterior smoothed from its draws.
    fn curves_of_draws(&self, sampled: &SampledPosterior) -> Curves {
        let of = &sampled.parameters[self.place];
        let [low, high] = [of.quantile(0.001), of.quantile(0.999)];
        let support = self.model.priors()[self.place].support();
        let room = 0.05 * (high - low);
        let range = [(low - room).max(support.low()), (high + room).min(support.high())];
        if range[1] <= range[0] {
            return Curves { parameter: of.name.clone(), ..Curves::default() };
        }
        let places = places(range);
        let prior: Curve = places.iter().filter_map(|x| Some([*x, self.model.ln_prior(self.place, *x)?.exp()])).collect();
        let posterior = smooth(&of.chains.concat(), support, &places);
        Curves {
            parameter: of.name.clone(),
            prior: prior.into_iter().filter(|[_, y]| y.is_finite()).collect(),
            likelihood: Curve::new(),
            posterior,
            range,
        }
    }
}

/// The density of some draws at these places: a normal around each draw, as wide as Silverman 1986 (equation 3.31) says, on the line that
/// the support is stretched to, so that nothing leaks over an end.
fn smooth(draws: &[f64], support: Support, at: &[f64]) -> Curve {
    let mut lines: Vec<f64> = draws.iter().map(|x| support.place(*x)).filter(|z| z.is_finite()).collect();
    lines.sort_by(f64::total_cmp);
    if lines.len() < 2 {
        return Curve::new();
    }
    let n = lines.len() as f64;
    let mean = lines.iter().sum::<f64>() / n;
    let sd = (lines.iter().map(|z| (z - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    let quartiles = quantile_of_draws(&lines, 0.75) - quantile_of_draws(&lines, 0.25);
    let spread = if quartiles > 0.0 { sd.min(quartiles / 1.34) } else { sd };
    let width = 0.9 * spread * n.powf(-0.2);
    if width.is_nan() || width <= 0.0 {
        return Curve::new();
    }
    let scale = 1.0 / (n * width * (2.0 * std::f64::consts::PI).sqrt());
    let density = |x: f64| {
        let z = support.place(x);
        // Normals eight widths away add nothing.
        let near = lines.partition_point(|draw| *draw < z - 8.0 * width)..lines.partition_point(|draw| *draw <= z + 8.0 * width);
        let sum: f64 = lines[near].iter().map(|draw| (-0.5 * ((z - draw) / width).powi(2)).exp()).sum();
        sum * scale * (-support.ln_jacobian(z)).exp()
    };
    at.iter().map(|x| [*x, density(*x)]).filter(|[_, y]| y.is_finite()).collect()
}

struct Told {
    parameters: Vec<Parameter>,
    predictive: Predictive,
    log_marginal_likelihood: Option<f64>,
    error: Option<f64>,
    method: &'static str,
    sampling: Option<Sampling>,
    draws: Vec<Vec<f64>>,
    curves: Curves,
    frames: Vec<Frame>,
    remarks: Vec<String>,
}

/// Some of the draws of all chains, evenly taken.
fn draws_of(sampled: &SampledPosterior, n: usize) -> Vec<Vec<f64>> {
    let all: Vec<Vec<f64>> = sampled.parameters.iter().map(|parameter| parameter.chains.concat()).collect();
    let n_all = all.first().map_or(0, Vec::len);
    let n = n.min(n_all);
    (0..n).map(|nth| all.iter().map(|of| of[nth * n_all / n]).collect()).collect()
}

/// Where there is something to see.
fn range_of(density: &PiecewiseDensity, ml: Option<f64>) -> [f64; 2] {
    let [mut low, mut high] = [density.quantile(0.001), density.quantile(0.999)];
    let width = (density.quantile(0.75) - density.quantile(0.25)).max(f64::MIN_POSITIVE);
    if let Some(ml) = ml.filter(|ml| ml.is_finite()) {
        low = low.min(ml - width).max(low - 5.0 * width);
        high = high.max(ml + width).min(high + 5.0 * width);
    }
    let (least, most) = (density.support().low(), density.support().high());
    [low.max(least), high.min(most)]
}

/// A distribution that is known by its integral.
#[derive(Debug)]
struct Integrated(PiecewiseDensity);

impl Distribution for Integrated {
    fn describe(&self) -> (&'static str, Vec<(&'static str, f64)>) {
        ("by-quadrature", Vec::new())
    }

    fn ln_pdf(&self, x: f64) -> f64 {
        self.0.pdf(x).ln()
    }

    fn cdf(&self, x: f64) -> f64 {
        self.0.cdf(x)
    }

    fn quantile(&self, p: f64) -> f64 {
        self.0.quantile(p)
    }

    fn support(&self) -> [f64; 2] {
        [self.0.support().low(), self.0.support().high()]
    }

    fn mean(&self) -> Option<f64> {
        self.0.mean().map(|mean| mean.value)
    }

    fn sd(&self) -> Option<f64> {
        self.0.sd().map(|sd| sd.value)
    }

    /// Of many points the highest, unless that is at an end: a density may be greatest where there is no point.
    fn mode(&self) -> Option<f64> {
        const POINTS: usize = 1001;
        let curve = self.0.curve(POINTS);
        let best = (0..curve.len()).filter(|at| curve[*at].1.is_finite()).max_by(|a, b| curve[*a].1.total_cmp(&curve[*b].1))?;
        (best > 0 && best + 1 < curve.len()).then(|| curve[best].0)
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        self.0.quantile(((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64)
    }
}
