// Tests versions in either of the two documents of an upstream. Each version is offered in the document of its own
// stability, with as few requests as possible.

import { expect, it } from 'vitest';
import { runMirror, type RunningMirror } from '../../../../util/running-mirror.ts';
import { startUpstream, type TestUpstream } from '../../../../util/upstream.ts';

type Document = readonly string[] | undefined;

const record = (version: string): object => ({
  name: 'some/lib',
  version,
  dist: { type: 'zip', url: 'https://x.example/a.zip', reference: 'a'.repeat(40) },
});

/** undefined: 404 */
function publish(upstream: TestUpstream, stable: Document, dev: Document): void {
  for (const [path, versions] of [
    ['/p2/some/lib.json', stable],
    ['/p2/some/lib~dev.json', dev],
  ] as const)
    upstream.instead(path, (_request, response) => {
      if (versions === undefined) response.writeHead(404).end();
      else response.end(JSON.stringify({ packages: { 'some/lib': versions.map(record) } }));
    });
}

async function offered(running: RunningMirror): Promise<readonly (readonly string[] | undefined)[]> {
  const replies = [await running.provider('some/lib'), await running.provider('some/lib', 'dev')];
  return replies.map((reply) => reply && Object.keys(reply.json().packages['some/lib'] ?? {}));
}

it.each<readonly [what: string, stable: Document, dev: Document, expected: readonly [Document, Document]]>([
  ['all versions in one document', ['1.0.0', 'dev-main'], undefined, [['1.0.0'], ['dev-main']]],
  ['the same document twice', ['1.0.0', 'dev-main'], ['1.0.0', 'dev-main'], [['1.0.0'], ['dev-main']]],
  ['dev versions in both documents', ['1.0.0', '1.x-dev'], ['dev-main'], [['1.0.0'], ['dev-main', '1.x-dev']]],
  ['all versions in the document of dev versions', undefined, ['dev-main', '1.0.0'], [['1.0.0'], ['dev-main']]],
  ['releases in the document of dev versions alone', [], ['dev-main', '1.0.0'], [['1.0.0'], ['dev-main']]],
  ['dev versions alone', undefined, ['dev-main'], [[], ['dev-main']]],
  ['releases alone', ['1.0.0'], undefined, [['1.0.0'], []]],
])(
  'an upstream that has %s loses no version, and is asked once for each document',
  async (_what, stable, dev, expected) => {
    await using upstream = await startUpstream();
    await using running = runMirror([upstream.url]);
    publish(upstream, stable, dev);
    expect(await offered(running)).toEqual(expected);
    expect([upstream.asked('/p2/some/lib.json'), upstream.asked('/p2/some/lib~dev.json')]).toEqual([1, 1]);
    await offered(running);
    expect(upstream.asked('/p2/')).toBe(2);
  },
);

it('a release that is found costs no request for dev versions', async () => {
  await using upstream = await startUpstream();
  await using running = runMirror([upstream.url]);
  publish(upstream, ['1.0.0', 'dev-main'], ['dev-other']);
  expect((await running.provider('some/lib'))?.status).toBe(200);
  expect(upstream.asked('/p2/some/lib~dev.json')).toBe(0);
});

it('a document that is missing is looked for again after `missing`, and is then joined', async () => {
  await using upstream = await startUpstream();
  await using running = runMirror([upstream.url]);
  publish(upstream, ['1.0.0', 'dev-main'], undefined);
  expect(await offered(running)).toEqual([['1.0.0'], ['dev-main']]);
  publish(upstream, ['1.0.0', 'dev-main'], ['dev-new']);
  expect((await offered(running))[1]).toEqual(['dev-main']);
  running.clock.nowMs += 61_000;
  expect((await offered(running))[1]).toEqual(['dev-new', 'dev-main']);
});

it('no version counts as missing while the other document cannot be had', async () => {
  await using upstream = await startUpstream();
  await using running = runMirror([upstream.url]);
  publish(upstream, ['1.0.0'], undefined);
  upstream.instead('/p2/some/lib.json', (_request, response) => void response.writeHead(500).end());
  expect((await running.provider('some/lib', 'dev'))?.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  publish(upstream, ['1.0.0'], ['dev-main']);
  upstream.instead('/p2/some/lib.json', (_request, response) => void response.writeHead(500).end());
  running.clock.nowMs += 61_000;
  const reply = await running.provider('some/lib', 'dev');
  expect([reply?.status, Object.keys(reply?.json().packages['some/lib'] ?? {})]).toEqual([200, ['dev-main']]);
});
