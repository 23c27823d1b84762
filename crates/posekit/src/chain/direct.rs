//! The closed way for free chains: no iteration over joints, an answer for every reachable target, the least bent one.
//!
//! # Method
//! Swing the whole chain about its root until its tip lies on the line to the target. What is left is to make it longer
//! or shorter. Let `u_i` be the unit direction of bone `i` (length `l_i`) after the swing and `t` the target seen from
//! the root. Among all directions `v_i` that reach, `Σ l_i v_i = t`, those with the least `Σ l_i |v_i − u_i|²` are
//!
//! ```text
//! v_i = (u_i + μ) / |u_i + μ|      with one vector μ for all bones:
//! the minimiser of the convex   Φ(μ) = Σ l_i |u_i + μ| − μ · t,    ∇Φ = Σ l_i v_i − t
//! ```
//!
//! so a chain of any length is a convex problem in `dimension` unknowns, and Newton's method on it converges
//! quadratically: four or five evaluations, each linear in the number of bones, also next to full reach.
//!
//! | symbol | meaning | shape | unit |
//! |---|---|---|---|
//! | `u` | bone directions after the swing | n × d | 1 |
//! | `t`, `e`, `d` | target from the root, its direction, its distance | d, d, 1 | m, 1, m |
//! | `mu` | the common pull | d | 1 |
//! | `g`, `h` | gradient and Hessian of Φ | d, d × d | m |
//!
//! # Degenerate cases
//! - *A straight chain whose target is inside its reach* has no direction to bend in, and Φ has a kink where its minimum
//!   should be. The chain is first laid on the circular arc whose chord is the distance to the target, on the side given
//!   by what little bend it has, else by a fixed rule: to the left in the plane, in space towards the coordinate axis that
//!   is farthest from the chord.
//! - *A kink elsewhere* (one bone would have to turn through the direction opposite to its own): the chain is turned at
//!   the one joint that is best placed to meet the distance, with both parts rigid; where no joint can, it is folded into
//!   two or three straight pieces. One of them exists for every target inside the reach.
//! - *A target out of reach*: straight towards it, or, inside the inner radius, the longest bone towards it and the others
//!   against it. That is the nearest pose.
//! - *One dimension*: bones can only point forth or back; there is no closed way.

use super::{Reach, Space, in_space};

/// Newton evaluations after which the chain is folded instead. Ordinary cases take 3 to 6; next to a kink the method
/// crawls, and folding is then cheaper than waiting.
const MAX_EVALUATIONS: u32 = 24;

/// A chain counts as straight when its tip is this close (relative) to full reach: bends of up to 1e-5 rad.
const STRAIGHT: f64 = 1e-10;

/// Buffers of [`reach`], sized by the largest chain seen.
#[derive(Debug, Clone, Default)]
pub struct DirectWorkspace {
    lengths: Vec<f64>,
    /// Bone directions, `dimension` numbers a bone.
    u: Vec<f64>,
    /// `1 / |u + μ|` per bone.
    scales: Vec<f64>,
    /// Target from the root.
    t: Vec<f64>,
    /// Direction of the target.
    e: Vec<f64>,
    /// Unit direction across `e`, in which a chain without a bend is bent.
    across: Vec<f64>,
    mu: Vec<f64>,
    g: Vec<f64>,
    step: Vec<f64>,
    h: Vec<f64>,
    /// Two vectors in passing.
    spare: [Vec<f64>; 2],
}

/// What [`reach`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Way {
    /// Already there, or a rigid swing was enough.
    Swing,
    /// The least change of all bone directions.
    Least,
    /// Two rigid parts about one joint.
    Hinged,
    /// Two or three straight pieces.
    Folded,
    /// The target is out of reach or at its very edge; this is the nearest pose.
    Nearest,
    /// One dimension: there is no closed way, nothing was changed.
    None,
}

