//! A bounded sample of the rows, to find cut points from: bottom-k by a hash of the row's number.
//!
//! Which rows are in it depends on their numbers alone (Cohen & Kaplan 2007, *Summarizing data using bottom-k sketches*), so that
//! chunks, threads and the order of merging make no difference: the sample of a union is the bottom k of the samples' union,
//! exactly. The smallest and the largest value of each column are kept of all rows.

use std::cmp::Ordering;

use belief::{Chunk, Codes, Column, Recode, Recoding, ShapeMismatch, SufficientStatistic, for_codes};

/// A sampled value of one column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampledValue {
    /// The number, never missing.
    pub value: f64,
    /// The row's class.
    pub class: u32,
    /// The row's weight, positive.
    pub weight: f64,
}

/// The values of some numeric columns in at most [`ValueSample::capacity`] rows, with class and weight, and the extremes of all.
///
/// Rows whose target is missing or whose weight is zero are left out. Laws: merging is associative and commutative, exactly, and
/// the empty sample is its identity.
#[derive(Clone, Debug)]
pub struct ValueSample {
    /// `None` where rows have no class: then all are of one.
    target: Option<usize>,
    n_classes: usize,
    /// The places of the sampled variables.
    places: Vec<usize>,
    capacity: usize,
    n_observed: u64,
    rows: Rows,
    /// Rows with a key above this are not among the lowest.
    threshold: u64,
    extremes: Vec<Option<(f64, f64)>>,
}

/// Column by column, in no order until they are sorted.
#[derive(Clone, Debug, Default, PartialEq)]
struct Rows {
    keys: Vec<u64>,
    classes: Vec<u32>,
    weights: Vec<f64>,
    values: Vec<Vec<f64>>,
}

impl ValueSample {
    /// The most rows a sample holds.
    pub const MOST_ROWS: usize = 200_000;
    /// The most values it holds: a table of more than a hundred numeric columns keeps fewer rows.
    pub const MOST_VALUES: usize = 20_000_000;

    /// Nothing seen of the numeric variables at these places.
    pub fn empty(places: &[usize], target: usize, n_classes: usize) -> Self {
        let capacity = (Self::MOST_VALUES / places.len().max(1)).clamp(1000, Self::MOST_ROWS);
        Self::with_capacity(places, Some(target), n_classes, capacity)
    }

    /// The same of rows that have no class.
    pub fn without_classes(places: &[usize]) -> Self {
        Self { target: None, ..Self::empty(places, 0, 1) }
    }

    fn with_capacity(places: &[usize], target: Option<usize>, n_classes: usize, capacity: usize) -> Self {
        let rows = Rows { values: vec![Vec::new(); places.len()], ..Rows::default() };
        let extremes = vec![None; places.len()];
        Self { target, n_classes, places: places.to_vec(), capacity, n_observed: 0, rows, threshold: u64::MAX, extremes }
    }

    /// How many rows it holds at most.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many rows it was taken from.
    pub fn n_observed(&self) -> u64 {
        self.n_observed
    }

    /// Whether it holds every row that was seen.
    pub fn is_whole(&self) -> bool {
        self.n_observed <= self.capacity as u64
    }

    /// How many classes there are.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The smallest and the largest value of a variable in all rows, if it has any; the outer `None` if it was not sampled.
    pub fn extremes(&self, place: usize) -> Option<Option<(f64, f64)>> {
        Some(self.extremes[self.column_of(place)?])
    }

    /// The values of a variable, upwards, and of equals by class; `None` if it was not sampled.
    pub fn sorted_values(&self, place: usize) -> Option<Vec<SampledValue>> {
        let column = self.column_of(place)?;
        let values = &self.rows.values[column];
        let rows = self.lowest().into_iter().filter(|&row| !values[row].is_nan());
        // Minus zero and zero are one value.
        let sampled = |row: usize| SampledValue { value: values[row] + 0.0, class: self.rows.classes[row], weight: self.rows.weights[row] };
        let mut sorted: Vec<SampledValue> = rows.map(sampled).collect();
        let order = |a: &SampledValue, b: &SampledValue| {
            a.value.total_cmp(&b.value).then(a.class.cmp(&b.class)).then(a.weight.total_cmp(&b.weight))
        };
        sorted.sort_unstable_by(order);
        Some(sorted)
    }

