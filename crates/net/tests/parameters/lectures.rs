//! The worked examples of the lectures, by name: the flu network, the storm network, and five rows of which two have no label.
//!
//! Fractions were made by a list of all completions with exact arithmetic; the steps that lead to them are in the comments.

use std::convert::Infallible;
use std::sync::Arc;

use belief::Climb;
use tunbridge_net::Network;
use tunbridge_net::format::{Contents, FormatKind, read};
use tunbridge_net::parameters::em::{Em, EmError, EmFault, EmOptions, start};
use tunbridge_net::parameters::gradient_ascent::StepLength;
use tunbridge_net::parameters::{Families, ParameterPosterior, ParameterPrior, Parameters, Pseudocounts};

use crate::climbs::{close, em, families, gradient, incomplete, lbfgs, to_the_top};
use crate::rows::{Rows, drawn};

/// So many steps of EM, and no judgement.
fn steps(most_steps: usize) -> Climb {
    Climb { most_steps, least_rise: -1.0, least_change: 0.0 }
}

/// Flu, Allergy → Sinus → Headache, Nose; states `yes` and `no`.
fn flu() -> Network {
    let even = |builder: tunbridge_net::NetworkBuilder, name: &str| builder.variable(name, ["yes", "no"]).probabilities([0.5, 0.5]);
    even(even(Network::builder(), "Flu"), "Allergy")
        .variable("Sinus", ["yes", "no"])
        .given(["Flu", "Allergy"])
        .probabilities([0.75, 0.25, 0.75, 0.25, 0.5, 0.5, 0.25, 0.75])
        .variable("Headache", ["yes", "no"])
        .given(["Sinus"])
        .probabilities([0.75, 0.25, 0.25, 0.75])
        .variable("Nose", ["yes", "no"])
        .given(["Sinus"])
        .probabilities([2.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0])
        .build()
        .unwrap()
}

/// Ten patients: Flu, Allergy, Sinus, Headache, Nose, with 1 for yes.
const PATIENTS: [[u8; 5]; 10] = [
    [1, 0, 1, 1, 1],
    [1, 0, 1, 1, 0],
    [1, 1, 1, 1, 1],
    [0, 1, 1, 0, 1],
    [0, 1, 0, 0, 1],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 1, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 1, 1, 1],
    [1, 0, 0, 0, 0],
];

/// `yes` is state 0.
fn patients(is_seen: impl Fn(usize) -> bool) -> Rows {
    let state = |(place, yes): (usize, &u8)| is_seen(place).then_some(1 - usize::from(*yes));
    PATIENTS.iter().map(|row| row.iter().enumerate().map(state).collect()).collect()
}

/// P(yes) of every row of a table.
fn yes(parameters: &Parameters, variable: usize) -> Vec<f64> {
    parameters.of(variable).iter().copied().step_by(2).collect()
}

/// θ(s | f, a) is how many of those with f and a have s: of one patient with both one, of three with flu alone two, of two with an allergy
/// alone one, of four with neither one. Of five with full sinuses four have a headache and four a runny nose, of five without one and one.
#[test]
fn flu_network_maximum_likelihood_by_hand() {
    let families = families(&flu());
    let found = incomplete(&families, &patients(|_| true));
    assert_eq!((found.n_incomplete(), found.n_parts()), (0.0, 0));
    let prior = ParameterPrior::maximum_likelihood();
    let best = ParameterPosterior::new(Arc::clone(&families), &prior, found.observed().cells()).unwrap().parameters();
    assert_eq!(yes(&best, 0), [0.4]);
    assert_eq!(yes(&best, 1), [0.3]);
    assert_eq!(yes(&best, 2), [1.0, 2.0 / 3.0, 0.5, 0.25]);
    assert_eq!(yes(&best, 3), [0.8, 0.2]);
    assert_eq!(yes(&best, 4), [0.8, 0.2]);
    // EM on rows without gaps is there after one step.
    let begin = Parameters::of_network(&flu(), families).unwrap();
    assert_eq!(em(&found, &prior, steps(1), &begin).parameters.theta(), best.theta());
}

