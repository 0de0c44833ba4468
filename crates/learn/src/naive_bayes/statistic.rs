//! What the data say to naive Bayes: class weights, and for each attribute its counts or its moments class by class.
//!
//! One pass over the rows, column by column. Everything naive Bayes will ever ask of the data is here, whatever the prior and
//! the event model: they are chosen later, when the posterior is made. Rows whose target is missing are left out and counted.

use std::sync::Arc;

use belief::{
    BinCodes, Chunk, ClassMoments, Codes, Column, Forget, JointCounts, Kind, NeverObserved, Recode, Recoding, Schema, ShapeMismatch,
    SufficientStatistic, VarId, WordCounts, WordWeights, are_cuts, count_without, for_codes,
};
use serde::{Deserialize, Serialize};

use crate::{LearnError, StatisticFault};

/// How a variable is to be summed up: part of the recipe, fixed before counting.
#[derive(Clone, Debug, PartialEq)]
pub enum Treatment {
    /// Not at all: ignored columns, the weight, and the target itself.
    Absent,
    /// States, counted class by class.
    Categorical,
    /// Numbers, by their moments in each class.
    Moments,
    /// Texts, by the words in them, weighed so.
    Words(Arc<WordWeights>),
    /// Numbers, counted in bins with these cut points, finite and strictly increasing: bin i holds cuts\[i−1\] < x ≤ cuts\[i\].
    Binned(Vec<f64>),
}

/// The statistic of one variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AttributeStatistic {
    /// Left out.
    Absent,
    /// How often each state was seen with each class.
    Counts(JointCounts),
    /// The moments in each class.
    Moments(ClassMoments),
    /// How often each word was met in texts of each class.
    Words(WordCounts),
    /// How often each bin was seen with each class.
    Binned {
        /// The cut points, finite and strictly increasing: bin i holds cuts\[i−1\] < x ≤ cuts\[i\].
        cuts: Vec<f64>,
        /// One state per bin, one more than there are cuts.
        counts: JointCounts,
    },
}

/// What the data say to naive Bayes.
///
/// Laws: merging is associative and commutative, exactly for counts with whole weights and to rounding for moments; the empty
/// statistic is its identity; forgetting undoes merging.
///
/// A statistic read from a file is to be checked against its schema by [`NaiveBayesStatistic::validate`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NaiveBayesStatistic {
    target: VarId,
    /// The weight of each class, as counts of a single state.
    #[serde(deserialize_with = "counts_of_one_state")]
    classes: JointCounts,
    n_rows_without_target: f64,
    attributes: Vec<AttributeStatistic>,
}

impl NaiveBayesStatistic {
    /// Nothing seen. `treatments` and `n_states` have one entry per variable of the schema; the target's number of states is the
    /// number of classes, and its treatment is taken as [`Treatment::Absent`].
    ///
    /// # Panics
    /// When `n_states` is shorter than `treatments`, or `target` is not one of its places.
    pub fn empty(treatments: &[Treatment], target: usize, n_states: &[usize]) -> Self {
        let n_classes = n_states[target];
        let blank = |(place, treatment): (usize, &Treatment)| match treatment {
            _ if place == target => AttributeStatistic::Absent,
            Treatment::Absent => AttributeStatistic::Absent,
            Treatment::Categorical => AttributeStatistic::Counts(JointCounts::empty(n_classes, n_states[place])),
            Treatment::Moments => AttributeStatistic::Moments(ClassMoments::empty(n_classes)),
            Treatment::Words(weights) => AttributeStatistic::Words(WordCounts::weighed(n_classes, n_states[place], Arc::clone(weights))),
            Treatment::Binned(cuts) => {
                AttributeStatistic::Binned { cuts: cuts.clone(), counts: JointCounts::empty(n_classes, cuts.len() + 1) }
            }
        };
        Self {
            target: VarId::new(target),
            classes: JointCounts::empty(n_classes, 1),
            n_rows_without_target: 0.0,
            attributes: treatments.iter().enumerate().map(blank).collect(),
        }
    }

