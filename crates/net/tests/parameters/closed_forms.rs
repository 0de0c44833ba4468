//! EM where its end is known otherwise: closed forms, and what another program finds.

use std::sync::Arc;

use proptest::prelude::*;
use tunbridge_net::Network;
use tunbridge_net::parameters::em::start;
use tunbridge_net::parameters::gradient_ascent::StepLength;
use tunbridge_net::parameters::{ParameterPrior, Parameters, Pseudocounts};

use crate::climbs::{close, em, families, gradient, incomplete, lbfgs, to_the_top};
use crate::rows::Rows;

/// Rows written as states with a question mark for what is missing, and how often each was seen.
fn rows(written: &[(&str, usize)]) -> Rows {
    let row = |text: &str| -> Vec<Option<usize>> { text.chars().map(|c| c.to_digit(10).map(|state| state as usize)).collect() };
    written.iter().flat_map(|(text, n)| std::iter::repeat_n(row(text), *n)).collect()
}

fn chain(names: &[&str]) -> Network {
    let mut builder = Network::builder().variable(names[0], ["0", "1"]).probabilities([0.5, 0.5]);
    for pair in names.windows(2) {
        builder = builder.variable(pair[1], ["0", "1"]).given([pair[0]]).probabilities([0.5; 4]);
    }
    builder.build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Of one variable gaps say nothing: what is seen alone makes the shares, and pseudo-counts are added to what was seen.
    #[test]
    fn one_variable_with_gaps(n in proptest::array::uniform3(1..30_usize), n_gaps in 0..60_usize, alpha in 0.0..3.0_f64) {
        let die = Network::builder().variable("Die", ["a", "b", "c"]).probabilities([0.2, 0.3, 0.5]).build().unwrap();
        let families = families(&die);
        let found = incomplete(&families, &rows(&[("0", n[0]), ("1", n[1]), ("2", n[2]), ("?", n_gaps)]));
        let prior = ParameterPrior::new(Pseudocounts::PerCell(alpha));
        let begin = Parameters::of_network(&die, Arc::clone(&families)).unwrap();
        let total = n.iter().sum::<usize>() as f64 + 3.0 * alpha;
        let best = n.map(|n| (n as f64 + alpha) / total);
        let fitted = em(&found, &prior, to_the_top(), &begin);
        prop_assert!(close(fitted.parameters.theta(), &best, 1e-8), "{:?} for {best:?}", fitted.parameters.theta());
        prop_assert!(close(lbfgs(&found, &prior, to_the_top(), &begin).parameters.theta(), &best, 1e-5));
        prop_assert!(close(gradient(&found, &prior, to_the_top(), StepLength::Halved, &begin).parameters.theta(), &best, 1e-5));
    }

    /// A → B where A is always seen and B sometimes: P(A) is that of all rows, P(B | A) that of the rows that have B. Where A is missing and
    /// B always seen, the arc turned round gives the same (Anderson 1957).
    #[test]
    fn a_monotone_pattern(n in proptest::array::uniform4(1..30_usize), gaps in proptest::array::uniform2(0..30_usize), turned in any::<bool>()) {
        let families = families(&chain(&["A", "B"]));
        let written = match turned {
            false => [("00", n[0]), ("01", n[1]), ("10", n[2]), ("11", n[3]), ("0?", gaps[0]), ("1?", gaps[1])],
            true => [("00", n[0]), ("10", n[1]), ("01", n[2]), ("11", n[3]), ("?0", gaps[0]), ("?1", gaps[1])],
        };
        let found = incomplete(&families, &rows(&written));
        let prior = ParameterPrior::maximum_likelihood();
        let fitted = em(&found, &prior, to_the_top(), &start(found.observed(), &prior, 0, 0).unwrap());
        // P(x), P(y | x) with x the variable that is always seen; n is x by y.
        let n_all = (n.iter().sum::<usize>() + gaps[0] + gaps[1]) as f64;
        let p_x = [(n[0] + n[1] + gaps[0]) as f64 / n_all, (n[2] + n[3] + gaps[1]) as f64 / n_all];
        let joint: Vec<f64> = (0..4).map(|at| p_x[at / 2] * n[at] as f64 / (n[at / 2 * 2] + n[at / 2 * 2 + 1]) as f64).collect();
        let by = |a: usize, b: usize| if turned { joint[b * 2 + a] } else { joint[a * 2 + b] };
        for a in 0..2 {
            for b in 0..2 {
                let found = fitted.parameters.of(0)[a] * fitted.parameters.of(1)[a * 2 + b];
                prop_assert!((found - by(a, b)).abs() < 1e-8, "{found} for {}", by(a, b));
            }
        }
    }
}

