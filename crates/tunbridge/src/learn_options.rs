//! What to learn and how, and which choices contradict each other.

use data::ReadOptions;
use evaluate::Method;
use learn::{Discretisation, NaiveBayesPrior, TextEvent, WordChoice, WordWeighing};

use crate::labels::{no_costs, unbounded};
use crate::{Error, NamedCosts, Unlabelled};

/// What to learn and how; the default is right for most.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `read` | | how to read the table; `read.target` is needed |
/// | `prior` | Laplace 1, Gaussian | what is believed before |
/// | `bins` | none | cut numbers into bins instead |
/// | `threshold` | 0 | where a Bernoulli model cuts numbers in two |
/// | `evaluation` | leave-one-out | how good the model is |
/// | `calibration` | none | mend over-confident probabilities |
/// | `costs` | none | what errors cost, where they are judged by cost |
/// | `seed` | 1 | which rows go into which fold |
/// | `weighing` | once a time | how much each word of a text counts |
/// | `unlabelled` | left out | rows without a class |
#[derive(Clone)]
pub struct LearnOptions {
    /// How to read the table.
    pub read: ReadOptions,
    /// What is believed before.
    pub prior: NaiveBayesPrior,
    /// How to cut numbers into bins, if at all.
    pub bins: Option<Discretisation>,
    /// Where a Bernoulli model cuts numbers in two.
    pub threshold: f64,
    /// How to judge.
    pub evaluation: EvaluationPlan,
    /// How to calibrate, if at all.
    pub calibration: Option<Method>,
    /// What errors cost; rows are then judged by the class of least expected cost.
    pub costs: Option<NamedCosts>,
    /// Which rows go into which fold.
    pub seed: u64,
    /// How much each word of a text counts.
    pub weighing: WordWeighing,
    /// How rows without a class are learned from, if at all.
    pub unlabelled: Option<Unlabelled>,
}

impl Default for LearnOptions {
    fn default() -> Self {
        Self {
            read: ReadOptions::default(),
            prior: NaiveBayesPrior::default(),
            bins: None,
            threshold: 0.0,
            evaluation: EvaluationPlan::LeaveOneOut,
            calibration: None,
            costs: None,
            seed: 1,
            weighing: WordWeighing::default(),
            unlabelled: None,
        }
    }
}

/// How a learner is judged on the data it learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationPlan {
    /// Not at all.
    None,
    /// Each row by the model of all others.
    LeaveOneOut,
    /// Each fold by the model of the others.
    Folds(usize),
}

impl LearnOptions {
    /// That no two choices contradict each other, whatever the data are.
    ///
    /// # Errors
    /// Names the choices that do.
    pub fn check(&self) -> Result<(), Error> {
        let is_weighed = !self.weighing.is_plain();
        let components = self.unlabelled.as_ref().is_some_and(|plan| plan.components.is_some());
        let refused = |what: &str, hint: &str| Err(Error::unfit(what, hint));
        if self.read.labels.is_some() {
            return self.check_of_labels(is_weighed, components);
        }
        match self.prior.text {
            TextEvent::DirichletCompound if is_weighed => refused(
                "a Dirichlet-compound counts how often words are repeated, and takes no weights of them",
                "leave --weigh-words out, or choose another --text-model",
            ),
            TextEvent::DirichletCompound if self.prior.words != WordChoice::default() => refused(
                "words cannot be chosen for a Dirichlet-compound: the lengths of its texts are counted with all words",
                "leave out words by --stop-words instead, or choose another --text-model",
            ),
            TextEvent::Bernoulli if is_weighed => refused(
                "a Bernoulli model asks of a word whether it is there, and takes no weights of it",
                "leave --weigh-words out, or choose another --text-model",
            ),
            TextEvent::Complement | TextEvent::NormalisedComplement if self.unlabelled.is_some() => refused(
                "a complement gives no probability of a text, by which rows are shared among classes or components",
                if components {
                    "leave --components out, or choose another --text-model"
                } else {
                    "leave --unlabelled out, or choose another --text-model"
                },
            ),
            event if self.read.max_vocabulary.is_some() && (event == TextEvent::DirichletCompound || self.unlabelled.is_some()) => refused(
                "words cannot be dropped where lengths of texts are counted with them, or where other texts are still to be read",
                "leave --max-vocabulary out, or --unlabelled and --text-model dirichlet-compound",
            ),
            _ if components && self.calibration.is_some() => refused(
                "a calibration is fitted by leave-one-out, which classes of several components do not have",
                "leave --calibrate or --components out",
            ),
            _ => Ok(()),
        }
    }

    /// Labels choose their words one by one, are not taken for each other, and are there or not.
    fn check_of_labels(&self, is_weighed: bool, components: bool) -> Result<(), Error> {
        let refused = |what: &str, hint: &str| Err(Error::unfit(what, hint));
        if self.calibration.is_some() {
            return refused("a calibration is for one class a row, and not for labels", "leave --calibrate out");
        }
        if matches!(self.bins, Some(Discretisation::FayyadIrani)) {
            return refused(
                "cut points that tell classes apart need one class a row, and not labels",
                "cut with --numeric bins:width or bins:frequency",
            );
        }
        if is_weighed {
            return refused(
                "words are weighed once for all classes, and labels choose theirs one by one",
                "leave --weigh-words out, or predict one class a row",
            );
        }
        no_costs(self.costs.as_ref())?;
        unbounded(&self.read)?;
        if components {
            return refused("a label is there or not, and neither has components", "leave --components out");
        }
        if self.unlabelled.is_some() {
            return refused("rows whose labels are missing are left out, and not learned from", "leave --unlabelled out");
        }
        Ok(())
    }
}
