// Tests the tokens that CI jobs get: what they may publish and read, how long, and what remembers them. The real
// builder publishes in a process of its own.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyAudit } from '../../../proxy/state/audit.ts';
import { demandCompiled } from '../../setup/compiled.ts';
import { zipOf } from '../../util/hostile-zip.ts';
import { githubClaims, gitlabClaims } from '../../util/publisher-claims.ts';
import { startPublishingRegistry, type PublishingRegistry } from '../../util/publishing-registry.ts';
import type { Reply } from '../../util/running-proxy.ts';

type Json = Record<string, unknown>;
const [minute, day] = [60_000, 86_400_000];
let nowMs = Date.parse('2026-11-27T10:00:00Z');
let served: PublishingRegistry;
let publisher: Json;

beforeAll(demandCompiled);
beforeAll(async () => {
  served = await startPublishingRegistry(() => nowMs);
  publisher = await served.publisher({
    name: 'Release of the app',
    issuer: 'github',
    purpose: 'publish',
    repository: 'ACME/app',
    workflow: 'release.yml',
    packages: ['acme/app', 'acme/app-*'],
    exchanges_per_hour: 1000,
  });
  const writer = await served.registry.createToken('write');
  for (const name of ['acme/app', 'acme/secret', 'acme/tool']) await upload(writer, name, '1.0.0');
});
afterAll(() => served[Symbol.asyncDispose]());
beforeEach(() => {
  nowMs += 2 * minute;
});

function upload(as: string, name: string, version: string, query = `?name=${name}&version=${version}`): Promise<Reply> {
  const json = JSON.stringify({ name, version, description: 'for tests', license: 'MIT' });
  return served.registry.proxy.send(
    'POST',
    `/api/artifacts${query}`,
    { authorization: `Bearer ${as}`, 'content-type': 'application/zip' },
    zipOf([
      { name: 'composer.json', data: json },
      { name: 'src/a.php', data: `<?php // ${name} ${version}` },
    ]),
  );
}

const codeOf = (reply: Reply): unknown => [reply.status, reply.json()['code'] ?? null];
const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, as = served.admin, body?: unknown) =>
  served.registry.call(method, path, { as, body });
const idToken = (over: object = {}): Promise<string> =>
  served.github.sign(githubClaims({ issuer: served.github.url, nowMs }, over));

async function job(more: object = {}, over: object = {}): Promise<{ token: string; id: string }> {
  const reply = await served.exchange(await idToken(over), more);
  expect(reply.status, reply.body.toString()).toBe(201);
  return reply.json() as { token: string; id: string };
}
const lastEvent = async (action: string): Promise<Json> =>
  ((await call('GET', `/api/audit?action=${action}&limit=1`)).json()['data'] as Json[])[0] ?? {};

