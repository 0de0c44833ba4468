//! Texts: the formulas of the literature, and every text held out as if it had never been read.

use std::sync::Arc;

use belief::{
    Chunk, Codes, Column, Kind, Role, Schema, States, SufficientStatistic, TextLength, Texts, Variable, WordWeights, normalise_ln,
};
use proptest::prelude::*;

use crate::{
    AttributeStatistic, Contest, Estimate, LeaveOneOut, NaiveBayes, NaiveBayesPrior, NaiveBayesStatistic, TextEvent, Treatment, WordChoice,
    WordWeighing, telling_evidence, telling_words,
};

const WORDS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];
const EVENTS: [TextEvent; 5] =
    [TextEvent::Multinomial, TextEvent::Bernoulli, TextEvent::Complement, TextEvent::NormalisedComplement, TextEvent::DirichletCompound];

/// A text of a class, with its weight.
pub type Row = (u8, Vec<u32>, f64);

pub fn schema() -> Schema {
    let seen = |names: &[&str]| States::default().with_seen(names.iter().map(|n| n.to_string())).unwrap();
    let classes = States::declared(vec!["x".into(), "y".into(), "z".into()], false).unwrap();
    Schema::new(vec![
        Variable { name: "class".into(), kind: Kind::Categorical(classes), role: Role::Target },
        Variable { name: "text".into(), kind: Kind::Text(seen(&WORDS)), role: Role::Input },
    ])
    .unwrap()
}

