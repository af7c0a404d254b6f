// I18, row 77. Tests the record of an accepted release: its upstream can change the description, and not the installed
// content.

import { describe, expect, it } from 'vitest';
import { changedFields, pinnedFields } from '../../../../../proxy/mirror/versions/pinned-record.ts';
import { runMirror } from '../../../../util/running-mirror.ts';
import { startUpstream, type UpstreamVersion } from '../../../../util/upstream.ts';

const name = 'some/lib';
const accepted = {
  description: 'as it was',
  require: { php: '>=8', 'psr/log': '^3.0' },
  autoload: { 'psr-4': { 'Some\\': 'src/' } },
  bin: 'bin/x',
};

/** 1.0.0 is accepted as above, and the upstream then changes its record. */
async function afterwards(version: Omit<UpstreamVersion, 'version'>): Promise<{
  readonly record: Readonly<Record<string, unknown>>;
  readonly alarms: readonly object[];
  readonly moved: boolean;
}> {
  await using upstream = await startUpstream();
  upstream.put(name, [{ version: '1.0.0', extra: accepted }, { version: '1.1.0' }]);
  await using running = runMirror([upstream.url]);
  expect((await running.archive(name, '1.0.0'))?.status).toBe(200);
  const before = (await running.provider(name))?.headers['last-modified'];
  upstream.put(name, [{ version: '1.0.0', ...version }, { version: '1.1.0' }]);
  running.clock.nowMs += 601_000;
  const reply = await running.provider(name);
  const records = Object.values(reply?.json().packages[name] ?? {}) as readonly Readonly<Record<string, unknown>>[];
  expect(records.map((record) => record['version'])).toEqual(['1.0.0', '1.1.0']);
  expect((await running.archive(name, '1.0.0'))?.status).toBe(200);
  return {
    record: records[0] ?? {},
    alarms: running.of('release-changed'),
    moved: reply?.headers['last-modified'] !== before,
  };
}

describe('the record of an accepted release', () => {
  it('keeps the fields of the installation, and takes over changed descriptions', async () => {
    const { record, alarms, moved } = await afterwards({
      extra: {
        ...accepted,
        description: 'as it is',
        abandoned: 'other/lib',
        require: { ...accepted.require, 'hos/evil': '*' },
        replace: { 'psr/log': '*' },
        'include-path': ['x'],
      },
    });
    expect(record).toMatchObject({
      ...accepted,
      description: 'as it is',
      abandoned: 'other/lib',
      dist: { shasum: expect.stringMatching(/^[0-9a-f]{40}$/) as string },
    });
    expect([record['replace'], record['include-path'], moved]).toEqual([undefined, undefined, true]);
    expect(alarms).toMatchObject([
      {
        name,
        version: '1.0.0',
        message: expect.stringMatching(
          /^the upstream changed its require, replace, include-path\. The version accepted on .* is still served$/,
        ) as string,
      },
    ]);
  });

  it('keeps its archive when the upstream later lists a metapackage without one', async () => {
    const { record, alarms } = await afterwards({
      extra: { ...accepted, type: 'metapackage', dist: null, require: { 'hos/evil': '*' } },
    });
    expect(record).toMatchObject({ ...accepted, type: 'library', dist: { type: 'zip' } });
    expect(alarms).toMatchObject([
      { name, version: '1.0.0', message: expect.stringContaining('now gives it no archive') as string },
    ]);
  });

  it('may change its description and its form without an alarm', async () => {
    const { record, alarms } = await afterwards({
      extra: {
        ...accepted,
        description: 'as it is',
        bin: ['bin/x'],
        require: { 'psr/log': '^3.0', php: '>=8' },
        conflict: [],
      },
    });
    expect([record, alarms]).toMatchObject([{ description: 'as it is', bin: ['bin/x'] }, []]);
  });
});

it('records are equal whatever the order of keys, and with an empty list instead of none', () => {
  const same = [
    { require: { a: '1', b: '2' }, bin: ['x'] },
    { bin: 'x', require: { b: '2', a: '1' }, replace: [], conflict: {}, type: 'library', autoload: null },
  ];
  expect(new Set(same.map(pinnedFields)).size).toBe(1);
  expect(changedFields({ type: 'composer-plugin' }, { bin: ['y'] })).toEqual(['type', 'bin']);
  expect(pinnedFields({ require: { a: '1' } })).not.toBe(pinnedFields({ require: { a: '2' } }));
});
