//! The posterior of one to three parameters by nested adaptive quadrature, with a bound on the error.
//!
//! The marginal of each parameter is a density of one number: an integral over the other parameters at every node of its line
//! ([`crate::quadrature`]). Lines start around the tops of the posterior, moved and scaled as a normal around each top would have
//! it given the parameters outside, so that narrow and slanted peaks are met. Each parameter takes a turn as the outermost; all
//! turns must find the same total, and what they differ by is part of the error.

use super::ends::beyond;
use super::maxima::greatest;
use super::peaks::{Effort, Top, add_top, hints, likely_places, scan, tops};
use super::target::{Target, at};
use super::{Data, DensityCheck, DensityError, DensityModel, Prior};
use crate::cholesky::cholesky;
use crate::mcmc::McmcOptions;
use crate::mcmc::factor_slice::Stream;
use crate::nelder_mead::maximise;
use crate::quadrature::{Integral, Peak, Piece, Sample, Tolerance, integrate, nodes, weights};
use crate::trapezoidal::{Grid, Node, integrate_evenly};
use crate::{Bounded, PiecewiseDensity, Support};

/// The most parameters that quadrature does.
pub const MOST_PARAMETERS: usize = 3;

/// How exact the integrals must be, and what they may cost.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `relative` | by the number of parameters: 1e-10, 1e-8, 1e-5 | the error, as a share of the integral, at which to stop |
/// | `most_evaluations` | 20 million | evaluations of the likelihood after which to give up |
/// | `check` | yes | whether the density must integrate to one over the response |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuadratureOptions {
    /// The error at which to stop, as a share of the integral; `None` for what the number of parameters suggests.
    pub relative: Option<f64>,
    /// Evaluations of the likelihood after which to give up.
    pub most_evaluations: u64,
    /// Whether to check that the density integrates to one around the posterior's tops.
    pub check: bool,
}

impl Default for QuadratureOptions {
    fn default() -> Self {
        Self { relative: None, most_evaluations: 20_000_000, check: true }
    }
}

/// What is believed after the data, of all parameters.
#[derive(Clone, Debug)]
pub struct IntegratedPosterior {
    /// Of each parameter, in the model's order.
    pub parameters: Vec<IntegratedParameter>,
    /// ln P(data), with a bound on its error. With priors up to a constant it is up to a constant too.
    pub log_marginal_likelihood: Bounded,
    /// The most probable parameters; `None` if the posterior density grows without bound.
    pub map: Option<Vec<f64>>,
    /// The parameters of greatest likelihood within the priors' supports; `None` if the likelihood has no greatest value there.
    pub maximum_likelihood: Option<Vec<f64>>,
    /// ln P(data | the parameters of greatest likelihood).
    pub ln_likelihood_at_maximum: Option<f64>,
    /// Whether every integral met its tolerance. If not, the bounds tell how exact they are.
    pub converged: bool,
    /// How often the likelihood was evaluated.
    pub evaluations: u64,
    /// What the density integrates to at some parameters, if that was checked.
    pub checks: Vec<DensityCheck>,
    pub(super) model: DensityModel,
    pub(super) data: Data,
    /// Nodes of the innermost lines: the parameters by column, their weights, and by how much Gauss' weights differ on each level.
    pub(super) nodes: Nodes,
}

/// What is believed of one parameter after the data, the others integrated out.
#[derive(Clone, Debug)]
pub struct IntegratedParameter {
    /// Its name.
    pub name: String,
    /// Its marginal density: quantiles, intervals and the curve.
    pub density: PiecewiseDensity,
    /// The posterior mean; `None` if it does not exist.
    pub mean: Option<Bounded>,
    /// The posterior standard deviation; `None` if it does not exist.
    pub sd: Option<Bounded>,
}

/// The posterior as points with weights.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    pub columns: Vec<Vec<f64>>,
    pub weights: Vec<f64>,
    /// For each level, the difference of Gauss' weight to Kronrod's.
    pub differences: Vec<Vec<f64>>,
}

