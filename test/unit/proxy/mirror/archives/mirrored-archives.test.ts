// Tests archives of mirrored packages: they are fetched on first use, streamed while they arrive, and stored unchanged.
// The upstream is a server on loopback; mirrored-archives-refused.test.ts has the refused archives.

import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bytesOf, storedArchives, large, name, pathOf } from '../../../../util/mirrored-archive.ts';
import { runMirror, type RunningMirror } from '../../../../util/running-mirror.ts';
import { zipBytes } from '../../../../util/hand-made-tree.ts';
import { referenceFor, sha1Of, startUpstream } from '../../../../util/upstream.ts';
import { allFiles } from '../../../../util/published-tree.ts';

describe('an archive of a mirrored package', () => {
  it('is fetched on first use and then served locally, even after upstream or record are gone', async () => {
    await using upstream = await startUpstream();
    const dev = { version: 'dev-main', reference: referenceFor('first'), zip: zipBytes('first') };
    upstream.put(name, [{ version: '1.0.0' }, { version: 'v2.0', zip: large }, dev]);
    await using running = runMirror([upstream.url]);
    expect(bytesOf(await running.archive(name, '1.0.0'))).toBe(sha1Of(zipBytes(`${name} 1.0.0`)));
    expect(bytesOf(await running.archive(name, '2.0.0.0'))).toBe(sha1Of(large));
    expect(bytesOf(await running.archive(name, 'dev-main', dev.reference))).toBe(sha1Of(dev.zip));
    expect(storedArchives(running)).toHaveLength(3);
    upstream.put(name, [{ version: 'dev-main', reference: referenceFor('second'), zip: zipBytes('second') }]);
    running.clock.nowMs += 601_000;
    expect(bytesOf(await running.archive(name, 'dev-main', referenceFor('second')))).toBe(sha1Of(zipBytes('second')));
    upstream.failing.status = 500;
    await using restarted = runMirror([upstream.url], { at: running.folder });
    for (const served of [running, restarted]) {
      expect(bytesOf(await served.archive(name, '1.0.0', referenceFor(`${name} 1.0.0`)))).toBe(
        sha1Of(zipBytes(`${name} 1.0.0`)),
      );
      expect(bytesOf(await served.archive(name, 'dev-main', dev.reference.slice(0, 8)))).toBe(sha1Of(dev.zip));
      expect(bytesOf(await served.archive(name, 'v2.0'))).toBe(sha1Of(large));
    }
    expect(upstream.asked('/files/')).toBe(4);
  });

  it('an unknown version or reference has no archive', async () => {
    await using upstream = await startUpstream();
    upstream.put(name, [{ version: '1.0.0' }]);
    await using running = runMirror([upstream.url]);
    expect(await running.archive(name, '1.0.1')).toBeUndefined();
    expect(await running.archive(name, '1.0.0', referenceFor('other'))).toBeUndefined();
    expect(upstream.asked('/files/')).toBe(0);
  });

  it('is listed with its checksum as soon as that is known, also where the upstream has none; the document gets a new date', async () => {
    await using upstream = await startUpstream();
    const versions = ['1.2.0', '1.1.0', '1.0.0'].map((version) => ({ version, shasum: '' }));
    upstream.put(name, versions);
    await using running = runMirror([upstream.url]);
    const seen: { readonly date: number; readonly checksums: number }[] = [];
    const look = async (at: RunningMirror): Promise<void> => {
      const reply = await at.provider(name, 'stable', {
        ifModifiedSince: seen.length === 0 ? undefined : new Date(seen.at(-1)?.date ?? 0).toUTCString(),
      });
      const records = Object.values(reply?.json().packages[name] ?? {});
      for (const { version, dist } of records)
        expect([undefined, sha1Of(zipBytes(`${name} ${version}`))]).toContain(dist?.['shasum']);
      seen.push({
        date: Date.parse(reply?.headers['last-modified'] ?? ''),
        checksums: records.filter(({ dist }) => dist?.['shasum'] !== undefined).length,
      });
    };
    await look(running);
    for (const version of ['1.0.0', '1.2.0']) {
      await running.archive(name, version);
      await look(running);
    }
    upstream.put(name, [{ version: '1.3.0' }, ...versions]);
    running.clock.nowMs += 700_000;
    await look(running);
    await running.archive(name, '1.1.0');
    await look(running);
    expect(seen.map(({ checksums }) => checksums)).toEqual([0, 1, 2, 3, 4]);
    expect(
      seen.every(({ date }, index) => index === 0 || date > (seen[index - 1]?.date ?? 0)),
      JSON.stringify(seen),
    ).toBe(true);
    await running.mirror.close();
    await using restarted = runMirror([upstream.url], { at: running.folder });
    expect(
      (await restarted.provider(name, 'stable', { ifModifiedSince: new Date(seen.at(-1)?.date ?? 0).toUTCString() }))
        ?.status,
      'the same after a restart',
    ).toBe(304);
  });

  it('gives a release without published-time the time of its acceptance, and keeps a time that the upstream gives', async () => {
    await using upstream = await startUpstream();
    const theirs = '2026-06-12T10:00:00+02:00';
    upstream.put(name, [{ version: '1.1.0', extra: { 'published-time': theirs } }, { version: '1.0.0' }]);
    await using running = runMirror([upstream.url]);
    const look = async (ifModifiedSince?: string) => {
      const reply = await running.provider(name, 'stable', { ifModifiedSince });
      return {
        changed: reply?.headers['last-modified'],
        times: Object.values(reply?.json().packages[name] ?? {}).map(
          (record) => (record as Record<string, unknown>)['published-time'],
        ),
      };
    };
    const before = await look();
    expect(before.times).toEqual([theirs, undefined]);
    const accepted = new Date(running.clock.nowMs);
    for (const version of ['1.1.0', '1.0.0']) await running.archive(name, version);
    running.clock.nowMs += 700_000;
    expect((await look(before.changed)).times).toEqual([theirs, `${accepted.toISOString().slice(0, 19)}+00:00`]);
  });

  it('keeps the date of its document where the upstream gave checksum and published-time', async () => {
    await using upstream = await startUpstream();
    upstream.put(name, [{ version: '1.0.0', extra: { 'published-time': '2026-06-12T10:00:00+00:00' } }]);
    await using running = runMirror([upstream.url]);
    const ifModifiedSince = (await running.provider(name))?.headers['last-modified'];
    await running.archive(name, '1.0.0');
    expect((await running.provider(name, 'stable', { ifModifiedSince }))?.status).toBe(304);
  });

  it('is streamed to clients while it arrives, and its last byte is sent only after all checks', async () => {
    await using upstream = await startUpstream();
    upstream.put(name, [{ version: '1.0.0', zip: large }]);
    let answer: ServerResponse | undefined;
    upstream.instead(pathOf('1.0.0'), (_request, response) => {
      response.writeHead(200, { 'content-length': String(large.length) }).write(large.subarray(0, 500_000));
      answer = response;
    });
    await using running = runMirror([upstream.url], { archives: { verifiedFirstBytes: 65_536 } });
    let checked = false;
    const others = Array.from({ length: 20 }, () => running.archive(name, '1.0.0'));
    const got = Promise.all(others).then((replies) => ((checked = true), replies));
    while (answer === undefined) await sleep(10);
    await sleep(50);
    expect(checked).toBe(false);
    answer?.end(large.subarray(500_000));
    for (const reply of await got) expect(bytesOf(reply)).toBe(sha1Of(large));
    expect(upstream.asked('/files/')).toBe(1);
  });

  it('is streamed to clients while it arrives, also where the upstream sends no size', async () => {
    await using upstream = await startUpstream();
    upstream.put(name, [{ version: '1.0.0', zip: large }]);
    upstream.instead(pathOf('1.0.0'), (_request, response) => {
      response.write(large.subarray(0, 400_000));
      setTimeout(() => response.end(large.subarray(400_000)), 100);
    });
    await using running = runMirror([upstream.url], { archives: { verifiedFirstBytes: 65_536 } });
    const first = await running.archive(name, '1.0.0');
    expect(first?.headers['content-length']).toBeUndefined();
    expect(bytesOf(first)).toBe(sha1Of(large));
    expect(bytesOf(await running.archive(name, '1.0.0'))).toBe(sha1Of(large));
  });

  it('is fetched again from its first upstream, whichever upstream ranks before that', async () => {
    await using before = await startUpstream();
    await using upstream = await startUpstream();
    const zip = zipBytes('again');
    upstream.put(name, [{ version: '1.0.0', zip, distUrl: pathOf('1.0.0') }]);
    await using running = runMirror([before.url, upstream.url]);
    expect(bytesOf(await running.archive(name, '1.0.0'))).toBe(sha1Of(zip));
    for (const path of storedArchives(running)) rmSync(running.folder.at('mirror', path));
    before.put(name, [{ version: '2.0.0' }]);
    await using restarted = runMirror([before.url, upstream.url], { at: running.folder });
    restarted.clock.nowMs = running.clock.nowMs + 700_000;
    expect(bytesOf(await restarted.archive(name, '1.0.0'))).toBe(sha1Of(zip));
    expect(before.asked('/files')).toBe(0);
  });

  it('is fetched again when it is damaged or gone, and must be the same', async () => {
    await using upstream = await startUpstream();
    upstream.put(name, [{ version: '1.0.0', zip: large, shasum: '' }]);
    await using running = runMirror([upstream.url]);
    await running.archive(name, '1.0.0');
    const [file = ''] = storedArchives(running);
    writeFileSync(running.folder.at('mirror', file), large.subarray(0, 1000));
    expect(bytesOf(await running.archive(name, '1.0.0'))).toBe(sha1Of(large));
    expect(storedArchives(running)).toHaveLength(1);
    rmSync(running.folder.at('mirror', file));
    upstream.instead(pathOf('1.0.0'), (_request, response) => void response.end(zipBytes('other', 1000)));
    expect(await running.archive(name, '1.0.0')).toMatchObject({ status: 404 });
    expect(storedArchives(running)).toEqual([]);
  });
});

