// I21. Tests purges in a series of builds: a version and its bytes are removed from the whole data folder, and never
// return.

import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BuildRequest } from '../../../../build/scan/build-request.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { liftRollbacks, rollBack } from '../../../../build/rollback/rollback.ts';
import { prune } from '../../../../build/prune/prune.ts';
import { purgeVersion, type PurgeOrder, type PurgeOutcome } from '../../../../build/purge/purge-version.ts';
import type { BuildReport } from '../../../../build/contract/build-report.ts';
import { verifyTree } from '../../../../build/inspect/verify.ts';
import { restoringRequest, withholdVersion } from '../../../../build/withdraw/withhold-version.ts';
import { buildSeries, type BuildSeries } from '../../../util/build-series.ts';
import { createRepository } from '../../../util/git-repository.ts';
import { filesWithSecret, leakedSecret as secret, packageContaining } from '../../../util/leaked-version.ts';
import type { TemporaryTree } from '../../../util/package-tree.ts';
import { publishedVersions } from '../../../util/published-tree.ts';

let tree: TemporaryTree;
let data: string;
let series: BuildSeries;

beforeEach(() => {
  series = buildSeries();
  ({ tree, data } = series);
});
afterEach(async () => {
  expect((await verifyTree(data)).faults).toEqual([]);
  tree.remove();
});

const name = 'acme/hello' as PackageName;
const put = (folder: string, version: string | undefined, who: string): void =>
  tree.write(packageContaining(`src/${folder}`, version, who));
const build = (more: Partial<BuildRequest> = {}): Promise<BuildReport> =>
  series.run({ arguments: ['src'], allowWithdraw: false, ...more });
const versions = (): string[] => Object.keys(publishedVersions(data)).toSorted();
const leaks = (): string[] => filesWithSecret(data);

async function purge(version: string, more: Partial<PurgeOrder> = {}): Promise<PurgeOutcome> {
  const outcome = await purgeVersion(
    { name, version, reference: undefined, reason: 'secret', dryRun: false, mirrored: [], ...more },
    { request: series.request({}), effects: series.effects(), waitMs: 0 },
  );
  if (outcome.outcome === 'refused') throw new Error(outcome.message);
  return outcome;
}

/** 1.1.0 contains the secret; each of three publications is recorded. */
async function leak(): Promise<void> {
  for (const [folder, version, who] of [
    ['one', '1.0.0', 'first'],
    ['two', '1.1.0', secret],
    ['three', '1.2.0', 'third'],
  ] as const) {
    put(folder, version, who);
    await build();
  }
  expect(new Set(leaks().map((file) => file.split('/').slice(0, 2).join('/')))).toEqual(
    new Set(['build/history', 'index/_texts', 'public/dist', 'public/p2']),
  );
}

