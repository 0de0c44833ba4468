//! From a table to examples.

use std::path::Path;
use std::time::Instant;

use belief::{Kind, Observations, ReadReport, Role, Schema};
use data::{ReadOptions, StateTree, Table, closest};
use learn::LearnError;
use learn::concept::{
    Branch, ConceptLearner, ExampleColumn, ExampleTable, Examples, HypothesisPrior, HypothesisSpace, LeftOutRows, MAX_BOUNDARY,
    MOST_HYPOTHESES, Values,
};

use super::positive::{Sides, sides};
use crate::remarks::{counted, list};
use crate::{Case, Error, Recipe, Timings, widening};

/// How a concept is learned.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `read` | | how to read the files; the target is the label |
/// | `learner` | candidate elimination | which learner |
/// | `positive` | the state that says yes | which state of the target is the concept; all others are negative |
/// | `noise` | none | the chance that a label is wrong: every hypothesis then gets its probability |
/// | `prior` | uniform | what is believed of hypotheses before, with `noise` |
/// | `max_boundary` | 4,096 | the most members G may have |
/// | `max_hypotheses` | 1,000,000 | the most hypotheses that are gone through one by one |
/// | `seed` | 1 | of random members, where counting would take too long |
#[derive(Clone)]
pub struct ConceptOptions {
    /// How to read the files.
    pub read: ReadOptions,
    /// Which learner.
    pub learner: ConceptLearner,
    /// The positive state of the target.
    pub positive: Option<String>,
    /// The noise rate.
    pub noise: Option<f64>,
    /// What is believed of hypotheses before.
    pub prior: HypothesisPrior,
    /// The most members G may have.
    pub max_boundary: usize,
    /// The most hypotheses that are gone through one by one.
    pub max_hypotheses: usize,
    /// Of everything random.
    pub seed: u64,
}

impl Default for ConceptOptions {
    fn default() -> Self {
        Self {
            read: ReadOptions::default(),
            learner: ConceptLearner::default(),
            positive: None,
            noise: None,
            prior: HypothesisPrior::default(),
            max_boundary: MAX_BOUNDARY,
            max_hypotheses: MOST_HYPOTHESES,
            seed: 1,
        }
    }
}

/// Examples, and what their attributes are.
#[derive(Clone, Debug)]
pub struct ConceptData {
    /// What the columns are.
    pub schema: Schema,
    /// What hypotheses there are.
    pub space: HypothesisSpace,
    /// The examples, in the order of the files.
    pub examples: Examples,
    /// The target.
    pub target: String,
    /// What a positive example is called.
    pub positive: String,
    /// What a negative one is called.
    pub negative: String,
    /// Rows that are no examples.
    pub left_out: LeftOutRows,
    /// What was met while reading.
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
    /// How long it took.
    pub timings: Timings,
    /// Markers of a missing value besides the usual ones.
    pub(super) missing: Vec<String>,
}

