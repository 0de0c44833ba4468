//! BIF: the networks of the repository, files as other programs write them, broken files, and anything at all.

use proptest::prelude::*;
use tunbridge_net::format::bif::{Bif, PropertyOf, read, write};
use tunbridge_net::{RandomShape, random_network};

/// Name, variables, arcs and free parameters as published by the repository.
const PUBLISHED: [(&str, usize, usize, usize); 8] = [
    ("asia", 8, 8, 18),
    ("cancer", 5, 4, 10),
    ("earthquake", 5, 4, 10),
    ("survey", 6, 6, 21),
    ("sachs", 11, 17, 178),
    ("child", 20, 25, 230),
    ("alarm", 37, 46, 509),
    ("insurance", 27, 52, 1008),
];

fn testdata(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../testdata/networks/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn networks_of_the_repository_are_read_and_go_round_bit_for_bit() {
    for (name, n_variables, n_arcs, n_free) in PUBLISHED {
        let bif = read(&testdata(&format!("{name}.bif"))).unwrap();
        let sizes = (bif.network.n_variables(), bif.network.dag().n_arcs(), bif.network.n_free_parameters());
        assert_eq!(sizes, (n_variables, n_arcs, n_free), "{name}");
        assert!(bif.row_sum_deviation() < 3.1e-7, "{name}");
        let text = write(&bif).unwrap();
        let again = read(text.as_bytes()).unwrap();
        assert_eq!(again.network, bif.network, "{name}");
        assert!(again.row_sum_deviation() < 1e-15, "{name}");
        assert_eq!(write(&again).unwrap(), text, "{name}");
    }
}

#[test]
fn rows_run_as_the_file_says() {
    let asia = read(&testdata("asia.bif")).unwrap().network;
    // probability ( dysp | bronc, either ): (no, yes) 0.7, 0.3; with bronc slowest that is row 2.
    let dysp = asia.find("dysp").unwrap();
    assert_eq!(asia.conditional(dysp).probability(2, 0), 0.7);
    assert_eq!(asia.conditional(dysp).probability(1, 0), 0.8);
}

/// Quoted names, comments, properties, blanks for commas, exponents, a default row, a flat table, states with signs and digits.
const MIXED: &str = r#"// Written by hand, after files of JavaBayes, pgmpy and pyAgrum.
network "Dog problem; 2" {
  property software "aGrUM; 3.3";
  property version 0.15;
}
variable "light on" { /* a comment; with } and { */
  type discrete[2] { "true" false };
  property weight = None ;
}
variable Age { type discrete [ 4 ] { <5, 5-17.5, >=18+, 0 }; property position = (73, 165) ; }
variable P { type discrete [2] { P, "a,b" }; }
probability ( Age ) { table 1e-1 2.5E-1, .15 5e-1; }
probability ( "light on" | Age, P ) {
  default 0.5 0.5;
  (<5, P) 1 0;
  (0, "a,b") 0.25, 0.75;
  property note "kept";
}
probability ( P | Age ) { table 0.1 0.2 0.3 0.4 0.9 0.8 0.7 0.6; }
"#;

#[test]
fn files_of_other_programs_are_read() {
    let bif = read(MIXED.as_bytes()).unwrap();
    let network = &bif.network;
    assert_eq!(bif.name, "Dog problem; 2");
    let [light, age, p] = ["light on", "Age", "P"].map(|name| network.find(name).unwrap());
    assert_eq!(network.states(age), ["<5", "5-17.5", ">=18+", "0"]);
    assert_eq!(network.states(p), ["P", "a,b"]);
    assert_eq!(*network.table(age).unwrap(), [0.1, 0.25, 0.15, 0.5]);
    // The flat table has P slowest.
    assert_eq!(*network.table(p).unwrap(), [0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6]);
    let rows = network.table(light).unwrap();
    assert_eq!(rows[..2], [1.0, 0.0]);
    assert_eq!(rows[14..], [0.25, 0.75]);
    assert!(rows[2..14].iter().all(|&value| value == 0.5));
    let kept: Vec<_> = bif.properties().iter().map(|property| property.text.as_str()).collect();
    assert_eq!(kept, ["software \"aGrUM; 3.3\"", "version 0.15", "weight = None", "position = (73, 165)", "note \"kept\""]);
    assert_eq!(bif.properties()[4].of, PropertyOf::Table("light on".into()));
    let again = read(write(&bif).unwrap().as_bytes()).unwrap();
    assert_eq!((&again.network, &again.name), (&bif.network, &bif.name));
    assert_eq!(again.properties().len(), 5);
}

#[test]
fn broken_files_are_told_by_line_and_column() {
    let a = "variable A { type discrete [2] { y, n }; }\n";
    let b = "variable B { type discrete [2] { y, n }; }\n";
    let table_a = "probability ( A ) { table 0.5 0.5; }\n";
    let cases: [(String, &str); 20] = [
        ("hello".into(), "1:1: expected `network`, `variable` or `probability`, found `hello`"),
        (format!("{a}variable B {{\n  type discrete [3] {{ y, n }};\n}}"), "3:3: 3 states are said to follow, but there are 2"),
        ("variable A { type real; }".into(), "1:19: variables of type `real` are not read"),
        ("variable A { }".into(), "1:10: variable `A` has no states"),
        ("variable A { type discrete [0] { }; }".into(), "1:10: variable `A` has no states"),
        ("variable A { type discrete [2] { y, y }; } probability (A) { table 1 0; }".into(), "1:37: variable `A` has the state `y` twice"),
        (a.into(), "1:10: variable `A` has no probabilities"),
        (format!("{a}{a}"), "2:10: there are two variables `A`"),
        (format!("{a}{table_a}{table_a}"), "3:15: variable `A` has two tables of probabilities"),
        (format!("{a}probability ( A ) {{ table 0.5 oops; }}"), "2:31: `oops` is not a number"),
        (format!("{a}probability ( A ) {{ table 0.5 0.4; }}"), "2:21: the table of `A`, row 1: the probabilities sum to 0.9, not to 1"),
        (format!("{a}probability ( A ) {{ table 0 0; }}"), "2:21: the table of `A`, row 1: the probabilities sum to 0, not to 1"),
        (format!("{a}probability ( A ) {{ table 1; }}"), "2:21: expected 2 probabilities, found 1"),
        (format!("{a}probability ( A | Z ) {{ table 1; }}"), "2:19: no variable is named `Z`"),
        (format!("{a}{b}{table_a}probability ( B | A ) {{ (y) 1 0;\n (x) 1 0; }}"), "5:3: `A` has no state `x`"),
        (
            format!("{a}{b}{table_a}probability ( B | A ) {{ (y) 1 0; }}"),
            "4:15: the table of `B` has 1 rows, but the parents have 2 configurations",
        ),
        (format!("{a}{b}{table_a}probability ( B | A ) {{ (y) 1 0;\n (y) 1 0; }}"), "5:2: this row of `B` is given twice"),
        (
            format!("{a}{b}probability ( A | B ) {{ default 1 0; }} probability ( B | A ) {{ default 1 0; }}"),
            "3:15: the arcs make a cycle: A → B → A: leave one of them out",
        ),
        (format!("{a}/* no end"), "2:1: this comment has no end"),
        (format!("{a}variable \"é"), "2:10: this quote has no end"),
    ];
    for (text, told) in cases {
        let error = read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(told), "{text}\nsaid: {error}\nnot:  {told}");
    }
    let not_utf8 = read(b"network x {\n\xff}").unwrap_err();
    assert_eq!((not_utf8.line, not_utf8.column), (2, 1));
    assert!(not_utf8.to_string().ends_with("hint:  save the file as UTF-8"));
}

