/** Calls that end: what never answers is as lost as what breaks off, and nobody stands before a spinner for ever. */

/** An answer of a few kilobytes takes seconds on the slowest line; the service itself says after 12 s that it is busy. */
export const ANSWERED_WITHIN = 30_000;

/**
 * Ask, and give up after so many milliseconds: then the signal tells the call to end, which rejects it. The body of the answer
 * belongs to what is asked; it may stop in the middle.
 * @template T
 * @param {number} milliseconds
 * @param {(signal: AbortSignal) => Promise<T>} ask
 * @returns {Promise<T>}
 */
export async function within(milliseconds, ask) {
  const control = new AbortController();
  const timer = setTimeout(() => control.abort(), milliseconds);
  try {
    return await ask(control.signal);
  } finally {
    clearTimeout(timer);
  }
}
