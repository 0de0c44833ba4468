//! A target that holds any number of labels, in every format, in and out.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use belief::{Chunk, Column, Kind, Observations, Recode, Recoding, ShapeMismatch, SufficientStatistic, Texts};
use tunbridge_data::{DataError, LabelAnswers, OutputFormat, ReadOptions, Table, UnknownStates};

use crate::support::{Folder, open};

/// The labels of every row, by their codes; `None` where they are missing.
#[derive(Clone, Debug, Default)]
struct Sets(Vec<Option<Vec<u32>>>);

/// The same by their names.
type Named = Vec<Option<Vec<String>>>;

/// The place of the column in the tables here.
const TARGET: usize = 1;

impl SufficientStatistic for Sets {
    type Columns<'a> = Chunk<'a>;

    fn observe(&mut self, chunk: Chunk<'_>) -> Result<(), ShapeMismatch> {
        let Column::Texts(texts) = chunk.columns[TARGET] else { panic!("labels") };
        self.0.extend((0..chunk.n_rows).map(|row| texts.labels(row).map(<[u32]>::to_vec)));
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.0.extend(other.0.iter().cloned());
        Ok(())
    }
}

impl Recode for Sets {
    fn recode(&mut self, recoding: &Recoding) -> Result<(), ShapeMismatch> {
        if let Some(map) = recoding.of(TARGET) {
            let known = |code: &&mut u32| **code < Texts::UNKNOWN;
            self.0.iter_mut().flatten().flatten().filter(known).for_each(|code| *code = map.to[*code as usize]);
        }
        Ok(())
    }
}

fn options() -> ReadOptions {
    ReadOptions { target: Some("topics".into()), labels: Some(";".into()), threads: 1, ..ReadOptions::default() }
}

/// The rows' labels by name, sorted, `None` where they are missing; and how many are missing.
fn sets(table: &Table) -> Result<(Named, u64), DataError> {
    let fold = table.fold(|_: &[usize]| Sets::default())?;
    let Kind::Labels(names) = &fold.schema.variables()[TARGET].kind else { panic!("{:?}", fold.schema) };
    let name = |code: &u32| names.names().get(*code as usize).cloned().unwrap_or("unknown".into());
    let set = |set: &Vec<u32>| {
        let mut names: Vec<String> = set.iter().map(name).collect();
        names.sort();
        names
    };
    Ok((fold.statistic.0.iter().map(|row| row.as_ref().map(set)).collect(), fold.report.n_missing[TARGET]))
}

fn expected() -> Named {
    let set = |labels: &[&str]| Some(labels.iter().map(|l| l.to_string()).collect());
    vec![set(&["acq", "earn"]), set(&["earn"]), set(&[]), None, set(&["Earn", "acq"])]
}

fn lists(rows: &[Option<&[&str]>]) -> ArrayRef {
    let mut builder = ListBuilder::new(StringBuilder::new());
    for row in rows {
        row.iter().for_each(|labels| labels.iter().for_each(|label| builder.values().append_value(label)));
        builder.append(row.is_some());
    }
    Arc::new(builder.finish())
}

