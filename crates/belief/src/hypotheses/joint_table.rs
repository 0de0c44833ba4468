//! A full joint distribution over a few variables: everything that can be asked of them is a sum over its cells.
//!
//! Marginals sum cells, conditionals divide two sums, the chain rule writes a cell as a product of conditionals, and two sets of
//! variables are independent given a third if P(a, b | c) = P(a | c) P(b | c) for all their states. Russell & Norvig, *Artificial
//! Intelligence*, chapter 13.

use std::collections::HashSet;

use super::error::{HypothesisError, probability, sums_to_one};

/// A variable of a joint distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointVariable {
    /// Its name.
    pub name: String,
    /// Its states.
    pub states: Vec<String>,
}

/// That variables have these states: places of variables and of their states.
pub type Event = Vec<(usize, usize)>;

/// The probability of every combination of states.
///
/// Invariant: variables of different names, each with one state or more, and probabilities that sum to one.
///
/// **Complexity**: every question is one pass over the cells, of which there are at most [`JointTable::MOST`].
#[derive(Clone, Debug, PartialEq)]
pub struct JointTable {
    variables: Vec<JointVariable>,
    /// The last variable's states next to each other.
    p: Vec<f64>,
}

impl JointTable {
    /// Cells at most.
    pub const MOST: usize = 1 << 24;

    /// A table of these cells, the last variable's states next to each other.
    ///
    /// # Errors
    /// When a name is there twice, a variable has no states, there are not as many cells as combinations, a cell is no probability, or
    /// they do not sum to one.
    pub fn new(variables: Vec<JointVariable>, p: Vec<f64>) -> Result<Self, HypothesisError> {
        if variables.is_empty() {
            return Err(HypothesisError::Nothing { what: "variables" });
        }
        let mut n_cells: usize = 1;
        for (place, variable) in variables.iter().enumerate() {
            if variables[..place].iter().any(|earlier| earlier.name == variable.name) {
                return Err(HypothesisError::Twice { name: variable.name.clone() });
            }
            let mut met = HashSet::with_capacity(variable.states.len());
            if let Some(name) = variable.states.iter().find(|name| !met.insert(name.as_str())) {
                return Err(HypothesisError::Twice { name: name.clone() });
            }
            if variable.states.is_empty() {
                return Err(HypothesisError::Nothing { what: "states of a variable" });
            }
            n_cells = n_cells.saturating_mul(variable.states.len());
        }
        if n_cells > Self::MOST {
            return Err(HypothesisError::TooMany { what: "cells of the table", most: Self::MOST, found: n_cells });
        }
        if p.len() != n_cells {
            return Err(HypothesisError::Length { what: "cells of the table", expected: n_cells, found: p.len() });
        }
        for cell in &p {
            probability(|| "a cell of the table".into(), *cell)?;
        }
        let sum = sums_to_one(|| "the cells of the table".into(), &p)?;
        let exact = (sum - 1.0).abs() <= 1e-12;
        Ok(Self { variables, p: if exact { p } else { p.into_iter().map(|cell| cell / sum).collect() } })
    }

