// Tests archives: each spelling of a version, the values of `ref`, and files that differ from the index.

import { createHash } from 'node:crypto';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProxy, type RunningProxy } from '../util/running-proxy.ts';
import { referenceOf, sha1, zipBytes, type VersionSpec } from '../util/hand-made-tree.ts';

let served: RunningProxy;
const spec = (version: string, normalized: string, extra: Partial<VersionSpec> = {}): VersionSpec => ({
  version,
  normalized,
  zip: zipBytes(version),
  ...extra,
});

const current = spec('dev-main', 'dev-main', { zip: zipBytes('main now'), reference: `abcdef1${'0'.repeat(33)}` });
const earlier = spec('dev-main', 'dev-main', {
  zip: zipBytes('main before'),
  reference: `abcdef2${'1'.repeat(33)}`,
  state: 'superseded',
});
const gone = spec('0.9.0', '0.9.0.0', { state: 'withdrawn' });
const stable = spec('v1.2', '1.2.0.0');
const odd = ['dev-feature/foo', 'dev-fix+12', 'dev-100%', 'dev-ünï', 'dev-a"<>[]{}', 'dev-x%41', 'dev-%41ü'].map(
  (version) => spec(version, version),
);
const large = spec('3.0.0', '3.0.0.0', { zip: zipBytes('large', 3_000_000) });

beforeAll(async () => {
  served = await runProxy({ tokens: { reader: 100_000 } });
  served.tree.put('acme/hello', [large, stable, gone, current, earlier, ...odd]);
  served.tree.publish();
});
afterAll(() => served[Symbol.asyncDispose]());

const fetchZip = async (rest: string): Promise<Buffer | number> => {
  const reply = await served.get(`/dist/acme/hello/${rest}`);
  return reply.status === 200 ? reply.body : reply.status;
};

describe('a dist', () => {
  it('a dist is the ZIP, with headers that identify it', async () => {
    const reply = await served.get('/dist/acme/hello/v1.2.zip');
    expect(reply.body.equals(stable.zip)).toBe(true);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-length': String(stable.zip.length),
      etag: `"${sha1(stable.zip)}"`,
      'accept-ranges': 'none',
    });
    expect(reply.headers['cache-control']).toContain('private');
  });

  it('a large dist is sent completely, and HEAD gets only its headers', async () => {
    expect(((await fetchZip('3.0.0.zip')) as Buffer).equals(large.zip)).toBe(true);
    const head = await served.get('/dist/acme/hello/3.0.0.zip', {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '3000000', 0]);
  });

  it.each([
    ['1.2.0.0.zip', stable],
    ['v1.2.zip?ref=', stable],
    ['0.9.0.zip', gone],
    ['dev-feature/foo.zip', odd[0]],
    ['dev-feature%2Ffoo.zip', odd[0]],
    ['dev-feature%2ffoo.zip', odd[0]],
    ['dev-fix+12.zip', odd[1]],
    ['dev-100%.zip', odd[2]],
    ['dev-100%25.zip', odd[2]],
    ['dev-%c3%bcn%c3%af.zip', odd[3]],
    ['dev-%C3%BCn%C3%AF.zip', odd[3]],
    ['dev-a"<>[]{}.zip', odd[4]],
    ['dev-x%41.zip', odd[5]],
    ['dev-x%2541.zip', odd[5]],
    ['dev-%41%c3%bc.zip', odd[6]],
  ])('the archive is found as %s', async (rest, wanted) => {
    const found = await fetchZip(rest);
    expect(
      Buffer.isBuffer(found) && found.equals(wanted?.zip ?? Buffer.alloc(0)),
      `got ${String(Buffer.isBuffer(found) ? 'other bytes' : found)}`,
    ).toBe(true);
  });

  it.each([
    '9.9.9.zip',
    'dev-fix%2012.zip',
    'dev-100.zip',
    'V1.2.zip',
    'dev-un%C3%AF.zip',
    'v1.2.zip.zip',
    'v1.2',
    'v1.2.ZIP',
    'dev-xA.zip',
    'dev-feature%252Ffoo.zip',
    'dev-main@abcdef1000000000000000000000000000000000.zip',
  ])('no archive is found as %s', async (rest) => expect(await fetchZip(rest)).toBe(404));
});

