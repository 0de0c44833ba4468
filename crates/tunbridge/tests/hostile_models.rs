//! Model files that say what no model says, behind a checksum that is right: an error or a model that answers, never a panic.

use std::path::{Path, PathBuf};

use tunbridge::average::{self, AverageOptions, MemberLearner, MemberOptions};
use tunbridge::evaluate::Method;
use tunbridge::network::{self, NetworkFile, NetworkModel, NetworkOptions};
use tunbridge::{AverageModel, Case, Classifier, LabelsModel, LearnOptions, Model, difference, learn, merge, model_file};

/// A model with states, numbers, a target, an ignored column and a calibration.
fn model(folder: &Path, calibration: Option<Method>, bins: Option<&str>) -> Model {
    let mut text = "id,size,x,kind,y\n".to_string();
    for i in 0..60 {
        text += &format!("{i},{},{}.5,{},{}\n", ["s", "m", "l"][i % 3], i * 7 % 40, ["a", ""][i % 2], ["p", "q"][i / 3 % 2]);
    }
    let path = folder.join("table.csv");
    std::fs::write(&path, text).unwrap();
    let mut options = LearnOptions { calibration, bins: bins.map(|b| b.parse().unwrap()), ..LearnOptions::default() };
    options.read.target = Some("y".into());
    options.read.threads = 1;
    Model::NaiveBayes(Box::new(learn(&[&path], &options).unwrap().model))
}

/// The bytes of a model file with this body, as [`model_file::to_bytes`] would write them.
fn file_of(kind: &str, packed: &[u8]) -> Vec<u8> {
    let body = zstd::bulk::compress(packed, 1).unwrap();
    let mut bytes = model_file::MAGIC.to_vec();
    bytes.extend(model_file::VERSION.to_le_bytes());
    bytes.push(kind.len() as u8);
    bytes.extend(kind.as_bytes());
    bytes.extend((body.len() as u64).to_le_bytes());
    bytes.extend(body);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Everything a user could ask of a model; what comes back does not matter, only that something does.
fn ask_everything(model: &Model, other: &Model) {
    if let (Model::Labels(model), Model::Labels(other)) = (model, other) {
        return ask_of_labels(model, other);
    }
    if let Model::Average(model) = model {
        return ask_of_average(model);
    }
    if let (Model::Network(model), Model::Network(other)) = (model, other) {
        return ask_of_network(model, other);
    }
    let (Model::NaiveBayes(model), Model::NaiveBayes(other)) = (model, other) else { return };
    if let Ok(case) = Case::parse(model.schema(), &["size=m".into(), "x=3.5".into()]) {
        let _ = case.lend(|row| model.answer(row));
        let _ = case.lend(|row| model.posterior().explain(model.schema(), row, 0, Default::default()));
    }
    let _ = difference(model, other);
    let _ = merge(model, other, None);
    let _ = tunbridge::learners::telling_evidence(model.schema(), model.statistic(), model.posterior(), 3);
}

/// A model of labels beside words, states and numbers.
fn model_of_labels(folder: &Path) -> Model {
    let mut text = "body,size,x,topics\n".to_string();
    for i in 0..12 {
        text += &format!("{} corn,{},{i}.5,{}\n", ["wheat", "oil"][i % 2], ["s", "m"][i / 2 % 2], ["grain;trade", "", "trade"][i % 3]);
    }
    let path = folder.join("labels.csv");
    std::fs::write(&path, text).unwrap();
    let mut options = LearnOptions::default();
    options.read.target = Some("topics".into());
    options.read.labels = Some(";".into());
    options.read.text = vec!["body".into()];
    options.read.threads = 1;
    Model::Labels(Box::new(tunbridge::labels::learn(&[&path], &options).unwrap().model))
}

fn ask_of_labels(model: &LabelsModel, other: &LabelsModel) {
    if let Ok(case) = Case::parse(model.schema(), &["size=m".into(), "x=3.5".into(), "body=wheat".into()]) {
        let _ = case.lend(|row| model.answer(row));
        let explain = |row: &tunbridge::belief::Chunk<'_>| {
            model.posterior().models()[0].explain(model.posterior().schema(), row, 0, Default::default())
        };
        let _ = case.lend(explain);
    }
    let _ = tunbridge::labels::difference(model, other);
    let _ = tunbridge::labels::merge(model, other, None);
    (0..model.labels().len()).for_each(|label| drop(model.of_label(label)));
}

