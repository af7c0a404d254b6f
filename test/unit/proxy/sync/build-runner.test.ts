// Tests what the end of a builder's process means: a state that does not answer is no other build.

import { expect, it } from 'vitest';
import { outOfReach } from '../../../../proxy/state/redis-reach.ts';
import { makeReport } from '../../../../proxy/sync/build-runner.ts';

it.each([
  [outOfReach('redis://127.0.0.1:6379', new Error('the connection is closed')).message, 'STATE_UNAVAILABLE'],
  ['/srv/build/lock: another process uses this data folder. Wait until it has ended and try again.', 'BUILD_BUSY'],
])('the exit code 75 after “%s” is %s', (message, code) => {
  const run = { exitCode: 75, report: undefined, messages: `a line before\nlibretto: ${message}` };
  expect(() => makeReport(run)).toThrow(expect.objectContaining({ code }));
});
