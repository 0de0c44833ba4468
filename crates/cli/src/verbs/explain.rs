//! `explain`: the log-odds ledger of one row, in words and as numbers.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::time::Instant;

use serde_json::{Value, json};
use tunbridge::belief::{Chunk, Kind, Schema, VarId, log_sum_exp};
use tunbridge::data::{Table, UnknownStates};
use tunbridge::learners::{Contest, Ledger, LedgerEntry, MixtureParts, TextEvent, Unit, Weighed};
use tunbridge::{Case, Classifier, Error, Highlighted, Model, NaiveBayesModel, Recipe, StateBelief, Timings, highlight};

use super::learn::bin_words;
use super::{case_of, is_case, load, print, print_json, tell_stale, unknown_kind};
use crate::args::{Common, ExplainArgs, Format, MarkArg, UnitArg, refuse};
use crate::document::{self, Marking};
use crate::figures::{number, number_of_ln, probability, signed};
use crate::html::{self, Page};
use crate::progress::{self, remark};
use crate::read_args::UnknownArg;
use crate::report::{self, Align, escaped, table};
use crate::{Failure, json};

pub fn run(args: &ExplainArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    let (as_json, as_html) = formats(common)?;
    if as_html {
        refuse(&[("--trace", common.trace), ("--mark", args.mark.is_some())], "does not go with --format html")?;
    }
    if as_json {
        refuse(&[("--mark", args.mark.is_some())], "is for people: leave --format json out")?;
    }
    if let (Some(class), Some(against)) = (&args.class, &args.against)
        && class == against
    {
        let class = escaped(class);
        return Err(Failure::Usage(format!("--class and --against both name `{class}`, which cannot be weighed against itself")));
    }
    let one_case = is_case(&args.inputs)?;
    let model = match load(&args.model, timings)? {
        Model::Labels(model) => return super::labels::explain(args, common, &model, one_case, timings),
        Model::Average(model) => return super::average::explain(args, common, &model, one_case, timings),
        Model::NaiveBayes(model) => *model,
        Model::Network(model) if model.target().is_none() => return Err(super::network::not_explained(args, &model, one_case)),
        Model::Network(model) => {
            let classifier = model.classifier(super::network::MEMORY)?;
            return in_turn(args, common, &classifier, one_case, timings, |row, contest| classifier.explain(row, 0, contest));
        }
        Model::Aode(model) => {
            return in_turn(args, common, model.as_ref(), one_case, timings, |row, contest| model.explain(row, 0, contest));
        }
        other => return Err(unknown_kind(&other)),
    };
    tell_stale(&model, common);
    let start = Instant::now();
    let read = (model.schema(), model.recipe());
    let case = explained(args, common, read, one_case)?;
    // The class that `classify` gives, which a calibration may have changed.
    let answer = case.lend(|row| model.answer(row))?;
    let contest = contest(args, model.classes(), answer.predicted[0])?;
    let ledger = case.lend(|row| model.explain(row, 0, contest))?;
    let p = |name: &str| model.classes().iter().position(|c| c == name).map(|i| answer.probability[i]);
    let calibrated = model.calibrator().and_then(|_| p(&ledger.class));
    timings.add("infer", start);
    if common.trace {
        print(&products(&model, &case)?)?;
    }
    let told = Told {
        target: model.posterior().target(),
        schema: model.schema(),
        recipe: model.recipe(),
        event: model.prior().text,
        ledger: &ledger,
        unit: args.unit,
        calibrated,
        besides: &[],
        averaged: None,
    };
    tell(&told, &case, args, common)
}

