//! The inner loops: ln P(x | class) of blocks of rows, one column after another.
//!
//! A block of rows has two sheets of scores that stay in the first-level cache. States are looked up row by row, all classes side
//! by side, in a sheet of rows. Numbers go class by class over the rows, which the compiler turns into vector instructions, in a
//! sheet of classes. The two are added when the block is done.

use std::borrow::Borrow;
use std::ops::Range;
use std::sync::Arc;

use belief::conjugate::StudentT;
use belief::{BinCodes, Chunk, Code, Codes, Column, ShapeMismatch, WordWeights, bin_of, for_codes};

use super::dirichlet_compound::ln_rising;
use super::gaussian::Bell;
use super::posterior::NaiveBayes;
use super::remark::LeftOut;
use super::word_table::WordTable;

/// What scores one column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scorer {
    LeftOut(LeftOut),
    States(StateTable),
    Bins(Vec<f64>, StateTable),
    Bell(Vec<BellScores>),
    Student(Vec<StudentScores>),
    Words(BagTable),
}

/// What the words of a text say.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BagTable {
    /// By word and class.
    pub words: WordTable,
    /// What is said of every text, whatever its words.
    pub every_text: Vec<f64>,
    /// Whether a word that is there twice speaks once.
    pub once: bool,
    /// How much each word of a text counts; `None` is once a time.
    pub weights: Option<Arc<WordWeights>>,
    /// Where texts are brought to one length, whether each word was met: a text is as long as those of its words that were, whether they count or not.
    pub met: Option<Vec<bool>>,
    /// Where words come in bursts, the sum of the α of each class, and α itself by word and class; empty elsewhere.
    pub concentrations: Vec<f64>,
    /// What the words of each class were multiplied by to be of one size.
    pub scales: Vec<f64>,
    /// How often words that count were met in each class.
    pub class_totals: Vec<f64>,
}

/// ln P(state | class), state by state with the classes within; the last row, all zero, is for what is left out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StateTable {
    n_states: usize,
    n_classes: usize,
    stride: usize,
    cells: Vec<f64>,
    known: Vec<bool>,
}

/// ln p = ln_peak − ((x − mean) · shrink)², of one class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BellScores {
    mean: f64,
    shrink: f64,
    ln_peak: f64,
}

/// ln p = ln_peak − power · ln (1 + ((x − location) · shrink)²), of one class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StudentScores {
    location: f64,
    shrink: f64,
    power: f64,
    ln_peak: f64,
}

/// Whether these columns can be scored: each is absent or of its kind, and all have as many rows as the chunk.
pub(crate) fn check_chunk<S: Borrow<Scorer>>(scorers: &[S], chunk: &Chunk<'_>) -> Result<(), ShapeMismatch> {
    ShapeMismatch::check("columns", scorers.len(), chunk.columns.len())?;
    for (scorer, column) in scorers.iter().zip(chunk.columns) {
        match (scorer.borrow(), column) {
            (Scorer::LeftOut(_), _) | (_, Column::Absent) => {}
            (Scorer::States(_), Column::Categorical { codes, .. }) => {
                ShapeMismatch::check("rows of a column", chunk.n_rows, codes.len())?;
            }
            (Scorer::Bins(..) | Scorer::Bell(_) | Scorer::Student(_), Column::Numeric(values)) => {
                ShapeMismatch::check("rows of a column", chunk.n_rows, values.len())?;
            }
            (Scorer::Words(_), Column::Texts(texts)) => ShapeMismatch::check("rows of a column", chunk.n_rows, texts.len())?,
            (Scorer::Words(_), _) => {
                return Err(ShapeMismatch { what: "columns of texts where words were learned", expected: 1, found: 0 });
            }
            (Scorer::States(_), _) => {
                return Err(ShapeMismatch { what: "columns of states where states were learned", expected: 1, found: 0 });
            }
            _ => return Err(ShapeMismatch { what: "columns of numbers where numbers were learned", expected: 1, found: 0 }),
        }
    }
    Ok(())
}

