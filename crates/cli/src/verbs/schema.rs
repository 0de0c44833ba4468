//! `schema`: what is understood of a table, and a file to correct it in.

use tunbridge::belief::{Chunk, Observations, Recode, Recoding, ShapeMismatch, SufficientStatistic};
use tunbridge::data::{DataError, Table, beside, to_toml};

use super::{no_trace, print, print_json};
use crate::args::{Common, SchemaArgs};
use crate::progress::{self, remark};
use crate::report;
use crate::{Failure, json};

/// A statistic of nothing: the fold itself finds the states and the gaps.
#[derive(Clone)]
struct Nothing;

impl SufficientStatistic for Nothing {
    type Columns<'a> = Chunk<'a>;
    fn observe(&mut self, _: Chunk<'_>) -> Result<(), ShapeMismatch> {
        Ok(())
    }
    fn merge(&mut self, _: &Self) -> Result<(), ShapeMismatch> {
        Ok(())
    }
}

impl Recode for Nothing {
    fn recode(&mut self, _: &Recoding) -> Result<(), ShapeMismatch> {
        Ok(())
    }
}

pub fn run(args: &SchemaArgs, common: &Common) -> Result<(), Failure> {
    no_trace(common)?;
    let as_json = common.json()?;
    let mut read = args.read.options(common);
    args.columns.apply(&mut read, args.target.as_ref())?;
    let _bar = progress::show(&mut read, common);
    let mut table = Table::open(&args.data, read)?;
    let fold = loop {
        match table.fold(|_: &[usize]| Nothing) {
            Err(DataError::Contradiction { place, found, variable }) => {
                table = table.widened(variable, &format!("`{found}` ({}:{})", place.path.display(), place.line));
            }
            other => break other?,
        }
    };
    table.remarks().iter().chain(&report::remarks(&fold.report, &fold.schema)).for_each(|text| remark(common, text));
    if args.write {
        let path = beside(&args.data[0]).ok_or_else(|| Failure::Usage("standard input has no folder to write a schema into".into()))?;
        if path.exists() && !args.force {
            return Err(Failure::Fault(tunbridge::Error::Unfit {
                what: format!("{} is there already", path.display()),
                hint: Some("replace it with --force".into()),
            }));
        }
        let name = args.data[0].file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let io = |source| DataError::Io { path: path.clone(), source };
        let mut file = tunbridge::atomic::AtomicFile::create(&path).map_err(io)?;
        std::io::Write::write_all(&mut file, to_toml(&fold.schema, &name).as_bytes()).map_err(io)?;
        file.commit().map_err(io)?;
        remark(common, &format!("wrote {}", path.display()));
    }
    if as_json {
        return print_json(&serde_json::json!({"rows": fold.report.n_rows, "columns": json::schema(&fold.schema, Some(&fold.report))}));
    }
    print(&format!(
        "{} rows\n\n{}",
        crate::figures::count(fold.report.n_rows as f64),
        report::schema(&fold.schema, Some(&fold.report), usize::MAX)
    ))
}
