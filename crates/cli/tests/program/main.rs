//! The program as its users meet it: what it prints, what it writes, and how it ends.
//!
//! Every test has a folder of its own and runs the real program in it. What people read is held in `snapshots/`; after a change of
//! wording, `INSTA_UPDATE=always cargo test -p tunbridge-cli --test program` writes them anew: read the difference before it is
//! committed.

mod ask;
mod ask_rows;
mod average;
mod change;
mod classify;
mod columns;
mod concept;
mod costs;
mod defined_cases;
mod density;
mod documents;
mod edit;
mod estimate;
mod evaluate;
mod explain;
mod help;
mod interruption;
mod json;
mod known_graphs;
mod labels;
mod live;
mod mixture;
mod model_files;
mod network_classifiers;
mod network_gaps;
mod network_learning;
mod networks;
mod reports;
mod same_bytes;
mod streams;
mod support;
mod texts;
mod unlabelled;
mod vocabulary;
mod weigh;
mod wrong_usage;
