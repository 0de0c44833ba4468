//! The steps of a learner, example by example, as the book prints them.

use std::io::{self, BufWriter, Write};

use tunbridge::concept::{ConceptData, ConceptOptions};
use tunbridge::learners::concept::{
    CandidateElimination, ConceptError, ConceptLearner, Example, Hypothesis, find_s_steps, list_then_eliminate,
};

use super::text::whole;
use crate::Failure;
use crate::args::Common;
use crate::progress::remark;

/// Prints what the learner makes of every example, up to one that leaves no hypothesis.
pub fn print(data: &ConceptData, options: &ConceptOptions, common: &Common) -> Result<(), Failure> {
    if options.noise.is_some() {
        return Err(Failure::Usage("--trace does not go with --noise: every example changes every probability".into()));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    match options.learner {
        ConceptLearner::CandidateElimination => boundaries(data, options, common, &mut out)?,
        ConceptLearner::FindS => {
            for (at, h) in find_s_steps(&data.space, &data.examples).iter().enumerate() {
                if let Some(before) = at.checked_sub(1) {
                    writeln!(out, "\n{}", example(data, data.examples.get(before)))?;
                }
                writeln!(out, "h{at}: {}", data.space.written(h))?;
            }
        }
        ConceptLearner::ListThenEliminate => {
            let listed = list_then_eliminate(&data.space, &data.examples, options.max_hypotheses).map_err(tunbridge::Error::from)?;
            writeln!(out, "{} hypotheses", whole(&listed.n_left[0]))?;
            for (shown, n) in data.examples.iter().zip(&listed.n_left[1..]) {
                writeln!(out, "\n{}\n{} hypotheses are left", example(data, shown), whole(n))?;
                if *n == 0 {
                    break;
                }
            }
        }
        ConceptLearner::Rote | ConceptLearner::Unbiased => {
            return Err(Failure::Usage(
                "--trace is for learners that have steps: candidate-elimination, list-then-eliminate, find-s".into(),
            ));
        }
    }
    writeln!(out)?;
    Ok(out.flush()?)
}

fn boundaries(data: &ConceptData, options: &ConceptOptions, common: &Common, out: &mut impl Write) -> Result<(), Failure> {
    let set = |all: &[Hypothesis]| format!("{{{}}}", all.iter().map(|h| data.space.written(h)).collect::<Vec<_>>().join(", "));
    let mut candidates = CandidateElimination::new(&data.space, options.max_boundary);
    for at in 0..=data.examples.len() {
        if let Some(before) = at.checked_sub(1) {
            let shown = data.examples.get(before);
            writeln!(out, "\n{}", example(data, shown))?;
            match candidates.observe(shown.instance, shown.positive, shown.row) {
                Ok(_) => {}
                Err(ConceptError::BoundaryTooLarge { most, row }) => {
                    let what = format!("in the order of the rows G grows beyond {most} hypotheses at row {row}, and the trace ends there");
                    remark(common, &what);
                    return Ok(());
                }
                // Who learns says why.
                Err(_) => return Ok(writeln!(out, "S{at}: {{}}\nG{at}: {{}}")?),
            }
        }
        writeln!(out, "S{at}: {}", set(std::slice::from_ref(candidates.specific())))?;
        writeln!(out, "G{at}: {}", set(candidates.general()))?;
    }
    Ok(())
}

/// An example as the book writes it.
fn example(data: &ConceptData, example: Example<'_>) -> String {
    let label = if example.positive { &data.positive } else { &data.negative };
    format!("row {}: ⟨{}⟩, {} = {label}", example.row, data.space.values(example.instance).join(", "), data.target)
}
