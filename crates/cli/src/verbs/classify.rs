//! `classify`: every row, or one case, with its probabilities.

use std::io::{self, BufWriter};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde_json::{Map, Value, json};
use tunbridge::atomic::AtomicFile;
use tunbridge::data::{Answers, DataError, OutputFormat, Table};
use tunbridge::{Case, NaiveBayesModel, Timings};

use super::{is_case, load, no_trace, print, print_json};
use crate::args::{ClassifyArgs, Common, Format};
use crate::figures::{count, probability};
use crate::progress::{self, remark};
use crate::report::{self, Align, table};
use crate::{Failure, json};

pub fn run(args: &ClassifyArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    let start = Instant::now();
    let model = load(&args.model)?;
    timings.add("read", start);
    if model.calibrator_is_stale() {
        remark(common, "the calibration was fitted before the last change of the model");
    }
    if is_case(&args.inputs) {
        return one_case(args, common, &model);
    }
    no_trace(common)?;
    let start = Instant::now();
    rows(args, common, &model)?;
    timings.add("infer", start);
    Ok(())
}

fn one_case(args: &ClassifyArgs, common: &Common, model: &NaiveBayesModel) -> Result<(), Failure> {
    let as_json = match common.format {
        Some(Format::Jsonl) => true,
        _ => common.json()?,
    };
    if args.output.is_some() {
        return Err(Failure::Usage("--output is for files; one case is printed".into()));
    }
    let case = Case::parse(model.schema(), &args.inputs)?;
    for (name, value) in &case.unknown {
        remark(common, &format!("`{value}` is no known state of `{name}` and is left out"));
    }
    let answers = case.lend(|row| model.answer(row))?;
    let impossible = answers.predicted[0].is_none();
    if as_json {
        return print_json(&object(1, model.classes(), &answers));
    }
    if common.trace {
        print(&super::explain::products(model, &case)?)?;
    }
    if impossible {
        return print("This evidence has probability zero under the model.\n");
    }
    let mut by_p: Vec<(&String, f64)> = model.classes().iter().zip(answers.probability.iter().copied()).collect();
    by_p.sort_by(|a, b| b.1.total_cmp(&a.1));
    let lines: Vec<Vec<String>> = by_p.iter().map(|(class, p)| vec![class.to_string(), probability(*p)]).collect();
    print(&table(&[model.posterior().target(), "probability"], &[Align::Left, Align::Right], &lines))
}

fn object(row: u64, classes: &[String], answers: &Answers) -> Value {
    let mut object = Map::new();
    object.insert("row".into(), json!(row));
    match answers.predicted[0] {
        Some(predicted) => {
            object.insert("predicted".into(), json!(classes[predicted as usize]));
            let probability = classes.iter().cloned().zip(answers.probability.iter().map(|p| json::real(*p)));
            object.insert("probability".into(), Value::Object(probability.collect()));
        }
        None => {
            object.insert("predicted".into(), Value::Null);
            object.insert("probability".into(), Value::Null);
            object.insert("impossible".into(), json!(true));
        }
    }
    Value::Object(object)
}

fn rows(args: &ClassifyArgs, common: &Common, model: &NaiveBayesModel) -> Result<(), Failure> {
    let mut read = args.read.options(common);
    read.missing.extend(model.recipe().missing.iter().cloned());
    let _bar = progress::show(&mut read, common);
    let table = Table::open_as(&args.inputs, read, model.schema(), args.unknown_states.into(), true)?;
    table.remarks().iter().for_each(|text| remark(common, text));
    let format = output_format(args, common)?;
    let n_impossible = AtomicU64::new(0);
    let answer = |chunk: tunbridge::belief::Chunk<'_>| -> Result<Answers, DataError> {
        let answers = model.answer(&chunk)?;
        let impossible = answers.predicted.iter().filter(|p| p.is_none()).count() as u64;
        n_impossible.fetch_add(impossible, Ordering::Relaxed);
        Ok(answers)
    };
    let report = match &args.output {
        Some(path) => {
            let io = |source| tunbridge::Error::from(DataError::Io { path: path.clone(), source });
            let mut file = AtomicFile::create(path).map_err(io)?;
            let report = table.write_answers(model.classes(), format, &mut file, answer)?;
            file.commit_unsynced().map_err(io)?;
            report
        }
        None => {
            let mut out = BufWriter::with_capacity(1 << 18, io::stdout());
            let report = table.write_answers(model.classes(), format, &mut out, answer)?;
            io::Write::flush(&mut out)?;
            report
        }
    };
    report::remarks(&report, model.schema()).iter().for_each(|text| remark(common, text));
    let n_impossible = n_impossible.into_inner();
    if n_impossible > 0 {
        remark(common, &format!("{} rows have probability zero under the model and got no answer", count(n_impossible as f64)));
    }
    if report.n_rows == 0 {
        remark(common, "there were no rows");
    }
    Ok(())
}

fn output_format(args: &ClassifyArgs, common: &Common) -> Result<OutputFormat, Failure> {
    let of_path = args.output.as_deref().and_then(OutputFormat::of_path);
    Ok(match common.format {
        None => of_path.unwrap_or(OutputFormat::Csv),
        Some(Format::Csv) => OutputFormat::Csv,
        Some(Format::Jsonl | Format::Json) => OutputFormat::JsonLines,
        Some(Format::Parquet) => OutputFormat::Parquet,
        Some(Format::Arrow) => OutputFormat::Arrow,
        Some(Format::Text) => return Err(Failure::Usage("rows are printed with --format csv, jsonl, parquet or arrow".into())),
    })
}
