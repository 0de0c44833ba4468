//! The command line: verbs and flags, spelled the same everywhere.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tunbridge::belief::TextLength;
use tunbridge::data::words::{Inner, Markup, Splitter, Stemming, Stripped, Tokenizer, Words, stop_words};
use tunbridge::data::{ColumnType, Cut, Header, OnBadRow, ReadOptions, UnknownStates};
use tunbridge::learners::{
    ClassPrior, Discretisation, Estimate, EventModel, NaiveBayesPrior, NumericModel, TextEvent, WordChoice, WordWeighing,
};

use crate::Failure;
use crate::lists::items;
use crate::unlabelled::UnlabelledArgs;

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
    Learn(LearnArgs),
    /// Give each row, or one case, its most probable class and the probabilities of all
    Classify(ClassifyArgs),
    /// Show how each piece of evidence moved the odds of one row or case
    Explain(ExplainArgs),
    /// Print a model in readable form
    Show(ShowArgs),
    /// Show what is understood of a table, and write it beside the data to be corrected
    Schema(SchemaArgs),
    /// Add rows to a model
    #[command(
        after_help = "What was believed before stays unless it is said.\n\nExample:\n  tunbridge update play_tennis.tb more_days.csv"
    )]
    Update(UpdateArgs),
    /// Take rows back out of a model
    #[command(after_help = "Example:\n  tunbridge forget play_tennis.tb those_days.csv -o without.tb")]
    Forget(ChangeArgs),
    /// Make one model of several that were learned apart
    Merge(MergeArgs),
    /// Show which beliefs moved between two models, and by how much
    Diff(DiffArgs),
    /// Judge a saved model on other rows, or a learner on its own by folds
    Evaluate(EvaluateArgs),
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
    /// What to print: text, and html of explain, for people; the rest for programs
    #[arg(long, global = true, value_enum)]
    pub format: Option<Format>,
    /// Print seconds by phase and peak memory as a line of JSON on standard error
    #[arg(long, global = true)]
    pub timings: bool,
    /// Print the steps as a textbook would: of learn, and of classify and explain for one case
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

/// How to read a table.
#[derive(Args, Clone)]
#[command(next_help_heading = "How to read")]
pub struct ReadArgs {
    /// What separates the cells of CSV, one character or `tab` [default: found out]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// Whether the first record names the columns [default: auto]
    #[arg(long, value_enum, value_name = "WHETHER")]
    pub header: Option<HeaderArg>,
    /// Another marker of a missing value, besides the empty cell, ?, NA, NaN and null; may be repeated
    #[arg(long, value_name = "TEXT")]
    pub missing: Vec<String>,
    /// What to do with a malformed row [default: error]
    #[arg(long, value_enum, value_name = "HOW")]
    pub on_bad_row: Option<OnBadRowArg>,
    /// What one document is: a file, a line, or a message of a mailbox, the latter two with the file's name as their class
    /// [default: a file of a folder, a message of what is a mailbox]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub documents: Option<DocumentsArg>,
    /// How deep the folder is that is a document's class [default: 1]
    #[arg(long, value_name = "N")]
    pub class_depth: Option<usize>,
}

/// What the columns are.
#[derive(Args, Clone)]
#[command(next_help_heading = "What the columns are")]
pub struct ColumnArgs {
    /// What columns are, as in Age=numeric,Zip=category; `*` stands for any text, and "a,b" is one name
    #[arg(long, value_name = "NAME=TYPE,…")]
    pub types: Vec<String>,
    /// Columns to leave out; `*` stands for any text, and "a,b" is one name
    #[arg(long, value_name = "NAME,…")]
    pub ignore: Vec<String>,
    /// The column that says how often a row counts
    #[arg(long, value_name = "NAME")]
    pub weight: Option<String>,
    /// A file that says what the columns are [default: DATA.schema.toml if there is one]
    #[arg(long, value_name = "PATH")]
    pub schema: Option<PathBuf>,
}

