//! What states and words are found to be while a table is read: those of every chunk, in the order the chunks are merged.

use std::borrow::Cow;

use belief::{Pruned, Recode, Recoding, ShapeMismatch, StateMap, drop_rarest};

use crate::dictionary::Dictionary;
use crate::encode::{NewStates, Plan, PlanKind};
use crate::labels::LabelPlan;
use crate::words::Vocabulary;

/// What was found of every variable so far.
pub(crate) struct FoundStates {
    found: Vec<Found>,
    /// How many states or words each variable had before the pass.
    n_known: Vec<usize>,
    /// The most words of a text that are kept.
    max_vocabulary: Option<usize>,
    pruned: Vec<Pruned>,
}

/// What one variable's states, or words, are found to be.
enum Found {
    States(Dictionary),
    Words(Vocabulary),
    /// So many, which are made and not found.
    Made(usize),
}

impl Found {
    fn len(&self) -> usize {
        match self {
            Found::States(states) => states.len(),
            Found::Words(words) => words.len(),
            Found::Made(n) => *n,
        }
    }

    /// The codes of what a chunk met, which joins what was found.
    fn intern(&mut self, new: &NewStates) -> Vec<u32> {
        match (self, new) {
            (Found::States(states), NewStates::Names(names)) => names.iter().map(|name| states.intern_name(name)).collect(),
            (Found::Words(words), NewStates::Words(new)) => new.to_look_up().map(|word| words.intern(word)).collect(),
            // A chunk without words has no names either.
            (Found::States(_), NewStates::Words(_)) | (Found::Words(_), NewStates::Names(_)) | (Found::Made(_), _) => Vec::new(),
        }
    }

    fn names_from(&self, first: usize) -> Box<dyn Iterator<Item = Cow<'_, str>> + '_> {
        match self {
            Found::States(states) => Box::new(states.names()[first..].iter().map(Cow::from)),
            Found::Made(_) => Box::new(std::iter::empty()),
            Found::Words(words) => {
                // Words are text; what `from_utf8_lossy` does besides takes longer.
                let text = |word| std::str::from_utf8(word).map_or_else(|_| String::from_utf8_lossy(word), Cow::Borrowed);
                Box::new(words.words().skip(first).map(text))
            }
        }
    }
}

impl FoundStates {
    /// What is known before a pass.
    pub fn new(plan: &Plan, max_vocabulary: Option<usize>) -> Self {
        let known = |kind: &PlanKind| match kind {
            PlanKind::Category { known, .. } => Found::States(known.clone()),
            PlanKind::Text { known, .. } => Found::Words(Vocabulary::clone(known)),
            PlanKind::Labels(LabelPlan { known, .. }) => Found::Words(Vocabulary::clone(known)),
            PlanKind::Skip | PlanKind::Numeric { .. } | PlanKind::Absence { .. } => Found::Made(kind.n_known()),
        };
        let found: Vec<Found> = plan.variables.iter().map(|variable| known(&variable.kind)).collect();
        let n_known = found.iter().map(Found::len).collect();
        Self { pruned: vec![Pruned::default(); found.len()], found, n_known, max_vocabulary }
    }

    /// How many states or words each variable has now.
    pub fn sizes(&self) -> Vec<usize> {
        self.found.iter().map(Found::len).collect()
    }

    /// The names of a variable's states or words from a place on.
    pub fn names_from(&self, variable: usize, first: usize) -> impl Iterator<Item = Cow<'_, str>> {
        self.found[variable].names_from(first)
    }

    /// Where the states of a chunk lie among all that were found; new ones join them.
    pub fn join(&mut self, n_known: &[usize], new_states: &[NewStates]) -> Recoding {
        let columns = self
            .found
            .iter_mut()
            .zip(n_known)
            .zip(new_states)
            .map(|((found, n_known), new)| {
                if new.len() == 0 && found.len() == *n_known {
                    return None;
                }
                let to = (0..*n_known as u32).chain(found.intern(new)).collect();
                Some(StateMap { to, n_states: found.len() })
            })
            .collect();
        Recoding { columns }
    }

    /// Drops the rarest words if there are more than are to be held. Called between chunks, which are merged in their order, so
    /// that threads change nothing. Twice as many as are to be kept are held, so that rounds are few and each drops many.
    pub fn keep_to_bound<S: Recode>(&mut self, total: &mut S) -> Result<(), ShapeMismatch> {
        let most = self.max_vocabulary.unwrap_or(usize::MAX);
        self.drop_beyond(most.saturating_mul(2), total)
    }

    /// Drops the rarest words if there are more than are to be kept, and tells what was lost in all.
    pub fn settle<S: Recode>(&mut self, total: &mut S) -> Result<Vec<Pruned>, ShapeMismatch> {
        let Some(most) = self.max_vocabulary else { return Ok(Vec::new()) };
        self.drop_beyond(most, total)?;
        // A word that came back lost what it had.
        Ok(self.pruned.iter().map(|pruned| Pruned { short_by: pruned.most, ..*pruned }).collect())
    }

    /// Where more than `limit` words were found that were not known before the pass, keeps the most frequent of them.
    fn drop_beyond<S: Recode>(&mut self, limit: usize, total: &mut S) -> Result<(), ShapeMismatch> {
        let Some(most) = self.max_vocabulary else { return Ok(()) };
        for place in 0..self.found.len() {
            let Found::Words(words) = &self.found[place] else { continue };
            let n_known = self.n_known[place];
            if words.len() - n_known <= limit {
                continue;
            }
            let Some((map, round)) = total.times_met(place).and_then(|times| drop_rarest(&times, n_known, most)) else { continue };
            let mut left = Vocabulary::default();
            words.words().zip(&map.to).filter(|(_, to)| **to != StateMap::DROPPED).for_each(|(word, _)| {
                left.intern(word);
            });
            let mut recoding = Recoding { columns: vec![None; self.found.len()] };
            recoding.columns[place] = Some(map);
            total.recode(&recoding)?;
            self.found[place] = Found::Words(left);
            self.pruned[place] = self.pruned[place].after(&round);
        }
        Ok(())
    }
}

/// The map of states that became more and did not move.
pub(crate) fn grown(before: &[usize], after: &[usize]) -> Recoding {
    let map =
        |(before, after): (&usize, &usize)| (before != after).then(|| StateMap { to: (0..*before as u32).collect(), n_states: *after });
    Recoding { columns: before.iter().zip(after).map(map).collect() }
}
