/** One hint at a time, at most one change a second: a hint that flickers cannot be followed. */

/** @template T */
export class Steady {
  /** @type {T | null} */
  #shown = null;
  #changed = -Infinity;

  /** @param {number} [rest] milliseconds between changes */
  constructor(rest = 1000) {
    this.rest = rest;
  }

  /** What to show now. @param {T} wanted @param {number} now @returns {T} */
  settle(wanted, now) {
    if (this.#shown === null || (wanted !== this.#shown && now - this.#changed >= this.rest)) {
      this.#shown = wanted;
      this.#changed = now;
    }
    return this.#shown;
  }
}

/** Reads hints aloud through a polite live region, no faster than a person can listen. */
export class Announcer {
  #last = -Infinity;
  #text = '';
  #timer = 0;

  /** @param {(text: string) => void} speak @param {number} [rest] milliseconds */
  constructor(speak, rest = 2500) {
    this.speak = speak;
    this.rest = rest;
  }

  /** @param {string} text @param {number} [now] */
  say(text, now = performance.now()) {
    if (text === this.#text) return;
    this.#text = text;
    clearTimeout(this.#timer);
    const wait = Math.max(0, this.#last + this.rest - now);
    this.#timer = setTimeout(() => {
      this.#last = performance.now();
      this.speak(text);
    }, wait);
  }

  hush() {
    clearTimeout(this.#timer);
    this.#text = '';
  }
}
