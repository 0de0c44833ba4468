//! An expression compiled to a flat list of steps, which runs over many rows at once.
//!
//! Each step writes one register. Steps that depend on no varying name run once; the others run over blocks of rows, one step
//! over a whole block at a time, so that choosing the step costs little and the loops over doubles are plain. Equal steps are
//! made once. Both sides of an `if` are computed and one is taken.

use super::densities::Density;
use super::function::Function;
use super::tree::Tree;

/// Rows that a step runs over at a time.
pub(super) const BLOCK: usize = 64;
/// The most arguments of a step: a call's four, and the dear part of a density.
const MOST_ARGUMENTS: usize = 5;

/// Where a step finds a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum From {
    /// A literal.
    Number(f64),
    /// The value of a name that is the same for all rows.
    Name(usize),
    /// A column of a varying name.
    Column(usize),
    /// What a step that runs once made.
    Once(usize),
    /// What a step that runs for every row made.
    Row(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) function: Function,
    pub(super) arguments: Vec<From>,
}

/// A compiled expression over names in a fixed order, some of them the same for all rows, some varying from row to row.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) once: Vec<Step>,
    pub(super) rows: Vec<Step>,
    pub(super) result: From,
    /// For each name, its column if it varies.
    columns: Vec<Option<usize>>,
}

/// Memory that runs of a program use again.
#[derive(Clone, Debug)]
pub struct Registers {
    once: Vec<f64>,
    rows: Vec<[f64; BLOCK]>,
    pub(super) out: [f64; BLOCK],
}

impl Default for Registers {
    fn default() -> Self {
        Self { once: Vec::new(), rows: Vec::new(), out: [0.0; BLOCK] }
    }
}

impl Program {
    /// Compiles a tree whose names are all among these.
    pub(crate) fn new(tree: &Tree, names: &[&str], varying: &[bool]) -> Self {
        let mut n_columns = 0;
        let columns = varying.iter().map(|varies| {
            n_columns += usize::from(*varies);
            varies.then(|| n_columns - 1)
        });
        let mut program = Self { once: Vec::new(), rows: Vec::new(), result: From::Number(f64::NAN), columns: columns.collect() };
        program.result = program.compile(tree, names);
        program
    }

    /// Runs it for every row.
    ///
    /// `values` has one number for each name (those of varying names are not looked at), `columns` one slice of `out`'s length for
    /// each varying name, in the names' order.
    ///
    /// # Panics
    /// If a slice is shorter than `out`, or there are too few of them.
    pub fn run(&self, values: &[f64], columns: &[&[f64]], registers: &mut Registers, out: &mut [f64]) {
        self.run_once(values, registers);
        let mut start = 0;
        while start < out.len() {
            let n = BLOCK.min(out.len() - start);
            self.run_rows(values, columns, registers, start, n);
            out[start..start + n].copy_from_slice(&registers.out[..n]);
            start += n;
        }
    }

    /// Runs the steps that are the same for all rows.
    pub(super) fn run_once(&self, values: &[f64], registers: &mut Registers) {
        registers.once.clear();
        for step in &self.once {
            let mut arguments = [0.0; MOST_ARGUMENTS];
            for (value, from) in arguments.iter_mut().zip(&step.arguments) {
                *value = constant_of(*from, values, &registers.once).unwrap_or(f64::NAN);
            }
            registers.once.push(step.function.value(&arguments[..step.arguments.len()]));
        }
        registers.rows.resize(self.rows.len().max(registers.rows.len()), [0.0; BLOCK]);
    }

