//! A small, safe language for densities: `exp(-(x - μ)²/(2*σ²))/sqrt(2*pi*σ²)`.
//!
//! | what | how |
//! |---|---|
//! | numbers | `2`, `0.5`, `1e-3`, `10²` |
//! | names | `x`, `x1`, `theta`, `θ`, `μ₀`; constants `pi` (π), `e`, `inf` (∞), unless a variable has the name |
//! | operators | `+ - * / ^` and superscripts; `-2²` is −4, `2^3^2` is 2⁹ |
//! | conditions | `< <= > >= == !=`, `0 <= x <= θ`, `and or not`; true is 1 and false 0, so `(x <= θ)/θ` is a density |
//! | choice | `if(condition, then, else)`, or `where` |
//! | functions | `exp ln log log2 log10 log1p expm1 sqrt abs min max sin cos tan atan sinh cosh tanh gamma lgamma beta lbeta factorial choose lchoose erf erfc normal_cdf floor ceil sign sigmoid logit` |
//! | densities | `normal(x, mean, variance)` and the others of [`DENSITIES`]; `ln_normal` and so on are their logarithms |
//!
//! An expression is parsed ([`Expression::parse`]), its logarithm is taken on the tree ([`Expression::ln_program`]), and it is
//! compiled to a [`Program`] that runs over many rows at once. Nothing can be called but these functions, no loop can be written,
//! and the length and depth of the text are bounded ([`MOST_CHARACTERS`], [`MOST_NESTED`], [`MOST_HIGH`]).
//!
//! `exmex` and `evalexpr` evaluate expressions too, but do not take their logarithm without underflow, which is what a likelihood
//! needs; and `evalexpr` is under the AGPL. So the language is ours.

mod bound;
mod densities;
mod error;
mod function;
mod ln;
mod parse;
mod program;
#[cfg(test)]
mod tests;
mod token;
mod tree;

use std::fmt;
use std::ops::Range;

pub(crate) use bound::Bound;
pub use densities::{DENSITIES, Density, DensityFacts};
pub use error::closest;
pub use error::{ExpressionError, Fault};
pub(crate) use function::Function;
pub(crate) use parse::Parser;
pub use parse::{MOST_HIGH, MOST_NESTED};
pub use program::{Program, Registers};
pub use token::MOST_CHARACTERS;
pub(crate) use token::{Token, is_name};
pub(crate) use tree::{Tree, constant};

/// An expression in named variables.
///
/// ```
/// use tunbridge_belief::expression::Expression;
/// let density = Expression::parse("exp(-x²/(2*σ²))/sqrt(2*pi*σ²)")?;
/// assert_eq!(density.variables().collect::<Vec<_>>(), ["x", "σ"]);
/// assert_eq!(density.value(&[("x", 0.0), ("σ", 2.0)]), Some(1.0 / (8.0 * std::f64::consts::PI).sqrt()));
///
/// let fault = Expression::parse("exp(-lamda x)").unwrap_err();
/// assert_eq!(fault.column(), 12);
/// # Ok::<(), tunbridge_belief::expression::ExpressionError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    tree: Tree,
    names: Vec<(String, Range<usize>)>,
}

