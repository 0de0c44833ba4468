//! The logarithm of an expression, made on the tree: ln of a product is a sum, ln exp a is a, ln aᵇ is b ln a.
//!
//! A likelihood multiplies hundreds of densities, and each may be too small for a double though its logarithm is not: exp(−800) is
//! 0, its logarithm −800. So the logarithm is taken symbolically, before numbers come in. A product may only be taken apart where
//! its factors cannot be negative: of (x − 1)·(x − 2) at 0 the logarithm exists, those of its factors do not. What cannot be shown
//! to be positive is left together and its logarithm taken of the value.

use super::function::Function;
use super::tree::Tree;

/// Between what numbers a name lies.
pub(crate) type Range<'a> = dyn Fn(&str) -> (f64, f64) + 'a;

/// ln of the tree, whose constants are numbers already. `range` tells between what numbers a name lies.
pub(crate) fn ln(tree: &Tree, range: &Range<'_>) -> Tree {
    use Function as F;
    let plainly = || Tree::call(F::Ln, [tree.clone()]);
    let ln_of = |tree: &Tree| ln(tree, range);
    let Tree::Call(function, a) = tree else {
        return match tree {
            Tree::Number(value) if *value >= 0.0 => Tree::Number(value.ln()),
            Tree::Chain(..) => indicator(tree),
            _ => plainly(),
        };
    };
    match function {
        F::Multiply | F::Divide => product(tree, range),
        F::Exp => a[0].clone(),
        F::Sqrt => Tree::call(F::Multiply, [Tree::Number(0.5), ln_of(&a[0])]),
        F::Power if never_negative(&a[0], range) => Tree::call(F::LnPower, [ln_of(&a[0]), a[1].clone()]),
        F::Power if is_even(&a[1]) => {
            let magnitude = Tree::call(F::Abs, [a[0].clone()]);
            Tree::call(F::LnPower, [ln_of(&magnitude), a[1].clone()])
        }
        F::If => Tree::call(F::If, [a[0].clone(), ln_of(&a[1]), ln_of(&a[2])]),
        F::Density(density) => Tree::Call(F::LnDensity(*density), a.clone()),
        F::Gamma => Tree::call(F::LnOfGamma, [a[0].clone()]),
        F::Factorial => Tree::call(F::LnOfGamma, [Tree::call(F::Add, [a[0].clone(), Tree::Number(1.0)])]),
        F::Beta => Tree::Call(F::LnBeta, a.clone()),
        F::Choose => Tree::Call(F::LnChoose, a.clone()),
        F::Sigmoid => Tree::call(F::LnSigmoid, [a[0].clone()]),
        F::Min | F::Max if a.iter().all(|part| never_negative(part, range)) => Tree::call(*function, [ln_of(&a[0]), ln_of(&a[1])]),
        F::Add | F::Subtract if a.iter().any(may_underflow) && a.iter().all(|part| never_negative(part, range)) => {
            let function = if *function == F::Add { F::LnSum } else { F::LnDifference };
            Tree::call(function, [ln_of(&a[0]), ln_of(&a[1])])
        }
        F::Less | F::LessOrEqual | F::Greater | F::GreaterOrEqual | F::Equal | F::NotEqual | F::And | F::Or | F::Not => indicator(tree),
        _ => plainly(),
    }
}

/// ln of what is 1 or 0.
fn indicator(condition: &Tree) -> Tree {
    Tree::call(Function::If, [condition.clone(), Tree::Number(0.0), Tree::Number(f64::NEG_INFINITY)])
}

