//! Weight, mean and spread of a numeric column: merged, never as E\[x²\] − E\[x\]².

use serde::{Deserialize, Serialize};

use crate::side_by_side::{self, Numbers};
use crate::{Code, Codes, Forget, NeverObserved, ShapeMismatch, StateMap, SufficientStatistic, count_less, count_without, for_codes};

/// Total weight, mean and sum of squared deviations of some numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// Σ w.
    pub weight: f64,
    /// Σ w x / Σ w; zero when the weight is.
    pub mean: f64,
    /// Σ w (x − mean)².
    pub sum_sq: f64,
}

impl Moments {
    /// The moments of one number.
    pub fn of_one(x: f64, weight: f64) -> Self {
        if weight > 0.0 { Self { weight, mean: x, sum_sq: 0.0 } } else { Self::default() }
    }

    /// The variance by maximum likelihood, or `None` when nothing was seen.
    pub fn variance(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.sum_sq / self.weight)
    }

    /// Adds other numbers' moments.
    pub fn merge(&mut self, other: &Self) {
        if other.weight == 0.0 {
            return;
        }
        if self.weight == 0.0 {
            *self = *other;
            return;
        }
        // Chan, Golub & LeVeque 1979 (STAN-CS-79-773). Σx² − (Σx)²/n would cancel catastrophically on a column such as the
        // year, whose mean dwarfs its spread.
        let total = self.weight + other.weight;
        let delta = other.mean - self.mean;
        self.mean += delta * (other.weight / total);
        self.sum_sq += other.sum_sq + delta * delta * (self.weight * other.weight / total);
        self.weight = total;
    }

    /// What is left when these numbers are taken back.
    ///
    /// # Errors
    /// When more is taken back than there is, or the numbers cannot have been here: the spread would become negative by more than
    /// rounding.
    pub fn without(&self, other: &Self) -> Result<Self, NeverObserved> {
        if other.weight == 0.0 {
            return Ok(*self);
        }
        let left = count_without(self.weight, other.weight)?;
        let relative = SPREAD_TOLERANCE * (self.sum_sq + other.sum_sq);
        if left == 0.0 {
            // All is taken back, so what is taken back must be all.
            let size = self.mean.abs() + self.variance().unwrap_or(0.0).sqrt();
            let is_all = (self.sum_sq - other.sum_sq).abs() <= relative + self.rounding_of_spread()
                && (other.mean - self.mean).abs() <= SPREAD_TOLERANCE * size;
            return if is_all { Ok(Self::default()) } else { Err(NeverObserved::Spread) };
        }
        let rest = Downdate::new(self, other, left);
        if rest.sum_sq < -(relative + rest.rounding) {
            return Err(NeverObserved::Spread);
        }
        Ok(rest.moments(self))
    }

    /// The same where the numbers are known to have been here.
    pub fn less(&self, other: &Self) -> Self {
        let left = count_less(self.weight, other.weight);
        if left == 0.0 { Self::default() } else { Downdate::new(self, other, left).moments(self) }
    }

    /// How far rounding may have moved the sum of squares. A mean is rounded in its last digit, so that the distance δ of what is
    /// merged is, and with it wδ²; Σ w|δ| is at most √(Σw · Σwδ²). Equal numbers have a spread as well: the mean of ten times 0.1
    /// is not 0.1.
    fn rounding_of_spread(&self) -> f64 {
        let of_mean = 8.0 * f64::EPSILON * self.mean.abs();
        of_mean * (self.weight * self.sum_sq).sqrt() + self.weight * of_mean * of_mean
    }

    /// The sum of squares up to which there is none where one number is taken back and `left` stay: so much, and so much more with the
    /// distance of the number from the mean of those.
    pub fn rounding_without_one(&self, left: f64) -> [f64; 2] {
        [lost(left) * self.sum_sq + self.rounding_of_spread(), 8.0 * f64::EPSILON * self.mean.abs()]
    }

    /// How far rounding may have moved the variance of what is left of `all` numbers after others were taken back: their squares were in its sum.
    pub fn rounding_after(&self, all: &Self) -> f64 {
        if self.weight > 0.0 { (8.0 * f64::EPSILON * all.sum_sq + all.rounding_of_spread()) / self.weight } else { 0.0 }
    }

    /// Whether the fields can be moments of anything; for what was read from a file.
    pub fn is_valid(&self) -> bool {
        self.weight.is_finite() && self.weight >= 0.0 && self.mean.is_finite() && self.sum_sq.is_finite() && self.sum_sq >= 0.0
    }
}

