//! Names of variables and states, numbers, and what is refused in words.

use super::{ask, assert_all_close, assert_close, flu, number, refused, table, value};
use tunbridge_net::Network;
use tunbridge_net::ask::{Engine, Oracle, Outcome, StateRow, Table, Value};

fn dose() -> Oracle {
    let network = Network::builder()
        .variable("Dose", ["0.0", "1.5", "10"])
        .probabilities([0.5, 0.25, 0.25])
        .variable("Reply", ["Yes", "no", "NO"])
        .given(["Dose"])
        .probabilities([0.1, 0.2, 0.7, 0.3, 0.3, 0.4, 0.6, 0.2, 0.2])
        .variable("Sign", ["1e1", "10.0", "-"])
        .probabilities([0.2, 0.3, 0.5])
        .build()
        .unwrap();
    Oracle::of_network(network)
}

#[test]
fn states_are_meant_exactly_else_without_case_else_as_numbers() {
    let oracle = dose();
    assert_eq!(number(&oracle, "P(Dose=0.0)"), 0.5);
    assert_eq!(number(&oracle, "P(Dose=0)"), 0.5);
    assert_eq!(number(&oracle, "P(Dose=-0)"), 0.5);
    assert_eq!(number(&oracle, "P(Dose=1.50)"), 0.25);
    assert_eq!(number(&oracle, "P(Dose=1e1)"), 0.25);
    assert_close(number(&oracle, "P(Reply=YES | Dose=10)"), 0.6, 1e-15);
    // Exactly comes first.
    assert_close(number(&oracle, "P(Reply=no | Dose=10)"), 0.2, 1e-15);
    assert_eq!(refused(&oracle, "P(Reply=No)"), "`No` could be several states of `Reply`: no, NO: write one of them exactly");
    assert_eq!(refused(&oracle, "P(Sign=10)"), "`10` could be several states of `Sign`: 1e1, 10.0: write one of them exactly");
    // Never by place, never what is not finite.
    assert_eq!(refused(&oracle, "P(Dose=2)"), "variable `Dose` has no state `2`\n  known: 0.0, 1.5, 10");
    assert!(refused(&oracle, "P(Dose=nan)").contains("no state `nan`"));
}

#[test]
fn misspelt_names_get_the_nearest_match() {
    let oracle = Oracle::of_network(flu());
    assert_eq!(refused(&oracle, "P(Flue)"), "no variable is named `Flue`: did you mean `Flu`?");
    assert_eq!(refused(&oracle, "P(Flu | Headahce=yes)"), "no variable is named `Headahce`: did you mean `Headache`?");
    assert_eq!(refused(&oracle, "P(flu)"), "no variable is named `flu`: did you mean `Flu`?");
    assert_eq!(refused(&oracle, "P(Xyzzyx)"), "no variable is named `Xyzzyx`");
    assert_eq!(refused(&oracle, "Flu ⟂ Noes"), "no variable is named `Noes`: did you mean `Nose`?");
    assert_eq!(refused(&oracle, "P(Flu | Nose=runy)"), "variable `Nose` has no state `runy`: did you mean `runny`?\n  known: runny, dry");
}

#[test]
fn what_cannot_be_asked_is_refused_in_words() {
    let oracle = Oracle::of_network(flu());
    assert_eq!(refused(&oracle, "P(Flu, Flu)"), "variable `Flu` is named twice: name it once");
    assert_eq!(refused(&oracle, "P(Flu | Nose, Nose)"), "variable `Nose` is named twice: name it once");
    assert_eq!(refused(&oracle, "argmax Flu, Flu"), "variable `Flu` is named twice: name it once");
    assert_eq!(
        refused(&oracle, "P(Flu | do(Nose=dry, Headache=no))"),
        "do(Nose=dry, Headache=no) is an intervention, and those are not answered yet: Nose=dry, Headache=no without do(…) asks for \
         what was only seen"
    );
    assert_eq!(
        refused(&oracle, "E[Flu]"),
        "E[Flu] needs states that are numbers, and `yes` is none: ask P(Flu) for the whole distribution"
    );
    assert_eq!(
        refused(&oracle, "P(Flu | Nose ~ [1])"),
        "`Nose` has 2 states, but 1 number is given: give one for each of runny, dry, or name them: {runny: …}"
    );
    assert_eq!(
        refused(&oracle, "P(Flu | Nose ~ [1, -2])"),
        "the number -2 for `Nose` is below zero: likelihoods and probabilities are not"
    );
    assert_eq!(refused(&oracle, "P(Flu | Nose ~ [0, 0])"), "all numbers for `Nose` are zero: at least one must be above");
    assert_eq!(refused(&oracle, "P(Flu | Nose ~ {runny: 1, runny: 2})"), "the state `runny` of `Nose` is given two numbers: give it one");
    assert_eq!(
        refused(&oracle, "P(Flu | Nose ~ {runny: 1})"),
        "no number is given for dry of `Nose`: name every state, 0 for those that are ruled out"
    );
    assert!(refused(&oracle, "P(Flu | Nose ~ {wet: 1})").starts_with("variable `Nose` has no state `wet`"));
    assert!(refused(&oracle, "P(Flu | Nose :~ [0.7, 0.2])").starts_with("the posterior of `Nose` sums to 0.89"));
}

