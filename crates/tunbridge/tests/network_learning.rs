//! Networks whose graph is known, learned from tables: against hand-made counts, pyAgrum's tables, enumeration and simulation.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tunbridge::belief::{Chunk, Codes, Column, Rng, random_stream};
use tunbridge::data::{OutputFormat, ReadOptions, UnknownStates};
use tunbridge::net::ask::{Oracle, Outcome, Question, Value};
use tunbridge::net::parameters::{Estimate, Pseudocounts};
use tunbridge::net::{RandomShape, random_network};
use tunbridge::network::{
    self, CredibleOptions, EmPlan, FormatKind, Imputation, ImputeOptions, Imputed, NetworkFile, NetworkModel, NetworkOptions,
};
use tunbridge::{Classifier, Model};

use common::Folder;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn flu() -> NetworkFile {
    NetworkFile::open(&root().join("examples/flu.tbn")).unwrap()
}

fn ml() -> NetworkOptions {
    NetworkOptions { pseudocounts: Pseudocounts::None, ..NetworkOptions::default() }
}

fn learned(path: &Path, graph: &NetworkFile, options: &NetworkOptions) -> NetworkModel {
    network::learn(&[path], graph, options).unwrap().model
}

fn refused(path: &Path, graph: &NetworkFile, options: &NetworkOptions) -> (String, String) {
    let error = network::learn(&[path], graph, options).err().expect("it is refused");
    (error.to_string(), error.hint().unwrap_or_default())
}

fn table(model: &NetworkModel, name: &str) -> Vec<f64> {
    let network = model.network();
    network.table(network.find(name).unwrap()).unwrap().to_vec()
}

/// The flu network of the lectures with everything observed: θ(s | f, a) = #(f, a, s)/#(f, a), counted by hand.
#[test]
fn the_flu_network_by_maximum_likelihood() {
    let folder = Folder::new();
    // Flu, Allergy, Sinus, Headache, Nose
    let rows = "yes,no,yes,yes,runny\nyes,no,yes,yes,dry\nyes,no,no,no,dry\nno,yes,yes,no,runny\nno,yes,yes,yes,runny\nno,yes,no,no,dry\n\
                no,no,no,no,dry\nno,no,no,no,runny\nno,no,no,yes,dry\nno,no,no,no,dry\n";
    let path = folder.write("flu.csv", &format!("Flu,Allergy,Sinus,Headache,Nose\n{rows}"));
    let model = learned(&path, &flu(), &ml());
    assert_eq!(table(&model, "Flu"), [0.3, 0.7]);
    assert_eq!(table(&model, "Allergy"), [0.3, 0.7]);
    // Both at once was never seen: uniform, and told of.
    assert_eq!(table(&model, "Sinus"), [0.5, 0.5, 2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0, 0.0, 1.0]);
    assert_eq!(table(&model, "Headache"), [0.75, 0.25, 1.0 / 6.0, 5.0 / 6.0]);
    assert_eq!(table(&model, "Nose"), [0.75, 0.25, 1.0 / 6.0, 5.0 / 6.0]);
    let sinus = model.network().find("Sinus").unwrap();
    assert_eq!(model.unseen(), [(sinus, 0)]);
    assert_eq!(model.configuration(sinus, 0), "Flu=yes, Allergy=yes");
    assert_eq!(model.ln_marginal_likelihood(), None);
    let by_hand = 2.0 * (3.0 * 0.3_f64.ln() + 7.0 * 0.7_f64.ln())
        + 2.0 * (2.0 * (2.0 / 3.0_f64).ln() + (1.0 / 3.0_f64).ln())
        + 2.0 * (3.0 * 0.75_f64.ln() + 0.25_f64.ln() + (1.0 / 6.0_f64).ln() + 5.0 * (5.0 / 6.0_f64).ln());
    assert!((model.ln_likelihood().unwrap() - by_hand).abs() < 1e-12);
    let (what, hint) = refused(&path, &flu(), &NetworkOptions { strict: true, ..ml() });
    assert!(what.contains("`Sinus` was never seen with Flu=yes, Allergy=yes") && hint.contains("bdeu:1"), "{what} {hint}");
}

