//! Spaces too large to list: counts against closed forms, bounds that hold, and Haussler's example.

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

use crate::concept::counting::{count_between, estimate};
use crate::concept::*;

pub(super) fn booleans(n: usize) -> HypothesisSpace {
    let attribute = |at: usize| Attribute { name: format!("x{at}"), values: Values::Tree(ValueTree::flat(&["t".into(), "f".into()])) };
    HypothesisSpace::new((0..n).map(attribute).collect()).unwrap()
}

/// Haussler's example: all attributes true is positive; negative are the instances with just two of them false, a pair after another.
/// Each negative example can be kept out by one attribute or the other: |G| = 2^pairs.
fn haussler(n_pairs: usize) -> Examples {
    let n = 2 * n_pairs;
    let mut examples = Examples::new(n);
    examples.push(&vec![0; n], true, 1);
    for pair in 0..n_pairs {
        let instance: Vec<u32> = (0..n).map(|at| u32::from(at / 2 == pair)).collect();
        examples.push(&instance, false, 2 + pair as u64);
    }
    examples
}

#[test]
fn the_general_boundary_of_hausslers_example_is_bounded_with_a_message() {
    let found = VersionSpace::of(booleans(20), &haussler(10), MAX_BOUNDARY).unwrap();
    assert_eq!(found.general().len(), 1 << 10);
    let fault = VersionSpace::of(booleans(40), &haussler(20), 1000).unwrap_err();
    assert_eq!(fault, ConceptError::BoundaryTooLarge { most: 1000, row: 11 });
    let mut one_by_one = CandidateElimination::new(found.space(), 1000);
    let fault = haussler(10).iter().find_map(|e| one_by_one.observe(e.instance, e.positive, e.row).err());
    assert_eq!(fault, Some(ConceptError::BoundaryTooLarge { most: 1000, row: 11 }));
    // What did not fit changed nothing.
    assert_eq!(one_by_one.general().len(), 512);
}

/// Of each pair of attributes one or both are constrained: 3 ways a pair.
#[test]
fn hausslers_version_space_is_counted_without_listing() {
    for n_pairs in [1, 5, 8] {
        let found = VersionSpace::of(booleans(2 * n_pairs), &haussler(n_pairs), MAX_BOUNDARY).unwrap();
        assert_eq!(found.size(1), Size::Exact(BigUint::from(3_u32).pow(n_pairs as u32)));
        let half: Vec<u32> = (0..2 * n_pairs as u32).map(|at| u32::from(at == 0)).collect();
        assert_eq!(found.n_covering(&half, MOST_WORK), Some(BigUint::from(3_u32).pow(n_pairs as u32 - 1)));
    }
}

#[test]
fn beyond_the_bound_of_work_there_is_an_estimate_that_says_so() {
    let found = VersionSpace::of(booleans(16), &haussler(8), MAX_BOUNDARY).unwrap();
    assert_eq!(count_between(found.space(), found.specific(), found.general(), 1000), None);
    let about = estimate(found.space(), found.specific(), found.general(), 2000, 1);
    let exact = BigUint::from(3_u32).pow(8);
    assert!(about.at_least <= exact && exact <= about.at_most);
    let off = (about.n.to_f64().unwrap() / exact.to_f64().unwrap() - 1.0).abs();
    assert!(off < 4.0 * about.relative_error && about.relative_error < 0.1, "{off} {}", about.relative_error);
}

#[test]
fn votes_that_cannot_be_counted_are_those_of_random_members() {
    let found = VersionSpace::of(booleans(10), &haussler(5), MAX_BOUNDARY).unwrap();
    let voters = found.voters_within(100, 1);
    assert!(matches!(voters.size(), Size::Estimate(_)));
    // Of the first pair the first attribute may not be constrained: one way of three.
    let one_false: Vec<u32> = (0..10).map(|at| u32::from(at == 0)).collect();
    let Verdict::Vote(vote) = found.classify(&one_false, &voters) else { panic!("the members differ") };
    assert!(vote.counted.is_none() && (vote.share - 1.0 / 3.0).abs() < 0.05, "{}", vote.share);
    assert_eq!(found.classify(&one_false, &found.voters_within(100, 1)), Verdict::Vote(vote));
    // What is sure stays sure.
    assert_eq!(found.classify(&[0; 10], &voters), Verdict::SurelyPositive);
    assert_eq!(found.classify(&[1; 10], &voters), Verdict::SurelyNegative);
}

