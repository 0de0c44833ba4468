//! Model files that are not what they should be, and files that are in the way.

use tunbridge::model_file;

use crate::support::Folder;

const VERBS: [&str; 7] = [
    "show m.tb",
    "classify m.tb play_tennis.csv",
    "explain m.tb Wind=Weak",
    "update m.tb play_tennis.csv",
    "merge m.tb play_tennis.tb -o out.tb",
    "diff play_tennis.tb m.tb",
    "evaluate m.tb play_tennis.csv",
];

#[test]
fn a_damaged_model_is_refused_by_every_verb() {
    let folder = Folder::with_model();
    let good = folder.bytes("play_tennis.tb");
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 0x10;
    for bytes in [&good[..good.len() - 1], &good[..good.len() / 2], &good[..9], &flipped] {
        folder.put("m.tb", bytes);
        for verb in VERBS {
            folder.run(verb).fails(1, &["m.tb: is damaged", "learn it again"]);
        }
        assert_eq!(folder.bytes("m.tb"), bytes);
    }
    assert!(!folder.path("out.tb").exists());
}

/// In the library's tests it is every bit; here a few of them go through the program.
#[test]
fn truncations_and_flipped_bits_are_errors() {
    let folder = Folder::with_model();
    let good = folder.bytes("play_tennis.tb");
    for step in 1..20 {
        let place = good.len() * step / 20;
        folder.put("m.tb", &good[..place]);
        let cut = folder.run("show m.tb");
        cut.fails(1, &["m.tb"]);
        let mut bytes = good.clone();
        bytes[place] ^= 1 << (step % 8);
        folder.put("m.tb", bytes);
        folder.run("show m.tb").fails(1, &["m.tb"]);
    }
}

#[test]
fn what_is_no_model_is_said_to_be_none() {
    let folder = Folder::with_model();
    let mut magic = folder.bytes("play_tennis.tb");
    magic[0] = b'T';
    for bytes in [&b""[..], b"\x89TB", b"Outlook,Wind\nSunny,Weak\n", &magic] {
        folder.put("m.tb", bytes);
        for verb in VERBS {
            folder.run(verb).fails(1, &["m.tb: is not a Tunbridge model", "tunbridge learn"]);
        }
    }
    folder.run("show .").fails(1, &[".: is not a Tunbridge model"]);
    folder.run("show play_tenis.tb").fails(1, &["play_tenis.tb: ", "did you mean `play_tennis.tb`?"]);
    folder.run("show nowhere.tb").fails(1, &["nowhere.tb: "]);
}

#[test]
fn a_newer_format_and_an_unknown_kind_are_named() {
    let folder = Folder::with_model();
    let mut newer = folder.bytes("play_tennis.tb");
    newer[8] = 7;
    folder.put("m.tb", newer);
    folder.run("show m.tb").fails(1, &["m.tb: has model format 7", "newer Tunbridge"]);
    folder.put("m.tb", model_file::to_bytes("crystal-ball", &[1, 2, 3]).unwrap());
    folder.run("show m.tb").fails(1, &["m.tb: holds a model of kind `crystal-ball`", "newer Tunbridge"]);
    // The right kind with a body that is something else.
    folder.put("m.tb", model_file::to_bytes("naive-bayes", &[1, 2, 3]).unwrap());
    folder.run("show m.tb").fails(1, &["m.tb: is damaged"]);
}

#[test]
fn a_model_is_no_data_and_data_are_no_model() {
    let folder = Folder::with_model();
    for line in [
        "learn play_tennis.tb -t PlayTennis -o out.tb",
        "learn play_tennis.csv play_tennis.tb -t PlayTennis -o out.tb",
        "schema play_tennis.tb",
        "classify play_tennis.tb play_tennis.tb",
        "explain play_tennis.tb play_tennis.tb",
        "update play_tennis.tb play_tennis.tb",
        "evaluate play_tennis.csv play_tennis.tb",
        "evaluate play_tennis.csv -t PlayTennis --test play_tennis.tb",
    ] {
        folder.run(line).fails(1, &["play_tennis.tb: is a Tunbridge model, not data"]);
    }
    folder
        .run("classify play_tennis.csv play_tennis.tb")
        .fails(1, &["play_tennis.csv: is not a Tunbridge model", "data files come after it"]);
}

