//! Words of the expression language: numbers, names, superscripts and signs, each with its place in the text.

use std::ops::Range;

use super::error::{ExpressionError, Fault};

/// The most characters of an expression that are read.
pub const MOST_CHARACTERS: usize = 4096;

/// One word of the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// A number, never negative.
    Number(f64),
    /// An exponent in superscript digits, as the ² of 10².
    Superscript(f64),
    /// A name, of a variable or a function.
    Name(String),
    /// An operator or a bracket, in its plain spelling.
    Sign(&'static str),
    /// Nothing more.
    End,
}

/// A word and the characters it was made of.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub token: Token,
    pub place: Range<usize>,
}

/// Signs by their spelling, longest first where one begins with another.
const SIGNS: [(&str, &str); 35] = [
    ("<=", "<="),
    (">=", ">="),
    ("==", "=="),
    ("!=", "!="),
    ("**", "^"),
    ("&&", "and"),
    ("||", "or"),
    ("<", "<"),
    (">", ">"),
    ("=", "=="),
    ("≤", "<="),
    ("≥", ">="),
    ("≠", "!="),
    ("∧", "and"),
    ("∨", "or"),
    ("¬", "not"),
    ("!", "not"),
    ("+", "+"),
    ("-", "-"),
    ("−", "-"),
    ("*", "*"),
    ("·", "*"),
    ("×", "*"),
    ("/", "/"),
    ("÷", "/"),
    ("^", "^"),
    ("(", "("),
    (")", ")"),
    ("[", "["),
    ("]", "]"),
    (",", ","),
    ("~", "~"),
    ("∝", "∝"),
    ("∈", "in"),
    ("∞", "∞"),
];

/// Cuts the text into words; the last is [`Token::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Placed>, ExpressionError> {
    let characters: Vec<char> = text.chars().take(MOST_CHARACTERS + 1).collect();
    let error = |place: Range<usize>, fault| Err(ExpressionError { text: text.to_owned(), place, fault });
    if characters.len() > MOST_CHARACTERS {
        return error(0..0, Fault::TooLong { length: text.chars().count(), most: MOST_CHARACTERS });
    }
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(&c) = characters.get(at) {
        let start = at;
        let rest = &characters[at..];
        if c.is_whitespace() {
            at += 1;
            continue;
        }
        let token = if c.is_ascii_digit() || (c == '.' && rest.get(1).is_some_and(char::is_ascii_digit)) {
            at += number_length(rest);
            let digits: String = characters[start..at].iter().collect();
            let mantissa = digits.split(['e', 'E']).next().unwrap_or("");
            match digits.parse::<f64>() {
                Ok(value) if value.is_finite() && (value != 0.0 || !mantissa.contains(|c| ('1'..='9').contains(&c))) => {
                    Token::Number(value)
                }
                _ => return error(start..at, Fault::NumberOutOfRange),
            }
        } else if superscript(c).is_some() {
            at += rest.iter().take_while(|c| superscript(**c).is_some()).count();
            let digits: String = characters[start..at].iter().filter_map(|c| superscript(*c)).collect();
            match digits.parse::<i32>() {
                Ok(value) => Token::Superscript(f64::from(value)),
                Err(_) => return error(start..at, Fault::NumberOutOfRange),
            }
        } else if c.is_alphabetic() || c == '_' {
            at += rest.iter().take_while(|c| in_name(**c)).count();
            match characters[start..at].iter().collect::<String>() {
                word if word == "and" => Token::Sign("and"),
                word if word == "or" => Token::Sign("or"),
                word if word == "not" => Token::Sign("not"),
                word if word == "in" => Token::Sign("in"),
                word => Token::Name(word),
            }
        } else {
            let starts = |sign: &str| sign.chars().zip(rest.iter().chain(std::iter::repeat(&' '))).all(|(a, b)| a == *b);
            match SIGNS.iter().find(|(spelling, _)| starts(spelling)) {
                Some((spelling, sign)) => {
                    at += spelling.chars().count();
                    Token::Sign(sign)
                }
                None => return error(at..at + 1, Fault::UnknownCharacter(c)),
            }
        };
        words.push(Placed { token, place: start..at });
    }
    words.push(Placed { token: Token::End, place: at..at });
    Ok(words)
}

/// Whether a name such as this can be written in an expression.
pub(crate) fn is_name(name: &str) -> bool {
    matches!(tokens(name).as_deref(), Ok([Placed { token: Token::Name(word), .. }, _]) if word == name)
}

fn in_name(c: char) -> bool {
    (c.is_alphanumeric() || c == '_' || c == '\'') && superscript(c).is_none()
}

/// How many characters of a number stand here: digits, a point, digits, an exponent.
fn number_length(rest: &[char]) -> usize {
    let digits = |from: usize| rest[from.min(rest.len())..].iter().take_while(|c| c.is_ascii_digit()).count();
    let mut length = digits(0);
    if rest.get(length) == Some(&'.') {
        length += 1 + digits(length + 1);
    }
    if matches!(rest.get(length), Some('e' | 'E')) {
        let sign = usize::from(matches!(rest.get(length + 1), Some('+' | '-')));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

/// The plain character of a superscript one.
fn superscript(c: char) -> Option<char> {
    Some(match c {
        '⁰' => '0',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁴' => '4',
        '⁵' => '5',
        '⁶' => '6',
        '⁷' => '7',
        '⁸' => '8',
        '⁹' => '9',
        '⁻' => '-',
        _ => return None,
    })
}
