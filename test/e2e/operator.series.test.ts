// Plays docs/how-to/deploy.md and docs/how-to/operations.md as an operator does: their lines are pasted on a host with
// real systemd, nginx, users and paths, and the real Composer installs a package through nginx.
//
// Not run as written:
// - the tarball: `npm pack` makes it here. test/e2e/release.series.test.ts makes the files of a release;
// - the certificate: the host's own authority signs it, because there is no internet.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  certificateLines,
  composerLines,
  installWithComposer,
  pasting,
  trustOfNode,
  type DeployedHost,
} from '../util/deployed-host.ts';
import { blocksOf, blockWith } from '../util/page-blocks.ts';
import { lacksScratchHost, startScratchHost, type HostResult } from '../util/scratch-host.ts';
import { lacks } from '../util/tool.ts';

const deploy = 'docs/how-to/deploy.md';
const operations = 'docs/how-to/operations.md';

const packages = `
mkdir -p /srv/git/hello/src && cd /srv/git/hello
git init -q -b main
commit() { git add . && git -c user.name=Me -c user.email=me@example.org commit -qm "$1"; }
printf '{"name": "acme/hello", "autoload": {"psr-4": {"Acme\\\\\\\\": "src/"}}}' > composer.json
for version in 1.0.0 1.1.0 1.2.0; do
  printf '<?php namespace Acme; final class Hello { public const VERSION = "%s"; }' $version > src/Hello.php
  commit $version && git tag $version
done
chown -R libretto /srv/git`;

/** The tarball with the name of the page, without what is done already: the libraries are there, and lib/ is bundled. */
const packHere = (name: string): string =>
  `node release/prepack.mjs --this-system && mv $(npm pack --ignore-scripts | tail -1) /tmp/${name} && cd /tmp`;

