//! Ranges of numbers: a constraint is an interval, and more general is wider.
//!
//! The numbers that examples have cut the line into places: each of them is one, and so is each gap between two neighbours and the
//! rest on either side. A constraint is a run of such places, so its ends are numbers that were seen, with them or without them. The
//! least general interval that covers some positive examples is closed, `[20, 25]`. The most general ones that do not cover a
//! negative example are open there, `<30` and `>30`. Any finer interval would answer the same for every example.
//!
//! Counts of hypotheses are counts on this grid: a number that is not an example's falls into a gap, and all of a gap are alike.

use super::span::Span;

/// The places of a numeric attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueRange {
    /// What was seen, each once, in order. The place of the i-th is 2i + 1; gaps have even places.
    seen: Vec<f64>,
}

impl ValueRange {
    /// The grid of these numbers; what is not finite is left out.
    pub fn new(numbers: impl IntoIterator<Item = f64>) -> Self {
        // Adding zero makes the two zeros one.
        let mut seen: Vec<f64> = numbers.into_iter().filter(|x| x.is_finite()).map(|x| x + 0.0).collect();
        seen.sort_by(f64::total_cmp);
        seen.dedup();
        Self { seen }
    }

    /// What was seen, each once, in order.
    pub fn seen(&self) -> &[f64] {
        &self.seen
    }

    /// How many places there are.
    pub fn n_places(&self) -> u32 {
        2 * self.seen.len() as u32 + 1
    }

    /// How many intervals there are besides the empty one.
    pub fn n_spans(&self) -> u64 {
        let n = u64::from(self.n_places());
        n * (n + 1) / 2
    }

    /// Where a number stands.
    pub fn place(&self, x: f64) -> u32 {
        match self.seen.binary_search_by(|seen| seen.total_cmp(&(x + 0.0))) {
            Ok(at) => 2 * at as u32 + 1,
            Err(at) => 2 * at as u32,
        }
    }

    /// A number at this place: the one that was seen, or the middle of the gap.
    pub fn number(&self, place: u32) -> f64 {
        let at = place as usize / 2;
        if place % 2 == 1 {
            return self.seen[at];
        }
        match (at.checked_sub(1).map(|before| self.seen[before]), self.seen.get(at)) {
            (Some(low), Some(high)) => low / 2.0 + high / 2.0,
            (Some(low), None) => (low + low.abs().max(1.0)).min(f64::MAX),
            (None, Some(high)) => (high - high.abs().max(1.0)).max(f64::MIN),
            (None, None) => 0.0,
        }
    }

    /// What a person reads: `?`, `20`, `<30`, `>=20`, `[20, 25]` or `(20, 30)`.
    pub fn name(&self, span: Span) -> String {
        // An even first place is a gap: the interval begins behind the number before it.
        let low = (span.first > 0).then(|| (span.first % 2 == 1, self.seen[(span.first as usize - 1) / 2]));
        let high = (span.last + 1 < self.n_places()).then(|| (span.last % 2 == 1, self.seen[span.last as usize / 2]));
        match (low, high) {
            (None, None) => "?".into(),
            (Some((closed, low)), None) => format!("{}{}", if closed { ">=" } else { ">" }, shown(low)),
            (None, Some((closed, high))) => format!("{}{}", if closed { "<=" } else { "<" }, shown(high)),
            (Some((_, low)), Some(_)) if span.first == span.last && span.first % 2 == 1 => shown(low),
            (Some((from, low)), Some((to, high))) => {
                format!("{}{}, {}{}", if from { '[' } else { '(' }, shown(low), shown(high), if to { ']' } else { ')' })
            }
        }
    }
}

/// A number in full, with an exponent where it would be long.
pub(super) fn shown(x: f64) -> String {
    if x == 0.0 || (1e-5..1e15).contains(&x.abs()) { x.to_string() } else { format!("{x:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_gaps_have_their_places() {
        let range = ValueRange::new([30.0, 10.0, 20.0, 10.0, f64::NAN, -0.0, 0.0]);
        assert_eq!(range.n_places(), 9);
        let places: Vec<u32> = [-1.0, 0.0, -0.0, 5.0, 10.0, 15.0, 30.0, 99.0].iter().map(|x| range.place(*x)).collect();
        assert_eq!(places, [0, 1, 1, 2, 3, 4, 7, 8]);
        // A number of a place stands there.
        assert!((0..9).all(|place| range.place(range.number(place)) == place));
    }

    #[test]
    fn intervals_say_whether_their_ends_belong_to_them() {
        let range = ValueRange::new([10.0, 20.0, 30.5]);
        let name = |first, last| range.name(Span { first, last });
        assert_eq!([name(0, 6), name(1, 3), name(2, 4), name(1, 1), name(2, 2)], ["?", "[10, 20]", "(10, 30.5)", "10", "(10, 20)"]);
        assert_eq!([name(0, 0), name(0, 1), name(5, 6), name(6, 6)], ["<10", "<=10", ">=30.5", ">30.5"]);
        assert_eq!(ValueRange::new([]).name(Span::of(0)), "?");
        let vast = ValueRange::new([1e-300, f64::MAX]);
        assert_eq!([vast.name(Span::of(1)), vast.name(Span::of(4))], ["1e-300", ">1.7976931348623157e308"]);
        assert!((0..5).all(|place| vast.number(place).is_finite()));
    }
}
