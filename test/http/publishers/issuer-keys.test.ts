// Tests the keys of issuers: how often they are fetched, and what happens while an issuer is down, slow, or lies. The
// clock of the registry is the test's own.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { githubClaims } from '../../util/publisher-claims.ts';
import { startPublishingRegistry, type PublishingRegistry } from '../../util/publishing-registry.ts';
import type { Reply } from '../../util/running-proxy.ts';

const minute = 60_000;
let nowMs = Date.parse('2026-11-27T10:00:00Z');
let served: PublishingRegistry;

beforeEach(async () => {
  served = await startPublishingRegistry(() => nowMs);
  await served.publisher({
    issuer: 'github',
    purpose: 'read',
    repository: 'acme/app',
    exchanges_per_hour: 1000,
  });
});
afterEach(() => served[Symbol.asyncDispose]());

const idToken = (kid?: string): Promise<string> =>
  served.github.sign(githubClaims({ issuer: served.github.url, nowMs }), kid === undefined ? {} : { kid });
const exchange = async (kid?: string): Promise<Reply> => served.exchange(await idToken(kid));
const codeOf = (reply: Reply): unknown => [reply.status, reply.json()['code'] ?? null];
const accepted = [201, null];

describe('the keys of an issuer', () => {
  it('are fetched once for many tokens, also for tokens that come at the same time', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => exchange()));
    expect(replies.map(codeOf)).toEqual(replies.map(() => accepted));
    expect(served.github.fetches()).toBe(1);
    nowMs += 9 * minute;
    await exchange();
    expect(served.github.fetches()).toBe(1);
  });

  it('are fetched anew after ten minutes', async () => {
    await exchange();
    nowMs += 10 * minute;
    await exchange();
    expect(served.github.fetches()).toBe(2);
  });

  it('are fetched anew for an unknown key, at most once a minute, whatever a storm of unknown keys asks', async () => {
    await exchange();
    nowMs += minute;
    const storm = (): Promise<readonly Reply[]> =>
      Promise.all(Array.from({ length: 30 }, (_, at) => exchange(`unknown-${at}`)));
    expect(new Set((await storm()).map(({ status }) => status))).toEqual(new Set([403]));
    expect(served.github.fetches()).toBe(2);
    nowMs += minute - 1;
    await storm();
    expect(served.github.fetches()).toBe(2);
    nowMs += 1;
    await storm();
    expect(served.github.fetches()).toBe(3);
    expect(codeOf(await exchange())).toEqual(accepted);
  });

  it('may rotate: a token of a new key is accepted after at most a minute, one of an old key no more', async () => {
    await exchange();
    const old = await idToken();
    await served.github.rotate();
    expect(codeOf(await exchange())).toEqual([403, 'ID_TOKEN_INVALID']);
    nowMs += minute;
    expect(codeOf(await exchange())).toEqual(accepted);
    expect(codeOf(await served.exchange(old))).toEqual([403, 'ID_TOKEN_INVALID']);
  });

  it('are used for an hour while the issuer is down, then refused with the reason, then fetched again', async () => {
    await exchange();
    served.github.fail('down');
    nowMs += 59 * minute;
    expect(codeOf(await exchange())).toEqual(accepted);
    nowMs += minute;
    const refused = await exchange();
    expect(codeOf(refused)).toEqual([500, 'UPSTREAM_UNAVAILABLE']);
    expect(refused.json()['error']).toMatch(/answered with status 503.*older than an hour/);
    served.github.fail(undefined);
    nowMs += 10_000;
    expect(codeOf(await exchange())).toEqual(accepted);
  });

  it('that could not be fetched are asked for every ten seconds, and not for each token', async () => {
    served.github.fail('down');
    await Promise.all(Array.from({ length: 10 }, () => exchange()));
    const first = served.github.requests();
    expect(first).toBe(1);
    nowMs += 9999;
    await exchange();
    expect(served.github.requests()).toBe(first);
    nowMs += 1;
    await exchange();
    expect(served.github.requests()).toBe(first + 1);
  });

  it.each([
    ['lying', /describes itself as another issuer/],
    ['keys elsewhere', /names no usable address of its keys/],
    ['garbage', /did not answer with a JSON object/],
    ['slow', /did not answer within 5 s/],
  ] as const)('of an issuer that is %s are not used', async (fault, reason) => {
    served.github.fail(fault);
    const refused = await exchange();
    expect(codeOf(refused)).toEqual([500, 'UPSTREAM_UNAVAILABLE']);
    expect(refused.json()['error']).toMatch(reason);
  });

  it('are not fetched from an address that the guard of all egress refuses', async () => {
    await using guarded = await startPublishingRegistry(() => nowMs, {
      publicUrl: 'https://packages.test',
      egress: { allow: [] },
    });
    await guarded.publisher({ issuer: 'github', purpose: 'read', repository: 'acme/app' });
    const token = await guarded.github.sign(githubClaims({ issuer: guarded.github.url, nowMs }));
    const refused = await guarded.exchange(token);
    expect(codeOf(refused)).toEqual([500, 'UPSTREAM_UNAVAILABLE']);
    expect(refused.json()['error']).toContain('egress.allow');
    expect(guarded.github.requests()).toBe(0);
  });
});