describe('the record of an accepted archive', () => {
  const broken = async (
    breakIt: (path: string) => void,
  ): Promise<{
    readonly error: string;
    readonly other: number | undefined;
    readonly kept: readonly string[];
    readonly asked: number;
  }> => {
    await using upstream = await startUpstream();
    upstream.put(name, [{ version: '1.0.0', shasum: '' }]);
    upstream.put('some/other', [{ version: '1.0.0' }]);
    await using running = runMirror([upstream.url]);
    await running.archive(name, '1.0.0');
    const folder = running.folder.at('mirror', 'dist', name);
    breakIt(join(folder, readdirSync(folder).find((file) => file.endsWith('.json')) ?? ''));
    upstream.put(name, [{ version: '1.0.0', zip: zipBytes('changed'), shasum: '' }]);
    await using restarted = runMirror([upstream.url], { at: running.folder });
    const asked = upstream.asked('/files/');
    const error = await restarted.archive(name, '1.0.0').then(
      () => '',
      (failure: Error) => failure.message,
    );
    await new Promise(setImmediate); // an unhandled rejection would end the process by now
    return {
      error,
      asked: upstream.asked('/files/') - asked,
      other: (await restarted.archive('some/other', '1.0.0'))?.status,
      kept: readdirSync(folder).filter((file) => file.endsWith('.zip')),
    };
  };

  it('a damaged record fails its request only, and no other archive is accepted in its place', async () => {
    expect(await broken((path) => writeFileSync(path, '{'))).toMatchObject({
      error: expect.stringMatching(
        /[0-9a-f]{32}\.json is damaged: .*Restore it from a backup\. If you remove it/,
      ) as string,
      asked: 0,
      other: 200,
      kept: [expect.stringContaining('.zip')],
    });
  });

  it('an unreadable record is not reported as damaged', async () => {
    // like a failing disk, or too many open files
    const { error, asked, other } = await broken((path) => (rmSync(path), symlinkSync(path, path)));
    expect([error, asked, other]).toEqual([expect.stringContaining('.json cannot be read now: ELOOP'), 0, 200]);
    expect(error).not.toContain('removed');
  });
});

