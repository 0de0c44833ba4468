//! An estimate for people.

use std::fmt::Write;

use tunbridge::belief::distribution::{Distribution, IntervalKind, credible_interval};
use tunbridge::estimate::{BayesFactor, Estimate, EstimateOptions, FamilyKind, Parameter, Predictive};

use crate::figures::{count, number, number_within, of, probability, signed};
use crate::report::{Align, table};

/// The rows, the prior, and a table of beliefs.
pub fn summary(found: &Estimate, options: &EstimateOptions) -> String {
    let mut text = format!("{} of {}: {}", found.family, found.subject(), of(found.n, "row", "rows"));
    if found.n_missing > 0 {
        let _ = write!(text, ", {} left out for a missing value", count(found.n_missing as f64));
    }
    text.push_str("\n\n");
    if let Some(density) = &options.density {
        let _ = writeln!(text, "  density     {}", density.text);
    }
    let said = if options.prior.is_some() { "" } else { " (none was given)" };
    let _ = writeln!(text, "  prior       {}{said}", found.prior_text);
    if found.prior_improper.is_some() {
        text.push_str("              improper: it has no curve and no marginal likelihood\n");
    }
    for parameter in found.parameters.iter().filter(|_| found.parameters.len() <= MOST_FORMS) {
        if let Some(posterior) = parameter.posterior.as_ref().filter(|_| found.kind != FamilyKind::Density) {
            let _ = writeln!(text, "  posterior   {} ~ {}", parameter.name, form(&**posterior));
        }
    }
    if let Predictive::Number(next) | Predictive::At { next, .. } = &found.predictive
        && found.kind != FamilyKind::Density
    {
        let _ = writeln!(text, "  predictive  {} ~ {}", found.columns[0], form(&**next));
    }
    if found.method != "exact" {
        let _ = writeln!(text, "  method      {}", found.method);
    }
    text.push('\n');
    text.push_str(&beliefs(found, options));
    if let Some(ln) = found.log_marginal_likelihood {
        let _ = writeln!(text, "\n  log marginal likelihood  {}", marginal_likelihood(ln, found));
    }
    text
}

/// ln P(data), with its error where that is one of sampling.
fn marginal_likelihood(ln: f64, found: &Estimate) -> String {
    match found.log_marginal_likelihood_error.filter(|_| found.sampling.is_some()) {
        Some(error) => format!("{} ± {} by {}", number_within(ln, error), number(error), found.log_marginal_likelihood_method),
        None => number(ln),
    }
}

/// More parameters than this have their figures in the table alone.
const MOST_FORMS: usize = 4;

/// What is believed of each parameter before, by the data alone, and after, and of the next value.
fn beliefs(found: &Estimate, options: &EstimateOptions) -> String {
    let held = |of: &dyn Distribution| credible_interval(of, options.interval, options.interval_kind);
    let mut rows: Vec<Vec<String>> = Vec::new();
    for parameter in &found.parameters {
        rows.extend(of_parameter(parameter, found, &held));
    }
    let next = |name: String, of: &dyn Distribution| {
        let row = row("predictive", [of.mode(), of.mean(), of.sd()], held(of));
        std::iter::once(name).chain(row).collect::<Vec<String>>()
    };
    match &found.predictive {
        Predictive::Number(of) => rows.push(next(format!("next {}", found.columns[0]), &**of)),
        Predictive::At { inputs, next: of } => rows.push(next(format!("{} at {}", found.columns[0], at(inputs)), &**of)),
        Predictive::Columns(columns) => rows.extend(columns.iter().map(|(name, of)| next(format!("next {name}"), &**of))),
        Predictive::States(_) | Predictive::ClassesAt { .. } => {}
    }
    let kind = match options.interval_kind {
        IntervalKind::EqualTailed => "",
        IntervalKind::HighestDensity => ", shortest",
    };
    let share = format!("{} % interval{kind}", number(100.0 * options.interval));
    let right = Align::Right;
    let mut text = table(&["", "", "most probable", "mean", "sd", &share], &[Align::Left, Align::Left, right, right, right, right], &rows);
    let (title, states) = match &found.predictive {
        Predictive::States(states) => (format!("next {}", if found.columns.len() == 1 { &found.columns[0] } else { "one" }), states),
        Predictive::ClassesAt { inputs, classes } => (format!("{} at {}", found.columns[0], at(inputs)), classes),
        _ => return text,
    };
    let rows: Vec<Vec<String>> = states.iter().map(|(state, p)| vec![state.clone(), probability(*p)]).collect();
    let _ = write!(text, "\n{}", table(&[&title, "probability"], &[Align::Left, right], &rows));
    text
}

fn of_parameter(parameter: &Parameter, found: &Estimate, held: &dyn Fn(&dyn Distribution) -> [f64; 2]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    if let Some(prior) = &parameter.prior {
        rows.push(row("prior", [prior.mode(), prior.mean(), prior.sd()], held(&**prior)));
    }
    if found.n > 0.0 {
        let [low, high] = parameter.interval;
        let best = parameter.ml.map_or_else(|| "none".to_string(), |ml| number_within(ml, high - low));
        rows.push(vec!["likelihood".into(), best, String::new(), String::new(), String::new()]);
    }
    rows.push(row("posterior", [parameter.map, parameter.mean, parameter.sd], parameter.interval));
    let name = |place: usize| if place == 0 { parameter.name.clone() } else { String::new() };
    rows.into_iter().enumerate().map(|(place, row)| std::iter::once(name(place)).chain(row).collect()).collect()
}

