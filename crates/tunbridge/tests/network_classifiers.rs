//! Classifiers whose attributes depend on each other, of tables with numbers and gaps: folds, ledgers, indicators, and averaged one-dependence
//! estimators from learning to forgetting.

use std::path::{Path, PathBuf};

use tunbridge::aode::{self, AodeOptions};
use tunbridge::belief::{FoldPlan, Rng, VarId, random_stream};
use tunbridge::data::{ReadOptions, UnknownStates};
use tunbridge::learners::{Contest, Discretisation, LeftOut};
use tunbridge::network::{self, Indicator, NetworkFile, NetworkOptions, StructureLearner, learn_with};
use tunbridge::{Case, Classifier, EvaluationPlan, Model, TestOptions, test};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn tennis() -> PathBuf {
    root().join("examples/play_tennis.csv")
}

fn iris() -> PathBuf {
    root().join("testdata/iris/iris_train.csv")
}

fn reading(target: &str) -> ReadOptions {
    ReadOptions { target: Some(target.into()), ..ReadOptions::default() }
}

fn tan() -> StructureLearner {
    "tan".parse().unwrap()
}

/// The folds of a network are those that one gets by writing each fold's rows to files of their own.
#[test]
fn folds_are_learned_from_the_other_rows_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(iris()).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let (n_folds, seed) = (3, 5);
    let plan = FoldPlan::new(n_folds, seed).unwrap();
    let fold_of = plan.folds(0, rows.len());
    for learner in [tan(), "kdb:1".parse().unwrap()] {
        let options =
            NetworkOptions { read: reading("species"), evaluation: EvaluationPlan::Folds(n_folds), seed, ..NetworkOptions::default() };
        let whole = learn_with(&[iris()], learner, &options).unwrap();
        let found = whole.evaluation.unwrap().metrics;
        let (mut n_right, mut log_loss) = (0.0, 0.0);
        for fold in 0..n_folds {
            let part = |name: &str, is_within: bool| {
                let path = folder.path().join(name);
                let kept = rows.iter().zip(&fold_of).filter(|(_, of)| (usize::from(**of) == fold) == is_within);
                let lines: Vec<&str> = kept.map(|(row, _)| *row).collect();
                std::fs::write(&path, format!("{header}\n{}\n", lines.join("\n"))).unwrap();
                path
            };
            let (others, own) = (part("others.csv", false), part("own.csv", true));
            let options = NetworkOptions { read: reading("species"), ..NetworkOptions::default() };
            let model = learn_with(&[&others], learner, &options).unwrap().model;
            let tested = test(&model.classifier(1 << 30).unwrap(), &[&own], TestOptions::default()).unwrap();
            let metrics = tested.evaluation.metrics;
            n_right += metrics.accuracy * metrics.rows;
            log_loss += metrics.log_loss.unwrap() * metrics.rows;
        }
        assert_eq!(found.rows, rows.len() as f64);
        assert!((found.accuracy * found.rows - n_right).abs() < 1e-9);
        assert!((found.log_loss.unwrap() * found.rows - log_loss).abs() < 1e-9 * log_loss.abs().max(1.0));
    }
}

