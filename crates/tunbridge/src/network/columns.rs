//! How the variables of a graph find their columns in a table: by their names or a map, with states from the network, the user or the data.

use std::collections::BTreeMap;
use std::path::Path;

use belief::{Kind, Observations, Role, Schema, States, VarId, Variable, closest};
use data::{DataError, ReadOptions, RowFault, Table, UnknownStates};
use net::Network;

use super::NetworkFile;
use super::learning::NetworkOptions;
use crate::Error;
use crate::cut_points::CutPoints;
use crate::look::Look;
use crate::remarks::list;

/// A table whose columns are variables of a graph, with all states settled.
pub(super) struct Columns {
    pub table: Table,
    /// The network's variables in its order, and behind them the weight.
    pub schema: Schema,
    /// Where numbers were cut.
    pub cuts: CutPoints,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// Numbers of this many different values are measured rather than named.
const MOST_NUMBERS: usize = 100;

/// Opens a table as one of the variables of a graph. A graph without states takes them from a look at the data.
pub(super) fn open(
    paths: &[impl AsRef<Path>],
    structure: &NetworkFile,
    options: &NetworkOptions,
    n_hidden: &BTreeMap<String, usize>,
    look: &Look,
) -> Result<Columns, Error> {
    let network = network_of(structure)?;
    let mut read = options.read.clone();
    look.apply(&mut read, &options.indicators);
    let declared = declared(structure, network, options, n_hidden, (look, &read))?;
    let finds_states = declared.variables().iter().any(|v| matches!(&v.kind, Kind::Categorical(states) if states.is_empty()));
    let unknown = if finds_states { UnknownStates::Grow } else { options.unknown_states };
    let table = open_some(paths, read, &declared, unknown)?;
    check_columns(&table, &declared, &options.read)?;
    for name in n_hidden.keys() {
        let is_read = |of: VarId| table.has_column(of) && !matches!(declared.variable(of).role, Role::Ignored(_));
        if declared.find(name).is_some_and(is_read) {
            return Err(Error::unfit(
                format!("--hidden names `{name}`, which is a column of the data"),
                "leave it out, or --ignore the column",
            ));
        }
    }
    let mut remarks = table.remarks().to_vec();
    remarks.extend(passed_over(&table));
    if !finds_states {
        return Ok(Columns { table, schema: declared, cuts: look.cuts.clone(), remarks });
    }
    let schema = table.fold(|_: &[usize]| ())?.schema;
    check_found(&declared, &schema, &table)?;
    Ok(Columns { table: table.with_schema(schema.clone()), schema, cuts: look.cuts.clone(), remarks })
}

/// As [`Table::open_some`], with a way out that fits where a graph says what the columns are.
pub(crate) fn open_some(paths: &[impl AsRef<Path>], read: ReadOptions, schema: &Schema, unknown: UnknownStates) -> Result<Table, Error> {
    Table::open_some(paths, read, schema, unknown).map_err(|e| match e {
        DataError::Columns { what, hint } => {
            let hint = hint.map(|hint| format!("{hint}; --map says which column is which variable, as in --map 'fever:Fever'"));
            Error::Unfit { what, hint }
        }
        other => other.into(),
    })
}

/// The graph of a file, which must have directions.
pub(super) fn network_of(file: &NetworkFile) -> Result<&Network, Error> {
    file.network().ok_or_else(|| {
        let what = format!("{}: has factors without directions, and no graph whose tables could be learned", file.path.display());
        Error::unfit(what, "give a Bayesian network, or arcs as in 'A->B<-C'")
    })
}

/// What is known of the columns before any is read.
fn declared(
    structure: &NetworkFile,
    network: &Network,
    options: &NetworkOptions,
    n_hidden: &BTreeMap<String, usize>,
    (look, read): (&Look, &ReadOptions),
) -> Result<Schema, Error> {
    let names = || network.structure().names().iter().map(String::as_str);
    let is_variable = |name: &str| network.find(name).is_ok();
    let no_variable = |flag: &str, name: &str| {
        let hint = closest(name, names())
            .map_or_else(|| format!("it has {}", list(network.structure().names())), |near| format!("did you mean `{near}`?"));
        Error::unfit(format!("{flag} names `{name}`, which is no variable of the graph"), hint)
    };
    if let Some(target) = read.target.as_ref().filter(|target| !is_variable(target)) {
        return Err(no_variable("--target", target));
    }
    if let Some(weight) = read.weight.as_ref().filter(|weight| is_variable(weight)) {
        return Err(Error::unfit(
            format!("`{weight}` is a variable of the graph, and cannot be the weight"),
            "map the variable to another column with --map",
        ));
    }
    for (_, variable) in read.names.columns() {
        if !is_variable(variable) && read.weight.as_deref() != Some(variable) {
            return Err(no_variable("--map", variable));
        }
    }
    for (name, n_states) in n_hidden {
        if !is_variable(name) {
            return Err(no_variable("--hidden", name));
        }
        if *n_states == 0 {
            return Err(Error::unfit(format!("--hidden gives `{name}` no states"), "write how many, as in --hidden 'Cause=2..5'"));
        }
    }
    for (name, states) in &options.states {
        if !is_variable(name) {
            return Err(no_variable("--states", name));
        }
        if !structure.is_structure() {
            let what = format!("--states names `{name}`, whose states {} declares", structure.path.display());
            return Err(Error::unfit(what, "leave it out: states are said of a graph that has none"));
        }
        if states.is_empty() {
            return Err(Error::unfit(format!("--states gives `{name}` none"), "write them as in --states 'Fever=none/some/high'"));
        }
    }
    let mut variables = Vec::with_capacity(network.n_variables() + 1);
    for of in network.dag().variables() {
        let name = network.name(of);
        let states = match options.states.get(name) {
            _ if n_hidden.contains_key(name) => States::declared((1..=n_hidden[name]).map(|state| state.to_string()).collect(), false),
            Some(states) => States::declared(states.clone(), false),
            _ if let Some(states) = read.made.states(name) => States::declared(states, read.made.cuts.contains_key(name)),
            None if structure.is_structure() => Ok(look.states.get(name).cloned().unwrap_or_default()),
            None => States::declared(network.states(of).to_vec(), false),
        };
        let states = states.map_err(|e| Error::unfit(format!("`{name}`: {e}"), "name each state once"))?;
        if let Some((value, state)) =
            read.names.states(name).find(|(_, state)| !states.is_empty() && !states.names().iter().any(|known| known == state))
        {
            let what = format!("--map takes the value `{value}` to `{state}`, which is no state of `{name}`");
            return Err(Error::unfit(what, format!("its states are {}", states.names().join(", "))));
        }
        let role = if read.target.as_deref() == Some(name) {
            Role::Target
        } else if read.is_ignored(name) {
            Role::Ignored("asked to".into())
        } else {
            Role::Input
        };
        variables.push(Variable { name: name.into(), kind: Kind::Categorical(states), role });
    }
    if let Some(weight) = &read.weight {
        variables.push(Variable { name: weight.clone(), kind: Kind::Numeric, role: Role::Weight });
    }
    Schema::new(variables).map_err(|e| Error::Internal(e.to_string()))
}

/// That columns which are named are there.
fn check_columns(table: &Table, schema: &Schema, read: &ReadOptions) -> Result<(), Error> {
    let columns = table.column_names();
    let absent = |flag: &str, name: &str| {
        let near = closest(name, columns.iter().map(String::as_str)).map(|near| format!("did you mean `{near}`?"));
        Error::unfit(
            format!("{flag} names `{name}`, which is no column of the data"),
            near.unwrap_or_else(|| format!("they have {}", list(columns))),
        )
    };
    if let Some((column, _)) = read.names.columns().find(|(column, _)| !columns.iter().any(|known| known == column)) {
        return Err(absent("--map", column));
    }
    if let Some(weight) = schema.weight().filter(|weight| !table.has_column(*weight)) {
        return Err(absent("--weight", &schema.variable(weight).name));
    }
    Ok(())
}

/// That states were found for every variable whose states nobody said, and no others for the rest.
pub(crate) fn check_found(declared: &Schema, found: &Schema, table: &Table) -> Result<(), Error> {
    for (place, (before, variable)) in declared.variables().iter().zip(found.variables()).enumerate() {
        let (Kind::Categorical(said), Kind::Categorical(states)) = (&before.kind, &variable.kind) else { continue };
        let name = &variable.name;
        let say = format!("say its states with --states '{name}=yes/no', or give a --structure file that declares them");
        if states.is_empty() {
            let is_empty = |variable: &Variable| variable.kind.states().is_none_or(States::is_empty);
            if declared.weight().is_some() && found.variables().iter().all(is_empty) {
                return Err(nothing_to_learn_from());
            }
            let what = if table.has_column(VarId::new(place)) { "has no value in any row" } else { "has no column" };
            return Err(Error::unfit(format!("`{name}` {what}, and nothing says what its states are"), say));
        }
        if !said.is_empty() && states.len() > said.len() {
            let more = &states.names()[said.len()..];
            let what = format!("`{name}` has values that are not among its --states: {}", list(more));
            let hint = format!("add them, or map them, as in --map '{name}={}:{name}={}'", more[0], said.names()[0]);
            return Err(Error::unfit(what, hint));
        }
        if said.is_empty() && states.len() > MOST_NUMBERS && states.names().iter().all(|state| state.parse::<f64>().is_ok()) {
            let what = format!("`{name}` has {} different numbers, and a network's tables want a few states", states.len());
            return Err(Error::unfit(
                what,
                format!("have it cut into bins, with --types '{name}=numeric', or give a --structure file that declares its states"),
            ));
        }
    }
    Ok(())
}

/// That no row counts.
pub(super) fn nothing_to_learn_from() -> Error {
    Error::unfit("there are no rows to learn from, or all weigh nothing", "check the files and the weight")
}

/// Columns that are no variable, in words.
pub(super) fn passed_over(table: &Table) -> Option<String> {
    let others: Vec<&String> = table.passed_over().collect();
    let columns = if others.len() == 1 { "1 column is".into() } else { format!("{} columns are", others.len()) };
    (!others.is_empty()).then(|| format!("{columns} passed over, for the graph has no such variable: {}", list(&others)))
}

/// A value that is no state of the network, with the ways out.
pub(super) fn with_ways_out(error: DataError, table: &Table) -> Error {
    let hint = error.hint();
    let DataError::BadRow { place, fault: RowFault::UnknownState { found, known } } = &error else { return error.into() };
    let variable = place.column.clone().unwrap_or_default();
    let column = table.schema().find(&variable).and_then(|of| table.column_of(of)).cloned().unwrap_or_else(|| variable.clone());
    let state = closest(found, known.iter().map(String::as_str)).or(known.first().map(String::as_str)).unwrap_or("state");
    let map = format!("or say which state it is with --map '{column}={found}:{variable}={state}'");
    let states = format!("its states are {}", known.join(", "));
    Error::Unfit { what: format!("{error}; {states}"), hint: hint.map(|hint| format!("{hint}, {map}")) }
}
