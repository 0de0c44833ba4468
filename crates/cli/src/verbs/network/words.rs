//! A network as a person reads it.

use std::fmt::Write;

use tunbridge::net::independences::Independence;
use tunbridge::net::{Conditional, EquivalenceClass, Network, NoisyMax, VarId};
use tunbridge::network::{NetworkFile, NetworkModel, Shape};

use crate::figures::{count, number, of, probability};
use crate::report::{Align, table, turned};

/// More states than this are read more easily one below the other.
const MOST_COLUMNS: usize = 8;
/// More rows than this of a table are left out, unless all are asked for.
const MOST_ROWS: usize = 60;
/// And so many are all that are printed: what is no table may have any number of them.
const ALL_ROWS: usize = 1_000_000;

/// What the network is: its variables, arcs and size.
pub fn summary(file: &NetworkFile, shape: &Shape, all: bool) -> String {
    let title = match file.name() {
        "" => String::new(),
        name => format!(" “{name}”"),
    };
    let mut text = match file.network() {
        Some(network) if file.is_structure() => format!(
            "{}: structure{title} without probabilities, {}, {}\n\n",
            file.path.display(),
            of(network.n_variables() as f64, "variable", "variables"),
            of(network.dag().n_arcs() as f64, "arc", "arcs"),
        ),
        Some(network) => format!(
            "{}: Bayesian network{title}, {}, {}, {}\n\n",
            file.path.display(),
            of(network.n_variables() as f64, "variable", "variables"),
            of(network.dag().n_arcs() as f64, "arc", "arcs"),
            of(network.n_free_parameters() as f64, "free parameter", "free parameters"),
        ),
        None => format!(
            "{}: factor graph{title}, {}, {}\n\n",
            file.path.display(),
            of(file.domain().n_variables() as f64, "variable", "variables"),
            of(file.graph().factors().len() as f64, "factor", "factors"),
        ),
    };
    let domain = file.domain();
    let most = if all { usize::MAX } else { 60 };
    let mut lines = Vec::new();
    for variable in domain.variables().take(most) {
        let states = domain.states(variable);
        let shown: Vec<&str> = states.iter().take(8).map(String::as_str).collect();
        let more = if states.len() > 8 { ", …" } else { "" };
        let states = if file.is_structure() { "not told".into() } else { format!("{}: {}{more}", states.len(), shown.join(", ")) };
        let mut line = vec![domain.name(variable).to_string(), states];
        if let Some(network) = file.network() {
            line.push(names(network, network.dag().parents(variable)));
        }
        lines.push(line);
    }
    let header: &[&str] = if file.network().is_some() { &["variable", "states", "parents"] } else { &["variable", "states"] };
    text += &table(header, &vec![Align::Left; header.len()], &lines);
    if domain.n_variables() > most {
        let _ =
            writeln!(text, "\n… and {}; --all prints them", of((domain.n_variables() - most) as f64, "more variable", "more variables"));
    }
    if file.is_structure() {
        return text;
    }
    let mut facts = Vec::new();
    if let (Some(network), Some((variable, entries))) = (file.network(), shape.largest_family) {
        let family = match network.dag().parents(variable) {
            [] => network.name(variable).to_string(),
            parents => format!("{} given {}", network.name(variable), names(network, parents)),
        };
        facts.push(vec!["largest family".into(), format!("{family}: {} in its table", of(entries, "entry", "entries"))]);
    }
    let cliques = of(shape.n_cliques as f64, "clique", "cliques");
    facts.push(vec![
        "junction tree".into(),
        format!("{cliques}, {} in all, {} in the largest", of(shape.total_entries, "entry", "entries"), count(shape.largest_clique)),
    ]);
    facts.push(vec!["treewidth".into(), format!("{} or less", shape.width)]);
    let _ = write!(text, "\n{}", table(&["", ""], &[Align::Left; 2], &facts));
    if let Some(model) = file.model() {
        let _ = writeln!(text, "\nLearned from {}, {}", of(model.n_rows(), "row", "rows"), model.prior_words());
        let facts = super::learn::facts(model);
        if !facts.is_empty() {
            text += &table(&["", "", ""], &[Align::Left, Align::Right, Align::Left], &facts);
        }
    }
    text
}

