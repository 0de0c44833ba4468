//! Answers as CSV or JSON Lines, formatted by any thread and written in order.

use std::io::Write;
use std::ops::Range;

use belief::ReadReport;

use super::cells::{each_csv_row, each_row, json_keys, push_object};
use super::shortest_decimal::{Decimals, ROOM};
use super::{Job, OutputFormat, Said, Tell, Told, delimiter, io_error};
use crate::DataError;
use crate::encode::{EncodedChunk, Plan};
use crate::source::Unit;
use crate::text::blocks::Pool;

pub(super) fn write(
    job: &Job<'_>,
    plan: &Plan,
    format: OutputFormat,
    to: &mut (dyn Write + Send),
    answer: impl Tell,
) -> Result<ReadReport, DataError> {
    let delimiter = delimiter(job.table, format);
    if format != OutputFormat::JsonLines {
        let mut header = Vec::new();
        for (place, name) in job.passed_on.iter().chain(&job.added).enumerate() {
            if place > 0 {
                header.push(delimiter);
            }
            push_csv(&mut header, name, delimiter);
        }
        header.push(b'\n');
        to.write_all(&header).map_err(io_error)?;
    }
    let flush = |to: &mut dyn Write| if job.table.options.live { to.flush().map_err(io_error) } else { Ok(()) };
    flush(to)?;
    // What each name looks like in the output, made once.
    let written = |name: &String| match format {
        OutputFormat::JsonLines => serde_json::Value::from(name.as_str()).to_string().into_bytes(),
        _ => {
            let mut cell = Vec::new();
            push_csv(&mut cell, name, delimiter);
            cell
        }
    };
    let names = Names { said: job.said.iter().map(written).collect(), states: job.states.iter().map(written).collect() };
    let mut report = ReadReport::default();
    let mut n_written = 0_u64;
    let buffers = Pool::default();
    job.table.each_unit(
        plan,
        |chunk, unit, source| {
            let answers = chunk.lend(&answer)?;
            let mut out = buffers.take();
            // Rows of JSON Lines are numbered, and only the writer knows how many came before: it puts the numbers in.
            let mut starts = Vec::new();
            let source = &job.table.sources[source];
            match format {
                OutputFormat::JsonLines => rows_of_json(job, &chunk, unit, source, &names, &answers, &mut out, &mut starts)?,
                _ => rows_of_csv(job, &chunk, unit, source, delimiter, &names, &answers, &mut out)?,
            }
            Ok((out, starts, chunk.report))
        },
        Ok,
        |results: Vec<(Vec<u8>, Vec<usize>, ReadReport)>| {
            for (out, starts, chunk_report) in results {
                report.merge(&chunk_report);
                if starts.is_empty() {
                    to.write_all(&out).map_err(io_error)?;
                }
                for (place, start) in starts.iter().enumerate() {
                    n_written += 1;
                    let end = starts.get(place + 1).copied().unwrap_or(out.len());
                    write!(to, "{{\"row\":{n_written},").and_then(|()| to.write_all(&out[*start..end])).map_err(io_error)?;
                }
                buffers.give(out);
            }
            flush(to)
        },
    )?;
    Ok(report)
}

/// What may be said, and the states that have probabilities, as they are written.
struct Names {
    said: Vec<Vec<u8>>,
    states: Vec<Vec<u8>>,
}

