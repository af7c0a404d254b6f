// Tests an announcement and a manifest from an older copy, beside a newer history (I6, I9, I21). Purged and withdrawn
// versions stay out, the serial rises, and a build publishes again what later publications added.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { leakedSecret as secret, packageContaining } from '../util/leaked-version.ts';
import { registryCopy } from '../util/registry-copy.ts';
import { firstOf } from '../util/series.ts';

const [announcement, manifest, root] = [
  'index/_publication.json',
  'build/manifest.json',
  'public/packages.json',
] as const;
const [tombstones, withdrawn] = ['index/_purged.json', 'index/_withheld.json'] as const;

/** Publication 2 purged 1.1.0, publication 3 withdrew 1.0.0. `before` has files of publication 1. */
const { at, data, prepared, libretto, succeeds, lose, versions } = registryCopy(
  {
    ...packageContaining('src/one', '1.0.0', 'first'),
    ...packageContaining('src/two', '1.1.0', secret),
    ...packageContaining('src/three', '1.2.0', 'third'),
    ...packageContaining('upload', '2.0.0', 'fourth'),
  },
  async () => {
    await succeeds('build', 'src');
    copy('before', announcement, manifest);
    await succeeds('package', 'purge', 'acme/hello', '1.1.0', '--reason', 'secret', '--yes');
    await succeeds('package', 'withdraw', 'acme/hello', '1.0.0');
  },
);

function copy(to: string, ...paths: readonly string[]): void {
  for (const path of paths) cpSync(data(path), at(to, path), { preserveTimestamps: true });
}

const putBack = (from: string): void => cpSync(at(from), data(), { recursive: true, preserveTimestamps: true });
const serial = (): number =>
  (JSON.parse(readFileSync(data(announcement), 'utf8')) as { readonly serial: number }).serial;

const refusal = expect.stringMatching(
  /older than publication \d+ in history[^]*`libretto package recover-purged --data \S+`/,
);

it.each(
  firstOf<[string, string[], string[]]>(
    [
      ['beside the lists', [], []],
      ['beside lost lists', [], [tombstones, withdrawn]],
      ['without the record of the purge', ['build/history/2'], [tombstones, withdrawn]],
      ['without the record of the withdrawal', ['build/history/3'], [tombstones, withdrawn]],
    ],
    1,
  ),
)('nothing is published %s, and the recovery takes both from history and the state', async (_, records, lists) => {
  await succeeds('publish', 'upload');
  putBack('before');
  lose(...records, ...lists);
  expect(await libretto('verify')).toMatchObject({ exitCode: 1, stderr: refusal });
  for (const command of [['build'], ['prune', '--keep-for', '0'], ['package', 'withdraw', 'acme/hello', '1.0.0']])
    expect([command, await libretto(...command)]).toEqual([
      command,
      expect.objectContaining({ exitCode: 2, stderr: refusal }),
    ]);
  expect((await libretto('publish', 'upload')).exitCode).toBe(2);
  await succeeds('package', 'recover-purged');
  if ((await libretto('build')).exitCode !== 0) await succeeds('package', 'withdraw', 'acme/hello', '1.0.0');
  await succeeds('build', 'src', `artifact:${data('artifacts')}`);
  expect(versions()).toEqual(['acme/hello@1.2.0', 'acme/hello@2.0.0']);
  expect(serial(), 'I6').toBeGreaterThan(4);
  await succeeds('verify');
});

it('the recovery keeps out a version that was withdrawn before it was purged', async () => {
  rmSync(at('src/three'), { recursive: true });
  await succeeds('build', 'src', '--allow-withdraw');
  copy('older', announcement, manifest, tombstones);
  await succeeds('package', 'purge', 'acme/hello', '1.2.0', '--reason', 'secret', '--yes');
  putBack('older');
  expect(await libretto('build')).toMatchObject({ exitCode: 2, stderr: refusal });
  await succeeds('package', 'recover-purged');
  cpSync(prepared('src/three'), at('src/three'), { recursive: true });
  await succeeds('build');
  expect(versions()).toEqual([]);
});

it('a build publishes again what later publications added, and verify names no file of it as foreign', async () => {
  copy('older', announcement, manifest, root);
  mkdirSync(at('src/new'));
  writeFileSync(at('src/new/composer.json'), '{"name": "acme/new", "version": "1.0.0"}');
  await succeeds('build');
  putBack('older');
  const { exitCode, stderr } = await libretto('verify');
  expect([exitCode, stderr]).toEqual([1, refusal]);
  expect(stderr).not.toContain('acme/new');
  await succeeds('package', 'recover-purged');
  await succeeds('build');
  expect(versions()).toEqual(['acme/hello@1.2.0', 'acme/new@1.0.0']);
  expect(serial(), 'I6').toBeGreaterThan(4);
  await succeeds('verify');
});
