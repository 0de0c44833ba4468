//! Models that are averaged, from the command line: each is a kind with its own flags, written in one argument.

use std::path::PathBuf;

use clap::{Args, Parser, ValueEnum};
use tunbridge::average::{AverageOptions, MemberLearner, MemberOptions, SavedOptions, WeighedBy};
use tunbridge::model_file::is_model;
use tunbridge::{EvaluationPlan, LearnOptions};

use crate::Failure;
use crate::args::{CalibrateArg, Common, LearnArgs, refuse};
use crate::costs::costs;
use crate::learner_args::{LearnerArgs, ModelKind};
use crate::structure_args::judged_options;
use crate::verbs::aode;

/// Which models are averaged, and how they are weighed.
#[derive(Args, Clone)]
#[command(next_help_heading = "Averages")]
pub struct AverageArgs {
    /// Learn several models and average their probabilities, each by its weight: a kind with its own flags, as in 'naive-bayes
    /// --numeric student'; or average saved models, each by its file, weighed by rows that none has seen; give two or more
    #[arg(long, value_name = "KIND FLAGS…|MODEL", allow_hyphen_values = true)]
    pub average: Vec<String>,
    /// What makes the weights: how well a model foretells held-out rows, or how probable all rows are under it [default: log-score]
    #[arg(long, value_enum, value_name = "WHAT", requires = "average")]
    pub average_by: Option<WeighedByArg>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WeighedByArg {
    LogScore,
    MarginalLikelihood,
}

/// One model of an average, as it would be learned by itself.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true, disable_version_flag = true)]
struct MemberArgs {
    kind: ModelKind,
    #[command(flatten)]
    learner: LearnerArgs,
}

/// What is asked for by `learn --average`.
pub fn options(args: &LearnArgs, common: &Common) -> Result<AverageOptions, Failure> {
    let AverageArgs { average, average_by } = &args.average;
    if average.len() < 2 {
        return Err(Failure::Usage("--average needs two models or more: give it once for each".into()));
    }
    if args.data.is_empty() {
        return Err(Failure::Usage("there is nothing to learn from: name DATA, or give --average the files of saved models".into()));
    }
    let learner = &args.learner;
    let of_rows = [
        ("--labels", learner.labels.is_some(), "gives a row any number of labels, and an average is of models of one class a row"),
        ("--calibrate", args.calibrate != CalibrateArg::None, "mends one model, and an average is mended by its members' weights"),
        ("--trace", common.trace, "shows one model: learn it without --average"),
    ];
    of_rows.iter().try_for_each(|(flag, given, because)| refuse(&[(flag, *given)], because))?;
    refuse(&learner.unlabelled.given(), "does not go with --average: the weights come from rows that have a class")?;
    let of_member = [("--model", learner.model.is_some()), ("--threshold", learner.threshold.is_some())];
    let of_member = [&of_member[..], &learner.prior.given(), &learner.text.given_of_model()].concat();
    refuse(&of_member, "is said of each model by itself, as in --average 'naive-bayes --estimate ml'")?;
    if args.evaluate == Some(EvaluationPlan::None) {
        refuse(&[("--costs", !args.costs.is_empty())], "says how a model is judged, and does not go with --evaluate none")?;
    }
    let mut options = AverageOptions::new(average.iter().map(|text| member(text, common)).collect::<Result<_, _>>()?);
    options.read = args.read.options(common);
    args.columns.apply(&mut options.read, args.target.as_ref())?;
    learner.text.apply(&mut options.read)?;
    options.by = match average_by {
        None | Some(WeighedByArg::LogScore) => WeighedBy::LogScore,
        Some(WeighedByArg::MarginalLikelihood) => WeighedBy::MarginalLikelihood,
    };
    options.evaluation = args.evaluate.unwrap_or(options.evaluation);
    options.seed = common.seed;
    options.costs = costs(&args.costs)?;
    Ok(options)
}

/// The files of `--average`, if its models were saved.
pub fn saved(args: &LearnArgs, common: &Common) -> Result<Option<(Vec<PathBuf>, SavedOptions)>, Failure> {
    let AverageArgs { average, average_by } = &args.average;
    let paths: Vec<PathBuf> = average.iter().map(PathBuf::from).filter(|path| is_model(path)).collect();
    if paths.is_empty() {
        return Ok(None);
    }
    if paths.len() < average.len() {
        return Err(Failure::Usage(
            "--average is of saved models or of models to learn, not of both: a saved one knows its own columns and rows; learn and save \
             the others first"
                .into(),
        ));
    }
    if paths.len() < 2 {
        return Err(Failure::Usage("--average needs two models or more: give it once for each".into()));
    }
    if args.data.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::Usage("each saved model reads the rows by itself, and standard input can be read once: give a file".into()));
    }
    let learner = &args.learner;
    let of_learning = [
        ("--target", args.target.is_some()),
        ("--types", !args.columns.types.is_empty()),
        ("--ignore", !args.columns.ignore.is_empty()),
        ("--schema", args.columns.schema.is_some()),
        ("--labels", learner.labels.is_some()),
        ("--model", learner.model.is_some()),
        ("--threshold", learner.threshold.is_some()),
        ("--calibrate", args.calibrate != CalibrateArg::None),
        ("--trace", common.trace),
    ];
    let of_learning = [&of_learning[..], &learner.unlabelled.given(), &learner.prior.given(), &learner.text.given_of_model()].concat();
    refuse(&of_learning, "is for learning, and the models of this --average were learned before")?;
    let by = match average_by {
        None | Some(WeighedByArg::LogScore) => WeighedBy::LogScore,
        Some(WeighedByArg::MarginalLikelihood) => WeighedBy::MarginalLikelihood,
    };
    let mut read = args.read.options(common);
    read.weight.clone_from(&args.columns.weight);
    Ok(Some((paths, SavedOptions { by, rows: args.data.clone(), read, costs: costs(&args.costs)? })))
}

