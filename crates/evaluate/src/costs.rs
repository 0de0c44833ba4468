//! Decisions by cost: the class to name where errors are not all alike.
//!
//! With cost(s | t) for saying s where t is true, the Bayes decision is the class of least expected cost, Σₜ P(t | x) · cost(s | t) (Duda & Hart
//! 1973, section 2.2; Elkan 2001, "The Foundations of Cost-Sensitive Learning", IJCAI, equation 1). The probabilities stay what they are;
//! only the answer changes, and it need not be the most probable class. Where all errors cost the same it is.

use std::collections::BTreeMap;

use crate::error::{EvaluateError, check_class, check_length};

/// What it costs to say one class where another is true. Unless it is told otherwise a right answer costs 0 and an error 1.
///
/// **Complexity**: space for the costs that were told; a decision takes time for the classes, and for all of them again for each class
/// whose costs were told.
///
/// # Example
///
/// ```
/// use tunbridge_evaluate::Costs;
///
/// const HAM: usize = 0;
/// const SPAM: usize = 1;
/// // Saying spam where it is ham is nine times as bad as the reverse.
/// let costs = Costs::equal(2).with(SPAM, HAM, 9.0)?;
/// assert_eq!(costs.decide(&[0.2, 0.8])?, HAM);
/// assert_eq!(costs.decide(&[0.05, 0.95])?, SPAM);
/// # Ok::<(), tunbridge_evaluate::EvaluateError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    n_classes: usize,
    /// By (said, truth).
    told: BTreeMap<(usize, usize), f64>,
}

/// Expected costs that differ by less than this share are taken for equal: so much may be lost in adding them up.
const ALIKE: f64 = 1e-12;

impl Costs {
    /// Errors that all cost one.
    pub fn equal(n_classes: usize) -> Self {
        Self { n_classes, told: BTreeMap::new() }
    }

