// Compares two published versions of a package: composer.json, dependencies, and the files of both archives. The
// composer.json is the published one: fields that only root packages use may hold credentials, and are not in it.

import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import type { PublicPath } from '../../build/contract/paths.ts';
import { findVersion, readPublishedPackage, type PublishedVersion } from '../packages/published-package.ts';
import type { PublishedFiles } from '../core/tree/published-files.ts';
import { compareDependencies, type DependencyChange } from './compare-dependencies.ts';
import { compareFiles, type ArchivedFile, type ComparedFiles } from './compare-files.ts';

export interface ComparedVersion {
  readonly version: string;
  readonly reference: string;
  /** RFC 3339: since when this content is published here */
  readonly since: string;
  /** bytes of the archive */
  readonly size: number;
  /** the published composer.json, without the fields that the registry adds */
  readonly composer_json: JsonObject;
}

export interface ComparedVersions {
  readonly name: string;
  readonly before: ComparedVersion;
  readonly after: ComparedVersion;
  readonly dependencies: readonly DependencyChange[];
  /** null: an archive cannot be listed; `not_listed` says why */
  readonly files: ComparedFiles | null;
  /** a sentence for each archive that cannot be listed */
  readonly not_listed: readonly string[];
}

export interface Comparison {
  /** Versions as published, or normalized. Throws RegistryError: NOT_FOUND, or TREE_DAMAGED. */
  readonly compare: (name: PackageName, before: string, after: string) => Promise<ComparedVersions>;
}

export interface ComparisonParts {
  readonly published: PublishedFiles;
  /** undefined: the archive cannot be listed, for it is damaged or has more than `mostEntries` entries */
  readonly listFiles: (path: PublicPath) => Promise<readonly ArchivedFile[] | undefined>;
  readonly mostEntries: number;
}

export function createComparison({ published, listFiles, mostEntries }: ComparisonParts): Comparison {
  return {
    compare: async (name, before, after) => {
      const versions = await readPublishedPackage(published, name);
      const pair = [find(versions, name, before), find(versions, name, after)] as const;
      const [old, now] = pair;
      const [oldFiles, nowFiles] = [await listFiles(old.entry.path), await listFiles(now.entry.path)];
      const notListed = [oldFiles, nowFiles].flatMap((files, at) =>
        files === undefined && pair[at] !== undefined ? [sentence(name, pair[at], mostEntries)] : [],
      );
      return {
        name,
        before: shown(old),
        after: shown(now),
        dependencies: compareDependencies(old.record, now.record),
        files: oldFiles === undefined || nowFiles === undefined ? null : compareFiles(oldFiles, nowFiles),
        not_listed: [...new Set(notListed)],
      };
    },
  };
}

function find(versions: readonly PublishedVersion[], name: PackageName, wanted: string): PublishedVersion {
  const found = findVersion(versions, wanted);
  if (found !== undefined) return found;
  throw new RegistryError('NOT_FOUND', {
    message: `${name} ${wanted.slice(0, 200)} is not published here. Only published versions can be compared.`,
  });
}

const addedByRegistry = new Set([
  'version_normalized',
  'source',
  'dist',
  'time',
  'published-time',
  'default-branch',
  'notification-url',
]);

function shown({ entry, record }: PublishedVersion): ComparedVersion {
  const { version, reference, since, size } = entry;
  const own = Object.entries(record).filter(([key]) => !addedByRegistry.has(key));
  return { version, reference, since, size, composer_json: Object.fromEntries(own) };
}

function sentence(name: PackageName, { entry }: PublishedVersion, mostEntries: number): string {
  return (
    `The files of ${name} ${entry.version} are not listed: its archive is damaged, or has more than ` +
    `${mostEntries.toLocaleString('en')} entries. \`libretto verify\` checks it.`
  );
}
