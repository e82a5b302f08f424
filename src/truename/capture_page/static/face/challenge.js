/** Leads the person through the server's steps and says when to record. The server judges the frames; this only guides. */

import { aimOf, away, beside, colourOf, gone, PITCH_FAR, SIZES, YAW_FAR } from './targets.js';

/** @import { RecordedFrame, Step } from '../wire.js' */
/** @import { FaceHint, StagedFace } from './fit.js' */
/** @import { Aim } from './targets.js' */

const STRAIGHT = 11;
// Half of what the service allows, since it measures the same picture in another way.
const ON_TARGET = 0.12;
const LEFT_TARGET = 0.3;
const ON_SIZE = 0.05;
const FACING = 0.42;
const TOO_FAST = 220;
const STILL = 45;
const STRAIGHT_FRAMES = 3;
const HELD_FRAMES = 2;
// Closer together, two pictures of somebody who holds still look like one picture sent twice.
const BETWEEN_FRAMES = 240;
// A head on its way is elsewhere in each of them.
const BETWEEN_MOVING = 100;
/** @type {readonly [number, number]} */
const ON_THE_WAY = [0.25, 0.8];
// The service wants to see the head on its way to every target that is 0.6 away, at most 0.45 beside the straight way.
const LONG_WAY = 0.5;
// There a second frame is taken, this much elsewhere on it: a head that moves is easily smeared, and one frame that tells nothing must not cost the recording.
const ELSEWHERE = 0.2;
const BESIDE = 0.38;
// First the step is read; who has not found it by then is helped.
const HELP_AFTER = 2200;
// A screen and a camera take a moment to follow; two frames later the colour has stood for three quarters of a second.
const COLOUR_STANDS = 420;
// By the clock: shares of the time that each step has.
const STEP_TIMES = [0.28, 0.72, 0.88];
const TARGET_TIMES = [0.2, 0.28, 0.36, 0.72, 0.88];

/** `restart`: what was recorded of the step is thrown away, but for the first `keeps` frames; `skipped`: the head has gone a long way since the picture before and was not seen on it. @typedef {{step: Step, index: number, progress: number, hint: FaceHint | null, record: boolean, restart: boolean, keeps: number, skipped: boolean, done: boolean, aim: Aim, size: number, base: number}} Guidance */
/** Of a picture that was taken while another one was measured: on the way, or too near to its beginning or end, or of no use. @typedef {'way' | 'early' | 'late' | 'useless'} Recalled */

export class Challenge {
  #index = 0;
  #held = 0;
  #lastFrame = -Infinity;
  #began = -Infinity;
  /** How far along the way each of its frames was taken. @type {number[]} */
  #onTheWay = [];
  /** @type {StagedFace[]} */
  #straight = [];
  #base = { yaw: 0, pitch: 0, size: 0 };
  /** Where the step before has ended. @type {Aim} */
  #from = { yaw: 0, pitch: 0 };
  #fromSize = 1;
  /** @type {{yaw: number, pitch: number, at: number} | null} */
  #before = null;
  /** How far along the way the picture before was, and where and when. */
  #gone = 0;
  /** @type {{yaw: number, pitch: number, at: number} | null} */
  #setOut = null;

  /** @param {readonly Step[]} steps */
  constructor(steps) {
    this.steps = steps;
  }

