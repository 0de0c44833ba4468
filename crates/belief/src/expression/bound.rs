//! A program whose rows are known: what depends on the rows alone is computed once, and equal rows are computed once.
//!
//! A likelihood is evaluated some hundred thousand times over the same rows. x², ln x or the factorial of a Poisson's count become
//! columns of their own; a hundred thousand counts of which thirty differ become thirty rows with the number of times each occurs.

use std::collections::HashMap;

use super::program::{BLOCK, From, Program, Registers};
use crate::CompensatedSum;

/// Sums are made of so many sums side by side, in which additions need not wait for one another.
const LANES: usize = 8;
/// Rows of which equal ones are looked for first, before all are looked at.
const FIRST: usize = 1000;

/// A program and its rows.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    program: Program,
    columns: Vec<Vec<f64>>,
    /// How often each row occurs; `None` if each stands for itself.
    times: Option<Vec<f64>>,
    n_rows: usize,
}

impl Bound {
    /// Binds a program to its columns, of one length.
    pub(crate) fn new(program: &Program, columns: &[&[f64]]) -> Self {
        let n_rows = columns.first().map_or(0, |column| column.len());
        let grouped = if columns.is_empty() { None } else { group(columns, n_rows) };
        let (mut columns, times) = match grouped {
            Some((rows, times)) => (columns.iter().map(|column| rows.iter().map(|row| column[*row]).collect()).collect(), Some(times)),
            None => (columns.iter().map(|column| column.to_vec()).collect::<Vec<Vec<f64>>>(), None),
        };
        let n_rows = times.as_ref().map_or(n_rows, Vec::len);
        let program = hoist(program, &mut columns, n_rows);
        Self { program, columns, times, n_rows }
    }

    /// Rows that differ from one another, if equal ones were looked for.
    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The sum of the program's values over all rows; −∞ if one of them is, whatever the others are, and NaN if one is plus infinity or
    /// no number.
    ///
    /// Blocks are summed in lanes, and the blocks' sums are compensated.
    pub(crate) fn sum(&self, values: &[f64], registers: &mut Registers) -> f64 {
        pulp::Arch::new().dispatch(SumOf { of: self, values, registers })
    }

    #[inline(always)]
    fn sum_of_blocks(&self, values: &[f64], registers: &mut Registers) -> f64 {
        let columns: Vec<&[f64]> = self.columns.iter().map(Vec::as_slice).collect();
        self.program.run_once(values, registers);
        let mut total = CompensatedSum::default();
        let mut sound = true;
        let mut start = 0;
        while start < self.n_rows {
            let n = BLOCK.min(self.n_rows - start);
            self.program.run_rows(values, &columns, registers, start, n);
            let out = &mut registers.out[..n];
            if let Some(times) = &self.times {
                out.iter_mut().zip(&times[start..]).for_each(|(value, times)| *value *= times);
            }
            let block = in_lanes(out);
            if block.is_finite() {
                total.add(block);
            } else if out.contains(&f64::NEG_INFINITY) {
                return f64::NEG_INFINITY;
            } else {
                sound = false;
            }
            start += n;
        }
        if sound { total.value() } else { f64::NAN }
    }
}

/// A sum in the widest vectors of the machine; wider ones round as narrow ones do.
struct SumOf<'a> {
    of: &'a Bound,
    values: &'a [f64],
    registers: &'a mut Registers,
}

impl pulp::WithSimd for SumOf<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<V: pulp::Simd>(self, _: V) -> f64 {
        self.of.sum_of_blocks(self.values, self.registers)
    }
}

