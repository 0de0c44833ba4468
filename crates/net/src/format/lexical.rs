//! What texts of networks are made of: blanks, comments, words, quoted words and numbers, and where a text is broken.
//!
//! Built on winnow. A fault carries the offset it was met at; lines and columns are counted only when it is told.

use std::borrow::Cow;
use winnow::Parser;
use winnow::error::ParserError;
use winnow::stream::{LocatingSlice, Location, Stream};
use winnow::token::{literal, take_till, take_until, take_while};

/// Why a text could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {what}{}", if hint.is_empty() { String::new() } else { format!("\n  hint:  {hint}") })]
pub struct FormatError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
    /// What to do; may be empty.
    pub hint: String,
}

/// A text with the place the reader has come to.
pub(crate) type Input<'a> = LocatingSlice<&'a str>;

/// What is wrong at an offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub offset: usize,
    pub what: String,
    pub hint: String,
}

/// A word with the place it stands at.
#[derive(Clone, Debug)]
pub(crate) struct Word<'a> {
    pub text: Cow<'a, str>,
    pub offset: usize,
}

impl Fault {
    pub fn new(offset: usize, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { offset, what: what.into(), hint: hint.into() }
    }

    /// The fault with its line and column in the text.
    pub fn within(self, text: &str) -> FormatError {
        let mut end = self.offset.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line_start = before.rfind('\n').map_or(0, |place| place + 1);
        FormatError {
            line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            what: self.what,
            hint: self.hint,
        }
    }
}

impl<'a> ParserError<Input<'a>> for Fault {
    type Inner = Self;

    fn from_input(input: &Input<'a>) -> Self {
        Self { offset: input.current_token_start(), what: String::new(), hint: String::new() }
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}

/// The text of bytes, without a byte-order mark.
pub(crate) fn text_of(bytes: &[u8]) -> Result<&str, FormatError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
        Fault::new(valid.len(), "the text is not UTF-8 here", "save the file as UTF-8").within(valid)
    })
}

/// Passes over blanks and comments, `// …` to the end of the line and `/* … */`.
#[inline]
pub(crate) fn blank(input: &mut Input<'_>) -> Result<(), Fault> {
    let rest: &str = input.peek_slice(input.eof_offset());
    // Most often a word or a delimiter comes at once, or behind one blank.
    match rest.as_bytes() {
        [b' ' | b'\n', next, ..] if is_plain(*next) => {
            input.next_slice(1);
            Ok(())
        }
        [next, ..] if is_plain(*next) => Ok(()),
        _ => over_comments(input, &["//"]),
    }
}

/// Passes over blanks and comments: `/* … */`, and from any of these beginnings to the end of the line.
pub(crate) fn over_comments(input: &mut Input<'_>, of_lines: &[&str]) -> Result<(), Fault> {
    loop {
        take_while(0.., char::is_whitespace).void().parse_next(input)?;
        let offset = input.current_token_start();
        if of_lines.iter().any(|beginning| input.starts_with(beginning)) {
            take_till(0.., '\n').void().parse_next(input)?;
        } else if input.starts_with("/*") {
            let comment = (take_until::<_, _, Fault>(0.., "*/"), literal("*/"));
            comment.void().parse_next(input).map_err(|_| Fault::new(offset, "this comment has no end", "close it with */"))?;
        } else {
            return Ok(());
        }
    }
}

/// Where a statement ends: at the first `;` that is not in quotes, in which `\"` is no end.
pub(crate) fn statement_end(text: &str) -> Option<usize> {
    let (mut in_quotes, mut escaped) = (false, false);
    let outside = |&(_, symbol): &(usize, char)| {
        in_quotes ^= symbol == '"' && !escaped;
        escaped = in_quotes && symbol == '\\' && !escaped;
        symbol == ';' && !in_quotes
    };
    text.char_indices().find(outside).map(|(end, _)| end)
}

/// Whether this character comes next, after blanks.
pub(crate) fn next_is(input: &mut Input<'_>, symbol: char) -> Result<bool, Fault> {
    blank(input)?;
    Ok(input.starts_with(symbol))
}

/// Passes over a character if it comes next.
#[inline]
pub(crate) fn skip(input: &mut Input<'_>, symbol: char) -> Result<bool, Fault> {
    blank(input)?;
    let comes = input.starts_with(symbol);
    if comes {
        input.next_slice(symbol.len_utf8());
    }
    Ok(comes)
}

/// Passes over a character that must come next; `place` says where, as in «after the states».
pub(crate) fn expect(input: &mut Input<'_>, symbol: char, place: &str) -> Result<(), Fault> {
    if skip(input, symbol)? {
        Ok(())
    } else {
        Err(Fault::new(here(input), format!("expected `{symbol}` {place}, found {}", found(input)), ""))
    }
}

