//! Distributions that are not tables: the causes of noisy-or and noisy-max, and trees.

use super::{
    Cause, CauseOf, Fault, Input, MAX_DEPTH, Noisy, Tree, Word, at_end, bare, comes, expect, found, here, keyword, list, name, number,
    skip, state_or_any,
};

/// `order …`, then `leak: …`, `PARENT: …`, `PARENT=STATE: …` up to the next variable.
pub(super) fn noisy<'a>(input: &mut Input<'a>, order: Option<Vec<Word<'a>>>) -> Result<Noisy<'a>, Fault> {
    let mut causes = Vec::new();
    while !at_end(input)? && !comes(input, "variable") {
        let offset = here(input);
        let of = if bare(input, "leak")? {
            CauseOf::Leak
        } else {
            let parent = name(input, "`leak` or the name of a parent")?;
            CauseOf::Parent(parent, if skip(input, '=')? { Some(name(input, "a state of the parent")?) } else { None })
        };
        expect(input, ':', "before the probabilities of a cause")?;
        let says = if keyword(input, "absent")? { None } else { Some(list(input, number)?) };
        causes.push(Cause { offset, of, says });
    }
    Ok(Noisy { order, causes })
}

/// Numbers, or `on PARENT { STATE: tree … }`.
pub(super) fn tree<'a>(input: &mut Input<'a>, depth: usize) -> Result<Tree<'a>, Fault> {
    if !keyword(input, "on")? {
        let offset = here(input);
        if at_end(input)? {
            let hint = "write  on PARENT { STATE: …  *: … }  or the probabilities";
            return Err(Fault::new(offset, format!("expected a tree, found {}", found(input)), hint));
        }
        return Ok(Tree::Leaf(offset, list(input, number)?));
    }
    let offset = here(input);
    if depth == MAX_DEPTH {
        return Err(Fault::new(offset, format!("the tree is deeper than {MAX_DEPTH}"), "ask for every parent at most once on a way down"));
    }
    let parent = name(input, "the name of a parent")?;
    expect(input, '{', "after the parent a tree asks for")?;
    let mut branches = Vec::new();
    while !skip(input, '}')? {
        let offset = here(input);
        let states = list(input, state_or_any)?;
        let is_any = states.iter().all(Option::is_none);
        if is_any && states.len() > 1 || !is_any && states.iter().any(Option::is_none) {
            return Err(Fault::new(offset, "`*` stands beside other states", "it stands for all of them: write it alone"));
        }
        expect(input, ':', "after the states of a branch")?;
        branches.push((states.into_iter().flatten().collect(), tree(input, depth + 1)?));
    }
    Ok(Tree::Split(parent, branches))
}
