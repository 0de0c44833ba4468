//! Times a posterior for each of many rows: `time_rows NETWORK.bif ROWS.csv VARIABLE`, cells without quotes, blank where nothing was seen.
//!
//! Prints one JSON object: seconds with and without the probability of each row, and how many rows are possible.

use std::time::Instant;
use tunbridge_net::requisite_part::{Memo, RequisiteParts, RowPosterior, UNSEEN};
use tunbridge_net::{Evidence, FactorGraph, format::bif};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [network, rows, asked] = &arguments[..] else { return Err("name a network, a table and a variable".into()) };
    let network = bif::read(&std::fs::read(network)?)?.network;
    let target = network.find(asked)?;
    let text = std::fs::read_to_string(rows)?;
    let mut lines = text.lines();
    let columns = lines.next().ok_or("an empty table")?.split(',').map(|name| network.find(name)).collect::<Result<Vec<_>, _>>()?;
    let mut table = Vec::new();
    for line in lines {
        let mut row = vec![UNSEEN; network.n_variables()];
        for (variable, cell) in columns.iter().zip(line.split(',')).filter(|(_, cell)| !cell.is_empty()) {
            row[variable.index()] = network.find_state(*variable, cell)? as u32;
        }
        table.push(row);
    }
    let begun = Instant::now();
    let parts = RequisiteParts::new(&FactorGraph::from(&network), &Evidence::none(), &[target]);
    let prepared = begun.elapsed().as_secs_f64();
    let mut report = serde_json::json!({"rows": table.len(), "prepare": prepared});
    for with_ln_p in [false, true] {
        let begun = Instant::now();
        let (mut memo, mut n_possible) = (Memo::default(), 0);
        for row in &table {
            n_possible += usize::from(matches!(parts.posterior(row, with_ln_p, &mut memo), RowPosterior::Possible { .. }));
        }
        report[if with_ln_p { "with_ln_p" } else { "alone" }] = begun.elapsed().as_secs_f64().into();
        report["possible"] = n_possible.into();
    }
    println!("{report}");
    Ok(())
}
