//! Averages of models, through the facade.

use std::path::{Path, PathBuf};

use tunbridge::average::{self, AverageOptions, LearnedAverage, MemberLearner, MemberModel, MemberOptions, WeighedBy};
use tunbridge::learners::EventModel;
use tunbridge::{AverageModel, Case, Classifier, EvaluationPlan, LearnOptions, Model, NaiveBayesModel, TestOptions};

/// Members by their estimates.
fn by_estimate(estimates: &[&str]) -> AverageOptions {
    let member = |estimate: &&str| {
        let mut own = LearnOptions::default();
        own.prior.estimate = estimate.parse().unwrap();
        MemberOptions::new(estimate, own.into())
    };
    let mut options = AverageOptions::new(estimates.iter().map(member).collect());
    options.read.target = Some("y".into());
    options.read.threads = 1;
    options
}

/// What is said of a naive Bayes member.
fn naive_bayes(member: &mut MemberOptions) -> &mut LearnOptions {
    if let MemberLearner::NaiveBayes(own) = &mut member.learner { own } else { panic!("naive Bayes") }
}

/// A member that is a naive Bayes model.
fn as_naive_bayes(member: &average::Member) -> &NaiveBayesModel {
    if let MemberModel::NaiveBayes(model) = member.model() { model } else { panic!("naive Bayes") }
}

/// Members that see numbers, states and gaps in many ways.
fn of_many_kinds() -> AverageOptions {
    let mut options = by_estimate(&["laplace:1", "laplace:3", "m:2", "laplace:0.5", "laplace:1"]);
    naive_bayes(&mut options.members[1]).prior.numeric = "student".parse().unwrap();
    naive_bayes(&mut options.members[2]).bins = Some("bins:width:3".parse().unwrap());
    naive_bayes(&mut options.members[3]).prior.event = EventModel::Bernoulli;
    naive_bayes(&mut options.members[3]).threshold = 4.0;
    naive_bayes(&mut options.members[4]).prior.event = EventModel::NearestCentroid;
    options
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Rows of two states, a number with gaps, and a class that follows the first of them most of the time.
fn rows(seed: u64, n: usize) -> Vec<String> {
    let mut state = seed;
    let mut random = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let row = |_| {
        let class = random(2) as usize;
        let size = if random(5) == 0 { random(2) as usize } else { class };
        let x = if random(8) == 0 { String::new() } else { format!("{}.{}", random(7) + class as u64, random(10)) };
        format!("{},{},{x},{}", ["s", "m"][size], ["a", "b", "c"][random(3) as usize], ["p", "q"][class])
    };
    (0..n).map(row).collect()
}

fn table(rows: &[String]) -> String {
    format!("size,kind,x,y\n{}\n", rows.join("\n"))
}

fn case(model: &AverageModel, pairs: &[&str]) -> Case {
    Case::parse(model.schema(), &pairs.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap()
}

fn weights(model: &AverageModel) -> Vec<f64> {
    model.members().iter().map(average::Member::weight).collect()
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

/// Held out, every row leaves one of its own class and two of the other. With l imaginary rows a state, P(p | a) is
/// (1/3)(1+l)/(1+2l) to (2/3) l/(2+2l): 4/7 for l = 1 and 16/37 for l = 3. All four rows are alike.
#[test]
fn weights_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "t.csv", "x,y\na,p\na,p\nb,q\nb,q\n");
    let mut options = by_estimate(&["laplace:1", "laplace:3"]);
    let LearnedAverage { model, of_members, evaluation, .. } = average::learn(&[&path], &options).unwrap();
    let (one, three) = (4.0 / 7.0_f64, 16.0 / 37.0_f64);
    assert!(close(model.members()[0].score(), 4.0 * one.ln(), 1e-14) && close(model.members()[1].score(), 4.0 * three.ln(), 1e-14));
    let expected = one.powi(4) / (one.powi(4) + three.powi(4));
    assert!(close(weights(&model)[0], expected, 1e-14) && close(weights(&model)[1], 1.0 - expected, 1e-14));
    assert!(close(of_members[1].metrics.log_loss.unwrap(), -three.ln(), 1e-14));
    let mixed = expected * one + (1.0 - expected) * three;
    assert!(close(evaluation.unwrap().metrics.log_loss.unwrap(), -mixed.ln(), 1e-14));

    // Two rows of one state and one class: (l/2l)·((l+1)/(2l+1)), which is 1/3 and 2/7, for each of the two classes.
    options.by = WeighedBy::MarginalLikelihood;
    options.members.iter_mut().for_each(|member| naive_bayes(member).prior.class = "laplace".parse().unwrap());
    let model = average::learn(&[&path], &options).unwrap().model;
    assert!(close(weights(&model)[0], 49.0 / 85.0, 1e-14), "{:?}", weights(&model));
    assert_eq!(model.weighed_by(), WeighedBy::MarginalLikelihood);
}

#[test]
fn the_answer_is_the_weighted_sum() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..12 {
        let path = write(folder.path(), "t.csv", &table(&rows(seed, 40)));
        let mut options = of_many_kinds();
        options.evaluation = EvaluationPlan::None;
        let learned = average::learn(&[&path], &options).unwrap();
        assert!(learned.evaluation.is_none() && learned.of_members.len() == 5);
        let model = learned.model;
        assert!(close(weights(&model).iter().sum(), 1.0, 1e-14));
        for pairs in [&["size=s", "kind=b", "x=2.5"][..], &["x=7"], &["size=m"], &[]] {
            let case = case(&model, pairs);
            let found = case.lend(|row| model.answer(row)).unwrap();
            let mut expected = [0.0, 0.0];
            for member in model.members() {
                let said = case.lend(|row| member.answer(row)).unwrap().probability;
                expected.iter_mut().zip(said).for_each(|(sum, p)| *sum += member.weight() * p);
            }
            assert!(close(found.probability[0], expected[0], 1e-14) && close(found.probability[1], expected[1], 1e-14));
            assert_eq!(found.predicted[0], Some(u32::from(expected[1] > expected[0])));
        }
    }
}