describe('a token for publishing', () => {
  it('publishes its packages, and the artifact remembers the run', async () => {
    const { token, id } = await job();
    const reply = await upload(token, 'acme/app', '1.2.0');
    expect(reply.status, reply.body.toString()).toBe(201);
    const from = {
      publisher: publisher['id'],
      issuer: served.github.url,
      repository: 'acme/app',
      run_id: '5000',
      run_attempt: '1',
      run_url: `${new URL(served.github.url).origin}/acme/app/actions/runs/5000`,
      ref: 'refs/tags/v1.2.0',
      commit: 'a'.repeat(40),
      workflow: 'acme/app/.github/workflows/release.yml@refs/tags/v1.2.0',
    };
    expect(reply.json()).toMatchObject({ created_by: `token:${id}`, published_from: from });
    expect((await call('GET', `/api/artifacts/${String(reply.json()['id'])}`)).json()).toMatchObject({
      published_from: from,
    });
    const others = (await call('GET', '/api/artifacts?name=acme/secret')).json() as { data: Json[] };
    expect(others.data).toMatchObject([{ published_from: null }]);
  });

  it('counts as a use of its repository and ref, with the page of the last run', async () => {
    await call('PATCH', '/api/settings', served.admin, { statistics: { by: 'token' } });
    for (const [run_id, ref] of [
      ['71', 'refs/heads/main'],
      ['72', 'refs/heads/main'],
      ['73', 'refs/tags/v9'],
    ] as const) {
      const workflow = `acme/app/.github/workflows/release.yml@${ref}`;
      const { token } = await job({}, { run_id, ref, job_workflow_ref: workflow });
      const archive = await served.registry.proxy.get('/dist/acme/app/1.0.0.zip', { authorization: `Bearer ${token}` });
      expect(archive.status).toBe(200);
      await call('GET', '/api/packages/acme/app/usage'); // stores the use
      await call('DELETE', '/api/oidc/token', token);
    }
    const uses = (await call('GET', '/api/packages/acme/app/usage')).json()['data'] as Json[];
    const user = { id: publisher['id'], kind: 'write', status: 'active', owner: 'Release of the app' };
    const page = `${new URL(served.github.url).origin}/acme/app/actions/runs`;
    expect(uses).toHaveLength(2);
    expect(uses).toMatchObject([
      { token: { ...user, description: 'acme/app refs/heads/main', run_url: `${page}/72` }, downloads: 2 },
      { token: { ...user, description: 'acme/app refs/tags/v9', run_url: `${page}/73` }, downloads: 1 },
    ]);
    const { token: maintainer } = await served.registry.signIn('maintainer');
    expect((await call('GET', '/api/packages/acme/app/usage', maintainer)).body.toString()).not.toMatch(/runs|v9|pub_/);
  });

  it('publishes a package that does not exist yet, and no other package', async () => {
    const { token } = await job();
    expect(codeOf(await upload(token, 'acme/app-new', '1.0.0'))).toEqual([201, null]);
    expect(codeOf(await upload(token, 'acme/other', '1.0.0'))).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect(codeOf(await upload(token, 'acme/other', '1.0.0', ''))).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect(codeOf(await upload(token, 'acme/other', '1.0.0', '?name=acme/app&version=1.0.0'))).toEqual([
      400,
      'ARTIFACT_MISMATCH',
    ]);
  });

  it('reads why a version of its package is none, and nothing of other packages', async () => {
    const { token } = await job();
    const refused = await upload(token, 'acme/app', 'main');
    expect([refused.status, refused.json()['error']]).toEqual([
      400,
      expect.stringContaining('"main", which Composer does not accept as a version'),
    ]);
    const unlimited = await upload(await served.registry.createToken('write'), 'acme/app', 'main');
    expect(unlimited.json()).toEqual(refused.json());
    const [hidden, missing] = [await upload(token, 'acme/secret', 'main'), await upload(token, 'acme/none', 'main')];
    expect(codeOf(hidden)).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect(hidden.body.toString().replaceAll('secret', 'none')).toBe(missing.body.toString());
  });

  it('sees no other package, and manages nothing', async () => {
    const { token } = await job();
    const packages = (await call('GET', '/api/packages', token)).json() as { data: Json[] };
    expect(packages.data.map(({ name }) => name)).not.toContain('acme/secret');
    const bearer = { authorization: `Bearer ${token}` };
    expect((await served.registry.proxy.send('GET', '/p2/acme/secret.json', bearer)).status).toBe(404);
    for (const path of ['/api/tokens', '/api/publishers', '/api/users', '/api/artifacts'])
      expect((await call('GET', path, token)).status).toBe(403);
  });

  it('ends after 15 minutes', async () => {
    const { token } = await job();
    nowMs += 15 * minute - 1;
    expect((await call('GET', '/api/packages', token)).status).toBe(200);
    nowMs += 1;
    expect((await call('GET', '/api/packages', token)).status).toBe(401);
  });

  it('ends when the job asks for it, and an ordinary token does not', async () => {
    const { token, id } = await job();
    expect((await call('DELETE', '/api/oidc/token', token)).json()).toEqual({ id });
    expect((await call('GET', '/api/packages', token)).status).toBe(401);
    expect((await call('DELETE', '/api/oidc/token', token)).status).toBe(401);
    expect(await lastEvent('token.revoke')).toMatchObject({ actor: `token:${id}`, subject: id });
    const ordinary = await served.registry.createToken('write');
    expect(codeOf(await call('DELETE', '/api/oidc/token', ordinary))).toEqual([400, 'BAD_REQUEST']);
    expect((await call('GET', '/api/packages', ordinary)).status).toBe(200);
  });

  it('cannot be changed or rotated, and can be revoked', async () => {
    const { token, id } = await job();
    expect((await call('GET', `/api/tokens/${id}`)).json()).toMatchObject({
      description: 'Release of the app: acme/app run 5000',
      kind: 'write',
      packages: ['acme/app', 'acme/app-*'],
      created_by: `publisher:${String(publisher['id'])}`,
    });
    expect(codeOf(await call('POST', `/api/tokens/${id}/rotate`))).toEqual([400, 'CONFLICT']);
    expect(codeOf(await call('PATCH', `/api/tokens/${id}`, served.admin, { expires_at: null }))).toEqual([
      400,
      'CONFLICT',
    ]);
    expect((await call('DELETE', `/api/tokens/${id}`)).status).toBe(200);
    expect((await call('GET', '/api/packages', token)).status).toBe(401);
  });

  it('is in the audit log with its repository, run and commit', async () => {
    const { id } = await job({}, { run_id: '7777' });
    expect(await lastEvent('publisher.exchange')).toMatchObject({
      actor: `publisher:${String(publisher['id'])}`,
      subject: publisher['id'],
      details: { token_id: id, repository: 'acme/app', run_id: '7777', commit: 'a'.repeat(40), kind: 'write' },
    });
    expect((await call('GET', `/api/publishers/${String(publisher['id'])}`)).json()).toMatchObject({
      last_run: { run_id: '7777' },
      last_exchange_at: new Date(nowMs).toISOString(),
    });
    expect((await verifyAudit(served.registry.state)).sound).toBe(true);
  });

  it('is revoked when its publisher is removed', async () => {
    const own = await served.publisher({
      issuer: 'github',
      purpose: 'publish',
      repository: 'acme/x',
      packages: ['acme/x'],
    });
    const { token } = await job({ publisher: own['id'] }, { repository: 'acme/x', repository_id: '5' });
    await call('DELETE', `/api/publishers/${String(own['id'])}`);
    expect((await call('GET', '/api/packages', token)).status).toBe(401);
  });

  it('is revoked when its publisher trusts or allows something else, and not by a new name', async () => {
    const own = await served.publisher({
      issuer: 'github',
      purpose: 'publish',
      repository: 'acme/y',
      packages: ['acme/y', 'acme/z'],
    });
    const path = `/api/publishers/${String(own['id'])}`;
    const { token } = await job({ publisher: own['id'] }, { repository: 'acme/y', repository_id: '6' });
    await call('PATCH', path, served.admin, { name: 'Y' });
    expect((await call('GET', '/api/packages', token)).status).toBe(200);
    await call('PATCH', path, served.admin, { packages: ['acme/y'] });
    expect((await call('GET', '/api/packages', token)).status).toBe(401);
    expect(await lastEvent('publisher.update')).toMatchObject({ details: { revoked_tokens: 1 } });
  });
});

