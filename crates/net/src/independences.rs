//! All independences that a small graph implies, one by one.
//!
//! Statements are about two variables given a set of others; those about more follow from them (d-separation of sets is that of all
//! pairs). There are n(n − 1)/2 · 2ⁿ⁻² to look at, each by [`d_separation`]; for eight variables 1,792, and for more than
//! [`MAX_VARIABLES`] it is refused. It is the graph that is asked: tables with zeros or equal rows may make more independent.

use crate::d_separation::{Separation, d_separation};
use crate::dag::Dag;
use crate::error::NetError;
use belief::VarId;

/// The most variables that all independences are listed for: 1,966,080 statements to look at.
pub const MAX_VARIABLES: usize = 16;

/// Two variables are independent given others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Independence {
    /// The two, the lower id first.
    pub pair: [VarId; 2],
    /// What is given, in order.
    pub given: Vec<VarId>,
}

/// All independences of a graph: by pair, then by the size of what is given. Nothing is looked at before it is asked for.
///
/// # Errors
/// When there are more than [`MAX_VARIABLES`] variables.
///
/// ```
/// use tunbridge_net::{Dag, VarId, independences::{independences, minimal_independences}};
/// let [a, b, c, d] = [0, 1, 2, 3].map(VarId::new);
/// // a → b → c → d
/// let chain = Dag::from_parents(vec![vec![], vec![a], vec![b], vec![c]]).unwrap();
/// let given = |found: Vec<tunbridge_net::independences::Independence>| found.into_iter().filter(|found| found.pair == [a, d]).map(|found| found.given).collect::<Vec<_>>();
/// assert_eq!(given(independences(&chain)?.collect()), [vec![b], vec![c], vec![b, c]]);
/// assert_eq!(given(minimal_independences(&chain)?.collect()), [vec![b], vec![c]]);
/// # Ok::<(), tunbridge_net::NetError>(())
/// ```
pub fn independences(dag: &Dag) -> Result<impl Iterator<Item = Independence> + '_, NetError> {
    within_bounds(dag)?;
    Ok(pairs(dag)
        .flat_map(move |pair| sets_beside(dag, pair).map(move |(_, given)| Independence { pair, given }))
        .filter(move |it| holds(dag, it)))
}

/// The independences of which no part of what is given is enough. Others may hold with more given, but need not: a common effect
/// that is given makes its causes dependent.
///
/// # Errors
/// When there are more than [`MAX_VARIABLES`] variables.
pub fn minimal_independences(dag: &Dag) -> Result<impl Iterator<Item = Independence> + '_, NetError> {
    within_bounds(dag)?;
    Ok(pairs(dag).flat_map(move |pair| {
        // Sets come by size, so that every part of a set was looked at before it.
        let mut enough: Vec<u32> = Vec::new();
        sets_beside(dag, pair).filter_map(move |(set, given)| {
            if enough.iter().any(|part| part & set == *part) {
                return None;
            }
            let independence = Independence { pair, given };
            holds(dag, &independence).then(|| {
                enough.push(set);
                independence
            })
        })
    }))
}

fn within_bounds(dag: &Dag) -> Result<(), NetError> {
    let n_variables = dag.n_variables();
    if n_variables <= MAX_VARIABLES { Ok(()) } else { Err(NetError::TooManyVariables { n_variables, limit: MAX_VARIABLES }) }
}

fn holds(dag: &Dag, statement: &Independence) -> bool {
    let [one, other] = statement.pair;
    d_separation(dag, &[one], &[other], &statement.given) == Separation::Independent
}

/// Pairs that are not joined; those that are never are independent.
fn pairs(dag: &Dag) -> impl Iterator<Item = [VarId; 2]> + '_ {
    let all = dag.variables().flat_map(|one| dag.variables().skip(one.index() + 1).map(move |other| [one, other]));
    all.filter(|&[one, other]| !dag.has_arc(one, other) && !dag.has_arc(other, one))
}

/// All sets of variables beside a pair, small ones first, as bits and as variables.
fn sets_beside(dag: &Dag, pair: [VarId; 2]) -> impl Iterator<Item = (u32, Vec<VarId>)> + use<> {
    let others: Vec<VarId> = dag.variables().filter(|variable| !pair.contains(variable)).collect();
    let n_others = others.len();
    let of_size = move |size: usize| {
        let first = (1_u32 << size) - 1;
        std::iter::successors(Some(first), move |&set| next_of_size(set)).take_while(move |&set| set < 1 << n_others)
    };
    (0..=n_others).flat_map(of_size).map(move |set| {
        let members = others.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1).map(|(_, &variable)| variable);
        (set, members.collect())
    })
}

/// The next larger number with as many ones (Gosper's hack: HAKMEM 1972, item 175).
fn next_of_size(set: u32) -> Option<u32> {
    if set == 0 {
        return None;
    }
    let lowest = set & set.wrapping_neg();
    let ripple = set + lowest;
    Some((((set ^ ripple) >> 2) / lowest) | ripple)
}
