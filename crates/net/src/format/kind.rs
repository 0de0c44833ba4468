//! Which format a file is in, by its name or its first words, and reading and writing whichever it is.

use super::lexical::{FormatError, text_of};
use super::uai::MarkovModel;
use super::{Document, Sketch, bif, dot, dsc, hugin, tbn, uai, xdsl, xmlbif};
use crate::error::NetError;
use std::borrow::Cow;
use std::io::Read;

/// Packed files may become this many bytes and no more: a small file must not ask for all memory.
pub const MAX_UNPACKED: usize = 1 << 29;

/// A format of networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FormatKind {
    /// Our own: [`tbn`].
    Tbn,
    /// [`bif`].
    Bif,
    /// [`xmlbif`].
    XmlBif,
    /// Hugin's NET: [`hugin`].
    Net,
    /// MSBN's: [`dsc`].
    Dsc,
    /// [`uai`].
    Uai,
    /// GeNIe's: [`xdsl`].
    Xdsl,
    /// Graphviz's: [`dot`].
    Dot,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Contents {
    /// A network with what is said around it.
    Network(Document),
    /// Factors without names.
    Markov(MarkovModel),
    /// A structure without probabilities.
    Structure(Sketch),
}

/// What a writer gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file's text.
    pub text: String,
    /// A second file that belongs to it.
    pub sidecar: Option<Sidecar>,
    /// What the format has no words for and is not in the file.
    pub lost: Vec<String>,
}

/// A second file that belongs to a first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sidecar {
    /// What is put behind the first file's name, such as `.names`.
    pub suffix: &'static str,
    /// Its text.
    pub text: String,
}

impl Written {
    /// A text from which nothing is lost.
    pub(crate) fn of(text: String) -> Self {
        Self { text, sidecar: None, lost: Vec::new() }
    }
}

impl FormatKind {
    /// Every format.
    pub const ALL: [Self; 8] = [Self::Tbn, Self::Bif, Self::XmlBif, Self::Net, Self::Dsc, Self::Uai, Self::Xdsl, Self::Dot];

    /// The name of the format, as it is given to a program and put behind a file's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tbn => "tbn",
            Self::Bif => "bif",
            Self::XmlBif => "xmlbif",
            Self::Net => "net",
            Self::Dsc => "dsc",
            Self::Uai => "uai",
            Self::Xdsl => "xdsl",
            Self::Dot => "dot",
        }
    }

    /// The format of a file by the end of its name; `.gz` behind it is passed over.
    ///
    /// ```
    /// use tunbridge_net::format::FormatKind;
    /// assert_eq!(FormatKind::of_file_name("nets/asia.bif.gz"), Some(FormatKind::Bif));
    /// assert_eq!(FormatKind::of_file_name("asia.csv"), None);
    /// ```
    pub fn of_file_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let ending = name.strip_suffix(".gz").unwrap_or(&name).rsplit_once('.')?.1;
        match ending {
            "xml" | "bifxml" => Some(Self::XmlBif),
            "gv" => Some(Self::Dot),
            _ => Self::ALL.into_iter().find(|kind| kind.name() == ending),
        }
    }

    /// The format of unpacked bytes by their first words; none if they begin like no format.
    ///
    /// ```
    /// use tunbridge_net::format::FormatKind;
    /// assert_eq!(FormatKind::of_contents(b"// by hand\nnetwork asia { }"), Some(FormatKind::Bif));
    /// assert_eq!(FormatKind::of_contents(b"# by hand\nvariable Flu yes/no 0.1"), Some(FormatKind::Tbn));
    /// ```
    pub fn of_contents(bytes: &[u8]) -> Option<Self> {
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 16)]);
        let head = without_comments(head.trim_start_matches('\u{feff}'));
        if head.starts_with('<') {
            let lower = head.to_ascii_lowercase();
            return if lower.contains("<smile") { Some(Self::Xdsl) } else { lower.contains("<bif").then_some(Self::XmlBif) };
        }
        let mut words = head.split(|symbol: char| symbol.is_whitespace() || symbol == '{').filter(|word| !word.is_empty());
        match words.next()? {
            "BAYES" | "MARKOV" => Some(Self::Uai),
            "belief" => Some(Self::Dsc),
            "net" | "class" => Some(Self::Net),
            "digraph" | "strict" | "graph" => Some(Self::Dot),
            "probability" => Some(Self::Bif),
            "property" => Some(Self::Tbn),
            // BIF has a brace behind the network's name; its variables have a type or a property in theirs.
            "network" => Some(if behind_name(&head["network".len()..]).starts_with('{') { Self::Bif } else { Self::Tbn }),
            "variable" => Some(if is_of_bif(behind_name(&head["variable".len()..])) { Self::Bif } else { Self::Tbn }),
            "node" if head.contains("discrete") && head.contains('[') => Some(Self::Dsc),
            "node" | "potential" => Some(Self::Net),
            _ => None,
        }
    }

    /// The format of a file by its unpacked bytes and the end of its name. First words tell more than a name, which may be anything; but where they are those of
    /// several formats, the name decides among these.
    ///
    /// ```
    /// use tunbridge_net::format::FormatKind;
    /// let node = b"node A { label = \"[discrete]\"; states = (\"a\" \"b\"); }";
    /// assert_eq!(FormatKind::of_file("a.net", node), Some(FormatKind::Net));
    /// assert_eq!(FormatKind::of_file("a.txt", b"MARKOV 1"), Some(FormatKind::Uai));
    /// ```
    pub fn of_file(name: &str, bytes: &[u8]) -> Option<Self> {
        let (by_contents, by_name) = (Self::of_contents(bytes), Self::of_file_name(name));
        match (by_contents, by_name) {
            // Both have nodes, with or without a header before them.
            (Some(Self::Net | Self::Dsc), Some(Self::Net | Self::Dsc)) if begins_with_node(bytes) => by_name,
            _ => by_contents.or(by_name),
        }
    }
}

