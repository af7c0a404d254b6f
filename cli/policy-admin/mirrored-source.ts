// The stored packages of other registries, for trials of a policy. It reads documents and records of accepted archives
// on this disk, and sends no request.

import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { isDevVersion, type NormalizedVersion } from '../../build/contract/version.ts';
import { UnusableFile } from '../../build/shared/files/unusable-file.ts';
import { sameStamp, stampFile, stampText } from '../../build/shared/files/file-stamp.ts';
import { AcceptedArchiveStore } from '../../proxy/mirror/archives/accepted-archive-store.ts';
import { archiveKey } from '../../proxy/mirror/archives/archive-record.ts';
import { unionOf } from '../../proxy/mirror/archives/joined-lists.ts';
import { Arrivals, arrivedGains, gainsAfterRemoval } from '../../proxy/mirror/archives/arrivals.ts';
import { LastLists } from '../../proxy/mirror/archives/last-lists.ts';
import { UnreadableRecord } from '../../proxy/mirror/archives/read-record.ts';
import { mirroredNames } from '../../proxy/mirror/archives/mirror-inventory.ts';
import { CachedNames, documentFiles } from '../../proxy/mirror/catalogue/cached-names.ts';
import {
  cachedRecords,
  documentPath,
  noVersions,
  type CachedVersions,
} from '../../proxy/mirror/documents/cached-versions.ts';
import type { StoredLists } from '../../proxy/mirror/stored-package-reader.ts';
import type { MirrorRules } from '../../proxy/mirror/rules/mirror-rules.ts';
import { normalized } from '../../proxy/mirror/rules/release-rules.ts';
import { rootUrlOf } from '../../proxy/mirror/upstream/upstream-root.ts';
import { folderOf } from '../../proxy/mirror/upstream/stored-document.ts';
import type { CandidatePackage, CandidateVersion, PackageSource } from '../../proxy/policy/admin/package-source.ts';
import type { Gains } from '../../proxy/policy/judge/held-releases.ts';
import { factsOfRecord } from '../../proxy/policy/judge/facts.ts';
import { releaseOf } from '../../proxy/mirror/viewed-mirror-documents.ts';
import { createPrecedence, type PrivateNames } from '../../proxy/core/tree/precedence.ts';

export interface MirroredSourceOptions {
  /** the mirror's folder */
  readonly folder: string;
  readonly rules: () => Promise<Pick<MirrorRules, 'reserved' | 'sharedVendors' | 'upstreams'>>;
  readonly privateNames: () => Promise<PrivateNames>;
  /** what this process has read of the documents; absent: nothing */
  readonly read?: (() => Promise<ReadLists>) | undefined;
}

export type ReadLists = (name: PackageName) => StoredLists | undefined;

export function mirroredSource({ folder, rules, privateNames, read: here }: MirroredSourceOptions): PackageSource {
  const documents = new Map<string, CachedNames>();
  const documentNames = async (url: string): Promise<Iterable<PackageName>> => {
    const path = join(folder, 'p2', folderOf(rootUrlOf(url)), 'p2');
    const names = documents.get(path) ?? new CachedNames(path, documentFiles);
    documents.set(path, names);
    return (await names.look()).keys();
  };
  const upstreamsOf = async (): Promise<(name: PackageName) => readonly string[]> => {
    const current = await rules();
    const [belongs, known] = [createPrecedence(current), await privateNames()];
    return (name) => {
      const belonging = belongs(name, known);
      const ids = belonging.to === 'upstreams' ? belonging.ids : [];
      return ids.flatMap((id) => current.upstreams.find((upstream) => upstream.id === id)?.url ?? []);
    };
  };
  const [lists, arrivals] = [new LastLists(folder, ignore), new Arrivals(folder, ignore)];
  const said = keptLists(folder, lists);
  const urlsByName = async (): Promise<ReadonlyMap<PackageName, readonly string[]>> => {
    const [{ upstreams }, urlsOf] = [await rules(), await upstreamsOf()];
    const found = new Set<PackageName>();
    for (const { url } of upstreams) for (const name of await documentNames(url)) found.add(name);
    for await (const name of mirroredNames(folder)) found.add(name);
    const all = [...found].toSorted().map((name) => [name, urlsOf(name)] as const);
    return new Map(all.filter(([, urls]) => urls.length > 0));
  };
  return {
    origin: 'mirrored',
    names: async () => [...(await urlsByName()).keys()],
    listed: async function* () {
      const read = await here?.().catch(() => undefined); // an error of the disk is that of the package
      for (const [name, urls] of await urlsByName()) yield { name, beside: () => said(name, urls, read?.(name)) };
    },
    stamp: async (name) => stampsOf(name, (await upstreamsOf())(name), folder, arrivals),
    read: async (name) => readPackage(name, (await upstreamsOf())(name), folder, { lists, arrivals }),
  };
}

