//! Factors: tables over a few variables, and the arithmetic that inference is made of.
//!
//! The variables of a factor stand in the order of their ids and the table is row-major, the last variable fastest. A factor's entries are
//! its numbers times a power of two that is kept apart, so that products of hundreds of probabilities do not underflow and scaling itself
//! rounds nothing. No limit on the number of variables short of memory; callers look at sizes before they multiply.

use crate::error::NetError;
use belief::VarId;

/// A table over variables. Invariant: variables ascend by id; entries are finite and not negative.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    scope: Vec<VarId>,
    shape: Vec<usize>,
    values: Vec<f64>,
    exponent: i64,
}

/// Beyond this, up or down, the largest entry is brought back to about one.
const SCALE_BEYOND: f64 = (1_u64 << 60) as f64;

/// Divisors below this want care.
const FAINT: f64 = 1e-150;

impl Factor {
    /// A number: a factor over no variables.
    pub fn constant(value: f64) -> Self {
        Self { scope: Vec::new(), shape: Vec::new(), values: vec![value], exponent: 0 }
    }

    /// A table over variables in any order, the last fastest, with how many states each has.
    ///
    /// # Errors
    /// When a variable comes twice, the sizes do not fit, or an entry is negative or not finite.
    ///
    /// ```
    /// use tunbridge_net::{Factor, VarId};
    /// let [a, b] = [VarId::new(0), VarId::new(1)];
    /// let factor = Factor::new(&[b, a], &[3, 2], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// assert_eq!(factor.values(), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    /// assert_eq!(factor.sum_out(b).values(), [9.0, 12.0]);
    /// # Ok::<(), tunbridge_net::NetError>(())
    /// ```
    pub fn new(scope: &[VarId], shape: &[usize], values: Vec<f64>) -> Result<Self, NetError> {
        let n_entries = shape.iter().try_fold(1_usize, |n_entries, &n_states| n_entries.checked_mul(n_states));
        let mut order: Vec<usize> = (0..scope.len()).collect();
        order.sort_by_key(|&place| scope[place]);
        let twice = order.windows(2).any(|pair| scope[pair[0]] == scope[pair[1]]);
        let fits = scope.len() == shape.len() && n_entries == Some(values.len());
        if twice || !fits || values.iter().any(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(NetError::NotAFactor);
        }
        if scope.windows(2).all(|pair| pair[0] < pair[1]) {
            return Ok(Self { scope: scope.to_vec(), shape: shape.to_vec(), values, exponent: 0 });
        }
        let strides = strides_of(shape);
        let sorted_shape: Vec<usize> = order.iter().map(|&place| shape[place]).collect();
        let sorted_strides: Vec<usize> = order.iter().map(|&place| strides[place]).collect();
        let mut sorted = Vec::with_capacity(values.len());
        walk(&sorted_shape, [&sorted_strides, &sorted_strides], |n, [from, _], [step, _]| {
            sorted.extend((0..n).map(|i| values[from + i * step]))
        });
        Ok(Self { scope: order.iter().map(|&place| scope[place]).collect(), shape: sorted_shape, values: sorted, exponent: 0 })
    }

    /// A table over one variable.
    pub(crate) fn over_one(variable: VarId, values: &[f64]) -> Self {
        Self { scope: vec![variable], shape: vec![values.len()], values: values.to_vec(), exponent: 0 }
    }

    /// The variables, ascending.
    pub fn scope(&self) -> &[VarId] {
        &self.scope
    }

    /// How many states each variable has.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The entries, up to the power of two of [`Self::ln_scale`].
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The natural logarithm of what every entry of [`Self::values`] is to be multiplied by.
    pub fn ln_scale(&self) -> f64 {
        self.exponent as f64 * std::f64::consts::LN_2
    }

    /// The natural logarithm of the sum of all entries; −∞ when all are zero.
    pub fn ln_total(&self) -> f64 {
        self.values.iter().sum::<f64>().ln() + self.ln_scale()
    }

    /// Whether all entries are zero.
    pub fn is_zero(&self) -> bool {
        self.values.iter().all(|&value| value == 0.0)
    }