/// An average of models of all kinds that see numbers differently, one of which weighs nothing.
fn average(folder: &Path) -> Model {
    let rows: String = (0..12).map(|i| format!("{},{}.5,{}\n", ["s", "m"][i % 2], i % 5, ["p", "q"][i / 2 % 2])).collect();
    let path = folder.join("average.csv");
    std::fs::write(&path, format!("size,x,y\n{rows}s,9.5,p\nl,9.5,q\nl,2.5,p\n")).unwrap();
    let (mut bins, mut ml) = (LearnOptions::default(), LearnOptions::default());
    bins.bins = Some("bins:width:2".parse().unwrap());
    ml.prior.estimate = "ml".parse().unwrap();
    let of = |name: &str, learner| MemberOptions::new(name, learner);
    let network = MemberLearner::Network("tan".parse().unwrap(), Box::default());
    let others = [of("tan", network), of("aode", MemberLearner::Aode(Box::default()))];
    let mut options = AverageOptions::new([vec![of("bins", bins.into()), of("ml", ml.into())], others.to_vec()].concat());
    options.evaluation = tunbridge::EvaluationPlan::Folds(2);
    options.read.target = Some("y".into());
    options.read.threads = 1;
    Model::Average(Box::new(average::learn(&[&path], &options).unwrap().model))
}

/// A network with a gap, a weight, a target, an expert's prior, and a table that stays.
fn learned_network(folder: &Path) -> Model {
    let net = folder.join("net.tbn");
    std::fs::write(&net, "variable A p/q\n  0.3\nvariable B r/s given A\n  p: 0.2\n  q: 0.6\nvariable C t/u given B\n  r: 0.1\n  s: 0.5\n")
        .unwrap();
    let path = folder.join("net.csv");
    std::fs::write(&path, "A,B,C,w\np,r,t,1\nq,,u,2\nq,s,u,0.5\n").unwrap();
    let graph = NetworkFile::open(&net).unwrap();
    let mut options = NetworkOptions { prior_network: Some((graph.clone(), 3.0)), fix: vec!["C".into()], ..NetworkOptions::default() };
    options.ess_of.insert("A".into(), 2.0);
    options.read.target = Some("B".into());
    options.read.weight = Some("w".into());
    options.read.threads = 1;
    Model::Network(Box::new(network::learn(&[&path], &graph, &options).unwrap().model))
}

fn ask_of_network(model: &NetworkModel, other: &NetworkModel) {
    assert!(model.posterior().alpha().iter().all(|alpha| alpha.is_finite()));
    if let Ok(classifier) = model.classifier(1 << 20)
        && let Ok(case) = Case::parse(model.schema(), &["A=p".into()])
    {
        let _ = case.lend(|row| classifier.answer(row));
    }
    let _ = (model.unseen(), model.ln_likelihood(), model.ln_marginal_likelihood(), model.prior_words());
    let climb = tunbridge::belief::Climb { most_steps: 5, ..Default::default() };
    let em = network::EmPlan { climb, ..network::EmPlan::default() };
    let _ = network::merge(model, other, None, &em, 1);
    let _ = network::merge(other, model, Some(tunbridge::net::parameters::Pseudocounts::None), &em, 1);
    let _ = network::written(&NetworkFile::of_learned(model.clone()), network::FormatKind::Net);
    let _ = model.posterior().draw(&mut tunbridge::belief::random_stream(1, 1));
}

