//! Flags of the verbs for networks: `ask`, `convert`, `edit`, `random`, and those of `show`.

use std::path::PathBuf;

use clap::Args;

use crate::Failure;
use crate::args::refuse;
use crate::read_args::{ReadArgs, UnknownArg};

#[derive(Args)]
#[command(
    after_help = "Questions:\n  P(Flu | Headache=yes)             a variable given findings; P(Flu=yes) is one number\n  P(Flu, Allergy | Nose!=dry)       several together; also Nose in {runny, blocked}\n  P(Flu | Sinus)                    a table for each state of Sinus\n  P(* | Headache=yes)               every variable by itself\n  P(Flu | Nose ~ [0.7, 0.3])        a likelihood of the states; :~ says what the posterior shall be\n  argmax Flu, Allergy | Nose=runny  the most probable states together; argmax:3 the three best\n  mpe | Headache=yes                the most probable states of all variables; mpe:3\n  Flu ⟂ Nose | Sinus                whether the graph makes them independent; also _||_. Tables may\n                                    add independences of their own, which the graph does not show\n  H(Flu | Nose=runny)               entropy;  I(Flu; Nose | Sinus=yes) mutual information, in nats\nNames with spaces or signs are quoted: P(\"Body weight\" | Age=\"<5\").\n\nExamples:\n  tunbridge ask examples/asia.bif 'P(lung | xray=yes, smoke=yes)'\n  tunbridge ask examples/flu.tbn 'Flu ⟂ Nose | Sinus' 'mpe | Headache=yes'\n  tunbridge ask examples/asia.bif --questions questions.txt --format jsonl\n  tunbridge ask examples/asia.bif 'P(lung | xray=yes, dysp=yes)' --explain --check\n  tunbridge ask examples/asia.bif --rows patients.csv 'P(lung)' -o answers.csv\n  tunbridge ask examples/asia.bif --rows patients.csv 'P(lung)' --keep-columns\n  tunbridge ask big.bif 'P(* | A=a)' --plan --memory 2GB\n  tunbridge ask 'A->B<-C' 'A ⟂ C | B'\n  tunbridge ask flu.tb 'P(Flu | Headache=yes)' --credible 95\n  tunbridge ask examples/asia.bif"
)]
pub struct AskArgs {
    /// The network: BIF, XMLBIF, Hugin NET, DSC, UAI, XDSL or our own .tbn, packed by gzip or not; or a learned model:
    /// a network's, or naive Bayes. Arcs alone,
    /// in a .dot file or as '[A][B|A]' or 'A->B<-C', say what is independent
    #[arg(value_name = "NET")]
    pub net: PathBuf,
    /// Questions [default: lines of standard input; in a terminal they are typed, with completion and history]
    #[arg(value_name = "QUESTION")]
    pub questions: Vec<String>,
    /// A file of questions, one a line; # begins a comment; - is standard input
    #[arg(long = "questions", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Findings that hold for every question, as in 'A=a, B!=b'; may be repeated
    #[arg(long, value_name = "FINDINGS")]
    pub given: Vec<String>,
    /// A UAI evidence file: findings by the places of variables and states
    #[arg(long, value_name = "FILE")]
    pub evidence: Option<PathBuf>,
    /// Say which findings speak for and against the answer, what it were without each, and whether they agree
    #[arg(long)]
    pub explain: bool,
    /// Answer by a second engine too, and compare: all configurations where they are few, else the junction tree by elimination (P(*) by a bucket
    /// tree) and elimination by the junction tree; the most probable states by the probability of each
    #[arg(long)]
    pub check: bool,
    /// Say what answering would cost, and do not answer
    #[arg(long)]
    pub plan: bool,
    /// The most memory that tables may take, as in 500MB or 2GB; what would take more is not begun
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = memory)]
    pub memory: u64,
    /// Of a learned network, an interval of this probability in percent for every number of the answer, as in 95: tables are drawn from what
    /// is believed of them, by --seed
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub credible: Option<f64>,
    /// How many sets of tables are drawn for --credible [default: 1000]
    #[arg(long, value_name = "N", requires = "credible", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub draws: Option<u32>,
    /// An elimination order to build the junction tree by, as `show --order` saves it
    #[arg(long, value_name = "FILE")]
    pub order: Option<PathBuf>,
    /// Ask the same of every row of a table: its columns are findings of the variables of their names, a blank is none
    #[arg(long, value_name = "DATA", help_heading = "Rows")]
    pub rows: Vec<PathBuf>,
    /// Where the answers go; the name says the format: .csv or .jsonl [default: standard output]
    #[arg(short, long, value_name = "PATH", help_heading = "Rows")]
    pub output: Option<PathBuf>,
    /// Write the columns of the data too, as they stand, before the answers
    #[arg(long, help_heading = "Rows")]
    pub keep_columns: bool,
    /// Answer each row of text as soon as it comes, as from `tail -f`: its columns are then what the first row says
    #[arg(long, help_heading = "Rows")]
    pub live: bool,
    /// Say ln P(the row's findings) too
    #[arg(long, help_heading = "Rows")]
    pub log_likelihood: bool,
    /// What to do with a value that is no state of its variable [default: missing]
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Rows")]
    pub unknown_states: Option<UnknownArg>,
    #[command(flatten)]
    pub read: ReadArgs,
}

