//! The Dirichlet-compound multinomial, or Pólya distribution: every text draws its own words' probabilities first.
//!
//! P(text | class) = Γ(s)/Γ(s + n) · Π Γ(xʷ + αʷ)/Γ(αʷ), where s = Σ αʷ, n is the text's length and xʷ how often it has the word
//! (the number of orders its words can stand in is the same for every class, and left out). A word that was met once in a text is
//! the more to be expected again the smaller its αʷ is: words come in bursts. Madsen, Kauchak & Elkan 2005, *Modeling Word
//! Burstiness Using the Dirichlet Distribution*.
//!
//! αʷ is the maximum of the posterior, where the fixed point of Minka 2000, *Estimating a Dirichlet distribution*, equation 55, stands. Its steps
//! grow short long before they arrive, so that it is solved for: what all words divide by depends on s alone, and given that each αʷ is the root of
//! a function of its own, which leaves one equation for s. Laplace's l is l imaginary texts of every word alone: it adds l · ln (αʷ/s).

use belief::{Bursts, WordCounts};

/// The parameters of one class.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Polya {
    /// α of the words that were met in the class, by their codes in order.
    pub(crate) alpha: Vec<(u32, f64)>,
    /// α of every other word that counts.
    pub(crate) alpha_unseen: f64,
    /// s, the sum of all.
    pub(crate) total: f64,
}

/// A word of the class: the texts in which it is met, and the imaginary ones, each of which has 1/αʷ in the derivative of the posterior; and the
/// texts in which it is met how often more than once.
struct Word {
    code: u32,
    texts: f64,
    repeats: Vec<(u32, f64)>,
}

/// Where words are hardly ever repeated s has no bound, and the multinomial is the limit; where nothing but repeats is met it goes to zero.
const LEAST_TOTAL: f64 = 1e-9;
const MOST_TOTAL: f64 = 1e9;

impl Polya {
    /// The parameters of a class, with `l` imaginary texts of each of the `n_words` words that count.
    pub(crate) fn fit(
        counts: &WordCounts,
        bursts: &Bursts,
        class: usize,
        l: f64,
        words: impl Iterator<Item = usize>,
        n_words: f64,
    ) -> Self {
        let of_word = |word: usize| {
            let count = counts.of_word(word).of_class(class);
            let repeats = bursts.repeats(word as u32, class as u32).collect();
            (count.texts > 0.0).then_some(Word { code: word as u32, texts: count.texts + l, repeats })
        };
        let words: Vec<Word> = words.filter_map(of_word).collect();
        let lengths: Vec<(u32, f64)> = bursts.lengths(class as u32).collect();
        let n_unseen = n_words - words.len() as f64;
        // As many imaginary words as a text has on average are a middling concentration to start from.
        let all_texts: f64 = lengths.iter().map(|(_, texts)| texts).sum();
        let mean_length = lengths.iter().map(|(length, texts)| f64::from(*length) * texts).sum::<f64>() / all_texts.max(1.0);
        let below = |total: f64| lengths.iter().map(|(n, texts)| texts * rise_of_digamma(total, *n)).sum::<f64>() + l * n_words / total;
        let total_of = |below: f64| words.iter().map(|word| word.alpha(below)).sum::<f64>() + n_unseen * l / below;
        let ln_total = root(mean_length.max(1.0).ln(), [LEAST_TOTAL.ln(), MOST_TOTAL.ln()], |t| total_of(below(t.exp())).ln() - t);
        let below = below(ln_total.exp());
        let alpha: Vec<(u32, f64)> = words.iter().map(|word| (word.code, word.alpha(below))).collect();
        let alpha_unseen = l / below;
        let total = alpha.iter().map(|(_, alpha)| alpha).sum::<f64>() + n_unseen * alpha_unseen;
        Self { alpha, alpha_unseen, total }
    }
}

impl Word {
    /// The root of `below` − Σ 1/α over texts − Σ (ψ(k + α) − ψ(1 + α)) over those in which it is met k times. That rises with α, ever more slowly:
    /// from where the second sum is left out, which is before the root, Newton's steps come to it and never go beyond.
    fn alpha(&self, below: f64) -> f64 {
        const MOST_STEPS: usize = 100;
        let mut alpha = self.texts / below;
        if self.repeats.is_empty() {
            return alpha;
        }
        for _ in 0..MOST_STEPS {
            let again = |rise: fn(f64, u32) -> f64| self.repeats.iter().map(|(k, texts)| texts * rise(alpha + 1.0, k - 1)).sum::<f64>();
            let lacking = self.texts / alpha + again(rise_of_digamma) - below;
            let step = lacking / (self.texts / (alpha * alpha) + again(fall_of_trigamma));
            if step.is_nan() || step <= f64::EPSILON * alpha {
                break;
            }
            alpha += step;
        }
        alpha
    }
}

