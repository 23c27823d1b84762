//! The shaders: soft matte bodies with an outline, strokes with dashes, marks by signed distance, veils, the grid and the contact shadow.
//!
//! Colours go to the screen as the tokens have them, without conversion: everything here is drawn, nothing is lit by physics.

import * as THREE from "three";
import { DASHES } from "../core/pictures/drawing.ts";
import { PALETTE_SIZE, rgb, type Palette } from "../core/pictures/look.ts";

/** Uniforms that every program shares; one object, so that a change reaches all of them. */
export interface Shared {
  /** The colours of `look.ts`. */
  uPalette: { value: THREE.Vector3[] };
  /** Width and height of the target in device pixels. */
  uViewport: { value: THREE.Vector2 };
  /** Device pixels for a CSS pixel. */
  uRatio: { value: number };
  /** Metres for a CSS pixel: at depth 1 for a perspective, anywhere for an orthographic camera. */
  uPixel: { value: number };
  /** Metres for a CSS pixel where the view looks, for dashes. */
  uFocusPixel: { value: number };
  uIsPerspective: { value: number };
  uDashes: { value: THREE.Vector4[] };
  /** 0 on paper, 1 on slate. */
  uDark: { value: number };
}

export function sharedUniforms(): Shared {
  const dashes = DASHES.map((pattern) => {
    const [a = 0, b = 0, c = a, d = b] = pattern;
    return new THREE.Vector4(a, b, c, d);
  });
  return {
    uPalette: { value: Array.from({ length: PALETTE_SIZE }, () => new THREE.Vector3()) },
    uViewport: { value: new THREE.Vector2(1, 1) },
    uRatio: { value: 1 },
    uPixel: { value: 1 },
    uFocusPixel: { value: 1 },
    uIsPerspective: { value: 1 },
    uDashes: { value: dashes },
    uDark: { value: 0 },
  };
}

export function setPalette(shared: Shared, palette: Palette): void {
  palette.colours.forEach((colour, i) => shared.uPalette.value[i]?.set(...rgb(colour)));
  shared.uDark.value = palette.theme === "dark" ? 1 : 0;
}

/** What every vertex program begins with. */
export const HEAD = `
precision highp float;
precision highp int;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform vec3 uPalette[${String(PALETTE_SIZE)}];
uniform vec2 uViewport;
uniform float uRatio;
uniform float uPixel;
uniform float uFocusPixel;
uniform float uIsPerspective;
vec3 colourOf(float ink) { return uPalette[int(ink + 0.5)]; }
`;

/** A body's point: a unit direction on the ball at one of its ends, in a frame along its axis. */
const BODY_POINT = `
in vec3 position;
in float end;
in vec3 iA;
in vec3 iB;
in vec2 iRadii;
void bodyPoint(out vec3 center, out vec3 normal, out float radius) {
  vec3 way = iB - iA;
  float size = length(way);
  vec3 w = size > 1e-9 ? way / size : vec3(0.0, 0.0, 1.0);
  vec3 u = normalize(abs(w.z) < 0.9 ? cross(vec3(0.0, 0.0, 1.0), w) : cross(vec3(1.0, 0.0, 0.0), w));
  vec3 v = cross(w, u);
  normal = u * position.x + v * position.y + w * position.z;
  radius = mix(iRadii.x, iRadii.y, end);
  center = mix(iA, iB, end);
}
`;

const BODY_VERTEX = `
${HEAD}
${BODY_POINT}
in vec4 iInk;
out vec3 vNormal;
out vec3 vTint;
out vec3 vShade;
void main() {
  vec3 center; vec3 normal; float radius;
  bodyPoint(center, normal, radius);
  vec4 seen = viewMatrix * vec4(center + normal * radius, 1.0);
  vNormal = mat3(viewMatrix) * normal;
#ifdef OUTLINE
  float pixel = uIsPerspective > 0.5 ? -seen.z * uPixel : uPixel;
  seen.xyz += normalize(vNormal) * iInk.w * pixel;
  vTint = colourOf(iInk.z);
  vShade = vTint;
#else
  vTint = colourOf(iInk.x);
  vShade = colourOf(iInk.y);
#endif
  gl_Position = projectionMatrix * seen;
}
`;

