//! How priors are written: `laplace:1`, `m:2:empirical`, `Yes=0.3,No=0.7`, `gaussian:1e-9`. What is displayed reads back.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::prior::{ClassPrior, Estimate, EventModel, MEstimateP, NumericModel, SUM_TOLERANCE, TextEvent, WordChoice};

/// A text that is not a prior, in a sentence that says what would have been.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not {what}{}; allowed: {allowed}", .because.as_deref().map(|b| format!(": {b}")).unwrap_or_default())]
pub struct NotAPrior {
    /// What was given.
    pub given: String,
    /// What it should have been.
    pub what: &'static str,
    /// Why it is not, where there is more to say.
    pub because: Option<String>,
    /// What is allowed.
    pub allowed: &'static str,
}

/// What one option means and how it is written.
struct Grammar {
    what: &'static str,
    allowed: &'static str,
}

const ESTIMATE: Grammar = Grammar {
    what: "an estimate",
    allowed: "ml, laplace[:<l>], m:<m>[:uniform|:empirical|:given], dirichlet:<alpha>, with numbers of at least 0",
};
const CLASS_PRIOR: Grammar = Grammar {
    what: "a class prior",
    allowed: "empirical, laplace[:<l>], dirichlet:<alpha>, uniform, or a probability for every class as in Yes=0.3,No=0.7",
};
const NUMERIC: Grammar = Grammar { what: "a model of numbers", allowed: "gaussian[:<smoothing>], student" };
const EVENT: Grammar = Grammar { what: "an event model", allowed: "categorical, bernoulli, nearest-centroid" };

impl FromStr for Estimate {
    type Err = NotAPrior;
    fn from_str(text: &str) -> Result<Self, NotAPrior> {
        match parts(text).as_slice() {
            ["ml"] => Ok(Estimate::MaximumLikelihood),
            ["laplace"] => Ok(Estimate::Laplace { l: 1.0 }),
            ["laplace", l] => Ok(Estimate::Laplace { l: ESTIMATE.number(text, l)? }),
            ["dirichlet", alpha] => Ok(Estimate::Dirichlet { alpha: ESTIMATE.number(text, alpha)? }),
            ["m", m] | ["m", m, "uniform"] => Ok(Estimate::MEstimate { m: ESTIMATE.number(text, m)?, p: MEstimateP::Uniform }),
            ["m", m, "empirical"] => Ok(Estimate::MEstimate { m: ESTIMATE.number(text, m)?, p: MEstimateP::Empirical }),
            // Whoever reads this fills in what is given: a table does not fit an option.
            ["m", m, "given"] => Ok(Estimate::MEstimate { m: ESTIMATE.number(text, m)?, p: MEstimateP::Given(BTreeMap::new()) }),
            ["m", ..] => Err(ESTIMATE
                .refuse(text, Some("m takes its number of imaginary rows, and how they are spread, as in m:2 or m:2:empirical".into()))),
            ["dirichlet", ..] => Err(ESTIMATE.refuse(text, Some("dirichlet needs its alpha, as in dirichlet:1".into()))),
            _ => Err(ESTIMATE.refuse(text, None)),
        }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Estimate::MaximumLikelihood => f.write_str("ml"),
            Estimate::Laplace { l } => write!(f, "laplace:{}", Number(*l)),
            Estimate::Dirichlet { alpha } => write!(f, "dirichlet:{}", Number(*alpha)),
            Estimate::MEstimate { m, p: MEstimateP::Uniform } => write!(f, "m:{}", Number(*m)),
            Estimate::MEstimate { m, p: MEstimateP::Empirical } => write!(f, "m:{}:empirical", Number(*m)),
            // The only one that does not read back whole.
            Estimate::MEstimate { m, p: MEstimateP::Given(_) } => write!(f, "m:{}:given", Number(*m)),
        }
    }
}

impl FromStr for ClassPrior {
    type Err = NotAPrior;
    fn from_str(text: &str) -> Result<Self, NotAPrior> {
        if text.contains('=') {
            return given_classes(text);
        }
        match parts(text).as_slice() {
            ["empirical"] => Ok(ClassPrior::Empirical),
            ["uniform"] => Ok(ClassPrior::Uniform),
            ["laplace"] => Ok(ClassPrior::Laplace { l: 1.0 }),
            ["laplace", l] => Ok(ClassPrior::Laplace { l: CLASS_PRIOR.number(text, l)? }),
            ["dirichlet", alpha] => Ok(ClassPrior::Dirichlet { alpha: CLASS_PRIOR.number(text, alpha)? }),
            ["dirichlet", ..] => Err(CLASS_PRIOR.refuse(text, Some("dirichlet needs its alpha, as in dirichlet:1".into()))),
            _ => Err(CLASS_PRIOR.refuse(text, None)),
        }
    }
}

