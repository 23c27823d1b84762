//! Solving for a pose of the tool.

use super::closed::{Candidate, Candidates, Closed, Proof};
use super::goal::Goal;
use super::kernel::{Descent, Pace};
use super::search::{Found, NEAR, STEPS, Search, Verdict};
use super::{Arm, ArmSettings, ArmSolution, ArmStatus, Prefer, Solver, by_size};
use crate::error::{ErrorKind, Result};
use crate::math::{Pose, check_unit, normalised};
use alloc::vec::Vec;

/// The default tolerances: relative to the arm's length, and \[rad\].
const TOLERANCE: f64 = 1e-6;

/// Starts for a target that is proven out of reach.
const OUT_OF_REACH: u32 = 8;

/// Starts after which the preferred of the configurations found is taken. With half as many the sum of squared changes is 3 to 18 % larger.
const STARTS_TO_CHOOSE: u32 = 32;

/// Of redundant arms, this many of the configurations found are moved through the null space to choose the best; with all of them the sum of squared changes
/// is 1 % smaller and the time twice as long.
const KEPT: usize = 3;

/// A configuration is near enough to the preferred one to be taken at once if the sum of squared differences is less: branches are hardly ever this near to
/// each other.
const NEAR_ENOUGH: f64 = 0.05;

/// Two configurations are the same if the sum of the squares of their differences is less.
const SAME: f64 = 1e-6;

impl Arm {
    /// Solves for a pose of the tool.
    ///
    /// - `target`: in the world
    /// - `q`: the configuration of the whole skeleton to start from; on return the best one found, inside the limits. Only [joints](Self::joints) of the
    ///   arm, and their mimics, change.
    ///
    /// # Errors
    /// [`Error::is_wrong_length`](crate::Error::is_wrong_length) or [`is_not_finite`](crate::Error::is_not_finite) for `q`; a target that is not finite or
    /// whose rotation is further than 0.001 from unit length; a negative or NaN tolerance or bound. `q` is unchanged then.
    pub fn solve(
        &self,
        target: Pose,
        q: &mut [f64],
        settings: &ArmSettings,
    ) -> Result<ArmSolution> {
        self.solve_where(target, q, settings, |_| true)
    }

    /// [`solve`](Self::solve) for a configuration that a predicate accepts, for example one without collisions. The search goes on while it rejects.
    ///
    /// - `accept`: given a configuration of the whole skeleton that reaches the target
    ///
    /// # Errors
    /// Those of [`solve`](Self::solve).
    pub fn solve_where(
        &self,
        target: Pose,
        q: &mut [f64],
        settings: &ArmSettings,
        accept: impl FnMut(&[f64]) -> bool,
    ) -> Result<ArmSolution> {
        self.solve_while(target, q, settings, accept, || true)
    }

