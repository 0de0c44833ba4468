//! What we believed before any data: how probabilities are estimated, and what each kind of attribute is a draw from.
//!
//! Smoothing lives here and nowhere else. How a prior is written on a command line is in [`super::prior_text`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::LearnError;

/// What we believed.
///
/// | part | default | meaning |
/// |---|---|---|
/// | `class` | `empirical` | the probability of each class before a row is looked at |
/// | `estimate` | `laplace:1` | the probability of each state given the class |
/// | `numeric` | `gaussian:1e-9` | the density of a number given the class |
/// | `event` | `categorical` | what kind of event an attribute is |
/// | `text` | `multinomial` | what kind of event a text is |
/// | `words` | all | which words count |
///
/// ```
/// use tunbridge_learn::{Estimate, NaiveBayesPrior};
/// let prior = NaiveBayesPrior { estimate: "m:2:empirical".parse()?, ..NaiveBayesPrior::default() };
/// assert_eq!(prior.estimate.to_string(), "m:2:empirical");
/// assert_eq!(NaiveBayesPrior::default().estimate, Estimate::Laplace { l: 1.0 });
/// # Ok::<(), tunbridge_learn::NotAPrior>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NaiveBayesPrior {
    /// The probability of each class.
    pub class: ClassPrior,
    /// The probability of each state given the class.
    pub estimate: Estimate,
    /// The density of a number given the class.
    pub numeric: NumericModel,
    /// What kind of event an attribute is.
    pub event: EventModel,
    /// What kind of event a text is.
    pub text: TextEvent,
    /// Which words of texts count.
    pub words: WordChoice,
}

/// What kind of event a text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextEvent {
    /// Each of its words is one, drawn from the words of its class.
    #[default]
    Multinomial,
    /// For every word of the vocabulary whether it is there.
    Bernoulli,
    /// Each of its words is one, drawn from those of all other classes, and speaks against them. No probability of the text, but
    /// its scores are often better than those of classes of very different sizes.
    Complement,
    /// The same, with the weights of every class brought to one size, their mean.
    NormalisedComplement,
    /// Each of its words is one, drawn from probabilities that every text draws for itself first: words come in bursts.
    DirichletCompound,
}

/// Which words count. They are chosen when the model is made of the counts, in which all words are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WordChoice {
    /// Texts a word must be met in, at least.
    pub least_texts: f64,
    /// Times a word must be met, at least.
    pub least_times: f64,
    /// So many of the most frequent words do not count.
    pub drop_most_frequent: usize,
    /// Only so many words count, those that tell most of the class.
    pub most_informative: Option<usize>,
}

/// How the probability of a state given the class is estimated. J is the number of states: those declared together with those of
/// positive count. Every way is a Dirichlet prior by its pseudo-counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Estimate {
    /// n/N: no pseudo-counts. A state never seen with a class is impossible in it.
    MaximumLikelihood,
    /// (n + l)/(N + l·J): l imaginary rows in every state.
    Laplace {
        /// Imaginary rows per state, at least zero.
        l: f64,
    },
    /// (n + m·p)/(N + m): m imaginary rows spread by p (Cestnik 1990).
    MEstimate {
        /// Imaginary rows in all, at least zero.
        m: f64,
        /// How they are spread over the states.
        p: MEstimateP,
    },
    /// (n + alpha/J)/(N + alpha): a total of alpha, shared evenly.
    Dirichlet {
        /// Imaginary rows in all, at least zero.
        alpha: f64,
    },
}

/// How the m-estimate's imaginary rows are spread over the states of an attribute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MEstimateP {
    /// 1/J each.
    Uniform,
    /// As the states are spread in all classes together.
    Empirical,
    /// As given, by the names of variables and their states; variables that are not named are spread evenly. The probabilities
    /// of a variable sum to one to within 1e-6, and are then made to.
    Given(BTreeMap<String, BTreeMap<String, f64>>),
}