    /// Variables that are independent of each other, by their own distributions.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn independent(of: Vec<(JointVariable, Vec<f64>)>) -> Result<Self, HypothesisError> {
        let mut cells = vec![1.0];
        for (variable, p) in &of {
            if p.len() != variable.states.len() {
                return Err(HypothesisError::Length { what: "states", expected: variable.states.len(), found: p.len() });
            }
            if cells.len().saturating_mul(p.len()) > Self::MOST {
                return Err(HypothesisError::TooMany {
                    what: "cells of the table",
                    most: Self::MOST,
                    found: cells.len().saturating_mul(p.len()),
                });
            }
            sums_to_one(|| format!("the states of {}", variable.name), p)?;
            cells = cells.iter().flat_map(|cell| p.iter().map(move |p| cell * p)).collect();
        }
        Self::new(of.into_iter().map(|(variable, _)| variable).collect(), cells)
    }

    /// The variables.
    pub fn variables(&self) -> &[JointVariable] {
        &self.variables
    }

    /// The cells, the last variable's states next to each other.
    pub fn cells(&self) -> &[f64] {
        &self.p
    }

    /// The place of a variable.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn variable(&self, name: &str) -> Result<usize, HypothesisError> {
        let known = || self.variables.iter().map(|variable| variable.name.clone()).collect();
        let found = self.variables.iter().position(|variable| variable.name == name);
        found.ok_or_else(|| HypothesisError::Unknown { what: "variable", name: name.into(), known: known() })
    }

    /// The places of a variable and of its state.
    ///
    /// # Errors
    /// When there are none of these names.
    pub fn state(&self, name: &str, state: &str) -> Result<(usize, usize), HypothesisError> {
        let variable = self.variable(name)?;
        let states = &self.variables[variable].states;
        let found = states.iter().position(|known| known == state);
        let unknown = || HypothesisError::Unknown { what: "state", name: format!("{name}={state}"), known: states.clone() };
        Ok((variable, found.ok_or_else(unknown)?))
    }

    /// The states of a cell, one of each variable.
    pub fn states_of(&self, mut cell: usize) -> Vec<usize> {
        let mut states = vec![0; self.variables.len()];
        for (state, variable) in states.iter_mut().zip(&self.variables).rev() {
            *state = cell % variable.states.len();
            cell /= variable.states.len();
        }
        states
    }

    /// P(event): the sum of the cells in which it is so. Nothing asked is sure.
    pub fn probability(&self, event: &[(usize, usize)]) -> f64 {
        let mut sum = 0.0;
        self.each_cell(|states, p| {
            if holds(event, states) {
                sum += p;
            }
        });
        sum
    }

    /// Hands on every cell with its states.
    fn each_cell(&self, mut see: impl FnMut(&[usize], f64)) {
        let mut states = vec![0; self.variables.len()];
        for p in &self.p {
            see(&states, *p);
            // The last state runs fastest, as the cells do.
            for (state, variable) in states.iter_mut().zip(&self.variables).rev() {
                *state += 1;
                if *state < variable.states.len() {
                    break;
                }
                *state = 0;
            }
        }
    }

    /// The joint distribution of some of the variables, in the order they are named.
    ///
    /// # Errors
    /// When none are named, or one is named twice.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn marginal(&self, of: &[usize]) -> Result<Self, HypothesisError> {
        // A sum of all cells may be above one by its rounding.
        let p = self.sums(of, &[]).into_iter().map(|p| p.min(1.0)).collect();
        Self::new(of.iter().map(|variable| self.variables[*variable].clone()).collect(), p)
    }

    /// P(variables | event).
    ///
    /// # Errors
    /// When the event has probability zero, none are named, or one is named twice.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn conditional(&self, of: &[usize], given: &[(usize, usize)]) -> Result<Self, HypothesisError> {
        let total = self.probability(given);
        if total <= 0.0 {
            return Err(HypothesisError::ImpossibleEvent { what: self.words(given) });
        }
        let p = self.sums(of, given).into_iter().map(|p| (p / total).min(1.0)).collect();
        Self::new(of.iter().map(|variable| self.variables[*variable].clone()).collect(), p)
    }

    /// P(a₁, a₂, …) = P(a₁) P(a₂ | a₁) P(a₃ | a₁, a₂) …: the factors of an event, in the order of its parts. A factor whose condition is
    /// impossible is zero.
    pub fn chain_rule(&self, event: &[(usize, usize)]) -> Vec<f64> {
        let of = |n: usize| self.probability(&event[..n]);
        (0..event.len()).map(|n| if of(n) > 0.0 { of(n + 1) / of(n) } else { 0.0 }).collect()
    }

    /// P(one of these events or more | event), by inclusion and exclusion, with the terms whose sum it is: of every set of events, the
    /// smaller ones first, the probability that all of it is so, less or more by turns.
    ///
    /// # Errors
    /// When there are more than 16 events, or so many that their terms take too long on a table of this size; and when what is given has
    /// probability zero.
    pub fn either(&self, events: &[Event], given: &[(usize, usize)]) -> Result<(f64, Vec<f64>), HypothesisError> {
        const MOST: usize = 16;
        const MOST_WORK: usize = 1 << 27;
        if events.len() > MOST {
            return Err(HypothesisError::TooMany { what: "events", most: MOST, found: events.len() });
        }
        let work = self.p.len() << events.len();
        if work > MOST_WORK {
            return Err(HypothesisError::TooMany { what: "cells times the terms of these events", most: MOST_WORK, found: work });
        }
        let total = self.probability(given);
        if total <= 0.0 {
            return Err(HypothesisError::ImpossibleEvent { what: self.words(given) });
        }
        let mut terms = Vec::new();
        for size in 1..=events.len() {
            for set in (1_u32..1 << events.len()).filter(|set| set.count_ones() as usize == size) {
                let members = (0..events.len()).filter(|event| set >> event & 1 == 1);
                let all: Event = members.flat_map(|event| events[event].iter().copied()).chain(given.iter().copied()).collect();
                let sign = if size % 2 == 1 { 1.0 } else { -1.0 };
                terms.push(sign * (self.probability(&all) / total));
            }
        }
        Ok((terms.iter().sum::<f64>().clamp(0.0, 1.0), terms))
    }

    /// How far two sets of variables are from independence given a third: the greatest |P(a, b | c) − P(a | c) P(b | c)| over all states;
    /// zero but for rounding if they are independent.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn dependence(&self, a: &[usize], b: &[usize], given: &[usize]) -> f64 {
        let joint = |sets: &[&[usize]]| self.sums(&sets.concat(), &[]);
        let n = |set: &[usize]| set.iter().map(|variable| self.variables[*variable].states.len()).product::<usize>();
        let (abc, ac, bc, c) = (joint(&[a, b, given]), joint(&[a, given]), joint(&[b, given]), joint(&[given]));
        let (n_b, n_c) = (n(b), n(given));
        let mut greatest: f64 = 0.0;
        for (cell, p) in abc.iter().enumerate() {
            let (of_a, of_b, of_c) = (cell / (n_b * n_c), cell / n_c % n_b, cell % n_c);
            if c[of_c] > 0.0 {
                let apart = p / c[of_c] - ac[of_a * n_c + of_c] / c[of_c] * (bc[of_b * n_c + of_c] / c[of_c]);
                greatest = greatest.max(apart.abs());
            }
        }
        greatest
    }

    /// An event in words.
    pub fn words(&self, event: &[(usize, usize)]) -> String {
        let part =
            |(variable, state): &(usize, usize)| format!("{}={}", self.variables[*variable].name, self.variables[*variable].states[*state]);
        event.iter().map(part).collect::<Vec<_>>().join(", ")
    }

    /// Sums of cells by the states of some variables, where an event is so.
    fn sums(&self, of: &[usize], given: &[(usize, usize)]) -> Vec<f64> {
        let n_cells = of.iter().map(|variable| self.variables[*variable].states.len()).product();
        let mut sums = vec![0.0; n_cells];
        self.each_cell(|states, p| {
            if holds(given, states) {
                let place = of.iter().fold(0, |place, variable| place * self.variables[*variable].states.len() + states[*variable]);
                sums[place] += p;
            }
        });
        sums
    }
}

