//! Rows without a class: read beside the others, and learned from by EM.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use belief::{
    Both, Chunk, Climb, Fold, FoldPlan, MaskedRows, Observations, ReadReport, Recode, Recoding, Role, Schema, ShapeMismatch, StateMap,
    States, SufficientStatistic,
};
use data::{DataError, HeldRows, ReadOptions, Table, UnknownStates};
use evaluate::{Metrics, Tally};
use learn::{
    ClassEvidence, Components, Expected, LeaveOneOut, Mixture, NaiveBayes, NaiveBayesPrior, NaiveBayesStatistic, SemiSupervised, TextEvent,
    Treatment, completed, telling_evidence,
};
use serde::{Deserialize, Serialize};

use crate::counting::{Counted, count_once, weighed_by};
use crate::held_out::{blank_tally, judged};
use crate::judge::Judge;
use crate::remarks::counted as counted_words;
use crate::{Error, LearnOptions, NaiveBayesModel};

/// How rows without a class are learned from.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `paths` | none | files or folders whose rows have no class, or whose class is not looked at |
/// | `lambda` | chosen | what a row without a class counts beside one with a class |
/// | `climb` | 100 steps, 1e-6 | when EM stops |
/// | `hard` | no | whether each row is given whole to its most probable class |
/// | `components` | one each | of how many components each class is a mixture |
/// | `seed` | 0 | how rows with a class are shared among its components at first |
/// | `on_step` | | told of every step |
///
/// Rows of the table itself whose class is missing are learned from as well.
#[derive(Clone, Default)]
pub struct Unlabelled {
    /// Where they are, besides the table itself.
    pub paths: Vec<PathBuf>,
    /// λ; `None` chooses it by leave-one-out on the rows with a class.
    pub lambda: Option<f64>,
    /// When EM stops.
    pub climb: Climb,
    /// Whether each row is given whole to its most probable class.
    pub hard: bool,
    /// Of how many components each class is a mixture; one each unless told otherwise. With several there need not be rows without a
    /// class.
    pub components: Option<ComponentPlan>,
    /// How rows with a class are shared among its components at first.
    pub seed: u64,
    /// Told of every step.
    pub on_step: Option<OnStep>,
}

/// How many components classes have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentPlan {
    /// Of every class that is not named.
    pub each: u32,
    /// Of classes by name.
    pub of_class: Vec<(String, u32)>,
}

impl ComponentPlan {
    /// The components of these classes.
    fn resolve(&self, classes: &[String]) -> Result<Components, Error> {
        let mut n_of_class = vec![self.each; classes.len()];
        for (name, n) in &self.of_class {
            let Some(class) = classes.iter().position(|class| class == name) else {
                return Err(Error::unfit(
                    format!("components are asked for of `{name}`, which is no class"),
                    format!("the classes are: {}", classes.join(", ")),
                ));
            };
            n_of_class[class] = *n;
        }
        Ok(Components::new(n_of_class)?)
    }
}

/// Is told of λ, the number of a step and the log posterior.
pub type OnStep = Arc<dyn Fn(f64, usize, f64) + Send + Sync>;

/// What a model has learned from rows without a class.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FromUnlabelled {
    /// What they are expected to say, each counted once; by component where classes have several.
    pub(crate) statistic: NaiveBayesStatistic,
    /// What rows with a class are expected to say of the components of their classes, where these have several.
    #[serde(default)]
    pub(crate) mixture: Option<OfComponents>,
    /// Their weight.
    pub n_rows: f64,
    /// What each counts beside a row with a class.
    pub lambda: f64,
    /// Whether the log posterior had stopped rising.
    pub converged: bool,
    /// Step by step, from the model of the rows with a class on.
    pub history: Vec<HistoryStep>,
}

/// What rows with a class are expected to say of the components of their classes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OfComponents {
    pub components: Components,
    pub labelled: NaiveBayesStatistic,
}

