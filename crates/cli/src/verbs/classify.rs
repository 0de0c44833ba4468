//! `classify`: every row, or one case, with its probabilities.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde_json::{Map, Value, json};
use tunbridge::atomic::AtomicFile;
use tunbridge::belief::{Chunk, Kind, LossTable, ReadReport, Role, Schema};
use tunbridge::data::{Answers, DataError, OutputFormat, Table};
use tunbridge::evaluate::Costs;
use tunbridge::{Case, Classifier, Error, Model, NaiveBayesModel, NamedCosts, Recipe, Timings, Worth, model_file};

use super::{case_of, is_case, load_beside, no_trace, print, print_json, tell_stale, unknown_kind};
use crate::args::{ClassifyArgs, Common, Format, refuse};
use crate::costs::costs;
use crate::figures::{number, of, probability};
use crate::loss::{decision_object, decision_table};
use crate::progress::{self, remark};
use crate::report::{self, Align, table};
use crate::{Failure, json};

pub fn run(args: &ClassifyArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    let one_case = is_case(&args.inputs)?;
    let costs = costs(&args.costs)?;
    let (model, opened) =
        load_beside(&args.model, timings, |schema, recipe| (!one_case).then(|| OpenRows::open(args, common, schema, recipe)))?;
    let start = Instant::now();
    let of_one_model = [("--trace", common.trace), ("--value-of-information", args.value_of_information)];
    let ask = |asked: Asked<'_>, opened: Option<Result<OpenRows, Failure>>| {
        let rule = rule(args, costs.clone(), asked.model.classes())?;
        match opened {
            None => case(args, common, asked, &rule),
            Some(opened) => rows_of_classes(args, common, asked.model, &rule, opened),
        }
    };
    match &model {
        Model::Labels(model) => {
            refuse(&args.loss.given(), "is for classes, and this model gives labels")?;
            refuse(&[("--value-of-information", args.value_of_information)], "is for classes, and this model gives labels")?;
            super::labels::classify(args, common, model, opened)?;
        }
        Model::NaiveBayes(model) => {
            tell_stale(model, common);
            ask(Asked { model: model.as_ref(), alone: Some(model) }, opened)?;
        }
        Model::Average(model) => {
            refuse(&of_one_model, "is asked of one model, and this is an average of several: learn the one by itself")?;
            ask(Asked { model: model.as_ref(), alone: None }, opened)?;
        }
        Model::Network(model) => {
            refuse(
                &of_one_model,
                "is not there for networks: `tunbridge ask MODEL 'P(A | B=b)' --explain` says how findings move an answer",
            )?;
            ask(Asked { model: &model.classifier(super::network::MEMORY)?, alone: None }, opened)?;
        }
        Model::Aode(model) => {
            refuse(&of_one_model, "is not there for averaged one-dependence estimators")?;
            ask(Asked { model: model.as_ref(), alone: None }, opened)?;
        }
        other => return Err(unknown_kind(other)),
    }
    timings.add("infer", start);
    // The program ends here, and the system takes memory back at once; a vocabulary would be dropped word by word.
    std::mem::forget(model);
    Ok(())
}

/// A model, and the same where it is one by itself and not an average.
#[derive(Clone, Copy)]
struct Asked<'m> {
    model: &'m dyn Classifier,
    alone: Option<&'m NaiveBayesModel>,
}

/// How one of the classes, or an action, is chosen by their probabilities.
fn rule(args: &ClassifyArgs, costs: Option<NamedCosts>, classes: &[String]) -> Result<Rule, Failure> {
    match (costs, args.loss.table(classes)?) {
        (Some(_), Some(_)) => Err(Failure::Usage("--costs are of naming a class, and --loss of any action: give one".into())),
        (Some(costs), None) => Ok(Rule::Costs(costs.resolve(classes)?)),
        (None, Some(losses)) => Ok(Rule::Losses(losses)),
        (None, None) => Ok(Rule::MostProbable),
    }
}

/// What is said of a row.
enum Rule {
    MostProbable,
    /// The class of least expected cost.
    Costs(Costs),
    /// The action of least expected loss.
    Losses(LossTable),
}

