//! Messages: what is left of some factors when a variable is summed out of their product, each made once.
//!
//! A message is known by the variable and by what it was made of, in order: entries of the model's tables, and other messages. So parts that have a
//! branch in common share its messages, and a message is the same bits whoever asked first. Most tables have a few entries, so that what counts is how
//! little is done beside the arithmetic. Numbers are doubles, scaled by powers of two; where a product of entries above zero might be lost for being small, or
//! a table would be large, there is none.

use super::{Axis, RequisiteParts};

/// Entries of the largest table that is made here.
const MOST_ENTRIES: usize = 1 << 16;
/// Products between these lose nothing.
const LEAST: f64 = 1e-280;
const MOST: f64 = 1e280;
/// Beyond this, up or down, a table's largest entry is brought back to about one.
const SCALE_BEYOND: f64 = (1_u64 << 60) as f64;
/// A free place of the index, and how many there are at first.
const FREE: (u32, u32) = (0, u32::MAX);
const FIRST_INDEX: usize = 1 << 10;

/// What became of a product.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outcome {
    Possible,
    /// It is zero everywhere.
    Impossible,
    /// It is too large, or its numbers are too small for doubles.
    Beyond,
}

/// One of the factors of a product: a table of the model where what was seen has cut it, or a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    /// Of a table where its entries begin, and below that a bit for each of its variables that was not seen; of a message its number, and below that
    /// nothing.
    pub(super) id: u64,
    /// The place of a table among the model's.
    pub(super) factor: u32,
}

impl Input {
    pub(super) fn message(number: usize) -> Self {
        Self { id: (number as u64) << 32, factor: 0 }
    }

    fn is_message(self) -> bool {
        self.id as u32 == 0
    }

    fn place(self) -> usize {
        (self.id >> 32) as usize
    }
}

/// All messages that were made, and room to make more.
#[derive(Clone, Debug, Default)]
pub(super) struct Messages {
    /// Hashes of keys and numbers of messages, each where the hash says, or behind that in the next place that was free.
    index: Vec<(u32, u32)>,
    all: Vec<Message>,
    keys: Vec<u64>,
    key_ends: Vec<u32>,
    axes: Vec<Axis>,
    values: Vec<f64>,
    /// Of the product that is being made: its factors, the unseen axes of each, and the variables that are kept, ascending.
    operands: Vec<Operand>,
    own: Vec<Axis>,
    kept: Vec<u32>,
    /// Where a factor stands for each configuration of those, and the product.
    places: Vec<u32>,
    table: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    outcome: Outcome,
    n_axes: u32,
    /// Where its axes and its entries begin, and how many there are. Behind the entries of an answer stands ln of what they were divided by.
    axes: u32,
    first: u32,
    n_entries: u32,
    /// The power of two that was taken out of it and of all that it is made of.
    exponent: i32,
    /// The smallest entry above zero, and the largest.
    least: f64,
    most: f64,
}

#[derive(Clone, Copy, Debug)]
struct Operand {
    is_message: bool,
    first: u32,
    /// How far a step of the summed variable goes.
    step: u32,
    /// Its other axes among those of all operands.
    begin: usize,
    end: usize,
}

impl Messages {
    pub(super) fn clear(&mut self) {
        self.index.fill(FREE);
        self.all.clear();
        self.keys.clear();
        self.key_ends.clear();
        self.axes.clear();
        self.values.clear();
    }

    pub(super) fn n_bytes(&self) -> usize {
        8 * (self.index.len() + self.keys.len() + self.axes.len() + self.values.len()) + (size_of::<Message>() + 4) * self.all.len()
    }

    pub(super) fn outcome(&self, number: usize) -> Outcome {
        self.all[number].outcome
    }

    /// The entries of a message, the last variable fastest.
    pub(super) fn entries(&self, number: usize) -> &[f64] {
        let message = &self.all[number];
        &self.values[message.first as usize..][..message.n_entries as usize]
    }

    pub(super) fn axes(&self, number: usize) -> &[Axis] {
        let message = &self.all[number];
        &self.axes[message.axes as usize..][..message.n_axes as usize]
    }

    pub(super) fn ln_total(&self, number: usize) -> f64 {
        let message = &self.all[number];
        self.values[(message.first + message.n_entries) as usize]
    }

