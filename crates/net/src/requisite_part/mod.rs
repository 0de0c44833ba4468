//! The requisite part of a row: what of a model a question about a few variables depends on, given what a row of a table has seen.
//!
//! Factors of barren variables say nothing (see [`FactorGraph`]), and what was seen cuts the unseen variables of the others into parts that say
//! nothing of each other: the answer depends on the part of the asked variables alone, and on what was seen beside it (d-separation; Shachter 1998,
//! "Bayes-ball", calls it the requisite information). Rows hardly ever repeat; requisite parts do. So a [`Memo`] keeps the answer of every part that
//! was met, by what was seen beside it, and only new parts are inferred ([`elimination`]), of messages that are remembered too ([`messages`]). Sets of
//! factors are rows of bits, and no table of the whole model is made. The probability of a row is the product of its parts', which are remembered too.
//!
//! `parameters::incomplete_rows` cuts rows in the same way for another end: what *all* families are expected to be, with every part weighed.

mod elimination;
mod messages;

use crate::elimination_order::{InteractionGraph, Search, cheapest_elimination, ones};
use crate::evidence::Evidence;
use crate::factor_graph::FactorGraph;
use belief::VarId;
use elimination::Buckets;
use messages::{Input, Messages, Outcome};

/// The state of a variable that a row has not seen.
pub const UNSEEN: u32 = u32::MAX;

/// Bytes that a memo takes, nearly, unless it is said otherwise; when they are spent it begins anew.
const MEMO_BYTES: usize = 64 << 20;

/// Entries of a factor that are looked through for a zero, at most.
const FEW_ENTRIES: usize = 64;

/// Products of whole factors are brought into the logarithm below this.
const SMALL: f64 = 1e-200;

/// The first word of what a part is known by; that of a message is a variable.
const PART: u64 = u64::MAX;

/// A model prepared for one question about many rows. Shared by threads, each with a [`Memo`] of its own: what is found never depends on what was
/// asked before.
///
/// Its variables are numbered in the order in which they are eliminated; the asked ones, which stay, are the last.
#[derive(Clone, Debug)]
pub struct RequisiteParts {
    n_states: Vec<usize>,
    n_eliminated: usize,
    named: Vec<Named>,
    /// What the findings that always hold say of a variable: its state.
    fixed: Vec<u32>,
    factors: Vec<Table>,
    axes: Vec<Axis>,
    values: Vec<f64>,
    /// Words of a set of factors.
    n_words: usize,
    /// For each variable, the factors that have it.
    touched: Vec<u64>,
    /// For each variable, the factors that matter if it does.
    above: Vec<u64>,
    /// The factors that matter whatever is asked and seen.
    always: Vec<u64>,
    /// The factors that have an entry of zero: the others leave everything possible. Those of children are before those of their parents.
    with_zero: Vec<usize>,
    /// The natural logarithm of what all products are to be multiplied by.
    ln_constant: f64,
    /// Whether nothing is possible.
    impossible: bool,
    /// Whether the model is not for this.
    beyond: bool,
}

/// A variable that rows have a state of.
#[derive(Clone, Copy, Debug)]
struct Named {
    variable: u32,
    n_states: u32,
    is_asked: bool,
}

/// A factor: where its axes and its entries begin.
#[derive(Clone, Debug)]
struct Table {
    axes: usize,
    n_axes: usize,
    first: usize,
    /// The variable that it sums to one over, if there is one and no other factor does.
    head: Option<u32>,
    /// The smallest entry above zero, and the largest.
    least: f64,
    most: f64,
}

/// A variable of a table, and how far a step of it goes. A table's are in the order of elimination.
#[derive(Clone, Copy, Debug)]
struct Axis {
    variable: u32,
    stride: u32,
}

/// What a row makes of a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowPosterior<'m> {
    /// The joint of the asked variables.
    Possible {
        /// A probability for each configuration, the last variable fastest.
        joint: &'m [f64],
        /// ln P(findings), if it was wanted.
        ln_p_evidence: Option<f64>,
    },
    /// The findings have probability zero.
    Impossible,
    /// The part is too large, or its numbers too small for doubles: another engine is to answer.
    Beyond,
}