    /// Runs the other steps over a block of rows, after [`Self::run_once`]; the results are in `registers.out`.
    #[inline(always)]
    pub(super) fn run_rows(&self, values: &[f64], columns: &[&[f64]], registers: &mut Registers, start: usize, n: usize) {
        let Registers { once, rows, out } = registers;
        for (at, step) in self.rows.iter().enumerate() {
            let (before, after) = rows.split_at_mut(at);
            let one = |from: From| constant_of(from, values, once);
            let many = |from: From| rows_of(from, columns, before, start, n);
            run_block(step, &mut after[0][..n], one, many);
        }
        let out = &mut out[..n];
        match self.result {
            From::Row(at) => out.copy_from_slice(&rows[at][..n]),
            From::Column(column) => out.copy_from_slice(&columns[column][start..start + n]),
            from => out.fill(constant_of(from, values, once).unwrap_or(f64::NAN)),
        }
    }

    fn compile(&mut self, tree: &Tree, names: &[&str]) -> From {
        match tree {
            Tree::Number(value) => From::Number(*value),
            Tree::Name(name) => match names.iter().position(|known| known == name) {
                Some(at) => self.columns[at].map_or(From::Name(at), From::Column),
                None => From::Number(super::tree::constant(name).unwrap_or(f64::NAN)),
            },
            Tree::Call(function, arguments) => {
                let arguments: Vec<From> = arguments.iter().map(|argument| self.compile(argument, names)).collect();
                match function {
                    // A dear part is a step of its own, which runs as seldom as what it depends on changes.
                    Function::LnDensity(density) if !density.dear_arguments().is_empty() => {
                        let needed = density.dear_arguments().iter().map(|place| arguments[*place]).collect();
                        let part = self.step(Function::DearPart(*density), needed);
                        self.step(Function::LnDensityWith(*density), arguments.into_iter().chain([part]).collect())
                    }
                    _ => self.step(*function, arguments),
                }
            }
            Tree::Chain(first, rest) => {
                let mut left = self.compile(first, names);
                let mut holds = From::Number(1.0);
                for (comparison, right) in rest {
                    let right = self.compile(right, names);
                    let this = self.step(*comparison, vec![left, right]);
                    holds = self.step(Function::And, vec![holds, this]);
                    left = right;
                }
                holds
            }
        }
    }

    fn step(&mut self, function: Function, arguments: Vec<From>) -> From {
        let varies = arguments.iter().any(|from| matches!(from, From::Column(_) | From::Row(_)));
        let step = Step { function, arguments };
        let steps = if varies { &mut self.rows } else { &mut self.once };
        let at = steps.iter().position(|known| *known == step).unwrap_or_else(|| {
            steps.push(step);
            steps.len() - 1
        });
        if varies { From::Row(at) } else { From::Once(at) }
    }
}

/// The one value of what does not vary.
fn constant_of(from: From, values: &[f64], once: &[f64]) -> Option<f64> {
    match from {
        From::Number(value) => Some(value),
        From::Name(name) => Some(values[name]),
        From::Once(at) => Some(once[at]),
        From::Column(_) | From::Row(_) => None,
    }
}

/// The rows of what varies.
fn rows_of<'a>(from: From, columns: &[&'a [f64]], before: &'a [[f64; BLOCK]], start: usize, n: usize) -> Option<&'a [f64]> {
    match from {
        From::Column(column) => Some(&columns[column][start..start + n]),
        From::Row(at) => Some(&before[at][..n]),
        _ => None,
    }
}

