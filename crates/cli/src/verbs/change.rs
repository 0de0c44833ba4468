//! `update`, `forget` and `merge`: a model that keeps learning.

use std::path::Path;
use std::time::Instant;

use serde_json::json;
use tunbridge::aode::{self, ChangedAode};
use tunbridge::belief::{Kind, ReadReport, Role, Variable};
use tunbridge::data::{DataError, ReadOptions, RowFault};
use tunbridge::interrupt::Listening;
use tunbridge::labels::{self, ChangedLabels};
use tunbridge::learners::{AodePrior, EventModel, NaiveBayesPrior};
use tunbridge::model_file::check_output;
use tunbridge::network::{self, ChangedNetwork};
use tunbridge::{Changed, Error, Model, Timings};

use super::{load, no_trace, print, print_json, unknown_kind};
use crate::args::{ChangeArgs, Common, ForgetArgs, MergeArgs, UpdateArgs, refuse};
use crate::figures::{count, of};
use crate::learner_args::PriorArgs;
use crate::progress::{self, remark};
use crate::report;
use crate::{Failure, json};

pub fn update(args: &UpdateArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    let (prior_args, fading, max_vocabulary, resume) = (&args.prior.told()?, args.fading, args.max_vocabulary, &args.resume);
    change(&args.change, common, timings, "added", |model, args, read| {
        if let Model::Network(model) = model {
            refuse(&[("--max-vocabulary", max_vocabulary.is_some())], "is for texts, and this is a network")?;
            // Ctrl-C ends EM with the best tables so far.
            let listening = Listening::begin();
            let em = resume.plan(common, &listening)?;
            return Ok(network::update(model, &args.data, read, prior_args.pseudocounts()?, fading, &em)?.into());
        }
        refuse(&[("--fading", fading.is_some())], "is for networks")?;
        refuse(&resume.given(), OF_NETWORKS)?;
        if let Model::Aode(model) = model {
            refuse(&[("--max-vocabulary", max_vocabulary.is_some())], "is for texts, and this model has none")?;
            return Ok(aode::update(model, &args.data, read, told_pairs(prior_args, model.prior())?)?.into());
        }
        let has_texts = model.schema().variables().iter().any(|v| v.role == Role::Input && matches!(v.kind, Kind::Text(_)));
        if !has_texts {
            refuse(&[("--max-vocabulary", max_vocabulary.is_some())], "is for texts, and this model has none")?;
        }
        let told = told_prior(prior_args, model)?;
        let (prior, read) = (model.prior().map(&told).transpose()?, ReadOptions { max_vocabulary, ..read });
        match model {
            Model::NaiveBayes(model) => Ok(tunbridge::update(model, &args.data, read, prior)?.into()),
            Model::Labels(model) => Ok(labels::update(model, &args.data, read, prior)?.into()),
            other => Err(unknown_kind(other)),
        }
    })
}

pub fn forget(args: &ForgetArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    let resume = &args.resume;
    let forgotten = |model: &Model, args: &ChangeArgs, read| {
        if let Model::Network(model) = model {
            let listening = Listening::begin();
            return Ok(network::forget(model, &args.data, read, &resume.plan(common, &listening)?)?.into());
        }
        refuse(&resume.given(), OF_NETWORKS)?;
        match model {
            Model::NaiveBayes(model) => Ok(tunbridge::forget(model, &args.data, read)?.into()),
            Model::Labels(model) => Ok(labels::forget(model, &args.data, read)?.into()),
            Model::Aode(model) => Ok(aode::forget(model, &args.data, read)?.into()),
            other => Err(unknown_kind(other)),
        }
    };
    change(&args.change, common, timings, "forgotten", |model, args, read| forgotten(model, args, read).map_err(never_learned))
}

/// What is said of flags that other models do not have.
const OF_NETWORKS: &str = "is for networks of rows with gaps";

/// A model of any kind after a change, with what was met.
struct Done {
    model: Model,
    report: ReadReport,
    remarks: Vec<String>,
}

impl From<Changed> for Done {
    fn from(changed: Changed) -> Self {
        Self { model: Model::NaiveBayes(Box::new(changed.model)), report: changed.report, remarks: changed.remarks }
    }
}

impl From<ChangedLabels> for Done {
    fn from(changed: ChangedLabels) -> Self {
        Self { model: Model::Labels(Box::new(changed.model)), report: changed.report, remarks: changed.remarks }
    }
}

