// Tests the alias of a branch, a numbered version, as Composer's loader determines it.

import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../../build/contract/json.ts';
import { branchAliasOf } from '../../../../build/record/branch-alias.ts';

const withAlias = (aliases: JsonObject): JsonObject => ({ extra: { 'branch-alias': aliases } });

describe('branchAliasOf', () => {
  it.each([
    ['dev-main', { 'dev-main': '2.x-dev' }, false, '2.9999999.9999999.9999999-dev'],
    ['dev-main', { 'dev-MAIN': '2.1.x-dev' }, true, '2.1.9999999.9999999-dev'],
    ['dev-main', { 'dev-main': '9999999-dev' }, false, '9999999-dev'],
    ['dev-main', { 'dev-other': '2.x-dev' }, false, undefined],
    ['dev-main', { 'dev-main': '2.x' }, false, undefined],
    ['dev-main', { 'dev-main': 'feature-dev' }, false, undefined],
    ['dev-main', {}, true, '9999999-dev'],
    ['1.x-dev', { '1.x-dev': '1.5.x-dev' }, false, '1.5.9999999.9999999-dev'],
    ['1.x-dev', { '1.x-dev': '2.x-dev' }, false, undefined],
    ['v1.x-dev', {}, true, undefined],
    ['1.0.0', { '1.0.0': '2.x-dev' }, true, undefined],
  ])('the alias of %s with %j, default branch %s, is %s', (version, aliases, defaultBranch, expected) => {
    expect(branchAliasOf(withAlias(aliases), version, defaultBranch)).toBe(expected);
  });

  it('aliases that are no object are ignored', () => {
    expect(branchAliasOf({ extra: [] }, 'dev-main', false)).toBeUndefined();
    expect(branchAliasOf({ extra: { 'branch-alias': ['2.x-dev'] } }, 'dev-main', false)).toBeUndefined();
  });
});
