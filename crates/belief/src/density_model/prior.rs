//! What is believed of one parameter, as a text: `theta ~ U(0, 10)`.
//!
//! | text | meaning |
//! |---|---|
//! | `mu ~ N(0, 10²)` | a named density; the second parameter of N is the variance |
//! | `p ~ Beta(2, 2) in (0, 0.5)` | the same, cut to a range and normalised there |
//! | `θ ~ 2*θ in (0, 1)` | any expression that integrates to one over its range |
//! | `sd ∝ 1/sd in (0, inf)` (or `prop` for ∝) | any expression up to a constant, also an improper one |
//! | `b ~ N(0, tau²)` | parameters may depend on others, which have priors of their own |
//!
//! Without `in`, a named density lives on its own support, and an expression on the whole line.

use crate::Support;
use crate::expression::{Density, Expression, ExpressionError, Fault, Function, Parser, Token, Tree};

/// What is believed of one parameter.
#[derive(Clone, Debug)]
pub struct Prior {
    name: String,
    density: Expression,
    support: Support,
    kind: PriorKind,
}

/// How a prior was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriorKind {
    /// By name, on its own support: it integrates to one.
    Named,
    /// By name, cut to a range: to be divided by its integral.
    Cut,
    /// By an expression that must integrate to one.
    Expression,
    /// Up to a constant: the marginal likelihood is known up to that constant too.
    UpToAConstant,
}

impl Prior {
    /// Reads a prior.
    ///
    /// ```
    /// use tunbridge_belief::density_model::Prior;
    /// let prior = Prior::parse("θ ~ U(0, 10)")?;
    /// assert_eq!((prior.name(), prior.support().high()), ("θ", 10.0));
    /// assert_eq!(prior.density().to_string(), "uniform(θ, 0, 10)");
    /// # Ok::<(), tunbridge_belief::expression::ExpressionError>(())
    /// ```
    ///
    /// # Errors
    /// With the place in the text.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let mut parser = Parser::new(text)?;
        let Token::Name(name) = parser.token().clone() else { return Err(parser.expected("the name of a parameter")) };
        let place = parser.place();
        parser.advance();
        let constant = match parser.token() {
            Token::Sign("∝") => true,
            Token::Name(word) if word == "prop" => true,
            Token::Sign("~") => false,
            _ => return Err(parser.expected("`~`, as in 'theta ~ U(0, 10)'")),
        };
        parser.advance();
        // As the families have it: the same everywhere, and no distribution.
        let flat = !constant && matches!(parser.token(), Token::Name(word) if word == "flat");
        if flat {
            parser.advance();
        }
        let constant = constant || flat;
        let named = if constant { None } else { named(&mut parser, text, &name)? };
        let is_named = named.is_some();
        let (tree, own) = match named {
            Some(named) => named,
            None if flat => (Tree::Number(1.0), Support::REAL),
            None => (parser.expression()?, Support::REAL),
        };
        let range = if parser.take("in") { Some(range(&mut parser, text)?) } else { None };
        parser.end()?;
        let mut names = parser.names.clone();
        if names.iter().all(|(known, _)| *known != name) {
            names.push((name.clone(), place));
        }
        let support = match range {
            None => own,
            Some((range, at)) => own.and(&range).ok_or_else(|| {
                parser.error(at, Fault::EmptyRange { low: own.low().max(range.low()), high: own.high().min(range.high()) })
            })?,
        };
        let kind = match (constant, is_named) {
            (true, _) => PriorKind::UpToAConstant,
            (_, true) if support == own => PriorKind::Named,
            (_, true) => PriorKind::Cut,
            _ => PriorKind::Expression,
        };
        Ok(Self { name, density: Expression::from_parts(text, tree, names), support, kind })
    }

    /// The parameter.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its density, in the parameter and what it depends on.
    pub fn density(&self) -> &Expression {
        &self.density
    }

    /// Where the parameter lies.
    pub fn support(&self) -> Support {
        self.support
    }

    /// How it was given.
    pub fn kind(&self) -> PriorKind {
        self.kind
    }
}

