//! bnlearn's strings of structures: `[A][T|A][S|A:T]`, a bracket for every variable with its parents.

use super::lexical::{Fault, FormatError, Input, Word, found, here};
use super::sketch::{Draft, Sketch};
use crate::structure::Structure;
use winnow::Parser;
use winnow::stream::Stream;
use winnow::token::take_while;

/// Reads a string of bnlearn's.
///
/// # Errors
/// When it is none, a parent has no bracket of its own, or the arcs make a cycle.
///
/// ```
/// use tunbridge_net::format::model_string;
/// let sketch = model_string::read("[A][T|A][S|A:T]")?;
/// assert_eq!(sketch.structure.names(), ["A", "T", "S"]);
/// assert_eq!(model_string::write(&sketch.structure), "[A][T|A][S|A:T]");
/// # Ok::<(), tunbridge_net::format::FormatError>(())
/// ```
pub fn read(text: &str) -> Result<Sketch, FormatError> {
    parse(&mut Input::new(text)).and_then(Draft::finish).map_err(|fault| fault.within(text))
}

fn parse(input: &mut Input<'_>) -> Result<Draft, Fault> {
    let mut draft = Draft::default();
    let mut families = Vec::new();
    while !is_at_end(input)? {
        expect(input, '[', "before a variable")?;
        let child = name(input)?;
        if draft.knows(&child.text) {
            return Err(Fault::new(child.offset, format!("variable `{}` has two brackets", child.text), "put all its parents into one"));
        }
        draft.place(&child);
        let mut parents = Vec::new();
        if skip(input, '|')? {
            parents.push(name(input)?);
            while skip(input, ':')? {
                parents.push(name(input)?);
            }
        }
        expect(input, ']', "after a variable and its parents")?;
        families.push((child, parents));
    }
    if families.is_empty() {
        return Err(Fault::new(0, "no variables", "write them as [A][B|A]"));
    }
    for (child, parents) in families {
        for parent in parents {
            if !draft.knows(&parent.text) {
                let what = format!("the parent `{}` has no bracket of its own", parent.text);
                return Err(Fault::new(parent.offset, what, format!("add [{}]", parent.text)));
            }
            let (parent_place, child_place) = (draft.place(&parent), draft.place(&child));
            draft.arc(parent_place, child_place, parent.offset)?;
        }
    }
    Ok(draft)
}

fn is_at_end(input: &mut Input<'_>) -> Result<bool, Fault> {
    take_while::<_, _, Fault>(0.., char::is_whitespace).void().parse_next(input)?;
    Ok(input.eof_offset() == 0)
}

fn skip(input: &mut Input<'_>, symbol: char) -> Result<bool, Fault> {
    is_at_end(input)?;
    let comes = input.starts_with(symbol);
    if comes {
        input.next_slice(symbol.len_utf8());
    }
    Ok(comes)
}

fn expect(input: &mut Input<'_>, symbol: char, place: &str) -> Result<(), Fault> {
    if skip(input, symbol)? {
        return Ok(());
    }
    Err(Fault::new(here(input), format!("expected `{symbol}` {place}, found {}", found(input)), "structures are written as [A][B|A:C][C]"))
}

/// Anything but `[ ] | :`, without the blanks around it.
fn name<'a>(input: &mut Input<'a>) -> Result<Word<'a>, Fault> {
    is_at_end(input)?;
    let offset = here(input);
    let text: &'a str = take_while::<_, _, Fault>(0.., |symbol: char| !matches!(symbol, '[' | ']' | '|' | ':')).parse_next(input)?;
    let text = text.trim_end();
    if text.is_empty() {
        return Err(Fault::new(offset, format!("expected a name, found {}", found(input)), "structures are written as [A][B|A:C][C]"));
    }
    Ok(Word { text: text.into(), offset })
}

/// Writes a structure as bnlearn does, parents before their children. Names with any of `[ ] | :` do not read back.
pub fn write(structure: &Structure) -> String {
    let mut text = String::new();
    for variable in structure.dag().topological_order() {
        let parents: Vec<&str> = structure.dag().parents(variable).iter().map(|&parent| structure.name(parent)).collect();
        let bar = if parents.is_empty() { "" } else { "|" };
        text.push_str(&format!("[{}{bar}{}]", structure.name(variable), parents.join(":")));
    }
    text
}
