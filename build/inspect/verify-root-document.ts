// `verify` checks packages.json, and compares its names with the names in the announcement.

import { isJsonObject } from '../contract/json.ts';
import { parsePackageName, type PackageName } from '../contract/name.ts';
import { publicationPath, rootDocumentPath } from '../contract/paths.ts';
import type { Publication } from '../contract/publication.ts';
import type { Output } from '../output/output.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import type { Fault, Repairs } from './verify-fault.ts';

/**
 * Gives the names that packages.json lists. undefined: the file is not the published one, and only the serving index
 * knows the names.
 */
export async function verifyRootDocument(
  output: Output,
  publication: Publication | undefined,
  settled: boolean,
  faults: Fault[],
): Promise<readonly PackageName[] | undefined> {
  const place = { path: `public/${rootDocumentPath}` };
  const text = await output.read('public', rootDocumentPath);
  if (text === undefined) {
    const isAnnounced = publication !== undefined || hasAnnouncementFault(faults);
    // the first publication is under way, or was interrupted
    if (isAnnounced || settled)
      faults.push({ code: 'MISSING_FILE', ...place, message: `There is no packages.json. ${repairRoot(faults)}` });
    return undefined;
  }
  try {
    const names = namesIn(text);
    if (publication === undefined || digestOf(text) === publication.root.sha256) return names;
    // during a publication the file may be the next one, with a later date
    if (!settled && (await output.facts('public', rootDocumentPath))?.lastModified !== publication.root.last_modified)
      return names;
    faults.push({
      code: 'WRONG_BYTES',
      ...place,
      message: 'It is not the one that was published. The next build writes it again.',
    });
    return undefined;
  } catch (error) {
    faults.push({
      code: 'MALFORMED_DOCUMENT',
      ...place,
      message: `${error instanceof Error ? error.message : String(error)}. The next build writes it again.`,
    });
    return undefined;
  }
}

/** A build without the announcement does not know its sources. */
function repairRoot(faults: readonly Fault[]): string {
  return hasAnnouncementFault(faults)
    ? `Follow the advice for index/${publicationPath}, which writes packages.json again.`
    : 'Run `libretto build`.';
}

/** True if the announcement of the last publication is lost or damaged. */
export function hasAnnouncementFault(faults: readonly Fault[]): boolean {
  return faults.some(({ path }) => path === `index/${publicationPath}`);
}

/** Throws an Error with the fault. */
function namesIn(text: string): readonly PackageName[] {
  const json: unknown = JSON.parse(text);
  const list = isJsonObject(json) ? json['available-packages'] : undefined;
  if (!Array.isArray(list)) throw new Error('it has no list of available-packages');
  return list.map((name: unknown) => {
    const parsed = typeof name === 'string' ? parsePackageName(name) : undefined;
    if (parsed === undefined) throw new Error(`it lists ${JSON.stringify(name)}, which is not a package name`);
    return parsed;
  });
}

/**
 * Names that packages.json does not list and the announcement does not call withdrawn. A server whose tree is at an
 * origin reads the private names only from these two files.
 */
export function unannouncedNames(
  indexed: readonly PackageName[],
  names: readonly PackageName[],
  publication: Publication | undefined,
  repairs: Repairs,
): readonly Fault[] {
  if (publication?.withdrawn === undefined) return [];
  const announced = new Set([...names, ...publication.withdrawn]);
  return indexed
    .filter((name) => !announced.has(name))
    .map((name) => ({
      code: 'MALFORMED_INDEX',
      path: `index/${publicationPath}`,
      name,
      message: `It does not say that ${name} was published once and is withdrawn. ${repairs.byComparing}`,
    }));
}
