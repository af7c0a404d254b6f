// Tests the detection of a server that no longer replies.

import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createReplyTimeout } from '../../../../../proxy/core/limits/reply-timeout.ts';

describe('the reply timeout', () => {
  it('is reached when one request has waited too long, and ends all waiting requests', async () => {
    let heard: readonly string[] = [];
    const watch = createReplyTimeout<string>({
      lateMs: 10,
      silentMs: 20,
      onLate: () => undefined,
      onTimeout: () => (heard = watch.drain()),
      monotonicMs: () => performance.now(),
    });
    watch.add('first');
    watch.add('second');
    while (heard.length === 0) await delay(5);
    expect(heard).toEqual(['first', 'second']);
    expect(watch.replied('first')).toBe(false);
  });

  it('is reached although other requests got their replies in time', async () => {
    let nowMs = 0;
    let heard: readonly string[] = [];
    const watch = createReplyTimeout<string>({
      lateMs: 10,
      silentMs: 20,
      onLate: () => undefined,
      onTimeout: () => (heard = watch.drain()),
      monotonicMs: () => nowMs,
    });
    watch.add('answered');
    nowMs = 10;
    watch.add('waiting');
    expect(watch.replied('answered')).toBe(true);
    nowMs = 30;
    while (heard.length === 0) await delay(5);
    expect(heard).toEqual(['waiting']);
  });

  it('is not reached by replies that have arrived and were not read yet', async () => {
    let nowMs = 0;
    let heard = false;
    const watch = createReplyTimeout<string>({
      lateMs: 20,
      silentMs: 30,
      onLate: () => (heard = true),
      onTimeout: () => (heard = true),
      monotonicMs: () => nowMs,
    });
    // runs right before the timer under test, as after a pause of this process; the immediate call stands for reading
    // the socket
    setTimeout(() => setImmediate(() => watch.replied('waiting')), 20);
    watch.add('waiting');
    nowMs = 1000;
    await delay(60);
    expect(heard).toBe(false);
  });
});

describe('a late reply', () => {
  it('releases the requests that need not wait, except the oldest, until a reply arrives', async () => {
    let nowMs = 0;
    let silent = false;
    const released: string[] = [];
    const watch = createReplyTimeout<string>({
      lateMs: 10,
      silentMs: 60,
      onLate: () => void released.push(...watch.release((waiting) => waiting !== 'must wait')),
      onTimeout: () => (silent = true),
      monotonicMs: () => nowMs,
    });
    for (const waiting of ['first', 'second', 'must wait', 'third']) watch.add(waiting);
    nowMs = 10;
    while (released.length === 0) await delay(2);
    expect(released).toEqual(['second', 'third']);
    expect(watch.isLate()).toBe(true);
    expect(silent).toBe(false);
    expect(watch.replied('second')).toBe(false);
    expect(watch.isLate()).toBe(false);
    nowMs = 60;
    while (!silent) await delay(5);
    expect(watch.drain()).toEqual(['first', 'must wait']);
  });
});