/// The ledger of a model in which attributes depend on each other: each is weighed given those before it.
fn in_turn(
    args: &ExplainArgs,
    common: &Common,
    model: &dyn Classifier,
    one_case: bool,
    timings: &mut Timings,
    explain: impl Fn(&Chunk<'_>, Contest) -> Result<Ledger, Error>,
) -> Result<(), Failure> {
    refuse(&[("--trace", common.trace)], "is for naive Bayes, whose evidence is a product")?;
    let start = Instant::now();
    let case = explained(args, common, (model.schema(), model.recipe()), one_case)?;
    let answer = case.lend(|row| model.answer(row))?;
    let contest = contest(args, model.classes(), answer.predicted[0])?;
    let ledger = case.lend(|row| explain(row, contest))?;
    timings.add("infer", start);
    let told = Told {
        target: model.target(),
        schema: model.schema(),
        recipe: model.recipe(),
        event: TextEvent::default(),
        ledger: &ledger,
        unit: args.unit,
        calibrated: None,
        averaged: None,
        besides: &[
            "what a column says is weighed given the columns before it; in another order it would be other numbers of the same sum".into()
        ],
    };
    tell(&told, &case, args, common)
}

/// The classes to weigh against each other: those that are named, and else the one that is predicted.
pub fn contest(args: &ExplainArgs, classes: &[String], predicted: Option<u32>) -> Result<Contest, Failure> {
    let place = |class: &Option<String>| -> Result<Option<usize>, Failure> {
        let Some(class) = class else { return Ok(None) };
        let found = classes.iter().position(|known| known == class);
        let (class, known) = (escaped(class), escaped(&classes.join(", ")));
        found.map(Some).ok_or_else(|| {
            Failure::Fault(Error::Unfit {
                what: format!("`{class}` is no class of the model"),
                hint: Some(format!("its classes are: {known}")),
            })
        })
    };
    let mut contest = Contest { class: place(&args.class)?, against: place(&args.against)? };
    contest.class = contest.class.or(predicted.map(|class| class as usize).filter(|class| Some(*class) != contest.against));
    Ok(contest)
}

/// Whether JSON is wanted, and whether a page.
pub fn formats(common: &Common) -> Result<(bool, bool), Failure> {
    match common.format {
        Some(Format::Html) => Ok((false, true)),
        None | Some(Format::Text | Format::Json) => Ok((common.json()?, false)),
        Some(_) => Err(Failure::Usage("explain prints --format text, json or html".into())),
    }
}

/// Prints a ledger: as JSON, as a page, or for people, with the words of texts marked.
pub fn tell(told: &Told<'_>, case: &Case, args: &ExplainArgs, common: &Common) -> Result<(), Failure> {
    let (as_json, as_html) = formats(common)?;
    if as_json {
        return print_json(&told.object());
    }
    let marking = if as_html { Some(Marking::Plain) } else { marking(args.mark) };
    let mut texts: Vec<Highlighted> = Vec::new();
    if marking.is_some() {
        for (id, marked) in case.marked_texts(&told.recipe.words)? {
            texts.push(highlight(told.ledger, &told.schema.variable(id).name, marked));
        }
    }
    print(&if as_html { told.page(&texts) } else { told.text(&texts, marking) })
}

/// How words are marked: as it is asked for, or as fits where they are printed.
fn marking(asked: Option<MarkArg>) -> Option<Marking> {
    match asked {
        Some(MarkArg::Colour) => Some(Marking::Colour),
        Some(MarkArg::Plain) => Some(Marking::Plain),
        Some(MarkArg::None) => None,
        None if !io::stdout().is_terminal() => None,
        None if report::may_colour() => Some(Marking::Colour),
        None => Some(Marking::Plain),
    }
}

/// What is to be explained: the case that is given, or a row of files.
pub fn explained(args: &ExplainArgs, common: &Common, read: (&Schema, &Recipe), one_case: bool) -> Result<Case, Failure> {
    if !one_case {
        return row_of_files(args, common, read);
    }
    refuse(&[("--row", args.row.is_some())], "is for files, and this is one case")?;
    case_of(&args.inputs, read, &args.read, UnknownArg::Missing, common)
}

/// A row of the files, as the model reads it; a state that it does not know is kept apart from a gap.
fn row_of_files(args: &ExplainArgs, common: &Common, (schema, recipe): (&Schema, &Recipe)) -> Result<Case, Failure> {
    let mut read = args.read.options(common);
    recipe.apply(&mut read);
    let _bar = progress::show(&mut read, common);
    let table = Table::open_as(&args.inputs, read, schema, UnknownStates::Apart, true)?;
    let (case, report) = Case::of_table(&table, args.row.unwrap_or(1))?;
    table.remarks().iter().chain(&report::remarks(&report, schema)).for_each(|text| remark(common, text));
    Ok(case)
}

fn unit_of(unit: UnitArg) -> Unit {
    match unit {
        UnitArg::Decibans => Unit::Decibans,
        UnitArg::Bits => Unit::Bits,
        UnitArg::Nats => Unit::Nats,
    }
}

fn unit_word(unit: UnitArg) -> &'static str {
    match unit {
        UnitArg::Decibans => "decibans",
        UnitArg::Bits => "bits",
        UnitArg::Nats => "nats",
    }
}

