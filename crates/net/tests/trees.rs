//! Chow–Liu, tree-augmented and k-dependence structures against brute force, worked examples and the identity they rest on.

use belief::{Chunk, Codes, Column, Kind, Role, Schema, States, SufficientStatistic, Variable};
use proptest::prelude::*;
use tunbridge_net::{
    ArcPenalty, NetError, PairCounts, VarId, chow_liu, conditional_mutual_information, entropies, k_dependence, mutual_information,
    mutual_information_with_class, tree_augmented,
};

/// A table of codes, column by column; 255 is missing.
#[derive(Clone, Debug)]
struct Table {
    n_states: Vec<usize>,
    columns: Vec<Vec<u8>>,
}

impl Table {
    fn new(n_states: &[usize], columns: &[&[u8]]) -> Self {
        Self { n_states: n_states.to_vec(), columns: columns.iter().map(|codes| codes.to_vec()).collect() }
    }

    fn n_rows(&self) -> usize {
        self.columns[0].len()
    }

    fn schema(&self) -> Schema {
        let states = |n: usize| Kind::Categorical(States::declared((0..n).map(|state| state.to_string()).collect(), false).unwrap());
        let variables = self.n_states.iter().enumerate();
        Schema::new(variables.map(|(place, n)| Variable { name: format!("V{place}"), kind: states(*n), role: Role::Input }).collect())
            .unwrap()
    }

    fn counts(&self, target: Option<usize>) -> PairCounts {
        let places: Vec<VarId> = (0..self.n_states.len()).map(VarId::new).collect();
        let mut counts = PairCounts::empty(&places, target.map(VarId::new), &self.n_states);
        let columns = self.columns.iter().zip(&self.n_states);
        let columns: Vec<Column<'_>> = columns.map(|(codes, n)| Column::Categorical { codes: Codes::U8(codes), n_states: *n }).collect();
        counts.observe(Chunk { first_row: 0, n_rows: self.n_rows(), columns: &columns, weights: None }).unwrap();
        counts
    }

    /// The frequency of every row that occurs.
    fn joint(&self) -> Vec<(Vec<u8>, f64)> {
        let mut rows: Vec<Vec<u8>> = (0..self.n_rows()).map(|row| self.columns.iter().map(|codes| codes[row]).collect()).collect();
        rows.sort();
        let p = 1.0 / rows.len() as f64;
        let mut joint: Vec<(Vec<u8>, f64)> = Vec::new();
        for row in rows {
            match joint.last_mut() {
                Some((last, sum)) if *last == row => *sum += p,
                _ => joint.push((row, p)),
            }
        }
        joint
    }

    /// How often some columns are as they are in a row, as a part of all.
    fn p(&self, row: &[u8], columns: &[usize]) -> f64 {
        let fits = |at: &usize| columns.iter().all(|c| self.columns[*c][*at] == row[*c]);
        (0..self.n_rows()).filter(fits).count() as f64 / self.n_rows() as f64
    }

    /// Σ p ln p(row under the network whose parents these are), with the frequencies of its families.
    fn log_likelihood(&self, parents: &[Vec<usize>]) -> f64 {
        let of_family = |row: &[u8], child: usize| {
            let mut family = parents[child].clone();
            let above = self.p(row, &family);
            family.push(child);
            (self.p(row, &family) / above).ln()
        };
        self.joint().iter().map(|(row, p)| p * (0..row.len()).map(|child| of_family(row, child)).sum::<f64>()).sum()
    }
}

fn parents_of(structure: &tunbridge_net::Structure) -> Vec<Vec<usize>> {
    let dag = structure.dag();
    dag.variables().map(|child| dag.parents(child).iter().map(|parent| parent.index()).collect()).collect()
}

