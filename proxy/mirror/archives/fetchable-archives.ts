// Finds how an archive of a mirrored package is fetched: of a version that its upstream offers, or again for a lost
// file.

import { createHash } from 'node:crypto';
import type { PackageName } from '../../../build/contract/name.ts';
import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import { isDevVersion, normalizeVersion } from '../../../build/contract/version.ts';
import type { RequestedVersion } from '../../core/protocol/mirrored-packages.ts';
import type { Compiled } from '../rules/mirror-rules.ts';
import { purgedReason } from '../rules/release-rules.ts';
import { findOffer } from '../upstream/find-offer.ts';
import type { ReportMirrorEvent } from '../upstream/mirror-event.ts';
import { UpstreamRefused } from '../upstream/mirror-failure.ts';
import type { UpstreamDocument } from '../upstream/upstream-document.ts';
import type { Stability, Upstream } from '../upstream/upstream.ts';
import {
  offeredVersions,
  type CheckRecord,
  type OfferedVersion,
  type OfferedDist,
} from '../versions/offered-version.ts';
import type { AcceptedArchiveStore } from './accepted-archive-store.ts';
import type { Fetch } from './archive-fetcher.ts';
import type { FetchableVersion } from './mirrored-judgements.ts';
import { upstreamsIn, type Offers } from './offered-records.ts';
import { changeOf } from './pinned-versions.ts';
import type { ArchiveRecord } from './archive-record.ts';
import { parseUrl } from '../../../build/contract/parse-url.ts';
import type { UpstreamDistMirror } from '../upstream/upstream-root.ts';
import { md5 } from '../../core/tree/package-archives.ts';

/** A request for an archive. */
export interface ArchiveLookup {
  readonly asked: RequestedVersion;
  /** of the upstreams of the name */
  readonly ids: readonly string[];
  readonly compiled: Compiled;
}

/** A version of an upstream's document, and how its archive is fetched. */
export interface Fetchable extends FetchableVersion {
  /** Throws UpstreamRefused where the upstream has changed an accepted release. */
  readonly fetch: () => Fetch;
}

export interface FetchableOptions {
  readonly archiveStore: Pick<AcceptedArchiveStore, 'accepted' | 'records'>;
  readonly check: CheckRecord;
  readonly report: ReportMirrorEvent;
}

export class FetchableArchives {
  readonly #options: FetchableOptions;

  constructor(options: FetchableOptions) {
    this.#options = options;
  }

