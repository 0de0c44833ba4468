//! From a table to an average: learn every member, weigh them, judge them and their mixture.

use std::path::Path;

use super::options::{AverageOptions, LearnedAverage, MemberLearner};
use super::{folds, leave_one_out};
use crate::{Error, LearnOptions};

/// Learns every member from files, and weighs them.
///
/// Where all are naive Bayes models, rows are held out one by one; else, or where it is wished, in folds. The weights are those of all rows when
/// the average is judged: only the members are held out.
///
/// # Errors
/// When the data cannot be read, a member cannot be made of them or not be weighed in this way, or every member calls some row impossible.
pub fn learn(paths: &[impl AsRef<Path>], options: &AverageOptions) -> Result<LearnedAverage, Error> {
    options.check()?;
    if let Some(n_folds) = options.n_folds()? {
        return folds::learn(paths, options, n_folds);
    }
    let naive_bayes = options.members.iter().map(|member| match &member.learner {
        MemberLearner::NaiveBayes(own) => Ok((member.name.as_str(), own.as_ref())),
        _ => Err(Error::Internal("a member that leave-one-out cannot be of".into())),
    });
    leave_one_out::learn(paths, options, &naive_bayes.collect::<Result<Vec<(&str, &LearnOptions)>, Error>>()?)
}
