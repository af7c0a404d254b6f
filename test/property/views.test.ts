// Compares the answers for random token limits with a naive reading of the limits. The documents hold exactly the
// visible versions, as published bytes. packages.json names exactly the visible packages, and only their archives are
// found.

import { fc } from '../util/seeded-check.ts';
import { describe, expect, it } from 'vitest';
import { parseReference, parseSha1 } from '../../build/contract/digest.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { providerPath, type PublicPath } from '../../build/contract/paths.ts';
import type { IndexEntry, PackageIndex } from '../../build/contract/serving-index.ts';
import { TextDocument } from '../../proxy/core/http/document.ts';
import { PackageArchives } from '../../proxy/core/tree/package-archives.ts';
import { PackageReleases } from '../../proxy/core/tree/package-releases.ts';
import type { TreeFiles } from '../../proxy/core/tree/tree-files.ts';
import { withVisibleNames } from '../../proxy/core/tree/visible-names.ts';
import { ViewCache } from '../../proxy/core/protocol/view-cache.ts';
import { ViewedDocuments } from '../../proxy/core/protocol/viewed-documents.ts';
import { ViewedRoots } from '../../proxy/core/protocol/root-answers.ts';
import { compileView } from '../../proxy/core/views/compile-view.ts';
import { noLimits, parseLimits, stabilities, type TokenLimits } from '../../proxy/core/views/token-limits.ts';

interface Content {
  readonly numbers: readonly [number, number];
  readonly stability: number;
  /** a day of 2026; undefined: unknown */
  readonly day: number | undefined;
}
type Registry = ReadonlyMap<PackageName, readonly Content[]>;

const suffixes = ['', '-RC1', '-beta1', '-alpha1', '-dev'] as const;
const normalizedOf = ({ numbers: [major, minor], stability }: Content): string =>
  `${major}.${minor}.0.0${suffixes[stability] ?? ''}`;
const dayOf = (day: number): string => new Date(Date.UTC(2026, 0, 1 + day)).toISOString();
const hex = (text: string): string => Buffer.from(text.padEnd(20, '.')).toString('hex');

const words = ['a', 'b', 'ab', 'b-a'];
const name = fc
  .tuple(fc.constantFrom(...words), fc.constantFrom(...words))
  .map(([vendor, project]) => parsePackageName(`${vendor}/${project}`) ?? expect.unreachable());
const content: fc.Arbitrary<Content> = fc.record({
  numbers: fc.tuple(fc.nat(3), fc.nat(2)),
  stability: fc.nat(4),
  day: fc.option(fc.nat(300), { nil: undefined }),
});
const registry: fc.Arbitrary<Registry> = fc
  .array(fc.tuple(name, fc.uniqueArray(content, { selector: normalizedOf, maxLength: 6 })), { maxLength: 8 })
  .map((rows) => new Map(rows));
const pattern = fc
  .tuple(fc.constantFrom(...words, '*', 'a*', '*a'), fc.constantFrom(...words, '*', '*a', 'b*'))
  .map(([vendor, project]) => `${vendor}/${project}`);
const range = fc.tuple(fc.nat(4), fc.nat(4)).map(([from, to]) => ({ from, to, text: `>=${from}.0-dev <${to}.0` }));
const limits = fc.record({
  packages: fc.option(fc.uniqueArray(pattern, { minLength: 1, maxLength: 3 })),
  constraints: fc.option(fc.dictionary(pattern, range, { minKeys: 1, maxKeys: 3 })),
  stability: fc.option(fc.constantFrom(...stabilities)),
  day: fc.option(fc.nat(300)),
});
type Limits = typeof limits extends fc.Arbitrary<infer Value> ? Value : never;

const fits = (text: string, full: string): boolean =>
  new RegExp(`^${text.replaceAll('.', String.raw`\.`).replaceAll('*', '.*')}$`).test(full);

/** A naive reading of the limits. */
function isSeen(
  full: string,
  { numbers: [major], stability, day }: Content,
  { packages, constraints, stability: least, day: last }: Limits,
): boolean {
  if (packages !== null && !packages.some((text) => fits(text, full))) return false;
  for (const [text, { from, to }] of Object.entries(constraints ?? {}))
    if (fits(text, full) && !(major >= from && major < to)) return false;
  if (least !== null && stability > stabilities.indexOf(least)) return false;
  return last === null || (day ?? 0) <= last;
}

