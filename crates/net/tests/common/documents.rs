//! What tests of formats share: writing and reading back, and a document with everything in it.

use tunbridge_net::format::{self, Contents, Document, FormatKind, names};
use tunbridge_net::{Network, Tree, VarId};

/// The formats that hold a whole network.
pub const WHOLE: [FormatKind; 7] =
    [FormatKind::Tbn, FormatKind::Bif, FormatKind::XmlBif, FormatKind::Net, FormatKind::Dsc, FormatKind::Uai, FormatKind::Xdsl];

pub fn document(kind: FormatKind, bytes: &[u8]) -> Document {
    match format::read(kind, bytes) {
        Ok(Contents::Network(document)) => document,
        other => panic!("{kind}: {other:?}"),
    }
}

/// Written and read back, with the names of the second file if there is one.
pub fn round(kind: FormatKind, original: &Document) -> Document {
    let written = format::write(kind, original).unwrap();
    let again = document(kind, written.text.as_bytes());
    match written.sidecar {
        Some(sidecar) => names::apply(again, sidecar.text.as_bytes()).unwrap(),
        None => again,
    }
}

/// Every kind of distribution.
#[allow(dead_code)]
pub fn of_every_kind() -> Document {
    let network = Network::builder()
        .variable("Flu", ["yes", "no"])
        .probabilities([0.1, 0.9])
        .variable("Cold", ["none", "mild", "bad one"])
        .probabilities([0.7, 0.2, 0.1])
        .variable("Fever", ["yes", "no"])
        .noisy_or("yes", [("Flu", "yes", 0.8), ("Cold", "mild", 0.1), ("Cold", "bad one", 0.4)], 0.01)
        .variable("Cough", ["none", "some", "much"])
        .noisy_max(["none", "some", "much"], [("Flu", "yes", [0.3, 0.3, 0.4]), ("Cold", "bad one", [0.1, 0.5, 0.4])], [0.9, 0.1, 0.0])
        .variable("Ill", ["yes", "no"])
        .given(["Flu", "Cold"])
        .deterministic(|states| if states == ["no", "none"] { "no" } else { "yes" })
        .variable("Work", ["yes", "no"])
        .given(["Ill", "Fever", "Cold"])
        .tree(Tree::test("Ill").when("no", [0.99, 0.01]).otherwise(
            Tree::test("Cold").when("mild", Tree::test("Fever").when("yes", [0.0, 1.0]).when("no", [0.6, 0.4])).otherwise([0.1, 0.9]),
        ))
        .build()
        .unwrap();
    Document::new("kinds", network)
}

/// Names and states of every kind, with notes.
pub fn noted() -> Document {
    let network = Network::builder()
        .variable("light on", ["yes", "5-12", "<=3; or \"so\""])
        .probabilities([0.25, 0.25, 0.5])
        .variable("B", ["b b", "+.5"])
        .given(["light on"])
        .probabilities([0.1, 0.9, 1.0, 0.0, 1e-300, 1.0])
        .variable("light_on", ["0", "node"])
        .given(["B", "light on"])
        .probabilities([0.3, 0.7, 0.2, 0.8, 0.1, 0.9, 0.4, 0.6, 0.5, 0.5, 1.0 / 3.0, 2.0 / 3.0])
        .build()
        .unwrap();
    let mut document = Document::new("two words & <more>", network);
    document.properties = vec!["author = \"us; and you\"".into(), "node_size = (80 40)".into()];
    let notes = document.notes_mut(VarId::new(1));
    notes.label = Some("A \"label\"".into());
    notes.position = Some((120.5, -40.0));
    notes.comment = Some("on two lines;\n{ and } & <so>".into());
    notes.state_values = Some(vec![0.1, 2.5]);
    notes.submodel = vec!["outer".into(), "inner \"one\"".into()];
    notes.properties = vec!["HR_Group = \"0\"".into(), "weight = None".into()];
    notes.table_properties = vec!["experience = (1 2)".into()];
    document
}
