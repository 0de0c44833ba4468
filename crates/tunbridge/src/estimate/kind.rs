//! The families by their names, what each is for, and what is believed where nothing is said.

use data::closest;

use crate::Error;

/// A likelihood, by the name that `--family` has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyKind {
    /// Yes or no.
    Bernoulli,
    /// Successes in a known number of trials.
    Binomial,
    /// One of several states.
    Categorical,
    /// How often each of several states was met, a column each.
    Multinomial,
    /// Events in a row.
    Poisson,
    /// Waiting times.
    Exponential,
    /// Failures before a success.
    Geometric,
    /// Numbers about a mean; the variance is known or not.
    Normal,
    /// Several columns of numbers.
    MultivariateNormal,
    /// Numbers from zero to an unknown end.
    Uniform,
    /// Positive numbers whose logarithm is Normal.
    LogNormal,
    /// A number by others.
    LinearRegression,
    /// A class by numbers.
    Logistic,
    /// A density that the user writes; it has no name on the command line.
    Density,
}

impl FamilyKind {
    /// Every family that has a name.
    pub const ALL: [Self; 13] = [
        Self::Bernoulli,
        Self::Binomial,
        Self::Categorical,
        Self::Multinomial,
        Self::Poisson,
        Self::Exponential,
        Self::Geometric,
        Self::Normal,
        Self::MultivariateNormal,
        Self::Uniform,
        Self::LogNormal,
        Self::LinearRegression,
        Self::Logistic,
    ];

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bernoulli => "bernoulli",
            Self::Binomial => "binomial",
            Self::Categorical => "categorical",
            Self::Multinomial => "multinomial",
            Self::Poisson => "poisson",
            Self::Exponential => "exponential",
            Self::Geometric => "geometric",
            Self::Normal => "normal",
            Self::MultivariateNormal => "multivariate-normal",
            Self::Uniform => "uniform",
            Self::LogNormal => "log-normal",
            Self::LinearRegression => "linear-regression",
            Self::Logistic => "logistic",
            Self::Density => "density",
        }
    }

    /// A prior as it may be written; `known_sd` is whether the standard deviation of a Normal is known.
    pub fn example(self, known_sd: bool) -> &'static str {
        match self {
            Self::Bernoulli | Self::Binomial | Self::Geometric => "p ~ Beta(1, 1)",
            Self::Categorical | Self::Multinomial => "p ~ Dirichlet(1)",
            Self::Poisson | Self::Exponential => "rate ~ Gamma(2, 1)",
            Self::Normal if known_sd => "mean ~ N(170, 10²)",
            Self::Normal => "mean ~ N(170, variance/4), variance ~ InverseGamma(3, 100)",
            Self::LogNormal => "mean_ln ~ N(0, variance_ln/4), variance_ln ~ InverseGamma(3, 1)",
            Self::Uniform => "theta ~ U(0, 10)",
            Self::MultivariateNormal => "NIW([170, 70], 1, 4, [100, 50])",
            Self::LinearRegression => "NIG(0, 0.01, 2, 1)",
            Self::Logistic => "coefficients ~ N(0, 10²)",
            Self::Density => "theta ~ U(0, 10)",
        }
    }

    /// Which priors there are, in words.
    pub fn priors(self, known_sd: bool) -> &'static str {
        match self {
            Self::Bernoulli | Self::Binomial | Self::Geometric => "`p ~ Beta(a, b)` or `p ~ U(0, 1)`",
            Self::Categorical | Self::Multinomial => "`p ~ Dirichlet(a)`, the same for every state, or `p ~ Dirichlet(a1, a2, …)`",
            Self::Poisson | Self::Exponential => "`rate ~ Gamma(shape, rate)` or `rate ~ Exp(rate)`",
            Self::Normal if known_sd => "`mean ~ N(mean, variance)` or `mean ~ flat`",
            Self::Normal => {
                "`mean ~ N(mean, variance/rows), variance ~ InverseGamma(shape, scale)`, in short `NIG(mean, rows, shape, scale)`, or `flat`"
            }
            Self::LogNormal => {
                "`mean_ln ~ N(mean, variance_ln/rows), variance_ln ~ InverseGamma(shape, scale)`, in short `NIG(mean, rows, shape, scale)`, or `flat`"
            }
            Self::Uniform => "`theta ~ U(low, high)` or `theta ~ Pareto(scale, shape)`",
            Self::MultivariateNormal => {
                "`NIW(centre, rows, degrees, scale)` with lists such as [170, 70] for the centre and for the scale its diagonal or all cells, or `flat`"
            }
            Self::LinearRegression => {
                "`NIG(centre, precision, shape, scale)` with one number or a list such as [0, 0] for the coefficients, the intercept first, or `flat`"
            }
            Self::Logistic => "`coefficients ~ N(mean, variance)`",
            Self::Density => "`name ~ U(low, high)`, `name ~ N(mean, variance)` and others, or `name ~ expression in (low, high)`",
        }
    }

    /// What is believed where nothing is said: a uniform belief about probabilities, and elsewhere the reference prior, which the
    /// units of the data do not matter to and which is improper.
    pub fn default_prior(self) -> &'static str {
        match self {
            Self::Bernoulli | Self::Binomial | Self::Geometric => "p ~ Beta(1, 1)",
            Self::Categorical | Self::Multinomial => "p ~ Dirichlet(1)",
            Self::Poisson => "rate ~ Gamma(0.5, 0)",
            Self::Exponential => "rate ~ Gamma(0, 0)",
            Self::Uniform => "theta ~ Pareto(0, 0)",
            Self::Normal | Self::LogNormal | Self::MultivariateNormal | Self::LinearRegression => "flat",
            Self::Logistic => "coefficients ~ N(0, 10²)",
            Self::Density => "",
        }
    }

    /// Whether the values are states rather than numbers.
    pub(super) fn of_states(self) -> bool {
        matches!(self, Self::Bernoulli | Self::Categorical | Self::Logistic)
    }
}

impl std::str::FromStr for FamilyKind {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Error> {
        let meant = word.to_ascii_lowercase().replace(['_', ' '], "-");
        let meant = match meant.as_str() {
            "gaussian" | "normal-known-sd" => "normal",
            "lognormal" => "log-normal",
            "regression" | "linear" => "linear-regression",
            "softmax" | "logistic-regression" => "logistic",
            "uniform-bounded" => "uniform",
            "mvn" => "multivariate-normal",
            other => other,
        };
        Self::ALL.into_iter().find(|kind| kind.word() == meant).ok_or_else(|| {
            let words = Self::ALL.map(Self::word);
            let near = closest(word, words);
            let hint = near.map_or_else(|| format!("there are {}", words.join(", ")), |near| format!("did you mean `{near}`?"));
            Error::unfit(format!("there is no family `{word}`"), hint)
        })
    }
}
