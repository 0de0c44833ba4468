//! A network for programs.

use serde_json::{Value, json};
use tunbridge::net::independences::Independence;
use tunbridge::net::{Conditional, Domain, EquivalenceClass, Network, NoisyCause, NoisyMax, VarId};
use tunbridge::network::{NetworkFile, NetworkModel, Shape, TreePlan};

use crate::json::{number, real};

/// What the network is, with its tables.
pub fn summary(file: &NetworkFile, shape: &Shape) -> Value {
    let domain = file.domain();
    let variables: Vec<Value> = match file.network() {
        Some(network) => network.dag().variables().map(|of| variable(network, of, file.model())).collect(),
        None => domain.variables().map(|of| json!({"name": domain.name(of), "states": domain.states(of)})).collect(),
    };
    let mut value =
        json!({"kind": if file.network().is_some() { "network" } else { "factor-graph" }, "name": file.name(), "variables": variables});
    if let Some(network) = file.network() {
        value["arcs"] = network.dag().arcs().map(|(from, to)| json!([network.name(from), network.name(to)])).collect();
        value["free_parameters"] = json!(network.n_free_parameters());
    } else {
        value["factors"] = json!(file.graph().factors().len());
    }
    if let (Some(network), Some((of, entries))) = (file.network(), shape.largest_family) {
        value["largest_family"] = json!({"variable": network.name(of), "entries": number(entries)});
    }
    if let (Some(model), Some(object)) = (file.model(), value.as_object_mut()) {
        object.insert("rows".into(), number(model.n_rows()));
        super::learn::told(model, object);
    }
    value["junction_tree"] = json!({"cliques": shape.n_cliques, "entries": number(shape.total_entries), "largest_clique": number(shape.largest_clique), "width": shape.width});
    value
}

/// A variable with its table, a row for each configuration of its parents, the last parent fastest.
pub fn variable(network: &Network, of: VarId, model: Option<&NetworkModel>) -> Value {
    // What is no table and too large to be spelled out as one is told by its kind alone.
    let rows =
        |values: &[f64]| -> Vec<Value> { values.chunks(network.n_states(of)).map(|row| row.iter().map(|p| real(*p)).collect()).collect() };
    let table = network.table(of).map_or(Value::Null, |values| rows(&values).into());
    let parents: Vec<&str> = network.dag().parents(of).iter().map(|parent| network.name(*parent)).collect();
    let mut value = json!({"name": network.name(of), "states": network.states(of), "parents": parents, "table": table});
    let kind = network.conditional(of).kind();
    if kind != "table" {
        value["distribution"] = json!(kind);
    }
    if let Conditional::NoisyMax(noisy) = network.conditional(of) {
        value["causes"] = causes(network, of, noisy);
        value["leak"] = noisy.leak().iter().map(|p| real(*p)).collect();
        value["order"] = noisy.order().iter().map(|state| network.states(of)[*state].clone()).collect();
    }
    if let Some(model) = model {
        let families = model.posterior().families();
        let counts = model.completed();
        value["counts"] = rows(&counts[families.cells(of.index())]).into();
    }
    value
}

/// What each cause of a noisy-MAX does by itself, by its states, and the state in which it does nothing.
fn causes(network: &Network, of: VarId, noisy: &NoisyMax) -> Value {
    let one = |(parent, cause): (&VarId, &NoisyCause)| {
        let states = network.states(*parent);
        let effects = states.iter().enumerate().map(|(state, name)| {
            let row: Value = cause.effects.row(state).iter().map(|p| real(*p)).collect();
            (name.clone(), row)
        });
        json!({"parent": network.name(*parent), "absent": states[cause.absent], "effects": Value::Object(effects.collect())})
    };
    network.dag().parents(of).iter().zip(noisy.causes()).map(one).collect()
}

fn names(domain: &Domain, variables: &[VarId]) -> Vec<String> {
    variables.iter().map(|variable| domain.name(*variable).to_string()).collect()
}

/// The cliques, each with the place of the one above it, from 1.
pub fn junction_tree(file: &NetworkFile, tree: &TreePlan) -> Value {
    let domain = file.domain();
    let clique = |clique: &tunbridge::network::PlannedClique| {
        json!({"variables": names(domain, &clique.variables), "entries": number(clique.entries), "above": clique.parent.map(|place| place + 1),
               "shared": names(domain, &clique.separator)})
    };
    json!({"cliques": tree.cliques.iter().map(clique).collect::<Vec<_>>(), "entries": number(tree.cliques.iter().map(|c| c.entries).sum())})
}

/// The order that variables are summed out in.
pub fn order(file: &NetworkFile) -> Value {
    json!({"order": file.tree_plan().order.iter().filter(|v| v.index() < file.domain().n_variables()).map(|v| file.domain().name(*v)).collect::<Vec<_>>()})
}

/// Independences of pairs.
pub fn independences(network: &Network, found: &[Independence]) -> Value {
    let name = |variable: &VarId| network.name(*variable).to_string();
    let one = |one: &Independence| json!({"pair": one.pair.iter().map(name).collect::<Vec<_>>(), "given": one.given.iter().map(name).collect::<Vec<_>>()});
    json!({"independences": found.iter().map(one).collect::<Vec<_>>()})
}

/// Which arcs all networks of the same independences share.
pub fn class(network: &Network, class: &EquivalenceClass) -> Value {
    let arcs = |arcs: &[(VarId, VarId)]| arcs.iter().map(|(from, to)| json!([network.name(*from), network.name(*to)])).collect::<Vec<_>>();
    json!({"compelled": arcs(class.compelled()), "reversible": arcs(class.reversible())})
}
