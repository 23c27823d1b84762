//! The picture of a pose: floor or graph paper, start, ghosts, bones, joints, limits, target, pole.

use posekit::glam::DVec3;

use super::limits::{draw_held, draw_ranges};
use super::svg::{Markup, Path, Tag, circle, line, root};
use super::view::{Screen, View};
use super::{Figure, JointMark, JointShape, PoleMark, PoseDrawing, Rod, TargetMark};

/// Margin around the figure \[px\]: limit arcs, the target's ring and the root's ground line stay inside.
pub(super) const MARGIN: f64 = 28.0;
/// At most this many ghosts are drawn; more would hide the result.
const MOST_GHOSTS: usize = 6;
/// Half width of a bone at its base: this fraction of its length, within bounds \[px\].
const BONE_SLIMNESS: f64 = 0.1;
/// Half width of a bone at its end, as a fraction of that at its base.
const BONE_TAPER: f64 = 0.55;
/// Below this half width \[px\] a bone is drawn in full colour with a hairline, a joint as a small disc.
const DENSE: f64 = 1.9;

/// A picture of one drawing as an `svg` element, for a page with the style sheet [`super::look::page_style`].
///
/// - `view`: from [`View::of`] this drawing, or of all drawings beside it
/// - `size`: width and height of the view box \[px\]
pub(super) fn picture(drawing: &PoseDrawing, view: &View, size: [f64; 2]) -> String {
    let mut out = Markup::new();
    out.open(&root(size, &drawing.title));
    draw_pose(&mut out, drawing, view, size);
    out.close();
    out.finish()
}

/// Draws into an open `svg` or group, from (0, 0) to `size`.
pub(super) fn draw_pose(out: &mut Markup, drawing: &PoseDrawing, view: &View, size: [f64; 2]) {
    let screen = view.fit(size, MARGIN * (size[0] / 320.0).clamp(0.8, 1.8));
    let shown = drawing.result.as_ref().or(drawing.start.as_ref());
    let pen = Pen::for_figure(shown, &screen);
    draw_grid(out, &screen);
    draw_shadows(out, drawing, shown, &screen, &pen);
    for plate in &drawing.plates {
        draw_plate(out, plate, "plate", &screen);
    }
    out.open(&Tag::new("g").class(drawing.look.class()));
    if let (Some(start), Some(_)) = (&drawing.start, &drawing.result) {
        draw_start(out, start, &screen, &pen);
    }
    draw_ghosts(out, drawing, &screen);
    if let Some(figure) = shown {
        draw_ranges(out, figure, &screen, &pen);
    }
    draw_trail(out, drawing, &screen, &pen);
    draw_gap(out, drawing, shown, &screen);
    if let Some(pole) = &drawing.pole {
        draw_pole(out, pole, &screen);
    }
    let is_result = drawing.result.is_some();
    draw_sights(out, drawing, shown, &screen);
    // A solid figure would hide the targets at its joints; slim bones leave them visible.
    let is_solid = shown.is_some_and(|figure| !figure.radii.is_empty());
    if !is_solid {
        draw_targets(out, drawing, &screen, &pen);
    }
    if let Some(figure) = shown {
        let ink = if is_result { Ink::RESULT } else { Ink::START };
        let (rods, obstacles, hulls) = (&drawing.rods, &drawing.obstacles, &drawing.hulls);
        draw_body(out, (figure, World { rods, obstacles, hulls }), &screen, &pen, ink);
        if let Some(root) = figure.root {
            draw_root(out, root, &screen, &pen);
        }
        draw_held(out, figure, &screen, &pen);
    }
    if is_solid {
        draw_targets(out, drawing, &screen, &pen);
    }
    for &tip in shown.into_iter().flat_map(|figure| &figure.tips) {
        draw_tip(out, tip, is_result, &screen, &pen);
    }
    out.close_line();
}

/// Sizes chosen for a figure \[px\].
#[derive(Debug, Clone, Copy)]
pub(super) struct Pen {
    /// Half width of an ordinary bone at its base.
    bone: f64,
    /// Radius of an ordinary joint.
    joint: f64,
    /// Radius of limit arcs.
    pub(super) arc: f64,
    /// Half size of target, tip, root and pole, relative to their usual one.
    mark: f64,
}

