// A running registry with an admin, and a terminal that has signed in to it with `libretto login`: for tests of
// commands with --url.

import { writeFileSync } from 'node:fs';
import { Agent } from 'undici';
import { expect } from 'vitest';

import { libraryTree, writeTree } from './package-tree.ts';
import { serveTree } from './registry.ts';
import { runCli, startCli, type CliOutcome } from './run-cli.ts';
import { createBrowser, type PageReply, type TestBrowser } from './running-console.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface RemoteTerminal {
  readonly url: string;
  readonly folder: ReturnType<typeof temporaryFolder>;
  /** for other browsers */
  readonly agent: Agent;
  /** of the same admin */
  readonly browser: TestBrowser;
  /** Runs a command on the data folder of the server, and returns what it prints. It must succeed. */
  readonly host: (...args: readonly string[]) => Promise<string>;
  /** Runs a command as it is. */
  readonly run: (...args: readonly string[]) => Promise<CliOutcome>;
  /** Runs a command on the remote registry. */
  readonly there: (...args: readonly string[]) => Promise<CliOutcome>;
  /** The form at the link that a command has printed. */
  readonly opened: (outcome: Pick<CliOutcome, 'stdout'>) => Promise<PageReply>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

export const adminPassword = 'correct horse battery';

/** `configuration`: of libretto.json. */
export async function remoteTerminal(name: string, configuration: object = {}): Promise<RemoteTerminal> {
  const folder = temporaryFolder(name);
  const agent = new Agent();
  writeFileSync(folder.at('libretto.json'), JSON.stringify(configuration));
  const environment = { XDG_CONFIG_HOME: folder.at('config') };
  const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path, environment });
  const host = async (...args: readonly string[]): Promise<string> => {
    const input = args.includes('--password-stdin') ? `${adminPassword}\n` : '';
    const done = await runCli([...args, '--data', folder.at('data')], { cwd: folder.path, environment, input });
    expect(done.exitCode, done.stderr).toBe(0);
    return done.stdout;
  };
  writeTree(folder.at('packages/lib'), libraryTree('acme/lib', { version: '1.0.0' }));
  await host('build', folder.at('packages/lib'));
  await host('user', 'create', '--admin', '--email', 'root@example.org', '--password-stdin');
  const server = await serveTree(folder.path, folder.at('data'), []);
  const browser = createBrowser(agent, server.url);
  expect((await browser.post('/sign-in', { email: 'root@example.org', password: adminPassword })).status).toBe(303);
  const login = startCli(['login', server.url, '--name', 'laptop'], { cwd: folder.path, environment });
  const [, code = ''] = await login.shows(/The code is (\S+)/);
  await browser.post('/device/approve', { code, current_password: adminPassword });
  expect((await login.ended).exitCode).toBe(0);
  return {
    url: server.url,
    folder,
    agent,
    browser,
    host,
    run,
    there: (...args) => run(...args, '--url', server.url),
    opened: ({ stdout }) => browser.get(stdout.trim().slice(`${server.url}/ui`.length)),
    [Symbol.asyncDispose]: async () => {
      await agent.close();
      await server.stop();
      await folder.remove();
    },
  };
}
