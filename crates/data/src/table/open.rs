//! Opening files as one table: with columns as they look, or as a schema knows them.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use belief::{Kind, Role, Schema, States, VarId, Variable};

use super::columns::{check_flags, check_names, expect_late_keys, map_columns, name_columns, weight_of};
use super::kinds::{decide, known_states, name_values, plan_kind};
use super::{StatePriors, Table};
use crate::dictionary::Dictionary;
use crate::documents::{self, Documents};
use crate::encode::{Plan, PlanKind, VariablePlan};
use crate::error::shown;
use crate::input::Input;
use crate::profile::{Inferred, NO_VALUES, Profile, SAMPLE_ROWS};
use crate::sidecar::{self, Sidecar, StateTrees};
use crate::source::{Hint, Source};
use crate::text::csv::nameless;
use crate::text::header::FirstRecord;
use crate::words::{Markup, Tokenizer};
use crate::{ColumnType, DataError, NameMap, ReadOptions, UnknownStates};

/// What columns that the schema knows and the files lack are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Absent {
    /// An error.
    Refused,
    /// Missing, which is remarked on.
    Told,
    /// Missing, as the user expects.
    Expected,
}

/// So many names are listed, and no more.
const MOST_LISTED: usize = 20;

impl Table {
    /// Opens files as one table and finds out what its columns are.
    ///
    /// Kinds come from the flags in `options`, else from the sidecar, else from the file's own header (ARFF, Parquet, Arrow), else
    /// from the first 65,536 rows.
    ///
    /// # Errors
    /// When a file cannot be read, columns repeat or differ between files, or a flag names a column that is not there.
    pub fn open(paths: &[impl AsRef<Path>], options: ReadOptions) -> Result<Self, DataError> {
        let sources = open_sources(paths, &options, false, &|cells| options.name_some_of(cells))?;
        let names = sources[0].names.clone();
        check_names(&sources)?;
        let found = Sidecar::find(options.schema.as_deref(), &sources[0].input.path)?;
        let mut options = options;
        let mut remarks: Vec<String> = remarks_on_documents(&sources);
        remarks.extend(sources.iter().filter_map(remark_on_header));
        remarks.extend(sources.iter().filter_map(Source::documents).flat_map(|documents| documents.vacant.clone()));
        if options.words.markup == Markup::Plain && sources.iter().filter_map(Source::documents).any(Documents::has_mailbox) {
            remarks.push("messages are read as plain text; --as mail unpacks them".into());
        }
        if options.target.is_none() && sources[0].documents().is_some() {
            options.target = Some(documents::COLUMNS[1].into());
        }
        let sidecar = match found {
            Some((path, sidecar)) => {
                remarks.push(format!("columns as {} says", path.display()));
                options.missing.extend(sidecar.missing.iter().cloned());
                options.target = options.target.take().or_else(|| sidecar.target.clone());
                options.weight = options.weight.take().or_else(|| sidecar.weight.clone());
                sidecar
            }
            None => Sidecar::default(),
        };
        if options.schema.is_none() {
            remarks.extend(other_sidecars(&sources));
        }
        check_flags(&sources[0].input.path, &names, &options, &sidecar)?;
        let missing = missing_markers(&options, &sources);
        let files = map_columns(&sources, &names, &NameMap::default(), false)?.0;
        let is_text = |name: &String| {
            let said = options.type_of(name).or_else(|| sidecar.type_of(name));
            said == Some(ColumnType::Text) && options.target.as_ref() != Some(name) && options.weight.as_ref() != Some(name)
        };
        let profile = |name: &String| if is_text(name) { Profile::of_texts(&missing) } else { Profile::new(&missing) };
        let (mut profiles, mut nested) = (names.iter().map(profile).collect::<Vec<_>>(), vec![false; names.len()]);
        let mut seen = 0;
        for (source, file) in sources.iter().zip(&files) {
            // Columns of later files may stand in another order.
            let place_of: Vec<usize> = file.variable_of.iter().copied().flatten().collect();
            if seen < SAMPLE_ROWS {
                seen += source.profile(&place_of, &mut profiles, &mut nested, SAMPLE_ROWS - seen)?;
            }
        }
        if seen == 0 {
            let (what, hint) = match sources[0].documents() {
                Some(_) => ("holds no document", "there must be one at least"),
                None => ("has a header but no rows", "a table needs at least one row"),
            };
            return Err(DataError::BadFile { path: sources[0].input.path.clone(), what: what.into(), hint: Some(hint.into()) });
        }
        let hints = sources[0].hints();
        options.days = Some(BTreeSet::new());
        let tokenizer = tokenizer_of(&options)?;
        let mut variables = Vec::with_capacity(names.len());
        let mut plans = Vec::with_capacity(names.len());
        for (((name, profile), nested), hint) in names.iter().zip(profiles).zip(nested).zip(hints) {
            let declared = |states: &States| Hint { kind: Inferred::Categorical, states: Some(states.clone()), role: None };
            let hint = profile.declared.as_ref().map(declared).or(hint);
            let mut decided = decide(name, &profile, nested, hint, &options, &sidecar);
            if matches!(&decided.variable.role, Role::Ignored(why) if why == NO_VALUES) && seen >= SAMPLE_ROWS {
                decided.variable.role =
                    Role::Ignored(format!("it has no values in the first {seen} rows; --types {name}=numeric reads on"));
            }
            if decided.days {
                options.days.get_or_insert_default().insert(name.clone());
            }
            let known = known_states(&decided, &profile, &missing);
            plans.push(VariablePlan {
                name: name.clone(),
                kind: plan_kind(&decided.variable, known, decided.inferred, &options, &missing, UnknownStates::Grow, &tokenizer, true),
            });
            variables.push(decided.variable);
        }
        let schema = Schema::new(variables).map_err(|e| DataError::Columns { what: e.to_string(), hint: None })?;
        plans.iter_mut().for_each(VariablePlan::settle);
        let plan = Plan {
            weight: schema.weight().map(VarId::index),
            variables: plans,
            on_bad_row: options.on_bad_row,
            strict_keys: true,
            keep_raw: false,
            keep_texts: false,
            count_copies: true,
            forgiving_target: None,
        };
        let trees = sidecar.columns.iter().filter_map(|(name, column)| Some((name.clone(), column.tree.clone()?))).collect();
        let priors = sidecar.columns.into_iter().filter_map(|(name, column)| Some((name, column.prior?))).collect();
        let chunk_rows = chunk_rows(names.len(), 0).min(most_rows(&plan));
        Ok(Self { sources, files, plan, options, chunk_rows, schema, remarks, missing, priors, trees })
    }

