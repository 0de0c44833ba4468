//! Tables of very many columns: nothing goes as deep as there are attributes, and the work is bounded.

use super::large::booleans;
use crate::concept::*;

#[test]
fn an_error_does_not_print_sixty_thousand_digits() {
    let mut examples = Examples::new(200_000);
    examples.push(&vec![0; 200_000], true, 1);
    let fault = BayesianVersionSpace::of(&booleans(200_000), &examples, 0.1, HypothesisPrior::Uniform, MOST_HYPOTHESES).unwrap_err();
    assert_eq!(fault.to_string(), "there are about 1.8e95424 hypotheses, and one by one only 1000000 are looked at");
}
