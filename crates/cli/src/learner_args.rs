//! Flags about what is learned: the kind of model, and what is believed before any data.

use std::collections::BTreeMap;
use std::str::FromStr;

use clap::Args;
use tunbridge::EvaluationPlan;
use tunbridge::learners::{
    ClassPrior, Discretisation, Estimate, EventModel, MEstimateP, NaiveBayesPrior, NotAPrior, NumericModel, TextEvent,
};
use tunbridge::net::parameters::Pseudocounts;
use tunbridge::network::StructureLearner;

use crate::Failure;
use crate::args::{by_folds, refuse};
use crate::lists::items;
use crate::text_args::TextArgs;
use crate::unlabelled::UnlabelledArgs;

/// What is believed before any data.
#[derive(Args, Clone)]
#[command(next_help_heading = "What is believed before")]
pub struct PriorArgs {
    /// How probabilities are estimated: ml, laplace[:l], m:<m>[:uniform|:empirical|:given], dirichlet:<alpha> [default: laplace:1]; of a
    /// network ml, laplace[:l], k2, bdeu[:rows], m-estimate:<m> [default: bdeu:1, of tan and kdb laplace:1]
    #[arg(long, value_name = "HOW")]
    pub estimate: Option<EstimateArg>,
    /// The classes' probabilities: empirical, uniform, laplace[:l], dirichlet:<alpha>, or Yes=0.3,No=0.7 [default: empirical]
    #[arg(long, value_name = "HOW", value_parser = class_prior)]
    pub class_prior: Option<ClassPrior>,
    /// How numbers are seen: gaussian[:<variance smoothing>], student, bins:width[:k], bins:frequency[:k], bins:mdl [default: gaussian; of
    /// networks and aode, which take bins alone, bins:mdl, and without a target bins:frequency:5]
    #[arg(long, value_name = "HOW")]
    pub numeric: Option<String>,
}

/// The same where a model already believes something.
#[derive(Args, Clone)]
#[command(next_help_heading = "What is believed before")]
pub struct OtherPriorArgs {
    /// How probabilities are estimated from now on: ml, laplace[:l], m:<m>[:uniform|:empirical], dirichlet:<alpha>; of a network ml,
    /// laplace[:l], k2, bdeu[:rows], m-estimate:<m> [default: as the model has it]
    #[arg(long, value_name = "HOW")]
    pub estimate: Option<EstimateArg>,
    /// The classes' probabilities: empirical, uniform, laplace[:l], dirichlet:<alpha>, or Yes=0.3,No=0.7 [default: as the model has it]
    #[arg(long, value_name = "HOW", value_parser = class_prior)]
    pub class_prior: Option<ClassPrior>,
    /// How numbers are seen: gaussian[:<variance smoothing>], student [default: as the model has it]
    #[arg(long, value_name = "HOW")]
    pub numeric: Option<String>,
}

impl OtherPriorArgs {
    /// What is told, of the model that is there.
    pub fn told(&self) -> Result<PriorArgs, Failure> {
        let Self { estimate, class_prior, numeric } = self.clone();
        let told = PriorArgs { estimate, class_prior, numeric };
        if told.numeric.as_ref().is_some_and(|numeric| numeric.starts_with("bins")) {
            return Err(Failure::Usage("--numeric bins would need the rows again: learn anew".into()));
        }
        let is_given = |EstimateArg(text): &EstimateArg| matches!(text.parse(), Ok(Estimate::MEstimate { p: MEstimateP::Given(_), .. }));
        if told.estimate.as_ref().is_some_and(is_given) {
            return Err(Failure::Usage("--estimate m:<m>:given takes its probabilities from the data's schema file: learn anew".into()));
        }
        Ok(told)
    }
}

/// An estimate, of naive Bayes or of a network's tables: most are written alike.
#[derive(Clone)]
pub struct EstimateArg(String);

impl FromStr for EstimateArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<Estimate>() {
            Err(fault) if text.parse::<Pseudocounts>().is_err() => {
                Err(format!("{fault}; of a network ml, laplace[:l], k2, bdeu[:rows], m-estimate:<m>"))
            }
            _ => Ok(Self(text.into())),
        }
    }
}

