//! The model: what the counts and the prior say together.

use belief::{Chunk, Code, Column, Kind, Schema, ShapeMismatch, for_codes, log_sum_exp};

use super::prior::AodePrior;
use super::statistic::AodeStatistic;
use crate::LearnError;

/// An average of one-dependence estimators.
///
/// P(y, x) is the mean over parents i of P(y, xᵢ) Πⱼ P(xⱼ | y, xᵢ). A value is a parent if enough rows have it ([`AodePrior::least_rows`]); where
/// none of a row's is, the row is classified by naive Bayes, as in the paper. What is missing in a row is neither parent nor child, and so is a state
/// that was neither declared nor seen in learning. A class that has no rows and was not declared is impossible.
///
/// **Complexity** of making it: two logarithms for each pair of states and class. Of scoring a row: one addition for each pair of attributes
/// and class.
///
/// # Example
/// ```
/// use belief::{Chunk, Codes, Column, Kind, Role, Schema, States, SufficientStatistic, VarId, Variable};
/// use tunbridge_learn::{Aode, AodePrior, AodeStatistic};
///
/// let states = |names: &[&str]| Kind::Categorical(States::declared(names.iter().map(|n| n.to_string()).collect(), false).unwrap());
/// let variable = |name: &str, role| Variable { name: name.into(), kind: states(&["no", "yes"]), role };
/// let schema = Schema::new(vec![variable("A", Role::Input), variable("B", Role::Input), variable("Odd", Role::Target)])?;
/// // Odd where A and B differ, which naive Bayes cannot say.
/// let codes: [&[u8]; 3] = [&[0, 0, 1, 1], &[0, 1, 0, 1], &[0, 1, 1, 0]];
/// let columns = codes.map(|codes| Column::Categorical { codes: Codes::U8(codes), n_states: 2 });
/// let rows = Chunk { first_row: 0, n_rows: 4, columns: &columns, weights: None };
/// let mut statistic = AodeStatistic::empty(&[VarId::new(0), VarId::new(1)], VarId::new(2), &schema.cardinalities());
/// statistic.observe(rows)?;
///
/// let model = Aode::new(&schema, &statistic, &AodePrior::default())?;
/// let mut ln_joint = Vec::new();
/// model.ln_joint(&rows, &mut ln_joint)?;
/// // P(Odd=no, A=no) · P(B=no | Odd=no, A=no) = (1 + 1)/(4 + 4) · (1 + 1)/(1 + 2), and the same with A and B exchanged.
/// assert!((ln_joint[0].exp() - 1.0 / 6.0).abs() < 1e-15);
/// assert!((ln_joint[1].exp() - 1.0 / 12.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # References
/// Webb, Boughton & Wang 2005, *Machine Learning* 58, equations 5 to 8.
#[derive(Clone, Debug, PartialEq)]
pub struct Aode {
    target: String,
    class_names: Vec<String>,
    class_weights: Vec<f64>,
    prior: AodePrior,
    /// Of each variable of the schema, its number among the attributes.
    attribute_of: Vec<Option<usize>>,
    /// The first state of each attribute among those of all, and the number of all.
    first_state: Vec<usize>,
    /// Which states count: those declared and those of positive count.
    counts: Vec<bool>,
    /// Which states may be parents.
    is_parent: Vec<bool>,
    ln_class: Vec<f64>,
    /// ln P(x | y), state by state, the classes within.
    ln_given_class: Vec<f64>,
    /// ln P(y, x), state by state, the classes within.
    ln_parent: Vec<f64>,
    /// ln P(x | y, parent): by the parent's state, then the child's among those of other attributes, the classes within.
    ln_child: Vec<f64>,
    /// Where each parent's children begin, in states.
    children: Vec<usize>,
}

