//! The words that tell the classes of texts apart, for a report, ranked in two ways.
//!
//! | ranking | of a class v, a word w | what it favours |
//! |---|---|---|
//! | ratio | P(w \| v)/P(w \| ¬v), how many times as likely it is in v as in all other classes together | words of one class, be they rare |
//! | information | I(class; whether w is there), what its presence or absence tells of the class on average | words that are often a help |
//!
//! P(w | ¬v) is estimated as P(w | v) is, from the counts of all other classes together: as a multinomial model does it, or a Bernoulli
//! model where that is the event. The information is one number for all
//! classes (McCallum & Nigam 1998, section 2.3); a word is listed with the class it speaks for, which has the greatest part in the sum,
//! P(v, w) ln P(v, w)/(P(v) P(w)).
//!
//! A ratio of small counts is great by chance. Where the estimate has a prior, one meeting more or less moves it little; where it has
//! none, the counts that stand beside it tell, and words in few texts can be left out.

use belief::{Kind, Schema, WordCount};
use serde::Serialize;

use super::attribute::Attribute;
use super::posterior::NaiveBayes;
use super::statistic::NaiveBayesStatistic;
use super::telling_evidence::of_others;
use super::words::{Bag, mutual_information};
use crate::LearnError;

/// The words of one column of texts that tell its classes apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TellingWords {
    /// The column.
    pub variable: String,
    /// A list for each class that has texts, in their order.
    pub classes: Vec<WordsOfClass>,
}

/// The words that speak for one class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WordsOfClass {
    /// The class.
    pub class: String,
    /// The greatest ratio first; of equals the more probable word in the class, then the earlier one. None is below one.
    pub by_ratio: Vec<TellingWord>,
    /// The greatest information first, of the words that speak for this class; of equals the earlier word.
    pub by_information: Vec<TellingWord>,
}

/// What a word tells of a class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TellingWord {
    /// The word.
    pub word: String,
    /// P(w | class)/P(w | all others); infinite where maximum likelihood gives the others nothing.
    pub ratio: f64,
    /// I(class; whether the word is there), in nats.
    pub information: f64,
    /// P(w | class); of a Bernoulli model P(w is in a text | class).
    pub p_given_class: f64,
    /// The same for all other classes together.
    pub p_given_rest: f64,
    /// How often it was met in the class.
    pub times: f64,
    /// How often it was met in the others.
    pub times_in_rest: f64,
    /// The texts of the class that have it.
    pub texts: f64,
    /// The texts of the others that have it.
    pub texts_in_rest: f64,
}

/// For each column of texts and each class at most `most` words by either ranking, of those in `least_texts` texts or more.
///
/// **Complexity**: linear in words met and classes, and a sort of the words listed.
///
/// # Errors
/// When the statistic does not belong to the schema and the model.
pub fn telling_words(
    schema: &Schema,
    statistic: &NaiveBayesStatistic,
    model: &NaiveBayes,
    most: usize,
    least_texts: f64,
) -> Result<Vec<TellingWords>, LearnError> {
    statistic.validate(schema)?;
    belief::ShapeMismatch::check("classes of the model", statistic.classes().len(), model.n_classes())?;
    let attributes = Attribute::all(schema, statistic, model.prior(), model.scale())?;
    let mut found = Vec::new();
    for (attribute, variable) in attributes.iter().zip(schema.variables()) {
        if let (Attribute::Texts(bag), Kind::Text(words)) = (attribute, &variable.kind) {
            let classes = of_column(bag, words.names(), model.class_names(), most, least_texts);
            found.push(TellingWords { variable: variable.name.clone(), classes });
        }
    }
    Ok(found)
}

/// A word by its code, with what it is ranked by: first the one, of equals the other.
type Ranked = (f64, f64, usize);

/// A column of texts, with what all classes but one have together.
struct Texts<'b, 's> {
    bag: &'b Bag<'s>,
    times: &'b [f64],
    n_texts: &'b [f64],
    times_in_rest: Vec<f64>,
    texts_in_rest: Vec<f64>,
}

