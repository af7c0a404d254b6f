// The records of interrupted publications (I5): they have the former documents of readers, even those that are already
// replaced.

import type { VersionRecord } from '../contract/documents.ts';
import type { PackageName } from '../contract/name.ts';
import { providerPath } from '../contract/paths.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { parseProvider } from '../documents/documents.ts';
import type { TreeMemory } from '../memory/tree-memory.ts';
import type { Area, Output } from '../output/output.ts';
import {
  formerPath,
  historyFolder,
  readRecord,
  type DocumentKind,
  type FormerDocument,
  type PublicationRecord,
} from '../history/record.ts';

export interface PendingDocument {
  readonly document: FormerDocument;
  readonly at: { readonly area: Area; readonly path: string } | undefined;
  readonly records: readonly VersionRecord[];
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
    for (const { name, former } of (await readRecord(output, cut))?.packages ?? []) {
      const known = found.get(name) ?? {};
      found.set(name, known);
      for (const kind of ['stable', 'dev'] as const) {
        const document = former[kind];
        // the first of several cut-off publications knows the documents from before all of them
        if (document !== undefined)
          known[kind] ??= await locate(output, { name, kind, document, from: cut, to: serial });
      }
    }
  }
  return { announced, of: (name) => found.get(name) };
}

async function newestRecord(output: Output, serial: number): Promise<PublicationRecord | undefined> {
  const recorded = (await output.list('build', historyFolder))
    .map((file) => Number(file.split('/')[1]))
    .filter((one) => one <= serial);
  return readRecord(output, Math.max(0, ...recorded));
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
  if (document === null || document === 'lost') return { document, at: undefined, records: [] };
  const stored = Array.from({ length: to - from + 1 }, (_, later) => formerPath(from + later, document));
  for (const at of [
    ...stored.map((path) => ({ area: 'build', path }) as const),
    { area: 'public', path: providerPath(name, kind) } as const,
  ]) {
    const text = await output.read(at.area, at.path);
    if (text !== undefined && digestOf(text) === document) return { document, at, records: parseProvider(text, name) };
  }
  return { document: 'lost', at: undefined, records: [] };
}