/// Moves an unbranched chain so that its tip stands on the target, or as near as its bones allow.
///
/// - `lengths`: n bone lengths, at least 0
/// - `points`: in: the pose to change least, (n + 1) × `dimension`, root first; out: the answer, at the exact lengths
/// - `target`: `dimension` numbers
/// - `tolerance`: distance from the target at which the Newton iteration may stop, > 0, same unit
///
/// Lengths and points should be of the order of one; the caller scales.
pub fn reach(
    dimension: usize,
    lengths: &[f64],
    points: &mut [f64],
    target: &[f64],
    tolerance: f64,
    workspace: &mut DirectWorkspace,
) -> Way {
    if dimension < 2 || lengths.is_empty() {
        return Way::None;
    }
    in_space!(dimension, space => {
        workspace.prepare(space, lengths, points, target);
        let way = solve(space, workspace, tolerance);
        workspace.write(space, points);
        way
    })
}

fn solve<S: Space>(space: S, w: &mut DirectWorkspace, tolerance: f64) -> Way {
    let reach = w.lengths.iter().fold(Reach::POINT, |reach, &length| reach.with_bone(length));
    let d = dot(&w.t, &w.t).sqrt();
    w.face_target(space, d);
    if d >= reach.outer || (d <= reach.inner && reach.inner > 0.0) {
        w.stretch(space, d >= reach.outer);
        return Way::Nearest;
    }
    let chord = w.swing(space, d);
    if (chord - d).abs() <= 0.5 * tolerance {
        return Way::Swing;
    }
    if reach.outer - chord <= STRAIGHT * reach.outer {
        w.find_across(space);
        w.arc(space, d, reach.outer);
    }
    if w.least_change(space, d, reach.outer, 0.5 * tolerance) {
        return Way::Least;
    }
    w.find_across(space);
    if w.turn_at_one_joint(space, d) {
        return Way::Hinged;
    }
    w.fold(space, d, reach.outer);
    Way::Folded
}

impl DirectWorkspace {
    fn prepare<S: Space>(&mut self, space: S, lengths: &[f64], points: &[f64], target: &[f64]) {
        let n = space.n();
        self.lengths.clear();
        self.lengths.extend_from_slice(lengths);
        for row in [&mut self.t, &mut self.e, &mut self.across, &mut self.mu, &mut self.g] {
            row.resize(n, 0.0);
        }
        let [first, second] = &mut self.spare;
        for row in [&mut self.step, first, second] {
            row.resize(n, 0.0);
        }
        self.h.resize(n * n, 0.0);
        self.u.resize(lengths.len() * n, 0.0);
        self.scales.resize(lengths.len(), 0.0);
        for k in 0..n {
            self.t[k] = target[k] - points[k];
        }
        for (i, u) in self.u.chunks_exact_mut(n).enumerate() {
            let (base, tip) = (&points[i * n..(i + 1) * n], &points[(i + 1) * n..(i + 2) * n]);
            for k in 0..n {
                u[k] = tip[k] - base[k];
            }
            let squared = dot(u, u);
            if squared > 0.0 {
                let scale = 1.0 / squared.sqrt();
                u.iter_mut().for_each(|x| *x *= scale);
            } else {
                // A bone without a direction (zero length) takes the first axis; it carries no weight.
                u[0] = 1.0;
            }
        }
    }

    /// Lays the bones end to end from the root, which stays.
    fn write<S: Space>(&self, space: S, points: &mut [f64]) {
        let n = space.n();
        for (i, (u, length)) in self.u.chunks_exact(n).zip(&self.lengths).enumerate() {
            for k in 0..n {
                points[(i + 1) * n + k] = points[i * n + k] + length * u[k];
            }
        }
    }

    /// `e`: the direction of the target, or, where the target is the root, that of the longest bone.
    fn face_target<S: Space>(&mut self, space: S, d: f64) {
        let n = space.n();
        if d > 0.0 {
            for k in 0..n {
                self.e[k] = self.t[k] / d;
            }
        } else {
            let longest = longest(&self.lengths);
            self.e.copy_from_slice(&self.u[longest * n..(longest + 1) * n]);
        }
    }

    /// The pose nearest to a target out of reach: all bones towards it, or only the longest.
    fn stretch<S: Space>(&mut self, space: S, too_far: bool) {
        let n = space.n();
        let longest = longest(&self.lengths);
        for (i, u) in self.u.chunks_exact_mut(n).enumerate() {
            let sign = if too_far || i == longest { 1.0 } else { -1.0 };
            for k in 0..n {
                u[k] = sign * self.e[k];
            }
        }
    }

