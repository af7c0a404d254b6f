// `libretto verify` on a tree that was damaged in every way there is: it names the file and the version, and what it says mends it does.
import { cpSync, linkSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { build } from '../../build/build.ts';
import { verifyTree } from '../../build/verify.ts';
import { below, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { allFiles, publishedTree } from '../util/published-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { whoLibrary } from '../util/who-library.ts';

let origin: TemporaryTree;
let folder: string;
let data: string;

beforeAll(async () => {
  origin = temporaryTree({
    ...below('packages/one', whoLibrary('acme/hello', '1.0.0', {}, 'a')),
    ...below('packages/two', whoLibrary('acme/hello', '1.1.0', {}, 'b')),
    ...below('packages/dev', whoLibrary('acme/hello', undefined, {}, 'c')),
    ...below('packages/other', whoLibrary('acme/other', '2.0.0', {}, 'd')),
  });
  expect(await runCli(['build', './packages', '--data', 'data'], { cwd: origin.root })).toMatchObject({ exitCode: 0 });
});
afterAll(() => origin.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'libretto-verify-'));
  cpSync(origin.root, folder, { recursive: true, preserveTimestamps: true });
  data = join(folder, 'data');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Faults {
  readonly ok: boolean;
  readonly faults: readonly { readonly code: string; readonly path: string; readonly name: string | null; readonly version: string | null; readonly message: string }[];
}

async function verify(...flags: readonly string[]): Promise<Faults & { readonly exitCode: number }> {
  const { exitCode, stdout } = await runCli(['verify', '--data', 'data', '--json', ...flags], { cwd: folder });
  return { exitCode, ...(JSON.parse(stdout) as Faults) };
}

/** As a disk does it: the time stays. */
function flipBit(path: string, at?: number): void {
  const file = join(data, path);
  const { atime, mtime } = statSync(file);
  const bytes = readFileSync(file);
  const place = at ?? Math.floor(bytes.length / 2);
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  utimesSync(file, atime, mtime);
}

const dev = (): string => allFiles(data).find((path) => /dev-.*@/.test(path)) ?? '';

const damages: Readonly<Record<string, { readonly does: () => void; readonly fault: Readonly<Record<string, unknown>>; readonly fast?: boolean }>> = {
  'a flipped bit in a ZIP': { does: () => flipBit('public/dist/acme/hello/1.0.0.zip'), fault: { code: 'WRONG_BYTES', path: 'public/dist/acme/hello/1.0.0.zip', name: 'acme/hello', version: '1.0.0', message: expect.stringContaining('backup') as string } },
  'a ZIP that was cut off': { does: () => writeFileSync(join(data, 'public/dist/acme/hello/1.0.0.zip'), readFileSync(join(data, 'public/dist/acme/hello/1.0.0.zip')).subarray(0, 99)), fault: { code: 'WRONG_BYTES', version: '1.0.0' }, fast: true },
  'a flipped bit in a document': { does: () => flipBit('public/p2/acme/hello.json'), fault: { path: 'public/p2/acme/hello.json', name: 'acme/hello', message: expect.stringContaining('build/manifest.json') as string } },
  'a flipped bit in packages.json': { does: () => flipBit('public/packages.json'), fault: { path: 'public/packages.json' } },
  'a flipped bit in the manifest': { does: () => flipBit('build/manifest.json'), fault: { path: 'build/manifest.json' } },
  'a flipped bit in a serving index': { does: () => flipBit('index/acme/hello.json'), fault: { path: 'index/acme/hello.json', name: 'acme/hello' } },
  'a flipped bit in the announcement': { does: () => flipBit('index/_publication.json'), fault: { path: 'index/_publication.json' } },
  'a missing ZIP': { does: () => rmSync(join(data, 'public/dist/acme/hello/1.1.0.zip')), fault: { code: 'MISSING_FILE', path: 'public/dist/acme/hello/1.1.0.zip', version: '1.1.0' }, fast: true },
  'a missing document': { does: () => rmSync(join(data, 'public/p2/acme/hello~dev.json')), fault: { code: 'MISSING_FILE', path: 'public/p2/acme/hello~dev.json', name: 'acme/hello' }, fast: true },
  'a missing serving index': { does: () => rmSync(join(data, 'index/acme/other.json')), fault: { code: 'MISSING_FILE', path: 'index/acme/other.json' }, fast: true },
  'a missing announcement': { does: () => rmSync(join(data, 'index/_publication.json')), fault: { code: 'MISSING_FILE', path: 'index/_publication.json' }, fast: true },
  'a missing plain copy of a dev version': { does: () => rmSync(join(data, dev().replace(/@[0-9a-f]+/, ''))), fault: { code: 'MISSING_FILE', name: 'acme/hello' }, fast: true },
  'an extra file beside the archives': { does: () => writeFileSync(join(data, 'public/dist/acme/hello/.env'), 'KEY=1'), fault: { code: 'FOREIGN_FILE', path: 'public/dist/acme/hello/.env' }, fast: true },
  'an extra archive': { does: () => linkSync(join(data, 'public/dist/acme/hello/1.0.0.zip'), join(data, 'public/dist/acme/hello/1.2.0.zip')), fault: { code: 'FOREIGN_FILE', path: 'public/dist/acme/hello/1.2.0.zip' }, fast: true },
  'an extra document': { does: () => writeFileSync(join(data, 'public/p2/acme/other~dev.json'), '{}'), fault: { code: 'FOREIGN_FILE', path: 'public/p2/acme/other~dev.json' }, fast: true },
  'a document naming another package': { does: () => cpSync(join(data, 'public/p2/acme/other.json'), join(data, 'public/p2/acme/hello.json')), fault: { path: 'public/p2/acme/hello.json', name: 'acme/hello' } },
  'a record naming another package': {
    does: () => writeFileSync(join(data, 'public/p2/acme/hello.json'), readFileSync(join(data, 'public/p2/acme/hello.json'), 'utf8').replace('"name":"acme/hello","version":"1.0.0"', '"name":"acme/other","version":"1.0.0"')),
    fault: { code: 'WRONG_PACKAGE', path: 'public/p2/acme/hello.json', version: '1.0.0' },
  },
  'a ZIP swapped for another version’s': { does: () => cpSync(join(data, 'public/dist/acme/hello/1.1.0.zip'), join(data, 'public/dist/acme/hello/1.0.0.zip')), fault: { code: 'WRONG_BYTES', path: 'public/dist/acme/hello/1.0.0.zip', version: '1.0.0' } },
  'a serial that went back': { does: () => writeFileSync(join(data, 'build/manifest.json'), readFileSync(join(data, 'build/manifest.json'), 'utf8').replace('"serial":1', '"serial":0')), fault: { path: 'build/manifest.json' }, fast: true },
};

describe('libretto verify', () => {
  it('finds nothing wrong with a tree as it was built, fast or not, and says what it looked at', async () => {
    expect(await verify()).toEqual({ exitCode: 0, ok: true, checked: { packages: 2, versions: 4, archives: 4 }, faults: [] });
    expect(await verify('--fast')).toEqual({ exitCode: 0, ok: true, checked: { packages: 2, versions: 4, archives: 4 }, faults: [] });
  });

  for (const [title, { does, fault, fast = false }] of Object.entries(damages)) {
    it(`finds ${title}`, async () => {
      does();
      const found = await verify();
      expect(found).toMatchObject({ exitCode: 1, ok: false });
      expect(found.faults).toContainEqual(expect.objectContaining(fault));
      if (fast) expect((await verify('--fast')).faults).toContainEqual(expect.objectContaining(fault));
    });
  }

  it('finds every bit that turns over in documents, index, announcement and manifest', async () => {
    const files = allFiles(data).filter((path) => /^(?:public\/(?:p2|packages)|index\/|build\/manifest)/.test(path) && !path.endsWith('.md'));
    expect(files).toHaveLength(8);
    for (const path of files) {
      const { size } = statSync(join(data, path));
      for (let at = 0; at < size; at += 1 + Math.floor(size / 60)) {
        flipBit(path, at);
        expect((await verifyTree(data)).faults.map((fault) => fault.path), `${path} at ${at}`).toContain(path);
        flipBit(path, at);
      }
    }
    expect((await verifyTree(data)).ok).toBe(true);
  });

  it.each(['public/p2/acme/hello.json', 'public/p2/acme/hello~dev.json', 'public/packages.json', 'index/_publication.json', 'index/acme/hello.json', 'build/manifest.json'])('what it says mends a damaged %s does so', async (path) => {
    const before = publishedTree(data);
    flipBit(path);
    rmSync(join(data, 'build/manifest.json'));
    if (path.startsWith('index/')) rmSync(join(data, path));
    expect(await runCli(['build', './packages', '--data', 'data'], { cwd: folder })).toMatchObject({ exitCode: 0 });
    expect(await verify()).toMatchObject({ ok: true });
    expect(publishedTree(data)).toEqual(before);
  });

  it('takes a publication that ends meanwhile for no fault', async () => {
    const effects = { now: () => new Date(), progress: () => undefined, environment: { PATH: process.env['PATH'] } };
    renameSync(join(folder, 'packages/two'), join(folder, 'packages-two'));
    const request = { dataDirectory: data, baseDirectory: folder, arguments: [], configured: undefined, fallback: undefined, forget: [], strict: false, allowRepublish: false, jobs: 1, metadataUrl: '/p2/%package%$%hash%.json', distBaseUrl: undefined };
    let running = true;
    const built = build(request, effects).finally(() => (running = false));
    const faults: unknown[] = [];
    while (running) faults.push(...(await verifyTree(data)).faults);
    await built;
    expect(faults).toEqual([]);
  });
});
