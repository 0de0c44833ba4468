//! Functions of the expression language: their names, their arguments and their values.

use libm::{erf, erfc, expm1, lgamma, tgamma};

use super::densities::{DENSITIES, Density, ln_choose};
use crate::distribution::ln_beta;

/// What can be done with one to five numbers. Operators are functions too, so that there is one place where values are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Negate,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Not,
    If,
    Exp,
    Ln,
    Log2,
    Log10,
    Log1p,
    Expm1,
    Sqrt,
    Abs,
    Min,
    Max,
    Sin,
    Cos,
    Tan,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Gamma,
    LnGamma,
    Beta,
    LnBeta,
    Factorial,
    Choose,
    LnChoose,
    Erf,
    Erfc,
    NormalCdf,
    Floor,
    Ceil,
    Sign,
    Sigmoid,
    Logit,
    Density(Density),
    LnDensity(Density),
    /// The dear part of a density's logarithm, of what it depends on.
    DearPart(Density),
    /// The logarithm of a density, whose dear part is the last argument.
    LnDensityWith(Density),
    // What the logarithm of an expression is made of; these have no names.
    /// ln(a·b) of ln a and ln b: what is impossible stays so, whatever the other factor is.
    LnProduct,
    /// ln(a/b).
    LnQuotient,
    /// ln(aᵇ) of ln a and b.
    LnPower,
    /// ln(a + b).
    LnSum,
    /// ln(a − b).
    LnDifference,
    LnSigmoid,
    /// ln Γ(a) where Γ(a) is positive, else NaN.
    LnOfGamma,
}

/// Functions by name, with the names of their arguments. The first of several names for one is the one printed.
pub(crate) const FUNCTIONS: [(&str, &[&str], Function); 40] = [
    ("if", &["condition", "then", "else"], Function::If),
    ("where", &["condition", "then", "else"], Function::If),
    ("exp", &["a"], Function::Exp),
    ("ln", &["a"], Function::Ln),
    ("log", &["a"], Function::Ln),
    ("log2", &["a"], Function::Log2),
    ("log10", &["a"], Function::Log10),
    ("log1p", &["a"], Function::Log1p),
    ("expm1", &["a"], Function::Expm1),
    ("sqrt", &["a"], Function::Sqrt),
    ("abs", &["a"], Function::Abs),
    ("min", &["a", "b"], Function::Min),
    ("max", &["a", "b"], Function::Max),
    ("sin", &["a"], Function::Sin),
    ("cos", &["a"], Function::Cos),
    ("tan", &["a"], Function::Tan),
    ("atan", &["a"], Function::Atan),
    ("sinh", &["a"], Function::Sinh),
    ("cosh", &["a"], Function::Cosh),
    ("tanh", &["a"], Function::Tanh),
    ("gamma", &["a"], Function::Gamma),
    ("Γ", &["a"], Function::Gamma),
    ("lgamma", &["a"], Function::LnGamma),
    ("ln_gamma", &["a"], Function::LnGamma),
    ("beta", &["a", "b"], Function::Beta),
    ("lbeta", &["a", "b"], Function::LnBeta),
    ("ln_beta", &["a", "b"], Function::LnBeta),
    ("factorial", &["n"], Function::Factorial),
    ("choose", &["n", "k"], Function::Choose),
    ("lchoose", &["n", "k"], Function::LnChoose),
    ("ln_choose", &["n", "k"], Function::LnChoose),
    ("erf", &["a"], Function::Erf),
    ("erfc", &["a"], Function::Erfc),
    ("normal_cdf", &["a"], Function::NormalCdf),
    ("Φ", &["a"], Function::NormalCdf),
    ("floor", &["a"], Function::Floor),
    ("ceil", &["a"], Function::Ceil),
    ("sign", &["a"], Function::Sign),
    ("sigmoid", &["a"], Function::Sigmoid),
    ("logit", &["p"], Function::Logit),
];

/// The function of this name and number of arguments; else every way that the name can be called, none if there is none.
///
/// `gamma(a)` is the function Γ, `gamma(x, shape, rate)` the density: their numbers of arguments tell them apart.
pub(crate) fn by_name(name: &str, n_arguments: usize) -> Result<Function, Vec<String>> {
    let mut usage = Vec::new();
    for (known, arguments, function) in &FUNCTIONS {
        if *known == name {
            if arguments.len() == n_arguments {
                return Ok(*function);
            }
            usage.push(format!("{known}({})", arguments.join(", ")));
        }
    }
    let (plain, is_ln) = match name.strip_prefix("ln_").or_else(|| name.strip_prefix("log_")) {
        // `log_normal` is a density of its own; the logarithm of the normal's is `ln_normal`.
        Some(rest) if Density::by_name(name).is_none() => (rest, true),
        _ => (name, false),
    };
    if let Some(density) = Density::by_name(plain) {
        let facts = density.facts();
        if facts.parameters.len() + 1 == n_arguments {
            return Ok(if is_ln { Function::LnDensity(density) } else { Function::Density(density) });
        }
        usage.push(format!("{name}(x, {})", facts.parameters.join(", ")));
    }
    Err(usage)
}

/// Every name of a function, for hints.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, ..)| *name).chain(DENSITIES.iter().map(|facts| facts.names[0]))
}

impl Function {
    /// How it is printed; operators and nameless ones have no name.
    pub(crate) fn name(self) -> Option<String> {
        match self {
            Self::Density(density) => Some(density.facts().names[0].to_owned()),
            Self::LnDensity(density) => Some(format!("ln_{}", density.facts().names[0])),
            _ => FUNCTIONS.iter().find(|(_, _, function)| *function == self).map(|(name, ..)| (*name).to_owned()),
        }
    }