impl Nodes {
    /// Leaves out points that together hold less than a billionth.
    fn drop_negligible(&mut self) {
        let least = 1e-9 / self.weights.len() as f64;
        let kept: Vec<bool> = self.weights.iter().map(|weight| *weight > least).collect();
        for column in self.columns.iter_mut().chain(&mut self.differences).chain([&mut self.weights]) {
            let mut kept = kept.iter();
            column.retain(|_| kept.next() == Some(&true));
        }
    }
}

impl IntegratedPosterior {
    /// ln P(data | parameters); `None` where it is not a number.
    pub fn ln_likelihood(&self, parameters: &[f64]) -> Option<f64> {
        self.model.ln_likelihood(&self.data, parameters)
    }

    /// Draws from the posterior, each with a value for every parameter; the same seed gives the same draws.
    ///
    /// Of one parameter they are independent, by the inverse of its distribution function. Of more they come from Markov chains
    /// ([`DensityModel::sample`]) by default options.
    ///
    /// # Errors
    /// Those of [`DensityModel::sample`].
    pub fn draws(&self, n: usize, seed: u64) -> Result<Vec<Vec<f64>>, DensityError> {
        if let [only] = &self.parameters[..] {
            let mut random = Stream::new(seed, 0);
            return Ok((0..n).map(|_| vec![only.density.quantile(random.uniform())]).collect());
        }
        let options = McmcOptions { draws: n.div_ceil(4).max(8), seed, ..McmcOptions::default() };
        let sampled = self.model.sample(&self.data, &options, false)?;
        let all: Vec<Vec<f64>> = sampled.parameters.iter().map(|parameter| parameter.chains.concat()).collect();
        // Taken in turn from the chains, so that any number of them is spread over all.
        let at = |i: usize| (i % options.chains) * options.draws + i / options.chains;
        Ok((0..n).map(|i| all.iter().map(|column| column[at(i)]).collect()).collect())
    }
}

