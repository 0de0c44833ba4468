//! From TBN's rows, causes and trees to distributions.

use super::super::draft::{DraftTable, Laid, MAX_FILLED, Shape};
use super::super::lexical::{Fault, Word, shortened};
use super::{Body, CauseOf, Noisy, Row, Tree};
use crate::conditional::{
    Conditional, ConditionalFault, ConditionalTable, ConditionalTree, DeterministicTable, NoisyCause, NoisyMax, TreeNode,
};

/// How many configurations rows with `*` may be tried against in one file.
const MAX_TRIED: usize = 16 * MAX_FILLED;

/// Where a row stands, the states it is for by place, and what it says.
type PlacedRow<T> = (usize, Vec<Option<usize>>, Vec<T>);

/// What was filled in so far.
#[derive(Default)]
pub(super) struct Layout {
    n_filled: usize,
    n_tried: usize,
}

/// The nodes of a tree as far as it was read.
#[derive(Default)]
struct Grown {
    nodes: Vec<TreeNode>,
    /// Where each stands.
    offsets: Vec<usize>,
    /// The parents that were asked for on the way here.
    above: Vec<usize>,
}

impl Layout {
    pub fn table(&mut self, table: &DraftTable<'_, Body<'_>>, shape: &Shape<'_, '_>) -> Result<Laid, Fault> {
        let refused = |offset: usize, fault: ConditionalFault| {
            let what = format!("the distribution of `{}` is none: {fault}", shortened(&table.child.text));
            Fault::new(offset, what, "")
        };
        match &table.body {
            Body::Table(rows) => {
                let complete =
                    |row: &Row<'_, Vec<f64>>| Ok((row.offset, keyed(row, shape)?, completed(&row.says, shape.n_states, row.offset)?));
                let rows = rows.iter().map(complete).collect::<Result<Vec<_>, Fault>>()?;
                let (values, rows_at) = self.rows(&rows, shape, shape.n_states)?;
                Ok(Laid::Rows { values, rows_at })
            }
            Body::Deterministic(rows) => {
                let certain =
                    |row: &Row<'_, Word<'_>>| Ok((row.offset, keyed(row, shape)?, vec![shape.variable.state_of(&row.says)? as u32]));
                let rows = rows.iter().map(certain).collect::<Result<Vec<_>, Fault>>()?;
                let (states, _) = self.rows(&rows, shape, 1)?;
                let made = DeterministicTable::new(shape.n_states, states).map_err(|fault| refused(table.child.offset, fault))?;
                Ok(Laid::Other(Conditional::Deterministic(made)))
            }
            Body::Noisy(noisy) => {
                let n_parent_states: usize = shape.parents.iter().map(|parent| parent.states.len()).sum();
                self.count(n_parent_states.saturating_mul(shape.n_states), shape)?;
                let made = noisy_max(noisy, shape, table.child.offset)?.map_err(|fault| refused(table.child.offset, fault))?;
                Ok(Laid::Other(Conditional::NoisyMax(made)))
            }
            Body::Tree(tree) => {
                let mut grown = Grown::default();
                self.grow(tree, shape, &mut grown)?;
                let Grown { nodes, offsets, .. } = grown;
                let parent_states = shape.parents.iter().map(|parent| parent.states.len()).collect();
                let made = ConditionalTree::new(shape.n_states, parent_states, nodes).map_err(|fault| match &fault {
                    ConditionalFault::Leaf { node, fault: of_leaf } => {
                        Fault::new(offsets[*node], format!("a leaf of `{}`: {of_leaf}", shortened(&table.child.text)), "correct the leaf")
                    }
                    _ => refused(table.child.offset, fault),
                })?;
                Ok(Laid::Other(Conditional::Tree(made)))
            }
        }
    }

    /// Counts entries that are more than their text.
    fn count(&mut self, n_entries: usize, shape: &Shape<'_, '_>) -> Result<(), Fault> {
        self.n_filled = self.n_filled.checked_add(n_entries).filter(|&filled| filled <= MAX_FILLED).ok_or_else(|| shape.too_large())?;
        Ok(())
    }