/// Numbers, each of which counts once.
impl SufficientStatistic for Moments {
    type Columns<'a> = &'a [f64];

    fn observe(&mut self, values: &[f64]) -> Result<(), ShapeMismatch> {
        values.iter().for_each(|x| self.merge(&Self::of_one(*x, 1.0)));
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        Moments::merge(self, other);
        Ok(())
    }
}

impl Forget for Moments {
    fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        *self = self.without(other)?;
        Ok(())
    }
}

/// Sums of squares, and means beside their spread, that differ by less than this part are those of the same numbers.
const SPREAD_TOLERANCE: f64 = 1e-9;

/// Chan's update solved for its first operand.
struct Downdate {
    weight: f64,
    mean: f64,
    /// Below zero by rounding, or where the numbers were never there.
    sum_sq: f64,
    /// How far rounding may have moved the sum of squares.
    rounding: f64,
}

impl Downdate {
    fn new(all: &Moments, part: &Moments, left: f64) -> Self {
        let mean = all.mean + (all.mean - part.mean) * (part.weight / left);
        let delta = part.mean - mean;
        // The rounding of the whole's mean is all.weight/left as large in the rest's.
        let rounding = 8.0 * f64::EPSILON * all.mean.abs() * delta.abs() * part.weight + all.rounding_of_spread();
        Self {
            weight: left,
            mean: if mean.abs() <= 8.0 * f64::EPSILON * all.mean.abs() { 0.0 } else { mean },
            sum_sq: all.sum_sq - part.sum_sq - delta * delta * (left * part.weight / all.weight),
            rounding,
        }
    }

    /// Rounding is not spread.
    fn moments(&self, all: &Moments) -> Moments {
        let is_lost = self.sum_sq <= lost(self.weight) * all.sum_sq + self.rounding;
        Moments { weight: self.weight, mean: self.mean, sum_sq: if is_lost { 0.0 } else { self.sum_sq } }
    }
}

/// A spread smaller than this part of what it was taken from has no digit left. A single row has none, but weights may be fractional: a weight of
/// one can be two rows, so that there a spread is only believed to be rounding more readily.
fn lost(weight: f64) -> f64 {
    if weight == 1.0 { SPREAD_TOLERANCE } else { 1e-12 }
}

/// The moments of a numeric column, class by class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Moments>", into = "Vec<Moments>")]
pub struct ClassMoments {
    of_class: Vec<Moments>,
}

impl ClassMoments {
    /// Nothing seen.
    pub fn empty(n_classes: usize) -> Self {
        Self { of_class: vec![Moments::default(); n_classes] }
    }

    /// The moments of each class.
    pub fn of_class(&self) -> &[Moments] {
        &self.of_class
    }

    /// The moments of all classes together.
    pub fn pooled(&self) -> Moments {
        let mut all = Moments::default();
        self.of_class.iter().for_each(|m| all.merge(m));
        all
    }

    /// Adds rows. A row whose class or number is missing is left out.
    ///
    /// # Errors
    /// When the columns differ in length.
    pub fn observe(&mut self, classes: Codes<'_>, values: &[f64], weights: Option<&[f64]>) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("rows of a column", classes.len(), values.len())?;
        let Some(weights) = weights else { return Self::observe_columns(classes, &mut [(self, values)]) };
        ShapeMismatch::check("weights", classes.len(), weights.len())?;
        for_codes!(classes, classes => self.observe_weighted(classes, values, weights));
        Ok(())
    }

