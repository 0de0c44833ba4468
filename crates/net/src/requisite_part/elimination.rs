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
/// Products of no more factors need no list.
const FEW: usize = 8;
/// Products between these lose nothing.
const LEAST: f64 = 1e-280;
const MOST: f64 = 1e280;
/// Beyond this, up or down, a table's largest entry is brought back to about one.
const SCALE_BEYOND: f64 = (1_u64 << 60) as f64;

/// What became of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Eliminated {
    /// With the natural logarithm of the probability of what was seen beside it.
    Possible {
        ln: f64,
    },
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
    /// For each variable, itself and those in a factor with it, and the size of a table over them.
    beside: Vec<u64>,
    sizes: Vec<usize>,
    /// The factors of a product: where each stands, how far a state of the summed variable is, and how far the next configuration for each depth.
    at: Vec<usize>,
    steps: Vec<usize>,
    next: Vec<isize>,
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
        let mut left =
            asked.iter().fold(if variables.len() == 64 { !0 } else { (1_u64 << variables.len()) - 1 }, |left, place| left & !(1 << place));
        let mut exponent = 0_i64;
        room.meet();
        let mut kept = Vec::with_capacity(8);
        while left != 0 {
            let next = ones(left).min_by_key(|variable| room.sizes[*variable]).unwrap_or(0);
            if room.sizes[next] > MOST_ENTRIES {
                return Eliminated::Beyond;
            }
            left &= !(1 << next);
            kept.clear();
            kept.extend(ones(room.beside[next] & !(1 << next)));
            room.take_out(next, left, &kept);
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
    /// Notes for each variable which others stand in a factor with it, and the size of the table it would be taken out of.
    fn meet(&mut self) {
        let n = self.n_states.len();
        self.beside.clear();
        self.beside.extend((0..n).map(|variable| 1 << variable));
        for factor in &self.factors {
            ones(factor.scope).for_each(|variable| self.beside[variable] |= factor.scope);
        }
        self.sizes.clear();
        (0..n).for_each(|variable| self.sizes.push(self.size(self.beside[variable])));
    }

    /// Takes a variable out of the others' notes: those beside it stand beside each other.
    fn take_out(&mut self, variable: usize, left: u64, kept: &[usize]) {
        let scope = self.beside[variable] & !(1 << variable);
        for &other in kept {
            self.beside[other] = (self.beside[other] | scope) & !(1 << variable);
            if left >> other & 1 == 1 {
                self.sizes[other] = self.size(self.beside[other]);
            }
        }
    }

    fn size(&self, scope: u64) -> usize {
        ones(scope).fold(1, |size: usize, variable| size.saturating_mul(self.n_states[variable]))
    }

    /// The product of all factors that have a variable, summed over it; without one, of all that are left. The table is over some variables, the last
    /// fastest. The factors are then gone.
    fn product(&mut self, values: &[f64], kept: &[usize], summed: Option<usize>) -> Eliminated {
        let n = self.n_states.len();
        let (mut least, mut most) = (1.0, summed.map_or(1.0, |variable| self.n_states[variable] as f64));
        let mut few: [&[f64]; FEW] = [&[]; FEW];
        let mut many: Vec<&[f64]> = Vec::new();
        let mut places: [usize; FEW] = [0; FEW];
        let mut places_of_many: Vec<usize> = Vec::new();
        self.at.clear();
        self.steps.clear();
        for (place, factor) in self.factors.iter_mut().enumerate() {
            if !factor.is_left || summed.is_some_and(|variable| factor.scope >> variable & 1 == 0) {
                continue;
            }
            factor.is_left = false;
            least *= factor.least;
            most *= factor.most;
            let values = if factor.is_made { &self.made[..] } else { values };
            match (few.get_mut(self.at.len()), places.get_mut(self.at.len())) {
                (Some(few), Some(at)) => (*few, *at) = (values, place),
                _ => {
                    if many.is_empty() {
                        many.extend_from_slice(&few);
                        places_of_many.extend_from_slice(&places);
                    }
                    many.push(values);
                    places_of_many.push(place);
                }
            }
            self.at.push(factor.first);
            self.steps.push(summed.map_or(0, |variable| self.strides[place * n + variable]));
        }
        // A factor of zeros has no entry above zero.
        if least.is_finite() && (least < LEAST || most > MOST) {
            return Eliminated::Beyond;
        }
        let n_factors = self.at.len();
        let (tables, places) = if many.is_empty() { (&few[..n_factors], &places[..n_factors]) } else { (&many[..], &places_of_many[..]) };
        // When a variable goes on, all behind it go back to their first states.
        self.next.clear();
        for (depth, &variable) in kept.iter().enumerate() {
            self.next.extend(places.iter().map(|place| {
                let strides = &self.strides[place * n..][..n];
                let back: usize = kept[depth + 1..].iter().map(|&behind| (self.n_states[behind] - 1) * strides[behind]).sum();
                strides[variable] as isize - back as isize
            }));
        }
        let n_summed = summed.map_or(1, |variable| self.n_states[variable]);
        let n_entries: usize = kept.iter().map(|variable| self.n_states[*variable]).product();
        self.table.clear();
        let mut states = [0_usize; MOST_VARIABLES];
        loop {
            let mut sum = 0.0;
            for state in 0..n_summed {
                let factors = tables.iter().zip(&self.at).zip(&self.steps);
                sum += factors.fold(1.0, |product, ((table, at), step)| product * table[at + state * step]);
            }
            self.table.push(sum);
            if self.table.len() == n_entries {
                return Eliminated::Possible { ln: 0.0 };
            }
            let mut depth = kept.len() - 1;
            loop {
                states[depth] += 1;
                if states[depth] < self.n_states[kept[depth]] {
                    break;
                }
                states[depth] = 0;
                depth -= 1;
            }
            let next = &self.next[depth * n_factors..][..n_factors];
            self.at.iter_mut().zip(next).for_each(|(at, next)| *at = at.wrapping_add_signed(*next));
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
