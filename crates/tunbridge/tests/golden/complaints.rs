//! What users of other programs complain about, each as a test that it is not so here.

use tunbridge::belief::log_sum_exp;
use tunbridge::data::{ColumnType, DataError, ReadOptions, UnknownStates};
use tunbridge::evaluate::{Method, Metrics};
use tunbridge::{Case, Error, EvaluationPlan, LearnOptions, NaiveBayesModel, TestOptions, test, update};

use crate::support::{Answer, Folder, Rows, answers, answers_and_report, assert_close, learn, options, repository, testdata, with_types};

fn play_tennis() -> NaiveBayesModel {
    learn(&[repository("examples/play_tennis.csv")], &options("PlayTennis")).model
}

/// ln P(class, case) by the model.
fn ln_joint(model: &NaiveBayesModel, case: &[(&str, &str)]) -> Vec<f64> {
    let pairs: Vec<String> = case.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut ln = Vec::new();
    Case::parse(model.schema(), &pairs).unwrap().lend(|row| model.posterior().ln_joint(row, &mut ln)).unwrap();
    ln
}

/// A file of these rows of PlayTennis, without the target.
fn days(folder: &Folder, rows: &str) -> std::path::PathBuf {
    folder.file("days.csv", format!("Outlook,Temperature,Humidity,Wind\n{rows}"))
}

#[test]
fn a_category_first_seen_at_prediction_is_left_out_and_counted() {
    let model = play_tennis();
    let folder = Folder::new();
    let (new, report) = answers_and_report(&model, &days(&folder, "Foggy,Cool,High,Strong\nSunny,Cool,High,Gale\n"));
    assert_eq!(report.n_unknown, [1, 0, 0, 1, 0]);
    assert_eq!(report.n_missing[..4], [0, 0, 0, 0]);
    let gaps = answers(&model, &days(&folder, "?,Cool,High,Strong\nSunny,Cool,High,\n"));
    assert_eq!(new, gaps);
    let case = Case::parse(model.schema(), &["Outlook=Foggy".into(), "Wind=Strong".into()]).unwrap();
    assert_eq!(case.unknown, [("Outlook".to_string(), "Foggy".to_string())]);
    let wind_alone = Case::parse(model.schema(), &["Wind=Strong".into()]).unwrap();
    let [foggy, wind_alone] = [case, wind_alone].map(|case| case.lend(|row| model.answer(row)).unwrap().probability);
    assert_eq!(foggy, wind_alone);
}

#[test]
fn a_category_first_seen_can_be_an_error_that_names_it() {
    let folder = Folder::new();
    let path =
        folder.file("days.csv", "Outlook,Temperature,Humidity,Wind,PlayTennis\nSunny,Cool,High,Weak,No\nFoggy,Cool,High,Strong,No\n");
    let found = test(&play_tennis(), &[&path], TestOptions { unknown_states: UnknownStates::Error, ..TestOptions::default() });
    let Err(Error::Data(DataError::BadRow { place, fault })) = found else { panic!("the row is at fault") };
    assert_eq!((place.line, place.column.as_deref()), (3, Some("Outlook")));
    assert!(fault.to_string().contains("Foggy"), "{fault}");
}

/// A category that rows brought later is a state like any other, and so is a class.
#[test]
fn a_category_first_seen_in_an_update_is_learned() {
    let folder = Folder::new();
    let rows = "Foggy,Cool,High,Strong,Maybe\nFoggy,Mild,High,Weak,Maybe\n";
    let more = folder.file("more.csv", format!("Outlook,Temperature,Humidity,Wind,PlayTennis\n{rows}"));
    let model = update(&play_tennis(), &[&more], ReadOptions::default(), None).unwrap().model;
    assert_eq!(model.classes(), ["Maybe", "No", "Yes"]);
    let both = learn(&[repository("examples/play_tennis.csv"), more], &options("PlayTennis")).model;
    assert!(crate::support::bytes(&model) == crate::support::bytes(&both));
    assert_eq!(answers(&model, &days(&folder, "Foggy,Cool,High,Strong\n"))[0].predicted.as_deref(), Some("Maybe"));
}

