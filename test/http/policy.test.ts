// I26. Tests the policy at the border of the server: p2 documents, archives and packages.json, for published and
// mirrored packages, for tokens that see a package and for others.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHits } from '../../proxy/policy/records/policy-hits.ts';
import { zipBytes, type VersionSpec } from '../util/hand-made-tree.ts';
import { archiveFor } from '../util/mirroring-registry.ts';
import { policedRegistry, type PolicedRegistry } from '../util/policed-registry.ts';
import type { Reply } from '../util/running-proxy.ts';
import { referenceFor } from '../util/upstream.ts';

const version = (
  text: string,
  fields: Readonly<Record<string, unknown>> = {},
  time = '2020-01-01T00:00:00Z',
): VersionSpec => ({
  version: text,
  normalized: text.startsWith('dev-') ? text : `${text}.0`,
  zip: zipBytes(text),
  time,
  fields: { license: ['MIT'], type: 'library', ...fields },
});
const gpl = { license: ['GPL-3.0-only'] };
const block = { name: 'licences', rule: 'license', allow: ['MIT'], action: 'block' };
const composer = { 'user-agent': 'Composer/2.5.5 (Linux; 6.1; PHP 8.2.7)' };

let registry: PolicedRegistry;
beforeEach(async () => {
  registry = await policedRegistry({
    blind: { packages: ['acme/other'] },
    old: { constraints: { 'acme/core': '<2.0', 'some/lib': '<2.0' } },
  });
  registry.tree.put('acme/core', [version('2.0.0', gpl), version('1.0.0')]);
  registry.tree.put('acme/gpl', [version('1.0.0', gpl)]);
  registry.tree.put('acme/dev', [version('dev-main', gpl), version('1.0.0')]);
  registry.tree.publish();
  registry.upstream.put('some/lib', [
    { version: '2.0.0', zip: archiveFor('2'), extra: { ...gpl, time: '2020-01-01T00:00:00Z' } },
    { version: '1.0.0', zip: archiveFor('1'), extra: { license: ['MIT'], time: '2020-01-01T00:00:00Z' } },
  ]);
});
afterEach(() => registry[Symbol.asyncDispose]());

const archive = (
  name: string,
  label: string,
  token?: string,
  headers?: Readonly<Record<string, string>>,
): Promise<Reply> => registry.get(`/dist/${name}/${label}.zip`, token, headers);
const code = (reply: Reply): unknown => [reply.status, reply.json()['code']];

describe('a blocked version', () => {
  it.each(['acme/core', 'some/lib'])(
    'of %s is absent from the metadata, and its archive is 410 with the reason',
    async (name) => {
      expect(await registry.offered(name)).toEqual(['2.0.0', '1.0.0']);
      registry.setPolicy({ rules: [block] });
      expect(await registry.offered(name)).toEqual(['1.0.0']);
      const gone = await archive(name, '2.0.0', 'reader', composer);
      expect(code(gone)).toEqual([410, 'VERSION_BLOCKED']);
      expect(gone.json()['warning']).toBe(
        `${name} 2.0.0 is blocked by the rule licences of this registry: its licence GPL-3.0-only is not allowed. ` +
          'Require another version, or ask the operator of this registry for an exception.',
      );
      expect((await archive(name, '1.0.0')).status).toBe(200);
      registry.setPolicy({ rules: [] });
      expect(await registry.offered(name)).toEqual(['2.0.0', '1.0.0']);
      expect((await archive(name, '2.0.0')).status).toBe(200);
    },
  );

  it.each(['acme/core', 'some/lib'])('of %s is a plain 404 for a token that does not see it', async (name) => {
    registry.setPolicy({ rules: [block] });
    const hidden = await archive(name, '2.0.0', 'blind');
    const unknown = await archive(name, '9.9.9', 'blind');
    expect(hidden.status).toBe(404);
    expect(hidden.body.toString().replaceAll('2.0.0', '9.9.9')).toBe(unknown.body.toString());
    expect(code(await archive(name, '2.0.0', 'old'))).toEqual([404, 'NOT_FOUND']);
    expect(await registry.offered(name, 'blind')).toBeUndefined();
    expect(await registry.offered(name, 'old')).toEqual(['1.0.0']);
  });

  it('leaves a document without versions, and not a missing one, where it was the only version', async () => {
    registry.setPolicy({ rules: [block] });
    expect(await registry.offered('acme/gpl')).toEqual([]);
    expect(await registry.offered('acme/dev', 'reader', true)).toEqual([]);
  });

  it('changes Last-Modified and ETag, so that a client with the earlier document fetches the new one', async () => {
    for (const name of ['acme/core', 'some/lib']) {
      const before = await registry.get(`/p2/${name}.json`);
      registry.setPolicy({ rules: [block] });
      const dated = { 'if-modified-since': before.headers['last-modified'] ?? '' };
      const after = await registry.get(`/p2/${name}.json`, 'reader', dated);
      expect([after.status, after.headers['etag'] === before.headers['etag']]).toEqual([200, false]);
      const again = { 'if-modified-since': after.headers['last-modified'] ?? '' };
      expect((await registry.get(`/p2/${name}.json`, 'reader', again)).status).toBe(304);
      registry.setPolicy({ rules: [] });
      expect((await registry.get(`/p2/${name}.json`, 'reader', again)).status).toBe(200);
    }
  });

  it('stays available for lock files where the rule says so, if its archive is already here', async () => {
    expect((await archive('some/lib', '2.0.0')).status).toBe(200);
    registry.upstream.put('some/other', [{ version: '1.0.0', zip: archiveFor('o'), extra: gpl }]);
    registry.setPolicy({ rules: [{ ...block, archives: 'serve' }] });
    expect(await registry.offered('some/lib')).toEqual(['1.0.0']);
    expect((await archive('some/lib', '2.0.0')).status).toBe(200);
    expect((await archive('acme/core', '2.0.0')).status).toBe(200);
    expect(code(await archive('some/other', '1.0.0'))).toEqual([410, 'VERSION_BLOCKED']);
  });

  it('is judged by the record of its own archive, where a lock file names an older content of a branch', async () => {
    const [former, current] = [zipBytes('former'), zipBytes('current')];
    const dev = (zip: Buffer, reference: string, state: 'published' | 'superseded', time: string): VersionSpec => ({
      ...version('dev-main', {}, time),
      zip,
      reference,
      state,
    });
    const [older, newer] = [referenceFor('older'), referenceFor('newer')];
    registry.tree.put('acme/branch', [
      dev(current, newer, 'published', '2026-06-01T11:59:00Z'),
      dev(former, older, 'superseded', '2020-01-01T00:00:00Z'),
    ]);
    registry.tree.publish();
    registry.setPolicy({ rules: [{ name: 'age', rule: 'age', days: 1, by: 'time', action: 'block' }] });
    expect((await registry.get(`/dist/acme/branch/dev-main.zip?ref=${older}`)).status).toBe(200);
    expect((await registry.get(`/dist/acme/branch/dev-main.zip?ref=${newer}`)).status).toBe(410);
  });
});

