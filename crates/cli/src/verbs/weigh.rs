//! `weigh`: hypotheses, what is observed, and what is to be believed after it.

use std::fmt::Write;
use std::io::IsTerminal;
use std::time::Instant;

use serde_json::{Map, Value, json};
use tunbridge::belief::hypotheses::{Hypotheses, Likelihoods, Predictions, Weighing};
use tunbridge::{Error, Timings};

use super::{print, print_json};
use crate::args::{Common, refuse};
use crate::figures::{count, number, probability, signed};
use crate::lists::items;
use crate::loss::{decision_object, decision_table};
use crate::plot::{self, Figure, Series, Stroke};
use crate::progress::remark;
use crate::report::{Align, may_colour, table, terminal_width};
use crate::weigh_args::WeighArgs;
use crate::{Failure, json};

pub fn run(args: &WeighArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    let start = Instant::now();
    let of_hypotheses = [
        ("--prior", !args.prior.is_empty()),
        ("--likelihood", !args.likelihood.is_empty()),
        ("--total", !args.total.is_empty()),
        ("--observe", !args.observe.is_empty()),
        ("--predict", !args.predict.is_empty()),
        ("--simulate", args.simulate.is_some()),
        ("--plot", args.plot.is_some()),
    ];
    let outcome = if args.joint.is_some() {
        refuse(&[&of_hypotheses[..], &args.loss.given()].concat(), "does not go with --joint")?;
        super::joint::run(args, common)
    } else {
        let of_joint = [
            ("--probability", args.probability.is_some()),
            ("--of", !args.of.is_empty()),
            ("--given", !args.given.is_empty()),
            ("--either", !args.either.is_empty()),
        ];
        refuse(&of_joint, "goes with --joint")?;
        hypotheses(args, common)
    };
    timings.add("infer", start);
    outcome
}

fn hypotheses(args: &WeighArgs, common: &Common) -> Result<(), Failure> {
    args.read.not_of_files()?;
    let as_json = common.json()?;
    if let Some(path) = &args.plot {
        plot::check(path)?;
    }
    let (prior, likelihoods) = believed(args)?;
    let observed: Vec<String> = args.observe.iter().flat_map(|list| items(list)).collect();
    // A total is one of the prior, before anything was observed.
    let rows = observed.iter().map(|outcome| likelihoods.of(outcome, &prior)).collect::<Result<Vec<_>, _>>().map_err(Error::from)?;
    let steps = prior.weigh_in_turn(observed.iter().map(String::as_str).zip(rows.iter().map(Vec::as_slice))).map_err(Error::from)?;
    let weighed = Weighed { prior: &prior, steps: &steps };
    if let Some(path) = &args.plot {
        plot::write(path, &plot::svg(&weighed.figure("Belief after each observation")))?;
        remark(common, &format!("wrote {}", path.display()));
    }
    let predictions = predictions(args, &prior)?;
    let losses = args.loss.table(prior.names())?;
    if as_json {
        let mut object = weighed.object();
        if let Some(predictions) = &predictions {
            object["classification"] = classification_object(predictions, weighed.posterior())?;
            if let Some(n) = args.simulate {
                object["classification"]["simulated"] = simulated_object(predictions, weighed.posterior(), n, common.seed)?;
            }
        }
        if let Some(losses) = &losses {
            object["decision"] = decision_object(losses, &losses.decide(weighed.posterior().p()).map_err(Error::from)?);
        }
        return print_json(&object);
    }
    let mut text = if common.trace { weighed.traced() } else { String::new() };
    text += &weighed.text();
    if let Some(predictions) = &predictions {
        let _ = write!(text, "\n{}", classification(predictions, weighed.posterior())?);
        if let Some(n) = args.simulate {
            let _ = write!(text, "\n{}", simulated(predictions, weighed.posterior(), n, common.seed)?);
        }
    }
    if let Some(losses) = &losses {
        let _ = write!(text, "\n{}", decision_table(losses, &losses.decide(weighed.posterior().p()).map_err(Error::from)?));
    }
    print(&text)
}

