// Tests uploads of a staged token: stored and checked, seen by nobody but those who decide, published by an approval, and
// gone after a rejection or after 14 days. With four eyes two people approve.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { collectHeld } from '../../../proxy/notifications/collect/registry-events.ts';
import type { RegistryEvent } from '../../../proxy/events/registry-event.ts';
import { demandCompiled } from '../../setup/compiled.ts';
import { zipOf } from '../../util/hostile-zip.ts';
import { publishedVersions } from '../../util/published-tree.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

const day = 86_400_000;
let registry: RunningManagement;
let nowMs = Date.now();
let [admin, second] = ['', ''];
let [staged, free, reader] = ['', '', ''];
beforeAll(demandCompiled);
beforeAll(async () => {
  registry = await runManagement({ now: () => nowMs });
  reader = await registry.createToken('read');
});
beforeEach(async () => {
  [admin, second] = [(await registry.signIn('admin')).token, (await registry.signIn('admin')).token];
  const made = (await call('POST', '/api/tokens', { description: 'CI', kind: 'write' })).json();
  staged = String(made['token']);
  free = await registry.createToken('write');
  await registry.services.settings.update(
    { 'publishing.staged': [String(made['id'])], 'publishing.four_eyes': null },
    'cli:test',
  );
});
afterAll(() => registry[Symbol.asyncDispose]());

const call = (method: string, path: string, body?: object, as = admin): Promise<Reply> =>
  registry.call(method as 'GET', path, { as, body });
const zip = (name: string, version: string, content = 'one', more: object = {}): Buffer =>
  zipOf([
    { name: 'composer.json', data: JSON.stringify({ name, version, description: 'a', license: 'MIT', ...more }) },
    { name: 'src/a.php', data: `<?php // ${content}` },
  ]);
const upload = (bytes: Buffer, as = staged): Promise<Reply> =>
  registry.proxy.send(
    'POST',
    '/api/artifacts',
    { authorization: `Bearer ${as}`, 'content-type': 'application/zip' },
    bytes,
  );
const decide = (name: string, version: string, decision: string, as = admin, more: object = {}): Promise<Reply> =>
  call('POST', `/api/packages/${name}/versions/${version}/decision`, { decision, reason: 'I looked', ...more }, as);
const held = async (): Promise<readonly Record<string, unknown>[]> =>
  (await call('GET', '/api/policy/held')).json()['data'] as never;
const archive = async (name: string, version: string, as = reader): Promise<number> =>
  (await registry.proxy.send('GET', `/dist/${name}/${version}.zip`, { authorization: `Bearer ${as}` })).status;
const p2 = async (name: string, as = reader): Promise<Reply> => {
  nowMs += 2000; // documents are read again
  return registry.proxy.send('GET', `/p2/${name}.json`, { authorization: `Bearer ${as}` });
};
const events = async (action: string): Promise<readonly Record<string, unknown>[]> =>
  (await call('GET', `/api/audit?action=${action}&limit=100`)).json()['data'] as never;
const ofUploader = () => expect.stringMatching(/^token:tok_/) as unknown;

it('no client sees a staged upload, and an approval publishes exactly these bytes', async () => {
  expect((await upload(zip('acme/app', '1.0.0'), free)).status).toBe(201);
  const before = (await p2('acme/app')).body.toString();
  const sent = await upload(zip('acme/app', '1.1.0'));
  expect([sent.status, sent.json()['status']]).toEqual([201, 'staged']);
  const again = await upload(zip('acme/app', '1.1.0'));
  expect([again.status, again.json()['id']]).toEqual([200, sent.json()['id']]);
  const other = await upload(zip('acme/app', '1.1.0', 'two'));
  expect([other.status, other.json()['code']]).toEqual([400, 'VERSION_EXISTS']);

  for (const as of [reader, staged, free]) {
    expect((await p2('acme/app', as)).body.toString()).toBe(before);
    expect(await archive('acme/app', '1.1.0', as)).toBe(404);
  }
  const artifact = `/api/artifacts/${String(sent.json()['id'])}`;
  expect((await call('GET', artifact, undefined, reader)).status).toBe(404);
  expect((await call('GET', artifact, undefined, staged)).status).toBe(200);
  expect((await call('GET', '/api/artifacts?name=acme/app', undefined, free)).body.toString()).not.toContain('1.1.0');
  const because = expect.stringMatching(/^the token CI \(tok_\w+\) uploaded it/) as unknown;
  expect(await held()).toMatchObject([{ name: 'acme/app', version: '1.1.0', rule: 'publishing.staged', because }]);
  const { token: maintainer } = await registry.signIn('maintainer');
  expect((await call('GET', '/api/policy/held', undefined, maintainer)).body.toString()).toContain('"token:tok_');
  const { reference } = (await held())[0] ?? {};

  const wrong = await decide('acme/app', '1.1.0', 'approved', admin, { reference: 'f'.repeat(40) });
  expect([wrong.status, wrong.json()['code']]).toEqual([400, 'CONFLICT']);
  expect((await decide('acme/app', '1.1.0', 'approved', admin, { reference })).status).toBe(200);
  expect([await held(), await archive('acme/app', '1.1.0')]).toEqual([[], 200]);
  expect((await p2('acme/app')).body.toString()).toContain('"1.1.0"');
  expect((await call('GET', artifact)).json()).toMatchObject({ status: 'published', created_by: ofUploader() });
  expect(await events('policy.approved')).toMatchObject([
    { actor: expect.stringMatching(/^user:/), details: { published_by: ofUploader(), reason: 'I looked' } },
  ]);
  expect(readdirSync(join(registry.data, 'artifacts/.retired'))).toEqual([]);
});