/// Counted side by side or not, a member is the model that would be learned by itself.
#[test]
fn members_are_the_models_that_are_learned_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "t.csv", &table(&rows(8, 80)));
    let options = of_many_kinds();
    let learned = average::learn(&[&path], &options).unwrap();
    for (nth, member) in options.members.iter().enumerate() {
        let LearnOptions { prior, bins, threshold, weighing, .. } = naive_bayes(&mut member.clone()).clone();
        let alone = LearnOptions { read: options.read.clone(), prior, bins, threshold, weighing, ..LearnOptions::default() };
        let alone = tunbridge::learn(&[&path], &alone).unwrap();
        let found = as_naive_bayes(&learned.model.members()[nth]);
        assert_eq!(
            (found.schema(), found.statistic(), found.recipe()),
            (alone.model.schema(), alone.model.statistic(), alone.model.recipe())
        );
        assert_eq!(learned.of_members[nth].metrics, alone.evaluation.unwrap().metrics);
    }
}

/// Each member learned anew without the row, mixed by the weights of all rows.
#[test]
fn it_is_judged_by_members_that_have_not_seen_the_row() {
    let folder = tempfile::tempdir().unwrap();
    // Numbers have a scale that leave-one-out holds fixed; states have not.
    let all: Vec<String> = rows(3, 30).iter().map(|row| row.replace('.', "").replace(",,", ",none,")).collect();
    let text = |rows: &[String]| format!("size,kind,x,y\n{}\n", rows.join("\n"));
    let mut options = by_estimate(&["laplace:1", "m:4", "laplace:0.1"]);
    options.read.ignore = vec!["x".into()];
    naive_bayes(&mut options.members[2]).prior.event = EventModel::Bernoulli;
    let learned = average::learn(&[&write(folder.path(), "all.csv", &text(&all))], &options).unwrap();
    let (mut of_members, mut of_average) = (vec![0.0; 3], 0.0);
    for row in 0..all.len() {
        let others: Vec<String> = all.iter().enumerate().filter(|(other, _)| *other != row).map(|(_, text)| text.clone()).collect();
        let path = write(folder.path(), "others.csv", &text(&others));
        let cells: Vec<&str> = all[row].split(',').collect();
        let mut mixed = 0.0;
        for (place, member) in options.members.iter().enumerate() {
            let options = LearnOptions {
                read: options.read.clone(),
                prior: naive_bayes(&mut member.clone()).prior.clone(),
                evaluation: EvaluationPlan::None,
                ..LearnOptions::default()
            };
            let model = tunbridge::learn(&[&path], &options).unwrap().model;
            let case = Case::parse(model.schema(), &[format!("size={}", cells[0]), format!("kind={}", cells[1])]).unwrap();
            let p = case.lend(|row| model.answer(row)).unwrap().probability[usize::from(cells[3] == "q")];
            of_members[place] += p.ln();
            mixed += weights(&learned.model)[place] * p;
        }
        of_average += mixed.ln();
    }
    for (member, expected) in learned.model.members().iter().zip(of_members) {
        assert!(close(member.score(), expected, 1e-11), "{}: {} for {expected}", member.name(), member.score());
    }
    let evaluation = learned.evaluation.unwrap();
    assert!(close(evaluation.metrics.log_loss.unwrap(), -of_average / 30.0, 1e-12));
    assert_eq!(evaluation.how, "leave-one-out, given the members' weights");
}

