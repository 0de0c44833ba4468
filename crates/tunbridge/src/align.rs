//! Lining up two models' columns and states, so that their statistics can be added.

use std::collections::HashMap;

use belief::{Kind, Recode, Recoding, Role, Schema, StateMap, States, VarId};
use learn::Treatment;

use crate::model::Stored;
use crate::{Error, Recipe};

/// The two with the same columns and states in the same places, those of the first. A calibration whose classes change their places or become
/// more is dropped.
///
/// # Errors
/// As [`line_up`].
pub(crate) fn align(mut a: Stored, b: Stored) -> Result<(Stored, Stored), Error> {
    let mut b = in_order_of(&a.schema, b)?;
    let counting =
        |parts: &Stored| Counting { schema: parts.schema.clone(), recipe: parts.recipe.clone(), treatments: parts.statistic.treatments() };
    let (schema, of_a, of_b) = line_up(&counting(&a), &counting(&b))?;
    let target = a.statistic.target().index();
    for (parts, recoding) in [(&mut a, &of_a), (&mut b, &of_b)] {
        parts.statistic.recode(recoding)?;
        if let Some(unlabelled) = &mut parts.unlabelled {
            unlabelled.statistic.recode(recoding)?;
        }
        // A calibration knows the classes by their places.
        if recoding.of(target).is_some_and(|classes| !classes.is_identity() || classes.n_states != classes.to.len()) {
            parts.calibrator = None;
        }
    }
    a.schema = schema.clone();
    b.schema = schema;
    Ok((a, b))
}

/// A model with its columns in the order of another schema, if it has the same.
fn in_order_of(schema: &Schema, mut parts: Stored) -> Result<Stored, Error> {
    let names = |schema: &Schema| schema.variables().iter().map(|v| v.name.clone()).collect::<Vec<_>>();
    let places: Option<Vec<usize>> = names(schema).iter().map(|name| Some(parts.schema.find(name)?.index())).collect();
    let Some(places) = places.filter(|places| places.len() == parts.schema.variables().len() && !places.is_sorted()) else {
        return Ok(parts);
    };
    let variables = places.iter().map(|place| parts.schema.variables()[*place].clone()).collect();
    parts.schema = Schema::new(variables).map_err(|e| Error::Internal(e.to_string()))?;
    parts.statistic = parts.statistic.in_order(&places);
    if let Some(unlabelled) = &mut parts.unlabelled {
        unlabelled.statistic = unlabelled.statistic.in_order(&places);
    }
    if !parts.pruned.is_empty() {
        parts.pruned = places.iter().map(|place| parts.pruned.get(*place).copied().unwrap_or_default()).collect();
    }
    Ok(parts)
}

/// How a model counts.
pub(crate) struct Counting {
    pub schema: Schema,
    pub recipe: Recipe,
    pub treatments: Vec<Treatment>,
}

/// A schema with the states of both, and where those of each have gone: declared states of the first, then of the second, then the
/// others sorted.
///
/// # Errors
/// When the columns, their kinds, their parts, the recipes or the ways of counting differ; all differences are named.
pub(crate) fn line_up(a: &Counting, b: &Counting) -> Result<(Schema, Recoding, Recoding), Error> {
    let differences = differences(a, b);
    if !differences.is_empty() {
        return Err(Error::unfit(
            format!("they were not counted alike: {}", shown(&differences)),
            "learn both with the same columns and flags",
        ));
    }
    if !a.schema.variables().iter().zip(b.schema.variables()).all(|(x, y)| x.name == y.name) {
        return Err(Error::unfit("they have their columns in another order", "learn both from tables with the same order of columns"));
    }
    same_states(&a.schema, &b.schema)
}

/// A schema with the states of two of the same variables, and where each one's states are in it.
pub(crate) fn same_states(a: &Schema, b: &Schema) -> Result<(Schema, Recoding, Recoding), Error> {
    let n = a.variables().len();
    let (mut of_a, mut of_b) = (Recoding { columns: vec![None; n] }, Recoding { columns: vec![None; n] });
    let mut failed = None;
    let schema = a.with_states(|id, states| {
        let other = b.variables().get(id.index()).and_then(|variable| variable.kind.states()).cloned().unwrap_or_default();
        match union(states, &other) {
            Ok((all, to_a, to_b)) => {
                of_a.columns[id.index()] = Some(StateMap { to: to_a, n_states: all.len() });
                of_b.columns[id.index()] = Some(StateMap { to: to_b, n_states: all.len() });
                all
            }
            Err(error) => {
                failed = Some(error);
                states.clone()
            }
        }
    });
    match failed {
        Some(error) => Err(error),
        None => Ok((schema, of_a, of_b)),
    }
}

/// The first few; a long list helps nobody.
fn shown(differences: &[String]) -> String {
    const MOST: usize = 8;
    let more = differences.len().saturating_sub(MOST);
    let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("{}{rest}", differences[..differences.len() - more].join("; "))
}

