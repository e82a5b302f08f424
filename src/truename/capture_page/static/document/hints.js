/** Which one thing to tell the person now, and when to take the picture by itself. */

/** @import { Edges } from './edges.js' */
/** @import { Quality } from './quality.js' */
/** @typedef {'dark' | 'fit' | 'closer' | 'farther' | 'straighten' | 'glare' | 'still' | 'blurred' | 'ready'} DocumentHint */

const DARK = 45;
const GLARE = 0.02;
const MOVING = 7;
const BLURRED = 0.16;
const FAR = -0.075;
const NEAR = 0.1;

/**
 * The most useful hint; only `ready` lets the shutter fall.
 * @param {Edges} edges @param {Quality} quality @returns {DocumentHint}
 */
export function documentHint(edges, quality) {
  if (quality.brightness < DARK) return 'dark';
  if (edges.found < 2) return quality.contrast > 22 ? 'fit' : 'closer';
  if (edges.found < 4) return edges.found === 3 ? 'straighten' : 'fit';
  if (!edges.complete) return 'fit';
  if (edges.spread < FAR) return 'closer';
  if (edges.spread > NEAR) return 'farther';
  if (quality.glare > GLARE) return 'glare';
  if (quality.motion > MOVING) return 'still';
  if (quality.sharpness < BLURRED) return 'blurred';
  return 'ready';
}

/** Takes the picture once everything was right for a moment. */
export class AutoCapture {
  #since = 0;
  #frames = 0;

  /** @param {number} [hold] milliseconds */
  constructor(hold = 550) {
    this.hold = hold;
  }

  /** How far the hold is, 0 to 1; at 1 the picture is to be taken. @param {DocumentHint} hint @param {number} now */
  observe(hint, now) {
    if (hint !== 'ready') {
      this.#frames = 0;
      this.#since = 0;
      return 0;
    }
    if (this.#frames === 0) this.#since = now;
    this.#frames += 1;
    if (this.#frames < 4) return Math.min(0.9, (now - this.#since) / this.hold);
    return Math.min(1, (now - this.#since) / this.hold);
  }
}