    /// Adds rows that count once each to several columns: side by side they take a fraction of the time.
    ///
    /// # Errors
    /// When the columns differ in length or in the number of classes; then nothing is added.
    pub fn observe_columns(classes: Codes<'_>, columns: &mut [(&mut Self, &[f64])]) -> Result<(), ShapeMismatch> {
        let n_classes = columns.first().map_or(0, |(moments, _)| moments.of_class.len());
        for (moments, values) in &*columns {
            ShapeMismatch::check("rows of a column", classes.len(), values.len())?;
            ShapeMismatch::check("classes", n_classes, moments.of_class.len())?;
        }
        let mut numbers: Vec<Numbers<'_>> =
            columns.iter_mut().map(|(moments, values)| Numbers { of_class: &mut moments.of_class, values }).collect();
        side_by_side::observe(classes, n_classes, &mut numbers);
        Ok(())
    }

    fn observe_weighted<K: Code>(&mut self, classes: &[K], values: &[f64], weights: &[f64]) {
        for ((class, &x), &weight) in classes.iter().zip(values).zip(weights) {
            let place = class.place(self.of_class.len());
            if let Some(moments) = self.of_class.get_mut(place)
                && !x.is_nan()
            {
                // West 1979: Chan's formula for a single number.
                moments.merge(&Moments::of_one(x, weight));
            }
        }
    }

    /// Every weight so many times as large.
    pub fn scale(&mut self, by: f64) {
        self.of_class.iter_mut().for_each(|m| *m = Moments { weight: by * m.weight, sum_sq: by * m.sum_sq, mean: m.mean });
    }

    /// Adds another column's moments.
    ///
    /// # Errors
    /// When the numbers of classes differ.
    pub fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        ShapeMismatch::check("classes", self.of_class.len(), other.of_class.len())?;
        self.of_class.iter_mut().zip(&other.of_class).for_each(|(a, b)| a.merge(b));
        Ok(())
    }

    /// Takes other rows' moments back.
    ///
    /// # Errors
    /// When those rows cannot have been seen; then nothing is changed.
    pub fn forget(&mut self, other: &Self) -> Result<(), NeverObserved> {
        ShapeMismatch::check("classes", self.of_class.len(), other.of_class.len())?;
        self.of_class = self.of_class.iter().zip(&other.of_class).map(|(a, b)| a.without(b)).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Two classes made of one: the rows that are not in it, and those that are. `all` is the class in which every row was counted.
    ///
    /// # Errors
    /// When the class has more rows than `all`.
    ///
    /// # Panics
    /// When there is no such class.
    pub fn against_rest(&self, class: usize, all: usize) -> Result<Self, NeverObserved> {
        let (yes, all) = (self.of_class[class], self.of_class[all]);
        count_without(all.weight, yes.weight)?;
        Ok(Self { of_class: vec![all.less(&yes), yes] })
    }

    /// Renames classes.
    ///
    /// # Errors
    /// When the map is not of this shape.
    pub fn recode(&mut self, classes: Option<&StateMap>) -> Result<(), ShapeMismatch> {
        let Some(map) = classes else { return Ok(()) };
        ShapeMismatch::check("classes to rename", self.of_class.len(), map.to.len())?;
        let mut recoded = vec![Moments::default(); map.n_states];
        // A class without numbers may be dropped.
        for (moments, &to) in self.of_class.iter().zip(&map.to).filter(|(moments, to)| **to != StateMap::DROPPED || moments.weight != 0.0) {
            let n_states = map.n_states;
            let slot =
                recoded.get_mut(to as usize).ok_or(ShapeMismatch { what: "a renamed class", expected: n_states, found: to as usize })?;
            slot.merge(moments);
        }
        self.of_class = recoded;
        Ok(())
    }
}

impl TryFrom<Vec<Moments>> for ClassMoments {
    type Error = &'static str;
    fn try_from(of_class: Vec<Moments>) -> Result<Self, &'static str> {
        if of_class.iter().all(Moments::is_valid) { Ok(Self { of_class }) } else { Err("moments that no numbers can have") }
    }
}

