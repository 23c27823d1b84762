//! The motion commands: reading, processing and writing one file or a folder of them, and reporting the results.

mod child;
mod contacts;
mod files;
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
pub(crate) use files::is_folder;
pub(crate) use info::info;
pub(crate) use pin::pin;
pub(crate) use retime::retime;
pub(crate) use run::or_json;
