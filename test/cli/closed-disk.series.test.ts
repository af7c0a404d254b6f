// Tests a full and a read-only disk: packages are served to clients with a token, and commands that only read the state
// work. Each program has a mount of its own in a namespace that ends with the program.

import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { libraryTree, writeTree } from '../util/package-tree.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

const namespace = ['unshare', '--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];
const mayMount =
  spawnSync(namespace[0] ?? '', [...namespace.slice(1), 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp']).status === 0;
if (!mayMount)
  process.stderr.write(
    'test/cli/closed-disk.series.test.ts is skipped: this user may not mount in a namespace of their own.\n',
  );

const folder = temporaryFolder('cli-closed-disk');
const data = folder.at('disk/var');
const within = (mount: string): readonly string[] => [...namespace, 'sh', '-ec', `${mount}; exec "$@"`, 'sh'];
const disks = {
  'read-only': within(
    `mount --bind '${folder.at('disk')}' '${folder.at('disk')}'; mount -o remount,bind,ro '${folder.at('disk')}'`,
  ),
  full: within(
    `mount -t tmpfs tmpfs '${folder.at('copy')}'; cp -a '${folder.at('disk')}/.' '${folder.at('copy')}'; mount -t tmpfs -o size=4m tmpfs '${folder.at('disk')}'; cp -a '${folder.at('copy')}/.' '${folder.at('disk')}'; dd if=/dev/zero of='${folder.at('disk/filling')}' bs=4k 2>/dev/null || true`,
  ),
};

/** One sentence in all commands. */
const advice: Readonly<Record<keyof typeof disks, RegExp>> = {
  full: /The disk is full: reading still works, changes do not\. Free some space and try again\.$/,
  'read-only': /The disk is read-only: reading still works, changes do not\. Mount it for writing and try again\.$/,
};

describe.skipIf(!mayMount)('a disk that accepts no writes', () => {
  let server: RunningCli | undefined;
  let created: { readonly id: string; readonly token: string };

  beforeAll(async () => {
    mkdirSync(folder.at('copy'));
    mkdirSync(folder.at('disk/log'), { recursive: true }); // the remains of a server that wrote to the disk before
    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
    expect(await runCli(['build', 'hello', '--data', data], { cwd: folder.path })).toMatchObject({ exitCode: 0 });
    created = JSON.parse(
      (await runCli(['token', 'create', '--description', 'x', '--json', '--data', data], { cwd: folder.path })).stdout,
    ) as typeof created;
  });
  afterEach(async () => {
    server?.signal('SIGTERM');
    await server?.ended;
    server = undefined;
  });
  afterAll(() => folder.remove());

  it.each(Object.entries(disks))(
    '%s: serve answers readers, reading commands work, and nothing is changed',
    async (name, through) => {
      const run = (...args: readonly string[]): Promise<CliOutcome> =>
        runCli([...args, '--data', data], { cwd: folder.path, through });
      server = startCli(
        ['serve', '--listen', '127.0.0.1:0', '--data', data, '--log', folder.at('disk/log/requests.log')],
        { cwd: folder.path, through },
      );
      const [url] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
      await server.shows(/The disk of .* is full or read-only: packages are served, and changes fail/);
      const get = async (path: string, token: string): Promise<Response> =>
        fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      expect((await get('/packages.json', created.token)).status).toBe(200);
      expect(await (await get('/p2/acme/hello.json', created.token)).text()).toContain('1.0.0');
      expect((await get('/dist/acme/hello/1.0.0.zip', created.token)).status).toBe(200);
      expect(
        (await get('/packages.json', `${created.token.slice(0, -1)}${created.token.endsWith('0') ? '1' : '0'}`)).status,
      ).toBe(401);

      const [listed, audited, made] = await Promise.all([
        run('token', 'list'),
        run('audit', 'verify'),
        run('token', 'create', '--description', 'y'),
      ]);
      expect(listed).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining(created.id) as string });
      expect(audited).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 event') as string });
      expect(made).toMatchObject({
        exitCode: name === 'full' ? 74 : 73,
        stdout: '',
        stderr: expect.stringContaining('nothing was changed') as string,
      });
      expect(made.stderr).toMatch(advice[name as keyof typeof disks]);
    },
  );

  it.each(Object.entries(disks))(
    '%s: backup copies everything to another disk, and every other command prints the next step',
    async (name, through) => {
      const run = (...args: readonly string[]): Promise<CliOutcome> =>
        runCli([...args, '--data', data], { cwd: folder.path, through });
      const exitCode = name === 'full' ? 74 : 73;
      const target = folder.at(`backup-${name}`);
      expect(await run('backup', target)).toMatchObject({
        exitCode: 0,
        stderr: '',
        stdout: expect.stringMatching(/^Backed up .*: publication 1\./) as string,
      });
      const restored = folder.at(`restored-${name}`);
      expect(await runCli(['restore', target, '--data', restored], { cwd: folder.path })).toMatchObject({
        exitCode: 0,
      });
      expect(await runCli(['verify', '--data', restored], { cwd: folder.path })).toMatchObject({ exitCode: 0 });
      expect((await runCli(['token', 'list', '--data', restored], { cwd: folder.path })).stdout).toContain(created.id);

      const [pruned, published, inside, examined] = await Promise.all([
        run('prune'),
        run('publish', 'hello', '--version', '1.1.0'),
        run('backup', folder.at('disk/backup')),
        run('doctor'),
      ]);
      expect([pruned, published, inside].map((one) => [one.exitCode, one.stdout, one.stderr])).toEqual(
        Array.from({ length: 3 }, () => [exitCode, '', expect.stringContaining('disk')]),
      );
      const first = 'Remove or move other files of this disk';
      expect([pruned, examined].map(({ stdout, stderr }) => `${stdout}${stderr}`.includes(first))).toEqual([
        name === 'full',
        name === 'full',
      ]);
      const builds = await Promise.all([run('build'), run('config', 'export', '--out', folder.at('disk/export.json'))]);
      for (const { stderr } of [published, inside, ...builds]) {
        expect(stderr).toMatch(advice[name as keyof typeof disks]);
        expect(stderr).not.toMatch(/build again|unexpected error/);
      }
      if (name === 'full') expect(pruned.stderr).toContain('The disk is full: reading still works, changes do not.');
    },
  );
});
