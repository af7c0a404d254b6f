// Tests what happens with a repository of a forge's list, for each state in which it can be.

import { describe, expect, it } from 'vitest';
import {
  decideRepository,
  recheckMs,
  wantedNames,
  type Selection,
} from '../../../../../proxy/forges/model/decide-repository.ts';
import type { OwnerName, RepositoryPath } from '../../../../../proxy/forges/model/forge-name.ts';
import type { ForgeRepository, ListedRepository } from '../../../../../proxy/forges/model/forge-repository.ts';
import type { ForgeId } from '../../../../../proxy/sync/forge-place.ts';
import type { RepositoryId } from '../../../../../proxy/sync/repository.ts';

const nowMs = Date.parse('2026-11-23T12:00:00Z');
const listed: ForgeRepository = {
  id: '7' as ForgeId,
  path: 'acme/tool' as RepositoryPath,
  isArchived: false,
  isFork: false,
  branch: 'main',
  stamp: 'monday',
};
const skipped: ListedRepository = {
  id: listed.id,
  path: listed.path,
  state: 'skipped',
  reason: 'no_composer_json',
  repository: null,
  package: null,
  stamp: 'monday',
  checked_at: '2026-11-23T11:00:00.000Z',
  hook: false,
};
const registered: ListedRepository = {
  ...skipped,
  state: 'registered',
  reason: null,
  repository: 'repo_0123456789abcdef' as RepositoryId,
  package: 'acme/tool',
};

function decide(
  change: Partial<ForgeRepository>,
  seen?: ListedRepository,
  { forks = false, wanted = true, at = nowMs } = {},
): readonly unknown[] {
  return decideRepository({ ...listed, ...change }, seen, () => wanted, { forks, nowMs: at });
}

describe('a listed repository', () => {
  it('is inspected when it is new', () => {
    expect(decide({})).toEqual([{ step: 'inspect' }]);
  });

  it.each([
    ['archived', { isArchived: true }, {}],
    ['a fork', { isFork: true }, {}],
    ['empty', { branch: undefined }, {}],
    ['filtered', {}, { wanted: false }],
  ])('is not inspected when it is %s', (_name, change, options) => {
    expect(decide(change, undefined, options)).toEqual([{ step: 'skip', reason: expect.any(String) as string }]);
  });

  it('is inspected as a fork of a connection with forks', () => {
    expect(decide({ isFork: true }, undefined, { forks: true })).toEqual([{ step: 'inspect' }]);
  });

  it('is inspected again after a push, a rename, or a day', () => {
    expect(decide({}, skipped)).toEqual([]);
    expect(decide({ stamp: 'tuesday' }, skipped)).toEqual([{ step: 'inspect' }]);
    expect(decide({ path: 'acme/other' as RepositoryPath }, skipped)).toEqual([{ step: 'inspect' }]);
    expect(decide({}, skipped, { at: Date.parse(skipped.checked_at) + recheckMs })).toEqual([{ step: 'inspect' }]);
  });

  it('is inspected when the reason of the list is over', () => {
    expect(decide({}, { ...skipped, reason: 'archived' })).toEqual([{ step: 'inspect' }]);
    expect(decide({}, { ...skipped, reason: 'unreadable' })).toEqual([{ step: 'inspect' }]);
  });

  it('stays out when a person has removed it from this registry', () => {
    expect(decide({ stamp: 'tuesday' }, { ...skipped, reason: 'unregistered' })).toEqual([]);
  });
});

describe('a registered repository', () => {
  it('needs nothing while nothing changes, also when a filter excludes it now', () => {
    expect(decide({ stamp: 'tuesday' }, registered)).toEqual([]);
    expect(decide({}, registered, { wanted: false })).toEqual([]);
  });

  it('keeps its identity when its name changes', () => {
    const to = 'acme/toolbox' as RepositoryPath;
    expect(decide({ path: to }, registered)).toEqual([{ step: 'rename', from: 'acme/tool', to }]);
  });

  it('is reported when it is archived or back, and never removed', () => {
    expect(decide({ isArchived: true }, registered)).toEqual([{ step: 'archive' }]);
    expect(decide({ isArchived: true }, { ...registered, state: 'archived' })).toEqual([]);
    expect(decide({}, { ...registered, state: 'archived' })).toEqual([{ step: 'return' }]);
    expect(decide({}, { ...registered, state: 'removed' })).toEqual([{ step: 'return' }]);
  });
});

describe('the filter of a connection', () => {
  const wanted = (selection: Partial<Selection>, path: string): boolean =>
    wantedNames({ only: [], except: [], forks: false, ...selection }, 'Acme/PHP' as OwnerName)(path as RepositoryPath);

  it('matches names without their owner, in any case', () => {
    expect(wanted({}, 'acme/php/tool')).toBe(true);
    expect(wanted({ only: ['to*'] }, 'acme/php/Tool')).toBe(true);
    expect(wanted({ only: ['acme/*'] }, 'acme/php/tool')).toBe(false);
    expect(wanted({ only: ['sub/*'] }, 'acme/php/sub/tool')).toBe(true);
    expect(wanted({ only: ['*'], except: ['*-old'] }, 'acme/php/tool-old')).toBe(false);
  });
});
