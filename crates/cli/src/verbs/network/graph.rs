//! Where the graph of a network comes from whose tables are learned: a file, or the data.

use std::path::Path;

use tunbridge::network::{LearnedNetwork, NetworkFile, NetworkOptions, StructureLearner, hold_out, hold_out_with, learn, learn_with};
use tunbridge::{Error, Tested, Timings};

use super::open;
use crate::Failure;
use crate::args::{Common, refuse};
use crate::learner_args::ModelKind;
use crate::structure_args::NetworkArgs;

pub enum Graph {
    /// From a file.
    Known(Box<NetworkFile>),
    /// From the data.
    Found(StructureLearner),
}

impl Graph {
    /// The graph that is asked for; `None` where what is asked for is no network.
    pub fn open(args: &NetworkArgs<'_>, common: &Common, timings: &mut Timings) -> Result<Option<Self>, Failure> {
        let Some(path) = &args.structure.structure else {
            return Ok(match args.learner.model {
                Some(ModelKind::Network(learner)) => Some(Self::Found(learner)),
                _ => None,
            });
        };
        let known = open(path, common, timings)?;
        if !known.is_structure() {
            let of_columns = [
                ("--types", !args.columns.types.is_empty()),
                ("--schema", args.columns.schema.is_some()),
                ("--numeric", args.learner.prior.numeric.is_some()),
            ];
            refuse(&of_columns, "says what columns are, and the network of --structure has states: --map says which value is which")?;
        }
        Ok(Some(Self::Known(Box::new(known))))
    }

    pub fn learn(&self, paths: &[impl AsRef<Path>], options: &NetworkOptions) -> Result<LearnedNetwork, Error> {
        match self {
            Self::Known(known) => learn(paths, known, options),
            Self::Found(learner) => learn_with(paths, *learner, options),
        }
    }

    pub fn hold_out(&self, paths: &[impl AsRef<Path>], options: &NetworkOptions, share: f64) -> Result<Tested, Error> {
        match self {
            Self::Known(known) => hold_out(paths, known, options, share),
            Self::Found(learner) => hold_out_with(paths, *learner, options, share),
        }
    }
}
