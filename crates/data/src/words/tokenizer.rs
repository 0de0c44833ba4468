//! Every choice that makes words of a text, kept with the model so that classifying reads as learning did.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

use hashbrown::HashSet;
use regex::Regex;
use rust_stemmers::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};

use super::decode::text_of;
use super::markup::{self, Markup, Stripped};
use super::message;
use super::split::{Inner, each_place, each_word};
use super::vocabulary::{Found, ShortWord};

/// How documents become words: a part of the recipe.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `markup` | plain | what documents are written in |
/// | `stripped` | nothing | what is left out of postings |
/// | `splitter` | words of Unicode | where words begin and end |
/// | `keep_case` | no | whether "Polish" is not "polish" |
/// | `fold_digits` | no | "1997" becomes "DDDD", and "10:30" "DD:DD" |
/// | `stop_words` | none | words left out |
/// | `stemming` | none | words cut to their stems |
/// | `n_grams` | 1 to 1 | how many words in a row are taken together |
/// | `n_buckets` | none | words are hashed to so many |
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Words {
    /// What documents are written in.
    pub markup: Markup,
    /// What is left out of postings.
    pub stripped: Stripped,
    /// Where words begin and end.
    pub splitter: Splitter,
    /// Whether capitals are kept.
    pub keep_case: bool,
    /// Whether every digit is read as `D`.
    pub fold_digits: bool,
    /// Words that are left out, as they are after lower-casing.
    pub stop_words: BTreeSet<String>,
    /// Whether words are cut to their stems.
    pub stemming: Option<Stemming>,
    /// The fewest and the most words that are taken together.
    pub n_grams: (usize, usize),
    /// How many buckets words are hashed to.
    pub n_buckets: Option<u32>,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            markup: Markup::default(),
            stripped: Stripped::default(),
            splitter: Splitter::default(),
            keep_case: false,
            fold_digits: false,
            stop_words: BTreeSet::new(),
            stemming: None,
            n_grams: (1, 1),
            n_buckets: None,
        }
    }
}

impl Words {
    /// What a person says who gives a text by hand: markup is read as in documents, but a line or two have no headers, quotes and footers
    /// that could be left out. "Reminder: the meeting" is no message.
    pub fn text_by_hand(&self, text: &str) -> String {
        let is_plain = self.markup == Markup::Mail && !message::has_header(text.as_bytes());
        let markup = if is_plain { Markup::Plain } else { self.markup };
        markup::text(text.as_bytes(), markup, Stripped::default()).0.into_owned()
    }
}

/// Where words begin and end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Splitter {
    /// The word boundaries of Unicode.
    Words(Inner),
    /// What a regular expression matches, or its first group if it has one.
    Pattern(String),
    /// Runs of so few to so many characters, white space taken together.
    Characters(usize, usize),
}

impl Default for Splitter {
    fn default() -> Self {
        Splitter::Words(Inner::default())
    }
}

/// A language whose words can be cut to their stems, by Snowball's rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "languages")]
pub enum Stemming {
    Arabic,
    Danish,
    Dutch,
    English,
    Finnish,
    French,
    German,
    Greek,
    Hungarian,
    Italian,
    Norwegian,
    Portuguese,
    Romanian,
    Russian,
    Spanish,
    Swedish,
    Tamil,
    Turkish,
}

/// Why no words can be made so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotWords {
    /// The regular expression is none, or too large.
    #[error("the pattern `{pattern}` cannot be read: {what}")]
    Pattern {
        /// What was given.
        pattern: String,
        /// Why not.
        what: String,
    },
    /// Runs of words or characters from a to b need 1 ≤ a ≤ b ≤ 16.
    #[error("runs of {0} to {1} are not from 1 to {MOST_IN_A_ROW}, the shorter first")]
    Runs(usize, usize),
    /// There must be two buckets at least.
    #[error("{0} buckets are too few")]
    Buckets(u32),
}

const MOST_IN_A_ROW: usize = 16;

/// Follows a recipe; can be shared by threads.
pub struct Tokenizer {
    pub(super) words: Words,
    pub(super) pattern: Option<Regex>,
    pub(super) stop_words: HashSet<String>,
    stemmer: Option<Stemmer>,
}

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_tuple("Tokenizer").field(&self.words).finish()
    }
}

