// Tests builds on damaged data folders: the parts that a build restores, the remains of a cut-off publication, and the
// refused data folders.
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BuildRequest } from '../../../build/scan/build-request.ts';
import { librettoVersion } from '../../../build/contract/libretto-version.ts';
import type { BuildReport } from '../../../build/contract/build-report.ts';
import type { PublicPath } from '../../../build/contract/paths.ts';
import { formatManifest, type Manifest } from '../../../build/memory/manifest.ts';
import { verifyTree } from '../../../build/inspect/verify.ts';
import { trackLastModified } from '../../util/last-modified-tracker.ts';
import { buildSeries, type BuildSeries } from '../../util/build-series.ts';
import { below, type TemporaryTree } from '../../util/package-tree.ts';
import { allFiles, publishedTree, publishedVersions } from '../../util/published-tree.ts';
import { whoLibrary } from '../../util/who-library.ts';

let tree: TemporaryTree;
let data: string;
let series: BuildSeries;

beforeEach(() => {
  series = buildSeries();
  ({ tree, data } = series);
});
afterEach(() => tree.remove());

const run = (sources: readonly string[], more: Partial<BuildRequest> = {}): Promise<BuildReport> =>
  series.run({ arguments: sources, ...more });

function put(
  folder: string,
  version: string | undefined,
  who = 'a',
  fields: Readonly<Record<string, unknown>> = {},
): void {
  tree.write(below(folder, whoLibrary('acme/hello', version, fields, who)));
}

const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(allFiles(folder).map((path) => [path, readFileSync(join(folder, path), 'latin1')]));
const versions = (): string[] => Object.keys(publishedVersions(data)).toSorted();
const codes = (report: BuildReport): string[] => report.quarantined.map(({ code }) => code);

