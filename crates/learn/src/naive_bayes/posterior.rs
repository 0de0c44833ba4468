//! The model: what the prior and the statistic say together.

use std::borrow::Cow;

use belief::{Chunk, Schema, ShapeMismatch, VarId};

use super::attribute::Attribute;
use super::class_prior::ClassBelief;
use super::prior::NaiveBayesPrior;
use super::remark::{LeftOut, Remark};
use super::scale::Scale;
use super::scoring::{Scorer, check_chunk, score};
use super::statistic::{AttributeStatistic, NaiveBayesStatistic};
use crate::LearnError;

/// A naive Bayes classifier.
///
/// Assumes that the attributes are independent given the class. What is missing in a row is left out of its product, and so is a
/// state that was neither declared nor seen in learning. A class that has no rows and was not declared is impossible.
///
/// Made of a statistic and a prior whenever either changes, and never stored. Probabilities of zero are legal, as −∞, where
/// maximum likelihood was asked for.
///
/// **Complexity** of making it: one logarithm per state and class. Of scoring: one addition per row, attribute and class.
///
/// # Example
/// Five days on which tennis was played or not, by the wind alone.
/// ```
/// use belief::{Chunk, Codes, Column, Kind, Role, Schema, States, SufficientStatistic, Variable};
/// use tunbridge_learn::{Estimate, NaiveBayes, NaiveBayesPrior, NaiveBayesStatistic, Treatment};
///
/// let states = |names: &[&str]| Kind::Categorical(States::declared(names.iter().map(|n| n.to_string()).collect(), false).unwrap());
/// let schema = Schema::new(vec![
///     Variable { name: "Wind".into(), kind: states(&["Strong", "Weak"]), role: Role::Input },
///     Variable { name: "Play".into(), kind: states(&["No", "Yes"]), role: Role::Target },
/// ])?;
/// let columns = [
///     Column::Categorical { codes: Codes::U8(&[0, 1, 1, 1, 0]), n_states: 2 },
///     Column::Categorical { codes: Codes::U8(&[0, 0, 1, 1, 1]), n_states: 2 },
/// ];
/// let rows = Chunk { first_row: 0, n_rows: 5, columns: &columns, weights: None };
/// let mut statistic = NaiveBayesStatistic::empty(&[Treatment::Categorical, Treatment::Absent], 1, &schema.cardinalities());
/// statistic.observe(rows)?;
///
/// let prior = NaiveBayesPrior { estimate: Estimate::MaximumLikelihood, ..NaiveBayesPrior::default() };
/// let model = NaiveBayes::new(&schema, &statistic, &prior)?;
/// let mut ln_joint = Vec::new();
/// model.ln_joint(&rows, &mut ln_joint)?;
/// // The first row has a strong wind: P(No) · P(Strong | No) = 2/5 · 1/2, and P(Yes) · P(Strong | Yes) = 3/5 · 1/3.
/// assert!((ln_joint[0].exp() - 0.2).abs() < 1e-15 && (ln_joint[1].exp() - 0.2).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # References
/// Mitchell 1997, *Machine Learning*, section 6.9; John & Langley 1995; McCallum & Nigam 1998.
#[derive(Clone, Debug, PartialEq)]
pub struct NaiveBayes {
    target: String,
    class_names: Vec<String>,
    class_weights: Vec<f64>,
    prior: NaiveBayesPrior,
    class_belief: ClassBelief,
    scale: Scale,
    ln_class_prior: Vec<f64>,
    scorers: Vec<Scorer>,
    remarks: Vec<Remark>,
}

impl NaiveBayes {
    /// The model of these data under this prior.
    ///
    /// # Errors
    /// When the schema has no categorical target, the statistic does not belong to the schema, fewer than two classes have rows,
    /// a number of the prior is out of its range, a given prior does not fit the names, or a Bernoulli model meets a number that
    /// is not cut in two.
    pub fn new(schema: &Schema, statistic: &NaiveBayesStatistic, prior: &NaiveBayesPrior) -> Result<Self, LearnError> {
        statistic.validate(schema)?;
        prior.validate()?;
        check_classes(schema, statistic)?;
        let scale = Scale::new(schema, statistic, prior)?;
        Self::with_scale(schema, statistic, prior, &scale)
    }

