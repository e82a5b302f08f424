/** The page's side of the face worker. */

/** @import { FaceMeasure } from '../wire.js' */

const VENDOR = '/verify/vendor/';
const MODEL = '/verify/model/face_landmarker.task';
/** So high is the picture that is looked at: enough for a face, and quick. */
export const LOOK_HEIGHT = 360;

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
   * Faces in the picture, or in the video as it is now; null when the worker failed.
   * @param {HTMLVideoElement | HTMLCanvasElement} picture @param {number} at
   * @returns {Promise<{faces: FaceMeasure[], at: number, took: number} | null>}
   */
  async look(picture, at) {
    const aspect = picture instanceof HTMLVideoElement ? picture.videoWidth / picture.videoHeight : picture.width / picture.height;
    const small = await createImageBitmap(picture, { resizeHeight: LOOK_HEIGHT, resizeWidth: Math.round(LOOK_HEIGHT * aspect), resizeQuality: 'low' });
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#worker?.postMessage({ type: 'frame', picture: small, at }, [small]);
    });
  }

  stop() {
    this.#worker?.terminate();
    this.#answer(null);
  }
}
