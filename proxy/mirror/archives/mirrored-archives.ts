// Archives of mirrored packages: accepted archives from disk, new ones from their upstream.

import { createHash } from 'node:crypto';
import type { RequestedVersion } from '../../protocol/mirrored-packages.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import { isDevVersion, normalizeVersion } from '../../../build/contract/version.ts';
import type { Answer } from '../../http/answer.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { archiveHeaders, ArchiveMismatch } from '../../tree/archive-store.ts';
import { isAbsence } from '../../../build/shared/files/file-stamp.ts';
import { cacheHeaders, type Conditions } from '../../http/representation.ts';
import { tombstoneOf } from '../../protocol/tombstones.ts';
import type { ArchiveFetcher, Arrival, Fetch } from './archive-fetcher.ts';
import type { ArchiveRecord } from './archive-record.ts';
import type { AcceptedArchiveStore } from './accepted-archive-store.ts';
import type { Tell } from '../upstream/mirror-event.ts';
import { UpstreamRefused } from '../upstream/mirror-failure.ts';
import type { Compiled } from '../rules/mirror-rules.ts';
import { offeredVersions, type CheckRecord, type OfferedVersion } from '../versions/offered-version.ts';
import { besideOf, type UpstreamDocument } from '../upstream/upstream-document.ts';
import { findOffer } from '../upstream/first-offer.ts';
import { applyRules } from '../rules/release-rules.ts';
import { changeOf } from './pinned-versions.ts';
import type { Stability, Upstream } from '../upstream/upstream.ts';
import { upstreamOf, candidatesOf } from './archive-upstream.ts';

export interface ArchivesOptions {
  readonly archiveStore: AcceptedArchiveStore;
  readonly fetcher: ArchiveFetcher;
  readonly check: CheckRecord;
  readonly now: () => number;
  readonly tell: Tell;
}

export class MirroredArchives {
  readonly #options: ArchivesOptions;

  constructor(options: ArchivesOptions) {
    this.#options = options;
  }

  /** undefined: there is no such version. Rejects with UpstreamUnavailable or UpstreamRefused. */
  get(
    asked: RequestedVersion,
    ids: readonly string[],
    compiled: Compiled,
    conditions: Conditions,
  ): MaybeAsync<Answer | undefined> {
    const { archiveStore } = this.#options;
    if (isPurged(asked, compiled)) return undefined;
    const entry = archiveStore.atHand(asked.name)?.archive(asked.labels, asked.reference);
    const first = entry === undefined ? undefined : archiveStore.answer(entry, conditions);
    if (first === undefined) return this.#look(asked, ids, compiled, conditions);
    return first instanceof Promise
      ? first.catch((error: unknown) =>
          error instanceof ArchiveMismatch ? this.#look(asked, ids, compiled, conditions) : Promise.reject(error),
        )
      : first;
  }

  /** Fetches the archive if it is not stored yet, and resolves after that. undefined: there is no such version. */
  async bring(
    asked: RequestedVersion,
    ids: readonly string[],
    compiled: Compiled,
  ): Promise<'here' | 'fetched' | undefined> {
    if (isPurged(asked, compiled)) return undefined;
    const accepted = await this.#options.archiveStore.acceptedNow(asked.name);
    const entry = accepted.archive(asked.labels, asked.reference);
    if (
      entry !== undefined &&
      (await this.#options.archiveStore.digest({ name: asked.name, shasum: entry.shasum })) === entry.shasum
    )
      return 'here';
    const fetch =
      entry === undefined
        ? await this.#fetchOf(asked, ids, compiled)
        : await this.#fetchAgain(asked.name, entry, ids, compiled);
    if (fetch === undefined) return undefined;
    await (
      await this.#options.fetcher.fetch(fetch)
    ).kept;
    return 'fetched';
  }

  async #look(
    asked: RequestedVersion,
    ids: readonly string[],
    compiled: Compiled,
    conditions: Conditions,
  ): Promise<Answer | undefined> {
    const { archiveStore, fetcher } = this.#options;
    const entry = (await archiveStore.acceptedNow(asked.name)).archive(asked.labels, asked.reference);
    const stored = entry === undefined ? undefined : await this.#ifWhole(entry, conditions);
    if (stored !== undefined) return stored;
    const fetch =
      entry === undefined
        ? await this.#fetchOf(asked, ids, compiled)
        : await this.#fetchAgain(asked.name, entry, ids, compiled);
    if (fetch === undefined) return undefined;
    const arrival = await fetcher.fetch(fetch);
    return (await streamed(arrival)) ?? this.#accepted(await arrival.kept, conditions);
  }

