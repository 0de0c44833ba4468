//! Answers recorded from scikit-learn, plain loops and a textbook.

use std::fmt::Write;
use std::path::Path;

use tunbridge::belief::normalise_ln;
use tunbridge::data::ColumnType;
use tunbridge::learners::{Estimate, EventModel, NaiveBayesPrior, NumericModel};
use tunbridge::{Case, NaiveBayesModel};

use crate::support::{Folder, Rows, answers, assert_close, golden, learn, numbers, options, repository, strings, testdata, with_types};

/// Probabilities agree this far: both sides round sums of some seventy logarithms, of up to some thousands in digits.
const TOLERANCE: f64 = 1e-9;

/// Every prediction and, where they were recorded, every probability of a file's rows.
fn assert_answers(model: &NaiveBayesModel, test: &Path, recorded: &str) {
    let recorded = golden(recorded);
    assert_eq!(model.classes(), strings(&recorded["classes"]));
    let found = answers(model, test);
    let predicted = strings(&recorded["predicted"]);
    assert_eq!(found.len(), predicted.len());
    for (row, (found, expected)) in found.iter().zip(&predicted).enumerate() {
        assert_eq!(found.predicted.as_ref(), Some(expected), "row {row}: {found:?}");
    }
    if let Some(probability) = recorded["probability"].as_array() {
        for (row, (found, expected)) in found.iter().zip(probability).enumerate() {
            for (p, expected) in found.probability.iter().zip(numbers(expected)) {
                assert!((p - expected).abs() <= TOLERANCE, "row {row}: {p} for {expected}");
            }
        }
    }
}

fn gaussian(variance_smoothing: f64) -> NaiveBayesPrior {
    NaiveBayesPrior { numeric: NumericModel::Gaussian { variance_smoothing }, ..NaiveBayesPrior::default() }
}

fn of_event(event: EventModel) -> NaiveBayesPrior {
    NaiveBayesPrior { event, ..NaiveBayesPrior::default() }
}

/// A schema file that declares the states of columns.
fn sidecar(columns: impl IntoIterator<Item = (String, Vec<String>)>) -> String {
    let mut text = String::new();
    for (name, states) in columns {
        let _ = writeln!(text, "[columns.{name:?}]\nstates = {states:?}\n");
    }
    text
}

/// Mitchell 1997, section 6.9.1: 9/14 · 2/9 · 3/9 · 3/9 · 3/9 = 0.0053 and 5/14 · 3/5 · 1/5 · 4/5 · 3/5 = 0.0206, so P(No) = 0.795.
#[test]
fn play_tennis_on_a_sunny_cool_humid_windy_day() {
    let recorded = golden("playtennis.json");
    let ml = NaiveBayesPrior { estimate: Estimate::MaximumLikelihood, ..NaiveBayesPrior::default() };
    let mut options = options("PlayTennis");
    options.prior = ml;
    let path = repository("examples/play_tennis.csv");
    let model = learn(&[&path], &options).model;
    assert_eq!(model.classes(), strings(&recorded["classes"]));
    assert_eq!(Rows::read(&path).rows.len(), recorded["rows"].as_array().unwrap().len());

    let day: Vec<String> = ["Outlook=Sunny", "Temperature=Cool", "Humidity=High", "Wind=Strong"].map(String::from).into();
    let case = Case::parse(model.schema(), &day).unwrap();
    let (mut ln, said) = case.lend(|row| {
        let mut ln = Vec::new();
        model.posterior().ln_joint(row, &mut ln).unwrap();
        (ln, model.posterior().contributions(row, 0).unwrap())
    });
    for (ln, expected) in ln.iter().zip(numbers(&recorded["product"])) {
        assert_close(ln.exp(), expected, 1e-15 * expected);
    }
    assert_close(ln[1].exp(), 0.005291, 5e-7);
    assert_close(ln[0].exp(), 0.02057, 5e-6);
    assert_close(normalise_ln(&mut ln).exp(), numbers(&recorded["product"]).iter().sum(), 1e-16);
    for (ln, expected) in ln.iter().zip(numbers(&recorded["posterior"])) {
        assert_close(ln.exp(), expected, 1e-15);
    }
    let answer = case.lend(|row| model.answer(row)).unwrap();
    assert_eq!(answer.predicted, [Some(0)]);
    assert_close(answer.probability[0], 0.7954, 5e-5);
    let wind = said[3].as_ref().unwrap();
    assert_close(wind[1].exp(), 3.0 / 9.0, 1e-15);
    assert_close(wind[0].exp(), 3.0 / 5.0, 1e-15);
    assert_close(model.posterior().ln_class_prior()[1].exp(), 9.0 / 14.0, 1e-15);
}

