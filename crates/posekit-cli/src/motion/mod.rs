//! The motion commands: one file or a folder of them, read, worked on and written, and what is told of it.

mod apart;
mod contacts;
mod files;
mod ledger;
mod motions;
mod names;
mod record;
mod run;
mod source;
mod words;

mod feet;
mod page;
mod plots;
mod strip;
mod view;

mod check;
mod clean;
mod convert;
mod info;
mod pin;
mod retime;

pub(crate) use check::check;
pub(crate) use clean::clean;
pub(crate) use convert::convert;
pub(crate) use info::info;
pub(crate) use pin::pin;
pub(crate) use retime::retime;
