//! Reading tables: every format, every way of writing it, and everything that can be wrong with it.

mod csv_differential;
mod formats;
mod states;
mod support;