impl From<ChangedNetwork> for Done {
    fn from(changed: ChangedNetwork) -> Self {
        Self { model: Model::Network(Box::new(changed.model)), report: changed.report, remarks: changed.remarks }
    }
}

impl From<ChangedAode> for Done {
    fn from(changed: ChangedAode) -> Self {
        Self { model: Model::Aode(Box::new(changed.model)), report: changed.report, remarks: changed.remarks }
    }
}

/// What is to be believed of pairs of states, where it is said.
fn told_pairs(prior: &PriorArgs, before: &AodePrior) -> Result<Option<AodePrior>, Failure> {
    refuse(&prior.given()[1..], "does not go with averaged one-dependence estimators")?;
    let told = AodePrior { estimate: prior.estimate()?, ..before.clone() };
    Ok(prior.estimate.is_some().then_some(told))
}

fn change(
    args: &ChangeArgs,
    common: &Common,
    timings: &mut Timings,
    word: &str,
    run: impl Fn(&Model, &ChangeArgs, ReadOptions) -> Result<Done, Failure>,
) -> Result<(), Failure> {
    no_trace(common)?;
    let as_json = common.json()?;
    let output = args.output.as_deref().unwrap_or(&args.model);
    let before = load(&args.model, timings)?;
    super::average::stays_as_it_is(&before, &args.model)?;
    check_output(output, &args.data, args.force)?;
    let start = Instant::now();
    let changed = {
        let mut read = args.read.options(common);
        let _bar = progress::show(&mut read, common);
        run(&before, args, read)?
    };
    timings.add("learn", start);
    let read = of(n_counted(&changed) as f64, "row", "rows");
    let rows_before = count(before.n_rows());
    let rows = of(changed.model.n_rows(), "row", "rows");
    let text = format!("{read} {word}: {} now has {rows} (before: {rows_before})\n", output.display());
    finish(changed, &before, output, args.force, common, timings, as_json, &text)
}

/// Rows that changed the model: those without a class change a network only.
fn n_counted(changed: &Done) -> u64 {
    let target = changed.model.schema().target().filter(|_| !matches!(changed.model, Model::Network(_)));
    let n_missing = target.and_then(|target| changed.report.n_missing.get(target.index())).copied().unwrap_or(0);
    changed.report.n_rows - n_missing
}

/// A state that the model does not know is one of a row that it never learned.
fn never_learned(failure: Failure) -> Failure {
    match failure {
        Failure::Fault(Error::Data(fault @ DataError::BadRow { fault: RowFault::UnknownState { .. }, .. })) => Error::Unfit {
            what: format!("these rows are not all in the model: {fault}"),
            hint: Some("forget only rows that the model has learned, each once".into()),
        }
        .into(),
        other => other,
    }
}

pub fn merge(args: &MergeArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    no_trace(common)?;
    let as_json = common.json()?;
    let prior_args = &args.prior.told()?;
    check_output(&args.output, &[] as &[&Path], args.force)?;
    let first = load(&args.models[0], timings)?;
    // Ctrl-C ends EM with the best tables so far.
    let listening = if let Model::Network(_) = first { Some(Listening::begin()) } else { None };
    let em = listening.as_ref().map(|listening| args.resume.plan(common, listening)).transpose()?;
    if em.is_none() {
        refuse(&args.resume.given(), OF_NETWORKS)?;
    }
    let n_threads = ReadOptions { threads: common.threads.map_or(0, usize::from), ..ReadOptions::default() }.n_threads();
    let pseudocounts = if let Model::Network(_) = first { prior_args.pseudocounts()? } else { None };
    let pairs = if let Model::Aode(first) = &first { told_pairs(prior_args, first.prior())? } else { None };
    let told = if let Model::Network(_) | Model::Aode(_) = first { None } else { Some(told_prior(prior_args, &first)?) };
    super::average::stays_as_it_is(&first, &args.models[0])?;
    let mut merged = first.clone();
    let mut remarks = Vec::new();
    let mut rows = vec![count(first.n_rows())];
    for path in &args.models[1..] {
        let other = load(path, timings)?;
        super::average::stays_as_it_is(&other, path)?;
        rows.push(count(other.n_rows()));
        let start = Instant::now();
        // Where they differ in what was not told, the library says so.
        let told = |model: &Model| told.as_ref().and_then(|told| model.prior().map(told)).transpose();
        let of_other = told(&other)?;
        let prior = told(&first)?.filter(|prior| of_other.as_ref() == Some(prior));
        let changed = match (&merged, &other) {
            (Model::NaiveBayes(a), Model::NaiveBayes(b)) => tunbridge::merge(a, b, prior).map(Done::from),
            (Model::Labels(a), Model::Labels(b)) => labels::merge(a, b, prior).map(Done::from),
            (Model::Network(a), Model::Network(b)) => {
                network::merge(a, b, pseudocounts, &em.clone().unwrap_or_default(), n_threads).map(Done::from)
            }
            (Model::Aode(a), Model::Aode(b)) => aode::merge(a, b, pairs.clone()).map(Done::from),
            (a, b) => Err(unlike(a, b)),
        };
        let changed = changed.map_err(|e| of_both(e, &args.models[0], path))?;
        timings.add("learn", start);
        remarks.extend(changed.remarks);
        merged = changed.model;
    }
    let all = count(merged.n_rows());
    let text = format!("{} models merged into {}, which has {all} rows ({})\n", rows.len(), args.output.display(), rows.join(" + "));
    let changed = Done { model: merged, report: ReadReport::default(), remarks };
    finish(changed, &first, &args.output, args.force, common, timings, as_json, &text)
}