impl Pen {
    /// Sizes from the mean length of the figure's bones: the joints of a rope of a hundred bones are dots, those of an arm discs.
    fn for_figure(figure: Option<&Figure>, screen: &Screen<'_>) -> Self {
        if figure.is_some_and(|figure| !figure.radii.is_empty()) {
            return Self { bone: 5.0, joint: 2.4, arc: 14.0, mark: 0.74 };
        }
        let lengths: Vec<f64> = figure
            .map(|f| f.bones.iter().map(|bone| bone_pixels(bone, screen)).collect())
            .unwrap_or_default();
        let long: Vec<f64> = lengths.into_iter().filter(|l| l.is_finite() && *l > 0.0).collect();
        let mut mean = 60.0;
        let mut count = 0.0;
        for length in long {
            count += 1.0;
            mean += (length - mean) / count;
        }
        let bone = (BONE_SLIMNESS * mean).clamp(1.0, 7.0);
        Self {
            bone,
            joint: (0.55 * bone + 0.9).clamp(1.1, 4.6),
            arc: (0.4 * mean).clamp(9.0, 26.0),
            mark: (0.72 + 0.05 * bone).min(1.0),
        }
    }

    /// True when bones are so short that only dots and lines are distinguishable.
    pub(super) const fn is_dense(&self) -> bool {
        self.bone < DENSE
    }
}

/// Classes of a body.
#[derive(Debug, Clone, Copy)]
struct Ink {
    body: &'static str,
    dense: &'static str,
    shade: &'static str,
    joint: &'static str,
    pin: &'static str,
}

impl Ink {
    const RESULT: Self =
        Self { body: "body", dense: "solid", shade: "shade", joint: "joint", pin: "pin" };
    const START: Self = Self {
        body: "start-body",
        dense: "start-body",
        shade: "start-shade",
        joint: "start-joint",
        pin: "start-shade",
    };
}

/// Length of a bone without foreshortening \[px\].
fn bone_pixels(bone: &[DVec3; 2], screen: &Screen<'_>) -> f64 {
    bone[0].distance(bone[1]) * screen.scale
}

fn draw_grid(out: &mut Markup, screen: &Screen<'_>) {
    let mut path = Path::new();
    for [from, to] in screen.grid() {
        path = path.to(from).line(to);
    }
    out.leaf(&path.tag().class("grid"));
}

/// Contact shadows, and dotted plumb lines under the tip and the target, which show their heights.
fn draw_shadows(
    out: &mut Markup,
    drawing: &PoseDrawing,
    shown: Option<&Figure>,
    screen: &Screen<'_>,
    pen: &Pen,
) {
    if !screen.has_floor() {
        return;
    }
    if let Some(figure) = shown {
        let mut path = Path::new();
        for bone in figure.bones.iter().filter(|bone| is_drawable(bone)) {
            if let [Some(from), Some(to)] = bone.map(|end| screen.shadow(end)) {
                path = path.to(from).line(to);
            }
        }
        // One opacity for the whole group: overlapping shadows are no darker than one.
        out.open(&Tag::new("g").class("shadows"));
        out.leaf(&path.tag().class("shadow").num("stroke-width", (1.5 * pen.bone).max(2.0)));
        out.close_line();
    }
    // Many of them would be clutter.
    let [target] = &drawing.targets[..] else { return };
    let tips = shown.into_iter().flat_map(|figure| &figure.tips);
    let mut drawn: Option<DVec3> = None;
    for &point in core::iter::once(&target.at).chain(tips).filter(|p| p.is_finite()) {
        // A tip on the target needs no second line.
        if drawn.is_some_and(|other| other.distance(point) * screen.scale < 3.0) {
            continue;
        }
        drawn = Some(point);
        if let Some(foot) = screen.shadow(point) {
            out.leaf(&line(screen.at(point), foot).class("drop"));
            out.leaf(&circle(foot, 1.5).class("foot"));
        }
    }
}

fn is_drawable(bone: &[DVec3; 2]) -> bool {
    bone[0].is_finite() && bone[1].is_finite()
}

