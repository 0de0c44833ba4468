//! The command line: verbs and flags, spelled the same everywhere.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::Failure;
use crate::average_args::AverageArgs;
use crate::concept_args::ConceptArgs;
use crate::learner_args::{LearnerArgs, OtherPriorArgs};
use crate::loss::LossArgs;
use crate::network_args::{AskArgs, ConvertArgs, EditArgs, RandomArgs, ShowNetworkArgs};
use crate::read_args::{ColumnArgs, ReadArgs, UnknownArg};
use crate::resume_args::ResumeArgs;
use crate::structure_args::StructureArgs;
use crate::text_args::from_one;
use crate::weigh_args::WeighArgs;

/// Bayesian learning: from a table and what you already believe to probabilities you can question.
#[derive(Parser)]
#[command(name = "tunbridge", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Subcommand)]
pub enum Verb {
    /// Learn a model from a table, judge it, and save it
    Learn(Box<LearnArgs>),
    /// Give each row, or one case, its most probable class and the probabilities of all
    Classify(ClassifyArgs),
    /// Show how each piece of evidence moved the odds of one row or case
    Explain(ExplainArgs),
    /// Print a model, or a network, in readable form
    Show(ShowArgs),
    /// Show what is understood of a table, and write it beside the data to be corrected
    Schema(SchemaArgs),
    /// Add rows to a model
    #[command(
        after_help = "What was believed before stays unless it is said. A network of rows with gaps goes on with EM over all of them, old and new.\n\nExample:\n  tunbridge update play_tennis.tb more_days.csv\n  tunbridge update flu.tb this_week.csv --fading 0.99\n  tunbridge update gaps.tb more_patients.csv --em-steps 100 --drop-parts"
    )]
    Update(UpdateArgs),
    /// Take rows back out of a model
    #[command(
        after_help = "Examples:\n  tunbridge forget play_tennis.tb those_days.csv -o without.tb\n  tunbridge forget gaps.tb those_patients.csv --em-tolerance 1e-8"
    )]
    Forget(ForgetArgs),
    /// Make one model of several that were learned apart
    Merge(MergeArgs),
    /// Show which beliefs moved between two models, or networks, and by how much
    Diff(DiffArgs),
    /// Judge a saved model on other rows, or a learner on its own by folds
    Evaluate(Box<EvaluateArgs>),
    /// Weigh hypotheses by what is observed, or ask a full joint distribution
    Weigh(WeighArgs),
    /// Learn a concept from examples of yes and no: version spaces and their kin
    Concept(ConceptArgs),
    /// Say what data make of a belief about a parameter: prior, posterior and what comes next
    Estimate(Box<crate::estimate_args::EstimateArgs>),
    /// Ask a Bayesian network anything: probabilities, what is most probable, what is independent of what
    Ask(Box<AskArgs>),
    /// Write a network in another format
    Convert(ConvertArgs),
    /// Change a network: arcs added, removed or reversed, variables summed out or given, names changed
    Edit(EditArgs),
    /// Fill the gaps of a table by what a network makes of the rest of each row
    Impute(crate::verbs::network::impute::ImputeArgs),
    /// Make a random network
    Random(RandomArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

/// Flags of every verb.
#[derive(Args)]
#[command(next_help_heading = "Everywhere")]
pub struct Common {
    /// Threads to work with, 1 to 1024 [default: all cores]; the result does not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Seed of everything random
    #[arg(long, global = true, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// What to print: text, and html of explain and svg of networks, for people; the rest for programs
    #[arg(long, global = true, value_enum)]
    pub format: Option<Format>,
    /// Print seconds by phase and peak memory as a line of JSON on standard error
    #[arg(long, global = true)]
    pub timings: bool,
    /// Print the steps as a textbook would: of learn, concept and weigh, and of classify and explain for one case
    #[arg(long, global = true)]
    pub trace: bool,
    /// Print no remarks and no progress
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
    Jsonl,
    Csv,
    Parquet,
    Arrow,
    Html,
    Svg,
    Dot,
}

impl Common {
    /// Whether JSON is wanted; formats that a verb does not have are refused.
    pub fn json(&self) -> Result<bool, Failure> {
        match self.format {
            None | Some(Format::Text) => Ok(false),
            Some(Format::Json) if self.trace => Err(Failure::Usage("--trace is for people: leave --format json out".into())),
            Some(Format::Json) => Ok(true),
            Some(Format::Jsonl) if self.trace => Err(Failure::Usage("--trace is for people: leave --format jsonl out".into())),
            Some(_) => Err(Failure::Usage("this verb prints --format text or json".into())),
        }
    }
}

/// Refuses the first flag that is given where it means nothing.
pub fn refuse(flags: &[(&str, bool)], because: &str) -> Result<(), Failure> {
    match flags.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Failure::Usage(format!("{flag} {because}"))),
        None => Ok(()),
    }
}

