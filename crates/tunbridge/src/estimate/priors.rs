//! From a prior's text to the prior of a family.

use belief::conjugate::{
    BetaBernoulli, BetaGeometric, BoundedUniform, Dirichlet, GammaExponential, GammaPoisson, LinearRegression, LogNormalGamma, NormalGamma,
    NormalInverseWishart, NormalKnownVariance, ParetoUniform,
};
use belief::distribution::ImpossibleParameter;
use belief::{LogisticPrior, Matrix};

use super::kind::FamilyKind;
use super::prior_text::{Argument, Term, parse};
use crate::Error;

/// A prior's text, and the family it is for.
pub(super) struct PriorText<'t> {
    pub kind: FamilyKind,
    pub known_sd: Option<f64>,
    pub text: &'t str,
}

/// U[0, θ] has two kinds of prior.
pub(super) enum UniformPrior {
    Bounded(BoundedUniform),
    Pareto(ParetoUniform),
}

const MEAN: &[&str] = &["mean", "mu", "μ", "mean_ln"];
const VARIANCE: &[&str] = &["variance", "sigma2", "σ²", "variance_ln"];
const PROBABILITY: &[&str] = &["p", "theta", "θ", "probability"];
const RATE: &[&str] = &["rate", "lambda", "λ"];
const END: &[&str] = &["theta", "θ"];

