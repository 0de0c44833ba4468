//! `impute`: the gaps of a table, filled.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use tunbridge::atomic::AtomicFile;
use tunbridge::data::{DataError, OutputFormat, UnknownStates};
use tunbridge::network::{Imputation, ImputeOptions, Imputed};
use tunbridge::{Timings, model_file};

use super::super::classify::Watched;
use super::super::no_trace;
use super::{MEMORY, open};
use crate::Failure;
use crate::args::{Common, Format, refuse};
use crate::figures::{count, of};
use crate::progress::{self, remark};
use crate::read_args::{ReadArgs, UnknownArg};
use crate::report;

#[derive(Args)]
#[command(
    after_help = "A row's gaps get the values that are most probable together given the rest of the row, or\nwith --draw values drawn from their distribution by --seed. A number that the model has cut into\nbins gets the middle of its bin, or with --draw any number in it; the outermost bins have one\nend, and give that. A last column, imputed, names the columns that were filled, with ; between\nthem.\n\nExamples:\n  tunbridge impute flu.tb patients.csv -o filled.csv\n  tunbridge impute flu.tb patients.csv --draw --seed 7 --format jsonl"
)]
pub struct ImputeArgs {
    /// A network: a model of `learn --structure`, or a file of any format
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Files with the rows, - for standard input
    #[arg(required = true, value_name = "DATA")]
    pub data: Vec<PathBuf>,
    /// Draw values from their distribution given the row, by --seed
    #[arg(long)]
    pub draw: bool,
    /// Where the rows go; the name says the format: .csv, .tsv or .jsonl [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// What to do with a value that is no state of the network: missing fills it too [default: error]
    #[arg(long, value_enum, value_name = "HOW")]
    pub unknown_states: Option<UnknownArg>,
    #[command(flatten)]
    pub read: ReadArgs,
}

pub fn run(args: &ImputeArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    no_trace(common)?;
    let of_documents = [("--documents", args.read.documents.is_some()), ("--class-depth", args.read.class_depth.is_some())];
    refuse(&of_documents, "is for documents, and a network fills rows of states")?;
    let format = match (common.format, args.output.as_deref()) {
        (Some(Format::Csv), _) => OutputFormat::Csv,
        (None, None) => OutputFormat::Separated,
        (Some(Format::Json | Format::Jsonl), _) => OutputFormat::JsonLines,
        (None, Some(path)) => match OutputFormat::of_path(path) {
            Some(format @ (OutputFormat::Separated | OutputFormat::Csv | OutputFormat::Tsv | OutputFormat::JsonLines)) => format,
            None if path.extension().is_none() => OutputFormat::Separated,
            _ => return Err(Failure::Usage(format!("--output `{}`: rows are written as .csv, .tsv or .jsonl", path.display()))),
        },
        _ => return Err(Failure::Usage("filled rows are written with --format csv or jsonl".into())),
    };
    if let Some(path) = &args.output {
        model_file::check_place_of_answers(path, &args.data)?;
    }
    let file = open(&args.model, common, timings)?;
    let start = Instant::now();
    let mut read = args.read.options(common);
    let _bar = progress::show(&mut read, common);
    let unknown_states = args.unknown_states.map_or(UnknownStates::Error, UnknownStates::from);
    let options = ImputeOptions { read, unknown_states, draw: args.draw.then_some(common.seed), memory: MEMORY };
    let imputation = Imputation::open(&file, &args.data, options)?;
    imputation.remarks().iter().for_each(|text| remark(common, text));
    let done = match &args.output {
        Some(path) => {
            let io = |source| Failure::from(DataError::Io { path: path.clone(), source });
            let mut to = Watched::new(AtomicFile::create(path).map_err(io)?);
            let done = imputation.write(format, &mut to);
            let done = to.outcome(done, io)?;
            to.to.commit_unsynced().map_err(io)?;
            done
        }
        None => {
            let mut to = Watched::new(BufWriter::with_capacity(1 << 18, io::stdout()));
            let done = imputation.write(format, &mut to);
            let done = to.outcome(done, Failure::Output)?;
            to.to.flush()?;
            done
        }
    };
    timings.add("infer", start);
    report::remarks(&done.report, imputation.schema()).iter().for_each(|text| remark(common, text));
    remark(common, &told(&done, args.draw, common.seed));
    if done.n_impossible > 0 {
        let rows = of(done.n_impossible as f64, "row has", "rows have");
        remark(common, &format!("{rows} probability zero under the network, and gaps that are left"));
    }
    Ok(())
}

fn told(done: &Imputed, draw: bool, seed: u64) -> String {
    let all: u64 = done.filled.iter().map(|(_, n)| n).sum();
    if all == 0 {
        return "no gap was filled".into();
    }
    let how = if draw { format!("with draws, seed {seed}") } else { "with the most probable values of each row together".into() };
    let parts: Vec<String> = done.filled.iter().take(20).map(|(name, n)| format!("{} of `{name}`", count(*n as f64))).collect();
    let more = if done.filled.len() > 20 { ", …" } else { "" };
    format!("{} filled {how}: {}{more}", of(all as f64, "gap", "gaps"), parts.join(", "))
}
