//! Flags of `--structure`: a network whose graph is known, and how its tables are learned.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tunbridge::EvaluationPlan;
use tunbridge::data::{NameMap, ReadOptions, UnknownStates};
use tunbridge::interrupt::Listening;
use tunbridge::net::parameters::Estimate;
use tunbridge::network::{Indicator, NetworkFile, NetworkOptions, StructureLearner};

use crate::Failure;
use crate::args::{CalibrateArg, Common, EvaluateArgs, LearnArgs, by_folds, refuse};
use crate::costs::costs;
use crate::em_args::EmArgs;
use crate::learner_args::{LearnerArgs, ModelKind};
use crate::lists::items;
use crate::read_args::{ColumnArgs, ReadArgs, UnknownArg};

/// The graph, and what is said of its tables.
#[derive(Args, Clone)]
#[command(next_help_heading = "A network whose graph is known")]
pub struct StructureArgs {
    /// Learn the tables of this network: a file of any format, or arcs as in 'A->B<-C' or '[A][C][B|A:C]', whose states are found in the
    /// data. Columns are found by their names; the file's own tables are not looked at
    #[arg(long, value_name = "NET")]
    pub structure: Option<PathBuf>,
    /// Which column is which variable, and which value which state, as in 'fever:Fever,temp=hi:Temperature=high'; "a,b" is one name;
    /// may be repeated
    #[arg(long, value_name = "COLUMN[=VALUE]:VARIABLE[=STATE],…")]
    pub map: Vec<String>,
    /// States of variables of arcs alone, where data do not tell them, as in 'Sinus=yes/no'; may be repeated
    #[arg(long, value_name = "NAME=STATE/STATE,…")]
    pub states: Vec<String>,
    /// Which tables are taken of all that are believed possible: their mean, or the most probable ones [default: mean]
    #[arg(long, value_enum, value_name = "WHICH")]
    pub point: Option<PointArg>,
    /// How many rows the prior of single variables is worth, as in 'Flu=10,Nose=0.5'
    #[arg(long, value_name = "NAME=ROWS,…")]
    pub ess_of: Vec<String>,
    /// A network of an expert whose tables count as so many rows, as in expert.bif:20; its arcs may be others
    #[arg(long, value_name = "NET:ROWS")]
    pub prior_network: Option<String>,
    /// Variables whose tables stay as the --structure file has them
    #[arg(long, value_name = "NAME,…")]
    pub fix: Vec<String>,
    /// Add a variable NAME_missing that says whether NAME is missing, for values that are missing not at random: its parents are NAME itself, or
    /// those that are given, as in 'Income|Income:Age'; may be repeated
    #[arg(long, value_name = "NAME[|PARENT:…],…")]
    pub indicator: Vec<String>,
    /// A network whose tables EM begins with, where values are missing
    #[arg(long, value_name = "NET")]
    pub start: Option<PathBuf>,
    /// Refuse to learn a table row that was never seen by maximum likelihood [default: it is uniform, and marked]
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub em: EmArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PointArg {
    /// (N + α) / Σ(N + α)
    Mean,
    /// (N + α − 1) / Σ(N + α − 1)
    Map,
}

impl StructureArgs {
    /// Each flag but --structure itself, with whether it is given.
    pub fn given(&self) -> Vec<(&'static str, bool)> {
        let of_graph = [
            ("--map", !self.map.is_empty()),
            ("--states", !self.states.is_empty()),
            ("--point", self.point.is_some()),
            ("--ess-of", !self.ess_of.is_empty()),
            ("--prior-network", self.prior_network.is_some()),
            ("--fix", !self.fix.is_empty()),
            ("--indicator", !self.indicator.is_empty()),
            ("--start", self.start.is_some()),
            ("--strict", self.strict),
        ];
        [&of_graph[..], &self.em.given()].concat()
    }

    /// Variables that say whether others are missing.
    pub fn indicators(&self) -> Result<Vec<Indicator>, Failure> {
        let mut indicators: Vec<Indicator> = Vec::new();
        for item in self.indicator.iter().flat_map(|list| items(list)) {
            let indicator: Indicator = item.parse().map_err(|e| Failure::Usage(format!("--indicator {e}")))?;
            if indicators.iter().any(|known| known.of == indicator.of) {
                return Err(Failure::Usage(format!("--indicator names `{}` twice", indicator.of)));
            }
            indicators.push(indicator);
        }
        Ok(indicators)
    }