impl PriorText<'_> {
    fn refused(&self, why: impl std::fmt::Display) -> Error {
        let (word, known) = (self.kind.word(), self.known_sd.is_some());
        let hint = format!("the family {word} takes {}; as in --prior '{}'", self.kind.priors(known), self.kind.example(known));
        Error::unfit(format!("the prior `{}`: {why}", self.text), hint)
    }

    fn impossible(&self, e: ImpossibleParameter) -> Error {
        self.refused(e)
    }

    /// The terms, each of a parameter that is among these.
    fn terms(&self, parameters: &[&str]) -> Result<Vec<Term>, Error> {
        let terms = parse(self.text).map_err(|why| self.refused(why))?;
        let is_known = |name: &str| name.is_empty() || name.split(',').all(|part| parameters.contains(&part.trim()));
        match terms.iter().find(|term| !is_known(&term.parameter)) {
            Some(term) => Err(self.refused(format!("`{}` is no parameter; `{}` is", term.parameter, parameters[0]))),
            None => Ok(terms),
        }
    }

    /// The only term.
    fn single(&self, parameters: &[&str]) -> Result<Term, Error> {
        let mut terms = self.terms(parameters)?;
        match terms.pop() {
            Some(term) if terms.is_empty() => Ok(term),
            _ => Err(self.refused("it says more than one thing of one parameter")),
        }
    }

    /// So many numbers.
    fn numbers<const N: usize>(&self, term: &Term) -> Result<[f64; N], Error> {
        let numbers: Option<Vec<f64>> =
            term.arguments.iter().map(|argument| if let Argument::Number(x) = argument { Some(*x) } else { None }).collect();
        numbers.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| {
            let n = if N == 1 { "one number".into() } else { format!("{N} numbers") };
            self.refused(format!("`{}` takes {n}", term.distribution))
        })
    }

    fn unknown(&self, term: &Term) -> Error {
        self.refused(format!("`{}` is no prior of this family", term.distribution))
    }

    fn beta(&self) -> Result<[f64; 2], Error> {
        let term = self.single(PROBABILITY)?;
        match term.distribution.as_str() {
            "beta" => self.numbers::<2>(&term),
            "u" | "uniform" if self.numbers::<2>(&term)? == [0.0, 1.0] => Ok([1.0, 1.0]),
            "u" | "uniform" => Err(self.refused("a probability lies between 0 and 1: U(0, 1) is the only uniform prior here")),
            _ => Err(self.unknown(&term)),
        }
    }

    fn gamma(&self) -> Result<[f64; 2], Error> {
        let term = self.single(RATE)?;
        match term.distribution.as_str() {
            "gamma" => self.numbers::<2>(&term),
            "exp" | "exponential" => Ok([1.0, self.numbers::<1>(&term)?[0]]),
            _ => Err(self.unknown(&term)),
        }
    }

    pub fn bernoulli(&self, trials: u32) -> Result<BetaBernoulli, Error> {
        let [alpha, beta] = self.beta()?;
        BetaBernoulli::new(alpha, beta).and_then(|prior| prior.with_trials(trials)).map_err(|e| self.impossible(e))
    }

    pub fn geometric(&self) -> Result<BetaGeometric, Error> {
        let [alpha, beta] = self.beta()?;
        BetaGeometric::new(alpha, beta).map_err(|e| self.impossible(e))
    }

    pub fn poisson(&self) -> Result<GammaPoisson, Error> {
        let [shape, rate] = self.gamma()?;
        GammaPoisson::new(shape, rate).map_err(|e| self.impossible(e))
    }

    pub fn exponential(&self) -> Result<GammaExponential, Error> {
        let [shape, rate] = self.gamma()?;
        GammaExponential::new(shape, rate).map_err(|e| self.impossible(e))
    }

    pub fn uniform(&self) -> Result<UniformPrior, Error> {
        let term = self.single(END)?;
        let [a, b] = self.numbers::<2>(&term)?;
        match term.distribution.as_str() {
            "u" | "uniform" => BoundedUniform::new(a, b).map(UniformPrior::Bounded).map_err(|_| {
                let why = "a uniform prior of theta begins at zero or above, and ends above that";
                self.refused(format!("{why}, and not from {a} to {b}"))
            }),
            "pareto" => ParetoUniform::new(a, b).map(UniformPrior::Pareto).map_err(|e| self.impossible(e)),
            _ => Err(self.unknown(&term)),
        }
    }

    /// The parameters as they are written: one for all states, or one for each.
    fn dirichlet_parameters(&self) -> Result<Vec<f64>, Error> {
        let term = self.single(PROBABILITY)?;
        if term.distribution != "dirichlet" {
            return Err(self.unknown(&term));
        }
        let number = |argument: &Argument| self.number(argument, "parameter of a state");
        let alpha = match term.arguments.as_slice() {
            [Argument::List(alpha)] => alpha.clone(),
            many => many.iter().map(number).collect::<Result<Vec<f64>, Error>>()?,
        };
        match alpha.iter().find(|a| !(**a >= 0.0 && a.is_finite())) {
            Some(wrong) => Err(self.refused(format!("Dirichlet: a parameter is {wrong}, and must be zero or more, and finite"))),
            None if alpha.is_empty() => Err(self.refused("`dirichlet` takes one number or one for each state")),
            None => Ok(alpha),
        }
    }

    pub fn dirichlet(&self, n_states: usize) -> Result<Dirichlet, Error> {
        let alpha = self.dirichlet_parameters()?;
        match alpha.len() {
            1 => Ok(Dirichlet::symmetric(alpha[0], n_states)),
            n if n == n_states => Ok(Dirichlet { alpha }),
            n => Err(self.refused(format!("it has {n} numbers for {n_states} states"))),
        }
    }

    /// That the text is a prior of the family, as far as that is known without the data.
    pub fn check(&self, trials: u32, columns: &[String], inputs: &[String]) -> Result<(), Error> {
        match (self.kind, self.known_sd) {
            (FamilyKind::Bernoulli | FamilyKind::Binomial, _) => self.bernoulli(trials).map(drop),
            (FamilyKind::Categorical, _) => self.dirichlet_parameters().map(drop),
            (FamilyKind::Multinomial, _) => self.dirichlet(columns.len()).map(drop),
            (FamilyKind::Poisson, _) => self.poisson().map(drop),
            (FamilyKind::Exponential, _) => self.exponential().map(drop),
            (FamilyKind::Geometric, _) => self.geometric().map(drop),
            (FamilyKind::Normal, Some(sd)) => self.known_variance(sd).map(drop),
            (FamilyKind::Normal, None) => self.normal().map(drop),
            (FamilyKind::LogNormal, _) => self.log_normal().map(drop),
            (FamilyKind::Uniform, _) => self.uniform().map(drop),
            (FamilyKind::MultivariateNormal, _) => self.multivariate(columns).map(drop),
            (FamilyKind::LinearRegression, _) => self.regression(inputs).map(drop),
            (FamilyKind::Logistic, _) => self.logistic().map(drop),
            (FamilyKind::Density, _) => Ok(()),
        }
    }

    pub fn known_variance(&self, sd: f64) -> Result<NormalKnownVariance, Error> {
        let term = self.single(MEAN)?;
        let [mean, variance] = match term.distribution.as_str() {
            "flat" if term.arguments.is_empty() => [0.0, f64::INFINITY],
            "n" | "normal" => self.numbers::<2>(&term)?,
            _ => return Err(self.unknown(&term)),
        };
        if variance < 0.0 {
            return Err(self.refused(format!("a variance of {variance} is impossible: it is zero or more")));
        }
        NormalKnownVariance::new(mean, variance, sd * sd).map_err(|e| self.impossible(e))
    }

    pub fn normal(&self) -> Result<NormalGamma, Error> {
        let terms = self.terms(&[MEAN, VARIANCE, &["precision"]].concat())?;
        let [mean, kappa, shape, scale] = match terms.as_slice() {
            [only] => match only.distribution.as_str() {
                "flat" | "jeffreys" if only.arguments.is_empty() => [0.0, 0.0, -0.5, 0.0],
                "nig" | "normalinversegamma" | "normalgamma" => self.numbers::<4>(only)?,
                "n" | "normal" => {
                    let why = "it says nothing of the variance; where that is known give --known-sd";
                    return Err(self.refused(why));
                }
                _ => return Err(self.unknown(only)),
            },
            [one, other] => {
                let is_mean =
                    |term: &&Term| matches!(term.distribution.as_str(), "n" | "normal") && MEAN.contains(&term.parameter.as_str());
                let pair = [one, other].into_iter().find(is_mean).zip([one, other].into_iter().find(|term| !is_mean(term)));
                let Some((of_mean, of_variance)) = pair else {
                    return Err(self.refused("one part must be of the mean and the other of the variance"));
                };
                let [Argument::Number(mean), Argument::Shared(name, rows)] = of_mean.arguments.as_slice() else {
                    let why = "the variance of the mean must be a share of the variance, as in N(170, variance/4): only then there is a closed form";
                    return Err(self.refused(why));
                };
                if !VARIANCE.contains(&name.as_str()) {
                    return Err(self.refused(format!("`{name}` is no parameter; `variance` is")));
                }
                let known = match (of_variance.distribution.as_str(), of_variance.parameter.as_str()) {
                    ("inversegamma" | "invgamma" | "ig", name) if VARIANCE.contains(&name) => true,
                    ("gamma", "precision") => true,
                    _ => false,
                };
                if !known {
                    return Err(self.refused("the variance has an InverseGamma prior, or the precision a Gamma"));
                }
                let [shape, scale] = self.numbers::<2>(of_variance)?;
                [*mean, *rows, shape, scale]
            }
            _ => return Err(self.refused("it says more than two things of two parameters")),
        };
        NormalGamma::new(mean, kappa, shape, scale).map_err(|e| self.impossible(e))
    }

    pub fn log_normal(&self) -> Result<LogNormalGamma, Error> {
        Ok(LogNormalGamma { of_ln: self.normal()? })
    }

    /// One number for each of n, or the same for all.
    fn list(&self, argument: &Argument, n: usize, what: &str) -> Result<Vec<f64>, Error> {
        match argument {
            Argument::Number(x) => Ok(vec![*x; n]),
            Argument::List(list) if list.len() == n => Ok(list.clone()),
            Argument::List(list) => Err(self.refused(format!("the {what} has {} numbers, and {n} are needed", list.len()))),
            Argument::Shared(name, _) => Err(self.refused(format!("a number is expected where `{name}` stands"))),
        }
    }

    fn number(&self, argument: &Argument, what: &str) -> Result<f64, Error> {
        match argument {
            Argument::Number(x) => Ok(*x),
            _ => Err(self.refused(format!("the {what} is one number"))),
        }
    }

    pub fn multivariate(&self, names: &[String]) -> Result<NormalInverseWishart, Error> {
        let term = self.single(&["mean", "covariance"])?;
        let d = names.len();
        let (centre, kappa, degrees, scale) = match (term.distribution.as_str(), term.arguments.as_slice()) {
            ("flat" | "jeffreys", []) => (vec![0.0; d], 0.0, -1.0, Matrix::zero(d)),
            ("niw" | "normalinversewishart", [centre, rows, degrees, scale]) => {
                let centre = self.list(centre, d, "centre")?;
                let scale = match scale {
                    Argument::List(cells) if cells.len() == d * d && d > 1 => Matrix::from_fn(d, |i, j| cells[i * d + j]),
                    diagonal => Matrix::diagonal(&self.list(diagonal, d, "scale")?),
                };
                (centre, self.number(rows, "number of rows")?, self.number(degrees, "number of degrees of freedom")?, scale)
            }
            ("niw" | "normalinversewishart", _) => return Err(self.refused("`niw` takes four arguments")),
            _ => return Err(self.unknown(&term)),
        };
        if (0..d).any(|i| (0..i).any(|j| scale.get(i, j) != scale.get(j, i))) {
            return Err(self.refused("the scale is not symmetric"));
        }
        NormalInverseWishart::new(centre, kappa, scale, degrees, names.to_vec()).map_err(|e| self.impossible(e))
    }

    pub fn regression(&self, inputs: &[String]) -> Result<LinearRegression, Error> {
        let term = self.single(&["coefficients", "variance"])?;
        let p = inputs.len() + 1;
        let (centre, precision, shape, scale) = match (term.distribution.as_str(), term.arguments.as_slice()) {
            ("flat" | "jeffreys", []) => (vec![0.0; p], Matrix::zero(p), -0.5 * p as f64, 0.0),
            ("nig" | "normalinversegamma", [centre, precision, shape, scale]) => {
                let centre = self.list(centre, p, "centre")?;
                let precision = Matrix::diagonal(&self.list(precision, p, "precision")?);
                (centre, precision, self.number(shape, "shape")?, self.number(scale, "scale")?)
            }
            ("nig" | "normalinversegamma", _) => return Err(self.refused("`nig` takes four arguments")),
            _ => return Err(self.unknown(&term)),
        };
        LinearRegression::new(centre, precision, shape, scale, inputs.to_vec()).map_err(|e| self.impossible(e))
    }

    pub fn logistic(&self) -> Result<LogisticPrior, Error> {
        let term = self.single(&["coefficients", "coefficient"])?;
        if !matches!(term.distribution.as_str(), "n" | "normal") {
            return Err(self.unknown(&term));
        }
        let [mean, variance] = self.numbers::<2>(&term)?;
        LogisticPrior::new(mean, variance).map_err(|e| self.impossible(e))
    }
}