    /// Swings all bones by the shortest rotation that brings the chord from root to tip into the direction of the target,
    /// and returns the chord's length.
    fn swing<S: Space>(&mut self, space: S, d: f64) -> f64 {
        let n = space.n();
        let [chord, way] = &mut self.spare;
        chord.fill(0.0);
        for (u, length) in self.u.chunks_exact(n).zip(&self.lengths) {
            for k in 0..n {
                chord[k] += length * u[k];
            }
        }
        let size = dot(chord, chord).sqrt();
        if size > 0.0 && d > 0.0 {
            chord.iter_mut().for_each(|x| *x /= size);
            rotate(space, &mut self.u, chord, &self.e, way);
        }
        size
    }

    /// `across`: the side to which the chain already bends, or the fixed rule.
    fn find_across<S: Space>(&mut self, space: S) {
        let n = space.n();
        let place = &mut self.spare[0];
        place.fill(0.0);
        self.across.fill(0.0);
        let mut arc = 0.0;
        for (u, length) in self.u.chunks_exact(n).zip(&self.lengths) {
            for k in 0..n {
                place[k] += length * u[k];
                self.across[k] += length * place[k];
            }
            arc += length;
        }
        if !make_across(&mut self.across, &self.e, 1e-9 * arc * arc) {
            fixed_across(space, &self.e, &mut self.across);
        }
    }

    /// Lays the bones on a circular arc whose chord is a little shorter than `d`, so that Newton has to pull, not push.
    ///
    /// An arc of half-angle `a` has chord over length `sin a / a`; `√(6 (1 − x)) (1 + 0.28 (1 − x))` inverts that to 2 %.
    fn arc<S: Space>(&mut self, space: S, d: f64, outer: f64) {
        let n = space.n();
        let slack = 1.0 - d / outer;
        let half_angle = (6.0 * slack).sqrt() * (1.0 + 0.28 * slack);
        let mut travelled = 0.0;
        for (u, length) in self.u.chunks_exact_mut(n).zip(&self.lengths) {
            let middle = (travelled + 0.5 * length) / outer;
            let (sine, cosine) = crate::math::sin_cos(half_angle * (1.0 - 2.0 * middle));
            for k in 0..n {
                u[k] = cosine * self.e[k] + sine * self.across[k];
            }
            travelled += length;
        }
    }

    /// Newton's method on Φ; true when `u` now reaches. On false `u` is unchanged.
    fn least_change<S: Space>(&mut self, space: S, d: f64, outer: f64, tolerance: f64) -> bool {
        self.first_pull(space, d, outer);
        let mut slope = f64::NEG_INFINITY;
        for _ in 0..MAX_EVALUATIONS {
            let (bones, scales) = ((&*self.lengths, &*self.u), &mut *self.scales);
            let nearest_kink =
                evaluate(space, bones, (&self.t, &self.mu), scales, &mut self.g, &mut self.h);
            if dot(&self.g, &self.g) <= tolerance * tolerance {
                self.turn_bones(space);
                return true;
            }
            if nearest_kink <= 1e-18 {
                return false;
            }
            // Along the last step Φ' rises from `slope` < 0; when it overshot, go back to where a straight line says 0.
            let here = dot(&self.g, &self.step);
            if slope.is_finite() && here > -0.5 * slope {
                let back = here / (here - slope);
                for k in 0..space.n() {
                    self.mu[k] -= back * self.step[k];
                    self.step[k] *= 1.0 - back;
                }
                slope *= 1.0 - back;
                continue;
            }
            if !solve_spd(space, &mut self.h, &self.g, &mut self.step) {
                return false;
            }
            for k in 0..space.n() {
                self.step[k] = -self.step[k];
                self.mu[k] += self.step[k];
            }
            slope = dot(&self.g, &self.step);
        }
        false
    }

