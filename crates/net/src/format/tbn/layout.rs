//! Laying TBN's rows, causes and trees out as tables.

use super::super::document::Remark;
use super::super::draft::{DraftTable, Laid, MAX_FILLED, Shape};
use super::super::lexical::{Fault, Word, shortened};
use super::super::noisy::{Link, noisy_max};
use super::{Body, Cause, CauseOf, Row, Tree};

/// How many configurations rows with `*` may be tried against in one file.
const MAX_TRIED: usize = 16 * MAX_FILLED;

/// Where a row stands, the states it is for by place, and its probabilities.
type PlacedRow = (usize, Vec<Option<usize>>, Vec<f64>);

/// What was filled in so far, and what is to be said of it.
#[derive(Default)]
pub(super) struct Layout {
    n_filled: usize,
    n_tried: usize,
    pub remarks: Vec<Remark>,
}

impl Layout {
    pub fn table(&mut self, table: &DraftTable<'_, Body<'_>>, shape: &Shape<'_, '_>) -> Result<Laid, Fault> {
        match &table.body {
            Body::Table(rows) => {
                let rows_of: Vec<_> = rows
                    .iter()
                    .map(|row| Ok((row.offset, keyed(row, shape)?, completed(&row.says, shape.n_states, row.offset)?)))
                    .collect::<Result<_, Fault>>()?;
                self.rows(&rows_of, shape)
            }
            Body::Deterministic(rows) => {
                self.count(rows.len().saturating_mul(shape.n_states), shape)?;
                let certain = |row: &Row<'_, Word<'_>>| {
                    let mut values = vec![0.0; shape.n_states];
                    values[shape.variable.state_of(&row.says)?] = 1.0;
                    Ok((row.offset, keyed(row, shape)?, values))
                };
                let rows_of: Vec<_> = rows.iter().map(certain).collect::<Result<_, Fault>>()?;
                self.rows(&rows_of, shape)
            }
            Body::Noisy(causes) => {
                self.fill(shape)?;
                let n_parent_states: usize = shape.parents.iter().map(|parent| parent.states.len()).sum();
                self.count(n_parent_states.saturating_mul(shape.n_states), shape)?;
                let (links, leak) = links(causes, shape, table)?;
                self.spelled_out(shape, "noisy-max");
                Ok(Laid { values: noisy_max(shape, &links, &leak), rows_at: vec![table.child.offset; shape.n_rows] })
            }
            Body::Tree(tree) => {
                self.fill(shape)?;
                let mut laid = Laid { values: vec![0.0; shape.n_entries], rows_at: vec![usize::MAX; shape.n_rows] };
                let mut key = vec![None; shape.parents.len()];
                grow(tree, shape, &mut key, &mut laid)?;
                if laid.rows_at.contains(&usize::MAX) {
                    let what = format!("the tree of `{}` leaves some configurations of the parents out", shortened(&table.child.text));
                    return Err(Fault::new(table.child.offset, what, "give every state a branch, or `*` for the others"));
                }
                self.spelled_out(shape, "tree");
                Ok(laid)
            }
        }
    }

    fn spelled_out(&mut self, shape: &Shape<'_, '_>, kind: &str) {
        let what = format!("the {kind} of `{}` is kept as a table", shortened(&shape.variable.name.text));
        self.remarks.push(Remark::TakenAs { what });
    }

    /// Counts a table that is larger than its text.
    fn fill(&mut self, shape: &Shape<'_, '_>) -> Result<(), Fault> {
        self.count(shape.n_entries, shape)
    }

    fn count(&mut self, n_entries: usize, shape: &Shape<'_, '_>) -> Result<(), Fault> {
        self.n_filled = self.n_filled.checked_add(n_entries).filter(|&filled| filled <= MAX_FILLED).ok_or_else(|| shape.too_large())?;
        Ok(())
    }

