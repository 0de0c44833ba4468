//! What must hold of every space and all examples: each clever way against going through all hypotheses or all instances.

use num_bigint::BigUint;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::concept::counting::{count_between, estimate};
use crate::concept::*;

/// A plain category, a hierarchy, or numbers.
fn attribute() -> impl Strategy<Value = Values> {
    let names = |n: usize| (0..n).map(|s| format!("s{s}")).collect::<Vec<_>>();
    let leaf = |n: usize| Branch::Leaf(format!("s{n}"));
    let tree = |branches: Vec<Branch>| Values::Tree(ValueTree::new(&names(4), branches).unwrap());
    let node = |name: &str, below: Vec<Branch>| Branch::Node(name.into(), below);
    prop_oneof![
        (1..4_usize).prop_map(move |n| Values::Tree(ValueTree::flat(&names(n)))),
        Just(tree(vec![node("a", vec![leaf(0), leaf(2)]), node("b", vec![leaf(3)])])),
        Just(tree(vec![node("a", vec![node("b", vec![leaf(1), leaf(0)]), leaf(2)])])),
        (0..3_usize).prop_map(|n| Values::Range(ValueRange::new((0..n).map(|x| x as f64)))),
    ]
}

/// A space of one to three attributes, and examples that any hypothesis, or none, may have labelled.
fn problem() -> impl Strategy<Value = (HypothesisSpace, Examples)> {
    let space = vec(attribute(), 1..4).prop_map(|values| {
        let attributes = values.into_iter().enumerate().map(|(at, values)| Attribute { name: format!("x{at}"), values }).collect();
        HypothesisSpace::new(attributes).unwrap()
    });
    let rows = vec((vec(0..1000_u32, 3), any::<bool>()), 0..9);
    (space, rows, any::<prop::sample::Index>(), 0..4_u8).prop_map(|(space, rows, concept, how)| {
        let all = space.enumerate(100_000).unwrap();
        let concept = &all[concept.index(all.len())];
        let mut examples = Examples::new(space.attributes().len());
        for ((places, label), row) in rows.into_iter().zip(1..) {
            let instance: Vec<u32> = space.attributes().iter().zip(places).map(|(a, place)| place % a.n_places()).collect();
            // Mostly labels of a concept, sometimes of none.
            let positive = if how == 0 { label } else { concept.covers(&instance) };
            examples.push(&instance, positive, row);
        }
        (space, examples)
    })
}

/// Every instance, also of values that nobody declared.
fn instances(space: &HypothesisSpace) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for attribute in space.attributes() {
        all = all
            .into_iter()
            .flat_map(|before| (0..attribute.n_places()).map(move |place| before.iter().copied().chain([place]).collect()))
            .collect();
    }
    all
}

