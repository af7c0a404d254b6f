// Tests who waits for the thread that looks into archives, with a thread that answers when the test says so.

import { expect, it } from 'vitest';
import type { IndexEntry } from '../../../../build/contract/serving-index.ts';
import { createContents, type Look, type Viewer } from '../../../../proxy/contents/contents.ts';
import { ThreadBusy, type RunInThread } from '../../../../proxy/packages/worker-thread.ts';

const archive = { path: 'dist/acme/cart/1.0.0.zip', shasum: 'a'.repeat(40), size: 1000 } as IndexEntry;

const viewer = (userId: string, isGone = () => false): Viewer => ({ caller: { userId }, isGone });
const [one, two] = [viewer('usr_one'), viewer('usr_two')];

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
  const many = Array.from({ length: 110 }, (_, at) => contents(viewer('usr_one')).raw(archive, `many${at}`));
  // those that wait may be refused at the end of the test
  void Promise.allSettled(many);
  const refused = Promise.allSettled(many.slice(101));
  const other = contents(two).raw(archive, 'one');
  await expect.poll(() => asked).toEqual(['many0', 'one']);
  for (const { status, reason } of (await refused) as PromiseRejectedResult[])
    expect([status, reason]).toMatchObject(['rejected', { code: 'OVERLOADED', details: { retry_after_seconds: 2 } }]);
  answers[1]?.();
  await other;
  expect(asked).toHaveLength(2);
});

it('a client that has gone takes no turn, and none of the places of those that wait', async () => {
  const { asked, answers, contents } = open();
  let isGone = false;
  const gone = (): Viewer => viewer('usr_one', () => isGone);
  const first = contents(one).raw(archive, 'first');
  const left = Promise.allSettled(Array.from({ length: 100 }, (_, at) => contents(gone()).raw(archive, `gone${at}`)));
  isGone = true;
  const next = contents(one).raw(archive, 'next');
  await expect.poll(() => asked).toEqual(['first']);
  answers[0]?.();
  await Promise.all([first, left]);
  await expect.poll(() => asked).toEqual(['first', 'next']);
  answers[1]?.();
  await next;
});

it('a file that takes too long is not read again, and after three of them their archive', async () => {
  const { asked, answers, contents } = open(new Error('too slow'));
  const visit = async (path: string): Promise<void> => {
    const answer = contents(one).raw(archive, path);
    await expect.poll(() => asked.at(-1)).toBe(path);
    answers.at(-1)?.();
    expect(await answer).toMatchObject({ kind: 'unseen' });
  };
  await visit('first');
  expect(await contents(two).raw(archive, 'first')).toMatchObject({ kind: 'unseen' });
  await visit('second');
  await visit('third');
  expect(await contents(two).raw(archive, 'fourth')).toMatchObject({ kind: 'unseen' });
  expect(asked).toEqual(['first', 'second', 'third']);
});

it('an archive is asked about again after the thread was busy', async () => {
  const { asked, answers, contents } = open(new ThreadBusy());
  for (const path of ['first', 'second']) {
    const refused = expect(contents(one).look(archive, path, 1)).rejects.toMatchObject({ code: 'OVERLOADED' });
    await expect.poll(() => asked.at(-1)).toBe(path);
    answers.at(-1)?.();
    await refused;
  }
});
