/** From the points of a face to where it is and where it looks, in the unmirrored picture. */

/** @import { FaceMeasure } from '../wire.js' */

import { poseOf } from './pose.js';

/** @typedef {{x: number, y: number, z: number}} Point */

/**
 * Angles in degrees. Yaw is positive when the person turns to their own left (to the picture's right); pitch is positive when they look up.
 * @param {readonly Point[]} points fractions of width and height; z in units of x
 * @param {number} aspect width ÷ height of the picture
 * @returns {FaceMeasure}
 */
export function measureFace(points, aspect) {
  if (points.length < 468) throw new Error('a face has 478 points');
  const scaled = points.map(({ x, y, z }) => ({ x: x * aspect, y, z: z * aspect }));
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
  return { x: (left + right) / 2, y: (top + bottom) / 2, width: (right - left) * aspect, height: bottom - top, ...poseOf(scaled) };
}
