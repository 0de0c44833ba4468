//! Texts to codes of their words, and cells of several labels to codes of those.

use belief::Texts;

use super::faults::{Faults, shorten};
use super::{ChunkBuilder, EncodedColumn, PlanKind};
use crate::UnknownStates;
use crate::error::RowFault;

impl ChunkBuilder<'_> {
    /// Gives the words of a text codes of the chunk's own; a missing one has none.
    pub(super) fn push_text(&mut self, variable: usize, text: Option<&[u8]>) {
        let PlanKind::Text { tokenizer, missing, .. } = &self.plan.variables[variable].kind else { return };
        let EncodedColumn::Texts { ends, codes } = &mut self.columns[variable] else { return };
        let met = &mut self.local[variable].words;
        // No marker is that long.
        const LONG: usize = 64;
        let text = text.filter(|text| text.len() > LONG || missing.find(text).is_none());
        if self.plan.keep_texts {
            self.texts[variable].push(text.map(<[u8]>::to_vec));
        }
        if let Some(text) = text {
            // A word and what separates it are two bytes at least; most are six.
            codes.reserve(text.len() / 4);
            let legacy = tokenizer.each_to_look_up(text, |word| codes.push(met.intern(word)));
            self.report.n_not_utf8 += u64::from(legacy);
        }
        ends.push(codes.len() as u32);
    }

    /// Looks up the words that the chunk met, once each: what is known are many words, and most of those of a text are met again.
    pub(super) fn look_up_words(&mut self) {
        for (plan, (column, local)) in self.plan.variables.iter().zip(self.columns.iter_mut().zip(&mut self.local)) {
            let (PlanKind::Text { known, grows, .. }, EncodedColumn::Texts { codes, .. }) = (&plan.kind, column) else { continue };
            // The usual first pass knows no word.
            if local.words.len() == 0 || *grows && known.len() == 0 {
                continue;
            }
            let (met, n_known) = (std::mem::take(&mut local.words), known.len() as u32);
            let mut new = |word| if *grows { n_known + local.words.intern(word) } else { u32::MAX };
            let code_of: Vec<u32> = met.to_look_up().map(|word| known.get(word).unwrap_or_else(|| new(word))).collect();
            drop(met.into_list());
            codes.iter_mut().for_each(|code| *code = code_of[*code as usize]);
        }
    }

    /// Looks up the labels of a cell; `None` is missing.
    pub(super) fn push_labels(&mut self, variable: usize, text: Option<&[u8]>, row: usize, faults: &mut Faults) {
        let PlanKind::Labels(plan) = &self.plan.variables[variable].kind else { return };
        let text = text.map(|text| {
            std::str::from_utf8(text).unwrap_or_else(|_| {
                faults.push(row, Some(variable), RowFault::NotUtf8(shorten(&String::from_utf8_lossy(text))));
                ""
            })
        });
        self.push_label_set(variable, row, faults, |take| text.is_none_or(|text| plan.each(text, take)));
    }

    /// Looks up the labels that `each` hands on, of a row; it tells whether they are missing instead.
    pub fn push_label_set(&mut self, variable: usize, row: usize, faults: &mut Faults, each: impl FnOnce(&mut dyn FnMut(&str)) -> bool) {
        let PlanKind::Labels(plan) = &self.plan.variables[variable].kind else { return };
        let EncodedColumn::Texts { ends, codes } = &mut self.columns[variable] else { return };
        let new = &mut self.local[variable].words;
        let start = codes.len();
        let mut fault = None;
        let missing = each(&mut |label| {
            let code = plan.known.get(label.as_bytes()).unwrap_or_else(|| match plan.new_labels {
                UnknownStates::Grow => plan.known.len() as u32 + new.intern(label.as_bytes()),
                UnknownStates::Missing | UnknownStates::Apart => Texts::UNKNOWN,
                UnknownStates::Error | UnknownStates::ErrorWhereCounted => {
                    let known = plan.known.words().take(20).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
                    fault.get_or_insert(RowFault::UnknownState { found: shorten(label), known });
                    Texts::UNKNOWN
                }
            });
            // A row has few labels.
            if !codes[start..].contains(&code) {
                codes.push(code);
            }
        });
        if missing {
            codes.push(Texts::MISSING);
        }
        if codes[start..].contains(&Texts::UNKNOWN) {
            self.unknown.push((variable, row));
        }
        ends.push(codes.len() as u32);
        if let Some(fault) = fault {
            faults.push(row, Some(variable), fault);
        }
    }
}