/** How a surface with this normal, seen from z, is lit. */
export const LIGHT = `
vec3 lightOf(vec3 n, vec3 tint, vec3 shade, float dark) {
  // One key light over the left shoulder, and a little sky from above.
  float key = dot(n, normalize(vec3(-0.45, 0.62, 0.64)));
  float lit = smoothstep(-0.55, 0.95, key);
  float rim = 1.0 - clamp(n.z, 0.0, 1.0);
  // On paper the tint is the lit side and the full colour the shaded one; on slate the full colour is what shines.
  vec3 onPaper = mix(mix(tint, shade, 0.62), tint, lit);
  onPaper = mix(onPaper, vec3(1.0), 0.34 * smoothstep(0.62, 1.0, key));
  vec3 onSlate = mix(tint, mix(tint, shade, 0.9), lit) * mix(0.72, 1.0, lit);
  onSlate = mix(onSlate, vec3(1.0), 0.16 * smoothstep(0.55, 1.0, key));
  return mix(onPaper, onSlate, dark) * (1.0 - 0.1 * rim * rim);
}
`;

const BODY_FRAGMENT = `
precision highp float;
${LIGHT}
uniform float uDark;
in vec3 vNormal;
in vec3 vTint;
in vec3 vShade;
out vec4 outColour;
void main() {
#ifdef OUTLINE
  outColour = vec4(vTint, 1.0);
#else
  outColour = vec4(lightOf(normalize(vNormal), vTint, vShade, uDark), 1.0);
#endif
}
`;

const STROKE_VERTEX = `
${HEAD}
uniform vec4 uDashes[${String(DASHES.length)}];
in vec3 position;
in vec3 iA;
in vec3 iB;
in vec4 iStyle;   // length before a, ink, width, dash
in float iOpacity;
out vec4 vColour;
out float vAcross;
out float vHalf;
out float vAlong;
out vec4 vDash;
#ifdef FADE
out vec3 vAt;
#endif
void main() {
  vec4 a = viewMatrix * vec4(iA, 1.0);
  vec4 b = viewMatrix * vec4(iB, 1.0);
  if (uIsPerspective > 0.5) {
    // A piece that passes the eye is cut just before it.
    float near = -1e-3 * uFocusPixel / uPixel;
    if (a.z > near && b.z > near) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
    if (a.z > near) a = mix(b, a, (near - b.z) / (a.z - b.z));
    else if (b.z > near) b = mix(a, b, (near - a.z) / (b.z - a.z));
  }
  vec4 ca = projectionMatrix * a;
  vec4 cb = projectionMatrix * b;
  vec2 pa = ca.xy / ca.w * 0.5 * uViewport;
  vec2 pb = cb.xy / cb.w * 0.5 * uViewport;
  vec2 way = pb - pa;
  float size = length(way);
  way = size > 1e-4 ? way / size : vec2(1.0, 0.0);
  float half_width = 0.5 * iStyle.z * uRatio;
  float wide = half_width + 1.0;
  // Pieces overlap by a little, so that the corners of a line have no gaps.
  float over = iStyle.w < 0.5 ? 0.35 * half_width : 0.0;
  vec2 offset = vec2(-way.y, way.x) * position.y * wide + way * (position.x * 2.0 - 1.0) * over;
  vec4 clip = mix(ca, cb, position.x);
  clip.xy += offset * 2.0 / uViewport * clip.w;
  clip.z -= 2e-5 * clip.w;
  gl_Position = clip;
  vColour = vec4(colourOf(iStyle.y), iOpacity);
  vAcross = position.y * wide;
  vHalf = half_width;
  vAlong = (iStyle.x + position.x * distance(iA, iB)) / uFocusPixel;
  vDash = uDashes[int(iStyle.w + 0.5)];
#ifdef FADE
  vAt = mix(iA, iB, position.x);
#endif
}
`;

