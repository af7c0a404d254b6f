// Tests archives of two labels of one release, such as 1.0.0 and 1.0.0+build5: each has a record of its own, also
// beside records of older versions, which kept one for both.

import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { archiveKey } from '../../../../../proxy/mirror/archives/archive-record.ts';
import { removePurged } from '../../../../../proxy/mirror/archives/remove-purged.ts';
import type { NormalizedVersion } from '../../../../../build/contract/version.ts';
import { name } from '../../../../util/mirrored-archive.ts';
import { packageName, runMirror, type RunningMirror } from '../../../../util/running-mirror.ts';
import { startUpstream, type TestUpstream } from '../../../../util/upstream.ts';
import { zipBytes } from '../../../../util/hand-made-tree.ts';

const build = { version: '1.0.0+build5', zip: zipBytes('build5') };
const plain = { version: '1.0.0', zip: zipBytes('plain') };
const keyOf = (version: string): string =>
  archiveKey({ version, normalized: '1.0.0.0' as NormalizedVersion, dev: false, reference: '' });

/** The record of build5 has the name that an older version gave it. */
async function asOlderVersionLeftIt(upstream: TestUpstream): Promise<RunningMirror> {
  upstream.put(name, [build]);
  const running = runMirror([upstream.url]);
  expect((await running.archive(name, build.version))?.body).toEqual(build.zip);
  const folder = running.folder.at('mirror', 'dist', name);
  renameSync(join(folder, `${keyOf(build.version)}.json`), join(folder, `${keyOf(plain.version)}.json`));
  await running.mirror.close();
  return running;
}

it('each label has its own archive, and its own checksum in the document', async () => {
  await using upstream = await startUpstream();
  upstream.put(name, [build, plain]);
  await using running = runMirror([upstream.url]);
  for (const { version, zip } of [plain, build, plain])
    expect((await running.archive(name, version))?.body).toEqual(zip);
  expect(Object.keys((await running.provider(name))?.json().packages[name] ?? {})).toEqual([
    build.version,
    plain.version,
  ]);
  expect(running.of('release-changed')).toEqual([]);
});

it('the second label gets a new date of the document, as the first does', async () => {
  await using upstream = await startUpstream();
  upstream.put(name, [
    { ...build, shasum: '' },
    { ...plain, shasum: '' },
  ]);
  await using running = runMirror([upstream.url]);
  const dates = [(await running.provider(name))?.headers['last-modified']];
  for (const { version } of [plain, build]) {
    await running.archive(name, version);
    dates.push((await running.provider(name))?.headers['last-modified']);
  }
  const times = dates.map((date) => Date.parse(date ?? ''));
  expect(times).toEqual([times[0], (times[0] ?? 0) + 1000, (times[0] ?? 0) + 2000]);
});

it('a record of an older version still holds its release, and makes room for the other label', async () => {
  await using upstream = await startUpstream();
  await using before = await asOlderVersionLeftIt(upstream);
  upstream.put(name, [{ ...build, extra: { require: { 'hos/evil': '*' } } }, plain]);
  await using running = runMirror([upstream.url], { at: before.folder });
  running.clock.nowMs += 700_000;
  const versions = (await running.provider(name))?.json().packages[name] as unknown as Record<
    string,
    { require: object }
  >;
  expect(versions[build.version]?.require).toEqual({ php: '>=7.2' });
  expect(running.of('release-changed')).toMatchObject([{ version: build.version }]);
  for (const { version, zip } of [plain, build]) expect((await running.archive(name, version))?.body).toEqual(zip);
  const files = readdirSync(running.folder.at('mirror', 'dist', name)).filter((file) => file.endsWith('.json'));
  expect(files.toSorted()).toEqual([`${keyOf(plain.version)}.json`, `${keyOf(build.version)}.json`].toSorted());
});

it('a purge removes a record of an older version', async () => {
  await using upstream = await startUpstream();
  await using before = await asOlderVersionLeftIt(upstream);
  const row = {
    name: packageName(name),
    version: build.version,
    version_normalized: '1.0.0.0',
    reference: '',
    sha1: '',
  };
  await removePurged(before.folder.at('mirror'), [{ ...row, source: null, since: '', reason: '' } as never]);
  expect(readdirSync(before.folder.at('mirror', 'dist', name))).toEqual([]);
});
