// Tests that every command names its data folder, and that a command never takes a missing folder, or one of another
// user, for an empty registry.

import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createProgram } from '../../cli/program/program.ts';
import type { Context } from '../../cli/io/context.ts';
import { listCommands } from '../util/command-reference.ts';
import { making, reading } from '../util/data-folder-commands.ts';
import { runCli, startCli, type CliOptions, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { describeInSeries, firstOf, itInSeries, sampleOf } from '../util/series.ts';

const reference = '0'.repeat(40);

/**
 * Findings of `doctor`, servers that wait for the first build, commands without a data folder, `connection add` and `ci`,
 * which ask another host first, and `login` and `logout`.
 */
const others = [
  'doctor',
  'serve',
  'start',
  'connection add',
  'import satis',
  'review',
  'completion',
  'init',
  'ci login',
  'ci logout',
  'login',
  'logout',
  'api',
];

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = temporaryFolder('data-folder');
  chmodSync(folder.path, 0o755);
  mkdirSync(folder.at('packages/hello'), { recursive: true });
  writeFileSync(folder.at('packages/hello/composer.json'), JSON.stringify({ name: 'acme/hello', version: '1.0.0' }));
  writeFileSync(folder.at('users.htpasswd'), 'ada:$2y$10$x\n');
  writeFileSync(
    folder.at('policy.json'),
    JSON.stringify({ rules: [{ name: 'n', rule: 'abandoned', action: 'warn' }] }),
  );
  for (const path of ['composer.lock', 'packages/composer.lock'])
    writeFileSync(folder.at(path), JSON.stringify({ packages: [], 'packages-dev': [] }));
  await libretto(['build', 'packages']);
  await libretto(['token', 'create', '--description', 'CI']);
});
afterAll(async () => {
  chmodSync(folder.at('var'), 0o700);
  await folder.remove();
});

const libretto = (args: readonly string[], options: Partial<CliOptions> = {}): Promise<CliOutcome> =>
  runCli(args, { cwd: folder.path, heading: true, ...options });
const firstLine = ({ stderr }: CliOutcome): string | undefined => stderr.split('\n')[0];

it('knows every command of the program', () => {
  const program = createProgram({} as unknown as Context, () => undefined);
  const leaves = listCommands(program).filter(({ command }) => command.commands.length === 0);
  const isKnown = (path: string): boolean =>
    others.includes(path) || [...reading, ...making].some((args) => `${args.join(' ')} `.startsWith(`${path} `));
  expect(leaves.map(({ path }) => path).filter((path) => !isKnown(path))).toEqual([]);
});

describe.each([
  ['is missing', 'There is no data folder', undefined],
  ['is empty', 'is empty', []],
  [
    'has folders of another project',
    'is no data folder',
    ['build', 'build/css', 'build/sources', 'build/sources/git', 'release'],
  ],
])('a data folder that %s', (what, fault, content) => {
  beforeAll(() => {
    for (const path of content?.length === 0 ? [''] : (content ?? []))
      mkdirSync(folder.at(what, path), { recursive: true });
  });

  it.each(
    sampleOf([...reading, ['artifact', 'withdraw', 'acme/hello', '--as-version=1.0.0', `--reference=${reference}`]], 4),
  )('is refused by %s %s with exit code 2, and stays as it was', async (...args) => {
    const { exitCode, stdout, stderr } = await libretto([...args.filter(Boolean), '--data', what]);
    const message =
      args[0] === 'artifact' ? /Nothing is published in/ : new RegExp(`${fault}.*with --data, with LIBRETTO_DATA`);
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
    expect(stderr).toContain(folder.at(what));
    const left = existsSync(folder.at(what)) ? readdirSync(folder.at(what), { recursive: true }).toSorted() : undefined;
    expect(left).toEqual(content);
  });
});

it('a folder with the copies of an interrupted adoption names the command to repeat', async () => {
  mkdirSync(folder.at('adopting/build/adopt/other'), { recursive: true });
  const { exitCode, stderr } = await libretto(['verify', '--data', 'adopting']);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(/an interrupted `.* adopt .*` left\. Run the same command/),
  ]);
});

