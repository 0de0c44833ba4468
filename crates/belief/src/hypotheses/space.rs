//! A finite hypothesis space and Bayes' theorem: P(h | D) = P(D | h) P(h) / P(D).
//!
//! Mitchell 1997, sections 6.2 and 6.3. P(D) is the sum of the joint probabilities, by the theorem of total probability.

use super::error::{HypothesisError, TOLERANCE, probability, rounded, sums_to_one};
use crate::normalise_ln;

/// Hypotheses that exclude each other, one of which is true, with what is believed of each.
///
/// Invariant: one or more, of different names, with probabilities that sum to one.
///
/// # Example
/// A test for cancer (Mitchell 1997, section 6.2.1).
/// ```
/// use tunbridge_belief::hypotheses::Hypotheses;
/// let before = Hypotheses::new(vec![("cancer".into(), Some(0.008)), ("not".into(), None)])?;
/// let after = before.weigh("+", &[0.98, 0.03])?;
/// assert!((after.joint(0) - 0.00784).abs() < 1e-15 && (after.joint(1) - 0.02976).abs() < 1e-15);
/// assert!((after.posterior().p()[0] - 0.208_510_638_297_872_3).abs() < 1e-15);
/// assert_eq!((after.map(), after.ml()), (1, 0));
/// # Ok::<(), tunbridge_belief::hypotheses::HypothesisError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hypotheses {
    names: Vec<String>,
    p: Vec<f64>,
    /// Beside the probabilities, since one that is too small to be written may grow again.
    ln_p: Vec<f64>,
}

impl Hypotheses {
    /// Hypotheses with their probabilities; exactly one may have none, and gets what the others leave.
    ///
    /// Probabilities that sum to one but for a millionth are brought to one.
    ///
    /// # Errors
    /// When there are none, a name is there twice, a number is no probability, they do not sum to one, or more than one has none.
    pub fn new(given: Vec<(String, Option<f64>)>) -> Result<Self, HypothesisError> {
        if given.is_empty() {
            return Err(HypothesisError::Nothing { what: "hypotheses" });
        }
        for (place, (name, p)) in given.iter().enumerate() {
            if given[..place].iter().any(|(earlier, _)| earlier == name) {
                return Err(HypothesisError::Twice { name: name.clone() });
            }
            if let Some(p) = p {
                probability(|| format!("P({name})"), *p)?;
            }
        }
        let without: Vec<String> = given.iter().filter(|(_, p)| p.is_none()).map(|(name, _)| name.clone()).collect();
        let sum: f64 = given.iter().filter_map(|(_, p)| *p).sum();
        let left = match &without[..] {
            [] => 0.0,
            [_] if sum <= 1.0 + TOLERANCE => (1.0 - sum).max(0.0),
            [name] => return Err(HypothesisError::NothingLeft { name: name.clone(), sum: rounded(sum) }),
            _ => return Err(HypothesisError::SeveralWithout { what: "prior", names: without }),
        };
        let (names, mut p): (Vec<String>, Vec<f64>) = given.into_iter().map(|(name, p)| (name, p.unwrap_or(left))).unzip();
        let sum = sums_to_one(|| "the priors".into(), &p)?;
        // What already sums to one stays as it was written.
        if (sum - 1.0).abs() > 4.0 * f64::EPSILON {
            p.iter_mut().for_each(|p| *p /= sum);
        }
        Ok(Self { names, ln_p: p.iter().map(|p| p.ln()).collect(), p })
    }

    /// Every hypothesis as probable as another.
    ///
    /// # Errors
    /// When there are none, or a name is there twice.
    pub fn uniform(names: Vec<String>) -> Result<Self, HypothesisError> {
        let p = 1.0 / names.len() as f64;
        Self::new(names.into_iter().map(|name| (name, Some(p))).collect())
    }

    /// Their names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The probability of each.
    pub fn p(&self) -> &[f64] {
        &self.p
    }

    /// The place of a hypothesis.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// What an observation makes of them: `likelihood` is P(observation | hypothesis).
    ///
    /// # Errors
    /// When a likelihood is no probability, or the observation is impossible under every hypothesis that is not.
    pub fn weigh(&self, observed: &str, likelihood: &[f64]) -> Result<Weighing, HypothesisError> {
        self.check_length(likelihood.len())?;
        for (name, p) in self.names.iter().zip(likelihood) {
            probability(|| format!("P({observed} | {name})"), *p)?;
        }
        let ln_likelihood = likelihood.iter().map(|p| p.ln()).collect();
        self.weighed(observed, likelihood.to_vec(), ln_likelihood)
    }

    /// The same for likelihoods too small to be written, as those of many rows are: ln P(data | hypothesis), or of a density.
    ///
    /// # Errors
    /// When the data are impossible under every hypothesis that is not, or a logarithm is no number.
    pub fn weigh_ln(&self, observed: &str, ln_likelihood: &[f64]) -> Result<Weighing, HypothesisError> {
        self.check_length(ln_likelihood.len())?;
        if let Some((ln, name)) = ln_likelihood.iter().zip(&self.names).find(|(ln, _)| ln.is_nan() || **ln == f64::INFINITY) {
            return Err(HypothesisError::NotAProbability { what: format!("ln P({observed} | {name})"), found: *ln });
        }
        self.weighed(observed, ln_likelihood.iter().map(|ln| ln.exp()).collect(), ln_likelihood.to_vec())
    }

