// Tests forged sessions, which are signed tokens, with every known attack on such tokens (rows 41 and 42): each gets
// 401.

import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKeyRing } from '../../proxy/keys/key-ring.ts';
import { createSignedTokens } from '../../proxy/keys/signed-token.ts';
import { runManagement, type RunningManagement } from '../util/running-management.ts';

type Json = Record<string, unknown>;

const encode = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part: string): Json => JSON.parse(Buffer.from(part, 'base64url').toString()) as Json;
const ecdsa =
  (key: KeyObject) =>
  (text: string): Buffer =>
    sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
const seconds = (): number => Math.floor(Date.now() / 1000);

interface Forge extends AsyncDisposable {
  readonly registry: RunningManagement;
  readonly token: string;
  readonly header: Json;
  readonly claims: Json;
  /** the server's own private key, so that a forged session fails because of its content and not its signature */
  readonly key: KeyObject;
  /** signed correctly, with the server's own key by default */
  readonly make: (header: Json, claims: Json, signed?: (text: string) => Buffer) => string;
  readonly status: (token: string) => Promise<number>;
}

async function forge(): Promise<Forge> {
  const registry = await runManagement();
  const { token } = await registry.signIn('admin');
  const [header = '', claims = ''] = token.split('.');
  const key = createPrivateKey(registry.keys.current('signing').material);
  return {
    registry,
    token,
    key,
    header: decode(header),
    claims: decode(claims),
    make: (changedHeader, changedClaims, signed = ecdsa(key)) => {
      const text = `${encode({ ...decode(header), ...changedHeader })}.${encode({ ...decode(claims), ...changedClaims })}`;
      return `${text}.${signed(text).toString('base64url')}`;
    },
    status: async (as) => (await registry.call('GET', '/api/auth/me', { as })).status,
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  };
}

