//! Rows as an average reads them, and as each of its members sees them: the same cells, but numbers may be cut into bins, states may be fewer or
//! have other places, and whether a value is missing may be a column of its own.

use belief::{Chunk, Codes, Column, Kind, Role, Schema, ShapeMismatch, States, Variable, bin_of};
use data::MadeColumns;

use super::member::MemberModel;
use crate::align::union;
use crate::{Error, Recipe};

/// How a member sees the rows of an average: where each of its columns comes from.
#[derive(Clone, Debug)]
pub(super) struct View {
    columns: Vec<Seen>,
    /// How many columns the average reads.
    n_read: usize,
    /// Whether there is nothing to be done.
    is_same: bool,
}

#[derive(Clone, Debug)]
enum Seen {
    /// The average does not read it.
    Nowhere,
    /// The column at this place, as it is.
    AsRead(usize),
    /// States by their own places; those that the member does not know are missing.
    Renamed { of: usize, to: Vec<u32>, n_states: usize },
    /// A number by the bin that it lies in.
    Bins { of: usize, cuts: Vec<f64> },
    /// Whether another column is missing.
    Absence { of: usize },
}

const MISSING: u32 = u32::MAX;

impl View {
    /// How a member of these columns sees rows that are read as `all`.
    pub fn new(all: &Schema, own: &Schema, made: &MadeColumns) -> Self {
        let seen = |variable: &Variable| {
            if let Some(of) = made.absence_of.get(&variable.name) {
                return all.find(of).map_or(Seen::Nowhere, |of| Seen::Absence { of: of.index() });
            }
            let Some(id) = all.find(&variable.name) else { return Seen::Nowhere };
            let of = id.index();
            if let Some(cuts) = made.cuts.get(&variable.name) {
                return Seen::Bins { of, cuts: cuts.clone() };
            }
            match (&variable.kind, &all.variable(id).kind) {
                (Kind::Categorical(own), Kind::Categorical(all)) if own.names() != all.names() => {
                    let place = |name: &String| own.names().iter().position(|known| known == name).map_or(MISSING, |place| place as u32);
                    Seen::Renamed { of, to: all.names().iter().map(place).collect(), n_states: own.len() }
                }
                _ => Seen::AsRead(of),
            }
        };
        let columns: Vec<Seen> = own.variables().iter().map(seen).collect();
        let n_read = all.variables().len();
        let is_same =
            columns.len() == n_read && columns.iter().enumerate().all(|(place, seen)| matches!(seen, Seen::AsRead(of) if *of == place));
        Self { columns, n_read, is_same }
    }

    /// Lends the rows as the member sees them.
    ///
    /// # Errors
    /// When the columns are not those that the average reads.
    pub fn lend<R>(&self, chunk: &Chunk<'_>, see: impl FnOnce(&Chunk<'_>) -> R) -> Result<R, ShapeMismatch> {
        ShapeMismatch::check("columns", self.n_read, chunk.columns.len())?;
        if self.is_same {
            return Ok(see(chunk));
        }
        let made: Vec<Option<(Vec<u32>, usize)>> = self.columns.iter().map(|seen| seen.made(chunk)).collect();
        let columns = self.columns.iter().zip(&made).map(|(seen, made)| match (seen, made) {
            (_, Some((codes, n_states))) => Column::Categorical { codes: Codes::U32(codes), n_states: *n_states },
            (Seen::AsRead(of), None) => chunk.columns[*of],
            _ => Column::Absent,
        });
        let columns: Vec<Column<'_>> = columns.collect();
        Ok(see(&Chunk { columns: &columns, ..*chunk }))
    }
}

impl Seen {
    /// The codes of a column that is made of one that was read, and how many states it has.
    fn made(&self, chunk: &Chunk<'_>) -> Option<(Vec<u32>, usize)> {
        match (self, chunk.columns[self.of()?]) {
            (Seen::Renamed { to, n_states, .. }, Column::Categorical { codes, .. }) => {
                let renamed = |row| codes.get(row).and_then(|state| to.get(state).copied()).unwrap_or(MISSING);
                Some(((0..chunk.n_rows).map(renamed).collect(), *n_states))
            }
            (Seen::Bins { cuts, .. }, Column::Numeric(numbers)) => {
                let bin = |x: &f64| bin_of(cuts, *x).map_or(MISSING, |bin| bin as u32);
                Some((numbers.iter().map(bin).collect(), cuts.len() + 1))
            }
            (Seen::Absence { .. }, Column::Categorical { codes, .. }) => {
                Some(((0..chunk.n_rows).map(|row| u32::from(codes.get(row).is_none())).collect(), MadeColumns::ABSENCE.len()))
            }
            (Seen::Absence { .. }, Column::Numeric(numbers)) => {
                Some((numbers.iter().map(|x| u32::from(x.is_nan())).collect(), MadeColumns::ABSENCE.len()))
            }
            // A column that is not there says nothing of why.
            _ => None,
        }
    }