describe('a folder with files of another project', () => {
  const content = ['keys', 'keys/music', 'photos'];
  beforeAll(() => content.forEach((path) => mkdirSync(folder.at('project', path), { recursive: true })));
  const left = (): unknown => readdirSync(folder.at('project'), { recursive: true }).toSorted();

  it.each(sampleOf([...making, ['serve', '--listen', '127.0.0.1:0']], 2))(
    'gets no registry by %s %s',
    async (...args) => {
      const { exitCode, stderr } = await libretto([...args.filter(Boolean), '--data', '../project'], {
        cwd: folder.at('packages'),
      });
      expect([exitCode, stderr, left()]).toEqual([
        2,
        expect.stringMatching(/project already contains other files \(photos\)\. Name an empty or new folder/),
        content,
      ]);
    },
  );

  itInSeries('is a finding of doctor', async () => {
    const { exitCode, stdout } = await libretto(['doctor', '--data', 'project']);
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/FAILED .*project .*is no data folder/)]);
  });
});

describeInSeries('doctor', () => {
  it.each([
    ['a file', 'packages/hello/composer.json', /FAILED +data .*composer\.json \(--data\) is a file/],
    [
      'a folder inside one that is closed',
      'closed/var',
      /FAILED +data .*may not read \S+closed\/var: \S+closed belongs to (?:root, and only its owner may enter it\. Run the command as the owner of \S+closed\/var|(?!root)\S+\. Run)/,
    ],
  ])('says of %s what is wrong, and nothing about certificates', async (_, path, message) => {
    mkdirSync(folder.at('closed'), { recursive: true });
    chmodSync(folder.at('closed'), process.getuid?.() === 0 ? 0o700 : 0);
    const options = { asOther: true, cwd: folder.at('packages') };
    const { exitCode, stdout } = await libretto(['doctor', '--data', folder.at(path)], options);
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(message)]);
    expect(stdout).not.toContain('certificate');
  });
});

describe('a data folder of another user', () => {
  beforeAll(() => chmodSync(folder.at('var'), process.getuid?.() === 0 ? 0o700 : 0));
  afterAll(() => chmodSync(folder.at('var'), 0o755));

  it.each(sampleOf([...reading, ...making], 8))('is refused by %s %s, which names the owner', async (...args) => {
    const options = { asOther: true, cwd: folder.at('packages') };
    const { exitCode, stdout, stderr } = await libretto([...args.filter(Boolean), '--data', '../var'], options);
    expect([exitCode, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringMatching(
        /^libretto: The user .* may not (read|change) \S+\/var: it belongs to (\S+)\. .*with "sudo -u \2" before it/,
      ),
    ]);
  });

  itInSeries('is named with its owner by doctor', async () => {
    const { exitCode, stdout } = await libretto(['doctor', '--data', '../var'], {
      asOther: true,
      cwd: folder.at('packages'),
    });
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/FAILED .*may not read and write \S+ \(EACCES\): it belongs to \S+\. Run/),
    ]);
  });
});

describe.runIf(process.getuid?.() === 0)('a state of another user', () => {
  it('of which state.json may not be read is not to be restored', async () => {
    chmodSync(folder.at('var/state.json'), 0o600);
    const { stderr } = await libretto(['why', 'acme/hello', '--data', 'var'], { asOther: true });
    expect(stderr).toMatch(/state\.json may not be read\. .* Give the user that runs Libretto access to the file\.$/m);
    chmodSync(folder.at('var/state.json'), 0o644);
  });

  itInSeries('is refused by commands that read it, and other commands read the packages', async () => {
    chmodSync(folder.at('var/state'), 0o700);
    const [listed, verified, built] = await Promise.all([
      libretto(['token', 'list', '--data', 'var'], { asOther: true }),
      libretto(['verify', '--data', 'var'], { asOther: true }),
      libretto(['audit', 'verify', '--data', 'var'], { asOther: true }),
    ]);
    expect([listed.exitCode, listed.stderr]).toEqual([
      2,
      expect.stringContaining(`may not read ${folder.at('var/state')}`),
    ]);
    expect([built.exitCode, verified.exitCode, verified.stdout]).toEqual([
      2,
      0,
      expect.stringContaining('all as published'),
    ]);
  });
});