#[derive(Args)]
#[command(
    after_help = "Examples:\n  tunbridge learn examples/play_tennis.csv --target PlayTennis\n  tunbridge learn examples/mail\n  tunbridge learn tickets.csv --text body --target team\n  tunbridge learn mail/ --costs 'spam|ham=9'\n  tunbridge learn spam.mbox ham.mbox --as mail\n  tunbridge learn spam.txt ham.txt --documents lines\n  tunbridge learn news.jsonl --text body --target topics --labels ';'\n  tunbridge learn iris.csv -t kind --average tan --average 'naive-bayes --numeric student'\n  tunbridge learn examples/flu.csv --structure examples/flu.tbn\n  tunbridge learn patients.csv --structure 'Flu->Sinus<-Allergy' --estimate bdeu:10\n  tunbridge learn examples/play_tennis.csv --target PlayTennis -m tan\n  tunbridge learn survey.csv --structure 'Age->Income<-Job' --indicator Income"
)]
pub struct LearnArgs {
    /// Files with the same columns (CSV, TSV, ARFF, JSON Lines, Parquet, Arrow; .gz and .zst too), globs, - for standard input, a folder
    /// of documents with a folder for each class, or a mailbox for each class
    #[arg(required_unless_present = "average", value_name = "DATA")]
    pub data: Vec<PathBuf>,
    /// The column to predict
    #[arg(short, long, value_name = "NAME")]
    pub target: Option<String>,
    /// How to judge the model, and its calibration: loo (each row by the model of all others), folds:<k>, or none [default: loo; of tan, kdb and
    /// aode, which are learned anew in each fold, and of averages of them, folds:10; of --structure none]
    #[arg(long, value_name = "HOW", value_parser = evaluation_plan)]
    pub evaluate: Option<tunbridge::EvaluationPlan>,
    /// Mend over-confident probabilities
    #[arg(long, value_enum, value_name = "HOW", default_value = "none")]
    pub calibrate: CalibrateArg,
    /// What errors cost, as in spam|ham=9: saying spam where it is ham; others cost 1. Or a CSV file: a line for each class said, a column
    /// for each true one. Rows are then judged by the class of least expected cost; the model does not depend on it; may be repeated
    #[arg(long, value_name = "COSTS")]
    pub costs: Vec<String>,
    /// Where the model goes [default: the data's name with .tb, in the current folder]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Replace the output even if it is not a model
    #[arg(long)]
    pub force: bool,
    // Groups of flags come last: the heading of one holds for all that follows it.
    #[command(flatten)]
    pub learner: LearnerArgs,
    #[command(flatten)]
    pub average: AverageArgs,
    #[command(flatten)]
    pub structure: StructureArgs,
    /// What to do with a value that is no state of the network [default: error]
    #[arg(long, value_enum, value_name = "HOW", help_heading = "A network whose graph is known")]
    pub unknown_states: Option<UnknownArg>,
    #[command(flatten)]
    pub columns: ColumnArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

impl LearnArgs {
    /// How the model is judged.
    pub fn plan(&self) -> tunbridge::EvaluationPlan {
        self.evaluate.unwrap_or(tunbridge::EvaluationPlan::LeaveOneOut)
    }
}

/// A plan for models that are learned anew in each fold, which leave-one-out would do once for every row.
pub fn by_folds(plan: tunbridge::EvaluationPlan, with: &str) -> Result<tunbridge::EvaluationPlan, Failure> {
    match plan {
        tunbridge::EvaluationPlan::LeaveOneOut => {
            Err(Failure::Usage(format!("loo does not go with {with}, which it would learn once for every row: give folds, as in folds:10")))
        }
        plan => Ok(plan),
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.01..=0.99).contains(share));
    share.ok_or_else(|| "give a number from 0.01 to 0.99".into())
}

