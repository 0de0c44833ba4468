//! Numbers to moments, class by class, several columns side by side.
//!
//! Row by row, what the numbers of eight columns are away from a pivot is added up in the row's class, and its square: the sums of a class lie
//! together, and a row is a few steps of vectors, whatever its class. The pivot of a class is its first number, which for most columns is within a few spreads
//! of the mean, so that Σ(x − pivot)² − (Σ(x − pivot))²/n loses next to nothing (Chan, Golub & LeVeque 1983, section 3). Where it would lose digits, and
//! where a number is missing, the numbers of the class are gathered and gone through twice.
//!
//! The sums of a column are taken in the order of its rows, however many columns stand beside it and whatever vectors the machine has: the results are
//! the same.

use std::cell::OnceCell;

use crate::{Code, Codes, Moments, for_codes};

/// A column of numbers, and the moments of each class that they are added to.
pub(crate) struct Numbers<'a> {
    pub of_class: &'a mut [Moments],
    pub values: &'a [f64],
}

/// Adds rows that count once each. All columns are as long as the classes. Rows without a class, and missing numbers, are left out.
pub(crate) fn observe(classes: Codes<'_>, n_classes: usize, columns: &mut [Numbers<'_>]) {
    // Many tables have none.
    if columns.is_empty() {
        return;
    }
    for_codes!(classes, classes => {
        for (nth, block) in classes.chunks(BLOCK).enumerate() {
            observe_block(&Rows::new(block, n_classes), nth * BLOCK, columns);
        }
    });
}

/// Rows that are summed up together.
const BLOCK: usize = 4096;

/// With more classes than these, the sums of all would not stay in cache.
const MOST_CLASSES: usize = 256;

/// Less than this part of the squares is left where a pivot was far from the mean.
const ENOUGH_LEFT: f64 = 1.0 / 64.0;

/// The classes of a block of rows.
struct Rows {
    /// The place of each row's class; that behind the last for rows without one.
    places: Vec<u32>,
    /// Of each class, how many rows it has and which is the first.
    of_class: Vec<(u32, u32)>,
    by_class: OnceCell<ByClass>,
}

/// Rows put in order by class.
struct ByClass {
    /// Those of the first class first, each class in its order.
    rows: Vec<u32>,
    /// Where the rows of each class end.
    ends: Vec<usize>,
}

impl Rows {
    fn new<K: Code>(classes: &[K], n_classes: usize) -> Self {
        let places: Vec<u32> = classes.iter().map(|class| class.place(n_classes) as u32).collect();
        let mut of_class = vec![(0, 0); n_classes + 1];
        for (row, &place) in (0..).zip(&places) {
            let (n, first) = &mut of_class[place as usize];
            if *n == 0 {
                *first = row;
            }
            *n += 1;
        }
        of_class.truncate(n_classes);
        Self { places, of_class, by_class: OnceCell::new() }
    }

    /// The rows of a class.
    fn of_class(&self, class: usize) -> &[u32] {
        let ByClass { rows, ends } = self.by_class.get_or_init(|| self.by_class());
        &rows[if class == 0 { 0 } else { ends[class - 1] }..ends[class]]
    }

    /// Sorts the rows by class, by counting.
    fn by_class(&self) -> ByClass {
        let mut ends: Vec<usize> = Vec::with_capacity(self.of_class.len());
        let mut total = 0;
        for (n, _) in &self.of_class {
            ends.push(total);
            total += *n as usize;
        }
        let mut rows = vec![0; total];
        for (row, &place) in (0..).zip(&self.places) {
            if let Some(end) = ends.get_mut(place as usize) {
                rows[*end] = row;
                *end += 1;
            }
        }
        ByClass { rows, ends }
    }
}

fn observe_block(rows: &Rows, first: usize, columns: &mut [Numbers<'_>]) {
    let range = first..first + rows.places.len();
    if rows.of_class.len() > MOST_CLASSES {
        for Numbers { of_class, values } in columns {
            for (class, moments) in of_class.iter_mut().enumerate() {
                moments.merge(&gathered(rows.of_class(class), &values[range.clone()]));
            }
        }
        return;
    }
    let mut rest = columns;
    loop {
        let observe_some = match rest.len() {
            0 => return,
            8.. => observe_some::<8>,
            4.. => observe_some::<4>,
            2.. => observe_some::<2>,
            _ => observe_some::<1>,
        };
        let n = observe_some(rows, first, rest);
        rest = &mut rest[n..];
    }
}

/// Sums of one class over some columns. Where the next row is of the same class, it waits for these: longest if they lie across two lines of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Sums<const W: usize> {
    pivot: [f64; W],
    /// Σ (x − pivot).
    deviation: [f64; W],
    /// Σ (x − pivot)².
    square: [f64; W],
}

