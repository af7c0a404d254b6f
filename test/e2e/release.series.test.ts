// Tests `npm run release` in clones of this repository, and the package that it makes: installed with `npm install -g`
// into an empty folder, without a network and without install scripts, it publishes and serves packages for Composer.

import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject } from '../util/composer.ts';
import { startNpmRegistry } from '../util/npm-registry.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { cloneRepository, copyRepository, raiseVersion, type RepositoryCopy } from '../util/repository-copy.ts';
import { cleanEnvironment } from '../util/run-cli.ts';
import { shippedDocuments } from '../../release/documents/shipped-documents.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

let folder: TemporaryFolder;
let one: RepositoryCopy;
let two: RepositoryCopy;

interface Outcome {
  readonly exitCode: number | undefined;
  readonly text: string;
}

/** Runs what `npm run release` runs in a clone, with a umask and a time zone. */
async function release(
  copy: RepositoryCopy,
  flags: readonly string[],
  { umask = '022', environment = {} }: { readonly umask?: string; readonly environment?: Record<string, string> } = {},
): Promise<Outcome> {
  const { exitCode, all } = await execa(
    'sh',
    ['-c', `umask ${umask} && exec node release/main.mjs "$@"`, 'sh', ...flags],
    { cwd: copy.path, env: { npm_config_update_notifier: 'false', ...environment }, reject: false, all: true },
  );
  return { exitCode, text: all };
}

const offline = ['--skip-audit', '--this-system'];
const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

function makePrivate(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    chmodSync(join(path, entry.name), entry.isDirectory() ? 0o700 : 0o600);
    if (entry.isDirectory() && entry.name !== '.git') makePrivate(join(path, entry.name));
  }
}

