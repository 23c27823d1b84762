//! A crowd of limbs in one draw call. The points of a frame go into a texture, from which the vertices of all limbs find their places by their
//! number: drawing by software takes as long for an instance as for a whole limb, so there are no instances.

import * as THREE from "three";
import type { CrowdFrame } from "../core/types.ts";
import { crowdInk, crowdRadii } from "../core/pictures/compose.ts";
import type { SolverLook } from "../core/pictures/look.ts";
import { Ink } from "../core/pictures/look.ts";
import { CAST_FRAGMENT, CAST_POINT, CASTING, HEAD, LIGHT, program, type Programs, type Shared } from "./programs.ts";

/** Shoulder, elbow, hand and target: the texels of one limb. */
const TEXELS = 4;
/** Limbs in one row of the texture. */
const ROW = 256;
/** Sides of a limb and corners of a target's dot at rest; while frames are late, limbs are ribbons that face the eye, and dots have four corners. */
const SIDES = { fine: 6, coarse: 2 } as const;
/** Radius of a target's dot [px], and at most in radii of a limb: where a crowd is small its dots would hide it. */
const [DOT, WIDEST_DOT] = [1.8, 2.2] as const;

const LIMB = `
uniform highp sampler2D uLimbs;
uniform vec3 uRadii;
vec3 place(int limb, int k) { return texelFetch(uLimbs, ivec2(${String(TEXELS)} * (limb % ${String(ROW)}) + k, limb / ${String(ROW)}), 0).xyz; }
`;

/** The vertices of a limb: a ring at each of its three points, a cap's middle, then its target's corners. */
const VERTEX = `
${HEAD}
${LIMB}
${LIGHT}
uniform int uSides;
uniform vec2 uInks;
uniform float uTargetInk;
uniform float uDark;
out vec3 vColour;
const float TURN = 6.2831853;
float pixelAt(float z) { return uIsPerspective > 0.5 ? -z * uPixel : uPixel; }
void main() {
  int corners = max(uSides, 4);
  int stride = 3 * uSides + 1 + corners;
  int limb = gl_VertexID / stride;
  int k = gl_VertexID - limb * stride;
  if (k > 3 * uSides) {
    float turn = TURN * float(k - 3 * uSides - 1) / float(corners);
    vec4 seen = viewMatrix * vec4(place(limb, 3), 1.0);
    seen.xy += min(${DOT.toFixed(2)} * pixelAt(seen.z), ${WIDEST_DOT.toFixed(2)} * uRadii.x) * vec2(sin(turn), cos(turn));
    // Before the hand, which is where the target is.
    seen.z += 2.0 * uRadii.z;
    vColour = colourOf(uTargetInk);
    gl_Position = projectionMatrix * seen;
    return;
  }
  int ring = min(k / uSides, 2);
  vec3 a = (viewMatrix * vec4(place(limb, 0), 1.0)).xyz;
  vec3 b = (viewMatrix * vec4(place(limb, 1), 1.0)).xyz;
  vec3 c = (viewMatrix * vec4(place(limb, 2), 1.0)).xyz;
  vec3 at = ring == 0 ? a : ring == 1 ? b : c;
  vec3 upper = normalize(b - a);
  vec3 lower = normalize(c - b);
  vec3 way = ring == 0 ? upper : ring == 1 ? normalize(upper + lower) : lower;
  // Rings begin on the side that the eye sees.
  vec3 sight = normalize(uIsPerspective > 0.5 ? -at : vec3(0.0, 0.0, 1.0));
  vec3 side = cross(sight, way);
  vec3 u = normalize(dot(side, side) > 1e-6 ? side : vec3(1.0, 0.0, 0.0));
  vec3 v = cross(way, u);
  float turn = TURN * float(k - ring * uSides) / float(uSides);
  vec3 normal = k == 3 * uSides ? lower : u * cos(turn) + v * sin(turn);
  // A ribbon is lit as the ridge of its limb, a little less at its sides.
  vec3 n = uSides == 2 ? normalize(v + 0.5 * normal) : normal;
  vColour = lightOf(n, colourOf(uInks.x), colourOf(uInks.y), uDark);
  // Nothing is thinner than a pixel, or it would fall into pieces.
  float radius = max(uRadii[ring], 0.6 * pixelAt(at.z) / uRatio);
  gl_Position = projectionMatrix * vec4(at + normal * radius, 1.0);
}
`;

const FRAGMENT = `
precision highp float;
in vec3 vColour;
out vec4 outColour;
void main() { outColour = vec4(vColour, 1.0); }
`;

/** The shadow of a limb: two ribbons on the floor. */
const SHADOW_VERTEX = `
${HEAD}
${LIMB}
${CAST_POINT}
out float vShade;
void main() {
  int bone = gl_VertexID / 4;
  int limb = bone / 2;
  int first = bone % 2;
  vec2 corner = vec2(float(gl_VertexID % 2), float((gl_VertexID / 2) % 2) * 2.0 - 1.0);
  float radius = mix(uRadii[first], uRadii[first + 1], corner.x);
  vec3 at = castPoint(place(limb, first), place(limb, first + 1), corner, radius, vShade);
  gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
}
`;

