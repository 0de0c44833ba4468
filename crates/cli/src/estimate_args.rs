//! Flags of `estimate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tunbridge::belief::distribution::IntervalKind;
use tunbridge::estimate::FamilyKind;

use crate::read_args::{ColumnArgs, ReadArgs};

#[derive(Args)]
#[command(
    after_help = "In N(a, b) b is the variance: N(170, 10²), N(170, 10^2) and N(170, 100) are the same.\n\nPriors of the families, and what is believed where --prior is not given:\n  bernoulli, binomial, geometric  p ~ Beta(a, b); p ~ Beta(1, 1)\n  categorical, multinomial        p ~ Dirichlet(a) or Dirichlet(a1, a2, …); p ~ Dirichlet(1)\n  poisson, exponential            rate ~ Gamma(shape, rate); Gamma(0.5, 0) and Gamma(0, 0)\n  normal with --known-sd          mean ~ N(mean, variance); flat\n  normal, log-normal              mean ~ N(mean, variance/rows), variance ~ InverseGamma(shape,\n                                  scale), in short NIG(mean, rows, shape, scale); flat\n  uniform, from 0 to theta        theta ~ U(low, high), theta ~ Pareto(scale, shape); Pareto(0, 0)\n  multivariate-normal             NIW([centre], rows, degrees, [scale]); flat\n  linear-regression               NIG([centre], [precision], shape, scale); flat\n  logistic                        coefficients ~ N(mean, variance); N(0, 10²)\nFlat ones, and those with zeros, are reference priors: improper, and the same in every unit.\n\nExamples:\n  tunbridge estimate examples/heights.csv --column height --family normal --known-sd 7 \\\n    --prior 'mean ~ N(170, 10²)'\n  tunbridge estimate --values 4,8,6 --family uniform --prior 'theta ~ U(0, 10)' --plot theta.svg\n  tunbridge estimate --values 1,1,0,1 --family bernoulli --against 'p ~ Beta(20, 20)'\n  tunbridge estimate examples/heights.csv --column weight --given height \\\n    --family linear-regression --at height=180\n  tunbridge estimate examples/heights.csv --column height --family normal --animate sharper.svg\n  tunbridge estimate --values 1.2,0.4,3.1 --density 'r*exp(-r*x)' --range '(0, inf)' \\\n    --prior 'r ~ Gamma(2, 1)'\n  tunbridge estimate --values 1.2,0.4,3.1 --density 'r*exp(-r*x)' --range '(0, inf)' \\\n    --prior 'r ~ Gamma(2, 1)' --against-density 'gamma(x, 2, r)' --against 'r ~ Gamma(2, 1)'"
)]
pub struct EstimateArgs {
    /// Files with the same columns (CSV, TSV, ARFF, JSON Lines, Parquet, Arrow; .gz and .zst too), globs, or - for standard input
    #[arg(value_name = "DATA", required_unless_present = "values")]
    pub data: Vec<PathBuf>,
    /// The column to estimate from; several for a family of several, with commas between
    #[arg(short, long, value_name = "NAME,…", required_unless_present = "values")]
    pub column: Vec<String>,
    /// The inputs of a regression
    #[arg(long, value_name = "NAME,…")]
    pub given: Vec<String>,
    /// A few values instead of a file, with commas between
    #[arg(long, value_name = "X,…", conflicts_with_all = ["data", "column", "given"], allow_hyphen_values = true)]
    pub values: Option<String>,
    /// The family of the likelihood: bernoulli, binomial, categorical, multinomial, poisson, exponential, geometric, normal,
    /// multivariate-normal, uniform, log-normal, linear-regression or logistic
    #[arg(short, long, value_name = "FAMILY", value_parser = family, required_unless_present = "density")]
    pub family: Option<FamilyKind>,
    /// A density of your own instead of a family: an expression in the column, or in x, and in parameters, each with a --prior
    #[arg(long, value_name = "EXPRESSION", conflicts_with_all = ["family", "known_sd", "trials", "success"])]
    pub density: Option<String>,
    /// Where the values of a density of your own lie, as in '(0, inf)' [default: the whole line]
    #[arg(long, value_name = "(LOW, HIGH)", requires = "density", allow_hyphen_values = true)]
    pub range: Option<String>,
    /// The values of a density of your own are whole numbers, and it is a probability
    #[arg(long, requires = "density")]
    pub whole_numbers: bool,
    /// Sample the posterior of a density of your own by so many Markov chains; by itself where it has more than three parameters
    #[arg(long, value_name = "N", requires = "density", value_parser = clap::value_parser!(u16).range(2..=64))]
    pub chains: Option<u16>,
    /// The longest a density of your own may take by its plan, in minutes
    #[arg(long, value_name = "MINUTES", default_value_t = 10.0, allow_negative_numbers = true)]
    pub most_minutes: f64,
    /// What was believed before, as in 'mean ~ N(170, 10²)'; of a density of your own one for each parameter [default: see below]
    #[arg(short, long, value_name = "PRIOR")]
    pub prior: Vec<String>,
    /// The standard deviation of a Normal, where it is known
    #[arg(long, value_name = "SD", allow_negative_numbers = true)]
    pub known_sd: Option<f64>,
    /// How many trials each row of a binomial has, or the column that has it for each row
    #[arg(long, value_name = "N|NAME")]
    pub trials: Option<String>,
    /// The state that is a success, where the column of a Bernoulli has words
    #[arg(long, value_name = "STATE")]
    pub success: Option<String>,
    /// The probability that credible intervals hold
    #[arg(long, value_name = "P", default_value_t = 0.95, allow_negative_numbers = true)]
    pub interval: f64,
    /// Which interval: as much probability below it as above it, or the shortest
    #[arg(long, value_enum, value_name = "KIND", default_value = "equal-tailed")]
    pub interval_kind: IntervalArg,
    /// Inputs at which a regression predicts, as in height=180 [default: their means]
    #[arg(long, value_name = "NAME=X,…")]
    pub at: Vec<String>,
    /// Another prior to compare with, by the Bayes factor; of a density of your own one for each parameter
    #[arg(long, value_name = "PRIOR")]
    pub against: Vec<String>,
    /// Another density of your own to compare with, by the Bayes factor; --against are then its priors
    #[arg(long, value_name = "EXPRESSION", conflicts_with = "against_family")]
    pub against_density: Option<String>,
    /// Another family to compare with, by the Bayes factor; --against is then its prior
    #[arg(long, value_name = "FAMILY", value_parser = family)]
    pub against_family: Option<FamilyKind>,
    /// Draw so many times from the posterior, ten million at the most; with --format csv only the draws are printed
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=10_000_000))]
    pub draws: u32,
    /// The parameter whose curves are drawn [default: the first]
    #[arg(long, value_name = "NAME")]
    pub parameter: Option<String>,
    /// Write the curves as a picture, FILE.svg
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Write a picture that moves, FILE.svg: the posterior after every row, or of more than 100 rows after some hundred numbers of
    /// rows that grow by the same factor. The rows are held in memory
    #[arg(long, value_name = "FILE")]
    pub animate: Option<PathBuf>,
    #[command(flatten)]
    pub columns: ColumnArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum IntervalArg {
    EqualTailed,
    HighestDensity,
}

impl From<IntervalArg> for IntervalKind {
    fn from(arg: IntervalArg) -> Self {
        match arg {
            IntervalArg::EqualTailed => IntervalKind::EqualTailed,
            IntervalArg::HighestDensity => IntervalKind::HighestDensity,
        }
    }
}

fn family(text: &str) -> Result<FamilyKind, String> {
    text.parse().map_err(|e: tunbridge::Error| match e.hint() {
        Some(hint) => format!("{e}; {hint}"),
        None => e.to_string(),
    })
}