/// One step over one block. The commonest functions have loops of their own, which compile to vector instructions; the others go
/// through [`Function::value`] row by row.
#[inline(always)]
fn run_block<'a>(step: &Step, out: &mut [f64], one: impl Fn(From) -> Option<f64>, many: impl Fn(From) -> Option<&'a [f64]>) {
    let operand = |from: &From| match many(*from) {
        Some(rows) => Operand::Rows(rows),
        None => Operand::One(one(*from).unwrap_or(f64::NAN)),
    };
    match (step.function, &step.arguments[..]) {
        (Function::Add, [a, b]) => binary(out, operand(a), operand(b), |a, b| a + b),
        (Function::Subtract, [a, b]) => binary(out, operand(a), operand(b), |a, b| a - b),
        (Function::Multiply, [a, b]) => binary(out, operand(a), operand(b), |a, b| a * b),
        (Function::Divide, [a, b]) => binary(out, operand(a), operand(b), |a, b| a / b),
        (Function::Power, [a, From::Number(2.0)]) => binary(out, operand(a), Operand::One(0.0), |a, _| a * a),
        (Function::Negate, [a]) => binary(out, operand(a), Operand::One(0.0), |a, _| -a),
        (Function::Abs, [a]) => binary(out, operand(a), Operand::One(0.0), |a, _| a.abs()),
        (Function::Sqrt, [a]) => binary(out, operand(a), Operand::One(0.0), |a, _| a.sqrt()),
        (Function::Exp, [a]) => binary(out, operand(a), Operand::One(0.0), |a, _| a.exp()),
        (Function::Ln, [a]) => binary(out, operand(a), Operand::One(0.0), |a, _| a.ln()),
        (Function::LnProduct, [a, b]) => binary(out, operand(a), operand(b), |a, b| Function::LnProduct.value(&[a, b])),
        (Function::LnQuotient, [a, b]) => binary(out, operand(a), operand(b), |a, b| Function::LnQuotient.value(&[a, b])),
        (Function::LnSum, [a, b]) => binary(out, operand(a), operand(b), |a, b| Function::LnSum.value(&[a, b])),
        (Function::LessOrEqual, [a, b]) => binary(out, operand(a), operand(b), |a, b| Function::LessOrEqual.value(&[a, b])),
        (Function::LnDensity(Density::Normal), [x, mean, variance]) if one(*variance).is_some() => {
            let variance = one(*variance).unwrap_or(f64::NAN);
            if variance > 0.0 {
                let constant = (2.0 * std::f64::consts::PI).ln() + variance.ln();
                binary(out, operand(x), operand(mean), |x, mean| {
                    let apart = x - mean;
                    -0.5 * (constant + apart * apart / variance)
                });
                // What is infinite or no number is rare, and has rules of its own.
                if out.iter().all(|ln_p| ln_p.is_finite()) {
                    return;
                }
            }
            any(step, out, operand);
        }
        _ => any(step, out, operand),
    }
}

/// What a step runs over.
#[derive(Clone, Copy)]
enum Operand<'a> {
    One(f64),
    Rows(&'a [f64]),
}

/// A function of two numbers over a block.
#[inline(always)]
fn binary(out: &mut [f64], a: Operand<'_>, b: Operand<'_>, f: impl Fn(f64, f64) -> f64) {
    match (a, b) {
        (Operand::Rows(a), Operand::One(b)) => out.iter_mut().zip(a).for_each(|(out, a)| *out = f(*a, b)),
        (Operand::One(a), Operand::Rows(b)) => out.iter_mut().zip(b).for_each(|(out, b)| *out = f(a, *b)),
        (Operand::Rows(a), Operand::Rows(b)) => out.iter_mut().zip(a).zip(b).for_each(|((out, a), b)| *out = f(*a, *b)),
        (Operand::One(a), Operand::One(b)) => out.fill(f(a, b)),
    }
}

/// Any function over a block, row by row.
fn any<'a>(step: &Step, out: &mut [f64], operand: impl Fn(&From) -> Operand<'a>) {
    let mut arguments = [0.0; MOST_ARGUMENTS];
    let n = step.arguments.len();
    let mut varying: [&[f64]; MOST_ARGUMENTS] = [&[]; MOST_ARGUMENTS];
    for (place, from) in step.arguments.iter().enumerate() {
        match operand(from) {
            Operand::Rows(rows) => varying[place] = rows,
            Operand::One(value) => arguments[place] = value,
        }
    }
    for (row, out) in out.iter_mut().enumerate() {
        for (argument, rows) in arguments[..n].iter_mut().zip(&varying) {
            if let Some(value) = rows.get(row) {
                *argument = *value;
            }
        }
        *out = step.function.value(&arguments[..n]);
    }
}