impl Aode {
    /// The model of these data under this prior.
    ///
    /// # Errors
    /// When the schema has no categorical target, the statistic does not belong to the schema, fewer than two classes have rows, or a number of the
    /// prior is out of its range.
    pub fn new(schema: &Schema, statistic: &AodeStatistic, prior: &AodePrior) -> Result<Self, LearnError> {
        statistic.validate(schema)?;
        prior.validate()?;
        let target = schema.target().ok_or(LearnError::NoTarget)?;
        let classes = schema.states(target).ok_or(LearnError::NoTarget)?;
        let pairs = statistic.pairs().settled();
        let class_weights = pairs.classes();
        let present: Vec<String> =
            classes.names().iter().zip(&class_weights).filter(|(_, n)| **n > 0.0).map(|(name, _)| name.clone()).collect();
        if present.len() < 2 {
            return Err(LearnError::TooFewClasses { target: schema.variable(target).name.clone(), present });
        }
        let n_classes = class_weights.len();
        let is_possible: Vec<bool> = (0..n_classes).map(|class| class < classes.n_declared() || class_weights[class] > 0.0).collect();
        let k = is_possible.iter().filter(|is| **is).count() as f64;

        let mut first_state = vec![0];
        for n in pairs.n_states() {
            first_state.push(first_state[first_state.len() - 1] + n);
        }
        let n_all = first_state[pairs.n_variables()];
        // Of each attribute its counts with each class, which states count, and how many.
        let singles: Vec<Vec<Vec<f64>>> =
            (0..pairs.n_variables()).map(|a| (0..n_classes).map(|class| pairs.single(a, class)).collect()).collect();
        let mut counts = Vec::with_capacity(n_all);
        for (attribute, of_class) in singles.iter().enumerate() {
            let variable = pairs.variables()[attribute];
            let n_declared = match &schema.variable(variable).kind {
                Kind::Categorical(states) => states.n_declared(),
                _ => usize::MAX,
            };
            counts.extend((0..pairs.n_states()[attribute]).map(|state| state < n_declared || of_class.iter().any(|n| n[state] > 0.0)));
        }
        let n_counted =
            |attribute: usize| counts[first_state[attribute]..first_state[attribute + 1]].iter().filter(|is| **is).count() as f64;

        let total: f64 = class_weights.iter().sum();
        let or_never = |class: usize, ln: f64| if is_possible[class] { ln } else { f64::NEG_INFINITY };
        let ln_class = (0..n_classes).map(|class| or_never(class, prior.ln_p(class_weights[class], total, k))).collect();
        let (mut ln_given_class, mut ln_parent) = (vec![0.0; n_all * n_classes], vec![0.0; n_all * n_classes]);
        let mut is_parent = vec![false; n_all];
        for (attribute, of_class) in singles.iter().enumerate() {
            let totals: Vec<f64> = of_class.iter().map(|n| n.iter().sum()).collect();
            let (v, all) = (n_counted(attribute), totals.iter().sum::<f64>());
            for state in 0..pairs.n_states()[attribute] {
                let at = first_state[attribute] + state;
                let n_rows: f64 = of_class.iter().map(|n| n[state]).sum();
                is_parent[at] = counts[at] && n_rows > 0.0 && n_rows >= prior.least_rows;
                for class in 0..n_classes {
                    ln_given_class[at * n_classes + class] = or_never(class, prior.ln_p(of_class[class][state], totals[class], v));
                    ln_parent[at * n_classes + class] = or_never(class, prior.ln_p(of_class[class][state], all, k * v));
                }
            }
        }
        let (mut children, mut n_children) = (Vec::with_capacity(n_all), 0);
        for n in pairs.n_states() {
            for _ in 0..*n {
                children.push(n_children);
                n_children += n_all - n;
            }
        }
        let mut ln_child = vec![0.0; n_children * n_classes];
        for parent in 0..pairs.n_variables() {
            for child in (0..pairs.n_variables()).filter(|child| *child != parent) {
                let (n_states, v) = (pairs.n_states()[child], n_counted(child));
                for class in 0..n_classes {
                    let table = pairs.pair(parent, child, class);
                    for (row, of_parent) in table.chunks_exact(n_states.max(1)).enumerate() {
                        let with_child: f64 = of_parent.iter().sum();
                        for (column, n) in of_parent.iter().enumerate() {
                            let own = if child > parent { pairs.n_states()[parent] } else { 0 };
                            let at = children[first_state[parent] + row] + first_state[child] + column - own;
                            ln_child[at * n_classes + class] = or_never(class, prior.ln_p(*n, with_child, v));
                        }
                    }
                }
            }
        }
        let mut attribute_of = vec![None; schema.variables().len()];
        pairs.variables().iter().enumerate().for_each(|(attribute, variable)| attribute_of[variable.index()] = Some(attribute));
        Ok(Self {
            target: schema.variable(target).name.clone(),
            class_names: classes.names().to_vec(),
            class_weights,
            prior: prior.clone(),
            attribute_of,
            first_state,
            counts,
            is_parent,
            ln_class,
            ln_given_class,
            ln_parent,
            ln_child,
            children,
        })
    }

