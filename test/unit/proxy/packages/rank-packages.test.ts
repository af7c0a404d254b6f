// Tests the order of the packages that a search finds.

import { fc } from '../../../util/seeded-check.ts';
import { describe, expect, it } from 'vitest';
import type { PackageSummary } from '../../../../proxy/packages/package-summary.ts';
import { rankPackages } from '../../../../proxy/packages/rank-packages.ts';

const summary = (
  name: string,
  {
    description = null,
    keywords = [],
    abandoned = false,
    type = 'library',
  }: Partial<Pick<PackageSummary, 'description' | 'keywords' | 'abandoned' | 'type'>> = {},
): PackageSummary =>
  ({
    name,
    description,
    keywords,
    abandoned,
    type,
    latest_version: '1.0.0',
    versions: 1,
    updated_at: '2026-01-01T00:00:00Z',
    homepage: null,
    repository: null,
    requires: new Set(),
    provides: new Set(),
    text: [name, description ?? '', ...keywords].join('\n').toLowerCase(),
  }) as unknown as PackageSummary;

const names = async (
  packages: readonly PackageSummary[],
  words: string,
  uses: Readonly<Record<string, number>> = {},
  best = 100,
): Promise<readonly string[]> =>
  (await rankPackages(packages, { words, type: undefined, best }, (name) => uses[name] ?? 0)).best.map(
    ({ name }) => name,
  );

describe('a search', () => {
  it('lists an equal name first, then its beginning, a part of it, any match in it, a keyword, a description', async () => {
    const packages = [
      summary('a/described', { description: 'about HTTP' }),
      summary('a/keyed', { keywords: ['Http'] }),
      summary('a/xhttp'),
      summary('a/simple-http'),
      summary('a/http-client'),
      summary('a/http'),
    ];
    expect(await names(packages, 'http')).toEqual([
      'a/http',
      'a/http-client',
      'a/simple-http',
      'a/xhttp',
      'a/keyed',
      'a/described',
    ]);
    expect(await names(packages, 'A/HTTP')).toEqual(['a/http', 'a/http-client']);
  });

  it('equal results are sorted by maintained first, then by use, then by name', async () => {
    const packages = [
      summary('a/one'),
      summary('a/three', { abandoned: 'a/one' }),
      summary('a/two'),
      summary('b/four'),
    ];
    expect(await names(packages, '', { 'a/three': 99, 'a/two': 3 })).toEqual(['a/two', 'a/one', 'b/four', 'a/three']);
  });

  it('finds the same best packages for every page size, and gives the total', async () => {
    const any = fc.array(fc.record({ uses: fc.nat(3), dead: fc.boolean(), word: fc.constantFrom('x', 'y', 'xy') }), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(any, fc.integer({ min: 1, max: 10 }), async (rows, best) => {
        const packages = rows.map(({ dead, word }, at) =>
          summary(`v/${String(at).padStart(2, '0')}-${word}`, { abandoned: dead }),
        );
        const uses = Object.fromEntries(
          rows.map((row, at) => [`v/${String(at).padStart(2, '0')}-${row.word}`, row.uses]),
        );
        const all = await names(packages, 'x', uses);
        expect(await names(packages, 'x', uses, best)).toEqual(all.slice(0, best));
        expect((await rankPackages(packages, { words: 'x', type: undefined, best }, () => 0)).total).toBe(all.length);
      }),
      { numRuns: 100 },
    );
  });
});
