// Tests versions that were withdrawn by hand: no build publishes them again until the withdrawal is undone.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { build } from '../../../../build/build.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { verifyTree } from '../../../../build/inspect/verify.ts';
import { publishArtifact } from '../../../../build/artifacts/publish-artifact.ts';
import { restoringRequest, withholdVersion } from '../../../../build/withdraw/withhold-version.ts';
import { buildSeries, type BuildSeries } from '../../../util/build-series.ts';
import { zipOf } from '../../../util/hostile-zip.ts';
import { below } from '../../../util/package-tree.ts';
import { publishedVersions } from '../../../util/published-tree.ts';
import { whoLibrary } from '../../../util/who-library.ts';

let series: BuildSeries;
beforeEach(async () => {
  series = buildSeries();
  for (const version of ['1.0.0', '1.1.0'])
    series.tree.write(below(`src/${version}`, whoLibrary('acme/hello', version)));
  series.tree.write(below('src/other', whoLibrary('acme/other', '1.0.0')));
  await series.run({ arguments: ['src'] });
});
afterEach(() => series.tree.remove());

const name = 'acme/hello' as PackageName;
const versions = (): string[] => Object.keys(publishedVersions(series.data)).toSorted();
const effects = { now: () => new Date(), progress: () => undefined, environment: process.env };
const withdraw = (version: string) =>
  withholdVersion({ name, version }, { request: series.request({}), effects, waitMs: 0 });
const restore = async (version: string) => {
  const request = await restoringRequest({ name, version }, series.request({}));
  return 'outcome' in request
    ? request
    : series.run({
        only: request.only ?? [],
        ...(request.withhold === undefined ? {} : { withhold: request.withhold }),
      });
};

describe('a version that was withdrawn by hand', () => {
  it('is removed at once and stays removed in every build, and its archive stays', async () => {
    expect(await withdraw('1.1.0')).toMatchObject({
      outcome: 'withdrawn',
      version: '1.1.0',
      version_normalized: '1.1.0.0',
    });
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/other@1.0.0']);
    expect(existsSync(join(series.data, 'public/dist/acme/hello/1.1.0.zip'))).toBe(true);
    series.tree.write(below('src/1.2.0', whoLibrary('acme/hello', '1.2.0')));
    expect((await series.run({ arguments: [] })).added.map(({ version }) => version)).toEqual(['1.2.0']);
    // also in a build that compares everything
    await series.run({ arguments: [], metadataUrl: '/p2/%package%.json' });
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@1.2.0', 'acme/other@1.0.0']);
    expect((await verifyTree(series.data)).faults).toEqual([]);
  });

  it('can be withdrawn again without a change, also by its normalized name', async () => {
    const first = await withdraw('1.1.0');
    expect(await withdraw('1.1.0.0')).toEqual(first);
  });

  it('an unknown version cannot be withdrawn, and nothing changes', async () => {
    expect(await withdraw('9.9.9')).toMatchObject({ outcome: 'refused', code: 'NOT_FOUND' });
    expect(existsSync(join(series.data, 'index/_withheld.json'))).toBe(false);
  });

  it('returns with the same bytes when the withdrawal is undone, although its source has not changed', async () => {
    const before = publishedVersions(series.data);
    await withdraw('1.1.0');
    expect(await restore('1.1.0')).toMatchObject({ added: [{ name: 'acme/hello', version: '1.1.0' }] });
    expect(publishedVersions(series.data)).toEqual(before);
    expect(await restore('1.1.0')).toMatchObject({ outcome: 'refused' });
    expect((await series.run({ arguments: [] })).published).toBe(false);
  });

  it('cannot be uploaded either', async () => {
    await withdraw('1.1.0');
    series.tree.write({
      'upload.zip': zipOf([{ name: 'composer.json', data: JSON.stringify({ name, version: '1.1.0' }) }]),
    });
    expect(
      await publishArtifact(
        { path: series.tree.path('upload.zip') },
        { request: series.request({}), effects, waitMs: 0 },
      ),
    ).toMatchObject({
      outcome: 'refused',
      code: 'VERSION_EXISTS',
      message: expect.stringContaining('withdrawn by hand') as string,
    });
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/other@1.0.0']);
  });

  it('withdrawing the last version removes the package', async () => {
    await withdraw('1.0.0');
    await withdraw('1.1.0');
    expect(versions()).toEqual(['acme/other@1.0.0']);
    expect(existsSync(join(series.data, 'public/p2/acme/hello.json'))).toBe(false);
  });

  it('stays withdrawn while the list is damaged: builds stop', async () => {
    await withdraw('1.1.0');
    const path = join(series.data, 'index/_withheld.json');
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, -20));
    series.tree.write(below('src/1.2.0', whoLibrary('acme/hello', '1.2.0')));
    await expect(series.run({ arguments: [] })).rejects.toThrow(/_withheld\.json is damaged/);
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/other@1.0.0']);
  });

  it.each(['serving index', 'documents', 'announcement', 'memory'])(
    'can be published again, also after a build that did so was cut off before: %s',
    async (phase) => {
      const before = publishedVersions(series.data);
      await withdraw('1.0.0');
      await withdraw('1.1.0');
      const request = await restoringRequest({ name, version: '1.1.0' }, series.request({}));
      if ('outcome' in request) throw new Error('it was withdrawn by hand');
      const cut = {
        ...series.effects(),
        progress: ({ label }: { readonly label: string }) => {
          if (label === phase) throw new Error('cut off');
        },
      };
      await expect(build(request, cut)).rejects.toThrow('cut off');
      expect((await verifyTree(series.data)).faults).toEqual([]);
      await series.run({ arguments: [] });
      expect((await verifyTree(series.data)).notices).toEqual([]);
      expect(versions()).not.toContain('acme/hello@1.0.0');
      await restore('1.1.0');
      await restore('1.0.0');
      expect(publishedVersions(series.data)).toEqual(before);
      expect((await verifyTree(series.data)).faults).toEqual([]);
    },
  );
});
