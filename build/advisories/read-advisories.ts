// Reads the advisories and filter lists of the configuration from their files, for one build. A build that cannot read
// them publishes nothing. Otherwise a typing error would silently remove the warnings that were published before.

import { readFile } from 'node:fs/promises';
import { loneSurrogate, type JsonValue } from '../contract/json.ts';
import { parsePackageName, type PackageName } from '../contract/name.ts';
import type { Advisory, FilterEntry, PackageAdvisories, AdvisoryLists } from '../contract/advisory-lists.ts';
import { BuildRefused } from '../contract/refusals.ts';
import { readAdvisories } from './advisory-file.ts';
import { listNameFault, readFilterEntries } from './filter-file.ts';

export interface AdvisoryRequest {
  /** paths of JSON files; undefined: there are none, and packages.json does not speak of advisories */
  readonly advisories: readonly string[] | undefined;
  /** name of a list → path of its JSON file, or its entries */
  readonly filters: Readonly<Record<string, string | readonly JsonValue[]>>;
}

const mostShown = 20;
const largestFileBytes = 64 * 1024 * 1024;

/** Throws BuildRefused that names every entry which cannot be used. */
export async function readAdvisoryFiles({ advisories: paths, filters }: AdvisoryRequest): Promise<AdvisoryLists> {
  const faults: string[] = [];
  const advisories = await collectAdvisories(paths ?? [], faults);
  const packages = new Map<PackageName, { advisories: Advisory[]; filter: Record<string, FilterEntry[]> }>();
  const of = (name: PackageName): { advisories: Advisory[]; filter: Record<string, FilterEntry[]> } => {
    const known = packages.get(name) ?? { advisories: [], filter: {} };
    packages.set(name, known);
    return known;
  };
  for (const advisory of advisories) {
    const name = parsePackageName(advisory.packageName);
    if (name !== undefined) of(name).advisories.push(advisory);
  }
  const names = Object.keys(filters).toSorted();
  for (const list of names) {
    const fault = listNameFault(list);
    if (fault !== undefined) faults.push(`filters: the name ${JSON.stringify(list)} ${fault}.`);
    const given = filters[list] ?? [];
    const place = typeof given === 'string' ? given : `filters.${list}`;
    const entries = readFilterEntries(
      typeof given === 'string' ? await readJsonFile(given) : given,
      (where, complaint) => faults.push(`${place}${where} ${complaint}.`),
    );
    for (const { name, entry } of entries) (of(name).filter[list] ??= []).push(entry);
  }
  if (faults.length > 0) throw unusable(faults);
  return {
    advised: paths !== undefined,
    filters: names,
    packages: packages satisfies ReadonlyMap<PackageName, PackageAdvisories>,
  };
}

async function collectAdvisories(paths: readonly string[], faults: string[]): Promise<readonly Advisory[]> {
  const advisories = new Map<string, Advisory>();
  for (const path of paths) {
    const onFault = (where: string, complaint: string): unknown => faults.push(`${path}${where} ${complaint}.`);
    for (const advisory of readAdvisories(await readJsonFile(path), onFault)) {
      const key = `${advisory.packageName} ${advisory.advisoryId}`;
      if (advisories.has(key)) faults.push(`${path}: ${advisory.advisoryId} of ${advisory.packageName} occurs twice.`);
      advisories.set(key, advisory);
    }
  }
  return [...advisories.values()];
}

function unusable(faults: readonly string[]): BuildRefused {
  return new BuildRefused(
    [
      'The advisories and filter lists have errors. Nothing was published.',
      ...faults.slice(0, mostShown).map((fault) => `  ${fault}`),
      ...(faults.length > mostShown ? [`  … and ${faults.length - mostShown} more`] : []),
    ].join('\n'),
  );
}

async function readJsonFile(path: string): Promise<JsonValue> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > largestFileBytes) throw new Error(`it is larger than ${largestFileBytes / 1024 / 1024} MiB`);
    const json = JSON.parse(bytes.toString('utf8')) as JsonValue;
    const fault = loneSurrogate(json);
    if (fault !== undefined)
      throw new Error(`at ${fault.path.join('.')} it contains half of a surrogate pair, which PHP cannot decode`);
    return json;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new BuildRefused(
      `${path} cannot be used as a list of advisories or a filter list: ${reason}. Nothing was published. ` +
        'Correct the file, or remove it from libretto.json.',
      { cause },
    );
  }
}
