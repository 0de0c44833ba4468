//! Naive Bayes as a network, and back: the same answers.

use belief::{Chunk, Codes, Column, Kind, Role, Schema, States, SufficientStatistic, Variable, normalise_ln};
use net::enumeration::enumerate;
use net::{Answer, Evidence, Network, RandomShape, random_network};

use super::golden::PlayTennis;
use crate::{Estimate, EventModel, LearnError, NaiveBayes, NaiveBayesPrior, NaiveBayesStatistic, NetworkAsData, Treatment};

/// P(class | row) by the network, or that the row is impossible; `None` is missing.
fn by_network(network: &Network, target: &str, row: &[(&str, Option<&str>)]) -> Option<Vec<f64>> {
    let seen: Vec<(&str, &str)> = row.iter().filter_map(|(name, state)| Some((*name, (*state)?))).collect();
    let evidence = Evidence::of_states(network, &seen).unwrap();
    match enumerate(network, &[network.find(target).unwrap()], &evidence).unwrap() {
        Answer::Possible { answer, .. } => Some(answer.probabilities),
        Answer::Impossible => None,
    }
}

/// P(class | row) by a classifier of categorical columns, or that the row is impossible; the target's code is not looked at.
fn by_model(model: &NaiveBayes, schema: &Schema, codes: &[Option<usize>]) -> Option<Vec<f64>> {
    let codes: Vec<[u8; 1]> = codes.iter().map(|code| [code.map_or(u8::MAX, |code| code as u8)]).collect();
    let columns: Vec<Column<'_>> = codes
        .iter()
        .zip(schema.cardinalities())
        .map(|(codes, n_states)| Column::Categorical { codes: Codes::U8(codes), n_states })
        .collect();
    let mut scores = Vec::new();
    model.ln_joint(&Chunk { first_row: 0, n_rows: 1, columns: &columns, weights: None }, &mut scores).unwrap();
    if scores.iter().all(|ln| *ln == f64::NEG_INFINITY) {
        return None;
    }
    normalise_ln(&mut scores);
    Some(scores.into_iter().map(f64::exp).collect())
}

/// Every row of codes with a place for what is missing.
fn all_rows(n_states: &[usize]) -> Vec<Vec<Option<usize>>> {
    let with = |row: &Vec<Option<usize>>, next: Option<usize>| row.iter().copied().chain([next]).collect::<Vec<_>>();
    n_states.iter().fold(vec![Vec::new()], |rows, &n| {
        rows.iter().flat_map(|row| (0..=n).map(move |state| with(row, (state < n).then_some(state)))).collect()
    })
}

fn assert_same(found: &Option<Vec<f64>>, expected: &Option<Vec<f64>>) {
    match (found, expected) {
        (Some(found), Some(expected)) => {
            assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12), "{found:?} for {expected:?}");
        }
        (found, expected) => assert_eq!(found, expected),
    }
}

/// Model and network agree on every day there could be, and so does the model made of the network.
#[test]
fn play_tennis_there_and_back() {
    let play_tennis = PlayTennis::new();
    let (names, n_states): (Vec<&str>, Vec<usize>) =
        play_tennis.schema.variables()[..4].iter().map(|v| (v.name.as_str(), v.kind.states().unwrap().len())).unzip();
    for estimate in ["ml", "laplace", "m:3", "m:7:empirical", "dirichlet:3"] {
        let model = play_tennis.model(estimate);
        let network = model.to_network(&play_tennis.schema).unwrap();
        assert_eq!(network.name(net::VarId::new(0)), "PlayTennis");
        let data = NetworkAsData::new(&network, "PlayTennis", 14.0).unwrap();
        let back = NaiveBayes::new(&data.schema, &data.statistic, &data.prior).unwrap();
        for row in all_rows(&n_states) {
            let of = |place: usize| play_tennis.schema.states(belief::VarId::new(place)).unwrap().names();
            let named: Vec<(&str, Option<&str>)> =
                row.iter().enumerate().map(|(place, state)| (names[place], state.map(|state| of(place)[state].as_str()))).collect();
            let expected = by_model(&model, &play_tennis.schema, &[&row[..], &[None]].concat());
            assert_same(&by_network(&network, "PlayTennis", &named), &expected);
            assert_same(&by_model(&back, &data.schema, &[&[None], &row[..]].concat()), &expected);
        }
    }
    // By maximum likelihood the fourteen days come back, to rounding.
    let network = play_tennis.model("ml").to_network(&play_tennis.schema).unwrap();
    let data = NetworkAsData::new(&network, "PlayTennis", 14.0).unwrap();
    assert!(data.statistic.classes().iter().zip(play_tennis.statistic.classes()).all(|(found, seen)| (found - seen).abs() < 1e-12));
}

