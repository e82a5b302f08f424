/** What does the page do about each error? Run by `node --test`. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CameraTrouble } from '../../src/truename/capture_page/static/camera.js';
import { Problem, problemOf, REACTIONS, reactionTo } from '../../src/truename/capture_page/static/errors.js';
import { TROUBLES } from '../../src/truename/capture_page/static/screens/trouble.js';

const words = JSON.parse(readFileSync(new URL('../../src/truename/capture_page/static/locales/en.json', import.meta.url), 'utf8'));

test('each reaction names a screen that exists and has words', () => {
  for (const [code, { shows }] of Object.entries(REACTIONS)) {
    assert.ok(shows === 'unknown' || shows in TROUBLES, `${code} shows ${shows}`);
    assert.ok(words[`trouble.${shows}`] && words[`trouble.${shows}_text`], `${code} shows ${shows} without words`);
  }
});

test('only what may pass by itself is tried again', () => {
  const waits = Object.keys(REACTIONS).filter((code) => new Problem(code).temporary);
  assert.deepEqual(waits.sort(), ['idempotency_key_in_flight', 'internal_error', 'not_ready', 'offline', 'too_many_at_once', 'too_many_requests', 'too_slow', 'unavailable']);
});

test('a camera that fails shows its own screen', () => {
  for (const fault of ['insecure', 'refused', 'missing', 'busy', 'low', 'black']) {
    assert.deepEqual(reactionTo(new CameraTrouble(fault)), { does: 'stop', shows: fault });
    assert.ok(fault in TROUBLES);
  }
});

const ANSWERS = [
  // status, body, Retry-After → code, seconds to wait
  [409, '{"code": "wrong_step"}', null, 'wrong_step', 0],
  [429, '{"code": "too_many_attempts"}', null, 'too_many_attempts', 0],
  [429, '<html>slow down</html>', '7', 'too_many_requests', 7],
  [502, '<html>bad gateway</html>', null, 'unavailable', 0],
  [503, '{"code": "not_ready"}', '2', 'unavailable', 2],
  [418, '{"code": "something_new"}', null, 'something_new', 0],
  [404, '', null, 'unheard_of', 0],
];

for (const [status, body, wait, code, seconds] of ANSWERS) {
  test(`an answer ${status} ${body || 'without a body'} is ${code}`, () => {
    const problem = problemOf(status, body, wait);
    assert.equal(problem.code, code);
    assert.equal(problem.retryAfter, seconds);
  });
}

test('what was never heard of is said plainly, with a way to try again', () => {
  for (const error of [new Problem('something_new'), new TypeError('a fault of ours'), null]) assert.deepEqual(reactionTo(error), { does: 'stop', shows: 'unknown' });
});
