// Noticing a server that has gone silent, and only then.

import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSilenceWatch } from '../../../proxy/limits/silence.ts';

describe('a silence', () => {
  it('is noticed when one has waited too long, and ends the waiting of all', async () => {
    let heard: readonly string[] = [];
    const watch = createSilenceWatch<string>(20, () => (heard = watch.drain()), () => performance.now());
    watch.add('first');
    watch.add('second');
    while (heard.length === 0) await delay(5);
    expect(heard).toEqual(['first', 'second']);
    expect(watch.remove('first')).toBe(false);
  });

  it('is noticed although others were answered in time', async () => {
    let heard: readonly string[] = [];
    const watch = createSilenceWatch<string>(20, () => (heard = watch.drain()), () => performance.now());
    watch.add('answered');
    await delay(10);
    watch.add('waiting');
    expect(watch.remove('answered')).toBe(true);
    while (heard.length === 0) await delay(5);
    expect(heard).toEqual(['waiting']);
  });

  it('is not seen in replies that have arrived but were not read yet', async () => {
    let nowMs = 0;
    let heard = false;
    const watch = createSilenceWatch<string>(20, () => (heard = true), () => nowMs);
    // runs right before the watch's own timer, as after a pause of this process; what it queues stands for reading the socket
    setTimeout(() => setImmediate(() => watch.remove('waiting')), 20);
    watch.add('waiting');
    nowMs = 1000;
    await delay(60);
    expect(heard).toBe(false);
  });
});