    /// The message with a key, or else the hash of the key.
    pub(super) fn find(&self, key: &[u64]) -> Result<usize, u32> {
        let hash = hash(key);
        if self.index.is_empty() {
            return Err(hash);
        }
        let last = self.index.len() - 1;
        let mut at = hash as usize & last;
        loop {
            let (other, number) = self.index[at];
            if (other, number) == FREE {
                return Err(hash);
            }
            if other == hash && self.key(number as usize).iter().eq(key) {
                return Ok(number as usize);
            }
            at = (at + 1) & last;
        }
    }

    fn key(&self, number: usize) -> &[u64] {
        let begin = number.checked_sub(1).map_or(0, |before| self.key_ends[before]);
        &self.keys[begin as usize..self.key_ends[number] as usize]
    }

    /// Sums a variable out of the product of some factors: a new message.
    pub(super) fn sum_out(&mut self, model: &RequisiteParts, variable: u32, inputs: &[Input], (key, hash): (&[u64], u32)) -> usize {
        self.take_in(model, Some(variable), inputs);
        self.kept.clear();
        self.own.iter().for_each(|axis| insert(&mut self.kept, axis.variable));
        let mut message = self.product(model, inputs, model.n_states[variable as usize]);
        if message.outcome == Outcome::Possible {
            let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
            for &value in &self.table {
                most = most.max(value);
                least = if value > 0.0 { least.min(value) } else { least };
            }
            if most == 0.0 {
                message.outcome = Outcome::Impossible;
            } else if !(1.0 / SCALE_BEYOND..=SCALE_BEYOND).contains(&most) {
                let taken = most.log2().floor() as i32;
                let by = 2.0_f64.powi(-taken);
                self.table.iter_mut().for_each(|value| *value *= by);
                (least, most) = (least * by, most * by);
                message.exponent = message.exponent.saturating_add(taken);
            }
            (message.least, message.most) = (least, most);
            let mut stride = self.table.len();
            for &variable in &self.kept {
                stride /= model.n_states[variable as usize];
                self.axes.push(Axis { variable, stride: stride as u32 });
            }
            message.n_axes = self.kept.len() as u32;
        }
        self.put(message, key, hash)
    }

    /// The product of all that is left of a part, over the asked variables if it has them, divided by its sum.
    pub(super) fn answer(&mut self, model: &RequisiteParts, is_asked: bool, inputs: &[Input], (key, hash): (&[u64], u32)) -> usize {
        self.take_in(model, None, inputs);
        self.kept.clear();
        if is_asked {
            self.kept.extend(model.n_eliminated as u32..model.n_states.len() as u32);
        }
        let mut message = self.product(model, inputs, 1);
        let total: f64 = self.table.iter().sum();
        if message.outcome == Outcome::Possible && total == 0.0 {
            message.outcome = Outcome::Impossible;
        }
        self.table.iter_mut().for_each(|value| *value /= total);
        let number = self.put(message, key, hash);
        self.values.push(total.ln() + f64::from(message.exponent) * std::f64::consts::LN_2);
        number
    }

    /// Remembers that a part has no answer.
    pub(super) fn no_answer(&mut self, outcome: Outcome, (key, hash): (&[u64], u32)) -> usize {
        self.table.clear();
        let message = Message { outcome, ..self.blank(&[]) };
        self.put(message, key, hash)
    }

    /// Notes the factors of a product, and how a variable that is to be summed stands in them.
    fn take_in(&mut self, model: &RequisiteParts, summed: Option<u32>, inputs: &[Input]) {
        self.operands.clear();
        self.own.clear();
        for &input in inputs {
            let (begin, mut step) = (self.own.len(), 0);
            let mut note = |axis: Axis| if Some(axis.variable) == summed { step = axis.stride } else { self.own.push(axis) };
            let first = if input.is_message() {
                let message = &self.all[input.place()];
                self.axes[message.axes as usize..][..message.n_axes as usize].iter().for_each(|axis| note(*axis));
                message.first
            } else {
                model.unseen_axes(input).for_each(|axis| note(*axis));
                input.place() as u32
            };
            self.operands.push(Operand { is_message: input.is_message(), first, step, begin, end: self.own.len() });
        }
    }