/// A graph that is known, of rows with gaps: a part that is held out is judged by the tables that EM learns from a file of the others.
#[test]
fn a_known_graph_is_judged_on_rows_that_are_held_out() {
    let folder = tempfile::tempdir().unwrap();
    let gaps = root().join("examples/flu_gaps.csv");
    let graph = NetworkFile::open(&root().join("examples/flu.tbn")).unwrap();
    let text = std::fs::read_to_string(&gaps).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let (share, seed) = (0.3, 4);
    // A hundred folds, of which the first thirty are held out.
    let fold_of = FoldPlan::new(100, seed).unwrap().folds(0, rows.lines().count());
    let part = |name: &str, is_within: bool| {
        let path = folder.path().join(name);
        let kept = rows.lines().zip(&fold_of).filter(|(_, of)| (usize::from(**of) < 30) == is_within);
        std::fs::write(&path, format!("{header}\n{}\n", kept.map(|(row, _)| row).collect::<Vec<_>>().join("\n"))).unwrap();
        path
    };
    let (others, own) = (part("others.csv", false), part("own.csv", true));
    let options = NetworkOptions { read: reading("Flu"), seed, ..NetworkOptions::default() };
    let held_out = network::hold_out(&[&gaps], &graph, &options, share).unwrap();
    let model = network::learn(&[&others], &graph, &options).unwrap().model;
    assert!(model.expected().is_some());
    let tested = test(&model.classifier(1 << 30).unwrap(), &[&own], TestOptions::default()).unwrap();
    let (found, expected) = (held_out.evaluation.metrics, tested.evaluation.metrics);
    assert_eq!((found.rows, found.accuracy), (expected.rows, expected.accuracy));
    assert!((found.log_loss.unwrap() - expected.log_loss.unwrap()).abs() < 1e-9);
    assert!(held_out.remarks.iter().any(|remark| remark.contains("passed over")), "{:?}", held_out.remarks);
}

/// Leave-one-out is refused with a way out, and so are folds of a network without a target.
#[test]
fn what_cannot_be_judged_is_said() {
    let refused = |evaluation, learner: &str, target: Option<&str>| {
        let read = ReadOptions { target: target.map(String::from), ..ReadOptions::default() };
        let options = NetworkOptions { read, evaluation, ..NetworkOptions::default() };
        learn_with(&[tennis()], learner.parse().unwrap(), &options).err().expect("it is refused").to_string()
    };
    assert!(refused(EvaluationPlan::LeaveOneOut, "tan", Some("PlayTennis")).contains("once for every row"));
    assert!(refused(EvaluationPlan::Folds(1), "tan", Some("PlayTennis")).contains("too few"));
    assert!(refused(EvaluationPlan::Folds(2), "chow-liu", None).contains("no target"));
}

/// Numbers are cut where naive Bayes with the same bins cuts them, and rows that come later are cut there too.
#[test]
fn numbers_are_cut_into_states() {
    let options = NetworkOptions { read: reading("species"), ..NetworkOptions::default() };
    let learned = learn_with(&[iris()], tan(), &options).unwrap();
    let cuts = &learned.model.recipe().made.cuts;
    let bayes = tunbridge::LearnOptions {
        read: reading("species"),
        bins: Some(Discretisation::FayyadIrani),
        evaluation: EvaluationPlan::None,
        ..tunbridge::LearnOptions::default()
    };
    let bayes = tunbridge::learn(&[iris()], &bayes).unwrap().model;
    let treatments = bayes.observed().treatments();
    for (variable, treatment) in bayes.schema().variables().iter().zip(treatments) {
        if let tunbridge::learners::Treatment::Binned(expected) = treatment {
            assert_eq!(cuts[&variable.name], expected, "{}", variable.name);
        }
    }
    assert_eq!(cuts.len(), 4);
    assert_eq!(learned.model.recipe().discretisation.as_deref(), Some("bins:mdl"));
    let network = learned.model.network();
    let petal = network.find(cuts.keys().find(|name| name.contains("petal")).unwrap()).unwrap();
    assert!(network.states(petal)[0].starts_with("<=") && network.states(petal).last().unwrap().starts_with('>'));

    // A case by hand: a number, or the name of its bin.
    let (name, cut) = (network.name(petal).to_string(), cuts[network.name(petal)][0]);
    let schema = learned.model.schema();
    let of = |value: String| {
        let case = Case::parse_with(schema, &[format!("{name}={value}")], learned.model.recipe()).unwrap();
        case.lend(|row| learned.model.classifier(1 << 30).unwrap().answer(row)).unwrap().probability
    };
    assert_eq!(of(cut.to_string()), of(network.states(petal)[0].clone()));
    assert_ne!(of((cut + 1.0).to_string()), of(cut.to_string()));
    let wrong = Case::parse_with(schema, &[format!("{name}=tiny")], learned.model.recipe()).unwrap_err();
    assert!(wrong.to_string().contains("is not a number"), "{wrong}");

    // The model file keeps it all, and what came out of it counts new rows in the same bins.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("iris.tb");
    learned.model.save(&path, false).unwrap();
    let Model::Network(saved) = Model::load(&path).unwrap() else { panic!("a network") };
    assert_eq!(saved.recipe(), learned.model.recipe());
    let twice = network::update(&saved, &[iris()], ReadOptions::default(), None, None, &network::EmPlan::default()).unwrap().model;
    let doubled: Vec<f64> = saved.observed().counts.cells().iter().map(|n| 2.0 * n).collect();
    assert_eq!(twice.observed().counts.cells(), doubled);
    let back = network::forget(&twice, &[iris()], ReadOptions::default(), &network::EmPlan::default()).unwrap().model;
    assert_eq!(back.observed().counts.cells(), saved.observed().counts.cells());
}

