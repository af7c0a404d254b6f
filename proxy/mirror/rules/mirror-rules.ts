// Compiles the settings of the mirror, once for each state of the settings. Unchanged upstreams are reused.

import { isDeepStrictEqual } from 'node:util';
import { sameStamp, stampFile, type FileStamp } from '../../../build/shared/files/file-stamp.ts';
import type { Freshness } from '../upstream/document-store.ts';
import type { CachedDocuments } from '../upstream/cached-documents.ts';
import type { ReportMirrorEvent } from '../upstream/mirror-event.ts';
import { createPrecedence, type Precedence } from '../../core/tree/precedence.ts';
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
  readonly report: ReportMirrorEvent;
}

/** Below the folder of the mirror: `libretto mirror refresh` writes it, and servers look whether it changed. */
export const refreshFile = 'refreshed';
const lookEveryMs = 1000;

/**
 * Gives the same for the same object of rules. After a change of settings, and after `libretto mirror refresh`,
 * upstreams forget what they did not have.
 */
export function createRulesCompiler(options: CompilerOptions): (rules: MirrorRules) => Compiled {
  let last: Compiled | undefined;
  const isRefreshed = watchRefresh(options);
  return (rules) => {
    const refreshed = isRefreshed();
    if (last?.rules === rules && !refreshed) return last;
    const before = last;
    const isChanged = refreshed || !isDeepStrictEqual({ ...before?.rules, releases: 0 }, { ...rules, releases: 0 });
    const upstreams = new Map<string, Upstream>();
    for (const settings of rules.upstreams) {
      const kept = sameUpstream(before, settings);
      if (isChanged) kept?.forget();
      const freshness = (): Freshness => last?.rules.freshness ?? rules.freshness;
      const folder = `${options.folder}/p2`;
      upstreams.set(settings.id, kept ?? new Upstream({ ...options, settings, folder, freshness }));
    }
    // one object while the upstreams are the same: lists and feeds of upstreams depend on it
    const same = before !== undefined && isSame(before.upstreams, upstreams) ? before.upstreams : upstreams;
    last = { rules, precedence: createPrecedence(rules), upstreams: same };
    return last;
  };
}

function watchRefresh({ folder, now }: CompilerOptions): () => boolean {
  const look = (): FileStamp | undefined => stampFile(`${folder}/${refreshFile}`);
  let [seen, lookedMs] = [look(), 0];
  return () => {
    if (Math.abs(now() - lookedMs) < lookEveryMs) return false;
    const before = seen;
    [seen, lookedMs] = [look(), now()];
    return !sameStamp(before, seen);
  };
}

function isSame(one: ReadonlyMap<string, Upstream>, other: ReadonlyMap<string, Upstream>): boolean {
  const others = [...other];
  return (
    one.size === other.size &&
    [...one].every(([id, upstream], at) => others[at]?.[0] === id && others[at][1] === upstream)
  );
}

/** An upstream of the same id, with the same address and credential. */
function sameUpstream(last: Compiled | undefined, settings: UpstreamSettings): Upstream | undefined {
  const of = ({ url, credential }: UpstreamSettings): string => JSON.stringify([url, credential ?? null]);
  const known = last?.rules.upstreams.find(({ id }) => id === settings.id);
  return known !== undefined && of(known) === of(settings) ? last?.upstreams.get(settings.id) : undefined;
}