const STROKE_FRAGMENT = `
precision highp float;
in vec4 vColour;
in float vAcross;
in float vHalf;
in float vAlong;
in vec4 vDash;
#ifdef FADE
in vec3 vAt;
uniform vec3 uCenter;
uniform float uFade;
#endif
out vec4 outColour;
void main() {
  float alpha = clamp(vHalf + 0.5 - abs(vAcross), 0.0, 1.0);
  float period = vDash.x + vDash.y + vDash.z + vDash.w;
  if (period > 0.0) {
    float at = mod(vAlong, period);
    float first = vDash.x;
    float second = vDash.x + vDash.y;
    float edge = max(fwidth(vAlong), 1e-4);
    float on = clamp((first - at) / edge + 0.5, 0.0, 1.0)
      + clamp((at - second) / edge + 0.5, 0.0, 1.0) * clamp((second + vDash.z - at) / edge + 0.5, 0.0, 1.0);
    alpha *= clamp(on, 0.0, 1.0);
  }
  alpha *= vColour.a;
#ifdef FADE
  // A floor has no edge: its lines melt away with the distance from the figure.
  if (uFade > 0.0) alpha *= 1.0 - smoothstep(0.4, 1.0, distance(vAt, uCenter) / uFade);
#endif
  if (alpha < 0.004) discard;
  outColour = vec4(vColour.rgb, alpha);
}
`;

const MARK_VERTEX = `
${HEAD}
in vec3 position;
in vec3 iAt;
in vec3 iShape;   // shape, size, line width
in vec3 iPaint;   // ink, fill, opacity
out vec2 vAt;
out vec3 vShape;
out vec4 vInk;
out vec4 vFill;
void main() {
  vec4 clip = projectionMatrix * viewMatrix * vec4(iAt, 1.0);
  float room = iShape.y * 2.6 + iShape.z + 2.0;
  clip.xy += position.xy * room * uRatio * 2.0 / uViewport * clip.w;
  gl_Position = clip;
  vAt = position.xy * room;
  vShape = iShape;
  vInk = vec4(colourOf(iPaint.x), iPaint.z);
  vFill = iPaint.y < -0.5 ? vec4(0.0) : vec4(colourOf(iPaint.y), iPaint.z);
}
`;

const MARK_FRAGMENT = `
precision highp float;
uniform float uRatio;
uniform vec3 uPalette[${String(PALETTE_SIZE)}];
in vec2 vAt;
in vec3 vShape;
in vec4 vInk;
in vec4 vFill;
out vec4 outColour;
float box(vec2 p, vec2 b) { vec2 d = abs(p) - b; return length(max(d, 0.0)) + min(max(d.x, d.y), 0.0); }
float triangle(vec2 p, float s) {
  return max(dot(vec2(abs(p.x), p.y), vec2(0.866, 0.5)) - 0.55 * s, -p.y - 0.55 * s);
}
float hexagon(vec2 p, float s) {
  p = abs(p);
  return max(dot(p, vec2(0.866, 0.5)), p.y) - 0.9 * s;
}
float cover(float d) { return clamp(0.5 - d * uRatio, 0.0, 1.0); }
void main() {
  int shape = int(vShape.x + 0.5);
  float s = vShape.y;
  vec2 p = vAt;
  float d;
  float extra = 1e3;
  float extraFill = 1e3;
  if (shape == 1) d = box(p, vec2(0.85 * s));
  else if (shape == 2) d = triangle(p + vec2(0.0, 0.12 * s), 1.25 * s);
  else if (shape == 3) d = (abs(p.x) * 1.25 + abs(p.y)) * 0.72 - 0.78 * s;
  else if (shape == 4) d = triangle(vec2(p.x, -p.y) + vec2(0.0, 0.12 * s), 1.25 * s);
  else if (shape == 5) d = min(box(p, vec2(0.3 * s, s)), box(p, vec2(s, 0.3 * s)));
  else if (shape == 6) d = hexagon(p, s);
  else if (shape == 8) {
    d = box(p, vec2(s));
    extraFill = box(p + vec2(0.0, s + 3.2), vec2(2.5 * s, 0.75));
  } else d = length(p) - s;
  if (shape == 7) {
    // A cross that leaves the middle free for the tip.
    vec2 q = abs(p);
    float reach = max(q.x, q.y);
    float cross_ = max(min(q.x, q.y) - 0.5 * vShape.z, max(s - 3.5 - reach, reach - s - 4.0));
    extra = cross_;
  }
  if (shape == 9) extra = length(p) - 0.36 * s;
  float line = cover(abs(d) - 0.5 * vShape.z);
  line = max(line, cover(extra));
  float fill = vFill.a > 0.0 ? cover(d) : 0.0;
  vec4 colour = vec4(vFill.rgb, fill * vFill.a);
  float base = extraFill < 1e2 ? cover(extraFill) * vFill.a : 0.0;
  colour = vec4(colour.rgb, max(colour.a, base));
  float over = line * vInk.a;
  // Line over fill, not premultiplied.
  float alpha = over + colour.a * (1.0 - over);
  if (alpha < 0.004) discard;
  outColour = vec4((vInk.rgb * over + colour.rgb * colour.a * (1.0 - over)) / alpha, alpha);
}
`;