/// What was found of the parts that were met, and room to find more: one for each thread and [`RequisiteParts`].
#[derive(Clone, Debug, Default)]
pub struct Memo {
    /// Bytes that it takes, nearly, before it begins anew; [`MEMO_BYTES`] when nothing is said.
    within: Option<usize>,
    messages: Messages,
    states: Vec<u32>,
    active: Vec<u64>,
    done: Vec<u64>,
    /// The variables of factors that must not be zero, and such factors.
    is_bound: Vec<bool>,
    binding: Vec<usize>,
    part: Part,
    buckets: Buckets,
}

/// A part: its variables, and its factors, by their place among the model's entries for what was seen and which of their variables were not.
#[derive(Clone, Debug, Default)]
struct Part {
    variables: Vec<u32>,
    is_in: Vec<bool>,
    factors: Vec<u64>,
    ids: Vec<u64>,
    key: Vec<u64>,
    /// The factors as what was seen has cut them, once it is known that nothing is known of the part.
    cut: Vec<Input>,
}

impl Memo {
    /// A memo that begins anew once it takes so many bytes. Otherwise it is some 64 MB.
    pub fn within(n_bytes: usize) -> Self {
        Self { within: Some(n_bytes), ..Self::default() }
    }
}

impl RequisiteParts {
    /// Prepares a model for the joint of some variables given findings that hold for every row. Without variables, only the probability of each row
    /// is found.
    ///
    /// ```
    /// use tunbridge_net::requisite_part::{Memo, RequisiteParts, RowPosterior, UNSEEN};
    /// use tunbridge_net::{Evidence, FactorGraph, Network};
    /// let network = Network::builder()
    ///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
    ///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
    ///     .build()?;
    /// let parts = RequisiteParts::new(&FactorGraph::from(&network), &Evidence::none(), &[network.find("Cancer")?]);
    /// let mut memo = Memo::default();
    /// let RowPosterior::Possible { joint, ln_p_evidence } = parts.posterior(&[UNSEEN, 0], true, &mut memo) else { panic!() };
    /// assert!((joint[0] - 0.00784 / 0.0376).abs() < 1e-15);
    /// assert!((ln_p_evidence.unwrap() - 0.0376_f64.ln()).abs() < 1e-14);
    /// # Ok::<(), tunbridge_net::NetError>(())
    /// ```
    pub fn new(graph: &FactorGraph, known: &Evidence, targets: &[VarId]) -> Self {
        let mut factors: Vec<(&[VarId], &[f64], Option<VarId>)> = Vec::new();
        let (mut ln_constant, mut impossible) = (known.ln_scale(), known.contradicts_itself());
        for (factor, head) in graph.factors().iter().zip(graph.heads()) {
            if factor.scope().is_empty() {
                impossible |= factor.is_zero();
                ln_constant += factor.ln_total();
                continue;
            }
            ln_constant += factor.ln_scale();
            factors.push((factor.scope(), factor.values(), *head));
        }
        let mut fixed = vec![UNSEEN; graph.n_with_hidden()];
        let likely: Vec<VarId> = known.variables().collect();
        for variable in &likely {
            let Some(likelihood) = known.likelihood(*variable) else { continue };
            match known.state(*variable) {
                Some(state) if !targets.contains(variable) => fixed[variable.index()] = state as u32,
                _ => factors.push((std::slice::from_ref(variable), likelihood, None)),
            }
        }
        // Of two factors that sum to one over the same variable the product need not.
        let mut n_headed = vec![0; graph.n_with_hidden()];
        factors.iter().filter_map(|(_, _, head)| *head).for_each(|head| n_headed[head.index()] += 1);
        let order = order(graph.n_states(), factors.iter().map(|(scope, ..)| *scope), &fixed, targets);
        let mut place = vec![0_u32; order.len()];
        order.iter().enumerate().for_each(|(at, variable)| place[variable.index()] = at as u32);
        let named = graph.domain().variables().map(|variable| Named {
            variable: place[variable.index()],
            n_states: graph.n_states()[variable.index()] as u32,
            is_asked: targets.contains(&variable),
        });
        let mut parts = Self {
            n_states: order.iter().map(|variable| graph.n_states()[variable.index()]).collect(),
            n_eliminated: order.iter().filter(|variable| !targets.contains(variable)).count(),
            named: named.collect(),
            fixed: order.iter().map(|variable| fixed[variable.index()]).collect(),
            factors: Vec::new(),
            axes: Vec::new(),
            values: Vec::new(),
            n_words: factors.len().div_ceil(64),
            touched: Vec::new(),
            above: Vec::new(),
            always: Vec::new(),
            with_zero: Vec::new(),
            ln_constant,
            impossible,
            beyond: false,
        };
        for (scope, values, head) in factors {
            let scope: Vec<u32> = scope.iter().map(|variable| place[variable.index()]).collect();
            parts.push(&scope, values, head.filter(|head| n_headed[head.index()] == 1).map(|head| place[head.index()]));
        }
        parts.wire();
        parts
    }