/// The start behind a result: dashed centre lines and small open joints.
fn draw_start(out: &mut Markup, figure: &Figure, screen: &Screen<'_>, pen: &Pen) {
    if !figure.radii.is_empty() {
        // Limbs with widths are drawn as a pale grey figure, which is clearer than their centre lines.
        let bare = Figure { joints: Vec::new(), ..figure.clone() };
        out.open(&Tag::new("g").class("before"));
        draw_body(out, (&bare, World::default()), screen, pen, Ink::START);
        out.close_line();
        return;
    }
    let path = centre_lines(&figure.bones, screen);
    out.leaf(
        &path
            .tag()
            .class("start")
            .num("stroke-width", if pen.is_dense() { 1.25 } else { 1.5 })
            .set("stroke-dasharray", "4 4"),
    );
    if !pen.is_dense() {
        for joint in figure.joints.iter().filter(|joint| joint.at.is_finite()) {
            out.leaf(&circle(screen.at(joint.at), 0.6 * pen.joint).class("start-joint"));
        }
    }
    for &tip in figure.tips.iter().filter(|tip| tip.is_finite()) {
        out.leaf(&circle(screen.at(tip), 2.5 * pen.mark).class("start-joint"));
    }
}

/// Bones as one path; a new piece begins only where a bone does not continue the previous one, so that dashes are continuous.
fn centre_lines(bones: &[[DVec3; 2]], screen: &Screen<'_>) -> Path {
    let mut path = Path::new();
    let mut end: Option<DVec3> = None;
    for bone in bones.iter().filter(|bone| is_drawable(bone)) {
        if end != Some(bone[0]) {
            path = path.to(screen.at(bone[0]));
        }
        path = path.line(screen.at(bone[1]));
        end = Some(bone[1]);
    }
    path
}

/// A few of the intermediate poses, denser at the beginning, where changes are largest; later ones are more opaque.
fn draw_ghosts(out: &mut Markup, drawing: &PoseDrawing, screen: &Screen<'_>) {
    let chosen = chosen_ghosts(drawing.ghosts.len());
    let mut rank = 0.0;
    for &index in &chosen {
        rank += 1.0;
        let Some(bones) = drawing.ghosts.get(index) else { continue };
        let age = rank / f64::from(u32::try_from(chosen.len()).unwrap_or(1));
        let tag = centre_lines(bones, screen)
            .tag()
            .class("ghost")
            .num("stroke-width", 1.25)
            .num("opacity", 0.22 + 0.38 * age);
        out.leaf(&match drawing.look.dash() {
            Some(dash) => tag.set("stroke-dasharray", dash),
            None => tag,
        });
    }
}

/// Indices of the ghosts to draw among `count`: 0, 1, 2, then ever wider apart.
fn chosen_ghosts(count: usize) -> Vec<usize> {
    if count <= MOST_GHOSTS {
        return (0..count).collect();
    }
    let mut chosen: Vec<usize> = Vec::new();
    let mut next = 0;
    while next < count && chosen.len() < MOST_GHOSTS {
        chosen.push(next);
        next = (next + 1).max(next * 2);
    }
    chosen
}

/// The path of the end effector.
fn draw_trail(out: &mut Markup, drawing: &PoseDrawing, screen: &Screen<'_>, pen: &Pen) {
    let finite = drawing.trail.iter().filter(|p| p.is_finite());
    let points: Vec<[f64; 2]> = finite.map(|&p| screen.at(p)).collect();
    if points.len() < 2 {
        return;
    }
    out.leaf(&Path::through(&points).tag().class("trail"));
    let mut last = [f64::NEG_INFINITY; 2];
    for &point in &points[1..points.len() - 1] {
        let apart = (point[0] - last[0]).abs().max((point[1] - last[1]).abs());
        if apart >= 4.0 {
            out.leaf(&circle(point, 1.6 * pen.mark).class("pin"));
            last = point;
        }
    }
}

/// The gap between tip and target.
fn draw_gap(out: &mut Markup, drawing: &PoseDrawing, shown: Option<&Figure>, screen: &Screen<'_>) {
    let (Some(figure), Some(_)) = (shown, &drawing.result) else { return };
    for (tip, target) in figure.tips.iter().zip(&drawing.targets) {
        let missing = tip.distance(target.at) * screen.scale;
        if !target.is_seen && missing.is_finite() && missing > 6.0 {
            out.leaf(&line(screen.at(*tip), screen.at(target.at)).class("gap"));
        }
    }
}

