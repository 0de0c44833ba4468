//! Runs every test and check of the repository: `cargo xtask test`.
//!
//! | task | what it does |
//! |---|---|
//! | `test` | formatting, lints, every test and doc test, tidiness, links |
//! | `tidy` | tidiness and links only |

mod tidy;

use std::process::{Command, ExitCode};

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
    cargo(&["test", "--workspace"])?;
    // Benchmarks are built, not run: what they measure is never asserted.
    cargo(&["bench", "--workspace", "--no-run"])
}

fn cargo(arguments: &[&str]) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    println!("$ cargo {}", arguments.join(" "));
    let status = Command::new(cargo).args(arguments).status().map_err(|e| format!("cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("cargo {} failed", arguments.join(" "))) }
}
