/** Finds faces beside the page, so that the preview never stutters. A module worker; the model runs on the CPU. */

/// <reference lib="webworker" />
/** @import { FaceLandmarker } from '@mediapipe/tasks-vision' */
import { measureFace } from './measure.js';

/** @type {FaceLandmarker | null} */
let landmarker = null;
let last = 0;

self.addEventListener('message', async ({ data }) => {
  if (data.type === 'start') {
    try {
      await start(data);
      self.postMessage({ type: 'ready' });
    } catch (error) {
      self.postMessage({ type: 'failed', reason: String(error) });
    }
  } else if (data.type === 'frame') {
    look(data.picture, data.at);
  }
});

/** @param {{library: string, wasm: string, model: string}} where */
async function start({ library, wasm, model }) {
  const [{ FaceLandmarker: Landmarker, FilesetResolver: Resolver }, answer] = await Promise.all([
    /** @type {Promise<typeof import('@mediapipe/tasks-vision')>} */ (import(library)),
    fetch(model),
  ]);
  if (!answer.ok) throw new Error(`the model answered ${answer.status}`);
  const files = await Resolver.forVisionTasks(wasm, true);
  landmarker = await Landmarker.createFromOptions(files, {
    baseOptions: { modelAssetBuffer: new Uint8Array(await answer.arrayBuffer()), delegate: 'CPU' },
    runningMode: 'VIDEO',
    numFaces: 2,
    minFaceDetectionConfidence: 0.5,
    outputFaceBlendshapes: false,
    outputFacialTransformationMatrixes: false,
  });
}

/** @param {ImageBitmap} picture @param {number} at */
function look(picture, at) {
  const began = performance.now();
  // The library wants rising times.
  last = Math.max(last + 1, Math.round(at));
  try {
    const aspect = picture.width / picture.height;
    const found = /** @type {FaceLandmarker} */ (landmarker).detectForVideo(picture, last);
    self.postMessage({ type: 'seen', at, faces: found.faceLandmarks.map((points) => measureFace(points, aspect)), took: performance.now() - began });
  } catch (error) {
    self.postMessage({ type: 'failed', reason: String(error) });
  } finally {
    picture.close();
  }
}
