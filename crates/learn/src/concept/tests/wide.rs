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
