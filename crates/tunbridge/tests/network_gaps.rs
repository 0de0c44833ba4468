//! Networks learned from tables with gaps: EM held in memory and read again, threads, more rows, rows taken back.

mod common;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use belief::{Climb, Rng, random};
use tunbridge::data::ReadOptions;
use tunbridge::net::parameters::gradient_ascent::StepLength;
use tunbridge::network::{self, EmPlan, LearnedNetwork, Method, NetworkFile, NetworkOptions};

use common::Folder;

/// Rows of a chain A → B → C of three states each, values lost by lot; C is a copy of B nine times of ten.
fn rows(n_rows: usize, seed: u64, p_missing: f64, hide_b: bool) -> String {
    let mut rng = random(seed);
    let mut uniform = move || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let mut text = String::from("A,B,C\n");
    for _ in 0..n_rows {
        let a = (uniform() * 3.0) as usize;
        let b = if uniform() < 0.8 { a } else { (uniform() * 3.0) as usize };
        let c = if uniform() < 0.9 { b } else { (uniform() * 3.0) as usize };
        let cells = [a, b, c].into_iter().enumerate().map(|(place, state)| {
            let lost = uniform() < p_missing || hide_b && place == 1;
            if lost { "?".to_string() } else { format!("s{state}") }
        });
        text += &cells.collect::<Vec<_>>().join(",");
        text.push('\n');
    }
    text
}

fn graph(folder: &Folder) -> NetworkFile {
    let states = "s0/s1/s2";
    let row = "  s0: 0.2, 0.3, 0.5\n  s1: 0.2, 0.3, 0.5\n  s2: 0.2, 0.3, 0.5\n";
    let text = format!("variable A {states}\n  0.2, 0.3, 0.5\nvariable B {states} given A\n{row}variable C {states} given B\n{row}");
    NetworkFile::open(&folder.write("chain.tbn", &text)).unwrap()
}

fn learned(path: &Path, graph: &NetworkFile, threads: usize, held_bytes: usize) -> LearnedNetwork {
    let em = EmPlan { held_bytes, ..EmPlan::default() };
    let read = ReadOptions { threads, ..ReadOptions::default() };
    network::learn(&[path], graph, &NetworkOptions { read, em: Some(em), ..NetworkOptions::default() }).unwrap()
}

fn theta(model: &network::NetworkModel) -> Vec<u64> {
    model.posterior().parameters().theta().iter().map(|p| p.to_bits()).collect()
}

#[test]
fn held_or_read_again_on_any_number_of_threads_the_bits_are_the_same() {
    let folder = Folder::new();
    // More rows than a chunk has.
    let path = folder.write("rows.csv", &rows(150_000, 1, 0.2, false));
    let graph = graph(&folder);
    let first = learned(&path, &graph, 1, usize::MAX);
    assert!(first.model.expected().unwrap().converged && first.objectives.len() > 2);
    for (threads, held_bytes) in [(2, usize::MAX), (7, usize::MAX), (2, 0)] {
        let again = learned(&path, &graph, threads, held_bytes);
        assert_eq!(theta(&first.model), theta(&again.model), "{threads} threads, {held_bytes} bytes");
        assert_eq!(first.objectives, again.objectives);
        assert_eq!(again.remarks.iter().any(|remark| remark.contains("read again")), held_bytes == 0);
    }
}

