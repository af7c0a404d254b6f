// Tests the notice about packages of a repository that has no tag of a version.

import { expect, it } from 'vitest';

import { unreleasedNotices, type RepositoryReleases } from '../../../../../build/sources/git/read-repository.ts';

type Release = RepositoryReleases['releases'][number];
const release = (name: string, version: string, defaultBranch = false): Release =>
  ({ name, version, dev: version.startsWith('dev-'), defaultBranch }) as Release;

const notices = (...releases: readonly Release[]): string[] => unreleasedNotices({ releases, quarantined: [] }, {});

it('names the default branch, and the way to a release', () =>
  expect(notices(release('acme/a', 'dev-fix'), release('acme/a', 'dev-main', true))).toEqual([
    'acme/a has no release, because no tag names a version. Composer installs it as acme/a:dev-main. For a release, ' +
      'tag a commit: git tag 1.0.0',
  ]));

it('is silent about a package with a release', () =>
  expect(notices(release('acme/a', '1.0.0'), release('acme/a', 'dev-main', true))).toEqual([]));