    fn push(&mut self, scope: &[u32], values: &[f64], head: Option<u32>) {
        // A place among all entries and a bit for each variable make one key.
        self.beyond |= scope.len() > 32 || self.values.len() + values.len() > u32::MAX as usize;
        let (axes, mut stride) = (self.axes.len(), 1_u32);
        for &variable in scope.iter().rev() {
            self.axes.push(Axis { variable, stride });
            stride = stride.saturating_mul(self.n_states[variable as usize] as u32);
        }
        self.axes[axes..].sort_unstable_by_key(|axis| axis.variable);
        let above_zero = values.iter().copied().filter(|value| *value > 0.0);
        self.factors.push(Table {
            axes,
            n_axes: scope.len(),
            first: self.values.len(),
            head,
            least: above_zero.fold(f64::INFINITY, f64::min),
            most: values.iter().copied().fold(0.0, f64::max),
        });
        self.values.extend_from_slice(values);
    }

    fn axes(&self, table: &Table) -> &[Axis] {
        &self.axes[table.axes..][..table.n_axes]
    }

    /// The axes of a table that were not seen.
    fn unseen_axes(&self, input: Input) -> impl Iterator<Item = &Axis> {
        let axes = self.axes(&self.factors[input.factor as usize]);
        ones(input.id & u64::from(u32::MAX)).map(|axis| &axes[axis])
    }

    /// Who is tied to whom. A factor that sums to one over its head matters only if its head does: then its other variables do, too.
    fn wire(&mut self) {
        let (n, n_words) = (self.n_states.len(), self.n_words);
        (self.touched, self.above, self.always) = (vec![0; n * n_words], vec![0; n * n_words], vec![0; n_words]);
        let mut headed: Vec<Option<usize>> = vec![None; n];
        let mut needed: Vec<usize> = (0..n).filter(|variable| self.fixed[*variable] != UNSEEN || *variable >= self.n_eliminated).collect();
        for (place, table) in self.factors.iter().enumerate() {
            let (word, bit) = (place / 64, 1_u64 << (place % 64));
            let members = self.axes[table.axes..][..table.n_axes].iter().map(|axis| axis.variable as usize);
            members.clone().for_each(|variable| self.touched[variable * n_words + word] |= bit);
            match table.head {
                Some(head) => headed[head as usize] = Some(place),
                None => {
                    self.always[word] |= bit;
                    needed.extend(members);
                }
            }
        }
        for variable in 0..n {
            let mut waiting = vec![variable];
            let matters = &mut self.above[variable * n_words..][..n_words];
            while let Some(next) = waiting.pop() {
                let Some(place) = headed[next] else { continue };
                let (word, bit) = (place / 64, 1_u64 << (place % 64));
                if matters[word] & bit == 0 {
                    matters[word] |= bit;
                    let table = &self.factors[place];
                    waiting.extend(self.axes[table.axes..][..table.n_axes].iter().map(|axis| axis.variable as usize));
                }
            }
        }
        // What always matters brings with it what is above its variables; so does what is always known.
        for variable in needed {
            let above = &self.above[variable * n_words..][..n_words];
            self.always.iter_mut().zip(above).for_each(|(always, above)| *always |= above);
        }
        let ends = self.factors.iter().skip(1).map(|table| table.first).chain([self.values.len()]);
        let has_zero = |(table, end): (&Table, usize)| self.values[table.first..end].contains(&0.0);
        self.with_zero = self.factors.iter().zip(ends).enumerate().filter(|(_, table)| has_zero(*table)).map(|(place, _)| place).collect();
        // More factors are above a child than above any of its parents.
        let n_above = |head: u32| -> u32 { self.above[head as usize * n_words..][..n_words].iter().map(|word| word.count_ones()).sum() };
        self.with_zero.sort_by_key(|place| std::cmp::Reverse(self.factors[*place].head.map_or(u32::MAX, n_above)));
    }

