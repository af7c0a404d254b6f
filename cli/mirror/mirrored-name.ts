// The mirror's knowledge of a package name: its owner and the reason, its upstreams, and its cached documents and
// archives. Sends no request.

import { Arrivals } from '../../proxy/mirror/archives/arrivals.ts';
import { join } from 'node:path';
import { type JsonObject, isJsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { providerPath } from '../../build/contract/paths.ts';
import type { ArchiveRecord } from '../../proxy/mirror/archives/archive-record.ts';
import { AcceptedArchiveStore } from '../../proxy/mirror/archives/accepted-archive-store.ts';
import { readRefusals } from '../../proxy/mirror/archives/refused-archives.ts';
import { readDocumentFile, type DocumentFile } from '../../proxy/mirror/upstream/document-file.ts';
import { claimedNames, isOfAnother, namesAmong } from '../../proxy/mirror/versions/replace-provide-guard.ts';
import { createPrecedence, type Belonging, type PrivateNames } from '../../proxy/core/tree/precedence.ts';
import {
  rootUrlOf,
  packagesIn,
  parseUpstreamRoot,
  type UpstreamRoot,
} from '../../proxy/mirror/upstream/upstream-root.ts';
import { folderOf } from '../../proxy/mirror/upstream/stored-document.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { mirrorFolder } from './compose-mirror.ts';
import { unofferedVersions, type UnofferedVersions } from './unoffered-versions.ts';
import { cachedRecords, noVersions, type CachedVersions } from '../../proxy/mirror/documents/cached-versions.ts';
import { openPrivateNames } from './private-names-reader.ts';
import { currentMirrorRules } from './current-mirror-rules.ts';
import { includeKey } from '../../proxy/mirror/upstream/included-packages.ts';
import { parseJsonYielding } from '../../build/shared/json/incremental-json.ts';

// Looks a package up in the cached packages.json of a repository, and in the files that it includes. Sends no request.

interface CachedInIndex {
  readonly records: readonly JsonObject[];
  /** epoch milliseconds: the last time when packages.json was requested */
  readonly askedAtMs: number;
  /** false: its list of names lacks the package */
  readonly mayHave: boolean;
}

/**
 * The records of the package in packages.json of the repository, or in the files that it includes. undefined:
 * packages.json is not stored.
 */
async function cachedInIndex(name: PackageName, url: string, folder: string): Promise<CachedInIndex | undefined> {
  const rootUrl = rootUrlOf(url);
  const cacheFolder = join(folder, 'p2', folderOf(rootUrl));
  const file = await readDocumentFile(join(cacheFolder, 'packages.json'));
  const root = await readRoot(file, rootUrl);
  if (file === undefined || root === undefined) return undefined;
  const rest = { askedAtMs: file.checkedAtMs, mayHave: root.mayHave(name) };
  const inPlace = root.packages.get(name) ?? [];
  if (inPlace.length > 0) return { records: inPlace, ...rest };
  const records: JsonObject[] = [];
  const queue = root.layout.kind === 'packages' ? [...root.layout.includes] : [];
  const seen = new Set<string>();
  for (const include of queue) {
    const key = includeKey(include);
    const json = seen.has(key) ? undefined : await readJson(await readDocumentFile(join(cacheFolder, key)));
    seen.add(key);
    const listed = isJsonObject(json) ? understood(() => packagesIn(json, rootUrl)) : undefined;
    records.push(...(listed?.entries.get(name) ?? []));
    queue.push(...(listed?.includes ?? []));
  }
  return { records, ...rest };
}

async function readRoot(file: DocumentFile | undefined, url: URL): Promise<UpstreamRoot | undefined> {
  const json = await readJson(file);
  return json === undefined ? undefined : understood(() => parseUpstreamRoot(json, url));
}

/** undefined for an unreadable entry, which the server then requests again. */
function understood<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

async function readJson(file: DocumentFile | undefined): Promise<unknown> {
  try {
    return file?.body === undefined ? undefined : await parseJsonYielding(file.body);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

export interface MirroredName {
  readonly belongs_to: 'private' | 'upstreams' | 'nobody';
  /** the reason why the package is not mirrored; null: the package is mirrored */
  readonly because: string | null;
  /** addresses of its upstreams, in order: the first upstream with the package counts */
  readonly repositories: readonly string[];
  /** the upstream of the cached documents */
  readonly found_in: string | null;
  /** RFC 3339 UTC: the time of the last request to this upstream */
  readonly asked_at: string | null;
  /**
   * its upstreams: when packages.json was last requested (RFC 3339 UTC; null: never), and false if it lacks the name
   */
  readonly lists: readonly {
    readonly repository: string;
    readonly asked_at: string | null;
    readonly may_have: boolean | null;
  }[];
  /**
   * names in its `replace` or `provide` that the mirror removes: private names, and names that belong to other
   * upstreams
   */
  readonly not_standing_in_for: readonly string[];
  readonly archives: readonly {
    readonly version: string;
    readonly reference: string | null;
    readonly shasum: string;
    readonly size: number;
    readonly from: string;
    readonly fetched_at: string;
  }[];
  /** versions with the reason why their archive was refused when it was last fetched */
  readonly refused: readonly string[];
  /** in cached documents */
  readonly versions: readonly string[];
  /** versions in cached documents that the mirror does not offer, and releases that their upstream has changed */
  readonly held_back: UnofferedVersions;
  /** messages of unreadable records */
  readonly unreadable: readonly string[];
}

/**
 * null without upstreams. Rejects with StateError, and with RegistryError if the origin's list of private names is
 * unavailable.
 */
export async function mirroredName(name: PackageName, config: Config, context: Context): Promise<MirroredName | null> {
  const state = (await openStateIfAny(config)) ?? createMemoryStore();
  try {
    const rules = await currentMirrorRules(config, context, state);
    return rules.upstreams.length === 0 ? null : await lookUp(name, rules, config, context);
  } finally {
    await state.close();
  }
}

type MirrorRules = Awaited<ReturnType<typeof currentMirrorRules>>;

async function lookUp(name: PackageName, rules: MirrorRules, config: Config, context: Context): Promise<MirroredName> {
  const folder = mirrorFolder(config);
  const [precedence, privateNames] = [createPrecedence(rules), await namesOf(config, context)];
  const belonging = precedence(name, privateNames);
  const ids = belonging.to === 'upstreams' ? belonging.ids : [];
  const repositories = ids.flatMap((id) => rules.upstreams.find((upstream) => upstream.id === id)?.url ?? []);
  const indexes = await Promise.all(repositories.map((url) => cachedInIndex(name, url, folder)));
  const cached = await cachedDocument(name, repositories, indexes, folder);
  const { records, unreadable } = await new AcceptedArchiveStore(folder, 0).inspect(name);
  const from = rules.upstreams.find(({ id, url }) => ids.includes(id) && (cached === undefined || url === cached.url));
  const ofUpstream = cached ?? noVersions;
  const dropped =
    from === undefined
      ? []
      : await droppedReplacements(from.id, [...records.map(({ record }) => record), ...ofUpstream.records], (claimed) =>
          precedence(claimed, privateNames),
        );
  return {
    belongs_to: belonging.to,
    because: belonging.to === 'upstreams' ? null : belonging.because,
    repositories,
    found_in: cached?.url ?? null,
    asked_at: timeOf(cached?.askedAtMs),
    lists: repositories.map((repository, at) => listOf(repository, indexes[at])),
    not_standing_in_for: dropped,
    archives: records.map(archiveDocument),
    refused: await readRefusals(folder, name),
    versions: [...ofUpstream.records, ...(ofUpstream.unread ?? [])].map(({ version }) => String(version)),
    held_back: await unofferedVersions(name, {
      cached: ofUpstream,
      accepted: records,
      rules: rules.releases,
      nowMs: context.now().getTime(),
      arrivals: new Arrivals(folder, () => undefined),
    }),
    unreadable: unreadable.map(({ message }) => message),
  };
}

/** The names in `replace` and `provide` that the mirror removes. `records`: as cached, and as accepted. */
async function droppedReplacements(
  upstreamId: string,
  records: readonly JsonObject[],
  belongs: (name: PackageName) => Belonging,
): Promise<readonly PackageName[]> {
  return namesAmong((await claimedNames(records)).names, (claimed) => isOfAnother(belongs(claimed), upstreamId));
}

function listOf(repository: string, index: CachedInIndex | undefined): MirroredName['lists'][number] {
  return { repository, asked_at: timeOf(index?.askedAtMs), may_have: index?.mayHave ?? null };
}

function archiveDocument({
  version,
  reference,
  shasum,
  size,
  from,
  fetchedAt,
}: ArchiveRecord): MirroredName['archives'][number] {
  return { version, reference: reference === '' ? null : reference, shasum, size, from, fetched_at: fetchedAt };
}

async function namesOf(config: Config, context: Context): Promise<PrivateNames> {
  const { read, close } = await openPrivateNames(config, context);
  try {
    return await read();
  } finally {
    close();
  }
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/**
 * The first repository with a cached document of the package. `indexes`: what is cached of the packages.json of each.
 */
async function cachedDocument(
  name: PackageName,
  repositories: readonly string[],
  indexes: readonly (CachedInIndex | undefined)[],
  folder: string,
): Promise<(CachedVersions & { readonly url: string; readonly askedAtMs: number }) | undefined> {
  for (const [at, url] of repositories.entries()) {
    for (const stability of ['stable', 'dev'] as const) {
      const file = await readDocumentFile(join(folder, 'p2', folderOf(rootUrlOf(url)), providerPath(name, stability)));
      if (file?.body !== undefined)
        return { url, askedAtMs: file.checkedAtMs, ...(await cachedRecords(name, folder, url)) };
    }
    const { records = [], askedAtMs = 0 } = indexes[at] ?? {};
    if (records.length > 0) return { url, askedAtMs, records, beside: {} };
  }
  return undefined;
}
