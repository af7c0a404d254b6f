// Packages that libretto.json itself describes, as Composer's repositories of type `package` do. Their records have no
// repository, and their dists are fetched once, admitted and hosted. An unavailable dist affects only its own version,
// which stays as published.

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import pLimit from 'p-limit';
import { isJsonObject, type JsonObject } from '../../contract/json.ts';
import { createEgress, type EgressOptions } from '../../egress/egress.ts';
import { FetchNeeded } from '../../contract/refusals.ts';
import { setDuplicatesAside } from '../directory/duplicates.ts';
import { QuarantineError, type Quarantine } from '../../contract/quarantine.ts';
import { archiveReference, readyArchive } from '../../archive/zip-admission/ready-archive.ts';
import type { Release, Scan, Source, SourceMemory } from '../release.ts';
import { DistCache, distKey } from './dist-cache.ts';
import { parseInlineRecord, type InlineDist, type InlineRecord } from './inline-record.ts';
import { formatDistFiles, parseDistFiles, type DistFiles } from './dist-memory.ts';
import { examineFile, type DistFile } from './local-dist.ts';
import { metapackageContent } from './metapackage-content.ts';
import type { Content, ReadyArchive } from '../../archive/content.ts';

export interface PackageSourceOptions extends EgressOptions {
  /** each has a name, a version and a dist */
  readonly packages: readonly JsonObject[];
  /** absolute: the base of relative dist paths */
  readonly directory: string;
  /** for messages: `libretto.json: sources[2]` */
  readonly where: string;
  /** absolute; the cache of fetched ZIPs. Several sources and processes may share it */
  readonly cacheDirectory: string;
  readonly now: () => Date;
}

/** Throws BuildRefused for invalid network settings. */
export function createPackageSource(options: PackageSourceOptions): Source {
  const egress = createEgress(options);
  const cache = new DistCache(options.cacheDirectory, egress, options.now);
  return {
    fetch: (previous) => fetchDists(options, cache, previous),
    scan: async (previous) => {
      try {
        return await scan(options, cache, previous);
      } catch (error) {
        if (error instanceof FetchNeeded) return { outcome: 'unfetched' };
        throw error;
      }
    },
    close: () => egress.close(),
  };
}

/** Skips a record that cannot be parsed: the scan reports it. */
async function fetchDists(
  { packages }: PackageSourceOptions,
  cache: DistCache,
  previous: SourceMemory | undefined,
): Promise<void> {
  const known = parseDistFiles(previous?.detail);
  const limit = pLimit(parallelDownloads);
  cache.refresh();
  const dists = packages.flatMap((json) => remoteDistOf(json) ?? []);
  const missing = dists.filter(
    (dist) => cache.isLost(dist) || (!known.has(distKey(dist)) && cache.find(dist) === undefined),
  );
  await Promise.all(missing.map((dist) => limit(() => cache.fetch(dist))));
}

function remoteDistOf(json: JsonObject): InlineDist | undefined {
  try {
    const { dist } = parseInlineRecord(json, () => undefined);
    return dist?.remote === true ? dist : undefined;
  } catch (error) {
    if (error instanceof QuarantineError) return undefined;
    throw error;
  }
}

const parallelDownloads = 4;

interface Examined {
  readonly release?: Release;
  readonly dist?: readonly [key: string, known: DistFile];
  readonly quarantine?: Quarantine;
  /** true: the fault may disappear although the record looks unchanged */
  readonly passing?: boolean;
}

