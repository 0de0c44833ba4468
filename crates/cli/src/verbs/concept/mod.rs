//! `concept`: from examples of yes and no to the conjunctions that tell them apart.

mod ask;
mod object;
mod text;
mod trace;

use std::path::{Path, PathBuf};
use std::time::Instant;

use tunbridge::Timings;
use tunbridge::concept::{Answer, ConceptData, ConceptOptions, Learned, NewInstance, read};
use tunbridge::data::Input;
use tunbridge::learners::concept::Question;

use super::{print, print_json};
use crate::args::Common;
use crate::concept_args::ConceptArgs;
use crate::progress::{self, remark};
use crate::{Failure, report};

/// A row that was classified: its number, its values, and what is said of it; or the attribute that it lacks.
pub struct Classified {
    row: u64,
    answer: Result<(Vec<String>, Answer), String>,
}

pub fn run(args: &ConceptArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    let as_json = common.json()?;
    let options = args.options(common)?;
    let (files, case) = split(&args.inputs)?;
    if args.ask {
        refuse_ask(&files, &case, as_json)?;
    }
    if args.list > 100_000 {
        return Err(Failure::Usage("--list: nobody reads more than 100,000 hypotheses".into()));
    }
    let data = {
        let mut options = options.clone();
        let _bar = progress::show(&mut options.read, common);
        read(&files, &options)?
    };
    *timings = data.timings.clone();
    let mut remarks = data.remarks.clone();
    remarks.extend(report::remarks(&data.report, &data.schema));
    remarks.iter().for_each(|text| remark(common, text));
    let start = Instant::now();
    if common.trace {
        trace::print(&data, &options, common)?;
    }
    let learned = data.learn(&options)?;
    timings.add("learn", start);
    if args.ask {
        return ask::run(&data, &learned, &options);
    }
    let start = Instant::now();
    let classified = classify(args, &case, &data, &learned, common)?;
    let question = learned.version_space().and_then(|found| found.best_question(options.seed));
    timings.add("infer", start);
    let outcome = Outcome {
        data: &data,
        learned: &learned,
        options: &options,
        classified: &classified,
        question: question.as_ref(),
        list: args.list,
    };
    if as_json {
        return print_json(&outcome.object(&remarks));
    }
    print(&outcome.text(&super::learn::title(&files)))
}

/// Everything that is told of what was learned.
struct Outcome<'o> {
    data: &'o ConceptData,
    learned: &'o Learned,
    options: &'o ConceptOptions,
    classified: &'o [Classified],
    question: Option<&'o Question>,
    /// The most hypotheses that are listed.
    list: usize,
}

/// Files, and one new instance behind them. A file's name may hold the sign too.
fn split(inputs: &[String]) -> Result<(Vec<PathBuf>, Vec<String>), Failure> {
    let is_file = |input: &String| Path::new(input).exists() || super::is_pattern(Path::new(input)) && Input::all(&[input]).is_ok();
    let is_value = |input: &&String| input.contains('=') && !is_file(input);
    let (case, files): (Vec<&String>, Vec<&String>) = inputs.iter().partition(is_value);
    if files.is_empty() {
        return Err(Failure::Usage("name a file of examples before the new instance".into()));
    }
    Ok((files.into_iter().map(PathBuf::from).collect(), case.into_iter().cloned().collect()))
}

fn refuse_ask(files: &[PathBuf], case: &[String], as_json: bool) -> Result<(), Failure> {
    let fault = if files.iter().any(|path| path.as_os_str() == "-") {
        Some("--ask reads answers from standard input, so the examples cannot come from there: give a file")
    } else if as_json {
        Some("--ask is a conversation: leave --format json out; its field `question` has the best question")
    } else if !case.is_empty() {
        Some("--ask chooses its own instances: leave NAME=VALUE out")
    } else {
        None
    };
    fault.map_or(Ok(()), |what| Err(Failure::Usage(what.into())))
}

fn classify(
    args: &ConceptArgs,
    case: &[String],
    data: &ConceptData,
    learned: &Learned,
    common: &Common,
) -> Result<Vec<Classified>, Failure> {
    let said = |instance: &[u32]| (data.space.values(instance), learned.classify(instance));
    let mut classified = Vec::new();
    if !case.is_empty() {
        let (instance, remarks) = data.case(case)?;
        remarks.iter().for_each(|text| remark(common, text));
        classified.push(Classified { row: 1, answer: Ok(said(&instance)) });
    }
    if !args.classify.is_empty() {
        let found = data.new_instances(&args.classify, args.read.options(common))?;
        found.remarks.iter().chain(&report::remarks(&found.report, &data.schema)).for_each(|text| remark(common, text));
        let first = classified.len() as u64;
        let answered = |NewInstance { row, instance }: NewInstance| Classified { row: first + row, answer: instance.map(|x| said(&x)) };
        classified.extend(found.rows.into_iter().map(answered));
    }
    Ok(classified)
}
