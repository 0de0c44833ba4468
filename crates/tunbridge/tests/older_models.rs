//! Model files of older formats are read, and say what they said.

use std::path::{Path, PathBuf};

use tunbridge::belief::TextLength;
use tunbridge::learners::{TextEvent, WordWeighing};
use tunbridge::{EvaluationPlan, LearnOptions, Model, NaiveBayesModel, average, learn, model_file};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn older(name: &str) -> PathBuf {
    root().join("testdata/models").join(name)
}

/// The format that a file says it has.
fn format_of(path: &Path) -> u32 {
    u32::from_le_bytes(std::fs::read(path).unwrap()[8..12].try_into().unwrap())
}

fn options() -> LearnOptions {
    LearnOptions { evaluation: EvaluationPlan::None, ..LearnOptions::default() }
}

fn of_texts(model: Model) -> NaiveBayesModel {
    if let Model::NaiveBayes(model) = model { *model } else { panic!("a model of texts") }
}

#[test]
fn texts_of_format_1_are_those_that_are_learned_today() {
    let weighed = || {
        let mut weighed = options();
        weighed.prior.text = TextEvent::Complement;
        weighed.prior.class = "uniform".parse().unwrap();
        weighed.weighing = WordWeighing { log_times: true, rarity: true, length: TextLength::Euclidean };
        weighed
    };
    for (name, options) in [("mail_format_1.tb", options()), ("mail_weighed_format_1.tb", weighed())] {
        let path = older(name);
        assert_eq!(format_of(&path), 1);
        let old = of_texts(Model::load(&path).unwrap());
        let new = learn(&[root().join("examples/mail")], &options).unwrap().model;
        assert_eq!((old.schema(), old.observed()), (new.schema(), new.observed()), "{name}");
        assert_eq!(old.posterior(), new.posterior(), "{name}");
    }
}

#[test]
fn labels_of_format_1_are_those_that_are_learned_today() {
    let Model::Labels(old) = Model::load(&older("stories_format_1.tb")).unwrap() else { panic!("a model of labels") };
    let mut options = options();
    options.read.target = Some("topics".into());
    options.read.labels = Some(";".into());
    options.read.text = vec!["body".into()];
    let new = tunbridge::labels::learn(&[root().join("examples/stories.jsonl")], &options).unwrap().model;
    assert_eq!((old.schema(), old.statistic()), (new.schema(), new.statistic()));
    assert_eq!(old.posterior(), new.posterior());
}

/// A vocabulary is packed in a file, and comes back in the order it had.
#[test]
fn a_long_vocabulary_is_stored_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texts.csv");
    let rows: String = (0..400).map(|i| format!("word{i} w{} {i} {i}.5 naïve{},{}\n", i % 7, i % 3, ["p", "q", "r"][i % 3])).collect();
    std::fs::write(&path, format!("body,y\n{rows}")).unwrap();
    let mut options = options();
    options.read.target = Some("y".into());
    options.read.text = vec!["body".into()];
    let learned = learn(&[&path], &options).unwrap().model;
    let file = folder.path().join("m.tb");
    learned.save(&file, false).unwrap();
    assert_eq!(format_of(&file), model_file::VERSION);
    let read = of_texts(Model::load(&file).unwrap());
    assert_eq!((read.schema(), read.observed()), (learned.schema(), learned.observed()));
    assert_eq!(read.posterior(), learned.posterior());
}

#[test]
fn an_average_from_when_all_members_had_one_schema_says_what_it_said() {
    let Model::Average(old) = Model::load(&older("average_of_one_schema.tb")).unwrap() else { panic!("an average") };
    let mut cautious = options();
    cautious.prior.estimate = "laplace:5".parse().unwrap();
    let of = |name: &str, own: LearnOptions| average::MemberOptions::new(name, own.into());
    let members = vec![of("naive-bayes", options()), of("naive-bayes --estimate laplace:5", cautious)];
    let mut options = average::AverageOptions::new(members);
    options.read.target = Some("PlayTennis".into());
    let new = average::learn(&[root().join("examples/play_tennis.csv")], &options).unwrap().model;
    assert_eq!((old.schema(), old.weighed_by()), (new.schema(), new.weighed_by()));
    for (old, new) in old.members().iter().zip(new.members()) {
        assert_eq!((old.name(), old.score(), old.weight()), (new.name(), new.score(), new.weight()));
        assert_eq!((old.class_rows(), old.model().prior_words()), (new.class_rows(), new.model().prior_words()));
    }
}