/// Σ over the states of what is missing, of P(class, case with the state): the gap is summed out, nothing is imputed.
#[test]
fn a_missing_cell_is_summed_out() {
    let model = play_tennis();
    let rows = Rows::read(&repository("examples/play_tennis.csv"));
    let names = rows.columns();
    for row in 0..rows.rows.len() {
        let cells = rows.cells(row);
        for gaps in (0_usize..16).filter(|gaps| gaps.count_ones() <= 2) {
            let is_gap = |place: usize| gaps >> place & 1 == 1;
            let kept: Vec<(&str, &str)> = (0..4).filter(|p| !is_gap(*p)).map(|p| (names[p], cells[p])).collect();
            // Every way to fill the gaps.
            let mut filled = vec![kept.clone()];
            for place in (0..4).filter(|place| is_gap(*place)) {
                let states = model.schema().states(model.schema().find(names[place]).unwrap()).unwrap().names();
                filled = filled
                    .iter()
                    .flat_map(|case| states.iter().map(|state| [case.as_slice(), &[(names[place], state.as_str())]].concat()))
                    .collect();
            }
            let joints: Vec<Vec<f64>> = filled.iter().map(|case| ln_joint(&model, case)).collect();
            for (class, ln) in ln_joint(&model, &kept).into_iter().enumerate() {
                let summed = log_sum_exp(&joints.iter().map(|ln| ln[class]).collect::<Vec<_>>());
                assert_close(ln, summed, 1e-12);
            }
        }
    }
}

/// Three cells in ten lost at random, in learning and in prediction: no row is dropped, and little accuracy is lost.
#[test]
fn cells_missing_at_random_cost_little() {
    let mut rows = Rows::read(&testdata("mushroom/mushroom.csv.gz")).only(|row| row % 4 == 0);
    let mut draw = 7_u64;
    for row in &mut rows.rows {
        let (inputs, target) = row.rsplit_once(',').unwrap();
        let kept = inputs.split(',').map(|cell| {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if (draw >> 33) % 10 < 3 { "?" } else { cell }
        });
        *row = format!("{},{target}", kept.collect::<Vec<_>>().join(","));
    }
    let folder = Folder::new();
    let mut options = options("class");
    options.evaluation = EvaluationPlan::Folds(5);
    let learned = learn(&[folder.file("gaps.csv", rows.csv())], &options);
    let metrics = learned.evaluation.unwrap().metrics;
    assert_eq!(metrics.rows, rows.rows.len() as f64);
    assert!(metrics.accuracy > 0.93, "{}", metrics.accuracy);
    let share = learned.report.n_missing.iter().sum::<u64>() as f64 / (22 * rows.rows.len()) as f64;
    assert!((0.28..0.35).contains(&share), "{share}");
}

/// Words, whole numbers that are codes, decimals and yes/no in one product, as it is done by hand.
#[test]
fn columns_of_all_kinds_in_one_model() {
    let folder = Folder::new();
    let text = "kind,code,length,wet,y\nred,1,1.0,true,a\nred,2,2.0,false,a\nblue,1,3.0,true,a\nblue,2,8.5,false,b\nred,2,9.5,false,b\n";
    let learned = learn(&[folder.file("kinds.csv", text)], &with_types(options("y"), &[("code", ColumnType::Category)]));
    let model = learned.model;
    let words: Vec<&str> = model.schema().variables().iter().map(|v| v.kind.word()).collect();
    assert_eq!(words, ["category", "category", "numeric", "category", "category"]);
    let ln = ln_joint(&model, &[("kind", "red"), ("code", "2"), ("length", "2.5"), ("wet", "false")]);
    let bell = |mean: f64, variance: f64| (-(2.5 - mean).powi(2) / (2.0 * variance)).exp() / (std::f64::consts::TAU * variance).sqrt();
    // The variance of the whole column is 12.26; a part of 1e-9 of it is added.
    let added = 1e-9 * 12.26;
    let by_hand = [
        3.0 / 5.0 * 3.0 / 5.0 * 2.0 / 5.0 * bell(2.0, 2.0 / 3.0 + added) * 2.0 / 5.0,
        2.0 / 5.0 * 2.0 / 4.0 * 3.0 / 4.0 * bell(9.0, 0.25 + added) * 3.0 / 4.0,
    ];
    for (ln, expected) in ln.iter().zip(by_hand) {
        assert_close(*ln, expected.ln(), 1e-12 * expected.ln().abs());
    }
}