#[test]
fn the_better_has_the_weight_and_equals_have_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "t.csv", &table(&rows(1, 400)));
    let model = average::learn(&[&path], &by_estimate(&["laplace:1", "laplace:100000"])).unwrap().model;
    assert!(weights(&model)[0] > 1.0 - 1e-9 && weights(&model)[1] > 0.0, "{:?}", weights(&model));
    assert_eq!(model.heaviest().name(), "laplace:1");
    let model = average::learn(&[&path], &by_estimate(&["m:5", "m:5", "laplace:1000", "m:5"])).unwrap().model;
    let found = weights(&model);
    assert!(found[0] == found[1] && found[0] == found[3] && close(found[0], (1.0 - found[2]) / 3.0, 1e-15), "{found:?}");
    assert!(std::ptr::eq(model.heaviest(), &model.members()[0]));
    let alone = average::learn(&[&path], &by_estimate(&["m:5", "m:5"])).unwrap();
    assert_eq!(weights(&alone.model), [0.5, 0.5]);
    // The average of a model with itself is the model.
    let (of_average, of_member) = (alone.evaluation.unwrap().metrics, &alone.of_members[0].metrics);
    assert!(close(of_average.log_loss.unwrap(), of_member.log_loss.unwrap(), 1e-14));
    assert_eq!(of_average.confusion, of_member.confusion);
}

#[test]
fn a_saved_average_answers_as_before_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = (0..5).map(|nth| write(folder.path(), &format!("{nth}.csv"), &table(&rows(nth, 60)))).collect();
    let learned = |threads: usize| {
        let mut options = of_many_kinds();
        options.read.threads = threads;
        average::learn(&paths, &options).unwrap()
    };
    let one = learned(1);
    let bytes = |threads: usize| {
        let (path, learned) = (folder.path().join(format!("{threads}.tb")), learned(threads));
        assert_eq!(learned.evaluation.unwrap().metrics, one.evaluation.as_ref().unwrap().metrics);
        Model::Average(Box::new(learned.model)).save(&path, false).unwrap();
        std::fs::read(path).unwrap()
    };
    assert!(bytes(1) == bytes(3));
    let loaded = Model::load(&folder.path().join("1.tb")).unwrap();
    assert_eq!((loaded.kind(), loaded.n_rows()), ("average", 300.0));
    let Model::Average(loaded) = loaded else { panic!("an average") };
    assert_eq!(weights(&loaded), weights(&one.model));
    let case = case(&loaded, &["size=m", "x=3.1"]);
    let answer = |model: &AverageModel| case.lend(|row| model.answer(row)).unwrap().probability;
    assert_eq!(answer(&loaded), answer(&one.model));
    // On other rows it is judged as any model is.
    let other = write(folder.path(), "other.csv", &table(&rows(99, 50)));
    let tested = tunbridge::test(loaded.as_ref(), &[&other], TestOptions::default()).unwrap().evaluation;
    assert!(tested.metrics.rows == 50.0 && tested.metrics.accuracy > 0.6, "{tested:?}");
}

