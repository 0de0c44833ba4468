//! Bayesian estimation for a density that a user writes: any expression in the data and some parameters, any priors.
//!
//! ```
//! use tunbridge_belief::density_model::{Data, DensityModel, QuadratureOptions};
//! // x is uniform between 0 and θ, and θ lies somewhere between 0 and 10.
//! let model = DensityModel::builder("if(x <= θ, 1/θ, 0)").range("x", 0.0, f64::INFINITY).prior("θ ~ U(0, 10)").build()?;
//! let posterior = model.posterior(&Data::new([3.1, 5.2, 4.4]), &QuadratureOptions::default())?;
//! let θ = &posterior.parameters[0];
//! assert!((θ.density.quantile(0.0) - 5.2).abs() < 1e-9);
//! # Ok::<(), tunbridge_belief::density_model::DensityError>(())
//! ```
//!
//! One to three parameters are integrated by adaptive quadrature with a bound on the error ([`DensityModel::posterior`]); more, or
//! any number on request, are sampled by Markov chains ([`DensityModel::sample`]). The files: [`Prior`] reads priors, `target` has the
//! posterior up to its constant, `peaks` finds where it is high, `by_quadrature` integrates it, `by_mcmc` samples it, `predictive`
//! tells what to expect next, `normalised` checks that densities integrate to one.

mod by_mcmc;
mod by_quadrature;
mod ends;
mod error;
mod maxima;
mod normalised;
mod peaks;
mod predictive;
mod prior;
mod target;
#[cfg(test)]
mod tests;

pub use by_mcmc::{Chain, Chains, SampledParameter, SampledPosterior, Sampler};
pub use by_quadrature::{IntegratedParameter, IntegratedPosterior, MOST_PARAMETERS, QuadratureOptions};
pub use error::DensityError;
pub use normalised::DensityCheck;
pub use predictive::{MassAt, Predictive, PredictiveSummary};
pub use prior::{Prior, PriorKind, parse_range};

use crate::Support;
use crate::expression::{Expression, constant, is_name};

/// A density of one response, given parameters and perhaps covariates, and priors of the parameters.
#[derive(Clone, Debug)]
pub struct DensityModel {
    density: Expression,
    response: String,
    support: Support,
    discrete: bool,
    covariates: Vec<String>,
    priors: Vec<Prior>,
    /// For each prior, ln of what it integrates to over the range it is cut to.
    ln_cut: Vec<f64>,
}

/// Says what a [`DensityModel`] is made of.
///
/// | part | default | meaning |
/// |---|---|---|
/// | density | none | an expression in the response, the covariates and the parameters |
/// | `response` | `x` | the name of what is observed |
/// | `range` | the whole line | where the response lies; the density must integrate to one over it |
/// | `whole_numbers` | no | the response is a whole number: the density is a mass function, and sums take the place of integrals |
/// | `covariate` | none | a further column, known and not modelled |
/// | `prior` | none | one for each parameter, as a text: see [`Prior`] |
#[derive(Clone, Debug)]
pub struct DensityModelBuilder {
    density: String,
    response: String,
    range: (f64, f64),
    discrete: bool,
    covariates: Vec<String>,
    priors: Vec<String>,
}

impl DensityModelBuilder {
    /// The name of what is observed.
    pub fn response(mut self, name: &str) -> Self {
        self.response = name.to_owned();
        self
    }

    /// The name of what is observed, and where it lies.
    pub fn range(mut self, name: &str, low: f64, high: f64) -> Self {
        (self.response, self.range) = (name.to_owned(), (low, high));
        self
    }

    /// The response is a whole number.
    pub fn whole_numbers(mut self) -> Self {
        self.discrete = true;
        self
    }

    /// A column that is known and not modelled.
    pub fn covariate(mut self, name: &str) -> Self {
        self.covariates.push(name.to_owned());
        self
    }

    /// What is believed of one parameter.
    pub fn prior(mut self, text: &str) -> Self {
        self.priors.push(text.to_owned());
        self
    }