    /// The product, over the variables of both.
    ///
    /// # Complexity
    /// One multiplication an entry of the product.
    pub fn product(&self, other: &Self) -> Self {
        let (scope, shape) = union(self, other);
        let strides = [self.strides_in(&scope), other.strides_in(&scope)];
        let mut values = Vec::with_capacity(shape.iter().product());
        walk(&shape, [&strides[0], &strides[1]], |n, [left, right], [left_step, right_step]| {
            values.extend((0..n).map(|i| self.values[left + i * left_step] * other.values[right + i * right_step]));
        });
        Self { scope, shape, values, exponent: self.exponent + other.exponent }.rescaled()
    }

    /// The quotient by a factor over some of the variables. Where the divisor is zero so is the quotient: 0/0 = 0, and a marginal is
    /// zero only where all it was summed from is.
    ///
    /// # Panics
    /// When the divisor has a variable that this factor has not.
    pub fn divide(&self, by: &Self) -> Self {
        assert!(by.scope.iter().all(|variable| self.scope.contains(variable)), "the divisor's variables are among the factor's");
        let strides = by.strides_in(&self.scope);
        // One divided by the smallest doubles is beyond the largest: what is divided is then made smaller first.
        let shift = if by.values.iter().any(|&value| value > 0.0 && value < FAINT) { 500 } else { 0 };
        let scale = 2.0_f64.powi(-shift);
        let mut values = Vec::with_capacity(self.values.len());
        walk(&self.shape, [&strides_of(&self.shape), &strides], |n, [at, below], [at_step, below_step]| {
            values.extend((0..n).map(|i| {
                let divisor = by.values[below + i * below_step];
                if divisor == 0.0 { 0.0 } else { self.values[at + i * at_step] * scale / divisor }
            }));
        });
        Self { scope: self.scope.clone(), shape: self.shape.clone(), values, exponent: self.exponent - by.exponent + i64::from(shift) }
            .rescaled()
    }

    /// The sum over the states of a variable; the factor itself when it does not have it.
    pub fn sum_out(&self, variable: VarId) -> Self {
        self.reduced(variable, |sum, value| sum + value)
    }

    /// The largest over the states of a variable; the factor itself when it does not have it.
    pub fn max_out(&self, variable: VarId) -> Self {
        self.reduced(variable, f64::max)
    }

    /// The sum over all variables but these.
    pub fn marginal(&self, keep: &[VarId]) -> Self {
        // The slowest first: each step runs over long rows.
        let out = self.scope.iter().filter(|variable| !keep.contains(variable));
        out.fold(self.clone(), |left, &variable| left.sum_out(variable))
    }

    /// The largest over all variables but these.
    pub fn max_marginal(&self, keep: &[VarId]) -> Self {
        let out = self.scope.iter().filter(|variable| !keep.contains(variable));
        out.fold(self.clone(), |left, &variable| left.max_out(variable))
    }

    /// One where an entry is above zero, and zero elsewhere: what is possible at all. Products and maxima of such factors never underflow.
    pub fn support(&self) -> Self {
        let values = self.values.iter().map(|&value| if value > 0.0 { 1.0 } else { 0.0 }).collect();
        Self { scope: self.scope.clone(), shape: self.shape.clone(), values, exponent: 0 }
    }

    /// The factor where a variable is in a state; the factor itself when it does not have the variable.
    ///
    /// # Panics
    /// When the variable has no such state.
    pub fn restrict(&self, variable: VarId, state: usize) -> Self {
        let Ok(axis) = self.scope.binary_search(&variable) else { return self.clone() };
        let (n_states, inner) = (self.shape[axis], self.shape[axis + 1..].iter().product::<usize>());
        assert!(state < n_states, "a state of the variable");
        let values = self.values.chunks(n_states * inner).flat_map(|block| &block[state * inner..][..inner]).copied().collect();
        let (scope, shape) = self.without(axis);
        Self { scope, shape, values, exponent: self.exponent }
    }