/// A number of bytes, as in 2GB, 500MB, 1.5 GiB or 4096.
fn memory(text: &str) -> Result<u64, String> {
    let wrong = || "write a size as in 500MB or 2GB".to_string();
    let text = text.trim();
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = (text[..split].parse::<f64>().map_err(|_| wrong())?, text[split..].trim().to_ascii_lowercase());
    let times: f64 = match unit.as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "kib" => 1024.0,
        "m" | "mb" => 1e6,
        "mib" => 1024.0 * 1024.0,
        "g" | "gb" => 1e9,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        "t" | "tb" => 1e12,
        "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    let bytes = number * times;
    if (1.0..1e18).contains(&bytes) { Ok(bytes as u64) } else { Err(wrong()) }
}

/// A percentage between 0 and 100, as a share.
fn percent(text: &str) -> Result<f64, String> {
    let share = text.trim_end_matches(['%', ' ']).parse::<f64>().ok().map(|percent| percent / 100.0);
    share.filter(|share| *share > 0.0 && *share < 1.0).ok_or_else(|| "give a percentage between 0 and 100, as in 95".into())
}

impl AskArgs {
    /// That flags of rows are not given without rows, nor flags of single questions with them.
    pub fn check(&self) -> Result<(), Failure> {
        if self.rows.is_empty() {
            let of_rows = [
                ("--output", self.output.is_some()),
                ("--keep-columns", self.keep_columns),
                ("--live", self.live),
                ("--log-likelihood", self.log_likelihood),
                ("--unknown-states", self.unknown_states.is_some()),
                ("--delimiter", self.read.delimiter.is_some()),
                ("--header", self.read.header.is_some()),
                ("--missing", !self.read.missing.is_empty()),
                ("--on-bad-row", self.read.on_bad_row.is_some()),
            ];
            refuse(&of_rows, "goes with --rows")?;
        } else {
            let of_questions =
                [("--explain", self.explain), ("--check", self.check), ("--plan", self.plan), ("--credible", self.credible.is_some())];
            refuse(&of_questions, "is for single questions, not with --rows")?;
        }
        refuse(
            &[("--documents", self.read.documents.is_some()), ("--class-depth", self.read.class_depth.is_some())],
            "is for documents, and a network is asked about rows of states",
        )?;
        if self.plan {
            let answers = [("--explain", self.explain), ("--check", self.check), ("--credible", self.credible.is_some())];
            refuse(&answers, "wants an answer, and --plan does not answer")?;
        }
        Ok(())
    }
}

#[derive(Args)]
#[command(
    after_help = "The format is known by the file's ending: .bif, .xml or .xmlbif, .net, .dsc, .uai, .xdsl, .tbn (ours), .dot.\nWhat the format has no words for is told, and lost. UAI has no names: they go into NAME.uai.names beside it.\nA network in which one variable is the only parent of the others is a classifier of it: --target makes it a model (.tb).\n\nExamples:\n  tunbridge convert alarm.bif alarm.xdsl\n  tunbridge convert munin.bif.gz munin.uai\n  tunbridge convert play_tennis.tb play_tennis.tbn\n  tunbridge convert play_tennis.tbn expert.tb --target PlayTennis\n  tunbridge convert network.txt out.txt --from bif --to net"
)]
pub struct ConvertArgs {
    /// The network to read, packed by gzip or not; or a naive Bayes model
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// Where the network goes; - is standard output
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// Write a naive Bayes model that predicts this variable, which must be the only parent of the others
    #[arg(short, long, value_name = "NAME", conflicts_with = "to")]
    pub target: Option<String>,
    /// With --target: how many rows the network is worth when the model is updated or merged; it answers the same whatever that is
    #[arg(long, value_name = "N", default_value_t = 1.0, requires = "target")]
    pub equivalent_sample_size: f64,
    /// The format to write [default: as OUT ends]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<String>,
    /// The format to read [default: found out]
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<String>,
    /// Replace a file that is there and is no network
    #[arg(long)]
    pub force: bool,
}