const ignore = (): void => undefined;

function stampsOf(name: PackageName, urls: readonly string[], folder: string, arrivals: Arrivals): string {
  const documents = urls.map((url) => documentPath(name, folder, url, 'stable'));
  return [...documents, arrivals.pathOf(name)].map((path) => stampText(path) ?? '').join();
}

type Stamps = readonly ReturnType<typeof stampFile>[];

/** What repositories said of a package; reads a document again when its file has changed. */
function keptLists(
  folder: string,
  lists: LastLists,
): (name: PackageName, urls: readonly string[], read: StoredLists | undefined) => Promise<JsonObject> {
  const known = new Map<PackageName, { readonly stamps: Stamps; readonly said: JsonObject }>();
  return async (name, urls, read) => {
    const last = await lists.read(name).catch(asUnusable);
    const stamps = urls.map((url) => stampFile(documentPath(name, folder, url, 'stable')));
    let kept = known.get(name);
    if (kept?.stamps.length !== stamps.length || !kept.stamps.every((stamp, at) => sameStamp(stamp, stamps[at]))) {
      const first = stamps.find((stamp) => stamp !== undefined);
      const isRead = read?.stamp !== undefined && sameStamp(read.stamp, first);
      kept = { stamps, said: isRead ? read.beside : (await firstDocuments(name, urls, folder)).beside };
      known.set(name, kept);
    }
    return unionOf([kept.said, last]);
  };
}

function asUnusable(error: unknown): never {
  throw error instanceof UnreadableRecord ? new UnusableFile(error.message, { cause: error }) : error;
}

/** The first of these repositories that has a document of the package, with the archives that were accepted. */
async function readPackage(
  name: PackageName,
  urls: readonly string[],
  folder: string,
  { lists, arrivals }: { readonly lists: LastLists; readonly arrivals: Arrivals },
): Promise<CandidatePackage | undefined> {
  if (urls.length === 0) return undefined;
  const { records, beside: said } = await firstDocuments(name, urls, folder);
  const { records: accepted } = await new AcceptedArchiveStore(folder, 0).inspect(name);
  const last = accepted.length === 0 ? {} : await lists.read(name);
  const beside = unionOf([said, last]);
  const stored = new Map(accepted.map((record) => [archiveKey(record), record]));
  const offered = records.map((record) => {
    const full = normalized(record);
    const kept = stored.get(keyOfRecord(full))?.record;
    stored.delete(keyOfRecord(full));
    return versionOf(kept ? asAccepted(full, kept) : full, { isOffered: true, stored: kept !== undefined });
  });
  // lock files may name versions that the upstream does not offer any more
  const abandoned = records[0]?.['abandoned'] ?? beside['abandoned'];
  const others = [...stored.values()].map(({ record }) =>
    versionOf(normalized({ ...record, ...(abandoned === undefined ? {} : { abandoned }) }), {
      isOffered: records.length === 0,
      stored: true,
    }),
  );
  const versions = [...offered, ...others];
  if (versions.length === 0) return undefined;
  const seen = await arrivals.read(name).catch(asUnusable);
  const kept = accepted.map(({ record }) => record);
  const gains = (): Gains =>
    records.length === 0 ? gainsAfterRemoval(kept, seen) : arrivedGains(records.map(normalized), seen);
  return { name, origin: 'mirrored', beside, versions, gains };
}

/** As the server judges it: the fields of accepted bytes do not change. */
function asAccepted(offered: JsonObject, kept: JsonObject): JsonObject {
  return { ...offered, license: kept['license'] ?? null, type: kept['type'] ?? 'library' };
}

async function firstDocuments(name: PackageName, urls: readonly string[], folder: string): Promise<CachedVersions> {
  for (const url of urls) {
    const found = await cachedRecords(name, folder, url);
    if (found.records.length > 0) return found;
  }
  return noVersions;
}

function versionOf(record: JsonObject, where: Pick<CandidateVersion, 'isOffered' | 'stored'>): CandidateVersion {
  return { facts: factsOfRecord(record), release: releaseOf(record), ...where };
}

function keyOfRecord({ version, version_normalized: given, dist }: JsonObject): string {
  const reference = isJsonObject(dist) && typeof dist['reference'] === 'string' ? dist['reference'] : '';
  const normalized = String(given) as NormalizedVersion;
  return archiveKey({ version: String(version), normalized, dev: isDevVersion(normalized), reference });
}