/// `U(0, 10)`: a density's name with one argument less than the function of that name, which the parameter is.
///
/// Only if the whole prior is the one call, so that `θ ~ gamma(2)*θ` stays an expression.
fn named<'a>(parser: &mut Parser<'a>, text: &'a str, name: &str) -> Result<Option<(Tree, Support)>, ExpressionError> {
    let Token::Name(word) = parser.token().clone() else { return Ok(None) };
    let Some(density) = Density::by_name(&word) else { return Ok(None) };
    let place = parser.place();
    // Looked at a second time from here if it is not what it seems.
    let mut ahead = Parser::new(text)?;
    while ahead.place() != place {
        ahead.advance();
    }
    ahead.advance();
    if !ahead.take("(") {
        return Ok(None);
    }
    let mut arguments = vec![Tree::Name(name.to_owned())];
    let mut places = Vec::new();
    if !ahead.take(")") {
        loop {
            let start = ahead.place().start;
            arguments.push(ahead.expression()?);
            places.push(start..ahead.place().start);
            if !ahead.take(",") {
                break;
            }
        }
        ahead.expect(")", "an operator, `,` or `)`")?;
    }
    let facts = density.facts();
    let given = arguments.len() - 1;
    let whole = matches!(ahead.token(), Token::End | Token::Sign("in"));
    if !whole || given == facts.parameters.len() + 1 {
        return Ok(None);
    }
    if given != facts.parameters.len() || facts.discrete {
        let usage = vec![format!("{name} ~ {word}({})", facts.parameters.join(", "))];
        return Err(match facts.discrete {
            true => ahead.error(
                place,
                Fault::Expected { expected: "a density of a real number", found: format!("`{word}`, which lives on whole numbers") },
            ),
            false => ahead.error(place, Fault::Arguments { usage, given }),
        });
    }
    let values: Vec<f64> = arguments[1..].iter().map(|argument| argument.value(&|_| None)).collect();
    let depends = |at: usize| values[at].is_nan() && mentions_a_variable(&arguments[at + 1]);
    for (at, value) in values.iter().enumerate() {
        if !value.is_finite() && !depends(at) {
            return Err(ahead.error(trimmed(&places[at], text), Fault::NotANumber));
        }
    }
    let ends_matter = matches!(density, Density::Uniform | Density::Pareto);
    if let Some(at) = (0..values.len()).find(|at| ends_matter && depends(*at)) {
        return Err(ahead.error(trimmed(&places[at], text), Fault::NotConstant));
    }
    let middle = density.support(&values);
    let inside = if middle.0.is_finite() { middle.0 + 1e-3 * (middle.1.min(middle.0 + 1.0) - middle.0) } else { 0.0 };
    if !values.iter().any(|value| value.is_nan()) && density.ln_pdf(inside, &values).is_nan() {
        let found = format!(
            "`{}`: {}",
            text.chars().skip(place.start).take(ahead.place().start - place.start).collect::<String>().trim(),
            facts.demands
        );
        return Err(ahead.error(place, Fault::Expected { expected: "parameters that the density can have", found }));
    }
    let support = Support::new(middle.0, middle.1).unwrap_or(Support::REAL);
    *parser = ahead;
    Ok(Some((Tree::Call(Function::Density(density), arguments), support)))
}

/// The characters of an argument without the spaces and the comma behind it.
fn trimmed(place: &std::ops::Range<usize>, text: &str) -> std::ops::Range<usize> {
    let characters: Vec<char> = text.chars().skip(place.start).take(place.len()).collect();
    let kept = characters.iter().rposition(|c| !c.is_whitespace() && *c != ',').map_or(0, |at| at + 1);
    place.start..place.start + kept
}

fn mentions_a_variable(tree: &Tree) -> bool {
    match tree {
        Tree::Number(_) => false,
        Tree::Name(name) => crate::expression::constant(name).is_none(),
        Tree::Call(_, arguments) => arguments.iter().any(mentions_a_variable),
        Tree::Chain(first, rest) => mentions_a_variable(first) || rest.iter().any(|(_, tree)| mentions_a_variable(tree)),
    }
}

/// `(0, inf)` or `[0, 10]`, with constants for ends.
fn range(parser: &mut Parser<'_>, text: &str) -> Result<(Support, std::ops::Range<usize>), ExpressionError> {
    let start = parser.place().start;
    if !parser.take("(") && !parser.take("[") {
        return Err(parser.expected("a range such as (0, inf)"));
    }
    let low = end(parser, text)?;
    parser.expect(",", "`,` and the upper end of the range")?;
    let high = end(parser, text)?;
    if !parser.take(")") {
        parser.expect("]", "`)` or `]`")?;
    }
    let place = start..parser.place().start;
    match Support::new(low, high) {
        Some(support) => Ok((support, trimmed(&place, text))),
        None => Err(parser.error(trimmed(&place, text), Fault::EmptyRange { low, high })),
    }
}

fn end(parser: &mut Parser<'_>, text: &str) -> Result<f64, ExpressionError> {
    let start = parser.place().start;
    let tree = parser.expression()?;
    let place = trimmed(&(start..parser.place().start), text);
    let value = tree.value(&|_| None);
    match (mentions_a_variable(&tree), value.is_nan()) {
        (true, _) => Err(parser.error(place, Fault::NotConstant)),
        (_, true) => Err(parser.error(place, Fault::NotANumber)),
        _ => Ok(value),
    }
}

