//! `update`, `forget`, `merge` and `diff`: a model is what its rows make it, however they came.

use crate::support::Folder;

const HEADER: &str = "Outlook,Temperature,Humidity,Wind,PlayTennis\n";

/// With the days in two halves and a model of each.
fn halves() -> Folder {
    let folder = Folder::with_model();
    let days = folder.text("play_tennis.csv");
    let rows: Vec<&str> = days.lines().skip(1).collect();
    for (name, part) in [("first", &rows[..7]), ("second", &rows[7..])] {
        folder.put(&format!("{name}.csv"), format!("{HEADER}{}\n", part.join("\n")));
        folder.run(&format!("learn {name}.csv -t PlayTennis --evaluate none")).ok().silent();
    }
    folder
}

#[test]
fn two_halves_make_the_whole_to_the_byte() {
    let folder = halves();
    let whole = folder.bytes("play_tennis.tb");
    folder.run("update first.tb second.csv -o updated.tb").ok().silent();
    folder.run("merge first.tb second.tb -o merged.tb").ok().silent();
    folder.run("merge second.tb first.tb -o turned.tb").ok().silent();
    for model in ["updated.tb", "merged.tb", "turned.tb"] {
        assert_eq!(folder.bytes(model), whole, "{model}");
    }
    folder.run("forget play_tennis.tb second.csv -o left.tb").ok().silent();
    assert_eq!(folder.bytes("left.tb"), folder.bytes("first.tb"));
    // In place.
    folder.run("update first.tb second.csv").ok();
    assert_eq!(folder.bytes("first.tb"), whole);
    folder.run("forget first.tb second.csv").ok();
    assert_eq!(folder.bytes("first.tb"), folder.bytes("left.tb"));
}

#[test]
fn rows_without_a_class_do_not_count_and_that_is_said() {
    let folder = halves();
    folder.put("blind.csv", format!("{HEADER}Rain,Mild,High,Weak,\nRain,Mild,High,Weak,Yes\n"));
    let updated = folder.run("update first.tb blind.csv").ok().notes(&["1 row without a class was left out"]);
    assert_eq!(updated.stdout(), "1 row added: first.tb now has 8 rows (before: 7)\n");
    let forgotten = folder.run("forget first.tb blind.csv").ok().notes(&["1 row without a class was left out"]);
    assert_eq!(forgotten.stdout(), "1 row forgotten: first.tb now has 7 rows (before: 8)\n");
}

#[test]
fn models_of_three_are_merged_at_once() {
    let folder = halves();
    let merged = folder.run("merge first.tb second.tb play_tennis.tb -o all.tb").ok();
    assert_eq!(merged.stdout(), "3 models merged into all.tb, which has 28 rows (7 + 7 + 14)\n");
    folder.run("update play_tennis.tb play_tennis.csv").ok();
    assert_eq!(folder.bytes("all.tb"), folder.bytes("play_tennis.tb"));
}

#[test]
fn rows_never_seen_cannot_be_forgotten_and_nothing_is_changed() {
    let folder = halves();
    let before = folder.bytes("first.tb");
    folder.run("forget first.tb second.csv").fails(1, &["these rows are not all in the model", "each once"]);
    folder.put("new.csv", format!("{HEADER}Foggy,Hot,High,Weak,No\n"));
    folder.run("forget first.tb new.csv").fails(1, &["new.csv:2", "column `Outlook`", "`Foggy` is not one of its states"]);
    folder.put("twice.csv", format!("{HEADER}Overcast,Cool,Normal,Strong,Yes\nOvercast,Cool,Normal,Strong,Yes\n"));
    folder.run("forget first.tb twice.csv").fails(1, &["not all in the model"]);
    // A class must be left to tell from another.
    folder.run("forget first.tb first.csv").fails(1, &["at least two classes of `PlayTennis`"]);
    assert_eq!(folder.bytes("first.tb"), before);
    assert_eq!(folder.names().iter().filter(|name| name.starts_with('.')).count(), 0);
}

