// The permanent record of an accepted archive: the bytes of a version of a mirrored package. A release has one record,
// for any reference, and one for each label with a build (1.0.0+build5). A dev version has one record for each
// reference.

import { createHash } from 'node:crypto';
import { parseSha1, type Sha1 } from '../../../build/contract/digest.ts';
import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../../build/contract/name.ts';
import type { NormalizedVersion } from '../../../build/contract/version.ts';
import { buildOf } from '../versions/offered-version.ts';

export interface ArchiveRecord {
  readonly name: PackageName;
  readonly version: string;
  readonly normalized: NormalizedVersion;
  readonly dev: boolean;
  /** the upstream's, of any form; empty if it gave none */
  readonly reference: string;
  readonly shasum: Sha1;
  /** bytes */
  readonly size: number;
  /** the address of the download, without query */
  readonly from: string;
  /** RFC 3339 UTC */
  readonly fetchedAt: string;
  /** the upstream's record then */
  readonly record: JsonObject;
}

const format = 1;

/** The version that an archive is accepted for. */
export type ArchivedVersion = Pick<ArchiveRecord, 'version' | 'normalized' | 'dev' | 'reference'>;

/** The name of a version's record file. */
export function archiveKey({ version, normalized, dev, reference }: ArchivedVersion): string {
  const build = dev ? reference : buildOf(version);
  return createHash('sha256')
    .update(JSON.stringify(build === '' && !dev ? [normalized] : [normalized, build]))
    .digest('hex')
    .slice(0, 32);
}

/** The possible names: older versions of Libretto kept one record for all labels of a release. */
export function recordKeys(version: ArchivedVersion): readonly string[] {
  return [...new Set([archiveKey(version), archiveKey({ ...version, version: '' })])];
}

export function formatArchiveRecord({
  name,
  version,
  normalized,
  dev,
  reference,
  shasum,
  size,
  from,
  fetchedAt,
  record,
}: ArchiveRecord): string {
  return `${JSON.stringify({ format, name, version, version_normalized: normalized, dev, reference, shasum, size, from, fetched_at: fetchedAt, record })}\n`;
}

/** Throws an Error that describes the fault; the caller names the file. */
export function parseArchiveRecord(text: string): ArchiveRecord {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json) || json['format'] !== format) throw new Error(`it is not of format ${format}`);
  return { ...parseAcceptedVersion(json), ...parseOrigin(json) };
}

/** The version that the record is of, and the digest of its archive. */
function parseAcceptedVersion(
  json: JsonObject,
): Pick<ArchiveRecord, 'name' | 'version' | 'normalized' | 'dev' | 'reference' | 'shasum'> {
  const { name: given, version, version_normalized: normalized, dev, reference, shasum: sum } = json;
  const name = typeof given === 'string' ? parsePackageName(given) : undefined;
  const shasum = typeof sum === 'string' ? parseSha1(sum) : undefined;
  if (
    name === undefined ||
    shasum === undefined ||
    typeof version !== 'string' ||
    typeof normalized !== 'string' ||
    typeof dev !== 'boolean' ||
    typeof reference !== 'string'
  )
    throw new Error('it does not say which version it is of');
  return { name, version, normalized: normalized as NormalizedVersion, dev, reference, shasum };
}

/** The size, the address and the time of the download. */
function parseOrigin(json: JsonObject): Pick<ArchiveRecord, 'size' | 'from' | 'fetchedAt' | 'record'> {
  const { size, from, fetched_at: fetchedAt, record } = json;
  if (typeof size !== 'number' || typeof from !== 'string' || typeof fetchedAt !== 'string' || !isJsonObject(record))
    throw new Error('it does not say what was fetched, and from where');
  return { size, from, fetchedAt, record };
}
