/** Sends until it is sent: what is temporary is tried again, what was recorded is never recorded twice. */

import { Problem, reactionTo } from './errors.js';

const WAITS = [1000, 2000, 4000, 8000];

export class Patience {
  fraction = 0;
  waiting = false;
  /** Is it the service that has no time, rather than the network that is away? */
  busy = false;
  #began = 0;
  #stopped = false;
  /** @type {(() => void) | null} */
  #wake = null;

  /** @param {() => void} changed called whenever there is something new to show */
  constructor(changed) {
    this.changed = changed;
  }

  get seconds() {
    return this.#began ? (performance.now() - this.#began) / 1000 : 0;
  }

  /**
   * @template T
   * @param {(onProgress: (fraction: number) => void) => Promise<T>} task
   * @returns {Promise<T>}
   */
  async run(task) {
    this.#began = performance.now();
    this.#stopped = false;
    this.fraction = 0;
    const ticking = setInterval(this.changed, 1000);
    try {
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await task((fraction) => {
            this.fraction = fraction;
            this.changed();
          });
        } catch (error) {
          if (!(error instanceof Problem) || !error.temporary || this.#stopped) throw error;
          this.busy = reactionTo(error).shows !== 'offline';
          await this.#rest(Math.max(error.retryAfter * 1000, WAITS[Math.min(attempt, WAITS.length - 1)] ?? 8000));
        }
      }
    } finally {
      clearInterval(ticking);
      this.waiting = false;
    }
  }

  /** @param {number} milliseconds */
  async #rest(milliseconds) {
    this.waiting = true;
    this.fraction = 0;
    this.changed();
    await new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        removeEventListener('online', wake);
        resolve(undefined);
      };
      const timer = setTimeout(wake, milliseconds);
      addEventListener('online', wake);
      this.#wake = wake;
    });
    this.waiting = false;
    this.changed();
  }

  /** Do not wait any longer. */
  retryNow() {
    this.#wake?.();
  }

  /** Give up at the next failure. */
  stop() {
    this.#stopped = true;
    this.#wake?.();
  }
}
