//! From a graph and a table to a network: columns are found, families are counted, and what was believed before makes tables of them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use belief::{Observations, ReadReport, Schema, VarId, closest};
use data::{KeptInputs, ReadOptions, Table, UnknownStates};
use learn::Discretisation;
use net::d_separation::{Separation, d_separation};
use net::parameters::{Estimate, Families, FamilyCounts, ParameterPrior, Parameters, PriorFault, Pseudocounts};
use net::{Dag, Domain};

use super::NetworkFile;
use super::columns::{self, Columns, network_of};
use super::expectation::{Climbed, EmPlan, GappyRows};
use super::folds::{held_out, judge};
use super::indicator::{Indicator, with_indicators};
use super::model::{FamilyStatistic, NetworkModel, StoredNetwork, domain_of};
use super::resumed_em::{remark_on_climb, remark_on_kept};
use crate::look::Look;
use crate::remarks::{counted, list};
use crate::{Error, Evaluation, EvaluationPlan, NamedCosts, Recipe, Tested, Timings};

/// How the tables of a network are learned; the default is right for most.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `read` | | how to read the table: also target, weight, columns to leave out, and a map of names |
/// | `unknown_states` | error | what becomes of a value that is no state of the network |
/// | `states` | none | states of variables, for a graph that has none |
/// | `pseudocounts` | BDeu, worth one row | what was believed before |
/// | `bins` | by the target's classes, else 5 of equally many rows | how numbers are cut, of graphs that have no states |
/// | `indicators` | none | variables that say whether others are missing |
/// | `ess_of` | none | equivalent sample sizes of single variables |
/// | `estimate` | posterior mean | which numbers of the posterior stand in the tables |
/// | `prior_network` | none | a network of an expert, and how many rows it is worth |
/// | `fix` | none | variables whose tables stay as the structure's file has them |
/// | `hidden` | as declared | how many states variables without a column have; of a range the best by score |
/// | `em` | see [`EmPlan`] | how gaps are filled by EM; without it a row counts in the families that it has whole |
/// | `start` | none | where EM begins |
/// | `strict` | no | whether a row that maximum likelihood knows nothing of is an error |
/// | `memory` | 2 GB | what tables may take |
/// | `evaluation` | none | how good it is as a classifier of its target, by folds that are learned anew |
/// | `costs` | none | what errors cost, where they are judged by cost |
/// | `seed` | 1 | which rows go into which fold |
#[derive(Clone)]
pub struct NetworkOptions {
    /// How to read the table.
    pub read: ReadOptions,
    /// What becomes of a value that is no state of the network.
    pub unknown_states: UnknownStates,
    /// States of variables, for a graph that has none; the states of all others are found in the data.
    pub states: BTreeMap<String, Vec<String>>,
    /// How numbers are cut into bins, where the graph has no states; `None` is by the classes of the target, or where there is none into five
    /// bins of equally many rows.
    pub bins: Option<Discretisation>,
    /// Variables that say whether others are missing, beside those of the graph.
    pub indicators: Vec<Indicator>,
    /// What was believed before.
    pub pseudocounts: Pseudocounts,
    /// Equivalent sample sizes of single variables.
    pub ess_of: BTreeMap<String, f64>,
    /// Which numbers of the posterior stand in the tables.
    pub estimate: Estimate,
    /// A network of an expert, and how many rows it is worth; it takes the place of `pseudocounts`.
    pub prior_network: Option<(NetworkFile, f64)>,
    /// Variables whose tables stay as the structure's file has them.
    pub fix: Vec<String>,
    /// Variables without a column, and how many states they have: from, to. Of several the number is chosen that the rows are most probable
    /// with.
    pub hidden: BTreeMap<String, RangeInclusive<usize>>,
    /// How gaps are filled; without it a row counts in the families that it has whole.
    pub em: Option<EmPlan>,
    /// A network whose tables EM begins with.
    pub start: Option<NetworkFile>,
    /// Whether a row that maximum likelihood knows nothing of is an error.
    pub strict: bool,
    /// The most bytes that tables may take.
    pub memory: u64,
    /// How it is judged.
    pub evaluation: EvaluationPlan,
    /// What errors cost; rows are then judged by the class of least expected cost.
    pub costs: Option<NamedCosts>,
    /// Which rows go into which fold.
    pub seed: u64,
}

