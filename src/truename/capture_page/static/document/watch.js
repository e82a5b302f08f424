/** Looks at the live document picture again and again, and says what it sees. */

import { findEdges } from './edges.js';
import { guideInVideo, widened } from './guide.js';
import { documentHint } from './hints.js';
import { measure, toGray } from './quality.js';

/** @import { Box, Edges } from './edges.js' */
/** @import { DocumentHint } from './hints.js' */
/** @import { Quality } from './quality.js' */
/** @typedef {{hint: DocumentHint, edges: Edges, quality: Quality, now: number}} Seen */

const WIDTH = 400;
const EVERY = 55;

export class DocumentWatch {
  #running = false;
  #canvas = document.createElement('canvas');
  /** @type {Uint8Array | null} */
  #before = null;

  /**
   * @param {HTMLVideoElement} video
   * @param {() => {guide: Box, stage: {width: number, height: number}}} layout
   * @param {(seen: Seen) => void} report
   */
  constructor(video, layout, report) {
    this.video = video;
    this.layout = layout;
    this.report = report;
  }

  start() {
    this.#running = true;
    let last = 0;
    const tick = () => {
      if (!this.#running) return;
      const now = performance.now();
      if (now - last >= EVERY && this.video.videoWidth > 0) {
        last = now;
        this.report(this.look(now));
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  stop() {
    this.#running = false;
  }

  /** @param {number} now @returns {Seen} */
  look(now) {
    const began = performance.now();
    const { guide, stage } = this.layout();
    const size = { width: this.video.videoWidth, height: this.video.videoHeight };
    const inVideo = guideInVideo(guide, stage, size);
    const part = widened(inVideo, 0.17, size);
    const scale = WIDTH / part.width;
    const width = WIDTH;
    const height = Math.round(part.height * scale);
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width;
      this.#canvas.height = height;
      this.#before = null;
    }
    const context = /** @type {CanvasRenderingContext2D} */ (this.#canvas.getContext('2d', { willReadFrequently: true }));
    context.drawImage(this.video, part.x, part.y, part.width, part.height, 0, 0, width, height);
    const gray = new Uint8Array(width * height);
    toGray(context.getImageData(0, 0, width, height).data, gray);
    const box = { x: (inVideo.x - part.x) * scale, y: (inVideo.y - part.y) * scale, width: inVideo.width * scale, height: inVideo.height * scale };
    const edges = findEdges(gray, width, height, box);
    const quality = measure(gray, width, box, this.#before);
    this.#before = gray;
    performance.measure('truename.document', { start: began, end: performance.now() });
    return { hint: documentHint(edges, quality), edges, quality, now };
  }
}
