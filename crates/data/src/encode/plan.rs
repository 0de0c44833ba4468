//! What becomes of each variable, fixed before a pass over the data.

use std::path::PathBuf;
use std::sync::Arc;

use crate::dictionary::Dictionary;
use crate::labels::LabelPlan;
use crate::words::{KnownWords, Tokenizer};
use crate::{MadeColumns, OnBadRow, UnknownStates};

/// What becomes of each variable of the schema, fixed before a pass over the data.
#[derive(Clone)]
pub(crate) struct Plan {
    pub variables: Vec<VariablePlan>,
    /// Which variable holds the weights.
    pub weight: Option<usize>,
    pub on_bad_row: OnBadRow,
    /// Whether a key of JSON Lines that is no column is a fault: a model passes over what it does not know.
    pub strict_keys: bool,
    /// Whether the rows are kept as they stand in the file.
    pub keep_raw: bool,
    /// Whether texts are kept as they are before words are made of them.
    pub keep_texts: bool,
    /// Whether it is wanted how many documents are copies.
    pub count_copies: bool,
    /// The target, where a state that is not known is no fault of a row without a class. It never is of one without weight.
    pub forgiving_target: Option<usize>,
}

#[derive(Clone)]
pub(crate) struct VariablePlan {
    pub name: String,
    pub kind: PlanKind,
}

impl VariablePlan {
    /// Makes the states known so far as quick to find as can be.
    pub fn settle(&mut self) {
        if let PlanKind::Category { known, .. } = &mut self.kind {
            known.settle();
        }
    }
}

#[derive(Clone)]
pub(crate) enum PlanKind {
    Skip,
    Category {
        /// States known before the pass, and the markers of a missing value.
        known: Dictionary,
        new_states: UnknownStates,
        /// States for being a few whole numbers: a number that is not one of few speaks against that.
        of_numbers: bool,
    },
    /// Texts, whose words are looked up.
    Text {
        tokenizer: Arc<Tokenizer>,
        /// Words known before the pass.
        known: Arc<KnownWords>,
        /// Whether words that are new join them.
        grows: bool,
        missing: Dictionary,
    },
    /// Sets of labels.
    Labels(LabelPlan),
    Numeric {
        missing: Dictionary,
        /// Markers of a missing value that are numbers, such as -999.
        missing_numbers: Vec<f64>,
        /// A cell that is no number speaks against the inferred type, not against its row.
        inferred: bool,
        /// Whether a date is its days. Among other numbers it is a fault: `5.1.2024` may be what a program made of 5.1.
        days: bool,
        /// Where the numbers are cut into bins, if they are.
        cuts: Option<Vec<f64>>,
    },
    /// Whether the value of another variable is missing.
    Absence {
        of: usize,
    },
}

impl PlanKind {
    pub fn numeric(missing: &[String], inferred: bool, days: bool) -> Self {
        let missing_numbers = missing.iter().filter_map(|marker| marker.parse().ok()).filter(|x: &f64| x.is_finite()).collect();
        PlanKind::Numeric { missing: Dictionary::new(missing), missing_numbers, inferred, days, cuts: None }
    }

    /// Numbers that are cut into bins.
    pub fn bins(missing: &[String], at: &[f64], days: bool) -> Self {
        let mut kind = Self::numeric(missing, false, days);
        if let PlanKind::Numeric { cuts, .. } = &mut kind {
            *cuts = Some(at.to_vec());
        }
        kind
    }

    /// How many states or words are known.
    pub fn n_known(&self) -> usize {
        match self {
            PlanKind::Category { known, .. } => known.len(),
            PlanKind::Text { known, .. } => known.len(),
            PlanKind::Labels(LabelPlan { known, .. }) => known.len(),
            PlanKind::Numeric { cuts: Some(cuts), .. } => cuts.len() + 1,
            PlanKind::Absence { .. } => MadeColumns::ABSENCE.len(),
            PlanKind::Skip | PlanKind::Numeric { cuts: None, .. } => 0,
        }
    }

    /// Whether a date is a number, of days.
    pub fn reads_days(&self) -> bool {
        matches!(self, PlanKind::Numeric { days: true, .. })
    }

    /// Markers of a missing value that are numbers.
    pub fn missing_numbers(&self) -> &[f64] {
        if let PlanKind::Numeric { missing_numbers, .. } = self { missing_numbers } else { &[] }
    }
}

/// Which variable each column of one file is.
#[derive(Clone, Debug)]
pub(crate) struct FileColumns {
    pub path: PathBuf,
    pub variable_of: Vec<Option<usize>>,
}
