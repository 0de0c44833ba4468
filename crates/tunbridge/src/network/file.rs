//! A network as a file holds it, whatever its format.

use std::path::{Path, PathBuf};

use belief::{bin_names, bin_of};
use net::ask::{AskError, Finding, Oracle, Question, find_variable};
use net::elimination_order::{Search, cheapest_elimination, given_order};
use net::format::uai::MarkovModel;
use net::format::{self, Contents, Document, FormatError, FormatKind, Sketch};
use net::query::Query;
use net::{Domain, Factor, FactorGraph, NetError, Network, Structure, VarId, Variable};

use super::NetworkModel;
use super::shape::{Shape, TreePlan, interaction_graph};
use crate::{Error, Model, model_file};

/// A network, or what a file holds of one, with the file it came from.
#[derive(Clone, Debug)]
pub struct NetworkFile {
    /// The file as the user named it; `-` is standard input.
    pub path: PathBuf,
    /// Its format; our own, where it is of no file of a network.
    pub format: FormatKind,
    /// Whether it was read from a model file.
    is_of_model: bool,
    holds: Holds,
    graph: FactorGraph,
    remarks: Vec<String>,
    /// The model that the network is of, if it was learned.
    model: Option<Box<NetworkModel>>,
}

#[derive(Clone, Debug)]
enum Holds {
    /// A network with what is said around it.
    Network(Box<Document>),
    /// Factors without directions and names.
    Markov(MarkovModel),
    /// Variables and arcs without probabilities: a network of variables that have one state.
    Structure(Box<Document>),
}

