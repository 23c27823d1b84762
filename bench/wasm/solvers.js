// The solvers: each makes of a chain something with `solve(target)`, which returns the turns of its joints as quaternions.
import { Bone, Matrix4, Quaternion, Skeleton, Vector3 } from "three";
import { CCDIKSolver } from "three/addons/animation/CCDIKSolver.js";
import { DOF, Goal, Joint, Link, Solver as ClosedChain } from "closed-chain-ik/src/core/index.js";
import { start } from "./chains.js";

/** At most so many iterations, for everyone. */
export const ITERATIONS = 500;
/** What counts as reached, in parts of the reach, and as an angle. */
export const TOLERANCE = 1e-4;

/** posekit by one of its methods. */
export function posekit(Problem, method) {
  return {
    name: `posekit ${method}`,
    fits: (chain) => makes(() => makePosekit(Problem, method, chain).free()),
    make: (chain) => makePosekit(Problem, method, chain),
  };
}

const makes = (make) => {
  try {
    make();
    return true;
  } catch {
    return false;
  }
};

function makePosekit(Problem, method, chain) {
  const turns = start(chain);
  const joints = chain.joints.map(({ position, rotation, axis, limit }, index) => ({
    name: `j${index}`,
    parent: index === 0 ? null : `j${index - 1}`,
    ...(axis ? { kind: "revolute", axis, ...(limit ? { limit } : {}) } : { kind: "ball" }),
    position,
    rotation,
  }));
  const begin = Object.fromEntries(chain.joints.map(({ axis }, index) => [`j${index}`, axis ? angle(turns[index], axis) : turns[index]]));
  const frame = { joint: `j${joints.length - 1}`, position: chain.tip };
  const target = { target: [0, 0, 0], ...(chain.task === "pose" ? { orientation: [0, 0, 0, 1] } : {}) };
  const text = JSON.stringify({ schema: "posekit.figure/1", joints, start: begin, tasks: [{ task: chain.task, frame, ...target }] });
  const problem = Problem.fromJson(text);
  const solver = problem.solver();
  const settings = { iterations: ITERATIONS, tolerance: TOLERANCE * chain.reach, orientation_tolerance: TOLERANCE };
  solver.begin(method, JSON.stringify(settings));
  const [q, wanted] = [new Float64Array(problem.nValues), new Float64Array(chain.task === "pose" ? 7 : 3)];
  const offsets = problem.valueOffsets();
  return {
    solve({ position, quaternion }) {
      wanted.set(position);
      if (chain.task === "pose") wanted.set(quaternion, 3);
      solver.setTarget(0, wanted);
      solver.restart();
      solver.run();
      solver.configuration(q);
    },
    turns: () => chain.joints.map(({ axis }, index) => (axis ? turned(axis, q[offsets[index]]) : [...q.subarray(offsets[index], offsets[index] + 4)])),
    free() {
      solver.free();
      problem.free();
    },
  };
}

const angle = ([x, y, z, w], axis) => 2 * Math.atan2(x * axis[0] + y * axis[1] + z * axis[2], w);
const turned = ([x, y, z], angle) => [x * Math.sin(angle / 2), y * Math.sin(angle / 2), z * Math.sin(angle / 2), Math.cos(angle / 2)];

/** The solver that three.js brings along: cyclic coordinate descent on the bones of a skinned mesh, for positions. */
export const ccdik = {
  name: "three CCDIKSolver",
  fits: (chain) => chain.task === "position",
  make(chain) {
    const begin = start(chain);
    const bones = chain.joints.map(({ position }) => {
      const bone = new Bone();
      bone.position.set(...position);
      return bone;
    });
    bones.forEach((bone, index) => bones[index - 1]?.add(bone));
    const [tip, target] = [new Bone(), new Bone()];
    tip.position.set(...chain.tip);
    bones.at(-1).add(tip);
    const all = [...bones, tip, target];
    const links = chain.joints
      .map(({ axis, limit }, index) => ({
        index,
        ...(axis ? { limitation: new Vector3(...axis) } : {}),
        ...(limit ? { rotationMin: new Vector3(...axis).multiplyScalar(limit[0]), rotationMax: new Vector3(...axis).multiplyScalar(limit[1]) } : {}),
      }))
      .reverse();
    const mesh = { skeleton: new Skeleton(all, all.map(() => new Matrix4())) };
    const solver = new CCDIKSolver(mesh, [{ target: all.length - 1, effector: all.length - 2, links, iteration: ITERATIONS }]);
    return {
      solve({ position }) {
        bones.forEach((bone, index) => bone.quaternion.set(...begin[index]));
        target.position.set(...position);
        bones[0].updateMatrixWorld(true);
        target.updateMatrixWorld(true);
        solver.update();
      },
      turns: () => bones.map((bone) => bone.quaternion.toArray()),
      free() {},
    };
  },
};

/** Damped least squares in JavaScript; balls are its three Euler angles. */
export const closedChain = {
  name: "closed-chain-ik",
  fits: () => true,
  make(chain) {
    const begin = start(chain);
    const root = new Link();
    let link = root;
    const joints = chain.joints.map(({ position, rotation, axis, limit }) => {
      const joint = new Joint();
      joint.setPosition(...position);
      joint.setQuaternion(...rotation);
      if (axis) joint.setDoF([DOF.EX, DOF.EY, DOF.EZ][axis.findIndex((value) => value === 1)]);
      else joint.setDoF(DOF.EX, DOF.EY, DOF.EZ);
      if (limit) {
        joint.setMinLimits(limit[0]);
        joint.setMaxLimits(limit[1]);
      }
      link.addChild(joint);
      link = new Link();
      joint.addChild(link);
      return joint;
    });
    const tip = new Link();
    const fixed = new Joint();
    fixed.setPosition(...chain.tip);
    link.addChild(fixed);
    fixed.addChild(tip);
    const goal = new Goal();
    if (chain.task === "position") goal.setGoalDoF(DOF.X, DOF.Y, DOF.Z);
    goal.makeClosure(tip);
    const solver = new ClosedChain(root);
    Object.assign(solver, {
      maxIterations: ITERATIONS,
      translationConvergeThreshold: TOLERANCE * chain.reach,
      rotationConvergeThreshold: TOLERANCE,
    });
    const [turn, matrix] = [new Quaternion(), new Matrix4()];
    return {
      solve({ position, quaternion }) {
        joints.forEach((joint, index) => {
          const { axis } = chain.joints[index];
          // A ball starts turned about one axis: one of the three angles.
          if (axis) joint.setDoFValues(angle(begin[index], axis));
          else joint.setDoFValues(...begin[index].slice(0, 3).map((sine) => 2 * Math.asin(sine)));
        });
        goal.setWorldPosition(...position);
        if (chain.task === "pose") goal.setWorldQuaternion(...quaternion);
        try {
          solver.solve();
        } catch {
          // It throws where every joint stands at a limit; the pose is then what it was, and counts as such.
        }
      },
      // Its own quaternion takes the angles for degrees; its matrices do not.
      turns: () =>
        joints.map((joint) => {
          joint.updateDoFMatrix();
          return turn.setFromRotationMatrix(matrix.fromArray(joint.matrixDoF)).normalize().toArray();
        }),
      free() {},
    };
  },
};

