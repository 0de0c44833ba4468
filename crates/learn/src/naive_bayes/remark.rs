//! What is worth saying about a model that was made: which columns it leaves out and where it had to borrow.

use std::fmt;

use serde::Serialize;

/// Why an attribute has no part in the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LeftOut {
    /// It was never to be one: the target, the weight, an ignored column.
    NotAnAttribute,
    /// The column is not in these rows.
    NotRead,
    /// The value is missing.
    Missing,
    /// The state was neither declared nor seen in learning.
    UnknownState,
    /// The text holds no word that counts.
    NoKnownWord,
    /// The column had no value at all in learning.
    NeverObserved,
    /// It is a text with words, of which none was chosen or has a weight.
    NoWordCounts,
    /// All numbers of the column are the same.
    Constant,
    /// In every class the numbers are all the same, and nothing is added to their variance.
    NoSpread,
}

/// Why columns are blurred, and what to do.
pub const BLURRED: &str = "what is added to all variances, a part of the largest of any column, is more than a tenth of the variance within its \
                           classes; --numeric gaussian:0 adds nothing, student asks of each column by itself";

/// One thing worth saying about a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Remark {
    /// A column has no part in the model.
    ColumnLeftOut {
        /// The column.
        variable: String,
        /// Why.
        why: LeftOut,
    },
    /// A class weighs no more than one row.
    SingleRow {
        /// The class.
        class: String,
    },
    /// A label that no row has.
    LabelOfNoRow {
        /// The label.
        label: String,
    },
    /// A label that every row has.
    LabelOfEveryRow {
        /// The label.
        label: String,
    },
    /// A class has rows, but this column is missing in all of them.
    NoObservations {
        /// The column.
        variable: String,
        /// The class.
        class: String,
    },
    /// The numbers of a column are all the same in this class, and the variance within the classes together stands in.
    BorrowedVariance {
        /// The column.
        variable: String,
        /// The class.
        class: String,
    },
    /// What is added to all variances is a good part of this column's own.
    Blurred {
        /// The column.
        variable: String,
    },
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LeftOut::NotAnAttribute => "not an attribute",
            LeftOut::NotRead => "not in these rows",
            LeftOut::Missing => "missing",
            LeftOut::UnknownState => "a state never seen in learning",
            LeftOut::NoKnownWord => "no word of it is known",
            LeftOut::NeverObserved => "no value in learning",
            LeftOut::NoWordCounts => "none of its words counts, as words were chosen or weighed",
            LeftOut::Constant => "constant",
            LeftOut::NoSpread => "constant within every class, and variances are not smoothed",
        })
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::ColumnLeftOut { variable, why } => write!(f, "`{variable}` is left out: {why}"),
            Remark::SingleRow { class } => write!(f, "class `{class}` weighs no more than one row"),
            Remark::LabelOfNoRow { label } => write!(f, "no row has the label `{label}`"),
            Remark::LabelOfEveryRow { label } => write!(f, "every row has the label `{label}`"),
            Remark::NoObservations { variable, class } => {
                write!(f, "`{variable}` is missing in every row of class `{class}`: the whole column, or equal shares, stand in")
            }
            Remark::BorrowedVariance { variable, class } => {
                write!(f, "`{variable}` does not vary in class `{class}`: the variance within all classes stands in")
            }
            Remark::Blurred { variable } => write!(f, "`{variable}` is blurred: {BLURRED}"),
        }
    }
}
