//! Jeffrey's rule: what the posterior of some variables shall be.
//!
//! Jeffrey 1965, chapter 11: of all distributions with the new marginal the one nearest to the old, in which everything given the variable stays as it was.
//! For one variable the likelihood that leads there is posterior/prior. For several together likelihoods are found by iterative proportional
//! fitting (Deming & Stephan 1940) of their joint given the other evidence, which is how soft evidence is brought into networks by Valtorta, Kim & Vomlel 2002.

use super::answer::Known;
use super::oracle::Oracle;
use super::reply::states_at;
use super::{AskError, Finding};
use crate::evidence::{Answer, Evidence};
use belief::{CompensatedSum, VarId};

/// Marginals that differ by no more fit.
const FIT: f64 = 1e-14;

/// What rounding may leave where more rounds change nothing.
const FIT_BY_ROUNDING: f64 = 1e-12;

/// Rounds of fitting, at most, and entries gone through in all of them.
const MAX_ROUNDS: usize = 20_000;
const MAX_WORK: usize = 500_000_000;

/// Evidence with likelihoods that lead to the posteriors; `None` when the evidence itself is impossible.
pub(super) fn fit(oracle: &Oracle, evidence: Evidence, posteriors: &[&Finding]) -> Result<Option<Known>, AskError> {
    let variables: Vec<VarId> = posteriors.iter().map(|finding| finding.variable()).collect();
    let (answer, _) = oracle.joint(&variables, &evidence)?;
    let Answer::Possible { answer: joint, ln_p_evidence } = answer else { return Ok(None) };
    let shape = oracle.shape_of(&variables);
    let mut fitting = Fitting::of(&shape, joint.probabilities);
    for (axis, finding) in posteriors.iter().enumerate() {
        let marginal = fitting.marginal(axis);
        for (state, (&wanted, &p)) in finding.likelihood().iter().zip(&marginal).enumerate() {
            if wanted > 0.0 && p == 0.0 {
                let (domain, variable) = (oracle.domain(), finding.variable());
                let state = domain.states(variable)[state].clone();
                return Err(AskError::PosteriorOfTheImpossible { variable: domain.name(variable).to_string(), state, wanted });
            }
        }
    }
    let wanted: Vec<&[f64]> = posteriors.iter().map(|finding| finding.likelihood()).collect();
    let (rounds, difference) = fitting.fit(&wanted);
    if difference > FIT_BY_ROUNDING {
        let findings = posteriors.iter().map(|finding| finding.text().to_string()).collect();
        return Err(AskError::PosteriorsDisagree { findings, rounds, difference });
    }
    let mut evidence = evidence;
    for (&variable, likelihood) in variables.iter().zip(&fitting.likelihoods) {
        evidence.observe_likelihood(oracle.domain(), variable, likelihood)?;
    }
    Ok(Some(Known { evidence, fitted: Some((ln_p_evidence, rounds)) }))
}

/// A table, scaled along its axes.
struct Fitting {
    table: Vec<f64>,
    /// The states of each axis at every place.
    states: Vec<Vec<usize>>,
    /// What each state of each axis was multiplied by so far.
    likelihoods: Vec<Vec<f64>>,
}

impl Fitting {
    fn of(shape: &[usize], table: Vec<f64>) -> Self {
        let places: Vec<Vec<usize>> = (0..table.len()).map(|place| states_at(shape, place)).collect();
        let states = (0..shape.len()).map(|axis| places.iter().map(|place| place[axis]).collect()).collect();
        Self { table, states, likelihoods: shape.iter().map(|&n_states| vec![1.0; n_states]).collect() }
    }

    fn marginal(&self, axis: usize) -> Vec<f64> {
        let mut sums = vec![CompensatedSum::default(); self.likelihoods[axis].len()];
        self.table.iter().zip(&self.states[axis]).for_each(|(&p, &state)| sums[state].add(p));
        sums.iter().map(CompensatedSum::value).collect()
    }

    /// Scales one axis after another until all marginals fit. Gives the rounds and the largest difference left.
    fn fit(&mut self, wanted: &[&[f64]]) -> (usize, f64) {
        let most = MAX_ROUNDS.min(MAX_WORK / (self.table.len() * wanted.len()).max(1)).max(1);
        let mut rounds = 0;
        loop {
            let marginals: Vec<Vec<f64>> = (0..wanted.len()).map(|axis| self.marginal(axis)).collect();
            let difference = marginals.iter().zip(wanted).map(|(found, wanted)| largest_difference(found, wanted)).fold(0.0, f64::max);
            // What one posterior rules out another may need: no scaling brings it back.
            let lost = marginals.iter().zip(wanted).any(|(found, wanted)| found.iter().zip(*wanted).any(|(p, w)| *p == 0.0 && *w > 0.0));
            if difference <= FIT || lost || rounds == most {
                return (rounds, difference);
            }
            (0..wanted.len()).for_each(|axis| self.scale(axis, wanted[axis]));
            rounds += 1;
        }
    }

    fn scale(&mut self, axis: usize, wanted: &[f64]) {
        let marginal = self.marginal(axis);
        let ratio = |(&wanted, &p): (&f64, &f64)| if wanted == 0.0 || p == 0.0 { 0.0 } else { wanted / p };
        let ratios: Vec<f64> = wanted.iter().zip(&marginal).map(ratio).collect();
        self.table.iter_mut().zip(&self.states[axis]).for_each(|(p, &state)| *p *= ratios[state]);
        self.likelihoods[axis].iter_mut().zip(&ratios).for_each(|(likelihood, ratio)| *likelihood *= ratio);
        // Only their proportions matter, and axes that pull against each other would else run away.
        let largest = self.likelihoods[axis].iter().copied().fold(0.0, f64::max);
        if largest > 0.0 {
            self.likelihoods[axis].iter_mut().for_each(|likelihood| *likelihood /= largest);
        }
    }
}

fn largest_difference(found: &[f64], wanted: &[f64]) -> f64 {
    found.iter().zip(wanted).map(|(found, wanted)| (found - wanted).abs()).fold(0.0, f64::max)
}
