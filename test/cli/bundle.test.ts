// Tests `libretto bundle` and `libretto receive` of its files: what is published arrives byte for byte, also in steps,
// and a bundle that is not what it says changes nothing (row 100).

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleOf, partsOf, rowOf, type BundleParts } from '../util/bundle-bytes.ts';
import { below, writeTree } from '../util/package-tree.ts';
import { allFiles } from '../util/published-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';

const folder = temporaryFolder('bundle');
const libretto = (...args: readonly string[]) => runCli(args, { cwd: folder.path });
const library = (name: string, version: string | undefined, who?: string): void => {
  const files = { ...whoLibrary(name, version, {}, who), 'README.md': `# ${name}\n` };
  writeTree(folder.path, below(`packages/${name}/${version ?? 'head'}`, files));
};
/** path → digest, of every file below public/ */
const publicBytes = (data: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    allFiles(folder.at(data, 'public')).map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(folder.at(data, 'public', path)))
        .digest('hex'),
    ]),
  );
const run = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
  const { exitCode, stdout, stderr } = await libretto(...args, '--json');
  expect([exitCode, stderr], args.join(' ')).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, unknown>;
};
const build = () => run('build', 'packages', '--data', 'made');

beforeAll(async () => {
  library('acme/hello', '1.0.0');
  library('acme/hello', undefined, 'head one');
  library('acme/other', '2.0.0');
  await build();
});
afterAll(() => folder.remove());

describe('libretto bundle', () => {
  it('gives an empty registry the same public files, and the same bytes each time', async () => {
    const made = await run('bundle', '--data', 'made', '--out', 'full.tar', '--name', 'shop');
    expect(made).toMatchObject({ registry: 'shop', serial: 1, since: null, whole: true, mirrored: 0 });
    const bytes = readFileSync(folder.at('full.tar'));
    expect([made['bytes'], made['sha256']]).toEqual([bytes.length, createHash('sha256').update(bytes).digest('hex')]);
    await run('bundle', '--data', 'made', '--out', 'again.tar', '--name', 'shop');
    expect(readFileSync(folder.at('again.tar')).equals(bytes)).toBe(true);

    const dry = await libretto('receive', 'full.tar', '--data', 'there', '--dry-run');
    expect([dry.exitCode, existsSync(folder.at('there/public'))]).toEqual([0, false]);
    const received = await run('receive', 'full.tar', '--data', 'there');
    expect(received).toMatchObject({
      published: true,
      added: [{ source: 'received:shop' }, { source: 'received:shop' }, { source: 'received:shop' }],
      bundle: { registry: 'shop', serial: 1, since: null, mirrored: [] },
    });
    expect(publicBytes('there')).toEqual(publicBytes('made'));
    expect(allFiles(folder.at('there/index')).filter((path) => path.endsWith('.md'))).not.toEqual([]);
    expect(existsSync(folder.at('there/build/receive'))).toBe(false);
    expect((await run('receive', 'full.tar', '--data', 'there'))['published']).toBe(false);
    expect((await libretto('verify', '--data', 'there')).exitCode).toBe(0);
  });

  it('names the file after the registry, and replaces none', async () => {
    const first = await libretto('bundle', '--name', 'libretto', '--data', 'made', '--out', '.');
    expect([first.exitCode, first.stdout]).toEqual([0, expect.stringContaining('libretto-1.bundle.tar') as string]);
    const nameless = await libretto('bundle', '--data', 'made');
    expect([nameless.exitCode, nameless.stderr]).toEqual([2, expect.stringContaining('with --name')]);
    const second = await libretto('bundle', '--name', 'libretto', '--data', 'made');
    expect([second.exitCode, second.stderr]).toEqual([2, expect.stringMatching(/libretto-1\.bundle\.tar exists/)]);
    const unknown = await libretto('bundle', '--name', 'libretto', '--data', 'made', '--since', '7', '--out', 'x.tar');
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('no publication 7')]);
    expect(existsSync(folder.at('x.tar'))).toBe(false);
  });

  it('follows in steps: a full bundle, then two with what is new', async () => {
    library('acme/hello', '1.1.0');
    library('acme/hello', undefined, 'head two');
    await build();
    await run('bundle', '--data', 'made', '--out', 'two.tar', '--name', 'shop', '--since', '1');
    rmSync(folder.at('packages/acme/other/2.0.0'), { recursive: true });
    library('acme/other', '2.1.0');
    await build();
    await run('bundle', '--data', 'made', '--out', 'three.tar', '--name', 'shop', '--since', '2');
    const archives = (bundle: string) =>
      partsOf(folder.at(bundle)).manifest.files.filter(({ path }) => path.endsWith('.zip'));
    expect([archives('two.tar').length, archives('three.tar').length]).toEqual([2, 1]);

    const skipped = await libretto('receive', 'three.tar', '--data', 'there');
    expect([skipped.exitCode, skipped.stderr]).toEqual([
      2,
      expect.stringMatching(
        /since publication 2 of shop, and this registry lacks .*Receive the bundle of publication 2/s,
      ),
    ]);
    await run('receive', 'two.tar', '--data', 'there');
    await run('receive', 'three.tar', '--data', 'there');
    expect(publicBytes('there')).toEqual(publicBytes('made'));
    expect((await libretto('verify', '--data', 'there')).exitCode).toBe(0);
    const older = await libretto('receive', 'two.tar', '--data', 'there');
    expect([older.exitCode, older.stderr]).toEqual([2, expect.stringContaining('publication 3 was received before')]);
    const other = await libretto(
      'bundle',
      '--name',
      'libretto',
      '--data',
      'made',
      '--out',
      'other.tar',
      '--name',
      'elsewhere',
    );
    expect(other.exitCode).toBe(0);
    const mixed = await libretto('receive', 'other.tar', '--data', 'there', '--as', 'shop');
    expect([mixed.exitCode, mixed.stderr]).toEqual([2, expect.stringContaining('is of the registry elsewhere')]);
  });
});