/// The states of both in one list, declared ones first, and where those of each have gone.
pub(crate) fn union(a: &States, b: &States) -> Result<(States, Vec<u32>, Vec<u32>), Error> {
    let (declared_a, seen_a) = a.names().split_at(a.n_declared());
    let (declared_b, seen_b) = b.names().split_at(b.n_declared());
    let mut there: std::collections::HashSet<&str> = declared_a.iter().map(String::as_str).collect();
    let mut declared = declared_a.to_vec();
    declared.extend(declared_b.iter().filter(|name| there.insert(name)).cloned());
    let seen: Vec<String> = seen_a.iter().chain(seen_b).filter(|name| there.insert(name)).cloned().collect();
    let all = States::declared(declared, a.is_ordered() || b.is_ordered())
        .and_then(|declared| declared.with_seen(seen))
        .map_err(|e| Error::Internal(e.to_string()))?
        .canonical()
        .0;
    let place: HashMap<&str, u32> = all.names().iter().zip(0..).map(|(name, i)| (name.as_str(), i)).collect();
    let map = |states: &States| states.names().iter().map(|name| place[name.as_str()]).collect();
    let (to_a, to_b) = (map(a), map(b));
    Ok((all, to_a, to_b))
}

fn differences(a: &Counting, b: &Counting) -> Vec<String> {
    let mut found = Vec::new();
    let names = |schema: &Schema| schema.variables().iter().map(|v| v.name.clone()).collect::<Vec<_>>();
    for name in names(&a.schema).iter().filter(|name| b.schema.find(name).is_none()) {
        found.push(format!("only the first has a column `{name}`"));
    }
    for name in names(&b.schema).iter().filter(|name| a.schema.find(name).is_none()) {
        found.push(format!("only the second has a column `{name}`"));
    }
    if !found.is_empty() {
        return found;
    }
    for (place, variable) in a.schema.variables().iter().enumerate() {
        let Some(other) = b.schema.find(&variable.name) else { continue };
        let theirs = b.schema.variable(other);
        if let (Some(a), Some(b)) = (&a.recipe.days, &b.recipe.days)
            && a.contains(&variable.name) != b.contains(&variable.name)
        {
            found.push(format!("`{}` holds dates in one and numbers in the other", variable.name));
        }
        if std::mem::discriminant(&variable.role) != std::mem::discriminant(&theirs.role) {
            found.push(format!("`{}` does not play the same part", variable.name));
        } else if matches!(variable.role, Role::Ignored(_)) {
            // What nobody looks at may be of any kind.
        } else if variable.kind.word() != theirs.kind.word() {
            found.push(format!("`{}` is {} in one and {} in the other", variable.name, variable.kind.word(), theirs.kind.word()));
        } else if !same_treatment((&a.treatments[place], &variable.kind), (&b.treatments[other.index()], &theirs.kind)) {
            let why = match (&a.treatments[place], &b.treatments[other.index()]) {
                (Treatment::Words(a), Treatment::Words(b)) if !a.same_form(b) => "its words are not weighed in the same way",
                (Treatment::Words(_), _) => "its words have the weights that its own texts gave them",
                _ => "its cut points differ",
            };
            found.push(format!("`{}` is not counted alike ({why})", variable.name));
        }
    }
    let has_text = a.schema.variables().iter().any(|v| matches!((&v.role, &v.kind), (Role::Input, Kind::Text(_))));
    if has_text && a.recipe.words != b.recipe.words {
        found.push("their texts were not made into words alike".into());
    }
    if a.recipe.labels != b.recipe.labels {
        found.push("their labels were not separated alike".into());
    }
    if a.recipe.made != b.recipe.made {
        found.push("their cut points or indicators differ".into());
    }
    if a.recipe.missing != b.recipe.missing {
        found.push("their missing markers differ".into());
    }
    found
}

/// Whether two columns are counted alike; words by their names, of which one that is not there has no weight.
fn same_treatment((a, kind_a): (&Treatment, &Kind), (b, kind_b): (&Treatment, &Kind)) -> bool {
    let (Treatment::Words(a), Treatment::Words(b)) = (a, b) else { return a == b };
    match (&a.of_word, &b.of_word) {
        _ if !a.same_form(b) => false,
        (Some(of_a), Some(of_b)) => {
            let by_name = |kind: &'_ Kind, weights: &[f64]| -> HashMap<String, f64> {
                let names = kind.states().map_or(&[][..], States::names);
                names.iter().cloned().zip(weights.iter().copied()).filter(|(_, weight)| *weight > 0.0).collect()
            };
            by_name(kind_a, of_a) == by_name(kind_b, of_b)
        }
        _ => true,
    }
}

/// The places of the categorical variables, for those who look at states.
pub(crate) fn categorical(schema: &Schema) -> impl Iterator<Item = (VarId, &States)> {
    schema.variables().iter().enumerate().filter_map(|(place, variable)| match &variable.kind {
        Kind::Categorical(states) => Some((VarId::new(place), states)),
        _ => None,
    })
}
