// The serving index: every version of a package that can be retrieved, including withdrawn and superseded ones. The
// proxy finds each ZIP through the index and joins no part of a request into a path. Builds use the index to know a
// package between two runs. The index only grows until `prune`. The index moves with `public/` and is never served.

import { withChecksum } from './checksum.ts';
import { parseReference, parseSha1, type Reference, type Sha1 } from './digest.ts';
import { formatFormerFacts, parseFormerFacts, type FormerFacts } from './former-facts.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { parsePackageName, type PackageName } from './name.ts';
import { refuseNewer } from './newer-format.ts';
import { parseTextDigest, type TextDigest } from './package-texts.ts';
import type { PublicPath } from './paths.ts';
import { parseRelativePath } from './relative-path.ts';
import { parseSigner, type Signer } from './signer.ts';
import { formatChange, parseChange, type VersionChange } from './version-changes.ts';

export const servingIndexFormat = 1;

/** `published`: p2 names it. `superseded`: an older content of a dev version. `withdrawn`: its version has left p2. */
export type IndexState = 'published' | 'superseded' | 'withdrawn';

export interface IndexEntry {
  readonly version: string;
  readonly version_normalized: string;
  readonly reference: Reference;
  readonly shasum: Sha1;
  /** bytes of the ZIP */
  readonly size: number;
  /** the release's own time, RFC 3339 UTC; null if the source knows none */
  readonly time: string | null;
  /** the path of the bytes of exactly this reference, below public/ */
  readonly path: PublicPath;
  readonly state: IndexState;
  /** when the entry got this state, RFC 3339 UTC */
  readonly since: string;
  /** when this registry first published this content, if earlier than `since`; received trees have their own dates */
  readonly first_published?: string;
  /** the git branch of a dev version, if its label does not show the name (branch-order.ts) */
  readonly branch?: string;
  /** id of the source that published it */
  readonly source: string;
  /** who signed its git tag with a known key; absent: nobody, or the registry knows no keys (signer.ts) */
  readonly signed_by?: Signer;
  /** the digest of its README, if it has one and is published */
  readonly readme?: TextDigest;
  readonly changelog?: TextDigest;
  /**
   * of an entry that is not published: what rules read of its former record, if that was known when it left. A version
   * that returns loses it once a document has its record again
   */
  readonly facts?: FormerFacts;
}

/** The facts of one published document, or of a former one: Last-Modified must continue to rise when it returns. */
export interface DocumentStamp {
  /** epoch seconds */
  readonly last_modified: number;
  /** hex SHA-256 of its bytes; null while it does not exist */
  readonly sha256: string | null;
  /** oldest first; absent in the index of an older version, which did not record changes of single versions */
  readonly changes?: readonly VersionChange[];
}

export interface PackageIndex {
  readonly format: typeof servingIndexFormat;
  readonly name: PackageName;
  readonly documents: { readonly stable: DocumentStamp | null; readonly dev: DocumentStamp | null };
  /** newest version first; of one version the published content first */
  readonly versions: readonly IndexEntry[];
}

/** Canonical bytes: equal indexes give equal text, in any order of their objects. */
export function formatPackageIndex({ format, name, documents, versions }: PackageIndex): string {
  return withChecksum(
    JSON.stringify(
      {
        format,
        name,
        documents: { stable: formatStamp(documents.stable), dev: formatStamp(documents.dev) },
        versions: versions.map(formatEntry),
      },
      null,
      1,
    ),
  );
}

function formatStamp(stamp: DocumentStamp | null): JsonObject | null {
  if (stamp === null) return null;
  return {
    last_modified: stamp.last_modified,
    sha256: stamp.sha256,
    ...(stamp.changes === undefined ? {} : { changes: stamp.changes.map(formatChange) }),
  };
}

function formatEntry({
  version,
  version_normalized: normalized,
  reference,
  shasum,
  size,
  time,
  path,
  state,
  since,
  first_published,
  branch,
  source,
  signed_by,
  readme,
  changelog,
  facts,
}: IndexEntry): IndexEntry {
  return {
    version,
    version_normalized: normalized,
    reference,
    shasum,
    size,
    time,
    path,
    state,
    since,
    ...(first_published === undefined ? {} : { first_published }),
    ...(branch === undefined ? {} : { branch }),
    source,
    ...(signed_by === undefined ? {} : { signed_by }),
    ...(readme === undefined ? {} : { readme }),
    ...(changelog === undefined ? {} : { changelog }),
    ...(facts === undefined ? {} : { facts: formatFormerFacts(facts) }),
  };
}

