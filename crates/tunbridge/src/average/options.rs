//! What to average and how, and what comes of it.

use belief::ReadReport;
use data::ReadOptions;

use super::model::{AverageModel, WeighedBy};
use crate::aode::AodeOptions;
use crate::network::{NetworkOptions, StructureLearner};
use crate::{Error, Evaluation, EvaluationPlan, LearnOptions, NamedCosts, Timings};

/// What to average and how.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `read` | | how to read the table, for all members; `read.target` is needed |
/// | `members` | | what to learn, two or more |
/// | `by` | log score | what makes the weights |
/// | `evaluation` | leave-one-out where all members are naive Bayes, else 10 folds | how rows are held out, to judge the average and for log scores |
/// | `costs` | none | what errors cost, where they are judged by cost |
/// | `seed` | 1 | which rows go into which fold |
#[derive(Clone)]
pub struct AverageOptions {
    /// How to read the table.
    pub read: ReadOptions,
    /// What to learn.
    pub members: Vec<MemberOptions>,
    /// What makes the weights.
    pub by: WeighedBy,
    /// How rows are held out. With `None` the average is not judged; log scores are made all the same, in the usual way.
    pub evaluation: EvaluationPlan,
    /// What errors cost; rows are then judged by the class of least expected cost.
    pub costs: Option<NamedCosts>,
    /// Which rows go into which fold.
    pub seed: u64,
}

/// Folds that members are weighed and judged by where leave-one-out would learn them once for every row.
const USUAL_FOLDS: usize = 10;

impl AverageOptions {
    /// These members, weighed by their log scores and judged in the usual way.
    pub fn new(members: Vec<MemberOptions>) -> Self {
        let evaluation = if are_naive_bayes(&members) { EvaluationPlan::LeaveOneOut } else { EvaluationPlan::Folds(USUAL_FOLDS) };
        Self { read: ReadOptions::default(), members, by: WeighedBy::default(), evaluation, costs: None, seed: 1 }
    }

    /// How rows are held out for log scores; `None` where each is by the model of all others.
    ///
    /// # Errors
    /// When that would learn a model once for every row.
    pub(super) fn n_folds(&self) -> Result<Option<usize>, Error> {
        match self.evaluation {
            EvaluationPlan::Folds(n_folds) => Ok(Some(n_folds)),
            EvaluationPlan::None | EvaluationPlan::LeaveOneOut if are_naive_bayes(&self.members) => Ok(None),
            EvaluationPlan::None => Ok(Some(USUAL_FOLDS)),
            EvaluationPlan::LeaveOneOut => Err(Error::unfit(
                "leave-one-out would learn networks and aode once for every row",
                "judge by folds, as in --evaluate folds:10",
            )),
        }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        if self.members.len() < 2 {
            return Err(Error::unfit("an average needs two members or more", "give --average once for each"));
        }
        if self.read.labels.is_some() {
            return Err(Error::unfit("an average is of models of one class a row, and not of labels", "leave --labels or --average out"));
        }
        let is_mended = |member: &&MemberOptions| {
            let MemberLearner::NaiveBayes(options) = &member.learner else { return false };
            options.calibration.is_some() || options.unlabelled.is_some()
        };
        if let Some(member) = self.members.iter().find(is_mended) {
            return Err(Error::unfit(
                format!("member `{}` is calibrated, or learns from rows without a class", member.name),
                "leave that out: an average is mended by its members' weights, which come from rows that have a class",
            ));
        }
        Ok(())
    }
}

fn are_naive_bayes(members: &[MemberOptions]) -> bool {
    members.iter().all(|member| matches!(member.learner, MemberLearner::NaiveBayes(_)))
}

/// What to learn as a member.
#[derive(Clone)]
pub struct MemberOptions {
    /// What it is called; names need not differ.
    pub name: String,
    /// What is learned.
    pub learner: MemberLearner,
}

impl MemberOptions {
    /// A member of this name.
    pub fn new(name: &str, learner: MemberLearner) -> Self {
        Self { name: name.into(), learner }
    }
}

/// What is learned as a member. How rows are read, held out and judged, and by which costs and seed, is said of the average; what the options
/// of a member have to say of these is not looked at.
#[derive(Clone)]
#[non_exhaustive]
pub enum MemberLearner {
    /// Naive Bayes or a relative.
    NaiveBayes(Box<LearnOptions>),
    /// A network whose graph is found.
    Network(StructureLearner, Box<NetworkOptions>),
    /// Averaged one-dependence estimators.
    Aode(Box<AodeOptions>),
}

impl From<LearnOptions> for MemberLearner {
    fn from(options: LearnOptions) -> Self {
        Self::NaiveBayes(Box::new(options))
    }
}

/// An average with what was found out on the way.
pub struct LearnedAverage {
    /// The model.
    pub model: AverageModel,
    /// What was met while reading.
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
    /// How good each member is by itself, by the same held-out rows; empty where nobody asked and no weight needs it.
    pub of_members: Vec<Evaluation>,
    /// How good the average is, if it was asked.
    pub evaluation: Option<Evaluation>,
    /// Where the time went.
    pub timings: Timings,
}
