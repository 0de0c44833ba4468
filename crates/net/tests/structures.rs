//! Structures from strings and drawings, and evidence files.

use proptest::prelude::*;
use tunbridge_net::format::{Sketch, arrow_string, dot, model_string, uai};
use tunbridge_net::{RandomShape, random_network};

fn arcs(sketch: &Sketch) -> Vec<String> {
    let (structure, dag) = (&sketch.structure, sketch.structure.dag());
    let into = |child| dag.parents(child).iter().map(move |&parent| format!("{}→{}", structure.name(parent), structure.name(child)));
    dag.variables().flat_map(into).collect()
}

#[test]
fn strings_of_bnlearn() {
    let survey = model_string::read(" [A][S] [E|A:S]\n[O|E][R|E][T|O:R]").unwrap();
    assert_eq!(survey.structure.names(), ["A", "S", "E", "O", "R", "T"]);
    assert_eq!(arcs(&survey), ["A→E", "S→E", "E→O", "E→R", "O→T", "R→T"]);
    // A child may stand before its parents; names have anything else in them.
    assert_eq!(arcs(&model_string::read("[x y|a.b][a.b]").unwrap()), ["a.b→x y"]);
    for (text, told) in [
        ("", "1:1: no variables"),
        ("A", "1:1: expected `[` before a variable, found `A`"),
        ("[A", "1:3: expected `]` after a variable and its parents, found the end"),
        ("[A|]", "1:4: expected a name, found `]`"),
        ("[A|B]", "1:4: the parent `B` has no bracket of its own"),
        ("[A][A]", "1:5: variable `A` has two brackets"),
        ("[A|B][B|A]", "1:2: the arcs make a cycle: A → B → A"),
    ] {
        let error = model_string::read(text).unwrap_err().to_string();
        assert!(error.starts_with(told), "{text}: {error}");
    }
}

/// Each checked against `gum.fastBN` of pyAgrum 3.3.1.
#[test]
fn strings_of_pyagrum() {
    let sketch = arrow_string::read("A->B<-C;D->C;").unwrap();
    assert_eq!(sketch.structure.names(), ["A", "B", "C", "D"]);
    assert_eq!(arcs(&sketch), ["A→B", "C→B", "D→C"]);
    assert_eq!(arcs(&arrow_string::read("A<-B<-C").unwrap()), ["B→A", "C→B"]);
    let states = |text: &str| arrow_string::read(text).unwrap().states[0].clone().unwrap();
    assert_eq!(states("A[3]->B"), ["0", "1", "2"]);
    assert_eq!(states("A[2,5]"), ["2", "3", "4", "5"]);
    assert_eq!(states("A[0,1.5,3]"), ["[0;1.5[", "[1.5;3]"]);
    assert_eq!(states("A{yes|no}->B"), ["yes", "no"]);
    assert_eq!(states("A{1.5:6:4}"), ["1.5", "3", "4.5", "6"]);
    // What was said first counts.
    assert_eq!(states("A[2]->B;A[3]->C"), ["0", "1"]);
    assert_eq!(arrow_string::read("a b->c").unwrap().structure.names(), ["a b", "c"]);
    for (text, told) in [
        ("", "1:1: expected a name, found the end of the text"),
        ("A->", "1:4: expected a name, found the end of the text"),
        ("A->B;B->A", "1:1: the arcs make a cycle: A → B → A"),
        ("A->A", "1:1: the arcs make a cycle: A → A"),
        ("A[0]", "1:2: `[0]` tells of no states"),
        ("A[1e99]", "1:2: `[1e99]` tells of no states"),
        ("A{x|x}", "1:2: the state `x` is there twice"),
        ("A{x|}", "1:2: a state without a name"),
        ("A{x", "1:2: these states have no end"),
        ("A[2]B", "1:5: expected `->`, `<-` or `;`, found `B`"),
    ] {
        let error = arrow_string::read(text).unwrap_err().to_string();
        assert!(error.starts_with(told), "{text}: {error}");
    }
}