fn evaluation_plan(text: &str) -> Result<tunbridge::EvaluationPlan, String> {
    use tunbridge::EvaluationPlan;
    match text {
        "none" => Ok(EvaluationPlan::None),
        "loo" => Ok(EvaluationPlan::LeaveOneOut),
        _ => match text.strip_prefix("folds:").and_then(|k| k.parse().ok()) {
            Some(k) if (2..=1000).contains(&k) => Ok(EvaluationPlan::Folds(k)),
            _ => Err("give loo, none, or folds:<k> with k from 2 to 1000".into()),
        },
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CalibrateArg {
    None,
    Isotonic,
    Sigmoid,
}

#[derive(Args)]
#[command(
    after_help = "Examples:\n  tunbridge classify play_tennis.tb new_days.csv -o answers.csv\n  tunbridge classify play_tennis.tb Outlook=Sunny Wind=Strong\n  tunbridge classify mail.tb new/ --costs 'spam|ham=9'\n  tunbridge classify patients.tb new.csv --loss loss.csv --reject 0.2\n  tunbridge classify play_tennis.tb Outlook=Sunny --value-of-information\n  tunbridge classify mail.tb new.txt --documents lines\n  tunbridge classify mail.tb - < message.txt\n  tail -f -n +1 days.csv | tunbridge classify play_tennis.tb - --live"
)]
pub struct ClassifyArgs {
    /// The model
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Files to classify, - for standard input, or one case as NAME=VALUE …
    #[arg(required = true, value_name = "DATA | NAME=VALUE")]
    pub inputs: Vec<String>,
    /// Where the answers go; the name says the format: .csv, .jsonl, .parquet, .arrow [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// What errors cost, as in spam|ham=9: saying spam where it is ham; others cost 1. Or a CSV file: a line for each class said, a column
    /// for each true one. The class of least expected cost is then named, which need not be the most probable one; probabilities stay; may be repeated
    #[arg(long, value_name = "COSTS")]
    pub costs: Vec<String>,
    #[command(flatten)]
    pub loss: LossArgs,
    /// Of one case, what it is worth to look at each attribute that is not told, before one acts
    #[arg(long)]
    pub value_of_information: bool,
    /// Write the answers only, without the columns of the data
    #[arg(long)]
    pub answers_only: bool,
    /// Answer each row of text as soon as it comes, as from `tail -f`: its columns, and those of the answers, are then what the first row
    /// says
    #[arg(long)]
    pub live: bool,
    /// What to do with a value that is no known state
    #[arg(long, value_enum, value_name = "HOW", default_value = "missing")]
    pub unknown_states: UnknownArg,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Args)]
