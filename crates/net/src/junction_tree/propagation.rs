//! Propagation: messages up to the roots and down again.
//!
//! An upward message of a clique is the sum, group by group, of its potential times the messages of its children and the likelihoods of the variables
//! that have their home there; groups that are impossible by what is observed elsewhere are left at zero. A downward message to a child is the same sum, with the parent's message in it, over what the child shares, divided by
//! what the child sent. Messages are scaled by powers of two, so that hundreds of findings do not underflow; should one be so faint beside another
//! that doubles might lose what matters, all is done again in numbers with exponents of their own.

use super::number::{Number, Wide};
use super::stored_sweep::{BLOCK, Goes, Sweep, multiply, scatter_to};
use super::subtrees::{both, rest_of};
use super::{Calibrated, Clique, JunctionTree, Link, Places, RunLink, Runs, Within};
use crate::error::NetError;
use crate::evidence::{Answer, Evidence};
use belief::VarId;
use std::ops::Range;

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
    /// Messages downwards: of each clique its own, and those of the variables that have their home there.
    down: Vec<N>,
    /// Whether a variable, or something in or below a clique, is wanted.
    is_needed: Vec<bool>,
    /// Of every root, the natural logarithm of what it sums to.
    ln_totals: Vec<f64>,
    scratch: Scratch<N>,
}

/// What is worked with at one clique.
#[derive(Clone, Debug)]
struct Scratch<N> {
    /// For its groups: what their entries are all multiplied by, and what they sum to.
    by_group: Vec<N>,
    sums: Vec<N>,
    /// The message to its parent, or from it, where that steps along runs.
    of_parent: Vec<N>,
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
            ln_totals: Vec::new(),
            scratch: Scratch::default(),
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
        let in_parallel = room.in_parallel;
        let by_smaller_tree = || self.by_smaller_tree(evidence, wanted, in_parallel);
        // Work is handed over often there, and from a thread of the pool sooner than from without.
        let handed_over = in_parallel && self.graph.is_some();
        if let Some(answer) = if handed_over { rayon::scope(|_| by_smaller_tree()) } else { by_smaller_tree() } {
            return answer;
        }
        let doubles = self.unobserved.as_ref().map(|(messages, exponents)| (messages.as_slice(), exponents.as_slice()));
        if let Some(answer) = self.propagate(&mut room.messages, doubles, evidence, wanted, in_parallel) {
            return Ok(answer);
        }
        match self.propagate(&mut Messages::<Wide>::default(), None, evidence, wanted, in_parallel) {
            Some(answer) => Ok(answer),
            None if self.faint => Err(NetError::Underflow),
            None => Ok(Answer::Impossible),
        }
    }

    /// The upward messages when nothing is observed, if doubles hold them.
    pub(super) fn messages_without_evidence(&self) -> Option<(Vec<f64>, Vec<i64>)> {
        let mut messages = Messages::<f64>::default();
        messages.prepare(self, &Evidence::none(), &[], true);
        messages.collect(self, None, false)?;
        Some((messages.up, messages.exponents))
    }

    /// Both passes. `None` when all is zero, or so faint that these numbers might have lost what matters.
    fn propagate<N: Number>(
        &self,
        messages: &mut Messages<N>,
        unobserved: Unobserved<N>,
        evidence: &Evidence,
        wanted: &[VarId],
        in_parallel: bool,
    ) -> Option<Answer<Calibrated>> {
        messages.prepare(self, evidence, wanted, unobserved.is_none());
        messages.collect(self, unobserved, in_parallel)?;
        messages.distribute(self, unobserved, in_parallel)?;
        let ln_total: f64 = messages.ln_totals.iter().sum();
        let first_state: Vec<usize> =
            self.first_message[self.cliques.len()..].iter().map(|&first| first - self.first_message[self.cliques.len()]).collect();
        let mut marginals = vec![0.0; first_state[self.n_named]];
        for &variable in wanted {
            let sent = &messages.down[self.told_to(self.cliques.len() + variable.index())];
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
    pub(super) fn message_of(&self, neighbour: usize) -> Range<usize> {
        self.first_message[neighbour]..self.first_message[neighbour + 1]
    }

    /// Where what a neighbour is told lies.
    pub(super) fn told_to(&self, neighbour: usize) -> Range<usize> {
        let first = self.first_told[neighbour];
        first..first + self.message_of(neighbour).len()
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
        self.ln_totals.clear();
        self.ln_totals.resize(n_cliques, 0.0);
        self.scratch.fit(tree);
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
            let along = clique.runs().map(|runs| n_cliques + runs.variable.index()).filter(|&leaf| leaf < self.is_changed.len());
            self.is_changed[place] |= clique.guards.iter().map(|guard| guard.to).chain(along).any(|leaf| self.is_changed[leaf]);
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
    fn collect(&mut self, tree: &JunctionTree, unobserved: Unobserved<N>, in_parallel: bool) -> Option<()> {
        let (of_cliques, seen) = self.up.split_at_mut(tree.first_message[tree.cliques.len()]);
        let pass = Pass { tree, unobserved, is_fresh: &self.is_fresh, seen, in_parallel };
        let mut part = Upwards { cliques: 0..tree.cliques.len(), up: of_cliques, exponents: &mut self.exponents };
        pass.collect(&mut part, &self.is_changed, &mut self.scratch)?;
        self.complete = Some(tree.id);
        Some(())
    }

    /// The pass downwards.
    fn distribute(&mut self, tree: &JunctionTree, unobserved: Unobserved<N>, in_parallel: bool) -> Option<()> {
        let (of_cliques, seen) = self.up.split_at(tree.first_message[tree.cliques.len()]);
        let pass = Pass { tree, unobserved, is_fresh: &self.is_fresh, seen, in_parallel };
        let sent = Sent { up: of_cliques, exponents: &self.exponents, is_needed: &self.is_needed };
        let mut part = Downwards { cliques: 0..tree.cliques.len(), down: &mut self.down, ln_totals: &mut self.ln_totals };
        pass.distribute(&sent, &mut part, &mut self.scratch)
    }
}

impl<N> Default for Scratch<N> {
    fn default() -> Self {
        Self { by_group: Vec::new(), sums: Vec::new(), of_parent: Vec::new(), block: Vec::new() }
    }
}

impl<N: Number> Scratch<N> {
    fn of(tree: &JunctionTree) -> Self {
        let mut scratch = Self::default();
        scratch.fit(tree);
        scratch
    }

    /// Makes room for the longest run of a tree.
    fn fit(&mut self, tree: &JunctionTree) {
        self.block.resize(tree.n_states.iter().copied().fold(BLOCK, usize::max), N::ZERO);
    }
}

/// What both passes go by.
struct Pass<'p, N> {
    tree: &'p JunctionTree,
    unobserved: Unobserved<'p, N>,
    is_fresh: &'p [bool],
    /// The likelihoods of variables.
    seen: &'p [N],
    in_parallel: bool,
}

/// What the pass upwards writes of some cliques that lie side by side.
struct Upwards<'m, N> {
    cliques: Range<usize>,
    up: &'m mut [N],
    exponents: &'m mut [i64],
}

