//! Propagation: messages up to the roots and down again.
//!
//! An upward message of a clique is the sum, group by group, of its potential times the messages of its children and the likelihoods of the variables
//! that have their home there; groups that are impossible by what is observed elsewhere are left at zero. A downward message to a child is the same sum, with the parent's message in it, over what the child shares, divided by
//! what the child sent. Messages are scaled by powers of two, so that hundreds of findings do not underflow; should one be so faint beside another
//! that doubles might lose what matters, all is done again in numbers with exponents of their own.

use super::number::{Number, Wide};
use super::stored_sweep::{BLOCK, Sweep, multiply, scatter_to};
use super::{Calibrated, Clique, JunctionTree, Link, Places, RunLink, Within};
use crate::error::NetError;
use crate::evidence::{Answer, Evidence};
use belief::VarId;

/// Room for the messages of one propagation, to be used again by the next: one for each thread. What the next has no need to send again, it does not; the
/// answers are the same to the bit.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    messages: Messages<f64>,
    in_parallel: bool,
}

impl Workspace {
    /// Room for one question at a time: where it is large, the threads of rayon's pool share the work. The answer does not depend on it.
    pub fn in_parallel() -> Self {
        Self { in_parallel: true, ..Self::default() }
    }
}

/// What one propagation writes. Cliques and variables alike have a place in the lists of messages: a variable is a leaf that sends its likelihood and
/// is sent its distribution.
#[derive(Clone, Debug)]
struct Messages<N> {
    /// Messages upwards, where they differ from those without evidence.
    up: Vec<N>,
    /// Whether they do.
    is_fresh: Vec<bool>,
    /// The tree whose messages upwards are all there.
    complete: Option<u64>,
    /// Whether a variable's evidence, or that of something in or below a clique, is another than it was.
    is_changed: Vec<bool>,
    /// The exponents of the powers of two that a clique's message and all below it were divided by.
    exponents: Vec<i64>,
    /// Messages downwards.
    down: Vec<N>,
    /// Whether a variable, or something in or below a clique, is wanted.
    is_needed: Vec<bool>,
    /// For the groups of one clique: what their entries are all multiplied by, and what they sum to.
    by_group: Vec<N>,
    sums: Vec<N>,
    block: Vec<N>,
}

/// The messages without evidence: numbers, and exponents of what they were divided by.
type Unobserved<'a, N> = Option<(&'a [N], &'a [i64])>;

impl<N> Default for Messages<N> {
    fn default() -> Self {
        Self {
            up: Vec::new(),
            is_fresh: Vec::new(),
            complete: None,
            is_changed: Vec::new(),
            exponents: Vec::new(),
            down: Vec::new(),
            is_needed: Vec::new(),
            by_group: Vec::new(),
            sums: Vec::new(),
            block: Vec::new(),
        }
    }
}

impl JunctionTree {
    /// As [`Self::calibrate`], with room that is used again.
    ///
    /// # Errors
    /// When the evidence is of another network, or possible but too improbable for doubles.
    pub fn calibrate_in(&self, room: &mut Workspace, evidence: &Evidence) -> Result<Answer<Calibrated>, NetError> {
        let all: Vec<VarId> = (0..self.n_named).map(VarId::new).collect();
        self.posteriors_in(room, evidence, &all)
    }

