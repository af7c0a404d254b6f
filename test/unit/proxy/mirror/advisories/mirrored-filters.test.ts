// Tests filter lists of other registries: packages.json names only usable lists, and their documents contain no private
// name and cause no error.

import { describe, expect, it } from 'vitest';
import { packageName, runMirror } from '../../../../util/running-mirror.ts';
import { startUpstream } from '../../../../util/upstream.ts';

const root = {
  filter: {
    metadata: true,
    lists: { malware: { enabled: true }, optional: { enabled: false }, '__proto__ x': { enabled: true } },
  },
};

describe('filter lists', () => {
  it('are those that an upstream switches on, and stay the same array while unchanged', async () => {
    await using upstream = await startUpstream({ root });
    await using running = runMirror([upstream.url]);
    const lists = await running.mirror.filterLists();
    expect(lists).toEqual(['malware']);
    running.clock.nowMs += 61_000;
    expect(await running.mirror.filterLists()).toBe(lists);
  });

  it('are read again each minute from a registry with a feed of changes', async () => {
    const feed = { 'metadata-changes-url': '/changes.json' };
    await using upstream = await startUpstream({ root: { ...root, ...feed } });
    await using running = runMirror([upstream.url]);
    expect(await running.mirror.filterLists()).toEqual(['malware']);
    const later = {
      packages: [],
      'metadata-url': '/p2/%package%.json',
      ...feed,
      filter: { metadata: true, lists: { squatted: { enabled: true } } },
    };
    upstream.instead('/packages.json', (_request, response) => void response.end(JSON.stringify(later)));
    running.clock.nowMs += 61_000;
    await expect.poll(() => running.mirror.filterLists()).toEqual(['squatted']);
  });

  it.each([
    ['says nothing of them', {}],
    ['keeps them out of its documents', { filter: { lists: { malware: { enabled: true } }, 'api-url': '/filters' } }],
    ['says nonsense', { filter: { metadata: true, lists: ['malware'] } }],
  ])('are absent where the upstream %s', async (_, rootDocument) => {
    await using upstream = await startUpstream({ root: rootDocument });
    await using running = runMirror([upstream.url]);
    expect(await running.mirror.filterLists()).toEqual([]);
  });

  it('are absent, without an error, while the upstream fails', async () => {
    await using upstream = await startUpstream({ root });
    upstream.failing.status = 500;
    await using running = runMirror([upstream.url]);
    expect(await running.mirror.filterLists()).toEqual([]);
    expect(await running.mirror.filters([packageName('some/lib')], { nowMs: running.clock.nowMs, epoch: 1 })).toEqual(
      new Map(),
    );
  });

  it('are read from the documents of mirrored packages alone', async () => {
    await using upstream = await startUpstream({ root });
    const beside = {
      filter: { malware: [{ constraint: '1.0.0', reason: 'It phones home' }, { reason: 'no constraint' }], empty: [] },
    };
    upstream.put('some/lib', [{ version: '1.0.0' }], beside);
    upstream.put('some/clean', [{ version: '1.0.0' }]);
    upstream.put('acme/private', [{ version: '1.0.0' }], beside);
    await using running = runMirror([upstream.url]);
    running.privates.add('acme/private');
    const found = await running.mirror.filters(
      ['some/lib', 'some/clean', 'acme/private', 'some/unknown'].map(packageName),
      { nowMs: running.clock.nowMs, epoch: 1 },
    );
    expect([...found]).toEqual([['some/lib', { malware: [{ constraint: '1.0.0', reason: 'It phones home' }] }]]);
    expect(upstream.asked('/p2/acme/')).toBe(0);
  });
});
