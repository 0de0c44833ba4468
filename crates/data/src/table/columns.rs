//! Which column of a file is which variable, and whether what was said of columns fits them.

use std::path::Path;

use belief::{Role, Schema, Variable, closest};

use crate::encode::FileColumns;
use crate::error::shown;
use crate::profile::SAMPLE_ROWS;
use crate::sidecar::Sidecar;
use crate::source::Source;
use crate::{ColumnType, DataError, MadeColumns, NameMap, ReadOptions};

pub(super) fn check_names(sources: &[Source]) -> Result<(), DataError> {
    for source in sources {
        let mut sorted: Vec<(&String, usize)> = source.names.iter().zip(1..).collect();
        sorted.sort();
        let twice: Vec<String> = sorted
            .windows(2)
            .filter(|pair| pair[0].0 == pair[1].0)
            .map(|pair| format!("`{}` (columns {} and {})", pair[0].0, pair[0].1, pair[1].1))
            .collect();
        if !twice.is_empty() {
            return Err(DataError::BadFile {
                path: source.input.path.clone(),
                what: format!("two columns have one name: {}", twice.join(", ")),
                // Only tables of text can do without the names.
                hint: Some(match source.dialect() {
                    Some(_) => "rename one of them, or name the columns c1, c2, … with --header no".into(),
                    None => "rename one of them in the program that wrote the file".into(),
                }),
            });
        }
    }
    Ok(())
}

/// A file without a header has the schema's columns in order, with or without the target: its own names, c1, c2, …, are places.
pub(super) fn name_columns(source: &mut Source, schema: &Schema, made: &MadeColumns) -> Result<(), DataError> {
    if source.dialect().is_none_or(|dialect| dialect.header) {
        return Ok(());
    }
    let wanted: Vec<&Variable> = schema.variables().iter().filter(|v| !made.absence_of.contains_key(&v.name)).collect();
    let inputs: Vec<&Variable> = wanted.iter().copied().filter(|v| v.role != Role::Target).collect();
    let n = source.names.len();
    let Some(columns) = [&wanted, &inputs].into_iter().find(|columns| columns.len() == n) else {
        let places = if wanted.len() == inputs.len() {
            n_columns(wanted.len())
        } else {
            format!("{}, or {} without the target,", n_columns(wanted.len()), inputs.len())
        };
        return Err(DataError::BadFile {
            path: source.input.path.clone(),
            what: format!("has {} and no header, where {places} were learned from", n_columns(n)),
            hint: Some("give it a header, so that columns are found by their names".into()),
        });
    };
    source.names = columns.iter().map(|v| v.name.clone()).collect();
    Ok(())
}

/// The rows behind the first ones may have keys that those lack; what to say of it. A file that has none of the inputs in its first
/// rows is another file.
pub(super) fn expect_late_keys(source: &mut Source, schema: &Schema) -> Option<String> {
    let inputs = || schema.variables().iter().filter(|v| v.role == Role::Input);
    if !source.may_have_late_keys() || !inputs().any(|v| source.names.contains(&v.name)) {
        return None;
    }
    let is_late = |v: &&Variable| !source.names.contains(&v.name);
    // Weights that the first rows lack are taken for absent: a row without one would be malformed.
    let may_be_late = |v: &&Variable| matches!(v.role, Role::Input | Role::Target) && is_late(v);
    let late: Vec<String> = schema.variables().iter().filter(may_be_late).map(|v| v.name.clone()).collect();
    let list: Vec<String> = inputs().filter(is_late).map(|v| format!("`{}`", v.name)).collect();
    source.late_keys = late;
    let path = shown(&source.input.path);
    let first = if source.input.live { "first row has".into() } else { format!("first {SAMPLE_ROWS} rows have") };
    (!list.is_empty()).then(|| format!("{path}: its {first} no {}: read as missing where it is not", list.join(", ")))
}

pub(super) fn n_columns(n: usize) -> String {
    if n == 1 { "1 column".into() } else { format!("{n} columns") }
}