#[test]
fn different_priors_are_merged_only_under_a_prior_that_is_said() {
    let folder = halves();
    folder.run("learn second.csv -t PlayTennis --estimate m:2 -o m2.tb").ok();
    let refused = folder.run("merge first.tb m2.tb -o both.tb");
    refused.fails(1, &["first.tb and m2.tb", "different priors", "laplace:1", "m:2", "--estimate"]);
    assert!(!folder.path("both.tb").exists());
    folder.run("merge first.tb m2.tb -o both.tb --estimate m:2").ok();
    folder.run("learn play_tennis.csv -t PlayTennis --estimate m:2 -o whole.tb").ok();
    assert_eq!(folder.bytes("both.tb"), folder.bytes("whole.tb"));
}

/// What is not said stays as it was: a flag for one part of the prior does not reset the others.
#[test]
fn a_prior_that_is_said_in_part_leaves_the_rest_as_it_was() {
    let folder = halves();
    for half in ["first", "second"] {
        folder.run(&format!("learn {half}.csv -t PlayTennis --estimate m:2 -o {half}.tb")).ok();
    }
    folder.run("merge first.tb second.tb -o both.tb --class-prior uniform").ok();
    let prior = folder.run("show both.tb --format json").ok().json()["prior"].clone();
    assert_eq!((&prior["estimate"], &prior["class_prior"]), (&"m:2".into(), &"uniform".into()));
    // And where the rest differs, it still has to be said.
    folder.run("learn second.csv -t PlayTennis --estimate ml -o second.tb").ok();
    folder.run("merge first.tb second.tb -o other.tb --class-prior uniform").fails(1, &["different priors", "m:2", "ml"]);
    folder.run("merge first.tb second.tb -o other.tb --numeric bins:mdl").fails(2, &["--numeric", "learn anew"]);
}

#[test]
fn models_of_other_columns_are_refused_and_the_columns_named() {
    let folder = halves();
    folder.put("fewer.csv", "Outlook,Wind,PlayTennis\nSunny,Weak,No\nRain,Weak,Yes\n");
    folder.run("learn fewer.csv -t PlayTennis").ok();
    for line in ["merge first.tb fewer.tb -o both.tb", "diff first.tb fewer.tb"] {
        let refused = folder.run(line);
        refused.fails(1, &["first.tb and fewer.tb", "only the first has a column `Temperature`", "only the first has a column `Humidity`"]);
    }
    folder.run("learn first.csv -t Wind -o wind.tb").ok();
    folder.run("diff first.tb wind.tb").fails(1, &["`Wind` does not play the same part", "`PlayTennis` does not play the same part"]);
    folder.run("learn first.csv -t PlayTennis --ignore Wind -o calm.tb").ok();
    folder.run("merge first.tb calm.tb -o both.tb").fails(1, &["`Wind` does not play the same part"]);
    folder.run("update first.tb fewer.csv").fails(1, &["fewer.csv: has no column `Temperature`, `Humidity`"]);
    // Two cut points are not one.
    folder.put("x.csv", "x,y\n1.5,p\n2.5,q\n3.5,p\n");
    folder.put("z.csv", "x,y\n11.5,p\n12.5,q\n13.5,p\n");
    for name in ["x", "z"] {
        folder.run(&format!("learn {name}.csv -t y --numeric bins:width:2")).ok();
    }
    folder.run("merge x.tb z.tb -o both.tb").fails(1, &["`x` is not counted alike"]);
    folder.run("learn first.csv -t PlayTennis -m bernoulli -o bernoulli.tb").ok();
    folder.run("merge first.tb bernoulli.tb -o both.tb").fails(1, &["one is naive-bayes, the other bernoulli"]);
    assert!(!folder.path("both.tb").exists());
}

/// A long list of differences is cut short.
#[test]
fn a_hundred_differences_are_not_all_said() {
    let table = |letter: char| {
        let header: String = (0..100).map(|i| format!("{letter}{i},")).collect();
        format!("{header}y\n{}p\n{}q\n", "1,".repeat(100), "2,".repeat(100))
    };
    let folder = Folder::new().write("a.csv", table('a')).write("b.csv", table('b'));
    for name in ["a", "b"] {
        folder.run(&format!("learn {name}.csv -t y")).ok();
    }
    let refused = folder.run("diff a.tb b.tb");
    assert!(refused.stderr.len() < 1000, "{}", refused.stderr);
    refused.fails(1, &["only the first has a column `a0`", "more"]);
}

