//! Network simplex: whole places on a line, connected ones as near each other as they may be.
//!
//! Gansner, Koutsofios, North & Vo 1993, sections 2.3 and 4.2: of all places with `head − tail ≥ shortest` for every link, those for which the
//! weighted sum of `head − tail` is least. A spanning tree of links that cannot be shorter says where everything is; a link of it whose removal
//! would pay (its cut value is negative) is exchanged for another until there is none. [`super::layering`] and [`super::coordinates`] are two uses.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A demand on two places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub tail: usize,
    pub head: usize,
    /// The head is at least so far beyond the tail.
    pub shortest: i64,
    /// What each step of the way costs.
    pub weight: i64,
}

/// The cheapest places, from places that meet every demand. All must hang together; when `max_steps` nodes have been looked at, the places
/// met so far are given, which meet the demands too. Where several places are the cheapest, the middle is taken as far as that is easily found.
pub(super) fn network_simplex(places: Vec<i64>, links: &[Link], max_steps: usize) -> Vec<i64> {
    if places.len() < 2 {
        return places;
    }
    let mut tree = TightTree::grown(places, links);
    while tree.n_steps < max_steps {
        let Some(leaving) = tree.leaving() else { break };
        let Some(entering) = tree.entering(leaving) else { break };
        tree.exchange(leaving, entering);
    }
    tree.centre(max_steps / 2);
    tree.places
}

const NONE: usize = usize::MAX;

/// How many links with a negative cut value are looked at before the most negative is taken.
const N_COMPARED: usize = 30;

struct TightTree<'a> {
    links: &'a [Link],
    /// Links at each node, tree or not.
    at: Vec<Vec<usize>>,
    places: Vec<i64>,
    /// The links of the tree, and for each link its place there, if it has one.
    chosen: Vec<usize>,
    chosen_place: Vec<usize>,
    tree_at: Vec<Vec<usize>>,
    /// The link to the parent.
    up: Vec<usize>,
    /// Nodes after all below them; what is below a node are those from `low` to `lim`.
    postorder: Vec<usize>,
    low: Vec<usize>,
    lim: Vec<usize>,
    cut: Vec<i64>,
    next_looked_at: usize,
    n_steps: usize,
}

impl<'a> TightTree<'a> {
    /// A tree grown from the first node: of the links that lead out of it the one with the least slack is next, and the tree moves as a whole
    /// until that link is tight.
    fn grown(mut places: Vec<i64>, links: &'a [Link]) -> Self {
        let n_nodes = places.len();
        let mut at = vec![Vec::new(); n_nodes];
        for (number, link) in links.iter().enumerate() {
            at[link.tail].push(number);
            at[link.head].push(number);
        }
        let mut in_tree = vec![false; n_nodes];
        let mut chosen = Vec::with_capacity(n_nodes - 1);
        // When the tree moves up by one, links that leave it lose one of slack and links that enter it gain one.
        let (mut leaving, mut entering) = (BinaryHeap::new(), BinaryHeap::new());
        let mut moved = 0;
        let mut joined_at = vec![0; n_nodes];
        let mut joining = Some(0);
        while let Some(node) = joining {
            in_tree[node] = true;
            joined_at[node] = moved;
            for &number in &at[node] {
                let link = &links[number];
                let slack = places[link.head] - places[link.tail] - link.shortest;
                if link.tail == node && !in_tree[link.head] {
                    leaving.push(Reverse((slack + moved, number)));
                } else if link.head == node && !in_tree[link.tail] {
                    entering.push(Reverse((slack - moved, number)));
                }
            }
            while leaving.peek().is_some_and(|Reverse((_, number))| in_tree[links[*number].head]) {
                leaving.pop();
            }
            while entering.peek().is_some_and(|Reverse((_, number))| in_tree[links[*number].tail]) {
                entering.pop();
            }
            let out = leaving.peek().map(|Reverse((key, number))| (key - moved, *number));
            let into = entering.peek().map(|Reverse((key, number))| (key + moved, *number));
            joining = match (out, into) {
                (Some((slack, number)), into) if into.is_none_or(|(other, _)| slack <= other) => {
                    moved += slack;
                    chosen.push(number);
                    Some(links[number].head)
                }
                (_, Some((slack, number))) => {
                    moved -= slack;
                    chosen.push(number);
                    Some(links[number].tail)
                }
                _ => None,
            };
        }
        for (place, joined_at) in places.iter_mut().zip(joined_at) {
            *place += moved - joined_at;
        }
        let mut tree = Self {
            links,
            at,
            places,
            chosen_place: vec![NONE; links.len()],
            tree_at: vec![Vec::new(); n_nodes],
            up: vec![NONE; n_nodes],
            postorder: vec![0; n_nodes],
            low: vec![0; n_nodes],
            lim: vec![0; n_nodes],
            cut: vec![0; links.len()],
            next_looked_at: 0,
            n_steps: 0,
            chosen,
        };
        for (place, &number) in tree.chosen.iter().enumerate() {
            tree.chosen_place[number] = place;
            tree.tree_at[links[number].tail].push(number);
            tree.tree_at[links[number].head].push(number);
        }
        tree.number_below(0, 0);
        tree.find_cut_values();
        tree
    }

