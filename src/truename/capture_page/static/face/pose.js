/**
 * Which way a head looks, as the service measures it (vision/face/mesh.py): how the canonical face must be turned to lie on the points that were seen.
 * The same measure on both sides, so that whoever is led onto a target here is on it there.
 */

/** @typedef {{x: number, y: number, z: number}} Point */
/** @typedef {[number, number, number, number]} Quaternion */

/** Points of the canonical face (MediaPipe, Apache-2.0) that tell its place best: number, number of its mirror image, x, y, z, weight. */
const CANONICAL = [
  [4, 4, 0, -0.463, 7.587, 0.0709], [6, 6, 0, 2.473, 5.789, 0.0321], [10, 10, 0, 8.262, 4.482, 0.0084],
  [33, 263, -4.446, 2.664, 3.173, 0.0587], [54, 284, -6.279, 6.615, 1.426, 0.0077], [67, 297, -3.524, 8.006, 3.729, 0.0091],
  [117, 346, -5.259, 0.946, 2.974, 0.0098], [119, 348, -3.301, 0.862, 3.873, 0.0146], [121, 350, -1.821, 1.468, 4.224, 0.0186],
  [127, 356, -7.743, 2.365, -2.005, 0.0052], [129, 358, -1.786, -0.978, 4.85, 0.1206], [132, 361, -7.271, -2.891, -2.252, 0.0056],
  [133, 362, -1.856, 2.585, 3.758, 0.0533], [136, 365, -5.085, -7.179, 0.715, 0.0669], [143, 372, -6.408, 2.236, 1.561, 0.0148],
  [147, 376, -6.235, -1.944, 1.664, 0.0143], [198, 420, -1.247, 0.23, 5.681, 0.0255], [205, 425, -3.833, -1.537, 4.138, 0.0473],
];
const POINTS = CANONICAL.flatMap(([index = 0, twin = 0, x = 0, y = 0, z = 0, weight = 0]) => (index === twin ? [{ index, x, y, z, weight }] : [{ index, x, y, z, weight }, { index: twin, x: -x, y, z, weight }]));
const ALL = POINTS.reduce((sum, { weight }) => sum + weight, 0);
const ROUNDS = 80;

/**
 * Degrees. Yaw is positive when the person turns to their own left (to the right of an unmirrored picture), pitch when they look up.
 * @param {readonly Point[]} seen x to the right, y down, z away from the camera, all on one scale
 */
export function poseOf(seen) {
  const middle = { x: 0, y: 0, z: 0 };
  const own = { x: 0, y: 0, z: 0 };
  for (const { index, x, y, z, weight } of POINTS) {
    const point = /** @type {Point} */ (seen[index]);
    middle.x += (weight / ALL) * point.x;
    middle.y -= (weight / ALL) * point.y;
    middle.z -= (weight / ALL) * point.z;
    own.x += (weight / ALL) * x;
    own.y += (weight / ALL) * y;
    own.z += (weight / ALL) * z;
  }
  // How the canonical axes (rows) go with the seen ones (columns).
  const s = [[0, 0, 0], [0, 0, 0], [0, 0, 0]];
  for (const { index, x, y, z, weight } of POINTS) {
    const point = /** @type {Point} */ (seen[index]);
    const from = [x - own.x, y - own.y, z - own.z];
    const to = [point.x - middle.x, -point.y - middle.y, -point.z - middle.z];
    for (const row of [0, 1, 2]) for (const column of [0, 1, 2]) /** @type {number[]} */ (s[row])[column] = (s[row]?.[column] ?? 0) + weight * (from[row] ?? 0) * (to[column] ?? 0);
  }
  const { up, forward } = axesOf(rotation(s));
  const roll = Math.atan2(up.x, up.y);
  const across = Math.cos(roll) * forward.x - Math.sin(roll) * forward.y;
  const high = Math.sin(roll) * forward.x + Math.cos(roll) * forward.y;
  const degrees = 180 / Math.PI;
  return { yaw: Math.atan2(across, forward.z) * degrees, pitch: Math.asin(Math.max(-1, Math.min(1, high))) * degrees, roll: roll * degrees };
}

/** The best rotation as a quaternion (Horn 1987), by power iteration on his symmetric matrix. @param {number[][]} s @returns {Quaternion} */
function rotation(s) {
  const [[xx = 0, xy = 0, xz = 0] = [], [yx = 0, yy = 0, yz = 0] = [], [zx = 0, zy = 0, zz = 0] = []] = s;
  const shift = Math.hypot(xx, xy, xz, yx, yy, yz, zx, zy, zz) * 2;
  let [w, x, y, z] = [1, 0, 0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = [
      (xx + yy + zz + shift) * w + (yz - zy) * x + (zx - xz) * y + (xy - yx) * z,
      (yz - zy) * w + (xx - yy - zz + shift) * x + (xy + yx) * y + (zx + xz) * z,
      (zx - xz) * w + (xy + yx) * x + (yy - xx - zz + shift) * y + (yz + zy) * z,
      (xy - yx) * w + (zx + xz) * x + (yz + zy) * y + (zz - xx - yy + shift) * z,
    ];
    const length = Math.hypot(...next) || 1;
    [w, x, y, z] = /** @type {Quaternion} */ (next.map((value) => value / length));
  }
  return [w, x, y, z];
}

/** The turned y and z axes. @param {Quaternion} turned */
function axesOf([w, x, y, z]) {
  return {
    up: { x: 2 * (x * y - w * z), y: 1 - 2 * (x * x + z * z), z: 2 * (y * z + w * x) },
    forward: { x: 2 * (x * z + w * y), y: 2 * (y * z - w * x), z: 1 - 2 * (x * x + y * y) },
  };
}