/// States have names; where they lie in a model is its own affair.
#[test]
fn states_that_differ_are_lined_up_by_name() {
    let folder = Folder::new()
        .write("north.csv", "wind,play\nstorm,no\ncalm,yes\ncalm,yes\n")
        .write("south.csv", "wind,play\nbreeze,maybe\ncalm,yes\nbreeze,no\n")
        .write("both.csv", "wind,play\nstorm,no\ncalm,yes\ncalm,yes\nbreeze,maybe\ncalm,yes\nbreeze,no\n");
    for name in ["north", "south", "both"] {
        folder.run(&format!("learn {name}.csv -t play --evaluate none")).ok();
    }
    folder.run("merge north.tb south.tb -o merged.tb").ok();
    assert_eq!(folder.bytes("merged.tb"), folder.bytes("both.tb"));
    let updated = folder.run("update north.tb south.csv -o updated.tb").ok();
    updated.notes(&["`wind` has a new state: `breeze`", "`play` has a new state: `maybe`"]);
    assert_eq!(folder.bytes("updated.tb"), folder.bytes("both.tb"));
    let moved = folder.run("diff north.tb both.tb").ok();
    assert!(moved.stdout().contains("P(wind = breeze | no)     unknown"), "{}", moved.stdout());
    // What is declared stays in its place.
    folder.put("declared.toml", "[columns.wind]\nstates = [\"storm\", \"breeze\", \"calm\"]\nordered = true\n");
    folder.run("learn north.csv -t play --schema declared.toml -o declared.tb").ok();
    folder.run("merge declared.tb south.tb -o merged.tb").ok();
    let columns = folder.run("show merged.tb --format json").ok().json()["columns"].clone();
    assert_eq!(columns[0]["states"], serde_json::json!(["storm", "breeze", "calm"]));
}

/// Numbers are merged by their moments: exact to rounding.
#[test]
fn numbers_join_and_leave_to_rounding() {
    let table = |rows: std::ops::Range<usize>| {
        let row = |i: usize| format!("{}.{},{}\n", 1000 + i * 37 % 101, i % 10, ["p", "q"][i % 2]);
        "x,y\n".to_string() + &rows.map(row).collect::<String>()
    };
    let folder = Folder::new().write("whole.csv", table(0..200)).write("first.csv", table(0..120)).write("second.csv", table(120..200));
    for name in ["whole", "first"] {
        folder.run(&format!("learn {name}.csv -t y --evaluate none --types x=numeric")).ok();
    }
    folder.run("update first.tb second.csv -o updated.tb").ok();
    folder.run("forget whole.tb second.csv -o left.tb").ok();
    for (a, b) in [("updated.tb", "whole.tb"), ("left.tb", "first.tb")] {
        let models = [a, b].map(|model| folder.run(&format!("show {model} --format json")).ok().json()["attributes"]["x"].clone());
        for class in ["p", "q"] {
            assert_eq!(models[0][class]["weight"], models[1][class]["weight"]);
            for moment in ["mean", "variance"] {
                let [x, y] = [0, 1].map(|i| models[i][class][moment].as_f64().unwrap());
                assert!((x - y).abs() <= 1e-9 * y.abs(), "{a}: {moment} of {class}: {x} and {y}");
            }
        }
    }
}

/// A prior that names every class does not fit a new one: another can be said.
#[test]
fn an_update_may_come_with_another_prior() {
    let folder = halves();
    folder.run("learn first.csv -t PlayTennis --class-prior Yes=0.5,No=0.5 -o given.tb").ok();
    folder.put("new.csv", format!("{HEADER}Rain,Hot,High,Weak,Maybe\n"));
    folder.run("update given.tb new.csv").fails(1, &["Maybe", "--class-prior"]);
    folder.run("update given.tb new.csv --class-prior Yes=0.25,No=0.25,Maybe=0.5 -o more.tb").ok();
    let shown = folder.run("show more.tb --format json").ok().json();
    assert_eq!(shown["classes"]["Maybe"]["prior"], 0.5);
    assert_eq!(shown["prior"]["estimate"], "laplace:1");
    folder.run("update given.tb new.csv --class-prior empirical").ok();
}