#[test]
fn named_weights_are_those_in_order() {
    let oracle = Oracle::of_network(flu());
    let in_order = table(&oracle, "P(Flu | Nose ~ [3, 1])");
    assert_eq!(table(&oracle, "P(Flu | Nose ~ {dry: 1, RUNNY: 3})"), in_order);
    // Any scale; products commute; repeated evidence multiplies.
    assert_all_close(&table(&oracle, "P(Flu | Nose ~ [300, 100])"), &in_order, 1e-15);
    assert_all_close(&table(&oracle, "P(Flu | Nose ~ [3, 0.5], Nose ~ [1, 2])"), &in_order, 1e-15);
}

#[test]
fn bare_variables_give_a_table_for_each_state() {
    let oracle = Oracle::of_network(flu());
    let Outcome::EachState { given, rows, ln_p_evidence } = ask(&oracle, "P(Nose | Sinus, Flu=yes)").outcome else { panic!("rows") };
    let nose = oracle.domain().find("Nose").unwrap();
    assert_eq!((given, ln_p_evidence), (vec![oracle.domain().find("Sinus").unwrap()], 0.1_f64.ln()));
    let expected = [(0.9 * 0.2 + 0.8 * 0.8, [0.8, 0.2]), (0.1 * 0.2 + 0.2 * 0.8, [0.3, 0.7])];
    for (place, (row, (p, table))) in rows.iter().zip(expected).enumerate() {
        assert_eq!(row.states, [place]);
        assert_close(row.p, p, 1e-15);
        let Some(Value::Table(Table { variables, probabilities })) = &row.value else { panic!("a table") };
        assert_eq!(variables[..], [nose]);
        assert_all_close(probabilities, &table, 1e-15);
    }
    // Of every kind of answer, and impossible states have none.
    for question in ["P(* | Sinus, Nose=dry)", "mpe | Sinus", "argmax Flu | Sinus, Nose=dry", "P(Flu=yes | Sinus)", "P(Sinus | Sinus)"] {
        let Outcome::EachState { rows, .. } = ask(&oracle, question).outcome else { panic!("{question}") };
        assert_eq!(rows.len(), 2, "{question}");
        assert!(rows.iter().all(|row| row.value.is_some()), "{question}");
    }
    let Outcome::EachState { rows, .. } = ask(&oracle, "P(Flu | Sinus, Allergy, Sinus=yes)").outcome else { panic!("rows") };
    assert_eq!(rows.iter().map(|row| row.value.is_some()).collect::<Vec<_>>(), [true, true, false, false]);
    assert_eq!(rows[3], StateRow { states: vec![1, 1], p: 0.0, value: None });
}

#[test]
fn the_same_variable_may_be_asked_and_given() {
    let oracle = Oracle::of_network(flu());
    assert_eq!(table(&oracle, "P(Flu | Flu=no)"), [0.0, 1.0]);
    assert_eq!(number(&oracle, "P(Flu!=no | Flu=no)"), 0.0);
    assert_eq!(number(&oracle, "P(Flu=yes, Flu=no)"), 0.0);
    let Outcome::EachState { rows, .. } = ask(&oracle, "P(Flu | Flu)").outcome else { panic!("rows") };
    let Some(Value::Table(table)) = &rows[1].value else { panic!("a table") };
    assert_eq!(table.probabilities, [0.0, 1.0]);
}