describe.skipIf(lacks('git'))('npm run release', () => {
  beforeAll(async () => {
    folder = temporaryFolder('release');
    one = copyRepository(folder.at('one'));
    mkdirSync(folder.at('a deeper'));
    raiseVersion(one, '0.9.0');
    two = cloneRepository(one, folder.at('a deeper', 'clone'));
    two.git('config', 'core.fileMode', 'false');
    makePrivate(two.path);
    mkdirSync(folder.at('two files'));
    writeFileSync(folder.at('two files', 'letter.txt'), 'not of a release');
    const made = await Promise.all([
      release(one, offline),
      release(two, [...offline, '--out', folder.at('two files')], { umask: '077', environment: { TZ: 'Asia/Tokyo' } }),
    ]);
    for (const { exitCode, text } of made) expect(exitCode, text).toBe(0);
    expect(made[0].text).toContain('The package is for this system alone');
    expect(made[0].text).toContain(`Try it: npm install -g ${one.at('released/libretto-0.9.0.tgz')}`);
    expect(made[1].text).toContain(`Try it: npm install -g '${folder.at('two files', 'libretto-0.9.0.tgz')}'`);
    expect(made[0].text).toContain('Advisories were not checked (--skip-audit)');
  }, 600_000);
  afterAll(() => folder.remove());

  it('writes the same bytes in another clone, with another umask and time zone', () => {
    const names = ['RELEASE-NOTES.md', 'SHA256SUMS', 'libretto-0.9.0.cdx.json', 'libretto-0.9.0.tgz'];
    expect(readdirSync(one.at('released')).sort()).toEqual(names);
    expect(readdirSync(folder.at('two files')).sort()).toEqual([...names, 'letter.txt'].sort());
    for (const name of names)
      expect(digestOf(folder.at('two files', name)), name).toBe(digestOf(one.at('released', name)));
  });

  it('gives every file of the package the time of npm pack', async () => {
    const { stdout } = await execa('tar', ['-tvzf', one.at('released/libretto-0.9.0.tgz'), '--full-time', '--utc']);
    const entries = stdout.split('\n');
    expect(entries.length).toBeGreaterThan(50);
    expect(entries.filter((entry) => !/ 1985-10-26 08:15:00(?:\.0+)? /.test(entry))).toEqual([]);
  });

  it('writes checksums that sha256sum accepts, and the section of the changelog', async () => {
    const checked = await execa('sha256sum', ['--check', 'SHA256SUMS'], { cwd: one.at('released') });
    expect(checked.stdout.split('\n').length).toBe(3);
    const notes = readFileSync(one.at('released/RELEASE-NOTES.md'), 'utf8');
    expect(notes).toMatch(/^# Libretto 0\.9\.0\n\n/);
    expect(notes).not.toContain('The first version');
  });

  it('refuses a changed folder, a released version, and changes without a version', async () => {
    writeFileSync(two.at('cli/left-over.ts'), '');
    const dirty = await release(two, offline);
    expect([dirty.exitCode, dirty.text]).toEqual([
      1,
      'No release: 1 file differs from the last commit: cli/left-over.ts. Commit or remove it, or make a draft: ' +
        'npm run release -- --draft',
    ]);
    two.git('tag', 'v0.9.0');
    two.commit();
    const released = await release(two, offline);
    expect([released.exitCode, released.text]).toEqual([
      1,
      expect.stringContaining('Version 0.9.0 is released already: the tag v0.9.0 is at '),
    ]);
    two.git('tag', '--delete', 'v0.9.0');
    two.edit('CHANGELOG.md', '## Unreleased\n', '## Unreleased\n\n- A change.\n');
    two.commit();
    const unreleased = await release(two, offline);
    expect([unreleased.exitCode, unreleased.text]).toEqual([
      1,
      expect.stringContaining('CHANGELOG.md has changes under "Unreleased", and version 0.9.0 would contain them.'),
    ]);
    two.edit('CHANGELOG.md', /## 0\.9\.0/, '## 0.8.9');
    two.commit();
    const unnamed = await release(two, offline);
    expect([unnamed.exitCode, unnamed.text]).toEqual([
      1,
      expect.stringContaining('CHANGELOG.md has no section "## 0.9.0".'),
    ]);
  });

  it('refuses a known advisory', async () => {
    const url = 'https://github.com/advisories/GHSA-xxxx-xxxx-xxx1';
    const advisory = { id: 7, url, title: 'A hole', severity: 'low', vulnerable_versions: '*' } as const;
    await using registry = await startNpmRegistry({ advisories: { zod: [advisory] } });
    const environment = registry.environment(folder.path);
    const { exitCode, text } = await release(one, ['--out', folder.at('none')], { environment });
    expect([exitCode, text]).toEqual([1, expect.stringMatching(/REFUSED {3}zod: A hole[^]*No release: A known advis/)]);
  });

  it('`npm pack` leaves out binaries whose checksum is not the one of package-lock.json', async () => {
    const { version } = JSON.parse(readFileSync(one.at('node_modules/lmdb/package.json'), 'utf8')) as {
      version: string;
    };
    const systems = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
    const files = Object.fromEntries(systems.map((name) => [`@lmdb/lmdb-${name}@${version}`, Buffer.from('other')]));
    await using registry = await startNpmRegistry({ files });
    const binaries = readdirSync(two.at('lib/cli/lmdb'));
    const { exitCode, stderr } = await execa(process.execPath, ['release/prepack.mjs'], {
      cwd: two.path,
      env: registry.environment(folder.path),
    });
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(/^The package will not run on \S+: .* has the checksum/m),
    ]);
    expect(readdirSync(two.at('lib/cli/lmdb'))).toEqual(binaries);
  });

  describe('the package', () => {
    let prefix: string;
    let files: readonly string[];

    beforeAll(async () => {
      prefix = folder.at('prefix');
      const flags = ['--global', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', prefix];
      await execa('npm', ['install', ...flags, one.at('released/libretto-0.9.0.tgz')], {
        cwd: folder.path,
        env: { npm_config_cache: folder.at('empty-cache'), npm_config_update_notifier: 'false' },
      });
      const modules = join(prefix, 'lib/node_modules');
      const paths = readdirSync(modules, { recursive: true, encoding: 'utf8' });
      files = paths.filter((path) => statSync(join(modules, path)).isFile());
    });

    it('installs as one package below 25 MB, without tests, sources and maps', async () => {
      expect(files.filter((path) => !path.startsWith('libretto/'))).toEqual([]);
      expect(files.filter((path) => /\.(?:ts|map)$|(?:^|\/)test\//.test(path))).toEqual([]);
      expect(files).toContain('libretto/docs/README.md');
      expect([...shippedDocuments().keys()].filter((path) => !files.includes(`libretto/${path}`))).toEqual([]);
      const { stdout } = await execa('du', ['-sk', join(prefix, 'lib/node_modules')]);
      // a package for all systems has the binaries of four more: 0.8 MB for Linux, 1.4 MB for macOS
      expect(Number.parseInt(stdout, 10)).toBeLessThan((25 - 5) * 1024);
    });

    it.skipIf(lacks('composer', 'php'))('publishes, creates a token, and serves what Composer installs', async () => {
      const work = folder.at('work');
      mkdirSync(work);
      writeTree(join(work, 'hello'), libraryTree('acme/hello', { version: '1.0.0' }));
      const libretto = join(prefix, 'bin/libretto');
      const options = { cwd: work, env: cleanEnvironment(), extendEnv: false } as const;
      expect((await execa(libretto, ['--version'], options)).stdout).toBe('0.9.0');
      expect((await execa(libretto, ['build', 'hello', '--data', 'data'], options)).exitCode).toBe(0);
      const created = await execa(libretto, ['token', 'create', '--description', 'me', '--data', 'data'], options);
      const server = execa(libretto, ['serve', '--data', 'data', '--listen', '127.0.0.1:0'], {
        ...options,
        reject: false,
      });
      let said = '';
      server.stderr.on('data', (part: Buffer) => void (said += part.toString()));
      try {
        await expect.poll(() => said, { timeout: 60_000 }).toMatch(/127\.0\.0\.1:\d+/);
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? '';
        const explorer = await fetch(`${url}/api/swagger/swagger-ui-bundle.js`);
        expect([explorer.status, (await explorer.arrayBuffer()).byteLength]).toEqual([200, expect.any(Number)]);
        await using project = createProject({ url, auth: bearerAuth(new URL(url).host, created.stdout.trim()) });
        const { exitCode, output } = await project.run('require', 'acme/hello');
        expect(exitCode, output).toBe(0);
        expect(project.exists('vendor/acme/hello/composer.json')).toBe(true);
      } finally {
        server.kill('SIGTERM');
        expect((await server).exitCode).toBe(0);
      }
    });

    it('lists every library inside with its version, licence and the text of the licence', () => {
      const at = (name: string): string => readFileSync(join(prefix, 'lib/node_modules/libretto/lib', name), 'utf8');
      const contents = JSON.parse(at('sbom.cdx.json')) as Contents;
      const texts = at('THIRD-PARTY-LICENSES.txt');
      const bundled = JSON.parse(readFileSync(one.at('lib/libraries.json'), 'utf8')) as string[];
      for (const path of bundled) {
        const { name, version } = JSON.parse(readFileSync(one.at(path, 'package.json'), 'utf8')) as Component;
        const purl = `pkg:npm/${name.replace('@', '%40')}@${version ?? ''}`;
        const found = contents.components.find((component) => component.purl === purl);
        expect(found, purl).toMatchObject({ type: 'library', version, licenses: [expect.any(Object)] });
        expect(texts).toMatch(new RegExp(`^${name} ${version ?? ''} \\(`, 'm'));
      }
      const names = contents.components.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['libdeflate', 'LMDB', 'LZ4', 'swagger-ui-dist']));
      expect(texts).toContain('The OpenLDAP Public License');
      const refs = new Set([contents.metadata.component, ...contents.components].map((one) => one['bom-ref']));
      const named = contents.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
      expect(named.filter((ref) => !refs.has(ref))).toEqual([]);
      expect(contents).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
      expect(contents.serialNumber).toMatch(
        /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    });

    it('lists LMDB’s binaries with the checksums of the installed files', () => {
      const installed = join(prefix, 'lib/node_modules/libretto');
      const { components } = JSON.parse(readFileSync(join(installed, 'lib/sbom.cdx.json'), 'utf8')) as Contents;
      const listed = components
        .flatMap((component) => component.components ?? [])
        .filter(({ type }) => type === 'file');
      const binaries = files.filter((path) => path.endsWith('.node')).map((path) => path.replace('libretto/', ''));
      expect(listed.map(({ name }) => name).sort()).toEqual(binaries.sort());
      for (const { name, hashes } of listed)
        expect(hashes).toEqual([{ alg: 'SHA-256', content: digestOf(join(installed, name)) }]);
    });
  });
});

interface Component {
  readonly type: string;
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version?: string;
  readonly purl?: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly components?: readonly Component[];
}

interface Contents {
  readonly serialNumber: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}
