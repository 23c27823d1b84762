//! What no limb can hold by itself is held by the whole body, by least squares.

use std::borrow::Cow;

use glam::{DQuat, DVec3};

use super::Along;
use super::plan::{LimbPlan, Plan, Point, Target};
use crate::error::Result;
use crate::math::{Pose, slerp};
use crate::motion::Clip;
use crate::motion::travel::shifted;
use crate::skeleton::{Frame, JointKind, Skeleton};
use crate::solve::{Method, Settings, Workspace};
use crate::task::{FramePose, Plane, Position, Task};

/// Iterations a frame. A frame begins where the one before ended, so that few are needed; a jump to another way would be worse than a miss.
const ITERATIONS: u32 = 60;

/// How much feet that stay count against what is held.
const STAY: f64 = 0.05;

/// How fast the change of a joint may go on changing \[rad/s\], where feet that are to stay can, and where they cannot: there are several ways of missing them
/// least then, and a jump from one to another would be seen.
const CHANGES: [f64; 2] = [8.0, 1.0];

/// The clip with the contacts held that no limb holds, as far as the whole body can, and the joints that changed.
///
/// Contacts of limbs hold at the same time, and feet that hold nothing stay where they are as far as they can, so that a head that is held does not drag them
/// along; what is left of the contacts of limbs is made exact by the limbs afterwards.
/// Each frame begins from its own pose put together with the change of the frame before, so that the change goes on smoothly; before and after
/// a contact the change of its first and last frame dies away, while the feet stay.
pub(super) fn hold(clip: &Clip, plan: &Plan) -> Result<(Clip, Vec<usize>)> {
    let skeleton = clip.skeleton();
    let n = skeleton.n_values();
    let mut values = clip.values().to_vec();
    let mut weights = vec![0.0; clip.n_frames()];
    for point in &plan.others {
        for (frame, weight) in weights.iter_mut().enumerate() {
            let own = share(point, frame);
            *weight = if own > *weight { own } else { *weight };
        }
    }
    let mut solver = tracking();
    let mut workspace = Workspace::default();
    let mut before: Option<Vec<f64>> = None;
    for frame in 0..clip.n_frames() {
        let mut tasks = tasks(plan, frame);
        if tasks.is_empty() {
            before = None;
            continue;
        }
        let source = clip.frame(frame);
        let mut start = source.to_vec();
        if let Some(change) = &before {
            skeleton.integrate(source, change, &mut start);
        }
        let n_contacts = tasks.len();
        tasks.extend(feet(skeleton, source, plan, frame));
        let has_feet = tasks.len() > n_contacts;
        // Fast where all can hold and stay, and slowly where feet must give way.
        let rates = if before.is_some() && has_feet { &CHANGES[..] } else { &[f64::INFINITY] };
        let mut near = start.clone();
        for rate in rates {
            solver.least_squares.largest_change = largest_changes(clip, frame, *rate);
            near.copy_from_slice(&start);
            if solve(&mut workspace, (skeleton, &tasks), &solver, &mut near)? {
                break;
            }
        }
        solver.least_squares.largest_change.clear();
        if has_feet {
            // What is held comes before feet that stay: from there on they give way as little as that takes.
            tasks.truncate(n_contacts);
            solve(&mut workspace, (skeleton, &tasks), &solver, &mut near)?;
        }
        let mut change = vec![0.0; skeleton.n_dofs()];
        skeleton.difference(source, &near, &mut change);
        values[frame * n..(frame + 1) * n].copy_from_slice(&near);
        before = Some(change);
    }
    die_away(clip, plan, &weights, &mut values);
    let goes_over = |frame: &usize| weights[*frame] > 0.0 && !plan.is_held_by_body(*frame);
    for frame in (0..clip.n_frames()).filter(goes_over) {
        let q = &mut values[frame * n..(frame + 1) * n];
        let tasks = tasks_on_the_way(clip, plan, frame, q);
        solve(&mut workspace, (skeleton, &tasks), &solver, q)?;
    }
    let clip = clip.with_values(values)?;
    let joints: Vec<usize> = (0..skeleton.n_joints())
        .filter(|joint| !matches!(skeleton.kind(*joint), JointKind::Fixed))
        .collect();
    Ok((clip, joints))
}