impl Default for NetworkOptions {
    fn default() -> Self {
        Self {
            read: ReadOptions::default(),
            unknown_states: UnknownStates::Error,
            states: BTreeMap::new(),
            bins: None,
            indicators: Vec::new(),
            pseudocounts: Pseudocounts::EquivalentSampleSize(1.0),
            ess_of: BTreeMap::new(),
            estimate: Estimate::default(),
            prior_network: None,
            fix: Vec::new(),
            hidden: BTreeMap::new(),
            em: Some(EmPlan::default()),
            start: None,
            strict: false,
            memory: 2_000_000_000,
            evaluation: EvaluationPlan::None,
            costs: None,
            seed: 1,
        }
    }
}

/// A learned network with what was found out on the way.
pub struct LearnedNetwork {
    /// The model.
    pub model: NetworkModel,
    /// What was met while reading.
    pub report: ReadReport,
    /// Variables of the graph that have no column.
    pub hidden: Vec<String>,
    /// What climbed in EM, from its start, in the climb that ended highest; empty without EM.
    pub objectives: Vec<f64>,
    /// What climbed, at the end of each climb.
    pub climbed_ends: Vec<f64>,
    /// The Bayesian information criterion, where EM was run.
    pub bic: Option<f64>,
    /// Cheeseman and Stutz's ln P(rows | the graph), where EM was run and there are pseudo-counts.
    pub cheeseman_stutz: Option<f64>,
    /// Numbers of states that were tried for hidden variables, with the score of each: Cheeseman and Stutz's, or BIC without pseudo-counts.
    pub tried: Vec<(String, usize, f64)>,
    /// How good it is as a classifier, as far as it was asked.
    pub evaluation: Option<Evaluation>,
    /// What the user should know.
    pub remarks: Vec<String>,
    /// Where the time went.
    pub timings: Timings,
}

impl LearnedNetwork {
    /// How probable the rows are with this graph, nearly.
    fn score(&self) -> f64 {
        self.cheeseman_stutz.or(self.bic).unwrap_or(f64::NEG_INFINITY)
    }
}

/// Learns the tables of a network whose graph is known.
///
/// Columns are matched to variables by name, or as `options.read.names` says. Tables that the structure's file has are not looked at, but
/// for those of `options.fix`.
///
/// # Errors
/// When the data cannot be read, have no column or other states than the graph's, or the options do not fit them.
///
/// ```
/// use tunbridge::network::{NetworkFile, NetworkOptions, learn};
/// use tunbridge::net::parameters::Pseudocounts;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("patients.csv");
/// # std::fs::write(&path, "Flu,Fever\nyes,high\nyes,none\nno,none\nno,none\n")?;
/// let graph = NetworkFile::open("Flu->Fever".as_ref())?;
/// let options = NetworkOptions { pseudocounts: Pseudocounts::None, ..NetworkOptions::default() };
/// let learned = learn(&[&path], &graph, &options)?;
/// let network = learned.model.network();
/// let fever = network.find("Fever")?;
/// // P(Fever | Flu): no flu first, for states that are found are sorted.
/// assert_eq!(network.table(fever)?[..], [0.0, 1.0, 0.5, 0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn learn(paths: &[impl AsRef<Path>], structure: &NetworkFile, options: &NetworkOptions) -> Result<LearnedNetwork, Error> {
    let _kept = KeptInputs::of(paths)?;
    let structure = &with_indicators(structure, &options.indicators)?;
    let learn = |options: &NetworkOptions| {
        let look = if structure.is_structure() { look(paths, structure, options)? } else { Look::none(&options.read) };
        learn_seen(paths, structure, options, &look)
    };
    let mut learned = learn(options)?;
    judge(&mut learned, paths, options, |options| Ok(learn(options)?.model))?;
    Ok(learned)
}

