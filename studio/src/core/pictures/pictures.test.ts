import { describe, expect, test } from "vitest";
import type { PoseData, ProblemInfo, ShownRun } from "../types.ts";
import { Composer, type Scene } from "./compose.ts";
import { Drawing, Pen, Rows, STROKE } from "./drawing.ts";
import { NO_FURNITURE } from "./furniture.ts";
import { angleTowards, arcPoints, atEnd, limitOf, rimPoints, type RangeMark } from "./limits.ts";
import { INKS, Ink, lookOf, mix, palette, PALETTE_SIZE, SOLVERS, solverInk } from "./look.ts";
import { Projection } from "./projection.ts";
import { evaluate, shapeOf } from "./shape.ts";
import { escape, lengthWords, number, svgOf, taper, type SvgOptions } from "./svg.ts";
import type { Vec3 } from "../files.ts";
import { aboutAxis, dot, length, multiply, rotate, sub } from "../math.ts";
import { distance, turned, twistAbout } from "./vec.ts";

/** A chain of two hinges about z in the plane, with bones of length 1 and 0.5, at two angles. */
function planeInfo(a: number, b: number): ProblemInfo {
  return {
    kind: "plane", dimension: 2, nJoints: 2, nValues: 2, names: ["joint 1", "joint 2"], kinds: ["revolute", "revolute"],
    parents: Int32Array.of(-1, 0), valueOffsets: Uint32Array.of(0, 1), axes: Float64Array.of(0, 0, 1, 0, 0, 1),
    rest: Float64Array.of(0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1),
    limits: [{ kind: "none" }, { kind: "range", min: -0.5, max: 1.25 }],
    methods: ["ccd"], warnings: [], reach: 1.5, start: planePose(a, b),
    tasks: [{
      index: 0, task: "position", name: "tip", level: 1, weight: 1, position: [0.5, 1, 0], orientation: null, direction: null,
      frames: [{ joint: 1, pose: Float64Array.of(0.5, 0, 0, 0, 0, 0, 1) }],
    }],
  } as unknown as ProblemInfo;
}

function planePose(a: number, b: number): PoseData {
  const elbow: Vec3 = [Math.cos(a), Math.sin(a), 0];
  const tip: Vec3 = [elbow[0] + 0.5 * Math.cos(a + b), elbow[1] + 0.5 * Math.sin(a + b), 0];
  return {
    q: Float64Array.of(a, b),
    poses: Float64Array.of(0, 0, 0, ...aboutAxis([0, 0, 1], a), ...elbow, ...aboutAxis([0, 0, 1], a + b)),
    points: Float64Array.of(0, 0, 0, ...elbow, ...tip),
  };
}

function shownAt(a: number, b: number, index = 0): ShownRun {
  return {
    ...planePose(a, b), id: String(index), index, method: index === 0 ? "ccd" : "fabrik", visible: true, error: 0, iteration: 0,
    status: "reached", blocked: [], phase: null, joint: null, before: null,
  };
}

function sceneOf(info: ProblemInfo, shown: ShownRun[], change: Partial<Scene> = {}): Scene {
  return {
    shape: shapeOf(info, NO_FURNITURE), shown, main: null, handles: [], selection: null, hovered: null, showLimits: true, showTrace: true,
    isStepping: false, pixel: 0.005, up: [0, 1, 0], isPlane: true, level: 0, hasMesh: false, arm: null, isSmall: false, ...change,
  };
}

/** Straight down on the plane, 100 px for a metre, the origin in the middle of 400 x 300. */
function flatProjection(): Projection {
  const projection = new Projection();
  projection.width = 400;
  projection.height = 300;
  projection.scale = 100;
  projection.matrix.set([0.5, 0, 0, 0, 0, 2 / 3, 0, 0, 0, 0, -0.01, 0, 0, 0, 0, 1]);
  return projection;
}

const OPTIONS: SvgOptions = {
  palette: palette("light"), title: "two <bones>", gridStep: 0.5, isPlane: true, first: [1, 0, 0], second: [0, 1, 0], up: [0, 1, 0],
  level: 0, size: 1.5, center: [0, 0, 0],
};

