//! Several labels a row, through the facade.

use std::path::{Path, PathBuf};

use tunbridge::data::{ReadOptions, UnknownStates};
use tunbridge::evaluate::LabelTally;
use tunbridge::labels::{self, LabelsModel};
use tunbridge::{Case, EvaluationPlan, LearnOptions, Model, TestOptions};

const ROWS: [&str; 12] = [
    "wheat and corn prices rise,3,grain;trade",
    "corn harvest late,1,grain",
    "tariffs on steel,5,trade",
    "tariffs on wheat,4,trade;grain",
    "rain in the north,2,",
    "quarterly profit up,9,earn",
    "profit and dividend,8,earn",
    "steel profit falls,7,earn;trade",
    "shares of the bank,6,",
    "the minister resigned,2,NA",
    "corn tariffs,3,grain;trade;grain",
    "the harvest festival,1,",
];

fn write(folder: &Path, name: &str, rows: &[&str]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, format!("body,size,topics\n{}\n", rows.join("\n"))).unwrap();
    path
}

fn options(threads: usize) -> LearnOptions {
    let mut options = LearnOptions { evaluation: EvaluationPlan::None, ..LearnOptions::default() };
    options.read.target = Some("topics".into());
    options.read.labels = Some(";".into());
    options.read.text = vec!["body".into()];
    options.read.types = vec![("size".into(), tunbridge::data::ColumnType::Category)];
    options.read.threads = threads;
    options
}

fn test_options(unknown_states: UnknownStates) -> TestOptions {
    TestOptions { unknown_states, ..TestOptions::default() }
}

fn learn(path: &Path) -> LabelsModel {
    labels::learn(&[path], &options(1)).unwrap().model
}

fn probabilities(model: &LabelsModel, body: &str) -> Vec<f64> {
    let case = Case::parse(model.schema(), &[format!("body={body}"), "size=3".into()]).unwrap();
    case.lend(|row| model.answer(row)).unwrap().probability
}

#[test]
fn rows_that_join_leave_or_are_merged_make_the_model_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let all = write(folder.path(), "all.csv", &ROWS);
    for cut in [3, 6, 10] {
        let (first, rest) = (write(folder.path(), "a.csv", &ROWS[..cut]), write(folder.path(), "b.csv", &ROWS[cut..]));
        let (whole, a, b) = (learn(&all), learn(&first), learn(&rest));
        let updated = labels::update(&a, &[&rest], ReadOptions::default(), None).unwrap().model;
        let merged = labels::merge(&a, &b, None).unwrap().model;
        for model in [&updated, &merged] {
            assert_eq!((model.schema(), model.statistic()), (whole.schema(), whole.statistic()), "{cut}");
        }
        assert!(labels::difference(&updated, &whole).unwrap().moved.is_empty());
        let back = labels::forget(&whole, &[&rest], ReadOptions::default()).unwrap().model;
        // Labels that nobody has any more are still there, and are not said.
        for label in a.labels() {
            let place = |model: &LabelsModel| model.labels().iter().position(|known| known == label).unwrap();
            let [x, y] = [&a, &back].map(|model| probabilities(model, "wheat tariffs")[place(model)]);
            assert!((x - y).abs() < 1e-12, "{label}: {x} and {y}");
        }
        assert!(labels::forget(&a, &[&rest], ReadOptions::default()).is_err());
    }
}

#[test]
fn a_saved_model_answers_as_before_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let all = write(folder.path(), "all.csv", &ROWS);
    let file = |threads: usize| {
        let path = folder.path().join(format!("{threads}.tb"));
        let learned = labels::learn(&[&all], &options(threads)).unwrap();
        Model::Labels(Box::new(learned.model)).save(&path, false).unwrap();
        path
    };
    let files = [1, 2, 7].map(file);
    let bytes = files.each_ref().map(|path| std::fs::read(path).unwrap());
    assert!(bytes[0] == bytes[1] && bytes[0] == bytes[2]);
    let Model::Labels(loaded) = Model::load(&files[0]).unwrap() else { panic!("labels") };
    assert_eq!(probabilities(&loaded, "corn profit"), probabilities(&learn(&all), "corn profit"));
    assert_eq!((loaded.separator(), loaded.target(), loaded.statistic().n_rows_without_target()), (";", "topics", 1.0));
}

