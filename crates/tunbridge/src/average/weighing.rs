//! What makes the weights: log scores of held-out rows, or how probable all rows are.

use evaluate::Metrics;
use learn::Treatment;

use super::member::MemberModel;
use super::model::weights;
use crate::Error;
use crate::remarks::{counted, list};

/// The log score of a member by how it was judged; −∞, which is told, if a class had probability zero.
pub(super) fn score_of(name: &str, metrics: &Metrics, remarks: &mut Vec<String>) -> f64 {
    match metrics.log_loss {
        Some(log_loss) => -log_loss * metrics.rows,
        None => {
            let n_zero = (metrics.n_probability_zero + metrics.n_impossible).round() as u64;
            let rows = counted(n_zero, "held-out row", "held-out rows");
            remarks.push(format!("`{name}` gives the class of {rows} probability zero, and weighs nothing"));
            f64::NEG_INFINITY
        }
    }
}

/// The weights by scores of held-out rows.
///
/// # Errors
/// When none is left.
pub(super) fn weights_by_scores(scores: &[f64]) -> Result<Vec<f64>, Error> {
    weights(scores).ok_or_else(|| {
        Error::unfit(
            "every member gives the class of some held-out row probability zero, so none has any weight",
            "give a member an estimate that leaves nothing impossible, such as --estimate laplace",
        )
    })
}

/// ln P(data) of each member, where all have one and it is of the same data.
pub(super) fn log_marginal_likelihoods(members: &[(&str, &MemberModel)], remarks: &mut Vec<String>) -> Result<Vec<f64>, Error> {
    const OTHER: &str = "or weigh by held-out rows, with --average-by log-score";
    let mut scores = Vec::with_capacity(members.len());
    let first = members.first().map(|(name, model)| (*name, model.explains()));
    for (name, model) in members {
        scores.push(model.ln_marginal_likelihood().ok_or_else(|| {
            let why = match model {
                MemberModel::NaiveBayes(_) => {
                    "naive-bayes has one with --class-prior laplace or dirichlet:<alpha>, --estimate laplace, m or dirichlet, and numbers \
                     that are --numeric student or bins"
                }
                MemberModel::Network(_) => "a network has one of rows without gaps, and with pseudo-counts",
                MemberModel::Aode(_) => "aode is many models at once: leave it out",
            };
            Error::unfit(format!("member `{name}` has no marginal likelihood in closed form"), format!("{why}; {OTHER}"))
        })?);
        let Some((of_first, seen)) = &first else { continue };
        if let Some(column) = unlike(seen, &model.explains()) {
            return Err(Error::unfit(
                format!("member `{name}` explains other values of `{column}` than `{of_first}`: their marginal likelihoods do not compare"),
                format!("give all members the same --numeric student or bins, {OTHER}"),
            ));
        }
    }
    let found: Vec<&str> = members.iter().filter(|(_, model)| matches!(model, MemberModel::Network(_))).map(|(name, _)| *name).collect();
    if !found.is_empty() {
        remarks.push(format!("P(data) of {} is given its graph, and is too high where that was found in the same rows", list(&found)));
    }
    Ok(scores)
}

/// The first column that two models do not see alike: cut in other places or not at all, or left out by one of them.
fn unlike<'m>(a: &'m [(String, Treatment)], b: &'m [(String, Treatment)]) -> Option<&'m str> {
    let not_in = |column: &&(String, Treatment), others: &[(String, Treatment)]| !others.contains(column);
    let only_a = a.iter().find(|column| not_in(column, b));
    only_a.or_else(|| b.iter().find(|column| not_in(column, a))).map(|(name, _)| name.as_str())
}

/// What the user should know of the members: what is true of all is said once.
pub(super) fn remarks_of_all(of_members: Vec<(&str, Vec<String>)>) -> Vec<String> {
    let n_members = of_members.len();
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, remarks) in of_members {
        for remark in remarks {
            match said.iter_mut().find(|(other, _)| *other == remark) {
                Some((_, of)) => of.push(name),
                None => said.push((remark, vec![name])),
            }
        }
    }
    let told = |(remark, of): (String, Vec<&str>)| if of.len() == n_members { remark } else { format!("member {}: {remark}", list(&of)) };
    said.into_iter().map(told).collect()
}
