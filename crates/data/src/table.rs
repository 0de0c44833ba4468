//! A table: one or several files with the same columns, as observations that any statistic can be folded over.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use belief::{
    Chunk, Fold, Kind, MaskedRows, Observations, ReadReport, Recode, Recoding, Role, Schema, StateMap, States, SufficientStatistic, VarId,
    Variable, closest,
};

use crate::copies::Copies;
use crate::dictionary::Dictionary;
use crate::documents::{self, Documents};
use crate::encode::{EncodedChunk, FileColumns, NewStates, Plan, PlanKind, VariablePlan};
use crate::error::shown;
use crate::found::{FoundStates, grown};
use crate::input::Input;
use crate::labels::LabelPlan;
use crate::options::Progress;
use crate::pipeline::in_order;
use crate::profile::{Inferred, Profile, SAMPLE_ROWS};
use crate::sidecar::{Sidecar, StateTrees};
use crate::source::{Source, Unit, Units};
use crate::text::blocks::Pool;
use crate::text::csv::cell_of;
use crate::words::{Markup, Tokenizer, known_words};
use crate::{ColumnType, Contradiction, DataError, MadeColumns, NameMap, ReadOptions, UnknownStates};

/// A table in files, read again for every pass.
pub struct Table {
    pub(crate) sources: Vec<Source>,
    pub(crate) files: Vec<FileColumns>,
    pub(crate) plan: Plan,
    pub(crate) options: ReadOptions,
    /// Rows a chunk has: the fixed grid, the same for every pass and any number of threads.
    chunk_rows: usize,
    schema: Schema,
    remarks: Vec<String>,
    missing: Vec<String>,
    priors: StatePriors,
    trees: StateTrees,
}