describe('an exception', () => {
  const until = '2026-06-01T12:10:00Z';
  const exception = {
    rule: 'licences',
    packages: ['*'],
    versions: '^2.0',
    owner: 'ann',
    reason: 'legal agreed',
    until,
  };

  it.each(['acme/core', 'some/lib'])('lets a version of %s in until its end by the clock', async (name) => {
    registry.setPolicy({ rules: [block], exceptions: [exception] });
    expect(await registry.offered(name)).toEqual(['2.0.0', '1.0.0']);
    expect((await archive(name, '2.0.0')).status).toBe(200);
    registry.clock.nowMs = Date.parse(until) + 1;
    expect(await registry.offered(name)).toEqual(['1.0.0']);
    expect((await archive(name, '2.0.0')).status).toBe(410);
  });
});

describe('a rule for some tokens', () => {
  it.each(['acme/core', 'some/lib'])('blocks versions of %s for these tokens alone', async (name) => {
    registry.setPolicy({ rules: [{ ...block, tokens: ['tok_old'] }] });
    expect(await registry.offered(name)).toEqual(['2.0.0', '1.0.0']);
    registry.setPolicy({ rules: [{ ...block, tokens: ['tok_reader'] }] });
    expect(await registry.offered(name)).toEqual(['1.0.0']);
    expect((await archive(name, '2.0.0')).status).toBe(410);
    expect(await registry.offered(name, 'old')).toEqual(['1.0.0']);
  });
});

describe('a document whose versions are all blocked', () => {
  const told = async (name: string, token?: string): Promise<unknown> =>
    (await registry.get(`/p2/${name}.json`, token)).json()['warnings'];

  it.each(['acme/core', 'some/lib'])('of %s names them and the rules, for Composer to print', async (name) => {
    const old = { name: 'old', rule: 'license', allow: ['GPL-3.0-only'], action: 'block', message: 'Ask legal.' };
    registry.setPolicy({ rules: [block] });
    expect(await told(name)).toBeUndefined();
    registry.setPolicy({ rules: [block, old] });
    const message = `${name}: the rules licences, old of this registry block 2.0.0, 1.0.0. Ask legal.`;
    expect([await registry.offered(name), await told(name)]).toEqual([[], [{ versions: '*', message }]]);
  });

  it.each(['acme/core', 'some/lib'])('names no version of %s that a token does not see', async (name) => {
    registry.setPolicy({ rules: [{ ...block, allow: ['BSD'] }] });
    const seen = JSON.stringify((await registry.get(`/p2/${name}.json`, 'old')).json());
    expect([await registry.offered(name, 'old'), seen]).toEqual([[], expect.not.stringContaining('2.0.0') as string]);
  });
});

