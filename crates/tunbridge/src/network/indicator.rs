//! Values that are missing not at random: a variable that says whether another is missing joins the graph.
//!
//! EM as it is takes a gap to be an accident (missing at random). Where whether a value is missing depends on the value itself, as with incomes
//! that are not told because they are high, that is said by an arc: from the variable to its indicator, which every row has (Rubin 1976; Mohan,
//! Pearl & Tian 2013, *Graphical models for inference with missing data*). It is a choice of the model, and one that data cannot check by
//! themselves.

use std::fmt;
use std::str::FromStr;

use belief::closest;
use net::format::Document;
use net::{Conditional, ConditionalTable, Domain, Network, Structure, VarId};

use super::NetworkFile;
use super::columns::network_of;
use crate::Error;
use crate::remarks::list;
use data::MadeColumns;

/// A variable that says whether another is missing, and what that depends on.
///
/// ```
/// use tunbridge::network::Indicator;
/// let indicator: Indicator = "Income|Income:Age".parse()?;
/// assert_eq!((indicator.name().as_str(), indicator.to_string().as_str()), ("Income_missing", "Income|Income:Age"));
/// assert_eq!("Income".parse::<Indicator>()?.parents, ["Income"]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indicator {
    /// The variable whose values are missing.
    pub of: String,
    /// The variables that this depends on: itself, if nobody says otherwise.
    pub parents: Vec<String>,
}

impl FromStr for Indicator {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}`: write NAME, or NAME|PARENT:PARENT, as in Income|Income:Age");
        let (of, parents) = text.split_once('|').map_or((text, None), |(of, parents)| (of, Some(parents)));
        let of = of.trim().to_string();
        let parents: Vec<String> = match parents {
            None => vec![of.clone()],
            Some(parents) => parents.split(':').map(|parent| parent.trim().to_string()).collect(),
        };
        if of.is_empty() || parents.iter().any(String::is_empty) { Err(wrong()) } else { Ok(Self { of, parents }) }
    }
}

impl fmt::Display for Indicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.parents == [self.of.as_str()] { f.write_str(&self.of) } else { write!(f, "{}|{}", self.of, self.parents.join(":")) }
    }
}

impl Indicator {
    /// What the variable is called.
    pub fn name(&self) -> String {
        format!("{}_missing", self.of)
    }

    /// That the variables are there which it speaks of, and none of its own name.
    pub(crate) fn check<'n>(&self, names: impl Iterator<Item = &'n str> + Clone) -> Result<(), Error> {
        for name in std::iter::once(&self.of).chain(&self.parents) {
            if !names.clone().any(|known| known == name) {
                let near = closest(name, names.clone()).map(|near| format!("did you mean `{near}`?"));
                return Err(Error::unfit(
                    format!("--indicator names `{name}`, which is no variable of the graph"),
                    near.unwrap_or_else(|| format!("it has {}", list(&names.clone().collect::<Vec<_>>()))),
                ));
            }
        }
        if names.clone().any(|known| known == self.name()) {
            let what = format!("--indicator makes a variable `{}`, and there is one already", self.name());
            return Err(Error::unfit(what, "rename that column, or leave it out with --ignore"));
        }
        Ok(())
    }
}

/// The graph with the indicators in it; its states and tables stay as they are.
pub(super) fn with_indicators(file: &NetworkFile, indicators: &[Indicator]) -> Result<NetworkFile, Error> {
    if indicators.is_empty() {
        return Ok(file.clone());
    }
    let network = network_of(file)?;
    let structure = network.structure();
    let mut names = structure.names().to_vec();
    let mut parents: Vec<Vec<VarId>> = network.dag().variables().map(|of| network.dag().parents(of).to_vec()).collect();
    for indicator in indicators {
        indicator.check(names.iter().map(String::as_str))?;
        let of_indicator: Vec<&str> = indicator.parents.iter().map(String::as_str).collect();
        parents.push(
            structure
                .find_all(&of_indicator)
                .map_err(|e| Error::unfit(e.to_string(), "an indicator has variables of the graph above it"))?,
        );
        names.push(indicator.name());
    }
    let broken = |e: net::NetError| Error::unfit(e.to_string(), "name each variable once");
    if file.is_structure() {
        return NetworkFile::of_structure(&file.path.to_string_lossy(), &Structure::from_parents(names, parents).map_err(broken)?);
    }
    let states = |of: usize| match network.dag().variables().nth(of) {
        Some(of) => network.states(of).to_vec(),
        None => MadeColumns::ABSENCE.map(String::from).to_vec(),
    };
    let domain = Domain::new(names.iter().enumerate().map(|(of, name)| (name.clone(), states(of)))).map_err(broken)?;
    let mut conditionals: Vec<Conditional> = network.dag().variables().map(|of| network.conditional(of).clone()).collect();
    for of in &parents[conditionals.len()..] {
        let n_rows: usize = of.iter().map(|parent| domain.n_states(*parent)).product();
        let table = ConditionalTable::new(2, vec![0.5; 2 * n_rows]).map_err(|e| Error::Internal(e.to_string()))?;
        conditionals.push(Conditional::Table(table));
    }
    let network = Network::from_conditionals(domain, parents, conditionals).map_err(broken)?;
    let mut with = NetworkFile::of_document(Document::new(file.name(), network));
    with.path.clone_from(&file.path);
    Ok(with)
}