    /// [`solve_where`](Self::solve_where), as long as a second function returns true: the place for a time limit, where settings allow many starts.
    ///
    /// - `goes_on`: called before each start. Once it returns false, the result is what was found so far, as if the starts had run out.
    ///
    /// # Errors
    /// Those of [`solve`](Self::solve).
    pub fn solve_while(
        &self,
        target: Pose,
        q: &mut [f64],
        settings: &ArmSettings,
        accept: impl FnMut(&[f64]) -> bool,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<ArmSolution> {
        let goal = self.goal(target, q, settings)?;
        Ok(self.solve_goal(&goal, q, settings, accept, &mut goes_on))
    }

    /// [`solve_while`](Self::solve_while) for valid input.
    pub(super) fn solve_goal(
        &self,
        goal: &Goal,
        q: &mut [f64],
        settings: &ArmSettings,
        mut accept: impl FnMut(&[f64]) -> bool,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> ArmSolution {
        by_size!(&self.solver, solver => {
            let choice = Choice { solver, goal, start: self.start(solver, q), settings };
            let accept = |x: &_| {
                self.write(x, q);
                accept(q)
            };
            let found = choice.best(self, accept, goes_on);
            self.write(&found.x, q);
            self.solution(&found, goal)
        })
    }

    /// All distinct configurations found that reach a target, the preferred first. An arm with more than six joints has infinitely many: of these it is
    /// one for each branch found, the preferred (with [`Prefer::First`] the nearest).
    ///
    /// # Errors
    /// Those of [`solve`](Self::solve).
    pub fn solutions(
        &self,
        target: Pose,
        q: &[f64],
        settings: &ArmSettings,
    ) -> Result<Vec<Vec<f64>>> {
        self.solutions_while(target, q, settings, || true)
    }

    /// [`solutions`](Self::solutions), as long as a function returns true, as for [`solve_while`](Self::solve_while).
    ///
    /// # Errors
    /// Those of [`solve`](Self::solve).
    pub fn solutions_while(
        &self,
        target: Pose,
        q: &[f64],
        settings: &ArmSettings,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<Vec<Vec<f64>>> {
        let mut flat = Vec::new();
        self.push_solutions(target, q, settings, &mut flat, &mut goes_on)?;
        Ok(flat.chunks_exact(self.n_values).map(<[f64]>::to_vec).collect())
    }

    /// [`solutions`](Self::solutions) one after the other in one list, which is cleared before; how many there are. With six joints and a closed form it allocates
    /// nothing but what the list needs.
    ///
    /// # Errors
    /// Those of [`solve`](Self::solve); the list is unchanged then.
    pub fn solutions_into(
        &self,
        target: Pose,
        q: &[f64],
        settings: &ArmSettings,
        list: &mut Vec<f64>,
    ) -> Result<usize> {
        self.push_solutions(target, q, settings, list, &mut || true)
    }

    fn push_solutions(
        &self,
        target: Pose,
        q: &[f64],
        settings: &ArmSettings,
        list: &mut Vec<f64>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<usize> {
        let goal = self.goal(target, q, settings)?;
        list.clear();
        by_size!(&self.solver, solver => {
            self.each_solution(solver, &goal, self.start(solver, q), settings, goes_on, |x| {
                let end = list.len();
                list.extend_from_slice(q);
                self.write(x, &mut list[end..]);
            });
        });
        Ok(list.len() / self.n_values)
    }

    /// Passes on all distinct configurations found, the preferred first.
    pub(super) fn each_solution<const N: usize>(
        &self,
        solver: &Solver<N>,
        goal: &Goal,
        start: [f64; N],
        settings: &ArmSettings,
        goes_on: &mut dyn FnMut() -> bool,
        push: impl FnMut(&[f64; N]),
    ) {
        Choice { solver, goal, start, settings }.each(self, goes_on, push);
    }

    /// The solutions of six joints beside one that was found, the nearest to it first.
    ///
    /// - `q`: what was found; a buffer afterwards
    pub(crate) fn other_branches(
        &self,
        target: Pose,
        q: &mut [f64],
        settings: &ArmSettings,
        mut push: impl FnMut(&[f64]),
    ) {
        let closed = self.closed.as_deref().filter(|closed| closed.is_of_six());
        let goal = self.goal_at(target, settings);
        let Some(closed) = closed.filter(|_| !goal.has_bounds()) else { return };
        by_size!(&self.solver, solver => {
            let found = self.start(solver, q);
            for other in closed.solutions(&solver.kernel, &goal, &found).others(&found) {
                self.write(&other.x, q);
                push(q);
            }
        });
    }

    /// The goal of valid input.
    pub(super) fn goal(&self, target: Pose, q: &[f64], settings: &ArmSettings) -> Result<Goal> {
        self.check(q)?;
        let target = checked(target)?;
        check_settings(settings)?;
        Ok(self.goal_at(target, settings))
    }

    /// The goal of a target and settings that have been checked.
    pub(super) fn goal_at(&self, target: Pose, settings: &ArmSettings) -> Goal {
        let reach = self.reach();
        let length = if reach.is_finite() { reach } else { self.path.unit };
        let tolerances = [
            settings.tolerance.unwrap_or(TOLERANCE * length),
            settings.orientation_tolerance.unwrap_or(TOLERANCE),
        ];
        Goal::new(&self.path, target, &settings.bounds, tolerances)
    }

    /// The unknowns of a configuration, inside the limits.
    pub(super) fn start<const N: usize>(&self, solver: &Solver<N>, q: &[f64]) -> [f64; N] {
        let mut start = self.path.read::<N>(q);
        for (x, joint) in start.iter_mut().zip(&solver.kernel.joints) {
            *x = joint.clamp(*x);
        }
        start
    }

    /// A search from a start.
    ///
    /// - `most_once_found`: descents once a pose is accepted
    pub(super) fn search<'a, const N: usize>(
        &self,
        solver: &'a Solver<N>,
        goal: &Goal,
        start: [f64; N],
        settings: &ArmSettings,
        most_once_found: u32,
    ) -> Search<'a, N> {
        let ArmSettings { starts: most, iterations: most_steps, .. } = *settings;
        let is_out_of_reach = goal.shortfall(self.path.reach) > 0.0;
        let most = if is_out_of_reach { most.min(OUT_OF_REACH) } else { most.max(1) };
        let Solver { kernel, starts, .. } = solver;
        Search { kernel, starts, goal: *goal, start, most, most_once_found, most_steps }
    }

    /// Whether joints can move while the tool stays at its target.
    pub(super) fn is_redundant(&self, settings: &ArmSettings) -> bool {
        self.path.unknowns().count() > 6 || settings.bounds != [0.0; 6]
    }

    /// Whether some configuration reaches a goal.
    pub(super) fn is_reachable<const N: usize>(
        &self,
        solver: &Solver<N>,
        goal: &Goal,
        start: [f64; N],
    ) -> bool {
        // A closed form knows soon, or else the first that is found.
        let prefer = if self.closed.is_some() { Prefer::Nearest } else { Prefer::First };
        let settings = &ArmSettings::default().with_prefer(prefer);
        Choice { solver, goal, start, settings }.best(self, |_| true, &mut || true).has_reached
    }

    pub(super) fn solution<const N: usize>(&self, found: &Found<N>, goal: &Goal) -> ArmSolution {
        let status = if found.has_reached { ArmStatus::Reached } else { self.failure(found, goal) };
        ArmSolution {
            status,
            distance: found.residual.distance * self.path.unit,
            angle: found.residual.angle,
            iterations: found.steps,
            starts: found.starts,
        }
    }
}

impl Arm {
    /// What is certain of a target that was not reached.
    #[cold]
    fn failure<const N: usize>(&self, found: &Found<N>, goal: &Goal) -> ArmStatus {
        let shortfall = goal.shortfall(self.path.reach) * self.path.unit;
        if shortfall > 0.0 {
            return ArmStatus::Unreachable { shortfall };
        }
        match self.closed.as_deref().and_then(|closed| closed.proof(goal, &found.x)) {
            Some(Proof::Unreachable) => ArmStatus::Unreachable { shortfall: 0.0 },
            Some(Proof::OutsideLimits) => ArmStatus::OutsideLimits,
            None => ArmStatus::NotFound,
        }
    }
}

/// A target of finite numbers, its rotation made unit.
pub(crate) fn checked(target: Pose) -> Result<Pose> {
    let numbers = target.translation.to_array().into_iter().chain(target.rotation.to_array());
    if let Some(index) = numbers.enumerate().find_map(|(k, x)| (!x.is_finite()).then_some(k)) {
        return Err(ErrorKind::NonFinite { what: "target", index }.into());
    }
    check_unit(target.rotation)
        .map_err(|length| ErrorKind::NotUnit { what: "target rotation", length })?;
    Ok(Pose::new(normalised(target.rotation), target.translation))
}

/// Tolerances and bounds that are not negative.
pub(crate) fn check_settings(settings: &ArmSettings) -> Result<()> {
    let ArmSettings { tolerance, orientation_tolerance, bounds, .. } = *settings;
    check_bound("tolerance", 0, tolerance.unwrap_or(0.0))?;
    check_bound("orientation tolerance", 0, orientation_tolerance.unwrap_or(0.0))?;
    let mut bounds = bounds.into_iter().enumerate();
    bounds.try_for_each(|(index, bound)| check_bound("bounds", index, bound))
}

fn check_bound(what: &'static str, index: usize, value: f64) -> Result<()> {
    if value >= 0.0 {
        return Ok(());
    }
    Err(ErrorKind::OutOfRange { what, index, value, need: "0 or more" }.into())
}

/// The choice among the configurations that reach a target.
struct Choice<'a, const N: usize> {
    solver: &'a Solver<N>,
    goal: &'a Goal,
    start: [f64; N],
    settings: &'a ArmSettings,
}

impl<const N: usize> Choice<'_, N> {
    /// The preferred configuration of those that are found and accepted: by the closed form, if there is one, else or if that fails from one start after
    /// another. The first one is found quickest without closed forms, because the nearest starts mostly lead to the target.
    fn best(
        &self,
        arm: &Arm,
        mut accept: impl FnMut(&[f64; N]) -> bool,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Found<N> {
        let takes_first = self.settings.prefer == Prefer::First;
        let mut best: [Option<(f64, [f64; N])>; KEPT] = [None; KEPT];
        let mut consider = |x: &[f64; N]| {
            let cost = self.cost(x);
            let rank = best.iter().position(|other| other.is_none_or(|(least, _)| cost < least));
            let Some(rank) = rank else { return Verdict::Accepted };
            if !accept(x) {
                return Verdict::Rejected;
            }
            best[rank..].rotate_right(1);
            best[rank] = Some((cost, *x));
            let is_near = self.preferred().is_some() && cost < NEAR_ENOUGH;
            if takes_first || is_near { Verdict::Sufficient } else { Verdict::Accepted }
        };
        let near = self.near(arm).filter(|near| consider(&near.x) == Verdict::Sufficient);
        let closed = if takes_first || near.is_some() { None } else { self.closed(arm) };
        let is_complete = arm.closed.as_ref().is_some_and(|closed| closed.is_complete());
        let is_proven = is_complete && closed.as_ref().is_some_and(Candidates::is_empty);
        let from_closed = closed.as_ref().and_then(|all| self.found(all, &mut consider));
        // Closed forms give the poses that are nearest to what is preferred.
        let is_settled = from_closed.is_some() && self.preferred().is_some();
        let mut found = near.or(from_closed).unwrap_or_else(|| {
            let most = if is_proven { OUT_OF_REACH } else { u32::MAX };
            let settings = ArmSettings { starts: self.settings.starts.min(most), ..*self.settings };
            arm.search(self.solver, self.goal, self.start, &settings, STARTS_TO_CHOOSE)
                .run(goes_on, &mut consider)
        });
        if takes_first || !found.has_reached {
            return found;
        }
        let mut least = f64::INFINITY;
        for (cost, x) in best.into_iter().flatten() {
            let (mut settled, mut settled_cost) = (x, cost);
            if !is_settled && arm.is_redundant(self.settings) {
                self.settle(&mut settled);
                settled_cost = self.cost(&settled);
            }
            let is_better = settled_cost < cost && accept(&settled);
            let (cost, x) = if is_better { (settled_cost, settled) } else { (cost, x) };
            if cost < least {
                (least, found.x) = (cost, x);
            }
        }
        found.residual = self.solver.kernel.residual(self.goal, &found.x);
        found
    }

    /// The pose to which a descent from a start near the target leads, if it stays near: quicker than a closed form with a parameter. Where there is no closed
    /// form, the search begins so.
    fn near(&self, arm: &Arm) -> Option<Found<N>> {
        let closed = arm.closed.as_deref().filter(|_| Closed::fits(N))?;
        let kernel = &self.solver.kernel;
        let is_worthwhile = self.settings.prefer == Prefer::Nearest && !closed.is_of_six();
        if !is_worthwhile || kernel.residual(self.goal, &self.start).merit > NEAR {
            return None;
        }
        let mut x = self.start;
        let Descent { has_reached, steps, residual } =
            kernel.descend(self.goal, &mut x, Pace::new(STEPS.min(self.settings.iterations)));
        let is_near = has_reached && self.cost(&x) < NEAR_ENOUGH;
        is_near.then_some(Found { x, residual, has_reached, steps, starts: 1 })
    }

    /// The configurations that a closed form proposes, if there is one: of redundant arms those of the branches nearest to what is preferred.
    fn closed(&self, arm: &Arm) -> Option<Candidates<N>> {
        let closed =
            arm.closed.as_deref().filter(|_| Closed::fits(N) && !self.goal.has_bounds())?;
        let kernel = &self.solver.kernel;
        Some(match self.preferred() {
            Some(preferred) => closed.nearest(kernel, self.goal, preferred),
            None => closed.solutions(kernel, self.goal, &self.start),
        })
    }

    /// The first of them that is accepted, once all were considered.
    fn found(
        &self,
        all: &Candidates<N>,
        consider: &mut impl FnMut(&[f64; N]) -> Verdict,
    ) -> Option<Found<N>> {
        let mut first = None;
        for candidate in all.iter() {
            if consider(&candidate.x) != Verdict::Rejected {
                first = first.or(Some(candidate));
            }
        }
        let Candidate { x, residual, has_reached } = *first?;
        Some(Found { x, residual, has_reached, steps: 0, starts: 1 })
    }

    /// All configurations found, the preferred first.
    fn each(&self, arm: &Arm, goes_on: &mut dyn FnMut() -> bool, mut push: impl FnMut(&[f64; N])) {
        let mut all: Vec<(f64, [f64; N])> = Vec::new();
        let usable = |_: &&Closed| Closed::fits(N) && !self.goal.has_bounds();
        let closed = arm.closed.as_deref().filter(usable);
        let is_complete = closed.is_some_and(Closed::is_complete);
        if let Some(closed) = closed {
            let near = self.preferred();
            let start = near.unwrap_or(&self.start);
            let found = closed.solutions(&self.solver.kernel, self.goal, start);
            if near.is_some() && (is_complete || !found.is_empty()) {
                // They are in the order of their distances.
                return found.iter().for_each(|candidate| push(&candidate.x));
            }
            all.extend(found.iter().map(|candidate| (self.cost(&candidate.x), candidate.x)));
        }
        if all.is_empty() && !is_complete {
            self.search_all(arm, goes_on, &mut all);
        }
        all.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        all.iter().for_each(|(_, x)| push(x));
    }

    /// Those that a search from many starts finds, with their costs.
    fn search_all(
        &self,
        arm: &Arm,
        goes_on: &mut dyn FnMut() -> bool,
        all: &mut Vec<(f64, [f64; N])>,
    ) {
        let search = arm.search(self.solver, self.goal, self.start, self.settings, u32::MAX);
        search.run(goes_on, |x| {
            let mut x = *x;
            if arm.is_redundant(self.settings) {
                self.settle(&mut x);
            }
            if all.iter().all(|(_, other)| distance_squared(&x, other) > SAME) {
                all.push((self.cost(&x), x));
            }
            Verdict::Accepted
        });
    }

    /// The configuration to which one should be near, if that is the preference.
    fn preferred(&self) -> Option<&[f64; N]> {
        match self.settings.prefer {
            Prefer::Nearest | Prefer::First => Some(&self.start),
            Prefer::Posture => Some(&self.solver.posture),
            Prefer::Manipulability => None,
        }
    }

    /// What is least for the preferred configuration.
    fn cost(&self, x: &[f64; N]) -> f64 {
        match self.preferred() {
            Some(preferred) => distance_squared(x, preferred),
            None => -self.solver.kernel.manipulability(x),
        }
    }

    /// Moves a configuration that reaches the target through the null space, towards a lower cost.
    fn settle(&self, x: &mut [f64; N]) {
        let kernel = &self.solver.kernel;
        match self.preferred() {
            Some(preferred) => {
                kernel.settle(self.goal, x, |x| core::array::from_fn(|i| preferred[i] - x[i]));
            }
            None => kernel.settle(self.goal, x, |x| kernel.climb(x)),
        }
    }
}

fn distance_squared<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