    /// Reads the expressions and checks them, and that the priors integrate to one.
    ///
    /// # Errors
    /// Faults of the texts with their place; names without a prior; priors that do not integrate to one or are for nothing.
    pub fn build(self) -> Result<DensityModel, DensityError> {
        let density = Expression::parse(&self.density).map_err(DensityError::Density)?;
        let priors: Vec<Prior> =
            self.priors.iter().map(|text| Prior::parse(text).map_err(DensityError::Prior)).collect::<Result<_, _>>()?;
        let (low, high) = self.range;
        let support = Support::new(low, high)
            .or_else(|| (self.discrete && low == high).then(|| Support::new(low, low + 0.5)).flatten())
            .ok_or_else(|| DensityError::Option(format!("the range of `{}` is empty: {low} to {high}", self.response)))?;
        let mut model = DensityModel {
            density,
            response: self.response,
            support,
            discrete: self.discrete,
            covariates: self.covariates,
            priors,
            ln_cut: Vec::new(),
        };
        model.check_names()?;
        model.ln_cut = model.check_priors()?;
        Ok(model)
    }
}

impl DensityModel {
    /// Begins a model with its density.
    pub fn builder(density: &str) -> DensityModelBuilder {
        DensityModelBuilder {
            density: density.to_owned(),
            response: "x".into(),
            range: (f64::NEG_INFINITY, f64::INFINITY),
            discrete: false,
            covariates: Vec::new(),
            priors: Vec::new(),
        }
    }

    /// The density.
    pub fn density(&self) -> &Expression {
        &self.density
    }

    /// The priors, one for each parameter, in the order given.
    pub fn priors(&self) -> &[Prior] {
        &self.priors
    }

    /// The name of what is observed.
    pub fn response(&self) -> &str {
        &self.response
    }

    /// The names of columns that are known and not modelled.
    pub fn covariates(&self) -> &[String] {
        &self.covariates
    }

    /// Whether every prior integrates to one, so that the marginal likelihood has a meaning beyond comparison at the same prior.
    pub fn has_proper_priors(&self) -> bool {
        self.priors.iter().all(|prior| prior.kind() != PriorKind::UpToAConstant)
    }

    /// ln of the prior density of one parameter at a value, for drawing it; `None` if it depends on other parameters or is not a
    /// number there.
    pub fn ln_prior(&self, parameter: usize, value: f64) -> Option<f64> {
        let prior = self.priors.get(parameter)?;
        if self.priors.iter().any(|other| other.name() != prior.name() && prior.density().mentions(other.name())) {
            return None;
        }
        if !prior.support().contains(value) {
            return Some(f64::NEG_INFINITY);
        }
        let program = prior.density().ln_program(&[prior.name()], &[false], &[range(prior.support())]).ok()?;
        let ln_p = normalised::run_one(&program, &[value], &mut crate::expression::Registers::default());
        Some(ln_p - self.ln_cut[parameter]).filter(|ln_p| !ln_p.is_nan())
    }

    /// ln P(data | parameters); `None` where it is not a number, or the data do not fit the model.
    pub fn ln_likelihood(&self, data: &Data, parameters: &[f64]) -> Option<f64> {
        data.check(self).ok()?;
        if parameters.len() != self.priors.len() {
            return None;
        }
        Some(target::Target::new(self, data).ok()?.ln_likelihood(parameters)).filter(|ln_p| !ln_p.is_nan())
    }

    /// All names: the response, the covariates, the parameters.
    fn names(&self) -> Vec<&str> {
        let data = std::iter::once(self.response.as_str()).chain(self.covariates.iter().map(String::as_str));
        data.chain(self.priors.iter().map(Prior::name)).collect()
    }

    /// For each name, where it lies.
    fn ranges(&self) -> Vec<(f64, f64)> {
        let data = std::iter::once(range(self.support)).chain(self.covariates.iter().map(|_| (f64::NEG_INFINITY, f64::INFINITY)));
        data.chain(self.priors.iter().map(|prior| range(prior.support()))).collect()
    }