describe("vectors", () => {
  test("quaternions turn as Rodrigues' formula does", () => {
    const axis: Vec3 = [2 / 3, -1 / 3, 2 / 3];
    const v: Vec3 = [0.3, 1.2, -0.7];
    expect(distance(rotate(aboutAxis(axis, 1.1), v), turned(v, axis, 1.1))).toBeLessThan(1e-14);
    const twice = multiply(aboutAxis(axis, 0.4), aboutAxis(axis, 0.7));
    expect(distance(rotate(twice, v), turned(v, axis, 1.1))).toBeLessThan(1e-14);
  });

  test("a twist is found beside a swing, on either sign of the quaternion", () => {
    const turn = multiply(aboutAxis([1, 0, 0], 0.6), aboutAxis([0, 0, 1], -2.5));
    expect(twistAbout(turn, [0, 0, 1])).toBeCloseTo(-2.5, 12);
    expect(twistAbout(turn.map((x) => -x) as typeof turn, [0, 0, 1])).toBeCloseTo(-2.5, 12);
  });
});

describe("limits", () => {
  test("arcs begin and end at their angles, on their radius", () => {
    const points = arcPoints([1, 1, 1], [0, 0, 1], [1, 0, 0], 0.2, 2.2, 3);
    const at = (i: number): Vec3 => [points[3 * i] as number, points[3 * i + 1] as number, points[3 * i + 2] as number];
    const last = points.length / 3 - 1;
    expect(distance(at(0), [1 + 3 * Math.cos(0.2), 1 + 3 * Math.sin(0.2), 1])).toBeLessThan(1e-14);
    expect(distance(at(last), [1 + 3 * Math.cos(2.2), 1 + 3 * Math.sin(2.2), 1])).toBeLessThan(1e-14);
    for (let i = 0; i <= last; i++) expect(distance(at(i), [1, 1, 1])).toBeCloseTo(3, 12);
  });

  test("rims stand about their axis at the angle of the swing, also beyond a right angle", () => {
    for (const swing of [0.4, 2.2]) {
      const points = rimPoints([0, 0, 0], [0, 1, 0], swing, 2);
      for (let i = 0; i < points.length; i += 3) expect((points[i + 1] as number) / 2).toBeCloseTo(Math.cos(swing), 12);
    }
  });

  test("a hinge's arc starts where its bone points at the least angle, whatever the pose", () => {
    const info = planeInfo(0.7, 1.1);
    const shape = shapeOf(info);
    for (const [a, b] of [[0.7, 1.1], [-2, -0.3]] as const) {
      const pose = planePose(a, b);
      const mark = limitOf(shape, pose, evaluate(shape, pose, new Float64Array(9)), 1) as RangeMark;
      const arm = turned(mark.arm, mark.axis, mark.min);
      expect(distance(arm, [Math.cos(a - 0.5), Math.sin(a - 0.5), 0])).toBeLessThan(1e-12);
      expect(mark.value).toBe(b);
    }
    expect(limitOf(shape, info.start, new Float64Array(9), 0)).toBeNull();
  });

  test("a dragged end never jumps by a turn", () => {
    const mark: RangeMark = { kind: "range", at: [0, 0, 0], axis: [0, 0, 1], arm: [1, 0, 0], min: -1, max: 3, value: 0 };
    const place: Vec3 = [Math.cos(3.3), Math.sin(3.3), 0];
    expect(angleTowards(mark, place, 3.1)).toBeCloseTo(3.3, 12);
    expect(angleTowards(mark, place, -3)).toBeCloseTo(3.3 - 2 * Math.PI, 12);
  });

  test("a joint stands at the end that it touches", () => {
    expect([atEnd(1, 0, 1, 1e-3), atEnd(0.0005, 0, 1, 1e-3), atEnd(0.5, 0, 1, 1e-3)]).toEqual([1, -1, 0]);
  });

  test("a cone lies about its axis in the parent's frame, and its bone swings", () => {
    const turn = multiply(aboutAxis([0, 1, 0], 0.5), aboutAxis([0, 0, 1], 0.3));
    const info = {
      ...planeInfo(0, 0), kind: "space", dimension: 3, nJoints: 1, kinds: ["ball"], limits: [{ kind: "cone", axis: [0, 0, 2], swing: 0.9, twist: [-1, 1] }],
      parents: Int32Array.of(-1), rest: Float64Array.of(0, 0, 1, 0, 0, 0, 1),
    } as unknown as ProblemInfo;
    const pose: PoseData = { q: Float64Array.of(...turn), poses: Float64Array.of(0, 0, 1, ...turn), points: Float64Array.of(0, 0, 1, 0, 0, 2) };
    const mark = limitOf(shapeOf({ ...info, start: pose }), pose, pose.points, 0);
    if (mark?.kind !== "cone") throw new Error("a ball with a cone has one");
    expect(mark.axis).toEqual([0, 0, 1]);
    expect(Math.acos(dot(mark.axis, mark.bone))).toBeCloseTo(0.5, 12);
    expect(mark.twist).toBeCloseTo(0.3, 12);
    // The needle at the twist points where the frame's own arm has gone.
    expect(Math.abs(dot(mark.arm, mark.bone))).toBeLessThan(1e-12);
  });
});