describe('builds of damaged data folders', () => {
  const damages: Readonly<Record<string, readonly string[]>> = {
    "the builder's memory lost": ['build'],
    'the manifest lost': ['build/manifest.json'],
    'the announcement lost': ['index/_publication.json'],
    'a serving index lost': ['index/acme/hello.json', 'build'],
    'packages.json lost': ['public/packages.json'],
    'a document lost': ['public/p2/acme/hello.json', 'build'],
  };
  for (const [title, paths] of Object.entries(damages)) {
    it(`row 61: ${title}: the next build gives the same tree`, async () => {
      put('one/x', '1.0.0');
      put('one/y', undefined, 'a');
      await run(['one']);
      put('one/y', undefined, 'b');
      await run(['one']);
      const before = publishedTree(data);
      for (const path of paths) rmSync(join(data, path), { recursive: true });
      const { notices } = await run(['one']);
      expect(notices.map(({ message }) => message).join()).toContain('missing or damaged');
      expect(publishedTree(data)).toEqual(before);
      expect(await verifyTree(data)).toMatchObject({ ok: true });
    });
  }

  it('a copy with new times is reported as a copy, and an equal packages.json gets a later time', async () => {
    put('one/x', '1.0.0');
    await run(['one']);
    const before = publishedTree(data);
    const root = join(data, 'public/packages.json');
    for (const path of allFiles(data)) utimesSync(join(data, path), new Date(), new Date());
    const { mtimeMs } = statSync(root);
    const { notices } = await run(['one']);
    expect(notices.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Only the time of public\/packages\.json differs .* `cp -a` keeps them/),
    ]);
    expect(publishedTree(data)).toEqual(before);
    expect(statSync(root).mtimeMs).toBeGreaterThanOrEqual(Math.floor(mtimeMs / 1000) * 1000);
  });

  it('row 61: corrupt files are treated as lost', async () => {
    put('one/x', '1.0.0');
    await run(['one']);
    const before = publishedTree(data);
    for (const path of [
      'build/manifest.json',
      'index/_publication.json',
      'index/acme/hello.json',
      'public/packages.json',
    ])
      writeFileSync(join(data, path), '{"half":');
    await run(['one']);
    expect(publishedTree(data)).toEqual(before);
    expect(await verifyTree(data)).toMatchObject({ ok: true });
  });

  it('verify reports the damaged index and no archives of that index', async () => {
    put('one/x', '1.0.0');
    await run(['one']);
    writeFileSync(join(data, 'index/acme/hello.json'), 'junk');
    expect((await verifyTree(data)).faults.map(({ code }) => code)).toEqual(['MALFORMED_INDEX']);
  });

  it('a build stops when index and documents of a package are both damaged, and names the package', async () => {
    put('one/x', '1.0.0');
    await run(['one']);
    for (const path of ['build/manifest.json', 'index/acme/hello.json', 'public/p2/acme/hello.json'])
      writeFileSync(join(data, path), '{"half":');
    await expect(run(['one'])).rejects.toThrow('public/p2/acme/hello.json');
  });

  it('without its announcement a build of one source keeps the versions of the other sources published', async () => {
    put('one/x', '1.0.0');
    put('two/x', '2.0.0');
    await run(['one', 'two']);
    rmSync(join(data, 'index/_publication.json'));
    await run(['one']);
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@2.0.0']);
  });

  it('I6: the next build completes a publication that was cut off before its announcement, and the serial rises', async () => {
    put('one/x', '1.0.0');
    await run(['one']);
    const manifest = JSON.parse(readFileSync(join(data, 'build/manifest.json'), 'utf8')) as { serial: number };
    writeFileSync(join(data, 'build/manifest.json'), JSON.stringify({ ...manifest, serial: 2 }));
    writeFileSync(join(data, 'public/p2/acme/hello.json'), '{"packages":{"acme/hello":{}}}');
    const report = await run([]);
    expect(report.serial).toBe(3);
    expect(report.notices.map(({ message }) => message)).toEqual([
      'The previous build was interrupted while it published. This build completes the publication: acme/hello.',
    ]);
    expect(versions()).toEqual(['acme/hello@1.0.0']);
  });

  it('I6: the serial rises where announcement and manifest are lost, because the history records contain it', async () => {
    put('one/x', '1.0.0');
    await run(['one']);
    put('one/x', '1.1.0');
    const { serial } = await run(['one']);
    for (const path of ['build/manifest.json', 'index/_publication.json']) rmSync(join(data, path));
    expect((await run(['one'])).serial).toBeGreaterThan(serial);
    expect(await verifyTree(data)).toMatchObject({ ok: true });
  });

  it('a damaged or hand-dated document never gets a date again that it had with other bytes', async () => {
    put('one/x', '1.0.0');
    await run(['one']);
    const dates = trackLastModified(data);
    dates.note();
    for (const path of ['public/packages.json', 'public/p2/acme/hello.json']) {
      const { atime, mtime } = statSync(join(data, path));
      writeFileSync(join(data, path), `${readFileSync(join(data, path), 'utf8').trimEnd()} \n`);
      utimesSync(join(data, path), atime, new Date(mtime.getTime() + 3_600_000));
    }
    dates.note();
    rmSync(join(data, 'build'), { recursive: true });
    await run(['one']);
    dates.note();
    put('one/x', '1.1.0');
    await run(['one']);
    dates.note();
    expect(await verifyTree(data)).toMatchObject({ ok: true });
  });

  it('I4: archives of a cut-off publication are no fault, and are removed when their content is not published after all', async () => {
    put('one/x', undefined, 'a');
    await run(['one']);
    const { sha256: _sha256, ...manifest } = JSON.parse(
      readFileSync(join(data, 'build/manifest.json'), 'utf8'),
    ) as Manifest & { sha256: string };
    const left = `dist/acme/hello/dev-main@${'e'.repeat(40)}.zip`;
    writeFileSync(join(data, 'public', left), 'never announced');
    expect(await verifyTree(data)).toMatchObject({ ok: false });
    writeFileSync(
      join(data, 'build/manifest.json'),
      formatManifest({
        ...manifest,
        serial: 2,
        placing: [left, '../escape.zip', 'dist/../../escape.zip'] as PublicPath[],
      }),
    );
    expect(await verifyTree(data)).toMatchObject({ ok: true });
    await run(['one']);
    expect(allFiles(data)).not.toContain(`public/${left}`);
    expect(await verifyTree(data)).toMatchObject({ ok: true });
  });

  it('I5: archives of a first publication that was cut off before its index do not block the next publication', async () => {
    put('one/x', '1.0.0');
    tree.write({
      [`data/public/dist/acme/hello/1.0.0.zip`]: 'never announced',
      'data/build/manifest.json': formatManifest({
        format: 1,
        serial: 1,
        settings: '',
        placing: ['dist/acme/hello/1.0.0.zip'] as PublicPath[],
        stale: [],
      }),
    });
    expect(await verifyTree(data)).toMatchObject({
      ok: true,
      faults: [],
      notices: [
        { message: expect.stringContaining('run the interrupted command again, which completes it') as string },
      ],
    });
    expect(codes(await run(['one']))).toEqual([]);
    expect(versions()).toEqual(['acme/hello@1.0.0']);
    expect(await verifyTree(data)).toMatchObject({ ok: true });
  });

  it.each(['build/manifest.json', 'build/sources/*.json', 'index/_publication.json', 'index/acme/hello.json'])(
    'row 61: for %s of a newer version, build refuses without a write and verify names the file',
    async (pattern) => {
      put('one/x', '1.0.0');
      await run(['one']);
      const path = pattern.replace('*.json', () => readdirSync(join(data, 'build/sources'))[0] ?? '');
      const current = JSON.parse(readFileSync(join(data, path), 'utf8')) as { format: number };
      writeFileSync(join(data, path), JSON.stringify({ ...current, format: 9 }));
      put('one/y', '2.0.0');
      const before = contentsOf(data);
      const message = `${path}: it was written by a newer version of Libretto (format 9; Libretto ${librettoVersion} reads format ${path === 'index/_publication.json' ? 2 : current.format}). Use the newer version here too, or restore a backup from before the upgrade`;
      await expect(run(['one'])).rejects.toThrow(message);
      expect(contentsOf(data)).toEqual(before);
      const { ok, faults } = await verifyTree(data);
      expect({ ok, faults: faults.map(({ code, path: where, message }) => [code, `${where}: ${message}`]) }).toEqual({
        ok: false,
        faults: [['NEWER_FORMAT', `${message}.`]],
      });
    },
  );

  it('a damaged memory of a source is reported and written anew', async () => {
    put('one/x', '1.0.0');
    await run(['one']);
    const [file = ''] = readdirSync(join(data, 'build/sources'));
    writeFileSync(join(data, 'build/sources', file), '{"half":');
    const { notices, serial } = await run(['one']);
    expect({ serial, notices }).toEqual({
      serial: 1,
      notices: [
        {
          source: 'dir:../one',
          message: `build/sources/${file} was damaged. The build read the source again and rebuilt it.`,
        },
      ],
    });
    expect((await run(['one'])).notices).toEqual([]);
  });

  it('row 50: a build refuses dangerous data folders before it writes', async () => {
    put('one/x', '1.0.0');
    await expect(run(['one'], { dataDirectory: tree.path('one', 'var') })).rejects.toThrow('inside the source');
    await expect(run(['one'], { dataDirectory: '/' })).rejects.toThrow('cannot be /');
    tree.write({ file: 'x', 'full/things': 'x' });
    await expect(run(['one'], { dataDirectory: tree.path('file') })).rejects.toThrow('is a file');
    await expect(run(['one'], { dataDirectory: '/proc/libretto/data' })).rejects.toThrow('no folder can be made here');
    tree.write({ nowhere: { link: 'gone' } });
    await expect(run(['one'], { dataDirectory: tree.path('nowhere') })).rejects.toThrow('a broken symbolic link');
    await expect(run(['one'], { dataDirectory: tree.path('full') })).rejects.toThrow('already contains other files');
    await expect(run(['one'], { dataDirectory: homedir() })).rejects.toThrow(`cannot be ${homedir()}`);
    tree.write({
      'elsewhere/x': '',
      'linked/public': { link: '../elsewhere' },
      'filed/index': '',
      'around/inner/x': 'x',
    });
    await expect(run(['one'], { dataDirectory: tree.path('linked') })).rejects.toThrow(
      'linked/public is a symbolic link',
    );
    await expect(run(['one'], { dataDirectory: tree.path('filed') })).rejects.toThrow('filed/index is a file');
    expect(['elsewhere', 'linked', 'filed', 'one'].flatMap((folder) => allFiles(tree.path(folder)))).toEqual([
      'x',
      'index',
      'x/composer.json',
      'x/src/Who.php',
    ]);
  });

  it('row 51: foreign files stay where they are through publications, withdrawals and repairs', async () => {
    put('one/x', '1.0.0');
    put('one/y', undefined, 'a');
    await run(['one']);
    const foreign = [
      'public/robots.txt',
      'public/dist/notes.txt',
      'public/p2/acme/notes.txt',
      'public/dist/acme/hello/2.0.0.zip',
      'index/theirs.txt',
      'build/theirs.txt',
      'theirs.txt',
    ];
    for (const path of foreign) writeFileSync(join(data, path), path);
    put('one/y', undefined, 'b');
    await run(['one']);
    rmSync(join(data, 'build/manifest.json'));
    await run(['one']);
    await run([], { forget: ['one'], allowWithdraw: true });
    expect(readdirSync(join(data, 'public/p2/acme'))).toEqual(['notes.txt']);
    expect(foreign.map((path) => readFileSync(join(data, path), 'utf8'))).toEqual(foreign);
  });
});
