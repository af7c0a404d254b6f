// Tests hostile, false and incomplete uploads: each is refused with its reason, nothing is published, no file stays on
// the disk, and the service continues. Row numbers are those of the fault list for archives.

import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { demandCompiled } from '../setup/compiled.ts';
import { eventually } from '../util/eventually.ts';
import { zipOf, type EntrySpec } from '../util/hostile-zip.ts';
import { exchange, openConnection } from '../util/raw-client.ts';
import { runManagement, type RunningManagement } from '../util/running-management.ts';

let registry: RunningManagement;
let writer = '';
beforeAll(demandCompiled);
beforeAll(async () => {
  registry = await runManagement();
  writer = await registry.createToken('write');
});
afterAll(() => registry[Symbol.asyncDispose]());

const below = (path: string): readonly string[] =>
  existsSync(join(registry.data, path)) ? readdirSync(join(registry.data, path)) : [];
afterEach(() => {
  expect(below('artifacts/.staging')).toEqual([]);
  expect(below('artifacts')).not.toContain('acme');
  expect(below('public/dist')).toEqual([]);
});

const composerJson: EntrySpec = { name: 'composer.json', data: '{"name": "acme/hello", "version": "1.0.0"}' };
const withEntry = (...entries: readonly EntrySpec[]): Buffer => zipOf([composerJson, ...entries]);
const megabyte = 1024 * 1024;

async function refusal(zip: Buffer, query = ''): Promise<readonly [status: number, code: unknown, error: string]> {
  const reply = await registry.proxy.send(
    'POST',
    `/api/artifacts${query}`,
    { authorization: `Bearer ${writer}`, 'content-type': 'application/zip' },
    zip,
  );
  return [reply.status, reply.json()['code'], String(reply.json()['error'])];
}

describe('row 62: names that lead out of the package', () => {
  it.each(['../evil.php', '/etc/passwd', 'C:evil.php', 'a\\..\\evil.php', 'a\0.php'])(
    'an upload with an entry named %j is refused',
    async (name) => {
      const [status, code, error] = await refusal(withEntry({ name, data: 'x' }));
      expect([status, code]).toEqual([400, 'ARCHIVE_UNSAFE']);
      expect(error).toContain(JSON.stringify(name));
    },
  );
});

describe('row 63: ZIPs that expand', () => {
  it.each<[string, () => Buffer]>([
    ['by their ratio', () => withEntry({ name: 'a', data: Buffer.alloc(24 * megabyte) })],
    [
      'by entries that overlap',
      () => withEntry({ name: 'a', data: 'x' }, { name: 'b', data: 'x', listedOnly: true, central: { offset: 0 } }),
    ],
    [
      'by 65 535 entries',
      () => zipOf([composerJson, ...Array.from({ length: 65_534 }, (_, index) => ({ name: `f${index}` }))]),
    ],
    ['by more than they say', () => withEntry({ name: 'a', data: Buffer.alloc(megabyte, 'ab'), both: { size: 10 } })],
    ['by what they claim', () => withEntry({ name: 'a', data: 'x', both: { size: 300 * megabyte } })],
  ])('an upload that expands is refused: %s', async (_how, zip) =>
    expect((await refusal(zip())).slice(0, 2)).toEqual([400, 'ARCHIVE_UNSAFE']),
  );

  it('a ZIP within another ZIP is an ordinary file', async () => {
    const [status, code] = await refusal(
      zipOf([{ name: 'inner.zip', data: withEntry({ name: 'a', data: Buffer.alloc(24 * megabyte) }) }]),
    );
    expect([status, code]).toEqual([400, 'ARTIFACT_INVALID']);
  });
});

describe('row 64: ZIPs that read differently', () => {
  it.each<[string, Buffer]>([
    ['symlink', withEntry({ name: 'l', data: '../../etc/passwd', stored: true, mode: 0o120777 })],
    ['device', withEntry({ name: 'd', mode: 0o020644 })],
    ['the same name twice', withEntry({ name: 'a', data: '1' }, { name: 'a', data: '2' })],
    ['encrypted', withEntry({ name: 'a', data: 'x', both: { flags: 0x0801 } })],
    ['two headers that disagree', withEntry({ name: 'a', data: 'x', local: { name: Buffer.from('b') } })],
    ['trailing data', zipOf([composerJson], { after: Buffer.from('more') })],
    ['data in front', zipOf([composerJson], { before: Buffer.from('#!/bin/sh\n') })],
    ['a lie about its entries', zipOf([composerJson], { end: { entries: 7, here: 7 } })],
  ])('an ambiguous upload is refused: %s', async (_what, zip) => {
    const [status, code] = await refusal(zip);
    expect([status, ['ARCHIVE_UNSAFE', 'ARTIFACT_INVALID'].includes(String(code))]).toEqual([400, true]);
  });
});

