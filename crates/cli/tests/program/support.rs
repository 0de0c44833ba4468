//! A folder for each test, and the program run in it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A folder that goes away with the test.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With the fourteen days of `play_tennis.csv`.
    pub fn with_play_tennis() -> Self {
        let folder = Self::new();
        folder.write("play_tennis.csv", include_bytes!("../../../../examples/play_tennis.csv"))
    }

    /// With the days, and `play_tennis.tb` learned from them.
    pub fn with_model() -> Self {
        let folder = Self::with_play_tennis();
        folder.run("learn play_tennis.csv --target PlayTennis --evaluate none").ok();
        folder
    }

    /// With the days, and `ml.tb` learned from them by maximum likelihood.
    pub fn with_ml_model() -> Self {
        let folder = Self::with_play_tennis();
        folder.run("learn play_tennis.csv --target PlayTennis --estimate ml --evaluate none -o ml.tb").ok();
        folder
    }

    /// Puts one of the examples there.
    pub fn example(&self, name: &str) {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
        std::fs::copy(example, self.path(name)).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.put(name, bytes);
        self
    }

    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// The names of everything in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        names_in(self.0.path())
    }

    /// The command of a line as one would type it behind the prompt, without `tunbridge`; single quotes keep spaces.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tunbridge"));
        command.args(words(line)).current_dir(self.0.path()).stdin(Stdio::null());
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
            command.env_remove(variable);
        }
        command
    }

    pub fn run(&self, line: &str) -> Outcome {
        Outcome::of(line, self.command(line).output().unwrap())
    }

    pub fn run_with_input(&self, line: &str, input: impl AsRef<[u8]>) -> Outcome {
        let mut child = self.command(line).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let bytes = input.as_ref().to_vec();
        // A program that fails early does not read its input to the end.
        let feeder = std::thread::spawn(move || drop(stdin.write_all(&bytes)));
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        Outcome::of(line, output)
    }
}

pub fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn words(line: &str) -> Vec<String> {
    let mut words = vec![];
    for (place, part) in line.split('\'').enumerate() {
        if place % 2 == 1 {
            words.push(part.to_string());
        } else {
            words.extend(part.split_whitespace().map(String::from));
        }
    }
    words
}

/// How a run ended and what it said.
pub struct Outcome {
    pub line: String,
    pub code: i32,
    pub bytes: Vec<u8>,
    pub stderr: String,
}

impl Outcome {
    fn of(line: &str, output: std::process::Output) -> Self {
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!stderr.contains("panicked"), "tunbridge {line}\n{stderr}");
        let code = output.status.code().unwrap_or_else(|| panic!("tunbridge {line}: {}\n{stderr}", output.status));
        Self { line: line.into(), code, bytes: output.stdout, stderr }
    }

    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "tunbridge {}\n{}", self.line, self.stderr);
        self
    }

    /// That it failed as it should: with this code, an error that says all of `says`, a way out, and nothing on standard output.
    #[track_caller]
    pub fn fails(self, code: i32, says: &[&str]) -> Self {
        let shown = format!("tunbridge {}\n{}", self.line, self.stderr);
        assert_eq!(self.code, code, "{shown}");
        let error = self.stderr.lines().skip_while(|line| line.starts_with("note: ")).collect::<Vec<_>>().join("\n");
        assert!(error.starts_with("error: "), "{shown}");
        for words in says {
            assert!(error.contains(words), "`{words}` is not in\n{shown}");
        }
        let way_out = ["\n  hint: ", "\n  tip: ", "try '--help'"];
        assert!(way_out.iter().any(|words| error.contains(words)), "no way out in\n{shown}");
        assert!(!error.contains("internal"), "{shown}");
        assert!(self.bytes.is_empty(), "{shown}");
        self
    }

    /// That it told these things besides its result.
    #[track_caller]
    pub fn notes(self, notes: &[&str]) -> Self {
        for note in notes {
            let found = self.stderr.lines().any(|line| line.starts_with("note: ") && line.contains(note));
            assert!(found, "no note says `{note}`\ntunbridge {}\n{}", self.line, self.stderr);
        }
        self
    }

    /// That it told nothing besides its result.
    #[track_caller]
    pub fn silent(self) -> Self {
        assert_eq!(self.stderr, "", "tunbridge {}", self.line);
        self
    }

    pub fn stdout(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.stdout().lines().count(), 1, "{}", self.stdout());
        serde_json::from_str(self.stdout()).unwrap()
    }

    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        self.stdout().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What a person would see in the terminal.
    pub fn transcript(&self) -> String {
        let code = if self.code == 0 { String::new() } else { format!("[exit {}]\n", self.code) };
        format!("$ tunbridge {}\n{}{}{code}", self.line, self.stderr, self.stdout())
    }
}

/// The names of an object's fields, in order.
pub fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap_or_else(|| panic!("{value} is no object")).keys().map(String::as_str).collect()
}

#[track_caller]
pub fn assert_close(value: &Value, expected: f64, tolerance: f64) {
    let found = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

/// The cells of CSV without quotes.
pub fn cells(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split(',').collect()).collect()
}
