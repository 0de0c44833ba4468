//! The Gibbs classifier: draw one hypothesis by what is believed of it, and say what it says.
//!
//! Mitchell 1997, section 6.8. If the truth is drawn from the prior, it errs at most twice as often as the Bayes-optimal classifier, in
//! expectation (Haussler, Kearns & Schapire 1994).

use super::bayes_optimal::Predictions;
use super::error::HypothesisError;
use super::space::Hypotheses;
use crate::distribution::open_unit;
use crate::random;

impl Predictions {
    /// How probable it is that a drawn hypothesis says each value.
    ///
    /// # Errors
    /// When there are not as many hypotheses.
    pub fn gibbs(&self, believed: &Hypotheses) -> Result<Vec<f64>, HypothesisError> {
        self.check(believed)?;
        let mut says = vec![0.0; self.values().len()];
        for (hypothesis, p) in believed.p().iter().enumerate() {
            says[self.of(hypothesis)] += p;
        }
        Ok(says)
    }

    /// What a hypothesis says that is drawn by `uniform`, a number from 0 to 1.
    ///
    /// # Errors
    /// When there are not as many hypotheses.
    pub fn gibbs_says(&self, believed: &Hypotheses, uniform: f64) -> Result<usize, HypothesisError> {
        self.check(believed)?;
        Ok(self.of(gibbs_draw(believed, uniform)))
    }
}

/// How often two classifiers erred in worlds that were drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulatedErrors {
    /// Worlds.
    pub n: u64,
    /// Of the Bayes-optimal classifier.
    pub bayes_optimal: u64,
    /// Of the Gibbs classifier.
    pub gibbs: u64,
}

impl SimulatedErrors {
    /// The shares of worlds in which each erred, the Bayes-optimal classifier first, with their standard errors.
    pub fn shares(&self) -> [(f64, f64); 2] {
        let n = self.n.max(1) as f64;
        [self.bayes_optimal, self.gibbs].map(|errors| {
            let share = errors as f64 / n;
            (share, (share * (1.0 - share) / n).sqrt())
        })
    }
}

impl Predictions {
    /// Whether every hypothesis that is possible is sure of the value it predicts. Only then is the Gibbs classifier's error bounded by
    /// twice the Bayes-optimal one's: Σ p(1 − p) ≤ (1 − max p)(1 + max p) ≤ 2(1 − max p).
    ///
    /// # Errors
    /// When there are not as many hypotheses.
    pub fn is_sure(&self, believed: &Hypotheses) -> Result<bool, HypothesisError> {
        self.check(believed)?;
        Ok(believed.p().iter().enumerate().all(|(hypothesis, p)| *p == 0.0 || self.p_of(hypothesis)[self.of(hypothesis)] == 1.0))
    }

    /// Draws worlds, in each of which one hypothesis is true by what is believed and says the value by its probabilities, and lets both
    /// classifiers guess the value.
    ///
    /// ```
    /// use tunbridge_belief::hypotheses::{Hypotheses, Predictions};
    /// let believed = Hypotheses::new(vec![("h1".into(), Some(0.4)), ("h2".into(), Some(0.3)), ("h3".into(), Some(0.3))])?;
    /// let says = Predictions::new(vec!["+".into(), "-".into()], vec![vec![1.0, 0.0], vec![0.0, 1.0], vec![0.0, 1.0]])?;
    /// let [(optimal, _), (gibbs, _)] = says.simulate(&believed, 10_000, 1)?.shares();
    /// assert!((optimal - 0.4).abs() < 0.02 && (gibbs - 0.48).abs() < 0.02 && gibbs <= 2.0 * optimal);
    /// # Ok::<(), tunbridge_belief::hypotheses::HypothesisError>(())
    /// ```
    ///
    /// # Errors
    /// When there are not as many hypotheses.
    pub fn simulate(&self, believed: &Hypotheses, n: u64, seed: u64) -> Result<SimulatedErrors, HypothesisError> {
        let (optimal, _) = self.bayes_optimal(believed)?;
        let mut chance = random(seed);
        let mut errors = SimulatedErrors { n, bayes_optimal: 0, gibbs: 0 };
        for _ in 0..n {
            let truth = gibbs_draw(believed, open_unit(&mut chance));
            let value = drawn(self.p_of(truth), open_unit(&mut chance));
            errors.bayes_optimal += u64::from(optimal != value);
            errors.gibbs += u64::from(self.of(gibbs_draw(believed, open_unit(&mut chance))) != value);
        }
        Ok(errors)
    }
}

/// The place of a hypothesis that is drawn by `uniform`, a number from 0 to 1; one that is impossible is never drawn.
pub fn gibbs_draw(believed: &Hypotheses, uniform: f64) -> usize {
    drawn(believed.p(), uniform)
}

