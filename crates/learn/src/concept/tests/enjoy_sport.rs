//! EnjoySport: Mitchell 1997, tables 2.1 and 2.6, and figures 2.3 to 2.6.

use num_bigint::BigUint;

use crate::concept::*;

pub fn space() -> HypothesisSpace {
    let attribute = |name: &str, states: &[&str]| {
        let states: Vec<String> = states.iter().map(|s| s.to_string()).collect();
        Attribute { name: name.into(), values: Values::Tree(ValueTree::flat(&states)) }
    };
    HypothesisSpace::new(vec![
        attribute("Sky", &["Sunny", "Cloudy", "Rainy"]),
        attribute("AirTemp", &["Warm", "Cold"]),
        attribute("Humidity", &["Normal", "High"]),
        attribute("Wind", &["Strong", "Weak"]),
        attribute("Water", &["Warm", "Cool"]),
        attribute("Forecast", &["Same", "Change"]),
    ])
    .unwrap()
}

pub fn examples() -> Examples {
    let mut examples = Examples::new(6);
    examples.push(&[0, 0, 0, 0, 0, 0], true, 1);
    examples.push(&[0, 0, 1, 0, 0, 0], true, 2);
    examples.push(&[2, 1, 1, 0, 0, 1], false, 3);
    examples.push(&[0, 0, 1, 0, 1, 1], true, 4);
    examples
}

fn written(space: &HypothesisSpace, hypotheses: &[Hypothesis]) -> Vec<String> {
    hypotheses.iter().map(|h| space.written(h)).collect()
}

#[test]
fn the_space_has_5120_syntactic_and_973_semantic_hypotheses() {
    let space = space();
    assert_eq!((space.n_syntactic(), space.n_semantic()), (5120_u32.into(), 973_u32.into()));
    assert_eq!((space.n_instances(), space.enumerate(1000).unwrap().len()), (96_u32.into(), 973));
    let too_many = space.enumerate(972).unwrap_err();
    assert_eq!(too_many, ConceptError::TooManyHypotheses { n: 973_u32.into(), most: 972 });
}

#[test]
fn the_boundaries_after_every_example_are_the_books() {
    let (space, examples) = (space(), examples());
    let mut candidates = CandidateElimination::new(&space, MAX_BOUNDARY);
    let mut steps = Vec::new();
    for example in examples.iter() {
        candidates.observe(example.instance, example.positive, example.row).unwrap();
        steps.push((space.written(candidates.specific()), written(&space, candidates.general())));
    }
    let step = |s: &str, g: &[&str]| (s.to_string(), g.iter().map(|g| g.to_string()).collect::<Vec<_>>());
    assert_eq!(
        steps,
        [
            step("⟨Sunny, Warm, Normal, Strong, Warm, Same⟩", &["⟨?, ?, ?, ?, ?, ?⟩"]),
            step("⟨Sunny, Warm, ?, Strong, Warm, Same⟩", &["⟨?, ?, ?, ?, ?, ?⟩"]),
            step("⟨Sunny, Warm, ?, Strong, Warm, Same⟩", &["⟨Sunny, ?, ?, ?, ?, ?⟩", "⟨?, Warm, ?, ?, ?, ?⟩", "⟨?, ?, ?, ?, ?, Same⟩"]),
            step("⟨Sunny, Warm, ?, Strong, ?, ?⟩", &["⟨Sunny, ?, ?, ?, ?, ?⟩", "⟨?, Warm, ?, ?, ?, ?⟩"]),
        ]
    );
    let steps: Vec<String> = find_s_steps(&space, &examples).iter().map(|h| space.written(h)).collect();
    assert_eq!(steps[0], "⟨∅, ∅, ∅, ∅, ∅, ∅⟩");
    assert_eq!(steps[3..], ["⟨Sunny, Warm, ?, Strong, Warm, Same⟩", "⟨Sunny, Warm, ?, Strong, ?, ?⟩"]);
}

#[test]
fn the_version_space_has_six_members() {
    let version_space = VersionSpace::of(space(), &examples(), MAX_BOUNDARY).unwrap();
    assert_eq!(version_space.size(1), Size::Exact(6_u32.into()));
    assert_eq!(
        written(version_space.space(), &version_space.members(6).unwrap()),
        [
            "⟨Sunny, Warm, ?, Strong, ?, ?⟩",
            "⟨Sunny, Warm, ?, ?, ?, ?⟩",
            "⟨Sunny, ?, ?, Strong, ?, ?⟩",
            "⟨?, Warm, ?, Strong, ?, ?⟩",
            "⟨Sunny, ?, ?, ?, ?, ?⟩",
            "⟨?, Warm, ?, ?, ?, ?⟩",
        ]
    );
    assert_eq!(version_space.members(5), None);
    let listed = list_then_eliminate(&space(), &examples(), MOST_HYPOTHESES).unwrap();
    assert_eq!(listed.hypotheses, version_space.members(6).unwrap());
    assert_eq!(listed.n_left, [973, 64, 32, 28, 6]);
    assert_eq!((listed.specific(), listed.general()), (vec![version_space.specific()], version_space.general().iter().collect()));
}