    /// The name of the variable that is predicted.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// How many classes there are: all states of the target, also those that are impossible.
    pub fn n_classes(&self) -> usize {
        self.class_names.len()
    }

    /// The classes' names.
    pub fn class_names(&self) -> &[String] {
        &self.class_names
    }

    /// The weight of the rows of each class.
    pub fn class_weights(&self) -> &[f64] {
        &self.class_weights
    }

    /// ln P(class) of a row of which nothing is known; −∞ for an impossible class.
    pub fn ln_class(&self) -> &[f64] {
        &self.ln_class
    }

    /// The prior it was made with.
    pub fn prior(&self) -> &AodePrior {
        &self.prior
    }

    /// ln P(state | class) for each class, of a state of an attribute: both by their numbers in the statistic. `None` where the state says nothing.
    pub fn ln_given_class(&self, (attribute, state): (usize, usize)) -> Option<&[f64]> {
        let at = self.first_state[attribute] + state;
        self.counts[at].then(|| self.of_classes(&self.ln_given_class, at))
    }

    /// ln P(class, state) for each class; `None` where the state is no parent.
    pub fn ln_with_class(&self, (attribute, state): (usize, usize)) -> Option<&[f64]> {
        let at = self.first_state[attribute] + state;
        self.is_parent[at].then(|| self.of_classes(&self.ln_parent, at))
    }

    /// ln P(child | class, parent) for each class, of states of two attributes; `None` where the parent is none or the child says nothing.
    pub fn ln_given_parent(&self, child: (usize, usize), parent: (usize, usize)) -> Option<&[f64]> {
        let [child, parent] = [child, parent].map(|(attribute, state)| self.first_state[attribute] + state);
        (self.counts[child] && self.is_parent[parent])
            .then(|| self.of_classes(&self.ln_child, self.place_of_child(child, parent, self.n_beside(parent))))
    }

    /// How many states the attribute of a state has.
    fn n_beside(&self, state: usize) -> usize {
        let attribute = self.attribute_with(state);
        self.first_state[attribute + 1] - self.first_state[attribute]
    }

    /// Where a child's beliefs given a parent are, whose attribute has so many states; all by their places among the states of all attributes.
    fn place_of_child(&self, child: usize, parent: usize, n_beside: usize) -> usize {
        self.children[parent] + child - if child > parent { n_beside } else { 0 }
    }

