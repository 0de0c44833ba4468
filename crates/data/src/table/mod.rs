//! A table: one or several files with the same columns, as observations that any statistic can be folded over.

mod columns;
mod fold;
mod kinds;
mod open;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use belief::{Kind, Schema, States, VarId};

use crate::dictionary::Dictionary;
use crate::encode::{FileColumns, Plan, PlanKind};
use crate::error::shown;
use crate::sidecar::StateTrees;
use crate::source::Source;
use crate::words::known_words;
use crate::{Contradiction, ReadOptions, UnknownStates};
use kinds::name_values;

/// A table in files, read again for every pass.
pub struct Table {
    pub(crate) sources: Vec<Source>,
    pub(crate) files: Vec<FileColumns>,
    pub(crate) plan: Plan,
    pub(crate) options: ReadOptions,
    /// Rows a chunk has: the fixed grid, the same for every pass and any number of threads.
    pub(crate) chunk_rows: usize,
    schema: Schema,
    remarks: Vec<String>,
    missing: Vec<String>,
    priors: StatePriors,
    trees: StateTrees,
}

/// Probabilities of states by variable and state, as a sidecar gives them.
pub type StatePriors = BTreeMap<String, BTreeMap<String, f64>>;

impl Table {
    /// What the user should know about how the table was opened.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Markers of a missing value besides the usual ones, as flags and the sidecar give them.
    pub fn missing_markers(&self) -> &[String] {
        &self.options.missing
    }

    /// Numeric columns in which a date is read, as its days; `None` where it is in all.
    pub fn days(&self) -> Option<&BTreeSet<String>> {
        self.options.days.as_ref()
    }

    /// What the sidecar says is believed of states before any data.
    pub fn state_priors(&self) -> &StatePriors {
        &self.priors
    }

    /// What the sidecar says of states that belong together.
    pub fn state_trees(&self) -> &StateTrees {
        &self.trees
    }

    /// The names of the files' columns, as the first file has them.
    pub fn column_names(&self) -> &[String] {
        &self.sources[0].names
    }

    /// The columns of the first file that are no variable of the schema.
    pub fn passed_over(&self) -> impl Iterator<Item = &String> {
        self.sources[0].names.iter().zip(&self.files[0].variable_of).filter(|(_, variable)| variable.is_none()).map(|(name, _)| name)
    }

    /// The name of the column that a variable is in the first file; `None` where it has none.
    pub fn column_of(&self, variable: VarId) -> Option<&String> {
        let place = self.files[0].variable_of.iter().position(|of| *of == Some(variable.index()))?;
        self.sources[0].names.get(place)
    }

    /// Whether a variable has a column in any of the files.
    pub fn has_column(&self, variable: VarId) -> bool {
        let variable = match self.plan.variables.get(variable.index()).map(|plan| &plan.kind) {
            Some(PlanKind::Absence { of }) => VarId::new(*of),
            _ => variable,
        };
        self.files.iter().any(|file| file.variable_of.contains(&Some(variable.index())))
    }

    /// The files, as the user named them.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.sources.iter().map(|s| s.input.path.as_path())
    }

    /// The same table with columns that were taken for numbers read as states, and with those that were taken for states as numbers.
    /// What a word says of a column is never taken back.
    #[must_use]
    pub fn widened(mut self, contradictions: &[Contradiction]) -> Self {
        let mut variables = self.schema.variables().to_vec();
        for Contradiction { place, found, is_number, variable } in contradictions {
            let name = &variables[*variable].name;
            let cell = format!("`{found}` ({}:{})", shown(&place.path), place.line);
            let (kind, plan, why) = if *is_number {
                let plan = PlanKind::numeric(&self.missing, true, false);
                (Kind::Numeric, plan, format!("numbers: {cell} is none of the few whole ones of the rows before"))
            } else {
                let known = Dictionary::new(&self.missing);
                let plan = PlanKind::Category { known, new_states: UnknownStates::Grow, of_numbers: false };
                (Kind::Categorical(States::default()), plan, format!("states: {cell} is not a number"))
            };
            self.remarks.push(format!("`{name}` is read as {why}"));
            self.plan.variables[*variable].kind = plan;
            variables[*variable].kind = kind;
        }
        self.schema = Schema::new(variables).unwrap_or(self.schema);
        self
    }

    /// The same table with the states that a pass has found, so that a further pass meets no new ones.
    #[must_use]
    pub fn with_schema(mut self, schema: Schema) -> Self {
        for (plan, variable) in self.plan.variables.iter_mut().zip(schema.variables()) {
            if let (PlanKind::Category { known, of_numbers, .. }, Kind::Categorical(states)) = (&mut plan.kind, &variable.kind) {
                *of_numbers = false;
                *known = Dictionary::new(&self.missing);
                states.names().iter().for_each(|name| {
                    known.intern_name(name);
                });
                name_values(known, &variable.name, &self.options.names, false);
            }
            if let (PlanKind::Text { known, grows, .. }, Kind::Text(words)) = (&mut plan.kind, &variable.kind) {
                *known = Arc::new(known_words(words));
                // Words that were dropped do not come back.
                *grows &= self.options.max_vocabulary.is_none();
            }
            if let (PlanKind::Labels(plan), Kind::Labels(labels)) = (&mut plan.kind, &variable.kind) {
                plan.known = Arc::new(labels.iter().collect());
            }
            if let PlanKind::Numeric { inferred, .. } = &mut plan.kind {
                *inferred = false;
            }
            plan.settle();
        }
        self.plan.count_copies = false;
        self.schema = schema;
        self
    }
}
