// `verify` checks one package: its documents, its serving index, and all files that either of them names.

import pLimit from 'p-limit';
import { isAsWritten } from '../contract/checksum.ts';
import type { PackageName } from '../contract/name.ts';
import { textPath } from '../contract/package-texts.ts';
import { distPath, indexPath, providerPath, type DistLabel } from '../contract/paths.ts';
import { parsePackageIndex, type IndexEntry, type PackageIndex } from '../contract/serving-index.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import type { Output } from '../output/output.ts';
import { archiveFault, plainCopyFault } from './verify-archives.ts';
import { verifyDocuments } from './verify-documents.ts';
import {
  indexFault,
  repairByComparing,
  repairIndex,
  type Fault,
  type SameFiles,
  type VerifyContext,
} from './verify-fault.ts';
import { purgedFaults, sameFiles } from './verify-tombstones.ts';

export interface CheckedPackage {
  readonly faults: readonly Fault[];
  /** found where archives are read */
  readonly sameFiles: readonly SameFiles[];
  readonly versions: number;
  /**
   * paths below public/ that the serving index stands for: archives, and the plain copies of those that have a longer
   * name
   */
  readonly files: readonly string[];
  readonly archives: number;
  /** documents, below public/, that the serving index does not rule out; it may be damaged itself */
  readonly documents: readonly string[];
}

const archivesAtOnce = 8;

/** `listed`: packages.json names it. */
export async function verifyPackage(
  name: PackageName,
  listed: boolean,
  context: VerifyContext,
): Promise<CheckedPackage> {
  const faults: Fault[] = [];
  const index = await readIndex(context.output, name, faults);
  const documents = await verifyDocuments(name, index, listed, context);
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

async function readIndex(output: Output, name: PackageName, faults: Fault[]): Promise<PackageIndex | undefined> {
  const place = { path: `index/${indexPath(name)}`, name };
  const text = await output.read('index', indexPath(name)).catch((error: unknown) => {
    faults.push(indexFault(error, place, repairIndex));
    return null;
  });
  if (text === null) return undefined;
  if (text === undefined) {
    faults.push({
      code: 'MISSING_FILE',
      ...place,
      message: `The serving index of this package is missing: its archives cannot be served. ${repairByComparing}`,
    });
    return undefined;
  }
  try {
    const index = parsePackageIndex(text);
    if (index.name !== name) {
      faults.push({
        code: 'WRONG_PACKAGE',
        ...place,
        message: `It is the serving index of ${index.name}. ${repairIndex}`,
      });
      return undefined;
    }
    if (!isAsWritten(text))
      faults.push({
        code: 'MALFORMED_INDEX',
        ...place,
        message: `It was changed after it was written: its checksum is wrong. ${repairIndex}`,
      });
    return index;
  } catch (error) {
    faults.push(indexFault(error, place, repairIndex));
    return undefined;
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
    const text = await output.read('index', path);
    if (text === undefined)
      faults.push({
        code: 'MISSING_FILE',
        path: `index/${path}`,
        name,
        message: `A README or CHANGELOG is missing. ${repair}`,
      });
    else if (!digestOf(text).startsWith(digest))
      faults.push({
        code: 'WRONG_BYTES',
        path: `index/${path}`,
        name,
        message: `A README or CHANGELOG was changed after it was published. ${repair}`,
      });
  }
  return faults;
}
