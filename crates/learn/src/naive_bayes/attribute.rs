//! One factor of the product: what an attribute of some kind says under some prior, with all rows or with one held out.

use belief::{Schema, Variable};

use super::bernoulli::Bernoulli;
use super::categorical::{Categorical, CountedStates, HeldOut};
use super::gaussian::{Family, Number};
use super::nearest_centroid::OneHot;
use super::prior::{Estimate, EventModel, MEstimateP, NaiveBayesPrior, TextEvent, WordChoice};
use super::remark::LeftOut;
use super::scale::Scale;
use super::scoring::{BellScores, Scorer, StateTable, StudentScores};
use super::statistic::{AttributeStatistic, NaiveBayesStatistic};
use super::words::Bag;
use crate::LearnError;

/// What one attribute says, by its statistic.
#[derive(Clone, Debug)]
pub(crate) enum Attribute<'s> {
    LeftOut(LeftOut),
    States(States<'s>),
    /// States that are bins between these cut points.
    Bins(&'s [f64], States<'s>),
    Number(Number<'s>),
    Texts(Bag<'s>),
}

/// What an attribute with states says.
#[derive(Clone, Debug)]
pub(crate) enum States<'s> {
    Categorical(Categorical<'s>),
    Bernoulli(Bernoulli<'s>),
    OneHot(OneHot<'s>),
}

impl<'s> Attribute<'s> {
    /// The attribute of every variable.
    ///
    /// # Errors
    /// When the prior does not fit the variables.
    pub(crate) fn all(
        schema: &Schema,
        statistic: &'s NaiveBayesStatistic,
        prior: &NaiveBayesPrior,
        scale: &'s Scale,
    ) -> Result<Vec<Self>, LearnError> {
        check_given_p(schema, statistic, prior)?;
        if prior.event == EventModel::Bernoulli {
            check_bernoulli(schema, statistic)?;
        }
        let variables = schema.variables().iter().zip(statistic.attributes()).enumerate();
        let n_rows = statistic.classes();
        variables.map(|(place, (variable, attribute))| Self::new(place, variable, attribute, n_rows, prior, scale)).collect()
    }

    fn new(
        place: usize,
        variable: &Variable,
        attribute: &'s AttributeStatistic,
        n_rows: &[f64],
        prior: &NaiveBayesPrior,
        scale: &'s Scale,
    ) -> Result<Self, LearnError> {
        if let AttributeStatistic::Words(counts) = attribute {
            if prior.event == EventModel::NearestCentroid {
                return Err(LearnError::TextInCentroid { variable: variable.name.clone() });
            }
            let chosen = scale.words[place].as_deref().unwrap_or_default();
            if prior.text == TextEvent::DirichletCompound && prior.words != WordChoice::default() {
                return Err(LearnError::ChosenBursts { variable: variable.name.clone() });
            }
            let bag = Bag::new(&variable.name, counts, n_rows, &prior.estimate, prior.text, chosen)?;
            let has_words = counts.met().next().is_some() || n_rows.iter().zip(counts.wordless()).any(|(rows, wordless)| rows > wordless);
            return Ok(match (bag.n_chosen() > 0, has_words) {
                (true, _) => Attribute::Texts(bag),
                (false, true) => Attribute::LeftOut(LeftOut::NoWordCounts),
                (false, false) => Attribute::LeftOut(LeftOut::NeverObserved),
            });
        }
        if let Some(states) = CountedStates::of(variable, attribute) {
            if states.n_counted() == 0.0 {
                return Ok(Attribute::LeftOut(LeftOut::NeverObserved));
            }
            let states = match prior.event {
                EventModel::NearestCentroid => States::OneHot(OneHot::new(states, scale.sphere_variance)),
                EventModel::Bernoulli if states.n_counted() > 2.0 => States::Bernoulli(Bernoulli::new(states, variable, &prior.estimate)?),
                _ => States::Categorical(Categorical::new(states, variable, &prior.estimate)?),
            };
            return Ok(match attribute {
                AttributeStatistic::Binned { cuts, .. } => Attribute::Bins(cuts, states),
                _ => Attribute::States(states),
            });
        }
        let (AttributeStatistic::Moments(moments), Some(column)) = (attribute, scale.columns[place]) else {
            return Ok(Attribute::LeftOut(LeftOut::NotAnAttribute));
        };
        let centroid = prior.event == EventModel::NearestCentroid;
        Ok(match column.left_out {
            // A point needs no spread to be near to.
            Some(LeftOut::NoSpread) if centroid => Attribute::Number(Number::centroid(moments.of_class(), column, scale)),
            Some(why) => Attribute::LeftOut(why),
            None if centroid => Attribute::Number(Number::centroid(moments.of_class(), column, scale)),
            None => Attribute::Number(Number::gaussian_or_student(moments.of_class(), column, &prior.numeric, scale)),
        })
    }

    /// What scores rows, with all rows learned from.
    pub(crate) fn scorer(&self) -> Scorer {
        match self {
            Attribute::LeftOut(why) => Scorer::LeftOut(*why),
            Attribute::States(states) => Scorer::States(states.table()),
            Attribute::Bins(cuts, states) => Scorer::Bins(cuts.to_vec(), states.table()),
            Attribute::Texts(bag) => Scorer::Words(bag.table()),
            Attribute::Number(number) => match number.family {
                Family::Student => Scorer::Student(number.of_class.iter().map(|m| StudentScores::new(&number.student(m))).collect()),
                _ => Scorer::Bell(number.of_class.iter().map(|m| BellScores::new(&number.bell(m))).collect()),
            },
        }
    }
}

impl<'s> States<'s> {
    pub(crate) fn counted(&self) -> &CountedStates<'s> {
        match self {
            States::Categorical(model) => &model.states,
            States::Bernoulli(model) => &model.states,
            States::OneHot(model) => &model.states,
        }
    }

    /// P(state | class), or of its being present.
    pub(crate) fn p(&self, state: usize, class: usize) -> f64 {
        match self {
            States::Categorical(model) => model.p(state, class, HeldOut::NOTHING),
            States::Bernoulli(model) => model.p(state, class, HeldOut::NOTHING),
            States::OneHot(model) => model.p(state, class, HeldOut::NOTHING),
        }
    }

    /// What the state says of the class.
    pub(crate) fn ln(&self, state: usize, class: usize, held_out: HeldOut) -> f64 {
        match self {
            States::Categorical(model) => model.p(state, class, held_out).ln(),
            States::Bernoulli(model) => model.ln(state, class, held_out, model.all_absent(class, held_out)),
            States::OneHot(model) => model.ln(state, class, held_out),
        }
    }

    /// Whether a row of another class changes what a state says of a class.
    pub(crate) fn feels_other_classes(&self) -> bool {
        match self {
            States::Categorical(model) => model.feels_other_classes(),
            States::Bernoulli(model) => model.feels_other_classes(),
            States::OneHot(_) => false,
        }
    }

    /// What every state says of every class. A state that does not count, or no longer does without a row in it, is unknown.
    pub(crate) fn table(&self) -> StateTable {
        self.table_with(HeldOut::NOTHING)
    }

    /// The same with a row held out of every class asked about, or of another.
    pub(crate) fn table_with(&self, held_out: HeldOut) -> StateTable {
        let states = self.counted();
        let mut table = StateTable::unknown(states.n_states(), states.n_classes());
        let asked: Vec<usize> = (0..states.n_states()).filter(|&state| states.is_counted(state, held_out.weight)).collect();
        for class in 0..states.n_classes() {
            let all_absent = match self {
                States::Bernoulli(model) => Some(model.all_absent(class, held_out)),
                _ => None,
            };
            for &state in &asked {
                // A row that is not there cannot be held out.
                if held_out.own_class && states.n(state, class, HeldOut::NOTHING) < held_out.weight {
                    continue;
                }
                let ln = match (self, all_absent) {
                    (States::Bernoulli(model), Some(all)) => model.ln(state, class, held_out, all),
                    _ => self.ln(state, class, held_out),
                };
                table.set(state, class, ln);
            }
        }
        table
    }
}

/// Every variable whose p is given must be an attribute with states.
fn check_given_p(schema: &Schema, statistic: &NaiveBayesStatistic, prior: &NaiveBayesPrior) -> Result<(), LearnError> {
    let Estimate::MEstimate { p: MEstimateP::Given(given), .. } = &prior.estimate else { return Ok(()) };
    for name in given.keys() {
        let attribute = schema.find(name).map(|id| &statistic.attributes()[id.index()]);
        if !matches!(attribute, Some(AttributeStatistic::Counts(_))) {
            return Err(LearnError::UnknownVariable { variable: name.clone() });
        }
    }
    Ok(())
}

/// Numbers must be cut in two.
fn check_bernoulli(schema: &Schema, statistic: &NaiveBayesStatistic) -> Result<(), LearnError> {
    let is_in_two = |attribute: &AttributeStatistic| match attribute {
        AttributeStatistic::Absent | AttributeStatistic::Counts(_) | AttributeStatistic::Words(_) => true,
        AttributeStatistic::Binned { cuts, .. } => cuts.len() == 1,
        AttributeStatistic::Moments(_) => false,
    };
    let pairs = schema.variables().iter().zip(statistic.attributes());
    let variables: Vec<String> = pairs.filter(|(_, attribute)| !is_in_two(attribute)).map(|(v, _)| v.name.clone()).collect();
    if variables.is_empty() { Ok(()) } else { Err(LearnError::NumberInBernoulli { variables }) }
}
