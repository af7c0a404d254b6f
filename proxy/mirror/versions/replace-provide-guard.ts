// Guards the names that mirrored packages claim (`replace`, `provide`). Composer installs a package that replaces a
// name in place of the real one. An upstream could therefore replace a private package without ever receiving a request
// for it (I9).

import { setImmediate as nextTurn } from 'node:timers/promises';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../../build/contract/name.ts';
import type { Belonging } from '../../core/tree/precedence.ts';

const fields = ['replace', 'provide'] as const;
const namesInTurn = 5000;
const decisionsInTurn = 100;
/**
 * The limit for one document; the largest known packages have some hundred. Each name costs a disk lookup with each
 * publication.
 */
export const mostClaimed = 5000;

export interface ReplacedNames {
  readonly names: readonly PackageName[];
  /** true: names beyond the limit were dropped, since their owner is not checked */
  readonly more: boolean;
}

/**
 * The names that the records replace or provide, in lower case, parsed as in Composer (ArrayLoader.php, parseLinks).
 * Invalid package names are omitted.
 */
export async function claimedNames(records: Iterable<JsonObject>): Promise<ReplacedNames> {
  const claimed = new Set<PackageName>();
  const seen = new Set<JsonValue | undefined>(); // versions of a minified document share their links
  const texts = new Set<string>();
  let looked = 0;
  for (const record of records) {
    if ((looked += 1) % namesInTurn === 0) await nextTurn();
    for (const field of fields) {
      const links = record[field];
      if (!isJsonObject(links) || seen.has(links)) continue;
      seen.add(links);
      for (const target of Object.keys(links)) {
        if ((looked += 1) % namesInTurn === 0) await nextTurn();
        if (texts.has(target)) continue;
        texts.add(target);
        const name = parsePackageName(target.toLowerCase());
        if (name === undefined || claimed.has(name)) continue;
        if (claimed.size === mostClaimed) return { names: [...claimed], more: true };
        claimed.add(name);
      }
    }
  }
  return { names: [...claimed], more: false };
}

/**
 * True if packages of this upstream must not replace or provide the name: the name is private (I9), or belongs to other
 * upstreams. While the owner is unknown, the result is true.
 */
export function isOfAnother(belonging: Belonging, upstreamId: string): boolean {
  if (belonging.to === 'nobody') return belonging.unknown === true;
  return belonging.to === 'private' || !belonging.ids.includes(upstreamId);
}

/** The names that `isOne` accepts, sorted. `isOne` may read the disk, so the function yields to other requests. */
export async function namesAmong(
  names: readonly PackageName[],
  isOne: (name: PackageName) => boolean,
): Promise<readonly PackageName[]> {
  const found: PackageName[] = [];
  for (const [at, name] of names.entries()) {
    if (at > 0 && at % decisionsInTurn === 0) await nextTurn();
    if (isOne(name)) found.push(name);
  }
  return found.toSorted();
}

/**
 * Removes the dropped names from the `replace` and `provide` of a record, and all names that are not among the claimed
 * ones. Shared links stay shared.
 */
export function createNameRemover(
  { names, more }: ReplacedNames,
  dropped: readonly PackageName[],
): (record: JsonObject) => JsonObject {
  const gone: ReadonlySet<string> = new Set(dropped);
  const known: ReadonlySet<string> = new Set(more ? names : []);
  const stays = (target: string): boolean => !gone.has(target) && (!more || known.has(target));
  const without = new Map<JsonObject, JsonObject>();
  const remove = (links: JsonObject): JsonObject => {
    const before = without.get(links);
    if (before !== undefined) return before;
    const left = Object.entries(links).filter(([target]) => stays(target.toLowerCase()));
    const made = left.length === Object.keys(links).length ? links : Object.fromEntries(left);
    without.set(links, made);
    return made;
  };
  return (record) => {
    const changed = fields.flatMap((field): [string, JsonValue][] => {
      const links = record[field];
      const left = isJsonObject(links) ? remove(links) : links;
      return left === undefined || left === links ? [] : [[field, left]];
    });
    return changed.length === 0 ? record : { ...record, ...Object.fromEntries(changed) };
  };
}
