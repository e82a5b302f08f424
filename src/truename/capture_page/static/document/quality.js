/** Is the picture inside the guide bright, sharp, still and free of glare? */

/** @import { Box } from './edges.js' */
/** @typedef {{brightness: number, contrast: number, sharpness: number, glare: number, motion: number}} Quality */

/** Colours to grey. @param {Uint8ClampedArray} rgba @param {Uint8Array} gray */
export function toGray(rgba, gray) {
  for (let from = 0, to = 0; to < gray.length; from += 4, to += 1) {
    gray[to] = (/** @type {number} */ (rgba[from]) * 77 + /** @type {number} */ (rgba[from + 1]) * 150 + /** @type {number} */ (rgba[from + 2]) * 29) >> 8;
  }
}

/**
 * @param {Uint8Array} gray @param {number} width @param {Box} guide
 * @param {Uint8Array | null} before the frame before, for motion
 * @returns {Quality}
 */
export function measure(gray, width, guide, before) {
  const left = Math.round(guide.x + guide.width * 0.06);
  const right = Math.round(guide.x + guide.width * 0.94);
  const top = Math.round(guide.y + guide.height * 0.06);
  const bottom = Math.round(guide.y + guide.height * 0.94);
  let count = 0;
  let sum = 0;
  let squares = 0;
  let edges = 0;
  let burnt = 0;
  let moved = 0;
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const at = y * width + x;
      const value = /** @type {number} */ (gray[at]);
      const around = /** @type {number} */ (gray[at - 1]) + /** @type {number} */ (gray[at + 1]) + /** @type {number} */ (gray[at - width]) + /** @type {number} */ (gray[at + width]);
      count += 1;
      sum += value;
      squares += value * value;
      edges += Math.abs(4 * value - around);
      // Glare burns a whole patch, a white letter or paper grain does not.
      if (value >= 252 && around >= 4 * 250) burnt += 1;
      if (before) moved += Math.abs(value - /** @type {number} */ (before[at]));
    }
  }
  const mean = sum / Math.max(1, count);
  const contrast = Math.sqrt(Math.max(0, squares / Math.max(1, count) - mean * mean));
  return {
    brightness: mean,
    contrast,
    sharpness: edges / Math.max(1, count) / Math.max(8, contrast),
    glare: burnt / Math.max(1, count),
    motion: before ? moved / Math.max(1, count) : 0,
  };
}
