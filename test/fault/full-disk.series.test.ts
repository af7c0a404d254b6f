// Tests a full or read-only disk under the compiled program (row 84): reads continue, writes name the cause, and
// everything works again once there is space.

import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { zipOf } from '../util/hostile-zip.ts';
import { archiveFor } from '../util/mirroring-registry.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { cannotMount, smallDisk, type SmallDisk } from '../util/small-disk.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { startUpstream } from '../util/upstream.ts';
import { itInSeries } from '../util/series.ts';

const kibibyte = 1024;
const password = 'correct horse battery';

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

describe.skipIf(cannotMount())('a disk without space', () => {
  let disk: SmallDisk;
  let folder: TemporaryFolder;
  let server: RunningCli | undefined;
  let url = '';
  let tokens: { readonly read: string; readonly write: string };

  const data = (): string => join(disk.path, 'data');
  const run = (...args: readonly string[]): Promise<CliOutcome> =>
    runCli([...args, '--data', data()], { cwd: folder.path });
  const start = async (...flags: readonly string[]): Promise<void> => {
    server = startCli(['serve', '--listen', '127.0.0.1:0', '--data', data(), ...flags], { cwd: folder.path });
    url = (await server.shows(/http:\/\/127\.0\.0\.1:\d+/))[0];
  };
  const stop = async (): Promise<void> => {
    server?.signal('SIGKILL');
    await server?.ended;
    server = undefined;
  };
  const ask = async (path: string, as: string, options: RequestInit = {}): Promise<Reply> => {
    const response = await fetch(url + path, {
      ...options,
      headers: { ...options.headers, authorization: `Bearer ${as}` },
    });
    const text = await response.text();
    return {
      status: response.status,
      body:
        response.headers.get('content-type')?.startsWith('application/json') === true
          ? (JSON.parse(text) as Reply['body'])
          : {},
    };
  };
  const send = (path: string, as: string, body: object, method = 'POST'): Promise<Reply> =>
    ask(path, as, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const upload = (bytes: number): Promise<Reply> => {
    const zip = zipOf([
      { name: 'composer.json', data: JSON.stringify({ name: 'acme/sent', version: '1.0.0' }) },
      { name: 'noise', data: randomBytes(bytes), stored: true },
    ]);
    return ask('/api/artifacts', tokens.write, {
      method: 'POST',
      headers: { 'content-type': 'application/zip' },
      body: new Uint8Array(zip),
    });
  };
  const readAll = async (): Promise<readonly number[]> =>
    Promise.all(
      ['/packages.json', '/p2/acme/hello.json', '/dist/acme/hello/1.0.0.zip'].map(
        async (path) => (await ask(path, tokens.read)).status,
      ),
    );
  /** Calls the management API while the count of a sent archive waits to be written. */
  const lookAll = async (): Promise<readonly number[]> =>
    Promise.all(
      ['', '/acme/hello', '/acme/hello/statistics'].map(
        async (path) => (await ask(`/api/packages${path}`, tokens.read)).status,
      ),
    );
  const createToken = async (kind: string): Promise<string> =>
    (await run('token', 'create', '--kind', kind, '--description', 'x')).stdout.trim();

  // made once; each test starts with a copy
  let made: TemporaryFolder;
  beforeAll(async () => {
    [made, disk, folder] = [temporaryFolder('full-disk-base'), smallDisk(32), temporaryFolder('full-disk')];
    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
    expect((await run('build', 'hello')).exitCode).toBe(0);
    tokens = { read: await createToken('read'), write: await createToken('write') };
    cpSync(data(), made.at('data'), { recursive: true, preserveTimestamps: true });
    disk.remove();
  });

  beforeEach(() => {
    disk = smallDisk(32);
    cpSync(made.at('data'), data(), { recursive: true, preserveTimestamps: true });
    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
  });

  afterEach(async () => {
    await stop();
    disk.remove();
    rmSync(folder.at('libretto.json'), { force: true });
  });

  afterAll(async () => {
    await folder.remove();
    await made.remove();
  });

  it('lets the server read on, answer every change with STORAGE_FULL, report it in health, and recover with space', async () => {
    const person = ['user', 'create', '--admin', '--email', 'ada@example.org', '--password-stdin', '--data', data()];
    await runCli(person, { cwd: folder.path, input: `${password}\n` });
    await start();
    const session = String((await send('/api/auth/login', '', { email: 'ada@example.org', password })).body['token']);
    expect((await ask('/health/ready', '')).body).toMatchObject({ storage: 'ok' });
    disk.fill();
    const full = { status: 500, body: { code: 'STORAGE_FULL' } };
    expect(await upload(100 * kibibyte)).toMatchObject(full);
    // pages that the state freed before may still take a few changes
    const untilFull = async (change: () => Promise<Reply>): Promise<Reply> => {
      let answer = await change();
      for (let tries = 0; answer.status < 300 && tries < 50; tries += 1) answer = await change();
      return answer;
    };
    const create = () => send('/api/tokens', session, { kind: 'read', description: 'y' });
    expect(await untilFull(create)).toMatchObject(full);
    const login = () => send('/api/auth/login', '', { email: 'ada@example.org', password });
    expect(await untilFull(login)).toMatchObject(full);
    expect(await send('/api/settings', session, { 'limits.read': 5 }, 'PATCH')).toMatchObject({
      status: expect.not.toBeOneOf([200, 201]) as number,
    });
    expect(await readAll()).toEqual([200, 200, 200]);
    expect(await lookAll()).toEqual([200, 200, 200]);
    expect((await ask('/api/packages/acme/hello/statistics', tokens.read)).body).toMatchObject({ total: 1 });

    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.1.0' }));
    for (const command of [
      ['build', 'hello'],
      ['token', 'create', '--description', 'z'],
      ['package', 'withdraw', 'acme/hello', '1.0.0'],
    ]) {
      const { exitCode, stderr } = await run(...command);
      expect([command[0], exitCode, stderr], stderr).toEqual([
        command[0],
        74,
        expect.stringMatching(/full|space/i) as string,
      ]);
    }
    expect(readdirSync(join(data(), 'build')).filter((name) => name.startsWith('last-build.json.'))).toEqual([]);
    disk.free();
    expect(await upload(100 * kibibyte)).toMatchObject({ status: 201 });
    expect(await send('/api/tokens', session, { kind: 'read', description: 'y' })).toMatchObject({ status: 201 });
    expect(await readAll()).toEqual([200, 200, 200]);
  });

  itInSeries('is named as the reason also when it takes only a part of a write of the state', async () => {
    // rows of many pages are written with one call
    const limits = Array.from({ length: 200 }, (_, index) => ['--package', `acme/${'long'.repeat(20)}-${index}`]);
    for (let left = 0; left <= 64; left += process.env['CRASH_KILLS'] === undefined ? 16 : 4) {
      disk.fill(left * kibibyte);
      const { exitCode, stderr } = await run('token', 'create', '--description', 'z', ...limits.flat());
      expect([exitCode, stderr], `${left} KiB left: ${stderr}`).toEqual(
        exitCode === 0 ? [0, stderr] : [74, expect.stringMatching(/The disk is full/) as string],
      );
    }
    disk.free();
    expect((await run('verify')).exitCode).toBe(0);
  });

  itInSeries.each([1200, 2020])(
    'is never reported as a fault of the archive, with %i KiB left during a publication',
    async (left) => {
      await start();
      disk.fill(left * kibibyte);
      const { status, body } = await upload(1000 * kibibyte);
      expect([status, body['code']]).toEqual([500, 'STORAGE_FULL']);
      expect(
        existsSync(join(data(), 'artifacts/acme/sent')) &&
          readFileSync(join(data(), 'public/packages.json'), 'utf8').includes('acme/sent'),
      ).toBe(false);
      disk.free();
      expect((await run('verify')).exitCode).toBe(0);
      expect(await upload(1000 * kibibyte)).toMatchObject({ status: 201 });
    },
  );

  itInSeries(
    'lets a mirror serve its archives, pass documents on, and report the full disk for an archive that it cannot store',
    async () => {
      await using upstream = await startUpstream();
      const put = (name: string): void => upstream.put(name, [{ version: '1.0.0', zip: archiveFor(name) }]);
      put('some/kept');
      put('some/late');
      writeFileSync(folder.at('libretto.json'), JSON.stringify({ egress: { allow: ['127.0.0.0/8'] } }));
      for (const setting of [
        ['mirroring.url', upstream.url],
        ['mirroring.enabled', 'true'],
      ])
        expect((await run('settings', 'set', ...setting)).exitCode).toBe(0);
      await start();
      const read = (path: string): Promise<Reply> => ask(path, tokens.read);
      expect([(await read('/p2/some/kept.json')).status, (await read('/dist/some/kept/1.0.0.zip')).status]).toEqual([
        200, 200,
      ]);
      disk.fill();
      expect([(await read('/p2/some/kept.json')).status, (await read('/dist/some/kept/1.0.0.zip')).status]).toEqual([
        200, 200,
      ]);
      expect((await read('/p2/some/late.json')).status).toBe(200);
      expect(await read('/dist/some/late/1.0.0.zip')).toMatchObject({ status: 500, body: { code: 'STORAGE_FULL' } });
      disk.free();
      expect((await read('/dist/some/late/1.0.0.zip')).status).toBe(200);
    },
  );

  it('is reported to load balancers and doctor, and the server stays ready', async () => {
    disk.fill();
    await start();
    expect(await ask('/health/ready', '')).toMatchObject({ status: 200, body: { status: 'ready', storage: 'full' } });
    expect((await ask('/health', '')).body).toMatchObject({ status: 'degraded', storage: 'full', tree: 'ok' });
    expect(await readAll()).toEqual([200, 200, 200]);
    const { stdout } = await run('doctor', '--json');
    expect((JSON.parse(stdout) as { checks: readonly object[] }).checks).toContainEqual(
      expect.objectContaining({ check: 'disk', verdict: 'failed' }),
    );
  });

  itInSeries('a read-only disk lets the server work without a request log', async () => {
    disk.mountAgain('ro');
    await start('--log', join(data(), 'log/requests.log'));
    expect(server?.output().stderr).toContain('it goes to standard output');
    expect(await readAll()).toEqual([200, 200, 200]);
    expect(await lookAll()).toEqual([200, 200, 200]);
    expect(await upload(1000)).toMatchObject({ status: 500, body: { code: 'STORAGE_READ_ONLY' } });
    expect(await ask('/health/ready', '')).toMatchObject({
      status: 200,
      body: { status: 'ready', storage: 'read-only' },
    });
    const { stdout } = await run('doctor', '--json');
    expect((JSON.parse(stdout) as { checks: readonly object[] }).checks).toContainEqual(
      expect.objectContaining({
        check: 'data',
        verdict: 'failed',
        message: expect.stringContaining('read-only') as string,
      }),
    );
  });
});
