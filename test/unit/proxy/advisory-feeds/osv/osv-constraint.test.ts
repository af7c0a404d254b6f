// Tests the affected versions of OSV advisories as constraints of Composer, as a table: what is written, and which
// versions it affects.

import { describe, expect, it } from 'vitest';
import { matches, parseConstraint } from '../../../../../build/contract/constraint.ts';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import { normalizeVersion } from '../../../../../build/contract/version.ts';
import { constraintOf } from '../../../../../proxy/advisory-feeds/osv/osv-constraint.ts';

const range = (...events: readonly JsonObject[]): JsonObject => ({ ranges: [{ type: 'ECOSYSTEM', events }] });
const affects = (constraint: string, version: string): boolean => {
  const [parsed, normalized] = [parseConstraint(constraint), normalizeVersion(version)];
  if (!('constraint' in parsed) || normalized === undefined)
    throw new Error(`${constraint} or ${version} is malformed`);
  return matches(parsed.constraint, normalized);
};

interface Case {
  readonly title: string;
  readonly affected: readonly JsonObject[];
  readonly constraint: string;
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

const cases: readonly Case[] = [
  {
    title: 'everything before the fix',
    affected: [range({ introduced: '0' }, { fixed: '1.2.3' })],
    constraint: '<1.2.3',
    yes: ['0.1.0', '1.2.2', '1.0.0-beta1'],
    no: ['1.2.3', '2.0.0', 'dev-main'],
  },
  {
    title: 'from a version until the fix',
    affected: [range({ introduced: '1.0.0' }, { fixed: '1.2.3' })],
    constraint: '>=1.0.0,<1.2.3',
    yes: ['1.0.0', '1.2.2'],
    no: ['0.9.9', '1.2.3'],
  },
  {
    title: 'two stretches of one range, in any order of its events',
    affected: [range({ introduced: '3.0.0' }, { fixed: '1.0.2' }, { introduced: '1.0.0' }, { fixed: '3.2.5' })],
    constraint: '>=1.0.0,<1.0.2 || >=3.0.0,<3.2.5',
    yes: ['1.0.1', '3.2.4'],
    no: ['0.9.0', '1.0.2', '2.0.0', '3.2.5'],
  },
  {
    title: 'until the last affected version, and with it',
    affected: [range({ introduced: '0' }, { last_affected: '2.1.214' })],
    constraint: '<=2.1.214',
    yes: ['2.1.214', '1.0.0'],
    no: ['2.1.215'],
  },
  {
    title: 'one version',
    affected: [range({ introduced: '2.0.0' }, { last_affected: '2.0.0' })],
    constraint: '>=2.0.0,<=2.0.0',
    yes: ['2.0.0'],
    no: ['1.9.9', '2.0.1'],
  },
  {
    title: 'everything, branches too',
    affected: [range({ introduced: '0' })],
    constraint: '*',
    yes: ['1.0.0', 'dev-main'],
    no: [],
  },
  {
    title: 'everything from a version on',
    affected: [range({ introduced: 'v2.0' })],
    constraint: '>=v2.0',
    yes: ['2.0.0', '9.0.0'],
    no: ['1.9.0'],
  },
  {
    title: 'everything below the highest limit',
    affected: [range({ introduced: '1.0.0' }, { limit: '1.5.0' }, { limit: '2.0.0' })],
    constraint: '>=1.0.0,<2.0.0',
    yes: ['1.0.0', '1.9.9'],
    no: ['2.0.0'],
  },
  {
    title: 'no limit where one of them is endless',
    affected: [range({ introduced: '0' }, { limit: '2.0.0' }, { limit: '*' })],
    constraint: '*',
    yes: ['3.0.0'],
    no: [],
  },
  {
    title: 'listed versions alone, where the range names commits',
    affected: [{ versions: ['1.0.0', 'v1.1.0'], ranges: [{ type: 'GIT', events: [{ introduced: '0' }] }] }],
    constraint: '1.0.0.0 || 1.1.0.0',
    yes: ['1.0.0', '1.1.0'],
    no: ['1.2.0'],
  },
  {
    title: 'listed versions that the range does not contain, such as branches and release candidates of the fix',
    affected: [
      { versions: ['1.0.0', '1.1.0', '1.2.0-RC1', 'dev-main'], ...range({ introduced: '0' }, { fixed: '1.2.0' }) },
    ],
    constraint: '<1.2.0 || 1.2.0.0-RC1 || dev-main',
    yes: ['1.1.0', '1.2.0-RC1', 'dev-main'],
    no: ['1.2.0-RC2', '1.2.0', 'dev-other'],
  },
  {
    title: 'the listed versions, where a bound is no version',
    affected: [{ versions: ['1.0.0', 'rubbish!'], ...range({ introduced: '0' }, { fixed: 'next release' }) }],
    constraint: '1.0.0.0',
    yes: ['1.0.0'],
    no: ['1.0.1'],
  },
  {
    title: 'the ranges of several entries about the package, each once',
    affected: [
      range({ introduced: '0' }, { fixed: '1.0' }),
      range({ introduced: '0' }, { fixed: '1.0' }),
      range({ introduced: '2.0' }),
    ],
    constraint: '<1.0 || >=2.0',
    yes: ['0.5.0', '2.0.0'],
    no: ['1.0.0'],
  },
  {
    title: 'a range of semantic versions',
    affected: [{ ranges: [{ type: 'SEMVER', events: [{ introduced: '1.0.0-alpha' }, { fixed: '1.0.1' }] }] }],
    constraint: '>=1.0.0-alpha,<1.0.1',
    yes: ['1.0.0-alpha', '1.0.0'],
    no: ['1.0.1'],
  },
  {
    title: 'both events of one object',
    affected: [range({ introduced: '1.0.0', fixed: '1.1.0' })],
    constraint: '>=1.0.0,<1.1.0',
    yes: ['1.0.0'],
    no: ['1.1.0'],
  },
];

describe('the affected versions of an OSV advisory', () => {
  it.each(cases)('are $title', ({ affected, constraint, yes, no }) => {
    expect(constraintOf(affected)).toEqual({ constraint });
    expect(yes.filter((version) => !affects(constraint, version))).toEqual([]);
    expect(no.filter((version) => affects(constraint, version))).toEqual([]);
  });

  it.each<[string, readonly JsonObject[]]>([
    ['names no version that is affected', []],
    ['names no version that is affected', [range({ introduced: '1.0.0' }, { fixed: '1.0.0' })]],
    ['names commits', [{ ranges: [{ type: 'GIT', events: [{ introduced: '0' }] }] }]],
    ['unknown type', [{ ranges: [{ type: 'ROMAN', events: [{ introduced: 'IV' }] }] }]],
    ['no version', [range({ introduced: '0' }, { fixed: '1.0 || >0' })]],
    ['no version', [range({ introduced: '0' }, { fixed: 'dev-main' })]],
    ['no version', [range({ introduced: '0' }, { fixed: 17 })]],
    ['no version', [{ ranges: [{ type: 'ECOSYSTEM', events: ['x'] }] }]],
    ['does not say where it begins', [range({ fixed: '1.0.0' })]],
    ['does not say where it begins', [{ ranges: [{ type: 'ECOSYSTEM', events: 'x' }] }]],
    ['more than 1000 events', [range(...Array.from({ length: 1001 }, () => ({ introduced: '0' })))]],
    ['more than 16384 characters', [{ versions: Array.from({ length: 3000 }, (_, at) => `1.${at}.0`) }]],
    ['more than 20000 versions', [{ versions: Array.from({ length: 20_001 }, () => '1.0') }]],
  ])('are unknown if it %s', (reason, affected) => {
    expect(constraintOf(affected)).toEqual({ refusal: expect.stringContaining(reason) });
  });
});
