//! Data as they come: what is unusual about them is a defined case, and is said.

use serde_json::{Value, json};

use crate::support::Folder;

fn column<'v>(value: &'v Value, name: &str) -> &'v Value {
    value["columns"].as_array().unwrap().iter().find(|c| c["name"] == name).unwrap_or_else(|| panic!("no column {name}"))
}

#[test]
fn malformed_rows_are_an_error_or_skipped_and_counted() {
    let good = "a,b,y\n1.5,x,p\n2.5,z,q\n3.5,x,q\n0.5,z,p\n";
    let bad = "a,b,y\n1.5,x,p\n7,z\n2.5,z,q\n\"8\"8,x,p\n3.5,x,q\n9,z,p,9\n0.5,z,p\n";
    let folder = Folder::new().write("good.csv", good).write("bad.csv", bad);
    folder.run("learn bad.csv -t y").fails(1, &["bad.csv:3: 2 cells where the header has 3", "--on-bad-row skip"]);
    let note = "3 malformed rows were skipped, the first at bad.csv:3: 2 cells where the header has 3";
    let learned = folder.run("learn bad.csv -t y --on-bad-row skip --format json").ok().notes(&[note]).json();
    assert_eq!((&learned["rows"], &learned["skipped"]), (&json!(4), &json!(3)));
    // Skipped rows leave no trace: no state of theirs, no column of words.
    folder.run("learn good.csv -t y").ok();
    assert_eq!(folder.bytes("bad.tb"), folder.bytes("good.tb"));
    let answered = folder.run("classify good.tb bad.csv --on-bad-row skip").ok().notes(&[note]);
    assert_eq!(answered.stdout().lines().count(), 5);
    folder.run("schema bad.csv --on-bad-row skip").ok().notes(&[note]);
    let updated = folder.run("update good.tb bad.csv --on-bad-row skip --format json").ok().notes(&[note]).json();
    assert_eq!((&updated["rows"], &updated["rows_read"], &updated["skipped"]), (&json!(8), &json!(4), &json!(3)));
    folder.run("evaluate good.tb bad.csv --on-bad-row skip").ok().notes(&[note]);
    folder.run("evaluate bad.csv -t y --folds 2 --on-bad-row skip").ok().notes(&[note]);
}

#[test]
fn a_table_of_malformed_rows_only_is_said_to_be_one() {
    let folder = Folder::new().write("bad.csv", "a,y\n1,2,3\n4,5,6\n");
    let refused = folder.run("learn bad.csv -t y --on-bad-row skip");
    refused.fails(1, &["all 2 rows are malformed", "the first at bad.csv:2: 3 cells where the header has 2"]);
}

#[test]
fn bytes_that_are_no_text_are_a_fault_of_their_row() {
    let folder = Folder::new().write("bytes.csv", b"a,b,y\nx,1,p\n\xff\xfe,2,q\nz,1,q\n\xe9t\xe9,2,p\n");
    folder.run("learn bytes.csv -t y").fails(1, &["bytes.csv:3: column `a`", "are not UTF-8 text", "iconv"]);
    let learned = folder.run("learn bytes.csv -t y --on-bad-row skip --format json").ok();
    let learned = learned.notes(&["2 malformed rows were skipped, the first at bytes.csv:3"]).json();
    assert_eq!(column(&learned, "a")["states"], json!(["x", "z"]));
}

#[test]
fn a_byte_order_mark_and_foreign_line_ends_are_no_trouble() {
    let folder = Folder::with_model();
    let text = folder.text("play_tennis.csv");
    folder.put("marked.csv", format!("\u{feff}{}", text.replace('\n', "\r\n")));
    folder.run("learn marked.csv -t PlayTennis --evaluate none").ok().silent();
    assert_eq!(folder.bytes("marked.tb"), folder.bytes("play_tennis.tb"));
    assert!(folder.run("learn marked.csv -t PlayTennis").ok().stdout().contains("  Outlook      category"));
}

