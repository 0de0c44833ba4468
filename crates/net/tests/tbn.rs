//! TBN, our own format: what a person writes, what goes round, and what is wrong with broken files.

use proptest::prelude::*;
use tunbridge_net::format::{Document, Remark, bif, tbn};
use tunbridge_net::{Network, RandomShape, VarId, random_network};

fn testdata(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../testdata/networks/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// A bit of everything.
const MIXED: &str = r#"# Two causes of a full nose.
network "Flu and allergy"
property "author = us"

variable Flu yes/no   # one number of two
  0.1

variable Allergy { none, mild, "on fire" }
  label "Allergic reaction" comment "of the nose;
on two lines"
  at 120, -40.5  values 0, 1.5, 3
  submodel "causes", "of the nose"
  property "weight = 3" table-property "guessed"
  0.7, 0.2, 1e-1

variable "Sinus = full" yes/no given Flu, Allergy
  yes, *:      0.9
  no,  "on fire": 0.7,
                  0.3
  *: 0.05

variable Light low/middle/high given Flu as deterministic
  yes: low
  no: high

variable Headache yes/no given Flu, "Sinus = full" as noisy-or
  Flu: 0.4
  "Sinus = full": 0.6
  leak: 0.02

variable Fever { high, low, none } given Flu, Allergy as noisy-max
  Flu: 0.5, 0.3, 0.2
  Allergy=none: 0.1, 0.2, 0.7
  Allergy=mild: 0, 0.5, 0.5

variable Bed yes/no given Light, Flu, Headache as tree
  on Light {
    low: 0.9, 0.1
    *: on Headache { yes: on Flu { yes: 0.8  *: 0.4 }  no: 0.1 }
  }
"#;

#[test]
fn a_file_as_a_person_writes_it() {
    let document = tbn::read(MIXED.as_bytes()).unwrap();
    let network = document.network();
    assert_eq!(document.name, "Flu and allergy");
    assert_eq!(document.properties, ["author = us"]);
    let values = |name: &str| network.conditional(network.find(name).unwrap()).to_values().unwrap().to_vec();
    assert_eq!(values("Flu"), [0.1, 0.9]);
    assert_eq!(values("Allergy"), [0.7, 0.2, 0.1]);
    let notes = document.notes(network.find("Allergy").unwrap());
    assert_eq!(notes.label.as_deref(), Some("Allergic reaction"));
    assert_eq!(notes.comment.as_deref(), Some("of the nose;\non two lines"));
    assert_eq!(notes.position, Some((120.0, -40.5)));
    assert_eq!(notes.state_values, Some(vec![0.0, 1.5, 3.0]));
    assert_eq!(notes.submodel, ["causes", "of the nose"]);
    assert_eq!((&notes.properties[..], &notes.table_properties[..]), (&["weight = 3".into()][..], &["guessed".into()][..]));
    let (yes, fire, other) = ([0.9, 1.0 - 0.9], [0.7, 0.3], [0.05, 0.95]);
    assert_eq!(values("Sinus = full"), [yes, yes, yes, other, other, fire].concat());
    assert_eq!(values("Light"), [1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    // 1 − (1 − 0.4)(1 − 0.6)(1 − 0.02) and so on.
    let headache: Vec<f64> = values("Headache").iter().step_by(2).copied().collect();
    for (found, expected) in headache.iter().zip([1.0 - 0.6 * 0.4 * 0.98, 1.0 - 0.6 * 0.98, 1.0 - 0.4 * 0.98, 0.02]) {
        assert!((found - expected).abs() < 1e-15, "{headache:?}");
    }
    // Flu and a mild allergy: P(≤ none) = 0.2 · 0.5; P(≤ low) = 0.5 · 1.
    let fever = values("Fever");
    for (found, expected) in fever[3..6].iter().zip([0.5, 0.4, 0.1]) {
        assert!((found - expected).abs() < 1e-15, "{fever:?}");
    }
    // No flu and an allergy on fire: nothing happens.
    assert_eq!(fever[15..], [0.0, 0.0, 1.0]);
    // Light, Flu, Headache: rows of low, then middle, then high.
    let bed: Vec<f64> = values("Bed").iter().step_by(2).copied().collect();
    assert_eq!(bed, [0.9, 0.9, 0.9, 0.9, 0.8, 0.1, 0.4, 0.1, 0.8, 0.1, 0.4, 0.1]);
    let kinds: Vec<&str> = network.dag().variables().map(|variable| network.conditional(variable).kind()).collect();
    assert_eq!(kinds, ["table", "table", "table", "deterministic", "noisy-MAX", "noisy-MAX", "tree"]);
    assert!(document.remarks.is_empty());
    assert_eq!(tbn::read(tbn::write(&document).as_bytes()).unwrap(), document);
}

#[test]
fn what_is_written_reads_like_what_a_person_writes() {
    let network = Network::builder()
        .variable("Flu", ["yes", "no"])
        .probabilities([0.1, 0.9])
        .variable("A ge", ["<5", ">=5", "at"])
        .probabilities([0.25, 0.25, 0.5])
        .variable("Nose", ["runny", "dry", "*"])
        .given(["Flu", "A ge"])
        .probabilities([0.5, 0.25, 0.25, 0.0, 0.5, 0.5, 1.0, 0.0, 0.0, 0.1, 0.2, 0.7, 0.25, 0.25, 0.5, 0.0, 1.0, 0.0])
        .build()
        .unwrap();
    let expected = "network nose

variable Flu yes/no
  0.1, 0.9

variable \"A ge\" { <5, \">=5\", \"at\" }
  0.25, 0.25, 0.5

variable Nose { runny, dry, \"*\" } given Flu, \"A ge\"
  yes, <5:    0.5, 0.25, 0.25
  yes, \">=5\": 0.0, 0.5, 0.5
  yes, \"at\":  1.0, 0.0, 0.0
  no,  <5:    0.1, 0.2, 0.7
  no,  \">=5\": 0.25, 0.25, 0.5
  no,  \"at\":  0.0, 1.0, 0.0
";
    let document = Document::new("nose", network);
    assert_eq!(tbn::write(&document), expected);
    assert_eq!(tbn::read(expected.as_bytes()).unwrap(), document);
}

#[test]
fn networks_of_the_repository_go_round() {
    for name in ["asia", "cancer", "earthquake", "survey", "sachs", "child", "alarm", "insurance"] {
        let document = bif::read(&testdata(&format!("{name}.bif"))).unwrap().into_document();
        let again = tbn::read(tbn::write(&document).as_bytes()).unwrap();
        assert_eq!(again.network(), document.network(), "{name}");
        assert_eq!(again.name, document.name);
    }
}

/// Words of the format where they can only be names.
#[test]
fn words_of_the_format_are_names_where_nothing_else_fits() {
    let text = "variable at on/off/order 0.5, 0.25, 0.25
        variable variable { absent, label, variable } given at
          on: 0.5, 0.25, 0.25
          off: 1, 0, 0
          order: 0, 1, 0
        variable order at/as given variable
          absent: 0.1
          label: 0.2
          variable: 0.3
        variable on on/off given order as noisy-or
          order=at: 0.5
        variable leak absent/on given order as deterministic
          at: absent
          as: on
        variable tree on/off given on, \"leak\" as tree
          on on { on: 0.5 off: on leak { absent: 0.1 on: 0.2 } }";
    let document = tbn::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(document.network().structure().names(), ["at", "variable", "order", "on", "leak", "tree"]);
    assert_eq!(tbn::read(tbn::write(&document).as_bytes()).unwrap(), document);
}

/// Every block of the guide, each a whole network that goes round.
#[test]
fn the_guide_is_true() {
    let guide = std::fs::read_to_string(format!("{}/../../examples/tbn.md", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let blocks: Vec<&str> = guide.split("```tbn\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 7);
    for block in &blocks {
        let document = tbn::read(block.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{block}"));
        assert!(document.remarks.is_empty());
        assert_eq!(tbn::read(tbn::write(&document).as_bytes()).unwrap(), document, "{block}");
    }
    let nose = tbn::read(blocks[1].as_bytes()).unwrap();
    let sinus = nose.network().find("Sinus").unwrap();
    let yes: Vec<f64> = nose.network().table(sinus).unwrap().iter().step_by(2).copied().collect();
    assert_eq!(yes, [0.9, 0.9, 0.9, 0.05, 0.05, 0.7]);
}

#[test]
fn broken_files_are_told_by_line_and_column() {
    let ab = "variable A yes/no\n  0.5\nvariable B yes/no\n  0.5\n";
    let cases: [(String, &str); 33] = [
        ("hello".into(), "1:1: expected `variable`, found `hello`"),
        ("variable A".into(), "1:11: expected the states, found the end of the text"),
        ("variable A yes".into(), "1:12: expected the states, found `yes`"),
        ("variable A { yes no }".into(), "1:18: expected `}` after the states, found `no`"),
        ("variable , yes/no 0.5".into(), "1:10: expected the variable's name, found `,`"),
        ("variable A yes/no".into(), "1:10: variable `A` has no probabilities"),
        ("variable A yes/no\n  0.5, oops".into(), "2:8: expected a number, found `oops`"),
        ("variable A yes/no\n  0.1 0.9".into(), "2:7: expected `variable`, found `0.9`"),
        ("variable A yes/no\n  0.5, 0.25, 0.25".into(), "2:3: expected 2 probabilities, found 3"),
        ("variable A { a, b, c }\n  0.5".into(), "2:3: expected 3 probabilities, found 1"),
        ("variable A yes/no\n  0.5, 0.4".into(), "2:3: the table of `A`, row 1: the probabilities sum to 0.9, not to 1"),
        ("variable A yes/no\n  0, 0".into(), "2:3: the table of `A`, row 1: the probabilities sum to 0, not to 1"),
        ("variable A yes/no\n  1.5".into(), "2:3: 1.5 is no probability"),
        ("variable A yes/yes 0.5".into(), "1:16: variable `A` has the state `yes` twice"),
        (format!("{ab}variable A yes/no 0.5"), "5:10: there are two variables `A`"),
        (format!("{ab}variable C yes/no given Z\n *: 0.5"), "5:25: no variable is named `Z`"),
        (format!("{ab}variable C yes/no given A\n yes: 0.5\n maybe: 0.5"), "7:2: `A` has no state `maybe`"),
        (format!("{ab}variable C yes/no given A, B\n yes, *: 0.5\n no, yes: 0.5"), "5:10: the table of `C` has no row for A=no, B=no"),
        (format!("{ab}variable C yes/no given A, B\n yes: 0.5"), "6:2: this row names 1 states, but there are 2 parents"),
        (format!("{ab}variable C yes/no given A\n *: 0.5\n yes: 0.5"), "7:2: this row of `C` never counts"),
        (format!("{ab}variable C yes/no given A\n 0.5"), "6:5: expected `:` after the states of the parents, found the end of the text"),
        (format!("{ab}variable C yes/no given A as magic\n 0.5"), "5:30: `magic` is no kind of distribution"),
        (format!("{ab}variable C yes/no given A as noisy-or\n B: 0.5"), "6:2: `B` is no parent of `C`"),
        (format!("{ab}variable C yes/no given A as noisy-or\n A: 0.5\n A=yes: 0.1"), "7:2: this cause is given twice"),
        (format!("{ab}variable C yes/no given A as tree\n on A {{ yes: 0.5 }}"), "6:5: `A` has no branch for its state `no`"),
        (
            format!("{ab}variable C yes/no given A as tree\n on A {{ yes: 0.5 *: 0.5, 0.4 }}"),
            "6:21: a leaf of `C`: row 1: the probabilities sum to 0.9",
        ),
        (
            format!("{ab}variable C yes/no given A, B as tree\n on A {{ yes: on B {{ *: on A {{ yes: 0.1 no: 0.2 }} }} no: 0.5 }}"),
            "6:27: the tree asks for `A` a second time on one way down",
        ),
        (format!("{ab}variable C yes/no given A as noisy-or\n A: 0.5\n leak: 1.2"), "7:2: 1.2 is no probability"),
        (format!("{ab}variable C yes/no given A as tree\n on A {{ yes, *: 0.5 }}"), "6:9: `*` stands beside other states"),
        (format!("{ab}variable C yes/no given A as noisy-or\n A: 0.5, 0.4"), "6:2: this cause: row 1: the probabilities sum to 0.9"),
        (format!("{ab}variable C yes/no given A as noisy-or\n A: 0.5\n A=no: 0.1"), "5:10: every state of the cause `A` has an effect"),
        (format!("{ab}variable C yes/no given A as noisy-or order no\n A: 0.5"), "5:10: the order names 1 states of 2"),
        ("variable \"A\n".into(), "1:10: this quote has no end"),
    ];
    for (text, told) in cases {
        let error = tbn::read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(told), "{text}\nsaid: {error}\nnot:  {told}");
    }
}

#[test]
fn rows_off_by_a_little_are_renormalised_and_said() {
    let document = tbn::read(b"variable A { a, b, c }\n 0.3333334, 0.3333333, 0.3333336").unwrap();
    let [Remark::Renormalised { n_rows: 1, worst }] = document.remarks[..] else { panic!("{:?}", document.remarks) };
    assert!((worst - 3e-7).abs() < 1e-12);
    assert!(document.remarks[0].to_string().contains("off by 3.0e-7"), "{}", document.remarks[0]);
}

#[test]
fn a_small_file_cannot_ask_for_all_memory_or_stack() {
    let mut text = String::new();
    let names: Vec<String> = (0..60).map(|place| format!("V{place}")).collect();
    for name in &names {
        text += &format!("variable {name} yes/no 0.5\n");
    }
    for body in ["*: 0.5", "as deterministic *: yes"] {
        for n_parents in [30, 60] {
            let parents = names[..n_parents].join(", ");
            let error = tbn::read(format!("{text}variable X yes/no given {parents} {body}").as_bytes()).unwrap_err();
            assert!(error.what.contains("too large"), "{error}");
        }
    }
    // What is kept compact may have as many parents as it likes.
    for body in ["as noisy-or leak: 0.1", "as tree 0.5, 0.5"] {
        assert!(tbn::read(format!("{text}variable X yes/no given {} {body}", names.join(", ")).as_bytes()).is_ok(), "{body}");
    }
    let deep = "on A { yes: ".repeat(100_000);
    assert!(tbn::read(format!("variable A yes/no 0.5 variable B yes/no given A as tree {deep}").as_bytes()).is_err());
}

proptest! {
    #[test]
    fn no_scramble_of_its_parts_makes_it_panic(parts in prop::collection::vec(prop::sample::select(vec![
        "network", "variable", "given", "as", "tree", "noisy-or", "noisy-max", "deterministic", "on", "leak", "label", "at", "values", "submodel", "property", "A", "B",
        "yes/no", "yes", "no", "é", "\"", "\\", "{", "}", "*", ":", ",", "=", "2", "0.5", "1e999", "#", "\n", " ", " ", " ",
    ]), 0..60)) {
        let _ = tbn::read(parts.join(" ").as_bytes());
    }

    #[test]
    fn no_damage_makes_it_panic(place in 0..MIXED.len(), length in 0..30_usize, put in prop::collection::vec(any::<u8>(), 0..4)) {
        let end = (place + length).min(MIXED.len());
        let bytes = [&MIXED.as_bytes()[..place], &put, &MIXED.as_bytes()[end..]].concat();
        if let Err(error) = tbn::read(&bytes) {
            prop_assert!(!error.what.is_empty());
        }
    }

    #[test]
    fn any_names_and_notes_go_round(names in prop::collection::hash_set(".{0,8}", 4), label in ".{0,12}", x in -1e6..1e6_f64) {
        let names: Vec<String> = names.into_iter().collect();
        let network = Network::builder()
            .variable(&names[0], names.iter()).probabilities([0.1, 0.2, 0.3, 0.4])
            .variable(&names[1], &names[..2]).given([&names[0]]).probabilities([0.25, 0.75, 1.0, 0.0, 0.5, 0.5, 0.1, 0.9])
            .build().unwrap();
        let mut document = Document::new(&names[2], network);
        let notes = document.notes_mut(VarId::new(1));
        notes.label = Some(label.clone());
        notes.comment = Some(names[3].clone());
        notes.position = Some((x, -x));
        notes.state_values = Some(vec![x, 0.1]);
        notes.submodel = names.clone();
        notes.properties = vec![label.clone()];
        notes.table_properties = vec![label];
        prop_assert_eq!(tbn::read(tbn::write(&document).as_bytes()).unwrap(), document);
    }

    #[test]
    fn random_networks_go_round(seed in any::<u64>()) {
        let document = Document::new("random", random_network(seed, &RandomShape::default()).unwrap());
        prop_assert_eq!(tbn::read(tbn::write(&document).as_bytes()).unwrap(), document);
    }
}