impl DensityModel {
    /// The posterior by quadrature.
    ///
    /// Assumes rows to be independent given the parameters.
    ///
    /// **Complexity**: one parameter takes some hundreds of evaluations of the likelihood of all rows, two some ten thousand, three
    /// some million.
    ///
    /// # Errors
    /// Data outside the range or impossible under the prior, an improper posterior, a density that is not a number or does not
    /// integrate to one, more than three parameters, more evaluations than allowed.
    pub fn posterior(&self, data: &Data, options: &QuadratureOptions) -> Result<IntegratedPosterior, DensityError> {
        let n = self.priors.len();
        if n > MOST_PARAMETERS {
            return Err(DensityError::TooManyParameters { n, most: MOST_PARAMETERS });
        }
        if let Some(relative) = options.relative
            && !(relative > 0.0 && relative < 1.0)
        {
            return Err(DensityError::Option(format!("the relative error must lie between 0 and 1, and {relative} does not")));
        }
        data.check(self)?;
        let mut target = Target::new(self, data)?;
        let mut tops = find_tops(&mut target)?;
        let mut turns = None;
        for _ in 0..4 {
            match take_turns(&mut target, &tops, options) {
                Ok(found) => {
                    turns = Some(found);
                    break;
                }
                // A higher place than all known ones: another top was missed. Climb it and begin again.
                Err(Stop::Higher(place)) => {
                    let lines: Vec<(f64, f64)> = target.supports().map(|support| support.line()).collect();
                    let mut f = |place: &[f64]| target.ln_on_lines(place);
                    let steps: Vec<f64> = place.iter().map(|z| (1e-2 * z.abs()).max(0.1)).collect();
                    let (place, height) = maximise(&mut f, &place, &steps, 400 * n);
                    add_top(&mut f, &mut tops, place, height, &lines);
                    tops.sort_by(|a, b| b.ln_height.total_cmp(&a.ln_height));
                }
                Err(Stop::Fault(parameters)) => return Err(target.fault(&parameters)),
                Err(Stop::Costly) => return Err(DensityError::TooCostly { most: options.most_evaluations }),
            }
        }
        let evaluations = target.evaluations;
        let Some(mut turns) = turns else {
            return Err(DensityError::NotSettled { value: f64::INFINITY, error: f64::INFINITY, evaluations });
        };
        for (axis, turn) in turns.iter_mut().enumerate() {
            let mut at = Turn::new(&mut target, &tops, options, axis);
            let rest = beyond(self.priors[axis].support(), turn, &mut |z| at.inside(&[z]).map_or(0.0, |sample| sample.value));
            turn.error += rest.map_err(|toward| DensityError::Improper { parameter: self.priors[axis].name().to_owned(), toward })?;
        }
        let shift = tops[0].ln_height;
        let mut total = Bounded { value: turns[0].value, error: 0.0 };
        for turn in &turns {
            total.error = total.error.max(turn.error).max((turn.value - total.value).abs());
        }
        if !(total.value > 0.0 && total.error <= 0.05 * total.value) {
            return Err(match top_at_an_end(&tops[0], self) {
                Some((parameter, toward)) => DensityError::Improper { parameter, toward },
                None => DensityError::NotSettled { value: total.value, error: total.error, evaluations },
            });
        }
        let checks = if options.check { self.check_around(&target, &tops[0], data)? } else { Vec::new() };
        let mut parameters = Vec::with_capacity(n);
        for (turn, prior) in turns.iter().zip(&self.priors) {
            let density = PiecewiseDensity::new(prior.support(), turn).ok_or(DensityError::Impossible)?;
            parameters.push(IntegratedParameter { name: prior.name().to_owned(), mean: density.mean(), sd: density.sd(), density });
        }
        let (map, maximum_likelihood) = greatest(&mut target, &tops[0].place);
        let converged = turns.iter().all(|turn| turn.converged);
        let mut nodes = Nodes { columns: vec![Vec::new(); n], weights: Vec::new(), differences: vec![Vec::new(); n] };
        let log_marginal_likelihood = Bounded { value: shift + total.value.ln(), error: total.error / total.value };
        let total = turns[0].value;
        collect(&flatten(turns.swap_remove(0)), &mut vec![], 1.0 / total, &mut vec![], self, &mut nodes);
        nodes.drop_negligible();
        Ok(IntegratedPosterior {
            parameters,
            log_marginal_likelihood,
            map,
            ln_likelihood_at_maximum: maximum_likelihood.as_ref().map(|best| target.ln_likelihood(best)),
            maximum_likelihood,
            converged,
            evaluations: target.evaluations,
            checks,
            model: self.clone(),
            data: data.clone(),
            nodes,
        })
    }

    /// Checks that the density integrates to one at a top and a standard deviation to either side of it along each axis.
    pub(super) fn check_around(&self, target: &Target<'_>, top: &Top, data: &Data) -> Result<Vec<DensityCheck>, DensityError> {
        let mut places = vec![top.place.clone()];
        for axis in 0..top.place.len() {
            for side in [-1.0, 1.0] {
                let mut place = top.place.clone();
                place[axis] += side * top.covariance[axis][axis].sqrt().min(3.0 * place[axis].abs().max(1.0));
                places.push(place);
            }
        }
        let parameters = places.iter().map(|place| {
            let mut parameters = Vec::new();
            target.unpack(place, &mut parameters);
            parameters
        });
        self.check_density(data, &parameters.collect::<Vec<_>>())
    }
}

/// The parameter whose highest top stands at an end of its line, and where that is: the density grows without bound there.
fn top_at_an_end(top: &Top, model: &DensityModel) -> Option<(String, f64)> {
    model.priors.iter().zip(&top.place).find_map(|(prior, z)| {
        let support = prior.support();
        let (first, last) = support.line();
        let low_end = if support.rises() { *z <= first + 1.0 } else { *z >= last - 1.0 };
        let high_end = if support.rises() { *z >= last - 1.0 } else { *z <= first + 1.0 };
        let toward = if low_end { support.low() } else { support.high() };
        (low_end || high_end).then(|| (prior.name().to_owned(), toward))
    })
}

