//! The text of a message of electronic mail: its subject and sender, and all its parts that are text, unpacked.
//!
//! mail-parser takes a message apart. It decodes parts that name their encoding; what names none, or one that nobody knows, is decoded here
//! as any other text is: UTF-8, else Windows-1252. So is what it makes nothing of because it is malformed.

use std::borrow::Cow;
use std::sync::LazyLock;

use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::{Encoding, HeaderName, Message, MessageParser, MessagePart, MimeHeaders, PartType};
use memchr::memmem;
use regex::Regex;

use super::decode::{is_binary, text_of};
use super::page::text_of_page;
use crate::mailbox::is_from_line;

/// What a message says.
#[derive(Default)]
pub(super) struct Told {
    /// Its subject and its sender, a line each.
    pub header: String,
    /// Its parts.
    pub body: String,
    /// Whether some of it had to be taken for Windows-1252.
    pub legacy: bool,
}

/// What a message says; none if it is no message.
pub(super) fn told(bytes: &[u8], without_headers: bool) -> Option<Told> {
    // A byte order mark would be the first letter of the first header.
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let (head, body) = bytes.split_at(len_of_header(bytes));
    if head.is_empty() {
        let (text, legacy) = text_of(bytes);
        return Some(Told { header: String::new(), body: text.into_owned(), legacy });
    }
    let between: &[u8] = if body.is_empty() || begins_with_empty_line(body) { b"" } else { b"\n" };
    // The last line of a header counts as such only if it ends.
    let behind: &[u8] = if bytes.ends_with(b"\n") { b"" } else { b"\n" };
    let mended = [head, between, body, behind].concat();
    let message = MessageParser::default().parse(&mended)?;
    let mut told = Told::default();
    if !without_headers {
        let (header, legacy) = header(&message);
        (told.header, told.legacy) = (header, legacy);
    }
    told.add_parts(&message, without_headers, 0);
    take_apart(message);
    Some(told)
}

/// Whether this is a message with a header and an empty line behind it, and not some words with a colon.
pub(super) fn has_header(bytes: &[u8]) -> bool {
    let len = len_of_header(bytes);
    len > 0 && begins_with_empty_line(&bytes[len..])
}

/// How long the header is: its lines begin with a name (RFC 5322, section 3.6.8), or are folded, or are that of a mailbox before it. What
/// begins otherwise is body.
fn len_of_header(bytes: &[u8]) -> usize {
    let mut len = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let name = memchr::memchr(b':', line).map_or(&b""[..], |colon| line[..colon].trim_ascii_end());
        let is_named = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
        let is_folded = len > 0 && matches!(line, [b' ' | b'\t', ..]);
        if !is_named && !is_folded && !is_from_line(line) {
            break;
        }
        len += line.len();
    }
    len
}

fn begins_with_empty_line(bytes: &[u8]) -> bool {
    let line = bytes.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    line.ends_with(b"\n") && line.trim_ascii().is_empty()
}

/// Lets go of a message, and of each that is in another not within it: a hundred thousand, one in the other, would overflow the stack.
fn take_apart(message: Message<'_>) {
    let mut left = vec![message];
    while let Some(message) = left.pop() {
        left.extend(message.parts.into_iter().filter_map(|part| match part.body {
            PartType::Message(inner) => Some(inner),
            _ => None,
        }));
    }
}

/// Nobody forwards a message so often, but one may be made to look as if.
const MOST_NESTED: usize = 100;

