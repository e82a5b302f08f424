/** Where the guide frame lies, on the stage and in the video. */

import { visiblePart } from '../face/fit.js';

/** @import { Box } from './edges.js' */

/** Width ÷ height of ID-1 cards and of a passport's page. @param {string | null | undefined} type */
export const ratioOf = (type) => (type === 'PASSPORT' ? 125 / 88 : 85.6 / 54);

/** @param {number} width @param {number} height of the stage @param {number} ratio @returns {Box} */
export function guideOnStage(width, height, ratio) {
  const wide = Math.min(width * 0.88, height * 0.74 * ratio);
  const tall = wide / ratio;
  return { x: (width - wide) / 2, y: (height - tall) / 2, width: wide, height: tall };
}

/** @param {Box} guide @param {{width: number, height: number}} stage @param {{width: number, height: number}} video @returns {Box} */
export function guideInVideo(guide, stage, video) {
  const visible = visiblePart(video.width, video.height, stage.width, stage.height);
  const scale = visible.width / stage.width;
  return { x: visible.x + guide.x * scale, y: visible.y + guide.y * scale, width: guide.width * scale, height: guide.height * scale };
}

/** The box with a margin all around, cut at the video's borders. @param {Box} box @param {number} margin @param {{width: number, height: number}} video @returns {Box} */
export function widened(box, margin, video) {
  const extra = margin * Math.min(box.width, box.height);
  const left = Math.max(0, box.x - extra);
  const top = Math.max(0, box.y - extra);
  return { x: left, y: top, width: Math.min(video.width, box.x + box.width + extra) - left, height: Math.min(video.height, box.y + box.height + extra) - top };
}