    /// Opens files as a table of a known schema, a model's for example.
    ///
    /// Columns that the schema does not know are passed over. Columns it knows and the files lack are an error, or, with
    /// `absent_is_missing`, are read as missing and remarked on; the target and the weight may always be absent then.
    ///
    /// # Errors
    /// When a file cannot be read or lacks columns.
    pub fn open_as(
        paths: &[impl AsRef<Path>],
        options: ReadOptions,
        schema: &Schema,
        unknown: UnknownStates,
        absent_is_missing: bool,
    ) -> Result<Self, DataError> {
        Self::open_of(paths, options, schema, unknown, if absent_is_missing { Absent::Told } else { Absent::Refused })
    }

    /// The same where the files have some columns of many that the schema knows: the others are missing, and nothing is said of them.
    ///
    /// # Errors
    /// When a file cannot be read or has no column that the schema knows.
    pub fn open_some(paths: &[impl AsRef<Path>], options: ReadOptions, schema: &Schema, unknown: UnknownStates) -> Result<Self, DataError> {
        Self::open_of(paths, options, schema, unknown, Absent::Expected)
    }

    /// The same table, read in chunks of no more rows than this: where every row is work of its own, threads share it the better for it.
    #[must_use]
    pub fn in_chunks_of(self, most_rows: usize) -> Self {
        Self { chunk_rows: self.chunk_rows.min(most_rows.max(1)), ..self }
    }

    /// The same table, of whose documents it is told how many are copies of others.
    #[must_use]
    pub fn counting_copies(mut self) -> Self {
        self.plan.count_copies = true;
        self
    }

    /// Makes ready what the words of texts are looked up by. Else the first thread that needs it does, and others wait.
    pub fn know_words(&self) {
        for variable in &self.plan.variables {
            if let PlanKind::Text { known, .. } = &variable.kind {
                LazyLock::force(known);
            }
        }
    }

