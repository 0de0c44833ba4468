//! The words of a text with where they stand in it, so that a document can be shown with what its words say.
//!
//! This is the slow way: it makes the same words as [`Tokenizer::each_word`], in the same order, and remembers where each came from.
//! The text is the one that words are made of: decoded, unpacked and stripped.

use std::collections::VecDeque;
use std::ops::Range;

use super::markup;
use super::tokenizer::{Splitter, Tokenizer, bucket};

/// A text, and its words in the order in which they are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkedText {
    /// The text that words are made of.
    pub text: String,
    /// Its words.
    pub words: Vec<MarkedWord>,
}

/// A word as it is counted, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedWord {
    /// The word, or the run of words or characters, or the bucket.
    pub word: String,
    /// The bytes of the text that it covers, in order: one place for each word of a run, and for each character of a run of
    /// characters, where white space is one.
    pub places: Vec<Range<usize>>,
}

impl Tokenizer {
    /// The text of a document with its words.
    ///
    /// ```
    /// use tunbridge_data::words::{Tokenizer, Words};
    /// let words = Words { n_grams: (2, 2), ..Words::default() };
    /// let marked = Tokenizer::new(&words)?.marked(b"Free, FREE prize");
    /// assert_eq!(marked.words[1].word, "free prize");
    /// let covered: Vec<&str> = marked.words[1].places.iter().map(|place| &marked.text[place.clone()]).collect();
    /// assert_eq!(covered, ["FREE", "prize"]);
    /// # Ok::<(), tunbridge_data::words::NotWords>(())
    /// ```
    pub fn marked(&self, document: &[u8]) -> MarkedText {
        self.marked_text(markup::text(document, self.words.markup, self.words.stripped).0.into_owned())
    }

    /// The same for a text that is taken as it is.
    pub fn marked_text(&self, text: String) -> MarkedText {
        let mut words = Vec::new();
        let mut mark = |word: &str, places: Vec<Range<usize>>| {
            let word = self.words.n_buckets.map_or_else(|| word.to_string(), |n| bucket(word.as_bytes(), n));
            words.push(MarkedWord { word, places });
        };
        if let Splitter::Characters(few, many) = self.words.splitter {
            self.mark_characters(&text, few, many, &mut mark);
        } else {
            self.mark_words(&text, &mut mark);
        }
        MarkedText { text, words }
    }

    fn mark_words(&self, text: &str, mark: &mut impl FnMut(&str, Vec<Range<usize>>)) {
        let (few, many) = self.words.n_grams;
        let mut last: VecDeque<(String, Range<usize>)> = VecDeque::with_capacity(many);
        let lowered = self.lowered(text);
        let origin = origin(text, &lowered);
        let take = |found: &str| {
            let start = found.as_ptr() as usize - lowered.as_ptr() as usize;
            let Some(normal) = self.normal(found) else { return };
            if last.len() == many {
                last.pop_front();
            }
            last.push_back((normal.into_owned(), origin(start)..origin(start + found.len())));
            for n in few..=last.len() {
                let run = last.range(last.len() - n..);
                let words: Vec<&str> = run.clone().map(|(word, _)| word.as_str()).collect();
                mark(&words.join(" "), run.map(|(_, place)| place.clone()).collect());
            }
        };
        self.each_found(&lowered, take);
    }

    fn mark_characters(&self, text: &str, few: usize, many: usize, mark: &mut impl FnMut(&str, Vec<Range<usize>>)) {
        // Where each character of what is counted came from. In small letters a character may be two, and none is less than one.
        let (mut flat, mut origin): (String, Vec<Range<usize>>) = (String::new(), Vec::new());
        for word in text.split_whitespace() {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            if let Some(before) = origin.last().map(|place| place.end) {
                flat.push(' ');
                origin.push(before..start);
            }
            for (at, c) in word.char_indices() {
                flat.push(c);
                let n = if self.words.keep_case { 1 } else { c.to_lowercase().count() };
                origin.extend(std::iter::repeat_n(start + at..start + at + c.len_utf8(), n));
            }
        }
        let flat = if self.words.keep_case { flat } else { flat.to_lowercase() };
        let flat = if self.words.fold_digits { flat.replace(|c: char| c.is_ascii_digit(), "D") } else { flat };
        let starts: Vec<usize> = flat.char_indices().map(|(at, _)| at).chain([flat.len()]).collect();
        for n in few..=many {
            for (place, ends) in starts.windows(n + 1).enumerate() {
                let run = &flat[ends[0]..ends[n]];
                if !self.stop_words.contains(run) {
                    let mut places = origin[place..place + n].to_vec();
                    places.dedup();
                    mark(run, places);
                }
            }
        }
    }
}