    /// The variable to be predicted.
    pub fn target(&self) -> VarId {
        self.target
    }

    /// The weight of each class: of all rows whose target is present.
    pub fn classes(&self) -> &[f64] {
        self.classes.of_state(0)
    }

    /// The weight of all rows whose target is present.
    pub fn n_rows(&self) -> f64 {
        self.classes().iter().sum()
    }

    /// The weight of the rows that were left out because their target is missing.
    pub fn n_rows_without_target(&self) -> f64 {
        self.n_rows_without_target
    }

    /// How often each state, word or class of a variable was met. None where that is not known: of numbers, and of words that have weights, which
    /// new ones would not get.
    pub fn n_met(&self, place: usize) -> Option<Vec<f64>> {
        if place == self.target.index() {
            let mut n_met = self.classes().to_vec();
            // What rounding took of the rows of a class it may have left of its values, where weights are of very different sizes.
            for attribute in &self.attributes {
                match attribute {
                    AttributeStatistic::Counts(counts) | AttributeStatistic::Binned { counts, .. } => {
                        n_met.iter_mut().zip(counts.class_totals()).for_each(|(n, more)| *n += more);
                    }
                    AttributeStatistic::Moments(moments) => {
                        n_met.iter_mut().zip(moments.of_class()).for_each(|(n, more)| *n += more.weight);
                    }
                    _ => {}
                }
            }
            return Some(n_met);
        }
        match self.attributes.get(place)? {
            AttributeStatistic::Counts(counts) => Some((0..counts.n_states()).map(|state| counts.of_state(state).iter().sum()).collect()),
            AttributeStatistic::Words(counts) if counts.weights().of_word.is_none() => Some(counts.times()),
            _ => None,
        }
    }

    /// The statistic of each variable of the schema; the target's is [`AttributeStatistic::Absent`].
    pub fn attributes(&self) -> &[AttributeStatistic] {
        &self.attributes
    }

    /// The treatments this statistic was made with.
    pub fn treatments(&self) -> Vec<Treatment> {
        let treatment = |attribute: &AttributeStatistic| match attribute {
            AttributeStatistic::Absent => Treatment::Absent,
            AttributeStatistic::Counts(_) => Treatment::Categorical,
            AttributeStatistic::Moments(_) => Treatment::Moments,
            AttributeStatistic::Words(counts) => Treatment::Words(Arc::clone(counts.weights())),
            AttributeStatistic::Binned { cuts, .. } => Treatment::Binned(cuts.clone()),
        };
        self.attributes.iter().map(treatment).collect()
    }

    /// The same of variables in another order: of each, the place where it is now. Each is to be there once.
    ///
    /// # Panics
    /// When one is not.
    pub fn in_order(&self, places: &[usize]) -> Self {
        let target = places.iter().position(|place| *place == self.target.index()).expect("the target is one of the variables");
        let attributes = places.iter().map(|place| self.attributes[*place].clone()).collect();
        Self { target: VarId::new(target), attributes, ..self.clone() }
    }

    /// Whether this can be a statistic of rows of this schema; for what was read from a file.
    ///
    /// # Errors
    /// Names the first variable whose statistic does not fit, and why.
    pub fn validate(&self, schema: &Schema) -> Result<(), LearnError> {
        ShapeMismatch::check("variables of the statistic", schema.variables().len(), self.attributes.len())?;
        let target = schema.target().ok_or(LearnError::NoTarget)?;
        let variable = schema.variable(target);
        let unfit = |place: usize, fault: StatisticFault| LearnError::Unfit { variable: schema.variables()[place].name.clone(), fault };
        let states = schema
            .states(target)
            .ok_or_else(|| LearnError::TargetNotCategorical { variable: variable.name.clone(), kind: variable.kind.word() })?;
        if target != self.target {
            let place = self.target.index().min(self.attributes.len() - 1);
            return Err(unfit(place, StatisticFault::AnotherTarget));
        }
        if self.attributes[target.index()] != AttributeStatistic::Absent {
            return Err(unfit(target.index(), StatisticFault::TargetAsAttribute));
        }
        check_counts(&self.classes, states.len(), 1).map_err(|fault| unfit(target.index(), fault))?;
        if !is_count(self.n_rows_without_target) {
            return Err(unfit(target.index(), StatisticFault::NotACount));
        }
        for (place, (attribute, variable)) in self.attributes.iter().zip(schema.variables()).enumerate() {
            attribute.check(&variable.kind, states.len()).map_err(|fault| unfit(place, fault))?;
        }
        Ok(())
    }

