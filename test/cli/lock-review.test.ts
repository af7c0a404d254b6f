// Tests `libretto review --lock`: what two lock files and a data folder say about an update.
import { readFileSync, truncateSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli, startCli, type CliOutcome } from '../util/run-cli.ts';
import { whoLibrary } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

let tree: TemporaryTree;

beforeAll(() => {
  tree = temporaryTree();
});
afterAll(() => tree.remove());

type Entry = Readonly<Record<string, unknown>>;

const entry = (name: string, version: string, more: Entry = {}): Entry => ({
  name,
  version,
  dist: { type: 'zip', url: `https://packages.example.org/dist/${name}.zip`, reference: version },
  license: ['MIT'],
  ...more,
});

function locks(before: readonly Entry[], after: readonly Entry[]): void {
  tree.write({
    'old.lock': { json: { packages: before } },
    'composer.lock': { json: { packages: after.slice(0, 1), 'packages-dev': after.slice(1) } },
  });
}

const review = (...flags: readonly string[]): Promise<CliOutcome> =>
  runCli(['review', '--lock', 'old.lock', 'composer.lock', ...flags], { cwd: tree.root });

interface Row {
  readonly name: string;
  readonly change: string;
  readonly remarkable: boolean;
  readonly findings: readonly { readonly kind: string; readonly level: string; readonly message: string }[];
}

async function rows(...flags: readonly string[]): Promise<readonly Row[]> {
  return (JSON.parse((await review('--json', ...flags)).stdout) as { packages: Row[] }).packages;
}

const short = ({ name, change, findings }: Row): string =>
  [name, change, ...findings.filter(({ level }) => level !== 'note').map(({ kind }) => kind)].join(' ');

