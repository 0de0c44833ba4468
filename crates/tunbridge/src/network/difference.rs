//! How far one network is from another over the same variables, and where they differ.

use net::ask::AskError;
use net::{Divergence, NetError, Network, VarId, kl_divergence};

use crate::Error;

/// Tables that divergences need may have so many entries.
const MAX_ENTRIES: usize = 1 << 27;

/// What is different between two networks.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// D(before‖after) in nats; `None` where it is infinite.
    pub before_after: Option<f64>,
    /// D(after‖before) in nats; `None` where it is infinite.
    pub after_before: Option<f64>,
    /// Arcs of the first that the second does not have.
    pub arcs_gone: Vec<(String, String)>,
    /// Arcs of the second that the first does not have.
    pub arcs_new: Vec<(String, String)>,
    /// Of the variables with the same parents, those whose tables differ, the farthest first.
    pub tables: Vec<TableDifference>,
}

/// The entry of a table that differs most.
#[derive(Clone, Debug, PartialEq)]
pub struct TableDifference {
    /// The variable.
    pub variable: String,
    /// The entry, as in `P(A=a | B=b)`.
    pub entry: String,
    /// Its probability in the first network.
    pub before: f64,
    /// And in the second.
    pub after: f64,
}

/// Compares two networks; variables and states are matched by name.
///
/// # Errors
/// When they are not over the same variables and states, or a table would be too large.
pub fn difference(before: &Network, after: &Network) -> Result<Difference, Error> {
    let nats = |p: &Network, q: &Network| match kl_divergence(p, q, MAX_ENTRIES) {
        // Rounding may leave a little less than nothing.
        Ok(Divergence::Finite { nats }) => Ok(Some(nats.max(0.0))),
        Ok(Divergence::Infinite { .. }) => Ok(None),
        Err(e @ NetError::TooLarge { .. }) => Err(Error::from(AskError::from(e))),
        Err(e) => Err(Error::unfit(e.to_string(), "networks over the same variables and states are compared")),
    };
    let (before_after, after_before) = (nats(before, after)?, nats(after, before)?);
    let arcs = |of: &Network, other: &Network| {
        let is_there =
            |from: &str, to: &str| matches!((other.find(from), other.find(to)), (Ok(from), Ok(to)) if other.dag().has_arc(from, to));
        let named = of.dag().arcs().map(|(from, to)| (of.name(from).to_string(), of.name(to).to_string()));
        named.filter(|(from, to)| !is_there(from, to)).collect::<Vec<_>>()
    };
    let (arcs_gone, arcs_new) = (arcs(before, after), arcs(after, before));
    let mut tables = Vec::new();
    for variable in before.dag().variables() {
        tables.extend(table_difference(before, after, variable)?);
    }
    tables.sort_by(|a, b| (b.before - b.after).abs().total_cmp(&(a.before - a.after).abs()));
    Ok(Difference { before_after, after_before, arcs_gone, arcs_new, tables })
}

/// The entry of a variable's table that differs most; `None` where parents differ or no entry does.
fn table_difference(before: &Network, after: &Network, variable: VarId) -> Result<Option<TableDifference>, Error> {
    let unlike = |e: NetError| Error::Internal(e.to_string());
    let same = after.find(before.name(variable)).map_err(unlike)?;
    let parents = before.dag().parents(variable);
    let others = after.dag().parents(same);
    let places: Option<Vec<usize>> =
        others.iter().map(|other| parents.iter().position(|parent| before.name(*parent) == after.name(*other))).collect();
    let Some(places) = places.filter(|places| places.len() == parents.len()) else { return Ok(None) };
    // What is no table may have any number of rows; divergences have those in them too.
    if before.table(variable).is_err() {
        return Ok(None);
    }
    let (mut worst, mut found) = (0.0, None);
    for row in 0..before.conditional(variable).n_rows() {
        let mut states = vec![0; parents.len()];
        let mut left = row;
        for (state, parent) in states.iter_mut().zip(parents).rev() {
            *state = left % before.n_states(*parent);
            left /= before.n_states(*parent);
        }
        let name = |place: usize| &before.states(parents[place])[states[place]];
        let mut other_row = 0;
        for (other, place) in others.iter().zip(&places) {
            other_row = other_row * after.n_states(*other) + after.find_state(*other, name(*place)).map_err(unlike)?;
        }
        for (state, state_name) in before.states(variable).iter().enumerate() {
            let p = before.conditional(variable).probability(row, state);
            let q = after.conditional(same).probability(other_row, after.find_state(same, state_name).map_err(unlike)?);
            if (p - q).abs() > worst {
                worst = (p - q).abs();
                let given: Vec<String> =
                    (0..parents.len()).map(|place| format!("{}={}", before.name(parents[place]), name(place))).collect();
                let bar = if given.is_empty() { String::new() } else { format!(" | {}", given.join(", ")) };
                let entry = format!("P({}={state_name}{bar})", before.name(variable));
                found = Some(TableDifference { variable: before.name(variable).to_string(), entry, before: p, after: q });
            }
        }
    }
    Ok(found)
}