#[test]
fn the_four_new_days_are_classified_as_in_the_book() {
    let version_space = VersionSpace::of(space(), &examples(), MAX_BOUNDARY).unwrap();
    let voters = version_space.voters(1);
    let vote = |n: u32| Verdict::Vote(Vote { share: f64::from(n) / 6.0, counted: Some((n.into(), 6_u32.into())) });
    assert_eq!(version_space.classify(&[0, 0, 0, 0, 1, 1], &voters), Verdict::SurelyPositive);
    assert_eq!(version_space.classify(&[2, 1, 0, 1, 0, 0], &voters), Verdict::SurelyNegative);
    assert_eq!(version_space.classify(&[0, 0, 0, 1, 0, 0], &voters), vote(3));
    assert_eq!(version_space.classify(&[0, 1, 0, 0, 0, 0], &voters), vote(2));
    // A sky that nobody declared satisfies `?` alone.
    assert_eq!(version_space.classify(&[3, 0, 0, 0, 0, 0], &voters), vote(2));
}

#[test]
fn the_best_question_halves_the_six() {
    let version_space = VersionSpace::of(space(), &examples(), MAX_BOUNDARY).unwrap();
    let question = version_space.best_question(1).unwrap();
    assert_eq!(question.counted, Some((3_u32.into(), 6_u32.into())));
    assert!(question.is_best);
    assert_eq!(version_space.space().values(&question.instance), ["Sunny", "Warm", "Normal", "Weak", "Warm", "Same"]);
}

/// With ⌈log₂ 6⌉ = 3 answers or a few more the concept is found, whichever it is; and then there is nothing left to ask.
#[test]
fn questions_lead_to_each_of_the_six() {
    let start = VersionSpace::of(space(), &examples(), MAX_BOUNDARY).unwrap();
    for concept in start.members(6).unwrap() {
        let mut version_space = start.clone();
        let mut n_asked = 0;
        while let Some(question) = version_space.best_question(1) {
            version_space.observe(&question.instance, concept.covers(&question.instance), 5 + n_asked).unwrap();
            n_asked += 1;
        }
        assert_eq!(version_space.members(10).unwrap(), [concept]);
        assert!(n_asked <= 3, "{n_asked}");
    }
}

#[test]
fn the_rote_learner_says_nothing_of_new_days_and_the_unbiased_one_half() {
    let (space, examples) = (space(), examples());
    let rote = RoteLearner::of(&examples).unwrap();
    assert_eq!((rote.classify(&[0; 6]), rote.classify(&[2, 1, 1, 0, 0, 1]), rote.classify(&[1; 6])), (Some(true), Some(false), None));
    let unbiased = UnbiasedLearner::of(&space, &examples).unwrap();
    assert_eq!((unbiased.n_met(), unbiased.n_not_met()), ((3, 1), BigUint::from(92_u32)));
    assert_eq!((unbiased.classify(&[0; 6]), unbiased.classify(&[1; 6])), (UnbiasedVerdict::Met(true), UnbiasedVerdict::Half));
}

#[test]
fn the_example_that_empties_the_space_is_named() {
    let collapse = |more: &[(&[u32], bool)]| {
        let mut examples = examples();
        more.iter().zip(5..).for_each(|((instance, positive), row)| examples.push(instance, *positive, row));
        VersionSpace::of(space(), &examples, MAX_BOUNDARY).unwrap_err()
    };
    let specific = "⟨Sunny, Warm, ?, Strong, ?, ?⟩".to_string();
    // Negative, and S covers it; what comes later is not to blame.
    let negative = collapse(&[(&[0, 0, 0, 0, 1, 1], false), (&[1; 6], true)]);
    assert_eq!(negative, ConceptError::Collapsed { row: 5, positive: false, earlier: None, specific });
    // Positive, and S must then cover the third row.
    let positive = collapse(&[(&[2, 1, 1, 1, 0, 1], true)]);
    let specific = "⟨?, ?, ?, ?, ?, ?⟩".to_string();
    assert_eq!(positive, ConceptError::Collapsed { row: 5, positive: true, earlier: Some(3), specific });
    assert!(positive.to_string().contains("covers row 3, which is negative"), "{positive}");
    // The same day with another label.
    let contradiction = collapse(&[(&[0, 0, 1, 0, 0, 0], false)]);
    assert_eq!(contradiction, ConceptError::Contradiction { row: 5, earlier: 2, positive: false });
    let mut examples = examples();
    examples.push(&[0; 6], false, 5);
    assert_eq!(RoteLearner::of(&examples).unwrap_err(), ConceptError::Contradiction { row: 5, earlier: 1, positive: false });
}
