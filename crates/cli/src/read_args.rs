//! Flags about how a table is read, and what its columns are.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tunbridge::data::{ColumnType, Cut, Header, OnBadRow, ReadOptions, UnknownStates};

use crate::Failure;
use crate::args::{Common, refuse};
use crate::lists::items;

/// How to read a table.
#[derive(Args, Clone)]
#[command(next_help_heading = "How to read")]
pub struct ReadArgs {
    /// What separates the cells of CSV, one character or `tab` [default: found out]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// Whether the first record names the columns [default: auto]
    #[arg(long, value_enum, value_name = "WHETHER")]
    pub header: Option<HeaderArg>,
    /// Another marker of a missing value, besides the empty cell, ?, NA, NaN and null; may be repeated
    #[arg(long, value_name = "TEXT", allow_negative_numbers = true)]
    pub missing: Vec<String>,
    /// What to do with a malformed row [default: error]
    #[arg(long, value_enum, value_name = "HOW")]
    pub on_bad_row: Option<OnBadRowArg>,
    /// What one document is: a file, a line, or a message of a mailbox, the latter two with the file's name as their class
    /// [default: a file of a folder, a message of what is a mailbox]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub documents: Option<DocumentsArg>,
    /// How deep the folder is that is a document's class [default: 1]
    #[arg(long, value_name = "N", value_parser = crate::text_args::from_one)]
    pub class_depth: Option<usize>,
}

/// What the columns are.
#[derive(Args, Clone)]
#[command(next_help_heading = "What the columns are")]
pub struct ColumnArgs {
    /// What columns are, as in Age=numeric,Zip=category; `*` stands for any text, and "a,b" is one name
    #[arg(long, value_name = "NAME=TYPE,…")]
    pub types: Vec<String>,
    /// Columns to leave out; `*` stands for any text, and "a,b" is one name
    #[arg(long, value_name = "NAME,…")]
    pub ignore: Vec<String>,
    /// The column that says how often a row counts
    #[arg(long, value_name = "NAME")]
    pub weight: Option<String>,
    /// A file that says what the columns are [default: DATA.schema.toml if there is one]
    #[arg(long, value_name = "PATH")]
    pub schema: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum HeaderArg {
    Auto,
    Yes,
    No,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum DocumentsArg {
    Files,
    Lines,
    Mbox,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum OnBadRowArg {
    Error,
    Skip,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum UnknownArg {
    Missing,
    Error,
}

impl From<UnknownArg> for UnknownStates {
    fn from(arg: UnknownArg) -> Self {
        match arg {
            UnknownArg::Missing => UnknownStates::Missing,
            UnknownArg::Error => UnknownStates::Error,
        }
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        _ => match text.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
            _ => Err("give one ASCII character, or `tab`".into()),
        },
    }
}

impl ReadArgs {
    pub fn options(&self, common: &Common) -> ReadOptions {
        ReadOptions {
            delimiter: self.delimiter,
            header: match self.header {
                None | Some(HeaderArg::Auto) => Header::Auto,
                Some(HeaderArg::Yes) => Header::Present,
                Some(HeaderArg::No) => Header::Absent,
            },
            missing: self.missing.clone(),
            on_bad_row: match self.on_bad_row {
                None | Some(OnBadRowArg::Error) => OnBadRow::Error,
                Some(OnBadRowArg::Skip) => OnBadRow::Skip,
            },
            documents: self.documents.map(|what| match what {
                DocumentsArg::Files => Cut::Whole,
                DocumentsArg::Lines => Cut::Lines,
                DocumentsArg::Mbox => Cut::Messages,
            }),
            class_depth: self.class_depth.unwrap_or(1),
            threads: common.threads.map_or(0, usize::from),
            ..ReadOptions::default()
        }
    }

    /// That nothing is said of files where one case is given.
    pub fn not_of_files(&self) -> Result<(), Failure> {
        let of_files = [
            ("--delimiter", self.delimiter.is_some()),
            ("--header", self.header.is_some()),
            ("--on-bad-row", self.on_bad_row.is_some()),
            ("--documents", self.documents.is_some()),
            ("--class-depth", self.class_depth.is_some()),
        ];
        refuse(&of_files, "is for files, and this is one case")
    }
}

impl ColumnArgs {
    pub fn apply(&self, options: &mut ReadOptions, target: Option<&String>) -> Result<(), Failure> {
        for pair in self.types.iter().flat_map(|list| items(list)) {
            let (name, kind) =
                pair.rsplit_once('=').ok_or_else(|| Failure::Usage(format!("--types `{pair}`: write NAME=TYPE, as in Age=numeric")))?;
            let kind: ColumnType = kind.trim().parse().map_err(|e| Failure::Usage(format!("--types `{pair}`: {e}")))?;
            options.types.push((name.trim().into(), kind));
        }
        if let Some(both) = target.filter(|target| self.weight.as_ref() == Some(target)) {
            return Err(Failure::Usage(format!("--target and --weight both name `{both}`: a column plays one part")));
        }
        options.ignore = self.ignore.iter().flat_map(|list| items(list)).collect();
        options.weight.clone_from(&self.weight);
        options.schema.clone_from(&self.schema);
        options.target = target.cloned();
        Ok(())
    }
}
