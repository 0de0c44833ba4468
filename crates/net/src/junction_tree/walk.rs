//! Walks through a tree of cliques, upwards and downwards, by one thread or by several.
//!
//! Parts of the tree that do not wait for each other are visited side by side. What a visit finds must depend on those it waits for alone: then the number of
//! threads changes nothing but the time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Visits every clique behind all of its children, by the threads of rayon's pool `in_parallel`; ends with the first visit that gives nothing. Every
/// parent comes before its children.
pub(super) fn upwards(parents: &[Option<usize>], in_parallel: bool, visit: impl Fn(usize) -> Option<()> + Sync) -> Option<()> {
    if !in_parallel {
        return (0..parents.len()).rev().try_for_each(visit);
    }
    let mut n_children = vec![0; parents.len()];
    parents.iter().flatten().for_each(|&parent| n_children[parent] += 1);
    let leaves: Vec<usize> = (0..parents.len()).filter(|&place| n_children[place] == 0).collect();
    let to_come: Vec<AtomicUsize> = n_children.into_iter().map(AtomicUsize::new).collect();
    let is_over = AtomicBool::new(false);
    // From a leaf as far up as nothing is missing from other children.
    let climb = |leaf: usize| {
        let mut place = Some(leaf);
        while let Some(here) = place.filter(|_| !is_over.load(Ordering::Relaxed)) {
            if visit(here).is_none() {
                is_over.store(true, Ordering::Relaxed);
                return;
            }
            place = parents[here].filter(|&parent| to_come[parent].fetch_sub(1, Ordering::AcqRel) == 1);
        }
    };
    rayon::scope(|scope| leaves.iter().for_each(|&leaf| scope.spawn(move |_| climb(leaf))));
    (!is_over.into_inner()).then_some(())
}

/// Visits every clique behind its parent, by the threads of rayon's pool `in_parallel`; ends with the first visit that gives nothing. Every parent comes
/// before its children.
pub(super) fn downwards(
    parents: &[Option<usize>],
    children: &[Vec<usize>],
    in_parallel: bool,
    visit: impl Fn(usize) -> Option<()> + Sync,
) -> Option<()> {
    if !in_parallel {
        return (0..parents.len()).try_for_each(visit);
    }
    let is_over = AtomicBool::new(false);
    let of_all = &Downwards { children, visit, is_over: &is_over };
    let roots = (0..parents.len()).filter(|&place| parents[place].is_none());
    rayon::scope(|scope| roots.for_each(|root| scope.spawn(move |scope| of_all.descend(root, scope))));
    (!is_over.into_inner()).then_some(())
}

struct Downwards<'a, V> {
    children: &'a [Vec<usize>],
    visit: V,
    is_over: &'a AtomicBool,
}

impl<V: Fn(usize) -> Option<()> + Sync> Downwards<'_, V> {
    /// From here down: the first child by this thread, the others by whichever is free.
    fn descend<'s>(&'s self, from: usize, scope: &rayon::Scope<'s>) {
        let mut place = Some(from);
        while let Some(here) = place.filter(|_| !self.is_over.load(Ordering::Relaxed)) {
            if (self.visit)(here).is_none() {
                self.is_over.store(true, Ordering::Relaxed);
                return;
            }
            let mut others = self.children[here].iter().copied();
            place = others.next();
            others.for_each(|child| scope.spawn(move |scope| self.descend(child, scope)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Two trees: a chain with twigs, and a root alone.
    fn trees() -> (Vec<Option<usize>>, Vec<Vec<usize>>) {
        let mut parents = vec![None];
        parents.extend((1..300).map(|place| Some(if place % 3 == 0 { place / 2 } else { place - 1 })));
        parents.push(None);
        let mut children = vec![Vec::new(); parents.len()];
        parents.iter().enumerate().for_each(|(place, parent)| parent.iter().for_each(|&parent| children[parent].push(place)));
        (parents, children)
    }

    #[test]
    fn all_are_visited_once_and_in_order() {
        let (parents, children) = trees();
        for in_parallel in [false, true] {
            let (up, down) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
            let note = |visits: &Mutex<Vec<usize>>, place| {
                visits.lock().unwrap().push(place);
                Some(())
            };
            upwards(&parents, in_parallel, |place| note(&up, place)).unwrap();
            downwards(&parents, &children, in_parallel, |place| note(&down, place)).unwrap();
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
        let (parents, children) = trees();
        for in_parallel in [false, true] {
            let visit = |place: usize| (place != 150).then_some(());
            assert_eq!(upwards(&parents, in_parallel, visit), None);
            assert_eq!(downwards(&parents, &children, in_parallel, visit), None);
            // What waits for it is never visited.
            let far = |place: usize, of: usize| (place != 150).then(|| assert!(place != of, "{place} came before 150"));
            let parent = parents[150].unwrap();
            assert_eq!(upwards(&parents, in_parallel, |place| far(place, parent)), None);
            let child = children[150][0];
            assert_eq!(downwards(&parents, &children, in_parallel, |place| far(place, child)), None);
        }
    }
}
