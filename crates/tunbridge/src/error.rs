//! Everything that can go wrong, each with a way out.

use data::DataError;
use learn::LearnError;

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
    /// The model file.
    #[error(transparent)]
    ModelFile(#[from] ModelFileError),
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
            Error::Data(e) => e.hint(),
            Error::Learn(_) => None,
            Error::ModelFile(e) => e.hint(),
            Error::Unfit { hint, .. } => hint.clone(),
            Error::Internal(_) => Some("this is a fault of ours: please report it with the command and, if you can, the data".into()),
        }
    }

    pub(crate) fn unfit(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Unfit { what: what.into(), hint: Some(hint.into()) }
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
