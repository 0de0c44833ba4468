//! Gaps of a table, filled with what a network makes of the rest of each row.
//!
//! The most probable values are those of all gaps of a row together, given what the row has (Pearl's revision, with variables that have no
//! column summed out), and not of each by itself: together they can be. Draws are from the joint distribution of the gaps given the row,
//! one gap after another, each given those before it. A number that was cut into bins gets a number of the bin that is found so: its middle, or
//! where values are drawn any number in it (see [`super::bin_number`]).

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use belief::{Chunk, Codes, Column, Kind, ReadReport, Rng, Role, Schema, States, VarId, Variable, random_stream, uniform};
use data::{DataError, Fill, Filled, OutputFormat, ReadOptions, Table, UnknownStates};
use net::ask::{Asks, Finding, Oracle, Outcome, Question, Value};
use net::{Answer, Domain, Evidence, JunctionTree, Workspace};

use super::bin_number::number_of;
use super::{NetworkFile, columns};
use crate::Error;
use crate::remarks::list;

/// How gaps are filled.
#[derive(Clone, Default)]
pub struct ImputeOptions {
    /// How to read the table.
    pub read: ReadOptions,
    /// What becomes of a value that is no state of the network; where it is read as missing it is filled too.
    pub unknown_states: UnknownStates,
    /// Draw values by this seed; `None` takes the most probable ones.
    pub draw: Option<u64>,
    /// The most bytes that tables may take.
    pub memory: u64,
}

/// What was filled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imputed {
    /// What was met while reading.
    pub report: ReadReport,
    /// Values that were filled of each variable, by its name; those with none are left out.
    pub filled: Vec<(String, u64)>,
    /// Rows that the network gives probability zero, whose gaps are left.
    pub n_impossible: u64,
}

/// A table whose gaps are to be filled.
pub struct Imputation {
    oracle: Oracle,
    table: Table,
    is_column: Vec<bool>,
    /// Where the numbers of each variable are cut, if it is bins of numbers.
    cuts: Vec<Option<Vec<f64>>>,
    draw: Option<u64>,
    remarks: Vec<String>,
}

/// The states of a row's gaps; `None` of a row that has some and is impossible.
type GapStates = Option<Vec<(VarId, usize)>>;
/// What the gaps are filled with.
type Values = Option<Filled>;

/// Patterns whose answers are remembered.
const MOST_PATTERNS: usize = 1 << 16;

impl Imputation {
    /// Opens a table to be filled by a network, learned or not.
    ///
    /// # Errors
    /// When the network has no probabilities, its tree does not fit, or the table cannot be read or has no column of its variables.
    pub fn open(file: &NetworkFile, paths: &[impl AsRef<Path>], options: ImputeOptions) -> Result<Self, Error> {
        if file.is_structure() {
            let what = format!("{}: has arcs and no probabilities to fill gaps by", file.path.display());
            return Err(Error::unfit(what, "learn its tables first: tunbridge learn DATA --structure NET"));
        }
        let oracle = file.oracle(options.memory);
        oracle.junction_tree().map_err(Error::from)?;
        let domain = oracle.domain();
        let variable = |of: VarId| -> Result<Variable, Error> {
            let states = States::declared(domain.states(of).to_vec(), false).map_err(|e| Error::Internal(e.to_string()))?;
            Ok(Variable { name: domain.name(of).into(), kind: Kind::Categorical(states), role: Role::Input })
        };
        let schema = domain.variables().map(variable).collect::<Result<_, _>>()?;
        let schema = Schema::new(schema).map_err(|e| Error::Internal(e.to_string()))?;
        let mut read = options.read;
        if let Some(model) = file.model() {
            model.recipe().apply(&mut read);
        }
        let made = read.made.clone();
        let table = columns::open_some(paths, read, &schema, options.unknown_states)?;
        let mut remarks = table.remarks().to_vec();
        let hidden: Vec<&str> = domain.variables().filter(|of| !table.has_column(*of)).map(|of| domain.name(of)).collect();
        if !hidden.is_empty() {
            let have = if hidden.len() == 1 { "has" } else { "have" };
            remarks.push(format!("{} {have} no column and {} not filled", list(&hidden), if hidden.len() == 1 { "is" } else { "are" }));
        }
        let cuts: Vec<Option<Vec<f64>>> = domain.variables().map(|of| made.cuts.get(domain.name(of)).cloned()).collect();
        remarks.extend(remarks_on_numbers(&table, domain, &cuts, options.draw.is_some()));
        // Whether a value is missing is never missing itself.
        let is_filled = |of: VarId| match &cuts[of.index()] {
            Some(cuts) => table.has_column(of) && !cuts.is_empty(),
            None => table.has_column(of) && !made.absence_of.contains_key(domain.name(of)),
        };
        let is_column = domain.variables().map(is_filled).collect();
        Ok(Self { oracle, table, is_column, cuts, draw: options.draw, remarks })
    }

