//! Flags of `concept`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tunbridge::concept::ConceptOptions;
use tunbridge::learners::concept::{ConceptLearner, HypothesisPrior};

use crate::Failure;
use crate::args::{Common, refuse};
use crate::read_args::{ColumnArgs, ReadArgs};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  tunbridge concept examples/enjoy_sport.csv --target EnjoySport\n  tunbridge concept examples/enjoy_sport.csv --target EnjoySport --trace\n  tunbridge concept examples/enjoy_sport.csv --classify examples/new_sport_days.csv\n  tunbridge concept examples/enjoy_sport.csv Sky=Sunny AirTemp=Cold Humidity=Normal Wind=Strong Water=Warm Forecast=Same\n  tunbridge concept examples/enjoy_sport.csv --ask\n  tunbridge concept days.csv --target Play --noise 0.1"
)]
pub struct ConceptArgs {
    /// Files of examples with the same columns, - for standard input; behind them one new instance as NAME=VALUE …
    #[arg(required = true, value_name = "DATA | NAME=VALUE")]
    pub inputs: Vec<String>,
    /// The column that says whether a row is an example of the concept
    #[arg(short, long, value_name = "NAME")]
    pub target: Option<String>,
    /// The target's state that is the concept; all others are negative [default: the one that says yes, true, 1 or +]
    #[arg(long, value_name = "STATE")]
    pub positive: Option<String>,
    /// The learner [default: candidate-elimination]
    #[arg(short, long, visible_alias = "learner", value_enum, value_name = "LEARNER")]
    pub model: Option<LearnerArg>,
    /// Classify the rows of another file; may be repeated
    #[arg(long, value_name = "DATA")]
    pub classify: Vec<PathBuf>,
    /// Ask for the instance that halves the version space best, and go on until one hypothesis is left; `q` ends
    #[arg(long, conflicts_with_all = ["noise", "classify"])]
    pub ask: bool,
    /// The chance that a label is wrong, below 0.5: weigh all hypotheses instead of striking them out
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    pub noise: Option<f64>,
    /// What is believed of hypotheses before, with --noise [default: uniform]
    #[arg(long, value_enum, value_name = "PRIOR", requires = "noise")]
    pub prior: Option<PriorArg>,
    /// List the hypotheses of a version space of so many, or the most probable ones
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub list: usize,
    /// The most hypotheses the general boundary G may have [default: 4096]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub max_boundary: Option<usize>,
    /// The most hypotheses to go through one by one, with --noise and list-then-eliminate [default: 1000000]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub max_hypotheses: Option<usize>,
    #[command(flatten)]
    pub columns: ColumnArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LearnerArg {
    /// The version space by its boundaries S and G
    CandidateElimination,
    /// The version space as a list of all hypotheses less those that examples contradict
    ListThenEliminate,
    /// The least general hypothesis that covers the positive examples
    FindS,
    /// Every example by heart, and nothing else
    Rote,
    /// Any set of instances may be the concept: why a learner without bias cannot generalise
    Unbiased,
}

impl LearnerArg {
    /// The word for a learner, as it is written on the command line.
    pub fn word(learner: ConceptLearner) -> &'static str {
        match learner {
            ConceptLearner::CandidateElimination => "candidate-elimination",
            ConceptLearner::ListThenEliminate => "list-then-eliminate",
            ConceptLearner::FindS => "find-s",
            ConceptLearner::Rote => "rote",
            ConceptLearner::Unbiased => "unbiased",
        }
    }
}

impl From<LearnerArg> for ConceptLearner {
    fn from(arg: LearnerArg) -> Self {
        match arg {
            LearnerArg::CandidateElimination => ConceptLearner::CandidateElimination,
            LearnerArg::ListThenEliminate => ConceptLearner::ListThenEliminate,
            LearnerArg::FindS => ConceptLearner::FindS,
            LearnerArg::Rote => ConceptLearner::Rote,
            LearnerArg::Unbiased => ConceptLearner::Unbiased,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PriorArg {
    /// Each hypothesis as probable as any other
    Uniform,
    /// Half as probable for each value wider: then FIND-S finds the most probable one
    Specific,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "give a whole number from 1".into())
}

impl ConceptArgs {
    pub fn options(&self, common: &Common) -> Result<ConceptOptions, Failure> {
        let mut options =
            ConceptOptions { positive: self.positive.clone(), noise: self.noise, seed: common.seed, ..ConceptOptions::default() };
        options.read = self.read.options(common);
        self.columns.apply(&mut options.read, self.target.as_ref())?;
        options.learner = self.model.map(ConceptLearner::from).unwrap_or_default();
        let uses_boundary = self.noise.is_none() && options.learner == ConceptLearner::CandidateElimination;
        if !uses_boundary {
            refuse(&[("--max-boundary", self.max_boundary.is_some())], "is for --model candidate-elimination, and not with --noise")?;
            refuse(&[("--ask", self.ask)], "is for --model candidate-elimination, whose version space it halves")?;
        }
        if self.noise.is_some() {
            refuse(&[("--model", self.model.is_some())], "does not go with --noise, which weighs every hypothesis")?;
        } else if options.learner != ConceptLearner::ListThenEliminate {
            refuse(&[("--max-hypotheses", self.max_hypotheses.is_some())], "goes with --noise and --model list-then-eliminate")?;
        }
        refuse(
            &[("--weight", self.columns.weight.is_some())],
            "means nothing here: a version space does not depend on how often an example is there",
        )?;
        if let Some(noise) = self.noise.filter(|noise| !(0.0..0.5).contains(noise)) {
            return Err(Failure::Usage(format!("--noise {noise}: give the chance that a label is wrong, from 0 to below 0.5")));
        }
        options.prior = match self.prior {
            None | Some(PriorArg::Uniform) => HypothesisPrior::Uniform,
            Some(PriorArg::Specific) => HypothesisPrior::Specific,
        };
        options.max_boundary = self.max_boundary.unwrap_or(options.max_boundary);
        options.max_hypotheses = self.max_hypotheses.unwrap_or(options.max_hypotheses);
        Ok(options)
    }
}
