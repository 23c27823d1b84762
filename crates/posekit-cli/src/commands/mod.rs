//! The commands, one file each.

mod completions;
mod demo;
mod draw;
mod solve;
mod studio;
mod task_demo;

pub(crate) use completions::{completions, man};
pub(crate) use demo::demo;
pub(crate) use draw::draw;
pub(crate) use solve::solve;
pub(crate) use studio::studio;
