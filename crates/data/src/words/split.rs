//! Words of a text, by the word boundaries of Unicode (UAX #29): the pieces that hold a letter or a digit.
//!
//! Text is mostly ASCII, and its words are found 64 bytes at a time (`ascii`). Between white space where anything else stands they are
//! found byte by byte here, and a piece that holds it is handed to `unicode-segmentation`; which of them finds a word makes no
//! difference.

use unicode_segmentation::UnicodeSegmentation;

use super::ascii::each_ascii_word;

/// Which marks inside a word belong to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Inner {
    /// None: a word is letters, digits and low lines.
    None,
    /// Those of UAX #29: the apostrophe of "don't", the points of "U.S.A" and "3.14".
    #[default]
    Unicode,
    /// Those and the hyphen: "state-of-the-art".
    Hyphens,
}

const OTHER: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
/// Joins what it touches.
const LOW_LINE: u8 = 4;
/// Joins letters, or digits, that stand on both sides of it.
const MID_LETTER: u8 = 8;
const MID_DIGIT: u8 = 16;
const BEYOND_ASCII: u8 = 32;

const IN_WORD: u8 = LETTER | DIGIT | LOW_LINE;

/// What each byte is, as Unicode's WordBreakProperty.txt has it.
const CLASS: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'_' => LOW_LINE,
            b'.' | b'\'' => MID_LETTER | MID_DIGIT,
            b':' => MID_LETTER,
            b',' | b';' => MID_DIGIT,
            0x80.. => BEYOND_ASCII,
            _ => OTHER,
        };
        byte += 1;
    }
    class
};

/// Hands on every word of the text, as it stands there.
#[inline]
pub fn each_word<'t>(text: &'t str, inner: Inner, mut word: impl FnMut(&'t str)) {
    each_place(text, inner, |start, end| word(&text[start..end]));
}

/// Hands on where every word of the text begins and ends.
#[inline]
pub fn each_place(text: &str, inner: Inner, mut word: impl FnMut(usize, usize)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let odd = first_beyond_ascii(bytes, at);
        // No word goes on over the last sign before it that never stands in one.
        let sure = if odd == bytes.len() { odd } else { bytes[at..odd].iter().rposition(never_in_a_word).map_or(at, |n| at + n) };
        each_ascii_word(&bytes[at..sure], inner, |start, end| word(at + start, at + end));
        if sure == bytes.len() {
            return;
        }
        let end = end_of_piece(bytes, odd);
        let piece = &text[sure..end];
        each_word_slowly(piece, inner, |found| {
            let start = sure + (found.as_ptr() as usize - piece.as_ptr() as usize);
            word(start, start + found.len());
        });
        at = end;
    }
}

fn first_beyond_ascii(bytes: &[u8], from: usize) -> usize {
    const SOME: usize = 256;
    let mut at = from;
    while let Some(some) = bytes.get(at..at + SOME).filter(|some| some.is_ascii()) {
        at += some.len();
    }
    bytes[at..].iter().position(|byte| *byte >= 0x80).map_or(bytes.len(), |n| at + n)
}

/// The same byte by byte, for a text that holds more than ASCII.
#[cold]
fn each_word_slowly<'t>(text: &'t str, inner: Inner, mut word: impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match CLASS[bytes[at] as usize] {
            OTHER | MID_LETTER | MID_DIGIT => at += 1,
            class if class & (MID_LETTER | MID_DIGIT) != 0 => at += 1,
            _ => {
                let end = end_of_ascii(bytes, at, inner);
                if end < bytes.len() && bytes[end] >= 0x80 || bytes[at] >= 0x80 {
                    let end = end_of_piece(bytes, at);
                    // A mark that combines goes with what stands before it, whatever that is.
                    let start = if bytes[at] >= 0x80 && at > 0 && bytes[at - 1] < 0x80 { at - 1 } else { at };
                    each_word_beyond_ascii(&text[start..end], inner, &mut word);
                    at = end;
                } else {
                    let found = &text[at..end];
                    // Low lines alone are no word.
                    if CLASS[bytes[at] as usize] != LOW_LINE || found.bytes().any(|b| b != b'_') {
                        word(found);
                    }
                    at = end;
                }
            }
        }
    }
}

/// Where a word of ASCII that begins here ends.
#[inline]
fn end_of_ascii(bytes: &[u8], start: usize, inner: Inner) -> usize {
    let class = |at: usize| bytes.get(at).map_or(OTHER, |b| CLASS[*b as usize]);
    let mut at = start;
    loop {
        while class(at) & IN_WORD != 0 {
            at += 1;
        }
        if at == start || inner == Inner::None {
            return at;
        }
        let (before, mark, after) = (class(at - 1), class(at), class(at + 1));
        let joins = before == LETTER && mark & MID_LETTER != 0 && after == LETTER
            || before == DIGIT && mark & MID_DIGIT != 0 && after == DIGIT
            || inner == Inner::Hyphens && bytes.get(at) == Some(&b'-') && before & (LETTER | DIGIT) != 0 && after & (LETTER | DIGIT) != 0;
        // A mark before a letter beyond ASCII is not decided here.
        if mark & (MID_LETTER | MID_DIGIT) != 0 && after == BEYOND_ASCII {
            return at + 1;
        }
        if !joins {
            return at;
        }
        at += 1;
    }
}

