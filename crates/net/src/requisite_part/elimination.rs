//! Elimination of a small part: its factors are read where they stand among the model's entries, and variables go one at a time, the one of the smallest
//! table first.
//!
//! Most parts are met once or twice, so that nothing is planned ahead. Numbers are doubles, scaled by powers of two; where a product of entries above zero might
//! be lost for being small, or a table would be large, the part is left to another engine.

use super::RequisiteParts;
use belief::VarId;

/// Unseen variables that a part may have: a set of them is a word.
const MOST_VARIABLES: usize = 64;
/// Entries of the largest table that is made here.
const MOST_ENTRIES: usize = 1 << 16;
/// Products between these lose nothing.
const LEAST: f64 = 1e-280;
const MOST: f64 = 1e280;
/// Beyond this, up or down, a table's largest entry is brought back to about one.
const SCALE_BEYOND: f64 = (1_u64 << 60) as f64;

/// What became of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Eliminated {
    /// With the natural logarithm of the probability of what was seen beside it.
    Possible { ln: f64 },
    Impossible,
    Beyond,
}

/// Room for eliminations.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// Of each variable of the model, its place in the part.
    place: Vec<u8>,
    n_states: Vec<usize>,
    factors: Vec<Entry>,
    /// For each factor, how far a step of each variable of the part goes.
    strides: Vec<usize>,
    /// Tables that were made, one behind the other.
    made: Vec<f64>,
    table: Vec<f64>,
    sizes: Vec<usize>,
}

/// A factor of the part.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Its variables.
    scope: u64,
    /// Whether it was made here, and where it begins.
    is_made: bool,
    first: usize,
    is_left: bool,
    least: f64,
    most: f64,
}

/// One factor of a product: its entries, where it stands, and which of the factors it is.
struct Reader<'a> {
    values: &'a [f64],
    at: usize,
    step: usize,
    strides: &'a [usize],
}

impl RequisiteParts {
    /// Takes all variables of a part out but the asked ones, whose joint is put behind `joints`.
    pub(super) fn eliminate(
        &self,
        factors: &[u64],
        key: &[u64],
        variables: &[u32],
        targets: &[VarId],
        room: &mut Scratch,
        joints: &mut Vec<f64>,
    ) -> Eliminated {
        if variables.len() > MOST_VARIABLES {
            return Eliminated::Beyond;
        }
        self.gather(factors, key, variables, room);
        let place = |target: &VarId| usize::from(room.place[target.index()]);
        let asked: Vec<usize> = targets.iter().map(place).collect();
        let mut left = asked.iter().fold(if variables.len() == 64 { !0 } else { (1_u64 << variables.len()) - 1 }, |left, place| left & !(1 << place));
        let mut exponent = 0_i64;
        room.sizes.clear();
        room.sizes.resize(variables.len(), 0);
        let mut changed = left;
        while left != 0 {
            for variable in ones(changed & left) {
                room.sizes[variable] = room.size(room.scope_with(variable));
            }
            let next = ones(left).min_by_key(|variable| room.sizes[*variable]).unwrap_or(0);
            let scope = room.scope_with(next);
            if room.sizes[next] > MOST_ENTRIES {
                return Eliminated::Beyond;
            }
            left &= !(1 << next);
            changed = scope;
            let kept: Vec<usize> = ones(scope & !(1 << next)).collect();
            match room.product(&self.values, &kept, Some(next)) {
                Eliminated::Possible { .. } => {}
                other => return other,
            }
            let Some(scaled) = room.put(&kept) else { return Eliminated::Impossible };
            exponent += scaled;
        }
        match room.product(&self.values, &asked, None) {
            Eliminated::Possible { .. } => {}
            other => return other,
        }
        let total: f64 = room.table.iter().sum();
        if total == 0.0 {
            return Eliminated::Impossible;
        }
        joints.extend(room.table.iter().map(|value| value / total));
        Eliminated::Possible { ln: total.ln() + exponent as f64 * std::f64::consts::LN_2 }
    }

