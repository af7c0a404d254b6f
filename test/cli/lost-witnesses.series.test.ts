// Tests that the announcement and the manifest name the rows of the lists of purged and withdrawn versions (I21). While
// one of the two is lost, no advice gives the other up. Where both are lost, history still names purges and
// withdrawals.

import { rmSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { leakedSecret as secret, packageContaining } from '../util/leaked-version.ts';
import { registryCopy } from '../util/registry-copy.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';

const [announcement, manifest] = ['index/_publication.json', 'build/manifest.json'] as const;
const [tombstones, withdrawn] = ['index/_purged.json', 'index/_withheld.json'] as const;

/** 1.1.0 is purged, 1.0.0 is withdrawn, and 1.2.0 is published. */
const { at, data, libretto, succeeds, lose, versions } = registryCopy(
  {
    ...packageContaining('src/one', '1.0.0', 'first'),
    ...packageContaining('src/two', '1.1.0', secret),
    ...packageContaining('src/three', '1.2.0', 'third'),
    ...packageContaining('upload', '2.0.0', 'fourth'),
  },
  async () => {
    await succeeds('build', 'src');
    await succeeds('package', 'purge', 'acme/hello', '1.1.0', '--reason', 'secret', '--yes');
    await succeeds('package', 'withdraw', 'acme/hello', '1.0.0');
  },
);

it.each([[[announcement, tombstones]], [[announcement]], [[tombstones]], [[withdrawn]]])(
  'verify never advises to remove the manifest while %s is lost',
  async (lost) => {
    lose(...lost, 'public/p2/acme/hello.json');
    const { exitCode, stderr } = await libretto('verify');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`First follow the advice for ${lost[0]}`)]);
    expect(stderr).not.toMatch(/(?:and|emove) build\/manifest\.json/);
    lose('index/acme/hello.json');
    expect((await libretto('verify')).stderr).not.toMatch(/(?:and|emove) build\/manifest\.json/);
  },
);

it('verify advises to remove only a damaged announcement, and to name the sources if no file names them', async () => {
  const advice = (how: string, rest: string): RegExp => new RegExp(`or ${how} \`libretto build --data \\S+\`${rest}`);
  const known = ', which writes it again: build/manifest.json names the sources';
  const unknown = ' with every source named, and artifact:DATA/';
  writeFileSync(data(announcement), '{');
  expect((await libretto('verify')).stderr).toMatch(advice('remove it and run', known));
  lose(announcement);
  expect((await libretto('verify')).stderr).toMatch(advice('run', known));
  lose(manifest);
  expect((await libretto('verify')).stderr).toMatch(advice('run', unknown));
});