/// A member from its text; a fault is told with it.
fn member(text: &str, common: &Common) -> Result<MemberOptions, Failure> {
    let of_text = |what: &str| Failure::Usage(format!("--average '{text}': {what}"));
    let words = shlex::split(text).ok_or_else(|| of_text("a quote is not closed"))?;
    if words.first().is_none_or(|word| word.starts_with('-')) {
        return Err(of_text("say the kind of model first, as in 'naive-bayes --estimate ml'"));
    }
    let MemberArgs { kind, mut learner } = MemberArgs::try_parse_from(words).map_err(|e| of_text(&in_a_line(&e)))?;
    let named = |failure: Failure| match failure {
        Failure::Usage(what) => of_text(&what),
        other => other,
    };
    refuse(&[("--model", learner.model.is_some())], "is said by the first word").map_err(named)?;
    refuse(&learner.text.given_of_reading(), "says how rows are read, the same for all models: give it outside").map_err(named)?;
    refuse(&[("--labels", learner.labels.is_some())], "does not go with --average").map_err(named)?;
    refuse(&learner.unlabelled.given(), "does not go with --average: the weights come from rows that have a class").map_err(named)?;
    learner.model = Some(kind);
    let name = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let learner = match kind {
        ModelKind::Network(found) => MemberLearner::Network(found, Box::new(judged_options(&learner, found, common).map_err(named)?)),
        ModelKind::Aode(least_rows) => MemberLearner::Aode(Box::new(aode::options(&learner, least_rows, common).map_err(named)?)),
        ModelKind::NaiveBayes | ModelKind::Bernoulli | ModelKind::NearestCentroid => {
            let (prior, bins) = learner.prior().map_err(named)?;
            let (threshold, weighing) = (learner.threshold(), learner.text.weigh_words.unwrap_or_default());
            LearnOptions { prior, bins, threshold, weighing, ..LearnOptions::default() }.into()
        }
    };
    Ok(MemberOptions { name, learner })
}

/// What clap has to say, without its usage and in one line.
fn in_a_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let what = text.split("\n\nUsage:").next().unwrap_or_default();
    let what = what.split("\n\nFor more information").next().unwrap_or_default();
    let lines: Vec<&str> = what.trim_start_matches("error: ").lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}
