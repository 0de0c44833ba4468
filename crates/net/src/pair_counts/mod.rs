//! How often any two variables were seen in any two states, of all pairs, from one pass; on their own or class by class.
//!
//! What Chow–Liu trees, tree-augmented and k-dependence classifiers and averaged one-dependence estimators ask of the data. A pair is counted
//! in the rows in which neither is missing: the table of every pair has its own number of rows (available cases), and what is estimated
//! from it is unbiased where values are missing completely at random.
//!
//! Columns of few states are counted by bits ([`bit_planes`]): 64 rows a word, and the ones that two words have in common.

mod bit_planes;
mod counting;
mod popcount;
mod shape;
#[cfg(test)]
mod tests;
mod waiting_rows;

use std::borrow::Cow;

use belief::{
    Chunk, Codes, Column, Forget, NeverObserved, Recode, Recoding, ShapeMismatch, StateMap, SufficientStatistic, VarId, count_without,
    for_codes,
};
use serde::{Deserialize, Serialize};

use counting::Tables;
use shape::Shape;
use waiting_rows::{Rows, WaitingRows};

/// The most counts that are kept: 2²⁷, a gigabyte of them.
pub const MAX_PAIR_CELLS: usize = 1 << 27;

/// So many rows are counted at once; fewer wait for more.
const ENOUGH_ROWS: usize = 1 << 15;

/// Counts of all pairs of states of all pairs of variables.
///
/// Laws: merging is associative and commutative, exactly with whole weights; the empty statistic is its identity; forgetting undoes merging.
///
/// **Complexity**: for n variables of few states, n²/2 looks at 64 rows a word; space n²/2 tables.
///
/// # Example
/// ```
/// use belief::{Chunk, Codes, Column, SufficientStatistic};
/// use tunbridge_net::{PairCounts, VarId};
///
/// let columns = [
///     Column::Categorical { codes: Codes::U8(&[0, 0, 1, 1, 255]), n_states: 2 },
///     Column::Categorical { codes: Codes::U8(&[0, 0, 1, 0, 1]), n_states: 2 },
/// ];
/// let mut counts = PairCounts::empty(&[VarId::new(0), VarId::new(1)], None, &[2, 2]);
/// counts.observe(Chunk { first_row: 0, n_rows: 5, columns: &columns, weights: None })?;
/// // Rows of (0, 0), (0, 1), (1, 0) and (1, 1); the last row has no first value.
/// assert_eq!(counts.pair(0, 1, 0), [2.0, 0.0, 1.0, 1.0]);
/// assert_eq!(counts.single(1, 0), [3.0, 2.0]);
/// # Ok::<(), belief::ShapeMismatch>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "RawPairCounts", into = "RawPairCounts")]
pub struct PairCounts {
    /// The places of the variables in the schema.
    variables: Vec<VarId>,
    target: Option<VarId>,
    shape: Shape,
    n_rows_without_class: f64,
    classes: Vec<f64>,
    singles: Vec<f64>,
    pairs: Vec<f64>,
    waiting: WaitingRows,
}

#[derive(Serialize, Deserialize)]
struct RawPairCounts {
    variables: Vec<VarId>,
    target: Option<VarId>,
    n_states: Vec<usize>,
    n_rows_without_class: f64,
    classes: Vec<f64>,
    singles: Vec<f64>,
    pairs: Vec<f64>,
}

impl PairCounts {
    /// Nothing counted. `variables` are the places in the schema of the columns to be counted, the `target` not among them; with a target, rows
    /// are told apart by its state. `n_states` has one entry for each variable of the schema.
    ///
    /// There may be too many pairs of states to count, [`MAX_PAIR_CELLS`]; then any row that is added is refused.
    ///
    /// # Panics
    /// When a place is not in `n_states`.
    pub fn empty(variables: &[VarId], target: Option<VarId>, n_states: &[usize]) -> Self {
        let variables: Vec<VarId> = variables.iter().copied().filter(|variable| Some(*variable) != target).collect();
        let n_classes = target.map_or(1, |target| n_states[target.index()]);
        let shape = Shape::new(n_classes, variables.iter().map(|variable| n_states[variable.index()]).collect());
        Self::of_shape(variables, target, shape)
    }