/// The hypotheses with their priors, in the order they are first named, and the likelihoods.
fn believed(args: &WeighArgs) -> Result<(Hypotheses, Likelihoods), Failure> {
    let mut given: Vec<(String, Option<f64>)> = Vec::new();
    for item in args.prior.iter().flat_map(|list| items(list)) {
        let (name, p) = assigned("--prior", &item, "cancer=0.008")?;
        given.push((name, Some(p)));
    }
    let mut said = Vec::new();
    for item in args.likelihood.iter().flat_map(|list| items(list)) {
        let (names, p) = assigned("--likelihood", &item, "+|cancer=0.98")?;
        let (outcome, hypothesis) = conditional("--likelihood", &names, "+|cancer=0.98")?;
        if !given.iter().any(|(name, _)| *name == hypothesis) {
            given.push((hypothesis.clone(), None));
        }
        said.push((outcome, hypothesis, p));
    }
    for item in args.predict.iter().flat_map(|list| items(list)) {
        let (_, hypothesis, _) = predicted(&item)?;
        if !given.iter().any(|(name, _)| *name == hypothesis) {
            given.push((hypothesis, None));
        }
    }
    if given.is_empty() {
        return Err(Failure::Usage("there are no hypotheses: name them with --prior, as in --prior cancer=0.008".into()));
    }
    // One that nobody names is the rest, as `not` is of a single one.
    let sum: f64 = given.iter().filter_map(|(_, p)| *p).sum();
    if given.len() == 1 && sum < 1.0 && given[0].1.is_some() {
        given.push((format!("not {}", given[0].0), None));
    }
    let prior = Hypotheses::new(given).map_err(Error::from)?;
    let mut likelihoods = Likelihoods::new(prior.names().len());
    for (outcome, hypothesis, p) in &said {
        let place = prior.find(hypothesis).ok_or_else(|| Error::Internal(format!("`{hypothesis}` was lost")))?;
        likelihoods.say(outcome, (place, hypothesis), *p).map_err(Error::from)?;
    }
    for item in args.total.iter().flat_map(|list| items(list)) {
        let (outcome, p) = assigned("--total", &item, "s=0.01")?;
        likelihoods.say_total(&outcome, p).map_err(Error::from)?;
    }
    Ok((prior, likelihoods))
}

fn predictions(args: &WeighArgs, prior: &Hypotheses) -> Result<Option<Predictions>, Failure> {
    let mut values: Vec<String> = Vec::new();
    let mut said = Vec::new();
    for item in args.predict.iter().flat_map(|list| items(list)) {
        let (value, hypothesis, p) = predicted(&item)?;
        if !values.contains(&value) {
            values.push(value.clone());
        }
        said.push((value, hypothesis, p));
    }
    if said.is_empty() {
        return Ok(None);
    }
    let mut p = vec![vec![0.0; values.len()]; prior.names().len()];
    let mut met = std::collections::HashSet::new();
    for (value, hypothesis, of_value) in &said {
        let (row, column) = (prior.find(hypothesis).unwrap_or(0), values.iter().position(|known| known == value).unwrap_or(0));
        if !met.insert((row, column)) {
            return Err(Failure::Usage(format!("--predict `{value}|{hypothesis}` is there twice")));
        }
        p[row][column] = *of_value;
    }
    for (name, row) in prior.names().iter().zip(&p) {
        let sum: f64 = row.iter().sum();
        if (sum - 1.0).abs() > 1e-6 {
            let what = format!("what `{name}` predicts sums to {}, not to 1", number(sum));
            return Err(Error::Unfit { what, hint: Some("say what every hypothesis predicts, as in --predict '+|h1,-|h2'".into()) }.into());
        }
    }
    Ok(Some(Predictions::new(values, p).map_err(Error::from)?))
}

/// `NAME=P`.
fn assigned(flag: &str, item: &str, example: &str) -> Result<(String, f64), Failure> {
    let bad = |what: &str| Failure::Usage(format!("{flag} `{item}`: {what}, as in {example}"));
    let (name, p) = item.rsplit_once('=').ok_or_else(|| bad("write a name, `=` and a probability"))?;
    let p = share(p).ok_or_else(|| bad("what is behind `=` is no number; write 0.008, 0.8% or 1/125"))?;
    if name.trim().is_empty() { Err(bad("there is no name")) } else { Ok((name.trim().into(), p)) }
}

/// `OUTCOME|NAME`.
fn conditional(flag: &str, names: &str, example: &str) -> Result<(String, String), Failure> {
    let bad = || Failure::Usage(format!("{flag} `{names}`: write an outcome, `|` and a hypothesis, as in {example}"));
    let (outcome, hypothesis) = names.rsplit_once('|').ok_or_else(bad)?;
    let (outcome, hypothesis) = (outcome.trim(), hypothesis.trim());
    if outcome.is_empty() || hypothesis.is_empty() { Err(bad()) } else { Ok((outcome.into(), hypothesis.into())) }
}

