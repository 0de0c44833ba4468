//! From a table to counts: what is asked of the columns before, cut points, and the words' weights.

use std::sync::Arc;

use belief::{Kind, Observations, Pruned, ReadReport, Recode, Role, Schema};
use data::words::Words;
use data::{DataError, Table};
use learn::{
    AttributeStatistic, Estimate, EventModel, MEstimateP, NaiveBayesPrior, NaiveBayesStatistic, Treatment, ValueSample, WordChoice,
};

use crate::model::treatments;
use crate::vocabulary::was_pruned;
use crate::{Error, LearnOptions, widening};

/// The same rows counted with the weights of words that the texts among them give, where weights are wanted. The states and words of
/// the rows must be settled.
pub(crate) fn weighed<O: Observations<Error = DataError>>(rows: &O, counted: Counted, options: &LearnOptions) -> Result<Counted, Error> {
    if options.weighing.is_plain() {
        return Ok(counted);
    }
    let all = counted.statistic.clone();
    weighed_by(rows, counted, &all, options)
}

/// The same, by the weights that `all` texts give.
pub(crate) fn weighed_by<O: Observations<Error = DataError>>(
    rows: &O,
    counted: Counted,
    all: &NaiveBayesStatistic,
    options: &LearnOptions,
) -> Result<Counted, Error> {
    let (n_rows, n_labelled) = (all.n_rows(), counted.statistic.classes());
    let of_column = |(treatment, (all, labelled)): (Treatment, (&AttributeStatistic, &AttributeStatistic))| match (all, labelled) {
        (AttributeStatistic::Words(words), AttributeStatistic::Words(labelled)) => {
            Treatment::Words(Arc::new(options.weighing.weights(words, labelled, n_rows, n_labelled, &options.prior.words)))
        }
        _ => treatment,
    };
    let attributes = all.attributes().iter().zip(counted.statistic.attributes());
    let treatments: Vec<Treatment> = counted.statistic.treatments().into_iter().zip(attributes).map(of_column).collect();
    let target = target_of(rows.schema())?;
    let fold = rows.fold(|n_states: &[usize]| NaiveBayesStatistic::empty(&treatments, target, n_states))?;
    Ok(Counted { schema: fold.schema, statistic: fold.statistic, ..counted })
}

/// Choices do not contradict each other, and those about words are for texts.
pub(crate) fn check_texts(schema: &Schema, options: &LearnOptions) -> Result<(), Error> {
    options.check()?;
    let has_texts = schema.variables().iter().any(|v| v.role == Role::Input && matches!(v.kind, Kind::Text(_)));
    let prior = NaiveBayesPrior { text: options.prior.text, words: options.prior.words.clone(), ..NaiveBayesPrior::default() };
    // A Bernoulli model of a table is one of its texts too, if there are any.
    let of_table = options.prior.event == EventModel::Bernoulli && prior.words == WordChoice::default();
    let plain = options.read.words == Words::default() && options.weighing.is_plain() && options.read.max_vocabulary.is_none();
    if has_texts || plain && (of_table || prior == NaiveBayesPrior::default()) {
        return Ok(());
    }
    Err(Error::unfit("choices about words are made, but no column is a text", "name the column of texts with --text, or leave them out"))
}

/// The options with the probabilities that the data's sidecar gives for the m-estimate, if it asks for given ones and has none.
pub(crate) fn with_given_priors(options: &LearnOptions, table: &Table) -> Result<LearnOptions, Error> {
    let mut options = options.clone();
    if let Estimate::MEstimate { p: MEstimateP::Given(given), .. } = &mut options.prior.estimate
        && given.is_empty()
    {
        given.clone_from(table.state_priors());
        if given.is_empty() {
            return Err(Error::unfit(
                "the m-estimate asks for given probabilities, but none are given",
                "give them in the schema file beside the data, as in prior = { Sunny = 0.5, Rain = 0.5 } under a column",
            ));
        }
    }
    Ok(options)
}

