//! Wrong command lines and broken inputs: the code, the place and a way out; never a panic.

use crate::support::Folder;

/// 2: what can be known from the command line alone.
#[test]
fn wrong_usage_is_2() {
    let folder = Folder::with_model().write("y.csv", "a,y\n1,p\n2,q\n");
    let lines: &[(&str, &[&str])] = &[
        ("lern play_tennis.csv", &["'lern'", "'learn'"]),
        ("learn", &["<DATA>"]),
        ("classify play_tennis.tb", &["<DATA | NAME=VALUE>"]),
        ("show", &["<MODEL>"]),
        ("diff play_tennis.tb", &["<AFTER>"]),
        ("merge play_tennis.tb -o x.tb", &["<MODEL>"]),
        ("merge play_tennis.tb play_tennis.tb", &["--output"]),
        ("completions tcsh", &["'tcsh'", "zsh"]),
        ("learn y.csv -t y --colour", &["--colour"]),
        ("learn y.csv -t y --format yaml", &["--format", "yaml"]),
        ("learn y.csv -t y --format csv", &["--format text or json"]),
        ("show play_tennis.tb --format jsonl", &["--format text or json"]),
        ("explain play_tennis.tb Wind=Weak --format csv", &["--format text, json or html"]),
        ("classify play_tennis.tb Wind=Weak --format parquet", &["--format"]),
        ("classify play_tennis.tb play_tennis.csv --format text", &["--format"]),
        ("classify play_tennis.tb Wind=Weak -o x.csv", &["--output"]),
        ("classify play_tennis.tb Wind=Weak play_tennis.csv", &["Wind=Weak", "play_tennis.csv", "not both"]),
        ("explain play_tennis.tb play_tennis.csv Wind=Weak", &["Wind=Weak", "not both"]),
        ("learn y.csv -t y --threads 0", &["--threads"]),
        ("learn y.csv -t y --threads two", &["--threads"]),
        ("learn y.csv -t y --threads 100000", &["--threads"]),
        ("learn y.csv -t y --seed -1", &["-1"]),
        ("learn y.csv -t y --estimate magic", &["--estimate", "laplace"]),
        ("learn y.csv -t y --estimate laplace:-1", &["--estimate", "at least 0"]),
        ("learn y.csv -t y --estimate dirichlet", &["--estimate", "dirichlet:1"]),
        ("learn y.csv -t y --class-prior p=0.5,q=0.6", &["--class-prior", "sum to 1.1"]),
        ("learn y.csv -t y --class-prior p=x", &["--class-prior"]),
        ("learn y.csv -t y --numeric magic", &["--numeric", "bins:mdl"]),
        ("learn y.csv -t y --numeric bins:width:1", &["--numeric", "2 to 10000"]),
        ("learn y.csv -t y --model oracle", &["--model", "bernoulli"]),
        ("learn y.csv -t y --model bernoulli --numeric bins:mdl", &["--numeric", "--model"]),
        ("learn y.csv -t y --model bernoulli --numeric student", &["--numeric", "--model bernoulli"]),
        ("learn y.csv -t y --model nearest-centroid --estimate ml", &["--estimate", "--model nearest-centroid"]),
        ("learn y.csv -t y --model nearest-centroid --class-prior uniform", &["--class-prior", "--model nearest-centroid"]),
        ("learn y.csv -t y --threshold 5", &["--threshold", "--model bernoulli"]),
        ("evaluate play_tennis.tb play_tennis.csv -m bernoulli", &["--model", "as it is"]),
        ("evaluate play_tennis.tb play_tennis.csv --threshold 3", &["--threshold", "as it is"]),
        ("evaluate y.csv -t y --unknown-states error", &["--unknown-states", "--test"]),
        ("explain play_tennis.tb Wind=Weak --row 7", &["--row", "one case"]),
        ("explain play_tennis.tb Wind=Weak --delimiter tab", &["--delimiter", "one case"]),
        ("classify play_tennis.tb Wind=Weak --header no", &["--header", "one case"]),
        ("classify play_tennis.tb Wind=Weak --on-bad-row skip", &["--on-bad-row", "one case"]),
        ("classify play_tennis.tb Wind=Weak --format jsonl --trace", &["--trace"]),
        ("learn y.csv -t y --threshold nan", &["--threshold"]),
        ("learn y.csv -t y --text a --tokens chars:2-3 --ngrams 2", &["--ngrams", "--tokens chars"]),
        ("learn y.csv -t y --text a --tokens chars:2-3 --stem english", &["--stem", "--tokens chars"]),
        ("learn y.csv -t y --text a --tokens chars:2-3 --stop-words english", &["--stop-words", "--tokens chars"]),
        ("learn y.csv -t y --text a --weigh-words unit,length:3", &["--weigh-words", "one length"]),
        ("learn y.csv -t y --text a --weigh-words length:1e308", &["--weigh-words", "up to 1e9"]),
        ("learn y.csv -t y --estimate laplace:1e308", &["--estimate", "more than 1e18"]),
        ("learn y.csv -t y --text a --text-model bernoulli --weigh-words log", &["leave --weigh-words out"]),
        ("learn y.csv -t y --text a --text-model dirichlet-compound --weigh-words log", &["leave --weigh-words out"]),
        ("learn y.csv -t y --text a --text-model complement --components 2", &["leave --components out"]),
        ("evaluate y.csv -t y --text a --text-model complement --unlabelled", &["leave --unlabelled out"]),
        ("learn y.csv -t y --text a --max-vocabulary 3 --unlabelled", &["leave --max-vocabulary out"]),
        ("learn y.csv -t y --components 2 --calibrate sigmoid", &["leave --calibrate or --components out"]),
        ("learn y.csv -t y --text a --text-model dirichlet-compound --evaluate loo", &["loo does not go with", "folds:10"]),
        ("evaluate y.csv -t y --components 2 --folds loo", &["loo does not go with --components"]),
        ("learn y.csv -t y --text a --labels ; --weigh-words log", &["leave --weigh-words out"]),
        ("learn y.csv -t y --text a --labels ; --calibrate sigmoid", &["leave --calibrate out"]),
        ("update play_tennis.tb y.csv --estimate m:1:given", &["--estimate m:<m>:given", "learn anew"]),
        ("update play_tennis.tb y.csv --max-vocabulary 5", &["--max-vocabulary", "this model has none"]),
        ("learn y.csv -t y --class-depth 0", &["--class-depth", "from 1 on"]),
        ("learn y.csv -t y --unlabelled --unlabelled-weight 1e300", &["--unlabelled-weight", "from 0 to 1e6"]),
        ("learn y.csv -t y --evaluate folds:1", &["--evaluate", "2 to 1000"]),
        ("learn y.csv -t y --calibrate magic", &["--calibrate", "isotonic"]),
        ("learn y.csv -t y --types a", &["--types", "NAME=TYPE"]),
        ("learn y.csv -t y --types a=colour", &["--types", "`colour` is not a type"]),
        ("learn y.csv -t y --weight y", &["--weight", "--target", "`y`"]),
        ("learn y.csv -t y --delimiter ab", &["--delimiter", "tab"]),
        ("learn y.csv -t y --header maybe", &["--header", "auto"]),
        ("learn y.csv -t y --on-bad-row guess", &["--on-bad-row", "skip"]),
        ("learn y.csv -t y --trace --format json", &["--trace"]),
        ("learn - -t y", &["--output"]),
        ("learn 'y*.csv' -t y", &["--output"]),
        ("evaluate y.csv -t y --folds 1", &["--folds", "2 to 1000"]),
        ("evaluate y.csv -t y --folds many", &["--folds", "loo"]),
        ("evaluate y.csv -t y --folds 3 --holdout 0.5", &["--folds", "--holdout"]),
        ("evaluate y.csv -t y --test y.csv --holdout 0.5", &["--test", "--holdout"]),
        ("evaluate y.csv -t y --holdout 2", &["--holdout", "0.01"]),
        ("evaluate play_tennis.tb", &["data"]),
        ("explain play_tennis.tb Wind=Weak --row 0", &["--row"]),
        ("explain play_tennis.tb Wind=Weak --unit bans", &["--unit", "bits"]),
        ("explain play_tennis.tb Wind=Weak --class No --against No", &["--class", "--against", "`No`"]),
        ("classify play_tennis.tb play_tennis.csv --unknown-states guess", &["--unknown-states"]),
    ];
    let before = folder.names();
    for (line, says) in lines {
        folder.run(line).fails(2, says);
    }
    // Verbs that have no steps to show.
    for line in [
        "show play_tennis.tb",
        "schema y.csv",
        "diff play_tennis.tb play_tennis.tb",
        "evaluate play_tennis.tb play_tennis.csv",
        "update play_tennis.tb play_tennis.csv",
        "forget play_tennis.tb play_tennis.csv",
        "merge play_tennis.tb play_tennis.tb -o x.tb",
        "classify play_tennis.tb play_tennis.csv",
    ] {
        folder.run(&format!("{line} --trace")).fails(2, &["--trace"]);
    }
    assert_eq!(folder.names(), before, "a wrong command line writes nothing");
}

