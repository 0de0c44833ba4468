//! Costs of errors by the names of the classes, as a user gives them: `spam|ham=9`.

use std::str::FromStr;

use evaluate::Costs;

use crate::Error;

/// Costs by the names of classes; those that are not named are as [`Costs::equal`] has them.
///
/// ```
/// use tunbridge::NamedCosts;
/// let costs: NamedCosts = "spam|ham=9".parse()?;
/// let costs = costs.resolve(&["ham".into(), "spam".into()])?;
/// assert_eq!((costs.cost(1, 0), costs.cost(0, 1)), (9.0, 1.0));
/// # Ok::<(), tunbridge::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedCosts(Vec<(Names, f64)>);

/// Which error is meant.
#[derive(Clone, Debug, PartialEq)]
enum Names {
    /// `said|truth` in one; a class may have the sign in its name, and which it is shows when the classes are known.
    Written(String),
    Pair {
        said: String,
        truth: String,
    },
}

impl NamedCosts {
    /// Adds the cost of saying one class where another is true.
    pub fn push(&mut self, said: &str, truth: &str, cost: f64) {
        self.0.push((Names::Pair { said: said.into(), truth: truth.into() }, cost));
    }

    /// Adds other costs; of those that are given twice the later one counts.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The costs for these classes.
    ///
    /// # Errors
    /// When a name is no class, or a cost is negative or not finite.
    pub fn resolve(&self, classes: &[String]) -> Result<Costs, Error> {
        let place = |name: &str| classes.iter().position(|class| class == name.trim());
        let known = || format!("the classes are: {}", crate::remarks::list(classes));
        let mut costs = Costs::equal(classes.len());
        for (names, cost) in &self.0 {
            let (written, pairs) = match names {
                Names::Pair { said, truth } => (format!("{said}|{truth}"), vec![(said.as_str(), truth.as_str())]),
                Names::Written(text) => {
                    (text.clone(), text.match_indices('|').map(|(at, sign)| (&text[..at], &text[at + sign.len()..])).collect())
                }
            };
            let mut found = pairs.iter().filter_map(|(said, truth)| Some((place(said)?, place(truth)?)));
            let (said, truth) = match (found.next(), found.next()) {
                (Some(pair), None) => pair,
                (Some(_), Some(_)) => {
                    return Err(Error::unfit(
                        format!("the cost of `{written}`: it can be read in two ways"),
                        "give the costs as a table in a file",
                    ));
                }
                _ => {
                    let unknown = match pairs.first() {
                        Some((said, truth)) if pairs.len() == 1 => {
                            let name = if place(said).is_none() { said } else { truth };
                            format!("the cost of `{written}`: `{}` is no class", name.trim())
                        }
                        _ => format!("the cost of `{written}`: these are no two classes"),
                    };
                    return Err(Error::unfit(unknown, known()));
                }
            };
            let refused =
                |e: evaluate::EvaluateError| Error::unfit(format!("the cost of `{written}`: {e}"), "give a number such as 9 or 0.5");
            costs = costs.with(said, truth, *cost).map_err(refused)?;
        }
        Ok(costs)
    }
}

impl FromStr for NamedCosts {
    type Err = Error;

    /// One cost: `said|truth=cost`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let fault = |what: &str| Error::unfit(format!("the cost `{text}`: {what}"), "write SAID|TRUTH=COST, as in spam|ham=9");
        let (names, cost) = text.rsplit_once('=').ok_or_else(|| fault("there is no `=`"))?;
        if !names.contains('|') {
            return Err(fault("there is no `|` between what is said and what is true"));
        }
        let cost: f64 = cost.trim().parse().map_err(|_| fault("what is behind `=` is no number"))?;
        if !(cost.is_finite() && cost >= 0.0) {
            return Err(fault("a cost is a finite number, and not below 0"));
        }
        Ok(Self(vec![(Names::Written(names.into()), cost)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn names_may_hold_the_signs() {
        let costs: NamedCosts = "a|b=c|d=2.5".parse().unwrap();
        assert_eq!(costs.resolve(&classes(&["d", "a|b=c"])).unwrap().cost(1, 0), 2.5);
        let twofold: NamedCosts = "a|b|c=2".parse().unwrap();
        assert!(twofold.resolve(&classes(&["a", "b|c", "a|b", "c"])).unwrap_err().to_string().contains("two ways"));
    }

    #[test]
    fn what_cannot_be_is_named() {
        for (text, what) in [
            ("spam=9", "no `|`"),
            ("spam|ham", "no `=`"),
            ("spam|ham=x", "no number"),
            ("spam|ham=-1", "not below 0"),
            ("a|b=inf", "finite"),
        ] {
            assert!(text.parse::<NamedCosts>().unwrap_err().to_string().contains(what), "{text}");
        }
        let costs: NamedCosts = "span|ham=9".parse().unwrap();
        let error = costs.resolve(&classes(&["ham", "spam"])).unwrap_err();
        assert_eq!(
            (error.to_string().as_str(), error.hint().as_deref()),
            ("the cost of `span|ham`: `span` is no class", Some("the classes are: `ham`, `spam`"))
        );
    }

    #[test]
    fn of_two_costs_the_later_counts() {
        let mut costs: NamedCosts = "b|a=9".parse().unwrap();
        let mut later = NamedCosts::default();
        later.push("b", "a", 3.0);
        costs.extend(later);
        assert_eq!(costs.resolve(&classes(&["a", "b"])).unwrap().cost(1, 0), 3.0);
    }
}
