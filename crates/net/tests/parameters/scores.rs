//! How many states a hidden variable has, by score.

use std::convert::Infallible;
use std::sync::Arc;

use belief::Climb;
use tunbridge_net::Network;
use tunbridge_net::parameters::em::{Em, EmOptions, start};
use tunbridge_net::parameters::incomplete_score::{bic, cheeseman_stutz, free_parameters};
use tunbridge_net::parameters::{
    Expected, FamilyCounts, ParameterPosterior, ParameterPrior, Parameters, PriorFault, Pseudocounts, ln_marginal_likelihood,
};

use crate::climbs::{families, incomplete};
use crate::rows::{completions, drawn, place, some_network};

/// A hidden class of three states, and six children that tell them apart.
fn three_classes() -> Network {
    let mut builder = Network::builder().variable("Class", ["1", "2", "3"]).probabilities([0.4, 0.35, 0.25]);
    for name in ["A", "B", "C"] {
        builder = builder.variable(name, ["x", "y", "z"]).given(["Class"]).probabilities([0.8, 0.1, 0.1, 0.1, 0.8, 0.1, 0.1, 0.1, 0.8]);
    }
    for name in ["D", "E", "F"] {
        builder = builder.variable(name, ["x", "y"]).given(["Class"]).probabilities([0.9, 0.1, 0.2, 0.8, 0.5, 0.5]);
    }
    builder.build().unwrap()
}

#[test]
fn three_well_separated_states_are_found() {
    let network = three_classes();
    let rows = drawn(&network, 400, 5, 0.0, &[0]);
    let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    let climb = Climb { most_steps: 200, least_rise: 1e-6, least_change: f64::INFINITY };
    let (mut by_bic, mut by_cheeseman_stutz) = (Vec::new(), Vec::new());
    for n_states in 1..=5 {
        let mut sizes = families(&network).n_states().to_vec();
        sizes[0] = n_states;
        let families = Arc::new(families(&network).with_states(sizes).unwrap());
        let found = incomplete(&families, &rows);
        let em = Em { observed: found.observed(), prior: &prior, options: EmOptions { climb, accelerate: true } };
        let run = |nth| em.run(start(found.observed(), &prior, 2, nth).unwrap(), |p| Ok::<_, Infallible>(found.expected_here(p))).unwrap();
        let best = (0..4).map(run).max_by(|a, b| a.objectives.last().unwrap().total_cmp(b.objectives.last().unwrap())).unwrap();
        let expected = found.expected_here(&best.parameters);
        by_bic.push(bic(found.observed(), &prior, &best.parameters, &expected));
        by_cheeseman_stutz.push(cheeseman_stutz(found.observed(), &prior, &best.parameters, &expected).unwrap());
    }
    for scores in [&by_bic, &by_cheeseman_stutz] {
        let best = (0..5).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap() + 1;
        assert_eq!(best, 3, "{scores:?}");
        // The evidence is strong on both sides.
        assert!(scores[2] > scores[1] + 10.0 && scores[2] > scores[3] + 5.0, "{scores:?}");
    }
}

/// Of rows with few gaps P(rows) is the sum over all ways of filling them. Cheeseman and Stutz come near it, nearer than BIC.
#[test]
fn cheeseman_and_stutz_are_near_the_list() {
    let network = some_network(3, 4);
    let families = families(&network);
    let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    let mut rows = drawn(&network, 60, 3, 0.0, &[]);
    for (nth, row) in rows.iter_mut().take(5).enumerate() {
        row[nth % 4] = None;
    }
    // All ways of filling the gaps at once.
    let mut all: Vec<Vec<f64>> = vec![vec![0.0; families.n_cells()]];
    for row in &rows {
        let completions = completions(&families, row);
        let with = |counts: &Vec<f64>| -> Vec<Vec<f64>> {
            let added = |row: &Vec<usize>| {
                let mut counts = counts.clone();
                (0..families.len()).for_each(|of| counts[place(&families, of, row)] += 1.0);
                counts
            };
            completions.iter().map(added).collect()
        };
        all = all.iter().flat_map(with).collect();
    }
    let terms: Vec<f64> = all.iter().map(|counts| ln_marginal_likelihood(&families, &prior, counts).unwrap()).collect();
    let exact = belief::log_sum_exp(&terms);
    let found = incomplete(&families, &rows);
    let fitted = crate::climbs::em(&found, &prior, crate::climbs::to_the_top(), &start(found.observed(), &prior, 0, 0).unwrap());
    let near = cheeseman_stutz(found.observed(), &prior, &fitted.parameters, &found.expected_here(&fitted.parameters)).unwrap();
    assert!((near - exact).abs() < 0.5, "{near} for {exact}");
    // BIC is farther off.
    let far = bic(found.observed(), &prior, &fitted.parameters, &found.expected_here(&fitted.parameters));
    assert!((far - exact).abs() > (near - exact).abs(), "{far} for {exact}");
}

#[test]
fn scores_know_what_is_fixed_and_what_is_not_defined() {
    let network = three_classes();
    let families = families(&network);
    let mut prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    // Two for the class, six for each child of three states, three for each of two.
    assert_eq!(free_parameters(&families, &prior), 2 + 3 * 6 + 3 * 3);
    prior.fixed.insert(1, network.table(tunbridge_net::VarId::new(1)).unwrap().to_vec());
    assert_eq!(free_parameters(&families, &prior), 2 + 2 * 6 + 3 * 3);
    let observed = FamilyCounts::empty(Arc::clone(&families));
    let none = Expected::none(&families);
    let theta = Parameters::of_network(&network, Arc::clone(&families)).unwrap();
    assert_eq!(bic(&observed, &prior, &theta, &none), 0.0);
    let fault = cheeseman_stutz(&observed, &ParameterPrior::maximum_likelihood(), &theta, &none);
    assert_eq!(fault, Err(PriorFault::NoPseudocounts));
    // Something was seen that cannot be.
    let coin = Network::builder().variable("Coin", ["heads", "tails"]).probabilities([1.0, 0.0]).build().unwrap();
    let families = crate::climbs::families(&coin);
    let found = incomplete(&families, &[vec![Some(1)]]);
    let certain = Parameters::of_network(&coin, Arc::clone(&families)).unwrap();
    let prior = ParameterPrior::new(Pseudocounts::PerCell(1.0));
    assert_eq!(cheeseman_stutz(found.observed(), &prior, &certain, &Expected::none(&families)), Ok(f64::NEG_INFINITY));
    let learned = ParameterPosterior::new(Arc::clone(&families), &prior, found.observed().cells()).unwrap().parameters();
    // One toss under a uniform prior.
    assert!((cheeseman_stutz(found.observed(), &prior, &learned, &Expected::none(&families)).unwrap() - 0.5_f64.ln()).abs() < 1e-14);
}
