//! Rotations and positions of a hierarchy with scales, as a skeleton without scales needs them.

import { Matrix4, Quaternion, Vector3 } from "three";

/** How unequal the scales of a matrix may be, relative to their size, for rotations to stay rotations. */
const CONFORMAL = 1e-6;
/** Newton's iteration doubles the digits each round; matrices worse than 1 to 1e6 need the last. */
const ROUNDS = 40;

const column = [new Vector3(), new Vector3(), new Vector3()] as const;

/** The linear part of a matrix as 9 numbers, columns first. */
function linear(matrix: Matrix4, out: Float64Array): void {
  const e = matrix.elements;
  for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) out[3 * i + j] = e[4 * i + j] ?? 0;
}

function determinant(m: Float64Array): number {
  const [a, b, c, d, e, f, g, h, i] = m as unknown as [number, number, number, number, number, number, number, number, number];
  return a * (e * i - f * h) - d * (b * i - c * h) + g * (b * f - c * e);
}

const own = new Float64Array(9);
const inverse = new Float64Array(9);
const basis = new Matrix4();

/** The inverse, transposed, times the determinant. */
function cofactors(m: Float64Array, out: Float64Array): void {
  for (let i = 0; i < 3; i++) {
    const [j, k] = [(i + 1) % 3, (i + 2) % 3];
    for (let r = 0; r < 3; r++) {
      const [s, t] = [(r + 1) % 3, (r + 2) % 3];
      out[3 * i + r] = m[3 * j + s]! * m[3 * k + t]! - m[3 * j + t]! * m[3 * k + s]!;
    }
  }
}

/**
 * The rotation closest to the linear part of a matrix, without its scales; for a mirrored one, the rotation that conjugates in the same way: for
 * `M = -k P`, a rotation `D` applied before it equals the rotation `P D P⁻¹` applied after it, as for `M = k P`.
 *
 * A singular matrix has no such rotation: the result is false and `out` is unchanged.
 *
 * Method: the polar decomposition by Newton's iteration (Higham 1986), on the matrix or its mirror image.
 */
export function rotationOf(matrix: Matrix4, out: Quaternion): boolean {
  linear(matrix, own);
  return nearestRotation(out);
}

/** The rotation of an object in the world as three.js defines it (`getWorldQuaternion`): for a mirrored one, with its x axis reversed. */
export function worldRotationOf(matrix: Matrix4, out: Quaternion): boolean {
  linear(matrix, own);
  if (determinant(own) < 0) for (let i = 0; i < 3; i++) own[i] = -own[i]!;
  return nearestRotation(out);
}

function nearestRotation(out: Quaternion): boolean {
  let size = 0;
  for (const value of own) size = Math.max(size, Math.abs(value));
  if (!(size > 0) || !Number.isFinite(size)) return false;
  const sign = determinant(own) < 0 ? -1 : 1;
  for (let i = 0; i < 9; i++) own[i] = (own[i]! * sign) / size;
  for (let round = 0; round < ROUNDS; round++) {
    const det = determinant(own);
    if (!(det > 1e-30)) return false;
    cofactors(own, inverse);
    let change = 0;
    // Scaling the determinant to 1 first saves rounds if the matrix is far from a rotation.
    const scale = Math.cbrt(1 / det);
    for (let i = 0; i < 9; i++) {
      const next = 0.5 * (own[i]! * scale + inverse[i]! / (det * scale));
      change = Math.max(change, Math.abs(next - own[i]!));
      own[i] = next;
    }
    if (change < 1e-15) break;
  }
  const [a, b, c, d, e, f, g, h, i] = own as unknown as [number, number, number, number, number, number, number, number, number];
  basis.set(a, d, g, 0, b, e, h, 0, c, f, i, 0, 0, 0, 0, 1);
  out.setFromRotationMatrix(basis).normalize();
  return true;
}

/** Whether a matrix preserves angles, mirrored or not, so that rotations before it are rotations after it. */
export function isConformal(matrix: Matrix4): boolean {
  const [x, y, z] = column;
  matrix.extractBasis(x, y, z);
  const size = Math.max(x.lengthSq(), y.lengthSq(), z.lengthSq());
  const skew = Math.max(Math.abs(x.dot(y)), Math.abs(y.dot(z)), Math.abs(z.dot(x)));
  const least = Math.min(x.lengthSq(), y.lengthSq(), z.lengthSq());
  return skew <= CONFORMAL * size && size - least <= CONFORMAL * size;
}