/// A ledger and what is needed to tell of it.
pub struct Told<'t> {
    /// The variable that is predicted.
    pub target: &'t str,
    pub schema: &'t Schema,
    pub recipe: &'t Recipe,
    /// What kind of event a text is.
    pub event: TextEvent,
    pub ledger: &'t Ledger,
    pub unit: UnitArg,
    pub calibrated: Option<f64>,
    /// What is to be known before all else.
    pub besides: &'t [String],
    /// The probability of the class where several models are averaged, of which the ledger is of one.
    pub averaged: Option<f64>,
}

impl Told<'_> {
    /// What a person reads.
    fn text(&self, texts: &[Highlighted], marking: Option<Marking>) -> String {
        let ledger = self.ledger;
        let mut out = format!("{}\n", self.headline());
        if ledger.probability.is_none() {
            return out;
        }
        out.push('\n');
        if let Some(marking) = marking {
            out.push_str(&document::shown(texts, ledger, unit_of(self.unit), unit_word(self.unit), marking));
        }
        let rows: Vec<Vec<String>> = self.lines().into_iter().map(|(cells, _)| cells).collect();
        let header = ["evidence", unit_word(self.unit), &format!("for {}", escaped(&ledger.class))];
        out.push_str(&table(&header, &[Align::Left, Align::Right, Align::Left], &rows));
        self.notes().iter().for_each(|note| out.push_str(&format!("  {}\n", escaped(note))));
        out
    }

    /// The same for programs.
    pub fn object(&self) -> Value {
        let Self { ledger, calibrated, .. } = *self;
        // JSON has no infinities; their signs matter here.
        let infinite = |nats: f64| match unit_of(self.unit).of_nats(nats) {
            x if x == f64::INFINITY => json!("+inf"),
            x if x == f64::NEG_INFINITY => json!("-inf"),
            x => json::real(x),
        };
        let entries: Vec<Value> = ledger
            .entries
            .iter()
            .map(|e| {
                let (of_class, of_against) = (json::real(e.ln_given_class), json::real(e.ln_given_against));
                if is_weight(self.event, e) {
                    return json!({"variable": e.variable, "value": e.value, "weight_for_class": of_class,
                              "weight_for_against": of_against, "contribution": infinite(e.log_odds)});
                }
                json!({"variable": e.variable, "value": e.value, "ln_given_class": of_class,
                   "ln_given_against": of_against, "contribution": infinite(e.log_odds)})
            })
            .collect();
        let left_out: Vec<Value> = ledger
            .left_out
            .iter()
            .filter(|l| l.why != tunbridge::learners::LeftOut::NotAnAttribute)
            .map(|l| json!({"variable": l.variable, "why": l.why.to_string()}))
            .collect();
        let mut object = json!({
            "class": ledger.class,
            "against": ledger.against,
            "probability": ledger.probability,
            "probability_against": ledger.probability_against,
            "calibrated_probability": calibrated,
            "unit": unit_word(self.unit),
            "prior": infinite(ledger.prior_log_odds),
            "entries": entries,
            "left_out": left_out,
            "posterior": ledger.posterior_log_odds.map(infinite),
        });
        if let Some(MixtureParts { of_class, of_against }) = ledger.mixture {
            object["component"] = json!({"of_class": of_class.0, "of_against": of_against.0});
        }
        object
    }

    /// The same as a page.
    fn page(&self, texts: &[Highlighted]) -> String {
        let lines = if self.ledger.probability.is_some() { self.lines() } else { Vec::new() };
        html::page(&Page {
            title: &self.title(),
            texts,
            ledger: self.ledger,
            unit: unit_of(self.unit),
            unit_word: unit_word(self.unit),
            lines: &lines,
            notes: &self.notes(),
        })
    }

    /// What the page begins with: the answer, also where the ledger is of one model of several.
    fn title(&self) -> String {
        let Some(p) = self.averaged else { return self.headline() };
        let Ledger { class, against, .. } = self.ledger;
        escaped(&format!("{} = {class} with probability {} by the average, against {against}", self.target, probability(p)))
    }

    fn headline(&self) -> String {
        let Ledger { class, against, .. } = self.ledger;
        let Some(p) = self.ledger.probability else {
            return escaped(&format!("This evidence has probability zero under the model: {class} and {against} are both impossible."));
        };
        let said = probability(self.calibrated.unwrap_or(p));
        escaped(&format!("{} = {class} with probability {said}, against {against}", self.target))
    }

    /// The ledger line by line: what, how much in words, what that means; and how much.
    fn lines(&self) -> Vec<(Vec<String>, Option<f64>)> {
        let ledger = self.ledger;
        let signed = |nats: f64| signed(unit_of(self.unit).of_nats(nats), 2);
        let line = |what: String, nats: f64, words: String| (vec![what, signed(nats), words], Some(nats));
        let mut lines = vec![line("before any evidence".into(), ledger.prior_log_odds, String::new())];
        for entry in &ledger.entries {
            let what = if entry.variable == self.target {
                "other components of the classes".into()
            } else {
                format!("{} {}", entry.variable, weighed(&entry.value))
            };
            lines.push(line(what, entry.log_odds, self.meaning(entry)));
        }
        if let Some(total) = ledger.posterior_log_odds {
            lines.push(line("together".into(), total, format!("odds of {}", number_of_ln(total))));
        }
        if let (Some(p), Some(calibrated)) = (ledger.probability, self.calibrated) {
            let becomes = format!("probability {} becomes {}", probability(p), probability(calibrated));
            lines.push((vec!["calibrated".into(), String::new(), becomes], None));
        }
        lines
    }

    /// What an entry means.
    fn meaning(&self, entry: &LedgerEntry) -> String {
        let Ledger { class, against, .. } = self.ledger;
        if entry.log_odds == 0.0 {
            return "says nothing between them".into();
        }
        if is_weight(self.event, entry) {
            return format!("weighs {} for {class}, {} for {against}", number(entry.ln_given_class), number(entry.ln_given_against));
        }
        let ln_ratio = entry.ln_given_class - entry.ln_given_against;
        if ln_ratio.is_infinite() {
            let (sure, never) = if ln_ratio < 0.0 { (against, class) } else { (class, against) };
            return format!("seen with {sure}, never with {never}");
        }
        let (times, which) = (number_of_ln(ln_ratio.abs()), if ln_ratio >= 0.0 { class } else { against });
        if self.is_factor(entry) || entry.variable == self.target {
            return format!("{times} times the odds for {which}");
        }
        let (of_class, of_against) = (number_of_ln(entry.ln_given_class), number_of_ln(entry.ln_given_against));
        format!("{times} times as likely under {which} ({of_class} against {of_against})")
    }

    /// Whether an entry is a factor of the odds and no probability by itself: words that are weighed, and words that come in bursts, of
    /// which the length of the text has its part.
    fn is_factor(&self, entry: &LedgerEntry) -> bool {
        let is_text = self.schema.find(&entry.variable).is_some_and(|id| matches!(self.schema.variable(id).kind, Kind::Text(_)));
        is_text && (self.event == TextEvent::DirichletCompound || !self.recipe.weighing.is_plain())
    }

    /// What is to be known besides.
    fn notes(&self) -> Vec<String> {
        let left_out = self.ledger.left_out.iter().filter(|left| left.why != tunbridge::learners::LeftOut::NotAnAttribute);
        let left_out = left_out.map(|left| format!("{} is left out: {}", left.variable, left.why));
        let mut notes: Vec<String> = self.besides.iter().cloned().chain(left_out).collect();
        if let Some(MixtureParts { of_class, of_against }) = self.ledger.mixture {
            let of =
                |(nth, n): (usize, usize), class: &str| if n > 1 { format!("component {nth} of {n} of {class}") } else { class.into() };
            let between = [of(of_class, &self.ledger.class), of(of_against, &self.ledger.against)].join(" against ");
            notes.push(format!("Classes are mixtures; the evidence is for the components that fit it best, {between}"));
        }
        if self.ledger.entries.is_empty() && self.ledger.probability.is_some() {
            notes.push("Nothing in it says anything to the model: the class prior is the answer".into());
        }
        if self.ledger.entries.iter().any(|entry| is_weight(self.event, entry)) {
            notes.push(
                "Words weigh by the complement, −ln P(word | all other classes): how rare they are elsewhere. Weights are compared; they are no \
                 probabilities, and what the model calls one is a share of their sums"
                    .into(),
            );
        }
        notes
    }
}