/// Learns the tables of a network whose graph is known on a part of the rows, and judges it as a classifier of its target on the rest: every
/// `1/share`th row by a seeded deal is held out.
///
/// # Errors
/// As [`learn`], and when there is no target.
pub fn hold_out(paths: &[impl AsRef<Path>], structure: &NetworkFile, options: &NetworkOptions, share: f64) -> Result<Tested, Error> {
    held_out(paths, options, share, |options| learn(paths, structure, options))
}

/// Looks at the columns of a graph without states.
fn look(paths: &[impl AsRef<Path>], structure: &NetworkFile, options: &NetworkOptions) -> Result<Look, Error> {
    let network = network_of(structure)?;
    let is_cut = |name: &str| network.find(name).is_ok() && !options.states.contains_key(name);
    // A variable without a column may be the target, and a weight that is not there is told of later.
    let columns = Table::open(paths, ReadOptions { target: None, weight: None, ..options.read.clone() })?;
    let names = &options.read.names;
    let is_there = |name: &String| columns.column_names().iter().any(|column| names.variable(column) == name);
    let mut read = options.read.clone();
    read.target = read.target.filter(is_there);
    read.weight = read.weight.filter(is_there);
    Look::at(paths, &read, options.bins, is_cut)
}

/// The same of a table that was looked at.
pub(super) fn learn_seen(
    paths: &[impl AsRef<Path>],
    structure: &NetworkFile,
    options: &NetworkOptions,
    look: &Look,
) -> Result<LearnedNetwork, Error> {
    let mut hidden: BTreeMap<String, usize> = options.hidden.iter().map(|(name, range)| (name.clone(), *range.start())).collect();
    let mut best = with_hidden(paths, structure, options, &hidden, look)?;
    // One hidden variable after the other: the number of states that the rows are most probable with.
    let mut tried = Vec::new();
    for (name, range) in options.hidden.iter().filter(|(_, range)| range.start() < range.end()) {
        tried.push((name.clone(), *range.start(), best.score()));
        for n_states in range.start() + 1..=*range.end() {
            // Who asks to stop gets the best so far, not one that was broken off.
            if options.em.as_ref().and_then(|em| em.stop.as_ref()).is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                break;
            }
            let before = hidden.insert(name.clone(), n_states);
            let other = with_hidden(paths, structure, options, &hidden, look)?;
            tried.push((name.clone(), n_states, other.score()));
            if other.score() > best.score() {
                best = other;
            } else if let Some(before) = before {
                hidden.insert(name.clone(), before);
            }
        }
    }
    best.tried = tried;
    Ok(best)
}

