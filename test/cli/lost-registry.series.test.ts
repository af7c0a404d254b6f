// Tests a data folder that lost its announcement together with packages.json, the manifest and indexes. The advice of
// each command restores the whole registry: every package and every upload is published again, and no archive is lost.

import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withChecksum } from '../../build/contract/checksum.ts';
import { below } from '../util/package-tree.ts';
import { registryCopy } from '../util/registry-copy.ts';
import { whoLibrary } from '../util/who-library.ts';

const announcement = 'index/_publication.json';
const roots = [announcement, 'public/packages.json', 'build/manifest.json'] as const;
const library = ['index/acme/lib.json', 'public/p2/acme/lib.json', 'public/p2/acme/lib~dev.json'] as const;
const all = ['acme/hidden@1.0.0', 'acme/lib@1.0.0', 'acme/lib@2.0.0', 'acme/lib@dev-main', 'acme/up@1.0.0'];

/** acme/lib 2.0.0 and acme/up are uploads. */
const { at, data, libretto, succeeds, lose, versions } = registryCopy(
  {
    ...below('r/one', whoLibrary('acme/lib', '1.0.0')),
    ...below('r/main', whoLibrary('acme/lib', 'dev-main')),
    ...below('r2/hidden', whoLibrary('acme/hidden', '1.0.0')),
    ...below('two', whoLibrary('acme/lib', '2.0.0')),
    ...below('three', whoLibrary('acme/lib', '3.0.0')),
    ...below('up', whoLibrary('acme/up', '1.0.0')),
  },
  async () => {
    await succeeds('build', './r', './r2');
    await succeeds('publish', 'two');
    await succeeds('publish', 'up');
    expect(versions()).toEqual(all);
  },
);

describe('a package that lost its index', () => {
  it('is counted as damaged by status, and named by a build and a rollback that change nothing', async () => {
    lose('index/acme/hidden.json');
    expect((await libretto('status')).stdout).toMatch(
      /^published +2 packages, 4 versions\ndamaged +1 package: `libretto verify --data \S+` names the repair$/m,
    );
    const warning = 'WARNING The index of acme/hidden is lost: index/acme/hidden.json. Run `libretto verify --data ';
    for (const command of [['build'], ['rollback', '3']])
      expect(await libretto(...command)).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(/^Nothing/) as string,
        stderr: expect.stringContaining(warning) as string,
      });
  });
});

describe('a registry without announcement, packages.json and manifest', () => {
  it.each([
    ['the index and the documents of one package', library],
    ['all indexes and documents', ['index', 'public/p2']],
    ['index/ and public/', ['index', 'public']],
  ])('and without %s is restored completely by the advice of verify and build', async (_, lost) => {
    lose(...roots, ...lost);
    const { exitCode, stderr } = await libretto('verify');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`${announcement}: The announcement of the last`)]);
    expect(stderr).toMatch(
      /run `libretto build --data \S+` with every source named, and artifact:DATA\/artifacts for uploads/,
    );
    expect(stderr).toContain(`There is no packages.json. Follow the advice for ${announcement}`);
    expect(stderr).not.toMatch(/FOREIGN_FILE|[Rr]emove it/);
    const refused = await libretto('build');
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`${announcement} is lost`)]);
    const uploads = /`libretto build SOURCE… (artifact:\S+) --data \S+`/.exec(refused.stderr)?.[1] ?? '';
    const forgotten = await libretto('build', './r', './r2');
    expect([forgotten.exitCode, forgotten.stderr]).toEqual([2, expect.stringContaining('artifacts/ has uploads')]);
    await buildWhole(['build', './r', './r2', uploads]);
    expect(versions()).toEqual(all);
    await succeeds('verify');
    expect((await libretto('build')).stdout).toContain('Nothing has changed');
  });
});

it('a folder without a publication has nothing to build and no lost file', async () => {
  rmSync(data(''), { recursive: true });
  mkdirSync(data('public'), { recursive: true });
  writeFileSync(data('public/notes.txt'), 'mine');
  const { exitCode, stderr } = await libretto('build');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('There is nothing to build')]);
  await libretto('restore', '--empty');
  expect((await libretto('verify')).stderr).toMatch(/There is no packages\.json\. Run `libretto build --data \S+`\./);
});

