// Random steps in the life of a registry: edits in its sources, and operations of its operator.

import { fc } from './seeded-check.ts';
import type { TemporaryTree } from './package-tree.ts';
import { whoLibrary } from './who-library.ts';
import type { Wanted } from './version-model.ts';

export const sources = ['acme', 'beta'] as const;
export const names = ['acme/one', 'acme/two', 'beta/three'] as const;
export const releases = ['1.0.0', '1.1.0', '2.0.0-beta1'] as const;

/** An edit of one version of one package; undefined: of its branch. */
export interface Edit {
  readonly name: string;
  readonly version: string | undefined;
  readonly kind: 'put' | 'spoil' | 'remove';
  readonly content: number;
}

export type Step = {
  /** the time before it */
  readonly days: number;
  /** the machine loses its power at this operation on the disk, if there are that many */
  readonly cutOffAt: number | undefined;
} & (
  | { readonly kind: 'build'; readonly edits: readonly Edit[]; readonly unreadable: readonly string[] }
  /** `back`: the number of publications, as far as they are recorded */
  | { readonly kind: 'rollback'; readonly back: number }
  | { readonly kind: 'lift' }
  | { readonly kind: 'prune'; readonly keepDays: number }
  /** `pick`: selects one of the published versions */
  | { readonly kind: 'purge'; readonly pick: number }
);

const edit: fc.Arbitrary<Edit> = fc.record({
  name: fc.constantFrom(...names),
  version: fc.constantFrom(undefined, undefined, ...releases),
  kind: fc.constantFrom('put', 'put', 'put', 'put', 'spoil', 'remove', 'remove'),
  content: fc.nat({ max: 2 }),
});

const common = {
  days: fc.constantFrom(0, 0, 1, 50, 200),
  cutOffAt: fc.option(fc.integer({ min: 1, max: 120 }), { nil: undefined, freq: 5 }),
};

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('build' as const),
      edits: fc.array(edit, { maxLength: 6 }),
      unreadable: fc.oneof(
        { weight: 5, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.subarray([...sources]) },
      ),
      ...common,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('rollback' as const), back: fc.integer({ min: 1, max: 3 }), ...common }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('lift' as const), ...common }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('prune' as const), keepDays: fc.constantFrom(0, 0, 30, 180), ...common }),
  },
);

/** Separate from the others, so that the seeds of their series keep their meaning. */
export const purgeStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('purge' as const),
  pick: fc.nat({ max: 11 }),
  ...common,
});

export const keyOf = ({ name, version }: Pick<Edit, 'name' | 'version'>): string => `${name}@${version ?? 'dev-main'}`;
export const sourceOf = (name: string): string => name.split('/')[0] ?? '';

/** The text in a record's description that identifies the published content. */
const contentOf = (change: Edit): string => `${keyOf(change)} ${change.content}`;

export const wantedOf = (change: Edit): Wanted | undefined =>
  change.kind === 'remove'
    ? undefined
    : { content: contentOf(change), spoilt: change.kind === 'spoil', dev: change.version === undefined };

export function applyEdit(tree: TemporaryTree, change: Edit): void {
  const folder = `${change.name}/${change.version ?? 'head'}`;
  tree.delete(folder);
  if (change.kind === 'remove') return;
  const fields = {
    description: contentOf(change),
    ...(change.kind === 'spoil' ? { require: { 'acme/one': '^^1' } } : {}),
  };
  for (const [path, entry] of Object.entries(whoLibrary(change.name, change.version, fields, contentOf(change))))
    tree.write({ [`${folder}/${path}`]: entry });
}
