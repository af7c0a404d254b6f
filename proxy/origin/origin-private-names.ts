// Reads the private names of a tree at an origin: the names in packages.json, and the withdrawn names in the
// announcement. Both lists belong to one publication, are checked against it, and are read again after the next one. If
// the lists cannot be read, no name is known, and no request may go to another registry (I9).

import { isJsonObject } from '../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { publicationPath, rootDocumentPath } from '../../build/contract/paths.ts';
import type { Publication } from '../../build/contract/publication.ts';
import type { PrivateNames } from '../core/tree/precedence.ts';
import { privateNamesOf, type ReadPrivateNames } from '../core/tree/private-names.ts';
import { OriginFailure } from './origin-failure.ts';
import type { OriginPublication } from './origin-publication.ts';
import type { OriginFailureLog } from './origin-failure-log.ts';

export interface OriginPrivateNamesOptions {
  readonly publication: OriginPublication;
  readonly failures: OriginFailureLog;
  readonly monotonicMs: () => number;
}

/** A list that could not be read is requested again after this time. */
const againAfterMs = 1000;

/** Rejects, or throws, with OriginFailure. */
export function createOriginPrivateNames({
  publication,
  failures,
  monotonicMs,
}: OriginPrivateNamesOptions): ReadPrivateNames {
  let known: { readonly epoch: number; readonly names: PrivateNames } | undefined;
  let failed: { readonly epoch: number; readonly atMs: number; readonly error: unknown } | undefined;
  const load = (epoch: number, announced: Publication | undefined): PrivateNames => {
    try {
      const withdrawn = withdrawnOf(announced);
      const { root } = publication;
      if (root?.sha256 !== announced?.root.sha256)
        throw new OriginFailure(`public/${rootDocumentPath} of the origin is older than its announcement, ${unknown}`);
      const names = privateNamesOf([...namesIn(root?.bytes), ...withdrawn]);
      known = { epoch, names };
      return names;
    } catch (error) {
      failed = { epoch, atMs: monotonicMs(), error };
      failures.failed('text', error);
      throw error;
    }
  };
  return async () => {
    const epoch = await publication.epoch();
    if (known?.epoch === epoch) return known.names;
    if (failed?.epoch === epoch && monotonicMs() - failed.atMs < againAfterMs) throw failed.error;
    return load(epoch, publication.current);
  };
}

const unknown = 'so the private names are unknown, and no other registry is used';

function withdrawnOf(announced: Publication | undefined): readonly PackageName[] {
  if (announced === undefined) throw new OriginFailure(`the origin has no index/${publicationPath}, ${unknown}`);
  if (announced.withdrawn === undefined)
    throw new OriginFailure(
      `index/${publicationPath} of the origin is of an older version of Libretto and does not name withdrawn ` +
        `packages, ${unknown}; run \`libretto build\` of this version and upload again`,
    );
  return announced.withdrawn;
}

function namesIn(bytes: Buffer | undefined): readonly PackageName[] {
  const json: unknown = bytes === undefined ? undefined : JSON.parse(bytes.toString('utf8'));
  const list = isJsonObject(json) ? json['available-packages'] : undefined;
  const names = Array.isArray(list)
    ? list.map((name: unknown) => (typeof name === 'string' ? parsePackageName(name) : undefined))
    : [undefined];
  return names.map((name) => {
    if (name === undefined)
      throw new OriginFailure(`public/${rootDocumentPath} of the origin does not list its packages, ${unknown}`);
    return name;
  });
}
