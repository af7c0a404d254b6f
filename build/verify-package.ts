// What `verify` checks of one package: its documents, its serving index, and every archive either of them names.

import type { VersionRecord } from './contract/documents.ts';
import { isJsonObject } from './contract/json.ts';
import type { PackageName } from './contract/name.ts';
import { indexPath, providerPath } from './contract/paths.ts';
import { parsePackageIndex, type IndexEntry, type PackageIndex } from './contract/serving-index.ts';
import { isDevVersion, normalizeVersion } from './contract/version.ts';
import { archiveFault } from './archive/archive-fault.ts';
import { parseProvider } from './documents.ts';
import type { Output } from './output/output.ts';
import { indexFault, type Fault } from './verify-fault.ts';

export interface CheckedPackage {
  readonly faults: readonly Fault[];
  readonly versions: number;
  /** paths below public/ */
  readonly archives: readonly string[];
}

export async function verifyPackage(output: Output, name: PackageName, listed: boolean): Promise<CheckedPackage> {
  const faults: Fault[] = [];
  const index = await readIndex(output, name, faults);
  const records = [...(await readRecords(output, name, 'stable', listed, faults)), ...(await readRecords(output, name, 'dev', false, faults))];
  for (const record of records) faults.push(...recordFaults(name, record, index));
  const entries = index?.versions ?? [];
  const checked = await Promise.all(entries.map((entry) => entryFault(output, name, entry)));
  return { faults: [...faults, ...checked.flatMap((fault) => (fault === undefined ? [] : [fault]))], versions: records.length, archives: entries.map(({ path }) => path) };
}

async function readIndex(output: Output, name: PackageName, faults: Fault[]): Promise<PackageIndex | undefined> {
  const text = await output.read('index', indexPath(name));
  const path = `index/${indexPath(name)}`;
  if (text === undefined) {
    faults.push({ code: 'MISSING_FILE', path, name, message: 'The serving index of this package is missing: its archives cannot be served. The next build writes it again.' });
    return undefined;
  }
  try {
    const index = parsePackageIndex(text);
    if (index.name === name) return index;
    faults.push({ code: 'WRONG_PACKAGE', path, name, message: `It is the serving index of ${index.name}. Remove it; the next build writes it again.` });
  } catch (error) {
    faults.push(indexFault(error, { path, name }, 'The next build that looks at this package writes it again.'));
  }
  return undefined;
}

async function readRecords(output: Output, name: PackageName, kind: 'stable' | 'dev', required: boolean, faults: Fault[]): Promise<readonly VersionRecord[]> {
  const path = providerPath(name, kind);
  const text = await output.read('public', path);
  if (text === undefined) {
    if (required) faults.push({ code: 'MISSING_FILE', path: `public/${path}`, name, message: 'packages.json lists this package, but its document is missing (I2). Build its source again.' });
    return [];
  }
  try {
    const records = parseProvider(text, name);
    const misplaced = records.find((record) => record.name !== name || isDevVersion(record.version_normalized) !== (kind === 'dev') || normalizeVersion(record.version) !== record.version_normalized);
    if (misplaced !== undefined) faults.push({ code: 'WRONG_PACKAGE', path: `public/${path}`, name, version: misplaced.version, message: 'The record does not belong into this document. Build its source again.' });
    return records;
  } catch (error) {
    faults.push({ code: 'MALFORMED_DOCUMENT', path: `public/${path}`, name, message: `${error instanceof Error ? error.message : String(error)}. Build its source again.` });
    return [];
  }
}

/** I1: what a document names, the serving index finds, with the SHA-1 the document promises. */
function recordFaults(name: PackageName, record: VersionRecord, index: PackageIndex | undefined): readonly Fault[] {
  if (index === undefined) return [];
  const dist = isJsonObject(record.dist) ? record.dist : undefined;
  const entry = index.versions.find((candidate) => candidate.version === record.version && candidate.reference === dist?.['reference']);
  const shasum = dist?.['shasum'];
  if (entry !== undefined && (shasum === entry.shasum || (shasum === undefined && isDevVersion(record.version_normalized)))) return [];
  return [{ code: 'NOT_INDEXED', path: `index/${indexPath(name)}`, name, version: record.version, message: 'A document names this version, but the serving index does not have it with that reference and SHA-1 (I1). Build its source again.' }];
}

async function entryFault(output: Output, name: PackageName, entry: IndexEntry): Promise<Fault | undefined> {
  const place = { path: `public/${entry.path}`, name, version: entry.version };
  const repair = 'Restore it from a backup; a build never makes an archive of a released version twice.';
  const facts = await output.facts('public', entry.path);
  if (facts === undefined) return { code: 'MISSING_FILE', ...place, message: `The archive is missing. ${repair}` };
  if (facts.size !== entry.size) return { code: 'WRONG_BYTES', ...place, message: `The archive has ${facts.size} bytes, published were ${entry.size}. ${repair}` };
  const sha1 = await output.sha1('public', entry.path);
  if (sha1 !== entry.shasum) return { code: 'WRONG_BYTES', ...place, message: `The archive's SHA-1 is ${sha1 ?? 'not to be had'}, published was ${entry.shasum}. ${repair}` };
  const fault = archiveFault(output.locate(entry.path));
  return fault === undefined ? undefined : { code: 'BAD_ARCHIVE', ...place, message: `${fault} ${repair}` };
}