it('a first version has no package for clients, and a rejection frees its label', async () => {
  await upload(zip('acme/first', '1.0.0'));
  expect((await p2('acme/first')).status).toBe(404);
  expect((await call('GET', '/api/packages')).body.toString()).not.toContain('acme/first@1.0.0');
  expect((await decide('acme/first', '1.0.0', 'rejected')).status).toBe(200);
  expect([await held(), readdirSync(join(registry.data, 'artifacts/.retired'))]).toEqual([[], []]);
  expect((await upload(zip('acme/first', '1.0.0', 'other'), free)).json()['status']).toBe('published');
  expect(Object.keys(publishedVersions(registry.data))).toContain('acme/first@1.0.0');
});

it('what is published stays when a token becomes staged, and its bytes again change nothing', async () => {
  const bytes = zip('acme/old', '1.0.0');
  await upload(bytes, free);
  const again = await upload(bytes);
  expect([again.status, again.json()['status'], await held()]).toEqual([200, 'published', []]);
});

it('what was withdrawn keeps its record and its ZIP: its bytes do not wait a second time', async () => {
  const { id } = (await upload(zip('acme/back', '1.0.0'), free)).json();
  expect((await call('DELETE', `/api/artifacts/${String(id)}`)).status).toBe(200);
  const refused = await upload(zip('acme/back', '1.0.0'));
  expect([refused.status, refused.json()['code']]).toEqual([400, 'VERSION_EXISTS']);
  expect((await call('GET', `/api/artifacts/${String(id)}`)).json()['status']).toBe('withdrawn');
  expect([(await held()).length, (await upload(zip('acme/back', '1.0.0'), free)).status]).toEqual([0, 201]);
});

it('an approval that was interrupted is completed by the next one, and is no rejection', async () => {
  await registry.services.settings.update({ 'publishing.four_eyes': true }, 'cli:test');
  await upload(zip('acme/cut', '1.0.0'));
  expect((await decide('acme/cut', '1.0.0', 'approved', second)).json()['decided']).toBe(false);
  const rows = await registry.state.range('artifact');
  expect((await decide('acme/cut', '1.0.0', 'approved')).json()['decided']).toBe(true);
  // as after a kill between the publication and the commit
  const puts = rows.map(({ key, value }) => ({ key, value }));
  await registry.state.commit({ conditions: [], puts, deletes: [], quiet: true });
  expect(await held()).toMatchObject([{ name: 'acme/cut' }]);
  expect((await decide('acme/cut', '1.0.0', 'rejected')).json()['code']).toBe('CONFLICT');
  expect((await decide('acme/cut', '1.0.0', 'approved')).status).toBe(200);
  expect([await held(), await archive('acme/cut', '1.0.0')]).toEqual([[], 200]);
});

it('a ZIP that was lost or changed is not published', async () => {
  await upload(zip('acme/lost', '1.0.0'));
  const folder = join(registry.data, 'artifacts/.retired');
  for (const file of readdirSync(folder)) rmSync(join(folder, file));
  const lost = await decide('acme/lost', '1.0.0', 'approved');
  expect([lost.status, lost.json()['error']]).toEqual([404, expect.stringContaining('is lost')]);
  expect([(await p2('acme/lost')).status, (await held()).length]).toEqual([404, 1]);
  expect((await decide('acme/lost', '1.0.0', 'rejected')).status).toBe(200);
});

