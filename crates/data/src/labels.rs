//! A cell of labels: any number of them, with a separator between them or as a JSON array.
//!
//! A label is what stands between two separators, without the spaces around it, as it is written. One that is there twice counts
//! once. An empty cell, or an empty array, is a row without labels: a «no» to each. It is missing, which is another thing, where it
//! is null, not there, or one of the markers of a missing value; the empty cell is one of those only where the user says so.

use std::sync::Arc;

use serde_json::Value;

use crate::UnknownStates;
use crate::dictionary::Dictionary;
use crate::words::Vocabulary;

/// How the cells of a column of labels are read.
#[derive(Clone)]
pub(crate) struct LabelPlan {
    pub separator: Arc<str>,
    /// Labels known before the pass.
    pub known: Arc<Vocabulary>,
    pub new_labels: UnknownStates,
    pub missing: Dictionary,
    pub empty_is_missing: bool,
}

impl LabelPlan {
    /// Hands on each label of a cell; tells whether the cell is missing instead.
    pub fn each(&self, cell: &str, mut take: impl FnMut(&str)) -> bool {
        let cell = cell.trim();
        if if cell.is_empty() { self.empty_is_missing } else { self.missing.find(cell.as_bytes()).is_some() } {
            return true;
        }
        let mut label = |text: &str| {
            let text = text.trim();
            if !text.is_empty() {
                take(text);
            }
        };
        let array = if cell.starts_with('[') { serde_json::from_str::<Vec<Value>>(cell).ok() } else { None };
        match array {
            Some(values) => values.iter().for_each(|value| match value {
                Value::Null => {}
                Value::String(text) => label(text),
                other => label(&other.to_string()),
            }),
            None => cell.split(&*self.separator).for_each(label),
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(cell: &str, separator: &str) -> Option<Vec<String>> {
        let plan = LabelPlan {
            separator: separator.into(),
            known: Arc::default(),
            new_labels: UnknownStates::Grow,
            missing: Dictionary::new(&["".into(), "NA".into()]),
            empty_is_missing: false,
        };
        let mut found = Vec::new();
        let missing = plan.each(cell, |label| found.push(label.to_string()));
        (!missing).then_some(found)
    }

    #[test]
    fn labels_stand_between_separators_or_in_an_array() {
        let some = |labels: &[&str]| Some(labels.iter().map(|l| l.to_string()).collect());
        assert_eq!(labels("earn; Acq ;;x y", ";"), some(&["earn", "Acq", "x y"]));
        assert_eq!(labels("earn acq  x", " "), some(&["earn", "acq", "x"]));
        assert_eq!(labels("a, b", ", "), some(&["a", "b"]));
        assert_eq!(labels(r#"["a;b", "c", "", null, 3]"#, ";"), some(&["a;b", "c", "3"]));
        assert_eq!(labels("[a];[b]", ";"), some(&["[a]", "[b]"]));
        assert_eq!(labels("", ";"), some(&[]));
        assert_eq!(labels(" ; ", ";"), some(&[]));
        assert_eq!(labels("[]", ";"), some(&[]));
        assert_eq!(labels("NA", ";"), None);
    }
}