    fn of(&self) -> Option<usize> {
        match self {
            Seen::Nowhere => None,
            Seen::AsRead(of) | Seen::Renamed { of, .. } | Seen::Bins { of, .. } | Seen::Absence { of } => Some(*of),
        }
    }
}

/// How an average reads rows, so that every member finds there what it looks at: the columns of all, numbers as numbers.
///
/// # Errors
/// When members do not go together; the one that does not is named.
pub(super) fn read_for_all(members: &[(&str, &MemberModel)]) -> Result<(Schema, Recipe), Error> {
    const AGAIN: &str = "learn the models with the same flags about columns and how they are read";
    let Some(((first, _), _)) = members.split_first() else { return Err(Error::unfit("an average has two members or more", AGAIN)) };
    let mut all: Vec<Variable> = Vec::new();
    for (name, model) in members {
        let unlike =
            |column: &str, what: String| Error::unfit(format!("`{name}` takes `{column}` {what}, as `{first}` or another does not"), AGAIN);
        for variable in model.schema().variables() {
            let made = &model.recipe().made;
            if made.absence_of.contains_key(&variable.name) {
                continue;
            }
            let kind = if made.cuts.contains_key(&variable.name) { Kind::Numeric } else { variable.kind.clone() };
            let variable = Variable { kind, ..variable.clone() };
            let Some(known) = all.iter_mut().find(|known| known.name == variable.name) else {
                all.push(variable);
                continue;
            };
            match (&known.role, &variable.role) {
                // What one leaves out another may look at.
                (Role::Ignored(_), _) => *known = variable,
                (_, Role::Ignored(_)) => {}
                (one, other) if one != other => return Err(unlike(&variable.name, format!("for {}", part(other)))),
                _ => {
                    known.kind = kind_for_both(&known.kind, &variable.kind).ok_or_else(|| unlike(&variable.name, words(&variable.kind)))?
                }
            }
        }
    }
    let schema = Schema::new(all).map_err(|e| Error::unfit(e.to_string(), AGAIN))?;
    Ok((schema, recipe_for_all(members)?))
}

fn part(role: &Role) -> &'static str {
    match role {
        Role::Input => "a column to learn from",
        Role::Target => "the one to predict",
        Role::Weight => "the rows' weight",
        Role::Ignored(_) => "nothing",
    }
}

fn words(kind: &Kind) -> String {
    match kind {
        Kind::Text(_) => "for a text of its own words".into(),
        other => format!("for {}", other.word()),
    }
}

/// What a column is read as, so that both find what they look at.
fn kind_for_both(one: &Kind, other: &Kind) -> Option<Kind> {
    match (one, other) {
        (Kind::Categorical(one), Kind::Categorical(other)) if one.names() != other.names() => {
            union(one, other).ok().map(|(all, _, _): (States, _, _)| Kind::Categorical(all))
        }
        (Kind::Categorical(_), Kind::Categorical(_)) => Some(one.clone()),
        (one, other) => (one == other).then(|| one.clone()),
    }
}

/// How cells are read. What a member makes of numbers and words is in its own recipe.
fn recipe_for_all(members: &[(&str, &MemberModel)]) -> Result<Recipe, Error> {
    let has_texts = |model: &MemberModel| {
        let is_text = |variable: &Variable| variable.role == Role::Input && matches!(variable.kind, Kind::Text(_));
        model.schema().variables().iter().any(is_text)
    };
    let of_texts = members.iter().find(|(_, model)| has_texts(model));
    let (first, model) = of_texts.unwrap_or(&members[0]);
    let recipe = model.recipe();
    for (name, model) in members {
        let other = model.recipe();
        let same_cells = (&recipe.missing, &recipe.names, &recipe.labels) == (&other.missing, &other.names, &other.labels);
        let same_words = !has_texts(model) || (&recipe.words, recipe.max_vocabulary) == (&other.words, other.max_vocabulary);
        if !same_cells || !same_words {
            let what = format!("`{name}` reads rows in another way than `{first}`: other missing markers, names or words");
            return Err(Error::unfit(what, "learn the models with the same flags about how rows are read"));
        }
    }
    let Recipe { missing, words, max_vocabulary, names, labels, .. } = recipe.clone();
    let days = members.iter().map(|(_, model)| model.recipe().days.clone()).collect::<Option<Vec<_>>>();
    let days = days.map(|days| days.into_iter().flatten().collect());
    Ok(Recipe { missing, words, max_vocabulary, names, labels, days, ..Recipe::default() })
}