/// Reads files as one table of examples.
///
/// Inputs are attributes: categories, in a tree if the schema file has one, and numbers. A row with a gap in an attribute says nothing
/// certain and is left out, as is a row without a label; both are counted.
///
/// # Errors
/// When the files cannot be read, no column is the target or an attribute, which state is positive is not plain, or no row is an example.
pub fn read(paths: &[impl AsRef<Path>], options: &ConceptOptions) -> Result<ConceptData, Error> {
    let start = Instant::now();
    let (table, fold) =
        widening(Table::open(paths, options.read.clone())?, |table| Ok(table.fold(|_: &[usize]| ExampleTable::default())?))?;
    let (schema, rows) = (fold.schema, fold.statistic);
    let target = schema.target().ok_or(LearnError::NoTarget)?;
    let name = schema.variable(target).name.clone();
    if let Some(weight) = schema.weight() {
        let weight = &schema.variable(weight).name;
        let what = format!("`{weight}` holds weights, and a version space does not depend on how often an example is there");
        return Err(Error::unfit(what, "take `weight` out of the schema file, and the column out with --ignore"));
    }
    let Kind::Categorical(states) = &schema.variable(target).kind else {
        let kind = schema.variable(target).kind.word();
        let what = format!("the target `{name}` is {kind}, but an example of a concept is positive or negative");
        return Err(Error::unfit(what, format!("if its values are states, say --types '{name}=category'")));
    };
    let Sides { code, positive, negative } = sides(&name, states, options.positive.as_deref())?;
    let trees = table.state_trees();
    let space = HypothesisSpace::of(&schema, &rows, |column| trees.get(column).map(branches))?;
    let label = |row: usize| match rows.columns().get(target.index()) {
        Some(ExampleColumn::Codes(codes)) if codes[row] != ExampleColumn::MISSING => Some(Some(codes[row] as usize) == code),
        _ => None,
    };
    let (examples, left_out) = Examples::of(&space, &rows, label);
    if examples.is_empty() {
        return Err(learn::concept::ConceptError::NoExamples.into());
    }
    let mut remarks = table.remarks().to_vec();
    remarks.extend(of_columns(&schema, &space));
    if left_out.without_label > 0 {
        let rows = counted(left_out.without_label, "row without a label was", "rows without a label were");
        remarks.push(format!("{rows} left out"));
    }
    if left_out.with_gaps > 0 {
        remarks.push(format!(
            "{} left out: what they would say is not certain",
            counted(left_out.with_gaps, "row with a gap was", "rows with gaps were")
        ));
    }
    let mut timings = Timings::default();
    timings.add("read", start);
    let missing = table.missing_markers().to_vec();
    Ok(ConceptData { schema, space, examples, target: name, positive, negative, left_out, report: fold.report, remarks, timings, missing })
}

impl ConceptData {
    /// One instance given by hand, as in `Sky=Sunny`. A state that is not known satisfies `?` alone, which the remarks that come back tell.
    ///
    /// # Errors
    /// When a pair is none, or an attribute has no value.
    pub fn case(&self, pairs: &[String]) -> Result<(Vec<u32>, Vec<String>), Error> {
        let case = Case::parse_with(&self.schema, pairs, &Recipe { missing: self.missing.clone(), ..Recipe::default() })?;
        let mut table = ExampleTable::default();
        case.lend(|row| belief::SufficientStatistic::observe(&mut table, *row))?;
        let unknown = |(name, value): &(String, String)| {
            let states = self.schema.find(name).and_then(|id| self.schema.states(id));
            let near = states.and_then(|states| closest(value, states.names().iter().map(String::as_str)));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            format!("`{value}` is no known state of `{name}`, and ? alone covers it{near}")
        };
        let remarks = case.unknown.iter().map(unknown).collect();
        let instance = self.space.instance(&table, 0).map_err(|_| {
            let given = |name: &String| pairs.iter().any(|pair| pair.split('=').next().map(str::trim) == Some(name));
            let absent: Vec<&String> = self.space.attributes().iter().map(|a| &a.name).filter(|name| !given(name)).collect();
            let what = if absent.is_empty() { "a value is missing".into() } else { format!("there is no value of {}", list(&absent)) };
            Error::unfit(what, "a hypothesis asks for every attribute: give each a value, as in Sky=Sunny")
        })?;
        Ok((instance, remarks))
    }
}

/// What the user should know of columns: those left out, and those with one state.
fn of_columns(schema: &Schema, space: &HypothesisSpace) -> Vec<String> {
    let mut remarks = Vec::new();
    for variable in schema.variables() {
        if let Role::Ignored(reason) = &variable.role
            && reason != "as you said"
        {
            remarks.push(format!("`{}` is no attribute: {reason}", variable.name));
        }
    }
    let has_one = |values: &Values| matches!(values, Values::Tree(tree) if tree.state_places().len() == 1);
    let single: Vec<&String> = space.attributes().iter().filter(|a| has_one(&a.values)).map(|a| &a.name).collect();
    if !single.is_empty() {
        remarks.push(format!("only one state is known of {}: others can be declared in a schema file", list(&single)));
    }
    remarks
}

/// A tree of a schema file as the learner wants it.
fn branches(tree: &StateTree) -> Vec<Branch> {
    match tree {
        StateTree::State(name) => vec![Branch::Leaf(name.clone())],
        StateTree::List(all) => all.iter().flat_map(branches).collect(),
        StateTree::Branches(all) => all.iter().map(|(name, below)| Branch::Node(name.clone(), branches(below))).collect(),
    }
}
