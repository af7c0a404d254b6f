// The published state of one package: its serving index and its records, if both are valid.

import type { VersionRecord } from '../contract/documents.ts';
import type { PackageName } from '../contract/name.ts';
import { parseTextDigest, textsFolder, type TextDigest } from '../contract/package-texts.ts';
import { indexPath, providerPath, type PublicPath } from '../contract/paths.ts';
import type { Publication } from '../contract/publication.ts';
import {
  parsePackageIndex,
  servingIndexFormat,
  type DocumentStamp,
  type IndexEntry,
  type PackageIndex,
} from '../contract/serving-index.ts';
import { isDevVersion } from '../contract/version.ts';
import type { VersionChange } from '../contract/version-changes.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { parseProvider } from '../documents/documents.ts';
import { groupBy } from '../shared/collections/group-by.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';
import { recoverIndex, type MayLose, type Published } from '../documents/recover-index.ts';

export interface PackageState {
  readonly index: PackageIndex;
  /** its entries, grouped by label */
  readonly entries: ReadonlyMap<string, readonly IndexEntry[]>;
  /** the bytes of the index file; undefined if the build has to write it again */
  readonly indexText: string | undefined;
  /** by normalized version */
  readonly records: ReadonlyMap<string, VersionRecord>;
  /** documents that differ on disk from the index: a publication was interrupted, or a person edited them */
  readonly uncertain: ReadonlySet<'stable' | 'dev'>;
  /** the stamps of the documents on disk that do not match the index, which readers may have seen */
  readonly onDisk: ReadonlyMap<'stable' | 'dev', DocumentStamp>;
  /** documents on disk that cannot be read, or that have other bytes than the index says for their date */
  readonly damaged: ReadonlySet<'stable' | 'dev'>;
  /** stored READMEs and CHANGELOGs */
  readonly texts: ReadonlySet<TextDigest>;
}

export interface StateContext {
  readonly output: Output;
  /** archives that an interrupted publication may have left in the tree */
  readonly leftovers: ReadonlySet<PublicPath>;
  /** the package's presence in packages.json */
  readonly isPublished: (name: PackageName) => Published;
  readonly mayLose: MayLose;
  /** the remaining facts of packages whose index was pruned away */
  readonly pruned: Publication['pruned'];
  readonly now: Date;
}

/**
 * Throws PackageDamaged if index and documents are both damaged or lost, and BuildRefused for an index that a newer
 * version wrote.
 */
export async function readPackageState(name: PackageName, context: StateContext): Promise<PackageState> {
  const { output } = context;
  const { index, indexText } = await readIndex(name, context);
  const records = new Map<string, VersionRecord>();
  const uncertain = new Set<'stable' | 'dev'>();
  const onDisk = new Map<'stable' | 'dev', DocumentStamp>();
  const damaged = new Set<'stable' | 'dev'>();
  for (const kind of ['stable', 'dev'] as const) {
    const stamp = index.documents[kind];
    const path = providerPath(name, kind);
    const facts = await output.facts('public', path);
    if ((stamp?.sha256 ?? null) === null ? facts !== undefined : facts?.lastModified !== stamp?.last_modified)
      uncertain.add(kind);
    if (facts === undefined) continue;
    const text = await output.read('public', path);
    const sha256 = text === undefined ? null : digestOf(text);
    // the right document by its time, with other bytes: the file was damaged
    const isChanged = text !== undefined && facts.lastModified === stamp?.last_modified && sha256 !== stamp.sha256;
    if (isChanged) uncertain.add(kind);
    const found = isChanged ? undefined : readRecords(text, name, kind);
    if (found === undefined) damaged.add(kind);
    for (const record of found ?? []) records.set(record.version_normalized, record);
    if (uncertain.has(kind)) onDisk.set(kind, { last_modified: facts.lastModified, sha256 });
  }
  return {
    index,
    entries: groupBy(index.versions, ({ version }) => version),
    indexText,
    records,
    uncertain,
    onDisk,
    damaged,
    texts: await listTexts(output, name),
  };
}

async function listTexts(output: Output, name: PackageName): Promise<ReadonlySet<TextDigest>> {
  const folder = textsFolder(name);
  const files = await output.list('index', folder);
  return new Set(
    files.flatMap((file) =>
      file.endsWith('.md') ? (parseTextDigest(file.slice(folder.length + 1, -'.md'.length)) ?? []) : [],
    ),
  );
}

async function readIndex(
  name: PackageName,
  { output, now, leftovers, isPublished, mayLose, pruned }: StateContext,
): Promise<{ index: PackageIndex; indexText: string | undefined }> {
  const text = await output.read('index', indexPath(name));
  if (text !== undefined) {
    const index = parseOwnFile(`index/${indexPath(name)}`, () => parsePackageIndex(text));
    if (index?.name === name) return { index, indexText: text };
  }
  const recovered = await recoverIndex(output, name, { now, leftovers, published: isPublished(name), mayLose });
  const documents = { stable: prunedStamp(pruned?.[name], 'stable'), dev: prunedStamp(pruned?.[name], 'dev') };
  return { index: recovered ?? { format: servingIndexFormat, name, documents, versions: [] }, indexText: undefined };
}

/** A package that returns after its index was pruned continues from its former dates. */
function prunedStamp(changes: readonly VersionChange[] | undefined, kind: 'stable' | 'dev'): DocumentStamp | null {
  const own = (changes ?? []).filter(({ versions }) =>
    versions.some(({ version_normalized: normalized }) => isDevVersion(normalized) === (kind === 'dev')),
  );
  return own.length === 0
    ? null
    : {
        last_modified: Math.max(...own.map(({ last_modified: lastModified }) => lastModified)),
        sha256: null,
        changes: own,
      };
}

/** undefined: the document is damaged, and its versions are read from their sources again. */
function readRecords(
  text: string | undefined,
  name: PackageName,
  kind: 'stable' | 'dev',
): readonly VersionRecord[] | undefined {
  return text === undefined
    ? undefined
    : parseOwnFile(`public/${providerPath(name, kind)}`, () => parseProvider(text, name));
}
