//! Encoded columns: the form in which every statistic sees the data.
//!
//! Plain borrowed slices; no file format is known here. Missing has a code of its own: the largest of the width for states, NaN
//! for numbers. Readers turn every missing marker into that code and refuse any other number that is not finite, so that NaN
//! in a column means missing and nothing else.

/// Some rows of a table, column by column.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The number of the first of these rows in the table, counted from 0.
    pub first_row: u64,
    /// How many rows.
    pub n_rows: usize,
    /// One column per variable of the schema, in its order.
    pub columns: &'a [Column<'a>],
    /// How often each row counts; `None` is once each.
    pub weights: Option<&'a [f64]>,
}

/// The largest weight of one row: 2⁵³. Whole numbers up to here are exact, and no number of rows that a computer could read sums to
/// infinity. Readers refuse rows beyond it.
pub const MAX_WEIGHT: f64 = 9_007_199_254_740_992.0;

/// One column of a [`Chunk`].
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
    /// Not read: the variable is left out.
    Absent,
    /// States by their codes, all of which are below `n_states` or missing.
    Categorical {
        /// The codes.
        codes: Codes<'a>,
        /// How many states there are.
        n_states: usize,
    },
    /// Numbers.
    Numeric(&'a [f64]),
    /// Texts, by the codes of their words; or sets of labels, by the codes of the labels.
    Texts(Texts<'a>),
}

/// Texts as their words, one after another.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// Where the words of each text end, counted over all texts before it.
    pub ends: &'a [u32],
    /// The words' codes; one that is not below `n_words` is outside of the vocabulary.
    pub codes: &'a [u32],
    /// How many words the vocabulary has.
    pub n_words: usize,
}

impl<'a> Texts<'a> {
    /// The one code of a row whose labels are not known, which is another thing than a row that has none.
    pub const MISSING: u32 = u32::MAX;
    /// The code of a label that is outside of the list.
    pub const UNKNOWN: u32 = u32::MAX - 1;

    /// The labels of a row, each once; `None` where they are missing. For columns of labels.
    pub fn labels(&self, row: usize) -> Option<&'a [u32]> {
        Some(self.words(row)).filter(|codes| *codes != [Self::MISSING])
    }

    /// How many texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The words of a text.
    pub fn words(&self, text: usize) -> &'a [u32] {
        let start = if text == 0 { 0 } else { self.ends[text - 1] as usize };
        &self.codes[start..self.ends[text] as usize]
    }
}

/// State codes in the narrowest width that holds them; the largest code of the width is missing.
#[derive(Clone, Copy, Debug)]
pub enum Codes<'a> {
    /// Up to 255 states.
    U8(&'a [u8]),
    /// Up to 65,535 states.
    U16(&'a [u16]),
    /// More.
    U32(&'a [u32]),
}

/// A width of state codes.
pub trait Code: Copy + Ord + Send + Sync + 'static {
    /// The code of a missing value.
    const MISSING: Self;
    /// The code as a number.
    fn index(self) -> usize;
    /// The least code that is none of so many states.
    fn bound(n_states: usize) -> Self;
    /// The state's place among `n_states`; `n_states` itself for a missing value or one outside.
    #[inline]
    fn place(self, n_states: usize) -> usize {
        if self >= Self::bound(n_states) { n_states } else { self.index() }
    }
    /// Whether any value is missing, or outside of so many states.
    fn any_missing(codes: &[Self], n_states: usize) -> bool {
        // The greatest of all is found many at a time, and no branch is taken at any.
        let mut codes = codes.iter().copied();
        codes.next().is_some_and(|first| codes.fold(first, Self::max) >= Self::bound(n_states))
    }
}

macro_rules! code {
    ($($t:ty),*) => {$(
        impl Code for $t {
            const MISSING: Self = <$t>::MAX;
            #[inline]
            fn index(self) -> usize { self as usize }
            #[inline]
            fn bound(n_states: usize) -> Self { n_states.min(Self::MISSING as usize) as Self }
        }
    )*};
}
code!(u8, u16, u32);

impl Codes<'_> {
    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Codes::U8(codes) => codes.len(),
            Codes::U16(codes) => codes.len(),
            Codes::U32(codes) => codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The state in this row, or `None` if it is missing.
    pub fn get(&self, row: usize) -> Option<usize> {
        fn state<C: Code>(code: C) -> Option<usize> {
            (code.index() != C::MISSING.index()).then(|| code.index())
        }
        match self {
            Codes::U8(codes) => state(codes[row]),
            Codes::U16(codes) => state(codes[row]),
            Codes::U32(codes) => state(codes[row]),
        }
    }
}

/// Some rows of a chunk, copied out of it.
#[derive(Clone, Debug)]
pub struct SelectedRows {
    columns: Vec<SelectedColumn>,
    weights: Option<Vec<f64>>,
    n_rows: usize,
}

#[derive(Clone, Debug)]
enum SelectedColumn {
    Absent,
    U8(Vec<u8>, usize),
    U16(Vec<u16>, usize),
    U32(Vec<u32>, usize),
    Numeric(Vec<f64>),
    Texts { ends: Vec<u32>, codes: Vec<u32>, n_words: usize },
}