/// E[s_k] by Bayes' theorem: of a patient with neither cause, neither headache nor runny nose, 1/4·1/4·1/3 against 3/4·3/4·2/3, so 1/19;
/// θ(s | f, a) is the mean of E[s_k] over those with f and a. With an allergy alone both patients have no headache and a runny nose,
/// 1/2·1/4·2/3 against 1/2·3/4·1/3, so 2/5 each; with both causes 3/4·3/4·2/3 against 1/4·1/4·1/3, so 18/19.
#[test]
fn flu_network_em_with_sinus_never_observed() {
    let network = flu();
    let families = families(&network);
    let found = incomplete(&families, &patients(|place| place != 2));
    let prior = ParameterPrior::maximum_likelihood();
    let begin = Parameters::of_network(&network, families).unwrap();
    let first = em(&found, &prior, steps(1), &begin);
    // P(rows) = 35838275 / 23346660468288651264.
    assert!((first.objectives[0] - (35_838_275.0_f64 / 23_346_660_468_288_651_264.0).ln()).abs() < 1e-12);
    assert!(close(&yes(&first.parameters, 0), &[0.4], 1e-15) && close(&yes(&first.parameters, 1), &[0.3], 1e-15));
    assert!(close(&yes(&first.parameters, 2), &[18.0 / 19.0, 1316.0 / 1881.0, 2.0 / 5.0, 21.0 / 76.0], 1e-14));
    assert!(close(&yes(&first.parameters, 3), &[11640.0 / 15523.0, 4035.0 / 15827.0], 1e-14));
    assert!(close(&yes(&first.parameters, 4), &[10538.0 / 15523.0, 5137.0 / 15827.0], 1e-14));
    let second = em(&found, &prior, steps(2), &begin);
    assert!((second.objectives[1] - 5.838_391_756_096_831e-12_f64.ln()).abs() < 1e-12);
    let sinus = [
        9_285_167_406_816.0 / 9_369_019_377_463.0,
        195_892_208_004_949_650_142_986_013_569_831_452_685_937_739.0 / 298_175_924_467_919_543_146_843_033_802_573_622_060_762_249.0,
        117_327_609_343.0 / 367_948_369_195.0,
        12_998_411_468_130_054_668_261_757_277_022_603_995_509.0 / 44_653_645_352_621_670_842_412_193_922_181_200_170_454.0,
    ];
    assert!(close(&yes(&second.parameters, 2), &sinus, 1e-14), "{:?}", yes(&second.parameters, 2));
    assert!(close(&yes(&second.parameters, 3), &[3_748_820_367.0 / 4_774_796_341.0, 1_312_366_368.0 / 5_455_268_930.0], 1e-9));
    assert!(close(&yes(&second.parameters, 4), &[3_272_295_693.0 / 4_774_796_341.0, 1_807_738_171.0 / 5_455_268_930.0], 1e-9));
}

/// Equal tables of a hidden variable's children say nothing of its states and stay equal for ever; starts are drawn instead.
#[test]
fn flu_network_em_does_not_stay_at_equal_tables() {
    let families = families(&flu());
    let found = incomplete(&families, &patients(|place| place != 2));
    let prior = ParameterPrior::maximum_likelihood();
    let even = Parameters::new(Arc::clone(&families), vec![0.5; families.n_cells()]).unwrap();
    let stuck = em(&found, &prior, to_the_top(), &even);
    assert!(stuck.converged && yes(&stuck.parameters, 3)[0] == yes(&stuck.parameters, 3)[1]);
    let climbed = em(&found, &prior, to_the_top(), &start(found.observed(), &prior, 1, 0).unwrap());
    assert!(climbed.ln_likelihood > stuck.ln_likelihood + 1.0, "{} and {}", climbed.ln_likelihood, stuck.ln_likelihood);
}

/// Y, X1 … X4, of which two rows have no Y.
fn five_rows() -> (Arc<Families>, Rows) {
    let mut builder = Network::builder().variable("Y", ["0", "1"]).probabilities([0.5, 0.5]);
    for name in ["X1", "X2", "X3", "X4"] {
        builder = builder.variable(name, ["0", "1"]).given(["Y"]).probabilities([0.5; 4]);
    }
    let row = |y: Option<usize>, x: [usize; 4]| std::iter::once(y).chain(x.map(Some)).collect();
    let rows = vec![
        row(Some(1), [0, 0, 1, 1]),
        row(Some(0), [0, 1, 0, 0]),
        row(Some(0), [0, 0, 1, 0]),
        row(None, [0, 1, 1, 0]),
        row(None, [0, 1, 0, 1]),
    ];
    (families(&builder.build().unwrap()), rows)
}