impl fmt::Display for ClassPrior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClassPrior::Empirical => f.write_str("empirical"),
            ClassPrior::Uniform => f.write_str("uniform"),
            ClassPrior::Laplace { l } => write!(f, "laplace:{}", Number(*l)),
            ClassPrior::Dirichlet { alpha } => write!(f, "dirichlet:{}", Number(*alpha)),
            ClassPrior::Given(given) => {
                for (place, (class, p)) in given.iter().enumerate() {
                    write!(f, "{}{class}={}", if place == 0 { "" } else { "," }, Number(*p))?;
                }
                Ok(())
            }
        }
    }
}

impl FromStr for NumericModel {
    type Err = NotAPrior;
    fn from_str(text: &str) -> Result<Self, NotAPrior> {
        match parts(text).as_slice() {
            ["gaussian"] => Ok(NumericModel::default()),
            ["gaussian", smoothing] => Ok(NumericModel::Gaussian { variance_smoothing: NUMERIC.number(text, smoothing)? }),
            ["student"] => Ok(NumericModel::Student),
            _ => Err(NUMERIC.refuse(text, None)),
        }
    }
}

impl fmt::Display for NumericModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NumericModel::Gaussian { variance_smoothing } => write!(f, "gaussian:{}", Number(*variance_smoothing)),
            NumericModel::Student => f.write_str("student"),
        }
    }
}

impl fmt::Display for TextEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TextEvent::Multinomial => "multinomial",
            TextEvent::Bernoulli => "bernoulli",
            TextEvent::Complement => "complement",
            TextEvent::NormalisedComplement => "normalised-complement",
            TextEvent::DirichletCompound => "dirichlet-compound",
        })
    }
}

/// As the flags say it.
impl fmt::Display for WordChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_least = |flag, least: f64| (least > 0.0).then(|| format!("--{flag} {}", Number(least)));
        let dropped = (self.drop_most_frequent > 0).then(|| format!("--drop-frequent {}", self.drop_most_frequent));
        let kept = self.most_informative.map(|n| format!("--keep-words {n}"));
        let flags = [at_least("min-texts", self.least_texts), at_least("min-times", self.least_times), dropped, kept];
        let flags: Vec<String> = flags.into_iter().flatten().collect();
        if flags.is_empty() { f.write_str("all words") } else { f.write_str(&flags.join(" ")) }
    }
}

impl FromStr for EventModel {
    type Err = NotAPrior;
    fn from_str(text: &str) -> Result<Self, NotAPrior> {
        match text.trim() {
            "categorical" => Ok(EventModel::Categorical),
            "bernoulli" => Ok(EventModel::Bernoulli),
            "nearest-centroid" => Ok(EventModel::NearestCentroid),
            _ => Err(EVENT.refuse(text, None)),
        }
    }
}

impl fmt::Display for EventModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EventModel::Categorical => "categorical",
            EventModel::Bernoulli => "bernoulli",
            EventModel::NearestCentroid => "nearest-centroid",
        })
    }
}

/// As many rows as nobody has seen; with more imagined ones sums would be no numbers in the end.
const MOST: f64 = 1e18;

impl Grammar {
    fn refuse(&self, given: &str, because: Option<String>) -> NotAPrior {
        NotAPrior { given: given.into(), what: self.what, because, allowed: self.allowed }
    }

    fn number(&self, given: &str, part: &str) -> Result<f64, NotAPrior> {
        match part.trim().parse::<f64>() {
            // Minus zero passes the comparison, and is plain zero from here on.
            Ok(number) if (0.0..=MOST).contains(&number) => Ok(number.abs()),
            Ok(number) if number > MOST => Err(self.refuse(given, Some(format!("`{part}` is more than {MOST:e}")))),
            _ => Err(self.refuse(given, Some(format!("`{part}` is not a finite number of at least 0")))),
        }
    }
}

/// `Yes=0.3,No=0.7`: names may hold anything but a comma and an equals sign.
fn given_classes(text: &str) -> Result<ClassPrior, NotAPrior> {
    let mut given = BTreeMap::new();
    for entry in text.split(',') {
        let Some((name, p)) = entry.split_once('=') else {
            return Err(CLASS_PRIOR.refuse(text, Some(format!("`{}` has no probability", entry.trim()))));
        };
        let name = name.trim();
        if given.contains_key(name) {
            return Err(CLASS_PRIOR.refuse(text, Some(format!("`{name}` is named twice"))));
        }
        given.insert(name.to_string(), CLASS_PRIOR.number(text, p)?);
    }
    let sum: f64 = given.values().sum();
    if (sum - 1.0).abs() > SUM_TOLERANCE {
        return Err(CLASS_PRIOR.refuse(text, Some(format!("the probabilities sum to {}, not to 1", Number(sum)))));
    }
    // What sums to one but for rounding stays as it was written.
    if (sum - 1.0).abs() > 4.0 * f64::EPSILON {
        given.values_mut().for_each(|p| *p /= sum);
    }
    Ok(ClassPrior::Given(given))
}

