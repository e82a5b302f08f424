/** The targets of a challenge in numbers, as the service has them (vision/liveness/targets.py; a test holds the two together). */

/** @import { Step } from '../wire.js' */
/** Degrees from the straight look: left (the person's own) and up are positive. @typedef {{yaw: number, pitch: number}} Aim */

export const YAW_FAR = 29;
export const PITCH_FAR = 20;
const NEAR = 0.56;
/** @type {Readonly<Record<string, number>>} */
const WAYS = { LEFT: 0, UP_LEFT: 45, UP: 90, UP_RIGHT: 135, RIGHT: 180, DOWN_RIGHT: 225, DOWN: 270, DOWN_LEFT: 315 };
/** The face's size that is asked for, of 1 at the straight look. @type {Readonly<Record<string, number>>} */
export const SIZES = { MOVE_CLOSER_A_LOT: 1.42, MOVE_CLOSER_A_LITTLE: 1.19, MOVE_AWAY_A_LITTLE: 0.84, MOVE_AWAY_A_LOT: 0.705 };

/** Where the nose is to point; null for a step that asks for something else. @param {Step} step @returns {Aim | null} */
export function aimOf(step) {
  const [, ring, way] = /^AIM_(NEAR|FAR)_(\w+)$/.exec(step) ?? [];
  if (!ring || !way || !(way in WAYS)) return null;
  const angle = (/** @type {number} */ (WAYS[way]) * Math.PI) / 180;
  const reach = ring === 'FAR' ? 1 : NEAR;
  return { yaw: reach * YAW_FAR * Math.cos(angle), pitch: reach * PITCH_FAR * Math.sin(angle) };
}

/** The ring and the direction of a target, for words. @param {Step} step */
export function wordsOf(step) {
  const [, ring, way] = /^AIM_(NEAR|FAR)_(\w+)$/.exec(step) ?? [];
  return ring && way ? { ring: ring.toLowerCase(), way } : null;
}

/** The colour that the screen shows; null for a step that asks for something else. @param {Step} step */
export function colourOf(step) {
  /** @type {Readonly<Record<string, string>>} */
  const colours = { LIGHT_RED: '#ff0000', LIGHT_GREEN: '#00ff00', LIGHT_BLUE: '#0000ff', LIGHT_YELLOW: '#ffff00', LIGHT_CYAN: '#00ffff', LIGHT_MAGENTA: '#ff00ff' };
  return colours[step] ?? null;
}

/** How far two aims are apart, in far rings. @param {Aim} one @param {Aim} other */
export const away = (one, other) => Math.hypot((one.yaw - other.yaw) / YAW_FAR, (one.pitch - other.pitch) / PITCH_FAR);

/** How much of the way is gone. @param {Aim} first @param {Aim} last @param {Aim} now */
export function gone(first, last, now) {
  const across = (last.yaw - first.yaw) / YAW_FAR;
  const up = (last.pitch - first.pitch) / PITCH_FAR;
  const length = Math.max(1e-6, across * across + up * up);
  return (((now.yaw - first.yaw) / YAW_FAR) * across + ((now.pitch - first.pitch) / PITCH_FAR) * up) / length;
}

/** How far beside the straight way the nose points, in far rings. @param {Aim} first @param {Aim} last @param {Aim} now */
export function beside(first, last, now) {
  const across = (last.yaw - first.yaw) / YAW_FAR;
  const up = (last.pitch - first.pitch) / PITCH_FAR;
  const length = Math.max(1e-6, Math.hypot(across, up));
  return Math.abs(((now.yaw - first.yaw) / YAW_FAR) * up - ((now.pitch - first.pitch) / PITCH_FAR) * across) / length;
}

/** Where on the stage, mirrored as the person sees it, an aim lies: fractions of the oval's radii from its middle. @param {Aim} aim */
export const onOval = (aim) => ({ x: -aim.yaw / YAW_FAR, y: -aim.pitch / PITCH_FAR });
