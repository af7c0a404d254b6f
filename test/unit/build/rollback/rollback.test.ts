// Tests rollbacks: the earlier metadata is published again, later builds keep it, and new content is still published.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BuildRequest } from '../../../../build/scan/build-request.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { readHistory } from '../../../../build/history/read-history.ts';
import { netChanges } from '../../../../build/history/net-changes.ts';
import { liftRollbacks, rollBack, type RollbackReport } from '../../../../build/rollback/rollback.ts';
import { createDiskOutput } from '../../../../build/output/disk-output.ts';
import type { BuildReport } from '../../../../build/contract/build-report.ts';
import { verifyTree } from '../../../../build/inspect/verify.ts';
import { withholdVersion } from '../../../../build/withdraw/withhold-version.ts';
import { buildSeries, type BuildSeries } from '../../../util/build-series.ts';
import { below, type TemporaryTree } from '../../../util/package-tree.ts';
import { allFiles, publishedTree, publishedVersions } from '../../../util/published-tree.ts';
import { whoLibrary } from '../../../util/who-library.ts';

let tree: TemporaryTree;
let data: string;
let series: BuildSeries;

beforeEach(() => {
  series = buildSeries();
  ({ tree, data } = series);
});
afterEach(() => tree.remove());

const run = (more: Partial<BuildRequest> = {}): Promise<BuildReport> => series.run({ arguments: ['one'], ...more });
const back = (to: number, more: Partial<BuildRequest> = {}, dryRun = false): Promise<RollbackReport> =>
  rollBack({ to, dryRun }, series.request(more), series.effects());
const put = (folder: string, version: string | undefined, who = folder, name = 'acme/hello'): void =>
  tree.write(below(`one/${folder}`, whoLibrary(name, version, {}, who)));
const versions = (): string[] => Object.keys(publishedVersions(data)).toSorted();
const referenceOf = (version: string): string | undefined => publishedVersions(data)[version]?.reference;
const lastModified = (path: string): number => statSync(join(data, 'public', path)).mtimeMs / 1000;
const readers = (): Record<string, string> => publishedTree(data);
const sound = async (): Promise<void> => expect(await verifyTree(data)).toMatchObject({ ok: true, faults: [] });

