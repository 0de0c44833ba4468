//! Costs of errors from the command line: `spam|ham=9`, or a table in a file.

use std::path::{Path, PathBuf};

use tunbridge::NamedCosts;

use crate::Failure;
use crate::lists::items;
use crate::matrix::Matrix;

/// The files that costs are read from.
pub fn files(given: &[String]) -> impl Iterator<Item = PathBuf> {
    given.iter().filter(|text| is_file(text)).map(PathBuf::from)
}

fn is_file(text: &str) -> bool {
    !text.contains('=') || Path::new(text).is_file()
}

/// What errors cost, if it is told.
pub fn costs(given: &[String]) -> Result<Option<NamedCosts>, Failure> {
    if given.is_empty() {
        return Ok(None);
    }
    let mut costs = NamedCosts::default();
    for text in given {
        if is_file(text) {
            costs.extend(table(Path::new(text))?);
            continue;
        }
        for item in items(text) {
            costs.extend(
                item.parse().map_err(|e: tunbridge::Error| Failure::Usage(format!("--costs: {e}; {}", e.hint().unwrap_or_default())))?,
            );
        }
    }
    Ok(Some(costs))
}

/// A table: the first line has the true classes behind its first cell, each other line a class that is said and what that costs.
fn table(path: &Path) -> Result<NamedCosts, Failure> {
    let hint = "the first line has the true classes, as in `said,ham,spam`; each other one a class said and its costs, as in `spam,9,0`";
    let fits = |cost: f64| if cost.is_finite() && cost >= 0.0 { Ok(()) } else { Err("give a number that is not below 0") };
    let matrix = Matrix::read(path, ("cost", "costs"), hint, fits)?;
    let mut costs = NamedCosts::default();
    for (said, numbers) in &matrix.lines {
        for (truth, cost) in matrix.columns.iter().zip(numbers) {
            costs.push(said, truth, *cost);
        }
    }
    Ok(costs)
}