impl Tokenizer {
    /// Prepares to follow a recipe.
    ///
    /// # Errors
    /// When the recipe asks for what cannot be.
    pub fn new(words: &Words) -> Result<Self, NotWords> {
        let runs = |(few, many): (usize, usize)| {
            if 1 <= few && few <= many && many <= MOST_IN_A_ROW { Ok(()) } else { Err(NotWords::Runs(few, many)) }
        };
        runs(words.n_grams)?;
        if let Splitter::Characters(few, many) = words.splitter {
            runs((few, many))?;
        }
        if let Some(n) = words.n_buckets.filter(|n| *n < 2) {
            return Err(NotWords::Buckets(n));
        }
        let pattern = match &words.splitter {
            Splitter::Pattern(pattern) => {
                Some(Regex::new(pattern).map_err(|e| NotWords::Pattern { pattern: pattern.clone(), what: e.to_string() })?)
            }
            _ => None,
        };
        Ok(Self {
            pattern,
            stop_words: words.stop_words.iter().cloned().collect(),
            stemmer: words.stemming.map(|language| Stemmer::create(language.algorithm())),
            words: words.clone(),
        })
    }

    /// The recipe.
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// Hands on the words of a document, in order; tells whether it had to be taken for Windows-1252.
    pub fn each_word(&self, document: &[u8], mut word: impl FnMut(&[u8])) -> bool {
        self.each_to_look_up(document, |found| hand_on(found, &mut word))
    }

    /// The same for a text.
    pub fn each_word_of_text(&self, text: &str, mut word: impl FnMut(&[u8])) {
        self.each_of_text(text, &mut |found| hand_on(found, &mut word));
    }

    /// The same as [`Self::each_word`], for those who look words up.
    #[inline]
    pub(crate) fn each_to_look_up(&self, document: &[u8], mut take: impl FnMut(Found<'_>)) -> bool {
        let (text, legacy) = markup::text(document, self.words.markup, self.words.stripped);
        self.each_of_text(&text, &mut take);
        legacy
    }

    #[inline]
    fn each_of_text(&self, text: &str, take: &mut impl FnMut(Found<'_>)) {
        match self.words.splitter {
            Splitter::Words(inner) if self.is_plain() => each_place(text, inner, |start, end| lower(text, start, end, take)),
            _ => self.each_run(text, &mut |word: &[u8]| take(word.into())),
        }
    }

    /// Whether words are only lower-cased.
    fn is_plain(&self) -> bool {
        let words = &self.words;
        !words.keep_case
            && !words.fold_digits
            && self.stop_words.is_empty()
            && self.stemmer.is_none()
            && words.n_grams == (1, 1)
            && words.n_buckets.is_none()
    }

    fn each_run(&self, text: &str, word: &mut impl FnMut(&[u8])) {
        let n_buckets = self.words.n_buckets;
        let mut hand_on = |found: &[u8]| match n_buckets {
            None => word(found),
            Some(n) => word(bucket(found, n).as_bytes()),
        };
        if let Splitter::Characters(few, many) = self.words.splitter {
            return self.each_run_of_characters(text, few, many, &mut hand_on);
        }
        let (few, many) = self.words.n_grams;
        let mut last: VecDeque<String> = VecDeque::with_capacity(many);
        let mut run = String::new();
        let take = |found: &str| {
            let Some(found) = self.normal(found) else { return };
            if many == 1 {
                return hand_on(found.as_bytes());
            }
            if last.len() == many {
                last.pop_front();
            }
            last.push_back(found.into_owned());
            run.clear();
            for (n, earlier) in last.iter().rev().enumerate() {
                run.insert_str(0, if n == 0 { "" } else { " " });
                run.insert_str(0, earlier);
                if n + 1 >= few {
                    hand_on(run.as_bytes());
                }
            }
        };
        self.each_found(&self.lowered(text), take);
    }

    /// The text that words are looked for in. A pattern sees small letters, as in scikit-learn: `[a-z]+` finds `Hello` whole.
    pub(super) fn lowered<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.pattern.is_some() && !self.words.keep_case { text.to_lowercase().into() } else { text.into() }
    }

    /// The words of a text as they stand in it.
    pub(super) fn each_found<'t>(&self, text: &'t str, mut take: impl FnMut(&'t str)) {
        match (&self.pattern, &self.words.splitter) {
            (Some(pattern), _) if pattern.captures_len() > 1 => {
                pattern.captures_iter(text).filter_map(|found| found.get(1)).for_each(|found| take(found.as_str()));
            }
            (Some(pattern), _) => pattern.find_iter(text).for_each(|found| take(found.as_str())),
            (None, Splitter::Words(inner)) if self.words.fold_digits => each_word_or_time(text, *inner, &mut take),
            (None, Splitter::Words(inner)) => each_word(text, *inner, take),
            (None, _) => {}
        }
    }

    /// A word as it is counted, or nothing if it is left out.
    pub(super) fn normal<'w>(&self, word: &'w str) -> Option<Cow<'w, str>> {
        let mut word: Cow<'w, str> =
            if self.words.keep_case || !word.contains(has_lower_case) { word.into() } else { word.to_lowercase().into() };
        if word.is_empty() || self.stop_words.contains(word.as_ref()) {
            return None;
        }
        if let Some(stemmer) = &self.stemmer {
            // Snowball knows but one apostrophe.
            if word.contains('’') {
                word = word.replace('’', "'").into();
            }
            word = stemmer.stem(&word).into_owned().into();
        }
        if self.words.fold_digits && word.contains(|c: char| c.is_ascii_digit()) {
            word = word.replace(|c: char| c.is_ascii_digit(), "D").into();
        }
        (!word.is_empty()).then_some(word)
    }

    fn each_run_of_characters(&self, text: &str, few: usize, many: usize, hand_on: &mut impl FnMut(&[u8])) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        let text = if self.words.keep_case { text } else { text.to_lowercase() };
        let text = if self.words.fold_digits { text.replace(|c: char| c.is_ascii_digit(), "D") } else { text };
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        for n in few..=many {
            for ends in starts.windows(n + 1) {
                let run = &text[ends[0]..ends[n]];
                if !self.stop_words.contains(run) {
                    hand_on(run.as_bytes());
                }
            }
        }
    }
}