  /** A version without an accepted archive, in the documents of its upstream. */
  async find({ asked, ids, compiled }: ArchiveLookup): Promise<Fetchable | undefined> {
    for (const stability of stabilitiesOf(asked.labels)) {
      const found = await findOffer(asked.name, stability, upstreamsIn(compiled, ids));
      const version = found?.offer === undefined ? undefined : this.#versionIn(found.offer.document, asked, compiled);
      if (found === undefined || version === undefined) continue;
      const fetch = await this.#checked(asked, version, found.upstream);
      if (fetch === undefined) return undefined;
      const { upstream, offer: own } = found;
      const offered = { upstream, own, stable: stability === 'stable' ? own : undefined };
      const offers = async (): Promise<Offers> =>
        stability === 'stable' ? offered : { ...offered, stable: await upstream.offer(asked.name, 'stable') };
      return { record: version.record, offered, offers, fetch };
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
    const { versions } = offeredVersions(name, near, this.#options.check);
    return labels
      .map((label) => versions.find(({ version, normalized }) => version === label || normalized === label))
      .find((version) => version !== undefined && purgedReason(name, version.record, rules.releases) === undefined);
  }

  async #checked(
    { name, reference }: RequestedVersion,
    version: OfferedVersion,
    upstream: Upstream,
  ): Promise<(() => Fetch) | undefined> {
    const { dist } = version;
    if (dist === undefined || (reference !== undefined && !isMeant(reference, dist.reference))) return undefined;
    const change = changeOf(version, await this.#options.archiveStore.accepted(name));
    const fetch = {
      name,
      version,
      reference: dist.reference,
      shasum: dist.shasum,
      destination: upstream.destination,
      candidates: candidatesOf(name, version, upstream),
    };
    return () => {
      if (change === undefined) return fetch;
      this.#options.report({ kind: 'release-changed', name, version: version.version, message: change });
      throw new UpstreamRefused(`${name} ${version.version}: ${change}.`);
    };
  }

  /** Fetches a lost or damaged accepted archive again, from its first address and only with the same bytes. */
  async again(name: PackageName, entry: IndexEntry, { ids, compiled }: ArchiveLookup): Promise<Fetch | undefined> {
    const record = (await this.#options.archiveStore.records(name)).find(
      ({ normalized, reference }) => normalized === entry.version_normalized && reference === entry.reference,
    );
    const [version] = record === undefined ? [] : offeredVersions(name, [record.record], this.#options.check).versions;
    if (record === undefined || version?.dist === undefined) return undefined;
    const upstream = await upstreamOf(record, upstreamsIn(compiled, ids));
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

// Finds the upstream of an archive, and the addresses to try there.

/** The upstream of an accepted archive: the one of its download, or the first that has the package now. */
async function upstreamOf(
  { name, dev, from }: ArchiveRecord,
  upstreams: readonly Upstream[],
): Promise<Upstream | undefined> {
  const there = upstreams.filter(({ destination }) => destination.origin === originOf(from));
  if (there.length === 1 || upstreams.length < 2) return there[0] ?? upstreams[0];
  return (await findOffer(name, dev ? 'dev' : 'stable', upstreams))?.upstream ?? there[0] ?? upstreams[0];
}

function originOf(address: string): string | undefined {
  return parseUrl(address)?.origin;
}

function candidatesOf(
  name: PackageName,
  { version, normalized, dist }: OfferedVersion,
  upstream: Upstream,
): () => Promise<readonly URL[]> {
  return async () =>
    dist === undefined
      ? []
      : distCandidates(
          { name, version, normalized, dist },
          (await upstream.facts()).mirrors,
          upstream.destination.origin,
        );
}

// Lists the addresses of a version's archive in the order in which Composer would try them (Package.php:678-708,
// ComposerMirror.php). Pure.

interface Wanted {
  readonly name: PackageName;
  readonly version: string;
  readonly normalized: string;
  readonly dist: OfferedDist;
}

/**
 * Among several preferred mirrors the last listed one comes first. A path is below the upstream's own origin. Composer
 * would take it as a file of the client; no file of this host is ever read for it.
 */
export function distCandidates(wanted: Wanted, mirrors: readonly UpstreamDistMirror[], origin: string): readonly URL[] {
  const filled = (preferred: boolean): string[] =>
    mirrors.filter((mirror) => mirror.preferred === preferred).map(({ template }) => fill(template, wanted));
  const { url } = wanted.dist;
  const own = url.startsWith('/') && !url.startsWith('//') ? `${origin}${url}` : url;
  const candidates = [...filled(true).toReversed(), fill(own, wanted), ...filled(false)].filter((candidate) =>
    /^https?:\/\//i.test(candidate),
  );
  return [...new Set(candidates)].flatMap((candidate) => parseUrl(candidate) ?? []).slice(0, maxCandidates);
}

const maxCandidates = 5;

function fill(template: string, { name, version, normalized, dist: { reference } }: Wanted): string {
  const shown = (text: string): string => text.replaceAll('#', '%23').replaceAll('?', '%3F');
  return template
    .replaceAll('%package%', name)
    .replaceAll('%version%', normalized.includes('/') ? md5(normalized) : shown(normalized))
    .replaceAll('%prettyVersion%', shown(version))
    .replaceAll(
      '%reference%',
      reference === '' || /^(?:[a-f0-9]+|%reference%)$/.test(reference) ? reference : md5(reference),
    )
    .replaceAll('%type%', 'zip');
}
