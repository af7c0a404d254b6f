// Tests refused archives of mirrored packages: no client gets a complete one, and none is stored. The upstream is a
// server on loopback.

import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { admitZip } from '../../../../../build/archive/zip-admission/admit-zip.ts';
import { foreignZipLimits } from '../../../../../build/archive/zip-admission/zip-limits.ts';
import { readRefusals } from '../../../../../proxy/mirror/archives/refused-archives.ts';
import { zipOf } from '../../../../util/hostile-zip.ts';
import { bytesOf, storedArchives, large, name, pathOf } from '../../../../util/mirrored-archive.ts';
import { packageName, runMirror } from '../../../../util/running-mirror.ts';
import { zipBytes } from '../../../../util/hand-made-tree.ts';
import { referenceFor, sha1Of, startUpstream } from '../../../../util/upstream.ts';

describe('row 75: invalid archives', () => {
  const wrong = zipBytes('wrong', 1_000_000);
  it.each([
    [
      'has another checksum',
      (response: ServerResponse) => void response.writeHead(200, { 'content-length': String(wrong.length) }).end(wrong),
      /SHA-1/,
    ],
    ['is small and has another checksum', (response: ServerResponse) => void response.end(zipBytes('wrong')), /SHA-1/],
    ['is no ZIP', (response: ServerResponse) => void response.end('<html>'), /is not a ZIP/],
    ['is empty', (response: ServerResponse) => void response.end(), /is empty/],
    ['is too large', (response: ServerResponse) => void response.end(zipBytes('x', 3_000_000)), /2000000/],
    [
      'is too large and does not say so',
      (response: ServerResponse) => (response.write(zipBytes('x', 1_500_000)), void response.end(wrong)),
      /2000000/,
    ],
    [
      'breaks off',
      (response: ServerResponse) => (
        response.writeHead(200, { 'content-length': String(large.length) }).write(large.subarray(0, 500_000)),
        void setTimeout(() => response.destroy(), 20)
      ),
      /broke off|could not be fetched/,
    ],
    [
      'breaks off early',
      (response: ServerResponse) => (
        response.writeHead(200, { 'content-length': String(large.length) }).write(large.subarray(0, 500)),
        void setTimeout(() => response.destroy(), 20)
      ),
      /broke off|could not be fetched/,
    ],
    [
      'stands still',
      (response: ServerResponse) =>
        void response.writeHead(200, { 'content-length': String(large.length) }).write(large.subarray(0, 500_000)),
      /broke off|could not be fetched/,
    ],
  ])('an archive that %s is refused before its first byte, and is not stored', async (_what, answering, message) => {
    await using upstream = await startUpstream();
    upstream.put(name, [{ version: '1.0.0', zip: large }]);
    upstream.instead(pathOf('1.0.0'), (_request, response) => answering(response));
    await using running = runMirror([upstream.url], { archives: { archiveBytes: 2_000_000 } });
    const replies = await Promise.all([running.archive(name, '1.0.0'), running.archive(name, '1.0.0')]);
    for (const reply of replies) expect([404, 500]).toContain(reply?.status);
    expect(JSON.stringify([...running.of('archive-refused'), ...running.of('archive-failed')])).toMatch(message);
    expect(storedArchives(running)).toEqual([]);
    upstream.instead(pathOf('1.0.0'), undefined);
    running.clock.nowMs += 61_000;
    expect(bytesOf(await running.archive(name, '1.0.0'))).toBe(sha1Of(large));
  });

  it('an invalid archive is not fetched again for a while, although Composer asks many times', async () => {
    await using upstream = await startUpstream();
    upstream.put(name, [{ version: '1.0.0' }]);
    upstream.instead(pathOf('1.0.0'), (_request, response) => void response.end(zipBytes('wrong')));
    await using running = runMirror([upstream.url]);
    for (let turn = 0; turn < 16; turn += 1)
      expect((await running.archive(name, '1.0.0'))?.json()).toMatchObject({ code: 'UPSTREAM_REFUSED' });
    expect(upstream.asked('/files/')).toBe(1);
  });

  it('the answer says why an archive is harmful, and so does a note until the archive is accepted', async () => {
    await using upstream = await startUpstream();
    const harmful = zipOf([{ name: '../evil.php', data: 'x' }]);
    upstream.put(name, [{ version: '1.0.0', shasum: '', zip: harmful }]);
    await using running = runMirror([upstream.url], {
      checkArchive: async (path) => void (await admitZip(path, foreignZipLimits)),
    });
    const reply = (await running.archive(name, '1.0.0'))?.json();
    expect(reply).toMatchObject({
      code: 'UPSTREAM_REFUSED',
      error: expect.stringMatching(/"\.\.\/evil\.php" has a "\.\." segment/) as unknown,
    });
    expect(JSON.stringify(reply)).not.toContain(upstream.url);
    expect(storedArchives(running)).toEqual([]);
    const notes = (): ReturnType<typeof readRefusals> => readRefusals(running.folder.at('mirror'), packageName(name));
    expect(await notes()).toEqual([expect.stringMatching(/^1\.0\.0: .*evil\.php/)]);
    const fine = zipOf([{ name: 'composer.json', data: '{}' }]);
    upstream.instead(pathOf('1.0.0'), (_request, response) => void response.end(fine));
    running.clock.nowMs += 61_000;
    expect(bytesOf(await running.archive(name, '1.0.0'))).toBe(sha1Of(fine));
    expect(await notes()).toEqual([]);
  });

  it('an invalid archive is fetched from the next address of the upstream', async () => {
    await using other = await startUpstream();
    await using upstream = await startUpstream({
      root: {
        mirrors: [{ 'dist-url': `${other.url}/copies/%package%/%version%/r%reference%.%type%`, preferred: true }],
      },
    });
    upstream.put(name, [{ version: '1.0.0' }]);
    await using running = runMirror([upstream.url]);
    expect((await running.archive(name, '1.0.0'))?.status).toBe(200);
    expect(other.server.requests.map(({ path }) => path)).toEqual([
      `/copies/${name}/1.0.0.0/r${referenceFor(`${name} 1.0.0`)}.zip`,
    ]);
  });
});

