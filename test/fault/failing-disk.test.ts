// Tests a failing disk under the compiled program (F4, row 49): its message, and the next build.
// every-operation.test.ts has a failure at every operation.

import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { verifyTree } from '../../build/inspect/verify.ts';
import { below, writeTree } from '../util/package-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';
import { firstOf } from '../util/series.ts';

const faultyDisk = new URL('../util/faulty-disk.mjs', import.meta.url).href;

describe('row 49, F4: a failing disk under the program', () => {
  const folder = temporaryFolder('failing-disk');
  const data = folder.at('data');
  afterAll(() => folder.remove());

  it.each(
    firstOf<readonly [string, number, RegExp]>(
      [
        ['ENOSPC', 74, /The disk is full: reading still works, changes do not\. Free some space and try again\.$/m],
        ['EIO', 1, /the disk reported an input\/output error/],
        ['EDQUOT', 74, /The disk is full: reading still works, changes do not\. Free some space and try again\.$/m],
        [
          'EROFS',
          73,
          /The disk is read-only: reading still works, changes do not\. Mount it for writing and try again\.$/m,
        ],
        ['EACCES', 1, /no permission\. Give the user that runs Libretto write access to/],
        ['EMFILE', 1, /too many open files\. Raise the limit/],
      ],
      2,
    ),
  )(
    '%s: the message names fault and path, the exit code is %i, and a later build succeeds',
    async (kind, code, message) => {
      writeTree(folder.path, below('packages', whoLibrary('acme/hello', '1.0.0')));
      rmSync(data, { recursive: true, force: true });
      const environment = {
        FAULTY_DISK: JSON.stringify({ folder: data, at: 30, kind }),
        NODE_OPTIONS: `--import ${faultyDisk}`,
      };
      const { exitCode, stderr } = await runCli(['build', 'packages', '--data', data], {
        cwd: folder.path,
        environment,
      });
      expect(stderr).toMatch(message);
      expect(stderr).toMatch(new RegExp(`^libretto: ${data}/(public|index|build)/`, 'm'));
      expect(exitCode).toBe(code);
      expect(await runCli(['build', 'packages', '--data', data], { cwd: folder.path })).toMatchObject({ exitCode: 0 });
      expect(await verifyTree(data)).toMatchObject({ ok: true });
    },
  );
});