#[test]
fn counts_of_thirty_attributes_are_whole_numbers() {
    let attribute = |at: usize| Attribute { name: format!("x{at}"), values: Values::Tree(ValueTree::flat(&["a".into(), "b".into()])) };
    let mut attributes: Vec<Attribute> = (0..30).map(attribute).collect();
    attributes[0].values = Values::Tree(ValueTree::flat(&["a".into(), "b".into(), "c".into()]));
    let space = HypothesisSpace::new(attributes).unwrap();
    assert_eq!(space.n_syntactic(), BigUint::from(5_u32) * BigUint::from(4_u32).pow(29));
    assert_eq!(space.n_semantic(), BigUint::from(4_u32) * BigUint::from(3_u32).pow(29) + BigUint::one());
    let mut examples = Examples::new(30);
    examples.push(&[0; 30], true, 1);
    let found = VersionSpace::of(space, &examples, MAX_BOUNDARY).unwrap();
    assert_eq!(found.size(1), Size::Exact(BigUint::one() << 30_u32));
    let question = found.best_question(1).unwrap();
    assert_eq!((question.share, question.is_best), (0.5, false));
}

/// Numbers: S is closed on what was seen, and G is open at the negative examples.
#[test]
fn ranges_are_closed_below_and_open_above() {
    let numbers = [3.0, 20.0, 22.5, 25.0, 31.0];
    let range = ValueRange::new(numbers);
    let instance = |x: f64| [range.place(x)];
    let mut examples = Examples::new(1);
    for (x, positive, row) in [(20.0, true, 1), (3.0, false, 2), (31.0, false, 3), (25.0, true, 4)] {
        examples.push(&instance(x), positive, row);
    }
    let space = HypothesisSpace::new(vec![Attribute { name: "t".into(), values: Values::Range(range.clone()) }]).unwrap();
    let found = VersionSpace::of(space, &examples, MAX_BOUNDARY).unwrap();
    assert_eq!(found.space().written(found.specific()), "⟨[20, 25]⟩");
    assert_eq!(found.general().iter().map(|g| found.space().written(g)).collect::<Vec<_>>(), ["⟨(3, 31)⟩"]);
    let voters = found.voters(1);
    // Each end is at the number that was seen or anywhere in the gap behind it.
    assert_eq!(voters.size(), &Size::Exact(4_u32.into()));
    assert_eq!(found.classify(&instance(21.0), &voters), Verdict::SurelyPositive);
    assert_eq!(found.classify(&instance(99.0), &voters), Verdict::SurelyNegative);
    assert!(matches!(found.classify(&instance(10.0), &voters), Verdict::Vote(vote) if vote.share == 0.5));
}

/// Numbers of many rows: the grid is wide, and nothing goes through all its intervals.
#[test]
fn wide_grids_are_counted_in_closed_form() {
    let range = || Values::Range(ValueRange::new((0..20_000).map(f64::from)));
    let attribute = |name: &str| Attribute { name: name.into(), values: range() };
    let space = HypothesisSpace::new(vec![attribute("a"), attribute("b")]).unwrap();
    let mut examples = Examples::new(2);
    examples.push(&[20_001, 20_001], true, 1);
    examples.push(&[10_001, 10_001], false, 2);
    let found = VersionSpace::of(space, &examples, MAX_BOUNDARY).unwrap();
    // Lower and upper ends of each; less those whose lower ends both reach the negative example.
    let ends = BigUint::from(20_002_u32) * BigUint::from(20_000_u32);
    let reaching = BigUint::from(10_002_u32) * BigUint::from(20_000_u32);
    assert_eq!(found.size(1), Size::Exact(&ends * &ends - &reaching * &reaching));
    assert!(found.best_question(1).is_some_and(|q| (q.share - 0.5).abs() < 0.05));
}