/// A calibration is fitted for classes by their places, and may not be used for others.
#[test]
fn a_calibration_is_dropped_where_the_classes_change_their_places() {
    let folder = Folder::new()
        .write("a.csv", crate::json::two_classes(400))
        .write("b.csv", crate::json::two_classes(100))
        .write("new.csv", crate::json::two_classes(100).replace(",p", ",o"))
        .write("turned.toml", "[columns.y]\nstates = [\"q\", \"p\"]\n");
    folder.run("learn a.csv -t y --calibrate sigmoid").ok();
    folder.run("learn b.csv -t y --schema turned.toml").ok();
    // Declared states come first: p and q change places.
    folder.run("merge a.tb b.tb -o both.tb").ok().notes(&["the calibration is dropped"]);
    assert_eq!(folder.run("show both.tb --format json").ok().json()["calibration"], serde_json::Value::Null);
    folder.run("update a.tb new.csv -o more.tb").ok().notes(&["the calibration is dropped"]);
    folder.run("classify both.tb x=1").ok().silent();
}

#[test]
fn a_calibration_grows_stale_with_a_change_and_that_is_said() {
    let folder = Folder::new().write("xy.csv", crate::json::two_classes(400));
    folder.run("learn xy.csv -t y --calibrate isotonic").ok();
    folder.run("update xy.tb xy.csv").ok().notes(&["the calibration was fitted before this change"]);
    folder.run("classify xy.tb x=1").ok().notes(&["the calibration was fitted before the last change"]);
    assert_eq!(folder.run("show xy.tb --format json").ok().json()["calibration"]["stale"], true);
    folder.put("bins.csv", crate::json::two_classes(50));
    folder.run("learn xy.csv -t y --numeric bins:mdl -o bins.tb").ok();
    folder.run("update bins.tb bins.csv").ok().notes(&["the cut points were made from the old rows"]);
}

/// Forgetting has no other way of reading a state: the row was never learned.
#[test]
fn a_state_that_was_never_learned_cannot_be_forgotten() {
    let folder = Folder::new().write("t.csv", "x,y\na,p\nb,q\na,p\nb,q\n").write("strange.csv", "x,y\nc,p\n");
    folder.run("learn t.csv -t y").ok();
    let refused = folder.run("forget t.tb strange.csv").fails(1, &["not all in the model: strange.csv:2", "`c` is not one of its states"]);
    assert!(!refused.transcript().contains("--unknown-states"), "{}", refused.transcript());
}

#[test]
fn flags_that_say_nothing_to_the_model_are_refused() {
    let folder = Folder::new().write("x.csv", "a,x,y\np,1.5,u\nq,2.5,v\np,3,u\nq,1,v\n");
    for (kind, model) in [("bernoulli", "b.tb"), ("nearest-centroid", "c.tb")] {
        folder.run(&format!("learn x.csv -t y -m {kind} --evaluate none -o {model}")).ok();
    }
    folder.run("update b.tb x.csv --numeric student").fails(2, &["--numeric", "Bernoulli"]);
    folder.run("update c.tb x.csv --class-prior uniform").fails(2, &["--class-prior", "nearest centroids"]);
    folder.run("merge c.tb c.tb --estimate ml -o d.tb").fails(2, &["--estimate", "nearest centroids"]);
}

/// Who never met a state has none: it is unknown again, and the model is the one before.
#[test]
fn a_state_that_was_forgotten_is_unknown_again() {
    let folder = Folder::new().write("a.csv", "g,y\nlow,u\nmid,v\nhigh,u\nlow,v\n").write("b.csv", "g,y\nnew,u\nnew,v\n");
    folder.put("new.csv", "g\nnew\n");
    folder.run("learn a.csv -t y --evaluate none").ok();
    folder.run("update a.tb b.csv -o u.tb").ok();
    folder.run("forget u.tb b.csv -o f.tb").ok();
    assert_eq!(folder.bytes("f.tb"), folder.bytes("a.tb"));
    folder.run("classify f.tb new.csv --unknown-states error -o no.csv").fails(1, &["`new` is not one of its states"]);
    folder.run("classify f.tb new.csv").ok().notes(&["values that are no known state were read as missing: 1 in `g`"]);
}