impl NetworkFile {
    /// Opens a network; the format is known by the file's first words and its name, and what is packed by gzip or zstd is unpacked. Names
    /// that lie beside a UAI file are taken.
    ///
    /// # Errors
    /// When the file cannot be read, is no network, or is broken: with line and column.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_as(path, None)
    }

    /// The same of a format that is said.
    ///
    /// # Errors
    /// When the file cannot be read, is no network of the format, or is broken: with line and column.
    pub fn open_as(path: &Path, format: Option<FormatKind>) -> Result<Self, Error> {
        if let Some(text) = path.to_str().filter(|text| is_structure_text(text) && !path.exists()) {
            return Self::of_structure_text(text);
        }
        let bytes = data::whole_file(path)?;
        if bytes.starts_with(&model_file::MAGIC) {
            return Self::of_model(path);
        }
        let broken = |fault: FormatError| Error::NetworkFile { path: path.into(), fault: Box::new(fault) };
        let kind = format.or_else(|| FormatKind::of_file(&path.to_string_lossy(), &bytes));
        let Some(kind) = kind else {
            let what = format!("{}: is no network: it begins like none of the formats that are known", path.display());
            let names: Vec<&str> = FormatKind::ALL.iter().map(|kind| kind.name()).collect();
            return Err(Error::unfit(what, format!("networks are {} files", names.join(", "))));
        };
        let mut remarks = Vec::new();
        let (holds, graph) = match format::read(kind, &bytes).map_err(broken)? {
            Contents::Network(mut document) => {
                if let Some(names) = names_beside(path).filter(|_| kind == FormatKind::Uai) {
                    let bytes = data::whole_file(&names)?;
                    document = format::names::apply(document, &bytes)
                        .map_err(|fault| Error::NetworkFile { path: names.clone(), fault: Box::new(fault) })?;
                    remarks.push(format!("names are taken from {}", names.display()));
                }
                remarks.extend(document.remarks.iter().map(ToString::to_string));
                let graph = FactorGraph::from(document.network());
                (Holds::Network(Box::new(document)), graph)
            }
            Contents::Markov(model) => {
                let graph = graph_of(&model).map_err(|e| Error::unfit(format!("{}: {e}", path.display()), "is the file whole?"))?;
                (Holds::Markov(model), graph)
            }
            Contents::Structure(sketch) => {
                let document = document_of(&sketch).map_err(|e| Error::unfit(format!("{}: {e}", path.display()), "is the file whole?"))?;
                let graph = FactorGraph::from(document.network());
                (Holds::Structure(Box::new(document)), graph)
            }
            _ => return Err(Error::Internal(format!("{kind} holds something new"))),
        };
        Ok(Self { path: path.into(), format: kind, is_of_model: false, holds, graph, remarks, model: None })
    }

    /// A structure as it is written in a line: `[A][T|A]` as bnlearn has it, or `A->B<-C` as pyAgrum does.
    fn of_structure_text(text: &str) -> Result<Self, Error> {
        let read = if text.starts_with('[') { format::model_string::read(text) } else { format::arrow_string::read(text) };
        let sketch = read.map_err(|fault| Error::NetworkFile { path: text.into(), fault: Box::new(fault) })?;
        let mut file =
            Self::of_document(document_of(&sketch).map_err(|e| Error::unfit(format!("{text}: {e}"), "name each variable once"))?);
        if let Holds::Network(document) = file.holds {
            file.holds = Holds::Structure(document);
        }
        file.path = text.into();
        Ok(file)
    }

    /// A graph that was found, by the name of what found it.
    pub(super) fn of_structure(name: &str, structure: &Structure) -> Result<Self, Error> {
        let sketch = Sketch { name: name.into(), structure: structure.clone(), states: vec![None; structure.names().len()] };
        let mut file = Self::of_document(document_of(&sketch).map_err(|e| Error::Internal(e.to_string()))?);
        if let Holds::Network(document) = file.holds {
            file.holds = Holds::Structure(document);
        }
        file.path = name.into();
        Ok(file)
    }

    /// The network that a model is: one that was learned, or of naive Bayes P(class) and P(attribute | class).
    fn of_model(path: &Path) -> Result<Self, Error> {
        let unfit = |what: &str| {
            Error::unfit(
                format!("{}: {what}", path.display()),
                "a model of `learn --structure` is a network, and so is naive Bayes of one class a row, learned from states or bins",
            )
        };
        let model = match Model::load(path)? {
            Model::NaiveBayes(model) => model,
            Model::Network(model) => {
                let mut file = Self::of_learned(*model);
                (file.path, file.is_of_model) = (path.into(), true);
                return Ok(file);
            }
            other => return Err(unfit(&format!("is a model of the kind {}, and no network", other.kind()))),
        };
        if model.mixture().is_some() {
            return Err(unfit("has classes that are mixtures, and is no network of its columns"));
        }
        let network = model.posterior().to_network(model.schema()).map_err(|e| Error::from(e).at(path.display().to_string()))?;
        let mut file = Self::of_document(Document::new("", network));
        (file.path, file.is_of_model) = (path.into(), true);
        if model.calibrator().is_some() {
            file.remarks.push("the model is calibrated, and the network is what it was before that".into());
        }
        Ok(file)
    }

    /// The network of a model that was learned.
    pub fn of_learned(model: NetworkModel) -> Self {
        let file = Self::of_document(Document::new(model.name(), model.network().clone()));
        Self { model: Some(Box::new(model)), ..file }
    }

    /// What it was read from: the name of its format, or `tb` if that was a model.
    pub fn came_as(&self) -> &'static str {
        if self.is_of_model { "tb" } else { self.format.name() }
    }

    /// The model that the network is of, if it was learned.
    pub fn model(&self) -> Option<&NetworkModel> {
        self.model.as_deref()
    }

    /// A question with the bins of numbers in their place: where the network was learned from numbers that were cut, they may be given as such.
    #[must_use]
    pub fn in_bins(&self, mut query: Query) -> Query {
        if self.model.is_some() {
            query.change_states(|variable, state| {
                if let Some(bin) = self.bin_of_number(self.domain(), variable, state) {
                    *state = bin;
                }
            });
        }
        query
    }

    /// The bin that a number is in, of a variable whose numbers were cut; `None` where there is none, or a state of that name.
    pub(super) fn bin_of_number(&self, domain: &Domain, variable: &str, state: &str) -> Option<String> {
        let cuts = self.model()?.recipe().made.cuts.get(variable)?;
        let is_state = domain.find(variable).is_ok_and(|of| domain.find_state(of, state).is_ok());
        let bin = bin_of(cuts, state.parse().ok()?).filter(|_| !is_state)?;
        Some(bin_names(cuts).swap_remove(bin))
    }

    /// A network that comes from no file.
    pub fn of_document(document: Document) -> Self {
        let graph = FactorGraph::from(document.network());
        Self {
            path: PathBuf::new(),
            format: FormatKind::Tbn,
            is_of_model: false,
            holds: Holds::Network(Box::new(document)),
            graph,
            remarks: Vec::new(),
            model: None,
        }
    }

    /// Another network that was made of this one, and of no model.
    pub(super) fn with_document(&self, document: Document) -> Self {
        let Self { path, format, is_of_model, remarks, .. } = self.clone();
        Self { path, format, is_of_model, remarks, ..Self::of_document(document) }
    }

    /// What had to be said when it was read: rows that were renormalised, what was left out.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The network's own name; may be empty.
    pub fn name(&self) -> &str {
        self.document().map_or("", |document| &document.name)
    }

    /// All that the file says of a network, to be written elsewhere; `None` where it has factors without directions.
    pub fn document(&self) -> Option<&Document> {
        match &self.holds {
            Holds::Network(document) | Holds::Structure(document) => Some(document),
            Holds::Markov(_) => None,
        }
    }

    /// The factors of a file that has nothing else.
    pub fn markov(&self) -> Option<&MarkovModel> {
        if let Holds::Markov(model) = &self.holds { Some(model) } else { None }
    }

    /// The network; `None` where the file has factors without directions. Of a structure alone, its variables have one state each.
    pub fn network(&self) -> Option<&Network> {
        self.document().map(Document::network)
    }

    /// Whether the file has variables and arcs, and no states and probabilities.
    pub fn is_structure(&self) -> bool {
        matches!(self.holds, Holds::Structure(_))
    }

    /// The factors that engines work on.
    pub fn graph(&self) -> &FactorGraph {
        &self.graph
    }

    /// The variables' names and states.
    pub fn domain(&self) -> &Domain {
        self.graph.domain()
    }

    /// What answers questions, with tables of so many bytes together at most. States stand for the numbers that the file gives them, where it does.
    pub fn oracle(&self, memory: u64) -> Oracle {
        let max_entries = usize::try_from(memory / 8).unwrap_or(usize::MAX).max(1);
        let oracle = match self.network() {
            Some(network) => Oracle::of_network(network.clone()),
            None => Oracle::of_factors(self.graph.clone()),
        };
        let values = |document: &Document| self.domain().variables().map(|of| document.notes(of).state_values.clone()).collect();
        oracle.with_max_entries(max_entries).with_state_values(self.document().map_or_else(Vec::new, values))
    }

    /// The same with a junction tree by an order of a file, as [`order_text`] has it: a variable a line.
    ///
    /// # Errors
    /// When the file cannot be read, or names other variables than the network has or not all of them.
    pub fn oracle_by(&self, order: &Path, memory: u64) -> Result<Oracle, Error> {
        let bytes = data::whole_file(order)?;
        let text = String::from_utf8_lossy(&bytes);
        let (domain, n_variables) = (self.domain(), self.graph.n_with_hidden());
        let mut variables = Vec::new();
        for (line, name) in text.lines().map(str::trim).enumerate().filter(|(_, name)| !name.is_empty()) {
            let hidden =
                || name.strip_prefix('#')?.parse().ok().filter(|place| (domain.n_variables()..n_variables).contains(place)).map(VarId::new);
            let place = || format!("{}:{}", order.display(), line + 1);
            variables.push(find_variable(domain, name).or_else(|e| hidden().ok_or(e)).map_err(|e| Error::from(e).at(place()))?);
        }
        let (beside, _) = interaction_graph(&self.graph);
        let found = given_order(&beside, &variables).map_err(|e| match e {
            NetError::NamedTwice { .. } => {
                Error::unfit(format!("{}: names a variable twice", order.display()), "an order names every variable once")
            }
            other => AskError::from(other).into(),
        })?;
        if let Some(left_out) = (0..n_variables).map(VarId::new).find(|variable| !variables.contains(variable)) {
            let name = domain.names().get(left_out.index()).cloned().unwrap_or_else(|| format!("#{}", left_out.index()));
            return Err(Error::unfit(
                format!("{}: leaves out `{name}`", order.display()),
                "an order names every variable, one a line: see `show --order`",
            ));
        }
        Ok(self.oracle(memory).with_order(found))
    }

    /// The findings of a UAI evidence file, which names variables and states by their places.
    ///
    /// # Errors
    /// When the file cannot be read, is none, has several cases, or speaks of what is not there.
    pub fn evidence(&self, path: &Path) -> Result<Vec<Finding>, Error> {
        let bytes = data::whole_file(path)?;
        let cases = format::uai::read_evidence(&bytes).map_err(|fault| Error::NetworkFile { path: path.into(), fault: Box::new(fault) })?;
        let bad = |what: String| Error::unfit(format!("{}: {what}", path.display()), "is it the evidence of this network?");
        let [case] = &cases[..] else { return Err(bad(format!("has {} cases, and one is asked about at a time", cases.len()))) };
        let domain = self.domain();
        let mut findings = Vec::new();
        for &(variable, state) in case {
            if variable >= domain.n_variables() {
                return Err(bad(format!("there is no variable {variable}: the network has {}, from 0", domain.n_variables())));
            }
            let variable = VarId::new(variable);
            if state >= domain.n_states(variable) {
                return Err(bad(format!("`{}` has no state {state}: it has {}, from 0", domain.name(variable), domain.n_states(variable))));
            }
            findings.push(Finding::state(domain, variable, state));
        }
        Ok(findings)
    }

    /// The junction tree that the best order found makes, before any table is.
    pub fn tree_plan(&self) -> TreePlan {
        let (beside, all) = interaction_graph(&self.graph);
        TreePlan::new(&self.graph, &cheapest_elimination(&beside, &all, Search::Thorough))
    }

    /// Figures of the network, by its junction tree.
    pub fn shape(&self, tree: &TreePlan) -> Shape {
        Shape::new(self.network(), tree)
    }
}

