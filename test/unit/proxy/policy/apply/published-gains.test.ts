// Tests which of our own releases gained something: a folder that keeps only its newest version withdraws the one before
// with each publication.

import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import type { IndexEntry } from '../../../../../build/contract/serving-index.ts';
import { holdOf } from '../../../../../proxy/policy/judge/held-releases.ts';
import { publishedGains } from '../../../../../proxy/policy/apply/published-gains.ts';

const at = (second: number, fraction = ''): string => `2026-11-30T10:00:${second}${fraction}`;
const record = (patch: number, second: number, files: readonly string[]): JsonObject => ({
  name: 'acme/app',
  version: `1.0.${patch}`,
  version_normalized: `1.0.${patch}.0`,
  'published-time': at(second, '+00:00'),
  autoload: { files: [...files] },
  dist: { reference: `${patch}`.repeat(40) },
});
const withdrawn = (patch: number, first: string, since: string, file: string): IndexEntry =>
  ({
    version: `1.0.${patch}`,
    version_normalized: `1.0.${patch}.0`,
    reference: `${patch}`.repeat(40),
    state: 'withdrawn',
    since,
    first_published: first,
    facts: { can: [`autoload-file ${file}`] },
  }) as unknown as IndexEntry;
const heldOf = (records: readonly JsonObject[], entries: readonly IndexEntry[]): string | undefined =>
  holdOf({}, publishedGains(records, entries), [], '1.0.3.0', Date.parse(at(59, 'Z')))?.because;

/** Each publication replaces the release before: in one moment, which a record has in whole seconds. */
const replaced = (file: string): readonly IndexEntry[] => [
  withdrawn(2, at(20, '.345Z'), at(30, '.456Z'), file),
  withdrawn(1, at(10, '.234Z'), at(20, '.345Z'), file),
  withdrawn(0, at(0, '.123Z').replace(':0.', ':00.'), at(10, '.234Z'), file),
];

it('a release that can do what the releases could that it replaced is free', () => {
  expect(heldOf([record(3, 30, ['a.php'])], replaced('a.php'))).toBeUndefined();
});

it('a release that can do more than the release that it replaced is held', () => {
  expect(heldOf([record(3, 30, ['a.php', 'b.php'])], replaced('a.php'))).toContain('b.php');
});
