//! Averages of models of different kinds: networks, averaged one-dependence estimators and naive Bayes, each with its own view of the columns.

use std::path::{Path, PathBuf};

use tunbridge::aode::AodeOptions;
use tunbridge::average::{self, AverageOptions, MemberLearner, MemberOptions, SavedOptions, WeighedBy};
use tunbridge::data::{ReadOptions, UnknownStates};
use tunbridge::network::{NetworkOptions, learn_with};
use tunbridge::{Case, Classifier, EvaluationPlan, LearnOptions, Model, TestOptions, aode, learn, test};

fn network(kind: &str) -> MemberOptions {
    MemberOptions::new(kind, MemberLearner::Network(kind.parse().unwrap(), Box::default()))
}

fn naive_bayes() -> MemberOptions {
    MemberOptions::new("naive-bayes", LearnOptions::default().into())
}

fn averaged() -> MemberOptions {
    MemberOptions::new("aode", MemberLearner::Aode(Box::default()))
}

fn read() -> ReadOptions {
    ReadOptions { target: Some("y".into()), threads: 1, ..ReadOptions::default() }
}

fn options(members: Vec<MemberOptions>) -> AverageOptions {
    AverageOptions { read: read(), ..AverageOptions::new(members) }
}

/// Rows of a size, a kind that says the opposite of size with one class, a number with gaps, and the class.
fn table(folder: &Path, name: &str, seed: u64, n: usize) -> PathBuf {
    let mut state = seed;
    let mut random = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut text = String::from("size,kind,x,y\n");
    for _ in 0..n {
        let class = random(2) as usize;
        let size = random(2) as usize;
        let kind = if random(4) == 0 { random(3) as usize } else { size ^ class };
        let x = if random(8) == 0 { String::new() } else { format!("{}.{}", random(5) + 2 * class as u64, random(10)) };
        text += &format!("{},{},{x},{}\n", ["s", "m"][size], ["a", "b", "c"][kind], ["p", "q"][class]);
    }
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn case(model: &dyn Classifier, pairs: &[&str]) -> Case {
    let pairs: Vec<String> = pairs.iter().map(ToString::to_string).collect();
    Case::parse_with(model.schema(), &pairs, model.recipe()).unwrap()
}

#[test]
fn every_member_says_what_it_says_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = table(folder.path(), "t.csv", 3, 120);
    let learned = average::learn(&[&path], &options(vec![naive_bayes(), network("tan"), averaged(), network("chow-liu")])).unwrap();
    let model = &learned.model;
    let alone = [
        average::MemberModel::from(learn(&[&path], &LearnOptions { read: read(), ..LearnOptions::default() }).unwrap().model),
        learn_with(&[&path], "tan".parse().unwrap(), &NetworkOptions { read: read(), ..NetworkOptions::default() })
            .unwrap()
            .model
            .try_into()
            .unwrap(),
        aode::learn(&[&path], &AodeOptions { read: read(), ..AodeOptions::default() }).unwrap().model.into(),
        learn_with(&[&path], "chow-liu".parse().unwrap(), &NetworkOptions { read: read(), ..NetworkOptions::default() })
            .unwrap()
            .model
            .try_into()
            .unwrap(),
    ];
    let cases = [&["size=s", "kind=b", "x=3.25"][..], &["size=m", "kind=a", "x=6.5"], &["kind=c"], &["x=0.5"], &[]];
    for pairs in cases {
        let of_average = case(model, pairs);
        let mixed = of_average.lend(|row| model.answer(row)).unwrap().probability;
        let mut sum = [0.0; 2];
        for (member, alone) in model.members().iter().zip(&alone) {
            let by_itself = case(alone.classifier(), pairs).lend(|row| alone.classifier().answer(row)).unwrap().probability;
            let said = of_average.lend(|row| member.answer(row)).unwrap().probability;
            assert_eq!(said, by_itself, "{} of {pairs:?}", member.name());
            sum.iter_mut().zip(said).for_each(|(sum, p)| *sum += member.weight() * p);
            let ledger = of_average.lend(|row| member.explain(row, 0, Default::default())).unwrap();
            assert!(ledger.entries.len() <= 3 && !ledger.class.is_empty());
        }
        assert!(mixed.iter().zip(sum).all(|(a, b)| (a - b).abs() < 1e-14), "{mixed:?} {sum:?}");
    }
}