describe('a bundle for lock files', () => {
  const lock = (version: string, reference: string | null = null): void =>
    writeFileSync(
      folder.at('composer.lock'),
      JSON.stringify({
        packages: [{ name: 'acme/hello', version, dist: { type: 'zip', url: 'https://x.example/', reference } }],
      }),
    );

  it('brings what they name and withdraws nothing, before and after a bundle of everything', async () => {
    lock('1.0.0');
    const made = await run(
      'bundle',
      '--data',
      'made',
      '--out',
      'lock.tar',
      '--name',
      'shop',
      '--lock',
      'composer.lock',
    );
    expect(made).toMatchObject({ whole: false, files: 5 });
    const first = await run('receive', 'lock.tar', '--data', 'mixed');
    expect(first).toMatchObject({ added: [{ version: '1.0.0', source: 'adopted:shop' }], withdrawn: [] });
    await run('bundle', '--data', 'made', '--out', 'now.tar', '--name', 'shop');
    expect(await run('receive', 'now.tar', '--data', 'mixed')).toMatchObject({ published: true, withdrawn: [] });
    const names = Object.keys(publicBytes('mixed'));
    expect(await run('receive', 'lock.tar', '--data', 'mixed')).toMatchObject({ withdrawn: [], added: [] });
    expect(Object.keys(publicBytes('mixed'))).toEqual(names);
    expect((await libretto('verify', '--data', 'mixed')).exitCode).toBe(0);
  });

  it.each([
    ['9.9.9', null, 'composer.lock: acme/hello 9.9.9 is not published here. Publish it'],
    ['1.0.0', 'a'.repeat(40), 'composer.lock: acme/hello 1.0.0 is not published here'],
    ['dev-main', 'the first', 'is no longer published with this content. Run `composer update acme/hello`'],
  ])('names %s with the reference %s, and makes no file', async (version, given, message) => {
    const archives = allFiles(folder.at('made/public/dist/acme/hello'));
    const pinned = archives.flatMap((path) => /^dev-main@([0-9a-f]+)\.zip$/.exec(path)?.[1] ?? []);
    const index = JSON.parse(readFileSync(folder.at('made/index/acme/hello.json'), 'utf8')) as {
      versions: { reference: string; state: string }[];
    };
    const superseded = index.versions.find(({ state }) => state === 'superseded')?.reference ?? '';
    expect(pinned).toContain(superseded);
    lock(version, given === 'the first' ? superseded : given);
    const { exitCode, stderr } = await libretto(
      'bundle',
      '--name',
      'shop',
      '--data',
      'made',
      '--lock',
      'composer.lock',
      '--out',
      'no.tar',
    );
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message) as string]);
    expect(existsSync(folder.at('no.tar'))).toBe(false);
  });
});

