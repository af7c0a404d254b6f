// Tests compiled limits one by one and together, and constraints against vectors taken from Composer.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileAccess } from '../../../../../proxy/core/views/compile-access.ts';
import { compileView } from '../../../../../proxy/core/views/compile-view.ts';
import { noLimits, parseLimits, type TokenLimits } from '../../../../../proxy/core/views/token-limits.ts';
import { releaseOf, passes, seesSome, filterOf, type View } from '../../../../../proxy/core/views/view.ts';

function viewOf(given: Partial<Record<keyof TokenLimits, unknown>>): View | undefined {
  const parsed = parseLimits(given);
  if ('issues' in parsed) throw new Error(JSON.stringify(parsed.issues));
  return compileView({ ...noLimits, ...parsed.limits });
}

const january = Date.parse('2027-01-15T00:00:00Z');
const seen = (
  given: Partial<Record<keyof TokenLimits, unknown>>,
  name: string,
  version: string,
  releasedMs: number | undefined = january,
): boolean => passes(filterOf(viewOf(given), name), { version_normalized: version, releasedMs });

describe('a view', () => {
  it('is absent where nothing is limited, or only networks are', () => {
    expect(viewOf({})).toBeUndefined();
    expect(viewOf({ networks: ['10.0.0.0/8'] })).toBeUndefined();
    expect(passes(filterOf(undefined, 'acme/core'), { version_normalized: '1.0.0.0', releasedMs: undefined })).toBe(
      true,
    );
  });

  it('includes the packages that a pattern matches', () => {
    expect([
      seen({ packages: ['acme/*'] }, 'acme/core', '1.0.0.0'),
      seen({ packages: ['acme/*'] }, 'other/core', '1.0.0.0'),
    ]).toEqual([true, false]);
    expect(filterOf(viewOf({ packages: ['acme/*'] }), 'acme/core')).toBe('all');
    expect(filterOf(viewOf({ packages: ['acme/*'] }), 'other/core')).toBe('none');
  });

  it('requires all constraints whose patterns match, and a constraint alone includes no package', () => {
    const limits = { packages: ['acme/*'], constraints: { 'acme/*': '>=1.5', 'acme/core': '<3.0', 'zoo/x': '*' } };
    expect(['1.0.0.0', '2.0.0.0', '3.0.0.0'].map((version) => seen(limits, 'acme/core', version))).toEqual([
      false,
      true,
      false,
    ]);
    expect(['1.0.0.0', '2.0.0.0', '3.0.0.0'].map((version) => seen(limits, 'acme/other', version))).toEqual([
      false,
      true,
      true,
    ]);
    expect(seen(limits, 'zoo/x', '1.0.0.0')).toBe(false);
    expect(seen({ constraints: { 'acme/core': '<3.0' } }, 'zoo/x', '9.0.0.0')).toBe(true);
  });

  it('includes a branch by its own name only, as Composer matches it', () => {
    expect(seen({ constraints: { '*': '<3.0' } }, 'acme/core', 'dev-main')).toBe(false);
    expect(seen({ constraints: { '*': '<3.0 || dev-main' } }, 'acme/core', 'dev-main')).toBe(true);
    expect(seen({ constraints: { '*': '<3.0' } }, 'acme/core', '2.9999999.9999999.9999999-dev')).toBe(true);
  });

  it('includes the given stability and more stable versions', () => {
    const versions = [
      '1.0.0.0',
      '1.0.0.0-patch1',
      '1.0.0.0-RC1',
      '1.0.0.0-beta2',
      '1.0.0.0-alpha1',
      '1.0.0.0-dev',
      'dev-main',
    ];
    const least = (stability: string): number =>
      versions.filter((version) => seen({ stability }, 'a/b', version)).length;
    expect(['stable', 'RC', 'beta', 'alpha', 'dev'].map(least)).toEqual([2, 3, 4, 5, 7]);
  });

  it('includes releases up to its time, that instant too, and no release of unknown time', () => {
    const limits = { not_after: '2027-01-15T00:00:00Z' };
    expect([
      seen(limits, 'a/b', '1.0.0.0', january),
      seen(limits, 'a/b', '1.0.0.0', january + 1),
      passes(filterOf(viewOf(limits), 'a/b'), { version_normalized: '1.0.0.0', releasedMs: undefined }),
    ]).toEqual([true, false, false]);
    expect(seen({ not_after: '2027-01-14' }, 'a/b', '1.0.0.0', january)).toBe(false);
    expect(seen({ not_after: '2027-01-15' }, 'a/b', '1.0.0.0', january + 86_399_999)).toBe(true);
  });

  it('agrees with Composer on every constraint of the vectors', () => {
    const vectors = JSON.parse(
      readFileSync(new URL('../../../../vectors/order-and-constraints.json', import.meta.url), 'utf8'),
    ) as {
      constraints: readonly { constraint: string; matches?: readonly string[] }[];
      constraint_test_versions: readonly string[];
    };
    const usable = vectors.constraints.filter(
      ({ constraint, matches }) =>
        matches !== undefined && 'limits' in parseLimits({ constraints: { 'a/b': constraint } }),
    );
    expect(usable.length).toBeGreaterThan(20);
    for (const { constraint, matches = [] } of usable) {
      expect([
        constraint,
        vectors.constraint_test_versions
          .filter((version) => seen({ constraints: { 'a/b': constraint } }, 'a/b', version))
          .toSorted(),
      ]).toEqual([constraint, matches.toSorted()]);
    }
  });

  it('has one key for equal limits, and another for other limits', () => {
    const limits = [
      { packages: ['acme/*'] },
      { packages: ['acme/x'] },
      { constraints: { 'acme/*': '*' } },
      { stability: 'dev' },
      { not_after: '2027-01-15' },
      { packages: ['acme/*'], stability: 'dev' },
    ];
    expect(new Set(limits.map((one) => viewOf(one)?.key)).size).toBe(limits.length);
    expect(viewOf({ packages: ['b/x', 'a/x'] })?.key).toBe(viewOf({ packages: ['a/x', 'b/x', 'A/X'] })?.key);
  });

  it('is compiled once for all tokens with the same limits', () => {
    const accessOf = compileAccess(10);
    const limits = { ...noLimits, packages: ['acme/*'] };
    expect(accessOf(limits).view).toBe(accessOf({ ...limits, packages: ['acme/*'], networks: ['10.0.0.0/8'] }).view);
    expect(accessOf(noLimits)).toEqual({ view: undefined, networks: undefined });
  });
});

describe('the release time of an index entry', () => {
  const entry = { version_normalized: '1.0.0.0', time: null, since: '2027-03-01T00:00:00Z' };
  it('is its own time, or the time of its first publication', () => {
    expect(
      releaseOf({ ...entry, time: '2027-01-01T02:00:00+02:00', first_published: '2027-02-01T00:00:00Z' }).releasedMs,
    ).toBe(Date.parse('2027-01-01T00:00:00Z'));
    expect(releaseOf({ ...entry, first_published: '2027-02-01T00:00:00Z' }).releasedMs).toBe(
      Date.parse('2027-02-01T00:00:00Z'),
    );
    expect(releaseOf(entry).releasedMs).toBe(Date.parse('2027-03-01T00:00:00Z'));
    expect(releaseOf({ ...entry, time: 'nonsense' }).releasedMs).toBeUndefined();
  });
});

it('a package without releases is not visible', () => {
  expect(seesSome('all', [])).toBe(false);
});