/// The order that variables are summed out in, a name a line, for [`NetworkFile::tree_plan`] to be made again from.
pub fn order_text(file: &NetworkFile) -> String {
    let domain = file.domain();
    // Hidden variables have no names, and stand by their places.
    let name = |v: &VarId| if v.index() < domain.n_variables() { domain.name(*v).to_string() } else { format!("#{}", v.index()) };
    file.tree_plan().order.iter().map(|v| name(v) + "\n").collect()
}

/// Whether a file begins, or is named, as a network is.
pub fn is_network(path: &Path) -> bool {
    let is_named = || FormatKind::of_file_name(&path.to_string_lossy()).is_some();
    path.is_file() && data::whole_file(path).is_ok_and(|bytes| FormatKind::of_contents(&bytes).is_some() || is_named())
}

/// Whether a text is a structure in a line and not a file's name.
fn is_structure_text(text: &str) -> bool {
    text.starts_with('[') && text.ends_with(']') || text.contains("->") || text.contains("<-")
}

/// The file of names beside a UAI file, if there is one.
fn names_beside(path: &Path) -> Option<PathBuf> {
    let name = path.to_str()?;
    let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    Some(PathBuf::from(format!("{plain}.names"))).filter(|path| path.is_file())
}

/// Factors of variables that have no names: `X0`, `X1`, … with the states `0`, `1`, …
fn graph_of(model: &MarkovModel) -> Result<FactorGraph, NetError> {
    let states = |n: &usize| (0..*n).map(|state| state.to_string()).collect::<Vec<_>>();
    let domain = Domain::new(model.n_states.iter().enumerate().map(|(place, n)| (format!("X{place}"), states(n))))?;
    let factor = |(scope, values): &(Vec<usize>, Vec<f64>)| {
        let shape: Vec<usize> = scope.iter().map(|place| model.n_states[*place]).collect();
        Factor::new(&scope.iter().map(|place| VarId::new(*place)).collect::<Vec<_>>(), &shape, values.clone())
    };
    FactorGraph::new(domain, model.factors.iter().map(factor).collect::<Result<_, _>>()?)
}