/// What the pass downwards knows from the one upwards.
struct Sent<'p, N> {
    up: &'p [N],
    exponents: &'p [i64],
    is_needed: &'p [bool],
}

/// What the pass downwards writes of some cliques that lie side by side.
struct Downwards<'m, N> {
    cliques: Range<usize>,
    down: &'m mut [N],
    ln_totals: &'m mut [f64],
}

impl<N> Upwards<'_, N> {
    /// The cliques of a range that are before another, and the others.
    fn halves(&mut self, tree: &JunctionTree, part: &Range<usize>, middle: usize) -> (Upwards<'_, N>, Upwards<'_, N>) {
        let entry = |place: usize| tree.first_message[place] - tree.first_message[self.cliques.start];
        let (left, right) = self.up[..entry(part.end)].split_at_mut(entry(middle));
        let (left_exponents, right_exponents) = self.exponents[..part.end - self.cliques.start].split_at_mut(middle - self.cliques.start);
        (
            Upwards {
                up: &mut left[entry(part.start)..],
                exponents: &mut left_exponents[part.start - self.cliques.start..],
                cliques: part.start..middle,
            },
            Upwards { up: right, exponents: right_exponents, cliques: middle..part.end },
        )
    }
}

impl<N> Downwards<'_, N> {
    /// The cliques of a range that are before another, and the others.
    fn halves(&mut self, tree: &JunctionTree, part: &Range<usize>, middle: usize) -> (Downwards<'_, N>, Downwards<'_, N>) {
        let entry = |place: usize| tree.first_told_at(place) - tree.first_told_at(self.cliques.start);
        let (left, right) = self.down[..entry(part.end)].split_at_mut(entry(middle));
        let (left_totals, right_totals) = self.ln_totals[..part.end - self.cliques.start].split_at_mut(middle - self.cliques.start);
        (
            Downwards {
                down: &mut left[entry(part.start)..],
                ln_totals: &mut left_totals[part.start - self.cliques.start..],
                cliques: part.start..middle,
            },
            Downwards { down: right, ln_totals: right_totals, cliques: middle..part.end },
        )
    }
}