  /**
   * What is asked for, after a picture was measured, and whether that very picture is recorded.
   * @param {readonly StagedFace[]} faces in it @param {number} now when it was taken, in milliseconds
   * @param {number} [shown] when the answer is shown: a slow phone has measured for a while, and no colour has stood for longer
   * @returns {Guidance}
   */
  observe(faces, now, shown = now) {
    const index = this.#index;
    const step = /** @type {Step} */ (this.steps[Math.min(index, this.steps.length - 1)]);
    const nothing = { step, index, progress: 0, hint: null, record: false, restart: false, keeps: 0, skipped: false, done: false, aim: { yaw: 0, pitch: 0 }, size: 1, base: this.#base.size };
    if (index >= this.steps.length) return { ...nothing, progress: 1, done: true };
    const face = [...faces].sort((a, b) => b.size - a.size)[0];
    if (!face) return { ...nothing, hint: 'no_face' };
    if (this.#began === -Infinity) this.#began = shown;
    const speed = this.#before ? (Math.hypot(face.yaw - this.#before.yaw, face.pitch - this.#before.pitch) / Math.max(1, now - this.#before.at)) * 1000 : 0;
    const setOut = this.#before;
    this.#before = { yaw: face.yaw, pitch: face.pitch, at: now };
    const aim = { yaw: face.yaw - this.#base.yaw, pitch: face.pitch - this.#base.pitch };
    const size = this.#base.size ? face.size / this.#base.size : 1;
    const judged = this.#judge(step, face, aim, size, now);
    const restart = this.#held > 0 && judged.lost;
    if (restart) {
      this.#held = 0;
      this.#straight = [];
      // Who went past the target was seen on the way to it; who went back goes it again.
      if (judged.progress <= ON_THE_WAY[1]) this.#onTheWay = [];
    }
    const keeps = this.#onTheWay.length;
    // Too quick to be seen on the way: a recording that was cut looks like that.
    const unseen = judged.way >= LONG_WAY && !this.#onTheWay.length && this.#held === 0;
    const back = judged.there && unseen;
    const [first, last] = ON_THE_WAY;
    const skipped = unseen && this.#gone < first && judged.progress > last;
    this.#gone = judged.progress;
    this.#setOut = setOut;
    const record = now - this.#lastFrame >= (judged.there ? BETWEEN_FRAMES : BETWEEN_MOVING) && !back && this.#records(judged, speed);
    if (record) this.#lastFrame = now;
    if (record && judged.there) {
      this.#held += 1;
      if (step === 'LOOK_STRAIGHT') this.#straight.push(face);
    }
    const late = now - this.#began > HELP_AFTER;
    const hint = speed > TOO_FAST ? /** @type {FaceHint} */ ('slower') : back ? /** @type {FaceHint} */ ('again_slower') : judged.there ? (step === 'LOOK_STRAIGHT' || colourOf(step) ? null : /** @type {FaceHint} */ ('ready')) : late || step === 'LOOK_STRAIGHT' ? judged.hint : null;
    if (this.#held >= (step === 'LOOK_STRAIGHT' ? STRAIGHT_FRAMES : HELD_FRAMES)) this.#next(step, aim, size, shown);
    return { step, index, progress: Math.max(0, Math.min(1, judged.progress)), hint, record, restart, keeps, skipped, done: this.#index >= this.steps.length, aim, size, base: this.#base.size };
  }

  /** Is the head about to go a way on which it must be seen? Then pictures are taken while one is measured. */
  get waits() {
    const target = aimOf(/** @type {Step} */ (this.steps[this.#index] ?? 'LOOK_STRAIGHT'));
    return target !== null && away(this.#from, target) >= LONG_WAY && !this.#onTheWay.length && this.#held === 0;
  }

  /**
   * A picture from between the last two: a slow phone was measuring while the head moved. On the way, it counts as seen there, and is to be recorded.
   * @param {readonly StagedFace[]} faces in it @param {number} at when it was taken @returns {Recalled}
   */
  recall(faces, at) {
    const target = aimOf(/** @type {Step} */ (this.steps[this.#index] ?? 'LOOK_STRAIGHT'));
    const face = [...faces].sort((a, b) => b.size - a.size)[0];
    if (!target || !face) return 'useless';
    const aim = { yaw: face.yaw - this.#base.yaw, pitch: face.pitch - this.#base.pitch };
    const progress = gone(this.#from, target, aim);
    const [first, last] = ON_THE_WAY;
    if (progress < first) return 'early';
    if (progress > last) return 'late';
    const began = this.#setOut;
    const speed = began ? (Math.hypot(face.yaw - began.yaw, face.pitch - began.pitch) / Math.max(1, at - began.at)) * 1000 : 0;
    const moves = beside(this.#from, target, aim) <= BESIDE;
    return this.#records({ there: false, progress, moves, way: away(this.#from, target) }, speed) ? 'way' : 'useless';
  }

  /** @param {{there: boolean, progress: number, moves: boolean, way: number}} judged @param {number} speed */
  #records({ there, progress, moves, way }, speed) {
    if (there) return speed < STILL;
    const [first, last] = ON_THE_WAY;
    // Once there, a head that sways back is not on its way: to the service it would go to and fro.
    if (this.#held > 0 || !moves || progress < first || progress > last || speed >= TOO_FAST) return false;
    // One frame of the movement itself: a still cannot move so. Two of a long one.
    const before = this.#onTheWay.at(-1);
    if (before !== undefined && (this.#onTheWay.length > 1 || way < LONG_WAY || Math.abs(progress - before) < ELSEWHERE)) return false;
    this.#onTheWay.push(progress);
    return true;
  }

  /** @param {Step} step @param {Aim} aim @param {number} size @param {number} shown */
  #next(step, aim, size, shown) {
    if (step === 'LOOK_STRAIGHT') {
      this.#base = { yaw: median(this.#straight.map((face) => face.yaw)), pitch: median(this.#straight.map((face) => face.pitch)), size: median(this.#straight.map((face) => face.size)) };
      this.#from = { yaw: 0, pitch: 0 };
    } else {
      this.#from = aim;
      this.#fromSize = size;
    }
    this.#index += 1;
    this.#held = 0;
    this.#onTheWay = [];
    this.#gone = 0;
    this.#began = shown;
  }

  /**
   * Is the step done now, how far is it, what helps? The way is that of the nose, in far rings.
   * @param {Step} step @param {StagedFace} face @param {Aim} aim @param {number} size @param {number} now
   * @returns {{there: boolean, lost: boolean, way: number, moves: boolean, progress: number, hint: FaceHint | null}}
   */
  #judge(step, face, aim, size, now) {
    if (colourOf(step)) {
      const facing = away(aim, { yaw: 0, pitch: 0 }) <= FACING;
      const stood = (now - this.#began) / COLOUR_STANDS;
      return { there: facing && stood >= 1, lost: !facing, way: 0, moves: false, progress: facing ? Math.min(1, stood) : 0, hint: facing ? null : 'straight' };
    }
    const target = aimOf(step);
    if (target) {
      const off = away(aim, target);
      const there = off <= ON_TARGET;
      return { there, lost: off > LEFT_TARGET, way: away(this.#from, target), moves: beside(this.#from, target, aim) <= BESIDE, progress: there ? 1 : Math.min(0.95, gone(this.#from, target, aim)), hint: towards(aim, target) };
    }
    const wanted = SIZES[step];
    if (wanted) {
      const facing = away(aim, { yaw: 0, pitch: 0 }) <= FACING;
      const off = Math.log(size / wanted);
      const there = facing && Math.abs(off) <= ON_SIZE;
      const whole = Math.log(wanted / this.#fromSize) || 1;
      const part = Math.log(size / this.#fromSize) / whole;
      return { there, lost: Math.abs(off) > 2 * ON_SIZE || !facing, way: 0, moves: facing, progress: there ? 1 : Math.min(facing ? 0.95 : 0.2, part), hint: facing ? (off < 0 ? 'closer' : 'farther') : 'straight' };
    }
    const straight = Math.abs(face.yaw) <= STRAIGHT;
    return { there: straight, lost: !straight, way: 0, moves: false, progress: straight ? 1 : 0.3, hint: straight ? null : 'straight' };
  }
}

/** Which way to the target? The larger part of what is missing. @param {Aim} aim @param {Aim} target @returns {FaceHint} */
function towards(aim, target) {
  const left = (target.yaw - aim.yaw) / YAW_FAR;
  const up = (target.pitch - aim.pitch) / PITCH_FAR;
  if (Math.abs(left) > Math.abs(up)) return left > 0 ? 'more_left' : 'more_right';
  return up > 0 ? 'higher' : 'lower';
}

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/**
 * The same steps by the clock, for browsers that cannot run the face model: four seconds each; recorded once on the way (thrice to a target, since nobody knows when the head sets out) and twice in the end.
 */
export class TimedChallenge {
  #began = -1;
  #recorded = 0;
  #index = -1;

  /** @param {readonly Step[]} steps @param {number} [each] milliseconds */
  constructor(steps, each = 4000) {
    this.steps = steps;
    this.each = each;
  }

  /** @param {number} now @returns {Guidance} */
  observe(now) {
    if (this.#began < 0) this.#began = now;
    const index = Math.floor((now - this.#began) / this.each);
    const still = { aim: { yaw: 0, pitch: 0 }, size: 1, base: 0, hint: null, restart: false, keeps: 0, skipped: false };
    if (index >= this.steps.length) return { ...still, step: /** @type {Step} */ (this.steps.at(-1)), index: this.steps.length, progress: 1, record: false, done: true };
    if (index !== this.#index) {
      this.#index = index;
      this.#recorded = 0;
    }
    const progress = ((now - this.#began) % this.each) / this.each;
    const step = /** @type {Step} */ (this.steps[index]);
    const record = progress > ((aimOf(step) ? TARGET_TIMES : STEP_TIMES)[this.#recorded] ?? 1);
    if (record) this.#recorded += 1;
    return { ...still, step, index, progress, record, done: false };
  }
}

/** Times must rise strictly and stay whole numbers. @param {RecordedFrame[]} frames @param {number} at */
export const nextTime = (frames, at) => Math.max(Math.round(at), (frames.at(-1)?.at_ms ?? -1) + 1);

/** What is left of a recording after a restart. @template {{step: Step}} Frame @param {Frame[]} frames @param {Guidance} guidance @returns {Frame[]} */
export function keptFrames(frames, { step, keeps }) {
  const of = frames.filter((frame) => frame.step === step);
  return [...frames.slice(0, frames.length - of.length), ...of.slice(0, keeps)];
}
