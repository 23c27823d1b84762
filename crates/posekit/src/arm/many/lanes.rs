//! Problems in the lanes of a register: each lane has one, and the next as soon as that is solved.
//!
//! All lanes take their steps together, each on a descent of its own. Where a descent ends, its lane gets the next start of the search, or the next
//! problem. A lane computes what it would compute alone, so that results have the bits of [`Search::run`], which is made of the same parts.

use super::Problem;
use crate::arm::goal::Goal;
use crate::arm::kernel::{Column, Descent, Kernel, Pace, residual, squared};
use crate::arm::search::{Progress, Search, Verdict};
use crate::arm::{Arm, ArmSettings, ArmSolution, BySize, Prefer, Solver};
use crate::math::{Lanes, Mask, Pose, Wide};
use pulp::{Arch, Simd, WithSimd};

/// The most lanes of a register.
const MOST_LANES: usize = 8;

/// Solves problems of one arm in the widest registers that there are: the first pose that is found, for kernels of up to eight joints. Others are solved one by one.
pub(super) fn solve<'r>(
    arm: &Arm,
    problems: impl Iterator<Item = Problem<'r>>,
    settings: &ArmSettings,
) {
    let processor = Arch::new();
    match &arm.solver {
        _ if settings.prefer != Prefer::First => arm.solve_one_by_one(problems, settings),
        BySize::Six(solver) => {
            processor.dispatch(Task { arm, solver, problems, settings });
        }
        BySize::Seven(solver) => {
            processor.dispatch(Task { arm, solver, problems, settings });
        }
        BySize::Eight(solver) => {
            processor.dispatch(Task { arm, solver, problems, settings });
        }
        _ => arm.solve_one_by_one(problems, settings),
    }
}

/// Problems of one arm.
struct Task<'a, I, const N: usize> {
    arm: &'a Arm,
    solver: &'a Solver<N>,
    problems: I,
    settings: &'a ArmSettings,
}

/// A problem that has a lane.
struct Running<'a, 'r, const N: usize> {
    values: &'r mut [f64],
    solution: &'r mut ArmSolution,
    search: Search<'a, N>,
    progress: Progress<N>,
    pace: Pace,
}

/// The numbers of all lanes.
struct Group<V: Lanes, const N: usize> {
    goal: Goal<V>,
    x: [V; N],
}

/// Where a group was before its last step.
struct Before<V: Lanes, const N: usize> {
    x: [V; N],
    error: Column<V>,
    merit: V,
    has_reached: V::Mask,
}

// The compiler uses the wide registers only in what is inlined into `with_simd`.
impl<'r, I: Iterator<Item = Problem<'r>>, const N: usize> WithSimd for Task<'_, I, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        if S::F64_LANES == 1 || S::F64_LANES > MOST_LANES {
            return self.arm.solve_one_by_one(self.problems, self.settings);
        }
        let zero = Wide::new(simd);
        let goal = Goal::splat(zero, &self.arm.goal_at(Pose::IDENTITY, self.settings));
        let mut group = Group { goal, x: [zero; N] };
        let mut lanes = [const { None }; MOST_LANES];
        let lanes = &mut lanes[..S::F64_LANES];
        for (lane, slot) in lanes.iter_mut().enumerate() {
            self.fill(lane, slot, &mut group);
        }
        while lanes.iter().any(Option::is_some) {
            let before = group.step(&self.solver.kernel);
            for (lane, slot) in lanes.iter_mut().enumerate() {
                let Some(running) = slot else { continue };
                if running.pace.goes_on(before.merit.lane(lane), before.has_reached.lane(lane)) {
                    continue;
                }
                match running.next_start(&before, lane) {
                    Some(start) => group.set_start(lane, &start),
                    None => {
                        self.arm.finish(running);
                        self.fill(lane, slot, &mut group);
                    }
                }
            }
        }
    }
}

impl<'a, 'r, I: Iterator<Item = Problem<'r>>, const N: usize> Task<'a, I, N> {
    /// Puts the next problem, if there is one, into a lane.
    #[inline(always)]
    fn fill<V: Lanes>(
        &mut self,
        lane: usize,
        slot: &mut Option<Running<'a, 'r, N>>,
        group: &mut Group<V, N>,
    ) {
        *slot = None;
        let Some(Problem { goal, values, solution }) = self.problems.next() else { return };
        let start = self.arm.start(self.solver, values);
        let search = self.arm.search(self.solver, &goal, start, self.settings, u32::MAX);
        group.goal.base.set_lane(lane, &goal.base);
        group.set_start(lane, &search.start);
        let (progress, pace) = (Progress::new(&search), Pace::MEASURE);
        *slot = Some(Running { values, solution, search, progress, pace });
    }
}

impl Arm {
    /// Writes what a search has found.
    fn finish<const N: usize>(&self, running: &mut Running<'_, '_, N>) {
        let Running { search, progress, values, solution, .. } = running;
        self.write(&progress.found.x, values);
        **solution = self.solution(&progress.found, &search.goal);
    }
}

impl<const N: usize> Running<'_, '_, N> {
    /// The start of the next descent, after one has ended; none if that was the last.
    #[inline(always)]
    fn next_start<V: Lanes>(&mut self, before: &Before<V, N>, lane: usize) -> Option<[f64; N]> {
        let x = before.x.map(|x| x.lane(lane));
        let residual = residual(&before.error.map(|error| error.lane(lane)));
        let has_reached = before.has_reached.lane(lane);
        let end = Descent { has_reached, steps: self.pace.steps, residual };
        self.progress.record(&self.search, x, &end, |_| Verdict::Sufficient);
        let (start, pace) = self.progress.next(&self.search)?;
        self.pace = pace;
        Some(start)
    }
}

impl<V: Lanes, const N: usize> Group<V, N> {
    /// One step of every lane.
    #[inline(always)]
    fn step(&mut self, kernel: &Kernel<N>) -> Before<V, N> {
        let Self { goal, x } = self;
        let walk = kernel.walk(&goal.base, x);
        let error = goal.error(&walk.tool);
        let (merit, has_reached) = (squared(&error), goal.is_reached(&error));
        let before = Before { x: *x, error, merit, has_reached };
        kernel.step(goal, &walk, &error, None, x);
        before
    }

    #[inline(always)]
    fn set_start(&mut self, lane: usize, start: &[f64; N]) {
        for (x, start) in self.x.iter_mut().zip(start) {
            x.set_lane(lane, *start);
        }
    }
}
