//! An edit that was read, made; with what it did to tables and to the distribution, and why it could not be made.

use super::Edit;
use crate::ask::{AskError, find_state, find_variable};
use crate::conditional::ConditionalFault;
use crate::error::NetError;
use crate::evidence::Answer;
use crate::kl_divergence::{Divergence, kl_divergence};
use crate::network::Network;
use crate::query::Assignment;
use belief::VarId;

/// Tables for what the removal of an arc costs have no more entries; beyond it is not told.
const MAX_DIVERGENCE_ENTRIES: usize = 1 << 22;

/// So few nats are rounding: by Pinsker's inequality no event's probability moved by more than 10⁻¹⁴.
const ROUNDING_NATS: f64 = 2e-28;

/// What an edit did.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The variables that have another distribution given their parents, or other parents, in order, by the names that they have now.
    pub changed: Vec<String>,
    /// The variable that is not there any more.
    pub dropped: Option<String>,
    /// What became of the joint distribution.
    pub distribution: Kept,
    /// Of a document, the variables of whose tables something was said that need not hold of the new ones, and was dropped.
    pub properties_dropped: Vec<String>,
}

/// How much of the joint distribution is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Kept {
    /// All of it.
    Joint,
    /// That of the variables that are left.
    Marginal,
    /// That of the variables that are left, given what was found.
    Conditional {
        /// ln P(what was found).
        ln_p: f64,
    },
    /// As much as can be without an arc.
    Nearest {
        /// D(before‖after) in nats; `None` where a table for it would be too large.
        nats: Option<f64>,
    },
}

/// Why an edit could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// A name that no variable or state has.
    #[error(transparent)]
    Name(#[from] AskError),
    /// An arc that is not there.
    #[error("there is no arc {parent} → {child}{}", if *turned { format!("; there is one the other way, {child} → {parent}") } else { String::new() })]
    NoSuchArc {
        /// From.
        parent: String,
        /// To.
        child: String,
        /// Whether there is one the other way.
        turned: bool,
    },
    /// An arc that is there.
    #[error("the arc {parent} → {child} is there already")]
    ArcIsThere {
        /// From.
        parent: String,
        /// To.
        child: String,
    },
    /// Arcs would lead back to where they began.
    #[error("the arc would close a cycle: {}", path.join(" → "))]
    Cycle {
        /// The variables on the way, the first again as the last.
        path: Vec<String>,
    },
    /// A table that is too large.
    #[error("this needs a table of {entries:.3e} entries over {}, more than the {limit} allowed", variables.join(", "))]
    TooLarge {
        /// The table's variables.
        variables: Vec<String>,
        /// Its entries.
        entries: f64,
        /// Entries that are allowed.
        limit: usize,
    },
    /// A state that has probability zero.
    #[error("`{variable}={state}` has probability zero under the network: nothing is the case given it")]
    Impossible {
        /// The variable.
        variable: String,
        /// The state.
        state: String,
    },
    /// The last variable.
    #[error("`{variable}` is the only variable: without it there is no network")]
    NothingLeft {
        /// The variable.
        variable: String,
    },
    /// A name that is taken.
    #[error("there is a variable `{name}` already")]
    VariableIsThere {
        /// The name.
        name: String,
    },
    /// A state's name that is taken.
    #[error("`{variable}` has a state `{state}` already")]
    StateIsThere {
        /// The variable.
        variable: String,
        /// The state.
        state: String,
    },
    /// What else can be wrong with a network.
    #[error(transparent)]
    Net(NetError),
}

impl Effect {
    /// Whether the joint distribution of the variables that are left is what it was, but for rounding.
    pub fn is_kept(&self) -> bool {
        match self.distribution {
            Kept::Joint | Kept::Marginal => true,
            Kept::Conditional { .. } => false,
            Kept::Nearest { nats } => nats.is_some_and(|nats| nats <= ROUNDING_NATS),
        }
    }
}

