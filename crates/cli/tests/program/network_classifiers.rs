//! `-m tan | kdb:<k> | chow-liu | aode`: judged, explained, with numbers and gaps, from files and pipes.

use super::support::Folder;

fn with_iris() -> Folder {
    Folder::new()
        .write("iris.csv", include_bytes!("../../../../testdata/iris/iris_train.csv"))
        .write("test.csv", include_bytes!("../../../../testdata/iris/iris_test.csv"))
}

#[test]
fn averaged_one_dependence_estimators_from_learning_to_forgetting() {
    let folder = Folder::with_play_tennis();
    let learned = folder.run("learn play_tennis.csv --target PlayTennis -m aode --format json -o m.tb").ok().json();
    assert_eq!((learned["kind"].as_str(), learned["rows"].as_u64()), (Some("aode"), Some(14)));
    assert_eq!(learned["evaluation"]["method"], "10 folds, seed 1");
    insta::assert_snapshot!(folder.run("learn play_tennis.csv --target PlayTennis -m aode -o m.tb").ok().transcript());
    insta::assert_snapshot!(folder.run("explain m.tb Outlook=Sunny Temperature=Cool Humidity=High Wind=Strong").ok().transcript());
    insta::assert_snapshot!(folder.run("show m.tb").ok().transcript());
    assert_eq!(folder.run("show m.tb --format json").ok().json()["target"], "PlayTennis");
    assert_eq!(folder.run("classify m.tb play_tennis.csv --format jsonl").ok().json_lines().len(), 14);
    folder.run("classify m.tb Outlook=Overcast").ok();
    folder.run("update m.tb play_tennis.csv -o twice.tb").ok();
    folder.run("merge m.tb m.tb -o merged.tb").ok();
    folder.run("forget twice.tb play_tennis.csv -o once.tb").ok();
    let p = |model: &str| folder.run(&format!("classify {model} Outlook=Sunny --format json")).ok().stdout().to_string();
    assert_eq!(p("m.tb"), p("once.tb"));
    assert_eq!(p("twice.tb"), p("merged.tb"));
    folder.run("evaluate m.tb play_tennis.csv").ok();
    folder.run("evaluate play_tennis.csv --target PlayTennis -m aode:30 --folds 7").ok();
    folder.run("evaluate play_tennis.csv --target PlayTennis -m aode --holdout 0.3").ok();

    folder.run("learn play_tennis.csv -m aode").fails(1, &["--target"]);
    folder.run("learn play_tennis.csv -t PlayTennis -m aode:few").fails(2, &["aode:<rows>"]);
    folder.run("learn play_tennis.csv -t PlayTennis -m aode --evaluate loo").fails(2, &["folds:10"]);
    folder.run("learn play_tennis.csv -t PlayTennis -m aode --numeric student").fails(2, &["bins:mdl"]);
    folder.run("learn play_tennis.csv -t PlayTennis -m aode --structure 'Wind->PlayTennis'").fails(2, &["--model"]);
    folder.run("learn play_tennis.csv -t PlayTennis -m aode --class-prior uniform").fails(2, &["--class-prior"]);
    folder.run("learn play_tennis.csv -t PlayTennis -m aode --hidden Cause=2").fails(2, &["--hidden"]);
    folder.run("merge m.tb play_tennis.csv -o no.tb").fails(1, &[]);
    folder.run("ask m.tb 'P(PlayTennis)'").fails(1, &["aode"]);
}

