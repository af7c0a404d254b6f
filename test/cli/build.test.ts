// Tests `libretto build` and `libretto verify` as a CI job uses them: exit codes, reports, and the refusals before any
// write.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { takeLock } from '../../build/output/lock.ts';
import { createRepository } from '../util/git-repository.ts';
import { below, libraryTree, writeTree } from '../util/package-tree.ts';
import { binary, cleanEnvironment, runCli, runCliInto, startCli, type CliOutcome, heading } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder('cli-build');
  writeTree(folder.at('packages'), {
    ...below('hello', libraryTree('acme/hello', { version: '1.0.0' })),
    ...below('tool', libraryTree('acme/tool', { version: '2.0.0' })),
  });
});
afterEach(() => folder.remove());

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const listed = (): unknown =>
  (JSON.parse(readFileSync(folder.at('var/public/packages.json'), 'utf8')) as Record<string, unknown>)[
    'available-packages'
  ];
const addBroken = (): void =>
  writeTree(folder.at('packages'), below('broken', libraryTree('acme/broken', { version: 'not-a-version' })));

describe('a version that is left out', () => {
  it('names its branch and its repository where the place is no path', async () => {
    createRepository(folder.at('nameless'), [{ commit: 'main', files: { 'composer.json': '{"name": "Bad Name"}' } }]);
    const { stderr } = await run('build', 'nameless', 'packages');
    expect(stderr).toContain(`a package (branch main of ${folder.at('nameless')}): The name "Bad Name"`);
  });
});