/// A fold's rows are judged by what is learned from the files without them.
#[test]
fn folds_are_those_of_files_written_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let path = table(folder.path(), "t.csv", 5, 60);
    let mut options = options(vec![naive_bayes(), network("tan"), averaged()]);
    options.evaluation = EvaluationPlan::Folds(3);
    let learned = average::learn(&[&path], &options).unwrap();
    let plan = tunbridge::belief::FoldPlan::new(3, options.seed).unwrap();
    let folds = plan.folds(0, 60);
    let text = std::fs::read_to_string(&path).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    // A network knows the states of all rows, so that every file declares them; all folds have met all of them.
    let sidecar =
        "[columns.size]\nstates = [\"m\", \"s\"]\n[columns.kind]\nstates = [\"a\", \"b\", \"c\"]\n[columns.y]\nstates = [\"p\", \"q\"]\n";
    let write = |name: &str, keep: &dyn Fn(u16) -> bool| {
        let kept: Vec<&str> = rows.iter().zip(&folds).filter(|(_, fold)| keep(**fold)).map(|(row, _)| *row).collect();
        let path = folder.path().join(format!("{name}.csv"));
        std::fs::write(&path, format!("{header}\n{}\n", kept.join("\n"))).unwrap();
        std::fs::write(folder.path().join(format!("{name}.schema.toml")), sidecar).unwrap();
        (path, kept.len() as f64)
    };
    let weights: Vec<f64> = learned.model.members().iter().map(average::Member::weight).collect();
    let (mut scores, mut of_average) = ([0.0; 3], 0.0);
    for fold in 0..3_u16 {
        let (others, _) = write(&format!("others{fold}"), &|of| of != fold);
        let (own, n_own) = write(&format!("own{fold}"), &|of| of == fold);
        let read = read();
        let alone: [average::MemberModel; 3] = [
            learn(&[&others], &LearnOptions { read: read.clone(), evaluation: EvaluationPlan::None, ..LearnOptions::default() })
                .unwrap()
                .model
                .into(),
            learn_with(&[&others], "tan".parse().unwrap(), &NetworkOptions { read: read.clone(), ..NetworkOptions::default() })
                .unwrap()
                .model
                .try_into()
                .unwrap(),
            aode::learn(&[&others], &AodeOptions { read, ..AodeOptions::default() }).unwrap().model.into(),
        ];
        for (score, model) in scores.iter_mut().zip(&alone) {
            let test_options = TestOptions { unknown_states: UnknownStates::Missing, ..TestOptions::default() };
            let judged = test(model.classifier(), &[&own], test_options).unwrap();
            *score -= judged.evaluation.metrics.log_loss.unwrap() * n_own;
        }
        for row in std::fs::read_to_string(&own).unwrap().lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            let pairs: Vec<String> =
                ["size", "kind", "x"].iter().zip(&cells).filter(|(_, cell)| !cell.is_empty()).map(|(n, c)| format!("{n}={c}")).collect();
            let pairs: Vec<&str> = pairs.iter().map(String::as_str).collect();
            let place = usize::from(cells[3] == "q");
            let p: f64 = alone
                .iter()
                .zip(&weights)
                .map(|(model, weight)| {
                    let model = model.classifier();
                    weight * case(model, &pairs).lend(|row| model.answer(row)).unwrap().probability[place]
                })
                .sum();
            of_average -= p.ln();
        }
    }
    for (member, score) in learned.model.members().iter().zip(scores) {
        assert!((member.score() - score).abs() < 1e-9, "{}: {} and {score}", member.name(), member.score());
    }
    let evaluation = learned.evaluation.unwrap();
    assert!((evaluation.metrics.log_loss.unwrap() - of_average / 60.0).abs() < 1e-12);
    assert_eq!(evaluation.how, "3 folds, seed 1, given the members' weights");
}

