/** Is the face in the oval? Which one hint helps? */

/** @import { FaceMeasure } from '../wire.js' */
/** A face as the person sees it on the stage: lengths as fractions of the stage's height, from its centre. @typedef {{x: number, y: number, size: number, yaw: number, pitch: number}} StagedFace */
/** @typedef {'no_face' | 'several' | 'dark' | 'closer' | 'farther' | 'centre' | 'straight' | 'slower' | 'again_slower' | 'more_left' | 'more_right' | 'higher' | 'lower' | 'ready'} FaceHint */

export const FIT = { smallest: 0.36, largest: 0.54, off: 0.11, yaw: 13, pitch: 24 };
const DARK = 45;

/**
 * The part of the video that the stage shows (it covers the stage and is cut at the middle).
 * @param {number} videoWidth @param {number} videoHeight @param {number} stageWidth @param {number} stageHeight
 */
export function visiblePart(videoWidth, videoHeight, stageWidth, stageHeight) {
  const scale = Math.max(stageWidth / videoWidth, stageHeight / videoHeight);
  const width = Math.min(videoWidth, stageWidth / scale);
  const height = Math.min(videoHeight, stageHeight / scale);
  return { x: (videoWidth - width) / 2, y: (videoHeight - height) / 2, width, height };
}

/**
 * @param {FaceMeasure} face @param {number} videoWidth @param {number} videoHeight
 * @param {{height: number}} visible
 * @returns {StagedFace}
 */
export function onStage(face, videoWidth, videoHeight, visible) {
  return {
    x: ((face.x - 0.5) * videoWidth) / visible.height,
    y: ((face.y - 0.5) * videoHeight) / visible.height,
    size: (face.size * videoHeight) / visible.height,
    yaw: face.yaw,
    pitch: face.pitch,
  };
}

/** @param {readonly StagedFace[]} faces @param {number} brightness 0–255 @returns {FaceHint} */
export function fitHint(faces, brightness) {
  const [face, other] = [...faces].sort((a, b) => b.size - a.size);
  if (brightness < DARK) return 'dark';
  if (!face) return 'no_face';
  // A small face far behind is a passer-by or a picture on the wall.
  if (other && other.size > face.size * 0.5) return 'several';
  if (face.size < FIT.smallest) return 'closer';
  if (face.size > FIT.largest) return 'farther';
  if (Math.abs(face.x) > FIT.off || Math.abs(face.y) > FIT.off) return 'centre';
  if (Math.abs(face.yaw) > FIT.yaw || Math.abs(face.pitch) > FIT.pitch) return 'straight';
  return 'ready';
}
