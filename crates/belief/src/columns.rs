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
pub trait Code: Copy + Send + Sync + 'static {
    /// The code of a missing value.
    const MISSING: Self;
    /// The code as a number.
    fn index(self) -> usize;
    /// The state's place among `n_states`; `n_states` itself for a missing value or one outside.
    fn place(self, n_states: usize) -> usize {
        if self.index() == Self::MISSING.index() { n_states } else { self.index().min(n_states) }
    }
}

macro_rules! code {
    ($($t:ty),*) => {$(
        impl Code for $t {
            const MISSING: Self = <$t>::MAX;
            fn index(self) -> usize { self as usize }
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
