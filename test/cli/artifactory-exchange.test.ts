// Tests the exchange of ID tokens that Dependabot's proxy asks for (internal/oidc/actions_oidc.go): the same request,
// and the answer that it reads. It is off unless the setting says otherwise.

import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKeylessRegistry, type KeylessRegistry } from '../util/keyless-registry.ts';
import { below, libraryTree, writeTree } from '../util/package-tree.ts';
import type { TemporaryFolder } from '../util/temporary-folder.ts';

const path = '/access/api/v1/oidc/token';
const build = (folder: TemporaryFolder): string => {
  writeTree(folder.at('lib'), below('.', libraryTree('acme/lib', { version: '1.0.0' })));
  const file = folder.at('libretto.json');
  const settings = JSON.parse(readFileSync(file, 'utf8')) as object;
  if (isOn) writeFileSync(file, JSON.stringify({ ...settings, artifactoryExchange: true }));
  return './lib';
};
let isOn = true;
let served: KeylessRegistry;

/** The ID token of a run of Dependabot, for this registry. */
async function idToken(claims: object = {}): Promise<string> {
  const job = served.githubJob({ event_name: 'dynamic', ...claims });
  const reply = await fetch(`${job['ACTIONS_ID_TOKEN_REQUEST_URL'] ?? ''}&audience=${encodeURIComponent(served.url)}`, {
    headers: { authorization: `Bearer ${job['ACTIONS_ID_TOKEN_REQUEST_TOKEN'] ?? ''}` },
  });
  return ((await reply.json()) as { value: string }).value;
}

async function exchange(
  over: object = {},
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const reply = await fetch(`${served.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'dependabot-proxy/1.0' },
    body: JSON.stringify({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      subject_token: await idToken(),
      provider_name: 'libretto',
      provider_type: 'GitHub',
      audience: served.url,
      ...over,
    }),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

const start = async (): Promise<void> => {
  served = await startKeylessRegistry(build);
};

describe("Dependabot's exchange", () => {
  let reader = '';
  beforeAll(async () => {
    await start();
    const add = (...more: readonly string[]): Promise<Record<string, unknown>> =>
      served.json('publisher', 'add', '--issuer', 'github', '--repository', 'acme/app', '--package', 'acme/*', ...more);
    reader = String((await add('--purpose', 'read'))['id']);
    await add('--refs', 'any');
  });
  afterAll(() => served[Symbol.asyncDispose]());

  it('gives a token that reads, and says for how long', async () => {
    const { status, body } = await exchange();
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^lib_r_/) as string,
        expires_in: expect.any(Number) as number,
        token_type: 'Bearer',
      },
    ]);
    expect(Number(body['expires_in'])).toBeGreaterThan(60);
    const headers = { authorization: `Bearer ${String(body['access_token'])}` };
    expect((await fetch(`${served.url}/p2/acme/lib.json`, { headers })).status).toBe(200);
    expect((await fetch(`${served.url}/api/artifacts`, { method: 'POST', headers })).status).toBe(403);
  });

  it('chooses a publisher by its id, and never one that publishes', async () => {
    expect((await exchange({ provider_name: reader })).status).toBe(200);
    const { publishers } = (await served.json('publisher', 'list')) as { publishers: Record<string, unknown>[] };
    const writer = publishers.find(({ purpose }) => purpose === 'publish')?.['id'];
    expect(await exchange({ provider_name: writer })).toMatchObject({
      status: 403,
      body: { code: 'PUBLISHER_MISMATCH' },
    });
  });

  it('refuses what the exchange of jobs refuses', async () => {
    const used = await idToken();
    expect((await exchange({ subject_token: used })).status).toBe(200);
    expect(await exchange({ subject_token: used })).toMatchObject({ status: 403, body: { code: 'ID_TOKEN_USED' } });
    const stranger = await idToken({ event_name: 'pull_request_target' });
    expect((await exchange({ subject_token: stranger })).body['code']).toBe('PUBLISHER_MISMATCH');
    expect((await exchange({ subject_token: 'x.y.z' })).body['code']).toBe('ID_TOKEN_INVALID');
    for (const over of [{ grant_type: 'password' }, { subject_token_type: 'x' }, { subject_token: 7 }])
      expect(await exchange(over), JSON.stringify(over)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_INPUT' },
      });
    expect((await fetch(`${served.url}${path}`)).status).toBe(400);
  });
});

it('is off unless it is configured', async () => {
  isOn = false;
  await start();
  await served.json(
    'publisher',
    'add',
    '--issuer',
    'github',
    '--repository',
    'acme/app',
    '--purpose',
    'read',
    '--package',
    '*',
  );
  const { status } = await exchange();
  await served[Symbol.asyncDispose]();
  expect([401, 404]).toContain(status);
});
