//! Concept learning by the library: EnjoySport from its file, and learners that agree.

use std::path::{Path, PathBuf};

use tunbridge::concept::{self, Answer, Concept, ConceptData, ConceptOptions};
use tunbridge::data::ReadOptions;
use tunbridge::learners::concept::{ConceptLearner, Size};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// The schema file beside the data names the target.
fn enjoy_sport() -> ConceptData {
    concept::read(&[example("enjoy_sport.csv")], &ConceptOptions::default()).unwrap()
}

#[test]
fn enjoy_sport_of_the_book() {
    let data = enjoy_sport();
    assert_eq!((data.target.as_str(), data.positive.as_str(), data.negative.as_str()), ("EnjoySport", "Yes", "No"));
    assert_eq!((data.space.n_syntactic(), data.space.n_semantic()), (5120_u32.into(), 973_u32.into()));
    let learned = data.learn(&ConceptOptions::default()).unwrap();
    assert_eq!(learned.size(), Some(Size::Exact(6_u32.into())));
    let found = learned.version_space().unwrap();
    assert_eq!(data.space.written(found.specific()), "⟨Sunny, Warm, ?, Strong, ?, ?⟩");
    let general: Vec<String> = found.general().iter().map(|g| data.space.written(g)).collect();
    assert_eq!(general, ["⟨Sunny, ?, ?, ?, ?, ?⟩", "⟨?, Warm, ?, ?, ?, ?⟩"]);
}

/// Mitchell 1997, table 2.6: all yes, all no, three of six, two of six.
#[test]
fn the_four_new_days_by_every_learner() {
    let data = enjoy_sport();
    let days = data.new_instances(&[example("new_sport_days.csv")], ReadOptions::default()).unwrap();
    let answers = |learner: ConceptLearner| -> Vec<Answer> {
        let learned = data.learn(&ConceptOptions { learner, ..ConceptOptions::default() }).unwrap();
        days.rows.iter().map(|day| learned.classify(day.instance.as_ref().unwrap())).collect()
    };
    let votes = |yes: u32, positive: Option<bool>| Answer {
        positive,
        sure: yes == 0 || yes == 6,
        share: Some(f64::from(yes) / 6.0),
        votes: Some((yes.into(), 6_u32.into())),
    };
    let book = [votes(6, Some(true)), votes(0, Some(false)), votes(3, None), votes(2, Some(false))];
    assert_eq!(answers(ConceptLearner::CandidateElimination), book);
    assert_eq!(answers(ConceptLearner::ListThenEliminate), book);
    let positive = |learner| answers(learner).into_iter().map(|a| a.positive).collect::<Vec<_>>();
    assert_eq!(positive(ConceptLearner::FindS), [Some(true), Some(false), Some(false), Some(false)]);
    assert_eq!(positive(ConceptLearner::Rote), [None; 4]);
    assert!(answers(ConceptLearner::Unbiased).iter().all(|a| a.positive.is_none() && a.share == Some(0.5)));
}

#[test]
fn noise_moves_the_vote_and_empties_nothing() {
    let data = enjoy_sport();
    let p = |noise: f64, pairs: &str| {
        let learned = data.learn(&ConceptOptions { noise: Some(noise), ..ConceptOptions::default() }).unwrap();
        assert!(matches!(learned.concept, Concept::Bayesian(_)));
        let pairs: Vec<String> = pairs.split(' ').map(String::from).collect();
        learned.classify(&data.case(&pairs).unwrap().0).share.unwrap()
    };
    let sure = "Sky=Sunny AirTemp=Warm Humidity=Normal Wind=Strong Water=Cool Forecast=Change";
    assert!((p(0.0, sure) - 1.0).abs() < 1e-12);
    // The more labels may be wrong, the less is certain.
    let falling: Vec<f64> = [0.0, 0.01, 0.05, 0.1, 0.2, 0.4].iter().map(|noise| p(*noise, sure)).collect();
    assert!(falling.is_sorted_by(|a, b| a > b), "{falling:?}");
}

#[test]
fn rows_of_several_files_are_numbered_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.csv"), "x,y\nu,yes\nv,no\n").unwrap();
    std::fs::write(path("b.csv"), "x,y\nw,no\nu,no\n").unwrap();
    let mut options = ConceptOptions::default();
    options.read.target = Some("y".into());
    let data = concept::read(&[path("a.csv"), path("b.csv")], &options).unwrap();
    let error = data.learn(&options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 4 is negative and row 1 is positive, but they are the same instance: no hypothesis agrees with both"
    );
    assert!(error.hint().unwrap().contains("--noise"));
}