#[test]
fn words_that_were_forgotten_are_unknown_again() {
    let folder = Folder::new().write("a.csv", "t,y\nfree prize,u\nmeet noon,v\n").write("b.csv", "t,y\nfree nasa,u\n");
    folder.run("learn a.csv -t y --text t --evaluate none").ok();
    folder.run("update a.tb b.csv -o u.tb").ok();
    folder.run("forget u.tb b.csv -o f.tb").ok();
    assert_eq!(folder.bytes("f.tb"), folder.bytes("a.tb"));
}

/// The spread of what is left would be zero, or any number.
#[test]
fn a_number_that_dwarfs_what_is_left_cannot_be_forgotten() {
    let folder = Folder::new().write("base.csv", "x,y\n1,a\n2,a\n3,a\n5,b\n6,b\n7,b\n").write("out.csv", "x,y\n9999999,a\n");
    folder.put("near.csv", "x,y\n40,a\n");
    folder.run("learn base.csv -t y --types x=numeric --evaluate none").ok();
    for (rows, is_known) in [("out", false), ("near", true)] {
        folder.run(&format!("update base.tb {rows}.csv -o u.tb")).ok();
        let forgotten = folder.run(&format!("forget u.tb {rows}.csv -o f.tb"));
        if is_known {
            forgotten.ok()
        } else {
            forgotten.fails(1, &["`x`", "lost in rounding", "learn again without those rows"])
        };
    }
    // Nothing is lost where all that is left are equal.
    folder.put("same.csv", "x,y\n5,a\n5,a\n2,b\n3,b\n");
    folder.run("learn same.csv -t y --types x=numeric --evaluate none").ok();
    folder.run("update same.tb near.csv -o u.tb").ok();
    folder.run("forget u.tb near.csv -o f.tb").ok();
}

#[test]
fn states_that_may_mean_the_same_are_told_when_they_meet() {
    let folder = Folder::new().write("a.csv", "b,y\nTrue,u\nFalse,v\n").write("b.csv", "b,y\ntrue,u\nfalse,v\n");
    for name in ["a", "b"] {
        folder.run(&format!("learn {name}.csv -t y --evaluate none")).ok();
    }
    let alike = "`b` has the states `False` and `false`: if they mean the same, write them alike";
    folder.run("update a.tb b.csv -o u.tb").ok().notes(&[alike]);
    folder.run("merge a.tb b.tb -o m.tb").ok().notes(&[alike]);
    // Once is enough.
    let again = folder.run("update u.tb a.csv").ok();
    assert!(!again.transcript().contains("write them alike"), "{}", again.transcript());
}

#[test]
fn models_that_choose_words_otherwise_are_told_apart_by_that() {
    let folder = Folder::new().write("a.csv", "t,y\nfree prize,u\nmeet noon,v\nfree noon,u\n");
    for (model, flags) in [("a", ""), ("b", "--keep-words 2"), ("c", "--text-model bernoulli")] {
        folder.run(&format!("learn a.csv -t y --text t --evaluate none -o {model}.tb {flags}")).ok();
    }
    folder.run("merge a.tb b.tb -o m.tb").fails(1, &["do not choose words alike: all words; and --keep-words 2", "flags of texts"]);
    folder.run("merge a.tb c.tb -o m.tb").fails(1, &["not the same kind of events in both: multinomial; and bernoulli"]);
}

/// Columns are found by their names everywhere.
#[test]
fn columns_in_another_order_are_the_same_columns() {
    let folder = Folder::new().write("a.csv", "a,x,y\np,1.5,u\nq,2.5,v\n").write("b.csv", "y,x,a\nu,3,r\nv,2,p\n");
    folder.put("both.csv", "a,x,y\np,1.5,u\nq,2.5,v\nr,3,u\np,2,v\n");
    for name in ["a", "b", "both"] {
        folder.run(&format!("learn {name}.csv -t y --types x=numeric --evaluate none")).ok();
    }
    folder.run("update a.tb b.csv -o updated.tb").ok();
    folder.run("merge a.tb b.tb -o merged.tb").ok();
    assert_eq!(folder.bytes("merged.tb"), folder.bytes("updated.tb"));
    assert!(folder.run("diff merged.tb both.tb").ok().stdout().contains("No belief moved."));
    assert!(folder.run("diff b.tb both.tb").ok().stdout().contains("a = r"));
    folder.run("learn a.csv -t y --class-depth 3").fails(1, &["--class-depth 3 is for folders of documents"]);
}

