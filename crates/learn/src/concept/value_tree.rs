//! Trees of values: a constraint is any node, and more general is nearer to the root.
//!
//! A plain category is a tree of one level: `?` above, its states below. In a hierarchy the inner nodes have names of their own, as
//! in `Dry` above `Sunny` and `Cloudy` (Mitchell 1997, exercise 2.4 and section 2.6; Haussler 1988 calls them tree-structured
//! attributes).
//!
//! A state that nobody declared may still come. Every inner node therefore has one more place, behind its children, for what else
//! there could be: so a node with one child is more general than the child, and a value that is not known satisfies `?` alone.

use super::span::Span;
use super::{ConceptError, list};

/// A branch of a hierarchy as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Branch {
    /// A state.
    Leaf(String),
    /// A name for several branches.
    Node(String, Vec<Branch>),
}

/// The tree of an attribute's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueTree {
    /// In pre-order: the root, which is `?`, comes first, and children come behind their parents.
    nodes: Vec<Node>,
    /// The node of each place: a leaf, or the inner node of which it is the further value.
    node_of_place: Vec<u32>,
    /// The place of each state, by its code.
    place_of_state: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    name: String,
    span: Span,
    /// The root is its own parent.
    parent: u32,
    children: Vec<u32>,
}

impl ValueTree {
    /// The tree of one level over these states.
    pub fn flat(states: &[String]) -> Self {
        let mut tree = Self { nodes: Vec::new(), node_of_place: Vec::new(), place_of_state: Vec::new() };
        tree.add("?", 0, states.iter().map(|state| Branch::Leaf(state.clone())).collect());
        tree.place_of_state = (0..states.len() as u32).collect();
        tree
    }

    /// The tree of these branches under `?`. States that are in no branch hang under `?` themselves.
    ///
    /// # Errors
    /// When a name occurs twice, a leaf is no state, an inner node has the name of a state, or an inner node has no branch.
    pub fn new(states: &[String], branches: Vec<Branch>) -> Result<Self, ConceptError> {
        let (mut leaves, mut inner) = (Vec::new(), Vec::new());
        names(&branches, &mut leaves, &mut inner)?;
        let fault = |what: String| Err(ConceptError::NotATree { what });
        let mut all: Vec<&String> = leaves.iter().chain(&inner).collect();
        all.sort();
        if let Some(twice) = all.windows(2).find(|pair| pair[0] == pair[1]) {
            return fault(format!("`{}` is in it twice", twice[0]));
        }
        if let Some(strange) = leaves.iter().find(|leaf| !states.contains(leaf)) {
            return fault(format!("`{strange}` is no state (known: {})", list(states)));
        }
        if let Some(both) = inner.iter().find(|name| states.contains(name)) {
            return fault(format!("`{both}` names a branch and is a value as well; values are leaves"));
        }
        let others = states.iter().filter(|state| !leaves.contains(state)).map(|state| Branch::Leaf(state.clone()));
        let branches: Vec<Branch> = branches.into_iter().chain(others).collect();
        let mut tree = Self { nodes: Vec::new(), node_of_place: Vec::new(), place_of_state: vec![0; states.len()] };
        tree.add("?", 0, branches);
        for node in tree.nodes.iter().filter(|node| node.children.is_empty()) {
            if let Some(state) = states.iter().position(|state| *state == node.name) {
                tree.place_of_state[state] = node.span.first;
            }
        }
        Ok(tree)
    }

    fn add(&mut self, name: &str, parent: u32, branches: Vec<Branch>) -> u32 {
        let (id, first) = (self.nodes.len() as u32, self.node_of_place.len() as u32);
        self.nodes.push(Node { name: name.into(), span: Span::of(first), parent, children: Vec::new() });
        for branch in branches {
            let child = match branch {
                Branch::Leaf(name) => {
                    let (child, place) = (self.nodes.len() as u32, self.node_of_place.len() as u32);
                    self.nodes.push(Node { name, span: Span::of(place), parent: id, children: Vec::new() });
                    self.node_of_place.push(child);
                    child
                }
                Branch::Node(name, branches) => self.add(&name, id, branches),
            };
            self.nodes[id as usize].children.push(child);
        }
        self.nodes[id as usize].span.last = self.node_of_place.len() as u32;
        self.node_of_place.push(id);
        id
    }

    /// How many constraints there are besides ∅: the nodes.
    pub fn n_spans(&self) -> u64 {
        self.nodes.len() as u64
    }