    fn of_shape(variables: Vec<VarId>, target: Option<VarId>, shape: Shape) -> Self {
        let fits = check_size(&shape).is_ok();
        let cells = |n: usize| vec![0.0; if fits { n } else { 0 }];
        Self {
            variables,
            target,
            n_rows_without_class: 0.0,
            classes: vec![0.0; shape.n_classes()],
            singles: cells(shape.n_single_cells()),
            pairs: cells(shape.n_pair_cells()),
            shape,
            waiting: WaitingRows::default(),
        }
    }

    /// The places in the schema of the variables that are counted. Elsewhere a variable is named by its number in this list.
    pub fn variables(&self) -> &[VarId] {
        &self.variables
    }

    /// The variable that tells rows apart, if there is one.
    pub fn target(&self) -> Option<VarId> {
        self.target
    }

    /// How many variables are counted.
    pub fn n_variables(&self) -> usize {
        self.variables.len()
    }

    /// How many classes there are; one where rows are not told apart.
    pub fn n_classes(&self) -> usize {
        self.shape.n_classes()
    }

    /// The states of each variable.
    pub fn n_states(&self) -> &[usize] {
        self.shape.n_states()
    }

    /// The weight of the rows of each class.
    pub fn classes(&self) -> Vec<f64> {
        self.settled().classes.clone()
    }

    /// The weight of all rows that have a class.
    pub fn n_rows(&self) -> f64 {
        self.settled().classes.iter().sum()
    }

    /// The weight of the rows that were left out because their class is missing.
    pub fn n_rows_without_class(&self) -> f64 {
        self.n_rows_without_class
    }

    /// How often a variable was seen in each of its states, with this class.
    ///
    /// # Panics
    /// When there is no such variable or class.
    pub fn single(&self, variable: usize, class: usize) -> Vec<f64> {
        self.settled().single_table(variable, class).to_vec()
    }

    /// How often two variables were seen in each pair of states, with this class: the states of the first are rows.
    ///
    /// # Panics
    /// When there is no such variable or class, or the two are the same.
    pub fn pair(&self, first: usize, second: usize, class: usize) -> Vec<f64> {
        let settled = self.settled();
        let table = settled.pair_table(first.min(second), first.max(second), class);
        if first < second {
            return table.to_vec();
        }
        let (rows, columns) = (self.n_states()[first], self.n_states()[second]);
        (0..rows * columns).map(|at| table[at % columns * rows + at / columns]).collect()
    }

