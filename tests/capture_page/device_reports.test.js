/** Does a report of the device arrive, whatever the network does? Run by `node --test`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeviceReports } from '../../src/truename/capture_page/static/device_reports.js';
import { Problem } from '../../src/truename/capture_page/static/errors.js';

/** A service that fails as often as it is told; `seen` is what arrived. */
function service(failures = 0, code = 'offline') {
  let left = failures;
  const one = { seen: [], calls: 0, send: null };
  one.send = async (report) => {
    one.calls += 1;
    if (left > 0) {
      left -= 1;
      throw new Problem(code);
    }
    one.seen.push(report);
  };
  return one;
}

const plainly = (known) => ({ ...known });

test('a report is sent when something is known, and holds all that was known before', async () => {
  const { send, seen } = service();
  const reports = new DeviceReports(send, plainly);
  reports.tell({});
  reports.tell({ cameraLabels: ['Back Camera'] });
  reports.tell({ location: { permission: 'DENIED' } });
  await reports.delivered();
  assert.deepEqual(seen.at(-1), { cameraLabels: ['Back Camera'], location: { permission: 'DENIED' } });
});

test('what did not arrive is sent again before submitting', async (t) => {
  t.mock.method(console, 'warn', () => {});
  const { send, seen } = service(1);
  const reports = new DeviceReports(send, plainly);
  reports.tell({ cameraLabels: ['Front'] });
  await reports.delivered();
  assert.deepEqual(seen, [{ cameraLabels: ['Front'] }]);
});

test('while it does not arrive, whoever submits learns of it', async (t) => {
  t.mock.method(console, 'warn', () => {});
  const { send } = service(9, 'unavailable');
  const reports = new DeviceReports(send, plainly);
  reports.tell({});
  await assert.rejects(reports.delivered(), (error) => error instanceof Problem && error.temporary);
});

test('what has arrived is not sent twice', async () => {
  const one = service();
  const reports = new DeviceReports(one.send, plainly);
  reports.tell({});
  await reports.delivered();
  await reports.delivered();
  assert.equal(one.calls, 1);
});

test('who has nothing to tell is not held up: an earlier visit has reported', async () => {
  const one = service();
  await new DeviceReports(one.send, plainly).delivered();
  assert.equal(one.calls, 0);
});
