// Tests advisories of upstreams, in documents and in Composer's request for many packages. Every Composer can load each
// advisory.

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import { packageName, runMirror, type RunningMirror } from '../../../../util/running-mirror.ts';
import { startUpstream, type TestUpstream } from '../../../../util/upstream.ts';

const partial = { advisoryId: 'A-1', affectedVersions: '<2.0' };
const full = {
  ...partial,
  packageName: 'some/lib',
  title: 'Bad',
  cve: 'CVE-2020-1',
  link: 'https://some.example/1',
  severity: 'high',
  reportedAt: '2020-03-01 12:00:00',
  sources: [{ name: 'there', remoteId: '17' }],
};
const apiRoot = { root: { 'security-advisories': { metadata: true, 'api-url': '/api/advisories' } } };

const inDocument = async (
  running: RunningMirror,
  stability: 'stable' | 'dev' = 'stable',
): Promise<readonly JsonObject[] | undefined> =>
  (await running.provider('some/lib', stability))?.json()['security-advisories'] as readonly JsonObject[] | undefined;
const asked = async (running: RunningMirror): Promise<readonly JsonObject[]> =>
  (await running.mirror.advisories([packageName('some/lib')], { nowMs: running.clock.nowMs, epoch: 1 })).get(
    packageName('some/lib'),
  ) ?? [];
/** Its requests, and its answers. */
const withApi = (upstream: TestUpstream, advisories: unknown): string[] => {
  const bodies: string[] = [];
  upstream.instead('/api/advisories', (request, response) => {
    const pieces: Buffer[] = [];
    request
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('end', () => {
        bodies.push(decodeURIComponent(Buffer.concat(pieces).toString()));
        response.end(JSON.stringify({ advisories }));
      });
  });
  return bodies;
};

