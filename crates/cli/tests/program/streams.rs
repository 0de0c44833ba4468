//! Standard output, standard error, and what becomes of them.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use crate::support::Folder;

/// As under `| head -1`: whoever reads may stop.
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = Folder::with_model();
    let days = folder.text("play_tennis.csv");
    let (header, rows) = days.split_once('\n').unwrap();
    folder.put("many.csv", format!("{header}\n{}", rows.repeat(2000)));
    for line in [
        "classify play_tennis.tb many.csv",
        "classify play_tennis.tb many.csv --format jsonl --threads 1",
        "classify play_tennis.tb many.csv --format parquet",
        "classify play_tennis.tb many.csv --format arrow",
        "show play_tennis.tb",
        "man",
        "completions bash",
    ] {
        let mut child = folder.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = Vec::new();
        BufReader::with_capacity(16, child.stdout.take().unwrap()).read_until(b'\n', &mut first).unwrap();
        assert!(!first.is_empty(), "{line}");
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""), "{line}");
    }
}

/// Remarks that nobody reads any more are no reason to fall over, as under `2>&1 | head -1`.
#[test]
fn a_closed_standard_error_is_no_error() {
    let folder = Folder::with_model();
    for (line, code) in [("classify play_tennis.tb Outlook=Foggy --timings", 0), ("show nothing.tb --timings", 1), ("show", 2)] {
        let mut child = folder.command(line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(code), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    let folder = Folder::with_model();
    for line in ["show play_tennis.tb", "classify play_tennis.tb play_tennis.csv", "learn play_tennis.csv -t PlayTennis"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = folder.command(line).stdout(full).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}\n{stderr}");
        assert!(stderr.starts_with("error: standard output: ") && stderr.contains("No space left"), "{line}\n{stderr}");
    }
}

/// What is no plain file, a pipe or a device, is written to and never replaced. (A pipe in the test's own folder: a mistake must not
/// cost the machine its devices.)
#[cfg(unix)]
#[test]
fn answers_may_go_to_a_pipe() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::with_model();
    let pipe = folder.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let plain = folder.run("classify play_tennis.tb play_tennis.csv").ok();
    // Opened for reading and writing, so that nobody waits for the other end; the answers fit into the pipe.
    let mut reader = std::fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    folder.run("classify play_tennis.tb play_tennis.csv -o pipe").ok();
    assert!(std::fs::metadata(&pipe).unwrap().file_type().is_fifo());
    let mut read = vec![0; plain.bytes.len()];
    reader.read_exact(&mut read).unwrap();
    assert_eq!(read, plain.bytes);
}

/// What a link leads to is replaced, not the link.
#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let folder = Folder::with_model();
    std::fs::create_dir(folder.path("shelf")).unwrap();
    std::fs::rename(folder.path("play_tennis.tb"), folder.path("shelf/v1.tb")).unwrap();
    std::os::unix::fs::symlink("shelf/v1.tb", folder.path("current.tb")).unwrap();
    folder.run("update current.tb play_tennis.csv").ok();
    assert!(folder.path("current.tb").symlink_metadata().unwrap().is_symlink());
    assert_eq!(folder.run("show shelf/v1.tb --format json").ok().json()["rows"], 28);
}

#[test]
fn colour_is_for_terminals() {
    let folder = Folder::new();
    for no_color in [None, Some("1")] {
        let mut command = folder.command("show nothing.tb");
        if let Some(value) = no_color {
            command.env("NO_COLOR", value);
        }
        let stderr = String::from_utf8(command.output().unwrap().stderr).unwrap();
        assert!(stderr.starts_with("error: nothing.tb") && !stderr.contains('\u{1b}'), "{stderr}");
    }
}

/// Standard error is the terminal of `script`.
#[cfg(target_os = "linux")]
#[test]
fn no_color_is_respected_on_a_terminal() {
    let folder = Folder::new();
    let program = env!("CARGO_BIN_EXE_tunbridge");
    let run = |no_color: &str| {
        let mut command = std::process::Command::new("script");
        command.args(["-qec", &format!("{program} show nothing.tb"), "/dev/null"]).current_dir(folder.path(".")).stdin(Stdio::null());
        command.env_remove("NO_COLOR").env("TERM", "xterm");
        if !no_color.is_empty() {
            command.env("NO_COLOR", no_color);
        }
        command.output().ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // Not every system has the program.
    let (Some(coloured), Some(plain)) = (run(""), run("1")) else { return };
    assert!(coloured.contains("\u{1b}[1;31merror:"), "{coloured}");
    assert!(plain.contains("error: nothing.tb") && !plain.contains('\u{1b}'), "{plain}");
}

#[test]
fn quiet_keeps_the_result_and_the_errors() {
    let folder = Folder::with_model().write("days.csv", "Outlook,Wind\nFoggy,Weak\n");
    let loud = folder.run("classify play_tennis.tb days.csv").ok().notes(&["no known state", "no column `Temperature`"]);
    let quiet = folder.run("classify play_tennis.tb days.csv -q").ok().silent();
    assert_eq!(quiet.bytes, loud.bytes);
    folder.run("show nothing.tb --quiet").fails(1, &["nothing.tb"]);
}
