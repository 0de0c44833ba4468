//! Columnar files: Parquet and Arrow IPC. The only place, with [`crate::write`], that knows Arrow.

pub(crate) mod encode;
pub(crate) mod ipc;
pub(crate) mod parquet;