/// Of two that never were together, maximum likelihood says nothing.
#[test]
fn a_member_to_which_a_row_is_impossible_leaves_it_to_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "t.csv", "x,z,y\na,d,p\na,d,p\na,d,p\nb,c,q\nb,c,q\nb,c,q\n");
    let model = average::learn(&[&path], &by_estimate(&["ml", "laplace:1"])).unwrap().model;
    assert!(weights(&model)[0] > 0.5, "{:?}", weights(&model));
    let strange = case(&model, &["x=a", "z=c"]);
    let alone = |member: usize| strange.lend(|row| model.members()[member].answer(row)).unwrap();
    assert_eq!(alone(0).predicted, [None]);
    let found = strange.lend(|row| model.answer(row)).unwrap();
    assert!(close(found.probability[0], alone(1).probability[0], 1e-15) && found.predicted[0].is_some());
    // And where all are of one mind, nobody answers.
    let model = average::learn(&[&path], &by_estimate(&["ml", "ml"])).unwrap().model;
    assert_eq!(strange.lend(|row| model.answer(row)).unwrap().predicted, [None]);
}

#[test]
fn a_member_that_calls_a_row_impossible_weighs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // `c` is met twice, once in each class: without one of them the other class alone knows it.
    let path = write(folder.path(), "t.csv", "x,y\na,p\na,p\nb,p\nb,q\nb,q\na,q\nc,p\nc,q\n");
    let learned = average::learn(&[&path], &by_estimate(&["ml", "laplace:1"])).unwrap();
    assert_eq!(weights(&learned.model), [0.0, 1.0]);
    assert_eq!(learned.model.members()[0].score(), f64::NEG_INFINITY);
    assert!(learned.remarks.iter().any(|remark| remark.contains("`ml` gives the class of") && remark.contains("weighs nothing")));
    let none = average::learn(&[&path], &by_estimate(&["ml", "ml"])).err().unwrap();
    assert!(none.to_string().contains("none has any weight") && none.hint().unwrap().contains("laplace"), "{none}");
}

#[test]
fn texts_are_averaged_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "body,y\n".to_string();
    for nth in 0..24 {
        text += ["buy cheap pills now,spam\n", "meeting at noon,ham\n", "cheap meeting rooms now,ham\n", "win money now,spam\n"][nth % 4];
    }
    let path = write(folder.path(), "mail.csv", &text);
    let mut options = by_estimate(&["laplace:1", "laplace:1", "laplace:1"]);
    options.read.text = vec!["body".into()];
    naive_bayes(&mut options.members[1]).prior.text = tunbridge::learners::TextEvent::Bernoulli;
    naive_bayes(&mut options.members[2]).weighing.rarity = true;
    let learned = average::learn(&[&path], &options).unwrap();
    let words = case(&learned.model, &["body=cheap money"]);
    let nothing = case(&learned.model, &["body=zebra"]);
    assert_eq!(words.lend(|row| learned.model.without_evidence(row)).unwrap(), [false]);
    let says_nothing = |model: &NaiveBayesModel| nothing.lend(|row| model.posterior().without_evidence(row)).unwrap()[0];
    let all = learned.model.members().iter().all(|member| says_nothing(as_naive_bayes(member)));
    assert_eq!(nothing.lend(|row| learned.model.without_evidence(row)).unwrap(), [all]);
    naive_bayes(&mut options.members[0]).prior.text = tunbridge::learners::TextEvent::DirichletCompound;
    let refused = average::learn(&[&path], &options).err().unwrap();
    assert!(refused.to_string().contains("member `laplace:1` cannot be weighed by held-out rows"), "{refused}");
}

