// Roles from the claims of identity providers: where the groups are, which role wins, and who gets none.

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import { roles } from '../../../../../proxy/auth/permissions.ts';
import type { Role } from '../../../../../proxy/core/tokens/person.ts';
import { roleOfClaims, type RoleDecision } from '../../../../../proxy/sso/accounts/role-of-claims.ts';
import { fc } from '../../../../util/seeded-check.ts';

const mapping = { ops: 'admin', developers: 'maintainer', everyone: 'viewer' } as const;

function decide(claims: JsonObject, claim = 'groups', table: Readonly<Record<string, Role>> = mapping): RoleDecision {
  return roleOfClaims(claims, { claim, roles: table });
}

describe('where the groups are', () => {
  it.each<[string, string, JsonObject]>([
    ['a list', 'groups', { groups: ['developers', 'others'] }],
    ['one text', 'groups', { groups: 'developers' }],
    ['realm roles of Keycloak', 'realm_access.roles', { realm_access: { roles: ['developers'] } }],
    [
      'client roles of Keycloak, whose client has a dot in its name',
      'resource_access.packages.example.org.roles',
      { resource_access: { 'packages.example.org': { roles: ['developers'] } } },
    ],
    ['a name that is an address', 'https://acme.example/groups', { 'https://acme.example/groups': ['developers'] }],
    ['a name with dots', 'acme.groups', { 'acme.groups': ['developers'], acme: { groups: ['ops'] } }],
    ['a JSON Pointer', '/realm_access/roles', { realm_access: { roles: ['developers'] } }],
    ['a JSON Pointer with escapes', '/a~1b/c~0d', { 'a/b': { 'c~d': ['developers'] } }],
    ['a name that begins with a slash', '/groups', { '/groups': ['developers'], groups: ['ops'] }],
    ['a list with other values', 'groups', { groups: [7, null, { name: 'ops' }, ['ops'], 'developers'] }],
  ])('finds %s', (_, claim, claims) => {
    expect(decide(claims, claim)).toEqual({ role: 'maintainer' });
  });

  it.each<[string, JsonObject, string?]>([
    ['is missing', { email: 'ada@example.org' }],
    ['is null', { groups: null }],
    ['is a number', { groups: 3 }],
    ['is an object', { groups: { ops: true } }],
    ['has a path through a list', { realm_access: [{ roles: ['ops'] }] }, 'realm_access.0.roles'],
    ['has a path through a text', { realm_access: 'ops' }, 'realm_access.roles'],
    ['is a property of every object', {}, 'constructor.name'],
    ['is a property of every object, as a pointer', {}, '/constructor/name'],
  ])('refuses a claim that %s', (_, claims, claim) => {
    expect(decide(claims, claim)).toEqual({ refused: 'no-claim', found: [] });
  });
});

describe('groups that the provider left out', () => {
  it.each<[JsonObject, string?]>([
    [{ _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example/' } } }],
    [{ hasgroups: true }],
    [{ hasgroups: 'true' }, '/groups'],
    [{ _claim_names: { wids: 'src1' } }, 'wids'],
  ])('%j is named as too many', (claims, claim) => {
    expect(decide(claims, claim)).toEqual({ refused: 'too-many-groups', found: [] });
  });

  it.each<[string, JsonObject, string?]>([
    ['other groups were left out', { _claim_names: { groups: 'src1' }, hasgroups: true }, 'roles'],
    ['hasgroups is false', { hasgroups: false }],
    ['_claim_names is a text', { _claim_names: 'groups' }],
    ['the name is a property of every object', { _claim_names: {} }, 'constructor'],
  ])('the claim alone is missing if %s', (_, claims, claim) => {
    expect(decide(claims, claim)).toEqual({ refused: 'no-claim', found: [] });
  });

  it('application roles count although the groups were left out', () => {
    expect(decide({ roles: ['ops'], _claim_names: { groups: 'src1' } }, 'roles')).toEqual({ role: 'admin' });
  });
});

describe('which role', () => {
  it.each<[readonly string[], Role]>([
    [['everyone', 'developers', 'ops'], 'admin'],
    [['everyone', 'developers'], 'maintainer'],
    [['unknown', 'everyone'], 'viewer'],
  ])('the groups %j give %s', (groups, role) => {
    expect(decide({ groups })).toEqual({ role });
  });

  it.each([
    [['guests'], ['guests']],
    [[], []],
    [
      ['Ops', ' ops', '/ops', 'guests', 'guests'],
      ['Ops', ' ops', '/ops', 'guests'],
    ],
    [
      ['constructor', '__proto__', 'toString'],
      ['constructor', '__proto__', 'toString'],
    ],
  ])('the groups %j give none', (groups, found) => {
    expect(decide({ groups })).toEqual({ refused: 'no-mapped-group', found });
  });

  it('without a mapping nobody gets in', () => {
    expect(decide({ groups: ['ops'] }, 'groups', {})).toEqual({ refused: 'no-mapped-group', found: ['ops'] });
  });
});

/** How a provider carries the groups, and the claim of the rule. */
const shapes: Readonly<Record<string, { claim: string; wrap: (groups: readonly string[]) => JsonObject }>> = {
  list: { claim: 'groups', wrap: (groups) => ({ groups }) },
  'realm roles': { claim: 'realm_access.roles', wrap: (groups) => ({ realm_access: { roles: groups } }) },
  pointer: { claim: '/a/b', wrap: (groups) => ({ a: { b: groups } }) },
  address: { claim: 'https://acme.example/roles', wrap: (groups) => ({ 'https://acme.example/roles': groups }) },
  'one text': { claim: 'groups', wrap: ([first]) => (first === undefined ? {} : { groups: first }) },
  'left out': { claim: 'groups', wrap: () => ({ _claim_names: { groups: 'src1' } }) },
  missing: { claim: 'groups', wrap: () => ({ email: 'ada@example.org' }) },
};

const names = ['a', 'b', 'c', 'd', 'e', '__proto__', 'constructor'] as const;

/** The rule in other words: walks the roles from the lowest, and each group that has one raises it. */
function expected(shape: string, groups: readonly string[], table: ReadonlyMap<string, Role>): string {
  const one = shape === 'one text';
  if (shape === 'left out') return 'too-many-groups';
  if (shape === 'missing' || (one && groups.length === 0)) return 'no-claim';
  const seen = one ? groups.slice(0, 1) : groups;
  let answer = 'no-mapped-group';
  for (const role of ['viewer', 'maintainer', 'admin'] as const)
    if (seen.some((group) => table.get(group) === role)) answer = role;
  return answer;
}

it('gives what a model gives, for each shape, each set of groups and each mapping', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(shapes)),
      fc.uniqueArray(fc.constantFrom(...names)),
      fc.uniqueArray(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...roles)), { selector: ([name]) => name }),
      (shape, groups, rows) => {
        const { claim, wrap } = shapes[shape]!;
        const table = Object.fromEntries(rows);
        const decision = decide(wrap(groups), claim, table);
        expect('role' in decision ? decision.role : decision.refused).toBe(expected(shape, groups, new Map(rows)));
      },
    ),
    { numRuns: Number(process.env['SERIES_RUNS'] ?? 300) },
  );
});