    /// What each configuration of the parents has, `width` of them, and where it is said. The first row that fits counts; a row that no
    /// configuration is left for is a mistake.
    fn rows<T: Copy + Default>(
        &mut self,
        rows: &[PlacedRow<T>],
        shape: &Shape<'_, '_>,
        width: usize,
    ) -> Result<(Vec<T>, Vec<usize>), Fault> {
        if rows.len() < shape.n_rows {
            self.count(shape.n_rows.saturating_mul(width), shape)?;
        }
        let mut all = vec![T::default(); shape.n_rows * width];
        let mut rows_at = vec![usize::MAX; shape.n_rows];
        let name = shortened(&shape.variable.name.text);
        for (offset, key, says) in rows {
            let mut is_new = false;
            let n_fits = each_fitting(key, shape, |row| {
                if rows_at[row] == usize::MAX {
                    rows_at[row] = *offset;
                    all[row * width..][..width].copy_from_slice(says);
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
        if let Some(missing) = rows_at.iter().position(|&offset| offset == usize::MAX) {
            let what = format!("the table of `{name}` has no row for {}", spelled(missing, shape));
            return Err(Fault::new(shape.variable.name.offset, what, "add the row, or a last row `*` for all others"));
        }
        Ok((all, rows_at))
    }

    /// The nodes of a tree, each before those it leads to, and where they stand.
    fn grow(&mut self, tree: &Tree<'_>, shape: &Shape<'_, '_>, grown: &mut Grown) -> Result<(), Fault> {
        let (parent, branches) = match tree {
            Tree::Leaf(offset, values) => {
                grown.nodes.push(TreeNode::Leaf(completed(values, shape.n_states, *offset)?));
                grown.offsets.push(*offset);
                return Ok(());
            }
            Tree::Split(parent, branches) => (parent, branches),
        };
        let place = parent_place(parent, shape)?;
        if grown.above.contains(&place) {
            let what = format!(
                "the tree asks for `{}` a second time on one way down, so that some leaves are never reached",
                shortened(&parent.text)
            );
            return Err(Fault::new(parent.offset, what, "which state it is in is known here: put in its place what holds for that state"));
        }
        let of_parent = shape.parents[place];
        self.count(of_parent.states.len(), shape)?;
        let node = grown.nodes.len();
        grown.nodes.push(TreeNode::Leaf(Vec::new()));
        grown.offsets.push(parent.offset);
        grown.above.push(place);
        let mut to: Vec<Option<usize>> = vec![None; of_parent.states.len()];
        for (states, branch) in branches {
            let next = grown.nodes.len();
            let mut is_new = false;
            for word in states {
                if to[of_parent.state_of(word)?].replace(next).is_some() {
                    return Err(Fault::new(
                        word.offset,
                        format!("the state `{}` has two branches", shortened(&word.text)),
                        "leave one out",
                    ));
                }
                is_new = true;
            }
            if states.is_empty() {
                to.iter_mut().filter(|branch| branch.is_none()).for_each(|branch| (*branch, is_new) = (Some(next), true));
            }
            if !is_new {
                let what = format!("no state of `{}` is left for `*`", shortened(&parent.text));
                return Err(Fault::new(parent.offset, what, "leave the branch out"));
            }
            self.grow(branch, shape, grown)?;
        }
        grown.above.pop();
        let Some(branches) = to.iter().copied().collect() else {
            let missing = to.iter().position(Option::is_none).unwrap_or(0);
            let what =
                format!("`{}` has no branch for its state `{}`", shortened(&parent.text), shortened(&of_parent.states[missing].text));
            return Err(Fault::new(parent.offset, what, "give every state a branch, or `*` for the others"));
        };
        grown.nodes[node] = TreeNode::Test { parent: place, branches };
        Ok(())
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
    match *values {
        [first] if n_states == 2 && (0.0..=1.0).contains(&first) => Ok(vec![first, 1.0 - first]),
        [first] if n_states == 2 => {
            Err(Fault::new(offset, format!("{first} is no probability"), "give a number from 0 to 1: that of the first state"))
        }
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

/// What each parent does and the leak; a fault of the reader's, or of what is made.
fn noisy_max(noisy: &Noisy<'_>, shape: &Shape<'_, '_>, offset: usize) -> Result<Result<NoisyMax, ConditionalFault>, Fault> {
    let n_states = shape.n_states;
    let order = match &noisy.order {
        Some(order) => order.iter().map(|word| shape.variable.state_of(word)).collect::<Result<Vec<_>, _>>()?,
        None => (0..n_states).rev().collect(),
    };
    let mut nothing = vec![0.0; n_states];
    order.first().into_iter().for_each(|&lowest| nothing[lowest] = 1.0);
    if order.len() != n_states {
        let what = format!("the order names {} states of {n_states}", order.len());
        return Err(Fault::new(offset, what, "name every state once, from the weakest to the strongest"));
    }
    let mut effects: Vec<Vec<Option<Vec<f64>>>> = shape.parents.iter().map(|parent| vec![None; parent.states.len()]).collect();
    let mut absent: Vec<Option<usize>> = vec![None; shape.parents.len()];
    let mut leak = None;
    for cause in &noisy.causes {
        let values = match &cause.says {
            None => nothing.clone(),
            Some(values) => completed(values, n_states, cause.offset)?,
        };
        ConditionalTable::new(n_states, values.clone())
            .map_err(|fault| Fault::new(cause.offset, format!("this cause: {fault}"), "correct the row"))?;
        let slot = match &cause.of {
            CauseOf::Leak => &mut leak,
            CauseOf::Parent(parent, state) => {
                let place = parent_place(parent, shape)?;
                let state = state.as_ref().map_or(Ok(0), |state| shape.parents[place].state_of(state))?;
                if cause.says.is_none() {
                    absent[place] = Some(state);
                }
                &mut effects[place][state]
            }
        };
        if slot.replace(values).is_some() {
            return Err(Fault::new(cause.offset, "this cause is given twice", "leave one out"));
        }
    }
    let mut causes = Vec::with_capacity(effects.len());
    for ((effects, absent), parent) in effects.into_iter().zip(absent).zip(&shape.parents) {
        let rows: Vec<Vec<f64>> = effects.into_iter().map(|row| row.unwrap_or_else(|| nothing.clone())).collect();
        let Some(absent) = absent.or_else(|| rows.iter().rposition(|row| *row == nothing)) else {
            let what = format!("every state of the cause `{}` has an effect", shortened(&parent.name.text));
            return Err(Fault::new(offset, what, "one state of each cause must be without effect: leave its row out"));
        };
        match NoisyCause::new(absent, n_states, rows.concat()) {
            Ok(cause) => causes.push(cause),
            Err(fault) => return Err(Fault::new(offset, format!("the cause `{}`: {fault}", shortened(&parent.name.text)), "")),
        }
    }
    Ok(NoisyMax::new(order, causes, leak.unwrap_or(nothing)))
}
