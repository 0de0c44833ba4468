//! The Dirichlet-compound multinomial, or Pólya distribution: every text draws its own words' probabilities first.
//!
//! P(text | class) = Γ(s)/Γ(s + n) · Π Γ(xʷ + αʷ)/Γ(αʷ), where s = Σ αʷ, n is the text's length and xʷ how often it has the word
//! (the number of orders its words can stand in is the same for every class, and left out). A word that was met once in a text is
//! the more to be expected again the smaller its αʷ is: words come in bursts. Madsen, Kauchak & Elkan 2005, *Modeling Word
//! Burstiness Using the Dirichlet Distribution*.
//!
//! αʷ is the maximum of the posterior, found by the fixed point of Minka 2000, *Estimating a Dirichlet distribution*, equation 55.
//! Each step of it raises the posterior. Laplace's l is l imaginary texts of every word alone: it adds l · ln (αʷ/s).

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

/// In how many texts a word of the class is met, and in how many of them how often if more than once.
struct Word {
    code: u32,
    texts: f64,
    repeats: Vec<(u32, f64)>,
}

/// Steps at most, and how far an α still moves, relatively, when it is said to stand.
const MOST_STEPS: usize = 1000;
const STANDS: f64 = 1e-6;

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
            (count.texts > 0.0).then_some((Word { code: word as u32, texts: count.texts, repeats }, count.texts))
        };
        let (words, texts): (Vec<Word>, Vec<f64>) = words.filter_map(of_word).unzip();
        let lengths: Vec<(u32, f64)> = bursts.lengths(class as u32).collect();
        let n_unseen = n_words - words.len() as f64;
        // As many imaginary words as a text has on average are a middling concentration to start from.
        let all_texts: f64 = lengths.iter().map(|(_, texts)| texts).sum();
        let mean_length = lengths.iter().map(|(length, texts)| f64::from(*length) * texts).sum::<f64>() / all_texts.max(1.0);
        let start = mean_length.max(1.0) / (texts.iter().sum::<f64>() + l * n_words);
        let mut alpha: Vec<f64> = texts.iter().map(|texts| start * (texts + l)).collect();
        let mut alpha_unseen = start * l;
        for _ in 0..MOST_STEPS {
            let total = alpha.iter().sum::<f64>() + n_unseen * alpha_unseen;
            let below = lengths.iter().map(|(length, texts)| texts * rise_of_digamma(total, *length)).sum::<f64>() + l * n_words / total;
            let mut moved: f64 = 0.0;
            for (alpha, word) in alpha.iter_mut().zip(&words) {
                let once = word.texts - word.repeats.iter().map(|(_, texts)| texts).sum::<f64>();
                // α · (ψ(k + α) − ψ(α)) of texts in which the word is met k times.
                let again = |(times, texts): &(u32, f64)| texts * *alpha * rise_of_digamma(*alpha, *times);
                let above = once.max(0.0) + word.repeats.iter().map(again).sum::<f64>() + l;
                let next = above / below;
                moved = moved.max((next / *alpha - 1.0).abs());
                *alpha = next;
            }
            alpha_unseen = l / below;
            // What is not a number stands nowhere.
            if moved < STANDS || !moved.is_finite() {
                break;
            }
        }
        let total = alpha.iter().sum::<f64>() + n_unseen * alpha_unseen;
        Self { alpha: words.iter().map(|word| word.code).zip(alpha).collect(), alpha_unseen, total }
    }
}

/// ψ(x + n) − ψ(x) = Σ 1/(x + j) over j < n.
fn rise_of_digamma(x: f64, n: u32) -> f64 {
    const FEW: u32 = 64;
    if n <= FEW { (0..n).map(|j| 1.0 / (x + f64::from(j))).sum() } else { digamma(x + f64::from(n)) - digamma(x) }
}

/// ψ, by its recurrence up to 16 and its asymptotic series from there (Abramowitz & Stegun 1964, 6.3.5 and 6.3.18).
fn digamma(x: f64) -> f64 {
    let (mut x, mut below) = (x, 0.0);
    while x < 16.0 {
        below += 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    x.ln() - 0.5 / x - y * (1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y / 132.0)))) - below
}

/// ln Γ(α + k) − ln Γ(α) = Σ ln (α + j) over j < k.
pub(crate) fn ln_rising(alpha: f64, times: u32) -> f64 {
    const FEW: u32 = 16;
    let few = |times: u32| (0..times).map(|j| (alpha + f64::from(j)).ln()).sum::<f64>();
    if times <= FEW { few(times) } else { libm::lgamma(alpha + f64::from(times)) - libm::lgamma(alpha) }
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

    #[test]
    fn digamma_has_its_known_values() {
        // ψ(1) is minus Euler's constant; ψ(1/2) is that less 2 ln 2.
        assert!((digamma(1.0) + 0.577_215_664_901_532_9).abs() < 1e-14);
        assert!((digamma(0.5) + 0.577_215_664_901_532_9 + 2.0 * 2_f64.ln()).abs() < 1e-14);
        for (x, n) in [(0.001, 3), (0.7, 65), (3.0, 1000), (250.0, 70)] {
            let sum: f64 = (0..n).map(|j| 1.0 / (x + f64::from(j))).sum();
            assert!((rise_of_digamma(x, n) - sum).abs() < 1e-12 * sum, "{x} {n}");
            let product: f64 = (0..n).map(|j| (x + f64::from(j)).ln()).sum();
            assert!((ln_rising(x, n) - product).abs() < 1e-10 * (1.0 + product.abs()), "{x} {n}");
        }
    }
}