#[command(
    after_help = "Examples:\n  tunbridge explain play_tennis.tb Outlook=Sunny Wind=Strong\n  tunbridge explain play_tennis.tb examples/play_tennis.csv --row 7\n  tunbridge explain mail.tb message.txt --format html > why.html\n  tunbridge explain mail.tb message.txt --mark colour | less -R\n  tunbridge explain mail.tb - < message.txt"
)]
pub struct ExplainArgs {
    /// The model
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Files with the row, - for standard input, or one case as NAME=VALUE …
    #[arg(required = true, value_name = "DATA | NAME=VALUE")]
    pub inputs: Vec<String>,
    /// The row of the files to explain [default: 1, the first]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub row: Option<u64>,
    /// The class to explain [default: the most probable one]
    #[arg(long, value_name = "STATE")]
    pub class: Option<String>,
    /// The class to weigh it against [default: the most probable other one]
    #[arg(long, value_name = "STATE")]
    pub against: Option<String>,
    /// The unit of the ledger
    #[arg(long, value_enum, default_value = "decibans")]
    pub unit: UnitArg,
    /// How the words of texts are marked by what they say [default: colour in a terminal, plain there with NO_COLOR, else none]
    #[arg(long, value_enum, value_name = "HOW")]
    pub mark: Option<MarkArg>,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MarkArg {
    /// The text with coloured words
    Colour,
    /// The text with words in brackets and their weights
    Plain,
    /// Not at all: the ledger alone
    None,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum UnitArg {
    Decibans,
    Bits,
    Nats,
}

#[derive(Args)]
#[command(
    after_help = "Examples:\n  tunbridge show play_tennis.tb\n  tunbridge show mail.tb --by ratio --top 20 --min-texts 3\n  tunbridge show play_tennis.tb --format json\n  tunbridge show examples/asia.bif\n  tunbridge show examples/asia.bif --variable dysp\n  tunbridge show examples/asia.bif --given 'xray=yes' --format svg > asia.svg\n  tunbridge show examples/asia.bif --junction-tree\n  tunbridge show examples/asia.bif --independences\n  tunbridge show examples/asia.bif --order -o asia.order"
)]
pub struct ShowArgs {
    /// The model, or a network
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// How many pieces of evidence, and words of texts, to list per class [default: 5, with --format json 10]
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// List the words of texts by this alone, with their probabilities and counts [default: both, in short]
    #[arg(long, value_enum, value_name = "RANKING")]
    pub by: Option<RankingArg>,
    /// List only words that are in so many texts: a ratio of small counts is great by chance
    #[arg(long, value_name = "N")]
    pub min_texts: Option<u32>,
    /// Print every table, however long
    #[arg(long)]
    pub all: bool,
    /// Print what EM made of rows without a class, step by step
    #[arg(long)]
    pub history: bool,
    #[command(flatten)]
    pub network: ShowNetworkArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RankingArg {
    /// How many times as likely a word is in the class as in all others together: P(w | class)/P(w | others)
    Ratio,
    /// What its being there or not tells of the class on average: I(class; word)
    Information,
}

#[derive(Args)]
#[command(
    after_help = "Examples:\n  tunbridge schema examples/play_tennis.csv\n  tunbridge schema examples/play_tennis.csv --target PlayTennis --write"
)]
pub struct SchemaArgs {
    /// Files with the same columns
    #[arg(required = true, value_name = "DATA")]
    pub data: Vec<PathBuf>,
    /// The column to predict
    #[arg(short, long, value_name = "NAME")]
    pub target: Option<String>,
    /// Write DATA.schema.toml beside the data, to be corrected by hand
    #[arg(long)]
    pub write: bool,
    /// Replace a schema file that is there
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub columns: ColumnArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Args)]
pub struct ChangeArgs {
    /// The model
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Files with the rows
    #[arg(required = true, value_name = "DATA")]
    pub data: Vec<PathBuf>,
    /// Where the changed model goes [default: the model itself]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Replace the output even if it is not a model
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Args)]
pub struct UpdateArgs {
    #[command(flatten)]
    pub change: ChangeArgs,
    /// Hold so many words of a text and no more, from now on [default: as the model was learned]
    #[arg(long, value_name = "N", value_parser = from_one, help_heading = "Texts")]
    pub max_vocabulary: Option<usize>,
    /// Of a network, multiply what was counted before by this, above 0 and up to 1: after k updates the first rows count its k-th power
    #[arg(long, value_name = "FACTOR", help_heading = "Networks")]
    pub fading: Option<f64>,
    #[command(flatten)]
    pub prior: OtherPriorArgs,
    #[command(flatten)]
    pub resume: ResumeArgs,
}

