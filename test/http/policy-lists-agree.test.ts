// I26. Tests that metadata and archives of mirrored packages say the same of lists, while these appear, are cleared, or
// cannot be read, for rules of all tokens and of one.

import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listed, listedRow, malware, one } from '../util/listed-versions.ts';
import { policedRegistry, type PolicedRegistry } from '../util/policed-registry.ts';
import type { UpstreamVersion } from '../util/upstream.ts';

const advisories = { name: 'advisories', rule: 'advisories', action: 'block' };
const licences = { name: 'licences', rule: 'license', allow: ['MIT'], action: 'block' };
const advisory = {
  advisoryId: 'TEST-1',
  packageName: 'some/lib',
  affectedVersions: '*',
  title: 'A hole',
  cve: null,
  severity: 'high',
  reportedAt: '2020-01-01T00:00:00+00:00',
  sources: [],
};

let registry: PolicedRegistry;
beforeEach(async () => {
  registry = await policedRegistry();
  registry.tree.put('acme/app', []);
  registry.tree.publish();
});
afterEach(() => registry[Symbol.asyncDispose]());

const status = async (version: string): Promise<number> => (await registry.get(`/dist/some/lib/${version}.zip`)).status;
const publish = (versions: readonly UpstreamVersion[], beside: Readonly<Record<string, unknown>> = {}): void => {
  registry.upstream.put('some/lib', versions, beside);
  registry.clock.nowMs += 700_000;
};
const seen = async (): Promise<readonly unknown[]> => [
  await registry.offered('some/lib'),
  await registry.offered('some/lib', 'reader', true),
  await status('1.0.0'),
  await status('dev-main'),
];

describe('metadata and archives', () => {
  const versions = [one('1.0.0'), one('dev-main')];
  const all = [['1.0.0'], ['dev-main'], 200, 200];

  it.each([
    ['of all tokens', {}, []],
    ['of one token', { tokens: ['tok_reader'] }, []],
  ])('follow a list that appears and is cleared, by a rule %s', async (_, tokens, noBranch) => {
    registry.setPolicy({ rules: [{ ...malware, ...tokens }] });
    publish(versions);
    expect(await seen()).toEqual(all);
    for (const round of [1, 2]) {
      publish(versions, listed);
      expect(await seen(), `${round}`).toEqual([[], noBranch, 410, 410]);
      publish(versions);
      expect(await seen(), `${round}`).toEqual(all);
    }
  });

  it('follow it for a package without releases, and after damage of its last lists', async () => {
    registry.setPolicy({ rules: [malware] });
    const branch = async (): Promise<unknown> => [
      await registry.offered('some/lib', 'reader', true),
      await status('dev-main'),
    ];
    publish([one('dev-main')]);
    expect(await branch()).toEqual([['dev-main'], 200]);
    publish([one('dev-main')], listed);
    expect(await branch()).toEqual([[], 410]);
    const file = registry.mirror.folder.at('mirror/lists/some/lib.json');
    writeFileSync(file, readFileSync(file).subarray(0, 40));
    publish([one('dev-main')]);
    expect(await branch()).toEqual([['dev-main'], 200]);
  });

  it('offer a package that is no longer abandoned', async () => {
    registry.setPolicy({ rules: [{ name: 'dead', rule: 'abandoned', action: 'block' }] });
    publish([one('1.0.0', { abandoned: true })]);
    expect(await status('1.0.0')).toBe(410);
    registry.setPolicy({ rules: [] });
    expect(await status('1.0.0')).toBe(200);
    registry.setPolicy({ rules: [{ name: 'dead', rule: 'abandoned', action: 'block' }] });
    expect([await registry.offered('some/lib'), await status('1.0.0')]).toEqual([[], 410]);
    publish([one('1.0.0')]);
    expect([await registry.offered('some/lib'), await status('1.0.0')]).toEqual([['1.0.0'], 200]);
  });

  it('judge an accepted archive by its own licence', async () => {
    publish([one('1.0.0', { license: ['GPL-3.0-only'] }), one('dev-main')]);
    expect(await seen()).toEqual(all);
    registry.setPolicy({ rules: [licences] });
    publish([one('1.0.0'), one('dev-main', { license: ['GPL-3.0-only'] })]);
    expect(await seen()).toEqual([[], ['dev-main'], 410, 200]);
  });

  it('need no document of releases where no rule about the package reads lists', async () => {
    registry.setPolicy({
      rules: [licences, { ...malware, packages: ['other/*'] }, { ...malware, name: 'w', action: 'warn' }],
    });
    publish(versions);
    registry.upstream.instead('/p2/some/lib.json', (_, response) => void response.writeHead(503).end());
    expect([await registry.offered('some/lib', 'reader', true), await status('dev-main')]).toEqual([['dev-main'], 200]);
  });
});

it.each([
  ['a list that is an object', { filter: { malware: { 0: listedRow } } }],
  ['a list that is a text', { filter: { malware: 'x' } }],
  ['lists that are a text', { filter: 'x' }],
  ['lists that are rows', { filter: [listedRow] }],
  ['a row without versions', { filter: { malware: [{ reason: 'it phones home' }] } }],
  ['a row with unreadable versions', { filter: { malware: [{ ...listedRow, constraint: '>>>?!' }] } }],
  ['advisories that are an object', { 'security-advisories': { 0: advisory } }],
  ['an advisory without versions', { 'security-advisories': [{ ...advisory, affectedVersions: null }] }],
])('%s unblocks nothing, and is told', async (_, beside) => {
  registry.setPolicy({ rules: [malware, advisories] });
  publish([one('1.0.0')]);
  expect(await status('1.0.0')).toBe(200);
  publish([one('1.0.0')], 'filter' in beside ? listed : { 'security-advisories': [advisory] });
  expect(await status('1.0.0')).toBe(410);
  publish([one('1.0.0')], beside);
  expect([await registry.offered('some/lib'), await status('1.0.0')]).toEqual([[], 410]);
  expect(registry.mirror.of('lists-unreadable').length).toBeGreaterThan(0);
  publish([one('1.0.0')]);
  expect([await registry.offered('some/lib'), await status('1.0.0')]).toEqual([['1.0.0'], 200]);
});