    fn open_of(
        paths: &[impl AsRef<Path>],
        options: ReadOptions,
        schema: &Schema,
        unknown: UnknownStates,
        absent: Absent,
    ) -> Result<Self, DataError> {
        let absent_is_missing = absent != Absent::Refused;
        let of_documents = schema.variables().iter().map(|v| v.name.as_str()).eq(documents::COLUMNS);
        let mut sources = open_sources(paths, &options, of_documents, &|cells| are_columns_of(schema, &options, cells))?;
        check_names(&sources)?;
        let wanted: Vec<String> = schema.variables().iter().map(|v| v.name.clone()).collect();
        sources.iter_mut().try_for_each(|source| name_columns(source, schema, &options.made))?;
        let mut remarks = remarks_on_documents(&sources);
        // What was learned without a header has columns by number, and is asked without one.
        let is_numbered = wanted.iter().zip(1..).take(2).all(|(name, n)| *name == nameless(n));
        if !is_numbered {
            remarks.extend(sources.iter().filter_map(remark_on_header));
        }
        remarks.extend(sources.iter_mut().filter_map(|source| expect_late_keys(source, schema)));
        let missing = missing_markers(&options, &sources);
        let tokenizer = tokenizer_of(&options)?;
        // A word that a model never met is no fault of the row: whoever takes texts back finds that it was never there, unless the
        // model may have met and dropped it. Nor does a bounded vocabulary grow by rows that are not counted by their class.
        let may_be_dropped = options.max_vocabulary.is_some() && (unknown.is_error() || absent_is_missing);
        let grows = unknown != UnknownStates::Missing && !may_be_dropped;
        let mut plans: Vec<VariablePlan> = schema
            .variables()
            .iter()
            .map(|variable| {
                let mut known = Dictionary::new(&missing);
                if let Kind::Categorical(states) = &variable.kind {
                    for name in states.names() {
                        known.intern_name(name);
                    }
                }
                name_values(&mut known, &variable.name, &options.names, unknown == UnknownStates::Grow);
                // The class of a document is where it lies, and that may be anywhere when it is to be found out.
                let is_place = of_documents && absent_is_missing && variable.role == Role::Target;
                let unknown = if is_place && unknown.is_error() { UnknownStates::Missing } else { unknown };
                let kind = match options.made.absence_of.get(&variable.name).and_then(|of| schema.find(of)) {
                    Some(of) => PlanKind::Absence { of: of.index() },
                    None => plan_kind(variable, known, false, &options, &missing, unknown, &tokenizer, grows),
                };
                VariablePlan { name: variable.name.clone(), kind }
            })
            .collect();
        plans.iter_mut().for_each(VariablePlan::settle);
        let (files, lacks) = map_columns(&sources, &wanted, &options.names, true)?;
        let needed = |name: &String| match schema.find(name).map(|id| &schema.variable(id).role) {
            Some(Role::Ignored(_)) | None => false,
            // What is made of other columns is in no file.
            Some(_) if options.made.absence_of.contains_key(name) => false,
            Some(Role::Target | Role::Weight) => !absent_is_missing,
            Some(Role::Input) => true,
        };
        let is_read = |v: &&Variable| v.role == Role::Input && !options.made.absence_of.contains_key(&v.name);
        let n_inputs = schema.variables().iter().filter(is_read).count();
        for (source, lacks) in sources.iter().zip(&lacks) {
            let lacking: Vec<String> = lacks.iter().filter(|name| needed(name)).map(|name| format!("`{name}`")).collect();
            if lacking.is_empty() || absent == Absent::Expected && lacking.len() < n_inputs {
                continue;
            }
            let more = if lacking.len() > MOST_LISTED { format!(" … ({} in all)", lacking.len()) } else { String::new() };
            let what =
                format!("{}: has no column {}{more}", shown(&source.input.path), lacking[..lacking.len().min(MOST_LISTED)].join(", "));
            if !absent_is_missing || lacking.len() == n_inputs {
                let names = source.names.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
                let is_named = lacking[0] == "`c1`" && source.dialect().is_some_and(|dialect| dialect.header);
                let or = if is_named { "; if that is a row, say --header no" } else { "" };
                return Err(DataError::Columns { what, hint: Some(format!("it has: {names}{or}")) });
            }
            remarks.push(format!("{what}: read as missing"));
        }
        let weight = weight_of(schema, &files)?;
        let plan = Plan {
            weight,
            variables: plans,
            on_bad_row: options.on_bad_row,
            strict_keys: false,
            keep_raw: false,
            keep_texts: false,
            count_copies: false,
            forgiving_target: schema.target().map(VarId::index).filter(|_| unknown == UnknownStates::ErrorWhereCounted),
        };
        // Where the target may be absent, rows are answered: a probability for each of its states is made for every row.
        let target = schema.target().filter(|_| absent_is_missing);
        let n_answers = target.and_then(|target| schema.variable(target).kind.states()).map_or(0, States::len);
        let chunk_rows = chunk_rows(sources[0].names.len(), n_answers).min(most_rows(&plan));
        let (schema, priors, trees) = (schema.clone(), StatePriors::new(), StateTrees::new());
        Ok(Self { sources, files, plan, options, chunk_rows, schema, remarks, missing, priors, trees })
    }
}

/// Schema files beside the later files, of which nothing is taken: a table has one schema.
fn other_sidecars(sources: &[Source]) -> Option<String> {
    let beside = |source: &Source| sidecar::beside(&source.input.path).filter(|path| path.is_file());
    let first = sources.first().and_then(beside);
    let other = sources.iter().skip(1).filter_map(beside).find(|path| Some(path) != first.as_ref())?;
    Some(format!(
        "{} is not looked at, for the columns are as the first file has them: name it with --schema if it is meant",
        other.display()
    ))
}

