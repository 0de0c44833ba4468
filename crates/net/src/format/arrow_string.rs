//! pyAgrum's strings of structures: `A->B<-C;D->C{yes|no}`, chains of arrows parted by `;`.
//!
//! States may follow a name: `A[3]` has the states 0, 1, 2; `A[2,5]` has 2 to 5; `A[0,1.5,3]` has the intervals between these ends; `A{a|b|c}`
//! has the states named; `A{1.5:6:4}` has 4 numbers from 1.5 to 6. Where a name comes again, the states said first count.

use super::lexical::{Fault, FormatError, Input, Word, found, here, shortened};
use super::sketch::{Draft, Sketch};
use crate::structure::Structure;
use winnow::Parser;
use winnow::stream::Stream;
use winnow::token::take_while;

/// More states than this a string may not say.
const MAX_STATES: usize = 1 << 16;

/// Reads a string of pyAgrum's.
///
/// # Errors
/// When it is none or the arcs make a cycle.
///
/// ```
/// use tunbridge_net::format::arrow_string;
/// let sketch = arrow_string::read("Flu{yes|no}->Sinus<-Allergy[3]")?;
/// assert_eq!(sketch.structure.names(), ["Flu", "Sinus", "Allergy"]);
/// assert_eq!(sketch.states[2].as_deref().unwrap(), ["0", "1", "2"]);
/// assert_eq!(sketch.states[1], None);
/// # Ok::<(), tunbridge_net::format::FormatError>(())
/// ```
pub fn read(text: &str) -> Result<Sketch, FormatError> {
    parse(&mut Input::new(text)).and_then(Draft::finish).map_err(|fault| fault.within(text))
}

fn parse(input: &mut Input<'_>) -> Result<Draft, Fault> {
    let mut draft = Draft::default();
    loop {
        let mut last = node(input, &mut draft)?;
        loop {
            let offset = here(input);
            if skip(input, "->")? {
                let next = node(input, &mut draft)?;
                draft.arc(last, next, offset)?;
                last = next;
            } else if skip(input, "<-")? {
                let next = node(input, &mut draft)?;
                draft.arc(next, last, offset)?;
                last = next;
            } else {
                break;
            }
        }
        // A `;` may end the last chain too.
        if !skip(input, ";")? || is_at_end(input)? {
            break;
        }
    }
    if !is_at_end(input)? {
        let what = format!("expected `->`, `<-` or `;`, found {}", found(input));
        return Err(Fault::new(here(input), what, "structures are written as A->B<-C;D->C"));
    }
    Ok(draft)
}

fn node(input: &mut Input<'_>, draft: &mut Draft) -> Result<usize, Fault> {
    is_at_end(input)?;
    let offset = here(input);
    let rest: &str = input.peek_slice(input.eof_offset());
    let end = rest
        .char_indices()
        .find(|&(place, symbol)| matches!(symbol, ';' | '[' | '{') || rest[place..].starts_with("->") || rest[place..].starts_with("<-"));
    let text = rest[..end.map_or(rest.len(), |(end, _)| end)].trim_end();
    if text.is_empty() {
        let what = format!("expected a name, found {}", found(input));
        return Err(Fault::new(offset, what, "structures are written as A->B<-C;D->C"));
    }
    input.next_slice(text.len());
    // pyAgrum's mark of empirical intervals.
    let name = text.strip_suffix('+').filter(|_| input.starts_with('[')).unwrap_or(text);
    let place = draft.place(&Word { text: name.into(), offset });
    let at = here(input);
    let states = if skip(input, "[")? {
        Some(in_brackets(until(input, ']', at)?, at)?)
    } else if skip(input, "{")? {
        Some(in_braces(until(input, '}', at)?, at)?)
    } else {
        None
    };
    if draft.states[place].is_none() {
        draft.states[place] = states;
    }
    Ok(place)
}

