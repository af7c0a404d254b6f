// Tests the versions of a source that are published under the limits of libretto.json.

import { describe, expect, it } from 'vitest';

import type { PackageName } from '../../../../build/contract/name.ts';
import { isNamePattern, matchName } from '../../../../build/shared/patterns/package-pattern.ts';
import { filterScan, type ReadScan } from '../../../../build/scan/filter-scan.ts';
import type { FilterOptions } from '../../../../build/sources/options.ts';
import { QuarantineError, type Quarantine } from '../../../../build/contract/quarantine.ts';
import type { Release } from '../../../../build/sources/release.ts';
import { releaseOf } from '../samples.ts';

const release = (label: string, more: Partial<Release> = {}): Release => {
  const [name = '', version = ''] = label.split(' ');
  return releaseOf(version, '1', { name: name as PackageName, ...more });
};
const scanOf = (releases: readonly Release[], quarantined: readonly Quarantine[] = []): ReadScan => ({
  outcome: 'read',
  releases,
  quarantined,
  notices: [],
  memory: { fingerprint: 'f', detail: null },
});
const held = (name: string | null, version: string | null): Quarantine => ({
  code: 'INVALID_JSON',
  message: 'm',
  where: 'w',
  name,
  version,
});

const all = [
  'acme/a 1.0.0',
  'acme/a 1.5.0-beta1',
  'acme/a 2.0.0',
  'acme/a 1.x-dev',
  'acme/a dev-feature',
  'acme/b 1.0.0',
  'other/c 3.0.0',
];
const left = async (options: FilterOptions, releases = all.map((label) => release(label))): Promise<string[]> =>
  (await filterScan(scanOf(releases), options)).releases.map(({ name, version }) => `${name} ${version}`);

describe('limits by name', () => {
  it.each([
    [{ only: ['acme/*'] }, all.slice(0, 6)],
    [{ only: ['ACME/A', 'other/*'] }, [...all.slice(0, 5), 'other/c 3.0.0']],
    [{ only: ['*'], except: { 'acme/*': '*' } }, ['other/c 3.0.0']],
    [{ only: ['*/c'] }, ['other/c 3.0.0']],
    [{ except: { 'acme/a': '*' } }, ['acme/b 1.0.0', 'other/c 3.0.0']],
    [{}, all],
  ])('the patterns %j select names', async (options, expected) => expect(await left(options)).toEqual(expected));

  it('a pattern is a name or contains a star, and nothing in it is a regular expression', () => {
    expect(
      ['acme/hello', 'acme/*', '*', 'acme*', '*/*', 'Acme/x.y'].filter((pattern) => !isNamePattern(pattern)),
    ).toEqual([]);
    expect(
      ['', 'acme', 'a/b/c', './x', '/a', 'a/', 'a b/*', 'acme/[a-z]', `${'a'.repeat(201)}/b`].filter(isNamePattern),
    ).toEqual([]);
    expect([matchName('acme/x.y')('acme/xzy'), matchName('a*')('acme/x'), matchName('*/x')('acme/xx')]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe('limits by constraint', () => {
  it.each([
    [{ versions: { '*': '^1.0' } }, ['acme/a 1.0.0', 'acme/a 1.5.0-beta1', 'acme/a 1.x-dev', 'acme/b 1.0.0']],
    [
      { versions: { 'acme/a': '^2 || dev-feature' } },
      ['acme/a 2.0.0', 'acme/a dev-feature', 'acme/b 1.0.0', 'other/c 3.0.0'],
    ],
    [{ versions: { 'acme/*': '*', 'acme/a': '1.0.0' } }, ['acme/a 1.0.0', 'acme/b 1.0.0', 'other/c 3.0.0']],
    [{ except: { 'acme/a': '<2 || dev-feature' } }, ['acme/a 2.0.0', 'acme/b 1.0.0', 'other/c 3.0.0']],
    [{ 'minimum-stability': 'stable' as const }, ['acme/a 1.0.0', 'acme/a 2.0.0', 'acme/b 1.0.0', 'other/c 3.0.0']],
    [
      { 'minimum-stability': 'stable' as const, 'minimum-stability-per-package': { 'Acme/A': 'beta' as const } },
      ['acme/a 1.0.0', 'acme/a 1.5.0-beta1', 'acme/a 2.0.0', 'acme/b 1.0.0', 'other/c 3.0.0'],
    ],
    [
      { only: ['acme/a'], 'minimum-stability': 'beta' as const },
      ['acme/a 1.0.0', 'acme/a 1.5.0-beta1', 'acme/a 2.0.0'],
    ],
  ])('the limits %j select versions', async (options, expected) => expect(await left(options)).toEqual(expected));

  it('a constraint reaches a branch by its alias, as in a requirement', async () => {
    const aliased = { composerJson: () => Promise.resolve({ extra: { 'branch-alias': { 'dev-main': '1.x-dev' } } }) };
    const releases = [
      release('acme/a dev-main', aliased),
      release('acme/b dev-main', { defaultBranch: true }),
      release('acme/c dev-main'),
    ];
    expect(await left({ versions: { '*': '^1' } }, releases)).toEqual(['acme/a dev-main']);
    expect(await left({ versions: { '*': '>=1' } }, releases)).toEqual(['acme/a dev-main', 'acme/b dev-main']);
    expect(await left({ except: { '*': '^1' } }, releases)).toEqual(['acme/b dev-main', 'acme/c dev-main']);
  });

  it('limits by name alone read no composer.json', async () => {
    const untouchable = release('acme/a dev-main', {
      composerJson: () => {
        throw new Error('it was read');
      },
    });
    expect(await left({ only: ['acme/*'], 'minimum-stability': 'dev' }, [untouchable])).toEqual(['acme/a dev-main']);
    expect(await left({ only: ['other/*'], versions: { '*': '^1' } }, [untouchable])).toEqual([]);
  });

  it('a branch whose alias cannot be determined stays', async () => {
    const broken = release('acme/a dev-main', {
      composerJson: () => Promise.reject(new QuarantineError('BROKEN_OBJECT', 'gone')),
    });
    expect(await left({ versions: { '*': '^1' } }, [broken])).toEqual(['acme/a dev-main']);
  });
});

describe('the report of a limited source', () => {
  it('faults are reported only for versions that would be published, or whose name is unknown', async () => {
    const faults = [
      held('acme/a', '1.0.0'),
      held('acme/a', '2.0.0'),
      held('acme/a', 'nonsense'),
      held('acme/b', null),
      held('other/c', '1.0.0'),
      held(null, null),
    ];
    const { quarantined } = await filterScan(scanOf([], faults), { only: ['acme/*'], versions: { 'acme/*': '^1' } });
    expect(quarantined.map(({ name, version }) => [name, version])).toEqual([
      ['acme/a', '1.0.0'],
      ['acme/a', 'nonsense'],
      ['acme/b', null],
      [null, null],
    ]);
  });

  it('a pattern without a match is reported, and so is an empty result', async () => {
    const scan = scanOf(all.map((label) => release(label)));
    expect(await filterScan(scan, { only: ['acme/*', 'acme/typo'], except: { 'acme/tpyo': '*' } })).toMatchObject({
      idle: ['acme/typo', 'acme/tpyo'],
      notices: [],
    });
    expect(await filterScan(scan, { only: ['nobody/*'] })).toMatchObject({
      releases: [],
      notices: ['None of its versions is published: the filters in libretto.json exclude all of them.'],
    });
  });
});