/// All tables of asia under three priors, as pyAgrum 3.3.1 learns them; the columns have other names than the network.
#[test]
fn tables_are_those_of_pyagrum() {
    let testdata = root().join("testdata/parameters");
    let references: serde_json::Value = serde_json::from_slice(&std::fs::read(testdata.join("asia.json")).unwrap()).unwrap();
    let asia = NetworkFile::open(&root().join("testdata/networks/asia.bif")).unwrap();
    let names = [("A", "asia"), ("S", "smoke"), ("T", "tub"), ("L", "lung"), ("B", "bronc"), ("E", "either"), ("X", "xray"), ("D", "dysp")];
    let map: Vec<String> = names.iter().map(|(column, variable)| format!("{column}:{variable}")).collect();
    let name_of: BTreeMap<&str, &str> = names.into_iter().collect();
    let mut n_compared = 0;
    for (estimate, tables) in references["tables"].as_object().unwrap() {
        let mut options = NetworkOptions { pseudocounts: estimate.parse().unwrap(), ..NetworkOptions::default() };
        options.read.names = map.join(",").parse().unwrap();
        let model = learned(&testdata.join("asia.csv.gz"), &asia, &options);
        let network = model.network();
        for (column, entries) in tables.as_object().unwrap() {
            let variable = network.find(name_of[column.as_str()]).unwrap();
            for entry in entries.as_array().unwrap() {
                let mut states = vec![0; network.n_variables()];
                for (column, state) in entry[0].as_object().unwrap() {
                    let of = network.find(name_of[column.as_str()]).unwrap();
                    states[of.index()] = network.find_state(of, state.as_str().unwrap()).unwrap();
                }
                let (p, theirs) = (network.local_probability(variable, &states), entry[1].as_f64().unwrap());
                assert!((p - theirs).abs() < 1e-12, "{estimate} {column} {entry}: {p}");
                n_compared += 1;
            }
        }
    }
    assert_eq!(n_compared, 3 * 36);
}

#[test]
fn priors_of_single_variables_experts_and_tables_that_stay() {
    let folder = Folder::new();
    let path = folder.write("t.csv", "Flu,Allergy,Sinus,Headache,Nose\nyes,no,yes,yes,runny\nno,no,no,no,dry\n");
    let mut options = NetworkOptions { fix: vec!["Nose".into()], ess_of: [("Flu".to_string(), 8.0)].into(), ..NetworkOptions::default() };
    let model = learned(&path, &flu(), &options);
    assert_eq!(table(&model, "Flu"), [0.5, 0.5]);
    let given = flu();
    let given = given.network().unwrap();
    assert_eq!(table(&model, "Nose")[..], given.table(given.find("Nose").unwrap()).unwrap()[..]);
    assert_eq!(model.experience(model.network().find("Nose").unwrap()), None);
    assert_eq!(model.experience(model.network().find("Flu").unwrap()), Some(vec![10.0]));
    assert_eq!(model.prior_words(), "bdeu:1, Flu bdeu:8, Nose as given");
    // An expert's tables that count as n rows: (n·P(cell) + N)/(n·P(row) + N).
    options = NetworkOptions { prior_network: Some((flu(), 20.0)), ..NetworkOptions::default() };
    let model = learned(&path, &flu(), &options);
    assert!((table(&model, "Flu")[0] - (20.0 * 0.1 + 1.0) / 22.0).abs() < 1e-15);
    let p_row = 20.0 * 0.1 * 0.8;
    assert!((table(&model, "Sinus")[2] - (p_row * 0.8 + 1.0) / (p_row + 1.0)).abs() < 1e-12);
    options = NetworkOptions { estimate: Estimate::Map, pseudocounts: Pseudocounts::PerCell(2.0), ..NetworkOptions::default() };
    assert_eq!(table(&learned(&path, &flu(), &options), "Flu"), [0.5, 0.5]);
}

#[test]
fn weights_count_as_often_as_they_say() {
    let folder = Folder::new();
    let weighed = folder.write("w.csv", "Flu,n,Fever\nyes,3,high\nyes,1,none\nno,2,none\nno,0,high\n");
    let repeated = folder.write("r.csv", "Flu,Fever\nyes,high\nyes,high\nyes,high\nyes,none\nno,none\nno,none\n");
    let graph = NetworkFile::open("Flu->Fever".as_ref()).unwrap();
    let mut options = NetworkOptions::default();
    let plain = learned(&repeated, &graph, &options);
    options.read.weight = Some("n".into());
    let model = learned(&weighed, &graph, &options);
    assert_eq!(model.observed(), plain.observed());
    assert_eq!(model.network(), plain.network());
}

