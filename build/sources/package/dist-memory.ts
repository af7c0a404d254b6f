// The memory of a source of inline packages: the fetched archive of each requested dist.

import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/json.ts';
import type { DistFile } from './local-dist.ts';

/** Raise it whenever the same records could now be read as something else. */
export const packageRecipe = 1;

/** key (dist-cache.ts, distKey) → file; a fetched dist has no stamp. */
export type DistFiles = ReadonlyMap<string, DistFile>;

export function formatDistFiles(dists: DistFiles): JsonObject {
  const rows = [...dists]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, { stamp, sha256 }]): [string, JsonValue] => [key, [stamp, sha256]]);
  return { recipe: packageRecipe, dists: Object.fromEntries(rows) };
}

/** Empty for anything that this version did not write. */
export function parseDistFiles(detail: JsonValue | undefined): DistFiles {
  if (!isJsonObject(detail) || detail['recipe'] !== packageRecipe || !isJsonObject(detail['dists'])) return new Map();
  return new Map(
    Object.entries(detail['dists']).flatMap(([key, row]) => {
      const [stamp, sha256] = Array.isArray(row) ? (row as readonly JsonValue[]) : [];
      return typeof stamp === 'string' && typeof sha256 === 'string' ? [[key, { stamp, sha256 }] as const] : [];
    }),
  );
}

/** The keys of all dists that the source uses; undefined if unknown. */
export function distKeysOf(detail: JsonValue | undefined): readonly string[] | undefined {
  return isJsonObject(detail) && detail['recipe'] === packageRecipe && isJsonObject(detail['dists'])
    ? Object.keys(detail['dists'])
    : undefined;
}
