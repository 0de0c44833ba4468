//! What a file holds beside the network: labels, places on the page, comments, and what had to be said when it was read.
//!
//! Every format reads into a [`Document`] and is written from one, so that what one format says of a variable reaches the next. What a
//! format has no words for is told by its writer.

use crate::edit::{Edit, EditError, Effect};
use crate::network::Network;
use belief::VarId;

/// A network with what a file says around it.
///
/// ```
/// use tunbridge_net::{Network, format::Document};
/// let coin = Network::builder().variable("Side", ["heads", "tails"]).probabilities([0.5, 0.5]).build()?;
/// let mut document = Document::new("coin", coin);
/// let side = document.network().find("Side")?;
/// document.notes_mut(side).label = Some("The side that is up".into());
/// assert_eq!(document.notes(side).label.as_deref(), Some("The side that is up"));
/// # Ok::<(), tunbridge_net::NetError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The network's name; may be empty.
    pub name: String,
    /// What is said of the network as a whole, each as it stood: `software "GeNIe"`, `node_size = (80 40)`.
    pub properties: Vec<String>,
    /// What was renormalised, left out or read in a way of its own.
    pub remarks: Vec<Remark>,
    network: Network,
    notes: Vec<Notes>,
}

/// What a file says of a variable beside its states and probabilities.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// A title for people, where it is not the name.
    pub label: Option<String>,
    /// The middle of the node on the page, in points to the right and down.
    pub position: Option<(f64, f64)>,
    /// A comment.
    pub comment: Option<String>,
    /// Numbers that the states stand for, one for each.
    pub state_values: Option<Vec<f64>>,
    /// The submodels the variable is in, from the outermost in.
    pub submodel: Vec<String>,
    /// What else is said of the variable, each as it stood: `weight = None`, `HR_Group = "0"`.
    pub properties: Vec<String>,
    /// What is said of its table, each as it stood.
    pub table_properties: Vec<String>,
}

/// What a reader has to say of a file that it could read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remark {
    /// Rows whose sums were not one were divided by them.
    Renormalised {
        /// How many rows.
        n_rows: usize,
        /// How far from one the sum of the worst was.
        worst: f64,
    },
    /// Something that is not kept.
    Ignored {
        /// What it is.
        what: String,
        /// The line it stands in, from 1.
        line: usize,
    },
    /// Something that is taken otherwise than the letter of the format.
    TakenAs {
        /// What and how.
        what: String,
    },
}

impl std::fmt::Display for Remark {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Renormalised { n_rows: 1, worst } => {
                write!(out, "one row did not sum to 1 (off by {worst:.1e}) and was divided by its sum")
            }
            Self::Renormalised { n_rows, worst } => {
                write!(out, "{n_rows} rows did not sum to 1 (the worst off by {worst:.1e}) and were divided by their sums")
            }
            Self::Ignored { what, line } => write!(out, "line {line}: {what} is not kept"),
            Self::TakenAs { what } => out.write_str(what),
        }
    }
}

impl Document {
    /// A network with its name and nothing else.
    pub fn new(name: impl Into<String>, network: Network) -> Self {
        let notes = vec![Notes::default(); network.n_variables()];
        Self { name: name.into(), properties: Vec::new(), remarks: Vec::new(), network, notes }
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The network alone.
    pub fn into_network(self) -> Network {
        self.network
    }

    /// What is said of a variable.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn notes(&self, variable: VarId) -> &Notes {
        &self.notes[variable.index()]
    }

    /// What is said of a variable, to be changed.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn notes_mut(&mut self, variable: VarId) -> &mut Notes {
        &mut self.notes[variable.index()]
    }

    /// The document after an edit, with what that did. What is said of variables stays with those that stay, under whatever name; what is said
    /// of a table goes with it, for it need not hold of another.
    ///
    /// # Errors
    /// As [`Network::edited`].
    ///
    /// ```
    /// use tunbridge_net::{Network, format::Document};
    /// let coin = Network::builder().variable("Side", ["heads", "tails"]).probabilities([0.5, 0.5]).build()?;
    /// let mut document = Document::new("coin", coin);
    /// document.notes_mut(document.network().find("Side")?).label = Some("The side that is up".into());
    /// let (edited, _) = document.edited(&"rename Side to Face".parse()?)?;
    /// assert_eq!(edited.notes(edited.network().find("Face")?).label.as_deref(), Some("The side that is up"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edited(&self, edit: &Edit) -> Result<(Self, Effect), EditError> {
        let (network, mut effect) = self.network.edited(edit)?;
        let dropped = effect.dropped.as_ref().and_then(|name| self.network.find(name).ok());
        let mut notes: Vec<Notes> =
            self.noted().filter(|(variable, _)| Some(*variable) != dropped).map(|(_, notes)| notes.clone()).collect();
        for name in &effect.changed {
            let of_table = network.find(name).map(|variable| std::mem::take(&mut notes[variable.index()].table_properties));
            if of_table.is_ok_and(|properties| !properties.is_empty()) {
                effect.properties_dropped.push(name.clone());
            }
        }
        let (name, properties, remarks) = (self.name.clone(), self.properties.clone(), self.remarks.clone());
        Ok((Self { name, properties, remarks, network, notes }, effect))
    }

    /// Every variable with what is said of it.
    pub(crate) fn noted(&self) -> impl Iterator<Item = (VarId, &Notes)> {
        self.network.dag().variables().zip(&self.notes)
    }

    /// A network with notes in the order of its variables.
    pub(crate) fn with_notes(name: impl Into<String>, network: Network, notes: Vec<Notes>) -> Self {
        assert_eq!(notes.len(), network.n_variables(), "notes for every variable");
        Self { name: name.into(), properties: Vec::new(), remarks: Vec::new(), network, notes }
    }
}