    /// Observations one after another: what is believed after one is what is believed before the next. They must be independent of
    /// each other under each hypothesis.
    ///
    /// # Errors
    /// As [`Self::weigh`].
    pub fn weigh_in_turn<'o>(
        &self,
        observations: impl IntoIterator<Item = (&'o str, &'o [f64])>,
    ) -> Result<Vec<Weighing>, HypothesisError> {
        let mut steps: Vec<Weighing> = Vec::new();
        for (observed, likelihood) in observations {
            let before = steps.last().map_or(self, Weighing::posterior);
            steps.push(before.weigh(observed, likelihood)?);
        }
        Ok(steps)
    }

    fn check_length(&self, found: usize) -> Result<(), HypothesisError> {
        let expected = self.names.len();
        if found == expected { Ok(()) } else { Err(HypothesisError::Length { what: "likelihoods", expected, found }) }
    }

    fn weighed(&self, observed: &str, likelihood: Vec<f64>, ln_likelihood: Vec<f64>) -> Result<Weighing, HypothesisError> {
        let mut ln_p: Vec<f64> = self.ln_p.iter().zip(&ln_likelihood).map(|(prior, likelihood)| prior + likelihood).collect();
        let ln_p_observed = normalise_ln(&mut ln_p);
        if ln_p_observed == f64::NEG_INFINITY {
            return Err(HypothesisError::Impossible { what: observed.into() });
        }
        let joint: Vec<f64> = self.p.iter().zip(&likelihood).map(|(p, likelihood)| p * likelihood).collect();
        let total: f64 = joint.iter().sum();
        // Numbers that a person wrote are multiplied and divided as they are; those that are next to nothing by their logarithms.
        let can_be_written = |(p, ln): (&f64, &f64)| *p >= SMALL || *ln == f64::NEG_INFINITY;
        let plain = total >= SMALL && self.p.iter().zip(&self.ln_p).chain(likelihood.iter().zip(&ln_likelihood)).all(can_be_written);
        let p = if plain { joint.iter().map(|joint| joint / total).collect() } else { ln_p.iter().map(|ln| ln.exp()).collect() };
        let p_observed = if plain { total } else { ln_p_observed.exp() };
        let posterior = Self { names: self.names.clone(), p, ln_p };
        Ok(Weighing { observed: observed.into(), prior: self.clone(), likelihood, ln_likelihood, p_observed, ln_p_observed, posterior })
    }
}

/// Far above where doubles lose their digits.
const SMALL: f64 = 1e-280;

/// Bayes' theorem, with all that goes into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighing {
    observed: String,
    prior: Hypotheses,
    likelihood: Vec<f64>,
    ln_likelihood: Vec<f64>,
    p_observed: f64,
    ln_p_observed: f64,
    posterior: Hypotheses,
}

impl Weighing {
    /// What was observed.
    pub fn observed(&self) -> &str {
        &self.observed
    }

    /// What was believed before.
    pub fn prior(&self) -> &Hypotheses {
        &self.prior
    }

    /// P(observed | hypothesis); zero where it is too small to be written.
    pub fn likelihood(&self, hypothesis: usize) -> f64 {
        self.likelihood[hypothesis]
    }

    /// ln P(observed | hypothesis).
    pub fn ln_likelihood(&self) -> &[f64] {
        &self.ln_likelihood
    }

    /// P(observed, hypothesis).
    pub fn joint(&self, hypothesis: usize) -> f64 {
        self.prior.p[hypothesis] * self.likelihood(hypothesis)
    }

    /// P(observed), by the theorem of total probability.
    pub fn p_observed(&self) -> f64 {
        self.p_observed
    }

    /// ln P(observed).
    pub fn ln_p_observed(&self) -> f64 {
        self.ln_p_observed
    }

    /// What is believed now.
    pub fn posterior(&self) -> &Hypotheses {
        &self.posterior
    }

    /// The hypothesis of greatest posterior probability, the maximum a posteriori; of equals the first.
    pub fn map(&self) -> usize {
        first_greatest(&self.posterior.p)
    }

    /// The hypothesis of greatest likelihood; of equals the first.
    pub fn ml(&self) -> usize {
        first_greatest(&self.ln_likelihood)
    }
}