    /// Makes the table of the product for each configuration of the kept variables, with so many states of the summed one.
    fn product(&mut self, model: &RequisiteParts, inputs: &[Input], n_summed: usize) -> Message {
        let message = self.blank(inputs);
        self.table.clear();
        let (mut least, mut most) = (1.0, n_summed as f64);
        for input in inputs {
            let (of_input_least, of_input_most) = if input.is_message() {
                (self.all[input.place()].least, self.all[input.place()].most)
            } else {
                (model.factors[input.factor as usize].least, model.factors[input.factor as usize].most)
            };
            least *= of_input_least;
            most *= of_input_most;
        }
        let n_kept = self.kept.iter().fold(1_usize, |n, variable| n.saturating_mul(model.n_states[*variable as usize]));
        // A factor of zeros has no entry above zero.
        if least.is_finite() && (least < LEAST || most > MOST) || n_kept.saturating_mul(n_summed) > MOST_ENTRIES {
            return Message { outcome: Outcome::Beyond, ..message };
        }
        self.table.resize(n_kept * n_summed, 1.0);
        for operand in &self.operands {
            let mut own = &self.own[operand.begin..operand.end];
            self.places.clear();
            self.places.push(operand.first);
            for &variable in self.kept.iter().rev() {
                let mut stride = 0;
                if let Some((axis, before)) = own.split_last()
                    && axis.variable == variable
                {
                    (stride, own) = (axis.stride, before);
                }
                let n_so_far = self.places.len();
                for state in 1..model.n_states[variable as usize] as u32 {
                    for place in 0..n_so_far {
                        self.places.push(self.places[place] + state * stride);
                    }
                }
            }
            let values = if operand.is_message { &self.values } else { &model.values };
            for (state, products) in self.table.chunks_exact_mut(n_kept).enumerate() {
                let values = &values[state * operand.step as usize..];
                for (product, place) in products.iter_mut().zip(&self.places) {
                    *product *= values[*place as usize];
                }
            }
        }
        let (sums, others) = self.table.split_at_mut(n_kept);
        for other in others.chunks_exact(n_kept) {
            sums.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
        }
        self.table.truncate(n_kept);
        message
    }

    /// A message of some factors of which nothing is known yet.
    fn blank(&self, inputs: &[Input]) -> Message {
        let messages = inputs.iter().filter(|input| input.is_message());
        Message {
            outcome: Outcome::Possible,
            n_axes: 0,
            axes: self.axes.len() as u32,
            first: self.values.len() as u32,
            n_entries: 0,
            exponent: messages.fold(0_i32, |sum, input| sum.saturating_add(self.all[input.place()].exponent)),
            least: 0.0,
            most: 0.0,
        }
    }

    /// Puts the table that was made last among the messages.
    fn put(&mut self, message: Message, key: &[u64], hash: u32) -> usize {
        let number = self.all.len();
        self.all.push(Message { n_entries: self.table.len() as u32, ..message });
        self.keys.extend_from_slice(key);
        self.key_ends.push(self.keys.len() as u32);
        self.values.extend_from_slice(&self.table);
        // No more than half of the index is taken.
        if self.index.len() < 2 * self.all.len() {
            let n_places = (2 * self.index.len()).max(FIRST_INDEX);
            let before = std::mem::replace(&mut self.index, vec![FREE; n_places]);
            before.into_iter().filter(|entry| *entry != FREE).for_each(|entry| self.note(entry));
        }
        self.note((hash, number as u32));
        number
    }

    fn note(&mut self, entry: (u32, u32)) {
        let last = self.index.len() - 1;
        let mut at = entry.0 as usize & last;
        while self.index[at] != FREE {
            at = (at + 1) & last;
        }
        self.index[at] = entry;
    }
}

/// A quick hash of words: keys are places in tables, and what meets in the index changes nothing but the time.
fn hash(key: &[u64]) -> u32 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = key.iter().fold(0_u64, |mixed, word| (mixed.rotate_left(5) ^ word).wrapping_mul(ODD));
    ((mixed ^ mixed >> 32).wrapping_mul(ODD) >> 32) as u32
}

/// Puts a number into an ascending list, once.
fn insert(list: &mut Vec<u32>, number: u32) {
    let behind = list.iter().rev().take_while(|other| **other > number).count();
    let place = list.len() - behind;
    if place == 0 || list[place - 1] != number {
        list.insert(place, number);
    }
}
