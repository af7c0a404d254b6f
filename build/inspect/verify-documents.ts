// `verify` checks the documents of one package: both exist, have the published bytes, and name only versions of the
// serving index.

import type { VersionRecord } from '../contract/documents.ts';
import { isJsonObject } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import { indexPath, providerPath } from '../contract/paths.ts';
import type { DocumentStamp, IndexEntry, PackageIndex } from '../contract/serving-index.ts';
import { isDevVersion, normalizeVersion } from '../contract/version.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { parseProvider } from '../documents/documents.ts';
import { groupBy } from '../shared/collections/group-by.ts';
import { readOrFault, type Fault, type VerifyContext } from './verify-fault.ts';
import { purgedFaults } from './verify-tombstones.ts';

export interface CheckedDocuments {
  readonly faults: readonly Fault[];
  /** versions they name; of a fast look those that the index calls published */
  readonly versions: number;
}

/** `listed`: packages.json names the package. */
export async function verifyDocuments(
  name: PackageName,
  index: PackageIndex | undefined,
  listed: boolean,
  context: VerifyContext,
): Promise<CheckedDocuments> {
  const faults: Fault[] = [];
  const records: VersionRecord[] = [];
  const repair = index === undefined ? `Follow the advice for index/${indexPath(name)}.` : context.repairs.byComparing;
  for (const kind of ['stable', 'dev'] as const) {
    // during a publication the documents may still be those of the one before
    const stamp = context.settled ? index?.documents[kind] : undefined;
    const wanted = (kind === 'stable' && listed) || (stamp?.sha256 ?? null) !== null;
    const found = await readDocument(name, kind, { stamp, wanted, repair }, context, faults);
    records.push(...found);
    faults.push(
      ...purgedFaults(
        name,
        `public/${providerPath(name, kind)}`,
        found.map((record) => ({ ...record, reference: String(record.dist?.reference ?? '') })),
        context,
      ),
    );
  }
  const entries = groupBy(index?.versions ?? [], ({ version }) => version);
  if (index !== undefined) for (const record of records) faults.push(...recordFaults(name, record, entries, context));
  return {
    faults,
    versions: context.fast
      ? (index?.versions ?? []).filter(({ state }) => state === 'published').length
      : records.length,
  };
}

interface Expected {
  readonly stamp: DocumentStamp | null | undefined;
  readonly wanted: boolean;
  /** the repair of the document */
  readonly repair: string;
}

async function readDocument(
  name: PackageName,
  kind: 'stable' | 'dev',
  { stamp, wanted, repair }: Expected,
  { output, fast }: VerifyContext,
  faults: Fault[],
): Promise<readonly VersionRecord[]> {
  const path = providerPath(name, kind);
  const place = { path: `public/${path}`, name };
  const text = await readOrFault(output.read('public', path), { code: 'MALFORMED_DOCUMENT', ...place }, faults);
  if (text === 'unreadable') return [];
  const presence = presenceFault(text, { stamp, wanted, repair }, place);
  if (presence !== undefined) faults.push(presence);
  if (text === undefined || presence !== undefined) return [];
  const isPublished = typeof stamp?.sha256 === 'string' && digestOf(text) === stamp.sha256;
  if (fast && isPublished) return [];
  try {
    const records = parseProvider(text, name);
    const misplaced = records.find((record) => !belongs(record, name, kind));
    if (misplaced !== undefined)
      faults.push({
        code: 'WRONG_PACKAGE',
        ...place,
        version: misplaced.version,
        message: `The record does not belong in this document. ${repair}`,
      });
    else if (typeof stamp?.sha256 === 'string' && !isPublished)
      faults.push({
        code: 'WRONG_BYTES',
        ...place,
        message: `The document is not the one that was published. ${repair}`,
      });
    return records;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    faults.push({ code: 'MALFORMED_DOCUMENT', ...place, message: `${reason}. ${repair}` });
    return [];
  }
}

/** The document exists exactly if the package has one. */
function presenceFault(
  text: string | undefined,
  { stamp, wanted, repair }: Expected,
  place: Pick<Fault, 'path' | 'name'>,
): Fault | undefined {
  if (text === undefined)
    return wanted
      ? {
          code: 'MISSING_FILE',
          ...place,
          message: `The document is missing, although the package has one. ${repair}`,
        }
      : undefined;
  return stamp !== undefined && (stamp?.sha256 ?? null) === null
    ? { code: 'FOREIGN_FILE', ...place, message: 'The package has no such document. Remove it.' }
    : undefined;
}

function belongs(record: VersionRecord, name: PackageName, kind: 'stable' | 'dev'): boolean {
  return (
    record.name === name &&
    isDevVersion(record.version_normalized) === (kind === 'dev') &&
    normalizeVersion(record.version) === record.version_normalized
  );
}

/** I1: the serving index has every archive that a document names, with the SHA-1 in the document. */
function recordFaults(
  name: PackageName,
  record: VersionRecord,
  entries: ReadonlyMap<string, readonly IndexEntry[]>,
  { repairs }: VerifyContext,
): readonly Fault[] {
  const dist = isJsonObject(record.dist) ? record.dist : undefined;
  const entry = entries.get(record.version)?.find(({ reference }) => reference === dist?.['reference']);
  const shasum = dist?.['shasum'];
  if (
    entry !== undefined &&
    (shasum === entry.shasum || (shasum === undefined && isDevVersion(record.version_normalized)))
  )
    return [];
  return [
    {
      code: 'NOT_INDEXED',
      path: `index/${indexPath(name)}`,
      name,
      version: record.version,
      message:
        'A document names this version, but the serving index does not have it with that reference and SHA-1. ' +
        repairs.byComparing,
    },
  ];
}
