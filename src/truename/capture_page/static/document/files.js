/** A picture from disk: made into something that the service takes. */

import { Problem } from '../errors.js';

const LONGEST = 4000;
/** What the service unpacks at most; a phone's camera may take more. */
export const MOST_PIXELS = 40_000_000;

/**
 * As it is when it fits; otherwise decoded and written anew as JPEG.
 * @param {File} file @param {{image_bytes: number, image_types: string[]}} limits
 * @returns {Promise<Blob>}
 */
export async function pictureFrom(file, limits) {
  const bitmap = await createImageBitmap(file).catch(() => null);
  const pixels = bitmap ? bitmap.width * bitmap.height : 0;
  if (limits.image_types.includes(file.type) && file.size <= limits.image_bytes && pixels <= MOST_PIXELS) {
    bitmap?.close(); // four bytes a pixel, which a phone would otherwise keep for a while
    return file;
  }
  if (!bitmap) throw new Problem('unsupported_media_type');
  return shrunk(bitmap, LONGEST);
}

/** @param {ImageBitmap} bitmap @param {number} longest @returns {Promise<Blob>} */
export function shrunk(bitmap, longest) {
  const scale = Math.min(1, longest / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(bitmap.width * scale);
  canvas.height = Math.round(bitmap.height * scale);
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Problem('invalid_image'))), 'image/jpeg', 0.9));
}
