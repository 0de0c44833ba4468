//! From a table to an average: count for every member, weigh them, judge them and their mixture.

use std::path::Path;
use std::time::Instant;

use belief::{Observations, ReadReport, Schema};
use data::{ReadOptions, Table};
use evaluate::{Metrics, Tally};
use learn::{Discretisation, LearnError, LeaveOneOut, NaiveBayesPrior, NaiveBayesStatistic, Remark, Treatment, WordWeighing};

use super::mix::{HeldOut, HeldOutMixture};
use super::model::{AverageModel, StoredMember, WeighedBy, of_member, weights};
use super::several::Several;
use crate::judge::{Judge, Scores};
use crate::learning::{
    Counted, blank_tally, check_rows, check_texts, count, leave_one_out_words, plan_treatments, recipe_of, remarks_of, target_of, weighed,
    with_given_priors,
};
use crate::remarks::{counted, list};
use crate::{Error, Evaluation, EvaluationPlan, LearnOptions, NaiveBayesModel, NamedCosts, Timings};

/// What to average and how.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `read` | | how to read the table, for all members; `read.target` is needed |
/// | `members` | | what to learn, two or more |
/// | `by` | log score | what makes the weights |
/// | `evaluation` | leave-one-out | whether the average is judged; not by folds |
/// | `costs` | none | what errors cost, where they are judged by cost |
#[derive(Clone)]
pub struct AverageOptions {
    /// How to read the table.
    pub read: ReadOptions,
    /// What to learn.
    pub members: Vec<MemberOptions>,
    /// What makes the weights.
    pub by: WeighedBy,
    /// Whether the average is judged.
    pub evaluation: EvaluationPlan,
    /// What errors cost; rows are then judged by the class of least expected cost.
    pub costs: Option<NamedCosts>,
}

impl AverageOptions {
    /// These members, weighed by their log scores and judged by leave-one-out.
    pub fn new(members: Vec<MemberOptions>) -> Self {
        Self { read: ReadOptions::default(), members, by: WeighedBy::default(), evaluation: EvaluationPlan::LeaveOneOut, costs: None }
    }
}

/// What to learn as a member; each field is as that of [`LearnOptions`].
#[derive(Clone, Debug)]
pub struct MemberOptions {
    /// What it is called; names need not differ.
    pub name: String,
    /// What is believed before.
    pub prior: NaiveBayesPrior,
    /// How to cut numbers into bins, if at all.
    pub bins: Option<Discretisation>,
    /// Where a Bernoulli model cuts numbers in two.
    pub threshold: f64,
    /// How much each word of a text counts.
    pub weighing: WordWeighing,
}

impl MemberOptions {
    /// A naive Bayes model as it is by default.
    pub fn new(name: &str) -> Self {
        let LearnOptions { prior, bins, threshold, weighing, .. } = LearnOptions::default();
        Self { name: name.into(), prior, bins, threshold, weighing }
    }

    fn learn_options(&self, read: &ReadOptions) -> LearnOptions {
        let Self { prior, bins, threshold, weighing, .. } = self.clone();
        LearnOptions { read: read.clone(), prior, bins, threshold, weighing, ..LearnOptions::default() }
    }
}

/// An average with what was found out on the way.
pub struct LearnedAverage {
    /// The model.
    pub model: AverageModel,
    /// What was met while reading.
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
    /// How good each member is by itself, by leave-one-out; empty where nobody asked and no weight needs it.
    pub of_members: Vec<Evaluation>,
    /// How good the average is, if it was asked.
    pub evaluation: Option<Evaluation>,
    /// Where the time went.
    pub timings: Timings,
}