/// Without a target numbers have bins of equally many rows; and cuts that need classes are refused.
#[test]
fn numbers_of_a_tree_need_no_class() {
    let read = ReadOptions { ignore: vec!["species".into()], ..ReadOptions::default() };
    let options = NetworkOptions { read, ..NetworkOptions::default() };
    let learned = learn_with(&[iris()], "chow-liu".parse().unwrap(), &options).unwrap();
    assert!(learned.model.recipe().made.cuts.values().all(|cuts| cuts.len() == 4));
    assert_eq!(learned.model.network().dag().n_arcs(), 3);
    let by_classes = NetworkOptions { bins: Some(Discretisation::FayyadIrani), ..options };
    let refused = learn_with(&[iris()], "chow-liu".parse().unwrap(), &by_classes).err().unwrap();
    assert!(refused.to_string().contains("bins:mdl cuts numbers so that they tell classes apart"), "{refused}");
    // And a graph that is given as arcs alone has its numbers cut too.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let rows: String = (0..200).map(|i| format!("{}.5,{}\n", i % 100, if i % 100 < 50 { "low" } else { "high" })).collect();
    std::fs::write(&path, format!("x,kind\n{rows}")).unwrap();
    let graph = NetworkFile::open("kind->x".as_ref()).unwrap();
    let options = NetworkOptions { read: reading("kind"), ..NetworkOptions::default() };
    let learned = network::learn(&[&path], &graph, &options).unwrap();
    assert_eq!(learned.model.recipe().made.cuts["x"], [50.0]);
}

/// The ledger of a network adds up to the probability that it gives, whatever is missing, and gives reasons for what says nothing.
#[test]
fn a_ledger_of_a_network_adds_up() {
    for learner in ["tan", "kdb:2", "chow-liu"] {
        let options = NetworkOptions { read: reading("PlayTennis"), ..NetworkOptions::default() };
        let model = learn_with(&[tennis()], learner.parse().unwrap(), &options).unwrap().model;
        let classifier = model.classifier(1 << 30).unwrap();
        for pairs in [&["Outlook=Sunny", "Temperature=Cool", "Humidity=High", "Wind=Strong"][..], &["Wind=Weak"], &[]] {
            let pairs: Vec<String> = pairs.iter().map(|pair| pair.to_string()).collect();
            let case = Case::parse_with(model.schema(), &pairs, model.recipe()).unwrap();
            let ledger = case.lend(|row| classifier.explain(row, 0, Contest::default())).unwrap();
            let sum = ledger.entries.iter().fold(ledger.prior_log_odds, |sum, entry| sum + entry.log_odds);
            let (p, q) = (ledger.probability.unwrap(), ledger.probability_against.unwrap());
            assert!((sum - (p / q).ln()).abs() < 1e-12 && (sum - ledger.posterior_log_odds.unwrap()).abs() < 1e-12);
            let answer = case.lend(|row| classifier.answer(row)).unwrap();
            let class = classifier.classes().iter().position(|class| *class == ledger.class).unwrap();
            assert!((answer.probability[class] - p).abs() < 1e-12 && answer.predicted[0] == Some(class as u32));
            assert_eq!((ledger.entries.len(), ledger.left_out.len()), (pairs.len(), 4 - pairs.len()));
            assert!(ledger.left_out.iter().all(|out| out.why == LeftOut::Missing));
        }
    }
}

