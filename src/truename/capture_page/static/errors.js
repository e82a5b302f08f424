/** What can go wrong, and what the page does about each: one row for every code that the service may answer with. */

import { CameraTrouble } from './camera.js';

/**
 * - `wait`: try the same again a little later; it shows its trouble only where nothing can be repeated
 * - `resume`: read the session again and go on where it says
 * - `finish`: nothing is left to do here
 * - `retake`: the picture itself was refused: choose or take another
 * - `record`: the recording was refused: follow a new challenge
 * - `stop`: say so, with a way out
 * @typedef {'wait' | 'resume' | 'finish' | 'retake' | 'record' | 'stop'} Action
 * @typedef {{does: Action, shows: string}} Reaction `shows` names a row of TROUBLES in screens/trouble.js
 */

/** @param {Action} does @param {string} shows @returns {Reaction} */
const row = (does, shows) => Object.freeze({ does, shows });

/** @type {Readonly<Record<string, Reaction>>} */
export const REACTIONS = Object.freeze({
  // Found out by the page itself: no answer, or an answer that is not ours.
  offline: row('wait', 'offline'),
  unavailable: row('wait', 'unavailable'),
  // The link.
  not_authenticated: row('stop', 'not_authenticated'),
  transaction_expired: row('stop', 'transaction_expired'),
  transaction_cancelled: row('stop', 'transaction_cancelled'),
  gone: row('stop', 'not_authenticated'),
  already_submitted: row('finish', 'unknown'),
  // The order of things: another tab or device went ahead, or an account's settings changed meanwhile.
  consent_missing: row('resume', 'unknown'),
  capture_missing: row('resume', 'incomplete'),
  wrong_step: row('resume', 'unknown'),
  wrong_state: row('resume', 'unknown'),
  // A picture.
  invalid_image: row('retake', 'unknown'),
  too_large: row('retake', 'unknown'),
  unsupported_media_type: row('retake', 'unknown'),
  too_many_takes: row('resume', 'too_many_takes'),
  // A recording.
  frames_out_of_order: row('record', 'unknown'),
  frames_missing_step: row('record', 'unknown'),
  frames_repeated: row('record', 'unknown'),
  challenge_expired: row('record', 'unknown'),
  challenge_used: row('record', 'unknown'),
  challenge_unknown: row('record', 'unknown'),
  too_many_attempts: row('stop', 'too_many_attempts'),
  // Going on with a phone.
  handoff_number_wrong: row('stop', 'handoff_code'),
  handoff_not_confirmed: row('stop', 'handoff_code'),
  handoff_used: row('stop', 'handoff_code'),
  handoff_expired: row('stop', 'handoff_code'),
  handoff_unknown: row('stop', 'handoff_code'),
  // Repeating and hurrying.
  idempotency_key_in_flight: row('wait', 'unavailable'),
  idempotency_key_reused: row('stop', 'unknown'),
  too_many_requests: row('wait', 'unavailable'),
  too_many_at_once: row('wait', 'unavailable'),
  too_slow: row('wait', 'offline'),
  not_ready: row('wait', 'unavailable'),
  internal_error: row('wait', 'unavailable'),
  // Faults of this page, which no person can mend.
  validation_failed: row('stop', 'unknown'),
  http_malformed: row('stop', 'unknown'),
  head_too_large: row('stop', 'unknown'),
  not_json: row('stop', 'unknown'),
  not_found: row('stop', 'unknown'),
  route_not_found: row('stop', 'unknown'),
  method_not_allowed: row('stop', 'unknown'),
});

const UNHEARD_OF = row('stop', 'unknown');

/** Why a call did not succeed. */
export class Problem extends Error {
  /** @param {string} code @param {number} [status] @param {number} [retryAfter] seconds */
  constructor(code, status = 0, retryAfter = 0) {
    super(code);
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }

  /** May the same be tried again? */
  get temporary() {
    return reactionTo(this).does === 'wait';
  }
}

/**
 * The problem that an answer tells of. A proxy's page in place of our answer has no code: the status has to do.
 * @param {number} status @param {string} text @param {string | null} retryAfter
 */
export function problemOf(status, text, retryAfter) {
  let code = status === 429 ? 'too_many_requests' : 'unheard_of';
  try {
    code = String(JSON.parse(text).code ?? code);
  } catch {
    // Not ours.
  }
  return new Problem(status >= 500 ? 'unavailable' : code, status, Number(retryAfter) || 0);
}

/** What to do about an error of any kind. @param {unknown} error @returns {Reaction} */
export function reactionTo(error) {
  if (error instanceof CameraTrouble) return row('stop', error.fault);
  return (error instanceof Problem ? REACTIONS[error.code] : undefined) ?? UNHEARD_OF;
}
