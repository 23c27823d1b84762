// Writes bench/WASM.md: WebAssembly against the same code compiled natively, many limbs a frame, and solvers in JavaScript on the same chains.
//
// `node compare.js NATIVE`, from the root of the repository; `cargo xtask bench wasm` builds what it needs and calls it.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { Crowd, Limbs, Problem } from "posekit";
import { chains, isAllowed, numbers, off, targets } from "./chains.js";
import { ITERATIONS, TOLERANCE, ccdik, closedChain, posekit } from "./solvers.js";

const OUT = "bench/WASM.md";
/** Batches of 2 ms; the fastest counts, which is what the machine does when nobody else wants it. */
const BATCHES = 40;
const BATCH = 2;
/** Native and WebAssembly take turns. */
const TURNS = 5;
/** Before them, because engines compile what has run often once more, and better. */
const WARM_UP = 300;
/** Problems of a chain, and rounds over them. */
const [PROBLEMS, ROUNDS] = [100, 7];

/** Problem, robot, method. */
const SOLVES = [
  ["testdata/cases/plane-two-bone.json", "-", "two-bone"],
  ["testdata/cases/plane-two-bone.json", "-", "ccd"],
  ["testdata/cases/plane-limits.json", "-", "ccd"],
  ["testdata/cases/plane-hundred.json", "-", "direct"],
  ["testdata/cases/plane-hundred.json", "-", "ccd"],
  ["testdata/cases/plane-hundred.json", "-", "fabrik"],
  ["testdata/cases/plane-hundred.json", "-", "relaxation"],
  ["testdata/cases/space-hundred.json", "-", "direct"],
  ["testdata/cases/space-hundred.json", "-", "fabrik"],
  ["testdata/cases/space-hinges.json", "-", "ccd"],
  ["testdata/cases/space-hinges.json", "-", "least-squares"],
  ["testdata/cases/space-cones.json", "-", "auto"],
  ["testdata/cases/space-orientation.json", "-", "auto"],
  ["testdata/cases/points-seven-far.json", "-", "auto"],
  ["testdata/figures/leg.json", "-", "auto"],
  ["testdata/figures/four-bar.json", "-", "auto"],
  ["testdata/figures/humanoid.json", "-", "auto"],
  ["testdata/figures/cart.json", "testdata/figures/cart.urdf", "auto"],
];

/** The fastest batch's time per call, in nanoseconds. */
function fastest(call, batches = BATCHES) {
  let times = 1;
  const batch = () => {
    const since = performance.now();
    for (let index = 0; index < times; index++) call();
    return performance.now() - since;
  };
  while (batch() < BATCH) times *= 2;
  for (const since = performance.now(); performance.now() - since < WARM_UP; ) batch();
  let best = Infinity;
  for (let index = 0; index < batches; index++) best = Math.min(best, batch());
  return (best / times) * 1e6;
}

const duration = (ns) => (ns < 1000 ? `${ns.toPrecision(3)} ns` : ns < 1e6 ? `${(ns / 1e3).toPrecision(3)} µs` : `${(ns / 1e6).toPrecision(3)} ms`);
const row = (...cells) => `| ${cells.join(" | ")} |`;
const table = (head, align, rows) => [row(...head), row(...align.map((each) => (each === "r" ? "---:" : "---"))), ...rows.map((cells) => row(...cells))].join("\n");
const name = (path) => path.replace(/^testdata\/(cases\/)?/, "").replace(/\.json$/, "");

function againstNative(native) {
  const solvers = SOLVES.map(([problem, robot, method]) => {
    const made = Problem.fromJson(readFileSync(problem, "utf8"), robot === "-" ? undefined : readFileSync(robot, "utf8"));
    const solver = made.solver();
    solver.begin(method);
    return { made, solver };
  });
  const [natives, wasm] = [SOLVES.map(() => Infinity), SOLVES.map(() => Infinity)];
  // In turns, because the machine may be busier at one time than at another.
  for (let turn = 0; turn < TURNS; turn++) {
    const times = execFileSync(native, [String(BATCHES), ...SOLVES.flat()], { encoding: "utf8" }).trim().split("\n").map(Number);
    times.forEach((time, index) => { natives[index] = Math.min(natives[index], time); });
    solvers.forEach(({ solver }, index) => {
      const time = fastest(() => {
        solver.restart();
        solver.run();
        return solver.error;
      });
      wasm[index] = Math.min(wasm[index], time);
    });
  }
  for (const { made, solver } of solvers) {
    solver.free();
    made.free();
  }
  const ratios = wasm.map((time, index) => time / natives[index]);
  const rows = SOLVES.map(([problem, , method], index) => [name(problem), method, duration(natives[index]), duration(wasm[index]), ratios[index].toFixed(2)]);
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  rows.push(["**geometric mean**", "", "", "", `**${mean.toFixed(2)}**`]);
  console.log(`WebAssembly takes ${mean.toFixed(2)} times as long as native (geometric mean of ${ratios.length}), at most ${Math.max(...ratios).toFixed(2)}`);
  return table(["problem", "method", "native", "WebAssembly", "times native"], ["l", "l", "r", "r", "r"], rows);
}

