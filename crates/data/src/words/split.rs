//! Words of a text, by the word boundaries of Unicode (UAX #29): the pieces that hold a letter or a digit.
//!
//! Text is mostly ASCII, and its words are found 64 bytes at a time (`ascii`). A piece between white space that holds anything else is
//! handed to `unicode-segmentation`; which of them finds a word makes no difference.

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
    /// Those and the hyphen between two words, unless a low line touches it: "state-of-the-art".
    Hyphens,
}

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
        each_word_beyond_ascii(piece, inner, &mut |found: &str| {
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

/// Where no word can go on: before white space or a sign of ASCII that never stands in a word.
fn end_of_piece(bytes: &[u8], start: usize) -> usize {
    bytes[start..].iter().position(never_in_a_word).map_or(bytes.len(), |n| start + n)
}

/// Letters, digits and marks that join them stand in words (WordBreakProperty.txt). A hyphen may be asked for, and Hebrew has quotation
/// marks inside of words.
fn never_in_a_word(byte: &u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'.' | b'\'' | b':' | b',' | b';' | b'-' | b'"')
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
            // Words with nothing but a hyphen between them are one. A low line alone is no word, so beside one a hyphen joins nothing.
            let mut joined: Option<(usize, usize)> = None;
            let joins = |end: usize, start: usize| start == end + 1 && piece.as_bytes()[end] == b'-';
            let touched = |end: usize, start: usize| piece[..end].ends_with('_') || piece[start..].starts_with('_');
            for (start, found) in piece.unicode_word_indices() {
                joined = match joined {
                    Some((first, end)) if joins(end, start) && !touched(end, start) => Some((first, start + found.len())),
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
        fn the_fast_way_is_that_of_the_whole_text(text in "([a-cA-Z0-9_.':,; \\-\"\n]{0,80}(é|\u{301}|’|א| )?){0,4}") {
            for inner in [Inner::None, Inner::Unicode, Inner::Hyphens] {
                let mut whole = Vec::new();
                each_word_beyond_ascii(&text, inner, &mut |word| whole.push(word));
                prop_assert_eq!(words(&text, inner), whole);
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
    fn hyphens_join_words_of_any_letters() {
        let text = "anti-écologique Nord-Östlich écolo-anti demi-été 3-é non-été-x a--é -é-";
        let joined = ["anti-écologique", "Nord-Östlich", "écolo-anti", "demi-été", "3-é", "non-été-x", "a", "é", "é"];
        assert_eq!(words(text, Inner::Hyphens), joined);
    }

    /// What stands beside words makes no difference to them.
    #[test]
    fn no_hyphen_joins_low_lines() {
        for (text, expected) in [("x-_y", ["x", "_y"]), ("x_-y", ["x_", "y"]), ("x-_-y", ["x", "y"])] {
            assert_eq!(words(text, Inner::Hyphens), expected);
            assert_eq!(words(&format!("“{text}”"), Inner::Hyphens), expected);
        }
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