    fn column_of(&self, place: usize) -> Option<usize> {
        self.places.iter().position(|&sampled| sampled == place)
    }

    /// The lowest rows in order.
    fn canonical(&self) -> Rows {
        let mut sample = self.clone();
        sample.compact();
        sample.rows
    }

    /// The places of the lowest rows, in no order.
    fn lowest(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.rows.keys.len()).collect();
        if places.len() > self.capacity {
            places.select_nth_unstable_by(self.capacity - 1, |a, b| self.rows.compare(*a, *b));
            places.truncate(self.capacity);
        }
        places
    }

    /// Keeps the lowest rows, in order.
    fn compact(&mut self) {
        let mut order = self.lowest();
        order.sort_unstable_by(|a, b| self.rows.compare(*a, *b));
        self.rows = self.rows.pick(&order);
        if self.rows.keys.len() == self.capacity {
            self.threshold = self.rows.keys[self.capacity - 1];
        }
    }

    /// Sorting at every chunk would cost more than the reading.
    fn compact_if_crowded(&mut self) {
        if self.rows.keys.len() >= 2 * self.capacity {
            self.compact();
        }
    }

    fn observe_classes<C: belief::Code>(&mut self, chunk: &Chunk<'_>, classes: &[C], columns: &[&[f64]]) {
        let n_classes = self.n_classes;
        let weight = |row: usize| chunk.weights.map_or(1.0, |weights| weights[row]);
        let counts = |row: usize| classes[row].place(n_classes) < n_classes && weight(row) > 0.0;
        let counted: Vec<usize> = (0..chunk.n_rows).filter(|&row| counts(row)).collect();
        self.n_observed += counted.len() as u64;
        for (extremes, values) in self.extremes.iter_mut().zip(columns) {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for &row in &counted {
                // A missing value is neither below nor above anything.
                low = if values[row] < low { values[row] } else { low };
                high = if values[row] > high { values[row] } else { high };
            }
            if low <= high {
                *extremes = wider(*extremes, (low, high));
            }
        }
        // A bijection, so that two rows of a table never share a key.
        let key = |row: &usize| belief::split_mix(chunk.first_row.wrapping_add(*row as u64));
        let low: Vec<usize> = counted.into_iter().filter(|row| key(row) <= self.threshold).collect();
        self.rows.keys.extend(low.iter().map(key));
        self.rows.classes.extend(low.iter().map(|&row| classes[row].index() as u32));
        self.rows.weights.extend(low.iter().map(|&row| weight(row)));
        for (kept, values) in self.rows.values.iter_mut().zip(columns) {
            kept.extend(low.iter().map(|&row| values[row]));
        }
    }
}

impl SufficientStatistic for ValueSample {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        if let Some(weights) = chunk.weights {
            ShapeMismatch::check("weights", chunk.n_rows, weights.len())?;
        }
        let not_there = |what| ShapeMismatch { what, expected: 1, found: 0 };
        let mut columns = Vec::with_capacity(self.places.len());
        for &place in &self.places {
            match chunk.columns.get(place) {
                Some(Column::Numeric(values)) => {
                    ShapeMismatch::check("rows of a column", chunk.n_rows, values.len())?;
                    columns.push(*values);
                }
                _ => return Err(not_there("columns of numbers where numbers are sampled")),
            }
        }
        let Some(target) = self.target else {
            self.observe_classes(&chunk, &vec![0_u8; chunk.n_rows], &columns);
            self.compact_if_crowded();
            return Ok(());
        };
        let Some(Column::Categorical { codes, n_states }) = chunk.columns.get(target) else {
            return Err(not_there("categorical target columns"));
        };
        ShapeMismatch::check("rows of the target", chunk.n_rows, Codes::len(codes))?;
        if *n_states > self.n_classes {
            return Err(ShapeMismatch { what: "classes of the target", expected: self.n_classes, found: *n_states });
        }
        for_codes!(codes, codes => self.observe_classes(&chunk, codes, &columns));
        self.compact_if_crowded();
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        let place = |target: Option<usize>| target.map_or(0, |target| target + 1);
        ShapeMismatch::check("the place of the target", place(self.target), place(other.target))?;
        ShapeMismatch::check("classes", self.n_classes, other.n_classes)?;
        ShapeMismatch::check("sampled columns", self.places.len(), other.places.len())?;
        let n_equal = self.places.iter().zip(&other.places).filter(|(a, b)| a == b).count();
        ShapeMismatch::check("sampled columns that agree", self.places.len(), n_equal)?;
        ShapeMismatch::check("rows of a sample", self.capacity, other.capacity)?;
        self.n_observed += other.n_observed;
        for (mine, theirs) in self.extremes.iter_mut().zip(&other.extremes) {
            if let Some(theirs) = theirs {
                *mine = wider(*mine, *theirs);
            }
        }
        let low: Vec<usize> = (0..other.rows.keys.len()).filter(|&row| other.rows.keys[row] <= self.threshold).collect();
        self.rows.append(&other.rows, &low);
        self.compact_if_crowded();
        Ok(())
    }
}

