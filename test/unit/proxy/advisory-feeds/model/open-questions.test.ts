// Tests when a feed is asked again about packages that it has not answered about.

import { expect, it } from 'vitest';
import type { PackageName } from '../../../../../build/contract/name.ts';
import { OpenQuestions } from '../../../../../proxy/advisory-feeds/model/open-questions.ts';

const [one, two, three] = ['acme/one', 'acme/two', 'acme/three'] as [PackageName, PackageName, PackageName];

it('asks again about a package after a second, and ever later while that question fails', () => {
  const open = new OpenQuestions();
  const waits: number[] = [];
  for (let [turn, nowMs] = [0, 0]; turn < 8; turn += 1) {
    open.failed(one, nowMs, nowMs);
    const nextMs = open.nextAtMs() ?? 0;
    expect([open.mayAsk(one, nextMs - 1), open.mayAsk(one, nextMs), open.due(nextMs)]).toEqual([false, true, [one]]);
    waits.push((nextMs - nowMs) / 1000);
    nowMs = nextMs;
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
});

it('asks about other packages while one question fails, however often', () => {
  const open = new OpenQuestions();
  for (let turn = 0; turn < 9; turn += 1) open.failed(one, turn, turn);
  expect([open.mayAsk(one, 9), open.mayAsk(two, 9)]).toEqual([false, true]);
});

it('leaves a feed alone that fails about several packages, and tries one package first', () => {
  const open = new OpenQuestions();
  open.failed(one, 0, 10);
  open.failed(two, 20, 30);
  expect([open.mayAsk(three, 31), open.nextAtMs()]).toEqual([false, 2030]);
  open.hold(three, 31);
  expect([open.due(2029), open.due(2030)]).toEqual([[], [three]]);
  open.failed(three, 2030, 2040);
  expect(open.mayAsk('acme/four' as PackageName, 6000)).toBe(false);
  for (let turn = 0; turn < 20; turn += 1) open.failed(three, 100_000, 100_000);
  expect([open.due(129_999), open.due(130_000)]).toEqual([[], [one]]);
  open.answered(one);
  expect([open.due(130_000), open.names()]).toEqual([[two], [two, three]]);
  expect(open.mayAsk('acme/four' as PackageName, 100_000)).toBe(true);
});

it('counts questions that were under way together as one failure', () => {
  const open = new OpenQuestions();
  for (let at = 0; at < 8; at += 1) open.failed(`acme/p${at}` as PackageName, 0, 100 + at);
  expect(open.mayAsk(one, 1200)).toBe(true);
});

it('forgets what a run has answered meanwhile, and keeps the newest thousand', () => {
  const open = new OpenQuestions();
  for (let at = 0; at < 1001; at += 1) open.hold(`acme/p${at}` as PackageName, 0);
  expect(open.names()).toHaveLength(1000);
  expect(open.names()[0]).toBe('acme/p1');
  open.drop(() => true);
  expect([open.names(), open.nextAtMs()]).toEqual([[], undefined]);
});
