//! From a table to averaged one-dependence estimators: numbers are cut, pairs of states are counted, and folds judge them.

use std::path::Path;
use std::time::Instant;

use belief::{Observations, ReadReport, Role, Schema, VarId};
use data::{KeptInputs, ReadOptions, UnknownStates};
use learn::{AodePrior, AodeStatistic, Discretisation};

use super::change::drop_unmet;
use super::model::{AodeModel, StoredAode};
use crate::by_folds::{by_folds, n_folds};
use crate::counting::{after_skipping, check_rows};
use crate::held_out::blank_tally;
use crate::look::Look;
use crate::network::{Indicator, check_states, open_states, too_many_pairs};
use crate::remarks::list;
use crate::testing::{held_out_part, tally};
use crate::{Error, Evaluation, EvaluationPlan, NamedCosts, Recipe, TestOptions, Tested, Timings};

/// What to learn and how; the default is right for most.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `read` | | how to read the table; `read.target` is needed |
/// | `prior` | Laplace 1, every value a parent | what is believed before |
/// | `bins` | by the classes | how numbers are cut |
/// | `indicators` | none | variables that say whether others are missing |
/// | `evaluation` | none | how good the model is, by folds |
/// | `costs` | none | what errors cost, where they are judged by cost |
/// | `seed` | 1 | which rows go into which fold |
#[derive(Clone)]
pub struct AodeOptions {
    /// How to read the table.
    pub read: ReadOptions,
    /// What is believed before.
    pub prior: AodePrior,
    /// How numbers are cut into bins.
    pub bins: Option<Discretisation>,
    /// Variables that say whether others are missing.
    pub indicators: Vec<Indicator>,
    /// How to judge.
    pub evaluation: EvaluationPlan,
    /// What errors cost; rows are then judged by the class of least expected cost.
    pub costs: Option<NamedCosts>,
    /// Which rows go into which fold.
    pub seed: u64,
}

impl Default for AodeOptions {
    fn default() -> Self {
        Self {
            read: ReadOptions::default(),
            prior: AodePrior::default(),
            bins: None,
            indicators: Vec::new(),
            evaluation: EvaluationPlan::None,
            costs: None,
            seed: 1,
        }
    }
}

/// A model with what was found out on the way.
pub struct LearnedAode {
    /// The model.
    pub model: AodeModel,
    /// What was met while reading.
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
    /// How good it is, as far as it was asked.
    pub evaluation: Option<Evaluation>,
    /// Where the time went.
    pub timings: Timings,
}

/// Learns averaged one-dependence estimators from files. Every column that is not left out and has states, or numbers to be cut into bins, is an
/// attribute.
///
/// # Errors
/// When the data cannot be read, there is no target, columns have too many states to count pairs of, or no model can be made of them.
pub fn learn(paths: &[impl AsRef<Path>], options: &AodeOptions) -> Result<LearnedAode, Error> {
    let _kept = KeptInputs::of(paths)?;
    let mut learned = learn_part(paths, options)?;
    let Some(n_folds) = n_folds(options.evaluation)? else { return Ok(learned) };
    let start = Instant::now();
    let blank = blank_tally(options.costs.as_ref(), learned.model.classes())?;
    let all = by_folds(n_folds, options.seed, &options.read, blank.clone(), |others, own| {
        let model = learn_part(paths, &AodeOptions { read: others, ..options.clone() })?.model;
        let options = TestOptions { read: own, unknown_states: UnknownStates::Missing, costs: options.costs.clone() };
        Ok(Some(tally(&model, paths, options, blank.clone())?.1))
    })?;
    let how = format!("{n_folds} folds, seed {}", options.seed);
    let metrics = all.and_then(|all| all.metrics());
    learned.evaluation = metrics.map(|metrics| Evaluation::new(&how, learned.model.classes(), metrics));
    learned.timings.add("evaluate", start);
    Ok(learned)
}

/// Learns on a part of the rows and judges on the rest: every `1/share`th row by a seeded deal is held out.
///
/// # Errors
/// As [`learn`].
pub fn hold_out(paths: &[impl AsRef<Path>], options: &AodeOptions, share: f64) -> Result<Tested, Error> {
    let _kept = KeptInputs::of(paths)?;
    let (others, own, how) = held_out_part(&options.read, options.seed, share)?;
    let learned = learn_part(paths, &AodeOptions { read: others, ..options.clone() })?;
    let test = TestOptions { read: own, unknown_states: UnknownStates::Missing, costs: options.costs.clone() };
    crate::testing::test_as(&learned.model, paths, test, &how)
}

/// Learns from the rows that count.
fn learn_part(paths: &[impl AsRef<Path>], options: &AodeOptions) -> Result<LearnedAode, Error> {
    let mut timings = Timings::default();
    let start = Instant::now();
    let look = Look::at(paths, &options.read, options.bins, |_| true)?;
    let (declared, left_out) = look.as_states(&options.indicators)?;
    let target = declared
        .target()
        .ok_or_else(|| Error::unfit("averaged one-dependence estimators predict a column, and none is named", "name it with --target"))?;
    let mut read = options.read.clone();
    look.apply(&mut read, &options.indicators);
    timings.add("read", start);
    let start = Instant::now();
    let table = open_states(paths, read, &declared, UnknownStates::Grow)?;
    let attributes = attributes(&declared);
    let fold = table.fold(|n_states: &[usize]| AodeStatistic::empty(&attributes, target, n_states)).map_err(too_many_pairs)?;
    check_rows(&fold.schema, fold.statistic.n_rows(), &fold.report).map_err(|error| after_skipping(error, &fold.report))?;
    check_states(&declared, &fold.schema, &table)?;
    let mut recipe = Recipe {
        missing: table.missing_markers().to_vec(),
        made: look.made(&options.indicators),
        days: table.days().cloned(),
        ..Recipe::default()
    };
    look.cuts.write(&mut recipe);
    let mut remarks = look.remarks.clone();
    if !left_out.is_empty() {
        remarks.push(format!("left out, for it cannot be states: {}", list(&left_out)));
    }
    let n_without = fold.report.n_missing.get(target.index()).copied().unwrap_or(0);
    if n_without > 0 {
        let rows = if n_without == 1 { "1 row without a class was".into() } else { format!("{n_without} rows without a class were") };
        remarks.push(format!("{rows} left out"));
    }
    let mut parts = StoredAode { schema: fold.schema, recipe, prior: options.prior.clone(), statistic: fold.statistic };
    drop_unmet(&mut parts)?;
    let model = AodeModel::from_parts(parts)?;
    timings.add("learn", start);
    Ok(LearnedAode { model, report: fold.report, remarks, evaluation: None, timings })
}

/// The variables that are counted in pairs.
pub(super) fn attributes(schema: &Schema) -> Vec<VarId> {
    let is_attribute = |(place, variable): (usize, &belief::Variable)| {
        (variable.role == Role::Input && variable.kind.states().is_some()).then(|| VarId::new(place))
    };
    schema.variables().iter().enumerate().filter_map(is_attribute).collect()
}
