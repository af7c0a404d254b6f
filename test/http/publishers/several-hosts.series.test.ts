// Tests trusted publishers with the compiled service: three hosts that share one state in Redis, and packages that only
// CI jobs of trusted publishers may upload.

import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demandCompiled } from '../../setup/compiled.ts';
import { zipOf } from '../../util/hostile-zip.ts';
import { rememberSecrets } from '../../util/leaks.ts';
import { startManagedRegistry, type ManagedRegistry } from '../../util/managed-registry.ts';
import { startOidcIssuer, type OidcIssuer } from '../../util/oidc-issuer.ts';
import { audience, githubClaims } from '../../util/publisher-claims.ts';
import { startRedis, type RedisServer } from '../../util/redis-server.ts';
import { startServing, type RunningCli } from '../../util/run-cli.ts';
import { libraryTree, writeTree } from '../../util/package-tree.ts';

type Json = Record<string, unknown>;
const purposes = ['publish', 'read'] as const;
let redis: RedisServer;
let issuer: OidcIssuer;
let registry: ManagedRegistry;
const others: { readonly server: RunningCli; readonly url: string }[] = [];

beforeAll(demandCompiled);
beforeAll(async () => {
  redis = await startRedis();
  issuer = await startOidcIssuer();
  const settings = {
    publicUrl: audience,
    state: redis.url,
    oidcIssuers: [`github=${issuer.url}`],
    egress: { allow: ['127.0.0.0/8'] },
  };
  registry = await startManagedRegistry(settings);
  for (const name of ['second', 'third']) {
    const cwd = registry.folder.at(name);
    mkdirSync(cwd);
    writeFileSync(`${cwd}/libretto.json`, JSON.stringify({ ...settings, data: `${cwd}/data` }));
    others.push(await startServing(['serve', '--listen', '127.0.0.1:0'], { cwd }));
  }
  for (const purpose of purposes) {
    const draft = { issuer: 'github', purpose, repository: 'acme/app', packages: ['acme/*'], exchanges_per_hour: 1000 };
    const { status, json } = await registry.api('POST', '/api/publishers', draft);
    expect(status, JSON.stringify(json)).toBe(201);
  }
});
afterAll(async () => {
  for (const { server } of others) {
    server.signal('SIGTERM');
    await server.ended;
  }
  await registry[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
  await redis.stop();
});

const idToken = (over: object = {}): Promise<string> =>
  issuer.sign(githubClaims({ issuer: issuer.url, nowMs: Date.now() }, over));

async function exchange(
  url: string,
  token: string,
  purpose: (typeof purposes)[number] = 'publish',
): Promise<{ readonly status: number; readonly json: Json }> {
  const reply = await request(`${url}/api/oidc/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, purpose }),
  });
  const json = (await reply.body.json()) as Json;
  rememberSecrets([json]);
  return { status: reply.statusCode, json };
}

async function upload(as: string, name: string, version: string): Promise<{ status: number; json: Json }> {
  const json = JSON.stringify({ name, version, description: 'for tests', license: 'MIT' });
  const reply = await request(`${registry.url()}/api/artifacts?name=${name}&version=${version}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/zip' },
    body: zipOf([{ name: 'composer.json', data: json }]),
  });
  return { status: reply.statusCode, json: (await reply.body.json()) as Json };
}

describe('three hosts with one state', () => {
  it('exchange one ID token once, however many requests bring it to each of them, for any publisher', async () => {
    const urls = [registry.url(), ...others.map(({ url }) => url)];
    for (let round = 0; round < 10; round += 1) {
      const token = await idToken();
      const replies = await Promise.all(
        urls.flatMap((url) => purposes.map((purpose) => exchange(url, token, purpose))),
      );
      expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 403, 403, 403, 403, 403]);
      expect(new Set(replies.map(({ json }) => json['code']))).toEqual(new Set([undefined, 'ID_TOKEN_USED']));
    }
  });

  it('pin the ids of a repository once, and refuse another repository with its name everywhere', async () => {
    const resurrected = await idToken({ repository_id: '2002' });
    for (const { url } of others) {
      const { status, json } = await exchange(url, resurrected);
      expect([status, json['code']]).toEqual([403, 'PUBLISHER_MISMATCH']);
      expect(json['error']).toContain('repository_id is "2002"; expected: 1001');
    }
  });

  it('pin one id for all publishers of a repository, when jobs with two ids come first at the same time', async () => {
    const urls = [registry.url(), ...others.map(({ url }) => url)];
    for (let round = 0; round < 8; round += 1) {
      const repository = `acme/raced-${round}`;
      for (const purpose of purposes) {
        const draft = { issuer: 'github', purpose, repository, packages: [repository] };
        expect((await registry.api('POST', '/api/publishers', draft)).status).toBe(201);
      }
      const asked = [8000 + 2 * round, 8001 + 2 * round].flatMap((id) => purposes.map((purpose) => ({ id, purpose })));
      const replies = await Promise.all(
        asked.map(async ({ id, purpose }, at) => ({
          id,
          ...(await exchange(urls[at % 3] ?? '', await idToken({ repository, repository_id: String(id) }), purpose)),
        })),
      );
      const accepted = replies.filter(({ status }) => status === 201);
      expect(accepted.length, JSON.stringify(replies)).toBe(2);
      expect(new Set(accepted.map(({ id }) => id)).size).toBe(1);
    }
  });
});

describe('publishing.keyless_only', () => {
  it('leaves its packages to trusted publishers, whoever else sends them', async () => {
    const created = await registry.api('POST', '/api/tokens', { description: 'CI', kind: 'write' });
    const writer = String(created.json['token']);
    await registry.api('PATCH', '/api/settings', { publishing: { keyless_only: ['acme/app*'] } });
    for (const as of [writer, registry.session]) {
      const refused = await upload(as, 'acme/app', '3.0.0');
      expect([refused.status, refused.json['code']]).toEqual([403, 'INSUFFICIENT_SCOPE']);
      expect(refused.json['error']).toMatch(/Only CI jobs of trusted publishers may upload acme\/app .*--oidc/);
    }
    writeTree(registry.folder.at('app'), libraryTree('acme/app', { version: '3.0.0' }));
    expect(await registry.cli('publish', 'app')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Only CI jobs of trusted publishers') as string,
    });
    expect((await upload(writer, 'acme/tool', '3.0.0')).status).toBe(201);
    const { json } = await exchange(registry.url(), await idToken());
    expect((await upload(String(json['token']), 'acme/app', '3.0.0')).json).toMatchObject({
      name: 'acme/app',
      published_from: { repository: 'acme/app', run_id: '5000' },
    });
  });
});
