//! Propagation: messages up to the roots and down again.
//!
//! An upward message of a clique is the sum, group by group, of its potential times the messages of its children and the likelihoods of the variables
//! that have their home there. A downward message to a child is the same sum, with the parent's message in it, over what the child shares, divided by
//! what the child sent. Messages are scaled by powers of two, so that hundreds of findings do not underflow; should one be so faint beside another
//! that doubles might lose what matters, all is done again in numbers with exponents of their own.

use super::number::{Number, Wide};
use super::{Calibrated, Clique, JunctionTree, Link, Neighbour, Places};
use crate::error::NetError;
use crate::evidence::{Answer, Evidence};
use belief::VarId;

/// Room for the messages of one propagation, to be used again by the next: one for each thread.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    messages: Messages<f64>,
}

/// What one propagation writes.
#[derive(Clone, Debug)]
struct Messages<N> {
    /// Each clique's message to its parent, as the tree lays them out, where it differs from the one without evidence.
    up: Vec<N>,
    /// Whether it does.
    is_fresh: Vec<bool>,
    /// The exponents of the powers of two that it and all below it were divided by.
    exponents: Vec<i64>,
    /// Each parent's message to its child.
    down: Vec<N>,
    /// What was observed, for all states of all variables.
    likelihoods: Vec<N>,
    is_observed: Vec<bool>,
    /// What came out, for all states of all variables.
    marginals: Vec<N>,
    /// Whether something below a clique, or in it, is wanted.
    is_needed: Vec<bool>,
    is_wanted: Vec<bool>,
    /// For the groups of one clique: what their entries are all multiplied by, and what they sum to.
    by_group: Vec<N>,
    sums: Vec<N>,
    block: Vec<N>,
}

/// The messages without evidence: numbers, and exponents of what they were divided by.
type Unobserved<'a, N> = Option<(&'a [N], &'a [i64])>;

/// Entries that are worked on together: few enough to stay in the first cache.
const BLOCK: usize = 512;