/// A state that is only in rows without a class, or of no weight, was never learned from: it is as unknown as any other.
#[test]
fn states_of_rows_that_do_not_count_are_not_known() {
    let folder = Folder::new().write("t.csv", "b,y\nu,p\nv,q\nzz,\n").write("w.csv", "b,w,y\nu,1,p\nv,1,q\nzz,0,p\n");
    folder.put("new.csv", "b\nzz\nqq\n");
    folder.put("later.csv", "b,y\nzz,\n");
    folder.run("learn t.csv -t y -o t.tb").ok();
    folder.run("learn w.csv -t y --weight w -o w.tb").ok();
    folder.run("update t.tb later.csv -o later.tb").ok();
    for model in ["t.tb", "w.tb", "later.tb"] {
        folder.run(&format!("classify {model} new.csv")).ok().notes(&["2 in `b`"]);
        folder.run(&format!("classify {model} b=zz --unknown-states error")).fails(1, &["`zz`"]);
        let shown = folder.run(&format!("show {model} --format json")).ok();
        assert!(!shown.stdout().contains("zz"), "{}", shown.stdout());
    }
    // One that is declared is known, and what rows without a class are learned from is too.
    folder.put("t.schema.toml", "[columns.b]\nstates = [\"u\", \"v\", \"zz\"]\n");
    folder.run("learn t.csv -t y -o declared.tb").ok();
    folder.run("classify declared.tb b=zz --unknown-states error").ok();
    std::fs::remove_file(folder.path("t.schema.toml")).unwrap();
    folder.run("learn t.csv -t y --unlabelled -o em.tb").ok();
    folder.run("classify em.tb b=zz --unknown-states error").ok();
}

/// What rows that do not count have was passed over when they were learned, and is when they are forgotten.
#[test]
fn rows_that_do_not_count_can_be_forgotten() {
    let rows = "a,1,k\nb,1,k\na,1,l\nb,1,l\n";
    let folder = Folder::new().write("a.csv", format!("c,w,y\n{rows}")).write("gone.csv", "c,w,y\na,1,k\nz,1,\nzz,0,l\n");
    folder.put("all.csv", format!("c,w,y\n{rows}a,1,k\nz,1,\nzz,0,l\n"));
    for kind in ["naive-bayes", "bernoulli", "nearest-centroid", "aode"] {
        for table in ["a", "all"] {
            folder.run(&format!("learn {table}.csv -t y --weight w -m {kind} -o {table}.tb --evaluate none")).ok();
        }
        folder.run("update a.tb gone.csv -o updated.tb").ok();
        for model in ["all.tb", "updated.tb"] {
            folder.run(&format!("forget {model} gone.csv -o left.tb")).ok();
            let moved = folder.run("diff a.tb left.tb").ok();
            assert!(moved.stdout().contains("No belief moved"), "{kind}: {}", moved.stdout());
            folder.run("classify left.tb c=z --unknown-states error").fails(1, &["`z`"]);
        }
        folder.put("never.csv", "c,w,y\nz,1,k\n");
        folder
            .run("forget a.tb never.csv -o left.tb")
            .fails(1, &["these rows are not all in the model: never.csv:2", "column `c`: `z` is not one of its states"]);
    }
}

/// A state, or a class, that nobody has any more is gone, whatever the kind of model: it is the one that never met it.
#[test]
fn what_nobody_has_any_more_is_gone() {
    let rows = "a,p,k\nb,q,k\na,p,l\nb,q,l\na,q,k\n";
    let folder = Folder::new().write("a.csv", format!("c,d,y\n{rows}")).write("gone.csv", "c,d,y\nz,p,k\na,p,m\n");
    folder.put("all.csv", format!("c,d,y\n{rows}z,p,k\na,p,m\n"));
    for flags in ["-m naive-bayes", "-m bernoulli", "-m aode", "-m tan", "-m kdb:1", "--structure 'y->c;y->d'"] {
        for table in ["a", "all"] {
            folder.run(&format!("learn {table}.csv -t y {flags} -o {table}.tb --evaluate none")).ok();
        }
        folder.run("forget all.tb gone.csv -o left.tb").ok();
        let moved = folder.run("diff a.tb left.tb").ok();
        assert!(moved.stdout().contains("No belief moved") || moved.stdout().contains("same"), "{flags}: {}", moved.stdout());
        let answers =
            ["a", "left"].map(|model| folder.run(&format!("classify {model}.tb c=a d=p --format json")).ok().json()["probability"].clone());
        assert_eq!(answers[0], answers[1], "{flags}");
    }
}