/// A target that has one state is not weighed against anything.
#[test]
fn one_class_is_not_weighed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "A,Y\na,only\nb,only\n").unwrap();
    let options = NetworkOptions { read: reading("Y"), ..NetworkOptions::default() };
    let model = network::learn(&[&path], &NetworkFile::open("Y->A".as_ref()).unwrap(), &options).unwrap().model;
    let case = Case::parse(model.schema(), &["A=a".into()]).unwrap();
    let refused = case.lend(|row| model.classifier(1 << 30).unwrap().explain(row, 0, Contest::default())).unwrap_err();
    assert!(refused.to_string().contains("`Y` has one state"), "{refused}");
}

/// Without arcs among the attributes a network's ledger is naive Bayes's, entry by entry.
#[test]
fn without_arcs_it_is_the_ledger_of_naive_bayes() {
    let graph =
        NetworkFile::open("[PlayTennis][Outlook|PlayTennis][Temperature|PlayTennis][Humidity|PlayTennis][Wind|PlayTennis]".as_ref())
            .unwrap();
    let options = NetworkOptions {
        read: reading("PlayTennis"),
        pseudocounts: tunbridge::net::parameters::Pseudocounts::None,
        ..NetworkOptions::default()
    };
    let model = network::learn(&[tennis()], &graph, &options).unwrap().model;
    let mut of_bayes =
        tunbridge::LearnOptions { read: reading("PlayTennis"), evaluation: EvaluationPlan::None, ..tunbridge::LearnOptions::default() };
    of_bayes.prior.estimate = "ml".parse().unwrap();
    let bayes = tunbridge::learn(&[tennis()], &of_bayes).unwrap().model;
    let pairs: Vec<String> = ["Outlook=Sunny", "Temperature=Cool", "Humidity=High", "Wind=Strong"].map(String::from).to_vec();
    let a = Case::parse(model.schema(), &pairs)
        .unwrap()
        .lend(|row| model.classifier(1 << 30).unwrap().explain(row, 0, Contest::default()))
        .unwrap();
    let b = Case::parse(bayes.schema(), &pairs).unwrap().lend(|row| bayes.explain(row, 0, Contest::default())).unwrap();
    assert!((a.probability.unwrap() - 0.7954).abs() < 5e-5);
    for entry in &b.entries {
        let other = a.entries.iter().find(|other| other.variable == entry.variable).unwrap();
        assert_eq!(other.value, entry.value);
        assert!((other.log_odds - entry.log_odds).abs() < 1e-12 && (other.ln_given_class - entry.ln_given_class).abs() < 1e-12);
    }
}