    /// The distributions of some variables only, which is cheaper; those of the others are empty of meaning and must not be looked at.
    /// Without any variable only the probability of the evidence is found.
    ///
    /// # Errors
    /// When the evidence is of another network, a variable is not there, or the evidence is possible but too improbable for doubles.
    pub fn posteriors_in(&self, room: &mut Workspace, evidence: &Evidence, wanted: &[VarId]) -> Result<Answer<Calibrated>, NetError> {
        self.check(evidence)?;
        if let Some(stranger) = wanted.iter().find(|variable| variable.index() >= self.n_named) {
            return Err(NetError::NoSuchVariable { place: stranger.index(), n_variables: self.n_named });
        }
        if self.impossible || evidence.contradicts_itself() {
            return Ok(Answer::Impossible);
        }
        if let Some(answer) = self.by_smaller_tree(evidence, wanted, room.in_parallel) {
            return answer;
        }
        let doubles = self.unobserved.as_ref().map(|(messages, exponents)| (messages.as_slice(), exponents.as_slice()));
        if let Some(answer) = self.propagate(&mut room.messages, doubles, evidence, wanted) {
            return Ok(answer);
        }
        match self.propagate(&mut Messages::<Wide>::default(), None, evidence, wanted) {
            Some(answer) => Ok(answer),
            None if self.faint => Err(NetError::Underflow),
            None => Ok(Answer::Impossible),
        }
    }

    /// The upward messages when nothing is observed, if doubles hold them.
    pub(super) fn messages_without_evidence(&self) -> Option<(Vec<f64>, Vec<i64>)> {
        let mut messages = Messages::<f64>::default();
        messages.prepare(self, &Evidence::none(), &[], true);
        messages.collect(self, None)?;
        Some((messages.up, messages.exponents))
    }

    /// Both passes. `None` when all is zero, or so faint that these numbers might have lost what matters.
    fn propagate<N: Number>(
        &self,
        messages: &mut Messages<N>,
        unobserved: Unobserved<N>,
        evidence: &Evidence,
        wanted: &[VarId],
    ) -> Option<Answer<Calibrated>> {
        messages.prepare(self, evidence, wanted, unobserved.is_none());
        messages.collect(self, unobserved)?;
        let ln_total = messages.distribute(self, unobserved)?;
        let first_state: Vec<usize> =
            self.first_message[self.cliques.len()..].iter().map(|&first| first - self.first_message[self.cliques.len()]).collect();
        let mut marginals = vec![0.0; first_state[self.n_named]];
        for &variable in wanted {
            let sent = &messages.down[self.message_of(self.cliques.len() + variable.index())];
            let total = sent.iter().fold(N::ZERO, |sum, &value| sum.plus(value));
            if !N::is_sound(total) {
                return None;
            }
            for (marginal, value) in marginals[first_state[variable.index()]..].iter_mut().zip(sent) {
                *marginal = value.over(total).to_f64();
            }
        }
        let answer = Calibrated { marginals, first_state };
        Some(Answer::Possible { answer, ln_p_evidence: ln_total + self.ln_constant + evidence.ln_scale() })
    }

    /// Where the messages of a neighbour lie.
    pub(super) fn message_of(&self, neighbour: usize) -> std::ops::Range<usize> {
        self.first_message[neighbour]..self.first_message[neighbour + 1]
    }
}