/// The tops of the posterior on its lines.
pub(super) fn find_tops(target: &mut Target<'_>) -> Result<Vec<Top>, DensityError> {
    let supports: Vec<Support> = target.supports().collect();
    let lines: Vec<(f64, f64)> = supports.iter().map(|support| support.line()).collect();
    let from_data: Vec<f64> = target.data.columns().iter().flat_map(|column| hints(column)).collect();
    let mut places: Vec<Vec<f64>> = supports.iter().map(|support| likely_places(*support, &from_data)).collect();
    add_places_of_priors(target, &mut places);
    let n_rows = target.data.n_rows();
    let mut f = |place: &[f64]| target.ln_on_lines(place);
    let scanned = scan(&mut f, &places, n_rows);
    if let Some((infinite, _)) = scanned.iter().find(|(_, height)| *height == f64::INFINITY) {
        let mut parameters = Vec::new();
        target.unpack(infinite, &mut parameters);
        return Err(target.fault(&parameters));
    }
    let found = tops(&mut f, &scanned, &lines, Effort::THOROUGH);
    if !found.is_empty() {
        return Ok(found);
    }
    // Nothing above zero anywhere: say which row, or which value, is at fault.
    let mut worst: Option<Vec<usize>> = None;
    let mut tried = Vec::new();
    for number in 0..200_u64 {
        let place: Vec<f64> = places
            .iter()
            .enumerate()
            .map(|(axis, places)| places[crate::split_mix(number * 31 + axis as u64) as usize % places.len()])
            .collect();
        let mut parameters = Vec::new();
        target.unpack(&place, &mut parameters);
        let ln_prior = target.ln_prior(&parameters);
        if ln_prior.is_nan() || (ln_prior > f64::NEG_INFINITY && target.ln_likelihood(&parameters).is_nan()) {
            return Err(target.fault(&parameters));
        }
        if ln_prior > f64::NEG_INFINITY {
            let rows = target.impossible_rows(&parameters);
            worst = Some(worst.map_or(rows.clone(), |known| known.into_iter().filter(|row| rows.contains(row)).collect()));
            tried = parameters;
        }
    }
    match worst.and_then(|rows| rows.first().copied()) {
        None => Err(DensityError::Impossible),
        Some(row) => {
            let own: Vec<(&str, f64)> = target.model.priors.iter().map(Prior::name).zip(tried).collect();
            let name = target.model.response.clone();
            Err(DensityError::ImpossibleRow { row: row + 1, name, value: target.data.response[row], at: at(&own) })
        }
    }
}

/// Adds, for each parameter, places around the top of its prior with the others at one of their likely places.
fn add_places_of_priors(target: &mut Target<'_>, places: &mut [Vec<f64>]) {
    let supports: Vec<Support> = target.supports().collect();
    for axis in 0..places.len() {
        let mut base: Vec<f64> = places.iter().map(|places| places[places.len() / 2]).collect();
        let mut f = |place: &[f64]| {
            base[axis] = place[0];
            let mut parameters = Vec::new();
            let gain = target.unpack(&base, &mut parameters);
            target.ln_prior(&parameters) + gain
        };
        let scanned = scan(&mut f, std::slice::from_ref(&places[axis]), 1);
        let (first, last) = supports[axis].line();
        for top in tops(&mut f, &scanned, &[(first, last)], Effort::QUICK).iter().take(2) {
            let width = top.covariance[0][0].sqrt();
            let around = [-1.5, -0.5, 0.0, 0.5, 1.5].map(|by| top.place[0] + by * width);
            places[axis].extend(around.iter().filter(|place| **place > first && **place < last));
        }
    }
}