async function scan(
  options: PackageSourceOptions,
  cache: DistCache,
  previous: SourceMemory | undefined,
): Promise<Scan> {
  const known = parseDistFiles(previous?.detail);
  const scanStart = options.now().getTime();
  cache.refresh();
  const limit = pLimit(parallelDownloads);
  const examined = await Promise.all(
    options.packages.map((json, index) => limit(() => examine(json, index, { options, cache, known, scanStart }))),
  );
  const { releases, quarantined: duplicates } = setDuplicatesAside(examined.flatMap(({ release }) => release ?? []));
  const quarantined = [...examined.flatMap(({ quarantine }) => quarantine ?? []), ...duplicates];
  const memory = memoryOf(
    options.packages,
    new Map(examined.flatMap(({ dist }) => (dist === undefined ? [] : [dist]))),
    quarantined,
  );
  if (memory.fingerprint === previous?.fingerprint && !examined.some(({ passing }) => passing === true))
    return { outcome: 'unchanged' };
  return { outcome: 'read', releases, quarantined, notices: noticesOf(options), memory };
}

interface Surroundings {
  readonly options: PackageSourceOptions;
  readonly cache: DistCache;
  readonly known: DistFiles;
  readonly scanStart: number;
}

async function examine(json: JsonObject, index: number, surroundings: Surroundings): Promise<Examined> {
  let found: { readonly name: string | null; readonly version: string | null } = { name: null, version: null };
  let parsed = false;
  const where = (): string =>
    `${surroundings.options.where}, ` +
    `${found.name === null ? `package ${index + 1}` : `${found.name}${found.version === null ? '' : ` ${found.version}`}`}`;
  try {
    const record = parseInlineRecord(json, (learnt) => (found = learnt));
    parsed = true;
    if (record.dist === undefined) {
      const { sha256, content } = metapackageContent(record.json);
      return { release: inlineRelease(record, sha256, content, where()) };
    }
    return await (record.dist.remote
      ? examineRemote(record, record.dist, where(), surroundings)
      : examineLocal(record, record.dist, where(), surroundings));
  } catch (error) {
    if (!(error instanceof QuarantineError)) throw error;
    return { quarantine: { code: error.code, message: error.message, where: where(), ...found }, passing: parsed };
  }
}

async function examineRemote(
  record: InlineRecord,
  dist: InlineDist,
  where: string,
  { cache, known }: Surroundings,
): Promise<Examined> {
  const key = distKey(dist);
  const sha256 = known.get(key)?.sha256 ?? (await cache.find(dist));
  if (sha256 === undefined) throw new FetchNeeded();
  return {
    release: inlineRelease(record, sha256, cache.archive(dist, sha256), where),
    dist: [key, { stamp: '', sha256 }],
  };
}

async function examineLocal(
  record: InlineRecord,
  dist: InlineDist,
  where: string,
  { options, known, scanStart }: Surroundings,
): Promise<Examined> {
  const path = resolve(options.directory, dist.url);
  const key = distKey({ ...dist, url: path });
  const file = await examineFile(path, dist, scanStart, known.get(key));
  return { release: inlineRelease(record, file.sha256, readyArchive(path, file.sha256), where), dist: [key, file] };
}

function noticesOf({ packages, where }: PackageSourceOptions): string[] {
  const names = packages
    .filter(({ source }) => isJsonObject(source))
    .map(({ name, version }) => `${String(name)} ${String(version)}`);
  const [first] = names;
  if (first === undefined) return [];
  const more = names.length === 1 ? '' : ` and ${names.length - 1} more`;
  return [`${where}: the "source" of ${first}${more} is left out. Clients get the archive that is hosted here.`];
}

function memoryOf(packages: readonly JsonObject[], dists: DistFiles, quarantined: readonly Quarantine[]): SourceMemory {
  const detail = formatDistFiles(dists);
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([detail, packages, quarantined.map(({ code, where }) => [code, where])]))
    .digest('hex');
  return { fingerprint, detail };
}

// An inline record as a release: its composer.json is the record, its archive the dist it names.

function inlineRelease(record: InlineRecord, sha256: string, content: Content | ReadyArchive, where: string): Release {
  const { name, version, normalized, dev, time, defaultBranch, json } = record;
  return {
    name,
    version,
    normalized,
    dev,
    reference: archiveReference(sha256),
    time,
    defaultBranch,
    where,
    recordDigest: createHash('sha256').update(JSON.stringify(json)).digest('hex'),
    composerJson: () => Promise.resolve(json),
    content,
  };
}