    /// The statistic of two classes made of one: the rows that are not in it, and those that are. `all` is the class in which every
    /// row was counted.
    ///
    /// # Errors
    /// When the class has rows that `all` does not have.
    ///
    /// # Panics
    /// When there is no such class.
    pub(crate) fn against_rest(&self, class: usize, all: usize) -> Result<Self, NeverObserved> {
        let attribute = |attribute: &AttributeStatistic| {
            Ok(match attribute {
                AttributeStatistic::Absent => AttributeStatistic::Absent,
                AttributeStatistic::Counts(counts) => AttributeStatistic::Counts(counts.against_rest(class, all)?),
                AttributeStatistic::Moments(moments) => AttributeStatistic::Moments(moments.against_rest(class, all)?),
                AttributeStatistic::Words(counts) => AttributeStatistic::Words(counts.against_rest(class, all)?),
                AttributeStatistic::Binned { cuts, counts } => {
                    AttributeStatistic::Binned { cuts: cuts.clone(), counts: counts.against_rest(class, all)? }
                }
            })
        };
        Ok(Self {
            target: self.target,
            classes: self.classes.against_rest(class, all)?,
            n_rows_without_target: self.n_rows_without_target,
            attributes: self.attributes.iter().map(attribute).collect::<Result<_, NeverObserved>>()?,
        })
    }

    fn check_shape(&self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("variables", self.attributes.len(), other.attributes.len())?;
        ShapeMismatch::check("the place of the target", self.target.index(), other.target.index())?;
        ShapeMismatch::check("classes", self.classes.n_classes(), other.classes.n_classes())?;
        self.attributes.iter().zip(&other.attributes).try_for_each(|(a, b)| a.check_shape(b))
    }