describe('the ref of a dist', () => {
  const md5 = (text: string) => createHash('md5').update(text).digest('hex');
  it.each([
    ['none', '', current],
    ['empty', '?ref=', current],
    ['the newest', `?ref=${referenceOf(current)}`, current],
    ['an older one', `?ref=${referenceOf(earlier)}`, earlier],
    ['upper case', `?ref=${referenceOf(earlier).toUpperCase()}`, earlier],
    ['7 characters', '?ref=abcdef2', earlier],
    ['a longer prefix', '?ref=abcdef1000', current],
    ['an MD5', `?ref=${md5(referenceOf(earlier))}`, earlier],
    ['beside other parameters', `?x=1&ref=${referenceOf(earlier)}&y`, earlier],
  ])('the archive is found by a ref: %s', async (_name, query, wanted) =>
    expect(((await fetchZip(`dev-main.zip${query}`)) as Buffer).equals(wanted.zip)).toBe(true),
  );

  it.each([
    ['unknown', `?ref=${'f'.repeat(40)}`],
    ['too short', '?ref=abcdef'],
    ['not hex', '?ref=main'],
    ['of another branch', `?ref=${referenceOf(odd[0] as VersionSpec)}`],
    ['of a withdrawn release', `?ref=${referenceOf(gone)}`],
    ['an MD5 of nothing', `?ref=${md5('x')}`],
  ])('a ref that is %s is 404, and no other bytes are sent', async (_name, query) => {
    const reply = await served.get(`/dist/acme/hello/dev-main.zip${query}`);
    expect([reply.status, reply.json()['code']]).toEqual([404, 'NOT_FOUND']);
  });

  it('the commit of a published release is that release', async () => {
    for (const ref of [referenceOf(stable), referenceOf(stable).slice(0, 7)])
      expect(((await fetchZip(`dev-main.zip?ref=${ref}`)) as Buffer).equals(stable.zip)).toBe(true);
    expect(await fetchZip(`v1.2.zip?ref=${referenceOf(large)}`)).toBe(404);
    expect(await fetchZip(`dev-none.zip?ref=${referenceOf(stable)}`)).toBe(404);
  });

  it('a commit that no build published is 404, and the answer names the newest published commits', async () => {
    const older = Array.from({ length: 5 }, (_, at) => ({ ...earlier, reference: `abcdef${3 + at}${'2'.repeat(33)}` }));
    served.tree.put('acme/moving', [current, earlier, ...older]);
    served.tree.publish();
    const asked = `/dist/acme/moving/dev-main.zip?ref=${'f'.repeat(40)}`;
    const { status, ...reply } = await served.get(asked, { 'user-agent': 'Composer/2.9.0' });
    const sentence =
      `acme/moving dev-main with reference ${'f'.repeat(40)} is not published here. The newest published commits are abcdef100000, ` +
      'abcdef211111, abcdef322222, abcdef422222, abcdef522222.';
    // Composer shows its user `warning` alone
    expect([status, reply.json()]).toEqual([
      404,
      { error: sentence, code: 'NOT_FOUND', details: { package: 'acme/moving' }, warning: sentence },
    ]);
  });

  it('a prefix of two references is 404', async () => {
    const twin = { ...earlier, reference: `abcdef1${'9'.repeat(33)}` };
    served.tree.put('acme/twins', [current, twin]);
    served.tree.publish();
    expect((await served.get('/dist/acme/twins/dev-main.zip?ref=abcdef1')).status).toBe(404);
    expect((await served.get('/dist/acme/twins/dev-main.zip?ref=abcdef19')).body.equals(twin.zip)).toBe(true);
  });
});

describe('row 15: a Range', () => {
  it.each([
    'bytes=0-9',
    'bytes=-5',
    'bytes=9999999-',
    `bytes=${Array.from({ length: 1000 }, (_, at) => `${at}-${at}`).join(',')}`,
  ])('a request with a Range gets the whole archive', async (range) => {
    const reply = await served.get('/dist/acme/hello/3.0.0.zip', { range, 'if-range': '"x"' });
    expect([reply.status, reply.body.length]).toEqual([200, large.zip.length]);
  });
});

describe('a file that differs from the index', () => {
  it.each([
    ['shorter', (path: string) => truncateSync(path, 10)],
    ['other bytes of the same length', (path: string) => writeFileSync(path, zipBytes('other', 300))],
    ['gone', (path: string) => rmSync(path)],
  ])('gets 500 and a line in the log, and is never sent: %s', async (_name, spoil) => {
    await using broken = await runProxy();
    broken.tree.put('acme/hello', [stable]);
    broken.tree.publish();
    spoil(join(broken.tree.data, 'public/dist/acme/hello/v1.2.zip'));
    const reply = await broken.get('/dist/acme/hello/v1.2.zip');
    expect([reply.status, reply.json()['code']]).toEqual([500, 'TREE_DAMAGED']);
    expect(JSON.stringify(broken.lines)).toContain('libretto verify');
  });
});
