//! `explain`: the log-odds ledger of one row, in words and as numbers.

use std::fmt::Write;
use std::time::Instant;

use serde_json::{Value, json};
use tunbridge::belief::{VarId, log_sum_exp};
use tunbridge::data::{Table, UnknownStates};
use tunbridge::learners::{Contest, Ledger, Unit, Weighed};
use tunbridge::{Case, Error, NaiveBayesModel, StateBelief, Timings};

use super::learn::bin_words;
use super::{case_of, is_case, load, print, print_json, tell_stale};
use crate::args::{Common, ExplainArgs, UnitArg, UnknownArg, refuse};
use crate::figures::{number, probability};
use crate::progress::{self, remark};
use crate::report::{self, Align, table};
use crate::{Failure, json};

pub fn run(args: &ExplainArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    let as_json = common.json()?;
    if let (Some(class), Some(against)) = (&args.class, &args.against)
        && class == against
    {
        return Err(Failure::Usage(format!("--class and --against both name `{class}`, which cannot be weighed against itself")));
    }
    let one_case = is_case(&args.inputs)?;
    let model = load(&args.model, timings)?;
    tell_stale(&model, common);
    let start = Instant::now();
    let case = if one_case {
        refuse(&[("--row", args.row.is_some())], "is for files, and this is one case")?;
        case_of(&args.inputs, &model, &args.read, UnknownArg::Missing, common)?
    } else {
        row_of_files(args, common, &model)?
    };
    let place = |class: &Option<String>| -> Result<Option<usize>, Failure> {
        let Some(class) = class else { return Ok(None) };
        let found = model.schema().states(model.statistic().target()).and_then(|states| states.find(class));
        let known = model.classes().join(", ");
        found.map(Some).ok_or_else(|| {
            Failure::Fault(Error::Unfit {
                what: format!("`{class}` is no class of the model"),
                hint: Some(format!("its classes are: {known}")),
            })
        })
    };
    // The class that `classify` gives, which a calibration may have changed.
    let answer = case.lend(|row| model.answer(row))?;
    let mut contest = Contest { class: place(&args.class)?, against: place(&args.against)? };
    let predicted = answer.predicted[0].map(|class| class as usize);
    contest.class = contest.class.or(predicted.filter(|class| Some(*class) != contest.against));
    let ledger = case.lend(|row| model.posterior().explain(model.schema(), row, 0, contest)).map_err(Error::from)?;
    let p = |name: &str| model.classes().iter().position(|c| c == name).map(|i| answer.probability[i]);
    let calibrated = model.calibrator().and_then(|_| p(&ledger.class));
    let unit = match args.unit {
        UnitArg::Decibans => Unit::Decibans,
        UnitArg::Bits => Unit::Bits,
        UnitArg::Nats => Unit::Nats,
    };
    timings.add("infer", start);
    if as_json {
        return print_json(&object(&ledger, unit, args.unit, calibrated));
    }
    if common.trace {
        print(&products(&model, &case)?)?;
    }
    print(&text(&model, &ledger, unit, args.unit, calibrated))
}

/// A row of the files, as the model reads it; a state that it does not know is kept apart from a gap.
fn row_of_files(args: &ExplainArgs, common: &Common, model: &NaiveBayesModel) -> Result<Case, Failure> {
    let mut read = args.read.options(common);
    model.recipe().apply(&mut read);
    let _bar = progress::show(&mut read, common);
    let table = Table::open_as(&args.inputs, read, model.schema(), UnknownStates::Grow, true)?;
    let (case, report) = Case::of_row(&table, args.row.unwrap_or(1))?;
    table.remarks().iter().chain(&report::remarks(&report, model.schema())).for_each(|text| remark(common, text));
    Ok(case)
}

fn unit_word(unit: UnitArg) -> &'static str {
    match unit {
        UnitArg::Decibans => "decibans",
        UnitArg::Bits => "bits",
        UnitArg::Nats => "nats",
    }
}

