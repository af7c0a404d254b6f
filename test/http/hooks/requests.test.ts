// Tests webhooks as requests: methods, sizes, slow and broken bodies, tokens beside the proof, HTTP/2, and the
// addresses that are limited.

import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../util/certificate.ts';
import { registeredAddresses } from '../../util/hook-payloads.ts';
import { bitbucketServer, github, senders, type Sender, type SentHook } from '../../util/hook-senders.ts';
import { connectHttp2 } from '../../util/http2-client.ts';
import { exchange, openConnection } from '../../util/raw-client.ts';
import { newSecret, runHooks } from '../../util/running-hooks.ts';
import { temporaryFolder } from '../../util/temporary-folder.ts';
import { lacks } from '../../util/tool.ts';
import { itInSeries } from '../../util/series.ts';

const megabyte = 1024 * 1024;

const sending = (body: string) => ({ event: 'push', body, atMs: Date.now(), id: randomUUID() });

/** A payload of GitHub of exactly this many bytes. */
function payloadOf(bytes: number): string {
  const start = `{"repository":{"clone_url":"https://github.com/acme/tool.git"},"padding":"`;
  return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
}

/** The request as bytes. `length`: the announced one; undefined: chunked. */
function requestOf(path: string, { headers }: SentHook, length: number | undefined): string {
  const framing = length === undefined ? 'transfer-encoding: chunked' : `content-length: ${length}`;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${path} HTTP/1.1`, 'host: a', ...lines, framing, '', ''].join('\r\n');
}

describe('the method', () => {
  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'] as const)('%s is 405, with POST in Allow', async (method) => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.github);
    for (const at of [path, '/hooks', `/hooks/repo_${'0'.repeat(16)}`]) {
      const reply = await hooks.proxy.send(method, at, {});
      expect([reply.status, reply.headers['allow']]).toEqual([405, 'POST']);
    }
  });
});

describe('the body', () => {
  itInSeries('of 25 MB is accepted at the address of a repository, and its payload is not needed', async () => {
    await using hooks = await runHooks();
    const { id, path } = hooks.register(registeredAddresses.github);
    const reply = await hooks.send(path, await github.send(hooks.secret, sending('x'.repeat(25 * megabyte))));
    expect([reply.status, reply.json()['repositories']]).toEqual([202, [id]]);
  });

  it('above 25 MB is 413, and the connection ends', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.github);
    const hook = await github.send(hooks.secret, sending('{}'));
    const announced = await exchange(hooks.proxy.port, requestOf(path, hook, 25 * megabyte + 1));
    expect([announced.status, announced.closed]).toEqual([413, true]);
    const chunk = `${megabyte.toString(16)}\r\n${'x'.repeat(megabyte)}\r\n`;
    const streamed = await exchange(
      hooks.proxy.port,
      `${requestOf(path, hook, undefined)}${chunk.repeat(25)}1\r\nx\r\n`,
    );
    expect([streamed.status, streamed.closed]).toEqual([413, true]);
    expect(streamed.body).toContain('HOOK_TOO_LARGE');
    expect(hooks.received).toEqual([]);
  });

  it('of 1 MB is read for its repository; a larger one is accepted, and names none', async () => {
    await using hooks = await runHooks();
    const { id } = hooks.register(registeredAddresses.github);
    for (const [bytes, outcome, repositories] of [
      [megabyte, 'sync', [id]],
      [megabyte + 1, 'too large to read', []],
    ] as const) {
      const reply = await hooks.send('/hooks', await github.send(hooks.secret, sending(payloadOf(bytes))));
      expect([reply.status, reply.json()]).toMatchObject([202, { outcome, repositories }]);
    }
    expect(hooks.received.map(({ outcome }) => outcome)).toEqual(['sync', 'too large to read']);
  });

  it('is not kept without room for it: the hook is refused, and a later one is accepted', async () => {
    await using hooks = await runHooks({
      kept: { mostBytes: megabyte, mostBytesOfAddress: 3000, mostBytesTogether: 9000 },
    });
    const { id } = hooks.register(registeredAddresses.github);
    const hook = await github.send(hooks.secret, sending(payloadOf(2000)));
    const first = await openConnection(hooks.proxy.port);
    first.write(requestOf('/hooks', hook, 2000) + hook.body.slice(0, 1999));
    await expect
      .poll(async () => (await hooks.send('/hooks', await github.send(hooks.secret, sending(payloadOf(1500))))).status)
      .toBe(503);
    const { path } = hooks.register('https://git.example.org/acme/other.git');
    const azure = senders.find(({ provider }) => provider === 'azure') as Sender;
    const known = await hooks.send(path, await azure.send(hooks.secret, sending(payloadOf(1500))));
    expect([known.status, known.json()['outcome']]).toEqual([202, 'sync']);
    first.write(hook.body.slice(1999));
    expect(String((await once(first, 'data'))[0])).toMatch(/^HTTP\/1\.1 202 /);
    first.destroy();
    const later = await hooks.send('/hooks', await github.send(hooks.secret, sending(payloadOf(2500))));
    expect([later.status, later.json()['repositories']]).toEqual([202, [id]]);
  });

  it('may be missing', async () => {
    await using hooks = await runHooks();
    const { id, path } = hooks.register(registeredAddresses.github);
    const reply = await hooks.proxy.send('POST', path, { authorization: `Bearer ${hooks.secret}` });
    expect([reply.status, reply.json()['repositories']]).toEqual([202, [id]]);
  });

  it('that breaks off asks for nothing', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.github);
    const hook = await github.send(hooks.secret, sending('{"a":1}'));
    const connection = await openConnection(hooks.proxy.port);
    connection.end(requestOf(path, hook, 7) + hook.body.slice(0, 6));
    await once(connection.resume(), 'close');
    expect(hooks.received).toEqual([]);
    expect((await hooks.send(path, hook)).json()['status']).toBe('accepted');
  });

  it('is asked for with 100 Continue only if there is a proof', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.github);
    const hook = await github.send(hooks.secret, sending('{}'));
    const waiting = { body: '', headers: { ...hook.headers, expect: '100-continue' } };
    const { text } = await exchange(hooks.proxy.port, `${requestOf(path, waiting, 2)}{}`);
    expect(text).toMatch(/^HTTP\/1\.1 100 [^]*HTTP\/1\.1 202 /);
    const unsigned = { body: '', headers: { ...waiting.headers, 'x-hub-signature-256': '' } };
    const refused = await exchange(hooks.proxy.port, requestOf(path, unsigned, 2));
    expect([refused.status, refused.closed]).toEqual([401, true]);
  });
});

describe.skipIf(lacks('openssl'))('over HTTP/2', () => {
  it('a webhook is accepted with its proof, and refused without one', async () => {
    const folder = temporaryFolder('tls');
    const authority = createAuthority(folder.path);
    await using hooks = await runHooks({ certificate: authority.issue('one') });
    const { id, path } = hooks.register(registeredAddresses.github);
    await using client = await connectHttp2(hooks.proxy.port, authority);
    const { headers, body } = await github.send(hooks.secret, sending('x'.repeat(megabyte)));
    const post = { ':method': 'POST', ...headers, authorization: 'Bearer reader' };
    const accepted = await client.ask(path, post, body);
    expect([accepted.status, accepted.json()['repositories']]).toEqual([202, [id]]);
    expect((await client.ask(path, post, `${body} `)).status).toBe(403);
    expect((await client.ask(path, { ...post, 'x-hub-signature-256': '' }, body)).status).toBe(401);
    expect((await client.ask(path)).status).toBe(405);
    await folder.remove();
  });
});

describe('an API token', () => {
  it('is no proof, and its requests are not counted', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.github);
    const reply = await hooks.send(path, { headers: { authorization: 'Bearer reader' }, body: '{}' });
    expect([reply.status, reply.headers['x-ratelimit-limit']]).toEqual([403, undefined]);
  });

  it('beside a right proof changes nothing: a reverse proxy may ask for one', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses['bitbucket-server']);
    for (const authorization of ['Bearer reader', 'Bearer nobody', 'Basic YTpi', 'Digest x']) {
      const hook = await bitbucketServer.send(hooks.secret, { ...sending('{}'), event: 'repo:refs_changed' });
      const reply = await hooks.send(path, { ...hook, headers: { ...hook.headers, authorization } });
      expect([authorization, reply.status]).toEqual([authorization, 202]);
    }
  });
});

describe('a refusal', () => {
  it('names the command for the secret of its address', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.github);
    const wrong = await github.send(newSecret(), sending('{}'));
    const unsigned = { body: '{}', headers: { ...wrong.headers, 'x-hub-signature-256': '' } };
    for (const hook of [wrong, unsigned]) {
      expect((await hooks.send('/hooks', hook)).json()['error']).toContain('libretto repository hook --all --rotate');
      expect((await hooks.send(path, hook)).json()['error']).toContain('libretto repository hook ID');
    }
  });
});

describe('wrong proofs', () => {
  it('are limited for each address, and only they', async () => {
    let nowMs = Date.UTC(2026, 10, 23);
    await using hooks = await runHooks({ now: () => nowMs, trustedProxies: ['127.0.0.1'] });
    const { path } = hooks.register(registeredAddresses.github);
    const [wrong, right] = [
      await github.send(newSecret(), sending('{}')),
      await github.send(hooks.secret, sending('{}')),
    ];
    const from = (address: string, { headers, body }: SentHook) =>
      hooks.send(path, { body, headers: { ...headers, 'x-forwarded-for': address } });
    await Promise.all(Array.from({ length: 100 }, () => from('203.0.113.9', wrong)));
    const refused = await from('203.0.113.9', wrong);
    expect([refused.status, refused.json()['code'], refused.headers['retry-after']]).toEqual([
      429,
      'TOO_MANY_ATTEMPTS',
      '60',
    ]);
    expect((await from('203.0.113.9', right)).status).toBe(202);
    expect((await from('203.0.113.10', wrong)).status).toBe(403);
    nowMs += 60_000;
    expect((await from('203.0.113.9', wrong)).status).toBe(403);
  });
});

describe('the log', () => {
  it('has one line for each hook, without its proof', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.github);
    await hooks.proxy.send('POST', path, { authorization: `Bearer ${hooks.secret}` });
    await hooks.send(path, await github.send(hooks.secret, sending('{}')));
    expect(hooks.proxy.lines).toMatchObject([
      { method: 'POST', path, status: 202, token: null },
      { method: 'POST', path, status: 202, token: null },
    ]);
    expect(JSON.stringify(hooks.proxy.lines)).not.toMatch(/whsec_|sha256=/);
  });
});