describe('a build without faults', () => {
  it('exits with 0, prints the published versions, and prints nothing on standard error', async () => {
    const { exitCode, stdout, stderr } = await run('build', 'packages');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Published: 2 added, 0 changed, 0 withdrawn \(publication 1, \d+\.\d s\)\.\n {2}\+ acme\/hello 1\.0\.0\n {2}\+ acme\/tool 2\.0\.0$/,
    );
    expect((await run('build')).stdout).toMatch(/^Nothing has changed \(publication 1, /);
  });

  it('leaves no temporary file where its result cannot be written', async () => {
    await run('build', 'packages');
    const note = folder.at('var/build/last-build.json');
    rmSync(note);
    mkdirSync(note);
    expect(await run('build')).toMatchObject({ exitCode: 0 });
    expect(readdirSync(folder.at('var/build')).filter((name) => name.startsWith('last-build'))).toEqual([
      'last-build.json',
    ]);
  });

  it('prints one document with --json', async () => {
    const { exitCode, stdout, stderr } = await run('build', 'packages', '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const report = JSON.parse(stdout) as Record<string, unknown>;
    expect(Object.keys(report).sort()).toEqual([
      'added',
      'blocked',
      'changed',
      'failed',
      'notices',
      'published',
      'quarantined',
      'retained',
      'serial',
      'timings_ms',
      'unchanged',
      'withdrawn',
    ]);
    expect(report).toMatchObject({ serial: 1, published: true, quarantined: [], failed: [] });
    expect(report['added']).toMatchObject([
      { name: 'acme/hello', version: '1.0.0' },
      { name: 'acme/tool', version: '2.0.0' },
    ]);
  });

  it('remembers its sources, and --forget withdraws one', async () => {
    expect((await run('build', 'packages/hello')).exitCode).toBe(0);
    expect((await run('build', 'packages/tool')).exitCode).toBe(0);
    expect(listed()).toEqual(['acme/hello', 'acme/tool']);
    const { exitCode, stdout } = await run('build', '--forget', 'packages/hello');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('  - acme/hello 1.0.0');
    expect(listed()).toEqual(['acme/tool']);
  });

  it('reads the sources of libretto.json, relative to it, and withdraws removed ones', async () => {
    mkdirSync(folder.at('etc'));
    writeFileSync(
      folder.at('etc/libretto.json'),
      JSON.stringify({ data: '../var', sources: ['../packages/hello', 'dir:../packages/tool'] }),
    );
    expect((await run('build', '--config', 'etc/libretto.json')).exitCode).toBe(0);
    expect(listed()).toEqual(['acme/hello', 'acme/tool']);
    writeFileSync(folder.at('etc/libretto.json'), JSON.stringify({ data: '../var', sources: ['../packages/tool'] }));
    expect((await run('build', '--config', 'etc/libretto.json', '--allow-withdraw')).exitCode).toBe(0);
    expect(listed()).toEqual(['acme/tool']);
  });

  it('builds packages-src where no source is named or remembered', async () => {
    writeTree(folder.at('packages-src'), libraryTree('acme/only', { version: '1.0.0' }));
    expect((await run('build')).exitCode).toBe(0);
    expect(listed()).toEqual(['acme/only']);
  });

  itInSeries('continues when the reader of its output leaves', async () => {
    const piped = await execa('bash', ['-c', `set -o pipefail; ${process.execPath} ${binary} build packages | true`], {
      cwd: folder.path,
      env: cleanEnvironment(),
      extendEnv: false,
      reject: false,
    });
    expect({ exitCode: piped.exitCode, stderr: piped.stderr.replace(heading, '') }).toEqual({
      exitCode: 0,
      stderr: '',
    });
    expect(listed()).toEqual(['acme/hello', 'acme/tool']);
  });
});

describe('progress', () => {
  // `script` (Debian's bsdutils, always installed) gives the command a terminal for both streams
  const onTerminal = async (columns: number, environment: Readonly<Record<string, string>> = {}): Promise<string> => {
    const command = `stty cols ${columns} rows 24; exec ${process.execPath} ${binary} build packages`;
    const { stdout } = await execa('script', ['-qec', command, '/dev/null'], {
      cwd: folder.path,
      env: cleanEnvironment(environment),
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
      timeout: 60_000,
      maxBuffer: 100_000,
    });
    return stdout;
  };

  it('progress is shown on a terminal', async () =>
    expect(await onTerminal(80)).toMatch(/Reading sources[^]*Published: 2 added/));

  itInSeries('progress has no colour with NO_COLOR', async () => {
    const color = '\u001b[36m';
    expect(await onTerminal(80, { TERM: 'xterm' })).toContain(color);
    const plain = await onTerminal(80, { TERM: 'xterm', NO_COLOR: '1' });
    expect(plain).toContain('Reading sources');
    expect(plain).not.toMatch(/\u001b\[\d+m/);
  });

  itInSeries('progress is not shown on a terminal of unknown width', async () => {
    const shown = await onTerminal(0);
    expect(shown).toContain('Published: 2 added');
    expect(shown).not.toContain('Reading sources');
  });
});

describe('a build that excludes a version', () => {
  it('exits with 1, publishes the rest, and prints version and reason on standard error', async () => {
    addBroken();
    const { exitCode, stdout, stderr } = await run('build', 'packages', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      published: true,
      quarantined: [{ name: 'acme/broken', code: 'VERSION_INVALID' }],
    });
    expect(stderr).toMatch(
      /^1 version left out:\n {2}acme\/broken.* \(.*broken\/composer\.json.*\): .* \[VERSION_INVALID\]$/,
    );
    expect(listed()).toEqual(['acme/hello', 'acme/tool']);
  });

  it('names a file that is no JSON once', async () => {
    writeTree(folder.at('packages/torn'), { 'composer.json': '{"name": "acme/torn"' });
    const { stderr } = await run('build', 'packages');
    expect(stderr).toMatch(/^ {2}a package: \/\S*torn\/composer\.json, line 1, column 21: .* \[INVALID_JSON\]$/m);
  });

  itInSeries(
    'names a shallow clone, and folders with one name, and --strict publishes nothing of the clone',
    async () => {
      const composer = '{"name": "acme/core"}';
      const files = { 'packages/copy/composer.json': composer, 'packages/core/composer.json': composer };
      createRepository(folder.at('mono'), [
        { commit: 'main', files: { readme: '' } },
        { commit: 'main', files },
        { tag: '1.0.0', at: 'main' },
      ]);
      await execa('git', ['clone', '-q', '--depth', '1', `file://${folder.at('mono')}`, folder.at('clone')]);
      const build = ['build', 'git:clone', '--subdirectory', 'packages/*'];
      const { exitCode, stderr } = await run(...build);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('git fetch --unshallow --tags')]);
      const whole = await run('build', 'git:mono', '--subdirectory', 'packages/*', '--data', 'whole');
      expect([whole.exitCode, whole.stdout]).toEqual([1, expect.stringContaining('+ acme/core 1.0.0')]);
      expect(whole.stderr).toMatch(
        /1\.0\.0, folder packages\/core .* folder packages\/copy, which counts\. Give .*DUPLICATE_/,
      );
      const strict = await run(...build, '--strict', '--data', 'other');
      expect([strict.exitCode, existsSync(folder.at('other/public/packages.json'))]).toEqual([1, false]);
    },
  );

  it('publishes nothing with --strict', async () => {
    addBroken();
    const { exitCode, stdout } = await run('build', 'packages', '--strict');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^Nothing was published: with --strict,/);
    expect(existsSync(folder.at('var/public/packages.json'))).toBe(false);
  });

  it('refuses a changed release, unless --allow-republish is given', async () => {
    await run('build', 'packages');
    writeFileSync(folder.at('packages/hello/src/More.php'), '<?php\n');
    const refused = await run('build');
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('[VERSION_CHANGED]');
    const allowed = await run('build', '--allow-republish');
    expect(allowed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(allowed.stdout).toContain('  ~ acme/hello 1.0.0');
  });

  it('keeps the published versions of a missing source', async () => {
    await run('build', 'packages/hello', 'packages/tool');
    await execa('mv', ['packages/hello', 'elsewhere'], { cwd: folder.path });
    const { exitCode, stderr } = await run('build');
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `1 source could not be read. Its published versions stay available:\n  ${folder.at('packages/hello')} does not exist.`,
    );
    expect(stderr).not.toContain('dir:');
    const { failed } = JSON.parse((await run('build', '--json')).stdout) as { failed: unknown };
    expect(failed).toMatchObject([{ source: 'dir:../packages/hello' }]);
    expect(listed()).toEqual(['acme/hello', 'acme/tool']);
  });

  it('a build report contains no control characters from a package', async () => {
    writeTree(folder.at('packages'), below('evil', libraryTree('acme/evil', { version: '\u001b[2Jx' })));
    const { exitCode, stdout, stderr } = await run('build', 'packages');
    expect(exitCode).toBe(1);
    expect(`${stdout}${stderr}`).not.toContain('\u001b');
  });
});