impl FromUnlabelled {
    /// Which components the classes have, where they have several.
    pub fn components(&self) -> Option<&Components> {
        self.mixture.as_ref().map(|mixture| &mixture.components)
    }

    /// What the rows are expected to say, by class.
    pub(crate) fn by_class(&self) -> Result<Cow<'_, NaiveBayesStatistic>, Error> {
        Ok(match self.components() {
            Some(components) => Cow::Owned(components.by_class(&self.statistic)?),
            None => Cow::Borrowed(&self.statistic),
        })
    }
}

/// One step of EM, as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HistoryStep {
    /// The log posterior.
    pub ln_posterior: f64,
    /// What told the classes apart.
    pub evidence: Vec<ClassEvidence>,
}

/// λ is chosen among these, the largest first: of equals the one that trusts the rows without a class most.
const LAMBDAS: [f64; 6] = [1.0, 0.5, 0.2, 0.1, 0.01, 0.0];

/// Pieces of evidence kept for each class and step.
const N_TELLING: usize = 15;

/// Rows beyond this much memory are read again for every step.
const MOST_HELD: usize = 1 << 30;

/// A table of rows of known class, and others without, all coded alike.
pub(crate) struct WithUnlabelled {
    pub table: Table,
    pub more: Option<Table>,
    rows: Option<[HeldRows; 2]>,
    pub remarks: Vec<String>,
}

impl WithUnlabelled {
    /// Reads the rows without a class and lines up their states and words with those that were counted.
    pub fn open(table: Table, counted: &mut Counted, unlabelled: &Unlabelled, read: &ReadOptions) -> Result<Self, Error> {
        if unlabelled.paths.is_empty() {
            return Ok(Self { table, more: None, rows: None, remarks: Vec::new() });
        }
        let mut read = read.clone();
        read.schema = None;
        let more = Table::open_as(&unlabelled.paths, read, &without_target(&counted.schema), UnknownStates::Grow, true)?.counting_copies();
        let found = more.fold(|_: &[usize]| ())?;
        let target = counted.schema.target();
        let schema = counted.schema.with_states(|id, states| match found.schema.variable(id).kind.states() {
            Some(all) if Some(id) != target => all.clone(),
            _ => states.clone(),
        });
        counted.statistic.recode(&recoding(&counted.schema, &schema)?)?;
        counted.schema = schema.clone();
        let mut remarks = more.remarks().to_vec();
        if found.report.n_not_utf8 > 0 {
            let texts = counted_words(found.report.n_not_utf8, "text without a class is", "texts without a class are");
            remarks.push(format!("{texts} not UTF-8, and read as Windows-1252"));
        }
        if found.report.n_without_words > 0 {
            let texts = counted_words(found.report.n_without_words, "document without a class has", "documents without a class have");
            remarks.push(format!("{texts} no words"));
        }
        if found.report.n_copies > 0 {
            let about = if found.report.copies_are_estimated { "about " } else { "" };
            let texts = counted_words(found.report.n_copies, "document without a class is a copy", "documents without a class are copies");
            remarks.push(format!("{about}{texts} of another of them, byte for byte"));
        }
        if let Some(first) = &found.report.first_skipped {
            let rows = counted_words(found.report.n_skipped, "row without a class was", "rows without a class were");
            remarks.push(format!("{rows} malformed and skipped, the first at {first}"));
        }
        let more = more.with_schema(without_target(&schema));
        Ok(Self { table: table.with_schema(schema), more: Some(more), rows: None, remarks })
    }

    /// Keeps the rows in memory, if they have a place there.
    fn hold(&mut self, read: &ReadOptions) -> Result<(), Error> {
        let threads = read.n_threads();
        let Some([labelled, unlabelled]) = HeldRows::by_label(&self.table, MOST_HELD, threads)? else { return Ok(()) };
        let unlabelled = match &self.more {
            None => unlabelled,
            Some(more) => match HeldRows::by_label(more, MOST_HELD, threads)? {
                Some([_, others]) => unlabelled.and(&others, self.table.schema()),
                None => return Ok(()),
            },
        };
        self.rows = Some([labelled, unlabelled]);
        Ok(())
    }