impl Network {
    /// The network after an edit, with what that did. States are meant as questions mean them: exactly, else without case or as numbers.
    ///
    /// # Errors
    /// When a variable or state is not there, with the name that is spelled most alike; when there is no such arc, or there is one already, or it
    /// would close a cycle; when a name is taken; when what is given is impossible; when no variable would be left, or a table would be too large.
    ///
    /// ```
    /// use tunbridge_net::{Kept, Network};
    /// let network = Network::builder()
    ///     .variable("Cancer", ["yes", "no"]).probabilities([0.008, 0.992])
    ///     .variable("Test", ["+", "-"]).given(["Cancer"]).probabilities([0.98, 0.02,  0.03, 0.97])
    ///     .build()?;
    /// let (turned, effect) = network.edited(&"reverse Cancer -> Test".parse()?)?;
    /// assert_eq!(effect.changed, ["Cancer", "Test"]);
    /// let (tested, effect) = turned.edited(&"given Test = +".parse()?)?;
    /// let Kept::Conditional { ln_p } = effect.distribution else { panic!("given a state") };
    /// assert!((ln_p.exp() - 0.0376).abs() < 1e-15 && tested.n_variables() == 1);
    /// let wrong = network.edited(&"sum out Cancre".parse()?).unwrap_err();
    /// assert_eq!(wrong.to_string(), "no variable is named `Cancre`: did you mean `Cancer`?");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edited(&self, edit: &Edit) -> Result<(Self, Effect), EditError> {
        let find = |name: &str| find_variable(self.domain(), name);
        let mut dropped = None;
        let (network, distribution) = match edit {
            Edit::AddArc { parent, child } => {
                let ends = [find(parent)?, find(child)?];
                (self.with_arc(parent, child).map_err(|fault| self.why_not(fault, ends))?, Kept::Joint)
            }
            Edit::ReverseArc { parent, child } => {
                let ends = [find(parent)?, find(child)?];
                (self.with_arc_reversed(parent, child).map_err(|fault| self.why_not(fault, ends))?, Kept::Joint)
            }
            Edit::RemoveArc { parent, child } => {
                let ends = [find(parent)?, find(child)?];
                let network = self.without_arc(parent, child).map_err(|fault| self.why_not(fault, ends))?;
                let nats = match kl_divergence(self, &network, MAX_DIVERGENCE_ENTRIES) {
                    Ok(Divergence::Finite { nats }) => Some(nats),
                    Ok(Divergence::Infinite { .. }) => Some(f64::INFINITY),
                    Err(NetError::TooLarge { .. }) => None,
                    Err(fault) => return Err(EditError::Net(fault)),
                };
                (network, Kept::Nearest { nats })
            }
            Edit::SumOut { variable } => {
                let place = find(variable)?;
                self.check_others(place)?;
                dropped = Some(place);
                (self.without_variable(variable).map_err(|fault| self.why_not(fault, [place; 2]))?, Kept::Marginal)
            }
            Edit::Given(Assignment { variable, state }) => {
                let place = find(variable)?;
                let state = &self.states(place)[find_state(self.domain(), place, state)?];
                self.check_others(place)?;
                dropped = Some(place);
                match self.given_state(variable, state).map_err(|fault| self.why_not(fault, [place; 2]))? {
                    Answer::Possible { answer, ln_p_evidence } => (answer, Kept::Conditional { ln_p: ln_p_evidence }),
                    Answer::Impossible => return Err(EditError::Impossible { variable: variable.clone(), state: state.clone() }),
                }
            }
            Edit::RenameVariable { variable, to } => {
                let place = find(variable)?;
                (self.with_variable_renamed(variable, to).map_err(|fault| self.why_not(fault, [place; 2]))?, Kept::Joint)
            }
            Edit::RenameState { of: Assignment { variable, state }, to } => {
                let place = find(variable)?;
                let state = &self.states(place)[find_state(self.domain(), place, state)?];
                (self.with_state_renamed(variable, state, to).map_err(|fault| self.why_not(fault, [place; 2]))?, Kept::Joint)
            }
        };
        let changed = self.changed_in(&network, dropped);
        let dropped = dropped.map(|variable| self.name(variable).to_string());
        Ok((network, Effect { changed, dropped, distribution, properties_dropped: Vec::new() }))
    }

    /// The names in another network, which has all variables but perhaps one, of those with other distributions or parents.
    fn changed_in(&self, after: &Self, dropped: Option<VarId>) -> Vec<String> {
        let before = |variable: VarId| VarId::new(variable.index() + usize::from(dropped.is_some_and(|gone| gone <= variable)));
        let is_changed = |variable: &VarId| {
            let parents = after.dag().parents(*variable).iter().map(|&parent| before(parent));
            after.conditional(*variable) != self.conditional(before(*variable))
                || !parents.eq(self.dag().parents(before(*variable)).iter().copied())
        };
        after.domain().variables().filter(is_changed).map(|variable| after.name(variable).to_string()).collect()
    }

    fn check_others(&self, variable: VarId) -> Result<(), EditError> {
        if self.n_variables() > 1 { Ok(()) } else { Err(EditError::NothingLeft { variable: self.name(variable).to_string() }) }
    }

    /// What is wrong, in the words of an edit; of an arc between these.
    fn why_not(&self, fault: NetError, [parent, child]: [VarId; 2]) -> EditError {
        match fault {
            NetError::NoSuchArc { parent: from, child: to } => {
                EditError::NoSuchArc { parent: from, child: to, turned: self.dag().has_arc(child, parent) }
            }
            NetError::RepeatedArc { parent, child } => EditError::ArcIsThere { parent, child },
            NetError::Cycle { path } => EditError::Cycle { path },
            NetError::TooLarge { variables, entries, limit } => EditError::TooLarge { variables, entries, limit },
            NetError::Distribution { fault: ConditionalFault::TooLarge { entries, limit }, .. } => {
                let family = self.dag().parents(child).iter().chain([&parent, &child]);
                EditError::TooLarge { variables: family.map(|&member| self.name(member).to_string()).collect(), entries, limit }
            }
            NetError::RepeatedVariable { name } => EditError::VariableIsThere { name },
            NetError::RepeatedState { variable, state } => EditError::StateIsThere { variable, state },
            other => EditError::Net(other),
        }
    }
}