    /// The same with every row counted. Counting is put off until there are enough rows, so ask once where much is to be read.
    pub fn settled(&self) -> Cow<'_, Self> {
        if self.waiting.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut settled = self.clone();
        settled.settle();
        Cow::Owned(settled)
    }

    /// Of a settled statistic.
    pub(crate) fn single_table(&self, variable: usize, class: usize) -> &[f64] {
        debug_assert!(self.waiting.is_empty());
        &self.singles[self.shape.single(variable, class)..][..self.n_states()[variable]]
    }

    /// Of a settled statistic; the rows are the states of the earlier variable.
    pub(crate) fn pair_table(&self, earlier: usize, later: usize, class: usize) -> &[f64] {
        debug_assert!(self.waiting.is_empty());
        &self.pairs[self.shape.pair(earlier, later, class)..][..self.n_states()[earlier] * self.n_states()[later]]
    }

    /// Every row so many times as heavy.
    pub fn scale(&mut self, by: f64) {
        self.settle();
        let counts = self.classes.iter_mut().chain(&mut self.singles).chain(&mut self.pairs);
        counts.chain([&mut self.n_rows_without_class]).for_each(|n| *n *= by);
    }

    fn settle(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        if !waiting.is_empty() {
            waiting.lend(|rows| self.count(rows));
        }
    }

    fn count(&mut self, rows: &Rows<'_>) {
        let Self { shape, classes, singles, pairs, .. } = self;
        Tables { shape, classes, singles, pairs }.count(rows);
    }

    /// Rows are counted at once where they are many, else kept until they are.
    fn take(&mut self, rows: &Rows<'_>) {
        if self.waiting.is_empty() && rows.n_rows >= ENOUGH_ROWS {
            return self.count(rows);
        }
        self.waiting.push(rows, self.shape.n_states(), self.shape.n_classes());
        if self.waiting.len() >= ENOUGH_ROWS {
            self.settle();
        }
    }

    fn check_shape(&self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("variables", self.variables.len(), other.variables.len())?;
        let same = self.variables.iter().zip(&other.variables).filter(|(a, b)| a == b).count();
        ShapeMismatch::check("variables at the same place", self.variables.len(), same)?;
        let place = |target: Option<VarId>| target.map_or(usize::MAX, VarId::index);
        ShapeMismatch::check("the place of the target", place(self.target), place(other.target))?;
        ShapeMismatch::check("classes", self.shape.n_classes(), other.shape.n_classes())?;
        self.n_states().iter().zip(other.n_states()).try_for_each(|(a, b)| ShapeMismatch::check("states", *a, *b))?;
        check_size(&self.shape)
    }

    /// That nothing was counted of the states and classes that are dropped. Of a settled statistic.
    fn check_dropped(&self, maps: &[Option<&StateMap>], class_map: Option<&StateMap>) -> Result<(), ShapeMismatch> {
        let dropped = |what: &'static str, place: usize| ShapeMismatch { what, expected: 0, found: place };
        for class in 0..self.n_classes() {
            if self.classes[class] != 0.0 && !is_kept(class_map, class) {
                return Err(dropped("a class that is dropped though it was counted", class));
            }
            for (variable, map) in maps.iter().enumerate() {
                let n_met = self.single_table(variable, class).iter().enumerate();
                if let Some((state, _)) = n_met.filter(|(_, n)| **n != 0.0).find(|(state, _)| !is_kept(*map, *state)) {
                    return Err(dropped("a state that is dropped though it was counted", state));
                }
            }
        }
        Ok(())
    }

    /// The codes of a column, if it is as this statistic needs it.
    fn codes<'a>(chunk: &Chunk<'a>, variable: VarId, n_states: usize) -> Result<Codes<'a>, ShapeMismatch> {
        match chunk.columns.get(variable.index()) {
            Some(Column::Categorical { codes, n_states: found }) => {
                ShapeMismatch::check("rows of a column", chunk.n_rows, codes.len())?;
                match *found <= n_states {
                    true => Ok(*codes),
                    false => Err(ShapeMismatch { what: "states of a column", expected: n_states, found: *found }),
                }
            }
            _ => Err(ShapeMismatch { what: "columns of states where pairs of states are counted", expected: 1, found: 0 }),
        }
    }
}

/// Equal counts, whether rows wait or not.
impl PartialEq for PairCounts {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (self.settled(), other.settled());
        (&a.variables, a.target, &a.shape, a.n_rows_without_class) == (&b.variables, b.target, &b.shape, b.n_rows_without_class)
            && (&a.classes, &a.singles, &a.pairs) == (&b.classes, &b.singles, &b.pairs)
    }
}

impl SufficientStatistic for PairCounts {
    type Columns<'a> = Chunk<'a>;

