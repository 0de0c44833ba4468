//! Flags about texts: how they become words, which words count, and what they say.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tunbridge::belief::TextLength;
use tunbridge::data::ReadOptions;
use tunbridge::data::words::{Inner, Markup, Splitter, Stemming, Stripped, Tokenizer, Words, listed_stop_words, stop_words};
use tunbridge::learners::{TextEvent, WordChoice, WordWeighing};

use crate::Failure;
use crate::args::refuse;

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
    #[arg(long, value_name = "N", value_parser = from_one)]
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
    // No text is so long, and counts of such would be no numbers in the end.
    const LONGEST: f64 = 1e9;
    let (mut weighing, mut lengths) = (WordWeighing::default(), Vec::new());
    for part in text.split(',') {
        match part.trim() {
            "log" => weighing.log_times = true,
            "idf" => weighing.rarity = true,
            "unit" => lengths.push(TextLength::Euclidean),
            other => match other.strip_prefix("length:").and_then(|n| n.parse::<f64>().ok()) {
                Some(n) if n > 0.0 && n <= LONGEST => lengths.push(TextLength::Constant(n)),
                _ => return Err("give one or more of log, idf, and unit or length:<n>, n up to 1e9, with commas between".into()),
            },
        }
    }
    if lengths.len() > 1 {
        return Err("a text has one length: give unit or length:<n>".into());
    }
    weighing.length = lengths.pop().unwrap_or_default();
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

pub fn from_one(text: &str) -> Result<usize, String> {
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
        if matches!(words.splitter, Splitter::Characters(..)) {
            let of_words =
                [("--ngrams", self.ngrams.is_some()), ("--stem", self.stem.is_some()), ("--stop-words", !self.stop_words.is_empty())];
            refuse(&of_words, "is for words, and --tokens chars has none")?;
        }
        words.n_grams = self.ngrams.unwrap_or((1, 1));
        for given in &self.stop_words {
            match stop_words(given) {
                Some(list) => words.stop_words.extend(list),
                None => {
                    let path = PathBuf::from(given);
                    if !path.exists() {
                        let what = format!("--stop-words: `{given}` is no file, and no language with a list");
                        let hint = Some("name a file, or a language such as english, german or fr".into());
                        return Err(tunbridge::data::DataError::Columns { what, hint }.into());
                    }
                    let list = std::fs::read(&path).map_err(|source| Failure::from(tunbridge::data::DataError::Io { path, source }))?;
                    words.stop_words.extend(listed_stop_words(&list, self.keep_case));
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

    /// Each flag, with whether it is given: first those of [`Self::given_of_reading`], then those of [`Self::given_of_model`].
    pub fn given(&self) -> Vec<(&'static str, bool)> {
        [&self.given_of_reading()[..], &self.given_of_model()].concat()
    }

    /// The flags about how texts become words.
    pub fn given_of_reading(&self) -> [(&'static str, bool); 12] {
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
        ]
    }

    /// The flags about which words count, and what they say.
    pub fn given_of_model(&self) -> [(&'static str, bool); 6] {
        [
            ("--text-model", self.text_model.is_some()),
            ("--min-texts", self.min_texts.is_some()),
            ("--min-times", self.min_times.is_some()),
            ("--drop-frequent", self.drop_frequent.is_some()),
            ("--keep-words", self.keep_words.is_some()),
            ("--weigh-words", self.weigh_words.is_some()),
        ]
    }

    pub fn event(&self) -> TextEvent {
        match self.text_model {
            None | Some(TextModelArg::Multinomial) => TextEvent::Multinomial,
            Some(TextModelArg::Bernoulli) => TextEvent::Bernoulli,
            Some(TextModelArg::Complement) => TextEvent::Complement,
            Some(TextModelArg::NormalisedComplement) => TextEvent::NormalisedComplement,
            Some(TextModelArg::DirichletCompound) => TextEvent::DirichletCompound,
        }
    }

    pub fn choice(&self) -> WordChoice {
        WordChoice {
            least_texts: self.min_texts.map_or(0.0, f64::from),
            least_times: self.min_times.map_or(0.0, f64::from),
            drop_most_frequent: self.drop_frequent.unwrap_or(0),
            most_informative: self.keep_words,
        }
    }
}