fn until<'a>(input: &mut Input<'a>, symbol: char, at: usize) -> Result<&'a str, Fault> {
    let text: &'a str = take_while::<_, _, Fault>(0.., |other| other != symbol).parse_next(input)?;
    if input.eof_offset() == 0 {
        return Err(Fault::new(at, "these states have no end", format!("close them with `{symbol}`")));
    }
    input.next_slice(symbol.len_utf8());
    Ok(text)
}

/// `[3]`, `[2,5]`, `[0,1.5,3]`.
fn in_brackets(text: &str, at: usize) -> Result<Vec<String>, Fault> {
    let numbers = text.split(',').map(|part| part.trim().parse::<f64>().ok().filter(|value| value.is_finite())).collect::<Option<Vec<_>>>();
    let bad = |what: String| Fault::new(at, what, "write  [3]  for three states,  [2,5]  for 2 to 5,  [0,1.5,3]  for intervals");
    match numbers.as_deref() {
        Some(&[n_states]) if n_states.fract() == 0.0 && (1.0..=MAX_STATES as f64).contains(&n_states) => {
            Ok((0..n_states as usize).map(|state| state.to_string()).collect())
        }
        Some(&[first, last])
            if first.fract() == 0.0 && last.fract() == 0.0 && first <= last && last - first < MAX_STATES as f64 && first.abs() < 1e15 =>
        {
            Ok((first as i64..=last as i64).map(|state| state.to_string()).collect())
        }
        Some(ends) if ends.len() > 2 && ends.is_sorted_by(|left, right| left < right) => {
            let last = ends.len() - 2;
            Ok(ends
                .windows(2)
                .enumerate()
                .map(|(place, ends)| format!("[{};{}{}", ends[0], ends[1], if place == last { "]" } else { "[" }))
                .collect())
        }
        _ => Err(bad(format!("`[{}]` tells of no states", shortened(text)))),
    }
}

/// `{a|b|c}`, `{1.5:6:4}`.
fn in_braces(text: &str, at: usize) -> Result<Vec<String>, Fault> {
    let bad = |what: String| Fault::new(at, what, "write  {yes|no}  or  {first:last:number}");
    if !text.contains('|')
        && let [first, last, n_states] = text.split(':').map(|part| part.trim().parse::<f64>().unwrap_or(f64::NAN)).collect::<Vec<_>>()[..]
    {
        let fits = first < last && (last - first).is_finite() && n_states.fract() == 0.0 && (2.0..=MAX_STATES as f64).contains(&n_states);
        let step = (last - first) / (n_states - 1.0);
        return if fits {
            Ok((0..n_states as usize).map(|state| (first + step * state as f64).to_string()).collect())
        } else {
            Err(bad(format!("`{{{}}}` tells of no states", shortened(text))))
        };
    }
    let states: Vec<String> = text.split('|').map(|state| state.trim().to_string()).collect();
    let twice = (1..states.len()).find(|&place| states[..place].contains(&states[place]));
    match twice {
        _ if states.iter().any(String::is_empty) => Err(bad("a state without a name".to_string())),
        Some(place) => Err(bad(format!("the state `{}` is there twice", shortened(&states[place])))),
        None => Ok(states),
    }
}

fn is_at_end(input: &mut Input<'_>) -> Result<bool, Fault> {
    take_while::<_, _, Fault>(0.., char::is_whitespace).void().parse_next(input)?;
    Ok(input.eof_offset() == 0)
}

fn skip(input: &mut Input<'_>, symbols: &str) -> Result<bool, Fault> {
    is_at_end(input)?;
    let comes = input.starts_with(symbols);
    if comes {
        input.next_slice(symbols.len());
    }
    Ok(comes)
}

/// Writes a structure as pyAgrum reads it. Names with arrows, `;`, `[` or `{` do not read back.
pub fn write(structure: &Structure) -> String {
    let mut parts = Vec::new();
    for variable in structure.dag().variables() {
        let parents = structure.dag().parents(variable);
        if parents.is_empty() {
            parts.push(structure.name(variable).to_string());
        }
        parts.extend(parents.iter().map(|&parent| format!("{}->{}", structure.name(parent), structure.name(variable))));
    }
    parts.join(";")
}