/// A name: quoted, or a run without blanks and delimiters; `what` says what it is the name of.
pub(crate) fn word<'a>(input: &mut Input<'a>, what: &str) -> Result<Word<'a>, Fault> {
    blank(input)?;
    let offset = here(input);
    if input.starts_with('"') {
        return quoted(input);
    }
    let text = bare_word(input);
    if text.is_empty() {
        let hint = "names with blanks or delimiters are written in \"…\"";
        return Err(Fault::new(offset, format!("expected {what}, found {}", found(input)), hint));
    }
    Ok(Word { text: Cow::Borrowed(text), offset })
}

/// Numbers parted by commas or blanks, up to a character that ends them.
pub(crate) fn numbers_until(input: &mut Input<'_>, end: char, values: &mut Vec<f64>) -> Result<(), Fault> {
    while !skip(input, end)? {
        loop {
            values.push(number_here(input)?);
            // Most often a comma, a blank and the next number.
            let rest: &str = input.peek_slice(input.eof_offset());
            match rest.as_bytes() {
                [b',', b' ', next, ..] if next.is_ascii_digit() => input.next_slice(2),
                _ => break,
            };
        }
        skip(input, ',')?;
    }
    Ok(())
}

/// A finite number.
pub(crate) fn number(input: &mut Input<'_>) -> Result<f64, Fault> {
    blank(input)?;
    number_here(input)
}

fn number_here(input: &mut Input<'_>) -> Result<f64, Fault> {
    let rest: &str = input.peek_slice(input.eof_offset());
    if let Some((value, length)) = short_decimal(rest.as_bytes()) {
        input.next_slice(length);
        return Ok(value);
    }
    let offset = here(input);
    let text = bare_word(input);
    if text.is_empty() {
        return Err(Fault::new(
            offset,
            format!("expected a number, found {}", found(input)),
            "numbers are parted by commas or blanks, the last ends with `;`",
        ));
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(Fault::new(offset, format!("`{}` is not a number", shortened(text)), "write it as 0.25 or 2.5e-1")),
    }
}

/// A decimal without exponent and of at most fifteen digits, as most are, with its length. Its digits make a whole number that a double holds, and so do
/// the powers of ten up to 10²²: their quotient is rounded once, as the nearest double is (Clinger 1990).
fn short_decimal(text: &[u8]) -> Option<(f64, usize)> {
    const TENS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    // Most often a digit, a point and a few more.
    if let [whole @ b'0'..=b'9', b'.', behind @ ..] = text
        && let Some((eight, rest)) = behind.split_first_chunk()
    {
        let (first, mut n) = eight_digits(*eight);
        let mut digits = f64::from(first);
        if let (8, Some(eight)) = (n, rest.first_chunk()) {
            let (more, n_more) = eight_digits(*eight);
            (digits, n) = (digits * TENS[n_more] + f64::from(more), 8 + n_more);
        }
        if n < 15 && behind.get(n).is_some_and(|byte| byte.is_ascii() && !IS_OF_WORD[usize::from(*byte)]) {
            return Some(((f64::from(whole - b'0') * TENS[n] + digits) / TENS[n], 2 + n));
        }
    }
    let (mut digits, mut n_digits, mut point) = (0_u64, 0, None);
    for (place, &byte) in text.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                n_digits += 1;
                if n_digits > 15 {
                    return None;
                }
                digits = digits * 10 + u64::from(byte - b'0');
            }
            b'.' if point.is_none() => point = Some(n_digits),
            _ if byte.is_ascii() && !IS_OF_WORD[usize::from(byte)] && n_digits > 0 => {
                return Some((digits as f64 / TENS[n_digits - point.unwrap_or(n_digits)], place));
            }
            _ => return None,
        }
    }
    None
}

/// The digits that eight bytes begin with as a number, and how many they are. All are added at once: pairs, then fours, then eight (Lemire 2021, "Number
/// parsing at a gigabyte per second").
fn eight_digits(bytes: [u8; 8]) -> (u32, usize) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let values = u64::from_le_bytes(bytes) ^ (0x30 * EACH);
    // The high bit of a byte that is more than nine is set, and that of later ones may be.
    let others = (values.wrapping_add(0x76 * EACH) | values) & (0x80 * EACH);
    let n = (others.trailing_zeros() / 8) as usize;
    // What is behind goes, and zeros come before the digits.
    let digits = if n == 0 { 0 } else { values << (64 - 8 * n) };
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000).wrapping_add(fours >> 32) as u32, n)
}

/// Where the reader has come to.
pub(crate) fn here(input: &Input<'_>) -> usize {
    input.current_token_start()
}

/// What comes next, for an error.
pub(crate) fn found(input: &Input<'_>) -> String {
    let rest: &str = input.peek_slice(input.eof_offset());
    match rest.chars().next() {
        None => "the end of the text".to_string(),
        Some(symbol) if !is_of_word(symbol) => format!("`{symbol}`"),
        Some(_) => format!("`{}`", shortened(&rest[..rest.find(|symbol| !is_of_word(symbol)).unwrap_or(rest.len())])),
    }
}

