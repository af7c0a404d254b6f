// Keeps the names that packages.json lists. A listed package without an index and documents is damaged, and its name is
// private. The names are read with the first question and again after packages.json has changed. A later lookup costs
// one stat.

import { readFileSync } from 'node:fs';
import { isJsonObject } from '../../../build/contract/json.ts';
import { splitPackageName, type PackageName } from '../../../build/contract/name.ts';
import { rootDocumentPath } from '../../../build/contract/paths.ts';
import { sameStamp, stampFile, type FileStamp } from '../../../build/shared/files/file-stamp.ts';

/** While packages.json cannot be used, the names are those of the last one that could be. */
export type ListedNames = ReturnType<typeof createListedNames>;

interface Listed {
  readonly names: ReadonlySet<string>;
  readonly vendors: ReadonlySet<string>;
  readonly fault: string | undefined;
}

/** `dataDirectory`: holds `public/`. */
export function createListedNames(dataDirectory: string) {
  const path = `${dataDirectory}/public/${rootDocumentPath}`;
  let [seen, stamp]: [Listed | undefined, FileStamp | undefined] = [undefined, undefined];
  const listed = (): Listed => {
    const now = stampFile(path);
    if (seen === undefined || !sameStamp(now, stamp)) [seen, stamp] = [readListed(path, seen), now];
    return seen;
  };
  return {
    has: (name: PackageName) => listed().names.has(name),
    hasVendor: (vendor: string) => listed().vendors.has(vendor),
    /** The reason why packages.json cannot be used; undefined: the names are those of the present file. */
    fault: () => listed().fault,
  };
}

function readListed(path: string, before: Listed | undefined): Listed {
  try {
    const json: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const list = isJsonObject(json) ? json['available-packages'] : undefined;
    if (!Array.isArray(list)) throw new Error('it has no list of available-packages');
    const names = new Set(list.filter((name): name is string => typeof name === 'string'));
    const vendors = new Set([...names].map((name) => splitPackageName(name as PackageName).vendor));
    return { names, vendors, fault: undefined };
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return { names: before?.names ?? new Set(), vendors: before?.vendors ?? new Set(), fault };
  }
}