impl Expression {
    /// Reads a text.
    ///
    /// # Errors
    /// With the place in the text: an unknown character or function, something missing, too long or too deep a text.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let mut parser = Parser::new(text)?;
        let tree = parser.expression()?;
        parser.end()?;
        Ok(Self { text: text.to_owned(), tree, names: parser.names })
    }

    /// An expression that was read as a part of a longer text.
    pub(crate) fn from_parts(text: &str, tree: Tree, names: Vec<(String, Range<usize>)>) -> Self {
        Self { text: text.to_owned(), tree, names }
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names in it that are not constants, as they first occur.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(name, _)| name.as_str()).filter(|name| constant(name).is_none())
    }

    /// Whether the name occurs in it.
    pub fn mentions(&self, name: &str) -> bool {
        self.names.iter().any(|(known, _)| known == name)
    }

    /// Checks that every name in it is a constant or among these.
    ///
    /// # Errors
    /// With the place of the first that is not, and the known name that is spelled most alike.
    pub fn check_names(&self, known: &[&str]) -> Result<(), ExpressionError> {
        match self.names.iter().find(|(name, _)| !known.contains(&name.as_str()) && constant(name).is_none()) {
            None => Ok(()),
            Some((name, place)) => Err(ExpressionError {
                text: self.text.clone(),
                place: place.clone(),
                fault: Fault::UnknownName {
                    known: known.iter().map(|&name| name.to_owned()).collect(),
                    closest: closest(name, known.iter().copied()),
                },
            }),
        }
    }

    /// Its value where the variables have these; `None` where it is not a number. Infinity is a value.
    pub fn value(&self, variables: &[(&str, f64)]) -> Option<f64> {
        let value = self.tree.value(&|name| lookup(variables, name));
        (!value.is_nan()).then_some(value)
    }

    /// Why its value is not a finite number there: the innermost part that is at fault. `None` if it is finite.
    ///
    /// ```
    /// use tunbridge_belief::expression::Expression;
    /// let why = Expression::parse("2 + ln(x - θ)")?.why_not_finite(&[("x", 1.0), ("θ", 3.0)]);
    /// assert_eq!(why.as_deref(), Some("`ln(x - θ)` is not a number where x - θ = -2"));
    /// # Ok::<(), tunbridge_belief::expression::ExpressionError>(())
    /// ```
    pub fn why_not_finite(&self, variables: &[(&str, f64)]) -> Option<String> {
        self.tree.why_not_finite(&|name| lookup(variables, name))
    }

    /// Compiled, over these names in this order; `varying` tells which have a value for each row.
    ///
    /// # Errors
    /// See [`Self::check_names`].
    pub fn program(&self, names: &[&str], varying: &[bool]) -> Result<Program, ExpressionError> {
        self.check_names(names)?;
        Ok(Program::new(&self.tree, names, varying))
    }

    /// Its logarithm, compiled. `ranges` tells between what numbers each name lies, so that
    /// products of what is never negative can be taken apart.
    ///
    /// ```
    /// use tunbridge_belief::expression::{Expression, Registers};
    /// let density = Expression::parse("lambda*exp(-lambda*x)")?;
    /// let program = density.ln_program(&["x", "lambda"], &[true, false], &[(0.0, f64::INFINITY); 2])?;
    /// let mut ln_p = [0.0; 2];
    /// program.run(&[0.0, 1.0], &[&[1.0, 5000.0]], &mut Registers::default(), &mut ln_p);
    /// assert_eq!(ln_p, [-1.0, -5000.0]);
    /// # Ok::<(), tunbridge_belief::expression::ExpressionError>(())
    /// ```
    ///
    /// # Errors
    /// See [`Self::check_names`].
    pub fn ln_program(&self, names: &[&str], varying: &[bool], ranges: &[(f64, f64)]) -> Result<Program, ExpressionError> {
        self.check_names(names)?;
        let anywhere = (f64::NEG_INFINITY, f64::INFINITY);
        let known = |name: &str| names.iter().zip(ranges).find(|(known, _)| **known == name).map_or(anywhere, |(_, range)| *range);
        Ok(Program::new(&ln::ln(&with_constants(&self.tree, names), &known), names, varying))
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.tree)
    }
}

fn lookup(variables: &[(&str, f64)], name: &str) -> Option<f64> {
    variables.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// The tree with the values of constants that no variable's name hides.
fn with_constants(tree: &Tree, names: &[&str]) -> Tree {
    match tree {
        Tree::Name(name) if !names.contains(&name.as_str()) => constant(name).map_or_else(|| tree.clone(), Tree::Number),
        Tree::Number(_) | Tree::Name(_) => tree.clone(),
        Tree::Call(function, a) => Tree::Call(*function, a.iter().map(|a| with_constants(a, names)).collect()),
        Tree::Chain(first, rest) => Tree::Chain(
            Box::new(with_constants(first, names)),
            rest.iter().map(|(comparison, right)| (*comparison, with_constants(right, names))).collect(),
        ),
    }
}
