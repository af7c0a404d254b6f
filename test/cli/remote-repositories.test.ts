// Tests `libretto repository list|show|sync --url` on a remote registry and on a data folder.

import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

let folder: TemporaryFolder;
let server: RunningCli | undefined;
beforeEach(() => {
  folder = temporaryFolder('cli-remote');
  mkdirSync(folder.at('packages/hello'), { recursive: true });
  writeFileSync(folder.at('packages/hello/composer.json'), JSON.stringify({ name: 'acme/hello', version: '1.0.0' }));
  writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'data', sourceRoots: [folder.at('packages')] }));
});
afterEach(async () => {
  server?.signal('SIGKILL');
  await server?.ended;
  server = undefined;
  await folder.remove();
});

const here = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const json = ({ stdout }: CliOutcome): Record<string, unknown> => JSON.parse(stdout) as Record<string, unknown>;

describe('libretto repository --url', () => {
  it('lists, shows and syncs remote repositories, as the commands do on their host', async () => {
    const { id } = json(await here('repository', 'add', 'packages', '--type', 'directory', '--json')) as { id: string };
    const { token } = json(await here('token', 'create', '--description', 'CI', '--kind', 'write', '--json')) as {
      token: string;
    };
    server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
    const url = (await server.shows(/http:\/\/127\.0\.0\.1:\d+/))[0];
    const there = (...args: readonly string[]): Promise<CliOutcome> =>
      runCli(['repository', ...args, '--url', url, '--data', 'nowhere'], {
        cwd: folder.path,
        environment: { LIBRETTO_TOKEN: token },
      });

    const synced = await there('sync', id);
    expect([synced.exitCode, synced.stderr, synced.stdout]).toEqual([
      0,
      '',
      'Synced: 1 added, 0 changed, 0 withdrawn (publication 1).\n  + acme/hello 1.0.0',
    ]);
    expect(await there('list')).toEqual(await here('repository', 'list'));
    const { stderr: steps } = await there('list', '--verbose');
    expect(steps).toMatch(new RegExp(`^GET ${url}/api/repositories: 200 after \\d+ ms$`));
    expect(json(await there('show', id, '--json'))).toEqual(json(await here('repository', 'show', id, '--json')));

    const unknown = await there('show', 'repo_0000000000000000');
    expect([unknown.exitCode, unknown.stdout, unknown.stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/^libretto: There is no repository .*\[NOT_FOUND\]$/) as string,
    ]);
    const refused = await runCli(['repository', 'sync', id, '--url', url, '--token', 'lib_w_no'], { cwd: folder.path });
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('[INVALID_TOKEN]') as string]);
  });

  it('reports an address without a registry', async () => {
    const outcome = await runCli(['repository', 'list', '--url', 'http://127.0.0.1:1', '--token', 'x'], {
      cwd: folder.path,
    });
    expect([outcome.exitCode, outcome.stdout, outcome.stderr]).toEqual([
      1,
      '',
      expect.stringContaining('http://127.0.0.1:1 cannot be reached') as string,
    ]);
  });
});
