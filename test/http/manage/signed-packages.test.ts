// Tests what the API says about the signers of a package that a real build read from a git repository.

import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createRepository } from '../../util/git-repository.ts';
import { runCli } from '../../util/run-cli.ts';
import { runManagement } from '../../util/running-management.ts';
import { createSigningKey, tag } from '../../util/signed-repository.ts';
import { temporaryFolder } from '../../util/temporary-folder.ts';
import { lacks } from '../../util/tool.ts';

it.skipIf(lacks('git', 'ssh-keygen'))('names the signer of each version', async () => {
  await using registry = await runManagement();
  const folder = temporaryFolder('signed-packages');
  try {
    const repository = createRepository(folder.at('repository'), [
      { commit: 'main', files: { 'composer.json': JSON.stringify({ name: 'acme/signed' }) } },
    ]);
    const key = createSigningKey(folder.path, 'ann');
    tag(repository, '1.0.0', { key });
    tag(repository, '1.1.0');
    writeFileSync(folder.at('signers'), `ann@example.org ${key.publicKey}\n`);
    const built = await runCli(['build', 'git:repository', '--data', registry.data], {
      cwd: folder.path,
      environment: { LIBRETTO_SIGNERS: 'signers' },
    });
    expect(built.exitCode, built.stderr).toBe(0);
    const { body } = await registry.call('GET', '/api/packages/acme/signed', {
      as: await registry.createToken('read'),
    });
    const { versions } = JSON.parse(body.toString()) as { versions: { version: string; signed_by: string | null }[] };
    expect(versions.map(({ version, signed_by: signer }) => [version, signer])).toEqual([
      ['1.1.0', null],
      ['1.0.0', 'ann@example.org'],
      ['dev-main', null],
    ]);
  } finally {
    folder.remove();
  }
});
