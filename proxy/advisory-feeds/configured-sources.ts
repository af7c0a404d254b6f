// The feeds that the configuration asks for: OSV, and each upstream of the mirror.

import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Upstream } from '../mirror/upstream/upstream.ts';
import type { FeedClient } from './feed-client.ts';
import type { FeedSource } from './feed-source.ts';
import { createOsvFeed, type OsvOptions } from './osv-feed.ts';
import { createUpstreamFeed, type Belongs } from './upstream-feed.ts';

/** What `Mirror.settings` gives. */
export interface MirrorStatus {
  /** `upstreams`: the same object while they are the same */
  readonly compiled: { readonly upstreams: ReadonlyMap<string, Upstream> };
  readonly belongs: Belongs;
}

export interface ConfiguredFeeds {
  /** undefined: OSV is not asked */
  readonly osv: Omit<OsvOptions, 'client'> | undefined;
  /** undefined: no upstream is asked */
  readonly mirror?: (() => MaybeAsync<MirrorStatus>) | undefined;
  /** false: no rule reads lists, and there is no feed; default: one does */
  readonly areRead?: (() => MaybeAsync<boolean>) | undefined;
}

/** The returned function gives the same array while the feeds are the same. */
export function configuredSources(
  { osv, mirror, areRead = () => true }: ConfiguredFeeds,
  client: FeedClient,
): () => MaybeAsync<readonly FeedSource[]> {
  const sources = allSources({ osv, mirror }, client);
  const none: readonly FeedSource[] = [];
  return () => andThen(areRead(), (read) => (read ? sources() : none));
}

function allSources(
  { osv, mirror }: Pick<ConfiguredFeeds, 'osv' | 'mirror'>,
  client: FeedClient,
): () => MaybeAsync<readonly FeedSource[]> {
  const always = osv === undefined ? [] : [createOsvFeed({ ...osv, client })];
  if (mirror === undefined) return () => always;
  const belongs = async (): Promise<Belongs> => (await mirror()).belongs;
  let last: ReadonlyMap<string, Upstream> | undefined;
  let sources: readonly FeedSource[] = always;
  return () =>
    andThen(mirror(), ({ compiled: { upstreams } }) => {
      if (upstreams !== last) {
        last = upstreams;
        sources = [
          ...always,
          ...[...upstreams.values()].map((upstream) => createUpstreamFeed({ upstream, client, belongs })),
        ];
      }
      return sources;
    });
}