/// The three labelled rows with one hallucinated example a state give P(Y=1) = 2/5, and for X1 … X4 being one 1/4, 1/2, 1/2, 1/4 where Y=0
/// and 1/3, 1/3, 2/3, 2/3 where Y=1. The fourth row is 8/405 with Y=1 against 27/320, so that E[Y] = 512/2699; the fifth 8/405 against 9/320,
/// so 512/1241. With the labelled ones Y=1 is expected 1 + 512/2699 + 512/1241 = 5366739/3349459 times, and P(Y=1) becomes one more of that
/// divided by seven.
#[test]
fn five_rows_two_unlabelled_by_hand() {
    let (families, rows) = five_rows();
    let found = incomplete(&families, &rows);
    let labelled = incomplete(&families, &rows[..3]);
    let laplace = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    let begin = ParameterPosterior::new(Arc::clone(&families), &laplace, labelled.observed().cells()).unwrap().parameters();
    let ones =
        |parameters: &Parameters, variable: usize| -> Vec<f64> { parameters.of(variable).iter().copied().skip(1).step_by(2).collect() };
    assert!(close(&ones(&begin, 0), &[0.4], 1e-15));
    for (variable, expected) in
        [[1.0 / 4.0, 1.0 / 3.0], [1.0 / 2.0, 1.0 / 3.0], [1.0 / 2.0, 2.0 / 3.0], [1.0 / 4.0, 2.0 / 3.0]].iter().enumerate()
    {
        assert!(close(&ones(&begin, variable + 1), expected, 1e-15));
    }
    let fitted = em(&found, &laplace, steps(1), &begin);
    let n_of_one = 5_366_739.0 / 3_349_459.0;
    assert!(close(&fitted.expected[..2], &[2.0 - (n_of_one - 1.0), n_of_one - 1.0], 1e-14));
    assert!((fitted.ln_likelihood - (3_349_459.0_f64 / 1_194_393_600_000.0).ln()).abs() < 1e-13);
    let after_one = [
        [8_716_198.0 / 23_446_213.0].to_vec(),
        [3_349_459.0 / 18_079_474.0, 3_349_459.0 / 12_065_657.0].to_vec(),
        [5_690_278.0 / 9_039_737.0, 5_366_739.0 / 12_065_657.0].to_vec(),
        [9_412_985.0 / 18_079_474.0, 7_334_310.0 / 12_065_657.0].to_vec(),
        [2_658_515.0 / 9_039_737.0, 8_080_806.0 / 12_065_657.0].to_vec(),
    ];
    for (variable, expected) in after_one.iter().enumerate() {
        assert!(close(&ones(&fitted.parameters, variable), expected, 1e-14), "{:?}", ones(&fitted.parameters, variable));
    }
    // The second step, by the same list: P(rows) before it, and P(Y=1) after it.
    let fitted = em(&found, &laplace, steps(2), &begin);
    assert!((fitted.ln_likelihood - 5.044_387_193_899_229e-6_f64.ln()).abs() < 1e-13);
    assert!((ones(&fitted.parameters, 0)[0] - 3_691_042_373_409_741.0 / 10_026_430_808_193_593.0).abs() < 1e-14);
    // Maximum likelihood from the same start: expected counts alone.
    let fitted = em(&found, &ParameterPrior::maximum_likelihood(), steps(1), &begin);
    assert!(close(&ones(&fitted.parameters, 0), &[5_366_739.0 / 16_747_295.0], 1e-14));
    assert!(close(&ones(&fitted.parameters, 1), &[0.0, 0.0], 0.0));
    assert!(close(&ones(&fitted.parameters, 2), &[8_031_097.0 / 11_380_556.0, 2_017_280.0 / 5_366_739.0], 1e-14));
    assert!(close(&ones(&fitted.parameters, 3), &[3_031_763.0 / 5_690_278.0, 3_984_851.0 / 5_366_739.0], 1e-14));
    assert!(close(&ones(&fitted.parameters, 4), &[1_967_571.0 / 11_380_556.0, 4_731_347.0 / 5_366_739.0], 1e-14));
}

