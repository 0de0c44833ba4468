//! The curves of an estimate, in the terminal and as pictures.

use std::io::IsTerminal;
use std::path::Path;

use tunbridge::estimate::Estimate;

use crate::Failure;
use crate::plot::{Animation, Figure, Series, Stroke, animated, svg, terminal, write};
use crate::report::{may_colour, terminal_width};

/// The colour of posteriors, in every picture.
const POSTERIOR: usize = 2;

/// Prior, likelihood and posterior of the parameter that was asked for.
fn figure(found: &Estimate) -> Figure {
    let curves = &found.curves;
    let series = |name: &str, points: &[[f64; 2]], stroke: Stroke, colour: usize| Series {
        name: name.into(),
        points: points.to_vec(),
        stroke,
        colour,
    };
    let mut all = Vec::new();
    if !curves.prior.is_empty() {
        all.push(series("prior", &curves.prior, Stroke::Dotted, 0));
    }
    if !curves.likelihood.is_empty() {
        all.push(series("likelihood, scaled", &curves.likelihood, Stroke::Dashed, 1));
    }
    all.push(series("posterior", &curves.posterior, Stroke::Solid, POSTERIOR));
    Figure {
        title: format!("{} of {}", curves.parameter, found.subject()),
        x_label: curves.parameter.clone(),
        y_label: "density".into(),
        series: all,
        x_range: Some(curves.range),
        y_most: height(found),
    }
}

/// High enough for likelihood and posterior, and for the prior unless that would flatten them: one that is infinite at an end would.
fn height(found: &Estimate) -> Option<f64> {
    let highest = |points: &[[f64; 2]]| points.iter().map(|[_, y]| *y).filter(|y| y.is_finite()).fold(0.0, f64::max);
    let of_data = highest(&found.curves.posterior).max(highest(&found.curves.likelihood));
    let most = if of_data > 0.0 { of_data.max(highest(&found.curves.prior).min(1.5 * of_data)) } else { highest(&found.curves.prior) };
    (most > 0.0).then_some(1.05 * most)
}

pub fn in_terminal(found: &Estimate) -> String {
    if found.curves.posterior.is_empty() {
        return String::new();
    }
    let colour = may_colour() && std::io::stdout().is_terminal();
    let mut figure = figure(found);
    figure.title.clear();
    terminal(&figure, terminal_width().min(80), 14, colour)
}

pub fn write_plot(path: &Path, found: &Estimate) -> Result<(), Failure> {
    if found.curves.posterior.is_empty() {
        return Err(no_curve(found));
    }
    write(path, &svg(&figure(found)))
}

pub fn write_animation(path: &Path, found: &Estimate) -> Result<(), Failure> {
    if found.curves.posterior.is_empty() {
        return Err(no_curve(found));
    }
    let whole = figure(found);
    // The posterior moves, and the likelihood of all rows would give the end away.
    let series = whole.series.iter().filter(|series| series.name == "prior").cloned().collect();
    let ground = Figure { series, ..whole };
    let frames = found.frames.iter().map(|frame| (format!("n = {}", frame.n), frame.curve.clone())).collect();
    write(path, &animated(&Animation { ground, name: "posterior".into(), colour: POSTERIOR, frames }))
}

fn no_curve(found: &Estimate) -> Failure {
    let what = format!("the posterior of `{}` has no closed form to be drawn", found.curves.parameter);
    tunbridge::Error::Unfit { what, hint: Some("choose another with --parameter".into()) }.into()
}
