//! A junction tree as SVG: cliques as round boxes, separators as square ones on the lines between them.

use super::node::{Kind, Node};
use super::svg::Picture;
use super::{Direction, DrawingError};
use belief::VarId;

/// Draws a junction tree: the variables of each clique, and for each line of the tree a clique, its parent and what they share, as
/// [`crate::JunctionTree::cliques`] and [`crate::JunctionTree::separators`] have them.
///
/// # Errors
/// When the tree speaks of variables or cliques that are not there, or is none.
pub fn junction_tree_svg(
    names: &[String],
    cliques: &[&[VarId]],
    separators: &[(usize, usize, &[VarId])],
    direction: Direction,
) -> Result<String, DrawingError> {
    let named = |variables: &[VarId]| -> Result<Vec<&str>, DrawingError> {
        let unknown = |variable: &VarId| DrawingError::NoSuchPlace { what: "variable", place: variable.index() };
        variables.iter().map(|variable| names.get(variable.index()).map(String::as_str).ok_or_else(|| unknown(variable))).collect()
    };
    let mut nodes = Vec::with_capacity(cliques.len() + separators.len());
    for clique in cliques {
        nodes.push(Node::of_names(&named(clique)?, Kind::Clique));
    }
    let mut arcs = Vec::with_capacity(2 * separators.len());
    let mut titles = Vec::with_capacity(arcs.capacity());
    let mut parent_of = vec![None; cliques.len()];
    for &(child, parent, separator) in separators {
        if let Some(place) = [child, parent].into_iter().find(|&place| place >= cliques.len()) {
            return Err(DrawingError::NoSuchPlace { what: "clique", place });
        }
        if parent_of[child].replace(parent).is_some() {
            return Err(DrawingError::NotATree);
        }
        let line = nodes.len();
        let shared = named(separator)?;
        arcs.extend([(parent, line), (line, child)]);
        titles.extend([shared.join(", "), shared.join(", ")]);
        nodes.push(Node::of_names(&shared, Kind::Separator));
    }
    // Who goes up from a clique comes to a root before all cliques are passed, if there is no cycle.
    let ends = |clique: usize| std::iter::successors(Some(clique), |&at| parent_of[at]).take(cliques.len() + 1).count() <= cliques.len();
    if !(0..cliques.len()).all(ends) {
        return Err(DrawingError::NotATree);
    }
    let told = format!("{} cliques and {} separators", cliques.len(), separators.len());
    Ok(Picture::laid_out(&nodes, &arcs, direction).svg(&nodes, &titles, ["Junction tree", &told], false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_drawn_and_what_is_none_is_not() {
        let names = ["A", "B", "C", "D"].map(String::from);
        let [a, b, c, d] = [0, 1, 2, 3].map(VarId::new);
        let cliques: [&[VarId]; 3] = [&[a, b], &[b, c], &[c, d]];
        let picture = junction_tree_svg(&names, &cliques, &[(1, 0, &[b]), (2, 1, &[c])], Direction::Right).unwrap();
        assert_eq!(picture.matches("rx=\"11\"").count(), 3);
        assert!(picture.contains(">A, B</text>") && picture.contains("3 cliques and 2 separators"));
        let draw = |separators: &[(usize, usize, &[VarId])]| junction_tree_svg(&names, &cliques, separators, Direction::Down);
        assert_eq!(draw(&[(1, 0, &[b]), (0, 1, &[b])]), Err(DrawingError::NotATree));
        assert_eq!(draw(&[(1, 0, &[b]), (1, 2, &[c])]), Err(DrawingError::NotATree));
        assert_eq!(draw(&[(1, 7, &[b])]), Err(DrawingError::NoSuchPlace { what: "clique", place: 7 }));
        assert_eq!(draw(&[(1, 0, &[VarId::new(9)])]), Err(DrawingError::NoSuchPlace { what: "variable", place: 9 }));
    }
}