/// A k-dependence network of k = 0 is the graph of naive Bayes: with the same prior the rows are as probable to both.
#[test]
fn marginal_likelihoods_of_a_network_and_naive_bayes_compare() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "a,b,y\n1x,u,p\n2x,u,p\n1x,v,q\n1x,v,q\n2x,u,p\n2x,v,q\n").unwrap();
    let mut same = LearnOptions::default();
    same.prior.class = "laplace".parse().unwrap();
    let pseudocounts = NetworkOptions { pseudocounts: "laplace:1".parse().unwrap(), ..NetworkOptions::default() };
    let of = |kind: &str| MemberOptions::new(kind, MemberLearner::Network(kind.parse().unwrap(), Box::new(pseudocounts.clone())));
    let mut options = options(vec![MemberOptions::new("naive-bayes", same.into()), of("kdb:0"), of("tan")]);
    options.by = WeighedBy::MarginalLikelihood;
    options.evaluation = EvaluationPlan::None;
    let learned = average::learn(&[&path], &options).unwrap();
    let scores: Vec<f64> = learned.model.members().iter().map(average::Member::score).collect();
    assert!((scores[0] - scores[1]).abs() < 1e-12, "{scores:?}");
    assert!((scores[0] - scores[2]).abs() > 1e-6);
    assert!(learned.remarks.iter().any(|remark| remark.contains("P(data) of `kdb:0`, `tan` is given its graph")), "{:?}", learned.remarks);
    assert!(learned.of_members.is_empty() && learned.evaluation.is_none());

    // Aode has no P(data), nor has a network of rows with gaps.
    options.members[2] = averaged();
    let error = average::learn(&[&path], &options).err().unwrap();
    assert!(error.to_string().contains("member `aode` has no marginal likelihood"), "{error}");
    assert!(error.hint().unwrap().contains("leave it out"));
    std::fs::write(&path, "a,b,y\n1x,u,p\n2x,,p\n1x,v,q\n1x,v,q\n2x,v,p\n").unwrap();
    options.members[2] = of("tan");
    let error = average::learn(&[&path], &options).err().unwrap();
    assert!(error.to_string().contains("member `kdb:0` has no marginal likelihood"), "{error}");
}

#[test]
fn a_saved_average_of_kinds_answers_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = table(folder.path(), "t.csv", 7, 90);
    let learned = |threads| {
        let mut options = options(vec![network("tan"), naive_bayes(), averaged()]);
        options.read.threads = threads;
        average::learn(&[&path], &options).unwrap()
    };
    let (one, four) = (learned(1), learned(4));
    let (a, b) = (folder.path().join("a.tb"), folder.path().join("b.tb"));
    one.model.save(&a, false).unwrap();
    four.model.save(&b, false).unwrap();
    assert_eq!(std::fs::read(&a).unwrap(), std::fs::read(&b).unwrap());
    let Model::Average(loaded) = Model::load(&a).unwrap() else { panic!("an average") };
    let row = case(loaded.as_ref(), &["size=s", "kind=a", "x=4.5"]);
    let said = |model: &average::AverageModel| row.lend(|row| model.answer(row)).unwrap().probability;
    assert_eq!(said(&loaded), said(&one.model));
    assert_eq!((loaded.schema(), loaded.recipe()), (one.model.schema(), one.model.recipe()));
    let rows = |model: &average::AverageModel| model.members().iter().map(average::Member::class_rows).collect::<Vec<_>>();
    assert_eq!(rows(&loaded), rows(&one.model));
    assert!(rows(&loaded).iter().all(|of_member| of_member == &rows(&loaded)[0]));
}

