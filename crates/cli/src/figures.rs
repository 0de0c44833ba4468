//! Numbers for people: few digits, honest ones.

/// A probability with four digits; never rounded to certainty or impossibility.
pub fn probability(p: f64) -> String {
    if p > 0.0 && p < 0.00005 {
        format!("{p:.1e}")
    } else if p < 1.0 && p > 0.99995 {
        format!("1 − {:.1e}", 1.0 - p)
    } else {
        format!("{p:.4}")
    }
}

/// A number with about four significant digits.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if x.is_infinite() {
        if x > 0.0 { "∞".into() } else { "−∞".into() }
    } else if x == 0.0 || x.is_nan() {
        format!("{x}")
    } else if !(1e-4..1e7).contains(&size) {
        format!("{x:.3e}")
    } else {
        let digits = (3 - size.log10().floor() as i32).clamp(0, 8) as usize;
        let text = format!("{x:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
    }
}

/// A number by its natural logarithm; beyond what a double holds a power of ten.
pub fn number_of_ln(ln: f64) -> String {
    let x = ln.exp();
    if ln.is_finite() && (x == 0.0 || x.is_infinite()) { format!("10^{}", number(ln / std::f64::consts::LN_10)) } else { number(x) }
}

/// A number with as many digits as its uncertainty leaves: three of the spread, and never fewer than [`number`] has.
pub fn number_within(x: f64, spread: f64) -> String {
    let (size, spread) = (x.abs(), spread.abs());
    if !(spread > 0.0 && spread.is_finite()) || size < 100.0 * spread || !(1e-4..1e15).contains(&size) {
        return number(x);
    }
    let digits = (2.0 - spread.log10().floor()).max(0.0) as usize;
    // A double has no more than seventeen.
    if size.log10() + digits as f64 > 16.0 { format!("{x}") } else { format!("{x:.digits$}") }
}

/// A number with its sign and so many digits behind the point.
pub fn signed(x: f64, digits: usize) -> String {
    if x.is_infinite() { if x > 0.0 { "+∞".into() } else { "−∞".into() } } else { format!("{x:+.digits$}").replace('-', "−") }
}

/// A weight of rows: whole numbers with separators.
pub fn count(n: f64) -> String {
    if n.fract() != 0.0 || n.abs() >= 1e15 {
        return number(n);
    }
    let digits = format!("{}", n.abs() as u64);
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    if n < 0.0 { format!("-{text}") } else { text }
}

/// A count with its noun: `1 row`, `7 rows`.
pub fn of(n: f64, one: &str, more: &str) -> String {
    format!("{} {}", count(n), if n == 1.0 { one } else { more })
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_four_digits_and_probabilities_never_lie() {
        assert_eq!(number(0.001234567), "0.001235");
        assert_eq!(number(1234.5), "1234");
        assert_eq!(number(2.0), "2");
        assert_eq!([number_within(1e9 + 0.25, 0.0018), number_within(175.59, 1.84)], ["1000000000.25000", "175.6"]);
        assert_eq!(number(1.5e9), "1.500e9");
        assert_eq!(count(1234567.0), "1,234,567");
        assert_eq!(count(12.5), "12.5");
        assert_eq!([number(f64::INFINITY), number(f64::NEG_INFINITY)], ["∞", "−∞"]);
        assert_eq!([of(1.0, "row", "rows"), of(1400.0, "row", "rows")], ["1 row", "1,400 rows"]);
        assert_eq!(probability(1e-7), "1.0e-7");
        assert_eq!(probability(1.0 - 1e-7), "1 − 1.0e-7");
        assert_eq!(probability(1.0), "1.0000");
    }
}
