// Tests shell completion in bash, zsh and fish: each loads its script and completes command lines of a registry.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { binary, cleanEnvironment, runCli } from '../util/run-cli.ts';
import { lacks } from '../util/tool.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';

let tree: TemporaryTree;
let [shop, blog]: [string, string] = ['', ''];
let repository = '';
/** a token of another registry */
let other = '';

const json = async (...args: readonly string[]): Promise<Record<string, string>> =>
  JSON.parse((await runCli([...args, '--json'], { cwd: tree.root })).stdout) as Record<string, string>;

beforeAll(async () => {
  tree = temporaryTree({
    ...below('src/hello', libraryTree('acme/hello', { version: '1.0.0' })),
    ...below('src/help', libraryTree('acme/help', { version: '1.0.0' })),
    'some file.txt': 'x',
    'folder/inner.txt': 'x',
    'my data/.keep': '',
  });
  writeFileSync(tree.path('libretto.json'), JSON.stringify({ sourceRoots: [tree.path('src')] }));
  mkdirSync(tree.path('bin'));
  writeFileSync(tree.path('bin/libretto'), `#!/bin/sh\nexec ${process.execPath} ${binary} "$@"\n`);
  chmodSync(tree.path('bin/libretto'), 0o755);
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(tree.path(`script.${shell}`), (await runCli(['completion', shell], { cwd: tree.root })).stdout);
  await json('build', './src');
  shop = (await json('token', 'create', '--description', 'The shop'))['id'] ?? '';
  blog = (await json('token', 'create', '--description', 'The blog'))['id'] ?? '';
  await json('token', 'revoke', (await json('token', 'create', '--description', 'Former'))['id'] ?? '');
  other = (await json('token', 'create', '--description', 'Other', '--data', 'my data'))['id'] ?? '';
  repository = (await json('repository', 'add', 'src/hello', '--type', 'directory'))['id'] ?? '';
});
afterAll(() => tree.remove());

async function inShell(command: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await execa(command, args, {
    cwd: tree.root,
    env: cleanEnvironment({ PATH: `${tree.path('bin')}:${process.env['PATH'] ?? ''}`, HOME: tree.root, TERM: 'dumb' }),
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    timeout: 60_000,
  });
  expect(stderr).toBe('');
  return stdout;
}

/** The words as bash splits them: also at = and :. */
const bash = async (...words: readonly string[]): Promise<readonly string[]> => {
  const script =
    'source script.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); current="${!#}"; ' +
    '[[ $current == [=:] ]] && current=; _libretto libretto "$current"; printf "%s\\n" "${COMPREPLY[@]}"';
  return (await inShell('bash', ['--norc', '-c', script, 'bash', 'libretto', ...words])).split('\n').filter(Boolean);
};

describe('bash', () => {
  it('completes commands and ids', async () => {
    expect(await bash('tok')).toEqual(['token']);
    expect(await bash('token', 're')).toEqual(['revoke']);
    expect(await bash('token', 'show', '')).toHaveLength(3);
  });

  itInSeries('completes words of help, options and their values', async () => {
    expect(await bash('help', 'token', 'cr')).toEqual(['create']);
    expect(await bash('build', '--allow')).toEqual(['--allow-republish', '--allow-withdraw']);
    expect(await bash('build', '--strict', '--st')).toEqual(['--state']);
    expect(await bash('user', 'create', '--role', '')).toEqual(['admin', 'maintainer', 'viewer']);
    expect(await bash('token', 'create', '--kind', '=', 'w')).toEqual(['write']);
    expect(await bash('settings', 'set', 'limits.r')).toEqual(['limits.read']);
    expect(await bash('token', 'create', '--stability', 'R')).toEqual(['RC']);
    expect(await bash('package', 'purge', 'a/b', '1.0.0', '--reason', 'sec')).toEqual(['secret']);
    expect(await bash('keys', 'rotate', 'si')).toEqual(['signing']);
  });

  itInSeries('completes files and folders', async () => {
    expect(await bash('impact', 'some')).toEqual(['some file.txt']);
    expect(await bash('token', 'list', '--data', 'fo')).toEqual(['folder']);
    expect(await bash('token', 'list', '--data', '=', 'fo')).toEqual(['folder']);
    expect(await bash('build', '-qd', 'fo')).toEqual(['folder']);
    expect(await bash('build', '-dfo')).toEqual(['-dfolder']);
    expect(await bash('build', '-qdfo')).toEqual(['-qdfolder']);
    expect(await bash('token', 'list', '--data', '=', String.raw`my\ d`)).toEqual(['my data']);
    expect(await bash('repository', 'add', 'fo')).toEqual(['folder']);
    for (const data of [['-d', '"var"'], ['-dvar'], ['--data', '=', '"var"'], ['--data', '=', "'v'ar"]])
      expect(await bash('why', ...data, '"acme/hello')).toEqual(['acme/hello']);
  });

  itInSeries('completes the names and ids of the registry that the line names', async () => {
    expect(await bash('why', 'acme/hel')).toEqual(['acme/hello', 'acme/help']);
    expect(await bash('package', 'withdraw', 'acme/hello', '')).toEqual(['1.0.0']);
    expect((await bash('token', 'revoke', '')).toSorted()).toEqual([shop, blog].toSorted());
    expect(await bash('token', 'show', '')).toHaveLength(3);
    expect(await bash('repository', 'sync', 'repo_')).toEqual([repository]);
    expect(await bash('history', 'diff', '')).toEqual(['1']);
    expect(await bash('build', '--forget', '')).toHaveLength(1);
    expect(await bash('why', '--data', 'folder', 'acme/')).toEqual([]);
    for (const data of [['-d', '"my data"'], ['-dmy\\ data'], ['--data', '=', '"my data"']])
      expect(await bash('token', 'show', ...data, '')).toEqual([other]);
  });

  it('is silent where there is nothing to read', async () => {
    const lines = [
      ['token', 'revoke', '--data', 'nowhere', ''],
      ['nonsense', ''],
      ['why', '--config', 'missing.json', ''],
    ];
    for (const words of lines) expect(await bash(...words)).toEqual([]);
  });
});

