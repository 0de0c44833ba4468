//! Word counts as a model file holds them: word by word, only the classes it was met in.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::sparse_rows::SparseRows;
use super::{WordCount, WordCounts};
use crate::packed::{PackedCodes, PackedNumbers};
use crate::{Bursts, WordWeights};

/// A file does not have more classes than this: a few of its bytes could ask for gigabytes.
const MOST_CLASSES: usize = 1 << 22;

#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct RawCounts {
    pub n_classes: usize,
    /// The four lists.
    #[serde(default)]
    pub packed: Option<Packed>,
    /// For each word, the number of classes it was met in; of files of format 1, as are the next three.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub n_met: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<f64>,
    #[serde(default)]
    pub weights: WordWeights,
    #[serde(default)]
    pub bursts: Option<Bursts>,
    /// Left out where every text has words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wordless: Vec<f64>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Packed {
    n_met: PackedCodes,
    classes: PackedCodes,
    times: PackedNumbers,
    texts: PackedNumbers,
}

impl Serialize for WordCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = RawCounts::from(self);
        let packed = Packed {
            n_met: PackedCodes::new(raw.n_met),
            classes: PackedCodes::new(raw.classes),
            times: PackedNumbers::new(&raw.times),
            texts: PackedNumbers::new(&raw.texts),
        };
        let (weights, bursts, wordless) = (raw.weights, raw.bursts, raw.wordless);
        RawCounts { n_classes: self.n_classes, packed: Some(packed), weights, bursts, wordless, ..RawCounts::default() }
            .serialize(serializer)
    }
}

impl From<&WordCounts> for RawCounts {
    fn from(counts: &WordCounts) -> Self {
        let mut rows = Cow::Borrowed(&counts.rows);
        // A count of nothing may be left where weights were taken back, and is not kept.
        if rows.flat().2.iter().any(|count| count.times <= 0.0) {
            let rows = rows.to_mut();
            rows.counts_mut().filter(|count| count.times <= 0.0).for_each(|count| *count = WordCount::default());
            rows.compact();
        }
        let (n_met, classes, cells) = rows.flat();
        Self {
            n_classes: counts.n_classes,
            n_met: n_met.collect(),
            classes: classes.to_vec(),
            times: cells.iter().map(|count| count.times).collect(),
            texts: cells.iter().map(|count| count.texts).collect(),
            weights: (*counts.weights).clone(),
            bursts: counts.bursts.as_deref().cloned(),
            wordless: if counts.wordless.iter().any(|weight| *weight > 0.0) { counts.wordless.to_vec() } else { Vec::new() },
            packed: None,
        }
    }
}

impl TryFrom<RawCounts> for WordCounts {
    type Error = &'static str;

    fn try_from(mut raw: RawCounts) -> Result<Self, &'static str> {
        if let Some(packed) = raw.packed.take() {
            (raw.n_met, raw.classes) = (packed.n_met.unpack()?, packed.classes.unpack()?);
            (raw.times, raw.texts) = (packed.times.unpack()?, packed.texts.unpack()?);
        }
        let n: u64 = raw.n_met.iter().map(|n| u64::from(*n)).sum();
        if n != raw.classes.len() as u64 || raw.classes.len() != raw.times.len() || raw.times.len() != raw.texts.len() {
            return Err("words and counts of different numbers");
        }
        if raw.n_classes > MOST_CLASSES {
            return Err("more classes than can be counted");
        }
        if raw.weights.of_word.as_ref().is_some_and(|of_word| of_word.len() != raw.n_met.len()) {
            return Err("words and weights of different numbers");
        }
        let fits = |bursts: &Bursts| bursts.fits(raw.n_met.len(), raw.n_classes);
        if raw.bursts.is_some() != raw.weights.bursts || !raw.bursts.as_ref().is_none_or(fits) {
            return Err("bursts of other words");
        }
        if raw.wordless.is_empty() {
            raw.wordless = vec![0.0; raw.n_classes];
        }
        if raw.wordless.len() != raw.n_classes || !raw.wordless.iter().all(|weight| weight.is_finite() && *weight >= 0.0) {
            return Err("texts without words of other classes");
        }
        let plain = raw.weights.is_plain();
        let is_count = |x: f64| x.is_finite() && x > 0.0;
        let mut cells: Vec<WordCount> = raw.times.iter().zip(&raw.texts).map(|(&times, &texts)| WordCount { times, texts }).collect();
        if cells.iter().any(|&WordCount { times, texts }| !is_count(times) || !is_count(texts) || plain && texts > times * (1.0 + 1e-9)) {
            return Err("counts that no texts can have");
        }
        if raw.classes.iter().any(|class| *class as usize >= raw.n_classes) {
            return Err("a class that is not there");
        }
        let mut start = 0;
        for n in &raw.n_met {
            let places = start..start + *n as usize;
            start = places.end;
            let (classes, cells) = (&mut raw.classes[places.clone()], &mut cells[places]);
            if !classes.is_sorted_by(|a, b| a < b) {
                let mut row: Vec<(u32, WordCount)> = classes.iter().copied().zip(cells.iter().copied()).collect();
                row.sort_by_key(|(class, _)| *class);
                if row.windows(2).any(|two| two[0].0 == two[1].0) {
                    return Err("a class counted twice");
                }
                classes.iter_mut().zip(cells).zip(row).for_each(|((class, cell), (of, count))| (*class, *cell) = (of, count));
            }
        }
        let mut counts = Self::weighed(raw.n_classes, raw.n_met.len(), Arc::new(raw.weights));
        counts.rows = SparseRows::from_rows(&raw.n_met, raw.classes, cells);
        if !raw.bursts.as_ref().is_none_or(|bursts| bursts.are_of(&counts)) {
            return Err("bursts that are not those of the counts");
        }
        (counts.bursts, counts.wordless) = (raw.bursts.map(Box::new), raw.wordless.into());
        Ok(counts)
    }
}
