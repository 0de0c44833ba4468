//! The same questions of every row of a table: its columns are findings of the variables of their names.
//!
//! A question about a few variables is answered by the requisite part of each row, and equal parts once ([`net::requisite_part`]); all else, and what is
//! beyond that, by the junction tree, compiled when it is first needed, or by elimination.

use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use belief::{Chunk, Code, Column, Kind, ReadReport, Role, Schema, States, Variable, for_codes};
use data::{DataError, PassedOn, ReadOptions, RowText, Table, UnknownStates};
use net::ask::{AskError, Asks, Engine, Finding, FindingKind, Oracle, Outcome, Question, Table as Joint, Value};
use net::query::Query;
use net::requisite_part::{Memo, RequisiteParts, RowPosterior, UNSEEN};
use net::{Answer, Evidence, JointDistribution, NetError, VarId, Workspace};

use crate::Error;

/// So many rows are answered before they are written; memory is bounded by it.
const WAVE: usize = 4096;
/// So many rows one thread answers at a time.
const TOGETHER: usize = 128;
/// So many rows are read and, where their requisite parts say all, answered by one thread.
const CHUNK: usize = 1024;
/// The largest joint that is remembered row by row.
const SMALL_JOINT: usize = 4096;

/// Questions of rows, and the table they are put to.
pub struct RowQuestions<'o> {
    oracle: &'o Oracle,
    questions: Vec<RowQuestion>,
    table: Table,
    /// What the user should know before the first answer.
    remarks: Vec<String>,
    n_threads: usize,
    /// Whether the probability of each row's findings is wanted.
    with_ln_p: bool,
    /// What the rows are passed on as, if they are.
    passed_on: Option<RowText>,
}

/// A row that is still to be answered.
struct Row<'r> {
    /// From 0.
    number: u64,
    /// A state for each variable, or [`UNSEEN`].
    states: &'r [u32],
    /// The row as it is passed on.
    passed_on: &'r [u8],
}

/// What some rows say, row by row.
#[derive(Default)]
struct Findings {
    first_row: u64,
    n_variables: usize,
    states: Vec<u32>,
}

impl Findings {
    fn of(chunk: &Chunk<'_>, rows: Range<usize>, n_variables: usize) -> Self {
        let mut findings = Self { first_row: 0, n_variables, states: Vec::new() };
        findings.take(chunk, rows);
        findings
    }

