//! Rows that come one by one, and answers that do not wait for the last of them.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::support::Folder;

/// A program that is talked to line by line.
struct Talk {
    child: Child,
    to: Option<ChildStdin>,
    said: Receiver<String>,
}

impl Talk {
    fn begin(folder: &Folder, line: &str) -> Self {
        let mut child = folder.command(line).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take(), child.stdout.take().unwrap());
        let (send, said) = channel();
        std::thread::spawn(move || BufReader::new(from).lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Self { child, to, said }
    }

    fn tell(&mut self, text: impl AsRef<[u8]>) {
        let to = self.to.as_mut().unwrap();
        to.write_all(text.as_ref()).unwrap();
        to.flush().unwrap();
    }

    /// The next line that is said, though nothing more is told.
    fn hear(&self) -> String {
        self.said.recv_timeout(Duration::from_secs(120)).expect("the program says nothing")
    }

    /// What is said once nothing more is to come.
    fn end(mut self) -> (Vec<String>, String) {
        drop(self.to.take());
        let said = self.said.iter().collect();
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert!(self.child.wait().unwrap().success(), "{stderr}");
        (said, stderr)
    }
}

#[test]
fn every_row_is_answered_before_the_next_comes() {
    let folder = Folder::with_model();
    let days = folder.text("play_tennis.csv");
    let whole = folder.run("classify play_tennis.tb play_tennis.csv").ok();
    for threads in [1, 2, 7] {
        let mut talk = Talk::begin(&folder, &format!("classify play_tennis.tb - --live --threads {threads}"));
        let mut lines = days.split_inclusive('\n');
        talk.tell(lines.next().unwrap());
        let mut heard = vec![talk.hear()];
        for line in lines {
            // In two pieces, of which the first is no row.
            let (first, rest) = line.split_at(line.len() / 2);
            talk.tell(first);
            talk.tell(rest);
            heard.push(talk.hear());
        }
        assert_eq!(talk.end(), (vec![], String::new()));
        assert_eq!(heard.join("\n") + "\n", whole.stdout(), "{threads}");
    }
}

#[test]
fn objects_are_answered_as_they_come_and_may_have_keys_that_the_first_lacks() {
    let folder = Folder::with_model();
    let mut talk = Talk::begin(&folder, "classify play_tennis.tb - --live --format jsonl --answers-only");
    talk.tell("{\"Outlook\":\"Sunny\"}\n");
    assert!(talk.hear().starts_with(r#"{"row":1,"predicted":"No","#));
    talk.tell("{\"Outlook\":\"Sunny\",\"Humidity\":\"Normal\",\"Wind\":\"Weak\"}\n");
    let second = talk.hear();
    let alone = folder.run("classify play_tennis.tb Outlook=Sunny Humidity=Normal Wind=Weak --format json").ok().json();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&second).unwrap()["probability"], alone["probability"]);
    let (rest, stderr) = talk.end();
    assert!(rest.is_empty() && stderr.contains("its first row has no `Temperature`, `Humidity`, `Wind`"), "{stderr}");
}

#[test]
fn lines_that_are_documents_are_answered_as_they_come() {
    let folder = Folder::new();
    for (class, word) in [("spam", "win money now"), ("ham", "lunch at noon")] {
        folder.put(&format!("{class}.txt"), format!("{word}\n{word} please\n"));
    }
    folder.run("learn spam.txt ham.txt --documents lines -o mail.tb").ok();
    let mut talk = Talk::begin(&folder, "classify mail.tb - --documents lines --live --answers-only");
    talk.tell("money\n");
    assert_eq!(talk.hear(), "predicted,p(ham),p(spam)");
    assert!(talk.hear().starts_with("spam,"));
    talk.tell("noon\n");
    assert!(talk.hear().starts_with("ham,"));
    assert_eq!(talk.end().0, Vec::<String>::new());
}

#[test]
fn rows_are_asked_of_a_network_as_they_come() {
    let folder = Folder::new();
    folder.put("coin.tbn", "variable Coin fair/bent\n  0.5\nvariable Side heads/tails given Coin\n  fair: 0.5\n  bent: 0.9\n");
    let rows = "Side,who\nheads,ann\n,bob\ntails,cy\n";
    folder.put("rows.csv", rows);
    let whole = folder.run("ask coin.tbn --rows rows.csv 'P(Coin)' --keep-columns").ok();
    for threads in [1, 3] {
        let mut talk = Talk::begin(&folder, &format!("ask coin.tbn --rows - 'P(Coin)' --keep-columns --live -q --threads {threads}"));
        let mut heard = Vec::new();
        for line in rows.split_inclusive('\n') {
            talk.tell(line);
            heard.push(talk.hear());
        }
        assert_eq!(talk.end().0, Vec::<String>::new());
        assert_eq!(heard.join("\n") + "\n", whole.stdout());
    }
    folder.run("ask coin.tbn 'P(Coin)' --live").fails(2, &["--live", "--rows"]);
    folder.run("ask coin.tbn --rows - 'P(Coin)' --live -o answers.csv").fails(2, &["--live writes answers to standard output"]);
}

/// Also without being told to hurry: rows are answered in chunks, and the first chunks do not wait for the last.
#[test]
fn answers_do_not_wait_for_the_end_of_standard_input() {
    let folder = Folder::with_model();
    let days = folder.text("play_tennis.csv");
    let (header, rows) = days.split_once('\n').unwrap();
    let many = format!("{header}\n{}", rows.repeat(40_000));
    folder.put("many.csv", &many);
    let whole = folder.run("classify play_tennis.tb many.csv").ok();
    for flag in ["", "--live"] {
        let mut talk = Talk::begin(&folder, &format!("classify play_tennis.tb - {flag}"));
        talk.tell(&many);
        let first: Vec<String> = (0..100_000).map(|_| talk.hear()).collect();
        let (rest, stderr) = talk.end();
        assert_eq!(stderr, "");
        let said = first.join("\n") + "\n" + &rest.join("\n") + "\n";
        assert!(said == whole.stdout());
    }
}

/// What the first bytes are is no matter of how many come at once.
#[test]
fn the_format_is_known_however_the_first_bytes_come() {
    let folder = Folder::with_model();
    let arff = "% days\n\n@relation days\n@attribute Outlook {Sunny,Rain}\n@attribute Wind {Weak,Strong}\n@data\nSunny,Weak\nRain,Strong\n";
    folder.put("days.arff", arff);
    let whole = folder.run("classify play_tennis.tb days.arff").ok();
    let mut talk = Talk::begin(&folder, "classify play_tennis.tb - -q");
    for byte in arff.as_bytes() {
        talk.tell([*byte]);
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(talk.end().0.join("\n") + "\n", whole.stdout());
}

#[test]
fn live_is_for_rows_on_standard_output() {
    let folder = Folder::with_model();
    for (line, says) in [
        ("classify play_tennis.tb - --live -o answers.csv", "--live writes rows to standard output"),
        ("classify play_tennis.tb - --live --format parquet", "--live writes rows to standard output"),
        ("classify play_tennis.tb Outlook=Sunny --live", "--live is for rows"),
    ] {
        folder.run(line).fails(2, &[says]);
    }
    folder.run("classify play_tennis.tb play_tennis.csv -o answers.parquet").ok();
    let columns = folder.bytes("answers.parquet");
    let days = folder.bytes("play_tennis.csv");
    folder.run_with_input("classify play_tennis.tb - - --live", days).fails(1, &["standard input: is named twice"]);
    folder
        .run_with_input("classify play_tennis.tb - --live", columns)
        .fails(1, &["standard input: has columns, and not rows", "leave --live out"]);
}
