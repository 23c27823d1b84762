//! The motion commands: one file or a folder of them, read, worked on and written, and what is told of it.

mod batch;
mod contacts;
mod files;
mod ledger;
mod record;
mod run;
mod source;
mod words;

mod convert;
mod info;
mod retime;

pub(crate) use convert::convert;
pub(crate) use info::info;
pub(crate) use retime::retime;