/// For every row and class `start[class]` + Σ ln P(x | class), row by row with the classes within. The chunk has been checked.
pub(crate) fn score<S: Borrow<Scorer>>(scorers: &[S], start: &[f64], chunk: &Chunk<'_>, out: &mut Vec<f64>) {
    let n_classes = start.len();
    out.clear();
    out.resize(chunk.n_rows * n_classes, 0.0);
    let stride = stride_of(n_classes);
    let block = (SHEET / stride).clamp(64, 1024);
    let mut sheets = Sheets { by_row: vec![0.0; block * stride], by_class: Vec::new(), bins: BinCodes::default() };
    if scorers.iter().any(|s| matches!(s.borrow(), Scorer::Bell(_) | Scorer::Student(_))) {
        sheets.by_class = vec![0.0; block * n_classes];
    }
    let steps = steps(scorers, chunk);
    for (nth, out) in out.chunks_mut(block * n_classes).enumerate() {
        let rows = nth * block..(nth * block + out.len() / n_classes);
        sheets.by_row.fill(0.0);
        sheets.by_class.fill(0.0);
        for step in &steps {
            match step {
                Step::States(columns) => add_states(columns, rows.clone(), &mut sheets.by_row),
                Step::Column(scorer, column) => sheets.add(scorer, column, rows.clone()),
            }
        }
        sheets.finish(start, rows.len(), out);
    }
}

/// What is added to the scores of a block at once.
enum Step<'c> {
    States([StateColumn<'c>; AT_ONCE]),
    Column(&'c Scorer, &'c Column<'c>),
}

#[derive(Clone, Copy)]
struct StateColumn<'c> {
    table: &'c StateTable,
    codes: &'c [u8],
}

/// Columns of states that are added together: the scores of a row are read and written once for all of them.
const AT_ONCE: usize = 4;

/// The columns that say something, in their order.
fn steps<'c, S: Borrow<Scorer>>(scorers: &'c [S], chunk: &Chunk<'c>) -> Vec<Step<'c>> {
    let columns = scorers.iter().map(S::borrow).zip(chunk.columns);
    let columns: Vec<_> =
        columns.filter(|(scorer, column)| !matches!((scorer, column), (Scorer::LeftOut(_), _) | (_, Column::Absent))).collect();
    let (mut steps, mut rest) = (Vec::new(), &columns[..]);
    while let Some(((scorer, column), others)) = rest.split_first() {
        let states = rest.first_chunk().map(|four| four.map(|(scorer, column)| states_of(scorer, column)));
        if let Some([Some(a), Some(b), Some(c), Some(d)]) = states {
            steps.push(Step::States([a, b, c, d]));
            rest = &rest[AT_ONCE..];
        } else {
            steps.push(Step::Column(scorer, column));
            rest = others;
        }
    }
    steps
}

fn states_of<'c>(scorer: &'c Scorer, column: &'c Column<'c>) -> Option<StateColumn<'c>> {
    match (scorer, column) {
        (Scorer::States(table), Column::Categorical { codes: Codes::U8(codes), .. }) => Some(StateColumn { table, codes }),
        _ => None,
    }
}

/// Cells of one sheet: 32 KiB.
const SHEET: usize = 4096;

struct Sheets {
    by_row: Vec<f64>,
    /// Empty where no column needs it.
    by_class: Vec<f64>,
    bins: BinCodes,
}

impl Sheets {
    fn add(&mut self, scorer: &Scorer, column: &Column<'_>, rows: Range<usize>) {
        let n_rows = rows.len();
        match (scorer, column) {
            (Scorer::States(table), Column::Categorical { codes, .. }) => {
                for_codes!(codes, codes => table.add(&codes[rows], &mut self.by_row))
            }
            (Scorer::Words(table), Column::Texts(texts)) => {
                let stride = stride_of(table.every_text.len());
                for (text, scores) in rows.zip(self.by_row.chunks_exact_mut(stride)) {
                    table.add(texts.words(text), scores);
                }
            }
            (Scorer::Bins(cuts, table), Column::Numeric(values)) => {
                for_codes!(self.bins.fill(cuts, &values[rows]), codes => table.add(codes, &mut self.by_row));
            }
            (Scorer::Bell(classes), Column::Numeric(values)) => {
                let values = &values[rows];
                pulp::Arch::new().dispatch(Bells { classes, values, by_class: &mut self.by_class });
            }
            (Scorer::Student(classes), Column::Numeric(values)) => {
                for (class, scores) in classes.iter().zip(self.by_class.chunks_exact_mut(n_rows)) {
                    class.add(&values[rows.clone()], scores);
                }
            }
            _ => {}
        }
    }