    fn slack(&self, number: usize) -> i64 {
        let link = &self.links[number];
        self.places[link.head] - self.places[link.tail] - link.shortest
    }

    /// The end of a tree link that is below the other, and whether that is the tail.
    fn below(&self, number: usize) -> (usize, bool) {
        let link = &self.links[number];
        if self.lim[link.tail] < self.lim[link.head] { (link.tail, true) } else { (link.head, false) }
    }

    fn is_below(&self, node: usize, root: usize) -> bool {
        (self.low[root]..=self.lim[root]).contains(&self.lim[node])
    }

    /// Walks the tree below a node whose link upward is known, and numbers what is met from `first`.
    fn number_below(&mut self, root: usize, first: usize) {
        let mut next = first;
        let mut way = vec![(root, 0)];
        self.low[root] = first;
        while let Some((node, tried)) = way.last_mut() {
            let node = *node;
            if let Some(&number) = self.tree_at[node].get(*tried) {
                *tried += 1;
                if number == self.up[node] {
                    continue;
                }
                let link = &self.links[number];
                let child = if link.tail == node { link.head } else { link.tail };
                self.up[child] = number;
                self.low[child] = next;
                way.push((child, 0));
            } else {
                self.lim[node] = next;
                self.postorder[next] = node;
                next += 1;
                way.pop();
            }
        }
    }

    /// What leaves a subtree less what enters it is the sum of that over its nodes, for what runs within counts once each way.
    fn find_cut_values(&mut self) {
        let mut balance = vec![0; self.places.len()];
        for link in self.links {
            balance[link.tail] += link.weight;
            balance[link.head] -= link.weight;
        }
        for &node in &self.postorder {
            let number = self.up[node];
            if number == NONE {
                continue;
            }
            let link = &self.links[number];
            let (parent, sign) = if link.tail == node { (link.head, 1) } else { (link.tail, -1) };
            self.cut[number] = sign * balance[node];
            balance[parent] += balance[node];
        }
    }

    /// A link of the tree with a negative cut value: the most negative of the next few.
    fn leaving(&mut self) -> Option<usize> {
        let n_chosen = self.chosen.len();
        let (mut best, mut n_found) = (None, 0);
        for step in 0..n_chosen {
            let place = (self.next_looked_at + step) % n_chosen;
            let number = self.chosen[place];
            self.n_steps += usize::from(step % 8 == 7);
            if self.cut[number] < 0 {
                if best.is_none_or(|best: usize| self.cut[number] < self.cut[best]) {
                    best = Some(number);
                }
                n_found += 1;
                if n_found == N_COMPARED {
                    self.next_looked_at = place;
                    break;
                }
            }
        }
        best
    }

    /// Of the links that lead from the head's side of a tree link to its tail's, the one with the least slack.
    fn entering(&self, leaving: usize) -> Option<usize> {
        let (root, below_is_tail) = self.below(leaving);
        self.least_slack(root, below_is_tail).map(|(_, number)| number)
    }

    /// Of the links not of the tree that lead into what is below a node, or out of it, the one with the least slack.
    fn least_slack(&self, root: usize, into: bool) -> Option<(i64, usize)> {
        let mut best: Option<(i64, usize)> = None;
        for &node in &self.postorder[self.low[root]..=self.lim[root]] {
            for &number in &self.at[node] {
                let link = &self.links[number];
                let (within, without) = if into { (link.head, link.tail) } else { (link.tail, link.head) };
                if within == node && self.chosen_place[number] == NONE && !self.is_below(without, root) {
                    let slack = self.slack(number);
                    if best.is_none_or(|best| (slack, number) < best) {
                        best = Some((slack, number));
                        if slack == 0 {
                            return best;
                        }
                    }
                }
            }
        }
        best
    }

    /// Moves what is below a tree link so that the link is longer by so much.
    fn lengthen(&mut self, number: usize, by: i64) {
        let (root, below_is_tail) = self.below(number);
        let by = if below_is_tail { -by } else { by };
        for &node in &self.postorder[self.low[root]..=self.lim[root]] {
            self.places[node] += by;
        }
    }

