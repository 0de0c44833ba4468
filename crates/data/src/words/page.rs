//! The text of a web page: what is left when tags, comments, scripts and styles are gone.
//!
//! Tags are cut as browsers cut them (HTML Living Standard, section 13.2.5), in one pass that never goes back, so that no page takes longer
//! than its length. There is no tree: pages of all ages have tags that are never closed, and words do not need one. Two things are
//! kinder than the standard, to lose fewer words of broken pages: a comment without an end ends at the next `>`, and a tag ends where
//! the next begins.

use mail_parser::decoders::html::add_html_token;

/// The words of a page in lines: whatever is no inline tag parts words, runs of white space are one space, and the title stays.
pub(super) fn text_of_page(page: &str) -> String {
    let mut text = Text::default();
    let mut rest = page;
    // Where no comment ends any more, none is looked for again.
    let mut comments_end = true;
    while let Some(at) = memchr::memchr(b'<', rest.as_bytes()) {
        text.add(&rest[..at]);
        rest = &rest[at..];
        let bytes = rest.as_bytes();
        let name_at = if bytes.get(1) == Some(&b'/') { 2 } else { 1 };
        match bytes.get(name_at) {
            Some(first) if first.is_ascii_alphabetic() => {
                let name = name(&rest[name_at..]);
                rest = behind_tag(&rest[name_at + name.len()..]);
                text.part(name);
                if name_at == 1 && HIDDEN.iter().any(|hidden| hidden.eq_ignore_ascii_case(name)) {
                    rest = from_end_tag(rest, name);
                }
            }
            _ if rest.starts_with("<!--") => {
                let end = if comments_end { end_of_comment(rest) } else { None };
                comments_end = end.is_some();
                rest = end.map_or_else(|| behind(rest, b'>'), |end| &rest[end..]);
            }
            Some(b'!' | b'?') => rest = behind(rest, b'>'),
            _ if name_at == 2 => rest = behind(rest, b'>'),
            _ => {
                text.add("<");
                rest = &rest[1..];
            }
        }
    }
    text.add(rest);
    text.so_far
}

/// What is between these is no text.
const HIDDEN: [&str; 3] = ["script", "style", "template"];

/// Tags that a word may have in it: `<b>T</b>unbridge` is one word.
const INLINE: [&str; 36] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "blink", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd",
    "mark", "nobr", "q", "rb", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];

/// The text so far, and what comes before the next word of it.
#[derive(Default)]
struct Text {
    so_far: String,
    space: bool,
}

impl Text {
    /// What stands between two tags.
    fn add(&mut self, between: &str) {
        let mut words = between.split_ascii_whitespace().peekable();
        let starts_apart = between.starts_with(|c: char| c.is_ascii_whitespace());
        self.space |= starts_apart;
        while let Some(word) = words.next() {
            if std::mem::take(&mut self.space) && !self.so_far.is_empty() && !self.so_far.ends_with('\n') {
                self.so_far.push(' ');
            }
            self.add_word(word);
            self.space = words.peek().is_some() || between.ends_with(|c: char| c.is_ascii_whitespace());
        }
    }

    /// A word with its entities decoded. A `&` that begins none stands for itself.
    fn add_word(&mut self, mut word: &str) {
        while let Some(at) = memchr::memchr(b'&', word.as_bytes()) {
            self.so_far.push_str(&word[..at]);
            word = &word[at..];
            let inside = &word[1..];
            let n = inside.bytes().take(LONGEST_ENTITY).take_while(|b| b.is_ascii_alphanumeric() || *b == b'#').count();
            let ends = inside.as_bytes().get(n) == Some(&b';');
            let name = &inside[..n];
            word = match name.strip_prefix('#').and_then(numbered) {
                Some((character, n_read)) => {
                    self.so_far.push(character);
                    let behind = &inside[1 + n_read..];
                    behind.strip_prefix(';').unwrap_or(behind)
                }
                None if ends && self.add_named(&word[..n + 2]) => &inside[n + 1..],
                None => match old_name(name) {
                    Some(old) => {
                        self.add_named(&format!("&{old};"));
                        &inside[old.len()..]
                    }
                    None => {
                        self.so_far.push('&');
                        inside
                    }
                },
            };
        }
        self.so_far.push_str(word);
    }

    /// What a name stands for that is written as `&name;`, if it is one: a character, or two, of which mail-parser knows the first.
    fn add_named(&mut self, written: &str) -> bool {
        let before = self.so_far.len();
        add_html_token(&mut self.so_far, written.as_bytes(), false);
        let is_known = self.so_far[before..] != *written;
        if is_known {
            self.so_far.extend(second(&written[1..written.len() - 1]));
        } else {
            self.so_far.truncate(before);
        }
        is_known
    }