describe('libretto review --lock', () => {
  it('shows a plain update in one line, and a remarkable one first', async () => {
    locks(
      [entry('acme/a', '1.0.0'), entry('acme/z', '1.0.0'), entry('acme/gone', '1.0.0'), entry('acme/same', '1.0.0')],
      [
        entry('acme/a', '1.0.1'),
        entry('acme/z', '1.0.1', { autoload: { files: ['src/boot.php'] }, require: { 'acme/new': '^1' } }),
        entry('acme/new', '1.0.0'),
        entry('acme/same', '1.0.0'),
      ],
    );
    expect((await rows()).map(short)).toEqual([
      'acme/z updated autoload-file dependency',
      'acme/a updated',
      'acme/gone removed',
      'acme/new added',
    ]);
    const { stdout, exitCode } = await review();
    expect([exitCode, stdout.split('\n')[0]]).toEqual([0, '4 packages changed, 1 of them remarkable.']);
    expect(stdout).toContain('\n  ~ acme/a 1.0.0 → 1.0.1 (updated)\n');
    expect(stdout).toContain('      warning: it runs src/boot.php in every request\n');
    expect(await review('--fail-on', 'remarkable')).toMatchObject({ exitCode: 3 });
    for (const what of ['held', 'advisory'])
      expect(await review('--fail-on', what)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(
          'Name a data folder with -d, or a registry with --url or LIBRETTO_URL',
        ) as string,
      });
  });

  it('finds other bytes and other places under the same version', async () => {
    const dist = { type: 'zip', url: 'https://evil.example/x.zip', reference: '1.0.0' };
    locks(
      [entry('acme/a', '1.0.0'), entry('acme/b', '1.0.0'), entry('acme/c', '2.0.0')],
      [
        entry('acme/a', '1.0.0', { dist }),
        entry('acme/b', '1.0.0', { dist: { ...dist, reference: 'other' } }),
        entry('acme/c', '1.0.0', { license: ['proprietary'] }),
      ],
    );
    expect((await rows()).map(short)).toEqual([
      'acme/a changed dist',
      'acme/b changed changed-bytes dist',
      'acme/c downgraded license',
    ]);
  });

  it('is calm where archives come from the registry of the project from now on', async () => {
    const dist = { type: 'zip', url: '/dist/acme/a/1.0.0.zip', reference: '1.0.0' };
    locks([entry('acme/a', '1.0.0')], [entry('acme/a', '1.0.0', { dist })]);
    expect((await review()).stdout).toContain('from the registry of the project, and came from packages.example.org');
    expect(await review('--fail-on', 'remarkable')).toMatchObject({ exitCode: 0 });
    locks([entry('acme/a', '1.0.0')], [entry('acme/a', '1.0.0')]);
    expect((await review()).stdout).toBe('No package changed.');
  });

  it('knows from a data folder which advisory and which rule concern the new version', async () => {
    const advisory = {
      advisoryId: 'ACME-1',
      affectedVersions: '>=1.1',
      title: 'Steals',
      severity: 'critical',
      reportedAt: '2026-03-01T12:00:00+00:00',
    };
    const rule = { name: 'grave', rule: 'advisories', severity: 'low', action: 'block' };
    tree.write({
      ...below('packages/one', whoLibrary('acme/hello', '1.0.0', {}, 'a')),
      ...below('packages/two', whoLibrary('acme/hello', '1.1.0', {}, 'b')),
      'advisories.json': { json: { advisories: { 'acme/hello': [advisory] } } },
      'libretto.json': { json: { sources: ['./packages'], data: 'data', advisories: 'advisories.json' } },
      'policy.json': { json: { rules: [rule], exceptions: [] } },
    });
    const cli = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: tree.root });
    expect(await cli('build')).toMatchObject({ exitCode: 0 });
    expect(await cli('policy', 'set', 'policy.json')).toMatchObject({ exitCode: 0 });
    locks([entry('acme/hello', '1.0.0')], [entry('acme/hello', '1.1.0')]);
    expect((await rows()).map(short)).toEqual(['acme/hello updated held advisory']);
    expect(await review('--fail-on', 'held')).toMatchObject({ exitCode: 3 });
    expect(await review('--fail-on', 'advisory')).toMatchObject({ exitCode: 3 });
    const token = (await cli('token', 'create', '--description', 'CI')).stdout;
    const server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: tree.root });
    try {
      const [url = ''] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
      const remotely = (...flags: readonly string[]): Promise<CliOutcome> =>
        runCli(['review', '--lock', 'old.lock', 'composer.lock', '--url', url, ...flags], {
          cwd: tree.root,
          environment: { LIBRETTO_TOKEN: token },
        });
      expect(await remotely('--fail-on', 'held')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('may not ask what the policy says') as string,
      });
      const refused = await runCli(
        ['review', '--lock', 'old.lock', 'composer.lock', '--url', url, '--fail-on', 'held'],
        {
          cwd: tree.root,
          environment: { LIBRETTO_TOKEN: 'wrong' },
        },
      );
      expect(refused).toMatchObject({ exitCode: 1 });
      const { stdout, stderr } = await remotely();
      expect([stdout, stderr]).toEqual([
        expect.stringMatching(/error: it has the advisory ACME-1: Steals$/m),
        expect.stringContaining('may not ask what the policy says'),
      ]);
    } finally {
      server.signal('SIGTERM');
      await server.ended;
    }
    locks([entry('acme/hello', '1.1.0')], [entry('acme/hello', '1.0.0')]);
    expect((await review()).stdout).toContain('no longer has ACME-1');
  });

  it('makes hostile texts harmless in each form', async () => {
    const name = 'acme/\u001b[31m](http://x)@all<img src=x>`|\n# h';
    locks([entry('acme/a', '1')], [entry('acme/a', '1'), entry(name, '1 <!-- --> `@admin`')]);
    for (const form of ['--json', '--sarif', '--markdown', '--quiet']) {
      const { stdout, exitCode } = await review(form);
      expect([form, exitCode, stdout.includes('\u001b')]).toEqual([form, 0, false]);
    }
    const { stdout } = await review('--markdown');
    const outside = stdout.replaceAll(/`[^`\n]*`/g, '');
    expect(outside).not.toMatch(/@|<img|\]\(|^# h/m);
    expect(stdout.startsWith('<!-- libretto-lock-review -->\n')).toBe(true);
  });

  it('prints SARIF with a rule and the line of the package', async () => {
    locks([entry('acme/a', '1.0.0')], [entry('acme/a', '1.0.1', { type: 'composer-plugin' })]);
    const { stdout } = await review('--sarif');
    const line =
      readFileSync(tree.path('composer.lock'), 'utf8')
        .split('\n')
        .findIndex((one) => one.includes('"name": "acme/a"')) + 1;
    expect(JSON.parse(stdout)).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'Libretto' } },
          results: [
            {
              ruleId: 'plugin',
              level: 'warning',
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'composer.lock' },
                    region: { startLine: line > 0 ? line : 1 },
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it('refuses locks that are none, name a package twice, or are nested too deeply', async () => {
    locks([entry('acme/a', '1')], [entry('acme/a', '1'), entry('Acme/A', '2')]);
    expect((await review()).stderr).toContain('composer.lock names acme/a twice');
    tree.write({ 'old.lock': '['.repeat(5000) + ']'.repeat(5000) });
    expect(await review()).toMatchObject({ exitCode: 2 });
    tree.write({ 'old.lock': '' });
    expect((await review()).stderr).toContain('old.lock cannot be read as a composer.lock');
  });

  itInSeries('refuses a lock of more than 50 MiB or 20 000 packages, and says what to do', async () => {
    locks([entry('acme/a', '1')], [entry('acme/a', '1')]);
    truncateSync(tree.path('composer.lock'), 50 * 1024 ** 2 + 1);
    const { exitCode, stderr } = await review();
    expect([exitCode, stderr.trim()]).toEqual([
      2,
      'libretto: composer.lock has 52428801 bytes; a composer.lock may have 52428800. Name a file that Composer wrote.',
    ]);
    const many = Array.from({ length: 20_001 }, (_, at) => ({ name: `acme/p${at}`, version: '1' }));
    locks(many, [entry('acme/a', '1')]);
    expect((await review()).stderr).toContain('old.lock has 20001 packages; a composer.lock may have 20000. Name a');
    locks(many.slice(1), [entry('acme/a', '1')]);
    expect((await review()).stdout).toContain('20001 packages changed, nothing is remarkable.');
  });

  itInSeries('reads the old lock from standard input', async () => {
    locks([], [entry('acme/a', '1.0.0')]);
    const input = JSON.stringify({ packages: [] });
    const { stdout } = await runCli(['review', '--lock', '-', 'composer.lock'], { cwd: tree.root, input, alone: true });
    expect(stdout).toContain('+ acme/a 1.0.0 (added)');
  });
});