    /// What a row makes of the question: a state for each named variable, or [`UNSEEN`]. States of the asked variables are not looked at.
    /// With `with_ln_p` the probability of what was seen is found too, which takes all parts instead of one.
    ///
    /// # Panics
    /// When the row has not a state for each variable, or a state that is not there.
    pub fn posterior<'m>(&self, row: &[u32], with_ln_p: bool, memo: &'m mut Memo) -> RowPosterior<'m> {
        if self.beyond {
            return RowPosterior::Beyond;
        }
        if self.impossible || !self.take_in(row, memo) {
            return RowPosterior::Impossible;
        }
        if memo.messages.n_bytes() > memo.within.unwrap_or(MEMO_BYTES) {
            memo.messages.clear();
        }
        memo.done.clear();
        memo.done.resize(self.n_words, 0);
        let (mut answer, mut ln_p) = (None, self.ln_constant);
        if self.n_eliminated < self.n_states.len() {
            let found = self.part(self.n_eliminated as u32..self.n_states.len() as u32, true, memo);
            match memo.messages.outcome(found) {
                Outcome::Possible => ln_p += memo.messages.ln_total(found),
                Outcome::Impossible => return RowPosterior::Impossible,
                Outcome::Beyond => return RowPosterior::Beyond,
            }
            answer = Some(found);
        }
        let rest = if with_ln_p { self.all_others(memo) } else { self.others_with_zero(memo) };
        match rest {
            Rest::Possible { ln } => ln_p += ln,
            Rest::Impossible => return RowPosterior::Impossible,
            Rest::Beyond => return RowPosterior::Beyond,
        }
        let joint = answer.map_or(&[1.0][..], |answer| memo.messages.entries(answer));
        RowPosterior::Possible { joint, ln_p_evidence: with_ln_p.then_some(ln_p) }
    }

    /// The probability of what was seen beside all parts but the first.
    fn all_others(&self, memo: &mut Memo) -> Rest {
        let (mut whole, mut ln_p) = (1.0, 0.0);
        for word in 0..self.n_words {
            loop {
                let rest = memo.active[word] & !memo.done[word];
                if rest == 0 {
                    break;
                }
                let table = &self.factors[word * 64 + rest.trailing_zeros() as usize];
                let mut unseen = self.axes(table).iter().filter(|axis| memo.states[axis.variable as usize] == UNSEEN);
                if let Some(unseen) = unseen.next() {
                    let found = self.part(std::iter::once(unseen.variable), false, memo);
                    match memo.messages.outcome(found) {
                        Outcome::Possible => ln_p += memo.messages.ln_total(found),
                        Outcome::Impossible => return Rest::Impossible,
                        Outcome::Beyond => return Rest::Beyond,
                    }
                    continue;
                }
                memo.done[word] |= rest & rest.wrapping_neg();
                let places = self.axes(table).iter().map(|axis| (memo.states[axis.variable as usize] * axis.stride) as usize);
                whole *= self.values[table.first + places.sum::<usize>()];
                if whole < SMALL {
                    if whole == 0.0 {
                        return Rest::Impossible;
                    }
                    ln_p += whole.ln();
                    whole = 1.0;
                }
            }
        }
        Rest::Possible { ln: ln_p + whole.ln() }
    }

    /// Whether what was seen is possible, as far as it is not beside the first part.
    ///
    /// A factor with a zero leaves everything possible if its head was not seen and stands in no other such factor: whatever its other variables are, its head has a
    /// state to go with them. The parts of the factors that remain are inferred.
    fn others_with_zero(&self, memo: &mut Memo) -> Rest {
        memo.is_bound.clear();
        memo.is_bound.resize(self.n_states.len(), false);
        memo.binding.clear();
        for &place in &self.with_zero {
            let (word, bit) = (place / 64, 1 << (place % 64));
            if memo.active[word] & !memo.done[word] & bit == 0 {
                continue;
            }
            let table = &self.factors[place];
            let is_free = |head: u32| memo.states[head as usize] == UNSEEN && !memo.is_bound[head as usize];
            if table.head.is_some_and(is_free) || !self.may_be_zero(table, &memo.states) {
                continue;
            }
            let mut is_whole = true;
            for axis in self.axes(table).iter().filter(|axis| memo.states[axis.variable as usize] == UNSEEN) {
                memo.is_bound[axis.variable as usize] = true;
                is_whole = false;
            }
            if is_whole {
                return Rest::Impossible;
            }
            memo.binding.push(place);
        }
        for at in 0..memo.binding.len() {
            let place = memo.binding[at];
            if memo.done[place / 64] >> (place % 64) & 1 == 1 {
                continue;
            }
            let unseen = self.axes(&self.factors[place]).iter().find(|axis| memo.states[axis.variable as usize] == UNSEEN);
            let found = self.part(unseen.map(|axis| axis.variable).into_iter(), false, memo);
            match memo.messages.outcome(found) {
                Outcome::Possible => {}
                Outcome::Impossible => return Rest::Impossible,
                Outcome::Beyond => return Rest::Beyond,
            }
        }
        Rest::Possible { ln: 0.0 }
    }

    /// Whether a factor has an entry of zero where what was seen leaves it; also said of those that are long to look at.
    fn may_be_zero(&self, table: &Table, states: &[u32]) -> bool {
        let mut places = [0_usize; FEW_ENTRIES];
        let (mut n, mut base) = (1, table.first);
        for axis in self.axes(table) {
            let (variable, stride) = (axis.variable as usize, axis.stride as usize);
            if states[variable] != UNSEEN {
                base += states[variable] as usize * stride;
                continue;
            }
            let n_states = self.n_states[variable];
            if n * n_states > FEW_ENTRIES {
                return true;
            }
            for state in 1..n_states {
                for so_far in 0..n {
                    places[state * n + so_far] = places[so_far] + state * stride;
                }
            }
            n *= n_states;
        }
        places[..n].iter().any(|place| self.values[base + place] == 0.0)
    }

    /// Notes what was seen and which factors matter; `false` where it contradicts what is always known.
    fn take_in(&self, row: &[u32], memo: &mut Memo) -> bool {
        assert_eq!(row.len(), self.named.len(), "a state for each variable");
        memo.states.clone_from(&self.fixed);
        memo.active.clone_from(&self.always);
        for (named, &state) in self.named.iter().zip(row) {
            if state == UNSEEN || named.is_asked {
                continue;
            }
            assert!(state < named.n_states, "a state of the variable");
            let variable = named.variable as usize;
            let known = std::mem::replace(&mut memo.states[variable], state);
            if known != UNSEEN && known != state {
                return false;
            }
            let above = &self.above[variable * self.n_words..][..self.n_words];
            memo.active.iter_mut().zip(above).for_each(|(active, above)| *active |= above);
        }
        true
    }

    /// Grows a part from some of its unseen variables, and gives what it says.
    fn part(&self, from: impl Iterator<Item = u32>, is_asked: bool, memo: &mut Memo) -> usize {
        let Memo { messages, states, active, done, part, buckets, .. } = memo;
        part.is_in.resize(self.n_states.len(), false);
        part.ids.resize(self.factors.len(), 0);
        part.variables.clear();
        for variable in from {
            part.is_in[variable as usize] = true;
            part.variables.push(variable);
        }
        part.factors.clear();
        part.factors.resize(self.n_words, 0);
        let mut next = 0;
        while let Some(&variable) = part.variables.get(next) {
            next += 1;
            let touched = &self.touched[variable as usize * self.n_words..][..self.n_words];
            for word in 0..self.n_words {
                let fresh = touched[word] & active[word] & !part.factors[word];
                part.factors[word] |= fresh;
                for bit in ones(fresh) {
                    let table = &self.factors[word * 64 + bit];
                    let (mut base, mut unseen) = (table.first as u32, 0_u64);
                    for (at, axis) in self.axes(table).iter().enumerate() {
                        let member = axis.variable as usize;
                        if states[member] != UNSEEN {
                            base += states[member] * axis.stride;
                            continue;
                        }
                        unseen |= 1 << at;
                        if !part.is_in[member] {
                            part.is_in[member] = true;
                            part.variables.push(axis.variable);
                        }
                    }
                    part.ids[word * 64 + bit] = u64::from(base) << 32 | unseen;
                }
            }
        }
        part.variables.iter().for_each(|variable| part.is_in[*variable as usize] = false);
        part.key.clear();
        part.key.push(PART);
        for (word, &bits) in part.factors.iter().enumerate() {
            done[word] |= bits;
            part.key.extend(ones(bits).map(|bit| part.ids[word * 64 + bit]));
        }
        self.found(part, buckets, messages, is_asked)
    }
}

