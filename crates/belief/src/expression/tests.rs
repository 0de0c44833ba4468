use proptest::prelude::*;

use super::function::FUNCTIONS;
use super::*;

fn value(text: &str) -> f64 {
    Expression::parse(text).unwrap().value(&[("x", 3.0), ("θ", 2.0), ("σ", 0.5)]).unwrap()
}

fn fault(text: &str) -> String {
    Expression::parse(text).unwrap_err().to_string()
}

#[test]
fn operators_bind_as_in_mathematics() {
    for (text, expected) in [
        ("1 + 2*3", 7.0),
        ("-2^2", -4.0),
        ("-x²", -9.0),
        ("2^3^2", 512.0),
        ("2^-1", 0.5),
        ("10²", 100.0),
        ("10⁻²", 0.01),
        ("(x - 1)³", 8.0),
        ("8/4/2", 1.0),
        ("5 - 3 - 1", 1.0),
        ("1e-3*2", 0.002),
        (".5 + 1.", 1.5),
        ("2*π/pi", 2.0),
        ("ln(e)", 1.0),
        ("0 <= x <= θ", 0.0),
        ("0 < θ < x", 1.0),
        ("x > 1 and not θ > 2 or 0 == 1", 1.0),
        ("if(x ≤ θ, 1/θ, 7)", 7.0),
        ("gamma(5)", 24.0),
        ("choose(5, 2) + factorial(3)", 16.0),
        ("min(x, θ) - max(x, θ)", -1.0),
        ("abs(−3)·2", 6.0),
    ] {
        assert!((value(text) - expected).abs() < 1e-12, "{text} is {}", value(text));
    }
}

#[test]
fn a_variable_hides_a_constant_of_its_name() {
    assert_eq!(Expression::parse("e + 1").unwrap().value(&[("e", 5.0)]), Some(6.0));
    let program = Expression::parse("e*2").unwrap().ln_program(&["e"], &[false], &[(-1.0, 9.0)]).unwrap();
    let mut out = [0.0];
    program.run(&[4.0], &[], &mut Registers::default(), &mut out);
    assert_eq!(out, [8_f64.ln()]);
}

#[test]
fn faults_tell_their_place_and_what_to_do() {
    assert_eq!(
        fault("2x + 1"),
        "column 2: expected an operator, found `x`\n  2x + 1\n   ^\n  hint: a product is written with `*`, as in 2*x"
    );
    assert_eq!(
        fault("nromal(x, μ, 1)"),
        "column 1: there is no function `nromal`\n  nromal(x, μ, 1)\n  ^^^^^^\n  hint: did you mean `normal`?"
    );
    assert_eq!(
        fault("1 + normal(x, 1)"),
        "column 5: `normal` does not take 2 argument(s)\n  1 + normal(x, 1)\n      ^^^^^^\n  usage: normal(x, mean, variance)"
    );
    assert_eq!(fault("(1 + 2"), "column 7: expected an operator, `,` or `)`, found the end\n  (1 + 2\n        ^");
    assert_eq!(fault("1 + "), "column 5: expected a number, a name or `(`, found the end\n  1 + \n      ^");
    assert_eq!(fault("1 # 2"), "column 3: `#` means nothing in an expression\n  1 # 2\n    ^");
    assert_eq!(fault(" "), "the expression is empty");
    assert!(fault("1e999").contains("beyond what a number can hold"));
    assert!(fault("1e-999").contains("beyond what a number can hold"));
    let unknown = Expression::parse("exp(-lamda*x)").unwrap().check_names(&["x", "lambda"]).unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "column 6: `lamda` is not known\n  exp(-lamda*x)\n       ^^^^^\n  known: x, lambda\n  hint: did you mean `lambda`?"
    );
}

#[test]
fn deep_and_long_texts_are_refused() {
    for opened in ["(", "-", "exp(", "2^", "not ", "if(1, 2, ", "1 < ("] {
        let text = opened.repeat(4000 / opened.len());
        assert!(fault(&text).contains("nested too deeply"), "{opened}");
    }
    assert!(fault(&"1+".repeat(2000)).contains("nested too deeply"));
    assert!(fault(&"1".repeat(5000)).contains("5000 characters"));
    assert!(Expression::parse(&format!("{}1", "1+".repeat(MOST_HIGH - 1))).is_ok());
    assert!(Expression::parse(&format!("{}1{}", "(".repeat(MOST_NESTED), ")".repeat(MOST_NESTED))).is_ok());
}

