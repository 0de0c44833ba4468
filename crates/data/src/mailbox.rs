//! Mailboxes: many messages in one file, each behind a line that begins with `From ` (RFC 4155).
//!
//! A line of a message that would look like that has a `>` before it, which is taken away again (the format that is called mboxrd).

use std::borrow::Cow;
use std::path::Path;

use memchr::memmem;

/// How a line begins that stands before a message.
pub(crate) const FROM: &[u8] = b"From ";

/// A longer line is none that stands before a message, for no address is that long.
pub(crate) const LONGEST_LINE: usize = 1000;

/// Whether a file is named as a mailbox. It is asked of every file of a folder, and copies nothing.
pub(crate) fn is_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let ends = |ending: &&str| name.len() >= ending.len() && name[name.len() - ending.len()..].eq_ignore_ascii_case(ending.as_bytes());
    [".mbox", ".mbox.gz", ".mbox.zst", ".mbox.zstd"].iter().any(ends)
}

/// Whether a file begins as a mailbox does.
pub(crate) fn begins(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
    is_from_line(start.split(|b| *b == b'\n').next().unwrap_or_default())
}

/// Whether a line stands before a message: `From `, an address, and a date with its month, time and year. A message may well have
/// a line that begins with the word, and not every program quotes it.
pub(crate) fn is_from_line(line: &[u8]) -> bool {
    const MONTHS: &[u8] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
    let Some(rest) = line.strip_prefix(FROM).filter(|_| line.len() < LONGEST_LINE) else { return false };
    let (mut month, mut time, mut year) = (false, false, false);
    for word in rest.split(|b| b.is_ascii_whitespace()) {
        month |= word.len() == 3 && MONTHS.chunks_exact(3).any(|name| name.eq_ignore_ascii_case(word));
        let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
        let colons = word.iter().filter(|b| **b == b':').count();
        time |= (1..=2).contains(&colons) && digits >= 3 && digits + colons == word.len();
        year |= word.len() == 4 && digits == 4;
    }
    month && time && year
}

/// The messages of whole records, each without the line before it; what stands before the first such line is none.
pub(crate) fn messages(mut bytes: &[u8]) -> impl Iterator<Item = Result<Cow<'_, [u8]>, &[u8]>> {
    std::iter::from_fn(move || {
        // Empty lines before a message are nothing.
        bytes = bytes.trim_ascii_start();
        if bytes.is_empty() {
            return None;
        }
        let end = next_message(bytes, 0).unwrap_or(bytes.len());
        let (record, rest) = bytes.split_at(end);
        bytes = rest;
        let line_end = memchr::memchr(b'\n', record).unwrap_or(record.len());
        if !is_from_line(&record[..line_end]) {
            return Some(Err(record));
        }
        let message = record.get(line_end + 1..).unwrap_or_default();
        // The empty line before the next message is not the message's.
        let n_empty = if message.ends_with(b"\r\n\r\n") { 2 } else { usize::from(message.ends_with(b"\n\n")) };
        Some(Ok(unquoted(&message[..message.len() - n_empty])))
    })
}

/// Where the line before the next message begins, behind `from`, as far as whole lines are there.
pub(crate) fn next_message(bytes: &[u8], from: usize) -> Option<usize> {
    memmem::find_iter(&bytes[from..], b"\nFrom ").map(|found| from + found + 1).find(|start| {
        let end = memchr::memchr(b'\n', &bytes[*start..]);
        end.is_some_and(|end| is_from_line(&bytes[*start..*start + end]))
    })
}

/// A message with `>From ` as `From `, and `>>From ` as `>From `.
fn unquoted(message: &[u8]) -> Cow<'_, [u8]> {
    if memmem::find(message, b">From ").is_none() {
        return message.into();
    }
    let mut text = Vec::with_capacity(message.len());
    for line in message.split_inclusive(|b| *b == b'\n') {
        let marks = line.iter().take_while(|b| **b == b'>').count();
        let is_quoted = marks > 0 && line[marks..].starts_with(FROM);
        text.extend_from_slice(&line[usize::from(is_quoted)..]);
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_before_messages_have_a_date() {
        for line in [
            "From ann@example.org Thu Jan  1 00:00:00 1970",
            "From MAILER-DAEMON Fri Jul 08 12:08:34 2011",
            "From ann at example.org  Thu Sep  4 10:12:01 2003",
            "From 1234@xxx Mon Jan 01 00:00:00 +0000 2020",
            "From ann Thu Jan  1 00:00 1970\r",
        ] {
            assert!(is_from_line(line.as_bytes()), "{line}");
        }
        for line in ["From here on, nothing is certain.", "From: ann@example.org", ">From a Thu Jan  1 00:00:00 1970", "From 10:30 on", ""]
        {
            assert!(!is_from_line(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn messages_are_unquoted_and_end_before_the_empty_line() {
        let mailbox = b"\nFrom a Thu Jan  1 00:00:00 1970\nSubject: x\n\n>From me\n>>From you\n> From them\nFrom here on\n\n\
            From b Thu Jan  1 00:00:00 1970\r\nSubject: y\r\n\r\nFrom c Thu Jan  1 00:00:00 1970\n";
        let found: Vec<Vec<u8>> = messages(mailbox).map(|message| message.unwrap().into_owned()).collect();
        let expected: [&[u8]; 3] = [b"Subject: x\n\nFrom me\n>From you\n> From them\nFrom here on\n", b"Subject: y\r\n", b""];
        assert_eq!(found, expected);
        assert_eq!(messages(b"no mailbox\nFrom a Thu Jan  1 00:00:00 1970\nx\n").filter(Result::is_err).count(), 1);
    }
}
