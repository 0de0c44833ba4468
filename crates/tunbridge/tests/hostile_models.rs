//! Model files that say what no model says, behind a checksum that is right: an error or a model that answers, never a panic.

use std::path::{Path, PathBuf};

use tunbridge::evaluate::Method;
use tunbridge::{Case, LearnOptions, Model, difference, learn, merge, model_file};

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
fn file_of(packed: &[u8]) -> Vec<u8> {
    let body = zstd::bulk::compress(packed, 1).unwrap();
    let mut bytes = model_file::MAGIC.to_vec();
    bytes.extend(model_file::VERSION.to_le_bytes());
    bytes.push(11);
    bytes.extend(b"naive-bayes");
    bytes.extend((body.len() as u64).to_le_bytes());
    bytes.extend(body);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Everything a user could ask of a model; what comes back does not matter, only that something does.
fn ask_everything(model: &Model, other: &Model) {
    let (Model::NaiveBayes(model), Model::NaiveBayes(other)) = (model, other) else { return };
    if let Ok(case) = Case::parse(model.schema(), &["size=m".into(), "x=3.5".into()]) {
        let _ = case.lend(|row| model.answer(row));
        let _ = case.lend(|row| model.posterior().explain(model.schema(), row, 0, Default::default()));
    }
    let _ = difference(model, other);
    let _ = merge(model, other, None);
    let _ = tunbridge::learners::telling_evidence(model.schema(), model.statistic(), model.posterior(), 3);
}

#[test]
fn no_body_makes_a_model_that_panics() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("m.tb");
    let (mut n_loaded, mut n_refused) = (0, 0);
    for (calibration, bins) in [(Some(Method::Isotonic), None), (Some(Method::Sigmoid), Some("bins:width:3")), (None, None)] {
        let good = model(folder.path(), calibration, bins);
        good.save(&path, true).unwrap();
        let (_, packed) = model_file::load(&path).unwrap();
        std::fs::write(&path, file_of(&packed)).unwrap();
        Model::load(&path).unwrap();
        for place in 0..packed.len() {
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