/// `VALUE|NAME`, or `VALUE|NAME=P`.
fn predicted(item: &str) -> Result<(String, String, f64), Failure> {
    if item.contains('=') {
        let (names, p) = assigned("--predict", item, "+|h1=0.9")?;
        let (value, hypothesis) = conditional("--predict", &names, "+|h1=0.9")?;
        return Ok((value, hypothesis, p));
    }
    let (value, hypothesis) = conditional("--predict", item, "+|h1")?;
    Ok((value, hypothesis, 1.0))
}

/// A number as people write shares: 0.008, 0.8%, 1/125.
pub fn share(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    if let Some(percent) = text.strip_suffix('%') {
        return Some(plain(percent)? / 100.0);
    }
    match text.split_once('/') {
        Some((above, below)) => Some(plain(above)? / plain(below)?).filter(|x| x.is_finite()),
        None => plain(text),
    }
}

/// Fewer observations are told by their table.
const WORTH_DRAWING: usize = 3;

/// All observations together, and step by step.
struct Weighed<'w> {
    prior: &'w Hypotheses,
    steps: &'w [Weighing],
}

impl Weighed<'_> {
    fn posterior(&self) -> &Hypotheses {
        self.steps.last().map_or(self.prior, Weighing::posterior)
    }

    /// The product of the likelihoods of a hypothesis.
    fn likelihood(&self, hypothesis: usize) -> f64 {
        self.steps.iter().map(|step| step.likelihood(hypothesis)).product()
    }

    fn ln_p_observed(&self) -> f64 {
        self.steps.iter().map(Weighing::ln_p_observed).sum()
    }

    fn p_observed(&self) -> f64 {
        if let [step] = self.steps { step.p_observed() } else { self.ln_p_observed().exp() }
    }

    /// The same for people; what is too small to be written by its logarithm.
    fn p_observed_text(&self) -> String {
        if self.p_observed() > 0.0 { number(self.p_observed()) } else { format!("e^{}", signed(self.ln_p_observed(), 1)) }
    }

    fn observed(&self) -> String {
        const MOST_NAMED: usize = 5;
        if self.steps.len() > MOST_NAMED {
            return format!("{} observations", self.steps.len());
        }
        self.steps.iter().map(Weighing::observed).collect::<Vec<_>>().join(", ")
    }

    fn greatest(&self, of: impl Fn(usize) -> f64) -> &str {
        let places = 0..self.prior.names().len();
        let best = places.reduce(|best, place| if of(place) > of(best) { place } else { best }).unwrap_or(0);
        &self.prior.names()[best]
    }

    fn map(&self) -> &str {
        self.greatest(|place| self.posterior().p()[place])
    }

    fn ml(&self) -> &str {
        self.greatest(|place| self.steps.iter().map(|step| step.ln_likelihood()[place]).sum())
    }

    fn object(&self) -> Value {
        let mut hypotheses = Map::new();
        for (place, name) in self.prior.names().iter().enumerate() {
            let mut of = json!({"prior": json::real(self.prior.p()[place])});
            if !self.steps.is_empty() {
                of["likelihood"] = json::real(self.likelihood(place));
                of["joint"] = json::real(self.prior.p()[place] * self.likelihood(place));
            }
            of["posterior"] = json::real(self.posterior().p()[place]);
            hypotheses.insert(name.clone(), of);
        }
        let mut object = json!({"hypotheses": hypotheses});
        if !self.steps.is_empty() {
            object["observed"] = json!(self.steps.iter().map(Weighing::observed).collect::<Vec<_>>());
            object["p_observed"] = json::real(self.p_observed());
            object["log_p_observed"] = json::real(self.ln_p_observed());
        }
        object["map"] = json!(self.map());
        if !self.steps.is_empty() {
            object["ml"] = json!(self.ml());
        }
        if self.steps.len() > 1 {
            let step = |step: &Weighing| {
                let posterior: Map<String, Value> =
                    step.posterior().names().iter().cloned().zip(step.posterior().p().iter().map(|p| json::real(*p))).collect();
                json!({"observed": step.observed(), "p_observed": json::real(step.p_observed()), "posterior": posterior})
            };
            object["steps"] = json!(self.steps.iter().map(step).collect::<Vec<_>>());
        }
        object
    }

    fn text(&self) -> String {
        if self.steps.is_empty() {
            let rows: Vec<Vec<String>> =
                self.prior.names().iter().zip(self.prior.p()).map(|(name, p)| vec![name.clone(), number(*p)]).collect();
            return table(&["hypothesis", "probability"], &[Align::Left, Align::Right], &rows);
        }
        let observed = self.observed();
        let rows = (0..self.prior.names().len()).map(|place| {
            let (prior, likelihood) = (self.prior.p()[place], self.likelihood(place));
            let after = self.posterior().p()[place];
            vec![self.prior.names()[place].clone(), number(prior), number(likelihood), number(prior * likelihood), probability(after)]
        });
        let mut rows: Vec<Vec<String>> = rows.collect();
        rows.push(vec!["together".into(), "1".into(), String::new(), self.p_observed_text(), "1".into()]);
        let header = ["hypothesis", "prior", &format!("P({observed} | it)"), "joint", "posterior"];
        let right = [Align::Left, Align::Right, Align::Right, Align::Right, Align::Right];
        let mut text = table(&header, &right, &rows);
        let _ = writeln!(text, "\nP({observed}) = {}, the sum of the joint probabilities", self.p_observed_text());
        let _ = writeln!(text, "most probable now (MAP): {}; makes what was observed most likely (ML): {}", self.map(), self.ml());
        if self.steps.len() > 1 {
            let _ = write!(text, "\nStep by step, each observation independent of the others under a hypothesis\n{}", self.evolution());
        }
        if self.steps.len() >= WORTH_DRAWING {
            let colour = may_colour() && std::io::stdout().is_terminal();
            let _ = write!(text, "\n{}", plot::terminal(&self.figure(""), terminal_width().min(80), 12, colour));
        }
        text
    }

    /// The probability of each hypothesis before and after each observation.
    fn figure(&self, title: &str) -> Figure {
        let of_step = |nth: usize| if nth == 0 { self.prior } else { self.steps[nth - 1].posterior() };
        let series = self.prior.names().iter().enumerate().map(|(place, name)| Series {
            name: name.clone(),
            points: (0..=self.steps.len()).map(|nth| [nth as f64, of_step(nth).p()[place]]).collect(),
            stroke: [Stroke::Solid, Stroke::Dashed, Stroke::Dotted][place % 3],
            colour: place,
        });
        Figure {
            title: title.into(),
            x_label: "observations".into(),
            y_label: "probability".into(),
            series: series.collect(),
            y_most: Some(1.0),
            ..Figure::default()
        }
    }

    /// The posterior after each observation.
    fn evolution(&self) -> String {
        let line = |what: &str, believed: &Hypotheses| {
            std::iter::once(what.to_string()).chain(believed.p().iter().map(|p| probability(*p))).collect::<Vec<_>>()
        };
        let mut rows = vec![line("before", self.prior)];
        rows.extend(self.steps.iter().map(|step| line(step.observed(), step.posterior())));
        let header: Vec<&str> = std::iter::once("observed").chain(self.prior.names().iter().map(String::as_str)).collect();
        let align: Vec<Align> = std::iter::once(Align::Left).chain(header[1..].iter().map(|_| Align::Right)).collect();
        table(&header, &align, &rows)
    }

    /// Bayes' theorem, hypothesis by hypothesis and step by step, as a textbook writes it.
    fn traced(&self) -> String {
        let mut text = String::new();
        for step in self.steps {
            let observed = step.observed();
            for (place, name) in step.prior().names().iter().enumerate() {
                let (prior, likelihood, joint) = (step.prior().p()[place], step.likelihood(place), step.joint(place));
                let _ = writeln!(text, "P({observed} | {name}) P({name}) = {} · {} = {}", number(likelihood), number(prior), number(joint));
            }
            let parts: Vec<String> = (0..step.prior().names().len()).map(|place| number(step.joint(place))).collect();
            let _ = writeln!(text, "P({observed}) = {} = {}", parts.join(" + "), number(step.p_observed()));
            for (place, name) in step.prior().names().iter().enumerate() {
                let (joint, total) = (number(step.joint(place)), number(step.p_observed()));
                let _ = writeln!(text, "P({name} | {observed}) = {joint} / {total} = {}", probability(step.posterior().p()[place]));
            }
            text.push('\n');
        }
        text
    }
}

