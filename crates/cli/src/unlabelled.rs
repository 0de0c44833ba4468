//! Rows without a class on the command line: how they are asked for, how EM's steps are told, and what they were.

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};
use tunbridge::belief::{Climb, Kind, Role, Variable};
use tunbridge::learners::{EvidenceValue, TellingEvidence};
use tunbridge::{ComponentPlan, FromUnlabelled, NaiveBayesModel, OnStep, Unlabelled};

use crate::args::{Common, refuse};
use crate::figures::{count, number, of};
use crate::report::{self, Align, table};
use crate::verbs::learn::bin_words;
use crate::{Failure, json, lists};

/// How rows without a class are learned from.
#[derive(Args, Clone)]
#[command(next_help_heading = "Rows without a class")]
pub struct UnlabelledArgs {
    /// Learn from rows without a class too, by EM: those of the data, and those of a file or folder if one is named, whose classes are
    /// not looked at; may be repeated
    #[arg(long, value_name = "DATA", num_args = 0..=1)]
    pub unlabelled: Option<Vec<PathBuf>>,
    /// What such a row counts beside one with a class [default: chosen by leave-one-out on the latter]
    #[arg(long, value_name = "LAMBDA")]
    pub unlabelled_weight: Option<f64>,
    /// Stop EM after so many steps; fewer is early stopping [default: 100]
    #[arg(long, value_name = "N")]
    pub em_steps: Option<usize>,
    /// Stop EM when the log posterior rises by no more than this per row [default: 1e-6]
    #[arg(long, value_name = "RISE")]
    pub em_tolerance: Option<f64>,
    /// Give each row whole to its most probable class, instead of sharing it
    #[arg(long)]
    pub em_hard: bool,
    /// Make every class a mixture of so many components, or only those named: `3`, or `other=10`; goes without --unlabelled too
    #[arg(long, value_name = "N|CLASS=N,…", value_parser = component_plan)]
    pub components: Option<ComponentPlan>,
}

/// `3`, or `other=10,news=2`.
fn component_plan(text: &str) -> Result<ComponentPlan, String> {
    let number = |text: &str| text.trim().parse().ok().filter(|n: &u32| *n > 0).ok_or(format!("`{text}` is no number of components"));
    if !text.contains('=') {
        return Ok(ComponentPlan { each: number(text)?, of_class: Vec::new() });
    }
    let mut plan = ComponentPlan { each: 1, of_class: Vec::new() };
    for item in lists::items(text) {
        let (class, n) = item.rsplit_once('=').ok_or(format!("`{item}` is not CLASS=N"))?;
        if plan.of_class.iter().any(|(name, _)| name == class) {
            return Err(format!("`{class}` is named twice"));
        }
        plan.of_class.push((class.into(), number(n)?));
    }
    Ok(plan)
}

