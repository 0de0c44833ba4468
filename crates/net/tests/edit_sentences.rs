//! Edits as sentences: how they are read and written, what each does to a network and to what is said around it, and why some cannot be made.

#[path = "common/worlds.rs"]
mod worlds;

use proptest::prelude::*;
use tunbridge_net::format::Document;
use tunbridge_net::query::Assignment;
use tunbridge_net::{Edit, EditError, Effect, Kept, Network, RandomShape, random_network};
use worlds::worlds;

fn parsed(text: &str) -> Edit {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn is(variable: &str, state: &str) -> Assignment {
    Assignment { variable: variable.into(), state: state.into() }
}

#[test]
fn every_edit_is_read() {
    let arc = |parent: &str, child: &str| (parent.to_string(), child.to_string());
    let added = |text: &str| match parsed(text) {
        Edit::AddArc { parent, child } => (parent, child),
        other => panic!("{other:?}"),
    };
    for text in ["add A -> B", " add  A->B ", "add A → B", "add A→B", "add \"A\"->\"B\"", "add A ->B"] {
        assert_eq!(added(text), arc("A", "B"), "{text}");
    }
    assert_eq!(added("add a-b->c-"), arc("a-b", "c-"));
    assert_eq!(added("add a- -> é"), arc("a-", "é"));
    assert_eq!(added("add \"Body weight\"->\"->\""), arc("Body weight", "->"));
    assert_eq!(parsed("remove A -> B"), Edit::RemoveArc { parent: "A".into(), child: "B".into() });
    assert_eq!(parsed("reverse A -> B"), Edit::ReverseArc { parent: "A".into(), child: "B".into() });
    assert_eq!(parsed("sum out out"), Edit::SumOut { variable: "out".into() });
    assert_eq!(parsed("given Age=<5"), Edit::Given(is("Age", "<5")));
    assert_eq!(parsed("given A = \"x y\""), Edit::Given(is("A", "x y")));
    assert_eq!(parsed("rename to to state"), Edit::RenameVariable { variable: "to".into(), to: "state".into() });
    assert_eq!(parsed("rename state to S"), Edit::RenameVariable { variable: "state".into(), to: "S".into() });
    assert_eq!(parsed("rename state of of of to to"), Edit::RenameState { of: is("of", "of"), to: "to".into() });
    assert_eq!(parsed("rename state \"to\" of A to b"), Edit::RenameState { of: is("A", "to"), to: "b".into() });
    assert_eq!(parsed("rename state today of A to b"), Edit::RenameState { of: is("A", "today"), to: "b".into() });
}

#[test]
fn faults_point_at_their_place_and_show_how_edits_are_written() {
    for (text, column, what) in [
        ("", 1, "this is no edit"),
        ("turn A -> B", 1, "this is no edit"),
        ("addA -> B", 1, "this is no edit"),
        ("add A B", 7, "expected `->`, found `B`"),
        ("add -> B", 5, "expected a variable, found an arrow"),
        ("add A ->", 9, "expected a variable, found the end"),
        ("add A -> B -> C", 12, "expected the end, found `->`"),
        ("sum A", 5, "expected `out`, found `A`"),
        ("sum out A, B", 10, "expected the end, found `,`"),
        ("given A", 8, "expected `=`, found the end"),
        ("given A =", 10, "expected a state, found the end"),
        ("rename A B", 10, "expected `to`, found `B`"),
        ("rename state a A to b", 16, "expected `of`, found `A`"),
        ("rename \"A to b", 8, "this quote has no end"),
    ] {
        let error = text.parse::<Edit>().unwrap_err();
        assert_eq!((error.column, error.what.as_str()), (column, what), "{text}");
        assert!(!error.hint.is_empty(), "{text}");
    }
}

fn name() -> impl Strategy<Value = String> {
    let words = ["state", "to", "of", "out", "->", "→", "-", "a→b", "a-", "argmax", "*", ""].map(String::from);
    prop_oneof![".{0,6}", prop::sample::select(words.to_vec())]
}

fn edit() -> impl Strategy<Value = Edit> {
    (0..7_usize, name(), name(), name()).prop_map(|(kind, first, second, third)| match kind {
        0 => Edit::AddArc { parent: first, child: second },
        1 => Edit::RemoveArc { parent: first, child: second },
        2 => Edit::ReverseArc { parent: first, child: second },
        3 => Edit::SumOut { variable: first },
        4 => Edit::Given(is(&first, &second)),
        5 => Edit::RenameVariable { variable: first, to: second },
        _ => Edit::RenameState { of: is(&first, &second), to: third },
    })
}

proptest! {
    #[test]
    fn what_is_written_reads_back(edit in edit()) {
        let text = edit.to_string();
        prop_assert_eq!(text.parse::<Edit>().map_err(|error| TestCaseError::fail(error.to_string()))?, edit);
    }

    #[test]
    fn no_text_is_too_odd_to_be_refused(text in "\\PC*") {
        let _ = text.parse::<Edit>();
    }

    #[test]
    fn no_sentence_is_too_odd_to_be_refused(
        parts in prop::collection::vec(prop::sample::select(vec![
            "add", "remove", "reverse", "sum", "out", "given", "rename", "state", "to", "of", "->", "→", "-", ">", "=", "\"", "\\", " ", "A", "é", "\n",
        ]), 0..12),
    ) {
        let text = parts.concat();
        match text.parse::<Edit>() {
            Ok(edit) => prop_assert_eq!(edit.to_string().parse::<Edit>().ok(), Some(edit)),
            Err(error) => drop(error.to_string()),
        }
    }
}

/// P of some variables' states by their places, by summing all worlds.
fn p_of(network: &Network, some: &[(usize, usize)]) -> f64 {
    let fits = |world: &&Vec<usize>| some.iter().all(|(place, state)| world[*place] == *state);
    worlds(network).iter().filter(fits).map(|world| network.joint_probability(world)).sum()
}

/// Whatever an edit does, it says so: where the distribution is kept all worlds have the probability they had, and where a table is not told
/// of it is what it was.
#[test]
fn what_is_told_of_an_edit_is_so() {
    let mut n_of = [0; 4];
    for seed in 0..40 {
        let shape = RandomShape { n_variables: 4, states: 2..=3, p_arc: 0.6, p_noisy_max: 0.2, p_tree: 0.2, ..RandomShape::default() };
        let network = random_network(seed, &shape).unwrap();
        let names = network.domain().names();
        let mut edits: Vec<Edit> = Vec::new();
        for parent in names {
            edits.push(Edit::SumOut { variable: parent.clone() });
            edits.push(Edit::Given(is(parent, "s0")));
            edits.push(parsed(&format!("rename {parent} to \"x {parent}\"")));
            edits.push(parsed(&format!("rename state s1 of {parent} to yes")));
            for child in names {
                edits.push(parsed(&format!("add {parent} -> {child}")));
                edits.push(parsed(&format!("remove {parent} -> {child}")));
                edits.push(parsed(&format!("reverse {parent} -> {child}")));
            }
        }
        for edit in &edits {
            let (after, effect) = match network.edited(edit) {
                Ok(made) => made,
                Err(
                    EditError::NoSuchArc { .. } | EditError::ArcIsThere { .. } | EditError::Cycle { .. } | EditError::Impossible { .. },
                ) => continue,
                Err(other) => panic!("{edit}: {other}"),
            };
            let gone = effect.dropped.as_ref().map(|name| network.find(name).unwrap().index());
            let before_of = |place: usize| place + usize::from(gone.is_some_and(|gone| gone <= place));
            for world in worlds(&after) {
                let mut some: Vec<(usize, usize)> = world.iter().enumerate().map(|(place, state)| (before_of(place), *state)).collect();
                let now = after.joint_probability(&world);
                match effect.distribution {
                    Kept::Joint | Kept::Marginal => assert!((now - p_of(&network, &some)).abs() < 1e-14, "seed {seed}: {edit}"),
                    Kept::Conditional { ln_p } => {
                        some.push((gone.unwrap(), 0));
                        assert!((now * ln_p.exp() - p_of(&network, &some)).abs() < 1e-14, "seed {seed}: {edit}");
                    }
                    Kept::Nearest { nats } => {
                        let same = (now - p_of(&network, &some)).abs() < 1e-12;
                        assert!(same || !effect.is_kept(), "seed {seed}: {edit} {nats:?}");
                    }
                    _ => panic!("{edit}"),
                }
            }
            n_of[match effect.distribution {
                Kept::Joint => 0,
                Kept::Marginal => 1,
                Kept::Conditional { .. } => 2,
                _ => 3,
            }] += 1;
            for variable in after.dag().variables() {
                let earlier = tunbridge_net::VarId::new(before_of(variable.index()));
                let same_parents = after.dag().parents(variable).len() == network.dag().parents(earlier).len();
                if !effect.changed.contains(&after.name(variable).to_string()) {
                    assert!(same_parents && after.conditional(variable) == network.conditional(earlier), "seed {seed}: {edit}");
                }
            }
            let is_rename = matches!(edit, Edit::RenameVariable { .. } | Edit::RenameState { .. });
            assert!(!is_rename || effect.changed.is_empty(), "{edit}");
        }
    }
    assert!(n_of.iter().all(|n| *n > 80), "{n_of:?}");
}

fn asia() -> Network {
    let path = format!("{}/../../examples/asia.bif", env!("CARGO_MANIFEST_DIR"));
    tunbridge_net::format::bif::read(&std::fs::read(path).unwrap()).unwrap().network
}

#[test]
fn an_arc_that_does_not_matter_is_removed_for_nothing() {
    let (joined, added) = asia().edited(&parsed("add smoke -> xray")).unwrap();
    assert_eq!((added.changed, added.distribution), (vec!["xray".to_string()], Kept::Joint));
    let (parted, removed) = joined.edited(&parsed("remove smoke -> xray")).unwrap();
    assert!(removed.is_kept(), "{removed:?}");
    assert_eq!(parted.dag(), asia().dag());
    // One that matters costs what it told.
    let (_, removed) = asia().edited(&parsed("remove smoke -> lung")).unwrap();
    let Kept::Nearest { nats: Some(nats) } = removed.distribution else { panic!("{removed:?}") };
    let h = |p: f64| -p * p.ln() - (1.0 - p) * (1.0 - p).ln();
    assert!(!removed.is_kept() && (nats - (h(0.055) - 0.5 * h(0.1) - 0.5 * h(0.01))).abs() < 1e-14, "{nats}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let network = asia();
    for (text, says) in [
        ("reverse lung -> smoke", "there is no arc lung → smoke; there is one the other way, smoke → lung"),
        ("remove asia -> smoke", "there is no arc asia → smoke"),
        ("add smoke -> lung", "the arc smoke → lung is there already"),
        ("add xray -> smoke", "the arc would close a cycle: xray → smoke → lung → either → xray"),
        ("add xray -> xray", "the arc would close a cycle: xray → xray"),
        ("sum out smokee", "no variable is named `smokee`: did you mean `smoke`?"),
        ("given lung = yess", "variable `lung` has no state `yess`: did you mean `yes`?\n  known: yes, no"),
        ("rename smoke to lung", "there is a variable `lung` already"),
        ("rename state yes of xray to no", "`xray` has a state `no` already"),
    ] {
        assert_eq!(network.edited(&parsed(text)).unwrap_err().to_string(), says, "{text}");
    }
    let (with_tub, _) = network.edited(&parsed("given tub = YES")).unwrap();
    let never = with_tub.edited(&parsed("given either = no")).unwrap_err();
    assert_eq!(never.to_string(), "`either=no` has probability zero under the network: nothing is the case given it");
    let coin = Network::builder().variable("Coin", ["h", "t"]).probabilities([0.5, 0.5]).build().unwrap();
    for text in ["sum out Coin", "given Coin = h"] {
        assert!(matches!(coin.edited(&parsed(text)), Err(EditError::NothingLeft { .. })), "{text}");
    }
    // Twenty-five causes of a table that has none yet.
    let mut wide = Network::builder().variable("Effect", ["y", "n"]).probabilities([0.5, 0.5]);
    for cause in 0..25 {
        wide = wide.variable(format!("C{cause}"), ["y", "n"]).probabilities([0.5, 0.5]);
    }
    let wide = (0..23).fold(wide.build().unwrap(), |network, cause| network.edited(&parsed(&format!("add C{cause} -> Effect"))).unwrap().0);
    let refused = wide.edited(&parsed("add C23 -> Effect")).unwrap_err().to_string();
    assert!(refused.starts_with("this needs a table of 3.355e7 entries over C0, C1") && refused.contains("C23, Effect"), "{refused}");
}

#[test]
fn what_is_said_of_variables_stays_with_them() {
    let mut document = Document::new("asia", asia());
    document.properties = vec!["author = \"us\"".into()];
    for (place, variable) in asia().dag().variables().enumerate() {
        let notes = document.notes_mut(variable);
        notes.label = Some(format!("label {place}"));
        notes.position = Some((place as f64, 1.0));
        notes.state_values = Some(vec![place as f64, -1.0]);
        notes.submodel = vec!["part".into()];
        notes.properties = vec![format!("kept = {place}")];
        notes.table_properties = vec![format!("experience = ({place})")];
    }
    let edits = ["sum out either", "rename smoke to Smoker", "rename state yes of xray to abnormal", "reverse Smoker -> lung"];
    let mut edited = document.clone();
    let mut effects: Vec<Effect> = Vec::new();
    for text in edits {
        let effect;
        (edited, effect) = edited.edited(&parsed(text)).unwrap();
        effects.push(effect);
    }
    assert_eq!(effects[0].dropped.as_deref(), Some("either"));
    assert_eq!(effects[0].properties_dropped, effects[0].changed);
    assert_eq!(effects[3].properties_dropped, ["Smoker", "lung"]);
    assert_eq!((&edited.name, &edited.properties), (&document.name, &document.properties));
    let changed = ["xray", "dysp", "Smoker", "lung"];
    for variable in document.network().dag().variables() {
        let name = match document.network().name(variable) {
            "either" => continue,
            "smoke" => "Smoker",
            name => name,
        };
        let mut expected = document.notes(variable).clone();
        if changed.contains(&name) {
            expected.table_properties.clear();
        }
        assert_eq!(*edited.notes(edited.network().find(name).unwrap()), expected, "{name}");
    }
    // The document that was edited is as it was.
    assert_eq!(document.network(), &asia());
}
