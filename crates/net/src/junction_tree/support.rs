//! Which configurations are possible at all. Most entries of many networks' cliques are zero whatever is observed: they are never stored.

use belief::VarId;

/// A set of configurations of some variables, by their number with the last variable fastest.
#[derive(Clone, Debug, Default)]
pub(super) struct Support {
    words: Vec<u64>,
    /// How many configurations are in the words before each.
    before: Vec<u32>,
    n_members: usize,
    n_configurations: usize,
}

impl Support {
    /// The empty set of configurations out of so many.
    pub fn none(n_configurations: usize) -> Self {
        Self { words: vec![0; n_configurations.div_ceil(64)], before: Vec::new(), n_members: 0, n_configurations }
    }

    /// All of so many configurations, numbered.
    pub fn all(n_configurations: usize) -> Self {
        let mut support = Self { words: vec![!0; n_configurations.div_ceil(64)], ..Self::none(n_configurations) };
        if let (Some(last), used @ 1..) = (support.words.last_mut(), n_configurations % 64) {
            *last = (1 << used) - 1;
        }
        support.number();
        support
    }

    /// Adds one. [`Self::number`] must be called before ranks are asked for.
    pub fn insert(&mut self, configuration: usize) {
        self.words[configuration / 64] |= 1 << (configuration % 64);
    }

    /// Whether it is in.
    pub fn contains(&self, configuration: usize) -> bool {
        self.words[configuration / 64] >> (configuration % 64) & 1 == 1
    }

    /// Numbers the members.
    pub fn number(&mut self) {
        self.before = Vec::with_capacity(self.words.len());
        self.n_members = 0;
        for word in &self.words {
            self.before.push(self.n_members as u32);
            self.n_members += word.count_ones() as usize;
        }
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.n_members
    }

    /// Whether nothing is left out. Known once the members are numbered.
    pub fn is_full(&self) -> bool {
        self.n_members == self.n_configurations
    }

    /// The number of a member among the members.
    pub fn rank(&self, configuration: usize) -> usize {
        if self.is_full() {
            return configuration;
        }
        let (word, bit) = (configuration / 64, configuration % 64);
        self.before[word] as usize + (self.words[word] & ((1 << bit) - 1)).count_ones() as usize
    }
}

/// Something over some of a clique's variables: where it stands as the clique's configuration changes, and whether it forbids it.
pub(super) struct Watched<'a> {
    /// Its variables, the last fastest.
    pub scope: &'a [VarId],
    pub rule: Rule<'a>,
}

/// What is asked of a configuration as soon as all variables of something are set.
pub(super) enum Rule<'a> {
    /// The entry is above zero; it is multiplied in.
    Factor(&'a [f64]),
    /// It is in the set.
    Within(&'a Support),
    /// Nothing; only where it stands is wanted.
    Place,
}

/// What a walk does after a row.
pub(super) enum Then {
    /// Go on with the next row.
    GoOn,
    /// Go on with the next configuration of the separator.
    NextOfSeparator,
}

/// All states of a clique's last variable while the others are in states that the rules allow.
pub(super) struct Row<'a> {
    /// Where each thing that is watched stands in the first state.
    pub places: &'a [usize],
    /// How far each steps from state to state.
    pub steps: &'a [usize],
    /// The product of the factors' entries in each state; zero where a rule forbids it, and only there.
    pub products: &'a [f64],
    /// The first variable of the clique whose state is not that of the row before.
    pub changed: usize,
}

impl Row<'_> {
    /// The states that no rule forbids.
    pub fn possible(&self) -> impl Iterator<Item = usize> + '_ {
        self.products.iter().enumerate().filter(|(_, product)| **product != 0.0).map(|(state, _)| state)
    }
}

/// Stands for products that are above zero and too small for a double.
const FAINTEST: f64 = 5e-324;

