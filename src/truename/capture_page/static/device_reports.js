/** Reports of this device. Nothing can be submitted without one, so what did not arrive is sent again, at the latest before submitting. */

import { signals } from './device.js';

/** @typedef {{cameraLabels?: string[], location?: object}} Known */

export class DeviceReports {
  /** @type {Known} */
  #known = {};
  #told = 0;
  #arrived = 0;
  /** One after the other: a report replaces the one before. @type {Promise<void>} */
  #sending = Promise.resolve();

  /** @param {(report: object) => Promise<unknown>} send @param {(known: Known) => object} describe */
  constructor(send, describe = signals) {
    this.send = send;
    this.describe = describe;
  }

  /** Something (more) is known: each report holds all of it. A failure does not stop the capture. @param {Known} more */
  tell(more) {
    this.#known = { ...this.#known, ...more };
    this.#told += 1;
    this.delivered().catch((error) => console.warn('a device report has not arrived yet', error));
  }

  /** Once all that is known has arrived; tries again what failed before, and rejects with the Problem if it fails again. */
  delivered() {
    this.#sending = this.#sending.catch(() => {}).then(async () => {
      const latest = this.#told;
      if (this.#arrived === latest) return;
      await this.send(this.describe(this.#known));
      this.#arrived = latest;
    });
    return this.#sending;
  }
}