#[derive(Args)]
#[command(
    after_help = "Edits, made one after another:\n  add smoke -> xray                one more parent, which does not matter yet\n  remove asia -> tub               the nearest distribution without the arc; how far it is, is told\n  reverse smoke -> lung            the arc turned round; both ends get each other's parents\n  sum out either                   all other variables, with their joint distribution\n  given dysp = yes                 all other variables, given that state; its probability is told\n  rename smoke to Smoker           a variable by another name\n  rename state yes of xray to abnormal\nNames with spaces or signs are quoted: 'sum out \"Body weight\"'. Each edit is one argument, in the shell's quotes.\n\nExamples:\n  tunbridge edit examples/asia.bif 'reverse smoke -> lung' 'rename smoke to Smoker' -o asia2.bif\n  tunbridge edit examples/asia.bif 'given xray = yes' 'sum out either' --to tbn\n  tunbridge edit flu.tb 'remove Flu -> Sinus' -o flu2.xdsl --format json"
)]
pub struct EditArgs {
    /// The network to read, packed by gzip or not; or a learned model: a network's, or naive Bayes
    #[arg(value_name = "NET")]
    pub input: PathBuf,
    /// What to change, each a short sentence, in this order
    #[arg(value_name = "EDIT", required = true)]
    pub edits: Vec<String>,
    /// Where the network goes [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// The format to write [default: as the output ends, else that of NET]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<String>,
    /// The format to read [default: found out]
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<String>,
    /// Replace a file that is there and is no network
    #[arg(long)]
    pub force: bool,
}

/// What `show` takes for networks.
#[derive(Args)]
#[command(next_help_heading = "Networks")]
pub struct ShowNetworkArgs {
    /// Print P(NAME | its parents)
    #[arg(long, value_name = "NAME")]
    pub variable: Option<String>,
    /// Show beliefs given findings, as in 'A=a, B!=b'; may be repeated
    #[arg(long, value_name = "FINDINGS")]
    pub given: Vec<String>,
    /// Print the independences that the graph implies, for small networks
    #[arg(long)]
    pub independences: bool,
    /// Print the equivalence class: which arcs all networks of the same independences share, and which may turn
    #[arg(long)]
    pub class: bool,
    /// Print the junction tree: its cliques and what they share
    #[arg(long)]
    pub junction_tree: bool,
    /// Print the elimination order, to be saved and reused with `ask --order`
    #[arg(long)]
    pub order: bool,
    /// Where what is shown goes [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
}

impl ShowNetworkArgs {
    /// The flags with whether they are given.
    pub fn given(&self) -> [(&'static str, bool); 7] {
        [
            ("--variable", self.variable.is_some()),
            ("--given", !self.given.is_empty()),
            ("--independences", self.independences),
            ("--class", self.class),
            ("--junction-tree", self.junction_tree),
            ("--order", self.order),
            ("--output", self.output.is_some()),
        ]
    }
}

#[derive(Args)]
#[command(
    after_help = "The same seed gives the same network.\n\nExamples:\n  tunbridge random --variables 20 --seed 7 -o random.bif\n  tunbridge random --variables 8 --states 2-3 --max-parents 2 -o small.tbn"
)]
pub struct RandomArgs {
    /// Variables
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = variables)]
    pub variables: usize,
    /// Most parents of a variable
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = parents)]
    pub max_parents: usize,
    /// States of a variable, as in 2 or 2-4
    #[arg(long, value_name = "N[-N]", default_value = "2-4", value_parser = states)]
    pub states: (usize, usize),
    /// Probability of each arc, while a variable has fewer than its most parents
    #[arg(long, value_name = "P", default_value_t = 0.4, value_parser = probability)]
    pub arcs: f64,
    /// Probability that a row of a table is certain
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = probability)]
    pub deterministic: f64,
    /// Probability of each other entry to be zero
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = probability)]
    pub zeros: f64,
    /// Where the network goes [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// The format to write [default: as the output ends, else our own]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<String>,
    /// Replace a file that is there and is no network
    #[arg(long)]
    pub force: bool,
}

fn variables(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| (1..=100_000).contains(n)).ok_or_else(|| "give a whole number from 1 to 100000".into())
}

fn parents(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n <= 12).ok_or_else(|| "give a whole number from 0 to 12".into())
}

fn states(text: &str) -> Result<(usize, usize), String> {
    let (fewest, most) = text.split_once('-').unwrap_or((text, text));
    let range = fewest.trim().parse().ok().zip(most.trim().parse().ok());
    range
        .filter(|(fewest, most)| (1..=20).contains(fewest) && (fewest..=&20).contains(&most))
        .ok_or_else(|| "write 2 or 2-4, from 1 to 20".into())
}

fn probability(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|p| (0.0..=1.0).contains(p)).ok_or_else(|| "give a number from 0 to 1".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_ranges_are_read() {
        assert_eq!(memory("2GB"), Ok(2_000_000_000));
        assert_eq!(memory("1.5 GiB"), Ok(1_610_612_736));
        assert_eq!(memory("4096"), Ok(4096));
        for wrong in ["", "GB", "2XB", "0", "-1", "1e3GB", "99999999999TB"] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
        assert_eq!(states("2-4"), Ok((2, 4)));
        assert_eq!(states("3"), Ok((3, 3)));
        assert!(states("4-2").is_err() && states("0").is_err() && states("x").is_err());
    }
}
