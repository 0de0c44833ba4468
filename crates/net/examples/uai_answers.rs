//! Answers an instance of the UAI inference competitions: `uai_answers MODEL.uai [MODEL.uai.evid]`.
//!
//! Prints one JSON object: the decimal logarithm of the partition function with the evidence (PR), all marginals (MAR), and what it took.

use std::time::Instant;
use tunbridge_net::{Answer, Evidence, FactorGraph, JunctionTree, VarId, format::uai};

/// Entries that may be stored: some 12 bytes each.
const ROOM: usize = 1_000_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let bytes = std::fs::read(arguments.next().ok_or("name a model")?)?;
    let graph =
        if uai::is_markov(&bytes) { uai::read_markov(&bytes)?.to_factor_graph()? } else { FactorGraph::from(uai::read(&bytes)?.network()) };
    let mut evidence = Evidence::none();
    if let Some(path) = arguments.next() {
        for &(variable, state) in uai::read_evidence(&std::fs::read(path)?)?.iter().flatten() {
            evidence.observe(&graph, VarId::new(variable), state)?;
        }
    }
    let begun = Instant::now();
    let tree = JunctionTree::compile(&graph.given(&evidence), ROOM)?;
    let compile = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let Answer::Possible { answer, ln_p_evidence } = tree.calibrate(&evidence)? else { return Err("the evidence is impossible".into()) };
    let report = serde_json::json!({
        "compile": compile, "infer": begun.elapsed().as_secs_f64(), "entries": tree.n_entries(), "stored": tree.n_stored(), "bytes": tree.n_bytes(),
        "pr": ln_p_evidence / std::f64::consts::LN_10, "mar": answer.marginals(),
    });
    println!("{report}");
    Ok(())
}
