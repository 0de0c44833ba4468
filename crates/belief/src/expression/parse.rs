//! The grammar of expressions, by recursive descent.
//!
//! | level | what | binds |
//! |---|---|---|
//! | 1, 2, 3 | `or`, `and`, `not` | least |
//! | 4 | `<` `<=` `>` `>=` `==` `!=`, also in a row: `0 < x <= 1` | |
//! | 5, 6 | `+` `-`, then `*` `/` | from the left |
//! | 7 | `-` before | so that −2² is −4 |
//! | 8 | `^`, and superscripts as in `10²` | from the right, most |
//!
//! Nesting and the height of the tree are bounded, so that no text, however hostile, exhausts the stack.

use std::ops::Range;

use super::error::{ExpressionError, Fault, closest};
use super::function::{self, Function};
use super::token::{Placed, Token, tokens};
use super::tree::Tree;

/// The most levels of nesting (parentheses, signs, powers) that are read.
pub const MOST_NESTED: usize = 100;
/// The greatest height of the tree: also how many terms one sum may have.
pub const MOST_HIGH: usize = 250;

/// A tree and its height.
type Grown = (Tree, usize);

/// Reads words one after the other; also used for what stands around expressions, such as ranges.
pub(crate) struct Parser<'a> {
    text: &'a str,
    words: Vec<Placed>,
    at: usize,
    nested: usize,
    /// The names met, with the place of the first.
    pub names: Vec<(String, Range<usize>)>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Self, ExpressionError> {
        let parser = Self { text, words: tokens(text)?, at: 0, nested: 0, names: Vec::new() };
        match parser.words.len() {
            1 => Err(parser.error(0..0, Fault::Empty)),
            _ => Ok(parser),
        }
    }

    pub(crate) fn error(&self, place: Range<usize>, fault: Fault) -> ExpressionError {
        ExpressionError { text: self.text.to_owned(), place, fault }
    }

    pub(crate) fn token(&self) -> &Token {
        &self.words[self.at].token
    }

    pub(crate) fn place(&self) -> Range<usize> {
        self.words[self.at].place.clone()
    }

    pub(crate) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.words.len() - 1);
    }

    /// Takes the sign if it stands here.
    pub(crate) fn take(&mut self, sign: &str) -> bool {
        let stands = matches!(self.token(), Token::Sign(here) if *here == sign);
        if stands {
            self.advance();
        }
        stands
    }

    pub(crate) fn expect(&mut self, sign: &str, expected: &'static str) -> Result<(), ExpressionError> {
        if self.take(sign) { Ok(()) } else { Err(self.expected(expected)) }
    }

    /// That something else should stand here.
    pub(crate) fn expected(&self, expected: &'static str) -> ExpressionError {
        self.error(self.place(), Fault::Expected { expected, found: self.found() })
    }

    /// What stands here, as a reader sees it.
    fn found(&self) -> String {
        match self.token() {
            Token::End => "the end".to_owned(),
            _ => format!("`{}`", self.text.chars().skip(self.place().start).take(self.place().len()).collect::<String>()),
        }
    }

    /// That the text ends here.
    pub(crate) fn end(&self) -> Result<(), ExpressionError> {
        match self.token() {
            Token::End => Ok(()),
            Token::Number(_) | Token::Name(_) | Token::Sign("(") => {
                Err(self.error(self.place(), Fault::MissingOperator { found: self.found() }))
            }
            _ => Err(self.expected("an operator or the end")),
        }
    }

    /// An expression.
    pub(crate) fn expression(&mut self) -> Result<Tree, ExpressionError> {
        Ok(self.or()?.0)
    }

    fn or(&mut self) -> Result<Grown, ExpressionError> {
        let mut left = self.and()?;
        while self.take("or") {
            let right = self.and()?;
            left = self.grow(Function::Or, vec![left, right])?;
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Grown, ExpressionError> {
        let mut left = self.not()?;
        while self.take("and") {
            let right = self.not()?;
            left = self.grow(Function::And, vec![left, right])?;
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Grown, ExpressionError> {
        if !self.take("not") {
            return self.comparison();
        }
        let operand = self.deeper(Self::not)?;
        self.grow(Function::Not, vec![operand])
    }

    fn comparison(&mut self) -> Result<Grown, ExpressionError> {
        let first = self.sum()?;
        let mut rest = Vec::new();
        let mut height = first.1;
        while let Token::Sign(sign) = *self.token() {
            let function = match sign {
                "<" => Function::Less,
                "<=" => Function::LessOrEqual,
                ">" => Function::Greater,
                ">=" => Function::GreaterOrEqual,
                "==" => Function::Equal,
                "!=" => Function::NotEqual,
                _ => break,
            };
            self.advance();
            let right = self.sum()?;
            height = height.max(right.1);
            rest.push((function, right.0));
        }
        match rest.len() {
            0 => Ok(first),
            1 => {
                let (function, right) = rest.remove(0);
                self.grow(function, vec![first, (right, height)])
            }
            _ => Ok((Tree::Chain(Box::new(first.0), rest), self.higher(height)?)),
        }
    }

    fn sum(&mut self) -> Result<Grown, ExpressionError> {
        let mut left = self.product()?;
        loop {
            let function = match self.token() {
                Token::Sign("+") => Function::Add,
                Token::Sign("-") => Function::Subtract,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.product()?;
            left = self.grow(function, vec![left, right])?;
        }
    }

    fn product(&mut self) -> Result<Grown, ExpressionError> {
        let mut left = self.signed()?;
        loop {
            let function = match self.token() {
                Token::Sign("*") => Function::Multiply,
                Token::Sign("/") => Function::Divide,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.signed()?;
            left = self.grow(function, vec![left, right])?;
        }
    }

    fn signed(&mut self) -> Result<Grown, ExpressionError> {
        if self.take("-") {
            let operand = self.deeper(Self::signed)?;
            return self.grow(Function::Negate, vec![operand]);
        }
        if self.take("+") {
            return self.deeper(Self::signed);
        }
        self.power()
    }

    fn power(&mut self) -> Result<Grown, ExpressionError> {
        let mut base = self.primary()?;
        while let Token::Superscript(exponent) = *self.token() {
            self.advance();
            let magnitude = (Tree::Number(exponent.abs()), 1);
            let exponent = if exponent < 0.0 { self.grow(Function::Negate, vec![magnitude])? } else { magnitude };
            base = self.grow(Function::Power, vec![base, exponent])?;
        }
        if self.take("^") {
            let exponent = self.deeper(Self::signed)?;
            return self.grow(Function::Power, vec![base, exponent]);
        }
        Ok(base)
    }

    fn primary(&mut self) -> Result<Grown, ExpressionError> {
        let place = self.place();
        match self.token().clone() {
            Token::Number(value) => {
                self.advance();
                Ok((Tree::Number(value), 1))
            }
            Token::Sign("∞") => {
                self.advance();
                Ok((Tree::Name("inf".into()), 1))
            }
            Token::Name(name) => {
                self.advance();
                if self.take("(") {
                    return self.call(&name, place);
                }
                if self.names.iter().all(|(known, _)| *known != name) {
                    self.names.push((name.clone(), place));
                }
                Ok((Tree::Name(name), 1))
            }
            Token::Sign("(") => {
                self.advance();
                let inside = self.deeper(Self::or)?;
                self.closing()?;
                Ok(inside)
            }
            _ => Err(self.expected("a number, a name or `(`")),
        }
    }

    /// The arguments of a function whose name and `(` are read.
    fn call(&mut self, name: &str, place: Range<usize>) -> Result<Grown, ExpressionError> {
        let mut arguments = Vec::new();
        if !self.take(")") {
            loop {
                arguments.push(self.deeper(Self::or)?);
                if !self.take(",") {
                    break;
                }
            }
            self.closing()?;
        }
        match function::by_name(name, arguments.len()) {
            Ok(function) => self.grow(function, arguments),
            Err(usage) if usage.is_empty() => Err(self.error(place, Fault::UnknownFunction { closest: closest(name, function::names()) })),
            Err(usage) => Err(self.error(place, Fault::Arguments { usage, given: arguments.len() })),
        }
    }

    fn closing(&mut self) -> Result<(), ExpressionError> {
        match self.token() {
            Token::Number(_) | Token::Name(_) => Err(self.error(self.place(), Fault::MissingOperator { found: self.found() })),
            _ => self.expect(")", "an operator, `,` or `)`"),
        }
    }

    fn deeper(&mut self, read: fn(&mut Self) -> Result<Grown, ExpressionError>) -> Result<Grown, ExpressionError> {
        if self.nested == MOST_NESTED {
            return Err(self.error(self.place(), Fault::TooDeep { most: MOST_NESTED }));
        }
        self.nested += 1;
        let read = read(self);
        self.nested -= 1;
        read
    }

    fn grow(&self, function: Function, arguments: Vec<Grown>) -> Result<Grown, ExpressionError> {
        let height = self.higher(arguments.iter().map(|(_, height)| *height).max().unwrap_or(0))?;
        Ok((Tree::Call(function, arguments.into_iter().map(|(tree, _)| tree).collect()), height))
    }

    fn higher(&self, height: usize) -> Result<usize, ExpressionError> {
        match height {
            MOST_HIGH.. => Err(self.error(self.place(), Fault::TooDeep { most: MOST_HIGH })),
            _ => Ok(height + 1),
        }
    }
}