fn classification(predictions: &Predictions, believed: &Hypotheses) -> Result<String, Failure> {
    let (best, p) = predictions.bayes_optimal(believed).map_err(Error::from)?;
    let gibbs = predictions.gibbs(believed).map_err(Error::from)?;
    let map = predictions.by_map(believed).map_err(Error::from)?;
    let rows: Vec<Vec<String>> = predictions
        .values()
        .iter()
        .enumerate()
        .map(|(place, value)| vec![value.clone(), probability(p[place]), probability(gibbs[place])])
        .collect();
    let right = [Align::Left, Align::Right, Align::Right];
    let mut text = table(&["value", "by all hypotheses", "said by Gibbs"], &right, &rows);
    let _ = writeln!(
        text,
        "\nBayes-optimal: {}; by the most probable hypothesis (MAP): {}",
        predictions.values()[best],
        predictions.values()[map]
    );
    let wrong: f64 = p.iter().zip(&gibbs).map(|(p, says)| says * (1.0 - p)).sum();
    let _ = writeln!(text, "wrong with probability {} (Bayes-optimal) and {} (Gibbs)", probability(1.0 - p[best]), probability(wrong));
    Ok(text)
}

/// How often both classifiers erred in drawn worlds, and what that should be.
fn simulated(predictions: &Predictions, believed: &Hypotheses, n: u32, seed: u64) -> Result<String, Failure> {
    let errors = predictions.simulate(believed, u64::from(n), seed).map_err(Error::from)?;
    let [(optimal, of_optimal), (gibbs, of_gibbs)] = errors.shares();
    let row = |name: &str, n: u64, share: f64, error: f64| vec![name.to_string(), count(n as f64), probability(share), probability(error)];
    let rows = [row("Bayes-optimal", errors.bayes_optimal, optimal, of_optimal), row("Gibbs", errors.gibbs, gibbs, of_gibbs)];
    let right = [Align::Left, Align::Right, Align::Right, Align::Right];
    let drawn = format!("{} worlds, seed {seed}", count(f64::from(n)));
    let mut text = table(&[&drawn, "wrong", "share", "standard error"], &right, &rows);
    let times = if optimal > 0.0 {
        format!("{} times as often as the Bayes-optimal one", number(gibbs / optimal))
    } else {
        "as the share says".into()
    };
    let bound = match predictions.is_sure(believed).map_err(Error::from)? {
        true => "at most twice as often is the bound",
        false => "there is no bound of twice as often, for not every hypothesis is sure of its value",
    };
    let _ = writeln!(text, "\nthe Gibbs classifier was wrong {times}; {bound}");
    Ok(text)
}

