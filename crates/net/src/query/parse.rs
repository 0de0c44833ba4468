//! From the text of a question to its value, by winnow; faults point at their place. The words of edits are read by the same functions.

use super::{Assignment, Given, Query, Target, Targets, Weights};
use crate::format::lexical::{Fault, Input, here, quoted, shortened};
use winnow::Parser;
use winnow::combinator::opt;
use winnow::stream::Stream;
use winnow::token::{literal, take_while};

/// Why a question, or an edit, could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}\n  {text}\n  {}^{}", " ".repeat(column - 1), if hint.is_empty() { String::new() } else { format!("\n  hint:  {hint}") })]
pub struct QueryError {
    /// The line of the text in which the fault is.
    pub text: String,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
    /// What to do; may be empty.
    pub hint: String,
}

pub(super) fn parse(text: &str) -> Result<Query, QueryError> {
    whole(text, query)
}

/// What all of a text is.
pub(crate) fn whole<T>(text: &str, of: impl FnOnce(&mut Input<'_>) -> Result<T, Fault>) -> Result<T, QueryError> {
    let mut input = Input::new(text);
    let value = of(&mut input).and_then(|value| {
        blanks(&mut input)?;
        if input.eof_offset() == 0 {
            Ok(value)
        } else {
            Err(Fault::new(here(&input), format!("expected the end, found {}", found(&input)), ""))
        }
    });
    value.map_err(|fault| {
        let found = fault.within(text);
        let line = text.lines().nth(found.line - 1).unwrap_or_default();
        QueryError { text: line.to_string(), column: found.column, what: found.what, hint: found.hint }
    })
}

/// Whether a character may be in a name that is not quoted.
pub(crate) fn is_of_name(symbol: char) -> bool {
    is_of_state(symbol) && !matches!(symbol, '=' | '!' | '~' | ':' | ';' | '<' | '>' | '⟂')
}

/// Whether a character may be in a state that is not quoted.
pub(crate) fn is_of_state(symbol: char) -> bool {
    !symbol.is_whitespace() && !matches!(symbol, ',' | '|' | '(' | ')' | '[' | ']' | '{' | '}' | '"')
}

fn query(input: &mut Input<'_>) -> Result<Query, Fault> {
    blanks(input)?;
    Ok(if skip(input, "P(")? {
        let targets = if skip(input, "*")? { Targets::All } else { Targets::These(list(input, target)?) };
        Query::Probability { targets, given: given_until(input, ")")? }
    } else if skip(input, "E[")? {
        Query::Expectation { variable: name(input)?, given: given_until(input, "]")? }
    } else if skip(input, "H(")? {
        Query::Entropy { variables: list(input, name)?, given: given_until(input, ")")? }
    } else if skip(input, "I(")? {
        let first = list(input, name)?;
        expect(input, ";", "`,` or `;`")?;
        Query::MutualInformation { first, second: list(input, name)?, given: given_until(input, ")")? }
    } else if keyword(input, "mpe", |rest| rest.is_empty() || rest.starts_with([':', '|']))? {
        Query::MostProbableExplanation { n_best: n_best(input)?, given: given(input)? }
    } else if keyword(input, "argmax", |rest| !rest.starts_with(['⟂', ',']) && !rest.starts_with("_||_"))? {
        Query::Argmax { n_best: n_best(input)?, variables: list(input, name)?, given: given(input)? }
    } else {
        independence(input)?
    })
}

fn independence(input: &mut Input<'_>) -> Result<Query, Fault> {
    let start = here(input);
    let unknown = |fault: Fault| {
        if fault.offset > start {
            return fault;
        }
        Fault::new(fault.offset, "this is no question", "ask P(A | B=b), argmax A | B=b, mpe | B=b, A ⟂ B | C, H(A), I(A; B) or E[A]")
    };
    let first = list(input, name).map_err(unknown)?;
    if !skip(input, "⟂")? && !skip(input, "_||_")? {
        let hint = "A ⟂ B is also written A _||_ B; probabilities are asked as P(A | B=b)";
        return Err(Fault::new(here(input), format!("expected `,` or `⟂`, found {}", found(input)), hint));
    }
    let second = list(input, name)?;
    let given = if skip(input, "|")? { list(input, name)? } else { Vec::new() };
    Ok(Query::Independence { first, second, given })
}

fn target(input: &mut Input<'_>) -> Result<Target, Fault> {
    let variable = name(input)?;
    if skip(input, "!=")? {
        Ok(Target::IsNot(Assignment { variable, state: state(input)? }))
    } else if skip(input, "=")? {
        Ok(Target::Is(Assignment { variable, state: state(input)? }))
    } else {
        Ok(Target::Variable(variable))
    }
}

fn given_until(input: &mut Input<'_>, close: &str) -> Result<Vec<Given>, Fault> {
    let given = given(input)?;
    let wanted = if given.is_empty() { format!("`,`, `|` or `{close}`") } else { format!("`,` or `{close}`") };
    expect(input, close, &wanted)?;
    Ok(given)
}

fn given(input: &mut Input<'_>) -> Result<Vec<Given>, Fault> {
    if skip(input, "|")? { list(input, item) } else { Ok(Vec::new()) }
}

fn item(input: &mut Input<'_>) -> Result<Given, Fault> {
    if skip(input, "do(")? {
        let assignments = list(input, |input| {
            let variable = name(input)?;
            expect(input, "=", "`=`")?;
            Ok(Assignment { variable, state: state(input)? })
        })?;
        expect(input, ")", "`,` or `)`")?;
        return Ok(Given::Do(assignments));
    }
    if skip(input, "!")? {
        let variable = name(input)?;
        expect(input, "=", "`=`")?;
        return Ok(Given::IsNot(Assignment { variable, state: state(input)? }));
    }
    let variable = name(input)?;
    if skip(input, "!=")? {
        Ok(Given::IsNot(Assignment { variable, state: state(input)? }))
    } else if skip(input, "=")? {
        Ok(Given::Is(Assignment { variable, state: state(input)? }))
    } else if skip(input, ":~")? {
        Ok(Given::Jeffrey { variable, weights: weights(input)? })
    } else if skip(input, "~")? {
        Ok(Given::Likelihood { variable, weights: weights(input)? })
    } else if keyword(input, "in", |rest| rest.starts_with('{'))? {
        expect(input, "{", "`{`")?;
        let states = list(input, state)?;
        expect(input, "}", "`,` or `}`")?;
        Ok(Given::OneOf { variable, states })
    } else if rest(input).starts_with(['<', '>']) {
        Err(Fault::new(
            here(input),
            "comparisons are for numeric variables, and networks have none yet",
            "write B in {b, c}, or quote the name",
        ))
    } else {
        Ok(Given::Each(variable))
    }
}

fn weights(input: &mut Input<'_>) -> Result<Weights, Fault> {
    if skip(input, "[")? {
        let numbers = list(input, number)?;
        expect(input, "]", "`,` or `]`")?;
        return Ok(Weights::InOrder(numbers));
    }
    expect(input, "{", "`[` or `{`")?;
    let named = list(input, |input| {
        blanks(input)?;
        if rest(input).starts_with('"') {
            let state = quoted(input)?.text.into_owned();
            expect(input, ":", "`:`")?;
            return Ok((state, number(input)?));
        }
        // A state may have colons itself: the last one before the number parts them.
        let run = rest(input).split(|symbol| !is_of_state(symbol)).next().unwrap_or_default();
        let state = match run.rfind(':') {
            Some(colon) if colon > 0 => run[..colon].to_string(),
            Some(_) => return Err(Fault::new(here(input), "expected a state, found `:`", "")),
            None => run.to_string(),
        };
        if state.is_empty() {
            return Err(Fault::new(here(input), format!("expected a state, found {}", found(input)), ""));
        }
        input.next_slice(state.len());
        expect(input, ":", "`:`")?;
        Ok((state, number(input)?))
    })?;
    expect(input, "}", "`,` or `}`")?;
    Ok(Weights::Named(named))
}

/// One or more, parted by commas.
fn list<'a, T>(input: &mut Input<'a>, mut one: impl FnMut(&mut Input<'a>) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
    let mut all = vec![one(input)?];
    while skip(input, ",")? {
        all.push(one(input)?);
    }
    Ok(all)
}

pub(crate) fn name(input: &mut Input<'_>) -> Result<String, Fault> {
    run(input, is_of_name, "a variable")
}

pub(crate) fn state(input: &mut Input<'_>) -> Result<String, Fault> {
    run(input, is_of_state, "a state")
}

/// A quoted text, or a run of characters.
fn run(input: &mut Input<'_>, is_of: fn(char) -> bool, what: &str) -> Result<String, Fault> {
    blanks(input)?;
    if rest(input).starts_with('"') {
        return Ok(quoted(input)?.text.into_owned());
    }
    let offset = here(input);
    match take_while::<_, _, Fault>(1.., is_of).parse_next(input) {
        Ok(text) => Ok(text.to_string()),
        Err(_) => {
            Err(Fault::new(offset, format!("expected {what}, found {}", found(input)), "quote names that have blanks or signs: \"…\""))
        }
    }
}

fn number(input: &mut Input<'_>) -> Result<f64, Fault> {
    blanks(input)?;
    let offset = here(input);
    let text = take_while::<_, _, Fault>(0.., is_of_state).parse_next(input)?;
    let not_a_number = || {
        let what = if text.is_empty() {
            format!("expected a number, found {}", found(input))
        } else {
            format!("`{}` is not a number", shortened(text))
        };
        Fault::new(offset, what, "")
    };
    text.parse().ok().filter(|value: &f64| value.is_finite()).ok_or_else(not_a_number)
}

/// The k of `argmax:k`; one where it is left out.
fn n_best(input: &mut Input<'_>) -> Result<usize, Fault> {
    if !skip(input, ":")? {
        return Ok(1);
    }
    blanks(input)?;
    let offset = here(input);
    let digits = take_while::<_, _, Fault>(0.., is_of_name).parse_next(input)?;
    let wrong = || Fault::new(offset, "expected how many, a whole number from 1", "");
    digits.parse().ok().filter(|&n_best| n_best > 0).ok_or_else(wrong)
}

/// Passes over a word, if it ends there and what follows it fits.
pub(crate) fn keyword(input: &mut Input<'_>, word: &str, follows: impl Fn(&str) -> bool) -> Result<bool, Fault> {
    blanks(input)?;
    let fits = rest(input).strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_of_name) && follows(rest.trim_start()));
    Ok(fits && skip(input, word)?)
}

pub(crate) fn blanks(input: &mut Input<'_>) -> Result<(), Fault> {
    take_while(0.., char::is_whitespace).void().parse_next(input)
}

/// Passes over a text if it comes next, after blanks.
pub(crate) fn skip(input: &mut Input<'_>, text: &str) -> Result<bool, Fault> {
    blanks(input)?;
    Ok(opt(literal::<_, _, Fault>(text)).parse_next(input)?.is_some())
}

pub(crate) fn expect(input: &mut Input<'_>, text: &str, wanted: &str) -> Result<(), Fault> {
    if skip(input, text)? { Ok(()) } else { Err(Fault::new(here(input), format!("expected {wanted}, found {}", found(input)), "")) }
}

pub(crate) fn rest<'a>(input: &Input<'a>) -> &'a str {
    input.peek_slice(input.eof_offset())
}

pub(crate) fn found(input: &Input<'_>) -> String {
    let rest = rest(input);
    let run: &str = rest.split(|symbol| !is_of_state(symbol)).next().unwrap_or_default();
    match rest.chars().next() {
        None => "the end".to_string(),
        Some(symbol) if run.is_empty() => format!("`{symbol}`"),
        Some(_) => format!("`{}`", shortened(run)),
    }
}
