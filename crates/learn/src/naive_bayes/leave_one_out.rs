//! Leave-one-out: every row's scores as if that row had not been learned from, for the price of one pass.
//!
//! Naive Bayes is made of counts and moments, from which one row is taken back in closed form: the row's own class loses it, the
//! others only notice through the class prior, through an empirical p, and where a state nobody declared was seen in this row
//! alone and is now unknown. Kohavi 1995 on the estimate; the downdate is that of [`belief::Moments::less`].
//!
//! Exact **given the recipe and the scale**: cut points, the smoothing of variances, the pooled means and variances of whole
//! columns (Student's prior among them) and the nearest centroid's σ² stay as all rows made them. Counts are exact; a variance
//! loses as many digits as it shrinks by when the row is taken away, which is none to speak of unless that row made nearly all of it.

use std::borrow::Cow;
use std::f64::consts::TAU;

use belief::{BinCodes, Chunk, Column, Schema, ShapeMismatch, for_codes};

use super::attribute::{Attribute, States};
use super::categorical::HeldOut;
use super::class_prior::WithoutOne;
use super::gaussian::HeldOutBell;
use super::posterior::NaiveBayes;
use super::remark::LeftOut;
use super::scoring::{Scorer, StateTable, check_chunk, score, state_of_row};
use super::statistic::NaiveBayesStatistic;
use crate::LearnError;

/// Scores rows that the model was learned from, each as if it had not been.
///
/// **Complexity**: as [`NaiveBayes::ln_joint`] and one more class; rows whose weight is not one cost a logarithm per attribute.
pub struct LeaveOneOut<'m> {
    model: &'m NaiveBayes,
    target: usize,
    attributes: Vec<Attribute<'m>>,
    /// What rows of weight one say of the classes they are not of.
    others: Vec<Cow<'m, Scorer>>,
    /// What rows of weight one say of their own class.
    own: Vec<Own>,
    ln_class_prior: WithoutOne<'m>,
    /// Of each attribute that is a text, what every text says of each class that has one text less.
    every_text: Vec<Vec<f64>>,
}

enum Own {
    LeftOut,
    States(StateTable),
    /// Numbers that are normal by maximum likelihood.
    Bells(Vec<Option<HeldOutBell>>),
    Number {
        /// The part of Student's density that only depends on the class.
        ln_peaks: Vec<f64>,
    },
}

/// Rows taken together, so that their scores stay in the first-level cache.
const BLOCK: usize = 1024;