impl UnlabelledArgs {
    /// Each flag, with whether it is given.
    pub fn given(&self) -> [(&'static str, bool); 6] {
        [
            ("--unlabelled", self.unlabelled.is_some()),
            ("--components", self.components.is_some()),
            ("--unlabelled-weight", self.unlabelled_weight.is_some()),
            ("--em-steps", self.em_steps.is_some()),
            ("--em-tolerance", self.em_tolerance.is_some()),
            ("--em-hard", self.em_hard),
        ]
    }

    /// What is asked for, if anything is.
    pub fn plan(&self, common: &Common, seed: u64) -> Result<Option<Unlabelled>, Failure> {
        // A mixture of one component is the class itself.
        let is_mixture = |plan: &&ComponentPlan| plan.each > 1 || !plan.of_class.is_empty();
        let components = self.components.as_ref().filter(is_mixture);
        if self.unlabelled.is_none() {
            let has_components = components.is_some();
            let em = if has_components { &self.given()[2..3] } else { &self.given()[2..] };
            refuse(em, "goes with --unlabelled")?;
            if !has_components {
                return Ok(None);
            }
        }
        let bad = |flag: &str, what: &str| Err(Failure::Usage(format!("{flag} must be {what}")));
        if self.unlabelled_weight.is_some_and(|lambda| !(0.0..=1e6).contains(&lambda)) {
            return bad("--unlabelled-weight", "a number from 0 to 1e6");
        }
        if self.em_steps == Some(0) {
            return bad("--em-steps", "at least 1");
        }
        if self.em_tolerance.is_some_and(|rise| !(rise >= 0.0 && rise.is_finite())) {
            return bad("--em-tolerance", "a number of at least 0");
        }
        let default = Climb::default();
        let climb = Climb {
            most_steps: self.em_steps.unwrap_or(default.most_steps),
            least_rise: self.em_tolerance.unwrap_or(default.least_rise),
            ..default
        };
        let on_step: OnStep =
            Arc::new(|lambda, nth, ln| report::tell(&format!("EM, weight {}: step {nth}, log posterior {ln:.4}", number(lambda))));
        let tells = common.trace || !common.quiet && std::io::stderr().is_terminal();
        Ok(Some(Unlabelled {
            paths: self.unlabelled.clone().unwrap_or_default(),
            // Rows without a class that nobody asked for count nothing.
            lambda: if self.unlabelled.is_some() { self.unlabelled_weight } else { Some(0.0) },
            climb,
            hard: self.em_hard,
            components: components.cloned(),
            seed,
            on_step: tells.then_some(on_step),
        }))
    }
}

/// What EM has learned, in a few lines.
pub fn summary(from: &FromUnlabelled, classes: &[String]) -> String {
    let mut lines = Vec::new();
    if let Some(components) = from.components() {
        let n_of_class = components.n_of_class();
        lines.push(match n_of_class {
            [n, others @ ..] if others.iter().all(|other| other == n) => format!("every class is a mixture of {n} components"),
            _ => {
                let several = classes.iter().zip(n_of_class).filter(|(_, n)| **n > 1);
                let named: Vec<String> = several.map(|(class, n)| format!("{class} of {n} components")).collect();
                format!("a mixture is {}", named.join(", "))
            }
        });
    }
    if from.n_rows > 0.0 && (from.lambda > 0.0 || from.components().is_none()) {
        let rows = of(from.n_rows, "row without a class was", "rows without a class were");
        lines.push(format!("{rows} learned from, each counting {} of one with a class", number(from.lambda)));
    }
    if let (Some(first), Some(last)) = (from.history.first(), from.history.last()) {
        let steps = of(from.history.len() as f64, "step", "steps");
        let ended = if from.converged { "" } else { ", and had not stopped rising" };
        lines
            .push(format!("EM took {steps}, and the log posterior rose from {:.2} to {:.2}{ended}", first.ln_posterior, last.ln_posterior));
    }
    lines.join(";\n") + "\n"
}

/// What was learned from rows without a class, for programs.
pub fn object(from: &FromUnlabelled, with_history: bool) -> Value {
    let mut object = json!({
        "rows": json::number(from.n_rows),
        "weight": json::real(from.lambda),
        "iterations": from.history.len(),
        "converged": from.converged,
        "log_posterior": from.history.iter().map(|step| json::real(step.ln_posterior)).collect::<Vec<_>>(),
    });
    if let Some(components) = from.components() {
        object["components"] = json!(components.n_of_class());
    }
    if with_history {
        object["history"] = json!(from.history.iter().map(|step| json!(step.evidence)).collect::<Vec<_>>());
    }
    object
}

/// A piece of evidence with its column; words of the only text, as in the paper's table, by themselves.
fn named(model: &NaiveBayesModel, piece: &TellingEvidence) -> String {
    let TellingEvidence { variable, value, .. } = piece;
    let is_word = |v: &&Variable| v.name == *variable && matches!(v.kind, Kind::Text(_));
    let inputs = || model.schema().variables().iter().filter(|v| v.role == Role::Input);
    match value {
        EvidenceValue::State(word) if inputs().count() == 1 && inputs().any(|v| is_word(&v)) => word.clone(),
        EvidenceValue::State(state) => format!("{variable} = {state}"),
        EvidenceValue::Bin { above, up_to } => format!("{variable} {}", bin_words(*above, *up_to)),
        EvidenceValue::Number { mean, sd, .. } => format!("{variable} {} ± {}", number(*mean), number(*sd)),
    }
}

/// Steps that have a place beside each other in a terminal.
const MOST_STEPS: usize = 5;

/// What told each class from the others at each step, as in table 3 of Nigam, McCallum, Thrun & Mitchell 2000.
pub fn history(model: &NaiveBayesModel, top: usize, most_classes: usize) -> Result<String, Failure> {
    let Some(from) = model.unlabelled() else {
        return Err(Failure::Fault(tunbridge::Error::Unfit {
            what: "the model has learned from no rows without a class: it has no history".into(),
            hint: Some("learn with --unlabelled".into()),
        }));
    };
    let last = from.history.len().saturating_sub(1);
    // The first steps change most, and the last is where it ended.
    let shown: Vec<usize> = (0..=last).filter(|step| *step + 1 < MOST_STEPS || *step == last).collect();
    let mut text = summary(from, model.classes());
    let mut steps: Vec<Vec<String>> = Vec::new();
    for (nth, step) in from.history.iter().enumerate() {
        steps.push(vec![count(nth as f64), format!("{:.4}", step.ln_posterior)]);
    }
    let _ = writeln!(text, "\n{}", table(&["step", "log posterior"], &[Align::Right, Align::Right], &steps));
    for class in model.classes().iter().take(most_classes) {
        let of_step = |step: &usize| {
            let found = from.history.get(*step)?.evidence.iter().find(|evidence| evidence.class == *class)?;
            Some(found.evidence.iter().take(top).map(|piece| named(model, piece)).collect::<Vec<_>>())
        };
        let columns: Vec<Vec<String>> = shown.iter().map(|step| of_step(step).unwrap_or_default()).collect();
        let cell = |column: &Vec<String>, row: usize| column.get(row).cloned().unwrap_or_default();
        let longest = columns.iter().map(Vec::len).max().unwrap_or(0);
        let rows: Vec<Vec<String>> = (0..longest).map(|row| columns.iter().map(|column| cell(column, row)).collect()).collect();
        let header: Vec<String> = shown.iter().map(|step| format!("step {step}")).collect();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let _ = writeln!(text, "{} = {class}, the most telling first", model.posterior().target());
        let _ = writeln!(text, "{}", table(&header, &vec![Align::Left; header.len()], &rows));
    }
    let more = model.classes().len().saturating_sub(most_classes);
    if more > 0 {
        let _ = writeln!(text, "  … and {}; --all lists them", of(more as f64, "more class", "more classes"));
    }
    Ok(text)
}