impl<N: Number> Pass<'_, N> {
    /// Where some cliques are cut, so that two threads share them.
    fn cut(&self, cliques: &Range<usize>) -> Option<(Range<usize>, usize)> {
        self.tree.subtrees.cut(cliques.clone()).filter(|_| self.in_parallel)
    }

    /// Sends what all of these cliques know upwards, those below first.
    fn collect(&self, part: &mut Upwards<N>, is_changed: &[bool], scratch: &mut Scratch<N>) -> Option<()> {
        let cliques = part.cliques.clone();
        let Some((inner, middle)) = self.cut(&cliques) else {
            return cliques.rev().try_for_each(|place| self.send_up(place, part, is_changed, scratch));
        };
        let (mut left, mut right) = part.halves(self.tree, &inner, middle);
        let (on_left, on_right) =
            both(|| self.collect(&mut left, is_changed, scratch), || self.collect(&mut right, is_changed, &mut Scratch::of(self.tree)));
        on_left.and(on_right)?;
        rest_of(&cliques, &inner).rev().try_for_each(|place| self.send_up(place, part, is_changed, scratch))
    }

    fn send_up(&self, place: usize, part: &mut Upwards<N>, is_changed: &[bool], scratch: &mut Scratch<N>) -> Option<()> {
        let clique = &self.tree.cliques[place];
        if clique.parent.is_none() || !self.is_fresh[place] || !is_changed[place] {
            return Some(());
        }
        let Scratch { by_group, sums, block, .. } = scratch;
        let first_entry = self.tree.first_message[part.cliques.start];
        let known = Known { pass: self, up: part.up, first_entry };
        by_group.clear();
        by_group.resize(clique.groups.len() - 1, N::ONE);
        known.multiply_groups(clique, by_group);
        known.shut_groups_out(clique, by_group);
        sums.clear();
        sums.resize(clique.n_message, N::ZERO);
        let (of_groups, leaving) = if clique.steps_to_parent() { (None, &mut sums[..]) } else { (Some(&mut sums[..]), &mut [][..]) };
        let mut sweep = Sweep { known: &known, by_group, sums: of_groups, leaving, first_leaving: 0, goes: Goes::Up };
        sweep.run(clique, block);
        let below = known.exponents_below(clique, |child| part.exponents[child - part.cliques.start]);
        part.exponents[place - part.cliques.start] = below + N::scale(sums)?;
        let own = self.tree.message_of(place);
        part.up[own.start - first_entry..own.end - first_entry].copy_from_slice(sums);
        Some(())
    }

    /// Tells all of these cliques, and the variables there, what is known elsewhere, those above first.
    fn distribute(&self, sent: &Sent<N>, part: &mut Downwards<N>, scratch: &mut Scratch<N>) -> Option<()> {
        let cliques = part.cliques.clone();
        let Some((inner, middle)) = self.cut(&cliques) else {
            return cliques.into_iter().try_for_each(|place| self.send_down(place, sent, part, scratch));
        };
        rest_of(&cliques, &inner).try_for_each(|place| self.send_down(place, sent, part, scratch))?;
        let (mut left, mut right) = part.halves(self.tree, &inner, middle);
        let (on_left, on_right) =
            both(|| self.distribute(sent, &mut left, scratch), || self.distribute(sent, &mut right, &mut Scratch::of(self.tree)));
        on_left.and(on_right)
    }

    fn send_down(&self, place: usize, sent: &Sent<N>, part: &mut Downwards<N>, scratch: &mut Scratch<N>) -> Option<()> {
        let Self { tree, .. } = *self;
        let is_needed = sent.is_needed;
        if !is_needed[place] {
            return Some(());
        }
        let clique = &tree.cliques[place];
        let known = Known { pass: self, up: sent.up, first_entry: 0 };
        let first_leaving = tree.first_told_at(part.cliques.start);
        let told_to = |neighbour: usize| {
            let told = tree.told_to(neighbour);
            told.start - first_leaving..told.end - first_leaving
        };
        let Scratch { by_group, sums, of_parent, block } = scratch;
        by_group.clear();
        of_parent.clear();
        if clique.parent.is_some() && !clique.steps_to_parent() {
            by_group.extend_from_slice(&part.down[told_to(place)]);
        } else {
            by_group.resize(clique.groups.len() - 1, N::ONE);
            known.shut_groups_out(clique, by_group);
        }
        if clique.steps_to_parent() {
            of_parent.extend_from_slice(&part.down[told_to(place)]);
        }
        known.multiply_groups(clique, by_group);
        clique.neighbours().filter(|&to| is_needed[to]).for_each(|to| part.down[told_to(to)].fill(N::ZERO));
        let sums_wanted = clique.parent.is_none() || clique.by_group.iter().any(|link| is_needed[link.to]);
        sums.clear();
        sums.resize(clique.groups.len() - 1, N::ZERO);
        let of_groups = sums_wanted.then_some(&mut sums[..]);
        let goes = Goes::Down { is_needed, of_parent };
        let mut sweep = Sweep { known: &known, by_group, sums: of_groups, leaving: part.down, first_leaving, goes };
        sweep.run(clique, block);
        for link in clique.by_group.iter().filter(|link| is_needed[link.to]) {
            scatter_to(&mut part.down[told_to(link.to)], &link.places, 0, sums);
        }
        for child in clique.neighbours().filter(|&to| is_needed[to] && to < tree.cliques.len()) {
            if let Some(sent) = known.message(child) {
                let back = &mut part.down[told_to(child)];
                back.iter_mut().zip(sent).for_each(|(back, &sent)| *back = back.over(sent));
                N::scale(back)?;
            }
        }
        if clique.parent.is_none() {
            if !N::is_sound(sums[0]) {
                return None;
            }
            let below = known.exponents_below(clique, |child| sent.exponents[child]);
            part.ln_totals[place - part.cliques.start] = sums[0].ln() + below as f64 * std::f64::consts::LN_2;
        }
        Some(())
    }
}

