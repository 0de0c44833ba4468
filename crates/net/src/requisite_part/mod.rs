//! The requisite part of a row: what of a model a question about a few variables depends on, given what a row of a table has seen.
//!
//! Factors of barren variables say nothing (see [`FactorGraph`]), and what was seen cuts the unseen variables of the others into parts that say
//! nothing of each other: the answer depends on the part of the asked variables alone, and on what was seen beside it (d-separation; Shachter 1998,
//! "Bayes-ball", calls it the requisite information). Rows hardly ever repeat; requisite parts do. So a [`Memo`] keeps the answer of every part that
//! was met, by what was seen beside it, and only new parts are inferred ([`elimination`]). Sets of variables and factors are rows of bits, and no table
//! of the whole model is made. The probability of a row is the product of its parts', which are remembered too.
//!
//! `parameters::incomplete_rows` cuts rows in the same way for another end: what *all* families are expected to be, with every part weighed.

mod elimination;

use crate::evidence::Evidence;
use crate::factor_graph::FactorGraph;
use belief::VarId;
use elimination::{Eliminated, Scratch};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The state of a variable that a row has not seen.
pub const UNSEEN: u32 = u32::MAX;

/// Bytes that a memo takes, nearly; when they are spent it begins anew.
const MEMO_BYTES: usize = 64 << 20;

/// Entries of a factor that are looked through for a zero, at most.
const FEW_ENTRIES: usize = 64;

/// Products of whole factors are brought into the logarithm below this.
const SMALL: f64 = 1e-200;

/// A model prepared for one question about many rows. Shared by threads, each with a [`Memo`] of its own: what is found never depends on what was
/// asked before.
#[derive(Clone, Debug)]
pub struct RequisiteParts {
    n_states: Vec<usize>,
    n_named: usize,
    targets: Vec<VarId>,
    is_target: Vec<bool>,
    /// What the findings that always hold say of a variable: its state.
    fixed: Vec<u32>,
    factors: Vec<Table>,
    values: Vec<f64>,
    /// Words of a set of factors.
    n_words: usize,
    /// For each variable, the factors that have it.
    touched: Vec<u64>,
    /// For each variable, the factors that matter if it does.
    above: Vec<u64>,
    /// The factors that matter whatever is asked and seen.
    always: Vec<u64>,
    /// The factors that have an entry of zero: the others leave everything possible.
    with_zero: Vec<u64>,
    /// The natural logarithm of what all products are to be multiplied by.
    ln_constant: f64,
    /// Whether nothing is possible.
    impossible: bool,
    /// Whether the model is not for this.
    beyond: bool,
}

/// A factor: where its entries begin, and how far a step of each of its variables goes.
#[derive(Clone, Debug)]
struct Table {
    scope: Vec<u32>,
    strides: Vec<u32>,
    first: usize,
    /// The smallest entry above zero, and the largest.
    least: f64,
    most: f64,
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
    found: HashMap<Box<[u64]>, Remembered, BuildHasherDefault<WordHasher>>,
    joints: Vec<f64>,
    n_bytes: usize,
    states: Vec<u32>,
    active: Vec<u64>,
    done: Vec<u64>,
    part: Part,
    scratch: Scratch,
}

/// A part: its factors, by their place among the model's entries for what was seen and which of their variables were not, and its variables.
#[derive(Clone, Debug, Default)]
struct Part {
    factors: Vec<u64>,
    key: Vec<u64>,
    variables: Vec<u32>,
    is_in: Vec<bool>,
}

#[derive(Clone, Copy, Debug)]
enum Remembered {
    Possible { joint: usize, ln: f64 },
    Impossible,
    Beyond,
}