it.each(['bash', 'fish'])('the line that installs the script of %s works in a new home', async (shell) => {
  const { stdout } = await runCli(['completion', '--help'], { cwd: tree.root });
  const line = stdout.split('\n').find((one) => one.includes(`libretto completion ${shell} >`)) ?? '';
  mkdirSync(tree.path('home', shell), { recursive: true });
  await inShell('sh', ['-c', `HOME="$PWD/home/${shell}"; ${line}`]);
  expect(await inShell('find', [`home/${shell}`, '-type', 'f'])).toMatch(/\/completions\/libretto(?:\.fish)?$/);
});

itInSeries('the command for operators asks for no password while the shell completes', async () => {
  const script = readFileSync(new URL('../../docs/deploy/libretto-operator', import.meta.url), 'utf8');
  const program = (path: string, text: string): void => writeFileSync(tree.path(path), text, { mode: 0o755 });
  mkdirSync(tree.path('operator'));
  program('operator/libretto', script.replace('/opt/libretto/bin/libretto', tree.path('bin/libretto')));
  program('operator/id', '#!/bin/sh\n[ "$1" = -u ] && echo 1000 || echo ann\n');
  program('operator/sudo', '#!/bin/sh\n[ "$1" = -n ] && exit 1\necho "[sudo] password for ann:"\n');
  const asOperator = (line: string): Promise<string> =>
    inShell('sh', ['-c', `PATH="$PWD/operator:$PATH"; libretto ${line}`]);
  expect(await asOperator('complete -- token rev')).toBe('plain\nrevoke\trevoke a token permanently');
  expect(await asOperator('token list')).toBe('[sudo] password for ann:');
});

describeInSeries.skipIf(lacks('fish'))('fish', () => {
  const fish = async (line: string): Promise<readonly string[]> =>
    (await inShell('fish', ['--no-config', '-c', `source script.fish; complete -C ${JSON.stringify(line)}`]))
      .split('\n')
      .filter(Boolean);

  it('completes commands, options, ids and names, with descriptions', async () => {
    expect(await fish('libretto token rev')).toEqual(['revoke\trevoke a token permanently']);
    expect(await fish('libretto token create --kind=w')).toEqual(['--kind=write']);
    expect((await fish('libretto token revoke ')).toSorted()).toEqual(
      [`${shop}\tThe shop`, `${blog}\tThe blog`].toSorted(),
    );
    expect(await fish('libretto why acme/hello')).toEqual(['acme/hello']);
    expect(await fish('libretto token list --data fol')).toEqual([expect.stringMatching(/^folder\//)]);
    expect(await fish('libretto token list --data=fol')).toEqual([expect.stringMatching(/^--data=folder\//)]);
    expect(await fish('libretto token list -dfol')).toEqual([expect.stringMatching(/^-dfolder\//)]);
  });
});

describeInSeries.skipIf(lacks('zsh'))('zsh', () => {
  /** Types into an interactive zsh, and returns what it shows. */
  const zsh = (typed: string, until: string): Promise<string> =>
    inShell('zsh', [
      '-f',
      '-c',
      `zmodload zsh/zpty; zpty shell "zsh -f -i"
       zpty -w shell "unsetopt prompt_cr prompt_sp list_ambiguous; autoload -Uz compinit; compinit -u -D; PS1=; source script.zsh; echo LOADED"
       zpty -r -m shell line "*LOADED*LOADED*" || exit 1
       zpty -w -n shell $1
       zpty -r -m shell line "*$2*" && print -r -- "$line"; zpty -d shell`,
      'zsh',
      typed,
      until,
    ]);

  it('completes commands, ids with descriptions, and names', async () => {
    expect(await zsh('libretto token rev\t', 'revoke ')).toContain('libretto token revoke');
    const ids = await zsh('libretto token revoke tok_\t', 'The *The ????');
    expect(ids).toContain(`${shop}  -- The shop`);
    expect(ids).toContain(`${blog}  -- The blog`);
    expect(await zsh('libretto why acme/hell\t', 'hello ')).toContain('acme/hello');
  });

  it('completes files and folders, also behind an option', async () => {
    for (const [typed, completed] of [
      ['token list -d fol', 'token list -d folder/'],
      ['token list --data=fol', 'token list --data=folder/'],
      ['token list -dfol', 'token list -dfolder/'],
      ['token list --config=some', String.raw`token list --config=some\ file.txt`],
    ])
      expect(await zsh(`libretto ${typed}\t`, completed?.slice(-6) ?? '')).toContain(completed);
  });
});
