// Tests work that runs in batches of limited size.

import { describe, expect, it } from 'vitest';
import { runBatch } from '../../../../../build/shared/concurrency/batch.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('work in batches', () => {
  it('results come in the order of the items, and at most the given number of items runs at once', async () => {
    let [running, most] = [0, 0];
    const results = await runBatch([3, 1, 2, 5, 4], 2, async (turns) => {
      running += 1;
      most = Math.max(most, running);
      for (let at = 0; at < turns; at += 1) await turn();
      running -= 1;
      return turns * 10;
    });
    expect(results).toEqual([30, 10, 20, 50, 40]);
    expect(most).toBe(2);
  });

  it('the first failure is reported once no item is running, and no item starts after it', async () => {
    const [begun, ended]: [string[], string[]] = [[], []];
    const failing = runBatch(['slow', 'failing', 'later'], 2, async (name) => {
      begun.push(name);
      if (name === 'failing') throw new Error('the disk is full');
      for (let at = 0; at < 5; at += 1) await turn();
      ended.push(name);
    });
    await expect(failing).rejects.toThrow('the disk is full');
    expect(begun).toEqual(['slow', 'failing']);
    expect(ended).toEqual(['slow']);
  });
});
