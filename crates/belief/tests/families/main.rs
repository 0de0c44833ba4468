//! Every conjugate family under one battery of laws, and the worked examples of the lecture.

mod calibration;
mod laws;
mod lecture;
mod limits;

use tunbridge_belief::Matrix;
use tunbridge_belief::conjugate::{
    BetaBernoulli, BetaBinomialRows, BetaGeometric, BoundedUniform, Dirichlet, Family, GammaExponential, GammaPoisson, LinearRegression,
    LogNormalGamma, NormalGamma, NormalInverseWishart, NormalKnownVariance, ParetoUniform,
};

/// What is done to each family.
pub trait ToEach {
    /// With a proper prior of it.
    fn to<F: Family>(&mut self, prior: F);
}

/// A proper prior of every family, narrow enough that data drawn from it are ordinary numbers.
pub fn each_family(to: &mut impl ToEach) {
    let normal_gamma = NormalGamma::new(1.0, 2.0, 3.5, 4.0).unwrap();
    to.to(BetaBernoulli::new(1.5, 2.5).unwrap());
    to.to(BetaBernoulli::new(1.5, 2.5).unwrap().with_trials(7).unwrap());
    to.to(BetaBinomialRows::new(BetaBernoulli::new(1.5, 2.5).unwrap()));
    to.to(Dirichlet { alpha: vec![1.0, 2.5, 0.8] });
    to.to(GammaPoisson::new(2.5, 0.5).unwrap());
    to.to(GammaExponential::new(3.5, 2.0).unwrap());
    to.to(BetaGeometric::new(3.0, 2.0).unwrap());
    to.to(NormalKnownVariance::new(1.0, 4.0, 2.25).unwrap());
    to.to(normal_gamma);
    to.to(LogNormalGamma { of_ln: NormalGamma::new(0.2, 2.0, 5.0, 1.0).unwrap() });
    to.to(ParetoUniform::new(2.0, 3.0).unwrap());
    to.to(BoundedUniform::new(0.0, 10.0).unwrap());
    to.to(BoundedUniform::new(2.0, 10.0).unwrap());
    let scale = Matrix::from_fn(2, |i, j| [[4.0, 1.0], [1.0, 3.0]][i][j]);
    to.to(NormalInverseWishart::new(vec![1.0, -1.0], 2.0, scale, 6.0, vec!["a".into(), "b".into()]).unwrap());
    let precision = Matrix::from_fn(3, |i, j| [[1.0, 0.2, 0.0], [0.2, 2.0, 0.1], [0.0, 0.1, 1.5]][i][j]);
    to.to(LinearRegression::new(vec![0.5, -1.0, 2.0], precision, 4.0, 3.0, vec!["u".into(), "v".into()]).unwrap());
}
