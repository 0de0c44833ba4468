//! Everything that can go wrong, each with a way out.

use std::path::PathBuf;

use belief::density_model::DensityError;
use belief::hypotheses::HypothesisError;
use data::DataError;
use learn::concept::ConceptError;
use learn::{LearnError, StatisticFault};
use net::EditError;
use net::ask::AskError;
use net::format::FormatError;
use net::query::QueryError;

use crate::model_file::ModelFileError;

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The data.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The learning.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// The learning of a concept.
    #[error(transparent)]
    Concept(#[from] ConceptError),
    /// The model file.
    #[error(transparent)]
    ModelFile(#[from] ModelFileError),
    /// Hypotheses and their probabilities.
    #[error(transparent)]
    Hypotheses(#[from] HypothesisError),
    /// A density that the user writes, its priors, or what it makes of the data.
    #[error(transparent)]
    Density(#[from] DensityError),
    /// The words of a question.
    #[error("{}", in_place(.0))]
    Query(#[from] QueryError),
    /// What is asked of a network.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// What is to be edited of a network.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A file that should hold a network.
    #[error("{path}:{line}:{column}: {what}", path = .path.display(), line = .fault.line, column = .fault.column, what = .fault.what)]
    NetworkFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        fault: Box<FormatError>,
    },
    /// Something that is wrong at a line of a file, or in a row.
    #[error("{place}: {fault}")]
    At {
        /// Where.
        place: String,
        /// What is wrong.
        fault: Box<Error>,
    },
    /// The question does not fit the model or the data.
    #[error("{what}")]
    Unfit {
        /// What does not fit.
        what: String,
        /// What to do.
        hint: Option<String>,
    },
    /// A bug of ours.
    #[error("internal: {0}")]
    Internal(String),
}

impl Error {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Data(e @ DataError::BadFile { .. }) => {
                Some(e.hint().unwrap_or_else(|| "is the file whole, and what its name says?".into()))
            }
            Error::Data(e) => e.hint(),
            Error::Learn(e) => Some(way_out(e)),
            Error::Concept(e) => Some(way_to_a_concept(e)),
            Error::ModelFile(e) => e.hint(),
            Error::Hypotheses(e) => hint_of(e),
            Error::Density(e) => hint_of_density(e),
            Error::Query(e) if e.hint.is_empty() => Some("ask as in P(A | B=b), argmax A | B=b, mpe | B=b or A ⟂ B | C".into()),
            Error::Query(e) => Some(e.hint.clone()),
            Error::Ask(e) => Some(way_to_an_answer(e)),
            Error::Edit(e) => Some(way_to_an_edit(e)),
            Error::NetworkFile { fault, .. } if fault.hint.is_empty() => {
                Some("is the file whole, and of the format that its name says?".into())
            }
            Error::NetworkFile { fault, .. } => Some(fault.hint.clone()),
            Error::At { fault, .. } => fault.hint(),
            Error::Unfit { hint, .. } => hint.clone(),
            Error::Internal(_) => Some("this is a fault of ours: please report it with the command and, if you can, the data".into()),
        }
    }

    /// The same, with where it is: `file:line`, `row 7`.
    #[must_use]
    pub fn at(self, place: impl Into<String>) -> Self {
        Error::At { place: place.into(), fault: Box::new(self) }
    }

    pub(crate) fn unfit(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Unfit { what: what.into(), hint: Some(hint.into()) }
    }
}

/// What is wrong with a question, under the place where it is.
fn in_place(error: &QueryError) -> String {
    format!("{}\n  {}\n  {}^", error.what, error.text, " ".repeat(error.column.saturating_sub(1)))
}

fn way_to_an_answer(error: &AskError) -> String {
    match error {
        AskError::UnknownVariable { .. } => "`tunbridge show NET` lists the variables".into(),
        AskError::UnknownState { .. } | AskError::AmbiguousState { .. } => {
            "write the state as the network has it, in quotes if it holds spaces or signs".into()
        }
        AskError::TooLarge { .. } | AskError::TooManyBest { .. } => {
            "say --plan to see what it takes, or allow more with --memory, as in --memory 8GB".into()
        }
        AskError::Intervention { .. } => "ask for what was seen, as in P(A | B=b)".into(),
        AskError::NothingToExplain { .. } => "ask for one variable given findings, as in P(A | B=b, C=c)".into(),
        _ => "`tunbridge ask --help` shows how questions are written".into(),
    }
}

fn way_to_an_edit(error: &EditError) -> String {
    match error {
        EditError::Name(e) => way_to_an_answer(e),
        EditError::NoSuchArc { .. } | EditError::ArcIsThere { .. } => "`tunbridge show NET` lists the parents of every variable".into(),
        EditError::Cycle { .. } => "remove or reverse an arc of the cycle first".into(),
        EditError::TooLarge { .. } => "remove arcs of these variables first, or sum one of them out".into(),
        EditError::Impossible { .. } => "give a state that can be; `tunbridge ask NET 'P(*)'` has the probabilities of all".into(),
        EditError::NothingLeft { .. } => "`tunbridge ask` answers questions about it".into(),
        EditError::VariableIsThere { .. } | EditError::StateIsThere { .. } => "choose another name, or rename the other first".into(),
        _ => "`tunbridge edit --help` shows how edits are written".into(),
    }
}

fn hint_of_density(error: &DensityError) -> Option<String> {
    let hint = match error {
        // Most have the way out behind them, with the place in the expression.
        error if error.to_string().contains("hint:") => return None,
        DensityError::OutsideSupport { .. } => "mend the row or leave it out, or say where the values lie with --range",
        DensityError::NoParameters | DensityError::TwoPriors(_) => {
            "say what you believe of each parameter once, as in --prior 'theta ~ U(0, 10)'"
        }
        DensityError::TooManyParameters { .. } => "say how many chains, as in --chains 4",
        _ => "check the density, the priors and the range against the data",
    };
    Some(hint.into())
}

fn hint_of(error: &HypothesisError) -> Option<String> {
    if let HypothesisError::Unknown { what: "variable" | "state", name, known } = error {
        // A state is told with its variable.
        let (before, typed) = name.split_once('=').map_or(("", name.as_str()), |(variable, state)| (variable, state));
        let near = data::closest(typed, known.iter().map(String::as_str));
        let sign = if before.is_empty() { "" } else { "=" };
        return Some(near.map_or_else(|| "name one that is known".into(), |near| format!("did you mean `{before}{sign}{near}`?")));
    }
    let hint = match error {
        HypothesisError::SumNotOne { .. } | HypothesisError::NothingLeft { .. } => {
            "probabilities of things that exclude each other sum to 1; one of them may be left out and gets the rest"
        }
        HypothesisError::SeveralWithout { .. } => "give all but one of them a probability",
        HypothesisError::Twice { .. } => "name each once",
        HypothesisError::NotAProbability { .. } => "write 0.008, 0.8% or 1/125",
        HypothesisError::Unknown { what: "outcome", .. } | HypothesisError::NoLikelihood { .. } => {
            "say how probable it is under every hypothesis, or what its total probability is"
        }
        HypothesisError::TotalCannotBe { .. } | HypothesisError::TotalsDiffer { .. } => {
            "check the total and the likelihoods against each other: P(x) = Σ P(x | h) P(h)"
        }
        HypothesisError::ImpossibleEvent { .. } => "change what is given",
        HypothesisError::Impossible { .. } => "check the likelihoods of zero: what is called impossible has happened",
        _ => return None,
    };
    Some(hint.into())
}

fn way_out(error: &LearnError) -> String {
    match error {
        LearnError::NoTarget => "name the column to predict with --target".into(),
        LearnError::TargetNotCategorical { variable, .. } => format!("if its values are states, say --types '{variable}=category'"),
        LearnError::NoLabels { .. } => "give rows that have labels; --labels says what separates them".into(),
        LearnError::TargetNotLabels { .. } => "say what separates the labels of a cell with --labels, as in --labels ';'".into(),
        LearnError::TooFewClasses { .. } => "a model tells classes apart: give rows of two classes or more".into(),
        LearnError::UnknownClasses { .. } | LearnError::ClassesWithoutPrior { .. } => {
            "give each class its probability, as in --class-prior Yes=0.3,No=0.7".into()
        }
        LearnError::NumberInBernoulli { .. } => "cut numbers in two with --threshold, or leave the columns out with --ignore".into(),
        LearnError::Unfit { variable, fault: StatisticFault::NotFinite } => {
            format!("read it as states with --types {variable}=category, or leave it out with --ignore {variable}")
        }
        LearnError::NoLeaveOneOut { .. } => "judge it with --evaluate folds:10, or on other rows, and leave --calibrate out".into(),
        LearnError::NoProbability { .. } => "choose another with --text-model, or leave --unlabelled out".into(),
        LearnError::NoBursts { .. } => "learn the model again with --text-model dirichlet-compound".into(),
        LearnError::ChosenBursts { .. } => "leave out words by --stop-words instead, or choose another --text-model".into(),
        LearnError::NotComponents { .. } => "ask for fewer with --components".into(),
        LearnError::TextInCentroid { variable } => format!("leave it out with --ignore {variable}, or choose another --model"),
        LearnError::ImpossibleRows { .. } => "say --estimate laplace, or another estimate that leaves nothing impossible".into(),
        LearnError::NoStates { .. } => "learn it with --numeric bins:frequency, and leave texts out with --ignore".into(),
        LearnError::NoDistributionOverStates { .. } => "learn it with --model naive-bayes".into(),
        LearnError::AgainstItself { .. } => "name two classes with --class and --against".into(),
        LearnError::Unfit { .. } | LearnError::Shape(_) => "learn the model again from its data".into(),
        _ => "the flags --estimate, --class-prior and --numeric say what is believed before".into(),
    }
}

fn way_to_a_concept(error: &ConceptError) -> String {
    match error {
        ConceptError::NoAttributes => "give the table columns besides the target".into(),
        ConceptError::NoExamples => "give rows that have a label and no gaps".into(),
        ConceptError::InColumn { column, fault } => match fault.as_ref() {
            ConceptError::NotATree { .. } => "mend `tree` in the schema file".into(),
            _ => format!("leave it out with --ignore '{column}'"),
        },
        ConceptError::NotAnAttribute { .. } => "leave it out with --ignore".into(),
        ConceptError::NotATree { .. } => "mend `tree` in the schema file".into(),
        ConceptError::Contradiction { .. } | ConceptError::Collapsed { .. } => {
            "if labels may be wrong, weigh all hypotheses with --noise 0.1; or the concept is no conjunction of these attributes".into()
        }
        ConceptError::BoundaryTooLarge { .. } => {
            "allow more with --max-boundary, leave attributes out with --ignore, or find S alone with --model find-s".into()
        }
        ConceptError::TooManyHypotheses { .. } => {
            "allow more with --max-hypotheses, or leave attributes out with --ignore; --model candidate-elimination lists none".into()
        }
        ConceptError::TooMuchToWeigh { .. } => "leave attributes out with --ignore, or give fewer rows".into(),
        ConceptError::NotANoiseRate { .. } => "as in --noise 0.1".into(),
        ConceptError::ZeroEvidence => "give a rate above 0, as in --noise 0.1".into(),
        _ => "see `tunbridge concept --help`".into(),
    }
}

impl From<belief::ShapeMismatch> for Error {
    fn from(e: belief::ShapeMismatch) -> Self {
        Error::Internal(e.to_string())
    }
}

impl From<evaluate::EvaluateError> for Error {
    fn from(e: evaluate::EvaluateError) -> Self {
        Error::Internal(e.to_string())
    }
}
