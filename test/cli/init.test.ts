// Tests `libretto init` on the compiled program: by flags, at a pseudo terminal, and in a pipe.

import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createAuthority } from '../util/certificate.ts';
import { below, libraryTree, writeTree } from '../util/package-tree.ts';
import { binary, cleanEnvironment, runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

const root = new URL('../..', import.meta.url).pathname;
let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder('cli-init');
  writeTree(folder.path, below('packages/hello', libraryTree('acme/hello', { version: '1.0.0' })));
});
afterEach(() => folder.remove());

const init = (...flags: readonly string[]): Promise<CliOutcome> => runCli(['init', ...flags], { cwd: folder.path });
const config = (): Record<string, unknown> =>
  JSON.parse(readFileSync(folder.at('libretto.json'), 'utf8')) as Record<string, unknown>;

describe('libretto init', () => {
  it('writes a libretto.json with which the printed commands work', async () => {
    const { exitCode, stdout, stderr } = await init('--source', 'packages', '--yes');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '  packages is a folder with 1 package.' });
    expect(config()).toEqual({
      $schema: `file://${root}docs/libretto.schema.json`,
      data: './var',
      sources: ['./packages'],
      listen: '127.0.0.1:8080',
    });
    expect(stdout).toContain(`Wrote ${folder.at('libretto.json')}\n`);
    expect(stdout).toMatch(/^ok +configuration +.*libretto\.json can be used$/m);
    expect(stdout).toMatch(/^- +data +There is no data folder .*; the first build makes it\.$/m);
    expect(stdout).not.toContain('FAILED');
    const next = [...stdout.matchAll(/^ {2}libretto (\w.*)$/gm)].map(([, line = '']) => line);
    expect(next).toEqual(['build', 'token create --description "My laptop"', 'serve']);
    expect((await runCli(['build'], { cwd: folder.path })).stdout).toContain('+ acme/hello 1.0.0');
    expect(existsSync(folder.at('var/public/packages.json'))).toBe(true);
  });

  it('writes a libretto.json without a source for a registry that gets uploads', async () => {
    expect(await init('--source', 'none', '--count-by', 'token', '--yes')).toMatchObject({ exitCode: 0 });
    expect(config()).toMatchObject({ sources: [], statistics: { by: 'token' } });
    const wrong = await init('--source', 'none', '--count-by', 'people', '--out', 'b.json', '--yes');
    expect(wrong.stderr).toContain('--count-by: What downloads count by is "people"; allowed: version, token.');
  });

  it('writes the units and the proxy file of the shipped deployment', async () => {
    const flags = ['--source', 'packages', '--public-url', 'https://registry.acme.test', '--git-hosts', '10.0.0.7'];
    const { exitCode, stdout } = await init(...flags, '--nginx', 'libretto.conf', '--systemd', 'units', '--yes');
    expect(exitCode).toBe(0);
    expect(config()).toMatchObject({
      data: '/var/lib/libretto',
      sources: [folder.at('packages')],
      publicUrl: 'https://registry.acme.test',
      trustedProxies: ['127.0.0.1'],
      egress: { allow: ['10.0.0.7'] },
    });
    expect(readdirSync(folder.at('units')).toSorted()).toEqual([
      'libretto-build.service',
      'libretto-build.timer',
      'libretto.service',
    ]);
    expect(readFileSync(folder.at('units/libretto.service'), 'utf8')).toMatch(
      new RegExp(`^ExecStart=${process.execPath} \\S+/lib/cli/main\\.js serve$`, 'm'),
    );
    expect(readFileSync(folder.at('libretto.conf'), 'utf8')).toContain('server_name registry.acme.test;');
    expect(readFileSync(folder.at('libretto-operator'), 'utf8')).toMatch(/^program=\S+\/lib\/cli\/main\.js$/m);
    expect(stdout).toContain('useradd --system --home-dir /etc/libretto ');
    expect(stdout).toContain(`  install -m 0755 ${folder.at('libretto-operator')} /usr/local/bin/libretto\n`);
    expect(stdout).toContain('  systemctl enable --now libretto.service libretto-build.timer\n');
    expect(stdout).toContain('  libretto doctor --url https://registry.acme.test');
  });

  it('takes a host alone for listen, and says that Caddy gets its certificate by itself', async () => {
    const flags = ['--source', 'packages', '--public-url', 'https://registry.acme.test', '--listen', '::', '--yes'];
    const { exitCode, stdout } = await init(...flags, '--caddy', 'Caddyfile');
    expect([exitCode, config()['listen']]).toEqual([0, '[::]:8080']);
    expect(stdout).toContain('to Caddy, and reload it. Caddy gets the certificate by itself.\n');
    expect(readFileSync(folder.at('Caddyfile'), 'utf8')).toMatch(/reverse_proxy \S+:8080 \{/);
  });

  itInSeries('names what the units cannot reach: home folders, and /tmp, also behind a link', async () => {
    const isHidden = (path: string): boolean => /^\/(?:home|root|run\/user|tmp|var\/tmp)\//.test(realpathSync(path));
    const { exitCode, stdout } = await init(
      '--source',
      'packages',
      '--systemd',
      'units',
      '--data',
      '/root/var',
      '--yes',
    );
    const warned = stdout.split('\n').filter((line) => line.startsWith('Warning: '));
    const found = [
      ...(isHidden(binary) ? [`Warning: The units cannot start Libretto from ${realpathSync(binary)}: `] : []),
      ...(isHidden(process.execPath) ? [`Warning: The units cannot start Node.js from ${process.execPath}: `] : []),
      ...(isHidden(folder.path)
        ? [`Warning: The unit libretto-build.service cannot read the source ${folder.at('packages')}: `]
        : []),
      'Warning: The units cannot write into the data folder /root/var: home folders are closed to the units. ',
    ];
    expect({ exitCode, warned }).toEqual({
      exitCode: 0,
      warned: found.map((start) => expect.stringContaining(start) as string),
    });
    const local = await init('--source', 'packages', '--out', 'other.json', '--yes');
    expect(local.stdout).not.toContain('Warning: ');
  });

  itInSeries('ends with the exit code of its doctor, and says that the server cannot start', async () => {
    const { issue } = createAuthority(folder.path);
    const swapped = ['--tls-cert', issue('one').certFile, '--tls-key', issue('two').keyFile];
    const url = ['--public-url', 'https://localhost:8443', '--proxy', 'none', '--listen', '0.0.0.0:8443'];
    const { exitCode, stdout } = await init('--source', 'packages', ...url, '--tls', 'own', ...swapped, '--yes');
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/^FAILED +certificate /m)]);
    expect(stdout).toMatch(/^The doctor found a fault: repair it [^]*^Next:$/m);
    const quiet = ['--out', 'quiet.json', '--quiet'];
    expect(await init('--source', 'packages', ...url, '--tls', 'own', ...swapped, '--yes', ...quiet)).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^The doctor found a fault: repair it as its line says \(`libretto doctor/m,
      ) as string,
    });
  });

  itInSeries('warns about a port and a certificate that do not fit the address for clients', async () => {
    const { certFile: cert, keyFile: key } = createAuthority(folder.path).issue('one');
    const tls = ['--proxy', 'none', '--tls', 'own', '--tls-cert', cert, '--tls-key', key, '--yes'];
    const other = ['--public-url', 'https://p.example.org', '--listen', '0.0.0.0:8443'];
    const { exitCode, stdout } = await init('--source', 'packages', ...other, ...tls);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Warning: Clients use https:\/\/p\.example\.org, which is port 443, and the server .*8443/m,
      ),
    ]);
    expect(stdout).toMatch(/^Warning: The certificate \S+ is for .*localhost.*, and clients use p\.example\.org/m);
    const fit = ['--public-url', 'https://localhost:8443', '--listen', '0.0.0.0:8443', '--out', 'fit.json'];
    expect((await init('--source', 'packages', ...fit, ...tls)).stdout).not.toContain('Warning: ');
  });

  itInSeries('names a schema that stays where a link of the installation leads to the program', async () => {
    mkdirSync(folder.at('opt/lib/node_modules'), { recursive: true });
    mkdirSync(folder.at('opt/bin'));
    symlinkSync(root, folder.at('opt/lib/node_modules/libretto'));
    symlinkSync('../lib/node_modules/libretto/lib/cli/main.js', folder.at('opt/bin/libretto'));
    await execa(
      folder.at('opt/bin/libretto'),
      ['init', '--source', 'packages', '--yes', '--out', 'etc/libretto.json'],
      {
        cwd: folder.path,
        env: cleanEnvironment(),
        extendEnv: false,
      },
    );
    const { $schema } = JSON.parse(readFileSync(folder.at('etc/libretto.json'), 'utf8')) as { $schema: string };
    expect($schema).toBe(`file://${folder.at('opt/lib/node_modules/libretto/docs/libretto.schema.json')}`);
  });

  it('refuses an address with a path where nothing would serve it', async () => {
    const url = ['--source', 'packages', '--public-url', 'https://registry.acme.test/sub', '--yes'];
    for (const kind of ['nginx', 'caddy', 'haproxy']) {
      const { stderr } = await init(...url, `--${kind}`, 'proxy.conf');
      expect(stderr).toContain(
        `which has the path /sub; the file for ${kind} passes on the root of a host only. Give the registry a host of its own`,
      );
      expect(stderr).toContain(
        'see "Below a path" in docs/how-to/reverse-proxy.md. docs/deploy/nginx-path.conf is the file for nginx.',
      );
    }
    expect((await init(...url, '--proxy', 'none')).stderr).toContain('Libretto answers at the root of a host only');
    expect(existsSync(folder.at('libretto.json'))).toBe(false);
    expect((await init(...url, '--proxy', 'nginx')).exitCode).toBe(0);
  });

  it('replaces no file, and writes none beside one that exists', async () => {
    writeFileSync(folder.at('libretto.json'), '{}');
    expect(await init('--source', 'packages', '--yes')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `libretto: ${folder.at('libretto.json')} exists already, and is not replaced. Change it with an editor, or name another file with --out.`,
    });
    expect(readFileSync(folder.at('libretto.json'), 'utf8')).toBe('{}');
    writeFileSync(folder.at('nginx.conf'), '');
    const url = ['--public-url', 'https://registry.acme.test'];
    expect(
      await init('--source', 'packages', ...url, '--nginx', 'nginx.conf', '--out', 'a.json', '--yes'),
    ).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`${folder.at('nginx.conf')} exists already`) as string,
    });
    expect(existsSync(folder.at('a.json'))).toBe(false);
  });

  it('names the missing flags in a pipe', async () =>
    expect(await init()).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'libretto: There is no terminal to ask questions, and these flags are missing: --source, --public-url, --proxy, --tls. Give them, or --yes for the standard answers. `libretto init --help` shows an example.',
    }));

  it('refuses flags that contradict each other', async () => {
    expect((await init('--nginx', 'a', '--caddy', 'b', '--yes')).stderr).toContain('--nginx and --caddy name two');
    expect((await init('--nginx', 'a', '--proxy', 'caddy', '--yes')).stderr).toContain('--proxy is caddy, but --nginx');
  });
});

