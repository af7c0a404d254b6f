// Tests a Redis over TLS: with a trusted certificate it holds state and counters; with another certificate or name it
// is refused with the next step.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createAuthority, type Authority } from '../util/certificate.ts';
import { freePort, startRedis, type RedisServer } from '../util/redis-server.ts';
import { runCli, startCli, type CliOutcome } from '../util/run-cli.ts';
import { startTcpProxy } from '../util/tcp-proxy.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

describe.skipIf(lacks('redis-server', 'openssl'))('rediss://', () => {
  let folder: TemporaryFolder;
  let redis: RedisServer;
  let authority: Authority;
  let url: string;

  beforeAll(async () => {
    folder = temporaryFolder('cli-redis-tls');
    authority = createAuthority(folder.path);
    const { certFile, keyFile } = authority.issue('redis');
    const port = await freePort();
    redis = await startRedis(
      [
        '--bind',
        '127.0.0.1',
        '127.0.0.2',
        '--tls-port',
        String(port),
        '--tls-cert-file',
        certFile,
        '--tls-key-file',
        keyFile,
        '--tls-ca-cert-file',
        authority.file,
        '--tls-auth-clients',
        'no',
      ],
      'hunter2',
    );
    url = `rediss://:hunter2@127.0.0.1:${port}`;
  });
  afterAll(async () => {
    await redis.stop();
    await folder.remove();
  });

  const run = (environment: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<CliOutcome> =>
    runCli(args, { cwd: folder.path, environment });

  itInSeries('holds the state and the counters where its authority is trusted', async () => {
    const environment = { LIBRETTO_STATE: url, NODE_EXTRA_CA_CERTS: authority.file };
    expect(await run(environment, 'token', 'create', '--description', 'x')).toMatchObject({ exitCode: 0 });
    const server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path, environment });
    const [origin] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
    expect(await (await fetch(`${origin}/health`)).json()).toMatchObject({ counters: 'ok' });
    server.signal('SIGTERM');
    expect((await server.ended).stderr).not.toContain('Degraded');
  });

  it('is refused where its authority is not trusted, with the next step', async () => {
    const { exitCode, stderr } = await run({ LIBRETTO_STATE: url }, 'token', 'create', '--description', 'x');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(
        /^libretto: The state in rediss:\/\/127\.0\.0\.1:\d+ cannot be used: its certificate is not trusted .*NODE_EXTRA_CA_CERTS/,
      ) as string,
    });
    expect(stderr).not.toContain('hunter2');
    const server = startCli(['serve', '--listen', '127.0.0.1:0', '--redis', url, '--data', 'counted'], {
      cwd: folder.path,
    });
    await server.shows(/Degraded: Redis cannot be used \(its certificate is not trusted .*NODE_EXTRA_CA_CERTS/);
    server.signal('SIGTERM');
    expect((await server.ended).stderr).not.toContain('hunter2');
  });

  itInSeries('may take longer than a second for the first handshake of a process', async () => {
    await using proxy = await startTcpProxy(Number(new URL(url).port));
    proxy.delayMs = 1500;
    const { stderr } = await run(
      { LIBRETTO_STATE: url.replace(/\d+$/, String(proxy.port)) },
      'token',
      'create',
      '--description',
      'x',
    );
    expect(stderr).toContain('its certificate is not trusted');
  });

  it('is refused under a name that its certificate does not contain', async () => {
    const { exitCode, stderr } = await run(
      { LIBRETTO_STATE: url.replace('127.0.0.1', '127.0.0.2'), NODE_EXTRA_CA_CERTS: authority.file },
      'token',
      'create',
      '--description',
      'x',
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining('its certificate is for another name') as string,
    });
  });
});
