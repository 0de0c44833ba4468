//! Rows with gaps for climbs, and the climbs themselves.

use std::convert::Infallible;
use std::sync::Arc;

use belief::{Climb, SufficientStatistic};
use tunbridge_net::Network;
use tunbridge_net::parameters::em::{Em, EmOptions, Fitted};
use tunbridge_net::parameters::gradient_ascent::{GradientAscent, StepLength};
use tunbridge_net::parameters::softmax_lbfgs::SoftmaxLbfgs;
use tunbridge_net::parameters::{Families, IncompleteRows, ParameterPrior, Parameters, Wiring};

use crate::rows::with_chunk;

pub fn families(network: &Network) -> Arc<Families> {
    Arc::new(Families::of(network.structure(), network.domain()).unwrap())
}

/// The statistic of rows, in chunks of so many.
pub fn in_chunks(families: &Arc<Families>, rows: &[Vec<Option<usize>>], n_rows: usize) -> IncompleteRows {
    let wiring = Arc::new(Wiring::new(Arc::clone(families), 1 << 20));
    let mut all = IncompleteRows::empty(wiring, usize::MAX);
    for (nth, rows) in rows.chunks(n_rows).enumerate() {
        with_chunk(families, rows, (nth * n_rows) as u64, None, |chunk| all.observe(chunk)).unwrap();
    }
    all
}

pub fn incomplete(families: &Arc<Families>, rows: &[Vec<Option<usize>>]) -> IncompleteRows {
    in_chunks(families, rows, rows.len().max(1))
}

/// Until nothing rises or changes by what rounding leaves.
pub fn to_the_top() -> Climb {
    Climb { most_steps: 50_000, least_rise: 1e-15, least_change: 1e-11 }
}

pub fn em(found: &IncompleteRows, prior: &ParameterPrior, climb: Climb, start: &Parameters) -> Fitted {
    let options = EmOptions { climb, accelerate: false };
    let em = Em { observed: found.observed(), prior, options };
    em.run(start.clone(), |p| Ok::<_, Infallible>(found.expected_here(p))).unwrap()
}

pub fn gradient(found: &IncompleteRows, prior: &ParameterPrior, climb: Climb, step: StepLength, start: &Parameters) -> Fitted {
    let ascent = GradientAscent { observed: found.observed(), prior, climb, step };
    ascent.run(start.clone(), |p| Ok::<_, Infallible>(found.expected_here(p))).unwrap()
}

pub fn lbfgs(found: &IncompleteRows, prior: &ParameterPrior, climb: Climb, start: &Parameters) -> Fitted {
    let lbfgs = SoftmaxLbfgs { observed: found.observed(), prior, climb };
    lbfgs.run(start.clone(), |p| Ok::<_, Infallible>(found.expected_here(p))).unwrap()
}

pub fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
}
