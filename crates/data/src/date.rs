//! Dates and moments, as one number: days since the start of 1970, a moment as a fraction of its day.

/// A text that is a date.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Date {
    /// Days since the start of 1970.
    Days(f64),
    /// Whether the day or the month comes first is not to be told, or the time of day is written in a way that is not read.
    Unread,
}

/// `2024-01-31`, `2024/01/31` or `31.01.2024`, with or without a time behind it such as `T12:00`, ` 12:00:00.5`, `T12:00:00Z` and
/// `T12:00:00+02:00`. Also `1/2/2024`, which is a date, but not which. `None` for anything else.
pub(crate) fn date_of(text: &[u8]) -> Option<Date> {
    // Few texts are dates: most are told apart by their first bytes.
    if !text.first()?.is_ascii_digit() {
        return None;
    }
    let text = std::str::from_utf8(text).ok()?;
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let separator = date.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '-' | '/' | '.'))?;
    let mut parts = date.split(separator);
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let days = if separator != '.' && first.len() == 4 {
        days_since_1970(first, second, third)?
    } else if separator == '.' {
        days_since_1970(third, second, first)?
    } else {
        return days_since_1970(third, second, first).or(days_since_1970(third, first, second)).map(|_| Date::Unread);
    };
    let part_of_day = time.map_or(Some(0.0), seconds_of_day).map(|seconds| seconds / 86_400.0);
    Some(part_of_day.map_or(Date::Unread, |part| Date::Days(days as f64 + part)))
}

/// Seconds from the start of the day at Greenwich, or of the clock's own day where it says no offset.
fn seconds_of_day(time: &str) -> Option<f64> {
    let (clock, offset) = match time.find(['Z', '+', '-']) {
        Some(at) if &time[at..] == "Z" => (&time[..at], 0.0),
        Some(at) => (&time[..at], offset_seconds(&time[at..])?),
        None => (time, 0.0),
    };
    let mut parts = clock.split(':');
    let (hour, minute) = (whole(parts.next()?, 1..=2)?, whole(parts.next()?, 2..=2)?);
    let second: f64 = parts.next().map_or(Some(0.0), |s| s.parse().ok())?;
    let fits = parts.next().is_none() && hour < 24 && minute < 60 && (0.0..61.0).contains(&second);
    fits.then(|| (hour * 3600 + minute * 60) as f64 + second - offset)
}

/// `+02:00` or `-0530`.
fn offset_seconds(text: &str) -> Option<f64> {
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    let digits = text.get(1..)?;
    let (hours, minutes) = digits.split_once(':').or_else(|| digits.split_at_checked(2))?;
    let (hours, minutes) = (whole(hours, 2..=2)?, whole(minutes, 2..=2)?);
    (hours < 24 && minutes < 60).then(|| sign * (hours * 3600 + minutes * 60) as f64)
}

fn whole(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<i64> {
    (digits.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn days_since_1970(year: &str, month: &str, day: &str) -> Option<i64> {
    let (year, month, day) = (whole(year, 4..=4)?, whole(month, 1..=2)?, whole(day, 1..=2)?);
    let is_there = (1..=12).contains(&month) && day >= 1 && day <= days_in(year, month);
    is_there.then(|| days_from_civil(year, month, day))
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
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// A number, or the days of a date, as a column of dates is read that is called numeric; `None` for NaN, and for what is neither.
pub fn number_or_days(text: &str) -> Option<f64> {
    match (text.parse::<f64>(), date_of(text.as_bytes())) {
        (Ok(x), _) => Some(x).filter(|x| !x.is_nan()),
        (_, Some(Date::Days(days))) => Some(days),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Date, date_of};

    #[test]
    fn dates_and_moments_count_days() {
        for (text, days) in [
            ("1970-01-01", 0.0),
            ("2000-03-01", 11_017.0),
            ("2000/3/1", 11_017.0),
            ("01.03.2000", 11_017.0),
            ("1969-12-31", -1.0),
            ("1970-01-02T06:00", 1.25),
            ("1970-01-02 06:00:00", 1.25),
            ("2.1.1970 6:00", 1.25),
            ("1970-01-02T05:59:60.0Z", 1.25),
            ("1970-01-02T02:00:00+02:00", 1.0),
            ("1970-01-01T18:30:00-0530", 1.0),
        ] {
            assert_eq!(date_of(text.as_bytes()), Some(Date::Days(days)), "{text}");
        }
    }

    #[test]
    fn dates_that_cannot_be_counted_are_dates_all_the_same() {
        for text in ["1/2/2024", "31-01-2024", "12/31/2024 10:00", "2024-01-31 10:00 PM", "2024-01-31T25:00"] {
            assert_eq!(date_of(text.as_bytes()), Some(Date::Unread), "{text}");
        }
    }

    #[test]
    fn what_is_no_date() {
        for wrong in ["2023-02-29", "2023-13-01", "x", "", "2023-01", "1.5", "24-01-31", "02024-01-31", "31.01.24", "3.14.15", "2024-1-1-1"]
        {
            assert_eq!(date_of(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