    /// The same with another cost for saying `said` where `truth` is true.
    ///
    /// # Errors
    /// One of them is no class, or the cost is negative or not finite.
    pub fn with(mut self, said: usize, truth: usize, cost: f64) -> Result<Self, EvaluateError> {
        check_class(said, self.n_classes)?;
        check_class(truth, self.n_classes)?;
        if !(cost.is_finite() && cost >= 0.0) {
            return Err(EvaluateError::NotACost { found: cost });
        }
        self.told.insert((said, truth), cost);
        Ok(self)
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// What it costs to say `said` where `truth` is true.
    pub fn cost(&self, said: usize, truth: usize) -> f64 {
        let usual = if said == truth { 0.0 } else { 1.0 };
        self.told.get(&(said, truth)).copied().unwrap_or(usual)
    }

    /// The most that an answer can cost where `truth` is true.
    pub fn worst(&self, truth: usize) -> f64 {
        (0..self.n_classes).map(|said| self.cost(said, truth)).fold(0.0, f64::max)
    }

    /// The expected cost of saying each class, where the classes have the probabilities `p`.
    ///
    /// # Errors
    /// `p` has the wrong length.
    pub fn expected(&self, p: &[f64]) -> Result<Vec<f64>, EvaluateError> {
        check_length(p.len(), self.n_classes)?;
        // What all errors cost together, of those before and those behind: 1 − p would lose what is left where p is almost 1.
        let mut expected = vec![0.0; p.len()];
        let mut before = 0.0;
        for (sum, p) in expected.iter_mut().zip(p) {
            *sum = before;
            before += p;
        }
        let mut behind = 0.0;
        for (sum, p) in expected.iter_mut().zip(p).rev() {
            *sum += behind;
            behind += p;
        }
        let mut last = None;
        for &(said, _) in self.told.keys() {
            if last != Some(said) {
                expected[said] = p.iter().enumerate().map(|(truth, p)| p * self.cost(said, truth)).sum();
                last = Some(said);
            }
        }
        Ok(expected)
    }

    /// The class of least expected cost; of equals the most probable one, and of those the first.
    ///
    /// # Errors
    /// `p` has the wrong length, or there are no classes.
    pub fn decide(&self, p: &[f64]) -> Result<usize, EvaluateError> {
        let expected = self.expected(p)?;
        let least = expected.iter().copied().fold(f64::INFINITY, f64::min);
        let cheap = (0..p.len()).filter(|&class| expected[class] <= least * (1.0 + ALIKE));
        let best = cheap.reduce(|best, class| if p[class] > p[best] { class } else { best });
        best.ok_or(EvaluateError::UnknownClass { class: 0, n_classes: self.n_classes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const N: usize = 4;

    fn probabilities() -> impl Strategy<Value = Vec<f64>> {
        let weight = prop_oneof![4 => 0.0..1.0_f64, 1 => Just(0.25), 1 => Just(0.0), 1 => Just(1e-300)];
        vec(weight, N).prop_filter_map("all are zero", |w| {
            let sum: f64 = w.iter().sum();
            (sum > 0.0).then(|| w.iter().map(|x| x / sum).collect())
        })
    }

    fn costs() -> impl Strategy<Value = Costs> {
        let cost = prop_oneof![3 => 0.0..10.0_f64, 1 => Just(0.0), 1 => Just(999.0)];
        vec((0..N, 0..N, cost), 0..10)
            .prop_map(|told| told.into_iter().fold(Costs::equal(N), |costs, (said, truth, cost)| costs.with(said, truth, cost).unwrap()))
    }

    proptest! {
        #[test]
        fn no_other_class_is_cheaper(p in probabilities(), costs in costs()) {
            // The obvious: every sum by its definition.
            let expected: Vec<f64> = (0..N).map(|said| (0..N).map(|truth| p[truth] * costs.cost(said, truth)).sum()).collect();
            for (x, y) in costs.expected(&p).unwrap().iter().zip(&expected) {
                prop_assert!((x - y).abs() <= 1e-12 * (1.0 + y), "{} {}", x, y);
            }
            let chosen = expected[costs.decide(&p).unwrap()];
            prop_assert!(expected.iter().all(|other| chosen <= other * (1.0 + 1e-11) + 1e-300), "{:?}", expected);
        }

        #[test]
        fn where_errors_are_alike_the_most_probable_class_is_named(p in probabilities(), cost in 0.1..100.0_f64) {
            let most = (0..N).reduce(|best, class| if p[class] > p[best] { class } else { best }).unwrap();
            prop_assert_eq!(Costs::equal(N).decide(&p).unwrap(), most);
            let mut alike = Costs::equal(N);
            for (said, truth) in (0..N).flat_map(|said| (0..N).map(move |truth| (said, truth))).filter(|(said, truth)| said != truth) {
                alike = alike.with(said, truth, cost).unwrap();
            }
            // Two classes that differ by the last digits are alike.
            let named = p[alike.decide(&p).unwrap()];
            prop_assert!((named - p[most]).abs() <= 1e-11, "{} {}", named, p[most]);
        }

        #[test]
        fn another_currency_changes_nothing(p in probabilities(), costs in costs(), power in -20..20_i32) {
            let rate = 2_f64.powi(power);
            let scaled = (0..N).flat_map(|said| (0..N).map(move |truth| (said, truth))).try_fold(Costs::equal(N), |scaled, (said, truth)| {
                scaled.with(said, truth, rate * costs.cost(said, truth))
            });
            let full = (0..N).flat_map(|said| (0..N).map(move |truth| (said, truth))).try_fold(Costs::equal(N), |full, (said, truth)| {
                full.with(said, truth, costs.cost(said, truth))
            });
            prop_assert_eq!(scaled.unwrap().decide(&p).unwrap(), full.unwrap().decide(&p).unwrap());
        }
    }

    #[test]
    fn what_is_no_cost_is_refused() {
        for cost in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(Costs::equal(2).with(0, 1, cost), Err(EvaluateError::NotACost { .. })), "{cost}");
        }
        assert!(Costs::equal(2).with(2, 0, 1.0).is_err() && Costs::equal(2).with(0, 2, 1.0).is_err());
        assert!(Costs::equal(2).decide(&[1.0]).is_err() && Costs::equal(0).decide(&[]).is_err());
    }

    #[test]
    fn a_class_that_is_almost_sure_is_not_taken_for_sure() {
        // 1 − 1e-20 is 1, and yet saying spam is not free.
        let costs = Costs::equal(2).with(1, 0, 1e30).unwrap();
        assert_eq!(costs.decide(&[1e-20, 1.0]).unwrap(), 0);
    }
}
