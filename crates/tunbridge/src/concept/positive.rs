//! Which state of the target is the concept.

use belief::States;
use data::closest;

use crate::Error;
use crate::remarks::list;

/// Words that say yes, and their opposites, without case.
const YES: [&str; 9] = ["yes", "y", "true", "t", "1", "+", "positive", "pos", "1.0"];
const NO: [&str; 10] = ["no", "n", "false", "f", "0", "-", "−", "negative", "neg", "0.0"];

/// The code of the positive state, `None` if no row can have it, and what the two sides are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The positive state.
    pub code: Option<usize>,
    /// What it is called.
    pub positive: String,
    /// What all others are called.
    pub negative: String,
}

/// Chooses the positive state: the one that was named, or the one whose name says it.
pub fn sides(target: &str, states: &States, named: Option<&str>) -> Result<Sides, Error> {
    let names = states.names();
    let code = match named {
        Some(name) => Some(states.find(name).ok_or_else(|| {
            let near = closest(name, names.iter().map(String::as_str)).map(|near| format!("did you mean `{near}`?"));
            let hint = near.unwrap_or_else(|| format!("its states are {}", list(names)));
            Error::unfit(format!("--positive `{name}` is no state of `{target}`"), hint)
        })?),
        None => match (only(names, &YES), only(names, &NO)) {
            (Some(yes), _) => Some(yes),
            (None, Some(no)) if names.len() == 2 => Some(1 - no),
            // All examples are negative, and what the others would be called is not known.
            (None, Some(_)) if names.len() == 1 => None,
            _ => {
                let what = format!("which state of `{target}` is the concept is not plain: it has {}", list(names));
                return Err(Error::unfit(what, format!("name it, as in --positive {}", names.first().map_or("Yes", String::as_str))));
            }
        },
    };
    let others: Vec<&String> = names.iter().enumerate().filter(|(at, _)| Some(*at) != code).map(|(_, name)| name).collect();
    let positive = code.map(|code| names[code].clone());
    let negative = match (others.as_slice(), &positive) {
        ([one], _) => (*one).clone(),
        (_, Some(positive)) => format!("not {positive}"),
        _ => "no".into(),
    };
    Ok(Sides { code, positive: positive.unwrap_or_else(|| format!("not {negative}")), negative })
}

/// The only name that is one of these words.
fn only(names: &[String], words: &[&str]) -> Option<usize> {
    let mut found = (0..names.len()).filter(|at| words.contains(&names[*at].to_lowercase().as_str()));
    found.next().filter(|_| found.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(names: &[&str], named: Option<&str>) -> Result<(Option<usize>, String, String), String> {
        let states = States::declared(names.iter().map(|n| n.to_string()).collect(), false).unwrap();
        sides("y", &states, named).map(|s| (s.code, s.positive, s.negative)).map_err(|e| e.to_string())
    }

    #[test]
    fn the_state_that_says_yes_is_the_concept() {
        let found = |code, positive: &str, negative: &str| Ok((code, positive.to_string(), negative.to_string()));
        assert_eq!(chosen(&["No", "Yes"], None), found(Some(1), "Yes", "No"));
        assert_eq!(chosen(&["0", "1"], None), found(Some(1), "1", "0"));
        assert_eq!(chosen(&["+", "-"], None), found(Some(0), "+", "-"));
        assert_eq!(chosen(&["no", "play"], None), found(Some(1), "play", "no"));
        assert_eq!(chosen(&["No"], None), found(None, "not No", "No"));
        assert_eq!(chosen(&["a", "b", "c"], Some("B")), found(Some(1), "b", "not b"));
        assert_eq!(chosen(&["yes"], None), found(Some(0), "yes", "not yes"));
        assert!(chosen(&["a", "b"], None).unwrap_err().contains("not plain"));
        assert!(chosen(&["a", "b"], Some("x")).unwrap_err().contains("no state"));
    }
}