    /// The entries divided by their sum, in an order of the variables of the caller's choice, the last fastest; `None` when all are zero.
    pub(crate) fn normalised_in(&self, order: &[VarId]) -> Option<Vec<f64>> {
        let total: f64 = self.values.iter().sum();
        if total == 0.0 {
            return None;
        }
        let own = strides_of(&self.shape);
        let axes: Vec<usize> = order.iter().map(|variable| self.scope.binary_search(variable).expect("a variable of the factor")).collect();
        let shape: Vec<usize> = axes.iter().map(|&axis| self.shape[axis]).collect();
        let strides: Vec<usize> = axes.iter().map(|&axis| own[axis]).collect();
        let mut values = Vec::with_capacity(self.values.len());
        walk(&shape, [&strides, &strides], |n, [at, _], [step, _]| values.extend((0..n).map(|i| self.values[at + i * step] / total)));
        Some(values)
    }

    fn reduced(&self, variable: VarId, combine: impl Fn(f64, f64) -> f64) -> Self {
        let Ok(axis) = self.scope.binary_search(&variable) else { return self.clone() };
        let (n_states, inner) = (self.shape[axis], self.shape[axis + 1..].iter().product::<usize>());
        let mut values = Vec::with_capacity(self.values.len() / n_states);
        for block in self.values.chunks(n_states * inner) {
            let start = values.len();
            values.extend_from_slice(&block[..inner]);
            for row in block[inner..].chunks(inner) {
                values[start..].iter_mut().zip(row).for_each(|(so_far, &value)| *so_far = combine(*so_far, value));
            }
        }
        let (scope, shape) = self.without(axis);
        Self { scope, shape, values, exponent: self.exponent }.rescaled()
    }

    fn without(&self, axis: usize) -> (Vec<VarId>, Vec<usize>) {
        let (mut scope, mut shape) = (self.scope.clone(), self.shape.clone());
        scope.remove(axis);
        shape.remove(axis);
        (scope, shape)
    }

    /// How far to step in this factor for a step along each variable of another scope; nowhere for variables that it does not have.
    fn strides_in(&self, scope: &[VarId]) -> Vec<usize> {
        let own = strides_of(&self.shape);
        scope.iter().map(|variable| self.scope.binary_search(variable).map_or(0, |axis| own[axis])).collect()
    }

    /// Brings the largest entry back to about one when it has gone far, by a power of two.
    fn rescaled(mut self) -> Self {
        let largest = self.values.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            self.exponent = 0;
        } else if !(1.0 / SCALE_BEYOND..=SCALE_BEYOND).contains(&largest) {
            // Clamped so that the power of two itself is a double.
            let exponent = (largest.log2() as i32).clamp(-1000, 1000);
            let scale = 2.0_f64.powi(-exponent);
            self.values.iter_mut().for_each(|value| *value *= scale);
            self.exponent += i64::from(exponent);
        }
        self
    }
}

fn union(left: &Factor, right: &Factor) -> (Vec<VarId>, Vec<usize>) {
    let mut both: Vec<(VarId, usize)> =
        [left, right].iter().flat_map(|factor| factor.scope.iter().copied().zip(factor.shape.iter().copied())).collect();
    both.sort_unstable();
    both.dedup();
    both.into_iter().unzip()
}

/// How far apart neighbours along each axis lie in a row-major table.
fn strides_of(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}