#[test]
fn a_target_must_have_two_classes() {
    let folder = Folder::new()
        .write("one.csv", "a,y\nx,p\nz,p\n")
        .write("none.csv", "a,y\nx,?\nz,\n")
        .write("gaps.csv", "a,y\nx,p\nz,q\nz,\nx,NA\n");
    folder.run("learn one.csv -t y").fails(1, &["at least two classes of `y`", "only `p` has"]);
    folder.run("learn none.csv -t y").fails(1, &["`y` is missing in every row"]);
    folder.run("learn one.csv -t z").fails(1, &["`z`", "a, y"]);
    let gaps = folder.run("learn gaps.csv -t y --format json").ok().json();
    assert_eq!((&gaps["rows"], &gaps["rows_without_target"]), (&json!(4), &json!(2)));
    assert!(folder.run("learn gaps.csv -t y").ok().stdout().contains("2 rows without a class were left out\n"));
}

#[test]
fn a_numeric_target_is_refused_unless_its_numbers_are_states() {
    let row = |i: usize| format!("{},{}\n", ["x", "z"][i % 2], i * i % 997);
    let folder = Folder::new()
        .write("price.csv", "a,price\n".to_string() + &(0..500).map(row).collect::<String>())
        .write("stars.csv", "a,stars\n".to_string() + &(0..50).map(|i| format!("{},{}\n", ["x", "z"][i % 2], i % 5)).collect::<String>());
    let refused = folder.run("learn price.csv -t price");
    refused.fails(1, &["the target `price` is numeric", "--types 'price=category'"]);
    folder.run("learn price.csv -t price --types price=category --evaluate none").ok();
    let stars = folder.run("learn stars.csv -t stars --format json").ok().json();
    assert_eq!(column(&stars, "stars")["states"], json!(["0", "1", "2", "3", "4"]));
}

#[test]
fn numbers_that_no_double_holds_are_said() {
    let folder = Folder::new()
        .write("beyond.csv", "a,y\n1.5,p\n1e999,q\n2.5,p\n")
        .write("infinite.csv", "a,y\n1.5,p\n-inf,q\n2.5,p\n")
        .write("large.csv", "a,y\n1e308,p\n-1e308,p\n1.5,q\n-1.7e308,q\n");
    folder.run("learn beyond.csv -t y").fails(1, &["beyond.csv:3: column `a`: `1e999` is outside the range of numbers"]);
    folder.run("learn infinite.csv -t y").fails(1, &["infinite.csv:3: column `a`: `-inf`"]);
    folder.run("learn large.csv -t y").fails(1, &["`a`", "too large", "--types a=category"]);
    folder.run("learn large.csv -t y --types a=category").ok();
    folder.run("learn beyond.csv -t y --missing 1e999").ok().notes(&["`a` is missing in every row of class `q`"]);
}

#[test]
fn a_number_that_fits_no_other_changes_what_the_column_is() {
    let mut text = "code,y\n".to_string();
    (0..70_000).for_each(|i| text += &format!("{}.5,{}\n", i % 3000, ["p", "q"][i % 2]));
    text += "A17,p\n";
    let folder = Folder::new().write("codes.csv", &text);
    let learned = folder.run("learn codes.csv -t y --format json").ok();
    let learned = learned.notes(&["`code` is read as states: `A17` (codes.csv:70002) is not a number"]);
    assert_eq!(column(&learned.json(), "code")["type"], "category");
    folder
        .run("learn codes.csv -t y --types code=numeric")
        .fails(1, &["codes.csv:70002: column `code`: `A17` is not a number", "--missing 'A17'"]);
}

