//! Why feet slide: a leg between two keys whose joints are interpolated, beside one that is solved in every frame.

import { useState } from "preact/hooks";
import type { PlaneChain } from "../../core/files.ts";
import type { Sketch, SketchOrder } from "../../core/types.ts";
import { length } from "../words.ts";
import { Chain, fitting, Slider, type Spot } from "./drawing.tsx";
import { useSketch } from "./sketch.ts";

/** Thigh and shin [m], from a hip at the origin; a knee bends one way. */
const LEG: PlaneChain = {
  schema: "posekit.chain/1",
  dimension: 2,
  bones: [{ length: 0.46, angle: -1.2 }, { length: 0.44, angle: -0.6, limit: [-2.6, 0] }],
  target: [0, -0.8],
};
const HIPS = Array.from({ length: 25 }, (_, frame): Spot => [-0.27 + 0.54 * frame / 24, 0.78]);
/** The foot stays at the origin of the floor. */
export const STANDING: SketchOrder = { problem: LEG, method: "two-bone", settings: {}, targets: HIPS.map(([x, y]) => [-x, -y]) };
const SIZE: Spot = [150, 150];

type Leg = [Spot, Spot, Spot];

/** Hip, knee and foot, by forward kinematics. */
function legAt([x, y]: Spot, [hip = 0, knee = 0]: ArrayLike<number> & Iterable<number>): Leg {
  const [a, b] = LEG.bones.map((bone) => bone.length) as [number, number];
  const middle: Spot = [x + a * Math.cos(hip), y + a * Math.sin(hip)];
  return [[x, y], middle, [middle[0] + b * Math.cos(hip + knee), middle[1] + b * Math.sin(hip + knee)]];
}

/** The leg in every frame, as its keys at both ends interpolate it and as it is solved. */
export function legsOf({ results }: Sketch): { keyed: Leg; solved: Leg }[] {
  const [first, last] = [results[0]?.q ?? [], results.at(-1)?.q ?? []];
  return HIPS.map((hip, frame) => {
    const share = frame / (HIPS.length - 1);
    const keyed = Array.from(first, (value, joint) => value + share * ((last[joint] ?? 0) - value));
    return { keyed: legAt(hip, keyed), solved: legAt(hip, results[frame]?.q ?? new Float64Array(2)) };
  });
}

export const slideOf = (leg: Leg) => Math.hypot(...leg[2]);

export function Skate() {
  const [frame, setFrame] = useState(8);
  const found = useSketch(STANDING);
  const legs = found ? legsOf(found) : [];
  const place = fitting([[-0.34, -0.1], [0.34, 0.84]], SIZE, 4);
  const now = legs[frame];
  const [left, right] = [place([-0.34, 0]), place([0.34, 0])];
  return (
    <>
      <div class="frames">
        {(["keyed", "solved"] as const).map((kind) => (
          <div key={kind} class="frame">
            <svg viewBox={`0 0 ${SIZE[0]} ${SIZE[1]}`} role="img" aria-label={kind === "keyed" ? "interpolated between keys" : "solved in every frame"} data-line={kind === "solved" ? "line-two-bone" : undefined} class={kind === "keyed" ? "quiet" : undefined}>
              <line class="floor" x1={left[0]} x2={right[0]} y1={left[1]} y2={right[1]} />
              {legs.filter((_, index) => index % 12 === 0).map((leg, index) => <Chain key={index} spots={leg[kind].map(place)} isPast />)}
              <polyline class="foot-path" points={legs.map((leg) => place(leg[kind][2]).join(",")).join(" ")} />
              {now && <Chain spots={now[kind].map(place)} hasRoot={false} />}
            </svg>
            <span>{kind === "keyed" ? "keys interpolated" : "solved in every frame"}</span>
          </div>
        ))}
      </div>
      <Slider label="Time" text={`${Math.round(100 * frame / (HIPS.length - 1))} %`} min={0} max={HIPS.length - 1} step={1} value={frame} onInput={setFrame} />
      <p class="readout">The foot is <b>{now ? length(slideOf(now.keyed)) : "…"}</b> away from where it stood, with a solve <b>{now && slideOf(now.solved) > 1e-6 ? length(slideOf(now.solved)) : "0 m"}</b>.</p>
    </>
  );
}
