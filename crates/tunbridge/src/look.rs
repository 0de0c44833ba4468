//! A look at the columns of a table before states are counted: which hold states, and where numbers are cut into some.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use belief::{Kind, Observations, Role, Schema, States, VarId, Variable};
use data::{MadeColumns, ReadOptions, Table};

use learn::Discretisation;

use crate::Error;
use crate::cut_points::CutPoints;
use crate::network::Indicator;

/// What was seen of the columns of a table, by the names of variables.
#[derive(Clone, Default)]
pub(crate) struct Look {
    /// The columns as they were understood, in their order.
    pub columns: Vec<Variable>,
    /// States that are known, declared beside the data or found in them.
    pub states: BTreeMap<String, States>,
    /// Where numbers are cut, by variable.
    pub cuts: CutPoints,
    /// Markers of a missing value besides the usual ones, also those of a schema file.
    missing: Vec<String>,
    /// Numeric columns of dates, by variable, where it was looked for them.
    days: Option<BTreeSet<String>>,
    /// The variable to predict, and the one of weights, where they are said.
    pub target: Option<String>,
    weight: Option<String>,
    /// What the user should know.
    pub remarks: Vec<String>,
}

impl Look {
    /// No look at all, where a network says what the columns are.
    pub fn none(read: &ReadOptions) -> Self {
        Self { missing: read.missing.clone(), ..Self::default() }
    }

    /// Looks at a table, and cuts its numbers where that is wanted, by the names of variables.
    pub fn at(
        paths: &[impl AsRef<Path>],
        read: &ReadOptions,
        bins: Option<Discretisation>,
        is_cut: impl Fn(&str) -> bool,
    ) -> Result<Self, Error> {
        let names = &read.names;
        // What is predicted is said by its variable, and the table knows columns.
        let column = |variable: &Option<String>| variable.as_deref().map(|name| names.column(name).unwrap_or(name).to_string());
        let (target, weight) = (column(&read.target), column(&read.weight));
        let table = Table::open(paths, ReadOptions { target, weight, ..read.clone() })?;
        let (table, mut cuts) = CutPoints::find(table, bins, |column| is_cut(names.variable(column)))?;
        cuts.of_column = cuts.of_column.into_iter().map(|(column, cuts)| (names.variable(&column).to_string(), cuts)).collect();
        let columns: Vec<Variable> = table
            .schema()
            .variables()
            .iter()
            .map(|variable| Variable { name: names.variable(&variable.name).to_string(), ..variable.clone() })
            .collect();
        let declared = |variable: &Variable| match &variable.kind {
            Kind::Categorical(states) if !states.is_empty() => Some((variable.name.clone(), states.clone())),
            _ => None,
        };
        let of = |id: Option<VarId>| id.map(|id| columns[id.index()].name.clone());
        let (target, weight) = (of(table.schema().target()), of(table.schema().weight()));
        let days = table.days().map(|days| days.iter().map(|column| names.variable(column).to_string()).collect());
        let remarks = [table.remarks(), &cuts.remarks].concat();
        let states = columns.iter().filter_map(declared).collect();
        Ok(Self { states, cuts, missing: table.missing_markers().to_vec(), days, target, weight, remarks, columns })
    }

    /// Reads what follows as it was seen, with columns that are made.
    pub fn apply(&self, read: &mut ReadOptions, indicators: &[Indicator]) {
        read.missing.clone_from(&self.missing);
        read.target = self.target.clone().or(read.target.take());
        read.weight = self.weight.clone().or(read.weight.take());
        read.made = self.made(indicators);
        read.days.clone_from(&self.days);
    }

    /// The columns that are made.
    pub fn made(&self, indicators: &[Indicator]) -> MadeColumns {
        let absence_of = indicators.iter().map(|indicator| (indicator.name(), indicator.of.clone())).collect();
        MadeColumns { cuts: self.cuts.of_column.clone(), absence_of }
    }

    /// The columns as variables of a network whose states are known or to be found, and the names of those that cannot be.
    pub fn as_states(&self, indicators: &[Indicator]) -> Result<(Schema, Vec<String>), Error> {
        let made = self.made(indicators);
        let (mut variables, mut weight, mut left_out) = (Vec::new(), None, Vec::new());
        for variable in &self.columns {
            let name = &variable.name;
            match (&variable.role, &variable.kind) {
                (Role::Ignored(_), _) => {}
                (Role::Weight, _) => weight = Some(variable.clone()),
                (_, Kind::Categorical(_) | Kind::Numeric) => {
                    let states = match made.states(name) {
                        Some(names) => States::declared(names, true).map_err(|e| Error::Internal(e.to_string()))?,
                        None => self.states.get(name).cloned().unwrap_or_default(),
                    };
                    variables.push(Variable { kind: Kind::Categorical(states), ..variable.clone() });
                }
                _ => left_out.push(name.clone()),
            }
        }
        for indicator in indicators {
            indicator.check(variables.iter().map(|variable| variable.name.as_str()))?;
            let states = States::declared(MadeColumns::ABSENCE.map(String::from).to_vec(), false);
            let kind = Kind::Categorical(states.map_err(|e| Error::Internal(e.to_string()))?);
            variables.push(Variable { name: indicator.name(), kind, role: Role::Input });
        }
        variables.extend(weight);
        Ok((Schema::new(variables).map_err(|e| Error::unfit(e.to_string(), "give each variable one column"))?, left_out))
    }
}
