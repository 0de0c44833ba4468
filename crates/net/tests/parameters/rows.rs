//! Rows for tests, and the obvious ways of counting them.

use belief::{Chunk, Codes, Column, Rng, random_stream};
use tunbridge_net::parameters::Families;
use tunbridge_net::{Network, RandomShape, random_network};

/// Rows of states, some of them missing.
pub type Rows = Vec<Vec<Option<usize>>>;

/// A network of tables without zeros.
pub fn some_network(seed: u64, n_variables: usize) -> Network {
    let shape = RandomShape {
        n_variables,
        max_parents: 3,
        states: 2..=3,
        p_arc: 0.4,
        p_deterministic: 0.0,
        p_zero: 0.0,
        p_deterministic_kind: 0.0,
        p_noisy_max: 0.0,
        p_tree: 0.0,
    };
    random_network(seed, &shape).unwrap()
}

pub fn uniform(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Rows drawn from a network, of which values are then lost by lot, and hidden variables always.
pub fn drawn(network: &Network, n_rows: usize, seed: u64, p_missing: f64, hidden: &[usize]) -> Rows {
    let mut rng = random_stream(seed, 0);
    let order = network.dag().topological_order();
    let draw = |_| {
        let mut row = vec![0; network.n_variables()];
        for variable in &order {
            let mut left = uniform(&mut rng);
            let n_states = network.n_states(*variable);
            row[variable.index()] = n_states - 1;
            for state in 0..n_states {
                let mut candidate = row.clone();
                candidate[variable.index()] = state;
                left -= network.local_probability(*variable, &candidate);
                if left < 0.0 {
                    row[variable.index()] = state;
                    break;
                }
            }
        }
        let is_lost = |place: &usize| hidden.contains(place);
        row.into_iter().enumerate().map(|(place, state)| (uniform(&mut rng) >= p_missing && !is_lost(&place)).then_some(state)).collect()
    };
    (0..n_rows).map(draw).collect()
}

/// Shows rows as a chunk; columns of which every value is missing are absent where asked.
pub fn with_chunk<R>(
    families: &Families,
    rows: &[Vec<Option<usize>>],
    first_row: u64,
    weights: Option<&[f64]>,
    see: impl FnOnce(Chunk<'_>) -> R,
) -> R {
    let codes: Vec<Vec<u8>> =
        (0..families.len()).map(|v| rows.iter().map(|row| row[v].map_or(u8::MAX, |state| state as u8)).collect()).collect();
    let column = |v: usize| match rows.iter().all(|row| row[v].is_none()) {
        true => Column::Absent,
        false => Column::Categorical { codes: Codes::U8(&codes[v]), n_states: families.n_states()[v] },
    };
    let columns: Vec<Column<'_>> = (0..families.len()).map(column).collect();
    see(Chunk { first_row, n_rows: rows.len(), columns: &columns, weights })
}

/// The place of a family's configuration in its table.
pub fn place(families: &Families, of: usize, row: &[usize]) -> usize {
    families.cells(of).start + families.scope(of).fold(0, |place, v| place * families.n_states()[v] + row[v])
}

/// All rows without gaps that a row with gaps may be.
pub fn completions(families: &Families, row: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for (v, state) in row.iter().enumerate() {
        let states: Vec<usize> = state.map_or_else(|| (0..families.n_states()[v]).collect(), |state| vec![state]);
        all = all.iter().flat_map(|begun: &Vec<usize>| states.iter().map(|s| [&begun[..], &[*s]].concat()).collect::<Vec<_>>()).collect();
    }
    all
}
