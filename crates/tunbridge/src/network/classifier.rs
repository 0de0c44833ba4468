//! A network as a classifier: P(target | the other columns of a row).
//!
//! Where a row has everything around the target (its Markov blanket), the answer is a product of a few entries of tables; elsewhere it is
//! asked of the junction tree. Both are exact.

use std::borrow::Cow;

use belief::{Chunk, Codes, Column, Schema, ShapeMismatch, VarId};
use net::parameters::Parameters;
use net::{Answer, Evidence, FactorGraph, JunctionTree, Workspace};

use learn::{Contest, Ledger, LeftOut, Piece, Weighed};

use super::NetworkModel;
use crate::{Classifier, Error, Recipe};

/// A learned network that predicts one of its variables.
#[derive(Clone, Debug)]
pub struct NetworkClassifier<'m> {
    model: Cow<'m, NetworkModel>,
    target: VarId,
    parameters: Parameters,
    tree: JunctionTree,
    /// The variables whose tables have the target in them: itself and its children.
    around: Vec<usize>,
    /// The variables of those tables, without the target.
    blanket: Vec<usize>,
    /// Whether no entry of any table is zero: then no row is impossible.
    is_positive: bool,
}

impl NetworkModel {
    /// The network as a classifier of its target, with tables of so many bytes at most.
    ///
    /// # Errors
    /// When it has no target, or its junction tree does not fit.
    pub fn classifier(&self, memory: u64) -> Result<NetworkClassifier<'_>, Error> {
        NetworkClassifier::new(Cow::Borrowed(self), memory)
    }

    /// The same, which has the network with it.
    ///
    /// # Errors
    /// As [`Self::classifier`].
    pub fn into_classifier(self, memory: u64) -> Result<NetworkClassifier<'static>, Error> {
        NetworkClassifier::new(Cow::Owned(self), memory)
    }
}

impl<'m> NetworkClassifier<'m> {
    fn new(model: Cow<'m, NetworkModel>, memory: u64) -> Result<Self, Error> {
        let Some(target) = model.target() else {
            return Err(Error::unfit(
                "the network has no target, and predicts nothing by itself",
                "learn it with --target NAME, or ask it, as in `tunbridge ask MODEL --rows DATA 'P(NAME)'`",
            ));
        };
        let max_entries = usize::try_from(memory / 8).unwrap_or(usize::MAX);
        let tree = JunctionTree::compile(&FactorGraph::from(model.network()), max_entries)
            .map_err(|e| Error::from(net::ask::AskError::from(e)))?;
        let parameters = model.posterior().parameters();
        let dag = model.network().dag();
        let around = std::iter::once(target).chain(dag.children(target).iter().copied()).map(VarId::index).collect();
        let blanket = dag.markov_blanket(target).into_iter().map(VarId::index).collect();
        let is_positive = parameters.theta().iter().all(|p| *p > 0.0);
        Ok(Self { model, target, parameters, tree, around, blanket, is_positive })
    }

    /// The network.
    pub fn model(&self) -> &NetworkModel {
        &self.model
    }
}

/// The columns of the network's variables; `None` where one is not there.
type States<'a> = Vec<Option<(Codes<'a>, usize)>>;

impl NetworkClassifier<'_> {
    fn columns<'a>(&self, chunk: &Chunk<'a>) -> Result<States<'a>, ShapeMismatch> {
        let n = self.model.network().n_variables();
        ShapeMismatch::check("columns", n, chunk.columns.len().min(n))?;
        let codes = |column: &Column<'a>| match column {
            Column::Categorical { codes, n_states } => Some((*codes, *n_states)),
            _ => None,
        };
        Ok(chunk.columns[..n].iter().map(codes).collect())
    }

    /// ln Π of the entries of tables that have the target in them, for each of its states. The states of all other variables of those
    /// tables are known.
    fn product(&self, seen: &mut [usize], tables: &[usize], out: &mut [f64]) {
        let families = self.model.posterior().families();
        for (class, ln) in out.iter_mut().enumerate() {
            seen[self.target.index()] = class;
            *ln = tables.iter().map(|of| self.entry(families, *of, seen).ln()).sum();
        }
    }

    fn entry(&self, families: &net::parameters::Families, of: usize, seen: &[usize]) -> f64 {
        let place = families.scope(of).fold(0, |place, variable| place * families.n_states()[variable] + seen[variable]);
        self.parameters.of(of)[place]
    }
}