const CHAIN: [(&str, usize); 19] = [
    ("000", 30),
    ("001", 7),
    ("010", 4),
    ("011", 12),
    ("100", 5),
    ("101", 3),
    ("110", 6),
    ("111", 25),
    ("?00", 4),
    ("?11", 6),
    ("0?0", 5),
    ("1?1", 9),
    ("0?1", 3),
    ("1?0", 2),
    ("01?", 3),
    ("10?", 4),
    ("??1", 3),
    ("0??", 2),
    ("???", 1),
];

/// A → B → C by pyAgrum 3.3.1: the rows above as a table with `?` for what is missing, `BNLearner(table, bn, ["?"])`, `useNoPrior()`,
/// `useEM(1e-13, 0.0)`, `learnParameters(bn.dag())`: 18 steps. It stops by the relative change of the log likelihood.
#[test]
fn a_chain_with_gaps_is_as_pyagrum_has_it() {
    let families = families(&chain(&["A", "B", "C"]));
    let found = incomplete(&families, &rows(&CHAIN));
    let prior = ParameterPrior::maximum_likelihood();
    let fitted = em(&found, &prior, to_the_top(), &start(found.observed(), &prior, 0, 0).unwrap());
    let theirs = [
        0.544_882_905_502_647_5,
        0.455_117_094_497_352_4,
        0.651_626_355_500_891_9,
        0.348_373_644_499_108_24,
        0.248_114_866_169_069_36,
        0.751_885_133_830_930_7,
        0.785_004_332_421_083_8,
        0.214_995_667_578_916_17,
        0.168_549_349_237_392_1,
        0.831_450_650_762_607_8,
    ];
    assert!(close(fitted.parameters.theta(), &theirs, 1e-9), "{:?}", fitted.parameters.theta());
}

/// The same with `useSmoothingPrior(1.0)`: one pseudo-count a cell.
#[test]
fn a_chain_with_gaps_and_pseudocounts_is_as_pyagrum_has_it() {
    let families = families(&chain(&["A", "B", "C"]));
    let found = incomplete(&families, &rows(&CHAIN));
    let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    let fitted = em(&found, &prior, to_the_top(), &start(found.observed(), &prior, 0, 0).unwrap());
    let theirs = [
        0.544_369_654_954_111_7,
        0.455_630_345_045_888_3,
        0.646_803_615_180_175_8,
        0.353_196_384_819_824_2,
        0.258_193_278_598_401_24,
        0.741_806_721_401_598_8,
        0.773_192_198_650_368_1,
        0.226_807_801_349_631_88,
        0.179_216_933_580_573_25,
        0.820_783_066_419_426_8,
    ];
    assert!(close(fitted.parameters.theta(), &theirs, 1e-8), "{:?}", fitted.parameters.theta());
}

/// A → C ← B by pyAgrum 3.3.1, as above: 26 steps.
#[test]
fn two_causes_with_gaps_are_as_pyagrum_has_them() {
    let network = Network::builder()
        .variable("A", ["0", "1"])
        .probabilities([0.5, 0.5])
        .variable("B", ["0", "1"])
        .probabilities([0.5, 0.5])
        .variable("C", ["0", "1", "2"])
        .given(["A", "B"])
        .probabilities([1.0 / 3.0; 12])
        .build()
        .unwrap();
    let families = families(&network);
    let written = [
        ("000", 20),
        ("001", 5),
        ("002", 2),
        ("010", 4),
        ("011", 11),
        ("012", 6),
        ("100", 3),
        ("101", 9),
        ("102", 7),
        ("110", 2),
        ("111", 4),
        ("112", 18),
        ("?00", 4),
        ("?12", 7),
        ("0?1", 6),
        ("1?2", 3),
        ("??0", 3),
        ("?0?", 2),
        ("1??", 4),
    ];
    let found = incomplete(&families, &rows(&written));
    let prior = ParameterPrior::maximum_likelihood();
    let fitted = em(&found, &prior, to_the_top(), &start(found.observed(), &prior, 0, 0).unwrap());
    let theirs = [
        0.521_282_087_972_891_6,
        0.478_717_912_027_108_45,
        0.489_936_818_977_757_9,
        0.510_063_181_022_242,
        0.747_214_067_402_141_5,
        0.193_323_163_508_434_18,
        0.059_462_769_089_424_42,
        0.158_772_493_844_575_84,
        0.555_934_559_812_681_8,
        0.285_292_946_342_742_44,
        0.201_469_329_694_549_03,
        0.424_564_759_848_975_3,
        0.373_965_910_456_475_76,
        0.069_381_479_592_058_1,
        0.127_834_187_431_209_5,
        0.802_784_332_976_732_5,
    ];
    assert!(close(fitted.parameters.theta(), &theirs, 1e-7), "{:?}", fitted.parameters.theta());
}
