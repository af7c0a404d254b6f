// Tests repositories whose composer.json names its own dist, which Composer installs in place of the files of the
// commit, and repositories without a composer.json in their root.

import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { answerWith, startDistServer, type DistServer } from '../util/dist-server.ts';
import { startGitHttpServer } from '../util/git-http-server.ts';
import { createRepository, type RepositoryStep } from '../util/git-repository.ts';
import { zipOf } from '../util/hostile-zip.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

const real = zipOf([{ name: 'real/real.php', data: '<?php' }]);
const changed = zipOf([{ name: 'real/changed.php', data: '<?php' }]);
const sha1Of = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex');
const sha1 = sha1Of(real);

let folder: TemporaryFolder;
let server: DistServer;
beforeEach(async () => {
  folder = temporaryFolder('named-dist');
  server = await startDistServer();
  server.answers.set('/real.zip', answerWith(real));
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await folder.remove();
});

const run = (...args: readonly string[]): Promise<CliOutcome> =>
  runCli([...args, '--data', 'data'], { cwd: folder.path });
const configure = (source: object, allow = ['127.0.0.1']): void =>
  writeFileSync(folder.at('libretto.json'), JSON.stringify({ sources: [source], egress: { allow } }));
const requested = (): string[] => server.requests.splice(0).map(({ path }) => path);
const shasums = (): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(publishedVersions(folder.at('data'))).map(([label, { shasum }]) => [label, shasum]),
  );

/** A commit with this composer.json, and a tag at it. */
function version(tag: string, fields: object): RepositoryStep[] {
  const composerJson = JSON.stringify({ name: 'acme/odd', ...fields });
  return [
    { commit: 'main', files: { 'composer.json': composerJson, 'tree.php': `<?php // ${tag}` } },
    { tag, at: 'main' },
  ];
}

const zip = (path: string, more: object = {}): object => ({ dist: { type: 'zip', url: server.url + path, ...more } });

it('the dist is fetched once and hosted, and a version without it is left out with the reason', async () => {
  createRepository(folder.at('odd'), [
    ...version('1.0.0', { ...zip('/real.zip', { shasum: sha1, reference: 'r1' }), source: sourceOf('real') }),
    ...version('1.1.0', zip('/late.zip')),
    ...version('1.2.0', zip('/real.zip', { shasum: '0'.repeat(40) })),
    ...version('1.3.0', { dist: { type: 'zip', url: 'file:///etc/real.zip' } }),
    ...version('1.4.0', { source: sourceOf('other') }),
    ...version('1.5.0', { source: 'https://git.example.org/odd' }),
    ...version('1.6.0', { source: sourceOf('odd') }),
    ...version('1.7.0', zip('/real.zip')),
  ]);
  configure({ type: 'git', path: 'odd' });
  const first = await run('build', '--json');
  expect(first.exitCode).toBe(1);
  const report = JSON.parse(first.stdout) as { quarantined: { version: string; code: string; message: string }[] };
  expect(Object.fromEntries(report.quarantined.map(({ version: label, code }) => [label, code]))).toEqual({
    '1.1.0': 'UNREACHABLE_DIST',
    '1.2.0': 'DIST_MISMATCH',
    '1.3.0': 'INVALID_DIST',
    '1.4.0': 'INVALID_DIST',
    '1.5.0': 'INVALID_DIST',
  });
  const messages = report.quarantined.map(({ message }) => message).join('\n');
  expect(messages).toContain(`the SHA-1 ${sha1}, but`);
  expect(messages).toContain('404. The dists of a composer.json are fetched without credentials: let the host');
  expect(messages).toContain('a URL of file://; only https:// and http:// are fetched.');
  expect(Object.keys(shasums()).toSorted()).toEqual(
    ['1.0.0', '1.6.0', '1.7.0', 'dev-main'].map((v) => `acme/odd@${v}`),
  );
  expect(shasums()).toMatchObject({ 'acme/odd@1.0.0': sha1, 'acme/odd@1.7.0': sha1 });
  expect(await run('verify')).toMatchObject({ exitCode: 0 });
  expect(requested().filter((path) => path === '/real.zip')).toHaveLength(4); // for each shasum, and each other version

  rmSync(folder.at('data/build/downloads'), { recursive: true });
  server.answers.set('/late.zip', answerWith(real));
  await run('build');
  expect(shasums()).toMatchObject({ 'acme/odd@1.1.0': sha1 });
  expect(requested().toSorted()).toEqual(['/late.zip', '/real.zip']); // the second is that of 1.2.0
});

itInSeries(
  'a dist at a private address needs egress.allow, and a version of a new commit is fetched for itself',
  async () => {
    const repository = createRepository(folder.at('remotes/odd.git'), version('1.0.0', zip('/real.zip')), {
      bare: true,
    });
    const git = await startGitHttpServer(folder.at('remotes'));
    try {
      const source = { type: 'git', url: `${git.url}/odd.git`, 'reference-source': 'include' };
      configure(source, []);
      const denied = await run('build', '--json');
      expect(denied.stdout).toContain('EGRESS_DENIED');
      expect(requested()).toEqual([]);
      configure(source);
      expect(await run('build')).toMatchObject({ exitCode: 0 });
      expect(shasums()).toMatchObject({ 'acme/odd@1.0.0': sha1 });
      server.answers.set('/real.zip', answerWith(changed));
      repository.append([
        { commit: 'main', files: { 'tree.php': '<?php // changed' } },
        { tag: '1.1.0', at: 'main' },
      ]);
      requested();
      expect(await run('build')).toMatchObject({ exitCode: 0 });
      expect(requested()).toEqual(['/real.zip', '/real.zip']); // of the new tag, and of the branch at its commit
      expect(shasums()).toMatchObject({ 'acme/odd@1.0.0': sha1, 'acme/odd@1.1.0': sha1Of(changed) });
      expect(await run('build')).toMatchObject({ exitCode: 0 });
      expect(requested()).toEqual([]);
    } finally {
      await git.close();
    }
  },
);

it('a repository without a composer.json in its root names the command that publishes its packages', async () => {
  const files = ['packages/one', 'packages/two', 'src/g/h/i/three', 'vendor/acme/four', 'packages/one/five'].map(
    (path) => [`${path}/composer.json`, JSON.stringify({ name: `acme/${path.split('/').at(-1) ?? ''}` })],
  );
  createRepository(folder.at('mono'), [
    { commit: 'main', files: Object.fromEntries(files) as Record<string, string> },
    { tag: '1.0.0', at: 'main' },
  ]);
  const { exitCode, stderr } = await run('build', 'mono');
  expect(exitCode).toBe(1);
  const folders = / --subdirectory [^`]*/.exec(stderr)?.[0].replaceAll("'", '').trim().split(' ') ?? [];
  expect(await run('build', 'mono', ...folders)).toMatchObject({ exitCode: 0 });
  expect(Object.keys(shasums()).filter((label) => label.endsWith('@1.0.0'))).toEqual(
    ['one', 'three', 'two'].map((name) => `acme/${name}@1.0.0`),
  );
});

itInSeries('the search for packages in a repository says that it ends at 10 000 folders', async () => {
  const files = Array.from({ length: 10_100 }, (_, at) => [`f/${at % 100}/${at}/x`, '']);
  createRepository(folder.at('many'), [{ commit: 'main', files: Object.fromEntries(files) as Record<string, string> }]);
  const { exitCode, stderr } = await run('build', 'many');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('Only the first 10000 folders were searched for packages.');
});

function sourceOf(name: string): object {
  return { type: 'git', url: `https://git.example.org/acme/${name}.git`, reference: 'r1' };
}