/// Incomes that are high are told less often. Taken for accidents, the gaps make incomes look too low; with an arc from the income to whether it is
/// missing, and a cause of incomes that is always seen, EM finds the shares that made the rows.
#[test]
fn an_indicator_mends_what_is_missing_not_at_random() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("incomes.csv");
    let mut rng = random_stream(7, 0);
    let mut share = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let (p_high_given_job, p_missing) = ([0.1, 0.8], [0.05, 0.7]);
    let mut text = String::from("Job,Income,Car\n");
    for _ in 0..40_000 {
        let job = usize::from(share() < 0.5);
        let income = usize::from(share() < p_high_given_job[job]);
        let car = usize::from(share() < [0.2, 0.9][income]);
        let income = if share() < p_missing[income] { "" } else { ["low", "high"][income] };
        text += &format!("{},{income},{}\n", ["clerk", "chief"][job], ["small", "large"][car]);
    }
    std::fs::write(&path, text).unwrap();
    let graph = NetworkFile::open("Job->Income->Car".as_ref()).unwrap();
    let learned = |indicators: Vec<Indicator>| {
        let states = [("Income".to_string(), vec!["low".to_string(), "high".to_string()])].into();
        let mut options = NetworkOptions { indicators, states, ..NetworkOptions::default() };
        options.em.as_mut().unwrap().climb.least_change = 1e-5;
        options.em.as_mut().unwrap().climb.least_rise = 1e-10;
        options.em.as_mut().unwrap().climb.most_steps = 5000;
        network::learn(&[&path], &graph, &options).unwrap().model
    };
    let p_high = |model: &network::NetworkModel, job: usize| {
        let network = model.network();
        let (income, of_job) = (network.find("Income").unwrap(), network.find("Job").unwrap());
        let row = network.find_state(of_job, ["clerk", "chief"][job]).unwrap();
        network.table(income).unwrap()[2 * row + network.find_state(income, "high").unwrap()]
    };
    let (plain, minded) = (learned(Vec::new()), learned(vec!["Income".parse().unwrap()]));
    assert!(p_high(&plain, 1) < 0.75, "{}", p_high(&plain, 1));
    assert!(
        (p_high(&minded, 1) - 0.8).abs() < 0.02 && (p_high(&minded, 0) - 0.1).abs() < 0.02,
        "{} {}",
        p_high(&minded, 0),
        p_high(&minded, 1)
    );
    let network = minded.network();
    let indicator = network.find("Income_missing").unwrap();
    assert_eq!(network.states(indicator), ["no", "yes"]);
    let table = network.table(indicator).unwrap();
    let (low, high) = (
        network.find_state(network.find("Income").unwrap(), "low").unwrap(),
        network.find_state(network.find("Income").unwrap(), "high").unwrap(),
    );
    assert!((table[2 * low + 1] - 0.05).abs() < 0.02 && (table[2 * high + 1] - 0.7).abs() < 0.02, "{table:?}");
    // The model reads its indicator from new rows by itself, also those of the file it is saved in.
    let file = folder.path().join("incomes.tb");
    minded.save(&file, false).unwrap();
    let Model::Network(saved) = Model::load(&file).unwrap() else { panic!("a network") };
    let more = network::update(&saved, &[&path], ReadOptions::default(), None, None, &network::EmPlan::default()).unwrap().model;
    assert_eq!(more.observed().gaps.missing()[indicator.index()], 0.0);
    assert_eq!(more.n_rows(), 80_000.0);
}

#[test]
fn indicators_that_cannot_be_are_refused() {
    let graph = NetworkFile::open("Outlook->PlayTennis".as_ref()).unwrap();
    let refused = |text: &str| {
        let options = NetworkOptions { indicators: vec![text.parse().unwrap()], ..NetworkOptions::default() };
        network::learn(&[tennis()], &graph, &options).err().expect("it is refused").to_string()
    };
    assert!(refused("Outlok").contains("no variable of the graph"));
    assert!(refused("Outlook|Wind").contains("`Wind`, which is no variable"));
    assert!("|Wind".parse::<Indicator>().is_err() && "Outlook|".parse::<Indicator>().is_err());
    let options =
        NetworkOptions { read: reading("PlayTennis"), indicators: vec!["Wind|Outlook".parse().unwrap()], ..NetworkOptions::default() };
    let found = learn_with(&[tennis()], tan(), &options).err().unwrap();
    assert!(found.to_string().contains("says what stands above it"), "{found}");
}

/// A graph that is found has the indicator among its attributes.
#[test]
fn an_indicator_joins_a_graph_that_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    // Whether the reading is missing is the class itself.
    let rows: String =
        (0..40).map(|i| format!("{},{}\n", if i % 2 == 0 { "" } else { ["a", "b"][i / 2 % 2] }, ["ill", "well"][i % 2])).collect();
    std::fs::write(&path, format!("Reading,Class\n{rows}")).unwrap();
    let options = NetworkOptions { read: reading("Class"), indicators: vec!["Reading".parse().unwrap()], ..NetworkOptions::default() };
    let model = learn_with(&[&path], tan(), &options).unwrap().model;
    let tested = test(&model.classifier(1 << 30).unwrap(), &[&path], TestOptions::default()).unwrap();
    assert_eq!(tested.evaluation.metrics.accuracy, 1.0);
    let with = AodeOptions { read: reading("Class"), indicators: options.indicators, ..AodeOptions::default() };
    let model = aode::learn(&[&path], &with).unwrap().model;
    assert_eq!(test(&model, &[&path], TestOptions::default()).unwrap().evaluation.metrics.accuracy, 1.0);
}