#[test]
fn ten_thousand_columns_are_learned_and_told_in_short() {
    const COLUMNS: usize = 10_000;
    let mut text: String = (0..COLUMNS).map(|i| format!("c{i},")).collect();
    text.push_str("y\n");
    for row in 0..20_usize {
        (0..COLUMNS).for_each(|i| text.push_str(if (row * 31 + i * 17 + row * i) % 3 == 0 { "a," } else { "b," }));
        text.push_str(["p\n", "q\n"][row % 2]);
    }
    let folder = Folder::new().write("wide.csv", text);
    let learned = folder.run("learn wide.csv -t y").ok();
    assert!(learned.stdout().starts_with("wide.csv: 20 rows, 10,001 columns\n"), "{}", &learned.stdout()[..200]);
    assert!(learned.stdout().lines().count() < 80);
    assert!(learned.stdout().contains("… and 9,961 more columns"));
    assert_eq!(folder.run("classify wide.tb wide.csv --format jsonl").ok().json_lines().len(), 20);
    assert!(folder.run("show wide.tb").ok().stdout().lines().count() < 200);
    assert_eq!(folder.run("show wide.tb --format json").ok().json()["attributes"].as_object().unwrap().len(), COLUMNS);
}

#[test]
fn a_column_of_many_states_is_learned_and_told_in_short() {
    let row = |i: usize| format!("city{},{}\n", i * 7 % 3000, ["p", "q"][i % 2]);
    let folder = Folder::new().write("cities.csv", "city,y\n".to_string() + &(0..9000).map(row).collect::<String>());
    let learned = folder.run("learn cities.csv -t y").ok().silent();
    assert!(learned.stdout().contains("3,000: city0, city1, city10"), "{}", learned.stdout());
    let shown = folder.run("show cities.tb").ok();
    assert!(shown.stdout().contains("… 2,980 more"), "{}", shown.stdout());
    assert!(folder.run("show cities.tb --all").ok().stdout().lines().count() > 3000);
}

#[test]
fn dates_and_identifiers_are_left_out_and_that_is_said() {
    let row = |i: usize| {
        let (day, hour) = (i % 28 + 1, i % 24);
        format!("{},k{i:04x},2024-02-{day:02},2024-02-{day:02}T{hour:02}:30:00Z,{}.5,{}\n", i + 1, i * 3 % 17, ["p", "q"][i % 2])
    };
    let folder = Folder::new().write("log.csv", "id,key,day,time,x,y\n".to_string() + &(0..90).map(row).collect::<String>());
    let learned = folder.run("learn log.csv -t y").ok();
    for (name, reason) in [("id", "it numbers the rows"), ("key", "an identifier"), ("day", "it is a date"), ("time", "it is a date")] {
        let line = learned.stdout().lines().find(|line| line.trim_start().starts_with(&format!("{name} "))).unwrap();
        assert!(line.contains("ignored") && line.contains(reason), "{line}");
    }
    folder.run("classify log.tb day=2024-02-01").fails(1, &["the model does not use `day`: it is a date"]);
    // All can be used by saying so.
    let told = folder.run("learn log.csv -t y --types id=numeric,key=category,day=category,time=category --format json").ok().json();
    for name in ["id", "key", "day", "time"] {
        assert_eq!(column(&told, name)["role"], "input", "{name}");
    }
}

#[test]
fn columns_that_say_nothing_are_left_out_and_that_is_said_in_few_words() {
    let header: String = (0..50).map(|i| format!("same{i},")).collect();
    let row = |i: usize| format!("{}{}.5,,{}\n", "7.25,".repeat(50), i * 3 % 17, ["p", "q"][i % 2]);
    let folder = Folder::new().write("same.csv", format!("{header}x,void,y\n") + &(0..60).map(row).collect::<String>());
    let learned = folder.run("learn same.csv -t y").ok().notes(&["50 columns are left out: constant (`same0`, `same1`, "]);
    assert!(learned.stderr.lines().count() < 5, "{}", learned.stderr);
    let void = learned.stdout().lines().find(|line| line.trim_start().starts_with("void ")).map(str::to_string);
    assert!(learned.stdout().contains("same49") || learned.stdout().contains("more columns"), "{void:?}");
}

