// Removes purged versions from the documents in the history, so that no rollback finds them. The rest of these
// documents does not change.

import { isJsonObject, type JsonObject } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import {
  formatPublicationRecord,
  formerPath,
  historyFolder,
  readPublicationRecord,
  publicationRecordPath,
  type DocumentKind,
  type FormerDocument,
  type PackageChange,
  type PublicationRecord,
} from '../history/record.ts';
import type { Output } from '../output/output.ts';
import { readJson, writeJson } from '../record/exact-integers.ts';
import type { Purged } from '../package/purged.ts';

export async function sweepHistory(output: Output, purged: Purged): Promise<void> {
  const serials = new Set((await output.list('build', historyFolder)).map((file) => Number(file.split('/')[1])));
  for (const serial of serials) {
    const record = await readPublicationRecord(output, serial);
    if (record === undefined) {
      await sweepUnrecorded(output, serial, purged);
      continue;
    }
    const swept = await sweepRecord(output, record, purged);
    // new documents first, then the record that names them, then the documents that it no longer names
    if (swept !== undefined) await replaceRecord(output, swept);
    await removeUnnamed(output, swept ?? record);
  }
}

/**
 * An interrupted publication may leave documents without a record, and a record may be damaged. No rollback can use
 * these documents, so a document with purged contents is removed as a whole.
 */
async function sweepUnrecorded(output: Output, serial: number, purged: Purged): Promise<void> {
  for (const path of await output.list('build', `${historyFolder}/${serial}`)) {
    const packages = Object.entries(recordsWithPurged((await output.read('build', path)) ?? ''));
    const holdsPurged = packages.some(([name, versions]) =>
      Object.values(versions).some((record) => isPurged(record, name, purged)),
    );
    if (holdsPurged) await output.remove('build', path);
  }
  await output.barrier();
}

/** undefined: it contains no purged version. */
async function sweepRecord(
  output: Output,
  record: PublicationRecord,
  purged: Purged,
): Promise<PublicationRecord | undefined> {
  const packages: PackageChange[] = [];
  for (const change of record.packages) {
    const former: { [Kind in DocumentKind]?: FormerDocument } = { ...change.former };
    for (const kind of ['stable', 'dev'] as const) {
      const document = former[kind];
      if (typeof document === 'string' && document !== 'lost')
        former[kind] = await sweepDocument(output, record.serial, change.name, document, purged);
    }
    packages.push({ ...change, former });
  }
  return packages.every(({ former }, at) => sameFormer(former, record.packages[at]?.former))
    ? undefined
    : { ...record, packages };
}

/** Writes the document without the purged versions, and returns its digest. */
async function sweepDocument(
  output: Output,
  serial: number,
  name: PackageName,
  document: string,
  purged: Purged,
): Promise<string> {
  const text = await output.read('build', formerPath(serial, document));
  const next = text === undefined ? undefined : withoutPurgedVersions(text, name, purged);
  if (next === undefined) return document;
  const digest = digestOf(next);
  const file = await output.stage(next);
  await output.settle([file]);
  await output.publish(file, 'build', formerPath(serial, digest));
  return digest;
}

/** undefined: the text has no purged version, or cannot be read. */
function withoutPurgedVersions(text: string, name: PackageName, purged: Purged): string | undefined {
  const json = parse(text);
  const packages = isJsonObject(json) ? json['packages'] : undefined;
  const versions = isJsonObject(packages) ? packages[name] : undefined;
  if (!isJsonObject(json) || !isJsonObject(packages) || !isJsonObject(versions)) return undefined;
  const left = Object.entries(versions).filter(([, record]) => !isPurged(record, name, purged));
  if (left.length === Object.keys(versions).length) return undefined;
  return `${writeJson({ ...json, packages: { ...packages, [name]: Object.fromEntries(left) } })}\n`;
}

function isPurged(record: unknown, name: string, { blocks }: Purged): boolean {
  if (!isJsonObject(record)) return false;
  const normalized = String(record['version_normalized']);
  return blocks(name, { normalized, reference: referenceOf(record) }) !== undefined;
}

/** Package → version → record, of a document; empty for an unreadable one. */
export function recordsWithPurged(text: string): Readonly<Record<string, JsonObject>> {
  const json = parse(text);
  const packages = isJsonObject(json) ? json['packages'] : undefined;
  return isJsonObject(packages)
    ? Object.fromEntries(
        Object.entries(packages).flatMap(([name, versions]) => (isJsonObject(versions) ? [[name, versions]] : [])),
      )
    : {};
}

function parse(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined; // a rollback reports the damage
  }
}

/** The reference of a record; '' for one without a dist. */
export function referenceOf({ dist }: JsonObject): string {
  return isJsonObject(dist) ? String(dist['reference']) : '';
}

async function replaceRecord(output: Output, record: PublicationRecord): Promise<void> {
  const file = await output.stage(formatPublicationRecord(record));
  await output.settle([file]);
  await output.barrier();
  await output.publish(file, 'build', publicationRecordPath(record.serial));
  await output.barrier();
}

async function removeUnnamed(output: Output, { serial, packages }: PublicationRecord): Promise<void> {
  const named = new Set([
    publicationRecordPath(serial),
    ...packages.flatMap(({ former }) =>
      [former.stable, former.dev].flatMap((document) =>
        typeof document === 'string' ? [formerPath(serial, document)] : [],
      ),
    ),
  ]);
  const others = (await output.list('build', `${historyFolder}/${serial}`)).filter((path) => !named.has(path));
  for (const path of others) await output.remove('build', path);
  if (others.length > 0) await output.barrier();
}

function sameFormer(one: PackageChange['former'], other: PackageChange['former'] | undefined): boolean {
  return one.stable === other?.stable && one.dev === other?.dev;
}
