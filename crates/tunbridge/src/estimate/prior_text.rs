//! Priors as text: `mean ~ N(170, 10²)`, `p ~ Beta(1, 1)`. In N(a, b) b is the variance; 10², 10^2 and 100 are the same.

/// One part of a prior: what is believed of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    /// Before the tilde, in small letters; empty where nothing was said.
    pub parameter: String,
    /// The distribution's name, in small letters without hyphens.
    pub distribution: String,
    /// What stands in the parentheses.
    pub arguments: Vec<Argument>,
}

/// One argument of a distribution.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Argument {
    /// A number.
    Number(f64),
    /// [1, 2, 3].
    List(Vec<f64>),
    /// variance/4: another parameter, divided.
    Shared(String, f64),
}

/// Reads the terms, which commas or semicolons separate.
///
/// # Errors
/// Says where it is not understood.
pub(super) fn parse(text: &str) -> Result<Vec<Term>, String> {
    let mut reader = Reader { rest: text.trim(), whole: text };
    if reader.rest.is_empty() {
        return Err("it is empty".into());
    }
    let mut terms = Vec::new();
    loop {
        terms.push(reader.term()?);
        reader.space();
        if reader.rest.is_empty() {
            return Ok(terms);
        }
        if !reader.eat(',') && !reader.eat(';') {
            return Err(format!("`{}` is not expected there", reader.rest));
        }
        reader.space();
        if reader.rest.is_empty() {
            return Err("something is missing at its end".into());
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
    whole: &'t str,
}

impl<'t> Reader<'t> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, c: char) -> bool {
        self.space();
        let found = self.rest.strip_prefix(c);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn expect(&mut self, c: char) -> Result<(), String> {
        if self.eat(c) {
            return Ok(());
        }
        let there = if self.rest.is_empty() { "its end".into() } else { format!("`{}`", self.rest) };
        Err(format!("`{c}` is missing before {there}"))
    }

    /// Letters, digits and what joins them in a name.
    fn word(&mut self) -> &'t str {
        self.space();
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '–'))).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn term(&mut self) -> Result<Term, String> {
        // (mean, variance) ~ NIG(…): the names are those that the family has, whatever they are called.
        let mut parameter = String::new();
        if self.eat('(') {
            let end = self.rest.find(')').ok_or("`)` is missing after the parameters' names")?;
            parameter = self.rest[..end].trim().to_lowercase();
            self.rest = &self.rest[end + 1..];
            self.expect('~')?;
        }
        let mut name = self.word();
        if name.is_empty() {
            return Err(format!("a name is missing before `{}`", if self.rest.is_empty() { self.whole } else { self.rest }));
        }
        self.space();
        if self.eat('~') {
            parameter = name.to_lowercase();
            name = self.word();
            if name.is_empty() {
                return Err("a distribution is missing after `~`".into());
            }
        }
        let distribution: String = name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
        let mut arguments = Vec::new();
        if self.eat('(') {
            loop {
                arguments.push(self.argument()?);
                if !self.eat(',') {
                    break;
                }
            }
            self.expect(')')?;
        }
        Ok(Term { parameter, distribution, arguments })
    }

    fn argument(&mut self) -> Result<Argument, String> {
        if self.eat('[') {
            let mut list = Vec::new();
            loop {
                list.push(self.number()?);
                if !self.eat(',') {
                    break;
                }
            }
            self.expect(']')?;
            return Ok(Argument::List(list));
        }
        self.space();
        let is_name = self.rest.starts_with(|c: char| c.is_alphabetic() && c != '∞') && !self.rest.to_lowercase().starts_with("inf");
        if is_name {
            let name = self.word().to_lowercase();
            let by = if self.eat('/') { self.number()? } else { 1.0 };
            return Ok(Argument::Shared(name, by));
        }
        self.number().map(Argument::Number)
    }

    /// A number, perhaps raised to a whole power or divided by another.
    fn number(&mut self) -> Result<f64, String> {
        let mut x = self.power()?;
        while self.eat('/') {
            x /= self.power()?;
        }
        if x.is_nan() { Err(format!("`{}` holds a division that has no answer", self.whole)) } else { Ok(x) }
    }

    fn power(&mut self) -> Result<f64, String> {
        self.space();
        let negative = self.eat('-') || self.eat('−');
        let x = self.plain()?;
        let x = if self.eat('^') {
            let negative = self.eat('-') || self.eat('−');
            let power = self.plain()?;
            x.powf(if negative { -power } else { power })
        } else if self.eat('²') {
            x * x
        } else if self.eat('³') {
            x * x * x
        } else {
            x
        };
        Ok(if negative { -x } else { x })
    }

    fn plain(&mut self) -> Result<f64, String> {
        self.space();
        for infinite in ["∞", "infinity", "inf"] {
            if let Some(rest) = strip_word(self.rest, infinite) {
                self.rest = rest;
                return Ok(f64::INFINITY);
            }
        }
        let bytes = self.rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            let exponent_sign = matches!(bytes[end], b'+' | b'-') && end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            if !(bytes[end].is_ascii_digit() || matches!(bytes[end], b'.' | b'e' | b'E') || exponent_sign) {
                break;
            }
            end += 1;
        }
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        number.parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(|| {
            let found =
                if number.is_empty() { rest.chars().next().map_or("its end".into(), |c| format!("`{c}`")) } else { format!("`{number}`") };
            format!("a number is expected where {found} stands")
        })
    }
}

