//! `random`: a random network, the same for the same seed.

use tunbridge::Error;
use tunbridge::net::format::Document;
use tunbridge::net::{RandomShape, random_network};
use tunbridge::network::{self, NetworkFile};

use super::super::{no_trace, print, print_json};
use super::convert::format_to;
use super::print_as;
use crate::Failure;
use crate::args::Common;
use crate::figures::of;
use crate::network_args::RandomArgs;
use crate::progress::remark;

pub fn run(args: &RandomArgs, common: &Common) -> Result<(), Failure> {
    no_trace(common)?;
    let as_json = common.json()?;
    let to = format_to(args.to.as_deref(), args.output.as_deref())?;
    let (fewest, most) = args.states;
    let shape = RandomShape {
        n_variables: args.variables,
        max_parents: args.max_parents,
        states: fewest..=most,
        p_arc: args.arcs,
        p_deterministic: args.deterministic,
        p_zero: args.zeros,
        p_deterministic_kind: 0.0,
        p_noisy_max: 0.0,
        p_tree: 0.0,
    };
    let network = random_network(common.seed, &shape).map_err(|e| Error::Internal(e.to_string()))?;
    let file = NetworkFile::of_document(Document::new(format!("random {}", common.seed), network));
    let Some(path) = &args.output else {
        if as_json {
            return Err(Failure::Usage("--format json tells of the file: name one with --output".into()));
        }
        return print_as(&file, to, common);
    };
    let saved = network::save(&file, path, to, args.force)?;
    saved.lost.iter().for_each(|what| remark(common, &format!("lost: {what}")));
    let (n_variables, n_arcs) = (file.domain().n_variables(), file.network().map_or(0, |network| network.dag().n_arcs()));
    if as_json {
        return print_json(
            &serde_json::json!({"network": path.display().to_string(), "variables": n_variables, "arcs": n_arcs, "seed": common.seed}),
        );
    }
    let arcs = of(n_arcs as f64, "arc", "arcs");
    print(&format!("Saved {} ({}, {arcs}, seed {})\n", path.display(), of(n_variables as f64, "variable", "variables"), common.seed))
}