    /// The value. Truth is 1, falsehood 0, and anything but 0 is true.
    #[inline]
    pub(crate) fn value(self, a: &[f64]) -> f64 {
        let truth = |t: bool| if t { 1.0 } else { 0.0 };
        // A comparison with NaN is NaN and not false, so that what went wrong comes to light.
        let compare = |t: bool| if a[0].is_nan() || a[1].is_nan() { f64::NAN } else { truth(t) };
        match self {
            Self::Add => a[0] + a[1],
            Self::Subtract => a[0] - a[1],
            Self::Multiply => a[0] * a[1],
            Self::Divide => a[0] / a[1],
            Self::Power if a[1] == 2.0 => a[0] * a[0],
            Self::Power => a[0].powf(a[1]),
            Self::Negate => -a[0],
            Self::Less => compare(a[0] < a[1]),
            Self::LessOrEqual => compare(a[0] <= a[1]),
            Self::Greater => compare(a[0] > a[1]),
            Self::GreaterOrEqual => compare(a[0] >= a[1]),
            Self::Equal => compare(a[0] == a[1]),
            Self::NotEqual => compare(a[0] != a[1]),
            Self::And => compare(a[0] != 0.0 && a[1] != 0.0),
            Self::Or => compare(a[0] != 0.0 || a[1] != 0.0),
            Self::Not if a[0].is_nan() => f64::NAN,
            Self::Not => truth(a[0] == 0.0),
            Self::If if a[0].is_nan() => f64::NAN,
            Self::If => {
                if a[0] != 0.0 {
                    a[1]
                } else {
                    a[2]
                }
            }
            Self::Exp => a[0].exp(),
            Self::Ln => a[0].ln(),
            Self::Log2 => a[0].log2(),
            Self::Log10 => a[0].log10(),
            Self::Log1p => a[0].ln_1p(),
            Self::Expm1 => expm1(a[0]),
            Self::Sqrt => a[0].sqrt(),
            Self::Abs => a[0].abs(),
            Self::Min if a[0].is_nan() || a[1].is_nan() => f64::NAN,
            Self::Min => a[0].min(a[1]),
            Self::Max if a[0].is_nan() || a[1].is_nan() => f64::NAN,
            Self::Max => a[0].max(a[1]),
            Self::Sin => a[0].sin(),
            Self::Cos => a[0].cos(),
            Self::Tan => a[0].tan(),
            Self::Atan => a[0].atan(),
            Self::Sinh => a[0].sinh(),
            Self::Cosh => a[0].cosh(),
            Self::Tanh => a[0].tanh(),
            Self::Gamma => gamma(a[0]),
            Self::LnGamma => lgamma(a[0]),
            Self::Beta => ln_beta(a[0], a[1]).exp(),
            Self::LnBeta => ln_beta(a[0], a[1]),
            Self::Factorial => gamma(a[0] + 1.0),
            Self::Choose => ln_choose(a[0], a[1]).exp(),
            Self::LnChoose => ln_choose(a[0], a[1]),
            Self::Erf => erf(a[0]),
            Self::Erfc => erfc(a[0]),
            Self::NormalCdf => 0.5 * erfc(-a[0] / std::f64::consts::SQRT_2),
            Self::Floor => a[0].floor(),
            Self::Ceil => a[0].ceil(),
            Self::Sign if a[0] == 0.0 || a[0].is_nan() => a[0],
            Self::Sign => a[0].signum(),
            Self::Sigmoid => 1.0 / (1.0 + (-a[0]).exp()),
            Self::Logit => (a[0] / (1.0 - a[0])).ln(),
            Self::Density(density) => density.ln_pdf(a[0], &a[1..]).exp(),
            Self::LnDensity(density) => density.ln_pdf(a[0], &a[1..]),
            Self::DearPart(density) => density.dear_part(a),
            Self::LnDensityWith(density) => {
                let last = a.len() - 1;
                density.ln_pdf_with(a[0], &a[1..last], a[last])
            }
            Self::LnProduct if a[0] == f64::NEG_INFINITY || a[1] == f64::NEG_INFINITY => f64::NEG_INFINITY,
            Self::LnProduct => a[0] + a[1],
            Self::LnQuotient if a[0] == f64::NEG_INFINITY && a[1] != f64::NEG_INFINITY => f64::NEG_INFINITY,
            Self::LnQuotient => a[0] - a[1],
            Self::LnPower if a[1] == 0.0 => 0.0,
            Self::LnPower => a[0] * a[1],
            Self::LnSum => ln_sum(a[0], a[1]),
            Self::LnDifference => ln_difference(a[0], a[1]),
            // −ln(1 + e⁻ᵃ), with the larger term taken out.
            Self::LnSigmoid => a[0].min(0.0) - (-a[0].abs()).exp().ln_1p(),
            Self::LnOfGamma if a[0] > 0.0 => lgamma(a[0]),
            Self::LnOfGamma => gamma(a[0]).ln(),
        }
    }
}

/// Γ, without a value where it has none: 0 and below it every whole number.
fn gamma(a: f64) -> f64 {
    if a <= 0.0 && a.fract() == 0.0 { f64::NAN } else { tgamma(a) }
}

fn ln_sum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    let (high, low) = if a >= b { (a, b) } else { (b, a) };
    if high.is_infinite() { high } else { high + (low - high).exp().ln_1p() }
}

fn ln_difference(a: f64, b: f64) -> f64 {
    if b == f64::NEG_INFINITY { a } else { a + (-expm1(b - a)).ln() }
}