describe("shapes", () => {
  test("a chain's spots are its points; its bones taper", () => {
    const shape = shapeOf(planeInfo(0.7, 1.1));
    expect([shape.nSpots, shape.bones.length, shape.tips[0]]).toEqual([3, 2, 2]);
    for (const bone of shape.bones) expect(bone.radii[0]).toBeGreaterThan(bone.radii[1]);
  });

  test("a figure's trunk is thicker than what hangs on it, and a free root has no ground", () => {
    const names = ["hips", "chest", "left", "right"];
    const rest = [[0, 0, 1], [0, 0, 0.5], [0.3, 0, 0], [-0.3, 0, 0]].flatMap((p) => [...p, 0, 0, 0, 1]);
    const places = [[0, 0, 1], [0, 0, 1.5], [0.3, 0, 1.5], [-0.3, 0, 1.5]].flatMap((p) => [...p, 0, 0, 0, 1]);
    const info = {
      ...planeInfo(0, 0), kind: "figure", dimension: 3, nJoints: 4, names, kinds: ["free", "ball", "ball", "ball"],
      parents: Int32Array.of(-1, 0, 1, 1), rest: Float64Array.from(rest), limits: names.map(() => ({ kind: "none" })), reach: 1,
      start: { q: new Float64Array(19), poses: Float64Array.from(places), points: new Float64Array(12) },
      tasks: [{ index: 0, task: "position", name: "left", level: 1, weight: 1, position: [0, 0, 0], orientation: null, direction: null,
        frames: [{ joint: 2, pose: Float64Array.of(0.4, 0, 0, 0, 0, 0, 1) }] }],
    } as unknown as ProblemInfo;
    const shape = shapeOf(info);
    const bone = (from: number, to: number) => shape.bones.find((one) => one.from === from && one.to === to);
    expect(bone(0, 1)?.radii[0]).toBeGreaterThan(bone(1, 3)?.radii[0] ?? Infinity);
    expect(bone(2, shape.tips[0] ?? -1)).toBeDefined();
    expect(shape.roots).toEqual([]);
    const spots = evaluate(shape, info.start, new Float64Array(3 * shape.nSpots));
    expect([...spots.slice(12, 15)].map((x) => Number(x.toFixed(12)))).toEqual([0.7, 0, 1.5]);
  });
});

