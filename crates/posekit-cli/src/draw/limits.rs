//! Limits of joints: sectors, cones, and the solid arc of a joint that rests against one.

use posekit::glam::DVec3;

use super::figure::Pen;
use super::svg::{Markup, Path, line};
use super::view::{Screen, turned};
use super::{Figure, LimitMark};

/// With more limits than this in a picture, only those at which a joint rests are drawn.
const MOST_LIMITS: usize = 8;

/// Limits as thin translucent sectors and cones, behind the body.
pub(super) fn draw_ranges(out: &mut Markup, figure: &Figure, screen: &Screen<'_>, pen: &Pen) {
    let all = || figure.joints.iter().filter(|joint| joint.limit.is_some() && joint.at.is_finite());
    let only_held = all().count() > MOST_LIMITS || pen.is_dense();
    for joint in all().filter(|joint| joint.at_limit || !only_held) {
        let Some(limit) = joint.limit else { continue };
        let rim: Vec<[f64; 2]> =
            rim_of(joint.at, limit, pen.arc / screen.scale).iter().map(|&p| screen.at(p)).collect();
        let mut wedge = vec![screen.at(joint.at)];
        wedge.extend(&rim);
        out.leaf(&Path::through(&wedge).shut().tag().class("range"));
        out.leaf(&Path::through(&rim).tag().class("arc"));
    }
}

/// Joints at their limit: the arc turns solid, with a stop across its end.
pub(super) fn draw_held(out: &mut Markup, figure: &Figure, screen: &Screen<'_>, pen: &Pen) {
    for joint in figure.joints.iter().filter(|joint| joint.at_limit && joint.at.is_finite()) {
        let Some(limit) = joint.limit else { continue };
        let radius = pen.arc / screen.scale;
        let rim: Vec<[f64; 2]> =
            rim_of(joint.at, limit, radius).iter().map(|&p| screen.at(p)).collect();
        out.leaf(&Path::through(&rim).tag().class("held"));
        if let LimitMark::Range { axis, from, span, value } = limit {
            let angle = if value + value > span { span } else { 0.0 };
            let stop = arm_of(axis, from).map(|(axis, arm)| turned(arm, axis, angle));
            if let Some(arm) = stop {
                let on = |factor: f64| screen.at(joint.at + arm * (radius * factor));
                out.leaf(&line(on(0.72), on(1.28)).class("held"));
            }
        }
    }
}

/// Unit axis and the unit direction across it in which a range begins; any direction across for a bone along the axis.
fn arm_of(axis: DVec3, from: DVec3) -> Option<(DVec3, DVec3)> {
    let axis = axis.try_normalize()?;
    let across = from - axis * from.dot(axis);
    let seed = if axis.x.abs() < 0.9 { DVec3::X } else { DVec3::Y };
    let arm = if across.length() > 1e-6 * from.length() { across } else { seed.cross(axis) };
    Some((axis, arm.try_normalize()?))
}

/// Points along the rim of a limit in the picture's coordinates; none for one that cannot be drawn.
fn rim_of(at: DVec3, limit: LimitMark, radius: f64) -> Vec<DVec3> {
    const PIECES: u32 = 40;
    let turn = core::f64::consts::TAU;
    let arc = |axis: DVec3, arm: DVec3, span: f64| {
        let point =
            |i: u32| at + turned(arm, axis, span * f64::from(i) / f64::from(PIECES)) * radius;
        (0..=PIECES).map(point).collect()
    };
    match limit {
        LimitMark::Range { axis, from, span, .. } if span.is_finite() => match arm_of(axis, from) {
            Some((axis, arm)) => arc(axis, arm, span.clamp(0.0, turn)),
            None => Vec::new(),
        },
        LimitMark::Cone { axis, swing } if swing.is_finite() => match arm_of(axis, DVec3::ZERO) {
            Some((axis, across)) => {
                let side = across.cross(axis);
                arc(axis, turned(axis, side, -swing.clamp(0.0, turn / 2.0)), turn)
            }
            None => Vec::new(),
        },
        LimitMark::Range { .. } | LimitMark::Cone { .. } => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_begin_at_the_least_angle_and_sweep_the_span() {
        let limit = LimitMark::Range {
            axis: DVec3::Z * 3.0,
            from: DVec3::new(2.0, 0.0, 5.0),
            span: core::f64::consts::FRAC_PI_2,
            value: 0.1,
        };
        let rim = rim_of(DVec3::ONE, limit, 2.0);
        assert!(rim[0].distance(DVec3::new(3.0, 1.0, 1.0)) < 1e-12, "begins along the bone");
        let end = rim[rim.len() - 1];
        assert!(end.distance(DVec3::new(1.0, 3.0, 1.0)) < 1e-12, "ends a quarter turn on");
    }

    #[test]
    fn cones_stand_about_their_axis() {
        let limit = LimitMark::Cone { axis: DVec3::Y * 2.0, swing: 0.6 };
        let height = turned(DVec3::Y, DVec3::X, 0.6).y;
        for point in rim_of(DVec3::ZERO, limit, 1.0) {
            assert!((point.y - height).abs() < 1e-12, "{point} is 0.6 rad off the axis");
        }
    }

    #[test]
    fn limits_without_a_direction_are_left_out() {
        let range = LimitMark::Range { axis: DVec3::ZERO, from: DVec3::X, span: 1.0, value: 0.0 };
        assert!(rim_of(DVec3::ZERO, range, 1.0).is_empty(), "no axis");
        let cone = LimitMark::Cone { axis: DVec3::X, swing: f64::NAN };
        assert!(rim_of(DVec3::ZERO, cone, 1.0).is_empty(), "no angle");
    }
}
