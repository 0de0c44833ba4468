//! A vocabulary that is kept to a bound: what a model does to keep to it, and what it says of the cost.

use belief::{Kind, Pruned, Recode, Recoding, Role, Schema, StateMap, States, VarId, drop_rarest};
use learn::{AttributeStatistic, NaiveBayesStatistic};

use crate::Error;
use crate::model::Stored;
use crate::remarks::counted;

/// Whether any word was dropped.
pub(crate) fn was_pruned(pruned: &[Pruned]) -> bool {
    pruned.iter().any(Pruned::is_something)
}

/// What two models lost, variable by variable.
pub(crate) fn lost_together(a: &[Pruned], b: &[Pruned]) -> Vec<Pruned> {
    let of = |all: &[Pruned], place: usize| all.get(place).copied().unwrap_or_default();
    (0..a.len().max(b.len())).map(|place| of(a, place).with(&of(b, place))).collect()
}

/// What a model has lost after rows joined it. Words that it knows lost nothing in those rows; a word that is new may have been
/// dropped before, and again in them.
pub(crate) fn lost_with_rows(model: &Stored, rows: &[Pruned], schema: &Schema) -> Vec<Pruned> {
    let of = |all: &[Pruned], place: usize| all.get(place).copied().unwrap_or_default();
    let joined = |place: usize| {
        let (before, rows) = (of(&model.pruned, place), of(rows, place));
        let n_words = |schema: &Schema| schema.variable(VarId::new(place)).kind.states().map_or(0, States::len);
        let has_new = n_words(schema) > n_words(&model.schema);
        let short_by = if has_new { before.short_by.max(before.most + rows.most) } else { before.short_by };
        Pruned { short_by, ..before.with(&rows) }
    };
    (0..model.pruned.len().max(rows.len())).map(joined).collect()
}

/// That no word was dropped where the lengths of texts are counted: those of a Dirichlet-compound would still hold it.
///
/// # Errors
/// When one was.
pub(crate) fn check_bursts(parts: &Stored, dropped: &[Pruned]) -> Result<(), Error> {
    let counts_lengths =
        |attribute: &AttributeStatistic| matches!(attribute, AttributeStatistic::Words(counts) if counts.bursts().is_some());
    let mut attributes = parts.statistic.attributes().iter().zip(dropped);
    if attributes.any(|(attribute, dropped)| dropped.is_something() && counts_lengths(attribute)) {
        return Err(Error::unfit(
            "words would be dropped to keep to --max-vocabulary, but a Dirichlet-compound has counted them in the lengths of texts",
            "raise --max-vocabulary, or learn again from all rows",
        ));
    }
    Ok(())
}

/// Drops the rarest words of a model until it keeps to the bound of its recipe.
///
/// # Errors
/// When the lengths of texts were counted with words that would be dropped.
pub(crate) fn keep_to_bound(parts: &mut Stored) -> Result<(), Error> {
    let Some(most) = parts.recipe.max_vocabulary else { return Ok(()) };
    let n = parts.schema.variables().len();
    let mut recoding = Recoding { columns: vec![None; n] };
    let mut rounds = vec![Pruned::default(); n];
    for (place, round) in rounds.iter_mut().enumerate() {
        // Texts without a class have their words among them, each counted once.
        let mut times = parts.statistic.times_met(place);
        let unlabelled = parts.unlabelled.as_ref().and_then(|from| from.statistic.times_met(place));
        if let (Some(times), Some(more)) = (&mut times, unlabelled) {
            times.iter_mut().zip(more).for_each(|(times, more)| *times += more);
        }
        if let Some((map, dropped)) = times.and_then(|times| drop_rarest(&times, 0, most)) {
            recoding.columns[place] = Some(map);
            *round = dropped;
        }
    }
    check_bursts(parts, &rounds)?;
    parts.pruned.resize(n, Pruned::default());
    parts.pruned.iter_mut().zip(&rounds).for_each(|(pruned, round)| *pruned = pruned.after(round));
    recode(parts, &recoding)
}