impl Recode for ValueSample {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        let Some(map) = self.target.and_then(|target| recoding.of(target)) else { return Ok(()) };
        ShapeMismatch::check("classes to rename", self.n_classes, map.to.len())?;
        if let Some(&far) = map.to.iter().find(|&&to| to as usize >= map.n_states) {
            return Err(ShapeMismatch { what: "a renamed class", expected: map.n_states, found: far as usize });
        }
        self.rows.classes.iter_mut().for_each(|class| *class = map.to[*class as usize]);
        self.n_classes = map.n_states;
        Ok(())
    }
}

/// Two samples are the same if the same rows are the lowest.
impl PartialEq for ValueSample {
    fn eq(&self, other: &Self) -> bool {
        let shape = |s: &Self| (s.target, s.n_classes, s.capacity, s.n_observed);
        let (mine, theirs) = (self.canonical(), other.canonical());
        shape(self) == shape(other)
            && self.places == other.places
            && self.extremes == other.extremes
            && mine.keys.len() == theirs.keys.len()
            // Not by ==, to which a missing value is not even equal to itself.
            && (0..mine.keys.len()).all(|row| mine.compare_with(row, &theirs, row) == Ordering::Equal)
    }
}

impl Rows {
    fn compare(&self, a: usize, b: usize) -> Ordering {
        self.compare_with(a, self, b)
    }

    /// By key; rows of one number, from two tables, by all they hold.
    fn compare_with(&self, a: usize, other: &Self, b: usize) -> Ordering {
        self.keys[a].cmp(&other.keys[b]).then_with(|| {
            let values = self.values.iter().zip(&other.values).map(|(mine, theirs)| mine[a].total_cmp(&theirs[b]));
            let rest = self.classes[a].cmp(&other.classes[b]).then(self.weights[a].total_cmp(&other.weights[b]));
            values.fold(rest, Ordering::then)
        })
    }

    fn pick(&self, rows: &[usize]) -> Self {
        let mut picked = Self { values: vec![Vec::with_capacity(rows.len()); self.values.len()], ..Self::default() };
        picked.append(self, rows);
        picked
    }

    fn append(&mut self, other: &Self, rows: &[usize]) {
        self.keys.extend(rows.iter().map(|&row| other.keys[row]));
        self.classes.extend(rows.iter().map(|&row| other.classes[row]));
        self.weights.extend(rows.iter().map(|&row| other.weights[row]));
        for (mine, theirs) in self.values.iter_mut().zip(&other.values) {
            mine.extend(rows.iter().map(|&row| theirs[row]));
        }
    }
}