/// A belief for each pair of values and class: what moved is listed, the farthest first.
#[test]
fn averaged_one_dependence_estimators_are_compared() {
    let folder = Folder::with_play_tennis();
    folder.example("more_days.csv");
    folder.run("learn play_tennis.csv --target PlayTennis -m aode --evaluate none -q -o m.tb").ok();
    folder.run("update m.tb more_days.csv -o more.tb -q").ok();
    insta::assert_snapshot!("diff_aode", folder.run("diff m.tb more.tb --top 12").ok().silent().transcript());
    assert!(folder.run("diff m.tb m.tb").ok().stdout().contains("No belief moved."));
    let found = folder.run("diff m.tb more.tb --format json").ok().json();
    let moved = found["moved"].as_array().unwrap();
    assert_eq!(found["n_moved"].as_u64(), Some(moved.len() as u64));
    // Of each kind of belief one that is counted by hand: 9 of 14 days were played on, of 5 sunny days 2, of the 3 mild of those on which was played 2.
    let before = |variable: &str, quantity: &str, value: &str, given: serde_json::Value, parent: serde_json::Value| {
        let is = |one: &&serde_json::Value| {
            let parent = if parent.is_null() { one.get("parent").is_none() } else { one["parent"] == parent };
            one["variable"] == variable && one["quantity"] == quantity && one["value"] == value && one["given"] == given && parent
        };
        moved.iter().find(is).unwrap_or_else(|| panic!("{variable}={value} is not there"))["before"].as_f64().unwrap()
    };
    let none = serde_json::Value::Null;
    let close = |x: f64, y: f64| assert!((x - y).abs() < 1e-12, "{x} {y}");
    close(before("PlayTennis", "probability", "Yes", none.clone(), none.clone()), 10.0 / 16.0);
    close(before("Outlook", "probability", "Sunny", "Yes".into(), none.clone()), 3.0 / 12.0);
    close(before("Outlook", "joint-probability", "Sunny", "Yes".into(), none.clone()), 3.0 / 20.0);
    let sunny = serde_json::json!({"variable": "Outlook", "value": "Sunny"});
    close(before("Wind", "probability", "Strong", "Yes".into(), sunny), 2.0 / 4.0);
    let distances: Vec<f64> = moved.iter().map(|one| one["moved"].as_f64().unwrap_or(f64::INFINITY)).collect();
    assert!(distances.is_sorted_by(|x, y| x >= y), "{distances:?}");
    // Values that are no parents any more, and models that were not counted alike.
    folder.run("learn play_tennis.csv --target PlayTennis -m aode:30 --evaluate none -q -o few.tb").ok();
    let few = folder.run("diff m.tb few.tb").ok();
    assert!(few.stdout().contains("parents of 30 rows") && few.stdout().contains("gone"), "{}", few.stdout());
    folder.run("learn play_tennis.csv --target PlayTennis -m aode --ignore Wind --evaluate none -q -o less.tb").ok();
    folder.run("diff m.tb less.tb").fails(1, &["m.tb", "less.tb", "only the first has a column `Wind`"]);
    folder.run("learn play_tennis.csv --target PlayTennis --evaluate none -q -o bayes.tb").ok();
    folder.run("diff m.tb bayes.tb").fails(1, &["aode", "naive-bayes"]);
}

#[test]
fn networks_are_judged_and_explained() {
    let folder = with_iris();
    insta::assert_snapshot!(folder.run("learn iris.csv --target species -m tan").ok().transcript());
    insta::assert_snapshot!(folder.run("explain iris.tb petal_length=4.9 petal_width=1.7").ok().transcript());
    let ledger = folder.run("explain iris.tb test.csv --row 3 --format json").ok().json();
    assert_eq!(ledger["entries"].as_array().unwrap().len(), 4);
    let classified = folder.run("classify iris.tb petal_length=4.9 petal_width=1.7 --format json").ok().json();
    let explained = folder.run("explain iris.tb petal_length=4.9 petal_width=1.7 --format json").ok().json();
    let class = explained["class"].as_str().unwrap();
    let p = classified["probabilities"].get(class).or(classified["probability"].get(class));
    assert!(p.is_none_or(|p| (p.as_f64().unwrap() - explained["probability"].as_f64().unwrap()).abs() < 1e-12), "{classified}");
    for judged in ["--folds 5", "--holdout 0.25", "--test test.csv"] {
        let told = folder.run(&format!("evaluate iris.csv --target species -m tan {judged} --format json")).ok().json();
        assert!(told["accuracy"].as_f64().unwrap() > 0.85, "{judged}: {told}");
    }
    folder.run("evaluate iris.csv --target species -m tan --folds loo").fails(2, &["folds"]);
    folder.run("evaluate iris.csv --target species -m tan --calibrate isotonic").fails(2, &["--calibrate"]);
    folder.run("learn iris.csv --target species -m tan --numeric gaussian").fails(2, &["bins:mdl"]);
    // Bins as one likes, and costs.
    let told =
        folder.run("learn iris.csv --target species -m kdb:1 --numeric bins:frequency:4 --evaluate none --format json -o k.tb").ok().json();
    let widths = told["variables"].as_array().unwrap().iter().map(|v| v["states"].as_array().unwrap().len()).max();
    assert_eq!(widths, Some(4));
    assert!(told.get("evaluation").is_none());
    let costs = folder.run("learn iris.csv --target species -m tan --costs 'virginica|versicolor=9' --format json").ok().json();
    assert!(costs["evaluation"]["method"].as_str().unwrap().contains("least expected cost"));
    // A question of a number, and of the bin it is in.
    let bin = folder.run("show iris.tb --format json").ok().stdout().to_string();
    assert!(bin.contains("<="), "{bin}");
    let asked = folder.run("ask iris.tb 'P(species | petal_length=4.9)' --format json").ok().json();
    assert!((asked["distribution"].to_string() + &asked.to_string()).contains("versicolor"));
    folder.run("ask iris.tb 'P(species | petal_length=tiny)'").fails(1, &["petal_length"]);
    // A network without a target has no classes to weigh.
    folder.run("learn iris.csv -m chow-liu -o tree.tb").ok();
    folder.run("explain tree.tb petal_length=4.9").fails(1, &["ask"]);
}

