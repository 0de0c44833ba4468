//! Equivalence classes and lists of independences, by brute force over all graphs of four variables.

use std::collections::{BTreeMap, BTreeSet};
use tunbridge_net::d_separation::{Separation, d_separation};
use tunbridge_net::independences::{Independence, independences, minimal_independences};
use tunbridge_net::{Dag, EquivalenceClass, NetError, RandomShape, VarId, random_network, v_structures};

/// All acyclic graphs of so many variables.
fn all_dags(n_variables: usize) -> Vec<Dag> {
    let pairs: Vec<(usize, usize)> = (0..n_variables).flat_map(|a| (a + 1..n_variables).map(move |b| (a, b))).collect();
    let graph = |mut code: usize| {
        let mut parents = vec![Vec::new(); n_variables];
        for &(a, b) in &pairs {
            match code % 3 {
                1 => parents[b].push(VarId::new(a)),
                2 => parents[a].push(VarId::new(b)),
                _ => {}
            }
            code /= 3;
        }
        Dag::from_parents(parents).ok()
    };
    (0..3_usize.pow(pairs.len() as u32)).filter_map(graph).collect()
}

fn skeleton(dag: &Dag) -> BTreeSet<(VarId, VarId)> {
    dag.arcs().map(|(a, b)| (a.min(b), a.max(b))).collect()
}

/// 543 graphs of four variables make 185 classes (Gillispie & Perlman 2002), whichever way they are told apart.
#[test]
fn classes_are_those_of_skeletons_and_v_structures_and_of_independences() {
    let dags = all_dags(4);
    assert_eq!(dags.len(), 543);
    let mut classes: BTreeMap<String, Vec<&Dag>> = BTreeMap::new();
    dags.iter().for_each(|dag| classes.entry(format!("{:?}", EquivalenceClass::of(dag))).or_default().push(dag));
    assert_eq!(classes.len(), 185);
    let (mut by_shape, mut by_independence) = (BTreeSet::new(), BTreeSet::new());
    for members in classes.values() {
        let shapes: BTreeSet<_> = members.iter().map(|dag| (skeleton(dag), v_structures(dag))).collect();
        let statements: BTreeSet<_> = members.iter().map(|dag| format!("{:?}", independences(dag).unwrap().collect::<Vec<_>>())).collect();
        assert_eq!((shapes.len(), statements.len()), (1, 1));
        by_shape.extend(shapes);
        by_independence.extend(statements);
        // An arc is compelled if and only if all members have it this way.
        let class = EquivalenceClass::of(members[0]);
        let everywhere: Vec<(VarId, VarId)> = {
            let mut arcs: Vec<_> = members[0].arcs().filter(|(from, to)| members.iter().all(|dag| dag.has_arc(*from, *to))).collect();
            arcs.sort_unstable();
            arcs
        };
        assert_eq!(class.compelled(), everywhere);
        assert_eq!(class.reversible().len() + class.compelled().len(), members[0].n_arcs());
    }
    assert_eq!((by_shape.len(), by_independence.len()), (185, 185));
}

/// Every statement of the list holds, none that holds is left out, and the minimal ones are those without a smaller set.
#[test]
fn lists_of_independences_are_complete() {
    for dag in all_dags(4) {
        let found: Vec<Independence> = independences(&dag).unwrap().collect();
        let mut expected = 0;
        for a in 0..4 {
            for b in a + 1..4 {
                for set in 0..16_usize {
                    if set >> a & 1 == 1 || set >> b & 1 == 1 {
                        continue;
                    }
                    let given: Vec<VarId> = (0..4).filter(|place| set >> place & 1 == 1).map(VarId::new).collect();
                    if d_separation(&dag, &[VarId::new(a)], &[VarId::new(b)], &given) == Separation::Independent {
                        expected += 1;
                        assert!(found.contains(&Independence { pair: [VarId::new(a), VarId::new(b)], given }));
                    }
                }
            }
        }
        assert_eq!(found.len(), expected);
        let smaller = |of: &Independence| {
            found.iter().any(|it| it.pair == of.pair && it.given.len() < of.given.len() && it.given.iter().all(|v| of.given.contains(v)))
        };
        let minimal: Vec<Independence> = minimal_independences(&dag).unwrap().collect();
        assert_eq!(minimal, found.iter().filter(|it| !smaller(it)).cloned().collect::<Vec<_>>());
    }
}

