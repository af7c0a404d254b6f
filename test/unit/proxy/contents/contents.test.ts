// Tests who waits for the thread that looks into archives, with a thread that answers when the test says so.

import { expect, it } from 'vitest';
import type { IndexEntry } from '../../../../build/contract/serving-index.ts';
import { createContents, type Look } from '../../../../proxy/contents/contents.ts';
import { ThreadBusy, type RunInThread } from '../../../../proxy/packages/worker-thread.ts';

const archive = { path: 'dist/acme/cart/1.0.0.zip', shasum: 'a'.repeat(40), size: 1000 } as IndexEntry;

function open(failure?: Error) {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const run: RunInThread = <Result>(_name: string, task: unknown) => {
    asked.push(String((task as Look).paths[0]));
    return new Promise<Result>((resolve, reject) => {
      answers.push(() => (failure === undefined ? resolve(undefined as Result) : reject(failure)));
    });
  };
  const published = { epoch: () => Promise.resolve(1) };
  const contents = createContents({
    published,
    fileOf: ({ path }) => path,
    run,
    now: () => 0,
    onUnseen: () => undefined,
  });
  return { asked, answers, contents };
}

it('one person has one call in the thread, and others do not wait for the rest', async () => {
  const { asked, answers, contents } = open();
  const many = Array.from({ length: 110 }, (_, at) => contents('usr_one').raw(archive, `many${at}`));
  const refused = Promise.allSettled(many.slice(101));
  const one = contents('usr_two').raw(archive, 'one');
  await expect.poll(() => asked).toEqual(['many0', 'one']);
  for (const { status, reason } of (await refused) as PromiseRejectedResult[])
    expect([status, reason]).toMatchObject(['rejected', { code: 'OVERLOADED', details: { retry_after_seconds: 2 } }]);
  answers[1]?.();
  await one;
  expect(asked).toHaveLength(2);
});

it('an archive that takes too long is opened once', async () => {
  const { asked, answers, contents } = open(new Error('too slow'));
  const first = contents('usr_one').raw(archive, 'first');
  await expect.poll(() => asked).toEqual(['first']);
  answers[0]?.();
  expect(await first).toMatchObject({ kind: 'unseen' });
  expect(await contents('usr_two').raw(archive, 'second')).toMatchObject({ kind: 'unseen' });
  expect(asked).toEqual(['first']);
});

it('an archive is asked about again after the thread was busy', async () => {
  const { asked, answers, contents } = open(new ThreadBusy());
  for (const path of ['first', 'second']) {
    const refused = expect(contents('usr_one').look(archive, path, 1)).rejects.toMatchObject({ code: 'OVERLOADED' });
    await expect.poll(() => asked.at(-1)).toBe(path);
    answers.at(-1)?.();
    await refused;
  }
});