impl<N: Number> Messages<N> {
    /// Brings the evidence in and marks what has to be done.
    fn prepare(&mut self, tree: &JunctionTree, evidence: &Evidence, wanted: &[VarId], all_fresh: bool) {
        let n_cliques = tree.cliques.len();
        self.is_changed.clear();
        if self.complete.take() == Some(tree.id) {
            self.is_changed.resize(n_cliques, false);
            self.is_changed.extend((0..tree.n_named).map(VarId::new).map(|variable| {
                let leaf = n_cliques + variable.index();
                let before = self.is_fresh[leaf].then(|| self.up[tree.message_of(leaf)].iter().map(|old| old.to_f64().to_bits()));
                match (evidence.likelihood(variable), before) {
                    (Some(now), Some(before)) => !now.iter().map(|new| new.to_bits()).eq(before),
                    (now, before) => now.is_some() || before.is_some(),
                }
            }));
        } else {
            self.is_changed.resize(n_cliques + tree.n_named, true);
        }
        self.up.resize(tree.n_message_entries(), N::ZERO);
        self.down.resize(tree.n_message_entries(), N::ZERO);
        self.exponents.resize(n_cliques, 0);
        self.block.resize(tree.n_states.iter().copied().fold(BLOCK, usize::max), N::ZERO);
        self.is_fresh.clear();
        self.is_fresh.resize(n_cliques, all_fresh);
        self.is_fresh.resize(n_cliques + tree.n_named, false);
        self.is_needed.clear();
        self.is_needed.resize(n_cliques + tree.n_named, false);
        for variable in evidence.variables() {
            let Some(likelihood) = evidence.likelihood(variable) else { continue };
            let leaf = n_cliques + variable.index();
            self.is_fresh[leaf] = true;
            self.is_fresh[tree.home[variable.index()]] = true;
            for (own, &value) in self.up[tree.message_of(leaf)].iter_mut().zip(likelihood) {
                *own = N::from_f64(value);
            }
        }
        for place in 0..tree.n_named {
            self.is_changed[tree.home[place]] |= self.is_changed[n_cliques + place];
        }
        for &variable in wanted {
            self.is_needed[n_cliques + variable.index()] = true;
            self.is_needed[tree.home[variable.index()]] = true;
        }
        for (place, clique) in tree.cliques.iter().enumerate().rev() {
            self.is_changed[place] |= clique.guards.iter().any(|guard| self.is_changed[guard.to]);
            match clique.parent {
                Some(parent) => {
                    self.is_fresh[parent] |= self.is_fresh[place];
                    self.is_changed[parent] |= self.is_changed[place];
                    self.is_needed[parent] |= self.is_needed[place];
                }
                // What the roots sum to is the probability of the evidence.
                None => self.is_needed[place] = true,
            }
        }
    }

    /// The pass upwards, to the roots' children.
    fn collect(&mut self, tree: &JunctionTree, unobserved: Unobserved<N>) -> Option<()> {
        for (place, clique) in tree.cliques.iter().enumerate().rev() {
            if clique.parent.is_none() || !self.is_fresh[place] || !self.is_changed[place] {
                continue;
            }
            self.sums.clear();
            self.sums.resize(clique.groups.len() - 1, N::ZERO);
            let known = Known { tree, up: &self.up, is_fresh: &self.is_fresh, unobserved };
            self.by_group.clear();
            self.by_group.resize(clique.groups.len() - 1, N::ONE);
            known.multiply_groups(clique, &mut self.by_group);
            known.messages(&clique.guards).into_iter().for_each(|(places, likelihood)| shut_out(&mut self.by_group, places, likelihood));
            let mut sweep =
                Sweep { known: &known, by_group: &self.by_group, sums: Some(&mut self.sums), leaving: &mut [], is_needed: None };
            sweep.run(clique, &mut self.block);
            let below = known.exponents_below(clique, &self.exponents);
            self.exponents[place] = below + N::scale(&mut self.sums)?;
            self.up[tree.message_of(place)].copy_from_slice(&self.sums);
        }
        self.complete = Some(tree.id);
        Some(())
    }

