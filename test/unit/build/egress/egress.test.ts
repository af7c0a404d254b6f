// Tests the limits on fetches: allowed URLs, addresses and sizes. No request leaves this machine: the test resolves
// the names.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAddressPolicy } from '../../../../build/egress/address-policy.ts';
import { checkedUrl } from '../../../../build/egress/checked-url.ts';
import { createEgress, type Egress, type EgressOptions } from '../../../../build/egress/egress.ts';
import type { EgressFailure } from '../../../../build/egress/egress-failure.ts';
import { answerWith, redirectTo, startDistServer, type Answering, type DistServer } from '../../../util/dist-server.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

const folder = temporaryFolder('egress');
const loopback = ['127.0.0.0/8'];
let server: DistServer;
let other: DistServer;
beforeAll(async () => {
  server = await startDistServer();
  other = await startDistServer();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
  await folder.remove();
});
beforeEach(() => {
  for (const { requests, answers } of [server, other]) {
    requests.splice(0);
    answers.clear();
  }
});

let egress: Egress | undefined;
afterEach(() => egress?.close());

async function fetched(url: string, options: EgressOptions = {}, maxBytes = 1000): Promise<string> {
  await egress?.close();
  egress = createEgress({ allowAddresses: loopback, ...options });
  const target = folder.at('target');
  const outcome = await egress.download(url, target, maxBytes).then(
    ({ size }) => `${size} ${readFileSync(target, 'utf8')}`,
    (error: EgressFailure) => `${error.kind}: ${error.message}`,
  );
  if (existsSync(target)) {
    if (!/^\d/.test(outcome)) throw new Error('a failed download left its file behind');
    await import('node:fs/promises').then(({ rm }) => rm(target));
  }
  return outcome;
}

describe('addresses', () => {
  const none = createAddressPolicy([]);
  it.each(['93.184.216.34', '8.8.8.8', '2606:2800:220:1::1', '::ffff:8.8.8.8'])('the address %s is public', (address) =>
    expect(none(address)).toBe(true),
  );
  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '172.16.5.5',
    '192.168.1.1',
    '169.254.169.254',
    '0.0.0.0',
    '100.64.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '100::1',
    'example.org',
    '',
  ])('the address %s is not public', (address) => expect(none(address)).toBe(false));

  it('private addresses that the operator allows are requested, and no other private addresses', () => {
    const policy = createAddressPolicy(['10.1.0.0/16', '127.0.0.1', 'fd00::/8']);
    expect(['10.1.2.3', '127.0.0.1', '::ffff:10.1.2.3', 'fd12::1'].map(policy)).toEqual([true, true, true, true]);
    expect(['10.2.0.1', '127.0.0.2', 'fe80::1'].map(policy)).toEqual([false, false, false]);
    expect(() => createAddressPolicy(['10.1.0.0/33'])).toThrow(
      /egress\.allow: "10\.1\.0\.0\/33" is not an address range/,
    );
  });
});

describe('a private address is refused', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '127.0.0.1.',
    '[::ffff:127.0.0.1]',
    '[::1]',
    '169.254.169.254',
    '[fd00:ec2::254]',
    '0',
  ])('when it is written as %s', async (host) => {
    expect(await fetched(`http://${host}:${server.port}/a`, { allowAddresses: [] })).toMatch(
      /^denied: The address .* is not public\..*egress\.allow/,
    );
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['localhost', [{ address: '127.0.0.1', family: 4 }]],
    ['metadata.google.internal', [{ address: '169.254.169.254', family: 4 }]],
    [
      'both.example',
      [
        { address: '93.184.216.34', family: 4 },
        { address: '::1', family: 6 },
      ],
    ],
  ])('when the name %s resolves to it', async (host, addresses) => {
    const found = await fetched(`http://${host}:${server.port}/a`, {
      allowAddresses: [],
      resolve: () => Promise.resolve(addresses),
    });
    expect(found).toContain(`denied: ${host} has the address ${addresses.at(-1)?.address ?? ''}, which is not public`);
    expect(server.requests).toEqual([]);
  });

  it('where a name resolves to it after the check: the fetch uses the checked address', async () => {
    server.answers.set('/a', answerWith('here'));
    const answers = ['127.0.0.1', '10.0.0.1'];
    const resolve = (): Promise<{ address: string; family: number }[]> =>
      Promise.resolve([{ address: answers.shift() ?? '', family: 4 }]);
    expect(await fetched(`http://turns.example:${server.port}/a`, { resolve })).toBe('4 here');
    expect(answers).toEqual(['10.0.0.1']);
  });

  it('as the target of a redirect', async () => {
    server.answers.set('/literal', redirectTo('http://169.254.169.254/latest/meta-data'));
    server.answers.set('/name', redirectTo('http://inside.example/x'));
    expect(await fetched(`${server.url}/literal`)).toMatch(/^denied: The address 169\.254\.169\.254/);
    expect(
      await fetched(`${server.url}/name`, { resolve: () => Promise.resolve([{ address: '10.0.0.1', family: 4 }]) }),
    ).toMatch(/^denied: inside\.example has the address 10\.0\.0\.1/);
  });
});