  async #ifWhole(entry: IndexEntry, conditions: Conditions): Promise<Answer | undefined> {
    try {
      return await this.#options.archiveStore.answer(entry, conditions);
    } catch (error) {
      if (error instanceof ArchiveMismatch) return undefined;
      throw error;
    }
  }

  async #accepted(
    { name, version, normalized, dev, reference }: ArchiveRecord,
    conditions: Conditions,
  ): Promise<Answer> {
    const known = (await this.#options.archiveStore.accepted(name)).entry({ normalized, dev }, reference);
    if (known === undefined) throw new Error(`${name} ${version} was fetched, and is not to be found`);
    return this.#options.archiveStore.answer(known, conditions);
  }

  /** Fetches the archive of a version without an accepted one. */
  async #fetchOf(asked: RequestedVersion, ids: readonly string[], compiled: Compiled): Promise<Fetch | undefined> {
    const upstreams = ids.flatMap((id) => compiled.upstreams.get(id) ?? ([] as Upstream[]));
    for (const stability of stabilitiesOf(asked.labels)) {
      const found = await findOffer(asked.name, stability, upstreams);
      const version = found?.offer === undefined ? undefined : this.#versionIn(found.offer.document, asked, compiled);
      if (found !== undefined && version !== undefined) return this.#checked(asked, version, found.upstream);
    }
    return undefined;
  }

  #versionIn(
    document: UpstreamDocument,
    { name, labels }: RequestedVersion,
    { rules }: Compiled,
  ): OfferedVersion | undefined {
    // examines only similar labels, because a document may have thousands of versions
    const near = document.versions.filter(
      ({ version }) =>
        typeof version === 'string' && (labels.includes(version) || labels.includes(normalizeVersion(version) ?? '')),
    );
    const offered = new Set(applyRules(name, near, rules.releases, this.#options.now(), besideOf(document)).offered);
    const { versions } = offeredVersions(name, near, this.#options.check);
    return labels
      .map((label) => versions.find(({ version, normalized }) => version === label || normalized === label))
      .find((version) => version !== undefined && offered.has(version.record));
  }

  async #checked(
    { name, reference }: RequestedVersion,
    version: OfferedVersion,
    upstream: Upstream,
  ): Promise<Fetch | undefined> {
    const { dist } = version;
    if (dist === undefined) return undefined;
    const change = changeOf(version, await this.#options.archiveStore.accepted(name));
    if (change !== undefined) {
      this.#options.tell({ kind: 'release-changed', name, version: version.version, message: change });
      throw new UpstreamRefused(`${name} ${version.version}: ${change}.`);
    }
    if (reference !== undefined && !isMeant(reference, dist.reference)) return undefined;
    return {
      name,
      version,
      reference: dist.reference,
      shasum: dist.shasum,
      destination: upstream.destination,
      candidates: candidatesOf(name, version, upstream),
    };
  }

  /** Fetches a lost or damaged accepted archive again, from its first address and only with the same bytes. */
  async #fetchAgain(
    name: PackageName,
    entry: IndexEntry,
    ids: readonly string[],
    compiled: Compiled,
  ): Promise<Fetch | undefined> {
    const record = (await this.#options.archiveStore.records(name)).find(
      ({ normalized, reference }) => normalized === entry.version_normalized && reference === entry.reference,
    );
    const [version] = record === undefined ? [] : offeredVersions(name, [record.record], this.#options.check).versions;
    if (record === undefined || version?.dist === undefined) return undefined;
    const upstream = await upstreamOf(
      record,
      ids.flatMap((id) => compiled.upstreams.get(id) ?? ([] as Upstream[])),
    );
    if (upstream === undefined) return undefined;
    return {
      name,
      version,
      reference: record.reference,
      shasum: record.shasum,
      destination: upstream.destination,
      candidates: candidatesOf(name, version, upstream),
    };
  }
}

/** True if the version is purged, even if its archive was accepted. */
function isPurged(asked: RequestedVersion, { rules }: Compiled): boolean {
  return rules.releases.purged.rows.length > 0 && tombstoneOf(asked, rules.releases.purged) !== undefined;
}

function stabilitiesOf(labels: readonly string[]): readonly Stability[] {
  const dev = labels.some((label) => isDevVersion(normalizeVersion(label) ?? label));
  return dev ? ['dev', 'stable'] : ['stable', 'dev'];
}

/**
 * Compares a reference in Composer's forms: whole, shortened by a user behind a `#`, or as its MD5
 * (ComposerMirror.php:28).
 */
function isMeant(wanted: string, reference: string): boolean {
  if (wanted === reference || wanted === createHash('md5').update(reference).digest('hex')) return true;
  return /^[0-9a-f]{7,}$/i.test(wanted) && reference.startsWith(wanted.toLowerCase());
}

/** The archive during its download; undefined before the first released byte, and after the end of the download. */
async function streamed({ file, size }: Arrival): Promise<Answer | undefined> {
  if (file.released === 0 || file.released === size) return undefined;
  try {
    return {
      status: 200,
      headers: [...archiveHeaders, ...(size === undefined ? [] : ['Content-Length', String(size)]), ...cacheHeaders],
      body: await file.reader(),
    };
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}
