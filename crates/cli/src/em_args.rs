//! Flags of `--structure` where values are missing: how what they are is looked for.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use tunbridge::interrupt::Listening;
use tunbridge::net::parameters::gradient_ascent::StepLength;
use tunbridge::network::{EmPlan, Method};

use crate::Failure;
use crate::args::Common;
use crate::figures::number;
use crate::lists::items;
use crate::report;
use crate::unlabelled::UnlabelledArgs;

/// How gaps are filled.
#[derive(Args, Clone)]
#[command(next_help_heading = "A network whose graph is known: missing values")]
pub struct EmArgs {
    /// What rows with gaps are worth: `em` infers what is missing, `whole` counts a row only in the tables of which it has all values [default: em]
    #[arg(long, value_enum, value_name = "HOW")]
    pub gaps: Option<GapsArg>,
    /// Variables without a column and how many states they have, as in 'Cause=3,Kind=2..5'; of a range the number is chosen by Cheeseman and
    /// Stutz's score, or by BIC with --estimate ml
    #[arg(long, value_name = "NAME=N[..M],…")]
    pub hidden: Vec<String>,
    /// How the best tables are looked for: em, squarem (longer steps), gradient[:ETA] (on the probabilities, as in the book), lbfgs (on their
    /// logits), stepwise[:KAPPA] (EM in batches) [default: em]
    #[arg(long, value_name = "HOW")]
    pub climb: Option<ClimbArg>,
    /// Climb from so many starts and keep the highest end [default: 1, with hidden variables 10]
    #[arg(long, value_name = "N")]
    pub em_starts: Option<usize>,
    /// Stop only when no probability changes by more than this [default: 1e-3]
    #[arg(long, value_name = "CHANGE")]
    pub em_change: Option<f64>,
    /// Save the model without the parts of rows with gaps: of single rows nothing but counts is then in it, and `update`, `merge` and `forget` cannot go
    /// over them again with EM [default: they are kept up to 64 MiB]
    #[arg(long)]
    pub drop_parts: bool,
}

/// When EM stops.
pub struct Steps {
    pub most: Option<usize>,
    pub tolerance: Option<f64>,
    pub change: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GapsArg {
    /// By EM
    Em,
    /// In whole families
    Whole,
}

#[derive(Clone, Copy)]
pub struct ClimbArg(Method);

impl FromStr for ClimbArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, amount) = text.split_once(':').map_or((text, None), |(word, amount)| (word, Some(amount)));
        let given = |default: f64| match amount {
            None => Ok(default),
            Some(amount) => {
                amount.parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0).ok_or(format!("`{amount}` is no number above 0"))
            }
        };
        Ok(Self(match word {
            "em" if amount.is_none() => Method::Em { accelerate: false },
            "squarem" if amount.is_none() => Method::Em { accelerate: true },
            "gradient" if amount.is_none() => Method::GradientAscent(StepLength::Halved),
            "gradient" => Method::GradientAscent(StepLength::Given(given(0.0)?)),
            "lbfgs" if amount.is_none() => Method::Lbfgs,
            "stepwise" => {
                let kappa = given(0.7)?;
                if !(kappa > 0.5 && kappa <= 1.0) {
                    return Err(format!("stepwise:{kappa}: KAPPA is above 0.5 and up to 1"));
                }
                Method::Stepwise { kappa }
            }
            _ => return Err("write em, squarem, gradient[:ETA], lbfgs or stepwise[:KAPPA]".into()),
        }))
    }
}

impl EmArgs {
    /// Each flag, with whether it is given.
    pub fn given(&self) -> [(&'static str, bool); 6] {
        [
            ("--gaps", self.gaps.is_some()),
            ("--hidden", !self.hidden.is_empty()),
            ("--climb", self.climb.is_some()),
            ("--em-starts", self.em_starts.is_some()),
            ("--em-change", self.em_change.is_some()),
            ("--drop-parts", self.drop_parts),
        ]
    }

    /// How many states hidden variables have.
    pub fn hidden(&self) -> Result<BTreeMap<String, RangeInclusive<usize>>, Failure> {
        const MOST: usize = 1000;
        let mut hidden = BTreeMap::new();
        for item in self.hidden.iter().flat_map(|list| items(list)) {
            let wrong = || Failure::Usage(format!("--hidden `{item}`: write NAME=N or NAME=N..M, as in Cause=2..5"));
            let (name, range) = item.rsplit_once('=').ok_or_else(wrong)?;
            let (from, to) = range.split_once("..").unwrap_or((range, range));
            let number = |text: &str| text.trim().parse::<usize>().ok().filter(|n| (1..=MOST).contains(n)).ok_or_else(wrong);
            let (from, to) = (number(from)?, number(to)?);
            if from > to || hidden.insert(name.trim().to_string(), from..=to).is_some() {
                return Err(wrong());
            }
        }
        Ok(hidden)
    }

    /// How gaps are to be filled; `None` where they are not.
    pub fn plan(&self, steps: &UnlabelledArgs, common: &Common, listening: Option<&Listening>) -> Result<Option<EmPlan>, Failure> {
        let mut plan = plan_of(&Steps { most: steps.em_steps, tolerance: steps.em_tolerance, change: self.em_change }, common, listening)?;
        if self.em_starts == Some(0) {
            return Err(bad("--em-starts", "at least 1"));
        }
        if self.gaps == Some(GapsArg::Whole) {
            let others = [
                ("--climb", self.climb.is_some()),
                ("--em-starts", self.em_starts.is_some()),
                ("--hidden", !self.hidden.is_empty()),
                ("--drop-parts", self.drop_parts),
            ];
            crate::args::refuse(&others, "goes with EM, and --gaps whole is without it")?;
            return Ok(None);
        }
        plan.method = self.climb.map_or_else(Method::default, |climb| climb.0);
        plan.n_starts = self.em_starts;
        if self.drop_parts {
            plan.kept_bytes = 0;
        }
        Ok(Some(plan))
    }
}

fn bad(flag: &str, what: &str) -> Failure {
    Failure::Usage(format!("{flag} must be {what}"))
}

/// How gaps are filled, with steps that are told and can be broken off.
pub fn plan_of(steps: &Steps, common: &Common, listening: Option<&Listening>) -> Result<EmPlan, Failure> {
    let default = EmPlan::default();
    let mut climb = default.climb;
    if let Some(most) = steps.most {
        climb.most_steps = Some(most).filter(|most| *most > 0).ok_or_else(|| bad("--em-steps", "at least 1"))?;
    }
    let amount = |flag: &str, given: Option<f64>, default: f64| match given {
        Some(amount) if !(amount >= 0.0 && amount.is_finite()) => Err(bad(flag, "a number of at least 0")),
        given => Ok(given.unwrap_or(default)),
    };
    climb.least_rise = amount("--em-tolerance", steps.tolerance, climb.least_rise)?;
    climb.least_change = amount("--em-change", steps.change, climb.least_change)?;
    // A trace tells every step, a terminal one now and then.
    let is_traced = common.trace;
    let tells = is_traced || !common.quiet && std::io::stderr().is_terminal();
    let told = Mutex::new(Instant::now());
    let on_step: tunbridge::network::OnStep = Arc::new(move |start, step, ln| {
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        if is_traced || told.elapsed() >= Duration::from_secs(1) {
            *told = Instant::now();
            report::tell(&format!("EM, start {}, step {}: log likelihood a row {}", start + 1, step + 1, number(ln)));
        }
    });
    Ok(EmPlan { climb, seed: common.seed, on_step: tells.then_some(on_step), stop: listening.map(Listening::flag), ..default })
}