    fn exchange(&mut self, leaving: usize, entering: usize) {
        let slack = self.slack(entering);
        if slack > 0 {
            self.lengthen(leaving, slack);
        }
        let cut = self.cut[leaving];
        let link = self.links[entering];
        let meeting = self.change_cuts_on_the_way(link.tail, link.head, cut, true);
        self.change_cuts_on_the_way(link.head, link.tail, cut, false);
        self.cut[entering] = -cut;
        self.cut[leaving] = 0;

        let place = std::mem::replace(&mut self.chosen_place[leaving], NONE);
        self.chosen[place] = entering;
        self.chosen_place[entering] = place;
        let left = self.links[leaving];
        for end in [left.tail, left.head] {
            self.tree_at[end].retain(|&number| number != leaving);
        }
        for end in [link.tail, link.head] {
            self.tree_at[end].push(entering);
        }
        let (root, _) = self.below(leaving);
        self.n_steps += 1 + self.lim[root] - self.low[root] + self.lim[meeting] - self.low[meeting];
        // The link upward of the meeting stays; those below it are found anew.
        self.number_below(meeting, self.low[meeting]);
    }

    /// Goes up from `from` until `to` is below, and changes the cut values on the way; gives where that is.
    fn change_cuts_on_the_way(&mut self, from: usize, to: usize, cut: i64, outward: bool) -> usize {
        let mut node = from;
        while !self.is_below(to, node) {
            let number = self.up[node];
            let link = &self.links[number];
            let from_tail = link.tail == node;
            self.cut[number] += if from_tail == outward { cut } else { -cut };
            node = if from_tail { link.head } else { link.tail };
        }
        node
    }

    /// Links whose length costs nothing are brought halfway between the lengths that others leave them.
    fn centre(&mut self, max_steps: usize) {
        self.n_steps = 0;
        for _ in 0..3 {
            for place in 0..self.chosen.len() {
                let number = self.chosen[place];
                if self.cut[number] != 0 || self.n_steps > max_steps {
                    continue;
                }
                let (root, below_is_tail) = self.below(number);
                self.n_steps += 1 + self.lim[root] - self.low[root];
                let Some((longer, _)) = self.least_slack(root, below_is_tail) else { continue };
                let own = self.slack(number);
                let shorter = self.least_slack(root, !below_is_tail).map_or(own, |(slack, _)| slack.min(own));
                self.lengthen(number, (longer - shorter) / 2);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(tail: usize, head: usize, weight: i64) -> Link {
        Link { tail, head, shortest: 1, weight }
    }

    fn cost(places: &[i64], links: &[Link]) -> i64 {
        links.iter().map(|link| link.weight * (places[link.head] - places[link.tail])).sum()
    }

    /// Figure 2-4 of the paper: a … h, the longest path above, the rest pulled up to it.
    #[test]
    fn the_example_of_the_paper() {
        let [a, b, c, d, e, f, g, h] = [0, 1, 2, 3, 4, 5, 6, 7];
        let links = [(a, b), (b, c), (c, d), (d, h), (a, e), (a, f), (e, g), (f, g), (g, h)].map(|(tail, head)| link(tail, head, 1));
        // All as late as possible.
        let places = network_simplex(vec![0, 1, 2, 3, 1, 1, 2, 4], &links, 1000);
        assert!(links.iter().all(|link| places[link.head] > places[link.tail]));
        assert_eq!(cost(&places, &links), 10);
    }

    /// Against all places of a small range.
    #[test]
    fn nothing_is_cheaper() {
        let links = [link(0, 1, 1), link(1, 2, 2), link(0, 3, 4), link(3, 4, 1), link(2, 4, 1), link(1, 4, 3), link(0, 4, 1)];
        let places = network_simplex(vec![0, 1, 2, 4, 5], &links, 1000);
        let mut least = i64::MAX;
        for code in 0..6_i64.pow(5) {
            let tried: Vec<i64> = (0..5).map(|node| code / 6_i64.pow(node) % 6).collect();
            if links.iter().all(|link| tried[link.head] > tried[link.tail]) {
                least = least.min(cost(&tried, &links));
            }
        }
        assert!(links.iter().all(|link| places[link.head] > places[link.tail]));
        assert_eq!(cost(&places, &links), least);
    }

    #[test]
    fn what_costs_the_same_anywhere_is_in_the_middle() {
        // 0 and 1 stand ten apart, 2 anywhere between them.
        let links = [
            Link { tail: 0, head: 1, shortest: 10, weight: 5 },
            Link { tail: 0, head: 2, shortest: 0, weight: 1 },
            Link { tail: 2, head: 1, shortest: 0, weight: 1 },
        ];
        let places = network_simplex(vec![0, 30, 0], &links, 1000);
        assert_eq!((places[1] - places[0], places[2] - places[0]), (10, 5));
    }
}