describe('a rollback', () => {
  it('a rollback publishes the earlier metadata unchanged, under a new serial and a later Last-Modified', async () => {
    put('a', '1.0.0');
    put('head', undefined, 'first');
    await run();
    const then = readers();
    put('b', '2.0.0');
    put('head', undefined, 'second');
    put('x', '1.0.0', 'x', 'acme/other');
    await run();
    const [stable, dev, root] = ['p2/acme/hello.json', 'p2/acme/hello~dev.json', 'packages.json'].map(lastModified);
    const report = await back(1);
    expect(report).toMatchObject({ serial: 3, published: true });
    expect(readers()).toEqual(then);
    expect(lastModified('p2/acme/hello.json')).toBeGreaterThan(stable ?? 0);
    expect(lastModified('p2/acme/hello~dev.json')).toBeGreaterThan(dev ?? 0);
    expect(lastModified('packages.json')).toBeGreaterThan(root ?? 0);
    expect(allFiles(join(data, 'public'))).toContain('dist/acme/hello/2.0.0.zip');
    await sound();
  });

  it('a rollback restores withdrawn and replaced versions with the bytes that they had', async () => {
    put('a', '1.0.0');
    put('b', '1.1.0');
    await run();
    const then = readers();
    tree.delete('one/b');
    put('a', '1.0.0', 'other bytes');
    await run({ allowRepublish: true });
    await back(1);
    expect(readers()).toMatchObject(then);
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@1.1.0']);
    await sound();
  });

  it('a rollback goes back over several publications, and forward again to the latest', async () => {
    put('a', '1.0.0');
    await run();
    const states = [readers()];
    for (const step of [2, 3, 4]) {
      put(`r${step}`, `${step}.0.0`);
      put('head', undefined, `head ${step}`);
      await run();
      states.push(readers());
    }
    await back(2);
    expect(readers()).toEqual(states[1]);
    const { undone } = await back(4);
    expect(readers()).toEqual(states[3]);
    expect(undone).toEqual([]);
    await back(1);
    expect(readers()).toEqual(states[0]);
    await sound();
  });

  it('undoing a rollback keeps a restored version that its source has lost, until the source has it again', async () => {
    put('a', '1.0.0');
    await run();
    put('b', '2.0.0');
    await run();
    await back(1);
    tree.delete('one/b');
    await run();
    await back(2);
    put('c', '3.0.0');
    const { notices } = await run();
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@2.0.0', 'acme/hello@3.0.0']);
    expect(notices.map(({ message }) => message).join()).toContain('acme/hello 2.0.0 (brought back)');
    put('b', '2.0.0');
    expect((await run()).notices).toEqual([]);
    tree.delete('one/b');
    await run();
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@3.0.0']);
    await sound();
  });

  it('a rollback writes only the packages that changed', async () => {
    put('a', '1.0.0');
    put('x', '1.0.0', 'x', 'acme/other');
    await run();
    put('b', '2.0.0');
    await run();
    const { ino, mtimeMs } = statSync(join(data, 'public/p2/acme/other.json'));
    await back(1);
    expect(statSync(join(data, 'public/p2/acme/other.json'))).toMatchObject({ ino, mtimeMs });
    expect((await readHistory(createDiskOutput(data)))[0]?.packages.map(({ name }) => name)).toEqual(['acme/hello']);
  });

  it('a dry run of a rollback reports the changes and makes none', async () => {
    put('a', '1.0.0');
    await run();
    put('b', '2.0.0');
    await run();
    const before = allFiles(data).map((path) => [path, statSync(join(data, path)).ino]);
    const report = await back(1, {}, true);
    expect(report).toMatchObject({ serial: 2, published: false });
    expect(report.changes.versions).toMatchObject([{ name: 'acme/hello', version: '2.0.0', after: null }]);
    expect(allFiles(data).map((path) => [path, statSync(join(data, path)).ino])).toEqual(before);
  });

  it('a rollback does not restore versions that were withdrawn by hand', async () => {
    put('a', '1.0.0');
    put('b', '1.1.0');
    await run();
    await withholdVersion(
      { name: 'acme/hello' as PackageName, version: '1.1.0' },
      { request: series.request({}), effects: series.effects(), waitMs: 0 },
    );
    put('c', '2.0.0');
    await run();
    await back(1);
    expect(versions()).toEqual(['acme/hello@1.0.0']);
    await run();
    expect(versions()).toEqual(['acme/hello@1.0.0']);
  });

  it('a rollback restores the versions of a source that was forgotten since, until they are forgotten too', async () => {
    put('a', '1.0.0');
    await run();
    tree.write(below('two/x', whoLibrary('acme/other', '1.0.0')));
    await series.run({ arguments: ['two'] });
    await series.run({ forget: ['one'] });
    await back(2);
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/other@1.0.0']);
    await series.run({});
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/other@1.0.0']);
    await series.run({ forget: ['unknown'] });
    expect(versions()).toEqual(['acme/other@1.0.0']);
  });

  it('a rollback without differences publishes nothing', async () => {
    put('a', '1.0.0');
    await run();
    expect(await back(1)).toMatchObject({ serial: 1, published: false, changes: { versions: [], metadata: [] } });
  });
});

describe('a build after a rollback', () => {
  beforeEach(async () => {
    put('a', '1.0.0');
    put('head', undefined, 'good');
    await run();
    put('b', '2.0.0');
    put('head', undefined, 'bad');
    tree.delete('one/a');
    await run();
    await back(1);
  });

  it('keeps the rollback while the sources are unchanged, remembered or not, and reports that', async () => {
    const then = readers();
    const quiet = await run();
    expect(quiet).toMatchObject({ published: false });
    expect(quiet.notices.map(({ message }) => message).join()).toMatch(/A rollback keeps acme\/hello .* unchanged/);
    expect(readers()).toEqual(then);
    rmSync(join(data, 'build/manifest.json'));
    rmSync(join(data, 'build/sources'), { recursive: true });
    await run();
    expect(readers()).toEqual(then);
  });

  it('keeps the rollback while other versions of the package are added', async () => {
    put('c', '3.0.0');
    expect((await run()).added.map(({ version }) => version)).toEqual(['3.0.0']);
    expect(versions()).not.toContain('acme/hello@2.0.0');
    expect(versions()).toContain('acme/hello@1.0.0');
    await sound();
  });

  it('publishes the branch again as soon as its content changes, and ends the hold', async () => {
    const label = versions().find((version) => version.includes('dev-')) ?? '';
    const good = referenceOf(label);
    put('head', undefined, 'mended');
    expect((await run()).changed).toHaveLength(1);
    const mended = referenceOf(label);
    expect(mended).not.toBe(good);
    put('head', undefined, 'bad');
    expect((await run()).changed).toHaveLength(1);
    expect(referenceOf(label)).not.toBe(mended);
  });

  it('publishes the content of the sources once the rollback is lifted', async () => {
    await liftRollbacks(series.request({}), series.effects());
    const report = await run();
    expect(report.withdrawn.map(({ version }) => version)).toEqual(['1.0.0']);
    expect(versions()).toContain('acme/hello@2.0.0');
    expect(report.notices.map(({ message }) => message).join()).not.toMatch(/rollback/);
    expect((await run()).published).toBe(false);
    await sound();
  });

  it('withdraws a restored version when its source is forgotten', async () => {
    await series.run({ forget: ['one'] });
    expect(versions()).toEqual([]);
  });
});