/// Where no word can go on: before white space or a sign of ASCII that never stands in a word. A hyphen may be asked for, and
/// Hebrew has quotation marks inside of words.
fn end_of_piece(bytes: &[u8], start: usize) -> usize {
    bytes[start..].iter().position(never_in_a_word).map_or(bytes.len(), |n| start + n)
}

fn never_in_a_word(byte: &u8) -> bool {
    CLASS[*byte as usize] == OTHER && !matches!(byte, b'-' | b'"')
}

#[cold]
fn each_word_beyond_ascii<'t>(piece: &'t str, inner: Inner, word: &mut impl FnMut(&'t str)) {
    match inner {
        Inner::None => {
            let pieces = piece.split(|c: char| !(c.is_alphanumeric() || c == '_' || combines(c)));
            pieces.map(|w| w.trim_start_matches(combines)).filter(|w| w.contains(char::is_alphanumeric)).for_each(word)
        }
        Inner::Unicode => piece.unicode_words().for_each(word),
        Inner::Hyphens => {
            // Words with nothing but a hyphen between them are one.
            let mut joined: Option<(usize, usize)> = None;
            for (start, found) in piece.unicode_word_indices() {
                joined = match joined {
                    Some((first, end)) if start == end + 1 && piece.as_bytes()[end] == b'-' => Some((first, start + found.len())),
                    Some((first, end)) => {
                        word(&piece[first..end]);
                        Some((start, start + found.len()))
                    }
                    None => Some((start, start + found.len())),
                };
            }
            if let Some((first, end)) = joined {
                word(&piece[first..end]);
            }
        }
    }
}

/// Whether a sign is one with the letter before it, as accents are that are written by themselves, and the vowels of Indian scripts.
fn combines(c: char) -> bool {
    !c.is_ascii() && !c.is_alphanumeric() && ["a", c.encode_utf8(&mut [0; 4])].concat().graphemes(true).count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str, inner: Inner) -> Vec<&str> {
        let mut found = Vec::new();
        each_word(text, inner, |word| found.push(word));
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn words_are_those_of_unicode(text in "[a-cA-C0-9_.':,; \\-\"\\n!é\u{301}中文カタא\u{5f3}\u{200d}🎉ß’]{0,24}") {
            prop_assert_eq!(words(&text, Inner::Unicode), text.unicode_words().collect::<Vec<_>>());
        }

        #[test]
        fn any_text_has_the_words_of_unicode(text in ".{0,60}") {
            prop_assert_eq!(words(&text, Inner::Unicode), text.unicode_words().collect::<Vec<_>>());
        }

        #[test]
        fn without_inner_marks_words_are_runs(text in "[a-c0-9_.' \\-é中]{0,24}") {
            let runs = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| w.contains(char::is_alphanumeric));
            prop_assert_eq!(words(&text, Inner::None), runs.collect::<Vec<_>>());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        /// Over the ends of blocks, and with what is not ASCII far and near.
        #[test]
        fn many_bytes_at_a_time_are_as_one_by_one(text in "([a-cA-Z0-9_.':,; \\-\"\n]{0,80}(é|\u{301}|’| )?){0,4}") {
            for inner in [Inner::None, Inner::Unicode, Inner::Hyphens] {
                let mut slowly = Vec::new();
                each_word_slowly(&text, inner, |word| slowly.push(word));
                prop_assert_eq!(words(&text, inner), slowly);
            }
        }
    }

    /// An accent is no mark inside a word, however it is written.
    #[test]
    fn accents_by_themselves_cut_no_word() {
        let text = "cafe\u{301}s, nai\u{308}ve_ हिन्दी \u{301}x y\u{301}’\u{301}z";
        assert_eq!(words(text, Inner::None), ["cafe\u{301}s", "nai\u{308}ve_", "हिन्दी", "x", "y\u{301}", "z"]);
    }

    #[test]
    fn inner_marks() {
        let text = "Don't use state-of-the-art 3.14, e.g. __init__ at 10:30 -- naïve-né a-";
        assert_eq!(words(text, Inner::Unicode)[..6], ["Don't", "use", "state", "of", "the", "art"]);
        let hyphens = ["Don't", "use", "state-of-the-art", "3.14", "e.g", "__init__", "at", "10", "30", "naïve-né", "a"];
        assert_eq!(words(text, Inner::Hyphens), hyphens);
        assert_eq!(words("Don't", Inner::None), ["Don", "t"]);
        assert_eq!(words("___ a", Inner::Unicode), ["a"]);
    }
}