/// Flu and allergy, sinus, headache and nose: by hand.
#[test]
fn independences_of_flu() {
    let [flu, allergy, sinus, headache, nose] = [0, 1, 2, 3, 4].map(VarId::new);
    let dag = Dag::from_parents(vec![vec![], vec![], vec![flu, allergy], vec![sinus], vec![sinus]]).unwrap();
    let minimal: Vec<([VarId; 2], Vec<VarId>)> = minimal_independences(&dag).unwrap().map(|it| (it.pair, it.given)).collect();
    let by_sinus = [[flu, headache], [flu, nose], [allergy, headache], [allergy, nose], [headache, nose]];
    let mut expected: Vec<_> = by_sinus.into_iter().map(|pair| (pair, vec![sinus])).collect();
    expected.push(([flu, allergy], vec![]));
    expected.sort_unstable();
    assert_eq!(minimal, expected);
    assert_eq!(EquivalenceClass::of(&dag).reversible(), []);
}

/// Lazy: the first statement of sixteen variables comes at once; seventeen are refused.
#[test]
fn many_variables() {
    let chain =
        |n: usize| Dag::from_parents((0..n).map(|place| if place == 0 { vec![] } else { vec![VarId::new(place - 1)] }).collect()).unwrap();
    let first = independences(&chain(16)).unwrap().next().unwrap();
    assert_eq!((first.pair, first.given), ([VarId::new(0), VarId::new(2)], vec![VarId::new(1)]));
    let refused = independences(&chain(17)).err().unwrap();
    assert_eq!(refused, NetError::TooManyVariables { n_variables: 17, limit: 16 });
    assert_eq!(independences(&Dag::without_arcs(1)).unwrap().count(), 0);
}

/// The same class by Meek 1995: v-structures first, then arcs that must not make another or a cycle, until no rule applies.
fn compelled_by_meek(dag: &Dag) -> BTreeSet<(VarId, VarId)> {
    let joined = |a: VarId, b: VarId| dag.has_arc(a, b) || dag.has_arc(b, a);
    let mut compelled: BTreeSet<(VarId, VarId)> = v_structures(dag).iter().flat_map(|&[a, b, child]| [(a, child), (b, child)]).collect();
    loop {
        let open: Vec<(VarId, VarId)> = dag
            .arcs()
            .flat_map(|(a, b)| [(a, b), (b, a)])
            .filter(|&(a, b)| !compelled.contains(&(a, b)) && !compelled.contains(&(b, a)))
            .collect();
        let undirected = |a: VarId, b: VarId| open.contains(&(a, b));
        let must = |&(a, b): &(VarId, VarId)| {
            let others: Vec<VarId> = dag.variables().filter(|&c| c != a && c != b).collect();
            let to = |from: VarId, into: VarId| compelled.contains(&(from, into));
            let away = others.iter().any(|&c| to(c, a) && !joined(c, b));
            let round = others.iter().any(|&c| to(a, c) && to(c, b));
            let pair = |c: VarId, d: VarId| c != d && undirected(a, c) && undirected(a, d) && to(c, b) && to(d, b) && !joined(c, d);
            away || round || others.iter().any(|&c| others.iter().any(|&d| pair(c, d)))
        };
        let found: Vec<(VarId, VarId)> = open.iter().copied().filter(must).collect();
        if found.is_empty() {
            return compelled;
        }
        compelled.extend(found);
    }
}

#[test]
fn two_algorithms_find_the_same_class() {
    for seed in 0..120 {
        let shape = RandomShape {
            n_variables: 4 + seed as usize % 9,
            max_parents: 4,
            states: 1..=1,
            p_arc: 0.2 + 0.05 * (seed % 8) as f64,
            ..RandomShape::default()
        };
        let network = random_network(seed, &shape).unwrap();
        let expected: Vec<(VarId, VarId)> = compelled_by_meek(network.dag()).into_iter().collect();
        assert_eq!(EquivalenceClass::of(network.dag()).compelled(), expected, "seed {seed}");
    }
    // Of alarm's 46 arcs four could go either way.
    let path = format!("{}/../../testdata/networks/alarm.bif", env!("CARGO_MANIFEST_DIR"));
    let alarm = tunbridge_net::format::bif::read(&std::fs::read(path).unwrap()).unwrap().network;
    let class = EquivalenceClass::of(alarm.dag());
    assert_eq!(class.compelled(), compelled_by_meek(alarm.dag()).into_iter().collect::<Vec<_>>());
    assert_eq!((class.compelled().len(), class.reversible().len()), (42, 4));
}
