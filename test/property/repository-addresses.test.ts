// Sends valid and hostile addresses to the operations that accept one: each is accepted, or refused with its field.
// None causes a fault of the server. `URL_RUNS=10000` plays the long series.

import { fc } from '../util/seeded-check.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runManagement, type RunningManagement } from '../util/running-management.ts';
import type { Reply } from '../util/running-proxy.ts';

const numRuns = Number(process.env['URL_RUNS'] ?? 150);
const settings = { seed: 20_261_122, numRuns, endOnFailure: true } as const;

let registry: RunningManagement;
let admin: string;

beforeAll(async () => {
  registry = await runManagement();
  admin = (await registry.signIn('admin')).token;
});
afterAll(() => registry[Symbol.asyncDispose]());

const register = (type: string, url: string): Promise<Reply> =>
  registry.call('POST', '/api/repositories', { as: admin, body: { type, url } });

const mirror = (url: string): Promise<Reply> =>
  registry.call('PATCH', '/api/settings', { as: admin, body: { mirroring: { url } } });

/** `undefined` where the answer names the field, or refuses nothing. */
function surprise({ status, json }: Reply, field: string): string | undefined {
  if (status === 200 || status === 201) return undefined;
  const { code, details } = json() as { code: string; details: { issues?: readonly { path: string }[] } };
  if (status !== 400) return `${status} ${code}`;
  if (code !== 'INVALID_INPUT')
    return ['CONFLICT', 'EGRESS_DENIED', 'OUTSIDE_SOURCE_ROOTS'].includes(code) ? undefined : code;
  return details.issues?.some(({ path }) => path === field) === true ? undefined : `no issue of ${field}`;
}

const scheme = fc.constantFrom('https://', 'http://', 'ssh://', 'git://', 'file://', 'https:', 'HTTPS://', '//', '');
const user = fc.constantFrom('', '', '', 'git@', 'a:b@', '@');
const host = fc.oneof(
  fc.constantFrom(
    'example.org',
    'localhost',
    '127.1',
    '0x7f.1',
    '256.256.256.256',
    'xn--',
    'xn--a.example',
    '[::1]',
    '[::g]',
    '[v1.x]',
  ),
  fc.constantFrom(
    '',
    '.',
    '-a',
    'a..b',
    '1.2.3.4.5',
    '0xffffffffff',
    'ü.example',
    '%41',
    '%',
    '[',
    ']',
    'a'.repeat(300),
    '\u{d800}',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const port = fc.constantFrom('', '', ':', ':0', ':443', ':65535', ':65536', ':99999', ':-1', ':a');
const path = fc.oneof(
  fc.constantFrom(
    '',
    '/',
    '/x',
    '/x.git',
    ':x',
    ':x://y',
    '/../x',
    '/%zz',
    '/\\x',
    '/?a',
    '/#a',
    '/packages.json',
    '/ü',
    '/\u{dfff}',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const address = fc
  .oneof(
    fc.tuple(scheme, user, host, port, path).map((parts) => parts.join('')),
    fc.webUrl(),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  )
  .filter((text) => text !== '');

const invalid = [
  'https://example.org:99999/x',
  'https://256.256.256.256/x',
  'https://xn--/x',
  'https://[::g]/x',
  'https://1.2.3.4.5/x',
  'https://0xffffffffff/x',
  'https://a..b/x',
  'https://example.org:0/x',
  'https://-a.example/x',
  `https://${'a'.repeat(64)}.example/x`,
];

describe('an address of a repository', () => {
  it.each(invalid.flatMap((url) => ['git', 'composer'].map((type) => [type, url])))(
    'of type %s is refused without a readable host: %s',
    async (type, url) => {
      const reply = await register(type, url);
      expect([reply.status, reply.json()]).toMatchObject([
        400,
        { code: 'INVALID_INPUT', details: { issues: [{ path: 'url' }] } },
      ]);
    },
  );

  it.each([
    'ssh://git@example.org:99999/x',
    'ssh://[::g]/x',
    'ssh://git@xn--/x',
    'git@a..b:x',
    'git@xn--:x',
    'git@example.org:x\u202ey',
  ])('of ssh is refused without a readable host: %s', async (url) => {
    expect([(await register('git', url)).json()]).toMatchObject([
      { code: 'INVALID_INPUT', details: { issues: [{ path: 'url' }] } },
    ]);
  });

  it('is accepted, or refused with its field, for any text', async () => {
    const types = fc.constantFrom('git', 'composer', 'directory', 'artifact');
    await fc.assert(
      fc.asyncProperty(types, address, async (type, url) => {
        expect([url, surprise(await register(type, url), 'url')]).toEqual([url, undefined]);
      }),
      settings,
    );
  }, 600_000);
});

describe('the address of the public registry', () => {
  it.each(invalid)('is refused without a readable host: %s', async (url) => {
    expect([(await mirror(url)).json()]).toMatchObject([
      { code: 'INVALID_INPUT', details: { issues: [{ path: 'mirroring.url' }] } },
    ]);
  });

  it('is accepted, or refused with its field, for any text', async () => {
    await fc.assert(
      fc.asyncProperty(address, async (url) => {
        expect([url, surprise(await mirror(url), 'mirroring.url')]).toEqual([url, undefined]);
      }),
      settings,
    );
  }, 600_000);
});
