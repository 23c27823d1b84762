//! Distances against formulas, and certificates that need none: a direction in which the solids are as far apart as their nearest points.

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;

use super::{Convex, Core, Hull, NO_HINT, Polytope, Separation, separation};

fn solid(core: Core, radius: f64) -> Convex {
    Convex { core, radius }
}

/// A number in 0..1 from a counter: `SplitMix64`.
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn vector(state: &mut u64) -> DVec3 {
    DVec3::new(uniform(state), uniform(state), uniform(state)) * 2.0 - DVec3::ONE
}

fn direction(state: &mut u64) -> DVec3 {
    loop {
        let v = vector(state);
        if (0.01..1.0).contains(&v.length_squared()) {
            return v / v.length();
        }
    }
}

fn pose(state: &mut u64, reach: f64) -> Pose {
    let turned = DQuat::from_vec4(vector(state).extend(uniform(state) + 0.1)).normalize();
    Pose::new(turned, vector(state) * reach)
}

fn measured(a: &Convex, b: &Convex, a_from_b: Pose) -> Separation {
    separation(a, b, a_from_b, f64::INFINITY, &mut Polytope::default()).unwrap()
}

fn solids() -> Vec<Convex> {
    let mut state = 3;
    let points: Vec<DVec3> = (0..40).map(|_| vector(&mut state) * 0.6).collect();
    let cube: Vec<DVec3> = (0..8)
        .map(|k| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) - 0.5)
        .collect();
    vec![
        solid(Core::Point, 0.5),
        solid(Core::Segment(0.6), 0.2),
        solid(Core::Box(DVec3::new(0.6, 0.3, 0.2)), 0.0),
        solid(Core::Cylinder { radius: 0.3, half_length: 0.5 }, 0.0),
        solid(Core::Ellipsoid(DVec3::new(0.7, 0.3, 0.5)), 0.0),
        solid(Core::Hull(Hull::new(&points).unwrap().0), 0.0),
        solid(Core::Hull(Hull::new(&cube).unwrap().0), 0.1),
    ]
}

/// How far apart the solids are along a direction from the second to the first: a lower bound of their distance.
fn apart_along(a: &Convex, b: &Convex, a_from_b: Pose, n: DVec3) -> f64 {
    let lowest = a.support(-n, NO_HINT).point.dot(n) - a.radius;
    let in_b = a_from_b.inverse().transform_vector(n);
    let highest = a_from_b.transform_point(b.support(in_b, NO_HINT).point).dot(n) + b.radius;
    lowest - highest
}

#[test]
fn every_separation_has_its_certificate() {
    let (solids, mut state) = (solids(), 1);
    let (mut n_apart, mut n_deep) = (0, 0);
    for (i, a) in solids.iter().enumerate() {
        for (j, b) in solids.iter().enumerate() {
            for k in 0..60 {
                let a_from_b = pose(&mut state, if k % 2 == 0 { 2.0 } else { 0.5 });
                let found = measured(a, b, a_from_b);
                let Separation { distance, direction: n, points: [on_a, on_b] } = found;
                let at = format!("{i} and {j}, {k}: {found:?}");
                assert!((n.length() - 1.0).abs() < 1e-12, "{at}");
                // The points are as far apart as it says, along the direction, and no plane between the solids is wider.
                assert!((on_a - on_b - n * distance).length() < 1e-6, "{at}");
                let certified = apart_along(a, b, a_from_b, n);
                assert!((certified - distance).abs() < 1e-9, "{at}: {certified}");
                // Depths of two round solids are known to a hundred-thousandth of their size.
                let tolerance = if distance > 0.0 { 1e-9 } else { 1e-5 };
                for _ in 0..40 {
                    let other = direction(&mut state);
                    assert!(
                        apart_along(a, b, a_from_b, other) <= distance + tolerance,
                        "{at}: {other}"
                    );
                }
                if distance > 0.0 {
                    n_apart += 1
                } else {
                    n_deep += 1
                }
                // From the other side it is the same.
                let back = measured(b, a, a_from_b.inverse());
                assert!((back.distance - distance).abs() < 1e-9, "{at}: {back:?}");
            }
        }
    }
    assert!(n_apart > 500 && n_deep > 500, "{n_apart} apart, {n_deep} overlapping");
}

