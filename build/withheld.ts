// The versions that people withdrew, as a build takes them: read from the serving index, and changed by the builds that
// are asked to.

import { hasWrongChecksum } from './contract/checksum.ts';
import type { PackageName } from './contract/name.ts';
import { indexPath } from './contract/paths.ts';
import { parsePackageIndex } from './contract/serving-index.ts';
import type { NormalizedVersion } from './contract/version.ts';
import { formatWithheld, parseWithheld, withheldPath, type WithheldVersion } from './contract/withheld.ts';
import type { Output } from './output/output.ts';
import { parseOwnFile } from './parse-own-file.ts';
import { BuildRefused } from './refusals.ts';

/** One version that is withdrawn from now on, or may be published again. */
export interface WithholdRequest {
  readonly name: PackageName;
  /** as it was published */
  readonly version: string;
  readonly normalized: NormalizedVersion;
  readonly withheld: boolean;
}

export interface Withheld {
  /** normalized versions of a package */
  readonly of: (name: PackageName) => ReadonlySet<string>;
  /** the list as it is to be from now on; undefined where it stays */
  readonly text: string | undefined;
}

/** Throws BuildRefused where the list is damaged: without it what people withdrew would be published again. */
export async function readWithheld(output: Output, request: WithholdRequest | undefined, now: Date): Promise<Withheld> {
  const before = await listWithheld(output);
  const after = request === undefined ? before : change(before, request, now);
  const byName = new Map<PackageName, Set<string>>();
  for (const { name, version_normalized: normalized } of after)
    byName.set(name, (byName.get(name) ?? new Set()).add(normalized));
  const none: ReadonlySet<string> = new Set();
  return { of: (name) => byName.get(name) ?? none, text: after === before ? undefined : formatWithheld(after) };
}

/** undefined of a version that nobody withdrew by hand. Throws BuildRefused where the list is damaged. */
export async function findWithheld(
  output: Output,
  name: PackageName,
  normalized: NormalizedVersion,
): Promise<WithheldVersion | undefined> {
  return (await listWithheld(output)).find((one) => one.name === name && one.version_normalized === normalized);
}

async function listWithheld(output: Output): Promise<readonly WithheldVersion[]> {
  const text = await output.read('index', withheldPath);
  if (text === undefined) return [];
  const list = parseOwnFile(`index/${withheldPath}`, () => parseWithheld(text));
  if (list !== undefined && !hasWrongChecksum(text)) return list;
  throw new BuildRefused(
    `index/${withheldPath} ${list === undefined ? 'is damaged' : 'was changed after it was written'}. It lists the versions that were withdrawn by hand. Restore it from a backup; or remove it and withdraw the versions again with \`libretto package withdraw\`, before a build publishes them.`,
  );
}

/**
 * Ids of the sources that published a version which may be published again: they have to be read anew, whether they
 * have changed or not.
 */
export async function sourcesToRead(output: Output, request: WithholdRequest | undefined): Promise<readonly string[]> {
  if (request === undefined || request.withheld) return [];
  const path = indexPath(request.name);
  const text = await output.read('index', path);
  const index = text === undefined ? undefined : parseOwnFile(`index/${path}`, () => parsePackageIndex(text));
  return (index?.versions ?? []).flatMap((entry) =>
    entry.version_normalized === request.normalized ? [entry.source] : [],
  );
}

/** The very same list where nothing changes. */
function change(
  list: readonly WithheldVersion[],
  { name, version, normalized, withheld }: WithholdRequest,
  now: Date,
): readonly WithheldVersion[] {
  const others = list.filter((one) => one.name !== name || one.version_normalized !== normalized);
  if (others.length < list.length === withheld) return list;
  return withheld ? [...others, { name, version, version_normalized: normalized, since: now.toISOString() }] : others;
}