    /// What some rows of a chunk say, in place of what is there.
    fn take(&mut self, chunk: &Chunk<'_>, rows: Range<usize>) {
        self.first_row = chunk.first_row + rows.start as u64;
        self.states.clear();
        self.states.resize(rows.len() * self.n_variables, UNSEEN);
        for (place, column) in chunk.columns.iter().take(self.n_variables).enumerate() {
            if let Column::Categorical { codes, n_states } = column {
                for_codes!(*codes, codes => put(&mut self.states, (place, self.n_variables), &codes[rows.clone()], *n_states));
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = &[u32]> {
        self.states.chunks_exact(self.n_variables.max(1))
    }
}

/// Puts the states of a column into its place of each row.
fn put<C: Code>(rows: &mut [u32], (place, n_variables): (usize, usize), codes: &[C], n_states: usize) {
    for (row, code) in rows.chunks_exact_mut(n_variables).zip(codes) {
        let state = code.place(n_states);
        row[place] = if state < n_states { state as u32 } else { UNSEEN };
    }
}

/// What `work` makes of each part, in order.
pub(super) fn in_parallel<T: Sync, R: Send>(n_threads: usize, parts: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let n_threads = n_threads.min(parts.len());
    if n_threads <= 1 {
        return parts.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut made = Vec::new();
        while let Some((place, part)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|place| Some((place, parts.get(place)?))) {
            made.push((place, work(part)));
        }
        made
    };
    let mut made: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..n_threads).map(|_| scope.spawn(worker)).collect();
        let mut made = worker();
        for other in workers {
            made.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        made
    });
    made.sort_by_key(|(place, _)| *place);
    made.into_iter().map(|(_, made)| made).collect()
}

/// A question with what its rows do not change.
struct RowQuestion {
    question: Question,
    /// Whether a column of the variable is evidence: not where it is asked for.
    is_evidence: Vec<bool>,
    /// What is known in every row; `None` where that is to be fitted (Jeffrey's rule), or contradicts itself.
    known: Option<Evidence>,
    /// The variables whose distributions are the answer, or make it.
    wanted: Vec<VarId>,
    /// The variables whose joint is all that is needed, and the model prepared for it.
    parts: Option<(Vec<VarId>, RequisiteParts)>,
}

/// Room of one thread: for messages, and what was found of parts, question by question.
#[derive(Default)]
struct Room {
    findings: Findings,
    messages: Workspace,
    memos: Vec<Memo>,
}

/// What a row makes of a question.
#[derive(Clone, Debug, PartialEq)]
pub enum RowAnswer {
    /// An answer.
    Found(Outcome),
    /// An answer without the probability of the row's findings, which nobody wants ([`RowQuestions::without_ln_p`]).
    FoundAlone(Value),
    /// The network gives the row's findings probability zero.
    Impossible,
}

impl RowAnswer {
    /// ln P(findings); `None` where they are impossible, or it was not wanted.
    pub fn ln_p_evidence(&self) -> Option<f64> {
        match self {
            RowAnswer::Found(Outcome::Found { ln_p_evidence, .. } | Outcome::EachState { ln_p_evidence, .. }) => Some(*ln_p_evidence),
            _ => None,
        }
    }
}

impl<'o> RowQuestions<'o> {
    /// Opens the table. Without questions, how probable each row is, is asked; `findings` hold for every row.
    ///
    /// # Errors
    /// When a question cannot be asked of rows, or the table cannot be read or has no column of a variable's name.
    pub fn open(
        oracle: &'o Oracle,
        queries: &[Query],
        findings: &[Finding],
        paths: &[impl AsRef<Path>],
        (read, unknown): (ReadOptions, UnknownStates),
    ) -> Result<Self, Error> {
        let domain = oracle.domain();
        let mut questions = Vec::new();
        for query in queries {
            let mut question = oracle.question(query).map_err(Error::from)?;
            if matches!(question.asks, Asks::Independence { .. }) {
                return Err(Error::unfit(format!("`{query}` speaks of the graph, and no row changes that"), "ask it without --rows"));
            }
            // What is most probable of everything is asked given the row, not without it.
            let asked = if matches!(query, Query::MostProbableExplanation { .. }) { Vec::new() } else { question.asked() };
            question.findings.extend_from_slice(findings);
            let mut is_evidence = vec![true; domain.n_variables()];
            asked.iter().chain(&question.each).for_each(|variable| is_evidence[variable.index()] = false);
            questions.push(RowQuestion::new(oracle, question, is_evidence)?);
        }
        if questions.is_empty() {
            let question = Question {
                asks: Asks::Probability { variables: Vec::new(), events: Vec::new() },
                findings: findings.to_vec(),
                each: Vec::new(),
            };
            questions.push(RowQuestion::new(oracle, question, vec![true; domain.n_variables()])?);
        }
        let variable = |of: VarId| -> Result<Variable, Error> {
            let states = States::declared(domain.states(of).to_vec(), false).map_err(|e| Error::Internal(e.to_string()))?;
            let is_read = questions.iter().any(|question| question.is_evidence[of.index()]);
            let role = if is_read { Role::Input } else { Role::Ignored("it is asked for".into()) };
            Ok(Variable { name: domain.name(of).into(), kind: Kind::Categorical(states), role })
        };
        let schema =
            Schema::new(domain.variables().map(variable).collect::<Result<_, _>>()?).map_err(|e| Error::Internal(e.to_string()))?;
        let (n_threads, names) = (read.n_threads(), read.names.clone());
        let table = Table::open_some(paths, read, &schema, unknown)?.in_chunks_of(CHUNK);
        let mut remarks = table.remarks().to_vec();
        let columns = table.column_names();
        let strange: Vec<&String> = table.passed_over().collect();
        if !strange.is_empty() {
            let are = if strange.len() == 1 { "column is" } else { "columns are" };
            remarks.push(format!("{} {are} passed over, for the network has no such variable: {}", strange.len(), listed(&strange)));
            // A variable that another column is of is not what is meant.
            let has_column = |variable: &str| columns.iter().any(|column| names.variable(column) == variable);
            let lacking = || domain.names().iter().map(String::as_str).filter(|variable| !has_column(variable));
            for name in strange {
                if let Some(near) = belief::closest(name, lacking()) {
                    remarks.push(format!("the column `{name}` is passed over: did you mean `{near}`?"));
                }
            }
        }
        let asked: Vec<&String> = columns
            .iter()
            .filter(|name| {
                domain.find(names.variable(name)).is_ok_and(|v| questions.iter().any(|question| !question.is_evidence[v.index()]))
            })
            .collect();
        if !asked.is_empty() {
            let columns = if asked.len() == 1 { "a column is" } else { "columns are" };
            remarks.push(format!("{columns} asked for and so no evidence: {}", listed(&asked)));
        }
        Ok(Self { oracle, questions, table, remarks, n_threads, with_ln_p: true, passed_on: None })
    }

