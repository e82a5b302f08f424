/** From the points of a face to where it is and where it looks, in the unmirrored picture. */

/** @import { FaceMeasure } from '../wire.js' */

import { poseOf } from './pose.js';

/** @typedef {{x: number, y: number, z: number}} Point */

const FOREHEAD = 10;
const CHIN = 152;

/**
 * Angles in degrees. Yaw is positive when the person turns to their own left (to the picture's right); pitch is positive when they look up.
 * Its size is that from forehead to chin in space, as the service measures it (vision/liveness/views.py): a face that looks down is as large as before, and less high.
 * @param {readonly Point[]} points fractions of width and height; z in units of x
 * @param {number} aspect width ÷ height of the picture
 * @returns {FaceMeasure}
 */
export function measureFace(points, aspect) {
  if (points.length < 468) throw new Error('a face has 478 points');
  const scaled = points.map(({ x, y, z }) => ({ x: x * aspect, y, z: z * aspect }));
  const [forehead, chin] = [/** @type {Point} */ (scaled[FOREHEAD]), /** @type {Point} */ (scaled[CHIN])];
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
  return { x: (left + right) / 2, y: (top + bottom) / 2, size: Math.hypot(forehead.x - chin.x, forehead.y - chin.y, forehead.z - chin.z), ...poseOf(scaled) };
}