/// That two models are not of one kind.
pub fn unlike(a: &Model, b: &Model) -> Error {
    let hint = Some("learn both as models of one kind".into());
    Error::Unfit { what: format!("one is {}, the other {}", a.kind(), b.kind()), hint }
}

/// A prior with the parts that the flags tell of, and the others as they were; flags that say nothing to its kind of model are refused.
fn told_prior(args: &PriorArgs, model: &Model) -> Result<impl Fn(&NaiveBayesPrior) -> Result<NaiveBayesPrior, Failure> + use<>, Failure> {
    let (given, _) = args.prior()?;
    let flags = args.given();
    let is_number = |v: &Variable| v.role == Role::Input && v.kind == Kind::Numeric;
    let discretisation = match model {
        Model::NaiveBayes(model) => model.recipe().discretisation.as_ref(),
        Model::Labels(model) => model.recipe().discretisation.as_ref(),
        _ => None,
    };
    if !model.schema().variables().iter().any(is_number) {
        refuse(&flags[2..], "is for numbers, and this model has none")?;
    }
    if discretisation.is_some() {
        refuse(&flags[2..], "does not go with this model, whose numbers were cut into bins when it was learned")?;
    }
    let told = flags.map(|(_, given)| given);
    Ok(move |prior: &NaiveBayesPrior| {
        match prior.event {
            EventModel::Categorical => {}
            EventModel::Bernoulli => refuse(&flags[2..], "does not go with a Bernoulli model, which cuts numbers in two")?,
            EventModel::NearestCentroid => refuse(&flags, "does not go with nearest centroids, which believe nothing before")?,
        }
        let (mut prior, given) = (prior.clone(), given.clone());
        if told[0] {
            prior.estimate = given.estimate;
        }
        if told[1] {
            prior.class = given.class;
        }
        if told[2] {
            prior.numeric = given.numeric;
        }
        Ok(prior)
    })
}

/// An error about two models, with their names.
pub fn of_both(error: Error, a: &Path, b: &Path) -> Error {
    match error {
        Error::Unfit { what, hint } => Error::Unfit { what: format!("{} and {}: {what}", a.display(), b.display()), hint },
        other => other,
    }
}

#[expect(clippy::too_many_arguments, reason = "two callers, in this file")]
fn finish(
    changed: Done,
    before: &Model,
    output: &Path,
    force: bool,
    common: &Common,
    timings: &mut Timings,
    as_json: bool,
    text: &str,
) -> Result<(), Failure> {
    let Done { model: saved, report, mut remarks } = changed;
    remarks.extend(report::remarks(&report, saved.schema()));
    remarks.iter().for_each(|text| remark(common, text));
    let rows = [before.n_rows(), saved.n_rows()];
    let pruned = if let Model::NaiveBayes(model) = &saved { json::pruned(model) } else { None };
    let start = Instant::now();
    saved.save(output, force)?;
    timings.add("write", start);
    if as_json {
        let mut value = json!({"model": output.display().to_string(), "kind": saved.kind(), "rows": json::number(rows[1]),
            "rows_before": json::number(rows[0]), "rows_read": report.n_rows, "skipped": report.n_skipped, "remarks": remarks});
        if let Some(pruned) = pruned {
            value["pruned"] = pruned;
        }
        if let (Model::Network(model), Some(object)) = (&saved, value.as_object_mut()) {
            super::network::learn::told_of_em(model, object);
        }
        return print_json(&value);
    }
    print(text)
}
