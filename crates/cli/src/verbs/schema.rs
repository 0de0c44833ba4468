//! `schema`: what is understood of a table, and a file to correct it in.

use std::path::{Path, PathBuf};
use std::time::Instant;

use tunbridge::belief::Observations;
use tunbridge::data::{DataError, Table, beside, to_toml};
use tunbridge::{Timings, widening};

use super::{is_pattern, no_trace, print, print_json};
use crate::args::{Common, SchemaArgs};
use crate::figures::of;
use crate::progress::{self, remark};
use crate::report;
use crate::{Failure, json};

pub fn run(args: &SchemaArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    no_trace(common)?;
    let as_json = common.json()?;
    let sidecar = if args.write { Some(output_path(&args.data[0])?) } else { None };
    if let Some(path) = sidecar.as_ref().filter(|path| path.exists() && !args.force) {
        let what = format!("{} is there already", path.display());
        return Err(tunbridge::Error::Unfit { what, hint: Some("replace it with --force".into()) }.into());
    }
    let start = Instant::now();
    let mut read = args.read.options(common);
    args.columns.apply(&mut read, args.target.as_ref())?;
    let _bar = progress::show(&mut read, common);
    let (table, fold) = widening(Table::open(&args.data, read)?, |table| Ok(table.fold(|_: &[usize]| ())?))?;
    table.remarks().iter().chain(&report::remarks(&fold.report, &fold.schema)).for_each(|text| remark(common, text));
    timings.add("read", start);
    if let Some(path) = sidecar {
        let name = args.data[0].file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let text = to_toml(&fold.schema, &name, table.missing_markers(), table.state_priors(), table.state_trees());
        let io = |source| DataError::Io { path: path.clone(), source };
        let mut file = tunbridge::atomic::AtomicFile::create(&path).map_err(io)?;
        std::io::Write::write_all(&mut file, text.as_bytes()).map_err(io)?;
        file.commit().map_err(io)?;
        remark(common, &format!("wrote {}", path.display()));
    }
    if as_json {
        return print_json(&serde_json::json!({"rows": fold.report.n_rows, "columns": json::schema(&fold.schema, Some(&fold.report))}));
    }
    let rows = of(fold.report.n_rows as f64, "row", "rows");
    print(&format!("{rows}\n\n{}", report::schema(&fold.schema, Some(&fold.report), usize::MAX)))
}

/// Where the schema of a file lies.
fn output_path(data: &Path) -> Result<PathBuf, Failure> {
    let is_pattern = is_pattern(data);
    beside(data).filter(|_| !is_pattern).ok_or_else(|| {
        let what = if is_pattern { format!("the pattern `{}`", data.display()) } else { "standard input".into() };
        Failure::Usage(format!("--write puts the schema beside a file, and {what} is none"))
    })
}