/// Without smoothing the labelled rows say that X2 is never one where Y is one, and X4 never where it is zero: the last row, which has both,
/// cannot be, and is named.
#[test]
fn five_rows_two_unlabelled_without_smoothing_are_impossible() {
    let (families, rows) = five_rows();
    let prior = ParameterPrior::maximum_likelihood();
    let labelled = incomplete(&families, &rows[..3]);
    let begin = ParameterPosterior::new(Arc::clone(&families), &prior, labelled.observed().cells()).unwrap().parameters();
    let found = incomplete(&families, &rows);
    let options = EmOptions { climb: to_the_top(), accelerate: false };
    let fault = Em { observed: found.observed(), prior: &prior, options }.run(begin, |p| Ok::<_, Infallible>(found.expected_here(p)));
    assert!(matches!(fault, Err(EmError::Fault(EmFault::Impossible { row: 4 }))));
}

/// As in the book: ForestFire, Storm, BusTourGroup and Thunder are seen, Lightning and Campfire are not.
#[test]
fn storm_network_by_gradient_ascent_is_that_by_em() {
    let text = include_bytes!("../../../../examples/storm.tbn");
    let Contents::Network(document) = read(FormatKind::Tbn, text).unwrap() else { unreachable!() };
    let network = document.network();
    let families = families(network);
    let place = |name: &str| network.find(name).unwrap().index();
    let hidden = [place("Lightning"), place("Campfire")];
    let found = incomplete(&families, &drawn(network, 400, 1, 0.0, &hidden));
    assert!(found.observed().of(hidden[0]).iter().all(|n| *n == 0.0));
    let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    let begin = start(found.observed(), &prior, 1, 0).unwrap();
    let by_em = em(&found, &prior, to_the_top(), &begin);
    let by_gradient = gradient(&found, &prior, to_the_top(), StepLength::Halved, &begin);
    let by_lbfgs = lbfgs(&found, &prior, to_the_top(), &begin);
    assert!(10 * by_lbfgs.objectives.len() < by_em.objectives.len(), "{} and {}", by_lbfgs.objectives.len(), by_em.objectives.len());
    let top = by_em.objectives.last().unwrap();
    for fitted in [&by_em, &by_gradient, &by_lbfgs] {
        assert!(fitted.converged);
        let reached = fitted.objectives.last().unwrap();
        assert!((reached - top).abs() < 1e-8 * top.abs(), "{reached} for {top}");
        let distance = fitted.parameters.theta().iter().zip(by_em.parameters.theta()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(distance < 1e-4, "{distance}");
    }
}

/// Where both are seen in every second row, maximum likelihood has one top as well. (Where they never are, it has several: a hidden variable
/// may say the same in many ways, and climbs differ in which they find.)
#[test]
fn storm_network_by_gradient_ascent_is_that_by_em_without_a_prior() {
    let Contents::Network(document) = read(FormatKind::Tbn, include_bytes!("../../../../examples/storm.tbn")).unwrap() else {
        unreachable!()
    };
    let network = document.network();
    let families = families(network);
    let hidden = ["Lightning", "Campfire"].map(|name| network.find(name).unwrap().index());
    let mut rows = drawn(network, 1000, 1, 0.0, &[]);
    rows.iter_mut().step_by(2).for_each(|row| hidden.iter().for_each(|place| row[*place] = None));
    let found = incomplete(&families, &rows);
    let prior = ParameterPrior::maximum_likelihood();
    let begin = start(found.observed(), &prior, 1, 0).unwrap();
    let by_em = em(&found, &prior, to_the_top(), &begin);
    for fitted in [gradient(&found, &prior, to_the_top(), StepLength::Halved, &begin), lbfgs(&found, &prior, to_the_top(), &begin)] {
        let distance = fitted.parameters.theta().iter().zip(by_em.parameters.theta()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(fitted.converged && distance < 1e-4, "{distance} after {} steps", fitted.objectives.len());
        assert!((fitted.ln_likelihood - by_em.ln_likelihood).abs() < 1e-6, "{} for {}", fitted.ln_likelihood, by_em.ln_likelihood);
    }
}