impl Clique {
    fn runs(&self) -> Option<&Runs> {
        match &self.within {
            Within::Entries(_) => None,
            Within::Runs(runs) => Some(runs),
        }
    }

    /// Whether the messages to the parent and from it step along runs.
    fn steps_to_parent(&self) -> bool {
        self.runs().is_some_and(|runs| runs.to_parent.is_some())
    }

    /// All that messages are exchanged with, beside the parent.
    fn neighbours(&self) -> impl Iterator<Item = usize> {
        let (entries, across, along): (&[Link], &[RunLink], &[RunLink]) = match &self.within {
            Within::Entries(links) => (links, &[], &[]),
            Within::Runs(Runs { across, along, .. }) => (&[], across, along),
        };
        self.by_group.iter().chain(entries).map(|link| link.to).chain(across.iter().chain(along).map(|link| link.to))
    }
}

/// The messages that are there to be read.
pub(super) struct Known<'a, N> {
    pass: &'a Pass<'a, N>,
    /// Messages upwards, from this entry of all on.
    up: &'a [N],
    first_entry: usize,
}

impl<'a, N: Number> Known<'a, N> {
    /// What comes from a neighbour; nothing from a variable that was not observed.
    fn message(&self, from: usize) -> Option<&'a [N]> {
        let Pass { tree, unobserved, is_fresh, seen, .. } = *self.pass;
        let range = tree.message_of(from);
        if from >= tree.cliques.len() {
            let first_seen = tree.first_message[tree.cliques.len()];
            return is_fresh[from].then(|| &seen[range.start - first_seen..range.end - first_seen]);
        }
        if is_fresh[from] {
            return Some(&self.up[range.start - self.first_entry..range.end - self.first_entry]);
        }
        unobserved.map(|(messages, _)| &messages[range])
    }

    pub(super) fn tree(&self) -> &'a JunctionTree {
        self.pass.tree
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

    /// Leaves nothing of groups that are impossible by what is observed above the clique.
    fn shut_groups_out(&self, clique: &Clique, by_group: &mut [N]) {
        self.messages(&clique.guards).into_iter().for_each(|(places, likelihood)| shut_out(by_group, places, likelihood));
    }

    /// The states of a variable that are not ruled out by what is observed of it, in so far as they are a range.
    pub(super) fn open_states(&self, variable: VarId) -> Range<usize> {
        let Pass { tree, .. } = *self.pass;
        let likelihood = (variable.index() < tree.n_named).then(|| self.message(tree.cliques.len() + variable.index())).flatten();
        let Some(likelihood) = likelihood else { return 0..tree.n_states[variable.index()] };
        let is_open = |value: &N| !value.is_zero();
        let (first, last) = (likelihood.iter().position(is_open), likelihood.iter().rposition(is_open));
        first.unwrap_or(0)..last.map_or(0, |last| last + 1)
    }

    /// The exponents of all messages from below.
    fn exponents_below(&self, clique: &Clique, fresh: impl Fn(usize) -> i64) -> i64 {
        let children = clique.neighbours().filter(|&to| to < self.pass.tree.cliques.len());
        let exponent = |child: usize| match self.pass.unobserved {
            Some((_, exponents)) if !self.pass.is_fresh[child] => exponents[child],
            _ => fresh(child),
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
mod tests;