describe("drawings", () => {
  test("rows grow and keep what they have", () => {
    const rows = new Rows(2, 1);
    for (let i = 0; i < 100; i++) {
      const at = rows.take(1);
      rows.data[at] = i;
      rows.data[at + 1] = -i;
    }
    expect([rows.count, rows.data[0], rows.data[198], rows.data[199]]).toEqual([100, 0, 99, -99]);
    const kept = rows.data;
    rows.clear();
    rows.take(50);
    expect(rows.data).toBe(kept);
  });

  test("dashes run on over the corners of a line and begin anew after a gap", () => {
    const rows = new Rows(STROKE, 4);
    new Pen().begin(rows, Ink.ink, 1).to(0, 0, 0).to(3, 0, 0).to(3, 4, 0).up().to(0, 0, 0).to(1, 0, 0);
    expect([0, 1, 2].map((i) => rows.data[i * STROKE + 6])).toEqual([0, 3, 0]);
  });

  test("composing twice allocates no rows and gives the same", () => {
    const info = planeInfo(0.7, 1.1);
    const scene = sceneOf(info, [shownAt(0.9, 0.4), shownAt(0.2, 1, 1)]);
    const drawing = new Drawing();
    const composer = new Composer();
    composer.compose(drawing, scene);
    const { data, count } = drawing.bodies;
    const first = data.slice(0, count * drawing.bodies.stride);
    composer.compose(drawing, scene);
    expect(drawing.bodies.data).toBe(data);
    expect(drawing.bodies.data.slice(0, drawing.bodies.count * drawing.bodies.stride)).toEqual(first);
    // The other run is a dashed line of two pieces in its own colour.
    const ghost = solverInk(lookOf("fabrik")) + 1;
    const inks = Array.from({ length: drawing.strokes.count }, (_, i) => drawing.strokes.data[i * STROKE + 7]);
    expect(inks.filter((ink) => ink === ghost)).toHaveLength(2);
  });

  test("the move of a joint is an arc from where the tip was to where it is", () => {
    const main: ShownRun = { ...shownAt(0.9, 0.4), phase: "joint", joint: 0, before: planePose(0.3, 0.4) };
    const drawing = new Drawing();
    new Composer().compose(drawing, sceneOf(planeInfo(0.3, 0.4), [main], { isStepping: true, showLimits: false }));
    const ends = new Set<string>();
    const d = drawing.lines.data;
    for (let i = 0; i < drawing.lines.count * STROKE; i += STROKE) {
      for (const k of [0, 3]) ends.add([0, 1].map((j) => (d[i + k + j] as number).toFixed(4)).join());
    }
    for (const pose of [planePose(0.3, 0.4), planePose(0.9, 0.4)]) {
      expect(ends).toContain([pose.points[6], pose.points[7]].map((x) => (x ?? 0).toFixed(4)).join());
    }
  });

  test("a bone that is folded back lies over the one before it as a whole, with its joint over both", () => {
    const drawing = new Drawing();
    const { shape } = sceneOf(planeInfo(0, 0), []);
    new Composer().compose(drawing, sceneOf(planeInfo(0, 0), [shownAt(0, Math.PI)], { showLimits: false }));
    const body = (index: number) => Array.from(drawing.bodies.data.slice(index * drawing.bodies.stride, index * drawing.bodies.stride + 8));
    const [lower, upper, , joint] = [body(0), body(1), body(2), body(3)] as [number[], number[], number[], number[]];
    expect([upper[0], upper[3]].map((x) => Math.round(10 * (x ?? 0)) / 10)).toEqual([1, 0.5]);
    // What is seen of it from above begins at the height of its axis.
    expect(upper[2]).toBeGreaterThanOrEqual((lower[2] ?? 0) + Math.max(...shape.bones.flatMap(({ radii }) => radii)));
    expect((joint[2] ?? 0) + (joint[6] ?? 0)).toBeGreaterThan((upper[2] ?? 0) + (upper[6] ?? 0));
  });
});