#[test]
fn a_small_file_cannot_ask_for_all_memory() {
    let mut text = String::new();
    let names: Vec<String> = (0..60).map(|place| format!("V{place}")).collect();
    for name in &names {
        text += &format!("variable {name} {{ type discrete [2] {{ y, n }}; }}\nprobability ( {name} ) {{ table 1 0; }}\n");
    }
    for n_parents in [30, 60] {
        let parents = names[..n_parents].join(", ");
        let hostile = format!("{text}variable X {{ type discrete [2] {{ y, n }}; }} probability ( X | {parents} ) {{ default 1 0; }}");
        assert!(read(hostile.as_bytes()).unwrap_err().what.contains("too large"));
    }
    let many = format!("{text}variable X {{ type discrete [2] {{ y, n }}; }} probability ( X | {} ) {{ }}", names.join(", "));
    assert!(read(many.as_bytes()).is_err());
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
    }

    #[test]
    fn no_scramble_of_its_parts_makes_it_panic(parts in prop::collection::vec(prop::sample::select(vec![
        "network", "variable", "probability", "type", "discrete", "property", "table", "default", "A", "B", "é", "\"", "\\", "{", "}", "(", ")",
        "[", "]", "|", ",", ";", "2", "0.5", "1e999", "//", "/*", "*/", "\n", " ", " ",
    ]), 0..60)) {
        let _ = read(parts.concat().as_bytes());
    }

    #[test]
    fn no_damage_makes_it_panic(place in 0..MIXED.len(), length in 0..30_usize, put in prop::collection::vec(any::<u8>(), 0..4)) {
        let end = (place + length).min(MIXED.len());
        let bytes = [&MIXED.as_bytes()[..place], &put, &MIXED.as_bytes()[end..]].concat();
        if let Err(error) = read(&bytes) {
            prop_assert!(!error.what.is_empty());
        }
    }

    #[test]
    fn any_names_go_round(names in prop::collection::hash_set(".{0,8}", 3), seed in 0..1000_u64) {
        let names: Vec<String> = names.into_iter().collect();
        let random = random_network(seed, &RandomShape { n_variables: 2, ..RandomShape::default() }).unwrap();
        let [first, second] = [0, 1].map(tunbridge_net::VarId::new);
        let network = tunbridge_net::Network::builder()
            .variable(&names[0], names.iter()).probabilities([0.1, 0.2, 0.7])
            .variable(&names[1], random.states(first)).probabilities(random.table(first).unwrap().iter().copied().take(random.n_states(first)))
            .variable(&names[2], random.states(second)).given([&names[1]])
            .probabilities((0..random.n_states(first)).flat_map(|_| random.table(second).unwrap()[..random.n_states(second)].to_vec()))
            .build().unwrap();
        let bif = Bif::new(&names[0], network);
        let again = read(write(&bif).unwrap().as_bytes()).unwrap();
        prop_assert_eq!((again.name, again.network), (bif.name, bif.network));
    }

    #[test]
    fn random_networks_go_round(seed in any::<u64>()) {
        let network = random_network(seed, &RandomShape::default()).unwrap();
        let again = read(write(&Bif::new("random", network.clone())).unwrap().as_bytes()).unwrap();
        prop_assert_eq!(again.network, network);
    }
}