/// Walks a table row by row of its last axis: hands over the length of the row, where it begins in each of two other tables, and the steps
/// along it there.
fn walk(shape: &[usize], strides: [&[usize]; 2], mut row: impl FnMut(usize, [usize; 2], [usize; 2])) {
    let Some((&n_last, outer)) = shape.split_last() else { return row(1, [0; 2], [0; 2]) };
    let steps = strides.map(|strides| strides[outer.len()]);
    let mut at = [0; 2];
    let mut place = vec![0; outer.len()];
    for _ in 0..outer.iter().product() {
        row(n_last, at, steps);
        for axis in (0..outer.len()).rev() {
            place[axis] += 1;
            at[0] += strides[0][axis];
            at[1] += strides[1][axis];
            if place[axis] < outer[axis] {
                break;
            }
            at[0] -= strides[0][axis] * outer[axis];
            at[1] -= strides[1][axis] * outer[axis];
            place[axis] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(scope: &[usize], shape: &[usize], values: &[f64]) -> Factor {
        Factor::new(&scope.iter().map(|&place| VarId::new(place)).collect::<Vec<_>>(), shape, values.to_vec()).unwrap()
    }

    /// The example of Koller & Friedman 2009, chapter 4: the product of φ(A, B) and φ(B, C).
    #[test]
    fn product_of_koller_and_friedman() {
        let left = factor(&[0, 1], &[3, 2], &[0.5, 0.8, 0.1, 0.0, 0.3, 0.9]);
        let right = factor(&[1, 2], &[2, 2], &[0.5, 0.7, 0.1, 0.2]);
        let product = left.product(&right);
        let expected = [0.25, 0.35, 0.08, 0.16, 0.05, 0.07, 0.0, 0.0, 0.15, 0.21, 0.09, 0.18];
        assert!(product.values().iter().zip(expected).all(|(value, expected)| (value - expected).abs() < 1e-15));
        // Their chapter 9: B summed out.
        let summed = product.sum_out(VarId::new(1));
        let expected = [0.33, 0.51, 0.05, 0.07, 0.24, 0.39];
        assert!(summed.values().iter().zip(expected).all(|(value, expected)| (value - expected).abs() < 1e-15));
        let largest = product.max_out(VarId::new(1));
        let expected = [0.25, 0.35, 0.05, 0.07, 0.15, 0.21];
        assert!(largest.values().iter().zip(expected).all(|(value, expected)| (value - expected).abs() < 1e-15));
        // Reduced to C = c¹.
        assert_eq!(product.restrict(VarId::new(2), 0).scope(), [VarId::new(0), VarId::new(1)]);
        assert_eq!(product.restrict(VarId::new(2), 0).values()[1], product.values()[2]);
    }

    /// The example of Koller & Friedman 2009, chapter 10: division, with 0/0 = 0.
    #[test]
    fn division_of_koller_and_friedman() {
        let above = factor(&[0, 1], &[3, 2], &[0.5, 0.2, 0.0, 0.0, 0.3, 0.45]);
        let below = factor(&[0], &[3], &[0.8, 0.0, 0.6]);
        assert_eq!(above.divide(&below).values(), [0.625, 0.25, 0.0, 0.0, 0.5, 0.75]);
    }

    #[test]
    fn long_products_do_not_underflow() {
        let mut product = factor(&[0], &[2], &[1.0, 0.5]);
        let small = factor(&[0], &[2], &[1e-30, 2e-30]);
        for _ in 0..100 {
            product = product.product(&small);
        }
        let expected = 100.0 * 1e-30_f64.ln() + (1.0 + 0.5 * 2.0_f64.powi(100)).ln();
        assert!((product.ln_total() - expected).abs() < 1e-9);
        assert!(factor(&[0], &[2], &[0.0, 0.0]).product(&small).is_zero());
    }

    #[test]
    fn quotients_by_the_smallest_doubles_are_finite() {
        let quotient = factor(&[0], &[2], &[0.0, 1.0]).divide(&factor(&[0], &[2], &[1.0, 1e-310]));
        assert!(quotient.values().iter().all(|value| value.is_finite()));
        assert!((quotient.ln_total() + 1e-310_f64.ln()).abs() < 1e-9);
    }

    #[test]
    fn constants_multiply_and_absent_variables_change_nothing() {
        let table = factor(&[3], &[2], &[0.25, 0.75]);
        assert_eq!(Factor::constant(2.0).product(&table).values(), [0.5, 1.5]);
        assert_eq!(Factor::constant(2.0).product(&Factor::constant(3.0)).values(), [6.0]);
        assert_eq!(table.sum_out(VarId::new(1)), table);
        assert_eq!(table.marginal(&[]).values(), [1.0]);
        assert_eq!(table.restrict(VarId::new(3), 1).values(), [0.75]);
    }

    #[test]
    fn what_is_no_factor_is_refused() {
        let [a, b] = [VarId::new(0), VarId::new(1)];
        assert_eq!(Factor::new(&[a, a], &[1, 1], vec![1.0]), Err(NetError::NotAFactor));
        assert_eq!(Factor::new(&[a, b], &[2, 2], vec![1.0]), Err(NetError::NotAFactor));
        assert_eq!(Factor::new(&[a], &[1], vec![-1.0]), Err(NetError::NotAFactor));
        assert_eq!(Factor::new(&[a], &[1], vec![f64::NAN]), Err(NetError::NotAFactor));
    }
}
