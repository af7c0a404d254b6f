// Tests what people and clients read about a held release: clients no names, people who may list them the names of
// others, and the uploader what became of the bytes.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { demandCompiled } from '../../setup/compiled.ts';
import { zipOf } from '../../util/hostile-zip.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

let registry: RunningManagement;
let nowMs = Date.now();
let [admin, second, free, reader] = ['', '', '', ''];
beforeAll(demandCompiled);
beforeAll(async () => {
  registry = await runManagement({ now: () => nowMs });
  [admin, second] = [(await registry.signIn('admin')).token, (await registry.signIn('admin')).token];
  [free, reader] = [await registry.createToken('write'), await registry.createToken('read')];
  const rules = [{ rule: 'capability', name: 'new', action: 'block' }];
  expect((await call('PUT', '/api/policy', { rules })).status).toBe(200);
});
afterAll(() => registry[Symbol.asyncDispose]());

const call = (method: string, path: string, body?: object, as = admin): Promise<Reply> =>
  registry.call(method as 'GET', path, { as, body });
const upload = (name: string, version: string, more: object = {}, as = free): Promise<Reply> => {
  nowMs += 2000;
  const json = JSON.stringify({ name, version, description: 'a', license: 'MIT', ...more });
  const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/zip' };
  const files = [
    { name: 'composer.json', data: json },
    { name: 'a.php', data: '<?php' },
  ];
  return registry.proxy.send('POST', '/api/artifacts', headers, zipOf(files));
};
const bin = { bin: ['a.php'] };
const decide = (name: string, decision: string, as = admin): Promise<Reply> =>
  call('POST', `/api/packages/${name}/versions/1.1.0/decision`, { decision, reason: 'I looked' }, as);
const held = async (name: string): Promise<readonly Record<string, unknown>[]> =>
  ((await call('GET', '/api/policy/held')).json()['data'] as readonly Record<string, unknown>[]).filter(
    (one) => one['name'] === name,
  );
const setFourEyes = (on: boolean | null) =>
  registry.services.settings.update({ 'publishing.four_eyes': on }, 'cli:test');

it('the refusal of an archive names nobody; people read who rejected it', async () => {
  await upload('acme/named', '1.0.0');
  await upload('acme/named', '1.1.0', bin);
  await decide('acme/named', 'rejected');
  const refused = await registry.proxy.send('GET', '/dist/acme/named/1.1.0.zip', { authorization: `Bearer ${reader}` });
  expect([refused.status, refused.body.toString()]).toEqual([
    410,
    expect.stringContaining('; a person rejected it: I looked'),
  ]);
  expect(refused.body.toString()).not.toMatch(/usr_|@/);
  const explain = async (as: string) =>
    (await call('GET', '/api/packages/acme/named/versions/1.1.0/policy', undefined, as)).json()['rejection'];
  expect(await explain(admin)).toMatchObject({ by: expect.stringContaining('@'), reason: 'I looked' });
  const { token: maintainer } = await registry.signIn('maintainer');
  expect(await explain(maintainer)).toMatchObject({ by: expect.stringMatching(/^user:usr_/) });
  await decide('acme/named', 'approved');
  expect(await explain(admin)).toBeNull();
});

it('an upload of rejected bytes says that they were rejected', async () => {
  await upload('acme/again', '1.0.0');
  await upload('acme/again', '1.1.0', bin);
  await decide('acme/again', 'rejected');
  const again = await upload('acme/again', '1.1.0', bin);
  expect([again.status, again.json()['held']]).toEqual([
    200,
    expect.stringContaining('a person rejected it: I looked'),
  ]);
});

it('an upload is published, also if nobody can say whether a rule holds it', async () => {
  await upload('acme/torn', '1.0.0');
  const key = 'policy/decision/acme/torn/1.1.0.0/none';
  const change = { conditions: [], quiet: true } as const;
  await registry.state.commit({ ...change, puts: [{ key, value: { torn: true } }], deletes: [] });
  const sent = await upload('acme/torn', '1.1.0', bin);
  await registry.state.commit({ ...change, puts: [], deletes: [key] });
  expect([sent.status, sent.json()['held'], sent.json()['notices']]).toEqual([
    201,
    undefined,
    [expect.stringMatching(/^It is unknown whether a rule holds acme\/torn 1\.1\.0: /)],
  ]);
});

