// What the answers of another Composer repository say about packages. An answer with anything that was not asked for is
// refused as a whole. Pure, but for turns of the event loop.

import { parseConstraint } from '../../build/contract/constraint.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { usableAdvisories } from '../mirror/advisories/normalize-advisory.ts';
import { FeedFailure } from './feed-client.ts';
import { shortText } from '../../build/shared/text/short-text.ts';
import { aliasesOf, idOf, linkOf, type StoredAdvisory, type StoredEntry } from './model/feed-rows.ts';
import { longestConstraint } from './osv/osv-constraint.ts';
import { wordOf } from './osv/severity-word.ts';

const mostTitle = 160;
const mostReason = 300;

/** The advisories of each package in an answer of `api-url`. Rejects with FeedFailure. */
export async function advisoriesIn(
  answer: JsonValue,
  names: ReadonlySet<PackageName>,
  url: string,
): Promise<ReadonlyMap<PackageName, readonly StoredAdvisory[]>> {
  const said = isJsonObject(answer) ? membersOf(answer['advisories']) : undefined;
  if (said === undefined) throw refused(url, 'has no object "advisories"');
  const found = new Map<PackageName, readonly StoredAdvisory[]>();
  for (const [text, list] of said) {
    const name = parsePackageName(text.toLowerCase());
    if (name === undefined || !names.has(name)) throw refused(url, 'is about packages that were not asked about');
    if (!Array.isArray(list)) throw refused(url, `has no list of advisories for ${name}`);
    found.set(name, await readAdvisories(list as readonly JsonValue[], name, url));
  }
  return found;
}

async function readAdvisories(
  list: readonly JsonValue[],
  name: PackageName,
  url: string,
): Promise<readonly StoredAdvisory[]> {
  const usable = new Set<JsonValue>(await usableAdvisories(list));
  return list.map((said) => {
    const advisory = isJsonObject(said) ? said : {};
    const { affectedVersions, packageName = name } = advisory;
    const id = idOf(advisory['advisoryId']);
    const isAbout = typeof packageName === 'string' && packageName.toLowerCase() === name;
    if (id === undefined || !isAbout || typeof affectedVersions !== 'string')
      throw refused(url, `has a malformed advisory for ${name}`);
    return {
      id,
      aliases: aliasesOf([advisory['cve'], ...remoteIds(advisory)], id),
      severity: wordOf(advisory['severity']) ?? null,
      constraint: usable.has(said) ? affectedVersions : null,
      title: shortText(advisory['title'], mostTitle) ?? `Security advisory ${id}`,
      link: linkOf(advisory['link']),
      modified: null,
    };
  });
}

/** Identifiers such as `GHSA-…`, not paths in another database. */
function remoteIds({ sources }: JsonObject): readonly string[] {
  if (!Array.isArray(sources)) return [];
  return (sources as readonly JsonValue[]).flatMap((source) => {
    const id = isJsonObject(source) ? source['remoteId'] : undefined;
    return typeof id === 'string' && /^[A-Z]+-[\w-]+$/.test(id) ? [id] : [];
  });
}

type Entries = ReadonlyMap<PackageName, readonly StoredEntry[]>;

/** The entries in an answer of the filter's `api-url`: those of `lists` for `names`. Throws FeedFailure. */
export function entriesIn(
  answer: JsonValue,
  { names, lists }: { readonly names: ReadonlySet<PackageName>; readonly lists: ReadonlySet<string> },
  url: string,
): Entries {
  const found = new Map<PackageName, StoredEntry[]>();
  for (const [list, rows] of filterOf(answer, url)) {
    if (!lists.has(list) || !Array.isArray(rows)) throw refused(url, 'has a list that was not asked for');
    for (const row of rows as readonly JsonValue[]) {
      const { package: named, constraint, reason } = isJsonObject(row) ? row : {};
      const name = typeof named === 'string' ? nameOf(named) : undefined;
      if (name === undefined || typeof constraint !== 'string') throw refused(url, `has a malformed entry in ${list}`);
      if (!names.has(name)) throw refused(url, 'is about packages that were not asked about');
      add(found, name, { list, constraint: usable(constraint), reason: shortText(reason, mostReason) });
    }
  }
  return found;
}

/** The entries in a summary, which is about all packages of the repository: other names are left out. */
export function entriesInSummary(
  answer: JsonValue,
  { names, lists }: { readonly names: ReadonlySet<PackageName>; readonly lists: ReadonlySet<string> },
  url: string,
): Entries {
  const found = new Map<PackageName, StoredEntry[]>();
  for (const [list, packages] of filterOf(answer, url)) {
    if (!lists.has(list)) continue;
    for (const [text, constraint] of membersOf(packages) ?? []) {
      if (typeof constraint !== 'string') throw refused(url, `has a malformed entry in ${list}`);
      const name = nameOf(text);
      if (name !== undefined && names.has(name))
        add(found, name, { list, constraint: usable(constraint), reason: null });
    }
  }
  return found;
}

function add(found: Map<PackageName, StoredEntry[]>, name: PackageName, entry: StoredEntry): void {
  const entries = found.get(name);
  if (entries === undefined) found.set(name, [entry]);
  else entries.push(entry);
}

function filterOf(answer: JsonValue, url: string): readonly (readonly [string, JsonValue])[] {
  const filter = isJsonObject(answer) ? membersOf(answer['filter']) : undefined;
  if (filter === undefined) throw refused(url, 'has no object "filter"');
  return filter;
}

/** PHP writes an empty object as `[]`. */
function membersOf(value: JsonValue | undefined): readonly (readonly [string, JsonValue])[] | undefined {
  if (Array.isArray(value)) return value.length === 0 ? [] : undefined;
  return isJsonObject(value) ? (Object.entries(value) as [string, JsonValue][]) : undefined;
}

/** `acme/hello` or `pkg://composer/acme/hello`. */
function nameOf(text: string): PackageName | undefined {
  return parsePackageName(text.replace(/^pkg:(?:\/\/)?composer\//, '').toLowerCase());
}

/** null: Composer cannot parse it. */
function usable(constraint: string): string | null {
  const isRead =
    constraint.length <= longestConstraint && constraint.trim() !== '' && !('refusal' in parseConstraint(constraint));
  return isRead ? constraint : null;
}

function refused(url: string, fault: string): FeedFailure {
  return new FeedFailure('refused', `The answer of ${url} is not used, because it ${fault}.`);
}