    fn labelled(&self) -> Rows<'_> {
        self.rows.as_ref().map_or(Rows::Read(&self.table), |[labelled, _]| Rows::Held(labelled))
    }

    fn unlabelled(&self) -> Rows<'_> {
        match (&self.rows, &self.more) {
            (Some([_, unlabelled]), _) => Rows::Held(unlabelled),
            (None, Some(more)) => Rows::Read(more),
            (None, None) => Rows::Nothing(&self.table),
        }
    }

    /// What all rows say whatever their classes: those with a class, and the others shared evenly.
    pub fn all(&self, counted: &Counted) -> Result<NaiveBayesStatistic, Error> {
        let mut all = counted.statistic.clone();
        all.merge(&SemiSupervised::shared_evenly(&Both(&self.labelled(), &self.unlabelled()), &counted.statistic)?)?;
        Ok(all)
    }

    /// Climbs, with λ as given or chosen, and tells what was learned.
    pub fn climb(&mut self, counted: &Counted, options: &LearnOptions, plan: &Unlabelled) -> Result<FromUnlabelled, Error> {
        self.hold(&options.read)?;
        let lambda = match plan.lambda {
            Some(lambda) => lambda,
            None => self.choose(counted, options, plan)?,
        };
        let components = resolved(plan, &counted.schema)?;
        let mut history = Vec::new();
        let mut told: Result<(), Error> = Ok(());
        let (rows, unlabelled) = (self.labelled(), self.unlabelled());
        let found = climb(&Both(&rows, &unlabelled), counted, &options.prior, plan, lambda, |step| {
            match telling_evidence(&counted.schema, step.statistic, step.model, N_TELLING) {
                Ok(evidence) => history.push(HistoryStep { ln_posterior: step.ln_posterior, evidence }),
                Err(error) => told = Err(error.into()),
            }
        })?;
        told?;
        if found.n_rows <= 0.0 && components.is_none() {
            return Err(Error::unfit(
                "there are no rows without a class",
                "leave --unlabelled out, or name a file or folder that has some: --unlabelled PATH",
            ));
        }
        let Expected { statistic, labelled, n_rows, converged, .. } = found;
        let mixture = components.zip(labelled).map(|(components, labelled)| OfComponents { components, labelled });
        Ok(FromUnlabelled { statistic, mixture, n_rows, lambda, converged, history })
    }

    /// Judges each fold of the rows with a class by the model that the others, and all rows without, make: EM anew for every fold,
    /// with the λ of the model.
    pub fn cross_validate(&self, model: &NaiveBayesModel, options: &LearnOptions, folds: FoldPlan) -> Result<Tally, Error> {
        let (Some(plan), Some(from), Some([labelled, unlabelled])) = (&options.unlabelled, model.unlabelled(), &self.rows) else {
            return Err(Error::unfit(
                "the rows are too many to be kept in memory, and EM would read them again for every step of every fold",
                "judge by leave-one-out instead, with --evaluate loo, or on other rows with `tunbridge evaluate`",
            ));
        };
        let blank = blank_tally(options.costs.as_ref(), model.classes())?;
        let mut tally = blank.clone();
        for fold in 0..folds.n_folds() {
            let rest = MaskedRows { rows: labelled, plan: folds, keep: |of_row| of_row != fold };
            // Cut points and weights of words are made anew: those of the model know the classes of this fold.
            let mut others = count_once(&rest, options)?;
            if !options.weighing.is_plain() {
                let mut all = others.statistic.clone();
                all.merge(&SemiSupervised::shared_evenly(&Both(&rest, unlabelled), &others.statistic)?)?;
                others = weighed_by(&rest, others, &all, options)?;
            }
            let found = climb(&Both(&rest, unlabelled), &others, model.prior(), plan, from.lambda, |_| {})?;
            let posterior = Others::new(model, from, &others.statistic, &found)?;
            let scores = |chunk: &Chunk<'_>, out: &mut Vec<f64>| posterior.ln_joint(chunk, out);
            let own = MaskedRows { rows: labelled, plan: folds, keep: |of_row| of_row == fold };
            tally.merge(&judged(&own, &scores, model, blank.clone())?)?;
        }
        Ok(tally)
    }

    /// The λ with which most rows with a class are told rightly, each held out, given what the others were taken for (Nigam et al.
    /// 2000, section 6.1).
    fn choose(&mut self, counted: &Counted, options: &LearnOptions, plan: &Unlabelled) -> Result<f64, Error> {
        if plan.components.is_some() {
            return Err(Error::unfit(
                "what a row without a class counts is chosen by leave-one-out, which classes of several components do not have",
                "say it, as in --unlabelled-weight 1",
            ));
        }
        let has_bursts = |t: &Treatment| matches!(t, Treatment::Words(weights) if weights.bursts);
        if options.prior.text == TextEvent::DirichletCompound && counted.statistic.treatments().iter().any(has_bursts) {
            return Err(Error::unfit(
                "what a row without a class counts is chosen by leave-one-out, which a Dirichlet-compound does not have",
                "say it, as in --unlabelled-weight 1",
            ));
        }
        let (rows, unlabelled) = (self.labelled(), self.unlabelled());
        let mut best: Option<(f64, f64)> = None;
        for lambda in LAMBDAS {
            let found = climb(&Both(&rows, &unlabelled), counted, &options.prior, plan, lambda, |_| {})?;
            let metrics = held_out(&rows, counted, &found, lambda, &options.prior)?;
            let accuracy = metrics.map_or(0.0, |metrics| metrics.accuracy);
            if best.is_none_or(|(most, _)| accuracy > most) {
                best = Some((accuracy, lambda));
            }
        }
        let (accuracy, lambda) = best.unwrap_or((0.0, 1.0));
        self.remarks.push(format!(
            "a row without a class counts {lambda} of one with a class: chosen by leave-one-out on the latter, of which {:.1} % are right",
            100.0 * accuracy
        ));
        Ok(lambda)
    }
}