#[inline(always)]
fn in_lanes(values: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (whole, rest) = values.as_chunks::<LANES>();
    for chunk in whole {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += value;
        }
    }
    for (lane, value) in lanes.iter_mut().zip(rest) {
        *lane += value;
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// The first of each set of equal rows, and how often it occurs, in the order of the rows; `None` if there are few equal ones.
fn group(columns: &[&[f64]], n_rows: usize) -> Option<(Vec<usize>, Vec<f64>)> {
    let mut known: HashMap<Vec<u64>, usize> = HashMap::new();
    let (mut rows, mut times) = (Vec::new(), Vec::new());
    for row in 0..n_rows {
        if row == FIRST && rows.len() > FIRST / 2 {
            return None;
        }
        let key = columns.iter().map(|column| column[row].to_bits()).collect();
        let at = *known.entry(key).or_insert(rows.len());
        if at == rows.len() {
            rows.push(row);
            times.push(0.0);
        }
        times[at] += 1.0;
    }
    (rows.len() <= n_rows / 2).then_some((rows, times))
}

/// The program with every step that depends on the rows alone made a column, if another step uses it.
fn hoist(program: &Program, columns: &mut Vec<Vec<f64>>, n_rows: usize) -> Program {
    let mut known: Vec<bool> = Vec::with_capacity(program.rows.len());
    for step in &program.rows {
        let of_rows = |from: &From| match from {
            From::Number(_) | From::Column(_) => true,
            From::Row(at) => known[*at],
            From::Name(_) | From::Once(_) => false,
        };
        let known_here = step.arguments.iter().all(of_rows);
        known.push(known_here);
    }
    let used = |at: usize| {
        let by_others = program.rows.iter().zip(&known).any(|(step, known)| !known && step.arguments.contains(&From::Row(at)));
        by_others || program.result == From::Row(at)
    };
    // What is known now, and what is left for later; where each step of the whole went.
    let (mut before, mut later) = (program.clone(), program.clone());
    before.once.clear();
    before.rows.clear();
    later.rows.clear();
    let (mut in_before, mut in_later): (Vec<From>, Vec<From>) = (Vec::new(), Vec::new());
    let n_given = columns.len();
    for (at, step) in program.rows.iter().enumerate() {
        let (into, places) = if known[at] { (&mut before.rows, &in_before) } else { (&mut later.rows, &in_later) };
        let mut step = step.clone();
        for from in &mut step.arguments {
            if let From::Row(of) = *from {
                *from = places[of];
            }
        }
        into.push(step);
        let place = From::Row(into.len() - 1);
        in_before.push(place);
        in_later.push(if !known[at] {
            place
        } else if used(at) {
            before.result = place;
            let mut out = vec![0.0; n_rows];
            let given: Vec<&[f64]> = columns[..n_given].iter().map(Vec::as_slice).collect();
            before.run(&[], &given, &mut Registers::default(), &mut out);
            columns.push(out);
            From::Column(columns.len() - 1)
        } else {
            // Nothing that is left refers to it.
            From::Number(f64::NAN)
        });
    }
    if let From::Row(at) = later.result {
        later.result = in_later[at];
    }
    later
}

#[cfg(test)]
mod tests {
    use super::super::Expression;
    use super::*;
    use proptest::prelude::*;

    const DENSITIES: [&str; 6] = [
        "poisson(x, θ*w)",
        "normal(x, θ*w², σ²)",
        "exp(-(ln(x + 1) - θ)²/(2*σ²))/sqrt(2*pi*σ²)/(x + 1)",
        "if(x <= θ, 1/θ, 0)",
        "student_t(x, σ, θ + w, 2)",
        "x*w",
    ];

    fn program(text: &str) -> Program {
        let names = ["x", "w", "θ", "σ"];
        Expression::parse(text).unwrap().ln_program(&names, &[true, true, false, false], &[(0.0, f64::INFINITY); 4]).unwrap()
    }

    proptest! {
        /// Rows that repeat and rows that do not, blocks that are full and not.
        #[test]
        fn the_sum_is_that_of_the_rows(
            which in 0..DENSITIES.len(),
            rows in prop::collection::vec((0..30_u8, 1..3_u8), 0..300),
            fine in proptest::bool::ANY,
            theta in 0.1..20.0_f64,
            sigma in 0.1..5.0_f64,
        ) {
            let program = program(DENSITIES[which]);
            let jitter = |at: usize| if fine && which != 0 { at as f64 * 1e-3 } else { 0.0 };
            let x: Vec<f64> = rows.iter().enumerate().map(|(at, (x, _))| f64::from(*x) + jitter(at)).collect();
            let w: Vec<f64> = rows.iter().map(|(_, w)| f64::from(*w)).collect();
            let bound = Bound::new(&program, &[&x, &w]);
            let mut out = vec![0.0; rows.len()];
            let values = [0.0, 0.0, theta, sigma];
            program.run(&values, &[&x, &w], &mut Registers::default(), &mut out);
            let expected: f64 = out.iter().sum();
            let found = bound.sum(&values, &mut Registers::default());
            let size: f64 = out.iter().map(|value| value.abs()).sum();
            prop_assert!(found == expected || (found - expected).abs() <= 1e-12 * size, "{found} for {expected}");
        }
    }

    #[test]
    fn what_the_rows_decide_is_a_column_and_equal_rows_are_one() {
        let counts: Vec<f64> = (0..5000).map(|row| f64::from(row % 7)).collect();
        let hours = vec![2.0; 5000];
        let bound = Bound::new(&program("poisson(x, θ*w)"), &[&counts, &hours]);
        assert_eq!((bound.n_rows, bound.columns.len()), (7, 3), "the factorial is a third column");
        let distinct: Vec<f64> = (0..5000).map(f64::from).collect();
        assert_eq!(Bound::new(&program("poisson(x, θ*w)"), &[&distinct, &hours]).n_rows, 5000);
    }

    /// One impossible row decides, whatever stands beside it; without one, a row that is no number does.
    #[test]
    fn impossible_rows_and_rows_that_are_no_numbers() {
        let sum = |text: &str, x: &[f64], theta: f64| {
            Bound::new(&program(text), &[x, &vec![1.0; x.len()]]).sum(&[0.0, 0.0, theta, 1.0], &mut Registers::default())
        };
        let many: Vec<f64> = (0..200).map(f64::from).collect();
        assert_eq!(sum("if(x <= θ, 1/θ, 0)", &many, 100.0), f64::NEG_INFINITY);
        assert_eq!(sum("if(x == 3, ln(0 - x - 1), if(x == 190, 0*w, 1/θ))", &many, 100.0), f64::NEG_INFINITY);
        assert!(sum("if(x == 3, ln(0 - x - 1), 1/θ)", &many, 100.0).is_nan());
        assert!(sum("1/(x - θ)²", &[1.0, 2.0], 2.0).is_nan());
        assert_eq!(sum("1/(x - θ)²", &[], 2.0), 0.0);
    }
}