fn parts(text: &str) -> Vec<&str> {
    text.trim().split(':').collect()
}

/// A number in the shortest text that reads back to it, without a trailing `.0`.
pub(crate) struct Number(pub(crate) f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:?}", self.0);
        f.write_str(text.strip_suffix(".0").unwrap_or(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads_back<T: FromStr<Err = NotAPrior> + fmt::Display + PartialEq + fmt::Debug>(text: &str, displayed: &str) {
        let prior: T = text.parse().unwrap();
        assert_eq!(prior.to_string(), displayed);
        assert_eq!(displayed.parse::<T>().unwrap(), prior);
    }

    #[test]
    fn what_is_displayed_reads_back() {
        for (text, displayed) in [
            ("ml", "ml"),
            ("laplace", "laplace:1"),
            (" laplace:0.5 ", "laplace:0.5"),
            ("laplace:0", "laplace:0"),
            ("laplace:-0", "laplace:0"),
            ("m:2", "m:2"),
            ("m:2:uniform", "m:2"),
            ("m:1e-3:empirical", "m:0.001:empirical"),
            ("dirichlet:1e-9", "dirichlet:1e-9"),
        ] {
            reads_back::<Estimate>(text, displayed);
        }
        for (text, displayed) in [
            ("empirical", "empirical"),
            ("uniform", "uniform"),
            ("laplace", "laplace:1"),
            ("dirichlet:3", "dirichlet:3"),
            ("Yes=0.25, No=0.75", "No=0.75,Yes=0.25"),
            ("a:b=1", "a:b=1"),
        ] {
            reads_back::<ClassPrior>(text, displayed);
        }
        for (text, displayed) in [("gaussian", "gaussian:1e-9"), ("gaussian:0", "gaussian:0"), ("student", "student")] {
            reads_back::<NumericModel>(text, displayed);
        }
        for text in ["categorical", "bernoulli", "nearest-centroid"] {
            reads_back::<EventModel>(text, text);
        }
    }

    #[test]
    fn the_order_of_classes_makes_no_difference() {
        let prior = |text: &str| text.parse::<ClassPrior>().unwrap();
        assert_eq!(prior("Yes=0.3,No=0.7"), prior("No=0.7,Yes=0.3"));
        assert_eq!(prior("a=0.1,b=0.2,c=0.7000001"), prior("c=0.7000001,b=0.2,a=0.1"));
    }

    #[test]
    fn probabilities_that_nearly_sum_to_one_are_made_to() {
        let ClassPrior::Given(given) = "a=0.3333333,b=0.3333333,c=0.3333333".parse().unwrap() else { panic!("not given") };
        assert!((given.values().sum::<f64>() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_refusal_says_what_was_given_and_what_is_allowed() {
        let refusal = |text: &str| text.parse::<Estimate>().unwrap_err().to_string();
        assert_eq!(
            refusal("lapalce"),
            "`lapalce` is not an estimate; allowed: ml, laplace[:<l>], m:<m>[:uniform|:empirical|:given], dirichlet:<alpha>, with numbers of at least 0"
        );
        assert!(refusal("laplace:-1").starts_with("`laplace:-1` is not an estimate: `-1` is not a finite number of at least 0; allowed: "));
        assert!(refusal("m").contains("as in m:2"));
        for text in ["", "ml:1", "laplace:", "laplace:nan", "laplace:inf", "laplace:1e999", "m:2:taken", "dirichlet", "dirichlet:x", "ML"] {
            assert!(text.parse::<Estimate>().is_err(), "{text}");
        }
        for text in ["Yes=0.3,No=0.6", "Yes=0.3,Yes=0.7", "Yes=0.3,No", "Yes=-0.3,No=1.3", "a=b=1", "flat", "gaussian"] {
            assert!(text.parse::<ClassPrior>().is_err(), "{text}");
        }
        assert!("Yes=0.3,No=0.6".parse::<ClassPrior>().unwrap_err().to_string().contains("sum to 0.8999999999999999, not to 1"));
        for text in ["gaussian:-1", "normal", "student:1"] {
            assert!(text.parse::<NumericModel>().is_err(), "{text}");
        }
        assert!("multinomial".parse::<EventModel>().unwrap_err().to_string().contains("nearest-centroid"));
    }
}