fn agrees(h: &Hypothesis, examples: &Examples) -> bool {
    examples.iter().all(|e| h.covers(e.instance) == e.positive)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn more_general_is_covering_more((space, _) in problem()) {
        let all = space.enumerate(100_000).unwrap();
        prop_assert_eq!(BigUint::from(all.len()), space.n_semantic());
        let instances = instances(&space);
        // A few of many pairs.
        let some: Vec<&Hypothesis> = all.iter().step_by(all.len().div_ceil(20)).collect();
        for a in &some {
            for b in &some {
                let covers_more = instances.iter().all(|x| a.covers(x) || !b.covers(x));
                prop_assert_eq!(a.is_at_least_as_general_as(b), covers_more);
                // No two hypotheses are the same in what they cover.
                prop_assert_eq!(covers_more && instances.iter().all(|x| b.covers(x) || !a.covers(x)), a == b);
                prop_assert!(!covers_more || a == b || a.level() > b.level());
            }
        }
    }

    /// The representation theorem: the consistent hypotheses are those between S and G. In any order, at once or one by one.
    #[test]
    fn the_version_space_lies_between_its_boundaries((space, examples) in problem()) {
        let listed = list_then_eliminate(&space, &examples, 100_000).unwrap();
        prop_assert!(listed.hypotheses.iter().all(|h| agrees(h, &examples)));
        let found = VersionSpace::of(space.clone(), &examples, 100_000);
        let mut candidates = CandidateElimination::new(&space, 100_000);
        let emptied = examples.iter().find(|e| candidates.observe(e.instance, e.positive, e.row).is_err()).map(|e| e.row);
        if listed.hypotheses.is_empty() {
            let row = match found.unwrap_err() {
                ConceptError::Collapsed { row, .. } | ConceptError::Contradiction { row, .. } => Some(row),
                other => panic!("{other}"),
            };
            // The first example after which the list is empty.
            let first = listed.n_left.iter().position(|n| *n == 0).map(|at| at as u64);
            prop_assert_eq!((row, emptied), (first, first));
            return Ok(());
        }
        let found = found.unwrap();
        prop_assert_eq!(emptied, None);
        prop_assert_eq!((candidates.specific(), candidates.general()), (found.specific(), found.general()));
        prop_assert_eq!((vec![found.specific()], found.general().iter().collect::<Vec<_>>()), (listed.specific(), listed.general()));
        for h in space.enumerate(100_000).unwrap() {
            prop_assert_eq!(found.contains(&h), agrees(&h, &examples));
        }
        prop_assert_eq!(found.size(1), Size::Exact(listed.hypotheses.len().into()));
        prop_assert_eq!(found.members(listed.hypotheses.len()), Some(listed.hypotheses));
    }

    #[test]
    fn votes_are_those_of_the_listed_members((space, examples) in problem()) {
        let Ok(found) = VersionSpace::of(space.clone(), &examples, 100_000) else { return Ok(()) };
        let (members, voters) = (found.members(100_000).unwrap(), found.voters(1));
        for x in instances(&space) {
            let n = members.iter().filter(|h| h.covers(&x)).count();
            match found.classify(&x, &voters) {
                Verdict::SurelyPositive => prop_assert_eq!(n, members.len()),
                Verdict::SurelyNegative => prop_assert_eq!(n, 0),
                Verdict::Vote(vote) => prop_assert_eq!(vote.counted, Some((n.into(), members.len().into()))),
            }
        }
    }

    #[test]
    fn no_instance_of_known_values_halves_better_than_the_best_question((space, examples) in problem()) {
        let Ok(found) = VersionSpace::of(space.clone(), &examples, 100_000) else { return Ok(()) };
        let members = found.members(100_000).unwrap();
        let off = |x: &[u32]| members.len().abs_diff(2 * members.iter().filter(|h| h.covers(x)).count());
        let values: Vec<Vec<u32>> = space.attributes().iter().map(Attribute::value_places).collect();
        let known = |x: &Vec<u32>| x.iter().zip(&values).all(|(place, values)| values.contains(place));
        let best = instances(&space).into_iter().filter(known).map(|x| off(&x)).min().unwrap();
        match found.best_question(1) {
            Some(question) if question.is_best => prop_assert_eq!(off(&question.instance), best),
            Some(question) => prop_assert!(off(&question.instance) < members.len()),
            None => prop_assert_eq!(best, members.len()),
        }
    }

    /// With few steps of work allowed, an estimate; it lies between its bounds, and near the count.
    #[test]
    fn an_estimate_is_near_the_count((space, examples) in problem()) {
        let Ok(found) = VersionSpace::of(space.clone(), &examples, 100_000) else { return Ok(()) };
        if found.general().iter().all(|g| g.spans().is_none()) {
            return Ok(());
        }
        let exact = count_between(&space, found.specific(), found.general(), u64::MAX).unwrap();
        let about = estimate(&space, found.specific(), found.general(), 1000, 7);
        prop_assert!(about.at_least <= exact && exact <= about.at_most);
        let [about_n, whole] = [&about.n, &exact].map(|n| n.to_string().parse::<f64>().unwrap());
        prop_assert!((about_n - whole).abs() <= 5.0 * about.relative_error * whole + 1.0, "{} {}", about_n, whole);
        prop_assert_eq!(estimate(&space, found.specific(), found.general(), 1000, 7), about);
    }

    /// FIND-S finds a MAP hypothesis under a prior that favours specific ones; no noise, any consistent examples.
    #[test]
    fn find_s_is_map_where_specific_hypotheses_are_favoured((space, examples) in problem()) {
        let least = find_s(&space, &examples);
        let consistent = VersionSpace::of(space.clone(), &examples, 100_000).is_ok();
        match BayesianVersionSpace::of(&space, &examples, 0.0, HypothesisPrior::Specific, 100_000) {
            Ok(posterior) => {
                prop_assert!(consistent);
                // By brute force: the greatest P(D | h) P(h) of all.
                let weight = |h: &Hypothesis| if agrees(h, &examples) { -h.level() } else { i64::MIN };
                let all = space.enumerate(100_000).unwrap();
                let best = all.iter().map(weight).max().unwrap();
                prop_assert_eq!(weight(&least), best);
                prop_assert_eq!(&posterior.most_probable(1)[0].0, &least);
            }
            Err(fault) => prop_assert_eq!((fault, consistent), (ConceptError::ZeroEvidence, false)),
        }
    }
}