#[test]
fn a_file_that_is_no_model_is_not_replaced_unless_it_is_said() {
    let folder = Folder::with_model();
    folder.run("learn play_tennis.csv -t PlayTennis").ok();
    folder.put("thesis.tb", "years of work\n");
    for line in [
        "learn play_tennis.csv -t PlayTennis -o thesis.tb",
        "update play_tennis.tb play_tennis.csv -o thesis.tb",
        "forget play_tennis.tb play_tennis.csv -o thesis.tb",
        "merge play_tennis.tb play_tennis.tb -o thesis.tb",
    ] {
        folder.run(line).fails(1, &["thesis.tb: exists and is not a Tunbridge model", "--force"]);
        assert_eq!(folder.text("thesis.tb"), "years of work\n");
    }
    // The data themselves are in the way, too.
    folder.run("learn play_tennis.csv -t PlayTennis -o play_tennis.csv").fails(1, &["play_tennis.csv: exists"]);
    folder.run("learn play_tennis.csv -t PlayTennis -o thesis.tb --force").ok();
    assert_eq!(folder.bytes("thesis.tb"), folder.bytes("play_tennis.tb"));
}

/// Before the work, not after it.
#[test]
fn an_output_that_cannot_be_is_said_before_the_data_are_read() {
    let folder = Folder::with_model().write("thesis.tb", "years of work\n");
    std::fs::create_dir(folder.path("shelf")).unwrap();
    for (output, says) in [("thesis.tb", "is not a Tunbridge model"), ("shelf", "is a folder"), ("nowhere/m.tb", "no folder `nowhere`")] {
        // Data that are not there would be the first thing met.
        folder.run(&format!("learn nothing.csv -t y -o {output}")).fails(1, &[output, says]);
        folder.run(&format!("update play_tennis.tb nothing.csv -o {output}")).fails(1, &[output, says]);
        folder.run(&format!("merge play_tennis.tb nothing.tb -o {output}")).fails(1, &[output, says]);
    }
    for output in ["shelf", "nowhere/answers.csv"] {
        let refused = folder.run(&format!("classify play_tennis.tb play_tennis.csv -o {output}"));
        assert!(!refused.stderr.contains(".tmp"), "{}", refused.stderr);
        refused.fails(1, &[output]);
    }
    folder.run("learn play_tennis.csv -t PlayTennis -o shelf --force").fails(1, &["shelf: is a folder"]);
}

#[cfg(unix)]
#[test]
fn permissions_are_those_of_the_file_that_is_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with_model();
    let path = folder.path("play_tennis.tb");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o644);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    folder.run("update play_tennis.tb play_tennis.csv").ok();
    assert_eq!(mode(&path), 0o640);
}

/// `--force` is for a file that is in the way, and not for the rows that are just being read.
#[test]
fn a_model_does_not_replace_its_data() {
    let folder = Folder::with_model();
    let days = folder.bytes("play_tennis.csv");
    for line in [
        "learn play_tennis.csv -t PlayTennis -o ./play_tennis.csv --force",
        "update play_tennis.tb play_tennis.csv -o play_tennis.csv --force",
    ] {
        folder.run(line).fails(1, &["is read from, and the model would replace it"]);
    }
    assert_eq!(folder.bytes("play_tennis.csv"), days);
}

/// What was added and taken back leaves the last digits of sums otherwise rounded, and nobody believes anything else for it.
#[test]
fn rounding_is_no_change_of_belief() {
    let folder = Folder::new().write("a.csv", "n,c\n2.5,B\n1.5,A\n1.7,A\n").write("more.csv", "n,c\n0.1,A\n0.3,B\n");
    folder.run("learn a.csv -t c --types n=numeric -o a.tb --evaluate none").ok();
    folder.run("update a.tb more.csv -o b.tb").ok();
    folder.run("forget b.tb more.csv -o b.tb").ok();
    assert!(folder.run("diff a.tb b.tb").ok().stdout().contains("No belief moved."));
}