/// Walks the configurations of a clique that the rules allow, row by row, in order, the last variable fastest. Rows that are forbidden as a whole are passed
/// over. Gives how many partial configurations were looked at, or `None` when they were more than `limit`.
pub(super) fn walk(
    scope: &[VarId],
    n_shared: usize,
    n_states: &[usize],
    watched: &[Watched],
    limit: usize,
    mut visit: impl FnMut(Row) -> Then,
) -> Option<usize> {
    let n_things = watched.len();
    let n_outer = scope.len().saturating_sub(1);
    let n_last = scope.last().map_or(1, |last| n_states[last.index()]);
    let depth_of = |variable: &VarId| scope.iter().position(|other| other == variable).expect("a variable of the clique");
    // For every depth, how far each thing steps when the variable there does, and what is complete then.
    let mut steps = vec![0; n_things * (n_outer + 1)];
    let mut complete: Vec<Vec<usize>> = vec![Vec::new(); n_outer + 1];
    let mut with_last = Vec::new();
    for (thing, watched) in watched.iter().enumerate() {
        let mut stride = 1;
        for variable in watched.scope.iter().rev() {
            steps[depth_of(variable) * n_things + thing] = stride;
            stride *= n_states[variable.index()];
        }
        match watched.scope.iter().map(|variable| depth_of(variable) + 1).max().unwrap_or(0) {
            depth if depth > n_outer => with_last.push(thing),
            depth => complete[depth].push(thing),
        }
    }
    let mut places = vec![0; n_things * (n_outer + 1)];
    let mut products = vec![1.0; n_outer + 1];
    let mut states = vec![0; n_outer];
    let mut row = vec![0.0; n_last];
    let allowed = |depth: usize, places: &[usize], product: f64| {
        complete[depth].iter().try_fold(product, |product, &thing| watched[thing].rule.allows(places[thing], product))
    };
    let mut n_looked_at = 1;
    let Some(product) = allowed(0, &places, 1.0) else { return Some(n_looked_at) };
    products[0] = product;
    let (mut depth, mut changed) = (0, 0);
    loop {
        if depth == n_outer {
            n_looked_at += n_last;
            if n_looked_at > limit {
                return None;
            }
            let (places, steps) = (&places[depth * n_things..], &steps[depth * n_things..]);
            row.fill(products[depth]);
            with_last.iter().for_each(|&thing| watched[thing].rule.restrict(&mut row, places[thing], steps[thing]));
            if row.iter().any(|&product| product != 0.0) {
                let then = visit(Row { places, steps, products: &row, changed });
                changed = depth;
                if let Then::NextOfSeparator = then {
                    depth = n_shared.min(depth);
                }
            }
            if !next(&mut depth, &mut states) {
                return Some(n_looked_at);
            }
            changed = changed.min(depth);
        }
        if states[depth] == n_states[scope[depth].index()] {
            states[depth] = 0;
            if !next(&mut depth, &mut states) {
                return Some(n_looked_at);
            }
            changed = changed.min(depth);
            continue;
        }
        n_looked_at += 1;
        if n_looked_at > limit {
            return None;
        }
        let state = states[depth];
        let (above, below) = places.split_at_mut((depth + 1) * n_things);
        let (above, below) = (&above[depth * n_things..], &mut below[..n_things]);
        let steps = &steps[depth * n_things..][..n_things];
        for ((below, above), step) in below.iter_mut().zip(above).zip(steps) {
            *below = above + step * state;
        }
        match allowed(depth + 1, below, products[depth]) {
            Some(product) => {
                products[depth + 1] = product;
                depth += 1;
                if depth < n_outer {
                    states[depth] = 0;
                }
            }
            None => states[depth] += 1,
        }
    }
}