/// 1: what only the files can show.
#[test]
fn broken_input_is_1() {
    let folder = Folder::with_model()
        .write("y.csv", "a,y\n1,p\n2,q\n")
        .write("empty.csv", "")
        .write("header.csv", "a,y\n")
        .write("blank.csv", "\n\n\n")
        .write("twice.csv", "a,a,y\n1,2,p\n")
        .write("ragged.csv", "a,y\n1,p\n2\n3,q\n")
        .write("quote.csv", "a,y\n\"1,p\n2,q\n")
        .write("after.csv", "a,y\n\"1\"x,p\n2,q\n")
        .write("bytes.csv", b"a,y\n1,p\n\xe9,q\n")
        .write("head.csv", b"\xe9,y\n1,p\n2,q\n")
        .write("utf16.csv", b"\xff\xfea\0,\0y\0\n\0")
        .write("bad.json", "[1, 2, 3]\n")
        .write("bad.jsonl", "{\"a\": 1, \"y\": \"p\"}\n{\"a\": \n")
        .write("bad.arff", "@relation r\n@attribute a {1,2\n@data\n3\n")
        .write("bad.parquet", "PAR1 this is no more than a beginning")
        .write("bad.arrow", "ARROW1 neither is this")
        .write("misnamed.parquet", "a,y\n1,p\n2,q\n")
        .write("cut.csv.gz", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 75])
        .write("cut.csv.zst", [0x28, 0xb5, 0x2f, 0xfd, 0x24]);
    std::fs::create_dir(folder.path("shelf")).unwrap();
    let lines: &[(&str, &[&str])] = &[
        ("learn nowhere.csv -t y", &["nowhere.csv"]),
        ("learn y.cvs -t y", &["y.cvs", "did you mean `y.csv`"]),
        ("learn 'no*.csv' -t y -o x.tb", &["no*.csv", "matches no file"]),
        ("learn shelf", &["shelf: is a folder without files", "a folder for each class"]),
        ("learn y.csv", &["no target", "--target", "a, y"]),
        ("learn y.csv -t Y", &["`Y`", "did you mean `y`"]),
        ("learn y.csv -t y --weight w", &["`w`"]),
        ("learn y.csv -t y --ignore b,c*", &["--ignore", "`b`", "`c*`"]),
        ("learn y.csv -t y --types b=category", &["--types", "`b`"]),
        ("learn y.csv -t y --class-prior p=0.5,r=0.5", &["class prior", "`r`"]),
        ("learn y.csv -t y --class-prior p=1", &["class prior", "`q`"]),
        ("learn empty.csv -t y", &["empty.csv: is empty"]),
        ("learn header.csv -t y", &["header.csv", "no rows"]),
        ("learn blank.csv -t y", &["blank.csv"]),
        ("learn twice.csv -t y", &["twice.csv", "`a` (columns 1 and 2)"]),
        ("learn ragged.csv -t y", &["ragged.csv:3: 1 cell", "--on-bad-row skip"]),
        ("learn quote.csv -t y", &["quote.csv:2", "quote"]),
        ("learn after.csv -t y", &["after.csv:2", "quote"]),
        ("learn bytes.csv -t y", &["bytes.csv:3: column `a`", "UTF-8", "iconv"]),
        ("learn head.csv -t y", &["head.csv", "UTF-8"]),
        ("learn utf16.csv -t y", &["utf16.csv: is UTF-16", "iconv"]),
        ("learn bad.json -t y", &["bad.json"]),
        ("learn bad.jsonl -t y", &["bad.jsonl:2"]),
        ("learn bad.arff -t a", &["bad.arff:2"]),
        ("learn bad.parquet -t y", &["bad.parquet"]),
        ("learn bad.arrow -t y", &["bad.arrow"]),
        ("learn misnamed.parquet -t y", &["misnamed.parquet", "misnamed"]),
        ("learn cut.csv.gz -t y", &["cut.csv.gz"]),
        ("learn cut.csv.zst -t y", &["cut.csv.zst"]),
        ("learn y.csv play_tennis.csv -t y", &["play_tennis.csv", "lacks `a`, `y`"]),
        ("schema nowhere.csv", &["nowhere.csv"]),
        ("classify play_tennis.tb nowhere.csv", &["nowhere.csv"]),
        ("classify play_tennis.tb y.csv", &["no column `Outlook`", "a, y"]),
        ("classify play_tennis.tb Outlok=Sunny", &["`Outlok`", "did you mean `Outlook`"]),
        ("classify play_tennis.tb Weather=Sunny", &["`Weather`", "Outlook, Temperature"]),
        ("classify play_tennis.tb Wind=Weak Wind=Strong", &["`Wind` is given twice"]),
        ("explain play_tennis.tb play_tennis.csv --row 15", &["no row 15", "14 rows"]),
        ("explain play_tennis.tb Wind=Weak --class Maybe", &["`Maybe`", "No, Yes"]),
        ("explain play_tennis.tb Wind=Weak --against maybe", &["`maybe`", "No, Yes"]),
        ("update play_tennis.tb nowhere.csv", &["nowhere.csv"]),
        ("update nowhere.tb play_tennis.csv", &["nowhere.tb"]),
        ("merge play_tennis.tb nowhere.tb -o x.tb", &["nowhere.tb"]),
        ("evaluate nowhere.tb play_tennis.csv", &["nowhere.tb"]),
        ("evaluate y.csv -t y --test nowhere.csv", &["nowhere.csv"]),
    ];
    let before = folder.names();
    for (line, says) in lines {
        folder.run(line).fails(1, says);
    }
    assert_eq!(folder.names(), before, "a failure writes nothing");
    folder.run_with_input("learn - -t y -o x.tb", "").fails(1, &["standard input: is empty"]);
    folder.run_with_input("learn - -t y -o x.tb", "a,y\n1,p\n2\n").fails(1, &["standard input:3: 1 cell"]);
}

/// A hint for the verb that was used.
#[test]
fn the_way_out_names_the_verb() {
    let folder = Folder::with_model();
    let refused = folder.run("show play_tennis.tb --trace");
    refused.fails(2, &["hint: `tunbridge show --help`"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_or_written_is_said() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with_model();
    let forbid = |name: &str, mode: u32| std::fs::set_permissions(folder.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    std::fs::create_dir(folder.path("shelf")).unwrap();
    folder.put("secret.csv", "a,y\n1,p\n2,q\n");
    forbid("secret.csv", 0o000);
    forbid("shelf", 0o555);
    // To the super-user nothing is forbidden.
    if std::fs::read(folder.path("secret.csv")).is_err() {
        folder.run("learn secret.csv -t y").fails(1, &["secret.csv"]);
        folder.run("learn play_tennis.csv -t PlayTennis -o shelf/m.tb").fails(1, &["shelf/m.tb"]);
        folder.run("classify play_tennis.tb play_tennis.csv -o shelf/a.csv").fails(1, &["shelf/a.csv"]);
    }
    forbid("shelf", 0o755);
}