    fn names(&self) -> Result<NameMap, Failure> {
        self.map.join(",").parse().map_err(|e| Failure::Usage(format!("--map {e}")))
    }

    fn states(&self) -> Result<BTreeMap<String, Vec<String>>, Failure> {
        let wrong = |item: &str| Failure::Usage(format!("--states `{item}`: write NAME=STATE/STATE, as in Sinus=yes/no"));
        let mut states = BTreeMap::new();
        for item in self.states.iter().flat_map(|list| items(list)) {
            let (name, list) = item.split_once('=').ok_or_else(|| wrong(&item))?;
            let list: Vec<String> = list.split('/').map(|state| state.trim().to_string()).collect();
            if list.iter().any(String::is_empty) || states.insert(name.trim().to_string(), list).is_some() {
                return Err(wrong(&item));
            }
        }
        Ok(states)
    }

    fn ess_of(&self) -> Result<BTreeMap<String, f64>, Failure> {
        let mut sizes = BTreeMap::new();
        for item in self.ess_of.iter().flat_map(|list| items(list)) {
            let wrong = || Failure::Usage(format!("--ess-of `{item}`: write NAME=ROWS, as in Flu=10"));
            let (name, rows) = item.rsplit_once('=').ok_or_else(wrong)?;
            let rows = rows.trim().parse::<f64>().ok().filter(|rows| rows.is_finite() && *rows >= 0.0).ok_or_else(wrong)?;
            if sizes.insert(name.trim().to_string(), rows).is_some() {
                return Err(Failure::Usage(format!("--ess-of names `{}` twice", name.trim())));
            }
        }
        Ok(sizes)
    }

    fn prior_network(&self) -> Result<Option<(NetworkFile, f64)>, Failure> {
        let Some(text) = &self.prior_network else { return Ok(None) };
        let wrong = || Failure::Usage(format!("--prior-network `{text}`: write NET:ROWS, as in expert.bif:20"));
        let (path, rows) = text.rsplit_once(':').ok_or_else(wrong)?;
        let rows = rows.trim().parse::<f64>().ok().filter(|rows| rows.is_finite() && *rows >= 0.0).ok_or_else(wrong)?;
        Ok(Some((NetworkFile::open(Path::new(path))?, rows)))
    }
}

/// What a verb is told of a network that it learns.
pub struct NetworkArgs<'a> {
    pub learner: &'a LearnerArgs,
    pub structure: &'a StructureArgs,
    pub columns: &'a ColumnArgs,
    pub read: &'a ReadArgs,
    pub unknown_states: Option<UnknownArg>,
    pub calibrate: CalibrateArg,
    pub costs: &'a [String],
}

impl<'a> From<&'a LearnArgs> for NetworkArgs<'a> {
    fn from(args: &'a LearnArgs) -> Self {
        let LearnArgs { learner, structure, columns, read, unknown_states, calibrate, costs, .. } = args;
        Self { learner, structure, columns, read, unknown_states: *unknown_states, calibrate: *calibrate, costs }
    }
}

impl<'a> From<&'a EvaluateArgs> for NetworkArgs<'a> {
    fn from(args: &'a EvaluateArgs) -> Self {
        let EvaluateArgs { learner, structure, columns, read, unknown_states, calibrate, costs, .. } = args;
        Self { learner, structure, columns, read, unknown_states: *unknown_states, calibrate: *calibrate, costs }
    }
}

