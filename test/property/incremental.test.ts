// Tests that a build with a memory gives the tree of a build from nothing, after any series of edits. With refused
// changes of releases, the tree follows a short model. EDIT_RUNS=200 plays more series.

import { fc } from '../util/seeded-check.ts';
import { describe, expect, it } from 'vitest';
import { build } from '../../build/build.ts';
import { temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { publishedTree, publishedVersions, type PublishedVersions } from '../util/published-tree.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';

const numRuns = Number(process.env['EDIT_RUNS'] ?? 3);
/** time for a busy machine */
const timeout = 60_000 + numRuns * 5000;
const names = ['acme/one', 'acme/two', 'beta/three'] as const;
const releases = ['1.0.0', '1.1.0', '2.0.0-beta1'] as const;

type Edit =
  | { readonly kind: 'put' | 'remove'; readonly name: string; readonly version: string; readonly content: number }
  | { readonly kind: 'develop' | 'abandon'; readonly name: string; readonly content: number }
  | { readonly kind: 'spoil'; readonly name: string; readonly version: string; readonly content: number };

const name = fc.constantFrom(...names);
const version = fc.constantFrom(...releases);

const edit = (contents: number, spoil: boolean): fc.Arbitrary<Edit> => {
  const content = fc.nat({ max: contents - 1 });
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('put' as const), name, version, content }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('remove' as const), name, version, content: fc.constant(0) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('develop' as const), name, content: fc.nat({ max: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('abandon' as const), name, content: fc.constant(0) }) },
    {
      weight: spoil ? 2 : 0,
      arbitrary: fc.record({ kind: fc.constant('spoil' as const), name, version, content: fc.constant(0) }),
    },
  );
};

const folderOf = (change: Edit): string => `${change.name}/${'version' in change ? change.version : 'head'}`;

function applyEdit(source: TemporaryTree, change: Edit): void {
  const folder = folderOf(change);
  source.delete(folder);
  if (change.kind === 'remove' || change.kind === 'abandon') return;
  const label = 'version' in change ? change.version : undefined;
  const fields = change.kind === 'spoil' ? { require: { 'acme/one': '^^1' } } : {};
  const who = `${label ?? 'dev'} ${change.content}`;
  for (const [path, entry] of Object.entries(whoLibrary(change.name, label, fields, who)))
    source.write({ [`${folder}/${path}`]: entry });
}

/** Each build is one second later, so that no two document times are equal by chance. */
function builder(data: string, sources: readonly string[]) {
  let seconds = Date.UTC(2026, 0, 1) / 1000;
  return () =>
    build(
      {
        dataDirectory: data,
        baseDirectory: '/',
        arguments: sources,
        configured: undefined,
        fallback: undefined,
        forget: [],
        strict: false,
        allowRepublish: false,
        allowWithdraw: true,
        jobs: 1,
        metadataUrl: '/p2/%package%$%hash%.json',
        distBaseUrl: undefined,
      },
      {
        now: () => new Date((seconds += 1) * 1000),
        progress: () => undefined,
        environment: { PATH: process.env['PATH'] },
      },
    );
}

describe('incremental builds', () => {
  it('without refusals the tree after any series of edits is the tree of a clean build', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(edit(1, false), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
        async (rounds) => {
          await using folder = temporaryFolder('incremental');
          const source = temporaryTree({ 'acme/steady/1.0.0/composer.json': { json: { name: 'acme/steady' } } });
          try {
            const incremental = builder(folder.at('data'), [source.root]);
            for (const round of rounds) {
              for (const change of round) applyEdit(source, change);
              const { quarantined, failed } = await incremental();
              expect({ quarantined, failed }).toEqual({ quarantined: [], failed: [] });
            }
            await builder(folder.at('clean'), [source.root])();
            expect(publishedTree(folder.at('data'))).toEqual(publishedTree(folder.at('clean')));
          } finally {
            source.remove();
          }
        },
      ),
      { numRuns },
    );
  });

  it('every version has the content that a model of the rules predicts, also with refusals', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(edit(3, true), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
        async (rounds) => {
          await using folder = temporaryFolder('incremental');
          const source = temporaryTree({ 'acme/steady/1.0.0/composer.json': { json: { name: 'acme/steady' } } });
          try {
            const incremental = builder(folder.at('data'), [source.root]);
            const model = createModel();
            for (const round of rounds) {
              for (const change of round) {
                applyEdit(source, change);
                model.edit(change);
              }
              const report = await incremental();
              const expected = model.build();
              expect(report.quarantined.length).toBe(expected.refused);
              const found = publishedVersions(folder.at('data'));
              expect(Object.keys(found).sort()).toEqual(['acme/steady@1.0.0', ...expected.published.keys()].sort());
              model.recognize(found);
            }
          } finally {
            source.remove();
          }
        },
      ),
      { numRuns },
    );
  });
});

/**
 * The rules of decisions D6 and D8 in a few lines. The first published content identifies a version. A released version
 * never takes other content. A withdrawn version may return with the same bytes. Unpublishable content leaves its
 * version as it was.
 */
function createModel() {
  const wanted = new Map<string, { readonly content: string; readonly spoilt: boolean; readonly dev: boolean }>();
  const first = new Map<string, string>();
  let published = new Map<string, string>();
  const digests = new Map<string, string>();

  const keyOf = (change: Edit): string => `${change.name}@${'version' in change ? change.version : 'dev-main'}`;

  return {
    edit(change: Edit): void {
      if (change.kind === 'remove' || change.kind === 'abandon') wanted.delete(keyOf(change));
      else
        wanted.set(keyOf(change), {
          content: `${keyOf(change)} ${change.content}`,
          spoilt: change.kind === 'spoil',
          dev: change.kind === 'develop',
        });
    },
    build(): { readonly published: ReadonlyMap<string, string>; readonly refused: number } {
      const next = new Map<string, string>();
      let refused = 0;
      for (const [key, { content, spoilt, dev }] of wanted) {
        const before = published.get(key);
        const acceptable = !spoilt && (dev || (first.get(key) ?? content) === content);
        if (acceptable) {
          if (!dev) first.set(key, content);
          next.set(key, content);
        } else {
          refused += 1;
          if (before !== undefined) next.set(key, before);
        }
      }
      published = next;
      return { published, refused };
    },
    /** Equal contents have equal digests, and different contents different ones, so that the model needs no bytes. */
    recognize(found: PublishedVersions): void {
      for (const [key, content] of published) {
        const known = digests.get(content);
        const digest = `${found[key]?.reference} ${found[key]?.shasum}`;
        if (known !== undefined) expect(digest, content).toBe(known);
        digests.set(content, digest);
      }
      expect(new Set(digests.values()).size).toBe(digests.size);
    },
  };
}
