// Tests uploads and withdrawals over HTTP while the folder of uploads is missing: neither withdraws the other uploads.

import { renameSync, rmSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { demandCompiled } from '../../setup/compiled.ts';
import { zipOf } from '../../util/hostile-zip.ts';
import { publishedVersions } from '../../util/published-tree.ts';
import { runManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

beforeAll(demandCompiled);

it('without the folder of uploads, an upload and a withdrawal are refused, and every version stays', async () => {
  await using registry = await runManagement();
  const writer = await registry.createToken('write');
  const { token: keeper } = await registry.signIn('maintainer');
  const headers = { authorization: `Bearer ${writer}`, 'content-type': 'application/zip' };
  const upload = (version: string): Promise<Reply> => {
    const json = JSON.stringify({ name: 'acme/kept', version });
    return registry.proxy.send('POST', '/api/artifacts', headers, zipOf([{ name: 'composer.json', data: json }]));
  };
  const id = String((await upload('1.0.0')).json()['id']);
  const withdraw = (): Promise<Reply> => registry.call('DELETE', `/api/artifacts/${id}`, { as: keeper });
  expect((await upload('2.0.0')).status).toBe(201);
  const before = publishedVersions(registry.data);
  const [folder, away] = [`${registry.data}/artifacts`, `${registry.data}-away`];
  renameSync(folder, away);
  for (const request of [() => upload('3.0.0'), withdraw]) {
    const reply = await request();
    expect([reply.status, reply.json()]).toMatchObject([
      500,
      { code: 'TREE_DAMAGED', error: expect.stringMatching(/lost its ZIPs.*`libretto doctor`/) as string },
    ]);
    expect(publishedVersions(registry.data)).toEqual(before);
  }
  rmSync(folder, { recursive: true });
  renameSync(away, folder);
  expect((await withdraw()).status).toBe(200);
  expect(Object.keys(publishedVersions(registry.data))).toEqual(['acme/kept@2.0.0']);
});
