//! The language of questions: the examples of its definition, names of every kind, faults with their place, and any text at all.

use proptest::prelude::*;
use tunbridge_net::query::{Assignment, Given, Query, Target, Targets, Weights};

fn parsed(text: &str) -> Query {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn is(variable: &str, state: &str) -> Assignment {
    Assignment { variable: variable.into(), state: state.into() }
}

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}

#[test]
fn the_examples_of_the_definition() {
    let flu = || Targets::These(vec![Target::Variable("Flu".into())]);
    assert_eq!(parsed("P(Flu | Headache=yes)"), Query::Probability { targets: flu(), given: vec![Given::Is(is("Headache", "yes"))] });
    assert_eq!(
        parsed("argmax Flu, Allergy | Nose=runny"),
        Query::Argmax { n_best: 1, variables: texts(&["Flu", "Allergy"]), given: vec![Given::Is(is("Nose", "runny"))] }
    );
    assert_eq!(parsed("mpe | Headache=yes"), Query::MostProbableExplanation { n_best: 1, given: vec![Given::Is(is("Headache", "yes"))] });
    assert_eq!(parsed("mpe:3"), Query::MostProbableExplanation { n_best: 3, given: vec![] });
    let separated = Query::Independence { first: texts(&["Flu"]), second: texts(&["Nose"]), given: texts(&["Sinus"]) };
    assert_eq!(parsed("Flu ⟂ Nose | Sinus"), separated);
    assert_eq!(parsed("Flu _||_ Nose|Sinus"), separated);
    assert_eq!(
        parsed("P(Lung | do(Smoking=no))"),
        Query::Probability {
            targets: Targets::These(vec![Target::Variable("Lung".into())]),
            given: vec![Given::Do(vec![is("Smoking", "no")])]
        }
    );
    let soft = Given::Likelihood { variable: "Nose".into(), weights: Weights::InOrder(vec![0.7, 0.3]) };
    assert_eq!(parsed("P(* | Nose ~ [0.7, 0.3])"), Query::Probability { targets: Targets::All, given: vec![soft] });
    assert_eq!(parsed("E[Weight | Sex=f]"), Query::Expectation { variable: "Weight".into(), given: vec![Given::Is(is("Sex", "f"))] });
    assert_eq!(
        parsed("I(Flu; Nose | Sinus=yes)"),
        Query::MutualInformation { first: texts(&["Flu"]), second: texts(&["Nose"]), given: vec![Given::Is(is("Sinus", "yes"))] }
    );
    assert_eq!(parsed("H(A,B)"), Query::Entropy { variables: texts(&["A", "B"]), given: vec![] });
}

#[test]
fn names_and_states_of_every_kind() {
    let given = |text: &str| match parsed(&format!("P(X | {text})")) {
        Query::Probability { given, .. } => given,
        other => panic!("{other:?}"),
    };
    assert_eq!(given("A=<5, B=>=5, C=0, D=-1.5"), [is("A", "<5"), is("B", ">=5"), is("C", "0"), is("D", "-1.5")].map(Given::Is));
    assert_eq!(given("!A=a, B != b"), [is("A", "a"), is("B", "b")].map(Given::IsNot));
    assert_eq!(given("\"a \\\"b\\\" | c\"=\"d, e\", P"), [Given::Is(is("a \"b\" | c", "d, e")), Given::Each("P".into())]);
    assert_eq!(
        given("A in {a, \"b c\"}, in"),
        [Given::OneOf { variable: "A".into(), states: texts(&["a", "b c"]) }, Given::Each("in".into())]
    );
    let named = |weights: &[(&str, f64)]| Weights::Named(weights.iter().map(|(state, weight)| (state.to_string(), *weight)).collect());
    let jeffrey = Given::Jeffrey { variable: "A".into(), weights: named(&[("yes", 0.7), ("9:30", 0.2), ("no", 0.1)]) };
    assert_eq!(given("A :~ {yes:0.7, 9:30:.2, no : 1e-1}"), [jeffrey]);
    assert_eq!(parsed("P ⟂ mpe"), Query::Independence { first: texts(&["P"]), second: texts(&["mpe"]), given: vec![] });
    assert_eq!(parsed("P(P=P)"), Query::Probability { targets: Targets::These(vec![Target::Is(is("P", "P"))]), given: vec![] });
}