/// Drops words, and states, of which nothing is counted and that nobody declared: they are in rows that have left, or that do not count.
/// Who never met such rows has none either. Words that have weights stay, for new ones would get none. Whether there were any.
///
/// # Errors
/// When the statistic is not of the schema.
pub(crate) fn drop_unmet(parts: &mut Stored) -> Result<bool, Error> {
    let mut recoding = Recoding { columns: vec![None; parts.schema.variables().len()] };
    for (place, variable) in parts.schema.variables().iter().enumerate() {
        let Some(states) = variable.kind.states() else { continue };
        let n_met = |statistic: &NaiveBayesStatistic| match statistic.attributes().get(place)? {
            AttributeStatistic::Counts(counts) => Some((0..counts.n_states()).map(|state| counts.of_state(state).iter().sum()).collect()),
            AttributeStatistic::Words(counts) if counts.weights().of_word.is_none() => statistic.times_met(place),
            _ => None,
        };
        let Some(left) = n_met(&parts.statistic) else { continue };
        let unlabelled = parts.unlabelled.as_ref().and_then(|from| n_met(&from.statistic)).unwrap_or_else(|| vec![0.0; left.len()]);
        let is_unmet = |state: usize| state >= states.n_declared() && left[state] == 0.0 && unlabelled[state] == 0.0;
        if !(0..left.len()).any(is_unmet) {
            continue;
        }
        let mut n_states = 0;
        let mut next = |state| {
            if is_unmet(state) {
                return StateMap::DROPPED;
            }
            n_states += 1;
            n_states - 1
        };
        let to = (0..left.len()).map(&mut next).collect();
        recoding.columns[place] = Some(StateMap { to, n_states: n_states as usize });
    }
    recode(parts, &recoding)?;
    Ok(!recoding.is_identity())
}

/// Renames and drops states of a model.
fn recode(parts: &mut Stored, recoding: &Recoding) -> Result<(), Error> {
    parts.statistic.recode(recoding)?;
    if let Some(unlabelled) = &mut parts.unlabelled {
        unlabelled.statistic.recode(recoding)?;
    }
    let mut failed = None;
    parts.schema = parts.schema.with_states(|id, states| {
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
    failed.map_or(Ok(()), Err)
}

/// How many words are new, told of each text.
pub(crate) fn new_words(before: &Schema, after: &Schema) -> Vec<String> {
    let mut told = Vec::new();
    for (old, new) in before.variables().iter().zip(after.variables()) {
        if let (Role::Input, Kind::Text(old), Kind::Text(words)) = (&new.role, &old.kind, &new.kind) {
            let known: std::collections::HashSet<&String> = old.names().iter().collect();
            let found: Vec<&String> = words.names().iter().filter(|name| !known.contains(name)).collect();
            if !found.is_empty() {
                let n = counted(found.len() as u64, "new word", "new words");
                told.push(format!("`{}` has {n}: {}", new.name, crate::remarks::list(&found)));
            }
        }
    }
    told
}

/// What keeping to the bound has cost, told of each text.
pub(crate) fn remarks(parts: &Stored) -> Vec<String> {
    let Some(bound) = parts.recipe.max_vocabulary else { return Vec::new() };
    let told = |(variable, pruned): (&belief::Variable, &Pruned)| {
        let Pruned { n_dropped, times, most, short_by } = pruned;
        let drops = counted(*n_dropped, "word was", "words were");
        let short = match *short_by {
            0.0 => "the counts of the others are exact".into(),
            short_by => format!("the counts of the others may be short by {short_by}"),
        };
        let name = &variable.name;
        format!(
            "`{name}` is kept to {}: {drops} dropped, and with them {times} occurrences; a word that is not there was met at most \
             {most} times, and {short}",
            counted(bound as u64, "word", "words")
        )
    };
    parts.schema.variables().iter().zip(&parts.pruned).filter(|(_, pruned)| pruned.is_something()).map(told).collect()
}