#[test]
fn drawings_of_graphviz() {
    let text = r##"// drawn by hand
    strict digraph "my graph" {
      rankdir=LR; node [shape=box, style="filled,rounded"]; # a comment
      "light on" [label=<a <b>bold</b> one>]
      A -> "light on" -> B:port:n [color="red"]; A->B;
      subgraph cluster_1 { label = "x"; C; D -> {E F} }
      -1.5 -> C /* numbers are names */
    }"##;
    let sketch = dot::read(text.as_bytes()).unwrap();
    assert_eq!(sketch.name, "my graph");
    assert_eq!(sketch.structure.names(), ["light on", "A", "B", "C", "D", "E", "F", "-1.5"]);
    assert_eq!(arcs(&sketch), ["A→light on", "light on→B", "A→B", "-1.5→C", "D→E", "D→F"]);
    for (text, told) in [
        ("digraph {", "1:10: expected a node, or `}`, found the end of the text"),
        ("digraph { A -- B }", "1:13: an arc without a direction"),
        ("digraph { A -> }", "1:16: expected a node, or `}`, found `}`"),
        ("digraph { A } digraph { B }", "1:15: expected the end of the text, found `digraph`"),
    ] {
        let error = dot::read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(told), "{text}: {error}");
    }
}

#[test]
fn evidence_files() {
    assert_eq!(uai::read_evidence(b"").unwrap(), [vec![]]);
    assert_eq!(uai::read_evidence(b"0").unwrap(), [vec![]]);
    assert_eq!(uai::read_evidence(b"1\n0\n").unwrap(), [vec![]]);
    assert_eq!(uai::read_evidence(b"1\n1 3 0").unwrap(), [vec![(3, 0)]]);
    assert_eq!(uai::read_evidence(uai::write_evidence(&[(4, 1), (0, 2)]).as_bytes()).unwrap(), [vec![(4, 1), (0, 2)]]);
    assert!(uai::read_evidence(b"2 1 0 3").unwrap_err().what.contains("too early"));
    assert!(uai::read_evidence(b"1 1 3 0 9 9").unwrap_err().what.contains("2 numbers too many"));
    assert!(uai::read_evidence(b"1 x").unwrap_err().to_string().starts_with("1:3: expected a number, found `x`"));
}

#[test]
fn factors_go_round() {
    let model = uai::MarkovModel {
        n_states: vec![2, 3, 1],
        factors: vec![(vec![1, 0], vec![0.0, 0.1, 2.5, 1e-300, 7.0, 1e300]), (vec![], vec![3.0]), (vec![2], vec![1.0])],
    };
    assert_eq!(uai::read_markov(uai::write_markov(&model).as_bytes()).unwrap(), model);
    assert!(uai::read_markov(b"MARKOV 1 2 1 1 0 2 -1 0").unwrap_err().to_string().starts_with("1:20: `-1` is no number ≥ 0"));
    assert!(uai::read_markov(b"MARKOV 1 2 1 2 0 0 4 1 1 1 1").unwrap_err().what.contains("twice"));
}

proptest! {
    #[test]
    fn no_string_makes_a_reader_panic(text in "[A-C0-9:|\\[\\]{},.;<>+\\- é-]{0,40}") {
        let _ = model_string::read(&text);
        let _ = arrow_string::read(&text);
        let _ = dot::read(format!("digraph {{{text}}}").as_bytes());
    }

    #[test]
    fn structures_go_round(seed in any::<u64>()) {
        let network = random_network(seed, &RandomShape::default()).unwrap();
        let sorted = |sketch: &Sketch| { let mut all = arcs(sketch); all.sort(); all };
        let original = Sketch { name: String::new(), structure: network.structure().clone(), states: vec![] };
        prop_assert_eq!(sorted(&model_string::read(&model_string::write(network.structure())).unwrap()), sorted(&original));
        let again = arrow_string::read(&arrow_string::write(network.structure())).unwrap();
        prop_assert_eq!(sorted(&again), sorted(&original));
        prop_assert_eq!(again.structure.names().len(), network.n_variables());
    }
}