    /// Where Newton starts: no pull, or, next to full reach, the pull that straightens the chain enough to first order.
    fn first_pull<S: Space>(&mut self, space: S, d: f64, outer: f64) {
        let n = space.n();
        let (mut along, mut aside) = (0.0, 0.0);
        for (u, length) in self.u.chunks_exact(n).zip(&self.lengths) {
            let x = dot(u, &self.e);
            along += length * x;
            aside += length * (1.0 - x * x);
        }
        // v_i leans by about sin(angle_i) / |mu|, which costs the chord l_i sin² / (2 mu²).
        let pull = (aside / (2.0 * (outer - d))).sqrt() - along / outer;
        let pull = if d > 0.8 * outer { pull.max(0.0) } else { 0.0 };
        for k in 0..n {
            self.mu[k] = pull * self.e[k];
        }
    }

    /// Turns every bone to `(u + μ) / |u + μ|`, at the `mu` last evaluated.
    fn turn_bones<S: Space>(&mut self, space: S) {
        let n = space.n();
        for (u, scale) in self.u.chunks_exact_mut(n).zip(&self.scales) {
            for k in 0..n {
                u[k] = (u[k] + self.mu[k]) * scale;
            }
        }
    }

    /// Turns the chain at the one joint where the two rigid parts, with chords `a` and `b`, make the fullest triangle with
    /// `d`; false when no joint can.
    fn turn_at_one_joint<S: Space>(&mut self, space: S, d: f64) -> bool {
        let n = space.n();
        if d <= 0.0 {
            return false;
        }
        let [whole, part] = &mut self.spare;
        whole.fill(0.0);
        for (u, length) in self.u.chunks_exact(n).zip(&self.lengths) {
            for k in 0..n {
                whole[k] += length * u[k];
            }
        }
        part.fill(0.0);
        let mut best = (0.0, 0, 0.0, 0.0);
        for i in 0..self.lengths.len() - 1 {
            let (mut a2, mut b2) = (0.0, 0.0);
            for k in 0..n {
                part[k] += self.lengths[i] * self.u[i * n + k];
                a2 += part[k] * part[k];
                b2 += (whole[k] - part[k]) * (whole[k] - part[k]);
            }
            let fullness = (4.0 * a2 * d * d - (a2 + d * d - b2) * (a2 + d * d - b2)) / (d * d);
            if fullness > best.0 {
                best = (fullness, i + 1, a2, b2);
            }
        }
        let (fullness, joint, a2, b2) = best;
        // A triangle thinner than this is all rounding.
        if fullness <= 1e-12 * a2 {
            return false;
        }
        let along = (a2 + d * d - b2) / (2.0 * d);
        self.turn_parts(space, joint, (along, 0.5 * fullness.sqrt()), d);
        true
    }

    /// Turns bones `..joint` so that their chord ends at `corner` (along `e`, across), and the rest so that theirs goes on
    /// to the target.
    fn turn_parts<S: Space>(&mut self, space: S, joint: usize, corner: (f64, f64), d: f64) {
        let n = space.n();
        let parts = [(0, joint, corner), (joint, self.lengths.len(), (d - corner.0, -corner.1))];
        let [from, to] = &mut self.spare;
        from.fill(0.0);
        for i in 0..joint {
            for k in 0..n {
                from[k] += self.lengths[i] * self.u[i * n + k];
            }
        }
        if !make_across(from, &self.e, 1e-9 * d) {
            from.copy_from_slice(&self.across);
        }
        self.across.copy_from_slice(from);
        for (first, last, (along, aside)) in parts {
            from.fill(0.0);
            for i in first..last {
                for k in 0..n {
                    from[k] += self.lengths[i] * self.u[i * n + k];
                }
            }
            for k in 0..n {
                to[k] = along * self.e[k] + aside * self.across[k];
            }
            if make_unit(from) && make_unit(to) {
                rotate(space, &mut self.u[first * n..last * n], from, to, &mut self.mu);
            }
        }
    }

