//! EM that goes on: a model that keeps the parts of its rows with gaps learns more, or less, as if all rows were there.

mod common;

use std::path::{Path, PathBuf};

use belief::{Climb, Rng, random};
use tunbridge::data::ReadOptions;
use tunbridge::net::VarId;
use tunbridge::net::ask::{Oracle, Question};
use tunbridge::net::parameters::Pseudocounts;
use tunbridge::net::parameters::hidden_states::alignment;
use tunbridge::network::{self, ChangedNetwork, CredibleOptions, EmPlan, NetworkFile, NetworkModel, NetworkOptions, NotDrawn};
use tunbridge::{Model, model_file};

use common::Folder;

impl Folder {
    fn rows(&self, name: &str, header: &str, rows: &[String]) -> PathBuf {
        self.write(name, &format!("{header}\n{}\n", rows.join("\n")))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn uniform(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Rows of A → B → C, C mostly a copy of B and B of A; values lost by lot, B wholly where it is hidden.
fn chain_rows(n_rows: usize, seed: u64, p_missing: f64, hide_b: bool) -> Vec<String> {
    let mut rng = random(seed);
    let mut row = || {
        let mut uniform = || uniform(&mut rng);
        let a = (uniform() * uniform() * 3.0) as usize;
        let b = if uniform() < 0.8 { a } else { (uniform() * 3.0) as usize };
        let c = if uniform() < 0.9 { b } else { (uniform() * 3.0) as usize };
        let cell = |(place, state): (usize, usize)| match uniform() < p_missing || hide_b && place == 1 {
            true => "?".to_string(),
            false => format!("s{state}"),
        };
        [a, b, c].into_iter().enumerate().map(cell).collect::<Vec<_>>().join(",")
    };
    (0..n_rows).map(|_| row()).collect()
}

fn chain(folder: &Folder) -> NetworkFile {
    let row = "  s0: 0.2, 0.3, 0.5\n  s1: 0.2, 0.3, 0.5\n  s2: 0.2, 0.3, 0.5\n";
    let text = format!("variable A s0/s1/s2\n  0.2, 0.3, 0.5\nvariable B s0/s1/s2 given A\n{row}variable C s0/s1/s2 given B\n{row}");
    NetworkFile::open(&folder.write("chain.tbn", &text)).unwrap()
}

/// Steps until nothing moves.
fn to_rest() -> EmPlan {
    EmPlan { climb: Climb { most_steps: 5000, least_rise: 1e-13, least_change: 1e-8 }, ..EmPlan::default() }
}

fn learned(path: &Path, graph: &NetworkFile, em: &EmPlan, start: Option<&NetworkModel>) -> NetworkModel {
    let start = start.map(|model| NetworkFile::of_learned(model.clone()));
    let options = NetworkOptions { em: Some(em.clone()), start, pseudocounts: Pseudocounts::PerCell(1.0), ..NetworkOptions::default() };
    network::learn(&[path], graph, &options).unwrap().model
}

fn updated(model: &NetworkModel, path: &Path, em: &EmPlan) -> ChangedNetwork {
    network::update(model, &[path], ReadOptions::default(), None, None, em).unwrap()
}

fn forgotten(model: &NetworkModel, path: &Path, em: &EmPlan) -> ChangedNetwork {
    network::forget(model, &[path], ReadOptions::default(), em).unwrap()
}

fn merged(a: &NetworkModel, b: &NetworkModel, em: &EmPlan) -> ChangedNetwork {
    network::merge(a, b, None, em, 2).unwrap()
}

fn far(a: &NetworkModel, b: &NetworkModel) -> f64 {
    let (a, b) = (a.posterior().parameters(), b.posterior().parameters());
    a.theta().iter().zip(b.theta()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn says(changed: &ChangedNetwork, what: &str) -> bool {
    changed.remarks.iter().any(|remark| remark.contains(what))
}

fn bytes(folder: &Folder, model: &NetworkModel) -> Vec<u8> {
    let path = folder.0.path().join("saved.tb");
    model.save(&path, true).unwrap();
    std::fs::read(path).unwrap()
}

/// The flu network of the lectures with Sinus never observed and one value of seven lost, cut in two.
#[test]
fn flu_network_with_sinus_never_observed_in_two_halves_is_that_of_all_rows() {
    let folder = Folder::new();
    let graph = NetworkFile::open(&root().join("examples/flu.tbn")).unwrap();
    let text = std::fs::read_to_string(root().join("examples/flu_gaps.csv")).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let rows: Vec<String> = rows.lines().map(str::to_string).collect();
    let (left, right) = rows.split_at(90);
    let [a, b, all] = [("a.csv", left), ("b.csv", right), ("all.csv", &rows[..])].map(|(name, rows)| folder.rows(name, header, rows));
    let em = to_rest();
    let (of_a, of_b) = (learned(&a, &graph, &em, None), learned(&b, &graph, &em, None));
    let whole = learned(&all, &graph, &em, Some(&of_a));
    for changed in [merged(&of_a, &of_b, &em), updated(&of_a, &b, &em)] {
        assert!(says(&changed, "over 200 rows with gaps") && !says(&changed, "approximate"), "{:?}", changed.remarks);
        let model = &changed.model;
        assert_eq!((model.observed(), model.kept_parts()), (whole.observed(), whole.kept_parts()));
        assert!(far(model, &whole) < 1e-4, "{}", far(model, &whole));
        let (now, then) = (model.expected().unwrap(), whole.expected().unwrap());
        assert!(now.converged && (now.ln_likelihood.unwrap() - then.ln_likelihood.unwrap()).abs() < 1e-4);
    }
    // And half of it taken back.
    let left = forgotten(&whole, &b, &em);
    assert!(says(&left, "over 90 rows with gaps"), "{:?}", left.remarks);
    assert_eq!((left.model.observed(), left.model.kept_parts()), (of_a.observed(), of_a.kept_parts()));
    let again = learned(&a, &graph, &em, Some(&whole));
    assert!(far(&left.model, &again) < 1e-4, "{}", far(&left.model, &again));
}

/// Rows of the alarm network, one value of five lost.
#[test]
fn alarm_network_with_a_fifth_missing_in_two_halves_is_that_of_all_rows() {
    let folder = Folder::new();
    let graph = NetworkFile::open(&root().join("testdata/networks/alarm.bif")).unwrap();
    let network = graph.network().unwrap();
    let mut rng = random(3);
    let order = network.dag().topological_order();
    let mut row = || {
        let mut states = vec![0; network.n_variables()];
        for of in &order {
            let mut left = uniform(&mut rng);
            let p = |state: usize, states: &[usize]| {
                let mut states = states.to_vec();
                states[of.index()] = state;
                network.local_probability(*of, &states)
            };
            let n_states = network.n_states(*of);
            let found = (0..n_states - 1).find(|state| {
                left -= p(*state, &states);
                left < 0.0
            });
            states[of.index()] = found.unwrap_or(n_states - 1);
        }
        let cell = |of: VarId| if uniform(&mut rng) < 0.2 { "?".into() } else { network.states(of)[states[of.index()]].clone() };
        network.dag().variables().map(cell).collect::<Vec<_>>().join(",")
    };
    let rows: Vec<String> = (0..300).map(|_| row()).collect();
    let header = network.structure().names().join(",");
    let (left, right) = rows.split_at(150);
    let [a, b, all] = [("a.csv", left), ("b.csv", right), ("all.csv", &rows[..])].map(|(name, rows)| folder.rows(name, &header, rows));
    let em = EmPlan { climb: Climb { most_steps: 1000, least_rise: 1e-10, least_change: 1e-6 }, ..EmPlan::default() };
    let (of_a, of_b) = (learned(&a, &graph, &em, None), learned(&b, &graph, &em, None));
    let whole = learned(&all, &graph, &em, Some(&of_a));
    for changed in [merged(&of_a, &of_b, &em), updated(&of_a, &b, &em)] {
        let model = &changed.model;
        assert_eq!((model.observed(), model.kept_parts()), (whole.observed(), whole.kept_parts()));
        assert!(far(model, &whole) < 1e-3, "{}", far(model, &whole));
        let apart = model.ln_likelihood().unwrap() - whole.ln_likelihood().unwrap();
        assert!(apart.abs() < 1e-2, "{apart}");
    }
    // What is missing in a network of this size is drawn, and not left out for being too much.
    let oracle = Oracle::of_network(whole.network().clone());
    let question = Question::resolve(oracle.domain(), &"P(LVFAILURE)".parse().unwrap()).unwrap();
    let reply = oracle.reply(&question).unwrap();
    let options = CredibleOptions { n_draws: 2000, ..CredibleOptions::default() };
    assert!(whole.credible(&question, &reply.outcome, &options).unwrap().augmentation.is_some());
}

#[test]
fn which_model_is_first_decides_no_more_than_the_names_of_hidden_states() {
    let folder = Folder::new();
    let graph = chain(&folder);
    let [a, b] = [2, 12].map(|seed| {
        let path = folder.rows("rows.csv", "A,B,C", &chain_rows(1500, seed, 0.1, true));
        learned(&path, &graph, &EmPlan::default(), None)
    });
    let em = to_rest();
    let (ab, ba) = (merged(&a, &b, &em).model, merged(&b, &a, &em).model);
    assert_eq!((ab.observed(), ab.kept_parts()), (ba.observed(), ba.kept_parts()));
    let (mine, theirs) = (ab.posterior().parameters(), ba.posterior().parameters());
    let order = alignment((&theirs, &ba.completed()), (&mine, &ab.completed()), &[VarId::new(1)]).unwrap();
    let theirs = order.parameters(&theirs).unwrap();
    let far = mine.theta().iter().zip(theirs.theta()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(far < 1e-4, "{far}");
}

#[test]
fn states_that_only_one_model_saw_keep_their_names() {
    let folder = Folder::new();
    let graph = chain(&folder);
    let seen = learned(&folder.rows("a.csv", "A,B,C", &chain_rows(1500, 5, 0.1, false)), &graph, &EmPlan::default(), None);
    let hidden = learned(&folder.rows("b.csv", "A,B,C", &chain_rows(1500, 6, 0.1, true)), &graph, &EmPlan::default(), None);
    for changed in [merged(&seen, &hidden, &to_rest()), merged(&hidden, &seen, &to_rest())] {
        // C is a copy of B nine times of ten.
        let table = changed.model.network().table(VarId::new(2)).unwrap().into_owned();
        assert!((0..3).all(|state| table[state * 4] > 0.8), "{table:?}");
    }
    // Rows that have what a model never saw say what its states are called; with the parts, and without.
    let path = folder.rows("c.csv", "A,B,C", &chain_rows(300, 7, 0.1, false));
    for model in [hidden.clone(), hidden.without_parts()] {
        let changed = updated(&model, &path, &EmPlan::default());
        let table = changed.model.network().table(VarId::new(2)).unwrap().into_owned();
        assert!((0..3).all(|state| table[state * 4] > 0.8), "{table:?} {:?}", changed.remarks);
    }
}

#[test]
fn rows_that_come_and_go_leave_nothing_behind() {
    let folder = Folder::new();
    let graph = chain(&folder);
    let [whole, a, b] = [("whole.csv", 1, 0.0), ("a.csv", 2, 0.2), ("b.csv", 3, 0.3)]
        .map(|(name, seed, p_missing)| folder.rows(name, "A,B,C", &chain_rows(400, seed, p_missing, false)));
    let em = to_rest();
    let first = learned(&a, &graph, &em, None);
    let more = updated(&first, &b, &em).model;
    let back = forgotten(&more, &b, &em);
    assert_eq!((back.model.observed(), back.model.kept_parts()), (first.observed(), first.kept_parts()));
    assert!(far(&back.model, &first) < 1e-5, "{}", far(&back.model, &first));
    assert!(!says(&back, "approximate") && back.model.ln_likelihood().is_some());
    // Rows without gaps move the tables, and EM goes on over the old ones.
    let complete = updated(&first, &whole, &em);
    assert!(says(&complete, "EM went") && complete.model.kept_parts() == first.kept_parts(), "{:?}", complete.remarks);
    // A model of complete rows is the same bytes after rows with gaps have come and gone.
    let plain = learned(&whole, &graph, &em, None);
    assert!(plain.kept_parts().is_none());
    let there = updated(&plain, &b, &em).model;
    assert!(there.kept_parts().is_some());
    assert_eq!(bytes(&folder, &forgotten(&there, &b, &em).model), bytes(&folder, &plain));
    // Rows that were never there are refused, also where every family was seen as often.
    let told = network::forget(&first, &[&b], ReadOptions::default(), &em).err().unwrap().to_string();
    assert!(told.contains("not all in the model"), "{told}");
    let [x, y] = [("x.csv", ["s0,?,s0", "s1,?,s1"]), ("y.csv", ["s0,?,s1", "s1,?,s0"])]
        .map(|(name, rows)| folder.rows(name, "A,B,C", &rows.map(String::from)));
    let told = network::forget(&learned(&x, &graph, &em, None), &[&y], ReadOptions::default(), &em).err().unwrap().to_string();
    assert!(told.contains("not all in the model"), "{told}");
}

#[test]
fn threads_change_no_byte_and_the_order_of_rows_no_part() {
    let folder = Folder::new();
    let graph = chain(&folder);
    let rows = chain_rows(3000, 4, 0.3, false);
    let backwards: Vec<String> = rows.iter().rev().cloned().collect();
    let [a, b, c] = [("a.csv", &rows), ("b.csv", &chain_rows(2500, 5, 0.3, false)), ("c.csv", &backwards)]
        .map(|(name, rows)| folder.rows(name, "A,B,C", rows));
    let em = EmPlan::default();
    let (first, second) = (learned(&a, &graph, &em, None), learned(&b, &graph, &em, None));
    assert_eq!(learned(&c, &graph, &em, None).kept_parts(), first.kept_parts());
    let change = |threads: usize| {
        let read = || ReadOptions { threads, ..ReadOptions::default() };
        let more = network::update(&first, &[&b], read(), None, None, &em).unwrap().model;
        let less = network::forget(&more, &[&c], read(), &em).unwrap().model;
        let both = network::merge(&first, &second, None, &em, threads).unwrap().model;
        [more, less, both].map(|model| bytes(&folder, &model))
    };
    let alone = change(1);
    assert!(change(2) == alone && change(7) == alone);
}

#[test]
fn what_fades_is_what_weighs_less() {
    let folder = Folder::new();
    let graph = chain(&folder);
    let (old, new) = (chain_rows(300, 7, 0.2, false), chain_rows(200, 8, 0.2, false));
    let weighed = |rows: &[String], weight: &str| rows.iter().map(|row| format!("{row},{weight}")).collect::<Vec<_>>();
    let [a, b] = [("a.csv", &old), ("b.csv", &new)].map(|(name, rows)| folder.rows(name, "A,B,C", rows));
    let all = folder.rows("all.csv", "A,B,C,w", &[weighed(&old, "0.5"), weighed(&new, "1")].concat());
    let em = to_rest();
    let first = learned(&a, &graph, &em, None);
    let faded = network::update(&first, &[&b], ReadOptions::default(), None, Some(0.5), &em).unwrap();
    let mut options = NetworkOptions { em: Some(em), pseudocounts: Pseudocounts::PerCell(1.0), ..NetworkOptions::default() };
    options.read.weight = Some("w".into());
    let whole = network::learn(&[&all], &graph, &options).unwrap().model;
    assert_eq!((faded.model.observed(), faded.model.kept_parts()), (whole.observed(), whole.kept_parts()));
    assert!(far(&faded.model, &whole) < 1e-5, "{}", far(&faded.model, &whole));
}

#[test]
fn states_that_rows_bring_are_new_in_the_parts_too() {
    let folder = Folder::new();
    let graph = NetworkFile::open("A->B;B->C".as_ref()).unwrap();
    let (old, mut new) = (chain_rows(200, 9, 0.2, false), chain_rows(200, 10, 0.2, false));
    new.extend(["r0,r1,s0", "r0,?,s0", "?,r1,t9", "s1,r1,?"].map(String::from));
    let [a, b, all] = [("a.csv", &old), ("b.csv", &new), ("all.csv", &[old.clone(), new.clone()].concat())]
        .map(|(name, rows)| folder.rows(name, "A,B,C", rows));
    let em = to_rest();
    let whole = learned(&all, &graph, &em, None);
    let first = learned(&a, &graph, &em, None);
    let second = learned(&b, &graph, &em, None);
    for changed in [updated(&first, &b, &em), merged(&first, &second, &em), merged(&second, &first, &em)] {
        assert_eq!((changed.model.observed(), changed.model.kept_parts()), (whole.observed(), whole.kept_parts()));
        assert!(far(&changed.model, &whole) < 1e-4, "{}", far(&changed.model, &whole));
    }
}

#[test]
fn a_model_without_the_parts_says_so_and_stays_with_what_was_expected() {
    let folder = Folder::new();
    let graph = chain(&folder);
    let [a, b] = [("a.csv", 11), ("b.csv", 12)].map(|(name, seed)| folder.rows(name, "A,B,C", &chain_rows(500, seed, 0.2, false)));
    let em = EmPlan::default();
    let model = learned(&a, &graph, &em, None);
    // A file of the time before parts were kept: the field is not there.
    let path = folder.0.path().join("older.tb");
    model.clone().without_parts().save(&path, true).unwrap();
    let body: serde_json::Value = rmp_serde::from_slice(&model_file::load(&path).unwrap().1).unwrap();
    assert!(body.get("parts").is_none() && body.get("expected").is_some());
    let Model::Network(older) = Model::load(&path).unwrap() else { panic!("a network") };
    assert!(older.kept_parts().is_none() && far(&older, &model) == 0.0);
    let more = updated(&older, &b, &em);
    assert!(says(&more, "what those of older rows were taken for is as it was, for their parts are not kept"), "{:?}", more.remarks);
    assert!(more.model.kept_parts().is_none() && more.model.ln_likelihood().is_none());
    assert_eq!(more.model.observed(), updated(&model, &b, &em).model.observed());
    for changed in [forgotten(&more.model, &b, &em), merged(&older, &model, &em), merged(&model, &older, &em)] {
        assert!(says(&changed, "approximate until the network is learned again"), "{:?}", changed.remarks);
        assert!(changed.model.kept_parts().is_none() && !changed.model.expected().unwrap().converged);
    }
}

#[test]
fn parts_beyond_a_bound_are_used_and_not_kept() {
    let folder = Folder::new();
    let graph = chain(&folder);
    let [a, b] = [("a.csv", 13), ("b.csv", 14)].map(|(name, seed)| folder.rows(name, "A,B,C", &chain_rows(300, seed, 0.3, false)));
    let n_bytes = learned(&a, &graph, &EmPlan::default(), None).kept_parts().unwrap().bytes();
    let within = |kept_bytes: usize| EmPlan { kept_bytes, ..EmPlan::default() };
    let remarks = |kept_bytes: usize| {
        let options = NetworkOptions { em: Some(within(kept_bytes)), ..NetworkOptions::default() };
        let learned = network::learn(&[&a], &graph, &options).unwrap();
        (learned.model.kept_parts().is_some(), learned.remarks.iter().any(|remark| remark.contains("not kept in the model")))
    };
    assert_eq!((remarks(n_bytes), remarks(n_bytes - 1), remarks(0)), ((true, false), (false, true), (false, false)));
    // What is dropped afterwards was gone over before.
    let model = learned(&a, &graph, &EmPlan::default(), None);
    let (kept, dropped) = (updated(&model, &b, &EmPlan::default()), updated(&model, &b, &within(0)));
    assert!(dropped.model.kept_parts().is_none() && says(&dropped, "EM went"));
    assert_eq!(far(&kept.model, &dropped.model), 0.0);
    // Rows that have no place in memory are read again; the older ones stay as they are.
    let unheld = updated(&model, &b, &EmPlan { held_bytes: 0, ..EmPlan::default() });
    assert!(says(&unheld, "as it was") && says(&unheld, "read again") && unheld.model.kept_parts().is_none(), "{:?}", unheld.remarks);
    // Where there are no older ones nothing is approximate.
    let plain = learned(&folder.rows("c.csv", "A,B,C", &chain_rows(300, 15, 0.0, false)), &graph, &EmPlan::default(), None);
    let held = updated(&plain, &b, &to_rest());
    let unheld = updated(&plain, &b, &EmPlan { held_bytes: 0, ..to_rest() });
    assert!(far(&held.model, &unheld.model) < 1e-6 && unheld.model.ln_likelihood().is_some());
    assert!(!says(&unheld, "as it was"), "{:?}", unheld.remarks);
}

#[test]
fn what_maximum_likelihood_held_impossible_may_be_seen_now() {
    let folder = Folder::new();
    let graph = chain(&folder);
    let a = folder.rows("a.csv", "A,B,C", &["s0,s0,s0", "s0,?,s0", "s1,s1,?"].map(String::from));
    let b = folder.rows("b.csv", "A,B,C", &["s2,?,s2", "?,s2,s1", "s2,s2,s2"].map(String::from));
    let options = NetworkOptions { pseudocounts: Pseudocounts::None, ..NetworkOptions::default() };
    let model = network::learn(&[&a], &graph, &options).unwrap().model;
    let changed = updated(&model, &b, &EmPlan::default());
    assert!(changed.model.ln_likelihood().is_some_and(f64::is_finite));
    // A table that stays is another thing: the row is named.
    let text = "variable A y/n\n  0.5, 0.5\nvariable B y/n given A\n  y: 1, 0\n  n: 1, 0\n";
    let graph = NetworkFile::open(&folder.write("fixed.tbn", text)).unwrap();
    let a = folder.rows("a.csv", "A,B", &["y,y", "?,y"].map(String::from));
    let b = folder.rows("b.csv", "A,B", &["n,y", "?,y", "?,n"].map(String::from));
    let options = NetworkOptions { fix: vec!["B".into()], ..NetworkOptions::default() };
    let model = network::learn(&[&a], &graph, &options).unwrap().model;
    let told = network::update(&model, &[&b], ReadOptions::default(), None, None, &EmPlan::default()).err().unwrap().to_string();
    assert!(told.contains("row 3 is impossible"), "{told}");
}

/// A → B, A missing in six rows of fourteen: the posterior of P(A=y) is a mixture of Beta distributions over the 64 completions, each by its marginal
/// likelihood, and its quantiles are those of the intervals that know what is missing.
#[test]
fn intervals_know_what_missing_values_leave_open() {
    let folder = Folder::new();
    let graph = NetworkFile::open("[A][B|A]".as_ref()).unwrap();
    let (seen, lost) = (["y,p", "y,p", "y,q", "n,q", "n,q", "n,p", "y,p", "n,q"], ["?,p", "?,p", "?,q", "?,q", "?,q", "?,p"]);
    let rows: Vec<String> = seen.iter().chain(&lost).map(|row| row.to_string()).collect();
    let model = learned(&folder.rows("rows.csv", "A,B", &rows), &graph, &EmPlan::default(), None);
    // States are sorted: n before y, p before q.
    let code = |row: &str| [usize::from(row.starts_with('y')), usize::from(row.ends_with('q'))];
    let ln_gamma = |n: f64| (1..n as u32).map(|k| f64::from(k).ln()).sum::<f64>();
    let ln_beta = |a: f64, b: f64| ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    let mut mixture: Vec<(f64, f64, f64)> = Vec::new();
    for completion in 0..64_usize {
        let rows = seen.iter().map(|row| code(row)).chain(lost.iter().enumerate().map(|(at, row)| [completion >> at & 1, code(row)[1]]));
        let mut cells = [1.0; 6];
        rows.for_each(|[a, b]| {
            cells[a] += 1.0;
            cells[2 + 2 * a + b] += 1.0;
        });
        let ln: f64 = cells.chunks(2).map(|pair| ln_beta(pair[0], pair[1])).sum();
        mixture.push((ln.exp(), cells[1], cells[0]));
    }
    let total: f64 = mixture.iter().map(|(weight, _, _)| weight).sum();
    // By the trapezoidal rule, of densities that vanish at both ends.
    let n = 4000;
    let density = |p: f64| {
        let one =
            |(weight, a, b): &(f64, f64, f64)| weight / total * ((a - 1.0) * p.ln() + (b - 1.0) * (1.0 - p).ln() - ln_beta(*a, *b)).exp();
        mixture.iter().map(one).sum::<f64>()
    };
    let quantile = |share: f64| {
        let mut sum = 0.0;
        (1..n).map(|at| at as f64 / n as f64).find(|p| {
            sum += density(*p) / n as f64;
            sum >= share
        })
    };
    let [low, high] = [quantile(0.05).unwrap(), quantile(0.95).unwrap()];
    let oracle = Oracle::of_network(model.network().clone());
    let question = Question::resolve(oracle.domain(), &"P(A=y)".parse().unwrap()).unwrap();
    let reply = oracle.reply(&question).unwrap();
    let options = CredibleOptions { level: 0.9, n_draws: 9999, ..CredibleOptions::default() };
    let found = model.credible(&question, &reply.outcome, &options).unwrap();
    let augmentation = found.augmentation.unwrap();
    assert!(found.not_drawn.is_none() && augmentation.r_hat.is_some_and(|r_hat| r_hat < 1.01), "{augmentation:?}");
    let interval = found.intervals[0];
    assert!((interval[0] - low).abs() < 0.01 && (interval[1] - high).abs() < 0.01, "{interval:?} for {low} to {high}");
    // The same bits on any number of threads.
    let threads = CredibleOptions { n_threads: 3, ..options };
    assert_eq!(model.credible(&question, &reply.outcome, &threads).unwrap().intervals, found.intervals);
    // Expected rows taken for rows make it too narrow; without pseudo-counts there is no posterior to draw from.
    let ignoring = model.clone().without_parts().credible(&question, &reply.outcome, &options).unwrap();
    let width = |[low, high]: [f64; 2]| high - low;
    assert!(
        ignoring.not_drawn == Some(NotDrawn::PartsNotKept) && width(ignoring.intervals[0]) < 0.95 * width(interval),
        "{:?}",
        ignoring.intervals
    );
    let options = NetworkOptions { pseudocounts: Pseudocounts::None, ..NetworkOptions::default() };
    let path = folder.rows("rows.csv", "A,B", &rows);
    let bare = network::learn(&[&path], &graph, &options).unwrap().model;
    let found = bare.credible(&question, &reply.outcome, &CredibleOptions::default()).unwrap();
    assert!(found.augmentation.is_none() && bare.kept_parts().is_some());
    assert_eq!(found.not_drawn, Some(NotDrawn::NoPseudocount { variable: "A".into() }));
    let whole = NetworkOptions { em: None, ..NetworkOptions::default() };
    let found =
        network::learn(&[&path], &graph, &whole).unwrap().model.credible(&question, &reply.outcome, &CredibleOptions::default()).unwrap();
    assert_eq!(found.not_drawn, Some(NotDrawn::CountedWhole));
    // Rows of great weight are drawn together, and what they leave open is little.
    let weighed: Vec<String> = rows.iter().map(|row| format!("{row},1000000")).collect();
    let mut options = NetworkOptions::default();
    options.read.weight = Some("w".into());
    let heavy = network::learn(&[&folder.rows("heavy.csv", "A,B,w", &weighed)], &graph, &options).unwrap().model;
    let found = heavy.credible(&question, &reply.outcome, &CredibleOptions::default()).unwrap();
    assert!(found.augmentation.is_some() && width(found.intervals[0]) < 0.01 * width(interval), "{:?}", found.intervals);
}

/// A chain may give the states of what was never seen any order; the model's is meant.
#[test]
fn hidden_states_keep_their_order_in_every_draw() {
    let folder = Folder::new();
    let graph = chain(&folder);
    let model = learned(&folder.rows("rows.csv", "A,B,C", &chain_rows(400, 21, 0.1, true)), &graph, &EmPlan::default(), None);
    let oracle = Oracle::of_network(model.network().clone());
    let question = Question::resolve(oracle.domain(), &"P(B)".parse().unwrap()).unwrap();
    let reply = oracle.reply(&question).unwrap();
    let options = CredibleOptions { n_draws: 399, ..CredibleOptions::default() };
    let found = model.credible(&question, &reply.outcome, &options).unwrap();
    assert!(found.augmentation.is_some());
    // States come with the most probable first, and intervals of the first and the last state lie in that order.
    let [first, _, last] = found.intervals[..] else { panic!("three states") };
    assert!(first[0] > last[0] && first[1] > last[1], "{:?}", found.intervals);
}

#[test]
fn a_climb_that_goes_on_is_broken_off_with_what_it_has() {
    let folder = Folder::new();
    let graph = chain(&folder);
    let [a, b] = [("a.csv", 16), ("b.csv", 17)].map(|(name, seed)| folder.rows(name, "A,B,C", &chain_rows(300, seed, 0.3, false)));
    let model = learned(&a, &graph, &EmPlan::default(), None);
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let changed = updated(&model, &b, &EmPlan { stop: Some(stop), ..EmPlan::default() });
    assert!(says(&changed, "broken off after 1 step:"), "{:?}", changed.remarks);
    assert!(!changed.model.expected().unwrap().converged && changed.model.kept_parts().is_some());
    let climb = Climb { most_steps: 2, least_rise: 0.0, least_change: 0.0 };
    let changed = updated(&model, &b, &EmPlan { climb, ..EmPlan::default() });
    assert!(says(&changed, "not come to rest after 2 steps"), "{:?}", changed.remarks);
    assert_eq!(changed.model.expected().unwrap().iterations, 2);
}
