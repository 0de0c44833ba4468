//! How probable each outcome is under each hypothesis, as far as it was said; the rest follows where it can.
//!
//! Two things follow: that something is not so has what is left of one; and where P(outcome) itself is known, the one hypothesis whose
//! likelihood is not has what the theorem of total probability leaves it.

use super::error::{HypothesisError, TOLERANCE, probability};
use super::space::Hypotheses;

/// P(outcome | hypothesis). Outcomes are things of their own, such as a cough and a fever; `!cough` is that there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Likelihoods {
    n_hypotheses: usize,
    outcomes: Vec<Outcome>,
}

#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    name: String,
    /// Of each hypothesis.
    p: Vec<Option<f64>>,
    /// Whatever the hypothesis, where it was given.
    total: Option<f64>,
}

impl Likelihoods {
    /// Nothing known of so many hypotheses.
    pub fn new(n_hypotheses: usize) -> Self {
        Self { n_hypotheses, outcomes: Vec::new() }
    }

    /// Says P(outcome | hypothesis), by the hypothesis's place and name.
    ///
    /// # Errors
    /// When it is no probability, or was said before.
    ///
    /// # Panics
    /// When there is no such hypothesis.
    pub fn say(&mut self, outcome: &str, (hypothesis, name): (usize, &str), p: f64) -> Result<(), HypothesisError> {
        let p = probability(|| format!("P({outcome} | {name})"), p)?;
        let said = &mut self.outcome(outcome).p[hypothesis];
        if said.is_some() {
            return Err(HypothesisError::Twice { name: format!("{outcome}|{name}") });
        }
        *said = Some(p);
        Ok(())
    }

    /// Says P(outcome), whatever the hypothesis.
    ///
    /// # Errors
    /// When it is no probability, or was said before.
    pub fn say_total(&mut self, outcome: &str, p: f64) -> Result<(), HypothesisError> {
        let p = probability(|| format!("P({outcome})"), p)?;
        let said = &mut self.outcome(outcome).total;
        if said.is_some() {
            return Err(HypothesisError::Twice { name: outcome.into() });
        }
        *said = Some(p);
        Ok(())
    }

    /// P(outcome | hypothesis) of all hypotheses; `!outcome` is that it is not so. A total that was given is that of this prior.
    ///
    /// # Errors
    /// When it was not said and does not follow, or does not agree with a total.
    ///
    /// ```
    /// use tunbridge_belief::hypotheses::{Hypotheses, Likelihoods};
    /// // Meningitis and a stiff neck: P(s | m) = 0.7, P(m) = 1/50,000 and P(s) = 0.01 are known.
    /// let prior = Hypotheses::new(vec![("m".into(), Some(0.00002)), ("not".into(), None)])?;
    /// let mut known = Likelihoods::new(2);
    /// known.say("s", (0, "m"), 0.7)?;
    /// known.say_total("s", 0.01)?;
    /// let after = prior.weigh("s", &known.of("s", &prior)?)?;
    /// assert!((after.posterior().p()[0] - 0.0014).abs() < 1e-15);
    /// # Ok::<(), tunbridge_belief::hypotheses::HypothesisError>(())
    /// ```
    pub fn of(&self, outcome: &str, prior: &Hypotheses) -> Result<Vec<f64>, HypothesisError> {
        if let Some(found) = self.outcomes.iter().find(|known| known.name == outcome) {
            return found.of_all(prior);
        }
        match outcome.strip_prefix('!').and_then(|negated| self.outcomes.iter().find(|known| known.name == negated)) {
            Some(found) => Ok(found.of_all(prior)?.into_iter().map(|p| 1.0 - p).collect()),
            None => {
                let known = self.outcomes.iter().map(|known| known.name.clone()).collect();
                Err(HypothesisError::Unknown { what: "outcome", name: outcome.into(), known })
            }
        }
    }

    fn outcome(&mut self, name: &str) -> &mut Outcome {
        let place = self.outcomes.iter().position(|known| known.name == name).unwrap_or_else(|| {
            self.outcomes.push(Outcome { name: name.into(), p: vec![None; self.n_hypotheses], total: None });
            self.outcomes.len() - 1
        });
        &mut self.outcomes[place]
    }
}

impl Outcome {
    fn of_all(&self, prior: &Hypotheses) -> Result<Vec<f64>, HypothesisError> {
        let without: Vec<usize> = (0..self.p.len()).filter(|hypothesis| self.p[*hypothesis].is_none()).collect();
        let known: f64 = self.p.iter().zip(prior.p()).filter_map(|(p, prior)| Some((*p)? * prior)).sum();
        let name = |hypothesis: usize| prior.names().get(hypothesis).cloned().unwrap_or_default();
        match (&without[..], self.total) {
            ([], Some(given)) if (known - given).abs() > TOLERANCE => {
                Err(HypothesisError::TotalsDiffer { outcome: self.name.clone(), given, found: known })
            }
            ([], _) => Ok(self.p.iter().flatten().copied().collect()),
            ([hypothesis], Some(total)) => {
                let own = prior.p().get(*hypothesis).copied().unwrap_or(0.0);
                let needed = if own > 0.0 { (total - known) / own } else { 0.0 };
                if !(-TOLERANCE..=1.0 + TOLERANCE).contains(&needed) {
                    let (outcome, hypothesis) = (self.name.clone(), name(*hypothesis));
                    return Err(HypothesisError::TotalCannotBe { outcome, total, hypothesis, needed });
                }
                Ok(self.p.iter().map(|p| p.unwrap_or(needed.clamp(0.0, 1.0))).collect())
            }
            ([hypothesis, ..], _) => Err(HypothesisError::NoLikelihood { outcome: self.name.clone(), hypothesis: name(*hypothesis) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_and_what_does_not() {
        let prior = Hypotheses::new(vec![("a".into(), Some(0.25)), ("b".into(), None)]).unwrap();
        let mut known = Likelihoods::new(2);
        known.say("+", (0, "a"), 0.5).unwrap();
        assert!(known.of("+", &prior).unwrap_err().to_string().contains("P(+ | b) is not known"));
        assert!(known.of("-", &prior).unwrap_err().to_string().contains("`-` is no outcome; known: +"));
        known.say_total("+", 0.9).unwrap();
        assert!(known.of("+", &prior).unwrap_err().to_string().contains("would have to be 1.03"));
        assert!(known.say("+", (0, "a"), 0.5).is_err() && known.say_total("+", 0.2).is_err() && known.say("x", (1, "b"), 1.5).is_err());
        known.say("+", (1, "b"), 0.1).unwrap();
        assert!(known.of("+", &prior).unwrap_err().to_string().contains("is 0.9 as it was given, but 0.2 by"));
        let mut known = Likelihoods::new(2);
        known.say("+", (0, "a"), 0.5).unwrap();
        known.say("+", (1, "b"), 0.1).unwrap();
        assert_eq!(known.of("!+", &prior).unwrap(), [0.5, 0.9]);
    }
}