/// Adds a block of the first `W` columns; tells how many that are.
fn observe_some<const W: usize>(rows: &Rows, first: usize, columns: &mut [Numbers<'_>]) -> usize {
    let values: [&[f64]; W] = std::array::from_fn(|column| &columns[column].values[first..first + rows.places.len()]);
    let blank = |pivot| Sums { pivot, deviation: [0.0; W], square: [0.0; W] };
    let pivots = rows.of_class.iter().map(|(n, first)| if *n == 0 { [0.0; W] } else { values.map(|values| values[*first as usize]) });
    let mut sums: Vec<Sums<W>> = pivots.chain([[0.0; W]]).map(blank).collect();
    add_up(&rows.places, values, &mut sums);
    for (column, Numbers { of_class, .. }) in columns[..W].iter_mut().enumerate() {
        for (class, (moments, (n, _))) in of_class.iter_mut().zip(&rows.of_class).enumerate() {
            if *n > 0 {
                let (pivot, deviation, square) = (sums[class].pivot[column], sums[class].deviation[column], sums[class].square[column]);
                let weight = f64::from(*n);
                let off = deviation / weight;
                let sum_sq = square - deviation * off;
                // Not so where anything is missing.
                let is_exact = sum_sq >= ENOUGH_LEFT * square;
                let of_block = Moments { weight, mean: pivot + off, sum_sq };
                moments.merge(&if is_exact { of_block } else { gathered(rows.of_class(class), values[column]) });
            }
        }
    }
    W
}

fn add_up<const W: usize>(places: &[u32], values: [&[f64]; W], sums: &mut [Sums<W>]) {
    #[cfg(target_arch = "x86_64")]
    if let Some(machine) = pulp::x86::V3::try_new() {
        return pulp::Simd::vectorize(machine, AddUp { places, values, sums, turn: |columns| turned(machine, columns) });
    }
    pulp::Arch::new().dispatch(AddUp { places, values, sums, turn: turned_one_by_one });
}

/// Four numbers of four columns, or of four rows.
type Square = [[f64; 4]; 4];

/// The loop over rows, four at a time: a number that is loaded alone takes as long as four that lie together.
struct AddUp<'a, const W: usize, T> {
    places: &'a [u32],
    values: [&'a [f64]; W],
    sums: &'a mut [Sums<W>],
    /// Columns to rows.
    turn: T,
}

impl<const W: usize, T: Fn(Square) -> Square> pulp::WithSimd for AddUp<'_, W, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: pulp::Simd>(self, _: V) {
        let Self { places, values, sums, turn } = self;
        let (fours, rest) = places.as_chunks::<4>();
        let values: [(&[[f64; 4]], &[f64]); W] = values.map(|values| {
            let (of_fours, of_rest) = values.as_chunks::<4>();
            (&of_fours[..fours.len()], &of_rest[..rest.len()])
        });
        for (nth, places) in fours.iter().enumerate() {
            let mut rows = [[0.0; W]; 4];
            for first in (0..W / 4 * 4).step_by(4) {
                let square = turn(std::array::from_fn(|column| values[first + column].0[nth]));
                rows.iter_mut().zip(square).for_each(|(row, numbers)| row[first..first + 4].copy_from_slice(&numbers));
            }
            for column in W / 4 * 4..W {
                rows.iter_mut().zip(values[column].0[nth]).for_each(|(row, number)| row[column] = number);
            }
            places.iter().zip(&rows).for_each(|(place, row)| sums[*place as usize].add(row));
        }
        for (nth, place) in rest.iter().enumerate() {
            sums[*place as usize].add(&std::array::from_fn(|column| values[column].1[nth]));
        }
    }
}

impl<const W: usize> Sums<W> {
    #[inline(always)]
    fn add(&mut self, row: &[f64; W]) {
        let away: [f64; W] = std::array::from_fn(|column| row[column] - self.pivot[column]);
        self.deviation.iter_mut().zip(&away).for_each(|(sum, away)| *sum += away);
        self.square.iter_mut().zip(&away).for_each(|(sum, away)| *sum += away * away);
    }
}

/// Pairs of columns are laced into each other, and halves of the pairs put together.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn turned(machine: pulp::x86::V3, columns: Square) -> Square {
    let avx = machine.avx;
    let [a, b, c, d]: [std::arch::x86_64::__m256d; 4] = columns.map(pulp::cast);
    let (even, odd) =
        ([avx._mm256_unpacklo_pd(a, b), avx._mm256_unpacklo_pd(c, d)], [avx._mm256_unpackhi_pd(a, b), avx._mm256_unpackhi_pd(c, d)]);
    let first = |[x, y]: [_; 2]| pulp::cast(avx._mm256_permute2f128_pd::<0x20>(x, y));
    let second = |[x, y]: [_; 2]| pulp::cast(avx._mm256_permute2f128_pd::<0x31>(x, y));
    [first(even), first(odd), second(even), second(odd)]
}

#[inline(always)]
fn turned_one_by_one(columns: Square) -> Square {
    std::array::from_fn(|row| columns.map(|column| column[row]))
}

