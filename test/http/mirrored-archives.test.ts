// Tests archives that are streamed while they arrive: every client gets the whole archive or a visibly broken one.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMirroredTree } from '../../proxy/mirror/mirrored-tree.ts';
import { createSender } from '../../proxy/core/http/send.ts';
import { packageName, runMirror, type RunningMirror } from '../util/running-mirror.ts';
import { runProxy } from '../util/running-proxy.ts';
import { zipBytes } from '../util/hand-made-tree.ts';
import { referenceFor, sha1Of, startUpstream, type TestUpstream } from '../util/upstream.ts';

const large = zipBytes('large', 3_000_000);
const half = large.subarray(0, 1_500_000);
/** As with archives above 4 MiB. */
const streamed = { archives: { verifiedFirstBytes: 65_536 } };
const rest = large.subarray(1_500_000);

describe('a streamed archive', () => {
  let upstream: TestUpstream;
  let running: RunningMirror;
  let server: Server;
  let url = '';
  const errors: unknown[] = [];

  beforeAll(async () => {
    upstream = await startUpstream();
    running = runMirror([upstream.url], streamed);
    const sender = createSender({
      rawResponses: undefined,
      stallTimeoutMs: 5000,
      writeStallMs: 5000,
      keepAliveMs: 5000,
      now: Date.now,
      elapsed: Date.now,
    });
    server = createServer((request, response) => {
      const send = async (): Promise<void> => {
        const answer = await running.mirror.archive(
          { name: packageName(`some${request.url ?? ''}`), labels: ['1.0.0'], reference: undefined },
          { acceptEncoding: undefined, ifNoneMatch: undefined, ifModifiedSince: undefined, view: undefined },
          { nowMs: Date.now(), epoch: 1 },
        );
        if (answer !== undefined) await sender.send(request, response, answer, false);
      };
      send().catch((error: unknown) => errors.push(error));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await running[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  const put = (
    name: string,
    shasum: string,
    send: (response: Parameters<Parameters<TestUpstream['instead']>[1] & object>[1]) => void,
  ): void => {
    upstream.put(`some/${name}`, [{ version: '1.0.0', zip: large, shasum }]);
    upstream.instead(`/files/some/${name}/1.0.0/${referenceFor(`some/${name} 1.0.0`)}.zip`, (_request, response) =>
      send(response),
    );
  };
  const fetched = async (name: string): Promise<string> => {
    try {
      const response = await fetch(`${url}/${name}`);
      return `${response.status} ${sha1Of(Buffer.from(await response.arrayBuffer()))}`;
    } catch {
      return 'broken';
    }
  };
  const length = { 'content-length': String(large.length) };

  it.each([
    ['sized', length],
    ['unsized', {}],
  ])('is complete for every client (%s), also for late clients and after a client left', async (name, headers) => {
    put(name, sha1Of(large), (response) => {
      response.writeHead(200, headers).write(half);
      setTimeout(() => response.end(rest), 200);
    });
    const left = new AbortController();
    const leaving = fetch(`${url}/${name}`, { signal: left.signal }).then(() => left.abort());
    const all = Promise.all(Array.from({ length: 5 }, () => fetched(name)));
    await leaving;
    expect(new Set(await all)).toEqual(new Set([`200 ${sha1Of(large)}`]));
    expect(upstream.asked(`/files/some/${name}/`)).toBe(1);
    expect(await fetched(name)).toBe(`200 ${sha1Of(large)}`);
  });

  it.each([
    ['cut-sized', length, sha1Of(large), (response: { destroy: () => unknown }) => response.destroy()],
    ['cut-unsized', {}, sha1Of(large), (response: { destroy: () => unknown }) => response.destroy()],
    ['wrong-sized', length, sha1Of(half), (response: { end: (bytes: Buffer) => unknown }) => response.end(rest)],
    ['wrong-unsized', {}, sha1Of(half), (response: { end: (bytes: Buffer) => unknown }) => response.end(rest)],
  ])('row 75: with a fault (%s) is visibly broken at every client', async (name, headers, shasum, finish) => {
    put(name, shasum, (response) => {
      response.writeHead(200, headers).write(half);
      setTimeout(() => finish(response), 200);
    });
    expect(new Set(await Promise.all(Array.from({ length: 5 }, () => fetched(name))))).toEqual(new Set(['broken']));
    await expect.poll(() => errors.splice(0).length).toBeGreaterThan(0); // the clients may notice first
  });
});

it('an interrupted transfer counts as no download and logs no error', async () => {
  await using upstream = await startUpstream();
  await using running = runMirror([upstream.url], streamed);
  const downloads: string[] = [];
  await using registry = await runProxy({
    mirrored: createMirroredTree(running.mirror, 1_000_000),
    onDownload: (name, version) => downloads.push(`${name} ${version}`),
  });
  registry.tree.publish();
  for (const name of ['some/cut', 'some/whole', 'some/small'])
    upstream.put(name, [{ version: '1.0.0', zip: name === 'some/small' ? zipBytes('small') : large }]);
  const path = (name: string): string => `/files/${name}/1.0.0/${referenceFor(`${name} 1.0.0`)}.zip`;
  for (const [name, finish] of [
    ['some/cut', 'destroy'],
    ['some/whole', 'end'],
  ] as const) {
    upstream.instead(path(name), (_request, response) => {
      response.writeHead(200, { 'content-length': String(large.length) }).write(half);
      setTimeout(() => (finish === 'end' ? response.end(rest) : response.destroy()), 100);
    });
  }
  const bytesOf = async (name: string): Promise<number> =>
    (
      await (
        await fetch(`http://127.0.0.1:${registry.port}/dist/${name}/1.0.0.zip`, {
          headers: { authorization: 'Bearer reader' },
        })
      ).arrayBuffer()
    ).byteLength;
  await expect(bytesOf('some/cut')).rejects.toThrow();
  expect(await bytesOf('some/whole')).toBe(large.length);
  expect(await bytesOf('some/small')).toBeGreaterThan(0);
  await expect.poll(() => downloads).toEqual(['some/whole 1.0.0', 'some/small 1.0.0']);
  await expect
    .poll(() => registry.lines.map(({ msg }) => msg))
    .toContain('an answer ended early because its upstream did');
  expect(registry.lines.filter(({ level }) => Number(level) >= 40)).toEqual([]);
});
