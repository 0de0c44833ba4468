//! Whether a density integrates to one, and a prior too.

use super::ends::beyond;
use super::peaks::{Effort, hints, likely_places, scan, tops};
use super::target::{at, short};
use super::{Data, DensityError, DensityModel, Prior, PriorKind};
use crate::expression::{Program, Registers};
use crate::quadrature::{Integral, Peak, Sample, Tolerance, integrate};
use crate::{Bounded, Support};

/// What a density integrates to over its response, at one value of the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct DensityCheck {
    /// The parameters, in the model's order.
    pub parameters: Vec<f64>,
    /// The integral, or the sum over whole numbers.
    pub integral: Bounded,
}

/// An integral this far from one is not one.
const NOT_ONE: f64 = 1e-6;
/// Terms in a row that hold next to nothing before a sum is left.
const ENOUGH_EMPTY: usize = 100;
/// The most terms of a sum over whole numbers, to either side.
const MOST_TERMS: usize = 1_000_000;

impl DensityModel {
    /// What the density integrates to at some values of the parameters; with covariates, at the values of the data's first row.
    ///
    /// # Errors
    /// If one of the integrals is not one, with its value; if the density is not a number somewhere.
    pub fn check_density(&self, data: &Data, parameters: &[Vec<f64>]) -> Result<Vec<DensityCheck>, DensityError> {
        let names = self.names();
        let still = vec![false; names.len()];
        let program = self.density.ln_program(&names, &still, &self.ranges()).map_err(DensityError::Density)?;
        let covariates: Vec<f64> = data.covariates.iter().map(|column| column.first().copied().unwrap_or(0.0)).collect();
        let mut checks = Vec::new();
        for parameters in parameters {
            let mut values: Vec<f64> = [0.0].into_iter().chain(covariates.iter().copied()).chain(parameters.iter().copied()).collect();
            let mut registers = Registers::default();
            let mut ln_p = |x: f64| {
                values[0] = x;
                run_one(&program, &values, &mut registers)
            };
            let found = if self.discrete {
                sum(&mut ln_p, self.support, likely(&data.response))
            } else {
                integral_of(&mut ln_p, self.support, &hints(&data.response))
            };
            let whole: Vec<f64> = covariates.iter().chain(parameters).copied().collect();
            let named: Vec<(&str, f64)> = names[1..].iter().copied().zip(whole).collect();
            let integral = found.map_err(|x| {
                let all: Vec<(&str, f64)> = std::iter::once((self.response.as_str(), x)).chain(named.iter().copied()).collect();
                let why = self
                    .density
                    .why_not_finite(&all)
                    .unwrap_or_else(|| format!("its value is {}", self.density.value(&all).unwrap_or(f64::MAX)));
                DensityError::NotANumber { what: "the density".into(), at: at(&all), why }
            })?;
            checks.push(DensityCheck { parameters: parameters.clone(), integral });
        }
        let is_one = |check: &&DensityCheck| (check.integral.value - 1.0).abs() <= NOT_ONE.max(2.0 * check.integral.error);
        if let Some(off) = checks.iter().find(|check| !is_one(check)) {
            let same = checks.iter().all(|check| (check.integral.value / off.integral.value - 1.0).abs() < 1e-6);
            let hint = match same {
                true if off.integral.value > 0.0 && off.integral.value.is_finite() && checks.len() > 1 => {
                    format!("\n  hint: divide the density by {}", short(off.integral.value))
                }
                _ => {
                    let ask = format!("is the range of `{}` right, and is the factor that depends on the parameters there?", self.response);
                    match self.support == crate::Support::REAL {
                        true => format!("\n  hint: {ask} Say where {} lies, as in --range '(0, inf)'", self.response),
                        false => format!("\n  hint: {ask}"),
                    }
                }
            };
            let named: Vec<(&str, f64)> = self.priors.iter().map(Prior::name).zip(off.parameters.iter().copied()).collect();
            let numbers = if self.discrete { "the whole numbers " } else { "" };
            return Err(DensityError::NotNormalised {
                what: "the density".into(),
                over: format!("{numbers}{} from {} to {}", self.response, self.support.low(), self.support.high()),
                integral: off.integral.value,
                error: off.integral.error,
                at: at(&named),
                hint,
            });
        }
        Ok(checks)
    }

    /// Checks priors given as expressions, and measures those cut to a range: ln of what each of the latter holds.
    pub(super) fn check_priors(&self) -> Result<Vec<f64>, DensityError> {
        let mut ln_cut = vec![0.0; self.priors.len()];
        let names = self.names();
        for (place, prior) in self.priors.iter().enumerate() {
            if matches!(prior.kind(), PriorKind::Named | PriorKind::UpToAConstant) {
                continue;
            }
            if let Some(other) = self.priors.iter().find(|other| other.name() != prior.name() && prior.density().mentions(other.name())) {
                return Err(DensityError::Option(format!(
                    "the prior of `{}` depends on `{}`, so that it cannot be normalised once for all\n  hint: give it by name and without a range, as in '{} ~ N(0, {}²)', or with ∝",
                    prior.name(),
                    other.name(),
                    prior.name(),
                    other.name()
                )));
            }
            let still = vec![false; names.len()];
            let program = prior.density().ln_program(&names, &still, &self.ranges()).map_err(DensityError::Prior)?;
            let mut values = vec![0.0; names.len()];
            let at_parameter = names.len() - self.priors.len() + place;
            let mut registers = Registers::default();
            let mut ln_p = |value: f64| {
                values[at_parameter] = value;
                run_one(&program, &values, &mut registers)
            };
            let what = format!("the prior of `{}`", prior.name());
            let integral = integral_of(&mut ln_p, prior.support(), &[]).map_err(|value| {
                let all = [(prior.name(), value)];
                let why = prior
                    .density()
                    .why_not_finite(&all)
                    .unwrap_or_else(|| format!("its value is {}", prior.density().value(&all).unwrap_or(f64::MAX)));
                DensityError::NotANumber { what: what.clone(), at: at(&all), why }
            })?;
            match prior.kind() {
                PriorKind::Cut if integral.value > 0.0 => ln_cut[place] = integral.value.ln(),
                _ if (integral.value - 1.0).abs() <= NOT_ONE.max(2.0 * integral.error) => {}
                _ => {
                    return Err(DensityError::NotNormalised {
                        what,
                        over: format!("{} to {}", prior.support().low(), prior.support().high()),
                        integral: integral.value,
                        error: integral.error,
                        at: String::new(),
                        hint: format!("\n  hint: divide it by that, or write '{} ∝ …' for a prior up to a constant", prior.name()),
                    });
                }
            }
        }
        Ok(ln_cut)
    }
}

