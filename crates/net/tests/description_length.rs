//! Description lengths of networks of any distributions.

use std::sync::Arc;

use belief::hypotheses::DescriptionLength;
use belief::{Chunk, Codes, Column, SufficientStatistic};
use tunbridge_net::parameters::{Families, FamilyCounts};
use tunbridge_net::{
    Conditional, ConditionalTable, ConditionalTree, Domain, Network, Structure, TreeNode, VarId, description_length, log_likelihood,
};

/// Rain, whether there is an umbrella, wind, and whether one gets wet: without rain nothing else matters.
fn structure() -> Structure {
    let mut structure = Structure::new(["Rain", "Umbrella", "Wind", "Wet"]).unwrap();
    for parent in ["Rain", "Umbrella", "Wind"] {
        structure.add_arc(parent, "Wet").unwrap();
    }
    structure
}

const STATES: [&str; 2] = ["yes", "no"];

fn network(wet: Conditional) -> Network {
    let domain = Domain::new(structure().names().iter().map(|name| (name.clone(), STATES.map(String::from).to_vec()))).unwrap();
    let half = || Conditional::Table(ConditionalTable::new(2, vec![0.5, 0.5]).unwrap());
    let parents = vec![vec![], vec![], vec![], (0..3).map(VarId::new).collect()];
    Network::from_conditionals(domain, parents, vec![half(), half(), half(), wet]).unwrap()
}

fn tree() -> ConditionalTree {
    let test = |parent, yes, no| TreeNode::Test { parent, branches: vec![yes, no] };
    let leaf = |p: f64| TreeNode::Leaf(vec![p, 1.0 - p]);
    ConditionalTree::new(2, vec![2, 2, 2], vec![test(0, 1, 2), test(1, 3, 4), leaf(0.25), leaf(0.5), leaf(0.75)]).unwrap()
}

/// Four rows for each configuration of the parents, in which Wet is as frequent as the tree has it.
fn rows() -> Vec<[usize; 4]> {
    let mut rows = Vec::new();
    for place in 0..8 {
        let parents = [place >> 2 & 1, place >> 1 & 1, place & 1];
        let n_wet = match parents {
            [1, ..] => 1,
            [0, 0, _] => 2,
            _ => 3,
        };
        rows.extend((0..4).map(|nth| [parents[0], parents[1], parents[2], usize::from(nth >= n_wet)]));
    }
    rows
}

/// A tree says the same as its table with fewer parameters: three leaves for eight rows. ½ log₂ 32 is 2.5 bits a parameter; the tree's shape is five bits,
/// and which of three and then of two parents is tested.
#[test]
fn a_tree_is_shorter_than_its_table() {
    let tree = tree();
    let table = Conditional::Table(ConditionalTable::new(2, Conditional::Tree(tree.clone()).to_values().unwrap().to_vec()).unwrap());
    let rows = rows();
    let of = |network: &Network| {
        let ln = log_likelihood(network, rows.iter().map(|row| &row[..])).unwrap().total;
        description_length(network, ln, rows.len() as f64)
    };
    let (of_tree, of_table) = (of(&network(Conditional::Tree(tree))), of(&network(table)));
    assert!((of_tree.data - of_table.data).abs() < 1e-9);
    let shape = 5.0 + 3_f64.log2() + 1.0;
    assert!((of_table.hypothesis - of_tree.hypothesis - (5.0 * 2.5 - shape)).abs() < 1e-9);
    assert!(of_tree.bits() < of_table.bits());
}

/// With the tables of maximum likelihood it is the length that is made of counts.
#[test]
fn by_tables_and_by_counts_it_is_the_same() {
    let rows = rows();
    let columns: Vec<Vec<u8>> = (0..4).map(|place| rows.iter().map(|row| row[place] as u8).collect()).collect();
    let columns: Vec<Column<'_>> = columns.iter().map(|codes| Column::Categorical { codes: Codes::U8(codes), n_states: 2 }).collect();
    let mut counts = FamilyCounts::empty(Arc::new(Families::new(structure().dag(), vec![2; 4]).unwrap()));
    counts.observe(Chunk { first_row: 0, n_rows: rows.len(), columns: &columns, weights: None }).unwrap();
    let by_counts = tunbridge_net::parameters::description_length(&counts);
    let table = ConditionalTable::new(2, Conditional::Tree(tree()).to_values().unwrap().to_vec()).unwrap();
    let network = network(Conditional::Table(table));
    let ln = log_likelihood(&network, rows.iter().map(|row| &row[..])).unwrap().total;
    let by_tables = description_length(&network, ln, rows.len() as f64);
    assert!((by_counts.hypothesis - by_tables.hypothesis).abs() < 1e-9, "{by_counts:?} {by_tables:?}");
    assert!((by_counts.data - by_tables.data).abs() < 1e-9, "{by_counts:?} {by_tables:?}");
}
