//! Damaged, scrambled and greedy files of every format: nothing makes a reader panic, take all memory or overflow the stack.

#[path = "common/documents.rs"]
mod documents;

use documents::{WHOLE, noted, of_every_kind, round};
use proptest::prelude::*;
use tunbridge_net::format::{self, Document, FormatKind};
use tunbridge_net::{Network, RandomShape, random_network};

#[test]
fn a_small_file_cannot_ask_for_all_memory_or_stack() {
    for (kind, text) in [
        (FormatKind::XmlBif, "<BIF>".repeat(100_000)),
        (FormatKind::Xdsl, "<smile>".repeat(100_000)),
        (FormatKind::Net, format!("net {{}} node A {{ states = (\"y\" \"n\"); }} potential (A) {{ data = {}", "(".repeat(1_000_000))),
        (FormatKind::Dot, format!("digraph {}", "{".repeat(1_000_000))),
        (FormatKind::Dot, format!("digraph {{ A -> {}", "{".repeat(1_000_000))),
        (FormatKind::Uai, "BAYES 1 18446744073709551615 1 1 0 18446744073709551615 1".to_string()),
        (FormatKind::Uai, "MARKOV 3 16777216 16777216 16777216 1 3 0 1 2 4722366482869645213696 1".to_string()),
        (FormatKind::Bif, "variable A { type discrete [ 999999999999 ] { y }; }".to_string()),
    ] {
        assert!(format::read(kind, text.as_bytes()).is_err(), "{kind}");
    }
    // Sixty parents of two states.
    let mut nodes = String::new();
    let mut xml = String::new();
    let mut given = String::new();
    for place in 0..60 {
        nodes += &format!("node V{place} {{ states = (\"y\" \"n\"); }} potential (V{place}) {{ data = (1 0); }}\n");
        xml += &format!("<cpt id=\"V{place}\"><state id=\"y\"/><state id=\"n\"/><probabilities>1 0</probabilities></cpt>");
        given += &format!(" V{place}");
    }
    for n_parents in [30, 60] {
        let parents = given.split(' ').skip(1).take(n_parents).collect::<Vec<_>>().join(" ");
        let net = format!("net {{}} {nodes} node X {{ states = (\"y\" \"n\"); }} potential (X | {parents}) {{ }}");
        assert!(format::read(FormatKind::Net, net.as_bytes()).unwrap_err().what.contains("too large"));
        let settled = format!(
            "<deterministic id=\"X\"><state id=\"y\"/><parents>{parents}</parents><resultingstates>y</resultingstates></deterministic>"
        );
        let error = format::read(FormatKind::Xdsl, format!("<smile><nodes>{xml}{settled}</nodes></smile>").as_bytes()).unwrap_err();
        assert!(error.what.starts_with("1 resulting states"), "{error}");
    }
}

fn any_kind() -> impl Strategy<Value = FormatKind> {
    prop::sample::select(FormatKind::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_any_reader_panic(kind in any_kind(), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = format::read(kind, &bytes);
        let _ = format::read_any("x", &bytes);
        let _ = format::uai::read_evidence(&bytes);
    }

    #[test]
    fn no_damage_makes_any_reader_panic(
        kind in any_kind(), place in any::<prop::sample::Index>(), length in 0..40_usize, put in prop::collection::vec(any::<u8>(), 0..4), cut in any::<bool>(),
    ) {
        let whole = format::write(kind, &noted()).unwrap().text.into_bytes();
        let start = place.index(whole.len());
        let end = if cut { whole.len() } else { (start + length).min(whole.len()) };
        let bytes = [&whole[..start], &put, &whole[end..]].concat();
        if let Err(error) = format::read(kind, &bytes) {
            prop_assert!(!error.what.is_empty() && error.line > 0 && error.column > 0);
        }
    }

    #[test]
    fn no_damage_to_kinds_makes_any_reader_panic(
        kind in prop::sample::select(vec![FormatKind::Tbn, FormatKind::Xdsl]),
        places in prop::collection::vec((any::<prop::sample::Index>(), 0..30_usize, any::<bool>()), 1..4),
    ) {
        let mut text = format::write(kind, &of_every_kind()).unwrap().text.into_bytes();
        for (place, length, doubled) in places {
            let start = place.index(text.len());
            let piece: Vec<u8> = text.drain(start..(start + length).min(text.len())).collect();
            if doubled {
                let to = place.index(text.len() + 1);
                text.splice(to..to, [piece.clone(), piece].concat());
            }
        }
        if let Ok(format::Contents::Network(document)) = format::read(kind, &text) {
            let again = round(FormatKind::Tbn, &document);
            for variable in document.network().dag().variables() {
                prop_assert_eq!(again.network().table(variable).unwrap(), document.network().table(variable).unwrap());
            }
        }
    }

    #[test]
    fn no_damage_to_names_makes_their_reader_panic(
        place in any::<prop::sample::Index>(), length in 0..20_usize, put in prop::collection::vec(any::<u8>(), 0..4),
    ) {
        let written = format::write(FormatKind::Uai, &noted()).unwrap();
        let names = written.sidecar.unwrap().text.into_bytes();
        let start = place.index(names.len());
        let bytes = [&names[..start], &put, &names[(start + length).min(names.len())..]].concat();
        let format::Contents::Network(bare) = format::read(FormatKind::Uai, written.text.as_bytes()).unwrap() else { unreachable!() };
        if let Ok(named) = format::names::apply(bare.clone(), &bytes) {
            prop_assert_eq!(named.network().n_variables(), bare.network().n_variables());
        }
    }

    #[test]
    fn no_bit_flipped_makes_any_reader_panic(kind in any_kind(), places in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u32), 1..6)) {
        let mut bytes = format::write(kind, &noted()).unwrap().text.into_bytes();
        for (place, bit) in places {
            let place = place.index(bytes.len());
            bytes[place] ^= 1 << bit;
        }
        let _ = format::read(kind, &bytes);
    }

    #[test]
    fn no_shuffled_words_make_any_reader_panic(kind in any_kind(), seed in prop::collection::vec(any::<prop::sample::Index>(), 0..80)) {
        let text = format::write(kind, &noted()).unwrap().text;
        let words: Vec<&str> = text.split_inclusive([' ', '\n', '<', '(', '{', ';', '"']).collect();
        let shuffled: String = seed.iter().map(|index| words[index.index(words.len())]).collect();
        let _ = format::read(kind, shuffled.as_bytes());
    }

    #[test]
    fn any_names_go_round(kind in prop::sample::select(WHOLE.to_vec()), names in prop::collection::hash_set("[^\\x00]{0,8}", 4)) {
        let names: Vec<String> = names.into_iter().collect();
        let network = Network::builder()
            .variable(&names[0], names.iter()).probabilities([0.1, 0.2, 0.3, 0.4])
            .variable(&names[1], &names[..2]).given([&names[0]]).probabilities([0.25, 0.75, 1.0, 0.0, 0.5, 0.5, 0.1, 0.9])
            .build().unwrap();
        let original = Document::new(&names[2], network);
        prop_assert_eq!(round(kind, &original), original);
    }

    #[test]
    fn random_networks_go_round(kind in prop::sample::select(WHOLE.to_vec()), seed in any::<u64>()) {
        let original = Document::new("random", random_network(seed, &RandomShape::default()).unwrap());
        prop_assert_eq!(round(kind, &original), original);
    }
}
