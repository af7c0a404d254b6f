// Tests uploads and withdrawals over HTTP while the folder of uploads is missing: neither withdraws the other uploads.

import { cpSync, renameSync, rmSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { demandCompiled } from '../../setup/compiled.ts';
import { zipOf } from '../../util/hostile-zip.ts';
import { publishedVersions } from '../../util/published-tree.ts';
import { runManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

beforeAll(demandCompiled);

const refused = [
  500,
  { code: 'TREE_DAMAGED', error: expect.stringMatching(/lost its ZIPs.*`libretto doctor`/) as string },
];

async function runWithUploads() {
  const registry = await runManagement();
  const writer = await registry.createToken('write');
  const { token: keeper } = await registry.signIn('maintainer');
  const headers = { authorization: `Bearer ${writer}`, 'content-type': 'application/zip' };
  const upload = (name: string, version: string): Promise<Reply> => {
    const json = JSON.stringify({ name, version });
    return registry.proxy.send('POST', '/api/artifacts', headers, zipOf([{ name: 'composer.json', data: json }]));
  };
  const id = String((await upload('acme/kept', '1.0.0')).json()['id']);
  return {
    folder: `${registry.data}/artifacts`,
    upload,
    withdraw: (): Promise<Reply> => registry.call('DELETE', `/api/artifacts/${id}`, { as: keeper }),
    published: (): readonly string[] => Object.keys(publishedVersions(registry.data)).toSorted(),
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  };
}

it('without the folder of uploads, an upload and a withdrawal are refused, and every version stays', async () => {
  await using registry = await runWithUploads();
  const { folder, upload, withdraw, published } = registry;
  expect((await upload('acme/kept', '2.0.0')).status).toBe(201);
  const away = `${folder}-away`;
  renameSync(folder, away);
  for (const request of [() => upload('acme/kept', '3.0.0'), withdraw]) {
    const reply = await request();
    expect([reply.status, reply.json()]).toMatchObject(refused);
    expect(published()).toEqual(['acme/kept@1.0.0', 'acme/kept@2.0.0']);
  }
  rmSync(folder, { recursive: true });
  renameSync(away, folder);
  expect((await withdraw()).status).toBe(200);
  expect(published()).toEqual(['acme/kept@2.0.0']);
});

it('without the ZIP of one upload, neither the withdrawal of another upload nor a new upload withdraws it', async () => {
  await using registry = await runWithUploads();
  const { folder, upload, withdraw, published } = registry;
  expect((await upload('acme/lost', '1.0.0')).status).toBe(201);
  // a ZIP that no build has read yet replaces no lost one
  cpSync(`${folder}/acme/kept/acme-kept-1.0.0.zip`, `${folder}/copy.zip`);
  rmSync(`${folder}/acme/lost`, { recursive: true });
  for (const request of [() => upload('acme/kept', '2.0.0'), withdraw]) {
    const reply = await request();
    expect([reply.status, reply.json()]).toMatchObject(refused);
    expect(published()).toEqual(['acme/kept@1.0.0', 'acme/lost@1.0.0']);
  }
});
