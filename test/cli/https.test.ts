// Tests `serve` with a certificate: the message about an unusable one, a new one at run time, and the checks of doctor.

import { copyFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect as connectTls } from 'node:tls';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, type Authority, type MadeCertificate } from '../util/certificate.ts';
import { connectHttp2 } from '../util/http2-client.ts';
import { exchange } from '../util/raw-client.ts';
import { freePort } from '../util/redis-server.ts';
import { runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

describe.skipIf(lacks('openssl'))('HTTPS', () => {
  const folder = temporaryFolder('https');
  let authority: Authority;
  let one: MadeCertificate;
  let two: MadeCertificate;
  let expired: MadeCertificate;
  let server: RunningCli | undefined;

  beforeAll(() => {
    authority = createAuthority(folder.path);
    [one, two, expired] = [authority.issue('one'), authority.issue('two', 10), authority.issue('expired', -1)];
  });
  afterEach(async () => {
    server?.signal('SIGTERM');
    await server?.ended;
    server = undefined;
  });
  afterAll(() => folder.remove());

  const files = (certificate: { readonly certFile: string; readonly keyFile: string }): string[] => [
    '--tls-cert',
    certificate.certFile,
    '--tls-key',
    certificate.keyFile,
  ];

  async function serve(
    certificate: { readonly certFile: string; readonly keyFile: string },
    ...flags: readonly string[]
  ): Promise<number> {
    const args = ['serve', '--listen', '127.0.0.1:0', ...files(certificate), ...flags];
    server = startCli(args, { cwd: folder.path });
    return Number((await server.shows(/on https:\/\/127\.0\.0\.1:(\d+)/))[1]);
  }

  async function nameShown(port: number): Promise<string> {
    const socket = connectTls({ port, host: 'localhost', ca: authority.pem });
    await once(socket, 'secureConnect');
    const name = String(socket.getPeerCertificate().subject.CN);
    socket.destroy();
    return name;
  }

  /** As a browser that came by the name `renewed.example` sees it. */
  async function statusOfConsole(port: number): Promise<number | undefined> {
    const options = { host: '127.0.0.1', port, path: '/ui/', agent: false };
    const asked = request({ ...options, headers: { host: 'renewed.example' }, rejectUnauthorized: false }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  }

  it('tells a command that no authority of the machine knows its certificate', async () => {
    const url = `https://localhost:${await serve(one)}`;
    const { exitCode, stderr } = await runCli(['status', '--url', url, '--token', 'lib_r_x'], { cwd: folder.path });
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(
        /does not accept the certificate of https:\S+: .*Nothing was sent\. .*NODE_EXTRA_CA_CERTS=/,
      ),
    ]);
  });

  itInSeries('tells doctor that http:// in its address is wrong', async () => {
    const port = await serve(one);
    const { exitCode, stdout } = await runCli(['doctor', '--url', `http://127.0.0.1:${port}`], { cwd: folder.path });
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/url +http:\S+\/health answers 400 \w+: This port serves HTTPS.* Write https:\/\//),
    ]);
  });

  it('serves, and prints until when the certificate is valid', async () => {
    const port = await serve(one);
    expect(server?.output().stderr).toMatch(
      /^Certificate: localhost, 127\.0\.0\.1, valid until \d{4}-\d\d-\d\d \((?:29|30) days\)\.$/m,
    );
    await using client = await connectHttp2(port, authority);
    expect((await client.ask('/health')).status).toBe(200);
  });

  it.each<[string, () => string[], number, RegExp]>([
    ['only a certificate', () => ['--tls-cert', one.certFile], 2, /without its private key.*--tls-key/],
    ['only a key', () => ['--tls-key', one.keyFile], 2, /without its certificate.*--tls-cert/],
    [
      'a file that is not there',
      () => ['--tls-cert', folder.at('none.pem'), '--tls-key', one.keyFile],
      1,
      /certificate .*none\.pem \(--tls-cert\) cannot be read: there is no such file\./,
    ],
    [
      'a key in the place of the certificate',
      () => ['--tls-cert', one.keyFile, '--tls-key', one.keyFile],
      1,
      /is not a PEM certificate/,
    ],
    [
      'a certificate in the place of the key',
      () => ['--tls-cert', one.certFile, '--tls-key', one.certFile],
      1,
      /is not a PEM private key/,
    ],
    [
      'the key of another',
      () => ['--tls-cert', one.certFile, '--tls-key', two.keyFile],
      1,
      /two\.key \(--tls-key\) does not belong to .*one\.pem/,
    ],
    ['one that expired', () => files(expired), 1, /expired\.pem \(--tls-cert\) expired on .*Renew it/],
  ])('refuses %s with the reason', async (_what, flags, exitCode, message) => {
    const outcome = await runCli(['serve', '--listen', '127.0.0.1:0', ...flags()], { cwd: folder.path });
    expect([outcome.exitCode, outcome.stderr]).toEqual([exitCode, expect.stringMatching(message) as string]);
    expect(outcome.stderr).not.toContain('unexpected');
  });

  it.each([
    ['GET /packages.json HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['DELETE /api/tokens/x HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    [`POST /api/artifacts HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabcdefghi`],
  ])('answers %j over plain HTTP with the https address, and goes on serving', async (bytes) => {
    const port = await serve(one);
    const reply = await exchange(port, bytes);
    expect([reply.status, reply.closed]).toEqual([400, true]);
    expect(JSON.parse(reply.body)).toEqual({
      error:
        'This port serves HTTPS, and the request came over plain HTTP. Write https:// in place of http:// in the ' +
        `address: https://127.0.0.1:${port}`,
      code: 'BAD_REQUEST',
      details: {},
    });
    await using client = await connectHttp2(port, authority);
    expect((await client.ask('/health')).status).toBe(200);
  });

  it('sends a browser to a console with an address of its own, which HTTP/2 names without a Host header', async () => {
    const own = await freePort();
    const port = await serve(one, '--console-listen', `127.0.0.1:${own}`);
    await using client = await connectHttp2(port, authority);
    const { status, headers } = await client.ask('/', { accept: 'text/html' });
    expect([status, headers['location']]).toEqual([303, `https://127.0.0.1:${own}/ui/`]);
  });

  it('reloads the certificate upon SIGHUP, and keeps the old one where the new one is unusable', async () => {
    const live = { certFile: folder.at('live.pem'), keyFile: folder.at('live.key') };
    const put = (certificate: MadeCertificate): void => {
      copyFileSync(certificate.certFile, live.certFile);
      copyFileSync(certificate.keyFile, live.keyFile);
    };
    put(one);
    const port = await serve(live);
    expect(await nameShown(port)).toBe('one');
    put(two);
    server?.signal('SIGHUP');
    await server?.shows(/The certificate was reloaded: .* valid until/);
    expect(await nameShown(port)).toBe('two');
    put(expired);
    server?.signal('SIGHUP');
    await server?.shows(/The server continues with the previous certificate\. .*live\.pem .*expired/);
    expect(await nameShown(port)).toBe('two');
    writeFileSync(live.certFile, '');
    server?.signal('SIGHUP');
    await server?.shows(/previous certificate\. .*not a PEM certificate/);
    expect(await nameShown(port)).toBe('two');
  });

  itInSeries('lets the console answer the names of a renewed certificate', async () => {
    const live = { certFile: folder.at('named.pem'), keyFile: folder.at('named.key') };
    copyFileSync(one.certFile, live.certFile);
    copyFileSync(one.keyFile, live.keyFile);
    const port = await serve(live);
    expect(await statusOfConsole(port)).toBe(400);
    const renewed = authority.issue('renewed', 30, 'renewed.example');
    copyFileSync(renewed.certFile, live.certFile);
    copyFileSync(renewed.keyFile, live.keyFile);
    server?.signal('SIGHUP');
    await server?.shows(/The certificate was reloaded/);
    expect(await statusOfConsole(port)).toBe(303);
  });

  itInSeries('is checked by doctor, which prints how long the certificate is valid', async () => {
    const findings = async (flags: readonly string[]): Promise<unknown[]> => {
      const { stdout } = await runCli(['doctor', '--json', ...flags], { cwd: folder.path });
      return (JSON.parse(stdout) as { checks: { check: string; verdict: string; message: string }[] }).checks
        .filter(({ check }) => check === 'certificate')
        .map(({ verdict, message }) => [verdict, message]);
    };
    expect(await findings([])).toEqual([]);
    expect(await findings(files(one))).toEqual([
      ['ok', expect.stringMatching(/localhost, 127\.0\.0\.1, valid until .* days/)],
    ]);
    expect(await findings(files(two))).toEqual([['warning', expect.stringMatching(/\((?:9|10) days\)/)]]);
    expect(await findings(files(expired))).toEqual([['failed', expect.stringContaining('expired')]]);
  });
});
