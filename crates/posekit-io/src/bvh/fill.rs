//! Missing values, interpolated from the frames around them.

use super::file::{Channel, File, Node};
use crate::error::{Error, Place, Result};

/// Degrees of a whole turn.
const TURN: f64 = 360.0;

/// Fills gaps: linear interpolation between the frames before and after, angles along the shorter arc, at the ends the nearest value.
///
/// - `values`: whole rows, NaN at the gaps
/// - `gaps`: their indices, ascending
///
/// # Errors
/// [`Error::Value`] for a channel without any value.
pub(super) fn fill_gaps(values: &mut [f64], gaps: &[usize], nodes: &[Node]) -> Result<()> {
    let is_angle: Vec<bool> = nodes
        .iter()
        .flat_map(|node| &node.channels)
        .map(|channel| matches!(channel, Channel::Rotation(_)))
        .collect();
    let n = is_angle.len();
    for &gap in gaps {
        if !values[gap].is_nan() {
            // It belongs to the run of an earlier gap.
            continue;
        }
        let before = gap.checked_sub(n).map(|before| values[before]);
        let run: Vec<usize> =
            (gap..values.len()).step_by(n).take_while(|&at| values[at].is_nan()).collect();
        let after = values.get(gap + run.len() * n).copied();
        let channel = gap % n;
        let (start, change) = match (before, after) {
            (Some(a), Some(b)) => (a, if is_angle[channel] { short_way(b - a) } else { b - a }),
            (Some(a), None) => (a, 0.0),
            (None, Some(b)) => (b, 0.0),
            (None, None) => {
                let place = Place::named(File::channel_label(nodes, channel));
                let message = "no frame has a finite value to fill the gaps from".into();
                return Err(Error::Value { place, message });
            }
        };
        for (step, &at) in run.iter().enumerate() {
            values[at] = start + change * ((step + 1) as f64 / (run.len() + 1) as f64);
        }
    }
    Ok(())
}

/// The equivalent angle of at most half a turn \[degrees\].
fn short_way(change: f64) -> f64 {
    change - TURN * (change / TURN).round()
}
