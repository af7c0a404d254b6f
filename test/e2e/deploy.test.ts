// Tests the configurations of docs/deploy: their programs accept them, and Composer and `libretto doctor` work with a
// registry behind them.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startNginxWith } from '../util/nginx.ts';
import { freePort } from '../util/redis-server.ts';
import { startRegistry } from '../util/registry.ts';
import { runCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks, toolPath } from '../util/tool.ts';
import { whoLibrary } from '../util/who-library.ts';
import { below, temporaryTree } from '../util/package-tree.ts';

const root = new URL('../../', import.meta.url).pathname;
const deploy = join(root, 'docs/deploy');
const read = (name: string): string => readFileSync(join(deploy, name), 'utf8');

describe.skipIf(lacks('nginx', 'openssl'))('nginx.conf', () => {
  it('gives doctor no reason for a finding, from certificate to archive', async () => {
    const source = temporaryTree(below('acme/hello/1.0.0', whoLibrary('acme/hello', '1.0.0')));
    const folder = temporaryFolder('deploy');
    const [certificate, key] = [folder.at('certificate.pem'), folder.at('key.pem')];
    execFileSync(
      toolPath('openssl'),
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        key,
        '-out',
        certificate,
        '-days',
        '2',
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=DNS:localhost',
      ],
      { stdio: 'ignore' },
    );
    const registry = await startRegistry({ sources: [source.root], serve: ['--trusted-proxies', '127.0.0.1'] });
    const [tls, plain] = [await freePort(), await freePort()];
    const nginx = await startNginxWith(
      plain,
      read('nginx.conf')
        .replaceAll('127.0.0.1:8080', new URL(registry.direct()).host)
        .replaceAll(/^ *listen \[::\].*\n/gm, '')
        .replace('listen 443 ssl', `listen 127.0.0.1:${tls} ssl`)
        .replace('listen 80', `listen 127.0.0.1:${plain}`)
        .replaceAll('packages.example.org;', 'localhost;')
        .replace('/etc/ssl/packages.example.org.pem', certificate)
        .replace('/etc/ssl/packages.example.org.key', key),
    );
    try {
      const { exitCode, stdout } = await runCli(
        ['doctor', '--json', '--url', `https://localhost:${tls}`, '--data', folder.at('nowhere')],
        { cwd: folder.path, environment: { LIBRETTO_TOKEN: registry.token, NODE_EXTRA_CA_CERTS: certificate } },
      );
      const { checks } = JSON.parse(stdout) as { checks: { check: string; verdict: string }[] };
      expect([exitCode, checks.filter(({ verdict }) => verdict === 'failed' || verdict === 'warning')], stdout).toEqual(
        [0, []],
      );
      expect(checks.filter(({ verdict }) => verdict === 'ok').map(({ check }) => check)).toEqual(
        expect.arrayContaining(['url.metadata', 'url.caching', 'url.dist', 'url.shared']),
      );
      const redirect = await fetch(nginx.url, { redirect: 'manual' });
      expect([redirect.status, redirect.headers.get('location')]).toEqual([301, 'https://127.0.0.1/']);
    } finally {
      await nginx.stop();
      await registry.stop();
      source.remove();
      await folder.remove();
    }
  });
});

describe.skipIf(lacks('systemd-analyze'))('the systemd units', () => {
  it('are accepted without a warning', async () => {
    const folder = temporaryFolder('units');
    // the programs that they start may be missing here
    for (const name of readdirSync(deploy).filter((file) => /\.(?:service|timer)$/.test(file)))
      writeFileSync(folder.at(name), read(name).replace('/opt/libretto/bin/libretto', process.execPath));
    const units = readdirSync(folder.path).map((name) => folder.at(name));
    expect(units.length).toBe(3);
    expect(
      execFileSync(toolPath('systemd-analyze'), ['verify', '--man=no', ...units], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    ).toBe('');
    await folder.remove();
  });

  it.each(['libretto.service', 'libretto-build.service'])(
    '%s is exposed by at most 4 of 10, by the rating of systemd',
    (unit) => {
      const rated = execFileSync(
        toolPath('systemd-analyze'),
        ['security', '--offline=true', '--no-pager', join(deploy, unit)],
        { encoding: 'utf8' },
      );
      expect(Number(/Overall exposure level for \S+: ([\d.]+)/.exec(rated)?.[1])).toBeLessThanOrEqual(4);
    },
  );
});

describe.skipIf(lacks('haproxy', 'openssl'))('haproxy.cfg', () => {
  it('is accepted by HAProxy', async () => {
    const folder = temporaryFolder('haproxy');
    const [key, certificate] = [folder.at('both.pem.key'), folder.at('both.pem')];
    execFileSync(
      toolPath('openssl'),
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        key,
        '-out',
        certificate,
        '-days',
        '2',
        '-subj',
        '/CN=localhost',
      ],
      { stdio: 'ignore' },
    );
    writeFileSync(
      folder.at('haproxy.cfg'),
      read('haproxy.cfg').replace('/etc/haproxy/packages.example.org.pem', certificate),
    );
    execFileSync(toolPath('haproxy'), ['-c', '-f', folder.at('haproxy.cfg')]);
    await folder.remove();
  });
});

describe.skipIf(lacks('caddy'))('Caddyfile', () => {
  it('is accepted by Caddy', () => {
    execFileSync(toolPath('caddy'), ['validate', '--adapter', 'caddyfile', '--config', join(deploy, 'Caddyfile')], {
      stdio: 'ignore',
    });
  });
});

describe('the Dockerfile', () => {
  it('has valid instructions, copies existing files, and its build context has all of them', () => {
    const known = /^(?:FROM|WORKDIR|COPY|RUN|ENV|USER|VOLUME|EXPOSE|HEALTHCHECK|STOPSIGNAL|ENTRYPOINT|CMD) /;
    const lines = read('Dockerfile')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.filter((line) => !known.test(line))).toEqual([]);
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const given = read('Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(copied.toSorted()).toEqual(given.toSorted());
    for (const line of lines.filter((text) => /^(?:ENTRYPOINT|CMD) /.test(text)))
      expect(() => JSON.parse(line.replace(/^\w+ /, '')) as unknown).not.toThrow();
  });

  it('installs the package and starts its command, on a supported version of Node', () => {
    const { engines, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      engines: { node: string };
      bin: Record<string, string>;
    };
    const versions = [...read('Dockerfile').matchAll(/^FROM node:(\d+)-/gm)].map((match) => Number(match[1]));
    expect(new Set(versions).size).toBe(1);
    expect(versions[0]).toBeGreaterThanOrEqual(Number(/\d+/.exec(engines.node)?.[0]));
    expect(Object.keys(bin)).toContain(/^ENTRYPOINT \["(.+)"\]$/m.exec(read('Dockerfile'))?.[1]);
  });
});
