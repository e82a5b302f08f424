/** One person's capture as the service knows it: the token, the session last read, and the service's clock. */

import { Api } from './api.js';
import { withConsent, withFace, withTake } from './flow.js';

/** @import { DocumentAnswer, Session, Side } from './wire.js' */

export class SessionClient {
  /** Service time less this device's, in milliseconds. */
  #ahead = 0;

  /** @param {string} token */
  constructor(token) {
    this.api = new Api(token);
    /** @type {Session | null} */
    this.session = null;
  }

  /** Read the session (again); every failure is a Problem. @returns {Promise<Session>} */
  async read() {
    const session = await this.api.session();
    this.#ahead = Date.parse(session.now) - Date.now();
    this.session = session;
    return session;
  }

  /** The time by the service's clock, in milliseconds. */
  now() {
    return Date.now() + this.#ahead;
  }

  /** Seconds until an instant, by the service's clock. @param {string} instant */
  secondsUntil(instant) {
    return (Date.parse(instant) - this.now()) / 1000;
  }

  /** @param {boolean} given @param {string} version of the words that were shown @param {string} language */
  async consent(given, version, language) {
    await this.api.consent(given, version, language);
    if (this.session) this.session = withConsent(this.session, given);
  }

  /** @param {Side} side @param {DocumentAnswer} answer */
  documentTaken(side, answer) {
    if (this.session) this.session = withTake(this.session, side, answer);
  }

  faceTaken() {
    if (this.session) this.session = withFace(this.session);
  }
}
