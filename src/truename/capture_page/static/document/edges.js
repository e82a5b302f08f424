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
  // What each sample says for a document lighter than its surroundings, and for a darker one.
  const votes = [new Uint8Array(SAMPLES * across), new Uint8Array(SAMPLES * across)];
  const [darker, lighter] = /** @type {[Uint8Array, Uint8Array]} */ (votes);
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const part = 0.07 + (0.86 * sample) / (SAMPLES - 1);
    const px = Math.round(ax + (bx - ax) * part);
    const py = Math.round(ay + (by - ay) * part);
    for (let step = 0; step < across; step += 1) {
      const offset = step - reach;
      const inner = light(gray, width, height, px + ox * (offset - STEP), py + oy * (offset - STEP), oy !== 0);
      const outer = light(gray, width, height, px + ox * (offset + STEP), py + oy * (offset + STEP), oy !== 0);
      if (inner < 0 || outer < 0) continue;
      const gradient = (inner - outer) / 3;
      if (gradient >= LEAST_GRADIENT) lighter[sample * across + step] = Math.min(ENOUGH_GRADIENT, gradient);
      else if (-gradient >= LEAST_GRADIENT) darker[sample * across + step] = Math.min(ENOUGH_GRADIENT, -gradient);
    }
  }
  let best = { strength: 0, from: 0, to: 0, polarity: 0 };
  /** @param {number} from @param {number} to @param {number} polarity */
  const consider = (from, to, polarity) => {
    const side = polarity > 0 ? lighter : darker;
    const slope = (to - from) / (SAMPLES - 1);
    let strength = 0;
    let at = from + 0.5;
    for (let row = 0; row < side.length; row += across, at += slope) strength += /** @type {number} */ (side[row + (at | 0)]);
    if (strength > best.strength) best = { strength, from, to, polarity };
  };
  const tilt = Math.round(reach * 0.9);
  for (let polarity = -1; polarity <= 1; polarity += 2) {
    for (let from = 0; from < across; from += 2) {
      for (let to = Math.max(0, from - tilt); to < across && to <= from + tilt; to += 2) consider(from, to, polarity);
    }
  }
  const { from: roughFrom, to: roughTo, polarity } = best;
  for (let from = Math.max(0, roughFrom - 1); from <= Math.min(across - 1, roughFrom + 1); from += 1) {
    for (let to = Math.max(0, roughTo - 1); to <= Math.min(across - 1, roughTo + 1); to += 1) consider(from, to, polarity);
  }
  let support = 0;
  const side = polarity > 0 ? lighter : darker;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const at = (best.from + 0.5 + ((best.to - best.from) * sample) / (SAMPLES - 1)) | 0;
    if (/** @type {number} */ (side[sample * across + at]) > 0) support += 1;
  }
  return { found: support / SAMPLES >= LEAST_SUPPORT, support: support / SAMPLES, offset: (best.from + best.to) / 2 - reach, polarity };
}

/**
 * Three neighbours along the side, added: noise goes, edges stay. −1 outside the picture.
 * @param {Uint8Array} gray @param {number} width @param {number} height @param {number} px @param {number} py @param {boolean} alongX
 */
function light(gray, width, height, px, py, alongX) {
  if (px < 1 || py < 1 || px >= width - 1 || py >= height - 1) return -1;
  const at = py * width + px;
  const next = alongX ? 1 : width;
  return /** @type {number} */ (gray[at - next]) + /** @type {number} */ (gray[at]) + /** @type {number} */ (gray[at + next]);
}
