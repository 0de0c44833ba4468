//! Where a tree of cliques is cut, so that several threads go through it.
//!
//! Cliques are numbered so that every parent comes before its children and whatever is below a clique lies behind it without a gap. A forest is then a range of
//! numbers, and two parts of it that do not wait for each other are two ranges: each may be given what it writes to as a slice.

use std::ops::Range;

/// The subtrees of a tree of cliques.
#[derive(Clone, Debug, Default)]
pub(super) struct Subtrees {
    /// Where what is below each clique ends.
    ends: Vec<usize>,
    /// What the cliques before each cost, and behind the last all.
    cost_before: Vec<usize>,
}

/// A part of a forest that costs less than this is not worth handing over: the entries that a thread goes through in some twenty microseconds.
const WORTH_SHARING: usize = 1 << 14;

impl Subtrees {
    /// The subtrees of a tree by the parent of each clique, with what each costs: entries.
    pub(super) fn new(parents: &[Option<usize>], costs: impl Iterator<Item = usize>) -> Self {
        let mut ends: Vec<usize> = (1..=parents.len()).collect();
        for (place, parent) in parents.iter().enumerate().rev() {
            if let Some(parent) = *parent {
                ends[parent] = ends[parent].max(ends[place]);
            }
        }
        Self { ends, cost_before: super::running_sum(costs) }
    }

    /// All cliques.
    pub(super) fn all(&self) -> Range<usize> {
        0..self.ends.len()
    }

    /// A part of a forest of siblings, and where in it a sibling begins so that either side is worth handing over. The part is all of it, or all that is below one
    /// of its cliques. What else there is waits for this part, or this part for it.
    pub(super) fn cut(&self, forest: Range<usize>) -> Option<(Range<usize>, usize)> {
        let cost = |range: Range<usize>| self.cost_before[range.end] - self.cost_before[range.start];
        let mut part = forest;
        while cost(part.clone()) >= 2 * WORTH_SHARING {
            let (mut middle, mut smaller_side, mut largest) = (part.start, 0, part.start);
            let mut sibling = part.start;
            while sibling < part.end {
                let side = cost(part.start..sibling).min(cost(sibling..part.end));
                if side > smaller_side {
                    (middle, smaller_side) = (sibling, side);
                }
                if cost(sibling..self.ends[sibling]) > cost(largest..self.ends[largest]) {
                    largest = sibling;
                }
                sibling = self.ends[sibling];
            }
            if smaller_side >= WORTH_SHARING {
                return Some((part, middle));
            }
            part = largest + 1..self.ends[largest];
        }
        None
    }

    /// Visits every clique behind those below it, by the threads of rayon's pool; ends with a visit that gives nothing. What a visit finds must depend on those below
    /// alone: then the number of threads changes nothing but the time.
    pub(super) fn upwards(&self, forest: Range<usize>, visit: &(impl Fn(usize) -> Option<()> + Sync)) -> Option<()> {
        let Some((part, middle)) = self.cut(forest.clone()) else { return forest.rev().try_for_each(visit) };
        let sides = both(|| self.upwards(part.start..middle, visit), || self.upwards(middle..part.end, visit));
        sides.0.and(sides.1)?;
        rest_of(&forest, &part).rev().try_for_each(visit)
    }

    /// Visits every clique before those below it, in the same way.
    pub(super) fn downwards(&self, forest: Range<usize>, visit: &(impl Fn(usize) -> Option<()> + Sync)) -> Option<()> {
        let Some((part, middle)) = self.cut(forest.clone()) else { return forest.into_iter().try_for_each(visit) };
        rest_of(&forest, &part).try_for_each(visit)?;
        let sides = both(|| self.downwards(part.start..middle, visit), || self.downwards(middle..part.end, visit));
        sides.0.and(sides.1)
    }
}

/// Both, side by side if a thread of rayon's pool is free. A thread that is none of them goes on itself at once: handing all of the work over would cost it a
/// tenth of a millisecond.
pub(super) fn both<A: Send, B: Send>(left: impl FnOnce() -> A + Send, right: impl FnOnce() -> B + Send) -> (A, B) {
    if rayon::current_thread_index().is_some() {
        return rayon::join(left, right);
    }
    let mut on_right = None;
    let on_left = rayon::in_place_scope(|scope| {
        scope.spawn(|_| on_right = Some(right()));
        left()
    });
    (on_left, on_right.expect("the scope ends when all of it is done"))
}