/// Learns every member from files, and weighs them.
///
/// The table is read once for each way in which members see the columns, once more to score the members row by row and once to judge
/// the average. The weights are those of all rows when the average is judged: only the members are held out.
///
/// # Errors
/// When the data cannot be read, a member cannot be made of them or not be weighed in this way, every member calls some row
/// impossible, or folds are asked for.
pub fn learn(paths: &[impl AsRef<Path>], options: &AverageOptions) -> Result<LearnedAverage, Error> {
    check_options(options)?;
    let mut timings = Timings::default();
    let start = Instant::now();
    let table = Table::open(paths, options.read.clone())?;
    let members = options.members.iter().map(|member| {
        let wanted = member.learn_options(&options.read);
        let wanted = check_texts(table.schema(), &wanted).and_then(|()| with_given_priors(&wanted, &table));
        Ok((member.name.as_str(), wanted.map_err(|e| of_member(&member.name, e))?))
    });
    let members = members.collect::<Result<Vec<_>, Error>>()?;
    timings.add("read", start);

    let start = Instant::now();
    let (table, first, mut remarks) = count(table, &members[0].1)?;
    check_rows(&first)?;
    let statistics = count_others(&table, &first, &members, &mut remarks)?;
    let Counted { schema, report, .. } = first;
    let models = members.iter().zip(statistics).map(|((name, options), statistic)| {
        let counted = Counted { schema: schema.clone(), statistic, report: report.clone(), remarks: Vec::new() };
        let counted = weighed(&table, counted, options)?;
        let (recipe, pruned) = (recipe_of(&table, options), report.pruned.clone());
        let (prior, statistic) = (options.prior.clone(), counted.statistic);
        let stored = StoredMember { name: name.to_string(), score: 0.0, recipe, prior, statistic, pruned };
        stored.model(&counted.schema).map_err(|e| of_member(name, e))
    });
    let models = models.collect::<Result<Vec<_>, Error>>()?;
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    remarks.extend(remarks_of_all(&names, &models));
    let classes = models[0].classes().to_vec();
    let blank = blank_tally(options.costs.as_ref(), &classes)?;
    timings.add("learn", start);

    let start = Instant::now();
    let is_judged = options.evaluation == EvaluationPlan::LeaveOneOut;
    let held_out = if is_judged || options.by == WeighedBy::LogScore { hold_out(&names, &models)? } else { Vec::new() };
    let of_members = judged(&table, &held_out, &blank)?;
    let scores = match options.by {
        WeighedBy::LogScore => log_scores(&names, &models, &of_members, &mut remarks),
        WeighedBy::MarginalLikelihood => log_marginal_likelihoods(&names, &models)?,
    };
    let weights = weights(&scores).ok_or_else(|| {
        Error::unfit(
            "every member gives the class of some held-out row probability zero, so none has any weight",
            "give a member an estimate that leaves nothing impossible, such as --estimate laplace",
        )
    })?;
    let evaluation = if is_judged {
        let mixture = HeldOutMixture { members: weights.into_iter().zip(&held_out).collect(), n_classes: classes.len() };
        let metrics = judged(&table, &[mixture], &blank)?.pop();
        metrics.map(|metrics| Evaluation::new(&how(&models), &classes, metrics))
    } else {
        None
    };
    let of_member = |(model, metrics): (&NaiveBayesModel, Metrics)| Evaluation::new(leave_one_out_words(model), &classes, metrics);
    let of_members = models.iter().zip(of_members).map(of_member).collect();
    drop(held_out);
    let members = names.iter().map(ToString::to_string).zip(scores).zip(models).map(|((name, score), model)| (name, score, model));
    let model = AverageModel::new(members.collect(), options.by)?;
    timings.add("evaluate", start);
    Ok(LearnedAverage { model, report, remarks, of_members, evaluation, timings })
}

fn check_options(options: &AverageOptions) -> Result<(), Error> {
    if options.members.len() < 2 {
        return Err(Error::unfit("an average needs two members or more", "give --average once for each"));
    }
    if options.read.labels.is_some() {
        return Err(Error::unfit("an average is of models of one class a row, and not of labels", "leave --labels or --average out"));
    }
    if let EvaluationPlan::Folds(n_folds) = options.evaluation {
        return Err(Error::unfit(
            format!("an average is not judged by folds: its weights would have to be made anew in each of the {n_folds}"),
            "judge it by leave-one-out, or on other rows with `tunbridge evaluate MODEL DATA`",
        ));
    }
    Ok(())
}

