//! What the formats in XML share: elements with the places they stand at, and texts escaped.
//!
//! Built on quick-xml. Blanks around a text are dropped unless they are written as references such as `&#32;`. Entities are the five of XML and
//! numbers; a document type may be there and is passed over, so that no entity of a file's own is ever expanded.

use super::lexical::{Fault, FormatError, Input, Word, blank, here, number, shortened, text_of};
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;
use winnow::stream::Stream;

/// How deep elements may lie in each other.
const MAX_DEPTH: usize = 128;

/// An element.
#[derive(Debug)]
pub(crate) struct Element<'a> {
    pub name: Cow<'a, str>,
    pub offset: usize,
    pub children: Vec<Element<'a>>,
    attributes: Vec<(String, String)>,
    text: String,
    /// Where pieces of the text begin: in the text, and in the file.
    pieces: Vec<(usize, usize)>,
    /// From the first to behind the last character that was written as a reference.
    solid: Option<(usize, usize)>,
}

/// The text of bytes that say what encoding they are in: UTF-8, or Latin-1 where the declaration says so.
pub(crate) fn xml_text(bytes: &[u8]) -> Result<Cow<'_, str>, FormatError> {
    match text_of(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(error) => {
            let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).to_ascii_lowercase();
            let is_latin = ["iso-8859-1", "latin1", "latin-1", "windows-1252", "us-ascii"].iter().any(|name| head.contains(name));
            if is_latin { Ok(Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect())) } else { Err(error) }
        }
    }
}

/// The outermost element of a text.
pub(crate) fn parse(text: &str) -> Result<Element<'_>, Fault> {
    let mut reader = quick_xml::Reader::from_str(text);
    let mut open: Vec<Element<'_>> = Vec::new();
    let mut root = None;
    loop {
        let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        let event = reader.read_event().map_err(|error| {
            let at = usize::try_from(reader.error_position()).unwrap_or(usize::MAX);
            Fault::new(at, format!("the XML is broken: {error}"), "is a tag or a quote not closed?")
        })?;
        match event {
            Event::Start(tag) => {
                if open.len() == MAX_DEPTH {
                    return Err(Fault::new(at, format!("elements lie more than {MAX_DEPTH} deep in each other"), ""));
                }
                open.push(element(&tag, at)?);
            }
            Event::Empty(tag) => close(element(&tag, at)?, &mut open, &mut root)?,
            Event::End(_) => {
                let Some(done) = open.pop() else { return Err(Fault::new(at, "this end tag has no beginning", "")) };
                close(done, &mut open, &mut root)?;
            }
            Event::Text(piece) => {
                if let Some(last) = open.last_mut() {
                    last.pieces.push((last.text.len(), at));
                    last.text.push_str(&piece.xml10_content());
                }
            }
            Event::CData(piece) => {
                if let Some(last) = open.last_mut() {
                    let start = last.text.len();
                    last.pieces.push((start, at + "<![CDATA[".len()));
                    last.text.push_str(&piece.xml10_content());
                    last.solid = Some((last.solid.map_or(start, |(first, _)| first), last.text.len()));
                }
            }
            Event::GeneralRef(reference) => {
                let Some(last) = open.last_mut() else { continue };
                let name = reference.xml10_content();
                let symbol = match &*name {
                    "amp" => Some('&'),
                    "lt" => Some('<'),
                    "gt" => Some('>'),
                    "quot" => Some('"'),
                    "apos" => Some('\''),
                    _ => reference.resolve_char_ref().ok().flatten(),
                };
                let Some(symbol) = symbol else {
                    let what = format!("the entity `&{};` is not known", shortened(&name));
                    return Err(Fault::new(at, what, "write & as &amp; and < as &lt;"));
                };
                let start = last.text.len();
                last.pieces.push((start, at));
                last.text.push(symbol);
                last.solid = Some((last.solid.map_or(start, |(first, _)| first), last.text.len()));
            }
            Event::Eof => {
                if let Some(last) = open.last() {
                    return Err(Fault::new(last.offset, format!("`<{}>` has no end", shortened(&last.name)), "is the file cut off?"));
                }
                return root.ok_or_else(|| Fault::new(0, "there is no XML element", ""));
            }
            _ => {}
        }
    }
}

fn close<'a>(done: Element<'a>, open: &mut [Element<'a>], root: &mut Option<Element<'a>>) -> Result<(), Fault> {
    match open.last_mut() {
        Some(parent) => parent.children.push(done),
        None if root.is_some() => return Err(Fault::new(done.offset, "a second outermost element", "a file has one")),
        None => *root = Some(done),
    }
    Ok(())
}

fn element<'a>(tag: &BytesStart<'_>, offset: usize) -> Result<Element<'a>, Fault> {
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let broken = |what: String| Fault::new(offset, format!("an attribute is broken: {what}"), "write it as  name=\"value\"");
        let attribute = attribute.map_err(|error| broken(error.to_string()))?;
        let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).map_err(|error| broken(error.to_string()))?;
        attributes.push((attribute.key.as_ref().to_string(), value.into_owned()));
    }
    let name = Cow::Owned(tag.name().as_ref().to_string());
    Ok(Element { name, offset, children: Vec::new(), attributes, text: String::new(), pieces: Vec::new(), solid: None })
}

