// Computes the next advisory lists from the published lists, and the packages that the change concerns. The build
// reads the lists before any decision. The build writes them with the serving index, before the documents that contain
// the same entries.

import type { PackageName } from '../contract/name.ts';
import {
  describeLostAdvisories,
  formatAdvisoryLists,
  noAdvisories,
  parseAdvisoryLists,
  advisoriesOf,
  advisoryListsPath,
  type AdvisoryLists,
} from '../contract/advisory-lists.ts';
import type { Output } from '../output/output.ts';
import type { PackageLimit } from '../scan/package-limit.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';
import { BuildRefused } from '../contract/refusals.ts';
import { readAdvisoryFiles, type AdvisoryRequest } from '../advisories/read-advisories.ts';

export interface NextAdvisories {
  /** the lists after this build */
  readonly lists: AdvisoryLists;
  /** bytes of `index/_safety.json` after this build; undefined if the file is unchanged */
  readonly text: string | undefined;
  /** packages whose entries differ from before */
  readonly changed: readonly PackageName[];
  /** the number of packages in the file after this build, for the announcement; undefined: there is no such file */
  readonly advised: number | undefined;
}

export interface AdvisoryContext {
  /** undefined: the build examines all packages */
  readonly limit?: PackageLimit | undefined;
  /** the number of packages that the announcement gives for the file; undefined: it names no such file */
  readonly advised: number | undefined;
}

/**
 * `request` undefined: advisories are not configured, and the published ones stay. Throws BuildRefused for unusable
 * files.
 */
export async function nextAdvisories(
  output: Output,
  request: AdvisoryRequest | undefined,
  { limit, advised }: AdvisoryContext,
): Promise<NextAdvisories> {
  const before = await output.read('index', advisoryListsPath);
  const known = before === undefined && advised === undefined ? noAdvisories : parsePublished(before);
  if (request === undefined) {
    if (known === undefined) throw refuseUnknown(before, advised);
    return { lists: known, text: undefined, changed: [], advised: before === undefined ? undefined : sizeOf(known) };
  }
  const wanted = await readAdvisoryFiles(request);
  // a lost or damaged file counts as empty: the build examines every package that the lists name
  const changed = changedNames(known ?? noAdvisories, wanted).filter((name) => limit?.admits(name) !== false);
  // only a build of all packages can write it again: the others may have documents of earlier lists
  if (known === undefined && limit !== undefined) return { lists: wanted, text: undefined, changed, advised };
  const lists = known === undefined || limit === undefined ? wanted : mergeLimited(known, wanted, limit);
  const text = formatAdvisoryLists(lists);
  const isNothing = !lists.advised && lists.filters.length === 0 && before === undefined;
  return {
    lists,
    text: text === before || isNothing ? undefined : text,
    changed,
    advised: isNothing ? undefined : sizeOf(lists),
  };
}

/** undefined: the file is lost or damaged. */
function parsePublished(text: string | undefined): AdvisoryLists | undefined {
  return text === undefined ? undefined : parseOwnFile(`index/${advisoryListsPath}`, () => parseAdvisoryLists(text));
}

function refuseUnknown(text: string | undefined, advised = 0): BuildRefused {
  const fault =
    text === undefined
      ? `index/${advisoryListsPath}: ${describeLostAdvisories(advised)}`
      : `index/${advisoryListsPath} is damaged: it holds the advisories and filter lists that are published.`;
  return new BuildRefused(
    `${fault} Build with the libretto.json that names them (--config), or restore it from a backup.`,
  );
}

function sizeOf({ packages }: AdvisoryLists): number {
  return packages.size;
}

function changedNames(published: AdvisoryLists, next: AdvisoryLists): readonly PackageName[] {
  const names = new Set([...published.packages.keys(), ...next.packages.keys()]);
  return [...names].filter((name) => entriesOf(published, name) !== entriesOf(next, name));
}

/** Packages that this build leaves alone keep their entries. */
function mergeLimited(published: AdvisoryLists, wanted: AdvisoryLists, limit: PackageLimit): AdvisoryLists {
  const stays = [...published.packages].filter(([name]) => !limit.admits(name));
  const renewed = [...wanted.packages].filter(([name]) => limit.admits(name));
  return { ...wanted, packages: new Map([...stays, ...renewed]) };
}

function entriesOf(lists: AdvisoryLists, name: PackageName): string {
  return JSON.stringify(advisoriesOf(lists, name));
}