describe('a purged version', () => {
  it('is removed from the whole data folder, and everything else stays', async () => {
    await leak();
    const { 'acme/hello@1.1.0': _gone, ...others } = publishedVersions(data);
    expect(await purge('1.1.0')).toMatchObject({
      outcome: 'purged',
      serial: 4,
      contents: [{ name, version: '1.1.0', state: 'published' }],
      files: ['dist/acme/hello/1.1.0.zip'],
      sources: ['dir:../src'],
    });
    expect(leaks()).toEqual([]);
    expect(publishedVersions(data)).toEqual(others);
  });

  it('is removed from history too where its record is damaged or missing', async () => {
    await leak();
    const documents = leaks().filter((file) => file.startsWith('build/history/'));
    expect(documents).not.toEqual([]);
    const [document = ''] = documents;
    tree.write({ [`data/${dirname(document)}/record.json`]: '{' });
    tree.write({ 'data/build/history/9/unrecorded': readFileSync(`${data}/${document}`, 'utf8') });
    await purge('1.1.0');
    expect(leaks()).toEqual([]);
  });

  it('is reported by later builds, which continue, and returns neither by rollback nor with --allow-republish', async () => {
    await leak();
    await purge('1.1.0');
    for (const more of [{}, {}, { allowRepublish: true }, { strict: true, metadataUrl: '/p2/%package%.json' }]) {
      const { blocked, notices, quarantined } = await build(more);
      expect(blocked).toMatchObject([{ version: '1.1.0', reason: 'secret' }]);
      expect(notices.map(({ message }) => message).join()).toMatch(
        /acme\/hello 1\.1\.0 \(.*\) is not published\. This version was purged on 2026-01-01 \(secret\)/,
      );
      expect(quarantined).toEqual([]);
    }
    const request = series.request({ metadataUrl: '/p2/%package%.json' });
    await rollBack({ to: 2, dryRun: false }, request, series.effects());
    expect(versions()).toEqual(['acme/hello@1.0.0']);
    await liftRollbacks(request, series.effects());
    await build();
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@1.2.0']);
    expect(leaks()).toEqual([]);
    rmSync(tree.path('src/two'), { recursive: true });
    expect(await build()).toMatchObject({ blocked: [] });
  });

  it('blocks its label for other content, and its files under another label', async () => {
    await leak();
    await purge('1.1.0');
    put('two', '1.1.0', 'mended');
    expect(await build()).toMatchObject({ blocked: [{ version: '1.1.0' }] });
    put('two', '1.1.1', secret);
    const first = await build();
    expect(first.blocked).toMatchObject([{ version: '1.1.1' }]);
    expect(JSON.stringify(first.notices)).toContain('Its content is that of acme/hello 1.1.0');
    expect((await build()).blocked).toEqual(first.blocked);
    expect([versions(), leaks()]).toEqual([['acme/hello@1.0.0', 'acme/hello@1.2.0'], []]);
    put('two', '1.1.1', 'mended');
    expect(await build()).toMatchObject({ blocked: [], added: [{ version: '1.1.1' }] });
  });

  it('blocks its bytes in another package', async () => {
    const repository = createRepository(tree.path('git'), [
      { commit: 'main', files: { 'composer.json': '{"name":"acme/one"}', 'key.txt': secret } },
    ]);
    await series.run({ arguments: [tree.path('git')] });
    await purge('dev-main', { name: 'acme/one' as PackageName });
    repository.append([
      { commit: 'main', files: { 'composer.json': '{"name":"acme/two"}' } },
      { tag: '1.0.0', at: 'main' },
    ]);
    const { blocked } = await series.run({ arguments: [tree.path('git')] });
    expect(blocked.map(({ name: of, version }) => `${of} ${version}`).toSorted()).toEqual([
      'acme/two 1.0.0',
      'acme/two dev-main',
    ]);
    repository.append([{ commit: 'main', files: { 'key.txt': 'none' } }]);
    await series.run({ arguments: [tree.path('git')] });
    expect(versions()).toEqual(['acme/two@dev-main']);
  });

  it('can be one content of a branch, or all; the branch continues', async () => {
    put('dev', undefined, 'clean');
    await build();
    put('dev', undefined, secret);
    await build();
    const reference = publishedVersions(data)['acme/hello@dev-main']?.reference ?? '';
    put('dev', undefined, 'clean again');
    await build();
    await purge('dev-main', { reference: reference.slice(0, 8) });
    expect([versions(), leaks()]).toEqual([['acme/hello@dev-main'], []]);
    put('dev', undefined, secret);
    expect(await build()).toMatchObject({ blocked: [{ version: 'dev-main' }], withdrawn: [] });
    expect(versions()).toEqual(['acme/hello@dev-main']);
    await purge('dev-main');
    expect(versions()).toEqual([]);
    expect(await build()).toMatchObject({ blocked: [{ version: 'dev-main' }] });
    put('dev', undefined, 'a third');
    await build();
    expect(versions()).toEqual(['acme/hello@dev-main']);
  });

  it('is removed with the branch at the same commit, and its remote is cloned anew', async () => {
    const repository = createRepository(tree.path('git'), [
      { commit: 'main', files: { 'composer.json': '{"name":"acme/hello"}', 'key.txt': secret } },
      { tag: '1.0.0', at: 'main' },
    ]);
    await series.run({ arguments: [tree.path('git')] });
    const planned = await purge('1.0.0', { dryRun: true });
    expect(planned.contents.map(({ version }) => version).toSorted()).toEqual(['1.0.0', 'dev-main']);
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@dev-main']);
    await purge('1.0.0');
    expect([versions(), leaks()]).toEqual([[], []]);
    repository.append([
      { commit: 'main', files: { 'key.txt': 'none' } },
      { tag: '1.0.1', at: 'main' },
    ]);
    expect((await series.run({ arguments: [tree.path('git')] })).blocked).toMatchObject([{ version: '1.0.0' }]);
    expect(versions()).toEqual(['acme/hello@1.0.1', 'acme/hello@dev-main']);
  });

  it('does not affect the other packages of its commit', async () => {
    const repository = createRepository(tree.path('git'), [
      {
        commit: 'main',
        files: {
          'one/composer.json': '{"name":"acme/one"}',
          'one/key.txt': secret,
          'two/composer.json': '{"name":"acme/two"}',
        },
      },
      { tag: '1.0.0', at: 'main' },
    ]);
    const configured = [{ source: `git:${repository.path}`, options: { subdirectories: ['*'] }, where: 'sources[0]' }];
    await series.run({ configured });
    const outcome = await purge('1.0.0', { name: 'acme/one' as PackageName });
    expect(outcome.contents.map(({ name: of, version }) => `${of} ${version}`).toSorted()).toEqual([
      'acme/one 1.0.0',
      'acme/one dev-main',
    ]);
    const { blocked } = await series.run({ configured });
    expect(blocked.map(({ name: of, version }) => `${of} ${version}`).toSorted()).toEqual([
      'acme/one 1.0.0',
      'acme/one dev-main',
    ]);
    expect(versions()).toEqual(['acme/two@1.0.0', 'acme/two@dev-main']);
  });

  it('can be purged again without a change, and cannot be restored by undoing a withdrawal', async () => {
    await leak();
    const build110 = { request: series.request({}), effects: series.effects(), waitMs: 0 };
    await withholdVersion({ name, version: '1.1.0' }, build110);
    const first = await purge('1.1.0');
    expect(await purge('1.1.0.0', { reason: 'other' })).toMatchObject({
      serial: first.serial,
      since: first.since,
      reason: 'secret',
      contents: [{ version: '1.1.0', state: 'purged' }],
    });
    expect(await restoringRequest({ name, version: '1.1.0' }, series.request({}))).toMatchObject({
      outcome: 'refused',
      code: 'VERSION_PURGED',
    });
    expect(leaks()).toEqual([]);
  });

  it('is reported with versions that have the same files in another archive; those stay', async () => {
    put('one', '1.0.0', secret);
    put('two', '1.1.0', secret);
    await build();
    expect(await purge('1.1.0')).toMatchObject({
      contents: [{ version: '1.1.0' }],
      alike: [{ name, version: '1.0.0' }],
    });
    await build();
    expect(versions()).toEqual(['acme/hello@1.0.0']);
  });
});

describe('a release that prune removed', () => {
  it('returns with equal bytes only, or with --allow-republish', async () => {
    put('one', '1.0.0', 'first');
    put('two', '1.1.0', 'second');
    await build();
    const before = publishedVersions(data);
    rmSync(tree.path('src/two'), { recursive: true });
    await build({ keepHistory: 1 });
    await build({ keepHistory: 1, metadataUrl: '/p2/%package%.json' });
    const { removed } = await prune(
      { dataDirectory: data, keepForMs: 0, dryRun: false, actor: 'cli:test' },
      series.effects().now,
    );
    expect(removed.map(({ version }) => version)).toEqual(['1.1.0']);
    put('two', '1.1.0', 'changed');
    expect((await build()).quarantined).toMatchObject([
      {
        code: 'VERSION_CHANGED',
        version: '1.1.0',
        message: expect.stringContaining('was published before and pruned') as string,
      },
    ]);
    put('two', '1.1.0', 'second');
    expect(await build()).toMatchObject({ added: [{ version: '1.1.0' }], quarantined: [] });
    expect(publishedVersions(data)).toEqual(before);
  });
});
