/**
 * Pictures that are taken while another one is measured. A cheap phone measures for longer than a head takes to turn: without them
 * nobody would have seen it on its way, and the person would be sent back to do it again, slower.
 */

/** @import { Challenge } from './challenge.js' */
/** @import { StagedFace } from './fit.js' */
/** @typedef {{picture: HTMLCanvasElement, at: number}} Taken */

const KEPT = 6;
const EVERY = 100;
/** How many of them are measured at most: each takes as long as the one that it was taken beside. */
const LOOKS = 4;

export class Meanwhile {
  /** Taken while the picture before the last was measured: what lies between the two. @type {Taken[]} */
  #before = [];
  /** @type {Taken[]} */
  #now = [];
  /** Canvases are used again. @type {HTMLCanvasElement[]} */
  #spare = [];
  #took = 0;

  /** How many pictures lie between the last two that were measured. */
  get length() {
    return this.#before.length;
  }

  forget() {
    this.#spare.push(...[...this.#before, ...this.#now].map(({ picture }) => picture));
    this.#before = [];
    this.#now = [];
  }

  /**
   * Take pictures until this one is measured.
   * @param {Promise<unknown>} measured @param {() => Promise<boolean>} fresh waits for the camera; was there another picture?
   * @param {(canvas?: HTMLCanvasElement) => HTMLCanvasElement} take onto this canvas, or a new one
   */
  async watch(measured, fresh, take) {
    this.#spare.push(...this.#before.map(({ picture }) => picture));
    this.#before = this.#now;
    /** @type {Taken[]} */
    const taken = (this.#now = []);
    // A look that takes longer than six pictures is covered by fewer of them, all the way.
    const every = Math.max(EVERY, this.#took / KEPT);
    const began = performance.now();
    let last = began;
    let over = false;
    const end = () => {
      over = true;
      this.#took = performance.now() - began;
    };
    measured.then(end, end);
    while (!over && taken.length < KEPT) {
      const another = await fresh();
      const at = performance.now();
      if (over || !another || at - last < every) continue;
      taken.push({ picture: take(this.#spare.pop()), at });
      last = at;
    }
  }

  /**
   * Those that show the head on its way, one or two, in their order; none where nothing does.
   * @param {Pick<Challenge, 'recall'>} challenge @param {(picture: HTMLCanvasElement) => Promise<readonly StagedFace[] | null>} look null where it failed
   */
  async recall(challenge, look) {
    const taken = this.#before;
    /** @type {Taken[]} */
    const found = [];
    let [low, high] = [0, taken.length - 1];
    for (let looks = 0; looks < LOOKS && low <= high && found.length < 2; looks += 1) {
      const middle = (low + high) >> 1;
      const one = /** @type {Taken} */ (taken[middle]);
      const faces = await look(one.picture);
      const where = faces && challenge.recall(faces, one.at);
      if (where === 'way') found.push(one);
      else if (!where || where === 'useless') break;
      // The next one is wanted later on the way, unless this one was late on it already.
      if (where === 'late' || (where === 'way' && middle - low > high - middle)) high = middle - 1;
      else low = middle + 1;
    }
    return found.sort((one, other) => one.at - other.at);
  }
}
