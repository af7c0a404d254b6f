// Tests that all opened parts are closed, even after a failure: a server whose disk is full still releases its lock.

import { describe, expect, it } from 'vitest';
import { CloseSteps } from '../../../../cli/core/close-steps.ts';

describe('close steps', () => {
  it('close steps run in reverse order, each once, even when one fails, and the first failure is reported', async () => {
    const closed: string[] = [];
    const steps = new CloseSteps();
    steps.add(() => void closed.push('state'));
    steps.add(async () => {
      closed.push('counts');
      throw new Error('the disk is full');
    });
    steps.add(() => {
      closed.push('mirror');
      throw new Error('the mirror is busy');
    });
    await expect(steps.run()).rejects.toThrow('the mirror is busy');
    await steps.run();
    expect(closed).toEqual(['mirror', 'counts', 'state']);
  });
});
