/** Opens a camera, and names what is wrong when it cannot. */

/** Each has its own screen with a way out. @typedef {'insecure' | 'refused' | 'missing' | 'busy' | 'low' | 'black'} CameraFault */

export class CameraTrouble extends Error {
  /** @param {CameraFault} fault */
  constructor(fault) {
    super(fault);
    this.fault = fault;
  }
}

const LEAST = { width: 320, height: 240, rate: 15 };
const BLACK = 10;

/** @param {unknown} error @returns {CameraFault} */
function faultOf(error) {
  const name = error instanceof DOMException || error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused';
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'missing';
  return 'busy';
}

/**
 * @param {'environment' | 'user'} facing
 * @param {{width: number, height: number}} wish
 * @param {string} [deviceId]
 * @returns {Promise<MediaStream>}
 */
export async function openCamera(facing, wish, deviceId) {
  if (!window.isSecureContext || !navigator.mediaDevices) throw new CameraTrouble('insecure');
  /** @type {MediaTrackConstraints} */
  const video = { width: { ideal: wish.width }, height: { ideal: wish.height }, frameRate: { ideal: 30 } };
  if (deviceId) video.deviceId = { exact: deviceId };
  else video.facingMode = { ideal: facing };
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video, audio: false });
  } catch (error) {
    throw new CameraTrouble(faultOf(error));
  }
  const { width = LEAST.width, height = LEAST.height, frameRate = LEAST.rate } = stream.getVideoTracks()[0]?.getSettings() ?? {};
  if (Math.max(width, height) < LEAST.width || Math.min(width, height) < LEAST.height || Math.round(frameRate) < LEAST.rate) {
    closeCamera(stream);
    throw new CameraTrouble('low');
  }
  return stream;
}

/** @param {MediaStream | null | undefined} stream */
export function closeCamera(stream) {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

/** Every camera by label and id; labels are only told after permission. */
export async function cameras() {
  const devices = (await navigator.mediaDevices?.enumerateDevices?.()) ?? [];
  return devices.filter((device) => device.kind === 'videoinput');
}

const PICTURES_WITHIN = 8000;

/** Show the stream, and wait until pictures come; a camera that opens and brings none is held by somebody else. @param {HTMLVideoElement} video @param {MediaStream} stream */
export async function show(video, stream) {
  video.srcObject = stream;
  video.muted = true;
  video.playsInline = true;
  const patience = performance.now() + PICTURES_WITHIN;
  // Without pictures `play` would wait for ever.
  await Promise.race([video.play(), new Promise((resolve) => setTimeout(resolve, PICTURES_WITHIN))]);
  while (video.videoWidth === 0 || video.readyState < 2) {
    if (performance.now() > patience || stream.getVideoTracks()[0]?.readyState !== 'live') throw new CameraTrouble('busy');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * Wait until the camera has brought another picture: the same one recorded twice would look like a replay.
 * False where it has brought none for a while.
 * @param {HTMLVideoElement} video @returns {Promise<boolean>}
 */
export function freshFrame(video) {
  if (!('requestVideoFrameCallback' in video)) return new Promise((resolve) => setTimeout(() => resolve(true), 70));
  return Promise.race([
    new Promise((/** @type {(fresh: boolean) => void} */ resolve) => video.requestVideoFrameCallback(() => resolve(true))),
    new Promise((/** @type {(fresh: boolean) => void} */ resolve) => setTimeout(() => resolve(false), 700)),
  ]);
}

/** What a picture that stays black means: no more pictures come, since another program has the camera, or the lens is covered. @param {MediaStream | null} stream */
export function blackTrouble(stream) {
  const track = stream?.getVideoTracks()[0];
  return new CameraTrouble(!track || track.muted || track.readyState !== 'live' ? 'busy' : 'black');
}

/** Watches for a picture that stays black: a closed shutter, a covered lens, another app holding the camera. */
export class BlackWatch {
  #since = 0;

  /** True once it was black for two seconds. @param {number} brightness 0–255 @param {number} now milliseconds */
  observe(brightness, now) {
    if (brightness >= BLACK) this.#since = 0;
    else if (this.#since === 0) this.#since = now;
    return this.#since !== 0 && now - this.#since > 2000;
  }
}

/** Part of a picture. @typedef {{x: number, y: number, width: number, height: number}} Part */

/**
 * What the video shows at this moment, unmirrored.
 * @param {HTMLVideoElement} video
 * @param {Part} part in video pixels
 * @param {number} longest longest side of the result
 * @param {HTMLCanvasElement} [canvas] to draw on
 */
export function snapshot(video, part, longest, canvas = document.createElement('canvas')) {
  const scale = Math.min(1, longest / Math.max(part.width, part.height));
  const [width, height] = [Math.round(part.width * scale), Math.round(part.height * scale)];
  // To set them, even to what they are, makes a new canvas.
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.drawImage(video, part.x, part.y, part.width, part.height, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** As JPEG. @param {HTMLCanvasElement} canvas @param {number} quality @returns {Promise<Blob>} */
export function encoded(canvas, quality) {
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new CameraTrouble('busy'))), 'image/jpeg', quality));
}

/** A still of part of the video, as JPEG. @param {HTMLVideoElement} video @param {Part} part @param {number} longest @param {number} quality */
export const still = (video, part, longest, quality) => encoded(snapshot(video, part, longest), quality);
