// Tests that commands which only read run once for all callers, one at a time, for a limited time, and not longer than
// the server.

import { describe, expect, it } from 'vitest';
import { createQuestions } from '../../../../proxy/inspection/questions.ts';
import { createScriptedBuilder } from '../../../util/scripted-builder.ts';

describe('a question', () => {
  it('is asked once for all who ask meanwhile, and again afterwards', async () => {
    const runner = createScriptedBuilder();
    const { ask } = createQuestions({ runner });
    const held = runner.hold();
    const answers = Promise.all([ask(['doctor']), ask(['doctor'])]);
    held.release();
    const [one, other] = await answers;
    expect(one).toBe(other);
    expect(runner.calls).toEqual([['doctor']]);
    await ask(['doctor']);
    expect(runner.calls).toHaveLength(2);
  });

  it('waits for the one before, and is refused where five wait', async () => {
    const runner = createScriptedBuilder();
    const { ask } = createQuestions({ runner });
    const held = runner.hold();
    const asked = [1, 2, 3, 4, 5, 6].map((serial) => ask(['rollback', String(serial)]));
    await expect(ask(['rollback', '7'])).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(runner.calls).toEqual([['rollback', '1']]);
    held.release();
    await Promise.all(asked);
    expect(runner.calls).toHaveLength(6);
  });

  it('ends after the time limit, and says so', async () => {
    const runner = createScriptedBuilder();
    runner.hold();
    await expect(createQuestions({ runner, longestMs: 10 }).ask(['doctor'])).rejects.toMatchObject({
      code: 'BUILD_FAILED',
      message: '`libretto doctor` did not end within 0.01 seconds.',
    });
    expect(runner.stopped()).toBe(1);
  });

  it('ends with the server', async () => {
    const runner = createScriptedBuilder();
    runner.hold();
    const { ask, close } = createQuestions({ runner });
    const refused = expect(ask(['doctor'])).rejects.toThrow();
    await close();
    await refused;
    expect(runner.stopped()).toBe(1);
  });

  it('throws the refusal of the command', async () => {
    const runner = createScriptedBuilder();
    runner.answer(() => ({
      exitCode: 1,
      report: { outcome: 'refused', code: 'CONFLICT', message: 'There is no publication 9 yet.' },
      messages: '',
    }));
    await expect(createQuestions({ runner }).ask(['rollback', '9'])).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'There is no publication 9 yet.',
    });
  });
});
