/** Speaks the SDK interface (docs/reference/sdk-interface.md). */

import { Problem, problemOf } from './errors.js';
import { ANSWERED_WITHIN, within } from './within.js';

/** @import { ChallengeAnswer, ClaimAnswer, DocumentAnswer, HandoffAnswer, HandoffStatus, LivenessAnswer, RecordedFrame, Session, Side } from './wire.js' */

const BASE = '/api/sdk';
/** A phone on a slow line takes minutes to send a picture, but something goes out all the time. */
const NOTHING_SENT_FOR = 60_000;
/** A picture is decoded and looked at before it is answered, and others may be before it. What was sent may still lie in buffers on the way. */
const ANSWERED_AFTER_UPLOAD = 120_000;

/**
 * @param {string} method @param {string} path
 * @param {{token?: string, body?: unknown, key?: string}} [options]
 * @returns {Promise<any>}
 */
async function call(method, path, { token, body, key } = {}) {
  /** @type {Record<string, string>} */
  const headers = { Accept: 'application/json' };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (key) headers['Idempotency-Key'] = key;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let answer;
  let text;
  try {
    ({ answer, text } = await within(ANSWERED_WITHIN, async (signal) => {
      const given = await fetch(BASE + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: 'no-store', signal });
      return { answer: given, text: await given.text() };
    }));
  } catch {
    throw new Problem('offline');
  }
  if (!answer.ok) throw problemOf(answer.status, text, answer.headers.get('Retry-After'));
  return answer.status === 204 ? null : saidIn(text);
}

/** What the service said. A page in its place, as of a café's Wi-Fi that wants to be signed in to, is no answer. @param {string} text */
function saidIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('offline');
  }
}

/**
 * Send a large body and tell how far it got (fetch cannot). It may take as long as the service reads (300 s) while something goes out; a
 * limit on the whole had slow phones begin anew, for ever.
 * @param {string} path @param {string} token @param {Blob} body @param {string} type @param {string} key
 * @param {(fraction: number) => void} onProgress
 * @returns {Promise<any>}
 */
function upload(path, token, body, type, key, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', BASE + path);
    request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.setRequestHeader('Content-Type', type);
    request.setRequestHeader('Idempotency-Key', key);
    let timer = 0;
    const patient = (/** @type {number} */ milliseconds) => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), milliseconds);
    };
    request.upload.addEventListener('progress', (event) => {
      patient(NOTHING_SENT_FOR);
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    });
    request.upload.addEventListener('load', () => patient(ANSWERED_AFTER_UPLOAD));
    request.addEventListener('error', () => reject(new Problem('offline')));
    request.addEventListener('abort', () => reject(new Problem('offline')));
    request.addEventListener('loadend', () => clearTimeout(timer));
    request.addEventListener('load', () => {
      try {
        if (request.status < 200 || request.status >= 300) throw problemOf(request.status, request.responseText, request.getResponseHeader('Retry-After'));
        resolve(saidIn(request.responseText));
      } catch (error) {
        reject(error);
      }
    });
    patient(NOTHING_SENT_FOR);
    request.send(body);
  });
}

/** A fresh key, so that repeating the very same upload is safe. */
export const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The calls of one token. */
export class Api {
  /** @param {string} token */
  constructor(token) {
    this.token = token;
  }

  /** @returns {Promise<Session>} */
  session() {
    return call('GET', '/session', { token: this.token });
  }

  /** @param {boolean} given @param {string} version @param {string} language */
  consent(given, version, language) {
    return call('POST', '/consent', { token: this.token, body: { given, text_version: version, language } });
  }

  /** @param {object} signals */
  device(signals) {
    return call('POST', '/device', { token: this.token, body: signals });
  }

  /**
   * @param {Side} side @param {Blob} picture @param {{country: string | null, type: string | null, source: 'CAMERA' | 'FILE'}} what
   * @param {string} key @param {(fraction: number) => void} onProgress
   * @returns {Promise<DocumentAnswer>}
   */
  document(side, picture, what, key, onProgress) {
    const query = new URLSearchParams({ source: what.source });
    if (what.country && what.type) {
      query.set('country', what.country);
      query.set('type', what.type);
    }
    return upload(`/document/${side}?${query}`, this.token, picture, picture.type, key, onProgress);
  }

  /** @param {boolean} light may the screen show colours? @returns {Promise<ChallengeAnswer>} */
  challenge(light) {
    return call('POST', '/liveness/challenge', { token: this.token, body: { light } });
  }

  /**
   * @param {string} nonce @param {RecordedFrame[]} frames @param {string} key @param {(fraction: number) => void} onProgress
   * @returns {Promise<LivenessAnswer>}
   */
  async liveness(nonce, frames, key, onProgress) {
    const sent = await Promise.all(frames.map(async ({ step, at_ms, image }) => ({ step, at_ms, image: await base64(image) })));
    const body = new Blob([JSON.stringify({ nonce, frames: sent })], { type: 'application/json' });
    return upload('/liveness', this.token, body, 'application/json', key, onProgress);
  }

  submit() {
    return call('POST', '/submit', { token: this.token, body: {} });
  }

  /** @returns {Promise<{status: string}>} */
  status() {
    return call('GET', '/status', { token: this.token });
  }

  /** @param {string} device @returns {Promise<HandoffAnswer>} */
  startHandoff(device) {
    return call('POST', '/handoff', { token: this.token, body: { device } });
  }

  /** @returns {Promise<HandoffStatus>} */
  handoff() {
    return call('GET', '/handoff', { token: this.token });
  }

  /** @param {string} number */
  confirmHandoff(number) {
    return call('POST', '/handoff/confirm', { token: this.token, body: { number } });
  }

  refuseHandoff() {
    return call('POST', '/handoff/refuse', { token: this.token, body: {} });
  }
}

/** Redeem the one-time code of a phone link; again with the same key where the answer was lost. @param {string} code @param {string} key @returns {Promise<ClaimAnswer>} */
export const claimHandoff = (code, key) => call('POST', '/handoff/claim', { body: { code }, key });

/** @param {Blob} blob @returns {Promise<string>} */
function base64(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result).split(',')[1] ?? ''));
    reader.addEventListener('error', () => reject(new Problem('invalid_image')));
    reader.readAsDataURL(blob);
  });
}
