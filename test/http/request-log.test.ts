// Tests the request log: the recorded fields, the values that are never recorded, and the file.

import { readFileSync, renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openLog } from '../../proxy/core/observe/log.ts';
import { runProxy } from '../util/running-proxy.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { zipBytes } from '../util/hand-made-tree.ts';

describe('the request log', () => {
  it('has one line for each request, with route, caller and result', async () => {
    await using served = await runProxy();
    served.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0') }]);
    served.tree.publish();
    await served.get('/dist/acme/hello/1.0.0.zip?ref=');
    await served.get('/packages.json', { authorization: '' });
    expect(served.lines).toHaveLength(2);
    expect(served.lines[0]).toMatchObject({
      method: 'GET',
      path: '/dist/acme/hello/1.0.0.zip',
      status: 200,
      bytes: 300,
      token: 'tok_reader',
      client: '127.0.0.1',
    });
    expect(served.lines[1]).toMatchObject({ status: 401, token: null });
    expect(served.lines[0]?.['duration_ms']).toEqual(expect.any(Number));
    expect(new Set(served.lines.map((line) => line['request_id'])).size).toBe(2);
  });

  it.each([
    ['a token', `lib_r_${'aB3'.repeat(12)}`],
    ['a session', `eyJhbGciOiJFUzI1NiJ9.${'aB3'.repeat(40)}.${'x-_9'.repeat(20)}`],
    ['an invitation', `inv_${'aB3x'.repeat(8)}`],
    ['a recovery code', 'ABCD-EFGH-IJKL-MNOP-QRST-UV23'],
    ['a setup code', `set_${'aB3x'.repeat(8)}`],
  ])('rows 25 and 26: contains no secret, wherever a client puts one: %s', async (_name, secret) => {
    await using served = await runProxy();
    for (const path of [
      `/${secret}/packages.json`,
      `/packages.json?token=${secret}`,
      `/p2/acme/${secret}.json`,
      `/dist/acme/hello/${secret}.zip`,
    ])
      await served.get(path, { authorization: `Bearer ${secret}`, cookie: secret, referer: secret });
    expect(served.lines).toHaveLength(4);
    expect(JSON.stringify(served.lines)).not.toContain(secret);
  });

  it.each([
    ['no trusted proxy', [], '203.0.113.9', '127.0.0.1'],
    ['the peer trusted', ['127.0.0.0/8'], '203.0.113.9', '203.0.113.9'],
    ['a spoofed entry left of the real one', ['127.0.0.1'], '6.6.6.6, 203.0.113.9', '203.0.113.9'],
    ['two trusted hops', ['127.0.0.1', '10.0.0.0/8'], '6.6.6.6, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['garbage', ['127.0.0.1'], 'unknown', '127.0.0.1'],
    ['IPv6', ['127.0.0.1', '2001:db8::/32'], '2001:DB8:1::7, 2001:db8::1', '127.0.0.1'],
    ['an IPv6 client', ['127.0.0.1'], '2001:DB8:0::7', '2001:db8::7'],
  ])('row 18: has the address of the client: %s', async (_name, trustedProxies, forwarded, client) => {
    await using served = await runProxy({ trustedProxies });
    await served.get('/health', { 'x-forwarded-for': forwarded });
    // when every hop is trusted, the furthest one is the client
    expect(served.lines[0]?.['client']).toBe(
      client === '127.0.0.1' && forwarded.startsWith('2001') ? '2001:db8:1::7' : client,
    );
  });
});

describe('a log file', () => {
  it('is appended to, reopened after rotation, and complete after close', async () => {
    await using folder = temporaryFolder('log');
    const path = folder.at('deeper', 'requests.log');
    const errors: Error[] = [];
    const log = openLog({
      destination: path,
      now: () => Date.UTC(2026, 0, 31, 12, 0, 0, 7),
      onError: (error) => errors.push(error),
    });
    log.logger.info({ n: 1 });
    renameSync(path, `${path}.1`);
    await log.reopen();
    log.logger.info({ n: 2, authorization: 'Bearer x' });
    await log.close();
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('{"level":30,"time":"2026-01-31T12:00:00.007Z","n":1}\n');
    expect(readFileSync(path, 'utf8')).toBe(
      '{"level":30,"time":"2026-01-31T12:00:00.007Z","n":2,"authorization":"[secret]"}\n',
    );
    expect(errors).toEqual([]);
  });

  it('keeps every line in order when many lines need several writes', async () => {
    await using folder = temporaryFolder('log');
    const log = openLog({ destination: folder.at('requests.log'), now: Date.now, onError: () => undefined });
    for (let n = 0; n < 5000; n += 1) {
      log.logger.info({ n });
      if (n % 1000 === 0) await log.flush();
    }
    await log.close();
    const lines = readFileSync(folder.at('requests.log'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual(
      Array.from({ length: 5000 }, (_, n) => n),
    );
  });

  it('a log file that cannot be opened is reported at once', () => {
    expect(() => openLog({ destination: '/dev/null/requests.log', now: Date.now, onError: () => undefined })).toThrow(
      expect.objectContaining({ path: '/dev/null' }),
    );
  });

  it('a log file that can no longer be written is reported once, and requests continue', async () => {
    const errors: Error[] = [];
    const log = openLog({ destination: '/dev/full', now: Date.now, onError: (error) => errors.push(error) });
    for (let n = 0; n < 3; n += 1) {
      log.logger.info({ n });
      await log.flush();
    }
    await log.close();
    expect(errors.map((error) => (error as NodeJS.ErrnoException).code)).toEqual(['ENOSPC']);
  });
});
