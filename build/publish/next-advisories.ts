// Computes the next advisory lists from the published lists, and the packages that the change concerns. The build
// reads the lists before any decision. The build writes them with the serving index, before the documents that contain
// the same entries.

import type { PackageName } from '../contract/name.ts';
import {
  formatAdvisoryLists,
  noAdvisories,
  parseAdvisoryLists,
  advisoriesOf,
  advisoryListsPath,
  type PackageAdvisories,
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
}

/**
 * `request` undefined: advisories are not configured, and the published ones stay. Throws BuildRefused for unusable
 * files.
 */
export async function nextAdvisories(
  output: Output,
  request: AdvisoryRequest | undefined,
  limit: PackageLimit | undefined,
): Promise<NextAdvisories> {
  const before = await output.read('index', advisoryListsPath);
  // a damaged file counts as empty: the build examines every package that the lists name
  const known =
    before === undefined ? noAdvisories : parseOwnFile(`index/${advisoryListsPath}`, () => parseAdvisoryLists(before));
  if (known === undefined && request === undefined)
    throw new BuildRefused(
      `index/${advisoryListsPath} is damaged: it holds the advisories and filter lists that are published. Build with ` +
        'the libretto.json that names them (--config), or restore it from a backup.',
    );
  const published = known ?? noAdvisories;
  if (request === undefined) return { lists: published, text: undefined, changed: [] };
  const wanted = await readAdvisoryFiles(request);
  const lists = limit === undefined ? wanted : { ...wanted, packages: mergeLimited(published, wanted, limit) };
  const text = formatAdvisoryLists(lists);
  const isNothing = !lists.advised && lists.filters.length === 0 && before === undefined;
  const names = new Set([...published.packages.keys(), ...lists.packages.keys()]);
  const changed = [...names].filter((name) => entriesOf(published, name) !== entriesOf(lists, name));
  return { lists, text: text === before || isNothing ? undefined : text, changed };
}

/** Packages that this build leaves alone keep their entries. */
function mergeLimited(
  published: AdvisoryLists,
  wanted: AdvisoryLists,
  limit: PackageLimit,
): ReadonlyMap<PackageName, PackageAdvisories> {
  const stays = [...published.packages].filter(([name]) => !limit.admits(name));
  return new Map([...stays, ...[...wanted.packages].filter(([name]) => limit.admits(name))]);
}

function entriesOf(lists: AdvisoryLists, name: PackageName): string {
  return JSON.stringify(advisoriesOf(lists, name));
}
