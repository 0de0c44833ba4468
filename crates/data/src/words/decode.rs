//! Bytes to text: UTF-8, else Windows-1252, in which every byte is a character.

use std::borrow::Cow;

/// The text of a document, and whether it had to be taken for Windows-1252.
pub(crate) fn text_of(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.into(), false),
        Err(_) => (encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0, true),
    }
}

/// Whether the bytes are no text: they begin as files of a known kind do, one in two hundred of the first is a NUL, or too many are some
/// control character: one in three, or in what is not UTF-8 one in thirty. A single stray one says nothing.
///
/// Old postings have bells and backspaces, and texts in an old encoding next to none; of random bytes, and so of packed ones, a tenth
/// are control characters. Text in UTF-16 is every other byte a NUL, and is not read either. NULs at the very end are padding: some
/// servers send a page in whole blocks.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 8192;
    let padding = bytes.iter().rev().take_while(|byte| **byte == 0).count();
    let text = if padding < bytes.len() { &bytes[..bytes.len() - padding] } else { bytes };
    let head = &text[..text.len().min(LOOKED_AT)];
    if MAGIC.iter().any(|magic| head.starts_with(magic)) {
        return true;
    }
    let nuls = count(head, |byte| byte == 0);
    // Tabs, line ends and feeds are none, nor is the escape.
    let strange = count(head, |byte| (byte < 32) & (byte.wrapping_sub(9) >= 5) & (byte != 27) | (byte == 127));
    nuls > 1 && nuls * 200 > head.len() || strange > 1 && (strange * 3 > head.len() || strange * 30 > head.len() && !is_utf8(head))
}

/// How many bytes are such; many side by side, for every document is looked at.
fn count(bytes: &[u8], is_such: impl Fn(u8) -> bool) -> usize {
    const WIDTH: usize = 64;
    let (blocks, rest) = bytes.as_chunks::<WIDTH>();
    // No more blocks than a byte can count.
    let of_some = |blocks: &[[u8; WIDTH]]| {
        let mut counts = [0_u8; WIDTH];
        for block in blocks {
            counts.iter_mut().zip(block).for_each(|(count, byte)| *count += u8::from(is_such(*byte)));
        }
        counts.iter().map(|count| usize::from(*count)).sum::<usize>()
    };
    blocks.chunks(usize::from(u8::MAX)).map(of_some).sum::<usize>() + rest.iter().filter(|byte| is_such(**byte)).count()
}

/// What files begin with that have long stretches of text, or are packed.
const MAGIC: [&[u8]; 14] = [
    b"%PDF-",
    b"\x89PNG",
    b"\xFF\xD8\xFF", // JPEG
    b"GIF87a",
    b"GIF89a",
    b"PK\x03\x04",       // ZIP, and the documents of office programs that are one
    b"\x1F\x8B",         // gzip
    b"\x28\xB5\x2F\xFD", // Zstandard
    b"BZh91AY&SY",
    b"\xFD7zXZ\0",
    b"7z\xBC\xAF\x27\x1C",
    b"Rar!\x1A\x07",
    b"\x7FELF",
    b"\xD0\xCF\x11\xE0", // documents of older office programs
];

/// Whether bytes are UTF-8, but for a last character that is cut off.
fn is_utf8(head: &[u8]) -> bool {
    std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf8_are_windows_1252() {
        assert_eq!(text_of("naïve".as_bytes()), ("naïve".into(), false));
        assert_eq!(text_of(b"na\xEFve \x80 \x93quoted\x94"), ("naïve € “quoted”".into(), true));
        assert_eq!(text_of(b"\xEF\xBB\xBFa"), ("a".into(), false));
    }

    #[test]
    fn a_stray_nul_does_not_make_a_page_binary() {
        assert!(!is_binary(b"<html>\0 a page of words that goes on for a while and has nothing else strange in it</html>"));
        assert!(!is_binary(b"<html>\0caf\xE9</html>"));
        assert!(!is_binary(b"a\x07"));
        assert!(!is_binary(b""));
        assert!(!is_binary(&[b'x'; 100_000]));
        assert!(!is_binary(b"_\x08U_\x08n_\x08d_\x08e_\x08r_\x08l_\x08i_\x08n_\x08e_\x08d, as one did on a line printer"));
        assert!(is_binary(b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"));
        assert!(!is_binary(&[&b"<html>a page"[..], &[0; 20_000]].concat()));
        assert!(is_binary(&[0; 100]));
        assert!(is_binary(b"PK\x03\x04\x14\0\0\0\x08\0"));
        assert!(is_binary(&"text in UTF-16".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()));
    }

    #[test]
    fn every_byte_is_counted() {
        for n in [0, 1, 63, 64, 65, 64 * 255, 64 * 255 + 1, 100_000] {
            assert_eq!(count(&vec![7; n], |byte| byte == 7), n);
            assert_eq!(count(&vec![7; n], |byte| byte == 8), 0);
        }
        let strange: Vec<u8> = (0..=255).filter(|byte| is_binary(&[*byte; 300])).collect();
        let expected: Vec<u8> = (0..=8).chain(14..=26).chain(28..=31).chain([127]).collect();
        assert_eq!(strange, expected);
    }

    #[test]
    fn random_bytes_and_known_kinds_of_files_are_no_text() {
        let mut state = 1_u64;
        let mut random = |n: usize| {
            let next = |_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            };
            (0..n).map(next).collect::<Vec<u8>>()
        };
        // Without NULs, so that it is the other control characters that tell.
        for n in [200, 2_000, 30_000] {
            assert!(is_binary(&random(n).into_iter().filter(|b| *b != 0).collect::<Vec<_>>()), "{n}");
        }
        assert!(is_binary(b"%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj"));
        assert!(is_binary(b"GIF89a"));
    }

    #[test]
    fn texts_in_old_encodings_are_texts() {
        let every_letter: Vec<u8> = (0x80..=0xFF).collect();
        assert!(!is_binary(&every_letter));
        assert!(!is_binary(b"\x82\xB1\x82\xF1\x82\xC9\x82\xBF\x82\xCD in Shift JIS, and \x1B$B in ISO 2022"));
        // A character cut off where one stops looking is no fault.
        let cut = [&b"\x08\x08"[..], &"\u{e9}".repeat(5000).into_bytes()[..]].concat();
        assert!(!is_binary(&[&b"\x08".repeat(1001)[..], &cut].concat()));
    }
}
