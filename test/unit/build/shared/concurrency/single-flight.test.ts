// Tests that work for one key runs once for all callers at the same time.
import { describe, expect, it } from 'vitest';
import { SingleFlight } from '../../../../../build/shared/concurrency/single-flight.ts';

/** Work that the test ends, with a count of its starts. */
function pausable(): { began: number; work: () => Promise<string>; end: (error?: Error) => void } {
  const waiting: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const work = {
    began: 0,
    work: () => {
      work.began += 1;
      return new Promise<string>((resolve, reject) => waiting.push({ resolve, reject }));
    },
    end: (error?: Error) => {
      for (const { resolve, reject } of waiting.splice(0)) void (error ? reject(error) : resolve('done'));
    },
  };
  return work;
}

describe('SingleFlight', () => {
  it('work for a key runs once for all callers while it runs, and again afterwards', async () => {
    const flight = new SingleFlight<string>();
    const job = pausable();
    const asked = [flight.run('a', job.work), flight.run('a', job.work), flight.run('b', job.work)];
    expect(job.began).toBe(2);
    job.end();
    expect(await Promise.all(asked)).toEqual(['done', 'done', 'done']);
    expect(flight.size).toBe(0);
    void flight.run('a', job.work);
    expect(job.began).toBe(3);
  });

  it('a failure reaches all waiting callers, and the next caller starts the work again', async () => {
    const flight = new SingleFlight<string>();
    const job = pausable();
    const asked = [flight.run('a', job.work), flight.run('a', job.work)];
    job.end(new Error('gone'));
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    void flight.run('a', job.work);
    expect(job.began).toBe(2);
  });

  it('work that takes too long leaves each of its callers with another value', async () => {
    const flight = new SingleFlight<string>();
    const job = pausable();
    const late = () => flight.within('a', job.work, 5, () => 'known');
    expect([await late(), await late()]).toEqual(['known', 'known']);
    job.end();
    await expect.poll(() => flight.size).toBe(0);
    const next = flight.within('a', job.work, 120_000, () => 'known');
    job.end();
    expect([await next, job.began]).toEqual(['done', 2]);
  });

  it('calls with different dependencies share no work, and a caller joins the newest work', async () => {
    const flight = new SingleFlight<string>();
    const job = pausable();
    const [older, newer] = [{}, {}];
    const first = flight.run('a', job.work, [older]);
    const second = flight.run('a', job.work, [newer]);
    expect(second).not.toBe(first);
    expect(flight.run('a', job.work, [newer])).toBe(second);
    expect(flight.get('a', [older])).toBeUndefined();
    expect(job.began).toBe(2);
    job.end();
    await second;
    expect(flight.size).toBe(0);
  });

  it.each([
    ['running', 'done', 2],
    ['running', 'failed', 2],
    ['fulfilled', 'done', 1],
    ['fulfilled', 'failed', 2],
    ['settled', 'done', 1],
    ['settled', 'failed', 1],
  ] as const)(
    'with keeps: %s, work that is %s begins %i times for two consecutive callers',
    async (keeps, how, times) => {
      const flight = new SingleFlight<string>({ keeps });
      const job = pausable();
      for (let turn = 0; turn < 2; turn += 1) {
        const asked = flight.run('a', job.work);
        job.end(how === 'failed' ? new Error('gone') : undefined);
        await asked.catch(() => undefined);
      }
      expect(job.began).toBe(times);
      flight.forget('a');
      void flight.run('a', job.work);
      expect(job.began).toBe(times + 1);
    },
  );
});