/// In a table with many gaps some classes lack whole columns; a remark for each pair would drown the rest.
#[test]
fn gaps_by_class_are_remarked_on_class_by_class() {
    let header: String = (0..20).map(|i| format!("t{i},")).collect();
    let row = |i: usize| {
        let class = i % 4;
        let cell = |c: usize| if class == 3 || class == 2 && c == 5 { "," } else { ["u,", "v,"][(i / 4 + c) % 2] };
        format!("{}{}\n", (0..20).map(cell).collect::<String>(), ["p", "q", "r", "s"][class])
    };
    let folder = Folder::new().write("gaps.csv", format!("{header}y\n") + &(0..80).map(row).collect::<String>());
    let learned = folder.run("learn gaps.csv -t y").ok();
    let learned = learned.notes(&["20 columns are missing in every row of class `s`", "`t5` is missing in every row of class `r`"]);
    assert_eq!(learned.stderr.lines().count(), 2, "{}", learned.stderr);
}

#[test]
fn odd_names_are_names_like_any_other() {
    let folder = Folder::new()
        .write("odd.csv", "\"a,b\",\"say \"\"hi\"\"\",größe, ,p(x),y\n\"1,5\",ü,klein,u,z,ja\n2,ö,groß,v,z,nein\n\"1,5\",ü,groß,u,w,ja\n");
    folder.run("learn odd.csv -t y --types '*=category'").ok();
    let answered = folder.run("classify odd.tb odd.csv").ok().silent();
    let header = answered.stdout().lines().next().unwrap();
    assert!(header.starts_with("\"a,b\",\"say \"\"hi\"\"\",größe,"), "{header}");
    folder.run("classify odd.tb größe=groß 'a,b=1,5'").ok().silent();
    folder.put("signs.csv", "a=b,a,y\n1=1,u,p\n2=2,v,q\n");
    folder.run("learn signs.csv -t y").ok();
    folder.run("classify signs.tb a=b=1=1 --unknown-states error").ok().silent();
    folder.run("classify signs.tb a=u --unknown-states error").ok().silent();
    folder.run("schema odd.csv --write").ok();
    folder.run("learn odd.csv -t y").ok().notes(&["odd.schema.toml"]);
}

#[test]
fn rows_that_weigh_nothing_are_not_said_to_lack_a_class() {
    let folder = Folder::new().write("t.csv", "x,y,w\na,p,0\nb,q,0\n");
    folder.run("learn t.csv -t y --weight w").fails(1, &["every row that has a class has the weight zero", "--weight"]);
    folder.run("learn t.csv -t y --weight w -m aode").fails(1, &["every row that has a class has the weight zero", "--weight"]);
}

/// Rows that were skipped may be the reason why nothing can be learned.
#[test]
fn skipped_rows_are_told_also_where_nothing_can_be_learned() {
    let folder = Folder::new().write("t.csv", "x,y\na,p\nb,q,3\na,p\n");
    let refused = folder.run("learn t.csv -t y --on-bad-row skip");
    refused.fails(1, &["at least two classes of `y`", "1 malformed row was skipped, the first at t.csv:3"]);
}

/// Whatever learns: it is not the target that is at fault.
#[test]
fn nothing_is_held_out_of_a_few_rows() {
    let folder = Folder::with_model();
    for kind in ["naive-bayes", "tan", "aode"] {
        folder
            .run(&format!("evaluate play_tennis.csv -t PlayTennis -m {kind} --holdout 0.01"))
            .fails(1, &["was held out", "a larger share"]);
    }
}

/// Two whole numbers that a double cannot tell apart are two states.
#[test]
fn long_numbers_are_not_taken_for_others() {
    let rows = "1234567890123456789,a\n5,b\n8,a\n8,b\n".repeat(6);
    let folder = Folder::new().write("t.csv", format!("account,y\n{rows}")).write("other.csv", "account,y\n1234567890123456700,a\n");
    folder.run("learn t.csv -t y --types account=category -o t.tb --evaluate none").ok();
    folder.run("classify t.tb account=1234567890123456700 --unknown-states error").fails(1, &["1234567890123456700"]);
    folder.run("forget t.tb other.csv -o less.tb").fails(1, &["1234567890123456700"]);
    folder.run("classify t.tb account=5.0 --unknown-states error").ok();
}