fn ask_of_average(model: &AverageModel) {
    assert!((model.members().iter().map(|member| member.weight()).sum::<f64>() - 1.0).abs() < 1e-9);
    if let Ok(case) = Case::parse(model.schema(), &["size=m".into(), "x=3.5".into()]) {
        if let Ok(answers) = case.lend(|row| model.answer(row))
            && answers.predicted[0].is_some()
        {
            assert!((answers.probability.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{answers:?}");
        }
        let _ = case.lend(|row| model.heaviest().explain(row, 0, Default::default()));
        let _ = case.lend(|row| model.without_evidence(row));
    }
}

#[test]
fn no_body_makes_a_model_that_panics() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("m.tb");
    let (mut n_loaded, mut n_refused) = (0, 0);
    let goods = [
        model(folder.path(), Some(Method::Isotonic), None),
        model(folder.path(), Some(Method::Sigmoid), Some("bins:width:3")),
        model(folder.path(), None, None),
        model_of_labels(folder.path()),
        average(folder.path()),
        learned_network(folder.path()),
    ];
    for good in goods {
        good.save(&path, true).unwrap();
        let (kind, packed) = model_file::load(&path).unwrap();
        let file_of = |packed: &[u8]| file_of(&kind, packed);
        std::fs::write(&path, file_of(&packed)).unwrap();
        Model::load(&path).unwrap();
        // All places of short bodies, some of long ones.
        for place in (0..packed.len()).step_by(1 + packed.len() / 3000) {
            // A bit, the largest byte, MessagePack's nil, and an empty array: at each place two of them.
            let values = [packed[place] ^ 1, 0xFF, 0xC0, 0x90];
            for value in [values[place % 4], values[(place + 1) % 4]] {
                let mut changed = packed.clone();
                changed[place] = value;
                std::fs::write(&path, file_of(&changed)).unwrap();
                match Model::load(&path) {
                    Ok(model) => {
                        n_loaded += 1;
                        ask_everything(&model, &good);
                    }
                    Err(error) => {
                        n_refused += 1;
                        assert!(error.to_string().contains("m.tb"), "{error}");
                    }
                }
            }
            if place % 8 == 0 {
                std::fs::write(&path, file_of(&packed[..place])).unwrap();
                assert!(Model::load(&path).is_err(), "cut at {place}");
            }
        }
    }
    assert!(n_loaded > 100 && n_refused > 100, "{n_loaded} loaded, {n_refused} refused");
}

/// What a changed byte seldom hits: numbers that cannot be, and parts of other sizes.
#[test]
fn a_network_that_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (path, data) = (folder.path().join("m.tb"), folder.path().join("t.csv"));
    std::fs::write(&data, "A,B\np,r\nq,\nq,s\n").unwrap();
    let graph = NetworkFile::open("A->B".as_ref()).unwrap();
    // Parts are packed as bytes, which JSON has not: they are added as lists.
    network::learn(&[&data], &graph, &NetworkOptions::default()).unwrap().model.without_parts().save(&path, true).unwrap();
    let (kind, packed) = model_file::load(&path).unwrap();
    let body: serde_json::Value = rmp_serde::from_slice(&packed).unwrap();
    let load = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut body = body.clone();
        change(&mut body);
        std::fs::write(&path, file_of(&kind, &rmp_serde::to_vec_named(&body).unwrap())).unwrap();
        Model::load(&path).map(drop).map_err(|e| e.to_string())
    };
    assert_eq!(load(&|_| ()), Ok(()));
    let expected = |cells: Vec<f64>| serde_json::json!({"cells": cells, "ln_likelihood": -3.5, "iterations": 4, "converged": true});
    assert_eq!(load(&|body| body["expected"] = expected(vec![0.0, 0.0, 0.0, 0.0, 0.25, 0.75])), Ok(()));
    let refused = |what: &str, change: &dyn Fn(&mut serde_json::Value)| {
        let error = load(change);
        assert!(error.as_ref().is_err_and(|error| error.contains(what)), "{what}: {error:?}");
    };
    refused("expects of missing values", &|body| body["expected"] = expected(vec![1.0]));
    refused("expects of missing values", &|body| body["expected"] = expected(vec![0.0, 0.0, 0.0, 0.0, 0.25, -0.75]));
    refused("missing values cannot be", &|body| body["observed"]["gaps"]["missing"][0] = 9.into());
    // The one part: B is missing where A is q.
    let kind = |missing: u8, seen: u8, state: u8, weight: u8| serde_json::json!({"kinds": [{"missing": [missing], "seen": [seen], "states": [state], "weights": {"Whole": [weight]}}]});
    assert_eq!(load(&|body| body["parts"] = kind(1, 0, 1, 1)), Ok(()));
    assert_eq!(load(&|body| body["parts"] = serde_json::Value::Null), Ok(()));
    refused("keeps of rows with gaps cannot be", &|body| body["parts"] = kind(1, 0, 1, 2));
    refused("keeps of rows with gaps cannot be", &|body| body["parts"] = kind(1, 0, 2, 1));
    refused("keeps of rows with gaps cannot be", &|body| body["parts"] = kind(0, 1, 1, 1));
    refused("keeps of rows with gaps cannot be", &|body| body["parts"] = kind(5, 0, 1, 1));
    refused("keeps of rows with gaps cannot be", &|body| body["parts"] = serde_json::json!({"kinds": []}));
    refused("keeps of rows with gaps cannot be", &|body| {
        (body["parts"], body["expected"]) = (kind(1, 0, 1, 1), serde_json::Value::Null);
    });
    let damaged = |change: &dyn Fn(&mut serde_json::Value)| {
        refused("damaged", &|body| {
            body["parts"] = kind(1, 0, 1, 1);
            change(&mut body["parts"]["kinds"][0]);
        });
    };
    damaged(&|kind| kind["weights"] = serde_json::json!({"Whole": [0]}));
    damaged(&|kind| kind["weights"] = serde_json::json!({"Real": [0, 0, 0, 0, 0, 0, 240, 127]}));
    damaged(&|kind| kind["weights"] = serde_json::json!({"Real": [0, 0, 0, 0, 0, 0, 240]}));
    damaged(&|kind| kind["states"] = serde_json::json!([1, 1]));
    damaged(&|kind| kind["missing"] = serde_json::json!([]));
    damaged(&|kind| kind["seen"] = serde_json::json!([128]));
    refused("missing values cannot be", &|body| body["observed"]["gaps"]["missing"] = serde_json::json!([0.0]));
    refused("a count is negative", &|body| body["observed"]["counts"]["cells"][0] = (-1.0).into());
    refused("counts for", &|body| drop(body["observed"]["counts"]["cells"].as_array_mut().unwrap().pop()));
    refused("states where its counts have", &|body| body["schema"][0]["kind"]["Categorical"]["names"] = serde_json::json!(["p", "q", "z"]));
    refused("columns and a network", &|body| drop(body["schema"].as_array_mut().unwrap().pop()));
    refused("damaged", &|body| body["observed"]["counts"]["families"]["parents"][0] = serde_json::json!([1]));
    refused("pseudo-count", &|body| body["prior"]["pseudocounts"] = serde_json::json!({"EquivalentSampleSize": -1.0}));
    refused("prior network", &|body| body["prior"]["pseudocounts"] = serde_json::json!({"PriorNetwork": 2.0}));
    refused("damaged", &|body| body["schema"][1]["name"] = "A".into());
}