/// The statistic of each member; those that see the columns alike share one, and all others are counted in one pass.
fn count_others(
    table: &Table,
    first: &Counted,
    members: &[(&str, LearnOptions)],
    remarks: &mut Vec<String>,
) -> Result<Vec<NaiveBayesStatistic>, Error> {
    let mut plans: Vec<Vec<Treatment>> = vec![first.statistic.treatments()];
    let mut of_member = vec![0];
    for (name, options) in &members[1..] {
        let (plan, told) = plan_treatments(table, options).map_err(|e| super::model::of_member(name, e))?;
        told.into_iter().for_each(|told| {
            if !remarks.contains(&told) {
                remarks.push(told);
            }
        });
        of_member.push(plans.iter().position(|other| *other == plan).unwrap_or(plans.len()));
        if of_member.last() == Some(&plans.len()) {
            plans.push(plan);
        }
    }
    let mut statistics = vec![first.statistic.clone()];
    if plans.len() > 1 {
        let target = target_of(table.schema())?;
        let empty = |plan: &Vec<Treatment>, n_states: &[usize]| NaiveBayesStatistic::empty(plan, target, n_states);
        let fold = table.fold(|n_states: &[usize]| Several(plans[1..].iter().map(|plan| empty(plan, n_states)).collect()))?;
        statistics.extend(fold.statistic.0);
    }
    Ok(of_member.into_iter().map(|place| statistics[place].clone()).collect())
}

/// What the user should know of the members: what is true of all is said once.
fn remarks_of_all(names: &[&str], models: &[NaiveBayesModel]) -> Vec<String> {
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, model) in names.iter().zip(models) {
        for remark in remarks_of(model) {
            match said.iter_mut().find(|(other, _)| *other == remark) {
                Some((_, of)) => of.push(name),
                None => said.push((remark, vec![name])),
            }
        }
    }
    let told = |(remark, of): (String, Vec<&str>)| if of.len() == names.len() { remark } else { format!("member {}: {remark}", list(&of)) };
    said.into_iter().map(told).collect()
}

/// The members as they would be without the row they are asked about.
fn hold_out<'m>(names: &[&str], models: &'m [NaiveBayesModel]) -> Result<Vec<HeldOut<'m>>, Error> {
    let of = |(name, model): (&&str, &'m NaiveBayesModel)| match LeaveOneOut::new(model.schema(), model.statistic(), model.posterior()) {
        Ok(held_out) => Ok(HeldOut(held_out)),
        Err(error @ LearnError::NoLeaveOneOut { .. }) => Err(Error::unfit(
            format!("member `{name}` cannot be weighed by held-out rows: {error}"),
            "leave this member out, or choose another --text-model for it",
        )),
        Err(error) => Err(of_member(name, error.into())),
    };
    names.iter().zip(models).map(of).collect()
}

/// What each of these is worth, in one pass over the rows.
fn judged<S: Scores>(table: &Table, scores: &[S], blank: &Tally) -> Result<Vec<Metrics>, Error> {
    if scores.is_empty() {
        return Ok(Vec::new());
    }
    let target = target_of(table.schema())?;
    let judge = |scores| Judge::new(scores, target, blank.n_classes(), blank.clone());
    let fold = table.fold(|_: &[usize]| Several(scores.iter().map(judge).collect()))?;
    let metrics = fold.statistic.0.into_iter().map(|judge| {
        let no_rows = || Error::Internal("rows with a class were counted, and none was judged".into());
        judge.into_verdict()?.metrics().ok_or_else(no_rows)
    });
    metrics.collect()
}

