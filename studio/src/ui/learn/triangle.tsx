//! The triangle of two bones: the limb on show, or one at rest, with its angles by the formulas of the text.

import type { Session } from "../../core/types.ts";
import { useSession } from "../context.ts";
import { angle, length } from "../words.ts";
import { Arc, Chain, fitting, spotsOf, Target, type Spot } from "./drawing.tsx";

const AT_REST: [Spot, Spot, Spot] = [[0, 0], [0.22, -0.21], [0.34, 0.03]];
const SIZE: Spot = [300, 190];

/** Root, elbow and hand of two bones in the plane, if that is on show. */
function limbOnShow(session: Session): [Spot, Spot, Spot] {
  const points = session.shown.value[0]?.points;
  return session.info.value?.kind === "plane" && points?.length === 9 ? spotsOf(points) as [Spot, Spot, Spot] : AT_REST;
}

/** The angles of a limb from its lengths, as the text derives them; the side is that of the elbow. */
export function anglesOf([root, elbow, hand]: readonly [Spot, Spot, Spot]) {
  const between = (p: Spot, q: Spot): Spot => [q[0] - p[0], q[1] - p[1]];
  const [upper, lower, whole] = [between(root, elbow), between(elbow, hand), between(root, hand)];
  const [a, b, L] = [Math.hypot(...upper), Math.hypot(...lower), Math.hypot(...whole)];
  const side = upper[0] * lower[1] - upper[1] * lower[0] < 0 ? -1 : 1;
  const phi = side * Math.acos(Math.min(1, Math.max(-1, (L * L - a * a - b * b) / (2 * a * b))));
  const psi = Math.atan2(b * Math.sin(phi), a + b * Math.cos(phi));
  const toHand = Math.atan2(whole[1], whole[0]);
  return { a, b, L, phi, psi, toHand, theta: toHand - psi };
}

export function Triangle() {
  const session = useSession();
  const limb = limbOnShow(session);
  const { a, b, L, phi, psi, toHand, theta } = anglesOf(limb);
  const target = session.handles.value.find(({ id }) => id === "target:0")?.position;
  const isOnShow = limb !== AT_REST;
  const goal: Spot = isOnShow && target ? [target[0], target[1]] : limb[2];
  const place = fitting([...limb, goal], SIZE, 30);
  const [root, elbow, hand] = limb.map(place) as [Spot, Spot, Spot];
  const middle = ([x, y]: Spot, [u, v]: Spot): Spot => [(x + u) / 2, (y + v) / 2];
  const beside = (p: Spot, q: Spot): Spot => {
    const away = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1;
    const sign = phi > 0 ? 1 : -1;
    const [x, y] = middle(p, q);
    return [x - sign * 14 * (q[1] - p[1]) / away, y + sign * 14 * (q[0] - p[0]) / away];
  };
  const [labelA, labelB, labelL] = [beside(root, elbow), beside(elbow, hand), middle(root, hand)];
  return (
    <div data-line="line-two-bone">
      <svg viewBox={`0 0 ${SIZE[0]} ${SIZE[1]}`} role="img" aria-label={`Two bones: flexion ${angle(phi)}, direction ${angle(theta)}`}>
        <line class="axis" x1={root[0]} y1={root[1]} x2={root[0] + 64} y2={root[1]} />
        <line class="sight" x1={root[0]} y1={root[1]} x2={hand[0]} y2={hand[1]} />
        <line class="axis" x1={elbow[0]} y1={elbow[1]} x2={elbow[0] + 44 * Math.cos(theta)} y2={elbow[1] - 44 * Math.sin(theta)} />
        <Chain spots={[root, elbow, hand]} />
        <Arc at={elbow} radius={26} from={theta} by={phi}>φ</Arc>
        <Arc at={root} radius={56} from={theta} by={psi}>ψ</Arc>
        <Arc at={root} radius={32} from={0} by={theta}>θ</Arc>
        <Target at={place(goal)} />
        <text class="label" x={labelA[0]} y={labelA[1] + 4} text-anchor="middle">a</text>
        <text class="label" x={labelB[0]} y={labelB[1] + 4} text-anchor="middle">b</text>
        <text class="label halo" x={labelL[0]} y={labelL[1] + 4} text-anchor="middle">L</text>
      </svg>
      <dl class="angles">
        <div><dt>a</dt><dd>{length(a)}</dd></div><div><dt>b</dt><dd>{length(b)}</dd></div><div><dt>L</dt><dd>{length(L)}</dd></div>
        <div><dt>φ</dt><dd data-angle="phi">{angle(phi)}</dd></div><div><dt>ψ</dt><dd data-angle="psi">{angle(psi)}</dd></div><div><dt>θ</dt><dd data-angle="theta">{angle(theta)}</dd></div>
      </dl>
      <p class="readout">θ + ψ = <b>{angle(toHand)}</b>, the direction of the hand.{!isOnShow && <> <button type="button" class="link-button" data-show="two-bone-steps">Show the limb</button></>}</p>
    </div>
  );
}