/// The same with so many states of hidden variables.
fn with_hidden(
    paths: &[impl AsRef<Path>],
    structure: &NetworkFile,
    options: &NetworkOptions,
    n_hidden: &BTreeMap<String, usize>,
    look: &Look,
) -> Result<LearnedNetwork, Error> {
    let mut timings = Timings::default();
    let start = Instant::now();
    let network = network_of(structure)?;
    let Columns { table, schema, cuts, mut remarks } = columns::open(paths, structure, options, n_hidden, look)?;
    remarks.splice(0..0, cuts.remarks.clone());
    let domain = domain_of(&schema, network.n_variables())?;
    let families =
        Families::of(network.structure(), &domain).map_err(|e| Error::unfit(e.to_string(), "leave out an arc to it, or merge states"))?;
    let families = Arc::new(families);
    let prior = prior_of(structure, &domain, &families, options)?;
    timings.add("read", start);
    let start = Instant::now();
    let n_threads = options.read.n_threads();
    let held_bytes = options.em.as_ref().map_or(0, |em| em.held_bytes);
    let rows = GappyRows::read(&table, Arc::clone(&families), max_entries(options), held_bytes, n_threads)?;
    check_rows(&rows.observed, &rows.report)?;
    let hidden = hidden_of(&table, &domain);
    timings.add("learn", start);
    let start = Instant::now();
    let expected = complete(&rows, &prior, &domain, options)?;
    timings.add("em", start);
    let start = Instant::now();
    match &expected {
        None => remarks.extend(remark_on_gaps(&rows.observed, &hidden, &domain)),
        Some(climbed) => remarks.extend(remark_on_climb(climbed, rows.is_held())),
    }
    let kept_bytes = options.em.as_ref().map_or(0, |em| em.kept_bytes);
    let parts = if expected.is_some() { rows.parts(kept_bytes) } else { None };
    if expected.is_some() && parts.is_none() {
        remarks.extend(remark_on_kept(kept_bytes));
    }
    for name in hidden.iter().filter(|name| domain.find(name).is_ok_and(|of| domain.n_states(of) == 1)) {
        remarks.push(format!("`{name}` has one state and no column: it says nothing"));
    }
    remarks.extend(remark_on_target(&schema, network.dag(), &hidden));
    let GappyRows { observed, report, .. } = rows;
    let (bic, cheeseman_stutz) = expected.as_ref().map_or((None, None), |climbed| (Some(climbed.bic), climbed.cheeseman_stutz));
    let climbed_ends = expected.as_ref().map_or(Vec::new(), |climbed| climbed.ends.clone());
    let objectives = expected.as_ref().map_or(Vec::new(), |climbed| climbed.fitted.objectives.clone());
    let expected = expected.map(|climbed| climbed.part());
    let made = look.made(&options.indicators);
    let mut recipe = Recipe {
        missing: table.missing_markers().to_vec(),
        names: options.read.names.clone(),
        made,
        days: table.days().cloned(),
        ..Recipe::default()
    };
    cuts.write(&mut recipe);
    let name = structure.name().to_string();
    let model = NetworkModel::from_parts(StoredNetwork { name, schema, recipe, prior, observed, expected, parts })?;
    remarks.extend(remark_on_kinds(structure, options));
    check_unseen(&model, options)?;
    timings.add("learn", start);
    Ok(LearnedNetwork {
        model,
        report,
        hidden,
        objectives,
        climbed_ends,
        bic,
        cheeseman_stutz,
        tried: Vec::new(),
        evaluation: None,
        remarks,
        timings,
    })
}

/// What rows with gaps are expected to say beyond what they say; `None` where nothing is missing, or nothing is to be expected of it: a row
/// then counts in the families of which it has all values.
fn complete(rows: &GappyRows<'_>, prior: &ParameterPrior, domain: &Domain, options: &NetworkOptions) -> Result<Option<Climbed>, Error> {
    let Some(plan) = options.em.as_ref() else {
        return if options.start.is_some() { Err(begins_nowhere("EM is not to be run")) } else { Ok(None) };
    };
    if rows.observed.gaps.are_none() {
        // A part of the rows may be without gaps that others have.
        let is_part = options.read.part.is_some();
        return if options.start.is_some() && !is_part { Err(begins_nowhere("no value is missing")) } else { Ok(None) };
    }
    let families = rows.observed.counts.families();
    let begin = options.start.as_ref().map(|file| begin(file, domain, families)).transpose()?;
    let base = FamilyCounts::empty(Arc::clone(families));
    rows.climb(&base, prior, domain, begin, plan).map(Some)
}

/// That a start was given to tables that are counted.
pub(super) fn begins_nowhere(why: &str) -> Error {
    Error::unfit(
        format!("--start says where EM begins, and {why}: the tables are counted, and begin nowhere"),
        "leave --start out; --prior-network FILE:ROWS lets a network count as so many rows",
    )
}