/// What is read once only is kept as long as it is needed: three passes see the same rows.
#[test]
fn standard_input_is_read_again() {
    let folder = Folder::with_play_tennis();
    let rows = folder.bytes("play_tennis.csv");
    for kind in ["tan", "aode"] {
        folder.run_with_input(&format!("learn - --target PlayTennis -m {kind} -o piped.tb"), &rows).ok();
        folder.run(&format!("learn play_tennis.csv --target PlayTennis -m {kind} -o read.tb")).ok();
        assert_eq!(folder.bytes("piped.tb"), folder.bytes("read.tb"), "{kind}");
    }
}

#[test]
fn an_indicator_is_made_and_told_of() {
    let folder = Folder::new();
    let row = |i: usize| format!("{},{}\n", if i.is_multiple_of(3) { "" } else { ["low", "high"][i % 2] }, ["clerk", "chief"][i / 2 % 2]);
    folder.put("incomes.csv", format!("Income,Job\n{}", (0..60).map(row).collect::<String>()));
    let told = folder.run("learn incomes.csv --structure 'Job->Income' --indicator 'Income|Income:Job' --format json -o m.tb").ok().json();
    let arcs: Vec<String> = told["arcs"].as_array().unwrap().iter().map(ToString::to_string).collect();
    assert!(arcs.contains(&r#"["Income","Income_missing"]"#.to_string()) && arcs.contains(&r#"["Job","Income_missing"]"#.to_string()));
    folder.run("ask m.tb 'P(Income | Income_missing=yes, Job=chief)'").ok();
    folder.run("ask m.tb --rows incomes.csv 'P(Income_missing)'").ok();
    folder.run("impute m.tb incomes.csv -o filled.csv").ok();
    assert_eq!(folder.text("filled.csv").lines().next().unwrap().split(',').filter(|name| name.contains("Income_missing")).count(), 0);
    folder.run("update m.tb incomes.csv").ok();
    folder.run("learn incomes.csv --structure 'Job->Income' --indicator Incme").fails(1, &["did you mean `Income`?"]);
    folder.run("learn incomes.csv --structure 'Job->Income' --indicator Income,Income").fails(2, &["twice"]);
    folder.run("learn incomes.csv --target Job --indicator Income").fails(2, &["--indicator"]);
}

/// Folds and models are the same bytes on any number of threads.
#[test]
fn threads_change_nothing() {
    let folder = with_iris();
    for kind in ["tan", "aode"] {
        let told = |threads: usize| {
            let line = format!("learn iris.csv --target species -m {kind} -o {kind}.tb --format json --threads {threads}");
            (folder.run(&line).ok().stdout().to_string(), folder.bytes(&format!("{kind}.tb")))
        };
        assert_eq!(told(1), told(3));
    }
}
