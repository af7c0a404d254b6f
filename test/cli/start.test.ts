// Tests `libretto start`, which `npm start` runs: a registry with one command. Other tests run its printed lines with
// the real Composer.

import { readFileSync, rmSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { reachableAddresses } from '../../cli/io/network-addresses.ts';
import { takeLock } from '../../build/output/lock.ts';
import { below, libraryTree, writeTree } from '../util/package-tree.ts';
import { pathWithoutLibretto, runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
let running: RunningCli | undefined;
beforeEach(() => {
  folder = temporaryFolder('cli-start');
  writeTree(folder.at('packages-src'), {
    ...below('a', libraryTree('acme/a', { version: '1.0.0' })),
    ...below('hello', libraryTree('acme/hello', { version: '1.0.0' })),
  });
});
afterEach(async () => {
  running?.signal('SIGKILL');
  await running?.ended;
  running = undefined;
  await folder.remove();
});

interface Session {
  readonly url: string;
  readonly stop: () => Promise<CliOutcome>;
}

const start = async (...flags: readonly string[]): Promise<Session> => startWith({}, ...flags);

const startWith = async (environment: Record<string, string>, ...flags: readonly string[]): Promise<Session> => {
  const server = startCli(['start', '--listen', '127.0.0.1:0', ...flags], { cwd: folder.path, environment });
  running = server;
  const url = (await server.shows(/http:\/\/127\.0\.0\.1:\d+/))[0];
  await server.shows(/composer require .*\n/);
  const stop = async (): Promise<CliOutcome> => {
    server.signal('SIGTERM');
    return server.ended;
  };
  return { url, stop };
};

/** No printed line names a `libretto` that a shell would not find. */
function expectNoLibretto({ stdout, stderr }: CliOutcome): void {
  const script = String.raw`node \S*lib/cli/main\.js`;
  expect(stderr).toMatch(new RegExp(`^ {2}${script} token create --description "NAME"$`, 'm'));
  expect(stderr).toMatch(new RegExp(`^ {2}${script} build /path/to/packages `, 'm'));
  expect(stderr).toMatch(new RegExp(`^Or run \`${script} user create --admin`, 'm'));
  expect(`${stdout}${stderr}`).not.toMatch(/(?:^ *|`)libretto /m);
}

describe('libretto start', () => {
  it('builds, creates a first token, serves, and prints the lines for Composer', async () => {
    const { url, stop } = await start();
    const { stdout } = running?.output() ?? { stdout: '' };
    const token = /lib_r_\w+/.exec(stdout)?.[0] ?? '';
    const response = await fetch(`${url}/packages.json`, { headers: { authorization: `Bearer ${token}` } });
    expect(await response.json()).toMatchObject({ 'available-packages': ['acme/a', 'acme/hello'] });
    const outcome = await stop();
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout.trimEnd().split('\n')).toEqual([
      '  composer init -n --name=you/app',
      '  composer config -n secure-http false',
      '  composer config -n repositories.packagist.org false',
      `  composer config -n repositories.libretto composer ${url}`,
      `  composer config -n --auth bearer.${new URL(url).host} ${token}`,
      '  composer require -n acme/hello',
    ]);
    expect(outcome.stderr).toContain(`Requests are logged to ${folder.at('var/log/requests.log')}.`);
    const log = readFileSync(folder.at('var/log/requests.log'), 'utf8');
    expect(log).toContain('/packages.json');
    expect(log).not.toContain(token);
  });

  itInSeries(
    'creates no second token, and prints how to create one; serves without an excluded version, and during another build',
    async () => {
      await (await start()).stop();
      writeTree(folder.at('packages-src'), below('broken', libraryTree('acme/broken', { version: 'x y' })));
      const { stop } = await start();
      const { stdout, stderr } = await stop();
      expect(stdout).toContain('YOUR_TOKEN');
      expect(stdout).not.toContain('lib_r_');
      expect(stderr).toContain('this command creates one:\n\n  libretto token create --description "NAME"\n');
      expect(stderr).toContain('1 version left out:');
      expect(stderr).toContain('Serving 2 packages on ');
      const { tokens } = JSON.parse((await runCli(['token', 'list', '--json'], { cwd: folder.path })).stdout) as {
        tokens: { created_at: string; expires_at: string }[];
      };
      expect(
        tokens.map(({ created_at, expires_at }) => (Date.parse(expires_at) - Date.parse(created_at)) / 86_400_000),
      ).toEqual([90]);
      const lock = await takeLock(folder.at('var/build/lock'), () => new Date());
      try {
        const beside = await (await startWith({ PATH: pathWithoutLibretto })).stop();
        expect(beside.exitCode).toBe(0);
        expect(beside.stderr).toContain('The published versions are still served.');
        expectNoLibretto(beside);
      } finally {
        await lock.release();
      }
    },
  );

  it('prints the version of a package without a release; leaves Packagist on for a package that requires others', async () => {
    rmSync(folder.at('packages-src'), { recursive: true });
    const json = { require: { php: '>=8.1', 'monolog/monolog': '^3.0' } };
    writeTree(folder.at('packages-src'), below('x', libraryTree('acme/x', json)));
    const { stdout, stderr } = await (await start()).stop();
    expect(stdout).toMatch(/^ {2}composer require -n acme\/x:dev-main$/m);
    expect(stderr).toContain('acme/x has no stable release, so the last line names its version: dev-main.');
    expect(stdout).not.toContain('packagist');
  });

  it('prints the address that other machines reach, and how to publish into the same data folder', async () => {
    const [address] = reachableAddresses(networkInterfaces()).filter((one) => isIPv4(one));
    const { url, stop } = await start('--listen', '0.0.0.0:0', '--data', folder.at('my data'));
    const { stdout, stderr } = await stop();
    const data = `--data '${folder.at('my data')}'`;
    expect(stderr).toContain(`\n  libretto build /path/to/packages ${data} `);
    expect(stderr).toContain(`\n  libretto build git:/path/to/repository ${data} `);
    const shared = address === undefined ? url : url.replace('127.0.0.1', address);
    expect(stdout).toContain(`  composer config -n repositories.libretto composer ${shared}\n`);
    if (address !== undefined) expect(stderr).toContain(`Other machines reach it at ${shared}.`);
  });

  it('prints the configured address, and warns of a setting that contradicts it', async () => {
    const addresses = { LIBRETTO_PUBLIC_URL: 'https://packages.example.org/', LIBRETTO_DIST_URL: 'https://old.test' };
    const { stop } = await startWith(addresses, '--listen', '0.0.0.0:0');
    const { stdout, stderr } = await stop();
    expect(stdout).toContain('  composer config -n repositories.libretto composer https://packages.example.org\n');
    expect(stdout).not.toContain('secure-http');
    expect(stderr).toContain('Clients use https://packages.example.org (LIBRETTO_PUBLIC_URL).');
    expect(stderr).toContain(
      'Warning: LIBRETTO_DIST_URL differs from publicUrl, https://packages.example.org: builds write addresses of archives at https://old.test. Remove that setting, or correct it.',
    );
  });

  it('exits with 2 without any source', async () => {
    const outcome = await runCli(['start', '--listen', '127.0.0.1:0'], { cwd: folder.at('packages-src') });
    expect(outcome).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/There is nothing to build\. `.* start` takes no SOURCE: it builds/) as string,
    });
    expect(outcome.stderr).not.toContain('Name a SOURCE');
  });
});