/// The tables of a network that EM begins with.
fn begin(file: &NetworkFile, domain: &Domain, families: &Arc<Families>) -> Result<Parameters, Error> {
    let place = file.path.display();
    let unfit =
        |what: String| Error::unfit(format!("{place}: {what}"), "--start takes a network of the same graph and states, as learned before");
    let Some(network) = file.network().filter(|_| !file.is_structure()) else { return Err(unfit("has no tables to begin with".into())) };
    let theirs = Families::of(network.structure(), network.domain()).map_err(|e| unfit(e.to_string()))?;
    if network.domain() != domain || theirs != **families {
        return Err(unfit("has other variables, states or parents than the graph, or in another order".into()));
    }
    Parameters::of_network(network, Arc::clone(families)).map_err(|e| unfit(e.to_string()))
}

/// Entries that tables of inference may have.
fn max_entries(options: &NetworkOptions) -> usize {
    usize::try_from(options.memory / 8).unwrap_or(usize::MAX)
}

/// What was believed before, of the families of a graph.
fn prior_of(structure: &NetworkFile, domain: &Domain, families: &Arc<Families>, options: &NetworkOptions) -> Result<ParameterPrior, Error> {
    let network = network_of(structure)?;
    let mut prior = match &options.prior_network {
        None => ParameterPrior::new(options.pseudocounts),
        Some((file, rows)) => {
            let place = file.path.display().to_string();
            let Some(expert) = file.network().filter(|_| !file.is_structure()) else {
                return Err(Error::unfit(format!("{place}: has no probabilities to believe in"), "give --prior-network a whole network"));
            };
            ParameterPrior::of_network(expert, (network.structure(), domain), families, *rows, max_entries(options))
                .map_err(|e| unfit_prior(&e).at(place))?
        }
    };
    prior.estimate = options.estimate;
    let find = |flag: &str, name: &str| {
        let of = domain.find(name).map_err(|_| {
            let near = closest(name, domain.names().iter().map(String::as_str)).map(|near| format!("did you mean `{near}`?"));
            Error::unfit(
                format!("{flag} names `{name}`, which is no variable of the graph"),
                near.unwrap_or_else(|| format!("it has {}", list(domain.names()))),
            )
        })?;
        Ok::<usize, Error>(of.index())
    };
    for (name, ess) in &options.ess_of {
        let pseudocounts = match prior.pseudocounts {
            Pseudocounts::PriorNetwork(_) => Pseudocounts::PriorNetwork(*ess),
            _ => Pseudocounts::EquivalentSampleSize(*ess),
        };
        prior.of_variable.insert(find("--ess-of", name)?, pseudocounts);
    }
    if let Some(first) = options.fix.first().filter(|_| structure.is_structure()) {
        let what = format!("--fix keeps the table of `{first}`, and {} has no tables", structure.path.display());
        return Err(Error::unfit(what, "give a --structure file that has them"));
    }
    for name in &options.fix {
        let of = find("--fix", name)?;
        let table =
            Parameters::of_network(network, Arc::clone(families)).map_err(|e| Error::unfit(e.to_string(), "leave it out of --fix"))?;
        prior.fixed.insert(of, table.of(of).to_vec());
    }
    // Numbers that are no pseudo-counts are told of before any row is read.
    prior.alpha(families).map_err(|e| unfit_prior(&e))?;
    Ok(prior)
}

fn unfit_prior(fault: &PriorFault) -> Error {
    let hint = match fault {
        PriorFault::NotAPseudocount(_) => "as in --estimate bdeu:10",
        PriorFault::OtherNetwork { .. } => {
            "a prior network has the variables and states of the graph, by the same names; its arcs may be others"
        }
        _ => "check it against the graph",
    };
    Error::unfit(fault.to_string(), hint)
}

/// That there are rows to learn from.
fn check_rows(observed: &FamilyStatistic, report: &ReadReport) -> Result<(), Error> {
    if report.n_rows == 0 && report.n_skipped > 0 {
        let first = report.first_skipped.as_deref().unwrap_or_default();
        return Err(Error::unfit(
            format!("all {} rows are malformed, the first at {first}", report.n_skipped),
            "check the header and the delimiter; --header and --delimiter say what they are",
        ));
    }
    if observed.counts.n_rows() <= 0.0 {
        return Err(columns::nothing_to_learn_from());
    }
    Ok(())
}

