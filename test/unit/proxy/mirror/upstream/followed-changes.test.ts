// Tests that a mirror follows the feed of changes of an upstream: it asks one question instead of one for each document,
// learns of a change at once, and does without a feed that fails.

import { describe, expect, it } from 'vitest';
import { pollMs } from '../../../../../proxy/mirror/upstream/followed-changes.ts';
import { runMirror, type RunningMirror } from '../../../../util/running-mirror.ts';
import { startUpstream, type TestUpstream } from '../../../../util/upstream.ts';

interface Action {
  readonly type: string;
  readonly package: string;
}
interface Followed extends AsyncDisposable {
  readonly upstream: TestUpstream;
  readonly mirror: RunningMirror;
  /** the answer to the next questions; undefined: the feed fails */
  feed: readonly Action[] | undefined;
  /** Moves the clock, and reads both packages. */
  readonly later: (ms: number) => Promise<void>;
  readonly documents: () => number;
  readonly newest: () => Promise<string | undefined>;
}

const second = 1000;
const freshMs = 600 * second;
const paths = ['one', 'two'] as const;

async function follow(root: object = {}): Promise<Followed> {
  const upstream = await startUpstream({ root: { 'metadata-changes-url': '/changes.json', ...root } });
  for (const name of paths) upstream.put(`acme/${name}`, [{ version: '1.0.0' }, { version: 'dev-main' }]);
  const mirror = runMirror([upstream.url]);
  const read = async (): Promise<void> => {
    for (const name of paths) expect((await mirror.provider(`acme/${name}`))?.status).toBe(200);
  };
  const followed: Followed = {
    upstream,
    mirror,
    feed: [],
    later: async (ms) => {
      mirror.clock.nowMs += ms;
      await read();
    },
    documents: () => upstream.asked('/p2/'),
    newest: async () => {
      const records = (await mirror.provider('acme/one'))?.json().packages['acme/one'];
      return Object.keys(records ?? {})
        .toSorted()
        .at(-1);
    },
    [Symbol.asyncDispose]: async () => {
      await mirror[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
  let timestamp = 17_000_000_000_000;
  upstream.instead('/changes.json', (_request, response) => {
    if (followed.feed === undefined) return void response.writeHead(500).end('no');
    timestamp += 10_000;
    response.writeHead(200).end(JSON.stringify({ actions: followed.feed, timestamp }));
    followed.feed = [];
  });
  await read(); // packages.json names the feed
  await followed.later(pollMs + second); // the feed begins
  await followed.later(freshMs); // each document is checked once more, after it began
  return followed;
}

describe('a mirror of an upstream with a feed of changes', () => {
  it('asks the feed, and no document that it does not name', async () => {
    await using followed = await follow();
    const [documents, asked] = [followed.documents(), followed.upstream.asked('/changes.json')];
    for (let round = 0; round < 5; round += 1) await followed.later(freshMs + second);
    expect(followed.documents()).toBe(documents);
    expect(followed.upstream.asked('/changes.json')).toBe(asked + 5);
    await followed.later(second);
    expect(followed.upstream.asked('/changes.json')).toBe(asked + 5);
  });

  it('checks packages that the upstream itself mirrors, since its feed does not tell their changes', async () => {
    const listed = { 'available-packages': ['acme/two'], 'available-package-patterns': ['acme/*'] };
    await using followed = await follow(listed);
    const [one, two] = paths.map((name) => followed.upstream.asked(`/p2/acme/${name}`));
    followed.upstream.put('acme/one', [{ version: '1.1.0' }, { version: '1.0.0' }]);
    await followed.later(freshMs + second);
    expect(await followed.newest()).toBe('1.1.0');
    expect(followed.upstream.asked('/p2/acme/one')).toBeGreaterThan(one ?? 0);
    expect(followed.upstream.asked('/p2/acme/two')).toBe(two);
  });

  it('has a new version within seconds, and asks only for its document', async () => {
    await using followed = await follow();
    followed.upstream.put('acme/one', [{ version: '1.1.0' }, { version: '1.0.0' }]);
    followed.feed = [{ type: 'update', package: 'acme/one' }];
    const two = followed.upstream.asked('/p2/acme/two');
    await followed.later(pollMs + second);
    expect(await followed.newest()).toBe('1.1.0');
    expect(followed.upstream.asked('/p2/acme/two')).toBe(two);
  });

  it('looks for some seconds at a document that changed: a host of the upstream may be late', async () => {
    await using followed = await follow();
    followed.feed = [{ type: 'update', package: 'acme/one' }];
    await followed.later(pollMs + second);
    followed.upstream.put('acme/one', [{ version: '1.1.0' }, { version: '1.0.0' }]);
    await followed.later(pollMs + second);
    expect(await followed.newest()).toBe('1.1.0');
  });

  it.each([
    ['fails', undefined],
    ['says that everything may have changed', [{ type: 'resync', package: '*' }]],
    ['says what this version does not know', [{ type: 'rename', package: 'acme/one' }]],
  ] as const)('checks each document as without a feed, while it %s', async (_, feed) => {
    await using followed = await follow();
    followed.feed = feed;
    await followed.later(pollMs + second);
    followed.feed = feed;
    const documents = followed.documents();
    await followed.later(freshMs + second);
    expect(followed.documents()).toBeGreaterThanOrEqual(documents + 2);
    expect(followed.mirror.of('document-failed')).toEqual([]);
  });

  it('checks each document in the end, whatever the feed says', async () => {
    await using followed = await follow();
    followed.upstream.put('acme/one', [{ version: '1.1.0' }, { version: '1.0.0' }]);
    for (let round = 0; round < 11; round += 1) await followed.later(freshMs);
    expect(await followed.newest()).toBe('1.1.0');
  });
});
