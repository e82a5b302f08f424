/** From the points of a face to where it is and where it looks, in the unmirrored picture. */

/** @import { FaceMeasure } from '../wire.js' */

const RIGHT_EYE = 33;
const LEFT_EYE = 263;
const FOREHEAD = 10;
const CHIN = 152;
const RIGHT_CHEEK = 234;
const LEFT_CHEEK = 454;

/** @typedef {{x: number, y: number, z: number}} Point */

/**
 * Angles in degrees. Yaw is positive when the person turns to their own left (to the picture's right); pitch is positive when they look up.
 * @param {readonly Point[]} points fractions of width and height; z in units of x
 * @param {number} aspect width ÷ height of the picture
 * @returns {FaceMeasure}
 */
export function measureFace(points, aspect) {
  const [rightEye, leftEye, forehead, chin, rightCheek, leftCheek] = [RIGHT_EYE, LEFT_EYE, FOREHEAD, CHIN, RIGHT_CHEEK, LEFT_CHEEK].map((index) => {
    const { x, y, z } = /** @type {Point} */ (points[index]);
    return { x: x * aspect, y, z: z * aspect };
  });
  if (!rightEye || !leftEye || !forehead || !chin || !rightCheek || !leftCheek) throw new Error('a face has 478 points');
  let left = Infinity;
  let right = -Infinity;
  let top = Infinity;
  let bottom = -Infinity;
  for (const point of points) {
    left = Math.min(left, point.x);
    right = Math.max(right, point.x);
    top = Math.min(top, point.y);
    bottom = Math.max(bottom, point.y);
  }
  const degrees = 180 / Math.PI;
  const yawEyes = Math.atan2(leftEye.z - rightEye.z, leftEye.x - rightEye.x);
  const yawCheeks = Math.atan2(leftCheek.z - rightCheek.z, leftCheek.x - rightCheek.x);
  return {
    x: (left + right) / 2,
    y: (top + bottom) / 2,
    width: (right - left) * aspect,
    height: bottom - top,
    yaw: ((yawEyes + yawCheeks) / 2) * degrees,
    pitch: Math.atan2(forehead.z - chin.z, chin.y - forehead.y) * degrees,
    roll: Math.atan2(leftEye.y - rightEye.y, leftEye.x - rightEye.x) * degrees,
  };
}