impl<'m> LeaveOneOut<'m> {
    /// Prepares the scores of rows of weight one. The model must be of this schema and statistic.
    ///
    /// # Errors
    /// When the statistic does not belong to the schema or to the model.
    pub fn new(schema: &Schema, statistic: &'m NaiveBayesStatistic, model: &'m NaiveBayes) -> Result<Self, LearnError> {
        statistic.validate(schema)?;
        ShapeMismatch::check("variables of the model", statistic.attributes().len(), model.scorers().len())?;
        ShapeMismatch::check("classes of the model", statistic.classes().len(), model.n_classes())?;
        let of_bursts = |scorer: &Scorer| matches!(scorer, Scorer::Words(table) if !table.concentrations.is_empty());
        if let Some(place) = model.scorers().iter().position(of_bursts) {
            return Err(LearnError::NoLeaveOneOut { variable: schema.variables()[place].name.clone() });
        }
        let attributes = Attribute::all(schema, statistic, model.prior(), model.scale())?;
        let others = attributes.iter().zip(model.scorers()).map(|(attribute, scorer)| others(attribute, scorer)).collect();
        let own = attributes.iter().map(own).collect();
        let every_text = |attribute: &Attribute<'_>| match attribute {
            Attribute::Texts(bag) => (0..bag.n_classes()).map(|class| bag.every_text(class, 1.0)).collect(),
            _ => Vec::new(),
        };
        let every_text = attributes.iter().map(every_text).collect();
        Ok(Self {
            model,
            target: statistic.target().index(),
            attributes,
            others,
            own,
            ln_class_prior: WithoutOne::new(model.class_belief(), statistic.classes()),
            every_text,
        })
    }

    /// As [`NaiveBayes::ln_joint`], each row held out of the model with its weight.
    ///
    /// The rows must be among those the statistic was made of. A row that was not learned from, because its target is missing or
    /// its weight is zero, gets the scores of the model itself.
    ///
    /// # Errors
    /// When the columns are not those of the schema, or the target's is not among them.
    pub fn ln_joint(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        check_chunk(self.model.scorers(), chunk)?;
        let classes = self.classes(chunk)?;
        let n_classes = self.model.n_classes();
        score(&self.others, &vec![0.0; n_classes], chunk, out);
        let mut plain = Vec::new();
        let mut own = Vec::with_capacity(BLOCK);
        let mut bins = BinCodes::default();
        for (nth, (classes, out)) in classes.chunks(BLOCK).zip(out.chunks_mut(BLOCK * n_classes)).enumerate() {
            let first = nth * BLOCK;
            self.own_scores(chunk, first, classes, &mut bins, &mut own);
            for (place, (&class, out)) in classes.iter().zip(out.chunks_exact_mut(n_classes)).enumerate() {
                let row = first + place;
                let weight = chunk.weights.map_or(1.0, |weights| weights[row]);
                if class == n_classes || weight == 0.0 {
                    if plain.is_empty() {
                        self.model.ln_joint(chunk, &mut plain)?;
                    }
                    out.copy_from_slice(&plain[row * n_classes..][..n_classes]);
                } else if weight == 1.0 {
                    out[class] = own[place];
                    self.ln_class_prior.add(class, out);
                    self.add_texts(chunk, row, class, weight, out);
                } else {
                    self.weighted_row(chunk, row, class, weight, out);
                }
            }
        }
        Ok(())
    }

    /// Adds what the texts of a row say of every class: they feel the words that no other text has.
    fn add_texts(&self, chunk: &Chunk<'_>, row: usize, own: usize, weight: f64, out: &mut [f64]) {
        for (place, column) in chunk.columns.iter().enumerate() {
            if let (Attribute::Texts(bag), Scorer::Words(table), Column::Texts(texts)) =
                (&self.attributes[place], &self.model.scorers()[place], column)
            {
                bag.add_held_out(table, &self.every_text[place], texts.words(row), own, weight, out);
            }
        }
    }

    /// The class of every row; the number of classes for one that is missing.
    fn classes(&self, chunk: &Chunk<'_>) -> Result<Vec<usize>, ShapeMismatch> {
        if let Some(weights) = chunk.weights {
            ShapeMismatch::check("weights", chunk.n_rows, weights.len())?;
        }
        let n_classes = self.model.n_classes();
        match chunk.columns[self.target] {
            Column::Categorical { codes, .. } => {
                ShapeMismatch::check("rows of the target", chunk.n_rows, codes.len())?;
                Ok(for_codes!(codes, codes => codes.iter().map(|code| belief::Code::place(*code, n_classes)).collect()))
            }
            _ => Err(ShapeMismatch { what: "categorical target columns", expected: 1, found: 0 }),
        }
    }

    /// What each row of a block, of weight one, says of its own class.
    fn own_scores(&self, chunk: &Chunk<'_>, first: usize, classes: &[usize], bins: &mut BinCodes, scores: &mut Vec<f64>) {
        scores.clear();
        scores.resize(classes.len(), 0.0);
        let rows = first..first + classes.len();
        let n_classes = self.model.n_classes();
        let mut variances = vec![Product::default(); classes.len()];
        for ((own, attribute), column) in self.own.iter().zip(&self.attributes).zip(chunk.columns) {
            match (own, attribute, column) {
                (Own::States(table), Attribute::States(_), Column::Categorical { codes, .. }) => {
                    for_codes!(codes, codes => add_states(table, &codes[rows.clone()], classes, n_classes, scores));
                }
                (Own::States(table), Attribute::Bins(cuts, _), Column::Numeric(values)) => {
                    for_codes!(bins.fill(cuts, &values[rows.clone()]), codes => add_states(table, codes, classes, n_classes, scores));
                }
                (Own::Bells(bells), Attribute::Number(number), Column::Numeric(values)) => {
                    for (place, (&x, &class)) in values[rows.clone()].iter().zip(classes).enumerate() {
                        if class == n_classes || x.is_nan() {
                            continue;
                        }
                        let Some(bell) = &bells[class] else {
                            scores[place] += number.ln_held_out(class, x, 1.0, None);
                            continue;
                        };
                        let (exponent, variance) = bell.exponent_and_variance(x);
                        scores[place] -= exponent;
                        variances[place].multiply(variance);
                    }
                }
                (Own::Number { ln_peaks }, Attribute::Number(number), Column::Numeric(values)) => {
                    for ((score, &x), &class) in scores.iter_mut().zip(&values[rows.clone()]).zip(classes) {
                        if class < n_classes && !x.is_nan() {
                            *score += number.ln_held_out(class, x, 1.0, ln_peaks.get(class).copied());
                        }
                    }
                }
                _ => {}
            }
        }
        for (score, variances) in scores.iter_mut().zip(&variances) {
            *score -= 0.5 * (variances.ln() + variances.n_factors * TAU.ln());
        }
    }

    /// A row of any weight, on the fly.
    fn weighted_row(&self, chunk: &Chunk<'_>, row: usize, own: usize, weight: f64, out: &mut [f64]) {
        out.copy_from_slice(&self.ln_class_prior.of_weight(own, weight));
        for ((attribute, scorer), column) in self.attributes.iter().zip(self.model.scorers()).zip(chunk.columns) {
            let mut ln = match scorer.of_row(column, row) {
                Ok(ln) => ln,
                Err(_) => continue,
            };
            match (attribute, column) {
                (Attribute::LeftOut(_), _) => {}
                (Attribute::Texts(_), _) => continue,
                (Attribute::States(states), _) => states_of_row(states, state_of_row(column, None, row), own, weight, &mut ln),
                (Attribute::Bins(cuts, states), _) => states_of_row(states, state_of_row(column, Some(cuts), row), own, weight, &mut ln),
                (Attribute::Number(number), Column::Numeric(values)) => ln[own] = number.ln_held_out(own, values[row], weight, None),
                (Attribute::Number(_), _) => {}
            }
            out.iter_mut().zip(&ln).for_each(|(score, ln)| *score += ln);
        }
        self.add_texts(chunk, row, own, weight, out);
    }
}

