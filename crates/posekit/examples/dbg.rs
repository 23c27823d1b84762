//! d
use posekit::glam::DVec3;
use posekit::math::*;
use posekit::skeleton::*;
use posekit::solve::*;
use posekit::task::*;
fn main() {
    let s = Settings { trace: Detail::Iterations, ..Settings::default() };
    let mut joints = Vec::new();
    for side in ["left", "right"] {
        let (shoulder, first) = (DVec3::Y * if side == "left" { 1.0 } else { -1.0 }, joints.len());
        let hinge = |name: &str| Joint::revolute(format!("{side} {name}"), DVec3::Z);
        joints.push(hinge("shoulder").at(Pose::from_translation(shoulder)));
        joints.push(hinge("elbow").at(Pose::from_translation(DVec3::X)).child_of(first));
    }
    let skeleton = Skeleton::try_new(joints).expect("the arms are valid");
    let tip = |joint| Frame::new(joint, Pose::from_translation(DVec3::X));
    let near = Position::new(tip(1), DVec3::new(0.5, 2.2, 0.0));
    for far in [1e5] {
        let away = Position::new(tip(3), DVec3::new(far, -1.0 - far, 0.0));
        let sol = solve(&skeleton, &[0.3, 0.3, -0.3, -0.3], &[near.into(), away.into()], Method::LeastSquares, &s).unwrap();
    println!("{:?} {} {} {:?}", sol.status, sol.error, sol.iterations, sol.misses);
    for t in &sol.trace { 
        let m = Task::new(near).miss(&skeleton, &t.configuration);
        println!("{} {:?} {} {}", t.iteration, t.phase, t.error, m.distance); }
}
}
