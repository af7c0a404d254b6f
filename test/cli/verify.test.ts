// Tests `libretto verify` on trees with every kind of damage (I1, I2, I3, I4, I6): it names file and version, and the
// printed repair works.
import {
  cpSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { build } from '../../build/build.ts';
import { withChecksum } from '../../build/contract/checksum.ts';
import { verifyTree } from '../../build/inspect/verify.ts';
import { below, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { allFiles, publishedTree } from '../util/published-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { whoLibrary } from '../util/who-library.ts';
import { sampleOf } from '../util/series.ts';

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
  readonly faults: readonly {
    readonly code: string;
    readonly path: string;
    readonly name: string | null;
    readonly version: string | null;
    readonly message: string;
  }[];
}

async function verify(...flags: readonly string[]): Promise<Faults & { readonly exitCode: number }> {
  const { exitCode, stdout } = await runCli(['verify', '--data', 'data', '--json', ...flags], { cwd: folder });
  return { exitCode, ...(JSON.parse(stdout) as Faults) };
}

/** Changes bytes as a failing disk does: the time stays. */
function flipBit(path: string, at?: number): void {
  const file = join(data, path);
  const { atime, mtime } = statSync(file);
  const bytes = readFileSync(file);
  const place = at ?? Math.floor(bytes.length / 2);
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  utimesSync(file, atime, mtime);
}

/** The advice of the message. */
type Repair = 'restore' | 'compare' | 'derive' | 'name sources' | 'remove' | 'build';

const adviceOf: Readonly<Record<Repair, RegExp>> = {
  restore: /Restore it from a backup; a build never makes an archive of a released version twice\.$/,
  compare:
    /Remove (?:build\/manifest\.json|it) and run `libretto build`(?:: it|, which) compares everything and writes (?:this|it) again\.$/,
  derive:
    /(?:Restore it from a backup; or remove it and|Remove) build\/manifest\.json and run `libretto build`[:,].* compares everything and writes this again\.$|derives it from the documents and the archives\.$/,
  'name sources':
    /or (?:remove it and )?run `libretto build`(?: with every source named|, which writes it again: build)/,
  remove: /(?:Remove it(?: if it is not yours; a build never does)?|move it to another place; a build never does)\.$/,
  build: /The next build (?:writes it again|compares everything and continues from the later publication)\.$/,
};

interface Damage {
  readonly does: () => void;
  readonly fault: { readonly code: string; readonly path: string } & Readonly<Record<string, unknown>>;
  readonly repair: Repair;
  readonly fast?: boolean;
}

const hello = { name: 'acme/hello' };
const zip = 'public/dist/acme/hello/1.0.0.zip';
const plainDev = 'public/dist/acme/hello/dev-main.zip';
const hers = 'public/p2/acme/hello.json';
const damages: Readonly<Record<string, Damage>> = {
  'a flipped bit in a ZIP': {
    does: () => flipBit(zip),
    fault: { code: 'WRONG_BYTES', path: zip, ...hello, version: '1.0.0' },
    repair: 'restore',
  },
  'a ZIP that was cut off': {
    does: () => writeFileSync(join(data, zip), readFileSync(join(data, zip)).subarray(0, 99)),
    fault: { code: 'WRONG_BYTES', path: zip, ...hello, version: '1.0.0' },
    repair: 'restore',
    fast: true,
  },
  'a ZIP swapped for another version’s': {
    does: () => cpSync(join(data, 'public/dist/acme/hello/1.1.0.zip'), join(data, zip)),
    fault: { code: 'WRONG_BYTES', path: zip, ...hello, version: '1.0.0' },
    repair: 'restore',
  },
  'a missing ZIP': {
    does: () => rmSync(join(data, zip)),
    fault: { code: 'MISSING_FILE', path: zip, ...hello, version: '1.0.0' },
    repair: 'restore',
    fast: true,
  },
  'a missing plain copy of a dev version': {
    does: () => rmSync(join(data, plainDev)),
    fault: { code: 'MISSING_FILE', path: plainDev, ...hello, version: 'dev-main' },
    repair: 'compare',
    fast: true,
  },
  'a flipped bit in a document': {
    does: () => flipBit(hers),
    fault: { code: 'WRONG_BYTES', path: hers, ...hello },
    repair: 'compare',
    fast: true,
  },
  'a document that was cut off': {
    does: () => writeFileSync(join(data, hers), readFileSync(join(data, hers)).subarray(0, 99)),
    fault: { code: 'MALFORMED_DOCUMENT', path: hers, ...hello },
    repair: 'compare',
    fast: true,
  },
  'a missing document': {
    does: () => rmSync(join(data, 'public/p2/acme/hello~dev.json')),
    fault: { code: 'MISSING_FILE', path: 'public/p2/acme/hello~dev.json', ...hello },
    repair: 'compare',
    fast: true,
  },
  'a document naming another package': {
    does: () => cpSync(join(data, 'public/p2/acme/other.json'), join(data, hers)),
    fault: { code: 'MALFORMED_DOCUMENT', path: hers, ...hello },
    repair: 'compare',
    fast: true,
  },
  'a record naming another package': {
    does: () =>
      writeFileSync(
        join(data, hers),
        readFileSync(join(data, hers), 'utf8').replace(
          '"name":"acme/hello","version":"1.0.0"',
          '"name":"acme/other","version":"1.0.0"',
        ),
      ),
    fault: { code: 'WRONG_PACKAGE', path: hers, ...hello, version: '1.0.0' },
    repair: 'compare',
    fast: true,
  },
  'a flipped bit in packages.json': {
    does: () => flipBit('public/packages.json'),
    fault: { code: 'WRONG_BYTES', path: 'public/packages.json' },
    repair: 'build',
    fast: true,
  },
  'a packages.json that was cut off': {
    does: () => writeFileSync(join(data, 'public/packages.json'), '{"packages"'),
    fault: { code: 'MALFORMED_DOCUMENT', path: 'public/packages.json' },
    repair: 'build',
    fast: true,
  },
  'a packages.json of another publication, copied over it': {
    does: () =>
      writeFileSync(
        join(data, 'public/packages.json'),
        readFileSync(join(data, 'public/packages.json'), 'utf8').replace(',"acme/other"', ''),
      ),
    fault: { code: 'WRONG_BYTES', path: 'public/packages.json' },
    repair: 'build',
    fast: true,
  },
  'a flipped bit in the manifest': {
    does: () => flipBit('build/manifest.json'),
    fault: { code: 'MALFORMED_INDEX', path: 'build/manifest.json' },
    repair: 'compare',
  },
  'a flipped bit in a serving index': {
    does: () => flipBit('index/acme/hello.json'),
    fault: { code: 'MALFORMED_INDEX', path: 'index/acme/hello.json', ...hello },
    repair: 'derive',
  },
  'a missing serving index': {
    does: () => rmSync(join(data, 'index/acme/other.json')),
    fault: { code: 'MISSING_FILE', path: 'index/acme/other.json', name: 'acme/other' },
    repair: 'derive',
    fast: true,
  },
  'a flipped bit in the announcement': {
    does: () => flipBit('index/_publication.json'),
    fault: { code: 'MALFORMED_INDEX', path: 'index/_publication.json' },
    repair: 'name sources',
  },
  'a missing announcement': {
    does: () => rmSync(join(data, 'index/_publication.json')),
    fault: { code: 'MISSING_FILE', path: 'index/_publication.json' },
    repair: 'name sources',
    fast: true,
  },
  'an extra file beside the archives': {
    does: () => writeFileSync(join(data, 'public/dist/acme/hello/.env'), 'KEY=1'),
    fault: { code: 'FOREIGN_FILE', path: 'public/dist/acme/hello/.env' },
    repair: 'remove',
    fast: true,
  },
  'an extra archive': {
    does: () => linkSync(join(data, zip), join(data, 'public/dist/acme/hello/1.2.0.zip')),
    fault: { code: 'FOREIGN_FILE', path: 'public/dist/acme/hello/1.2.0.zip' },
    repair: 'remove',
    fast: true,
  },
  'an extra document': {
    does: () => writeFileSync(join(data, 'public/p2/acme/other~dev.json'), '{}'),
    fault: { code: 'FOREIGN_FILE', path: 'public/p2/acme/other~dev.json', name: 'acme/other' },
    repair: 'remove',
    fast: true,
  },
  'a tree that is ahead of the manifest': {
    does: () =>
      writeFileSync(
        join(data, 'build/manifest.json'),
        withChecksum(
          JSON.stringify({
            ...(JSON.parse(readFileSync(join(data, 'build/manifest.json'), 'utf8')) as object),
            serial: 0,
            sha256: undefined,
          }),
        ),
      ),
    fault: { code: 'SERIAL_BEHIND', path: 'build/manifest.json' },
    repair: 'build',
    fast: true,
  },
};

/** how many bits of a file are flipped; `npm run fault` flips more */
const flips = Number(process.env['FLIPS'] ?? '9');

/** Follows the message; a backup is the original tree. */
async function mend(path: string, repair: Repair): Promise<void> {
  if (repair === 'restore') cpSync(join(origin.root, 'data', path), join(data, path), { preserveTimestamps: true });
  if (['remove', 'derive', 'name sources'].includes(repair)) rmSync(join(data, path), { force: true });
  if (repair === 'compare' || repair === 'derive') rmSync(join(data, 'build/manifest.json'));
  if (repair !== 'restore' && repair !== 'remove')
    expect(await runCli(['build', './packages', '--data', 'data'], { cwd: folder })).toMatchObject({ exitCode: 0 });
}

describe('libretto verify', () => {
  it('finds no fault in a tree as it was built, with and without --fast, and prints the number of checks', async () => {
    expect(await verify()).toEqual({
      exitCode: 0,
      ok: true,
      checked: { packages: 2, versions: 4, archives: 4 },
      faults: [],
      same_files: [],
      notices: [],
    });
    expect(await verify('--fast')).toEqual({
      exitCode: 0,
      ok: true,
      checked: { packages: 2, versions: 4, archives: 4 },
      faults: [],
      same_files: [],
      notices: [],
    });
  });

  for (const [title, { does, fault, repair, fast = false }] of sampleOf(Object.entries(damages), 3)) {
    it(`finds ${title}, and the printed repair works`, async () => {
      const before = publishedTree(data);
      const wasThere = (path: string): boolean => existsSync(join(origin.root, 'data', path));
      does();
      const found = await verify();
      expect(found).toMatchObject({ exitCode: 1, ok: false });
      const message = expect.stringMatching(adviceOf[repair]) as string;
      expect(found.faults.filter(({ code, path }) => code === 'FOREIGN_FILE' && wasThere(path))).toEqual([]);
      expect(found.faults).toContainEqual(expect.objectContaining({ name: null, version: null, ...fault, message }));
      for (const one of found.faults) expect(one.message).not.toMatch(/\bI\d+\b/); // numbers of docs/INVARIANTS.md
      if (fast) expect((await verify('--fast')).faults).toContainEqual(expect.objectContaining(fault));
      await mend(fault.path, repair);
      expect(await verify()).toMatchObject({ ok: true, faults: [] });
      expect(publishedTree(data)).toEqual(before);
    });
  }

  it('finds a flipped bit anywhere in documents, index, announcement and manifest', async () => {
    const files = allFiles(data).filter(
      (path) => /^(?:public\/(?:p2|packages)|index\/|build\/manifest)/.test(path) && !path.endsWith('.md'),
    );
    expect(files).toHaveLength(8);
    for (const path of files) {
      const { size } = statSync(join(data, path));
      for (let at = 0; at < size; at += 1 + Math.floor(size / flips)) {
        flipBit(path, at);
        expect(
          (await verifyTree(data)).faults.map((fault) => fault.path),
          `${path} at ${at}`,
        ).toContain(path);
        flipBit(path, at);
      }
    }
    expect((await verifyTree(data)).ok).toBe(true);
  });

  it('reports no fault for a publication that ends meanwhile', async () => {
    const effects = { now: () => new Date(), progress: () => undefined, environment: { PATH: process.env['PATH'] } };
    renameSync(join(folder, 'packages/two'), join(folder, 'packages-two'));
    const request = {
      dataDirectory: data,
      baseDirectory: folder,
      arguments: [],
      configured: undefined,
      fallback: undefined,
      forget: [],
      strict: false,
      allowRepublish: false,
      jobs: 1,
      metadataUrl: '/p2/%package%$%hash%.json',
      distBaseUrl: undefined,
    };
    let running = true;
    const built = build(request, effects).finally(() => (running = false));
    const faults: unknown[] = [];
    while (running) faults.push(...(await verifyTree(data)).faults);
    await built;
    expect(faults).toEqual([]);
  });
});