fn begins_with_node(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 16)]);
    without_comments(head.trim_start_matches('\u{feff}')).starts_with("node")
}

/// Whether what stands behind a variable's name is BIF's: a type or a property in braces. In ours there are states, parted by commas, of any names.
fn is_of_bif(behind: &str) -> bool {
    let Some(inside) = behind.strip_prefix('{').map(without_comments) else { return false };
    let is_word = |word: &str| {
        let rest = inside.strip_prefix(word).map(|rest| (rest, without_comments(rest)));
        rest.is_some_and(|(rest, next)| rest.len() > next.len() && !next.starts_with([',', '}']))
    };
    is_word("type") || is_word("property") || inside.starts_with('}')
}

impl std::fmt::Display for FormatKind {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}

/// The text behind a name, bare or in quotes, and the comments after it.
fn behind_name(text: &str) -> &str {
    let text = text.trim_start();
    let rest = match text.strip_prefix('"') {
        Some(quoted) => {
            let mut is_escaped = false;
            let end = quoted.find(|symbol: char| match (is_escaped, symbol) {
                (false, '"') => true,
                (before, symbol) => {
                    is_escaped = !before && symbol == '\\';
                    false
                }
            });
            end.map_or("", |end| &quoted[end + 1..])
        }
        None => text.trim_start_matches(|symbol: char| !symbol.is_whitespace() && symbol != '{'),
    };
    without_comments(rest)
}

/// The text from its first word that is in no comment.
fn without_comments(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        let is_line = text.starts_with("//") || text.starts_with('%') || text.starts_with('#');
        let end = if is_line {
            text.find('\n')
        } else if text.starts_with("/*") {
            text.find("*/").map(|end| end + 2)
        } else {
            return text;
        };
        match end {
            Some(end) => text = &text[end..],
            None => return "",
        }
    }
}

/// Bytes as they are, or unpacked if they are gzip.
///
/// # Errors
/// When the packed bytes are broken, or would become more than [`MAX_UNPACKED`].
pub fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, FormatError> {
    unpacked_within(bytes, MAX_UNPACKED)
}

