//! A vocabulary that is kept to a bound: what a model does to keep to it, and what it says of the cost.

use belief::{Kind, Pruned, Recode, Recoding, Role, Schema, States, VarId, drop_rarest};
use learn::{AttributeStatistic, ClassPrior, Estimate, MEstimateP};

use crate::Error;
use crate::model::Stored;
use crate::remarks::counted;
use crate::unmet::{is_any, unmet, without};

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

/// Drops words, states and classes of which nothing is counted and that nobody declared: they are in rows that have left, or that do not
/// count. Who never met such rows has none either. Words that have weights stay, for new ones would get none; so do classes that rows without
/// one are shared among, and states and classes whose probabilities were given. Whether there were any.
///
/// # Errors
/// When the statistic is not of the schema.
pub(crate) fn drop_unmet(parts: &mut Stored) -> Result<bool, Error> {
    let target = parts.statistic.target().index();
    let classes_may_go = parts.unlabelled.is_none() && !matches!(parts.prior.class, ClassPrior::Given(_));
    let n_met = |place: usize| {
        let mut n_met = parts.statistic.n_met(place).filter(|n_met| place != target || classes_may_go && is_any(n_met))?;
        let unlabelled = parts.unlabelled.as_ref().and_then(|from| from.statistic.n_met(place));
        unlabelled.into_iter().for_each(|more| n_met.iter_mut().zip(more).for_each(|(n, more)| *n += more));
        let variable = &parts.schema.variables()[place];
        if let Estimate::MEstimate { p: MEstimateP::Given(given), .. } = &parts.prior.estimate
            && let (Some(given), Some(states)) = (given.get(&variable.name), variable.kind.states())
        {
            n_met.iter_mut().zip(states.iter()).filter(|(_, state)| given.contains_key(*state)).for_each(|(n, _)| *n += 1.0);
        }
        Some(n_met)
    };
    let Some(recoding) = unmet(&parts.schema, n_met) else { return Ok(false) };
    if recoding.of(target).is_some() {
        parts.calibrator = None;
    }
    recode(parts, &recoding)?;
    Ok(true)
}

/// Renames and drops states of a model.
fn recode(parts: &mut Stored, recoding: &Recoding) -> Result<(), Error> {
    parts.statistic.recode(recoding)?;
    if let Some(unlabelled) = &mut parts.unlabelled {
        unlabelled.statistic.recode(recoding)?;
        if let Some(mixture) = &mut unlabelled.mixture {
            mixture.labelled.recode(recoding)?;
        }
    }
    parts.schema = without(&parts.schema, recoding)?;
    Ok(())
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