    /// Adds rows; nothing is added when a column has the wrong shape.
    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        check_size(&self.shape)?;
        if let Some(weights) = chunk.weights {
            ShapeMismatch::check("weights", chunk.n_rows, weights.len())?;
        }
        let columns = self.variables.iter().zip(self.shape.n_states()).map(|(variable, n)| Self::codes(&chunk, *variable, *n));
        let columns: Vec<Codes<'_>> = columns.collect::<Result<_, _>>()?;
        let classes = self.target.map(|target| Self::codes(&chunk, target, self.shape.n_classes())).transpose()?;
        if let Some(classes) = classes {
            self.n_rows_without_class += weight_without_class(classes, chunk.weights);
        }
        self.take(&Rows { n_rows: chunk.n_rows, columns: &columns, classes, weights: chunk.weights });
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.check_shape(other)?;
        self.n_rows_without_class += other.n_rows_without_class;
        let add = |mine: &mut [f64], theirs: &[f64]| mine.iter_mut().zip(theirs).for_each(|(a, b)| *a += b);
        add(&mut self.classes, &other.classes);
        add(&mut self.singles, &other.singles);
        add(&mut self.pairs, &other.pairs);
        if !other.waiting.is_empty() {
            other.waiting.lend(|rows| self.take(rows));
        }
        Ok(())
    }
}

impl Forget for PairCounts {
    fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        self.check_shape(other)?;
        self.settle();
        let other = other.settled();
        let without =
            |mine: &[f64], theirs: &[f64]| mine.iter().zip(theirs).map(|(a, b)| count_without(*a, *b)).collect::<Result<Vec<_>, _>>();
        let n_rows_without_class = count_without(self.n_rows_without_class, other.n_rows_without_class)?;
        let (classes, singles) = (without(&self.classes, &other.classes)?, without(&self.singles, &other.singles)?);
        self.pairs = without(&self.pairs, &other.pairs)?;
        (self.classes, self.singles, self.n_rows_without_class) = (classes, singles, n_rows_without_class);
        Ok(())
    }
}

impl Recode for PairCounts {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        let class_map = self.target.and_then(|target| recoding.of(target.index()));
        check_map(class_map, self.n_classes())?;
        let maps: Vec<Option<&StateMap>> = self.variables.iter().map(|variable| recoding.of(variable.index())).collect();
        maps.iter().zip(self.n_states()).try_for_each(|(map, n)| check_map(*map, *n))?;
        if maps.iter().chain([&class_map]).flatten().any(|map| map.to.contains(&StateMap::DROPPED)) {
            // What is dropped must not have been counted, and that is known once all is.
            self.settle();
            self.check_dropped(&maps, class_map)?;
        }
        let new_states = maps.iter().zip(self.n_states()).map(|(map, n)| map.map_or(*n, |map| map.n_states)).collect();
        let shape = Shape::new(class_map.map_or(self.n_classes(), |map| map.n_states), new_states);
        check_size(&shape)?;
        let is_identity = |map: &Option<&StateMap>| map.is_none_or(StateMap::is_identity);
        if shape == self.shape && maps.iter().chain([&class_map]).all(is_identity) {
            return Ok(());
        }
        self.waiting.recode(|place| maps[place], class_map)?;
        let mut recoded = Self::of_shape(self.variables.clone(), self.target, shape);
        let to = |map: Option<&StateMap>, state: usize| map.map_or(state, |map| map.to[state] as usize);
        for class in (0..self.n_classes()).filter(|class| is_kept(class_map, *class)) {
            let new_class = to(class_map, class);
            recoded.classes[new_class] += self.classes[class];
            for (variable, map) in maps.iter().enumerate() {
                let kept = (0..self.n_states()[variable]).filter(|state| is_kept(*map, *state));
                let (old, new) = (self.shape.single(variable, class), recoded.shape.single(variable, new_class));
                kept.for_each(|state| recoded.singles[new + to(*map, state)] += self.singles[old + state]);
            }
            for earlier in 0..maps.len() {
                for later in earlier + 1..maps.len() {
                    let (old, new) = (self.shape.pair(earlier, later, class), recoded.shape.pair(earlier, later, new_class));
                    let (columns, new_columns) = (self.n_states()[later], recoded.n_states()[later]);
                    for (at, n) in self.pairs[old..old + self.n_states()[earlier] * columns].iter().enumerate().filter(|(_, n)| **n != 0.0)
                    {
                        let (row, column) = (to(maps[earlier], at / columns), to(maps[later], at % columns));
                        recoded.pairs[new + row * new_columns + column] += n;
                    }
                }
            }
        }
        recoded.n_rows_without_class = self.n_rows_without_class;
        recoded.waiting = std::mem::take(&mut self.waiting);
        *self = recoded;
        Ok(())
    }
}