    /// The pass downwards. Gives the natural logarithm of what the roots sum to, multiplied.
    fn distribute(&mut self, tree: &JunctionTree, unobserved: Unobserved<N>) -> Option<f64> {
        let mut ln_total = 0.0;
        for (place, clique) in tree.cliques.iter().enumerate() {
            if !self.is_needed[place] {
                continue;
            }
            let known = Known { tree, up: &self.up, is_fresh: &self.is_fresh, unobserved };
            self.by_group.clear();
            match clique.parent {
                Some(_) => self.by_group.extend_from_slice(&self.down[tree.message_of(place)]),
                None => self.by_group.push(N::ONE),
            }
            known.multiply_groups(clique, &mut self.by_group);
            clique.neighbours().filter(|&to| self.is_needed[to]).for_each(|to| self.down[tree.message_of(to)].fill(N::ZERO));
            let sums_wanted = clique.parent.is_none() || clique.by_group.iter().any(|link| self.is_needed[link.to]);
            self.sums.clear();
            self.sums.resize(clique.groups.len() - 1, N::ZERO);
            let sums = sums_wanted.then_some(&mut self.sums[..]);
            let mut sweep =
                Sweep { known: &known, by_group: &self.by_group, sums, leaving: &mut self.down, is_needed: Some(&self.is_needed) };
            sweep.run(clique, &mut self.block);
            for link in clique.by_group.iter().filter(|link| self.is_needed[link.to]) {
                scatter_to(&mut self.down[tree.message_of(link.to)], &link.places, 0, &self.sums);
            }
            for child in clique.neighbours().filter(|&to| self.is_needed[to] && to < tree.cliques.len()) {
                if let Some(sent) = known.message(child) {
                    let back = &mut self.down[tree.message_of(child)];
                    back.iter_mut().zip(sent).for_each(|(back, &sent)| *back = back.over(sent));
                    N::scale(back)?;
                }
            }
            if clique.parent.is_none() {
                if !N::is_sound(self.sums[0]) {
                    return None;
                }
                ln_total += self.sums[0].ln() + known.exponents_below(clique, &self.exponents) as f64 * std::f64::consts::LN_2;
            }
        }
        Some(ln_total)
    }
}

impl Clique {
    /// All that messages are exchanged with, beside the parent.
    fn neighbours(&self) -> impl Iterator<Item = usize> {
        let (entries, across, along): (&[Link], &[RunLink], &[RunLink]) = match &self.within {
            Within::Entries(links) => (links, &[], &[]),
            Within::Runs { across, along, .. } => (&[], across, along),
        };
        self.by_group.iter().chain(entries).map(|link| link.to).chain(across.iter().chain(along).map(|link| link.to))
    }
}

/// The messages that are there to be read.
pub(super) struct Known<'a, N> {
    pub(super) tree: &'a JunctionTree,
    up: &'a [N],
    is_fresh: &'a [bool],
    unobserved: Unobserved<'a, N>,
}

impl<'a, N: Number> Known<'a, N> {
    /// What comes from a neighbour; nothing from a variable that was not observed.
    fn message(&self, from: usize) -> Option<&'a [N]> {
        let range = self.tree.message_of(from);
        if self.is_fresh[from] {
            return Some(&self.up[range]);
        }
        let (messages, _) = self.unobserved.filter(|_| from < self.tree.cliques.len())?;
        Some(&messages[range])
    }

    pub(super) fn messages<'l>(&self, links: &'l [Link]) -> Vec<(&'l Places, &'a [N])> {
        links.iter().filter_map(|link| Some((&link.places, self.message(link.to)?))).collect()
    }

    pub(super) fn messages_of_runs<'l>(&self, links: &'l [RunLink]) -> Vec<(&'l [u32], &'a [N])> {
        links.iter().filter_map(|link| Some((&link.places[..], self.message(link.to)?))).collect()
    }

    /// Multiplies what a group's entries are all multiplied by with the messages that do not tell them apart.
    fn multiply_groups(&self, clique: &Clique, by_group: &mut [N]) {
        for (places, message) in self.messages(&clique.by_group) {
            multiply(by_group, places, 0, message);
        }
    }

    /// The exponents of all messages from below.
    fn exponents_below(&self, clique: &Clique, fresh: &[i64]) -> i64 {
        let children = clique.neighbours().filter(|&to| to < self.tree.cliques.len());
        let exponent = |child: usize| match self.unobserved {
            Some((_, exponents)) if !self.is_fresh[child] => exponents[child],
            _ => fresh[child],
        };
        children.map(exponent).sum()
    }
}

