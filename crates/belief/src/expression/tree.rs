//! An expression as a tree: how it is printed, and its value by walking it.

use std::fmt;

use super::function::Function;

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    /// A number; never negative where it was read from text.
    Number(f64),
    /// A variable or a constant.
    Name(String),
    /// A function or an operator and what it is applied to.
    Call(Function, Vec<Tree>),
    /// Comparisons in a row, as in 0 < x <= 1: true if each of them is.
    Chain(Box<Tree>, Vec<(Function, Tree)>),
}

/// The value of a constant's name.
pub(crate) fn constant(name: &str) -> Option<f64> {
    match name {
        "pi" | "π" => Some(std::f64::consts::PI),
        "e" => Some(std::f64::consts::E),
        "inf" | "infinity" => Some(f64::INFINITY),
        _ => None,
    }
}

impl Tree {
    pub(crate) fn call<const N: usize>(function: Function, arguments: [Tree; N]) -> Self {
        Self::Call(function, arguments.into())
    }

    /// The value, by walking the tree: plain, slow, and the measure of the fast way. A name without a value is NaN.
    pub(crate) fn value(&self, of: &dyn Fn(&str) -> Option<f64>) -> f64 {
        match self {
            Self::Number(value) => *value,
            Self::Name(name) => of(name).or_else(|| constant(name)).unwrap_or(f64::NAN),
            Self::Call(function, arguments) => {
                let values: Vec<f64> = arguments.iter().map(|argument| argument.value(of)).collect();
                function.value(&values)
            }
            Self::Chain(first, rest) => {
                let mut left = first.value(of);
                let mut holds = 1.0;
                for (comparison, right) in rest {
                    let right = right.value(of);
                    holds = Function::And.value(&[holds, comparison.value(&[left, right])]);
                    left = right;
                }
                holds
            }
        }
    }

    /// The children whose values count, with a condition's branch taken.
    fn children(&self, of: &dyn Fn(&str) -> Option<f64>) -> Vec<&Tree> {
        match self {
            Self::Number(_) | Self::Name(_) => Vec::new(),
            Self::Call(Function::If, arguments) => match arguments[0].value(of) {
                condition if condition.is_nan() => vec![&arguments[0]],
                0.0 => vec![&arguments[2]],
                _ => vec![&arguments[1]],
            },
            Self::Call(_, arguments) => arguments.iter().collect(),
            Self::Chain(first, rest) => std::iter::once(&**first).chain(rest.iter().map(|(_, tree)| tree)).collect(),
        }
    }

    /// Why the value is not a finite number: the innermost part that is not though its own parts are, and what those are.
    ///
    /// `None` if the value is finite.
    pub(crate) fn why_not_finite(&self, of: &dyn Fn(&str) -> Option<f64>) -> Option<String> {
        let value = self.value(of);
        if value.is_finite() {
            return None;
        }
        let children = self.children(of);
        if let Some(why) = children.iter().find_map(|child| child.why_not_finite(of)) {
            return Some(why);
        }
        let what = if value.is_nan() { "is not a number" } else { "is infinite" };
        let shown = |tree: &&Tree| (!matches!(tree, Self::Number(_))).then(|| format!("{tree} = {}", tree.value(of)));
        let parts: Vec<String> = children.iter().filter_map(shown).collect();
        let mut why = format!("`{self}` {what}");
        if !parts.is_empty() {
            why += &format!(" where {}", parts.join(", "));
        }
        if let Self::Call(Function::Divide, arguments) = self
            && arguments[1].value(of) == 0.0
        {
            why += " (division by zero)";
        }
        if let Self::Call(Function::Density(density) | Function::LnDensity(density), _) = self
            && value.is_nan()
        {
            why += &format!(" ({})", density.facts().demands);
        }
        Some(why)
    }

    /// How tightly the outermost operation binds; see [`super::parse`] for the levels.
    fn level(&self) -> u8 {
        match self {
            Self::Number(_) | Self::Name(_) => 9,
            Self::Chain(..) => 4,
            Self::Call(function, _) => match function {
                Function::Or => 1,
                Function::And => 2,
                Function::Not => 3,
                _ if comparison_sign(*function).is_some() => 4,
                Function::Add | Function::Subtract => 5,
                Function::Multiply | Function::Divide => 6,
                Function::Negate => 7,
                Function::Power => 8,
                _ => 9,
            },
        }
    }

    /// Prints it, in parentheses if it binds less tightly than its place demands.
    fn print(&self, f: &mut fmt::Formatter<'_>, demanded: u8) -> fmt::Result {
        if self.level() < demanded {
            write!(f, "(")?;
            self.print(f, 0)?;
            return write!(f, ")");
        }
        match self {
            Self::Number(value) => write!(f, "{}", format!("{value:?}").trim_end_matches(".0")),
            Self::Name(name) => write!(f, "{name}"),
            Self::Chain(first, rest) => {
                first.print(f, 5)?;
                rest.iter().try_for_each(|(comparison, right)| {
                    write!(f, " {} ", comparison_sign(*comparison).unwrap_or("?"))?;
                    right.print(f, 5)
                })
            }
            Self::Call(function, arguments) => {
                let infix = |f: &mut fmt::Formatter<'_>, left: u8, sign: &str, right: u8| {
                    arguments[0].print(f, left)?;
                    write!(f, "{sign}")?;
                    arguments[1].print(f, right)
                };
                match function {
                    Function::Or => infix(f, 1, " or ", 2),
                    Function::And => infix(f, 2, " and ", 3),
                    Function::Add => infix(f, 5, " + ", 6),
                    Function::Subtract => infix(f, 5, " - ", 6),
                    Function::Multiply => infix(f, 6, "*", 7),
                    Function::Divide => infix(f, 6, "/", 7),
                    Function::Power => infix(f, 9, "^", 7),
                    Function::Not => write!(f, "not ").and_then(|()| arguments[0].print(f, 3)),
                    Function::Negate => write!(f, "-").and_then(|()| arguments[0].print(f, 7)),
                    _ => match comparison_sign(*function) {
                        Some(sign) => infix(f, 5, &format!(" {sign} "), 5),
                        None => {
                            write!(f, "{}(", function.name().unwrap_or_else(|| format!("{function:?}")))?;
                            for (place, argument) in arguments.iter().enumerate() {
                                write!(f, "{}", if place > 0 { ", " } else { "" })?;
                                argument.print(f, 0)?;
                            }
                            write!(f, ")")
                        }
                    },
                }
            }
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(f, 0)
    }
}

/// The sign of a comparison.
fn comparison_sign(function: Function) -> Option<&'static str> {
    Some(match function {
        Function::Less => "<",
        Function::LessOrEqual => "<=",
        Function::Greater => ">",
        Function::GreaterOrEqual => ">=",
        Function::Equal => "==",
        Function::NotEqual => "!=",
        _ => return None,
    })
}