pub fn lend<R>(rows: &[Row], see: impl FnOnce(Chunk<'_>) -> R) -> R {
    let classes: Vec<u8> = rows.iter().map(|row| row.0).collect();
    let codes: Vec<u32> = rows.iter().flat_map(|row| row.1.clone()).collect();
    let mut end = 0;
    let ends: Vec<u32> = rows
        .iter()
        .map(|row| {
            end += row.1.len() as u32;
            end
        })
        .collect();
    let weights: Vec<f64> = rows.iter().map(|row| row.2).collect();
    let columns = [
        Column::Categorical { codes: Codes::U8(&classes), n_states: 3 },
        Column::Texts(Texts { ends: &ends, codes: &codes, n_words: WORDS.len() }),
    ];
    see(Chunk { first_row: 0, n_rows: rows.len(), columns: &columns, weights: Some(&weights) })
}

pub fn statistic(rows: &[Row]) -> NaiveBayesStatistic {
    weighed(rows, WordWeights { bursts: true, ..WordWeights::default() })
}

fn weighed(rows: &[Row], weights: WordWeights) -> NaiveBayesStatistic {
    let mut statistic = NaiveBayesStatistic::empty(&[Treatment::Absent, Treatment::Words(Arc::new(weights))], 0, &[3, WORDS.len()]);
    lend(rows, |chunk| statistic.observe(chunk)).unwrap();
    statistic
}

/// Words that come in bursts: with α of 1/2 for either of two words, "a a" is as probable as in Pólya's urn.
#[test]
fn a_burst_is_a_draw_from_polya_s_urn() {
    let rows = vec![(0, vec![0, 0, 0], 1.0), (0, vec![1, 1, 1, 1], 1.0), (1, vec![0, 1], 1.0), (1, vec![0, 1, 0, 1], 1.0)];
    let prior = NaiveBayesPrior { text: TextEvent::DirichletCompound, ..NaiveBayesPrior::default() };
    let model = NaiveBayes::new(&schema(), &statistic(&rows), &prior).unwrap();
    let p = |words: &[u32]| {
        let found = scores(&model, &[(0, words.to_vec(), 1.0)]);
        [found[0] - found[1], found[0]]
    };
    // In x one word fills a text, in y both alternate: a repeat speaks for x, a change for y.
    assert!(p(&[0, 0])[0] > p(&[0])[0] && p(&[0, 1])[0] < p(&[0])[0], "{:?} {:?} {:?}", p(&[0, 0]), p(&[0]), p(&[0, 1]));
    // Every text of two words is one of these, and the orders of the mixed one count twice.
    let total = p(&[0, 0])[1].exp() + p(&[1, 1])[1].exp() + 2.0 * p(&[0, 1])[1].exp();
    assert!((total - model.ln_class_prior()[0].exp()).abs() < 1e-12, "{total}");
    assert!(LeaveOneOut::new(&schema(), &statistic(&rows), &model).is_err());
}

/// Rennie et al. 2003, table 4, by hand: d = ln (1 + n) · ln (texts / texts with the word), brought to a length of one.
#[test]
fn a_complement_of_weighed_words_is_the_paper_s() {
    let rows = vec![(0, vec![0, 0, 1], 1.0), (1, vec![1, 2], 1.0), (1, vec![2, 2, 0], 1.0), (2, vec![3], 1.0)];
    let plain = weighed(&rows, WordWeights::default());
    let AttributeStatistic::Words(counts) = &plain.attributes()[1] else { panic!("not words") };
    let weighing = WordWeighing { log_times: true, rarity: true, length: TextLength::Euclidean };
    let weights = weighing.weights(counts, counts, 4.0, plain.classes(), &WordChoice::default());
    assert_eq!(weights.of_word.as_ref().unwrap()[..4], [2_f64.ln(), 2_f64.ln(), 2_f64.ln(), 4_f64.ln()]);
    let prior = NaiveBayesPrior { text: TextEvent::NormalisedComplement, class: crate::ClassPrior::Uniform, ..NaiveBayesPrior::default() };
    let model = NaiveBayes::new(&schema(), &weighed(&rows, weights.clone()), &prior).unwrap();
    let found = scores(&model, &[(0, vec![0, 2, 2], 1.0)]);
    let unit = |bag: &[(usize, f64)]| {
        let length = bag.iter().map(|(_, w)| w * w).sum::<f64>().sqrt();
        bag.iter().map(|(word, w)| (*word, w / length)).collect::<Vec<_>>()
    };
    let (once, twice) = (2_f64.ln() * 2_f64.ln(), 3_f64.ln() * 2_f64.ln());
    let texts = [
        (0, unit(&[(0, twice), (1, once)])),
        (1, unit(&[(1, once), (2, once)])),
        (1, unit(&[(2, twice), (0, once)])),
        (2, unit(&[(3, 2_f64.ln() * 4_f64.ln())])),
    ];
    let asked = unit(&[(0, once), (2, twice)]);
    let weight = |class: usize| {
        let others: Vec<f64> = (0..4)
            .map(|word| texts.iter().filter(|t| t.0 != class).flat_map(|t| &t.1).filter(|w| w.0 == word).map(|w| w.1).sum())
            .collect();
        let total: f64 = others.iter().sum::<f64>() + 4.0;
        let w: Vec<f64> = others.iter().map(|n| -((n + 1.0) / total).ln()).collect();
        let size: f64 = w.iter().sum();
        (w, size)
    };
    let mean = (0..3).map(|class| weight(class).1).sum::<f64>() / 3.0;
    for (class, found) in found.iter().enumerate() {
        let (w, size) = weight(class);
        let expected = (1.0 / 3.0_f64).ln() + asked.iter().map(|(word, x)| x * w[*word]).sum::<f64>() * mean / size;
        assert!((found - expected).abs() < 1e-12, "{class}: {found} for {expected}");
    }
}

fn scores(model: &NaiveBayes, rows: &[Row]) -> Vec<f64> {
    let mut out = Vec::new();
    lend(rows, |chunk| model.ln_joint(&chunk, &mut out)).unwrap();
    out
}

/// P(w | v) = (n_k + 1)/(n + |Vocabulary|), of Mitchell's table 6.2.
#[test]
fn multinomial_is_the_algorithm_of_the_book() {
    let rows = vec![(0, vec![0, 0, 1], 1.0), (0, vec![1, 2], 1.0), (1, vec![3, 0], 1.0)];
    let model = NaiveBayes::new(&schema(), &statistic(&rows), &NaiveBayesPrior::default()).unwrap();
    // Four words of the vocabulary were met; `e` was not, and is passed over.
    let found = scores(&model, &[(0, vec![0, 3, 3, 4], 1.0)]);
    let x = (2.0 / 3.0_f64).ln() + (3.0 / 9.0_f64).ln() + 2.0 * (1.0 / 9.0_f64).ln();
    let y = (1.0 / 3.0_f64).ln() + (2.0 / 6.0_f64).ln() + 2.0 * (2.0 / 6.0_f64).ln();
    assert!((found[0] - x).abs() < 1e-14 && (found[1] - y).abs() < 1e-14, "{found:?}");
}

#[test]
fn bernoulli_asks_for_every_word() {
    let rows = vec![(0, vec![0, 0, 1], 1.0), (0, vec![1], 1.0), (1, vec![0], 1.0)];
    let prior = NaiveBayesPrior { text: TextEvent::Bernoulli, ..NaiveBayesPrior::default() };
    let model = NaiveBayes::new(&schema(), &statistic(&rows), &prior).unwrap();
    let found = scores(&model, &[(0, vec![0, 0], 1.0)]);
    // `a` is in one text of two of x, `b` in both; in y `a` is in one of one and `b` in none.
    let x = (2.0 / 3.0_f64).ln() + (2.0 / 4.0_f64).ln() + (1.0 - 3.0 / 4.0_f64).ln();
    let y = (1.0 / 3.0_f64).ln() + (2.0 / 3.0_f64).ln() + (1.0 - 1.0 / 3.0_f64).ln();
    assert!((found[0] - x).abs() < 1e-14 && (found[1] - y).abs() < 1e-14, "{found:?}");
}

#[test]
fn an_empty_text_says_nothing() {
    let rows = vec![(0, vec![0, 0, 1], 1.0), (0, vec![1], 1.0), (1, vec![0], 1.0)];
    for text in EVENTS {
        let model = NaiveBayes::new(&schema(), &statistic(&rows), &NaiveBayesPrior { text, ..NaiveBayesPrior::default() }).unwrap();
        assert_eq!(scores(&model, &[(0, vec![], 1.0)])[..2], model.ln_class_prior()[..2], "{text:?}");
    }
}

/// A text that says nothing when it is asked about is none of those that a word is not in.
#[test]
fn an_empty_text_is_not_one_without_each_word() {
    let rows = vec![(0, vec![0, 1], 1.0), (0, vec![0], 1.0), (1, vec![1], 1.0), (1, vec![2], 2.5)];
    let prior = NaiveBayesPrior { text: TextEvent::Bernoulli, class: crate::ClassPrior::Uniform, ..NaiveBayesPrior::default() };
    let of = |rows: &[Row]| NaiveBayes::new(&schema(), &statistic(rows), &prior).unwrap();
    let with_empty = [&rows[..], &[(0, vec![], 1.0), (1, vec![], 2.5)]].concat();
    assert_eq!(scores(&of(&rows), &rows), scores(&of(&with_empty), &rows));
}

#[test]
fn words_are_chosen_when_the_model_is_made() {
    let rows = vec![(0, vec![0, 0, 0, 1, 2], 1.0), (0, vec![0, 1], 1.0), (1, vec![0, 3, 4], 1.0), (1, vec![3], 1.0)];
    let statistic = statistic(&rows);
    let known = |words: WordChoice| {
        let model = NaiveBayes::new(&schema(), &statistic, &NaiveBayesPrior { words, ..NaiveBayesPrior::default() }).unwrap();
        (0..WORDS.len()).filter(|word| model.ln_state(belief::VarId::new(1), *word).is_some()).collect::<Vec<_>>()
    };
    assert_eq!(known(WordChoice::default()), [0, 1, 2, 3, 4]);
    assert_eq!(known(WordChoice { drop_most_frequent: 1, ..WordChoice::default() }), [1, 2, 3, 4]);
    assert_eq!(known(WordChoice { least_texts: 2.0, ..WordChoice::default() }), [0, 1, 3]);
    assert_eq!(known(WordChoice { least_times: 3.0, ..WordChoice::default() }), [0]);
    // `b` and `d` are in all texts of one class and in none of the other.
    assert_eq!(known(WordChoice { most_informative: Some(2), ..WordChoice::default() }), [1, 3]);
}

pub fn rows() -> impl Strategy<Value = Vec<Row>> {
    let words = proptest::collection::vec(prop_oneof![12 => 0..WORDS.len() as u32, 1 => Just(u32::MAX)], 0..8);
    let weight = prop_oneof![4 => Just(1.0), 1 => Just(2.5)];
    proptest::collection::vec((0..3_u8, words, weight), 4..14)
}

fn estimates() -> impl Strategy<Value = Estimate> {
    prop_oneof![Just(Estimate::Laplace { l: 1.0 }), Just(Estimate::Laplace { l: 0.1 }), Just(Estimate::Dirichlet { alpha: 2.0 }),]
}

proptest! {
    #[test]
    fn a_text_held_out_is_a_text_never_read(rows in rows(), estimate in estimates(), event in 0..3_usize, log_times in any::<bool>(), long in any::<bool>()) {
        let prior = NaiveBayesPrior { text: EVENTS[event], estimate, ..NaiveBayesPrior::default() };
        let length = if long { TextLength::Constant(10.0) } else { TextLength::AsItIs };
        let weights = WordWeights { log_times, length, ..WordWeights::default() };
        let statistic = |rows: &[Row]| weighed(rows, weights.clone());
        let all = statistic(&rows);
        let Ok(model) = NaiveBayes::new(&schema(), &all, &prior) else { return Ok(()) };
        let held_out = LeaveOneOut::new(&schema(), &all, &model).unwrap();
        let mut found = Vec::new();
        lend(&rows, |chunk| held_out.ln_joint(&chunk, &mut found)).unwrap();
        for (place, row) in rows.iter().enumerate() {
            let mut others = rows.clone();
            others.remove(place);
            let Ok(without) = NaiveBayes::new(&schema(), &statistic(&others), &prior) else { continue };
            let expected = scores(&without, std::slice::from_ref(row));
            for (x, y) in found[place * 3..][..3].iter().zip(&expected) {
                prop_assert!(x == y || (x - y).abs() < 1e-9, "{:?}: {found:?} {expected:?}", EVENTS[event]);
            }
            // Nor would its own words have a code if they had never been read.
            let is_read = |word: &u32| others.iter().any(|(_, words, _)| words.contains(word));
            let unread = row.1.iter().map(|word| if is_read(word) { *word } else { u32::MAX }).collect();
            prop_assert_eq!(scores(&without, &[(row.0, unread, row.2)]), expected);
        }
    }

    #[test]
    fn the_ledger_adds_up(rows in rows(), event in 0..5_usize) {
        let prior = NaiveBayesPrior { text: EVENTS[event], ..NaiveBayesPrior::default() };
        let Ok(model) = NaiveBayes::new(&schema(), &statistic(&rows), &prior) else { return Ok(()) };
        let mut ln = scores(&model, &rows[..1]);
        let ledger = lend(&rows[..1], |chunk| model.explain(&schema(), &chunk, 0, Contest::default())).unwrap();
        normalise_ln(&mut ln);
        let place = |name: &str| model.class_names().iter().position(|c| c == name).unwrap();
        let odds = ln[place(&ledger.class)] - ln[place(&ledger.against)];
        prop_assert!((ledger.posterior_log_odds.unwrap() - odds).abs() < 1e-9 || odds.is_infinite());
    }
}

/// P(w | ¬v) from the counts of all other classes together, and the information over texts; both by hand.
#[test]
fn the_words_that_tell_by_hand() {
    // x: a a b | a; y: b c; z: c c d.
    let rows = vec![(0, vec![0, 0, 1], 1.0), (0, vec![0], 1.0), (1, vec![1, 2], 1.0), (2, vec![2, 2, 3], 1.0)];
    let statistic = statistic(&rows);
    let told = |text: TextEvent, most: usize, least: f64| {
        let model = NaiveBayes::new(&schema(), &statistic, &NaiveBayesPrior { text, ..NaiveBayesPrior::default() }).unwrap();
        telling_words(&schema(), &statistic, &model, most, least).unwrap().remove(0).classes
    };
    let classes = told(TextEvent::Multinomial, 10, 0.0);
    let a = &classes[0].by_ratio[0];
    // Four words count: (3 + 1)/(4 + 4) in x, (0 + 1)/(5 + 4) in y and z together.
    assert_eq!((a.word.as_str(), a.p_given_class, a.p_given_rest), ("a", 0.5, 1.0 / 9.0));
    assert_eq!((a.ratio, a.times, a.times_in_rest, a.texts, a.texts_in_rest), (4.5, 3.0, 0.0, 2.0, 0.0));
    // `a` is in both texts of x and in no other: it tells x from the rest, one bit. So does `c` of z and y together, from x.
    assert!((a.information - 2_f64.ln()).abs() < 1e-15, "{a:?}");
    let information = |class: usize| classes[class].by_information.iter().map(|w| w.word.as_str()).collect::<Vec<_>>();
    assert_eq!((information(0), information(1), information(2)), (vec!["a"], vec!["c", "b"], vec!["d"]));
    let bernoulli = told(TextEvent::Bernoulli, 1, 0.0);
    let a = &bernoulli[0].by_ratio[0];
    assert_eq!((a.word.as_str(), a.p_given_class, a.p_given_rest), ("a", 3.0 / 4.0, 1.0 / 4.0));
    assert!(told(TextEvent::Complement, 10, 2.0).iter().all(|class| class.by_ratio.iter().all(|w| w.texts + w.texts_in_rest >= 2.0)));
}

proptest! {
    #[test]
    fn rankings_are_ranked_and_speak_for_their_class(rows in rows(), estimate in estimates(), event in 0..4_usize, most in 0..4_usize) {
        let prior = NaiveBayesPrior { text: EVENTS[event], estimate, ..NaiveBayesPrior::default() };
        let statistic = statistic(&rows);
        let Ok(model) = NaiveBayes::new(&schema(), &statistic, &prior) else { return Ok(()) };
        let (few, all) = (telling_words(&schema(), &statistic, &model, most, 0.0).unwrap(), telling_words(&schema(), &statistic, &model, 99, 0.0).unwrap());
        for (few, all) in few.iter().zip(&all) {
            for (few, all) in few.classes.iter().zip(&all.classes) {
                prop_assert_eq!(&few.by_ratio[..], &all.by_ratio[..most.min(all.by_ratio.len())]);
                prop_assert_eq!(&few.by_information[..], &all.by_information[..most.min(all.by_information.len())]);
                prop_assert!(all.by_ratio.is_sorted_by(|a, b| a.ratio >= b.ratio) && all.by_ratio.iter().all(|w| w.ratio > 1.0));
                prop_assert!(all.by_information.is_sorted_by(|a, b| a.information >= b.information));
            }
            // A word speaks for one class.
            let mut words: Vec<&str> = all.classes.iter().flat_map(|c| &c.by_information).map(|w| w.word.as_str()).collect();
            words.sort_unstable();
            prop_assert!(words.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}

proptest! {
    /// Words that cannot come among the most telling are passed over without a look, and nothing changes by it.
    #[test]
    fn the_most_telling_are_the_first_of_all(rows in rows(), estimate in estimates(), event in 0..4_usize, most in 1..3_usize) {
        let prior = NaiveBayesPrior { text: EVENTS[event], estimate, ..NaiveBayesPrior::default() };
        let statistic = statistic(&rows);
        let Ok(model) = NaiveBayes::new(&schema(), &statistic, &prior) else { return Ok(()) };
        let told = |most: usize| telling_evidence(&schema(), &statistic, &model, most).unwrap();
        for (few, all) in told(most).iter().zip(told(99)) {
            prop_assert_eq!(&few.evidence[..], &all.evidence[..most.min(all.evidence.len())]);
        }
    }
}

/// Of a Bernoulli model the ledger has P(there | class), and the absence of the words that are not there.
#[test]
fn a_bernoulli_ledger_has_probabilities() {
    let rows = vec![(0, vec![0, 0, 1], 1.0), (0, vec![1], 1.0), (1, vec![0], 1.0)];
    let prior = NaiveBayesPrior { text: TextEvent::Bernoulli, ..NaiveBayesPrior::default() };
    let model = NaiveBayes::new(&schema(), &statistic(&rows), &prior).unwrap();
    let contest = Contest { class: Some(0), against: Some(1) };
    let ledger = lend(&[(0, vec![0, 0], 1.0)], |chunk| model.explain(&schema(), &chunk, 0, contest)).unwrap();
    let of = |value: &str| {
        let entry = ledger.entries.iter().find(|entry| entry.value.to_string() == value).unwrap_or_else(|| panic!("{ledger:?}"));
        [entry.ln_given_class.exp(), entry.ln_given_against.exp()]
    };
    let close = |found: [f64; 2], expected: [f64; 2]| found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-15);
    assert!(close(of("“a”"), [2.0 / 4.0, 2.0 / 3.0]), "{ledger:?}");
    assert!(close(of("words that are not there"), [1.0 - 3.0 / 4.0, 1.0 - 1.0 / 3.0]), "{ledger:?}");
}
