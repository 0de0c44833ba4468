//! What of a document is text: of a web page, of a message, and of a posting without its header, quotations and footer.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::decode::text_of;
use super::message;
use super::page::text_of_page;

/// What a document is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Markup {
    /// Nothing but text.
    #[default]
    Plain,
    /// HTML: tags, scripts and styles are no words, and entities are what they stand for.
    Html,
    /// A message of electronic mail: its subject and sender, and its parts of text, unpacked.
    Mail,
}

/// What is left out of a posting, as in experiments with the 20 Newsgroups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stripped {
    /// All before the first empty line.
    pub headers: bool,
    /// Lines that quote, and lines that say who is quoted.
    pub quotes: bool,
    /// All behind the last line that is empty or of hyphens.
    pub footers: bool,
}

/// The text of a document, and whether it had to be taken for Windows-1252.
pub(crate) fn text(bytes: &[u8], markup: Markup, stripped: Stripped) -> (Cow<'_, str>, bool) {
    let behind_header = Stripped { headers: false, ..stripped };
    match markup {
        Markup::Plain => {
            let (text, legacy) = text_of(bytes);
            (strip(text, stripped), legacy)
        }
        Markup::Html => {
            let (page, legacy) = text_of(bytes);
            // What a server says of a page comes before the page.
            let page = if stripped.headers { body(&page) } else { &page };
            (strip(text_of_page(page).into(), behind_header), legacy)
        }
        Markup::Mail => match message::told(bytes, stripped.headers) {
            // Its subject is no part of what is quoted or signed.
            Some(told) => ((told.header + &strip(told.body.into(), behind_header)).into(), told.legacy),
            None => {
                let (text, legacy) = text_of(bytes);
                (strip(text, behind_header), legacy)
            }
        },
    }
}

/// What comes behind the first empty line.
fn body(text: &str) -> &str {
    let ends = ["\n\n", "\r\n\r\n"].into_iter().filter_map(|end| Some(text.find(end)? + end.len()));
    ends.min().map_or("", |start| &text[start..])
}

