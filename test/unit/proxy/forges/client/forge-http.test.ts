// Tests until when an answer asks to wait: the primary and secondary limits of GitHub, and 429 of the others.

import { expect, it } from 'vitest';
import { pausedUntil, type RequestedPause } from '../../../../../proxy/forges/client/forge-http.ts';

const nowMs = 1_800_000_000_000;
const seconds = (count: number): number => nowMs + count * 1000;
const pauseOf = (status: number, headers: Record<string, string>, text = ''): RequestedPause | undefined =>
  pausedUntil({ status, headers, text }, nowMs);
const until = (status: number, headers: Record<string, string>, text = ''): number | undefined =>
  pauseOf(status, headers, text)?.untilMs;
/** Every answer of GitHub has them. */
const hourly = { 'x-ratelimit-remaining': '4321', 'x-ratelimit-reset': '1800000900' };

it.each([
  ['429 with Retry-After', 429, { 'retry-after': '30' }, '', 30],
  ['403 with Retry-After: a secondary limit', 403, { 'retry-after': '120' }, '', 120],
  [
    '403 with nothing left until the reset',
    403,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1800000900' },
    '',
    900,
  ],
  ['429 of GitLab with its reset', 429, { 'ratelimit-reset': '1800000300' }, '', 300],
  ['429 without a time', 429, {}, '', 60],
  ['403 that speaks of a secondary rate limit', 403, {}, '{"message":"You have exceeded a secondary rate limit."}', 60],
  ['a secondary limit beside the headers of the hour', 403, hourly, 'You have exceeded a secondary rate limit', 60],
  ['429 beside the headers of the hour', 429, hourly, '', 60],
  ['a reset that is over', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1700000000' }, '', 60],
  ['a reset in a year', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1830000000' }, '', 7200],
])('%s asks to wait', (_name, status, headers, text, wait) => {
  expect(until(status, headers as Record<string, string>, text)).toBe(seconds(wait));
});

it('a time that the forge named is told from a guess', () => {
  expect(pauseOf(429, { 'retry-after': '30' })?.isNamed).toBe(true);
  expect(pauseOf(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1800000900' })?.isNamed).toBe(true);
  expect(pauseOf(403, hourly, 'You have exceeded a secondary rate limit')?.isNamed).toBe(false);
});

it('a forbidden path, an error and a good answer are no limits', () => {
  expect(until(403, { 'x-ratelimit-remaining': '4999' }, 'Resource not accessible')).toBeUndefined();
  expect(until(404, { 'x-ratelimit-remaining': '0' })).toBeUndefined();
  expect(until(200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1800000900' })).toBeUndefined();
  expect(until(503, { 'retry-after': '30' })).toBeUndefined();
});