/// Numbers that are gathered at once, so that they stay in cache while they are gone through twice.
const GATHERED: usize = 1024;

/// The moments of the numbers in some rows.
fn gathered(rows: &[u32], values: &[f64]) -> Moments {
    struct Gather<'a>(&'a [u32], &'a [f64]);

    impl pulp::WithSimd for Gather<'_> {
        type Output = Moments;

        #[inline(always)]
        fn with_simd<V: pulp::Simd>(self, _: V) -> Moments {
            let Self(rows, values) = self;
            let (mut moments, mut numbers) = (Moments::default(), [0.0; GATHERED]);
            for rows in rows.chunks(GATHERED) {
                let numbers = &mut numbers[..rows.len()];
                for (number, row) in numbers.iter_mut().zip(rows) {
                    *number = values[*row as usize];
                }
                moments.merge(&by_two_passes(numbers));
            }
            moments
        }
    }
    pulp::Arch::new().dispatch(Gather(rows, values))
}

/// The corrected two-pass algorithm (Chan, Golub & LeVeque 1983, equation 1.7): Σd would be zero but for the rounding of the
/// mean, and takes that rounding out again. Missing numbers are left out; the order of the numbers may change.
#[inline(always)]
fn by_two_passes(numbers: &mut [f64]) -> Moments {
    let mut values = &*numbers;
    let mut sum = sum_of(values);
    if sum.is_nan() {
        // Missing numbers are rare enough to be looked for only where the sum tells of them.
        let mut n = 0;
        for at in 0..numbers.len() {
            numbers[n] = numbers[at];
            n += usize::from(!numbers[n].is_nan());
        }
        values = &numbers[..n];
        sum = sum_of(values);
    }
    if values.is_empty() {
        return Moments::default();
    }
    let n = values.len() as f64;
    let mean = sum / n;
    let [deviation, square] = deviations_from(mean, values);
    let off = deviation / n;
    Moments { weight: n, mean: mean + off, sum_sq: (square - deviation * off).max(0.0) }
}

/// Sums run in lanes side by side, which the compiler takes together; their number fixes the rounding on every machine.
const LANES: usize = 8;

#[inline(always)]
fn sum_of(values: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (whole, rest) = values.as_chunks::<LANES>();
    for some in whole {
        sums.iter_mut().zip(some).for_each(|(sum, x)| *sum += x);
    }
    sums.iter_mut().zip(rest).for_each(|(sum, x)| *sum += x);
    sums.iter().sum()
}

/// Σ (x − mean) and Σ (x − mean)².
#[inline(always)]
fn deviations_from(mean: f64, values: &[f64]) -> [f64; 2] {
    let (mut deviations, mut squares) = ([0.0; LANES], [0.0; LANES]);
    let mut add = |some: &[f64]| {
        for ((deviation, square), x) in deviations.iter_mut().zip(&mut squares).zip(some) {
            let d = x - mean;
            *deviation += d;
            *square += d * d;
        }
    };
    let (whole, rest) = values.as_chunks::<LANES>();
    whole.iter().for_each(|some| add(some));
    add(rest);
    [deviations.iter().sum(), squares.iter().sum()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// To the bit, however many rows are left over.
    #[test]
    fn four_rows_at_a_time_are_added_like_one_after_another() {
        fn check<const W: usize>(n: usize) {
            let columns: [Vec<f64>; W] =
                std::array::from_fn(|column| (0..n).map(|row| ((row * 31 + column * 7) as f64).sin() * 1e3).collect());
            let places: Vec<u32> = (0..n as u32).map(|row| row * row % 3).collect();
            let values = columns.each_ref().map(|column| &column[..]);
            let blank = Sums { pivot: std::array::from_fn(|column| column as f64 / 3.0), deviation: [0.0; W], square: [0.0; W] };
            let (mut found, mut plain) = (vec![blank; 3], vec![blank; 3]);
            add_up(&places, values, &mut found);
            for (row, place) in places.iter().enumerate() {
                plain[*place as usize].add(&values.map(|column| column[row]));
            }
            for (found, plain) in found.iter().zip(&plain) {
                assert_eq!((found.deviation, found.square), (plain.deviation, plain.square), "{W} columns, {n} rows");
            }
        }
        for n in [0, 1, 3, 4, 7, 4096] {
            check::<1>(n);
            check::<2>(n);
            check::<4>(n);
            check::<8>(n);
        }
    }

    #[test]
    fn columns_become_rows() {
        let columns = [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0], [12.0, 13.0, 14.0, 15.0]];
        let rows = turned_one_by_one(columns);
        assert_eq!(rows[1], [1.0, 5.0, 9.0, 13.0]);
        #[cfg(target_arch = "x86_64")]
        if let Some(machine) = pulp::x86::V3::try_new() {
            assert_eq!(turned(machine, columns), rows);
        }
    }
}