describe('an archive next to a lost or wrong index', () => {
  const damages: Readonly<Record<string, () => void>> = {
    'the index of another package': () => cpSync(data('index/acme/up.json'), data(library[0])),
    'no index, no documents, and no packages.json': () => lose(...library, 'public/packages.json'),
    'no index and no documents': () => lose(...library),
  };

  it.each(Object.entries(damages))('is not removed on advice: %s', async (_, damage) => {
    damage();
    const { stderr } = await libretto('verify');
    expect(stderr).toContain(`${library[0]}: `);
    expect(stderr).not.toMatch(/^ *public\/dist\/|FOREIGN_FILE/m);
  });

  it('is not removed on advice where the package is withdrawn, and the advice restores the index', async () => {
    for (const version of ['1.0.0', '2.0.0', 'dev-main']) await succeeds('package', 'withdraw', 'acme/lib', version);
    lose(library[0]);
    const { stderr } = await libretto('verify');
    expect(stderr).toContain(`${library[0]}: The serving index of this package is missing`);
    expect(stderr).not.toMatch(/^ *public\/dist\/|FOREIGN_FILE/m);
    lose('build/manifest.json');
    await succeeds('build');
    await succeeds('verify');
    // the recovered index knows the archive, and not the reference: so the version counts as changed
    const restored = await libretto('package', 'restore', 'acme/lib', '2.0.0');
    expect([restored.exitCode, restored.stdout + restored.stderr]).toEqual([
      1,
      expect.stringContaining('VERSION_CHANGED'),
    ]);
    await succeeds('build', '--allow-republish');
    expect(versions()).toContain('acme/lib@2.0.0');
    await succeeds('verify');
  });

  it('that no file names is moved away on advice, and not removed', async () => {
    cpSync(data('public/dist/acme/lib/1.0.0.zip'), data('public/dist/acme/lib/9.0.0.zip'));
    const { exitCode, stderr } = await libretto('verify');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('If acme/lib never published this archive, move')]);
    expect(stderr).not.toMatch(/[Rr]emove it/);
  });
});

describe('a folder in the place of an archive', () => {
  it.each([
    ['the plain copy of a dev version', ['public/dist/acme/lib/dev-main.zip']],
    ['the same, and the manifest is lost', ['public/dist/acme/lib/dev-main.zip', 'build/manifest.json']],
  ])('stops a publication before readers see a part of it: %s', async (_, [archive = '', ...lost]) => {
    lose(archive, ...lost);
    mkdirSync(data(archive));
    const { exitCode, stderr } = await libretto('publish', 'three');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${archive} is a folder`)]);
    expect(versions()).toEqual(all);
    const found = await libretto('verify');
    expect([found.exitCode, found.stderr]).toEqual([1, expect.stringContaining(`${archive}: It is a folder`)]);
    expect(found.stderr).toMatch(/Move the folder away, and run `libretto verify --data \S+`/);
    moveAway(archive);
    expect((await libretto('verify')).stderr).toMatch(
      /Remove build\/manifest\.json and run `libretto build --data \S+`/,
    );
    rmSync(data('build/manifest.json'), { force: true });
    await succeeds('build');
    await succeeds('publish', 'three');
    await succeeds('verify');
    expect(versions()).toEqual([...all, 'acme/lib@3.0.0'].toSorted());
  });

  it('is found by verify during a publication and after a cut-off one, and verify mentions the publication', async () => {
    cutOff();
    const found = await libretto('verify');
    expect([found.exitCode, found.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^Notice: build\/manifest\.json: A publication is under way, or was interrupted\. If nothing is running, run the interrupted command again, which completes it: `libretto build --data \S+`, or the same `receive` or `adopt`\.$/,
      ),
    ]);
    expect((await libretto('doctor')).stdout).toMatch(/WARNING +tree .*was interrupted/);
    lose('public/dist/acme/lib/dev-main.zip');
    mkdirSync(data('public/dist/acme/lib/dev-main.zip'));
    expect(await libretto('verify')).toMatchObject({ exitCode: 1 });
    moveAway('public/dist/acme/lib/dev-main.zip');
    await succeeds('build');
    expect(await libretto('verify')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(versions()).toEqual(all);
  });
});

/** Makes the manifest that of a later publication without any other file. */
function cutOff(): void {
  const path = data('build/manifest.json');
  const { sha256: _checksum, ...manifest } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  writeFileSync(path, withChecksum(JSON.stringify({ ...manifest, serial: Number(manifest['serial']) + 1 })));
}

/** Builds, and moves away each unknown package, as the refusal advises. */
async function buildWhole(command: readonly string[], steps = 4): Promise<void> {
  const { exitCode, stderr } = await libretto(...command);
  if (exitCode === 0) return;
  const moved = /move what there is of (\S+), (\S+), (\S+) and (\S+) to another place/.exec(stderr);
  expect([steps, stderr]).toEqual([expect.any(Number), expect.stringContaining('Name every source there while')]);
  if (steps === 0 || moved === null) throw new Error(stderr);
  moved.slice(1).forEach(moveAway);
  await buildWhole([...command.filter((part) => part !== '--allow-withdraw'), '--allow-withdraw'], steps - 1);
}

function moveAway(path: string): void {
  if (!existsSync(data(path))) return;
  mkdirSync(dirname(at('away', path)), { recursive: true });
  renameSync(data(path), at('away', path));
}