/// The parts of a property: what stands before its first `=` and what stands behind it.
pub(crate) fn name_and_value(property: &str) -> (&str, &str) {
    match property.split_once('=') {
        Some((name, value)) => (name.trim(), value.trim()),
        None => property.trim().split_once(char::is_whitespace).map_or((property.trim(), ""), |(name, value)| (name, value.trim())),
    }
}

impl Notes {
    /// Everything but the properties as properties, for formats that have nothing else.
    pub(crate) fn as_properties(&self) -> Vec<String> {
        let mut texts = Vec::new();
        if let Some(label) = &self.label {
            texts.push(format!("label = {}", quote(label)));
        }
        if let Some((x, y)) = self.position {
            texts.push(format!("position = ({x}, {y})"));
        }
        if let Some(comment) = &self.comment {
            texts.push(format!("comment = {}", quote(comment)));
        }
        if let Some(values) = &self.state_values {
            let values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
            texts.push(format!("state_values = ({})", values.join(", ")));
        }
        if !self.submodel.is_empty() {
            let path: Vec<String> = self.submodel.iter().map(|part| quote(part)).collect();
            texts.push(format!("submodel = ({})", path.join(", ")));
        }
        texts.extend(self.properties.iter().cloned());
        texts
    }

    /// Takes a property of a format that has nothing else: [`Self::as_properties`] back, and all others as they stand.
    pub(crate) fn take_property(&mut self, text: &str, n_states: usize) {
        let (name, value) = name_and_value(text);
        match name {
            "label" if self.label.is_none() => {
                if let Some(label) = unquote(value) {
                    self.label = Some(label);
                    return;
                }
            }
            "comment" if self.comment.is_none() => {
                if let Some(comment) = unquote(value) {
                    self.comment = Some(comment);
                    return;
                }
            }
            "position" if self.position.is_none() => {
                if let Some(&[x, y]) = numbers(value).as_deref() {
                    self.position = Some((x, y));
                    return;
                }
            }
            "state_values" if self.state_values.is_none() => {
                if let Some(values) = numbers(value).filter(|values| values.len() == n_states) {
                    self.state_values = Some(values);
                    return;
                }
            }
            "submodel" if self.submodel.is_empty() => {
                if let Some(path) = quoted_list(value) {
                    self.submodel = path;
                    return;
                }
            }
            _ => {}
        }
        self.properties.push(text.to_string());
    }
}

/// A text in quotes, on one line.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for symbol in text.chars() {
        match symbol {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            _ => quoted.push(symbol),
        }
    }
    quoted.push('"');
    quoted
}

/// The text of [`quote`]; none if it is not in quotes.
pub(crate) fn unquote(text: &str) -> Option<String> {
    let (plain, rest) = unquote_first(text)?;
    rest.trim().is_empty().then_some(plain)
}

fn unquote_first(text: &str) -> Option<(String, &str)> {
    let inside = text.trim_start().strip_prefix('"')?;
    let mut plain = String::with_capacity(inside.len());
    let mut symbols = inside.char_indices();
    while let Some((place, symbol)) = symbols.next() {
        match symbol {
            '"' => return Some((plain, &inside[place + 1..])),
            '\\' => match symbols.next()?.1 {
                'n' => plain.push('\n'),
                other => plain.push(other),
            },
            _ => plain.push(symbol),
        }
    }
    None
}

/// `("a", "b")`.
pub(crate) fn quoted_list(text: &str) -> Option<Vec<String>> {
    let mut rest = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut parts = Vec::new();
    loop {
        let (part, behind) = unquote_first(rest)?;
        parts.push(part);
        rest = match behind.trim_start() {
            "" => return Some(parts),
            more => more.strip_prefix(',')?,
        };
    }
}

/// `(1, 2.5)` or `(1 2.5)`, finite.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let inside = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let parts = inside.split([',', ' ', '\t']).filter(|part| !part.is_empty());
    parts.map(|part| part.parse::<f64>().ok().filter(|value| value.is_finite())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_go_through_properties_and_back() {
        let notes = Notes {
            label: Some("A \"label\" \\ on\ntwo lines; = (1)".into()),
            position: Some((1.5, -2.0)),
            comment: Some(String::new()),
            state_values: Some(vec![0.1, 1e-9]),
            submodel: vec!["outer, (1)".into(), "inner\"".into()],
            properties: vec!["HR_Group = \"0\"".into(), "label twice".into()],
            table_properties: Vec::new(),
        };
        let mut again = Notes::default();
        notes.as_properties().iter().for_each(|text| again.take_property(text, 2));
        assert_eq!(again, notes);
        let mut kept = Notes::default();
        for odd in ["position = 3", "state_values = (1)", "label = bare", "submodel = x", "position"] {
            kept.take_property(odd, 2);
        }
        assert_eq!(kept.properties.len(), 5);
    }
}