impl Rule {
    fn answer(&self, model: &dyn Classifier, chunk: &Chunk<'_>) -> Result<Answers, DataError> {
        match self {
            Rule::MostProbable => model.answer(chunk),
            Rule::Costs(costs) => model.answer_by_cost(chunk, costs),
            Rule::Losses(losses) => model.decide(chunk, losses),
        }
    }

    fn costs(&self) -> Option<&Costs> {
        if let Rule::Costs(costs) = self { Some(costs) } else { None }
    }
}

fn case(args: &ClassifyArgs, common: &Common, Asked { model, alone }: Asked<'_>, rule: &Rule) -> Result<(), Failure> {
    let as_json = match common.format {
        Some(Format::Jsonl) if !common.trace => true,
        _ => common.json()?,
    };
    not_of_files(args)?;
    let case = case_of(&args.inputs, (model.schema(), model.recipe()), &args.read, args.unknown_states, common)?;
    let answers = case.lend(|row| if rule.costs().is_some() { rule.answer(model, row) } else { model.answer(row) })?;
    let impossible = answers.predicted[0].is_none();
    let decided = match rule {
        Rule::Losses(losses) if !impossible => Some((losses, losses.decide(&answers.probability).map_err(Error::from)?)),
        _ => None,
    };
    let worth = match alone {
        Some(model) if args.value_of_information && !impossible => Some(worth(model, &case, rule)?),
        _ => None,
    };
    let expected = rule.costs().filter(|_| !impossible).and_then(|costs| costs.expected(&answers.probability).ok());
    if has_texts(model) {
        tell_prior_only(case.lend(|row| n_prior_only(model, row))?, common);
    }
    if as_json {
        let mut object = object(1, model.classes(), &answers);
        if let Some(expected) = &expected {
            let by_class = model.classes().iter().cloned().zip(expected.iter().map(|cost| json::real(*cost)));
            object["expected_cost"] = Value::Object(by_class.collect());
        }
        if let Some((losses, decision)) = &decided {
            object["decision"] = decision_object(losses, decision);
        }
        if let Some(worth) = &worth {
            let by_name = worth.iter().map(|worth| (worth.variable.clone(), json::real(worth.value)));
            object["value_of_information"] = Value::Object(by_name.collect());
        }
        return print_json(&object);
    }
    if let Some(model) = alone.filter(|_| common.trace) {
        print(&super::explain::products(model, &case)?)?;
    }
    if impossible {
        return print("This evidence has probability zero under the model.\n");
    }
    if let (Some(expected), Some(predicted)) = (expected, answers.predicted[0]) {
        let mut by_cost: Vec<usize> = (0..expected.len()).collect();
        // The answer first, whatever was lost in adding up.
        by_cost.sort_by(|a, b| (*a != predicted as usize).cmp(&(*b != predicted as usize)).then(expected[*a].total_cmp(&expected[*b])));
        let line =
            |class: &usize| vec![model.classes()[*class].clone(), number(expected[*class]), probability(answers.probability[*class])];
        let lines: Vec<Vec<String>> = by_cost.iter().map(line).collect();
        let header = [model.target(), "expected cost", "probability"];
        print(&table(&header, &[Align::Left, Align::Right, Align::Right], &lines))?;
        return worth.map_or(Ok(()), |worth| print(&worth_table(&worth)));
    }
    let mut by_p: Vec<(&String, f64)> = model.classes().iter().zip(answers.probability.iter().copied()).collect();
    by_p.sort_by(|a, b| b.1.total_cmp(&a.1));
    let lines: Vec<Vec<String>> = by_p.iter().map(|(class, p)| vec![class.to_string(), probability(*p)]).collect();
    print(&table(&[model.target(), "probability"], &[Align::Left, Align::Right], &lines))?;
    if let Some((losses, decision)) = &decided {
        print(&format!("\n{}", decision_table(losses, decision)))?;
    }
    worth.map_or(Ok(()), |worth| print(&worth_table(&worth)))
}

/// What it is worth to look at each attribute that is not told; unless losses are given, in errors.
fn worth(model: &NaiveBayesModel, case: &Case, rule: &Rule) -> Result<Vec<Worth>, Failure> {
    let losses = match rule {
        Rule::Losses(losses) => losses.clone(),
        Rule::MostProbable => LossTable::zero_one(model.classes().to_vec()).map_err(Error::from)?,
        Rule::Costs(costs) => {
            let said = |said: usize| (0..model.classes().len()).map(|truth| costs.cost(said, truth)).collect();
            let actions = model.classes().iter().enumerate().map(|(place, class)| (class.clone(), said(place))).collect();
            LossTable::new(model.classes().to_vec(), actions).map_err(Error::from)?
        }
    };
    Ok(model.value_of_information(case, &losses)?)
}

