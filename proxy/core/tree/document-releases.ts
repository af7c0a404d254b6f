// The releases of a package in its p2 documents. Views use them if the serving index is unusable: a damaged index must
// not reveal a hidden package (I14), and must not hide visible ones.

import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { providerPath } from '../../../build/contract/paths.ts';
import { releasedVersion } from '../../../build/contract/released-version.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { TextDocument } from '../http/document.ts';
import { seesSome, type ReleaseFacts, type ReleaseFilter } from '../views/view.ts';
import type { ViewDate } from '../views/view-date.ts';
import type { TreeFiles } from './tree-files.ts';

/** The version records in a p2 document's text. Throws an Error if the text has no versions of this package. */
export function recordsOf(text: string, name: PackageName): readonly JsonObject[] {
  const json: unknown = JSON.parse(text);
  const packages = isJsonObject(json) ? json['packages'] : undefined;
  const versions = isJsonObject(packages) ? packages[name] : undefined;
  if (!isJsonObject(versions)) throw new Error(`it has no versions of ${name}`);
  return Object.values(versions).filter(isJsonObject);
}

/** A version record in the form of views: the record has the same times as the serving index. */
export function releaseIn({
  version_normalized: version,
  time,
  'published-time': published,
}: JsonObject): ReleaseFacts {
  return releasedVersion({
    version_normalized: String(version),
    time: typeof time === 'string' ? time : null,
    since: String(published),
  });
}

/** The part of a package that one view sees, by its documents. */
export class DocumentReleases {
  /** the documents with a version that the view sees */
  readonly #seen: readonly TextDocument[];

  constructor(seen: readonly TextDocument[]) {
    this.#seen = seen;
  }

  get isSeen(): boolean {
    return this.#seen.length > 0;
  }

  /** A document with a visible version counts as changed as a whole. A hidden package adds nothing. */
  addTo(date: ViewDate): void {
    for (const { lastModifiedMs } of this.#seen) date.add(0, Math.floor(lastModifiedMs / 1000));
  }
}

/** An unusable document counts as one without visible versions. */
export async function readDocumentReleases(
  files: Pick<TreeFiles, 'document'>,
  name: PackageName,
  filter: ReleaseFilter,
  epoch: number,
): Promise<DocumentReleases> {
  const read = async (kind: 'stable' | 'dev'): Promise<readonly TextDocument[]> => {
    const document = await Promise.resolve(files.document(providerPath(name, kind), epoch)).catch(() => undefined);
    if (document === undefined) return [];
    return seesSome(filter, releasesIn(document, name)) ? [document] : [];
  };
  return new DocumentReleases((await Promise.all([read('stable'), read('dev')])).flat());
}

/**
 * The data of an index, or the reason why it is unusable. Only a caller who sees a version of the package by its
 * documents gets the reason. For every other caller the package is absent (I14).
 */
export function absentWhereHidden<Value>(
  files: Pick<TreeFiles, 'document'>,
  value: MaybeAsync<Value | undefined>,
  { name, filter, epoch }: { readonly name: PackageName; readonly filter: ReleaseFilter; readonly epoch: number },
): MaybeAsync<Value | undefined> {
  if (filter === 'all' || !(value instanceof Promise)) return value;
  return value.catch(async (reason: unknown) => {
    const { isSeen } = await readDocumentReleases(files, name, filter, epoch);
    if (isSeen) throw reason;
    return undefined;
  });
}

function releasesIn(document: TextDocument, name: PackageName): readonly ReleaseFacts[] {
  try {
    return recordsOf(document.bytes.toString('utf8'), name).map(releaseIn);
  } catch {
    return []; // not a document of this package
  }
}