const asGiven = ({ packages, constraints, stability, day }: Limits): TokenLimits => {
  const given = {
    packages,
    constraints:
      constraints === null
        ? null
        : Object.fromEntries(Object.entries(constraints).map(([text, { text: constraint }]) => [text, constraint])),
    stability,
    not_after: day === null ? null : dayOf(day),
  };
  const parsed = parseLimits(given);
  if ('issues' in parsed) throw new Error(JSON.stringify(parsed.issues));
  return { ...noLimits, ...parsed.limits };
};

const recordOf = (full: string, one: Content): string =>
  `{"name":"${full}","version":"${normalizedOf(one)}","version_normalized":"${normalizedOf(one)}","big":1234567890123456789,"dist":{"reference":"${hex(normalizedOf(one))}"}}`;
const entryOf = (one: Content): IndexEntry => ({
  version: normalizedOf(one),
  version_normalized: normalizedOf(one),
  reference: parseReference(hex(normalizedOf(one))) ?? expect.unreachable(),
  shasum: parseSha1(hex(normalizedOf(one))) ?? expect.unreachable(),
  size: 1,
  time: one.day === undefined ? null : dayOf(one.day),
  path: 'dist/x' as PublicPath,
  state: 'published',
  since: dayOf(0),
  source: 'test',
});
const documentOf = (full: string, contents: readonly Content[]): string =>
  `{"packages":{"${full}":{${contents.map((one) => `"${normalizedOf(one)}":${recordOf(full, one)}`).join(',')}}}}\n`;

/** `root`: packages.json. */
function filesOf(packages: Registry, root?: TextDocument): TreeFiles {
  const indexOf = (full: PackageName): PackageIndex | undefined =>
    packages.has(full)
      ? {
          format: 1,
          name: full,
          documents: { stable: null, dev: null },
          versions: (packages.get(full) ?? []).map(entryOf),
        }
      : undefined;
  const archives = (full: PackageName): PackageArchives | undefined => {
    const index = indexOf(full);
    return index === undefined ? undefined : new PackageArchives(index);
  };
  const releases = async (full: PackageName): Promise<PackageReleases | undefined> => {
    const index = indexOf(full);
    return index === undefined ? undefined : new PackageReleases(index, (text) => text);
  };
  const files = {
    archives,
    archivesAgain: archives,
    releases,
    releasesAgain: releases,
    publication: () => undefined,
    document: () => root,
    grow: () => undefined,
  };
  return withVisibleNames(files as unknown as TreeFiles, 1 << 20);
}

describe('a view', () => {
  it('includes exactly the versions that its limits describe', async () => {
    await fc.assert(
      fc.asyncProperty(registry, limits, async (packages, drawn) => {
        const view = compileView(asGiven(drawn));
        if (view === undefined) return;
        const cache = new ViewCache(1 << 20);
        const viewed = new ViewedDocuments(filesOf(packages), cache);
        const published = [...packages].filter(([, contents]) => contents.length > 0);
        for (const [full, contents] of published) {
          const [filter, seen] = [view.filterOf(full), contents.filter((one) => isSeen(full, one, drawn))];
          const base = new TextDocument(Buffer.from(documentOf(full, contents)), 1_700_000_000_000);
          const document =
            filter === 'none'
              ? undefined
              : await viewed.provider(providerPath(full, 'stable'), full, base, { view, filter }, 1);
          expect(document?.bytes.toString()).toBe(seen.length === 0 ? undefined : documentOf(full, seen));
          const archives = new PackageArchives({
            format: 1,
            name: full,
            documents: { stable: null, dev: null },
            versions: contents.map(entryOf),
          });
          expect(
            contents.filter(
              (one) => filter !== 'none' && archives.find([normalizedOf(one)], undefined, filter) !== undefined,
            ),
          ).toEqual(seen);
        }
        const root = new TextDocument(
          Buffer.from(JSON.stringify({ 'available-packages': published.map(([full]) => full) })),
          1_700_000_000_000,
        );
        const { bytes } = await new ViewedRoots(filesOf(packages, root), cache).get(
          '',
          { built: root, base: root },
          view,
          1,
        );
        const names = published
          .filter(([full, contents]) => contents.some((one) => isSeen(full, one, drawn)))
          .map(([full]) => full);
        expect((JSON.parse(bytes.toString()) as Record<string, unknown>)['available-packages']).toEqual(names);
      }),
      { numRuns: 400 },
    );
  });
});
