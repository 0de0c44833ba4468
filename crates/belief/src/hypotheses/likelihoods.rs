//! How probable each outcome is under each hypothesis, as far as it was said; the rest follows where it can.
//!
//! Three things follow: of outcomes that exclude each other the one that was not given has what the others leave; what is not so has what is left
//! of one; and where P(outcome) itself is known, the one hypothesis whose likelihood is not has what the theorem of total probability
//! leaves it.

use super::error::{HypothesisError, TOLERANCE, probability};
use super::space::Hypotheses;

/// P(outcome | hypothesis).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Likelihoods {
    outcomes: Vec<String>,
    /// By outcome and hypothesis.
    p: Vec<Vec<Option<f64>>>,
    /// P(outcome), where it was given.
    totals: Vec<Option<f64>>,
    n_hypotheses: usize,
    exclusive: bool,
}

impl Likelihoods {
    /// Nothing known of so many hypotheses. Outcomes that are `exclusive` are all there are of one trial, such as + and −; else each is
    /// a thing of its own, such as a cough and a fever.
    pub fn new(n_hypotheses: usize, exclusive: bool) -> Self {
        Self { n_hypotheses, exclusive, ..Self::default() }
    }

    /// The outcomes in the order they were first named.
    pub fn outcomes(&self) -> &[String] {
        &self.outcomes
    }

    /// Says P(outcome | hypothesis).
    ///
    /// # Errors
    /// When it is no probability, or was said before.
    ///
    /// # Panics
    /// When there is no such hypothesis.
    pub fn say(&mut self, outcome: &str, hypothesis: (usize, &str), p: f64) -> Result<(), HypothesisError> {
        let p = probability(|| format!("P({outcome} | {})", hypothesis.1), p)?;
        let place = self.place(outcome);
        match self.p[place][hypothesis.0].replace(p) {
            Some(_) => Err(HypothesisError::Twice { name: format!("{outcome}|{}", hypothesis.1) }),
            None => Ok(()),
        }
    }

    /// Says P(outcome), whatever the hypothesis.
    ///
    /// # Errors
    /// When it is no probability, or was said before.
    pub fn say_total(&mut self, outcome: &str, p: f64) -> Result<(), HypothesisError> {
        let p = probability(|| format!("P({outcome})"), p)?;
        let place = self.place(outcome);
        match self.totals[place].replace(p) {
            Some(_) => Err(HypothesisError::Twice { name: outcome.into() }),
            None => Ok(()),
        }
    }

    /// P(outcome | hypothesis) of all hypotheses; `!outcome` is that it is not so.
    ///
    /// # Errors
    /// When it was not said and does not follow, or outcomes that exclude each other sum to more than one.
    pub fn of(&self, outcome: &str, prior: &Hypotheses) -> Result<Vec<f64>, HypothesisError> {
        if let Some(place) = self.outcomes.iter().position(|known| known == outcome) {
            return self.of_place(place, prior);
        }
        if let Some(negated) = outcome.strip_prefix('!') {
            return Ok(self.of(negated, prior)?.into_iter().map(|p| 1.0 - p).collect());
        }
        if !self.exclusive || self.outcomes.is_empty() {
            return Err(HypothesisError::Unknown { what: "outcome", name: outcome.into(), known: self.outcomes.clone() });
        }
        // An outcome nobody has named has what the named ones leave.
        (0..self.n_hypotheses).map(|hypothesis| self.left(outcome, hypothesis, prior, None)).collect()
    }

    fn place(&mut self, outcome: &str) -> usize {
        self.outcomes.iter().position(|known| known == outcome).unwrap_or_else(|| {
            self.outcomes.push(outcome.into());
            self.p.push(vec![None; self.n_hypotheses]);
            self.totals.push(None);
            self.outcomes.len() - 1
        })
    }

    fn of_place(&self, place: usize, prior: &Hypotheses) -> Result<Vec<f64>, HypothesisError> {
        let outcome = &self.outcomes[place];
        let name = |hypothesis: usize| prior.names()[hypothesis].clone();
        let without: Vec<usize> = (0..self.n_hypotheses).filter(|hypothesis| self.p[place][*hypothesis].is_none()).collect();
        if let (Some(total), [hypothesis]) = (self.totals[place], &without[..]) {
            let others: f64 = self.p[place].iter().zip(prior.p()).filter_map(|(p, prior)| Some((*p)? * prior)).sum();
            let (mass, own) = (total - others, prior.p()[*hypothesis]);
            let needed = if own > 0.0 { mass / own } else { f64::NAN };
            if !(-TOLERANCE..=1.0 + TOLERANCE).contains(&needed) {
                return Err(HypothesisError::TotalCannotBe { outcome: outcome.clone(), total, hypothesis: name(*hypothesis), needed });
            }
            return Ok(self.p[place].iter().map(|p| p.unwrap_or(needed.clamp(0.0, 1.0))).collect());
        }
        let mut all = Vec::with_capacity(self.n_hypotheses);
        for hypothesis in 0..self.n_hypotheses {
            all.push(match self.p[place][hypothesis] {
                Some(p) => p,
                None if self.exclusive && self.outcomes.len() > 1 => self.left(outcome, hypothesis, prior, Some(place))?,
                None => return Err(HypothesisError::NoLikelihood { outcome: outcome.clone(), hypothesis: name(hypothesis) }),
            });
        }
        if let Some(total) = self.totals[place] {
            let found: f64 = all.iter().zip(prior.p()).map(|(p, prior)| p * prior).sum();
            if (found - total).abs() > TOLERANCE {
                return Err(HypothesisError::TotalsDiffer { outcome: outcome.clone(), given: total, found });
            }
        }
        Ok(all)
    }

    /// What the other outcomes leave under a hypothesis.
    fn left(&self, outcome: &str, hypothesis: usize, prior: &Hypotheses, but: Option<usize>) -> Result<f64, HypothesisError> {
        let name = &prior.names()[hypothesis];
        let mut sum = 0.0;
        for place in (0..self.outcomes.len()).filter(|place| Some(*place) != but) {
            let unknown = || HypothesisError::NoLikelihood { outcome: outcome.into(), hypothesis: name.clone() };
            sum += self.p[place][hypothesis].ok_or_else(unknown)?;
        }
        if sum > 1.0 + TOLERANCE {
            return Err(HypothesisError::SumNotOne { what: format!("the outcomes under {name}"), sum });
        }
        Ok((1.0 - sum).max(0.0))
    }
}