/// Probabilities of states by variable and state, as a sidecar gives them.
pub type StatePriors = BTreeMap<String, BTreeMap<String, f64>>;

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
        let sources = open_sources(paths, &options, false)?;
        let names = sources[0].names.clone();
        check_names(&sources)?;
        let sidecar = Sidecar::find(options.schema.as_deref(), &sources[0].input.path)?;
        let mut options = options;
        let mut remarks: Vec<String> = remarks_on_documents(&sources);
        remarks.extend(sources.iter().filter_map(Source::documents).flat_map(|documents| documents.vacant.clone()));
        if options.words.markup == Markup::Plain && sources.iter().filter_map(Source::documents).any(Documents::has_mailbox) {
            remarks.push("messages are read as plain text; --as mail unpacks them".into());
        }
        if options.target.is_none() && sources[0].documents().is_some() {
            options.target = Some(documents::COLUMNS[1].into());
        }
        let sidecar = match sidecar {
            Some((path, sidecar)) => {
                remarks.push(format!("columns as {} says", path.display()));
                options.missing.extend(sidecar.missing.iter().cloned());
                options.target = options.target.take().or_else(|| sidecar.target.clone());
                options.weight = options.weight.take().or_else(|| sidecar.weight.clone());
                sidecar
            }
            None => Sidecar::default(),
        };
        check_flags(&sources[0].input.path, &names, &options, &sidecar)?;
        let missing = options.missing_markers();
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
        let tokenizer = tokenizer_of(&options)?;
        let mut variables = Vec::with_capacity(names.len());
        let mut plans = Vec::with_capacity(names.len());
        for (((name, profile), nested), hint) in names.iter().zip(profiles).zip(nested).zip(hints) {
            let decided = decide(name, &profile, nested, hint, &options, &sidecar);
            let known = known_states(&decided, &profile, &missing);
            plans.push(VariablePlan {
                name: name.clone(),
                kind: plan_kind(&decided.variable, known, decided.inferred, &options, UnknownStates::Grow, &tokenizer, true),
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

    fn open_of(
        paths: &[impl AsRef<Path>],
        options: ReadOptions,
        schema: &Schema,
        unknown: UnknownStates,
        absent: Absent,
    ) -> Result<Self, DataError> {
        let absent_is_missing = absent != Absent::Refused;
        let of_documents = schema.variables().iter().map(|v| v.name.as_str()).eq(documents::COLUMNS);
        let mut sources = open_sources(paths, &options, of_documents)?;
        check_names(&sources)?;
        let wanted: Vec<String> = schema.variables().iter().map(|v| v.name.clone()).collect();
        sources.iter_mut().try_for_each(|source| name_columns(source, schema, &options.made))?;
        let mut remarks = remarks_on_documents(&sources);
        remarks.extend(sources.iter_mut().filter_map(|source| expect_late_keys(source, schema)));
        let missing = options.missing_markers();
        let tokenizer = tokenizer_of(&options)?;
        // A word that a model never met is no fault of the row: whoever takes texts back finds that it was never there, unless the
        // model may have met and dropped it. Nor does a bounded vocabulary grow by rows that are not counted by their class.
        let may_be_dropped = options.max_vocabulary.is_some() && (unknown == UnknownStates::Error || absent_is_missing);
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
                let unknown = if is_place && unknown == UnknownStates::Error { UnknownStates::Missing } else { unknown };
                let kind = match options.made.absence_of.get(&variable.name).and_then(|of| schema.find(of)) {
                    Some(of) => PlanKind::Absence { of: of.index() },
                    None => plan_kind(variable, known, false, &options, unknown, &tokenizer, grows),
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
            let who = if sources.len() == 1 { "the data have".into() } else { format!("{}: has", shown(&source.input.path)) };
            let more = if lacking.len() > MOST_LISTED { format!(" … ({} in all)", lacking.len()) } else { String::new() };
            let what = format!("{who} no column {}{more}", lacking[..lacking.len().min(MOST_LISTED)].join(", "));
            if !absent_is_missing || lacking.len() == n_inputs {
                let names = source.names.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
                return Err(DataError::Columns {
                    what,
                    hint: Some(format!("{}: {names}", if sources.len() == 1 { "they have" } else { "it has" })),
                });
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
        };
        // Where the target may be absent, rows are answered: a probability for each of its states is made for every row.
        let target = schema.target().filter(|_| absent_is_missing);
        let n_answers = target.and_then(|target| schema.variable(target).kind.states()).map_or(0, States::len);
        let chunk_rows = chunk_rows(sources[0].names.len(), n_answers).min(most_rows(&plan));
        let (schema, priors, trees) = (schema.clone(), StatePriors::new(), StateTrees::new());
        Ok(Self { sources, files, plan, options, chunk_rows, schema, remarks, missing, priors, trees })
    }

    /// What the user should know about how the table was opened.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Markers of a missing value besides the usual ones, as flags and the sidecar give them.
    pub fn missing_markers(&self) -> &[String] {
        &self.options.missing
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

    /// The same table with columns that were taken for numbers read as states.
    #[must_use]
    pub fn widened(mut self, contradictions: &[Contradiction]) -> Self {
        let mut variables = self.schema.variables().to_vec();
        for Contradiction { place, found, variable } in contradictions {
            let name = &variables[*variable].name;
            let cell = format!("`{found}` ({}:{})", shown(&place.path), place.line);
            self.remarks.push(format!("`{name}` is read as states: {cell} is not a number"));
            let known = Dictionary::new(&self.missing);
            self.plan.variables[*variable].kind = PlanKind::Category { known, new_states: UnknownStates::Grow };
            variables[*variable].kind = Kind::Categorical(States::default());
        }
        self.schema = Schema::new(variables).unwrap_or(self.schema);
        self
    }

    /// The same table with the states that a pass has found, so that a further pass meets no new ones.
    #[must_use]
    pub fn with_schema(mut self, schema: Schema) -> Self {
        for (plan, variable) in self.plan.variables.iter_mut().zip(schema.variables()) {
            if let (PlanKind::Category { known, .. }, Kind::Categorical(states)) = (&mut plan.kind, &variable.kind) {
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
                plan.known = Arc::new(labels.names().iter().collect());
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

    /// Reads everything: any thread gathers what `each` makes of a unit's chunks and finishes it; the results are handed on in
    /// order.
    pub(crate) fn each_unit<C, R: Send>(
        &self,
        plan: &Plan,
        each: impl Fn(EncodedChunk, &Unit, usize) -> Result<C, DataError> + Sync,
        finish: impl Fn(Vec<C>) -> Result<R, DataError> + Sync,
        mut take: impl FnMut(R) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let rows = self.chunk_rows;
        let pool = Pool::default();
        // Twice as many parts as threads: the last part of one thread is then not waited for long.
        let n_parts = (!plan.keep_raw).then(|| 2 * self.options.n_threads());
        let mut next_source = 0;
        let mut current: Option<(usize, Units<'_>)> = None;
        let mut next_row = 0;
        let draw = || {
            loop {
                if let Some((source, units)) = &mut current {
                    if let Some(unit) = units.next()? {
                        return Ok(Some((*source, unit)));
                    }
                    next_row = units.next_row();
                    current = None;
                }
                let Some(source) = self.sources.get(next_source) else { return Ok(None) };
                current = Some((next_source, source.units(rows, next_row, pool.clone(), n_parts)?));
                next_source += 1;
            }
        };
        let mut done = Progress { done: 0, total: self.sources.iter().map(Source::bytes).sum(), rows: 0 };
        in_order(
            self.options.n_threads(),
            draw,
            |(source, unit)| {
                let mut chunks = Vec::new();
                let mut n_rows = 0;
                self.sources[source].encode(&unit, &self.files[source], plan, rows, &pool, |chunk| {
                    n_rows += chunk.n_rows as u64;
                    chunks.push(each(chunk, &unit, source)?);
                    Ok(())
                })?;
                let bytes = unit.bytes();
                if let Unit::Text(block) | Unit::Pieces { block, .. } = unit {
                    pool.give(block.bytes);
                }
                Ok((finish(chunks)?, n_rows, bytes))
            },
            |(result, n_rows, bytes)| {
                done.done += bytes;
                done.rows += n_rows;
                if let Some(progress) = &self.options.progress {
                    progress(done);
                }
                take(result)
            },
        )
    }
}

impl Observations for Table {
    type Error = DataError;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn fold<S, B>(&self, blank: B) -> Result<Fold<S>, DataError>
    where
        S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>> + Recode,
        B: Fn(&[usize]) -> S + Sync,
    {
        match &self.options.part {
            None => AllRows(self).fold(blank),
            Some(part) => MaskedRows { rows: &AllRows(self), plan: part.plan, keep: |fold| part.keeps(fold) }.fold(blank),
        }
    }
}

/// A table of which all rows count.
struct AllRows<'t>(&'t Table);

impl Observations for AllRows<'_> {
    type Error = DataError;

    fn schema(&self) -> &Schema {
        &self.0.schema
    }

    fn fold<S, B>(&self, blank: B) -> Result<Fold<S>, DataError>
    where
        S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>> + Recode,
        B: Fn(&[usize]) -> S + Sync,
    {
        let table = self.0;
        let mut found = FoundStates::new(&table.plan, table.options.max_vocabulary);
        let mut n_states = found.sizes();
        let mut total = blank(&n_states);
        let mut report = ReadReport::default();
        let mut copies = Copies::default();
        type Met = (Vec<usize>, Vec<NewStates>, ReadReport, Vec<u64>);
        let mut merge = |(mut statistic, (n_known, new_states, chunk_report, hashes)): (S, Met)| {
            report.merge(&chunk_report);
            hashes.into_iter().for_each(|hash| copies.add(hash));
            let recoding = found.join(&n_known, &new_states);
            let now = found.sizes();
            if now != n_states {
                total.recode(&grown(&n_states, &now))?;
            }
            if !recoding.is_identity() {
                statistic.recode(&recoding)?;
            }
            total.merge(&statistic)?;
            found.keep_to_bound(&mut total)?;
            n_states = found.sizes();
            Ok::<(), DataError>(())
        };
        table.each_unit(
            &table.plan,
            |chunk, _, _| {
                let n_states: Vec<usize> = chunk.n_known.iter().zip(&chunk.new_states).map(|(known, new)| known + new.len()).collect();
                let mut statistic = blank(&n_states);
                chunk.lend(|rows| statistic.observe(rows))?;
                Ok((statistic, (chunk.n_known, chunk.new_states, chunk.report, chunk.hashes)))
            },
            Ok,
            |chunks| chunks.into_iter().try_for_each(&mut merge),
        )?;
        (report.n_copies, report.copies_are_estimated) = (copies.n_copies(), !copies.is_exact());
        report.pruned = found.settle(&mut total)?;
        let mut recoding = Recoding { columns: vec![None; table.plan.variables.len()] };
        let schema = table.schema.with_states(|id, known| {
            if matches!(table.plan.variables[id.index()].kind, PlanKind::Skip | PlanKind::Numeric { .. } | PlanKind::Absence { .. }) {
                return known.clone();
            }
            let seen = found.names_from(id.index(), known.len());
            // The dictionary holds no name twice, so neither does the list.
            let (states, to) = known.canonical_with_seen(seen).unwrap_or_else(|_| known.canonical());
            recoding.columns[id.index()] = Some(StateMap { n_states: states.len(), to });
            states
        });
        if !recoding.is_identity() {
            total.recode(&recoding)?;
        }
        Ok(Fold { schema, statistic: total, report })
    }
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

fn open_sources(paths: &[impl AsRef<Path>], options: &ReadOptions, as_documents: bool) -> Result<Vec<Source>, DataError> {
    let inputs = Input::all_as(paths, options.documents.is_some())?;
    if inputs.is_empty() {
        return Err(DataError::Columns { what: "no data were given".into(), hint: Some("name a file, or `-` for standard input".into()) });
    }
    inputs.into_iter().map(|input| Source::open(input, options, as_documents)).collect()
}

/// What could not be listed of folders.
fn remarks_on_documents(sources: &[Source]) -> Vec<String> {
    sources.iter().filter_map(Source::documents).flat_map(|documents| documents.unlisted.clone()).collect()
}

fn check_names(sources: &[Source]) -> Result<(), DataError> {
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
                hint: Some("rename one of them, or name the columns c1, c2, … with --header no".into()),
            });
        }
    }
    Ok(())
}

/// A file without a header has the schema's columns in order, with or without the target: its own names, c1, c2, …, are places.
fn name_columns(source: &mut Source, schema: &Schema, made: &MadeColumns) -> Result<(), DataError> {
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
fn expect_late_keys(source: &mut Source, schema: &Schema) -> Option<String> {
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
    (!list.is_empty()).then(|| format!("{path}: its first {SAMPLE_ROWS} rows have no {}: read as missing where it is not", list.join(", ")))
}

fn n_columns(n: usize) -> String {
    if n == 1 { "1 column".into() } else { format!("{n} columns") }
}

/// Every name that a flag or the sidecar mentions must be a column; all faults are said at once.
fn check_flags(path: &Path, names: &[String], options: &ReadOptions, sidecar: &Sidecar) -> Result<(), DataError> {
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

struct Decided {
    variable: Variable,
    inferred: bool,
}

fn decide(
    name: &str,
    profile: &Profile,
    nested: bool,
    hint: Option<crate::source::Hint>,
    options: &ReadOptions,
    sidecar: &Sidecar,
) -> Decided {
    let is_target = options.target.as_deref() == Some(name);
    let is_weight = options.weight.as_deref() == Some(name);
    let is_labels = is_target && options.labels.is_some();
    let said = options.type_of(name).or_else(|| sidecar.type_of(name));
    let (looks, odd) = profile.kind(is_target);
    let given = if is_labels { Some(Inferred::Labels) } else { said.and_then(Inferred::given) };
    let from_header = hint.as_ref().map(|h| h.kind);
    let inferred_kind = if nested { Inferred::Opaque } else { looks };
    let kind = given.or(from_header).unwrap_or(inferred_kind);
    let kind = if is_weight { Inferred::Numeric } else { kind };
    let said_role = hint.as_ref().and_then(|h| h.role.clone());
    // States that are declared of a column of labels are its cells, and no labels.
    let declared = if is_labels { None } else { sidecar.states_of(name).or(hint.and_then(|h| h.states)) }.unwrap_or_default();
    let role = if is_target {
        Role::Target
    } else if is_weight {
        Role::Weight
    } else if said == Some(ColumnType::Ignore) || options.is_ignored(name) {
        Role::Ignored("as you said".into())
    } else if let Some(role) = said_role {
        role
    } else if given == Some(Inferred::Text) {
        Role::Input
    } else if let (Some(reason), None) = (odd, given) {
        if from_header.is_some() && declared.is_empty() && from_header != Some(looks) {
            kind.left_out().unwrap_or(Role::Input)
        } else {
            Role::Ignored(reason)
        }
    } else {
        kind.left_out().unwrap_or(Role::Input)
    };
    // Text and dates that the user calls states or numbers are that; the others are left out.
    let variable = Variable { name: name.into(), kind: kind.kind(declared), role };
    Decided { variable, inferred: given.is_none() && from_header.is_none() && !is_weight }
}

/// Declared states first, then those of the first rows, so that a usual pass meets none that is new.
fn known_states(decided: &Decided, profile: &Profile, missing: &[String]) -> Dictionary {
    let mut known = Dictionary::new(missing);
    if let Kind::Categorical(states) = &decided.variable.kind {
        for name in states.names() {
            known.intern_name(name);
        }
        // Nothing is declared mostly, and then the profile's own dictionary also knows how cells are written.
        if states.is_empty() && profile.is_complete() {
            return profile.values.clone();
        }
        if profile.is_complete() {
            for name in profile.values.names() {
                known.intern_name(name);
            }
        }
    }
    known
}

/// Values that are mapped to states, as ways of writing those.
fn name_values(known: &mut Dictionary, variable: &str, map: &NameMap, grows: bool) {
    for (value, state) in map.states(variable) {
        let code =
            if grows { Some(known.intern_name(state)) } else { known.find(state.as_bytes()).filter(|code| *code != Dictionary::MISSING) };
        if let Some(code) = code {
            known.alias(&cell_of(value.as_bytes()), code);
        }
    }
}

/// What separates labels where nobody said it.
const DEFAULT_SEPARATOR: &str = ";";

fn plan_kind(
    variable: &Variable,
    known: Dictionary,
    inferred: bool,
    options: &ReadOptions,
    new_states: UnknownStates,
    tokenizer: &Arc<Tokenizer>,
    grows: bool,
) -> PlanKind {
    let missing = &options.missing_markers();
    match (&variable.role, &variable.kind) {
        (Role::Ignored(_), _) => PlanKind::Skip,
        (Role::Input, Kind::Text(words)) => {
            PlanKind::Text { tokenizer: tokenizer.clone(), known: Arc::new(known_words(words)), grows, missing: Dictionary::new(missing) }
        }
        (Role::Target, Kind::Labels(labels)) => PlanKind::Labels(LabelPlan {
            separator: options.labels.as_deref().unwrap_or(DEFAULT_SEPARATOR).into(),
            known: Arc::new(labels.names().iter().collect()),
            new_labels: new_states,
            missing: Dictionary::new(missing),
            empty_is_missing: options.missing.iter().any(String::is_empty),
        }),
        (_, Kind::Categorical(_)) => match options.made.cuts.get(&variable.name) {
            Some(cuts) => PlanKind::bins(missing, cuts),
            None => PlanKind::Category { known, new_states },
        },
        (_, Kind::Numeric) => PlanKind::numeric(missing, inferred),
        _ => PlanKind::Skip,
    }
}

/// The variable that holds the weights, if the files have it: all of them, for a row without a weight would count as one.
fn weight_of(schema: &Schema, files: &[FileColumns]) -> Result<Option<usize>, DataError> {
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
fn map_columns(
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