    fn check_names(&self) -> Result<(), DensityError> {
        let names = self.names();
        if let Some(bad) = names.iter().find(|name| !is_name(name)) {
            return Err(DensityError::BadName((*bad).to_owned()));
        }
        let n_data = 1 + self.covariates.len();
        for (at, prior) in self.priors.iter().enumerate() {
            let name = prior.name().to_owned();
            if names[..n_data].contains(&prior.name()) {
                return Err(DensityError::PriorForData(name));
            }
            if self.priors[..at].iter().any(|other| other.name() == prior.name()) {
                return Err(DensityError::TwoPriors(name));
            }
        }
        if self.priors.is_empty() {
            return Err(DensityError::NoParameters);
        }
        let all = self.priors.iter().map(Prior::density).chain([&self.density]);
        let mut missing: Vec<String> = Vec::new();
        for name in all.flat_map(|expression| expression.variables()) {
            if !names.contains(&name) && !missing.iter().any(|known| known == name) {
                missing.push(name.to_owned());
            }
        }
        // A name spelled almost as a known one is more likely that one than a parameter without a prior.
        let misspelt = |name: &String| crate::expression::closest(name, names.iter().copied()).is_some();
        if missing.iter().any(misspelt) {
            self.density.check_names(&names).map_err(DensityError::Density)?;
            self.priors.iter().try_for_each(|prior| prior.density().check_names(&names).map_err(DensityError::Prior))?;
        }
        if !missing.is_empty() {
            return Err(DensityError::NoPrior { names: missing });
        }
        for prior in &self.priors {
            let others = self.priors.iter().filter(|other| other.name() != prior.name()).map(Prior::density);
            if !others.chain([&self.density]).any(|expression| expression.mentions(prior.name())) {
                let known = self.density.variables().map(str::to_owned).collect();
                return Err(DensityError::UnusedPrior { name: prior.name().to_owned(), known });
            }
            if let Some(column) = names[..n_data].iter().find(|name| prior.density().mentions(name) && constant(name).is_none()) {
                return Err(DensityError::Option(format!(
                    "the prior of `{}` depends on the data's `{column}`; a prior may not",
                    prior.name()
                )));
            }
        }
        self.check_order()
    }

    /// That no prior depends on itself by way of others.
    fn check_order(&self) -> Result<(), DensityError> {
        let mut open: Vec<&Prior> = self.priors.iter().collect();
        loop {
            let depends = |prior: &Prior| open.iter().any(|other| other.name() != prior.name() && prior.density().mentions(other.name()));
            let rest: Vec<&Prior> = open.iter().copied().filter(|prior| depends(prior)).collect();
            match rest.len() {
                0 => return Ok(()),
                n if n == open.len() => return Err(DensityError::Circle(rest.iter().map(|prior| prior.name().to_owned()).collect())),
                _ => open = rest,
            }
        }
    }
}

fn range(support: Support) -> (f64, f64) {
    (support.low(), support.high())
}

/// What was observed: the response of each row, and its covariates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    response: Vec<f64>,
    covariates: Vec<Vec<f64>>,
}

impl Data {
    /// Rows of a response alone.
    pub fn new(response: impl Into<Vec<f64>>) -> Self {
        Self { response: response.into(), covariates: Vec::new() }
    }

    /// With a column for the next covariate of the model.
    pub fn with_covariate(mut self, column: impl Into<Vec<f64>>) -> Self {
        self.covariates.push(column.into());
        self
    }

    /// How many rows.
    pub fn n_rows(&self) -> usize {
        self.response.len()
    }

    fn columns(&self) -> Vec<&[f64]> {
        std::iter::once(self.response.as_slice()).chain(self.covariates.iter().map(Vec::as_slice)).collect()
    }

    /// That they fit the model: columns, numbers, and the range of the response.
    fn check(&self, model: &DensityModel) -> Result<(), DensityError> {
        let shape = |what, found, expected| if found == expected { Ok(()) } else { Err(DensityError::Shape { what, found, expected }) };
        shape("covariates", self.covariates.len(), model.covariates.len())?;
        self.covariates.iter().try_for_each(|column| shape("values of a covariate", column.len(), self.n_rows()))?;
        for (name, column) in model.names().iter().zip(self.columns()) {
            if let Some(row) = column.iter().position(|value| !value.is_finite()) {
                return Err(DensityError::NotFinite { row: row + 1, name: (*name).to_owned() });
            }
        }
        let fits = |value: f64| model.support.contains(value) && (!model.discrete || value.fract() == 0.0);
        match self.response.iter().position(|value| !fits(*value)) {
            None => Ok(()),
            Some(row) => Err(DensityError::OutsideSupport {
                row: row + 1,
                name: model.response.clone(),
                value: self.response[row],
                low: model.support.low(),
                high: model.support.high(),
                discrete: model.discrete,
            }),
        }
    }
}