const VEIL_VERTEX = `
${HEAD}
in vec3 position;
in vec2 paint;
out vec4 vColour;
void main() {
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
  vColour = vec4(colourOf(paint.x), paint.y);
}
`;

const VEIL_FRAGMENT = `
precision highp float;
in vec4 vColour;
out vec4 outColour;
void main() { outColour = vColour; }
`;

/** A body's shadow is a ribbon on the floor, as wide as the body. Corners: 0 to 1 along it, -1 to 1 across. */
export const CAST_POINT = `
uniform float uHeight;
uniform vec3 uUp;
uniform float uLevel;
vec3 castPoint(vec3 a, vec3 b, vec2 corner, float radius, out float shade) {
  vec3 way = b - a;
  way -= uUp * dot(way, uUp);
  float size = length(way);
  vec3 u = size > 1e-6 ? way / size : normalize(abs(uUp.z) < 0.9 ? cross(vec3(0.0, 0.0, 1.0), uUp) : cross(vec3(1.0, 0.0, 0.0), uUp));
  vec3 v = cross(uUp, u);
  vec3 at = mix(a, b, corner.x) + radius * (u * (2.0 * corner.x - 1.0) * 0.8 + v * corner.y);
  float height = max(dot(at, uUp) - uLevel - radius, 0.0);
  shade = exp(-2.2 * height / uHeight);
  return at;
}
`;

const CAST_VERTEX = `
${HEAD}
${CAST_POINT}
in vec3 position;
in vec3 iA;
in vec3 iB;
in vec2 iRadii;
out float vShade;
void main() {
  vec3 at = castPoint(iA, iB, position.xy, mix(iRadii.x, iRadii.y, position.x), vShade);
  gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
}
`;

/** A mesh's shadow is the mesh itself, seen from below: three.js bends it with its bones. */
const CAST_MESH_VERTEX = `
uniform float uHeight;
uniform vec3 uUp;
uniform float uLevel;
out float vShade;
#include <common>
#include <skinning_pars_vertex>
void main() {
  #include <skinbase_vertex>
  #include <begin_vertex>
  #include <skinning_vertex>
  vec4 at = modelMatrix * vec4(transformed, 1.0);
  vShade = exp(-2.2 * max(dot(at.xyz, uUp) - uLevel, 0.0) / uHeight);
  gl_Position = projectionMatrix * viewMatrix * at;
}
`;

export const CAST_FRAGMENT = `
precision highp float;
in float vShade;
out vec4 outColour;
void main() { outColour = vec4(vShade); }
`;

const BLUR_VERTEX = `
in vec3 position;
out vec2 vAt;
void main() { vAt = position.xy * 0.5 + 0.5; gl_Position = vec4(position.xy, 0.0, 1.0); }
`;

const BLUR_FRAGMENT = `
precision highp float;
uniform sampler2D uImage;
uniform vec2 uBy;
in vec2 vAt;
out vec4 outColour;
void main() {
  float sum = texture(uImage, vAt).r * 0.1964;
  sum += (texture(uImage, vAt + uBy).r + texture(uImage, vAt - uBy).r) * 0.1746;
  sum += (texture(uImage, vAt + 2.0 * uBy).r + texture(uImage, vAt - 2.0 * uBy).r) * 0.1210;
  sum += (texture(uImage, vAt + 3.0 * uBy).r + texture(uImage, vAt - 3.0 * uBy).r) * 0.0656;
  sum += (texture(uImage, vAt + 4.0 * uBy).r + texture(uImage, vAt - 4.0 * uBy).r) * 0.0406;
  outColour = vec4(sum);
}
`;

