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

/// Whether the bytes are no text: one in two hundred of the first is a NUL, and not a stray one, or one in three is some other
/// control character. Old postings have bells and backspaces; text in UTF-16 is every other byte a NUL, and is not read either.
/// NULs at the very end are padding: some servers send a page in whole blocks.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 8192;
    let padding = bytes.iter().rev().take_while(|byte| **byte == 0).count();
    let text = if padding < bytes.len() { &bytes[..bytes.len() - padding] } else { bytes };
    let head = &text[..text.len().min(LOOKED_AT)];
    let nuls = memchr::memchr_iter(0, head).count();
    let strange = || head.iter().filter(|b| matches!(b, 0..=8 | 14..=26 | 28..=31 | 127)).count();
    nuls > 1 && nuls * 200 > head.len() || strange() * 3 > head.len()
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
        assert!(!is_binary(b""));
        assert!(!is_binary(&[b'x'; 100_000]));
        assert!(!is_binary(b"_\x08U_\x08n_\x08d_\x08e_\x08r_\x08l_\x08i_\x08n_\x08e_\x08d, as one did on a line printer"));
        assert!(is_binary(b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"));
        assert!(!is_binary(&[&b"<html>a page"[..], &[0; 20_000]].concat()));
        assert!(is_binary(&[0; 100]));
        assert!(is_binary(b"PK\x03\x04\x14\0\0\0\x08\0"));
        assert!(is_binary(&"text in UTF-16".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()));
    }
}
