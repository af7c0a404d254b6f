// The list of versions that people withdrew: a build reads the list from the serving index, and adds or removes
// versions on request. A damaged or incomplete list ends every operation that reads the list: a build would publish
// withdrawn versions again.

import { missingRows } from '../contract/announced-lists.ts';
import { hasWrongChecksum } from '../contract/checksum.ts';
import type { PackageName } from '../contract/name.ts';
import { unknownSource } from '../contract/publication.ts';
import type { NormalizedVersion } from '../contract/version.ts';
import { formatWithheld, parseWithheld, withheldPath, type WithheldVersion } from '../contract/withheld.ts';
import { listShortly } from '../shared/text/list-shortly.ts';
import { readAnnounced, readKnownSources } from '../memory/tree-memory.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile, readOwnIndex } from '../output/parse-own-file.ts';
import { ListDamaged, noneIfDamaged } from '../contract/refusals.ts';

/** One version to withdraw, or to restore. */
export interface WithholdRequest {
  readonly name: PackageName;
  /** the published label */
  readonly version: string;
  readonly normalized: NormalizedVersion;
  readonly withheld: boolean;
}

export interface Withheld {
  readonly rows: readonly WithheldVersion[];
  /** normalized versions of a package */
  readonly of: (name: PackageName) => ReadonlySet<string>;
  /** the next text of the list; undefined if the list is unchanged */
  readonly text: string | undefined;
}

export interface WithheldQuestion {
  /** the rows of the announcement */
  readonly announced: readonly WithheldVersion[];
  /** a version that is withdrawn, or published again, at the time `now` */
  readonly change?: { readonly request: WithholdRequest; readonly now: Date } | undefined;
  /**
   * for a build that recovers the tombstones: announced rows count for a damaged or lost list, which stays unchanged
   */
  readonly mayBeLost?: boolean;
}

/**
 * Throws BuildRefused if the list is damaged, or lacks what is announced. A request to withdraw a version that the list
 * lacks puts all missing rows back.
 */
export async function readWithheld(
  output: Output,
  { announced, change, mayBeLost = false }: WithheldQuestion,
): Promise<Withheld> {
  const stored = await (mayBeLost ? noneIfDamaged(storedWithheld(output)) : storedWithheld(output));
  const missing = missingRows(announced, stored);
  if (missing.length > 0 && !mayBeLost && !missing.some((row) => isWithdrawing(change?.request, row)))
    throw refuseIncomplete(missing, stored);
  const before = missing.length === 0 ? stored : [...stored, ...missing];
  const after = change === undefined ? before : changed(before, change.request, change.now);
  const byName = new Map<PackageName, Set<string>>();
  for (const { name, version_normalized: normalized } of after)
    byName.set(name, (byName.get(name) ?? new Set()).add(normalized));
  const none: ReadonlySet<string> = new Set();
  return {
    rows: after,
    of: (name) => byName.get(name) ?? none,
    text: mayBeLost || after === stored ? undefined : formatWithheld(after),
  };
}

function isWithdrawing(request: WithholdRequest | undefined, row: WithheldVersion): boolean {
  return request?.withheld === true && request.name === row.name && request.normalized === row.version_normalized;
}

/**
 * Returns undefined for a version that was not withdrawn by hand. Throws BuildRefused if the list is damaged, or lacks
 * announced versions.
 */
export async function findWithheld(
  output: Output,
  name: PackageName,
  normalized: NormalizedVersion,
): Promise<WithheldVersion | undefined> {
  return (await listWithheld(output)).find((one) => one.name === name && one.version_normalized === normalized);
}

/** Throws BuildRefused if the list is damaged, or lacks what is announced. */
export async function listWithheld(output: Output): Promise<readonly WithheldVersion[]> {
  const rows = await storedWithheld(output);
  const missing = missingRows((await readAnnounced(output)).withheld, rows);
  if (missing.length > 0) throw refuseIncomplete(missing, rows);
  return rows;
}

async function storedWithheld(output: Output): Promise<readonly WithheldVersion[]> {
  const text = await output.read('index', withheldPath);
  if (text === undefined) return [];
  const list = parseOwnFile(`index/${withheldPath}`, () => parseWithheld(text));
  if (list !== undefined && !hasWrongChecksum(text)) return list;
  const { withheld } = await readAnnounced(output);
  const named = withheld.map(({ name, version }) => `${name} ${version}`);
  throw new ListDamaged(
    withheldPath,
    `index/${withheldPath} ${list === undefined ? 'is damaged' : 'was changed after it was written'}. It lists ` +
      'the versions that were withdrawn by ' +
      `hand${named.length === 0 ? '' : `; the announcement names ${listShortly(named)}`}. ${repairWithheld}`,
  );
}

/** The remedy for a damaged list. */
export const repairWithheld =
  'Builds are blocked until the list is restored. Restore it from the newest backup, or from another copy of ' +
  'the tree. Without any, remove it and withdraw a version of it again with `libretto package withdraw`: that ' +
  'brings back every version that the announcement names.';

/** The error text: the versions that a list lacks, and the remedy. */
export function describeMissingWithheld(missing: readonly WithheldVersion[]): string {
  const first = missing[0];
  const command = first === undefined ? '' : ` ${first.name} ${first.version}`;
  return (
    'It lacks versions that the announcement names: ' +
    `${listShortly(missing.map(({ name, version }) => `${name} ${version}`))}. Builds are blocked until the list ` +
    'is restored: a build would publish withdrawn versions again. Restore it from the newest backup, or from ' +
    `another copy of the tree. Or run \`libretto package withdraw${command}\`, which puts back every version ` +
    'that the announcement names.'
  );
}

function refuseIncomplete(missing: readonly WithheldVersion[], rows: readonly WithheldVersion[]): ListDamaged {
  return new ListDamaged(
    withheldPath,
    `index/${withheldPath} is ${rows.length === 0 ? 'lost' : 'not the one that was published'}. ` +
      `${describeMissingWithheld(missing)}`,
  );
}

/**
 * Returns the ids of the sources that published the version to restore. A build reads these sources again in full, even
 * if they are unchanged. A recovered index does not know the source: then a build reads each source.
 */
export async function sourcesToRead(output: Output, request: WithholdRequest | undefined): Promise<readonly string[]> {
  if (request === undefined || request.withheld) return [];
  const index = await readOwnIndex(output, request.name);
  const entries = (index?.versions ?? []).filter((entry) => entry.version_normalized === request.normalized);
  const sources = entries.map(({ source }) => source);
  return sources.includes(unknownSource) ? (await readKnownSources(output)).map(({ id }) => id) : sources;
}

/** Returns the same array if the request changes nothing. */
function changed(
  list: readonly WithheldVersion[],
  { name, version, normalized, withheld }: WithholdRequest,
  now: Date,
): readonly WithheldVersion[] {
  const others = list.filter((one) => one.name !== name || one.version_normalized !== normalized);
  if (others.length < list.length === withheld) return list;
  return withheld ? [...others, { name, version, version_normalized: normalized, since: now.toISOString() }] : others;
}
