// Tests which ID tokens are believed: signature, algorithm, issuer, audience, times, and one use each. The issuer is
// made with jose, and answers on a real socket.

import { createHash, createHmac } from 'node:crypto';
import { generateKeyPair } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { audience, githubClaims } from '../../util/publisher-claims.ts';
import { startPublishingRegistry, type PublishingRegistry } from '../../util/publishing-registry.ts';
import type { Reply } from '../../util/running-proxy.ts';

let nowMs = Date.parse('2026-11-27T10:00:00Z');
let served: PublishingRegistry;

beforeAll(async () => {
  served = await startPublishingRegistry(() => nowMs);
  await served.publisher({
    issuer: 'github',
    purpose: 'publish',
    repository: 'acme/app',
    workflow: 'release.yml',
    packages: ['acme/app'],
    exchanges_per_hour: 1000,
  });
});
afterAll(() => served[Symbol.asyncDispose]());
// failed attempts of one network are limited each minute
beforeEach(() => {
  nowMs += 120_000;
});

const claims = (over: object = {}): Record<string, unknown> => githubClaims({ issuer: served.github.url, nowMs }, over);
const refusal = (reply: Reply): unknown => [
  reply.status,
  reply.json()['code'],
  ((reply.json()['details'] as { mismatches?: { claim: unknown }[] }).mismatches ?? []).map(({ claim }) => claim),
];
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('an ID token', () => {
  it('of an accepted job gets a token for 15 minutes', async () => {
    const reply = await served.exchange(await served.github.sign(claims()));
    expect(reply.status, reply.body.toString()).toBe(201);
    expect(reply.json()).toMatchObject({
      token: expect.stringMatching(/^lib_w_[0-9A-Za-z]{38}$/) as string,
      kind: 'write',
      expires_at: new Date(nowMs + 15 * 60_000).toISOString(),
      publisher: expect.stringMatching(/^pub_[0-9A-Za-z]{16}$/) as string,
    });
  });

  it('may be signed with ES256', async () => {
    expect((await served.exchange(await served.github.sign(claims(), { alg: 'ES256' }))).status).toBe(201);
  });

  it('that another key signed is refused', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    expect(refusal(await served.exchange(await served.github.sign(claims(), { key: privateKey })))).toEqual([
      403,
      'ID_TOKEN_INVALID',
      [null],
    ]);
  });

  it('whose content was changed after it was signed is refused', async () => {
    const [header, , signature] = (await served.github.sign(claims())).split('.');
    const changed = `${header}.${part(claims({ repository_id: '1' }))}.${signature}`;
    expect(refusal(await served.exchange(changed))).toEqual([403, 'ID_TOKEN_INVALID', [null]]);
  });

  it('without a signature is refused, in every spelling of none', async () => {
    for (const alg of ['none', 'None', 'NONE', 'nOnE']) {
      const token = `${part({ alg, typ: 'JWT' })}.${part(claims())}.`;
      expect(refusal(await served.exchange(token))).toEqual([403, 'ID_TOKEN_INVALID', ['alg']]);
    }
  });

  it('that uses the public key as the secret of HS256 is refused', async () => {
    const [key] = served.github.publicKeys();
    const body = `${part({ alg: 'HS256', kid: key!.kid })}.${part(claims())}`;
    for (const secret of [JSON.stringify(key), Buffer.from(key!.n!, 'base64url')]) {
      const token = `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
      expect(refusal(await served.exchange(token))).toEqual([403, 'ID_TOKEN_INVALID', ['alg']]);
    }
  });

  it('with a key of its own in the header is refused', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    const { exportJWK, SignJWT } = await import('jose');
    const token = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'RS256', jwk: await exportJWK(publicKey) })
      .sign(privateKey);
    expect((await served.exchange(token)).status).toBe(403);
  });

  it.each([
    ['another registry', 'https://other.test'],
    ['PyPI', 'pypi'],
    ['this registry and another', [audience, 'pypi']],
    ['this registry in a list', [audience]],
    ['this registry with a slash', `${audience}/`],
    ['this registry in other letters', audience.toUpperCase()],
    ['nobody', undefined],
    ['an object', { [audience]: true }],
  ])('for %s is refused, and the error names the expected audience', async (_who, aud) => {
    const reply = await served.exchange(await served.github.sign(claims({ aud })));
    expect(refusal(reply)).toEqual([403, 'ID_TOKEN_INVALID', ['aud']]);
    expect(reply.json()['error']).toContain(`exactly the text ${audience}`);
  });

  it('of an issuer that is not accepted is refused, and no other issuer is asked or named', async () => {
    const before = served.gitlab.requests() + served.github.requests();
    for (const iss of ['https://evil.example.org', `${served.github.url}/`, served.gitlab.url.toUpperCase(), 5, null]) {
      const reply = await served.exchange(await served.github.sign(claims({ iss })));
      expect(refusal(reply)).toEqual([403, 'ID_TOKEN_INVALID', ['iss']]);
      expect(reply.body.toString()).not.toContain('127.0.0.1:'.concat(new URL(served.other.url).port));
    }
    expect(served.gitlab.requests() + served.github.requests()).toBe(before);
  });

  it('of one issuer, signed by another accepted issuer, is refused', async () => {
    expect((await served.exchange(await served.gitlab.sign(claims()))).status).toBe(403);
  });

  it.each([
    ['expired 61 s ago', { exp: -61 }, ['exp']],
    ['expired exactly a minute ago', { exp: -60 }, ['exp']],
    ['made in 61 s', { iat: 61, exp: 300 }, ['iat']],
    ['valid from 61 s on', { nbf: 61 }, ['nbf']],
  ])('that %s is refused', async (_when, times: Record<string, number>, expected) => {
    const now = Math.floor(nowMs / 1000);
    const over = Object.fromEntries(Object.entries(times).map(([claim, seconds]) => [claim, now + seconds]));
    expect(refusal(await served.exchange(await served.github.sign(claims(over))))).toEqual([
      403,
      'ID_TOKEN_INVALID',
      expected,
    ]);
  });

  it.each([
    ['expired 59 s ago', { exp: -59 }],
    ['made in 60 s', { iat: 60, nbf: 60, exp: 300 }],
  ])('that %s is accepted: clocks differ by up to a minute', async (_when, times: Record<string, number>) => {
    const now = Math.floor(nowMs / 1000);
    const over = Object.fromEntries(Object.entries(times).map(([claim, seconds]) => [claim, now + seconds]));
    expect((await served.exchange(await served.github.sign(claims(over)))).status).toBe(201);
  });

  it('that lives longer than a day is refused', async () => {
    const now = Math.floor(nowMs / 1000);
    const sign = (exp: number) => served.github.sign(claims({ iat: now - 10, exp: now - 10 + exp }));
    expect(refusal(await served.exchange(await sign(86_401)))).toEqual([403, 'ID_TOKEN_INVALID', ['exp']]);
    expect((await served.exchange(await sign(86_400))).status).toBe(201);
  });

  it.each([
    ['no id of the repository', { repository_id: undefined }, 'repository_id'],
    ['an id of blanks', { repository_id: '  ' }, 'repository_id'],
    ['a second line in the event', { event_name: 'push\npush' }, 'event_name'],
  ])('with %s is refused', async (_what, over, claim) => {
    expect(refusal(await served.exchange(await served.github.sign(claims(over))))).toEqual([
      403,
      'PUBLISHER_MISMATCH',
      [claim],
    ]);
  });

  it.each(['exp', 'iat', 'jti'])('without %s is refused', async (claim) => {
    const token = await served.github.sign({ ...claims(), [claim]: undefined });
    expect(refusal(await served.exchange(token))).toEqual([403, 'ID_TOKEN_INVALID', [claim]]);
  });

  it.each([
    ['text', 'not a token'],
    ['two parts', 'e30.e30'],
    ['an API token', `lib_w_${'A'.repeat(38)}`],
    ['no object', `${part({ alg: 'RS256' })}.${Buffer.from('[]').toString('base64url')}.AAAA`],
    ['more than 16 KiB', `${part({ alg: 'RS256' })}.${'A'.repeat(17_000)}.AAAA`],
  ])('that is %s is refused', async (_what, token) => {
    expect(refusal(await served.exchange(token))).toEqual([403, 'ID_TOKEN_INVALID', [null]]);
  });

  it('works once, also when its signature is written differently', async () => {
    const token = await served.github.sign(claims());
    expect((await served.exchange(token)).status).toBe(201);
    expect(refusal(await served.exchange(token))).toEqual([403, 'ID_TOKEN_USED', []]);
    const again = await served.github.sign(claims({ jti: 'same', iat: Math.floor(nowMs / 1000) }));
    const other = await served.github.sign(claims({ jti: 'same', run_id: '6000' }));
    expect([(await served.exchange(again)).status, (await served.exchange(other)).status]).toEqual([201, 403]);
  });

  it('that twenty requests send at once works once', async () => {
    const token = await served.github.sign(claims());
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await served.exchange(token)).status));
    expect(statuses.toSorted()).toEqual([201, ...Array.from({ length: 19 }, () => 403)]);
  });

  it('that was refused by the rules is not used up', async () => {
    const token = await served.github.sign(claims({ environment: 'release' }));
    const [publisher] = (await served.registry.call('GET', '/api/publishers', { as: served.admin })).json()['data'] as {
      id: string;
    }[];
    const patch = (environment: string | null) =>
      served.registry.call('PATCH', `/api/publishers/${publisher!.id}`, { as: served.admin, body: { environment } });
    await patch('other');
    expect(refusal(await served.exchange(token))).toEqual([403, 'PUBLISHER_MISMATCH', ['environment']]);
    await patch(null);
    expect((await served.exchange(token)).status).toBe(201);
  });

  it('without an id works once by its signed text, where the CI system gives no ids', async () => {
    await served.publisher({ issuer: 'forgejo', purpose: 'read', repository: 'acme/app' });
    const issuer = served.forgejo.url;
    const noId = (run_id: string): object => ({ ...githubClaims({ issuer, nowMs }, { run_id }), jti: undefined });
    const token = await served.forgejo.sign(noId('1'), { alg: 'ES256' });
    // each signature of ES256 is another one
    const again = await served.forgejo.sign(noId('1'), { alg: 'ES256' });
    expect(again).not.toBe(token);
    const other = await served.forgejo.sign(noId('2'));
    const statuses = [];
    for (const one of [token, token, again, other]) statuses.push((await served.exchange(one)).status);
    expect(statuses).toEqual([201, 403, 403, 201]);
  });

  it('is stored nowhere, and its id only as a hash', async () => {
    const jti = 'an-id-that-can-be-found';
    const token = await served.github.sign(claims({ jti }));
    await served.exchange(token);
    const rows = JSON.stringify(await served.registry.state.range(''));
    expect(rows).not.toContain(jti);
    expect(rows).not.toContain(token.split('.')[2]);
    const key = createHash('sha256')
      .update(JSON.stringify([served.github.url, `jti ${jti}`]))
      .digest('hex');
    expect(rows).toContain(`oidc-jti/${key}`);
  });
});