/// The place that is drawn by `uniform` where each has its probability.
fn drawn(p: &[f64], uniform: f64) -> usize {
    let mut below = 0.0;
    let mut last = 0;
    for (place, p) in p.iter().enumerate().filter(|(_, p)| **p > 0.0) {
        below += p;
        last = place;
        if uniform < below {
            return place;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split_mix;

    /// Numbers from 0 to 1, one after another.
    struct Uniform(u64);

    impl Uniform {
        fn next(&mut self) -> f64 {
            self.0 += 1;
            (split_mix(self.0) >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// Boolean functions of three bits, the truth drawn from a prior, some examples seen: over many worlds the drawn hypothesis errs on
    /// the others at most twice as often as all of them together.
    #[test]
    fn gibbs_errs_at_most_twice_as_often_as_bayes_optimal() {
        let mut chance = Uniform(11);
        let says = |h: usize, x: usize| h >> x & 1;
        // Functions with many ones are less probable.
        let weight = |h: usize| 0.7_f64.powi(h.count_ones() as i32);
        let total: f64 = (0..256).map(weight).sum();
        let prior = Hypotheses::new((0..256).map(|h| (h.to_string(), Some(weight(h) / total))).collect()).unwrap();
        let (mut optimal, mut gibbs, mut n) = (0.0, 0.0, 0.0);
        for _ in 0..2000 {
            let truth = gibbs_draw(&prior, chance.next());
            let n_seen = (chance.next() * 6.0) as usize;
            let seen: Vec<usize> = (0..n_seen).map(|_| (chance.next() * 8.0) as usize).collect();
            let agrees = |h: usize| if seen.iter().all(|x| says(h, *x) == says(truth, *x)) { 1.0 } else { 0.0 };
            let after = prior.weigh("examples", &(0..256).map(agrees).collect::<Vec<f64>>()).unwrap();
            let x = (chance.next() * 8.0) as usize;
            let p = (0..256).map(|h| if says(h, x) == 1 { vec![0.0, 1.0] } else { vec![1.0, 0.0] }).collect();
            let predictions = Predictions::new(vec!["0".into(), "1".into()], p).unwrap();
            let right = says(truth, x);
            optimal += f64::from(u8::from(predictions.bayes_optimal(after.posterior()).unwrap().0 != right));
            gibbs += f64::from(u8::from(predictions.gibbs_says(after.posterior(), chance.next()).unwrap() != right));
            n += 1.0;
        }
        let (optimal, gibbs) = (optimal / n, gibbs / n);
        // Four standard errors of the difference leave room for chance, and the drawn one is truly worse.
        let room = 4.0 * (0.25 * 5.0 / n).sqrt();
        assert!(gibbs <= 2.0 * optimal + room && gibbs > optimal && optimal > 0.1, "{gibbs} {optimal}");
    }

    /// The bound is for hypotheses that are sure: where they are not, saying the likelier value of a drawn one can err three times as often.
    #[test]
    fn the_bound_needs_hypotheses_that_are_sure() {
        let believed = Hypotheses::new(vec![("a".into(), Some(0.1)), ("b".into(), None)]).unwrap();
        let unsure = Predictions::new(vec!["+".into(), "-".into()], vec![vec![0.51, 0.49], vec![0.0, 1.0]]).unwrap();
        let [(optimal, _), (gibbs, error)] = unsure.simulate(&believed, 40_000, 3).unwrap().shares();
        assert!(!unsure.is_sure(&believed).unwrap() && gibbs - 4.0 * error > 2.0 * optimal, "{gibbs} {optimal}");
        let sure = Predictions::new(vec!["+".into(), "-".into()], vec![vec![1.0, 0.0], vec![0.0, 1.0]]).unwrap();
        assert!(sure.is_sure(&believed).unwrap());
        assert_eq!(sure.simulate(&believed, 1000, 3).unwrap(), sure.simulate(&believed, 1000, 3).unwrap());
    }

    #[test]
    fn draws_follow_what_is_believed() {
        let believed = Hypotheses::new(vec![("a".into(), Some(0.0)), ("b".into(), Some(0.25)), ("c".into(), None)]).unwrap();
        assert_eq!([0.0, 0.2499, 0.25, 0.999, 1.0].map(|u| gibbs_draw(&believed, u)), [1, 1, 2, 2, 2]);
        let says = Predictions::new(vec!["x".into(), "y".into()], vec![vec![1.0, 0.0], vec![0.3, 0.7], vec![1.0, 0.0]]).unwrap();
        assert_eq!(says.gibbs(&believed).unwrap(), [0.75, 0.25]);
    }
}
