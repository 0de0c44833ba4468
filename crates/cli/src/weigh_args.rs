//! The arguments of `weigh`.

use std::path::PathBuf;

use clap::Args;

use crate::loss::LossArgs;
use crate::read_args::ReadArgs;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  tunbridge weigh --prior cancer=0.008 --likelihood '+|cancer=0.98' --likelihood '+|not=0.03' --observe +\n  tunbridge weigh --prior m=1/50000 --likelihood 's|m=0.7' --total s=0.01 --observe s\n  tunbridge weigh --prior h1=0.4,h2=0.3,h3=0.3 --predict '+|h1,-|h2,-|h3' --simulate 100000\n  tunbridge weigh --joint examples/weather_person.csv --of Weather --given Person=true\n  tunbridge weigh --joint examples/dentist.csv --of Catch,Toothache --given Cavity"
)]
pub struct WeighArgs {
    /// What is believed of a hypothesis before, as in cancer=0.008, 0.8% or 1/125; exactly one may be without and gets the rest; may be
    /// repeated
    #[arg(long, value_name = "NAME=P,…")]
    pub prior: Vec<String>,
    /// How probable an outcome is under a hypothesis, as in '+|cancer=0.98'; may be repeated
    #[arg(long, value_name = "OUTCOME|NAME=P,…")]
    pub likelihood: Vec<String>,
    /// How probable an outcome is whatever is true, where it is not known under one of the hypotheses
    #[arg(long, value_name = "OUTCOME=P,…")]
    pub total: Vec<String>,
    /// What was observed, one after another; '!+' is that + was not; may be repeated
    #[arg(long, value_name = "OUTCOME,…")]
    pub observe: Vec<String>,
    /// What a hypothesis predicts, as in '+|h1', or '+|h1=0.9' with its probability: Bayes-optimal and Gibbs classification
    #[arg(long, value_name = "VALUE|NAME[=P],…")]
    pub predict: Vec<String>,
    /// Draw so many worlds in which the truth is one of the hypotheses by what is believed of it, and count how often the Bayes-optimal
    /// and the Gibbs classifier err
    #[arg(long, value_name = "N", requires = "predict", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub simulate: Option<u32>,
    /// Write how belief moved from one observation to the next as a picture, FILE.svg
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub loss: LossArgs,
    /// A full joint distribution instead: a table with a column for each variable and one of probabilities
    #[arg(long, value_name = "FILE", help_heading = "A joint distribution")]
    pub joint: Option<PathBuf>,
    /// The column of probabilities [default: the last]
    #[arg(long, value_name = "NAME", help_heading = "A joint distribution")]
    pub probability: Option<String>,
    /// The variables to ask for [default: all that are not given]
    #[arg(long, value_name = "NAME,…", help_heading = "A joint distribution")]
    pub of: Vec<String>,
    /// What is known of others; a variable without a state stands for each of its states, and pairs are asked for independence given it
    #[arg(long, value_name = "NAME[=STATE],…", help_heading = "A joint distribution")]
    pub given: Vec<String>,
    /// The probability that one of these is so or more, by inclusion and exclusion
    #[arg(long, value_name = "NAME=STATE,…", help_heading = "A joint distribution")]
    pub either: Vec<String>,
    #[command(flatten)]
    pub read: ReadArgs,
}