it('a first approval counts with four eyes alone, also of a release that was rejected before', async () => {
  await upload('acme/eyes', '1.0.0');
  await upload('acme/eyes', '1.1.0', bin);
  await setFourEyes(true);
  await decide('acme/eyes', 'approved');
  expect(await held('acme/eyes')).toMatchObject([{ approved_by: expect.stringMatching(/^user:/) }]);
  await setFourEyes(null);
  expect(await held('acme/eyes')).toMatchObject([{ approved_by: null, because: expect.not.stringContaining('@') }]);
  await decide('acme/eyes', 'rejected');
  expect(await held('acme/eyes')).toEqual([]);
  await setFourEyes(true);
  expect((await decide('acme/eyes', 'approved')).json()['decided']).toBe(false);
  expect(await held('acme/eyes')).toMatchObject([
    { because: expect.stringMatching(/a person rejected it: I looked; \S+@\S+ approved it, and one more person/) },
  ]);
  expect((await decide('acme/eyes', 'approved', second)).json()['decided']).toBe(true);
  await setFourEyes(null);
});

it('a first approval does not count once its giver may not decide any more; both who approved are named', async () => {
  await upload('acme/left', '1.0.0');
  await upload('acme/left', '1.1.0', bin);
  await setFourEyes(true);
  const gone = await registry.signIn('admin');
  expect((await decide('acme/left', 'approved', gone.token)).json()['decided']).toBe(false);
  expect((await call('PATCH', `/api/users/${gone.userId}`, { role: 'viewer' })).status).toBe(200);
  expect(await held('acme/left')).toMatchObject([{ approved_by: null }]);
  expect((await decide('acme/left', 'approved', second)).json()['decided']).toBe(false);
  expect((await decide('acme/left', 'approved')).json()['decided']).toBe(true);
  const explained = await call('GET', '/api/packages/acme/left/versions/1.1.0/policy');
  expect(explained.json()['approval']).toMatchObject({ by: expect.stringMatching(/^\S+@\S+ and \S+@\S+$/) });
  await setFourEyes(null);
});

it('decisions, the policy, settings and people are changed in a session that began in the last five minutes', async () => {
  const { token, userId } = await registry.signIn('admin');
  nowMs += 400_000;
  const late = [
    await decide('acme/left', 'rejected', token),
    await call('PUT', '/api/policy', { rules: [] }, token),
    await call('PATCH', '/api/settings', { publishing: { four_eyes: false } }, token),
    await call('POST', '/api/users', { email: 'friend@example.org', role: 'admin' }, token),
    await call('PATCH', `/api/users/${userId}`, { role: 'viewer' }, token),
  ];
  expect(late.map((reply) => [reply.status, reply.json()['error']])).toEqual(
    late.map(() => [401, expect.stringContaining('Sign in again (POST /api/auth/login)')]),
  );
  [admin, second] = [(await registry.signIn('admin')).token, (await registry.signIn('admin')).token];
});

it('a withdrawal that comes second names the person who decided first', async () => {
  const made = (await call('POST', '/api/tokens', { description: 'CI', kind: 'write' })).json();
  await registry.services.settings.update({ 'publishing.staged': [String(made['id'])] }, 'cli:test');
  const { id } = (await upload('acme/cut', '1.1.0', {}, String(made['token']))).json();
  // as after a kill between the publication and the commit
  const rows = await registry.state.range('artifact');
  expect((await decide('acme/cut', 'approved')).status).toBe(200);
  const puts = rows.map(({ key, value }) => ({ key, value }));
  await registry.state.commit({ conditions: [], puts, deletes: [], quiet: true });
  const late = await call('DELETE', `/api/artifacts/${String(id)}`, undefined, second);
  expect([late.json()['code'], late.json()['error']]).toEqual([
    'CONFLICT',
    expect.stringMatching(/^\S+@\S+ approved acme\/cut 1\.1\.0 at /),
  ]);
});
