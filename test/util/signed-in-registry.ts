// A registry with an admin who is signed in from a terminal: commands on its host, the same commands with --url, and the
// admin's browser.

import { Agent } from 'undici';
import { expect } from 'vitest';

import { serveTree } from './registry.ts';
import { runCli, startCli, type CliOutcome } from './run-cli.ts';
import { createBrowser, type TestBrowser } from './running-console.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const adminPassword = 'correct horse battery';

export interface SignedInRegistry {
  readonly url: string;
  readonly browser: TestBrowser;
  /** Standard output of a command in the data folder. */
  readonly host: (...args: readonly string[]) => Promise<string>;
  /** The command with --url, as the admin. */
  readonly there: (...args: readonly string[]) => Promise<CliOutcome>;
  /** The form at a link that a command has printed. */
  readonly opened: (link: string) => Promise<{ readonly html: string; readonly text: string }>;
  readonly close: () => Promise<void>;
}

export async function startSignedInRegistry(name: string): Promise<SignedInRegistry> {
  const folder = temporaryFolder(name);
  const options = { cwd: folder.path, environment: { XDG_CONFIG_HOME: folder.at('config') } };
  const host = async (...args: readonly string[]): Promise<string> => {
    const input = args.includes('--password-stdin') ? `${adminPassword}\n` : '';
    const done = await runCli([...args, '--data', folder.at('data')], { ...options, input });
    expect(done.exitCode, done.stderr).toBe(0);
    return done.stdout;
  };
  await host('user', 'create', '--admin', '--email', 'root@example.org', '--password-stdin');
  const server = await serveTree(folder.path, folder.at('data'), []);
  const agent = new Agent();
  const browser = createBrowser(agent, server.url);
  await browser.post('/sign-in', { email: 'root@example.org', password: adminPassword });
  const login = startCli(['login', server.url, '--name', 'laptop'], options);
  const [, code = ''] = await login.shows(/The code is (\S+)/);
  await browser.post('/device/approve', { code, current_password: adminPassword });
  expect((await login.ended).exitCode).toBe(0);
  return {
    url: server.url,
    browser,
    host,
    there: (...args) => runCli([...args, '--url', server.url], options),
    opened: (link) => browser.get(link.trim().slice(`${server.url}/ui`.length)),
    close: async () => {
      await agent.close();
      await server.stop();
      await folder.remove();
    },
  };
}
