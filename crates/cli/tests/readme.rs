//! The transcripts of the README, of the guide in `docs/` and of the lectures' examples are what the program really prints.
//!
//! `TUNBRIDGE_UPDATE=1 cargo test -p tunbridge-cli --test readme` writes them anew; read the difference before it is committed.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a command line as a shell would, without one: its words are split at spaces that do not stand between single quotes.
fn run(folder: &Path, line: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for (place, part) in line.split('\'').enumerate() {
        if place % 2 == 1 { words.push(part) } else { words.extend(part.split_whitespace()) }
    }
    assert_eq!(words.remove(0), "tunbridge", "{line}");
    let output = Command::new(env!("CARGO_BIN_EXE_tunbridge")).args(words).current_dir(folder).output().unwrap();
    assert_ne!(output.status.code(), Some(101), "{line}");
    let mut text = String::from_utf8(output.stderr).unwrap();
    text.push_str(&String::from_utf8(output.stdout).unwrap());
    text
}

/// Copies a folder and all in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        if path.is_dir() { copy(&path, &to) } else { std::fs::copy(&path, &to).map(drop).unwrap() }
    }
}

/// The transcripts of a page, run in order in a folder of their own with the examples in it.
fn is_what_the_program_prints(name: &str, least_commands: usize) {
    let folder = tempfile::tempdir().unwrap();
    let examples = folder.path().join("examples");
    copy(&root().join("examples"), &examples);
    let path = root().join(name);
    let page = std::fs::read_to_string(&path).unwrap();
    let mut fresh = String::new();
    let mut n_commands = 0;
    let mut in_transcript = false;
    for line in page.lines() {
        match line {
            "```console" => in_transcript = true,
            "```" if in_transcript => in_transcript = false,
            _ if !in_transcript => {}
            _ => {
                let Some(command) = line.strip_prefix("$ ") else { continue };
                n_commands += 1;
                fresh.push_str(line);
                fresh.push('\n');
                fresh.push_str(&run(folder.path(), command));
                continue;
            }
        }
        fresh.push_str(line);
        fresh.push('\n');
    }
    assert!(n_commands >= least_commands, "{name} has {n_commands} commands");
    if std::env::var_os("TUNBRIDGE_UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap();
    for (number, (shown, real)) in page.lines().zip(fresh.lines()).enumerate() {
        assert_eq!(shown, real, "{name}:{}", number + 1);
    }
    assert_eq!(page.len(), fresh.len(), "{name} is longer or shorter than what the program prints");
}

/// The pages of a folder and of those in it, by their paths from the root.
fn pages_in(folder: &str, pages: &mut Vec<String>) {
    let mut entries: Vec<_> = std::fs::read_dir(root().join(folder)).unwrap().map(Result::unwrap).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            pages_in(&name, pages);
        } else if entry.path().extension().is_some_and(|ending| ending == "md") {
            pages.push(name);
        }
    }
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    is_what_the_program_prints("README.md", 10);
}

/// Every page that has a transcript is run; a page that has none, as of the reference, is left alone.
#[test]
fn the_guide_shows_what_the_program_prints() {
    let mut pages = Vec::new();
    pages_in("docs", &mut pages);
    pages.retain(|page| std::fs::read_to_string(root().join(page)).unwrap().lines().any(|line| line == "```console"));
    assert!(pages.len() >= 5, "docs/ has {} pages with transcripts", pages.len());
    for page in pages {
        is_what_the_program_prints(&page, 1);
    }
}

#[test]
fn the_lectures_examples_are_what_the_program_prints() {
    is_what_the_program_prints("examples/lectures.md", 10);
}