/// Lines of sight.
fn draw_sights(
    out: &mut Markup,
    drawing: &PoseDrawing,
    shown: Option<&Figure>,
    screen: &Screen<'_>,
) {
    let Some(figure) = shown else { return };
    let pairs = figure.tips.iter().zip(&drawing.targets);
    for (eye, target) in
        pairs.filter(|(eye, to)| to.is_seen && eye.is_finite() && to.at.is_finite())
    {
        out.leaf(&line(screen.at(*eye), screen.at(target.at)).class("sight"));
    }
}

/// A flat polygon.
fn draw_plate(out: &mut Markup, corners: &[DVec3], class: &str, screen: &Screen<'_>) {
    if corners.len() >= 3 && corners.iter().all(|corner| corner.is_finite()) {
        let corners: Vec<[f64; 2]> = corners.iter().map(|&corner| screen.at(corner)).collect();
        out.leaf(&Path::through(&corners).shut().tag().class(class));
    }
}

fn draw_targets(out: &mut Markup, drawing: &PoseDrawing, screen: &Screen<'_>, pen: &Pen) {
    for target in &drawing.targets {
        draw_target(out, target, screen, pen);
    }
}

fn draw_pole(out: &mut Markup, pole: &PoleMark, screen: &Screen<'_>) {
    if !pole.at.is_finite() {
        return;
    }
    let at = screen.at(pole.at);
    if pole.joint.is_finite() {
        out.leaf(&line(screen.at(pole.joint), at).class("thread"));
    }
    let [x, y] = at;
    let corners = [[x, y - 6.0], [x + 4.5, y], [x, y + 6.0], [x - 4.5, y]];
    out.leaf(&Path::through(&corners).shut().tag().class("pole"));
}

/// A ring with a cross, open in the middle for the tip.
fn draw_target(out: &mut Markup, target: &TargetMark, screen: &Screen<'_>, pen: &Pen) {
    if !target.at.is_finite() {
        return;
    }
    let at = screen.at(target.at);
    let ring = 9.0 * pen.mark;
    let mut cross = Path::new();
    for [x, y] in [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]] {
        let on = |radius: f64| [at[0] + x * radius, at[1] + y * radius];
        cross = cross.to(on(ring - 3.5)).line(on(ring + 4.0));
    }
    out.open(&Tag::new("g").class("target"));
    if let Some(rotation) = target.rotation.filter(|r| r.is_finite()) {
        // Three short axes; a dot marks the end of the third, along which tools point.
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let end = screen.at(target.at + rotation * axis * (26.0 * pen.mark / screen.scale));
            out.leaf(&line(at, end).set("stroke-width", "1"));
            if axis == DVec3::Z {
                out.leaf(&circle(end, 1.5));
            }
        }
    }
    if let Some(direction) = target.direction.and_then(DVec3::try_normalize) {
        draw_arrow(out, target.at, direction * (22.0 * pen.mark / screen.scale), screen);
    }
    out.leaf(&circle(at, ring));
    out.leaf(&cross.tag());
    out.close_line();
}

/// An arrow from a point.
fn draw_arrow(out: &mut Markup, from: DVec3, by: DVec3, screen: &Screen<'_>) {
    let (start, end) = (screen.at(from), screen.at(from + by));
    let (x, y) = (end[0] - start[0], end[1] - start[1]);
    let length = (x * x + y * y).sqrt();
    out.leaf(&line(start, end).set("stroke-width", "1.25"));
    // Seen end-on, an arrow is a point.
    if length > 6.0 {
        let (u, v) = (x / length, y / length);
        let wing =
            |side: f64| [end[0] - 5.0 * u + 3.0 * side * v, end[1] - 5.0 * v - 3.0 * side * u];
        let head = Path::through(&[wing(1.0), end, wing(-1.0)]);
        out.leaf(&head.tag().set("stroke-width", "1.25"));
    }
}

