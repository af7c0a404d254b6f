// The feeds of one process of a registry, with a clock and names that the test sets.

import type { PackageName } from '../../build/contract/name.ts';
import type { FeedEvent } from '../../proxy/advisory-feeds/feed-event.ts';
import type { FeedLists } from '../../proxy/advisory-feeds/feed-lists.ts';
import { createFeeds, type FeedOptions, type Feeds } from '../../proxy/advisory-feeds/feeds.ts';

export interface OpenedFeeds extends AsyncDisposable {
  readonly feeds: Feeds;
  readonly events: FeedEvent[];
  /** epoch milliseconds; the test moves it */
  readonly clock: { nowMs: number };
  /** the packages of the registry */
  readonly names: Set<string>;
  /** identifiers of the advisories about a package, sorted */
  readonly ids: (name: string) => readonly string[];
  readonly entries: (name: string) => readonly string[];
}

/** Feeds of a process of a registry, which may connect to loopback. */
export function openFeeds(
  folder: string,
  url: string | undefined,
  options: Partial<FeedOptions> & { readonly of?: readonly string[] } = {},
): OpenedFeeds {
  const events: FeedEvent[] = [];
  const clock = { nowMs: Date.parse('2026-06-01T00:00:00Z') };
  const names = new Set(options.of ?? []);
  const feeds = createFeeds({
    folder,
    osv: url === undefined ? undefined : { url },
    names: () => Promise.resolve([...names] as PackageName[]),
    isLeader: () => true,
    allowAddresses: ['127.0.0.0/8'],
    userAgent: 'Libretto/test',
    limits: { answerMs: 2000, idleTimeoutMs: 1000, answerBytes: 1024 ** 2 },
    now: () => clock.nowMs,
    random: () => 0.5,
    report: (event) => events.push(event),
    ...options,
  });
  return {
    feeds,
    events,
    clock,
    names,
    ...readers(() => {
      clock.nowMs += 2000; // looks at the files again
      return feeds.lists();
    }),
    [Symbol.asyncDispose]: feeds.close,
  };
}

const readers = (lists: () => FeedLists): Pick<OpenedFeeds, 'ids' | 'entries'> => ({
  ids: (name) => {
    const advisories = lists().advisoriesOf(name as PackageName);
    return advisories.map(({ id }) => id).toSorted();
  },
  entries: (name) => {
    const entries = lists().entriesOf(name as PackageName);
    return entries.map(({ list, constraint }) => `${list} ${constraint}`);
  },
});