/// Rows that join, leave, or come from two sites: the same model as learning on all, bit for bit.
#[test]
fn update_forget_and_merge_are_exact() {
    let folder = Folder::new();
    let text = std::fs::read_to_string(root().join("examples/flu.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let part = |name: &str, range: std::ops::Range<usize>| folder.write(name, &format!("{}\n{}\n", lines[0], lines[range].join("\n")));
    let (all, a, b) = (part("all.csv", 1..201), part("a.csv", 1..120), part("b.csv", 120..201));
    let options = NetworkOptions::default();
    let [whole, first, second] = [&all, &a, &b].map(|path| learned(path, &flu(), &options));
    let same = |model: &NetworkModel, as_this: &NetworkModel| {
        assert_eq!(model.observed(), as_this.observed());
        assert_eq!(model.network(), as_this.network());
    };
    let updated = network::update(&first, &[&b], ReadOptions::default(), None, None, &EmPlan::default()).unwrap().model;
    same(&updated, &whole);
    same(&network::merge(&first, &second, None, &EmPlan::default(), 1).unwrap().model, &whole);
    same(&network::forget(&updated, &[&b], ReadOptions::default(), &EmPlan::default()).unwrap().model, &first);
    assert!(
        network::forget(&first, &[&b], ReadOptions::default(), &EmPlan::default())
            .err()
            .unwrap()
            .to_string()
            .contains("not all in the model")
    );
    let faded = network::update(&first, &[&b], ReadOptions::default(), None, Some(0.5), &EmPlan::default()).unwrap().model;
    assert_eq!(faded.n_rows(), 119.0 / 2.0 + 81.0);
    let flu = |model: &NetworkModel| model.observed().counts.of(0)[0];
    assert_eq!(flu(&faded), flu(&first) / 2.0 + flu(&second));
    assert!(network::update(&first, &[&b], ReadOptions::default(), None, Some(0.0), &EmPlan::default()).is_err());
    let other = learned(&b, &self::flu(), &NetworkOptions { pseudocounts: Pseudocounts::PerCell(1.0), ..NetworkOptions::default() });
    assert!(
        network::merge(&first, &other, None, &EmPlan::default(), 1).err().unwrap().to_string().contains("different priors: bdeu:1; and k2")
    );
    assert_eq!(network::merge(&first, &other, Some(Pseudocounts::None), &EmPlan::default(), 1).unwrap().model.observed(), whole.observed());
}

/// States that the data told may become more; those that a network declared may not.
#[test]
fn new_states_join_only_where_none_were_declared() {
    let folder = Folder::new();
    let before = folder.write("a.csv", "Flu,Fever\nyes,high\nno,none\n");
    let after = folder.write("b.csv", "Flu,Fever\nyes,low\nno,none\nmaybe,none\n");
    let graph = NetworkFile::open("Flu->Fever".as_ref()).unwrap();
    let model = learned(&before, &graph, &ml());
    let changed = network::update(&model, &[&after], ReadOptions::default(), None, None, &EmPlan::default()).unwrap();
    assert_eq!(changed.remarks, ["`Flu` has a new state: `maybe`", "`Fever` has a new state: `low`"]);
    let both = folder.write("c.csv", "Flu,Fever\nyes,high\nno,none\nyes,low\nno,none\nmaybe,none\n");
    assert_eq!(changed.model.network(), learned(&both, &graph, &ml()).network());
    let states = [("Flu".to_string(), vec!["no".to_string(), "yes".into()])].into();
    let declared = learned(&before, &graph, &NetworkOptions { states, ..ml() });
    let error = network::update(&declared, &[&after], ReadOptions::default(), None, None, &EmPlan::default()).err().unwrap();
    assert!(error.to_string().contains("`Flu` has values that are no states of the network: `maybe`"), "{error}");
}

#[test]
fn what_does_not_fit_is_told_with_a_way_out() {
    let folder = Folder::new();
    let header = "id,Flu,Allergy,Sinus,Headache,Nose\n";
    let path = folder.write("bad.csv", &format!("{header}1,yes,no,yes,yes,runny\n2,yes,no,yes,yes,runing\n"));
    let (what, hint) = refused(&path, &flu(), &ml());
    assert!(what.contains("bad.csv:3: column `Nose`: `runing` is not one of its states; its states are runny, dry"), "{what}");
    assert!(hint.contains("--unknown-states missing") && hint.contains("--map 'Nose=runing:Nose=runny'"), "{hint}");
    let mut options = ml();
    options.unknown_states = UnknownStates::Missing;
    let found = network::learn(&[&path], &flu(), &options).unwrap();
    assert_eq!(found.model.observed().gaps.missing(), [0.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(found.report.n_unknown[4], 1);
    assert!(found.remarks.iter().any(|text| text.contains("passed over") && text.contains("`id`")), "{:?}", found.remarks);
    options = ml();
    options.read.names = "Nose=runing:Nose=runny".parse().unwrap();
    assert_eq!(table(&learned(&path, &flu(), &options), "Nose")[0], 1.0);
    options.read.names = "Nose=runing:Nose=wet".parse().unwrap();
    assert!(refused(&path, &flu(), &options).0.contains("no state of `Nose`"));
    options.read.names = "id:Flu".parse().unwrap();
    assert!(refused(&path, &flu(), &options).0.contains("`Flu`"));
    let good = folder.write("good.csv", &format!("{header}1,yes,no,yes,yes,runny\n"));
    let start = NetworkOptions { start: Some(flu()), ..ml() };
    assert!(refused(&good, &flu(), &start).0.contains("no value is missing"));
    let numbers: String = (0..200).map(|n| format!("{n}.5,yes\n")).collect();
    let numbers = folder.write("numbers.csv", &format!("x,y\n{numbers}"));
    // Numbers are cut into bins; called states, they are too many.
    let arc = NetworkFile::open("x->y".as_ref()).unwrap();
    assert_eq!(learned(&numbers, &arc, &ml()).network().n_states(tunbridge::belief::VarId::new(0)), 5);
    let mut as_states = ml();
    as_states.read.types = vec![("x".into(), tunbridge::data::ColumnType::Category)];
    assert!(refused(&numbers, &arc, &as_states).0.contains("200 different numbers"));
    let hidden = NetworkFile::open("y->z".as_ref()).unwrap();
    assert!(refused(&numbers, &hidden, &ml()).1.contains("--states 'z=yes/no'"));
    let empty = folder.write("empty.csv", "x,y\n,yes\n,no\n");
    assert!(refused(&empty, &NetworkFile::open("x->y".as_ref()).unwrap(), &ml()).0.contains("no value in any row"));
    let zero = folder.write("zero.csv", "y,w\nyes,0\n");
    options = ml();
    options.read.weight = Some("w".into());
    assert!(refused(&zero, &NetworkFile::open("[y]".as_ref()).unwrap(), &options).0.contains("no rows"));
}

/// Numbers that name states are read as the states that the network declares, however they are written.
#[test]
fn numbers_are_states_where_the_network_says_so() {
    let folder = Folder::new();
    let net = folder.write("n.tbn", "variable Level 0/1/2\n  0.2, 0.3, 0.5\n");
    let path = folder.write("n.csv", "Level\n1\n1.0\n2\n0\n");
    assert_eq!(table(&learned(&path, &NetworkFile::open(&net).unwrap(), &ml()), "Level"), [0.25, 0.5, 0.25]);
}

#[test]
fn a_model_file_holds_it_all_and_is_a_network() {
    let folder = Folder::new();
    let mut options = NetworkOptions::default();
    options.read.target = Some("Flu".into());
    let model = learned(&root().join("examples/flu.csv"), &flu(), &options);
    let path = folder.0.path().join("flu.tb");
    Model::Network(Box::new(model.clone())).save(&path, false).unwrap();
    let Model::Network(back) = Model::load(&path).unwrap() else { panic!("a network") };
    assert_eq!((back.network(), back.observed(), back.prior()), (model.network(), model.observed(), model.prior()));
    let file = NetworkFile::open(&path).unwrap();
    assert_eq!(file.network(), Some(model.network()));
    // Hugin's experience: N + α of each configuration, kept by the reader and written again as it was.
    let net = network::written(&file, FormatKind::Net).unwrap().text;
    assert!(net.contains("experience = ((9.25 14.25) (38.25 139.25));") && net.contains("experience = (201);"), "{net}");
    let there = folder.write("flu.net", &net);
    let again = NetworkFile::open(&there).unwrap();
    assert!(again.remarks().is_empty(), "{:?}", again.remarks());
    assert_eq!(network::written(&again, FormatKind::Net).unwrap().text, net);
    assert!(!network::written(&file, FormatKind::Bif).unwrap().text.contains("experience"));
}

/// Rows of any gaps: the classifier's answer is that of all worlds, also where tables have zeros.
#[test]
fn classes_are_those_of_enumeration() {
    let folder = Folder::new();
    let mut rng = random_stream(11, 0);
    for seed in 0..12 {
        let shape = RandomShape { n_variables: 6, p_zero: if seed % 2 == 0 { 0.3 } else { 0.0 }, ..RandomShape::default() };
        let network = random_network(seed, &shape).unwrap();
        let n = network.n_variables();
        // All tables stay, so that the model is this network.
        let names = network.structure().names().to_vec();
        let header = format!("{}\n", names.join(","));
        let row: Vec<String> = network.dag().variables().map(|v| network.states(v)[0].clone()).collect();
        let path = folder.write("t.csv", &format!("{header}{}\n", row.join(",")));
        let document = tunbridge::net::format::Document::new("", network.clone());
        let mut options = NetworkOptions { fix: names.clone(), ..NetworkOptions::default() };
        let target = tunbridge::net::VarId::new(seed as usize % n);
        options.read.target = Some(network.name(target).into());
        let model = learned(&path, &NetworkFile::of_document(document), &options);
        let classifier = model.classifier(1 << 30).unwrap();
        const ROWS: usize = 40;
        let states: Vec<Vec<u8>> = network
            .dag()
            .variables()
            .map(|v| {
                (0..ROWS)
                    .map(|row| {
                        if row % 3 > 0 && rng.next_u32().is_multiple_of(3) {
                            255
                        } else {
                            (rng.next_u32() as usize % network.n_states(v)) as u8
                        }
                    })
                    .collect()
            })
            .collect();
        let columns: Vec<Column<'_>> = states
            .iter()
            .zip(network.dag().variables())
            .map(|(codes, v)| Column::Categorical { codes: Codes::U8(codes), n_states: network.n_states(v) })
            .collect();
        let mut ln = Vec::new();
        classifier.ln_posteriors(&Chunk { first_row: 0, n_rows: ROWS, columns: &columns, weights: None }, &mut ln).unwrap();
        for (row, found) in ln.chunks_exact(network.n_states(target)).enumerate() {
            let mut evidence = tunbridge::net::Evidence::none();
            for v in network.dag().variables().filter(|v| *v != target && states[v.index()][row] != 255) {
                evidence.observe(&network, v, states[v.index()][row].into()).unwrap();
            }
            match tunbridge::net::enumeration::enumerate(&network, &[target], &evidence).unwrap() {
                tunbridge::net::Answer::Possible { answer, .. } => {
                    for (ln, p) in found.iter().zip(&answer.probabilities) {
                        assert!((ln.exp() - p).abs() < 1e-12, "seed {seed} row {row}: {} {p}", ln.exp());
                    }
                }
                _ => assert!(found.iter().all(|ln| *ln == f64::NEG_INFINITY), "seed {seed} row {row}: {found:?}"),
            }
        }
    }
}

fn filled(path: &Path, format: OutputFormat, draw: Option<u64>, threads: usize) -> (String, Imputed) {
    let read = ReadOptions { threads, ..ReadOptions::default() };
    let options = ImputeOptions { read, unknown_states: UnknownStates::Error, draw, memory: 1 << 30 };
    let mut out = Vec::new();
    let done = Imputation::open(&flu(), &[path], options).unwrap().write(format, &mut out).unwrap();
    (String::from_utf8(out).unwrap(), done)
}

/// Gaps get the most probable values together, columns of others pass through, and what was filled is marked.
#[test]
fn gaps_are_filled_and_marked() {
    let folder = Folder::new();
    let path = folder.write("t.csv", "id,Flu,Allergy,Headache,Nose\n1,yes,no,yes,runny\n\"2,b\",,no,yes,runny\n3,,,,\n4,?,yes,no,\n");
    let (text, done) = filled(&path, OutputFormat::Csv, None, 1);
    assert_eq!(
        text,
        "id,Flu,Allergy,Headache,Nose,imputed\n1,yes,no,yes,runny,\n\"2,b\",yes,no,yes,runny,Flu\n3,no,no,no,dry,Flu;Allergy;Headache;Nose\n\
         4,no,yes,no,dry,Flu;Nose\n"
    );
    let counts: Vec<(&str, u64)> = done.filled.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(counts, [("Flu", 3), ("Allergy", 1), ("Headache", 1), ("Nose", 2)]);
    let (text, _) = filled(&path, OutputFormat::JsonLines, None, 2);
    let second = text.lines().nth(1).unwrap();
    assert_eq!(second, r#"{"row":2,"values":{"id":"2,b","Flu":"yes","Allergy":"no","Headache":"yes","Nose":"runny"},"imputed":["Flu"]}"#);
    // The values of rows 2 and 4 by the list of all worlds.
    let oracle = flu().oracle(1 << 30);
    for (question, flu) in [("argmax Flu | Allergy=no, Headache=yes, Nose=runny", 0), ("argmax Flu, Nose | Allergy=yes, Headache=no", 1)] {
        let Outcome::Found { value: Value::Best(best), .. } = oracle.answer(&question.parse().unwrap()).unwrap().outcome else { panic!() };
        assert_eq!(best[0].states[0].1, flu, "{question}");
    }
}

/// Draws have the frequencies of the posterior, and do not depend on threads.
#[test]
fn gaps_are_drawn_from_their_distribution() {
    let folder = Folder::new();
    let path = folder.write("t.csv", &format!("Flu,Sinus,Nose\n{}", ",,runny\n".repeat(4000)));
    let (text, _) = filled(&path, OutputFormat::Csv, Some(3), 1);
    assert_eq!(text, filled(&path, OutputFormat::Csv, Some(3), 7).0);
    assert_ne!(text, filled(&path, OutputFormat::Csv, Some(4), 1).0);
    let oracle = flu().oracle(1 << 30);
    for (flu, sinus) in [("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no")] {
        let n = text.lines().filter(|line| line.starts_with(&format!("{flu},{sinus},"))).count() as f64;
        let question = format!("P(Flu={flu}, Sinus={sinus} | Nose=runny)");
        let Outcome::Found { value: Value::Probability(p), .. } = oracle.answer(&question.parse().unwrap()).unwrap().outcome else {
            panic!()
        };
        assert!((n - 4000.0 * p).abs() < 4.0 * (4000.0 * p * (1.0 - p)).sqrt(), "{question}: {n} of 4000, {p}");
    }
}

fn intervals(model: &NetworkModel, question: &str, options: &CredibleOptions) -> Vec<[f64; 2]> {
    let oracle = Oracle::of_network(model.network().clone());
    let question = Question::resolve(oracle.domain(), &question.parse().unwrap()).unwrap();
    let reply = oracle.reply(&question).unwrap();
    model.credible(&question, &reply.outcome, options).unwrap().intervals
}

#[test]
fn intervals_do_not_depend_on_threads_and_are_those_of_a_beta_distribution() {
    let model = learned(&root().join("examples/flu.csv"), &flu(), &NetworkOptions::default());
    let all = |n_threads| {
        let options = CredibleOptions { n_draws: 300, n_threads, ..CredibleOptions::default() };
        let questions = ["P(* | Headache=yes)", "argmax:3 Flu, Allergy | Nose=runny", "P(Flu | Sinus)", "H(Flu | Nose=dry)"];
        questions.map(|question| intervals(&model, question, &options))
    };
    let one = all(1);
    assert_eq!((&one, &one), (&all(2), &all(7)));
    assert_eq!(one.each_ref().map(Vec::len), [10, 3, 4, 1]);
    // P(Flu) ~ Beta(N + α): the quantiles of 20,000 draws are within 0.004 of R's qbeta(c(0.025, 0.975), 23.5, 177.5).
    let options = CredibleOptions { n_draws: 20_000, n_threads: 2, ..CredibleOptions::default() };
    let counts = model.observed().counts.of(0);
    let [low, high] = intervals(&model, "P(Flu=yes)", &options)[0];
    let (a, b) = (counts[0] + 0.5, counts[1] + 0.5);
    let (mean, sd) = (a / (a + b), (a * b / ((a + b) * (a + b) * (a + b + 1.0))).sqrt());
    assert!((low - (mean - 1.96 * sd)).abs() < 0.01 && (high - (mean + 1.96 * sd)).abs() < 0.01, "{low} {high} {mean} {sd}");
}

/// Data sets from tables that are drawn from the prior: the share of intervals that hold the true answer.
fn coverage(n_sets: u64, p_missing: f64) -> (u64, u64) {
    let folder = Folder::new();
    let graph = NetworkFile::of_document(flu().document().unwrap().clone());
    let prior = NetworkOptions { pseudocounts: Pseudocounts::EquivalentSampleSize(8.0), ..NetworkOptions::default() };
    let seed_row = folder.write("one.csv", "Flu,Allergy,Sinus,Headache,Nose\nyes,no,yes,yes,runny\n");
    // The prior itself: a model of one row that is taken back out.
    let before =
        network::forget(&learned(&seed_row, &graph, &prior), &[&seed_row], ReadOptions::default(), &EmPlan::default()).unwrap().model;
    let questions = ["P(Flu=yes | Headache=yes)", "P(Sinus=yes | Nose=runny, Allergy=no)", "P(Headache=yes)"];
    let (mut n, mut inside) = (0, 0);
    for set in 0..n_sets {
        let mut rng = random_stream(77, set);
        let truth = before.posterior().draw(&mut rng).to_network(before.network().domain().clone()).unwrap();
        let mut text = "Flu,Allergy,Sinus,Headache,Nose\n".to_string();
        for _ in 0..20 {
            let mut states = vec![0; truth.n_variables()];
            for v in truth.dag().topological_order() {
                let u = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                let mut sum = 0.0;
                for state in 0..truth.n_states(v) {
                    states[v.index()] = state;
                    sum += truth.local_probability(v, &states);
                    if u < sum {
                        break;
                    }
                }
            }
            let mut row: Vec<&str> = truth.dag().variables().map(|v| truth.states(v)[states[v.index()]].as_str()).collect();
            let is_lost = |_: &usize| p_missing > 0.0 && (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 <= p_missing;
            (0..row.len()).filter(is_lost).collect::<Vec<_>>().into_iter().for_each(|place| row[place] = "?");
            text += &format!("{}\n", row.join(","));
        }
        let mut options = prior.clone();
        options.read.threads = 1;
        let model = learned(&folder.write("rows.csv", &text), &graph, &options);
        // One interval of each data set, so that they are independent.
        let question = questions[set as usize % questions.len()];
        let options = CredibleOptions { n_draws: 79, seed: set, ..CredibleOptions::default() };
        let [low, high] = intervals(&model, question, &options)[0];
        let oracle = Oracle::of_network(truth);
        let Outcome::Found { value: Value::Probability(p), .. } = oracle.answer(&question.parse().unwrap()).unwrap().outcome else {
            panic!("one number")
        };
        n += 1;
        inside += u64::from(low <= p && p <= high);
    }
    (inside, n)
}

/// Inside the 99.9 % band of a binomial of 95 %, by its normal approximation.
fn is_within_band((inside, n): (u64, u64)) -> bool {
    let n = n as f64;
    (inside as f64 - 0.95 * n).abs() <= 3.29 * (0.95 * 0.05 * n).sqrt()
}

#[test]
fn intervals_have_their_coverage_in_short() {
    let found = coverage(150, 0.0);
    assert!(is_within_band(found), "{found:?}");
}

#[test]
fn intervals_have_their_coverage_where_values_are_missing_in_short() {
    let found = coverage(150, 0.3);
    assert!(is_within_band(found), "{found:?}");
}

/// 5,100 intervals over as many independent data sets; a few minutes in a debug build.
#[test]
#[ignore = "takes minutes; run it with --release -- --ignored"]
fn intervals_have_their_coverage() {
    for p_missing in [0.0, 0.3] {
        let found = coverage(5100, p_missing);
        println!("{} of {} intervals hold the truth, {p_missing} of all values missing", found.0, found.1);
        assert!(is_within_band(found), "{found:?}");
    }
}
