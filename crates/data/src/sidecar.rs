//! The schema sidecar: a small TOML file beside the data that says what its columns are.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use belief::{Kind, Role, Schema, States};
use serde::Deserialize;

use crate::{ColumnType, DataError, StatePriors};

/// What a sidecar says; everything is optional.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sidecar {
    /// The column to predict.
    pub target: Option<String>,
    /// The column of weights.
    pub weight: Option<String>,
    /// More markers of a missing value.
    #[serde(default)]
    pub missing: Vec<String>,
    /// The columns, by name.
    #[serde(default)]
    pub columns: BTreeMap<String, SidecarColumn>,
}

/// What a sidecar says of one column.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SidecarColumn {
    /// `category`, `numeric`, `text`, `date` or `ignore`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The states, also those that never occur, in their order.
    pub states: Option<Vec<String>>,
    /// Whether the order means something.
    #[serde(default)]
    pub ordered: bool,
    /// What is believed of the states before any data: probabilities that sum to one, for the m-estimate.
    pub prior: Option<BTreeMap<String, f64>>,
    /// The states as a tree, for concept learning: `{ Dry = ["Sunny", "Cloudy"], Wet = ["Rainy"] }`.
    pub tree: Option<StateTree>,
}

/// States, and names for several of them, as deep as need be.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum StateTree {
    /// A state.
    State(String),
    /// States and branches side by side.
    List(Vec<StateTree>),
    /// Branches by their names.
    Branches(BTreeMap<String, StateTree>),
}

impl StateTree {
    /// The states, from left to right.
    pub fn states(&self) -> Vec<&String> {
        match self {
            StateTree::State(name) => vec![name],
            StateTree::List(all) => all.iter().flat_map(StateTree::states).collect(),
            StateTree::Branches(all) => all.values().flat_map(StateTree::states).collect(),
        }
    }

    /// As a value of TOML on one line.
    fn to_toml(&self) -> String {
        match self {
            StateTree::State(name) => quoted(name),
            StateTree::List(all) => format!("[{}]", all.iter().map(StateTree::to_toml).collect::<Vec<_>>().join(", ")),
            StateTree::Branches(all) => {
                let branches: Vec<String> = all.iter().map(|(name, below)| format!("{} = {}", quoted(name), below.to_toml())).collect();
                format!("{{ {} }}", branches.join(", "))
            }
        }
    }
}

/// Trees of states by variable, as a sidecar gives them.
pub type StateTrees = BTreeMap<String, StateTree>;

impl SidecarColumn {
    /// The states that are listed, and then those of the tree that are not.
    fn all_states(&self) -> Option<Vec<String>> {
        let of_tree = self.tree.as_ref().map(StateTree::states);
        if self.states.is_none() && of_tree.is_none() {
            return None;
        }
        let mut all = self.states.clone().unwrap_or_default();
        let listed = all.clone();
        all.extend(of_tree.into_iter().flatten().filter(|state| !listed.contains(state)).cloned());
        Some(all)
    }
}

impl Sidecar {
    /// Reads the sidecar given, or the one beside the data if there is one.
    ///
    /// # Errors
    /// When it cannot be read or is not what a sidecar should be.
    pub fn find(given: Option<&Path>, data: &Path) -> Result<Option<(PathBuf, Self)>, DataError> {
        let path = match given {
            Some(path) => path.to_path_buf(),
            None => match beside(data).filter(|path| path.is_file()) {
                Some(path) => path,
                None => return Ok(None),
            },
        };
        let text = std::fs::read_to_string(&path).map_err(|source| DataError::Io { path: path.clone(), source })?;
        let bad = |what: String| DataError::BadFile {
            path: path.clone(),
            what,
            hint: Some("write one with `tunbridge schema DATA --write`".into()),
        };
        let sidecar: Sidecar = toml::from_str(&text).map_err(|e| bad(format!("is not a schema: {}", e.to_string().trim_end())))?;
        for (name, column) in &sidecar.columns {
            if let Some(kind) = &column.kind {
                kind.parse::<ColumnType>().map_err(|e| bad(format!("column `{name}`: {e}")))?;
            }
            if let Some(states) = column.all_states() {
                States::declared(states, column.ordered).map_err(|e| bad(format!("column `{name}`: {e}")))?;
            }
        }
        Ok(Some((path, sidecar)))
    }

    /// What a column is said to be; a list or a tree of states alone says that it is a category.
    pub fn type_of(&self, column: &str) -> Option<ColumnType> {
        let said = self.columns.get(column)?;
        match &said.kind {
            Some(kind) => kind.parse().ok(),
            None => (said.states.is_some() || said.tree.is_some()).then_some(ColumnType::Category),
        }
    }

    /// The states declared for a column.
    pub fn states_of(&self, column: &str) -> Option<States> {
        let said = self.columns.get(column)?;
        States::declared(said.all_states()?, said.ordered).ok()
    }
}