describe('advisories of an upstream', () => {
  it('are completed from its api-url, which is requested once for both documents', async () => {
    await using upstream = await startUpstream(apiRoot);
    const bodies = withApi(upstream, { 'some/lib': [full], 'other/lib': [{ ...full, packageName: 'other/lib' }] });
    upstream.put('some/lib', [{ version: '1.0.0' }, { version: 'dev-main' }], { 'security-advisories': [partial] });
    await using running = runMirror([upstream.url]);
    expect(await inDocument(running)).toEqual([full]);
    await running.provider('some/lib', 'dev');
    expect(await asked(running)).toEqual([full]);
    expect(bodies).toEqual(['packages[]=some/lib']);
  });

  it('are unknown where it has none or fails; they are requested again later, and clients are informed', async () => {
    await using upstream = await startUpstream(apiRoot);
    upstream.instead('/api/advisories', (_request, response) => void response.writeHead(400).end());
    upstream.put('some/lib', [{ version: '1.0.0' }], { 'security-advisories': [partial] });
    await using running = runMirror([upstream.url]);
    const first = await running.provider('some/lib');
    const unknown = {
      ...partial,
      packageName: 'some/lib',
      title: 'Security advisory A-1',
      cve: null,
      link: null,
      severity: null,
      reportedAt: '1970-01-01T00:00:00+00:00',
      sources: [{ name: new URL(upstream.url).host, remoteId: 'A-1' }],
    };
    expect(first?.json()['security-advisories']).toEqual([unknown]);
    expect(await asked(running)).toEqual([unknown]);
    withApi(upstream, { 'some/lib': [full] });
    running.clock.nowMs += 301_000;
    expect(await inDocument(running)).toEqual([full]);
    expect(
      (await running.provider('some/lib', 'stable', { ifModifiedSince: first?.headers['last-modified'] }))?.status,
    ).toBe(200);
  });

  it('endlessly nested advisories count as none', async () => {
    await using upstream = await startUpstream(apiRoot);
    upstream.instead(
      '/api/advisories',
      (_request, response) =>
        void response.end(
          `{"advisories":{"some/lib":[${JSON.stringify({ ...full, advisoryId: 'A-2', more: 0 }).replace('"more":0', `"more":${'['.repeat(100_000)}${']'.repeat(100_000)}`)}]}}`,
        ),
    );
    upstream.put('some/lib', [{ version: '1.0.0' }], { 'security-advisories': [full] });
    await using running = runMirror([upstream.url]);
    expect(await asked(running)).toEqual([full]);
    expect(await inDocument(running)).toEqual([full]);
  });

  it('are excluded where Composer cannot tell the affected versions', async () => {
    await using upstream = await startUpstream();
    upstream.put('some/lib', [{ version: '1.0.0' }], {
      'security-advisories': [
        full,
        { ...full, advisoryId: 'A-2', affectedVersions: 'not < a constraint' },
        { ...full, advisoryId: 'A-3', affectedVersions: ' ' },
        { ...full, advisoryId: 4 },
        'nonsense',
      ],
    });
    await using running = runMirror([upstream.url]);
    expect(await inDocument(running)).toEqual([full]);
    expect(await asked(running)).toEqual([full]);
  });

  it.each([
    ['cve', 5, null],
    ['link', ['x'], null],
    ['severity', {}, null],
    ['title', null, 'Security advisory A-1'],
    ['reportedAt', 'notadate', '1970-01-01T00:00:00+00:00'],
    ['reportedAt', '2020-13-01', '1970-01-01T00:00:00+00:00'],
  ])('are excluded with a %s that is %j', async (field, value, instead) => {
    await using upstream = await startUpstream(apiRoot);
    withApi(upstream, { 'some/lib': [{ ...full, [field]: value }] });
    upstream.put('some/lib', [{ version: '1.0.0' }]);
    await using running = runMirror([upstream.url]);
    expect(await asked(running)).toEqual([{ ...full, [field]: instead }]);
    upstream.put('some/lib', [{ version: '1.0.0' }], {
      'security-advisories': [{ ...full, advisoryId: 'A-9', [field]: value }],
    });
    running.clock.nowMs += 601_000;
    expect((await inDocument(running))?.map((advisory) => advisory[field])).toEqual([
      field === 'title' ? 'Security advisory A-9' : instead,
    ]);
  });

  it("complete advisories leave the document with its upstream's date", async () => {
    await using upstream = await startUpstream(apiRoot);
    upstream.put('some/lib', [{ version: '1.0.0' }], { 'security-advisories': [full] });
    await using running = runMirror([upstream.url]);
    expect((await running.provider('some/lib'))?.headers['last-modified']).toBe(
      (await fetch(`${upstream.url}/p2/some/lib.json`)).headers.get('last-modified'),
    );
    expect(upstream.asked('/api/advisories')).toBe(0);
  });

  it('are requested only for a mirrored name', async () => {
    await using upstream = await startUpstream(apiRoot);
    const bodies = withApi(upstream, {});
    upstream.put('some/lib', [{ version: '1.0.0' }], { 'security-advisories': [partial] });
    await using running = runMirror([upstream.url]);
    running.privates.add('some/lib');
    expect(await inDocument(running)).toBeUndefined();
    expect(await asked(running)).toEqual([]);
    expect(bodies).toEqual([]);
  });
});

it('a version whose time is no text is left out, since Composer aborts on it', async () => {
  await using upstream = await startUpstream();
  upstream.put('some/lib', [
    { version: '2.0.0', extra: { time: 1_600_000_000 } },
    { version: '1.1.0', extra: { time: false } },
    { version: '1.0.0' },
  ]);
  await using running = runMirror([upstream.url]);
  expect(Object.keys((await running.provider('some/lib'))?.json().packages['some/lib'] ?? {})).toEqual([
    '1.1.0',
    '1.0.0',
  ]);
  expect(running.of('versions-left-out')).toMatchObject([{ count: 1, first: '2.0.0: its time is not text' }]);
});