/// Where a function that falls from above zero to below is zero, or the end of the range that it does not come to: steps that double until there is
/// a change of sign, and between them regula falsi as in Illinois (Dowell & Jarratt 1971).
fn root(start: f64, [least, most]: [f64; 2], mut f: impl FnMut(f64) -> f64) -> f64 {
    const STANDS: f64 = 1e-13;
    const MOST_STEPS: usize = 200;
    let (mut a, mut of_a) = (start, f(start));
    let mut step = of_a.signum();
    let (mut b, mut of_b) = loop {
        let b = (a + step).clamp(least, most);
        let of_b = f(b);
        match of_a * of_b > 0.0 {
            true if b == least || b == most => return b,
            true => (a, of_a, step) = (b, of_b, 2.0 * step),
            false => break (b, of_b),
        }
    };
    for _ in 0..MOST_STEPS {
        if of_b == 0.0 || !(of_b.is_finite() && (b - a).abs() > STANDS) {
            break;
        }
        let c = (of_a * b - of_b * a) / (of_a - of_b);
        let of_c = f(c);
        if (of_c > 0.0) == (of_b > 0.0) {
            of_a *= 0.5
        } else {
            (a, of_a) = (b, of_b)
        }
        let moved = (c - b).abs();
        (b, of_b) = (c, of_c);
        if moved <= STANDS {
            break;
        }
    }
    b
}

/// Up to so many terms are added one by one, and as many of a longer sum as it takes to come to where the series below hold.
const FEW: u32 = 16;

/// A sum over x, x + 1, … x + n − 1: of the first terms one by one, and of the others by a function of where they begin and how many they are.
fn sum_over(x: f64, n: u32, term: impl Fn(f64) -> f64, rest: impl Fn(f64, f64) -> f64) -> f64 {
    let one_by_one = if n <= FEW { n } else { n.min((f64::from(FEW) - x).ceil().max(0.0) as u32) };
    let first: f64 = (0..one_by_one).map(|j| term(x + f64::from(j))).sum();
    if one_by_one == n { first } else { first + rest(x + f64::from(one_by_one), f64::from(n - one_by_one)) }
}

/// ψ(x + n) − ψ(x) = Σ 1/(x + j) over j < n. Far from zero by the asymptotic series of ψ (Abramowitz & Stegun 1964, 6.3.18).
fn rise_of_digamma(x: f64, n: u32) -> f64 {
    let series = |x: f64| {
        let y = 1.0 / (x * x);
        -0.5 / x - y * (1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y / 132.0))))
    };
    sum_over(x, n, |x| 1.0 / x, |x, n| (n / x).ln_1p() + (series(x + n) - series(x)))
}

/// ψ′(x) − ψ′(x + n) = Σ 1/(x + j)² over j < n (6.4.12).
fn fall_of_trigamma(x: f64, n: u32) -> f64 {
    let series = |x: f64| {
        let y = 1.0 / (x * x);
        y * (0.5 + (1.0 / 6.0 - y * (1.0 / 30.0 - y * (1.0 / 42.0 - y * (1.0 / 30.0 - y * 5.0 / 66.0)))) / x)
    };
    sum_over(x, n, |x| 1.0 / (x * x), |x, n| n / (x * (x + n)) + (series(x) - series(x + n)))
}

