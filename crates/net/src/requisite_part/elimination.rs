//! Elimination of a part: each variable goes by the message that the factors of its bucket make (bucket elimination, Dechter 1999).
//!
//! Variables go in the one order that was found for the whole model: the same findings in the same corner then make the same messages, and there is nothing
//! to plan for a part. Only where that makes large tables is an order looked for that is the part's own.

use super::messages::{Input, Messages, Outcome};
use super::{Axis, Part, RequisiteParts};
use crate::elimination_order::{Heuristic, InteractionGraph, elimination, ones};
use belief::VarId;

/// Entries of all messages of a part, at most.
const MOST_ENTRIES: usize = 1 << 20;
/// With more entries than this by the model's order a part is worth an order of its own,
const FEW_ENTRIES: usize = 1 << 12;
/// if it has no more variables than this: finding it takes their square.
const MOST_ORDERED: usize = 64;
/// The end of a list.
const END: u32 = u32::MAX;

/// The factors of a part, each in the bucket of the first of its variables to go.
#[derive(Clone, Debug, Default)]
pub(super) struct Buckets {
    /// For each variable that goes, and behind the last for all that stay, where the list of its factors begins and ends.
    lists: Vec<(u32, u32)>,
    /// A factor, and where the next of its list is.
    links: Vec<(Input, u32)>,
    inputs: Vec<Input>,
    key: Vec<u64>,
    /// For each variable, when it goes in the part's own order.
    turns: Vec<u32>,
}

impl RequisiteParts {
    /// What the part that was grown last says of the asked variables, if it has them: the number of a message, known already or found now.
    pub(super) fn found(&self, part: &mut Part, buckets: &mut Buckets, messages: &mut Messages, is_asked: bool) -> usize {
        let hash = match messages.find(&part.key) {
            Ok(known) => return known,
            Err(hash) => hash,
        };
        part.cut.clear();
        for (word, &bits) in part.factors.iter().enumerate() {
            let places = ones(bits).map(|bit| word * 64 + bit);
            part.cut.extend(places.map(|place| Input { id: part.ids[place], factor: place as u32 }));
        }
        part.variables.sort_unstable();
        let n_going = part.variables.partition_point(|variable| (*variable as usize) < self.n_eliminated);
        let (going, staying) = part.variables.split_at(n_going);
        let last = self.n_eliminated as u32;
        let may_be_ordered = part.variables.len() <= MOST_ORDERED;
        let most = if may_be_ordered { FEW_ENTRIES } else { MOST_ENTRIES };
        let mut outcome = self.eliminate(part, (going, most), |variable| variable.min(last), buckets, messages);
        if outcome == Outcome::Beyond && may_be_ordered {
            let order = self.own_order(part, n_going);
            let mut turns = std::mem::take(&mut buckets.turns);
            turns.resize(self.n_states.len(), 0);
            order.iter().zip(0..).for_each(|(variable, turn)| turns[*variable as usize] = turn);
            staying.iter().for_each(|variable| turns[*variable as usize] = last);
            outcome = self.eliminate(part, (&order, MOST_ENTRIES), |variable| turns[variable as usize], buckets, messages);
            buckets.turns = turns;
        }
        match outcome {
            Outcome::Possible => messages.answer(self, is_asked, &buckets.inputs, (&part.key, hash)),
            other => messages.no_answer(other, (&part.key, hash)),
        }
    }

    /// Takes variables out of a part in an order; what is left is then gathered. `turn` tells when a variable goes.
    fn eliminate(
        &self,
        part: &Part,
        (order, most_entries): (&[u32], usize),
        turn: impl Fn(u32) -> u32,
        buckets: &mut Buckets,
        messages: &mut Messages,
    ) -> Outcome {
        let last = self.n_eliminated as u32;
        buckets.lists.resize(self.n_eliminated + 1, (END, END));
        buckets.links.clear();
        buckets.lists[self.n_eliminated] = (END, END);
        order.iter().for_each(|variable| buckets.lists[turn(*variable) as usize] = (END, END));
        for input in &part.cut {
            let first = self.unseen_axes(*input).map(|axis| turn(axis.variable)).min();
            buckets.put(first.unwrap_or(last), *input);
        }
        let mut n_entries = 0;
        for &variable in order {
            buckets.gather(turn(variable));
            let Buckets { inputs, key, .. } = buckets;
            key[0] = u64::from(variable);
            let number = match messages.find(key) {
                Ok(known) => known,
                Err(hash) => messages.sum_out(self, variable, inputs, (key, hash)),
            };
            if messages.outcome(number) != Outcome::Possible {
                return messages.outcome(number);
            }
            // Counted also where the message was there, for what becomes of a part must not depend on others.
            n_entries += messages.entries(number).len();
            if n_entries > most_entries {
                return Outcome::Beyond;
            }
            let first = messages.axes(number).iter().map(|axis| turn(axis.variable)).min();
            buckets.put(first.unwrap_or(last), Input::message(number));
        }
        buckets.gather(last);
        Outcome::Possible
    }