/// `data.schema.toml` for `data.csv`, `data.csv.gz` and the like; standard input has no folder to lie in.
pub fn beside(data: &Path) -> Option<PathBuf> {
    let name = data.file_name()?.to_str()?;
    let stem = [".gz", ".zst", ".zstd"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    (!stem.is_empty() && name != "-").then(|| data.with_file_name(format!("{stem}.schema.toml")))
}

/// A schema as the text of a sidecar, with the missing markers, what is believed of states before, and trees of states.
pub fn to_toml(schema: &Schema, data: &str, missing: &[String], priors: &StatePriors, trees: &StateTrees) -> String {
    let mut text = format!("# What tunbridge understands of {}. Edit it and keep it beside the data.\n", one_line(data));
    if let Some(target) = schema.target() {
        let _ = writeln!(text, "target = {}", quoted(&schema.variable(target).name));
    }
    if let Some(weight) = schema.weight() {
        let _ = writeln!(text, "weight = {}", quoted(&schema.variable(weight).name));
    }
    if !missing.is_empty() {
        let _ = writeln!(text, "missing = [{}]", list(missing));
    }
    for variable in schema.variables() {
        let _ = writeln!(text, "\n[columns.{}]", quoted(&variable.name));
        if let Role::Ignored(reason) = &variable.role {
            let _ = writeln!(text, "type = \"ignore\"  # {}: {}", variable.kind.word(), one_line(reason));
            continue;
        }
        // What is not understood has no type that could be said of it.
        let mark = if matches!(variable.kind, Kind::Opaque | Kind::Labels(_)) { "# " } else { "" };
        let _ = writeln!(text, "{mark}type = {}", quoted(variable.kind.word()));
        if let Kind::Categorical(states) = &variable.kind {
            let _ = writeln!(text, "states = [{}]", list(states.names()));
            if states.is_ordered() {
                let _ = writeln!(text, "ordered = true");
            }
        }
        if let Some(prior) = priors.get(&variable.name) {
            let pairs: Vec<String> = prior.iter().map(|(state, p)| format!("{} = {p:?}", quoted(state))).collect();
            let _ = writeln!(text, "prior = {{ {} }}", pairs.join(", "));
        }
        if let Some(tree) = trees.get(&variable.name) {
            let _ = writeln!(text, "tree = {}", tree.to_toml());
        }
    }
    text
}

/// A TOML basic string, which may also be a key.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            _ if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out + "\""
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use belief::Variable;

    #[test]
    fn a_schema_written_and_read_again_says_the_same() {
        let states = States::declared(vec!["low \"q\"".into(), "high".into()], true).unwrap();
        let variables = vec![
            Variable { name: "size.of it".into(), kind: Kind::Categorical(states.clone()), role: Role::Target },
            Variable { name: "x".into(), kind: Kind::Numeric, role: Role::Input },
            Variable { name: "id".into(), kind: Kind::Numeric, role: Role::Ignored("it numbers the rows".into()) },
            Variable { name: "two\nlines, 'both' \"quotes\" and \\".into(), kind: Kind::Numeric, role: Role::Input },
            Variable { name: "nested".into(), kind: Kind::Opaque, role: Role::Input },
        ];
        let prior = BTreeMap::from([("low \"q\"".to_string(), 0.25), ("high".to_string(), 0.75)]);
        let priors = StatePriors::from([("size.of it".to_string(), prior.clone())]);
        let branch = StateTree::List(vec![StateTree::State("low \"q\"".into()), StateTree::State("high".into())]);
        let tree = StateTree::Branches(BTreeMap::from([("any, of \"it\"".to_string(), branch)]));
        let trees = StateTrees::from([("size.of it".to_string(), tree.clone())]);
        let text = to_toml(&Schema::new(variables).unwrap(), "a.csv", &["n.a.".into()], &priors, &trees);
        let read: Sidecar = toml::from_str(&text).unwrap();
        assert_eq!(read.target.as_deref(), Some("size.of it"));
        assert_eq!(read.states_of("size.of it"), Some(states));
        assert_eq!(read.type_of("x"), Some(ColumnType::Numeric));
        assert_eq!(read.type_of("id"), Some(ColumnType::Ignore));
        assert_eq!(read.type_of("two\nlines, 'both' \"quotes\" and \\"), Some(ColumnType::Numeric));
        assert_eq!(read.type_of("nested"), None);
        assert_eq!(read.missing, ["n.a."]);
        assert_eq!(read.columns["size.of it"].prior, Some(prior));
        assert_eq!(read.columns["size.of it"].tree, Some(tree));
    }

    #[test]
    fn the_states_of_a_tree_are_declared() {
        let text = "[columns.Sky]\nstates = [\"Rainy\"]\ntree = { Dry = [\"Sunny\", { Grey = [\"Cloudy\"] }], Wet = [\"Rainy\"] }";
        let read: Sidecar = toml::from_str(text).unwrap();
        assert_eq!(read.type_of("Sky"), Some(ColumnType::Category));
        assert_eq!(read.states_of("Sky").unwrap().names(), ["Rainy", "Sunny", "Cloudy"]);
    }

    #[test]
    fn the_sidecar_lies_beside_the_data() {
        assert_eq!(beside(Path::new("d/a.csv.gz")), Some(PathBuf::from("d/a.schema.toml")));
        assert_eq!(beside(Path::new("breast.cancer.csv")), Some(PathBuf::from("breast.cancer.schema.toml")));
    }
}
