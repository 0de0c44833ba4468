//! Noisy-MAX spelled out as a table.
//!
//! Díez 1993; Koller & Friedman 2009, section 5.4. The last state of the child means «nothing happened» and the states before it are
//! ever stronger effects. Every parent in every one of its states, and the leak, brings the child to some state; the child is in
//! the strongest of them. So P(effect no stronger than k) is the product of the same of each cause.

use super::draft::Shape;

/// What one parent does: a distribution over the child's states for each of the parent's.
pub(crate) type Link = Vec<Vec<f64>>;

/// The table of a child with these links, one for each parent, and a leak over the child's states.
pub(crate) fn noisy_max(shape: &Shape<'_, '_>, links: &[Link], leak: &[f64]) -> Vec<f64> {
    let n_states = shape.n_states;
    // tails[k]: the probability of state k or a weaker one.
    let tails = |row: &[f64]| {
        let mut tails = row.to_vec();
        (0..n_states.saturating_sub(1)).rev().for_each(|state| tails[state] += tails[state + 1]);
        tails
    };
    let leak = tails(leak);
    let links: Vec<Vec<Vec<f64>>> = links.iter().map(|link| link.iter().map(|row| tails(row)).collect()).collect();
    let mut values = Vec::with_capacity(shape.n_entries);
    let mut digits = vec![0_usize; shape.parents.len()];
    for _ in 0..shape.n_rows {
        let mut product = leak.clone();
        for (link, &digit) in links.iter().zip(&digits) {
            product.iter_mut().zip(&link[digit]).for_each(|(left, right)| *left *= right);
        }
        values.extend((0..n_states).map(|state| (product[state] - product.get(state + 1).copied().unwrap_or(0.0)).max(0.0)));
        for (digit, parent) in digits.iter_mut().zip(&shape.parents).rev() {
            *digit = (*digit + 1) % parent.states.len();
            if *digit != 0 {
                break;
            }
        }
    }
    values
}