    fn of_classes<'a>(&self, ln: &'a [f64], at: usize) -> &'a [f64] {
        &ln[at * self.n_classes()..][..self.n_classes()]
    }

    /// How many values may be parents, and of how many that count.
    pub fn n_parents(&self) -> (usize, usize) {
        let n = |flags: &[bool]| flags.iter().filter(|is| **is).count();
        (n(&self.is_parent), n(&self.counts))
    }

    /// ln P(class, row) for every row and class: `out[row * n_classes + class]`. What was in `out` is replaced.
    ///
    /// Normalised, by [`belief::normalise_ln`] over the classes of a row, these are the classes' probabilities. Columns may be absent; they are left
    /// out like missing values. The target's column is not looked at.
    ///
    /// # Errors
    /// When the columns are not those of the schema.
    pub fn ln_joint(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        out.clear();
        out.reserve(chunk.n_rows * self.n_classes());
        let mut room = Room::default();
        self.each_row(chunk, |states| out.extend_from_slice(self.ln_joint_of(states, &mut room)))
    }

    /// Which rows have no value that says anything.
    ///
    /// # Errors
    /// When the columns are not those of the schema.
    pub fn without_evidence(&self, chunk: &Chunk<'_>) -> Result<Vec<bool>, ShapeMismatch> {
        let mut found = Vec::with_capacity(chunk.n_rows);
        self.each_row(chunk, |states| found.push(states.is_empty()))?;
        Ok(found)
    }

    /// Hands on the states of every row that say something, by their places among those of all attributes.
    pub(super) fn each_row(&self, chunk: &Chunk<'_>, mut see: impl FnMut(&[usize])) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("columns", self.attribute_of.len(), chunk.columns.len())?;
        let n_attributes = self.first_state.len() - 1;
        // Row by row, an attribute beside the other; what says nothing is the largest number.
        let mut states = vec![usize::MAX; chunk.n_rows * n_attributes];
        for (column, attribute) in chunk.columns.iter().zip(&self.attribute_of) {
            let Some(attribute) = *attribute else { continue };
            let first = self.first_state[attribute];
            let n_states = self.first_state[attribute + 1] - first;
            match column {
                Column::Absent => {}
                Column::Categorical { codes, n_states: found } => {
                    ShapeMismatch::check("rows of a column", chunk.n_rows, codes.len())?;
                    if *found > n_states {
                        return Err(ShapeMismatch { what: "states of a column", expected: n_states, found: *found });
                    }
                    for_codes!(*codes, codes => for (row, code) in codes.iter().enumerate() {
                        let state = code.place(n_states);
                        if state < n_states && self.counts[first + state] {
                            states[row * n_attributes + attribute] = first + state;
                        }
                    });
                }
                _ => return Err(ShapeMismatch { what: "columns of states", expected: 1, found: 0 }),
            }
        }
        let mut known = Vec::with_capacity(n_attributes);
        for row in 0..chunk.n_rows {
            known.clear();
            known.extend(states[row * n_attributes..][..n_attributes].iter().copied().filter(|state| *state != usize::MAX));
            see(&known);
        }
        Ok(())
    }

    /// ln P(class, these states).
    pub(super) fn ln_joint_of<'r>(&self, states: &[usize], room: &'r mut Room) -> &'r [f64] {
        let n_classes = self.n_classes();
        room.of_parents.clear();
        for parent in states.iter().filter(|state| self.is_parent[**state]) {
            let start = room.of_parents.len();
            room.of_parents.extend_from_slice(&self.ln_parent[parent * n_classes..][..n_classes]);
            let sums = &mut room.of_parents[start..];
            let n_beside = self.n_beside(*parent);
            for child in states.iter().filter(|child| *child != parent) {
                let at = self.place_of_child(*child, *parent, n_beside);
                let ln = &self.ln_child[at * n_classes..][..n_classes];
                sums.iter_mut().zip(ln).for_each(|(sum, ln)| *sum += ln);
            }
        }
        room.mean.clear();
        let n_parents = room.of_parents.len() / n_classes;
        if n_parents == 0 {
            // Naive Bayes, as in the paper.
            room.mean.extend_from_slice(&self.ln_class);
            for state in states {
                let ln = &self.ln_given_class[state * n_classes..][..n_classes];
                room.mean.iter_mut().zip(ln).for_each(|(sum, ln)| *sum += ln);
            }
            return &room.mean;
        }
        for class in 0..n_classes {
            room.of_class.clear();
            room.of_class.extend(room.of_parents.iter().skip(class).step_by(n_classes));
            room.mean.push(log_sum_exp(&room.of_class) - (n_parents as f64).ln());
        }
        &room.mean
    }

    pub(super) fn attribute_of(&self) -> &[Option<usize>] {
        &self.attribute_of
    }

    /// The attribute of a state, by its place among those of all.
    pub(super) fn attribute_with(&self, state: usize) -> usize {
        self.first_state.partition_point(|first| *first <= state) - 1
    }

    /// The number of a state within its attribute.
    pub(super) fn state_within(&self, state: usize) -> usize {
        state - self.first_state[self.attribute_with(state)]
    }

    /// Whether an attribute was ever seen in learning.
    pub(super) fn was_seen(&self, attribute: usize) -> bool {
        self.counts[self.first_state[attribute]..self.first_state[attribute + 1]].iter().any(|counts| *counts)
    }
}

/// Sums, kept from row to row.
#[derive(Default)]
pub(super) struct Room {
    of_parents: Vec<f64>,
    of_class: Vec<f64>,
    mean: Vec<f64>,
}