describe('a token for reading', () => {
  it('installs what its view shows, for up to an hour, and publishes nothing', async () => {
    const own = await served.publisher({
      issuer: 'gitlab',
      purpose: 'read',
      repository: 'acme/tools/lib',
      packages: ['acme/*'],
      constraints: { 'acme/app': '<1.1' },
      environment: 'production',
    });
    const signed = await served.gitlab.sign(gitlabClaims({ issuer: served.gitlab.url, nowMs }));
    const { token, ...reply } = (await served.exchange(signed)).json() as { token: string };
    expect(reply).toMatchObject({
      kind: 'read',
      publisher: own['id'],
      expires_at: new Date(nowMs + 60 * minute).toISOString(),
    });
    const bearer = { authorization: `Bearer ${token}` };
    const seen = (await served.registry.proxy.send('GET', '/p2/acme/app.json', bearer)).body.toString();
    expect([seen.includes('"1.0.0"'), seen.includes('"1.2.0"')]).toEqual([true, false]);
    expect(codeOf(await upload(token, 'acme/app', '9.0.0'))).toEqual([403, 'INSUFFICIENT_SCOPE']);
    nowMs += 60 * minute;
    expect((await served.registry.proxy.send('GET', '/p2/acme/app.json', bearer)).status).toBe(401);
  });
});

it('tokens and ids of ID tokens are removed some time after their end', async () => {
  const { id } = await job();
  const keys = async (prefix: string): Promise<readonly string[]> =>
    (await served.registry.state.range(prefix)).map(({ key }) => key);
  expect(await keys('token-run/')).toContain(`token-run/${id}`);
  nowMs += day + 16 * minute;
  // each exchange looks at the rows behind its own
  for (let at = 0; at < 12; at += 1) await job();
  const left = [...(await keys('token-run/')), ...(await keys('token/'))].filter((key) => key.endsWith(id));
  const rows = (await keys('oidc-jti/')).length;
  expect([left.length % 2, rows <= 30]).toEqual([0, true]);
  expect((await keys('token-run/')).length).toBeLessThan(30);
});
