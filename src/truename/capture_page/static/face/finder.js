/** The page's side of the face worker. */

/** @import { FaceMeasure } from '../wire.js' */

const VENDOR = '/verify/vendor/';
const MODEL = '/verify/model/face_landmarker.task';

/** Where the library lies, as the import map of the page says (workers have none). */
function library() {
  const map = JSON.parse(document.querySelector('script[type=importmap]')?.textContent ?? '{}');
  const bundle = map.imports?.['@mediapipe/tasks-vision'] ?? `${VENDOR}@mediapipe/tasks-vision/vision_bundle.mjs`;
  return { library: new URL(bundle, location.href).href, wasm: new URL(`${bundle.slice(0, bundle.lastIndexOf('/'))}/wasm`, location.href).href };
}

export class FaceFinder {
  /** @type {Worker | null} */
  #worker = null;
  /** @type {((seen: {faces: FaceMeasure[], at: number, took: number} | null) => void) | null} */
  #waiting = null;

  /** Load the model; rejects where the browser cannot run it. @param {number} [patience] milliseconds */
  start(patience = 45_000) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the face model took too long')), patience);
      try {
        this.#worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
      } catch (error) {
        clearTimeout(timer);
        reject(error);
        return;
      }
      this.#worker.addEventListener('error', () => reject(new Error('the face worker could not start')));
      this.#worker.addEventListener('message', ({ data }) => {
        clearTimeout(timer);
        if (data.type === 'ready') resolve(undefined);
        else if (data.type === 'failed') {
          reject(new Error(data.reason));
          this.#answer(null);
        } else this.#answer(data);
      });
      this.#worker.postMessage({ type: 'start', ...library(), model: new URL(MODEL, location.href).href });
    });
  }

  /** @param {{faces: FaceMeasure[], at: number, took: number} | null} seen */
  #answer(seen) {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.(seen);
  }

  /**
   * Faces in the picture as it is now; null when the worker failed.
   * @param {HTMLVideoElement} video @param {number} at
   * @returns {Promise<{faces: FaceMeasure[], at: number, took: number} | null>}
   */
  async look(video, at) {
    const height = 360;
    const picture = await createImageBitmap(video, { resizeHeight: height, resizeWidth: Math.round((height * video.videoWidth) / video.videoHeight), resizeQuality: 'low' });
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#worker?.postMessage({ type: 'frame', picture, at }, [picture]);
    });
  }

  stop() {
    this.#worker?.terminate();
    this.#answer(null);
  }
}