fn climb<O: Observations<Error = DataError>>(
    rows: &O,
    counted: &Counted,
    prior: &NaiveBayesPrior,
    plan: &Unlabelled,
    lambda: f64,
    mut seen: impl FnMut(&learn::EmStep<'_>),
) -> Result<Expected, Error> {
    let components = resolved(plan, &counted.schema)?;
    let em = SemiSupervised { lambda, climb: plan.climb, hard: plan.hard, components, seed: plan.seed };
    em.run(rows, &counted.schema, &counted.statistic, prior, |step| {
        if let Some(on_step) = &plan.on_step {
            on_step(lambda, step.nth, step.ln_posterior);
        }
        seen(&step);
    })
}

/// Which components the classes of a schema are to have, where one of them is to have several.
fn resolved(plan: &Unlabelled, schema: &Schema) -> Result<Option<Components>, Error> {
    let classes = schema.target().and_then(|target| schema.states(target)).map_or(&[][..], States::names);
    let components = plan.components.as_ref().map(|plan| plan.resolve(classes)).transpose()?;
    Ok(components.filter(|components| !components.is_plain()))
}

/// The model that a fold is judged by.
enum Others {
    Plain(Box<NaiveBayes>),
    Mixture(Box<Mixture>),
}

impl Others {
    fn new(model: &NaiveBayesModel, from: &FromUnlabelled, observed: &NaiveBayesStatistic, found: &Expected) -> Result<Self, Error> {
        let (schema, prior, lambda) = (model.schema(), model.prior(), from.lambda);
        if let (Some(components), Some(labelled)) = (from.components(), &found.labelled) {
            let mixture = Mixture::new(components, schema, observed, [labelled, &found.statistic], lambda, prior)?;
            return Ok(Self::Mixture(Box::new(mixture)));
        }
        let completed = completed(observed, &found.statistic, lambda)?;
        Ok(Self::Plain(Box::new(NaiveBayes::with_expected(schema, observed, &found.statistic, &completed, prior)?)))
    }

    fn ln_joint(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        match self {
            Self::Plain(model) => model.ln_joint(chunk, out),
            Self::Mixture(mixture) => mixture.ln_joint(chunk, out),
        }
    }
}

fn held_out(
    rows: &Rows<'_>,
    counted: &Counted,
    expected: &Expected,
    lambda: f64,
    prior: &NaiveBayesPrior,
) -> Result<Option<Metrics>, Error> {
    let statistic = completed(&counted.statistic, &expected.statistic, lambda)?;
    let model = NaiveBayes::with_expected(&counted.schema, &counted.statistic, &expected.statistic, &statistic, prior)?;
    let held_out = LeaveOneOut::new(&counted.schema, &statistic, &model)?;
    let scores = |chunk: &Chunk<'_>, out: &mut Vec<f64>| held_out.ln_joint(chunk, out);
    let n_classes = model.n_classes();
    let target = statistic.target().index();
    let judged = rows.fold(|_: &[usize]| Judge::new(&scores, target, n_classes, Tally::new(n_classes)))?;
    Ok(judged.statistic.into_verdict()?.metrics())
}

/// Rows in memory or in files.
enum Rows<'t> {
    Held(&'t HeldRows),
    Read(&'t Table),
    /// No rows, of the schema of a table.
    Nothing(&'t Table),
}

impl Observations for Rows<'_> {
    type Error = DataError;

    fn schema(&self) -> &Schema {
        match self {
            Rows::Held(rows) => rows.schema(),
            Rows::Read(table) | Rows::Nothing(table) => table.schema(),
        }
    }

    fn fold<S, B>(&self, blank: B) -> Result<Fold<S>, DataError>
    where
        S: for<'a> SufficientStatistic<Columns<'a> = Chunk<'a>> + Recode,
        B: Fn(&[usize]) -> S + Sync,
    {
        match self {
            Rows::Held(rows) => rows.fold(blank),
            Rows::Read(table) => table.fold(blank),
            Rows::Nothing(table) => {
                let statistic = blank(&table.schema().cardinalities());
                Ok(Fold { schema: table.schema().clone(), statistic, report: ReadReport::default() })
            }
        }
    }
}

/// The same columns with the target passed over.
fn without_target(schema: &Schema) -> Schema {
    let mut variables = schema.variables().to_vec();
    for variable in variables.iter_mut().filter(|variable| variable.role == Role::Target) {
        variable.role = Role::Ignored("not looked at".into());
    }
    Schema::new(variables).unwrap_or_else(|_| schema.clone())
}

/// From the states of one schema to those of another that has them all.
fn recoding(from: &Schema, to: &Schema) -> Result<Recoding, Error> {
    let of_column = |(from, to): (&belief::Variable, &belief::Variable)| match (from.kind.states(), to.kind.states()) {
        (Some(from), Some(to)) => map(from, to).map(Some),
        _ => Ok(None),
    };
    let columns = from.variables().iter().zip(to.variables()).map(of_column).collect::<Result<_, _>>()?;
    Ok(Recoding { columns })
}

fn map(from: &States, to: &States) -> Result<StateMap, Error> {
    let place: HashMap<&str, u32> = to.names().iter().zip(0..).map(|(name, place)| (name.as_str(), place)).collect();
    let lost = || Error::Internal("a state was lost".into());
    let to_place = |name: &String| place.get(name.as_str()).copied().ok_or_else(lost);
    Ok(StateMap { to: from.names().iter().map(to_place).collect::<Result<_, _>>()?, n_states: to.len() })
}