fn check_size(shape: &Shape) -> Result<(), ShapeMismatch> {
    let found = shape.n_cells();
    match found <= MAX_PAIR_CELLS {
        true => Ok(()),
        false => Err(ShapeMismatch { what: "counts of pairs of states, at most", expected: MAX_PAIR_CELLS, found }),
    }
}

fn check_map(map: Option<&StateMap>, n: usize) -> Result<(), ShapeMismatch> {
    let Some(map) = map else { return Ok(()) };
    ShapeMismatch::check("states to rename", n, map.to.len())?;
    match map.to.iter().find(|&&to| to as usize >= map.n_states && to != StateMap::DROPPED) {
        Some(&far) => Err(ShapeMismatch { what: "a renamed state", expected: map.n_states, found: far as usize }),
        None => Ok(()),
    }
}

fn is_kept(map: Option<&StateMap>, state: usize) -> bool {
    map.is_none_or(|map| map.to[state] != StateMap::DROPPED)
}

fn weight_without_class(classes: Codes<'_>, weights: Option<&[f64]>) -> f64 {
    fn sum<C: belief::Code>(codes: &[C], weights: Option<&[f64]>) -> f64 {
        let missing = codes.iter().enumerate().filter(|(_, code)| code.index() == C::MISSING.index());
        missing.map(|(row, _)| weights.map_or(1.0, |weights| weights[row])).sum()
    }
    for_codes!(classes, codes => sum(codes, weights))
}

impl TryFrom<RawPairCounts> for PairCounts {
    type Error = String;

    fn try_from(raw: RawPairCounts) -> Result<Self, String> {
        if raw.variables.len() != raw.n_states.len() || !raw.variables.is_sorted_by(|a, b| a < b) {
            return Err("the variables of the pairs are not in order, or not as many as their numbers of states".into());
        }
        if raw.target.is_some_and(|target| raw.variables.contains(&target)) || (raw.target.is_none() && raw.classes.len() != 1) {
            return Err("the classes of the pairs do not fit their target".into());
        }
        let shape = Shape::new(raw.classes.len(), raw.n_states);
        let found = (raw.singles.len(), raw.pairs.len());
        if check_size(&shape).is_err() || found != (shape.n_single_cells(), shape.n_pair_cells()) {
            return Err(format!("{} counts of single states and {} of pairs do not fit their numbers of states", found.0, found.1));
        }
        let counts = raw.classes.iter().chain(&raw.singles).chain(&raw.pairs).chain([&raw.n_rows_without_class]);
        if counts.into_iter().any(|n| !n.is_finite() || *n < 0.0) {
            return Err("a count is negative or not finite".into());
        }
        Ok(Self {
            variables: raw.variables,
            target: raw.target,
            shape,
            n_rows_without_class: raw.n_rows_without_class,
            classes: raw.classes,
            singles: raw.singles,
            pairs: raw.pairs,
            waiting: WaitingRows::default(),
        })
    }
}

impl From<PairCounts> for RawPairCounts {
    fn from(mut counts: PairCounts) -> Self {
        counts.settle();
        Self {
            variables: counts.variables,
            target: counts.target,
            n_states: counts.shape.n_states().to_vec(),
            n_rows_without_class: counts.n_rows_without_class,
            classes: counts.classes,
            singles: counts.singles,
            pairs: counts.pairs,
        }
    }
}