/// A range that also holds another.
fn wider(range: Option<(f64, f64)>, (low, high): (f64, f64)) -> Option<(f64, f64)> {
    Some(range.map_or((low, high), |(l, h)| (l.min(low), h.max(high))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Row = (u8, f64, f64);

    fn sample(rows: &[Row], first_row: u64, capacity: usize) -> ValueSample {
        let mut sample = ValueSample::with_capacity(&[0], Some(1), 3, capacity);
        observe(&mut sample, rows, first_row);
        sample
    }

    fn observe(sample: &mut ValueSample, rows: &[Row], first_row: u64) {
        let classes: Vec<u8> = rows.iter().map(|r| r.0).collect();
        let values: Vec<f64> = rows.iter().map(|r| r.1).collect();
        let weights: Vec<f64> = rows.iter().map(|r| r.2).collect();
        let columns = [Column::Numeric(&values), Column::Categorical { codes: Codes::U8(&classes), n_states: 3 }];
        sample.observe(Chunk { first_row, n_rows: rows.len(), columns: &columns, weights: Some(&weights) }).unwrap();
    }

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let class = prop_oneof![9 => 0..3_u8, 1 => Just(u8::MAX)];
        let x = prop_oneof![9 => (-5..5_i32).prop_map(f64::from), 1 => Just(f64::NAN), 1 => Just(-0.0)];
        let weight = prop_oneof![9 => Just(1.0), 1 => Just(0.0), 1 => Just(2.5)];
        proptest::collection::vec((class, x, weight), 0..60)
    }

    fn plus(a: &ValueSample, b: &ValueSample) -> ValueSample {
        let mut sum = a.clone();
        sum.merge(b).unwrap();
        sum
    }

    /// Rows without a class are sampled as rows of one class are.
    #[test]
    fn rows_need_no_class() {
        let columns = [Column::Numeric(&[3.0, 1.0, f64::NAN, 2.0]), Column::Categorical { codes: Codes::U8(&[0, 0, 0, 0]), n_states: 1 }];
        let rows = Chunk { first_row: 0, n_rows: 4, columns: &columns, weights: None };
        let (mut without, mut with) = (ValueSample::without_classes(&[0]), ValueSample::empty(&[0], 1, 1));
        without.observe(rows).unwrap();
        with.observe(rows).unwrap();
        assert_eq!(without.sorted_values(0), with.sorted_values(0));
        assert_eq!((without.extremes(0), without.n_observed()), (Some(Some((1.0, 3.0))), 4));
    }

    proptest! {
        #[test]
        fn merging_is_associative_and_commutative_and_empty_is_its_identity(
            a in rows(), b in rows(), c in rows(), first in 0..30_u64, capacity in 1..40_usize,
        ) {
            // The row numbers overlap, as those of two files do.
            let [a, b, c] = [(&a, 0), (&b, first), (&c, 20)].map(|(rows, first)| sample(rows, first, capacity));
            prop_assert!(plus(&plus(&a, &b), &c) == plus(&a, &plus(&b, &c)));
            prop_assert!(plus(&a, &b) == plus(&b, &a));
            prop_assert!(plus(&a, &ValueSample::with_capacity(&[0], Some(1), 3, capacity)) == a);
        }

        #[test]
        fn cutting_the_rows_anywhere_changes_nothing(rows in rows(), cut in 0..60_usize, capacity in 1..40_usize) {
            let (left, right) = rows.split_at(cut.min(rows.len()));
            let whole = sample(&rows, 0, capacity);
            prop_assert!(plus(&sample(left, 0, capacity), &sample(right, left.len() as u64, capacity)) == whole);
            let mut one_by_one = ValueSample::with_capacity(&[0], Some(1), 3, capacity);
            rows.iter().enumerate().for_each(|(nth, row)| observe(&mut one_by_one, &[*row], nth as u64));
            prop_assert!(one_by_one == whole);
            let n_counted = rows.iter().filter(|r| r.0 < 3 && r.2 > 0.0).count();
            prop_assert_eq!(whole.canonical().keys.len(), n_counted.min(capacity));
        }
    }

    #[test]
    fn the_extremes_are_those_of_all_rows() {
        let rows: Vec<Row> = (0..1000).map(|i| (0, f64::from(i), 1.0)).collect();
        let sample = sample(&rows, 0, 10);
        assert_eq!(sample.extremes(0), Some(Some((0.0, 999.0))));
        assert_eq!(sample.extremes(1), None);
        assert_eq!(sample.sorted_values(0).unwrap().len(), 10);
        assert!(!sample.is_whole() && sample.n_observed() == 1000);
    }

    #[test]
    fn renamed_classes_are_renamed_in_the_sample() {
        let mut sample = sample(&[(0, 1.0, 1.0), (2, 2.0, 1.0)], 0, 10);
        let map = belief::StateMap { to: vec![3, 1, 0], n_states: 4 };
        sample.recode(&Recoding { columns: vec![None, Some(map)] }).unwrap();
        let classes: Vec<u32> = sample.sorted_values(0).unwrap().iter().map(|v| v.class).collect();
        assert_eq!((classes, sample.n_classes()), (vec![3, 0], 4));
    }
}