/// Mode, mean and standard deviation, and the interval, whose width says how many digits matter.
fn row(belief: &str, [mode, mean, sd]: [Option<f64>; 3], [low, high]: [f64; 2]) -> Vec<String> {
    let within = |x: f64| number_within(x, high - low);
    let option = |x: Option<f64>| x.map_or_else(|| "none".to_string(), within);
    let sd = sd.map_or_else(|| "none".to_string(), number);
    vec![belief.into(), option(mode), option(mean), sd, format!("{} to {}", within(low), within(high))]
}

fn at(inputs: &[(String, f64)]) -> String {
    inputs.iter().map(|(name, x)| format!("{name} = {}", number(*x))).collect::<Vec<_>>().join(", ")
}

/// A distribution as a book writes it.
pub fn form(of: &dyn Distribution) -> String {
    let (name, parameters) = of.describe();
    // A place is told as exactly as its spread says.
    let spread = parameters.iter().find(|(name, _)| ["sd", "scale"].contains(name)).map_or(f64::NAN, |(_, spread)| *spread);
    let figure = |(name, x): &(&str, f64)| if ["mean", "location"].contains(name) { number_within(*x, spread) } else { number(*x) };
    let figures: Vec<String> = parameters.iter().map(figure).collect();
    let list = figures.join(", ");
    match name {
        "normal" => format!("N({}, {}²)", figures[0], figures[1]),
        "log-normal" => format!("logN({}, {}²)", figures[0], figures[1]),
        "beta" => format!("Beta({list})"),
        "gamma" => format!("Gamma({list})"),
        "inverse-gamma" => format!("InverseGamma({list})"),
        "student-t" => format!("t({list}): degrees, centre, scale"),
        "log-t" => format!("log-t({list}): degrees, centre, scale"),
        "pareto" => format!("Pareto({list})"),
        "uniform" => format!("U({list})"),
        "lomax" => format!("Lomax({list})"),
        "negative-binomial" => format!("NegativeBinomial({list})"),
        "beta-binomial" => format!("BetaBinomial({list})"),
        "beta-geometric" => format!("BetaGeometric({list})"),
        "point-mass" => format!("exactly {list}"),
        "inverse-power" if parameters[0].1 == 0.0 => format!("U({}, {})", figures[1], figures[2]),
        "inverse-power" => format!("c/θ^{} on [{}, {}]", figures[0], figures[1], figures[2]),
        "bounded-uniform" if figures.len() == 4 => format!("{} below {}, falling to 0 at {}", figures[3], figures[1], figures[2]),
        "bounded-uniform" => format!("ln({0}/x)/{0}", figures[2]),
        "pareto-uniform" => format!("constant below {}, falling as x^−{} above", figures[0], number(parameters[1].1 + 1.0)),
        other => format!("{other}({list})"),
    }
}

/// Which model the data speak for, and how loudly (Kass & Raftery 1995, section 3.2).
pub fn comparison(found: &Estimate, factor: &BayesFactor, options: &EstimateOptions) -> String {
    let for_first = factor.ln >= 0.0;
    let times = factor.ln.abs().exp();
    let strength = match 2.0 * factor.ln.abs() {
        x if x < 2.0 => "not worth more than a bare mention",
        x if x < 6.0 => "positive",
        x if x < 10.0 => "strong",
        _ => "very strong",
    };
    let density = options.density.as_ref().map_or(found.family, |density| &density.text);
    let [first, second] = [(density, &found.prior_text), (factor.density.as_deref().unwrap_or(factor.family), &factor.prior_text)]
        .map(|(model, prior)| format!("{model}, {prior}"));
    let (winner, loser) = if for_first { (&first, &second) } else { (&second, &first) };
    let times = if times.is_finite() { format!("{} times", number(times)) } else { format!("e^{} times", number(factor.ln.abs())) };
    let sure = factor.error.filter(|error| *error > 1e-3).map(|error| format!(" ± {}", number(error))).unwrap_or_default();
    format!(
        "Bayes factor\n  the data are {times} as probable under {winner}\n  as under {loser}\n  {}{sure} nats for the first: the evidence is {strength}\n",
        signed(factor.ln, 3)
    )
}

/// The draws, a line each.
pub fn draws(found: &Estimate, options: &EstimateOptions) -> String {
    let header: Vec<&str> = found.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let rows: Vec<Vec<String>> = found.draws.iter().map(|draw| draw.iter().map(|x| number(*x)).collect()).collect();
    let draws = of(found.draws.len() as f64, "draw", "draws");
    format!("{draws} from the posterior, seed {}\n{}", options.seed, table(&header, &vec![Align::Right; header.len()], &rows))
}
