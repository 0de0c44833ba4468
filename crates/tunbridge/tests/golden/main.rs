//! The library as its users see it, against answers that were got in another way: recorded ones of established tools, plain
//! loops, and relearning from scratch.
//!
//! `testdata/golden/README.md` says where the recorded answers come from. Nothing here needs data that are not in `testdata/`.

mod complaints;
mod cross_validation;
mod in_parts;
mod leave_one_out;
mod references;
mod support;