describe('a build that is refused before any write', () => {
  it.each([
    ['nothing to build', ['build'], /^libretto: There is nothing to build\. /],
    ['a data folder inside the source', ['build', '.'], /^libretto: The data folder .*var is inside the source /],
    [
      'an unknown source to forget',
      ['build', 'packages', '--forget', 'other'],
      /^libretto: --forget other: this tree has no such source\. /,
    ],
    ['a prefix without a path', ['build', 'dir:'], /^libretto: Source dir: has no path behind the prefix\. Write one/],
    ['a scheme that is not fetched', ['build', 'ftp://h/x'], /^libretto: The URL ftp:\/\/h\/x is .*: only https:/],
    [
      'jobs that are none',
      ['build', 'packages', '--jobs', 'many'],
      /^libretto: The configuration cannot be used: --jobs is "many"; allowed: a whole number from 1 to 256\.$/,
    ],
  ])('exits with 2 for %s', async (_name, args, message) => {
    const { exitCode, stdout, stderr } = await run(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(existsSync(folder.at('var/public'))).toBe(false);
  });

  it('exits with 2 for a data folder that is a file', async () => {
    writeFileSync(folder.at('var'), '');
    expect(await run('build', 'packages')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `libretto: The data folder ${folder.at('var')} is a file. Name a folder with --data.`,
    });
  });

  it('exits with 75 during another build, and names its process', async () => {
    const lock = await takeLock(folder.at('var/build/lock'), () => new Date());
    try {
      const { exitCode, stdout, stderr } = await run('build', 'packages', '--json');
      expect({ exitCode, stdout }).toEqual({ exitCode: 75, stdout: '' });
      expect(stderr).toContain(String(process.pid));
    } finally {
      await lock.release();
    }
    expect((await run('build', 'packages')).exitCode).toBe(0);
  });

  it('says once what a command waits for that waits for another build', async () => {
    await run('build', 'packages');
    writeTree(folder.at('late'), libraryTree('acme/late', { version: '1.0.0' }));
    const lock = await takeLock(folder.at('var/build/lock'), () => new Date());
    const waiting = startCli(['publish', 'late'], { cwd: folder.path });
    const [, pid] = await waiting
      .shows(
        /^Waiting at most 60 s for a build with process id (\d+) on \S+, since \S+: it holds \S+\/var\/build\/lock\.$/m,
      )
      .finally(() => lock.release());
    const { exitCode, stderr } = await waiting.ended;
    expect([exitCode, pid, stderr.match(/^Waiting/gm)]).toEqual([0, String(process.pid), ['Waiting']]);
  });
});

describe('verify', () => {
  it('exits with 0 on the tree of a build', async () => {
    await run('build', 'packages');
    expect(await run('verify')).toEqual({
      exitCode: 0,
      stdout: 'Checked 2 packages, 2 versions, 2 archives: all as published.',
      stderr: '',
    });
    expect(JSON.parse((await run('verify', '--json')).stdout)).toEqual({
      ok: true,
      checked: { packages: 2, versions: 2, archives: 2 },
      faults: [],
      same_files: [],
      notices: [],
    });
  });

  it('exits with 1 and names the changed file', async () => {
    await run('build', 'packages');
    const path = folder.at('var/public/dist/acme/hello/1.0.0.zip');
    const bytes = readFileSync(path);
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const { exitCode, stdout, stderr } = await run('verify', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      faults: [{ path: 'public/dist/acme/hello/1.0.0.zip', name: 'acme/hello', version: '1.0.0' }],
    });
    expect(stderr).toMatch(/^ {2}public\/dist\/acme\/hello\/1\.0\.0\.zip: /);
  });

  it('exits with 1 where nothing is published yet, and publishes nothing', async () => {
    await run('token', 'create', '--description', 'CI');
    const { exitCode, stderr } = await run('verify');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('libretto build');
    expect(existsSync(folder.at('var/public'))).toBe(false);
  });

  it('prints null with --json where a fault concerns no package or version', async () => {
    await run('build', 'packages');
    writeFileSync(folder.at('var/public/stray.txt'), 'x');
    expect(JSON.parse((await run('verify', '--json')).stdout)).toMatchObject({
      faults: [{ code: 'FOREIGN_FILE', path: 'public/stray.txt', name: null, version: null }],
    });
  });
});

describe('a result that cannot be written', () => {
  it.skipIf(!existsSync('/dev/full'))('exits with 1 and the reason, and the published versions stay', async () => {
    const { exitCode, stderr } = await runCliInto('/dev/full', ['build', 'packages'], { cwd: folder.path });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr:
        'libretto: The answer could not be written: the disk of the output is full. The command took effect; only its output is missing.',
    });
    expect(listed()).toEqual(['acme/hello', 'acme/tool']);
  });
});