/// Whether an entry has weights of the complement rather than logarithms of probabilities.
fn is_weight(event: TextEvent, entry: &LedgerEntry) -> bool {
    matches!(entry.value, Weighed::Word { .. }) && matches!(event, TextEvent::Complement | TextEvent::NormalisedComplement)
}

pub fn weighed(value: &Weighed) -> String {
    match value {
        Weighed::State(state) => format!("= {state}"),
        Weighed::Number(x) => format!("= {}", number(*x)),
        Weighed::Word { word, times: 1 } => format!("has “{word}”"),
        Weighed::Word { word, times } => format!("has “{word}” {times} times"),
        Weighed::Bin { x, above, up_to } => format!("= {} ({})", number(*x), bin_words(*above, *up_to)),
    }
}

/// The products P(v) ∏ P(a | v) as a textbook writes them, class by class.
pub fn products(model: &NaiveBayesModel, case: &Case) -> Result<String, Failure> {
    // Of classes that are mixtures, component by component.
    let posterior = model.mixture().map_or(model.posterior(), |mixture| mixture.model());
    let contributions = case.lend(|row| posterior.contributions(row, 0)).map_err(Error::from)?;
    let mut out = String::new();
    let mut joint = Vec::new();
    for (class, name) in posterior.class_names().iter().enumerate() {
        let mut ln = posterior.ln_class_prior()[class];
        let name = escaped(name);
        let mut factors = vec![format!("P({name}) = {}", number(ln.exp()))];
        for (place, (variable, found)) in model.schema().variables().iter().zip(&contributions).enumerate() {
            if let Some(found) = found {
                ln += found[class];
                let id = VarId::new(place);
                let value = case.state(model.schema(), id).map(String::from).or_else(|| case.number(id).map(number)).unwrap_or_default();
                let is_text = matches!(variable.kind, Kind::Text(_));
                let what = match (model.state_belief(id), case.number(id)) {
                    (StateBelief::Share, _) if is_text => format!("e to the weights of {}'s words for {name}", variable.name),
                    _ if is_text => format!("P(words of {} | {name})", variable.name),
                    (StateBelief::Share, _) => format!("nearness to {name} in {} = {value}", variable.name),
                    // Of a bin there is a probability, of the number itself a density.
                    (_, Some(_)) if model.posterior().ln_state(id, 0).is_none() => {
                        format!("density of {} = {value} | {name}", variable.name)
                    }
                    (StateBelief::NoOther, _) => format!("P({} = {value} and no other | {name})", variable.name),
                    (StateBelief::Probability, _) => format!("P({} = {value} | {name})", variable.name),
                };
                factors.push(format!("{} = {}", escaped(&what), number(found[class].exp())));
            }
        }
        let _ = writeln!(out, "{}\n  product = {}", factors.join("\n  · "), number(ln.exp()));
        joint.push(ln);
    }
    let total = log_sum_exp(&joint);
    let _ = writeln!(out, "sum of the products = {}\n", number(total.exp()));
    Ok(out)
}