/// What was seen beside all parts but the first.
enum Rest {
    Possible { ln: f64 },
    Impossible,
    Beyond,
}

/// All variables, in an order to eliminate them by; the asked ones stay and are the last.
fn order<'s>(n_states: &[usize], scopes: impl Iterator<Item = &'s [VarId]>, fixed: &[u32], targets: &[VarId]) -> Vec<VarId> {
    let mut graph = InteractionGraph::new(n_states.to_vec());
    for scope in scopes {
        let left: Vec<VarId> = scope.iter().copied().filter(|variable| fixed[variable.index()] == UNSEEN).collect();
        graph.connect(&left);
    }
    let others: Vec<VarId> = (0..n_states.len()).map(VarId::new).filter(|variable| !targets.contains(variable)).collect();
    let mut order = cheapest_elimination(&graph, &others, Search::Quick).order;
    for target in targets {
        if !order.contains(target) {
            order.push(*target);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_network::{RandomShape, random_network};
    use belief::{Rng, random_stream};

    /// When a memo is full it begins anew, and nobody can tell.
    #[test]
    fn a_full_memo_begins_anew() {
        const BYTES: usize = 40_000;
        let network = random_network(5, &RandomShape { n_variables: 20, p_zero: 0.0, ..RandomShape::default() }).unwrap();
        let parts = RequisiteParts::new(&FactorGraph::from(&network), &Evidence::none(), &[VarId::new(4)]);
        let (mut small, mut large, mut draws) = (Memo::within(BYTES), Memo::default(), random_stream(5, 9));
        let (mut n_anew, mut most) = (0, 0);
        for _ in 0..400 {
            let row: Vec<u32> = (0..20).map(|_| if draws.next_u64().is_multiple_of(2) { 0 } else { UNSEEN }).collect();
            let before = small.messages.n_bytes();
            assert_eq!(parts.posterior(&row, true, &mut small), parts.posterior(&row, true, &mut large));
            n_anew += usize::from(small.messages.n_bytes() < before);
            most = most.max(small.messages.n_bytes());
        }
        assert!(n_anew > 1 && most < 2 * BYTES && large.messages.n_bytes() > 2 * BYTES, "{n_anew} times anew, {most} bytes at most");
    }
}