impl NetworkClassifier<'_> {
    /// The ledger of a row: what each column said between two classes, given the columns before it.
    ///
    /// # Errors
    /// When the columns are not those of the schema, a row or class is asked for that does not exist, or twice the same class.
    pub fn explain(&self, chunk: &Chunk<'_>, row: usize, contest: Contest) -> Result<Ledger, Error> {
        let (columns, network) = (self.columns(chunk)?, self.model.network());
        if row >= chunk.n_rows {
            return Err(learn::LearnError::NoSuchRow { row, n_rows: chunk.n_rows }.into());
        }
        if self.classes().len() < 2 {
            let what = format!("`{}` has one state, and there is nothing to weigh it against", network.name(self.target));
            return Err(Error::unfit(what, "learn from rows of two classes or more"));
        }
        let (mut pieces, mut known) = (Vec::new(), Vec::new());
        for (of, column) in network.dag().variables().zip(&columns).filter(|(of, _)| *of != self.target) {
            let state = column.and_then(|(codes, _)| codes.get(row));
            let says = match (column, state, state.and_then(|state| network.states(of).get(state))) {
                (None, ..) => Err(LeftOut::NotRead),
                (_, None, _) => Err(LeftOut::Missing),
                (_, Some(_), None) => Err(LeftOut::UnknownState),
                (_, Some(state), Some(name)) => {
                    known.push((of, state));
                    Ok(Weighed::State(name.clone()))
                }
            };
            pieces.push(Piece { variable: network.name(of).into(), says });
        }
        let mut room = Workspace::default();
        Ledger::in_turn(self.classes(), contest, pieces, |n_known| {
            let mut evidence = Evidence::none();
            for (of, state) in &known[..n_known] {
                evidence.observe(network, *of, *state).map_err(|e| Error::Internal(e.to_string()))?;
            }
            match self.tree.posteriors_in(&mut room, &evidence, &[self.target]).map_err(|e| Error::from(net::ask::AskError::from(e)))? {
                Answer::Impossible => Ok(vec![f64::NEG_INFINITY; self.classes().len()]),
                Answer::Possible { answer, ln_p_evidence } => {
                    Ok(answer.marginal(self.target).iter().map(|p| p.ln() + ln_p_evidence).collect())
                }
            }
        })
    }
}

impl Classifier for NetworkClassifier<'_> {
    fn schema(&self) -> &Schema {
        self.model.schema()
    }

    fn recipe(&self) -> &Recipe {
        self.model.recipe()
    }

    fn classes(&self) -> &[String] {
        self.model.network().states(self.target)
    }

    fn ln_posteriors(&self, chunk: &Chunk<'_>, out: &mut Vec<f64>) -> Result<(), ShapeMismatch> {
        const UNKNOWN: usize = usize::MAX;
        let (columns, network) = (self.columns(chunk)?, self.model.network());
        let (target, n_classes) = (self.target.index(), self.classes().len());
        let families = self.model.posterior().families();
        let mut room = Workspace::default();
        let mut seen = vec![UNKNOWN; columns.len()];
        out.clear();
        out.resize(chunk.n_rows * n_classes, f64::NEG_INFINITY);
        for (row, ln_p) in out.chunks_exact_mut(n_classes).enumerate() {
            for (place, (seen, column)) in seen.iter_mut().zip(&columns).enumerate() {
                let state =
                    column.and_then(|(codes, n_states)| codes.get(row).filter(|state| *state < n_states.min(families.n_states()[place])));
                *seen = if place == target { UNKNOWN } else { state.unwrap_or(UNKNOWN) };
            }
            let has_blanket = self.blanket.iter().all(|of| seen[*of] != UNKNOWN);
            let is_whole = || seen.iter().enumerate().all(|(place, state)| place == target || *state != UNKNOWN);
            if has_blanket && (self.is_positive || is_whole()) {
                let mut other_tables = (0..columns.len()).filter(|of| !self.around.contains(of));
                if self.is_positive || other_tables.all(|of| self.entry(families, of, &seen) > 0.0) {
                    self.product(&mut seen, &self.around, ln_p);
                    let sum = belief::log_sum_exp(ln_p);
                    if sum > f64::NEG_INFINITY {
                        ln_p.iter_mut().for_each(|ln| *ln -= sum);
                    }
                }
                continue;
            }
            let mut evidence = Evidence::none();
            for (place, state) in seen.iter().enumerate().filter(|(_, state)| **state != UNKNOWN) {
                let strange = |_| ShapeMismatch { what: "states of a column", expected: families.n_states()[place], found: *state };
                evidence.observe(network, VarId::new(place), *state).map_err(strange)?;
            }
            // What is possible but too improbable for doubles is told as impossible is: it has no answer either.
            if let Ok(Answer::Possible { answer, .. }) = self.tree.posteriors_in(&mut room, &evidence, &[self.target]) {
                ln_p.iter_mut().zip(answer.marginal(self.target)).for_each(|(ln, p)| *ln = p.ln());
            }
        }
        Ok(())
    }

    fn without_evidence(&self, chunk: &Chunk<'_>) -> Result<Vec<bool>, ShapeMismatch> {
        let columns = self.columns(chunk)?;
        let says = |row: usize| {
            let others = columns.iter().enumerate().filter(|(place, _)| *place != self.target.index());
            others.filter_map(|(_, column)| *column).any(|(codes, n_states)| codes.get(row).is_some_and(|state| state < n_states))
        };
        Ok((0..chunk.n_rows).map(|row| !says(row)).collect())
    }
}
