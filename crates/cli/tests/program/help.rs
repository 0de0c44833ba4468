//! The help of every verb.

use crate::support::Folder;

const VERBS: [&str; 20] = [
    "learn",
    "classify",
    "explain",
    "show",
    "schema",
    "update",
    "forget",
    "merge",
    "diff",
    "evaluate",
    "weigh",
    "concept",
    "estimate",
    "ask",
    "convert",
    "edit",
    "impute",
    "random",
    "completions",
    "man",
];

#[test]
fn every_verb_has_its_help() {
    let folder = Folder::new();
    insta::assert_snapshot!("help", folder.run("--help").ok().silent().stdout());
    for verb in VERBS {
        let help = folder.run(&format!("{verb} --help")).ok().silent();
        insta::assert_snapshot!(format!("help_{verb}"), help.stdout());
        let widest = help.stdout().lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(100), "{verb}: {widest:?} columns");
        assert_eq!(folder.run(&format!("help {verb}")).ok().stdout(), help.stdout());
    }
}

#[test]
fn the_version_is_the_crates() {
    let version = Folder::new().run("--version").ok().silent();
    assert_eq!(version.stdout(), format!("tunbridge {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn without_a_verb_the_help_is_shown_and_it_is_wrong_usage() {
    let folder = Folder::new();
    let outcome = folder.run("");
    assert_eq!((outcome.code, outcome.stdout()), (2, ""));
    assert_eq!(outcome.stderr, folder.run("--help").ok().stdout());
}

#[test]
fn the_manual_and_the_completions_know_every_verb() {
    let folder = Folder::new();
    let manual = folder.run("man").ok().silent();
    for verb in VERBS {
        assert!(manual.stdout().contains(&format!("tunbridge\\-{verb}")), "{verb}");
    }
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let completions = folder.run(&format!("completions {shell}")).ok().silent();
        for verb in VERBS {
            assert!(completions.stdout().contains(verb), "{shell}: {verb}");
        }
    }
}