#[test]
fn a_marker_may_be_a_negative_number() {
    let folder = Folder::new().write("t.csv", "x,y\n1.5,a\n-999,b\n2.5,b\n3.5,a\n");
    let told = folder.run("learn t.csv -t y --missing -999 --format json --evaluate none").ok().json();
    assert_eq!(told["columns"][0]["missing"], 1, "{told}");
}

#[test]
fn a_case_may_give_a_date_to_a_column_of_days() {
    let folder = Folder::new().write("t.csv", "d,y\n2020-01-01,a\n2020-02-01,b\n2021-01-01,a\n2022-02-01,b\n");
    folder.run("learn t.csv -t y --types d=numeric -o t.tb --evaluate none").ok();
    let by_day = folder.run("classify t.tb d=2020-01-01").ok();
    assert_eq!(by_day.stdout(), folder.run("classify t.tb d=18262").ok().stdout());
    folder.run("classify t.tb d=someday").fails(1, &["`someday` is not a number"]);
}

#[test]
fn a_malformed_first_line_of_json_is_skipped_like_any_other() {
    let folder = Folder::new().write("t.jsonl", "oops\n{\"x\":3,\"y\":\"b\"}\n{\"x\":4,\"y\":\"a\"}\n");
    folder.run("learn t.jsonl -t y -o t.tb --evaluate none").fails(1, &["t.jsonl:1", "--on-bad-row skip"]);
    folder.run("learn t.jsonl -t y -o t.tb --evaluate none --on-bad-row skip").ok().notes(&["1 malformed row was skipped"]);
}

#[test]
fn a_column_that_begins_late_is_not_said_to_be_empty() {
    let rows: String = (0..66_000).map(|row| format!("{},,{}\n", row % 7, ["a", "b"][row % 2])).collect();
    let folder = Folder::new().write("t.csv", format!("k,m,y\n{rows}1,2.5,a\n"));
    let told = folder.run("learn t.csv -t y --evaluate none").ok();
    assert!(told.stdout().contains("no values in the first 65536 rows; --types m=numeric reads on"), "{}", told.stdout());
}

#[test]
fn labels_have_no_components() {
    let folder = Folder::new().write("t.csv", "x,topics\na,p;q\nb,q\na,p\nb,\n");
    folder.run("learn t.csv -t topics --labels ';' --components 2").fails(2, &["components"]);
}