    /// The constraints, the root first.
    pub fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        self.nodes.iter().map(|node| node.span)
    }

    /// How many places there are, the further values of inner nodes among them.
    pub fn n_places(&self) -> u32 {
        self.node_of_place.len() as u32
    }

    /// Where a state stands; a code that is no known state's stands where only `?` covers it.
    pub fn place(&self, state: usize) -> u32 {
        self.place_of_state.get(state).copied().unwrap_or(self.n_places() - 1)
    }

    /// The places of the known states, in the order of their codes.
    pub fn state_places(&self) -> &[u32] {
        &self.place_of_state
    }

    /// What a person reads: the name of the node.
    pub fn name(&self, span: Span) -> &str {
        &self.nodes[self.node(span)].name
    }

    /// The branches under `?`, as in `Dry(Sunny, Cloudy), Wet(Rainy)`; no more than so many names.
    pub fn outline(&self, most: usize) -> String {
        let mut left = most;
        self.outline_below(0, &mut left)
    }

    fn outline_below(&self, node: usize, left: &mut usize) -> String {
        let mut parts = Vec::new();
        for child in &self.nodes[node].children {
            if *left == 0 {
                parts.push("…".into());
                break;
            }
            *left -= 1;
            let child = *child as usize;
            let name = &self.nodes[child].name;
            let is_leaf = self.nodes[child].children.is_empty();
            parts.push(if is_leaf { name.clone() } else { format!("{name}({})", self.outline_below(child, left)) });
        }
        parts.join(", ")
    }

    /// The least general node that covers both: the lowest common ancestor.
    pub fn join(&self, span: Span, place: u32) -> Span {
        let covers = |span: &Span| span.covers(place);
        self.ancestors(span).find(covers).unwrap_or(self.nodes[0].span)
    }

    /// The node and what is above it, up to the root.
    pub fn ancestors(&self, span: Span) -> impl Iterator<Item = Span> + '_ {
        let mut at = Some(self.node(span));
        std::iter::from_fn(move || {
            let node = &self.nodes[at?];
            at = at.filter(|at| *at > 0).map(|_| node.parent as usize);
            Some(node.span)
        })
    }

    /// The most general nodes below a node that do not cover a place: all that branches off on the way down to it.
    pub fn specialisations(&self, span: Span, place: u32) -> Vec<Span> {
        let mut found = Vec::new();
        let mut at = self.node(span);
        loop {
            let mut below = None;
            for &child in &self.nodes[at].children {
                let span = self.nodes[child as usize].span;
                if span.covers(place) { below = Some(child as usize) } else { found.push(span) }
            }
            match below {
                Some(child) => at = child,
                None => return found,
            }
        }
    }

    /// The node of a constraint. Nodes have different runs, since an inner one has a place of its own.
    fn node(&self, span: Span) -> usize {
        let mut at = self.node_of_place[span.first as usize] as usize;
        while at > 0 && !self.nodes[at].span.includes(span) {
            at = self.nodes[at].parent as usize;
        }
        at
    }
}

fn names(branches: &[Branch], leaves: &mut Vec<String>, inner: &mut Vec<String>) -> Result<(), ConceptError> {
    for branch in branches {
        match branch {
            Branch::Leaf(name) => leaves.push(name.clone()),
            Branch::Node(name, below) if below.is_empty() => {
                return Err(ConceptError::NotATree { what: format!("the branch `{name}` has nothing below it") });
            }
            Branch::Node(name, _) if name == "?" => {
                return Err(ConceptError::NotATree { what: "`?` is the root, and no branch can be named so".into() });
            }
            Branch::Node(name, below) => {
                inner.push(name.clone());
                names(below, leaves, inner)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    fn weather() -> ValueTree {
        let leaf = |name: &str| Branch::Leaf(name.into());
        let dry = Branch::Node("Dry".into(), vec![leaf("Sunny"), leaf("Cloudy")]);
        ValueTree::new(&states(&["Rainy", "Sunny", "Cloudy", "Odd"]), vec![dry, Branch::Node("Wet".into(), vec![leaf("Rainy")])]).unwrap()
    }

    #[test]
    fn the_next_more_general_constraint_is_the_lowest_common_ancestor() {
        let tree = weather();
        let [rainy, sunny, cloudy, odd] = [0, 1, 2, 3].map(|state| tree.place(state));
        assert_eq!(tree.name(tree.join(Span::of(sunny), sunny)), "Sunny");
        assert_eq!(tree.name(tree.join(Span::of(sunny), cloudy)), "Dry");
        assert_eq!(tree.name(tree.join(Span::of(sunny), rainy)), "?");
        assert_eq!(tree.name(tree.join(Span::of(odd), rainy)), "?");
        // What nobody declared is covered by the root alone.
        assert_eq!(tree.name(tree.join(Span::of(sunny), tree.place(9))), "?");
    }

    #[test]
    fn the_next_more_special_constraints_branch_off_on_the_way_down() {
        let tree = weather();
        let root = tree.spans().next().unwrap();
        let below = tree.specialisations(root, tree.place(1));
        assert_eq!(below.iter().map(|span| tree.name(*span)).collect::<Vec<_>>(), ["Wet", "Odd", "Cloudy"]);
        assert_eq!(tree.n_spans(), 7);
        assert_eq!([tree.outline(9), tree.outline(3)], ["Dry(Sunny, Cloudy), Wet(Rainy), Odd", "Dry(Sunny, Cloudy), …"]);
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let all = states(&["a", "b"]);
        let node = |name: &str, leaves: &[&str]| Branch::Node(name.into(), leaves.iter().map(|l| Branch::Leaf(l.to_string())).collect());
        for (branches, says) in [
            (vec![node("x", &["a", "a"])], "twice"),
            (vec![node("x", &["a"]), node("x", &["b"])], "twice"),
            (vec![node("x", &["c"])], "`c` is no state"),
            (vec![node("a", &["b"])], "values are leaves"),
            (vec![node("x", &[])], "nothing below"),
            (vec![node("?", &["a"])], "root"),
        ] {
            let fault = ValueTree::new(&all, branches).unwrap_err().to_string();
            assert!(fault.contains(says), "{fault}");
        }
    }
}
