//! What a hierarchy with scales is to a skeleton without: rotations and positions.

import { Matrix4, Quaternion, Vector3 } from "three";

/** How unequal the axes of a matrix may be, relative to their size, for turns to stay turns. */
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
 * The rotation that is nearest to the linear part of a matrix, its scales taken out; of a mirrored one, the rotation that turns as it does: for
 * `M = -k P`, a turn `D` before it is the turn `P D P⁻¹` behind it, as for `M = k P`.
 *
 * A matrix that squeezes a direction to nothing has no such rotation; false, and `out` stays as it is.
 *
 * Method: the polar decomposition by Newton's iteration (Higham 1986), on the matrix or its mirror image.
 */
export function rotationOf(matrix: Matrix4, out: Quaternion): boolean {
  linear(matrix, own);
  return nearestRotation(out);
}

/** The rotation of an object in the world as three.js speaks of it (`getWorldQuaternion`): of a mirrored one, with its x axis turned round. */
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
    // Bringing the determinant to 1 first saves rounds where the matrix is far from a rotation.
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

/** Whether a matrix keeps angles, mirrored or not: what turns before it turns behind it. */
export function isConformal(matrix: Matrix4): boolean {
  const [x, y, z] = column;
  matrix.extractBasis(x, y, z);
  const size = Math.max(x.lengthSq(), y.lengthSq(), z.lengthSq());
  const skew = Math.max(Math.abs(x.dot(y)), Math.abs(y.dot(z)), Math.abs(z.dot(x)));
  const least = Math.min(x.lengthSq(), y.lengthSq(), z.lengthSq());
  return skew <= CONFORMAL * size && size - least <= CONFORMAL * size;
}