/// A square on a short ground line.
fn draw_root(out: &mut Markup, at: DVec3, screen: &Screen<'_>, pen: &Pen) {
    if !at.is_finite() {
        return;
    }
    let [x, y] = screen.at(at);
    let half = (1.15 * pen.joint).clamp(3.2, 5.5);
    let foot = y + half + 0.75;
    out.leaf(&line([x - 2.6 * half, foot], [x + 2.6 * half, foot]).class("ground"));
    out.leaf(
        &Tag::new("rect")
            .pair(["x", "y"], [x - half, y - half])
            .pair(["width", "height"], [2.0 * half, 2.0 * half])
            .class("root"),
    );
}

/// The end effector: a small filled ring.
fn draw_tip(out: &mut Markup, at: DVec3, is_result: bool, screen: &Screen<'_>, pen: &Pen) {
    if !at.is_finite() {
        return;
    }
    let at = screen.at(at);
    let (ring, dot) = if is_result { ("tip", "pin") } else { ("start-joint", "start-shade") };
    out.leaf(&circle(at, 4.2 * pen.mark).class(ring));
    out.leaf(&circle(at, 1.7 * pen.mark).class(dot));
}

/// Other things, drawn in depth order with the bones.
#[derive(Debug, Clone, Copy, Default)]
struct World<'a> {
    rods: &'a [Rod],
    obstacles: &'a [Rod],
    hulls: &'a [Rod],
}