it('is never a variable that looks like an option', async () => {
  mkdirSync(folder.at('dashed'));
  const run = (value: string): Promise<CliOutcome> =>
    libretto(['settings', 'set', 'limits.read', '5'], {
      cwd: folder.at('dashed'),
      environment: { LIBRETTO_DATA: value },
    });
  const { exitCode, stderr } = await run('-q');
  expect([exitCode, stderr]).toEqual([
    2,
    'libretto: The configuration cannot be used: LIBRETTO_DATA is "-q", which looks like an option. Write ./-q for ' +
      'a file or folder of that name.',
  ]);
  expect(readdirSync(folder.at('dashed'))).toEqual([]);
  expect(await run('./-q')).toMatchObject({ exitCode: 0 });
  expect(readdirSync(folder.at('dashed'))).toEqual(['-q']);
});

it.each(['LIBRETTO_CONFIG', 'LIBRETTO_LOG'])('is not made if %s looks like an option', async (variable) => {
  const cwd = folder.at(variable);
  mkdirSync(cwd);
  writeFileSync(`${cwd}/-q`, '{}');
  const args = ['settings', 'set', 'limits.read', '5'];
  expect(await libretto(args, { cwd, environment: { [variable]: '-q' } })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`${variable} is "-q", which looks like an option. Write ./-q for a file`),
  });
  expect(readdirSync(cwd)).toEqual(['-q']);
  expect(await libretto(args, { cwd, environment: { [variable]: './-q' } })).toMatchObject({ exitCode: 0 });
});