fn names(network: &Network, variables: &[VarId]) -> String {
    variables.iter().map(|variable| network.name(*variable)).collect::<Vec<_>>().join(", ")
}

/// P(variable | parents), a line for each configuration of the parents, and who is around it.
pub fn variable(network: &Network, of: VarId, model: Option<&NetworkModel>, all: bool) -> String {
    let parents = network.dag().parents(of);
    let (name, states) = (network.name(of), network.states(of));
    let kind = match network.conditional(of).kind() {
        "table" => String::new(),
        kind => format!(", {kind}"),
    };
    let mut text = match parents {
        [] => format!("P({name}){kind}\n\n"),
        _ => format!("P({name} | {}){kind}\n\n", names(network, parents)),
    };
    let columns: Vec<String> = states.iter().map(|state| format!("{name}={state}")).collect();
    let noisy = match network.conditional(of) {
        Conditional::NoisyMax(noisy) => Some(noisy),
        _ => None,
    };
    if let Some(noisy) = noisy {
        text += &parameters(network, parents, noisy, &columns);
        if network.conditional(of).n_rows() <= if all { ALL_ROWS } else { MOST_ROWS } {
            text += "\nWhat follows for each configuration\n\n";
        } else {
            return text + &around(network, of);
        }
    }
    let seen = model.map(|model| row_weights(model, of));
    let told = seen.iter().map(|_| "rows".to_string());
    let header: Vec<String> = parents.iter().map(|parent| network.name(*parent).to_string()).chain(columns).chain(told).collect();
    let conditional = network.conditional(of);
    let n_rows = conditional.n_rows();
    let shown = n_rows.min(if all { ALL_ROWS } else { MOST_ROWS });
    let mut lines = vec![header];
    for row in 0..shown {
        let mut place = row;
        let mut line: Vec<String> = Vec::new();
        for parent in parents.iter().rev() {
            line.push(network.states(*parent)[place % network.n_states(*parent)].clone());
            place /= network.n_states(*parent);
        }
        line.reverse();
        line.extend((0..states.len()).map(|state| probability(conditional.probability(row, state))));
        line.extend(seen.iter().map(|seen| if seen[row] > 0.0 { count(seen[row]) } else { "never seen".into() }));
        lines.push(line);
    }
    let on_its_side = states.len() > MOST_COLUMNS && states.len() > shown;
    let lines = if on_its_side { turned(&lines) } else { lines };
    let n_left = if on_its_side { 1 } else { parents.len() };
    let header: Vec<&str> = lines[0].iter().map(String::as_str).collect();
    let align: Vec<Align> = (0..header.len()).map(|at| if at < n_left { Align::Left } else { Align::Right }).collect();
    text += &table(&header, &align, &lines[1..]);
    if n_rows > shown {
        let more = if all { "" } else { "; --all prints them" };
        let _ = writeln!(text, "\n… and {} more rows{more}", count((n_rows - shown) as f64));
    }
    text + &around(network, of)
}

/// What each cause of a noisy-MAX does by itself, in the states in which it does something, and what comes without any.
fn parameters(network: &Network, parents: &[VarId], noisy: &NoisyMax, columns: &[String]) -> String {
    let row = |title: String, values: &[f64]| std::iter::once(title).chain(values.iter().map(|p| probability(*p))).collect::<Vec<_>>();
    let mut lines = Vec::new();
    for (parent, cause) in parents.iter().zip(noisy.causes()) {
        for (state, name) in network.states(*parent).iter().enumerate().filter(|(state, _)| *state != cause.absent) {
            lines.push(row(format!("{}={name}", network.name(*parent)), cause.effects.row(state)));
        }
    }
    lines.push(row("leak".into(), noisy.leak()));
    let header: Vec<&str> = std::iter::once("cause, alone").chain(columns.iter().map(String::as_str)).collect();
    let align: Vec<Align> = (0..header.len()).map(|at| if at == 0 { Align::Left } else { Align::Right }).collect();
    table(&header, &align, &lines)
}