describe('row 65: incomplete uploads', () => {
  const head = (length: number, more = ''): string =>
    `POST /api/artifacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${writer}\r\nContent-Type: application/zip\r\nContent-Length: ${length}\r\n${more}\r\n`;

  it('an upload whose announced size is too large is refused before its first byte, and before 100 Continue', async () => {
    for (const more of ['', 'Expect: 100-continue\r\n']) {
      const reply = await exchange(registry.proxy.port, head(256 * megabyte + 1, more));
      expect([
        reply.status,
        (JSON.parse(reply.body) as { code: string }).code,
        reply.text.includes('100 Continue'),
      ]).toEqual([400, 'BODY_TOO_LARGE', false]);
    }
  });

  it('only callers who may upload get 100 Continue', async () => {
    const refused = await exchange(
      registry.proxy.port,
      head(100, 'Expect: 100-continue\r\n').replace(writer, `${writer.slice(0, -1)}_`),
    );
    expect([refused.status, refused.text.includes('100 Continue')]).toEqual([401, false]);
    const socket = await openConnection(registry.proxy.port);
    socket.write(head(100, 'Expect: 100-continue\r\n'));
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (bytes: Buffer) => resolve(bytes.toString())),
    );
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue/);
    await gone();
  });

  it('an upload that is cut off leaves no file', async () => {
    const zip = withEntry({ name: 'a', data: Buffer.alloc(4 * megabyte, 'abcdefghij'), stored: true });
    const socket = await openConnection(registry.proxy.port);
    socket.write(head(zip.length));
    socket.write(zip.subarray(0, 2 * megabyte));
    await eventually(() => below('artifacts/.staging').length === 1);
    socket.destroy();
    await gone();
  });

  it('more than four uploads at once of one token, or eight of all, get a retry answer; other uploads are accepted', async () => {
    const [other, third] = [await registry.createToken('write'), await registry.createToken('write')];
    const begin = async (token: string): Promise<Socket[]> => {
      const sockets = await Promise.all(Array.from({ length: 4 }, () => openConnection(registry.proxy.port)));
      for (const socket of sockets) socket.write(`${head(1000).replace(writer, token)}x`);
      return sockets;
    };
    const expectOverloaded = async (token: string): Promise<void> => {
      const reply = await exchange(registry.proxy.port, head(10).replace(writer, token));
      expect([reply.status, (JSON.parse(reply.body) as { code: string }).code]).toEqual([500, 'OVERLOADED']);
      expect(reply.head).toMatch(/^Retry-After: 5$/im);
    };
    const sockets = await begin(writer);
    await eventually(() => below('artifacts/.staging').length === 4);
    await expectOverloaded(writer);
    const reply = await registry.proxy.send(
      'POST',
      '/api/artifacts',
      { authorization: `Bearer ${other}`, 'content-type': 'application/zip' },
      withEntry({ name: '../evil.php', data: 'x' }),
    );
    expect([reply.status, reply.json()['code']]).toEqual([400, 'ARCHIVE_UNSAFE']);
    sockets.push(...(await begin(other)));
    await eventually(() => below('artifacts/.staging').length === 8);
    await expectOverloaded(third);
    for (const socket of sockets) socket.destroy();
    await gone();
  });
});

describe('slow uploads', () => {
  it.each(['application/zip', 'multipart/form-data; boundary=cut'])(
    'as %s are given up with 408, and their slots are free again',
    async (type) => {
      await using slow = await runManagement({ uploads: { leastSpeed: { bytes: 1000, ms: 400 } } });
      const token = await slow.createToken('write');
      const body =
        type === 'application/zip'
          ? ''
          : '--cut\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n';
      const answers = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const socket = await openConnection(slow.proxy.port);
          let text = '';
          socket.setEncoding('latin1').on('data', (part: string) => (text += part));
          socket.write(
            `POST /api/artifacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nContent-Length: 100000\r\n\r\n${body}`,
          );
          const trickle = setInterval(() => socket.writable && socket.write('x'), 20);
          await once(socket, 'close');
          clearInterval(trickle);
          return text;
        }),
      );
      for (const text of answers) {
        expect(text).toMatch(/^HTTP\/1\.1 408 /);
        expect(text).toMatch(/"code":"REQUEST_TIMEOUT"/);
      }
      expect(readdirSync(join(slow.data, 'artifacts/.staging'))).toEqual([]);
      const next = await slow.proxy.send(
        'POST',
        '/api/artifacts',
        { authorization: `Bearer ${token}`, 'content-type': 'application/zip' },
        withEntry({ name: '../evil.php', data: 'x' }),
      );
      expect(next.json()['code']).toBe('ARCHIVE_UNSAFE');
    },
  );
});

describe('row 66: a composer.json that contradicts the request', () => {
  it.each(['?version=2.0.0', '?name=acme/other'])('is refused for %s', async (query) =>
    expect((await refusal(withEntry(), query)).slice(0, 2)).toEqual([400, 'ARTIFACT_MISMATCH']),
  );
});

const gone = (): Promise<void> => eventually(() => below('artifacts/.staging').length === 0);
