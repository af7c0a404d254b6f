// Tests the parser of a token's limits: the canonical form, and all refused values.

import { describe, expect, it } from 'vitest';
import { parseLimits, type TokenLimits } from '../../../../../proxy/core/views/token-limits.ts';
import type { FieldFault } from '../../../../../build/contract/errors.ts';

function parsed(given: Readonly<Record<string, unknown>>): Partial<TokenLimits> {
  const result = parseLimits(given);
  if ('issues' in result) throw new Error(JSON.stringify(result.issues));
  return result.limits;
}

function issues(given: Readonly<Record<string, unknown>>): readonly string[] {
  const result = parseLimits(given);
  return 'issues' in result ? result.issues.map(({ path }: FieldFault) => path) : [];
}

describe('the limits of a token', () => {
  it('have one canonical form, however they are written', () => {
    expect(
      parsed({
        packages: ['Tools/CLI', 'acme/*', 'tools/cli'],
        constraints: { 'Acme/Core': ' <3.0 ' },
        stability: 'rc',
        not_after: '2027-01-31',
        networks: ['203.0.113.7/24', '2001:DB8::1', '::ffff:10.1.2.0/120'],
      }),
    ).toEqual({
      packages: ['acme/*', 'tools/cli'],
      constraints: { 'acme/core': '<3.0' },
      stability: 'RC',
      not_after: '2027-01-31T23:59:59.999Z',
      networks: ['10.1.2.0/24', '2001:db8::1/128', '203.0.113.0/24'],
    });
  });

  it('accept a time with an offset as that instant, and null as no limit', () => {
    expect(parsed({ not_after: '2027-01-31T12:00:00+02:00' })).toEqual({ not_after: '2027-01-31T10:00:00.000Z' });
    expect(parsed({ packages: null, constraints: null, stability: null, not_after: null, networks: null })).toEqual({
      packages: null,
      constraints: null,
      stability: null,
      not_after: null,
      networks: null,
    });
    expect(parsed({})).toEqual({});
  });

  it.each(
    [
      [
        'acme',
        'acme*',
        '',
        '/',
        'acme/',
        '/core',
        'acme/core/x',
        'acme/co re',
        'acme/core\n',
        'acme/core:1',
        '**',
        'äcme/x',
        `${'a'.repeat(101)}/x`,
      ].map((text) => ({ packages: [text] })),
      [[], {}, 'acme/*', 7, true, [7], Array.from({ length: 1001 }, (_, at) => `a/${at}`)].map((packages) => ({
        packages,
      })),
      [
        {},
        [],
        'x',
        { acme: '1' },
        { 'acme/x': '' },
        { 'acme/x': 'self.version' },
        { 'acme/x': 'frog' },
        { 'acme/x': '~>1' },
        { 'acme/x': 'dev-main#abc' },
        { 'acme/x': '1.0 as 2.0' },
        { 'acme/x': 7 },
        { 'acme/x': `^1${' || ^1'.repeat(50)}` },
        { 'acme/x': '1', 'Acme/X': '2' },
      ].map((constraints) => ({ constraints })),
      ['', 'stabel', 'patch', 7, []].map((stability) => ({ stability })),
      [
        '2027-02-30',
        '2027-13-01',
        '2027-02-30T00:00:00Z',
        '2027-01-31 12:00',
        '2027-01-31T12:00:00',
        '2027-01-31T25:00:00Z',
        'tomorrow',
        '90d',
        1_800_000_000,
        '',
      ].map((not_after) => ({ not_after })),
      [
        '10.0.0.0/33',
        '10.0.0',
        '010.0.0.1',
        '10.0.0.1/-1',
        'localhost',
        '::1%lo',
        '::/129',
        '::ffff:0:0/90',
        '0x7f.0.0.1',
        '10.0.0.0/8 ',
        '',
      ].map((text) => ({ networks: [text] })),
    ].flat(),
  )('refuse %j', (given) => {
    expect(issues(given)).not.toEqual([]);
  });

  it('are refused with every wrong entry named', () => {
    expect(
      issues({
        packages: ['acme/*', 'nope', 'also'],
        constraints: { 'acme/x': '^1', 'acme/y': 'frog', zzz: '1' },
        stability: 'x',
        not_after: 'x',
        networks: ['10.0.0.0/8', 'x'],
      }),
    ).toEqual([
      'packages.1',
      'packages.2',
      'constraints.acme/y',
      'constraints.zzz',
      'stability',
      'not_after',
      'networks.1',
    ]);
  });
});