/// Logarithms that a double could not hold the argument of.
#[test]
fn logarithms_do_not_underflow() {
    for (text, expected) in [
        ("exp(-x)", -5000.0),
        ("exp(-x)^2*exp(-x)/exp(-x)", -10000.0),
        ("sqrt(exp(-x))", -2500.0),
        ("0.5*exp(-x) + 0.5*exp(-x)", -5000.0),
        ("if(x > 0, exp(-x), 1)", -5000.0),
        ("(x > 0)*exp(-x)", -5000.0),
        ("(x < 0)*exp(-x)", f64::NEG_INFINITY),
        ("normal(x, 0, 1)", -12_500_000.0 - 0.5 * (2.0 * std::f64::consts::PI).ln()),
        ("sigmoid(-x)", -5000.0),
        ("exp(-x) - exp(-x - 1)", -5000.0 + (1.0 - (-1.0_f64).exp()).ln()),
        ("max(exp(-x), exp(-2*x))", -5000.0),
        ("gamma(x)/gamma(x + 1)", -(5000_f64.ln())),
        ("(1 - x)*(2 - x)", (4999_f64 * 4998.0).ln()),
        ("(1 - x)^2", 2.0 * 4999_f64.ln()),
        ("1/x", -(5000_f64.ln())),
        ("exp(-x)/(-3)/(1 - x)", -5000.0 - (3_f64 * 4999.0).ln()),
    ] {
        let program = Expression::parse(text).unwrap().ln_program(&["x"], &[true], &[(0.0, f64::INFINITY)]).unwrap();
        let mut out = [0.0];
        program.run(&[0.0], &[&[5000.0]], &mut Registers::default(), &mut out);
        // ln Γ(5001) is some 38,000, so that its last digits stand at 10⁻¹¹.
        assert!(out[0] == expected || (out[0] / expected - 1.0).abs() < 1e-11, "ln {text} is {} and not {expected}", out[0]);
    }
}

#[test]
fn what_is_not_a_number_is_explained() {
    let why = |text: &str| Expression::parse(text).unwrap().why_not_finite(&[("x", 1.0), ("s", -2.0), ("z", 0.0)]).unwrap();
    assert_eq!(why("x/(z*2)"), "`x/(z*2)` is infinite where x = 1, z*2 = 0 (division by zero)");
    assert_eq!(why("2*normal(x, 0, s)"), "`normal(x, 0, s)` is not a number where x = 1, s = -2 (the variance must be at least 0)");
    assert_eq!(why("if(x > 0, sqrt(s), 1)"), "`sqrt(s)` is not a number where s = -2");
    assert_eq!(why("exp(1000*x)"), "`exp(1000*x)` is infinite where 1000*x = 1000");
}

const NAMES: [&str; 3] = ["x", "θ", "σ"];

/// Random trees of everything that can be written.
fn trees() -> impl Strategy<Value = Tree> {
    use Function as F;
    let leaf = prop_oneof![
        prop_oneof![Just(0.0), Just(0.5), Just(1.0), Just(2.0), Just(3.0), 0.0..1e3_f64, Just(1e-7)].prop_map(Tree::Number),
        prop::sample::select(NAMES.to_vec()).prop_map(|name| Tree::Name(name.into())),
    ];
    let mut functions: Vec<(F, usize)> = FUNCTIONS.iter().map(|(_, arguments, function)| (*function, arguments.len())).collect();
    for facts in &DENSITIES {
        functions.push((F::Density(facts.density), facts.parameters.len() + 1));
        functions.push((F::LnDensity(facts.density), facts.parameters.len() + 1));
    }
    let binary = [F::Add, F::Subtract, F::Multiply, F::Divide, F::Power, F::Less, F::Equal, F::And, F::Or, F::GreaterOrEqual];
    functions.extend([binary.map(|function| (function, 2)), binary.map(|function| (function, 2))].concat());
    functions.extend([(F::Negate, 1), (F::Not, 1), (F::Exp, 1), (F::Exp, 1)]);
    leaf.prop_recursive(5, 40, 4, move |inner| {
        let call = (prop::sample::select(functions.clone()), prop::collection::vec(inner.clone(), 4)).prop_map(|((function, n), mut a)| {
            a.truncate(n);
            Tree::Call(function, a)
        });
        let chain =
            (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| Tree::Chain(Box::new(a), vec![(F::Less, b), (F::LessOrEqual, c)]));
        prop_oneof![9 => call, 1 => chain]
    })
}