impl NetworkArgs<'_> {
    /// The flag that makes it a network.
    pub fn with(&self) -> String {
        match self.learner.model {
            Some(ModelKind::Network(found)) if self.structure.structure.is_none() => format!("--model {found}"),
            _ => "--structure".into(),
        }
    }

    /// What is asked for of a table that is read so. Who listens is asked to stop with what there is.
    pub fn options(&self, read: ReadOptions, common: &Common, listening: Option<&Listening>) -> Result<NetworkOptions, Failure> {
        let (of_network, learner, with) = (self.structure, self.learner, self.with());
        let others = [
            ("--model", learner.model.is_some() && of_network.structure.is_some()),
            ("--labels", learner.labels.is_some()),
            ("--threshold", learner.threshold.is_some()),
            ("--calibrate", self.calibrate != CalibrateArg::None),
            ("--documents", self.read.documents.is_some()),
            ("--class-depth", self.read.class_depth.is_some()),
        ];
        // How long EM goes on is said of networks as of rows without a class.
        let unlabelled: Vec<_> =
            learner.unlabelled.given().into_iter().filter(|(flag, _)| !matches!(*flag, "--em-steps" | "--em-tolerance")).collect();
        let others = [&others[..], &learner.text.given(), &unlabelled].concat();
        refuse(&others, &format!("does not go with {with}, which learns the tables of a network"))?;
        if of_network.structure.is_none() {
            let of_graph = [("--map", !of_network.map.is_empty()), ("--fix", !of_network.fix.is_empty())];
            refuse(&of_graph, &format!("speaks of a graph that is known, and {with} finds one"))?;
        }
        let (pseudocounts, bins) = learner.prior.of_network(&with)?;
        if of_network.prior_network.is_some() {
            refuse(&[("--estimate", pseudocounts.is_some())], "and --prior-network both say what was believed before: give one")?;
        }
        let usual = match learner.model {
            Some(ModelKind::Network(found)) => found.usual_pseudocounts(),
            _ => NetworkOptions::default().pseudocounts,
        };
        Ok(NetworkOptions {
            read: ReadOptions { names: of_network.names()?, ..read },
            unknown_states: self.unknown_states.map_or(UnknownStates::Error, UnknownStates::from),
            states: of_network.states()?,
            bins,
            indicators: of_network.indicators()?,
            pseudocounts: pseudocounts.unwrap_or(usual),
            ess_of: of_network.ess_of()?,
            estimate: match of_network.point {
                None | Some(PointArg::Mean) => Estimate::PosteriorMean,
                Some(PointArg::Map) => Estimate::Map,
            },
            prior_network: of_network.prior_network()?,
            fix: of_network.fix.iter().flat_map(|list| items(list)).collect(),
            start: of_network.start.as_deref().map(NetworkFile::open).transpose()?,
            strict: of_network.strict,
            hidden: of_network.em.hidden()?,
            em: of_network.em.plan(&learner.unlabelled, common, listening)?,
            costs: costs(self.costs)?,
            seed: common.seed,
            ..NetworkOptions::default()
        })
    }
}

/// What is asked for by `learn --structure`, or by `learn -m` of a network whose graph is found.
pub fn learn_options(args: &LearnArgs, common: &Common, listening: &Listening) -> Result<NetworkOptions, Failure> {
    let said = NetworkArgs::from(args);
    let with = said.with();
    refuse(&[("--average", !args.average.average.is_empty())], &format!("does not go with {with}, which learns the tables of a network"))?;
    let evaluation = by_folds(args.evaluate.unwrap_or_else(|| plan_of(&args.learner, args.target.is_some())), &with)?;
    if evaluation == EvaluationPlan::None {
        refuse(&[("--costs", !args.costs.is_empty())], "says how a network is judged, and goes with --evaluate folds:<k>")?;
    }
    let mut read = args.read.options(common);
    args.columns.apply(&mut read, args.target.as_ref())?;
    Ok(NetworkOptions { evaluation, ..said.options(read, common, Some(listening))? })
}

/// How a network is judged where it is not said: one whose graph is found as a classifier by ten folds, others not.
fn plan_of(learner: &LearnerArgs, has_target: bool) -> EvaluationPlan {
    match learner.model {
        Some(ModelKind::Network(StructureLearner::ChowLiu(_))) if !has_target => EvaluationPlan::None,
        Some(ModelKind::Network(_)) => EvaluationPlan::Folds(10),
        _ => EvaluationPlan::None,
    }
}

/// What is asked for by a member of `--average` that is a network whose graph is found.
pub fn judged_options(learner: &LearnerArgs, found: StructureLearner, common: &Common) -> Result<NetworkOptions, Failure> {
    let with = format!("--model {found}");
    let others = [("--labels", learner.labels.is_some()), ("--threshold", learner.threshold.is_some())];
    let others = [&others[..], &learner.text.given(), &learner.unlabelled.given()].concat();
    refuse(&others, &format!("does not go with {with}, which is a network"))?;
    let (pseudocounts, bins) = learner.prior.of_network(&with)?;
    let default = NetworkOptions::default();
    Ok(NetworkOptions { pseudocounts: pseudocounts.unwrap_or_else(|| found.usual_pseudocounts()), bins, seed: common.seed, ..default })
}