impl Told {
    /// The parts of a message in their order, and those of messages that it passes on.
    fn add_parts(&mut self, message: &Message<'_>, without_headers: bool, depth: usize) {
        let left_out = other_alternatives(message);
        for (part, _) in message.parts.iter().zip(left_out).filter(|(_, left_out)| !left_out) {
            match &part.body {
                PartType::Text(text) if is_text(part) => {
                    let text = self.decoded(message, part, text);
                    self.body.push_str(&text);
                }
                PartType::Html(page) => {
                    let page = self.decoded(message, part, page);
                    self.body.push_str(&text_of_page(&page));
                }
                PartType::Message(passed_on) if depth < MOST_NESTED && !passed_on.parts.is_empty() => {
                    if !without_headers {
                        let (header, legacy) = header(passed_on);
                        self.body.push_str(&header);
                        self.legacy |= legacy;
                    }
                    self.add_parts(passed_on, without_headers, depth + 1);
                }
                PartType::Binary(bytes) | PartType::InlineBinary(bytes) if is_malformed(part) && !is_binary(bytes) => {
                    let text = match charset(part).and_then(|name| charset_decoder(name.as_bytes())) {
                        Some(decode) => decode(bytes),
                        None => self.text(bytes).into_owned(),
                    };
                    self.body.push_str(&text);
                }
                PartType::Multipart(_) => {
                    let Some(bytes) = all_before_the_end(message, part) else { continue };
                    let text = self.text(bytes);
                    self.body.push_str(&text);
                }
                _ => continue,
            }
            self.body.push('\n');
        }
    }

    /// The text of a part, decoded anew where mail-parser was not told how and bytes were lost.
    fn decoded<'t>(&mut self, message: &'t Message<'_>, part: &MessagePart<'_>, text: &'t str) -> Cow<'t, str> {
        if !text.contains(char::REPLACEMENT_CHARACTER) || charset(part).is_some() {
            return text.into();
        }
        let raw = message.raw_message.get(part.offset_body as usize..part.offset_end as usize).unwrap_or_default();
        let encoding = match part.encoding {
            Encoding::None => return self.text(raw),
            Encoding::QuotedPrintable => "quoted-printable",
            Encoding::Base64 => "base64",
        };
        // What is said to be no text is unpacked and not decoded.
        let head = format!("Content-Type: application/octet-stream\nContent-Transfer-Encoding: {encoding}\n\n");
        let alone = [head.as_bytes(), raw].concat();
        let unpacked = MessageParser::default().parse(&alone);
        let bytes = match unpacked.as_ref().and_then(|message| message.part(0)).map(|part| &part.body) {
            Some(PartType::Binary(bytes) | PartType::InlineBinary(bytes)) => bytes,
            _ => raw,
        };
        self.text(bytes).into_owned().into()
    }

    /// Bytes of which nobody says how they are encoded.
    fn text<'t>(&mut self, bytes: &'t [u8]) -> Cow<'t, str> {
        let (text, legacy) = text_of(bytes);
        self.legacy |= legacy;
        text
    }
}

/// The subject and the sender of a message, a line each and an empty one behind them, and whether bytes of them had to be taken for
/// Windows-1252.
fn header(message: &Message<'_>) -> (String, bool) {
    let said = of_header(message);
    if !said.contains(char::REPLACEMENT_CHARACTER) {
        return (said, false);
    }
    let is_lost = |said: Option<&str>| said.is_some_and(|said| said.contains(char::REPLACEMENT_CHARACTER));
    let (name, address) = sender(message);
    let (mut known, mut legacy) = (Vec::new(), false);
    for header in message.headers() {
        let is_lost = match header.name {
            HeaderName::Subject => is_lost(message.subject()),
            HeaderName::From => is_lost(name) || is_lost(address),
            _ => continue,
        };
        let raw = |from: u32| message.raw_message.get(from as usize..header.offset_end as usize).unwrap_or_default();
        if is_lost {
            let (text, of_bytes) = text_of(raw(header.offset_start));
            let (text, of_words) = with_known_encodings(&text);
            known.extend(format!("{}:{}\n", header.name.as_str(), text.trim_end()).into_bytes());
            legacy |= of_bytes | of_words;
        } else {
            known.extend(raw(header.offset_field));
        }
    }
    known.push(b'\n');
    MessageParser::default().parse_headers(&known).map_or((said, false), |message| (of_header(&message), legacy))
}

fn of_header(message: &Message<'_>) -> String {
    let (name, address) = sender(message);
    let lines = [message.subject(), name, address].into_iter().flatten();
    lines.chain([""]).flat_map(|line| [line, "\n"]).collect()
}

