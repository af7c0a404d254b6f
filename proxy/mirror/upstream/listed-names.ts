// Where another Composer repository names its packages. Most have `available-packages` in packages.json; others have
// `list`, or digests of the documents for Composer 1.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { DocumentStore } from './document-store.ts';
import type { IncludedPackages } from './included-packages.ts';
import { absolute, hashesIn, recordsByName, textsOf } from './upstream-root.ts';

/**
 * The names in packages.json and in the files that it names, lower case, and whatever the list has in place of one; undefined: there are none. `index`: of
 * documents that have to be there. Rejects with UpstreamUnavailable.
 */
export async function readListedNames(
  index: DocumentStore,
  hashes: IncludedPackages<string>,
  rootUrl: URL,
): Promise<readonly string[] | undefined> {
  const read = async (key: string, url: URL) => (await index.get(key, url, parseObject)).value ?? {};
  const root = await read('packages.json', rootUrl);
  const { 'available-packages': available, list } = root;
  const listed =
    textsOf(available).length === 0 && typeof list === 'string' && list !== ''
      ? (await read('_list.json', new URL(absolute(list, rootUrl))))['packageNames']
      : available;
  const names = (Array.isArray(listed) ? listed : []).map((name: JsonValue) =>
    (typeof name === 'string' ? name : JSON.stringify(name)).toLowerCase(),
  );
  if (names.length > 0) return names;
  const { entries, includes } = hashesIn(root, rootUrl);
  const hashed = [...entries.keys(), ...(await hashes.of(includes)).entries.keys()];
  return hashed.length === 0 ? undefined : hashed;
}

function parseObject(json: unknown): JsonObject {
  if (!isJsonObject(json)) throw new Error('it is not a JSON object');
  return json;
}

/** The names of packages.json itself, if it lists all its packages. Its records are listed beside them. */
export function namesInRoot(json: unknown, areAll: boolean): readonly string[] | undefined {
  const { 'available-packages': available, packages } = isJsonObject(json) ? json : {};
  const listed = textsOf(available);
  if (listed.length === 0 && !areAll) return undefined;
  return [...new Set([...listed, ...recordsByName(packages).keys()])].toSorted();
}
