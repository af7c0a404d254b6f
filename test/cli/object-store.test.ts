// Tests `output`: commands on several hosts publish to one object store (I27). docs/how-to/object-store.md.

import { existsSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRepository } from '../util/git-repository.ts';
import { startHostileStore, type HostileStore, type LoggedRequest } from '../util/hostile-store.ts';
import { cannotMount, smallDisk } from '../util/small-disk.ts';
import { below, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli, startCli, type CliOutcome } from '../util/run-cli.ts';
import { startRedis } from '../util/redis-server.ts';
import { whoLibrary } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

let tree: TemporaryTree;
let store: HostileStore;

beforeEach(async () => {
  tree = temporaryTree();
  store = await startHostileStore();
  put('one', '1.0.0');
});
afterEach(async () => {
  await store.close();
  tree.remove();
});

const put = (folder: string, version: string, who = folder): void =>
  tree.write(below(`packages/${folder}`, whoLibrary('acme/hello', version, {}, who)));
const address = 's3://libretto-test/registry';
const run = (host: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<CliOutcome> =>
  runCli([...args, '--data', host], {
    cwd: tree.root,
    environment: { ...store.environment, LIBRETTO_OUTPUT: address, ...more },
  });
const textAt = (key: string): string | undefined => store.objects.get(`registry/${key}`)?.bytes.toString('utf8');
const isHead = ({ method, key }: LoggedRequest): boolean => method === 'PUT' && key === 'registry/index/_head.json';

describe('an object store as output', () => {
  it('has what one host publishes, and another host goes on with it', async () => {
    expect(await run('one', ['build', './packages'])).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(textAt('index/_probe.json') ?? '')).toMatchObject({ verdict: 'usable', race: 'works' });
    expect(existsSync(tree.path('one/public/dist/acme/hello/1.0.0.zip'))).toBe(false);
    put('two', '1.1.0');
    const built = await run('other', ['build', '--json']);
    expect(JSON.parse(built.stdout)).toMatchObject({ added: [{ version: '1.1.0' }], published: true });
    const listed = await run('one', ['package', 'list', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject({ packages: [{ name: 'acme/hello', versions: 2 }] });
    expect(textAt('public/p2/acme/hello.json')).toContain('"1.1.0"');
    expect(store.objects.has('registry/public/dist/acme/hello/1.1.0.zip')).toBe(true);
  });

  itInSeries('gives its packages to bundles, and takes those of bundles', async () => {
    const elsewhere = { LIBRETTO_OUTPUT: 's3://libretto-test/elsewhere' };
    await run('one', ['build', './packages']);
    expect(await run('one', ['bundle', '--name', 'libretto', '--out', 'all.tar'])).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
    expect(existsSync(tree.path('one/public/dist/acme/hello/1.0.0.zip'))).toBe(false);
    expect(await run('there', ['receive', 'all.tar'], elsewhere)).toMatchObject({ exitCode: 0 });
    put('two', '1.1.0');
    await run('one', ['build']);
    expect(await run('one', ['bundle', '--name', 'libretto', '--since', '1', '--out', 'new.tar'])).toMatchObject({
      exitCode: 0,
    });
    const received = await run('there', ['receive', 'new.tar', '--json'], elsewhere);
    expect(JSON.parse(received.stdout)).toMatchObject({ added: [{ version: '1.1.0' }], withdrawn: [] });
    const archives = (prefix: string) =>
      [...store.objects].filter(([key]) => key.startsWith(`${prefix}/public/dist/`)).map(([, { bytes }]) => bytes);
    expect(archives('elsewhere')).toEqual(archives('registry'));
    expect(archives('elsewhere')).toHaveLength(2);
    expect([...store.objects.keys()].filter((key) => key.includes('build/receive'))).toEqual([]);
  });

  itInSeries('is verified, with the objects that it lacks', async () => {
    await run('one', ['build', './packages']);
    expect(await run('one', ['verify'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Checked \d+ objects of the store: all as published\.$/m) as string,
    });
    const document = store.objects.get('registry/public/p2/acme/hello.json');
    store.objects.set('registry/public/p2/acme/hello.json', { bytes: Buffer.from('{}'), etag: '"1"', headers: {} });
    expect(await run('one', ['verify'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /public\/p2\/acme\/hello\.json: The object has 2 bytes, .* It is a copy for static hosts: delete index/,
      ) as string,
    });
    rmSync(tree.path('one/build/store/base.json'));
    store.objects.delete('registry/index/_projection.json');
    await run('one', ['build', './packages']);
    expect(store.objects.get('registry/public/p2/acme/hello.json')?.bytes).toEqual(document?.bytes);
    store.objects.delete('registry/public/dist/acme/hello/1.0.0.zip');
    const found = await run('one', ['verify', '--json']);
    expect(found.exitCode).toBe(1);
    expect(JSON.parse(found.stdout)).toMatchObject({
      output: {
        faults: [
          {
            key: 'public/dist/acme/hello/1.0.0.zip',
            message: 'The object is missing. Restore it from a version of the bucket, or from a backup.',
          },
        ],
      },
    });
    expect(await run('one', ['doctor'])).toMatchObject({
      stdout: expect.stringMatching(
        /^FAILED +output\.objects +s3:\/\/libretto-test\/registry lacks 1 object/m,
      ) as string,
    });
  });

  it('is verified by its bytes, whatever the store recorded of them, unless --fast is given', async () => {
    await run('one', ['build', './packages']);
    const key = 'registry/public/dist/acme/hello/1.0.0.zip';
    const held = store.objects.get(key);
    if (held === undefined) throw new Error('the archive is not there');
    const bytes = Buffer.from(held.bytes);
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    store.objects.set(key, { ...held, bytes });
    const { exitCode, stderr } = await run('one', ['verify']);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(
        /public\/dist\/acme\/hello\/1\.0\.0\.zip: The object has other bytes than published\. Restore it from/,
      ),
    ]);
    expect(await run('one', ['verify', '--fast'])).toMatchObject({ exitCode: 0 });
  });

  itInSeries('is verified without a fault while another host publishes', async () => {
    await run('one', ['build', './packages']);
    let first = true;
    store.fault = ({ method, key: asked }) => {
      if (method !== 'GET' || asked !== 'registry/public/p2/acme/hello.json' || !first) return undefined;
      first = false;
      put('two', '1.1.0');
      void run('other', ['build', './packages']);
      return { delayMs: 5000 };
    };
    expect(await run('one', ['verify'])).toMatchObject({ exitCode: 0 });
  });

  itInSeries('is looked at by doctor before a first build, which leaves nothing on the disk', async () => {
    const missing = await run('one', ['doctor', '--json']);
    const checks = (text: string) =>
      Object.fromEntries(
        (JSON.parse(text) as { checks: { check: string; verdict: string }[] }).checks.map((one) => [
          one.check,
          one.verdict,
        ]),
      );
    expect(checks(missing.stdout)).toMatchObject({ output: 'ok', data: 'skipped' });
    expect(existsSync(tree.path('one'))).toBe(false);
    tree.write({ 'one/': '' });
    const empty = await run('one', ['doctor', '--json']);
    expect(checks(empty.stdout)).toMatchObject({ output: 'ok', data: 'ok', tree: 'warning' });
    expect(existsSync(tree.path('one/build'))).toBe(false);
    await run('other', ['build', './packages']);
    expect(checks((await run('two', ['doctor', '--json'])).stdout)).toMatchObject({ 'output.objects': 'ok' });
    expect(existsSync(tree.path('two'))).toBe(false);
    const older = await startHostileStore({ dialect: 'minio-2024' });
    const looked = await run('three', ['doctor'], older.environment);
    await older.close();
    expect(looked.stdout).toContain('It also writes a replacement of an object that is gone');
  });

  itInSeries('is looked at as an origin before a first build, and counted by status after it', async () => {
    const environment = { LIBRETTO_OUTPUT: '', LIBRETTO_ORIGIN: address };
    const looked = await run('none', ['doctor', '--json'], environment);
    const { checks } = JSON.parse(looked.stdout) as { checks: { check: string }[] };
    expect(checks.find(({ check }) => check === 'origin')).toMatchObject({
      verdict: 'failed',
      message: expect.stringContaining(`Nothing was published to ${address}`) as string,
      advice: expect.stringContaining(`libretto build --output ${address}`) as string,
    });
    await run('one', ['build', './packages']);
    const redis = await startRedis();
    const stateless = { ...environment, LIBRETTO_STATE: redis.url };
    await run('none', ['token', 'create', '--description', 'CI'], stateless);
    const { exitCode, stdout } = await run('none', ['status', '--json'], stateless).finally(() => redis.stop());
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      0,
      { publication: { serial: 1 }, counts: { packages: 1, versions: 1 } },
    ]);
    expect(existsSync(tree.path('none/public'))).toBe(false);
  });

  itInSeries('says after a purge without the right to delete what was done, and another build ends it', async () => {
    await run('one', ['build', './packages']);
    put('two', '1.1.0');
    await run('one', ['build']);
    store.fault = ({ method }) => (method === 'DELETE' ? { status: 403, code: 'AccessDenied' } : undefined);
    const purged = await run('one', ['package', 'purge', 'acme/hello', '1.1.0', '--reason', 'secret', '--yes']);
    expect(purged).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/Allow s3:DeleteObject .* Generation 3 is published all the same\./) as string,
    });
    expect(purged.stderr).not.toContain('Nothing was changed');
    expect(textAt('index/_head.json')).toContain('"generation": 3');
    store.fault = () => undefined;
    rmSync(tree.path('packages/two'), { recursive: true });
    expect(await run('one', ['build'])).toMatchObject({ exitCode: 0 });
    expect([...store.objects.keys()].filter((key) => key.includes('1.1.0'))).toEqual([]);
  });

  itInSeries('loses the documents of former publications by prune, after a day', async () => {
    await run('one', ['build', './packages']);
    put('two', '1.1.0');
    await run('one', ['build']);
    for (const [key, held] of store.objects) store.objects.set(key, { ...held, modified: '2026-01-01T00:00:00.000Z' });
    const before = [...store.objects.keys()].filter((key) => key.includes('/documents/')).length;
    const pruned = await run('one', ['prune', '--json']);
    const { unused_objects: unused } = JSON.parse(pruned.stdout) as { unused_objects: { objects: number } };
    expect(unused.objects).toBeGreaterThan(0);
    expect([...store.objects.keys()].filter((key) => key.includes('/documents/'))).toHaveLength(
      before - unused.objects,
    );
    expect(await run('one', ['verify'])).toMatchObject({ exitCode: 0 });
  });

  itInSeries('is said to be waited for, while a builder of another host has its copies', async () => {
    await run('one', ['build', './packages']);
    const key = 'registry/index/_projection.json';
    const other = { format: 1, listing: null, begun: [], until: Date.now() + 3_600_000, by: 'another' };
    store.objects.set(key, { ...store.objects.get(key)!, bytes: Buffer.from(JSON.stringify(other)) });
    put('two', '1.1.0');
    const waiting = startCli(['build', '--data', 'one'], {
      cwd: tree.root,
      environment: { ...store.environment, LIBRETTO_OUTPUT: address },
    });
    await waiting.shows(/^Waiting for the builder that copies documents at s3:\S+: at most 60 s if it was killed\.$/m);
    store.objects.delete(key);
    expect((await waiting.ended).exitCode).toBe(0);
  });

  it('takes uploads, also where another builder is first', async () => {
    await run('one', ['build', './packages']);
    rmSync(tree.path('packages/one'), { recursive: true });
    put('upload', '2.0.0');
    let first = true;
    let other: Promise<CliOutcome> | undefined;
    store.fault = (request) => {
      if (!isHead(request) || !first) return undefined;
      first = false;
      other = run('other', ['package', 'withdraw', 'acme/hello', '1.0.0']);
      return { delayMs: 1500 };
    };
    const published = await run('one', ['publish', './packages/upload']);
    expect(published).toMatchObject({ exitCode: 0 });
    expect(await other).toMatchObject({ exitCode: 0 });
    const document = JSON.parse(textAt('public/p2/acme/hello.json') ?? '') as { packages: Record<string, object> };
    expect(Object.keys(document.packages['acme/hello'] ?? {})).toEqual(['2.0.0']);
  });

  itInSeries('gives back former contents of a branch without a transfer of archives', async () => {
    const { append } = createRepository(tree.path('branch'), [
      { commit: 'main', files: { 'composer.json': '{"name": "acme/branch"}', 'who.txt': 'first' } },
    ]);
    await run('one', ['build', tree.path('branch')]);
    const alias = 'registry/public/dist/acme/branch/dev-main.zip';
    const first = store.objects.get(alias)?.bytes;
    append([{ commit: 'main', files: { 'who.txt': 'second' } }]);
    await run('one', ['build']);
    expect(store.objects.get(alias)?.bytes).not.toEqual(first);
    const before = store.requests.length;
    expect(await run('other', ['rollback', '1'])).toMatchObject({ exitCode: 0 });
    expect(store.objects.get(alias)?.bytes).toEqual(first);
    const transfers = store.requests
      .slice(before)
      .filter(
        ({ method, key, headers }) =>
          key?.endsWith('.zip') === true && (method === 'GET' || headers['x-amz-copy-source'] === undefined),
      );
    expect(transfers).toEqual([]);
    expect(await run('one', ['verify'])).toMatchObject({ exitCode: 0 });
  });

  itInSeries('is purged of a version, and of the last upload, and builds go on', async () => {
    await run('one', ['build', './packages']);
    put('upload', '2.0.0', 'secret');
    await run('one', ['publish', './packages/upload']);
    rmSync(tree.path('packages/upload'), { recursive: true });
    for (const flag of ['--dry-run', '--yes'])
      expect(await run('other', ['package', 'purge', 'acme/hello', '2.0.0', '--reason', 'secret', flag])).toMatchObject(
        {
          exitCode: 0,
        },
      );
    expect([...store.objects.keys()].filter((key) => key.includes('2.0.0'))).toEqual([]);
    expect(await run('one', ['build'])).toMatchObject({ exitCode: 0 });
  });

  itInSeries(
    'is not begun at an empty prefix from a copy of another one, whose archives are missing here',
    async () => {
      await run('one', ['build', './packages']);
      const moved = await run('one', ['build'], { LIBRETTO_OUTPUT: 's3://libretto-test/moved' });
      expect(moved).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(/Copy all objects there first/) as string,
      });
      for (const [key, held] of store.objects) store.objects.set(key.replace('registry/', 'moved/'), held);
      expect(await run('one', ['verify'], { LIBRETTO_OUTPUT: 's3://libretto-test/moved' })).toMatchObject({
        exitCode: 0,
      });
    },
  );

  itInSeries.skipIf(cannotMount())(
    'whose documents do not fit on the disk of a host ends its command with the reason',
    async () => {
      await run('one', ['build', './packages']);
      const disk = smallDisk(1);
      disk.fill(4096);
      const full = await run(disk.path, ['build']);
      expect([full.exitCode, full.stderr]).toEqual([74, expect.stringMatching(/cannot be written\. The disk is full/)]);
      disk.free();
      expect(await run(disk.path, ['build'])).toMatchObject({ exitCode: 0 });
      disk.remove();
    },
  );

  it('that ignores conditions is refused before anything is published', async () => {
    store.fault = ({ headers, method }) =>
      method === 'PUT' && headers['if-none-match'] !== undefined ? { status: 501, code: 'NotImplemented' } : undefined;
    const refused = await run('one', ['build', './packages']);
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /cannot be the output: it does not create an object only if there is none/,
      ) as string,
    });
    expect([...store.objects.keys()]).toEqual([]);
  });

  itInSeries('that is away ends a command with exit code 75, and wrong credentials with 2', async () => {
    await run('one', ['build', './packages']);
    const denied = await run('one', ['build'], { AWS_SECRET_ACCESS_KEY: 'another' });
    expect(denied).toMatchObject({ exitCode: 2, stderr: expect.not.stringContaining('another') as string });
    await store.close();
    expect(await run('one', ['build'], { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' })).toMatchObject({ exitCode: 75 });
  });

  it('has an address that is checked', async () => {
    const refused = await run('one', ['build', './packages'], { LIBRETTO_OUTPUT: 's3://B/x?zone=1' });
    expect(refused.stderr).toMatch(/LIBRETTO_OUTPUT is no address of an object store: it has zone/);
  });
});