impl From<ClassMoments> for Vec<Moments> {
    fn from(moments: ClassMoments) -> Self {
        moments.of_class
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moments(rows: &[(u8, f64)]) -> ClassMoments {
        let (classes, values): (Vec<u8>, Vec<f64>) = rows.iter().copied().unzip();
        let mut moments = ClassMoments::empty(3);
        moments.observe(Codes::U8(&classes), &values, None).unwrap();
        moments
    }

    fn plain(rows: &[(u8, f64)], class: u8) -> (f64, f64, f64) {
        let xs: Vec<f64> = rows.iter().filter(|(c, x)| *c == class && !x.is_nan()).map(|r| r.1).collect();
        let n = xs.len() as f64;
        let mean = xs.iter().sum::<f64>() / n;
        (n, mean, xs.iter().map(|x| (x - mean).powi(2)).sum())
    }

    fn rows() -> impl Strategy<Value = Vec<(u8, f64)>> {
        let class = prop_oneof![9 => 0..3_u8, 1 => Just(u8::MAX)];
        let x = prop_oneof![9 => -1e3..1e3_f64, 1 => Just(f64::NAN)];
        proptest::collection::vec((class, x), 0..300)
    }

    fn close(a: &ClassMoments, b: &ClassMoments) -> bool {
        a.of_class.iter().zip(&b.of_class).all(|(a, b)| {
            a.weight == b.weight && (a.mean - b.mean).abs() <= 1e-12 * 1e3 && (a.sum_sq - b.sum_sq).abs() <= 1e-12 * (1e6 + a.sum_sq)
        })
    }

    proptest! {
        #[test]
        fn the_moments_are_those_of_the_plain_two_passes(rows in rows()) {
            let found = moments(&rows);
            for class in 0..3_u8 {
                let (n, mean, sum_sq) = plain(&rows, class);
                let of_class = found.of_class[class as usize];
                prop_assert_eq!(of_class.weight, n);
                if n > 0.0 {
                    prop_assert!((of_class.mean - mean).abs() < 1e-10);
                    prop_assert!((of_class.sum_sq - sum_sq).abs() <= 1e-12 * sum_sq + 1e-9);
                }
            }
        }

        #[test]
        fn cutting_merging_and_forgetting_agree_to_rounding(rows in rows(), cut in 0..300_usize) {
            let (left, right) = rows.split_at(cut.min(rows.len()));
            let mut merged = moments(left);
            merged.merge(&moments(right)).unwrap();
            prop_assert!(close(&merged, &moments(&rows)));
            let mut swapped = moments(right);
            swapped.merge(&moments(left)).unwrap();
            prop_assert!(close(&merged, &swapped));
            merged.forget(&moments(right)).unwrap();
            for (a, b) in merged.of_class.iter().zip(moments(left).of_class) {
                prop_assert!((a.weight - b.weight).abs() < 1e-9);
                prop_assert!((a.mean - b.mean).abs() < 1e-8 && (a.sum_sq - b.sum_sq).abs() < 1e-5, "{a:?} {b:?}");
            }
        }

        #[test]
        fn numbers_far_from_zero_can_be_forgotten(
            spread in proptest::collection::vec(0..1000_u32, 2..300), cut in 0..300_usize, far in -1e12..1e12_f64,
        ) {
            let rows: Vec<(u8, f64)> = spread.iter().map(|x| (0, far + f64::from(*x))).collect();
            let (left, right) = rows.split_at(cut.min(rows.len()));
            let mut merged = moments(left);
            right.chunks(7).for_each(|some| merged.merge(&moments(some)).unwrap());
            let mut part = moments(right);
            prop_assert!(merged.forget(&part).is_ok());
            part.merge(&moments(left)).unwrap();
            prop_assert!(part.forget(&moments(&rows)).is_ok());
            prop_assert_eq!(part, ClassMoments::empty(3));
        }

        #[test]
        fn the_laws_of_the_algebra_hold_to_rounding(a in rows(), b in rows(), c in rows()) {
            let [a, b, c] = [a, b, c].map(|rows| moments(&rows));
            let merged = |x: &ClassMoments, y: &ClassMoments| { let mut sum = x.clone(); sum.merge(y).unwrap(); sum };
            prop_assert_eq!(testkit::merging_is_a_commutative_monoid(&ClassMoments::empty(3), [&a, &b, &c], merged, close), Ok(()));
        }
    }

    /// A column of years: E[x²] − E[x]² in doubles would be off in the fifth digit here.
    #[test]
    fn a_mean_that_dwarfs_the_spread_does_no_harm() {
        let rows: Vec<(u8, f64)> = (0..10_000).map(|i| (0, 1e9 + f64::from(i % 2))).collect();
        assert!((moments(&rows).of_class[0].variance().unwrap() - 0.25).abs() < 1e-12);
    }

    /// Sorted numbers, whose blocks lie far from the mean so far, and a first number far from all others.
    #[test]
    fn blocks_far_from_the_mean_so_far_do_no_harm() {
        let sorted: Vec<f64> = (0..20_000).map(|i| 1e6 + f64::from(i) * 1e3).collect();
        let outlier: Vec<f64> = std::iter::once(1e9).chain((0..9_999).map(|i| f64::from(i % 7))).collect();
        for values in [sorted, outlier] {
            let rows: Vec<(u8, f64)> = values.iter().map(|x| (0, *x)).collect();
            let mut found = ClassMoments::empty(1);
            found.observe(Codes::U8(&vec![0; rows.len()]), &values, None).unwrap();
            let (n, mean, sum_sq) = plain(&rows, 0);
            let of_class = found.of_class[0];
            assert_eq!(of_class.weight, n);
            assert!((of_class.mean / mean - 1.0).abs() < 1e-12);
            assert!((of_class.sum_sq / sum_sq - 1.0).abs() < 1e-12);
        }
    }

    proptest! {
        /// In any number of them, with numbers missing, classes missing, and numbers far from each other.
        #[test]
        fn a_column_has_the_same_moments_whatever_stands_beside_it(
            rows in proptest::collection::vec((prop_oneof![9 => 0..3_u8, 1 => Just(u8::MAX)], -1e3..1e3_f64), 0..300),
            n_columns in 1..20_usize, missing in 0..9_usize, far in prop_oneof![Just(0.0), Just(1e12)],
        ) {
            let classes: Vec<u8> = rows.iter().map(|row| row.0).collect();
            let number = |column: usize, row: usize| match (row + column) % 10 {
                0 if column == missing => f64::NAN,
                1 if column.is_multiple_of(5) => far,
                _ => rows[row].1 * (column + 1) as f64,
            };
            let values: Vec<Vec<f64>> = (0..n_columns).map(|column| (0..rows.len()).map(|row| number(column, row)).collect()).collect();
            let mut together = vec![ClassMoments::empty(3); n_columns];
            let mut columns: Vec<(&mut ClassMoments, &[f64])> = together.iter_mut().zip(&values).map(|(m, v)| (m, &v[..])).collect();
            ClassMoments::observe_columns(Codes::U8(&classes), &mut columns).unwrap();
            for (together, values) in together.iter().zip(&values) {
                let mut alone = ClassMoments::empty(3);
                alone.observe(Codes::U8(&classes), values, None).unwrap();
                prop_assert_eq!(together, &alone);
                let rows: Vec<(u8, f64)> = classes.iter().copied().zip(values.iter().copied()).collect();
                for (class, of_class) in (0..).zip(&alone.of_class) {
                    let (n, mean, sum_sq) = plain(&rows, class);
                    prop_assert_eq!(of_class.weight, n);
                    if n > 0.0 {
                        prop_assert!((of_class.mean - mean).abs() <= 1e-12 * (mean.abs() + 1e3), "{} {}", of_class.mean, mean);
                        prop_assert!((of_class.sum_sq - sum_sq).abs() <= 1e-11 * sum_sq + 1e-9, "{} {}", of_class.sum_sq, sum_sq);
                    }
                }
            }
        }
    }

    /// So many classes that their sums would not stay in cache, and so many rows that they are several blocks.
    #[test]
    fn many_classes_and_many_rows_are_counted_alike() {
        for n_classes in [2_u32, 256, 257, 1000] {
            let classes: Vec<u32> = (0..10_000).map(|row| row * 7 % n_classes).collect();
            let values: Vec<f64> = (0..10_000).map(|row| f64::from(row % 101) + 1e6).collect();
            let mut found = ClassMoments::empty(n_classes as usize);
            found.observe(Codes::U32(&classes), &values, None).unwrap();
            let mut plain = vec![Moments::default(); n_classes as usize];
            classes.iter().zip(&values).for_each(|(class, x)| plain[*class as usize].merge(&Moments::of_one(*x, 1.0)));
            for (found, plain) in found.of_class.iter().zip(plain) {
                assert_eq!(found.weight, plain.weight);
                assert!((found.mean - plain.mean).abs() < 1e-7 && (found.sum_sq - plain.sum_sq).abs() < 1e-6 * plain.sum_sq);
            }
        }
    }

    #[test]
    fn numbers_that_were_never_there_cannot_be_forgotten() {
        let mut column = moments(&[(0, 1.0), (0, 2.0), (0, 3.0)]);
        assert!(column.forget(&moments(&[(0, 500.0)])).is_err());
        assert!(column.forget(&moments(&[(1, 1.0)])).is_err());
        assert!(column.forget(&moments(&[(0, 1.0), (0, 2.0), (0, 9.0)])).is_err());
        column.forget(&moments(&[(0, 1.0), (0, 2.0), (0, 3.0)])).unwrap();
        assert_eq!(column, ClassMoments::empty(3));
    }

    /// Seconds since 1970: the mean dwarfs the spread, but not so far that a stranger could hide.
    #[test]
    fn a_large_mean_hides_no_stranger() {
        let epoch = 1.7e9;
        let mut column = moments(&[(0, epoch), (0, epoch + 10.0), (0, epoch + 20.0)]);
        let before = column.clone();
        for stranger in [epoch + 500.0, epoch + 40.0, epoch - 500.0, 0.0] {
            assert!(column.forget(&moments(&[(0, stranger)])).is_err(), "{stranger}");
        }
        assert_eq!(column, before);
        column.forget(&moments(&[(0, epoch + 20.0)])).unwrap();
        assert!((column.of_class[0].sum_sq - 50.0).abs() < 1e-4);
    }

    /// Any order, one by one or at once, to the last number: where the mean is near zero, and where a rest is all rounding.
    #[test]
    fn a_whole_class_can_be_forgotten_in_any_order() {
        for numbers in [[0.1, 0.2, -0.3], [0.7, 12.9, 0.7], [0.1, 0.2, 0.0], [1.7e9, 1.7e9 + 10.3, 1.7e9 + 20.7]] {
            for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                let [a, b, c] = order.map(|nth| (0, numbers[nth]));
                let mut column = moments(&numbers.map(|x| (0, x)));
                for number in [a, b, c] {
                    column.forget(&moments(&[number])).unwrap_or_else(|e| panic!("{numbers:?} in order {order:?}: {e}"));
                }
                assert_eq!(column, ClassMoments::empty(3), "{numbers:?} in order {order:?}");
                let mut column = moments(&numbers.map(|x| (0, x)));
                let mut one_by_one = moments(&[a]);
                [b, c].iter().for_each(|number| one_by_one.merge(&moments(&[*number])).unwrap());
                column.forget(&one_by_one).unwrap();
                assert_eq!(column, ClassMoments::empty(3), "{numbers:?} in order {order:?}");
            }
        }
    }

