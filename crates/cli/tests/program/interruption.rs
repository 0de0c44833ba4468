//! A model file is the old one or the new one, whatever happens in between.

#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tunbridge::Model;

use crate::support::Folder;

/// A table whose model is large enough that writing it takes a good part of the run.
fn many_states(first: usize) -> String {
    let mut text = "city,street,y\n".to_string();
    for i in 0..6000 {
        text += &format!("city-{},street-{},{}\n", first + i / 2, first + i / 3, ["p", "q"][i % 2]);
    }
    text
}

/// The real program is killed at seeded instants while it saves one model over another.
#[test]
fn a_killed_program_leaves_the_old_model_or_the_new_one() {
    let folder = Folder::new().write("a.csv", many_states(0)).write("b.csv", many_states(100_000));
    let learn = |data: &str| format!("learn {data}.csv -t y --evaluate none --types '*=category' -o m.tb -q");
    let models: Vec<Vec<u8>> = ["a", "b"]
        .iter()
        .map(|data| {
            folder.run(&learn(data)).ok();
            folder.bytes("m.tb")
        })
        .collect();
    assert_ne!(models[0], models[1]);
    let start = Instant::now();
    folder.run(&learn("a")).ok();
    let duration = start.elapsed();

    let mut state = 20_241_115_u64;
    let (mut n_killed, mut n_new) = (0, 0);
    let mut before = folder.bytes("m.tb");
    for round in 0..1000 {
        if n_killed == 40 {
            break;
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Anywhere in the run, more often towards its end, where the file is written.
        let share = ((state >> 40) as f64 / (1_u64 << 24) as f64).sqrt();
        let data = if before == models[0] { "b" } else { "a" };
        let mut child = folder.command(&learn(data)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(duration.mul_f64(share * 1.1));
        child.kill().unwrap();
        n_killed += u32::from(child.wait().unwrap().code().is_none());
        let after = folder.bytes("m.tb");
        assert!(models.contains(&after), "round {round}: {} bytes that are neither model", after.len());
        Model::load(&folder.path("m.tb")).unwrap();
        n_new += u32::from(after != before);
        before = after;
    }
    assert_eq!(n_killed, 40);
    assert!(n_new > 0, "no run ever got so far as to save");
    // What was left lying about is in nobody's way.
    folder.run(&learn("a")).ok();
    assert_eq!(folder.bytes("m.tb"), models[0]);
}

/// Whether a signal is ignored by whoever started the tests, and so by what they start: a shell's background does not hear of Ctrl-C.
fn is_ignored(signal: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() >> (signal - 1) & 1 == 1)
}

fn signal(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Until the program has begun to write.
fn wait_for_answers(folder: &Folder, child: &mut Child) {
    let start = Instant::now();
    while !folder.names().iter().any(|name| name.ends_with(".tmp")) {
        assert!(child.try_wait().unwrap().is_none(), "the program was done before it could be interrupted");
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Ctrl-C, or a signal to end, while the answers are being written.
#[test]
fn an_interrupted_program_leaves_nothing_half_written() {
    let folder = Folder::with_model();
    let days = folder.text("play_tennis.csv");
    let (header, rows) = days.split_once('\n').unwrap();
    folder.put("many.csv", format!("{header}\n{}", rows.repeat(100_000)));
    let ctrl_c = if is_ignored(2) { "-TERM" } else { "-INT" };
    for (format, old, signal) in [("csv", None, ctrl_c), ("parquet", Some("old answers"), ctrl_c), ("jsonl", None, "-TERM")] {
        let output = format!("answers.{format}");
        if let Some(old) = old {
            folder.put(&output, old);
        }
        let line = format!("classify play_tennis.tb many.csv -o {output} --threads 1");
        let mut child = folder.command(&line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for_answers(&folder, &mut child);
        self::signal(&child, signal);
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(!folder.names().iter().any(|name| name.ends_with(".tmp")), "{:?}", folder.names());
        match old {
            Some(old) => assert_eq!(folder.text(&output), old),
            None => assert!(!folder.path(&output).exists()),
        }
    }
}

/// A program that outlives its terminal can still be ended, and is as tidy.
#[cfg(target_os = "linux")]
#[test]
fn a_program_that_ignores_hangups_ends_tidily_when_asked_to() {
    let folder = Folder::with_model();
    let days = folder.text("play_tennis.csv");
    let (header, rows) = days.split_once('\n').unwrap();
    folder.put("many.csv", format!("{header}\n{}", rows.repeat(100_000)));
    let line = r#"trap "" HUP INT; exec "$0" classify play_tennis.tb many.csv -o answers.csv --threads 1"#;
    let mut child = Command::new("sh").args(["-c", line, env!("CARGO_BIN_EXE_tunbridge")]).current_dir(folder.path("")).spawn().unwrap();
    wait_for_answers(&folder, &mut child);
    for ignored in ["-HUP", "-INT"] {
        signal(&child, ignored);
        std::thread::sleep(Duration::from_millis(50));
        assert!(child.try_wait().unwrap().is_none(), "{ignored} is ignored");
    }
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!folder.names().iter().any(|name| name.ends_with(".tmp") || name.starts_with("answers")), "{:?}", folder.names());
}

/// As under `nohup`: what is to outlive its terminal does.
#[cfg(target_os = "linux")]
#[test]
fn a_program_that_ignores_hangups_goes_on() {
    let folder = Folder::with_play_tennis();
    let line = r#"trap "" HUP; exec "$0" learn - -t PlayTennis --evaluate none -o m.tb -q"#;
    let mut command = Command::new("sh");
    command.args(["-c", line, env!("CARGO_BIN_EXE_tunbridge")]).current_dir(folder.path("")).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    signal(&child, "-HUP");
    std::thread::sleep(Duration::from_millis(100));
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &folder.bytes("play_tennis.csv")).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(folder.path("m.tb").exists());
}