    fn finish(&self, start: &[f64], n_rows: usize, out: &mut [f64]) {
        let n_classes = start.len();
        let by_row = self.by_row.chunks_exact(stride_of(n_classes));
        for ((row, out), scores) in out.chunks_exact_mut(n_classes).enumerate().zip(by_row) {
            for (class, out) in out.iter_mut().enumerate() {
                let of_numbers = self.by_class.get(class * n_rows + row).copied().unwrap_or(0.0);
                *out = start[class] + scores[class] + of_numbers;
            }
        }
    }
}

/// Classes side by side, in pairs for the vector unit; beyond sixteen in fours.
pub(super) fn stride_of(n_classes: usize) -> usize {
    if n_classes <= 16 { n_classes.next_multiple_of(2).max(2) } else { n_classes.next_multiple_of(4) }
}

impl BagTable {
    /// Adds what a text says of every class.
    fn add(&self, words: &[u32], scores: &mut [f64]) {
        // An empty text is a missing one.
        if words.is_empty() {
            return;
        }
        scores.iter_mut().zip(&self.every_text).for_each(|(score, ln)| *score += ln);
        if self.weights.is_none() && self.concentrations.is_empty() && !self.once {
            return pulp::Arch::new().dispatch(AllWords { table: &self.words, words, scores });
        }
        let mut bag = Vec::new();
        let length = self.bag(words, &mut bag);
        for (word, times) in bag {
            self.add_word(word, times, scores);
        }
        self.add_length(length, scores);
    }

    /// The words that count, each once, with how much they count, and the sum of that. What was in `bag` is replaced.
    pub(super) fn bag(&self, words: &[u32], bag: &mut Vec<(u32, f64)>) -> f64 {
        let is_known = |word: usize| self.met.as_ref().map_or(word < self.words.n_words(), |met| met.get(word).is_some_and(|met| *met));
        match &self.weights {
            Some(weights) => weights.weigh(words, is_known, bag),
            None => WordWeights::default().weigh(words, is_known, bag),
        }
        bag.retain(|(word, _)| self.words.is_known(*word as usize));
        if self.once {
            bag.iter_mut().for_each(|(_, times)| *times = 1.0);
        }
        bag.iter().map(|(_, times)| times).sum()
    }

    /// Adds what a word says that counts so much.
    pub(super) fn add_word(&self, word: u32, times: f64, scores: &mut [f64]) {
        if self.concentrations.is_empty() {
            self.words.add_times(word, times, scores);
        } else if let Some(alpha) = self.words.of_word(word as usize) {
            scores.iter_mut().zip(alpha.iter()).for_each(|(score, alpha)| *score += ln_rising(*alpha, times as u32));
        }
    }

    /// Adds what the length of a text says, where it says something.
    pub(super) fn add_length(&self, length: f64, scores: &mut [f64]) {
        for (score, total) in scores.iter_mut().zip(&self.concentrations) {
            *score -= ln_rising(*total, length as u32);
        }
    }
}

/// Adds what the words of a text say, in the widest vectors the machine has; the sums are the same in any.
struct AllWords<'a> {
    table: &'a WordTable,
    words: &'a [u32],
    scores: &'a mut [f64],
}

impl pulp::WithSimd for AllWords<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: pulp::Simd>(self, _: V) {
        self.table.add_all(self.words, self.scores);
    }
}

impl StateTable {
    /// No state is known.
    pub(crate) fn unknown(n_states: usize, n_classes: usize) -> Self {
        let stride = stride_of(n_classes);
        Self { n_states, n_classes, stride, cells: vec![0.0; (n_states + 1) * stride], known: vec![false; n_states] }
    }

    /// What a state says of a class; the state is known from now on.
    pub(crate) fn set(&mut self, state: usize, class: usize, ln: f64) {
        self.cells[state * self.stride + class] = ln;
        self.known[state] = true;
    }

    /// What a state says of every class, if it is known.
    pub(crate) fn of_state(&self, state: usize) -> Option<&[f64]> {
        self.known.get(state)?.then(|| &self.cells[state * self.stride..][..self.n_classes])
    }

    /// What a code says of one class; nothing if it is missing or unknown.
    pub(crate) fn ln<C: Code>(&self, code: C, class: usize) -> f64 {
        self.cells[code.place(self.n_states) * self.stride + class]
    }

