// Tests backups of mirrored packages (I18): a restored registry accepts the same releases.

import { existsSync, statSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';

import { archiveFor, mirroringRegistry } from '../util/mirroring-registry.ts';
import { allFiles } from '../util/published-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { startUpstream } from '../util/upstream.ts';

it('a backup contains the accepted releases, so that a restored registry accepts no others; --mirror adds the archives', async () => {
  await using upstream = await startUpstream();
  const listed = { filter: { malware: [{ constraint: '9.9.9' }] } };
  upstream.put('some/lib', [{ version: '1.0.0', zip: archiveFor('it') }], listed);
  await using registry = await mirroringRegistry(upstream.url);
  const { folder } = registry;
  expect(await registry.warm(['some/lib', '1.0.0'])).toMatchObject({ exitCode: 0, stderr: '' });
  writeFileSync(folder.at('data/mirror/dist/some/lib/x.zip.partial'), '');
  writeFileSync(folder.at('data/mirror/lists/some/lib.json.partial'), '{}');

  await registry.json('backup', 'small');
  await registry.json('backup', 'large', '--mirror');
  const kept = (backup: string): readonly string[] =>
    allFiles(folder.at(backup, 'mirror'))
      .map((path) => path.replace(/[0-9a-f]{32,40}/, 'HEX'))
      .toSorted();
  expect(kept('small')).toEqual(['dist/some/lib/HEX.json', 'lists/some/lib.json']);
  expect(kept('large')).toEqual(['dist/some/lib/HEX.json', 'dist/some/lib/HEX.zip', 'lists/some/lib.json']);
  for (const backup of ['small', 'large']) await registry.json('restore', backup, '--data', `from-${backup}`);
  expect(statSync(folder.at('from-small/mirror')).mode & 0o777).toBe(0o700);

  const at = (data: string, ...args: readonly string[]): Promise<CliOutcome> =>
    runCli([...args, '--data', folder.at(data)], { cwd: folder.path });
  upstream.failing.status = 503;
  expect(await at('from-large', 'mirror', 'verify')).toMatchObject({
    exitCode: 0,
    stdout: 'Checked 1 archive: all as accepted.',
  });
  writeFileSync(folder.at('from-large/mirror/lists/some/lib.json'), '{}');
  const { exitCode, stderr } = await at('from-large', 'mirror', 'verify');
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('lists/some/lib.json is damaged: ') as string]);
  upstream.failing.status = undefined;
  upstream.put('some/lib', [{ version: '1.0.0', zip: archiveFor('something else'), shasum: '' }]);
  const other = await at('from-small', 'mirror', 'warm', 'composer.lock');
  expect([other.exitCode, other.stderr]).toEqual([1, expect.stringContaining('some/lib 1.0.0: ') as string]);
  expect(existsSync(folder.at('from-small/mirror/dist/some/lib'))).toBe(true);
  expect(allFiles(folder.at('from-small/mirror/dist')).filter((path) => path.endsWith('.zip'))).toEqual([]);
  upstream.put('some/lib', [{ version: '1.0.0', zip: archiveFor('it') }]);
  expect((await at('from-small', 'mirror', 'warm', 'composer.lock')).stdout).toContain('1 fetched');
  expect(await at('from-small', 'mirror', 'verify')).toMatchObject({ exitCode: 0 });
});
