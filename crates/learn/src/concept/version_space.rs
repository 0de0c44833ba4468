//! The version space: every hypothesis that agrees with all examples, held by its boundaries.
//!
//! Mitchell 1997, section 2.5. By the representation theorem (theorem 2.1) its members are the hypotheses h with g ≥ h ≥ s for some
//! s of S and some g of G. An instance that S covers is surely positive, one that no member of G covers is surely negative; of others
//! the members' votes tell.

use std::sync::OnceLock;

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::candidate_elimination::{CandidateElimination, boundaries};
use super::counting::{self, Draws, Size, count_between};
use super::list_then_eliminate::in_order;
use super::span::Span;
use super::{ConceptError, Examples, Hypothesis, HypothesisSpace};

/// All hypotheses between S and G.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionSpace {
    space: HypothesisSpace,
    specific: Hypothesis,
    general: Vec<Hypothesis>,
    max_boundary: usize,
}

/// What the members of a version space say of an instance.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Every member covers it.
    SurelyPositive,
    /// No member covers it.
    SurelyNegative,
    /// The members differ.
    Vote(Vote),
}

/// Votes for an instance, each member of the version space having one.
#[derive(Clone, Debug, PartialEq)]
pub struct Vote {
    /// The share of members that cover it.
    pub share: f64,
    /// How many cover it and how many members there are, where both were counted.
    pub counted: Option<(BigUint, BigUint)>,
}

/// How many members are drawn where counting would take too long; fewer where there are very many attributes or boxes.
pub const DRAWS: usize = 20_000;

impl VersionSpace {
    /// The version space of some examples, by CANDIDATE-ELIMINATION.
    ///
    /// # Errors
    /// When no hypothesis agrees with all examples, naming the one that emptied the space; when G grows beyond `max_boundary`.
    ///
    /// ```
    /// use tunbridge_learn::concept::{Attribute, Examples, HypothesisSpace, ValueTree, Values, VersionSpace};
    /// let tree = |names: [&str; 2]| Values::Tree(ValueTree::flat(&names.map(String::from)));
    /// let space = HypothesisSpace::new(vec![
    ///     Attribute { name: "Sky".into(), values: tree(["Sunny", "Rainy"]) },
    ///     Attribute { name: "Wind".into(), values: tree(["Strong", "Weak"]) },
    /// ])?;
    /// let mut examples = Examples::new(2);
    /// examples.push(&[0, 0], true, 1);
    /// examples.push(&[1, 1], false, 2);
    /// let version_space = VersionSpace::of(space, &examples, 1000)?;
    /// let g: Vec<String> = version_space.general().iter().map(|g| version_space.space().written(g)).collect();
    /// assert_eq!(g, ["⟨Sunny, ?⟩", "⟨?, Strong⟩"]);
    /// assert_eq!(version_space.members(10).unwrap().len(), 3);
    /// # Ok::<(), tunbridge_learn::concept::ConceptError>(())
    /// ```
    pub fn of(space: HypothesisSpace, examples: &Examples, max_boundary: usize) -> Result<Self, ConceptError> {
        let (specific, general) = boundaries(&space, examples, max_boundary)?;
        Ok(Self { space, specific, general, max_boundary })
    }

    /// What the attributes are.
    pub fn space(&self) -> &HypothesisSpace {
        &self.space
    }

    /// S: the least general member.
    pub fn specific(&self) -> &Hypothesis {
        &self.specific
    }

    /// G: the most general members.
    pub fn general(&self) -> &[Hypothesis] {
        &self.general
    }

    /// Takes one more example; `row` is what it is called in an error.
    ///
    /// # Errors
    /// When no hypothesis is left, and when G grows too large. The version space then stays as it was.
    pub fn observe(&mut self, instance: &[u32], positive: bool, row: u64) -> Result<(), ConceptError> {
        let (specific, general) = (self.specific.clone(), self.general.clone());
        let mut candidates = CandidateElimination::resume(&self.space, specific, general, self.max_boundary);
        candidates.observe(instance, positive, row)?;
        (self.specific, self.general) = candidates.into_boundaries();
        Ok(())
    }

    /// Whether a hypothesis is a member: it lies between S and G.
    pub fn contains(&self, hypothesis: &Hypothesis) -> bool {
        hypothesis.is_at_least_as_general_as(&self.specific) && self.general.iter().any(|g| g.is_at_least_as_general_as(hypothesis))
    }

    /// How many members there are: counted, or where that takes too long, estimated from random members.
    pub fn size(&self, seed: u64) -> Size {
        self.voters(seed).size
    }

    fn draw(&self, seed: u64) -> Draws {
        counting::draw(&self.space, &self.specific, &self.general, DRAWS, seed)
    }

    /// Every member, the least general first, if there are no more than `most`.
    pub fn members(&self, most: usize) -> Option<Vec<Hypothesis>> {
        let n = count_between(&self.space, &self.specific, &self.general, counting::MOST_WORK)?;
        if n > BigUint::from(most) {
            return None;
        }
        let mut found = Vec::new();
        if self.specific == Hypothesis::Nothing && !self.general.is_empty() {
            found.push(Hypothesis::Nothing);
        }
        let boxes: Vec<&[Span]> = self.general.iter().filter_map(Hypothesis::spans).collect();
        self.list(boxes, &mut found);
        in_order(&mut found);
        Some(found)
    }