    /// Folds the chain into two straight pieces, or three when one bone is too long for two, in the plane of `e` and
    /// `across`. Exists for every target strictly inside the reach.
    fn fold<S: Space>(&mut self, space: S, d: f64, outer: f64) {
        let (mut before, mut best) = (0.0, (f64::INFINITY, 0, 0.0));
        for (i, length) in self.lengths.iter().enumerate().take(self.lengths.len() - 1) {
            before += length;
            let unevenness = (2.0 * before - outer).abs();
            if unevenness < best.0 {
                best = (unevenness, i + 1, before);
            }
        }
        let n_bones = self.lengths.len();
        if best.0 <= d {
            let (_, joint, a) = best;
            let corner = corner(a, outer - a, d);
            self.lay(space, 0..joint, corner, a);
            self.lay(space, joint..n_bones, (d - corner.0, -corner.1), outer - a);
            return;
        }
        // The bone with the chain's midpoint in it: neither of the straight pieces beside it is longer than half.
        let (mut middle, mut before) = (0, 0.0);
        while middle + 1 < n_bones && 2.0 * (before + self.lengths[middle]) < outer {
            before += self.lengths[middle];
            middle += 1;
        }
        let long = self.lengths[middle];
        let after = outer - long - before;
        // The first two pieces together span `span`, anything that closes both triangles; take the middle.
        let shortest = (long - before).abs().max((d - after).abs());
        let longest_span = (long + before).min(d + after);
        let span = 0.5 * (shortest + longest_span);
        let knee = corner(span, after, d);
        let hip = corner(before, long, span);
        // Turn the small triangle's corner from its own chord into the direction of `span`.
        let (c, s) = if span > 0.0 { (knee.0 / span, knee.1 / span) } else { (1.0, 0.0) };
        let hip = (hip.0 * c - hip.1 * s, hip.0 * s + hip.1 * c);
        self.lay(space, 0..middle, hip, before);
        self.lay(space, middle..middle + 1, (knee.0 - hip.0, knee.1 - hip.1), long);
        self.lay(space, middle + 1..n_bones, (d - knee.0, -knee.1), after);
    }

    /// Lays some bones straight along `to` (along `e`, across), a vector of the given size.
    fn lay<S: Space>(
        &mut self,
        space: S,
        bones: core::ops::Range<usize>,
        to: (f64, f64),
        size: f64,
    ) {
        let n = space.n();
        for u in self.u[bones.start * n..bones.end * n].chunks_exact_mut(n) {
            for k in 0..n {
                let bone = if size > 0.0 { (to.0 / size, to.1 / size) } else { (1.0, 0.0) };
                u[k] = bone.0 * self.e[k] + bone.1 * self.across[k];
            }
        }
    }
}

/// Fills the gradient `g` and the Hessian `h` (lower triangle) of Φ at `mu`, and `1 / |u_i + μ|` for every bone, and returns
/// the smallest `|u_i + μ|²`: the distance to the nearest kink.
#[inline]
fn evaluate<S: Space>(
    space: S,
    (lengths, u): (&[f64], &[f64]),
    (t, mu): (&[f64], &[f64]),
    scales: &mut [f64],
    g: &mut [f64],
    h: &mut [f64],
) -> f64 {
    let n = space.n();
    let (g, h, t, mu) = (&mut g[..n], &mut h[..n * n], &t[..n], &mu[..n]);
    h.fill(0.0);
    for k in 0..n {
        g[k] = -t[k];
    }
    let (mut nearest_kink, mut sum) = (f64::INFINITY, 0.0);
    for ((u, &length), scale) in u.chunks_exact(n).zip(lengths).zip(scales) {
        let mut squared = 1e-30;
        for k in 0..n {
            squared += (u[k] + mu[k]) * (u[k] + mu[k]);
        }
        if length > 0.0 && squared < nearest_kink {
            nearest_kink = squared;
        }
        // Hessian of l |x|: l (1 − x xᵀ / |x|²) / |x|. Root and quotient do not wait for each other.
        let inverse = 1.0 / squared;
        *scale = squared.sqrt() * inverse;
        let weight = length * *scale;
        let outer = weight * inverse;
        sum += weight;
        for k in 0..n {
            let x = u[k] + mu[k];
            g[k] += weight * x;
            for j in 0..=k {
                h[k * n + j] -= outer * x * (u[j] + mu[j]);
            }
        }
    }
    for k in 0..n {
        h[k * n + k] += sum;
    }
    nearest_kink
}