/// The cliques of a forest that are not in a part of it.
pub(super) fn rest_of(forest: &Range<usize>, part: &Range<usize>) -> impl DoubleEndedIterator<Item = usize> + use<> {
    (forest.start..part.start).chain(part.end..forest.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Two roots of five twigs each, which are chains with twigs of their own: parents, and what is paid for a clique.
    fn subtrees(cost: usize) -> (Vec<Option<usize>>, Subtrees) {
        let mut parents = Vec::new();
        for _ in 0..2 {
            let root = parents.len();
            parents.push(None);
            for _ in 0..5 {
                let mut above = root;
                for link in 0..20 {
                    parents.push(Some(above));
                    let here = parents.len() - 1;
                    above = if link % 3 == 0 { above } else { here };
                }
            }
        }
        let n = parents.len();
        (parents.clone(), Subtrees::new(&parents, std::iter::repeat_n(cost, n)))
    }

    #[test]
    fn all_are_visited_once_and_in_order() {
        for cost in [1, WORTH_SHARING / 3, WORTH_SHARING] {
            let (parents, subtrees) = subtrees(cost);
            assert_eq!(subtrees.cut(subtrees.all()).is_some(), cost > 1);
            let (up, down) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
            let note = |visits: &Mutex<Vec<usize>>, place| {
                visits.lock().unwrap().push(place);
                Some(())
            };
            subtrees.upwards(subtrees.all(), &|place| note(&up, place)).unwrap();
            subtrees.downwards(subtrees.all(), &|place| note(&down, place)).unwrap();
            for (visits, parent_first) in [(up, false), (down, true)] {
                let visits = visits.into_inner().unwrap();
                assert_eq!(visits.len(), parents.len());
                let mut turn = vec![usize::MAX; parents.len()];
                visits.iter().enumerate().for_each(|(nth, &place)| turn[place] = nth);
                assert!(turn.iter().all(|&turn| turn < parents.len()));
                let in_order =
                    |(place, parent): (usize, &Option<usize>)| parent.is_none_or(|parent| (turn[parent] < turn[place]) == parent_first);
                assert!(parents.iter().enumerate().all(in_order));
            }
        }
    }

    #[test]
    fn a_visit_that_gives_nothing_ends_the_walk() {
        let (parents, subtrees) = subtrees(WORTH_SHARING);
        let child = parents.iter().rposition(|parent| parent.is_some_and(|parent| parents[parent].is_some())).unwrap();
        let failing = parents[child].unwrap();
        let visit = |place: usize, never: usize| (place != failing).then(|| assert_ne!(place, never));
        assert_eq!(subtrees.upwards(subtrees.all(), &|place| visit(place, parents[failing].unwrap())), None);
        assert_eq!(subtrees.downwards(subtrees.all(), &|place| visit(place, child)), None);
    }

    #[test]
    fn a_cut_has_two_sides_worth_handing_over() {
        let (parents, subtrees) = subtrees(WORTH_SHARING / 4);
        let (part, middle) = subtrees.cut(subtrees.all()).unwrap();
        assert_eq!((part, middle), (subtrees.all(), parents.iter().rposition(Option::is_none).unwrap()));
        // A chain has no sides, and what is cheap is left whole.
        let chain: Vec<Option<usize>> = (0..100_usize).map(|place| place.checked_sub(1)).collect();
        assert_eq!(Subtrees::new(&chain, std::iter::repeat_n(WORTH_SHARING, 100)).cut(0..100), None);
        let stars: Vec<Option<usize>> = (0..100).map(|place| (place > 0).then_some(0)).collect();
        assert_eq!(Subtrees::new(&stars, std::iter::repeat_n(10, 100)).cut(0..100), None);
        let (part, middle) = Subtrees::new(&stars, std::iter::repeat_n(WORTH_SHARING, 100)).cut(0..100).unwrap();
        assert_eq!((part, middle), (1..100, 50));
    }
}
