// Tests `libretto restore` onto a disk without enough space: nothing is written, the message names the next step, and
// the restore succeeds once there is space.

import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { cannotMount, smallDisk, type SmallDisk } from '../util/small-disk.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

const kibibyte = 1024;

describe.skipIf(cannotMount())('a restore onto a disk without enough space', () => {
  let disk: SmallDisk;
  let folder: TemporaryFolder;
  let backupBytes = 0;
  const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
  beforeAll(async () => {
    folder = temporaryFolder('restore-full-disk');
    disk = smallDisk(16);
    const files = { ...libraryTree('acme/large', { version: '1.0.0' }), 'large.bin': randomBytes(3_000_000) };
    writeTree(folder.at('packages/large'), files);
    await run('build', 'packages', '--data', 'data');
    expect((await run('token', 'create', '--description', 'x', '--data', 'data')).exitCode).toBe(0);
    const { stdout } = await run('backup', 'copy', '--data', 'data', '--json');
    backupBytes = (JSON.parse(stdout) as { bytes: number }).bytes;
  });
  afterAll(async () => {
    disk.remove();
    await folder.remove();
  });

  it.each([
    ['a whole restore', [], /has too little room\..* Nothing was restored\./],
    [
      '--state-only',
      ['--state-only'],
      / The disk is full: reading still works, changes do not\. Free some space and try again\.$/,
    ],
  ])('%s leaves no folder that it created', async (_, flags, message) => {
    const data = join(disk.path, 'new/data');
    disk.fill();
    const refused = await run('restore', 'copy', '--data', data, ...flags);
    expect([refused.exitCode, refused.stderr]).toEqual([74, expect.stringMatching(message)]);
    expect(readdirSync(disk.path)).toEqual(['lost+found']);
    disk.free();
    expect((await run('restore', 'copy', '--data', data, ...flags)).exitCode).toBe(0);
    rmSync(join(disk.path, 'new'), { recursive: true });
  });

  // the last three have room for the files, but not for the state to be opened, or for the event of the restore
  it.each([-2000, 32, 40, 48])(
    'with %i KiB more than its files need writes no file, and succeeds once there is space',
    async (more) => {
      const data = join(disk.path, `data${more}`);
      mkdirSync(data);
      disk.fill(backupBytes + more * kibibyte);
      const refused = await run('restore', 'copy', '--data', data);
      expect([refused.exitCode, refused.stdout, refused.stderr]).toEqual([74, '', expect.any(String)]);
      expect(refused.stderr).toMatch(
        /^libretto: The disk of .* has too little room\. The backup needs .* MiB there, and restore again/,
      );
      expect(readdirSync(data)).toEqual([]);
      disk.free();
      expect((await run('restore', 'copy', '--data', data)).exitCode).toBe(0);
      await run('token', 'list', '--data', data).then(({ exitCode }) => expect(exitCode).toBe(0));
    },
  );
});
