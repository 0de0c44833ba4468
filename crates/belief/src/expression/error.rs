//! What is wrong with an expression, and where in its text.

use std::fmt;
use std::ops::Range;

use crate::spelling::nearest;

/// A fault in the text of an expression, with its place.
///
/// Printed, it is what is wrong, the text with a caret under the place, and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct ExpressionError {
    /// The whole text.
    pub text: String,
    /// The faulty characters, counted from 0. Empty where something is missing.
    pub place: Range<usize>,
    /// What is wrong with them.
    pub fault: Fault,
}

/// What can be wrong with the text of an expression.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// Nothing is there.
    Empty,
    /// More characters than are read.
    TooLong {
        /// How many there are.
        length: usize,
        /// How many there may be.
        most: usize,
    },
    /// More levels of parentheses, powers or operators than are read.
    TooDeep {
        /// How many levels there may be.
        most: usize,
    },
    /// A character that means nothing here.
    UnknownCharacter(char),
    /// A number that a double cannot hold.
    NumberOutOfRange,
    /// Something else should stand here.
    Expected {
        /// What should.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// A product without its sign, as in `2x`.
    MissingOperator {
        /// What stands where an operator should.
        found: String,
    },
    /// A name that stands for nothing.
    UnknownName {
        /// Names that stand for something.
        known: Vec<String>,
        /// The one that is spelled most alike.
        closest: Option<String>,
    },
    /// A function that does not exist.
    UnknownFunction {
        /// The one that is spelled most alike.
        closest: Option<String>,
    },
    /// A function with too few or too many arguments.
    Arguments {
        /// How it is called, e.g. `normal(x, mean, variance)`.
        usage: Vec<String>,
        /// How many arguments it was given.
        given: usize,
    },
    /// A name where a constant must stand, as in the ends of a range.
    NotConstant,
    /// A constant that is not a number, as 1/0.
    NotANumber,
    /// A range whose end is not above its beginning.
    EmptyRange {
        /// Its beginning.
        low: f64,
        /// Its end.
        high: f64,
    },
}

impl ExpressionError {
    /// The faulty characters themselves.
    pub fn at(&self) -> String {
        self.text.chars().skip(self.place.start).take(self.place.len()).collect()
    }

    /// The column of the fault, from 1.
    pub fn column(&self) -> usize {
        self.place.start + 1
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at();
        match &self.fault {
            Fault::Empty => return write!(f, "the expression is empty"),
            Fault::TooLong { length, most } => return write!(f, "the expression has {length} characters; at most {most} are read"),
            Fault::TooDeep { most } => return write!(f, "the expression is nested too deeply: at most {most} levels are read"),
            Fault::UnknownCharacter(c) => write!(f, "column {}: `{c}` means nothing in an expression", self.column())?,
            Fault::NumberOutOfRange => write!(f, "column {}: `{at}` is beyond what a number can hold", self.column())?,
            Fault::Expected { expected, found } => write!(f, "column {}: expected {expected}, found {found}", self.column())?,
            Fault::MissingOperator { found } => write!(f, "column {}: expected an operator, found {found}", self.column())?,
            Fault::UnknownName { .. } => write!(f, "column {}: `{at}` is not known", self.column())?,
            Fault::UnknownFunction { .. } => write!(f, "column {}: there is no function `{at}`", self.column())?,
            Fault::Arguments { given, .. } => write!(f, "column {}: `{at}` does not take {given} argument(s)", self.column())?,
            Fault::NotConstant => write!(f, "column {}: `{at}` must be a constant", self.column())?,
            Fault::NotANumber => write!(f, "column {}: `{at}` is not a number", self.column())?,
            Fault::EmptyRange { low, high } => write!(f, "column {}: nothing lies between {low} and {high}", self.column())?,
        }
        self.write_caret(f)?;
        match &self.fault {
            Fault::MissingOperator { .. } => write!(f, "\n  hint: a product is written with `*`, as in 2*x"),
            Fault::UnknownName { known, closest } => {
                write!(f, "\n  known: {}", known.join(", "))?;
                closest.iter().try_for_each(|name| write!(f, "\n  hint: did you mean `{name}`?"))
            }
            Fault::UnknownFunction { closest } => match closest {
                Some(name) => write!(f, "\n  hint: did you mean `{name}`?"),
                None => write!(f, "\n  hint: a product is written with `*`, as in a*(b + c)"),
            },
            Fault::Arguments { usage, .. } => write!(f, "\n  usage: {}", usage.join(" or ")),
            _ => Ok(()),
        }
    }
}

impl ExpressionError {
    /// The text, or what fits of it, and a caret below the place.
    fn write_caret(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Characters shown before and after the fault.
        const AROUND: usize = 40;
        let first = self.place.start.saturating_sub(AROUND);
        let shown: String = self.text.chars().skip(first).take(self.place.len().min(AROUND) + 2 * AROUND).collect();
        let shown = shown.replace(['\n', '\t', '\r'], " ");
        let carets = self.place.len().clamp(1, AROUND);
        write!(f, "\n  {shown}\n  {}{}", " ".repeat(self.place.start - first), "^".repeat(carets))
    }
}

/// The known name that is spelled most like this one, if it is like it at all: no more than a third of its letters differ. Names in
/// expressions are short, so that more is allowed than of words.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let most = name.chars().count().div_ceil(3);
    nearest(name, known, |_| most).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_the_letters_may_differ() {
        assert_eq!(closest("nromal", ["normal", "exp"]), Some("normal".into()));
        assert_eq!(closest("ex", ["normal", "exp"]), Some("exp".into()));
        assert_eq!(closest("qqqqqq", ["normal", "exp"]), None);
    }
}
