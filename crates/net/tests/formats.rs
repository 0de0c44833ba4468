//! Every format: networks go round, tables are read in the order the format has, notes are kept, and broken files are told.

#[path = "common/documents.rs"]
mod documents;

use documents::{WHOLE, document, noted, of_every_kind, round};
use tunbridge_net::format::{self, Contents, Document, FormatKind, Remark, bif, names};
use tunbridge_net::{Network, VarId};

fn testdata(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../testdata/networks/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn networks_of_the_repository_go_round_every_format_bit_for_bit() {
    for name in ["asia", "cancer", "earthquake", "survey", "sachs", "child", "alarm", "insurance"] {
        let original = bif::read(&testdata(&format!("{name}.bif"))).unwrap().into_document();
        for kind in WHOLE {
            let again = round(kind, &original);
            assert_eq!(again.network(), original.network(), "{name} as {kind}");
            assert_eq!(again.name, original.name, "{name} as {kind}");
            let told: Vec<String> = again.remarks.iter().map(Remark::to_string).collect();
            assert!(told.is_empty(), "{name} as {kind}: {told:?}");
        }
    }
}

#[test]
fn what_is_said_around_a_network_is_kept_or_told_as_lost() {
    let original = noted();
    for kind in WHOLE {
        let again = round(kind, &original);
        assert_eq!(again.network(), original.network(), "{kind}");
        let lost = format::write(kind, &original).unwrap().lost;
        match kind {
            FormatKind::Tbn | FormatKind::Bif | FormatKind::XmlBif | FormatKind::Net => {
                assert_eq!(again, original, "{kind}");
                assert!(lost.is_empty(), "{kind}: {lost:?}");
            }
            FormatKind::Xdsl => {
                assert_eq!(lost, ["what is said of tables beside their numbers (1)"]);
                let mut expected = original.clone();
                expected.notes_mut(VarId::new(1)).table_properties.clear();
                assert_eq!(again, expected, "{kind}");
            }
            FormatKind::Dsc => {
                assert_eq!(lost.len(), 5, "{lost:?}");
                assert_eq!(again.notes(VarId::new(1)).label.as_deref(), Some("A \"label\""));
                assert_eq!(again.notes(VarId::new(1)).position, Some((120.5, -40.0)));
            }
            _ => assert_eq!(lost.len(), 2, "{lost:?}"),
        }
    }
    let drawn = format::write(FormatKind::Dot, &original).unwrap();
    let Contents::Structure(sketch) = format::read(FormatKind::Dot, drawn.text.as_bytes()).unwrap() else { panic!() };
    assert_eq!(&sketch.structure, original.network().structure());
    assert!(drawn.lost[0].contains("probabilities"));
}

#[test]
fn kinds_of_distributions_are_kept_or_spelled_out() {
    let original = of_every_kind();
    let kinds = |document: &Document| {
        let network = document.network();
        network.dag().variables().map(|variable| network.conditional(variable).kind()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&original), ["table", "table", "noisy-MAX", "noisy-MAX", "deterministic", "tree"]);
    for kind in WHOLE {
        let again = round(kind, &original);
        let lost = format::write(kind, &original).unwrap().lost;
        match kind {
            FormatKind::Tbn => {
                assert_eq!(again, original);
                assert!(lost.is_empty());
            }
            // GeNIe's noisy-max has the last state as the weakest, and Cough the first.
            FormatKind::Xdsl => {
                assert_eq!(kinds(&again), ["table", "table", "noisy-MAX", "table", "deterministic", "table"]);
                assert_eq!(
                    lost,
                    ["that `Cough` is noisy-MAX: it is spelled out as a table", "that `Work` is tree: it is spelled out as a table"]
                );
            }
            _ => assert!(kinds(&again).iter().all(|kind| *kind == "table") && lost.len() >= 4, "{kind}: {lost:?}"),
        }
        for variable in original.network().dag().variables() {
            assert_eq!(again.network().table(variable).unwrap(), original.network().table(variable).unwrap(), "{kind}");
        }
    }
}

#[test]
fn many_causes_are_not_spelled_out() {
    let names: Vec<String> = (0..80).map(|place| format!("V{place}")).collect();
    let mut builder = Network::builder();
    for name in &names {
        builder = builder.variable(name, ["yes", "no"]).probabilities([0.1, 0.9]);
    }
    let causes = names.iter().map(|name| (name.as_str(), "yes", 0.5));
    let original = Document::new("wide", builder.variable("X", ["yes", "no"]).noisy_or("yes", causes, 0.01).build().unwrap());
    for kind in [FormatKind::Tbn, FormatKind::Xdsl] {
        assert_eq!(round(kind, &original), original, "{kind}");
    }
    for kind in [FormatKind::Bif, FormatKind::XmlBif, FormatKind::Net, FormatKind::Dsc, FormatKind::Uai] {
        assert!(format::write(kind, &original).unwrap_err().to_string().contains("`X`"), "{kind}");
    }
}

/// A with 2 states and B with 3 are the parents of C with 4; no two rows are alike.
fn asymmetric() -> Network {
    Network::builder()
        .variable("A", ["a0", "a1"])
        .probabilities([0.25, 0.75])
        .variable("B", ["b0", "b1", "b2"])
        .probabilities([0.125, 0.375, 0.5])
        .variable("C", ["c0", "c1", "c2", "c3"])
        .given(["A", "B"])
        .probabilities((0..6).flat_map(|k| [1 + k, 2 + k, 3, 10 - k].map(|weight| f64::from(weight) / f64::from(16 + k))))
        .build()
        .unwrap()
}

/// The same answers by names, whatever the order of variables, to a tolerance.
fn assert_same(found: &Network, expected: &Network, tolerance: f64, what: &str) {
    assert_eq!(found.n_variables(), expected.n_variables(), "{what}");
    for variable in expected.dag().variables() {
        let same = found.find(expected.name(variable)).unwrap_or_else(|error| panic!("{what}: {error}"));
        let parents = |network: &Network, of: VarId| {
            network.dag().parents(of).iter().map(|&parent| network.name(parent).to_string()).collect::<Vec<_>>()
        };
        assert_eq!(parents(found, same), parents(expected, variable), "{what}");
        let (values, exact) = (found.table(same).unwrap(), expected.table(variable).unwrap());
        assert_eq!(values.len(), exact.len(), "{what}");
        for (value, exact) in values.iter().zip(exact.iter()) {
            assert!((value - exact).abs() <= tolerance, "{what}: {}: {values:?}", expected.name(variable));
        }
    }
}

/// The table of each format written by hand in the order of its definition, not by our writers.
#[test]
fn each_format_has_its_order_of_tables() {
    let expected = asymmetric();
    let c = expected.find("C").unwrap();
    let p = |a: usize, b: usize, state: usize| expected.conditional(c).probability(3 * a + b, state);
    // Parents slowest, the first before the last, and the child fastest.
    let mut child_fastest = Vec::new();
    (0..2).for_each(|a| (0..3).for_each(|b| (0..4).for_each(|state| child_fastest.push(p(a, b, state).to_string()))));
    let mut child_slowest = Vec::new();
    (0..4).for_each(|state| (0..2).for_each(|a| (0..3).for_each(|b| child_slowest.push(p(a, b, state).to_string()))));
    let (fast, slow) = (child_fastest.join(" "), child_slowest.join(", "));
    let rows = |form: fn(usize, usize) -> String, between: &str, end: &str| {
        // The rows in an order of their own.
        let mut text = String::new();
        for (a, b) in [(1, 2), (0, 1), (0, 0), (1, 0), (0, 2), (1, 1)] {
            let values: Vec<String> = (0..4).map(|state| p(a, b, state).to_string()).collect();
            text += &format!("{} {}{end}\n", form(a, b), values.join(between));
        }
        text
    };
    let bif_head = "network n {} variable A { type discrete [2] { a0, a1 }; } variable B { type discrete [3] { b0, b1, b2 }; }
        variable C { type discrete [4] { c0, c1, c2, c3 }; } probability (A) { table 0.25, 0.75; } probability (B) { table 0.125, 0.375, 0.5; }";
    let node = |name: &str, states: &str| format!("node {name} {{ states = ({states}); }}\n");
    let nodes = node("A", "\"a0\" \"a1\"") + &node("B", "\"b0\" \"b1\" \"b2\"") + &node("C", "\"c0\" \"c1\" \"c2\" \"c3\"");
    let xml_variable = |name: &str, n: usize| {
        let states: String = (0..n).map(|state| format!("<OUTCOME>{}{state}</OUTCOME>", name.to_lowercase())).collect();
        format!("<VARIABLE TYPE=\"nature\"><NAME>{name}</NAME>{states}</VARIABLE>")
    };
    let xdsl_states = |letter: char, n: usize| (0..n).map(|state| format!("<state id=\"{letter}{state}\"/>")).collect::<String>();
    let cases: [(FormatKind, String); 8] = [
        (FormatKind::Bif, format!("{bif_head} probability (C | A, B) {{ table {slow}; }}")),
        (FormatKind::Bif, format!("{bif_head} probability (C | A, B) {{ {} }}", rows(|a, b| format!("(a{a}, b{b})"), ", ", ";"))),
        (
            FormatKind::XmlBif,
            format!(
                "<BIF VERSION=\"0.3\"><NETWORK><NAME>n</NAME>{}{}{}<DEFINITION><FOR>A</FOR><TABLE>0.25 0.75</TABLE></DEFINITION>
                <DEFINITION><FOR>B</FOR><TABLE>0.125 0.375 0.5</TABLE></DEFINITION>
                <DEFINITION><FOR>C</FOR><GIVEN>A</GIVEN><GIVEN>B</GIVEN><TABLE>{fast}</TABLE></DEFINITION></NETWORK></BIF>",
                xml_variable("A", 2),
                xml_variable("B", 3),
                xml_variable("C", 4)
            ),
        ),
        (
            FormatKind::Net,
            format!("net {{}} {nodes} potential (A) {{ data = (0.25 0.75); }} potential (B) {{ data = (0.125 0.375 0.5); }} potential (C | A B) {{ data = ({fast}); }}"),
        ),
        (
            FormatKind::Dsc,
            format!(
                "belief network \"n\" node A {{ type : discrete [ 2 ] = {{ \"a0\", \"a1\" }}; }} node B {{ type : discrete[3] = {{ \"b0\", \"b1\", \"b2\" }}; }}
                node C {{ type : discrete [4] = {{ \"c0\", \"c1\", \"c2\", \"c3\" }}; }} probability (A) {{ 0.25, 0.75; }} probability (B) {{ 0.125, 0.375, 0.5; }}
                probability (C | A, B) {{ {} }}",
                rows(|a, b| format!("({a}, {b}) :"), ", ", ";")
            ),
        ),
        (FormatKind::Uai, format!("BAYES 3 2 3 4 3 1 0 1 1 3 0 1 2  2 0.25 0.75 3 0.125 0.375 0.5 24 {fast}")),
        (
            FormatKind::Xdsl,
            format!(
                "<smile><nodes><cpt id=\"A\">{}<probabilities>0.25 0.75</probabilities></cpt><cpt id=\"B\">{}<probabilities>0.125 0.375 0.5</probabilities></cpt>
                <cpt id=\"C\">{}<parents>A B</parents><probabilities>{fast}</probabilities></cpt></nodes></smile>",
                xdsl_states('a', 2),
                xdsl_states('b', 3),
                xdsl_states('c', 4)
            ),
        ),
        (
            FormatKind::Tbn,
            format!("variable A a0/a1 0.25 variable B b0/b1/b2 0.125, 0.375, 0.5 variable C c0/c1/c2/c3 given A, B {}", rows(|a, b| format!("a{a}, b{b}:"), ", ", "")),
        ),
    ];
    for (kind, text) in cases {
        let read = document(kind, text.as_bytes());
        let read = if kind == FormatKind::Uai { names::apply(read, b"A: a0, a1\nB: b0, b1, b2\nC: c0, c1, c2, c3").unwrap() } else { read };
        assert_eq!(*read.network(), expected, "{kind}");
        assert_eq!(FormatKind::of_contents(text.as_bytes()), Some(kind));
    }
}

#[test]
fn files_of_pyagrum_and_pgmpy_are_read_as_they_meant_them() {
    let expected = asymmetric();
    for (name, tolerance) in [
        ("pyagrum.bif", 1e-16),
        ("pyagrum.net", 1e-16),
        ("pyagrum.bifxml", 1e-6),
        ("pyagrum.uai", 1e-6),
        ("pyagrum.xdsl", 1e-6),
        ("pgmpy.bif", 1e-16),
        ("pgmpy.net", 1e-8),
        ("pgmpy.xml", 1e-16),
        ("pgmpy.uai", 1e-16),
        ("pgmpy.xdsl", 1e-15),
    ] {
        let bytes = testdata(&format!("peers/{name}"));
        let (kind, contents) = format::read_any(name, &bytes).unwrap();
        assert_eq!(Some(kind), FormatKind::of_file_name(name), "{name}");
        let Contents::Network(mut read) = contents else { panic!("{name}") };
        if name == "pgmpy.uai" {
            // pgmpy writes a scope's parents last to first, and tables to match.
            read = names::apply(read, b"A: a0, a1\nB: b0, b1, b2\nC: c0, c1, c2, c3").unwrap();
            let c = read.network().find("C").unwrap();
            assert_eq!(read.network().dag().parents(c).iter().map(|parent| parent.index()).collect::<Vec<_>>(), [1, 0]);
            let values = read.network().conditional(c).to_values().unwrap();
            for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 2)] {
                assert!((values[(b * 2 + a) * 4 + 1] - expected.conditional(c).probability(a * 3 + b, 1)).abs() < 1e-16);
            }
        } else {
            assert_same(read.network(), &expected, tolerance, name);
        }
        let has_order_of_its_own = matches!(name, "pyagrum.uai" | "pyagrum.xdsl" | "pgmpy.uai");
        assert_eq!(
            read.remarks.iter().any(|remark| matches!(remark, Remark::TakenAs { .. })),
            has_order_of_its_own,
            "{name}: {:?}",
            read.remarks
        );
    }
    let intervals = document(FormatKind::Net, &testdata("peers/pyagrum-intervals.net"));
    let d = intervals.network().find("d").unwrap();
    assert_eq!(intervals.network().states(d), ["[0;1.5[", "[1.5;3[", "[3;10]"]);
    assert_same(
        document(FormatKind::XmlBif, &testdata("peers/pyagrum-intervals.bifxml")).network(),
        intervals.network(),
        1e-6,
        "intervals",
    );
    let child = bif::read(&testdata("child.bif")).unwrap().network;
    let read = document(FormatKind::Net, &testdata("peers/pgmpy-child.net"));
    assert_same(read.network(), &child, 1e-8, "child");
}

/// Rows as Hugin, GeNIe and MSBN really write them.
#[test]
fn oddities_of_hugin_genie_and_msbn() {
    let hugin = document(
        FormatKind::Net,
        br#"class unnamed1 {
            inputs = (); node_size = (80 40); HR_Zoom_ZoomFactor = "100";
            node C1 { label = "A; label"; position = (110 110); states = ("s1" "s2"); state_values = (0 2.5); HR_Desc = "what\nit is"; HR_State_0 = ""; subtype = number; }
            % a comment with } and ;
            discrete node C2 { states = ("1" "2" "3"); label = ""; }
            potential (C1) { data = (1 1); }
            potential (C2 | C1) { data = (( 0.1 0.2 0.7 ) % first
                ( 1 1 1 )); model_nodes = (); experience = (1 2); }
        }"#,
    );
    let c1 = hugin.network().find("C1").unwrap();
    assert_eq!((hugin.name.as_str(), hugin.properties.len()), ("unnamed1", 3));
    let notes = hugin.notes(c1);
    assert_eq!(
        (notes.label.as_deref(), notes.comment.as_deref(), notes.position),
        (Some("A; label"), Some("what\nit is"), Some((110.0, 110.0)))
    );
    assert_eq!(notes.state_values, Some(vec![0.0, 2.5]));
    assert_eq!(notes.properties, ["HR_State_0 = \"\"", "subtype = number"]);
    assert_eq!(*hugin.network().conditional(c1).to_values().unwrap(), [0.5, 0.5]);
    let told: Vec<String> = hugin.remarks.iter().map(Remark::to_string).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("line 8: the model of `C2`") && told[1].contains("uniform"), "{told:?}");

    let genie = document(
        FormatKind::Xdsl,
        br#"<?xml version="1.0" encoding="ISO-8859-1"?>
        <smile version="1.0" id="Network1" numsamples="1000" discsamples="10000">
          <nodes>
            <cpt id="A"><state id="High" fault="true"/><state id="Low"/><probabilities>0.2 0.8</probabilities><property id="source">caf&#233; &amp; co</property></cpt>
            <cpt id="B"><state id="Yes"/><state id="No"/><probabilities>0.4 0.6</probabilities></cpt>
            <deterministic id="D"><state id="both"/><state id="one"/><state id="none"/><parents>A B</parents><resultingstates>both one one none</resultingstates></deterministic>
            <noisymax id="N"><state id="strong"/><state id="weak"/><state id="off"/><parents>A B</parents><strengths>0 1 1 0</strengths>
              <parameters>0.5 0.3 0.2 0 0 1  0.1 0.2 0.7 0 0 1  0.05 0.05 0.9</parameters></noisymax>
          </nodes>
          <extensions><genie version="1.0" app="GeNIe 2.1" name="My network">
            <node id="A"><name>The first</name><position>10 20 110 60</position><comment>So it is</comment></node>
            <submodel id="Sub"><name>Inner part</name><node id="B"><name>B</name></node></submodel>
          </genie></extensions>
        </smile>"#,
    );
    let network = genie.network();
    let [a, b, d, n] = ["A", "B", "D", "N"].map(|name| network.find(name).unwrap());
    assert_eq!(genie.name, "My network");
    assert_eq!(
        (genie.notes(a).label.as_deref(), genie.notes(a).position, genie.notes(a).comment.as_deref()),
        (Some("The first"), Some((60.0, 40.0)), Some("So it is"))
    );
    assert_eq!(genie.notes(a).properties, ["source = café & co"]);
    assert_eq!((&genie.notes(b).submodel[..], &genie.notes(b).label), (&["Inner part".to_string()][..], &None));
    assert_eq!(*network.conditional(d).to_values().unwrap(), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    // B's strengths are No before Yes: its first column is of No.
    let rows = network.conditional(n).to_values().unwrap();
    let close = |row: usize, expected: [f64; 3]| (0..3).all(|state| (rows[row * 3 + state] - expected[state]).abs() < 1e-15);
    assert!(close(2, [0.05, 0.05, 0.9]), "{rows:?}");
    assert!(close(0, [1.0 - 0.5 * 0.95, 0.5 * 0.95 - 0.2 * 0.9, 0.2 * 0.9]), "{rows:?}");
    assert!(close(3, [1.0 - 0.9 * 0.95, 0.9 * 0.95 - 0.7 * 0.9, 0.7 * 0.9]), "{rows:?}");

    let msbn = document(
        FormatKind::Dsc,
        b"belief network \"Sub0\"\nnode N2\n{\n name : \"Age\";\n type : discrete[2] =\n {\n \"S_0_72\",\n \"S_73\"\n };\n position : (207, 95);\n}\n
        node N3 { type: discrete[2] = { \"f\", \"m\" }; }\nprobability (N2)\n{\n 0.25, 0.75;\n}\nprobability (N3 | N2)\n{ (0, 0) : 0.1, 0.9\n ;\n (0, 0) : 0.6, 0.4; }",
    );
    let n3 = msbn.network().find("N3").unwrap();
    assert_eq!(*msbn.network().conditional(n3).to_values().unwrap(), [0.1, 0.9, 0.6, 0.4]);
    assert_eq!(msbn.notes(msbn.network().find("N2").unwrap()).label.as_deref(), Some("Age"));
    assert!(msbn.remarks[0].to_string().contains("as GeNIe writes them"));
}

#[test]
fn packed_files_are_read() {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&testdata("asia.bif")).unwrap();
    let packed = packer.finish().unwrap();
    let (kind, Contents::Network(asia)) = format::read_any("x", &packed).unwrap() else { panic!() };
    assert_eq!((kind, asia.network().n_variables()), (FormatKind::Bif, 8));
    let broken = format::read_any("x", &packed[..packed.len() / 2]).unwrap_err();
    assert!(broken.what.starts_with("the gzip is broken"), "{broken}");
    assert!(format::read_any("asia.csv", b"a,b\n1,2").unwrap_err().what.contains("no format"));
}

#[test]
fn broken_files_are_told_by_line_and_column() {
    let nodes = "net {}\nnode A { states = (\"y\" \"n\"); }\n";
    let dsc = "belief network \"x\"\nnode A { type : discrete [2] = { \"y\", \"n\" }; }\n";
    let xml = |inside: &str| {
        format!(
            "<BIF VERSION=\"0.3\">\n<NETWORK>\n<VARIABLE><NAME>A</NAME><OUTCOME>y</OUTCOME><OUTCOME>n</OUTCOME></VARIABLE>\n{inside}</NETWORK></BIF>"
        )
    };
    let xdsl = |inside: &str| format!("<smile>\n<nodes>\n{inside}\n</nodes></smile>");
    let cases: [(FormatKind, String, &str); 36] = [
        (FormatKind::Net, "hello".into(), "1:1: expected `net`, `node` or `potential`, found `hello`"),
        (
            FormatKind::Net,
            format!("{nodes}potential (A) {{ data = (0.5 0.4); }}"),
            "3:25: the table of `A`, row 1: the probabilities sum to 0.9, not to 1",
        ),
        (
            FormatKind::Net,
            format!("{nodes}potential (A) {{ data = (0 0); }}"),
            "3:25: the table of `A`, row 1: the probabilities sum to 0, not to 1",
        ),
        (FormatKind::Net, format!("{nodes}potential (A) {{ data = (0.5 oops); }}"), "3:29: `oops` is not a number"),
        (FormatKind::Net, format!("{nodes}potential (A) {{ data = (0.5 0.5; }}"), "3:32: expected a number, found `;`"),
        (FormatKind::Net, format!("{nodes}potential (A) {{ data = (1); }}"), "3:12: the table of `A` has 1 probabilities, not 2"),
        (FormatKind::Net, format!("{nodes}potential (B) {{ }}"), "3:12: no variable is named `B`"),
        (
            FormatKind::Net,
            format!("{nodes}potential (A) {{ model_nodes = ();\nmodel_data = (Normal (0, 1)); }}"),
            "3:17: the table of `A` is given by a model",
        ),
        (FormatKind::Net, "continuous node A { }".into(), "1:1: nodes of kind `continuous` are not read"),
        (FormatKind::Net, "net {}\nnode A { label = \"no end }".into(), "2:18: this attribute has no end"),
        (FormatKind::Net, "net {}\nnode A { }".into(), "2:6: node `A` has no states"),
        (FormatKind::Dsc, "hello".into(), "1:1: expected `belief network`, `node` or `probability`, found `hello`"),
        (
            FormatKind::Dsc,
            format!("{dsc}probability (A) {{ 0.5, 0.4; }}"),
            "3:19: the table of `A`, row 1: the probabilities sum to 0.9, not to 1",
        ),
        (FormatKind::Dsc, format!("{dsc}probability (A) {{ 0.5; }}"), "3:19: expected 2 probabilities, found 1"),
        (FormatKind::Dsc, format!("{dsc}probability (A) {{ (0) : 0.5, 0.5; }}"), "3:19: this row names 1 states, but there are 0 parents"),
        (
            FormatKind::Dsc,
            "node A { type : discrete [ 999999999999 ] = { \"y\" }; }".into(),
            "1:10: 999999999999 states are said to follow, but there are 1",
        ),
        (FormatKind::XmlBif, "<a/>".into(), "1:1: expected `<BIF>`, found `<a>`"),
        (FormatKind::XmlBif, "<BIF>\n<NETWORK>".into(), "2:1: `<NETWORK>` has no end"),
        (FormatKind::XmlBif, "<BIF>\n<NETWORK></BIF>".into(), "2:10: the XML is broken"),
        (FormatKind::XmlBif, xml(""), "3:17: variable `A` has no probabilities"),
        (
            FormatKind::XmlBif,
            xml("<DEFINITION><FOR>A</FOR>\n<TABLE>\n 0.5 <!-- c -->\n oops</TABLE></DEFINITION>"),
            "7:2: `oops` is not a number",
        ),
        (FormatKind::XmlBif, xml("<DEFINITION><FOR>A</FOR>\n<TABLE>\n 0.5 0.4</TABLE></DEFINITION>"), "6:2: the table of `A`, row 1"),
        (FormatKind::XmlBif, xml("<DEFINITION><FOR>&bomb;</FOR></DEFINITION>"), "4:18: the entity `&bomb;` is not known"),
        (
            FormatKind::XmlBif,
            xml("<VARIABLE TYPE=\"decision\"><NAME>B</NAME></VARIABLE>"),
            "4:1: variables of type `decision` are not read",
        ),
        (FormatKind::Xdsl, xdsl("<equation id=\"E\"/>"), "3:1: nodes of type `equation` are not read"),
        (FormatKind::Xdsl, xdsl("<cpt/>"), "3:1: `<cpt>` has no `id`"),
        (FormatKind::Xdsl, xdsl("<cpt id=\"A\"><state id=\"y\"/></cpt>"), "3:1: node `A` has no `<probabilities>`"),
        (
            FormatKind::Xdsl,
            xdsl("<cpt id=\"A\"><state id=\"y\"/><state id=\"n\"/><probabilities>0.5 0.4</probabilities></cpt>"),
            "3:58: the table of `A`, row 1",
        ),
        (
            FormatKind::Xdsl,
            xdsl("<cpt id=\"A\"><state id=\"y\"/><parents>Z</parents><probabilities>1</probabilities></cpt>"),
            "3:37: no variable is named `Z`",
        ),
        (FormatKind::Uai, "HELLO".into(), "1:1: expected `BAYES`, found `HELLO`"),
        (FormatKind::Uai, "BAYES\n99999999999".into(), "2:12: expected the number of states of a variable, found the end of the text"),
        (
            FormatKind::Uai,
            "BAYES\n1\n2\n1\n1 0\n2\n0.5 0.4".into(),
            "7:1: the table of `X0`, row 1: the probabilities sum to 0.9, not to 1",
        ),
        (FormatKind::Uai, "BAYES\n1\n2\n1\n1 7".into(), "5:3: there is no variable 7"),
        (FormatKind::Uai, "BAYES\n1\n2\n1\n1 0\n3\n0.5 0.5".into(), "6:1: a table of 3 entries for 2"),
        (FormatKind::Dot, "digraph { A -> B; B -> A }".into(), "1:11: the arcs make a cycle: A → B → A"),
        (FormatKind::Dot, "graph { A -- B }".into(), "1:1: expected `digraph`, found `graph`"),
    ];
    for (kind, text, told) in cases {
        let error = format::read(kind, text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(told), "{kind}: {text}\nsaid: {error}\nnot:  {told}");
    }
}

#[test]
fn names_of_another_network_are_refused() {
    let uai = || document(FormatKind::Uai, b"BAYES 1 2 1 1 0 2 0.5 0.5");
    let told = |names: &str| names::apply(uai(), names.as_bytes()).unwrap_err().to_string();
    assert!(told("A: y, n, m").starts_with("1:1: variable 0 has 2 states, and these are 3 names"));
    assert!(told("A: y, n\nB: y, n").starts_with("2:1: the network has 1 variables"));
    assert!(told("# none\n").starts_with("2:1: names of 0 variables, but the network has 1"));
    assert!(told("A y, n").starts_with("1:3: expected `:` after `A`"));
}

/// A network's comment, labels of states and their numbers go through XDSL; what does not is said.
#[test]
fn xdsl_keeps_what_is_said_of_states_and_the_network_or_says_what_it_drops() {
    let text = "<smile id=\"N\">\n<nodes>
        <cpt id=\"A\" diagtype=\"target\"><state id=\"a\" label=\"Good &amp; fine\" value=\"1.5\"/><state id=\"b\" value=\"2\" fault=\"true\"/><probabilities>0.2 0.8</probabilities></cpt>
        </nodes>\n<extensions><genie name=\"N\"><comment>a note\nof two lines</comment>
        <submodel id=\"S\"><textbox><caption>Hello</caption></textbox></submodel><textbox/><arccomment parent=\"A\" child=\"B\"/></genie></extensions></smile>";
    let read = |text: &str| match format::read(FormatKind::Xdsl, text.as_bytes()).unwrap() {
        Contents::Network(document) => document,
        other => panic!("{other:?}"),
    };
    let document = read(text);
    let notes = document.notes(VarId::new(0));
    assert_eq!(notes.state_values.as_deref(), Some(&[1.5, 2.0][..]));
    assert_eq!(notes.properties, ["state_labels = (\"Good & fine\", \"\")"]);
    assert_eq!(document.properties, ["comment = \"a note\\nof two lines\""]);
    let said: Vec<String> = document.remarks.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "line 3: `fault` of `<state>` is not kept",
            "line 3: `diagtype` of `<cpt>` is not kept",
            "line 7: `<textbox>`, of which there are 2, is not kept",
            "line 7: `<arccomment>` is not kept",
        ]
    );
    let written = format::write(FormatKind::Xdsl, &document).unwrap();
    assert!(written.lost.is_empty(), "{:?}", written.lost);
    assert!(written.text.contains("label=\"Good &amp; fine\"") && written.text.contains("<comment>a note"), "{}", written.text);
    let again = read(&written.text);
    assert_eq!((again.notes(VarId::new(0)), &again.properties), (notes, &document.properties));
}