it('nobody decides: people are notified again before the end, and after 14 days it is gone', async () => {
  await upload(zip('acme/late', '1.0.0'));
  const told: string[] = [];
  const receive = async (found: readonly RegistryEvent[]) => {
    for (const { data } of found) told.push(`${data['url']}${String(data['reason']).replace(/.* otherwise/, '')}`);
    return { conditions: [], puts: [] };
  };
  const look = async (): Promise<void> =>
    collectHeld(
      { state: registry.state, receive, now: () => nowMs },
      await registry.services.policyAdmin.held({ kind: 'operator', actor: 'cli:test' }),
      (name, staged) => `${name} ${staged}`,
    );
  await look(); // the first look tells of nothing
  await upload(zip('acme/late', '1.1.0'));
  await look();
  await look();
  expect(told).toEqual([expect.stringMatching(/^acme\/late 1\.1\.0 /)]);
  nowMs += 12 * day;
  await look();
  expect(told).toHaveLength(3);
  expect(told.at(-1)).toMatch(/ it is removed soon, on \d{4}-/);
  nowMs += 2 * day;
  [admin] = [(await registry.signIn('admin')).token];
  expect([await held(), existsSync(join(registry.data, 'public/p2/acme/late.json'))]).toEqual([[], false]);
  expect(await events('artifact.discard')).toMatchObject([
    { actor: 'system:staging', details: { reason: 'nobody decided within 14 days' } },
    { actor: 'system:staging' },
    {},
    {},
  ]);
});

it('with four eyes two people approve what a token published, and a person never approves their own upload', async () => {
  await registry.services.settings.update({ 'publishing.four_eyes': true }, 'cli:test');
  await upload(zip('acme/eyes', '1.0.0'));
  const first = await decide('acme/eyes', '1.0.0', 'approved');
  expect([first.status, first.json()]).toEqual([
    200,
    expect.objectContaining({
      decided: false,
      approved_by: expect.stringMatching(/^user:/),
      because: expect.stringMatching(/; \S+@\S+ approved it, and one more person has to approve$/),
    }),
  ]);
  expect([(await held()).map((one) => one['approved_by']), await archive('acme/eyes', '1.0.0')]).toEqual([
    [expect.stringMatching(/^user:/)],
    404,
  ]);
  const same = await decide('acme/eyes', '1.0.0', 'approved');
  expect([same.json()['code'], same.json()['error']]).toEqual(['CONFLICT', expect.stringContaining('already')]);
  expect((await decide('acme/eyes', '1.0.0', 'approved', second)).json()['decided']).toBe(true);
  expect(await archive('acme/eyes', '1.0.0')).toBe(200);
  expect((await events('policy.approved'))[0]).toMatchObject({
    details: { first_approved_by: expect.stringMatching(/^user:/), published_by: ofUploader() },
  });

  const rule = { name: 'new', rule: 'capability', action: 'block', since: '2026-01-01' };
  await call('PUT', '/api/policy', { rules: [rule] });
  const release = (version: string, more: object = {}): Buffer =>
    zipOf([
      { name: 'composer.json', data: JSON.stringify({ name: 'acme/own', version, license: 'MIT', ...more }) },
      { name: 'boot.php', data: '<?php' },
    ]);
  await upload(release('1.0.0'), admin);
  await upload(release('1.1.0', { autoload: { files: ['boot.php'] } }), admin);
  const own = await decide('acme/own', '1.1.0', 'approved');
  expect([own.json()['code'], own.json()['error']]).toEqual(['CONFLICT', expect.stringContaining('You published')]);
  expect((await decide('acme/own', '1.1.0', 'approved', second)).json()['approved_by']).toBeNull();
  expect(await archive('acme/own', '1.1.0')).toBe(200);
});

it('a first approval is about its bytes: other bytes of the same version need two approvals again', async () => {
  await registry.services.settings.update({ 'publishing.four_eyes': true }, 'cli:test');
  const { id } = (await upload(zip('acme/twice', '1.0.0'))).json();
  expect((await decide('acme/twice', '1.0.0', 'approved')).json()['decided']).toBe(false);
  expect((await call('DELETE', `/api/artifacts/${String(id)}`)).status).toBe(200);
  await upload(zip('acme/twice', '1.0.0', 'other'));
  expect(await held()).toMatchObject([{ name: 'acme/twice', approved_by: null }]);
  expect((await decide('acme/twice', '1.0.0', 'approved', second)).json()['decided']).toBe(false);
  expect((await decide('acme/twice', '1.0.0', 'rejected')).status).toBe(200);
});

