// Chains that every solver is given, and the forward kinematics that judges what they return: written apart from all of them.

/** A sequence of numbers from 0 to 1, the same on every run. */
export function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export const multiply = ([ax, ay, az, aw], [bx, by, bz, bw]) => [
  aw * bx + ax * bw + ay * bz - az * by,
  aw * by - ax * bz + ay * bw + az * bx,
  aw * bz + ax * by - ay * bx + az * bw,
  aw * bw - ax * bx - ay * by - az * bz,
];

const rotate = ([x, y, z, w], [a, b, c]) => {
  const [u, v, t] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * u + y * t - z * v, b + w * v + z * u - x * t, c + w * t + x * v - y * u];
};

const about = ([x, y, z], angle) => {
  const [sin, cos] = [Math.sin(angle / 2), Math.cos(angle / 2)];
  return [x * sin, y * sin, z * sin, cos];
};

const add = (a, b) => a.map((value, index) => value + b[index]);
const IDENTITY = [0, 0, 0, 1];

/**
 * A chain: joints one after the other, and the tip on the last.
 *
 * A joint has a `position` and a `rotation` on the one before, an `axis` for a hinge (none for a ball), and a `limit` for its angle.
 */
function makeChain(name, words, joints, tip, task = "position") {
  const reach = joints.slice(1).reduce((sum, { position }) => sum + Math.hypot(...position), Math.hypot(...tip));
  return { name, words, joints, tip, task, reach };
}

/** Where the tip is, and how it is turned, for a turn of each joint (a quaternion). */
export function forward(chain, turns) {
  let [at, turned] = [[0, 0, 0], IDENTITY];
  chain.joints.forEach(({ position, rotation }, index) => {
    at = add(at, rotate(turned, position));
    turned = multiply(multiply(turned, rotation), turns[index]);
  });
  return { position: add(at, rotate(turned, chain.tip)), quaternion: turned };
}

/** How far a pose is from a target: as a part of the reach, and as an angle. NaN is far. */
export function off(chain, turns, target) {
  const found = forward(chain, turns);
  const distance = Math.hypot(...found.position.map((value, index) => value - target.position[index])) / chain.reach;
  const dot = found.quaternion.reduce((sum, value, index) => sum + value * target.quaternion[index], 0);
  const sine = Math.hypot(...multiply(found.quaternion, [-target.quaternion[0], -target.quaternion[1], -target.quaternion[2], target.quaternion[3]]).slice(0, 3));
  const angle = chain.task === "pose" ? 2 * Math.atan2(sine, Math.abs(dot)) : 0;
  return { distance: Number.isNaN(distance) ? Infinity : distance, angle: Number.isNaN(angle) ? Infinity : angle };
}

/** Whether hinges turn about their axes alone, and inside their limits; a tenth of a degree is let pass. */
export function isAllowed(chain, turns) {
  return chain.joints.every(({ axis, limit }, index) => {
    if (!axis) return true;
    const [x, y, z, w] = turns[index];
    const along = x * axis[0] + y * axis[1] + z * axis[2];
    const aside = Math.hypot(x - along * axis[0], y - along * axis[1], z - along * axis[2]);
    const angle = 2 * Math.atan2(w < 0 ? -along : along, Math.abs(w));
    return aside < 1e-3 && (!limit || (angle > limit[0] - 2e-3 && angle < limit[1] + 2e-3));
  });
}

/** Turns that the chain can have. */
function anyTurns(chain, random) {
  return chain.joints.map(({ axis, limit }) => {
    if (axis) {
      const [low, high] = limit ?? [-Math.PI, Math.PI];
      return about(axis, low + (high - low) * random());
    }
    const [x, y, z, w] = [random() - 0.5, random() - 0.5, random() - 0.5, 0.5 + random()];
    const length = Math.hypot(x, y, z, w);
    return [x / length, y / length, z / length, w / length];
  });
}

/** Targets that can be reached, because some pose does. */
export function targets(chain, count) {
  const random = numbers(20260101);
  return Array.from({ length: count }, () => forward(chain, anyTurns(chain, random)));
}

/** Where every solve begins: a little bent, so that nobody is locked up. */
export const start = (chain) => chain.joints.map(({ axis }, index) => about(axis ?? (index % 2 ? [1, 0, 0] : [0, 0, 1]), 0.1));

const ball = (index) => ({ position: index === 0 ? [0, 0, 0] : [0, 1, 0], rotation: IDENTITY });
const hinge = (index) => ({ ...ball(index), axis: index % 2 ? [1, 0, 0] : [0, 0, 1], limit: [-1, 1] });
const balls = (n) => makeChain(`balls-${n}`, `${n} bones, balls without limits`, Array.from({ length: n }, (_, index) => ball(index)), [0, 1, 0]);

/** A robot of testdata as a chain, by what posekit says of it. */
function arm(Problem, urdf) {
  const problem = Problem.fromUrdf(urdf, "tool0");
  const [kinds, rest, axes, limits, frames] = [problem.kinds(), problem.rest(), problem.axes(), problem.limits(), problem.frames()];
  const joints = [];
  kinds.forEach((kind, joint) => {
    if (kind !== 1) return;
    const [position, rotation] = [[...rest.subarray(7 * joint, 7 * joint + 3)], [...rest.subarray(7 * joint + 3, 7 * joint + 7)]];
    // A whole turn to either side is no limit on a target.
    joints.push({ position, rotation, axis: [...axes.subarray(3 * joint, 3 * joint + 3)], limit: limits[6 * joint] ? [-Math.PI, Math.PI] : undefined });
  });
  // The tool is fixed to the last joint: what is left of the way to it.
  const tip = [...frames.subarray(1, 4)];
  const chain = makeChain("arm-6", "the six-axis arm of testdata, position and orientation", joints, tip, "pose");
  problem.free();
  return chain;
}

/** All of them. */
export const chains = (Problem, urdf) => [
  balls(2),
  balls(5),
  balls(10),
  balls(30),
  makeChain("hinges-6", "6 bones, hinges about x and z alternately, each from -57° to 57°", Array.from({ length: 6 }, (_, index) => hinge(index)), [0, 1, 0]),
  makeChain("hinges-12", "12 bones, hinges about x and z alternately, each from -57° to 57°", Array.from({ length: 12 }, (_, index) => hinge(index)), [0, 1, 0]),
  arm(Problem, urdf),
];