/// Whether an event is so where the variables have these states.
fn holds(event: &[(usize, usize)], states: &[usize]) -> bool {
    event.iter().all(|(variable, state)| states[*variable] == *state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn variable(name: &str, states: &[&str]) -> JointVariable {
        JointVariable { name: name.into(), states: states.iter().map(|state| state.to_string()).collect() }
    }

    /// Weather and person, of the lecture on Bayesian classifiers: independent, by ⟨0.72, 0.1, 0.08, 0.1⟩ and ⟨0.2, 0.8⟩.
    fn weather_and_person() -> JointTable {
        let weather = variable("Weather", &["sunny", "rain", "cloudy", "snow"]);
        let person = variable("Person", &["true", "false"]);
        JointTable::independent(vec![(person, vec![0.2, 0.8]), (weather, vec![0.72, 0.1, 0.08, 0.1])]).unwrap()
    }

    #[test]
    fn weather_times_person() {
        let table = weather_and_person();
        let expected = [0.144, 0.02, 0.016, 0.02, 0.576, 0.08, 0.064, 0.08];
        assert!(table.cells().iter().zip(expected).all(|(p, expected)| (p - expected).abs() < 1e-15));
        assert!(table.dependence(&[0], &[1], &[]) < 1e-15);
        let weather = table.conditional(&[1], &[table.state("Person", "true").unwrap()]).unwrap();
        assert!((weather.cells()[0] - 0.72).abs() < 1e-15);
        // P(sunny or person) = 0.72 + 0.2 − 0.144.
        let events = [vec![table.state("Weather", "sunny").unwrap()], vec![table.state("Person", "true").unwrap()]];
        let (p, terms) = table.either(&events, &[]).unwrap();
        assert!((p - 0.776).abs() < 1e-15 && terms.len() == 3 && (terms[2] + 0.144).abs() < 1e-15);
        let factors = table.chain_rule(&[(0, 0), (1, 0)]);
        assert!((factors[0] - 0.2).abs() < 1e-15 && (factors[1] - 0.72).abs() < 1e-15);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let two = || vec![variable("A", &["x", "y"])];
        assert!(JointTable::new(two(), vec![0.5, 0.6]).unwrap_err().to_string().contains("sum to 1.1"));
        assert!(JointTable::new(two(), vec![1.5, -0.5]).is_err() && JointTable::new(two(), vec![1.0]).is_err());
        assert!(JointTable::new(vec![variable("A", &["x"]), variable("A", &["x"])], vec![1.0]).is_err());
        assert!(JointTable::new(vec![variable("A", &["x", "x"])], vec![0.5, 0.5]).is_err());
        let many = (0..30).map(|nth| variable(&nth.to_string(), &["x", "y"])).collect();
        assert!(JointTable::new(many, vec![]).unwrap_err().to_string().contains("more than"));
        let sure = JointTable::new(two(), vec![1.0, 0.0]).unwrap();
        assert!(sure.conditional(&[0], &[(0, 1)]).unwrap_err().to_string().contains("A=y has probability zero"));
        assert!(sure.state("A", "z").unwrap_err().to_string().contains("known: x, y"));
    }

    fn tables() -> impl Strategy<Value = JointTable> {
        prop::collection::vec(1..4_usize, 1..4).prop_flat_map(|sizes| {
            let n: usize = sizes.iter().product();
            prop::collection::vec(0.01..1.0_f64, n).prop_map(move |cells| {
                let sum: f64 = cells.iter().sum();
                let states = |n: usize| (0..n).map(|state| state.to_string()).collect();
                let variables = sizes.iter().enumerate().map(|(place, n)| JointVariable { name: place.to_string(), states: states(*n) });
                JointTable::new(variables.collect(), cells.iter().map(|cell| cell / sum).collect()).unwrap()
            })
        })
    }

    proptest! {
        #[test]
        fn the_laws_of_probability(table in tables()) {
            let n = table.variables().len();
            for cell in 0..table.cells().len() {
                let event: Event = table.states_of(cell).into_iter().enumerate().collect();
                // The chain rule, in both orders.
                let back: Event = event.iter().rev().copied().collect();
                for event in [&event, &back] {
                    prop_assert!((table.chain_rule(event).iter().product::<f64>() - table.cells()[cell]).abs() < 1e-12);
                }
                // Inclusion and exclusion against the complement.
                let apart: Vec<Event> = event.iter().map(|part| vec![*part]).collect();
                let none: f64 = (0..table.cells().len())
                    .filter(|other| table.states_of(*other).iter().zip(table.states_of(cell)).all(|(a, b)| *a != b))
                    .map(|other| table.cells()[other])
                    .sum();
                prop_assert!((table.either(&apart, &[]).unwrap().0 - (1.0 - none)).abs() < 1e-12);
            }
            // Total probability: the marginal is the sum of conditionals by their conditions.
            let last = n - 1;
            let marginal = table.marginal(&[0]).unwrap();
            for state in 0..marginal.cells().len() {
                let total: f64 = (0..table.variables()[last].states.len())
                    .map(|given| table.conditional(&[0], &[(last, given)]).unwrap().cells()[state] * table.probability(&[(last, given)]))
                    .sum();
                prop_assert!((total - marginal.cells()[state]).abs() < 1e-12);
            }
            // The product of the marginals is independent; the table itself as far as it is from it.
            if n > 1 {
                let product = JointTable::independent(
                    (0..n).map(|v| (table.variables()[v].clone(), table.marginal(&[v]).unwrap().cells().to_vec())).collect(),
                ).unwrap();
                prop_assert!(product.dependence(&[0], &[1], &[]) < 1e-12);
            }
        }
    }

    /// Two coins are independent, and no longer once it is known whether they agree.
    #[test]
    fn independence_depends_on_what_is_given() {
        let cells = vec![0.25, 0.0, 0.0, 0.25, 0.0, 0.25, 0.25, 0.0];
        let table =
            JointTable::new(vec![variable("A", &["h", "t"]), variable("B", &["h", "t"]), variable("same", &["yes", "no"])], cells).unwrap();
        assert_eq!(table.dependence(&[0], &[1], &[]), 0.0);
        // Given that they agree, one of them is heads where both are.
        let heads = [vec![(0, 0)], vec![(1, 0)]];
        assert_eq!((table.either(&heads, &[]).unwrap().0, table.either(&heads, &[(2, 0)]).unwrap().0), (0.75, 0.5));
        assert_eq!(table.dependence(&[0], &[1], &[2]), 0.25);
    }
}
