// Tests that a build which would withdraw suspiciously many versions stops before any write.

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { below, writeTree } from '../util/package-tree.ts';
import { publishedVersions, wholeTree } from '../util/published-tree.ts';
import { runCli, startCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder('removing-guard');
});
afterEach(() => folder.remove());

const put = (name: string, ...versions: readonly string[]): void => {
  for (const version of versions)
    writeTree(folder.at('packages'), below(`${name}/${version}`, whoLibrary(`acme/${name}`, version)));
};
const remove = (path: string): void => rmSync(folder.at('packages', path), { recursive: true });
const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const versions = (): string[] => Object.keys(publishedVersions(folder.at('var'))).toSorted();

describe('a build that would withdraw every version of a package', () => {
  beforeEach(async () => {
    put('a', '1.0.0', '1.1.0');
    put('b', '1.0.0');
    await run('build', 'packages');
  });

  it('stops with the list, and continues after a confirmation', async () => {
    const before = wholeTree(folder.at('var'));
    remove('a');
    const { exitCode, stdout, stderr } = await run('build');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(
      /^libretto: This build would withdraw every version of a package\. Nothing was published\.\n {2}acme\/a 1\.1\.0, 1\.0\.0 \(all it has\)\nIf this is intended, build again with --allow-withdraw\. .* These versions came from dir:[^,]*packages\.$/,
    );
    expect(wholeTree(folder.at('var'))).toEqual(before);
    expect((await run('build', '--allow-withdraw')).exitCode).toBe(0);
    expect(versions()).toEqual(['acme/b@1.0.0']);
  });

  it('continues where one of several versions goes', async () => {
    remove('a/1.1.0');
    expect((await run('build')).exitCode).toBe(0);
    expect(versions()).toEqual(['acme/a@1.0.0', 'acme/b@1.0.0']);
  });

  it('continues where the source was named to be forgotten', async () => {
    writeTree(folder.at('more'), below('c', whoLibrary('acme/c', '1.0.0')));
    await run('build', 'more');
    expect((await run('build', '--forget', 'packages')).exitCode).toBe(0);
    expect(versions()).toEqual(['acme/c@1.0.0']);
  });

  it('stops where a source has left libretto.json', async () => {
    writeTree(folder.at('more'), below('c', whoLibrary('acme/c', '1.0.0')));
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ sources: ['packages', 'more'] }));
    await run('build');
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ sources: ['packages'] }));
    expect(await run('build')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('acme/c 1.0.0 (all it has)'),
    });
    expect((await run('build', '--forget', 'more')).exitCode).toBe(0);
    expect(versions()).not.toContain('acme/c@1.0.0');
  });

  it('does not prevent a server from starting: the published packages are served', async () => {
    renameSync(folder.at('packages'), folder.at('elsewhere'));
    writeTree(folder.at('packages'), below('b/1.0.0', whoLibrary('acme/b', '1.0.0')));
    const started = startCli(['start', '--listen', '0'], { cwd: folder.path });
    try {
      await started.shows(/Press Ctrl\+C to stop/);
      expect(started.output().stderr).toContain('acme/a 1.1.0, 1.0.0 (all it has)');
    } finally {
      started.signal('SIGTERM');
      await started.ended;
    }
    expect(versions()).toHaveLength(3);
  });
});

describe('a build that would withdraw releases of many packages', () => {
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
  beforeEach(async () => {
    for (const name of names) put(name, '1.0.0', '2.0.0');
    await run('build', 'packages');
  });

  it('stops above a tenth of all packages, and not below', async () => {
    remove('p0/2.0.0');
    expect((await run('build')).exitCode).toBe(0);
    for (const name of ['p1', 'p2']) remove(`${name}/2.0.0`);
    expect(await run('build')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        'would withdraw releases of 2 of 12 packages. Nothing was published.\n  acme/p1 2.0.0\n  acme/p2 2.0.0\n',
      ),
    });
    expect(versions()).toHaveLength(23);
    expect((await run('build', '--allow-withdraw')).exitCode).toBe(0);
    expect(versions()).toHaveLength(21);
  });
});
