//! The recipe: everything about how rows become columns that was fixed before counting.

use std::collections::BTreeSet;

use data::words::Words;
use data::{MadeColumns, NameMap, ReadOptions};
use learn::WordWeighing;
use serde::{Deserialize, Serialize};

/// How rows were read. The cut points of naive Bayes lie in its statistic, beside the counts they belong to; here is how they were made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// Markers of a missing value besides the usual ones.
    pub missing: Vec<String>,
    /// How numbers were cut into bins, as the user wrote it; `None` when they were not.
    pub discretisation: Option<String>,
    /// How texts become words.
    #[serde(default)]
    pub words: Words,
    /// How much each word of a text counts. The weights themselves lie in the statistic.
    #[serde(default)]
    pub weighing: WordWeighing,
    /// The most words of a text that are kept.
    #[serde(default)]
    pub max_vocabulary: Option<usize>,
    /// What the model calls columns and values of the files it was learned from.
    #[serde(default)]
    pub names: NameMap,
    /// Columns that are made of others while rows are read. Of models whose statistic has the cut points, none.
    #[serde(default)]
    pub made: MadeColumns,
    /// Numeric columns of dates, which are read as days. `None` in models of programs that read a date as a number everywhere.
    #[serde(default)]
    pub days: Option<BTreeSet<String>>,
    /// What separates the labels of a cell, where the target holds several.
    #[serde(default)]
    pub labels: Option<String>,
    /// Whether the cut points were made with the help of the labels.
    pub made_from_labels: bool,
}

impl Recipe {
    /// Whether a date in a numeric column is read, as its days.
    pub(crate) fn reads_days(&self, column: &str) -> bool {
        self.days.as_ref().is_none_or(|days| days.contains(column))
    }

    /// Sets what is read as the model reads it.
    pub fn apply(&self, read: &mut ReadOptions) {
        read.missing.extend(self.missing.iter().cloned());
        read.words = self.words.clone();
        read.max_vocabulary = read.max_vocabulary.or(self.max_vocabulary);
        read.labels = self.labels.clone();
        read.made = self.made.clone();
        read.days.clone_from(&self.days);
        if read.names.is_empty() {
            read.names = self.names.clone();
        }
    }
}
