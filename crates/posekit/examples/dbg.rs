//! d
use posekit::glam::DVec3;
use posekit::math::*;
use posekit::skeleton::*;
use posekit::solve::*;
use posekit::task::*;
fn main() {
    let s = Settings { trace: Detail::Iterations, ..Settings::default() };
    let b = Pose::from_translation(DVec3::X);
    for (n, s0, reach) in [(50usize, [0.0, 2.8], 0.7)] {
        let mut joints = Vec::new();
        let mut q = vec![];
        for i in 0..n {
            let axis = if i % 2 == 1 { DVec3::Y } else { DVec3::Z };
            let j = Joint::revolute(format!("{i}"), axis)
                .with_limit(Limit::Range { min: -3., max: 3. });
            joints.push(if i > 0 { j.child_of(i - 1).at(b) } else { j });
            q.push(s0[i.min(1)]);
        }
        let skeleton = Skeleton::try_new(joints).expect("the arms are valid");
        let near = Position::new(Frame::new(n - 1, b), DVec3::new(reach * n as f64, 0., 0.0));
        let sol = solve(&skeleton, &q, &[near.into()], Method::LeastSquares, &s).unwrap();
        println!("{:?} {} {} {:?}", sol.status, sol.error, sol.iterations, sol.misses);
        for t in &sol.trace {
            println!("{} {:?} {}", t.iteration, t.phase, t.error);
        }
    }
}