#[derive(Args)]
pub struct ForgetArgs {
    #[command(flatten)]
    pub change: ChangeArgs,
    #[command(flatten)]
    pub resume: ResumeArgs,
}

#[derive(Args)]
#[command(
    after_help = "What was believed before is said only where the models differ in it.\n\nExamples:\n  tunbridge merge north.tb south.tb -o both.tb\n  tunbridge merge north.tb south.tb -o both.tb --drop-parts"
)]
pub struct MergeArgs {
    /// Models, two or more
    #[arg(required = true, num_args = 2.., value_name = "MODEL")]
    pub models: Vec<PathBuf>,
    /// Where the merged model goes
    #[arg(short, long, value_name = "PATH", required = true)]
    pub output: PathBuf,
    /// Replace the output even if it is not a model
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub prior: OtherPriorArgs,
    #[command(flatten)]
    pub resume: ResumeArgs,
}

#[derive(Args)]
#[command(after_help = "Examples:\n  tunbridge diff before.tb after.tb\n  tunbridge diff before.bif after.bif")]
pub struct DiffArgs {
    /// The model, or the network, before
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// The model, or the network, after
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// How many beliefs, or tables, to list [default: 20, with --format json all]
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
}

#[derive(Args)]
#[command(
    after_help = "Examples:\n  tunbridge evaluate play_tennis.tb other_days.csv\n  tunbridge evaluate examples/play_tennis.csv --target PlayTennis --folds 7\n  tunbridge evaluate examples/play_tennis.csv --target PlayTennis -m aode\n  tunbridge evaluate examples/flu.csv --target Flu --structure examples/flu.tbn --folds 10\n  tunbridge evaluate train.csv --target Y --test test.csv\n  tunbridge evaluate mail/ --folds 10 --costs 'spam|ham=9'"
)]
pub struct EvaluateArgs {
    /// A model and files with known classes; or files alone, to judge a learner on them
    #[arg(required = true, value_name = "MODEL | DATA")]
    pub inputs: Vec<PathBuf>,
    /// The column to predict, when a learner is judged
    #[arg(short, long, value_name = "NAME")]
    pub target: Option<String>,
    /// Folds, or loo for leave-one-out [default: 10]
    #[arg(long, value_name = "K | loo", conflicts_with_all = ["holdout", "test"])]
    pub folds: Option<String>,
    /// Share of the rows to hold out, 0.01 to 0.99
    #[arg(long, value_name = "SHARE", conflicts_with = "test", value_parser = share, allow_negative_numbers = true)]
    pub holdout: Option<f64>,
    /// A separate test file; may be repeated
    #[arg(long, value_name = "DATA")]
    pub test: Vec<PathBuf>,
    /// Mend over-confident probabilities
    #[arg(long, value_enum, value_name = "HOW", default_value = "none")]
    pub calibrate: CalibrateArg,
    /// What errors cost, as in spam|ham=9: saying spam where it is ham; others cost 1. Or a CSV file: a line for each class said, a column
    /// for each true one. Rows are then judged by the class of least expected cost; may be repeated
    #[arg(long, value_name = "COSTS")]
    pub costs: Vec<String>,
    /// What to do with a value of the test file that is no known state [default: missing], or with --structure with one of the data that is no
    /// state of the network [default: error]
    #[arg(long, value_enum, value_name = "HOW")]
    pub unknown_states: Option<UnknownArg>,
    #[command(flatten)]
    pub learner: LearnerArgs,
    #[command(flatten)]
    pub structure: StructureArgs,
    #[command(flatten)]
    pub columns: ColumnArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Args)]
#[command(after_help = "Example:\n  tunbridge completions zsh > ~/.zfunc/_tunbridge")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}
