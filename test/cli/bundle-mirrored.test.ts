// Tests bundles with packages of other registries: they land in the mirror, what was accepted there stays, and nothing
// enters that an upstream could not have sent either (row 100).

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeSelf } from '../../build/output/lock-owner.ts';
import { bundleOf, partsOf, rowOf, type BundleParts } from '../util/bundle-bytes.ts';
import { zipOf } from '../util/hostile-zip.ts';
import { archiveFor, mirroringRegistry, type MirroringRegistry } from '../util/mirroring-registry.ts';
import { allFiles } from '../util/published-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { sha1Of, startUpstream, type TestUpstream } from '../util/upstream.ts';
import { itInSeries } from '../util/series.ts';

describe('a bundle with mirrored packages', () => {
  let upstream: TestUpstream;
  let registry: MirroringRegistry;
  const at = (data: string, ...args: readonly string[]) =>
    runCli([...args, '--data', data], { cwd: registry.folder.path });
  const bundle = () => registry.folder.at('all.tar');
  const mirrored = (data: string): readonly string[] =>
    allFiles(registry.folder.at(data, 'mirror')).filter((path) => /\.(?:zip|json)$/.test(path));

  beforeAll(async () => {
    upstream = await startUpstream();
    const listed = { filter: { malware: [{ constraint: '9.9.9' }] } };
    upstream.put(
      'some/lib',
      ['1.0.0', '1.1.0', 'dev-main'].map((version) => ({ version, zip: archiveFor(version) })),
      listed,
    );
    registry = await mirroringRegistry(upstream.url);
    await registry.warm(['some/lib', '1.0.0'], ['some/lib', 'dev-main']);
    await registry.json('bundle', '--name', 'libretto', '--out', 'all.tar');
  });
  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  it('stores archives, documents and lists as they are, with the time of the last check', async () => {
    // a former run was killed before it removed its lock
    mkdirSync(registry.folder.at('there/build/receive'), { recursive: true });
    const lock = { ...(await describeSelf(new Date())), pid: 2 ** 22 + 1 };
    writeFileSync(registry.folder.at('there/build/receive/.libretto.lock'), JSON.stringify(lock));
    const received = await at('there', 'receive', 'all.tar', '--json');
    expect([received.exitCode, JSON.parse(received.stdout)]).toMatchObject([
      0,
      { bundle: { mirrored: [{ version: '1.0.0' }, { version: 'dev-main' }], mirrored_here: 0, left_out: [] } },
    ]);
    expect(existsSync(registry.folder.at('there/build/receive'))).toBe(false);
    expect(received.stderr).toContain('are stored, and not served: this registry does not mirror it');
    expect(mirrored('there')).toEqual(mirrored('data'));
    for (const path of mirrored('data')) {
      const [from, to] = ['data', 'there'].map((data) => registry.folder.at(data, 'mirror', path)) as [string, string];
      expect(readFileSync(to).equals(readFileSync(from)), path).toBe(true);
      if (!path.startsWith('dist/'))
        expect(Math.floor(statSync(to).mtimeMs / 1000)).toBe(Math.floor(statSync(from).mtimeMs / 1000));
    }
    expect((await at('there', 'mirror', 'verify')).exitCode).toBe(0);
  });

  itInSeries('counts the registries of libretto.json, also while there is no state', async () => {
    const settings = { egress: { allow: ['127.0.0.0/8'] }, sources: [{ type: 'composer', url: upstream.url }] };
    writeFileSync(registry.folder.at('mirrors.json'), JSON.stringify(settings));
    expect(await at('elsewhere', 'receive', 'all.tar', '--config', 'mirrors.json', '--dry-run')).toMatchObject({
      exitCode: 0,
      stderr: expect.not.stringContaining('not served') as string,
    });
  });

  itInSeries('brings what is new since a publication, and says what is missing before it', async () => {
    await registry.json('build', registry.sources('acme/more'));
    await registry.warm(['some/lib', '1.1.0']);
    await registry.json('bundle', '--name', 'libretto', '--since', '2', '--out', 'more.tar');
    const archives = partsOf(registry.folder.at('more.tar')).manifest.files.filter(({ path }) => path.endsWith('.zip'));
    expect(archives.map(({ path }) => path.split('/', 1)[0])).toEqual(['mirror']);
    const early = await at('empty', 'receive', 'more.tar');
    expect([early.exitCode, early.stderr, existsSync(registry.folder.at('empty'))]).toEqual([
      2,
      expect.stringMatching(
        /this registry lacks the archive of some\/lib .*Receive the bundle of publication 2/,
      ) as string,
      false,
    ]);
  });

  itInSeries('leaves an archive that was accepted with other bytes, and says so', async () => {
    upstream.put('some/lib', [{ version: '1.0.0', zip: archiveFor('something else') }]);
    await using other = await mirroringRegistry(upstream.url);
    await other.warm(['some/lib', '1.0.0']);
    const before = allFiles(other.folder.at('data/mirror/dist'));
    const received = await other.cli('receive', bundle());
    expect([received.exitCode, received.stderr]).toEqual([
      1,
      expect.stringContaining('some/lib 1.0.0 is stored here with other bytes, which stay.') as string,
    ]);
    expect(allFiles(other.folder.at('data/mirror/dist'))).toEqual(expect.arrayContaining(before));
    expect((await other.cli('mirror', 'verify')).exitCode).toBe(0);
  });

  /** Replaces the archive of 1.0.0, and its digests wherever they are. */
  const withArchive = (
    zip: Buffer,
    change: (record: Record<string, unknown>) => void = () => undefined,
  ): BundleParts => {
    const { manifest, contents } = partsOf(bundle());
    const files = manifest.files.map(({ path }, index) => ({ path, content: contents[index] ?? zip }));
    const record = files.find(
      ({ path, content }) =>
        path.endsWith('.json') && String(content).includes('"version":"1.0.0","version_normalized"'),
    );
    const json = JSON.parse(String(record?.content)) as Record<string, unknown>;
    const [old, sum] = [String(json['shasum']), sha1Of(zip)];
    Object.assign(json, { shasum: sum, size: zip.length });
    change(json);
    const next = files
      .map(({ path, content }) =>
        path === record?.path
          ? { path, content: Buffer.from(JSON.stringify(json)) }
          : path.includes(old)
            ? { path: path.replace(old, sum), content: zip }
            : { path, content },
      )
      .sort((one, two) => (one.path < two.path ? -1 : 1));
    return {
      manifest: { ...manifest, files: next.map(({ path, content }) => rowOf(path, content)) },
      contents: next.map(({ content }) => content),
    };
  };
  const evil = zipOf([{ name: '../../evil.php', data: '<?php' }]);
  const good = archiveFor('good');

  it.each<readonly [string, () => BundleParts, string]>([
    ['a ZIP that leads out of its folder', () => withArchive(evil), 'the archive of some/lib 1.0.0 is refused'],
    ['what is no ZIP', () => withArchive(Buffer.from('no ZIP')), 'the archive of some/lib 1.0.0 is refused'],
    [
      'a record of another size',
      () => withArchive(good, (json) => void (json['size'] = 1)),
      'is not the one that its record names',
    ],
    [
      'a record of another package',
      () => withArchive(good, (json) => void (json['name'] = 'acme/app')),
      'is of another version',
    ],
    [
      'a record of another version',
      () => withArchive(good, (json) => void (json['version'] = '9.0.0')),
      'is of another version',
    ],
    [
      'a record that Composer cannot load',
      () => withArchive(good, (json) => void (json['record'] = { name: 'some/lib', version: 'x y' })),
      'is unusable',
    ],
  ])('refuses %s, and changes nothing', async (_what, parts, message) => {
    writeFileSync(registry.folder.at('hostile.tar'), bundleOf(parts()));
    const { exitCode, stderr } = await at('untouched', 'receive', 'hostile.tar');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message) as string]);
    expect(existsSync(registry.folder.at('untouched'))).toBe(false);
  });
});