/// A quick hash of words: keys are places in tables, and what lands in one bucket changes nothing but the time.
#[derive(Clone, Debug, Default)]
struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for word in bytes.chunks(8) {
            let mut eight = [0; 8];
            eight[..word.len()].copy_from_slice(word);
            self.write_u64(u64::from_ne_bytes(eight));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    fn finish(&self) -> u64 {
        (self.0 ^ self.0 >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
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
        let n = graph.n_with_hidden();
        let mut is_target = vec![false; n];
        targets.iter().for_each(|target| is_target[target.index()] = true);
        let mut parts = Self {
            n_states: graph.n_states().to_vec(),
            n_named: graph.domain().n_variables(),
            targets: targets.to_vec(),
            is_target,
            fixed: vec![UNSEEN; n],
            factors: Vec::new(),
            values: Vec::new(),
            n_words: 0,
            touched: Vec::new(),
            above: Vec::new(),
            always: Vec::new(),
            with_zero: Vec::new(),
            ln_constant: known.ln_scale(),
            impossible: known.contradicts_itself(),
            beyond: false,
        };
        let mut heads = Vec::new();
        for (factor, head) in graph.factors().iter().zip(graph.heads()) {
            if factor.scope().is_empty() {
                parts.impossible |= factor.is_zero();
                parts.ln_constant += factor.ln_total();
                continue;
            }
            parts.ln_constant += factor.ln_scale();
            parts.push(factor.scope(), factor.shape(), factor.values());
            heads.push(*head);
        }
        for variable in known.variables() {
            let Some(likelihood) = known.likelihood(variable) else { continue };
            match known.state(variable) {
                Some(state) if !parts.is_target[variable.index()] => parts.fixed[variable.index()] = state as u32,
                _ => {
                    parts.push(&[variable], &[likelihood.len()], likelihood);
                    heads.push(None);
                }
            }
        }
        // Of two factors that sum to one over the same variable the product need not.
        let mut n_headed = vec![0; n];
        heads.iter().flatten().for_each(|head| n_headed[head.index()] += 1);
        heads.iter_mut().for_each(|head| *head = head.filter(|head| n_headed[head.index()] == 1));
        parts.wire(&heads);
        parts
    }

    fn push(&mut self, scope: &[VarId], shape: &[usize], values: &[f64]) {
        let mut strides = vec![1_u32; scope.len()];
        for place in (1..scope.len()).rev() {
            strides[place - 1] = strides[place].saturating_mul(shape[place] as u32);
        }
        // A place among all entries and a bit for each variable make one key.
        self.beyond |= scope.len() > 32 || self.values.len() + values.len() > u32::MAX as usize;
        let above_zero = values.iter().copied().filter(|value| *value > 0.0);
        self.factors.push(Table {
            scope: scope.iter().map(|variable| variable.index() as u32).collect(),
            strides,
            first: self.values.len(),
            least: above_zero.fold(f64::INFINITY, f64::min),
            most: values.iter().copied().fold(0.0, f64::max),
        });
        self.values.extend_from_slice(values);
    }

    /// Who is tied to whom. A factor that sums to one over its head matters only if its head does: then its other variables do, too.
    fn wire(&mut self, heads: &[Option<VarId>]) {
        let (n, n_words) = (self.n_states.len(), self.factors.len().div_ceil(64));
        self.n_words = n_words;
        (self.touched, self.above) = (vec![0; n * n_words], vec![0; n * n_words]);
        (self.always, self.with_zero) = (vec![0; n_words], vec![0; n_words]);
        let mut headed: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (place, (table, head)) in self.factors.iter().zip(heads).enumerate() {
            let (word, bit) = (place / 64, 1_u64 << (place % 64));
            table.scope.iter().for_each(|variable| self.touched[*variable as usize * n_words + word] |= bit);
            match head {
                Some(head) => headed[head.index()].push(place),
                None => self.always[word] |= bit,
            }
            if self.values[table.first..].iter().take(table.n_entries(&self.n_states)).any(|value| *value == 0.0) {
                self.with_zero[word] |= bit;
            }
        }
        for variable in 0..n {
            let (mut waiting, mut matters) = (vec![variable], vec![0_u64; n_words]);
            while let Some(next) = waiting.pop() {
                for &place in &headed[next] {
                    let (word, bit) = (place / 64, 1_u64 << (place % 64));
                    if matters[word] & bit == 0 {
                        matters[word] |= bit;
                        waiting.extend(self.factors[place].scope.iter().map(|member| *member as usize));
                    }
                }
            }
            self.above[variable * n_words..][..n_words].copy_from_slice(&matters);
        }
        // What always matters brings with it what is above its variables; so does what is always known.
        let members = self.factors.iter().zip(heads).filter(|(_, head)| head.is_none()).flat_map(|(table, _)| table.scope.iter());
        let fixed = (0..n).filter(|variable| self.fixed[*variable] != UNSEEN);
        let needed: Vec<usize> =
            members.map(|member| *member as usize).chain(fixed).chain(self.targets.iter().map(|target| target.index())).collect();
        for variable in needed {
            let above = &self.above[variable * n_words..][..n_words];
            self.always.iter_mut().zip(above).for_each(|(always, above)| *always |= above);
        }
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
        if memo.n_bytes > MEMO_BYTES {
            memo.found.clear();
            memo.joints.clear();
            memo.n_bytes = 0;
        }
        memo.done.clear();
        memo.done.resize(self.n_words, 0);
        let (mut joint, mut ln_p) = (0..0, self.ln_constant);
        if !self.targets.is_empty() {
            self.grow(self.targets.iter().map(|target| target.index() as u32), memo);
            match self.found(memo, &self.targets) {
                Remembered::Possible { joint: at, ln } => {
                    joint = at..at + self.targets.iter().map(|target| self.n_states[target.index()]).product::<usize>();
                    ln_p += ln;
                }
                Remembered::Impossible => return RowPosterior::Impossible,
                Remembered::Beyond => return RowPosterior::Beyond,
            }
        }
        let mut whole = 1.0;
        for word in 0..self.n_words {
            let looked_at = if with_ln_p { !0 } else { self.with_zero[word] };
            loop {
                let rest = memo.active[word] & looked_at & !memo.done[word];
                if rest == 0 {
                    break;
                }
                let place = word * 64 + rest.trailing_zeros() as usize;
                let table = &self.factors[place];
                if !with_ln_p && !self.may_be_zero(table, &memo.states) {
                    memo.done[word] |= 1 << (place % 64);
                    continue;
                }
                if let Some(unseen) = table.scope.iter().find(|variable| memo.states[**variable as usize] == UNSEEN) {
                    self.grow(std::iter::once(*unseen), memo);
                    match self.found(memo, &[]) {
                        Remembered::Possible { ln, .. } => ln_p += ln,
                        Remembered::Impossible => return RowPosterior::Impossible,
                        Remembered::Beyond => return RowPosterior::Beyond,
                    }
                    continue;
                }
                memo.done[word] |= 1 << (place % 64);
                let steps = table.scope.iter().zip(&table.strides);
                whole *= self.values
                    [table.first + steps.map(|(variable, stride)| (memo.states[*variable as usize] * stride) as usize).sum::<usize>()];
                if whole < SMALL {
                    if whole == 0.0 {
                        return RowPosterior::Impossible;
                    }
                    ln_p += whole.ln();
                    whole = 1.0;
                }
            }
        }
        let ln_p_evidence = with_ln_p.then(|| ln_p + whole.ln());
        let joint = if self.targets.is_empty() { &[1.0][..] } else { &memo.joints[joint] };
        RowPosterior::Possible { joint, ln_p_evidence }
    }

    /// Whether a factor has an entry of zero where what was seen leaves it; also said of those that are long to look at.
    fn may_be_zero(&self, table: &Table, states: &[u32]) -> bool {
        let mut places = [0_usize; FEW_ENTRIES];
        let (mut n, mut base) = (1, table.first);
        for (&variable, &stride) in table.scope.iter().zip(&table.strides) {
            let (variable, stride) = (variable as usize, stride as usize);
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
        assert_eq!(row.len(), self.n_named, "a state for each variable");
        memo.states.clone_from(&self.fixed);
        memo.active.clone_from(&self.always);
        for (variable, &state) in row.iter().enumerate() {
            if state == UNSEEN || self.is_target[variable] {
                continue;
            }
            assert!((state as usize) < self.n_states[variable], "a state of the variable");
            if self.fixed[variable] != UNSEEN && self.fixed[variable] != state {
                return false;
            }
            memo.states[variable] = state;
            let above = &self.above[variable * self.n_words..][..self.n_words];
            memo.active.iter_mut().zip(above).for_each(|(active, above)| *active |= above);
        }
        true
    }

    /// Grows a part from some of its unseen variables, and makes its key.
    fn grow(&self, from: impl Iterator<Item = u32>, memo: &mut Memo) {
        let Memo { states, active, done, part, .. } = memo;
        part.is_in.resize(self.n_states.len(), false);
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
                let mut fresh = touched[word] & active[word] & !part.factors[word];
                part.factors[word] |= fresh;
                done[word] |= fresh;
                while fresh != 0 {
                    let place = word * 64 + fresh.trailing_zeros() as usize;
                    fresh &= fresh - 1;
                    for &member in &self.factors[place].scope {
                        if states[member as usize] == UNSEEN && !part.is_in[member as usize] {
                            part.is_in[member as usize] = true;
                            part.variables.push(member);
                        }
                    }
                }
            }
        }
        part.variables.iter().for_each(|variable| part.is_in[*variable as usize] = false);
        part.key.clear();
        for (word, bits) in part.factors.iter().enumerate() {
            let mut bits = *bits;
            while bits != 0 {
                let table = &self.factors[word * 64 + bits.trailing_zeros() as usize];
                bits &= bits - 1;
                let (mut base, mut unseen) = (table.first as u64, 0_u64);
                for (place, (&variable, &stride)) in table.scope.iter().zip(&table.strides).enumerate() {
                    match states[variable as usize] {
                        UNSEEN => unseen |= 1 << place,
                        state => base += u64::from(state) * u64::from(stride),
                    }
                }
                part.key.push(base << 32 | unseen);
            }
        }
    }

    /// What is known of the part that was grown last, or else is found now.
    fn found(&self, memo: &mut Memo, targets: &[VarId]) -> Remembered {
        if let Some(found) = memo.found.get(&memo.part.key[..]) {
            return *found;
        }
        memo.part.variables.sort_unstable();
        let (joint, part) = (memo.joints.len(), &memo.part);
        let found = match self.eliminate(&part.factors, &part.key, &part.variables, targets, &mut memo.scratch, &mut memo.joints) {
            Eliminated::Possible { ln } => Remembered::Possible { joint, ln },
            Eliminated::Impossible => Remembered::Impossible,
            Eliminated::Beyond => Remembered::Beyond,
        };
        memo.n_bytes += 8 * (memo.part.key.len() + memo.joints.len() - joint) + 64;
        memo.found.insert(memo.part.key.clone().into_boxed_slice(), found);
        found
    }
}

impl Table {
    fn n_entries(&self, n_states: &[usize]) -> usize {
        self.scope.iter().map(|variable| n_states[*variable as usize]).product()
    }
}