impl<'a> Element<'a> {
    /// Whether it has this name, in any case of letters.
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The children of a name.
    pub fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element<'a>> {
        self.children.iter().filter(move |child| child.is(name))
    }

    /// The first child of a name.
    pub fn child(&self, name: &str) -> Option<&Element<'a>> {
        self.children.iter().find(|child| child.is(name))
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The names of its attributes.
    pub fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().map(|(name, _)| name.as_str())
    }

    /// An attribute that must be there, as a word.
    pub fn attribute_word(&self, name: &str) -> Result<Word<'_>, Fault> {
        match self.attribute(name) {
            Some(value) => Ok(Word { text: Cow::Borrowed(value), offset: self.offset }),
            None => Err(Fault::new(self.offset, format!("`<{}>` has no `{name}`", shortened(&self.name)), format!("write  {name}=\"…\""))),
        }
    }

    /// The text, without the blanks around it.
    pub fn text(&self) -> &str {
        let (solid_start, solid_end) = self.solid.unwrap_or((usize::MAX, 0));
        let start = self.text.len() - self.text.trim_start().len();
        let end = self.text.trim_end().len();
        let start = start.min(solid_start);
        &self.text[start..end.max(solid_end).max(start)]
    }

    /// The text as a word at its place.
    pub fn word(&self) -> Word<'_> {
        let text = self.text();
        let start = text.as_ptr() as usize - self.text.as_ptr() as usize;
        Word { text: Cow::Borrowed(text), offset: self.offset_of(start) }
    }

    /// The words of the text.
    pub fn words(&self) -> Vec<Word<'_>> {
        let start_of = |word: &str| word.as_ptr() as usize - self.text.as_ptr() as usize;
        self.text.split_whitespace().map(|word| Word { text: Cow::Borrowed(word), offset: self.offset_of(start_of(word)) }).collect()
    }

    /// The numbers of the text and where each stands.
    pub fn numbers(&self) -> Result<(Vec<f64>, Vec<usize>), Fault> {
        let mut input = Input::new(&self.text);
        let (mut values, mut offsets) = (Vec::new(), Vec::new());
        let mut all = || -> Result<(), Fault> {
            blank(&mut input)?;
            while input.eof_offset() > 0 {
                offsets.push(self.offset_of(here(&input)));
                values.push(number(&mut input)?);
                super::lexical::skip(&mut input, ',')?;
            }
            Ok(())
        };
        all().map_err(|fault| Fault { offset: self.offset_of(fault.offset), ..fault })?;
        Ok((values, offsets))
    }

    /// Where a place of the text stands in the file.
    fn offset_of(&self, place: usize) -> usize {
        let piece = self.pieces.partition_point(|&(start, _)| start <= place);
        match piece.checked_sub(1).map(|piece| self.pieces[piece]) {
            Some((start, offset)) => offset + (place - start),
            None => self.offset,
        }
    }
}

/// A text as the content of an element: what would be taken for markup, and blanks at its ends, are written as references.
pub(crate) fn escaped(text: &str) -> String {
    let inner_start = text.len() - text.trim_start().len();
    let inner_end = text.trim_end().len();
    let mut escaped = String::with_capacity(text.len());
    for (place, symbol) in text.char_indices() {
        let at_the_ends = place < inner_start || place >= inner_end;
        push_escaped(&mut escaped, symbol, at_the_ends && symbol.is_whitespace());
    }
    escaped
}

/// A text as the value of an attribute.
pub(crate) fn escaped_attribute(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    text.chars().for_each(|symbol| push_escaped(&mut escaped, symbol, symbol.is_whitespace() && symbol != ' '));
    escaped
}

/// Whether XML has no way to write this text: it has none for most control characters.
pub(crate) fn is_beyond_xml(text: &str) -> bool {
    text.chars().any(|symbol| {
        (symbol.is_control() && (symbol as u32) < 0x20 && !matches!(symbol, '\t' | '\n' | '\r'))
            || matches!(symbol, '\u{fffe}' | '\u{ffff}')
    })
}

fn push_escaped(text: &mut String, symbol: char, as_reference: bool) {
    match symbol {
        '&' => text.push_str("&amp;"),
        '<' => text.push_str("&lt;"),
        '>' => text.push_str("&gt;"),
        '"' => text.push_str("&quot;"),
        '\0' => text.push('\u{fffd}'),
        '\t' | '\n' | ' ' if !as_reference => text.push(symbol),
        // Ends of lines of any other kind would be read as \n.
        _ if as_reference || symbol.is_control() || matches!(symbol, '\u{2028}' | '\u{2029}') => {
            text.push_str(&format!("&#{};", symbol as u32))
        }
        _ => text.push(symbol),
    }
}
