//! Rows that wait to be counted: a few rows are counted no faster than many, for the counts of all pairs have to be gone through either way.

use belief::{Code, Codes, ShapeMismatch, StateMap, for_codes};

/// Some rows, by the codes of their states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a> {
    /// How many.
    pub(super) n_rows: usize,
    /// One column for each variable that is counted.
    pub(super) columns: &'a [Codes<'a>],
    /// The class of each row, where classes are told apart.
    pub(super) classes: Option<Codes<'a>>,
    /// How often each row counts.
    pub(super) weights: Option<&'a [f64]>,
}

/// Rows that were copied, in the order they came in.
#[derive(Clone, Debug, Default)]
pub(super) struct WaitingRows {
    n_rows: usize,
    columns: Vec<WaitingColumn>,
    classes: Option<WaitingColumn>,
    weights: Option<Vec<f64>>,
}

#[derive(Clone, Debug)]
enum WaitingColumn {
    Narrow(Vec<u8>),
    Wide(Vec<u32>),
}

impl WaitingRows {
    pub(super) fn len(&self) -> usize {
        self.n_rows
    }

    pub(super) fn is_empty(&self) -> bool {
        self.n_rows == 0
    }

    /// Copies rows behind those that are there. `n_states` of each column, and the number of classes, say how wide codes must be.
    pub(super) fn push(&mut self, rows: &Rows<'_>, n_states: &[usize], n_classes: usize) {
        let blank = |n: usize| if n < u8::MAX as usize { WaitingColumn::Narrow(Vec::new()) } else { WaitingColumn::Wide(Vec::new()) };
        if self.is_empty() {
            self.columns = n_states.iter().map(|n| blank(*n)).collect();
            self.classes = rows.classes.map(|_| blank(n_classes));
            self.weights = None;
        }
        for (column, codes) in self.columns.iter_mut().zip(rows.columns) {
            column.extend(*codes);
        }
        if let (Some(classes), Some(codes)) = (&mut self.classes, rows.classes) {
            classes.extend(codes);
        }
        if rows.weights.is_some() || self.weights.is_some() {
            let weights = self.weights.get_or_insert_with(|| vec![1.0; self.n_rows]);
            weights.extend_from_slice(rows.weights.unwrap_or(&[]));
            weights.resize(self.n_rows + rows.n_rows, 1.0);
        }
        self.n_rows += rows.n_rows;
    }

    /// Lends the rows.
    pub(super) fn lend<R>(&self, see: impl FnOnce(&Rows<'_>) -> R) -> R {
        let columns: Vec<Codes<'_>> = self.columns.iter().map(WaitingColumn::codes).collect();
        let classes = self.classes.as_ref().map(WaitingColumn::codes);
        see(&Rows { n_rows: self.n_rows, columns: &columns, classes, weights: self.weights.as_deref() })
    }

    /// Renames states.
    ///
    /// # Errors
    /// When a map is not of the column's shape; then nothing is changed.
    pub(super) fn recode<'m>(
        &mut self,
        map_of: impl Fn(usize) -> Option<&'m StateMap>,
        classes: Option<&StateMap>,
    ) -> Result<(), ShapeMismatch> {
        let renamed = |column: &WaitingColumn, map: Option<&StateMap>| map.map_or_else(|| Ok(column.clone()), |map| column.renamed(map));
        let columns = self.columns.iter().enumerate().map(|(place, column)| renamed(column, map_of(place))).collect::<Result<_, _>>()?;
        self.classes = self.classes.as_ref().map(|column| renamed(column, classes)).transpose()?;
        self.columns = columns;
        Ok(())
    }
}

impl WaitingColumn {
    fn codes(&self) -> Codes<'_> {
        match self {
            Self::Narrow(codes) => Codes::U8(codes),
            Self::Wide(codes) => Codes::U32(codes),
        }
    }

    fn extend(&mut self, codes: Codes<'_>) {
        match (self, codes) {
            (Self::Narrow(mine), Codes::U8(codes)) => mine.extend_from_slice(codes),
            (Self::Narrow(mine), codes) => for_codes!(codes, codes => mine.extend(codes.iter().map(|code| narrow(*code)))),
            (Self::Wide(mine), codes) => for_codes!(codes, codes => mine.extend(codes.iter().map(|code| wide(*code)))),
        }
    }

    fn renamed(&self, map: &StateMap) -> Result<Self, ShapeMismatch> {
        if let Some(&far) = map.to.iter().find(|&&to| to as usize >= map.n_states) {
            return Err(ShapeMismatch { what: "a renamed state", expected: map.n_states, found: far as usize });
        }
        let mut renamed = match map.n_states < u8::MAX as usize {
            true => Self::Narrow(Vec::new()),
            false => Self::Wide(Vec::new()),
        };
        let to = |state: usize| map.to.get(state).copied().unwrap_or(u32::MAX);
        for_codes!(self.codes(), codes => match &mut renamed {
            Self::Narrow(new) => new.extend(codes.iter().map(|code| narrow(to(code.place(map.to.len()))))),
            Self::Wide(new) => new.extend(codes.iter().map(|code| to(code.place(map.to.len())))),
        });
        Ok(renamed)
    }
}

/// A code in a byte; one that does not fit is missing.
fn narrow<C: Code>(code: C) -> u8 {
    u8::try_from(code.place(u8::MAX as usize)).unwrap_or(u8::MAX)
}

fn wide<C: Code>(code: C) -> u32 {
    if code.index() == C::MISSING.index() { u32::MAX } else { code.index() as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were_put_in() {
        let mut waiting = WaitingRows::default();
        let first = Rows {
            n_rows: 2,
            columns: &[Codes::U16(&[0, u16::MAX]), Codes::U8(&[7, 255])],
            classes: Some(Codes::U8(&[1, 255])),
            weights: None,
        };
        let second =
            Rows { n_rows: 1, columns: &[Codes::U8(&[1]), Codes::U32(&[299])], classes: Some(Codes::U32(&[0])), weights: Some(&[0.5]) };
        waiting.push(&first, &[2, 300], 2);
        waiting.push(&second, &[2, 300], 2);
        let see = |waiting: &WaitingRows| {
            waiting.lend(|rows| {
                let of = |codes: Codes<'_>| (0..rows.n_rows).map(|row| codes.get(row)).collect::<Vec<_>>();
                (of(rows.columns[0]), of(rows.columns[1]), of(rows.classes.unwrap()), rows.weights.unwrap().to_vec())
            })
        };
        let none = None::<usize>;
        assert_eq!(
            see(&waiting),
            (vec![Some(0), none, Some(1)], vec![Some(7), none, Some(299)], vec![Some(1), none, Some(0)], vec![1.0, 1.0, 0.5])
        );
        let map = StateMap { to: vec![300, 2], n_states: 400 };
        waiting.recode(|place| (place == 0).then_some(&map), None).unwrap();
        assert_eq!(see(&waiting).0, [Some(300), none, Some(2)]);
        let wild = StateMap { to: vec![0, 9], n_states: 2 };
        assert!(waiting.recode(|_| None, Some(&wild)).is_err());
        assert_eq!(see(&waiting).2, [Some(1), none, Some(0)]);
    }
}
