// Tests the address in the advice of `token create`, beside servers whose flags the command does not have.

import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';

import { createAuthority } from '../util/certificate.ts';
import { freePort, startRedis } from '../util/redis-server.ts';
import { runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { describeInSeries } from '../util/series.ts';

let port: number;
beforeAll(async () => void (port = await freePort()));

let folder: TemporaryFolder;
let servers: RunningCli[] = [];
beforeEach(() => void (folder = temporaryFolder('token-address')));
afterEach(async () => {
  for (const server of servers) server.signal('SIGTERM');
  await Promise.all(servers.map(({ ended }) => ended));
  servers = [];
  await folder.remove();
});

async function serve(listen: string, ...flags: readonly string[]): Promise<void> {
  const server = startCli(['serve', '--listen', listen, ...flags], { cwd: folder.path });
  servers.push(server);
  await server.shows(/Serving .*/);
}

async function advice(environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const args = ['token', 'create', '--description', 'CI', '--kind', 'write'];
  return (await runCli(args, { cwd: folder.path, environment })).stderr;
}

describeInSeries.skipIf(lacks('openssl'))('a server with a certificate', () => {
  it('is named with its scheme, a name of its certificate and its port', async () => {
    const { certFile, keyFile } = createAuthority(folder.path).issue('own');
    await serve(`127.0.0.1:${port}`, '--tls-cert', certFile, '--tls-key', keyFile);
    const shown = await advice();
    expect(shown).toContain(`\n  composer config --global --auth bearer.127.0.0.1:${port} TOKEN\n`);
    expect(shown).toContain(` publish . --url https://127.0.0.1:${port}\n`);
    expect(shown).toContain(`The address https://127.0.0.1:${port} is from the running server.`);
    expect((await runCli(['doctor'], { cwd: folder.path })).stdout).toMatch(
      new RegExp(`^- +certificate +The running server has https .*--url https://127\\.0\\.0\\.1:${port}\``, 'm'),
    );
  });
});

it('names the port of a server with a certificate that is not running', async () => {
  const shown = await advice({ LIBRETTO_LISTEN: '0.0.0.0:8443', LIBRETTO_TLS_CERT: 'own.pem' });
  expect(shown).toContain('\n  composer config --global --auth bearer.HOST:8443 TOKEN\n');
  expect(shown).toContain(' publish . --url https://HOST:8443\n');
  expect(shown).toContain('HOST stands for the host of the registry, such as');
});

describeInSeries.skipIf(lacks('redis-server'))('servers with their state in a Redis', () => {
  it('are named by the address that they share, and by HOST if they have several, until they end', async () => {
    const redis = await startRedis();
    const environment = { LIBRETTO_STATE: redis.url, LIBRETTO_LISTEN: '127.0.0.80:9090' };
    const state = ['--state', redis.url];
    try {
      await serve(`127.0.0.81:${port}`, ...state);
      const shown = await advice(environment);
      expect(shown).toContain(`\n  composer config --global --auth bearer.127.0.0.81:${port} TOKEN\n`);
      expect(shown).toContain(`The address http://127.0.0.81:${port} is from the running server.`);
      await serve(`127.0.0.82:${port}`, ...state);
      expect(await advice(environment)).toContain('\n  composer config --global --auth bearer.HOST TOKEN\n');
      servers[0]?.signal('SIGTERM');
      await servers[0]?.ended;
      servers[1]?.signal('SIGKILL');
      await servers[1]?.ended;
      expect(await advice(environment)).toContain('\n  composer config --global --auth bearer.127.0.0.80:9090 TOKEN\n');
    } finally {
      await redis.stop();
    }
  });

  it('of another host are not named by their loopback address', async () => {
    const redis = await startRedis();
    const mark = (address: string): Promise<unknown> => {
      const owner = {
        id: 'x',
        pid: 1,
        host: 'other',
        boot: 'b',
        startTicks: '1',
        since: '2026-01-01T00:00:00Z',
        address,
      };
      return redis.command('HSET', 'libretto:state:servers', 'x', `9999999999999 ${JSON.stringify(owner)}`);
    };
    const environment = { LIBRETTO_STATE: redis.url, LIBRETTO_LISTEN: '127.0.0.80:9090' };
    try {
      await mark('http://127.0.0.1:8080');
      expect(await advice(environment)).toContain('\n  composer config --global --auth bearer.HOST TOKEN\n');
      await mark('https://packages.example.org');
      expect(await advice(environment)).toContain(
        '\n  composer config --global --auth bearer.packages.example.org TOKEN\n',
      );
    } finally {
      await redis.stop();
    }
  });
});

describeInSeries.skipIf(lacks('redis-server'))('servers that count in a Redis', () => {
  it('are named by the address that they share, and by HOST if they have several', async () => {
    const redis = await startRedis();
    try {
      await serve(`127.0.0.78:${port}`, '--redis', redis.url);
      expect(await advice()).toContain(`\n  composer config --global --auth bearer.127.0.0.78:${port} TOKEN\n`);
      await serve(`127.0.0.79:${port}`, '--redis', redis.url);
      expect(await advice()).toContain('\n  composer config --global --auth bearer.HOST TOKEN\n');
    } finally {
      await redis.stop();
    }
  });
});