fn same(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

proptest! {
    #[test]
    fn reading_what_was_printed_gives_the_same(tree in trees()) {
        let text = tree.to_string();
        prop_assert_eq!(Expression::parse(&text).map_err(|e| e.to_string()).map(|e| e.tree), Ok(tree));
    }

    /// The compiled program against the walk over the tree, over more rows than a block has.
    #[test]
    fn the_program_computes_what_the_tree_says(tree in trees(), theta in 0.1..4.0_f64, sigma in -2.0..2.0_f64) {
        let xs: Vec<f64> = (0..70).map(|i| f64::from(i) / 8.0 - 3.0).collect();
        let mut out = vec![0.0; xs.len()];
        Program::new(&tree, &NAMES, &[true, false, false]).run(&[0.0, theta, sigma], &[&xs], &mut Registers::default(), &mut out);
        for (x, found) in xs.iter().zip(&out) {
            let expected = tree.value(&|name| lookup(&[("x", *x), ("θ", theta), ("σ", sigma)], name));
            prop_assert!(same(*found, expected), "{tree} at {x} is {expected}, not {found}");
        }
    }

    /// Where the value is an ordinary number, its logarithm is the one made on the tree, to rounding.
    #[test]
    fn the_logarithm_is_the_logarithm_of_the_value(tree in trees(), x in -3.0..3.0_f64, theta in 0.1..4.0_f64, sigma in -2.0..2.0_f64) {
        let of = |name: &str| lookup(&[("x", x), ("θ", theta), ("σ", sigma)], name);
        let (plain, by_ln) = (tree.value(&of), ln::ln(&tree, &|name| (if name == "θ" { 0.0 } else { f64::NEG_INFINITY }, f64::INFINITY)).value(&of));
        if plain > 1e-200 && plain < 1e200 {
            // Powers of numbers near one lose digits in either form; a loss of half of them would show a wrong rule too.
            prop_assert!((by_ln - plain.ln()).abs() <= 1e-6 * plain.ln().abs().max(1.0) || sensitive(&tree), "ln {tree}: {by_ln}, of {plain}");
        } else if plain < 0.0 {
            prop_assert!(by_ln.is_nan() || by_ln == f64::NEG_INFINITY || sensitive(&tree), "ln {tree}: {by_ln}, of {plain}");
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,60}") {
        let _ = Expression::parse(&text).map(|e| (e.to_string(), e.value(&[("x", 1.0)]))).map_err(|e| e.to_string());
    }

    #[test]
    fn no_text_of_its_own_words_makes_it_panic(words in prop::collection::vec(prop::sample::select(vec![
        "x", "θ", "1", "2.5e-3", "²", "⁻", "+", "-", "*", "/", "^", "(", ")", ",", "<", "<=", "if", "exp", "normal", "and", "not",
        "in", "~", "∝", "[", "]", "inf", " ", "'", "_",
    ]), 0..40)) {
        let text = words.concat();
        let _ = Expression::parse(&text).map(|e| (e.to_string(), e.value(&[("x", 1.0)]))).map_err(|e| e.to_string());
    }
}

/// Whether a tiny change of a part can change all: differences that cancel, jumps, and periodic functions of large numbers.
fn sensitive(tree: &Tree) -> bool {
    use Function as F;
    match tree {
        Tree::Number(_) | Tree::Name(_) => false,
        Tree::Chain(..) => true,
        Tree::Call(function, a) => {
            let jumps = matches!(
                function,
                F::Subtract | F::Sin | F::Cos | F::Tan | F::Floor | F::Ceil | F::Sign | F::Less | F::Equal | F::GreaterOrEqual | F::Power
            );
            jumps || a.iter().any(sensitive)
        }
    }
}
