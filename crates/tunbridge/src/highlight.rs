//! A document with its words weighted: what each place of a text said for one class against another.
//!
//! The ledger has an entry for each word of the vocabulary. Here its weight goes back to where the word stands: it is shared evenly over
//! the times that the word is there, and of a run of words, or of characters, evenly over what the run covers. So the marks of a text add
//! up to the entries of its words, and what speaks by its absence has no place.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use data::words::MarkedText;
use learn::{Ledger, Weighed};

/// A text with its marks.
#[derive(Clone, Debug, PartialEq)]
pub struct Highlighted {
    /// The column.
    pub variable: String,
    /// The text that words were made of.
    pub text: String,
    /// What places said, in order; they do not overlap. A word that the model does not know has no mark.
    pub marks: Vec<Mark>,
}

/// What one place of a text said.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The bytes of the text.
    pub place: Range<usize>,
    /// What was counted that covers the place, in order and each once: the word, runs, or the bucket.
    pub words: Vec<String>,
    /// The log-odds for the ledger's class, in nats; zero where infinities of both signs meet.
    pub log_odds: f64,
}

/// Takes the weights of a ledger back to the words of a text of this column.
pub fn highlight(ledger: &Ledger, variable: &str, marked: MarkedText) -> Highlighted {
    let mut n_places: HashMap<&str, f64> = HashMap::new();
    marked.words.iter().for_each(|word| *n_places.entry(&word.word).or_default() += 1.0);
    let of_words = ledger.entries.iter().filter(|entry| entry.variable == variable).filter_map(|entry| match &entry.value {
        Weighed::Word { word, .. } => Some((word.as_str(), entry.log_odds / n_places.get(word.as_str())?)),
        _ => None,
    });
    let weights: HashMap<&str, f64> = of_words.collect();
    let mut marks: BTreeMap<(usize, usize), Mark> = BTreeMap::new();
    for word in &marked.words {
        let Some(weight) = weights.get(word.word.as_str()) else { continue };
        for place in &word.places {
            let blank = || Mark { place: place.clone(), words: Vec::new(), log_odds: 0.0 };
            let mark = marks.entry((place.start, place.end)).or_insert_with(blank);
            if !mark.words.contains(&word.word) {
                mark.words.push(word.word.clone());
            }
            mark.log_odds += weight / word.places.len() as f64;
        }
    }
    let settled = |mut mark: Mark| {
        if mark.log_odds.is_nan() {
            mark.log_odds = 0.0;
        }
        mark
    };
    let marks = marks.into_values().map(settled).collect();
    Highlighted { variable: variable.into(), text: marked.text, marks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Case, LearnOptions, learn};
    use data::Table;
    use data::words::{Splitter, Words};
    use learn::{Contest, TextEvent};

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("mail/ham/1.txt", "Lunch at noon? The meeting is at noon."),
            ("mail/ham/2.txt", "The minutes of the meeting."),
            ("mail/spam/1.txt", "FREE money! Claim your free prize."),
            ("mail/spam/2.txt", "You won a prize: free, free."),
            ("new.txt", "A free FREE prize\nat the meeting, caf\u{e9}"),
        ] {
            std::fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
            std::fs::write(folder.path().join(path), text).unwrap();
        }
        folder
    }

    /// Whatever makes the words, the marks add up to what the ledger says of them, and stand where the words are.
    #[test]
    fn marks_add_up_to_the_ledger() {
        let folder = folder();
        let recipes = [
            Words::default(),
            Words { n_grams: (1, 3), ..Words::default() },
            Words { splitter: Splitter::Characters(2, 4), ..Words::default() },
            Words { n_buckets: Some(11), ..Words::default() },
        ];
        for words in recipes {
            for text in [TextEvent::Multinomial, TextEvent::Bernoulli, TextEvent::Complement] {
                let mut options = LearnOptions::default();
                options.read.words = words.clone();
                options.prior.text = text;
                let model = learn(&[folder.path().join("mail")], &options).unwrap().model;
                let mut read = data::ReadOptions::default();
                model.recipe().apply(&mut read);
                let table =
                    Table::open_as(&[folder.path().join("new.txt")], read, model.schema(), data::UnknownStates::Apart, true).unwrap();
                let (case, _) = Case::of_table(&table, 1).unwrap();
                let ledger = case.lend(|row| model.posterior().explain(model.schema(), row, 0, Contest::default())).unwrap();
                let (id, marked) = case.marked_texts(&words).unwrap().remove(0);
                let shown = highlight(&ledger, &model.schema().variable(id).name, marked);
                let sum: f64 = shown.marks.iter().map(|mark| mark.log_odds).sum();
                let words = |entry: &&learn::LedgerEntry| matches!(entry.value, Weighed::Word { .. });
                let expected: f64 = ledger.entries.iter().filter(words).map(|entry| entry.log_odds).sum();
                assert!((sum - expected).abs() < 1e-12, "{text:?}: {sum} {expected}");
                assert!(shown.marks.windows(2).all(|pair| pair[0].place.end <= pair[1].place.start));
                // The two ways to give a text are one.
                let typed = Case::parse_with(model.schema(), &[format!("text={}", shown.text)], model.recipe()).unwrap();
                let again = highlight(&ledger, "text", typed.marked_texts(&model.recipe().words).unwrap().remove(0).1);
                assert_eq!(again, shown);
            }
        }
    }
}