/// Numbers as names: sorted by value, found however they are written, never taken for places.
#[test]
fn states_whose_names_are_numbers() {
    let folder = Folder::new();
    let text = "code,y\n10,1\n10,1\n2,0\n2,0\n1,0\n-3,1\n2,1\n10,0\n";
    let path = folder.file("codes.csv", text);
    let model = learn(&[&path], &with_types(options("y"), &[("*", ColumnType::Category)])).model;
    assert_eq!(model.schema().states(model.schema().find("code").unwrap()).unwrap().names(), ["-3", "1", "2", "10"]);
    assert_eq!(model.classes(), ["0", "1"]);
    let p = |file: &str| answers(&model, &folder.file("new.csv", file)).remove(0);
    // P(10 | y): (1 + 1)/(4 + 4) and (2 + 1)/(4 + 4).
    assert_close(p("code\n10\n").probability[1], 3.0 / 5.0, 1e-15);
    for other in ["10.0", "1e1", "010", " 10 ", "\"10\""] {
        assert_eq!(p(&format!("code\n{other}\n")), p("code\n10\n"), "{other}");
    }
    // No state is meant by its place, and a number that is no state is unknown.
    let unknown = Answer { predicted: Some("0".into()), probability: vec![0.5, 0.5] };
    assert_eq!(p("code\n0\n"), unknown);
    assert_eq!(p("code\n3\n"), unknown);
    assert_eq!(ln_joint(&model, &[("code", "10.0")]), ln_joint(&model, &[("code", "10")]));
}

/// Words that other readers take for missing or for truth values are states.
#[test]
fn none_and_true_are_states_like_others() {
    let folder = Folder::new();
    let path = folder.file("words.csv", "a,y\nNone,T\nnone,T\nTrue,F\nfalse,F\nNone,F\nunknown,T\n");
    let learned = learn(&[&path], &options("y"));
    assert_eq!(learned.report.n_missing, [0, 0]);
    let states = learned.model.schema().states(learned.model.schema().find("a").unwrap()).unwrap();
    assert_eq!(states.names(), ["None", "True", "false", "none", "unknown"]);
}

/// Every column five times: independence is violated as far as can be, and the probabilities are far too sure. The figures before
/// and after calibration, by each method.
fn mended(rows: &Rows, options: &LearnOptions) -> Vec<[Metrics; 2]> {
    let folder = Folder::new();
    let path = folder.file("five.csv", rows.repeated(5).csv());
    let by = |method: Method| {
        let learned =
            learn(&[&path], &LearnOptions { calibration: Some(method), evaluation: EvaluationPlan::LeaveOneOut, ..options.clone() });
        // The model itself answers calibrated, and never with certainty.
        let answers = answers(&learned.model, &path);
        assert!(answers.iter().flat_map(|a| &a.probability).all(|p| *p > 0.0 && *p < 1.0));
        answers.iter().for_each(|answer| assert_close(answer.probability.iter().sum(), 1.0, 1e-12));
        [learned.evaluation.unwrap().metrics, learned.calibrated.unwrap().after.metrics]
    };
    [Method::Isotonic, Method::Sigmoid].map(by).into()
}

#[test]
fn calibration_mends_mushrooms_with_every_column_five_times() {
    let rows = Rows::read(&testdata("mushroom/mushroom.csv.gz")).only(|row| row % 3 == 0);
    for [before, after] in mended(&rows, &options("class")) {
        let loss = [before.log_loss.unwrap(), after.log_loss.unwrap()];
        assert!(loss[1] < 0.5 * loss[0], "log loss {loss:?}");
        let error = [before.calibration_error.unwrap(), after.calibration_error.unwrap()];
        assert!(error[1] < 0.8 * error[0], "calibration error {error:?}");
        assert!(after.accuracy >= before.accuracy, "accuracy {} for {}", after.accuracy, before.accuracy);
    }
}

#[test]
fn calibration_mends_iris_with_every_column_five_times() {
    let mut rows = Rows::read(&testdata("iris/iris_train.csv"));
    rows.rows.extend(Rows::read(&testdata("iris/iris_test.csv")).rows);
    for [before, after] in mended(&rows, &options("species")) {
        let loss = [before.log_loss.unwrap(), after.log_loss.unwrap()];
        assert!(loss[1] < 0.5 * loss[0], "log loss {loss:?}");
        let error = [before.calibration_error.unwrap(), after.calibration_error.unwrap()];
        assert!(error[1] < 0.8 * error[0], "calibration error {error:?}");
        assert!(after.accuracy > before.accuracy - 0.02, "accuracy {} for {}", after.accuracy, before.accuracy);
    }
}