#[test]
fn spheres_capsules_and_boxes_follow_their_formulas() {
    let mut state = 5;
    for _ in 0..500 {
        let center = vector(&mut state) * 1.5;
        let at = Pose::from_translation(center);
        let ball = solid(Core::Point, 0.3);
        // Two spheres, also one inside the other.
        let found = measured(&solid(Core::Point, 0.5), &ball, at).distance;
        assert!((found - (center.length() - 0.8)).abs() < 1e-12);
        // A capsule: the distance to its segment.
        let on_segment = DVec3::new(0.0, 0.0, center.z.clamp(-0.7, 0.7));
        let found = measured(&solid(Core::Segment(0.7), 0.1), &ball, at).distance;
        assert!((found - (center.distance(on_segment) - 0.4)).abs() < 1e-12);
        // A box: the distance to its surface, negative inside.
        let half_extents = DVec3::new(0.6, 0.9, 0.4);
        let beyond = center.abs() - half_extents;
        let outside = beyond.max(DVec3::ZERO).length();
        let expected = outside + beyond.max_element().min(0.0) - 0.3;
        let found = measured(&solid(Core::Box(half_extents), 0.0), &ball, at).distance;
        assert!((found - expected).abs() < 1e-9, "{center}: {found} {expected}");
        // A cylinder likewise.
        let across = DVec3::new(center.x, center.y, 0.0).length() - 0.5;
        let along = center.z.abs() - 0.8;
        let outside = (across.max(0.0) * across.max(0.0) + along.max(0.0) * along.max(0.0)).sqrt();
        let expected = outside + across.max(along).min(0.0) - 0.3;
        let cylinder = solid(Core::Cylinder { radius: 0.5, half_length: 0.8 }, 0.0);
        let found = measured(&cylinder, &ball, at).distance;
        assert!((found - expected).abs() < 1e-8, "{center}: {found} {expected}");
    }
}

#[test]
fn planes_bear_what_is_lowest() {
    let ground = solid(Core::HalfSpace, 0.0);
    let mut state = 7;
    for above in solids() {
        for _ in 0..50 {
            let ground_from_solid = pose(&mut state, 1.0);
            let found = measured(&ground, &above, ground_from_solid);
            let expected =
                apart_along(&above, &solid(Core::Point, 0.0), ground_from_solid.inverse(), {
                    ground_from_solid.inverse().transform_vector(DVec3::Z)
                });
            assert!((found.distance - expected).abs() < 1e-12, "{found:?} {expected}");
            assert_eq!(found.direction, -DVec3::Z);
            let back = measured(&above, &ground, ground_from_solid.inverse());
            assert!((back.distance - found.distance).abs() < 1e-12);
            let upwards = ground_from_solid.transform_vector(back.direction);
            assert!((upwards - DVec3::Z).length() < 1e-12, "{upwards}");
            let [on_solid, on_ground] = back.points.map(|p| ground_from_solid.transform_point(p));
            assert!((on_solid - on_ground - DVec3::Z * found.distance).length() < 1e-12);
        }
    }
    assert!(separation(&ground, &ground, Pose::IDENTITY, 1.0, &mut Polytope::default()).is_none());
}

#[test]
fn beyond_a_cutoff_distances_are_bounds() {
    let (solids, mut state, mut polytope) = (solids(), 9, Polytope::default());
    for a in &solids {
        for b in &solids {
            for _ in 0..20 {
                let at = pose(&mut state, 2.0);
                let all = measured(a, b, at);
                for cutoff in [all.distance - 1e-6, all.distance + 1e-6, -0.1, 0.0, 0.3] {
                    let found = separation(a, b, at, cutoff, &mut polytope).unwrap();
                    let is_bound = found.distance > cutoff && found.distance <= all.distance + 1e-9;
                    let is_same = (found.distance - all.distance).abs() < 1e-9;
                    assert!(is_bound || is_same, "{all:?} {found:?} {cutoff}");
                    assert_eq!(found.distance > cutoff, all.distance > cutoff, "{all:?} {found:?}");
                }
            }
        }
    }
}