fn unpacked_within(bytes: &[u8], most: usize) -> Result<Cow<'_, [u8]>, FormatError> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(Cow::Borrowed(bytes));
    }
    let broken = |what: String, hint: &str| FormatError { line: 1, column: 1, what, hint: hint.to_string() };
    let mut plain = Vec::new();
    let mut unpacking = flate2::bufread::MultiGzDecoder::new(bytes).take(most as u64 + 1);
    unpacking.read_to_end(&mut plain).map_err(|error| broken(format!("the gzip is broken: {error}"), "is the file cut off?"))?;
    if plain.len() > most {
        return Err(broken(format!("the file unpacks to more than {most} bytes"), "no network is that large"));
    }
    Ok(Cow::Owned(plain))
}

/// Reads bytes, packed or not, in a format.
///
/// # Errors
/// When the text is broken or tells of no network: with line, column and what to do.
///
/// ```
/// use tunbridge_net::format::{self, Contents, FormatKind};
/// let Contents::Structure(sketch) = format::read(FormatKind::Dot, b"digraph { A -> B }")? else { unreachable!() };
/// assert_eq!(sketch.structure.dag().n_arcs(), 1);
/// # Ok::<(), tunbridge_net::format::FormatError>(())
/// ```
pub fn read(kind: FormatKind, bytes: &[u8]) -> Result<Contents, FormatError> {
    let bytes = &*unpacked(bytes)?;
    if std::str::from_utf8(bytes).is_ok_and(|text| without_comments(text.trim_start_matches('\u{feff}')).is_empty()) {
        let what = "there is no network here: the file is empty, or has comments only".to_string();
        return Err(FormatError { line: 1, column: 1, what, hint: format!("write one in it as {kind} has it, or name another file") });
    }
    match kind {
        FormatKind::Tbn => tbn::read(bytes).map(Contents::Network),
        FormatKind::Bif => bif::read(bytes).map(|bif| Contents::Network(bif.into_document())),
        FormatKind::XmlBif => xmlbif::read(bytes).map(Contents::Network),
        FormatKind::Net => hugin::read(bytes).map(Contents::Network),
        FormatKind::Dsc => dsc::read(bytes).map(Contents::Network),
        FormatKind::Uai if uai::is_markov(bytes) => uai::read_markov(bytes).map(Contents::Markov),
        FormatKind::Uai => uai::read(bytes).map(Contents::Network),
        FormatKind::Xdsl => xdsl::read(bytes).map(Contents::Network),
        FormatKind::Dot => dot::read(bytes).map(Contents::Structure),
    }
}

/// Reads bytes, packed or not, whose format their first words and the file's name tell ([`FormatKind::of_file`]).
///
/// # Errors
/// When neither tells of a format, and those of [`read`].
pub fn read_any(file_name: &str, bytes: &[u8]) -> Result<(FormatKind, Contents), FormatError> {
    let plain = unpacked(bytes)?;
    let Some(kind) = FormatKind::of_file(file_name, &plain) else {
        text_of(&plain)?;
        let names: Vec<&str> = FormatKind::ALL.iter().map(|kind| kind.name()).collect();
        let hint = format!("the formats are {}", names.join(", "));
        return Err(FormatError { line: 1, column: 1, what: "this begins like no format of networks".to_string(), hint });
    };
    read(kind, &plain).map(|contents| (kind, contents))
}

