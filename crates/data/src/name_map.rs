//! Columns and values of a file by the names that a schema has for them.
//!
//! Written `column:Variable` for a column, and `column=value:Variable=state` for one of its values, with commas between them. What holds a
//! comma, a colon, an equals sign or a quote stands in double quotes, in which two of them are one.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Which variable a column is, and which state a value is. Invariant: a column is one variable, and two columns are never the same one.
///
/// ```
/// use tunbridge_data::NameMap;
/// let map: NameMap = "fever:Fever,temp=hi:Temperature=high,temp=lo:Temperature=low".parse()?;
/// assert_eq!(map.variable("temp"), "Temperature");
/// assert_eq!(map.variable("Nose"), "Nose");
/// assert_eq!(map.states("Temperature").collect::<Vec<_>>(), [("hi", "high"), ("lo", "low")]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NameMap {
    /// The variable of each column.
    columns: BTreeMap<String, String>,
    /// The states of values, by variable and value.
    states: BTreeMap<(String, String), String>,
}

impl NameMap {
    /// Whether every name is what it is.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The variable that a column is: the one it is mapped to, else the one of its own name.
    pub fn variable<'a>(&'a self, column: &'a str) -> &'a str {
        self.columns.get(column).map_or(column, String::as_str)
    }

    /// The column that is mapped to a variable.
    pub fn column(&self, variable: &str) -> Option<&str> {
        self.columns().find(|(_, of)| *of == variable).map(|(column, _)| column)
    }

    /// The columns that are mapped, each with its variable.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &str)> {
        self.columns.iter().map(|(column, variable)| (column.as_str(), variable.as_str()))
    }

    /// The values of a variable's column that are mapped, each with its state.
    pub fn states(&self, variable: &str) -> impl Iterator<Item = (&str, &str)> {
        self.states.iter().filter(move |((of, _), _)| of == variable).map(|((_, value), state)| (value.as_str(), state.as_str()))
    }

    fn add(&mut self, (column, value): Side, (variable, state): Side) -> Result<(), String> {
        if let Some(other) = self.columns.insert(column.clone(), variable.clone()).filter(|other| *other != variable) {
            return Err(format!("column `{column}` cannot be both `{other}` and `{variable}`"));
        }
        if let Some((other, _)) = self.columns.iter().find(|(other, of)| **other != column && **of == variable) {
            return Err(format!("the columns `{other}` and `{column}` cannot both be `{variable}`"));
        }
        if let (Some(value), Some(state)) = (value, state)
            && let Some(other) = self.states.insert((variable, value.clone()), state.clone()).filter(|other| *other != state)
        {
            return Err(format!("the value `{value}` of `{column}` cannot be both `{other}` and `{state}`"));
        }
        Ok(())
    }
}

/// A name, and behind an equals sign a value.
type Side = (String, Option<String>);

impl FromStr for NameMap {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut map = Self::default();
        for item in split(text, ',')? {
            if item.trim().is_empty() {
                continue;
            }
            let wrong = || format!("`{}`: write column:Variable, or column=value:Variable=state", item.trim());
            let [left, right] = &split(item, ':')?[..] else { return Err(wrong()) };
            let side = |text: &str| -> Result<Side, String> {
                match &split(text, '=')?[..] {
                    [name] => Ok((unquoted(name), None)),
                    [name, value] => Ok((unquoted(name), Some(unquoted(value)))),
                    _ => Err(wrong()),
                }
            };
            let (left, right) = (side(left)?, side(right)?);
            if left.0.is_empty() || right.0.is_empty() || left.1.is_some() != right.1.is_some() {
                return Err(wrong());
            }
            map.add(left, right)?;
        }
        Ok(map)
    }
}

/// The parts between separators that stand outside of quotes.
fn split(text: &str, separator: char) -> Result<Vec<&str>, String> {
    let (mut parts, mut start, mut quoted) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            c if c == separator && !quoted => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    if quoted {
        return Err(format!("`{}`: a quote is not closed", text.trim()));
    }
    parts.push(&text[start..]);
    Ok(parts)
}

/// A name without the quotes around it and the spaces around those.
fn unquoted(text: &str) -> String {
    let text = text.trim();
    match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => text.to_string(),
    }
}

fn quoted(text: &str) -> String {
    let is_plain = !text.is_empty() && text.trim() == text && !text.contains([',', ':', '=', '"']);
    if is_plain { text.to_string() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// As it is written.
impl fmt::Display for NameMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut items: Vec<String> = Vec::new();
        for (column, variable) in &self.columns {
            let before = items.len();
            for (value, state) in self.states(variable) {
                items.push(format!("{}={}:{}={}", quoted(column), quoted(value), quoted(variable), quoted(state)));
            }
            if items.len() == before {
                items.push(format!("{}:{}", quoted(column), quoted(variable)));
            }
        }
        f.write_str(&items.join(","))
    }
}

impl TryFrom<String> for NameMap {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<NameMap> for String {
    fn from(map: NameMap) -> Self {
        map.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_meant_twice_or_half_is_refused() {
        for wrong in ["a", "a:b:c", "a=x:B", "a:B=y", ":B", "a:", "a:B,a:C", "a:B,c:B", "a=x:B=p,a=x:B=q", "\"a:B"] {
            assert!(wrong.parse::<NameMap>().is_err(), "{wrong}");
        }
        let map: NameMap = " a : B , \"x,y\"=\"\":\"C:1\"=none ".parse().unwrap();
        assert_eq!((map.variable("a"), map.variable("x,y")), ("B", "C:1"));
        assert_eq!(map.states("C:1").collect::<Vec<_>>(), [("", "none")]);
        assert!("".parse::<NameMap>().unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(columns in proptest::collection::btree_map("[a-c,:=\" ]{1,3}", "[a-c,:=\" ]{0,3}", 0..4)) {
            let mut map = NameMap::default();
            for (place, (column, value)) in columns.into_iter().enumerate() {
                let (variable, state) = (format!("V{place}"), format!("s{value}"));
                let value = (place % 2 == 0).then_some(value);
                map.add((column, value.clone()), (variable, value.map(|_| state))).unwrap();
            }
            prop_assert_eq!(map.to_string().parse::<NameMap>().unwrap(), map);
        }
    }
}
