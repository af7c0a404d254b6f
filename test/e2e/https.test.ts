// Tests HTTPS of the server itself with the real Composer and the real curl. Numbers are those of the conformance
// scenarios.

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, type Authority, type MadeCertificate } from '../util/certificate.ts';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { eventually } from '../util/eventually.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { itInSeries } from '../util/series.ts';
import { startTlsProxy } from '../util/tls-proxy.ts';
import { logLines, runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks, toolPath } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

const crowd = Array.from({ length: 40 }, (_, index) => `crowd/part-${index + 1}`);

describe.skipIf(lacks('composer', 'php', 'curl', 'openssl'))('HTTPS', () => {
  const source = temporaryTree();
  const folder = temporaryFolder('https');
  let authority: Authority;
  let certificate: MadeCertificate;
  let server: RunningCli;
  let port: number;
  let token: string;

  beforeAll(async () => {
    authority = createAuthority(folder.path);
    certificate = authority.issue('registry');
    for (const name of crowd) source.write(below(`${name}/1.0.0`, whoLibrary(name, '1.0.0')));
    source.write(
      below(
        'crowd/all/1.0.0',
        whoLibrary('crowd/all', '1.0.0', { require: Object.fromEntries(crowd.map((name) => [name, '^1.0'])) }),
      ),
    );
    expect(await runCli(['build', source.root], { cwd: folder.path })).toMatchObject({ exitCode: 0 });
    token = (await runCli(['token', 'create', '--description', 'x'], { cwd: folder.path })).stdout;
    server = startCli(
      ['serve', '--listen', '127.0.0.1:0', '--tls-cert', certificate.certFile, '--tls-key', certificate.keyFile],
      { cwd: folder.path },
    );
    port = Number((await server.shows(/https:\/\/127\.0\.0\.1:(\d+)/))[1]);
  });

  afterAll(async () => {
    server.signal('SIGTERM');
    await server.ended;
    source.remove();
    await folder.remove();
  });

  /** Composer insists on TLS here, and trusts the test's authority alone. */
  const project = (at: number): Project =>
    createProject({
      url: `https://localhost:${at}`,
      auth: bearerAuth(`localhost:${at}`, token),
      composerJson: { require: { 'crowd/all': '^1.0' }, config: { 'secure-http': true, cafile: authority.file } },
    });

  /** The requests since then. The log is written in batches, and a request without its line does not count. */
  function linesSince(beginMs: number): Record<string, unknown>[] {
    const { stdout } = server.output();
    const whole = stdout.slice(0, stdout.lastIndexOf('\n') + 1);
    return whole === ''
      ? []
      : logLines(whole).filter((line) => line['method'] !== undefined && Date.parse(String(line['time'])) >= beginMs);
  }

  /** The most requests in progress at once, calculated from their starts and ends. */
  function mostAtOnce(of: readonly Record<string, unknown>[]): number {
    const moments = of.flatMap((line): [number, number][] => {
      const end = Date.parse(String(line['time']));
      return [
        [end - Number(line['duration_ms']), 1],
        [end, -1],
      ];
    });
    let [now, most] = [0, 0];
    for (const [, change] of moments.toSorted(([a, up], [b, down]) => a - b || up - down))
      most = Math.max(most, (now += change));
    return most;
  }

  async function installsAll(at: number): Promise<Record<string, unknown>[]> {
    const beginMs = Date.now();
    await using app = project(at);
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(Object.keys(app.locked())).toHaveLength(41);
    expect(await app.php(askWho('crowd/part-1', 'crowd/part-40'))).toBe('1.0.0 1.0.0');
    const dists = (): unknown[] => linesSince(beginMs).filter(({ path }) => String(path).startsWith('/dist/'));
    await eventually(() => dists().length >= 41);
    expect(dists()).toHaveLength(41);
    const asked = linesSince(beginMs);
    expect(
      asked.filter(({ status, aborted }) => (Number(status) >= 400 && status !== 404) || aborted === true),
    ).toEqual([]);
    return asked;
  }

  itInSeries('40: 41 packages are downloaded over HTTP/2 on one connection, with at most 12 streams', async () => {
    await using proxy = await startTlsProxy(port);
    const asked = await installsAll(proxy.port);
    expect(mostAtOnce(asked)).toBeLessThanOrEqual(12);
    expect(proxy.connections().mostAtOnce).toBe(1);
  });

  itInSeries('40: 41 packages are downloaded over HTTP/1.1 on at most 8 connections', async () => {
    await using proxy = await startTlsProxy(port, { ...certificate, ca: authority.pem });
    await installsAll(proxy.port);
    expect(proxy.connections().mostAtOnce).toBeLessThanOrEqual(8);
    expect(proxy.connections().mostAtOnce).toBeGreaterThan(1);
  });

  itInSeries('37: a second update over HTTP/2 gets empty 304s', async () => {
    await using app = project(port);
    expect((await app.run('update', '--no-install')).exitCode).toBe(0);
    const beginMs = Date.now();
    expect((await app.run('update', '--no-install')).exitCode).toBe(0);
    await eventually(() => linesSince(beginMs).length > 40);
    const asked = linesSince(beginMs).filter(({ status }) => status !== 404);
    for (const { status, bytes } of asked) expect({ status, bytes }).toEqual({ status: 304, bytes: 0 });
  });

  it('25: Composer reports a missing token', async () => {
    await using app = createProject({
      url: `https://localhost:${port}`,
      composerJson: { require: { 'crowd/all': '^1.0' }, config: { 'secure-http': true, cafile: authority.file } },
    });
    const { exitCode, output } = await app.run('update');
    expect(exitCode).not.toBe(0);
    expect(output).toContain('HTTP 401');
  });

  it('Composer refuses a certificate that it does not trust', async () => {
    await using app = createProject({
      url: `https://localhost:${port}`,
      auth: bearerAuth(`localhost:${port}`, token),
      composerJson: { require: { 'crowd/all': '^1.0' } },
    });
    const { exitCode, output } = await app.run('update');
    expect(exitCode).not.toBe(0);
    expect(output).toMatch(/certificate/i);
  });

  it.each([
    ['--http2', '2'],
    ['--http1.1', '1.1'],
  ])('curl works with HTTPS: %s', async (flag, version) => {
    const curl = (...args: readonly string[]) =>
      execa(
        toolPath('curl'),
        ['-sS', flag, '--cacert', authority.file, '-w', '\n%{http_version} %{http_code} %{size_download}', ...args],
        { reject: false },
      );
    const own = (path: string): readonly string[] => [
      '-H',
      `Authorization: Bearer ${token}`,
      `https://localhost:${port}${path}`,
    ];
    const many = await curl(
      '--parallel',
      '--parallel-max',
      '20',
      ...crowd.flatMap((name) => ['-o', '/dev/null', `https://localhost:${port}/p2/${name}.json`]),
      '-H',
      `Authorization: Bearer ${token}`,
    );
    expect(
      many.stdout
        .trim()
        .split(/\n+/)
        .map((line) => line.split(' ').slice(0, 2).join(' ')),
    ).toEqual(crowd.map(() => `${version} 200`));
    const head = await curl('-I', ...own('/packages.json'));
    expect(head.stdout).toMatch(new RegExp(`^HTTP/${version} 200[^]*\n${version.replace('.', '\\.')} 200 0$`));
    expect(/^connection:/im.test(head.stdout)).toBe(version === '1.1');
    const post = await curl('--data-binary', 'x'.repeat(100), ...own('/packages.json'));
    expect(post.stdout).toContain(`${version} 400`);
  });
});