/// Bones, joints and the other things, far ones first.
fn draw_body(
    out: &mut Markup,
    (figure, world): (&Figure, World<'_>),
    screen: &Screen<'_>,
    pen: &Pen,
    ink: Ink,
) {
    enum Piece<'a> {
        Bone(&'a [DVec3; 2], Option<[f64; 2]>),
        Joint(&'a JointMark),
        Plate(&'a [DVec3]),
        Rod(&'a Rod),
        Hull(&'a Rod),
    }
    let mut pieces: Vec<(f64, Piece<'_>)> = Vec::new();
    let middle = |[from, to]: &[DVec3; 2]| f64::midpoint(screen.depth(*from), screen.depth(*to));
    // In the plane nothing has a depth: what must not hide the figure comes first.
    for rod in world.obstacles.iter().filter(|rod| is_drawable(&rod.ends)) {
        pieces.push((middle(&rod.ends), Piece::Rod(rod)));
    }
    for hull in world.hulls.iter().filter(|hull| is_drawable(&hull.ends)) {
        pieces.push((middle(&hull.ends), Piece::Hull(hull)));
    }
    for (index, bone) in figure.bones.iter().enumerate() {
        if is_drawable(bone) && bone[0] != bone[1] {
            pieces.push((middle(bone), Piece::Bone(bone, figure.radii.get(index).copied())));
        }
    }
    for plate in &figure.plates {
        let depths = plate.iter().map(|&corner| screen.depth(corner));
        pieces.push((depths.fold(f64::NEG_INFINITY, f64::max), Piece::Plate(plate)));
    }
    for rod in world.rods.iter().filter(|rod| is_drawable(&rod.ends)) {
        pieces.push((middle(&rod.ends), Piece::Rod(rod)));
    }
    for joint in figure.joints.iter().filter(|joint| joint.at.is_finite()) {
        // A joint is drawn over the bones that meet in it, whatever their directions.
        let meets = |bone: &&[DVec3; 2]| bone[0] == joint.at || bone[1] == joint.at;
        let bones = figure.bones.iter().filter(|bone| is_drawable(bone)).filter(meets);
        let depths = bones.map(|b| f64::midpoint(screen.depth(b[0]), screen.depth(b[1])));
        pieces.push((depths.fold(screen.depth(joint.at), f64::max), Piece::Joint(joint)));
    }
    if screen.has_floor() {
        // Stable: among equals bones stay before joints and parents before children.
        pieces.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    for (_, piece) in &pieces {
        match piece {
            Piece::Bone(bone, radii) => draw_bone(out, (bone, *radii), screen, pen, ink),
            Piece::Plate(corners) => draw_plate(out, corners, ink.body, screen),
            Piece::Rod(rod) => draw_rod(out, rod, screen),
            Piece::Hull(hull) => draw_hull(out, hull, screen),
            Piece::Joint(joint) => draw_joint(out, joint, screen, pen, ink),
        }
    }
}

/// A tapered body with round ends; a larger one has a shaded lower half.
fn draw_bone(
    out: &mut Markup,
    (bone, radii): (&[DVec3; 2], Option<[f64; 2]>),
    screen: &Screen<'_>,
    pen: &Pen,
    ink: Ink,
) {
    let slim = pen.bone.min((0.3 * bone_pixels(bone, screen)).max(0.8));
    let [base, tip] = match radii {
        Some(radii) => radii.map(|radius| (radius * screen.scale).max(0.8)),
        None => [slim, slim * BONE_TAPER],
    };
    let body = Taper { from: screen.at(bone[0]), to: screen.at(bone[1]), base, tip };
    let (class, stroke) = if pen.is_dense() { (ink.dense, 0.6) } else { (ink.body, 1.25) };
    out.leaf(&body.outline().tag().class(class).num("stroke-width", stroke));
    if let (false, Some(lower)) = (pen.is_dense(), body.lower_half()) {
        out.leaf(&lower.tag().class(ink.shade));
    }
}

/// Two discs and their outer tangents, on the screen.
struct Taper {
    from: [f64; 2],
    to: [f64; 2],
    base: f64,
    tip: f64,
}

impl Taper {
    /// Direction, and cosine and sine of the angle between it and the tangents; `None` when one disc is inside the other.
    fn frame(&self) -> Option<([f64; 2], f64, f64)> {
        let (x, y) = (self.to[0] - self.from[0], self.to[1] - self.from[1]);
        let length = (x * x + y * y).sqrt();
        let cos = (self.base - self.tip) / length;
        if !(length > 0.0 && cos.abs() < 1.0) {
            return None;
        }
        Some(([x / length, y / length], cos, (1.0 - cos * cos).sqrt()))
    }

    /// The tangent point of a disc on one side: `side` is 1 clockwise from the direction on the screen, -1 counter-clockwise, 0 on the
    /// line itself.
    fn touch(&self, at: [f64; 2], radius: f64, along: f64, across: f64) -> Option<[f64; 2]> {
        let ([x, y], ..) = self.frame()?;
        Some([at[0] + radius * (along * x - across * y), at[1] + radius * (along * y + across * x)])
    }

    fn outline(&self) -> Path {
        let tip = self.tip;
        let whole = || {
            // One disc is inside the other.
            let ([x, y], r) =
                if self.base >= tip { (self.from, self.base) } else { (self.to, tip) };
            Path::new()
                .to([x - r, y])
                .arc(r, false, true, [x + r, y])
                .arc(r, false, true, [x - r, y])
                .shut()
        };
        let Some((_, cos, sin)) = self.frame() else { return whole() };
        let corners = [
            self.touch(self.from, self.base, cos, sin),
            self.touch(self.to, tip, cos, sin),
            self.touch(self.to, tip, cos, -sin),
            self.touch(self.from, self.base, cos, -sin),
        ];
        let [Some(a), Some(b), Some(c), Some(d)] = corners else { return whole() };
        // The wider end shows more than half of its disc.
        let is_wide_at_tip = tip > self.base;
        Path::new()
            .to(a)
            .line(b)
            .arc(tip, is_wide_at_tip, false, c)
            .line(d)
            .arc(self.base, !is_wide_at_tip, false, a)
            .shut()
    }

    /// The half that is lower on the screen.
    fn lower_half(&self) -> Option<Path> {
        let tip = self.tip;
        let ([x, _], cos, sin) = self.frame()?;
        // With y downwards, the clockwise side is the lower one for a bone that runs to the right.
        let side = if x >= 0.0 { 1.0 } else { -1.0 };
        let clockwise = side < 0.0;
        Some(
            Path::new()
                .to(self.touch(self.from, self.base, -1.0, 0.0)?)
                .arc(
                    self.base,
                    false,
                    clockwise,
                    self.touch(self.from, self.base, cos, side * sin)?,
                )
                .line(self.touch(self.to, tip, cos, side * sin)?)
                .arc(tip, false, clockwise, self.touch(self.to, tip, 1.0, 0.0)?)
                .shut(),
        )
    }
}

/// A rod of the world, in the colour of the ground line, because it is not part of the figure.
fn draw_rod(out: &mut Markup, rod: &Rod, screen: &Screen<'_>) {
    let width = (2.0 * rod.radius * screen.scale).max(1.5);
    let [from, to] = rod.ends.map(|end| screen.at(end));
    out.leaf(&line(from, to).class("rod-edge").num("stroke-width", width + 1.5));
    out.leaf(&line(from, to).class("rod-body").num("stroke-width", (width - 1.0).max(0.75)));
}

/// The capsule of a bone: an outline that hides nothing.
fn draw_hull(out: &mut Markup, hull: &Rod, screen: &Screen<'_>) {
    let radius = (hull.radius * screen.scale).max(0.8);
    let [from, to] = hull.ends.map(|end| screen.at(end));
    let body = Taper { from, to, base: radius, tip: radius };
    out.leaf(&body.outline().tag().class("plate"));
}

fn draw_joint(out: &mut Markup, joint: &JointMark, screen: &Screen<'_>, pen: &Pen, ink: Ink) {
    let at = screen.at(joint.at);
    if pen.is_dense() {
        out.leaf(&circle(at, pen.joint).class(ink.joint).num("stroke-width", 0.6));
        return;
    }
    match joint.shape {
        JointShape::Hinge { axis } => draw_hinge(out, joint.at, axis, screen, pen, ink),
        JointShape::Prismatic { axis } => draw_rail(out, joint.at, axis, screen, pen, ink),
        JointShape::Fixed => out.leaf(&circle(at, 0.5 * pen.joint).class(ink.pin)),
        JointShape::Ball => {
            out.leaf(&circle(at, pen.joint).class(ink.joint).num("stroke-width", 1.25));
            out.leaf(&circle(at, 0.5 * pen.joint).class(ink.joint).num("stroke-width", 0.75));
        }
        JointShape::Plain => {
            out.leaf(&circle(at, pen.joint).class(ink.joint).num("stroke-width", 1.25));
        }
    }
}

/// A disc with its axis as a short rod; seen along the axis the rod is a point in the disc.
fn draw_hinge(out: &mut Markup, at: DVec3, axis: DVec3, screen: &Screen<'_>, pen: &Pen, ink: Ink) {
    let half = (2.0 * pen.joint + 2.0) / screen.scale;
    let rod = axis.try_normalize().unwrap_or(DVec3::ZERO) * half;
    let middle = screen.at(at);
    out.leaf(&line(screen.at(at - rod), screen.at(at + rod)).class("rod"));
    out.leaf(&circle(middle, pen.joint).class(ink.joint).num("stroke-width", 1.25));
    out.leaf(&circle(middle, (0.32 * pen.joint).max(0.8)).class(ink.pin));
}

/// Two parallel lines along the direction of sliding, and a square carriage.
fn draw_rail(out: &mut Markup, at: DVec3, axis: DVec3, screen: &Screen<'_>, pen: &Pen, ink: Ink) {
    let [x, y] = screen.at(at);
    let end = screen.at(at + axis.try_normalize().unwrap_or(DVec3::ZERO) / screen.scale);
    let (u, v) = (end[0] - x, end[1] - y);
    let (long, wide) = (3.6 * pen.joint, pen.joint);
    for side in [-wide, wide] {
        let (sx, sy) = (x - v * side, y + u * side);
        let from = [sx - u * long, sy - v * long];
        out.leaf(&line(from, [sx + u * long, sy + v * long]).class("rail"));
    }
    let half = 0.85 * pen.joint;
    out.leaf(
        &Tag::new("rect")
            .pair(["x", "y"], [x - half, y - half])
            .pair(["width", "height"], [2.0 * half, 2.0 * half])
            .class(ink.joint)
            .num("stroke-width", 1.25),
    );
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{arm, limb, rope};
    use super::super::{LimitMark, SolverLook, Space};
    use super::*;

    fn drawn(drawing: &PoseDrawing) -> String {
        picture(drawing, &View::of(&[drawing]), [320.0, 260.0])
    }

    #[test]
    fn the_same_pose_gives_the_same_picture() {
        for drawing in
            [limb(SolverLook::Ccd), arm(SolverLook::Fabrik), rope(SolverLook::Relaxation)]
        {
            assert_eq!(drawn(&drawing), drawn(&drawing), "{}", drawing.title);
        }
    }

    #[test]
    fn a_picture_names_its_solver_and_holds_every_part() {
        let text = drawn(&limb(SolverLook::Ccd));
        for part in
            ["s-ccd", "class=\"target\"", "class=\"root\"", "class=\"tip\"", "class=\"grid\""]
        {
            assert!(text.contains(part), "{part} is drawn");
        }
        let space = drawn(&arm(SolverLook::Ccd));
        assert!(space.contains("class=\"shadow\""), "space has shadows");
        assert!(space.contains("class=\"held\""), "a joint at its limit has a solid arc");
        assert!(!text.contains("class=\"shadow\""), "the plane has none");
    }

    #[test]
    fn obstacles_and_hulls_are_drawn_and_fit() {
        let mut drawing = limb(SolverLook::LeastSquares);
        let bare = drawn(&drawing);
        assert!(!bare.contains("rod-edge") && !bare.contains("plate"), "nothing to keep out of");
        let ball = |x: f64, radius| Rod { ends: [DVec3::X * x; 2], radius };
        drawing.obstacles = vec![ball(-0.3, 0.2)];
        drawing.hulls = vec![ball(0.2, 0.1)];
        let text = drawn(&drawing);
        assert_eq!(text.matches("class=\"rod-edge\"").count(), 1, "the obstacle");
        assert_eq!(text.matches("class=\"plate\"").count(), 1, "the hull");
        let size = [320.0, 260.0];
        let wide = View::of(&[&drawing]);
        let [left, _] = wide.fit(size, MARGIN).at(DVec3::X * -0.5);
        assert!(left >= MARGIN - 1e-9, "the obstacle is whole: {left}");
        // A floor that is a ball of a kilometre leaves a third of the picture to the figure.
        drawing.obstacles = vec![ball(1e3, 999.0)];
        let scale = |drawing: &PoseDrawing| View::of(&[drawing]).fit(size, MARGIN).scale;
        let alone = scale(&limb(SolverLook::LeastSquares));
        assert!(scale(&drawing) > alone / 4.0, "{} of {alone}", scale(&drawing));
    }

    #[test]
    fn odd_poses_give_readable_pictures() {
        let point = DVec3::new(2.0, -1.0, 0.5);
        let poses = [
            vec![],
            vec![point],
            vec![point; 5],
            vec![DVec3::ZERO, DVec3::X],
            vec![DVec3::ZERO, DVec3::splat(1e-300)],
            vec![DVec3::ZERO, DVec3::splat(1e300), DVec3::splat(-1e300)],
            vec![DVec3::NAN, DVec3::X, DVec3::INFINITY],
        ];
        for space in [Space::Plane, Space::Up(DVec3::Z), Space::Up(DVec3::ZERO)] {
            for points in &poses {
                let mut drawing = PoseDrawing::new("odd", space, "m", SolverLook::Ccd);
                drawing.start = Some(Figure::from_points(points));
                let mut figure = Figure::from_points(points);
                for joint in &mut figure.joints {
                    joint.shape = JointShape::Hinge { axis: DVec3::ZERO };
                    joint.at_limit = true;
                    joint.limit = Some(LimitMark::Cone { axis: DVec3::ZERO, swing: f64::NAN });
                }
                drawing.result = Some(figure);
                drawing.trail.clone_from(points);
                drawing.targets = vec![TargetMark::point(DVec3::NAN)];
                let text = drawn(&drawing);
                assert!(!text.contains("NaN") && !text.contains("inf"), "{space:?} {points:?}");
                assert!(text.len() < 60_000, "{space:?} {points:?} stays small");
            }
        }
    }

    #[test]
    fn titles_are_text() {
        let mut drawing = limb(SolverLook::Ccd);
        drawing.title = "\"><script>alert(1)</script>".to_owned();
        assert!(!drawn(&drawing).contains("<script"), "no markup from names");
    }

    #[test]
    fn ghosts_are_few_and_early() {
        assert_eq!(chosen_ghosts(3), [0, 1, 2]);
        assert_eq!(chosen_ghosts(100), [0, 1, 2, 4, 8, 16]);
    }
}
