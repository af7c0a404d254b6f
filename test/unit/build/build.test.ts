// Tests a series of builds of one data folder: versions that are added, replaced, kept, withdrawn and refused.
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import AdmZip from 'adm-zip';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BuildRequest } from '../../../build/scan/build-request.ts';
import type { BuildReport } from '../../../build/contract/build-report.ts';
import { noOptions } from '../../../build/sources/options.ts';
import { verifyTree } from '../../../build/inspect/verify.ts';
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

const versions = (): string[] => Object.keys(publishedVersions(data)).toSorted();
const lastModified = (path: string): number => statSync(join(data, 'public', path)).mtimeMs / 1000;
const codes = (report: BuildReport): string[] => report.quarantined.map(({ code }) => code);

describe('a series of builds', () => {
  it('a build publishes the packages of two sources, remembers both, and a build without arguments reads both', async () => {
    put('one/x', '1.0.0');
    put('two/x', '2.0.0');
    await run(['one']);
    await run(['two']);
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@2.0.0']);
    put('one/y', '1.1.0');
    put('two/y', '2.1.0');
    expect((await run([])).added.map(({ version }) => version)).toEqual(['2.1.0', '1.1.0']);
  });

  it('a build without changes writes no file and keeps Last-Modified', async () => {
    put('one/x', '1.0.0');
    await run(['one']);
    const before = allFiles(data).map((path) => [
      path,
      statSync(join(data, path)).mtimeMs,
      statSync(join(data, path)).ino,
    ]);
    const report = await run(['one']);
    expect(report).toMatchObject({ serial: 1, published: false, added: [], changed: [] });
    expect(
      allFiles(data)
        .filter((path) => !path.startsWith('build/'))
        .map((path) => [path, statSync(join(data, path)).mtimeMs, statSync(join(data, path)).ino]),
    ).toEqual(before.filter(([path]) => !String(path).startsWith('build/')));
  });

  it('a build rewrites only changed documents, and their Last-Modified rises', async () => {
    put('one/x', '1.0.0');
    for (const [path, entry] of Object.entries(whoLibrary('acme/other', '1.0.0')))
      tree.write({ [`one/other/${path}`]: entry });
    await run(['one']);
    const [hello, other, root] = ['p2/acme/hello.json', 'p2/acme/other.json', 'packages.json'].map(lastModified);
    put('one/y', '1.1.0');
    await run(['one']);
    expect(lastModified('p2/acme/hello.json')).toBeGreaterThan(hello ?? 0);
    expect([lastModified('p2/acme/other.json'), lastModified('packages.json')]).toEqual([other, root]);
  });

  it('a version that disappears is withdrawn, its archive stays, and its return publishes the same bytes', async () => {
    put('one/x', '1.0.0');
    put('one/y', '2.0.0');
    await run(['one']);
    const before = publishedTree(data);
    tree.delete('one/y');
    expect((await run(['one'])).withdrawn.map(({ version }) => version)).toEqual(['2.0.0']);
    expect(versions()).toEqual(['acme/hello@1.0.0']);
    expect(allFiles(data)).toContain('public/dist/acme/hello/2.0.0.zip');
    put('one/y', '2.0.0');
    expect((await run(['one'])).added.map(({ version }) => version)).toEqual(['2.0.0']);
    expect(publishedTree(data)).toEqual(before);
  });

  it('row 58: earlier contents of a dev version stay retrievable by their references', async () => {
    put('one/x', undefined, 'a');
    await run(['one']);
    const first = publishedVersions(data)['acme/hello@dev-main'];
    put('one/x', undefined, 'b');
    expect((await run(['one'])).changed.map(({ version }) => version)).toEqual(['dev-main']);
    expect(allFiles(data)).toContain(`public/dist/acme/hello/dev-main@${first?.reference}.zip`);
    expect(publishedVersions(data)['acme/hello@dev-main']?.reference).not.toBe(first?.reference);
    expect(await verifyTree(data)).toMatchObject({ ok: true });
  });

  it('row 57, I3: each build refuses changed content of a release until it is allowed; then both contents are retrievable', async () => {
    put('one/x', '1.0.0', 'a');
    await run(['one']);
    const before = publishedTree(data);
    put('one/x', '1.0.0', 'b');
    for (let round = 0; round < 2; round += 1) expect(codes(await run(['one']))).toEqual(['VERSION_CHANGED']);
    expect(publishedTree(data)).toEqual(before);
    const old = publishedVersions(data)['acme/hello@1.0.0'];
    expect((await run(['one'], { allowRepublish: true })).changed).toHaveLength(1);
    expect(publishedVersions(data)['acme/hello@1.0.0']?.shasum).not.toBe(old?.shasum);
    expect(allFiles(data)).toContain(`public/dist/acme/hello/1.0.0@${old?.reference}.zip`);
    expect(await verifyTree(data)).toMatchObject({ ok: true });
    expect(codes(await run(['one']))).toEqual([]);
  });

  it('the last good content stays published while the present content cannot be published', async () => {
    put('one/x', '1.0.0');
    put('one/y', undefined, 'a');
    await run(['one']);
    const before = publishedTree(data);
    tree.write({ 'one/y/composer.json': '{"name": "acme/hello",' });
    expect(codes(await run(['one']))).toEqual(['INVALID_JSON']);
    expect(publishedTree(data)).toEqual(before);
    expect(codes(await run([]))).toEqual(['INVALID_JSON']);
    put('one/y', undefined, 'b');
    expect((await run(['one'])).changed).toHaveLength(1);
  });

  it('a changed inline record is published without a new archive', async () => {
    const zip = new AdmZip();
    zip.addFile('composer.json', Buffer.from('{"name":"acme/inline"}'));
    tree.write({ 'x.zip': zip.toBuffer() });
    const configured = (description: string) => ({
      configured: [
        {
          source: {
            packages: [{ name: 'acme/inline', version: '1.0.0', description, dist: { type: 'zip', url: 'x.zip' } }],
            directory: tree.root,
            where: 'here',
          },
          options: noOptions,
          where: 'sources[0]',
        },
      ],
    });
    await run([], configured('old'));
    const before = publishedVersions(data);
    await run([], configured('new'));
    expect(readFileSync(join(data, 'public/p2/acme/inline.json'), 'utf8')).toContain('"description":"new"');
    expect(publishedVersions(data)).toEqual(before);
  });

  it('packages of an unknown source are withdrawn on request', async () => {
    put('one/x', '1.0.0');
    await run(['one']);
    for (const path of ['index', 'build/manifest.json', 'build/sources']) rmSync(join(data, path), { recursive: true });
    put('two/x', '2.0.0');
    await run(['two']);
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@2.0.0']);
    await run([], { forget: ['unknown'] });
    expect(versions()).toEqual(['acme/hello@2.0.0']);
  });

  it('a name with upper-case letters is published in lower case and reported', async () => {
    put('one/x', '1.0.0', 'a', { name: 'Acme/Hello' });
    const { notices } = await run(['one']);
    expect(notices[0]?.message).toContain('has the name Acme/Hello');
    expect(versions()).toEqual(['acme/hello@1.0.0']);
  });

  it('a version that was kept because of a fault is withdrawn once its source no longer has it', async () => {
    put('one/x', '1.0.0');
    put('one/y', '1.1.0');
    await run(['one']);
    put('one/y', '1.1.0', 'a', { require: { 'acme/other': '^^1' } });
    expect(codes(await run(['one']))).toEqual(['CONSTRAINT_INVALID']);
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@1.1.0']);
    tree.delete('one/y');
    expect((await run(['one'])).withdrawn.map(({ version }) => version)).toEqual(['1.1.0']);
    expect(versions()).toEqual(['acme/hello@1.0.0']);
  });

  it('row 55: a build excludes one faulty version and publishes the rest; with --strict it publishes nothing', async () => {
    put('one/x', '1.0.0');
    put('one/y', '1.1.0', 'a', { require: { 'acme/other': '^^1' } });
    const strict = await run(['one'], { strict: true });
    expect({
      codes: codes(strict),
      published: strict.published,
      files: existsSync(data) ? allFiles(data).filter((path) => path.startsWith('public/')) : [],
    }).toEqual({ codes: ['CONSTRAINT_INVALID'], published: false, files: [] });
    expect(codes(await run(['one']))).toEqual(['CONSTRAINT_INVALID']);
    expect(versions()).toEqual(['acme/hello@1.0.0']);
  });

  it('row 56: a version belongs to one source; the report names the owner, and a source that gives it up hands it over', async () => {
    put('one/x', '1.0.0', 'a');
    put('two/x', '1.0.0', 'a');
    await run(['one']);
    const both = await run(['two']);
    expect(both.quarantined[0]).toMatchObject({ code: 'DUPLICATE_VERSION', source: 'dir:../two' });
    expect(codes(await run([]))).toEqual(['DUPLICATE_VERSION']);
    tree.delete('one/x');
    put('one/z', '3.0.0');
    expect(codes(await run([]))).toEqual([]);
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@3.0.0']);
  });

  it('a forgotten source is withdrawn with all its versions', async () => {
    put('one/x', '1.0.0');
    put('two/x', '2.0.0');
    await run(['one', 'two']);
    expect((await run([], { forget: ['one'] })).withdrawn.map(({ version }) => version)).toEqual(['1.0.0']);
    expect(versions()).toEqual(['acme/hello@2.0.0']);
    await run([], { forget: ['two'] });
    expect(JSON.parse(readFileSync(join(data, 'public/packages.json'), 'utf8'))).toMatchObject({
      'available-packages': [],
    });
    expect(allFiles(data)).not.toContain('public/p2/acme/hello.json');
    expect(await verifyTree(data)).toMatchObject({ ok: true });
  });

  it('versions of an unreachable source stay published, and a source that was never reachable is not remembered', async () => {
    put('one/x', '1.0.0');
    await run(['one']);
    const before = publishedTree(data);
    tree.delete('one');
    const report = await run(['one', 'never']);
    expect(report.failed.map(({ source }) => source)).toEqual(['dir:../one', 'dir:../never']);
    expect(publishedTree(data)).toEqual(before);
    expect((await run([])).failed.map(({ source }) => source)).toEqual(['dir:../one']);
  });
});