    #[test]
    fn rounding_is_not_left_behind_as_a_spread() {
        let mut column = moments(&[(0, 0.7), (0, 12.9), (0, 0.7)]);
        column.forget(&moments(&[(0, 12.9)])).unwrap();
        assert_eq!((column.of_class[0].weight, column.of_class[0].sum_sq), (2.0, 0.0));
        assert!((column.of_class[0].mean - 0.7).abs() < 1e-14);
        // But a spread that has digits left stays, also in two rows of half the weight.
        let half = |x: f64| Moments::of_one(x, 0.5);
        let mut all = half(1.0);
        all.merge(&half(2.0));
        all.merge(&Moments::of_one(30.0, 1.0));
        let left = all.without(&Moments::of_one(30.0, 1.0)).unwrap();
        assert!((left.sum_sq - 0.25).abs() < 1e-12 && left.weight == 1.0);
    }

    #[test]
    fn weights_count_like_repeated_rows() {
        let mut weighted = ClassMoments::empty(3);
        weighted.observe(Codes::U8(&[0, 0, 1]), &[1.0, 4.0, 7.0], Some(&[2.0, 1.0, 0.0])).unwrap();
        assert!(close(&weighted, &moments(&[(0, 1.0), (0, 1.0), (0, 4.0)])));
    }
}