/// Where a place of a text in small letters is in the text itself.
///
/// A character may become several; the place between them is behind it, so that no two words have the same character.
fn origin(text: &str, lowered: &str) -> impl Fn(usize) -> usize {
    let mut places = Vec::new();
    // Letters of ASCII stay where they are.
    if !text.is_ascii() && lowered != text {
        for (at, c) in text.char_indices() {
            let len: usize = c.to_lowercase().map(char::len_utf8).sum();
            places.push(at);
            places.extend(std::iter::repeat_n(at + c.len_utf8(), len - 1));
        }
        places.push(text.len());
    }
    move |place| places.get(place).copied().unwrap_or(place)
}

#[cfg(test)]
mod tests {
    use super::super::{Inner, Markup, Stemming, Stripped, Words};
    use super::*;
    use proptest::prelude::*;

    fn splitters() -> impl Strategy<Value = Splitter> {
        prop_oneof![
            Just(Splitter::Words(Inner::None)),
            Just(Splitter::Words(Inner::Unicode)),
            Just(Splitter::Words(Inner::Hyphens)),
            Just(Splitter::Pattern(r"\w+".into())),
            Just(Splitter::Pattern(r"(\w)\w*".into())),
            Just(Splitter::Pattern(r"x*".into())),
            Just(Splitter::Characters(1, 1)),
            Just(Splitter::Characters(2, 4)),
        ]
    }

    prop_compose! {
        fn recipes()(
            splitter in splitters(),
            markup in prop_oneof![Just(Markup::Plain), Just(Markup::Html), Just(Markup::Mail)],
            flags in any::<[bool; 6]>(),
            stop in any::<bool>(),
            few in 1..3_usize,
            more in 0..3_usize,
            n_buckets in prop_oneof![Just(None), Just(Some(7))],
        ) -> Words {
            Words {
                markup,
                stripped: Stripped { headers: flags[0], quotes: flags[1], footers: flags[2] },
                splitter,
                keep_case: flags[3],
                fold_digits: flags[4],
                stop_words: if stop { ["the", "a", "no"].map(String::from).into() } else { Default::default() },
                stemming: flags[5].then_some(Stemming::English),
                n_grams: (few, few + more),
                n_buckets,
            }
        }
    }

    fn check(words: &Words, document: &[u8]) -> Result<(), TestCaseError> {
        let tokenizer = Tokenizer::new(words).unwrap();
        let mut fast = Vec::new();
        tokenizer.each_word(document, |word| fast.push(String::from_utf8(word.to_vec()).unwrap()));
        let marked = tokenizer.marked(document);
        prop_assert_eq!(marked.words.iter().map(|w| w.word.as_str()).collect::<Vec<_>>(), fast);
        for word in &marked.words {
            // What it covers is there, in order, and nowhere twice.
            prop_assert!(!word.places.is_empty() && word.places.iter().all(|place| marked.text.get(place.clone()).is_some()));
            prop_assert!(word.places.windows(2).all(|pair| pair[0].end <= pair[1].start), "{:?}", word);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn the_slow_way_makes_the_same_words(
            words in recipes(),
            text in "([a-cA-C0-9 .:'\\-\n<>&;éßΣσİ\u{301}\u{a0}]{0,40}|(The cats|a NO x|10:30|> quoted|From: a@b\n\n|<p>|ΟΔΟΣ|İ){0,8})",
        ) {
            check(&words, text.as_bytes())?;
        }

        #[test]
        fn so_it_does_for_any_bytes(words in recipes(), bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            check(&words, &bytes)?;
        }
    }

    #[test]
    fn words_are_marked_where_they_stand() {
        let words =
            Words { stop_words: ["the".to_string()].into(), stemming: Some(Stemming::English), n_grams: (1, 2), ..Words::default() };
        let marked = Tokenizer::new(&words).unwrap().marked("Caf\u{e9}s, the RUNNING".as_bytes());
        let shown: Vec<(&str, Vec<&str>)> =
            marked.words.iter().map(|w| (w.word.as_str(), w.places.iter().map(|place| &marked.text[place.clone()]).collect())).collect();
        assert_eq!(shown, [("caf\u{e9}", vec!["Caf\u{e9}s"]), ("run", vec!["RUNNING"]), ("caf\u{e9} run", vec!["Caf\u{e9}s", "RUNNING"])]);
    }

    #[test]
    fn a_run_of_characters_covers_white_space_as_one() {
        let words = Words { splitter: Splitter::Characters(3, 3), ..Words::default() };
        let marked = Tokenizer::new(&words).unwrap().marked(b" A \n b");
        assert_eq!(marked.words, [MarkedWord { word: "a b".into(), places: vec![1..2, 2..5, 5..6] }]);
    }
}