it('shows what a staged upload adds to the last release below it', async () => {
  await upload(zip('acme/adds', '1.0.0', 'one', { bin: ['src/a.php'] }), free);
  await upload(zip('acme/adds', '1.1.0', 'one', { bin: ['src/a.php'], autoload: { files: ['src/a.php'] } }));
  const gained = [{ kind: 'autoload-file', detail: 'src/a.php', brought_by: '1.1.0', before: '1.0.0' }].map((one) => ({
    ...one,
    text: 'it runs src/a.php in every request',
  }));
  expect(await held()).toMatchObject([{ version: '1.1.0', gained }]);
  expect((await held())[0]?.['gained']).toHaveLength(1);
  expect((await decide('acme/adds', '1.1.0', 'rejected')).json()['gained']).toEqual(gained);
});

it('shows what a staged upload keeps of a release that a rule holds', async () => {
  const rules = [{ rule: 'capability', name: 'new', action: 'block' }];
  expect((await call('PUT', '/api/policy', { rules })).status).toBe(200);
  const files = { autoload: { files: ['src/a.php'] } };
  await upload(zip('acme/keeps', '1.0.0'), free);
  nowMs += 2000;
  await upload(zip('acme/keeps', '1.0.1', 'one', files), free);
  nowMs += 2000;
  await decide('acme/keeps', '1.0.1', 'rejected');
  await upload(zip('acme/keeps', '1.0.2', 'one', files));
  expect(await held()).toMatchObject([
    { version: '1.0.2', gained: [{ kind: 'autoload-file', brought_by: '1.0.1', before: '1.0.0' }] },
  ]);
  await decide('acme/keeps', '1.0.2', 'rejected');
  expect((await call('PUT', '/api/policy', { rules: [] })).status).toBe(200);
});

it('of two people who decide at once the second learns who decided what', async () => {
  for (const version of ['1.0.0', '1.0.1', '1.0.2']) {
    await upload(zip('acme/race', version));
    const [one, other] = await Promise.all([
      decide('acme/race', version, 'approved'),
      decide('acme/race', version, 'rejected', second),
    ]);
    expect([one.status, other.status].toSorted()).toEqual([200, 400]);
    const [won, lost] = one.status === 200 ? ['approved', other] : ['rejected', one];
    expect([lost.json()['code'], lost.json()['error']]).toEqual([
      'CONFLICT',
      expect.stringMatching(new RegExp(`^\\S+@\\S+ ${won} acme/race ${version} at \\d{4}-.* \\("I looked"\\)`)),
    ]);
    expect([await held(), await archive('acme/race', version)]).toEqual([[], won === 'approved' ? 200 : 404]);
    const late = await decide('acme/race', version, won === 'approved' ? 'rejected' : 'approved', second);
    expect([late.json()['code'], late.json()['error']]).toEqual([
      'CONFLICT',
      expect.stringContaining(` ${won} acme/race`),
    ]);
  }
});

it('a limited token learns that its upload is staged, and reads its own upload alone', async () => {
  const draft = { description: 'CI', kind: 'write', packages: ['acme/limited'] };
  const made = (await call('POST', '/api/tokens', draft)).json();
  expect(made['token'], JSON.stringify(made)).toBeDefined();
  await registry.services.settings.update({ 'publishing.staged': [String(made['id'])] }, 'cli:test');
  const headers = { authorization: `Bearer ${String(made['token'])}`, 'content-type': 'application/zip' };
  const path = '/api/artifacts?name=acme/limited&version=1.0.0';
  const sent = await registry.proxy.send('POST', path, headers, zip('acme/limited', '1.0.0'));
  expect([sent.status, sent.json()['status']]).toEqual([201, 'staged']);
  const other = (await upload(zip('acme/other', '1.0.0'), free)).json();
  const read = (id: unknown) => call('GET', `/api/artifacts/${String(id)}`, undefined, String(made['token']));
  expect((await read(sent.json()['id'])).json()['status']).toBe('staged');
  expect((await read(other['id'])).status).toBe(404);
  expect((await decide('acme/limited', '1.0.0', 'rejected')).status).toBe(200);
});

const hold = async (rules: readonly object[] = [{ rule: 'capability', name: 'new', action: 'block' }]) =>
  expect((await call('PUT', '/api/policy', { rules })).status).toBe(200);
it('the answer of an upload says why a rule holds it', async () => {
  await hold();
  await upload(zip('acme/says', '1.0.0'), free);
  nowMs += 2000;
  const sent = (await upload(zip('acme/says', '1.1.0', 'one', { bin: ['src/a.php'] }), free)).json();
  expect([sent['status'], sent['held']]).toEqual([
    'published',
    'it adds the command src/a.php, unlike 1.0.0; held until somebody approves it',
  ]);
});

