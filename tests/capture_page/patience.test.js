/** What is said of a sending that waits. Run by `node --test`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../src/truename/capture_page/static/errors.js';
import { Patience } from '../../src/truename/capture_page/static/patience.js';

/** Each wait of a sending that fails in these ways before it succeeds: was the service said to be busy? @param {string[]} codes */
async function waitsOf(codes) {
  globalThis.addEventListener ??= () => {};
  globalThis.removeEventListener ??= () => {};
  const waits = [];
  const patience = new Patience(() => {
    if (!patience.waiting || waits.length >= codes.length) return;
    waits.push(patience.busy);
    setTimeout(() => patience.retryNow());
  });
  const left = [...codes];
  await patience.run(async () => {
    const code = left.shift();
    if (code) throw new Problem(code);
  });
  return waits;
}

test('a service that is busy is not called a network that is away', async () => {
  assert.deepEqual(await waitsOf(['offline', 'not_ready', 'too_many_requests', 'too_slow']), [false, true, true, false]);
});
