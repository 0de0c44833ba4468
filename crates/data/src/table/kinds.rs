//! What kind of variable each column is, and how its cells are read: as flags say, else the sidecar, else the file's header, else as the
//! first rows look.

use std::sync::Arc;

use belief::{Kind, Role, Variable};

use crate::dictionary::Dictionary;
use crate::encode::{PlanKind, are_numbers};
use crate::labels::LabelPlan;
use crate::profile::{Inferred, Profile};
use crate::sidecar::Sidecar;
use crate::text::csv::cell_of;
use crate::words::{Tokenizer, known_words};
use crate::{ColumnType, NameMap, ReadOptions, UnknownStates};

pub(super) struct Decided {
    pub variable: Variable,
    pub inferred: bool,
    /// Whether it is a column of dates that is called numeric.
    pub days: bool,
}

pub(super) fn decide(
    name: &str,
    profile: &Profile,
    nested: bool,
    hint: Option<crate::source::Hint>,
    options: &ReadOptions,
    sidecar: &Sidecar,
) -> Decided {
    let is_target = options.target.as_deref() == Some(name);
    let is_weight = options.weight.as_deref() == Some(name);
    let is_labels = is_target && options.labels.is_some();
    let said = options.type_of(name).or_else(|| sidecar.type_of(name));
    let (looks, odd) = profile.kind(is_target);
    let given = if is_labels { Some(Inferred::Labels) } else { said.and_then(Inferred::given) };
    let from_header = hint.as_ref().map(|h| h.kind);
    let inferred_kind = if nested { Inferred::Opaque } else { looks };
    let kind = given.or(from_header).unwrap_or(inferred_kind);
    let kind = if is_weight { Inferred::Numeric } else { kind };
    let said_role = hint.as_ref().and_then(|h| h.role.clone());
    // States that are declared of a column of labels are its cells, and no labels.
    let declared = if is_labels { None } else { sidecar.states_of(name).or(hint.and_then(|h| h.states)) }.unwrap_or_default();
    let role = if is_target {
        Role::Target
    } else if is_weight {
        Role::Weight
    } else if said == Some(ColumnType::Ignore) || options.is_ignored(name) {
        Role::Ignored("as you said".into())
    } else if let Some(role) = said_role {
        role
    } else if given == Some(Inferred::Text) {
        Role::Input
    } else if let (Some(reason), None) = (odd, given) {
        if from_header.is_some() && declared.is_empty() && from_header != Some(looks) {
            kind.left_out().unwrap_or(Role::Input)
        } else {
            Role::Ignored(reason)
        }
    } else {
        kind.left_out().unwrap_or(Role::Input)
    };
    // Text and dates that the user calls states or numbers are that; the others are left out.
    let variable = Variable { name: name.into(), kind: kind.kind(declared), role };
    // A column without values may be one of dates too.
    let dates = from_header == Some(Inferred::Date) || profile.are_dates();
    let days = given == Some(Inferred::Numeric) && dates && !is_weight;
    Decided { variable, inferred: given.is_none() && from_header.is_none() && !is_weight, days }
}

/// Declared states first, then those of the first rows, so that a usual pass meets none that is new.
pub(super) fn known_states(decided: &Decided, profile: &Profile, missing: &[String]) -> Dictionary {
    let mut known = Dictionary::new(missing);
    if let Kind::Categorical(states) = &decided.variable.kind {
        for name in states.names() {
            known.intern_name(name);
        }
        // Nothing is declared mostly, and then the profile's own dictionary also knows how cells are written.
        if states.is_empty() && profile.is_complete() {
            return profile.values.clone();
        }
        if profile.is_complete() {
            for name in profile.values.names() {
                known.intern_name(name);
            }
        }
    }
    known
}

/// Values that are mapped to states, as ways of writing those.
pub(super) fn name_values(known: &mut Dictionary, variable: &str, map: &NameMap, grows: bool) {
    for (value, state) in map.states(variable) {
        let code =
            if grows { Some(known.intern_name(state)) } else { known.find(state.as_bytes()).filter(|code| *code != Dictionary::MISSING) };
        if let Some(code) = code {
            known.alias(&cell_of(value.as_bytes()), code);
        }
    }
}

/// What separates labels where nobody said it.
pub(super) const DEFAULT_SEPARATOR: &str = ";";

#[expect(clippy::too_many_arguments, reason = "two callers, in `open`")]
pub(super) fn plan_kind(
    variable: &Variable,
    known: Dictionary,
    inferred: bool,
    options: &ReadOptions,
    missing: &[String],
    new_states: UnknownStates,
    tokenizer: &Arc<Tokenizer>,
    grows: bool,
) -> PlanKind {
    match (&variable.role, &variable.kind) {
        (Role::Ignored(_), _) => PlanKind::Skip,
        (Role::Input, Kind::Text(words)) => {
            PlanKind::Text { tokenizer: tokenizer.clone(), known: Arc::new(known_words(words)), grows, missing: Dictionary::new(missing) }
        }
        (Role::Target, Kind::Labels(labels)) => PlanKind::Labels(LabelPlan {
            separator: options.labels.as_deref().unwrap_or(DEFAULT_SEPARATOR).into(),
            known: Arc::new(labels.iter().collect()),
            new_labels: new_states,
            missing: Dictionary::new(missing),
            empty_is_missing: options.missing.iter().any(String::is_empty),
        }),
        (role, Kind::Categorical(states)) => match options.made.cuts.get(&variable.name) {
            Some(cuts) => PlanKind::bins(missing, cuts, options.reads_days(&variable.name)),
            None => {
                let is_declared = states.n_declared() > 0;
                let of_numbers = inferred && *role == Role::Input && !is_declared && are_numbers(&known);
                PlanKind::Category { known, new_states, of_numbers }
            }
        },
        (role, Kind::Numeric) => PlanKind::numeric(missing, inferred, *role != Role::Weight && options.reads_days(&variable.name)),
        _ => PlanKind::Skip,
    }
}