describe('an impossible rollback', () => {
  beforeEach(async () => {
    put('a', '1.0.0');
    put('b', '2.0.0');
    await run();
    tree.delete('one/b');
    await run();
  });

  it('names the missing archives and changes nothing', async () => {
    rmSync(join(data, 'public/dist/acme/hello/2.0.0.zip'));
    const before = readers();
    await expect(back(1)).rejects.toThrow(
      /these are gone:\n {2}acme\/hello 2\.0\.0: public\/dist\/acme\/hello\/2\.0\.0\.zip\n/,
    );
    expect(readers()).toEqual(before);
  });

  it('names the damaged document of the history', async () => {
    const kept =
      allFiles(join(data, 'build/history')).find((path) => path.startsWith('2/') && !path.endsWith('record.json')) ??
      '';
    const path = join(data, 'build/history', kept);
    writeFileSync(path, readFileSync(path, 'utf8').replace('2.0.0', '2.0.1'));
    await expect(back(1)).rejects.toThrow(
      /these are gone:\n {2}build\/history\/2\/[0-9a-f]{64}: the stable versions of acme\/hello/,
    );
  });

  it.each([
    [7, /There is no publication 7 yet: the current one is 2\./],
    [0, /Publication 0 is unknown/],
  ])('to the unrecorded publication %i is refused', async (to, message) => {
    await expect(back(to)).rejects.toThrow(message);
  });

  it('under other settings than those of the last build is refused', async () => {
    await expect(back(1, { distBaseUrl: 'https://other.example' })).rejects.toThrow(/used other settings/);
  });
});

describe('the publication history', () => {
  it('keeps the configured number of publications, and goes back no further', async () => {
    for (const step of [1, 2, 3, 4, 5]) {
      put(`r${step}`, `${step}.0.0`);
      await run({ keepHistory: 2 });
    }
    expect((await readHistory(createDiskOutput(data))).map(({ serial }) => serial)).toEqual([5, 4]);
    expect(new Set(allFiles(join(data, 'build/history')).map((path) => path.split('/')[0]))).toEqual(
      new Set(['4', '5']),
    );
    await expect(back(2)).rejects.toThrow(/Publication 2 is unknown.* The record goes from 3 to 5/);
    expect((await back(3)).published).toBe(true);
  });

  it('lists added, changed and removed versions, the actor and the source', async () => {
    put('a', '1.0.0');
    put('head', undefined, 'first');
    await run({ by: { actor: 'cli:me', command: 'build' } });
    put('head', undefined, 'second');
    tree.delete('one/a');
    await run();
    const [second, first] = await readHistory(createDiskOutput(data));
    expect(first).toMatchObject({
      serial: 1,
      previous: 0,
      by: { actor: 'cli:me', command: 'build' },
      packages: [{ name: 'acme/hello', changed: [], withdrawn: [] }],
    });
    expect(first?.packages[0]?.added).toHaveLength(2);
    expect(second).toMatchObject({
      serial: 2,
      previous: 1,
      by: null,
      packages: [{ added: [], changed: [{}], withdrawn: [{ version: '1.0.0' }] }],
    });
    expect(Object.values(second?.sources ?? {}).join()).toContain('one');
  });

  it('of several publications omits versions that were added and removed in between', async () => {
    put('a', '1.0.0');
    await run();
    put('b', '2.0.0');
    await run();
    tree.delete('one/b');
    put('c', '3.0.0');
    await run();
    const records = (await readHistory(createDiskOutput(data))).filter(({ serial }) => serial > 1);
    expect(netChanges(records).versions).toMatchObject([{ version: '3.0.0', before: null }]);
    expect(netChanges(records, true).versions).toMatchObject([{ version: '3.0.0', after: null }]);
  });

  it('stores nothing for a first publication, and the replaced documents for each later one', async () => {
    put('a', '1.0.0');
    await run();
    expect(allFiles(join(data, 'build/history'))).toEqual(['1/record.json']);
    const { ino } = statSync(join(data, 'public/p2/acme/hello.json'));
    put('b', '2.0.0');
    await run();
    const kept = allFiles(join(data, 'build/history/2')).filter((path) => path !== 'record.json');
    expect(kept.map((path) => statSync(join(data, 'build/history/2', path)).ino)).toEqual([ino]);
  });
});
