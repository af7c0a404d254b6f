// Tests the configurations of docs/deploy: their programs accept them. operator.series.test.ts runs the units and nginx.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks, toolPath } from '../util/tool.ts';

const root = new URL('../../', import.meta.url).pathname;
const deploy = join(root, 'docs/deploy');
const read = (name: string): string => readFileSync(join(deploy, name), 'utf8');

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