/// The variables around one.
fn around(network: &Network, of: VarId) -> String {
    let dag = network.dag();
    let around =
        [("parents", dag.parents(of).to_vec()), ("children", dag.children(of).to_vec()), ("Markov blanket", dag.markov_blanket(of))];
    let line = |(word, variables): &(&str, Vec<VarId>)| {
        vec![word.to_string(), if variables.is_empty() { "none".into() } else { names(network, variables) }]
    };
    format!("\n{}", table(&["", ""], &[Align::Left; 2], &around.iter().map(line).collect::<Vec<_>>()))
}

/// The weight of the rows that each row of a table was learned from.
fn row_weights(model: &NetworkModel, of: VarId) -> Vec<f64> {
    let families = model.posterior().families();
    let cells = &model.completed()[families.cells(of.index())];
    cells.chunks_exact(families.n_states()[of.index()]).map(|row| row.iter().sum()).collect()
}

/// The cliques of the junction tree, each with what it shares with the one above it.
pub fn junction_tree(file: &NetworkFile, tree: &tunbridge::network::TreePlan) -> String {
    let domain = file.domain();
    let list = |variables: &[VarId]| variables.iter().map(|variable| domain.name(*variable)).collect::<Vec<_>>().join(", ");
    let mut lines = Vec::new();
    for (place, clique) in tree.cliques.iter().enumerate() {
        let (above, shared) = match clique.parent {
            Some(parent) => ((parent + 1).to_string(), list(&clique.separator)),
            None => (String::new(), String::new()),
        };
        lines.push(vec![(place + 1).to_string(), list(&clique.variables), number(clique.entries), above, shared]);
    }
    let align = [Align::Right, Align::Left, Align::Right, Align::Right, Align::Left];
    table(&["clique", "variables", "entries", "above it", "shared"], &align, &lines)
}

/// Independences of pairs, each with no more given than is needed.
pub fn independences(network: &Network, found: &[Independence], all: bool) -> String {
    let mut text = match found {
        [] => return "The graph implies no independences: every two variables are joined.\n".into(),
        _ => String::from("Independences that the graph implies, with no more given than each needs; tables may add others\n\n"),
    };
    let most = if all { usize::MAX } else { 100 };
    for one in found.iter().take(most) {
        let [a, b] = one.pair.map(|variable| network.name(variable));
        let given = if one.given.is_empty() { String::new() } else { format!(" | {}", names(network, &one.given)) };
        let _ = writeln!(text, "  {a} ⟂ {b}{given}");
    }
    if found.len() > most {
        let _ = writeln!(text, "\n… and {} more; --all prints them", count((found.len() - most) as f64));
    }
    text
}

/// Which arcs all networks of the same independences share.
pub fn class(network: &Network, class: &EquivalenceClass) -> String {
    let arc = |(from, to): &(VarId, VarId), sign: &str| format!("  {} {sign} {}\n", network.name(*from), network.name(*to));
    let mut text = String::new();
    for (title, arcs, sign) in [
        ("Arcs that every network of the same independences has", class.compelled(), "→"),
        ("Arcs that go one way in some of them and the other way in others", class.reversible(), "–"),
    ] {
        let lines: String = arcs.iter().map(|one| arc(one, sign)).collect();
        let _ = write!(text, "{}{title}\n{}", if text.is_empty() { "" } else { "\n" }, if lines.is_empty() { "  none\n" } else { &lines });
    }
    text
}