function crowds() {
  const n = 1000;
  const random = numbers(1);
  const list = (of) => Float32Array.from({ length: 3 * n }, (_, index) => of(index % 3));
  const [starts, mids, ends] = [list(() => 0), list((axis) => [0, -0.5, 0.05][axis]), list((axis) => [0, -1, 0][axis])];
  const [wanted, poles, out] = [list(() => random() - 0.5), list((axis) => [0, 0, 5][axis]), new Float32Array(6 * n)];
  const limbs = new Limbs(n);
  const rows = [["two bones in closed form, with poles (`Limbs`)", duration(fastest(() => limbs.solve(starts, mids, ends, wanted, poles, out)))]];
  for (const [words, file, method] of [
    ["copies of plane-two-bone (`Crowd`, auto)", "testdata/cases/plane-two-bone.json", "auto"],
    ["copies of space-hinges (`Crowd`, auto)", "testdata/cases/space-hinges.json", "auto"],
  ]) {
    const problem = Problem.fromJson(readFileSync(file, "utf8"));
    const crowd = new Crowd(problem, n, method);
    const at = JSON.parse(readFileSync(file, "utf8")).target;
    const moving = new Float32Array(n * problem.dimension);
    const points = new Float32Array(crowd.pointsLength);
    let frame = 0;
    const time = fastest(() => {
      frame++;
      for (let index = 0; index < moving.length; index++) moving[index] = at[index % problem.dimension] * (0.9 + 0.1 * Math.sin(frame / 20 + index));
      crowd.solve(moving, points);
    });
    rows.push([words, duration(time)]);
    crowd.free();
    problem.free();
  }
  return table(["1,000 limbs", "a frame"], ["l", "r"], rows);
}

function race(chain, solver, wanted) {
  const made = solver.make(chain);
  const found = wanted.map((target) => {
    made.solve(target);
    const turns = made.turns();
    return { ...off(chain, turns, target), isAllowed: isAllowed(chain, turns) };
  });
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const since = performance.now();
    for (const target of wanted) made.solve(target);
    times.push(((performance.now() - since) / wanted.length) * 1e6);
  }
  made.free();
  // One per cent for rounding, as for the other peers.
  const within = (tolerance, angle) => found.filter((each) => each.isAllowed && each.distance <= 1.01 * tolerance && each.angle <= 1.01 * angle).length / found.length;
  times.sort((a, b) => a - b);
  return { time: times[0], loose: within(1e-2, 1e-2), tight: within(TOLERANCE, TOLERANCE) };
}

function againstPeers() {
  const solvers = ["auto", "ccd", "fabrik", "least-squares"].map((method) => posekit(Problem, method)).concat(ccdik, closedChain);
  const sections = [];
  for (const chain of chains(Problem, readFileSync("testdata/arm6.urdf", "utf8"))) {
    const wanted = targets(chain, PROBLEMS);
    const fitting = solvers.filter((solver) => solver.fits(chain));
    const results = fitting.map((solver) => race(chain, solver, wanted));
    const percent = (share) => `${(100 * share).toFixed(0)} %`;
    const rows = fitting.map((solver, index) => {
      const { time, loose, tight } = results[index];
      return [solver.name, percent(tight), percent(loose), duration(time), (time / results[0].time).toPrecision(3)];
    });
    console.log(`${chain.name}: ${rows.map((cells) => `${cells[0]} ${cells[1]} ${cells[3]}`).join(", ")}`);
    const head = ["solver", "reached", "within 1 %", "mean time", "times posekit auto"];
    sections.push(`### ${chain.words} (\`${chain.name}\`)\n\n${table(head, ["l", "r", "r", "r", "r"], rows)}`);
  }
  return sections.join("\n\n");
}

const version = (name) => JSON.parse(readFileSync(`bench/wasm/node_modules/${name}/package.json`, "utf8")).version;
const word = (program, ...given) => execFileSync(program, given, { encoding: "utf8" }).trim();

const native = againstNative(process.argv[2]);
const crowd = crowds();
const peers = againstPeers();
const machine = `${cpus()[0].model.trim().split(" ").slice(0, 2).join(" ")}, ${cpus().length} cores, one used; load average ${loadavg()[0].toFixed(2)} at the end of the run`;
writeFileSync(
  OUT,
  `# posekit in WebAssembly

Written by \`cargo xtask bench wasm\`; every run rewrites it.

- machine: ${machine}
- Node ${process.versions.node} (V8 ${process.versions.v8}), ${word("rustc", "--version")}, the module with SIMD
- commit: ${word("git", "rev-parse", "--short", "HEAD")}

## Against native

The same code on the same problems: a whole solve from the start, in a workspace that has solved before. Each time is the fastest of ${TURNS} times ${BATCHES} batches of ${BATCH} ms,
native and WebAssembly in turns. The results are the same bits (\`cargo xtask test\` compares the digest).

${native}

## Many limbs per frame

A frame at 60 fps has 16.7 ms.

${crowd}

## Against solvers in JavaScript

three ${version("three")} (\`CCDIKSolver\`), closed-chain-ik ${version("closed-chain-ik")}, posekit by its package. ${PROBLEMS} reachable targets for each chain (seed 20260101), the same slightly
bent start for every solve, at most ${ITERATIONS} iterations, tolerance ${TOLERANCE} of the reach (and ${TOLERANCE} rad) for those that take one; \`CCDIKSolver\` stops when no bone rotates by more than 1e-5 rad.
closed-chain-ik otherwise has its defaults. **Reached** is measured on the returned joint rotations, by independent forward kinematics: within the tolerance, hinges about their axes
and inside their ranges. **Mean time** is per solve, failures included, in the fastest of ${ROUNDS} rounds.

closed-chain-ik is made for goals that move a little from frame to frame; from far away, as here, it reports \`DIVERGED\` or \`STALLED\` for most of its misses. It throws if every joint is at a limit, which counts
as a miss.

${peers}
`,
);
console.log(`${OUT} is written`);
