//! The log-likelihood of complete rows: how well a network foretells data.
//!
//! Rows with gaps are the engines' matter: their probability is that of evidence.

use crate::error::NetError;
use crate::network::Network;
use belief::CompensatedSum;

/// ln P of rows, each by itself and together.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLikelihood {
    /// Of each row, −∞ where it is impossible.
    pub rows: Vec<f64>,
    /// Of all rows, −∞ when one is impossible.
    pub total: f64,
    /// The first row, from 0, that the network holds impossible.
    pub first_impossible: Option<usize>,
}

/// ln P of rows of states, one for every variable of the network in order.
///
/// # Errors
/// When a row leaves out a variable or has a state that is not there.
///
/// ```
/// use tunbridge_net::{Network, log_likelihood};
/// let coin = Network::builder().variable("Coin", ["heads", "tails"]).probabilities([0.25, 0.75]).build()?;
/// let found = log_likelihood(&coin, [&[0][..], &[1], &[1]])?;
/// assert!((found.total - (0.25_f64 * 0.75 * 0.75).ln()).abs() < 1e-15);
/// assert!(log_likelihood(&coin, [&[2][..]]).is_err());
/// # Ok::<(), tunbridge_net::NetError>(())
/// ```
pub fn log_likelihood<'a>(network: &Network, rows: impl IntoIterator<Item = &'a [usize]>) -> Result<LogLikelihood, NetError> {
    let mut found = LogLikelihood { rows: Vec::new(), total: 0.0, first_impossible: None };
    let mut total = CompensatedSum::default();
    for row in rows {
        if row.len() > network.n_variables() {
            return Err(NetError::NoSuchVariable { place: network.n_variables(), n_variables: network.n_variables() });
        }
        for variable in network.domain().variables() {
            let name = || network.name(variable).to_string();
            let &state = row.get(variable.index()).ok_or_else(|| NetError::NoAssignment { variable: name() })?;
            if state >= network.n_states(variable) {
                let known = network.states(variable).to_vec();
                return Err(NetError::UnknownState { variable: name(), state: format!("#{state}"), known });
            }
        }
        let ln = network.ln_joint_probability(row);
        if ln == f64::NEG_INFINITY {
            found.first_impossible.get_or_insert(found.rows.len());
        } else {
            total.add(ln);
        }
        found.rows.push(ln);
    }
    found.total = if found.first_impossible.is_some() { f64::NEG_INFINITY } else { total.value() };
    Ok(found)
}