/// As scikit-learn's `fetch_20newsgroups(remove=…)` does it, and in its order: where the footer begins is found among all lines, for what
/// quotes may be most of a posting.
fn strip(text: Cow<'_, str>, stripped: Stripped) -> Cow<'_, str> {
    if stripped == Stripped::default() {
        return text;
    }
    let left = if stripped.headers { body(&text) } else { &text };
    let left = if stripped.footers { without_footer(left) } else { left };
    let is_left = |line: &&str| !(stripped.quotes && quotes(line));
    left.split('\n').filter(is_left).collect::<Vec<_>>().join("\n").into()
}

/// What comes before the last line that is empty or of hyphens, of those between the first and the last that say something; a text
/// without one has no footer.
fn without_footer(text: &str) -> &str {
    let text = text.trim();
    let ends = text.rmatch_indices('\n').map(|(end, _)| end);
    let mut lines = ends.clone().zip(std::iter::once(text.len()).chain(ends));
    let footer = lines.find(|(before, end)| text[before + 1..*end].trim().trim_matches('-').is_empty());
    footer.map_or(text, |(before, _)| text[..before].trim_end_matches('\r'))
}

/// Whether a line quotes, or says who is quoted.
fn quotes(line: &str) -> bool {
    const ANYWHERE: [&str; 5] = ["writes in", "writes:", "wrote:", "says:", "said:"];
    const IN_FRONT: [&str; 4] = ["In article", "Quoted from", "|", ">"];
    IN_FRONT.iter().any(|mark| line.starts_with(mark)) || ANYWHERE.iter().any(|mark| line.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSTING: &str = "From: a@b.c\nSubject: Cats\n\nIn article <1> joe wrote:\n> dogs\nI like cats.\n\n--\nAnn, Tunbridge Wells\n";

    #[test]
    fn postings_lose_what_is_asked_for() {
        let stripped = |headers, quotes, footers| text(POSTING.as_bytes(), Markup::Plain, Stripped { headers, quotes, footers }).0;
        assert_eq!(stripped(false, false, false), POSTING);
        assert_eq!(stripped(true, false, false), POSTING.split_once("\n\n").unwrap().1);
        assert_eq!(stripped(true, true, false), "I like cats.\n\n--\nAnn, Tunbridge Wells\n");
        assert_eq!(stripped(true, true, true), "I like cats.\n");
        assert_eq!(text(b"no header here", Markup::Plain, Stripped { headers: true, ..Stripped::default() }).0, "");
    }

    /// What is left by scikit-learn 1.9.1, of postings that were lost when what quotes was left out first.
    #[test]
    fn postings_are_stripped_as_the_literature_does() {
        let stripped = |posting: &str| {
            let all = Stripped { headers: true, quotes: true, footers: true };
            text(posting.as_bytes(), Markup::Plain, all).0.trim().to_string()
        };
        for (posting, left) in [
            ("Subject: x\n\n\nI like cats.\n", "I like cats."),
            ("Subject: x\n\n\n\nI like cats.\nAnd dogs.\n\n--\nAnn\n", "I like cats.\nAnd dogs."),
            ("Subject: x\n\nI like cats.\nDo you?\n> no\n\n> never\n", "I like cats.\nDo you?"),
            ("Subject: x\n\njoe wrote:\n\nI like cats.\n", ""),
            ("Subject: x\n\njoe wrote:\n> no\nI like cats.\n", "I like cats."),
            ("Subject: x\r\n\r\n\r\nI like cats.\r\n\r\nAnn\r\n", "I like cats."),
            ("Subject: x\n\n---\nI like cats.\n", "---\nI like cats."),
            ("Subject: x\n\nI like cats.\n - -- \nAnn\n", "I like cats.\n - -- \nAnn"),
            ("Subject: x\n\n", ""),
        ] {
            assert_eq!(stripped(posting), left, "{posting:?}");
        }
    }

    #[test]
    fn a_page_is_its_words() {
        let page = b"<html><head><title>Cats &amp; dogs</title><style>p { color: red }</style><script>var x = 1;</script></head>\
            <body><!-- hidden --><p>Caf&eacute; <b>au</b> lait</p></body></html>";
        let words = text(page, Markup::Html, Stripped::default()).0.into_owned();
        assert_eq!(words, "Cats & dogs\nCafé au lait\n");
    }

    #[test]
    fn a_message_that_is_a_page_is_read_as_one() {
        let mail = b"Subject: Hello\r\nContent-Type: text/html\r\n\r\n<title>News</title><td>one</td><td>two</td>\r\n";
        let words = text(mail, Markup::Mail, Stripped::default()).0.into_owned();
        assert_eq!(words.split_whitespace().collect::<Vec<_>>(), ["Hello", "News", "one", "two"]);
    }

    #[test]
    fn what_a_server_says_is_no_part_of_the_page() {
        let served = b"Server: NCSA/1.5\r\nContent-type: text/html\r\n\r\n<html>\n\n<p>Cats</p>\n\n<p>and dogs</p></html>";
        let page = |headers| text(served, Markup::Html, Stripped { headers, ..Stripped::default() }).0.into_owned();
        assert!(page(false).contains("NCSA") && page(false).contains("Cats"), "{}", page(false));
        assert!(!page(true).contains("NCSA") && page(true).contains("Cats") && page(true).contains("dogs"), "{}", page(true));
    }

    #[test]
    fn a_message_is_unpacked() {
        let mail = b"From: Ann <ann@example.org>\r\nSubject: =?utf-8?q?Caf=C3=A9?=\r\nMIME-Version: 1.0\r\n\
            Content-Type: multipart/alternative; boundary=x\r\n\r\n--x\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\
            Content-Transfer-Encoding: quoted-printable\r\n\r\nna=EFve soft=\r\nware\r\n--x--\r\n";
        let words = text(mail, Markup::Mail, Stripped::default()).0.into_owned();
        assert!(words.contains("Café") && words.contains("Ann") && words.contains("naïve software"), "{words}");
        let body = text(mail, Markup::Mail, Stripped { headers: true, ..Stripped::default() }).0.into_owned();
        assert!(!body.contains("Ann") && body.contains("naïve software"), "{body}");
    }
}
