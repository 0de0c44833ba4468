//! The laws of the statistic algebra, checked on given values.

/// Merging is associative and commutative, and the empty value is its identity. `same` says what equal means: bit for bit for
/// counts, to rounding for sums.
///
/// # Errors
/// Names the law that does not hold.
pub fn merging_is_a_commutative_monoid<T>(
    empty: &T,
    [a, b, c]: [&T; 3],
    merged: impl Fn(&T, &T) -> T,
    same: impl Fn(&T, &T) -> bool,
) -> Result<(), &'static str> {
    if !same(&merged(&merged(a, b), c), &merged(a, &merged(b, c))) {
        return Err("merging is not associative");
    }
    if !same(&merged(a, b), &merged(b, a)) {
        return Err("merging is not commutative");
    }
    if !same(&merged(a, empty), a) || !same(&merged(empty, a), a) {
        return Err("the empty value is not the identity of merging");
    }
    Ok(())
}

/// What was merged can be taken back, and then nothing of it is left.
///
/// # Errors
/// Names the law that does not hold.
pub fn forgetting_undoes_merging<T>(
    [a, b]: [&T; 2],
    merged: impl Fn(&T, &T) -> T,
    without: impl Fn(&T, &T) -> Option<T>,
    same: impl Fn(&T, &T) -> bool,
) -> Result<(), &'static str> {
    match without(&merged(a, b), b) {
        Some(left) if same(&left, a) => Ok(()),
        Some(_) => Err("forgetting does not undo merging"),
        None => Err("what was merged could not be forgotten"),
    }
}
