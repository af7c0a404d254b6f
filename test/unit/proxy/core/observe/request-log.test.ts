// Tests that the log line of a request is JSON whatever a client sends.

import { describe, expect, it } from 'vitest';
import { createLogTime, createRequestLog, type RequestLine } from '../../../../../proxy/core/observe/request-log.ts';

const line: RequestLine = {
  request_id: 'a-1',
  method: 'GET',
  path: '/packages.json',
  status: 200,
  bytes: 12,
  duration_ms: 0.25,
  token: 'tok_x',
  client: '192.0.2.1',
  aborted: false,
};

function written(change: Partial<RequestLine>): unknown {
  const lines: string[] = [];
  createRequestLog(
    (text) => lines.push(text),
    () => Date.UTC(2026, 0, 31, 12, 0, 0, 7),
  )({ ...line, ...change });
  expect(lines.join('')).toMatch(/^[^\n]*\n$/);
  return JSON.parse(lines.join(''));
}

describe('the line of a request', () => {
  const usual = { level: 30, time: '2026-01-31T12:00:00.007Z', ...line };

  it.each<[string, Partial<RequestLine>]>([
    ['a plain one', {}],
    ['a hostile path', { path: '/"},{"a":"\\\u0000\n\u2028é€' }],
    ['a hostile method', { method: 'G"\n' }],
    ['an odd address', { client: 'a"\n' }],
    ['no token', { token: null }],
  ])('is valid JSON: %s', (_name, change) => {
    const { aborted: _none, ...expected } = { ...usual, ...change };
    expect(written(change)).toEqual(expected);
  });

  it('is marked when the client left early', () => {
    expect(written({ aborted: true })).toEqual({ ...usual, aborted: true });
  });
});

describe('the time of a line', () => {
  it("is the clock's time to the millisecond, also when the clock is set back", () => {
    const times = [1_769_860_800_007, 1_769_860_800_007.9, 1_769_860_800_999, 1_769_860_801_000, 1_769_860_799_990];
    let at = 0;
    const time = createLogTime(() => times[at] ?? 0);
    const found = times.map((_, index) => {
      at = index;
      return time();
    });
    expect(found).toEqual(times.map((ms) => `,"time":"${new Date(ms).toISOString()}"`));
  });
});