#[expect(clippy::too_many_arguments, reason = "one caller, in this file")]
fn rows_of_csv(
    job: &Job<'_>,
    chunk: &EncodedChunk,
    unit: &Unit,
    source: &crate::source::Source,
    delimiter: u8,
    written: &Names,
    answers: &Told,
    out: &mut Vec<u8>,
) -> Result<(), DataError> {
    let (numbers, n_states) = (&answers.probability, job.states.len());
    let mut decimals = Decimals::new(numbers);
    let mut answer = |row: usize, out: &mut Vec<u8>| {
        match &answers.said {
            Said::State(predicted) => out.extend_from_slice(predicted[row].map_or(&[][..], |place| &written.said[place as usize])),
            Said::Labels(labels) => {
                let names: Vec<&str> = labels[row].iter().map(|label| job.states[*label as usize].as_str()).collect();
                push_csv(out, &names.join(job.separator.unwrap_or_default()), delimiter);
            }
        }
        push_numbers(out, numbers, row * n_states..(row + 1) * n_states, &mut decimals, delimiter);
    };
    if job.passed_on.is_empty() {
        (0..chunk.n_rows).for_each(|row| answer(row, out));
        return Ok(());
    }
    each_csv_row(chunk, unit, source, delimiter, out, |row, out| {
        out.push(delimiter);
        answer(row, out);
    })
}

#[expect(clippy::too_many_arguments, reason = "one caller, in this file")]
fn rows_of_json(
    job: &Job<'_>,
    chunk: &EncodedChunk,
    unit: &Unit,
    source: &crate::source::Source,
    written: &Names,
    answers: &Told,
    out: &mut Vec<u8>,
    starts: &mut Vec<usize>,
) -> Result<(), DataError> {
    let keys = json_keys(job.passed_on);
    let numbers = &answers.probability;
    let mut decimals = Decimals::new(numbers);
    let mut answer = |row: usize, out: &mut Vec<u8>| {
        starts.push(out.len());
        out.push(b'"');
        out.extend_from_slice(job.word.as_bytes());
        out.extend_from_slice(b"\":");
        match &answers.said {
            Said::State(predicted) => match predicted[row] {
                Some(predicted) => out.extend_from_slice(&written.said[predicted as usize]),
                None => return out.extend_from_slice(b"null,\"probability\":null,\"impossible\":true"),
            },
            Said::Labels(labels) => {
                out.push(b'[');
                for (place, label) in labels[row].iter().enumerate() {
                    if place > 0 {
                        out.push(b',');
                    }
                    out.extend_from_slice(&written.said[*label as usize]);
                }
                out.push(b']');
            }
        }
        out.extend_from_slice(b",\"probability\":{");
        for (place, state) in written.states.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            out.extend_from_slice(state);
            out.push(b':');
            let place = row * written.states.len() + place;
            if numbers[place].is_nan() {
                out.extend_from_slice(b"null");
            } else {
                let mut room = [0; ROOM];
                let length = decimals.put(place, &mut room);
                out.extend_from_slice(&room[..length]);
            }
        }
        out.push(b'}');
    };
    if job.passed_on.is_empty() {
        for row in 0..chunk.n_rows {
            answer(row, out);
            out.extend_from_slice(b"}\n");
        }
        return Ok(());
    }
    each_row(chunk, unit, source, |row, cells| {
        answer(row, out);
        out.extend_from_slice(b",\"input\":");
        push_object(out, &keys, cells, |_, cell, out| cell.push_json(out));
        out.extend_from_slice(b"}\n");
        Ok(())
    })
}

/// Each number behind a delimiter, and the end of the line; nothing stands for what is no number. Room is made once for all of them, for
/// pushing bytes costs as much as making them.
#[inline]
fn push_numbers(out: &mut Vec<u8>, numbers: &[f64], places: Range<usize>, decimals: &mut Decimals<'_>, delimiter: u8) {
    let mut at = out.len();
    out.resize(at + places.len() * (ROOM + 1) + 1, 0);
    for place in places {
        out[at] = delimiter;
        at += 1;
        if let Some(room) = out[at..].first_chunk_mut().filter(|_| !numbers[place].is_nan()) {
            at += decimals.put(place, room);
        }
    }
    out[at] = b'\n';
    out.truncate(at + 1);
}

/// A cell of CSV, in quotes where it has to be.
pub(super) fn push_csv(out: &mut Vec<u8>, text: &str, delimiter: u8) {
    let needs_quotes = text.bytes().any(|b| b == delimiter || matches!(b, b'"' | b'\n' | b'\r')) || text.trim() != text;
    if needs_quotes {
        out.push(b'"');
        out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}