/// Reads a range such as `(0, inf)` or `[0, 10]`.
///
/// # Errors
/// With the place in the text.
pub fn parse_range(text: &str) -> Result<Support, ExpressionError> {
    let mut parser = Parser::new(text)?;
    let (support, _) = range(&mut parser, text)?;
    parser.end()?;
    Ok(support)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Exp` is the density and `exp` the function.
    #[test]
    fn exp_in_capitals_is_the_exponential() {
        assert_eq!(Prior::parse("s ~ Exp(2)").unwrap().density().to_string(), "exponential(s, 2)");
        assert_eq!(Prior::parse("s ~ Exp(2)").unwrap().kind(), PriorKind::Named);
        assert_eq!(Prior::parse("s ~ exp(-s) in (0, inf)").unwrap().kind(), PriorKind::Expression);
    }

    fn read(text: &str) -> (String, f64, f64, PriorKind) {
        let prior = Prior::parse(text).unwrap_or_else(|e| panic!("{e}"));
        (prior.density().to_string(), prior.support().low(), prior.support().high(), prior.kind())
    }

    #[test]
    fn priors_as_they_are_written() {
        let inf = f64::INFINITY;
        assert_eq!(read("mean ~ N(170, 10²)"), ("normal(mean, 170, 10^2)".into(), -inf, inf, PriorKind::Named));
        assert_eq!(read("theta ~ U(0, 10)"), ("uniform(theta, 0, 10)".into(), 0.0, 10.0, PriorKind::Named));
        assert_eq!(read("sd ~ Gamma(2, 1)"), ("gamma(sd, 2, 1)".into(), 0.0, inf, PriorKind::Named));
        assert_eq!(read("p ~ Beta(2, 2) in (0, 0.5)"), ("beta(p, 2, 2)".into(), 0.0, 0.5, PriorKind::Cut));
        assert_eq!(read("θ ~ 2*θ in [0, 1]"), ("2*θ".into(), 0.0, 1.0, PriorKind::Expression));
        assert_eq!(read("s ∝ 1/s in (0, ∞)"), ("1/s".into(), 0.0, inf, PriorKind::UpToAConstant));
        assert_eq!(read("s prop 1"), ("1".into(), -inf, inf, PriorKind::UpToAConstant));
        assert_eq!(read("b ~ N(0, tau²)"), ("normal(b, 0, tau^2)".into(), -inf, inf, PriorKind::Named));
        assert_eq!(read("θ ~ gamma(2)*exp(-θ) in (0, inf)").3, PriorKind::Expression);
        assert_eq!(read("t ~ gamma(t, 2, 1) in (0, inf)"), ("gamma(t, 2, 1)".into(), 0.0, inf, PriorKind::Expression));
        assert_eq!(read("mu ~ U(-5, 5)").1, -5.0);
    }

    #[test]
    fn faults_tell_their_place() {
        let fault = |text: &str| Prior::parse(text).unwrap_err().to_string();
        assert_eq!(
            fault("theta ~ U(10)"),
            "column 9: `U` does not take 1 argument(s)\n  theta ~ U(10)\n          ^\n  usage: theta ~ U(low, high)"
        );
        assert!(fault("theta = 3").starts_with("column 7: expected `~`"));
        assert!(fault("theta ~ U(10, 0)").contains("low must be below high"), "{}", fault("theta ~ U(10, 0)"));
        assert!(fault("s ~ N(0, -1)").contains("the variance must be at least 0"));
        assert!(fault("s ~ Gamma(0, 1)").contains("shape and rate must be above 0"));
        assert!(fault("s ~ N(0, 1/0)").contains("`1/0` is not a number"), "{}", fault("s ~ N(0, 1/0)"));
        assert!(fault("s ~ U(0, b)").contains("`b` must be a constant"));
        assert!(fault("s ~ Poisson(3)").contains("whole numbers"));
        assert!(fault("s ~ 1 in (3, 2)").contains("nothing lies between 3 and 2"));
        assert!(fault("s ~ Beta(1, 1) in (3, 4)").contains("nothing lies between"));
        assert!(fault("s ~ Nrmal(0, 1)").contains("did you mean `normal`?"));
        assert!(parse_range("(0, inf)").is_ok() && parse_range("[0, x]").is_err() && parse_range("0, 1").is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[a-zθσ~∝()\\[\\],.0-9 inU+*/^²-]{0,40}") {
            let _ = Prior::parse(&text).map_err(|e| e.to_string());
            let _ = parse_range(&text).map_err(|e| e.to_string());
        }
    }
}