/// The rest behind a word in any case.
fn strip_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let head = text.get(..word.len())?;
    (head.to_lowercase() == word).then(|| &text[word.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<Argument> {
        parse(text).unwrap().remove(0).arguments
    }

    #[test]
    fn squares_are_read_alike() {
        let expected = [Argument::Number(170.0), Argument::Number(100.0)];
        for text in ["mean ~ N(170, 10²)", "mean ~ N(170, 10^2)", "mean~N(170,100)", " N( 170 , 1e2 ) "] {
            assert_eq!(numbers(text), expected, "{text}");
        }
        assert_eq!(numbers("N(-1.5, ∞)"), [Argument::Number(-1.5), Argument::Number(f64::INFINITY)]);
        assert_eq!(numbers("Beta(1/2, 1/2)"), [Argument::Number(0.5), Argument::Number(0.5)]);
        assert_eq!(numbers("N(−2, 10^-2)"), [Argument::Number(-2.0), Argument::Number(0.01)]);
    }

    #[test]
    fn terms_lists_and_shared_parameters_are_read() {
        let terms = parse("mean ~ N(170, variance/4), variance ~ Inverse-Gamma(3, 100)").unwrap();
        assert_eq!((terms[0].parameter.as_str(), terms[0].distribution.as_str()), ("mean", "n"));
        assert_eq!(terms[0].arguments[1], Argument::Shared("variance".into(), 4.0));
        assert_eq!((terms[1].parameter.as_str(), terms[1].distribution.as_str()), ("variance", "inversegamma"));
        assert_eq!(numbers("NIW([170, 70], 1, 4, [100, 50])")[3], Argument::List(vec![100.0, 50.0]));
        assert_eq!(parse("(mean, variance) ~ NIG(0, 1, 2, 3)").unwrap()[0].arguments.len(), 4);
        assert_eq!(parse("flat").unwrap()[0].distribution, "flat");
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for (text, expected) in [
            ("", "it is empty"),
            ("mean ~ N(170, ", "a number is expected where its end stands"),
            ("mean ~ N(170, 10²", "`)` is missing before its end"),
            ("mean ~", "a distribution is missing after `~`"),
            ("N(1, 2) x", "`x` is not expected there"),
            ("N(1, 2),", "something is missing at its end"),
            ("~ N(1, 2)", "a name is missing before `~ N(1, 2)`"),
            ("N(1, 1e999)", "a number is expected where `1e999` stands"),
            ("N(1, 0/0)", "`N(1, 0/0)` holds a division that has no answer"),
        ] {
            assert_eq!(parse(text).unwrap_err(), expected, "{text}");
        }
    }

    #[test]
    fn no_text_makes_it_panic() {
        for text in ["²", "N(²)", "N(1²²)", "((((", "a~~b", "N([", "é~N(1,2)", "N(1,2)é", "∞", "N(inf, inf)", "[", "N(1,,2)", "N()", "i"]
        {
            let _ = parse(text);
        }
    }
}