/// ln Γ(α + k) − ln Γ(α) = Σ ln (α + j) over j < k (6.1.41). The difference of two large logarithms of Γ would have lost its digits.
pub(crate) fn ln_rising(alpha: f64, times: u32) -> f64 {
    let series = |x: f64| {
        let y = 1.0 / (x * x);
        (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)))) / x
    };
    sum_over(alpha, times, f64::ln, |x, n| n * (x + n).ln() + ((x - 0.5) * (n / x).ln_1p() - n) + (series(x + n) - series(x)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use belief::{Codes, Texts, WordWeights};

    fn counted(texts: &[&[u32]], n_words: usize) -> WordCounts {
        let codes: Vec<u32> = texts.concat();
        let ends: Vec<u32> = texts
            .iter()
            .scan(0, |end, text| {
                *end += text.len() as u32;
                Some(*end)
            })
            .collect();
        let weights = WordWeights { bursts: true, ..WordWeights::default() };
        let mut counts = WordCounts::weighed(1, n_words, Arc::new(weights));
        counts.observe(Codes::U8(&vec![0; texts.len()]), Texts { ends: &ends, codes: &codes, n_words }, None).unwrap();
        counts
    }

    fn ln_posterior(alpha: &[f64], texts: &[&[u32]], l: f64) -> f64 {
        let s: f64 = alpha.iter().sum();
        let of_text = |text: &&[u32]| {
            let times = |word: usize| text.iter().filter(|w| **w as usize == word).count() as f64;
            let words = alpha.iter().enumerate().map(|(word, a)| libm::lgamma(a + times(word)) - libm::lgamma(*a)).sum::<f64>();
            words + libm::lgamma(s) - libm::lgamma(s + text.len() as f64)
        };
        texts.iter().map(of_text).sum::<f64>() + alpha.iter().map(|a| l * (a / s).ln()).sum::<f64>()
    }

    #[test]
    fn no_other_parameters_are_more_probable() {
        let texts: [&[u32]; 6] = [&[0, 0, 0, 1], &[1, 2], &[0, 0, 2, 2, 2], &[1, 1, 1, 1, 1], &[2], &[0, 1, 2]];
        let counts = counted(&texts, 4);
        for l in [1.0, 0.1] {
            let found = Polya::fit(&counts, counts.bursts().unwrap(), 0, l, 0..4, 4.0);
            let alpha: Vec<f64> =
                (0..4_u32).map(|word| found.alpha.iter().find(|(w, _)| *w == word).map_or(found.alpha_unseen, |(_, a)| *a)).collect();
            assert!((alpha.iter().sum::<f64>() - found.total).abs() < 1e-12);
            let best = ln_posterior(&alpha, &texts, l);
            for word in 0..4 {
                for by in [0.99, 1.01] {
                    let mut other = alpha.clone();
                    other[word] *= by;
                    assert!(ln_posterior(&other, &texts, l) < best, "word {word} by {by}");
                }
            }
        }
    }

    /// Also where the maximum is far from where the search begins, or there is none.
    #[test]
    fn parameters_stand_where_the_derivative_is_zero() {
        let bursts: [&[u32]; 4] = [&[0; 30], &[1; 200], &[2, 2, 2, 2, 0], &[1; 7]];
        let mild: [&[u32]; 8] =
            [&[3, 1], &[1, 1, 3, 3], &[2, 2, 2, 3, 3, 2, 0], &[2, 0, 2, 2, 0, 1, 2], &[2, 2, 3, 3], &[3, 2], &[2, 0, 0], &[2, 1]];
        let single: [&[u32]; 3] = [&[0, 1, 2, 3], &[1, 3], &[2, 0]];
        let repeated: [&[u32]; 3] = [&[0; 5], &[1; 5], &[0; 9]];
        // The second is where 30,000 steps of the fixed point arrive.
        let all = [
            (&bursts[..], 0.01..10.0, 0.5),
            (&mild, 52.1175..52.1185, 1.0),
            (&single, MOST_TOTAL..2.0 * MOST_TOTAL, 0.5),
            (&repeated, 0.0..1e-8, 0.5),
        ];
        for (texts, range, l) in all {
            let counts = counted(texts, 4);
            let found = Polya::fit(&counts, counts.bursts().unwrap(), 0, l, 0..4, 4.0);
            assert!(range.contains(&(found.total * (1.0 + 1e-9))), "{}", found.total);
            if !(1e-8..MOST_TOTAL).contains(&found.total) {
                continue;
            }
            let of_lengths = |length: usize| (0..length).map(|j| 1.0 / (found.total + j as f64)).sum::<f64>();
            let below: f64 = texts.iter().map(|text| of_lengths(text.len())).sum::<f64>() + l * 4.0 / found.total;
            for word in 0..4_u32 {
                let alpha = found.alpha.iter().find(|(w, _)| *w == word).map_or(found.alpha_unseen, |(_, a)| *a);
                let times = |text: &&[u32]| text.iter().filter(|w| **w == word).count();
                let of_times = |times: usize| (0..times).map(|j| 1.0 / (alpha + j as f64)).sum::<f64>();
                let above = texts.iter().map(|text| of_times(times(text))).sum::<f64>() + l / alpha;
                assert!((above / below - 1.0).abs() < 1e-10, "word {word}: {above} {below}");
            }
        }
    }

    #[test]
    fn long_sums_are_those_of_their_terms() {
        for (x, n) in [(0.001, 3), (0.7, 65), (3.0, 1000), (250.0, 70), (15.5, 17), (1e6, 300)] {
            let terms = || (0..n).map(|j| x + f64::from(j));
            let is_near = |found: f64, expected: f64| (found - expected).abs() < 1e-13 * expected.abs();
            assert!(is_near(rise_of_digamma(x, n), terms().map(|x| 1.0 / x).sum()), "{x} {n}");
            assert!(is_near(fall_of_trigamma(x, n), terms().map(|x| 1.0 / (x * x)).sum()), "{x} {n}");
            assert!((ln_rising(x, n) - terms().map(f64::ln).sum::<f64>()).abs() < 1e-12 * f64::from(n) * 20.0, "{x} {n}");
        }
        // As many equal logarithms, but for the last digits.
        assert!((ln_rising(1e9, 1000) - (1000.0 * 1e9_f64.ln() + 1000.0 * 999.0 / 2e9)).abs() < 1e-9);
    }
}
