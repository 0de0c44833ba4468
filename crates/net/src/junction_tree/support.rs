//! Which configurations are possible at all. Most entries of many networks' cliques are zero whatever is observed: they are never stored.

use belief::VarId;

/// A set of configurations of some variables, by their number with the last variable fastest.
#[derive(Clone, Debug, Default)]
pub(super) struct Support {
    words: Vec<u64>,
    /// How many configurations are in the words before each.
    before: Vec<u32>,
    n_members: usize,
}

impl Support {
    /// The empty set of configurations out of so many.
    pub fn none(n_configurations: usize) -> Self {
        Self { words: vec![0; n_configurations.div_ceil(64)], before: Vec::new(), n_members: 0 }
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

    /// The number of a member among the members.
    pub fn rank(&self, configuration: usize) -> usize {
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

/// What a walk does at a configuration.
pub(super) enum Then {
    /// Go on with the next configuration.
    GoOn,
    /// Go on with the next configuration of the separator.
    NextOfSeparator,
}

/// A configuration that all rules allow.
pub(super) struct Found<'a> {
    /// Where each thing that is watched stands.
    pub places: &'a [usize],
    /// The product of the factors' entries.
    pub product: f64,
    /// The first variable of the clique whose state is not that of the configuration found before.
    pub changed: usize,
}

/// Walks the configurations of a clique that the rules allow, in order, the last variable fastest. Gives how many partial configurations were
/// looked at, or `None` when they were more than `limit`.
pub(super) fn walk(
    scope: &[VarId],
    n_shared: usize,
    n_states: &[usize],
    watched: &[Watched],
    limit: usize,
    mut visit: impl FnMut(Found) -> Then,
) -> Option<usize> {
    let n_things = watched.len();
    let depth_of = |variable: &VarId| scope.iter().position(|other| other == variable).expect("a variable of the clique");
    // For every depth, how far each thing steps when the variable there does, and what is complete then.
    let mut steps = vec![0; n_things * scope.len()];
    let mut complete: Vec<Vec<usize>> = vec![Vec::new(); scope.len() + 1];
    for (thing, watched) in watched.iter().enumerate() {
        let mut stride = 1;
        for variable in watched.scope.iter().rev() {
            steps[depth_of(variable) * n_things + thing] = stride;
            stride *= n_states[variable.index()];
        }
        complete[watched.scope.iter().map(|variable| depth_of(variable) + 1).max().unwrap_or(0)].push(thing);
    }
    let mut places = vec![0; n_things * (scope.len() + 1)];
    let mut products = vec![1.0; scope.len() + 1];
    let mut states = vec![0; scope.len()];
    let allowed = |depth: usize, places: &[usize], product: f64| {
        let mut product = product;
        for &thing in &complete[depth] {
            match watched[thing].rule {
                Rule::Factor(values) => {
                    let value = values[places[thing]];
                    if value == 0.0 {
                        return None;
                    }
                    product *= value;
                }
                Rule::Within(support) => {
                    if !support.contains(places[thing]) {
                        return None;
                    }
                }
                Rule::Place => {}
            }
        }
        Some(product)
    };
    let mut n_looked_at = 1;
    let Some(product) = allowed(0, &places, 1.0) else { return Some(n_looked_at) };
    products[0] = product;
    let (mut depth, mut changed) = (0, 0);
    loop {
        if depth == scope.len() {
            depth = match visit(Found { places: &places[depth * n_things..], product: products[depth], changed }) {
                Then::GoOn => scope.len(),
                Then::NextOfSeparator => n_shared,
            };
            // The next state of the variable above.
            if !next(&mut depth, &mut states) {
                return Some(n_looked_at);
            }
            changed = depth;
        }
        let variable = scope[depth];
        if states[depth] == n_states[variable.index()] {
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
                if depth < scope.len() {
                    states[depth] = 0;
                }
            }
            None => states[depth] += 1,
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
    fn a_walk_meets_what_is_allowed() {
        let [a, b] = [VarId::new(0), VarId::new(1)];
        let watched =
            [Watched { scope: &[b, a], rule: Rule::Factor(&[0.5, 0.0, 0.25, 1.0, 0.0, 2.0]) }, Watched { scope: &[a], rule: Rule::Place }];
        let mut met = Vec::new();
        let mut visit = |found: Found| {
            met.push((found.places.to_vec(), found.product, found.changed));
            Then::GoOn
        };
        let n_looked_at = walk(&[a, b], 1, &[2, 3], &watched, 100, &mut visit).unwrap();
        assert_eq!(n_looked_at, 1 + 2 + 6);
        assert_eq!(met, [(vec![0, 0], 0.5, 0), (vec![2, 0], 0.25, 1), (vec![3, 1], 1.0, 0), (vec![5, 1], 2.0, 1)]);
        let mut n_met = 0;
        let mut once = |_: Found| {
            n_met += 1;
            Then::NextOfSeparator
        };
        walk(&[a, b], 1, &[2, 3], &watched, 100, &mut once).unwrap();
        assert_eq!(n_met, 2);
        assert!(walk(&[a, b], 1, &[2, 3], &watched, 5, |_| Then::GoOn).is_none());
    }

    #[test]
    fn no_variables_have_one_configuration() {
        let mut n_met = 0;
        let mut visit = |_: Found| {
            n_met += 1;
            Then::NextOfSeparator
        };
        walk(&[], 0, &[], &[], 10, &mut visit).unwrap();
        assert_eq!(n_met, 1);
    }
}