/// A random network of the right shape classifies as it answers, whatever the zeros.
#[test]
fn networks_classify_as_they_answer() {
    for seed in 0..40 {
        // Of one parent at most; those that do not fit are told.
        let shape = RandomShape {
            n_variables: 4,
            max_parents: 1,
            p_arc: 0.6,
            states: 2..=3,
            p_tree: 0.2,
            p_noisy_max: 0.2,
            ..RandomShape::default()
        };
        let network = random_network(seed, &shape).unwrap();
        let dag = network.dag();
        for class in dag.variables() {
            let fits = dag.variables().all(|v| dag.parents(v).iter().all(|&parent| v != class && parent == class));
            let name = network.name(class).to_string();
            let data = NetworkAsData::new(&network, &name, 3.0);
            assert_eq!(data.is_ok(), fits);
            let Ok(data) = data else { continue };
            let Ok(model) = NaiveBayes::new(&data.schema, &data.statistic, &data.prior) else {
                assert!(network.table(class).unwrap().iter().filter(|p| **p > 0.0).count() < 2);
                continue;
            };
            for mut row in all_rows(&data.schema.cardinalities()) {
                if row[class.index()].take().is_some() {
                    continue;
                }
                let named: Vec<(&str, Option<&str>)> =
                    dag.variables().map(|v| (network.name(v), row[v.index()].map(|state| network.states(v)[state].as_str()))).collect();
                assert_same(&by_model(&model, &data.schema, &row), &by_network(&network, &name, &named));
            }
        }
    }
}

fn schema_of_numbers() -> Schema {
    let classes = States::declared(vec!["a".into(), "b".into()], false).unwrap();
    Schema::new(vec![
        Variable { name: "X".into(), kind: Kind::Numeric, role: Role::Input },
        Variable { name: "Class".into(), kind: Kind::Categorical(classes), role: Role::Target },
    ])
    .unwrap()
}

fn model_of_numbers(treatment: Treatment) -> (Schema, NaiveBayes) {
    let schema = schema_of_numbers();
    let mut statistic = NaiveBayesStatistic::empty(&[treatment, Treatment::Absent], 1, &schema.cardinalities());
    let columns =
        [Column::Numeric(&[1.0, 2.0, 3.0, 4.0, 7.0, 9.0]), Column::Categorical { codes: Codes::U8(&[0, 0, 0, 1, 1, 1]), n_states: 2 }];
    statistic.observe(Chunk { first_row: 0, n_rows: 6, columns: &columns, weights: None }).unwrap();
    let prior = NaiveBayesPrior { estimate: Estimate::Laplace { l: 1.0 }, ..NaiveBayesPrior::default() };
    let model = NaiveBayes::new(&schema, &statistic, &prior).unwrap();
    (schema, model)
}

#[test]
fn bins_are_states_and_numbers_are_refused() {
    let (schema, model) = model_of_numbers(Treatment::Binned(vec![2.5, 5.0]));
    let network = model.to_network(&schema).unwrap();
    let x = network.find("X").unwrap();
    assert_eq!(network.states(x), ["<=2.5", "2.5..5", ">5"]);
    let expected = [3.0, 2.0, 1.0, 1.0, 2.0, 3.0].map(|n| n / 6.0);
    assert!(network.table(x).unwrap().iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-15));
    let (schema, model) = model_of_numbers(Treatment::Moments);
    let refused = model.to_network(&schema).unwrap_err();
    assert_eq!(refused.to_string(), "a network has states, and `X` has none: cut numbers into bins before learning, and leave texts out");
}

#[test]
fn what_no_network_can_say_is_refused() {
    let play_tennis = PlayTennis::new();
    for event in [EventModel::Bernoulli, EventModel::NearestCentroid] {
        let prior = NaiveBayesPrior { event, ..NaiveBayesPrior::default() };
        let model = NaiveBayes::new(&play_tennis.schema, &play_tennis.statistic, &prior).unwrap();
        let refused = model.to_network(&play_tennis.schema).unwrap_err();
        assert_eq!(refused, LearnError::NoDistributionOverStates { variable: "Outlook".into() });
    }
    let model = play_tennis.model("laplace");
    assert!(model.to_network(&schema_of_numbers()).is_err());
    let chain = Network::builder()
        .variable("A", ["y", "n"])
        .probabilities([0.5, 0.5])
        .variable("B", ["y", "n"])
        .given(["A"])
        .probabilities([0.5, 0.5, 0.25, 0.75])
        .build()
        .unwrap();
    let refused = NetworkAsData::new(&chain, "B", 1.0).unwrap_err().to_string();
    assert_eq!(
        refused,
        "the network has not the shape of naive Bayes: `B` has the parents `A`; the target `B` may have none, and every other variable no other than the target"
    );
    assert!(matches!(NetworkAsData::new(&chain, "C", 1.0), Err(LearnError::Network(_))));
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(NetworkAsData::new(&chain, "A", size), Err(LearnError::NotAnEquivalentSampleSize { .. })));
    }
}