/// Rows of a chunk of so many columns, for each of which so many probabilities are made.
fn chunk_rows(n_columns: usize, n_answers: usize) -> usize {
    // Small enough that a chunk's columns are still in cache when they are counted.
    const MOST_CELLS: usize = 1 << 19;
    // 128 MB on each thread. Fewer would make chunks of so few rows that merging what they tell costs more than telling it.
    const MOST_PROBABILITIES: usize = 1 << 24;
    let rows = (MOST_CELLS / n_columns.max(1)).min(MOST_PROBABILITIES / n_answers.max(1)).clamp(64, SAMPLE_ROWS);
    1 << rows.ilog2()
}

/// Texts are longer than other cells, and a chunk has fewer of them.
fn most_rows(plan: &Plan) -> usize {
    const MOST_TEXTS: usize = 4096;
    if plan.variables.iter().any(|v| matches!(v.kind, PlanKind::Text { .. })) { MOST_TEXTS } else { SAMPLE_ROWS }
}

fn tokenizer_of(options: &ReadOptions) -> Result<Arc<Tokenizer>, DataError> {
    let refused =
        |e: crate::words::NotWords| DataError::Columns { what: e.to_string(), hint: Some("see --tokens, --ngrams and --hash".into()) };
    Ok(Arc::new(Tokenizer::new(&options.words).map_err(refused)?))
}

/// Whether cells name columns of a schema: no others, or all that are read.
fn are_columns_of(schema: &Schema, options: &ReadOptions, cells: &[String]) -> bool {
    let names: Vec<String> = cells.iter().zip(1..).map(|(cell, n)| if cell.is_empty() { nameless(n) } else { cell.clone() }).collect();
    let named: HashSet<&str> = names.iter().map(|name| options.names.variable(name)).collect();
    let is_read = |v: &&Variable| v.role == Role::Input && !options.made.absence_of.contains_key(&v.name);
    let mut read = schema.variables().iter().filter(is_read).peekable();
    let has_all = read.peek().is_some() && read.all(|v| named.contains(v.name.as_str()));
    named.len() == cells.len() && (has_all || named.iter().all(|name| schema.find(name).is_some()))
}

fn open_sources(
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
    as_documents: bool,
    are_names: &dyn Fn(&[String]) -> bool,
) -> Result<Vec<Source>, DataError> {
    let inputs = Input::all_as(paths, options.documents.is_some(), options.live)?;
    if inputs.is_empty() {
        return Err(DataError::Columns { what: "no data were given".into(), hint: Some("name a file, or `-` for standard input".into()) });
    }
    let sources: Vec<Source> =
        inputs.into_iter().map(|input| Source::open(input, options, as_documents, are_names)).collect::<Result<_, _>>()?;
    if options.class_depth > 1 && sources.iter().all(|source| source.documents().is_none()) {
        let what = format!("--class-depth {} is for folders of documents, and these are tables", options.class_depth);
        return Err(DataError::Columns { what, hint: Some("leave --class-depth out".into()) });
    }
    Ok(sources)
}

/// What a missing value is written as. The usual ways are those of cells: a folder may well be called `NA`, and a document say `null`.
fn missing_markers(options: &ReadOptions, sources: &[Source]) -> Vec<String> {
    let are_documents = sources.iter().all(|source| source.documents().is_some());
    if are_documents { options.missing.clone() } else { options.missing_markers() }
}

/// What could not be listed of folders.
fn remarks_on_documents(sources: &[Source]) -> Vec<String> {
    sources.iter().filter_map(Source::documents).flat_map(|documents| documents.unlisted.clone()).collect()
}

/// What the first record was taken for, where one may think otherwise.
fn remark_on_header(source: &Source) -> Option<String> {
    let path = shown(&source.input.path);
    match source.dialect()?.guess {
        FirstRecord::Plain => None,
        FirstRecord::Row => {
            Some(format!("{path}: no header: its first record is a row like those below; --header yes if it names columns"))
        }
        FirstRecord::NumbersAsNames => {
            Some(format!("{path}: its first record names the columns, also by numbers; --header no if it is a row"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::chunk_rows;

    #[test]
    fn chunks_are_smaller_where_rows_are_wide_or_classes_are_many() {
        assert_eq!((chunk_rows(1, 0), chunk_rows(8, 256), chunk_rows(9, 2)), (65_536, 65_536, 32_768));
        assert_eq!((chunk_rows(50, 3), chunk_rows(100_000, 0)), (8192, 64));
        assert_eq!((chunk_rows(5, 5_000), chunk_rows(5, 10_000_000)), (2048, 64));
    }
}
