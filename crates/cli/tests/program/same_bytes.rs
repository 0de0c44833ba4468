//! The same data, options and seed: the same bytes, on any number of threads.

use crate::support::Folder;

/// A table of twelve files: every file is a chunk of its own, and the threads deal them out among each other.
fn many_files(folder: &Folder) {
    const COLUMNS: u64 = 16;
    let mut state = 1_u64;
    let mut random = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    for file in 0..12_u64 {
        let mut text: String = (0..COLUMNS).map(|c| format!("c{c},")).collect();
        text.push_str("y\n");
        for _ in 0..400 {
            for column in 0..COLUMNS {
                match (column % 4, random(20)) {
                    (_, 0) => text.push(','),
                    (0, _) => text += &format!("{}.{},", random(100), random(1000)),
                    // States that first appear in a later file.
                    (1, _) => text += &format!("s{},", random(3 + file)),
                    (2, _) => text += &format!("{},", random(5)),
                    _ => text += if random(2) == 0 { "no," } else { "yes," },
                }
            }
            text += ["p\n", "q\n", "r\n"][random(3) as usize];
        }
        folder.put(&format!("part{file:02}.csv"), text);
    }
}

#[test]
fn threads_change_nothing() {
    let folder = Folder::new();
    many_files(&folder);
    let mut reference: Option<Vec<Vec<u8>>> = None;
    for threads in [1, 2, 7] {
        let run = |line: &str| folder.run(&format!("{line} --threads {threads}")).ok().bytes;
        let mut found = vec![
            run("learn 'part*.csv' -t y -o m.tb --format json"),
            folder.bytes("m.tb"),
            run("learn 'part*.csv' -t y -o bins.tb --numeric bins:mdl --calibrate isotonic --format json"),
            folder.bytes("bins.tb"),
            run("learn 'part*.csv' -t y -o average.tb --average naive-bayes --average 'naive-bayes --numeric student' --format json"),
            folder.bytes("average.tb"),
            run("classify average.tb 'part*.csv'"),
            run("evaluate 'part*.csv' -t y --folds 4 --calibrate sigmoid"),
            run("evaluate m.tb 'part*.csv'"),
            run("classify m.tb 'part*.csv'"),
            run("classify bins.tb 'part*.csv' --format jsonl"),
        ];
        for file in ["all.parquet", "all.arrow"] {
            run(&format!("classify m.tb 'part*.csv' -o {file}"));
            found.push(folder.bytes(file));
        }
        run("update m.tb 'part*.csv' -o u.tb");
        run("forget u.tb 'part0*.csv' -o f.tb");
        found.extend([folder.bytes("u.tb"), folder.bytes("f.tb")]);
        match &reference {
            None => reference = Some(found),
            Some(reference) => {
                let differing: Vec<usize> = (0..found.len()).filter(|i| found[*i] != reference[*i]).collect();
                assert!(differing.is_empty(), "{threads} threads: {differing:?} differ");
            }
        }
    }
}

#[test]
fn the_seed_decides_the_folds_and_nothing_else() {
    let folder = Folder::new().write("xy.csv", crate::json::two_classes(300));
    let run = |seed: u64| folder.run(&format!("evaluate xy.csv -t y --folds 5 --seed {seed} --format json")).ok().json();
    assert_eq!(run(7), run(7));
    assert_ne!(run(7)["log_loss"], run(8)["log_loss"]);
    folder.run("learn xy.csv -t y --seed 1 -o one.tb").ok();
    folder.run("learn xy.csv -t y --seed 2 -o two.tb").ok();
    assert_eq!(folder.bytes("one.tb"), folder.bytes("two.tb"));
}

/// A model does not remember where its rows lay.
#[test]
fn every_format_gives_the_same_model() {
    let folder = Folder::with_model();
    let reference = folder.bytes("play_tennis.tb");
    let days = folder.text("play_tennis.csv");
    let rows: Vec<&str> = days.lines().skip(1).collect();
    folder.put("days.tsv", days.replace(',', "\t"));
    let names: Vec<&str> = days.lines().next().unwrap().split(',').collect();
    let object = |row: &str| -> String {
        let pairs: Vec<String> = names.iter().zip(row.split(',')).map(|(n, v)| format!("\"{n}\":\"{v}\"")).collect();
        format!("{{{}}}\n", pairs.join(","))
    };
    folder.put("days.jsonl", rows.iter().map(|row| object(row)).collect::<String>());
    for file in ["days.tsv", "days.jsonl"] {
        folder.run(&format!("learn {file} -t PlayTennis -o m.tb")).ok();
        assert_eq!(folder.bytes("m.tb"), reference, "{file}");
    }
    // Written by the program with answers behind the columns; without those it is the same table.
    for columnar in ["parquet", "arrow"] {
        folder.run(&format!("classify play_tennis.tb play_tennis.csv -o days.{columnar}")).ok();
        folder.run(&format!("learn days.{columnar} -t PlayTennis --ignore 'p(*,predicted' -o m.tb")).ok();
        let difference = folder.run("diff play_tennis.tb m.tb");
        // The models know of other columns, which are ignored but there.
        difference.fails(1, &["only the second has a column `predicted`"]);
        let own = folder.run("classify m.tb play_tennis.csv").ok();
        assert_eq!(own.bytes, folder.run("classify play_tennis.tb play_tennis.csv").ok().bytes);
    }
}