    /// What a tag does: it ends the line, or nothing.
    fn part(&mut self, tag: &str) {
        if INLINE.iter().any(|inline| inline.eq_ignore_ascii_case(tag)) {
            return;
        }
        self.space = false;
        // Two breaks are an empty line; however many blocks end at once end one line.
        if tag.eq_ignore_ascii_case("br") || !(self.so_far.is_empty() || self.so_far.ends_with('\n')) {
            self.so_far.push('\n');
        }
    }
}

/// `&CounterClockwiseContourIntegral;` is the longest of names, and a number may have zeros in front.
const LONGEST_ENTITY: usize = 40;

/// The character of a number such as `233` or `xE9`, and how long the number is. Numbers of the control characters that Windows-1252 has
/// letters in place of mean those (section 13.2.5.80); one that is no character is the unknown one.
fn numbered(number: &str) -> Option<(char, usize)> {
    let hexadecimal = number.strip_prefix(['x', 'X']);
    let (digits, radix) = hexadecimal.map_or((number, 10), |digits| (digits, 16));
    let n = digits.bytes().take_while(|b| char::from(*b).is_digit(radix)).count();
    let value = digits[..n]
        .bytes()
        .fold(0_u32, |value, digit| value.saturating_mul(radix).saturating_add(char::from(digit).to_digit(radix).unwrap_or_default()));
    let character = match u8::try_from(value) {
        Ok(0) => char::REPLACEMENT_CHARACTER,
        Ok(byte @ 0x80..=0x9F) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(&[byte]).0.chars().next().unwrap_or_default(),
        _ => char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    (n > 0).then_some((character, n + usize::from(hexadecimal.is_some())))
}

/// The longest name at the start that needs no semicolon.
fn old_name(text: &str) -> Option<&str> {
    // They are in order, so those that a text begins with are its own beginnings.
    let longest = text.len().min(LONGEST_OLD_NAME);
    (2..=longest).rev().filter_map(|n| text.get(..n)).find(|name| OLD_NAMES.binary_search(name).is_ok())
}

/// `&frac12` and others are as long.
const LONGEST_OLD_NAME: usize = 6;

/// Names that pages of the first days have without a semicolon, and that mean the same (section 13.5), in order.
const OLD_NAMES: [&str; 106] = [
    "AElig", "AMP", "Aacute", "Acirc", "Agrave", "Aring", "Atilde", "Auml", "COPY", "Ccedil", "ETH", "Eacute", "Ecirc", "Egrave", "Euml",
    "GT", "Iacute", "Icirc", "Igrave", "Iuml", "LT", "Ntilde", "Oacute", "Ocirc", "Ograve", "Oslash", "Otilde", "Ouml", "QUOT", "REG",
    "THORN", "Uacute", "Ucirc", "Ugrave", "Uuml", "Yacute", "aacute", "acirc", "acute", "aelig", "agrave", "amp", "aring", "atilde",
    "auml", "brvbar", "ccedil", "cedil", "cent", "copy", "curren", "deg", "divide", "eacute", "ecirc", "egrave", "eth", "euml", "frac12",
    "frac14", "frac34", "gt", "iacute", "icirc", "iexcl", "igrave", "iquest", "iuml", "laquo", "lt", "macr", "micro", "middot", "nbsp",
    "not", "ntilde", "oacute", "ocirc", "ograve", "ordf", "ordm", "oslash", "otilde", "ouml", "para", "plusmn", "pound", "quot", "raquo",
    "reg", "sect", "shy", "sup1", "sup2", "sup3", "szlig", "thorn", "times", "uacute", "ucirc", "ugrave", "uml", "uuml", "yacute", "yen",
    "yuml",
];

/// The second character of what a name stands for, if it has one.
fn second(name: &str) -> Option<char> {
    OF_TWO.iter().find(|(_, names)| names.binary_search(&name).is_ok()).map(|(second, _)| *second)
}

/// Names of two characters, by the second, in order (section 13.5).
#[rustfmt::skip]
const OF_TWO: [(char, &[&str]); 8] = [
    ('j', &["fjlig"]),
    ('\u{331}', &["race"]),
    ('\u{333}', &["acE"]),
    ('\u{338}', &[
        "NotEqualTilde", "NotGreaterFullEqual", "NotGreaterGreater", "NotGreaterSlantEqual", "NotHumpDownHump", "NotHumpEqual",
        "NotLeftTriangleBar", "NotLessLess", "NotLessSlantEqual", "NotNestedGreaterGreater", "NotNestedLessLess", "NotPrecedesEqual",
        "NotRightTriangleBar", "NotSquareSubset", "NotSquareSuperset", "NotSucceedsEqual", "NotSucceedsTilde", "nGg", "nGtv", "nLl",
        "nLtv", "napE", "napid", "nbump", "nbumpe", "ncongdot", "nedot", "nesim", "ngE", "ngeqq", "ngeqslant", "nges", "nlE", "nleqq",
        "nleqslant", "nles", "notinE", "notindot", "npart", "npre", "npreceq", "nrarrc", "nrarrw", "nsce", "nsubE", "nsubseteqq",
        "nsucceq", "nsupE", "nsupseteqq",
    ]),
    ('\u{200a}', &["ThickSpace"]),
    ('\u{20d2}', &[
        "NotSubset", "NotSuperset", "nGt", "nLt", "nang", "nsubset", "nsupset", "nvap", "nvge", "nvgt", "nvle", "nvlt", "nvltrie",
        "nvrtrie", "nvsim", "vnsub", "vnsup",
    ]),
    ('\u{20e5}', &["bne", "bnequiv", "nparsl"]),
    ('\u{fe00}', &[
        "caps", "cups", "gesl", "gvertneqq", "gvnE", "lates", "lesg", "lvertneqq", "lvnE", "smtes", "sqcaps", "sqcups", "varsubsetneq",
        "varsubsetneqq", "varsupsetneq", "varsupsetneqq", "vsubnE", "vsubne", "vsupnE", "vsupne",
    ]),
];

/// The name at the start of a tag.
fn name(tag: &str) -> &str {
    let end = tag.bytes().position(|b| b.is_ascii_whitespace() || matches!(b, b'/' | b'>' | b'<'));
    &tag[..end.unwrap_or(tag.len())]
}

/// What comes behind a tag of which the name has been read. A `>` in a quoted value does not end it.
fn behind_tag(attributes: &str) -> &str {
    let bytes = attributes.as_bytes();
    let (mut at, mut after_equals) = (0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'>' => return &attributes[at + 1..],
            b'<' => return &attributes[at..],
            quote @ (b'"' | b'\'') if after_equals => {
                // A quotation without an end is looked for in vain at most twice in a page, for it is the last of its kind.
                at += memchr::memchr(quote, &bytes[at + 1..]).map_or(0, |inside| inside + 1);
                after_equals = false;
            }
            b'=' => after_equals = true,
            b if b.is_ascii_whitespace() => {}
            _ => after_equals = false,
        }
        at += 1;
    }
    ""
}

