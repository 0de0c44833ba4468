//! Tables of very many columns: nothing goes as deep as there are attributes, and the work is bounded.

use num_bigint::BigUint;

use super::large::booleans;
use crate::concept::*;

#[test]
fn an_error_does_not_print_sixty_thousand_digits() {
    let mut examples = Examples::new(200_000);
    examples.push(&vec![0; 200_000], true, 1);
    let fault = BayesianVersionSpace::of(&booleans(200_000), &examples, 0.1, HypothesisPrior::Uniform, MOST_HYPOTHESES).unwrap_err();
    assert_eq!(fault.to_string(), "there are about 1.8e95424 hypotheses, and one by one only 1000000 are looked at");
}

/// Two positive rows that differ everywhere: S and G are both ⟨?, …, ?⟩, and the version space has one member.
#[test]
fn a_forced_constraint_costs_no_depth() {
    let n = 40_000;
    let mut examples = Examples::new(n);
    examples.push(&vec![0; n], true, 1);
    examples.push(&vec![1; n], true, 2);
    let found = VersionSpace::of(booleans(n), &examples, MAX_BOUNDARY).unwrap();
    assert_eq!(found.size(1), Size::Exact(1_u32.into()));
    assert_eq!(found.members(10), Some(vec![found.space().most_general()]));
    assert_eq!(found.best_question(1), None);
}

/// Two boxes that differ on every attribute: as many choices one below the other as there are attributes.
#[test]
fn counting_goes_as_deep_as_it_must() {
    let n = 3_000;
    let space = booleans(n);
    let (any, only) = (space.attributes()[0].anything(), Span::of(0));
    let one = |odd: usize| Hypothesis::Conjunction((0..n).map(|at| if at % 2 == odd { any } else { only }).collect());
    let specific = Hypothesis::Conjunction(vec![only; n].into());
    // Each has 2^(n/2) members, and S alone is in both.
    let both = (BigUint::from(1_u32) << (n / 2 + 1)) - 1_u32;
    assert_eq!(count_between(&space, &specific, &[one(0), one(1)], MOST_WORK), Some(both));
}

/// Attributes of which nothing is known have one constraint, `?`.
#[test]
fn attributes_without_values_cost_no_depth() {
    let n = 100_000;
    let attribute = |at: usize| {
        let states = if at == n / 2 { vec!["t".to_string()] } else { Vec::new() };
        Attribute { name: format!("x{at}"), values: Values::Tree(ValueTree::flat(&states)) }
    };
    let space = HypothesisSpace::new((0..n).map(attribute).collect()).unwrap();
    let mut examples = Examples::new(n);
    examples.push(&vec![0; n], true, 1);
    let posterior = BayesianVersionSpace::of(&space, &examples, 0.1, HypothesisPrior::Uniform, 10).unwrap();
    assert_eq!(posterior.n_hypotheses(), 3);
    // Two of three hypotheses cover it, and what covers nothing is wrong about the example: 0.9 + 0.9 against 0.1.
    assert!((posterior.p_positive(&vec![0; n]) - 1.8 / 1.9).abs() < 1e-12);
}

/// One positive and one negative row that differ everywhere: G constrains one attribute each, and all but one of 2^n agree.
fn all_different(n: usize) -> VersionSpace {
    let mut examples = Examples::new(n);
    examples.push(&vec![0; n], true, 1);
    examples.push(&vec![1; n], false, 2);
    VersionSpace::of(booleans(n), &examples, MAX_BOUNDARY).unwrap()
}

#[test]
fn rows_that_differ_everywhere_are_counted_or_estimated_in_bounded_work() {
    let few = all_different(100);
    assert_eq!(few.size(1), Size::Exact((BigUint::from(1_u32) << 100) - 1_u32));
    let many = all_different(450);
    assert_eq!(many.general().len(), 450);
    assert_eq!(count_between(many.space(), many.specific(), many.general(), MOST_WORK), None);
    let about = estimate(many.space(), many.specific(), many.general(), 500, 1);
    assert!(about.at_least <= about.n && about.n <= about.at_most);
    assert!(about.n_draws == 500 && about.relative_error < 0.01);
    let question = many.best_question(1).unwrap();
    assert!((question.share - 0.5).abs() < 0.1 && !question.is_best, "{}", question.share);
}

/// One positive row: any one attribute halves the version space, and the first is taken.
#[test]
fn one_row_of_very_many_columns_has_a_question_that_halves() {
    let n = 40_000;
    let mut examples = Examples::new(n);
    examples.push(&vec![0; n], true, 1);
    let found = VersionSpace::of(booleans(n), &examples, MAX_BOUNDARY).unwrap();
    assert_eq!(found.size(1), Size::Exact(BigUint::from(1_u32) << n));
    let question = found.best_question(1).unwrap();
    assert_eq!((question.share, question.instance.iter().sum::<u32>()), (0.5, 1));
}

/// A wider table draws fewer members, and the estimate says how many.
#[test]
fn the_work_of_drawing_is_bounded() {
    let of = |n: usize| crate::concept::counting::n_draws_within(n, n, DRAWS);
    assert_eq!([10, 1_000, 10_000, 1_000_000].map(of), [DRAWS, 6_000, 600, 200]);
    assert_eq!(crate::concept::counting::n_draws_within(20, 1_000_000, DRAWS), 399);
}

/// A second negative row narrows half of G in half of the ways, all of which lie below the other half.
#[test]
fn what_lies_below_the_rest_of_g_is_not_made() {
    let n = 1_000;
    let mut version_space = all_different(n);
    let half: Vec<u32> = (0..n as u32).map(|at| at % 2).collect();
    version_space.observe(&half, false, 3).unwrap();
    assert_eq!(version_space.general().len(), n / 2);
    assert!(version_space.general().iter().all(|g| !g.covers(&half)));
}

#[test]
fn a_boundary_of_a_very_wide_table_is_refused_before_it_fills_the_memory() {
    let n = 200_000;
    let mut examples = Examples::new(n);
    examples.push(&vec![0; n], true, 1);
    examples.push(&vec![1; n], false, 2);
    let fault = VersionSpace::of(booleans(n), &examples, MAX_BOUNDARY).unwrap_err();
    assert_eq!(fault, ConceptError::BoundaryTooLarge { most: 671, row: 2 });
}