/// Saved models need not have the same columns: each looks at its own.
#[test]
fn saved_models_of_other_columns_and_kinds_go_together() {
    let folder = tempfile::tempdir().unwrap();
    let (path, fresh) = (table(folder.path(), "t.csv", 11, 200), table(folder.path(), "fresh.csv", 12, 50));
    let place = |name: &str| folder.path().join(name);
    let without = ReadOptions { ignore: vec!["kind".into()], ..read() };
    learn(&[&path], &LearnOptions { read: without, ..LearnOptions::default() }).unwrap().model.save(&place("nb.tb"), false).unwrap();
    let tan = learn_with(&[&path], "tan".parse().unwrap(), &NetworkOptions { read: read(), ..NetworkOptions::default() }).unwrap();
    tan.model.save(&place("tan.tb"), false).unwrap();
    aode::learn(&[&path], &AodeOptions { read: read(), ..AodeOptions::default() }).unwrap().model.save(&place("aode.tb"), false).unwrap();
    let paths = [place("nb.tb"), place("tan.tb"), place("aode.tb")];
    let saved = average::of_saved(&paths, &SavedOptions { rows: vec![fresh.clone()], ..SavedOptions::default() }).unwrap();
    for (member, path) in saved.model.members().iter().zip(&paths) {
        let alone: average::MemberModel = Model::load(path).unwrap().try_into().unwrap();
        let metrics = test(alone.classifier(), &[&fresh], TestOptions::default()).unwrap().evaluation.metrics;
        assert!((member.score() + metrics.log_loss.unwrap() * 50.0).abs() < 1e-9, "{}", member.name());
    }
    // Tan saw that kind depends on size, and the one without kind could not.
    assert!(saved.model.members()[0].weight() < 0.05);

    // Rows that a member was learned from are told, whatever its kind.
    for (paths, name) in [([&paths[1], &paths[2]], "tan.tb"), ([&paths[2], &paths[1]], "aode.tb")] {
        let error = average::of_saved(&paths, &SavedOptions { rows: vec![path.clone()], ..SavedOptions::default() }).err().unwrap();
        assert!(error.to_string().contains(name) && error.to_string().contains("learned from these very rows"), "{error}");
    }
    // An average is of models, not of averages.
    saved.model.save(&place("all.tb"), false).unwrap();
    let error = average::of_saved(&[place("all.tb"), place("nb.tb")], &SavedOptions::default()).err().unwrap();
    assert!(error.to_string().contains("all.tb` is of the kind average"), "{error}");
}

#[test]
fn what_does_not_go_together_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = table(folder.path(), "t.csv", 13, 80);
    let mut loo = options(vec![naive_bayes(), network("tan")]);
    assert_eq!(loo.evaluation, EvaluationPlan::Folds(10));
    loo.evaluation = EvaluationPlan::LeaveOneOut;
    assert!(average::learn(&[&path], &loo).err().unwrap().to_string().contains("once for every row"));
    let place = |name: &str| folder.path().join(name);
    let saved = |read: ReadOptions, name: &str| {
        learn(&[&path], &LearnOptions { read, ..LearnOptions::default() }).unwrap().model.save(&place(name), false).unwrap();
    };
    saved(read(), "y.tb");
    saved(ReadOptions { target: Some("size".into()), ..read() }, "size.tb");
    saved(ReadOptions { missing: vec!["s".into()], ..read() }, "marker.tb");
    saved(ReadOptions { types: vec![("x".into(), tunbridge::data::ColumnType::Category)], ..read() }, "states.tb");
    let refused = |name: &str| average::of_saved(&[place("y.tb"), place(name)], &SavedOptions::default()).err().unwrap().to_string();
    assert!(refused("size.tb").contains("size.tb` takes `size` for the one to predict"), "{}", refused("size.tb"));
    assert!(refused("marker.tb").contains("marker.tb` reads rows in another way"), "{}", refused("marker.tb"));
    assert!(refused("states.tb").contains("states.tb` takes `x` for category"), "{}", refused("states.tb"));
    // All rows of but one class in a fold.
    let few = folder.path().join("few.csv");
    std::fs::write(&few, "x,y\na,p\nb,p\na,p\nb,q\n").unwrap();
    let mut options = options(vec![naive_bayes(), averaged()]);
    options.evaluation = EvaluationPlan::Folds(4);
    let error = average::learn(&[&few], &options).err().unwrap();
    assert!(error.to_string().contains("but one class of `y` are in one fold"), "{error}");
}
