/** Does a call end that is never answered, and is a slow one left alone? Run by `node --test`. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { Api } from '../../src/truename/capture_page/static/api.js';
import { within } from '../../src/truename/capture_page/static/within.js';

/** A server that hears every request and says as much as it is told: nothing, or the beginning of an answer. */
async function aMuteServer(beginning) {
  const server = createServer((_, response) => {
    if (beginning) response.writeHead(200, { 'Content-Length': 1000 }).write(beginning);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => (server.closeAllConnections(), server.close()) };
}

for (const beginning of ['', '{"transaction_id":']) {
  test(`a call is given up that ${beginning ? 'stops in the middle of its answer' : 'is never answered'}`, { timeout: 10_000 }, async () => {
    const mute = await aMuteServer(beginning);
    try {
      await assert.rejects(within(300, async (signal) => (await fetch(mute.address, { signal })).text()), { name: 'AbortError' });
    } finally {
      mute.close();
    }
  });
}

test('what was answered in time keeps no clock running', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let given;
  assert.equal(await within(1000, async (signal) => ((given = signal), 'said')), 'said');
  t.mock.timers.tick(5000);
  assert.equal(given.aborted, false);
});

/** The browser's own, as far as the page uses it: sends nothing, and says what it is told. */
class Request extends EventTarget {
  static last = null;
  upload = new EventTarget();
  aborted = false;

  open() {
    Request.last = this;
  }

  setRequestHeader() {}
  send() {}

  abort() {
    this.aborted = true;
    this.dispatchEvent(new Event('abort'));
    this.dispatchEvent(new Event('loadend'));
  }
}

/** An upload under way, and how it ended. */
function anUpload(t) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  globalThis.XMLHttpRequest = Request;
  const ended = new Api('token').document('front', new Blob(['picture']), { country: null, type: null, source: 'CAMERA' }, 'key', () => {});
  const codes = [];
  ended.catch((error) => codes.push(error.code));
  return { ended, codes, request: Request.last, later: (seconds) => t.mock.timers.tick(seconds * 1000) };
}

test('a picture may take minutes on a slow line, as long as something goes out', async (t) => {
  const { ended, codes, request, later } = anUpload(t);
  for (let minute = 0; minute < 5; minute += 1) {
    later(55);
    request.upload.dispatchEvent(new Event('progress'));
  }
  request.upload.dispatchEvent(new Event('load'));
  later(110);
  assert.equal(request.aborted, false);
  Object.assign(request, { status: 200, responseText: '{"usable": true}' });
  request.dispatchEvent(new Event('load'));
  request.dispatchEvent(new Event('loadend'));
  assert.deepEqual(await ended, { usable: true });
  later(500);
  assert.deepEqual([request.aborted, codes], [false, []]);
});

for (const [what, sent, seconds] of [['of which nothing goes out', [], 60], ['that was sent and is never answered', ['progress', 'load'], 120]]) {
  test(`a picture ${what} is tried again as after a connection that broke`, async (t) => {
    const { ended, request, later } = anUpload(t);
    for (const name of sent) request.upload.dispatchEvent(new Event(name));
    later(seconds - 1);
    assert.equal(request.aborted, false);
    later(2);
    await assert.rejects(ended, { code: 'offline', temporary: true });
  });
}