/// A product whose logarithm is wanted: one logarithm for many factors.
#[derive(Clone, Copy)]
struct Product {
    ln: f64,
    rest: f64,
    n_factors: f64,
}

impl Default for Product {
    fn default() -> Self {
        Self { ln: 0.0, rest: 1.0, n_factors: 0.0 }
    }
}

impl Product {
    fn multiply(&mut self, factor: f64) {
        const HUGE: f64 = 1e150;
        self.n_factors += 1.0;
        let product = self.rest * factor;
        if product < HUGE && product > 1.0 / HUGE {
            self.rest = product;
        } else {
            self.ln += self.rest.ln() + factor.ln();
            self.rest = 1.0;
        }
    }

    fn ln(&self) -> f64 {
        self.ln + self.rest.ln()
    }
}

/// The model's own scorer wherever a row of another class makes no difference.
fn others<'m>(attribute: &Attribute<'_>, scorer: &'m Scorer) -> Cow<'m, Scorer> {
    if let Attribute::Texts(_) = attribute {
        // Scored row by row.
        return Cow::Owned(Scorer::LeftOut(LeftOut::NotRead));
    }
    let (Attribute::States(states) | Attribute::Bins(_, states)) = attribute else { return Cow::Borrowed(scorer) };
    let counted = states.counted();
    let some_would_be_unknown = (0..counted.n_states()).any(|state| counted.is_counted(state, 0.0) && !counted.is_counted(state, 1.0));
    if !states.feels_other_classes() && !some_would_be_unknown {
        return Cow::Borrowed(scorer);
    }
    let table = states.table_with(HeldOut::other(1.0));
    Cow::Owned(match attribute {
        Attribute::Bins(cuts, _) => Scorer::Bins(cuts.to_vec(), table),
        _ => Scorer::States(table),
    })
}

fn own(attribute: &Attribute<'_>) -> Own {
    match attribute {
        Attribute::LeftOut(_) | Attribute::Texts(_) => Own::LeftOut,
        Attribute::States(states) | Attribute::Bins(_, states) => Own::States(states.table_with(HeldOut::own(1.0))),
        Attribute::Number(number) => match number.held_out_bells() {
            Some(bells) => Own::Bells(bells),
            None => Own::Number { ln_peaks: number.student_ln_peaks(1.0) },
        },
    }
}

fn add_states<C: belief::Code>(table: &StateTable, codes: &[C], classes: &[usize], n_classes: usize, scores: &mut [f64]) {
    for ((score, &code), &class) in scores.iter_mut().zip(codes).zip(classes) {
        if class < n_classes {
            *score += table.ln(code, class);
        }
    }
}

/// Corrects what the state of a row says by taking the row away.
fn states_of_row(states: &States<'_>, state: Option<usize>, own: usize, weight: f64, ln: &mut [f64]) {
    let Some(state) = state else { return };
    if !states.counted().is_counted(state, weight) {
        // Nobody else was seen in this state: without this row it is unknown.
        return ln.fill(0.0);
    }
    if states.feels_other_classes() {
        ln.iter_mut().enumerate().for_each(|(class, ln)| *ln = states.ln(state, class, HeldOut::other(weight)));
    }
    ln[own] = states.ln(state, own, HeldOut::own(weight));
}