fn worth_table(worth: &[Worth]) -> String {
    if worth.is_empty() {
        return "\nEverything that could be asked is told.\n".into();
    }
    let rows: Vec<Vec<String>> = worth.iter().map(|worth| vec![worth.variable.clone(), number(worth.value)]).collect();
    format!("\n{}", table(&["not told", "worth knowing"], &[Align::Left, Align::Right], &rows))
}

/// That nothing is said of files where one case is given.
pub fn not_of_files(args: &ClassifyArgs) -> Result<(), Failure> {
    if args.output.is_some() {
        return Err(Failure::Usage("--output is for files; one case is printed".into()));
    }
    if args.answers_only {
        return Err(Failure::Usage("--answers-only is for files; one case has nothing else".into()));
    }
    refuse(&[("--live", args.live)], "is for rows, and one case is answered at once")
}

fn has_texts(model: &dyn Classifier) -> bool {
    model.schema().variables().iter().any(|v| v.role == Role::Input && matches!(v.kind, Kind::Text(_)))
}

/// Rows in which nothing says anything to the model.
fn n_prior_only(model: &dyn Classifier, chunk: &Chunk<'_>) -> Result<u64, DataError> {
    Ok(model.without_evidence(chunk)?.into_iter().filter(|none| *none).count() as u64)
}

fn tell_prior_only(n: u64, common: &Common) {
    if n > 0 {
        let rows = of(n as f64, "row has", "rows have");
        remark(common, &format!("{rows} no word that the model knows, nor other evidence: the class prior is the answer"));
    }
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

fn rows_of_classes(
    args: &ClassifyArgs,
    common: &Common,
    model: &dyn Classifier,
    rule: &Rule,
    opened: Result<OpenRows, Failure>,
) -> Result<(), Failure> {
    refuse(&[("--value-of-information", args.value_of_information)], "is for one case")?;
    let (n_impossible, n_of_prior) = (AtomicU64::new(0), AtomicU64::new(0));
    let has_texts = has_texts(model);
    let write = |table: &Table, format: OutputFormat, to: &mut (dyn Write + Send)| {
        let say = |chunk: Chunk<'_>| {
            let answers = rule.answer(model, &chunk)?;
            let impossible = answers.predicted.iter().filter(|p| p.is_none()).count() as u64;
            n_impossible.fetch_add(impossible, Ordering::Relaxed);
            if has_texts {
                n_of_prior.fetch_add(n_prior_only(model, &chunk)?, Ordering::Relaxed);
            }
            Ok(answers)
        };
        match rule {
            Rule::Losses(losses) => table.write_decisions((losses.actions(), model.classes()), format, !args.answers_only, to, say),
            _ => table.write_answers(model.classes(), format, !args.answers_only, to, say),
        }
    };
    rows(args, common, model.schema(), opened, write)?;
    let n_impossible = n_impossible.into_inner();
    if n_impossible > 0 {
        let rows = of(n_impossible as f64, "row has", "rows have");
        remark(common, &format!("{rows} probability zero under the model and got no answer"));
    }
    tell_prior_only(n_of_prior.into_inner(), common);
    Ok(())
}

/// Files that are opened as the model reads them, and how their rows are to be written.
pub struct OpenRows {
    table: Table,
    format: OutputFormat,
    _bar: progress::Bar,
}

impl OpenRows {
    fn open(args: &ClassifyArgs, common: &Common, schema: &Schema, recipe: &Recipe) -> Result<Self, Failure> {
        no_trace(common)?;
        let format = output_format(args, common)?;
        if let Some(path) = &args.output {
            let also_read = args.loss.loss.iter().cloned().chain(crate::costs::files(&args.costs));
            let read: Vec<PathBuf> = args.inputs.iter().map(PathBuf::from).chain(also_read).collect();
            model_file::check_place_of_answers(path, &read)?;
        }
        if args.live && (args.output.is_some() || matches!(format, OutputFormat::Parquet | OutputFormat::Arrow)) {
            return Err(Failure::Usage(
                "--live writes rows to standard output as they come, as CSV or, with --format jsonl, JSON Lines".into(),
            ));
        }
        let mut read = args.read.options(common);
        recipe.apply(&mut read);
        read.live = args.live;
        let bar = progress::show(&mut read, common);
        let table = Table::open_as(&args.inputs, read, schema, args.unknown_states.into(), true)?;
        table.know_words();
        Ok(Self { table, format, _bar: bar })
    }
}