    fn add<C: Code>(&self, codes: &[C], by_row: &mut [f64]) {
        match self.stride {
            2 => self.add_classes::<C, 2>(codes, by_row),
            4 => self.add_classes::<C, 4>(codes, by_row),
            6 => self.add_classes::<C, 6>(codes, by_row),
            8 => self.add_classes::<C, 8>(codes, by_row),
            10 => self.add_classes::<C, 10>(codes, by_row),
            12 => self.add_classes::<C, 12>(codes, by_row),
            14 => self.add_classes::<C, 14>(codes, by_row),
            16 => self.add_classes::<C, 16>(codes, by_row),
            stride => {
                for (scores, code) in by_row.chunks_exact_mut(stride).zip(codes) {
                    let cells = &self.cells[code.place(self.n_states) * stride..][..stride];
                    scores.iter_mut().zip(cells).for_each(|(score, ln)| *score += ln);
                }
            }
        }
    }

    /// With the number of classes known to the compiler, a row's scores are a few vector registers.
    fn add_classes<C: Code, const STRIDE: usize>(&self, codes: &[C], by_row: &mut [f64]) {
        let (states, _) = self.cells.as_chunks::<STRIDE>();
        let (rows, _) = by_row.as_chunks_mut::<STRIDE>();
        for (scores, code) in rows.iter_mut().zip(codes) {
            let cells = &states[code.place(self.n_states)];
            for class in 0..STRIDE {
                scores[class] += cells[class];
            }
        }
    }
}

/// Adds what several columns of states say, one after the other to each score.
fn add_states(columns: &[StateColumn<'_>; AT_ONCE], rows: Range<usize>, by_row: &mut [f64]) {
    let columns = columns.map(|column| StateColumn { codes: &column.codes[rows.clone()], ..column });
    pulp::Arch::new().dispatch(States { columns: &columns, by_row });
}

/// In the widest vectors the machine has; the sums are the same in any.
struct States<'a, 'c> {
    columns: &'a [StateColumn<'c>; AT_ONCE],
    by_row: &'a mut [f64],
}

impl pulp::WithSimd for States<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: pulp::Simd>(self, _: V) {
        match self.columns[0].table.stride {
            2 => self.add::<2>(),
            4 => self.add::<4>(),
            6 => self.add::<6>(),
            8 => self.add::<8>(),
            10 => self.add::<10>(),
            12 => self.add::<12>(),
            14 => self.add::<14>(),
            16 => self.add::<16>(),
            _ => self.columns.iter().for_each(|column| column.table.add(column.codes, self.by_row)),
        }
    }
}

impl States<'_, '_> {
    #[inline(always)]
    fn add<const STRIDE: usize>(self) {
        let tables = self.columns.map(|column| column.table.cells.as_chunks::<STRIDE>().0);
        let n_states = self.columns.map(|column| column.table.n_states);
        let [first, second, third, fourth] = self.columns.map(|column| column.codes);
        let codes = first.iter().zip(second).zip(third).zip(fourth);
        for (scores, (((first, second), third), fourth)) in self.by_row.as_chunks_mut::<STRIDE>().0.iter_mut().zip(codes) {
            let codes = [first, second, third, fourth];
            // By value: the compiler takes classes together only where it sees that nothing overlaps.
            let cells: [[f64; STRIDE]; AT_ONCE] = std::array::from_fn(|place| tables[place][codes[place].place(n_states[place])]);
            let mut sums = *scores;
            for cells in cells {
                for class in 0..STRIDE {
                    sums[class] += cells[class];
                }
            }
            *scores = sums;
        }
    }
}

/// Adds what numbers say of every class, in the widest vectors the machine has; the sums are the same in any.
struct Bells<'a> {
    classes: &'a [BellScores],
    values: &'a [f64],
    by_class: &'a mut [f64],
}

impl pulp::WithSimd for Bells<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: pulp::Simd>(self, _: V) {
        // Most columns have no missing values, and then the loop is shorter.
        let whole = self.values.iter().map(|x| u64::from(x.is_nan())).sum::<u64>() == 0;
        for (class, scores) in self.classes.iter().zip(self.by_class.chunks_exact_mut(self.values.len())) {
            if whole { class.add(self.values, scores) } else { class.add_unless_missing(self.values, scores) }
        }
    }
}

impl BellScores {
    pub(crate) fn new(bell: &Bell) -> Self {
        Self { mean: bell.mean, shrink: 1.0 / (2.0 * bell.variance).sqrt(), ln_peak: bell.ln_peak }
    }

    #[inline(always)]
    fn ln(&self, x: f64) -> f64 {
        let z = (x - self.mean) * self.shrink;
        self.ln_peak - z * z
    }