fn simulated_object(predictions: &Predictions, believed: &Hypotheses, n: u32, seed: u64) -> Result<Value, Failure> {
    let errors = predictions.simulate(believed, u64::from(n), seed).map_err(Error::from)?;
    let [(optimal, of_optimal), (gibbs, of_gibbs)] = errors.shares();
    let of = |n: u64, share: f64, error: f64| json!({"wrong": n, "share": json::real(share), "standard_error": json::real(error)});
    Ok(json!({
        "worlds": n,
        "seed": seed,
        "bayes_optimal": of(errors.bayes_optimal, optimal, of_optimal),
        "gibbs": of(errors.gibbs, gibbs, of_gibbs),
        "bound_holds": predictions.is_sure(believed).map_err(Error::from)?,
    }))
}

fn classification_object(predictions: &Predictions, believed: &Hypotheses) -> Result<Value, Failure> {
    let (best, p) = predictions.bayes_optimal(believed).map_err(Error::from)?;
    let gibbs = predictions.gibbs(believed).map_err(Error::from)?;
    let map = predictions.by_map(believed).map_err(Error::from)?;
    let by_value = |p: &[f64]| predictions.values().iter().cloned().zip(p.iter().map(|p| json::real(*p))).collect::<Map<_, _>>();
    Ok(json!({
        "bayes_optimal": predictions.values()[best],
        "probability": by_value(&p),
        "by_map": predictions.values()[map],
        "gibbs": by_value(&gibbs),
    }))
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn shares_are_read_as_people_write_them() {
        assert_eq!(["0.008", "0.8%", "1/125", " 1 / 4 "].map(|text| share(text).unwrap()), [0.008, 0.008, 0.008, 0.25]);
        assert!(["", "x", "1/0", "nan", "inf", "1/2/3", "%"].iter().all(|text| share(text).is_none()));
    }
}