/// The name and the address of who sends a message.
fn sender<'m>(message: &'m Message<'_>) -> (Option<&'m str>, Option<&'m str>) {
    let from = message.from().and_then(|from| from.first());
    (from.and_then(|from| from.name()), from.and_then(|from| from.address()))
}

/// A header in which encoded words (RFC 2047) that name an encoding nobody knows name Windows-1252, and whether there are such. Words that
/// stand together and are encoded alike become one, for a character may be cut in two between them.
fn with_known_encodings(header: &str) -> (String, bool) {
    static ENCODED_WORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?s)=\?([^?*\s]+)[^?\s]*\?([BbQq])\?(.*?)\?=").expect("it is one"));
    let (mut known, mut changed) = (String::new(), false);
    let (mut end, mut last) = (0, None);
    for word in ENCODED_WORD.captures_iter(header) {
        let (whole, [name, code, text]) = word.extract();
        let start = word.get_match().start();
        let between = &header[end..start];
        let alike = Some((name.to_ascii_lowercase(), code.to_ascii_lowercase()));
        // Behind the padding of base64 nothing is read.
        if between.trim().is_empty() && last == alike && !known.ends_with("=?=") {
            known.truncate(known.len() - "?=".len());
        } else {
            let is_unknown = !is_encoding(name);
            let name = if is_unknown { "windows-1252" } else { name };
            known.push_str(&format!("{between}=?{name}?{code}?"));
            changed |= is_unknown;
        }
        known.push_str(text);
        known.push_str("?=");
        (end, last) = (start + whole.len(), alike);
    }
    known.push_str(&header[end..]);
    (known, changed)
}

/// Whether this names an encoding. Bytes that are said to be UTF-8 and are not were broken on their way, and mostly are. The encodings that
/// browsers refuse are not known, for all that is made of a text in one of them is a single unknown character.
fn is_encoding(name: &str) -> bool {
    let label = encoding_rs::Encoding::for_label(name.replace('_', "-").as_bytes());
    label == Some(encoding_rs::UTF_8) || label != Some(encoding_rs::REPLACEMENT) && charset_decoder(name.as_bytes()).is_some()
}

/// The encoding that a part says it is in, if it is known.
fn charset<'p>(part: &'p MessagePart<'_>) -> Option<&'p str> {
    part.content_type().and_then(|of| of.attribute("charset")).filter(|name| is_encoding(name))
}

/// Whether a part is text by what it says of itself: pictures that cannot be unpacked are none.
fn is_text(part: &MessagePart<'_>) -> bool {
    is_malformed(part) || part.content_type().is_none_or(|of| ["text", "message"].iter().any(|kind| of.ctype().eq_ignore_ascii_case(kind)))
}

/// Whether a part says of itself what nothing can be, as `html`, and is plain text so (RFC 2045, section 5.2); or that it is of many parts,
/// without a line that would begin one.
fn is_malformed(part: &MessagePart<'_>) -> bool {
    part.content_type().is_some_and(|of| of.subtype().is_none() || of.ctype().eq_ignore_ascii_case("multipart"))
}

/// What stands before the end of what is said to be of many parts and has none.
fn all_before_the_end<'m>(message: &'m Message<'_>, part: &MessagePart<'_>) -> Option<&'m [u8]> {
    let boundary = format!("--{}", part.content_type()?.attribute("boundary")?);
    let body = message.raw_message.get(part.offset_body as usize..)?;
    let (before, from) = body.split_at(memmem::find(body, boundary.as_bytes())?);
    let behind = from[boundary.len()..].strip_prefix(b"--")?;
    let is_line = before.last().is_none_or(|byte| *byte == b'\n') && (behind.is_empty() || begins_with_empty_line(behind));
    is_line.then_some(before)
}

