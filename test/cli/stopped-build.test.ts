// Tests a `libretto build` that is stopped, or gives up a remote, while git waits for a server that never answers.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startGitHttpServer, type GitHttpServer } from '../util/git-http-server.ts';
import { createRepository } from '../util/git-repository.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { runCli, startCli, heading } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
let server: GitHttpServer;
beforeEach(async () => {
  folder = temporaryFolder('stopped-build');
  mkdirSync(folder.at('repositories'));
  createRepository(
    folder.at('repositories/lib.git'),
    [{ commit: 'main', files: { 'composer.json': '{"name":"acme/lib"}' } }],
    { bare: true },
  );
  writeTree(folder.at('packages'), libraryTree('acme/hello', { version: '1.0.0' }));
  server = await startGitHttpServer(folder.at('repositories'));
});
afterEach(async () => {
  await server.close();
  await folder.remove();
});

/** Command lines of the processes that are connected to the server. */
function gits(): readonly string[] {
  const lines = readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map((pid) => {
      const path = `/proc/${pid}/cmdline`;
      try {
        return readFileSync(path, 'utf8').replaceAll('\0', ' ');
      } catch {
        return ''; // it has ended in the meantime
      }
    });
  return lines.filter((line) => line.includes(`${server.url}/lib.git`) && !line.includes('main.js'));
}

describe.skipIf(!existsSync('/proc/self/cmdline'))('a build whose remote hangs', () => {
  it.each([
    ['SIGINT', 130, 'hang'],
    ['SIGTERM', 143, 'hangFetches'],
  ] as const)(
    'is ended by %s with code %i together with all git processes, and the next build finds no lock',
    async (signal, code, behaviour) => {
      server.behave(behaviour);
      const build = startCli(['build', 'packages', `${server.url}/lib.git`], { cwd: folder.path });
      await vi.waitFor(
        () =>
          expect(server.requests.filter((each) => each.startsWith('GET'))).toHaveLength(behaviour === 'hang' ? 1 : 2),
        { timeout: 60_000 },
      );
      expect(gits().length).toBeGreaterThan(1);
      build.signal(signal);
      const { exitCode, stderr, stdout } = await build.ended;
      expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
      expect(stderr.replace(heading, '')).toBe(
        'Stopping the build. The published versions stay. Press Ctrl+C again to stop at once.\n',
      );
      expect(gits()).toEqual([]);
      expect(existsSync(folder.at('var/public/packages.json'))).toBe(false);
      expect((await runCli(['build', 'packages'], { cwd: folder.path })).exitCode).toBe(0);
    },
  );

  itInSeries.each(['compose.yaml', 'compose-object-store.yaml'])(
    'is ended in order by SIGTERM to the command of %s',
    async (file) => {
      const compose = readFileSync(new URL(`../../docs/deploy/${file}`, import.meta.url), 'utf8');
      const [, command = ''] = /entrypoint:\s+\['sh', '-c', "(.*)"\]/.exec(compose) ?? [];
      const main = new URL('../../lib/cli/main.js', import.meta.url).pathname;
      mkdirSync(folder.at('bin'));
      writeFileSync(folder.at('bin/libretto'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, {
        mode: 0o755,
      });
      writeFileSync(folder.at('libretto.json'), JSON.stringify({ sources: [`${server.url}/lib.git`] }));
      server.behave('hangFetches');
      const loop = execa('sh', ['-c', command.replaceAll('$$', '$')], {
        cwd: folder.path,
        env: { PATH: `${folder.at('bin')}:${process.env['PATH'] ?? ''}` },
        reject: false,
      });
      await vi.waitFor(() => expect(gits().length).toBeGreaterThan(1), { timeout: 60_000 });
      loop.kill('SIGTERM');
      expect((await loop).stderr).toContain('Stopping the build.');
      expect(gits()).toEqual([]);
    },
  );

  itInSeries('gives up the remote after the time in libretto.json or a variable, and names that setting', async () => {
    server.behave('hangFetches');
    writeFileSync(
      folder.at('libretto.json'),
      JSON.stringify({ sources: ['packages', `${server.url}/lib.git`], git: { askTimeout: 30, fetchTimeout: 1 } }),
    );
    const fetched = await runCli(['build'], { cwd: folder.path });
    expect(fetched).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(
        'git took longer than 1 s and was stopped. If it is only slow, give it more with git.fetchTimeout.',
      ),
    });
    server.behave('hang');
    const asked = await runCli(['build'], { cwd: folder.path, environment: { LIBRETTO_GIT_ASK_TIMEOUT: '1' } });
    expect(asked.stderr).toContain('with git.askTimeout.');
    expect(gits()).toEqual([]);
  });
});