#[test]
fn folds_judge_each_member_as_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "t.csv", &table(&rows(23, 50)));
    let mut options = of_many_kinds();
    options.evaluation = EvaluationPlan::Folds(5);
    let learned = average::learn(&[&path], &options).unwrap();
    for (member, judged) in options.members.iter_mut().zip(&learned.of_members) {
        let read = options.read.clone();
        let own = LearnOptions { read, evaluation: EvaluationPlan::Folds(5), ..naive_bayes(member).clone() };
        let alone = tunbridge::learn(&[&path], &own).unwrap().evaluation.unwrap().metrics;
        assert!(close(judged.metrics.log_loss.unwrap(), alone.log_loss.unwrap(), 1e-12), "{}", member.name);
    }
    let log_losses: Vec<f64> = learned.of_members.iter().map(|judged| judged.metrics.log_loss.unwrap()).collect();
    let worst = log_losses.iter().copied().fold(0.0, f64::max);
    assert!(learned.evaluation.unwrap().metrics.log_loss.unwrap() < worst);
}

#[test]
fn what_cannot_be_averaged_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "t.csv", &table(&rows(5, 40)));
    let refused = |change: &dyn Fn(&mut AverageOptions)| {
        let mut options = by_estimate(&["laplace:1", "laplace:2"]);
        change(&mut options);
        let error = average::learn(&[&path], &options).err().unwrap();
        (error.to_string(), error.hint().unwrap_or_default())
    };
    assert!(refused(&|o| o.members.truncate(1)).0.contains("two members"));
    assert!(refused(&|o| o.evaluation = EvaluationPlan::Folds(1)).0.contains("1 folds are too few"));
    assert!(
        refused(&|o| naive_bayes(&mut o.members[0]).calibration = Some(tunbridge::evaluate::Method::Isotonic)).0.contains("is calibrated")
    );
    assert!(refused(&|o| o.read.labels = Some(";".into())).0.contains("not of labels"));
    assert!(refused(&|o| naive_bayes(&mut o.members[1]).weighing.rarity = true).0.starts_with("member `laplace:2`: choices about words"));
    assert!(refused(&|o| naive_bayes(&mut o.members[1]).prior.class = "p=1".parse().unwrap()).0.starts_with("member `laplace:2`: "));
    assert!(refused(&|o| o.costs = Some("p|nobody=2".parse().unwrap())).0.contains("`nobody` is no class"));
    let by_marginal = |change: &dyn Fn(&mut AverageOptions)| {
        refused(&|options: &mut AverageOptions| {
            options.by = WeighedBy::MarginalLikelihood;
            for member in &mut options.members {
                naive_bayes(member).prior.class = "laplace".parse().unwrap();
                naive_bayes(member).prior.numeric = "student".parse().unwrap();
            }
            change(options);
        })
    };
    for (what, hint) in [
        by_marginal(&|o| naive_bayes(&mut o.members[1]).prior.class = "empirical".parse().unwrap()),
        by_marginal(&|o| naive_bayes(&mut o.members[1]).prior.numeric = "gaussian".parse().unwrap()),
        by_marginal(&|o| naive_bayes(&mut o.members[1]).prior.event = EventModel::NearestCentroid),
    ] {
        assert_eq!(what, "member `laplace:2` has no marginal likelihood in closed form");
        assert!(hint.contains("--average-by log-score"), "{hint}");
    }
    let (what, hint) = by_marginal(&|o| naive_bayes(&mut o.members[1]).bins = Some("bins:width:3".parse().unwrap()));
    assert!(what.starts_with("member `laplace:2` explains other values of `x` than `laplace:1`"), "{what}");
    assert!(hint.contains("--average-by log-score"), "{hint}");
    // The same cut points are the same values.
    let mut options = by_estimate(&["laplace:1", "laplace:2"]);
    options.by = WeighedBy::MarginalLikelihood;
    for member in &mut options.members {
        naive_bayes(member).prior.class = "laplace".parse().unwrap();
        naive_bayes(member).bins = Some("bins:width:3".parse().unwrap());
    }
    assert!(average::learn(&[&path], &options).is_ok());
}
