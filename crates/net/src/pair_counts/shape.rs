//! Where the counts of a pair of variables stand among those of all pairs.

/// Numbers of states, and the places that follow from them.
///
/// The counts of a pair i < j are a table for each class, one after another, with the states of i as rows and those of j as columns. Pairs
/// stand by i, then by j.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    n_classes: usize,
    n_states: Vec<usize>,
    /// States of all variables before each, and of all.
    states_before: Vec<usize>,
    /// Pairs of states with an earlier variable, before each variable, and of all.
    pairs_before: Vec<usize>,
}

impl Shape {
    pub(super) fn new(n_classes: usize, n_states: Vec<usize>) -> Self {
        let mut states_before = vec![0_usize];
        for n in &n_states {
            states_before.push(states_before[states_before.len() - 1].saturating_add(*n));
        }
        let all = states_before[n_states.len()];
        let mut pairs_before = vec![0_usize];
        for (place, n) in n_states.iter().enumerate() {
            let of_variable = if all == usize::MAX { all } else { n.saturating_mul(all - states_before[place + 1]) };
            pairs_before.push(pairs_before[place].saturating_add(of_variable));
        }
        Self { n_classes, n_states, states_before, pairs_before }
    }

    pub(super) fn n_classes(&self) -> usize {
        self.n_classes
    }

    pub(super) fn n_variables(&self) -> usize {
        self.n_states.len()
    }

    pub(super) fn n_states(&self) -> &[usize] {
        &self.n_states
    }

    /// How many counts of single states there are.
    pub(super) fn n_single_cells(&self) -> usize {
        self.n_classes.saturating_mul(self.states_before[self.n_variables()])
    }

    /// How many counts there are of any kind; the largest number where there are more.
    pub(super) fn n_cells(&self) -> usize {
        self.n_single_cells().saturating_add(self.n_pair_cells())
    }

    /// How many counts of pairs there are; the largest number where there are more.
    pub(super) fn n_pair_cells(&self) -> usize {
        self.n_classes.saturating_mul(self.pairs_before[self.n_variables()])
    }

    /// Where the counts of a variable's states in a class begin.
    pub(super) fn single(&self, variable: usize, class: usize) -> usize {
        self.n_classes * self.states_before[variable] + class * self.n_states[variable]
    }

    /// Where the table of a pair in a class begins; `earlier` stands before `later`.
    pub(super) fn pair(&self, earlier: usize, later: usize, class: usize) -> usize {
        debug_assert!(earlier < later);
        let rows = self.n_states[earlier];
        let before = self.pairs_before[earlier] + rows * (self.states_before[later] - self.states_before[earlier + 1]);
        self.n_classes * before + class * rows * self.n_states[later]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_stand_side_by_side_and_fill_all_cells() {
        let shape = Shape::new(3, vec![2, 4, 1, 0, 5]);
        let mut next = 0;
        for earlier in 0..5 {
            for later in earlier + 1..5 {
                for class in 0..3 {
                    assert_eq!(shape.pair(earlier, later, class), next);
                    next += shape.n_states()[earlier] * shape.n_states()[later];
                }
            }
        }
        assert_eq!(shape.n_pair_cells(), next);
        assert_eq!((shape.single(1, 0), shape.single(1, 2), shape.n_single_cells()), (6, 14, 36));
        assert_eq!(Shape::new(7, vec![usize::MAX, 3]).n_pair_cells(), usize::MAX);
    }
}