    /// The model of rows with a class, `observed`, and of what others are `expected` to say, each counted once; `completed` is what
    /// the two say together, as [`super::completed`] makes it.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_expected(
        schema: &Schema,
        observed: &NaiveBayesStatistic,
        expected: &NaiveBayesStatistic,
        completed: &NaiveBayesStatistic,
        prior: &NaiveBayesPrior,
    ) -> Result<Self, LearnError> {
        for statistic in [observed, expected, completed] {
            statistic.validate(schema)?;
        }
        prior.validate()?;
        check_classes(schema, observed)?;
        let scale = Scale::of_labelled(schema, observed, expected, prior)?;
        Self::with_scale(schema, completed, prior, &scale)
    }

    /// The model of these data on a scale made from others, which is what leave-one-out agrees with. The statistic has been
    /// checked; a class may have no rows left.
    pub(crate) fn with_scale(
        schema: &Schema,
        statistic: &NaiveBayesStatistic,
        prior: &NaiveBayesPrior,
        scale: &Scale,
    ) -> Result<Self, LearnError> {
        let target = schema.variable(statistic.target());
        let classes = schema.states(statistic.target()).ok_or(LearnError::NoTarget)?;
        let class_belief = ClassBelief::new(prior, &target.name, classes, statistic.classes())?;
        let attributes = Attribute::all(schema, statistic, prior, scale)?;
        Ok(Self {
            target: target.name.clone(),
            class_names: classes.names().to_vec(),
            class_weights: statistic.classes().to_vec(),
            prior: prior.clone(),
            ln_class_prior: class_belief.ln(statistic.classes()),
            class_belief,
            scale: scale.clone(),
            scorers: attributes.iter().map(Attribute::scorer).collect(),
            remarks: remarks(schema, statistic, &attributes),
        })
    }

    /// The same with other probabilities of the classes.
    pub(super) fn with_ln_class_prior(self, ln_class_prior: Vec<f64>) -> Self {
        Self { ln_class_prior, ..self }
    }

    /// The name of the variable that is predicted.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// How many classes there are: all states of the target, also those that are impossible.
    pub fn n_classes(&self) -> usize {
        self.class_names.len()
    }

    /// The classes' names.
    pub fn class_names(&self) -> &[String] {
        &self.class_names
    }

    /// The weight of the rows of each class.
    pub fn class_weights(&self) -> &[f64] {
        &self.class_weights
    }

    /// ln P(class); −∞ for an impossible class.
    pub fn ln_class_prior(&self) -> &[f64] {
        &self.ln_class_prior
    }

    /// The prior it was made with.
    pub fn prior(&self) -> &NaiveBayesPrior {
        &self.prior
    }

    /// What is worth saying about it.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// ln P(class) + Σ ln P(x | class) for every row and class: `out[row * n_classes + class]`. What was in `out` is replaced.
    ///
    /// Normalised, by [`belief::normalise_ln`] over the classes of a row, these are the classes' probabilities. Columns may be
    /// absent; they are left out like missing values. The target's column is not looked at.
    ///
    /// # Errors
    /// When the columns are not those of the schema.
    pub fn ln_joint(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        check_chunk(&self.scorers, chunk)?;
        score(&self.scorers, &self.ln_class_prior, chunk, out);
        Ok(())
    }

    /// For each variable what its value in this row says: ln P(x | class) of every class, or `None` if it is left out.
    ///
    /// # Errors
    /// When the columns are not those of the schema, or the row is not in the chunk.
    pub fn contributions(&self, chunk: &Chunk<'_>, row: usize) -> Result<Vec<Option<Vec<f64>>>, LearnError> {
        Ok(self.evidence(chunk, row)?.into_iter().map(Result::ok).collect())
    }

    /// As [`Self::contributions`], with the reason where something is left out.
    ///
    /// # Errors
    /// When the columns are not those of the schema, or the row is not in the chunk.
    pub fn evidence(&self, chunk: &Chunk<'_>, row: usize) -> Result<Vec<Result<Vec<f64>, LeftOut>>, LearnError> {
        check_chunk(&self.scorers, chunk)?;
        if row >= chunk.n_rows {
            return Err(LearnError::NoSuchRow { row, n_rows: chunk.n_rows });
        }
        Ok(self.scorers.iter().zip(chunk.columns).map(|(scorer, column)| scorer.of_row(column, row)).collect())
    }

    /// What one state of a variable, or one bin of its numbers, says: ln P(state | class) of every class, or `None` if it is left out.
    pub fn ln_state(&self, variable: VarId, state: usize) -> Option<Cow<'_, [f64]>> {
        match self.scorers.get(variable.index())? {
            Scorer::States(table) | Scorer::Bins(_, table) => table.of_state(state).map(Cow::Borrowed),
            Scorer::Words(table) if table.concentrations.is_empty() => table.words.of_word(state),
            // Of a word's α, the probability that the first word of a text is this one.
            Scorer::Words(table) => {
                let alpha = table.words.of_word(state)?;
                Some(alpha.iter().zip(&table.concentrations).map(|(alpha, total)| (alpha / total).ln()).collect())
            }
            _ => None,
        }
    }

    /// How often the words of a text that count were met in each class.
    pub fn word_totals(&self, variable: VarId) -> Option<&[f64]> {
        if let Scorer::Words(table) = self.scorers.get(variable.index())? { Some(&table.class_totals) } else { None }
    }

    pub(crate) fn scale(&self) -> &Scale {
        &self.scale
    }

    pub(crate) fn class_belief(&self) -> &ClassBelief {
        &self.class_belief
    }

    pub(crate) fn scorers(&self) -> &[Scorer] {
        &self.scorers
    }
}