    /// Adds rows, each of them to every class by its share of it: `shares[row * n_classes + class]`. The target's column and the
    /// weights are not looked at, and a column that is absent is missing in every row.
    ///
    /// # Errors
    /// When a column has the wrong shape; then nothing is added.
    pub fn observe_shared(&mut self, chunk: &Chunk<'_>, shares: &[f64]) -> Result<(), ShapeMismatch> {
        self.check_columns(chunk, true)?;
        let n_classes = self.classes().len();
        ShapeMismatch::check("shares of rows", chunk.n_rows * n_classes, shares.len())?;
        for (attribute, column) in self.attributes.iter_mut().zip(chunk.columns) {
            if let (AttributeStatistic::Words(counts), Column::Texts(texts)) = (attribute, column) {
                counts.observe_shared(*texts, shares)?;
            }
        }
        let (mut weights, mut bins) = (vec![0.0; chunk.n_rows], BinCodes::default());
        for class in 0..n_classes {
            weights.iter_mut().zip(shares.iter().skip(class).step_by(n_classes)).for_each(|(weight, share)| *weight = *share);
            let (classes, weights) = (vec![class as u32; chunk.n_rows], Some(&weights[..]));
            let classes = Codes::U32(&classes);
            self.classes.observe(classes, Codes::U8(&vec![0; chunk.n_rows]), weights)?;
            for (attribute, column) in self.attributes.iter_mut().zip(chunk.columns) {
                match (attribute, column) {
                    (AttributeStatistic::Counts(counts), Column::Categorical { codes, .. }) => counts.observe(classes, *codes, weights)?,
                    (AttributeStatistic::Moments(moments), Column::Numeric(values)) => moments.observe(classes, values, weights)?,
                    (AttributeStatistic::Binned { cuts, counts }, Column::Numeric(values)) => {
                        counts.observe(classes, bins.fill(cuts, values), weights)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Other counts of the same shape.
    pub(super) fn set_counts(&mut self, classes: JointCounts, attributes: Vec<AttributeStatistic>) {
        (self.classes, self.attributes) = (classes, attributes);
    }

    /// Every row so many times as heavy.
    pub fn scale(&mut self, by: f64) {
        self.classes.scale(by);
        self.n_rows_without_target *= by;
        for attribute in &mut self.attributes {
            match attribute {
                AttributeStatistic::Absent => {}
                AttributeStatistic::Counts(counts) | AttributeStatistic::Binned { counts, .. } => counts.scale(by),
                AttributeStatistic::Moments(moments) => moments.scale(by),
                AttributeStatistic::Words(counts) => counts.scale(by),
            }
        }
    }

    /// The same with nothing said of numbers.
    pub(crate) fn without_numbers(&self) -> Self {
        let mut without = self.clone();
        for attribute in &mut without.attributes {
            if let AttributeStatistic::Moments(moments) = attribute {
                *moments = ClassMoments::empty(moments.of_class().len());
            }
        }
        without
    }

    /// The target's codes, if every column is as this statistic needs it.
    fn check_chunk<'a>(&self, chunk: &Chunk<'a>) -> Result<Codes<'a>, ShapeMismatch> {
        self.check_columns(chunk, false)?;
        match chunk.columns.get(self.target.index()) {
            Some(Column::Categorical { codes, n_states }) => {
                ShapeMismatch::check("rows of the target", chunk.n_rows, codes.len())?;
                at_most("classes of the target", self.classes.n_classes(), *n_states)?;
                Ok(*codes)
            }
            _ => Err(not_there("categorical target columns")),
        }
    }

    /// Whether every column but the target's is as this statistic needs it.
    fn check_columns(&self, chunk: &Chunk<'_>, may_be_absent: bool) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("columns", self.attributes.len(), chunk.columns.len())?;
        if let Some(weights) = chunk.weights {
            ShapeMismatch::check("weights", chunk.n_rows, weights.len())?;
        }
        for (attribute, column) in self.attributes.iter().zip(chunk.columns) {
            match (attribute, column) {
                (AttributeStatistic::Absent, _) => {}
                (_, Column::Absent) if may_be_absent => {}
                (AttributeStatistic::Counts(counts), Column::Categorical { codes, n_states }) => {
                    ShapeMismatch::check("rows of a column", chunk.n_rows, codes.len())?;
                    at_most("states of a column", counts.n_states(), *n_states)?;
                }
                (AttributeStatistic::Moments(_) | AttributeStatistic::Binned { .. }, Column::Numeric(values)) => {
                    ShapeMismatch::check("rows of a column", chunk.n_rows, values.len())?;
                }
                (AttributeStatistic::Words(counts), Column::Texts(texts)) => {
                    ShapeMismatch::check("rows of a column", chunk.n_rows, texts.len())?;
                    at_most("words of a column", counts.n_words(), texts.n_words)?;
                }
                (AttributeStatistic::Counts(_), _) => return Err(not_there("columns of states where states are counted")),
                (AttributeStatistic::Words(_), _) => return Err(not_there("columns of texts where words are counted")),
                _ => return Err(not_there("columns of numbers where numbers are summed up")),
            }
        }
        Ok(())
    }
}

impl SufficientStatistic for NaiveBayesStatistic {
    type Columns<'a> = Chunk<'a>;

    /// Adds rows; nothing is added when a column has the wrong shape.
    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let classes = self.check_chunk(&chunk)?;
        self.n_rows_without_target += weight_without_class(classes, chunk.weights);
        self.classes.observe(classes, Codes::U8(&vec![0; chunk.n_rows]), chunk.weights)?;
        let mut bins = BinCodes::default();
        let mut numbers = Vec::new();
        for (attribute, column) in self.attributes.iter_mut().zip(chunk.columns) {
            match (attribute, column) {
                (AttributeStatistic::Counts(counts), Column::Categorical { codes, .. }) => {
                    counts.observe(classes, *codes, chunk.weights)?
                }
                (AttributeStatistic::Moments(moments), Column::Numeric(values)) => match chunk.weights {
                    None => numbers.push((moments, *values)),
                    weights => moments.observe(classes, values, weights)?,
                },
                (AttributeStatistic::Words(counts), Column::Texts(texts)) => counts.observe(classes, *texts, chunk.weights)?,
                (AttributeStatistic::Binned { cuts, counts }, Column::Numeric(values)) => {
                    counts.observe(classes, bins.fill(cuts, values), chunk.weights)?;
                }
                _ => {}
            }
        }
        ClassMoments::observe_columns(classes, &mut numbers)
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.check_shape(other)?;
        self.classes.merge(&other.classes)?;
        self.n_rows_without_target += other.n_rows_without_target;
        self.attributes.iter_mut().zip(&other.attributes).try_for_each(|(a, b)| a.merge(b))
    }
}

impl Forget for NaiveBayesStatistic {
    fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        self.check_shape(other)?;
        // A fault may show itself in the last attribute, and then nothing may have changed.
        let mut left = self.clone();
        left.classes.forget(&other.classes)?;
        left.n_rows_without_target = count_without(self.n_rows_without_target, other.n_rows_without_target)?;
        left.attributes.iter_mut().zip(&other.attributes).try_for_each(|(a, b)| a.forget(b))?;
        *self = left;
        Ok(())
    }
}

impl Recode for NaiveBayesStatistic {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        let class_map = recoding.of(self.target.index());
        self.classes.recode(class_map, None)?;
        for (place, attribute) in self.attributes.iter_mut().enumerate() {
            match attribute {
                AttributeStatistic::Absent => {}
                AttributeStatistic::Counts(counts) => counts.recode(class_map, recoding.of(place))?,
                AttributeStatistic::Moments(moments) => moments.recode(class_map)?,
                AttributeStatistic::Words(counts) => counts.recode(class_map, recoding.of(place))?,
                AttributeStatistic::Binned { counts, .. } => counts.recode(class_map, None)?,
            }
        }
        Ok(())
    }