#[test]
fn degenerate_poses_have_finite_answers() {
    let mut all = solids();
    all.extend([
        solid(Core::Point, 0.0),
        solid(Core::Segment(0.0), 0.0),
        solid(Core::Segment(1.0), 0.0),
        solid(Core::Box(DVec3::ZERO), 0.0),
        solid(Core::Box(DVec3::new(1.0, 1.0, 0.0)), 0.0),
        solid(Core::Cylinder { radius: 0.0, half_length: 1.0 }, 0.0),
        solid(Core::Ellipsoid(DVec3::ZERO), 0.0),
        solid(Core::Hull(Hull::new(&[DVec3::ONE]).unwrap().0), 0.0),
    ]);
    let quarter = DQuat::from_xyzw(0.0, 0.5_f64.sqrt(), 0.0, 0.5_f64.sqrt());
    for a in &all {
        for b in &all {
            for scale in [1e-30, 1.0, 1e30] {
                for rotation in [DQuat::IDENTITY, quarter] {
                    for offset in [DVec3::ZERO, DVec3::X, DVec3::new(0.0, 0.0, 1.0), DVec3::ONE] {
                        let Separation { distance, direction, points } =
                            measured(a, b, Pose::new(rotation, offset * scale));
                        let is_finite =
                            distance.is_finite() && points.iter().all(|p| p.is_finite());
                        assert!(
                            is_finite && (direction.length() - 1.0).abs() < 1e-9,
                            "{a:?} {b:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn solids_that_touch_have_distance_zero() {
    let cube = solid(Core::Box(DVec3::splat(0.5)), 0.0);
    for offset in [DVec3::X, DVec3::new(1.0, 0.3, 0.2), DVec3::new(1.0, 1.0, 0.0), DVec3::ONE] {
        let found = measured(&cube, &cube, Pose::from_translation(offset));
        assert!(found.distance.abs() < 1e-12, "{offset}: {found:?}");
    }
    // Segments that cross part along their common normal.
    let rod = solid(Core::Segment(1.0), 0.1);
    let turned = Pose::from_rotation(DQuat::from_xyzw(0.0, 0.5_f64.sqrt(), 0.0, 0.5_f64.sqrt()));
    let found = measured(&rod, &rod, turned);
    assert!((found.distance + 0.2).abs() < 1e-12 && found.direction.y.abs() > 0.999, "{found:?}");
}

#[test]
fn hulls_have_their_points_inside() {
    let mut state = 11;
    let cloud: Vec<DVec3> = (0..2000).map(|_| vector(&mut state)).collect();
    let ball: Vec<DVec3> = (0..4000).map(|_| direction(&mut state)).collect();
    let grid: Vec<DVec3> = (0..1000)
        .map(|k| DVec3::new(f64::from(k % 10), f64::from(k / 10 % 10), f64::from(k / 100)))
        .collect();
    let flat: Vec<DVec3> = cloud.iter().map(|p| DVec3::new(p.x, p.y, 0.5)).collect();
    let line: Vec<DVec3> = cloud.iter().map(|p| DVec3::ONE * p.x).collect();
    for (points, most) in [(&cloud, 0.2), (&ball, 0.05), (&grid, 1e-9), (&flat, 0.2), (&line, 1e-5)]
    {
        let (hull, error) = Hull::new(points).unwrap();
        assert!(hull.points().len() <= 256 && error <= most, "{} {error}", hull.points().len());
        for _ in 0..500 {
            let n = direction(&mut state);
            let brute = |points: &[DVec3]| {
                points.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max)
            };
            let on_hull = hull.support(n, NO_HINT).point.dot(n);
            assert!((on_hull - brute(hull.points())).abs() < 1e-12, "climbing ends at the top");
            let tolerance = 1e-5 * 4.0;
            assert!(
                brute(points) <= on_hull + error + tolerance
                    && on_hull <= brute(points) + tolerance
            );
        }
    }
    assert_eq!(Hull::new(&grid).unwrap().0.points().len(), 8, "a grid has eight corners");
    assert_eq!(Hull::new(&[DVec3::X; 5]).unwrap().0.points(), [DVec3::X]);
    assert!(Hull::new(&[]).is_none());
}
