// Tests uploads of tars: the ZIP of a tar is published, and a hostile tar is refused.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { demandCompiled } from '../../setup/compiled.ts';
import { publishedVersions } from '../../util/published-tree.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import { tarOf } from '../../util/tar-bytes.ts';

let registry: RunningManagement;
let writer = '';
beforeAll(demandCompiled);
beforeAll(async () => {
  registry = await runManagement();
  writer = await registry.createToken('write');
});
afterAll(() => registry[Symbol.asyncDispose]());

const upload = (type: string, body: Buffer) =>
  registry.proxy.send('POST', '/api/artifacts', { authorization: `Bearer ${writer}`, 'content-type': type }, body);
const composerJson = { name: 'tarred/composer.json', text: '{"name": "acme/tarred", "version": "1.0.0"}' };
const staged = (): readonly string[] => readdirSync(join(registry.data, 'artifacts/.staging'));

it('the ZIP of a tar is published, once for the same tar', async () => {
  const tar = gzipSync(await tarOf(composerJson, { name: 'tarred/src/A.php', text: '<?php' }));
  const first = await upload('application/gzip', tar);
  expect([first.status, (await upload('application/octet-stream', tar)).status]).toEqual([201, 200]);
  expect(publishedVersions(registry.data)['acme/tarred@1.0.0']).toMatchObject({ shasum: first.json()['sha1'] });
  expect(staged()).toEqual([]);
});

it('a tar that leads out of its folder, or is none, is refused and leaves nothing behind', async () => {
  const leaving = await upload('application/x-tar', await tarOf(composerJson, { name: '../evil.php', text: 'x' }));
  expect([leaving.status, String(leaving.json()['error'])]).toEqual([400, expect.stringContaining('"../evil.php"')]);
  const none = await upload('application/gzip', gzipSync(Buffer.from('hello')));
  expect([none.status, none.json()['code']]).toEqual([400, 'ARTIFACT_INVALID']);
  expect(staged()).toEqual([]);
});