    fn times_met(&self, variable: usize) -> Option<Vec<f64>> {
        if let AttributeStatistic::Words(counts) = self.attributes.get(variable)? { Some(counts.times()) } else { None }
    }
}

impl AttributeStatistic {
    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        match (self, other) {
            (Self::Counts(a), Self::Counts(b)) => a.merge(b),
            (Self::Moments(a), Self::Moments(b)) => a.merge(b),
            (Self::Words(a), Self::Words(b)) => a.merge(b),
            (Self::Binned { counts: a, .. }, Self::Binned { counts: b, .. }) => a.merge(b),
            _ => Ok(()),
        }
    }

    fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        match (self, other) {
            (Self::Counts(a), Self::Counts(b)) => a.forget(b),
            (Self::Moments(a), Self::Moments(b)) => a.forget(b),
            (Self::Words(a), Self::Words(b)) => a.forget(b),
            (Self::Binned { counts: a, .. }, Self::Binned { counts: b, .. }) => a.forget(b),
            _ => Ok(()),
        }
    }

    fn check_shape(&self, other: &Self) -> Result<(), ShapeMismatch> {
        let same_counts = |a: &JointCounts, b: &JointCounts| {
            ShapeMismatch::check("classes", a.n_classes(), b.n_classes())?;
            ShapeMismatch::check("states", a.n_states(), b.n_states())
        };
        match (self, other) {
            (Self::Absent, Self::Absent) => Ok(()),
            (Self::Counts(a), Self::Counts(b)) => same_counts(a, b),
            (Self::Moments(a), Self::Moments(b)) => ShapeMismatch::check("classes", a.of_class().len(), b.of_class().len()),
            (Self::Words(a), Self::Words(b)) => {
                ShapeMismatch::check("classes", a.n_classes(), b.n_classes())?;
                ShapeMismatch::check("words", a.n_words(), b.n_words())
            }
            (Self::Binned { cuts: a, counts: left }, Self::Binned { cuts: b, counts: right }) => {
                ShapeMismatch::check("cut points", a.len(), b.len())?;
                let n_equal = a.iter().zip(b).filter(|(a, b)| a == b).count();
                ShapeMismatch::check("cut points that agree", a.len(), n_equal)?;
                same_counts(left, right)
            }
            _ => Err(not_there("variables that were summed up in the same way")),
        }
    }

    fn check(&self, kind: &Kind, n_classes: usize) -> Result<(), StatisticFault> {
        match (self, kind) {
            (Self::Absent, _) => Ok(()),
            (Self::Counts(counts), Kind::Categorical(states)) => check_counts(counts, n_classes, states.len()),
            (Self::Moments(moments), Kind::Numeric) => {
                ShapeMismatch::check("classes", n_classes, moments.of_class().len())?;
                if moments.of_class().iter().all(belief::Moments::is_valid) { Ok(()) } else { Err(StatisticFault::NotFinite) }
            }
            (Self::Binned { cuts, counts }, Kind::Numeric) => {
                if !are_cuts(cuts) {
                    return Err(StatisticFault::CutPoints);
                }
                check_counts(counts, n_classes, cuts.len() + 1)
            }
            (Self::Words(counts), Kind::Text(words)) => {
                ShapeMismatch::check("classes", n_classes, counts.n_classes())?;
                Ok(ShapeMismatch::check("words", words.len(), counts.n_words())?)
            }
            (Self::Words(_), kind) => Err(StatisticFault::Kind { counted: "words", kind: kind.word() }),
            (Self::Counts(_), kind) => Err(StatisticFault::Kind { counted: "states", kind: kind.word() }),
            (Self::Moments(_) | Self::Binned { .. }, kind) => Err(StatisticFault::Kind { counted: "numbers", kind: kind.word() }),
        }
    }
}

