//! The Bayesian version space: every hypothesis with its probability, where labels may be wrong.
//!
//! Mitchell 1997, section 6.3, with noise. A label is wrong with chance ε, apart from all others: P(D | h) = (1−ε)^a ε^b, where h
//! agrees with a examples and not with b. No example can empty the space any more. With ε = 0 and a uniform prior each consistent
//! hypothesis has the probability 1/|VS|, and the vote is that of the version space.
//!
//! A prior that favours specific hypotheses makes FIND-S a learner of the most probable one: with ε = 0 its output is a MAP
//! hypothesis under every prior for which P(h) ≥ P(h') wherever h' is more general than h (Mitchell 1997, section 6.3.2).
//!
//! Hypotheses are gone through one by one, so their number is bounded.

use belief::hypotheses::brute_force_map;
use belief::log_sum_exp;

use super::span::Span;
use super::{ConceptError, Examples, Hypothesis, HypothesisSpace};

/// What is believed of hypotheses before any example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HypothesisPrior {
    /// Each is as probable as any other.
    #[default]
    Uniform,
    /// A hypothesis is half as probable for each place that it is wider: the specific ones are favoured.
    Specific,
}

/// The most hypotheses that are gone through one by one, unless the caller says another number.
pub const MOST_HYPOTHESES: usize = 1_000_000;

/// The most hypotheses times words of 64 examples: some ten seconds.
const MOST_WORK: u64 = 1 << 33;

/// The posterior over all hypotheses.
#[derive(Clone, Debug)]
pub struct BayesianVersionSpace {
    /// The constraints of each attribute.
    spans: Vec<Vec<Span>>,
    /// ln P(h | D): first of the hypothesis that covers nothing, then of the conjunctions, the last attribute turning fastest.
    ln_posterior: Vec<f64>,
    ln_evidence: f64,
}

impl BayesianVersionSpace {
    /// The posterior of the examples under a noise rate.
    ///
    /// **Complexity**: hypotheses × (attributes + rows / 64) in time.
    ///
    /// # Errors
    /// When there are more than `most` hypotheses, or too many for so many examples; when the rate is not from 0 to below 0.5, or it is 0
    /// and no hypothesis is consistent.
    pub fn of(space: &HypothesisSpace, examples: &Examples, noise: f64, prior: HypothesisPrior, most: usize) -> Result<Self, ConceptError> {
        if !(0.0..0.5).contains(&noise) {
            return Err(ConceptError::NotANoiseRate { rate: noise });
        }
        let spans = space.spans_within(most)?;
        let n_hypotheses = spans.iter().map(Vec::len).product::<usize>() + 1;
        if n_hypotheses as u64 * examples.len().div_ceil(64) as u64 > MOST_WORK {
            return Err(ConceptError::TooMuchToWeigh { n_hypotheses, n_examples: examples.len() });
        }
        let n_wrong = n_wrong(space, &spans, examples);
        let (ln_right, ln_wrong) = ((-noise).ln_1p(), noise.ln());
        let ln_likelihood = |n_wrong: u32| {
            let n_right = examples.len() as f64 - f64::from(n_wrong);
            // Without noise a wrong label is impossible; none of them is no factor at all.
            n_right * ln_right + if n_wrong == 0 { 0.0 } else { f64::from(n_wrong) * ln_wrong }
        };
        let ln_prior = |at: &usize| match (prior, at) {
            (HypothesisPrior::Uniform, _) => 0.0,
            (HypothesisPrior::Specific, 0) => std::f64::consts::LN_2,
            (HypothesisPrior::Specific, at) => {
                -std::f64::consts::LN_2 * conjunction(&spans, at - 1).iter().map(|s| f64::from(s.last - s.first)).sum::<f64>()
            }
        };
        // The brute-force MAP learner over this space; without noise and evenly believed it is that of Mitchell's section 6.3.1.
        let found = brute_force_map(0..n_hypotheses, n_hypotheses, ln_prior, |at| ln_likelihood(n_wrong[*at]));
        let found = found.map_err(|_| ConceptError::ZeroEvidence)?;
        Ok(Self { spans, ln_posterior: found.ln_posterior, ln_evidence: found.ln_p_data })
    }

    /// ln P(D): of all examples together, over all hypotheses.
    pub fn log_marginal_likelihood(&self) -> f64 {
        self.ln_evidence
    }

    /// How many hypotheses there are.
    pub fn n_hypotheses(&self) -> usize {
        self.ln_posterior.len()
    }

    /// The most probable hypotheses with their probabilities, the most probable first; of equals the less general ones, and then by
    /// their constraints.
    pub fn most_probable(&self, most: usize) -> Vec<(Hypothesis, f64)> {
        // Rounding must not put one of equals before another.
        let rank = |at: usize| std::cmp::Reverse((self.ln_posterior[at].max(-1e15) * 1e9).round() as i64);
        let mut ranks: Vec<_> = (0..self.ln_posterior.len()).map(rank).collect();
        let cut = most.clamp(1, ranks.len()) - 1;
        let worst = *ranks.select_nth_unstable(cut).1;
        let among = (0..self.ln_posterior.len()).filter(|at| rank(*at) <= worst);
        let mut among: Vec<(usize, Hypothesis)> = among.map(|at| (at, self.hypothesis(at))).collect();
        among.sort_by_cached_key(|(at, h)| (rank(*at), h.level(), h.clone()));
        let mut found: Vec<(Hypothesis, f64)> = among.into_iter().take(most).map(|(at, h)| (h, self.ln_posterior[at].exp())).collect();
        found.retain(|(_, p)| *p > 0.0);
        found
    }