/// Why a turn ended early.
enum Stop {
    /// The posterior is no number at these parameters.
    Fault(Vec<f64>),
    /// The posterior is much higher here than at every known top.
    Higher(Vec<f64>),
    /// Too many evaluations.
    Costly,
}

/// What a node of a line keeps of the line inside it: its nodes.
type Inner = Vec<InnerNode>;

#[derive(Clone, Debug)]
struct InnerNode {
    place: f64,
    weight: f64,
    /// The weight less that of the coarser rule.
    difference: f64,
    value: f64,
    inner: Inner,
}

/// The nodes of a line by Gauss and Kronrod.
fn flatten(line: Integral<Inner>) -> Inner {
    let of = |piece: Piece<Inner>| {
        let rule = nodes(piece.low, piece.high).into_iter().zip(weights(piece.low, piece.high)).zip(piece.samples);
        rule.map(|((place, (weight, difference)), sample)| InnerNode { place, weight, difference, value: sample.value, inner: sample.kept })
    };
    line.pieces.into_iter().flat_map(of).filter(|node| node.value > 0.0).collect()
}

/// The nodes of a line by equal steps.
fn flatten_grid(grid: Grid<Inner>) -> Inner {
    let of = |Node { place, weight, difference, sample }: Node<Inner>| InnerNode {
        place,
        weight,
        difference,
        value: sample.value,
        inner: sample.kept,
    };
    grid.nodes.into_iter().map(of).filter(|node| node.value > 0.0).collect()
}

/// One turn: the parameters in an order, each integrated inside the one before.
struct Turn<'t, 'a> {
    target: &'t mut Target<'a>,
    order: Vec<usize>,
    lines: Vec<(f64, f64)>,
    /// For each top its place and Cholesky's triangle of its covariance, both in the order of the turn.
    tops: Vec<(Vec<f64>, Vec<Vec<f64>>)>,
    shift: f64,
    tolerances: Vec<Tolerance>,
    most_evaluations: u64,
    /// Whether nodes keep those of the lines inside them.
    keeps: bool,
}

impl<'t, 'a> Turn<'t, 'a> {
    fn new(target: &'t mut Target<'a>, tops: &[Top], options: &QuadratureOptions, outermost: usize) -> Self {
        let n = tops[0].place.len();
        let order: Vec<usize> = std::iter::once(outermost).chain((0..n).filter(|axis| *axis != outermost)).collect();
        let lines = target.supports().map(|support| support.line()).collect::<Vec<_>>();
        let ordered = tops.iter().map(|top| {
            let matrix: Vec<Vec<f64>> = order.iter().map(|i| order.iter().map(|j| top.covariance[*i][*j]).collect()).collect();
            let widths = |i: usize| (0..n).map(|j| if i == j { matrix[i][i].sqrt() } else { 0.0 }).collect();
            let lower = cholesky(&matrix).unwrap_or_else(|| (0..n).map(widths).collect());
            (order.iter().map(|axis| top.place[*axis]).collect(), lower)
        });
        let tops_in_order = ordered.collect();
        let relative = options.relative.unwrap_or([1e-10, 1e-8, 1e-5][n - 1]);
        // Lines inside must be more exact than the line outside can see.
        let tolerances = (0..n).map(|level| Tolerance {
            relative: (relative * 0.3_f64.powi(level as i32)).max(1e-12),
            most_pieces: if level == 0 { 400 } else { 100 },
            patience: if level == 0 { 3 } else { 1 },
        });
        let tolerances = tolerances.collect();
        Self {
            lines: order.iter().map(|axis| lines[*axis]).collect(),
            order,
            tops: tops_in_order,
            shift: tops[0].ln_height,
            tolerances,
            most_evaluations: options.most_evaluations,
            keeps: outermost == 0,
            target,
        }
    }

    /// The integral over the outermost line and those inside it.
    fn outermost(&mut self) -> Result<Integral<Inner>, Stop> {
        let peaks = self.peaks(&[]);
        let (range, tolerance) = (self.lines[0], self.tolerances[0]);
        integrate(|z| self.inside(&[z]), range, &peaks, tolerance)
    }

