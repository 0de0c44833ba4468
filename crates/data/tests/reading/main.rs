//! Reading tables: every format, every way of writing it, and everything that can be wrong with it.

mod arff;
mod columns;
mod csv_differential;
mod documents;
mod formats;
mod hostile;
mod labels;
mod lines_and_mailboxes;
mod made_columns;
mod mutations;
mod open_as;
mod states;
mod support;
mod writing;