/// Goes from a configuration to one nearby in which some tasks hold; whether all do.
fn solve(
    workspace: &mut Workspace,
    (skeleton, tasks): (&Skeleton, &[Task]),
    settings: &Settings,
    q: &mut [f64],
) -> Result<bool> {
    workspace.begin(skeleton, q, tasks, Method::LeastSquares, settings)?;
    workspace.run();
    let solution = workspace.solution();
    q.copy_from_slice(&solution.configuration);
    Ok(solution.is_reached())
}

/// How much the change of each joint may change from the frame before \[rad\]: as much as at a rate \[rad/s\], or as much as the joint itself, as where a clip
/// begins with one frame of a pose at rest. Empty for any.
fn largest_changes(clip: &Clip, frame: usize, rate: f64) -> Vec<f64> {
    let skeleton = clip.skeleton();
    let Some(before) = frame.checked_sub(1).filter(|_| rate.is_finite()) else { return Vec::new() };
    let mut step = vec![0.0; skeleton.n_dofs()];
    skeleton.difference(clip.frame(before), clip.frame(frame), &mut step);
    let least = rate * clip.frame_time();
    let of_joint = |joint: usize| {
        let turn = &step[skeleton.dof_range(joint)];
        let turn = turn[turn.len().saturating_sub(3)..].iter().map(|part| part * part);
        turn.sum::<f64>().sqrt().max(least)
    };
    (0..skeleton.n_joints()).map(of_joint).collect()
}

/// Least squares that follow a motion.
fn tracking() -> Settings {
    let mut settings = Settings { iterations: ITERATIONS, ..Settings::default() };
    settings.least_squares.restarts = 0;
    settings
}

/// How much of a contact's change a frame takes: 1 while it holds.
fn share(point: &Point, frame: usize) -> f64 {
    if point.frames.is_empty() {
        return 0.0;
    }
    let (away, ease) = if frame < point.frames.start {
        ((point.frames.start - frame) as f64, point.ease_in)
    } else if frame >= point.frames.end {
        ((frame + 1 - point.frames.end) as f64, point.ease_out)
    } else {
        return 1.0;
    };
    let t = away / (ease + 1.0);
    if t < 1.0 { 1.0 - t * t * t * (10.0 - 15.0 * t + 6.0 * t * t) } else { 0.0 }
}

/// What must hold in a frame; nothing where no contact of the whole body does.
fn tasks(plan: &Plan, frame: usize) -> Vec<Task> {
    let now = |point: &&Point| point.frames.contains(&frame);
    let mut tasks: Vec<Task> = plan.others.iter().filter(now).map(task).collect();
    if !tasks.is_empty() {
        tasks.extend(of_limbs(plan, frame));
    }
    tasks
}

/// What limbs hold in a frame.
fn of_limbs(plan: &Plan, frame: usize) -> impl Iterator<Item = Task> {
    let points = plan.limbs.iter().flat_map(|limb| &limb.points);
    points.filter(move |point| point.frames.contains(&frame)).map(task)
}

/// The feet that hold nothing in a frame stay where they are, as far as what is held leaves them.
fn feet(skeleton: &Skeleton, source: &[f64], plan: &Plan, frame: usize) -> Vec<Task> {
    let poses = skeleton.poses(source);
    let is_free = |limb: &&LimbPlan| {
        limb.is_leg && !limb.points.iter().any(|point| point.frames.contains(&frame))
    };
    let stay = |limb: &LimbPlan| {
        let foot = Frame::new(limb.limb.end, Pose::IDENTITY);
        Task::new(FramePose::new(foot, foot.world(&poses))).weighing(STAY)
    };
    plan.limbs.iter().filter(is_free).map(stay).collect()
}

/// What must hold in a frame in which the change goes over: what is held goes on as it does in a configuration, and feet that hold nothing stay.
fn tasks_on_the_way(clip: &Clip, plan: &Plan, frame: usize, q: &[f64]) -> Vec<Task> {
    let skeleton = clip.skeleton();
    let poses = skeleton.poses(q);
    let goes_on = |point: &Point| -> Task {
        let here = point.frame.world(&poses);
        match point.target {
            Target::Pose(_) => FramePose::new(point.frame, here).into(),
            _ => Position::new(point.frame, here.translation).into(),
        }
    };
    let others = plan.others.iter().filter(|point| share(point, frame) > 0.0).map(goes_on);
    others
        .chain(of_limbs(plan, frame))
        .chain(feet(skeleton, clip.frame(frame), plan, frame))
        .collect()
}