describe('row 77: a release that its upstream changes', () => {
  it.each([
    ['its reference', { reference: referenceFor('moved'), zip: zipBytes('moved') }],
    [
      'its reference alone, where no checksum is given',
      { reference: referenceFor('moved'), zip: zipBytes('moved'), shasum: '' },
    ],
    ['its bytes', { zip: zipBytes('repacked') }],
  ])('in %s raises an alarm, and stays as accepted', async (_what, changed) => {
    await using upstream = await startUpstream();
    upstream.put(name, [{ version: '1.0.0', extra: { description: 'as it was' } }]);
    await using running = runMirror([upstream.url]);
    const before = await running.archive(name, '1.0.0');
    upstream.put(name, [{ version: '1.0.0', ...changed, extra: { description: 'as it is' } }]);
    running.clock.nowMs += 601_000;
    const reply = await running.provider(name);
    expect(Object.values(reply?.json().packages[name] ?? {})).toMatchObject([
      {
        description: 'as it was',
        dist: { reference: referenceFor(`${name} 1.0.0`), shasum: sha1Of(before?.body ?? large) },
      },
    ]);
    expect(running.of('release-changed')).toMatchObject([{ name, version: '1.0.0' }]);
    expect(bytesOf(await running.archive(name, '1.0.0'))).toBe(sha1Of(before?.body ?? large));
    if ('reference' in changed)
      expect((await running.archive(name, '1.0.0', changed.reference))?.json()).toMatchObject({
        code: 'UPSTREAM_REFUSED',
      });
  });

  it('stays what the first of two fetching processes accepted', async () => {
    await using upstream = await startUpstream();
    upstream.put(name, [{ version: '1.0.0', shasum: '' }]);
    let turn = 0;
    upstream.instead(pathOf('1.0.0'), (_request, response) => void response.end(zipBytes(`turn ${(turn += 1)}`)));
    await using first = runMirror([upstream.url]);
    await using second = runMirror([upstream.url], { at: first.folder });
    const replies = await Promise.all([first.archive(name, '1.0.0'), second.archive(name, '1.0.0')]);
    const whole = replies.filter((reply) => reply?.status === 200).map((reply) => reply?.body.toString('hex'));
    expect(new Set(whole).size).toBe(1);
    for (const running of [first, second]) {
      running.clock.nowMs += 61_000;
      expect((await running.archive(name, '1.0.0'))?.body.toString('hex')).toBe(whole[0]);
    }
  });

  it('is the same release under another spelling or with a query', async () => {
    await using upstream = await startUpstream();
    upstream.put(name, [{ version: 'v1.0.0' }]);
    await using running = runMirror([upstream.url]);
    const bodies = await Promise.all(['v1.0.0', '1.0.0.0'].map((label) => running.archive(name, label)));
    expect(bodies.map((reply) => reply?.status)).toEqual([200, 200]);
    expect(storedArchives(running)).toHaveLength(1);
    expect(allFiles(running.folder.at('mirror', 'dist')).filter((path) => path.endsWith('.json'))).toHaveLength(1);
  });
});

it('a half-fetched file that a process left behind is removed after its time limit', async () => {
  await using upstream = await startUpstream();
  upstream.put(name, [{ version: '1.0.0' }]);
  await using running = runMirror([upstream.url]);
  await running.archive(name, '1.0.0');
  const left = join(running.folder.at('mirror', '.staging'), 'x.partial');
  writeFileSync(left, 'half');
  expect(await running.mirror.clear()).toBe(0);
  running.clock.nowMs += 7_200_000;
  expect(await running.mirror.clear()).toBe(1);
});