pub(crate) struct Counted {
    pub schema: Schema,
    pub statistic: NaiveBayesStatistic,
    pub report: ReadReport,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// Counts a table, with cut points first where they are wanted; a column that turns out not to be numeric is read anew.
pub(crate) fn count(table: Table, options: &LearnOptions) -> Result<(Table, Counted, Vec<String>), Error> {
    let (table, counted) = widening(table, |table| {
        check_target(table.schema())?;
        count_once(table, options)
    })?;
    let remarks = [table.remarks(), &counted.remarks].concat();
    let table = table.with_schema(counted.schema.clone());
    let counted = if was_pruned(&counted.report.pruned) { counted_again(counted, &table, options)? } else { counted };
    Ok((table, counted, remarks))
}

/// Counts the words that were kept once more, so that none of their counts is short.
fn counted_again(mut first: Counted, table: &Table, options: &LearnOptions) -> Result<Counted, Error> {
    let again = count_once(table, options)?;
    let total = |counted: &Counted, place: usize| counted.statistic.times_met(place).map_or(0.0, |times| times.iter().sum());
    for place in 0..first.report.pruned.len() {
        let came_back: f64 = total(&again, place) - total(&first, place);
        let pruned = &mut first.report.pruned[place];
        *pruned = Pruned { times: pruned.times - came_back, short_by: 0.0, ..*pruned };
    }
    Ok(Counted { statistic: again.statistic, ..first })
}

pub(crate) fn count_once<O: Observations<Error = DataError>>(rows: &O, options: &LearnOptions) -> Result<Counted, Error> {
    let target = target_of(rows.schema())?;
    let (treatments, remarks) = plan_treatments(rows, options)?;
    let fold = rows.fold(|n_states: &[usize]| NaiveBayesStatistic::empty(&treatments, target, n_states))?;
    Ok(Counted { schema: fold.schema, statistic: fold.statistic, report: fold.report, remarks })
}

/// How each column is to be summed up, and what the user should know of it.
pub(crate) fn plan_treatments<O: Observations<Error = DataError>>(
    rows: &O,
    options: &LearnOptions,
) -> Result<(Vec<Treatment>, Vec<String>), Error> {
    let (schema, text) = (rows.schema(), options.prior.text);
    let target = target_of(schema)?;
    if let Some(bins) = &options.bins {
        let is_number = |v: &belief::Variable| v.role == Role::Input && v.kind == Kind::Numeric;
        let places: Vec<usize> = (0..schema.variables().len()).filter(|p| is_number(&schema.variables()[*p])).collect();
        let sample = rows.fold(|n_states: &[usize]| ValueSample::empty(&places, target, n_states[target]))?;
        let sample = sample.statistic;
        let mut remarks = Vec::new();
        if !sample.is_whole() {
            remarks.push(format!("the cut points come from a sample of {} of the {} rows", sample.capacity(), sample.n_observed()));
        }
        return Ok((treatments(schema, text, |place| bins.cuts(&sample, place)), remarks));
    }
    if options.prior.event == EventModel::Bernoulli {
        return Ok((treatments(schema, text, |_| Some(vec![options.threshold])), Vec::new()));
    }
    Ok((treatments(schema, text, |_| None), Vec::new()))
}

pub(crate) fn target_of(schema: &Schema) -> Result<usize, Error> {
    schema.target().map(belief::VarId::index).ok_or(Error::Learn(learn::LearnError::NoTarget))
}

fn check_target(schema: &Schema) -> Result<(), Error> {
    let Some(target) = schema.target() else {
        let names: Vec<&str> = schema.variables().iter().take(20).map(|v| v.name.as_str()).collect();
        return Err(Error::unfit(
            "no target was named",
            format!("name the column to predict with --target; the columns are: {}", names.join(", ")),
        ));
    };
    let target = schema.variable(target);
    match &target.kind {
        Kind::Categorical(_) => Ok(()),
        kind => {
            let name = &target.name;
            Err(Error::unfit(
                format!("the target `{name}` is {}, but naive Bayes predicts states", kind.word()),
                format!("if its values are states, say --types '{name}=category'"),
            ))
        }
    }
}

/// What cannot be learned from rows of which some were skipped: they may be the reason.
pub(crate) fn after_skipping(error: Error, report: &ReadReport) -> Error {
    // Where all were, that is what is said.
    let Some(first) = report.first_skipped.as_ref().filter(|_| report.n_rows > 0) else { return error };
    let rows = crate::remarks::counted(report.n_skipped, "malformed row was", "malformed rows were");
    Error::Unfit { what: format!("{error}; {rows} skipped, the first at {first}"), hint: error.hint() }
}

/// That there are rows with a class, which weigh so much.
pub(crate) fn check_rows(schema: &Schema, weight: f64, report: &ReadReport) -> Result<(), Error> {
    if report.n_rows == 0 && report.n_skipped > 0 {
        let first = report.first_skipped.as_deref().unwrap_or_default();
        return Err(Error::unfit(
            format!("all {} rows are malformed, the first at {first}", report.n_skipped),
            "check the header and the delimiter; --header and --delimiter say what they are",
        ));
    }
    let n_missing = schema.target().and_then(|target| report.n_missing.get(target.index())).copied().unwrap_or(0);
    if weight <= 0.0 && n_missing < report.n_rows {
        return Err(Error::unfit("every row that has a class has the weight zero", "check the column of --weight"));
    }
    if weight <= 0.0 {
        let name = schema.target().map(|t| schema.variable(t).name.clone()).unwrap_or_default();
        let of_documents = schema.variables().iter().map(|v| v.name.as_str()).eq(data::DOCUMENT_COLUMNS);
        let hint = if of_documents {
            "documents have their class from the folder they are in: name the one above it, or say how deep it is with --class-depth; \
             of lines and messages the file's name is the class, and standard input has none"
        } else {
            "choose another target, or check the missing markers"
        };
        return Err(Error::unfit(format!("the target `{name}` is missing in every row"), hint));
    }
    Ok(())
}