describe('rows 68 and 69: forbidden addresses of an archive', () => {
  it.each([
    'http://127.2/a.zip',
    'http://0x7f.2/a.zip',
    'http://2130706434/a.zip',
    'http://[::ffff:127.0.0.2]/a.zip',
    'http://[::1]/a.zip',
    'http://169.254.169.254/a.zip',
    'http://inside.example/a.zip',
    'https://u:p@inside.example/a.zip',
  ])('no archive is fetched from %s', async (distUrl) => {
    await using upstream = await startUpstream();
    upstream.put(name, [{ version: '1.0.0', distUrl }]);
    const client = {
      allowAddresses: ['127.0.0.1'],
      userAgent: 'x',
      resolve: () => Promise.resolve([{ address: '10.0.0.1', family: 4 }]),
    };
    await using running = runMirror([upstream.url], { client });
    await running.archive(name, '1.0.0');
    expect(upstream.asked('/p2')).toBe(1);
    expect(running.messages().at(-1)).toMatch(/is not public|with credentials, which/);
  });

  it.each(['file:///etc/passwd', 'ftp://x.example/a.zip', '//x.example/a.zip', 'C:/x.zip'])(
    'an archive with the address %s is refused without a request',
    async (distUrl) => {
      await using upstream = await startUpstream();
      upstream.put(name, [{ version: '1.0.0', distUrl }]);
      await using running = runMirror([upstream.url]);
      expect((await running.archive(name, '1.0.0'))?.json()).toMatchObject({ code: 'UPSTREAM_REFUSED' });
    },
  );

  it('redirects are checked like first addresses, and their number is limited', async () => {
    await using upstream = await startUpstream();
    upstream.put(name, [{ version: '1.0.0' }, { version: '2.0.0' }, { version: '3.0.0' }]);
    upstream.instead(
      pathOf('1.0.0'),
      (_request, response) => void response.writeHead(302, { location: 'http://10.0.0.1/x.zip' }).end(),
    );
    upstream.instead(
      pathOf('2.0.0'),
      (_request, response) => void response.writeHead(302, { location: pathOf('2.0.0') }).end(),
    );
    upstream.instead(
      pathOf('3.0.0'),
      (_request, response) => void response.writeHead(302, { location: '/moved.zip' }).end(),
    );
    upstream.instead('/moved.zip', (_request, response) => void response.end(zipBytes(`${name} 3.0.0`)));
    await using running = runMirror([upstream.url]);
    for (const [version, reason] of [
      ['1.0.0', /10\.0\.0\.1 is not public/],
      ['2.0.0', /more than 5 times/],
    ] as const) {
      expect((await running.archive(name, version))?.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
      expect(running.messages().at(-1)).toMatch(reason);
    }
    expect((await running.archive(name, '3.0.0'))?.status).toBe(200);
  });
});