/// Each row by the model of all others, learned anew.
#[test]
fn leave_one_out_is_learning_without_the_row() {
    let folder = tempfile::tempdir().unwrap();
    let all = write(folder.path(), "all.csv", &ROWS);
    let found = labels::learn(&[&all], &LearnOptions { evaluation: EvaluationPlan::LeaveOneOut, ..options(2) }).unwrap();
    let mut tally = LabelTally::new(3);
    for (row, text) in ROWS.iter().enumerate().filter(|(_, text)| !text.ends_with("NA")) {
        let others: Vec<&str> = ROWS.iter().enumerate().filter(|(other, _)| *other != row).map(|(_, text)| *text).collect();
        let model = learn(&write(folder.path(), "others.csv", &others));
        assert_eq!(model.labels(), found.model.labels());
        let cells: Vec<&str> = text.split(',').collect();
        let case = Case::parse(model.schema(), &[format!("body={}", cells[0]), format!("size={}", cells[1])]).unwrap();
        let mut odds = Vec::new();
        case.lend(|row| model.posterior().ln_odds(row, &mut odds)).unwrap();
        let truth: Vec<u32> =
            cells[2].split(';').filter_map(|label| model.labels().iter().position(|l| l == label)).map(|l| l as u32).collect();
        tally.observe(&truth, &odds, 1.0).unwrap();
    }
    assert_eq!(found.evaluation.unwrap().metrics, tally.metrics().unwrap());
}

#[test]
fn rows_held_out_folds_and_test_files_are_judged() {
    let folder = tempfile::tempdir().unwrap();
    let many: Vec<&str> = ROWS.iter().cycle().take(120).copied().collect();
    let all = write(folder.path(), "all.csv", &many);
    let folds = labels::learn(&[&all], &LearnOptions { evaluation: EvaluationPlan::Folds(5), ..options(1) }).unwrap().evaluation.unwrap();
    assert_eq!((folds.metrics.rows, folds.how.as_str()), (110.0, "5 folds, seed 1"));
    // Every row has its like among the others.
    assert!(folds.metrics.micro.f1.unwrap() > 0.9 && folds.metrics.micro.break_even.unwrap() > 0.9, "{folds:?}");
    let held = labels::hold_out(&[&all], &options(1), 0.3).unwrap().evaluation;
    assert!(held.metrics.rows > 20.0 && held.metrics.rows < 50.0 && held.metrics.micro.f1.unwrap() > 0.9);
    let strange = write(folder.path(), "strange.csv", &["corn,3,grain;weather", "profit,9,earn", "rain,1,"]);
    let tested = labels::test(&learn(&all), &[&strange], test_options(UnknownStates::Missing)).unwrap();
    assert_eq!(tested.evaluation.metrics.rows, 3.0);
    assert!(tested.remarks.iter().any(|remark| remark.contains("1 row has labels that the model does not know")), "{:?}", tested.remarks);
    let refused = labels::test(&learn(&all), &[&strange], test_options(UnknownStates::Error)).err().unwrap();
    assert!(refused.to_string().contains("`weather`"), "{refused}");
}

#[test]
fn numbers_are_bells_or_bins_beside_labels() {
    let folder = tempfile::tempdir().unwrap();
    let all = write(folder.path(), "all.csv", &ROWS);
    for bins in [None, Some("bins:width:3"), Some("bins:frequency:3")] {
        let mut options = options(1);
        options.read.types = vec![("size".into(), tunbridge::data::ColumnType::Numeric)];
        options.bins = bins.map(|bins| bins.parse().unwrap());
        let model = labels::learn(&[&all], &options).unwrap().model;
        let p = |size: &str| {
            let case = Case::parse(model.schema(), &[format!("size={size}")]).unwrap();
            case.lend(|row| model.answer(row)).unwrap().probability[0]
        };
        // Earnings are in long stories.
        assert_eq!(model.labels()[0], "earn");
        assert!(p("8.5") > p("2"), "{bins:?}: {} {}", p("8.5"), p("2"));
    }
}

#[test]
fn what_labels_do_not_have_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let all = write(folder.path(), "all.csv", &ROWS);
    let refused = |change: &dyn Fn(&mut LearnOptions)| {
        let mut options = options(1);
        change(&mut options);
        labels::learn(&[&all], &options).err().unwrap().to_string()
    };
    assert!(refused(&|o| o.calibration = Some(tunbridge::evaluate::Method::Sigmoid)).contains("calibration"));
    assert!(refused(&|o| o.bins = Some("bins:mdl".parse().unwrap())).contains("one class a row"));
    assert!(refused(&|o| o.weighing.log_times = true).contains("weighed once for all classes"));
    assert!(refused(&|o| o.read.max_vocabulary = Some(3)).contains("labels keep all words"));
    assert!(refused(&|o| o.costs = Some(tunbridge::NamedCosts::default())).contains("costs are of taking"));
    assert!(refused(&|o| o.read.labels = None).contains("what separates labels"));
    assert!(refused(&|o| o.prior.class = "grain=0.3,trade=0.7".parse().unwrap()).contains("no class of `topics`"));
    let none = write(folder.path(), "none.csv", &["rain,1,", "more rain,2,"]);
    assert!(labels::learn(&[&none], &options(1)).err().unwrap().to_string().contains("no row has a label"));
    assert!(tunbridge::learn(&[&all], &options(1)).err().unwrap().to_string().contains("`topics` is labels"));
}
