//! What a compiler does not check: links of the documents, leftovers, and which room may know which.

use std::fs;
use std::path::{Path, PathBuf};

/// Checks the tree; every fault is said.
pub fn check() -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the workspace has a root")?;
    let mut faults = Vec::new();
    for file in files(root) {
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        let Ok(text) = fs::read_to_string(&file) else { continue };
        match file.extension().and_then(|e| e.to_str()) {
            Some("md") => links(&file, &name, &text, &mut faults),
            Some("rs") => leftovers(&name, &text, &mut faults),
            _ => {}
        }
    }
    rooms(root, &mut faults);
    if faults.is_empty() { Ok(()) } else { Err(format!("{} untidy places:\n  {}", faults.len(), faults.join("\n  "))) }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "data" || path.ends_with("crates/data") {
                found.extend(files(&path));
            }
        } else {
            found.push(path);
        }
    }
    found
}

/// Relative links must lead somewhere, and what stands behind `#` be a heading there.
fn links(file: &Path, name: &str, text: &str, faults: &mut Vec<String>) {
    for (number, line) in text.lines().enumerate() {
        let mut rest = line;
        while let Some(at) = rest.find("](") {
            rest = &rest[at + 2..];
            let Some(end) = rest.find(')') else { break };
            let (target, heading) = rest[..end].split_once('#').unwrap_or((&rest[..end], ""));
            if target.contains("://") || target.contains(' ') {
                continue;
            }
            let there = if target.is_empty() { file.to_path_buf() } else { file.with_file_name(target) };
            if !there.exists() {
                faults.push(format!("{name}:{}: the link to {target} leads nowhere", number + 1));
            } else if !heading.is_empty() && there.extension().is_some_and(|e| e == "md") && !has_heading(&there, heading) {
                faults.push(format!("{name}:{}: the link to {target}#{heading} leads to no heading", number + 1));
            }
        }
    }
}

/// Whether a document has a heading that a link calls so: in small letters, without punctuation, its spaces hyphens.
fn has_heading(file: &Path, wanted: &str) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut in_code = false;
    text.lines().any(|line| {
        in_code ^= line.starts_with("```");
        let title = line.trim_start_matches('#');
        let is_heading = !in_code && title.len() < line.len() && title.starts_with(' ');
        let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        is_heading && kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase() == wanted
    })
}

/// What should not be left in the code; the words are put together here so that this file does not hold them.
fn leftovers(name: &str, text: &str, faults: &mut Vec<String>) {
    let words = [["todo", "!("].concat(), ["unimplemented", "!("].concat(), ["dbg", "!("].concat(), ["FIX", "ME"].concat()];
    for (number, line) in text.lines().enumerate() {
        if let Some(word) = words.iter().find(|word| line.contains(word.as_str())) {
            faults.push(format!("{name}:{}: {word} is left over", number + 1));
        }
    }
}

/// Arrows between the rooms point down only, and each outside technology is known to one room.
fn rooms(root: &Path, faults: &mut Vec<String>) {
    let forbidden: [(&str, &[&str]); 6] = [
        ("belief", &["data", "learn", "net", "evaluate", "tunbridge", "arrow-array", "parquet", "clap"]),
        ("data", &["learn", "net", "evaluate", "tunbridge", "clap"]),
        ("learn", &["data", "evaluate", "tunbridge", "arrow-array", "parquet", "clap"]),
        ("net", &["data", "learn", "evaluate", "tunbridge", "arrow-array", "parquet", "clap"]),
        ("evaluate", &["data", "learn", "net", "tunbridge", "arrow-array", "parquet", "clap"]),
        ("cli", &["belief", "data", "learn", "net", "evaluate", "arrow-array", "parquet"]),
    ];
    for (room, others) in forbidden {
        let manifest = fs::read_to_string(root.join("crates").join(room).join("Cargo.toml")).unwrap_or_default();
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default().split("\n[").next().unwrap_or_default();
        for line in dependencies.lines() {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if others.contains(&name) {
                faults.push(format!("crates/{room}/Cargo.toml: the room {room} must not know {name}"));
            }
        }
    }
}
