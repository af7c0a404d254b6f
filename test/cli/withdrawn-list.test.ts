// Tests a lost or emptied list of versions withdrawn by hand (`index/_withheld.json`): every command that could publish
// a withdrawn version again refuses, and the printed repair restores the list.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withChecksum } from '../../build/contract/checksum.ts';
import { zipOf } from '../util/hostile-zip.ts';
import { below } from '../util/package-tree.ts';
import { registryCopy } from '../util/registry-copy.ts';
import { whoLibrary } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

const list = 'index/_withheld.json';

const { at, data, libretto, succeeds, versions } = registryCopy(
  {
    ...below('src/one', whoLibrary('acme/hello', '1.0.0')),
    ...below('src/two', whoLibrary('acme/hello', '1.1.0')),
    ...below('src/other', whoLibrary('acme/other', '1.0.0')),
    'upload.zip': zipOf([
      { name: 'composer.json', data: JSON.stringify({ name: 'acme/hello', version: '1.1.0', type: 'library' }) },
    ]),
  },
  async () => {
    await succeeds('build', 'src');
    await succeeds('package', 'withdraw', 'acme/hello', '1.1.0');
    await succeeds('package', 'withdraw', 'acme/other', '1.0.0');
  },
);

interface Report {
  readonly faults: readonly { readonly code: string; readonly path: string; readonly message: string }[];
  readonly notices: readonly { readonly path: string; readonly message: string }[];
}

const verify = async (): Promise<Report> => JSON.parse((await libretto('verify', '--json')).stdout) as Report;
const faults = async (): Promise<readonly string[]> =>
  (await verify()).faults.map(({ code, path }) => `${code} ${path}`);

/** Writes the file as a release of Libretto did whose announcement had neither list. */
function announceNothing(path: string): void {
  const {
    purged: _,
    withheld: __,
    sha256: ___,
    ...kept
  } = JSON.parse(readFileSync(data(path), 'utf8')) as Record<string, unknown>;
  writeFileSync(data(path), withChecksum(JSON.stringify(kept)));
}

describe('a lost list of withdrawn versions', () => {
  it('ends a backup, and an upload is refused with the lost file and the way back', async () => {
    rmSync(data(list));
    expect(await libretto('backup', 'kept')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /No backup was made\. index\/_withheld\.json is lost.*`libretto package withdraw acme/,
      ) as string,
    });
    expect(existsSync(at('kept'))).toBe(false);
    writeFileSync(data(list), '{');
    expect((await libretto('build')).stderr).toMatch(/is damaged.*names acme\/hello 1\.1\.0, acme\/other 1\.0\.0\./);
    // as a server runs an upload and a withdrawal
    for (const args of [
      ['artifact', 'publish', 'upload.zip'],
      ['package', 'withdraw', '--child', 'acme/hello', '1.0.0'],
    ]) {
      const { stdout } = await libretto(...args);
      expect([args, JSON.parse(stdout || '{}')]).toMatchObject([
        args,
        {
          outcome: 'refused',
          code: 'TREE_DAMAGED',
          message: expect.stringMatching(/index\/_withheld\.json.*newest backup.*`libretto verify`/) as string,
        },
      ]);
      // a version that the uploader may not see
      expect(stdout).not.toContain('acme/other');
    }
  });

  itInSeries('stops every command that publishes, and verify and doctor name the file and the way back', async () => {
    const damages: readonly [string, () => void, string][] = [
      ['lost', () => rmSync(data(list)), `MISSING_FILE ${list}`],
      ['emptied', () => writeFileSync(data(list), '{"format": 1, "versions": []}\n'), `MALFORMED_INDEX ${list}`],
    ];
    rmSync(data('build/sources'), { recursive: true });
    for (const [what, damage, fault] of damages) {
      damage();
      expect(await faults(), what).toEqual([fault]);
      expect((await verify()).faults[0]?.message, what).toContain('`libretto package withdraw acme/hello 1.1.0`');
      expect((await libretto('doctor')).stdout, what).toContain(list);
      for (const args of [
        ['build'],
        ['build', 'src'],
        ['publish', 'upload.zip'],
        ['package', 'restore', 'acme/hello', '1.1.0'],
        ['package', 'withdraw', 'acme/hello', '1.0.0'],
        ['rollback', '1'],
      ]) {
        const { exitCode, stderr } = await libretto(...args);
        expect([args, exitCode, stderr], what).toEqual([args, 2, expect.stringContaining(list) as string]);
        expect(stderr, what).toContain('acme/hello 1.1.0, acme/other 1.0.0');
      }
      expect(versions(), what).toEqual(['acme/hello@1.0.0']);
    }
  });

  it('is restored completely by the withdrawal of one version, beside a lost packages.json or announcement', async () => {
    const whole = readFileSync(data(list), 'utf8');
    for (const besides of ['public/packages.json', 'index/_publication.json']) {
      const prune = besides === 'index/_publication.json';
      if (prune) {
        writeFileSync(at('src/one/composer.json'), '{"name": "acme/hello", "version": "1.0.1"}');
        await succeeds('build', 'src', '--keep', '1');
        await succeeds('prune', '--keep-for', '0');
        expect(existsSync(data('public/dist/acme/hello/1.1.0.zip'))).toBe(false);
      }
      rmSync(data(list));
      // the manifest also knows what the announcement names
      rmSync(data(besides));
      await succeeds('package', 'withdraw', 'acme/hello', '1.1.0');
      expect(readFileSync(data(list), 'utf8')).toBe(whole);
      // a build without a memory compares everything
      rmSync(data('build/manifest.json'));
      await succeeds('build', 'src');
      expect([await faults(), versions()]).toEqual([[], [`acme/hello@${prune ? '1.0.1' : '1.0.0'}`]]);
    }
  });

  itInSeries('of an older version is announced by the next build; until then verify and doctor report it', async () => {
    for (const path of ['index/_publication.json', 'build/manifest.json']) announceNothing(path);
    const { faults: none, notices } = await verify();
    expect([none, notices]).toEqual([
      [],
      [{ path: list, message: expect.stringContaining('`libretto build`') as string }],
    ]);
    expect((await libretto('doctor')).stdout).toContain(list);
    await succeeds('build');
    expect(await verify()).toMatchObject({ faults: [], notices: [] });
    rmSync(data(list));
    expect(await libretto('build')).toMatchObject({ exitCode: 2 });
  });
});