/// The place of the greatest; of equals the first.
pub(super) fn first_greatest(of: &[f64]) -> usize {
    (1..of.len()).fold(0, |best, place| if of[place] > of[best] { place } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn named(p: &[Option<f64>]) -> Result<Hypotheses, HypothesisError> {
        Hypotheses::new(p.iter().enumerate().map(|(place, p)| (format!("h{place}"), *p)).collect())
    }

    #[test]
    fn impossible_priors_are_named() {
        assert_eq!(named(&[]), Err(HypothesisError::Nothing { what: "hypotheses" }));
        assert!(named(&[Some(-0.1), None]).unwrap_err().to_string().contains("P(h0) is -0.1"));
        assert!(named(&[Some(f64::NAN), None]).is_err());
        assert_eq!(named(&[Some(0.1), Some(0.2)]), Err(HypothesisError::SumNotOne { what: "the priors".into(), sum: 0.3 }));
        assert_eq!(named(&[Some(0.8), Some(0.7), None]), Err(HypothesisError::NothingLeft { name: "h2".into(), sum: 1.5 }));
        assert!(named(&[Some(0.2), None, None]).unwrap_err().to_string().contains("`h1` and `h2` have no prior"));
        let twice = Hypotheses::uniform(vec!["a".into(), "a".into()]);
        assert_eq!(twice, Err(HypothesisError::Twice { name: "a".into() }));
    }

    #[test]
    fn evidence_of_no_probability_leaves_no_belief() {
        let before = named(&[Some(0.5), Some(0.5), Some(0.0)]).unwrap();
        assert!(before.weigh("x", &[0.0, 0.0, 1.0]).unwrap_err().to_string().contains("x has probability zero"));
        assert!(before.weigh_ln("x", &[f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0]).is_err());
        assert!(before.weigh("x", &[0.5, 1.5, 0.0]).is_err() && before.weigh("x", &[0.5]).is_err());
    }

    #[test]
    fn what_is_too_small_to_be_written_is_weighed_all_the_same() {
        let before = named(&[Some(1e-200), None]).unwrap();
        let after = before.weigh("x", &[1e-200, 0.0]).unwrap();
        assert_eq!(after.posterior().p(), [1.0, 0.0]);
        assert!((after.ln_p_observed() - -400.0 * 10_f64.ln()).abs() < 1e-9);
        let after = named(&[Some(0.25), None]).unwrap().weigh_ln("x", &[-5000.0, -5000.0 - 3_f64.ln()]).unwrap();
        assert!((after.posterior().p()[0] - 0.5).abs() < 1e-12);
    }

    /// What 400 observations have made next to impossible 800 others bring back, in whatever order they come.
    #[test]
    fn belief_that_is_next_to_nothing_can_come_back() {
        let prior = named(&[Some(0.5), None]).unwrap();
        let (x, y) = (("x", &[0.9, 0.1][..]), ("y", &[0.1, 0.9][..]));
        let rows = |first: (&'static str, &'static [f64]), n: usize, then: (&'static str, &'static [f64]), m: usize| {
            prior.weigh_in_turn(std::iter::repeat_n(first, n).chain(std::iter::repeat_n(then, m))).unwrap()
        };
        let sum = |steps: &[Weighing]| steps.iter().map(Weighing::ln_p_observed).sum::<f64>();
        let (forth, back) = (rows(x, 400, y, 800), rows(y, 800, x, 400));
        for steps in [&forth, &back] {
            assert_eq!(steps.last().unwrap().posterior().p()[1], 1.0);
            assert_eq!(steps.last().unwrap().map(), 1);
        }
        assert!((sum(&forth) - sum(&back)).abs() < 1e-8, "{} {}", sum(&forth), sum(&back));
        let tiny = [("x", &[0.5, 1e-200][..]), ("x", &[0.5, 1e-200]), ("y", &[0.0, 0.5])];
        assert_eq!(prior.weigh_in_turn(tiny).unwrap().last().unwrap().posterior().p(), [0.0, 1.0]);
    }

    proptest! {
        /// One after another, in any order, is as all together.
        #[test]
        fn turns_do_not_matter(
            weights in prop::collection::vec(0.01..1.0_f64, 4),
            likelihoods in prop::collection::vec(prop::collection::vec(0.01..1.0_f64, 4), 1..6),
        ) {
            let sum: f64 = weights.iter().sum();
            let prior = named(&weights.iter().map(|w| Some(w / sum)).collect::<Vec<_>>()).unwrap();
            let together: Vec<f64> = (0..4).map(|h| likelihoods.iter().map(|l| l[h]).product()).collect();
            let together = prior.weigh("all", &together).unwrap();
            let rows = |order: Vec<&Vec<f64>>| prior.weigh_in_turn(order.into_iter().map(|l| ("x", &l[..]))).unwrap();
            let (forth, back) = (rows(likelihoods.iter().collect()), rows(likelihoods.iter().rev().collect()));
            for steps in [forth, back] {
                let last = steps.last().unwrap();
                for (a, b) in last.posterior().p().iter().zip(together.posterior().p()) {
                    prop_assert!((a - b).abs() < 1e-12);
                }
                let ln_p: f64 = steps.iter().map(Weighing::ln_p_observed).sum();
                prop_assert!((ln_p - together.ln_p_observed()).abs() < 1e-9);
                prop_assert!((last.posterior().p().iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }
}
