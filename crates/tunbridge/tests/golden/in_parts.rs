//! Learning in parts: one after the other, apart and merged, forgotten again, in any order, on any number of threads.

use std::path::PathBuf;

use proptest::prelude::*;
use tunbridge::data::{ColumnType, ReadOptions};
use tunbridge::learners::{AttributeStatistic, Discretisation, EventModel, NumericModel};
use tunbridge::{EvaluationPlan, LearnOptions, NaiveBayesModel, forget, merge, update};

use crate::support::{Folder, Rows, answers, assert_close, bytes, golden, learn, numbers, options, strings, testdata, with_types};

/// Files of the rows dealt to `n` parts by `part_of`.
fn parts(folder: &Folder, name: &str, rows: &Rows, n: usize, part_of: impl Fn(usize) -> usize) -> Vec<PathBuf> {
    (0..n).map(|part| folder.file(&format!("{name}{part}.csv"), rows.only(|row| part_of(row) == part).csv())).collect()
}

fn mushrooms() -> Rows {
    Rows::read(&testdata("mushroom/mushroom.csv.gz"))
}

fn halved(folder: &Folder, rows: &Rows) -> Vec<PathBuf> {
    parts(folder, "half", rows, 2, |row| usize::from(row >= rows.rows.len() / 2))
}

fn iris_options() -> LearnOptions {
    let mut options = options("species");
    options.prior.numeric = NumericModel::Gaussian { variance_smoothing: 1e-3 };
    options
}

/// Means and variances of every class and column are those recorded from all rows at once.
#[track_caller]
fn assert_iris_moments(model: &NaiveBayesModel) {
    let recorded = golden("halves.json");
    assert_eq!(model.classes(), strings(&recorded["classes"]));
    for (place, name) in strings(&recorded["columns"]).iter().enumerate() {
        assert_eq!(&model.schema().variables()[place].name, name);
        let AttributeStatistic::Moments(moments) = &model.statistic().attributes()[place] else { panic!("{name} is numeric") };
        for (class, found) in moments.of_class().iter().enumerate() {
            assert_eq!(found.weight, numbers(&recorded["count"])[class]);
            assert_close(found.mean, numbers(&recorded["mean"][class])[place], 1e-12);
            assert_close(found.variance().unwrap(), numbers(&recorded["variance"][class])[place], 1e-12);
        }
    }
}

/// The same predictions, and probabilities to 1e-12.
#[track_caller]
fn assert_same_answers(one: &NaiveBayesModel, other: &NaiveBayesModel, test: &std::path::Path) {
    for (one, other) in answers(one, test).iter().zip(answers(other, test)) {
        assert_eq!(one.predicted, other.predicted);
        one.probability.iter().zip(other.probability).for_each(|(p, q)| assert_close(*p, q, 1e-12));
    }
}

#[test]
fn two_halves_of_iris_are_the_whole() {
    let folder = Folder::new();
    let halves = halved(&folder, &Rows::read(&testdata("iris/iris_train.csv")));
    let whole = learn(&[testdata("iris/iris_train.csv")], &iris_options()).model;
    assert_iris_moments(&whole);
    let test = testdata("iris/iris_test.csv");
    // The first half has two of the three species only.
    let first = learn(&halves[..1], &iris_options()).model;
    assert_eq!(first.classes().len(), 2);
    let updated = update(&first, &halves[1..], ReadOptions::default(), None).unwrap();
    assert_iris_moments(&updated.model);
    assert_same_answers(&updated.model, &whole, &test);
    let second = learn(&halves[1..], &iris_options()).model;
    for (a, b) in [(&first, &second), (&second, &first)] {
        let merged = merge(a, b, None).unwrap().model;
        assert_iris_moments(&merged);
        assert_same_answers(&merged, &whole, &test);
    }
}

#[test]
fn two_halves_of_the_mushrooms_are_the_whole_bit_for_bit() {
    let folder = Folder::new();
    let rows = mushrooms();
    let halves = halved(&folder, &rows);
    let whole = bytes(&learn(&[testdata("mushroom/mushroom.csv.gz")], &options("class")).model);
    let first = learn(&halves[..1], &options("class")).model;
    let second = learn(&halves[1..], &options("class")).model;
    // The halves do not have the same states, so that there is something to line up.
    assert_ne!(first.schema(), second.schema());
    assert!(bytes(&update(&first, &halves[1..], ReadOptions::default(), None).unwrap().model) == whole);
    assert!(bytes(&update(&second, &halves[..1], ReadOptions::default(), None).unwrap().model) == whole);
    assert!(bytes(&merge(&first, &second, None).unwrap().model) == whole);
    assert!(bytes(&merge(&second, &first, None).unwrap().model) == whole);
    assert!(bytes(&learn(&halves, &options("class")).model) == whole);
}

