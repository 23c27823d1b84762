//! demo
use crate::args::DemoArgs;
use crate::failure::Result;
pub(crate) fn demo(_args: &DemoArgs) -> Result<()> { Ok(()) }
