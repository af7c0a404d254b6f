// The names in `replace` and `provide` of a mirrored package that the mirror removes for clients. Reads cached
// documents and records, and sends no request.

import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import type { Belonging } from '../../proxy/tree/precedence.ts';
import { claimedNames, isOfAnother, namesAmong } from '../../proxy/mirror/versions/replace-provide-guard.ts';

export interface ReplacementParts {
  /** the upstream that the package comes from */
  readonly upstreamId: string;
  /** as it has them, and as they were accepted */
  readonly records: readonly JsonObject[];
  readonly belongs: (name: PackageName) => Belonging;
}

export async function droppedReplacements({
  upstreamId,
  records,
  belongs,
}: ReplacementParts): Promise<readonly PackageName[]> {
  return namesAmong((await claimedNames(records)).names, (claimed) => isOfAnother(belongs(claimed), upstreamId));
}