    /// The density at a place, or its integral over the levels inside.
    fn inside(&mut self, place: &[f64]) -> Result<Sample<Inner>, Stop> {
        let level = place.len();
        if level == self.order.len() {
            return Ok(Sample { value: self.value(place)?, error: 0.0, kept: Vec::new() });
        }
        let peaks = self.peaks(place);
        let (range, tolerance) = (self.lines[level], self.tolerances[level]);
        let mut inner = place.to_vec();
        inner.push(0.0);
        let mut at = |turn: &mut Self, z: f64| {
            inner[level] = z;
            turn.inside(&inner)
        };
        if let [peak] = peaks[..]
            && let Some(grid) = integrate_evenly(|z| at(self, z), range, peak, tolerance.relative)?
        {
            return Ok(Sample { value: grid.value, error: grid.error, kept: if self.keeps { flatten_grid(grid) } else { Vec::new() } });
        }
        let line = integrate(|z| at(self, z), range, &peaks, tolerance)?;
        Ok(Sample { value: line.value, error: line.error, kept: if self.keeps { flatten(line) } else { Vec::new() } })
    }

    fn peaks(&self, outside: &[f64]) -> Vec<Peak> {
        self.tops.iter().map(|(place, lower)| conditional(place, lower, outside)).collect()
    }

    fn value(&mut self, ordered: &[f64]) -> Result<f64, Stop> {
        if self.target.evaluations > self.most_evaluations {
            return Err(Stop::Costly);
        }
        let mut place = vec![0.0; ordered.len()];
        self.order.iter().zip(ordered).for_each(|(axis, z)| place[*axis] = *z);
        let ln_height = self.target.ln_on_lines(&place);
        if ln_height.is_nan() || ln_height == f64::INFINITY {
            let mut parameters = Vec::new();
            self.target.unpack(&place, &mut parameters);
            return Err(Stop::Fault(parameters));
        }
        if ln_height > self.shift + 30.0 {
            return Err(Stop::Higher(place));
        }
        Ok((ln_height - self.shift).exp())
    }
}

/// Where the next level's peak stands, and how wide it is, for a normal with these levels outside fixed.
fn conditional(place: &[f64], lower: &[Vec<f64>], outside: &[f64]) -> Peak {
    let level = outside.len();
    let mut standard = Vec::with_capacity(level);
    for (i, z) in outside.iter().enumerate() {
        let known: f64 = standard.iter().zip(&lower[i]).map(|(s, l)| s * l).sum();
        standard.push((z - place[i] - known) / lower[i][i]);
    }
    let moved: f64 = standard.iter().zip(&lower[level]).map(|(s, l)| s * l).sum();
    Peak { centre: place[level] + moved, width: lower[level][level] }
}

/// The marginal of each parameter.
fn take_turns(target: &mut Target<'_>, tops: &[Top], options: &QuadratureOptions) -> Result<Vec<Integral<Inner>>, Stop> {
    (0..tops[0].place.len()).map(|axis| Turn::new(target, tops, options, axis).outermost()).collect()
}

/// The nodes of all lines with the products of their weights.
fn collect(line: &Inner, outside: &mut Vec<f64>, weight: f64, ratios: &mut Vec<f64>, model: &DensityModel, all: &mut Nodes) {
    for node in line {
        outside.push(node.place);
        // How the coarser rule's weight differs on each level, as a ratio.
        ratios.push(node.difference / node.weight);
        if node.inner.is_empty() {
            let weight = weight * node.weight * node.value;
            all.weights.push(weight);
            for (axis, prior) in model.priors.iter().enumerate() {
                all.columns[axis].push(prior.support().value(outside[axis]));
                all.differences[axis].push(weight * ratios[axis]);
            }
        } else {
            collect(&node.inner, outside, weight * node.weight, ratios, model, all);
        }
        outside.pop();
        ratios.pop();
    }
}