/// Batches of rows that are read again climb as high as EM, after as few passes as batches in memory; and can be broken off.
#[test]
fn stepwise_em_needs_no_memory_for_what_is_missing() {
    let folder = Folder::new();
    let path = folder.write("rows.csv", &rows(6_000, 2, 0.3, false));
    let graph = graph(&folder);
    let climbed = |threads: usize, em: EmPlan| {
        let read = ReadOptions { threads, ..ReadOptions::default() };
        network::learn(&[&path], &graph, &NetworkOptions { read, em: Some(em), ..NetworkOptions::default() }).unwrap()
    };
    let em = climbed(2, EmPlan::default()).model.ln_likelihood().unwrap();
    let plan = |held_bytes| EmPlan { method: Method::Stepwise { kappa: 0.7 }, held_bytes, ..EmPlan::default() };
    let unheld = climbed(2, plan(0));
    assert!(unheld.remarks.iter().any(|remark| remark.contains("read again")), "{:?}", unheld.remarks);
    assert!((unheld.model.ln_likelihood().unwrap() - em).abs() < 1e-3 * em.abs(), "{:?} and {em}", unheld.model.ln_likelihood());
    assert_eq!(theta(&unheld.model), theta(&climbed(1, plan(0)).model));
    // Asked to stop before it began, it makes the one pass that tables need.
    let stop = Arc::new(AtomicBool::new(true));
    let stopped = climbed(2, EmPlan { stop: Some(stop), ..plan(0) });
    assert!(!stopped.model.expected().unwrap().converged);
    assert!(stopped.objectives.len() < unheld.objectives.len());
}