/// What a changed byte seldom hits: scores that are no numbers, too few members, and members that do not belong together.
#[test]
fn an_average_that_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("m.tb");
    average(folder.path()).save(&path, true).unwrap();
    let (kind, packed) = model_file::load(&path).unwrap();
    let body: serde_json::Value = rmp_serde::from_slice(&packed).unwrap();
    let load = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut body = body.clone();
        change(&mut body);
        std::fs::write(&path, file_of(&kind, &rmp_serde::to_vec_named(&body).unwrap())).unwrap();
        Model::load(&path).map(drop).map_err(|e| e.to_string())
    };
    // JSON has no infinities: the member that weighs nothing gets a low score instead.
    let whole = |body: &mut serde_json::Value| body["members"][1]["score"] = (-1e6).into();
    assert_eq!(load(&whole), Ok(()));
    let refused = |what: &str, change: &dyn Fn(&mut serde_json::Value)| {
        let error = load(&|body| {
            whole(body);
            change(body);
        });
        assert!(error.as_ref().is_err_and(|error| error.contains(what)), "{error:?}");
    };
    refused("two members", &|body| body["members"].as_array_mut().unwrap().truncate(1));
    refused("two members", &|body| body["members"].as_array_mut().unwrap().clear());
    refused("`ml` reads rows in another way", &|body| {
        body["members"][1]["model"]["NaiveBayes"]["counted"]["recipe"]["missing"] = vec!["none"].into();
    });
    refused("damaged", &|body| body["members"][0]["score"] = serde_json::Value::Null);
    refused("damaged", &|body| body["members"][1]["model"]["NaiveBayes"]["counted"]["statistic"]["target"] = 0.into());
    refused("its columns are not there", &|body| body["members"][1]["model"]["NaiveBayes"]["schema"] = 7.into());
    refused("damaged", &|body| body["members"][2]["model"]["Network"]["schema"] = serde_json::Value::Null);
    refused("what it says of columns that are made of others cannot be", &|body| {
        body["members"][2]["model"]["Network"]["recipe"]["made"]["cuts"]["size"] = vec![1.0].into();
    });
    refused("damaged", &|body| body["by"] = "guess".into());
    refused("damaged", &|body| body["schemas"] = serde_json::Value::Null);
}