    /// An order for the first so many variables of a part, the one of the smallest table first.
    fn own_order(&self, part: &Part, n_going: usize) -> Vec<u32> {
        let place = |axis: &Axis| part.variables.binary_search(&axis.variable).ok().map(VarId::new);
        let mut graph = InteractionGraph::new(part.variables.iter().map(|variable| self.n_states[*variable as usize]).collect());
        for input in &part.cut {
            graph.connect(&self.unseen_axes(*input).filter_map(place).collect::<Vec<_>>());
        }
        let going: Vec<VarId> = (0..n_going).map(VarId::new).collect();
        elimination(&graph, &going, Heuristic::MinWeight).order.iter().map(|place| part.variables[place.index()]).collect()
    }
}

impl Buckets {
    fn put(&mut self, turn: u32, input: Input) {
        let link = self.links.len() as u32;
        self.links.push((input, END));
        let (first, last) = &mut self.lists[turn as usize];
        match *last {
            END => *first = link,
            last => self.links[last as usize].1 = link,
        }
        *last = link;
    }

    /// The factors of a bucket, and behind a first word what a message of them is known by.
    fn gather(&mut self, turn: u32) {
        self.inputs.clear();
        self.key.clear();
        self.key.push(0);
        let mut at = self.lists[turn as usize].0;
        while at != END {
            let (input, next) = self.links[at as usize];
            self.inputs.push(input);
            self.key.push(input.id);
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::evidence::Evidence;
    use crate::factor_graph::FactorGraph;
    use crate::random_network::{RandomShape, random_network};
    use crate::requisite_part::{Memo, RequisiteParts, RowPosterior, UNSEEN};
    use crate::variable_elimination::eliminate;
    use belief::{Rng, VarId, random_stream};

    /// A part that the model's order makes large tables of goes by its own.
    #[test]
    fn large_parts_have_an_order_of_their_own() {
        let shape = RandomShape { n_variables: 24, max_parents: 4, p_arc: 0.5, p_zero: 0.2, states: 3..=4, ..RandomShape::default() };
        let targets = [VarId::new(20), VarId::new(3)];
        let mut n_ordered = 0;
        for seed in 0..40 {
            let network = random_network(seed, &shape).unwrap();
            let graph = FactorGraph::from(&network);
            let parts = RequisiteParts::new(&graph, &Evidence::none(), &targets);
            let mut draws = random_stream(seed, 9);
            for _ in 0..10 {
                let row: Vec<u32> = (0..24).map(|_| if draws.next_u64().is_multiple_of(3) { 0 } else { UNSEEN }).collect();
                let mut memo = Memo::default();
                let RowPosterior::Possible { joint, .. } = parts.posterior(&row, false, &mut memo) else { continue };
                let joint = joint.to_vec();
                if memo.buckets.turns.is_empty() {
                    continue;
                }
                n_ordered += 1;
                let mut evidence = Evidence::none();
                for variable in network.dag().variables().filter(|variable| row[variable.index()] == 0 && !targets.contains(variable)) {
                    evidence.observe(&network, variable, 0).unwrap();
                }
                let expected = eliminate(&graph, &targets, &evidence, 1 << 24).unwrap().possible().unwrap().probabilities;
                assert!(joint.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-12), "seed {seed}, {row:?}");
            }
        }
        assert!(n_ordered > 20, "{n_ordered} parts had an order of their own");
    }
}
