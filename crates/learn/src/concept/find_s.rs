//! FIND-S: the least general hypothesis that covers every positive example.
//!
//! Mitchell 1997, table 2.3. Negative examples are not looked at, so FIND-S cannot tell whether the examples are consistent, nor
//! whether another hypothesis would do as well. In this language of conjunctions the least general hypothesis is always one; it is
//! also the specific boundary S of the version space.

use super::{Examples, Hypothesis, HypothesisSpace};

/// The least general hypothesis that covers every positive example.
///
/// **Complexity**: one pass, rows × attributes.
///
/// ```
/// use tunbridge_learn::concept::{Attribute, Examples, HypothesisSpace, ValueTree, Values, find_s};
/// let sky = ValueTree::flat(&["Sunny".into(), "Rainy".into()]);
/// let wind = ValueTree::flat(&["Strong".into(), "Weak".into()]);
/// let attribute = |name: &str, tree| Attribute { name: name.into(), values: Values::Tree(tree) };
/// let space = HypothesisSpace::new(vec![attribute("Sky", sky), attribute("Wind", wind)])?;
/// let mut examples = Examples::new(2);
/// examples.push(&[0, 0], true, 1);
/// examples.push(&[0, 1], true, 2);
/// assert_eq!(space.written(&find_s(&space, &examples)), "⟨Sunny, ?⟩");
/// # Ok::<(), tunbridge_learn::concept::ConceptError>(())
/// ```
pub fn find_s(space: &HypothesisSpace, examples: &Examples) -> Hypothesis {
    find_s_of(space, examples.instances(true))
}

pub(crate) fn find_s_of<'e>(space: &HypothesisSpace, positive: impl Iterator<Item = &'e [u32]>) -> Hypothesis {
    let mut least = Hypothesis::Nothing;
    for instance in positive {
        if !least.covers(instance) {
            least = space.generalise(&least, instance);
        }
    }
    least
}

/// FIND-S step by step: the hypothesis before any example, and after each of them.
pub fn find_s_steps(space: &HypothesisSpace, examples: &Examples) -> Vec<Hypothesis> {
    let mut steps = vec![Hypothesis::Nothing];
    for example in examples.iter() {
        let last = &steps[steps.len() - 1];
        let next = if example.positive && !last.covers(example.instance) { space.generalise(last, example.instance) } else { last.clone() };
        steps.push(next);
    }
    steps
}