/// Leaves nothing of what a likelihood makes impossible; what it makes more or less likely is left to others.
fn shut_out<N: Number>(values: &mut [N], places: &Places, likelihood: &[N]) {
    let open: Vec<N> = likelihood.iter().map(|value| if value.is_zero() { N::ZERO } else { N::ONE }).collect();
    multiply(values, places, 0, &open);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factor_graph::FactorGraph;
    use crate::random_network::{RandomShape, random_network};

    /// One workspace for a series of questions that differ in a finding or two, and one for another tree in between: as if each had been asked alone.
    #[test]
    fn what_has_not_changed_is_not_sent_again() {
        let (mut n_sent, mut n_fresh) = (0, 0);
        for seed in 0..60 {
            let network = random_network(seed, &RandomShape { n_variables: 16, ..RandomShape::default() }).unwrap();
            let tree = JunctionTree::compile(&FactorGraph::from(&network), 1 << 20).unwrap();
            let other = JunctionTree::compile(&FactorGraph::from(&network), 1 << 20).unwrap();
            let mut room = Workspace::default();
            let mut states: Vec<Option<usize>> = vec![None; 16];
            for step in 0..24_usize {
                let place = (7 * step + seed as usize) % 16;
                let state = step % network.n_states(VarId::new(place));
                states[place] = if states[place] == Some(state) || step % 5 == 4 { None } else { Some(state) };
                let mut evidence = Evidence::none();
                for (place, state) in states.iter().enumerate() {
                    if let Some(state) = state {
                        evidence.observe(&network, VarId::new(place), *state).unwrap();
                    }
                }
                if step == 15 {
                    let _ = other.calibrate_in(&mut room, &evidence).unwrap();
                }
                let (again, alone) = (tree.calibrate_in(&mut room, &evidence).unwrap(), tree.calibrate(&evidence).unwrap());
                assert_eq!(again.ln_p_evidence().to_bits(), alone.ln_p_evidence().to_bits(), "seed {seed}, step {step}");
                match (again, alone) {
                    (Answer::Possible { answer: again, .. }, Answer::Possible { answer: alone, .. }) => {
                        assert!(
                            again.marginals.iter().zip(&alone.marginals).all(|(a, b)| a.to_bits() == b.to_bits()),
                            "seed {seed}, step {step}"
                        );
                    }
                    (Answer::Impossible, Answer::Impossible) => {}
                    _ => panic!("seed {seed}, step {step}: possible once, and once not"),
                }
                let messages = &room.messages;
                n_fresh += (0..tree.cliques.len()).filter(|&place| messages.is_fresh[place]).count();
                n_sent += (0..tree.cliques.len()).filter(|&place| messages.is_fresh[place] && messages.is_changed[place]).count();
            }
        }
        assert!(4 * n_sent < 3 * n_fresh, "{n_sent} of {n_fresh} sent");
    }

    /// What is observed above a clique is known to it before it is told: groups that are impossible by it are not gone through.
    #[test]
    fn what_evidence_elsewhere_makes_impossible_is_not_sent() {
        let (mut n_shut, mut n_open) = (0, 0);
        for seed in 0..60 {
            let network = random_network(seed, &RandomShape { n_variables: 16, ..RandomShape::default() }).unwrap();
            let tree = JunctionTree::compile(&FactorGraph::from(&network), 1 << 20).unwrap();
            let mut evidence = Evidence::none();
            for place in (0..16).step_by(3) {
                evidence.observe(&network, VarId::new(place), 0).unwrap();
            }
            let mut room = Workspace::default();
            let _ = tree.calibrate_in(&mut room, &evidence).unwrap();
            for (place, clique) in tree.cliques.iter().enumerate().filter(|(place, _)| room.messages.is_fresh[*place]) {
                for guard in clique.guards.iter().filter(|guard| room.messages.is_fresh[guard.to]) {
                    let states = guard.places.to_long();
                    for (state, sent) in states.iter().zip(&room.messages.up[tree.message_of(place)]) {
                        n_shut += usize::from(*state != 0);
                        n_open += usize::from(*state == 0 && *sent > 0.0);
                        assert!(*state == 0 || *sent == 0.0, "seed {seed}");
                    }
                }
            }
        }
        assert!(n_shut > 100 && n_open > 100, "{n_shut} shut out, {n_open} left");
    }
}