    /// Appends every conjunction that one of the boxes allows. Choices are kept on a list of their own: there can be as many, one below
    /// the other, as there are attributes.
    fn list(&self, boxes: Vec<&[Span]>, found: &mut Vec<Hypothesis>) {
        let attributes = self.space.attributes();
        let mut chosen: Vec<Span> = Vec::with_capacity(attributes.len());
        let mut open: Vec<Choice<'_>> = Vec::new();
        let mut boxes = boxes;
        while !boxes.is_empty() {
            while let Some(attribute) = attributes.get(chosen.len()) {
                let at = chosen.len();
                let lower = self.specific.spans().map(|spans| spans[at]);
                let mut spans: Vec<Span> = boxes.iter().flat_map(|b| attribute.between(lower, b[at])).collect();
                spans.sort_unstable();
                spans.dedup();
                // They are taken from the end.
                spans.reverse();
                match spans.pop() {
                    None => return,
                    // All boxes allow what is the only one.
                    Some(only) if spans.is_empty() => chosen.push(only),
                    Some(first) => {
                        let allow = allowing(&boxes, at, first);
                        open.push(Choice { at, left: spans, boxes: std::mem::replace(&mut boxes, allow) });
                        chosen.push(first);
                    }
                }
            }
            found.push(Hypothesis::Conjunction(chosen.as_slice().into()));
            // Back to the last choice that has something left.
            boxes = Vec::new();
            while let Some(mut choice) = open.pop() {
                if let Some(next) = choice.left.pop() {
                    chosen.truncate(choice.at);
                    chosen.push(next);
                    boxes = allowing(&choice.boxes, choice.at, next);
                    open.push(choice);
                    break;
                }
            }
        }
    }

    /// How many members cover an instance, if counting them takes no more than `most_work` steps: those that would be left if it were
    /// positive.
    pub fn n_covering(&self, instance: &[u32], most_work: u64) -> Option<BigUint> {
        let general: Vec<Hypothesis> = self.general.iter().filter(|g| g.covers(instance)).cloned().collect();
        let specific = self.space.generalise(&self.specific, instance);
        count_between(&self.space, &specific, &general, most_work)
    }

    /// The members as voters: how many they are, found once for any number of instances.
    pub fn voters(&self, seed: u64) -> Voters {
        self.voters_within(counting::MOST_WORK, seed)
    }

    /// The same with another bound on the steps of work that counting them may take.
    pub fn voters_within(&self, most_work: u64, seed: u64) -> Voters {
        let draws = OnceLock::new();
        let size = match count_between(&self.space, &self.specific, &self.general, most_work) {
            Some(n) => Size::Exact(n),
            None => Size::Estimate(draws.get_or_init(|| self.draw(seed)).estimate(&self.specific)),
        };
        Voters { size, draws, most_work, seed }
    }

    /// What the members say of an instance.
    pub fn classify(&self, instance: &[u32], voters: &Voters) -> Verdict {
        if self.specific.covers(instance) {
            return Verdict::SurelyPositive;
        }
        if !self.general.iter().any(|g| g.covers(instance)) {
            return Verdict::SurelyNegative;
        }
        let counted = match &voters.size {
            // Counting is done for every instance, so it may take less.
            Size::Exact(all) => self.n_covering(instance, voters.most_work / 10).map(|covering| (covering, all.clone())),
            Size::Estimate(_) => None,
        };
        Verdict::Vote(match counted {
            Some((covering, all)) => Vote { share: ratio(&covering, &all), counted: Some((covering, all)) },
            None => Vote { share: voters.draws.get_or_init(|| self.draw(voters.seed)).share_covering(instance), counted: None },
        })
    }
}

/// An attribute of which several constraints are allowed.
struct Choice<'c> {
    at: usize,
    /// Those that were not taken yet, the next one last.
    left: Vec<Span>,
    /// The boxes that allow what was chosen before.
    boxes: Vec<&'c [Span]>,
}

/// The boxes that allow a constraint.
fn allowing<'b>(boxes: &[&'b [Span]], at: usize, span: Span) -> Vec<&'b [Span]> {
    boxes.iter().copied().filter(|b| b[at].includes(span)).collect()
}

/// The members of a version space as voters.
#[derive(Clone, Debug)]
pub struct Voters {
    size: Size,
    /// Members that stand for all, once they cannot be counted.
    draws: OnceLock<Draws>,
    most_work: u64,
    seed: u64,
}

impl Voters {
    /// How many there are.
    pub fn size(&self) -> &Size {
        &self.size
    }
}

/// One whole number by another, as a double.
pub(crate) fn ratio(part: &BigUint, whole: &BigUint) -> f64 {
    // Both are brought down to what a double holds.
    let shift = whole.bits().saturating_sub(1000);
    let [part, whole] = [part, whole].map(|n| (n >> shift).to_f64().unwrap_or(0.0));
    if whole > 0.0 { part / whole } else { 0.0 }
}
