//! Entropy and mutual information.

use super::{answer, assert_close, flu, number, value};
use tunbridge_net::Network;
use tunbridge_net::ask::{Oracle, Value};

fn h(p: &[f64]) -> f64 {
    p.iter().filter(|p| **p > 0.0).map(|p| -p * p.ln()).sum()
}

#[test]
fn entropies_by_hand() {
    let oracle = Oracle::of_network(flu());
    assert_close(number(&oracle, "H(Flu)"), h(&[0.1, 0.9]), 1e-15);
    assert_close(number(&oracle, "H(Flu, Allergy)"), h(&[0.1, 0.9]) + h(&[0.2, 0.8]), 1e-15);
    assert_close(number(&oracle, "H(Nose | Sinus=yes)"), h(&[0.8, 0.2]), 1e-15);
    // Given a variable that nothing is known of: the average over its states.
    let p_sinus = number(&oracle, "P(Sinus=yes)");
    assert_close(number(&oracle, "H(Nose | Sinus)"), p_sinus * h(&[0.8, 0.2]) + (1.0 - p_sinus) * h(&[0.3, 0.7]), 1e-15);
    assert_eq!(number(&oracle, "H(Flu | Flu)"), 0.0);
    assert_eq!(number(&oracle, "H(Flu | Flu=yes)"), 0.0);
    // The chain rule.
    assert_close(number(&oracle, "H(Flu, Nose)"), number(&oracle, "H(Nose)") + number(&oracle, "H(Flu | Nose)"), 1e-14);
}

#[test]
fn mutual_information_by_hand() {
    let oracle = Oracle::of_network(flu());
    let information = number(&oracle, "I(Flu; Nose)");
    assert_close(information, number(&oracle, "H(Flu)") - number(&oracle, "H(Flu | Nose)"), 1e-14);
    assert_close(information, number(&oracle, "I(Nose; Flu)"), 1e-15);
    assert!(information > 1e-4);
    assert_close(number(&oracle, "I(Flu; Flu)"), number(&oracle, "H(Flu)"), 1e-15);
    assert_close(number(&oracle, "I(Flu; Allergy)"), 0.0, 1e-15);
    assert!(number(&oracle, "I(Flu; Allergy | Sinus=yes)") > 1e-3);
    assert_close(number(&oracle, "I(Flu; Nose | Sinus)"), 0.0, 1e-15);
    // Given a bare variable: the average over its states.
    let p_sinus = number(&oracle, "P(Sinus=yes)");
    let average =
        p_sinus * number(&oracle, "I(Flu; Allergy | Sinus=yes)") + (1.0 - p_sinus) * number(&oracle, "I(Flu; Allergy | Sinus=no)");
    assert_close(number(&oracle, "I(Flu; Allergy | Sinus)"), average, 1e-15);
    assert_close(
        number(&oracle, "I(Flu, Allergy; Nose, Headache)"),
        number(&oracle, "H(Nose, Headache)") - number(&oracle, "H(Nose, Headache | Flu, Allergy)"),
        1e-14,
    );
}

#[test]
fn rounding_never_makes_it_negative() {
    let mut builder = Network::builder();
    for place in 0..5 {
        let p = 0.1 + 0.07 * f64::from(place);
        builder = builder.variable(format!("X{place}"), ["a", "b", "c"]).probabilities([p, 0.3, 0.7 - p]);
    }
    let oracle = Oracle::of_network(builder.build().unwrap());
    for question in ["I(X0; X1)", "I(X0, X1; X2, X3)", "I(X0; X1 | X2)", "I(X4; X1 | X2, X0=a)", "H(X0 | X0)", "H(X1 | X1, X2)"] {
        let nats = number(&oracle, question);
        assert!((0.0..1e-15).contains(&nats), "{question}: {nats}");
    }
}

/// States stand for numbers that a file gives them, whatever their names.
#[test]
fn expectations_are_of_the_numbers_that_states_stand_for() {
    let network = Network::builder().variable("A", ["a1", "a2", "a3"]).probabilities([0.2, 0.5, 0.3]).build().unwrap();
    let oracle = Oracle::of_network(network);
    assert!(answer(&oracle, "E[A]").unwrap_err().to_string().contains("`a1` is none"));
    let Value::Expectation { mean, .. } = value(&oracle.clone().with_state_values(vec![Some(vec![1.0, 2.5, 4.0])]), "E[A]") else {
        panic!("a mean")
    };
    assert_close(mean, 0.2 + 1.25 + 1.2, 1e-15);
    // What has another length is no list of theirs.
    assert!(answer(&oracle.with_state_values(vec![Some(vec![1.0])]), "E[A]").is_err());
}
