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

/// Sums of one class over some columns.
#[derive(Clone, Copy)]
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
    pulp::Arch::new().dispatch(AddUp { places: &rows.places, values, sums: &mut sums });
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

/// The loop over rows, in the widest vectors the machine has.
struct AddUp<'a, const W: usize> {
    places: &'a [u32],
    values: [&'a [f64]; W],
    sums: &'a mut [Sums<W>],
}

impl<const W: usize> pulp::WithSimd for AddUp<'_, W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: pulp::Simd>(self, _: V) {
        let Self { places, values, sums } = self;
        let n = places.len();
        let values: [&[f64]; W] = values.map(|values| &values[..n]);
        for row in 0..n {
            let Sums { pivot, deviation, square } = &mut sums[places[row] as usize];
            let mut away = [0.0; W];
            for column in 0..W {
                away[column] = values[column][row] - pivot[column];
            }
            for column in 0..W {
                deviation[column] += away[column];
            }
            for column in 0..W {
                square[column] += away[column] * away[column];
            }
        }
    }
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