/// Two halves one after the other, two models put together, and rows taken back: all the model of all rows.
#[test]
fn averaged_one_dependence_estimators_keep_learning() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(tennis()).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let part = |name: &str, rows: &[&str]| {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("{header}\n{}\n", rows.join("\n"))).unwrap();
        path
    };
    let (a, b) = (part("a.csv", &rows[..6]), part("b.csv", &rows[6..]));
    let options = AodeOptions { read: reading("PlayTennis"), ..AodeOptions::default() };
    let learned = |path: &Path| aode::learn(&[path], &options).unwrap().model;
    let whole = learned(&tennis());
    let same = |model: &aode::AodeModel| {
        assert_eq!(model.schema(), whole.schema());
        assert_eq!(model.statistic(), whole.statistic());
        assert_eq!(model.posterior(), whole.posterior());
    };
    let grown = aode::update(&learned(&a), &[&b], ReadOptions::default(), None).unwrap();
    same(&grown.model);
    same(&aode::merge(&learned(&a), &learned(&b), None).unwrap().model);
    let left = aode::forget(&whole, &[&b], ReadOptions::default()).unwrap().model;
    let rows_of = |model: &aode::AodeModel| model.statistic().n_rows();
    assert_eq!((rows_of(&left), rows_of(&whole)), (6.0, 14.0));
    let never = aode::forget(&left, &[&b], ReadOptions::default()).err().unwrap();
    assert!(never.to_string().contains("not all in the model"), "{never}");
    let file = folder.path().join("m.tb");
    Model::Aode(Box::new(whole.clone())).save(&file, false).unwrap();
    let Model::Aode(saved) = Model::load(&file).unwrap() else { panic!("aode") };
    same(&saved);
    let other = AodeOptions { prior: tunbridge::learners::AodePrior { least_rows: 3.0, ..Default::default() }, ..options.clone() };
    let unlike = aode::merge(&whole, &aode::learn(&[&a], &other).unwrap().model, None).err().unwrap();
    assert!(unlike.to_string().contains("different priors"), "{unlike}");
    // It is judged by folds, each of which is learned by itself.
    let judged = AodeOptions { evaluation: EvaluationPlan::Folds(7), ..options.clone() };
    let evaluation = aode::learn(&[tennis()], &judged).unwrap().evaluation.unwrap();
    assert_eq!((evaluation.metrics.rows, evaluation.how.as_str()), (14.0, "7 folds, seed 1"));
    let held = aode::hold_out(&[tennis()], &options, 0.3).unwrap();
    assert!(held.evaluation.metrics.rows > 0.0 && held.evaluation.metrics.rows < 14.0);
    let no_target = aode::learn(&[tennis()], &AodeOptions::default()).err().unwrap();
    assert!(no_target.to_string().contains("none is named"), "{no_target}");
}

/// Numbers by their bins, gaps left out, and a state that is new in a file: what is not known says nothing.
#[test]
fn averaged_one_dependence_estimators_read_what_comes() {
    let options = AodeOptions { read: reading("species"), ..AodeOptions::default() };
    let model = aode::learn(&[iris()], &options).unwrap().model;
    let test_file = root().join("testdata/iris/iris_test.csv");
    let tested = test(&model, &[&test_file], TestOptions { unknown_states: UnknownStates::Missing, ..TestOptions::default() }).unwrap();
    assert!(tested.evaluation.metrics.accuracy > 0.9, "{}", tested.evaluation.metrics.accuracy);
    let names: Vec<String> = model.schema().variables().iter().map(|v| v.name.clone()).collect();
    let case = Case::parse_with(model.schema(), &[format!("{}=5.1", names[0])], model.recipe()).unwrap();
    let ledger = case.lend(|row| model.explain(row, 0, Contest::default())).unwrap();
    assert_eq!((ledger.entries.len(), ledger.left_out.len()), (1, 3));
    assert_eq!(case.state(model.schema(), VarId::new(0)), Some(ledger.entries[0].value.to_string().as_str()));
}