impl Rule<'_> {
    /// What a product becomes with the entry at a place; nothing when that is forbidden.
    fn allows(&self, place: usize, product: f64) -> Option<f64> {
        match self {
            Self::Factor(values) => Some(values[place]).filter(|&value| value != 0.0).map(|value| (product * value).max(FAINTEST)),
            Self::Within(support) => support.contains(place).then_some(product),
            Self::Place => Some(product),
        }
    }

    /// The same for a row that begins at a place and steps on.
    fn restrict(&self, row: &mut [f64], place: usize, step: usize) {
        match self {
            Self::Factor(values) => {
                for (product, &value) in row.iter_mut().zip(values[place..].iter().step_by(step.max(1))) {
                    let with = *product * value;
                    *product = if with == 0.0 && *product != 0.0 && value != 0.0 { FAINTEST } else { with };
                }
            }
            Self::Within(support) if support.is_full() => {}
            Self::Within(support) => {
                for (state, product) in row.iter_mut().enumerate() {
                    if !support.contains(place + state * step) {
                        *product = 0.0;
                    }
                }
            }
            Self::Place => {}
        }
    }
}

/// Goes back to the variable before `depth` and to its next state; `false` at the end.
fn next(depth: &mut usize, states: &mut [usize]) -> bool {
    if *depth == 0 {
        return false;
    }
    *depth -= 1;
    states[*depth] += 1;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_numbered_in_order() {
        let mut support = Support::none(200);
        [3, 64, 65, 199].into_iter().for_each(|member| support.insert(member));
        support.number();
        assert_eq!(support.len(), 4);
        assert_eq!([3, 64, 65, 199].map(|member| support.rank(member)), [0, 1, 2, 3]);
        assert!(support.contains(65) && !support.contains(66));
    }

    #[test]
    fn all_are_members() {
        for n_configurations in [1, 63, 64, 65, 128] {
            let all = Support::all(n_configurations);
            assert!(all.is_full() && all.contains(n_configurations - 1));
            assert_eq!(all.rank(n_configurations - 1), n_configurations - 1);
        }
    }

    #[test]
    fn a_walk_meets_what_is_allowed() {
        let [a, b] = [VarId::new(0), VarId::new(1)];
        let watched =
            [Watched { scope: &[b, a], rule: Rule::Factor(&[0.5, 0.0, 0.25, 1.0, 0.0, 2.0]) }, Watched { scope: &[a], rule: Rule::Place }];
        let mut met = Vec::new();
        let mut visit = |row: Row| {
            met.push((row.places.to_vec(), row.steps.to_vec(), row.products.to_vec(), row.changed));
            Then::GoOn
        };
        let n_looked_at = walk(&[a, b], 1, &[2, 3], &watched, 100, &mut visit).unwrap();
        assert_eq!(n_looked_at, 1 + 2 + 6);
        let rows = [(vec![0, 0], vec![2, 0], vec![0.5, 0.25, 0.0], 0), (vec![1, 1], vec![2, 0], vec![0.0, 1.0, 2.0], 0)];
        assert_eq!(met, rows);
        assert!(walk(&[a, b], 1, &[2, 3], &watched, 5, |_| Then::GoOn).is_none());
    }

    #[test]
    fn a_separator_needs_one_row() {
        let [a, b, c] = [VarId::new(0), VarId::new(1), VarId::new(2)];
        let mut n_met = 0;
        let mut once = |_: Row| {
            n_met += 1;
            Then::NextOfSeparator
        };
        walk(&[a, b, c], 1, &[2, 3, 2], &[], 100, &mut once).unwrap();
        assert_eq!(n_met, 2);
    }

    #[test]
    fn products_too_small_are_not_zero() {
        let scope = [VarId::new(0)];
        let watched = || Watched { scope: &scope, rule: Rule::Factor(&[1e-200, 0.0]) };
        let mut met = Vec::new();
        let mut visit = |row: Row| {
            met.extend_from_slice(row.products);
            Then::GoOn
        };
        walk(&scope, 0, &[2], &[watched(), watched()], 100, &mut visit).unwrap();
        assert_eq!(met, [FAINTEST, 0.0]);
    }

    #[test]
    fn no_variables_have_one_configuration() {
        let mut n_met = 0;
        let mut visit = |row: Row| {
            n_met += row.products.len();
            Then::NextOfSeparator
        };
        walk(&[], 0, &[], &[], 10, &mut visit).unwrap();
        assert_eq!(n_met, 1);
    }
}