/// Nor does a state's name break a table, or speak to the terminal.
#[test]
fn names_are_printed_as_what_they_are() {
    let folder = Folder::new().write("t.csv", "x,y\n\"a\nb\",p\n\u{1b}[31mred,q\n\"a\nb\",q\n\u{1b}[31mred,p\n");
    let told = folder.run("learn t.csv -t y -o t.tb").ok();
    let text = told.stdout();
    assert!(text.contains("a\\nb") && text.contains("\\u{1b}[31mred") && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn explain_prints_names_of_classes_as_what_they_are() {
    let folder =
        Folder::new().write("t.csv", "x,text,y\na,one two,p\nb,one three,\u{1b}[31mred\n".repeat(3).replace("red\nx,text,y", "red"));
    folder.run("learn t.csv -t y --text text -o t.tb").ok();
    for line in [
        "explain t.tb x=b --mark plain",
        "explain t.tb 'text=one three' --mark plain --trace",
        "explain t.tb x=b --against p --format html",
    ] {
        let told = folder.run(line).ok();
        assert!(told.stdout().contains("\\u{1b}[31mred") && !told.stdout().contains('\u{1b}'), "{line}: {}", told.stdout());
    }
    folder.run("explain t.tb x=b --class \u{1b}[32mgreen").fails(1, &["`\\u{1b}[32mgreen` is no class", "\\u{1b}[31mred"]);
}

/// A file that is passed over says nothing of how texts are written.
#[test]
fn skipped_documents_are_not_told_as_read() {
    let folder = Folder::new();
    for class in ["p", "n"] {
        std::fs::create_dir_all(folder.path("d").join(class)).unwrap();
    }
    let binary: Vec<u8> = (0..4096_u32).map(|byte| (byte * 37 % 256) as u8).collect();
    folder.put("d/p/1", "one two");
    folder.put("d/p/2", binary);
    folder.put("d/n/1", "three four");
    let told = folder.run("learn d --on-bad-row skip -o d.tb").ok().notes(&["1 malformed row was skipped"]);
    assert!(!told.transcript().contains("Windows-1252"), "{}", told.transcript());
}

/// A table's truth may be `True` in one file and `true` in the next.
#[test]
fn states_that_may_be_the_same_are_told() {
    let folder = Folder::new().write("a.csv", "x,y\n1,True\n2,False\n2,True\n1,False\n").write("b.csv", "x,y\n1,true\n2,false\n");
    folder.run("learn a.csv b.csv -t y --types x=category").ok().notes(&["`y` has the states `False` and `false`", "write them alike"]);
    folder.run("learn a.csv -t y --types x=category -o a.tb --evaluate none").ok().silent();
    folder.put("c.csv", "x,y\n1,p\n1.0,q\n2,p\n2,q\n");
    folder.run("learn c.csv -t y --types x=category").ok().notes(&["`x` has the states `1` and `1.0`"]);
}

/// What comes late in a long file has no column to be passed on in, and that is said.
#[test]
fn keys_that_come_late_are_told() {
    let row = |nth: usize| format!("{{\"x\":\"{}\",\"y\":\"{}\"}}\n", ["a", "b"][nth % 2], ["p", "q"][nth / 2 % 2]);
    let rows: String = (0..65_600).map(row).collect();
    let folder = Folder::new()
        .write("t.jsonl", format!("{rows}{{\"x\":\"a\",\"y\":\"p\",\"z\":1}}\n"))
        .write("few.jsonl", (0..8).map(row).collect::<String>());
    folder.run("learn few.jsonl -t y -o t.tb --evaluate none").ok();
    folder.run("classify t.tb t.jsonl -o out.jsonl").ok().notes(&["1 row has keys that the first rows have not, which are not passed on"]);
    folder.run("classify t.tb few.jsonl -o few.csv").ok().silent();
}

/// Codes of postal areas, and numbers longer than a double.
#[test]
fn cells_that_say_more_than_their_numbers_are_told_where_they_become_numbers() {
    let folder = Folder::new().write("id.csv", "id,x,y\n9007199254740993,01234,u\n9007199254740995,2.50,v\n");
    folder.run("learn id.csv -t y --types id=numeric,x=numeric --evaluate none").ok();
    folder.run("classify id.tb id.csv -o id.parquet").ok().notes(&["3 cells are passed on as numbers that say less than their text"]);
    folder.run("classify id.tb id.csv -o answers.csv").ok().silent();
}

#[test]
fn a_file_that_is_packed_twice_is_told_so() {
    let packed = b"\x1F\x8B\x08\x00\x00\x00\x00\x00\x02\x03\x93\xEF\xE6\x60\x00\x01\x26\xE6\xD5\x17\x56\x3E\x31\xBA\xA2\xF9\xC0\xE8\x92\xE6\x13\x26\x86\xAB\xC6\xDC\xDF\x79\x80\xE2\x00\x5C\x4D\x4F\x42\x20\x00\x00\x00";
    let folder = Folder::new().write("t.csv.gz.gz", packed);
    folder.run("learn t.csv.gz.gz -t y").fails(1, &["t.csv.gz.gz", "is packed twice", "gunzip"]);
}