#[test]
fn events_stand_beside_variables() {
    let oracle = Oracle::of_network(flu());
    let joint = table(&oracle, "P(Flu, Nose, Headache)");
    assert_all_close(&table(&oracle, "P(Flu, Nose=runny)"), &[joint[0] + joint[1], joint[4] + joint[5]], 1e-15);
    assert_close(number(&oracle, "P(Flu=yes, Nose!=runny, Headache=yes)"), joint[2], 1e-15);
    assert_eq!(table(&oracle, "P(Flu, Flu=yes)")[1], 0.0);
}

/// Many events are not asked as one large table.
#[test]
fn twenty_events_at_once() {
    let mut builder = Network::builder();
    for place in 0..20 {
        builder = builder.variable(format!("X{place}"), ["a", "b"]);
        builder = match place {
            0 => builder.probabilities([0.5, 0.5]),
            _ => builder.given([format!("X{}", place - 1)]).probabilities([0.9, 0.1, 0.2, 0.8]),
        };
    }
    let oracle = Oracle::of_network(builder.build().unwrap());
    let all = (0..20).map(|place| format!("X{place}=a")).collect::<Vec<_>>().join(", ");
    assert_close(number(&oracle, &format!("P({all})")), 0.5 * 0.9_f64.powi(19), 1e-14);
    let some = (1..20).map(|place| format!("X{place}=a")).collect::<Vec<_>>().join(", ");
    assert_all_close(&table(&oracle, &format!("P(X0, {some})")), &[0.5 * 0.9_f64.powi(19), 0.5 * 0.2 * 0.9_f64.powi(18)], 1e-14);
    assert_eq!(number(&oracle, &format!("P({all} | X3=b)")), 0.0);
    let Outcome::EachState { rows, .. } = ask(&oracle, &format!("P({some} | X0)")).outcome else { panic!("rows") };
    let numbers: Vec<f64> =
        rows.iter().map(|row| if let Some(Value::Probability(p)) = row.value { p } else { panic!("a number") }).collect();
    assert_all_close(&numbers, &[0.9_f64.powi(19), 0.2 * 0.9_f64.powi(18)], 1e-14);
}

#[test]
fn expectations_are_of_numbers() {
    let oracle = dose();
    let Value::Expectation { mean, sd, .. } = value(&oracle, "E[Dose]") else { panic!("an expectation") };
    let by_hand = 1.5 * 0.25 + 10.0 * 0.25;
    assert_close(mean, by_hand, 1e-15);
    assert_close(sd, (1.5_f64 * 1.5 * 0.25 + 100.0 * 0.25 - by_hand * by_hand).sqrt(), 1e-14);
    assert_eq!(number(&oracle, "E[Dose | Dose=1.5]"), 1.5);
    let Outcome::EachState { rows, .. } = ask(&oracle, "E[Dose | Reply]").outcome else { panic!("rows") };
    let Some(Value::Expectation { mean, .. }) = rows[0].value else { panic!("an expectation") };
    assert_close(mean, (1.5 * 0.25 * 0.3 + 10.0 * 0.25 * 0.6) / (0.5 * 0.1 + 0.25 * 0.3 + 0.25 * 0.6), 1e-14);
}

#[test]
fn engines_say_who_they_are() {
    let network = flu();
    let method = |engine: Engine, question: &str| ask(&Oracle::of_network(network.clone()).with_engine(engine), question).method;
    assert_eq!(method(Engine::Auto, "P(Flu | Nose=dry)"), "exact, variable elimination");
    assert_eq!(method(Engine::Auto, "P(*)"), "exact, junction tree");
    assert_eq!(method(Engine::JunctionTree, "P(Flu, Nose)"), "exact, junction tree");
    assert_eq!(method(Engine::LazyPropagation, "P(* | Nose=dry)"), "exact, lazy propagation");
    assert_eq!(method(Engine::LazyPropagation, "P(Flu | Nose=dry)"), "exact, variable elimination");
    assert_eq!(method(Engine::Elimination, "P(*)"), "exact, bucket-tree elimination");
    assert_eq!(method(Engine::Enumeration, "P(*)"), "exact, enumeration of all configurations");
    assert_eq!(method(Engine::Auto, "mpe"), "exact, max-product elimination");
    assert_eq!(method(Engine::Auto, "Flu ⟂ Nose"), "d-separation in the graph (Bayes ball)");
    assert_eq!(
        method(Engine::Auto, "P(Flu | Nose :~ [1, 0])"),
        "exact, variable elimination; Jeffrey's rule by proportional fitting (one round)"
    );
}
