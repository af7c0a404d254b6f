// Tests publications that are cut off between any two of their phases: the next build completes them, and the history
// records the changes that readers saw.
import { readdirSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { build } from '../../../build/build.ts';
import type { BuildEffects } from '../../../build/scan/build-request.ts';
import { netChanges } from '../../../build/history/net-changes.ts';
import { presentSerial, readHistory } from '../../../build/history/read-history.ts';
import { rollBack } from '../../../build/rollback/rollback.ts';
import { createDiskOutput } from '../../../build/output/disk-output.ts';
import { prune } from '../../../build/prune/prune.ts';
import { verifyTree } from '../../../build/inspect/verify.ts';
import { buildSeries, type BuildSeries } from '../../util/build-series.ts';
import { below, type TemporaryTree } from '../../util/package-tree.ts';
import { publishedTree, publishedVersions } from '../../util/published-tree.ts';
import { whoLibrary } from '../../util/who-library.ts';
import { sampleOf } from '../../util/series.ts';

const phases = [
  'making everything durable',
  'archives',
  'serving index',
  'documents',
  'newest dev archives',
  'announcement',
] as const;

let tree: TemporaryTree;
let data: string;
let series: BuildSeries;

beforeEach(async () => {
  series = buildSeries();
  ({ tree, data } = series);
  put('a', '1.0.0');
  put('head', undefined, 'first');
  put('x', '1.0.0', 'x', 'acme/other');
  await run();
});
afterEach(() => tree.remove());

const put = (folder: string, version: string | undefined, who = folder, name = 'acme/hello'): void =>
  tree.write(below(`one/${folder}`, whoLibrary(name, version, {}, who)));
const request = () => series.request({ arguments: ['one'] });
const run = () => series.run({ arguments: ['one'] });
const cutAt = (phase: string): BuildEffects => ({
  ...series.effects(),
  progress: ({ label }) => {
    if (label === phase) throw new Error('cut off');
  },
});
const history = () => readHistory(createDiskOutput(data));
const sound = async (): Promise<void> => expect(await verifyTree(data)).toMatchObject({ ok: true, faults: [] });

function edit(): void {
  put('b', '2.0.0');
  put('head', undefined, 'second');
  tree.delete('one/a');
}

const expected = [
  { name: 'acme/hello', version: '1.0.0', after: null },
  { name: 'acme/hello', version: '2.0.0', before: null },
];

describe.each(sampleOf(phases, 2))('after a cut before the phase %s', (phase) => {
  it('the next build completes a build, its record has all changes, and a rollback goes back behind it', async () => {
    const then = publishedTree(data);
    edit();
    await expect(build(request(), cutAt(phase))).rejects.toThrow('cut off');
    await sound();
    expect(await presentSerial(createDiskOutput(data))).toBe(1);
    expect((await history()).map(({ serial }) => serial)).toEqual([1]);
    await run();
    const records = await history();
    expect(records.map(({ serial, previous }) => [serial, previous])).toEqual([
      [3, 1],
      [1, 0],
    ]);
    expect(netChanges(records.slice(0, 1)).versions).toEqual(
      expect.arrayContaining(expected.map((change) => expect.objectContaining(change))),
    );
    expect(netChanges(records.slice(0, 1)).versions).toHaveLength(3);
    await rollBack({ to: 1, dryRun: false }, request(), series.effects());
    expect(publishedTree(data)).toEqual(then);
    await sound();
  });

  it('a build of restored sources leaves no trace of the cut-off build in the record', async () => {
    const then = publishedVersions(data);
    edit();
    await expect(build(request(), cutAt(phase))).rejects.toThrow('cut off');
    tree.delete('one/b');
    put('a', '1.0.0');
    put('head', undefined, 'first');
    await run();
    expect(publishedVersions(data)).toEqual(then);
    expect(netChanges((await history()).slice(0, 1)).versions).toEqual([]);
    await sound();
  });

  it('a build that is cut off twice is recorded once', async () => {
    const then = publishedTree(data);
    edit();
    await expect(build(request(), cutAt(phase))).rejects.toThrow('cut off');
    put('c', '3.0.0');
    await expect(build(request(), cutAt('newest dev archives'))).rejects.toThrow('cut off');
    await run();
    expect((await history()).map(({ serial }) => serial)).toEqual([4, 1]);
    expect(netChanges((await history()).slice(0, 1)).versions.map(({ version }) => version)).toEqual(
      expect.arrayContaining(['1.0.0', '2.0.0', '3.0.0']),
    );
    await rollBack({ to: 1, dryRun: false }, request(), series.effects());
    expect(publishedTree(data)).toEqual(then);
  });

  it('the next build completes a rollback and keeps it', async () => {
    const then = publishedTree(data);
    edit();
    await run();
    await expect(rollBack({ to: 1, dryRun: false }, request(), cutAt(phase))).rejects.toThrow('cut off');
    await sound();
    expect((await run()).notices.map(({ message }) => message)).toContain(
      'A rollback to publication 1 was interrupted; this build completed it first.',
    );
    expect(publishedTree(data)).toEqual(then);
    expect((await history())[0]).toMatchObject({ previous: 2, rollback_to: 1 });
    expect(netChanges((await history()).slice(0, 2)).versions).toEqual([]);
    expect((await run()).published).toBe(false);
    put('c', '3.0.0');
    await run();
    expect(
      Object.keys(publishedVersions(data))
        .filter((version) => version.startsWith('acme/hello@'))
        .toSorted(),
    ).toEqual(['acme/hello@1.0.0', 'acme/hello@3.0.0', expect.stringContaining('dev-')]);
    await sound();
  });

  it('the next rollback completes a rollback', async () => {
    edit();
    await run();
    const second = publishedTree(data);
    await expect(rollBack({ to: 1, dryRun: false }, request(), cutAt(phase))).rejects.toThrow('cut off');
    await rollBack({ to: 2, dryRun: false }, request(), series.effects());
    expect(publishedTree(data)).toEqual(second);
    expect((await history())[0]).toMatchObject({ rollback_to: 2 });
    await sound();
  });
});

describe('a power loss that keeps the record of a cut-off publication and loses its documents', () => {
  it('does not lose what readers had: a rollback goes back behind two cut-off publications', async () => {
    const then = publishedTree(data);
    edit();
    await expect(build(request(), cutAt('serving index'))).rejects.toThrow('cut off');
    const folder = `${data}/build/history/2`;
    const documents = readdirSync(folder).filter((file) => file !== 'record.json');
    expect(documents).toHaveLength(2);
    for (const file of documents) rmSync(`${folder}/${file}`);
    put('c', '3.0.0');
    await expect(build(request(), cutAt('announcement'))).rejects.toThrow('cut off');
    await run();
    const versions = netChanges((await history()).slice(0, 1)).versions;
    expect(versions).toContainEqual(expect.objectContaining({ version: '1.0.0', after: null }));
    await rollBack({ to: 1, dryRun: false }, request(), series.effects());
    expect(publishedTree(data)).toEqual(then);
    await sound();
  });
});

describe('an edit after a cut-off publication (I5)', () => {
  it('is published, although the index names unpublished content and a source cannot be read', async () => {
    put('b', '2.0.0');
    put('head', undefined, 'second');
    await expect(build(request(), cutAt('documents'))).rejects.toThrow('cut off');
    const then = publishedVersions(data);
    tree.write({ 'one/head/composer.json': '{', 'one/b/composer.json': '{' });
    put('y', '1.0.0', 'y', 'acme/more');
    await run();
    expect(publishedVersions(data)).toEqual({ ...then, 'acme/more@1.0.0': expect.anything() as unknown });
    await sound();
  });

  it('is noticed where the publication was complete and only the memory is older', async () => {
    put('y', '1.0.0', 'y', 'acme/more');
    await expect(build(request(), cutAt('memory'))).rejects.toThrow('cut off');
    expect(Object.keys(publishedVersions(data))).toContain('acme/more@1.0.0');
    tree.delete('one/y');
    await run();
    expect(Object.keys(publishedVersions(data))).not.toContain('acme/more@1.0.0');
    await sound();
  });
});

describe('a document that a cut-off publication left without versions, and a later one did not fill (I5)', () => {
  const buildOther = () => {
    tree.write(below('two/z', whoLibrary('acme/third', '1.0.0', {}, 'z')));
    return series.run({ arguments: ['two'] });
  };
  async function cutTwice(removed: readonly string[], comeBack: () => void): Promise<void> {
    for (const folder of removed) tree.delete(`one/${folder}`);
    await expect(build(request(), cutAt('announcement'))).rejects.toThrow('cut off');
    comeBack();
    await expect(build(request(), cutAt('documents'))).rejects.toThrow('cut off');
  }

  it.each<[string, readonly string[], () => void]>([
    ['another release comes', ['a'], () => put('b', '2.0.0')],
    ['the release comes back', ['a'], () => put('a', '1.0.0')],
    ['the branch comes back', ['head'], () => put('head', undefined, 'first')],
    [
      'the whole package comes back',
      ['a', 'head'],
      () => {
        put('a', '1.0.0');
        put('head', undefined, 'first');
      },
    ],
  ])('stays as it is in a build of another source, and the next build fills it: %s', async (_, removed, comeBack) => {
    await cutTwice(removed, comeBack);
    const then = publishedVersions(data);
    await buildOther();
    expect(publishedVersions(data)).toEqual({ ...then, 'acme/third@1.0.0': expect.anything() as unknown });
    await sound();
    await run();
    const completed = publishedTree(data);
    tree.delete('data');
    await series.run({ arguments: ['one', 'two'] });
    expect(completed).toEqual(publishedTree(data));
  });

  it('does not stop a build of the source whose new release has changed since', async () => {
    await cutTwice(['a'], () => put('b', '2.0.0'));
    const then = publishedVersions(data);
    put('b', '2.0.0', 'changed');
    expect((await run()).quarantined).toMatchObject([{ version: '2.0.0', code: 'VERSION_CHANGED' }]);
    expect(publishedVersions(data)).toEqual(then);
    await sound();
  });

  it('is damaged where it cannot be read', async () => {
    await cutTwice(['a'], () => put('b', '2.0.0'));
    tree.write({ 'data/public/p2/acme/hello.json': '{' });
    await expect(buildOther()).rejects.toThrow('is damaged or lost');
  });

  it('is lost where no cut-off publication was to remove it', async () => {
    put('b', '2.0.0');
    await expect(build(request(), cutAt('documents'))).rejects.toThrow('cut off');
    tree.delete('data/public/p2/acme/hello.json');
    await expect(buildOther()).rejects.toThrow('is damaged or lost');
  });
});

describe('a prune after a rollback whose memory was cut off (I5)', () => {
  it('is no rollback: after a cut-off prune the next build loses no archive of the serving index', async () => {
    const keeping = () => series.request({ arguments: ['one'], keepHistory: 1 });
    tree.delete('one/a');
    put('b', '2.0.0');
    await build(keeping(), series.effects());
    put('c', '3.0.0');
    await build(keeping(), series.effects());
    await expect(rollBack({ to: 2, dryRun: false }, keeping(), cutAt('memory'))).rejects.toThrow('cut off');
    // a file at the path of the prune's record
    tree.write({ 'data/build/history/5': 'in the way' });
    const order = { dataDirectory: data, keepForMs: 0, dryRun: false, actor: 'cli:test' };
    const pruning = () => prune(order, series.effects().now);
    await expect(pruning()).rejects.toThrow('build/history/5');
    tree.delete('data/build/history/5');
    const { notices } = await build(keeping(), series.effects());
    await sound();
    expect(notices.map(({ message }) => message).join()).not.toContain('was interrupted; this build completed it');
    expect((await pruning()).removed.map(({ version }) => version)).toContain('1.0.0');
    await sound();
  });
});