fn task(point: &Point) -> Task {
    match point.target {
        Target::Position(target) => Position::new(point.frame, target).into(),
        Target::Pose(target) => FramePose::new(point.frame, target).into(),
        Target::Surface(on, normal) => Plane::new(point.frame, on, normal).into(),
    }
}

/// Carries the change of the first and last frame of each run over into the frames around it.
fn die_away(clip: &Clip, plan: &Plan, weights: &[f64], values: &mut [f64]) {
    let skeleton = clip.skeleton();
    let (n, n_frames) = (skeleton.n_values(), clip.n_frames());
    let is_held = |frame: &usize| plan.is_held_by_body(*frame);
    let held: Vec<usize> = (0..n_frames).filter(is_held).collect();
    for frame in (0..n_frames).filter(|frame| weights[*frame] > 0.0 && !is_held(frame)) {
        let next = held.partition_point(|other| *other < frame);
        let before = next.checked_sub(1).map(|place| held[place]);
        let after = held.get(next).copied();
        let mut change = vec![0.0; skeleton.n_dofs()];
        let mut sum = vec![0.0; skeleton.n_dofs()];
        for edge in [before, after].into_iter().flatten() {
            let own = plan.others.iter().filter(|point| point.frames.contains(&edge));
            let weight = own.map(|point| share(point, frame)).fold(0.0, f64::max);
            let solved = &values[edge * n..(edge + 1) * n];
            skeleton.difference(clip.frame(edge), solved, &mut change);
            sum.iter_mut().zip(&change).for_each(|(sum, change)| *sum += weight * change);
        }
        let mut out = vec![0.0; n];
        skeleton.integrate(clip.frame(frame), &sum, &mut out);
        values[frame * n..(frame + 1) * n].copy_from_slice(&out);
    }
}

/// Part of the way from a clip to what holding made of it.
///
/// - `solved`: on all of the path, with all of the strength
pub(super) fn blended(
    (clip, solved): (&Clip, &Clip),
    plan: &Plan,
    along: Along<'_>,
    strength: f64,
) -> Result<Clip> {
    let from = moved(clip, plan, (along.path, along.path_part));
    let solved = moved(solved, plan, (along.path, along.path_part - 1.0));
    if strength >= 1.0 && along.shares.is_empty() {
        return Ok(solved.into_owned());
    }
    let n = clip.skeleton().n_values();
    let mut values = solved.values().to_vec();
    for (frame, q) in values.chunks_exact_mut(n).enumerate() {
        mix(clip.skeleton(), from.frame(frame), strength * along.share(frame), q);
    }
    clip.with_values(values)
}

/// The clip with its root moved by so much of a path.
pub(super) fn moved<'c>(
    clip: &'c Clip,
    plan: &Plan,
    (path, part): (&[DVec3], f64),
) -> Cow<'c, Clip> {
    match plan.root {
        Some(root) if part != 0.0 && !path.is_empty() => {
            let path: Vec<DVec3> = path.iter().map(|shift| *shift * part).collect();
            Cow::Owned(shifted(clip, root, &path))
        }
        _ => Cow::Borrowed(clip),
    }
}

/// Part of the way from one configuration to another.
fn mix(skeleton: &Skeleton, from: &[f64], part: f64, to: &mut [f64]) {
    for joint in 0..skeleton.n_joints() {
        let range = skeleton.value_range(joint);
        let n_numbers = match skeleton.kind(joint) {
            JointKind::Ball => 0,
            JointKind::Free => 3,
            _ => range.len(),
        };
        let numbers = range.start..range.start + n_numbers;
        for (to, from) in to[numbers.clone()].iter_mut().zip(&from[numbers.clone()]) {
            *to = from + part * (*to - from);
        }
        if let &[x, y, z, w] = &from[numbers.end..range.end] {
            let target = &to[numbers.end..range.end];
            let target = DQuat::from_xyzw(target[0], target[1], target[2], target[3]);
            let mixed = slerp(DQuat::from_xyzw(x, y, z, w), target, part);
            to[numbers.end..range.end].copy_from_slice(&mixed.to_array());
        }
    }
}
