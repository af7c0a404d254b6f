// I26. Tests that what an upstream does never unblocks a version: it is slow, removes a package that it listed as
// malware, or rewrites a record. And a warning names no version that the token does not see.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listed, malware, one } from '../util/listed-versions.ts';
import { policedRegistry, type PolicedRegistry } from '../util/policed-registry.ts';

let registry: PolicedRegistry;
beforeEach(async () => {
  registry = await policedRegistry({
    old: { constraints: { 'some/lib': '<2.0' } },
    newest: { constraints: { 'some/*': '^3.0' } },
    alike: { constraints: { 'some/lib': '<2.0' } },
  });
  registry.tree.put('acme/app', []);
  registry.tree.publish();
});
afterEach(() => registry[Symbol.asyncDispose]());

const status = async (version: string, token?: string): Promise<number> =>
  (await registry.get(`/dist/some/lib/${version}.zip`, token)).status;
/** Every later document comes after three seconds. */
const slowDown = (): void =>
  registry.upstream.instead('/p2/some/lib.json', (_, response) => {
    setTimeout(() => response.writeHead(503).end(), 3000);
  });
const later = (ms: number): void => {
  registry.clock.nowMs += ms;
};

describe('a stored archive stays blocked', () => {
  it.each([
    ['malware', malware, {}, listed],
    ['abandoned', { name: 'dead', rule: 'abandoned', action: 'block' }, { abandoned: true }, {}],
  ])('while its upstream is slow: %s', async (_, rule, marked, beside) => {
    registry.upstream.put('some/lib', [one('1.0.0')]);
    expect(await status('1.0.0')).toBe(200);
    registry.upstream.put('some/lib', [one('1.0.0', marked)], beside);
    later(700_000);
    registry.setPolicy({ rules: [rule] });
    expect(await status('1.0.0')).toBe(410);
    slowDown();
    later(700_000);
    expect(await status('1.0.0')).toBe(410);
    expect(await status('1.0.0')).toBe(410);
  });

  it('after its upstream listed the package as malware, and then removed it', async () => {
    registry.upstream.put('some/lib', [one('1.0.0')]);
    expect(await status('1.0.0')).toBe(200);
    registry.setPolicy({ rules: [malware] });
    registry.upstream.put('some/lib', [one('1.0.0')], listed);
    later(700_000);
    expect(await registry.offered('some/lib')).toEqual([]);
    registry.upstream.drop('some/lib');
    for (const hours of [1, 2, 100]) {
      later(hours * 3_600_000);
      expect(await status('1.0.0'), `${hours} h`).toBe(410);
    }
  });

  it('where its upstream gives it another licence', async () => {
    registry.upstream.put('some/lib', [one('1.0.0', { license: ['GPL-3.0-only'] })]);
    expect(await status('1.0.0')).toBe(200);
    registry.setPolicy({ rules: [{ name: 'licences', rule: 'license', allow: ['MIT'], action: 'block' }] });
    registry.upstream.put('some/lib', [one('1.0.0')]);
    later(700_000);
    expect(await status('1.0.0')).toBe(410);
  });
});

describe('an archive that is not stored', () => {
  it('is not sent past a rule for its token, however slow its upstream is', async () => {
    const rule = { name: 'licences', rule: 'license', allow: ['BSD-*'], action: 'block', tokens: ['tok_reader'] };
    registry.setPolicy({ rules: [rule] });
    registry.upstream.put('some/lib', [one('1.0.0')]);
    slowDown();
    expect(await status('1.0.0')).toBe(500);
    registry.upstream.instead('/p2/some/lib.json', undefined);
    later(60_000);
    expect(await status('1.0.0')).toBe(410);
  });
});

describe('a branch', () => {
  it('is blocked by a list of the document of releases', async () => {
    registry.setPolicy({ rules: [malware] });
    registry.upstream.put('some/lib', [one('1.0.0'), one('dev-main')], listed);
    expect(await registry.offered('some/lib', 'reader', true)).toEqual([]);
    expect(await status('dev-main')).toBe(410);
  });
});

describe('a warning', () => {
  it('names the versions that the token sees, and no other', async () => {
    registry.setPolicy({ rules: [{ name: 'licences', rule: 'license', allow: ['BSD-*'], action: 'warn' }] });
    registry.upstream.put('some/lib', [one('2.0.0'), one('1.0.0')]);
    const warnings = async (token: string): Promise<string> =>
      JSON.stringify((await registry.get('/p2/some/lib.json', token)).json()['warnings']);
    expect(await warnings('reader')).toContain('(2.0.0, 1.0.0)');
    expect(await warnings('old')).toContain('(1.0.0)');
    expect(await warnings('old')).not.toContain('2.0.0');
  });
});

describe('a package whose versions are all blocked', () => {
  const rule = { name: 'licences', rule: 'license', allow: ['BSD-*'], action: 'block' };
  const read = async (path: string, token: string): Promise<unknown> => {
    const { status: code, headers, body } = await registry.get(path, token);
    return [code, { ...headers, 'x-request-id': '', date: '' }, body.toString().replaceAll('some/other', 'some/never')];
  };

  it('does not exist for a token that sees none of them', async () => {
    registry.setPolicy({ rules: [rule] });
    registry.upstream.put('some/other', [one('2.0.0')]);
    for (const suffix of ['', '~dev'])
      expect(await read(`/p2/some/other${suffix}.json`, 'newest')).toEqual(
        await read(`/p2/some/never${suffix}.json`, 'newest'),
      );
  });

  it('tells a token the rule, and the blocked versions that it sees', async () => {
    registry.setPolicy({ rules: [rule] });
    registry.upstream.put('some/lib', [one('2.0.0'), one('1.0.0')]);
    const { status: code, body } = await registry.get('/p2/some/lib.json', 'old');
    expect([code, JSON.parse(body.toString()).packages]).toEqual([200, { 'some/lib': {} }]);
    expect(body.toString()).toContain('the rule licences of this registry blocks 1.0.0.');
  });

  it('tells each token only rules that concern it, also tokens with the same limits', async () => {
    registry.setPolicy({ rules: [{ ...rule, name: 'for-old-alone', tokens: ['tok_old'] }, rule] });
    registry.upstream.put('some/lib', [one('1.0.0')]);
    for (const [token, own] of [
      ['old', 'for-old-alone'],
      ['alike', 'licences'],
      ['old', 'for-old-alone'],
    ] as const)
      expect((await registry.get('/p2/some/lib.json', token)).body.toString(), token).toContain(`the rule ${own} of`);
  });

  it('shows the same to a token when a version that it does not see is not blocked', async () => {
    registry.setPolicy({ rules: [rule] });
    registry.upstream.put('some/lib', [one('2.0.0'), one('1.0.0')]);
    const before = await registry.get('/p2/some/lib.json', 'old');
    registry.upstream.put('some/lib', [one('2.0.0', { license: ['BSD-2-Clause'] }), one('1.0.0')]);
    later(700_000);
    expect(await registry.offered('some/lib')).toEqual(['2.0.0']);
    const after = await registry.get('/p2/some/lib.json', 'old');
    expect([after.status, after.body, after.headers['last-modified']]).toEqual([
      200,
      before.body,
      before.headers['last-modified'],
    ]);
  });
});
