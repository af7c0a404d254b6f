// Tests `libretto rollback`: an operator restores an earlier publication, and later builds keep it.

import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesBelow } from '../util/files-below.ts';
import { below, writeTree } from '../util/package-tree.ts';
import { publishedTree, publishedVersions } from '../util/published-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
let then: Record<string, string>;
beforeEach(async () => {
  folder = temporaryFolder('rollback');
  put('a', '1.0.0');
  await run('build', 'packages');
  then = readers();
  put('b', '2.0.0');
  await run('build', 'packages');
});
afterEach(() => folder.remove());

const put = (where: string, version: string): void =>
  writeTree(folder.at('packages'), below(where, whoLibrary('acme/hello', version)));
const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const readers = (): Record<string, string> => publishedTree(folder.at('var'));
const versions = (): string[] => Object.keys(publishedVersions(folder.at('var'))).toSorted();

describe('libretto rollback', () => {
  it('lists the changes with --dry-run, then makes them, and later builds keep them', async () => {
    const tried = await run('rollback', '1', '--dry-run');
    expect(tried).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^A rollback to publication 1 would publish this\. Nothing was published\.\n {2}- acme\/hello 2\.0\.0 /,
      ),
    });
    expect(versions()).toHaveLength(2);
    expect(await run('rollback', '1')).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringMatching(
        /^Rolled back to publication 1: serial 3\.\n {2}- acme\/hello 2\.0\.0 .*\nBuilds leave 1 version as rolled back until there is another content for it; `libretto rollback --lift` ends that\.$/,
      ),
    });
    expect(readers()).toEqual(then);
    const built = await run('build');
    expect(built).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('A rollback keeps acme/hello 2.0.0 unchanged'),
    });
    expect(readers()).toEqual(then);
    put('c', '2.0.1');
    await run('build');
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@2.0.1']);
    expect((await run('verify')).exitCode).toBe(0);
    expect((await run('history')).stdout).toMatch(/^3 .*rollback to 1$/m);
  });

  itInSeries('names the versions that stay out, because a person withdrew them, and the way back', async () => {
    await run('package', 'withdraw', 'acme/hello', '1.0.0');
    const named =
      '1 version of publication 1 is not offered again:\n' +
      '  acme/hello 1.0.0 was withdrawn by hand; `libretto package restore acme/hello 1.0.0` offers it again';
    expect((await run('rollback', '1', '--dry-run')).stdout).toContain(named);
    const { stdout } = await run('rollback', '1', '--dry-run', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      stays_out: [{ name: 'acme/hello', version: '1.0.0', why: 'withheld' }],
    });
    expect((await run('rollback', '1')).stdout).toContain(named);
  });

  it('says that the current publication needs no rollback', async () => {
    expect((await run('rollback', '2')).stdout).toContain('Nothing to roll back: publication 2 is the current one.');
  });

  itInSeries('refuses an upload of the very content that it took back, until --lift', async () => {
    writeTree(folder.at('theme'), { 'composer.json': JSON.stringify({ name: 'bought/theme', version: '1.0.0' }) });
    expect(await run('publish', 'theme')).toMatchObject({ exitCode: 0 });
    await run('rollback', '2');
    const uploads = (): string[] => filesBelow(folder.at('var/artifacts')).toSorted();
    const left = uploads();
    for (const flags of [['--dry-run'], []])
      expect(await run('publish', 'theme', ...flags)).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(/bought\/theme 1\.0\.0 with this content was rolled back, .*rollback --lift/),
      });
    expect(uploads()).toEqual(left);
    await run('rollback', '--lift');
    expect(await run('publish', 'theme')).toMatchObject({ exitCode: 0 });
    expect(versions()).toContain('bought/theme@1.0.0');
  });

  it('is undone by another rollback, and ended by --lift', async () => {
    await run('rollback', '1');
    expect((await run('rollback', '2')).exitCode).toBe(0);
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@2.0.0']);
    await run('rollback', '1', '--json');
    expect(await run('rollback', '--lift')).toMatchObject({
      exitCode: 0,
      stdout:
        'Published: serial 6. The next build compares everything, and publishes the current content of the sources.',
    });
    expect(versions()).toEqual(['acme/hello@1.0.0']);
    await run('build');
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@2.0.0']);
    expect(await run('rollback', '--lift')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'libretto: No rollback is in effect.',
    });
  });

  it('prints one document for scripts', async () => {
    const { stdout } = await run('rollback', '1', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      serial: 3,
      published: true,
      rollback_to: 1,
      added: [],
      withdrawn: [{ name: 'acme/hello', version: '2.0.0' }],
      undone: [{ name: 'acme/hello', version: '2.0.0' }],
    });
  });

  it('refuses an impossible rollback with the reason, and changes nothing', async () => {
    rmSync(folder.at('packages/b'), { recursive: true });
    await run('build');
    rmSync(folder.at('var/public/dist/acme/hello/2.0.0.zip'));
    const before = readers();
    expect(await run('rollback', '2')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('since these are gone:\n  acme/hello 2.0.0: public/dist/acme/hello/2.0.0.zip\n'),
    });
    for (const args of [['rollback'], ['rollback', '1', '--lift'], ['rollback', 'x'], ['rollback', '9']])
      expect((await run(...args)).exitCode, args.join(' ')).toBe(2);
    expect(readers()).toEqual(before);
  });
});