/// A name as it is written: bare where that reads back, else quoted.
pub(crate) fn written(name: &str) -> Cow<'_, str> {
    let bare = !name.is_empty() && name.chars().all(is_of_word) && !name.starts_with("//") && !name.starts_with("/*");
    if bare { Cow::Borrowed(name) } else { Cow::Owned(format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))) }
}

/// A name in `"…"`, in which `\"` and `\\` stand for a quote and a backslash.
pub(crate) fn quoted<'a>(input: &mut Input<'a>) -> Result<Word<'a>, Fault> {
    let offset = here(input);
    let rest: &'a str = input.peek_slice(input.eof_offset());
    let mut escaped = false;
    for (place, symbol) in rest.char_indices().skip(1) {
        match symbol {
            '"' if !escaped => {
                let inside = &rest[1..place];
                input.next_slice(place + 1);
                let text = if inside.contains('\\') { Cow::Owned(unescaped(inside)) } else { Cow::Borrowed(inside) };
                return Ok(Word { text, offset });
            }
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    Err(Fault::new(offset, "this quote has no end", "close it with \""))
}

fn unescaped(inside: &str) -> String {
    let mut text = String::with_capacity(inside.len());
    let mut symbols = inside.chars().peekable();
    while let Some(symbol) = symbols.next() {
        let escapes = symbol == '\\' && matches!(symbols.peek(), Some('"' | '\\'));
        text.push(if escapes { symbols.next().unwrap_or(symbol) } else { symbol });
    }
    text
}

/// The run of characters of a word that comes next; may be empty.
fn bare_word<'a>(input: &mut Input<'a>) -> &'a str {
    let rest: &'a str = input.peek_slice(input.eof_offset());
    let is_end = |byte: &u8| !IS_OF_WORD[usize::from(*byte)];
    let mut end = rest.bytes().position(|byte| is_end(&byte)).unwrap_or(rest.len());
    // Letters beyond ASCII are rare, and some of them are blanks.
    if rest.as_bytes().get(end).is_some_and(|byte| !byte.is_ascii()) {
        end = rest.find(|symbol| !is_of_word(symbol)).unwrap_or(rest.len());
    }
    input.next_slice(end)
}

/// Whether a byte is ASCII, no blank, and begins no comment.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && byte != b'/'
}

/// For every byte, whether it is a character of a word; of characters beyond ASCII no byte alone is.
const IS_OF_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = is_ascii_of_word(byte as u8);
        byte += 1;
    }
    table
};

const fn is_ascii_of_word(byte: u8) -> bool {
    // U+000B is a blank to `char::is_whitespace`, though not to `u8::is_ascii_whitespace`.
    let is_blank = byte.is_ascii_whitespace() || byte == 0x0b;
    !is_blank && !matches!(byte, b',' | b';' | b'{' | b'}' | b'(' | b')' | b'[' | b']' | b'|' | b'"')
}

fn is_of_word(symbol: char) -> bool {
    if symbol.is_ascii() { is_ascii_of_word(symbol as u8) } else { !symbol.is_whitespace() }
}

/// The beginning of a text that may be long.
pub(crate) fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 { text.to_string() } else { text.chars().take(40).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_decimals_are_the_doubles_they_are_written_as() {
        let mut state = 1_u64;
        for round in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (whole, n_digits) = (state >> 33, 1 + round % 15);
            let fraction = format!("{:0width$}", state % 10_u64.pow(n_digits), width = n_digits as usize);
            let text = if round % 3 == 0 { format!("{}.{fraction},", whole % 7) } else { format!("0.{fraction};") };
            let expected: f64 = text[..text.len() - 1].parse().unwrap();
            // Also where more text comes behind.
            for behind in ["", " 0.25, 1234567890;"] {
                match short_decimal(format!("{text}{behind}").as_bytes()) {
                    Some((value, length)) => assert_eq!((value.to_bits(), length), (expected.to_bits(), text.len() - 1), "{text}"),
                    None => assert_eq!(n_digits, 15, "{text}"),
                }
            }
        }
        for (text, expected) in [("1,", Some(1.0)), (".5 ", Some(0.5)), ("3. ", Some(3.0)), ("0.25", None), ("1e-3;", None), ("-1;", None)]
        {
            assert_eq!(short_decimal(text.as_bytes()).map(|(value, _)| value), expected, "{text}");
        }
        for text in [
            ".;",
            "1.2.3;",
            "0.1234567890123456;",
            "1\u{a0};",
            "",
            "12a;",
            "0.25a, 1234567890;",
            "0.12345678:9, 1234567890;",
            "0.25\u{a0}1234567890;",
        ] {
            assert_eq!(short_decimal(text.as_bytes()), None, "{text}");
        }
    }
}