    /// The first row that fits counts; a row that no configuration is left for is a mistake.
    fn rows(&mut self, rows: &[PlacedRow], shape: &Shape<'_, '_>) -> Result<Laid, Fault> {
        if rows.len() < shape.n_rows {
            self.fill(shape)?;
        }
        let mut laid = Laid { values: vec![0.0; shape.n_entries], rows_at: vec![usize::MAX; shape.n_rows] };
        let name = shortened(&shape.variable.name.text);
        for (offset, key, values) in rows {
            let mut is_new = false;
            let n_fits = each_fitting(key, shape, |row| {
                if laid.rows_at[row] == usize::MAX {
                    laid.rows_at[row] = *offset;
                    laid.values[row * shape.n_states..][..shape.n_states].copy_from_slice(values);
                    is_new = true;
                }
            });
            self.n_tried += n_fits;
            if self.n_tried > MAX_TRIED {
                return Err(Fault::new(*offset, format!("the rows of `{name}` overlap too much"), "use fewer rows with `*`"));
            }
            if !is_new {
                let what = format!("this row of `{name}` never counts: the rows above fit everything that it fits");
                return Err(Fault::new(*offset, what, "leave it out, or put it before them"));
            }
        }
        if let Some(missing) = laid.rows_at.iter().position(|&offset| offset == usize::MAX) {
            let what = format!("the table of `{name}` has no row for {}", spelled(missing, shape));
            return Err(Fault::new(shape.variable.name.offset, what, "add the row, or a last row `*` for all others"));
        }
        Ok(laid)
    }
}

/// Calls for every configuration that fits; how many there were.
fn each_fitting(key: &[Option<usize>], shape: &Shape<'_, '_>, mut each: impl FnMut(usize)) -> usize {
    let mut strides = vec![1; key.len()];
    for place in (0..key.len().saturating_sub(1)).rev() {
        strides[place] = strides[place + 1] * shape.parents[place + 1].states.len();
    }
    let fixed: usize = key.iter().zip(&strides).map(|(state, stride)| state.unwrap_or(0) * stride).sum();
    let free: Vec<(usize, usize)> =
        (0..key.len()).filter(|&place| key[place].is_none()).map(|place| (shape.parents[place].states.len(), strides[place])).collect();
    let mut digits = vec![0; free.len()];
    let mut n_fits = 0;
    loop {
        each(fixed + digits.iter().zip(&free).map(|(digit, (_, stride))| digit * stride).sum::<usize>());
        n_fits += 1;
        let mut place = free.len();
        loop {
            if place == 0 {
                return n_fits;
            }
            place -= 1;
            digits[place] = (digits[place] + 1) % free[place].0;
            if digits[place] != 0 {
                break;
            }
        }
    }
}

/// The states a row is for, by place; a lone `*` is for every configuration.
fn keyed<T>(row: &Row<'_, T>, shape: &Shape<'_, '_>) -> Result<Vec<Option<usize>>, Fault> {
    let n_parents = shape.parents.len();
    if matches!(row.key[..], [None]) {
        return Ok(vec![None; n_parents]);
    }
    if row.key.len() != n_parents {
        let what = format!("this row names {} states, but there are {n_parents} parents", row.key.len());
        return Err(Fault::new(row.offset, what, "name one state of each parent, in the order of `given`; `*` is any"));
    }
    row.key.iter().zip(&shape.parents).map(|(state, parent)| state.as_ref().map(|word| parent.state_of(word)).transpose()).collect()
}

/// All probabilities of a row: of two states the second may be left out.
fn completed(values: &[f64], n_states: usize, offset: usize) -> Result<Vec<f64>, Fault> {
    match values {
        &[first] if n_states == 2 && (0.0..=1.0).contains(&first) => Ok(vec![first, 1.0 - first]),
        _ if values.len() == n_states => Ok(values.to_vec()),
        _ => {
            let what = format!("expected {n_states} probabilities, found {}", values.len());
            Err(Fault::new(offset, what, "one for each state, in order, with commas between"))
        }
    }
}

fn spelled(row: usize, shape: &Shape<'_, '_>) -> String {
    let mut left = row;
    let mut parts: Vec<String> = Vec::new();
    for parent in shape.parents.iter().rev() {
        let state = &parent.states[left % parent.states.len()];
        left /= parent.states.len();
        parts.push(format!("{}={}", shortened(&parent.name.text), shortened(&state.text)));
    }
    parts.reverse();
    parts.join(", ")
}

