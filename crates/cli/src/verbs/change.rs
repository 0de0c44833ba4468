//! `update`, `forget` and `merge`: a model that keeps learning.

use std::path::Path;
use std::time::Instant;

use serde_json::json;
use tunbridge::{Changed, Model, NaiveBayesModel, Timings};

use super::{load, no_trace, print, print_json};
use crate::args::{ChangeArgs, Common, LearnerArgs, MergeArgs, ModelKind};
use crate::figures::count;
use crate::progress::{self, remark};
use crate::report;
use crate::{Failure, json};

pub fn update(args: &ChangeArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    change(args, common, timings, "added", |model, args, read| tunbridge::update(model, &args.data, read))
}

pub fn forget(args: &ChangeArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    change(args, common, timings, "forgotten", |model, args, read| tunbridge::forget(model, &args.data, read))
}

fn change(
    args: &ChangeArgs,
    common: &Common,
    timings: &mut Timings,
    word: &str,
    run: impl Fn(&NaiveBayesModel, &ChangeArgs, tunbridge::data::ReadOptions) -> Result<Changed, tunbridge::Error>,
) -> Result<(), Failure> {
    no_trace(common)?;
    let as_json = common.json()?;
    let start = Instant::now();
    let before = load(&args.model)?;
    timings.add("read", start);
    let start = Instant::now();
    let changed = {
        let mut read = args.read.options(common);
        let _bar = progress::show(&mut read, common);
        run(&before, args, read)?
    };
    timings.add("learn", start);
    let output = args.output.as_deref().unwrap_or(&args.model);
    let rows = changed.report.n_rows;
    finish(changed, &before, output, args.force, common, as_json, &format!("{} rows {word}", count(rows as f64)))
}

pub fn merge(args: &MergeArgs, common: &Common) -> Result<(), Failure> {
    no_trace(common)?;
    let as_json = common.json()?;
    let first = load(&args.models[0])?;
    let mut merged = first.clone();
    let mut remarks = Vec::new();
    for path in &args.models[1..] {
        let other = load(path)?;
        let asked = args.prior.estimate.is_some() || args.prior.class_prior.is_some() || args.prior.numeric.is_some();
        let prior = if asked {
            let learner = LearnerArgs { model: ModelKind::NaiveBayes, prior: args.prior.clone(), threshold: 0.0 };
            let (mut prior, bins) = learner.prior()?;
            if bins.is_some() {
                return Err(Failure::Usage("--numeric bins would need the rows again: learn anew".into()));
            }
            prior.event = first.prior().event;
            Some(prior)
        } else {
            None
        };
        let changed = tunbridge::merge(&merged, &other, prior)?;
        remarks.extend(changed.remarks);
        merged = changed.model;
    }
    let changed = Changed { model: merged, report: Default::default(), remarks };
    finish(changed, &first, &args.output, args.force, common, as_json, &format!("{} models merged", args.models.len()))
}

fn finish(
    changed: Changed,
    before: &NaiveBayesModel,
    output: &Path,
    force: bool,
    common: &Common,
    as_json: bool,
    what: &str,
) -> Result<(), Failure> {
    let Changed { model, report, remarks } = changed;
    remarks.iter().chain(&report::remarks(&report, model.schema())).for_each(|text| remark(common, text));
    let rows = [before.statistic().n_rows(), model.statistic().n_rows()];
    let saved = Model::NaiveBayes(Box::new(model));
    saved.save(output, force)?;
    if as_json {
        return print_json(&json!({"model": output.display().to_string(), "kind": saved.kind(), "rows": json::number(rows[1]),
            "rows_before": json::number(rows[0]), "rows_read": report.n_rows, "skipped": report.n_skipped, "remarks": remarks}));
    }
    print(&format!("{what}: {} now has {} rows (before: {})\n", output.display(), count(rows[1]), count(rows[0])))
}
