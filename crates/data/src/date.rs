//! Dates as numbers: days since the start of 1970, or seconds where a time of day is given.

/// `2024-01-31` as days, `2024-01-31T12:00:00` (also with a space, fractions, and `Z`) as seconds; `None` for anything else.
pub(crate) fn number_of_date(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?;
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut parts = date.split(['-', '/']);
    let (year, month, day) = (whole(parts.next()?, 4)?, whole(parts.next()?, 2)?, whole(parts.next()?, 2)?);
    if parts.next().is_some() || !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    let days = days_since_1970(year, month, day) as f64;
    let Some(time) = time else { return Some(days) };
    let mut parts = time.strip_suffix('Z').unwrap_or(time).split(':');
    let (hour, minute) = (whole(parts.next()?, 2)?, whole(parts.next()?, 2)?);
    let second: f64 = parts.next().map_or(Some(0.0), |s| s.parse().ok())?;
    if parts.next().is_some() || !(0..24).contains(&hour) || !(0..60).contains(&minute) || !(0.0..61.0).contains(&second) {
        return None;
    }
    Some(days * 86_400.0 + (hour * 3600 + minute * 60) as f64 + second)
}

fn whole(text: &str, digits: usize) -> Option<i64> {
    (text.len() <= digits && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn days_in(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Howard Hinnant, *chrono-Compatible Low-Level Date Algorithms* (2014), `days_from_civil`.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::number_of_date;

    #[test]
    fn dates_count_days_and_moments_count_seconds() {
        assert_eq!(number_of_date(b"1970-01-01"), Some(0.0));
        assert_eq!(number_of_date(b"2000-03-01"), Some(11_017.0));
        assert_eq!(number_of_date(b"1969-12-31"), Some(-1.0));
        assert_eq!(number_of_date(b"1970-01-02T01:00:00.5Z"), Some(90_000.5));
        for wrong in ["2023-02-29", "2023-13-01", "x", "2023-01", "2023-01-01T25:00", "1.5"] {
            assert_eq!(number_of_date(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