const GROUND_VERTEX = `
${HEAD}
uniform mat4 modelMatrix;
in vec3 position;
in vec2 uv;
out vec2 vAt;
void main() {
  vAt = uv;
  gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 1.0);
}
`;

const GROUND_FRAGMENT = `
precision highp float;
uniform vec3 uPalette[${String(PALETTE_SIZE)}];
uniform sampler2D uImage;
uniform float uDark;
in vec2 vAt;
out vec4 outColour;
void main() {
  float alpha = texture(uImage, vAt).r * mix(0.34, 0.7, uDark);
  if (alpha < 0.004) discard;
  outColour = vec4(uPalette[7], alpha);
}
`;

/** A material of these shaders that reads the shared uniforms. */
export function program(
  shared: Shared,
  vertexShader: string,
  fragmentShader: string,
  own: Record<string, THREE.IUniform> = {},
  parameters: Partial<THREE.ShaderMaterialParameters> = {},
): THREE.RawShaderMaterial {
  return new THREE.RawShaderMaterial({
    glslVersion: THREE.GLSL3,
    vertexShader,
    fragmentShader,
    uniforms: { ...(shared as unknown as Record<string, THREE.IUniform>), ...own },
    ...parameters,
  });
}

/** Shadows do not add up: the darkest counts. */
export const CASTING = {
  transparent: true, depthTest: false, depthWrite: false, side: THREE.DoubleSide,
  blending: THREE.CustomBlending, blendEquation: THREE.MaxEquation, blendSrc: THREE.OneFactor, blendDst: THREE.OneFactor,
} as const;

const CLEAR = { transparent: true, depthWrite: false } as const;

export interface Programs {
  body: THREE.RawShaderMaterial;
  outline: THREE.RawShaderMaterial;
  stroke: THREE.RawShaderMaterial;
  line: THREE.RawShaderMaterial;
  mark: THREE.RawShaderMaterial;
  veil: THREE.RawShaderMaterial;
  grid: THREE.RawShaderMaterial;
  cast: THREE.RawShaderMaterial;
  castMesh: THREE.ShaderMaterial;
  blur: THREE.RawShaderMaterial;
  ground: THREE.RawShaderMaterial;
}

export function makePrograms(shared: Shared): Programs {
  const floor = { uHeight: { value: 1 }, uUp: { value: new THREE.Vector3(0, 0, 1) }, uLevel: { value: 0 } };
  return {
    body: program(shared, BODY_VERTEX, BODY_FRAGMENT),
    outline: program(shared, BODY_VERTEX, BODY_FRAGMENT, {}, { side: THREE.BackSide, defines: { OUTLINE: "" } }),
    stroke: program(shared, STROKE_VERTEX, STROKE_FRAGMENT, {}, { ...CLEAR, side: THREE.DoubleSide }),
    line: program(shared, STROKE_VERTEX, STROKE_FRAGMENT, {}, { ...CLEAR, side: THREE.DoubleSide, depthTest: false }),
    mark: program(shared, MARK_VERTEX, MARK_FRAGMENT, {}, { ...CLEAR, depthTest: false }),
    veil: program(shared, VEIL_VERTEX, VEIL_FRAGMENT, {}, { ...CLEAR, side: THREE.DoubleSide }),
    grid: program(shared, STROKE_VERTEX, STROKE_FRAGMENT, {
      uCenter: { value: new THREE.Vector3() },
      uFade: { value: 0 },
    }, { ...CLEAR, side: THREE.DoubleSide, defines: { FADE: "" } }),
    cast: program(shared, CAST_VERTEX, CAST_FRAGMENT, floor, CASTING),
    castMesh: new THREE.ShaderMaterial({ glslVersion: THREE.GLSL3, vertexShader: CAST_MESH_VERTEX, fragmentShader: CAST_FRAGMENT, uniforms: floor, ...CASTING }),
    blur: program(shared, BLUR_VERTEX, BLUR_FRAGMENT, {
      uImage: { value: null },
      uBy: { value: new THREE.Vector2() },
    }, { depthTest: false, depthWrite: false }),
    ground: program(shared, GROUND_VERTEX, GROUND_FRAGMENT, { uImage: { value: null } }, { ...CLEAR, side: THREE.DoubleSide }),
  };
}