it('of two people who decide at once about a held release the second gets a conflict', async () => {
  await hold();
  await upload(zip('acme/both', '1.0.0'), free);
  for (const version of ['1.1.0', '1.2.0', '1.3.0']) {
    nowMs += 2000;
    const { reference } = (
      await upload(zip('acme/both', version, 'one', { bin: [`src/${version}.php`] }), free)
    ).json();
    const answers = await Promise.all([
      decide('acme/both', version, 'approved', admin, { reference }),
      decide('acme/both', version, 'rejected', second, { reference }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const won = answers[0].status === 200 ? 'approved' : 'rejected';
    expect(answers.find(({ status }) => status === 400)?.json()).toMatchObject({
      code: 'CONFLICT',
      error: expect.stringMatching(new RegExp(` ${won} acme/both ${version} at `)),
    });
    expect(await archive('acme/both', version)).toBe(won === 'approved' ? 200 : 410);
  }
});

it('of an approval and a withdrawal of a staged upload at once the second gets a conflict, and nothing is half done', async () => {
  for (const version of ['1.0.0', '1.0.1', '1.0.2']) {
    const { id } = (await upload(zip('acme/gone', version))).json();
    const deeds = [
      () => decide('acme/gone', version, 'approved'),
      () => call('DELETE', `/api/artifacts/${String(id)}`, undefined, second),
    ];
    const answers = await Promise.all((version === '1.0.1' ? deeds.toReversed() : deeds).map((deed) => deed()));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const error = String(answers.find(({ status }) => status === 400)?.json()['error']);
    expect(error).toMatch(new RegExp(` (approved|rejected) acme/gone ${version} at `));
    const isApproved = error.includes(' approved ');
    expect((await held()).filter(({ name }) => name === 'acme/gone')).toEqual([]);
    expect(await archive('acme/gone', version)).toBe(isApproved ? 200 : 404);
    expect((await call('GET', `/api/artifacts/${String(id)}`)).status).toBe(isApproved ? 200 : 404);
  }
});

it('a decision needs a session that began in the last five minutes', async () => {
  await upload(zip('acme/late-session', '1.0.0'));
  nowMs += 400_000;
  const old = await decide('acme/late-session', '1.0.0', 'approved');
  expect(old.status).toBe(401);
  expect(old.json()['error']).toContain('Sign in again (POST /api/auth/login)');
  const { token: anew } = await registry.signIn('admin');
  expect((await decide('acme/late-session', '1.0.0', 'approved', anew)).status).toBe(200);
});

it('explain tells of a staged version who uploaded it, and until when it waits', async () => {
  await upload(zip('acme/told', '1.0.0'));
  const path = '/api/packages/acme/told/versions/v1.0.0/policy';
  const told = await call('GET', path);
  const because = expect.stringMatching(/^the token CI \(tok_\w+\) uploaded it, .* removed on 20/) as unknown;
  expect(told.json()).toMatchObject({ outcome: 'staged', findings: [{ held: true, because }] });
  expect((await decide('acme/told', '1.0.0', 'rejected')).status).toBe(200);
  expect((await call('GET', path)).json()['error']).toBe('This registry has no package acme/told.');
});

it('with four eyes no change of the policy frees a held release', async () => {
  await hold();
  await upload(zip('acme/freed', '1.0.0'), free);
  nowMs += 2000;
  await upload(zip('acme/freed', '1.1.0', 'one', { bin: ['src/a.php'] }), free);
  await registry.services.settings.update({ 'publishing.four_eyes': true }, 'cli:test');
  const rules = [{ rule: 'capability', name: 'new', action: 'block' }];
  const about = { rule: 'new', reason: 'in a hurry', owner: 'ada', until: '2099-01-01' };
  for (const freeing of [
    { rules, exceptions: [{ ...about, packages: ['acme/freed'], versions: '1.1.0' }] },
    { rules: [] },
    { rules: [{ ...rules[0], action: 'warn' }] },
    { rules: [{ ...rules[0], archives: 'serve' }] },
    { rules: [{ ...rules[0], except: ['acme/gone'] }] },
  ]) {
    const refused = await call('PUT', '/api/policy', freeing);
    expect([refused.json()['code'], refused.json()['error']]).toEqual([
      'CONFLICT',
      expect.stringMatching(/^The rule new would hold fewer releases, .*four_eyes/),
    ]);
  }
  const more = { rules: [...rules, { rule: 'capability', name: 'bins', action: 'block', kinds: ['bin'] }] };
  expect((await call('PUT', '/api/policy', more)).status).toBe(200);
  await registry.services.settings.update({ 'publishing.four_eyes': null }, 'cli:test');
  expect((await call('PUT', '/api/policy', { rules: [] })).status).toBe(200);
});