/// The corner of a triangle over a base of length `base` from the origin along the first axis: `a` from the origin, `b` from
/// the base's end, on the positive side.
fn corner(a: f64, b: f64, base: f64) -> (f64, f64) {
    if base <= 0.0 {
        return (0.0, a);
    }
    // (a − b)(a + b) keeps the digits that a² − b² loses.
    let along = 0.5 * (base + (a - b) * (a + b) / base);
    (along, ((a - along) * (a + along)).max(0.0).sqrt())
}

fn longest(lengths: &[f64]) -> usize {
    let mut longest = 0;
    for (i, length) in lengths.iter().enumerate() {
        if *length > lengths[longest] {
            longest = i;
        }
    }
    longest
}

#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn make_unit(v: &mut [f64]) -> bool {
    let size = dot(v, v).sqrt();
    v.iter_mut().for_each(|x| *x /= size.max(f64::MIN_POSITIVE));
    size > 0.0
}

/// Leaves of `v` the unit part across `e`; false, and `v` unusable, when that part is no larger than `least`.
fn make_across(v: &mut [f64], e: &[f64], least: f64) -> bool {
    let along = dot(v, e);
    for (x, e) in v.iter_mut().zip(e) {
        *x -= along * e;
    }
    dot(v, v).sqrt() > least && make_unit(v)
}

/// The fixed rule for a direction across `e`: to the left in the plane; else from the coordinate axis in which `e` is
/// smallest (the first of several).
fn fixed_across<S: Space>(space: S, e: &[f64], across: &mut [f64]) {
    if space.n() == 2 {
        (across[0], across[1]) = (-e[1], e[0]);
        return;
    }
    let mut smallest = 0;
    for k in 1..space.n() {
        if e[k].abs() < e[smallest].abs() {
            smallest = k;
        }
    }
    across.fill(0.0);
    across[smallest] = 1.0;
    make_across(across, e, 0.0);
}

/// Rotates vectors by the shortest rotation from the unit vector `from` to the unit vector `to`, in any dimension.
///
/// The rotation is two reflections: `x − (f + t) (f + t)·x / (1 + f·t) + 2 t (f·x)`. Beyond a right angle it is done in two
/// turns by way of a direction between, or, exactly opposite, of [`fixed_across`].
fn rotate<S: Space>(space: S, vectors: &mut [f64], from: &[f64], to: &[f64], way: &mut [f64]) {
    let cosine = dot(from, to);
    if cosine >= -0.5 {
        rotate_less(space, vectors, from, to, cosine);
        return;
    }
    way.copy_from_slice(to);
    if !make_across(way, from, 1e-9) {
        fixed_across(space, from, way);
    }
    rotate_less(space, vectors, from, way, 0.0);
    rotate_less(space, vectors, way, to, dot(way, to));
}

#[inline]
fn rotate_less<S: Space>(space: S, vectors: &mut [f64], from: &[f64], to: &[f64], cosine: f64) {
    let scale = 1.0 / (1.0 + cosine);
    for x in vectors.chunks_exact_mut(space.n()) {
        let (f, t) = (dot(from, x), dot(to, x));
        let (a, b) = (scale * (f + t), 2.0 * f);
        for k in 0..space.n() {
            x[k] += b * to[k] - a * (from[k] + to[k]);
        }
    }
}

/// Solves `h x = b` for a symmetric positive definite `h` (lower triangle, overwritten by its Cholesky factor).
#[inline]
fn solve_spd<S: Space>(space: S, h: &mut [f64], b: &[f64], x: &mut [f64]) -> bool {
    let n = space.n();
    for i in 0..n {
        for j in 0..=i {
            let mut sum = h[i * n + j];
            for k in 0..j {
                sum -= h[i * n + k] * h[j * n + k];
            }
            if i == j {
                if sum.is_nan() || sum <= 0.0 {
                    return false;
                }
                h[i * n + i] = sum.sqrt();
            } else {
                h[i * n + j] = sum / h[j * n + j];
            }
        }
    }
    for i in 0..n {
        let known: f64 = (0..i).map(|k| h[i * n + k] * x[k]).sum();
        x[i] = (b[i] - known) / h[i * n + i];
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| h[k * n + i] * x[k]).sum();
        x[i] = (x[i] - known) / h[i * n + i];
    }
    true
}