describe('a bundle that is not what it says', () => {
  const parts = (): BundleParts => partsOf(folder.at('full.tar'));
  const zip = (): number => parts().manifest.files.findIndex(({ path }) => path.endsWith('.zip'));
  /** With another file in it, in its place of the order. */
  const withFile = (path: string, content: Buffer): BundleParts => {
    const { manifest, contents } = parts();
    const rows = manifest.files.map((row, at) => ({ row, content: contents[at] ?? content }));
    rows.push({ row: rowOf(path, content), content });
    rows.sort((one, two) => (one.row.path < two.row.path ? -1 : 1));
    return {
      manifest: { ...manifest, files: rows.map(({ row }) => row) },
      contents: rows.map((one) => one.content),
    };
  };
  const changed = (change: (made: BundleParts) => void): Buffer => {
    const made = parts();
    change(made);
    return bundleOf(made);
  };
  const cases: readonly (readonly [string, () => Buffer, string | RegExp])[] = [
    ['is empty', () => Buffer.alloc(0), 'is no bundle'],
    ['is a ZIP', () => Buffer.from('PK\u0003\u0004'.padEnd(2000, 'x')), 'is no bundle'],
    [
      'lost its end',
      () => readFileSync(folder.at('full.tar')).subarray(0, -700),
      /end is missing\. Compare .* libretto bundle printed at the sending registry/,
    ],
    ['has more behind its end', () => Buffer.concat([bundleOf(parts()), Buffer.from('more')]), 'more was added'],
    [
      'has a changed byte',
      () => changed(({ contents }) => void contents[zip()]?.fill(1, 10, 11)),
      'does not have the SHA-256',
    ],
    ['has files in another order', () => changed(({ manifest }) => void manifest.files.reverse()), 'out of order'],
    [
      'has a file twice',
      () =>
        changed(({ manifest, contents }) => {
          manifest.files.unshift(manifest.files[0] ?? rowOf('', Buffer.alloc(0)));
          contents.unshift(contents[0] ?? Buffer.alloc(0));
        }),
      'twice',
    ],
    ['has entries with other names', () => bundleOf(parts(), (at) => `../${at}`), 'is not where its list says'],
    [
      'has a path that leads out',
      () => bundleOf(withFile('public/../../evil', Buffer.from('x'))),
      'outside a registry',
    ],
    ['has an absolute path', () => bundleOf(withFile('/tmp/evil', Buffer.from('x'))), 'outside a registry'],
    ['has a file of the state', () => bundleOf(withFile('state/data.mdb', Buffer.from('x'))), 'outside a registry'],
    ['has a file in the place of a folder', () => bundleOf(withFile('public/dist', Buffer.from('x'))), 'out of order'],
    [
      'has a huge count of bytes',
      () => changed(({ manifest }) => void Object.assign(manifest.files[0] ?? {}, { size: 2 ** 60 })),
      'is malformed',
    ],
    ['has a newer format', () => changed(({ manifest }) => void (manifest['format'] = 2)), 'newer version of Libretto'],
    ['has no serial', () => changed(({ manifest }) => void delete manifest['serial']), 'which publication'],
    ['has a name that leads out', () => changed(({ manifest }) => void (manifest['registry'] = '../evil')), '--as'],
    [
      'lacks an archive',
      () =>
        changed(({ manifest, contents }) => {
          const at = zip();
          manifest.files.splice(at, 1);
          contents.splice(at, 1);
        }),
      /contradicts itself: .*\.zip is missing/,
    ],
    [
      'has a document of other versions',
      () =>
        changed(({ manifest, contents }) => {
          const at = manifest.files.findIndex(({ path }) => path === 'public/p2/acme/hello.json');
          const content = Buffer.from(String(contents[at]).replaceAll('1.0.0', '1.9.9'));
          contents[at] = content;
          manifest.files[at] = rowOf('public/p2/acme/hello.json', content);
        }),
      /contradicts itself: public\/p2\/acme\/hello\.json/,
    ],
    [
      'has an archive with other bytes than its document says',
      () =>
        changed(({ manifest, contents }) => {
          const at = zip();
          const content = Buffer.from(contents[at] ?? '').fill(1, 40, 41);
          contents[at] = content;
          manifest.files[at] = rowOf(manifest.files[at]?.path ?? '', content);
        }),
      /contradicts itself: .*does not have the SHA-1/,
    ],
    [
      'has a mirrored record that is none',
      () => bundleOf(withFile(`mirror/dist/some/lib/${'a'.repeat(32)}.json`, Buffer.from('{}'))),
      'the record of an archive of some/lib is damaged',
    ],
    [
      'has a mirrored document that is none',
      () => bundleOf(withFile('mirror/p2/packagist.org-0/packages.json', Buffer.from('{}'))),
      'is damaged',
    ],
  ];

  it.each(cases)('%s: one sentence says so, and nothing is changed', async (_case, bytes, message) => {
    writeFileSync(folder.at('hostile.tar'), bytes());
    const { exitCode, stdout, stderr } = await libretto('receive', 'hostile.tar', '--data', 'untouched');
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringMatching(message) as string]);
    expect(existsSync(folder.at('untouched'))).toBe(false);
  });
});