/// Σ ln P(class of a row | the row, all other rows), and what is to be known of those that weigh nothing or saw too much.
fn log_scores(names: &[&str], models: &[NaiveBayesModel], judged: &[Metrics], remarks: &mut Vec<String>) -> Vec<f64> {
    for (name, model) in names.iter().zip(models) {
        if let Some(given) = given(model) {
            remarks.push(format!("the log score of `{name}` is given {given}, in which the held-out rows had a part"));
        }
    }
    names.iter().zip(judged).map(|(name, metrics)| score_of(name, metrics, remarks)).collect()
}

/// The log score of a member by how it was judged; −∞, which is told, if a class had probability zero.
pub(super) fn score_of(name: &str, metrics: &Metrics, remarks: &mut Vec<String>) -> f64 {
    match metrics.log_loss {
        Some(log_loss) => -log_loss * metrics.rows,
        None => {
            let n_zero = (metrics.n_probability_zero + metrics.n_impossible).round() as u64;
            let rows = counted(n_zero, "held-out row", "held-out rows");
            remarks.push(format!("`{name}` gives the class of {rows} probability zero, and weighs nothing"));
            f64::NEG_INFINITY
        }
    }
}

/// ln P(data) of each member, where all have one and it is of the same data.
pub(super) fn log_marginal_likelihoods(names: &[&str], models: &[NaiveBayesModel]) -> Result<Vec<f64>, Error> {
    const OTHER: &str = "or weigh by held-out rows, with --average-by log-score";
    let first = (names[0], &models[0]);
    let mut scores = Vec::with_capacity(models.len());
    for (name, model) in names.iter().zip(models) {
        let ln = model.posterior().log_marginal_likelihood(model.schema(), model.statistic());
        scores.push(ln.filter(|ln| ln.is_finite()).ok_or_else(|| {
            Error::unfit(
                format!("member `{name}` has no marginal likelihood in closed form"),
                format!(
                    "naive-bayes has one with --class-prior laplace or dirichlet:<alpha>, --estimate laplace, m or dirichlet, and numbers \
                     that are --numeric student or bins; {OTHER}"
                ),
            )
        })?);
        if let Some(column) = seen_otherwise(first.1, model) {
            return Err(Error::unfit(
                format!(
                    "member `{name}` explains other values of `{column}` than `{}`: their marginal likelihoods do not compare",
                    first.0
                ),
                format!("give all members the same --numeric student or bins, {OTHER}"),
            ));
        }
    }
    Ok(scores)
}

/// The first column that two models do not see alike: cut in other places or not at all, or left out by one of them.
fn seen_otherwise<'m>(a: &'m NaiveBayesModel, b: &NaiveBayesModel) -> Option<&'m str> {
    let names = |schema: &'m Schema| schema.variables().iter().map(|variable| variable.name.as_str());
    let left_out = |model: &NaiveBayesModel, column: &str| {
        let is_left_out = |remark: &Remark| matches!(remark, Remark::ColumnLeftOut { variable, .. } if variable == column);
        model.posterior().remarks().iter().any(is_left_out)
    };
    let treatments = a.statistic().treatments().into_iter().zip(b.statistic().treatments());
    let alike = |column: &str, (x, y): &(Treatment, Treatment)| x == y && left_out(a, column) == left_out(b, column);
    names(a.schema()).zip(treatments).find(|(column, seen)| !alike(column, seen)).map(|(column, _)| column)
}

/// What a member's leave-one-out holds fixed besides scales, if anything.
fn given(model: &NaiveBayesModel) -> Option<&'static str> {
    let given = leave_one_out_words(model).strip_prefix("leave-one-out, given ")?;
    given.split(';').next()
}

/// How an average is judged, in words.
fn how(models: &[NaiveBayesModel]) -> String {
    let mut fixed = vec!["the members' weights"];
    for given in models.iter().filter_map(given) {
        if !fixed.contains(&given) {
            fixed.push(given);
        }
    }
    format!("leave-one-out, given {}", fixed.join(" and "))
}
