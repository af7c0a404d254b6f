// Tests a mirrored name that is published here: from the publication on it is private, and no cached data of it is used
// (I9, I17).

import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { zipOf } from '../util/hostile-zip.ts';
import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';
import { whoLibrary } from '../util/who-library.ts';

let upstream: TestUpstream;
let registry: ManagedRegistry;
let token = '';
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.put('some/lib', [{ version: '9.0.0', zip: zipOf([{ name: 'lib/src/A.php', data: Buffer.from('<?php') }]) }]);
  registry = await startManagedRegistry({
    egress: { allow: ['127.0.0.0/8'] },
    sources: [{ type: 'composer', url: upstream.url }],
  });
  await registry.cli('build');
  token = String((await registry.api('POST', '/api/tokens', { description: 'a client', kind: 'read' })).json['token']);
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

async function ask(path: string): Promise<{ readonly status: number; readonly bytes: Buffer }> {
  const answer = await fetch(registry.url() + path, { headers: { Authorization: `Bearer ${token}` } });
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
}
const versions = async (): Promise<string> => (await ask('/p2/some/lib.json')).bytes.toString();

it('a mirrored name that becomes private is answered from this registry with the next request', async () => {
  for (let time = 0; time < 3; time += 1) {
    expect(await versions()).toContain('9.0.0');
    expect((await ask('/dist/some/lib/9.0.0.zip')).status).toBe(200);
  }
  const source = temporaryTree({ ...below('lib', whoLibrary('some/lib', '1.0.0')) }, registry.folder.path);
  const { exitCode, stderr } = await registry.cli('build', source.root);
  expect(exitCode, stderr).toBe(0);
  const asked = upstream.server.requests.length;
  expect(await versions()).toContain('1.0.0');
  expect(await versions()).not.toContain('9.0.0');
  expect((await ask('/dist/some/lib/1.0.0.zip')).status).toBe(200);
  expect((await ask('/dist/some/lib/9.0.0.zip')).status).toBe(404);
  expect(upstream.server.requests.length).toBe(asked);
  rmSync(source.root, { recursive: true });
});