describe.skipIf(lacks('script'))('libretto init at a terminal', () => {
  /** Types the text at a pseudo terminal, each line after its question. */
  async function type(lines: readonly string[]): Promise<{ readonly exitCode: number; readonly text: string }> {
    const child = execa('script', ['-qec', `'${process.execPath}' '${binary}' init`, '/dev/null'], {
      cwd: folder.path,
      env: cleanEnvironment({ TERM: 'dumb', HOME: folder.path }),
      extendEnv: false,
      reject: false,
      all: true,
      buffer: false,
    });
    let text = '';
    let answered = 0;
    child.all.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      const asked = text.split(/: (?=$|[^ ])/).length;
      if (text.endsWith(': ') && answered < lines.length && asked > answered) {
        child.stdin.write(lines[answered]);
        answered += 1;
      }
    });
    const { exitCode } = await child;
    return { exitCode: exitCode ?? -1, text };
  }

  it('asks, and writes the answers', async () => {
    const { exitCode, text } = await type(['packages\n', '\n', '\n', '\n', '\n', '\n', '\n', 'version\n']);
    expect([exitCode, text]).toEqual([0, expect.stringContaining('Source (a folder of packages')]);
    expect(text).toContain('packages is a folder with 1 package.');
    expect(config()).toMatchObject({
      sources: ['./packages'],
      listen: '127.0.0.1:8080',
      statistics: { by: 'version' },
    });
  });

  itInSeries('reads ~ and quotes as a shell does', async () => {
    writeTree(folder.path, below('two words', libraryTree('acme/two', { version: '1.0.0' })));
    const lines = ['~/packages\n', `'${folder.at('two words')}'\n`, '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n'];
    const { exitCode, text } = await type(lines);
    expect([exitCode, text]).toEqual([0, expect.stringContaining('two words is a package.')]);
    expect(config()).toMatchObject({ sources: ['./packages', './two words'] });
    await init('--source=~/packages', '--yes', '--out', 'other.json');
    expect(existsSync(folder.at('other.json'))).toBe(false);
    const environment = { HOME: folder.path };
    await runCli(['init', '--source=~/packages', '--yes', '--out', 'other.json'], { cwd: folder.path, environment });
    expect(JSON.parse(readFileSync(folder.at('other.json'), 'utf8'))).toMatchObject({ sources: ['./packages'] });
  });

  itInSeries('writes nothing after Ctrl+C', async () => {
    const { exitCode, text } = await type(['packages\n', '\n', '\u0003']);
    expect([exitCode, text]).toEqual([130, expect.stringContaining('Cancelled. Nothing was written.')]);
    expect(readdirSync(folder.path)).toEqual(['packages']);
  });
});
