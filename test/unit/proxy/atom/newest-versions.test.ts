// Tests the choice of the versions of a feed.

import { expect, it } from 'vitest';
import type { PackageName } from '../../../../build/contract/name.ts';
import { newestOfAll } from '../../../../proxy/atom/newest-versions.ts';
import type { ListedVersion } from '../../../../proxy/packages/package-summary.ts';

const listed = (number: number, day: number): ListedVersion => ({
  version: `1.${number}`,
  version_normalized: `1.${number}.0.0`,
  releasedMs: undefined,
  since: '',
  published: new Date(Date.UTC(2026, 0, day)).toISOString(),
  facts: {
    description: null,
    type: 'library',
    keywords: [],
    abandoned: false,
    homepage: null,
    repository: null,
    requires: [],
    provides: [],
  },
});
const chosen = async (packages: Readonly<Record<string, readonly ListedVersion[]>>): Promise<readonly string[]> =>
  (
    await newestOfAll(
      {
        names: Object.keys(packages) as PackageName[],
        versionsOf: (name) => packages[name] ?? [],
      },
      'stable',
    )
  ).map(({ name, listed: { version } }) => `${name} ${version}`);

it('of more than 100 versions, the newest are chosen, whatever package they belong to', async () => {
  const many = Array.from({ length: 90 }, (_, at) => listed(90 - at, 90 - at));
  const found = await chosen({ 'a/many': many, 'b/old': [listed(1, 0)], 'c/more': many, 'd/newest': [listed(1, 99)] });
  expect(found).toHaveLength(100);
  expect(found.slice(0, 4)).toEqual(['d/newest 1.1', 'a/many 1.90', 'c/more 1.90', 'a/many 1.89']);
  expect(found.at(-1)).toBe('a/many 1.41');
  expect(found.join()).not.toContain('old');
});

it('of equal times, the order is by name, and the newer version stands before', async () => {
  const same = Array.from({ length: 60 }, (_, at) => listed(60 - at, 1));
  const found = await chosen({ 'a/one': same, 'b/two': same });
  expect(found).toHaveLength(100);
  expect([found[0], found[59], found[60], found[99]]).toEqual(['a/one 1.60', 'a/one 1.1', 'b/two 1.60', 'b/two 1.21']);
});

it('thousands of versions are chosen in turns', async () => {
  const packages = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [
      `a/p${10 + at}`,
      Array.from({ length: 100 }, (_none, no) => listed(no, at)),
    ]),
  );
  expect(new Set((await chosen(packages)).map((line) => line.split(' ')[0]))).toEqual(new Set(['a/p39']));
});
