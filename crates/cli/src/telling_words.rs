//! The words that tell the classes of texts apart, for people: two short lines a class, or one ranking in full.

use std::fmt::Write;

use serde_json::{Value, json};
use tunbridge::learners::{TellingWord, TellingWords, TextEvent, Unit};

use crate::args::RankingArg;
use crate::figures::{count, number, of, probability};
use crate::json;
use crate::report::{Align, table};

/// Both rankings in short, or one of them with all that is known of its words.
pub fn tables(columns: &[TellingWords], event: TextEvent, by: Option<RankingArg>, most_classes: usize) -> String {
    columns.iter().map(|column| by.map_or_else(|| short(column, most_classes), |by| full(column, event, by, most_classes))).collect()
}

fn short(column: &TellingWords, most_classes: usize) -> String {
    let brief = |words: &[TellingWord], measure: fn(&TellingWord) -> f64| {
        let one = |w: &TellingWord| format!("{} {} ({}:{})", w.word, number(measure(w)), count(w.texts), count(w.texts_in_rest));
        words.iter().map(one).collect::<Vec<_>>().join("  ")
    };
    let mut rows = Vec::new();
    for class in column.classes.iter().take(most_classes) {
        rows.push(vec![class.class.clone(), "ratio".into(), brief(&class.by_ratio, |w| w.ratio)]);
        rows.push(vec![String::new(), "bits".into(), brief(&class.by_information, bits)]);
    }
    let title = format!(
        "Words of {} that tell most: by how many times as likely they are in the class as in the others, and by the bits they tell of the\n\
         class on average; in brackets the texts that have them, in the class:in the others\n",
        column.variable
    );
    title + &table(&["class", "by", ""], &[Align::Left; 3], &rows) + &more(column, most_classes)
}

fn full(column: &TellingWords, event: TextEvent, by: RankingArg, most_classes: usize) -> String {
    let what = if event == TextEvent::Bernoulli { "word in a text" } else { "word" };
    let ranked = match by {
        RankingArg::Ratio => format!("P({what} | class)/P({what} | all others)"),
        RankingArg::Information => "I(class; word in a text), with the class they speak for".into(),
    };
    let mut rows = Vec::new();
    for class in column.classes.iter().take(most_classes) {
        let words = match by {
            RankingArg::Ratio => &class.by_ratio,
            RankingArg::Information => &class.by_information,
        };
        for (place, w) in words.iter().enumerate() {
            rows.push(vec![
                if place == 0 { class.class.clone() } else { String::new() },
                w.word.clone(),
                number(w.ratio),
                number(bits(w)),
                probability(w.p_given_class),
                probability(w.p_given_rest),
                format!("{}:{}", count(w.texts), count(w.texts_in_rest)),
                format!("{}:{}", count(w.times), count(w.times_in_rest)),
            ]);
        }
    }
    let header = ["class", "word", "ratio", "bits", "in it", "in the others", "texts", "times"];
    let mut align = [Align::Right; 8];
    align[..2].fill(Align::Left);
    format!("Words of {} by {ranked}; texts and times are in the class:in the others\n", column.variable)
        + &table(&header, &align, &rows)
        + &more(column, most_classes)
}

fn more(column: &TellingWords, most_classes: usize) -> String {
    let mut text = String::new();
    let more = column.classes.len().saturating_sub(most_classes);
    if more > 0 {
        let _ = writeln!(text, "  … and {}; --all lists them", of(more as f64, "more class", "more classes"));
    }
    text
}

fn bits(word: &TellingWord) -> f64 {
    Unit::Bits.of_nats(word.information)
}

/// Both rankings for programs: by column, a list of classes.
pub fn object(columns: &[TellingWords]) -> Value {
    let word = |w: &TellingWord| {
        json!({"word": w.word, "ratio": json::real(w.ratio), "bits": json::real(bits(w)),
               "p_given_class": json::real(w.p_given_class), "p_given_rest": json::real(w.p_given_rest),
               "texts": json::number(w.texts), "texts_in_rest": json::number(w.texts_in_rest),
               "times": json::number(w.times), "times_in_rest": json::number(w.times_in_rest)})
    };
    let words = |list: &[TellingWord]| list.iter().map(word).collect::<Vec<_>>();
    let column = |column: &TellingWords| {
        let of_class = |c: &tunbridge::learners::WordsOfClass| json!({"class": c.class, "by_ratio": words(&c.by_ratio), "by_information": words(&c.by_information)});
        (column.variable.clone(), column.classes.iter().map(of_class).collect::<Value>())
    };
    Value::Object(columns.iter().map(column).collect())
}
