//! The Gibbs classifier: draw one hypothesis by what is believed of it, and say what it says.
//!
//! Mitchell 1997, section 6.8. If the truth is drawn from the prior, it errs at most twice as often as the Bayes-optimal classifier, in
//! expectation (Haussler, Kearns & Schapire 1994).

use super::bayes_optimal::Predictions;
use super::error::HypothesisError;
use super::space::Hypotheses;

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

/// The place of a hypothesis that is drawn by `uniform`, a number from 0 to 1; one that is impossible is never drawn.
pub fn gibbs_draw(believed: &Hypotheses, uniform: f64) -> usize {
    let mut below = 0.0;
    let mut last = 0;
    for (place, p) in believed.p().iter().enumerate().filter(|(_, p)| **p > 0.0) {
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

    #[test]
    fn draws_follow_what_is_believed() {
        let believed = Hypotheses::new(vec![("a".into(), Some(0.0)), ("b".into(), Some(0.25)), ("c".into(), None)]).unwrap();
        assert_eq!([0.0, 0.2499, 0.25, 0.999, 1.0].map(|u| gibbs_draw(&believed, u)), [1, 1, 2, 2, 2]);
        let says = Predictions::new(vec!["x".into(), "y".into()], vec![vec![1.0, 0.0], vec![0.3, 0.7], vec![1.0, 0.0]]).unwrap();
        assert_eq!(says.gibbs(&believed).unwrap(), [0.75, 0.25]);
    }
}
