// Tests the management API over HTTP/2: bodies, uploads and aborted requests, where HTTP/2 differs from HTTP/1.1.

import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { constants } from 'node:http2';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demandCompiled } from '../../setup/compiled.ts';
import { createAuthority, type Authority } from '../../util/certificate.ts';
import { eventually } from '../../util/eventually.ts';
import { zipOf } from '../../util/hostile-zip.ts';
import { connectHttp2, replyOf, type Http2Client } from '../../util/http2-client.ts';
import { flags, frame, opening, requestHeaders } from '../../util/http2-frames.ts';
import { publishedVersions } from '../../util/published-tree.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import { temporaryFolder } from '../../util/temporary-folder.ts';
import { lacks } from '../../util/tool.ts';

beforeAll(demandCompiled);

describe.skipIf(lacks('openssl'))('the management API over HTTP/2', () => {
  const folder = temporaryFolder('tls');
  let authority: Authority;
  let registry: RunningManagement;
  let client: Http2Client;
  let asAdmin: string;
  let writer: string;
  let asWriter: string;

  beforeAll(async () => {
    authority = createAuthority(folder.path);
    registry = await runManagement({ certificate: authority.issue('one') });
    client = await connectHttp2(registry.proxy.port, authority);
    asAdmin = `Bearer ${(await registry.signIn('admin')).token}`;
    writer = await registry.createToken('write');
    asWriter = `Bearer ${writer}`;
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await eventually(() => registry.proxy.proxy.connections() === 0); // every stream was ended
    await registry[Symbol.asyncDispose]();
    await folder.remove();
  });

  const json = { ':method': 'POST', 'content-type': 'application/json' };
  const zip = (name: string): Buffer =>
    zipOf([
      { name: 'composer.json', data: JSON.stringify({ name, version: '1.0.0' }) },
      { name: 'a.php', data: '<?php' },
    ]);
  const asZip = { ':method': 'POST', 'content-type': 'application/zip' };
  const staged = (): readonly string[] =>
    existsSync(join(registry.data, 'artifacts/.staging')) ? readdirSync(join(registry.data, 'artifacts/.staging')) : [];

  it('accepts JSON and answers with JSON', async () => {
    const created = await client.ask(
      '/api/tokens',
      { ...json, authorization: asAdmin },
      JSON.stringify({ description: 'CI', kind: 'read' }),
    );
    expect([created.status, created.headers['cache-control']]).toEqual([201, 'private, no-store']);
    const id = String(created.json()['id']);
    expect((await client.ask(`/api/tokens/${id}`, { authorization: asAdmin })).json()).toMatchObject({
      id,
      description: 'CI',
    });
    expect((await client.ask(`/api/tokens/${id}`, { ':method': 'DELETE', authorization: asAdmin })).status).toBe(200);
  });

  it.each<[string, string | Buffer, number, string]>([
    ['is no JSON', '{', 400, 'BAD_REQUEST'],
    ['is too large', Buffer.alloc(2_000_000, ' '), 400, 'BODY_TOO_LARGE'],
    ['is nested too deep', `${'['.repeat(50)}${']'.repeat(50)}`, 400, 'BAD_REQUEST'],
  ])('row 14: refuses a body that %s, and keeps the connection', async (_what, body, status, code) => {
    const reply = await client.ask('/api/tokens', { ...json, authorization: asAdmin }, body);
    expect([reply.status, reply.json()['code']]).toEqual([status, code]);
    expect((await client.ask('/api/tokens', { authorization: asAdmin })).status).toBe(200);
  });

  /** Sends a request whose body never ends, on a connection of its own. */
  async function sendOpenEnded(
    path: string,
    token: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer | string,
  ): Promise<TLSSocket> {
    const socket = connectTls({
      port: registry.proxy.port,
      host: 'localhost',
      ca: authority.pem,
      ALPNProtocols: ['h2'],
    });
    await once(socket, 'secureConnect');
    socket
      .resume()
      .write(
        Buffer.concat([
          opening,
          frame('HEADERS', flags.endHeaders, 1, requestHeaders(path, token, headers)),
          frame('DATA', 0, 1, Buffer.from(body)),
        ]),
      );
    return socket;
  }
  const reset = (socket: TLSSocket, code: number): unknown =>
    socket.write(frame('RST_STREAM', 0, 1, Buffer.from([0, 0, 0, code])));

  it.each([
    ['at once', 0],
    ['after a while', 200],
  ])('ignores a body that breaks off %s, also one that would be complete', async (_when, afterMs) => {
    for (const code of [constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_CANCEL]) {
      const lines = registry.proxy.lines.length;
      const socket = await sendOpenEnded(
        '/api/tokens',
        asAdmin.slice(7),
        json,
        JSON.stringify({ description: 'never made', kind: 'read' }),
      );
      await sleep(afterMs);
      reset(socket, code);
      await eventually(() => registry.proxy.lines.length > lines || afterMs === 0);
      socket.destroy();
    }
    expect(registry.proxy.lines.filter((line) => line['aborted'] === true && line['status'] !== 400)).toEqual([]);
    expect((await client.ask('/api/tokens', { authorization: asAdmin })).body.toString()).not.toContain('never made');
  });

  it('publishes a ZIP, sent alone or as the file of a form', async () => {
    expect((await client.ask('/api/artifacts', { ...asZip, authorization: asWriter }, zip('acme/alone'))).status).toBe(
      201,
    );
    const form = Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'),
      zip('acme/form'),
      Buffer.from('\r\n--b--\r\n'),
    ]);
    expect(
      (
        await client.ask(
          '/api/artifacts',
          { ':method': 'POST', 'content-type': 'multipart/form-data; boundary=b', authorization: asWriter },
          form,
        )
      ).status,
    ).toBe(201);
    expect(Object.keys(publishedVersions(registry.data)).sort()).toEqual(['acme/alone@1.0.0', 'acme/form@1.0.0']);
  });

  it('sends 100 Continue to a client that waits for it, and only where the body is wanted', async () => {
    const stream = client.open('/api/artifacts', { ...asZip, authorization: asWriter, expect: '100-continue' }, false);
    const reply = replyOf(stream);
    await once(stream, 'continue');
    stream.end(zip('acme/patient'));
    expect((await reply).status).toBe(201);
    const refused = client.open(
      '/api/artifacts',
      { ...asZip, authorization: 'Bearer nobody', expect: '100-continue' },
      false,
    );
    refused.on('continue', () => expect.unreachable());
    expect((await replyOf(refused)).status).toBe(401);
  });

  it.each([
    ['a ZIP', { ':method': 'POST', 'content-type': 'application/zip' }, Buffer.alloc(0)],
    [
      'a form',
      { ':method': 'POST', 'content-type': 'multipart/form-data; boundary=b' },
      Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'),
    ],
  ])('row 65: leaves no remains of %s that breaks off, whatever the reset code', async (_what, headers, before) => {
    for (const code of [constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_CANCEL]) {
      const lines = registry.proxy.lines.length;
      const socket = await sendOpenEnded(
        '/api/artifacts',
        writer,
        headers,
        Buffer.concat([before, zip('acme/broken')]),
      );
      await eventually(() => staged().length === 1);
      reset(socket, code);
      await eventually(() => registry.proxy.lines.length > lines && staged().length === 0);
      expect(registry.proxy.lines.at(-1)).toMatchObject({ status: 400, aborted: true });
      socket.destroy();
    }
    expect(Object.keys(publishedVersions(registry.data))).not.toContain('acme/broken@1.0.0');
  });
});
