// Tests commands that read a published tree with a lost or damaged announcement, packages.json or index. Each names the
// file and the next step, and none claims that nothing was published.

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { below } from '../util/package-tree.ts';
import { registryCopy } from '../util/registry-copy.ts';
import { whoLibrary } from '../util/who-library.ts';
import { firstOf, itInSeries, sampleOf } from '../util/series.ts';

const [announcement, root] = ['index/_publication.json', 'public/packages.json'] as const;

const { at, data, libretto } = registryCopy(
  {
    ...below('r/lib', whoLibrary('acme/lib', '1.0.0')),
    ...below('r/other', whoLibrary('acme/other', '1.0.0')),
  },
  async () => expect(await libretto('build', './r')).toMatchObject({ exitCode: 0 }),
);

const damages: Readonly<Record<string, (path: string) => void>> = {
  missing: () => undefined,
  garbled: (path) => writeFileSync(path, '{"packages":'),
  'a folder': (path) => mkdirSync(path),
  'refused by the system': (path) => symlinkSync(basename(path), path),
};
const cases = [announcement, root].flatMap((path) =>
  Object.entries(damages).map(([how, damage]) => [path, how, damage] as const),
);

it.each(sampleOf(cases, 4))('status names %s that is %s', async (path, _, damage) => {
  rmSync(data(path));
  damage(data(path));
  for (const command of [['status'], ['status', '--json']]) {
    const { exitCode, stdout, stderr } = await libretto(...command);
    expect([command, exitCode, stdout]).toEqual([command, 2, '']);
    expect(stderr).toContain(`${path} `);
    expect(stderr).toMatch(/Run `libretto verify --data \S+`: it names the damage and the repair\.$/);
    expect(stderr).not.toMatch(/unexpected|Nothing is published/);
  }
});

it.each(sampleOf(cases, 4))('package withdraw repairs or names %s that is %s', async (path, how, damage) => {
  rmSync(data(path));
  damage(data(path));
  const { exitCode, stderr } = await libretto('package', 'withdraw', 'acme/lib', '1.0.0');
  if (how === 'missing' || how === 'garbled') {
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`${path} was missing or damaged`)]);
    expect(JSON.parse(readFileSync(data(root), 'utf8'))).toMatchObject({ 'available-packages': ['acme/other'] });
    expect((await libretto('verify')).exitCode).toBe(0);
  } else {
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(path)]);
  }
});

it('status names a changed packages.json', async () => {
  const text = readFileSync(data(root), 'utf8').replace('"acme/other"', '"acme/xther"');
  const { mtime } = statSync(data(root));
  writeFileSync(data(root), text);
  utimesSync(data(root), mtime, mtime);
  const { exitCode, stderr } = await libretto('status');
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(/^libretto: public\/packages\.json .* `libretto build --data \S+`/),
  ]);
});

it.each(
  firstOf<[string, string[]]>(
    [
      ['alone', []],
      ['with packages.json', [root]],
      ['with packages.json and the index', [root, 'index']],
      ['with packages.json and the memory of the builder', [root, 'build']],
      ['with the memory of the builder and the index', ['build', 'index']],
    ],
    1,
  ),
)('doctor reports a lost announcement as a fault: %s', async (_, beside) => {
  for (const path of [announcement, ...beside]) rmSync(data(path), { recursive: true, force: true });
  const { exitCode, stdout } = await libretto('doctor');
  expect([exitCode, stdout]).toEqual([
    1,
    expect.stringMatching(/^FAILED +tree .*(?:_publication\.json is missing\.|index is lost: )/m),
  ]);
  expect(stdout).not.toContain('Nothing is published');
});

itInSeries('a folder without a publication is not reported as damage', async () => {
  rmSync(data('.'), { recursive: true });
  mkdirSync(data('build'), { recursive: true });
  expect((await libretto('doctor')).stdout).toMatch(/^WARNING +tree +Nothing is published\./m);
  await libretto('restore', '--empty');
  expect(await libretto('status')).toMatchObject({ exitCode: 0 });
  expect((await libretto('package', 'withdraw', 'acme/lib', '1.0.0')).stderr).toContain('Nothing is published in');
});

it.each([
  [announcement, [announcement]],
  [root, [root]],
  ['index/acme/lib.json', ['index/acme/lib.json']],
  ['index/acme/lib.json', ['index/acme/lib.json', 'public/p2/acme/lib.json', 'public/dist/acme/lib']],
])('backup refuses a tree without %s', async (named, lost) => {
  for (const path of lost) rmSync(data(path), { recursive: true });
  const { exitCode, stdout, stderr } = await libretto('backup', 'copy');
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^libretto: No backup was made\. .* Run `libretto verify --data \S+`/);
  expect(stderr).toContain(`${named} is missing`);
  expect(existsSync(at('copy'))).toBe(false);
});

it.each([
  ['its documents are there', []],
  ['its documents are lost too', ['public/p2/acme/lib.json']],
])('why names the lost index of a published package: %s', async (_, beside) => {
  for (const path of ['index/acme/lib.json', ...beside]) rmSync(data(path));
  for (const version of [[], ['1.0.0']]) {
    const { exitCode, stdout, stderr } = await libretto('why', 'acme/lib', ...version);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /index\/acme\/lib\.json is missing, .* acme\/lib is published; run `libretto verify --data \S+`/,
    );
  }
  expect(await libretto('why', 'acme/other')).toMatchObject({ exitCode: 0 });
});