/// Only gaps may tell of a state, and then it stays.
#[test]
fn states_of_rows_with_gaps_are_there() {
    let rows = "a,p\nb,q\na,q\nb,\n";
    let folder = Folder::new().write("a.csv", format!("c,d\n{rows},z\n")).write("gone.csv", "c,d\nw,q\n");
    folder.put("all.csv", format!("c,d\n{rows},z\nw,q\n"));
    for table in ["a", "all"] {
        folder.run(&format!("learn {table}.csv --structure 'c->d' -o {table}.tb")).ok();
    }
    folder.run("forget all.tb gone.csv -o left.tb").ok();
    let states = |model: &str| {
        let shown = folder.run(&format!("ask {model} 'P(*)' --format json")).ok().json();
        ["c", "d"].map(|of| shown["marginals"][of].as_object().unwrap().keys().cloned().collect::<Vec<_>>())
    };
    assert_eq!(states("left.tb"), [vec!["a", "b"], vec!["p", "q", "z"]]);
    assert_eq!(states("left.tb"), states("a.tb"));
}

/// Nobody looks at a column that is left out, so that it may be of any kind.
#[test]
fn columns_that_are_left_out_may_be_of_other_kinds() {
    let folder = Folder::new().write("a.csv", "x,n,y\nu,1,p\nv,1,q\nu,2,q\n").write("b.csv", "x,n,y\nu,9.1,p\nv,3.7,q\nv,5.5,p\n");
    for table in ["a", "b"] {
        folder.run(&format!("learn {table}.csv -t y --ignore n -o {table}.tb --evaluate none")).ok();
    }
    folder.run("merge a.tb b.tb -o both.tb").ok();
    folder.run("learn a.csv b.csv -t y --ignore n -o all.tb --evaluate none").ok();
    assert!(folder.run("diff both.tb all.tb").ok().stdout().contains("No belief moved"));
}

/// Which calibration stays must not hang on the order of the models: none does.
#[test]
fn a_merge_drops_calibrations_in_either_order() {
    let rows: String = (0..40).map(|row| format!("{},{},{}\n", ["x", "z"][row % 2], row % 7, ["p", "q"][row % 3 % 2])).collect();
    let folder = Folder::new().write("a.csv", format!("a,n,y\n{rows}"));
    for (name, method) in [("i", "isotonic"), ("s", "sigmoid"), ("n", "none")] {
        folder.run(&format!("learn a.csv -t y --types n=numeric --calibrate {method} --evaluate none -o {name}.tb")).ok();
    }
    let p = |model: &str| folder.run(&format!("classify {model} a=x n=2 --format json")).ok().json()["probability"].clone();
    folder.run("merge n.tb n.tb -o plain.tb").ok();
    for (first, second) in [("i", "n"), ("n", "i"), ("i", "s"), ("s", "i")] {
        let dropped = "the calibration is dropped: it was fitted for one of the models alone";
        folder.run(&format!("merge {first}.tb {second}.tb -o both.tb")).ok().notes(&[dropped]);
        assert_eq!(p("both.tb"), p("plain.tb"));
    }
}

/// Weights of 0.3, 0.2 and 0.1 have another sum in another order.
#[test]
fn rows_without_a_class_leave_in_any_order() {
    let folder = Folder::new()
        .write("all.csv", "x,w,y\ns,1,a\nt,1,b\ns,2,a\nt,1,a\ns,1,b\ns,0.3,\nt,0.2,\ns,0.1,\n")
        .write("some.csv", "x,w,y\ns,1,b\ns,0.1,\nt,0.2,\ns,0.3,\n");
    folder.run("learn all.csv -t y --weight w --types x=category --evaluate none").ok();
    folder.run("forget all.tb some.csv").ok();
}