/// Of each part whether it, or one that it is in, is an alternative to another that is read: of those that say something the first that is
/// plain text is read, else the first.
fn other_alternatives(message: &Message<'_>) -> Vec<bool> {
    let parts = &message.parts;
    let (mut left_out, ends) = (vec![false; parts.len()], ends(parts));
    // How many parts say something before each.
    let mut n_saying = vec![0];
    n_saying.extend(parts.iter().map(|part| usize::from(says_some(part))).scan(0, |n, says| {
        *n += says;
        Some(*n)
    }));
    let is_kind = |part: &MessagePart<'_>, kind: &str| {
        part.content_type().and_then(|of| of.subtype()).is_some_and(|subtype| subtype.eq_ignore_ascii_case(kind))
    };
    let is_plain = |part: &MessagePart<'_>| part.is_text() && (part.content_type().is_none() || is_kind(part, "plain"));
    for (place, part) in parts.iter().enumerate() {
        let PartType::Multipart(children) = &part.body else { continue };
        if left_out[place] || !is_kind(part, "alternative") {
            continue;
        }
        let alternatives = || children.iter().map(|child| *child as usize).filter(|child| (place + 1..parts.len()).contains(child));
        let that_say = || alternatives().filter(|start| n_saying[ends[*start]] > n_saying[*start]);
        let Some(chosen) = that_say().find(|start| is_plain(&parts[*start])).or_else(|| that_say().next()) else { continue };
        for start in alternatives().filter(|start| *start != chosen) {
            left_out[start..ends[start]].fill(true);
        }
    }
    left_out
}

fn says_some(part: &MessagePart<'_>) -> bool {
    match &part.body {
        PartType::Text(text) => is_text(part) && !text.trim().is_empty(),
        PartType::Html(page) => !page.trim().is_empty(),
        PartType::Message(_) => true,
        PartType::Binary(bytes) | PartType::InlineBinary(bytes) => is_malformed(part) && !is_binary(bytes),
        PartType::Multipart(_) => false,
    }
}

