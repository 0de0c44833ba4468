//! Naive Bayes row by row from its definition, without statistics, tables or blocks.

use std::f64::consts::TAU;

use belief::conjugate::NormalGamma;
use belief::{ConjugatePrior, Moments};

use super::table::{Table, TestColumn};
use crate::{ClassPrior, Estimate, EventModel, MEstimateP, NaiveBayesPrior, NumericModel};

/// ln P(class) + Σ ln P(x | class) for one row.
pub fn ln_joint(table: &Table, prior: &NaiveBayesPrior, row: usize) -> Vec<f64> {
    let all = Obvious { table, prior };
    (0..table.n_classes)
        .map(|class| {
            let evidence: f64 = (0..table.columns.len()).filter_map(|place| all.ln_given(place, row, class)).sum();
            all.class_prior(class).ln() + evidence
        })
        .collect()
}

struct Obvious<'t> {
    table: &'t Table,
    prior: &'t NaiveBayesPrior,
}

impl Obvious<'_> {
    /// The weight of the rows with a class for which this holds.
    fn weight_of(&self, holds: impl Fn(usize, usize) -> bool) -> f64 {
        let rows = (0..self.table.n_rows()).filter_map(|row| Some((row, self.table.class(row)?)));
        rows.filter(|&(row, class)| holds(row, class)).map(|(row, _)| self.table.weight(row)).sum()
    }

    fn class_prior(&self, class: usize) -> f64 {
        let weight = |c: usize| self.weight_of(|_, of_row| of_row == c);
        let counted = |c: usize| c < self.table.n_declared_classes || weight(c) > 0.0;
        let mass = |c: usize| {
            let n_counted = (0..self.table.n_classes).filter(|&c| counted(c)).count() as f64;
            match &self.prior.class {
                _ if self.prior.event == EventModel::NearestCentroid => f64::from(weight(c) > 0.0),
                _ if !counted(c) => 0.0,
                ClassPrior::Empirical => weight(c),
                ClassPrior::Laplace { l } => weight(c) + l,
                ClassPrior::Dirichlet { alpha } => weight(c) + alpha / n_counted,
                ClassPrior::Uniform => 1.0,
                ClassPrior::Given(given) => given[&format!("s{c}")],
            }
        };
        mass(class) / (0..self.table.n_classes).map(mass).sum::<f64>()
    }

    /// The state in a row, the number of states, and how many are declared.
    fn state(&self, place: usize, row: usize) -> Option<usize> {
        match &self.table.columns[place] {
            TestColumn::States { codes, .. } => (codes[row] != u8::MAX).then(|| codes[row] as usize),
            TestColumn::Numbers { values, cuts } => {
                let x = values[row];
                (!x.is_nan()).then(|| cuts.as_ref().unwrap().iter().filter(|cut| **cut < x).count())
            }
        }
    }

    fn ln_given(&self, place: usize, row: usize, class: usize) -> Option<f64> {
        match &self.table.columns[place] {
            TestColumn::Numbers { values, cuts: None } => self.ln_number(values, row, class),
            TestColumn::Numbers { cuts: Some(cuts), .. } => self.ln_state(place, cuts.len() + 1, cuts.len() + 1, row, class),
            TestColumn::States { n_states, n_declared, .. } => self.ln_state(place, *n_states, *n_declared, row, class),
        }
    }

    fn ln_state(&self, place: usize, n_states: usize, n_declared: usize, row: usize, class: usize) -> Option<f64> {
        let state = self.state(place, row)?;
        let total = |s: usize| self.weight_of(|row, _| self.state(place, row) == Some(s));
        let counted: Vec<usize> = (0..n_states).filter(|&s| s < n_declared || total(s) > 0.0).collect();
        if !counted.contains(&state) {
            return None;
        }
        let j = counted.len() as f64;
        let n = |s: usize| self.weight_of(|row, c| c == class && self.state(place, row) == Some(s));
        let n_class: f64 = counted.iter().map(|&s| n(s)).sum();
        let of_all = counted.iter().map(|&s| total(s)).sum::<f64>();
        let frequency = |s: usize| if n_class > 0.0 { n(s) / n_class } else { 1.0 / j };
        match self.prior.event {
            EventModel::NearestCentroid => {
                let distance: f64 = counted.iter().map(|&s| (f64::from(s == state) - frequency(s)).powi(2)).sum();
                Some(-distance / (2.0 * self.sphere_variance()))
            }
            EventModel::Bernoulli if counted.len() > 2 => {
                let (m, p): (f64, &dyn Fn(usize) -> f64) = match &self.prior.estimate {
                    Estimate::MaximumLikelihood => (0.0, &|_| 0.5),
                    Estimate::Laplace { l } => (2.0 * l, &|_| 0.5),
                    Estimate::Dirichlet { alpha } => (*alpha, &|_| 0.5),
                    Estimate::MEstimate { m, p: MEstimateP::Uniform } => (*m, &|_| 0.5),
                    Estimate::MEstimate { m, p: MEstimateP::Empirical } => {
                        (*m, &|s| if of_all > 0.0 { total(s) / of_all } else { 1.0 / j })
                    }
                    Estimate::MEstimate { m, p: MEstimateP::Given(given) } => match given.get(&format!("x{place}")) {
                        Some(p) => (*m, &|s| p[&format!("s{s}")] / counted.iter().map(|s| p[&format!("s{s}")]).sum::<f64>()),
                        None => (*m, &|_| 0.5),
                    },
                };
                let present = |s: usize| if n_class + m > 0.0 { (n(s) + m * p(s)) / (n_class + m) } else { 0.5 };
                Some(counted.iter().map(|&s| if s == state { present(s) } else { 1.0 - present(s) }).map(f64::ln).sum())
            }
            _ => {
                let a = |s: usize| match &self.prior.estimate {
                    Estimate::MaximumLikelihood => 0.0,
                    Estimate::Laplace { l } => *l,
                    Estimate::Dirichlet { alpha } => alpha / j,
                    Estimate::MEstimate { m, p: MEstimateP::Uniform } => m / j,
                    Estimate::MEstimate { m, p: MEstimateP::Empirical } => m * if of_all > 0.0 { total(s) / of_all } else { 1.0 / j },
                    Estimate::MEstimate { m, p: MEstimateP::Given(given) } => match given.get(&format!("x{place}")) {
                        Some(p) => m * p[&format!("s{s}")] / counted.iter().map(|s| p[&format!("s{s}")]).sum::<f64>(),
                        None => m / j,
                    },
                };
                let total_a: f64 = counted.iter().map(|&s| a(s)).sum();
                Some(if n_class + total_a > 0.0 { ((n(state) + a(state)) / (n_class + total_a)).ln() } else { (1.0 / j).ln() })
            }
        }
    }

    /// (weight, mean, variance) of the numbers of a class, or of all.
    fn moments(&self, values: &[f64], class: Option<usize>) -> (f64, f64, f64) {
        let in_it = |row: usize, c: usize| !values[row].is_nan() && class.is_none_or(|class| c == class);
        let sum = |f: &dyn Fn(f64) -> f64| {
            let rows = (0..self.table.n_rows()).filter(|&row| self.table.class(row).is_some_and(|c| in_it(row, c)));
            rows.map(|row| self.table.weight(row) * f(values[row])).sum::<f64>()
        };
        let n = sum(&|_| 1.0);
        if n == 0.0 {
            return (0.0, 0.0, 0.0);
        }
        let mean = sum(&|x| x) / n;
        let variance = sum(&|x| (x - mean).powi(2)) / n;
        (n, mean, if variance < 1e-25 { 0.0 } else { variance })
    }

    fn within(&self, values: &[f64]) -> f64 {
        let of_classes = (0..self.table.n_classes).map(|c| self.moments(values, Some(c)));
        let (sum, n) = of_classes.fold((0.0, 0.0), |(sum, total), (n, _, variance)| (sum + n * variance, total + n));
        if n > 0.0 { sum / n } else { 0.0 }
    }

    fn ln_number(&self, values: &[f64], row: usize, class: usize) -> Option<f64> {
        let x = values[row];
        let (_, column_mean, column_variance) = self.moments(values, None);
        if x.is_nan() || column_variance == 0.0 {
            return None;
        }
        let (n, mean, variance) = self.moments(values, Some(class));
        let mean = if n > 0.0 { mean } else { column_mean };
        if self.prior.event == EventModel::NearestCentroid {
            return Some(-(x - mean).powi(2) / (2.0 * self.sphere_variance()));
        }
        match self.prior.numeric {
            NumericModel::Gaussian { variance_smoothing } => {
                let mut largest = 0.0;
                for column in &self.table.columns {
                    if let TestColumn::Numbers { values, cuts: None } = column {
                        largest = f64::max(largest, self.moments(values, None).2);
                    }
                }
                let epsilon = variance_smoothing * largest;
                let own = if n > 0.0 { variance } else { column_variance } + epsilon;
                let variance = if own > 0.0 { own } else { self.within(values) };
                if epsilon == 0.0 && self.within(values) == 0.0 {
                    return None;
                }
                Some(-0.5 * (TAU * variance).ln() - (x - mean).powi(2) / (2.0 * variance))
            }
            NumericModel::Student => {
                let prior = NormalGamma { mean: column_mean, kappa: 1.0, shape: 1.0, rate: column_variance };
                Some(prior.posterior(&Moments { weight: n, mean, sum_sq: n * variance }).predictive().ln_pdf(x))
            }
        }
    }

    fn sphere_variance(&self) -> f64 {
        let (mut sum, mut dimensions) = (0.0, 0.0);
        for (place, column) in self.table.columns.iter().enumerate() {
            let (n_states, n_declared) = match column {
                TestColumn::Numbers { values, cuts: None } => {
                    if self.moments(values, None).2 > 0.0 {
                        sum += self.within(values);
                        dimensions += 1.0;
                    }
                    continue;
                }
                TestColumn::Numbers { cuts: Some(cuts), .. } => (cuts.len() + 1, cuts.len() + 1),
                TestColumn::States { n_states, n_declared, .. } => (*n_states, *n_declared),
            };
            let n = |s: usize, c: usize| self.weight_of(|row, class| class == c && self.state(place, row) == Some(s));
            let class_total = |c: usize| (0..n_states).map(|s| n(s, c)).sum::<f64>();
            let total: f64 = (0..self.table.n_classes).map(class_total).sum();
            for s in 0..n_states {
                let seen = (0..self.table.n_classes).any(|c| n(s, c) > 0.0);
                dimensions += f64::from(seen || s < n_declared);
                for c in (0..self.table.n_classes).filter(|&c| class_total(c) > 0.0) {
                    let p = n(s, c) / class_total(c);
                    sum += class_total(c) / total * p * (1.0 - p);
                }
            }
        }
        if sum > 1e-12 { sum / dimensions } else { 1.0 }
    }
}
