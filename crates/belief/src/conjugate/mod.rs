//! Conjugate families: `<prior>_<likelihood>`, one file each.

mod dirichlet_categorical;
mod normal_gamma;

pub use dirichlet_categorical::{Dirichlet, dirichlet_ln_marginal};
pub use crate::distribution::StudentT;
pub use normal_gamma::NormalGamma;