/** Throws an Error that describes the fault, NewerFormat among them; the caller names the file. */
export function parsePackageIndex(text: string): PackageIndex {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error('it is not a JSON object');
  refuseNewer(json['format'], servingIndexFormat);
  if (json['format'] !== servingIndexFormat)
    throw new Error(`its format is ${String(json['format'])}, this version reads ${servingIndexFormat}`);
  const name = typeof json['name'] === 'string' ? parsePackageName(json['name']) : undefined;
  if (name === undefined) throw new Error('its name is not a package name');
  const { documents, versions } = json;
  if (!isJsonObject(documents) || !Array.isArray(versions)) throw new Error('documents or versions is missing');
  return {
    format: servingIndexFormat,
    name,
    documents: { stable: parseStamp(documents['stable']), dev: parseStamp(documents['dev']) },
    versions: versions.map((entry: unknown) => parseEntry(entry, name)),
  };
}

/**
 * The beginning of the list of versions in formatPackageIndex's text. A JSON string contains no line end, so this text
 * occurs only once.
 */
const versionsBegin = ',\n "versions": [';

/**
 * The stamps alone, without parsing the versions, which are most of an index. Throws an Error that describes the fault.
 */
export function parseDocumentStamps(text: string): PackageIndex['documents'] {
  const end = text.indexOf(versionsBegin);
  const json: unknown = JSON.parse(end === -1 ? text : `${text.slice(0, end)}}`);
  const { format, documents } = isJsonObject(json) ? json : {};
  refuseNewer(format, servingIndexFormat);
  if (!isJsonObject(documents)) throw new Error('documents is missing');
  return { stable: parseStamp(documents['stable']), dev: parseStamp(documents['dev']) };
}

/** null: there never was such a document. Throws an Error that describes the fault. */
export function parseStamp(value: unknown): DocumentStamp | null {
  if (value === null || value === undefined) return null;
  const { last_modified, sha256, changes } = isJsonObject(value) ? value : {};
  if (typeof last_modified !== 'number') throw new Error('a document stamp is malformed');
  return {
    last_modified,
    sha256: typeof sha256 === 'string' ? sha256 : null,
    ...(Array.isArray(changes) ? { changes: changes.map(parseChange) } : {}),
  };
}

const states: ReadonlySet<unknown> = new Set<IndexState>(['published', 'superseded', 'withdrawn']);

function parseEntry(value: unknown, name: PackageName): IndexEntry {
  if (!isJsonObject(value)) throw new Error('a version entry is not an object');
  const text = (key: keyof IndexEntry & string): string => requireText(value, key);
  const reference = parseReference(text('reference'));
  const shasum = parseSha1(text('shasum'));
  const path = text('path');
  const size = value['size'];
  if (reference === undefined || shasum === undefined)
    throw new Error(`version ${text('version')} has a malformed reference or shasum`);
  if (!path.startsWith(`dist/${name}/`) || 'refusal' in parseRelativePath(path))
    throw new Error(`version ${text('version')} has a path outside its package`);
  if (typeof size !== 'number' || !states.has(value['state']))
    throw new Error(`version ${text('version')} has a malformed size or state`);
  return {
    version: text('version'),
    version_normalized: text('version_normalized'),
    reference,
    shasum,
    size,
    time: typeof value['time'] === 'string' ? value['time'] : null,
    path: path as PublicPath,
    state: value['state'] as IndexState,
    since: text('since'),
    ...(typeof value['first_published'] === 'string' ? { first_published: value['first_published'] } : {}),
    ...(typeof value['branch'] === 'string' ? { branch: value['branch'] } : {}),
    source: text('source'),
    ...signerOf(value),
    ...textDigest('readme', value),
    ...textDigest('changelog', value),
    ...factsOf(value),
  };
}

/** A name that no build writes is as good as none: the next build that reads the tag finds it again. */
function signerOf({ signed_by: text }: JsonObject): Pick<IndexEntry, 'signed_by'> {
  const signer = typeof text === 'string' ? parseSigner(text) : undefined;
  return signer === undefined ? {} : { signed_by: signer };
}

function factsOf({ version, facts }: JsonObject): Pick<IndexEntry, 'facts'> {
  if (facts === undefined) return {};
  try {
    return { facts: parseFormerFacts(facts) };
  } catch (cause) {
    throw new Error(`version ${String(version)}: ${String(cause)}`, { cause });
  }
}

function textDigest<Kind extends 'readme' | 'changelog'>(
  kind: Kind,
  entry: JsonObject,
): { readonly [K in Kind]?: TextDigest } {
  const text = entry[kind];
  const digest = typeof text === 'string' ? parseTextDigest(text) : undefined;
  return digest === undefined ? {} : ({ [kind]: digest } as { readonly [K in Kind]: TextDigest });
}

function requireText(value: JsonObject, key: string): string {
  const found = value[key];
  if (typeof found !== 'string') throw new Error(`${key} of a version entry is missing`);
  return found;
}