/// Writes a document in a format, and says what the format cannot hold.
///
/// # Errors
/// When a distribution that is no table would have to be spelled out as one and is too large.
///
/// ```
/// use tunbridge_net::{Network, format::{self, Document, FormatKind}};
/// let coin = Network::builder().variable("Side", ["heads", "tails"]).probabilities([0.5, 0.5]).build()?;
/// let written = format::write(FormatKind::Uai, &Document::new("coin", coin))?;
/// assert_eq!(written.sidecar.unwrap().suffix, ".names");
/// assert!(written.lost[0].contains("names"));
/// # Ok::<(), tunbridge_net::NetError>(())
/// ```
pub fn write(kind: FormatKind, document: &Document) -> Result<Written, NetError> {
    match kind {
        FormatKind::Tbn => Ok(Written::of(tbn::write(document))),
        FormatKind::Bif => {
            let text = bif::write(&bif::Bif::from_document(document))?;
            Ok(Written { lost: super::spelled_out(document, &[]), ..Written::of(text) })
        }
        FormatKind::XmlBif => xmlbif::write(document),
        FormatKind::Net => hugin::write(document),
        FormatKind::Dsc => dsc::write(document),
        FormatKind::Uai => uai::write(document),
        FormatKind::Xdsl => xdsl::write(document),
        FormatKind::Dot => Ok(dot::write(document)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn bombs_are_not_unpacked() {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&[b' '; 100_000]).unwrap();
        let bomb = packer.finish().unwrap();
        assert!(bomb.len() < 1000);
        assert_eq!(unpacked_within(&bomb, 100_000).unwrap().len(), 100_000);
        assert_eq!(unpacked_within(&bomb, 99_999).unwrap_err().what, "the file unpacks to more than 99999 bytes");
    }

    #[test]
    fn files_without_anything_are_no_networks() {
        for kind in FormatKind::ALL {
            for text in ["", " \n", "# a comment only"] {
                let refused = read(kind, text.as_bytes()).unwrap_err();
                assert!(refused.what.contains("the file is empty"), "{kind}: {refused}");
                assert!(refused.hint.contains(kind.name()), "{kind}: {refused}");
            }
        }
    }

    #[test]
    fn formats_are_told_by_their_first_words() {
        use FormatKind::*;
        for (text, kind) in [
            ("network asia {\n}", Some(Bif)),
            ("network asia\n{\n}", Some(Bif)),
            ("network {}", Some(Bif)),
            ("network Flu # two {causes}\nvariable Flu yes/no 0.1", Some(Tbn)),
            ("network \"a { b\" // so\n {", Some(Bif)),
            ("network \"a b\"\n\nvariable A { x, y } 0.5, 0.5", Some(Tbn)),
            ("/* c */ variable A {\n  type discrete", Some(Bif)),
            ("variable A { type, b } 0.5", Some(Tbn)),
            ("variable A { type # so\n, b } 0.5", Some(Tbn)),
            ("variable Blood { typeA, typeB }\n 0.3, 0.7", Some(Tbn)),
            ("variable A { property } 1", Some(Tbn)),
            ("variable A{property \"x = 1\" ;", Some(Bif)),
            ("variable \"a { type b\" yes/no 0.5", Some(Tbn)),
            ("network \"a \\\"b\\\"\" {\n}", Some(Bif)),
            ("network \"a\\\\\" variable A yes/no 0.1", Some(Tbn)),
            ("variable A yes/no", Some(Tbn)),
            ("<?xml version=\"1.0\"?>\n<smile>", Some(Xdsl)),
            ("<?xml?><!DOCTYPE BIF [\n<!ELEMENT BIF>]><BIF>", Some(XmlBif)),
            ("<html>", None),
            ("net{}", Some(Net)),
            ("% Hugin\nclass A {", Some(Net)),
            ("belief network \"x\"", Some(Dsc)),
            ("node A { type : discrete [ 2 ]", Some(Dsc)),
            ("node A { states = (\"y\" \"n\");", Some(Net)),
            ("MARKOV\n3", Some(Uai)),
            ("strict digraph { }", Some(Dot)),
            ("", None),
            ("// only a comment", None),
        ] {
            assert_eq!(FormatKind::of_contents(text.as_bytes()), kind, "{text}");
        }
        assert_eq!(FormatKind::of_file("a.dsc", b"node A { states = (\"y\" \"n\"); }"), Some(Dsc));
        assert_eq!(FormatKind::of_file("a.dsc", b"net { }"), Some(Net));
        assert_eq!(FormatKind::of_file_name("A.XML"), Some(XmlBif));
        assert_eq!(FormatKind::of_file_name("a.b.xdsl.gz"), Some(Xdsl));
        assert_eq!(FormatKind::of_file_name("bif"), None);
    }
}