/// A whole number around which the others lie: the mean of the data, or else 0.
pub(super) fn likely(response: &[f64]) -> f64 {
    if response.is_empty() { 0.0 } else { response.iter().sum::<f64>() / response.len() as f64 }
}

/// The value of a program in which nothing varies.
pub(super) fn run_one(program: &Program, values: &[f64], registers: &mut Registers) -> f64 {
    let mut out = [0.0];
    program.run(values, &[], registers, &mut out);
    out[0]
}

/// The integral of exp(ln p) over a support, as a density on its line, with the logarithm by which it is scaled down.
///
/// `None` if nothing above zero was found.
///
/// # Errors
/// The value at which ln p is no number, or infinite.
pub(super) fn integrate_ln(
    ln_p: &mut dyn FnMut(f64) -> f64,
    support: Support,
    hints: &[f64],
    tolerance: Tolerance,
) -> Result<Option<(Integral<()>, f64)>, f64> {
    let mut on_line = |place: &[f64]| match place[0] >= support.line().0 && place[0] <= support.line().1 {
        true => ln_p(support.value(place[0])) + support.ln_jacobian(place[0]),
        false => f64::NEG_INFINITY,
    };
    let places = likely_places(support, hints);
    let scanned = scan(&mut on_line, std::slice::from_ref(&places), 1);
    if let Some((infinite, _)) = scanned.iter().find(|(_, height)| *height == f64::INFINITY) {
        return Err(support.value(infinite[0]));
    }
    let tops = tops(&mut on_line, &scanned, &[support.line()], Effort::QUICK);
    let Some(highest) = tops.first() else {
        return match places.iter().find(|place| on_line(&[**place]).is_nan()) {
            Some(nan) => Err(support.value(*nan)),
            None => Ok(None),
        };
    };
    let shift = highest.ln_height;
    let peaks: Vec<Peak> = tops.iter().map(|top| Peak { centre: top.place[0], width: top.covariance[0][0].sqrt() }).collect();
    let density = |z: f64| {
        let value = (on_line(&[z]) - shift).exp();
        if value.is_finite() { Ok(Sample { value, error: 0.0, kept: () }) } else { Err(support.value(z)) }
    };
    let mut integral = integrate(density, support.line(), &peaks, tolerance)?;
    match beyond(support, &integral, &mut |z| (on_line(&[z]) - shift).exp()) {
        Ok(rest) => integral.error += rest,
        Err(_) => integral.runs_off = true,
    }
    Ok(Some((integral, shift)))
}

fn integral_of(ln_p: &mut dyn FnMut(f64) -> f64, support: Support, hints: &[f64]) -> Result<Bounded, f64> {
    let found = integrate_ln(ln_p, support, hints, Tolerance::default())?;
    Ok(found.map_or(Bounded { value: 0.0, error: 0.0 }, |(integral, shift)| {
        let scale = shift.exp();
        let value = if integral.runs_off { f64::INFINITY } else { integral.value * scale };
        Bounded { value, error: integral.error * scale }
    }))
}

/// The sum over the whole numbers of a support, outward from a likely one.
fn sum(ln_p: &mut dyn FnMut(f64) -> f64, support: Support, from: f64) -> Result<Bounded, f64> {
    let mut total = crate::CompensatedSum::default();
    let mut n_terms = 0.0;
    let last = for_each_whole(support, from, &mut |k| {
        let p = ln_p(k).exp();
        if !p.is_finite() {
            return Err(k);
        }
        total.add(p);
        n_terms += 1.0;
        Ok(p)
    })?;
    // Terms that fall off geometrically leave behind about as much as the last one holds, times what a thousand steps may add.
    Ok(Bounded { value: total.value(), error: 1e3 * last + 1e-15 * n_terms })
}

/// Visits whole numbers upward from one and then downward, each way until a run of terms holds next to nothing. What the last terms
/// held where there would have been more.
pub(super) fn for_each_whole<E>(support: Support, from: f64, visit: &mut dyn FnMut(f64) -> Result<f64, E>) -> Result<f64, E> {
    let (low, high) = (support.low().ceil(), support.high().floor());
    let from = from.round().clamp(low, high);
    let from = if from.is_finite() { from } else { 0.0 };
    let (mut total, mut last) = (0.0, 0.0);
    for (mut k, step, end) in [(from, 1.0, high), (from - 1.0, -1.0, low)] {
        let mut empty = 0;
        let mut held = 0.0;
        for _ in 0..MOST_TERMS {
            if (end - k) * step < 0.0 {
                held = 0.0;
                break;
            }
            let p = visit(k)?;
            held = p;
            total += p;
            empty = if p <= 1e-17 * total && total > 0.0 { empty + 1 } else { 0 };
            if empty == ENOUGH_EMPTY {
                break;
            }
            k += step;
        }
        last += held;
    }
    Ok(last)
}
