/**
 * Does a document lie in the guide frame? One straight line per side, near the guide, whose light and dark sides do not swap
 * along it. Knows nothing of colours or contents; white paper on a white table is beyond it, hence the manual shutter.
 */

/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {{found: boolean, support: number, offset: number, polarity: number}} SideLine */
/** @typedef {{top: SideLine, right: SideLine, bottom: SideLine, left: SideLine, found: number, complete: boolean, spread: number}} Edges */

const SAMPLES = 32;
const STEP = 2;
const LEAST_GRADIENT = 9;
const ENOUGH_GRADIENT = 45;
const LEAST_SUPPORT = 0.78;

/**
 * @param {Uint8Array} gray one byte per pixel
 * @param {number} width @param {number} height
 * @param {Box} guide in pixels of `gray`
 * @returns {Edges}
 */
export function findEdges(gray, width, height, guide) {
  const reach = Math.round(Math.min(guide.width, guide.height) * 0.13);
  const { x, y } = guide;
  const right = x + guide.width;
  const bottom = y + guide.height;
  /** Outward is the direction in which an offset grows. @type {(ax: number, ay: number, bx: number, by: number, ox: number, oy: number) => SideLine} */
  const side = (ax, ay, bx, by, ox, oy) => strongestLine(gray, width, height, ax, ay, bx, by, ox, oy, reach);
  const lines = {
    top: side(x, y, right, y, 0, -1),
    right: side(right, y, right, bottom, 1, 0),
    bottom: side(x, bottom, right, bottom, 0, 1),
    left: side(x, y, x, bottom, -1, 0),
  };
  const all = Object.values(lines);
  const seen = all.filter((line) => line.found);
  const lighter = seen.filter((line) => line.polarity > 0).length;
  // A document is lighter than what it lies on, or darker, on (nearly) all of its sides; texture is not.
  const agree = Math.max(lighter, seen.length - lighter) >= 3;
  const spread = seen.reduce((sum, line) => sum + line.offset, 0) / Math.max(1, seen.length) / Math.min(guide.width, guide.height);
  return { ...lines, found: seen.length, complete: seen.length === 4 && agree, spread };
}

/**
 * The best of all slightly tilted lines along one side.
 * @param {Uint8Array} gray @param {number} width @param {number} height
 * @param {number} ax @param {number} ay @param {number} bx @param {number} by the guide's side, from a to b
 * @param {number} ox @param {number} oy outward
 * @param {number} reach
 * @returns {SideLine}
 */
function strongestLine(gray, width, height, ax, ay, bx, by, ox, oy, reach) {
  const across = 2 * reach + 1;
  const gradients = new Int16Array(SAMPLES * across);
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const part = 0.07 + (0.86 * sample) / (SAMPLES - 1);
    const px = ax + (bx - ax) * part;
    const py = ay + (by - ay) * part;
    for (let step = 0; step < across; step += 1) {
      const offset = step - reach;
      const inner = light(gray, width, height, px + ox * (offset - STEP), py + oy * (offset - STEP), oy !== 0);
      const outer = light(gray, width, height, px + ox * (offset + STEP), py + oy * (offset + STEP), oy !== 0);
      gradients[sample * across + step] = inner < 0 || outer < 0 ? 0 : (inner - outer) / 3;
    }
  }
  const tilt = Math.round(reach * 0.9);
  let best = { strength: 0, support: 0, offset: 0, polarity: 0 };
  for (let polarity = -1; polarity <= 1; polarity += 2) {
    for (let from = 0; from < across; from += 1) {
      const last = Math.min(across - 1, from + tilt);
      for (let to = Math.max(0, from - tilt); to <= last; to += 1) {
        let strength = 0;
        let support = 0;
        for (let sample = 0; sample < SAMPLES; sample += 1) {
          const step = Math.round(from + ((to - from) * sample) / (SAMPLES - 1));
          const gradient = polarity * /** @type {number} */ (gradients[sample * across + step]);
          if (gradient >= LEAST_GRADIENT) {
            support += 1;
            strength += gradient < ENOUGH_GRADIENT ? gradient : ENOUGH_GRADIENT;
          }
        }
        if (strength > best.strength) best = { strength, support: support / SAMPLES, offset: (from + to) / 2 - reach, polarity };
      }
    }
  }
  return { found: best.support >= LEAST_SUPPORT, support: best.support, offset: best.offset, polarity: best.polarity };
}

/**
 * Three neighbours along the side, added: noise goes, edges stay. −1 outside the picture.
 * @param {Uint8Array} gray @param {number} width @param {number} height @param {number} px @param {number} py @param {boolean} alongX
 */
function light(gray, width, height, px, py, alongX) {
  const x = Math.round(px);
  const y = Math.round(py);
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return -1;
  const at = y * width + x;
  const next = alongX ? 1 : width;
  return /** @type {number} */ (gray[at - next]) + /** @type {number} */ (gray[at]) + /** @type {number} */ (gray[at + next]);
}
