// Tests the audience of ID tokens from Bitbucket Pipelines, which writes `aud` as a list: the registry alone must be in
// it.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { audience, bitbucketClaims, bitbucketRepository } from '../../util/publisher-claims.ts';
import { startPublishingRegistry, type PublishingRegistry } from '../../util/publishing-registry.ts';
import type { Reply } from '../../util/running-proxy.ts';

const nowMs = Date.parse('2026-11-27T10:00:00Z');
let served: PublishingRegistry;
beforeAll(async () => {
  served = await startPublishingRegistry(() => nowMs);
  await served.publisher({
    issuer: 'bitbucket',
    purpose: 'publish',
    repository_id: bitbucketRepository,
    refs: 'any',
    claims: { branchName: 'main' },
    packages: ['acme/app'],
  });
});
afterAll(() => served[Symbol.asyncDispose]());

const exchange = async (over: object): Promise<Reply> =>
  served.exchange(await served.bitbucket.sign(bitbucketClaims({ issuer: served.bitbucket.url, nowMs }, over)));

it.each([
  ['a list with this registry alone', [audience]],
  ['the text', audience],
])('%s is accepted', async (_what, aud) => {
  const reply = await exchange({ aud });
  expect(reply.status, reply.body.toString()).toBe(201);
});

it.each([
  ['this registry and another service', [audience, 'https://other.test']],
  ['this registry twice', [audience, audience]],
  ['an empty list', []],
  ['a list in a list', [[audience]]],
  ['the workspace, as `oidc: true` alone asks for it', 'ari:cloud:bitbucket::workspace/03b741e3'],
  ['the workspace and this registry', ['ari:cloud:bitbucket::workspace/03b741e3', audience]],
])('%s is refused, and the error names the expected audience', async (_what, aud) => {
  const reply = await exchange({ aud });
  expect([reply.status, reply.json()['code']]).toEqual([403, 'ID_TOKEN_INVALID']);
  expect(reply.json()['error']).toContain(`expected: ${audience}, and no other audience.`);
});
