// Tests purges where the tree is at an origin (I21): its tombstones arrive with the next copy of the tree, and those of
// mirrored versions are in the server's own data folder.

import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { zipOf } from '../util/hostile-zip.ts';
import { filesWithSecret, leakedSecret as secret, packageContaining } from '../util/leaked-version.ts';
import { startOrigin, type OriginServer } from '../util/origin-server.ts';
import { writeTree } from '../util/package-tree.ts';
import { serveTree, type RunningServer } from '../util/registry.ts';
import { runCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';

const folder = temporaryFolder('purge-at-origin');
const [builder, copy, own] = [folder.at('builder'), folder.at('copy'), folder.at('own')];
let origin: OriginServer;
let upstream: TestUpstream;
let server: RunningServer;
let token: string;

const libretto = async (...args: readonly string[]): Promise<string> => {
  const { exitCode, stdout, stderr } = await runCli(args, { cwd: folder.path });
  if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr}${stdout}`);
  return stdout;
};
/** Copies like rsync without --delete. */
const upload = (): void =>
  ['public', 'index'].forEach((part) =>
    cpSync(`${builder}/${part}`, `${copy}/${part}`, { recursive: true, preserveTimestamps: true }),
  );
const statusOf = async (path: string): Promise<number> => {
  const reply = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
  await reply.arrayBuffer();
  return reply.status;
};

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.put('some/lib', [
    { version: '1.0.0', zip: zipOf([{ name: 'lib/src/Bad.php', data: Buffer.from(`<?php // ${secret}`) }]) },
  ]);
  writeTree(folder.path, {
    ...packageContaining('src/one', '1.0.0', 'first'),
    ...packageContaining('src/two', '1.1.0', 'leaked'),
  });
  writeFileSync(folder.at('libretto.json'), JSON.stringify({ egress: { allow: ['127.0.0.0/8'] }, originCheck: 200 }));
  await libretto('build', 'src', '--data', builder);
  upload();
  origin = await startOrigin(copy);
  token = (
    JSON.parse(await libretto('token', 'create', '--json', '--description', 'a test', '--data', own)) as {
      token: string;
    }
  ).token;
  for (const [key, value] of [
    ['mirroring.url', upstream.url],
    ['mirroring.enabled', 'true'],
  ] as const)
    await libretto('settings', 'set', key, value, '--data', own);
  server = await serveTree(folder.path, own, ['--origin', origin.url]);
});
afterAll(async () => {
  await server.stop();
  await origin[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  await folder.remove();
});

it('a purge on the building host arrives with the next copy of the tree, and names the files to delete at the origin', async () => {
  const archive = 'dist/acme/hello/1.1.0.zip';
  expect(await statusOf(`/${archive}`)).toBe(200);
  expect(
    await libretto('package', 'purge', 'acme/hello', '1.1.0', '--reason', 'secret', '--yes', '--data', builder),
  ).toMatch(new RegExp(`delete there and purge from its caches: .*${archive}`));
  upload();
  await expect.poll(() => statusOf(`/${archive}`), { timeout: 60_000 }).toBe(410);
  expect([existsSync(`${copy}/public/${archive}`), await statusOf('/dist/acme/hello/1.0.0.zip')]).toEqual([true, 200]);
});

it('a version that only the server mirrors is purged in its own data folder', async () => {
  expect([await statusOf('/dist/some/lib/1.0.0.zip'), filesWithSecret(`${own}/mirror`)]).toEqual([
    200,
    [expect.stringMatching(/\.zip$/)],
  ]);
  await libretto('package', 'purge', 'some/lib', '1.0.0', '--reason', 'malware', '--yes', '--data', own);
  const fetched = upstream.asked('/files/');
  expect([
    await statusOf('/dist/some/lib/1.0.0.zip'),
    await statusOf('/dist/acme/hello/1.1.0.zip'),
    await statusOf('/dist/acme/hello/1.0.0.zip'),
  ]).toEqual([410, 410, 200]);
  expect([filesWithSecret(own), upstream.asked('/files/')]).toEqual([[], fetched]);
});