describe('a warning', () => {
  it.each(['acme/core', 'some/lib'])('about %s stands in the document, and the version stays', async (name) => {
    registry.setPolicy({ rules: [{ ...block, action: 'warn', message: 'Ask legal.' }] });
    const document = await registry.get(`/p2/${name}.json`);
    expect(document.json()['warnings']).toEqual([
      { versions: '*', message: expect.stringContaining('its licence GPL-3.0-only is not allowed (2.0.0).') as string },
    ]);
    expect(await registry.offered(name)).toEqual(['2.0.0', '1.0.0']);
    expect((await archive(name, '2.0.0')).status).toBe(200);
  });
});

describe('a rule about Composer', () => {
  const rule = { name: 'newer', rule: 'composer', versions: '>=2.6' };

  it('refuses other versions with a sentence, and lets other programs in', async () => {
    registry.setPolicy({ rules: [{ ...rule, action: 'block' }] });
    for (const path of ['/packages.json', '/p2/acme/core.json', '/dist/acme/core/1.0.0.zip']) {
      const refused = await registry.get(path, 'reader', composer);
      expect(code(refused)).toEqual([400, 'CLIENT_NOT_ALLOWED']);
      expect(refused.json()['warning']).toBe(
        'Composer 2.5.5 may not use this registry: the rule newer allows >=2.6. Update it with `composer self-update`.',
      );
      const statuses = await Promise.all(
        ['Composer/2.8.1 (Linux)', 'Composer/2.9-dev+8f31a2c (Linux)', 'curl/8.0', ''].map(
          async (agent) => (await registry.get(path, 'reader', { 'user-agent': agent })).status,
        ),
      );
      expect(statuses).toEqual([200, 200, 200, 200]);
    }
    expect((await registry.get('/packages.json', 'reader', { 'user-agent': 'Composer/source' })).status).toBe(400);
  });

  it('warns in packages.json of these versions alone', async () => {
    registry.setPolicy({ rules: [{ ...rule, action: 'warn' }] });
    const warned = await registry.get('/packages.json', 'reader', composer);
    expect(warned.json()['warnings']).toMatchObject([
      { versions: '*', message: expect.stringContaining('newer') as string },
    ]);
    const newer = await registry.get('/packages.json', 'reader', { 'user-agent': 'Composer/2.8.1' });
    expect(newer.json()).not.toHaveProperty('warnings');
  });
});

describe('the source', () => {
  it('is absent where a rule hides it', async () => {
    const source = { type: 'git', url: 'https://git.acme.example/core', reference: referenceFor('core') };
    registry.tree.put('acme/sourced', [version('1.0.0', { source })]);
    registry.tree.publish();
    const shown = async (): Promise<string> => (await registry.get('/p2/acme/sourced.json')).body.toString();
    expect(await shown()).toContain('git.acme.example');
    registry.setPolicy({ rules: [{ name: 'hidden', rule: 'source', action: 'block' }] });
    expect(await shown()).not.toContain('git.acme.example');
    expect(await registry.offered('acme/sourced')).toEqual(['1.0.0']);
  });
});

describe('the first hit of a version', () => {
  it('is one row, one audit event and one event for people, however often it is asked for', async () => {
    registry.setPolicy({ rules: [block] });
    for (let time = 0; time < 3; time += 1) await archive('acme/core', '2.0.0');
    await archive('some/lib', '2.0.0');
    await registry.settled();
    expect(await readHits(registry.state)).toMatchObject([
      { rule: 'licences', action: 'block', version: '2.0.0', token: 'tok_reader' },
      { rule: 'licences', action: 'block', version: '2.0.0', token: 'tok_reader' },
    ]);
    const events = (await registry.state.range('audit/event/')).map(({ value }) => value);
    expect(events).toMatchObject([
      { action: 'policy.block', actor: 'token:tok_reader', subject: 'acme/core 2.0.0' },
      { action: 'policy.block', subject: 'some/lib 2.0.0' },
    ]);
    const told = (await registry.state.range('event-outbox/')).map(({ value }) => value);
    expect(told).toMatchObject([
      { type: 'policy.blocked', subject: { name: 'acme/core', version_normalized: '2.0.0.0' } },
      { type: 'policy.blocked', subject: { name: 'some/lib' } },
    ]);
    expect([...registry.counts()]).toEqual([['licences block', 4]]);
  });

  it('of a rule that only logs is noted too, and the archive is sent', async () => {
    registry.setPolicy({ rules: [{ ...block, action: 'log' }] });
    expect((await archive('acme/core', '2.0.0')).status).toBe(200);
    await registry.settled();
    expect(await readHits(registry.state)).toMatchObject([{ action: 'log', name: 'acme/core' }]);
    expect(await registry.state.range('event-outbox/')).toEqual([]);
  });
});