impl EstimateArg {
    fn of_classes(&self) -> Result<Estimate, Failure> {
        let refused = |e: NotAPrior| match e.because {
            Some(_) => Failure::Usage(format!("--estimate: {e}")),
            None => Failure::Usage(format!("--estimate {}: is for networks; {e}", self.0)),
        };
        self.0.parse().map_err(refused)
    }
}

/// What to learn.
#[derive(Args, Clone)]
pub struct LearnerArgs {
    /// The kind of model: naive-bayes, bernoulli (presence and absence of every state), nearest-centroid (the class whose mean is nearest);
    /// aode[:<rows>] (an average of models in which each attribute in turn, and the class, is above all others); or a network whose graph is
    /// found: chow-liu[:bic] (the closest tree, or with a penalty forest), tan (the class above a tree of the attributes), kdb:<k> (the class
    /// and up to k others above each attribute) [default: naive-bayes]
    #[arg(short, long, value_name = "KIND")]
    pub model: Option<ModelKind>,
    /// The target holds any number of labels, with this between them: each gets a yes/no model of its own
    #[arg(long, value_name = "SEPARATOR", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub labels: Option<String>,
    /// Where a Bernoulli model cuts numbers in two: above it is present [default: 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub threshold: Option<f64>,
    #[command(flatten)]
    pub prior: PriorArgs,
    #[command(flatten)]
    pub text: TextArgs,
    #[command(flatten)]
    pub unlabelled: UnlabelledArgs,
}

#[derive(Clone, Copy, PartialEq)]
pub enum ModelKind {
    /// Independent evidence given the class; states, numbers and gaps in one product
    NaiveBayes,
    /// Presence and absence of every state
    Bernoulli,
    /// The class whose mean is nearest
    NearestCentroid,
    /// A network whose graph is found
    Network(StructureLearner),
    /// Averaged one-dependence estimators, with parents that so many rows have
    Aode(f64),
}

impl FromStr for ModelKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "naive-bayes" => Ok(Self::NaiveBayes),
            "bernoulli" => Ok(Self::Bernoulli),
            "nearest-centroid" => Ok(Self::NearestCentroid),
            "aode" => Ok(Self::Aode(1.0)),
            _ if let Some(rows) = text.strip_prefix("aode:") => {
                let rows = rows.parse::<f64>().ok().filter(|rows| rows.is_finite() && *rows >= 0.0);
                rows.map(Self::Aode).ok_or_else(|| "give aode:<rows>, as in aode:30: a value that fewer rows have is no parent".into())
            }
            _ => text.parse().map(Self::Network).map_err(|rest: String| {
                rest.replacen("give chow-liu", "give naive-bayes, bernoulli, nearest-centroid, aode[:ROWS], chow-liu", 1)
            }),
        }
    }
}

/// A class's name may hold commas, in quotes.
fn class_prior(text: &str) -> Result<ClassPrior, String> {
    if !text.contains('"') {
        return text.parse::<ClassPrior>().map_err(|e| e.to_string());
    }
    let pair = |item: String| {
        let (class, p) = item.rsplit_once('=')?;
        Some((class.to_string(), p.trim().parse::<f64>().ok()?))
    };
    let items = items(text);
    let n_items = items.len();
    let given: Option<BTreeMap<String, f64>> = items.into_iter().map(pair).collect();
    // A class that is named twice is one entry less.
    let given = given.filter(|given| given.len() == n_items);
    given.map(ClassPrior::Given).ok_or_else(|| "give each class one probability, as in '\"a,b\"=0.3,c=0.7'".into())
}

impl PriorArgs {
    /// What is believed before, and how numbers are cut into bins, if they are.
    pub fn prior(&self) -> Result<(NaiveBayesPrior, Option<Discretisation>), Failure> {
        let mut prior = NaiveBayesPrior {
            estimate: self.estimate()?,
            class: self.class_prior.clone().unwrap_or_default(),
            ..NaiveBayesPrior::default()
        };
        let mut bins = None;
        if let Some(numeric) = &self.numeric {
            if numeric.starts_with("bins") {
                bins = Some(numeric.parse::<Discretisation>().map_err(|e| Failure::Usage(format!("--numeric: {e}")))?);
            } else {
                prior.numeric = numeric
                    .parse::<NumericModel>()
                    .map_err(|e| Failure::Usage(format!("--numeric: {e}, bins:width[:k], bins:frequency[:k], bins:mdl")))?;
            }
        }
        Ok((prior, bins))
    }

