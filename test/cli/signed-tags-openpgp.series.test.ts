// Tests that a build records who signed the tag of a release with a known OpenPGP key.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRepository, testGitEnvironment, type TestRepository } from '../util/git-repository.ts';
import { cleanEnvironment, runCli, type CliOutcome } from '../util/run-cli.ts';
import { signersOf } from '../util/signed-repository.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

const december = Date.UTC(2025, 11, 1) / 1000;
const february = Date.UTC(2026, 1, 20) / 1000;

describe.skipIf(lacks('git', 'gpg'))('tags signed with OpenPGP keys', () => {
  /** the keys of the maintainers; the path of the agent's socket has to be short */
  let home: string;
  let folder: TemporaryFolder;
  let repository: TestRepository;

  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'gpg-'));
    makeKey('Ann Lee <ann@example.org>', 'never');
    makeKey('Eve <eve@example.org>', 'never');
    makeKey('Old Key <old@example.org>', '60d', december);
  });
  afterAll(() => {
    execFileSync('gpgconf', ['--kill', 'gpg-agent'], { env: gnupg() });
    rmSync(home, { recursive: true, force: true });
  });
  beforeEach(() => {
    folder = temporaryFolder('signed-openpgp');
    repository = createRepository(folder.at('repository'), [
      { commit: 'main', files: { 'composer.json': JSON.stringify({ name: 'acme/signed' }) } },
    ]);
    const config = { sources: ['git:repository'], signersKeyring: 'keys.gpg' };
    writeFileSync(folder.at('libretto.json'), JSON.stringify(config));
  });
  afterEach(() => folder.remove());

  const gnupg = (): Record<string, string> => ({ PATH: testGitEnvironment.PATH, GNUPGHOME: home });
  const gpg = (...args: readonly string[]): Buffer =>
    execFileSync('gpg', ['--batch', '--quiet', '--trust-model', 'always', ...args], { env: gnupg(), stdio: 'pipe' });
  const at = (time: number | undefined): readonly string[] =>
    time === undefined ? [] : ['--faked-system-time', String(time)];
  function makeKey(name: string, expires: string, time?: number): void {
    gpg(...at(time), '--passphrase', '', '--quick-gen-key', name, 'ed25519', 'sign', expires);
  }
  const know = (...mails: readonly string[]): void => writeFileSync(folder.at('keys.gpg'), gpg('--export', ...mails));
  const tag = (name: string, mail: string, time?: number): void => {
    const program = folder.at('sign');
    writeFileSync(program, `#!/bin/sh\nexec gpg --batch ${at(time).join(' ')} "$@"\n`, { mode: 0o755 });
    const date = time === undefined ? {} : { GIT_COMMITTER_DATE: `${time} +0000` };
    execFileSync(
      'git',
      ['-c', `gpg.program=${program}`, '-c', `user.signingKey=${mail}`, 'tag', '-s', '-m', name, name, 'main'],
      { env: { ...testGitEnvironment, ...gnupg(), ...date, GIT_DIR: repository.gitDirectory }, stdio: 'pipe' },
    );
  };
  const build = (environment: Record<string, string> = cleanEnvironment()): Promise<CliOutcome> =>
    runCli(['build'], { cwd: folder.path, environment, alone: true });
  const signers = (): Record<string, string | null> => signersOf(folder.at('var'), 'acme/signed');

  it('names the mail address of a known key, whatever keys the user of the build has', async () => {
    know('ann@example.org');
    tag('1.0.0', 'ann@example.org');
    tag('1.1.0', 'eve@example.org');
    const { exitCode, stderr } = await build({ ...cleanEnvironment(), ...gnupg() });
    expect(exitCode, stderr).toBe(0);
    expect(signers()).toMatchObject({ '1.0.0': 'ann@example.org', '1.1.0': null });
  });

  itInSeries('counts what a key signed before it expired, and nothing later', async () => {
    writeFileSync(folder.at('keys.gpg'), gpg('--export', '--armor', 'old@example.org'));
    tag('1.0.0', 'old@example.org', december + 86_400);
    // the registry does not learn that its owner has prolonged the key
    const [, fingerprint = ''] = /^fpr:+(\w+):/m.exec(gpg('--with-colons', '-k', 'old@example.org').toString()) ?? [];
    gpg('--passphrase', '', '--quick-set-expire', fingerprint, 'never');
    tag('1.1.0', 'old@example.org', february);
    expect((await build()).exitCode).toBe(0);
    expect(signers()).toMatchObject({ '1.0.0': 'old@example.org', '1.1.0': null });
  });

  itInSeries('judges the tags again after a change of the keys, and leaves no folder with keys behind', async () => {
    const temporary = folder.at('temporary');
    mkdirSync(temporary);
    know('eve@example.org');
    tag('1.0.0', 'ann@example.org');
    await build({ ...cleanEnvironment(), TMPDIR: temporary });
    expect(signers()).toMatchObject({ '1.0.0': null });
    know('eve@example.org', 'ann@example.org');
    await build({ ...cleanEnvironment(), TMPDIR: temporary });
    expect(signers()).toMatchObject({ '1.0.0': 'ann@example.org' });
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('refuses a file without public keys', async () => {
    writeFileSync(folder.at('keys.gpg'), readFileSync(join(home, 'pubring.kbx')));
    const { exitCode, stderr } = await build();
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('it has no OpenPGP public key')]);
    writeFileSync(folder.at('keys.gpg'), '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nnothing\n');
    tag('1.0.0', 'ann@example.org');
    const damaged = await build();
    expect([damaged.exitCode, damaged.stderr]).toEqual([2, expect.stringContaining('gpg cannot read')]);
  });
});