/// Variables and arcs as a network of variables that have one state, and so nothing to be uncertain of.
fn document_of(sketch: &Sketch) -> Result<Document, NetError> {
    let structure = &sketch.structure;
    let parents = |of: VarId| structure.dag().parents(of).iter().map(|parent| structure.name(*parent).to_string()).collect();
    let variable =
        |of: VarId| Variable { name: structure.name(of).into(), states: vec!["?".into()], parents: parents(of), probabilities: vec![1.0] };
    Ok(Document::new(sketch.name.clone(), Network::new(structure.dag().variables().map(variable).collect())?))
}

/// Findings as they stand behind the bar of a question: `A=a, B!=b, C in {x, y}`.
///
/// # Errors
/// When they are no findings, or of variables and states that are not there.
pub fn findings(domain: &Domain, text: &str) -> Result<Vec<Finding>, Error> {
    let text = text.trim().trim_start_matches('|');
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let query: Query = format!("P(* | {text})").parse()?;
    let question = Question::resolve(domain, &query)?;
    match question.each.first() {
        None => Ok(question.findings),
        Some(bare) => {
            let name = domain.name(*bare);
            Err(Error::unfit(
                format!("`{name}` stands without a state"),
                format!("say what was found of it, as in {name}={}", domain.states(*bare)[0]),
            ))
        }
    }
}