fn parent_place(word: &Word<'_>, shape: &Shape<'_, '_>) -> Result<usize, Fault> {
    shape.parents.iter().position(|parent| parent.name.text == word.text).ok_or_else(|| {
        let what = format!("`{}` is no parent of `{}`", shortened(&word.text), shortened(&shape.variable.name.text));
        Fault::new(word.offset, what, "name it after `given`")
    })
}

/// The links of all parents and the leak.
fn links(causes: &[Cause<'_>], shape: &Shape<'_, '_>, table: &DraftTable<'_, Body<'_>>) -> Result<(Vec<Link>, Vec<f64>), Fault> {
    let nothing = || {
        let mut row = vec![0.0; shape.n_states];
        row.last_mut().into_iter().for_each(|last| *last = 1.0);
        row
    };
    if table.parents.is_empty() {
        let what = format!("`{}` has no parents to be its causes", shortened(&table.child.text));
        return Err(Fault::new(table.child.offset, what, "name them after `given`"));
    }
    let mut links: Vec<Vec<Option<Vec<f64>>>> = shape.parents.iter().map(|parent| vec![None; parent.states.len()]).collect();
    let mut leak = None;
    for cause in causes {
        let values = completed(&cause.values, shape.n_states, cause.offset)?;
        let sum: f64 = values.iter().sum();
        if values.iter().any(|value| *value < 0.0) || (sum - 1.0).abs() > crate::ROW_SUM_TOLERANCE {
            return Err(Fault::new(cause.offset, format!("the probabilities of this cause sum to {sum}, not to 1"), "correct the row"));
        }
        let slot = match &cause.of {
            CauseOf::Leak => &mut leak,
            CauseOf::Parent(parent, state) => {
                let place = parent_place(parent, shape)?;
                let state = state.as_ref().map_or(Ok(0), |state| shape.parents[place].state_of(state))?;
                &mut links[place][state]
            }
        };
        if slot.replace(values.iter().map(|value| value / sum).collect()).is_some() {
            return Err(Fault::new(cause.offset, "this cause is given twice", "leave one out"));
        }
    }
    let links = links.into_iter().map(|link| link.into_iter().map(|row| row.unwrap_or_else(nothing)).collect()).collect();
    Ok((links, leak.unwrap_or_else(nothing)))
}

/// Puts a tree's leaves into the rows they are for.
fn grow(tree: &Tree<'_>, shape: &Shape<'_, '_>, key: &mut Vec<Option<usize>>, laid: &mut Laid) -> Result<(), Fault> {
    match tree {
        Tree::Leaf(offset, values) => {
            let values = completed(values, shape.n_states, *offset)?;
            each_fitting(key, shape, |row| {
                laid.rows_at[row] = *offset;
                laid.values[row * shape.n_states..][..shape.n_states].copy_from_slice(&values);
            });
            Ok(())
        }
        Tree::Split(parent, branches) => {
            let place = parent_place(parent, shape)?;
            let twice =
                |word: &Word<'_>, what: &str| Fault::new(word.offset, format!("`{}` {what}", shortened(&word.text)), "leave one out");
            if key[place].is_some() {
                return Err(twice(parent, "is asked for twice on one way down"));
            }
            let mut others: Vec<bool> = vec![true; shape.parents[place].states.len()];
            for (state, branch) in branches {
                let states = match state {
                    Some(word) => vec![shape.parents[place].state_of(word)?],
                    None => (0..others.len()).filter(|&state| others[state]).collect(),
                };
                for state_idx in states {
                    if !std::mem::replace(&mut others[state_idx], false) {
                        return Err(state
                            .as_ref()
                            .map_or_else(|| twice(parent, "has a branch twice"), |word| twice(word, "has two branches")));
                    }
                    key[place] = Some(state_idx);
                    grow(branch, shape, key, laid)?;
                }
            }
            key[place] = None;
            Ok(())
        }
    }
}