    /// How probabilities are estimated, of models of classes.
    pub fn estimate(&self) -> Result<Estimate, Failure> {
        Ok(self.estimate.as_ref().map(EstimateArg::of_classes).transpose()?.unwrap_or_default())
    }

    /// How numbers are cut into bins, where that is said, for what knows no other way.
    pub fn bins(&self, with: &str) -> Result<Option<Discretisation>, Failure> {
        let Some(numeric) = &self.numeric else { return Ok(None) };
        if !numeric.starts_with("bins") {
            return Err(Failure::Usage(format!(
                "--numeric {numeric}: does not go with {with}, which counts states: give bins:mdl or other bins"
            )));
        }
        numeric.parse().map(Some).map_err(|e| Failure::Usage(format!("--numeric: {e}")))
    }

    /// The same with how its numbers are cut.
    pub fn of_network(&self, with: &str) -> Result<(Option<Pseudocounts>, Option<Discretisation>), Failure> {
        let states = Self { numeric: None, ..self.clone() };
        Ok((states.pseudocounts()?, self.bins(with)?))
    }

    /// What was believed of a network's tables, where it is said.
    pub fn pseudocounts(&self) -> Result<Option<Pseudocounts>, Failure> {
        refuse(&self.given()[1..], "is for naive Bayes, and this is a network")?;
        let of_network = |EstimateArg(text): &EstimateArg| text.parse().map_err(|e| Failure::Usage(format!("--estimate: {e}")));
        self.estimate.as_ref().map(of_network).transpose()
    }

    /// Each flag, with whether it is given.
    pub fn given(&self) -> [(&'static str, bool); 3] {
        [("--estimate", self.estimate.is_some()), ("--class-prior", self.class_prior.is_some()), ("--numeric", self.numeric.is_some())]
    }
}

impl LearnerArgs {
    /// That the model can be judged as it is asked for: what is found by EM, or step by step, from all rows is learned anew in each fold.
    pub fn check_plan(&self, plan: EvaluationPlan) -> Result<(), Failure> {
        if self.text.event() == TextEvent::DirichletCompound {
            by_folds(plan, "--text-model dirichlet-compound")?;
        }
        if self.unlabelled.components.is_some() {
            by_folds(plan, "--components")?;
        }
        Ok(())
    }

    /// The prior, and how numbers are cut into bins, if they are.
    pub fn prior(&self) -> Result<(NaiveBayesPrior, Option<Discretisation>), Failure> {
        let (mut prior, bins) = self.prior.prior()?;
        if self.threshold.is_some_and(|threshold| !threshold.is_finite()) {
            return Err(Failure::Usage("--threshold must be a finite number".into()));
        }
        if self.model != Some(ModelKind::Bernoulli) {
            refuse(&[("--threshold", self.threshold.is_some())], "goes with --model bernoulli")?;
        }
        prior.text = match (self.model, self.text.text_model) {
            (Some(ModelKind::Bernoulli), None) => TextEvent::Bernoulli,
            _ => self.text.event(),
        };
        prior.words = self.text.choice();
        prior.event = match self.model {
            None | Some(ModelKind::NaiveBayes) => EventModel::Categorical,
            Some(ModelKind::Bernoulli) => {
                refuse(&self.prior.given()[2..], "does not go with --model bernoulli, which cuts numbers in two at --threshold")?;
                EventModel::Bernoulli
            }
            Some(ModelKind::NearestCentroid) => {
                refuse(&self.prior.given(), "does not go with --model nearest-centroid, which believes nothing before")?;
                EventModel::NearestCentroid
            }
            Some(ModelKind::Network(_) | ModelKind::Aode(_)) => {
                return Err(Failure::Usage("a network and aode are learned and judged by themselves: not with --labels".into()));
            }
        };
        Ok((prior, bins))
    }

    /// Where a Bernoulli model cuts numbers in two.
    pub fn threshold(&self) -> f64 {
        self.threshold.unwrap_or(0.0)
    }
}
