// Tests the feed of changes at exact times: a follower misses no change, however many publications one second has.

import type { IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PackageName } from '../../../../build/contract/name.ts';
import type { Publication } from '../../../../build/contract/publication.ts';
import { createChangeFeed, type ChangeFeedParts } from '../../../../proxy/changes/change-feed.ts';
import type { RecordedChange } from '../../../../proxy/core/tree/package-releases.ts';

/** Any day, epoch milliseconds. */
const dayMs = 1_600_000_000_000;

describe('a follower of the feed', () => {
  const published = new Map<PackageName, readonly RecordedChange[]>();
  let serial = 0;
  let nowMs = 0;
  let announced: Publication | undefined;
  let unread: Promise<never> | undefined;
  beforeEach(() => {
    [announced, unread, feed] = [undefined, undefined, createChangeFeed(parts)];
    published.clear();
    nowMs = dayMs + 10_000;
  });

  const publish = (name: string): void => {
    serial += 1;
    const before = published.get(name as PackageName) ?? [];
    published.set(name as PackageName, [...before, { serial, at: Math.floor(nowMs / 1000) }]);
  };
  const parts: ChangeFeedParts = {
    files: {
      epoch: () => serial,
      publication: () => announced,
      visible: { of: () => ({ listed: new Set(published.keys()), seconds: undefined }) },
      releases: (name) => unread ?? { changesSeen: (kind) => (kind === 'stable' ? (published.get(name) ?? []) : []) },
    },
    policy: { rules: () => undefined },
  };
  let feed: ReturnType<typeof createChangeFeed>;
  const ask = async (since: number): Promise<{ names: string[]; timestamp: number }> => {
    const route = feed.routeOf('/metadata/changes.json', `since=${since}`);
    const answer = await route?.answer({
      incoming: { headers: {} } as IncomingMessage,
      token: undefined,
      clientAddress: '127.0.0.1',
      requestId: 'r',
      nowMs,
      sendContinue: () => undefined,
    });
    const { actions, timestamp } = JSON.parse(String(answer?.body)) as {
      actions: { package: string }[];
      timestamp: number;
    };
    return { names: actions.map((action) => action.package), timestamp };
  };

  it('gets a second change of a package in the second after that of another package', async () => {
    publish('acme/a');
    publish('acme/b');
    nowMs = dayMs + 10_900;
    const { names, timestamp } = await ask(dayMs * 10 + 10_000);
    expect(names).toEqual(['acme/a', 'acme/b']);
    nowMs = dayMs + 11_000;
    publish('acme/a');
    expect((await ask(timestamp)).names).toContain('acme/a');
  });

  it('gets a publication of the second in which it asked, and gets none again once that second is over', async () => {
    publish('acme/a');
    const first = await ask(dayMs * 10 + 10_000);
    publish('acme/b');
    const second = await ask(first.timestamp);
    expect(second.names).toContain('acme/b');
    nowMs = dayMs + 11_000;
    const third = await ask(second.timestamp);
    expect((await ask(third.timestamp)).names).toEqual([]);
  });

  it('gets what a publisher published whose clock went back, and no more once it is right again', async () => {
    nowMs = dayMs + 20_000;
    publish('acme/a');
    nowMs = dayMs + 15_000;
    publish('acme/b');
    const first = await ask(dayMs * 10 + 10_000);
    expect(first.names).toEqual(['acme/a', 'acme/b']);
    publish('acme/c');
    const second = await ask(first.timestamp);
    expect(second.names).toEqual(['acme/b', 'acme/c']);
    nowMs = dayMs + 30_000;
    publish('acme/a');
    const third = await ask(second.timestamp);
    expect(third.names).toEqual(['acme/c', 'acme/a']);
    nowMs = dayMs + 31_000;
    expect((await ask((await ask(third.timestamp)).timestamp)).names).toEqual([]);
  });

  it('gets its answer from a server that has read no index yet, where nothing was published since', async () => {
    publish('acme/a');
    nowMs = dayMs + 20_000;
    const { timestamp } = await ask(dayMs * 10 + 10_000);
    announced = { feed: { at: dayMs / 1000 + 10, time: dayMs / 1000 + 10, kept: 0 } } as Publication;
    [feed, unread] = [createChangeFeed(parts), new Promise(() => undefined)];
    expect(await ask(timestamp)).toEqual({ names: [], timestamp });
    expect((await ask(timestamp + 10_000)).names).toEqual(['*']);
  });
});
