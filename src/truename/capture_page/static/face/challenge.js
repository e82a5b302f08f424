/** Leads the person through the server's steps and says when to record. The server judges the frames; this only guides. */

/** @import { RecordedFrame, Step } from '../wire.js' */
/** @import { FaceHint, StagedFace } from './fit.js' */

// A little more than the service asks for, since it measures with another eye.
const TURN = 22;
const TOO_FAR_TURNED = 62;
const CLOSER = 1.3;
const AWAY = 0.78;
const STRAIGHT = 13;
const TOO_FAST = 220;
const FRAMES_PER_STEP = 3;
// Closer together, two pictures of somebody who holds still look like one picture sent twice.
const BETWEEN_FRAMES = 240;
// Who turns back before the step is done begins it anew: frames that go to and fro are refused.
const TURNED_BACK = 0.4;

/** @typedef {{step: Step, index: number, progress: number, hint: FaceHint | null, record: boolean, restart: boolean, done: boolean}} Guidance */

export class Challenge {
  #index = 0;
  #held = 0;
  #lastFrame = -Infinity;
  #onTheWay = false;
  /** The face's size when the step before ended: distance is judged against it. */
  #sizeBefore = 0;
  #lastSize = 0;
  /** @type {{yaw: number, at: number} | null} */
  #before = null;

  /** @param {readonly Step[]} steps */
  constructor(steps) {
    this.steps = steps;
  }

  /**
   * @param {readonly StagedFace[]} faces @param {number} now milliseconds
   * @returns {Guidance}
   */
  observe(faces, now) {
    const step = /** @type {Step} */ (this.steps[this.#index]);
    if (this.#index >= this.steps.length) return { step: /** @type {Step} */ (this.steps.at(-1)), index: this.steps.length, progress: 1, hint: null, record: false, restart: false, done: true };
    const face = [...faces].sort((a, b) => b.size - a.size)[0];
    if (!face) return { step, index: this.#index, progress: 0, hint: 'no_face', record: false, restart: false, done: false };
    const speed = this.#before ? Math.abs(face.yaw - this.#before.yaw) / Math.max(1, now - this.#before.at) * 1000 : 0;
    this.#before = { yaw: face.yaw, at: now };
    const { progress, hint } = this.#judge(step, face);
    const restart = (this.#held > 0 || this.#onTheWay) && progress < TURNED_BACK;
    if (restart) {
      this.#held = 0;
      this.#onTheWay = false;
    }
    let record = false;
    if (now - this.#lastFrame >= BETWEEN_FRAMES) {
      if (progress >= 1 && speed < TOO_FAST) {
        record = true;
        this.#held += 1;
      } else if (progress >= 0.45 && progress < 1 && !this.#onTheWay && step !== 'LOOK_STRAIGHT') {
        // One frame of the movement itself: a still cannot move so.
        record = true;
        this.#onTheWay = true;
      }
    }
    if (record) this.#lastFrame = now;
    this.#lastSize = face.size;
    const shown = { step, index: this.#index, progress: Math.max(0, Math.min(1, progress)), hint: speed > TOO_FAST ? /** @type {FaceHint} */ ('slower') : hint, record, restart, done: false };
    if (this.#held >= FRAMES_PER_STEP) this.#next();
    shown.done = this.#index >= this.steps.length;
    return shown;
  }

  #next() {
    this.#index += 1;
    this.#sizeBefore = this.#lastSize;
    this.#held = 0;
    this.#onTheWay = false;
  }

  /** @param {Step} step @param {StagedFace} face @returns {{progress: number, hint: FaceHint | null}} */
  #judge(step, face) {
    const straight = Math.abs(face.yaw) <= STRAIGHT;
    const before = this.#sizeBefore || face.size;
    switch (step) {
      case 'LOOK_STRAIGHT':
        return { progress: straight ? 1 : 0.3, hint: straight ? null : 'straight' };
      case 'TURN_LEFT':
        return { progress: face.yaw / TURN, hint: face.yaw > TOO_FAR_TURNED ? 'straight' : null };
      case 'TURN_RIGHT':
        return { progress: -face.yaw / TURN, hint: -face.yaw > TOO_FAR_TURNED ? 'straight' : null };
      case 'MOVE_CLOSER':
        return { progress: gated((face.size / before - 1) / (CLOSER - 1), straight), hint: straight ? null : 'straight' };
      case 'MOVE_AWAY':
        return { progress: gated((1 - face.size / before) / (1 - AWAY), straight), hint: straight ? null : 'straight' };
    }
  }
}

/** Distance counts only while the person looks at us. @param {number} progress @param {boolean} straight */
const gated = (progress, straight) => (straight ? progress : Math.min(progress, 0.4));

/**
 * The same steps by the clock, for browsers that cannot run the face model: three seconds each, recorded in the last one.
 */
export class TimedChallenge {
  #began = -1;
  #lastFrame = -Infinity;

  /** @param {readonly Step[]} steps @param {number} [each] milliseconds */
  constructor(steps, each = 3500) {
    this.steps = steps;
    this.each = each;
  }

  /** @param {number} now @returns {Guidance} */
  observe(now) {
    if (this.#began < 0) this.#began = now;
    const index = Math.floor((now - this.#began) / this.each);
    if (index >= this.steps.length) return { step: /** @type {Step} */ (this.steps.at(-1)), index: this.steps.length, progress: 1, hint: null, record: false, restart: false, done: true };
    const progress = ((now - this.#began) % this.each) / this.each;
    const record = progress > 0.6 && now - this.#lastFrame > 350;
    if (record) this.#lastFrame = now;
    return { step: /** @type {Step} */ (this.steps[index]), index, progress, hint: null, record, restart: false, done: false };
  }
}

/** Times must rise strictly and stay whole numbers. @param {RecordedFrame[]} frames @param {number} at */
export const nextTime = (frames, at) => Math.max(Math.round(at), (frames.at(-1)?.at_ms ?? -1) + 1);