    /// Without the probability of each row's findings where the answer does not need it: [`RowAnswer::FoundAlone`]. The answers are the same, and
    /// sooner there.
    #[must_use]
    pub fn without_ln_p(self) -> Self {
        Self { with_ln_p: false, ..self }
    }

    /// With every row as it stands, in this form, for whoever writes the answers.
    ///
    /// # Errors
    /// When there are several files and their columns are not the same.
    pub fn passing_rows_on(self, text: RowText) -> Result<Self, Error> {
        self.table.passed_on_names()?;
        Ok(Self { passed_on: Some(text), ..self })
    }

    /// The names of the table's columns, in their order.
    pub fn column_names(&self) -> &[String] {
        self.table.column_names()
    }

    /// What the user should know before the first answer.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The table's columns as they are understood.
    pub fn schema(&self) -> &Schema {
        belief::Observations::schema(&self.table)
    }

    /// Answers for every row: `write` is given the answers to each of them, one for every question, and the row as it is passed on, if it is; what it makes
    /// of some rows is handed on in the order of the rows. One compiled tree is shared by all threads.
    ///
    /// # Errors
    /// When a row cannot be read or answered, or `take` fails.
    pub fn answer<R: Default + Send>(
        &self,
        write: impl Fn(&mut R, &[RowAnswer], &[u8]) + Sync,
        mut take: impl FnMut(R) -> Result<(), DataError>,
    ) -> Result<ReadReport, Error> {
        // What threads have found goes on from wave to wave.
        let rooms: Mutex<Vec<Room>> = Mutex::new(Vec::new());
        let n_variables = self.oracle.domain().n_variables();
        let mut failed = None;
        let report = self.table.each_chunk_passed_on(
            self.passed_on,
            |chunk, texts| {
                let (made, n_done) = self.begin(&rooms, &chunk, &texts, &write);
                let left = Findings::of(&chunk, n_done..chunk.n_rows, n_variables);
                let texts = if n_done < chunk.n_rows { texts } else { PassedOn::default() };
                Ok((made, left, n_done, texts))
            },
            |(made, left, n_done, texts): (R, Findings, usize, PassedOn)| {
                take(made)?;
                let row = |(place, states)| Row { number: left.first_row + place as u64, states, passed_on: texts.row(n_done + place) };
                // What is left is dear: the rows of a chunk, however few, are shared among the threads.
                for wave in left.all().enumerate().map(row).collect::<Vec<_>>().chunks(WAVE) {
                    let parts: Vec<&[Row<'_>]> = wave.chunks(TOGETHER).collect();
                    for made in in_parallel(self.n_threads, &parts, |part| self.some(&rooms, part, &write)) {
                        match made {
                            Ok(made) => take(made)?,
                            Err(error) => {
                                failed = Some(error);
                                return Err(DataError::Columns { what: String::new(), hint: None });
                            }
                        }
                    }
                }
                Ok(())
            },
        );
        match failed {
            Some(error) => Err(error),
            None => Ok(report?),
        }
    }

    /// Answers the rows of a chunk as long as their requisite parts say all, and tells how many these are.
    fn begin<R: Default>(
        &self,
        rooms: &Mutex<Vec<Room>>,
        chunk: &Chunk<'_>,
        texts: &PassedOn,
        write: &impl Fn(&mut R, &[RowAnswer], &[u8]),
    ) -> (R, usize) {
        let (mut made, mut n_done) = (R::default(), 0);
        let mut answers = vec![RowAnswer::Impossible; self.questions.len()];
        let mut room = self.room(rooms);
        let Room { findings, memos, .. } = &mut room;
        findings.n_variables = self.oracle.domain().n_variables();
        'all: for first in (0..chunk.n_rows).step_by(TOGETHER) {
            findings.take(chunk, first..chunk.n_rows.min(first + TOGETHER));
            for row in findings.all() {
                let mut asked = self.questions.iter().zip(&mut *memos).zip(&mut answers);
                if !asked.all(|((question, memo), answer)| self.by_part(question, row, memo, answer)) {
                    break 'all;
                }
                write(&mut made, &answers, texts.row(n_done));
                n_done += 1;
            }
        }
        give_back(rooms, room);
        (made, n_done)
    }