/// That there is something to tell apart.
pub(super) fn check_classes(schema: &Schema, statistic: &NaiveBayesStatistic) -> Result<(), LearnError> {
    let names = schema.states(statistic.target()).ok_or(LearnError::NoTarget)?.names();
    let present: Vec<String> =
        names.iter().zip(statistic.classes()).filter(|(_, weight)| **weight > 0.0).map(|(name, _)| name.clone()).collect();
    if present.len() < 2 {
        return Err(LearnError::TooFewClasses { target: schema.variable(statistic.target()).name.clone(), present });
    }
    Ok(())
}

fn remarks(schema: &Schema, statistic: &NaiveBayesStatistic, attributes: &[Attribute<'_>]) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let names = schema.states(statistic.target()).map_or(&[][..], |states| states.names());
    let classes = || names.iter().zip(statistic.classes()).enumerate().filter(|(_, (_, weight))| **weight > 0.0);
    for (_, (class, _)) in classes().filter(|(_, (_, weight))| **weight <= 1.0) {
        remarks.push(Remark::SingleRow { class: class.clone() });
    }
    for ((variable, of_data), attribute) in schema.variables().iter().zip(statistic.attributes()).zip(attributes) {
        let variable = &variable.name;
        if let Attribute::LeftOut(why) = attribute {
            if *why != LeftOut::NotAnAttribute {
                remarks.push(Remark::ColumnLeftOut { variable: variable.clone(), why: *why });
            }
            continue;
        }
        if let Attribute::Number(number) = attribute
            && number.is_blurred()
        {
            remarks.push(Remark::Blurred { variable: variable.clone() });
        }
        let observed: Vec<f64> = match of_data {
            AttributeStatistic::Absent => continue,
            AttributeStatistic::Counts(counts) | AttributeStatistic::Binned { counts, .. } => counts.class_totals(),
            AttributeStatistic::Moments(moments) => moments.of_class().iter().map(|m| m.weight).collect(),
            AttributeStatistic::Words(counts) => match attribute {
                Attribute::Texts(bag) => bag.class_totals().to_vec(),
                _ => counts.class_totals(),
            },
        };
        for (place, (class, _)) in classes() {
            if observed[place] == 0.0 {
                remarks.push(Remark::NoObservations { variable: variable.clone(), class: class.clone() });
            } else if let Attribute::Number(number) = attribute
                && number.borrows(&number.of_class[place])
            {
                remarks.push(Remark::BorrowedVariance { variable: variable.clone(), class: class.clone() });
            }
        }
    }
    remarks
}