#[test]
fn many_parts_merged_in_any_order_are_the_whole_bit_for_bit() {
    let folder = Folder::new();
    let files = parts(&folder, "part", &mushrooms(), 5, |row| (row * row + row / 7) % 5);
    let models: Vec<NaiveBayesModel> = files.iter().map(|file| learn(&[file], &options("class")).model).collect();
    let merged = |order: [usize; 5]| {
        let mut order = order.into_iter();
        let first = models[order.next().unwrap()].clone();
        order.fold(first, |all, next| merge(&all, &models[next], None).unwrap().model)
    };
    let whole = bytes(&learn(&[testdata("mushroom/mushroom.csv.gz")], &options("class")).model);
    assert!(bytes(&merged([0, 1, 2, 3, 4])) == whole);
    assert!(bytes(&merged([3, 1, 4, 0, 2])) == whole);
    let (left, right) = (merge(&models[4], &models[1], None).unwrap().model, merge(&models[0], &models[2], None).unwrap().model);
    let tree = merge(&left, &merge(&right, &models[3], None).unwrap().model, None).unwrap().model;
    assert!(bytes(&tree) == whole);
}

#[test]
fn the_order_of_files_does_not_matter_for_counts() {
    let folder = Folder::new();
    let files = parts(&folder, "part", &mushrooms(), 3, |row| row % 7 % 3);
    let order = |places: [usize; 3]| bytes(&learn(&places.map(|p| files[p].clone()), &options("class")).model);
    let first = order([0, 1, 2]);
    assert!(order([2, 1, 0]) == first);
    assert!(order([1, 0, 2]) == first);
}

#[test]
fn forgetting_undoes_updating() {
    let folder = Folder::new();
    let rows = mushrooms();
    let files = parts(&folder, "turn", &rows, 2, |row| row % 2);
    let before = learn(&files[..1], &options("class")).model;
    let after = update(&before, &files[1..], ReadOptions::default(), None).unwrap().model;
    let test = testdata("mushroom/mushroom.csv.gz");
    let back = forget(&after, &files[1..], ReadOptions::default()).unwrap().model;
    assert_eq!(back.statistic().n_rows(), before.statistic().n_rows());
    assert_eq!(answers(&back, &test), answers(&before, &test));
    let doubled = update(&before, &files[..1], ReadOptions::default(), None).unwrap().model;
    assert_eq!(doubled.statistic().n_rows(), 2.0 * before.statistic().n_rows());
    assert!(bytes(&forget(&doubled, &files[..1], ReadOptions::default()).unwrap().model) == bytes(&before));

    // States that came with the rows stay known by name, but do not count any more: all answers are what they were.
    let halves = halved(&folder, &rows);
    let before = learn(&halves[..1], &options("class")).model;
    let after = update(&before, &halves[1..], ReadOptions::default(), None).unwrap().model;
    assert_ne!(after.schema(), before.schema());
    let back = forget(&after, &halves[1..], ReadOptions::default()).unwrap().model;
    assert_eq!(answers(&back, &halves[0]), answers(&before, &halves[0]));
    assert_eq!(answers(&back, &test), answers(&before, &test));
    // And once more from there.
    let again = update(&back, &halves[1..], ReadOptions::default(), None).unwrap().model;
    assert!(bytes(&again) == bytes(&after));
}

#[test]
fn forgetting_numbers_is_exact_to_rounding_and_never_goes_below_nothing() {
    let folder = Folder::new();
    let train = testdata("iris/iris_train.csv");
    let files = parts(&folder, "turn", &Rows::read(&train), 2, |row| row % 2);
    let before = learn(&files[..1], &iris_options()).model;
    let after = update(&before, &files[1..], ReadOptions::default(), None).unwrap().model;
    assert_iris_moments(&after);
    let back = forget(&after, &files[1..], ReadOptions::default()).unwrap().model;
    assert_eq!(back.statistic().classes(), before.statistic().classes());
    let test = testdata("iris/iris_test.csv");
    for (one, other) in answers(&back, &test).iter().zip(answers(&before, &test)) {
        assert_eq!(one.predicted, other.predicted);
        one.probability.iter().zip(other.probability).for_each(|(p, q)| assert_close(*p, q, 1e-9));
    }
    let Err(error) = forget(&back, &[&train], ReadOptions::default()) else { panic!("more than was learned") };
    assert!(error.to_string().contains("not all in the model"), "{error}");
}