    /// What the user should know before the first row.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The table's columns as they are understood.
    pub fn schema(&self) -> &Schema {
        belief::Observations::schema(&self.table)
    }

    /// Writes every row with its gaps filled, and which they were: see [`Table::write_filled`]. The same bytes on any number of threads.
    ///
    /// # Errors
    /// When a row cannot be read or answered, or the output cannot be written.
    pub fn write(&self, format: OutputFormat, to: &mut (dyn Write + Send)) -> Result<Imputed, Error> {
        let tree = self.oracle.junction_tree().map_err(Error::from)?;
        let n = self.oracle.domain().n_variables();
        let filled: Vec<AtomicU64> = (0..n).map(|_| AtomicU64::new(0)).collect();
        let n_impossible = AtomicU64::new(0);
        let failed: Mutex<Option<Error>> = Mutex::new(None);
        let report = self.table.write_filled(format, to, |chunk: Chunk<'_>| {
            let rows = self.rows(tree, &chunk).map_err(|error| {
                failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(error);
                DataError::Columns { what: String::new(), hint: None }
            })?;
            let mut out = Vec::with_capacity(rows.len());
            for row in rows {
                n_impossible.fetch_add(u64::from(row.is_none()), Ordering::Relaxed);
                let values = row.unwrap_or_default();
                values.iter().for_each(|(of, _)| _ = filled[of.index()].fetch_add(1, Ordering::Relaxed));
                out.push(values);
            }
            Ok(out)
        });
        if let Some(error) = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            return Err(error);
        }
        let domain = self.oracle.domain();
        let counted = domain.variables().zip(filled).map(|(of, n)| (domain.name(of).to_string(), n.into_inner()));
        Ok(Imputed { report: report?, filled: counted.filter(|(_, n)| *n > 0).collect(), n_impossible: n_impossible.into_inner() })
    }

    /// What each row's gaps are.
    fn rows(&self, tree: &JunctionTree, chunk: &Chunk<'_>) -> Result<Vec<Values>, Error> {
        let domain = self.oracle.domain();
        let codes = |of: VarId| -> Option<(Codes<'_>, usize)> {
            match chunk.columns.get(of.index()) {
                Some(Column::Categorical { codes, n_states }) => Some((*codes, (*n_states).min(domain.n_states(of)))),
                _ => None,
            }
        };
        let columns: Vec<_> = domain.variables().map(codes).collect();
        let mut known: HashMap<Vec<Option<usize>>, Values> = HashMap::new();
        let mut room = Workspace::default();
        let mut rows = Vec::with_capacity(chunk.n_rows);
        for row in 0..chunk.n_rows {
            let seen: Vec<Option<usize>> = columns
                .iter()
                .map(|column| column.and_then(|(codes, n_states)| codes.get(row).filter(|state| *state < n_states)))
                .collect();
            let is_gap = |of: &VarId| seen[of.index()].is_none() && self.is_column[of.index()];
            let gaps: Vec<VarId> = domain.variables().filter(is_gap).collect();
            if gaps.is_empty() {
                rows.push(Some(Vec::new()));
                continue;
            }
            let number = chunk.first_row + row as u64;
            let at = |error: Error| error.at(format!("row {}", number + 1));
            match self.draw {
                Some(seed) => {
                    let mut rng = random_stream(seed, number);
                    let states = self.drawn(tree, &mut room, &seen, &gaps, &mut rng).map_err(at)?;
                    rows.push(self.values(states, || uniform(&mut rng)));
                }
                None => {
                    if let Some(found) = known.get(&seen) {
                        rows.push(found.clone());
                        continue;
                    }
                    let found = self.values(self.most_probable(&seen, &gaps).map_err(at)?, || 0.5);
                    if known.len() < MOST_PATTERNS {
                        known.insert(seen, found.clone());
                    }
                    rows.push(found);
                }
            }
        }
        Ok(rows)
    }

    /// What stands in the table for states; `place` says where in a bin.
    fn values(&self, states: GapStates, mut place: impl FnMut() -> f64) -> Values {
        let domain = self.oracle.domain();
        let mut value = |(of, state): (VarId, usize)| {
            let fill = match &self.cuts[of.index()] {
                None => Fill::State(domain.states(of)[state].clone()),
                Some(cuts) => Fill::Number(number_of(cuts, state, place())?),
            };
            Some((of, fill))
        };
        states.map(|states| states.into_iter().filter_map(&mut value).collect())
    }

    fn most_probable(&self, seen: &[Option<usize>], gaps: &[VarId]) -> Result<GapStates, Error> {
        let domain = self.oracle.domain();
        let finding = |of: VarId| Some(Finding::state(domain, of, seen[of.index()]?));
        let question = Question {
            asks: Asks::Best { n_best: 1, variables: gaps.to_vec() },
            findings: domain.variables().filter_map(finding).collect(),
            each: Vec::new(),
        };
        Ok(match self.oracle.reply(&question).map_err(Error::from)?.outcome {
            Outcome::Found { value: Value::Best(best), .. } => best.into_iter().next().map(|one| one.states),
            _ => None,
        })
    }

    fn drawn(
        &self,
        tree: &JunctionTree,
        room: &mut Workspace,
        seen: &[Option<usize>],
        gaps: &[VarId],
        rng: &mut impl Rng,
    ) -> Result<GapStates, Error> {
        let domain = self.oracle.domain();
        let of_net = |e: net::NetError| Error::from(net::ask::AskError::from(e));
        let mut evidence = Evidence::none();
        for (of, state) in domain.variables().zip(seen) {
            if let Some(state) = state {
                evidence.observe(domain, of, *state).map_err(of_net)?;
            }
        }
        let mut values = Vec::with_capacity(gaps.len());
        for of in gaps {
            let Answer::Possible { answer, .. } = tree.posteriors_in(room, &evidence, &[*of]).map_err(of_net)? else { return Ok(None) };
            let p = answer.marginal(*of);
            let u = uniform(rng) * p.iter().sum::<f64>();
            let mut sum = 0.0;
            let found = p.iter().position(|p| {
                sum += p;
                u < sum
            });
            let state = found.or_else(|| p.iter().rposition(|p| *p > 0.0)).unwrap_or(0);
            evidence.observe(domain, *of, state).map_err(of_net)?;
            values.push((*of, state));
        }
        Ok(Some(values))
    }
}

/// What numbers that were cut into bins are filled with, and which are not.
fn remarks_on_numbers(table: &Table, domain: &Domain, cuts: &[Option<Vec<f64>>], draws: bool) -> Vec<String> {
    let named = |has_cuts: bool| -> Vec<&str> {
        let is_so = |of: &VarId| table.has_column(*of) && cuts[of.index()].as_ref().is_some_and(|cuts| cuts.is_empty() != has_cuts);
        domain.variables().filter(is_so).map(|of| domain.name(of)).collect()
    };
    let mut remarks = Vec::new();
    let numbers = named(true);
    if !numbers.is_empty() {
        let are = if numbers.len() == 1 { "is a number, and a gap of it gets" } else { "are numbers, and a gap of them gets" };
        let how = if draws { "any number of the bin that is drawn" } else { "the middle of the most probable bin" };
        remarks.push(format!("{} {are} {how}; an outermost bin has one end, which stands for it", list(&numbers)));
    }
    let whole = named(false);
    if !whole.is_empty() {
        let have = if whole.len() == 1 { "has one bin only, and is" } else { "have one bin only, and are" };
        remarks.push(format!("{} {have} not filled: learn the network with cut points, as by --numeric bins:frequency:5", list(&whole)));
    }
    remarks
}