#[test]
fn em_is_nearer_to_the_truth_than_rows_without_gaps_alone() {
    let folder = Folder::new();
    let graph = graph(&folder);
    let whole = learned(&folder.write("whole.csv", &rows(4000, 5, 0.0, false)), &graph, 0, usize::MAX);
    let gappy = learned(&folder.write("gappy.csv", &rows(4000, 5, 0.4, false)), &graph, 0, usize::MAX);
    assert!(whole.model.expected().is_none() && gappy.model.expected().is_some());
    let far = |model: &network::NetworkModel| {
        let theirs = model.posterior().parameters();
        whole.model.posterior().parameters().theta().iter().zip(theirs.theta()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    assert!(far(&gappy.model) < 0.05, "{}", far(&gappy.model));
    // The likelihood that is told is that of the tables that are kept.
    let parameters = gappy.model.posterior().parameters();
    assert!(parameters.theta().iter().all(|p| *p > 0.0));
    assert!(gappy.model.ln_likelihood().unwrap() >= gappy.objectives[0] - 1e-6);
}

#[test]
fn a_hidden_variable_is_found_and_more_starts_are_made() {
    let folder = Folder::new();
    let graph = graph(&folder);
    let path = folder.write("rows.csv", &rows(3000, 2, 0.0, true));
    let found = learned(&path, &graph, 0, usize::MAX);
    assert_eq!(found.climbed_ends.len(), 10);
    let best = found.climbed_ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(found.objectives.last().copied(), Some(best));
    // A and C hang together through B alone: a B that stayed uniform would tell nothing of C.
    let of_b = &found.model.network().table(found.model.network().find("B").unwrap()).unwrap()[..3];
    assert!(of_b.iter().copied().fold(0.0, f64::max) > 0.6, "{of_b:?}");
}

#[test]
fn every_way_up_ends_at_the_same_top() {
    let folder = Folder::new();
    let graph = graph(&folder);
    let path = folder.write("rows.csv", &rows(1000, 4, 0.3, false));
    let by = |method: Method| {
        let climb = Climb { most_steps: 5000, least_rise: 1e-12, least_change: 1e-8 };
        let em = EmPlan { method, climb, ..EmPlan::default() };
        network::learn(&[&path], &graph, &NetworkOptions { em: Some(em), ..NetworkOptions::default() }).unwrap()
    };
    let plain = by(Method::Em { accelerate: false });
    let top = plain.model.posterior().parameters();
    for method in [Method::Em { accelerate: true }, Method::GradientAscent(StepLength::Halved), Method::Lbfgs] {
        let other = by(method).model.posterior().parameters();
        let far = top.theta().iter().zip(other.theta()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(far < 1e-4, "{method:?}: {far}");
    }
}

#[test]
fn two_sites_that_never_saw_a_variable_mean_the_same_by_its_states() {
    let folder = Folder::new();
    let graph = graph(&folder);
    let [a, b] = [("a.csv", 2), ("b.csv", 12)].map(|(name, seed)| {
        let path = folder.write(name, &rows(4000, seed, 0.0, true));
        learned(&path, &graph, 0, usize::MAX).model
    });
    let both = network::merge(&a, &b, None, &EmPlan::default(), 1).unwrap();
    let of_b = |model: &network::NetworkModel| model.network().table(model.network().find("C").unwrap()).unwrap().into_owned();
    // C given B is a copy nine times of ten: a merge of states that mean something else would blur it.
    let sharp = |table: &[f64]| table.chunks(3).map(|row| row.iter().copied().fold(0.0, f64::max)).fold(1.0, f64::min);
    assert!(sharp(&of_b(&both.model)) > 0.9 * sharp(&of_b(&a)).min(sharp(&of_b(&b))), "{:?}", of_b(&both.model));
    assert!(both.remarks.iter().any(|remark| remark.contains("over 8000 rows with gaps")), "{:?}", both.remarks);
}

#[test]
fn more_rows_with_gaps_go_on_from_what_is_believed() {
    let folder = Folder::new();
    let graph = graph(&folder);
    let (a, b) = (rows(2000, 8, 0.2, false), rows(2000, 9, 0.2, false));
    let both = format!("{a}{}", b.split_once('\n').unwrap().1);
    let [a, b, both] = [("a.csv", a), ("b.csv", b), ("both.csv", both)].map(|(name, text)| folder.write(name, &text));
    let first = learned(&a, &graph, 0, usize::MAX).model;
    let all = learned(&both, &graph, 0, usize::MAX).model;
    let changed = network::update(&first, &[&b], ReadOptions::default(), None, None, &EmPlan::default()).unwrap();
    assert!(changed.remarks.iter().any(|remark| remark.contains("EM went")), "{:?}", changed.remarks);
    let far = |a: &network::NetworkModel, b: &network::NetworkModel| {
        let (a, b) = (a.posterior().parameters(), b.posterior().parameters());
        a.theta().iter().zip(b.theta()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    assert_eq!(changed.model.observed(), all.observed());
    assert!(far(&changed.model, &all) < 5e-3, "{}", far(&changed.model, &all));
    assert!(far(&changed.model, &all) < far(&first, &all));
    // And back.
    let left = network::forget(&changed.model, &[&b], ReadOptions::default(), &EmPlan::default()).unwrap();
    assert_eq!(left.model.observed(), first.observed());
    assert!(far(&left.model, &first) < 2e-3, "{}", far(&left.model, &first));
    assert!(left.remarks.iter().all(|remark| !remark.contains("approximate")), "{:?}", left.remarks);
}

#[test]
fn a_climb_that_is_broken_off_keeps_what_it_has() {
    let folder = Folder::new();
    let graph = graph(&folder);
    let path = folder.write("rows.csv", &rows(500, 3, 0.3, false));
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let em = EmPlan { stop: Some(stop), ..EmPlan::default() };
    let found = network::learn(&[&path], &graph, &NetworkOptions { em: Some(em), ..NetworkOptions::default() }).unwrap();
    assert_eq!(found.objectives.len(), 1);
    assert!(found.remarks.iter().any(|remark| remark.contains("broken off")), "{:?}", found.remarks);
}

#[test]
fn a_row_that_a_fixed_table_forbids_is_named() {
    let folder = Folder::new();
    let text = "variable A y/n\n  0.5, 0.5\nvariable B y/n given A\n  y: 1, 0\n  n: 1, 0\n";
    let graph = NetworkFile::open(&folder.write("g.tbn", text)).unwrap();
    let path = folder.write("rows.csv", "A,B\ny,y\n?,y\n?,n\nn,y\n");
    let options = NetworkOptions { fix: vec!["B".into()], ..NetworkOptions::default() };
    let told = network::learn(&[&path], &graph, &options).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(told.contains("row 3 is impossible"), "{told}");
}
