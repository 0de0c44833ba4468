//! Chow–Liu trees: of all networks in which every variable has one parent at most, the one closest to the data.
//!
//! Chow & Liu 1968. For frequencies P and a tree T with the same marginals of its pairs, KL(P ‖ T) = −Σ I(X; parent) + Σ H(X) − H(P), so
//! that the closest tree is the maximum spanning tree of mutual information. With a penalty for every arc, arcs that gain no more than
//! it are left out and a forest is what remains.

use belief::{Schema, VarId};

use crate::error::NetError;
use crate::mutual_information::{PairMatrix, mutual_information, rows_of_pair};
use crate::pair_counts::PairCounts;
use crate::spanning_tree::{directed, maximum_spanning_forest};
use crate::structure::Structure;

/// What an arc must gain of the log-likelihood to be there, in nats.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ArcPenalty {
    /// Nothing: all variables are in one tree.
    #[default]
    None,
    /// ½ ln N for each parameter that the arc adds (Schwarz 1978).
    Bic,
    /// 1 for each parameter that the arc adds (Akaike 1974).
    Aic,
    /// The same for every arc.
    Nats(f64),
}

impl ArcPenalty {
    /// The penalty of an arc that adds so many parameters, for so many rows.
    fn of(self, n_parameters: f64, n_rows: f64) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Bic => 0.5 * n_parameters * n_rows.max(1.0).ln(),
            Self::Aic => n_parameters,
            Self::Nats(nats) => nats,
        }
    }
}

/// A tree, or a forest, with what its arcs say.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedTree {
    /// The variables that were counted, in the order of the schema, and the arcs.
    pub structure: Structure,
    /// The arcs of the tree, in the order of their children.
    pub arcs: Vec<TreeArc>,
}

/// An arc of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeArc {
    /// From, by its place in the structure.
    pub parent: VarId,
    /// To, by its place in the structure.
    pub child: VarId,
    /// The mutual information of the two, in nats; given the class where there is one.
    pub information: f64,
}

/// The Chow–Liu tree of the variables that were counted, directed away from `root`, or from the first of them.
///
/// Of trees that are equally close, the one whose arcs are between earlier variables. Values may be missing: the information of a pair is
/// that of the rows which have both, and so is what it gains against a penalty.
///
/// **Complexity**: a logarithm for each count, and n² steps for n variables.
///
/// # Errors
/// When a variable is not in the schema, the root was not counted, or the penalty is not a number.
///
/// # Example
/// Three coins, of which the second shows what the first does, and the third mostly what the second does.
/// ```
/// use belief::{Chunk, Codes, Column, Kind, Role, Schema, States, SufficientStatistic, Variable};
/// use tunbridge_net::{ArcPenalty, PairCounts, VarId, chow_liu};
///
/// let states = || Kind::Categorical(States::declared(vec!["heads".into(), "tails".into()], false).unwrap());
/// let variable = |name: &str| Variable { name: name.into(), kind: states(), role: Role::Input };
/// let schema = Schema::new(vec![variable("A"), variable("B"), variable("C")])?;
/// let codes: [&[u8]; 3] = [&[0, 0, 0, 1, 1, 1], &[0, 0, 0, 1, 1, 1], &[0, 0, 0, 1, 1, 0]];
/// let columns = codes.map(|codes| Column::Categorical { codes: Codes::U8(codes), n_states: 2 });
/// let places: Vec<VarId> = (0..3).map(VarId::new).collect();
/// let mut counts = PairCounts::empty(&places, None, &[2, 2, 2]);
/// counts.observe(Chunk { first_row: 0, n_rows: 6, columns: &columns, weights: None })?;
///
/// let tree = chow_liu(&counts, &schema, ArcPenalty::None, None)?;
/// assert_eq!(tree.structure.dag().parents(VarId::new(1)), [VarId::new(0)]);
/// assert!((tree.arcs[0].information - 2_f64.ln()).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn chow_liu(counts: &PairCounts, schema: &Schema, penalty: ArcPenalty, root: Option<VarId>) -> Result<LearnedTree, NetError> {
    let counts = counts.settled();
    let information = mutual_information(&counts);
    let names = names(&counts, schema)?;
    let root = root_among(&counts, schema, root)?;
    let parents = best_forest(&counts, &information, penalty, root)?;
    let arcs = arcs(&parents, &information, |variable| variable);
    let structure =
        Structure::from_parents(names, parents.into_iter().map(|parent| parent.map(VarId::new).into_iter().collect()).collect())?;
    Ok(LearnedTree { structure, arcs })
}

/// The parent of every variable in the best forest. The statistic is settled.
///
/// # Errors
/// When the penalty is not a number.
pub(crate) fn best_forest(
    counts: &PairCounts,
    information: &PairMatrix,
    penalty: ArcPenalty,
    root: usize,
) -> Result<Vec<Option<usize>>, NetError> {
    if let ArcPenalty::Nats(found) = penalty
        && !(found.is_finite() && found >= 0.0)
    {
        return Err(NetError::NotAPenalty { found });
    }
    let n_states = counts.n_states();
    let edges = match penalty {
        ArcPenalty::None => maximum_spanning_forest(information, None),
        // What an arc gains is told a row, for pairs may have different numbers of rows without gaps.
        _ => {
            let gains = PairMatrix::from_fn(counts.n_variables(), |earlier, later| {
                let n_rows = rows_of_pair(counts, earlier, later);
                let n_parameters = counts.n_classes() as f64 * (n_states[earlier] as f64 - 1.0) * (n_states[later] as f64 - 1.0);
                if n_rows > 0.0 { information.get(earlier, later) - penalty.of(n_parameters.max(0.0), n_rows) / n_rows } else { 0.0 }
            });
            maximum_spanning_forest(&gains, Some(0.0))
        }
    };
    Ok(directed(counts.n_variables(), &edges, root))
}

/// The arcs of a forest, each variable at its place in a structure.
pub(crate) fn arcs(parents: &[Option<usize>], information: &PairMatrix, place: impl Fn(usize) -> usize) -> Vec<TreeArc> {
    let arc = |(child, parent): (usize, &Option<usize>)| {
        parent.map(|parent| TreeArc {
            parent: VarId::new(place(parent)),
            child: VarId::new(place(child)),
            information: information.get(parent, child),
        })
    };
    parents.iter().enumerate().filter_map(arc).collect()
}

/// The names of the variables that were counted.
pub(crate) fn names(counts: &PairCounts, schema: &Schema) -> Result<Vec<String>, NetError> {
    counts.variables().iter().map(|variable| name(schema, *variable)).collect()
}

pub(crate) fn name(schema: &Schema, variable: VarId) -> Result<String, NetError> {
    let variables = schema.variables();
    let found = variables.get(variable.index()).map(|variable| variable.name.clone());
    found.ok_or(NetError::NoSuchVariable { place: variable.index(), n_variables: variables.len() })
}

/// The number of the root among the variables that were counted.
pub(crate) fn root_among(counts: &PairCounts, schema: &Schema, root: Option<VarId>) -> Result<usize, NetError> {
    let Some(root) = root else { return Ok(0) };
    match counts.variables().iter().position(|variable| *variable == root) {
        Some(place) => Ok(place),
        None => Err(NetError::UnknownVariable { name: name(schema, root)? }),
    }
}