fn counts_of_one_state<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<JointCounts, D::Error> {
    let counts = JointCounts::deserialize(deserializer)?;
    if counts.n_states() == 1 { Ok(counts) } else { Err(serde::de::Error::custom("class weights that are not a single list")) }
}

fn check_counts(counts: &JointCounts, n_classes: usize, n_states: usize) -> Result<(), StatisticFault> {
    ShapeMismatch::check("classes", n_classes, counts.n_classes())?;
    ShapeMismatch::check("states", n_states, counts.n_states())?;
    let all = (0..n_states).all(|state| counts.of_state(state).iter().all(|&n| is_count(n)));
    if all { Ok(()) } else { Err(StatisticFault::NotACount) }
}

fn is_count(n: f64) -> bool {
    n.is_finite() && n >= 0.0
}

fn at_most(what: &'static str, most: usize, found: usize) -> Result<(), ShapeMismatch> {
    if found <= most { Ok(()) } else { Err(ShapeMismatch { what, expected: most, found }) }
}

fn not_there(what: &'static str) -> ShapeMismatch {
    ShapeMismatch { what, expected: 1, found: 0 }
}

fn weight_without_class(classes: Codes<'_>, weights: Option<&[f64]>) -> f64 {
    for_codes!(classes, codes => match weights {
        None => codes.iter().filter(|&&c| is_missing(c)).count() as f64,
        Some(weights) => codes.iter().zip(weights).filter(|(c, _)| is_missing(**c)).map(|(_, w)| w).sum(),
    })
}

fn is_missing<C: belief::Code>(code: C) -> bool {
    code.index() == C::MISSING.index()
}