fn text(model: &NaiveBayesModel, ledger: &Ledger, unit: Unit, word: UnitArg, calibrated: Option<f64>) -> String {
    let Some(p) = ledger.probability else {
        return format!(
            "This evidence has probability zero under the model: {} and {} are both impossible.\n",
            ledger.class, ledger.against
        );
    };
    let target = model.posterior().target();
    let said = probability(calibrated.unwrap_or(p));
    let mut out = format!("{target} = {} with probability {said}, against {}\n\n", ledger.class, ledger.against);
    let signed = |nats: f64| {
        let amount = unit.of_nats(nats);
        if amount.is_infinite() {
            if amount > 0.0 { "+∞".into() } else { "−∞".to_string() }
        } else {
            format!("{amount:+.2}").replace('-', "−")
        }
    };
    let chance = |ln: f64| if ln == f64::NEG_INFINITY { "0".to_string() } else { number(ln.exp()) };
    let mut rows = vec![vec!["before any evidence".to_string(), signed(ledger.prior_log_odds), String::new()]];
    for entry in &ledger.entries {
        let ratio = (entry.ln_given_class - entry.ln_given_against).exp();
        let words = if entry.log_odds == 0.0 {
            "says nothing between them".to_string()
        } else if ratio.is_infinite() || ratio == 0.0 {
            let (sure, never) = if ratio == 0.0 { (&ledger.against, &ledger.class) } else { (&ledger.class, &ledger.against) };
            format!("seen with {sure}, never with {never}")
        } else {
            let (times, which) = if ratio >= 1.0 { (ratio, &ledger.class) } else { (1.0 / ratio, &ledger.against) };
            format!(
                "{} times as likely under {which} ({} against {})",
                number(times),
                chance(entry.ln_given_class),
                chance(entry.ln_given_against)
            )
        };
        rows.push(vec![format!("{} {}", entry.variable, weighed(&entry.value)), signed(entry.log_odds), words]);
    }
    if let Some(total) = ledger.posterior_log_odds {
        rows.push(vec!["together".into(), signed(total), format!("odds of {}", number(total.exp()))]);
    }
    if let Some(calibrated) = calibrated {
        rows.push(vec!["calibrated".into(), String::new(), format!("probability {} becomes {}", probability(p), probability(calibrated))]);
    }
    out.push_str(&table(
        &["evidence", unit_word(word), &format!("for {}", ledger.class)],
        &[Align::Left, Align::Right, Align::Left],
        &rows,
    ));
    if ledger.entries.is_empty() {
        out.push_str("  Nothing in it says anything to the model: the class prior is the answer\n");
    }
    for left in &ledger.left_out {
        if left.why != tunbridge::learners::LeftOut::NotAnAttribute {
            let _ = writeln!(out, "  {} is left out: {}", left.variable, left.why);
        }
    }
    out
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

fn object(ledger: &Ledger, unit: Unit, word: UnitArg, calibrated: Option<f64>) -> Value {
    // JSON has no infinities; their signs matter here.
    let infinite = |nats: f64| match unit.of_nats(nats) {
        x if x == f64::INFINITY => json!("+inf"),
        x if x == f64::NEG_INFINITY => json!("-inf"),
        x => json::real(x),
    };
    let entries: Vec<Value> = ledger
        .entries
        .iter()
        .map(|e| {
            json!({"variable": e.variable, "value": e.value, "ln_given_class": json::real(e.ln_given_class),
                   "ln_given_against": json::real(e.ln_given_against), "contribution": infinite(e.log_odds)})
        })
        .collect();
    let left_out: Vec<Value> = ledger
        .left_out
        .iter()
        .filter(|l| l.why != tunbridge::learners::LeftOut::NotAnAttribute)
        .map(|l| json!({"variable": l.variable, "why": l.why.to_string()}))
        .collect();
    json!({
        "class": ledger.class,
        "against": ledger.against,
        "probability": ledger.probability,
        "probability_against": ledger.probability_against,
        "calibrated_probability": calibrated,
        "unit": unit_word(word),
        "prior": infinite(ledger.prior_log_odds),
        "entries": entries,
        "left_out": left_out,
        "posterior": ledger.posterior_log_odds.map(infinite),
    })
}

/// The products P(v) ∏ P(a | v) as a textbook writes them, class by class.
pub fn products(model: &NaiveBayesModel, case: &Case) -> Result<String, Failure> {
    let posterior = model.posterior();
    let contributions = case.lend(|row| posterior.contributions(row, 0)).map_err(Error::from)?;
    let mut out = String::new();
    let mut joint = Vec::new();
    for (class, name) in posterior.class_names().iter().enumerate() {
        let mut ln = posterior.ln_class_prior()[class];
        let mut factors = vec![format!("P({name}) = {}", number(ln.exp()))];
        for (place, (variable, found)) in model.schema().variables().iter().zip(&contributions).enumerate() {
            if let Some(found) = found {
                ln += found[class];
                let id = VarId::new(place);
                let value = case.state(model.schema(), id).map(String::from).or_else(|| case.number(id).map(number)).unwrap_or_default();
                let what = match (model.state_belief(id), case.number(id)) {
                    (StateBelief::Share, _) => format!("nearness to {name} in {} = {value}", variable.name),
                    // Of a bin there is a probability, of the number itself a density.
                    (_, Some(_)) if model.posterior().ln_state(id, 0).is_none() => {
                        format!("density of {} = {value} | {name}", variable.name)
                    }
                    (StateBelief::NoOther, _) => format!("P({} = {value} and no other | {name})", variable.name),
                    (StateBelief::Probability, _) => format!("P({} = {value} | {name})", variable.name),
                };
                factors.push(format!("{what} = {}", number(found[class].exp())));
            }
        }
        let _ = writeln!(out, "{}\n  product = {}", factors.join("\n  · "), number(ln.exp()));
        joint.push(ln);
    }
    let total = log_sum_exp(&joint);
    let _ = writeln!(out, "sum of the products = {}\n", number(total.exp()));
    Ok(out)
}