describe('URLs', () => {
  it.each(['ftp://127.0.0.1/a', 'file:///etc/passwd', 'gopher://127.0.0.1/', 'data:,x'])(
    'the URL %s is not fetched',
    async (url) => expect(await fetched(url)).toMatch(/^denied: .*only https:\/\/ and http:\/\//),
  );
  it('a text that is no URL is reported as such', async () =>
    expect(await fetched('http://')).toMatch(/^denied: "http:\/\/" is not a URL/));

  it('a URL with credentials is refused, and the message does not show them', async () => {
    const found = await fetched('https://me:s3cret@host.example/a.zip?token=t0ken');
    expect(found).toMatch(/^denied: The URL https:\/\/host\.example\/a\.zip contains credentials/);
    expect(found).not.toMatch(/s3cret|t0ken/);
    expect(await fetched('http://me:s3cret@:x/?t0ken')).not.toMatch(/s3cret|t0ken/);
  });

  it('a redirect from https to http is refused', () => {
    const all = (): boolean => true;
    expect(() => checkedUrl('http://b.example/x', all, new URL('https://a.example/'))).toThrow(
      /redirects to http:\/\/b\.example\/x, which is not encrypted/,
    );
    expect(checkedUrl('/x', all, new URL('https://a.example/')).href).toBe('https://a.example/x');
  });
});

describe('redirects', () => {
  it('five redirects are followed', async () => {
    for (let hop = 1; hop <= 6; hop += 1)
      server.answers.set(
        `/${hop}`,
        redirectTo(hop === 6 ? `${other.url}/end` : `/${hop + 1}`, [301, 302, 303, 307, 308][hop % 5]),
      );
    other.answers.set('/end', answerWith('there'));
    expect(await fetched(`${server.url}/2`)).toBe('5 there');
    expect(await fetched(`${server.url}/1`)).toMatch(/^unreachable: .*\/1 redirects more than 5 times/);
  });

  it('a redirect to another scheme is refused', async () => {
    server.answers.set('/a', redirectTo('file:///etc/passwd'));
    expect(await fetched(`${server.url}/a`)).toMatch(/^denied: file:\/\//);
  });

  it('a redirect without a location is returned as the answer', async () => {
    server.answers.set('/a', (_request, response) => void response.writeHead(302).end());
    expect(await fetched(`${server.url}/a`)).toMatch(/^unreachable: .*status 302/);
  });
});

describe('credentials', () => {
  const environment = (host: string): Record<string, string> => ({
    COMPOSER_AUTH: JSON.stringify({
      bearer: { [host]: 's3cret' },
      'http-basic': { [other.host]: { username: 'me', password: 'pa55' } },
    }),
  });

  it('credentials are sent to their own host', async () => {
    server.answers.set('/a', answerWith('x'));
    other.answers.set('/a', answerWith('x'));
    await fetched(`${server.url}/a`, { environment: environment(server.host) });
    await fetched(`${other.url}/a`, { environment: environment(server.host) });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer s3cret');
    expect(other.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:pa55').toString('base64')}`);
  });

  it('credentials are not sent after a redirect to another host, not even the credentials of that host', async () => {
    server.answers.set('/a', redirectTo(`${other.url}/b`));
    other.answers.set('/b', redirectTo(`${server.url}/c`));
    server.answers.set('/c', answerWith('x'));
    await fetched(`${server.url}/a`, { environment: environment(server.host) });
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
  });

  it('credentials are not sent over an unencrypted connection', async () => {
    server.answers.set('/a', answerWith('x'));
    const host = `plain.example:${server.port}`;
    await fetched(`http://${host}/a`, {
      environment: environment(host),
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  it('a message about refused credentials does not show them', async () => {
    server.answers.set('/a', (_request, response) => void response.writeHead(401).end());
    const found = await fetched(`${server.url}/a?key=t0ken`, { environment: environment(server.host) });
    expect(found).toMatch(
      /^unreachable: .*\/a answered with status 401\. It did not accept the credentials in COMPOSER_AUTH/,
    );
    expect(found).not.toMatch(/s3cret|t0ken/);
    expect(() => createEgress({ environment: { COMPOSER_AUTH: '{"s3cret' } })).toThrow(
      /^COMPOSER_AUTH is not a JSON object/,
    );
  });
});

describe('limits', () => {
  it('a fetch ends at the size limit, whether or not the size is announced', async () => {
    server.answers.set('/claimed', answerWith('x'.repeat(1001)));
    server.answers.set('/chunked', (_request, response) => {
      for (let piece = 0; piece < 11; piece += 1) response.write('x'.repeat(100));
      response.end();
    });
    server.answers.set('/just', answerWith('x'.repeat(1000)));
    expect(await fetched(`${server.url}/claimed`)).toMatch(/^oversized: .*larger than 1000 bytes/);
    expect(await fetched(`${server.url}/chunked`)).toMatch(/^oversized:/);
    expect(await fetched(`${server.url}/just`)).toMatch(/^1000 x/);
  });

  it('a fetch ends at the time limit, before and within the answer', async () => {
    server.answers.set('/silent', () => undefined);
    server.answers.set('/stuck', (_request, response) => void response.write('x'));
    for (const path of ['/silent', '/stuck'])
      expect(await fetched(`${server.url}${path}`, { timeoutMs: 200 })).toMatch(
        /^unreachable: .* did not answer within 0\.2 s/,
      );
  });
});

describe('a host that is too slow', () => {
  const trickle: Answering = (_request, response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  };
  const trickledHeaders: Answering = ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\nX-Long: ');
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer)).on('error', () => undefined);
  };

  it.each([
    ['without an answer', (): void => undefined],
    ['with a header of many small parts', trickledHeaders],
    ['with a body of many small parts', trickle],
  ])('is given up %s, and not asked for another file', async (_what, answering) => {
    server.answers.set('/slow', answering).set('/next', answerWith('next'));
    other.answers.set('/next', answerWith('next'));
    egress = createEgress({ allowAddresses: loopback, leastSpeed: { bytes: 1000, ms: 200 } });
    const get = (url: string): Promise<unknown> =>
      egress?.download(url, folder.at('target'), 10_000).finally(() => rmSync(folder.at('target'), { force: true })) ??
      Promise.reject(new Error('closed'));
    await expect(get(`${server.url}/slow`)).rejects.toThrow(/could not be fetched: .*\.$/);
    await expect(get(`${server.url}/next`)).rejects.toMatchObject({
      kind: 'unreachable',
      message: `${server.host} did not answer another download in time, and was not asked.`,
    });
    expect(await get(`${other.url}/next`)).toMatchObject({ size: 4 });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a fetch returns the complete body or fails', () => {
  it('a complete download is returned with its digest', async () => {
    server.answers.set('/a', answerWith('hello'));
    egress = createEgress({ allowAddresses: loopback });
    const sha1 = createHash('sha1').update('hello').digest('hex');
    expect(await egress.download(`${server.url}/a`, folder.at('sums'), 10)).toEqual({ sha1, size: 5 });
  });

  it('a fetch uses a new connection after the server closed the idle one', async () => {
    const first = new WeakSet<object>();
    server.answers.set('/a', (request, response) => {
      if (first.has(request.socket)) return void request.socket.destroy();
      first.add(request.socket);
      response.end('x');
    });
    egress = createEgress({ allowAddresses: loopback });
    for (const target of ['one', 'two'])
      expect(await egress.download(`${server.url}/a`, folder.at(target), 10)).toMatchObject({ size: 1 });
    expect(server.requests).toHaveLength(3);
  });

  it('a body that is cut off, encoded or missing, or a host that does not answer, fails the fetch', async () => {
    server.answers.set('/cut', (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x');
      setTimeout(() => response.destroy(), 20);
    });
    server.answers.set(
      '/packed',
      (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    );
    expect(await fetched(`${server.url}/cut`)).toMatch(/^unreachable: .*\/cut could not be fetched/);
    expect(await fetched(`${server.url}/packed`)).toMatch(/^unreachable: .*encoding \(gzip\)/);
    expect(await fetched(`${server.url}/missing`)).toMatch(/^unreachable: .*status 404/);
    expect(await fetched('http://127.0.0.1:1/a')).toMatch(/^unreachable: .*could not be fetched/);
    expect(
      await fetched('http://gone.example/a', {
        resolve: () => Promise.reject(new Error('getaddrinfo ENOTFOUND gone.example')),
      }),
    ).toMatch(/^unreachable: .*ENOTFOUND/);
    expect(server.requests.every(({ headers }) => headers['accept-encoding'] === 'identity')).toBe(true);
  });
});