/// The name of a word's bucket; it does not depend on the machine.
pub(super) fn bucket(word: &[u8], n_buckets: u32) -> String {
    format!("#{}", crc32fast::hash(word) % n_buckets)
}

/// Words, and times of the day as one: digits with colons between them.
fn each_word_or_time<'t>(text: &'t str, inner: Inner, take: &mut impl FnMut(&'t str)) {
    let start = text.as_ptr() as usize;
    let place = |word: &str| word.as_ptr() as usize - start;
    let ends_in_digit = |word: &str| word.ends_with(|c: char| c.is_ascii_digit());
    let mut held: Option<(usize, usize)> = None;
    each_word(text, inner, |word| {
        let (from, to) = (place(word), place(word) + word.len());
        held = Some(match held {
            Some((first, end))
                if end + 1 == from
                    && text.as_bytes()[end] == b':'
                    && ends_in_digit(&text[first..end])
                    && word.starts_with(|c: char| c.is_ascii_digit()) =>
            {
                (first, to)
            }
            Some((first, end)) => {
                take(&text[first..end]);
                (from, to)
            }
            None => (from, to),
        });
    });
    if let Some((first, end)) = held {
        take(&text[first..end]);
    }
}

/// Hands on a word of a text in small letters.
#[inline]
fn lower(text: &str, start: usize, end: usize, take: &mut impl FnMut(Found<'_>)) {
    let len = end - start;
    if len <= ShortWord::LONGEST
        && let Some(sixteen) = text.as_bytes().get(start..start + 16).and_then(|sixteen| sixteen.first_chunk::<16>())
        && let Some(short) = ShortWord::lowered(*sixteen, len)
    {
        take(Found::Short(short));
    } else {
        lower_slowly(&text[start..end], take);
    }
}

/// A long word, one beyond ASCII, or one at the end of a text.
#[cold]
fn lower_slowly(word: &str, take: &mut impl FnMut(Found<'_>)) {
    if word.is_ascii() { take(word.to_ascii_lowercase().as_bytes().into()) } else { take(word.to_lowercase().as_bytes().into()) }
}

/// Hands on a word as its bytes.
fn hand_on(found: Found<'_>, word: &mut impl FnMut(&[u8])) {
    match found {
        Found::Long(bytes) => word(bytes),
        Found::Short(short) => {
            let (bytes, len) = short.bytes();
            word(&bytes[..len]);
        }
    }
}

impl Stemming {
    fn algorithm(self) -> Algorithm {
        match self {
            Stemming::Arabic => Algorithm::Arabic,
            Stemming::Danish => Algorithm::Danish,
            Stemming::Dutch => Algorithm::Dutch,
            Stemming::English => Algorithm::English,
            Stemming::Finnish => Algorithm::Finnish,
            Stemming::French => Algorithm::French,
            Stemming::German => Algorithm::German,
            Stemming::Greek => Algorithm::Greek,
            Stemming::Hungarian => Algorithm::Hungarian,
            Stemming::Italian => Algorithm::Italian,
            Stemming::Norwegian => Algorithm::Norwegian,
            Stemming::Portuguese => Algorithm::Portuguese,
            Stemming::Romanian => Algorithm::Romanian,
            Stemming::Russian => Algorithm::Russian,
            Stemming::Spanish => Algorithm::Spanish,
            Stemming::Swedish => Algorithm::Swedish,
            Stemming::Tamil => Algorithm::Tamil,
            Stemming::Turkish => Algorithm::Turkish,
        }
    }
}

/// Whether a letter has another one for its lower case; there are some that are neither upper nor lower case, as the first of ǅ.
fn has_lower_case(letter: char) -> bool {
    if letter.is_ascii() { letter.is_ascii_uppercase() } else { letter.to_lowercase().ne([letter]) }
}

/// The stop words of a language, by its two letters (ISO 639-1) or its English name: those of stopwords-iso. A word with an apostrophe is
/// there with a typographic one too.
pub fn stop_words(language: &str) -> Option<BTreeSet<String>> {
    let language = language.to_lowercase();
    let code = match language.as_str() {
        "arabic" => "ar",
        "greek" => "el",
        "hungarian" => "hu",
        "romanian" => "ro",
        "danish" => "da",
        "dutch" => "nl",
        "english" => "en",
        "finnish" => "fi",
        "french" => "fr",
        "german" => "de",
        "italian" => "it",
        "norwegian" => "no",
        "portuguese" => "pt",
        "russian" => "ru",
        "spanish" => "es",
        "swedish" => "sv",
        "turkish" => "tr",
        other => other,
    };
    let found = stop_words::lookup(code)?;
    Some(found.iter().flat_map(|word| with_either_apostrophe(&word.to_lowercase())).collect())
}

/// The stop words of a list with a word a line, read as texts are and with either apostrophe.
pub fn listed_stop_words(list: &[u8], keep_case: bool) -> BTreeSet<String> {
    let (list, _) = text_of(list);
    let as_met = |word: &str| if keep_case { word.to_string() } else { word.to_lowercase() };
    let words = list.lines().map(|line| as_met(line.trim())).filter(|word| !word.is_empty());
    words.flat_map(|word| with_either_apostrophe(&word)).collect()
}

fn with_either_apostrophe(word: &str) -> [String; 2] {
    [word.replace('\'', "’"), word.replace('’', "'")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words_of(words: &Words, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        Tokenizer::new(words).unwrap().each_word(text.as_bytes(), |word| found.push(String::from_utf8(word.to_vec()).unwrap()));
        found
    }

    const TEXT: &str = "The cats of Genève were running at 10:30, in 1997.";

    #[test]
    fn by_default_words_in_small_letters() {
        let found = words_of(&Words::default(), TEXT);
        assert_eq!(found, ["the", "cats", "of", "genève", "were", "running", "at", "10", "30", "in", "1997"]);
    }

    #[test]
    fn stop_words_go_before_stems_and_stems_before_runs() {
        let words =
            Words { stop_words: stop_words("english").unwrap(), stemming: Some(Stemming::English), n_grams: (1, 2), ..Words::default() };
        let found = words_of(&words, "The cats of Genève were running");
        assert_eq!(found, ["cat", "genèv", "cat genèv", "run", "genèv run"]);
    }

    #[test]
    fn stems_are_the_same_with_either_apostrophe() {
        let stems = |language, text: &str| words_of(&Words { stemming: Some(language), ..Words::default() }, text);
        assert_eq!(stems(Stemming::English, "Dog’s dog's it’s it's"), ["dog", "dog", "it", "it"]);
        assert_eq!(stems(Stemming::French, "l’été"), stems(Stemming::French, "l'été"));
        assert_eq!(words_of(&Words::default(), "dog’s"), ["dog’s"]);
    }

    #[test]
    fn a_line_with_a_colon_is_no_header_of_a_text_by_hand() {
        let mail = Words { markup: Markup::Mail, ..Words::default() };
        for text in ["Reminder: the meeting", "Reminder: the meeting\n", "note: one\nand two\n\nmore", "caf&eacute;"] {
            assert_eq!(mail.text_by_hand(text), text);
        }
        assert_eq!(mail.text_by_hand("To: a@b.c\nSubject: =?utf-8?Q?caf=C3=A9?=\n\nthe meeting").trim_end(), "café\n\nthe meeting");
    }

    #[test]
    fn digits_have_a_shape() {
        let found = words_of(&Words { fold_digits: true, keep_case: true, ..Words::default() }, TEXT);
        assert_eq!(found, ["The", "cats", "of", "Genève", "were", "running", "at", "DD:DD", "in", "DDDD"]);
    }

    #[test]
    fn a_pattern_finds_words_as_scikit_learn_does() {
        let words = Words { splitter: Splitter::Pattern(r"\b\w\w+\b".into()), ..Words::default() };
        assert_eq!(words_of(&words, "I don't ABC a_b"), ["don", "abc", "a_b"]);
        let words = Words { splitter: Splitter::Pattern(r"(\w)\w*".into()), ..Words::default() };
        assert_eq!(words_of(&words, "alpha beta"), ["a", "b"]);
    }

    #[test]
    fn a_pattern_sees_small_letters_unless_case_is_kept() {
        let words = Words { splitter: Splitter::Pattern("[a-z]+".into()), ..Words::default() };
        assert_eq!(words_of(&words, "Hello World foo"), ["hello", "world", "foo"]);
        assert_eq!(words_of(&Words { keep_case: true, ..words }, "Hello World foo"), ["ello", "orld", "foo"]);
    }

    #[test]
    fn characters_in_a_row() {
        let words = Words { splitter: Splitter::Characters(2, 3), ..Words::default() };
        assert_eq!(words_of(&words, "Né  a"), ["né", "é ", " a", "né ", "é a"]);
        assert_eq!(words_of(&words, "x"), Vec::<String>::new());
    }

    #[test]
    fn buckets_bound_the_number_of_words() {
        let words = Words { n_buckets: Some(8), ..Words::default() };
        let found: BTreeSet<String> = words_of(&words, &(0..1000).map(|n| format!("w{n} ")).collect::<String>()).into_iter().collect();
        assert_eq!(found.len(), 8);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        /// Pages and messages, whole and mangled, in every way of reading.
        #[test]
        fn no_bytes_make_a_tokenizer_panic(
            pieces in proptest::collection::vec(prop_oneof![
                "<[a-z!/]{0,6}[ ='\"a-z>]{0,6}",
                "&[#a-zx0-9]{0,9};?",
                "(Content-Type: (multipart/mixed; boundary=x|text/html; charset=[a-z0-9-]{0,12})|--x|--x--|Subject: =\\?utf-8\\?[qb]\\?[A-Za-z=0-9]{0,9}\\?=)\r?\n",
                "Content-Transfer-Encoding: (base64|quoted-printable)\n\n[A-Za-z0-9=/+]{0,12}",
                ".{0,8}",
            ], 0..12),
            noise in proptest::collection::vec(any::<u8>(), 0..20),
            at in 0..200_usize,
        ) {
            let mut bytes = pieces.concat().into_bytes();
            let at = at.min(bytes.len());
            bytes.splice(at..at, noise);
            for markup in [Markup::Plain, Markup::Html, Markup::Mail] {
                let stripped = Stripped { headers: at % 2 == 0, quotes: true, footers: at % 3 == 0 };
                for splitter in [Splitter::Words(Inner::Hyphens), Splitter::Pattern(r"\w+".into()), Splitter::Characters(1, 4)] {
                    let words = Words { markup, stripped, splitter, stemming: Some(Stemming::English), fold_digits: true, n_grams: (1, 3), ..Words::default() };
                    let mut n = 0;
                    Tokenizer::new(&words).unwrap().each_word(&bytes, |word| n += usize::from(std::str::from_utf8(word).is_ok()));
                    prop_assert!(n < usize::MAX);
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let refused = |words: Words| Tokenizer::new(&words).unwrap_err().to_string();
        assert!(refused(Words { splitter: Splitter::Pattern("(".into()), ..Words::default() }).contains("cannot be read"));
        assert!(refused(Words { n_grams: (2, 1), ..Words::default() }).contains("runs of 2 to 1"));
        assert!(refused(Words { n_buckets: Some(1), ..Words::default() }).contains("too few"));
    }
}
