//! Questions and their answers: what a [`Query`] asks of a model, found by whichever engine suits it.
//!
//! An [`Oracle`] holds a model and answers. [`Question`] is a query in ids of the model, [`Reply`] what comes back, in ids too and with how it
//! was got. That evidence is impossible is a reply ([`Outcome::Impossible`]), with findings that cannot be together; what cannot be asked is an [`AskError`].
//! Beside answers there are their [`Explanation`], a [`Plan`] before heavy work, and a check by a second engine ([`Checked`]).
//!
//! ```
//! use tunbridge_net::Network;
//! use tunbridge_net::ask::{Oracle, Outcome, Value};
//! let network = Network::builder()
//!     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
//!     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
//!     .build()?;
//! let oracle = Oracle::of_network(network);
//! let reply = oracle.answer(&"P(Cancer=yes | Test=+)".parse()?)?;
//! assert_eq!(reply.method, "exact, variable elimination");
//! let Outcome::Found { value: Value::Probability(p), .. } = reply.outcome else { panic!("one number") };
//! assert!((p - 0.00784 / 0.0376).abs() < 1e-15);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod check;
mod conflict;
mod cutset;
mod error;
mod explain;
mod finding;
mod information;
mod jeffrey;
mod most_probable;
mod oracle;
mod plan;
mod reply;
mod resolve;

pub use check::Checked;
pub use conflict::Conflict;
pub use error::AskError;
pub use explain::{Explanation, Mutual, Says, Weighed};
pub use finding::{Finding, FindingKind};
pub use oracle::{DEFAULT_MAX_ENTRIES, Engine, Oracle};
pub use plan::{ENTRIES_PER_SECOND, Plan};
pub use reply::{BestAssignment, Independence, Outcome, Reply, StateRow, Table, Value};
pub use resolve::{Asks, Question, find_state, find_variable};

#[cfg(doc)]
use crate::query::Query;