    /// How many hypotheses are as probable as the most probable one.
    pub fn n_map(&self) -> usize {
        let best = self.ln_posterior.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.ln_posterior.iter().filter(|ln| **ln > best - 1e-9).count()
    }

    /// P(h | D).
    pub fn p_of(&self, at: usize) -> f64 {
        self.ln_posterior[at].exp()
    }

    /// The hypothesis at a place of the list.
    pub fn hypothesis(&self, at: usize) -> Hypothesis {
        match at.checked_sub(1) {
            None => Hypothesis::Nothing,
            Some(at) => Hypothesis::Conjunction(conjunction(&self.spans, at).into()),
        }
    }

    /// The Bayes-optimal vote: P(c(x) = 1 | D), the sum of the probabilities of the hypotheses that cover the instance.
    pub fn p_positive(&self, instance: &[u32]) -> f64 {
        // Of each attribute only the constraints that cover the value; places are those of the full list.
        let covering: Vec<Vec<usize>> = self
            .spans
            .iter()
            .zip(instance)
            .map(|(spans, place)| (0..spans.len()).filter(|at| spans[*at].covers(*place)).collect())
            .collect();
        let mut ln = Vec::new();
        self.gather(&covering, 0, 0, &mut ln);
        log_sum_exp(&ln).exp().min(1.0)
    }

    fn gather(&self, covering: &[Vec<usize>], at: usize, before: usize, ln: &mut Vec<f64>) {
        let at = next_open(&self.spans, at);
        match covering.get(at) {
            None => ln.push(self.ln_posterior[before + 1]),
            Some(places) => places.iter().for_each(|place| self.gather(covering, at + 1, before * self.spans[at].len() + place, ln)),
        }
    }
}

/// The next attribute with several constraints. What is the only one is `?`, which all instances satisfy; attributes with several are
/// few, since each doubles the number of hypotheses.
fn next_open(spans: &[Vec<Span>], at: usize) -> usize {
    spans[at..].iter().position(|spans| spans.len() > 1).map_or(spans.len(), |further| at + further)
}

/// The conjunction at a place, the last attribute turning fastest.
fn conjunction(spans: &[Vec<Span>], mut at: usize) -> Vec<Span> {
    let mut found: Vec<Span> = spans
        .iter()
        .rev()
        .map(|spans| {
            let span = spans[at % spans.len()];
            at /= spans.len();
            span
        })
        .collect();
    found.reverse();
    found
}

/// How many examples each hypothesis does not agree with, in the order of the list. Some examples at a time, a bit each.
fn n_wrong(space: &HypothesisSpace, spans: &[Vec<Span>], examples: &Examples) -> Vec<u32> {
    let n_hypotheses = spans.iter().map(Vec::len).product::<usize>() + 1;
    let mut n_wrong = vec![0; n_hypotheses];
    for from in (0..examples.len()).step_by(64 * WORDS) {
        let rows = from..examples.len().min(from + 64 * WORDS);
        let block = Block::of(space, spans, examples, rows);
        // What covers nothing is wrong about the positive ones.
        n_wrong[0] += block.positive.iter().map(|word| word.count_ones()).sum::<u32>();
        let mut at = 1;
        block.go(0, &block.all, &mut at, &mut n_wrong);
    }
    n_wrong
}

/// Words of examples that are looked at together.
const WORDS: usize = 16;

type Bits = [u64; WORDS];

/// Which of some examples have a place, for every attribute.
struct Block<'b> {
    spans: &'b [Vec<Span>],
    /// For each attribute and place, the examples at it or before it: a run is the difference of two.
    up_to: Vec<Vec<Bits>>,
    positive: Bits,
    /// Bits beyond the last example are not set.
    all: Bits,
}

impl<'b> Block<'b> {
    fn of(space: &HypothesisSpace, spans: &'b [Vec<Span>], examples: &Examples, rows: std::ops::Range<usize>) -> Self {
        let (mut positive, mut all) = ([0; WORDS], [0; WORDS]);
        let mut up_to: Vec<Vec<Bits>> = space.attributes().iter().map(|a| vec![[0; WORDS]; a.n_places() as usize]).collect();
        for (bit, row) in rows.enumerate() {
            let (word, mask) = (bit / 64, 1 << (bit % 64));
            let example = examples.get(row);
            all[word] |= mask;
            positive[word] |= if example.positive { mask } else { 0 };
            up_to.iter_mut().zip(example.instance).for_each(|(places, place)| places[*place as usize][word] |= mask);
        }
        for places in &mut up_to {
            for at in 1..places.len() {
                let before = places[at - 1];
                places[at].iter_mut().zip(before).for_each(|(word, before)| *word |= before);
            }
        }
        Self { spans, up_to, positive, all }
    }

    fn go(&self, attribute: usize, covered: &Bits, at: &mut usize, n_wrong: &mut [u32]) {
        let attribute = next_open(self.spans, attribute);
        let Some(spans) = self.spans.get(attribute) else {
            n_wrong[*at] += covered.iter().zip(&self.positive).map(|(covered, positive)| (covered ^ positive).count_ones()).sum::<u32>();
            *at += 1;
            return;
        };
        let up_to = &self.up_to[attribute];
        for span in spans {
            let mut narrower = *covered;
            narrower.iter_mut().zip(up_to[span.last as usize]).for_each(|(word, upper)| *word &= upper);
            if let Some(before) = span.first.checked_sub(1) {
                narrower.iter_mut().zip(up_to[before as usize]).for_each(|(word, below)| *word &= !below);
            }
            self.go(attribute + 1, &narrower, at, n_wrong);
        }
    }
}