    /// Room that some thread has used before, or a new one.
    fn room(&self, rooms: &Mutex<Vec<Room>>) -> Room {
        let mut room = rooms.lock().ok().and_then(|mut rooms| rooms.pop()).unwrap_or_default();
        room.memos.resize_with(self.questions.len(), Memo::default);
        room
    }

    fn some<R: Default>(
        &self,
        rooms: &Mutex<Vec<Room>>,
        rows: &[Row<'_>],
        write: &impl Fn(&mut R, &[RowAnswer], &[u8]),
    ) -> Result<R, Error> {
        let mut made = R::default();
        let mut answers = vec![RowAnswer::Impossible; self.questions.len()];
        let mut room = self.room(rooms);
        for row in rows {
            for ((question, memo), answer) in self.questions.iter().zip(&mut room.memos).zip(&mut answers) {
                if !self.by_part(question, row.states, memo, answer) {
                    let found = self.row(&mut room.messages, question, row.states);
                    *answer = found.map_err(|error| Error::from(error).at(format!("row {}", row.number + 1)))?;
                }
            }
            write(&mut made, &answers, row.passed_on);
        }
        give_back(rooms, room);
        Ok(made)
    }

    /// Puts the answer by the requisite part of the row in the place of the one before; `false` where that is not the way.
    fn by_part(&self, asked: &RowQuestion, row: &[u32], memo: &mut Memo, answer: &mut RowAnswer) -> bool {
        let Some((needed, parts)) = &asked.parts else { return false };
        let with_ln_p = self.with_ln_p || needed.is_empty() || !asked.question.each.is_empty();
        *answer = match (parts.posterior(row, with_ln_p, memo), &asked.question.asks) {
            (RowPosterior::Beyond, _) => return false,
            (RowPosterior::Impossible, _) => RowAnswer::Impossible,
            (RowPosterior::Possible { joint, ln_p_evidence }, Asks::Probability { variables, events })
                if events.is_empty() && asked.question.each.is_empty() =>
            {
                if let (RowAnswer::FoundAlone(Value::Table(before)), None) = (&mut *answer, ln_p_evidence) {
                    before.probabilities.copy_from_slice(joint);
                    return true;
                }
                match ln_p_evidence {
                    Some(ln_p) if variables.is_empty() => found(Value::Probability(ln_p.exp()), ln_p_evidence),
                    _ => found(Value::Table(Joint { variables: variables.clone(), probabilities: joint.to_vec() }), ln_p_evidence),
                }
            }
            (RowPosterior::Possible { joint, ln_p_evidence }, _) => {
                let joint = JointDistribution { variables: needed.clone(), probabilities: joint.to_vec() };
                match self.oracle.outcome_of_joint(&asked.question, &joint, ln_p_evidence.unwrap_or(0.0)) {
                    Outcome::Found { value, .. } => found(value, ln_p_evidence),
                    each => RowAnswer::Found(each),
                }
            }
        };
        true
    }

    fn row(&self, room: &mut Workspace, asked: &RowQuestion, row: &[u32]) -> Result<RowAnswer, AskError> {
        let domain = self.oracle.domain();
        let seen = row.iter().enumerate().filter(|(variable, state)| **state != UNSEEN && asked.is_evidence[*variable]);
        let seen = seen.map(|(variable, state)| (VarId::new(variable), *state as usize));
        // Where the tree does not fit, elimination may.
        if let (Ok(tree), Some(known)) = (self.oracle.junction_tree(), &asked.known) {
            let mut evidence = known.clone();
            for (variable, state) in seen.clone() {
                evidence.observe(domain, variable, state)?;
            }
            let answer = tree.posteriors_in(room, &evidence, &asked.wanted)?;
            let Answer::Possible { answer: calibrated, ln_p_evidence } = answer else { return Ok(RowAnswer::Impossible) };
            let value = match &asked.question.asks {
                _ if !asked.question.each.is_empty() => None,
                Asks::Marginals => Some(Value::Marginals(calibrated.marginals())),
                Asks::Probability { variables, events } => match (&variables[..], &events[..]) {
                    ([], []) => Some(Value::Probability(ln_p_evidence.exp())),
                    (&[variable], []) => {
                        Some(Value::Table(Joint { variables: vec![variable], probabilities: calibrated.marginal(variable).to_vec() }))
                    }
                    ([], [(variable, counts)]) => {
                        let marginal = calibrated.marginal(*variable);
                        Some(Value::Probability(marginal.iter().zip(counts).filter(|(_, counts)| **counts).map(|(p, _)| p).sum()))
                    }
                    _ => None,
                },
                _ => None,
            };
            if let Some(value) = value {
                return Ok(RowAnswer::Found(Outcome::Found { value, ln_p_evidence }));
            }
        }
        let mut question = asked.question.clone();
        question.findings.extend(seen.map(|(variable, state)| Finding::state(domain, variable, state)));
        Ok(match self.oracle.reply(&question)?.outcome {
            Outcome::Impossible { .. } => RowAnswer::Impossible,
            found => RowAnswer::Found(found),
        })
    }
}

impl RowQuestion {
    fn new(oracle: &Oracle, question: Question, is_evidence: Vec<bool>) -> Result<Self, Error> {
        let (wanted, known) = (wanted(oracle, &question), known(oracle, &question.findings)?);
        // Who gave an order of their own wants it used.
        let variables = oracle.joint_needed(&question, SMALL_JOINT).filter(|_| oracle.engine() == Engine::Auto);
        let parts = variables.zip(known.as_ref()).map(|(variables, known)| {
            let parts = RequisiteParts::new(oracle.graph(), known, &variables);
            (variables, parts)
        });
        Ok(Self { question, is_evidence, known, wanted, parts })
    }
}

fn give_back(rooms: &Mutex<Vec<Room>>, room: Room) {
    if let Ok(mut rooms) = rooms.lock() {
        rooms.push(room);
    }
}

fn found(value: Value, ln_p_evidence: Option<f64>) -> RowAnswer {
    match ln_p_evidence {
        Some(ln_p_evidence) => RowAnswer::Found(Outcome::Found { value, ln_p_evidence }),
        None => RowAnswer::FoundAlone(value),
    }
}

/// The variables whose distributions the tree is asked for; of other questions, only whether the row can be.
fn wanted(oracle: &Oracle, question: &Question) -> Vec<VarId> {
    match &question.asks {
        Asks::Marginals => oracle.domain().variables().collect(),
        Asks::Probability { variables, events } => match (&variables[..], &events[..]) {
            (&[variable], []) => vec![variable],
            ([], [(variable, _)]) => vec![*variable],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// What findings say together; `None` where it is to be fitted or cannot be.
fn known(oracle: &Oracle, findings: &[Finding]) -> Result<Option<Evidence>, Error> {
    let mut evidence = Evidence::none();
    for finding in findings {
        if finding.kind() == FindingKind::Posterior || finding.likelihood().iter().all(|value| *value == 0.0) {
            return Ok(None);
        }
        evidence.observe_likelihood(oracle.domain(), finding.variable(), finding.likelihood()).map_err(|e: NetError| AskError::from(e))?;
    }
    Ok(Some(evidence))
}

/// Names in a row; of many the first.
fn listed(names: &[&String]) -> String {
    const MOST: usize = 10;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > MOST { format!(" … ({} in all)", names.len()) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
