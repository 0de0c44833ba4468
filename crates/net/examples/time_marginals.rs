//! Times loading, compiling and all marginals of a network: `time_marginals NETWORK.bif EVIDENCE.jsonl [ROUNDS]`, one object of findings a line.
//!
//! Prints one JSON object: seconds for each phase (loading is the median of five) and for each line of evidence (the best of the rounds through all of them), what
//! the tree takes, and the marginals of the last line.

use std::time::Instant;
use tunbridge_net::{Evidence, FactorGraph, JunctionTree, Network, VarId, Workspace, format::bif};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (network, evidence) = (arguments.next().ok_or("name a network")?, arguments.next().ok_or("name a file of evidence")?);
    let n_rounds: usize = arguments.next().map_or(Ok(1), |rounds| rounds.parse())?;
    let mut loads = Vec::new();
    let mut load = || -> Result<Network, Box<dyn std::error::Error>> {
        let begun = Instant::now();
        let network = bif::read(&std::fs::read(&network)?)?.network;
        loads.push(begun.elapsed().as_secs_f64());
        Ok(network)
    };
    let mut network = load()?;
    for _ in 1..5 {
        network = load()?;
    }
    loads.sort_by(f64::total_cmp);
    let load = loads[2];
    let begun = Instant::now();
    let tree = JunctionTree::compile(&FactorGraph::from(&network), 1 << 30)?;
    let compile = begun.elapsed().as_secs_f64();
    let mut room = Workspace::in_parallel();
    let text = std::fs::read_to_string(evidence)?;
    let lines: Vec<&str> = text.lines().collect();
    let (mut seconds, mut ln_p, mut last) = (vec![f64::INFINITY; lines.len()], vec![0.0; lines.len()], None);
    for (nth, line) in (0..n_rounds).flat_map(|_| lines.iter().enumerate()) {
        let findings: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line)?;
        let begun = Instant::now();
        let mut evidence = Evidence::none();
        for (variable, state) in &findings {
            let variable = network.find(variable)?;
            evidence.observe(&network, variable, network.find_state(variable, state.as_str().ok_or("states are texts")?)?)?;
        }
        let answer = tree.calibrate_in(&mut room, &evidence)?;
        seconds[nth] = begun.elapsed().as_secs_f64().min(seconds[nth]);
        ln_p[nth] = answer.ln_p_evidence();
        last = answer.possible();
    }
    let marginals: serde_json::Map<String, serde_json::Value> = last
        .iter()
        .flat_map(|last| {
            network.dag().variables().map(|variable: VarId| (network.name(variable).to_string(), last.marginal(variable).into()))
        })
        .collect();
    let report = serde_json::json!({
        "load": load, "compile": compile, "seconds": seconds, "ln_p_evidence": ln_p,
        "entries": tree.n_entries(), "stored": tree.n_stored(), "bytes": tree.n_bytes(), "marginals": marginals,
    });
    println!("{report}");
    Ok(())
}
