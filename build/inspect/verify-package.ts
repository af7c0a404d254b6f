// `verify` checks one package: its documents, its serving index, and all files that either of them names.

import pLimit from 'p-limit';
import { isAsWritten } from '../contract/checksum.ts';
import type { PackageName } from '../contract/name.ts';
import { NewerFormat } from '../contract/newer-format.ts';
import { textPath } from '../contract/package-texts.ts';
import { distPath, indexPath, providerPath, type DistLabel } from '../contract/paths.ts';
import { PackageDamaged } from '../contract/refusals.ts';
import { parsePackageIndex, type IndexEntry, type PackageIndex } from '../contract/serving-index.ts';
import { inspecting, recoverIndex, type Published, type RecoveryContext } from '../documents/recover-index.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import type { Output } from '../output/output.ts';
import { archiveFault, plainCopyFault } from './verify-archives.ts';
import { verifyDocuments } from './verify-documents.ts';
import { readOrFault, type Fault, type Repairs, type SameFiles, type VerifyContext } from './verify-fault.ts';
import { purgedFaults, sameFiles } from './verify-tombstones.ts';

export interface CheckedPackage {
  readonly faults: readonly Fault[];
  /** found during the read of archives */
  readonly sameFiles: readonly SameFiles[];
  readonly versions: number;
  /**
   * paths below public/ that belong to the serving index: archives, and the plain copies of those with a longer name
   */
  readonly files: readonly string[];
  readonly archives: number;
  /** documents, below public/, that the serving index does not rule out; it may be damaged itself */
  readonly documents: readonly string[];
}

const archivesAtOnce = 8;

/** `published`: packages.json names the package; `unknown`: packages.json is not the published one. */
export async function verifyPackage(
  name: PackageName,
  published: Published,
  context: VerifyContext,
): Promise<CheckedPackage> {
  const faults: Fault[] = [];
  const index = await readIndex(name, published, context, faults);
  const documents = await verifyDocuments(name, index, published === 'yes', context);
  const entries = index?.versions ?? [];
  const limit = pLimit(archivesAtOnce);
  const same: SameFiles[] = [];
  const checked = await Promise.all(
    entries.map((entry) =>
      limit(async () => {
        const fault = await archiveFault(name, entry, context);
        const found = fault === undefined && !context.fast ? await sameFiles(name, entry, context) : undefined;
        if (found !== undefined) same.push(found);
        return fault ?? plainCopyFault(name, entry, context);
      }),
    ),
  );
  faults.push(
    ...purgedFaults(name, `index/${indexPath(name)}`, entries, context),
    ...documents.faults,
    ...checked.filter((fault) => fault !== undefined),
    ...(await textFaults(name, entries, context)),
  );
  const files = new Set(entries.flatMap(({ path, version }) => [path, distPath(name, version as DistLabel)]));
  return {
    faults,
    sameFiles: same,
    versions: documents.versions,
    files: [...files],
    archives: new Set(entries.map(({ path }) => path)).size,
    documents: documentsOf(name, index),
  };
}

function documentsOf(name: PackageName, index: PackageIndex | undefined): readonly string[] {
  const kinds = (['stable', 'dev'] as const).filter(
    (kind) => index === undefined || (index.documents[kind]?.sha256 ?? null) !== null,
  );
  return kinds.map((kind) => providerPath(name, kind));
}

/** Adds a fault if the index is lost or damaged. */
async function readIndex(
  name: PackageName,
  published: Published,
  { output, leftovers, repairs }: VerifyContext,
  faults: Fault[],
): Promise<PackageIndex | undefined> {
  const place = { path: `index/${indexPath(name)}`, name };
  const reading = output.read('index', indexPath(name));
  const text = await readOrFault(reading, { code: 'MALFORMED_INDEX', ...place }, faults);
  if (text === 'unreadable') return undefined;
  const { index, code, what } = examineIndex(name, text);
  if (code === undefined) return index;
  const context = inspecting({ published, leftovers });
  const repair = code === 'NEWER_FORMAT' ? '' : ` ${await indexRepair(output, name, context, repairs)}`;
  faults.push({ code, ...place, message: `${what}${repair}` });
  return index;
}

interface ExaminedIndex {
  readonly index?: PackageIndex;
  /** undefined: the index is whole */
  readonly code?: Fault['code'];
  /** a sentence */
  readonly what?: string;
}

function examineIndex(name: PackageName, text: string | undefined): ExaminedIndex {
  if (text === undefined)
    return {
      code: 'MISSING_FILE',
      what: 'The serving index of this package is missing: its archives cannot be served.',
    };
  try {
    const index = parsePackageIndex(text);
    if (index.name !== name) return { code: 'WRONG_PACKAGE', what: `It is the serving index of ${index.name}.` };
    if (isAsWritten(text)) return { index };
    return { index, code: 'MALFORMED_INDEX', what: 'It was changed after it was written: its checksum is wrong.' };
  } catch (error) {
    const code = error instanceof NewerFormat ? 'NEWER_FORMAT' : 'MALFORMED_INDEX';
    return { code, what: `${error instanceof Error ? error.message : String(error)}.` };
  }
}

/** The reaction of a build: it derives the index, or refuses with the remedies. */
async function indexRepair(
  output: Output,
  name: PackageName,
  context: RecoveryContext,
  repairs: Repairs,
): Promise<string> {
  try {
    await recoverIndex(output, name, context);
    return repairs.index;
  } catch (error) {
    if (error instanceof PackageDamaged) return repairs.refused(error.message);
    throw error;
  }
}

async function textFaults(
  name: PackageName,
  entries: readonly IndexEntry[],
  { output, fast }: VerifyContext,
): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  const repair = 'Remove it, if it is there: the next build that looks at this version writes it again.';
  for (const digest of new Set(
    entries.flatMap(({ readme, changelog }) => [readme, changelog].filter((one) => one !== undefined)),
  )) {
    const path = textPath(name, digest);
    if (fast && (await output.facts('index', path)) !== undefined) continue;
    const place = { code: 'WRONG_BYTES', path: `index/${path}`, name } as const;
    const text = await readOrFault(output.read('index', path), place, faults);
    if (text === 'unreadable') continue;
    if (text === undefined)
      faults.push({
        ...place,
        code: 'MISSING_FILE',
        message: `A README or CHANGELOG is missing. ${repair}`,
      });
    else if (!digestOf(text).startsWith(digest))
      faults.push({
        ...place,
        message: `A README or CHANGELOG was changed after it was published. ${repair}`,
      });
  }
  return faults;
}
