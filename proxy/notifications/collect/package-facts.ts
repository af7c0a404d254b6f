// Facts of published packages that the record of a publication does not have: release times, and whether a package is
// abandoned.

import { parsePackageName } from '../../../build/contract/name.ts';
import { parsePackageIndex } from '../../../build/contract/serving-index.ts';
import { readPublishedPackage } from '../../packages/published-package.ts';
import type { PublishedFiles } from '../../core/tree/published-files.ts';
import { releaseOf } from '../../core/views/view.ts';

export type PackageFactsReader = ReturnType<typeof createPackageFacts>;

export function createPackageFacts(files: PublishedFiles) {
  return {
    /** The release times of its contents, withdrawn ones too; epoch milliseconds. None if its index cannot be read. */
    releaseTimesOf: async (text: string): Promise<(version: string, reference: string) => number | undefined> => {
      const times = await readTimes(files, text).catch(() => new Map<string, number | undefined>());
      return (version, reference) => times.get(`${version} ${reference}`);
    },
    /** true, or the replacement; undefined: it is not abandoned, or cannot be read */
    abandonedOf: async (text: string): Promise<true | string | undefined> => {
      const name = parsePackageName(text);
      // a damaged package is reported by those who serve it
      const versions = name === undefined ? [] : await readPublishedPackage(files, name).catch(() => []);
      const abandoned = versions[0]?.record['abandoned'];
      return abandoned === true || (typeof abandoned === 'string' && abandoned !== '') ? abandoned : undefined;
    },
  };
}

async function readTimes(files: PublishedFiles, text: string): Promise<ReadonlyMap<string, number | undefined>> {
  const name = parsePackageName(text);
  const index = name === undefined ? undefined : (await files.readPackage(name)).index;
  if (index === undefined || 'fault' in index || index.bytes === undefined) return new Map();
  const { versions } = parsePackageIndex(index.bytes.toString('utf8'));
  return new Map(versions.map((entry) => [`${entry.version} ${entry.reference}`, releaseOf(entry).releasedMs]));
}
