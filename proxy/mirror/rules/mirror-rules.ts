// Compiles the settings of the mirror, once for each state of the settings. Unchanged upstreams are reused.

import type { Freshness } from '../upstream/document-store.ts';
import type { CachedDocuments } from '../upstream/cached-documents.ts';
import type { Tell } from '../upstream/mirror-event.ts';
import { createPrecedence, type Precedence } from '../../tree/precedence.ts';
import type { ReleaseRules } from './release-rules.ts';
import { Upstream, type UpstreamSettings } from '../upstream/upstream.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';

export interface MirrorRules {
  /** patterns of names that are never mirrored */
  readonly reserved: readonly string[];
  readonly sharedVendors: readonly string[];
  /** in the order of the requests; empty: mirroring is off */
  readonly upstreams: readonly UpstreamSettings[];
  readonly releases: ReleaseRules;
  readonly freshness: Freshness;
  /** the address of archives in documents; undefined: a path */
  readonly distBaseUrl: string | undefined;
}

export interface Compiled {
  readonly rules: MirrorRules;
  readonly precedence: Precedence;
  readonly upstreams: ReadonlyMap<string, Upstream>;
}

export interface CompilerOptions {
  /** folder of the mirror */
  readonly folder: string;
  readonly client: UpstreamClient;
  readonly kept: CachedDocuments;
  readonly now: () => number;
  readonly tell: Tell;
}

/** Gives the same for the same object of rules. */
export function createRulesCompiler({
  folder,
  client,
  kept,
  now,
  tell,
}: CompilerOptions): (rules: MirrorRules) => Compiled {
  let last: Compiled | undefined;
  return (rules) => {
    if (last?.rules === rules) return last;
    const upstreams = new Map<string, Upstream>();
    for (const settings of rules.upstreams) {
      const before = last?.upstreams.get(settings.id);
      const same =
        before !== undefined &&
        sameAddress(
          last?.rules.upstreams.find(({ id }) => id === settings.id),
          settings,
        );
      upstreams.set(
        settings.id,
        same
          ? before
          : new Upstream({
              settings,
              folder: `${folder}/p2`,
              client,
              kept,
              freshness: () => last?.rules.freshness ?? rules.freshness,
              now,
              tell,
            }),
      );
    }
    // one object while the upstreams are the same: lists and feeds of upstreams depend on it
    const same = last !== undefined && isSame(last.upstreams, upstreams) ? last.upstreams : upstreams;
    last = { rules, precedence: createPrecedence(rules), upstreams: same };
    return last;
  };
}

function isSame(one: ReadonlyMap<string, Upstream>, other: ReadonlyMap<string, Upstream>): boolean {
  const others = [...other];
  return (
    one.size === other.size &&
    [...one].every(([id, upstream], at) => others[at]?.[0] === id && others[at][1] === upstream)
  );
}

function sameAddress(one: UpstreamSettings | undefined, other: UpstreamSettings): boolean {
  return (
    one !== undefined && one.url === other.url && JSON.stringify(one.credential) === JSON.stringify(other.credential)
  );
}