/// Writes what is said of the rows of files.
pub fn rows(
    args: &ClassifyArgs,
    common: &Common,
    schema: &Schema,
    opened: Result<OpenRows, Failure>,
    write: impl Fn(&Table, OutputFormat, &mut (dyn Write + Send)) -> Result<ReadReport, DataError>,
) -> Result<(), Failure> {
    let OpenRows { table, format, _bar } = opened?;
    table.remarks().iter().for_each(|text| remark(common, text));
    let report = match &args.output {
        Some(path) => {
            let io = |source| Failure::from(DataError::Io { path: path.clone(), source });
            let mut file = Watched::new(AtomicFile::create(path).map_err(io)?);
            let report = write(&table, format, &mut file);
            let report = file.outcome(report, io)?;
            file.to.commit_unsynced().map_err(io)?;
            report
        }
        None => {
            let mut out = Watched::new(BufWriter::with_capacity(1 << 18, io::stdout()));
            let report = write(&table, format, &mut out);
            let report = out.outcome(report, Failure::Output)?;
            out.to.flush()?;
            report
        }
    };
    report::remarks(&report, schema).iter().for_each(|text| remark(common, text));
    if report.n_rows == 0 {
        remark(common, "there were no rows");
    }
    Ok(())
}

/// An output that remembers why it failed: whatever the layers above make of it, the user is told of the place and the reason, and
/// a pipe that nobody reads any more, as under `head`, is no error.
pub struct Watched<W> {
    /// Where it goes.
    pub to: W,
    fault: Option<io::Error>,
}

impl<W> Watched<W> {
    pub fn new(to: W) -> Self {
        Self { to, fault: None }
    }

    fn watch<T>(&mut self, outcome: io::Result<T>) -> io::Result<T> {
        outcome.inspect_err(|e| self.fault = Some(io::Error::new(e.kind(), e.to_string())))
    }

    pub fn outcome<T, E>(&mut self, outcome: Result<T, E>, failure: impl Fn(io::Error) -> Failure) -> Result<T, Failure>
    where
        Failure: From<E>,
    {
        match self.fault.take() {
            Some(fault) => Err(failure(fault)),
            None => Ok(outcome?),
        }
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let outcome = self.to.write(bytes);
        self.watch(outcome)
    }

    fn flush(&mut self) -> io::Result<()> {
        let outcome = self.to.flush();
        self.watch(outcome)
    }
}

fn output_format(args: &ClassifyArgs, common: &Common) -> Result<OutputFormat, Failure> {
    let path = args.output.as_deref();
    Ok(match common.format {
        None => match path.and_then(OutputFormat::of_path) {
            Some(format) => format,
            None if path.is_none_or(|path| path.extension().is_none()) => OutputFormat::Separated,
            None => {
                let name = path.unwrap_or(Path::new("")).display();
                return Err(Failure::Usage(format!(
                    "--output `{name}`: no format has that ending; name it .csv, .tsv, .jsonl, .parquet or .arrow, or give --format"
                )));
            }
        },
        Some(Format::Csv) => OutputFormat::Csv,
        Some(Format::Jsonl | Format::Json) => OutputFormat::JsonLines,
        Some(Format::Parquet | Format::Arrow) if path.is_none() && io::stdout().is_terminal() => {
            return Err(Failure::Usage("a terminal cannot show parquet or arrow: name a file with --output".into()));
        }
        Some(Format::Parquet) => OutputFormat::Parquet,
        Some(Format::Arrow) => OutputFormat::Arrow,
        Some(Format::Text | Format::Html | Format::Svg | Format::Dot) => {
            return Err(Failure::Usage("rows are printed with --format csv, jsonl, parquet or arrow".into()));
        }
    })
}