#[test]
fn faults_point_at_their_place() {
    for (text, column, what) in [
        ("", 1, "this is no question"),
        ("(A)", 1, "this is no question"),
        ("Flu", 4, "expected `,` or `⟂`, found the end"),
        ("P(Flu", 6, "expected `,`, `|` or `)`, found the end"),
        ("P(Flu | )", 9, "expected a variable, found `)`"),
        ("P(Flu | A=)", 11, "expected a state, found `)`"),
        ("P(Flu) and more", 8, "expected the end, found `and`"),
        ("P(Flu | A ~ [0.7; 0.3])", 14, "`0.7;` is not a number"),
        ("P(Flu | A ~ 0.7)", 13, "expected `[` or `{`, found `0.7`"),
        ("P(Flu | A ~ {a})", 15, "expected `:`, found `}`"),
        ("P(Flu | Age<5)", 12, "comparisons are for numeric variables, and networks have none yet"),
        ("P(Flu | A in {a)", 16, "expected `,` or `}`, found `)`"),
        ("argmax:0 A", 8, "expected how many, a whole number from 1"),
        ("I(A, B)", 7, "expected `,` or `;`, found `)`"),
        ("ähm ⟂ \"B", 7, "this quote has no end"),
        ("P(A | do(B))", 11, "expected `=`, found `)`"),
    ] {
        let error = text.parse::<Query>().unwrap_err();
        assert_eq!((error.column, error.what.as_str()), (column, what), "{text}");
    }
    let told = "P(Flu) and more".parse::<Query>().unwrap_err().to_string();
    assert_eq!(told, "expected the end, found `and`\n  P(Flu) and more\n         ^");
}

fn assignment() -> impl Strategy<Value = Assignment> {
    (".{0,6}", ".{0,6}").prop_map(|(variable, state)| Assignment { variable, state })
}

fn weights() -> impl Strategy<Value = Weights> {
    let number = || any::<f64>().prop_filter("finite", |number| number.is_finite());
    prop_oneof![
        prop::collection::vec(number(), 1..4).prop_map(Weights::InOrder),
        prop::collection::vec((".{0,6}", number()), 1..4).prop_map(Weights::Named),
    ]
}

fn given() -> impl Strategy<Value = Vec<Given>> {
    let one = prop_oneof![
        ".{0,6}".prop_map(Given::Each),
        assignment().prop_map(Given::Is),
        assignment().prop_map(Given::IsNot),
        (".{0,6}", prop::collection::vec(".{0,6}", 1..4)).prop_map(|(variable, states)| Given::OneOf { variable, states }),
        (".{0,6}", weights()).prop_map(|(variable, weights)| Given::Likelihood { variable, weights }),
        (".{0,6}", weights()).prop_map(|(variable, weights)| Given::Jeffrey { variable, weights }),
        prop::collection::vec(assignment(), 1..3).prop_map(Given::Do),
    ];
    prop::collection::vec(one, 0..4)
}

fn names() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(
        prop_oneof![".{0,6}", prop::sample::select(texts(&["P", "mpe", "argmax", "do", "in", "*", "_||_", "E[", "H"]))],
        1..4,
    )
}

fn query() -> impl Strategy<Value = Query> {
    let target = prop_oneof![".{0,6}".prop_map(Target::Variable), assignment().prop_map(Target::Is), assignment().prop_map(Target::IsNot)];
    let targets = prop_oneof![Just(Targets::All), prop::collection::vec(target, 1..4).prop_map(Targets::These)];
    prop_oneof![
        (targets, given()).prop_map(|(targets, given)| Query::Probability { targets, given }),
        (".{0,6}", given()).prop_map(|(variable, given)| Query::Expectation { variable, given }),
        (1..9_usize, names(), given()).prop_map(|(n_best, variables, given)| Query::Argmax { n_best, variables, given }),
        (1..9_usize, given()).prop_map(|(n_best, given)| Query::MostProbableExplanation { n_best, given }),
        (names(), names(), prop_oneof![Just(vec![]), names()]).prop_map(|(first, second, given)| Query::Independence {
            first,
            second,
            given
        }),
        (names(), given()).prop_map(|(variables, given)| Query::Entropy { variables, given }),
        (names(), names(), given()).prop_map(|(first, second, given)| Query::MutualInformation { first, second, given }),
    ]
}

proptest! {
    #[test]
    fn what_is_written_reads_back(query in query()) {
        let text = query.to_string();
        prop_assert_eq!(text.parse::<Query>().map_err(|error| TestCaseError::fail(error.to_string()))?, query);
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        if let Err(error) = text.parse::<Query>() {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn no_scramble_of_its_parts_makes_it_panic(parts in prop::collection::vec(prop::sample::select(vec![
        "P(", "E[", "H(", "I(", "argmax", "mpe", "A", "B", " in ", "do(", "⟂", "_||_", "|", ",", ";", ":", "~", ":~", "=", "!=", "!", "<", "\"", "\\",
        "{", "}", "[", "]", ")", "0.5", "*", " ", "\n",
    ]), 0..20)) {
        if let Err(error) = parts.concat().parse::<Query>() {
            prop_assert!(!error.what.is_empty());
        }
    }
}