describe('row 41: a forged session is a 401', () => {
  it('the test itself signs valid sessions with the right key', async () => {
    await using desk = await forge();
    expect(desk.header).toEqual({
      alg: 'ES256',
      kid: expect.stringMatching(/^[0-9A-Za-z]{12}$/) as string,
      typ: 'libretto-session+jwt',
    });
    expect(Object.keys(desk.claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'sid', 'sub']);
    expect(await desk.status(desk.token)).toBe(200);
    expect(await desk.status(desk.make({}, {}))).toBe(200);
  });

  it('when it has no signature, whatever its alg is', async () => {
    await using desk = await forge();
    for (const alg of ['none', 'None', 'NONE', 'ES256', '']) {
      const text = `${encode({ ...desk.header, alg })}.${encode(desk.claims)}`;
      for (const token of [`${text}.`, text, `${text}.AAAA`]) expect(await desk.status(token)).toBe(401);
    }
  });

  it('when it has another algorithm: an HMAC keyed with our public key, RSA, ES384', async () => {
    await using desk = await forge();
    const publicPem = createPublicKey(desk.key).export({ type: 'spki', format: 'pem' });
    expect(
      await desk.status(
        desk.make({ alg: 'HS256' }, {}, (text) => createHmac('sha256', publicPem).update(text).digest()),
      ),
    ).toBe(401);
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    expect(await desk.status(desk.make({ alg: 'RS256' }, {}, (text) => sign('sha256', Buffer.from(text), rsa)))).toBe(
      401,
    );
    expect(await desk.status(desk.make({ alg: 'ES384' }, {}))).toBe(401);
  });

  it('when it is signed with a foreign key, also when the token contains or names the key', async () => {
    await using desk = await forge();
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = publicKey.export({ format: 'jwk' }) as Json;
    const headers: Json[] = [
      {},
      { jwk },
      { jku: 'http://127.0.0.1:1/keys' },
      { x5u: 'http://127.0.0.1:1/cert' },
      { x5c: ['AAAA'] },
      { kid: 'AAAAAAAAAAAA', jwk },
      { kid: '../signing-0001' },
      { kid: null },
      { kid: 7 },
      { kid: {} },
      { crit: ['jwk'], jwk },
    ];
    for (const header of headers)
      expect(await desk.status(desk.make(header, {}, ecdsa(privateKey))), JSON.stringify(header)).toBe(401);
    const { kid: _kid, ...nameless } = desk.header;
    const text = `${encode(nameless)}.${encode(desk.claims)}`;
    expect(await desk.status(`${text}.${ecdsa(desk.key)(text).toString('base64url')}`)).toBe(401);
  });

  it('for another purpose or issuer, after its end, before its beginning, or without a required claim', async () => {
    await using desk = await forge();
    for (const typ of ['JWT', 'libretto-two-factor+jwt', 'session', undefined])
      expect(await desk.status(desk.make({ typ }, {})), String(typ)).toBe(401);
    const wrong: Json[] = [
      { iss: 'somebody' },
      { iss: undefined },
      { aud: 'libretto:invitation' },
      { aud: undefined },
      { aud: [] },
      { exp: seconds() - 31 },
      { exp: undefined },
      { exp: 'never' },
      { iat: undefined },
      { nbf: seconds() + 60 },
      { sub: undefined },
      { sub: 'usr_0000000000000000' },
      { sub: ['x'] },
      { sid: undefined },
      { sid: 'guess' },
      { sid: 7 },
    ];
    for (const claims of wrong) expect(await desk.status(desk.make({}, claims)), JSON.stringify(claims)).toBe(401);
    // row 43: clocks may differ by half a minute
    expect(await desk.status(desk.make({}, { exp: seconds() - 15 }))).toBe(200);
  });

  it('when it names another user with the id of this session', async () => {
    await using desk = await forge();
    const other = await desk.registry.signIn('viewer');
    expect(await desk.status(desk.make({}, { sub: other.userId }))).toBe(401);
  });

  it('when it is cut off, padded, too long, or no token at all', async () => {
    await using desk = await forge();
    const { token } = desk;
    for (const text of [
      token.slice(0, -1),
      `${token}A`,
      `${token}.`,
      `.${token}`,
      token.replace('.', '..'),
      'a.b.c',
      '..',
      'e30.e30.e30',
      `${token}${'A'.repeat(4000)}`,
      desk.make({}, { more: 'x'.repeat(3000) }),
    ]) {
      expect(await desk.status(text), text.slice(-20)).toBe(401);
    }
  });
});

describe('row 42: a rotated signing key', () => {
  it('still verifies its sessions, and new sessions are signed with the new key', async () => {
    await using desk = await forge();
    const before = desk.registry.keys.current('signing');
    const after = desk.registry.keys.rotate('signing', Date.now() + 3_600_000);
    const { token } = await desk.registry.signIn('viewer');
    expect(decode(token.split('.')[0] ?? '')).toMatchObject({ kid: after.kid });
    expect(after.kid).not.toBe(before.kid);
    expect(await desk.status(desk.token)).toBe(200);
    expect(await desk.status(token)).toBe(200);
  });

  it('is refused from its end on', async () => {
    let nowMs = Math.floor(Date.now() / 1000) * 1000;
    await using registry = await runManagement({ now: () => nowMs });
    const { token: as } = await registry.signIn('admin');
    registry.keys.rotate('signing', nowMs + 60_000);
    nowMs += 59_999;
    expect((await registry.call('GET', '/api/auth/me', { as })).status).toBe(200);
    nowMs += 1;
    expect((await registry.call('GET', '/api/auth/me', { as })).status).toBe(401);
  });

  it('is not replaced by a key of another ring: such a session opens nothing', async () => {
    await using desk = await forge();
    const strangers = createKeyRing({
      folder: `${desk.registry.data}-strangers`,
      now: Date.now,
      randomBytes: (size) => new Uint8Array(size).fill(7),
    });
    const token = await createSignedTokens(strangers).sign(
      'session',
      { subject: String(desk.claims['sub']), sessionId: String(desk.claims['sid']) },
      { issuedMs: Date.now(), expiresMs: Date.now() + 60_000 },
    );
    expect(await desk.status(token.reveal())).toBe(401);
  });
});
