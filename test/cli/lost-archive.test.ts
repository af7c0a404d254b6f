// Tests that a lost archive never stops the builds of a registry. A build restores the archive of a dev version, and
// never rebuilds the archive of a release (I3). Where no source has the bytes, a build names the file and the way back.

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { below } from '../util/package-tree.ts';
import { registryCopy } from '../util/registry-copy.ts';
import type { CliOutcome } from '../util/run-cli.ts';
import { whoLibrary } from '../util/who-library.ts';

const archives = 'public/dist/acme/hello';
const plain = `${archives}/dev-main.zip`;

const { at, data, libretto, lose } = registryCopy(
  {
    ...below('r/one', whoLibrary('acme/hello', '1.0.0')),
    ...below('r/dev', whoLibrary('acme/hello', undefined)),
    ...below('other', whoLibrary('acme/other', '1.0.0')),
  },
  async () => {
    expect(await libretto('build', './r')).toMatchObject({ exitCode: 0 });
    const name = readdirSync(data(archives)).find((file) => file.startsWith('dev-main@'));
    pinned = `${archives}/${name ?? ''}`;
  },
);
let pinned: string;

const bytes = (path: string): string => readFileSync(data(path), 'latin1');

/** Follows the advice of `verify`, which does not begin with a backup where a build can restore the archive. */
async function follow(): Promise<CliOutcome> {
  const { exitCode, stderr } = await libretto('verify');
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('which makes the archive again from its source')]);
  lose('build/manifest.json');
  return libretto('build');
}

describe('the lost archive of a dev version', () => {
  it.each([
    ['comes back from its plain copy', () => lose(pinned)],
    ['comes back from its source, with the plain copy', () => lose(pinned, plain)],
    [
      'comes back where the file was cut off',
      () => (lose(plain), writeFileSync(data(pinned), bytes(pinned).slice(0, 99), 'latin1')),
    ],
  ])('%s', async (_, damage) => {
    const before = [bytes(pinned), bytes(plain)];
    damage();
    expect(await follow()).toMatchObject({ exitCode: 0 });
    expect([bytes(pinned), bytes(plain)]).toEqual(before);
    expect(await libretto('verify')).toMatchObject({ exitCode: 0 });
    expect((await libretto('build')).stdout).toContain('Nothing has changed');
  });

  it('stops no build where the source is gone: the build names the file and the way back', async () => {
    lose(pinned, plain, 'build/manifest.json');
    rmSync(at('r/dev'), { recursive: true });
    cpSync(at('other'), at('r/other'), { recursive: true });
    const { exitCode, stdout, stderr } = await libretto('build', './other');
    expect([exitCode, stdout + stderr]).toEqual([0, expect.stringContaining('+ acme/other 1.0.0')]);
    expect(stdout + stderr).toMatch(
      /public\/dist\/acme\/hello\/dev-main@\w+\.zip is lost or truncated\. Restore it from a backup; or run `libretto build --data \S+` without/,
    );
  });
});

it('a build never rebuilds the lost archive of a release', async () => {
  lose(`${archives}/1.0.0.zip`, 'build/manifest.json');
  expect(await libretto('build')).toMatchObject({ exitCode: 0 });
  expect(readdirSync(data(archives))).not.toContain('1.0.0.zip');
  expect((await libretto('verify')).stderr).toContain('a build never makes an archive of a released version twice');
});