/// Where each part ends with all that are in it: they stand in the order of the message, so it ends where the last of them does.
fn ends(parts: &[MessagePart<'_>]) -> Vec<usize> {
    let mut ends: Vec<usize> = (1..=parts.len()).collect();
    for (place, part) in parts.iter().enumerate().rev() {
        if let PartType::Multipart(children) = &part.body
            && let Some(last) = children.last().map(|child| *child as usize).filter(|last| (place + 1..parts.len()).contains(last))
        {
            ends[place] = ends[last];
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(mail: impl AsRef<[u8]>) -> String {
        let told = told(mail.as_ref(), false).unwrap();
        (told.header + &told.body).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// What a message says, and whether some of it was taken for Windows-1252.
    fn decoded(mail: &[u8]) -> (String, bool) {
        (words(mail), told(mail, false).unwrap().legacy)
    }

    /// A part of some kind, in a message of several.
    fn part(kind: &str, body: &str) -> String {
        format!("--x\r\nContent-Type: {kind}\r\n\r\n{body}\r\n")
    }

    fn of_parts(kind: &str, parts: &[String]) -> String {
        format!("Subject: outer\r\nContent-Type: multipart/{kind}; boundary=x\r\n\r\n{}--x--\r\n", parts.concat())
    }

    #[test]
    fn messages_that_are_passed_on_are_read() {
        let inner = "Subject: inner\r\nFrom: Bob <bob@example.org>\r\n\r\nthe body";
        let mail = of_parts("mixed", &[part("text/plain", "look"), part("message/rfc822", inner)]);
        assert_eq!(words(&mail), "outer look inner Bob bob@example.org the body");
        let digest = of_parts("digest", &[format!("--x\r\n\r\n{inner}\r\n"), format!("--x\r\n\r\n{inner} again\r\n")]);
        assert_eq!(words(&digest), "outer inner Bob bob@example.org the body inner Bob bob@example.org the body again");
        let alone = format!("Subject: outer\r\nContent-Type: message/rfc822\r\n\r\n{inner}");
        assert_eq!(words(&alone), "outer inner Bob bob@example.org the body");
        // The headers of all of them are left out where they are to be.
        assert_eq!(told(mail.as_bytes(), true).unwrap().body.split_whitespace().collect::<Vec<_>>(), ["look", "the", "body"]);
    }

    #[test]
    fn parts_that_are_text_count_however_they_are_attached() {
        let attached = "text/plain; name=a.txt\r\nContent-Disposition: attachment; filename=a.txt";
        let mail = of_parts(
            "mixed",
            &[
                part("text/plain", "one"),
                part("text/plain; name=notes.txt", "two"),
                part(attached, "three"),
                part("text/x-patch", "four"),
                part("text/html; name=page.html", "<p>five</p>"),
                part("application/octet-stream", "six"),
                part("image/png\r\nContent-Transfer-Encoding: base64", "not base64 at all"),
            ],
        );
        assert_eq!(words(mail), "outer one two three four five");
    }

    #[test]
    fn of_alternatives_one_is_read() {
        let (plain, page) = (part("text/plain", "plain"), part("text/html", "<p>page</p>"));
        assert_eq!(words(of_parts("alternative", &[page.clone(), plain.clone()])), "outer plain");
        assert_eq!(words(of_parts("alternative", &[part("text/plain", " "), page.clone()])), "outer page");
        assert_eq!(words(of_parts("alternative", &[page.clone(), part("text/calendar", "BEGIN")])), "outer page");
        // What follows them is no alternative, and one of them may be of several parts.
        let inner = |kind: &str, parts: String| format!("--x\r\nContent-Type: multipart/{kind}; boundary=y\r\n\r\n{parts}--y--\r\n");
        let of_y = |part: &str| part.replace("--x", "--y");
        let mixed = [inner("alternative", of_y(&plain) + &of_y(&page)), part("text/html", "and more")];
        assert_eq!(words(of_parts("mixed", &mixed)), "outer plain and more");
        let related = inner("related", of_y(&page) + &of_y(&part("image/png", "picture")));
        assert_eq!(words(of_parts("alternative", &[plain.clone(), related.clone()])), "outer plain");
        assert_eq!(words(of_parts("alternative", &[related])), "outer page");
        // Of a message that was cut off as well.
        let cut = of_parts("alternative", &[plain, page]);
        assert_eq!(words(cut.trim_end().trim_end_matches("--x--")), "outer plain");
    }

    #[test]
    fn bytes_without_a_known_encoding_are_windows_1252() {
        for (mail, expected) in [
            (&b"Subject: a\n\nna\xEFve"[..], "a na\u{ef}ve"),
            (b"Subject: a\n\nna\xEFve; the charset is not said", "a na\u{ef}ve; the charset is not said"),
            (b"Subject: a\nContent-Type: text/plain; charset=unknown-8bit\n\nna\xEFve \x93x\x94", "a na\u{ef}ve \u{201c}x\u{201d}"),
            (b"Subject: a\nContent-Transfer-Encoding: quoted-printable\n\nna=EFve =80 a=\nb", "a na\u{ef}ve \u{20ac} ab"),
            (b"Subject: a\nContent-Transfer-Encoding: base64\n\nbmHvdmU=\n", "a na\u{ef}ve"),
            (b"Subject: a\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<b>na=EFve</b>", "a na\u{ef}ve"),
            (b"Subject: caf\xE9\nFrom: Ren\xE9 <r@x.org>\nContent-Type: text/plain; charset=utf-8\n\na", "caf\u{e9} Ren\u{e9} r@x.org a"),
            (b"Subject: =?unknown-8bit?Q?caf=E9?=\n\na", "caf\u{e9} a"),
        ] {
            assert_eq!(decoded(mail), (expected.to_string(), true));
        }
        let nested =
            [b"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: message/rfc822\n\nSubject: caf\xE9\n\nna\xEFve\n".to_vec()];
        for end in ["--x--\n", ""] {
            assert_eq!(decoded(&[&nested[0], end.as_bytes()].concat()), ("caf\u{e9} na\u{ef}ve".to_string(), true));
        }
    }

    #[test]
    fn bytes_with_a_known_encoding_are_read_as_it_says() {
        for (mail, expected) in [
            ("Subject: a\n\nna\u{ef}ve \u{fffd}".as_bytes(), "a na\u{ef}ve \u{fffd}"),
            (b"Subject: a\nContent-Type: text/plain; charset=koi8-r\n\n\xC1", "a \u{430}"),
            (b"Subject: a\nContent-Type: text/plain; charset=us-ascii\n\n\xE9", "a \u{e9}"),
            (b"Subject: a\nContent-Type: text/plain; charset=utf-8\n\n\xE9", "a \u{fffd}"),
            (b"Subject: =?koi8-r?B?wQ==?=\n\na", "\u{430} a"),
            (b"Subject: a\nContent-Type: text/plain; charset=gb2312\n\n\xC4\xE3\xBA\xC3", "a \u{4f60}\u{597d}"),
            (b"Subject: =?iso-2022-jp?B?GyRCJTUbKEI=?=\n\na", "\u{30b5} a"),
        ] {
            assert_eq!(decoded(mail), (expected.to_string(), false));
        }
    }

    /// `==?=` is the end of an encoded word, and not the beginning of another.
    #[test]
    fn one_broken_header_breaks_no_other() {
        let mail = b"Subject: caf\xe9\nFrom: =?utf-8?B?UmVuw6kgSg==?= <r@x.org>\n\nbody";
        assert_eq!(decoded(mail), ("caf\u{e9} Ren\u{e9} J r@x.org body".to_string(), true));
        let mail = b"Subject: a =?utf-8?B?UmVuw6kgSg==?= caf\xe9 =?x-unknown*fr?q?caf=E9?=\nFrom: =?x-unknown?Q?Ren=65?= <r@x.org>\n\n";
        assert_eq!(decoded(mail), ("a Ren\u{e9} J caf\u{e9} caf\u{e9} Rene r@x.org".to_string(), true));
    }

    #[test]
    fn a_character_may_be_cut_between_encoded_words() {
        for (subject, expected) in [
            ("=?utf-8?Q?caf=C3?= =?UTF-8?q?=A9?=", "caf\u{e9}"),
            ("=?utf-8?Q?caf=C3?=\n =?utf-8?Q?=A9s?= =?utf-8?Q?_x=C3?=\n\t=?utf-8?Q?=A9?= =?utf-8?B?ISE=?=", "caf\u{e9}s x\u{e9}!!"),
            ("=?utf-8?B?Y2Fmw6nD?= =?utf-8?B?qQ==?=", "caf\u{e9}\u{e9}"),
            // They are whole by themselves.
            ("=?utf-8?B?w6k=?= =?utf-8?B?w6k=?= =?utf-8?Q?=C3?= x", "\u{e9}\u{e9}\u{fffd} x"),
        ] {
            assert_eq!(decoded(format!("Subject: {subject}\n\n").as_bytes()), (expected.to_string(), false), "{subject}");
        }
    }

    /// Of these a decoder makes nothing but one unknown character, as browsers do.
    #[test]
    fn encodings_that_browsers_refuse_are_not_known() {
        for name in ["iso-2022-kr", "csiso2022kr", "iso_2022_kr", "ISO-2022-CN", "hz-gb-2312"] {
            let mail = format!("Subject: =?{name}?Q?caf=E9?=\nContent-Type: text/plain; charset={name}\n\nhello ~{{<:Ky~}} \u{e9}");
            assert_eq!(decoded(mail.as_bytes()), ("caf\u{e9} hello ~{<:Ky~} \u{e9}".to_string(), true), "{name}");
            let body = "Content-Transfer-Encoding: quoted-printable\n\nhello=E9";
            let mail = format!("Content-Type: text/plain; charset=\"{name}\"\n{body}");
            assert_eq!(decoded(mail.as_bytes()), ("hello\u{e9}".to_string(), true), "{name}");
        }
    }

    /// A Content-Type that is none is that of plain text (RFC 2045, section 5.2).
    #[test]
    fn malformed_content_types_lose_no_text() {
        for kind in ["html", "foo", "text-plain", "text", "multipart/mixed", "multipart/mixed; boundary=\"\"", "html; charset=koi8-r"] {
            assert_eq!(words(format!("Subject: s\nContent-Type: {kind}\n\nhello words\n")), "s hello words", "{kind}");
            assert_eq!(
                words(of_parts("mixed", &[part(kind, "hello words"), part("text/plain", "more")])),
                "outer hello words more",
                "{kind}"
            );
        }
        let base64 = "html\r\nContent-Transfer-Encoding: base64";
        assert_eq!(decoded(of_parts("mixed", &[part(base64, "bmHvdmU=")]).as_bytes()), ("outer na\u{ef}ve".to_string(), true));
        assert_eq!(decoded(b"Content-Type: html; charset=koi8-r\n\n\xC1"), ("\u{430}".to_string(), false));
        // What has no text in it is none, whatever is said of it.
        assert_eq!(words(of_parts("mixed", &[part("pdf", "%PDF-1.4 obj"), part("application/pdf", "obj")])), "outer");
    }

    #[test]
    fn a_message_of_parts_that_only_ends_is_its_text() {
        for end in ["--x--", "--x--\n", "--x-- \r\n\r\n"] {
            let mail = format!("Subject: s\nContent-Type: multipart/mixed; boundary=x\n\nhello words\n{end}");
            assert_eq!(words(&mail), "s hello words", "{end:?}");
        }
        // What stands before the first part is none.
        let mail = of_parts("mixed", &[part("text/plain", "one")]);
        assert_eq!(words(mail.replacen("--x", "of many parts, as --x-- is\r\n--x", 1)), "outer one");
    }

    #[test]
    fn a_line_that_is_no_header_begins_the_body() {
        assert_eq!(words("Subject: v\nhello words\nmore lines\n"), "v hello words more lines");
        assert_eq!(words("Subject: v\r\n folded\r\nhello words\r\nnote: more\r\n\r\nlines"), "v folded hello words note: more lines");
        assert_eq!(words("Subject: v\n \nhello words\n\nmore"), "v hello words more");
        assert_eq!(words("Subject: v\nFrom a@b.c Thu Jan  1 00:00:00 1970\nX-Y : z\n\nhello"), "v hello");
    }

    #[test]
    fn a_byte_order_mark_does_not_hide_the_first_header() {
        assert_eq!(words(b"\xEF\xBB\xBFSubject: first\nFrom: a@b.c\n\nbody"), "first a@b.c body");
        assert_eq!(words(b"\xEF\xBB\xBFContent-Type: text/html\n\n<p>body</p>"), "body");
    }

    #[test]
    fn what_has_no_header_is_all_body() {
        for mail in ["price deal", "price deal\n", "price\n\ndeal", "\nprice deal", "\r\nprice\r\ndeal"] {
            assert_eq!(words(mail), "price deal", "{mail:?}");
        }
        assert_eq!(words("a line of words: and more\n\ndeal"), "a line of words: and more deal");
        assert_eq!(words("Subject: price"), "price");
        assert_eq!(words("Subject: price\n\ndeal"), "price deal");
        assert_eq!(words("From a@b.c Thu Jan  1 00:00:00 1970\nSubject: price\n\ndeal"), "price deal");
        assert_eq!(decoded(b"na\xEFve"), ("na\u{ef}ve".to_string(), true));
    }

    #[test]
    fn messages_in_messages_without_end_are_read_so_far() {
        let mail = "Subject: s\nContent-Type: message/rfc822\n\n".repeat(100_000);
        assert_eq!(words(mail + "\nend").split(' ').count(), MOST_NESTED + 1);
        for kind in ["mixed", "alternative"] {
            let parts = (0..100_000).map(|n| format!("Content-Type: multipart/{kind}; boundary=b{n}\n\n--b{n}\n"));
            assert_eq!(words(parts.collect::<String>() + "\nend"), "end");
        }
    }
}
