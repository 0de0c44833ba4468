//! What the tests share: the data, files that vanish, and every row's answer.

use std::io::Read;
use std::path::{Path, PathBuf};

use tunbridge::belief::{Chunk, ReadReport, normalise_ln};
use tunbridge::data::{Answers, ColumnType, ReadOptions, Table, UnknownStates};
use tunbridge::evaluate::Tally;
use tunbridge::{EvaluationPlan, LearnOptions, Learned, Model, NaiveBayesModel};

/// A file below the repository's root.
pub fn repository(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

pub fn testdata(name: &str) -> PathBuf {
    repository("testdata").join(name)
}

/// The text of a file, unpacked if its name ends in `.gz`.
pub fn text_of(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut text = String::new();
    if path.extension().is_some_and(|e| e == "gz") {
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
        text
    } else {
        String::from_utf8(bytes).unwrap()
    }
}

/// A recorded answer.
pub fn golden(name: &str) -> serde_json::Value {
    serde_json::from_str(&text_of(&testdata("golden").join(name))).unwrap()
}

pub fn strings(value: &serde_json::Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_string()).collect()
}

pub fn numbers(value: &serde_json::Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// A folder that vanishes with its files.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and tells where it is.
    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

/// A table as text: a header and rows.
#[derive(Clone)]
pub struct Rows {
    pub header: String,
    pub rows: Vec<String>,
}

impl Rows {
    pub fn read(path: &Path) -> Self {
        Self::parse(&text_of(path))
    }

    pub fn parse(text: &str) -> Self {
        let mut lines = text.lines().map(str::to_string);
        Self { header: lines.next().unwrap(), rows: lines.collect() }
    }

    /// The rows whose number, from 0, is wanted.
    pub fn only(&self, wanted: impl Fn(usize) -> bool) -> Self {
        let rows = self.rows.iter().enumerate().filter(|(row, _)| wanted(*row)).map(|(_, text)| text.clone()).collect();
        Self { header: self.header.clone(), rows }
    }

    pub fn csv(&self) -> String {
        std::iter::once(&self.header).chain(&self.rows).map(|line| format!("{line}\n")).collect()
    }

    pub fn cells(&self, row: usize) -> Vec<&str> {
        self.rows[row].split(',').collect()
    }

    pub fn columns(&self) -> Vec<&str> {
        self.header.split(',').collect()
    }

    /// The same rows with every input `n` times beside itself; the target is the last column.
    pub fn repeated(&self, n: usize) -> Self {
        let repeat = |line: &str, name: &dyn Fn(&str, usize) -> String| {
            let (inputs, target) = line.rsplit_once(',').unwrap();
            let copies = (0..n).flat_map(|copy| inputs.split(',').map(move |cell| name(cell, copy)));
            copies.chain([target.to_string()]).collect::<Vec<_>>().join(",")
        };
        Self {
            header: repeat(&self.header, &|name, copy| format!("{name}_{copy}")),
            rows: self.rows.iter().map(|row| repeat(row, &|cell, _| cell.to_string())).collect(),
        }
    }
}

/// Options to learn this target with, and nothing but the model.
pub fn options(target: &str) -> LearnOptions {
    let mut options = LearnOptions { evaluation: EvaluationPlan::None, ..LearnOptions::default() };
    options.read.target = Some(target.into());
    options.read.threads = 2;
    options
}

pub fn with_types(mut options: LearnOptions, types: &[(&str, ColumnType)]) -> LearnOptions {
    options.read.types.extend(types.iter().map(|(name, kind)| (name.to_string(), *kind)));
    options
}

pub fn learn(paths: &[impl AsRef<Path>], options: &LearnOptions) -> Learned {
    tunbridge::learn(paths, options).unwrap_or_else(|e| panic!("{e}"))
}

/// The answer for a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// `None` where the evidence is impossible.
    pub predicted: Option<String>,
    pub probability: Vec<f64>,
}

/// What a model answers for every row of a file, and what was met while reading.
pub fn answers_and_report(model: &NaiveBayesModel, path: &Path) -> (Vec<Answer>, ReadReport) {
    let read = ReadOptions { threads: 2, ..ReadOptions::default() };
    let table = Table::open_as(&[path], read, model.schema(), UnknownStates::Missing, true).unwrap();
    let classes = model.classes();
    let mut all = Vec::new();
    let report = table
        .answer_rows(
            |chunk| model.answer(&chunk),
            |found| {
                let probabilities = found.probability.chunks_exact(classes.len());
                all.extend(found.predicted.iter().zip(probabilities).map(|(predicted, p)| Answer {
                    predicted: predicted.map(|class| classes[class as usize].clone()),
                    probability: p.to_vec(),
                }));
                Ok(())
            },
        )
        .unwrap();
    (all, report)
}

pub fn answers(model: &NaiveBayesModel, path: &Path) -> Vec<Answer> {
    answers_and_report(model, path).0
}

/// ln P(class, row) of every row of a file, as this model has it.
pub fn ln_joint(model: &NaiveBayesModel, path: &Path) -> Vec<Vec<f64>> {
    let table = Table::open_as(&[path], ReadOptions::default(), model.schema(), UnknownStates::Missing, true).unwrap();
    gathered(&table, model.classes().len(), |chunk, out| model.posterior().ln_joint(chunk, out).unwrap())
}

/// What `scores` makes of each row.
pub fn gathered(table: &Table, n_classes: usize, scores: impl Fn(&Chunk<'_>, &mut Vec<f64>) + Sync) -> Vec<Vec<f64>> {
    let mut rows = Vec::new();
    let answer = |chunk: Chunk<'_>| {
        let mut ln = Vec::new();
        scores(&chunk, &mut ln);
        Ok(Answers { predicted: Vec::new(), probability: ln })
    };
    let take = |found: Answers| {
        rows.extend(found.probability.chunks_exact(n_classes).map(<[f64]>::to_vec));
        Ok(())
    };
    table.answer_rows(answer, take).unwrap();
    rows
}

/// What the scores are worth, by the definition of each figure.
pub fn tallied(scores: &[Vec<f64>], truth: &[usize], weights: &[f64]) -> Tally {
    let mut tally = Tally::new(scores[0].len());
    for ((ln, truth), weight) in scores.iter().zip(truth).zip(weights) {
        let mut ln = ln.clone();
        if normalise_ln(&mut ln) == f64::NEG_INFINITY {
            tally.observe_impossible(*truth, *weight).unwrap();
        } else {
            tally.observe_ln(*truth, &ln, *weight).unwrap();
        }
    }
    tally
}

/// The bytes of the model's file.
pub fn bytes(model: &NaiveBayesModel) -> Vec<u8> {
    let folder = Folder::new();
    let path = folder.path("model.tb");
    Model::NaiveBayes(Box::new(model.clone())).save(&path, false).unwrap();
    std::fs::read(path).unwrap()
}

#[track_caller]
pub fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!(found == expected || (found - expected).abs() <= tolerance, "{found} for {expected}");
}
