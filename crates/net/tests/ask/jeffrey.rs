//! Jeffrey's rule: `:~` says what the posterior shall be.

use super::brute::Worlds;
use super::{ask, assert_all_close, assert_close, flu, number, refused, table};
use tunbridge_net::ask::{Oracle, Outcome, Question, Value};
use tunbridge_net::{Network, VarId};

/// Jeffrey 1965: P'(A) = Σ P(A | b) P'(b).
#[test]
fn one_posterior_is_jeffreys_sum() {
    let oracle = Oracle::of_network(flu());
    let (runny, dry) = (number(&oracle, "P(Flu=yes | Nose=runny)"), number(&oracle, "P(Flu=yes | Nose=dry)"));
    assert_close(number(&oracle, "P(Flu=yes | Nose :~ [0.7, 0.3])"), 0.7 * runny + 0.3 * dry, 1e-15);
    assert_all_close(&table(&oracle, "P(Nose | Nose :~ [0.7, 0.3])"), &[0.7, 0.3], 1e-15);
    assert_close(number(&oracle, "P(Flu=yes | Nose :~ {dry: 1, runny: 0})"), dry, 1e-15);
    // With other evidence the posterior is that given all of it.
    let (runny, dry) = (number(&oracle, "P(Flu=yes | Nose=runny, Headache=yes)"), number(&oracle, "P(Flu=yes | Nose=dry, Headache=yes)"));
    assert_close(number(&oracle, "P(Flu=yes | Headache=yes, Nose :~ [0.7, 0.3])"), 0.7 * runny + 0.3 * dry, 1e-15);
    // The probability of the evidence is that of the other evidence: a posterior is no event.
    let Outcome::Found { ln_p_evidence, .. } = ask(&oracle, "P(Flu | Headache=yes, Nose :~ [0.7, 0.3])").outcome else { panic!("a table") };
    assert_close(ln_p_evidence, number(&oracle, "P(Headache=yes)").ln(), 1e-14);
}

#[test]
fn several_posteriors_hold_together() {
    let network = flu();
    let oracle = Oracle::of_network(network.clone());
    let question = "P(* | Nose :~ [0.9, 0.1], Flu :~ [0.25, 0.75], Allergy :~ [0.5, 0.5], Headache!=yes)";
    let Outcome::Found { value: Value::Marginals(found), .. } = ask(&oracle, question).outcome else { panic!("marginals") };
    assert_all_close(&found[0], &[0.25, 0.75], 1e-14);
    assert_all_close(&found[1], &[0.5, 0.5], 1e-14);
    assert_all_close(&found[4], &[0.9, 0.1], 1e-14);
    let mut worlds = Worlds::of(&network);
    worlds.observe(&Question::resolve(network.domain(), &question.parse().unwrap()).unwrap().findings).unwrap();
    network.dag().variables().for_each(|variable| assert_all_close(&found[variable.index()], &worlds.marginal(variable), 1e-13));
    // The order in which they are given does not matter.
    let other = "P(* | Headache!=yes, Allergy :~ [0.5, 0.5], Nose :~ [0.9, 0.1], Flu :~ [0.25, 0.75])";
    let Outcome::Found { value: Value::Marginals(again), .. } = ask(&oracle, other).outcome else { panic!("marginals") };
    found.iter().zip(&again).for_each(|(found, again)| assert_all_close(found, again, 1e-13));
}

#[test]
fn every_kind_of_question_follows_jeffreys_rule() {
    let network = flu();
    let oracle = Oracle::of_network(network.clone());
    let mut worlds = Worlds::of(&network);
    let given = "Nose :~ [0.9, 0.1], Headache :~ [0.2, 0.8]";
    worlds.observe(&Question::resolve(network.domain(), &format!("P(*|{given})").parse().unwrap()).unwrap().findings).unwrap();
    let [flu, allergy, sinus] = [0, 1, 2].map(VarId::new);
    assert_all_close(&table(&oracle, &format!("P(Flu, Sinus | {given})")), &worlds.joint(&[flu, sinus]), 1e-13);
    assert_close(number(&oracle, &format!("H(Flu, Sinus | {given})")), worlds.entropy(&[flu, sinus]), 1e-12);
    let Outcome::Found { value: Value::Best(best), .. } = ask(&oracle, &format!("argmax:2 Flu, Allergy | {given}")).outcome else {
        panic!("best")
    };
    for (found, (states, p)) in best.iter().zip(worlds.best(&[flu, allergy], 2)) {
        assert_eq!(found.states.iter().map(|(_, state)| *state).collect::<Vec<_>>(), states);
        assert_close(found.p, p, 1e-13);
        // No other evidence: the joint probability is the posterior's.
        assert_close(found.log_p_joint, p.ln(), 1e-12);
    }
    let joint = worlds.joint(&[sinus, flu]);
    let Outcome::EachState { rows, .. } = ask(&oracle, &format!("P(Flu | Sinus, {given})")).outcome else { panic!("rows") };
    let Some(Value::Table(found)) = &rows[0].value else { panic!("a table") };
    assert_all_close(&found.probabilities, &[joint[0] / (joint[0] + joint[1]), joint[1] / (joint[0] + joint[1])], 1e-13);
}

#[test]
fn posteriors_that_cannot_be_are_refused() {
    let network = Network::builder()
        .variable("A", ["x", "y", "never"])
        .probabilities([0.5, 0.5, 0.0])
        .variable("B", ["x", "y"])
        .given(["A"])
        .probabilities([1.0, 0.0, 0.0, 1.0, 0.5, 0.5])
        .build()
        .unwrap();
    let oracle = Oracle::of_network(network);
    assert_eq!(
        refused(&oracle, "P(B | A :~ [0.5, 0.3, 0.2])"),
        "`A :~ …` asks for probability 0.2 of `A=never`, which the model and the other findings make impossible: give it 0, or leave a \
         finding out"
    );
    assert!(refused(&oracle, "P(B | A :~ [0.5, 0.5, 0], B=x)").contains("asks for probability 0.5 of `A=y`"));
    // A and B are the same thing, and cannot have different posteriors.
    let together = refused(&oracle, "P(B | A :~ [0.5, 0.5, 0], B :~ [0.25, 0.75])");
    assert!(together.starts_with("no distribution of this model has these posteriors together: A :~ [0.5, 0.5, 0.0], B :~ [0.25, 0.75] ("));
    assert!(refused(&oracle, "P(B | A :~ [1, 0, 0], B :~ [0, 1])").starts_with("no distribution of this model"));
    assert_all_close(&table(&oracle, "P(A | A :~ [0.25, 0.75, 0], B :~ [0.25, 0.75])"), &[0.25, 0.75, 0.0], 1e-14);
    assert!(refused(&oracle, "P(B | A :~ [1, 0, 0], A :~ [1, 0, 0])").starts_with("`A` is given two posteriors with `:~`"));
    // The other evidence is impossible: that is an answer.
    assert!(matches!(ask(&oracle, "P(B | A=never, B :~ [0.5, 0.5])").outcome, Outcome::Impossible { .. }));
}