fn of_column(bag: &Bag<'_>, words: &[String], classes: &[String], most: usize, least: f64) -> Vec<WordsOfClass> {
    let (times, n_texts) = bag.totals();
    let add = |sum: &mut f64, term: &f64| *sum += term;
    let texts = Texts { bag, times, n_texts, times_in_rest: of_others(times, add), texts_in_rest: of_others(n_texts, add) };
    let n_classes = n_texts.len();
    let (mut by_ratio, mut by_information): (Vec<Best>, Vec<Best>) = (vec![Best::new(most); n_classes], vec![Best::new(most); n_classes]);
    let all: f64 = n_texts.iter().sum();
    for (word, counts) in bag.words() {
        let with_it = counts.texts();
        if with_it < least {
            continue;
        }
        let information = mutual_information(counts, n_texts);
        let counts = counts.dense(n_classes);
        let believed = texts.p(word, &counts, &rest_of(&counts));
        for class in (0..n_classes).filter(|&class| n_texts[class] > 0.0) {
            let (p, p_rest) = believed[class];
            if p > p_rest {
                by_ratio[class].add((p / p_rest, p, word));
            }
        }
        // The part of a class in the information, where the word is there.
        let part = |class: usize| {
            let joint = counts[class].texts;
            if joint > 0.0 { joint / all * (joint * all / (n_texts[class] * with_it)).ln() } else { f64::NEG_INFINITY }
        };
        let speaks_for = (0..n_classes).map(|class| (part(class), class)).reduce(|best, next| if next.0 > best.0 { next } else { best });
        if let Some((part, class)) = speaks_for
            && part > 0.0
        {
            by_information[class].add((information, part, word));
        }
    }
    let told = |ranked: Vec<Ranked>, class: usize| ranked.into_iter().map(|(_, _, word)| texts.tell(word, &words[word], class)).collect();
    let lists = by_ratio.into_iter().zip(by_information).enumerate().filter(|(class, _)| n_texts[*class] > 0.0);
    lists
        .map(|(class, (ratio, information))| WordsOfClass {
            class: classes[class].clone(),
            by_ratio: told(ratio.sorted(), class),
            by_information: told(information.sorted(), class),
        })
        .collect()
}

/// For each class the counts of a word in all others.
fn rest_of(counts: &[WordCount]) -> Vec<WordCount> {
    of_others(counts, |sum: &mut WordCount, count: &WordCount| {
        sum.times += count.times;
        sum.texts += count.texts;
    })
}

impl Texts<'_, '_> {
    /// For each class P(w | class) and P(w | all others).
    fn p(&self, word: usize, counts: &[WordCount], rest: &[WordCount]) -> Vec<(f64, f64)> {
        let classes = 0..self.n_texts.len();
        if !self.bag.has_bursts() {
            let of_class = |class: usize| {
                let p_own = self.bag.p_of(counts[class], self.times[class], self.n_texts[class]);
                (p_own, self.bag.p_of(rest[class], self.times_in_rest[class], self.texts_in_rest[class]))
            };
            return classes.map(of_class).collect();
        }
        // Words that come in bursts have no counts that could be put together: the others' probabilities are, by their texts.
        let p: Vec<f64> = classes.map(|class| self.bag.p(word, class)).collect();
        let masses: Vec<f64> = p.iter().zip(self.n_texts).map(|(p, texts)| p * texts).collect();
        let of_rest = of_others(&masses, |sum: &mut f64, mass: &f64| *sum += mass);
        p.into_iter().zip(of_rest.into_iter().zip(&self.texts_in_rest)).map(|(p, (mass, texts))| (p, mass / texts)).collect()
    }

    fn tell(&self, word: usize, name: &str, class: usize) -> TellingWord {
        let information = mutual_information(self.bag.counts_of(word), self.n_texts);
        let counts = self.bag.counts_of(word).dense(self.n_texts.len());
        let rest = rest_of(&counts);
        let (p_given_class, p_given_rest) = self.p(word, &counts, &rest)[class];
        let rest = rest[class];
        TellingWord {
            word: name.into(),
            ratio: p_given_class / p_given_rest,
            information,
            p_given_class,
            p_given_rest,
            times: counts[class].times,
            times_in_rest: rest.times,
            texts: counts[class].texts,
            texts_in_rest: rest.texts,
        }
    }
}

/// The best of many, without keeping them all: a vocabulary is long.
#[derive(Clone)]
struct Best {
    most: usize,
    held: Vec<Ranked>,
}

impl Best {
    fn new(most: usize) -> Self {
        Self { most, held: Vec::new() }
    }

    fn add(&mut self, ranked: Ranked) {
        self.held.push(ranked);
        if self.held.len() >= self.most.saturating_mul(2).max(64) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.held.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
        self.held.truncate(self.most);
    }

    fn sorted(mut self) -> Vec<Ranked> {
        self.cut();
        self.held
    }
}
