// The records of interrupted publications (I5): they have the former documents of readers, even those that are already
// replaced.

import type { VersionRecord } from '../contract/documents.ts';
import type { PackageName } from '../contract/name.ts';
import { providerPath } from '../contract/paths.ts';
import { isDevVersion, normalizeVersion } from '../contract/version.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { parseProvider } from '../documents/documents.ts';
import type { TreeMemory } from '../memory/tree-memory.ts';
import type { OutputArea, Output } from '../output/output.ts';
import {
  formerPath,
  historyFolder,
  readPublicationRecord,
  type DocumentKind,
  type FormerDocument,
  type PackageChange,
  type PublicationRecord,
  type RecordedVersion,
} from '../history/record.ts';

export interface PendingDocument {
  readonly document: FormerDocument;
  readonly at: { readonly area: OutputArea; readonly path: string } | undefined;
  readonly records: readonly VersionRecord[];
  /** true: one of the interrupted publications was to leave no version in the document, or to remove it */
  readonly emptied: boolean;
}

export interface PendingHistory {
  /** the last completed publication; 0 for none */
  readonly announced: number;
  /** undefined: no document of the package was to be replaced */
  readonly of: (name: PackageName) => { readonly [Kind in DocumentKind]?: PendingDocument } | undefined;
}

/**
 * If the announcement is lost, the last publication counts as interrupted: the next one then records its changes again.
 */
export async function readPending(
  output: Output,
  { serial, publication }: Pick<TreeMemory, 'serial' | 'publication'>,
): Promise<PendingHistory> {
  const announced = publication?.serial ?? (await newestRecord(output, serial))?.previous ?? 0;
  const found = new Map<PackageName, { [Kind in DocumentKind]?: PendingDocument }>();
  for (let cut = announced + 1; cut <= serial; cut += 1) {
    for (const change of (await readPublicationRecord(output, cut))?.packages ?? []) {
      const { name, former } = change;
      const known = found.get(name) ?? {};
      found.set(name, known);
      for (const kind of ['stable', 'dev'] as const) {
        const document = former[kind];
        // the first of several cut-off publications knows the documents from before all of them
        if (document !== undefined)
          known[kind] ??= await locate(output, { name, kind, document, from: cut, to: serial });
        const one = known[kind];
        if (one !== undefined && isEmptiedBy(change, kind, one.records)) known[kind] = { ...one, emptied: true };
      }
    }
  }
  return { announced, of: (name) => found.get(name) };
}

/** True if the publication withdrew all of these former versions, and added none of their kind. */
function isEmptiedBy(
  { added, withdrawn }: PackageChange,
  kind: DocumentKind,
  former: readonly VersionRecord[],
): boolean {
  const isMine = ({ version }: RecordedVersion): boolean =>
    isDevVersion(normalizeVersion(version) ?? '') === (kind === 'dev');
  const isWithdrawn = ({ version, dist }: VersionRecord): boolean =>
    withdrawn.some((one) => one.version === version && one.reference === dist?.['reference']);
  return former.every(isWithdrawn) && !added.some(isMine);
}

async function newestRecord(output: Output, serial: number): Promise<PublicationRecord | undefined> {
  const recorded = (await output.list('build', historyFolder))
    .map((file) => Number(file.split('/')[1]))
    .filter((one) => one <= serial);
  return readPublicationRecord(output, Math.max(0, ...recorded));
}

interface ReplacedDocument {
  readonly name: PackageName;
  readonly kind: DocumentKind;
  readonly document: FormerDocument;
  /** the serial of the first interrupted publication that was to replace it */
  readonly from: number;
  /** the serial of the last interrupted publication */
  readonly to: number;
}

/**
 * A power loss may keep a record and lose the documents beside it. The served tree still has such a document then,
 * until a later interrupted publication replaces it. That publication has stored it in its own folder.
 */
async function locate(output: Output, { name, kind, document, from, to }: ReplacedDocument): Promise<PendingDocument> {
  if (document === null || document === 'lost') return { document, at: undefined, records: [], emptied: false };
  const stored = Array.from({ length: to - from + 1 }, (_, later) => formerPath(from + later, document));
  for (const at of [
    ...stored.map((path) => ({ area: 'build', path }) as const),
    { area: 'public', path: providerPath(name, kind) } as const,
  ]) {
    const text = await output.read(at.area, at.path);
    if (text !== undefined && digestOf(text) === document)
      return { document, at, records: parseProvider(text, name), emptied: false };
  }
  return { document: 'lost', at: undefined, records: [], emptied: false };
}
