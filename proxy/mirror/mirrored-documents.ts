// Documents of mirrored packages, as clients get them. In memory as long as there is room; made again when the upstream has something new, when what is set
// changes, and when a version becomes old enough.

import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { ByteCache } from '../protocol/byte-cache.ts';
import { TextDocument } from '../protocol/document.ts';
import type { ArchiveShelf } from './archive-shelf.ts';
import type { Tell } from './mirror-event.ts';
import type { Compiled } from './mirror-rules.ts';
import { offeredVersions, type CheckRecord, type Offered, type OfferedVersion } from './offered-version.ts';
import { findOffer } from './offers.ts';
import { applyRules } from './release-rules.ts';
import { formatMirrored } from './rewrite.ts';
import { settleVersions } from './settled-versions.ts';
import type { Offer, Stability, Upstream } from './upstream.ts';

export interface Mirrored {
  /** undefined: there is no such package, or nothing of this stability */
  readonly document: TextDocument | undefined;
  /** since when the upstream could not be asked; undefined: it is current */
  readonly staleSinceMs: number | undefined;
}

interface Made extends Mirrored {
  readonly compiled: Compiled;
  /** by the ids of the upstreams that were asked */
  readonly asked: string;
  readonly digest: string | undefined;
  readonly accepted: number;
  readonly goodUntilMs: number;
  /** when a rule says something else */
  readonly changesAtMs: number | undefined;
}

export interface DocumentsOptions {
  readonly shelf: ArchiveShelf;
  readonly check: CheckRecord;
  readonly cacheBytes: number;
  readonly now: () => number;
  readonly tell: Tell;
}

/** Some ten milliseconds' worth. */
const versionsAtOnce = 50;

export class MirroredDocuments {
  readonly #options: DocumentsOptions;
  readonly #made: ByteCache<Made>;
  readonly #making = new Map<string, { readonly compiled: Compiled; readonly made: Promise<Made> }>();

  constructor(options: DocumentsOptions) {
    this.#options = options;
    this.#made = new ByteCache(options.cacheBytes);
  }

  /** `ids`: of the upstreams that the name may be asked of. Rejects with UpstreamUnavailable. */
  get(name: PackageName, stability: Stability, ids: readonly string[], compiled: Compiled, nowMs: number): Mirrored | Promise<Mirrored> {
    const key = keyOf(name, stability);
    const made = this.#made.get(key);
    if (made !== undefined && made.compiled === compiled && nowMs < made.goodUntilMs && made.asked === ids.join(' ')) return made;
    const making = this.#making.get(key);
    if (making?.compiled === compiled) return making.made;
    const fresh = this.#make(name, stability, ids, compiled).finally(() => {
      if (this.#making.get(key)?.made === fresh) this.#making.delete(key);
    });
    this.#making.set(key, { compiled, made: fresh });
    return fresh;
  }

  /** The memory that `document` takes has grown by so many bytes. */
  grow(name: PackageName, stability: Stability, document: TextDocument, bytes: number): void {
    const made = this.#made.get(keyOf(name, stability));
    if (made?.document === document) this.#made.grow(keyOf(name, stability), made, bytes);
  }

  async #make(name: PackageName, stability: Stability, ids: readonly string[], compiled: Compiled): Promise<Made> {
    const found = await findOffer(name, stability, ids.flatMap((id) => compiled.upstreams.get(id) ?? ([] as Upstream[])));
    const nowMs = this.#options.now();
    const asked = ids.join(' ');
    if (found?.offer === undefined) return this.#keep(keyOf(name, stability), { document: undefined, staleSinceMs: undefined, compiled, asked, digest: undefined, accepted: 0, goodUntilMs: nowMs + compiled.rules.freshness.missingMs, changesAtMs: undefined });
    const { offer } = found;
    const before = this.#made.get(keyOf(name, stability));
    const accepted = await this.#options.shelf.accepted(name);
    const same = before?.compiled === compiled && before.asked === asked && before.digest === offer.digest && before.accepted === accepted.size && nowMs < (before.changesAtMs ?? Number.POSITIVE_INFINITY);
    const { document, changesAtMs } = same ? before : await this.#format(name, stability, offer, compiled);
    const goodUntilMs = Math.min(offer.goodUntilMs, changesAtMs ?? Number.POSITIVE_INFINITY);
    return this.#keep(keyOf(name, stability), { document, staleSinceMs: offer.staleSinceMs, compiled, asked, digest: offer.digest, accepted: accepted.size, goodUntilMs, changesAtMs });
  }

  async #format(name: PackageName, stability: Stability, offer: Offer, { rules }: Compiled): Promise<Pick<Made, 'document' | 'changesAtMs'>> {
    const { shelf, check, tell, now } = this.#options;
    const { versions, leftOut } = await this.#offered(name, offer.document.versions);
    const [first] = leftOut;
    if (first !== undefined) tell({ kind: 'versions-left-out', name, count: leftOut.length, first: `${first.version}: ${first.because}` });
    const accepted = await shelf.accepted(name);
    const settled = await settleVersions(name, versions.filter(({ dev }) => dev === (stability === 'dev')), accepted, { shelf, check, tell });
    const ruled = applyRules(name, settled.versions.map(({ record }) => record), rules.releases, now());
    const offered = new Set(ruled.offered);
    const shown = settled.versions.filter(({ record }) => offered.has(record));
    if (shown.length === 0 && stability === 'dev') return { document: undefined, changesAtMs: ruled.changesAtMs };
    const { advisories, filter } = offer.document;
    const bytes = Buffer.from(await formatMirrored({ name, versions: shown, accepted, distBaseUrl: rules.distBaseUrl, warnings: ruled.warnings, advisories, filter }));
    const deviations = JSON.stringify([rules.distBaseUrl ?? null, ruled.refused.map(({ version }) => version), ruled.warnings, settled.changed]);
    return { document: new TextDocument(bytes, offer.changedAtMs - shiftMs(deviations)), changesAtMs: ruled.changesAtMs };
  }

  /** A document may have thousands of versions: other requests get their turn in between. */
  async #offered(name: PackageName, records: readonly JsonObject[]): Promise<Offered> {
    const versions = new Map<string, OfferedVersion>();
    const leftOut: Offered['leftOut'][number][] = [];
    for (let at = 0; at < records.length; at += versionsAtOnce) {
      const part = offeredVersions(name, records.slice(at, at + versionsAtOnce), this.#options.check);
      for (const version of part.versions) if (!versions.has(version.normalized)) versions.set(version.normalized, version);
      leftOut.push(...part.leftOut);
      if (at + versionsAtOnce < records.length) await nextTurn();
    }
    return { versions: [...versions.values()], leftOut };
  }

  #keep(key: string, made: Made): Made {
    this.#made.set(key, made, key.length + 512 + (made.document?.weight ?? 0));
    return made;
  }
}

function keyOf(name: PackageName, stability: Stability): string {
  return stability === 'dev' ? `${name}~dev` : name;
}

const noDeviations = JSON.stringify([null, [], [], []]);

/**
 * Last-Modified is the upstream's own. A document that differs from what the upstream says, because of what is set here, has it put back by a number of seconds
 * of its own (as in root-document.ts): the same on every host and after every restart.
 */
function shiftMs(deviations: string): number {
  return deviations === noDeviations ? 0 : (1 + (createHash('sha256').update(deviations).digest().readUInt32BE(0) % 86_399)) * 1000;
}