impl<N> Default for Messages<N> {
    fn default() -> Self {
        Self {
            up: Vec::new(),
            is_fresh: Vec::new(),
            exponents: Vec::new(),
            down: Vec::new(),
            likelihoods: Vec::new(),
            is_observed: Vec::new(),
            marginals: Vec::new(),
            is_needed: Vec::new(),
            is_wanted: Vec::new(),
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
        let mut marginals = vec![0.0; self.first_state[self.n_named]];
        for &variable in wanted {
            let states = self.states_of(variable);
            let total = messages.marginals[states.clone()].iter().fold(N::ZERO, |sum, &value| sum.plus(value));
            if !N::is_sound(total) {
                return None;
            }
            for state in states {
                marginals[state] = messages.marginals[state].over(total).to_f64();
            }
        }
        let answer = Calibrated { marginals, first_state: self.first_state[..=self.n_named].to_vec() };
        Some(Answer::Possible { answer, ln_p_evidence: ln_total + self.ln_constant + evidence.ln_scale() })
    }

    fn states_of(&self, variable: VarId) -> std::ops::Range<usize> {
        self.first_state[variable.index()]..self.first_state[variable.index() + 1]
    }

    fn message_of(&self, clique: usize) -> std::ops::Range<usize> {
        self.first_message[clique]..self.first_message[clique + 1]
    }
}

impl<N: Number> Messages<N> {
    /// Brings the evidence in and marks what has to be done.
    fn prepare(&mut self, tree: &JunctionTree, evidence: &Evidence, wanted: &[VarId], all_fresh: bool) {
        let (n_cliques, n_states) = (tree.cliques.len(), tree.first_state[tree.n_named]);
        self.up.resize(tree.n_message_entries(), N::ZERO);
        self.down.resize(tree.n_message_entries(), N::ZERO);
        self.exponents.resize(n_cliques, 0);
        self.likelihoods.resize(n_states, N::ONE);
        self.marginals.resize(n_states, N::ZERO);
        self.block.resize(BLOCK, N::ZERO);
        for (flags, length, value) in [
            (&mut self.is_fresh, n_cliques, all_fresh),
            (&mut self.is_needed, n_cliques, false),
            (&mut self.is_observed, tree.n_named, false),
            (&mut self.is_wanted, tree.n_named, false),
        ] {
            flags.clear();
            flags.resize(length, value);
        }
        for variable in evidence.variables() {
            let Some(likelihood) = evidence.likelihood(variable) else { continue };
            self.is_observed[variable.index()] = true;
            self.is_fresh[tree.home[variable.index()]] = true;
            for (own, &value) in self.likelihoods[tree.states_of(variable)].iter_mut().zip(likelihood) {
                *own = N::from_f64(value);
            }
        }
        for &variable in wanted {
            self.is_wanted[variable.index()] = true;
            self.is_needed[tree.home[variable.index()]] = true;
        }
        for (place, clique) in tree.cliques.iter().enumerate().rev() {
            match clique.parent {
                Some(parent) => {
                    self.is_fresh[parent] |= self.is_fresh[place];
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
            if clique.parent.is_none() || !self.is_fresh[place] {
                continue;
            }
            self.multiply_groups(tree, clique, unobserved, None);
            // The children's messages lie behind the clique's own.
            let (own, below) = self.up.split_at_mut(tree.first_message[place + 1]);
            let own = &mut own[tree.first_message[place]..];
            own.fill(N::ZERO);
            let known = Known {
                tree,
                fresh: below,
                fresh_from: tree.first_message[place + 1],
                is_fresh: &self.is_fresh,
                unobserved,
                likelihoods: &self.likelihoods,
                is_observed: &self.is_observed,
            };
            let arriving: Vec<(&Places, &[N])> =
                clique.by_entry.iter().filter_map(|link| Some((&link.places, known.message(link)?))).collect();
            for_blocks(
                clique,
                &mut self.block,
                &self.by_group,
                &arriving,
                |block, group, from, to| {
                    let sum = block[from..to].iter().fold(N::ZERO, |sum, &value| sum.plus(value));
                    own[group] = own[group].plus(sum);
                },
                |_, _| {},
            );
            let below: i64 = known.exponents_below(clique, &self.exponents);
            self.exponents[place] = below + N::scale(own)?;
        }
        Some(())
    }

    /// The pass downwards. Gives the natural logarithm of what the roots sum to, multiplied.
    fn distribute(&mut self, tree: &JunctionTree, unobserved: Unobserved<N>) -> Option<f64> {
        let mut ln_total = 0.0;
        for (place, clique) in tree.cliques.iter().enumerate() {
            if !self.is_needed[place] {
                continue;
            }
            self.multiply_groups(tree, clique, unobserved, clique.parent.map(|_| tree.message_of(place)));
            let Self { up, is_fresh, exponents, down, likelihoods, is_observed, marginals, is_needed, is_wanted, by_group, sums, block } =
                self;
            let known = Known { tree, fresh: up, fresh_from: 0, is_fresh, unobserved, likelihoods, is_observed };
            let leaves = |link: &&Link| match link.to {
                Neighbour::Child(child) => is_needed[child],
                Neighbour::Variable(variable) => is_wanted[variable.index()],
            };
            let arriving: Vec<(&Places, &[N])> =
                clique.by_entry.iter().filter_map(|link| Some((&link.places, known.message(link)?))).collect();
            let mut leaving = Leaving::new(tree, down, marginals);
            clique.by_group.iter().chain(&clique.by_entry).filter(leaves).for_each(|link| leaving.clear(link));
            let by_entry: Vec<&Link> = clique.by_entry.iter().filter(leaves).collect();
            let sums_wanted = clique.parent.is_none() || clique.by_group.iter().any(|link| leaves(&link));
            sums.clear();
            sums.resize(clique.groups.len() - 1, N::ZERO);
            for_blocks(
                clique,
                block,
                by_group,
                &arriving,
                |block, group, from, to| {
                    if sums_wanted {
                        let sum = block[from..to].iter().fold(N::ZERO, |sum, &value| sum.plus(value));
                        sums[group] = sums[group].plus(sum);
                    }
                },
                |block, first| by_entry.iter().for_each(|link| leaving.add(link, first, block)),
            );
            for link in clique.by_group.iter().filter(leaves) {
                leaving.add(link, 0, sums);
            }
            for link in clique.by_group.iter().chain(&clique.by_entry).filter(leaves) {
                if let (Neighbour::Child(_), Some(sent)) = (link.to, known.message(link)) {
                    let message = leaving.region(link);
                    message.iter_mut().zip(sent).for_each(|(back, &sent)| *back = back.over(sent));
                    N::scale(message)?;
                }
            }
            if clique.parent.is_none() {
                if !N::is_sound(sums[0]) {
                    return None;
                }
                ln_total += sums[0].ln() + known.exponents_below(clique, exponents) as f64 * std::f64::consts::LN_2;
            }
        }
        Some(ln_total)
    }

    /// What all entries of each group are multiplied by: messages that do not tell them apart, and what the parent sent.
    fn multiply_groups(&mut self, tree: &JunctionTree, clique: &Clique, unobserved: Unobserved<N>, sent: Option<std::ops::Range<usize>>) {
        let n_groups = clique.groups.len() - 1;
        self.by_group.clear();
        match sent {
            Some(sent) => self.by_group.extend_from_slice(&self.down[sent]),
            None => self.by_group.resize(n_groups, N::ONE),
        }
        let known = Known {
            tree,
            fresh: &self.up,
            fresh_from: 0,
            is_fresh: &self.is_fresh,
            unobserved,
            likelihoods: &self.likelihoods,
            is_observed: &self.is_observed,
        };
        for link in &clique.by_group {
            if let Some(message) = known.message(link) {
                multiply(&mut self.by_group, &link.places, 0, message);
            }
        }
    }
}

/// The messages that are there to be read.
struct Known<'a, N> {
    tree: &'a JunctionTree,
    /// Upward messages of this propagation, from a place on.
    fresh: &'a [N],
    fresh_from: usize,
    is_fresh: &'a [bool],
    unobserved: Unobserved<'a, N>,
    likelihoods: &'a [N],
    is_observed: &'a [bool],
}

impl<'a, N: Number> Known<'a, N> {
    /// What comes over a link; nothing from a variable that was not observed.
    fn message(&self, link: &Link) -> Option<&'a [N]> {
        match link.to {
            Neighbour::Variable(variable) => self.is_observed[variable.index()].then(|| &self.likelihoods[self.tree.states_of(variable)]),
            Neighbour::Child(child) => {
                let range = self.tree.message_of(child);
                match self.unobserved {
                    Some((messages, _)) if !self.is_fresh[child] => Some(&messages[range]),
                    _ => Some(&self.fresh[range.start - self.fresh_from..range.end - self.fresh_from]),
                }
            }
        }
    }