/// The probability of each class. A class that has no rows and was not declared has probability zero, whatever the prior.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum ClassPrior {
    /// As often as in the rows.
    #[default]
    Empirical,
    /// l imaginary rows in every class.
    Laplace {
        /// Imaginary rows per class, at least zero.
        l: f64,
    },
    /// alpha imaginary rows, shared evenly.
    Dirichlet {
        /// Imaginary rows in all, at least zero.
        alpha: f64,
    },
    /// Every class the same.
    Uniform,
    /// As given, by name; every class is named, and the probabilities sum to one to within 1e-6, and are then made to.
    Given(BTreeMap<String, f64>),
}

/// The density of a number given the class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum NumericModel {
    /// Normal, by maximum likelihood. A part of the largest variance of any column is added to every variance, as scikit-learn's
    /// `GaussianNB` does, so that a class in which a column hardly varies is not infinitely sure of it.
    Gaussian {
        /// The part, at least zero.
        variance_smoothing: f64,
    },
    /// Student's t: the predictive of a normal with unknown mean and variance. The prior has the mean and variance of the whole
    /// column; it is worth one row for the mean and two for the variance.
    Student,
}

/// What kind of event an attribute is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventModel {
    /// One of its states.
    #[default]
    Categorical,
    /// For every state whether it is there: absence tells as much as presence. With two states it is the same as categorical.
    Bernoulli,
    /// A point in space: the classes are spheres of one size around their means, equally probable. The class prior and the
    /// estimate are not used.
    NearestCentroid,
}

impl Default for Estimate {
    fn default() -> Self {
        Estimate::Laplace { l: 1.0 }
    }
}

impl NumericModel {
    /// The part of the largest variance that is added unless told otherwise.
    pub const VARIANCE_SMOOTHING: f64 = 1e-9;
}

impl Default for NumericModel {
    fn default() -> Self {
        NumericModel::Gaussian { variance_smoothing: Self::VARIANCE_SMOOTHING }
    }
}

impl NaiveBayesPrior {
    /// Whether every number is in its range; for what was read from a file.
    ///
    /// # Errors
    /// Names the first number that is not, or the first given distribution that does not sum to one.
    pub fn validate(&self) -> Result<(), LearnError> {
        match &self.estimate {
            Estimate::MaximumLikelihood => {}
            Estimate::Laplace { l } => check("the l of the Laplace estimate", *l)?,
            Estimate::Dirichlet { alpha } => check("the alpha of the Dirichlet estimate", *alpha)?,
            Estimate::MEstimate { m, p } => {
                check("the m of the m-estimate", *m)?;
                if let MEstimateP::Given(given) = p {
                    for (variable, p) in given {
                        check_distribution(format!("`{variable}`"), p)?;
                    }
                }
            }
        }
        match &self.class {
            ClassPrior::Empirical | ClassPrior::Uniform => {}
            ClassPrior::Laplace { l } => check("the l of the class prior", *l)?,
            ClassPrior::Dirichlet { alpha } => check("the alpha of the class prior", *alpha)?,
            ClassPrior::Given(given) => check_distribution("the classes".into(), given)?,
        }
        check("the texts a word must be met in", self.words.least_texts)?;
        check("the times a word must be met", self.words.least_times)?;
        match self.numeric {
            NumericModel::Gaussian { variance_smoothing } => check("the smoothing of variances", variance_smoothing),
            NumericModel::Student => Ok(()),
        }
    }
}

fn check(what: &'static str, found: f64) -> Result<(), LearnError> {
    if found >= 0.0 && found.is_finite() { Ok(()) } else { Err(LearnError::NotAPriorNumber { what, found }) }
}

/// How far from one given probabilities may sum: they are written with few digits.
pub(super) const SUM_TOLERANCE: f64 = 1e-6;

fn check_distribution(of: String, entries: &BTreeMap<String, f64>) -> Result<(), LearnError> {
    entries.values().try_for_each(|p| check("a given probability", *p))?;
    let sum: f64 = entries.values().sum();
    if (sum - 1.0).abs() <= SUM_TOLERANCE { Ok(()) } else { Err(LearnError::NotADistribution { of, sum }) }
}