/// Every name that a flag or the sidecar mentions must be a column; all faults are said at once.
pub(super) fn check_flags(path: &Path, names: &[String], options: &ReadOptions, sidecar: &Sidecar) -> Result<(), DataError> {
    let is_there = |pattern: &str| names.iter().any(|name| crate::options::matches(pattern, name));
    let mut wrong: Vec<(&str, &str)> = Vec::new();
    wrong.extend(options.target.iter().filter(|t| !names.contains(t)).map(|t| ("the target", t.as_str())));
    wrong.extend(options.weight.iter().filter(|w| !names.contains(w)).map(|w| ("the weight", w.as_str())));
    wrong.extend(options.text.iter().filter(|t| !names.contains(t)).map(|t| ("--text", t.as_str())));
    wrong.extend(options.types.iter().filter(|(p, _)| !is_there(p)).map(|(p, _)| ("--types", p.as_str())));
    wrong.extend(options.ignore.iter().filter(|p| !is_there(p)).map(|p| ("--ignore", p.as_str())));
    wrong.extend(sidecar.columns.keys().filter(|c| !names.contains(c)).map(|c| ("the schema", c.as_str())));
    if let Some(both) = options.target.as_ref().filter(|target| Some(*target) == options.weight.as_ref()) {
        let what = format!("`{both}` cannot be both the target and the weight");
        return Err(DataError::Columns { what, hint: Some("a column plays one part".into()) });
    }
    if let Some(left_out) = options.target.iter().chain(&options.weight).chain(&options.text).find(|name| options.ignore.contains(name)) {
        let part = if options.text.contains(left_out) {
            "a text"
        } else if options.target.as_ref() == Some(left_out) {
            "the target"
        } else {
            "the weight"
        };
        let what = format!("`{left_out}` cannot be both {part} and left out with --ignore");
        return Err(DataError::Columns { what, hint: Some("a column plays one part".into()) });
    }
    let not_as_text = |(pattern, kind): &&(String, ColumnType)| *kind != ColumnType::Text && options.text.contains(pattern);
    if let Some((name, kind)) = options.types.iter().find(not_as_text) {
        let what = format!("`{name}` cannot be both a text (--text) and {} (--types)", format!("{kind:?}").to_lowercase());
        return Err(DataError::Columns { what, hint: Some("say once what the column is".into()) });
    }
    if let Some(separator) = &options.labels {
        let fault = match separator.as_str() {
            "" => Some("nothing cannot separate labels"),
            _ if options.target.is_none() => Some("labels are those of the target, and no target was named"),
            _ => None,
        };
        if let Some(what) = fault {
            return Err(DataError::Columns { what: what.into(), hint: Some("as in --target topics --labels ';'".into()) });
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let what = wrong.iter().map(|(who, name)| format!("{who} `{name}` is no column")).collect::<Vec<_>>().join("; ");
    let near: Vec<&str> = wrong.iter().filter_map(|(_, name)| closest(name, names.iter().map(String::as_str))).collect();
    let hint = if near.is_empty() {
        format!("the columns are: {}", names.iter().take(20).cloned().collect::<Vec<_>>().join(", "))
    } else {
        format!("did you mean `{}`?", near.join("`, `"))
    };
    Err(DataError::Columns { what: format!("{}: {what}", shown(path)), hint: Some(hint) })
}

/// The variable that holds the weights, if the files have it: all of them, for a row without a weight would count as one.
pub(super) fn weight_of(schema: &Schema, files: &[FileColumns]) -> Result<Option<usize>, DataError> {
    let Some(weight) = schema.weight() else { return Ok(None) };
    let has_it = |file: &&FileColumns| file.variable_of.contains(&Some(weight.index()));
    match files.iter().find(|file| !has_it(file)) {
        None => Ok(Some(weight.index())),
        Some(_) if !files.iter().any(|file| has_it(&file)) => Ok(None),
        Some(file) => Err(DataError::BadFile {
            path: file.path.clone(),
            what: format!("has no column `{}`, which holds the weights and which another file has", schema.variable(weight).name),
            hint: Some("give every file its weights, or none".into()),
        }),
    }
}

/// Which variable each file column is, and the names that each file lacks.
pub(super) fn map_columns(
    sources: &[Source],
    names: &[String],
    map: &NameMap,
    may_lack: bool,
) -> Result<(Vec<FileColumns>, Vec<Vec<String>>), DataError> {
    let mut absent = Vec::with_capacity(sources.len());
    let mut files = Vec::with_capacity(sources.len());
    let place: std::collections::HashMap<&str, usize> = names.iter().enumerate().map(|(i, n)| (n.as_str(), i)).collect();
    for source in sources {
        let variable_of: Vec<Option<usize>> =
            source.names.iter().chain(&source.late_keys).map(|name| place.get(map.variable(name)).copied()).collect();
        let mut there = vec![false; names.len()];
        for (name, variable) in source.names.iter().zip(&variable_of) {
            if let Some(variable) = *variable
                && std::mem::replace(&mut there[variable], true)
            {
                return Err(DataError::BadFile {
                    path: source.input.path.clone(),
                    what: format!("column `{name}` is mapped to `{}`, which another column is by its name", names[variable]),
                    hint: Some("map the other column to another name too".into()),
                });
            }
        }
        variable_of.iter().flatten().for_each(|v| there[*v] = true);
        let lacks: Vec<String> = names.iter().zip(&there).filter(|(_, there)| !**there).map(|(name, _)| name.clone()).collect();
        let extra: Vec<&String> = source.names.iter().zip(&variable_of).filter(|(_, v)| v.is_none()).map(|(name, _)| name).collect();
        if !may_lack && (!lacks.is_empty() || !extra.is_empty()) {
            let list = |names: Vec<&String>| names.into_iter().take(5).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
            let mut what = "its columns are not those of the first file".to_string();
            if !lacks.is_empty() {
                what += &format!("; it lacks {}", list(lacks.iter().collect()));
            }
            if !extra.is_empty() {
                what += &format!("; it also has {}", list(extra));
            }
            return Err(DataError::BadFile {
                path: source.input.path.clone(),
                what,
                hint: Some("the files of one table must have the same columns, in any order".into()),
            });
        }
        absent.push(lacks);
        files.push(FileColumns { path: source.input.path.clone(), variable_of });
    }
    Ok((files, absent))
}