describe.skipIf(lacksScratchHost() || lacks('nginx', 'openssl', 'composer', 'php', 'git'))('an operator', () => {
  let host: DeployedHost;
  let paste: DeployedHost['paste'];
  beforeAll(async () => {
    const empty = await startScratchHost();
    paste = pasting(empty);
    host = { ...empty, paste };
  });
  afterAll(() => host[Symbol.asyncDispose]());

  const block = (page: string, text: string): string => blockWith(page, text).text;
  const tokenIn = ({ output }: HostResult): string => /lib_r_\w+/.exec(output)?.[0] ?? 'none';
  let token = '';

  it('installs the program, the units and the command, publishes, and starts the service', async () => {
    const install = block(deploy, 'npm install --global');
    const [, tarball = 'none'] = /\.\/(libretto-\S+\.tgz)\n/.exec(install) ?? [];
    await paste(`${packHere(tarball)}\n${install}`, { cwd: '/opt/clone' });
    await paste(block(deploy, 'useradd'));
    await paste(block(deploy, 'libretto.json /etc'));
    await paste(block(deploy, 'libretto-operator'));
    await paste(packages);
    await paste(
      `sed -i 's#"https://git.example.org/acme/tool.git"#{"type": "git", "path": "/srv/git/hello"}#' /etc/libretto/libretto.json`,
    );

    const started = await paste(block(deploy, 'systemctl enable --now'));
    expect(started.output).toContain('+ acme/hello 1.2.0');
    await paste('curl -sf --retry 20 --retry-connrefused http://127.0.0.1:8080/health/ready');
    const made = await paste(block(deploy, '--description "My laptop"'));
    token = tokenIn(made);
    expect(made.output).toContain('composer config --global --auth bearer.packages.example.org TOKEN');
    expect((await paste('find /var/lib/libretto ! -user libretto')).output).toBe('');
    expect((await paste('systemctl is-active libretto.service libretto-build.timer')).stdout).toBe('active\nactive');
    expect((await paste('systemctl show -P User -P NoNewPrivileges libretto.service')).stdout).toContain('libretto');
  });

  it('publishes a new tag by the unit of the build, and shows both logs', async () => {
    await paste('cd /srv/git/hello && git -c safe.directory=* tag 1.3.0 && systemctl start libretto-build.service');
    const { output } = await paste(block(deploy, 'journalctl'));
    expect(output).toContain('+ acme/hello 1.3.0');
    expect(output).toContain('http://127.0.0.1:8080');
  });

  describe('the command', () => {
    it('takes settings from the file of the service, and not from the shell of the operator', async () => {
      await paste(`printf '# by hand\n\nLIBRETTO_LIMITS_READ="4321"\n' > /etc/libretto/environment`);
      const { output } = await paste('libretto settings list', {
        environment: { LIBRETTO_DATA: '/nowhere', LIBRETTO_LIMITS_WRITE: '7' },
      });
      expect(output).toMatch(/limits\.read +4321 +environment/);
      expect(output).toMatch(/limits\.write +500 +default/);
    });

    it('passes on arguments, standard input, the folder, the terminal and the exit code', async () => {
      await paste('install -d -o libretto /srv/two && cd /srv/two && printf "{}" > "two words.json"');
      const two = await host.run('libretto config import "two words.json"', { cwd: '/srv/two' });
      expect([two.exitCode, two.output]).toEqual([2, expect.stringContaining('/srv/two/two words.json') as string]);
      const input = await host.run('libretto config import -', { input: 'no JSON' });
      expect([input.exitCode, input.output]).toEqual([2, expect.stringContaining('Standard input') as string]);
      const asked = await host.run(`script -qec 'libretto package purge acme/hello 1.0.0 --reason secret' /dev/null`, {
        input: 'no\n',
      });
      expect([asked.exitCode, asked.output]).toEqual([2, expect.stringContaining('acme/hello 1.0.0') as string]);
    });

    it('refuses names of files in a folder that the user may not enter, and is silent without such names', async () => {
      const cwd = '/root/closed';
      await paste(`install -d -m 700 ${cwd} && echo '{}' > ${cwd}/list && mkdir ${cwd}/status`);
      for (const line of ['publish .', 'build ./x', 'build --data=../x', 'config import list']) {
        const { exitCode, output } = await host.run(`libretto ${line}`, { cwd });
        expect([line, exitCode, output]).toEqual([
          line,
          2,
          expect.stringMatching(
            /^libretto: The user libretto may not enter \/root\/closed, and so cannot use \S+\. Change to a folder .*$/,
          ) as string,
        ]);
      }
      const status = await paste('libretto status', { cwd });
      expect(status.output).not.toContain('libretto may not enter');
      expect((await paste('libretto complete -- publish ./', { cwd })).output).not.toContain('libretto:');
    });

    it('skips a line of the environment file that is no setting, and names its number', async () => {
      await paste(`printf 'LIBRETTO_LIMITS_READ=4321\nexport LIBRETTO_LIMITS_READ=5\n' > /etc/libretto/environment`);
      const { output } = await paste('libretto settings list');
      expect(output).toMatch(/^libretto: Line 2 of \/etc\/libretto\/environment is no setting and was skipped\./);
      expect(output).toMatch(/limits\.read +4321 +environment/);
      await paste('sed -i 2d /etc/libretto/environment');
    });

    it('says what is wrong for another user, and works for the user of the service', async () => {
      await paste('useradd someone');
      const someone = await host.run('setpriv --reuid=someone --regid=someone --clear-groups libretto status');
      expect([someone.exitCode, someone.output]).toEqual([
        2,
        'libretto: Only root may become the user libretto. Run this command as root, or install sudo.',
      ]);
      const own = await paste('setpriv --reuid=libretto --regid=libretto --init-groups libretto status');
      expect(own.output).toContain('1 package, 5 versions');
    });
  });

  describe('nginx', () => {
    it('serves the registry with HTTP/2, and doctor has no finding', async () => {
      // Debian starts a service when its package is installed
      await paste(`${certificateLines}\nsystemctl start nginx`);
      await paste(block(deploy, 'apt-get install').replace('apt-get install --yes nginx\n', ''));
      const seen = await paste(block(deploy, 'doctor --url').replace('lib_r_…', token), {
        environment: trustOfNode,
      });
      expect(seen.output).not.toMatch(/FAILED|WARNING/);
      for (const check of ['url.metadata', 'url.caching', 'url.dist', 'url.shared'])
        expect(seen.output).toMatch(new RegExp(`^ok +${check.replace('.', '\\.')} `, 'm'));
      const version = await paste(`curl -so /dev/null -w '%{http_version}' https://packages.example.org/health`);
      expect(version.stdout).toBe('2');
    });

    it('redirects http, except for the API: a client that ignores redirects sees an error', async () => {
      const redirect = await paste(`curl -so /dev/null -w '%{redirect_url}' http://packages.example.org/packages.json`);
      expect(redirect.stdout).toBe('https://packages.example.org/packages.json');
      const upload = await host.run('curl -sf -X POST http://packages.example.org/api/artifacts');
      expect(upload.exitCode).toBe(22);
    });

    it('lets Composer install the package', async () => {
      await installWithComposer(host, 'project', composerLines(token, 'acme/hello'));
      const used = await paste(`php -r 'require "vendor/autoload.php"; echo Acme\\Hello::VERSION;'`, {
        cwd: '/root/project',
      });
      expect(used.stdout).toBe('1.2.0');
    });
  });

  it('serves the tree as an origin to requests with the header alone', async () => {
    await paste(`ip address add 10.0.0.5/8 dev lo\n${block('docs/how-to/origin.md', 'nginx-origin.conf')}`);
    const status = async (path: string, authorization: string): Promise<string> => {
      const request = `curl -so /dev/null -w '%{http_code}' -H 'Authorization: ${authorization}' http://10.0.0.5/${path}`;
      return (await paste(request)).stdout;
    };
    const secret = 'Bearer LONG-RANDOM-TEXT';
    expect(await status('public/p2/acme/hello.json', secret)).toBe('200');
    expect(await status('index/_publication.json', secret)).toBe('200');
    expect(await status('index/_publication.json', 'Bearer another')).toBe('401');
    expect(await status('state/data.mdb', secret)).toBe('404');
  });

  it('keeps what the operator wrote when the lines are pasted again, and replaces units and command', async () => {
    const written = [
      '/etc/libretto/libretto.json',
      '/etc/libretto/environment',
      '/etc/nginx/conf.d/libretto.conf',
      '/etc/nginx/conf.d/libretto-origin.conf',
    ];
    const replaced = ['/etc/systemd/system/libretto.service', '/usr/local/bin/libretto'];
    await paste(`for file in ${[...written, ...replaced].join(' ')}; do echo '# by hand' >> $file; done`);
    const markedFiles = `grep -l '^# by hand$' ${[...written, ...replaced].join(' ')} || true`;
    expect((await paste(markedFiles)).stdout.split('\n')).toEqual([...written, ...replaced]);

    for (const text of ['useradd', '/etc/libretto/environment ]', 'libretto-operator', 'nginx.conf'])
      await paste(block(deploy, text).replace(/^(?:apt-get|nginx -t) .*\n/m, ''));
    await paste(block('docs/how-to/origin.md', 'nginx-origin.conf').replace(/^nginx -t .*\n/m, ''));
    expect((await paste(markedFiles)).stdout.split('\n')).toEqual(written);
    await paste(`sed -i '/^# by hand$/d' ${written.join(' ')}`);
  });

  it('does the daily work of operations.md', async () => {
    // a build of the timer would hold the lock
    await paste('systemctl stop libretto-build.timer libretto-build.service');
    for (const name of ['ada', 'bob']) await paste(`libretto user create --email ${name}@example.org --invite`);
    for (const { language, heading, text } of blocksOf(operations)) {
      expect(language, heading).toBe('sh');
      // publication 41 of the page is the first one here
      await paste(text.replaceAll(/\b41\b/g, '1'));
    }
    const [, nightly = ''] = /^15 3 \* \* \* {2}(.*)$/m.exec(block('docs/how-to/backup.md', '15 3 * * *')) ?? [];
    expect(nightly).toContain('libretto backup');
    await paste(nightly.replaceAll('\\%', '%'), { environment: { PATH: '/usr/bin:/bin' } });
    expect((await paste('libretto restore /mnt/backups/libretto-2027-01-31 --dry-run')).output).toContain('is whole');
  });
});