    #[inline(always)]
    fn add(&self, values: &[f64], scores: &mut [f64]) {
        for (score, &x) in scores.iter_mut().zip(values) {
            *score += self.ln(x);
        }
    }

    #[inline(always)]
    fn add_unless_missing(&self, values: &[f64], scores: &mut [f64]) {
        for (score, &x) in scores.iter_mut().zip(values) {
            let ln = self.ln(x);
            *score += if x.is_nan() { 0.0 } else { ln };
        }
    }
}

impl StudentScores {
    pub(crate) fn new(t: &StudentT) -> Self {
        Self {
            location: t.location,
            shrink: 1.0 / (t.scale * t.degrees.sqrt()),
            power: (t.degrees + 1.0) / 2.0,
            ln_peak: t.ln_normaliser(),
        }
    }

    fn ln(&self, x: f64) -> f64 {
        let z = (x - self.location) * self.shrink;
        self.ln_peak - self.power * (z * z).ln_1p()
    }

    fn add(&self, values: &[f64], scores: &mut [f64]) {
        for (score, &x) in scores.iter_mut().zip(values) {
            *score += if x.is_nan() { 0.0 } else { self.ln(x) };
        }
    }
}

impl NaiveBayes {
    /// Of each row, whether it says nothing that the model knows: the class prior alone is then the answer. The columns must be
    /// those of the schema.
    ///
    /// # Errors
    /// When they are not.
    pub fn without_evidence(&self, chunk: &Chunk<'_>) -> Result<Vec<bool>, ShapeMismatch> {
        check_chunk(self.scorers(), chunk)?;
        let says = |row: usize| self.scorers().iter().zip(chunk.columns).any(|(scorer, column)| scorer.says(column, row));
        Ok((0..chunk.n_rows).map(|row| !says(row)).collect())
    }
}

impl Scorer {
    /// Whether the value in this row says anything. The column has been checked.
    fn says(&self, column: &Column<'_>, row: usize) -> bool {
        match (self, column) {
            (Scorer::Words(table), Column::Texts(texts)) => {
                let words = texts.words(row);
                !words.is_empty() && (table.once || words.iter().any(|word| table.words.is_known(*word as usize)))
            }
            _ => self.of_row(column, row).is_ok(),
        }
    }

    /// What the value in this row says of every class, or why it says nothing. The column has been checked.
    pub(crate) fn of_row(&self, column: &Column<'_>, row: usize) -> Result<Vec<f64>, LeftOut> {
        let of_state = |table: &StateTable, state: Option<usize>| {
            table.of_state(state.ok_or(LeftOut::Missing)?).map(<[f64]>::to_vec).ok_or(LeftOut::UnknownState)
        };
        match (self, column) {
            (Scorer::LeftOut(why), _) => Err(*why),
            (_, Column::Absent) => Err(LeftOut::NotRead),
            (Scorer::States(table), Column::Categorical { codes, .. }) => of_state(table, codes.get(row)),
            (Scorer::Bins(cuts, table), Column::Numeric(values)) => of_state(table, bin_of(cuts, values[row])),
            (Scorer::Words(table), Column::Texts(texts)) => {
                let words = texts.words(row);
                if words.is_empty() {
                    return Err(LeftOut::Missing);
                }
                if !words.iter().any(|word| table.words.is_known(*word as usize)) && !table.once {
                    return Err(LeftOut::NoKnownWord);
                }
                let mut scores = vec![0.0; stride_of(table.every_text.len())];
                table.add(words, &mut scores);
                scores.truncate(table.every_text.len());
                Ok(scores)
            }
            (Scorer::Bell(_) | Scorer::Student(_), Column::Numeric(values)) if values[row].is_nan() => Err(LeftOut::Missing),
            (Scorer::Bell(classes), Column::Numeric(values)) => Ok(classes.iter().map(|class| class.ln(values[row])).collect()),
            (Scorer::Student(classes), Column::Numeric(values)) => Ok(classes.iter().map(|class| class.ln(values[row])).collect()),
            _ => Err(LeftOut::NotRead),
        }
    }
}

/// The state of a row in a column of codes, or the bin of its number.
pub(crate) fn state_of_row(column: &Column<'_>, cuts: Option<&[f64]>, row: usize) -> Option<usize> {
    match (column, cuts) {
        (Column::Categorical { codes, .. }, _) => Codes::get(codes, row),
        (Column::Numeric(values), Some(cuts)) => bin_of(cuts, values[row]),
        _ => None,
    }
}