/// Every number of every model file, and every figure, is the same on 1, 2 and 7 threads.
#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let folder = Folder::new();
    let digits = parts(&folder, "digits", &Rows::read(&testdata("digits/digits_train.csv.gz")), 9, |row| row * 9 / 1260);
    let numeric = || with_types(options("digit"), &[("p*", ColumnType::Numeric)]);
    let mut variants = vec![
        ("gaussian", numeric()),
        ("student", LearnOptions { prior: "student".parse().map(prior_of).unwrap(), ..numeric() }),
        ("category", with_types(options("digit"), &[("*", ColumnType::Category)])),
        ("bins", LearnOptions { bins: Some(Discretisation::FayyadIrani), ..numeric() }),
        ("without flags", options("digit")),
    ];
    let mut bernoulli = LearnOptions { threshold: 7.5, ..numeric() };
    bernoulli.prior.event = EventModel::Bernoulli;
    variants.push(("bernoulli", bernoulli));
    for (name, mut options) in variants {
        options.evaluation = EvaluationPlan::LeaveOneOut;
        let mut found = [1, 2, 7].map(|threads| {
            options.read.threads = threads;
            let learned = learn(&digits, &options);
            (bytes(&learned.model), learned.evaluation.unwrap().metrics)
        });
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let [first, second, third] = found;
        assert!(first.0 == second.0 && second.0 == third.0, "{name}");
        assert!(first.1 == second.1 && second.1 == third.1, "{name}");
    }
}

fn prior_of(numeric: NumericModel) -> tunbridge::learners::NaiveBayesPrior {
    tunbridge::learners::NaiveBayesPrior { numeric, ..Default::default() }
}

/// A table of several chunks in one file: numbers whose sums round, weights, and states that first appear in the last chunk.
#[test]
fn the_same_bytes_for_a_file_of_several_chunks() {
    let folder = Folder::new();
    let mut text = String::from("x,state,often,y\n");
    let mut draw = 1_u64;
    for row in 0..140_000 {
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (class, noise) = ((draw >> 33) % 3, (draw >> 40) as f64 / 1e5);
        let state = if row > 139_000 { row % 50 } else { row % 7 };
        text += &format!("{},s{state},{},c{class}\n", noise + class as f64 / 3.0, 0.1 * ((draw >> 50) % 9) as f64);
    }
    let path = folder.file("chunks.csv", text);
    let mut options = options("y");
    options.read.weight = Some("often".into());
    let [one, two, seven] = [1, 2, 7].map(|threads| {
        options.read.threads = threads;
        bytes(&learn(&[&path], &options).model)
    });
    assert!(one == two && two == seven);
}

/// Names that sort one way as text and another as numbers, that look missing or truthful, and that need quotes.
const NAMES: [&str; 10] = ["10", "9", "-1", "1.0", "a", "B", "\"x,y\"", "None", "?", ""];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn cutting_a_table_anywhere_changes_nothing(
        rows in proptest::collection::vec((0..10_usize, 0..10_usize, 0..8_usize), 2..40),
        cut in 1..40_usize,
    ) {
        let text = |(a, b, class): &(usize, usize, usize)| format!("{},{},{}", NAMES[*a], NAMES[*b], NAMES[*class]);
        let rows = Rows { header: "a,b,y".into(), rows: rows.iter().map(text).collect() };
        let folder = Folder::new();
        let files = parts(&folder, "part", &rows, 2, |row| usize::from(row >= cut));
        let options = with_types(options("y"), &[("*", ColumnType::Category)]);
        let learned = |paths: &[PathBuf]| tunbridge::learn(paths, &options).ok().map(|learned| learned.model);
        // Either part may have no rows, or too few classes to learn from.
        if let (Some(first), Some(whole)) = (learned(&files[..1]), learned(&[folder.file("all.csv", rows.csv())])) {
            if cut < rows.rows.len() {
                let updated = update(&first, &files[1..], ReadOptions::default(), None).unwrap().model;
                prop_assert!(bytes(&updated) == bytes(&whole));
                let back = forget(&updated, &files[1..], ReadOptions::default()).unwrap().model;
                prop_assert_eq!(answers(&back, &files[1]).len(), rows.rows.len() - cut);
                for (back, before) in answers(&back, &files[0]).iter().zip(answers(&first, &files[0])) {
                    prop_assert_eq!(&back.predicted, &before.predicted);
                }
            }
            if let Some(second) = learned(&files[1..]) {
                prop_assert!(bytes(&merge(&first, &second, None).unwrap().model) == bytes(&whole));
                prop_assert!(bytes(&merge(&second, &first, None).unwrap().model) == bytes(&whole));
            }
        }
    }
}
