// Makes releases and index entries with the builder's own code; each reference is written as one digit.
import type { Reference, Sha1 } from '../../../build/contract/digest.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { DistLabel, PublicPath } from '../../../build/contract/paths.ts';
import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import { isDevVersion, normalizeVersion, type NormalizedVersion } from '../../../build/contract/version.ts';
import type { Release } from '../../../build/sources/release.ts';

export function referenceOf(digit: string): Reference {
  return digit.repeat(40) as Reference;
}

function normalized(version: string): NormalizedVersion {
  const found = normalizeVersion(version);
  if (found === undefined) throw new Error(`${version} is not a version`);
  return found;
}

export function releaseOf(version: string, digit: string, more: Partial<Release> = {}): Release {
  return {
    name: 'acme/hello' as PackageName,
    version: version as DistLabel,
    normalized: normalized(version),
    dev: isDevVersion(normalized(version)),
    reference: referenceOf(digit),
    time: undefined,
    defaultBranch: false,
    where: `tag ${version}`,
    composerJson: () => Promise.resolve({ name: 'acme/hello' }),
    content: {
      list: () => Promise.resolve({ files: [], withheld: [] }),
      read: () => {
        throw new Error('not read here');
      },
      entryTime: 0,
    },
    ...more,
  };
}

export function entryOf(version: string, digit: string, more: Partial<IndexEntry> = {}): IndexEntry {
  return {
    version,
    version_normalized: normalized(version),
    reference: referenceOf(digit),
    shasum: digit.repeat(40) as Sha1,
    size: 1,
    time: null,
    path: `dist/acme/hello/${version}.zip` as PublicPath,
    state: 'published',
    since: '2026-01-01T00:00:00.000Z',
    source: 'a',
    ...more,
  };
}