fn parquet_of(topics: ArrayRef) -> Vec<u8> {
    let ids: ArrayRef = Arc::new(StringArray::from_iter_values((0..topics.len()).map(|i| format!("r{i}"))));
    let batch = RecordBatch::try_from_iter([("id", ids), ("topics", topics)]).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn labels_are_the_same_in_every_format() {
    let csv = "id,topics\nr0,earn;acq\nr1, earn ; earn\nr2,\nr3,NA\nr4,acq;Earn\n";
    let texts = r#"{"id":"r0","topics":"earn;acq"}
{"id":"r1","topics":"earn"}
{"id":"r2","topics":""}
{"id":"r3","topics":null}
{"id":"r4","topics":"acq;Earn"}
"#;
    let arrays = r#"{"id":"r0","topics":["earn","acq"]}
{"id":"r1","topics":["earn"," earn"]}
{"id":"r2","topics":[]}
{"id":"r3"}
{"id":"r4","topics":["acq","Earn",""]}
"#;
    let arff = "@relation r\n@attribute id string\n@attribute topics string\n@data\nr0,'earn;acq'\nr1,earn\nr2,''\nr3,?\nr4,'acq;Earn'\n";
    let columnar = parquet_of(lists(&[Some(&["earn", "acq"]), Some(&["earn", "earn"]), Some(&[]), None, Some(&["acq", "Earn"])]));
    let joined = parquet_of(Arc::new(StringArray::from(vec![Some("earn;acq"), Some("earn"), Some(""), None, Some("acq;Earn")])));
    let files: [(&str, &[u8]); 6] = [
        ("t.csv", csv.as_bytes()),
        ("texts.jsonl", texts.as_bytes()),
        ("arrays.jsonl", arrays.as_bytes()),
        ("t.arff", arff.as_bytes()),
        ("lists.parquet", &columnar),
        ("texts.parquet", &joined),
    ];
    for (name, bytes) in files {
        let table = open(name, bytes, options()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(sets(&table).unwrap(), (expected(), 1), "{name}");
    }
}

#[test]
fn an_empty_cell_is_missing_where_the_user_says_so() {
    let table = open("t.csv", "id,topics\na,x\nb,\n", ReadOptions { missing: vec!["".into()], ..options() }).unwrap();
    assert_eq!(sets(&table).unwrap(), (vec![Some(vec!["x".into()]), None], 1));
}

#[test]
fn labels_that_a_model_does_not_know() {
    let folder = Folder::new();
    let learned = folder.table("t.csv", "id,topics\na,x;y\nb,y\n", options()).unwrap();
    let schema = learned.fold(|_: &[usize]| Sets::default()).unwrap().schema;
    let path = folder.file("new.csv", "id,topics\na,z;y\nb,z\nc,\n");
    let open = |unknown| Table::open_as(&[&path], options(), &schema, unknown, false).unwrap();
    let found = sets(&open(UnknownStates::Missing)).unwrap();
    assert_eq!(found, (vec![Some(vec!["unknown".into(), "y".into()]), Some(vec!["unknown".into()]), Some(vec![])], 0));
    let report = open(UnknownStates::Missing).fold(|_: &[usize]| Sets::default()).unwrap().report;
    assert_eq!(report.n_unknown[TARGET], 2);
    let grown = sets(&open(UnknownStates::Grow)).unwrap();
    assert_eq!(grown.0[0], Some(vec!["y".into(), "z".into()]));
    let refused = sets(&open(UnknownStates::Error)).unwrap_err().to_string();
    assert!(refused.contains("new.csv:2") && refused.contains("`z`"), "{refused}");
}

#[test]
fn what_cannot_be_labels_is_refused() {
    let refused = |options: ReadOptions| open("t.csv", "id,topics\na,x\n", options).map(|_| ()).unwrap_err().to_string();
    assert!(refused(ReadOptions { labels: Some("".into()), ..options() }).contains("separate"));
    assert!(refused(ReadOptions { target: None, ..options() }).contains("no target"));
    let table = open("t.csv", b"id,topics\na,x\xff\n", options()).unwrap();
    assert!(sets(&table).unwrap_err().to_string().contains("not UTF-8"));
    let skipping = ReadOptions { on_bad_row: tunbridge_data::OnBadRow::Skip, ..options() };
    let table = open("t.csv", b"id,topics\na,x\nb,x\xff\nc,y;x\n", skipping).unwrap();
    assert_eq!(sets(&table).unwrap().0, [Some(vec!["x".into()]), Some(vec!["x".into(), "y".into()])]);
}

/// What is written can be read again as labels.
#[test]
fn answers_of_labels_are_written_and_read() {
    let folder = Folder::new();
    let names = ["earn".to_string(), "acq, or \"so\"".into()];
    let answer = |chunk: Chunk<'_>| {
        let labels = (0..chunk.n_rows).map(|row| [vec![0], vec![], vec![0, 1]][row % 3].clone()).collect();
        Ok(LabelAnswers { labels, probability: (0..2 * chunk.n_rows).map(|i| if i == 3 { f64::NAN } else { 0.25 }).collect() })
    };
    let csv = "id,topics\nr0,earn\nr1,\nr2,earn\n".as_bytes().to_vec();
    let parquet = parquet_of(lists(&[Some(&["earn"]), Some(&[]), Some(&["earn"])]));
    for (from, bytes) in [("from.csv", csv), ("from.parquet", parquet)] {
        let table = folder.table(from, bytes, options()).unwrap();
        for (to, format) in [
            ("to.csv", OutputFormat::Csv),
            ("to.jsonl", OutputFormat::JsonLines),
            ("to.parquet", OutputFormat::Parquet),
            ("to.arrow", OutputFormat::Arrow),
        ] {
            for passed_on in [false, true] {
                let mut out = Vec::new();
                table.write_labels((&names, ";"), format, passed_on, &mut out, answer).unwrap();
                if to == "to.csv" && !passed_on {
                    let text = String::from_utf8(out.clone()).unwrap();
                    assert_eq!(
                        text,
                        "labels,p(earn),\"p(acq, or \"\"so\"\")\"\nearn,0.25,0.25\n,0.25,\n\"earn;acq, or \"\"so\"\"\",0.25,0.25\n"
                    );
                }
                if to == "to.jsonl" && !passed_on {
                    let first = r#"{"row":1,"labels":["earn"],"probability":{"earn":0.25,"acq, or \"so\"":0.25}}"#;
                    let second = r#"{"row":2,"labels":[],"probability":{"earn":0.25,"acq, or \"so\"":null}}"#;
                    assert!(String::from_utf8(out.clone()).unwrap().starts_with(&format!("{first}\n{second}\n")));
                }
                let options = ReadOptions { target: Some("labels".into()), ..options() };
                let back = folder.table(to, &out, options).unwrap();
                let target = back.schema().target().unwrap().index();
                let fold = back.fold(|_: &[usize]| ()).unwrap();
                let Kind::Labels(found) = &fold.schema.variables()[target].kind else { panic!() };
                assert_eq!(found.names(), ["acq, or \"so\"", "earn"], "{from} to {to}, passed on: {passed_on}");
                assert_eq!((fold.report.n_rows, fold.report.n_missing[target]), (3, 0), "{from} to {to}");
            }
        }
    }
}