/// The variables that have no column.
fn hidden_of(table: &Table, domain: &Domain) -> Vec<String> {
    let is_read = |of: net::VarId| table.has_column(of) && !matches!(table.schema().variable(of).role, belief::Role::Ignored(_));
    domain.variables().filter(|of| !is_read(*of)).map(|of| domain.name(of).to_string()).collect()
}

/// What gaps mean where nothing is expected of them.
fn remark_on_gaps(observed: &FamilyStatistic, hidden: &[String], domain: &Domain) -> Vec<String> {
    let mut remarks = Vec::new();
    if !hidden.is_empty() {
        let have = if hidden.len() == 1 { "has" } else { "have" };
        remarks.push(format!("{} {have} no column and {have} nothing but what was believed before", list(hidden)));
    }
    let empty: Vec<&str> = domain
        .variables()
        .filter(|of| observed.gaps.missing()[of.index()] >= observed.counts.n_rows())
        .map(|of| domain.name(of))
        .filter(|name| !hidden.iter().any(|other| other == name))
        .collect();
    if !empty.is_empty() {
        remarks.push(format!(
            "{} missing in every row",
            if empty.len() == 1 { format!("{} is", list(&empty)) } else { format!("{} are", list(&empty)) }
        ));
    }
    if !observed.gaps.are_none() {
        remarks.push("values are missing: a row counts in every table of which it has all values, and in no other".into());
    }
    remarks
}

/// That nothing which is read says anything of the target.
fn remark_on_target(schema: &Schema, dag: &Dag, hidden: &[String]) -> Option<String> {
    let name = |of: VarId| &schema.variable(of).name;
    let target = schema.target().filter(|target| !hidden.contains(name(*target)))?;
    let others: Vec<VarId> = dag.variables().filter(|of| *of != target && !hidden.contains(name(*of))).collect();
    let is_moved = d_separation(dag, &[target], &others, &[]) != Separation::Independent;
    let alone = || {
        format!(
            "the graph makes `{}` independent of all other columns: no evidence moves it, and all rows get the same probabilities",
            name(target)
        )
    };
    (!is_moved).then(alone)
}

/// Distributions that are no tables and become some.
fn remark_on_kinds(structure: &NetworkFile, options: &NetworkOptions) -> Option<String> {
    let network = structure.network()?;
    let others: Vec<&str> = network
        .dag()
        .variables()
        .filter(|of| network.conditional(*of).kind() != "table")
        .map(|of| network.name(of))
        .filter(|name| !options.fix.iter().any(|fixed| fixed == name))
        .collect();
    let were = counted(others.len() as u64, "variable is no table", "variables are no tables");
    (!others.is_empty()).then(|| format!("{were} in {}, and learned as one: {}", structure.path.display(), list(&others)))
}

/// Where it is asked for, that maximum likelihood knows something of every row.
fn check_unseen(model: &NetworkModel, options: &NetworkOptions) -> Result<(), Error> {
    if !options.strict {
        return Ok(());
    }
    let prior = model.prior();
    let unseen: Vec<_> = model
        .unseen()
        .into_iter()
        .filter(|(of, _)| prior.of_variable.get(&of.index()).unwrap_or(&prior.pseudocounts).amount() == 0.0)
        .collect();
    let Some(&(of, row)) = unseen.first() else { return Ok(()) };
    let name = model.network().name(of);
    let with = match model.configuration(of, row) {
        given if given.is_empty() => String::new(),
        given => format!(" with {given}"),
    };
    let more = if unseen.len() > 1 { format!(", and {} others", unseen.len() - 1) } else { String::new() };
    Err(Error::unfit(
        format!("`{name}` was never seen{with}{more}: maximum likelihood says nothing of it"),
        "believe something before, as in --estimate bdeu:1, or leave --strict out for uniform rows that are marked",
    ))
}