/// How texts become words, and what they say.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Texts")]
pub struct TextArgs {
    /// A column whose words count; may be repeated
    #[arg(long, value_name = "NAME")]
    pub text: Vec<String>,
    /// What documents are written in [default: plain]
    #[arg(long = "as", value_enum, value_name = "MARKUP")]
    pub markup: Option<MarkupArg>,
    /// What is left out of postings: headers, quotes, footers
    #[arg(long, value_enum, value_name = "PART,…", value_delimiter = ',')]
    pub strip: Vec<StripArg>,
    /// Where words begin and end: words, regex:<pattern>, chars:<a>-<b> [default: words]
    #[arg(long, value_name = "HOW", value_parser = splitter)]
    pub tokens: Option<Splitter>,
    /// Which marks inside a word belong to it: none, unicode (don't, 3.14) or hyphens as well [default: unicode]
    #[arg(long, value_enum, value_name = "MARKS")]
    pub inner: Option<InnerArg>,
    /// Keep capitals
    #[arg(long)]
    pub keep_case: bool,
    /// Read every digit as D: 1997 is DDDD, 10:30 is DD:DD
    #[arg(long)]
    pub fold_digits: bool,
    /// Leave out the stop words of a language, or those in a file, one a line; may be repeated
    #[arg(long, value_name = "LANGUAGE|FILE")]
    pub stop_words: Vec<String>,
    /// Cut words to their stems, by the rules of a language
    #[arg(long, value_name = "LANGUAGE", value_parser = stemming)]
    pub stem: Option<Stemming>,
    /// Take so many words in a row together, as in 1-2 [default: 1]
    #[arg(long, value_name = "A-B", value_parser = runs)]
    pub ngrams: Option<(usize, usize)>,
    /// Hash words to so many buckets
    #[arg(long, value_name = "N")]
    pub hash: Option<u32>,
    /// Hold so many words and no more: the rarest are dropped while they are counted, and what that cost is told
    #[arg(long, value_name = "N", value_parser = most_words)]
    pub max_vocabulary: Option<usize>,
    /// What kind of event a text is [default: multinomial]
    #[arg(long, value_enum, value_name = "KIND")]
    pub text_model: Option<TextModelArg>,
    /// Only words that are in so many texts count
    #[arg(long, value_name = "N")]
    pub min_texts: Option<u32>,
    /// Only words that are met so often count
    #[arg(long, value_name = "N")]
    pub min_times: Option<u32>,
    /// So many of the most frequent words do not count
    #[arg(long, value_name = "N")]
    pub drop_frequent: Option<usize>,
    /// Only so many words count, those that tell most of the class
    #[arg(long, value_name = "N")]
    pub keep_words: Option<usize>,
    /// How much each word counts: log (the logarithm of its times), idf (rare ones more), and texts brought to a length, unit
    /// (Euclidean) or length:<n> words [default: once a time]
    #[arg(long, value_name = "HOW,…", value_parser = weighing)]
    pub weigh_words: Option<WordWeighing>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MarkupArg {
    Plain,
    Html,
    Mail,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StripArg {
    Headers,
    Quotes,
    Footers,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InnerArg {
    None,
    Unicode,
    Hyphens,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TextModelArg {
    /// Each word is drawn from those of its class
    Multinomial,
    /// Every word of the vocabulary is there or not
    Bernoulli,
    /// Each word speaks against the other classes
    Complement,
    /// The same with weights of one size for all classes
    NormalisedComplement,
    /// As multinomial, of words that come in bursts
    DirichletCompound,
}

fn weighing(text: &str) -> Result<WordWeighing, String> {
    let mut weighing = WordWeighing::default();
    for part in text.split(',') {
        match part.trim() {
            "log" => weighing.log_times = true,
            "idf" => weighing.rarity = true,
            "unit" => weighing.length = TextLength::Euclidean,
            other => match other.strip_prefix("length:").and_then(|n| n.parse::<f64>().ok()) {
                Some(n) if n > 0.0 && n.is_finite() => weighing.length = TextLength::Constant(n),
                _ => return Err("give one or more of log, idf, and unit or length:<n>, with commas between".into()),
            },
        }
    }
    Ok(weighing)
}

fn splitter(text: &str) -> Result<Splitter, String> {
    match text.split_once(':') {
        None if text == "words" => Ok(Splitter::default()),
        Some(("regex", pattern)) => Ok(Splitter::Pattern(pattern.into())),
        Some(("chars", range)) => runs(range).map(|(few, many)| Splitter::Characters(few, many)),
        _ => Err("give words, regex:<pattern> or chars:<a>-<b>".into()),
    }
}

fn runs(text: &str) -> Result<(usize, usize), String> {
    let (few, many) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse::<usize>().ok();
    number(few).zip(number(many)).ok_or_else(|| "give a number, or two with a hyphen between them, as in 1-2".into())
}

fn most_words(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n >= 1).ok_or_else(|| "give a number from 1 on".into())
}

fn stemming(text: &str) -> Result<Stemming, String> {
    serde_json::from_value(serde_json::Value::from(text.to_lowercase())).map_err(|_| {
        "no rules are known for that language; there are arabic, danish, dutch, english, finnish, french, german, greek, hungarian, \
         italian, norwegian, portuguese, romanian, russian, spanish, swedish, tamil and turkish"
            .into()
    })
}

impl TextArgs {
    /// The recipe for words.
    pub fn words(&self) -> Result<Words, Failure> {
        let mut words = Words {
            keep_case: self.keep_case,
            fold_digits: self.fold_digits,
            stemming: self.stem,
            n_buckets: self.hash,
            ..Words::default()
        };
        words.markup = match self.markup {
            None | Some(MarkupArg::Plain) => Markup::Plain,
            Some(MarkupArg::Html) => Markup::Html,
            Some(MarkupArg::Mail) => Markup::Mail,
        };
        words.stripped = Stripped {
            headers: self.strip.contains(&StripArg::Headers),
            quotes: self.strip.contains(&StripArg::Quotes),
            footers: self.strip.contains(&StripArg::Footers),
        };
        words.splitter = self.tokens.clone().unwrap_or_default();
        if let Some(inner) = self.inner {
            let Splitter::Words(marks) = &mut words.splitter else {
                return Err(Failure::Usage("--inner goes with --tokens words".into()));
            };
            *marks = match inner {
                InnerArg::None => Inner::None,
                InnerArg::Unicode => Inner::Unicode,
                InnerArg::Hyphens => Inner::Hyphens,
            };
        }
        words.n_grams = self.ngrams.unwrap_or((1, 1));
        for given in &self.stop_words {
            match stop_words(given) {
                Some(list) => words.stop_words.extend(list),
                None => {
                    let path = PathBuf::from(given);
                    let list =
                        std::fs::read_to_string(&path).map_err(|source| Failure::from(tunbridge::data::DataError::Io { path, source }))?;
                    words.stop_words.extend(list.lines().map(|line| line.trim().to_lowercase()).filter(|word| !word.is_empty()));
                }
            }
        }
        Tokenizer::new(&words).map_err(|e| Failure::Usage(e.to_string()))?;
        Ok(words)
    }

    /// What is read of texts, and how.
    pub fn apply(&self, options: &mut ReadOptions) -> Result<(), Failure> {
        options.text.clone_from(&self.text);
        options.words = self.words()?;
        options.max_vocabulary = self.max_vocabulary;
        Ok(())
    }

    /// Each flag, with whether it is given.
    pub fn given(&self) -> [(&'static str, bool); 18] {
        [
            ("--text", !self.text.is_empty()),
            ("--as", self.markup.is_some()),
            ("--strip", !self.strip.is_empty()),
            ("--tokens", self.tokens.is_some()),
            ("--inner", self.inner.is_some()),
            ("--keep-case", self.keep_case),
            ("--fold-digits", self.fold_digits),
            ("--stop-words", !self.stop_words.is_empty()),
            ("--stem", self.stem.is_some()),
            ("--ngrams", self.ngrams.is_some()),
            ("--hash", self.hash.is_some()),
            ("--max-vocabulary", self.max_vocabulary.is_some()),
            ("--text-model", self.text_model.is_some()),
            ("--min-texts", self.min_texts.is_some()),
            ("--min-times", self.min_times.is_some()),
            ("--drop-frequent", self.drop_frequent.is_some()),
            ("--keep-words", self.keep_words.is_some()),
            ("--weigh-words", self.weigh_words.is_some()),
        ]
    }

    fn event(&self) -> TextEvent {
        match self.text_model {
            None | Some(TextModelArg::Multinomial) => TextEvent::Multinomial,
            Some(TextModelArg::Bernoulli) => TextEvent::Bernoulli,
            Some(TextModelArg::Complement) => TextEvent::Complement,
            Some(TextModelArg::NormalisedComplement) => TextEvent::NormalisedComplement,
            Some(TextModelArg::DirichletCompound) => TextEvent::DirichletCompound,
        }
    }

    fn choice(&self) -> WordChoice {
        WordChoice {
            least_texts: self.min_texts.map_or(0.0, f64::from),
            least_times: self.min_times.map_or(0.0, f64::from),
            drop_most_frequent: self.drop_frequent.unwrap_or(0),
            most_informative: self.keep_words,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub enum HeaderArg {
    Auto,
    Yes,
    No,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum DocumentsArg {
    Files,
    Lines,
    Mbox,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum OnBadRowArg {
    Error,
    Skip,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum UnknownArg {
    Missing,
    Error,
}

impl From<UnknownArg> for UnknownStates {
    fn from(arg: UnknownArg) -> Self {
        match arg {
            UnknownArg::Missing => UnknownStates::Missing,
            UnknownArg::Error => UnknownStates::Error,
        }
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        _ => match text.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
            _ => Err("give one ASCII character, or `tab`".into()),
        },
    }
}

impl ReadArgs {
    pub fn options(&self, common: &Common) -> ReadOptions {
        ReadOptions {
            delimiter: self.delimiter,
            header: match self.header {
                None | Some(HeaderArg::Auto) => Header::Auto,
                Some(HeaderArg::Yes) => Header::Present,
                Some(HeaderArg::No) => Header::Absent,
            },
            missing: self.missing.clone(),
            on_bad_row: match self.on_bad_row {
                None | Some(OnBadRowArg::Error) => OnBadRow::Error,
                Some(OnBadRowArg::Skip) => OnBadRow::Skip,
            },
            documents: self.documents.map(|what| match what {
                DocumentsArg::Files => Cut::Whole,
                DocumentsArg::Lines => Cut::Lines,
                DocumentsArg::Mbox => Cut::Messages,
            }),
            class_depth: self.class_depth.unwrap_or(1),
            threads: common.threads.map_or(0, usize::from),
            ..ReadOptions::default()
        }
    }

    /// That nothing is said of files where one case is given.
    pub fn not_of_files(&self) -> Result<(), Failure> {
        let of_files = [
            ("--delimiter", self.delimiter.is_some()),
            ("--header", self.header.is_some()),
            ("--on-bad-row", self.on_bad_row.is_some()),
            ("--documents", self.documents.is_some()),
            ("--class-depth", self.class_depth.is_some()),
        ];
        refuse(&of_files, "is for files, and this is one case")
    }
}

/// Refuses the first flag that is given where it means nothing.
pub fn refuse(flags: &[(&str, bool)], because: &str) -> Result<(), Failure> {
    match flags.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Failure::Usage(format!("{flag} {because}"))),
        None => Ok(()),
    }
}

impl ColumnArgs {
    pub fn apply(&self, options: &mut ReadOptions, target: Option<&String>) -> Result<(), Failure> {
        for pair in self.types.iter().flat_map(|list| items(list)) {
            let (name, kind) =
                pair.rsplit_once('=').ok_or_else(|| Failure::Usage(format!("--types `{pair}`: write NAME=TYPE, as in Age=numeric")))?;
            let kind: ColumnType = kind.trim().parse().map_err(|e| Failure::Usage(format!("--types `{pair}`: {e}")))?;
            options.types.push((name.trim().into(), kind));
        }
        if let Some(both) = target.filter(|target| self.weight.as_ref() == Some(target)) {
            return Err(Failure::Usage(format!("--target and --weight both name `{both}`: a column plays one part")));
        }
        options.ignore = self.ignore.iter().flat_map(|list| items(list)).collect();
        options.weight.clone_from(&self.weight);
        options.schema.clone_from(&self.schema);
        options.target = target.cloned();
        Ok(())
    }
}

/// What is believed before any data.
#[derive(Args, Clone)]
#[command(next_help_heading = "What is believed before")]
pub struct PriorArgs {
    /// How probabilities are estimated: ml, laplace[:l], m:<m>[:uniform|:empirical|:given], dirichlet:<alpha> [default: laplace:1]
    #[arg(long, value_name = "HOW")]
    pub estimate: Option<Estimate>,
    /// The classes' probabilities: empirical, uniform, laplace[:l], dirichlet:<alpha>, or Yes=0.3,No=0.7 [default: empirical]
    #[arg(long, value_name = "HOW", value_parser = class_prior)]
    pub class_prior: Option<ClassPrior>,
    /// How numbers are seen: gaussian[:<variance smoothing>], student, bins:width[:k], bins:frequency[:k], bins:mdl [default: gaussian]
    #[arg(long, value_name = "HOW")]
    pub numeric: Option<String>,
}

/// What to learn.
#[derive(Args, Clone)]
pub struct LearnerArgs {
    /// The kind of model [default: naive-bayes]
    #[arg(short, long, value_enum, value_name = "KIND")]
    pub model: Option<ModelKind>,
    /// The target holds any number of labels, with this between them: each gets a yes/no model of its own
    #[arg(long, value_name = "SEPARATOR", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub labels: Option<String>,
    /// Where a Bernoulli model cuts numbers in two: above it is present [default: 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub threshold: Option<f64>,
    #[command(flatten)]
    pub prior: PriorArgs,
    #[command(flatten)]
    pub text: TextArgs,
    #[command(flatten)]
    pub unlabelled: UnlabelledArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModelKind {
    /// Independent evidence given the class; states, numbers and gaps in one product
    NaiveBayes,
    /// Presence and absence of every state
    Bernoulli,
    /// The class whose mean is nearest
    NearestCentroid,
}

/// A class's name may hold commas, in quotes.
fn class_prior(text: &str) -> Result<ClassPrior, String> {
    if !text.contains('"') {
        return text.parse::<ClassPrior>().map_err(|e| e.to_string());
    }
    let pair = |item: String| {
        let (class, p) = item.rsplit_once('=')?;
        Some((class.to_string(), p.trim().parse::<f64>().ok()?))
    };
    let items = items(text);
    let n_items = items.len();
    let given: Option<BTreeMap<String, f64>> = items.into_iter().map(pair).collect();
    // A class that is named twice is one entry less.
    let given = given.filter(|given| given.len() == n_items);
    given.map(ClassPrior::Given).ok_or_else(|| "give each class one probability, as in '\"a,b\"=0.3,c=0.7'".into())
}

impl PriorArgs {
    /// What is believed before, and how numbers are cut into bins, if they are.
    pub fn prior(&self) -> Result<(NaiveBayesPrior, Option<Discretisation>), Failure> {
        let mut prior = NaiveBayesPrior {
            estimate: self.estimate.clone().unwrap_or_default(),
            class: self.class_prior.clone().unwrap_or_default(),
            ..NaiveBayesPrior::default()
        };
        let mut bins = None;
        if let Some(numeric) = &self.numeric {
            if numeric.starts_with("bins") {
                bins = Some(numeric.parse::<Discretisation>().map_err(|e| Failure::Usage(format!("--numeric: {e}")))?);
            } else {
                prior.numeric = numeric
                    .parse::<NumericModel>()
                    .map_err(|e| Failure::Usage(format!("--numeric: {e}, bins:width[:k], bins:frequency[:k], bins:mdl")))?;
            }
        }
        Ok((prior, bins))
    }

    /// Each flag, with whether it is given.
    pub fn given(&self) -> [(&'static str, bool); 3] {
        [("--estimate", self.estimate.is_some()), ("--class-prior", self.class_prior.is_some()), ("--numeric", self.numeric.is_some())]
    }
}

impl LearnerArgs {
    /// The prior, and how numbers are cut into bins, if they are.
    pub fn prior(&self) -> Result<(NaiveBayesPrior, Option<Discretisation>), Failure> {
        let (mut prior, bins) = self.prior.prior()?;
        if self.threshold.is_some_and(|threshold| !threshold.is_finite()) {
            return Err(Failure::Usage("--threshold must be a finite number".into()));
        }
        if self.model != Some(ModelKind::Bernoulli) {
            refuse(&[("--threshold", self.threshold.is_some())], "goes with --model bernoulli")?;
        }
        prior.text = match (self.model, self.text.text_model) {
            (Some(ModelKind::Bernoulli), None) => TextEvent::Bernoulli,
            _ => self.text.event(),
        };
        prior.words = self.text.choice();
        prior.event = match self.model {
            None | Some(ModelKind::NaiveBayes) => EventModel::Categorical,
            Some(ModelKind::Bernoulli) => {
                refuse(&self.prior.given()[2..], "does not go with --model bernoulli, which cuts numbers in two at --threshold")?;
                EventModel::Bernoulli
            }
            Some(ModelKind::NearestCentroid) => {
                refuse(&self.prior.given(), "does not go with --model nearest-centroid, which believes nothing before")?;
                EventModel::NearestCentroid
            }
        };
        Ok((prior, bins))
    }

    /// Where a Bernoulli model cuts numbers in two.
    pub fn threshold(&self) -> f64 {
        self.threshold.unwrap_or(0.0)
    }
}

#[derive(Args)]
#[command(
    after_help = "Examples:\n  tunbridge learn examples/play_tennis.csv --target PlayTennis\n  tunbridge learn examples/mail\n  tunbridge learn tickets.csv --text body --target team\n  tunbridge learn mail/ --costs 'spam|ham=9'\n  tunbridge learn spam.mbox ham.mbox --as mail\n  tunbridge learn spam.txt ham.txt --documents lines\n  tunbridge learn news.jsonl --text body --target topics --labels ';'"
)]
pub struct LearnArgs {
    /// Files with the same columns (CSV, TSV, ARFF, JSON Lines, Parquet, Arrow; .gz and .zst too), globs, - for standard input, a folder
    /// of documents with a folder for each class, or a mailbox for each class
    #[arg(required = true, value_name = "DATA")]
    pub data: Vec<PathBuf>,
    /// The column to predict
    #[arg(short, long, value_name = "NAME")]
    pub target: Option<String>,
    /// How to judge the model, and its calibration: loo (each row by the model of all others), folds:<k>, or none
    #[arg(long, value_name = "HOW", default_value = "loo", value_parser = evaluation_plan)]
    pub evaluate: tunbridge::EvaluationPlan,
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
    pub columns: ColumnArgs,
    #[command(flatten)]
    pub read: ReadArgs,
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
    after_help = "Examples:\n  tunbridge classify play_tennis.tb new_days.csv -o answers.csv\n  tunbridge classify play_tennis.tb Outlook=Sunny Wind=Strong\n  tunbridge classify mail.tb new/ --costs 'spam|ham=9'\n  tunbridge classify mail.tb new.txt --documents lines\n  tunbridge classify mail.tb - < message.txt"
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
    /// Write the answers only, without the columns of the data
    #[arg(long)]
    pub answers_only: bool,
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
    after_help = "Examples:\n  tunbridge show play_tennis.tb\n  tunbridge show mail.tb --by ratio --top 20 --min-texts 3\n  tunbridge show play_tennis.tb --format json"
)]
pub struct ShowArgs {
    /// The model
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
    #[arg(long, value_name = "N", value_parser = most_words, help_heading = "Texts")]
    pub max_vocabulary: Option<usize>,
    #[command(flatten)]
    pub prior: PriorArgs,
}

#[derive(Args)]
#[command(
    after_help = "What was believed before is said only where the models differ in it.\n\nExample:\n  tunbridge merge north.tb south.tb -o both.tb"
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
    pub prior: PriorArgs,
}

#[derive(Args)]
#[command(after_help = "Example:\n  tunbridge diff before.tb after.tb")]
pub struct DiffArgs {
    /// The model before
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// The model after
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// How many beliefs to list [default: 20, with --format json all]
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
}

#[derive(Args)]
#[command(
    after_help = "Examples:\n  tunbridge evaluate play_tennis.tb other_days.csv\n  tunbridge evaluate examples/play_tennis.csv --target PlayTennis --folds 7\n  tunbridge evaluate train.csv --target Y --test test.csv\n  tunbridge evaluate mail/ --folds 10 --costs 'spam|ham=9'"
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
    /// What to do with a value of the test file that is no known state [default: missing]
    #[arg(long, value_enum, value_name = "HOW")]
    pub unknown_states: Option<UnknownArg>,
    #[command(flatten)]
    pub learner: LearnerArgs,
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
