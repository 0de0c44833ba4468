//! From a table to a graph: trees and classifiers whose arcs are found by counting pairs of states.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use belief::{Observations, Role, VarId, Variable};
use data::{DataError, KeptInputs, UnknownStates};
use net::parameters::Pseudocounts;
use net::{ArcPenalty, PairCounts, Structure, chow_liu, k_dependence, tree_augmented};

use super::NetworkFile;
use super::columns::{check_found, open_some};
use super::folds::{held_out, judge};
use super::learning::{LearnedNetwork, NetworkOptions, learn_seen};
use crate::look::Look;
use crate::remarks::list;
use crate::{Error, Tested};

/// How a graph is found.
///
/// ```
/// use tunbridge::network::StructureLearner;
/// assert_eq!("kdb:2".parse(), Ok(StructureLearner::KDependence(2)));
/// assert_eq!("tan".parse::<StructureLearner>().map(|tan| tan.to_string()), Ok("tan".into()));
/// assert_eq!("chow-liu:bic".parse::<StructureLearner>().map(|forest| forest.to_string()), Ok("chow-liu:bic".into()));
/// assert!("kdb:many".parse::<StructureLearner>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StructureLearner {
    /// The tree that is closest to the data (Chow & Liu 1968); with a penalty a forest of the arcs that are worth more.
    ChowLiu(ArcPenalty),
    /// The class above all attributes, and these a tree, or with a penalty a forest, among themselves (Friedman, Geiger & Goldszmidt 1997).
    TreeAugmented(ArcPenalty),
    /// The class above all attributes, and each with up to so many others as parents (Sahami 1996).
    KDependence(usize),
}

/// The most parents of an attribute beside the class.
const MOST_PARENTS: usize = 16;

impl StructureLearner {
    /// What is best believed before of the tables of such a graph. Tables of classifiers have many rows of few cases, and pseudo-counts that are shared by
    /// all rows of a table are too few for them: one in every cell takes a fifth off the log loss over 41 tables (`bench/network_parameters.md`).
    pub fn usual_pseudocounts(&self) -> Pseudocounts {
        match self {
            Self::ChowLiu(_) => Pseudocounts::EquivalentSampleSize(1.0),
            Self::TreeAugmented(_) | Self::KDependence(_) => Pseudocounts::PerCell(1.0),
        }
    }
}

impl fmt::Display for StructureLearner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, penalty) = match self {
            Self::ChowLiu(penalty) => ("chow-liu", penalty),
            Self::TreeAugmented(penalty) => ("tan", penalty),
            Self::KDependence(k) => return write!(f, "kdb:{k}"),
        };
        match penalty {
            ArcPenalty::None => f.write_str(word),
            ArcPenalty::Bic => write!(f, "{word}:bic"),
            ArcPenalty::Aic => write!(f, "{word}:aic"),
            ArcPenalty::Nats(nats) => write!(f, "{word}:{nats}"),
        }
    }
}

impl FromStr for StructureLearner {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("give chow-liu[:PENALTY], tan[:PENALTY] with bic, aic or nats an arc, or kdb:<k> with k from 0 to {MOST_PARENTS}");
        let (word, amount) = text.split_once(':').map_or((text, None), |(word, amount)| (word, Some(amount)));
        let penalty = || match amount {
            None => Ok(ArcPenalty::None),
            Some("bic") => Ok(ArcPenalty::Bic),
            Some("aic") => Ok(ArcPenalty::Aic),
            Some(nats) => nats.parse::<f64>().ok().filter(|nats| nats.is_finite() && *nats >= 0.0).map(ArcPenalty::Nats).ok_or_else(wrong),
        };
        match word {
            "chow-liu" => Ok(Self::ChowLiu(penalty()?)),
            "tan" => Ok(Self::TreeAugmented(penalty()?)),
            "kdb" => amount.and_then(|k| k.parse().ok()).filter(|k| *k <= MOST_PARENTS).map(Self::KDependence).ok_or_else(wrong),
            _ => Err(wrong()),
        }
    }
}