    /// The exponents of all messages from below.
    fn exponents_below(&self, clique: &Clique, fresh: &[i64]) -> i64 {
        let children = clique.by_group.iter().chain(&clique.by_entry).filter_map(|link| match link.to {
            Neighbour::Child(child) => Some(child),
            Neighbour::Variable(_) => None,
        });
        children
            .map(|child| match self.unobserved {
                Some((_, exponents)) if !self.is_fresh[child] => exponents[child],
                _ => fresh[child],
            })
            .sum()
    }
}

/// The messages that are being written.
struct Leaving<'a, N> {
    tree: &'a JunctionTree,
    down: &'a mut [N],
    marginals: &'a mut [N],
}

impl<'a, N: Number> Leaving<'a, N> {
    fn new(tree: &'a JunctionTree, down: &'a mut [N], marginals: &'a mut [N]) -> Self {
        Self { tree, down, marginals }
    }

    fn region(&mut self, link: &Link) -> &mut [N] {
        match link.to {
            Neighbour::Child(child) => &mut self.down[self.tree.message_of(child)],
            Neighbour::Variable(variable) => &mut self.marginals[self.tree.states_of(variable)],
        }
    }

    fn clear(&mut self, link: &Link) {
        self.region(link).fill(N::ZERO);
    }

    /// Adds values that begin at the `first`-th of the link's places.
    fn add(&mut self, link: &Link, first: usize, values: &[N]) {
        let region = self.region(link);
        match &link.places {
            Places::Byte(places) => scatter(region, &places[first..], values),
            Places::Short(places) => scatter(region, &places[first..], values),
            Places::Long(places) => scatter(region, &places[first..], values),
        }
    }
}

/// Works on a clique's entries block by block: each is its potential times what its group is multiplied by times the messages that arrive.
/// Hands over, group by group, which part of the block is the group's; and then the block with the number of its first entry. Blocks that are zero
/// because their groups are, as evidence makes them, are passed over.
fn for_blocks<N: Number>(
    clique: &Clique,
    block: &mut [N],
    by_group: &[N],
    arriving: &[(&Places, &[N])],
    mut of_group: impl FnMut(&[N], usize, usize, usize),
    mut of_block: impl FnMut(&[N], usize),
) {
    let n_entries = clique.potential.len();
    let (mut first, mut group) = (0, 0);
    while first < n_entries {
        let end = n_entries.min(first + BLOCK);
        let block = &mut block[..end - first];
        let first_group = group;
        let mut is_zero = true;
        loop {
            let (from, to) = (first.max(clique.groups[group] as usize), end.min(clique.groups[group + 1] as usize));
            let factor = by_group[group];
            is_zero &= factor.is_zero();
            for (entry, &value) in block[from - first..to - first].iter_mut().zip(&clique.potential[from..to]) {
                *entry = N::from_f64(value).times(factor);
            }
            if to == end {
                // A group that ends with the block is done.
                group += usize::from(clique.groups[group + 1] as usize == end);
                break;
            }
            group += 1;
        }
        if !is_zero {
            for (places, message) in arriving {
                multiply(block, places, first, message);
            }
            let last_group = if group < by_group.len() && (clique.groups[group] as usize) < end { group } else { group - 1 };
            for group in first_group..=last_group {
                let (from, to) = (first.max(clique.groups[group] as usize), end.min(clique.groups[group + 1] as usize));
                of_group(block, group, from - first, to - first);
            }
            of_block(block, first);
        }
        first = end;
    }
}

fn multiply<N: Number>(values: &mut [N], places: &Places, first: usize, message: &[N]) {
    match places {
        Places::Byte(places) => gather(values, &places[first..], message),
        Places::Short(places) => gather(values, &places[first..], message),
        Places::Long(places) => gather(values, &places[first..], message),
    }
}

fn gather<N: Number, P: Copy + Into<u32>>(values: &mut [N], places: &[P], message: &[N]) {
    for (value, &place) in values.iter_mut().zip(places) {
        *value = value.times(message[place.into() as usize]);
    }
}

fn scatter<N: Number, P: Copy + Into<u32>>(region: &mut [N], places: &[P], values: &[N]) {
    for (&value, &place) in values.iter().zip(places) {
        let sum = &mut region[place.into() as usize];
        *sum = sum.plus(value);
    }
}