describe('the first line on standard error', () => {
  const sub = (name: string): string => folder.at(name);

  it.each(
    firstOf<[string[], Record<string, string>, () => string]>(
      [
        [['history', '--data', 'var'], {}, () => `Data folder: ${sub('var')}`],
        [['token', 'list'], {}, () => `Data folder: ${sub('var')} (default)`],
        [['audit', 'verify'], { LIBRETTO_DATA: 'var' }, () => `Data folder: ${sub('var')} (LIBRETTO_DATA)`],
        [['verify'], { LIBRETTO_CONFIG: 'own.json' }, () => `Data folder: ${sub('var')} (data in ${sub('own.json')})`],
        [['build'], {}, () => `Data folder: ${sub('var')} (default)`],
        [['doctor'], {}, () => `Data folder: ${sub('var')} (default)`],
      ],
      5,
    ),
  )('%j with %j names the folder and its origin', async (args, environment, line) => {
    writeFileSync(sub('own.json'), JSON.stringify({ data: 'var' }));
    expect(firstLine(await libretto(args, { environment }))).toBe(line());
  });

  it.each([['token', 'list'], ['history'], ['build']])('is not there with --json: %s %s', async (...args) => {
    expect((await libretto([...args.filter(Boolean), '--json'])).stderr).toBe('');
  });

  it('is not there with --quiet', async () => {
    expect(await libretto(['build', '-q'])).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  it.each(
    sampleOf(
      making.filter(([name = '']) => !['publish', 'receive', 'adopt', 'config', 'restore'].includes(name)),
      4,
    ),
  )('of %s %s says that it makes a folder', async (...args) => {
    rmSync(folder.at('other'), { recursive: true, force: true });
    mkdirSync(folder.at('other'));
    const outcome = await libretto(args.filter(Boolean), { cwd: folder.at('other') });
    const line = `New data folder: ${folder.at('other/var')} (default; --data DIRECTORY chooses another)`;
    expect([outcome.exitCode, firstLine(outcome)]).toEqual([0, line]);
    expect(firstLine(await libretto(['status'], { cwd: folder.at('other') }))).toMatch(/^Data folder: /);
  });

  it.each([
    ['publish', 'unversioned'],
    ['publish', '../packages/hello', '--version', 'x.y'],
    ['token', 'create', '--description', 'CI', '--expires', 'yesterday'],
    ['token', 'create', '--description', 'CI', '--limit', '-4'],
    ['build', './nowhere'],
    ['build'],
    ['start'],
    ['receive', 'nowhere'],
    ['adopt', 'http://127.0.0.1:1'],
    ['receive', 'unversioned'],
    ['repository', 'add', 'http://[nowhere'],
    ['user', 'create', '--email', 'ada@example.org'],
    ['user', 'create', '--email', 'nobody', '--invite'],
    ['settings', 'set', 'limits.read', 'many'],
    ['settings', 'set', 'limits.nothing', '5'],
    ['config', 'import', 'nowhere.json'],
    ['restore', 'nowhere'],
    ['restore', '--empty', '--state', 'redis://127.0.0.1:1'],
  ])('of a first command that is refused announces no folder, and none is left: %s %s', async (...args) => {
    mkdirSync(folder.at('refused/unversioned'), { recursive: true });
    writeFileSync(folder.at('refused/unversioned/composer.json'), JSON.stringify({ name: 'acme/unversioned' }));
    const { exitCode, stderr } = await libretto(args.filter(Boolean), { cwd: folder.at('refused') });
    expect([exitCode > 0, stderr]).toEqual([true, expect.stringMatching(/^libretto: /)]);
    expect(existsSync(folder.at('refused/var'))).toBe(false);
  });

  it('of a first build announces no folder if no source can be read, and none is left', async () => {
    mkdirSync(folder.at('typed'));
    const outcome = await libretto(['build', 'https://localhost:1/typo.git'], { cwd: folder.at('typed') });
    expect(outcome).toEqual({
      exitCode: 1,
      stdout: expect.stringMatching(/^Nothing was published, because no source could be read/) as string,
      stderr: expect.stringMatching(/^1 source could not be read:\n {2}https:\/\/localhost:1\/typo\.git: /) as string,
    });
    expect(readdirSync(folder.at('typed'))).toEqual([]);
  });

  it.each([
    ['invalid JSON', '{'],
    ['an invalid name', '{"name": "Acme Hello", "version": "1.0.0"}'],
  ])('of a first build announces no folder if its only package has %s, and none is left', async (_, text) => {
    mkdirSync(folder.at('unusable/package'), { recursive: true });
    writeFileSync(folder.at('unusable/package/composer.json'), text);
    const outcome = await libretto(['build', 'package'], { cwd: folder.at('unusable') });
    expect([outcome.exitCode, outcome.stdout, outcome.stderr]).toEqual([
      1,
      expect.stringMatching(/^Nothing was published, because no version can be used/),
      expect.stringMatching(/^1 version left out:\n/),
    ]);
    expect(readdirSync(folder.at('unusable'))).toEqual(['package']);
  });

  it('of a first start announces no folder if no source can be read, and none is left', async () => {
    mkdirSync(folder.at('started'));
    writeFileSync(
      folder.at('started/libretto.json'),
      JSON.stringify({ listen: '127.0.0.1:0', sources: ['https://localhost:1/typo.git'] }),
    );
    const { exitCode, stderr } = await libretto(['start'], { cwd: folder.at('started') });
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/^Nothing was published[^]*1 source could not be read:/),
    ]);
    expect(readdirSync(folder.at('started'))).toEqual(['libretto.json']);
  });

  it('of a build of one readable source and another one names the new folder', async () => {
    mkdirSync(folder.at('mixed'));
    const args = ['build', '../packages', 'https://localhost:1/typo.git'];
    const outcome = await libretto(args, { cwd: folder.at('mixed') });
    expect([outcome.exitCode, firstLine(outcome)]).toEqual([1, expect.stringMatching(/^New data folder: /)]);
    expect(outcome.stderr).toContain('1 source could not be read. Its published versions stay available:');
  });

  itInSeries('of a refused build leaves an empty folder that was there', async () => {
    mkdirSync(folder.at('prepared/var'), { recursive: true });
    await libretto(['build', 'https://localhost:1/typo.git'], { cwd: folder.at('prepared') });
    expect(readdirSync(folder.at('prepared/var'))).toEqual([]);
  });

  it('says with --json that it makes a folder that nobody named', async () => {
    const args = ['token', 'create', '--description', 'CI', '--json'];
    expect((await libretto([...args, '--data', 'named'])).stderr).toBe('');
    expect((await libretto(args, { cwd: folder.at('packages') })).stderr).toBe(
      `New data folder: ${folder.at('packages/var')} (default; --data DIRECTORY chooses another)`,
    );
  });

  itInSeries('of a server that starts before the first build names the new folder', async () => {
    const server = startCli(['serve', '--listen', '127.0.0.1:0', '--data', 'served'], { cwd: folder.path });
    await server.shows(/Serving nothing yet/);
    server.signal('SIGTERM');
    expect(firstLine(await server.ended)).toBe(`New data folder: ${folder.at('served')}`);
  });
});
