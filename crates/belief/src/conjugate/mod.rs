//! Conjugate families: `<prior>_<likelihood>`, one file each.
//!
//! Each is a [`Family`]: prior and posterior are of one type, and the data are read through an additive statistic alone.

mod beta_bernoulli;
mod beta_binomial;
mod beta_geometric;
mod bounded_uniform;
mod dirichlet_categorical;
mod family;
mod gamma_exponential;
mod gamma_poisson;
mod normal_gamma;
mod normal_gamma_log_normal;
mod normal_inverse_gamma_regression;
mod normal_inverse_wishart;
mod normal_known_variance;
mod pareto_uniform;

pub use crate::distribution::StudentT;
pub use beta_bernoulli::BetaBernoulli;
pub use beta_binomial::BetaBinomialRows;
pub use beta_geometric::BetaGeometric;
pub use bounded_uniform::BoundedUniform;
pub use dirichlet_categorical::{Dirichlet, StateCounts, dirichlet_ln_marginal};
pub use family::{Family, OutsideSupport};
pub use gamma_exponential::GammaExponential;
pub use gamma_poisson::GammaPoisson;
pub use normal_gamma::NormalGamma;
pub use normal_gamma_log_normal::LogNormalGamma;
pub use normal_inverse_gamma_regression::LinearRegression;
pub use normal_inverse_wishart::NormalInverseWishart;
pub use normal_known_variance::NormalKnownVariance;
pub use pareto_uniform::ParetoUniform;
