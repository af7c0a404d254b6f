// Computes the record of the changes that a build or a rollback makes in one package. The comparison starts from the
// state that readers had before, and not from the files of an interrupted publication.

import { parseReference } from '../contract/digest.ts';
import type { VersionRecord } from '../contract/documents.ts';
import { isJsonObject } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import { providerPath } from '../contract/paths.ts';
import { unknownSource } from '../contract/publication.ts';
import type { DocumentStamp, IndexEntry } from '../contract/serving-index.ts';
import { isDevVersion } from '../contract/version.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { parseProvider } from '../documents/documents.ts';
import type { OutputArea, Output } from '../output/output.ts';
import type { PackageState } from './package-state.ts';
import type { PendingHistory } from './pending-publications.ts';
import type { DocumentKind, FormerDocument, PackageChange, RecordedVersion } from '../history/record.ts';

/** A document that history stores for rollbacks before another document replaces it. */
export interface DocumentForHistory {
  readonly area: OutputArea;
  readonly path: string;
  readonly digest: string;
}

export interface PackageHistory {
  readonly change: PackageChange;
  readonly kept: readonly DocumentForHistory[];
}

export interface ChangeInputs {
  readonly name: PackageName;
  readonly state: PackageState;
  /** the complete next serving index */
  readonly entries: readonly IndexEntry[];
  readonly stamps: { readonly [Kind in DocumentKind]: DocumentStamp | null };
  /** documents that are written or removed */
  readonly replaced: ReadonlySet<DocumentKind>;
  readonly output: Output;
  /** the history of interrupted publications */
  readonly pending: PendingHistory;
}

type FormerVersion = Pick<IndexEntry, 'version' | 'version_normalized' | 'reference'>;

interface Former {
  readonly document: FormerDocument;
  readonly at: Omit<DocumentForHistory, 'digest'> | undefined;
  readonly versions: readonly FormerVersion[];
}

/** undefined: the change is invisible to readers. */
export async function packageChange(inputs: ChangeInputs): Promise<PackageHistory | undefined> {
  const { name, state, entries, stamps, replaced, pending } = inputs;
  const covered = pending.of(name);
  if (replaced.size === 0 && covered === undefined) return undefined;
  const former: { [Kind in DocumentKind]?: FormerDocument } = {};
  const cachedDocuments: DocumentForHistory[] = [];
  const before: FormerVersion[] = [];
  for (const kind of ['stable', 'dev'] as const) {
    const pendingOne = covered?.[kind];
    const found: Former =
      pendingOne === undefined
        ? await formerOf(kind, inputs)
        : { ...pendingOne, versions: pendingOne.records.map(versionOf) };
    before.push(...found.versions);
    const after = stamps[kind]?.sha256 ?? null;
    const repaired = pendingOne === undefined && (state.index.documents[kind]?.sha256 ?? null) === after;
    if (found.document === after || repaired) continue;
    former[kind] = found.document;
    if (found.at !== undefined && found.document !== null)
      cachedDocuments.push({ ...found.at, digest: found.document });
  }
  const change: PackageChange = { name, former, ...compareVersions(before, entries) };
  return Object.keys(former).length === 0 ? undefined : { change, kept: cachedDocuments };
}

async function formerOf(kind: DocumentKind, { name, state, replaced, output }: ChangeInputs): Promise<Former> {
  const isMine = ({ version_normalized: normalized }: { readonly version_normalized: string }): boolean =>
    isDevVersion(normalized) === (kind === 'dev');
  const versions = [...state.records.values()].filter(isMine).map(versionOf);
  const stamped = state.index.documents[kind]?.sha256 ?? null;
  const at = { area: 'public', path: providerPath(name, kind) } as const;
  if (!replaced.has(kind) || !state.uncertain.has(kind))
    return { document: stamped, at: stamped === null ? undefined : at, versions };
  const text = await output.read('public', at.path);
  if (text !== undefined && isReadable(text, name)) return { document: digestOf(text), at, versions };
  const indexed = state.index.versions.filter((entry) => entry.state === 'published' && isMine(entry));
  return { document: text === undefined && stamped === null ? null : 'lost', at: undefined, versions: indexed };
}

function isReadable(text: string, name: PackageName): boolean {
  try {
    return parseProvider(text, name).length >= 0;
  } catch {
    return false; // no former document exists
  }
}

/** The changes between the readers' former entries and their next ones. */
function compareVersions(
  before: readonly FormerVersion[],
  entries: readonly IndexEntry[],
): Pick<PackageChange, 'added' | 'changed' | 'withdrawn'> {
  const sources = new Map(entries.map((entry) => [`${entry.version}\0${entry.reference}`, entry.source]));
  const former = new Map(before.map((one) => [one.version_normalized, one]));
  const added: RecordedVersion[] = [];
  const changed: PackageChange['changed'][number][] = [];
  for (const entry of entries.filter(({ state }) => state === 'published')) {
    const { version, version_normalized: normalized, reference, source } = entry;
    const was = former.get(normalized);
    former.delete(normalized);
    if (was === undefined) added.push({ version, reference, source });
    else if (was.reference !== reference || was.version !== version)
      changed.push({ version, reference, source, was: { version: was.version, reference: was.reference } });
  }
  const withdrawn = [...former.values()].map(({ version, reference }) => ({
    version,
    reference,
    source: sources.get(`${version}\0${reference}`) ?? unknownSource,
  }));
  return { added, changed, withdrawn };
}

function versionOf({ version, version_normalized: normalized, dist }: VersionRecord): FormerVersion {
  const reference = parseReference(isJsonObject(dist) ? String(dist.reference) : '');
  if (reference === undefined) throw new Error(`a published record of ${version} has no reference`);
  return { version, version_normalized: normalized, reference };
}