/// ln of a product or quotient: a sum over the factors that are never negative, and the logarithm of what the others give together.
fn product(tree: &Tree, range: &Range<'_>) -> Tree {
    let mut factors = Vec::new();
    collect(tree, false, &mut factors);
    let (known, others): (Vec<_>, Vec<_>) = factors.into_iter().partition(|(factor, _)| never_negative(factor, range));
    // Dividends come first, so that a zero among them is found before a divisor.
    let (above, below): (Vec<_>, Vec<_>) = known.into_iter().partition(|(_, divides)| !divides);
    let mut total: Option<Tree> = None;
    let mut add = |term: Tree, divides: bool| {
        let function = if divides { Function::LnQuotient } else { Function::LnProduct };
        total = Some(match total.take() {
            Some(total) => Tree::call(function, [total, term]),
            None if divides => Tree::call(Function::Negate, [term]),
            None => term,
        });
    };
    above.iter().for_each(|(factor, _)| add(ln(factor, range), false));
    let (mut dividend, mut divisor): (Option<Tree>, Option<Tree>) = (None, None);
    for (factor, divides) in others {
        let side = if divides { &mut divisor } else { &mut dividend };
        *side = Some(match side.take() {
            Some(rest) => Tree::call(Function::Multiply, [rest, factor.clone()]),
            None => factor.clone(),
        });
    }
    match (dividend, divisor) {
        (Some(a), Some(b)) => add(Tree::call(Function::Ln, [Tree::call(Function::Divide, [a, b])]), false),
        (Some(a), None) => add(Tree::call(Function::Ln, [a]), false),
        (None, Some(b)) => add(Tree::call(Function::Ln, [b]), true),
        (None, None) => {}
    }
    below.iter().for_each(|(factor, _)| add(ln(factor, range), true));
    total.unwrap_or(Tree::Number(0.0))
}

/// The factors of a product, and whether each divides.
fn collect<'a>(tree: &'a Tree, divides: bool, factors: &mut Vec<(&'a Tree, bool)>) {
    match tree {
        Tree::Call(Function::Multiply, a) => a.iter().for_each(|factor| collect(factor, divides, factors)),
        Tree::Call(Function::Divide, a) => {
            collect(&a[0], divides, factors);
            collect(&a[1], !divides, factors);
        }
        _ => factors.push((tree, divides)),
    }
}

/// Whether the value can be shown to be at least zero wherever it is a number.
fn never_negative(tree: &Tree, range: &Range<'_>) -> bool {
    use Function as F;
    let all = |parts: &[Tree]| parts.iter().all(|part| never_negative(part, range));
    match tree {
        Tree::Number(value) => *value >= 0.0,
        Tree::Name(name) => range(name).0 >= 0.0,
        Tree::Chain(..) => true,
        Tree::Call(function, a) => match function {
            F::Add | F::Multiply | F::Divide | F::Gamma | F::Factorial => all(a),
            // 1 − w of a share w, as mixtures have it.
            F::Subtract => least(&a[0], range) >= most(&a[1], range),
            F::Power => is_even(&a[1]) || never_negative(&a[0], range),
            F::If => all(&a[1..]),
            F::Min => all(a),
            F::Max => a.iter().any(|part| never_negative(part, range)),
            F::Less | F::LessOrEqual | F::Greater | F::GreaterOrEqual | F::Equal | F::NotEqual | F::And | F::Or | F::Not => true,
            F::Exp | F::Sqrt | F::Abs | F::Cosh | F::Beta | F::Choose | F::Erfc | F::NormalCdf | F::Sigmoid | F::Density(_) => true,
            _ => false,
        },
    }
}

/// A number that the value is not below, for what needs no arithmetic.
fn least(tree: &Tree, range: &Range<'_>) -> f64 {
    match tree {
        Tree::Number(value) => *value,
        Tree::Name(name) => range(name).0,
        _ => f64::NEG_INFINITY,
    }
}

/// A number that the value is not above, for what needs no arithmetic.
fn most(tree: &Tree, range: &Range<'_>) -> f64 {
    match tree {
        Tree::Number(value) => *value,
        Tree::Name(name) => range(name).1,
        _ => f64::INFINITY,
    }
}

/// Whether it holds something whose value can be too small for a double though it is not zero.
fn may_underflow(tree: &Tree) -> bool {
    match tree {
        Tree::Number(_) | Tree::Name(_) | Tree::Chain(..) => false,
        Tree::Call(Function::Exp | Function::Density(_) | Function::Power, _) => true,
        Tree::Call(_, a) => a.iter().any(may_underflow),
    }
}

fn is_even(exponent: &Tree) -> bool {
    matches!(exponent, Tree::Number(value) if value % 2.0 == 0.0)
}