export class Crowd {
  readonly mesh: THREE.Mesh;
  /** What casts the shadow. */
  readonly caster: THREE.Mesh;
  readonly #uniforms = {
    uLimbs: { value: null as THREE.DataTexture | null },
    uRadii: { value: new THREE.Vector3() },
    uSides: { value: SIDES.fine as number },
    uInks: { value: new THREE.Vector2() },
    uTargetInk: { value: Ink.target },
  };
  readonly #bodies = { fine: new THREE.BufferGeometry(), coarse: new THREE.BufferGeometry() };
  readonly #triangles = { fine: limbTriangles(SIDES.fine), coarse: limbTriangles(SIDES.coarse) };
  /** Limbs that there is room for. */
  #room = 0;
  #data = new Float32Array(0);

  constructor(shared: Shared, { cast }: Programs) {
    this.mesh = new THREE.Mesh(this.#bodies.fine, program(shared, VERTEX, FRAGMENT, this.#uniforms));
    const { uUp, uLevel, uHeight } = cast.uniforms as Record<"uUp" | "uLevel" | "uHeight", THREE.IUniform>;
    const shadow = program(shared, SHADOW_VERTEX, CAST_FRAGMENT, { ...this.#uniforms, uUp, uLevel, uHeight }, CASTING);
    this.caster = new THREE.Mesh(new THREE.BufferGeometry(), shadow);
    for (const mesh of [this.mesh, this.caster]) {
      mesh.frustumCulled = false;
      mesh.matrixAutoUpdate = false;
      mesh.visible = false;
    }
    this.mesh.renderOrder = 2;
  }

  hide(): void {
    this.mesh.visible = this.caster.visible = false;
  }

  /** Takes over a frame; coarse ones have fewer sides. */
  update(crowd: CrowdFrame, look: SolverLook, isCoarse: boolean): void {
    if (crowd.count > this.#room) this.#grow(crowd.count);
    const { points, targets, count } = crowd;
    const data = this.#data;
    for (let limb = 0; limb < count; limb++) {
      const to = 4 * TEXELS * limb;
      for (let k = 0; k < 3; k++) {
        for (let axis = 0; axis < 3; axis++) data[to + 4 * k + axis] = points[9 * limb + 3 * k + axis] as number;
        data[to + 12 + k] = targets[3 * limb + k] as number;
      }
    }
    if (this.#uniforms.uLimbs.value !== null) this.#uniforms.uLimbs.value.needsUpdate = true;
    const { tint, shade } = crowdInk(look);
    this.#uniforms.uInks.value.set(tint, shade);
    this.#uniforms.uRadii.value.set(...crowdRadii(crowd));
    const detail = isCoarse ? "coarse" : "fine";
    this.#uniforms.uSides.value = SIDES[detail];
    this.mesh.geometry = this.#bodies[detail];
    this.mesh.geometry.setDrawRange(0, count * this.#triangles[detail].length);
    this.caster.geometry.setDrawRange(0, 12 * count);
    this.mesh.visible = this.caster.visible = count > 0;
  }

  /** Room for more limbs: whole rows of the texture. */
  #grow(count: number): void {
    const rows = Math.ceil(count / ROW);
    this.#room = rows * ROW;
    this.#data = new Float32Array(4 * TEXELS * this.#room);
    this.#uniforms.uLimbs.value?.dispose();
    this.#uniforms.uLimbs.value = new THREE.DataTexture(this.#data, TEXELS * ROW, rows, THREE.RGBAFormat, THREE.FloatType);
    for (const detail of ["fine", "coarse"] as const) setIndex(this.#bodies[detail], this.#room, verticesOf(SIDES[detail]), this.#triangles[detail]);
    setIndex(this.caster.geometry, this.#room, 8, [0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7]);
  }

  dispose(): void {
    this.#uniforms.uLimbs.value?.dispose();
    for (const geometry of [this.#bodies.fine, this.#bodies.coarse, this.caster.geometry]) geometry.dispose();
    for (const mesh of [this.mesh, this.caster]) (mesh.material as THREE.Material).dispose();
  }
}

function verticesOf(sides: number): number {
  return 3 * sides + 1 + cornersOf(sides);
}

function cornersOf(sides: number): number {
  return Math.max(sides, 4);
}

/** Corners of a limb's triangles, by the numbers of its vertices: two tubes or ribbons, a cap and a dot. */
function limbTriangles(sides: number): number[] {
  const index: number[] = [];
  for (let k = 0; k < (sides === 2 ? 1 : sides); k++) {
    const next = (k + 1) % sides;
    for (const ring of [0, sides]) index.push(ring + k, ring + next, ring + sides + k, ring + sides + k, ring + next, ring + sides + next);
    if (sides > 2) index.push(2 * sides + k, 2 * sides + next, 3 * sides);
  }
  const dot = 3 * sides + 1;
  for (let k = 1; k + 1 < cornersOf(sides); k++) index.push(dot, dot + k + 1, dot + k);
  return index;
}

/** The same triangles for every limb, `stride` vertices on. */
function setIndex(geometry: THREE.BufferGeometry, limbs: number, stride: number, triangles: readonly number[]): void {
  const index = new Uint32Array(limbs * triangles.length);
  for (let limb = 0; limb < limbs; limb++) triangles.forEach((vertex, i) => { index[limb * triangles.length + i] = limb * stride + vertex; });
  geometry.dispose();
  geometry.setIndex(new THREE.BufferAttribute(index, 1));
}
