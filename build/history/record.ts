// `build/history/<serial>/record.json`: the changes of one publication and the documents that it replaced. The replaced
// documents are in the record's folder, under their digests. A publication therefore costs only its changes, and the
// first one only its record.

import type { Reference } from '../contract/digest.ts';
import { isJsonObject } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import { refuseNewer } from '../contract/newer-format.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';

export const historyFormat = 1;

/** Below `build/`. */
export const historyFolder = 'history';

export type DocumentKind = 'stable' | 'dev';

/** Hex SHA-256 of a document. null: there was none. `lost`: it was damaged before it was replaced. */
export type FormerDocument = string | null | 'lost';

export interface RecordedVersion {
  readonly version: string;
  readonly reference: Reference;
  /** id of the source that published it */
  readonly source: string;
}

/**
 * The changes of one publication to one package. All lists empty: the metadata was rewritten with the same contents.
 */
export interface PackageChange {
  readonly name: PackageName;
  /** one entry for each document that was replaced or removed */
  readonly former: { readonly [Kind in DocumentKind]?: FormerDocument };
  readonly added: readonly RecordedVersion[];
  readonly changed: readonly (RecordedVersion & { readonly was: Pick<RecordedVersion, 'version' | 'reference'> })[];
  readonly withdrawn: readonly RecordedVersion[];
}

/** The person or job that started a publication, if known. */
export interface PublishedBy {
  /** the actor in the form of the audit log */
  readonly actor: string;
  /** `build`, `repository sync` */
  readonly command: string;
}

export interface PublicationRecord {
  readonly format: typeof historyFormat;
  readonly serial: number;
  /**
   * the serial of the publication before; 0 for none. The serials in between were interrupted, and this record includes
   * their changes.
   */
  readonly previous: number;
  /** RFC 3339 UTC */
  readonly published_at: string;
  readonly by: PublishedBy | null;
  /** the serial whose metadata the rollback restored */
  readonly rollback_to: number | null;
  /** id → location, of those that the changes name */
  readonly sources: Readonly<Record<string, string>>;
  readonly packages: readonly PackageChange[];
}

/** Below `build/`. */
export function publicationRecordPath(serial: number): string {
  return `${historyFolder}/${serial}/record.json`;
}

/** undefined: the path, below build/, is not that of a record. */
export function serialOfRecord(path: string): number | undefined {
  const serial = /^history\/(\d{1,15})\/record\.json$/.exec(path)?.[1];
  return serial === undefined ? undefined : Number(serial);
}

/** Below `build/`: a document that this publication replaced. */
export function formerPath(serial: number, digest: string): string {
  return `${historyFolder}/${serial}/${digest}`;
}

export function formatPublicationRecord(record: PublicationRecord): string {
  const { packages, ...head } = record;
  const lines = packages.map((change) => JSON.stringify(change));
  return `${JSON.stringify(head).slice(0, -1)},"packages":[${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`}]}\n`;
}

/** undefined: there is no record, or it is unreadable. Throws BuildRefused for a record of a newer Libretto. */
export async function readPublicationRecord(
  output: Pick<Output, 'read'>,
  serial: number,
): Promise<PublicationRecord | undefined> {
  const text = await output.read('build', publicationRecordPath(serial));
  const path = `build/${publicationRecordPath(serial)}`;
  const record = text === undefined ? undefined : parseOwnFile(path, () => recordIn(JSON.parse(text)));
  return record?.serial === serial ? record : undefined;
}

/**
 * The record in the JSON of its file; undefined: it is none. Checks only the outline: only Libretto writes this file,
 * and its values never become paths. Throws NewerFormat for a record of a newer Libretto.
 */
export function recordIn(json: unknown): PublicationRecord | undefined {
  if (!isJsonObject(json)) return undefined;
  const { format, serial, previous, published_at: publishedAt, sources, packages } = json;
  refuseNewer(format, historyFormat);
  if (
    format !== historyFormat ||
    typeof serial !== 'number' ||
    typeof previous !== 'number' ||
    typeof publishedAt !== 'string' ||
    !isJsonObject(sources) ||
    !Array.isArray(packages)
  )
    return undefined;
  if (previous >= serial || !packages.every(isChange)) return undefined;
  return json as unknown as PublicationRecord;
}

function isChange(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { name, former, added, changed, withdrawn } = value;
  return (
    typeof name === 'string' &&
    isJsonObject(former) &&
    [added, changed, withdrawn].every(
      (list) =>
        Array.isArray(list) && list.every((line: unknown) => isJsonObject(line) && typeof line['version'] === 'string'),
    )
  );
}
