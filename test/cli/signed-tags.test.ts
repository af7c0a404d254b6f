// Tests that a build records who signed the tag of each release with a known key, and what this registry then says.

import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findTool } from '../setup/tools.mjs';
import { createRepository, type TestRepository } from '../util/git-repository.ts';
import { createGitShim } from '../util/git-shim.ts';
import { cleanEnvironment, runCli, type CliOutcome } from '../util/run-cli.ts';
import { createSigningKey, signersOf, tag, type SigningKey } from '../util/signed-repository.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

const january = Date.UTC(2026, 0, 15) / 1000;

describe.skipIf(lacks('git', 'ssh-keygen'))('signed tags', () => {
  let folder: TemporaryFolder;
  let repository: TestRepository;
  let ann: SigningKey;
  let eve: SigningKey;

  beforeEach(() => {
    folder = temporaryFolder('signed-tags');
    repository = createRepository(folder.at('repository'), [
      { commit: 'main', files: { 'composer.json': JSON.stringify({ name: 'acme/signed' }) } },
    ]);
    [ann, eve] = [createSigningKey(folder.path, 'ann'), createSigningKey(folder.path, 'eve')];
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ sources: ['git:repository'], signers: 'signers' }));
    know(`ann@example.org ${ann.publicKey}`);
  });
  afterEach(() => folder.remove());

  const know = (...lines: readonly string[]): void => writeFileSync(folder.at('signers'), lines.join('\n'));
  const libretto = (args: readonly string[], environment?: Record<string, string>): Promise<CliOutcome> =>
    runCli(args, { cwd: folder.path, ...(environment === undefined ? {} : { environment, alone: true }) });
  const commit = (content: string): void => repository.append([{ commit: 'main', files: { 'a.txt': content } }]);
  const build = async (environment?: Record<string, string>): Promise<CliOutcome> => {
    const outcome = await libretto(['build'], environment);
    expect(outcome.exitCode, outcome.stderr).toBe(0);
    return outcome;
  };
  const signers = (data = 'var'): Record<string, string | null> => signersOf(folder.at(data), 'acme/signed');

  it('names the signer of a tag with a known key, and of no other', async () => {
    tag(repository, '1.0.0', { key: ann });
    tag(repository, '1.1.0', { key: eve });
    tag(repository, '1.2.0');
    repository.append([{ tag: '1.3.0', at: 'main' }]);
    await build();
    expect(signers()).toEqual({
      '1.0.0': 'ann@example.org',
      '1.1.0': null,
      '1.2.0': null,
      '1.3.0': null,
      'dev-main': null,
    });
  });

  it('accepts a signed tag for its own version alone', async () => {
    tag(repository, '1.0.0', { key: ann });
    commit('later');
    repository.git('update-ref', 'refs/tags/2.0.0', repository.git('rev-parse', 'refs/tags/1.0.0'));
    await build();
    expect(signers()).toMatchObject({ '1.0.0': 'ann@example.org', '2.0.0': null });
  });

  itInSeries('keeps the signer of the published content when the tag moves to another commit', async () => {
    tag(repository, '1.0.0', { key: ann });
    tag(repository, '1.1.0', { key: eve });
    await build();
    commit('moved');
    tag(repository, '1.0.0', { key: eve, force: true });
    tag(repository, '1.1.0', { key: ann, force: true });
    const moved = await libretto(['build']);
    expect([moved.exitCode, moved.stderr]).toEqual([1, expect.stringContaining('[VERSION_CHANGED]')]);
    expect(signers()).toMatchObject({ '1.0.0': 'ann@example.org', '1.1.0': null });
  });

  itInSeries('takes the date of the tag for the validity of a key', async () => {
    know(`ann@example.org valid-after="20260101",valid-before="20260201" ${ann.publicKey}`);
    tag(repository, '1.0.0', { key: ann, time: january });
    tag(repository, '1.1.0', { key: ann, time: january + 60 * 86_400 });
    await build();
    expect(signers()).toMatchObject({ '1.0.0': 'ann@example.org', '1.1.0': null });
  });

  itInSeries(
    'judges the known releases again after a change of the list, and changes no document and no archive',
    async () => {
      tag(repository, '1.0.0', { key: ann });
      tag(repository, '1.1.0', { key: eve });
      await build();
      const published = contentOf('var/public');
      know(`eve@example.org ${eve.publicKey}`);
      expect((await build()).stdout).toContain('Published');
      expect(signers()).toMatchObject({ '1.0.0': null, '1.1.0': 'eve@example.org' });
      rmSync(folder.at('libretto.json'));
      writeFileSync(folder.at('libretto.json'), JSON.stringify({ sources: ['git:repository'] }));
      await build();
      expect(signers()).toMatchObject({ '1.0.0': null, '1.1.0': null });
      await build({ LIBRETTO_SIGNERS: 'signers' });
      expect(signers()).toMatchObject({ '1.1.0': 'eve@example.org' });
      expect(contentOf('var/public')).toEqual(published);
      expect((await libretto(['verify'])).exitCode).toBe(0);
    },
  );

  itInSeries('starts no process for an unchanged repository, and judges only new tags of a changed one', async () => {
    const git = createGitShim(folder.at('shim'));
    const environment = { ...cleanEnvironment(), PATH: git.path };
    tag(repository, '1.0.0', { key: ann });
    await build(environment);
    expect(git.calls().filter((call) => call.includes('verify-tag'))).toHaveLength(1);
    await build(environment);
    expect(git.calls()).toEqual([]);
    commit('new');
    tag(repository, '1.1.0', { key: ann });
    await build(environment);
    expect(git.calls().filter((call) => call.includes('verify-tag'))).toHaveLength(1);
    expect(signers()).toMatchObject({ '1.0.0': 'ann@example.org', '1.1.0': 'ann@example.org' });
  });

  itInSeries('says once that ssh-keygen is missing, and judges the tags as soon as it is there', async () => {
    mkdirSync(folder.at('bin'));
    for (const name of ['git', 'sh', 'false']) symlinkSync(findTool(name) ?? '', folder.at('bin', name));
    tag(repository, '1.0.0', { key: ann });
    createRepository(folder.at('second'), [
      { commit: 'main', files: { 'composer.json': JSON.stringify({ name: 'acme/second' }) } },
    ]);
    writeFileSync(
      folder.at('libretto.json'),
      JSON.stringify({ sources: ['git:repository', 'git:second'], signers: 'signers' }),
    );
    const node = process.execPath.slice(0, process.execPath.lastIndexOf('/'));
    symlinkSync(`${node}/node`, folder.at('bin/node'));
    const { stdout, stderr } = await build({ PATH: folder.at('bin') });
    expect(`${stdout}${stderr}`.match(/ssh-keygen was not found/g)).toHaveLength(1);
    expect(signers()).toMatchObject({ '1.0.0': null });
    expect((await build()).stdout).not.toContain('ssh-keygen');
    expect(signers()).toMatchObject({ '1.0.0': 'ann@example.org' });
  });

  it("ignores keys and programs of the repository's configuration", async () => {
    tag(repository, '1.0.0', { key: eve });
    tag(repository, '1.1.0', { key: ann });
    writeFileSync(folder.at('evil'), `#!/bin/sh\ntouch ${folder.at('started')}\nexit 0\n`);
    chmodSync(folder.at('evil'), 0o755);
    writeFileSync(folder.at('own-signers'), `eve@example.org ${eve.publicKey}`);
    repository.git('config', 'gpg.ssh.allowedSignersFile', folder.at('own-signers'));
    for (const key of ['gpg.ssh.program', 'gpg.program', 'gpg.openpgp.program', 'gpg.x509.program'])
      repository.git('config', key, folder.at('evil'));
    await build();
    expect(signers()).toMatchObject({ '1.0.0': null, '1.1.0': 'ann@example.org' });
    expect(readdirSync(folder.path)).not.toContain('started');
  });

  it('refuses a list that is missing or has a line without a key', async () => {
    rmSync(folder.at('signers'));
    const missing = await libretto(['build']);
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining('list of known signers: ENOENT')]);
    know('# ours', `ann@example.org ${ann.publicKey}`, 'bob@example.org ssh-ed25519');
    const faulty = await libretto(['build']);
    expect([faulty.exitCode, faulty.stderr]).toEqual([2, expect.stringContaining('line 3 has no SSH key')]);
  });

  it('shows the signer in `why`, and sends the signer with a tree', async () => {
    tag(repository, '1.0.0', { key: ann });
    tag(repository, '1.1.0');
    await build();
    expect((await libretto(['why', 'acme/signed', '1.0.0'])).stdout).toMatch(/^signed by +ann@example\.org$/m);
    expect((await libretto(['why', 'acme/signed', '1.1.0'])).stdout).not.toContain('signed by');
    const document = JSON.parse((await libretto(['why', 'acme/signed', '--json'])).stdout) as {
      versions: { version: string; signed_by: string | null }[];
    };
    expect(Object.fromEntries(document.versions.map((one) => [one.version, one.signed_by]))).toMatchObject({
      '1.0.0': 'ann@example.org',
      '1.1.0': null,
    });
    mkdirSync(folder.at('other'));
    const received = await runCli(['receive', folder.at('var')], { cwd: folder.at('other') });
    expect(received.exitCode, received.stderr).toBe(0);
    expect(signers('other/var')).toMatchObject({ '1.0.0': 'ann@example.org', '1.1.0': null });
  });

  itInSeries('keeps the signer through withdrawal and return, a lost memory, a rollback, and a backup', async () => {
    const succeed = async (...args: readonly string[]): Promise<void> => {
      const { exitCode, stderr } = await libretto(args);
      expect(exitCode, `${args.join(' ')}: ${stderr}`).toBe(0);
      expect(signers(), args.join(' ')).toMatchObject({ '1.0.0': 'ann@example.org' });
    };
    tag(repository, '1.0.0', { key: ann });
    await succeed('build');
    await succeed('package', 'withdraw', 'acme/signed', '1.0.0');
    await succeed('package', 'restore', 'acme/signed', '1.0.0');
    rmSync(folder.at('var/build'), { recursive: true });
    await succeed('build');
    for (const version of ['1.1.0', '1.2.0']) {
      commit(version);
      tag(repository, version, { key: eve });
      await succeed('build');
    }
    const { stdout } = await libretto(['history', '--json']);
    const [, former] = (JSON.parse(stdout) as { publications: { serial: number }[] }).publications;
    await succeed('rollback', String(former?.serial));
    await succeed('build');
    expect((await libretto(['backup', 'copy'])).exitCode).toBe(0);
    rmSync(folder.at('var'), { recursive: true });
    await succeed('restore', 'copy');
    await succeed('build');
    await succeed('verify');
  });

  /** path → bytes of p2 documents and archives */
  function contentOf(path: string): Record<string, string> {
    const entries = readdirSync(folder.at(path), { recursive: true, withFileTypes: true });
    return Object.fromEntries(
      entries
        .filter((entry) => entry.isFile() && entry.name !== 'packages.json')
        .map((entry) => `${entry.parentPath}/${entry.name}`)
        .map((file) => [file, readFileSync(file, 'base64')]),
    );
  }
});