describe('a build without announcement and manifest', () => {
  it.each([
    [tombstones, 'It lacks tombstones that the announcement names: acme/hello 1.1.0'],
    [withdrawn, 'It lacks versions that the announcement names: acme/hello 1.0.0'],
  ])('refuses where %s lacks entries that history names, and the advice restores the list', async (list, message) => {
    lose(announcement, manifest, list);
    const refused = await libretto('build', 'src');
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await libretto('verify')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(message) as string });
    await (list === tombstones
      ? succeeds('package', 'recover-purged')
      : succeeds('package', 'withdraw', 'acme/hello', '1.0.0'));
    await succeeds('build', 'src');
    expect(versions()).toEqual(['acme/hello@1.2.0']);
    await succeeds('verify');
  });

  it('continues where both lists exist', async () => {
    lose(announcement, manifest);
    const { exitCode, stdout, stderr } = await libretto('build', 'src');
    expect([exitCode, stdout + stderr]).toEqual([0, expect.not.stringContaining('WARNING: index/_publication')]);
    expect(versions()).toEqual(['acme/hello@1.2.0']);
  });

  describe('and without the lists and history, while the tree proves no purge', () => {
    beforeEach(() => lose(announcement, manifest, tombstones, withdrawn, 'build/history'));

    it.each([
      [['build', 'src']],
      [['publish', 'upload']],
      [['package', 'withdraw', 'acme/hello', '1.2.0']],
      [['package', 'purge', 'acme/hello', '1.2.0', '--reason', 'secret', '--yes']],
    ])('%j is refused, and the way back takes purges and withdrawals from the state', async (command) => {
      const { exitCode, stderr } = await libretto(...command);
      expect([exitCode, stderr]).not.toEqual([0, expect.anything()]);
      expect(stderr).toMatch(
        /index\/_purged\.json and index\/_withheld\.json[^]*`libretto package recover-purged --data \S+`/,
      );
      expect((await libretto('package', 'recover-purged')).stdout).toContain('acme/hello 1.1.0');
      const next = await libretto('build', 'src');
      expect([next.exitCode, next.stderr]).toEqual([2, expect.stringContaining('package withdraw acme/hello 1.0.0')]);
      await succeeds('package', 'withdraw', 'acme/hello', '1.0.0');
      await succeeds('build', 'src');
      expect(versions()).toEqual(['acme/hello@1.2.0']);
      await succeeds('verify');
      await succeeds('audit', 'verify');
    });
  });

  it('a recovery without the state says that no withdrawal is on record, and `package withdraw` repeats one', async () => {
    const unknown = 'No record of a withdrawal was found';
    expect((await libretto('package', 'recover-purged')).stdout).not.toContain(unknown);
    const copy = await libretto('package', 'list', '--purged', '--json');
    writeFileSync(at('purged.json'), copy.stdout);
    lose(announcement, manifest, tombstones, withdrawn, 'build/history', 'state', 'state.json');
    const [planned, recovered] = [
      await libretto('package', 'recover-purged', 'purged.json', '--dry-run'),
      await libretto('package', 'recover-purged', 'purged.json', '--yes'),
    ];
    for (const { exitCode, stdout } of [planned, recovered])
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining(unknown)]);
    expect(recovered.stdout).toContain('`libretto package withdraw PACKAGE VERSION --data ');
    await succeeds('package', 'withdraw', 'acme/hello', '1.0.0');
    await succeeds('build', 'src');
    expect(versions()).toEqual(['acme/hello@1.2.0']);
    expect((await libretto('package', 'recover-purged')).stdout).not.toContain(unknown);
  });

  it('warns where packages.json is lost too: nothing proves that no version was purged', async () => {
    lose(announcement, manifest, tombstones, withdrawn, 'build/history', 'public/packages.json');
    const { exitCode, stdout, stderr } = await libretto('build', 'src');
    expect([exitCode, stdout + stderr]).toEqual([
      0,
      expect.stringContaining('nothing proves that no version was purged'),
    ]);
  });

  it('a registry without purges continues after a recovery that finds no tombstone', async () => {
    const other = (...args: readonly string[]): Promise<CliOutcome> =>
      runCli([...args, '--data', 'other'], { cwd: at() });
    expect(await other('build', 'src')).toMatchObject({ exitCode: 0 });
    const loseThere = (...paths: readonly string[]): void =>
      paths.forEach((path) => rmSync(at('other', path), { recursive: true }));
    loseThere(announcement, manifest);
    expect(await other('build', 'src'), 'its history names no purge').toMatchObject({ exitCode: 0 });
    loseThere(announcement, manifest, 'build/history');
    expect(await other('build', 'src')).toMatchObject({ exitCode: 2 });
    expect(await other('package', 'recover-purged')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('No record of a purge was found') as string,
    });
    expect(await other('build', 'src')).toMatchObject({ exitCode: 0 });
    expect(await other('verify')).toMatchObject({ exitCode: 0 });
  });
});

describe('a build after a lost announcement', () => {
  beforeEach(async () => {
    await succeeds('publish', 'upload');
    lose(announcement, manifest);
  });

  it('names the lost announcement where no source is named', async () => {
    const { exitCode, stderr } = await libretto('build');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('index/_publication.json is lost')]);
    expect(stderr).toContain('every source named');
  });

  it('excludes no upload: the build refuses, and the advice restores every version', async () => {
    const refused = await libretto('build', 'src');
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('artifacts/ has uploads')]);
    const named = /`libretto build SOURCE… (artifact:\S+) --data \S+`/.exec(refused.stderr)?.[1] ?? '';
    await succeeds('build', 'src', named);
    expect(versions()).toEqual(['acme/hello@1.2.0', 'acme/hello@2.0.0']);
    await succeeds('verify');
    expect((await libretto('build')).stdout).toContain('Nothing has changed');
  });
});