    /// The factors of a part as they are now: what was seen is where they begin.
    fn gather(&self, factors: &[u64], key: &[u64], variables: &[u32], room: &mut Scratch) {
        let n = variables.len();
        room.place.resize(self.n_states.len(), 0);
        room.n_states.clear();
        for (place, &variable) in variables.iter().enumerate() {
            room.place[variable as usize] = place as u8;
            room.n_states.push(self.n_states[variable as usize]);
        }
        room.factors.clear();
        room.strides.clear();
        room.made.clear();
        let places = factors.iter().enumerate().flat_map(|(word, bits)| ones(*bits).map(move |bit| word * 64 + bit));
        for (place, key) in places.zip(key) {
            let table = &self.factors[place];
            let begin = room.strides.len();
            room.strides.resize(begin + n, 0);
            let mut scope = 0;
            for axis in ones(key & u64::from(u32::MAX)) {
                let local = usize::from(room.place[table.scope[axis] as usize]);
                scope |= 1 << local;
                room.strides[begin + local] = table.strides[axis] as usize;
            }
            let first = (key >> 32) as usize;
            room.factors.push(Entry { scope, is_made: false, first, is_left: true, least: table.least, most: table.most });
        }
    }
}

impl Scratch {
    /// The variables of all factors that have a variable.
    fn scope_with(&self, variable: usize) -> u64 {
        let with = self.factors.iter().filter(|factor| factor.is_left && factor.scope >> variable & 1 == 1);
        with.fold(1 << variable, |scope, factor| scope | factor.scope)
    }

    fn size(&self, scope: u64) -> usize {
        ones(scope).fold(1, |size: usize, variable| size.saturating_mul(self.n_states[variable]))
    }

    /// The product of all factors that have a variable, summed over it; without one, of all that are left. The table is over some variables, the last
    /// fastest. The factors are then gone.
    fn product(&mut self, values: &[f64], kept: &[usize], summed: Option<usize>) -> Eliminated {
        let n = self.n_states.len();
        let (mut least, mut most) = (1.0, summed.map_or(1.0, |variable| self.n_states[variable] as f64));
        let mut readers: Vec<Reader<'_>> = Vec::with_capacity(8);
        for (place, factor) in self.factors.iter_mut().enumerate() {
            if !factor.is_left || summed.is_some_and(|variable| factor.scope >> variable & 1 == 0) {
                continue;
            }
            factor.is_left = false;
            least *= factor.least;
            most *= factor.most;
            let strides = &self.strides[place * n..][..n];
            let values = if factor.is_made { &self.made[..] } else { values };
            readers.push(Reader { values, at: factor.first, step: summed.map_or(0, |variable| strides[variable]), strides });
        }
        // A factor of zeros has no entry above zero.
        if least.is_finite() && (least < LEAST || most > MOST) {
            return Eliminated::Beyond;
        }
        let n_summed = summed.map_or(1, |variable| self.n_states[variable]);
        let n_entries: usize = kept.iter().map(|variable| self.n_states[*variable]).product();
        self.table.clear();
        let mut states = [0_usize; MOST_VARIABLES];
        loop {
            let mut sum = 0.0;
            for state in 0..n_summed {
                sum += readers.iter().fold(1.0, |product, reader| product * reader.values[reader.at + state * reader.step]);
            }
            self.table.push(sum);
            if self.table.len() == n_entries {
                return Eliminated::Possible { ln: 0.0 };
            }
            for &variable in kept.iter().rev() {
                states[variable] += 1;
                if states[variable] < self.n_states[variable] {
                    readers.iter_mut().for_each(|reader| reader.at += reader.strides[variable]);
                    break;
                }
                let back = self.n_states[variable] - 1;
                states[variable] = 0;
                readers.iter_mut().for_each(|reader| reader.at -= back * reader.strides[variable]);
            }
        }
    }

    /// Puts the table that was made last among the factors. Gives the power of two that was taken out of it; `None` where all is zero.
    fn put(&mut self, kept: &[usize]) -> Option<i64> {
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for &value in &self.table {
            most = most.max(value);
            least = if value > 0.0 { least.min(value) } else { least };
        }
        if most == 0.0 {
            return None;
        }
        let mut taken = 0;
        if !(1.0 / SCALE_BEYOND..=SCALE_BEYOND).contains(&most) {
            taken = most.log2().floor() as i64;
            let by = 2.0_f64.powi(-taken as i32);
            self.table.iter_mut().for_each(|value| *value *= by);
            (least, most) = (least * by, most * by);
        }
        let begin = self.strides.len();
        self.strides.resize(begin + self.n_states.len(), 0);
        let mut stride = 1;
        for &variable in kept.iter().rev() {
            self.strides[begin + variable] = stride;
            stride *= self.n_states[variable];
        }
        let scope = kept.iter().fold(0, |scope, variable| scope | 1 << variable);
        self.factors.push(Entry { scope, is_made: true, first: self.made.len(), is_left: true, least, most });
        self.made.extend_from_slice(&self.table);
        Some(taken)
    }
}

/// The places of the bits that are set.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(place)
    })
}
