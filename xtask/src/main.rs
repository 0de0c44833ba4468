//! Runs every test and check of the repository: `cargo xtask test`.
//!
//! | task | what it does |
//! |---|---|
//! | `test` | formatting, lints, every test and doc test, tidiness, links |
//! | `tidy` | tidiness and links only |

mod tidy;

use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};

fn main() -> ExitCode {
    let task = std::env::args().nth(1);
    let outcome = match task.as_deref() {
        Some("test") => test(),
        Some("tidy") => tidy::check(),
        _ => Err("usage: cargo xtask test | tidy".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("error: {what}");
            ExitCode::from(1)
        }
    }
}

fn test() -> Result<(), String> {
    tidy::check()?;
    cargo(&["fmt", "--all", "--", "--check"])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    // Benchmarks are checked by the lints and not run: what they measure is never asserted.
    let [passed, failed] = tests()?;
    println!("{passed} passed, {failed} failed");
    Ok(())
}

/// Runs every test, shows what it prints, and counts the tests of all rooms together.
fn tests() -> Result<[u64; 2], String> {
    let arguments = ["test", "--workspace"];
    println!("$ cargo {}", arguments.join(" "));
    let mut child = Command::new(program()).args(arguments).stdout(Stdio::piped()).spawn().map_err(|e| format!("cargo: {e}"))?;
    let mut counts = [0, 0];
    for line in BufReader::new(child.stdout.take().ok_or("the tests' output is piped")?).lines() {
        let line = line.map_err(|e| format!("the tests' output: {e}"))?;
        println!("{line}");
        if let Some(result) = line.strip_prefix("test result: ") {
            for (count, word) in counts.iter_mut().zip(["passed", "failed"]) {
                let words: Vec<&str> = result.split([' ', ';', '.']).filter(|w| !w.is_empty()).collect();
                let number = words.windows(2).find(|pair| pair[1] == word).and_then(|pair| pair[0].parse::<u64>().ok());
                *count += number.unwrap_or(0);
            }
        }
    }
    let status = child.wait().map_err(|e| format!("cargo: {e}"))?;
    if status.success() { Ok(counts) } else { Err(format!("cargo test failed: {} passed, {} failed", counts[0], counts[1])) }
}

fn program() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn cargo(arguments: &[&str]) -> Result<(), String> {
    println!("$ cargo {}", arguments.join(" "));
    let status = Command::new(program()).args(arguments).status().map_err(|e| format!("cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("cargo {} failed", arguments.join(" "))) }
}
