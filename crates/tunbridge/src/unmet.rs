//! States, words and classes that nobody has: those of rows that have left, or that do not count. Who never met such rows does not know
//! them, and neither does a model.

use belief::{Recoding, Schema, StateMap, States};

use crate::Error;

/// The recoding that drops what nobody declared and nobody has; none where there is no such thing. `n_met` tells how often each state of
/// a variable was met, if that is known.
pub(crate) fn unmet(schema: &Schema, n_met: impl Fn(usize) -> Option<Vec<f64>>) -> Option<Recoding> {
    let map = |(place, variable): (usize, &belief::Variable)| {
        let (states, n_met) = (variable.kind.states()?, n_met(place)?);
        let is_kept = |state: &usize| *state < states.n_declared() || n_met[*state] != 0.0;
        let mut next = 0..;
        let to: Vec<u32> =
            (0..n_met.len()).map(|state| if is_kept(&state) { next.next() } else { None }.unwrap_or(StateMap::DROPPED)).collect();
        to.contains(&StateMap::DROPPED).then_some(StateMap { n_states: next.start as usize, to })
    };
    let columns: Vec<Option<StateMap>> = schema.variables().iter().enumerate().map(map).collect();
    columns.iter().any(Option::is_some).then_some(Recoding { columns })
}

/// Whether any of them was met.
pub(crate) fn is_any(n_met: &[f64]) -> bool {
    n_met.iter().any(|n| *n > 0.0)
}

/// A schema without the states that a recoding drops; those that are left stay in their order.
///
/// # Errors
/// When the recoding is not of the schema.
pub(crate) fn without(schema: &Schema, recoding: &Recoding) -> Result<Schema, Error> {
    let mut failed = None;
    let left = schema.with_states(|id, states| {
        let Some(map) = recoding.of(id.index()) else { return states.clone() };
        let is_kept = |(_, to): &(&String, &u32)| **to != StateMap::DROPPED;
        let (declared, seen) = states.names().split_at(states.n_declared());
        let kept = seen.iter().zip(&map.to[declared.len()..]).filter(is_kept).map(|(name, _)| name.clone());
        let all = States::declared(declared.to_vec(), states.is_ordered()).and_then(|declared| declared.with_seen(kept));
        all.unwrap_or_else(|error| {
            failed = Some(Error::Internal(error.to_string()));
            states.clone()
        })
    });
    failed.map_or(Ok(left), Err)
}