/// Finds a graph over the columns of a table, then learns its tables as [`learn`] does. Every column that is not left out is a variable, and
/// its values are states.
///
/// # Errors
/// When the data cannot be read, a classifier has no target, a column has too many states to count pairs of, or the options do not fit.
///
/// ```
/// use tunbridge::network::{NetworkOptions, learn_with};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("days.csv");
/// # std::fs::write(&path, "Rain,Wet,Slippery\nyes,yes,yes\nyes,yes,yes\nno,no,no\nno,no,no\nno,yes,yes\n")?;
/// let learned = learn_with(&[&path], "chow-liu".parse()?, &NetworkOptions::default())?;
/// let network = learned.model.network();
/// assert!(network.dag().has_arc(network.find("Wet")?, network.find("Slippery")?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn learn_with(paths: &[impl AsRef<Path>], learner: StructureLearner, options: &NetworkOptions) -> Result<LearnedNetwork, Error> {
    let _kept = KeptInputs::of(paths)?;
    let learn = |options: &NetworkOptions| {
        let Found { structure, look, remarks } = find(paths, learner, options)?;
        let mut options = options.clone();
        options.read.target.clone_from(&look.target);
        let mut learned = learn_seen(paths, &NetworkFile::of_structure(&learner.to_string(), &structure)?, &options, &look)?;
        learned.remarks.splice(0..0, remarks);
        Ok::<LearnedNetwork, Error>(learned)
    };
    let mut learned = learn(options)?;
    judge(&mut learned, paths, options, |options| Ok(learn(options)?.model))?;
    Ok(learned)
}

/// Learns on a part of the rows and judges on the rest: every `1/share`th row by a seeded deal is held out.
///
/// # Errors
/// As [`learn_with`].
pub fn hold_out_with(paths: &[impl AsRef<Path>], learner: StructureLearner, options: &NetworkOptions, share: f64) -> Result<Tested, Error> {
    held_out(paths, options, share, |options| learn_with(paths, learner, options))
}

struct Found {
    structure: Structure,
    /// What was seen of the columns, with all states.
    look: Look,
    remarks: Vec<String>,
}

fn find(paths: &[impl AsRef<Path>], learner: StructureLearner, options: &NetworkOptions) -> Result<Found, Error> {
    if let Some(indicator) = options.indicators.iter().find(|indicator| indicator.parents != [indicator.of.as_str()]) {
        return Err(Error::unfit(
            format!("--indicator `{indicator}` says what stands above it, and {learner} finds that"),
            format!("write --indicator '{}' alone", indicator.of),
        ));
    }
    let mut look = Look::at(paths, &options.read, options.bins, |_| true)?;
    let (declared, left_out) = look.as_states(&options.indicators)?;
    let target = declared.target();
    let is_tree = matches!(learner, StructureLearner::ChowLiu(_));
    if target.is_none() && !is_tree {
        return Err(Error::unfit(
            format!("{learner} is a classifier, and no column is the target"),
            "name the one to predict with --target",
        ));
    }
    let mut remarks = Vec::new();
    if !left_out.is_empty() {
        remarks.push(format!("left out, for it cannot be states of a network: {}", list(&left_out)));
    }
    let mut read = options.read.clone();
    look.apply(&mut read, &options.indicators);
    let table = open_some(paths, read, &declared, UnknownStates::Grow)?;
    let is_variable = |variable: &Variable| matches!(variable.role, Role::Input | Role::Target);
    let places = declared.variables().iter().enumerate().filter(|(_, variable)| is_variable(variable));
    let places: Vec<VarId> = places.map(|(place, _)| VarId::new(place)).collect();
    if places.is_empty() {
        return Err(Error::unfit("no column can be a variable of a network", "leave fewer columns out"));
    }
    // A tree over all columns has no class that rows are told apart by.
    let class = target.filter(|_| !is_tree);
    let fold = table.fold(|n_states: &[usize]| PairCounts::empty(&places, class, n_states)).map_err(too_many_pairs)?;
    check_found(&declared, &fold.schema, &table)?;
    let (counts, schema) = (&fold.statistic, &fold.schema);
    let structure = match learner {
        StructureLearner::ChowLiu(penalty) => chow_liu(counts, schema, penalty, target).map(|tree| tree.structure),
        StructureLearner::TreeAugmented(penalty) => tree_augmented(counts, schema, penalty, None).map(|tree| tree.structure),
        StructureLearner::KDependence(k) => k_dependence(counts, schema, k),
    };
    let states = schema.variables().iter().filter_map(|variable| Some((variable.name.clone(), variable.kind.states()?.clone())));
    look.states = states.collect();
    Ok(Found { structure: structure.map_err(|e| Error::Internal(e.to_string()))?, look, remarks })
}

/// Pairs that have no place, with a way out.
pub(crate) fn too_many_pairs(error: DataError) -> Error {
    match error {
        DataError::Internal(shape) if shape.what.starts_with("counts of pairs") => Error::unfit(
            format!("the columns have {} pairs of states, more than the {} that are counted", shape.found, shape.expected),
            "leave out the columns of many values with --ignore",
        ),
        other => other.into(),
    }
}