/// scikit-learn `CategoricalNB(alpha=1, min_categories=17)`: every pixel has 17 states, also those it never shows.
#[test]
fn digits_as_categories() {
    let states: Vec<String> = (0..17).map(|v| v.to_string()).collect();
    let folder = Folder::new();
    let mut options = with_types(options("digit"), &[("*", ColumnType::Category)]);
    options.read.schema = Some(folder.file("digits.schema.toml", sidecar((0..64).map(|i| (format!("p{i:02}"), states.clone())))));
    let model = learn(&[testdata("digits/digits_train.csv.gz")], &options).model;
    assert!(model.schema().cardinalities().iter().take(64).all(|n| *n == 17));
    assert_answers(&model, &testdata("digits/digits_test.csv.gz"), "digits_categorical.json.gz");
}

#[test]
fn digits_as_gaussians() {
    let mut options = with_types(options("digit"), &[("p*", ColumnType::Numeric)]);
    options.prior = gaussian(1e-3);
    let model = learn(&[testdata("digits/digits_train.csv.gz")], &options).model;
    assert_answers(&model, &testdata("digits/digits_test.csv.gz"), "digits_gaussian.json.gz");
}

#[test]
fn digits_as_pixels_on_and_off() {
    let mut options = with_types(options("digit"), &[("p*", ColumnType::Numeric)]);
    options.prior = of_event(EventModel::Bernoulli);
    options.threshold = 7.5;
    let model = learn(&[testdata("digits/digits_train.csv.gz")], &options).model;
    assert_answers(&model, &testdata("digits/digits_test.csv.gz"), "digits_bernoulli.json.gz");
}

#[test]
fn digits_by_the_nearest_centroid() {
    let mut options = with_types(options("digit"), &[("p*", ColumnType::Numeric)]);
    options.prior = of_event(EventModel::NearestCentroid);
    let model = learn(&[testdata("digits/digits_train.csv.gz")], &options).model;
    assert_answers(&model, &testdata("digits/digits_test.csv.gz"), "digits_centroid.json.gz");
}

#[test]
fn iris_as_gaussians() {
    let mut options = options("species");
    options.prior = gaussian(1e-3);
    let model = learn(&[testdata("iris/iris_train.csv")], &options).model;
    assert_answers(&model, &testdata("iris/iris_test.csv"), "iris_gaussian.json");
}

/// Every distinct decimal is a state, also those that only the test rows have.
#[test]
fn iris_as_categories() {
    let recorded = golden("iris_categorical.json");
    let states = recorded["categories"].as_array().unwrap().iter().map(strings);
    let folder = Folder::new();
    let mut options = options("species");
    options.read.schema = Some(folder.file("iris.schema.toml", sidecar(strings(&recorded["columns"]).into_iter().zip(states))));
    let model = learn(&[testdata("iris/iris_train.csv")], &options).model;
    assert_answers(&model, &testdata("iris/iris_test.csv"), "iris_categorical.json");
}

#[test]
fn iris_by_the_nearest_centroid() {
    let mut options = options("species");
    options.prior = of_event(EventModel::NearestCentroid);
    let model = learn(&[testdata("iris/iris_train.csv")], &options).model;
    assert_answers(&model, &testdata("iris/iris_test.csv"), "iris_centroid.json");
}

/// 2,480 cells of `stalk-root` are missing: left out of a row's product, and of the counts they would have been in.
#[test]
fn mushrooms_with_missing_cells() {
    let rows = Rows::read(&testdata("mushroom/mushroom.csv.gz"));
    let folder = Folder::new();
    let train = folder.file("train.csv", rows.only(|row| row % 10 < 7).csv());
    let test = folder.file("test.csv", rows.only(|row| row % 10 >= 7).csv());
    let learned = learn(&[&train], &options("class"));
    let recorded = golden("mushroom.json.gz");
    for (variable, states) in learned.model.schema().variables().iter().zip(recorded["states"].as_array().unwrap()) {
        let place = learned.model.schema().find(&variable.name).unwrap();
        assert_eq!(learned.model.schema().states(place).unwrap().names(), strings(states), "{}", variable.name);
    }
    let weights = learned.model.statistic().classes();
    assert_eq!(weights, numbers(&recorded["class_count"]));
    let missing: u64 = learned.report.n_missing.iter().sum();
    assert!(missing > 0 && missing < 2480, "{missing}");
    assert_answers(&learned.model, &test, "mushroom.json.gz");
}
