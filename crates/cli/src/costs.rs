//! Costs of errors from the command line: `spam|ham=9`, or a table in a file.

use std::path::{Path, PathBuf};

use tunbridge::NamedCosts;
use tunbridge::data::DataError;

use crate::Failure;
use crate::lists::items;

/// What errors cost, if it is told.
pub fn costs(given: &[String]) -> Result<Option<NamedCosts>, Failure> {
    if given.is_empty() {
        return Ok(None);
    }
    let mut costs = NamedCosts::default();
    for text in given {
        if !text.contains('=') || Path::new(text).is_file() {
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
    let text = std::fs::read_to_string(path).map_err(|source| DataError::Io { path: PathBuf::from(path), source })?;
    let fault = |line: usize, what: String| {
        let hint = Some(
            "the first line has the true classes, as in `said,ham,spam`; each other one a class said and its costs, as in `spam,9,0`"
                .into(),
        );
        Failure::from(DataError::BadFile { path: path.into(), what: format!("line {line}: {what}"), hint })
    };
    let mut lines = text.lines().enumerate().map(|(place, line)| (place + 1, items(line))).filter(|(_, cells)| !cells.is_empty());
    let (_, header) = lines.next().ok_or_else(|| fault(1, "there are no costs".into()))?;
    let mut costs = NamedCosts::default();
    let mut n_lines = 0;
    for (line, cells) in lines {
        // The first cell of the header may be empty, and is then no item.
        let truths = if header.len() >= cells.len() { &header[1..] } else { &header[..] };
        let (said, numbers) = cells.split_first().ok_or_else(|| fault(line, "there are no costs".into()))?;
        if numbers.len() != truths.len() || truths.is_empty() {
            return Err(fault(line, format!("there are {} costs for {} true classes", numbers.len(), truths.len())));
        }
        for (truth, number) in truths.iter().zip(numbers) {
            let cost = number.trim().parse::<f64>().ok().filter(|cost| cost.is_finite() && *cost >= 0.0);
            let cost = cost.ok_or_else(|| fault(line, format!("`{}` is no cost: give a number that is not below 0", number.trim())))?;
            costs.push(said.trim(), truth.trim(), cost);
        }
        n_lines += 1;
    }
    if n_lines == 0 { Err(fault(2, "there are no costs".into())) } else { Ok(costs) }
}
