//! The obvious twin: everything from the list of all worlds.

use belief::CompensatedSum;
use tunbridge_net::ask::{Finding, FindingKind};
use tunbridge_net::{Network, VarId};

/// All worlds with their weights: joint probability times likelihoods.
pub struct Worlds {
    pub shape: Vec<usize>,
    pub states: Vec<Vec<usize>>,
    pub weights: Vec<f64>,
}

impl Worlds {
    pub fn of(network: &Network) -> Self {
        let shape: Vec<usize> = network.dag().variables().map(|variable| network.n_states(variable)).collect();
        let mut states = vec![vec![]];
        for &n_states in &shape {
            states = states.iter().flat_map(|world: &Vec<usize>| (0..n_states).map(|state| [&world[..], &[state]].concat())).collect();
        }
        let weights = states.iter().map(|world| network.joint_probability(world)).collect();
        Self { shape, states, weights }
    }

    /// Multiplies likelihoods in, then fits posteriors; what P(evidence) is, or `None` where posteriors cannot be.
    pub fn observe(&mut self, findings: &[Finding]) -> Option<f64> {
        for finding in findings.iter().filter(|finding| finding.kind() != FindingKind::Posterior) {
            self.scale(finding.variable(), finding.likelihood());
        }
        let p_evidence = self.total();
        let posteriors: Vec<&Finding> = findings.iter().filter(|finding| finding.kind() == FindingKind::Posterior).collect();
        if posteriors.is_empty() || p_evidence == 0.0 {
            return Some(p_evidence);
        }
        for _ in 0..20_000 {
            let mut worst: f64 = 0.0;
            for finding in &posteriors {
                let (wanted, now) = (finding.likelihood(), self.marginal(finding.variable()));
                worst = worst.max(wanted.iter().zip(&now).map(|(w, n)| (w - n).abs()).fold(0.0, f64::max));
                if wanted.iter().zip(&now).any(|(w, n)| *w > 0.0 && *n == 0.0) {
                    return None;
                }
                let ratio: Vec<f64> = wanted.iter().zip(&now).map(|(w, n)| if *w == 0.0 { 0.0 } else { w / n }).collect();
                self.scale(finding.variable(), &ratio);
            }
            if worst <= 1e-15 {
                return Some(p_evidence);
            }
        }
        let fits = |finding: &&Finding| {
            self.marginal(finding.variable()).iter().zip(finding.likelihood()).all(|(found, wanted)| (found - wanted).abs() < 1e-13)
        };
        posteriors.iter().all(fits).then_some(p_evidence)
    }

    fn scale(&mut self, variable: VarId, by: &[f64]) {
        self.weights.iter_mut().zip(&self.states).for_each(|(weight, world)| *weight *= by[world[variable.index()]]);
    }

    pub fn total(&self) -> f64 {
        let mut sum = CompensatedSum::default();
        self.weights.iter().for_each(|&weight| sum.add(weight));
        sum.value()
    }

    /// The joint of some variables, the last fastest, normalised.
    pub fn joint(&self, variables: &[VarId]) -> Vec<f64> {
        let n_cells = variables.iter().map(|variable| self.shape[variable.index()]).product();
        let mut sums = vec![CompensatedSum::default(); n_cells];
        for (world, &weight) in self.states.iter().zip(&self.weights) {
            let cell = variables.iter().fold(0, |cell, v| cell * self.shape[v.index()] + world[v.index()]);
            sums[cell].add(weight);
        }
        let total = self.total();
        sums.iter().map(|sum| sum.value() / total).collect()
    }

    pub fn marginal(&self, variable: VarId) -> Vec<f64> {
        self.joint(&[variable])
    }

    /// The most probable assignments of some variables with their probabilities; of equals, up to rounding, the earlier.
    pub fn best(&self, variables: &[VarId], n_best: usize) -> Vec<(Vec<usize>, f64)> {
        let joint = self.joint(variables);
        let mut places: Vec<usize> = (0..joint.len()).filter(|&place| joint[place] > 0.0).collect();
        places.sort_by_key(|&place| (-(joint[place].ln() * 1e11).round() as i64, place));
        let states = |mut place: usize| {
            let mut states: Vec<usize> = Vec::new();
            for variable in variables.iter().rev() {
                states.push(place % self.shape[variable.index()]);
                place /= self.shape[variable.index()];
            }
            states.reverse();
            states
        };
        places.into_iter().take(n_best).map(|place| (states(place), joint[place])).collect()
    }

    pub fn entropy(&self, variables: &[VarId]) -> f64 {
        self.joint(variables).iter().filter(|p| **p > 0.0).map(|p| -p * p.ln()).sum()
    }
}