fn tables(n_variables: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Table> {
    (proptest::collection::vec(2..4_usize, n_variables), 1..60_usize, any::<u64>()).prop_map(|(n_states, n_rows, seed)| {
        let mut state = seed;
        let mut next = |n: usize| {
            state = state.wrapping_add(1);
            belief::split_mix(state) as usize % n
        };
        let mut columns = vec![Vec::new(); n_states.len()];
        for _ in 0..n_rows {
            for (place, n) in n_states.iter().enumerate() {
                // A variable goes by an earlier one half of the time, so that there is something to find.
                let earlier = (place > 0 && next(2) == 0).then(|| next(place));
                let code = earlier.map_or_else(|| next(*n), |earlier: usize| usize::from(*columns[earlier].last().unwrap()) % n);
                columns[place].push(code as u8);
            }
        }
        Table { n_states, columns }
    })
}

/// Every tree over n variables, directed away from the first, by trying all parents.
fn all_trees(n: usize) -> Vec<Vec<Vec<usize>>> {
    let n_choices = n.pow(n as u32 - 1);
    let mut trees = Vec::new();
    for code in 0..n_choices {
        let parents: Vec<usize> = (0..n as u32 - 1).map(|digit| code / n.pow(digit) % n).collect();
        let leads_up = |from: usize| {
            let mut at = from;
            for _ in 0..n {
                if at == 0 {
                    return true;
                }
                at = parents[at - 1];
            }
            false
        };
        if (1..n).all(leads_up) {
            trees.push((0..n).map(|child| if child == 0 { vec![] } else { vec![parents[child - 1]] }).collect());
        }
    }
    trees
}

#[test]
fn there_are_as_many_trees_as_cayley_says() {
    assert_eq!([2, 3, 4, 5, 6].map(|n| all_trees(n).len()), [1, 3, 16, 125, 1296]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_tree_is_closer_to_the_data(table in tables(2..=5)) {
        let found = chow_liu(&table.counts(None), &table.schema(), ArcPenalty::None, None).unwrap();
        let of_found = table.log_likelihood(&parents_of(&found.structure));
        let best = all_trees(table.n_states.len()).iter().map(|tree| table.log_likelihood(tree)).fold(f64::NEG_INFINITY, f64::max);
        prop_assert!((of_found - best).abs() < 1e-12, "{} {}", of_found, best);
    }

    /// KL(P ‖ T) = −Σ I + Σ H − H(P), Chow & Liu 1968, for the tree that was found.
    #[test]
    fn the_distance_of_a_tree_is_what_its_information_leaves(table in tables(2..=5)) {
        let counts = table.counts(None);
        let found = chow_liu(&counts, &table.schema(), ArcPenalty::None, Some(VarId::new(1))).unwrap();
        let entropy: f64 = table.joint().iter().map(|(_, p)| -p * p.ln()).sum();
        let distance = -entropy - table.log_likelihood(&parents_of(&found.structure));
        let information: f64 = found.arcs.iter().map(|arc| arc.information).sum();
        prop_assert_eq!(found.arcs.len(), table.n_states.len() - 1);
        prop_assert!(found.structure.dag().parents(VarId::new(1)).is_empty());
        prop_assert!((distance - (entropies(&counts).iter().sum::<f64>() - information - entropy)).abs() < 1e-12);
    }

    /// Of all trees among the attributes, with the class above all of them.
    #[test]
    fn no_augmenting_tree_is_likelier(table in tables(3..=5), class in 0..3_usize) {
        let found = tree_augmented(&table.counts(Some(class)), &table.schema(), ArcPenalty::None, None).unwrap();
        let attributes: Vec<usize> = (0..table.n_states.len()).filter(|place| *place != class).collect();
        let with_class = |tree: &Vec<Vec<usize>>| {
            let mut parents = vec![Vec::new(); table.n_states.len()];
            for (attribute, above) in attributes.iter().zip(tree) {
                parents[*attribute] = std::iter::once(class).chain(above.iter().map(|parent| attributes[*parent])).collect();
            }
            table.log_likelihood(&parents)
        };
        let best = all_trees(attributes.len()).iter().map(with_class).fold(f64::NEG_INFINITY, f64::max);
        let parents = parents_of(&found.structure);
        prop_assert!((table.log_likelihood(&parents) - best).abs() < 1e-12);
        prop_assert!(attributes.iter().all(|attribute| parents[*attribute][0] == class));
        prop_assert!(parents[class].is_empty());
    }

    #[test]
    fn a_k_dependence_classifier_keeps_to_its_recipe(table in tables(3..=6), k in 0..4_usize) {
        let class = table.n_states.len() / 2;
        let counts = table.counts(Some(class));
        let parents = parents_of(&k_dependence(&counts, &table.schema(), k).unwrap());
        let (of_class, given_class) = (mutual_information_with_class(&counts), conditional_mutual_information(&counts));
        let place = |attribute: usize| counts.variables()[attribute].index();
        for attribute in 0..counts.n_variables() {
            let before: Vec<usize> = (0..counts.n_variables())
                .filter(|other| of_class[*other] > of_class[attribute] || (of_class[*other] == of_class[attribute] && *other < attribute))
                .collect();
            let own = &parents[place(attribute)];
            prop_assert_eq!(own[0], class);
            prop_assert_eq!(own.len(), 1 + k.min(before.len()));
            // Nobody who was left out tells more than one who was taken.
            let told = |other: &usize| given_class.get(attribute, *other);
            let (taken, left): (Vec<usize>, Vec<usize>) = before.iter().partition(|other| own.contains(&place(**other)));
            prop_assert_eq!(taken.len(), own.len() - 1);
            prop_assert!(taken.iter().all(|taken| left.iter().all(|left| told(taken) >= told(left))));
        }
    }
}

/// Six variables, all 1,296 trees.
#[test]
fn the_tree_of_six_variables_is_the_best_of_all() {
    let mut seed = 11_u64;
    let mut next = move || {
        seed += 1;
        belief::split_mix(seed)
    };
    let mut columns: Vec<Vec<u8>> = vec![Vec::new(); 6];
    for _ in 0..40 {
        let shared = next() % 3;
        for column in &mut columns {
            column.push(if next() % 3 == 0 { (next() % 2) as u8 } else { u8::from(shared > 0) });
        }
    }
    let table = Table { n_states: vec![2; 6], columns };
    let found = chow_liu(&table.counts(None), &table.schema(), ArcPenalty::None, None).unwrap();
    let best = all_trees(6).iter().map(|tree| table.log_likelihood(tree)).fold(f64::NEG_INFINITY, f64::max);
    assert!((table.log_likelihood(&parents_of(&found.structure)) - best).abs() < 1e-12);
}

#[test]
fn a_penalty_leaves_out_what_chance_would_give() {
    // B is A but for one row in eight; C goes by neither.
    let a: Vec<u8> = (0..64).map(|row| (row % 2) as u8).collect();
    let b: Vec<u8> = (0..64).map(|row| (row % 2) as u8 ^ u8::from(row % 8 == 0)).collect();
    let c: Vec<u8> = (0..64).map(|row| (row / 16 % 2) as u8 ^ u8::from(row == 5)).collect();
    let table = Table::new(&[2, 2, 2], &[&a, &b, &c]);
    let (counts, schema) = (table.counts(None), table.schema());
    let arcs = |penalty| chow_liu(&counts, &schema, penalty, None).unwrap().structure.dag().n_arcs();
    assert_eq!([ArcPenalty::None, ArcPenalty::Bic, ArcPenalty::Aic, ArcPenalty::Nats(0.0)].map(arcs), [2, 1, 1, 2]);
    let gain = 64.0 * mutual_information(&counts).get(0, 1);
    assert_eq!([gain - 1e-9, gain + 1e-9].map(|nats| arcs(ArcPenalty::Nats(nats))), [1, 0]);
    assert_eq!(chow_liu(&counts, &schema, ArcPenalty::Nats(-1.0), None), Err(NetError::NotAPenalty { found: -1.0 }));
}

/// Rows that lack one of a pair say nothing of it, and a column without values is tied to the first by nothing.
#[test]
fn missing_values_are_left_out_pair_by_pair() {
    let table = Table::new(&[2, 2, 2], &[&[0, 0, 1, 1, 255], &[0, 0, 1, 255, 1], &[255; 5]]);
    let information = mutual_information(&table.counts(None));
    // Rows (0, 0) twice and (1, 1) once: H(1/3).
    assert!((information.get(0, 1) - (3.0_f64.ln() - 2.0 / 3.0 * 2.0_f64.ln())).abs() < 1e-15);
    assert_eq!((information.get(0, 2), information.get(1, 2)), (0.0, 0.0));
    let tree = chow_liu(&table.counts(None), &table.schema(), ArcPenalty::None, None).unwrap();
    assert_eq!(parents_of(&tree.structure), [vec![], vec![0], vec![0]]);
    let forest = chow_liu(&table.counts(None), &table.schema(), ArcPenalty::Aic, None).unwrap();
    assert_eq!(parents_of(&forest.structure), [vec![], vec![0], vec![]]);
}

#[test]
fn what_cannot_be_is_said() {
    let table = Table::new(&[2, 2], &[&[0, 1], &[0, 1]]);
    let (plain, of_class, schema) = (table.counts(None), table.counts(Some(1)), table.schema());
    assert_eq!(tree_augmented(&plain, &schema, ArcPenalty::None, None), Err(NetError::NoClass));
    assert_eq!(k_dependence(&plain, &schema, 1), Err(NetError::NoClass));
    assert_eq!(
        tree_augmented(&of_class, &schema, ArcPenalty::None, Some(VarId::new(1))),
        Err(NetError::UnknownVariable { name: "V1".into() })
    );
    let lonely = chow_liu(&PairCounts::empty(&[], None, &[]), &schema, ArcPenalty::None, None).unwrap();
    assert_eq!(lonely.structure.names().len(), 0);
    let only_class = tree_augmented(&PairCounts::empty(&[], Some(VarId::new(0)), &[2, 2]), &schema, ArcPenalty::None, None).unwrap();
    assert_eq!(only_class.structure.names(), ["V0"]);
}
