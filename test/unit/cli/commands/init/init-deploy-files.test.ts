// Tests the deployment files that `init` fills: they differ from the shipped files in the answers alone.

import { readFileSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';

import type { Answers } from '../../../../../cli/init/answers.ts';
import {
  fillProxyFile,
  fillUnit,
  proxyTemplates,
  unitFiles,
  type Filling,
} from '../../../../../cli/commands/init/init.ts';
import { readDeployFile } from '../../../../../cli/init/init-files.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';
import { lacks } from '../../../../util/tool.ts';

const answers: Answers = {
  sources: [],
  publicUrl: 'https://registry.acme.test',
  proxy: 'nginx',
  trustedProxies: ['127.0.0.1'],
  tls: 'proxy',
  tlsCert: undefined,
  tlsKey: undefined,
  gitHosts: [],
  listen: '127.0.0.1:9000',
  systemd: '/etc/systemd/system',
  data: '/var/lib/libretto',
  proxyFile: '/etc/nginx/conf.d/libretto.conf',
  archives: 'path',
  countBy: undefined,
};
const filling = (more: Partial<Answers> = {}): Filling => ({
  answers: { ...answers, ...more },
  config: '/etc/libretto/libretto.json',
  program: ['/usr/bin/node', '/usr/lib/node_modules/libretto/lib/cli/main.js'],
  networkAddress: '10.0.0.5',
});
const unit = (name: string, more?: Partial<Answers>): string => fillUnit(readDeployFile(name), filling(more));
const proxyFile = (name: string, more?: Partial<Answers>): string => fillProxyFile(readDeployFile(name), filling(more));
/** The lines that differ from the shipped file. */
const changed = (name: string, filled: string): readonly string[] => {
  const shipped = new Set(readDeployFile(name).split('\n'));
  return filled.split('\n').filter((line) => !shipped.has(line));
};

describe('a systemd unit', () => {
  it('starts this program, and is otherwise the shipped one', () => {
    const [server, builder] = ['serve', 'build'].map(
      (command) => `ExecStart=/usr/bin/node /usr/lib/node_modules/libretto/lib/cli/main.js ${command}`,
    );
    expect(changed('libretto.service', unit('libretto.service'))).toEqual([server]);
    expect(changed('libretto-build.service', unit('libretto-build.service'))).toEqual([builder]);
    expect(unit('libretto-build.timer')).toBe(readDeployFile('libretto-build.timer'));
  });

  it('may write into another data folder', () => {
    for (const name of ['libretto.service', 'libretto-build.service']) {
      expect(unit(name, { data: '/srv/packages' })).toMatch(/^ReadWritePaths=\/srv\/packages$/m);
      expect(unit(name, { data: '/srv/packages' })).toMatch(/^# \/srv\/packages: the data folder/m);
      expect(unit(name, { data: '/var/lib/packages' })).toMatch(/^StateDirectory=packages$/m);
      for (const data of ['/srv/packages', '/var/lib/packages'])
        expect(unit(name, { data })).not.toContain('/var/lib/libretto');
    }
  });

  it.skipIf(lacks('systemd-analyze'))('is one that systemd reads, whatever the paths are called', async () => {
    await using folder = temporaryFolder('units');
    for (const data of ['/srv/a b/50%/da', '/srv/"quoted" \\ path', '/var/lib/my packages', '/var/lib/a:b']) {
      const program = ['/usr/bin/env', '/opt/a b/$HOME/50%/main.js'];
      for (const name of ['libretto.service', 'libretto-build.service']) {
        const text = fillUnit(readDeployFile(name), { ...filling({ data }), program });
        writeFileSync(folder.at(name), text.replace('ExecReload=/bin/kill', 'ExecReload=/usr/bin/env'));
        const { all } = await execa('systemd-analyze', ['verify', '--man=no', folder.at(name)], {
          all: true,
          reject: false,
        });
        expect(all.split('\n').filter((line) => line.includes(name))).toEqual([]);
      }
      expect(readFileSync(folder.at('libretto.service'), 'utf8')).not.toContain('StateDirectory=');
    }
  });

  it('has the words of its command in quotes where systemd would split or replace them', () =>
    expect(
      fillUnit(readDeployFile('libretto.service'), { ...filling(), program: ['/usr/bin/node', '/a b/$x/50%'] }),
    ).toMatch(/^ExecStart=\/usr\/bin\/node "\/a b\/\$\$x\/50%%" serve$/m));

  it('may listen on port 443', () =>
    expect(unit('libretto.service', { listen: '0.0.0.0:443' })).toMatch(/^AmbientCapabilities=CAP_NET_BIND_SERVICE$/m));
});

describe('the configuration of a reverse proxy', () => {
  it.each(Object.values(proxyTemplates))('%s has the names of the answers', (name) => {
    const filled = proxyFile(name);
    expect(filled).not.toMatch(/packages\.example\.org|127\.0\.0\.1:8080|server two/);
    expect(filled).toContain('registry.acme.test');
    expect(filled).toContain('127.0.0.1:9000');
  });

  it('reaches a server on another machine by its address', () =>
    expect(proxyFile('nginx.conf', { listen: '0.0.0.0:9000' })).toMatch(/^\s*server 10\.0\.0\.5:9000;$/m));

  it('listens on the port of the address, and redirects to it', () => {
    const filled = proxyFile('nginx.conf', { publicUrl: 'https://registry.acme.test:8443' });
    expect(filled).toMatch(/^\s*listen 8443 ssl/m);
    expect(filled).toContain('return 301 https://$host:8443$request_uri;');
    expect(filled).not.toContain('https://$host$request_uri');
  });
});

it('every unit is a shipped file', () => {
  for (const name of unitFiles) expect(readDeployFile(name)).toContain('[Unit]');
});