impl Chunk<'_> {
    /// Copies the rows at these places, in their order.
    ///
    /// # Panics
    /// When a place is not in the chunk.
    pub fn select(&self, places: &[u32]) -> SelectedRows {
        fn pick<T: Copy>(values: &[T], places: &[u32]) -> Vec<T> {
            places.iter().map(|place| values[*place as usize]).collect()
        }
        let column = |column: &Column<'_>| match column {
            Column::Absent => SelectedColumn::Absent,
            Column::Categorical { codes: Codes::U8(codes), n_states } => SelectedColumn::U8(pick(codes, places), *n_states),
            Column::Categorical { codes: Codes::U16(codes), n_states } => SelectedColumn::U16(pick(codes, places), *n_states),
            Column::Categorical { codes: Codes::U32(codes), n_states } => SelectedColumn::U32(pick(codes, places), *n_states),
            Column::Numeric(numbers) => SelectedColumn::Numeric(pick(numbers, places)),
            Column::Texts(texts) => {
                let (mut ends, mut codes) = (Vec::with_capacity(places.len()), Vec::new());
                for place in places {
                    codes.extend_from_slice(texts.words(*place as usize));
                    ends.push(codes.len() as u32);
                }
                SelectedColumn::Texts { ends, codes, n_words: texts.n_words }
            }
        };
        SelectedRows {
            columns: self.columns.iter().map(column).collect(),
            weights: self.weights.map(|weights| pick(weights, places)),
            n_rows: places.len(),
        }
    }
}

impl SelectedRows {
    /// How many rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Memory they take, nearly.
    pub fn bytes(&self) -> usize {
        let of_column = |column: &SelectedColumn| match column {
            SelectedColumn::Absent => 0,
            SelectedColumn::U8(codes, _) => codes.len(),
            SelectedColumn::U16(codes, _) => 2 * codes.len(),
            SelectedColumn::U32(codes, _) => 4 * codes.len(),
            SelectedColumn::Numeric(numbers) => 8 * numbers.len(),
            SelectedColumn::Texts { ends, codes, .. } => 4 * (ends.len() + codes.len()),
        };
        self.columns.iter().map(of_column).sum::<usize>() + self.weights.as_ref().map_or(0, |weights| 8 * weights.len())
    }

    /// Puts the words of every text in the order of their codes: their order says nothing, and sorted ones are weighed faster.
    pub fn sort_words(&mut self) {
        for column in &mut self.columns {
            if let SelectedColumn::Texts { ends, codes, .. } = column {
                let mut start = 0;
                for end in ends {
                    codes[start..*end as usize].sort_unstable();
                    start = *end as usize;
                }
            }
        }
    }

    /// Lends the rows as a chunk. They are numbered from `first_row`, since they need not have been neighbours.
    pub fn lend<R>(&self, first_row: u64, see: impl FnOnce(Chunk<'_>) -> R) -> R {
        let columns: Vec<Column<'_>> = self
            .columns
            .iter()
            .map(|column| match column {
                SelectedColumn::Absent => Column::Absent,
                SelectedColumn::U8(codes, n_states) => Column::Categorical { codes: Codes::U8(codes), n_states: *n_states },
                SelectedColumn::U16(codes, n_states) => Column::Categorical { codes: Codes::U16(codes), n_states: *n_states },
                SelectedColumn::U32(codes, n_states) => Column::Categorical { codes: Codes::U32(codes), n_states: *n_states },
                SelectedColumn::Numeric(numbers) => Column::Numeric(numbers),
                SelectedColumn::Texts { ends, codes, n_words } => Column::Texts(Texts { ends, codes, n_words: *n_words }),
            })
            .collect();
        see(Chunk { first_row, n_rows: self.n_rows, columns: &columns, weights: self.weights.as_deref() })
    }
}

/// Runs `$body` with `$slice` bound to the codes in their own width.
#[macro_export]
macro_rules! for_codes {
    ($codes:expr, $slice:ident => $body:expr) => {
        match $codes {
            $crate::Codes::U8($slice) => $body,
            $crate::Codes::U16($slice) => $body,
            $crate::Codes::U32($slice) => $body,
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree<C: Code>(codes: &[C]) {
        for n_states in [0, 1, 2, 254, 255, 256, 65_534, 65_535, 65_536, 1 << 20] {
            let plainly = |code: C| if code == C::MISSING { n_states } else { code.index().min(n_states) };
            codes.iter().for_each(|code| assert_eq!(code.place(n_states), plainly(*code)));
            for n in 0..=codes.len() {
                assert_eq!(C::any_missing(&codes[..n], n_states), codes[..n].iter().any(|code| plainly(*code) == n_states));
            }
        }
    }

    #[test]
    fn what_is_missing_or_outside_has_the_last_place() {
        agree(&[0_u8, 1, 253, 254, 255]);
        agree(&[0_u16, 1, 254, 255, 256, 65_534, 65_535]);
        agree(&[0_u32, 1, 254, 255, 65_535, 65_536, u32::MAX - 1, u32::MAX]);
    }
}