#[test]
fn a_state_whose_share_was_given_stays_when_its_last_row_leaves() {
    let folder = Folder::new()
        .write("g.csv", "c,y\ns,a\nt,b\ns,b\nt,a\ns,a\n")
        .write("g.schema.toml", "[columns.\"c\"]\ntype=\"category\"\nprior={s=0.25,t=0.75}\n")
        .write("t.csv", "c,y\nt,a\nt,b\n");
    folder.run("learn g.csv -t y --estimate m:4:given --evaluate none").ok();
    folder.run("forget g.tb t.csv -o left.tb").ok();
    folder.run("update left.tb t.csv -o again.tb").ok();
    assert_eq!(folder.bytes("again.tb"), folder.bytes("g.tb"));
}

#[test]
fn a_density_is_no_part_of_what_models_without_one_believe() {
    let folder = Folder::new().write("n.csv", "x,c,y\n1,s,a\n2,s,a\n3,t,a\n4,t,b\n5,t,b\n6.5,s,b\n");
    folder.run("learn n.csv -t y --types x=numeric,c=category --numeric bins:width:3 --evaluate none -o bins.tb").ok();
    folder.run("update bins.tb n.csv --numeric student").fails(2, &["cut into bins"]);
    folder.run("learn n.csv -t y --ignore x --evaluate none -o states.tb").ok();
    folder.run("update states.tb n.csv --numeric student").fails(2, &["this model has none"]);
}

/// The sum of what is written is one but for rounding.
#[test]
fn a_class_prior_is_told_as_it_was_given() {
    let folder = Folder::new().write("abc.csv", "x,y\ns,a\nt,b\ns,c\nt,a\n");
    let learned = folder.run("learn abc.csv -t y --class-prior a=0.7,b=0.2,c=0.1 --evaluate none --format json").ok().json();
    assert!(learned["prior"].as_str().unwrap().contains("a=0.7,b=0.2,c=0.1"), "{learned}");
}

/// Fractional weights leave a spread of rounding where all rows of a class are in one state.
#[test]
fn rounding_is_no_scale_of_distances() {
    let table = |weights: [&str; 6]| {
        let rows: String = weights.iter().enumerate().map(|(row, w)| format!("{},{w},k{}\n", ["A", "B"][row / 3], row / 3)).collect();
        format!("c,w,y\n{rows}")
    };
    let folder = Folder::new().write("odd.csv", table(["0.11", "0.7", "0.65", "0.94", "0.27", "0.26"])).write("one.csv", table(["1"; 6]));
    for name in ["odd", "one"] {
        folder.run(&format!("learn {name}.csv -t y -m nearest-centroid --weight w --types c=category --evaluate none")).ok();
        let answer = folder.run(&format!("classify {name}.tb c=A --format json")).ok().json();
        crate::support::assert_close(&answer["probability"]["k0"], 1.0 / (1.0 + (-1.0_f64).exp()), 1e-12);
    }
}

/// A class without rows of an attribute stands at equal shares.
#[test]
fn centroids_are_shown_where_they_are() {
    let folder =
        Folder::new().write("gaps.csv", "c,d,y\ns,u,a\nt,v,a\n,u,b\n,v,b\n").write("full.csv", "c,d,y\ns,u,a\nt,v,a\ns,u,b\nt,v,b\n");
    for name in ["gaps", "full"] {
        folder.run(&format!("learn {name}.csv -t y -m nearest-centroid --types c=category,d=category --evaluate none")).ok();
    }
    let moved = folder.run("diff gaps.tb full.tb --format json").ok().json();
    assert_eq!(moved["n_moved"], 0, "{moved}");
}

/// What is left of a class may be less than what rounding took, and is none then, but no fault of ours.
#[test]
fn what_is_left_of_a_class_may_be_lost_in_rounding() {
    let rows = ["s,1000000,a", "t,0.0000005,a", "s,0.000001,b", "t,0.000002,b", "s,1,c"].map(|row| format!("{row}\n"));
    let folder = Folder::new().write("all.csv", format!("c,w,y\n{}", rows.concat())).write("heavy.csv", format!("c,w,y\n{}", rows[0]));
    folder.run("learn all.csv -t y --weight w --evaluate none").ok();
    folder.run("forget all.tb heavy.csv").ok();
    folder.run("classify all.tb c=t").ok();
    folder.put("two.csv", format!("c,w,y\n{}", rows[..4].concat()));
    folder.run("learn two.csv -t y --weight w --evaluate none").ok();
    folder.run("forget two.tb heavy.csv").fails(1, &["only `b` has"]);
}
