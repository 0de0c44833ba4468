//! Enumeration: the answer by its definition, a sum over all configurations of all variables.
//!
//! Exponential in the number of variables: the obvious twin that every other engine is tested against, and an honest engine for tiny
//! networks.

use crate::error::NetError;
use crate::evidence::{Answer, Evidence, JointDistribution};
use crate::network::Network;
use belief::{CompensatedSum, VarId};

/// More configurations than this are refused.
const MAX_WORLDS: usize = 1 << 26;

/// P(query | evidence), summed over all configurations.
///
/// # Complexity
/// Time: the product of the numbers of states of all variables. Space: that of the answer.
///
/// # Errors
/// When the question names a variable twice or one that is not there, or there are more than 2²⁶ configurations.
///
/// ```
/// use tunbridge_net::{Evidence, Network, enumeration::enumerate};
/// let network = Network::builder()
///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
///     .build()?;
/// let seen = Evidence::of_states(&network, &[("Test", "+")])?;
/// let posterior = enumerate(&network, &[network.find("Cancer")?], &seen)?.possible().unwrap();
/// assert!((posterior.probabilities[0] - 0.00784 / 0.0376).abs() < 1e-15);
/// # Ok::<(), tunbridge_net::NetError>(())
/// ```
pub fn enumerate(network: &Network, query: &[VarId], evidence: &Evidence) -> Result<Answer<JointDistribution>, NetError> {
    network.domain().check_different(query)?;
    evidence.check(network.domain())?;
    let shape: Vec<usize> = network.dag().variables().map(|variable| network.n_states(variable)).collect();
    let n_worlds =
        shape.iter().try_fold(1_usize, |n_worlds, &n_states| n_worlds.checked_mul(n_states)).filter(|&n_worlds| n_worlds <= MAX_WORLDS);
    let Some(n_worlds) = n_worlds else {
        let entries = shape.iter().map(|&n_states| n_states as f64).product();
        return Err(NetError::TooLarge { variables: network.structure().names().to_vec(), entries, limit: MAX_WORLDS });
    };
    let n_answers = query.iter().map(|variable| shape[variable.index()]).product();
    let mut sums = vec![CompensatedSum::default(); n_answers];
    let mut world = vec![0; shape.len()];
    for _ in 0..n_worlds {
        let likelihood: f64 = evidence.variables().filter_map(|v| Some(evidence.likelihood(v)?[world[v.index()]])).product();
        let place = query.iter().fold(0, |place, variable| place * shape[variable.index()] + world[variable.index()]);
        sums[place].add(network.joint_probability(&world) * likelihood);
        for (state, &n_states) in world.iter_mut().zip(&shape).rev() {
            *state += 1;
            if *state < n_states {
                break;
            }
            *state = 0;
        }
    }
    let mut total = CompensatedSum::default();
    sums.iter().for_each(|sum| total.merge(sum));
    let total = total.value();
    if total == 0.0 {
        return Ok(Answer::Impossible);
    }
    let probabilities = sums.iter().map(|sum| sum.value() / total).collect();
    Ok(Answer::Possible {
        answer: JointDistribution { variables: query.to_vec(), probabilities },
        ln_p_evidence: total.ln() + evidence.ln_scale(),
    })
}