describe("the look", () => {
  test("every solver has its own colour or dash, and its own marker", () => {
    expect(new Set(SOLVERS.map((look) => look.marker)).size).toBe(SOLVERS.length);
    expect(new Set(SOLVERS.map((look) => `${look.fill[0]}${look.dash.join()}`)).size).toBe(SOLVERS.length);
    expect(lookOf("auto").name).toBe("other");
  });

  test("palettes take the page's tokens where they are colours", () => {
    const set = palette("dark", (name) => (name === "target" ? " #123456 " : name === "ink" ? "red" : ""));
    expect(set.colours[Ink.target]).toBe("#123456");
    expect(set.colours[Ink.ink]).toBe("#E8E8E3");
    expect(set.colours).toHaveLength(PALETTE_SIZE);
    expect(INKS[Ink.shade]).toBe("shade");
    expect(mix("#000000", "#FFFFFF", 0.5)).toBe("#808080");
  });

  test("lines of meaning stand out from their ground by 3 to 1", () => {
    const light = (colour: string) => {
      const channel = (i: number) => {
        const c = Number.parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16) / 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
      };
      return 0.2126 * channel(0) + 0.7152 * channel(1) + 0.0722 * channel(2);
    };
    for (const theme of ["light", "dark"] as const) {
      const { colours } = palette(theme);
      const ground = light(colours[Ink.paper] as string);
      const inks = [Ink.ink, Ink.quiet, Ink.start, Ink.target, ...SOLVERS.map((look) => solverInk(look) + 1)];
      for (const ink of inks) {
        const value = light(colours[ink] as string);
        const contrast = (Math.max(value, ground) + 0.05) / (Math.min(value, ground) + 0.05);
        expect(contrast, `${theme} ${String(ink)}`).toBeGreaterThanOrEqual(3);
      }
    }
  });
});

describe("SVG", () => {
  test("numbers are short and always finite", () => {
    expect([1.005, -0.001, NaN, Infinity, 1e9, 12.5].map(number)).toEqual(["1", "0", "0", "0", "100000", "12.5"]);
    expect([2, 0.25, 0.004].map(lengthWords)).toEqual(["2 m", "25 cm", "4 mm"]);
  });

  test("texts cannot become markup", () => {
    expect(escape("<script>\u0000&\"'")).toBe("&lt;script&gt; &amp;&quot;&#39;");
  });

  test("a tapered body touches both discs: its corners lie on them, its sides are tangents", () => {
    const { whole } = taper(0, 0, 100, 0, 20, 5);
    const [ax = 0, ay = 0, bx = 0, by = 0] = (/^M(\S+) (\S+)L(\S+) (\S+)A/.exec(whole) ?? []).slice(1).map((x) => Number.parseFloat(x));
    expect(Math.hypot(ax, ay)).toBeCloseTo(20, 1);
    expect(Math.hypot(bx - 100, by)).toBeCloseTo(5, 1);
    expect(Math.abs(dot(sub([bx, by, 0], [ax, ay, 0]), [ax, ay, 0])) / length([ax, ay, 0])).toBeLessThan(0.2);
  });

  test("a drawing is well-formed, says its title, and is the same every time", () => {
    const info = planeInfo(0.7, 1.1);
    const write = () => {
      const drawing = new Drawing();
      new Composer().compose(drawing, sceneOf(info, [shownAt(0.9, 1.25), shownAt(0.2, 1, 1)]));
      return svgOf(drawing, flatProjection(), OPTIONS);
    };
    const text = write();
    expect(text).toBe(write());
    expect(text).toContain("<title>two &lt;bones&gt;</title>");
    expect(text).toContain("grid 50 cm");
    expect(text).not.toContain("NaN");
    const opened = text.match(/<[a-z]+/g)?.length ?? 0;
    expect(opened).toBe((text.match(/<\/[a-z]+>/g)?.length ?? 0) + (text.match(/\/>/g)?.length ?? 0));
    // The elbow's disc is where the projection says: 100 px for a metre, y upwards.
    expect(text).toContain(`cx="${number(200 + 100 * Math.cos(0.9))}" cy="${number(150 - 100 * Math.sin(0.9))}"`);
  });

  test("what lies behind the eye is left out", () => {
    const projection = flatProjection();
    projection.matrix.set([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1]);
    const drawing = new Drawing();
    new Composer().compose(drawing, sceneOf(planeInfo(0.7, 1.1), [shownAt(0.9, 0.4)]));
    expect(svgOf(drawing, projection, OPTIONS)).not.toContain("<circle");
  });
});