/// Where the comment at the start ends: `-->` or `--!>`, and `<!-->` and `<!--->` are whole.
fn end_of_comment(comment: &str) -> Option<usize> {
    let bytes = comment.as_bytes();
    memchr::memchr_iter(b'>', bytes)
        .find(|end| *end >= 4 && matches!(&bytes[2..*end], [.., b'-', b'-'] | [_, _, .., b'-', b'-', b'!']))
        .map(|end| end + 1)
}

/// What comes behind the first of these bytes.
fn behind(text: &str, byte: u8) -> &str {
    memchr::memchr(byte, text.as_bytes()).map_or("", |at| &text[at + 1..])
}

/// The rest from the end tag of this name on, or nothing.
fn from_end_tag<'t>(text: &'t str, tag: &str) -> &'t str {
    let bytes = text.as_bytes();
    let ends_here = |at: &usize| bytes.get(at + 1) == Some(&b'/') && name(&text[at + 2..]).eq_ignore_ascii_case(tag);
    memchr::memchr_iter(b'<', bytes).find(ends_here).map_or("", |at| &text[at..])
}

#[cfg(test)]
mod tests {
    use super::text_of_page;

    fn words(page: &str) -> String {
        text_of_page(page).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn blocks_part_words() {
        for page in [
            "<li>one<li>two",
            "<tr><td>one</td><td>two</td>",
            "<h1>one</h1>two",
            "<div>one</div>two",
            "one<br>two",
            "one<BR/>two",
            "one<hr>two",
            "one<img src=x.gif>two",
            "<option>one<option>two",
            "<head><title>one</title></head><body>two",
            "one<p>two",
            "one<unheard-of>two",
        ] {
            assert_eq!(words(page), "one two", "{page}");
        }
    }

    #[test]
    fn inline_tags_part_none() {
        for page in ["<b>o</b>ne", "<FONT SIZE=+3>O</FONT>ne", "o<!-- hidden -->ne", "o<wbr>ne", "<a href=x>on</a><em>e</em>"] {
            assert_eq!(words(page).to_lowercase(), "one", "{page}");
        }
        assert_eq!(words("<b>one</b> <i>two</i>\n three"), "one two three");
    }

    #[test]
    fn lines_are_blocks_and_white_space_is_one_space() {
        let page = "<html>\n<title>Course  Syllabus</title>\n<p>hello\n  <b>world</b>\n</p>\n<ul><li> x </ul>one<br><br>two";
        assert_eq!(text_of_page(page), "Course Syllabus\nhello world\nx\none\n\ntwo");
    }

    #[test]
    fn scripts_styles_and_comments_are_no_words() {
        assert_eq!(words("one<SCRIPT>if (a < b) '</p>'</Script >two"), "one two");
        assert_eq!(words("one<style type='x>y'>p { color: red }</style>two"), "one two");
        assert_eq!(
            words("<!-- a --><!-- b > c --!>one<!--> two<!---> three<!DOCTYPE html \"x\"> four<?xml v?> five</ gone>"),
            "one two three four five"
        );
        assert_eq!(words("one<script>two</scripts> three"), "one");
        assert_eq!(words("one </script>two"), "one two");
    }

    #[test]
    fn entities_are_what_they_stand_for() {
        assert_eq!(words("Caf&eacute; R&D &#233;&#xE9; &lt;b&gt; &unknown; &amp &;"), "Café R&D éé <b> &unknown; & &;");
        assert_eq!(text_of_page("a&nbsp;b"), "a\u{a0}b");
        assert_eq!(words("&#xD800; &#99999999999; &#0; &#; &#x; &#xg;"), "\u{FFFD} \u{FFFD} \u{FFFD} &#; &#x; &#xg;");
    }

    #[test]
    fn numbers_of_windows_1252_are_its_letters() {
        assert_eq!(words("don&#146;t &#x93;go&#148; &#128;5&#8211;6 &#129;"), "don’t “go” €5–6 \u{81}");
        assert_eq!(words("don&#146t &#233t&#xE9;"), "don’t été");
    }

    #[test]
    fn old_names_need_no_semicolon() {
        assert_eq!(text_of_page("Caf&eacute na&iumlve one&nbsptwo R&amp D &LT&GT&COPY"), "Café naïve one\u{a0}two R& D <>©");
        // The longest counts, and what is known with its semicolon comes first.
        assert_eq!(words("&notin; &notit; &not; &frac12x &sup2 &para&parallel; &copysr; &hellip &"), "∉ ¬it; ¬ ½x ² ¶∥ ℗ &hellip &");
    }

    #[test]
    fn old_names_are_in_order_and_known() {
        assert!(super::OLD_NAMES.is_sorted());
        for name in super::OLD_NAMES {
            assert_eq!(words(&format!("&{name};x")), words(&format!("&{name}x")), "{name}");
            assert!(!words(&format!("&{name}")).contains(name) && name.len() <= super::LONGEST_OLD_NAME, "{name}");
        }
    }

    #[test]
    fn some_names_are_two_characters() {
        assert_eq!(words("&fjlig;ord &bne; &NotEqualTilde;&vnsup; &gvnE;"), "fjord =\u{20e5} ≂\u{338}⊃\u{20d2} ≩\u{fe00}");
        assert_eq!(super::OF_TWO.iter().map(|(_, names)| names.len()).sum::<usize>(), 93);
        for (second, names) in super::OF_TWO {
            assert!(names.is_sorted());
            for name in names {
                let said = text_of_page(&format!("&{name};"));
                assert!(said.chars().count() == 2 && said.ends_with(second), "{name}: {said}");
            }
        }
    }

    #[test]
    fn quoted_values_may_have_angle_brackets() {
        assert_eq!(words("<a title=\"x > y\" name = '>'>one</a> two"), "one two");
        assert_eq!(words("<a title=it's>one</a> two's"), "one two's");
    }

    #[test]
    fn what_is_broken_loses_as_little_as_can_be() {
        assert_eq!(words("1 < 2 <3 and a<"), "1 < 2 <3 and a<");
        assert_eq!(words("one <b two <i>three</i>"), "one three");
        assert_eq!(words("one <!-- two > three <!-- four > five"), "one three five");
        assert_eq!(words("one <a href=\"two> three"), "one three");
        for unfinished in ["one <", "one </", "one <a", "one <a href='x", "one <!--", "one <!-- x", "one <script>", "one <!"] {
            assert!(words(unfinished).starts_with("one"), "{unfinished}");
        }
    }

    /// What is looked for again and again in vain would take hours for pages of this length.
    #[test]
    fn no_page_takes_longer_than_its_length() {
        for piece in [
            "<",
            "<!--",
            "<!-- >",
            "<a ",
            "<a x=\"",
            "<a x='>' ",
            "<a x=\">'",
            "</",
            "<script",
            "&",
            "&#",
            "<script></script",
            "<title>",
            "<!",
            "\u{e9}<",
        ] {
            text_of_page(&piece.repeat(1_000_000 / piece.len()));
            text_of_page(&format!("{}\"", piece.repeat(1_000_000 / piece.len())));
        }
    }
}
