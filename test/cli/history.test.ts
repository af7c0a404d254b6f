// Tests `libretto history` and `libretto history diff`: time and author of each publication, and the changes between two
// publications.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { below, writeTree } from '../util/package-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = temporaryFolder('history');
  put('a', '1.0.0');
  await run('build', 'packages');
  put('b', '2.0.0');
  await run('build', 'packages');
  put('c', '3.0.0');
  await run('build', 'packages');
});
afterEach(() => folder.remove());

const put = (where: string, version: string): void =>
  writeTree(folder.at('packages'), below(where, whoLibrary('acme/hello', version)));
const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const lines = ({ stdout }: CliOutcome): string[] => stdout.trimEnd().split('\n');

describe('libretto history', () => {
  it('lists publications, the newest first, with author and number of changes', async () => {
    const [head, ...rows] = lines(await run('history'));
    expect(head).toMatch(/^SERIAL +PUBLISHED +ADDED +CHANGED +WITHDRAWN +PACKAGES +BY$/);
    expect(rows).toEqual(
      [3, 2, 1].map((serial) =>
        expect.stringMatching(new RegExp(`^${serial} +\\d{4}-\\d\\d-\\d\\dT[\\d:]{8}Z +1 +0 +0 +1 +cli:\\S+, build$`)),
      ),
    );
    const json = JSON.parse((await run('history', '--json')).stdout) as { publications: readonly unknown[] };
    expect(json.publications).toHaveLength(3);
    expect(json.publications[0]).toMatchObject({
      serial: 3,
      previous: 2,
      by: { command: 'build' },
      rollback_to: null,
      counts: { added: 1 },
      packages: [{ name: 'acme/hello', added: [{ version: '3.0.0', source: expect.stringContaining('packages') }] }],
    });
  });

  it('reports a data folder without publications', async () => {
    await run('token', 'create', '--description', 'CI', '--data', 'empty');
    expect(await run('history', '--data', 'empty')).toMatchObject({
      exitCode: 0,
      stdout: 'No publication is recorded yet.',
    });
  });

  it('has as many entries as history.keep allows', async () => {
    put('d', '4.0.0');
    expect((await run('build', 'packages', '--keep', '2')).exitCode).toBe(0);
    expect(
      lines(await run('history'))
        .slice(1)
        .map((row) => row.slice(0, 1)),
    ).toEqual(['4', '3']);
    expect(await run('build', '--keep', '0')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--keep is "0"; allowed: a whole number from 1 to 10000.'),
    });
  });
});

describe('libretto history diff', () => {
  it('shows the changes between two publications in either direction, and up to now', async () => {
    expect(lines(await run('history', 'diff', '1'))).toEqual([
      'From publication 1 to 3:',
      expect.stringMatching(/^ {2}\+ acme\/hello 2\.0\.0 \([0-9a-f]{12}; .*packages\)$/),
      expect.stringMatching(/^ {2}\+ acme\/hello 3\.0\.0 /),
    ]);
    expect(lines(await run('history', 'diff', '2', '1'))).toEqual([
      'From publication 2 to 1:',
      expect.stringMatching(/^ {2}- acme\/hello 2\.0\.0 /),
    ]);
    expect(JSON.parse((await run('history', 'diff', '1', '2', '--json')).stdout)).toEqual({
      from: 1,
      to: 2,
      added: [
        {
          name: 'acme/hello',
          version: '2.0.0',
          reference: expect.stringMatching(/^[0-9a-f]{40}$/),
          source: expect.stringContaining('packages'),
        },
      ],
      changed: [],
      withdrawn: [],
      metadata: [],
    });
    expect(lines(await run('history', 'diff', '3'))).toEqual(['Publications 3 and 3 do not differ.']);
  });

  it.each([
    [
      ['history', 'diff', '9'],
      'libretto: There is no publication 9 yet: the current one is 3. `libretto history list` lists them.',
    ],
    [
      ['history', 'diff', '1', '9'],
      'libretto: There is no publication 9 yet: the current one is 3. `libretto history list` lists them.',
    ],
    [
      ['history', 'diff', 'one'],
      'libretto: one is not the number of a publication. `libretto history list` lists them.',
    ],
  ])('refuses %j', async (args, message) => {
    expect(await run(...args)).toEqual({ exitCode: 2, stdout: '', stderr: message });
  });
});
